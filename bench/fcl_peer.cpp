// FCL 0.7: dynamic AABB tree manager, up to 8 contacts of each pair by its default solver.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/fcl.h>

#include <algorithm>

#include "bench/collision_engine.hpp"
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

bool on_pair(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
  auto& found = *static_cast<CollisionEngine::Found*>(data);
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

class Fcl : public CollisionEngine {
 public:
  explicit Fcl(const Scene& scene) {
    for (std::size_t i = 0; i < scene.shapes.size(); ++i) {
      objects_.push_back(std::make_unique<fcl::CollisionObjectd>(make_shape(scene.shapes[i])));
      objects_.back()->setUserData(reinterpret_cast<void*>(static_cast<std::intptr_t>(i)));
      objects_.back()->setTransform(scene.poses[i].rotation, scene.poses[i].position);
      objects_.back()->computeAABB();
      manager_.registerObject(objects_.back().get());
    }
    manager_.setup();
  }

  void step(const std::vector<Pose>& poses) override {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      objects_[i]->setTransform(poses[i].rotation, poses[i].position);
      objects_[i]->computeAABB();
    }
    manager_.update();
    found_.touching.clear();
    found_.points = 0;
    manager_.collide(&found_, on_pair);
  }

  [[nodiscard]] Found get_found() const override { return found_; }

 private:
  fcl::DynamicAABBTreeCollisionManagerd manager_;
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects_;
  Found found_;
};

}  // namespace

std::unique_ptr<CollisionEngine> make_fcl(const Scene& scene) {
  return std::make_unique<Fcl>(scene);
}

}  // namespace rigor::bench
