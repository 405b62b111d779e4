#include "rigor/collision/box_axis.hpp"

#include <cmath>

namespace rigor {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using AxisKind = BoxAxis::Kind;

constexpr double kBias = 1e-14;      // relative: by how much a later kind of axis must be better
constexpr double kRounding = 1e-15;  // relative: error of the closed form times the length of e × f
constexpr double kNoAngle = 1e-30;   // sin²: edges as parallel as rounding can tell

struct Search {
  const BoxPair& pair;
  const Matrix3d C;  // |R_AB|
  const Vector3d p_B;
  const Vector3d& plane;
  const bool is_planar;
  const double bias, rounding;
  AxisKind kind{AxisKind::kFaceB};
  int i{0}, j{0};
  double best{-1e300};

  [[nodiscard]] Vector3d edge_normal(int ei, int ej) const {
    Vector3d n = Vector3d::Zero();
    n[kNextAxis[ei]] = -pair.R_AB(kAfterAxis[ei], ej);
    n[kAfterAxis[ei]] = pair.R_AB(kNextAxis[ei], ej);
    return n.normalized();
  }
  [[nodiscard]] bool is_allowed(const Vector3d& n) const {
    return !is_planar || std::abs(plane.dot(n)) < 1e-6;
  }
  void take(AxisKind new_kind, int new_i, int new_j, double s) {
    kind = new_kind, i = new_i, j = new_j, best = s;
  }

  // The distance of the centres along each axis, less both half widths.
  void try_faces() {
    const Vector3d &p = pair.p_AB, &a = pair.half_a, &b = pair.half_b;
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      const double s = std::abs(p_B[k]) - b[k] - (C(0, k) * a[0] + C(1, k) * a[1] + C(2, k) * a[2]);
      if (s > best && is_allowed(pair.R_AB.col(k))) take(AxisKind::kFaceB, k, 0, s);
    }
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      const double s = std::abs(p[k]) - a[k] - (C(k, 0) * b[0] + C(k, 1) * b[1] + C(k, 2) * b[2]);
      if (s > best + bias && is_allowed(Vector3d::Unit(k))) take(AxisKind::kFaceA, k, 0, s);
    }
  }

  // n = e_i × f_j, with its value by the support functions. The components of n are entries of R itself, so
  // that n is as accurate as R, however short the product is.
  void try_edges(int ei, int ej, double length2) {
    const Matrix3d& R = pair.R_AB;
    const int i1 = kNextAxis[ei], i2 = kAfterAxis[ei];
    const double length = std::sqrt(length2), x = -R(i2, ej) / length, y = R(i1, ej) / length;
    double s = std::abs(x * pair.p_AB[i1] + y * pair.p_AB[i2]) - pair.half_a[i1] * std::abs(x) -
               pair.half_a[i2] * std::abs(y);
    for (int k = 0; k < 3; ++k) s -= pair.half_b[k] * std::abs(x * R(i1, k) + y * R(i2, k));
    if (s > best + bias && is_allowed(edge_normal(ei, ej))) take(AxisKind::kEdges, ei, ej, s);
  }

  // The closed form is value · |e × f|: compared with best · |e × f| by squares, without root or division.
  [[nodiscard]] bool may_win(double scaled, double length2) const {
    const double value = scaled + rounding, limit = best + bias;
    if (value > 0.0) return limit < 0.0 || value * value > limit * limit * length2;
    return limit < 0.0 && value * value < limit * limit * length2;
  }

  void try_all_edges() {
    const Matrix3d& R = pair.R_AB;
    const Vector3d &p = pair.p_AB, &a = pair.half_a, &b = pair.half_b;
#pragma GCC unroll 3
    for (int ej = 0; ej < 3; ++ej) {
      const int j1 = kNextAxis[ej], j2 = kAfterAxis[ej];
#pragma GCC unroll 3
      for (int ei = 0; ei < 3; ++ei) {
        const int i1 = kNextAxis[ei], i2 = kAfterAxis[ei];
        const double length2 = R(i1, ej) * R(i1, ej) + R(i2, ej) * R(i2, ej);
        const double scaled = std::abs(p[i2] * R(i1, ej) - p[i1] * R(i2, ej)) - a[i1] * C(i2, ej) -
                              a[i2] * C(i1, ej) - b[j1] * C(ei, j2) - b[j2] * C(ei, j1);
        if (may_win(scaled, length2) && length2 >= kNoAngle) try_edges(ei, ej, length2);
      }
    }
  }

  // out of B, into A
  [[nodiscard]] Vector3d get_normal() const {
    if (kind == AxisKind::kFaceB)
      return p_B[i] > 0.0 ? Vector3d(-pair.R_AB.col(i)) : Vector3d(pair.R_AB.col(i));
    if (kind == AxisKind::kFaceA) return (pair.p_AB[i] > 0.0 ? -1.0 : 1.0) * Vector3d::Unit(i);
    const Vector3d n = edge_normal(i, j);
    return n.dot(pair.p_AB) > 0.0 ? Vector3d(-n) : n;
  }
};

}  // namespace

BoxAxis find_box_axis(const BoxPair& pair, const Vector3d& plane, double scale, double stop_above) {
  Search search{
      pair,          pair.R_AB.cwiseAbs(), pair.R_AB.transpose() * pair.p_AB, plane, !plane.isZero(0.0),
      kBias * scale, kRounding * scale};
  search.try_faces();
  if (search.best <= stop_above) search.try_all_edges();
  return {search.kind, search.i, search.j, search.best, search.get_normal()};
}

}  // namespace rigor
