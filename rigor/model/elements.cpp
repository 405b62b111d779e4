#include "rigor/model/elements.hpp"

#include "rigor/base/index.hpp"
#include "rigor/base/require.hpp"
#include "rigor/model/model.hpp"

namespace rigor {
namespace {

// The index of a body, asked for by a user's element.
std::size_t known(const MotionView& view, int body) {
  require(body >= 0 && at(body) < view.model.bodies.size(),
          "motion of body {}, must lie in [0, {}). Model::find_body() gives the index of a name.", body,
          view.model.bodies.size());
  return at(body);
}

// From the reference point to a point given in B, in axes of W.
Eigen::Vector3d arm(const MotionView& view, int body, const Eigen::Vector3d& point_B) {
  const Pose& X_JB = view.model.bodies[known(view, body)].X_JB;
  return view.kinematics.bodies[at(body)].R * (X_JB.position + X_JB.rotation * point_B);
}

}  // namespace

Eigen::Vector3d MotionView::position(int body, const Eigen::Vector3d& point_B) const {
  return kinematics.bodies[known(*this, body)].p + arm(*this, body, point_B);
}

Eigen::Vector3d MotionView::velocity(int body, const Eigen::Vector3d& point_B) const {
  return kinematics.bodies[known(*this, body)].velocity_at(arm(*this, body, point_B));
}

Eigen::Vector3d MotionView::acceleration(int body, const Eigen::Vector3d& point_B) const {
  return kinematics.bodies[known(*this, body)].acceleration_at(arm(*this, body, point_B));
}

Eigen::Vector3d MotionView::direction(int body, const Eigen::Vector3d& direction_B) const {
  return kinematics.bodies[known(*this, body)].R * (model.bodies[at(body)].X_JB.rotation * direction_B);
}

Eigen::Vector3d MotionView::angular_velocity(int body) const {
  return kinematics.bodies[known(*this, body)].angular_velocity();
}

Eigen::Vector3d MotionView::angular_acceleration(int body) const {
  return kinematics.bodies[known(*this, body)].angular_acceleration();
}

void ForceSink::reset(std::size_t bodies, Eigen::Index speeds) {
  wrenches_.assign(bodies, Vec6<double>::Zero());
  speed_forces_.setZero(speeds);
}

void ForceSink::add_force(const MotionView& view, int body, const Eigen::Vector3d& point_B,
                          const Eigen::Vector3d& force) {
  Vec6<double>& wrench = wrenches_[index(body)];
  wrench.head<3>() += arm(view, body, point_B).cross(force);
  wrench.tail<3>() += force;
}

void ConstraintElement::position_error(const MotionView&, std::span<double>) const {
  require(level() != RowLevel::kPosition, "constraint '{}' acts on positions, but gives no position_error().",
          name());
}

void ConstraintElement::velocity_error(const MotionView&, std::span<double>) const {
  require(level() == RowLevel::kAcceleration,
          "constraint '{}' gives no velocity_error(), which its level needs.", name());
}

}  // namespace rigor
