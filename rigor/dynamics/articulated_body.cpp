#include "rigor/dynamics/articulated_body.hpp"

#include <Eigen/Cholesky>

#include "rigor/dynamics/inverse_dynamics.hpp"

namespace rigor {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Six = Vec6<double>;

Six multiply(const ArticulatedInertia& I, const Six& V) {
  Six F;
  F.head<3>().noalias() = I.A * V.head<3>() + I.B * V.tail<3>();
  F.tail<3>().noalias() = I.B.transpose() * V.head<3>() + I.C * V.tail<3>();
  return F;
}

// target += the inertia I moved to a point from which its own lies r away:
//   B' = B + skew(r) C,    A' = A − B' skew(r) + skew(r) Bᵀ,    C' = C
void add_shifted(const ArticulatedInertia& I, const Vector3d& r, ArticulatedInertia& target) {
  Matrix3d B;
  for (int j = 0; j < 3; ++j) B.col(j) = I.B.col(j) + r.cross(I.C.col(j));
  Matrix3d left;  // rows of −B' skew(r)
  for (int i = 0; i < 3; ++i) left.col(i) = r.cross(Vector3d(B.row(i).transpose()));
  for (int j = 0; j < 3; ++j) target.A.col(j) += I.A.col(j) + r.cross(Vector3d(I.B.row(j).transpose()));
  target.A += left.transpose();
  target.B += B;
  target.C += I.C;
}

// I −= U K Uᵀ for one column: K = 1/d
void subtract_outer(const Six& U, double d_inverse, ArticulatedInertia& I) {
  const Vector3d w = U.head<3>(), v = U.tail<3>();
  const Vector3d wd = d_inverse * w, vd = d_inverse * v;
  I.A.noalias() -= wd * w.transpose();
  I.B.noalias() -= wd * v.transpose();
  I.C.noalias() -= vd * v.transpose();
}

}  // namespace

int ArticulatedBody::solve(const Model& model, const Kinematics<double>& kin,
                           const std::vector<Six>* wrenches, const Eigen::VectorXd& tau, Eigen::VectorXd& a) {
  start(model, kin, wrenches);
  for (std::size_t b = model.bodies.size() - 1; b > 0; --b)
    if (!eliminate(model, kin, tau, a, b)) return static_cast<int>(b);
  // gravity is an upward acceleration of the world
  acceleration_[0] << Vector3d::Zero(), -model.gravity;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) accelerate(model, kin, tau, b, a);
  return -1;
}

void ArticulatedBody::start(const Model& model, const Kinematics<double>& kin,
                            const std::vector<Six>* wrenches) {
  joints_.resize(model.bodies.size());
  acceleration_.resize(model.bodies.size());
  order_.resize(static_cast<std::size_t>(model.nv));
  U_.resize(6, model.nv);
  D_inverse_.resize(6, model.nv);
  u_.resize(model.nv);
  motor_forces_.setZero(model.nv);
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const SpatialInertia<double>& inertia = kin.bodies[b].inertia;
    Joint& joint = joints_[b];
    joint.inertia.A = inertia.I;
    joint.inertia.B = skew(inertia.h);
    joint.inertia.C = inertia.m * Matrix3d::Identity();
    joint.force = compute_gyroscopic_force(kin.bodies[b]);
    if (wrenches != nullptr) joint.force -= (*wrenches)[b];

    const ModelBody& body = model.bodies[b];
    int first = body.v0, last = body.v0 + body.nv;
    for (int i = body.v0; i < body.v0 + body.nv; ++i) {
      const bool is_free = model.speeds[static_cast<std::size_t>(i)].motion < 0;
      order_[static_cast<std::size_t>(is_free ? first++ : --last)] = i;
    }
    joint.free = first - body.v0;
  }
}

// One joint is taken out of its body's equations, and what is left is handed to the parent.
bool ArticulatedBody::eliminate(const Model& model, const Kinematics<double>& kin, const Eigen::VectorXd& tau,
                                const Eigen::VectorXd& a, std::size_t b) {
  const ModelBody& body = model.bodies[b];
  const Joint& joint = joints_[b];
  const int* order = order_.data() + body.v0;
  Six handed = joint.force;
  for (int k = joint.free; k < body.nv; ++k)
    handed += multiply(joint.inertia, kin.S.col(order[k]) * a[order[k]]);
  for (int k = 0; k < joint.free; ++k) {
    const Six S = kin.S.col(order[k]);
    U_.col(body.v0 + k) = multiply(joint.inertia, S);
    u_[body.v0 + k] = tau[order[k]] - S.dot(handed);
  }

  ArticulatedInertia left = joint.inertia;
  if (joint.free == 1) {
    const Six U = U_.col(body.v0);
    const double d = kin.S.col(order[0]).dot(U) + body.armature;
    if (!(d > 0.0)) return false;
    D_inverse_(0, body.v0) = 1.0 / d;
    subtract_outer(U, 1.0 / d, left);
    handed += U * (u_[body.v0] / d);
  } else if (joint.free > 1 && !eliminate_several(kin, body, joint.free, left, handed)) {
    return false;
  }
  if (body.parent == kWorldIndex) return true;
  handed += multiply(left, kin.bodies[b].bias);
  Joint& parent = joints_[static_cast<std::size_t>(body.parent)];
  add_shifted(left, kin.bodies[b].r, parent.inertia);
  parent.force += shift_force(handed, kin.bodies[b].r);
  return true;
}

bool ArticulatedBody::eliminate_several(const Kinematics<double>& kin, const ModelBody& body, int free,
                                        ArticulatedInertia& inertia, Six& handed) {
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  const auto U = U_.middleCols(body.v0, free);
  Small D(free, free);
  for (int k = 0; k < free; ++k)
    D.row(k).noalias() = kin.S.col(order_[static_cast<std::size_t>(body.v0 + k)]).transpose() * U;
  D.diagonal().array() += body.armature;
  const Eigen::LLT<Small> llt(D);
  if (llt.info() != Eigen::Success) return false;
  auto D_inverse = D_inverse_.block(0, body.v0, free, free);
  D_inverse = llt.solve(Small::Identity(free, free));
  const Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6> UD = U * D_inverse;
  const Mat6<double> outer = UD * U.transpose();
  inertia.A -= outer.topLeftCorner<3, 3>();
  inertia.B -= outer.topRightCorner<3, 3>();
  inertia.C -= outer.bottomRightCorner<3, 3>();
  handed.noalias() += UD * u_.segment(body.v0, free);
  return true;
}

void ArticulatedBody::accelerate(const Model& model, const Kinematics<double>& kin,
                                 const Eigen::VectorXd& tau, std::size_t b, Eigen::VectorXd& a) {
  const ModelBody& body = model.bodies[b];
  const Joint& joint = joints_[b];
  const int* order = order_.data() + body.v0;
  Six& A = acceleration_[b];
  A = shift_motion(acceleration_[static_cast<std::size_t>(body.parent)], kin.bodies[b].r) +
      kin.bodies[b].bias;
  if (joint.free == 1) {
    a[order[0]] = D_inverse_(0, body.v0) * (u_[body.v0] - U_.col(body.v0).dot(A));
  } else if (joint.free > 1) {
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> rest = u_.segment(body.v0, joint.free);
    rest.noalias() -= U_.middleCols(body.v0, joint.free).transpose() * A;
    for (int k = 0; k < joint.free; ++k)
      a[order[k]] = D_inverse_.row(k).segment(body.v0, joint.free).dot(rest);
  }
  for (int i = body.v0; i < body.v0 + body.nv; ++i) A += kin.S.col(i) * a[i];
  if (joint.free == body.nv) return;
  const Six total = multiply(joint.inertia, A) + joint.force;
  for (int k = joint.free; k < body.nv; ++k) {
    const int i = order[k];
    motor_forces_[i] = kin.S.col(i).dot(total) + body.armature * a[i] - tau[i];
  }
}

}  // namespace rigor
