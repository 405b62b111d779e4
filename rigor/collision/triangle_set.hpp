#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rigor/collision/box_tree.hpp"
#include "rigor/collision/shape.hpp"

namespace rigor {

/// A static surface of triangles made ready for queries: which way each edge bends, and a tree of boxes.
struct TriangleSet {
  std::vector<Eigen::Vector3d> vertices;       // m
  std::vector<std::array<int, 3>> triangles;   // counter-clockwise from outside
  std::vector<Eigen::Vector3d> normals;        // unit, outward
  std::vector<std::array<int, 3>> neighbours;  // across the edge that starts at that corner; −1: none
  bool solid_below{false};                     // a height field: whatever is under it is inside

  BoxTree tree;  // over the triangles

  /// True where the surface bends outwards over the edge (or ends there): a contact may lie on it.
  [[nodiscard]] bool is_ridge(int triangle, int corner) const;

  /// The triangles whose boxes meet `bounds`, in increasing order.
  void find_overlapping(const Bounds& bounds, std::vector<int>& out) const;
};

/// What repair_mesh() did.
struct MeshRepair {
  int degenerate_removed{0};  // triangles without area
  int repeated_removed{0};    // triangles with the corners of an earlier one
  int flipped{0};             // triangles turned to agree with their neighbours
  int open_edges{0};          // edges with a triangle on one side only: a border, or holes; left as they are

  /// "removed 2 triangles without area; turned 1 triangle; 12 open edges left", or "nothing to repair".
  [[nodiscard]] std::string text() const;
};

/// Repairs what has one obvious remedy and says what it did. Throws InvalidInput for the rest: no triangles,
/// a vertex that is not finite, an index out of range, an edge of three triangles, a surface with one side
/// only (Möbius).
MeshRepair repair_mesh(TriangleMesh& mesh);

/// Throws InvalidInput, naming triangle and rule, for a mesh that repair_mesh() would have to change.
[[nodiscard]] TriangleSet make_triangle_set(const TriangleMesh& mesh);

/// Two triangles per cell, split along the diagonal from (x, y) to (x + dx, y + dy).
[[nodiscard]] TriangleSet make_triangle_set(const HeightField& field);

}  // namespace rigor
