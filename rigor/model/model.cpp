#include "rigor/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "rigor/base/diagnostic.hpp"
#include "rigor/model/body_mass.hpp"
#include "rigor/model/check_scene.hpp"

namespace rigor {
namespace {

BodyIndex find_named(const Model& model, std::string ModelBody::*field, std::string_view name,
                     const char* what) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].*field == name) return static_cast<BodyIndex>(i);
    if (known.size() < 2000) known.push_back(model.bodies[i].*field);
  }
  const std::string similar = find_similar(std::string(name), known);
  throw InvalidInput(fmt::format("There is no {} {}.{}", what, quote_for_message(std::string(name)),
                                 similar.empty() ? "" : fmt::format(" Did you mean \"{}\"?", similar)));
}

// Points, axes and frames of a constraint or spring, from the bodies' own frames B into their frames J.
template <class Item>
void move_to_joint_frames(Item& item, const Pose& X_JB_a, const Pose& X_JB_b) {
  const auto point = [](const Pose& X, Eigen::Vector3d& p) { p = X.position + X.rotation * p; };
  const auto axis = [](const Pose& X, auto& value) {
    if constexpr (requires { *value; }) {
      if (value) *value = X.rotation * *value;
    } else {
      value = X.rotation * value;
    }
  };
  if constexpr (requires { item.point_a; }) point(X_JB_a, item.point_a);
  if constexpr (requires { item.point_b; }) point(X_JB_b, item.point_b);
  if constexpr (requires { item.axis_a; }) axis(X_JB_a, item.axis_a);
  if constexpr (requires { item.axis_b; }) axis(X_JB_b, item.axis_b);
  if constexpr (requires { item.frame_a; }) item.frame_a = X_JB_a * item.frame_a;
  if constexpr (requires { item.frame_b; }) item.frame_b = X_JB_b * item.frame_b;
}

class ModelBuilder {
 public:
  explicit ModelBuilder(const Scene& scene) : scene_(scene) {}

  template <class Element>
  void check_element(const Element* element, const char* kind, std::size_t i) const {
    require(element != nullptr, "UserElements: {} {} is null, must be an element.", kind, i);
    require(element->row_count() >= 0, "user {} '{}' has {} rows, must be >= 0.", kind, element->name(),
            element->row_count());
    for (const int body : element->bodies())
      require(
          body >= 0 && at(body) < model_.bodies.size(),
          "user {} '{}' acts on body {}, must lie in [0, {}). Model::find_body() gives the index of a name.",
          kind, element->name(), body, model_.bodies.size());
  }

  Model build(const UserElements& user) {
    check_scene(scene_);
    model_.gravity = scene_.gravity;
    ModelBody& world = model_.bodies.emplace_back();
    world.name = world.joint_name = kWorld;
    index_of_.emplace(kWorld, kWorldIndex);
    for (const Group& group : scene_.groups)
      for (const std::string& body : group.bodies) plane_of_.emplace(body, group.planar);

    add_bodies();
    number_speeds();
    add_constraints();
    add_forces();
    add_motions();
    add_shapes();
    exclude_pairs();
    for (std::size_t i = 0; i < user.constraints.size(); ++i)
      check_element(user.constraints[i].get(), "constraint", i);
    for (std::size_t i = 0; i < user.forces.size(); ++i) check_element(user.forces[i].get(), "force", i);
    model_.user_constraints = user.constraints;
    model_.user_forces = user.forces;
    return std::move(model_);
  }

 private:
  // Parents before children, each body followed by its whole subtree, in the order of the file.
  void add_bodies() {
    std::unordered_map<std::string_view, std::vector<const Body*>> children;
    for (const Body& body : scene_.bodies) children[body.joint.parent].push_back(&body);
    std::vector<const Body*> stack;
    const auto push_children = [&](std::string_view parent) {
      const auto found = children.find(parent);
      if (found != children.end()) stack.insert(stack.end(), found->second.rbegin(), found->second.rend());
    };
    push_children(kWorld);
    while (!stack.empty()) {
      const Body& body = *stack.back();
      stack.pop_back();
      add_body(body);
      push_children(body.name);
    }
    const auto fill = [](const std::vector<double>& from, Eigen::VectorXd& to) {
      to = Eigen::Map<const Eigen::VectorXd>(from.data(), static_cast<Eigen::Index>(from.size()));
    };
    fill(q_, model_.q_initial);
    fill(v_, model_.v_initial);
  }

  void add_body(const Body& source) {
    const auto index = static_cast<BodyIndex>(model_.bodies.size());
    ModelBody body;
    body.name = source.name;
    body.joint_name = source.joint.name.empty() ? source.name : source.joint.name;
    body.parent = index_of_.at(source.joint.parent);
    body.armature = source.joint.armature;
    body.damping = source.joint.damping;
    body.stiffness = source.joint.stiffness;
    const MassProperties mass_B = compute_mass_properties(source, scene_.materials, find_plane(source.name));
    place_joint(source, mass_B, body);

    body.q0 = static_cast<int>(q_.size());
    body.v0 = static_cast<int>(v_.size());
    const JointSize size = joint_size(body.type);
    body.nq = size.q;
    body.nv = size.v;
    add_initial_values(source, body, mass_B);
    for (std::size_t k = 0; k < source.joint.limits.size(); ++k) {
      const auto [lower, upper] = source.joint.limits[k];
      const int v = static_cast<int>(k);
      if (std::isfinite(lower) || std::isfinite(upper))
        model_.limits.push_back({coordinate_of(body, v), body.v0 + v, lower, upper});
    }
    body.rest = source.joint.rest;
    if (body.rest.empty() && body.stiffness > 0.0)  // a free body rests where it starts, a joint at zero
      body.rest = source.joint.type == JointType::kFree ? std::vector<double>(q_.end() - body.nq, q_.end())
                                                        : zero_q(body.type);

    const MassProperties mass = transform(body.X_JB, mass_B);
    body.inertia_J.m = mass.mass;
    body.inertia_J.h = mass.mass * mass.center;
    body.inertia_J.I = mass.inertia + mass.mass * (mass.center.squaredNorm() * Eigen::Matrix3d::Identity() -
                                                   mass.center * mass.center.transpose());
    index_of_.emplace(source.name, index);
    model_.bodies.push_back(std::move(body));
  }

  // Frames F and J and the axes. A free body has J at its centre of mass and F in the parent's frame; in a
  // plane it has a planar joint instead, with J turned such that its angle is 0 where the scene puts it.
  void place_joint(const Body& source, const MassProperties& mass_B, ModelBody& body) const {
    const Joint& joint = source.joint;
    body.type = joint.type;
    body.axis = joint.axis;
    body.axis2 = joint.axis2;
    body.pitch = joint.pitch;
    Pose X_BF = source.pose * joint.pose;  // F in the parent's B
    Pose X_BJ = joint.pose;
    if (joint.type == JointType::kFree) {
      X_BF = Pose{};
      X_BJ = Pose{mass_B.center, Eigen::Quaterniond::Identity()};
      if (const auto plane = find_plane(source.name)) {
        body.type = JointType::kPlanar;
        body.axis = plane_axes(*plane).col(2);
        X_BJ.rotation = source.pose.rotation.conjugate();
        const Eigen::Vector3d center = source.pose.position + source.pose.rotation * mass_B.center;
        X_BF.position = body.axis * body.axis.dot(center);
      }
    }
    if (body.type == JointType::kPlanar) {
      const Tangents tangents = tangents_of(body.axis);
      body.axis2 = tangents.t1;
      body.axis3 = tangents.t2;
    }
    const Pose X_PF = model_.bodies[static_cast<std::size_t>(body.parent)].X_JB * X_BF;
    body.p_PF = X_PF.position;
    body.R_PF = X_PF.rotation.toRotationMatrix();
    body.X_JB = inverse(X_BJ);
  }

  void add_initial_values(const Body& source, const ModelBody& body, const MassProperties& mass_B) {
    const auto append = [](std::vector<double>& list, const auto& values) {
      list.insert(list.end(), values.begin(), values.end());
    };
    if (source.joint.type != JointType::kFree) {
      append(q_, source.joint.q.empty() ? zero_q(body.type) : source.joint.q);
      append(v_, source.joint.v.empty() ? std::vector<double>(static_cast<std::size_t>(body.nv))
                                        : source.joint.v);
      return;
    }
    const Eigen::Vector3d arm = source.pose.rotation * mass_B.center;
    const Eigen::Vector3d p = source.pose.position + arm;
    const Eigen::Vector3d w = source.velocity.angular;
    const Eigen::Vector3d v = source.velocity.linear + w.cross(arm);
    if (body.type == JointType::kPlanar) {
      append(q_, std::vector{body.axis2.dot(p), body.axis3.dot(p), 0.0});
      append(v_, std::vector{body.axis2.dot(v), body.axis3.dot(v), body.axis.dot(w)});
      return;
    }
    const Eigen::Quaterniond& R = source.pose.rotation;
    append(q_, std::vector{p.x(), p.y(), p.z(), R.w(), R.x(), R.y(), R.z()});
    append(v_, std::vector{w.x(), w.y(), w.z(), v.x(), v.y(), v.z()});
  }

  static std::vector<double> zero_q(JointType type) {
    std::vector<double> q(static_cast<std::size_t>(joint_size(type).q));
    if (type == JointType::kBall) q[0] = 1.0;
    return q;
  }

  [[nodiscard]] std::optional<Plane> find_plane(const std::string& body) const {
    const auto found = plane_of_.find(body);
    return found != plane_of_.end() ? found->second : scene_.planar;
  }

  void number_speeds() {
    model_.nq = static_cast<int>(q_.size());
    model_.nv = static_cast<int>(v_.size());
    std::vector<int> last(model_.bodies.size(), -1);  // last speed on the way from the root to each body
    for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
      const ModelBody& body = model_.bodies[b];
      last[b] = last[static_cast<std::size_t>(body.parent)];
      for (int k = 0; k < body.nv; ++k) {
        model_.speeds.push_back({static_cast<BodyIndex>(b), last[b], -1});
        last[b] = body.v0 + k;
      }
    }
  }

  // The index in q of a joint's speed k, or -1 where it is one of a quaternion's.
  [[nodiscard]] int coordinate_of(const ModelBody& body, int k) const {
    if (body.type == JointType::kBall || (body.type == JointType::kFree && k < 3)) return -1;
    return body.q0 + (body.type == JointType::kFree ? k - 3 : k);
  }

  [[nodiscard]] const ModelBody& joint(const std::string& name) const {
    return model_.bodies[static_cast<std::size_t>(model_.find_joint(name))];
  }

  [[nodiscard]] const Pose& X_JB(BodyIndex body) const {
    return model_.bodies[static_cast<std::size_t>(body)].X_JB;
  }

  void add_constraints() {
    for (const Constraint& source : scene_.constraints) {
      ModelConstraint constraint{
          source.name,      source.geometry, index_of_.at(source.a), index_of_.at(source.b),
          source.stiffness, source.damping};
      std::visit(
          [&](auto& geometry) { move_to_joint_frames(geometry, X_JB(constraint.a), X_JB(constraint.b)); },
          constraint.geometry);
      model_.constraints.push_back(std::move(constraint));
    }
    for (const Gear& source : scene_.gears) {
      const ModelBody& a = joint(source.joint_a);
      const ModelBody& b = joint(source.joint_b);
      model_.gears.push_back({source.name, coordinate_of(a, source.coordinate_a),
                              coordinate_of(b, source.coordinate_b), a.v0 + source.coordinate_a,
                              b.v0 + source.coordinate_b, source.ratio, source.offset, source.stiffness,
                              source.damping});
    }
  }

  void add_forces() {
    for (const Spring& source : scene_.springs) {
      ModelSpring spring{source, index_of_.at(source.a), index_of_.at(source.b)};
      move_to_joint_frames(spring.spring, X_JB(spring.a), X_JB(spring.b));
      model_.springs.push_back(std::move(spring));
    }
    for (const Force& source : scene_.forces) {
      ModelForce force{source, index_of_.at(source.body)};
      const Pose& X = X_JB(force.body);
      force.force.point = X.position + X.rotation * source.point;
      model_.forces.push_back(std::move(force));
    }
    for (const Motor& source : scene_.motors)
      model_.motors.push_back({source.name, joint(source.joint).v0 + source.coordinate, source.effort});
  }

  void add_motions() {
    for (const Motion& source : scene_.motions) {
      const ModelBody& body = joint(source.joint);
      const int v = body.v0 + source.coordinate;
      model_.speeds[static_cast<std::size_t>(v)].motion = static_cast<int>(model_.motions.size());
      model_.motions.push_back({source.name, coordinate_of(body, source.coordinate), v, source.position,
                                source.velocity, source.acceleration});
    }
  }

  // Bodies' shapes come first: of a body and the ground the body is A, and normals point up.
  void add_shapes() {
    model_.materials.emplace_back();
    for (const Material& material : scene_.materials) model_.materials.push_back(material);
    std::unordered_map<std::string_view, const Body*> source_of;
    for (const Body& body : scene_.bodies) source_of.emplace(body.name, &body);
    for (std::size_t b = 1; b < model_.bodies.size(); ++b)
      for (const ShapeInstance& shape : source_of.at(model_.bodies[b].name)->shapes)
        add_shape(shape, static_cast<BodyIndex>(b), find_plane(model_.bodies[b].name));
    for (const ShapeInstance& shape : scene_.shapes) add_shape(shape, kWorldIndex, scene_.planar);
    if (scene_.planar) model_.plane_normal = plane_axes(*scene_.planar).col(2);
  }

  void add_shape(const ShapeInstance& source, BodyIndex body, std::optional<Plane> plane) {
    ModelShape shape{source.name, body, X_JB(body) * shape_pose(source, plane),
                     make_geometry(source.geometry)};
    const auto named = [&](const Material& m) { return m.name == source.material; };
    if (!source.material.empty())
      shape.material =
          static_cast<int>(std::find_if(model_.materials.begin() + 1, model_.materials.end(), named) -
                           model_.materials.begin());
    const Bounds bounds = compute_bounds(shape.geometry, shape.X_JS);
    const Eigen::Vector3d far = bounds.low.cwiseAbs().cwiseMax(bounds.high.cwiseAbs());
    shape.radius = far.maxCoeff() < 1e299 ? far.norm() : std::numeric_limits<double>::infinity();
    model_.shapes.push_back(std::move(shape));
  }

  void exclude_pairs() {
    for (std::size_t b = 1; b < model_.bodies.size(); ++b)
      if (model_.bodies[b].parent != kWorldIndex)
        model_.never_collide.emplace_back(model_.bodies[b].parent, static_cast<BodyIndex>(b));
    for (const ModelConstraint& constraint : model_.constraints) {
      const bool joins = std::holds_alternative<BallConstraint>(constraint.geometry) ||
                         std::holds_alternative<HingeConstraint>(constraint.geometry) ||
                         std::holds_alternative<WeldConstraint>(constraint.geometry);
      if (joins && constraint.a != kWorldIndex && constraint.b != kWorldIndex)
        model_.never_collide.emplace_back(constraint.a, constraint.b);
    }
  }

  const Scene& scene_;
  Model model_;
  std::vector<double> q_, v_;
  std::unordered_map<std::string_view, BodyIndex> index_of_;
  std::unordered_map<std::string_view, Plane> plane_of_;
};

}  // namespace

BodyIndex Model::find_body(std::string_view name) const {
  return find_named(*this, &ModelBody::name, name, "body");
}

BodyIndex Model::find_joint(std::string_view name) const {
  return find_named(*this, &ModelBody::joint_name, name, "joint");
}

bool is_rotation(const Model& model, int speed) {
  const ModelBody& body =
      model.bodies[static_cast<std::size_t>(model.speeds[static_cast<std::size_t>(speed)].body)];
  const int k = speed - body.v0;
  if (body.type == JointType::kPrismatic) return false;
  if (body.type == JointType::kPlanar) return k == 2;
  if (body.type == JointType::kCylindrical) return k == 0;
  return body.type != JointType::kFree || k < 3;
}

Model make_model(const Scene& scene, const UserElements& user) {
  return ModelBuilder(scene).build(user);
}

}  // namespace rigor
