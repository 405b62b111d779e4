#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/collision/geometry.hpp"
#include "rigor/math/spatial.hpp"
#include "rigor/model/elements.hpp"
#include "rigor/model/scene.hpp"

/// A scene made ready to compute with: indices instead of names, parents before children, masses worked out.
/// Const after make_model(); any number of States and threads may share it.
namespace rigor {

/// Index of a body in Model::bodies; 0 is the world. A joint has the index of the body it carries.
using BodyIndex = int;
inline constexpr BodyIndex kWorldIndex = 0;

/// A body and the joint that carries it.
///
///     F   frame of the joint fixed in the parent        X_FJ(q) = X_FJ(joint coordinates)
///     J   frame of the joint fixed in the body          X_WJ = X_WJ(parent) · X_PF · X_FJ(q)
///
/// All that is fixed in the body is given in J, whose origin is the body's reference point. A free body (and
/// one that moves in a plane) has J at its centre of mass: then its linear momentum is m v, exactly.
struct ModelBody {
  std::string name;
  std::string joint_name;
  BodyIndex parent{kWorldIndex};
  JointType type{JointType::kFixed};
  int q0{0}, nq{0};  // its coordinates are q[q0 … q0 + nq)
  int v0{0}, nv{0};  // its speeds are v[v0 … v0 + nv)

  Eigen::Vector3d p_PF{Eigen::Vector3d::Zero()};  // F in the J of the parent
  Eigen::Matrix3d R_PF{Eigen::Matrix3d::Identity()};
  Pose X_JB;                                        // the body's own frame B in J
  Eigen::Vector3d axis{Eigen::Vector3d::UnitZ()};   // in F; planar: the normal
  Eigen::Vector3d axis2{Eigen::Vector3d::UnitX()};  // universal: in J; planar: t1 in F
  Eigen::Vector3d axis3{Eigen::Vector3d::UnitY()};  // planar: t2 in F
  double pitch{0.0};                                // screw, m/rad

  SpatialInertia<double> inertia_J;  // about J's origin, in axes of J
  double armature{0.0}, damping{0.0}, stiffness{0.0};
  std::vector<double> rest;  // nq values where stiffness > 0
};

/// A speed of the model: where it belongs in the tree of speeds.
struct ModelSpeed {
  BodyIndex body{0};
  int parent{-1};  // the speed before it on the way to the root, or -1
  int motion{-1};  // the motion that prescribes it, or -1
};

/// A constraint of the scene with its bodies found and its points and axes in their frames J.
struct ModelConstraint {
  std::string name;
  ConstraintGeometry geometry;
  BodyIndex a{0}, b{0};
  std::optional<double> stiffness;
  double damping{0.0};
};

struct ModelGear {
  std::string name;
  int q_a{0}, q_b{0}, v_a{0}, v_b{0};  // indices into q and v
  double ratio{1.0}, offset{0.0};
  std::optional<double> stiffness;
  double damping{0.0};
};

struct ModelSpring {
  Spring spring;  // points in the frames J
  BodyIndex a{0}, b{0};
};

struct ModelForce {
  Force force;  // point and axes in the frame J
  BodyIndex body{0};
};

struct ModelMotor {
  std::string name;
  int v{0};
  TimeFunction effort;
};

struct ModelMotion {
  std::string name;
  int q{-1};  // the coordinate's index in q, -1 where the speed has no coordinate of its own (rotations of
              // ball and free joints)
  int v{0};
  std::optional<TimeFunction> position, velocity, acceleration;
};

/// A joint coordinate that stays between two values.
struct ModelLimit {
  int q{0}, v{0};
  double lower{0.0}, upper{0.0};  // m or rad; infinite where open
};

/// A shape of a body, or of the world.
struct ModelShape {
  std::string name;  // may be empty
  BodyIndex body{kWorldIndex};
  Pose X_JS;
  Geometry geometry;
  double radius{0.0};  // m, of a ball around J's origin that holds it; infinite for a half-space
  int material{0};     // in Model::materials
};

struct Model {
  std::vector<ModelBody> bodies;   // parents before children; [0] is the world
  std::vector<ModelSpeed> speeds;  // one per entry of v
  int nq{0}, nv{0};
  Eigen::Vector3d gravity{Eigen::Vector3d::Zero()};
  std::vector<ModelConstraint> constraints;
  std::vector<ModelGear> gears;
  std::vector<ModelSpring> springs;
  std::vector<ModelForce> forces;
  std::vector<ModelMotor> motors;
  std::vector<ModelMotion> motions;
  std::vector<ModelLimit> limits;
  std::vector<ModelShape> shapes;   // of bodies in their order, then the world's
  std::vector<Material> materials;  // [0] is that of shapes that name none
  /// Bodies whose shapes do not meet: parent and child, and those that a ball, hinge or weld ties.
  std::vector<std::pair<BodyIndex, BodyIndex>> never_collide;
  /// Unit normal of the plane in which contacts lie; zero in space.
  Eigen::Vector3d plane_normal{Eigen::Vector3d::Zero()};
  std::vector<std::shared_ptr<const ConstraintElement>> user_constraints;
  std::vector<std::shared_ptr<const ForceElement>> user_forces;
  Eigen::VectorXd q_initial, v_initial;  // as the scene gives them, not yet assembled

  /// The body or joint of this name; throws InvalidInput naming the closest one.
  [[nodiscard]] BodyIndex find_body(std::string_view name) const;
  [[nodiscard]] BodyIndex find_joint(std::string_view name) const;
};

/// Whether a speed turns its body (rad/s, N m) or moves it along (m/s, N); a screw turns.
[[nodiscard]] bool is_rotation(const Model& model, int speed);

/// Constraints and forces written in C++ that the model gets besides the scene's.
struct UserElements {
  std::vector<std::shared_ptr<const ConstraintElement>> constraints;
  std::vector<std::shared_ptr<const ForceElement>> forces;
};

/// Throws InvalidDocument where the scene fails check_scene().
[[nodiscard]] Model make_model(const Scene& scene, const UserElements& user = {});

}  // namespace rigor
