#include "rigor/io/recorder.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/dynamics/energy.hpp"
#include "rigor/io/scene_writer.hpp"
#include "rigor/io/state_bytes.hpp"

namespace rigor {
namespace {

constexpr double kMaxDoubleBytes = 32e6;  // of q and v over a whole run: above, floats are taken

// Whether a multiple of `period` lies behind `before` and not behind `now`: no counter that a restart loses.
bool passes_multiple(double before, double now, double period) {
  return std::floor(now / period + 1e-9) > std::floor(before / period + 1e-9);
}

std::uint64_t make_key(const ContactReport& contact) {
  const std::array<std::uint32_t, 6> words{static_cast<std::uint32_t>(contact.shape_a),
                                           static_cast<std::uint32_t>(contact.shape_b),
                                           contact.id.part_a,
                                           contact.id.part_b,
                                           contact.id.a,
                                           contact.id.b};
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), sizeof words);
  return std::max<std::uint64_t>(hash_bytes(bytes), 1);
}

}  // namespace

Recorder::Recorder(const Simulation& simulation, double every, double checkpoint)
    : simulation_(simulation),
      every_(every),
      checkpoint_(checkpoint),
      last_frame_(simulation.state().t),
      last_step_(simulation.state().t) {}

bool Recorder::note(const StepReport& report) {
  const ContactCertificate& contact = report.contact;
  const double worst[] = {report.residual,        report.constraint_error,     contact.penetration,
                          contact.cone_violation, contact.direction_violation, contact.lift_off,
                          contact.sticking_drift, contact.rolling_drift,       report.energy.imbalance()};
  const int now[] = {contact.open,          contact.sticking,         contact.sliding,
                     contact.islands,       contact.largest_island,   contact.iterations,
                     contact.force_freedom, contact.unsolved_islands, report.redundant_rows};
  constexpr std::size_t kWorst = std::size(worst);
  static_assert(kWorst + std::size(now) == kCertificateFields.size());
  for (std::size_t i = 0; i < kWorst; ++i) certificate_[i] = std::max(certificate_[i], worst[i]);
  for (std::size_t i = 0; i < std::size(now); ++i) certificate_[kWorst + i] = now[i];

  const double t = simulation_.state().t;
  h_ = t - last_step_;
  last_step_ = t;
  // checkpoints are parts of frames, which may be further apart than they
  const double every = checkpoint_ > 0.0 ? std::min(every_, checkpoint_) : every_;
  return passes_multiple(last_frame_, t, every_) || passes_multiple(last_frame_, t, every) ||
         simulation_.is_finished();
}

const RecordedFrame& Recorder::make_frame() {
  const Model& model = simulation_.model();
  const State& state = simulation_.state();
  RecordedFrame& frame = frame_;
  frame.t = state.t;
  frame.step = simulation_.totals().steps;
  frame.h = h_;
  bytes_.clear();
  add_bytes(state, bytes_);
  frame.hash = hash_bytes(bytes_);
  frame.q = state.q;
  frame.v = state.v;
  frame.certificate = certificate_;
  certificate_.fill(0.0);

  compute_positions(model, state.q, kin_);
  compute_velocities(model, state.v, kin_);
  const EnergyLedger& ledger = simulation_.totals().energy;
  frame.energy = {compute_kinetic_energy(model, kin_, state.v),
                  compute_potential_energy(model, state.q, state.t, kin_).total(),
                  ledger.applied,
                  ledger.motors,
                  ledger.bilateral,
                  ledger.relaxation,
                  ledger.normal,
                  ledger.friction,
                  ledger.limits,
                  ledger.numerical,
                  ledger.transport,
                  ledger.projection,
                  ledger.kinetic_change,
                  ledger.potential_change};

  // forces are those of a step, and before the first there is none
  const bool is_stepped = h_ > 0.0;
  frame.motion_forces.clear();
  frame.contacts.clear();
  frame.snapshot.clear();
  for (const ModelMotion& motion : model.motions)
    frame.motion_forces.push_back(is_stepped ? simulation_.stepper().motor_forces()[motion.v] : 0.0);
  if (is_stepped)
    for (const ContactReport& contact : simulation_.stepper().contacts())
      frame.contacts.push_back({contact, make_key(contact)});

  if (checkpoint_ > 0.0 && passes_multiple(last_frame_, state.t, checkpoint_) && !simulation_.is_finished())
    frame.snapshot = to_bytes(Snapshot{state, simulation_.totals()});
  last_frame_ = state.t;
  return frame;
}

RecordingHeader make_recording_header(const Scene& scene, const Simulation& simulation, double every,
                                      double checkpoint) {
  const RunSettings& settings = simulation.settings();
  RecordingHeader header;
  header.scene = write_scene(scene);
  header.every = every > 0.0 ? every : std::max(settings.dt, settings.until / 1000.0);
  header.checkpoint = checkpoint;
  const Model& model = simulation.model();
  header.has_user_elements = !model.user_forces.empty() || !model.user_constraints.empty();
  const double frames = std::min(static_cast<double>(simulation.step_count()), settings.until / header.every);
  const double numbers = simulation.model().nq + simulation.model().nv;
  header.precision = 8.0 * numbers * frames <= kMaxDoubleBytes ? Precision::kDouble : Precision::kSingle;
  return header;
}

}  // namespace rigor
