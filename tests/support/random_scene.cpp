#include "tests/support/random_scene.hpp"

#include <cmath>
#include <random>

#include "rigor/model/run_rules.hpp"
#include "rigor/model/scene_fields.hpp"

namespace rigor::testing_support {
namespace {

/// Visits describe() and fills each field; what rules beyond ranges ask for is put right afterwards.
class RandomFiller {
 public:
  explicit RandomFiller(unsigned seed) : random_(seed) {}

  template <class T>
  void fill_object(T& object) {
    Fields<T> fields{*this, object};
    describe(fields, Kind<T>{});
  }

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  double unit() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }

  // A number of the range, of any order of magnitude.
  double number(const Range& range) {
    const double low = std::max(range.min, -1e6), high = std::min(range.max, 1e6);
    const double magnitude = std::pow(10.0, 6.0 * unit());
    const double value = low < 0.0 && below(2) ? -magnitude : magnitude;
    if (value > low && value < high) return value;
    return low + (high - low) * (0.25 + 0.5 * std::abs(unit()));
  }

 private:
  template <class T>
  struct Fields {
    RandomFiller& filler;
    T& object;
    void shorthand(const char*) {}
    template <class M>
    void operator()(const char*, M T::*member, const FieldInfo& info) {
      filler.fill(object.*member, info);
    }
    template <class... Alternatives>
    void tagged(const char*, std::variant<Alternatives...> T::*member, const FieldInfo&) {
      const std::size_t chosen = filler.below(sizeof...(Alternatives));
      std::size_t index = 0;
      ((index++ == chosen ? fill_alternative<Alternatives>(object.*member) : void()), ...);
    }
    template <class Alternative>
    void fill_alternative(auto& variant) {
      Alternative alternative{};
      filler.fill_object(alternative);
      variant = alternative;
    }
  };

  void fill(double& out, const FieldInfo& info) { out = number(info.range); }
  void fill(int& out, const FieldInfo& info) {
    out = static_cast<int>(std::min(info.range.min + 1.0, info.range.max));
  }
  void fill(std::string& out, const FieldInfo& info) {
    if (info.role == FieldRole::kPlain) out = "text \"quoted\" \\ ünïcode \n";
    if (info.role == FieldRole::kName) out = "name " + std::to_string(++names_);
  }
  template <class T>
  requires std::is_enum_v<T>
  void fill(T& out, const FieldInfo&) { out = static_cast<T>(below(names_of(Kind<T>{}).size())); }
  template <int N>
  void fill(Eigen::Matrix<double, N, 1>& out, const FieldInfo& info) {
    for (double& x : out) x = number(info.range);
    if constexpr (N == 3)
      if (info.role == FieldRole::kDirection) out = normalized_once(Eigen::Vector3d(unit(), unit(), 1.0));
  }
  void fill(Mu& out, const FieldInfo& info) {
    out.along = number(info.range);
    out.across = below(2) ? out.along : number(info.range);
  }
  void fill(Pose& out, const FieldInfo& info) {
    fill(out.position, info);
    out.rotation = normalized_once(Eigen::Quaterniond(1.0, unit(), unit(), unit()));
  }
  void fill(TimeFunction& out, const FieldInfo& info) {
    const bool of_time = info.variable.name == std::string_view(kTime.name);
    switch (below(of_time ? 4 : 3)) {
      case 0:
        out = unit();
        break;
      case 1:
        out =
            TableFunction{{0.0, 1.5, 2.0}, {unit(), unit(), unit()}, TableFunction::Interpolation::kStep, {}};
        break;
      case 2:
        out = Expression::parse(fmt::format("2*sin(3*{0}) - ({0} - 1)/({0} + 2)^2", info.variable.name));
        break;
      default:
        out = SineFunction{unit(), std::abs(unit()), unit(), unit()};
        break;
    }
  }
  template <class T, std::size_t N>
  void fill(std::array<T, N>& out, const FieldInfo& info) {
    for (T& item : out) fill(item, info);
  }
  template <class T>
  void fill(std::optional<T>& out, const FieldInfo& info) {
    if (below(2)) fill(out.emplace(), info);
  }
  void fill(std::vector<double>&, const FieldInfo&) {}
  void fill(std::vector<std::string>&, const FieldInfo&) {}
  void fill(std::vector<std::array<double, 2>>&, const FieldInfo&) {}
  void fill(std::vector<std::vector<double>>& out, const FieldInfo&) {
    out = {{unit(), unit()}, {unit(), unit()}};
  }
  void fill(std::vector<std::array<int, 3>>& out, const FieldInfo&) { out = {{0, 1, 2}, {2, 1, 3}}; }
  void fill(std::vector<Eigen::Vector2d>& out, const FieldInfo&) { out = {{0, 0}, {1, 0}, {1.5, 1}, {0, 1}}; }
  template <class T>
  void fill(std::vector<T>& out, const FieldInfo& info) {
    out.resize(1 + below(4) + static_cast<std::size_t>(info.min_items));
    for (T& item : out) fill(item, info);
  }
  template <Described T>
  void fill(T& object, const FieldInfo&) {
    fill_object(object);
  }

  std::mt19937 random_;
  int names_{0};
};

}  // namespace

Scene make_random_scene(unsigned seed) {
  RandomFiller filler(seed);
  Scene scene;
  filler.fill_object(scene);
  scene.planar = Plane::kXZ;  // disks and polygons need one
  const auto some_body = [&]() -> Body& { return scene.bodies[filler.below(scene.bodies.size())]; };

  for (Material& material : scene.materials) {
    if (material.mu_static) material.mu_static = material.mu.along + 1.0;
    if (!material.friction_stiffness) material.friction_damping = 0.0;
    if (!material.stiffness) material.damping = 0.0;
  }
  const auto put_shape_right = [&](ShapeInstance& shape) {
    shape.material = filler.below(2) ? scene.materials[filler.below(scene.materials.size())].name : "";
  };
  for (ShapeInstance& shape : scene.shapes) put_shape_right(shape);

  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    Body& body = scene.bodies[i];
    Joint& joint = body.joint;
    body.mass = 1.0 + std::abs(filler.unit());
    body.inertia = {2.0, 3.0, 4.0, 0.1, -0.2, 0.3};
    for (ShapeInstance& shape : body.shapes) {
      put_shape_right(shape);
      if (joint.type != JointType::kFixed && shape.geometry.index() >= 6) shape.geometry = Sphere{1.0};
    }
    if (joint.type != JointType::kFree) body.velocity = {};
    if (joint.type != JointType::kScrew) joint.pitch = 0.0;
    if (joint.type == JointType::kFixed) joint.stiffness = joint.damping = joint.armature = 0.0;
    joint.parent = i > 0 ? scene.bodies[filler.below(i)].name : kWorld;
    const JointSize size = joint_size(moving_type(joint.type, scene.planar.has_value()));
    if (joint.type != JointType::kFree) {
      for (int k = 0; k < size.v; ++k) joint.v.push_back(filler.unit());
      for (int k = 0; k < size.q; ++k)
        joint.q.push_back(joint.type == JointType::kBall ? double(k == 2) : filler.unit());
    }
    for (int k = 0; k < size.v; ++k) {
      const bool limited = has_position(moving_type(joint.type, scene.planar.has_value()), k);
      joint.limits.push_back({k == 0 || !limited ? -INFINITY : -2.0, k == 1 || !limited ? INFINITY : 2.0});
    }
    if (joint.type == JointType::kUniversal) joint.axis2 = Eigen::Vector3d::UnitX();
  }
  // something that has a coordinate, for gears, motors and motions
  Body& carrier = scene.bodies.emplace_back();
  carrier.name = "carrier";
  carrier.mass = 1.0;
  scene.groups.resize(1);
  scene.groups[0].bodies = {carrier.name};
  for (Constraint& constraint : scene.constraints) {
    constraint.a = carrier.name;
    constraint.b = filler.below(2) ? scene.bodies[0].name : kWorld;
    // those from "rolling" on hold velocities
    const bool on_velocities = constraint.geometry.index() >= 7;
    if (on_velocities) constraint.stiffness.reset();
    if (!constraint.stiffness && !on_velocities) constraint.damping = 0.0;
  }
  for (Gear& gear : scene.gears) {
    gear.joint_a = gear.joint_b = carrier.name;
    gear.coordinate_a = 0;  // in its plane the carrier has two advances and an angle
    gear.coordinate_b = 1;
    if (!gear.stiffness) gear.damping = 0.0;
  }
  for (Spring& spring : scene.springs) {
    spring.a = carrier.name;
    spring.b = kWorld;
    if (spring.law) spring.stiffness = 0.0;
  }
  for (Motor& motor : scene.motors) {
    motor.joint = carrier.name;
    motor.coordinate %= 3;
  }
  if (scene.motions.size() > 3) scene.motions.resize(3);
  for (std::size_t i = 0; i < scene.motions.size(); ++i) {
    Motion& motion = scene.motions[i];
    motion.joint = carrier.name;
    motion.coordinate = static_cast<int>(i);
    motion.acceleration.reset();
    if (has_position(JointType::kPlanar, motion.coordinate)) {
      if (!motion.position) motion.position = 1.0;
      motion.velocity.reset();
    } else {
      if (!motion.velocity) motion.velocity = 1.0;
      motion.position.reset();
    }
  }
  for (Force& force : scene.forces) force.body = some_body().name;
  for (Material& material : scene.materials) material.restitution = 0.0;
  scene.run.dt = 0.25;
  reset_unused(scene.run);
  return scene;
}

}  // namespace rigor::testing_support
