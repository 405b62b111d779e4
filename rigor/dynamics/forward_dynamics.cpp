#include "rigor/dynamics/forward_dynamics.hpp"

#include <limits>

#include "rigor/dynamics/constraint_rows.hpp"
#include "rigor/dynamics/energy.hpp"

namespace rigor {

ForwardDynamics::ForwardDynamics(const Model& model) : model_(model), system_(model) {
  const std::size_t islands = system_.islands().list.size();
  epsilon_.resize(islands);
  b_.resize(islands);
  elastic_.resize(islands);
  forces_.resize(islands);
  zero_.setZero(model.nv);
  motor_forces_.setZero(model.nv);
}

void ForwardDynamics::prescribe(double t) {
  a_.setZero(model_.nv);
  for (const ModelMotion& motion : model_.motions) {
    if (motion.position)
      a_[motion.v] = evaluate_jet(*motion.position, t).second;
    else if (motion.velocity)
      a_[motion.v] = evaluate_jet(*motion.velocity, t).first;
    else
      a_[motion.v] = evaluate(*motion.acceleration, t);
  }
}

// All forces but those of the rigid rows; the rows' b and ε.
void ForwardDynamics::compute_forces(const KnownForces* known) {
  const MotionView view = system_.view(t_);
  compute_applied_forces(view, applied_, force_);
  add_joint_spring_forces(model_, view.q, force_);
  for (const ModelBody& body : model_.bodies)
    force_.segment(body.v0, body.nv) -= body.damping * view.v.segment(body.v0, body.nv);
  kin_ = system_.kinematics();
  compute_bias(model_, kin_, inverse_, bias_);
  force_ -= bias_;
  known_wrenches_.clear();
  if (known) {
    force_ += known->along;
    known_wrenches_ = known->wrenches;
    add_generalized_forces(model_, kin_, known_wrenches_, force_);
    known_wrenches_ = known->wrenches;
  }
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
      const bool acts = rows.side[row] == 0 || -rows.force[r] * rows.side[row] > 0.0;
      if (acts) elastic_[i][r] = -rows.force[r];
    }
    system_.add_row_forces(i, elastic_[i], force_);
  }
}

int ForwardDynamics::compute(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                             const KnownForces* known) {
  t_ = t;
  system_.set_motion(q, v);
  system_.compute_rows(t);
  system_.compute_inertia(zero_);
  compute_forces(known);
  if (const int massless = system_.factor_rows(epsilon_); massless >= 0) return massless;
  prescribe(t);
  system_.solve(force_, b_, a_);

  row_force_.setZero(model_.nv);
  residual_ = 0.0;
  for (std::size_t i = 0; i < b_.size(); ++i) {
    residual_ = std::max(residual_, system_.inertia(i).residual());
    forces_[i] = system_.multipliers(i) + elastic_[i];
    system_.add_row_forces(i, system_.multipliers(i), row_force_);
  }
  system_.M().multiply(a_, product_);
  for (const ModelMotion& motion : model_.motions)
    motor_forces_[motion.v] = product_[motion.v] - force_[motion.v] - row_force_[motion.v];
  return -1;
}

void ForwardDynamics::add_row_wrenches(const RowBlock& block, const Eigen::VectorXd& lambda) {
  const MotionView view = system_.view(t_);
  const auto index = static_cast<std::size_t>(block.index);
  ForceSink& sink = applied_.sink;
  const auto add_pair = [&](BodyIndex a, BodyIndex b, const PairRow& row, double value) {
    sink.add_wrench(a, row.on_a * value);
    sink.add_wrench(b, row.on_b * value);
  };
  switch (block.source) {
    case RowSource::kConstraint: {
      PairRows rows;
      const ModelConstraint& constraint = model_.constraints[index];
      compute_pair_rows(constraint, view.kinematics, t_, rows);
      for (int k = 0; k < rows.count; ++k)
        add_pair(constraint.a, constraint.b, rows.rows[static_cast<std::size_t>(k)], lambda[block.first + k]);
      return;
    }
    case RowSource::kGear:
      return;  // it acts along speeds: part of the joints' forces
    case RowSource::kUserConstraint:
      return model_.user_constraints[index]->add_forces(
          view, std::span(lambda.data() + block.first, static_cast<std::size_t>(block.count)), sink);
    case RowSource::kSpring: {
      const ModelSpring& spring = model_.springs[index];
      return add_pair(spring.a, spring.b, compute_spring_row(spring, view.kinematics).row,
                      lambda[block.first]);
    }
    case RowSource::kUserForce:
      for (int k = 0; k < block.count; ++k)
        model_.user_forces[index]->add_row_forces(view, k, lambda[block.first + k], sink);
      return;
  }
}

const std::vector<Vec6<double>>& ForwardDynamics::compute_joint_reactions() {
  // the sink still has the applied forces; those of constraints and springs are added
  for (std::size_t i = 0; i < forces_.size(); ++i)
    for (const RowBlock& block : system_.islands().list[i].blocks) add_row_wrenches(block, forces_[i]);
  compute_accelerations<double>(model_, a_, -model_.gravity, kin_);
  reactions_.resize(model_.bodies.size());
  for (std::size_t b = 0; b < reactions_.size(); ++b)
    reactions_[b] = kin_.bodies[b].inertia * kin_.bodies[b].A + compute_gyroscopic_force(kin_.bodies[b]) -
                    applied_.sink.wrenches()[b];
  for (std::size_t b = 0; b < known_wrenches_.size(); ++b) reactions_[b] -= known_wrenches_[b];
  for (std::size_t b = reactions_.size() - 1; b > 0; --b)
    reactions_[static_cast<std::size_t>(model_.bodies[b].parent)] +=
        shift_force(reactions_[b], kin_.bodies[b].r);
  reactions_[0].setZero();
  return reactions_;
}

Vec6<double> express_force(const Vec6<double>& F, const Eigen::Vector3d& p, const Pose& X_WC) {
  const Eigen::Vector3d arm = p - X_WC.position;
  const Vec6<double> shifted = shift_force(F, arm);
  const Eigen::Matrix3d R_CW = X_WC.rotation.toRotationMatrix().transpose();
  Vec6<double> result;
  result << R_CW * shifted.head<3>(), R_CW * shifted.tail<3>();
  return result;
}

}  // namespace rigor
