#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "rigor/collision/shape.hpp"
#include "rigor/math/pose.hpp"
#include "rigor/math/time_function.hpp"

/// A scene as its author describes it: plain data, names instead of indices. Scene files are read into it,
/// programs may fill it by hand; check_scene() says what is wrong with it either way. What each field
/// means, its unit, range and default stand in scene_fields.hpp, once for reader, writer, schema and check.
///
/// Frames: W is the world; every body has a frame B. SI units, z up, quaternions w x y z.
namespace rigor {

/// The name by which joints, constraints and forces refer to what does not move.
inline constexpr const char* kWorld = "world";

/// Coulomb's coefficients along a direction and across it: the half-axes of an ellipse of friction.
struct Mu {
  double along{0.5}, across{0.5};

  bool operator==(const Mu&) const = default;
};

/// Where two materials meet, the one of smaller mu.along gives the law of friction; compliances add up.
struct Material {
  std::string name;
  Mu mu;                                 // of sliding friction
  std::optional<double> mu_static;       // of sticking, along; mu where absent
  double slip_speed{1e-3};               // m/s, below which mu_static holds
  std::optional<TimeFunction> mu_curve;  // mu.along against the slip speed s [m/s], in its place
  Eigen::Vector3d direction{Eigen::Vector3d::UnitX()};  // of mu.along, in the shape's frame
  std::optional<double> stiffness;                      // of a contact's normal, N/m; rigid where absent
  double damping{0.0};                                  // N s/m, with stiffness
  std::optional<double>
      friction_stiffness;         // of the bristles of a contact that sticks, N/m; rigid where absent
  double friction_damping{0.0};   // N s/m, with friction_stiffness
  double restitution{0.0};        // 0 … 1
  std::optional<double> density;  // kg/m³
};

struct ShapeInstance {
  std::string name;  // may be empty
  Shape geometry{Sphere{}};
  Pose pose;                      // of the shape in the frame of its body, or in W
  std::string material;           // may be empty: the scene's default material
  std::optional<double> density;  // kg/m³ (kg/m² for disk and polygon)
};

struct Velocity {
  Eigen::Vector3d linear{Eigen::Vector3d::Zero()};   // of B's origin in W, m/s
  Eigen::Vector3d angular{Eigen::Vector3d::Zero()};  // of B in W, in axes of W, rad/s
};

enum class JointType {
  kFree,
  kFixed,
  kRevolute,
  kPrismatic,
  kCylindrical,
  kScrew,
  kUniversal,
  kBall,
  kPlanar
};

/// The number of velocity and of position coordinates of a joint.
struct JointSize {
  int v;
  int q;
};
[[nodiscard]] JointSize joint_size(JointType type);

/// Whether a velocity coordinate is the rate of a position coordinate, an angle or an advance. Rotations of
/// ball joints and of free bodies are not: their position is a quaternion.
[[nodiscard]] bool has_position(JointType type, int coordinate);
/// The joint that a body moves with: in a plane a free body has a planar one.
[[nodiscard]] JointType moving_type(JointType type, bool is_planar);

/// The joint that carries a body: it connects a frame F fixed in the parent with a frame J fixed in the
/// body. At q = 0 both coincide, and the body is where its pose says:
///
///     X_PB(q) = X_PF · X_FJ(q) · X_JB,   X_BJ = joint.pose,   X_PF = body.pose · joint.pose.
///
/// What q and the speeds v are for each type: coordinates_of() in scene_words.hpp.
struct Joint {
  std::string name;  // the body's name where empty
  JointType type{JointType::kFree};
  std::string parent{kWorld};
  Pose pose;                                        // of J in B
  Eigen::Vector3d axis{Eigen::Vector3d::UnitZ()};   // in J, of unit length; planar: the plane's normal
  Eigen::Vector3d axis2{Eigen::Vector3d::UnitX()};  // universal: the second axis, fixed in the body
  double pitch{0.0};                                // screw: advance per angle, m/rad
  std::vector<double> q;                            // initial coordinates; zero where empty
  std::vector<double> v;                            // initial speeds; zero where empty
  std::vector<std::array<double, 2>> limits;        // lower and upper per coordinate; ±inf where open
  double damping{0.0};                              // N s/m or N m s/rad, per coordinate
  double stiffness{0.0};                            // N/m or N m/rad, per coordinate
  std::vector<double> rest;                         // where the spring is slack; zero where empty
  double armature{0.0};                             // added inertia, kg or kg m², per coordinate
};

struct Body {
  std::string name;
  Pose pose;                   // of B in the parent's frame, at joint coordinates zero
  Velocity velocity;           // of a free body
  std::optional<double> mass;  // kg; from shapes and density where absent
  Eigen::Vector3d center_of_mass{Eigen::Vector3d::Zero()};  // in B; used with inertia, or without shapes
  std::vector<double>
      inertia;  // about the centre of mass in axes of B, kg m²: xx yy zz [xy xz yz]; may be empty
  std::optional<double> density;  // kg/m³, of all shapes that have none of their own
  std::vector<ShapeInstance> shapes;
  Joint joint;
};

enum class Plane { kXY, kXZ, kYZ };

/// Bodies that move in a plane: every joint among them keeps them there.
struct Group {
  std::string name;
  Plane planar{Plane::kXZ};
  std::vector<std::string> bodies;
};

// Constraints. Points and axes with suffix a are given in the frame of body a, with b in that of b.
struct BallConstraint {  // point_a = point_b
  Eigen::Vector3d point_a{Eigen::Vector3d::Zero()}, point_b{Eigen::Vector3d::Zero()};
};
struct WeldConstraint {  // frame_a = frame_b
  Pose frame_a, frame_b;
};
struct HingeConstraint {  // point_a = point_b, axis_a ∥ axis_b
  Eigen::Vector3d point_a{Eigen::Vector3d::Zero()}, point_b{Eigen::Vector3d::Zero()};
  Eigen::Vector3d axis_a{Eigen::Vector3d::UnitZ()}, axis_b{Eigen::Vector3d::UnitZ()};
};
struct DistanceConstraint {  // |point_a − point_b| = distance
  Eigen::Vector3d point_a{Eigen::Vector3d::Zero()}, point_b{Eigen::Vector3d::Zero()};
  double distance{0.0};  // m
};
struct PointOnLineConstraint {  // point_a on the line through point_b along axis_b
  Eigen::Vector3d point_a{Eigen::Vector3d::Zero()}, point_b{Eigen::Vector3d::Zero()};
  Eigen::Vector3d axis_b{Eigen::Vector3d::UnitZ()};
};
struct PointInPlaneConstraint {  // axis_b · (point_a − point_b) = 0
  Eigen::Vector3d point_a{Eigen::Vector3d::Zero()}, point_b{Eigen::Vector3d::Zero()};
  Eigen::Vector3d axis_b{Eigen::Vector3d::UnitZ()};
};
struct ParallelAxesConstraint {  // axis_a ∥ axis_b
  Eigen::Vector3d axis_a{Eigen::Vector3d::UnitZ()}, axis_b{Eigen::Vector3d::UnitZ()};
};
/// A ball or a thin disk with its centre at point_a touches the plane through point_b with normal axis_b, on
/// the side to which the normal points, and rolls on it without slip: its lowest point has no velocity
/// relative to b.
struct RollingConstraint {
  Eigen::Vector3d point_a{Eigen::Vector3d::Zero()}, point_b{Eigen::Vector3d::Zero()};
  std::optional<Eigen::Vector3d> axis_a;  // the axle of a disk; a ball where absent
  double radius{0.0};                     // m
  Eigen::Vector3d axis_b{Eigen::Vector3d::UnitZ()};
};
struct KnifeEdgeConstraint {  // axis_a · v = 0, v the velocity of point_a relative to b
  Eigen::Vector3d point_a{Eigen::Vector3d::Zero()};
  Eigen::Vector3d axis_a{Eigen::Vector3d::UnitY()};
};
struct SpeedConstraint {  // axis_b · v = speed, v the velocity of point_a relative to b
  Eigen::Vector3d point_a{Eigen::Vector3d::Zero()};
  Eigen::Vector3d axis_b{Eigen::Vector3d::UnitZ()};
  TimeFunction speed{0.0};  // m/s
};
struct SpinConstraint {  // axis_b · w = speed, w the angular velocity of a relative to b
  Eigen::Vector3d axis_b{Eigen::Vector3d::UnitZ()};
  TimeFunction speed{0.0};  // rad/s
};

using ConstraintGeometry =
    std::variant<BallConstraint, WeldConstraint, HingeConstraint, DistanceConstraint, PointOnLineConstraint,
                 PointInPlaneConstraint, ParallelAxesConstraint, RollingConstraint, KnifeEdgeConstraint,
                 SpeedConstraint, SpinConstraint>;

struct Constraint {
  std::string name;
  ConstraintGeometry geometry{BallConstraint{}};
  std::string a;
  std::string b{kWorld};
  std::optional<double> stiffness;  // N/m or N m/rad; rigid where absent
  double damping{0.0};              // N s/m or N m s/rad, with stiffness
};

/// q_a = ratio · q_b + offset, between one coordinate of each of two joints.
struct Gear {
  std::string name;
  std::string joint_a, joint_b;
  int coordinate_a{0}, coordinate_b{0};
  double ratio{1.0};
  double offset{0.0};
  std::optional<double> stiffness;  // N/m or N m/rad; rigid where absent
  double damping{0.0};              // N s/m or N m s/rad, with stiffness
};

/// A spring and damper along the line between two points.
struct Spring {
  enum class Side { kBoth, kTension, kCompression };  // in which direction it can act

  std::string name;
  std::string a;
  std::string b{kWorld};
  Eigen::Vector3d point_a{Eigen::Vector3d::Zero()}, point_b{Eigen::Vector3d::Zero()};
  double rest_length{0.0};  // m
  double stiffness{0.0};    // N/m
  std::optional<TimeFunction>
      law;  // instead of stiffness: force [N] against x = length − rest_length [m]; pulls where positive
  double damping{0.0};  // N s/m
  Side side{Side::kBoth};
};

/// A force or torque in a joint as a function of time.
struct Motor {
  std::string name;
  std::string joint;
  int coordinate{0};
  TimeFunction effort{0.0};  // N or N m
};

/// A joint coordinate that follows a function of time, whatever force that takes. Exactly one level is given.
struct Motion {
  std::string name;
  std::string joint;
  int coordinate{0};
  std::optional<TimeFunction> position;      // m or rad
  std::optional<TimeFunction> velocity;      // m/s or rad/s
  std::optional<TimeFunction> acceleration;  // m/s² or rad/s²
};

struct Force {
  enum class Frame { kWorldAxes, kBodyAxes };

  std::string name;
  std::string body;
  Eigen::Vector3d point{Eigen::Vector3d::Zero()};     // where the force acts, in B
  Frame frame{Frame::kWorldAxes};                     // axes of force and torque
  std::array<TimeFunction, 3> force{0.0, 0.0, 0.0};   // N
  std::array<TimeFunction, 3> torque{0.0, 0.0, 0.0};  // N m
};

enum class Formulation { kCone, kStewartTrinkle, kAnitescuPotra, kBox, kHybrid, kPhantom, kConvex };
enum class Solver {
  kAuto,
  kLemke,
  kMurty,
  kPrincipalPivot,
  kBlockPivot,
  kDantzig,
  kPgs,
  kNewton,
  kInteriorPoint,
  kEnumerate,
  kNsgs,
  kProximalNewton,
  kAdmm
};

struct RunSettings {
  enum class Method { kSemiImplicit, kRungeKutta4 };
  enum class Positions { kAfter, kBefore };
  enum class OnUnsolved { kStop, kAccept, kHalve };
  enum class Sliding { kLateral, kTangent, kDirections };
  enum class Form { kReduced, kMixed };

  double dt{1e-3};    // s
  double until{1.0};  // s
  Method method{Method::kSemiImplicit};
  Formulation formulation{Formulation::kCone};
  Solver solver{Solver::kAuto};
  Positions positions{Positions::kAfter};  // whether q moves with the new velocity, or first with the old one
  int directions{4};                       // of a polyhedral cone in space; in a plane there are two
  OnUnsolved on_unsolved{OnUnsolved::kStop};
  double tolerance{1e-10};  // largest residual of a step, m/s
  double overlap{0.0};      // that a step may leave, m; 0: tolerance · dt
  int max_iterations{10000};
  double work{1e9};    // multiplications that a step may take for every 100 contact rows, for 300 at least
  double budget{0.0};  // times the usual work of a step that one may take; 0: `work` alone bounds it
  Sliding sliding{Sliding::kLateral};  // of `phantom`
  double phantom_inertia{0.0};         // of `phantom`, kg; 0: from the matrix of each step
  Form form{Form::kReduced};           // of `phantom`
  int threads{1};                      // that share the islands of a step; 0: all cores
};

struct Scene {
  std::string name;
  std::string description;
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};  // m/s²
  std::optional<Plane> planar;               // the whole scene in a plane
  std::vector<Material> materials;
  std::vector<ShapeInstance> shapes;  // fixed in the world
  std::vector<Body> bodies;
  std::vector<Group> groups;
  std::vector<Constraint> constraints;
  std::vector<Gear> gears;
  std::vector<Spring> springs;
  std::vector<Motor> motors;
  std::vector<Motion> motions;
  std::vector<Force> forces;
  RunSettings run;

  // compiled once, in scene.cpp: copies of all parts are much code
  Scene();
  ~Scene();
  Scene(const Scene&);
  Scene(Scene&&) noexcept;
  Scene& operator=(const Scene&);
  Scene& operator=(Scene&&) noexcept;
};

}  // namespace rigor
