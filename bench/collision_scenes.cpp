#include "bench/collision_scenes.hpp"

#include <cmath>
#include <random>

#include "rigor/collision/collide.hpp"

namespace rigor::bench {
namespace {

using Eigen::Vector3d;

Eigen::Quaterniond random_rotation(std::mt19937& engine) {
  std::normal_distribution<double> normal;
  return Eigen::Quaterniond(normal(engine), normal(engine), normal(engine), normal(engine)).normalized();
}

}  // namespace

std::vector<Pose> Scene::poses_at(int step) const {
  std::vector<Pose> out = poses;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double phase = 0.7 * static_cast<double>(i) + 0.3 * step;
    out[i].position += 1e-4 * Vector3d(std::sin(phase), std::cos(1.3 * phase), std::sin(0.7 * phase));
  }
  return out;
}

Scene spheres(int count) {
  Scene scene{"spheres", {}, {}, 0.01};
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> jitter(-5e-4, 5e-4);
  const int side = static_cast<int>(std::ceil(std::cbrt(count)));
  for (int i = 0; i < count; ++i) {
    // rows shifted by half a sphere, layers in the hollows: twelve neighbours each
    const int x = i % side, y = i / side % side, z = i / side / side;
    const Vector3d at(x + 0.5 * (y % 2) + 0.5 * (z % 2), std::sqrt(0.75) * y + std::sqrt(0.75) / 3 * (z % 2),
                      std::sqrt(2.0 / 3) * z);
    scene.shapes.push_back(Sphere{0.5});
    scene.poses.push_back(
        {at + Vector3d(jitter(engine), jitter(engine), jitter(engine)), Eigen::Quaterniond::Identity()});
  }
  return scene;
}

Scene wall(int count) {
  Scene scene{"wall", {}, {}, 0.01};
  const int width = static_cast<int>(std::sqrt(count));
  for (int i = 0; i < count; ++i) {
    const int x = i % width, z = i / width;
    scene.shapes.push_back(Box{{1.0, 0.5, 0.5}});
    scene.poses.push_back({{1.001 * x + 0.5 * (z % 2), 0, 0.4999 * z}, Eigen::Quaterniond::Identity()});
  }
  return scene;
}

Scene hulls(int count) {
  Scene scene{"hulls", {}, {}, 0.01};
  std::mt19937 engine(3);
  std::normal_distribution<double> normal;
  const int side = static_cast<int>(std::ceil(std::cbrt(count)));
  for (int i = 0; i < count; ++i) {
    Hull hull;
    for (int k = 0; k < 32; ++k)
      hull.points.push_back(0.5 * Vector3d(normal(engine), normal(engine), normal(engine)).normalized());
    scene.shapes.push_back(hull);
    const int x = i % side, y = i / side % side, z = i / side / side;
    scene.poses.push_back(
        {0.95 * Vector3d(x + 0.5 * (z % 2), y + 0.5 * (z % 2), 0.75 * z), random_rotation(engine)});
  }
  return scene;
}

}  // namespace rigor::bench
