#include "rigor/dynamics/articulated_body.hpp"

#include <Eigen/Cholesky>

#include "rigor/dynamics/inverse_dynamics.hpp"

namespace rigor {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Force = Vec6<double>;

Force multiply(const ArticulatedInertia& I, const Force& V) {
  Force F;
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
void subtract_outer(const Force& U, double d_inverse, ArticulatedInertia& I) {
  const Vector3d w = U.head<3>(), v = U.tail<3>();
  const Vector3d wd = d_inverse * w, vd = d_inverse * v;
  I.A.noalias() -= wd * w.transpose();
  I.B.noalias() -= wd * v.transpose();
  I.C.noalias() -= vd * v.transpose();
}

}  // namespace

int compute_forward_dynamics(const Model& model, const Kinematics<double>& kin, const std::vector<Force>* wrenches,
                             const Eigen::VectorXd& tau, Eigen::VectorXd& a, Eigen::VectorXd* motor_forces,
                             ArticulatedBodyWorkspace& workspace) {
  const std::size_t n = model.bodies.size();
  auto& joints = workspace.joints_;
  auto& acceleration = workspace.acceleration_;
  joints.resize(n);
  acceleration.resize(n);
  workspace.U_.resize(6, model.nv);
  workspace.D_inverse_.resize(6, model.nv);
  workspace.u_.resize(model.nv);
  const auto is_free = [&](int i) { return model.speeds[static_cast<std::size_t>(i)].motion < 0; };

  for (std::size_t b = 1; b < n; ++b) {
    const SpatialInertia<double>& inertia = kin.bodies[b].inertia;
    joints[b].inertia.A = inertia.I;
    joints[b].inertia.B = skew(inertia.h);
    joints[b].inertia.C = inertia.m * Matrix3d::Identity();
    joints[b].force = compute_gyroscopic_force(kin.bodies[b]);
    joints[b].pass.setZero();
    if (wrenches != nullptr) joints[b].force -= (*wrenches)[b];
  }

  // leaves to root
  for (std::size_t b = n - 1; b > 0; --b) {
    const ModelBody& body = model.bodies[b];
    auto& [force, pass, inertia] = joints[b];

    // prescribed speeds first: their acceleration is known
    for (int i = body.v0; i < body.v0 + body.nv; ++i)
      if (!is_free(i)) pass += multiply(inertia, kin.S.col(i) * a[i]);
    Force handed = force + pass;
    int count = 0;  // free speeds, packed to the front of the body's columns
    for (int i = body.v0; i < body.v0 + body.nv; ++i) {
      if (!is_free(i)) continue;
      workspace.U_.col(body.v0 + count) = multiply(inertia, kin.S.col(i));
      workspace.u_[body.v0 + count] = tau[i] - kin.S.col(i).dot(handed);
      ++count;
    }
    ArticulatedInertia reduced = inertia;
    if (count == 1) {
      int i = body.v0;
      while (!is_free(i)) ++i;
      const Force U = workspace.U_.col(body.v0);
      const double d = kin.S.col(i).dot(U) + body.armature;
      if (!(d > 0.0)) return static_cast<int>(b);
      workspace.D_inverse_(0, body.v0) = 1.0 / d;
      subtract_outer(U, 1.0 / d, reduced);
      handed += U * (workspace.u_[body.v0] / d);
    } else if (count > 1) {
      using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
      Small D(count, count);
      int row = 0;
      for (int i = body.v0; i < body.v0 + body.nv; ++i)
        if (is_free(i)) D.row(row++).noalias() = kin.S.col(i).transpose() * workspace.U_.middleCols(body.v0, count);
      D.diagonal().array() += body.armature;
      const Eigen::LLT<Small> llt(D);
      if (llt.info() != Eigen::Success) return static_cast<int>(b);
      auto D_inverse = workspace.D_inverse_.block(0, body.v0, count, count);
      D_inverse.setIdentity();
      llt.solveInPlace(D_inverse);
      const auto U = workspace.U_.middleCols(body.v0, count);
      const Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6> UD = U * D_inverse;
      const Mat6<double> outer = UD * U.transpose();
      reduced.A -= outer.topLeftCorner<3, 3>();
      reduced.B -= outer.topRightCorner<3, 3>();
      reduced.C -= outer.bottomRightCorner<3, 3>();
      handed.noalias() += UD * workspace.u_.segment(body.v0, count);
    }
    if (body.parent == kWorldIndex) continue;
    handed += multiply(reduced, kin.bodies[b].bias);
    auto& parent = joints[static_cast<std::size_t>(body.parent)];
    add_shifted(reduced, kin.bodies[b].r, parent.inertia);
    parent.force += shift_force(handed, kin.bodies[b].r);
  }

  // root to leaves; gravity is an upward acceleration of the world
  acceleration[0].setZero();
  acceleration[0].tail<3>() = -model.gravity;
  for (std::size_t b = 1; b < n; ++b) {
    const ModelBody& body = model.bodies[b];
    Force& A = acceleration[b];
    A = shift_motion(acceleration[static_cast<std::size_t>(body.parent)], kin.bodies[b].r) + kin.bodies[b].bias;
    int count = 0;
    for (int i = body.v0; i < body.v0 + body.nv; ++i) count += is_free(i) ? 1 : 0;
    if (count > 0) {
      Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> rest(count), result(count);
      for (int k = 0; k < count; ++k) rest[k] = workspace.u_[body.v0 + k] - workspace.U_.col(body.v0 + k).dot(A);
      result.noalias() = workspace.D_inverse_.block(0, body.v0, count, count) * rest;
      int k = 0;
      for (int i = body.v0; i < body.v0 + body.nv; ++i)
        if (is_free(i)) a[i] = result[k++];
    }
    for (int i = body.v0; i < body.v0 + body.nv; ++i) A += kin.S.col(i) * a[i];
    if (motor_forces == nullptr) continue;
    const Force total = multiply(joints[b].inertia, A) + joints[b].force;
    for (int i = body.v0; i < body.v0 + body.nv; ++i)
      (*motor_forces)[i] = is_free(i) ? 0.0 : kin.S.col(i).dot(total) + body.armature * a[i] - tau[i];
  }
  return -1;
}

}  // namespace rigor
