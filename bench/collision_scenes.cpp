#include "bench/collision_scenes.hpp"

#include <cmath>
#include <random>

namespace rigor::bench {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

constexpr double kMotion = 1e-4;  // m and rad, from step to step

Quaterniond random_rotation(std::mt19937& engine) {
  std::normal_distribution<double> normal;
  return Quaterniond(normal(engine), normal(engine), normal(engine), normal(engine)).normalized();
}

// Plates below and around low … high, which touch it but not one another.
void add_plates(const Vector3d& low, const Vector3d& high, Scene& scene) {
  const Vector3d middle = 0.5 * (low + high), size = high - low;
  const auto add = [&](int axis, double sign) {
    Vector3d plate = size, at = middle;
    plate[axis] = 1.0;
    at[axis] += sign * 0.5 * (size[axis] + 1.0);
    scene.shapes.push_back(Box{plate});
    scene.poses.push_back({at, Quaterniond::Identity()});
  };
  add(2, -1.0);
  for (const int axis : {0, 1})
    for (const double sign : {-1.0, 1.0}) add(axis, sign);
}

}  // namespace

std::vector<Pose> Scene::poses_at(int step) const {
  std::vector<Pose> out = poses;
  std::mt19937 engine(static_cast<unsigned>(1000 + step));
  std::uniform_real_distribution<double> by(-kMotion, kMotion);
  for (std::size_t i = 0; i < moving; ++i) {
    out[i].position += Vector3d(by(engine), by(engine), by(engine));
    const Quaterniond turn(1.0, 0.5 * by(engine), 0.5 * by(engine), 0.5 * by(engine));
    out[i].rotation = (turn * out[i].rotation).normalized();
  }
  return out;
}

Scene make_spheres(int count) {
  Scene scene{"spheres", {}, {}, static_cast<std::size_t>(count)};
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> jitter(-5e-4, 5e-4);
  const int side = static_cast<int>(std::ceil(std::cbrt(count)));
  Vector3d low = Vector3d::Constant(1e300), high = -low;
  for (int i = 0; i < count; ++i) {
    // rows shifted by half a sphere, layers in the hollows: twelve neighbours each
    const int x = i % side, y = i / side % side, z = i / side / side;
    const Vector3d at(x + 0.5 * (y % 2) + 0.5 * (z % 2), std::sqrt(0.75) * y + std::sqrt(0.75) / 3 * (z % 2),
                      std::sqrt(2.0 / 3) * z);
    low = low.cwiseMin(at);
    high = high.cwiseMax(at);
    scene.shapes.push_back(Sphere{0.5});
    scene.poses.push_back(
        {at + Vector3d(jitter(engine), jitter(engine), jitter(engine)), Quaterniond::Identity()});
  }
  add_plates(low - Vector3d::Constant(0.5), high + Vector3d::Constant(0.5), scene);
  return scene;
}

Scene make_wall(int count) {
  Scene scene{"wall", {}, {}, static_cast<std::size_t>(count)};
  const int width = static_cast<int>(std::sqrt(count));
  for (int i = 0; i < count; ++i) {
    const int x = i % width, z = i / width;
    scene.shapes.push_back(Box{{1.0, 0.5, 0.5}});
    scene.poses.push_back({{1.001 * x + 0.5 * (z % 2), 0, 0.4995 * z}, Quaterniond::Identity()});
  }
  return scene;
}

Scene make_hulls(int count) {
  Scene scene{"hulls", {}, {}, static_cast<std::size_t>(count)};
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
