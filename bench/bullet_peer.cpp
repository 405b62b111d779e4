// Bullet 3: dynamic AABB trees and its own narrow phase, through btCollisionWorld. A module of its own,
// opened by collision_bench: the library's two precisions have the same symbols and cannot be linked
// together.
//
// Bullet keeps a manifold of up to four points from step to step; boxes and spheres compute all points anew
// in each step, hulls one point by GJK or EPA. Its own margin around hulls is set to 0; distances of hulls
// are reported up to its threshold of 0.02 m.
#include <btBulletCollisionCommon.h>

#include <algorithm>

#include "bench/collision_engine.hpp"

namespace rigor::bench {
namespace {

btVector3 vector(const Eigen::Vector3d& v) {
  return {btScalar(v.x()), btScalar(v.y()), btScalar(v.z())};
}

btTransform transform(const Pose& X) {
  const auto& q = X.rotation;
  return btTransform(btQuaternion(btScalar(q.x()), btScalar(q.y()), btScalar(q.z()), btScalar(q.w())),
                     vector(X.position));
}

std::unique_ptr<btCollisionShape> make_shape(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape))
    return std::make_unique<btSphereShape>(btScalar(sphere->radius));
  if (const auto* box = std::get_if<Box>(&shape))
    return std::make_unique<btBoxShape>(vector(0.5 * box->size));
  auto hull = std::make_unique<btConvexHullShape>();
  for (const auto& p : std::get<Hull>(shape).points) hull->addPoint(vector(p), false);
  hull->recalcLocalAabb();
  hull->setMargin(0.0);
  return hull;
}

class Bullet : public CollisionEngine {
 public:
  explicit Bullet(const Scene& scene) {
    for (std::size_t i = 0; i < scene.shapes.size(); ++i) {
      shapes_.push_back(make_shape(scene.shapes[i]));
      objects_.push_back(std::make_unique<btCollisionObject>());
      objects_.back()->setCollisionShape(shapes_.back().get());
      objects_.back()->setUserIndex(static_cast<int>(i));
      objects_.back()->setWorldTransform(transform(scene.poses[i]));
      world_.addCollisionObject(objects_.back().get());
    }
  }
  ~Bullet() override {
    for (auto& object : objects_) world_.removeCollisionObject(object.get());
  }

  void step(const std::vector<Pose>& poses) override {
    for (std::size_t i = 0; i < objects_.size(); ++i) objects_[i]->setWorldTransform(transform(poses[i]));
    world_.performDiscreteCollisionDetection();
  }

  [[nodiscard]] Found get_found() const override {
    Found out;
    for (int k = 0; k < dispatcher_.getNumManifolds(); ++k) {
      const btPersistentManifold* manifold = dispatcher_.getInternalManifoldPointer()[k];
      bool touches = false;
      for (int c = 0; c < manifold->getNumContacts(); ++c)
        touches |= manifold->getContactPoint(c).getDistance() < 0;
      out.points += static_cast<std::size_t>(manifold->getNumContacts());
      if (touches)
        out.touching.push_back(
            std::minmax({manifold->getBody0()->getUserIndex(), manifold->getBody1()->getUserIndex()}));
    }
    return out;
  }

 private:
  btDefaultCollisionConfiguration configuration_;
  mutable btCollisionDispatcher dispatcher_{&configuration_};  // its getters are not const
  btDbvtBroadphase broad_phase_;
  btCollisionWorld world_{&dispatcher_, &broad_phase_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btCollisionObject>> objects_;
};

}  // namespace
}  // namespace rigor::bench

extern "C" rigor::bench::CollisionEngine* make_bullet(const rigor::bench::Scene& scene) {
  return new rigor::bench::Bullet(scene);
}
