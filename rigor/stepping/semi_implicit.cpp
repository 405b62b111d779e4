#include "rigor/stepping/semi_implicit.hpp"

#include <cmath>
#include <limits>

#include "rigor/dynamics/assembly.hpp"
#include "rigor/dynamics/energy.hpp"

namespace rigor {
namespace {

constexpr double kOff = std::numeric_limits<double>::infinity();

// A residual of rows above this is a contradiction, not rounding; relative to the speeds around.
constexpr double kInconsistent = 1e-8;

// In the first rounds every one-sided spring that is on the wrong side is switched, then only the first.
constexpr int kGreedyRounds = 5;
constexpr int kMaxRounds = 1000;

}  // namespace

SemiImplicitStepper::SemiImplicitStepper(const Model& model)
    : model_(model), system_(model), projector_(system_) {
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
  angular_momentum_.resize(free_bodies_.size());
  const std::size_t islands = system_.islands().list.size();
  epsilon_.resize(islands);
  full_epsilon_.resize(islands);
  b_.resize(islands);
  explicit_.resize(islands);
  forces_.resize(islands);
  zero_.setZero(model.nv);
  motor_forces_.setZero(model.nv);
  extra_.setZero(model.nv);
}

StepReport SemiImplicitStepper::step(State& state, double h) {
  require(h > 0.0, "step: h = {} s, must be > 0.", h);
  StepReport report;
  q_ = state.q;
  v_ = state.v;

  // the motion now: forces, inertia, equations
  system_.set_motion(state.q, state.v);
  compute_forces(state.t);
  for (const ModelBody& body : model_.bodies)
    extra_.segment(body.v0, body.nv).setConstant(h * body.damping + h * h * body.stiffness);
  system_.compute_inertia(extra_);
  system_.compute_rows(state.t + h);
  make_row_equations(h);

  // v⁺ and the impulses
  prescribe(state, h);
  system_.M().multiply(state.v, momentum_);
  rhs_ = momentum_ + h * (applied_force_ - bias_ + joint_spring_);
  for (std::size_t i = 0; i < b_.size(); ++i) system_.add_row_forces(i, explicit_[i], rhs_);
  if (!solve(report)) return report;
  report_forces(h);

  // q⁺, and what belongs to it
  change_ = h * v_;
  move(model_, change_, q_);
  v_new_ = v_;
  for (std::size_t k = 0; k < free_bodies_.size(); ++k) {
    const std::size_t b = free_bodies_[k];
    angular_momentum_[k] = system_.kinematics().bodies[b].inertia.I * v_.segment<3>(model_.bodies[b].v0);
  }
  fill_ledger(state, h, report);  // what needs M at q, before the projection overwrites the system
  const ProjectionResult projected = projector_.project_positions(state.t + h, q_);
  report.projections = projected.iterations;
  report.constraint_error = projected.error;
  if (!projected.ok) {
    report.status = StepStatus::kInconsistent;
    const auto left = projector_.list_violations(1e-10);
    report.message = fmt::format("positions cannot be brought onto the constraints: {:.3g} left of {}",
                                 projected.error, left.empty() ? "them" : left.front().row);
    return report;
  }
  carry_angular_momentum();
  compute_velocities(model_, v_new_, kin_);
  const double kinetic = compute_kinetic_energy(model_, kin_, v_new_);
  report.energy.kinetic_change += kinetic;
  report.energy.kinetic = std::max(report.energy.kinetic, kinetic);
  report.energy.transport += kinetic;
  report.energy.potential_change += compute_potential_energy(model_, q_, state.t + h, kin_).total();

  state.t += h;
  state.q = q_;
  state.v = v_new_;
  return report;
}

void SemiImplicitStepper::compute_forces(double t) {
  const MotionView view = system_.view(t);
  compute_applied_forces(view, applied_, applied_force_);
  joint_spring_.setZero(model_.nv);
  add_joint_spring_forces(model_, system_.view(t).q, joint_spring_);

  // bias with gravity, then the two apart: gravity's work is an item of its own
  kin_ = system_.kinematics();
  compute_bias(model_, kin_, inverse_, bias_);
  for (const std::size_t b : free_bodies_) {
    const BodyKinematics<double>& body = kin_.bodies[b];
    const Eigen::Vector3d w = body.angular_velocity();
    bias_.segment<3>(model_.bodies[b].v0) -= w.cross(body.inertia.I * w);
  }
  gravity_.setZero(model_.nv);
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
    full_epsilon_[i] = epsilon_[i];
    // a one-sided spring starts where its force would be now
    for (Eigen::Index r = 0; r < island.rows; ++r) {
      const int side = rows.side[static_cast<std::size_t>(r)];
      if (side != 0 && -rows.force[r] * side < 0.0) epsilon_[i][r] = kOff;
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

bool SemiImplicitStepper::solve(StepReport& report) {
  const int massless = system_.factor_rows(epsilon_);
  if (massless >= 0) {
    report.status = StepStatus::kMassless;
    report.message = describe_massless(model_, massless);
    return false;
  }
  system_.solve(rhs_, b_, v_);
  if (!v_.allFinite()) {  // before residuals and projections are asked about numbers that are none
    report.status = StepStatus::kNotFinite;
    report.message = "numbers overflowed. Take a shorter step";
    return false;
  }
  for (std::size_t i = 0; i < b_.size(); ++i) {
    for (int round = 0; round < kMaxRounds && switch_one_sided(i, round); ++round) {
      if (system_.factor_island(i, epsilon_[i]) >= 0) break;
      system_.solve_island(i, b_[i], v_);
    }
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

// A spring that only pulls has p ≤ 0, and where p = 0 its row must not ask for a pull; likewise one that only
// pushes.
bool SemiImplicitStepper::switch_one_sided(std::size_t i, int round) {
  const IslandRows& rows = system_.rows(i);
  const Island& island = system_.islands().list[i];
  bool changed = false;
  for (Eigen::Index r = 0; r < island.rows; ++r) {
    const int side = rows.side[static_cast<std::size_t>(r)];
    if (side == 0 || full_epsilon_[i][r] == kOff) continue;
    bool wrong = false;
    if (epsilon_[i][r] == kOff) {
      wrong = (b_[i][r] - row_speed(i, r)) * side > 0.0;  // p = (b − u)/ε would have the allowed sign
    } else {
      wrong = system_.multipliers(i)[r] * side < 0.0;
    }
    if (!wrong) continue;
    epsilon_[i][r] = epsilon_[i][r] == kOff ? full_epsilon_[i][r] : kOff;
    changed = true;
    if (round >= kGreedyRounds) break;
  }
  return changed;
}

// Forces of rows, and of the motors: what is missing along the prescribed speeds.
void SemiImplicitStepper::report_forces(double h) {
  row_force_.setZero(model_.nv);
  for (std::size_t i = 0; i < b_.size(); ++i) {
    forces_[i] = (system_.multipliers(i) + explicit_[i]) / h;
    system_.add_row_forces(i, system_.multipliers(i), row_force_);
  }
  system_.M().multiply(v_, change_);
  for (const ModelMotion& motion : model_.motions)
    motor_forces_[motion.v] =
        (change_[motion.v] + extra_[motion.v] * v_[motion.v] - rhs_[motion.v] - row_force_[motion.v]) / h;
}

void SemiImplicitStepper::carry_angular_momentum() {
  compute_positions(model_, q_, kin_);
  for (std::size_t k = 0; k < free_bodies_.size(); ++k) {
    const std::size_t b = free_bodies_[k];
    v_new_.segment<3>(model_.bodies[b].v0) = kin_.bodies[b].inertia.I.llt().solve(angular_momentum_[k]);
  }
}

// Needs M at q; step() adds what belongs to the new state.
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
  energy.relaxation += h * v_.dot(joint_spring_) - v_.dot(extra_.cwiseProduct(v_));
  system_.M().multiply(v_, change_);
  const double kinetic_at_q = 0.5 * v_.dot(change_);
  energy.transport = -kinetic_at_q - h * v_.dot(bias_ + gravity_);
  change_ -= momentum_;  // M (v⁺ − v)
  energy.numerical = -0.5 * change_.dot(v_ - state.v);
  const double kinetic = 0.5 * state.v.dot(momentum_);
  energy.kinetic_change = -kinetic;
  energy.kinetic = kinetic;
  energy.potential_change = -compute_potential_energy(model_, state.q, state.t, system_.kinematics()).total();
}

}  // namespace rigor
