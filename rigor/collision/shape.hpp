#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <variant>
#include <vector>

#include "rigor/math/mass_properties.hpp"

/// The shapes that bodies are made of, as plain data in their own frame S. Lengths in m; round shapes
/// have their axis along z and their centre at the origin.
namespace rigor {

struct Sphere {
  double radius{0.0};
};

/// A cylinder of this length with a half-sphere on each end.
struct Capsule {
  double radius{0.0};
  double length{0.0};  // without the caps
};

struct Cylinder {
  double radius{0.0};
  double length{0.0};
};

struct Box {
  Eigen::Vector3d size{Eigen::Vector3d::Zero()};  // full edge lengths along x, y, z
};

struct Ellipsoid {
  Eigen::Vector3d radii{Eigen::Vector3d::Zero()};
};

/// A circular cone; its base is at z = −length/2, its tip at z = +length/2.
struct Cone {
  double radius{0.0};
  double length{0.0};
};

/// All points with z ≤ 0 are solid.
struct HalfSpace {};

/// A single point, at the origin.
struct Point {};

/// The convex hull of the points.
struct Hull {
  std::vector<Eigen::Vector3d> points;
};

/// A surface of triangles, each three indices into the vertices, counter-clockwise from outside.
struct TriangleMesh {
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::array<int, 3>> triangles;
};

/// Heights over a grid of rows along y and columns along x, centred at the origin, solid below.
struct HeightField {
  Eigen::Vector2d size{Eigen::Vector2d::Zero()};  // extent along x and y
  std::vector<std::vector<double>> heights;       // rows of equal length, at least 2 by 2
};

/// Planar scenes only: a disk in the scene's plane.
struct Disk {
  double radius{0.0};
};

/// Planar scenes only: a convex polygon in the scene's plane, counter-clockwise.
struct Polygon {
  std::vector<Eigen::Vector2d> points;
};

using Shape = std::variant<Sphere, Capsule, Cylinder, Box, Ellipsoid, Cone, HalfSpace, Point, Hull,
                           TriangleMesh, HeightField, Disk, Polygon>;

/// Mass properties of the shape filled with a material of unit density (1 kg/m³, or 1 kg/m² for disk and
/// polygon, which lie in x, y here). None for shapes without a volume of their own: half-space, point,
/// mesh, height field, and a hull whose points lie in a plane.
[[nodiscard]] std::optional<MassProperties> compute_unit_mass(const Shape& shape);

}  // namespace rigor
