#include "rigor/dynamics/inverse_dynamics.hpp"

namespace rigor {

template void compute_inverse_dynamics<double>(const Model&, const Kinematics<double>&,
                                               std::vector<Vec6<double>>&, Eigen::VectorXd&);

void compute_inverse_dynamics(const Model& model, const Eigen::VectorXd& a, Kinematics<double>& kin,
                              InverseDynamicsWorkspace& workspace, Eigen::VectorXd& tau) {
  compute_accelerations<double>(model, a, -model.gravity, kin);
  compute_inverse_dynamics(model, kin, workspace.forces, tau);
  for (const ModelBody& body : model.bodies)
    if (body.armature > 0.0) tau.segment(body.v0, body.nv) += body.armature * a.segment(body.v0, body.nv);
}

void compute_bias(const Model& model, Kinematics<double>& kin, InverseDynamicsWorkspace& workspace,
                  Eigen::VectorXd& bias) {
  workspace.zero.setZero(model.nv);
  compute_inverse_dynamics(model, workspace.zero, kin, workspace, bias);
}

void add_generalized_forces(const Model& model, const Kinematics<double>& kin,
                            std::vector<Vec6<double>>& wrenches, Eigen::VectorXd& tau) {
  for (std::size_t b = model.bodies.size() - 1; b > 0; --b) {
    const ModelBody& body = model.bodies[b];
    for (int k = 0; k < body.nv; ++k) tau[body.v0 + k] += kin.S.col(body.v0 + k).dot(wrenches[b]);
    wrenches[static_cast<std::size_t>(body.parent)] += shift_force(wrenches[b], kin.bodies[b].r);
  }
}

}  // namespace rigor
