#pragma once

#include "rigor/dynamics/kinematics.hpp"

/// Inverse dynamics by the recursive Newton-Euler algorithm: the forces τ along the speeds that a motion
/// takes,
///
///     τ = M(q) a + c(q, v) − τ_gravity,
///
/// body by body, leaves to root:
///
///     F = I A + (ω × I ω, ω × (ω × h))
///     τ = Sᵀ F
///     F_parent += shift(F, r)
///
/// Gravity enters as an acceleration −g of the world. All in axes of W, so that no step rotates.
///
/// [F08] R. Featherstone. Rigid Body Dynamics Algorithms. Springer, 2008, 5.3.
namespace rigor {

/// The part of a body's force that depends on its velocity alone: (ω × I ω, ω × (ω × h)).
template <class T>
[[nodiscard]] Vec6<T> compute_gyroscopic_force(const BodyKinematics<T>& body) {
  const Vec3<T> w = body.V.template head<3>();
  Vec6<T> F;
  F.template head<3>() = w.cross(times(body.inertia.I, w));
  F.template tail<3>() = w.cross(w.cross(body.inertia.h));
  return F;
}

/// τ for accelerations that compute_accelerations() has put into `kin`. `joint_forces` (one per body) gets
/// the spatial force that each body's joint exerts on it, at its reference point; armature is not in them.
template <class T>
void compute_inverse_dynamics(const Model& model, const Kinematics<T>& kin,
                              std::vector<Vec6<T>>& joint_forces, Eigen::Matrix<T, Eigen::Dynamic, 1>& tau) {
  joint_forces.resize(model.bodies.size());
  tau.resize(model.nv);
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    joint_forces[b] = kin.bodies[b].inertia * kin.bodies[b].A + compute_gyroscopic_force(kin.bodies[b]);
  for (std::size_t b = model.bodies.size() - 1; b > 0; --b) {
    const ModelBody& body = model.bodies[b];
    T* const own_tau = tau.data() + body.v0;
    for (int k = 0; k < body.nv; ++k) own_tau[k] = column(kin.S, body.v0 + k).dot(joint_forces[b]);
    joint_forces[static_cast<std::size_t>(body.parent)] += shift_force(joint_forces[b], kin.bodies[b].r);
  }
}

extern template void compute_inverse_dynamics<double>(const Model&, const Kinematics<double>&,
                                                      std::vector<Vec6<double>>&, Eigen::VectorXd&);

/// Room for the functions below, kept by the caller so that they allocate nothing after the first call.
struct InverseDynamicsWorkspace {
  std::vector<Vec6<double>> forces;
  Eigen::VectorXd zero;
};

/// τ = M a + c − τ_gravity, armature included. Leaves the accelerations (with gravity) in `kin`.
void compute_inverse_dynamics(const Model& model, const Eigen::VectorXd& a, Kinematics<double>& kin,
                              InverseDynamicsWorkspace& workspace, Eigen::VectorXd& tau);

/// bias = c − τ_gravity: inverse dynamics at a = 0.
void compute_bias(const Model& model, Kinematics<double>& kin, InverseDynamicsWorkspace& workspace,
                  Eigen::VectorXd& bias);

/// τ = Σ Jᵀ F: forces on bodies, at their reference points, as forces along the speeds; adds to tau.
/// `wrenches` is used up.
void add_generalized_forces(const Model& model, const Kinematics<double>& kin,
                            std::vector<Vec6<double>>& wrenches, Eigen::VectorXd& tau);

}  // namespace rigor
