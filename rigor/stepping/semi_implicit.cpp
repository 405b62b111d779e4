#include "rigor/stepping/semi_implicit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "rigor/base/index.hpp"
#include "rigor/base/interruption.hpp"
#include "rigor/dynamics/assembly.hpp"
#include "rigor/dynamics/energy.hpp"
#include "rigor/dynamics/overflow.hpp"
#include "rigor/math/magnitude.hpp"
#include "rigor/solvers/problem.hpp"
#include "rigor/stepping/contact_assembly.hpp"
#include "rigor/stepping/remember_contacts.hpp"

namespace rigor {
namespace {

constexpr double kOff = std::numeric_limits<double>::infinity();

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool is_constant(const TimeFunction& function) {
  return std::holds_alternative<double>(function);
}

// Whether nothing in the model asks for the time, or could.
bool is_autonomous(const Model& model) {
  const auto is_steady = [](const ModelForce& one) {
    const auto& [force, torque] = std::tie(one.force.force, one.force.torque);
    return std::all_of(force.begin(), force.end(), is_constant) &&
           std::all_of(torque.begin(), torque.end(), is_constant);
  };
  return model.motions.empty() && model.constraints.empty() && model.gears.empty() && model.springs.empty() &&
         model.user_constraints.empty() && model.user_forces.empty() &&
         std::all_of(model.forces.begin(), model.forces.end(), is_steady) &&
         std::all_of(model.motors.begin(), model.motors.end(),
                     [](const ModelMotor& motor) { return is_constant(motor.effort); });
}

}  // namespace

SemiImplicitStepper::SemiImplicitStepper(const Model& model, const RunSettings& settings)
    : model_(model),
      settings_(settings),
      system_(model),
      projector_(system_),
      free_motion_(model),
      traits_(find_traits(model, system_)),
      search_(model, settings, system_),
      contact_solver_(settings),
      demand_{contact_solver_.formulation().law(), settings.tolerance},
      overlap_(settings),
      contacts_(system_),
      work_(settings) {
  contacts_.moves_first = settings.positions == RunSettings::Positions::kBefore;
  const std::size_t islands = system_.islands().list.size();
  rows_.epsilon.resize(islands);
  rows_.b.resize(islands);
  rows_.constant.resize(islands);
  answers_.multipliers.resize(islands);
  answers_.motor_forces.setZero(model.nv);
  forces_.extra.setZero(model.nv);
}

SemiImplicitStepper::Traits SemiImplicitStepper::find_traits(const Model& model,
                                                             const ConstrainedSystem& system) {
  Traits traits;
  std::vector<char> carries(model.bodies.size(), 0);
  for (const ModelBody& body : model.bodies) carries[at(body.parent)] = 1;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    const auto first = system.is_fixed().begin() + body.v0;
    const bool is_prescribed = std::any_of(first, first + body.nv, [](char fixed) { return fixed; });
    if (body.type == JointType::kFree && body.parent == kWorldIndex && !carries[b] && body.armature == 0.0 &&
        !is_prescribed)
      traits.free_bodies.push_back(b);
  }
  const auto& free = traits.free_bodies;
  traits.are_all_free =
      free.size() + 1 == model.bodies.size() && std::all_of(free.begin(), free.end(), [&](std::size_t b) {
        return is_plain(model.bodies[b]) && model.bodies[b].inertia_J.h.isZero(0.0);
      });
  traits.has_joint_springs = std::any_of(model.bodies.begin(), model.bodies.end(), [](const ModelBody& body) {
    return body.damping != 0.0 || body.stiffness != 0.0;
  });
  traits.is_autonomous = is_autonomous(model);
  traits.may_have_odd_friction =
      std::any_of(model.materials.begin(), model.materials.end(), [](const Material& material) {
        const bool is_usable = material.mu.along <= kLargestNumber &&
                               material.mu.across <= kLargestNumber * std::min(1.0, material.mu.along);
        return material.mu_curve || material.mu_static || !is_usable;
      });
  return traits;
}

void SemiImplicitStepper::want_lead_matrix(bool wanted) {
  wants_lead_ = wanted;
  fixed_point_.is_known = false;
}

void SemiImplicitStepper::want_uniqueness(bool wanted) {
  contact_solver_.want_uniqueness(wanted);
  fixed_point_.is_known = false;
}

void SemiImplicitStepper::set_reuse(bool reuses) {
  reuses_ = reuses;
  search_.set_reuse(reuses);
}

std::optional<Problem> SemiImplicitStepper::get_unsolved() {
  if (contacts_.rows.islands().empty()) return {};
  return contact_solver_.make_problem(contacts_, contacts_.worst);
}

std::vector<Problem> SemiImplicitStepper::make_contact_problems() {
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < contacts_.rows.islands().size(); ++i)
    problems.push_back(contact_solver_.make_problem(contacts_, i));
  return problems;
}

std::optional<Problem> SemiImplicitStepper::get_hardest() {
  if (contacts_.rows.islands().empty()) return {};
  return contact_solver_.make_problem(contacts_, contacts_.hardest);
}

bool SemiImplicitStepper::repeats(const State& state, double h) const {
  return fixed_point_.is_known && h == fixed_point_.h && state.q == q_ && state.v == v_new_ &&
         state.contacts == last_memory_;
}

StepReport SemiImplicitStepper::step(State& state, double h) {
  require_step(model_, state, h);
  StepReport report;
  const auto begin = std::chrono::steady_clock::now();
  if (reuses_ && repeats(state, h)) {
    state.t += h;
    report = fixed_point_.report;
    report.times = {};
    report.times.rest = seconds_since(begin);
    return report;
  }
  fixed_point_.is_known = false;
  work_.begin(state.usual_work);

  // the motion now: forces, contacts, inertia, equations
  if (!start(state, h, report)) return report;
  if (!is_start_bounded()) {
    refuse(describe_overflow(system_, state.t, h, v_), report);
    return report;
  }
  if (const std::string slippery = find_unusable_friction(); !slippery.empty()) {
    refuse(slippery, report);
    return report;
  }

  // v⁺ and the impulses, certified, and what they did
  if (!solve(report)) return report;
  report_forces(h);
  judge_contacts(model_, demand_, system_.kinematics(), v_, contacts_, report);
  fill_ledger(state.t, h, report);

  // q⁺, and what belongs to it
  if (!finish_positions(state, h, report)) return report;
  if (!is_bounded(q_) || !is_bounded(v_new_) || !std::isfinite(report.energy.imbalance())) {
    refuse(is_bounded(v_new_) ? describe_far(model_, q_) : describe_overflow(system_, state.t, h, v_new_),
           report);
    return report;
  }
  if (!judge_energy(report)) return report;
  const bool is_still = traits_.is_autonomous && v_new_.isZero(0.0) && state.v == v_new_ && state.q == q_;
  state.t += h;
  state.q = q_;
  state.v = v_new_;
  if (report.contact.iterations > 0)
    state.usual_work = work_.follow_usual(report.work, contacts_.rows.size());
  knows_motion_ = true;
  const bool is_repeated =
      remember_contacts(demand_, kin_, reuses_ && is_still, contacts_, state, last_memory_, report.contact);
  report.times.rest =
      seconds_since(begin) - report.times.collision - report.times.assembly - report.times.solve;
  if (reuses_ && is_still && is_repeated) {
    last_memory_ = state.contacts;
    fixed_point_ = {true, h, report};
  }
  return report;
}

// Forces and contacts at the state, M and the rows, and the right-hand side M v + h (f …).
bool SemiImplicitStepper::start(const State& state, double h, StepReport& report) {
  const auto begin = std::chrono::steady_clock::now();
  t_ = state.t;
  h_ = h;
  if (knows_motion_ && state.q == q_ && state.v == v_new_)
    system_.take_motion(state.q, state.v, kin_);
  else
    system_.set_motion(state.q, state.v);
  knows_motion_ = false;
  q_ = state.q;
  v_ = v_start_ = state.v;
  compute_forces(state.t);
  flight_ = {};
  if (settings_.positions == RunSettings::Positions::kBefore) {
    const double kinetic = compute_kinetic_energy(model_, system_.kinematics(), state.v);
    const double potential = compute_potential_energy(model_, state.q, state.t, system_.kinematics()).total();
    if (!fly(state.v, h, report)) return false;
    v_ = v_start_ = v_new_;
    system_.set_motion(q_, v_start_);
    flight_.kinetic = compute_kinetic_energy(model_, system_.kinematics(), v_start_) - kinetic;
    flight_.potential =
        compute_potential_energy(model_, q_, state.t, system_.kinematics()).total() - potential;
  }
  search_.find(state, h, contact_solver_.formulation(), contacts_);
  report.times.collision = seconds_since(begin);

  if (traits_.has_joint_springs)
    for (const ModelBody& body : model_.bodies)
      forces_.extra.segment(body.v0, body.nv).setConstant(h * body.damping + h * h * body.stiffness);
  system_.compute_inertia(forces_.extra);
  system_.compute_rows(state.t + h);
  make_row_equations(h);
  prescribe(state, h);

  system_.M().multiply(v_start_, momentum_.before);
  momentum_.impulse = h * (forces_.applied - forces_.bias + forces_.joint_spring);
  momentum_.rhs = momentum_.before + momentum_.impulse;
  if (traits_.has_joint_springs) momentum_.impulse -= forces_.extra.cwiseProduct(v_start_);
  for (std::size_t i = 0; i < rows_.constant.size(); ++i)
    system_.add_row_forces(i, rows_.constant[i], momentum_.rhs);
  return true;
}

// Whether forces, rows and prescribed speeds are numbers to go on with.
bool SemiImplicitStepper::is_start_bounded() const {
  if (!is_bounded(momentum_.rhs) || !is_bounded(v_)) return false;
  for (std::size_t i = 0; i < rows_.b.size(); ++i)
    if (!is_bounded(system_.rows(i)) || !is_bounded(rows_.b[i])) return false;
  return true;
}

// A coefficient that is no number to compute with, as a function of the scene may give it; mostly none.
std::string SemiImplicitStepper::find_unusable_friction() const {
  if (!traits_.may_have_odd_friction) return {};
  for (const ContactCandidate& candidate : contacts_.candidates) {
    const Contact& contact = contacts_.contact_of(candidate);
    if (std::fabs(contact.mu) <= kLargestNumber && std::fabs(contact.mu_ratio) <= kLargestNumber) continue;
    return fmt::format("friction between \"{}\" and \"{}\" has mu = {:.4g}",
                       model_.bodies[at(contact.a)].name, model_.bodies[at(contact.b)].name, contact.mu);
  }
  return {};
}

void SemiImplicitStepper::refuse(const std::string& what, StepReport& report) {
  report.status = StepStatus::kNotFinite;
  report.message = fmt::format("numbers overflow: {}. Take a shorter step, or mend what drives it", what);
}

// Moves, holds what sticks, takes overlap and errors of constraints back, and books what that does to the kinetic energy.
bool SemiImplicitStepper::finish_positions(const State& state, double h, StepReport& report) {
  if (settings_.positions == RunSettings::Positions::kBefore)
    v_new_ = v_;
  else if (!fly(v_, h, report))
    return false;
  answers_.motor_forces += free_motion_.motor_forces();
  report.energy.motors += flight_.motors;
  report.energy.transport += flight_.kinetic - flight_.motors;
  report.energy.kinetic_change += flight_.kinetic;
  compute_positions(model_, q_, kin_);
  const double moved = compute_kinetic();
  if (!contacts_.is_empty()) keeper_.note(system_, kin_, v_new_);
  find_anchors(demand_, system_.kinematics(), kin_, contacts_);
  const int held = holder_.hold(contacts_, system_, kin_, q_);
  report.projections += held;
  const WorkScope scope(work_.meter());
  const bool pushed = overlap_.correct(model_, contacts_, system_, contact_solver_.pool(), q_);
  if (pushed) ++report.projections;
  ProjectionResult projected;
  projected.ok = true;
  if (!system_.islands().list.empty()) projected = projector_.project_positions(state.t + h, q_);
  report.projections += projected.iterations;
  report.constraint_error = projected.error;
  if (!projected.ok) {
    report.status = StepStatus::kInconsistent;
    const auto left = projector_.list_violations(1e-10);
    report.message = fmt::format("positions cannot be brought onto the constraints: {:.3g} left of {}",
                                 projected.error, left.empty() ? "them" : left.front().row);
    return false;
  }
  double kinetic = moved;
  if (held > 0 || pushed || projected.iterations > 0) {
    if (pushed || projected.iterations > 0) compute_positions(model_, q_, kin_);  // the holder has done so
    if (settings_.positions == RunSettings::Positions::kAfter) free_motion_.carry(kin_, v_new_);
    kinetic = compute_kinetic();
    if ((held > 0 || pushed) && keeper_.keep(system_, kin_, v_new_)) kinetic = compute_kinetic();
  }
  report.energy.projection = kinetic - moved;
  report.energy.transport += moved;
  report.energy.kinetic_change += kinetic;
  report.energy.scale = std::max({report.energy.scale, kinetic, moved});
  const PotentialEnergy potential = compute_potential_energy(model_, q_, state.t + h, kin_);
  report.energy.potential_change += potential.total();
  report.energy.lifted += potential.gravity;
  return true;
}

void SemiImplicitStepper::compute_forces(double t) {
  const MotionView view = system_.view(t);
  compute_applied_forces(view, applied_, forces_.applied);
  forces_.joint_spring.setZero(model_.nv);
  if (traits_.has_joint_springs) add_joint_spring_forces(model_, system_.view(t).q, forces_.joint_spring);

  forces_.gravity.setZero(model_.nv);
  if (traits_.are_all_free) {  // about their centres of mass: gravity is all there is
    for (const std::size_t b : traits_.free_bodies)
      forces_.gravity.segment<3>(model_.bodies[b].v0 + 3) = model_.bodies[b].inertia_J.m * model_.gravity;
    forces_.bias = -forces_.gravity;
    return;
  }

  const Kinematics<double>& kin = system_.kinematics();
  applied_.wrenches.resize(model_.bodies.size());
  for (std::size_t b = 0; b < model_.bodies.size(); ++b)
    applied_.wrenches[b] << kin.bodies[b].inertia.h.cross(model_.gravity),
        kin.bodies[b].inertia.m * model_.gravity;
  add_generalized_forces(model_, kin, applied_.wrenches, forces_.gravity);
  forces_.bias = -forces_.gravity;
  if (!free_motion_.leaves_out_trees()) return;

  // c as a force, but for tops
  kin_ = kin;
  compute_bias(model_, kin_, inverse_, forces_.bias);
  free_motion_.leave_to_tops(-forces_.gravity, forces_.bias);
}

void SemiImplicitStepper::prescribe(const State& state, double h) {
  // where positions move first they are at t + h already, and this speed takes them to t + 2 h
  const double end = state.t + (contacts_.moves_first ? 2.0 * h : h);
  for (const ModelMotion& motion : model_.motions) {
    if (motion.position)
      v_[motion.v] = (evaluate(*motion.position, end) - q_[motion.q]) / h;
    else if (motion.velocity)
      v_[motion.v] = evaluate(*motion.velocity, state.t + h);
    else
      v_[motion.v] = state.v[motion.v] + h * evaluate(*motion.acceleration, state.t + 0.5 * h);
  }
}

// ε and b of every row; rows that act to one side only are set apart, for the contacts.
void SemiImplicitStepper::make_row_equations(double h) {
  rows_.one_sided.clear();
  for (std::size_t i = 0; i < rows_.b.size(); ++i) {
    const IslandRows& rows = system_.rows(i);
    const Island& island = system_.islands().list[i];
    Eigen::VectorXd &epsilon = rows_.epsilon[i], &b = rows_.b[i], &constant = rows_.constant[i];
    epsilon.setZero(island.rows);
    constant.setZero(island.rows);
    b = rows.target;
    for (Eigen::Index r = 0; r < island.rows; ++r) {
      const int side = rows.side[at(r)];
      if (rows.is_rigid[at(r)]) {
        if (rows.level[at(r)] == RowLevel::kAcceleration) b[r] -= h * rows.bias[r];
      } else {
        const double kappa = rows.stiffness[r] * h * h + rows.damping[r] * h;
        const double first =
            rows.force[r] - h * rows.stiffness[r] * rows.target[r] - rows.damping[r] * row_speed(i, r);
        epsilon[r] = kappa > 0.0 ? 1.0 / kappa : kOff;
        b[r] = kappa > 0.0 ? -h * first / kappa : 0.0;
        // a force that does not change with the motion acts as it is
        if (kappa <= 0.0 && (side == 0 || -first * side > 0.0)) constant[r] = -h * first;
      }
      if (side == 0) continue;
      if (epsilon[r] != kOff)
        rows_.one_sided.push_back({static_cast<int>(i), static_cast<int>(r), side, epsilon[r], b[r]});
      epsilon[r] = kOff;
    }
  }
}

// J v of a row, with the velocity at hand
double SemiImplicitStepper::row_speed(std::size_t i, Eigen::Index r) const {
  double u = 0.0;
  for (const TreeRange& tree : system_.islands().list[i].trees) {
    const int length = tree.end - tree.begin;
    u += system_.rows(i).Jt.col(r).segment(tree.offset, length).dot(v_.segment(tree.begin, length));
  }
  return u;
}

// Without the contacts, then their impulses, then all together; again where a contact was left aside that
// closes.
bool SemiImplicitStepper::solve(StepReport& report) {
  const auto begin = std::chrono::steady_clock::now();
  if (const int massless = system_.factor_rows(rows_.epsilon); massless >= 0) {
    report.status = StepStatus::kMassless;
    report.message = describe_massless(model_, massless);
    return false;
  }
  if (!solve_bilateral(v_start_, momentum_.impulse, report)) return false;
  momentum_.v_free = v_;
  momentum_.rhs_free = momentum_.rhs;
  search_.leave_limits(v_start_, momentum_.v_free, contacts_);

  bool is_solved = solve_round(report);
  while (is_solved ? search_.take_missed(v_, contacts_)
                   : report.status == StepStatus::kUnsolved && !work_.meter().is_spent() &&
                         ContactSearch::take_all(contacts_)) {
    report.status = StepStatus::kSolved;
    is_solved = solve_round(report);
  }
  // rows that act both ways are solved by a factor: what it leaves above the tolerance is rounding
  if (is_solved && report.status == StepStatus::kSolved && report.residual > settings_.tolerance)
    report.status = StepStatus::kRounding;
  if (is_solved && wants_lead_) report.contact.lead = contact_solver_.find_lead_matrix(contacts_);
  report.times.solve = seconds_since(begin) - report.times.assembly;
  return is_solved;
}

// The contacts that are not aside: rows, impulses, v⁺, verdict.
bool SemiImplicitStepper::solve_round(StepReport& report) {
  const auto begin = std::chrono::steady_clock::now();
  assemble_contacts(contact_solver_.formulation(), rows_.one_sided, contacts_);
  contacts_.rows.finish();
  report.times.assembly += seconds_since(begin);
  return contacts_.is_empty() || solve_contacts(v_start_, report);
}

// From the velocity without contacts
bool SemiImplicitStepper::solve_contacts(const Eigen::VectorXd& v, StepReport& report) {
  work_.bound(contacts_.rows.size());
  contact_solver_.solve(v, momentum_.v_free, momentum_.rhs_free, work_.meter(), contacts_);
  report.work = work_.meter().spent();
  if (is_interrupted()) {
    report.status = StepStatus::kInterrupted;
    report.message = "interrupted";
    return false;
  }
  change_.setZero(model_.nv);
  contacts_.rows.add_forces(contacts_.r, change_);
  momentum_.rhs = momentum_.rhs_free + change_;
  change_ += momentum_.impulse;
  report.residual = 0.0;
  report.redundant_rows = 0;
  v_ = momentum_.v_free;
  if (!solve_bilateral(v, change_, report)) return false;
  settling_.settle(contacts_.rows, system_, momentum_.rhs_free, contacts_.r, v_);

  // the verdict is on the velocity that the step will take
  certify_contacts(demand_, v_, contacts_, report.contact);
  raise_worst(report.residual, report.contact.residual);
  if (!std::isfinite(report.residual)) {  // never taken, not even at its best
    refuse(fmt::format("the contact problem of {} has no finite residual",
                       describe_island(model_, contacts_, contacts_.worst)),
           report);
    return false;
  }
  return judge_islands(report);
}

// Whether the step goes on, by the verdicts on its islands.
bool SemiImplicitStepper::judge_islands(StepReport& report) {
  report.status = report.contact.unsolved_islands > 0   ? StepStatus::kAccepted
                  : report.contact.rounding_islands > 0 ? StepStatus::kRounding
                                                        : StepStatus::kSolved;
  if (report.status != StepStatus::kAccepted || settings_.on_unsolved == RunSettings::OnUnsolved::kAccept)
    return true;
  const std::size_t worst = contacts_.worst;
  const std::string why = work_.meter().is_spent() ? work_.describe_spent()
                          : contacts_.answers[worst].status == Status::kSolved
                              ? std::string("not solved: the velocities do not confirm what its solver says")
                              : fmt::format("not solved: {}", to_string(contacts_.answers[worst].status));
  report.status = StepStatus::kUnsolved;
  report.message =
      fmt::format("the contact problem of {} was {}, residual {:.2g} m/s",
                  describe_island(model_, contacts_, worst), why, contacts_.verdicts[worst].residual);
  return false;
}

// v⁺ with the rows that act both ways; `change` is momentum_.rhs without the momentum
bool SemiImplicitStepper::solve_bilateral(const Eigen::VectorXd& v, const Eigen::VectorXd& change,
                                          StepReport& report) {
  system_.solve(momentum_.rhs, change, v, rows_.b, v_);
  if (!is_bounded(v_)) {  // before residuals and projections are asked about numbers that are none
    refuse(describe_overflow(system_, t_, h_, v_), report);
    return false;
  }
  for (std::size_t i = 0; i < rows_.b.size(); ++i) {
    const ConstrainedInertia& inertia = system_.inertia(i);
    raise_worst(report.residual, inertia.residual());
    report.redundant_rows += static_cast<int>(inertia.redundant());
    if (inertia.residual() <= settings_.tolerance) continue;
    const double rounding = factor_rounding(inertia.measure_loads(rows_.b[i], v_, system_.multipliers(i)));
    if (!(inertia.residual() <= rounding)) {
      Eigen::Index worst = 0;
      inertia.residuals().cwiseAbs().maxCoeff(&worst);
      report.status = StepStatus::kInconsistent;
      report.message =
          fmt::format("the constraints contradict each other: {:.3g} m/s left of {}", inertia.residual(),
                      describe_row(model_, system_.islands().list[i], static_cast<int>(worst)));
      return false;
    }
  }
  return true;
}

// Forces of rows, and of the motors: what is missing along the prescribed speeds. Leaves M v⁺ in change_.
void SemiImplicitStepper::report_forces(double h) {
  row_force_.setZero(model_.nv);
  for (std::size_t i = 0; i < rows_.b.size(); ++i) {
    answers_.multipliers[i] = system_.multipliers(i) + rows_.constant[i];
    system_.add_row_forces(i, system_.multipliers(i), row_force_);
  }
  add_spring_impulses(contacts_, system_, answers_.multipliers);
  for (Eigen::VectorXd& force : answers_.multipliers) force /= h;
  answers_.limit_forces.setZero(model_.nv);
  add_limit_forces(model_, contacts_, answers_.limit_forces);
  system_.M().multiply(v_, change_);
  for (const ModelMotion& motion : model_.motions)
    answers_.motor_forces[motion.v] = (change_[motion.v] + forces_.extra[motion.v] * v_[motion.v] -
                                       momentum_.rhs[motion.v] - row_force_[motion.v]) /
                                      h;
}

// From q_ and v, where the system stands, to q_ and v_new_ a step later, without forces.
bool SemiImplicitStepper::fly(const Eigen::VectorXd& v, double h, StepReport& report) {
  v_new_ = v;
  const int body = free_motion_.move(system_.kinematics(), h, q_, v_new_);
  flight_.motors = h * v.dot(free_motion_.motor_forces());
  if (body < 0) return true;
  report.status = StepStatus::kNotFinite;
  report.message = fmt::format(
      "body \"{}\" cannot be followed through one step of {:g} s: it turns too far, or a joint meets no "
      "inertia. Take a "
      "shorter step",
      model_.bodies[at(body)].name, h);
  return false;
}

// Of v_new_, at the positions of kin_.
double SemiImplicitStepper::compute_kinetic() {
  compute_velocities(model_, v_new_, kin_);
  return compute_kinetic_energy(model_, kin_, v_new_);
}

// Needs M at q, and M v⁺ in change_; finish_positions() adds what belongs to the new state.
void SemiImplicitStepper::fill_ledger(double t, double h, StepReport& report) {
  EnergyLedger& energy = report.energy;
  energy.applied = h * v_.dot(forces_.applied + forces_.gravity);
  energy.motors = h * v_.dot(answers_.motor_forces);
  for (std::size_t i = 0; i < rows_.b.size(); ++i) {
    const IslandRows& rows = system_.rows(i);
    for (Eigen::Index r = 0; r < answers_.multipliers[i].size(); ++r)
      (rows.is_rigid[static_cast<std::size_t>(r)] ? energy.bilateral : energy.relaxation) +=
          h * answers_.multipliers[i][r] * row_speed(i, r);
  }
  if (traits_.has_joint_springs)
    energy.relaxation += h * v_.dot(forces_.joint_spring) - v_.dot(forces_.extra.cwiseProduct(v_));
  const double kinetic_at_q = 0.5 * v_.dot(change_);
  energy.transport = -kinetic_at_q - h * v_.dot(forces_.bias + forces_.gravity);
  change_ -= momentum_.before;  // M (v⁺ − v)
  energy.numerical = -0.5 * change_.dot(v_ - v_start_);
  const double kinetic = 0.5 * v_start_.dot(momentum_.before);
  energy.kinetic_change = -kinetic;
  energy.scale = std::max({energy.scale, kinetic, kinetic_at_q,
                           h * v_.cwiseProduct(forces_.applied + forces_.gravity).cwiseAbs().sum()});
  if (!contacts_.is_empty()) energy.reach = contacts_.r.lpNorm<1>() * v_.cwiseAbs().maxCoeff();
  const PotentialEnergy potential = compute_potential_energy(model_, q_, t, system_.kinematics());
  energy.potential_change = flight_.potential - potential.total();
  energy.lifted = -potential.gravity;
  // positions that move first have moved by the velocity before: what is left for them is what is pushed out
  if (settings_.positions == RunSettings::Positions::kAfter) energy.lifted += h * v_.dot(forces_.gravity);
}

// A step that makes energy from nothing is not solved, however small its residuals.
bool SemiImplicitStepper::judge_energy(StepReport& report) const {
  const double made = report.energy.relative_made();
  if (made <= kMostEnergyMade) return true;
  if (settings_.on_unsolved == RunSettings::OnUnsolved::kAccept) {
    report.status = StepStatus::kAccepted;
    return true;
  }
  report.status = StepStatus::kEnergy;
  report.message = fmt::format(
      "the step would make {:.3g} J of energy from nothing, {:.2g} % of what moves: it is too long for how "
      "fast joints "
      "turn. Take a shorter step",
      report.energy.made(), 100.0 * made);
  return false;
}

}  // namespace rigor
