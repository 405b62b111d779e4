#include "tests/support/random_forest.hpp"

#include <fmt/format.h>

namespace rigor::test {

Eigen::Vector3d Random::direction() {
  for (;;) {
    const Eigen::Vector3d v = vector();
    if (v.squaredNorm() > 0.01 && v.squaredNorm() < 1.0) return v.normalized();
  }
}

Eigen::Quaterniond Random::rotation() {
  for (;;) {
    const Eigen::Vector4d v{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    if (v.squaredNorm() > 0.01 && v.squaredNorm() < 1.0) return Eigen::Quaterniond(v.normalized());
  }
}

Scene make_random_forest(std::uint64_t seed, const ForestOptions& options) {
  Random random(seed);
  Scene scene;
  scene.gravity = random.vector(10.0);
  for (int i = 0; i < options.bodies; ++i) {
    Body body;
    body.name = fmt::format("body_{}", i);
    body.mass = random.uniform(0.2, 5.0);
    body.center_of_mass = random.vector(0.3);
    // an ellipsoid's inertia, turned: principal moments that a body can have
    const Eigen::Vector3d a = {random.uniform(0.1, 0.6), random.uniform(0.1, 0.6), random.uniform(0.1, 0.6)};
    const Eigen::Vector3d square = a.cwiseProduct(a);
    const Eigen::Matrix3d R = random.rotation().toRotationMatrix();
    const Eigen::Vector3d moments =
        *body.mass / 5.0 *
        Eigen::Vector3d(square.y() + square.z(), square.x() + square.z(), square.x() + square.y());
    const Eigen::Matrix3d I = R * moments.asDiagonal() * R.transpose();
    body.inertia = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};

    Joint& joint = body.joint;
    joint.type = static_cast<JointType>(random.index(9));
    const bool branches = i == 0 || random.uniform(0, 1) < options.branching;
    const int parent = branches ? random.index(i + 1) - 1 : i - 1;
    if (parent >= 0) joint.parent = fmt::format("body_{}", parent);
    body.pose = random.pose();
    if (joint.type != JointType::kFree) {
      joint.pose = random.pose(0.5);
      joint.axis = random.direction();
      joint.axis2 = random.direction();
      if (joint.type == JointType::kScrew) joint.pitch = random.uniform(-0.3, 0.3);
      const JointSize size = joint_size(joint.type);
      for (int k = 0; k < size.q; ++k) joint.q.push_back(random.uniform(-2, 2));
      for (int k = 0; k < size.v; ++k) joint.v.push_back(random.uniform(-2, 2));
      if (joint.type == JointType::kBall) {
        const Eigen::Quaterniond q = random.rotation();
        joint.q = {q.w(), q.x(), q.y(), q.z()};
      }
    } else {
      body.velocity = {random.vector(2.0), random.vector(2.0)};
    }
    if (options.armature && joint.type != JointType::kFixed && random.uniform(0, 1) < 0.3)
      joint.armature = random.uniform(0.0, 0.2);
    scene.bodies.push_back(body);
  }
  return scene;
}

}  // namespace rigor::test
