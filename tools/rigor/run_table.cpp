#include "tools/rigor/run_table.hpp"

#include <fmt/format.h>

#include "rigor/dynamics/energy.hpp"
#include "tools/rigor/run_to_json.hpp"

namespace rigor {
namespace {

// A name as part of a column's name: quoted where it holds what would break the line.
std::string column(const std::string& name, const std::string& what) {
  const std::string whole = name + "." + what;
  if (whole.find_first_of(",\"\n\r") == std::string::npos) return whole;
  std::string quoted = "\"";
  for (const char c : whole) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

RunTable::RunTable(const Simulation& simulation, double every) : simulation_(simulation), every_(every) {
  const RunSettings& settings = simulation.settings();
  if (every_ == 0.0) every_ = std::max(settings.dt, settings.until / 1000.0);
  const Model& model = simulation.model();
  text_ = "time";
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    for (const char* what : {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"})
      text_ += "," + column(body.name, what);
    for (int k = 0; k < body.nq; ++k) text_ += "," + column(body.joint_name, fmt::format("q{}", k));
    for (int k = 0; k < body.nv; ++k) text_ += "," + column(body.joint_name, fmt::format("v{}", k));
  }
  for (const ModelMotion& motion : model.motions) text_ += "," + column(motion.name, "force");
  text_ += ",kinetic_energy,potential_energy,residual,penetration,sticking,sliding,open,friction_work\n";
}

void RunTable::add_row(const StepReport& last) {
  const Model& model = simulation_.model();
  const State& state = simulation_.state();
  const auto add = [&](double value) { text_ += fmt::format(",{}", value); };
  text_ += fmt::format("{}", state.t);
  const std::vector<BodyState> bodies = compute_body_states(model, state);
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const BodyState& body = bodies[b - 1];
    for (const double value : body.pose.position) add(value);
    for (const double value :
         {body.pose.rotation.w(), body.pose.rotation.x(), body.pose.rotation.y(), body.pose.rotation.z()})
      add(value);
    for (const double value : body.velocity) add(value);
    for (const double value : body.angular_velocity) add(value);
    const ModelBody& joint = model.bodies[b];
    for (int k = 0; k < joint.nq; ++k) add(state.q[joint.q0 + k]);
    for (int k = 0; k < joint.nv; ++k) add(state.v[joint.v0 + k]);
  }
  for (const ModelMotion& motion : model.motions)
    add(simulation_.totals().steps > 0 ? simulation_.stepper().motor_forces()[motion.v] : 0.0);
  Kinematics<double> kin;
  compute_positions(model, state.q, kin);
  compute_velocities(model, state.v, kin);
  add(compute_kinetic_energy(model, kin, state.v));
  add(compute_potential_energy(model, state.q, state.t, kin).total());
  add(last.residual);
  add(last.contact.penetration);
  add(last.contact.sticking);
  add(last.contact.sliding);
  add(last.contact.open);
  add(last.energy.friction);
  text_ += '\n';
  ++rows_;
}

void RunTable::add_row_if_due(const StepReport& last) {
  const double due = static_cast<double>(rows_) * every_;
  if (simulation_.state().t >= due * (1.0 - 1e-12) || simulation_.is_finished()) add_row(last);
}

}  // namespace rigor
