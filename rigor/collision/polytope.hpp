#pragma once

#include <Eigen/Core>
#include <vector>

#include "rigor/math/mass_properties.hpp"

namespace rigor {

/// A plane face n·x = offset with n outward; its corners are loop[first .. first + count), counter-clockwise
/// from outside.
struct PolytopeFace {
  Eigen::Vector3d normal{Eigen::Vector3d::UnitZ()};  // unit
  double offset{0.0};                                // m
  int first{0};
  int count{0};
};

/// From vertex v0 to v1; the face to the left (seen from outside) is f0, to the right f1; −1 where none.
struct PolytopeEdge {
  int v0{0}, v1{0};
  int f0{-1}, f1{-1};
};

/// A convex polyhedron with its topology. Also the thin ones: a triangle has two faces, back to back, a
/// segment one edge and no face, a point one vertex and nothing else.
struct Polytope {
  std::vector<Eigen::Vector3d> vertices;  // m
  std::vector<PolytopeFace> faces;
  std::vector<PolytopeEdge> edges;
  std::vector<int> loop;                            // vertices of all faces, one face after the other
  std::vector<int> loop_edges;                      // the edge that starts at the same place of `loop`
  Eigen::Vector3d center{Eigen::Vector3d::Zero()};  // mean of the vertices, m
  double inradius{0.0};                             // of a ball about `center` inside all faces, m

  /// Index of the vertex furthest along d, the first of equals.
  [[nodiscard]] int find_support(const Eigen::Vector3d& d) const {
    int best = 0;
    double furthest = d.dot(vertices[0]);
    for (std::size_t i = 1; i < vertices.size(); ++i) {
      const double x = d.dot(vertices[i]);
      if (x > furthest) furthest = x, best = static_cast<int>(i);
    }
    return best;
  }
};

/// From vertices and the corners of each face, counter-clockwise from outside: planes (Newell's normal,
/// offset to the outermost corner) and edges follow.
[[nodiscard]] Polytope make_polytope(std::vector<Eigen::Vector3d> vertices,
                                     const std::vector<std::vector<int>>& face_loops);

/// Edges along the axes; half lengths in m. Vertex i has the sign of bit k of i along axis k.
[[nodiscard]] Polytope make_box_polytope(const Eigen::Vector3d& half);

/// From z = −half to +half over a convex polygon, counter-clockwise.
[[nodiscard]] Polytope make_prism_polytope(const std::vector<Eigen::Vector2d>& corners, double half);

/// On the z axis, from −half to +half.
[[nodiscard]] Polytope make_segment_polytope(double half);

[[nodiscard]] Polytope make_point_polytope();

/// Makes `polytope` a triangle, without allocating when it was one before.
void set_triangle(Polytope& polytope, const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                  const Eigen::Vector3d& c);

/// Of the solid with unit density, by tetrahedra from `center` to the triangles of each face.
[[nodiscard]] MassProperties compute_unit_mass(const Polytope& polytope);

}  // namespace rigor
