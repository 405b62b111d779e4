#include "rigor/stepping/runge_kutta4.hpp"

#include <cmath>
#include <limits>

#include "rigor/dynamics/assembly.hpp"
#include "rigor/dynamics/energy.hpp"

namespace rigor {

RungeKutta4Stepper::RungeKutta4Stepper(const Model& model)
    : model_(model), system_(model), projector_(system_) {
  const std::size_t islands = system_.islands().list.size();
  epsilon_.resize(islands);
  b_.resize(islands);
  elastic_.resize(islands);
  forces_.resize(islands);
  zero_.setZero(model.nv);
  motor_forces_.setZero(model.nv);
}

void RungeKutta4Stepper::prescribe(double t, Eigen::VectorXd& a) const {
  for (const ModelMotion& motion : model_.motions) {
    if (motion.position)
      a[motion.v] = evaluate_jet(*motion.position, t).second;
    else if (motion.velocity)
      a[motion.v] = evaluate_jet(*motion.velocity, t).first;
    else
      a[motion.v] = evaluate(*motion.acceleration, t);
  }
}

bool RungeKutta4Stepper::compute_acceleration(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                              Eigen::VectorXd& a, StepReport& report) {
  system_.set_motion(q, v);
  system_.compute_rows(t);
  system_.compute_inertia(zero_);

  // all forces but those of the rigid rows
  compute_applied_forces(system_.view(t), applied_, force_);
  add_joint_spring_forces(model_, q, force_);
  for (const ModelBody& body : model_.bodies)
    force_.segment(body.v0, body.nv) -= body.damping * v.segment(body.v0, body.nv);
  kin_ = system_.kinematics();
  compute_bias(model_, kin_, inverse_, bias_);
  force_ -= bias_;
  for (std::size_t i = 0; i < b_.size(); ++i) {
    const IslandRows& rows = system_.rows(i);
    epsilon_[i].setZero(rows.error.size());
    elastic_[i].setZero(rows.error.size());
    b_[i] = -rows.bias;
    for (Eigen::Index r = 0; r < rows.error.size(); ++r) {
      const auto row = static_cast<std::size_t>(r);
      if (rows.is_rigid[row]) continue;
      epsilon_[i][r] = std::numeric_limits<double>::infinity();
      b_[i][r] = 0.0;
      if (rows.side[row] == 0 || -rows.force[r] * rows.side[row] > 0.0) elastic_[i][r] = -rows.force[r];
    }
    system_.add_row_forces(i, elastic_[i], force_);
  }

  const int massless = system_.factor_rows(epsilon_);
  if (massless >= 0) {
    report.status = StepStatus::kMassless;
    report.message =
        describe_speed(model_, massless) + " can move without moving any mass, and no constraint holds it";
    return false;
  }
  a.setZero(model_.nv);
  prescribe(t, a);
  system_.solve(force_, b_, a);
  row_force_.setZero(model_.nv);
  for (std::size_t i = 0; i < b_.size(); ++i) {
    report.residual = std::max(report.residual, system_.inertia(i).residual());
    forces_[i] = system_.multipliers(i) + elastic_[i];
    system_.add_row_forces(i, system_.multipliers(i), row_force_);
  }
  system_.M().multiply(a, product_);
  for (const ModelMotion& motion : model_.motions)
    motor_forces_[motion.v] = product_[motion.v] - force_[motion.v] - row_force_[motion.v];
  return true;
}

StepReport RungeKutta4Stepper::step(State& state, double h) {
  require(h > 0.0, "step: h = {} s, must be > 0.", h);
  StepReport report;
  static constexpr double kNode[4] = {0.0, 0.5, 0.5, 1.0};
  static constexpr double kWeight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  for (int stage = 0; stage < 4; ++stage) {
    q_ = state.q;
    v_ = state.v;
    if (stage > 0) {
      q_ += h * kNode[stage] * q_dot_[stage - 1];
      v_ += h * kNode[stage] * v_dot_[stage - 1];
    }
    // Γ is linear in the quaternion, whose length its flow keeps: smooth off the sphere too, so the order
    // stays
    compute_q_dot(model_, q_, v_, q_dot_[stage]);
    normalize(model_, q_);
    if (!compute_acceleration(state.t + kNode[stage] * h, q_, v_, v_dot_[stage], report)) return report;
    if (stage == 0) {
      forces_at_start_ = forces_;
      motor_forces_at_start_ = motor_forces_;
    }
  }
  q_ = state.q;
  v_ = state.v;
  for (int stage = 0; stage < 4; ++stage) {
    q_ += h * kWeight[stage] * q_dot_[stage];
    v_ += h * kWeight[stage] * v_dot_[stage];
  }
  normalize(model_, q_);
  if (!q_.allFinite() || !v_.allFinite()) {
    report.status = StepStatus::kNotFinite;
    report.message = "numbers overflowed. Take a shorter step, or run.method semi-implicit for stiff springs";
    return report;
  }

  // back onto the constraints
  projector_.set_prescribed(state.t + h, q_, v_);
  const ProjectionResult positions = projector_.project_positions(state.t + h, q_);
  const ProjectionResult velocities = projector_.project_velocities(state.t + h, q_, v_);
  report.projections = positions.iterations;
  report.constraint_error = positions.error;
  if (!positions.ok || !velocities.ok) {
    report.status = StepStatus::kInconsistent;
    const auto left = projector_.list_violations(1e-10);
    report.message = fmt::format("the state cannot be brought onto the constraints: {:.3g} left of {}",
                                 positions.ok ? velocities.error : positions.error,
                                 left.empty() ? "them" : left.front().row);
    return report;
  }
  state.t += h;
  state.q = q_;
  state.v = v_;
  return report;
}

}  // namespace rigor
