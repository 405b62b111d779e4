#include "rigor/model/scene.hpp"

namespace rigor {

Scene::Scene() = default;
Scene::~Scene() = default;
Scene::Scene(const Scene&) = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(const Scene&) = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

JointSize joint_size(JointType type) {
  switch (type) {
    case JointType::kFree:
      return {6, 7};
    case JointType::kFixed:
      return {0, 0};
    case JointType::kRevolute:
    case JointType::kPrismatic:
    case JointType::kScrew:
      return {1, 1};
    case JointType::kCylindrical:
    case JointType::kUniversal:
      return {2, 2};
    case JointType::kBall:
      return {3, 4};
    case JointType::kPlanar:
      return {3, 3};
  }
  return {0, 0};
}

JointType moving_type(JointType type, bool is_planar) {
  return is_planar && type == JointType::kFree ? JointType::kPlanar : type;
}

bool has_position(JointType type, int coordinate) {
  const bool turns_freely = type == JointType::kBall || type == JointType::kFree;
  return !(turns_freely && coordinate < 3);
}

}  // namespace rigor
