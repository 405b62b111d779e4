// FCL 0.7: dynamic AABB tree manager, contacts by its default solver.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/fcl.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "bench/collision_scenes.hpp"
#include "rigor/collision/convex_hull.hpp"

namespace rigor::bench {
namespace {

std::shared_ptr<fcl::CollisionGeometryd> make_shape(const Shape& shape) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return std::make_shared<fcl::Sphered>(sphere->radius);
  if (const auto* box = std::get_if<Box>(&shape)) return std::make_shared<fcl::Boxd>(box->size);
  const Polytope hull = make_convex_hull(std::get<Hull>(shape).points);
  auto vertices = std::make_shared<std::vector<Eigen::Vector3d>>(hull.vertices);
  auto faces = std::make_shared<std::vector<int>>();
  for (const PolytopeFace& face : hull.faces) {
    faces->push_back(face.count);
    for (int k = 0; k < face.count; ++k)
      faces->push_back(hull.loop[static_cast<std::size_t>(face.first + k)]);
  }
  return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(hull.faces.size()), faces);
}

struct Found {
  std::vector<std::pair<int, int>> touching;
  std::size_t points{0};
};

bool on_pair(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
  auto& found = *static_cast<Found*>(data);
  fcl::CollisionRequestd request(8, true);
  fcl::CollisionResultd result;
  fcl::collide(a, b, request, result);
  found.points += result.numContacts();
  if (result.isCollision()) {
    const int i = static_cast<int>(reinterpret_cast<std::intptr_t>(a->getUserData())),
              j = static_cast<int>(reinterpret_cast<std::intptr_t>(b->getUserData()));
    found.touching.emplace_back(std::min(i, j), std::max(i, j));
  }
  return false;
}

}  // namespace

Measurement measure_fcl(const Scene& scene, int steps) {
  fcl::DynamicAABBTreeCollisionManagerd manager;
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
  for (std::size_t i = 0; i < scene.shapes.size(); ++i) {
    objects.push_back(std::make_unique<fcl::CollisionObjectd>(make_shape(scene.shapes[i])));
    objects.back()->setUserData(reinterpret_cast<void*>(static_cast<std::intptr_t>(i)));
    objects.back()->setTransform(scene.poses[i].rotation, scene.poses[i].position);
    objects.back()->computeAABB();
    manager.registerObject(objects.back().get());
  }
  manager.setup();
  Measurement out;
  for (int step = 0; step <= steps; ++step) {
    const std::vector<Pose> poses = scene.poses_at(step);
    Found found;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < objects.size(); ++i) {
      objects[i]->setTransform(poses[i].rotation, poses[i].position);
      objects[i]->computeAABB();
    }
    manager.update();
    manager.collide(&found, on_pair);
    if (step > 0)
      out.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / steps;
    out.touching = found.touching;
    out.points = found.points;
  }
  std::sort(out.touching.begin(), out.touching.end());
  return out;
}

}  // namespace rigor::bench
