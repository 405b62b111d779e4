#include "rigor/dynamics/applied_forces.hpp"

namespace rigor {
namespace {

Eigen::Vector3d evaluate_vector(const std::array<TimeFunction, 3>& functions, double t) {
  return {evaluate(functions[0], t), evaluate(functions[1], t), evaluate(functions[2], t)};
}

}  // namespace

void compute_applied_forces(const MotionView& view, AppliedForcesWorkspace& workspace, Eigen::VectorXd& tau) {
  const Model& model = view.model;
  ForceSink& sink = workspace.sink;
  sink.reset(model.bodies.size(), model.nv);
  for (const ModelMotor& motor : model.motors) sink.add_speed_force(motor.v, evaluate(motor.effort, view.t));
  for (const ModelForce& source : model.forces) {
    const auto b = static_cast<std::size_t>(source.body);
    const Eigen::Matrix3d& R = view.kinematics.bodies[b].R;
    Eigen::Vector3d force = evaluate_vector(source.force.force, view.t);
    Eigen::Vector3d torque = evaluate_vector(source.force.torque, view.t);
    if (source.force.frame == Force::Frame::kBodyAxes) {
      const Eigen::Matrix3d R_WB = R * model.bodies[b].X_JB.rotation.toRotationMatrix();
      force = R_WB * force;
      torque = R_WB * torque;
    }
    Vec6<double> wrench;
    wrench << torque + (R * source.force.point).cross(force), force;
    sink.add_wrench(source.body, wrench);
  }
  for (const auto& element : model.user_forces) element->add_forces(view, sink);

  tau = sink.speed_forces();
  if (model.forces.empty() && model.user_forces.empty()) return;
  workspace.wrenches = sink.wrenches();
  add_generalized_forces(model, view.kinematics, workspace.wrenches, tau);
}

}  // namespace rigor
