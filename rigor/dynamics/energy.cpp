#include "rigor/dynamics/energy.hpp"

#include "rigor/dynamics/constraint_rows.hpp"

namespace rigor {
namespace {

// How far a joint's coordinates are from rest, along its speeds.
Vec6<double> joint_extension(const ModelBody& body, const Eigen::VectorXd& q) {
  Vec6<double> x = Vec6<double>::Zero();
  const auto turn = [&](int at, int rest) {
    const Eigen::Quaterniond now(q[at], q[at + 1], q[at + 2], q[at + 3]);
    const double* r = body.rest.data() + rest;
    return quaternion_log<double>(now * Eigen::Quaterniond(r[0], r[1], r[2], r[3]).normalized().conjugate());
  };
  if (body.type == JointType::kBall) {
    x.head<3>() = turn(body.q0, 0);
  } else if (body.type == JointType::kFree) {
    x.head<3>() = turn(body.q0 + 3, 3);
    for (int k = 0; k < 3; ++k) x[3 + k] = q[body.q0 + k] - body.rest[static_cast<std::size_t>(k)];
  } else {
    for (int k = 0; k < body.nq; ++k) x[k] = q[body.q0 + k] - body.rest[static_cast<std::size_t>(k)];
  }
  return x;
}

// ∫ F dx from 0 to x by Simpson's rule, refined until it stands still: laws are short expressions or tables.
double integrate_law(const TimeFunction& law, double x) {
  double last = 0.0;
  for (int pieces = 8; pieces <= 4096; pieces *= 2) {
    const double step = x / pieces;
    double sum = evaluate(law, 0.0) + evaluate(law, x);
    for (int i = 1; i < pieces; ++i) sum += (i % 2 ? 4.0 : 2.0) * evaluate(law, i * step);
    sum *= step / 3.0;
    if (pieces > 8 && std::abs(sum - last) <= 1e-14 * std::abs(sum)) return sum;
    last = sum;
  }
  return last;
}

double spring_energy(const Spring& spring, double x) {
  if (spring.side == Spring::Side::kTension && x < 0.0) return 0.0;
  if (spring.side == Spring::Side::kCompression && x > 0.0) return 0.0;
  return spring.law ? integrate_law(*spring.law, x) : 0.5 * spring.stiffness * x * x;
}

}  // namespace

Momenta compute_momenta(const Model& model, const Kinematics<double>& kin) {
  Momenta sum;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const BodyKinematics<double>& body = kin.bodies[b];
    const Vec6<double> momentum = body.inertia * body.V;
    sum.mass += body.inertia.m;
    sum.center += body.inertia.m * body.p + body.inertia.h;
    sum.linear += momentum.tail<3>();
    sum.angular += momentum.head<3>() + body.p.cross(momentum.tail<3>());
  }
  if (sum.mass > 0.0) {
    sum.center /= sum.mass;
    sum.center_velocity = sum.linear / sum.mass;
  }
  sum.angular_about_center = sum.angular - sum.center.cross(sum.linear);
  return sum;
}

double compute_kinetic_energy(const Model& model, const Kinematics<double>& kin, const Eigen::VectorXd& v) {
  double energy = 0.0;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    energy += 0.5 * kin.bodies[b].V.dot(kin.bodies[b].inertia * kin.bodies[b].V);
    if (body.armature > 0.0) energy += 0.5 * body.armature * v.segment(body.v0, body.nv).squaredNorm();
  }
  return energy;
}

PotentialEnergy compute_potential_energy(const Model& model, const Eigen::VectorXd& q, double t,
                                         const Kinematics<double>& kin) {
  PotentialEnergy energy;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const BodyKinematics<double>& body = kin.bodies[b];
    energy.gravity -= model.gravity.dot(body.inertia.m * body.p + body.inertia.h);
    if (model.bodies[b].stiffness > 0.0)
      energy.joint_springs +=
          0.5 * model.bodies[b].stiffness * joint_extension(model.bodies[b], q).squaredNorm();
  }
  for (const ModelSpring& spring : model.springs)
    energy.springs += spring_energy(spring.spring, compute_spring_row(spring, kin).row.error);
  PairRows rows;
  for (const ModelConstraint& constraint : model.constraints) {
    if (!constraint.stiffness) continue;
    compute_pair_rows(constraint, kin, t, rows);
    for (int k = 0; k < rows.count; ++k) {
      const PairRow& row = rows.rows[static_cast<std::size_t>(k)];
      if (row.is_holonomic) energy.springs += 0.5 * *constraint.stiffness * row.error * row.error;
    }
  }
  for (const ModelGear& gear : model.gears) {
    const double error = q[gear.q_a] - gear.ratio * q[gear.q_b] - gear.offset;
    if (gear.stiffness) energy.springs += 0.5 * *gear.stiffness * error * error;
  }
  return energy;
}

void add_joint_spring_forces(const Model& model, const Eigen::VectorXd& q, Eigen::VectorXd& tau) {
  for (const ModelBody& body : model.bodies)
    if (body.stiffness > 0.0)
      tau.segment(body.v0, body.nv) -= body.stiffness * joint_extension(body, q).head(body.nv);
}

}  // namespace rigor
