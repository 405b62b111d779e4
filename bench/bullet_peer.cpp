// Bullet 3: dynamic AABB trees and its own narrow phase, through btCollisionWorld.
#include <btBulletCollisionCommon.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "bench/collision_scenes.hpp"

namespace rigor::bench {
namespace {

btTransform transform(const Pose& X) {
  const auto& q = X.rotation;
  return btTransform(btQuaternion(btScalar(q.x()), btScalar(q.y()), btScalar(q.z()), btScalar(q.w())),
                     btVector3(btScalar(X.position.x()), btScalar(X.position.y()), btScalar(X.position.z())));
}

std::unique_ptr<btCollisionShape> make_shape(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape))
    return std::make_unique<btSphereShape>(btScalar(sphere->radius));
  if (const auto* box = std::get_if<Box>(&shape))
    return std::make_unique<btBoxShape>(
        0.5 * btVector3(btScalar(box->size.x()), btScalar(box->size.y()), btScalar(box->size.z())));
  auto hull = std::make_unique<btConvexHullShape>();
  for (const auto& p : std::get<Hull>(shape).points)
    hull->addPoint(btVector3(btScalar(p.x()), btScalar(p.y()), btScalar(p.z())), false);
  hull->recalcLocalAabb();
  hull->setMargin(0.0);
  return hull;
}

}  // namespace

Measurement measure_bullet(const Scene& scene, int steps) {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broad_phase;
  btCollisionWorld world(&dispatcher, &broad_phase, &configuration);
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btCollisionObject>> objects;
  for (std::size_t i = 0; i < scene.shapes.size(); ++i) {
    shapes.push_back(make_shape(scene.shapes[i]));
    objects.push_back(std::make_unique<btCollisionObject>());
    objects.back()->setCollisionShape(shapes.back().get());
    objects.back()->setUserIndex(static_cast<int>(i));
    objects.back()->setWorldTransform(transform(scene.poses[i]));
    objects.back()->setContactProcessingThreshold(btScalar(scene.margin));
    world.addCollisionObject(objects.back().get());
  }
  Measurement out;
  for (int step = 0; step <= steps; ++step) {
    const std::vector<Pose> poses = scene.poses_at(step);
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < objects.size(); ++i) objects[i]->setWorldTransform(transform(poses[i]));
    world.performDiscreteCollisionDetection();
    out.touching.clear();
    out.points = 0;
    for (int k = 0; k < dispatcher.getNumManifolds(); ++k) {
      const btPersistentManifold* manifold = dispatcher.getManifoldByIndexInternal(k);
      out.points += static_cast<std::size_t>(manifold->getNumContacts());
      for (int c = 0; c < manifold->getNumContacts(); ++c) {
        if (manifold->getContactPoint(c).getDistance() >= 0) continue;
        const int a = manifold->getBody0()->getUserIndex(), b = manifold->getBody1()->getUserIndex();
        out.touching.emplace_back(std::min(a, b), std::max(a, b));
        break;
      }
    }
    if (step > 0)
      out.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / steps;
  }
  std::sort(out.touching.begin(), out.touching.end());
  for (auto& object : objects) world.removeCollisionObject(object.get());
  return out;
}

}  // namespace rigor::bench
