#include "rigor/stepping/contact_judge.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/index.hpp"
#include "rigor/dynamics/overflow.hpp"
#include "rigor/solvers/problems/check.hpp"

namespace rigor {
namespace {

constexpr double kLoaded = 1e-13;  // m/s: a scaled normal impulse below is none

// The numbers of an island that its verdict rests on.
struct IslandNumbers {
  double mean{1.0};    // of W's diagonal, 1/kg
  double speeds{0.0};  // ‖q‖₂, m/s: velocities without impulses
  double loads{0.0};   // Σ (mean r)² + q² over loaded blocks, (m/s)²
};

IslandNumbers measure(const ContactStep& step, const ContactIsland& island) {
  IslandNumbers out;
  double trace = 0.0;
  for (const int k : island.blocks)
    trace += step.rows.blocks()[at(k)].trace + step.rows.blocks()[at(k)].compliance;
  if (trace > 0.0) out.mean = trace / island.rows;
  double squares = 0.0;
  for (const int k : island.blocks) {
    const OneSidedBlock& block = step.rows.blocks()[at(k)];
    const double *const r = step.r.data() + block.first, *const q = step.u_free.data() + block.first;
    double own_speed = (q[0] + block.offset) * (q[0] + block.offset), own_load = r[0] * r[0];
    for (int i = 1; i < block.size; ++i) own_speed += q[i] * q[i], own_load += r[i] * r[i];
    squares += own_speed;
    if (r[0] != 0.0) out.loads += out.mean * out.mean * own_load + own_speed;
  }
  out.speeds = std::sqrt(squares);
  return out;
}

// û = 0 and r in its cone, or r = 0 and a gap that stays: check_law() is then 0, whatever the units.
bool rests(const ContactStep& step, const OneSidedBlock& block) {
  const double *const r = step.r.data() + block.first, *const u = step.u.data() + block.first;
  double squares = 0.0;
  for (int i = 1; i < block.size; ++i) squares += r[i] * r[i];
  if (step.is_still && block.offset >= 0.0 && r[0] == 0.0 && squares == 0.0) return true;
  if (block.offset != 0.0 || block.compliance != 0.0 || !(r[0] >= 0.0)) return false;
  if (!(squares <= block.mu * block.mu * (r[0] * r[0]))) return false;
  return step.is_still || std::all_of(u, u + block.size, [](double speed) { return speed == 0.0; });
}

// What rests is judged by this alone.
bool rests_in_cones(const ContactStep& step, const ContactIsland& island) {
  return std::all_of(island.blocks.begin(), island.blocks.end(),
                     [&](int k) { return rests(step, step.rows.blocks().data()[k]); });
}

double check_by_law(const ContactStep& step, const ContactIsland& island, bool is_convex, double mean) {
  double squares = 0.0;
  for (const int k : island.blocks) {
    const OneSidedBlock& block = step.rows.blocks()[at(k)];
    if (rests(step, block)) continue;
    const double* const r = step.r.data() + block.first;
    Eigen::Vector3d u = head_of(step.u.data() + block.first, block.size);
    u[0] += block.offset + block.compliance * r[0];
    const Eigen::Vector3d scaled = mean * head_of(r, block.size);
    const double own = check_law({block.size, block.mu, is_convex}, scaled.data(), u.data());
    squares += own * own;
  }
  return std::sqrt(squares);
}

// (1) of the header
double check_by_own_residual(const ContactIsland& island, const ContactAnswer& answer, ContactStep& step) {
  Eigen::VectorXd& u = step.image;
  step.rows.gather(island, step.u_free, u);
  step.rows.add_product(island, answer.r, step.half, u);
  double squares = 0.0;
  Eigen::Index first = 0;
  for (const int k : island.blocks) {
    const OneSidedBlock& block = step.rows.blocks()[at(k)];
    u[first] -= block.compliance * answer.r[first];
    for (int i = 0; i < block.size; ++i) {
      const double away = step.u[block.first + i] - u[first + i];
      squares += away * away;
    }
    first += block.size;
  }
  return answer.residual + std::sqrt(squares);
}

IslandVerdict judge_island(const ContactDemand& demand, std::size_t i, ContactStep& step) {
  const ContactIsland& island = step.rows.islands()[i];
  const ContactAnswer& answer = step.answers[i];
  IslandVerdict out;
  if (demand.law != ContactLaw::kOwn && answer.r.size() == island.rows && rests_in_cones(step, island))
    return out;
  const IslandNumbers numbers = measure(step, island);
  if (answer.r.size() != island.rows)
    out.residual = INFINITY;
  else if (demand.law == ContactLaw::kOwn)
    out.residual = check_by_own_residual(island, answer, step);
  else
    out.residual = check_by_law(step, island, demand.law == ContactLaw::kConvex, numbers.mean);
  if (!std::isfinite(out.residual)) out.residual = INFINITY;
  out.relative_residual = numbers.speeds > 0.0 ? out.residual / numbers.speeds : out.residual;
  out.rounding = cone_rounding(numbers.loads, numbers.speeds);
  out.verdict = out.residual <= demand.tolerance ? ContactVerdict::kSolved
                : out.residual <= out.rounding   ? ContactVerdict::kRounding
                                                 : ContactVerdict::kUnsolved;
  return out;
}

void add_island(const ContactAnswer& answer, const IslandVerdict& verdict, int rows,
                ContactCertificate& certificate) {
  certificate.velocity =
      certificate.islands == 0 ? answer.velocity : std::min(certificate.velocity, answer.velocity);
  ++certificate.islands;
  certificate.unsolved_islands += verdict.verdict == ContactVerdict::kUnsolved ? 1 : 0;
  certificate.rounding_islands += verdict.verdict == ContactVerdict::kRounding ? 1 : 0;
  certificate.fallbacks += answer.fell_back ? 1 : 0;
  certificate.largest_island = std::max(certificate.largest_island, rows);
  certificate.iterations += answer.iterations;
  raise_worst(certificate.residual, verdict.residual);
  raise_worst(certificate.relative_residual, verdict.relative_residual);
  raise_worst(certificate.cone_violation, answer.cone_violation);
  certificate.force_freedom += std::max(0, answer.force_freedom);
  certificate.phantom_limit = std::min(certificate.phantom_limit, answer.phantom_limit);
  if (answer.phantom_inertia > 0.0)
    certificate.phantom_inertia = certificate.phantom_inertia > 0.0
                                      ? std::min(certificate.phantom_inertia, answer.phantom_inertia)
                                      : answer.phantom_inertia;
}

// What of a contact is known before the step; without load and speed.
ContactReport& add_report(const Contact& contact, ContactStep& step) {
  ContactReport& report = step.reports.emplace_back();
  report.a = contact.a;
  report.b = contact.b;
  report.point = contact.point;
  report.normal = contact.frame.col(0);
  report.gap = contact.gap;
  report.mu = contact.mu;
  report.shape_a = contact.shape_a;
  report.shape_b = contact.shape_b;
  report.id = contact.id;
  return report;
}

// What turns a contact's impulse into a speed, 1/kg: along its normal or, where joints block that, along the tangents
// or its spring; infinite where nothing gives way at all.
double speed_per_impulse(const OneSidedBlock& block) {
  if (block.inverse_mass > 0.0) return block.inverse_mass;
  const double other = std::max(block.trace, block.compliance);
  return other > 0.0 ? other : INFINITY;
}

void count_mode(ContactMode mode, ContactCertificate& certificate) {
  (mode == ContactMode::kOpen       ? certificate.open
   : mode == ContactMode::kSticking ? certificate.sticking
                                    : certificate.sliding)++;
}

void judge_contact(const ContactDemand& demand, std::size_t k, ContactStep& step, StepReport& report) {
  const OneSidedBlock& block = step.rows.blocks()[k];
  const Contact& contact = step.contact_of(step.candidate_of(block));
  ContactCertificate& certificate = report.contact;
  Eigen::Vector3d p = head_of(step.r.data() + block.first, block.size);
  Eigen::Vector3d u = head_of(step.u.data() + block.first, block.size);
  const bool is_still = u[0] == 0.0 && u[1] == 0.0 && u[2] == 0.0;
  if (!is_still) {
    (contact.is_rigid ? report.energy.normal : report.energy.relaxation) += p[0] * u[0];
    report.energy.friction += p.tail<2>().dot(u.tail<2>());
  }
  certificate.penetration = std::max(certificate.penetration, -contact.gap);

  ContactMode mode = ContactMode::kOpen;
  const double slip = is_still ? 0.0 : u.tail<2>().norm(), scale = speed_per_impulse(block);
  if (p[0] * scale > kLoaded)
    mode = slip > least_slip(demand, step, k) ? ContactMode::kSliding : ContactMode::kSticking;
  count_mode(mode, certificate);
  if (mode != ContactMode::kOpen && contact.is_rigid)
    certificate.lift_off = std::max(certificate.lift_off, step.h * (u[0] + block.offset));
  const double unit = std::isfinite(scale) ? scale : 1.0;  // as measure() has it where nothing gives way
  if (mode == ContactMode::kSliding)
    certificate.direction_violation =
        std::max(certificate.direction_violation,
                 (p.tail<2>() + contact.mu * p[0] / slip * u.tail<2>()).norm() * unit);

  if (block.size == 3) {  // back from the units of the ellipse
    p[2] *= contact.mu_ratio;
    u[2] /= contact.mu_ratio;
  }
  ContactReport& own = add_report(contact, step);
  own.mode = mode;
  if (p[0] != 0.0 || p[1] != 0.0 || p[2] != 0.0) own.force = contact.frame * p / step.h;
  if (!is_still) own.velocity = contact.frame * u;
}

}  // namespace

void certify_contacts(const ContactDemand& demand, const Eigen::VectorXd& v, ContactStep& step,
                      ContactCertificate& certificate) {
  certificate = {};
  step.is_still = v.isZero(0.0);
  if (step.is_still)
    step.u.setZero(step.rows.size());
  else
    step.rows.compute_exact_speeds(v, step.u);
  step.verdicts.clear();
  step.worst = 0;
  const auto excess = [&](std::size_t i) {
    const IslandVerdict& of = step.verdicts[i];
    return of.residual / std::max(demand.tolerance, of.rounding);
  };
  for (std::size_t i = 0; i < step.rows.islands().size(); ++i) {
    step.verdicts.push_back(judge_island(demand, i, step));
    if (excess(i) > excess(step.worst)) step.worst = i;
    add_island(step.answers[i], step.verdicts[i], step.rows.islands()[i].rows, certificate);
  }
  if (certificate.islands > 0) certificate.method = step.answers[step.hardest].method;
}

void judge_contacts(const Model& model, const ContactDemand& demand, const Kinematics<double>& kin,
                    const Eigen::VectorXd& v, ContactStep& step, StepReport& report) {
  step.reports.clear();
  if (!step.is_still) {  // what does not move does no work
    double magnitude = 0.0;
    for (const OneSidedBlock& block : step.rows.blocks()) {
      const double *const r = step.r.data() + block.first, *const u = step.u.data() + block.first;
      for (int k = 0; k < block.size; ++k) magnitude += std::abs(r[k] * u[k]);
      if (block.source == BlockSource::kLimit) report.energy.limits += r[0] * u[0];
    }
    report.energy.scale = std::max(report.energy.scale, magnitude);
  }

  bool knows_velocities = false;
  for (const ContactCandidate& candidate : step.candidates) {
    if (candidate.block >= 0) judge_contact(demand, at(candidate.block), step, report);
    if (!candidate.is_aside) continue;
    if (!knows_velocities) compute_body_velocities(model, kin, v, step.V);
    knows_velocities = true;
    const Contact& contact = step.contact_of(candidate);
    ++report.contact.open;
    add_report(contact, step).velocity = relative_velocity(step, contact, step.V);
  }
}

double factor_rounding(const ConstrainedInertia::Loads& loads) {
  return cone_rounding(loads.squares, loads.speeds) + OrthogonalFactor::kTolerance * loads.dependent;
}

double least_slip(const ContactDemand& demand, const ContactStep& step, std::size_t block) {
  constexpr double kMost = 1e-5;  // m/s
  const double residual = step.verdicts[at(step.island_of[block])].residual;
  return 10.0 * std::max(demand.tolerance, std::min(residual, kMost));
}

}  // namespace rigor
