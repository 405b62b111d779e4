#include "rigor/stepping/semi_implicit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "rigor/dynamics/assembly.hpp"
#include "rigor/dynamics/energy.hpp"

namespace rigor {
namespace {

constexpr double kOff = std::numeric_limits<double>::infinity();

// A residual of rows above this is a contradiction, not rounding; relative to the speeds around.
constexpr double kInconsistent = 1e-8;

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
      system_(model),
      projector_(system_),
      settings_(settings),
      contacts_(model, settings, system_) {
  std::vector<char> carries(model.bodies.size(), 0);
  for (const ModelBody& body : model.bodies) carries[static_cast<std::size_t>(body.parent)] = 1;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    const bool is_prescribed =
        std::any_of(system_.is_fixed().begin() + body.v0, system_.is_fixed().begin() + body.v0 + body.nv,
                    [](char fixed) { return fixed; });
    if (body.type == JointType::kFree && body.parent == kWorldIndex && !carries[b] && body.armature == 0.0 &&
        !is_prescribed)
      free_bodies_.push_back(b);
  }
  std::copy_if(free_bodies_.begin(), free_bodies_.end(), std::back_inserter(tumbling_),
               [&](std::size_t b) { return !model.bodies[b].inertia_J.is_round(); });
  angular_momentum_.resize(tumbling_.size());
  are_all_free_ = free_bodies_.size() + 1 == model.bodies.size() &&
                  std::all_of(free_bodies_.begin(), free_bodies_.end(), [&](std::size_t b) {
                    return is_plain(model.bodies[b]) && model.bodies[b].inertia_J.h.isZero(0.0);
                  });
  has_joint_springs_ = std::any_of(model.bodies.begin(), model.bodies.end(), [](const ModelBody& body) {
    return body.damping != 0.0 || body.stiffness != 0.0;
  });
  const std::size_t islands = system_.islands().list.size();
  epsilon_.resize(islands);
  one_sided_epsilon_.resize(islands);
  b_.resize(islands);
  explicit_.resize(islands);
  forces_.resize(islands);
  zero_.setZero(model.nv);
  motor_forces_.setZero(model.nv);
  extra_.setZero(model.nv);
  is_autonomous_ = is_autonomous(model);
}

bool SemiImplicitStepper::repeats(const State& state, double h) const {
  return is_fixed_point_ && h == last_h_ && state.q == q_ && state.v == v_new_ &&
         state.contacts == contacts_.last_memory();
}

std::vector<Problem> SemiImplicitStepper::make_contact_problems() {
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < contacts_.island_count(); ++i) problems.push_back(contacts_.make_problem(i));
  return problems;
}

StepReport SemiImplicitStepper::step(State& state, double h) {
  require(h > 0.0, "step: h = {} s, must be > 0.", h);
  StepReport report;
  const auto start = std::chrono::steady_clock::now();
  if (reuses_ && repeats(state, h)) {
    state.t += h;
    report = last_report_;
    report.times = {};
    report.times.rest = seconds_since(start);
    return report;
  }
  is_fixed_point_ = false;
  last_h_ = h;
  q_ = state.q;
  v_ = state.v;

  // the motion now: forces, contacts, inertia, equations
  system_.set_motion(state.q, state.v);
  compute_forces(state.t);
  if (settings_.positions == RunSettings::Positions::kBefore) {
    change_ = h * v_;
    move(model_, change_, q_);
    system_.set_motion(q_, state.v);
  }
  contacts_.find(state, h);
  report.times.collision = seconds_since(start);
  if (has_joint_springs_)
    for (const ModelBody& body : model_.bodies)
      extra_.segment(body.v0, body.nv).setConstant(h * body.damping + h * h * body.stiffness);
  system_.compute_inertia(extra_);
  system_.compute_rows(state.t + h);
  make_row_equations(h);

  // v⁺ and the impulses
  prescribe(state, h);
  system_.M().multiply(state.v, momentum_);
  impulse_ = h * (applied_force_ - bias_ + joint_spring_);
  rhs_ = momentum_ + impulse_;
  if (has_joint_springs_) impulse_ -= extra_.cwiseProduct(state.v);
  for (std::size_t i = 0; i < b_.size(); ++i) system_.add_row_forces(i, explicit_[i], rhs_);
  make_one_sided_rows(state, h);
  if (!solve(state, h, report)) return report;
  report_forces(h);
  contacts_.judge(v_, h, report);
  fill_ledger(state, h, report);

  // q⁺, and what belongs to it
  if (!finish_positions(state, h, report)) return report;
  const bool is_still = is_autonomous_ && v_new_.isZero(0.0) && state.v == v_new_ && state.q == q_;
  state.t += h;
  state.q = q_;
  state.v = v_new_;
  contacts_.remember(kin_, state, report);
  is_fixed_point_ = is_still && state.contacts == contacts_.last_memory();
  report.times.rest =
      seconds_since(start) - report.times.collision - report.times.assembly - report.times.solve;
  if (is_fixed_point_) last_report_ = report;
  return report;
}

// Moves, takes overlap and errors of constraints back, and books what that does to the kinetic energy.
bool SemiImplicitStepper::finish_positions(const State& state, double h, StepReport& report) {
  if (settings_.positions == RunSettings::Positions::kAfter) {
    change_ = h * v_;
    move(model_, change_, q_);
  }
  for (std::size_t k = 0; k < tumbling_.size(); ++k) {
    const std::size_t b = tumbling_[k];
    angular_momentum_[k] = system_.kinematics().bodies[b].inertia.I * v_.segment<3>(model_.bodies[b].v0);
  }
  const double moved = carry_angular_momentum();
  const bool pushed = contacts_.push_out(h, q_, report);
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
  const double kinetic = pushed || projected.iterations > 0 ? carry_angular_momentum() : moved;
  report.energy.projection = kinetic - moved;
  report.energy.transport += moved;
  report.energy.kinetic_change += kinetic;
  report.energy.scale = std::max({report.energy.scale, kinetic, moved});
  report.energy.potential_change += compute_potential_energy(model_, q_, state.t + h, kin_).total();
  return true;
}

void SemiImplicitStepper::compute_forces(double t) {
  const MotionView view = system_.view(t);
  compute_applied_forces(view, applied_, applied_force_);
  joint_spring_.setZero(model_.nv);
  if (has_joint_springs_) add_joint_spring_forces(model_, system_.view(t).q, joint_spring_);

  gravity_.setZero(model_.nv);
  if (are_all_free_) {  // about their centres of mass: gravity is all there is
    for (const std::size_t b : free_bodies_)
      gravity_.segment<3>(model_.bodies[b].v0 + 3) = model_.bodies[b].inertia_J.m * model_.gravity;
    bias_ = -gravity_;
    return;
  }

  // bias with gravity, then the two apart: gravity's work is an item of its own
  kin_ = system_.kinematics();
  compute_bias(model_, kin_, inverse_, bias_);
  for (const std::size_t b : free_bodies_) {
    const BodyKinematics<double>& body = kin_.bodies[b];
    const Eigen::Vector3d w = body.angular_velocity();
    bias_.segment<3>(model_.bodies[b].v0) -= w.cross(body.inertia.I * w);
  }
  applied_.wrenches.resize(model_.bodies.size());
  for (std::size_t b = 0; b < model_.bodies.size(); ++b)
    applied_.wrenches[b] << kin_.bodies[b].inertia.h.cross(model_.gravity),
        kin_.bodies[b].inertia.m * model_.gravity;
  add_generalized_forces(model_, kin_, applied_.wrenches, gravity_);
}

void SemiImplicitStepper::prescribe(const State& state, double h) {
  for (const ModelMotion& motion : model_.motions) {
    if (motion.position)
      v_[motion.v] = (evaluate(*motion.position, state.t + h) - state.q[motion.q]) / h;
    else if (motion.velocity)
      v_[motion.v] = evaluate(*motion.velocity, state.t + h);
    else
      v_[motion.v] = state.v[motion.v] + h * evaluate(*motion.acceleration, state.t + 0.5 * h);
  }
}

// b and ε of every row
void SemiImplicitStepper::make_row_equations(double h) {
  for (std::size_t i = 0; i < b_.size(); ++i) {
    const IslandRows& rows = system_.rows(i);
    const Island& island = system_.islands().list[i];
    epsilon_[i].setZero(island.rows);
    explicit_[i].setZero(island.rows);
    b_[i] = rows.target;
    for (Eigen::Index r = 0; r < island.rows; ++r) {
      const auto row = static_cast<std::size_t>(r);
      if (rows.is_rigid[row]) {
        if (rows.level[row] == RowLevel::kAcceleration) b_[i][r] -= h * rows.bias[r];
        continue;
      }
      const double kappa = rows.stiffness[r] * h * h + rows.damping[r] * h;
      const double first =
          rows.force[r] - h * rows.stiffness[r] * rows.target[r] - rows.damping[r] * row_speed(i, r);
      if (kappa > 0.0) {
        epsilon_[i][r] = 1.0 / kappa;
        b_[i][r] = -h * first / kappa;
      } else {  // a force that does not change with the motion acts as it is
        epsilon_[i][r] = kOff;
        b_[i][r] = 0.0;
        if (rows.side[row] == 0 || -first * rows.side[row] > 0.0) explicit_[i][r] = -h * first;
      }
    }
    // one-sided springs are solved with the contacts
    one_sided_epsilon_[i] = epsilon_[i];
    for (Eigen::Index r = 0; r < island.rows; ++r)
      if (rows.side[static_cast<std::size_t>(r)] != 0) epsilon_[i][r] = kOff;
  }
}

void SemiImplicitStepper::make_one_sided_rows(const State& state, double h) {
  contacts_.make_rows(state, h);
  for (std::size_t i = 0; i < b_.size(); ++i) {
    const IslandRows& rows = system_.rows(i);
    for (Eigen::Index r = 0; r < one_sided_epsilon_[i].size(); ++r) {
      const int side = rows.side[static_cast<std::size_t>(r)];
      if (side != 0 && one_sided_epsilon_[i][r] != kOff)
        contacts_.add_spring(static_cast<int>(i), static_cast<int>(r), side, one_sided_epsilon_[i][r],
                             b_[i][r]);
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
bool SemiImplicitStepper::solve(const State& state, double h, StepReport& report) {
  const auto start = std::chrono::steady_clock::now();
  const int massless = system_.factor_rows(epsilon_);
  if (massless >= 0) {
    report.status = StepStatus::kMassless;
    report.message = describe_massless(model_, massless);
    return false;
  }
  if (!solve_bilateral(state.v, impulse_, report)) return false;
  contacts_.finish_rows();
  report.times.assembly = seconds_since(start);
  v_free_ = v_;
  rhs_free_ = rhs_;
  bool is_solved = solve_contacts(state.v, h, report);
  while (is_solved ? contacts_.take_missed(v_, h)
                   : report.status == StepStatus::kUnsolved && contacts_.take_all()) {
    report.status = StepStatus::kSolved;
    make_one_sided_rows(state, h);
    contacts_.finish_rows();
    is_solved = solve_contacts(state.v, h, report);
  }
  if (is_solved && !contacts_.is_empty()) contacts_.settle(rhs_free_, v_);
  report.times.solve = seconds_since(start) - report.times.assembly;
  return is_solved;
}

// From the velocity without contacts
bool SemiImplicitStepper::solve_contacts(const Eigen::VectorXd& v, double h, StepReport& report) {
  if (contacts_.is_empty()) return true;
  if (!contacts_.solve(v, v_free_, rhs_free_, h, report)) return false;
  change_.setZero(model_.nv);
  contacts_.add_forces(change_);
  rhs_ = rhs_free_ + change_;
  change_ += impulse_;
  report.residual = 0.0;
  report.redundant_rows = 0;
  v_ = v_free_;
  const bool solved = solve_bilateral(v, change_, report);
  report.residual = std::max(report.residual, report.contact.residual);
  return solved;
}

// v⁺ with the rows that act both ways; `change` is rhs_ without the momentum
bool SemiImplicitStepper::solve_bilateral(const Eigen::VectorXd& v, const Eigen::VectorXd& change,
                                          StepReport& report) {
  system_.solve(rhs_, change, v, b_, v_);
  if (!v_.allFinite()) {  // before residuals and projections are asked about numbers that are none
    report.status = StepStatus::kNotFinite;
    report.message = "numbers overflowed. Take a shorter step";
    return false;
  }
  for (std::size_t i = 0; i < b_.size(); ++i) {
    const ConstrainedInertia& inertia = system_.inertia(i);
    report.residual = std::max(report.residual, inertia.residual());
    report.redundant_rows += static_cast<int>(inertia.redundant());
    if (inertia.residual() > kInconsistent * (1.0 + v_.cwiseAbs().maxCoeff())) {
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
  for (std::size_t i = 0; i < b_.size(); ++i) {
    forces_[i] = system_.multipliers(i) + explicit_[i];
    system_.add_row_forces(i, system_.multipliers(i), row_force_);
  }
  contacts_.add_spring_impulses(forces_);
  for (Eigen::VectorXd& force : forces_) force /= h;
  system_.M().multiply(v_, change_);
  for (const ModelMotion& motion : model_.motions)
    motor_forces_[motion.v] =
        (change_[motion.v] + extra_[motion.v] * v_[motion.v] - rhs_[motion.v] - row_force_[motion.v]) / h;
}

// Kinematics at q_ with the velocity that belongs to it; returns the kinetic energy.
double SemiImplicitStepper::carry_angular_momentum() {
  v_new_ = v_;
  compute_positions(model_, q_, kin_);
  for (std::size_t k = 0; k < tumbling_.size(); ++k) {
    const std::size_t b = tumbling_[k];
    const Eigen::Vector3d& L = angular_momentum_[k];
    if (L[0] == 0.0 && L[1] == 0.0 && L[2] == 0.0)
      v_new_.segment<3>(model_.bodies[b].v0).setZero();
    else
      v_new_.segment<3>(model_.bodies[b].v0) = kin_.bodies[b].inertia.I.llt().solve(L);
  }
  compute_velocities(model_, v_new_, kin_);
  return compute_kinetic_energy(model_, kin_, v_new_);
}

// Needs M at q, and M v⁺ in change_; finish_positions() adds what belongs to the new state.
void SemiImplicitStepper::fill_ledger(const State& state, double h, StepReport& report) {
  EnergyLedger& energy = report.energy;
  energy.applied = h * v_.dot(applied_force_ + gravity_);
  energy.motors = h * v_.dot(motor_forces_);
  for (std::size_t i = 0; i < b_.size(); ++i) {
    const IslandRows& rows = system_.rows(i);
    for (Eigen::Index r = 0; r < forces_[i].size(); ++r)
      (rows.is_rigid[static_cast<std::size_t>(r)] ? energy.bilateral : energy.relaxation) +=
          h * forces_[i][r] * row_speed(i, r);
  }
  if (has_joint_springs_) energy.relaxation += h * v_.dot(joint_spring_) - v_.dot(extra_.cwiseProduct(v_));
  const double kinetic_at_q = 0.5 * v_.dot(change_);
  energy.transport = -kinetic_at_q - h * v_.dot(bias_ + gravity_);
  change_ -= momentum_;  // M (v⁺ − v)
  energy.numerical = -0.5 * change_.dot(v_ - state.v);
  const double kinetic = 0.5 * state.v.dot(momentum_);
  energy.kinetic_change = -kinetic;
  energy.scale = std::max(
      {energy.scale, kinetic, kinetic_at_q, h * v_.cwiseProduct(applied_force_ + gravity_).cwiseAbs().sum()});
  energy.potential_change = -compute_potential_energy(model_, state.q, state.t, system_.kinematics()).total();
}

}  // namespace rigor
