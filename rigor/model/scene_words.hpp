#pragma once

#include <array>
#include <string_view>

#include "rigor/model/field.hpp"
#include "rigor/model/scene.hpp"

/// The words of the scene format: what enumerators, alternatives and kinds of objects are called in a file.
namespace rigor {

// Names of enumerators and variant alternatives, in their order.
constexpr auto names_of(Kind<JointType>) {
  return std::to_array<std::string_view>(
      {"free", "fixed", "revolute", "prismatic", "cylindrical", "screw", "universal", "ball", "planar"});
}
constexpr auto names_of(Kind<Plane>) {
  return std::to_array<std::string_view>({"xy", "xz", "yz"});
}
constexpr auto names_of(Kind<Spring::Side>) {
  return std::to_array<std::string_view>({"both", "tension", "compression"});
}
constexpr auto names_of(Kind<Force::Frame>) {
  return std::to_array<std::string_view>({"world", "body"});
}
constexpr auto names_of(Kind<TableFunction::Interpolation>) {
  return std::to_array<std::string_view>({"linear", "step"});
}
constexpr auto names_of(Kind<TableFunction::Beyond>) {
  return std::to_array<std::string_view>({"hold", "repeat"});
}
constexpr auto names_of(Kind<RunSettings::Method>) {
  return std::to_array<std::string_view>({"semi-implicit", "runge-kutta-4"});
}
constexpr auto names_of(Kind<RunSettings::Positions>) {
  return std::to_array<std::string_view>({"after", "before"});
}
constexpr auto names_of(Kind<RunSettings::OnUnsolved>) {
  return std::to_array<std::string_view>({"stop", "accept", "halve"});
}
constexpr auto names_of(Kind<RunSettings::Sliding>) {
  return std::to_array<std::string_view>({"lateral", "tangent", "directions"});
}
constexpr auto names_of(Kind<RunSettings::Form>) {
  return std::to_array<std::string_view>({"reduced", "mixed"});
}
constexpr auto names_of(Kind<Formulation>) {
  return std::to_array<std::string_view>(
      {"cone", "stewart-trinkle", "anitescu-potra", "box", "hybrid", "phantom", "convex"});
}
constexpr auto names_of(Kind<Solver>) {
  return std::to_array<std::string_view>({"auto", "lemke", "murty", "principal-pivot", "block-pivot",
                                          "dantzig", "pgs", "newton", "interior-point", "enumerate", "nsgs",
                                          "proximal-newton", "admm"});
}
constexpr auto names_of(Kind<Shape>) {
  return std::to_array<std::string_view>({"sphere", "capsule", "cylinder", "box", "ellipsoid", "cone",
                                          "half-space", "point", "hull", "mesh", "height-field", "disk",
                                          "polygon"});
}
constexpr auto names_of(Kind<ConstraintGeometry>) {
  return std::to_array<std::string_view>({"ball", "weld", "hinge", "distance", "point-on-line",
                                          "point-in-plane", "parallel-axes", "rolling", "knife-edge", "speed",
                                          "spin"});
}

/// What the coordinates q and the speeds v of a joint are, in their order. F is the joint frame fixed in the
/// parent; q = 0 is where F and the body's joint frame coincide.
struct CoordinateText {
  std::string_view q;
  std::string_view v;
};
constexpr auto coordinates_of(Kind<JointType>) {
  constexpr std::string_view kRates = "their rates";
  return std::to_array<CoordinateText>(
      {{"position of the body's centre of mass and quaternion w, x, y, z, in the parent's frame; given by "
        "the "
        "body's `pose`",
        "angular velocity, then velocity of the centre of mass, in axes of the parent; given by the body's "
        "`velocity`"},
       {"none", "none"},
       {"angle about `axis`", "its rate"},
       {"advance along `axis`", "its rate"},
       {"angle about `axis`, then advance along it", kRates},
       {"angle about `axis`; the advance is `pitch` times the angle", "its rate"},
       {"angle about `axis`, then about `axis2`", kRates},
       {"quaternion w, x, y, z", "angular velocity in axes of F"},
       {"advances along t1 and t2, then the angle about `axis`; t1 is the x axis of F projected on the plane "
        "(its y axis where `axis` is within acos 0.9 of x or -x), t2 = `axis` × t1",
        kRates}});
}

// What each struct is called: in "defaults", in the schema and in the reference page.
constexpr const char* kind_name(Kind<Material>) {
  return "material";
}
constexpr const char* kind_name(Kind<ShapeInstance>) {
  return "shape";
}
constexpr const char* kind_name(Kind<Velocity>) {
  return "velocity";
}
constexpr const char* kind_name(Kind<Joint>) {
  return "joint";
}
constexpr const char* kind_name(Kind<Body>) {
  return "body";
}
constexpr const char* kind_name(Kind<Group>) {
  return "group";
}
constexpr const char* kind_name(Kind<Constraint>) {
  return "constraint";
}
constexpr const char* kind_name(Kind<Gear>) {
  return "gear";
}
constexpr const char* kind_name(Kind<Spring>) {
  return "spring";
}
constexpr const char* kind_name(Kind<Motor>) {
  return "motor";
}
constexpr const char* kind_name(Kind<Motion>) {
  return "motion";
}
constexpr const char* kind_name(Kind<Force>) {
  return "force";
}
constexpr const char* kind_name(Kind<SineFunction>) {
  return "sine";
}
constexpr const char* kind_name(Kind<TableFunction>) {
  return "table";
}
constexpr const char* kind_name(Kind<RunSettings>) {
  return "run";
}

}  // namespace rigor
