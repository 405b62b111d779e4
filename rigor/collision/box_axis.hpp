#pragma once

#include <Eigen/Core>

namespace rigor {

/// The axes that follow x, y and z, and those that come after them.
inline constexpr int kNextAxis[3] = {1, 2, 0}, kAfterAxis[3] = {2, 0, 1};

/// Two boxes about their own origins, and where B is in A's frame.
struct BoxPair {
  Eigen::Vector3d half_a, half_b;  // half edges, m
  Eigen::Matrix3d R_AB;
  Eigen::Vector3d p_AB;  // m
};

/// A direction that separates two boxes most, and what it is perpendicular to.
struct BoxAxis {
  enum class Kind { kFaceB, kFaceA, kEdges } kind{Kind::kFaceB};
  int i{0}, j{0};                               // axis of the face; edges: along A's axis i and B's axis j
  double separation{-1e300};                    // m
  Eigen::Vector3d n{Eigen::Vector3d::UnitZ()};  // unit, from B to A, in A's frame
};

/// The best of the 15 directions among which the separation of overlapping boxes has its maximum: the axes of
/// both, and their cross products [1]. Between equal values, to 1e-14 of `scale`, B's faces come before A's
/// and faces before edges. A value above `stop_above` ends the search. Normals with a component along `plane`
/// (0: none) are left out.
///
/// For edges at a small angle φ the closed form divides rounding errors by sin φ. So it only chooses which
/// axes are tried; their value is then n·(support of A − support of B), correct to rounding for any n.
///
/// [1] S. Gottschalk, M. Lin, D. Manocha. OBBTree. SIGGRAPH 1996.
[[nodiscard]] BoxAxis find_box_axis(const BoxPair& pair, const Eigen::Vector3d& plane, double scale,
                                    double stop_above);

}  // namespace rigor
