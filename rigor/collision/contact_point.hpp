#pragma once

#include <Eigen/Core>
#include <array>
#include <cassert>
#include <compare>
#include <cstdint>
#include <limits>

namespace rigor {

/// Cosine of the angle, 0.05 rad, up to which two faces touch as faces.
inline constexpr double kCosParallel = 0.99875;

/// The kind of feature of a surface that takes part in a contact.
enum class FeatureKind : std::uint8_t { kFace, kEdge, kVertex, kSmooth };

/// Names the features that touch. It stays the same from step to step while the same features touch, and does
/// not depend on which of the two shapes was the reference. The numbers have no other meaning.
struct FeatureId {
  std::uint32_t part_a{0};  // part of a compound, triangle of a mesh; 0 for others
  std::uint32_t part_b{0};
  std::uint32_t a{0};  // vertex, edge or face of that part
  std::uint32_t b{0};
  auto operator<=>(const FeatureId&) const = default;
};

/// Principal curvatures of a convex surface at a point, 1/m: 0 where flat, 1/r on a sphere, ∞ across an edge
/// and, in both directions, at a vertex.
struct SurfaceCurvature {
  Eigen::Vector3d direction{Eigen::Vector3d::UnitX()};  // of `first`, in the world; unit, ⟂ normal
  double first{0.0};
  double second{0.0};  // in the direction normal × direction

  static constexpr double kSharp = std::numeric_limits<double>::infinity();
};

/// One point of contact between shapes A and B, in the world frame:
///
///     on_a − on_b = gap · normal.
///
/// The witness points on_a and on_b are where the contact is now. As the bodies move it travels over both
/// surfaces, away from the material points that were there (gap_rates.hpp).
struct ContactPoint {
  double gap{0.0};                                   // m; positive apart, negative overlapping
  Eigen::Vector3d normal{Eigen::Vector3d::UnitZ()};  // unit, from B to A
  Eigen::Vector3d on_a{Eigen::Vector3d::Zero()};     // witness on the surface of A, m
  Eigen::Vector3d on_b{Eigen::Vector3d::Zero()};     // witness on the surface of B, m
  FeatureId id{};
  FeatureKind kind_a{FeatureKind::kSmooth};
  FeatureKind kind_b{FeatureKind::kSmooth};
  SurfaceCurvature curvature_a{};
  SurfaceCurvature curvature_b{};
};

/// The points of one pair of convex shapes, at most 8, on the stack. All have the same normal.
class Manifold {
 public:
  static constexpr std::size_t kCapacity = 8;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const ContactPoint& operator[](std::size_t i) const { return points_[i]; }
  [[nodiscard]] ContactPoint& operator[](std::size_t i) { return points_[i]; }
  [[nodiscard]] const ContactPoint* begin() const { return points_.data(); }
  [[nodiscard]] const ContactPoint* end() const { return points_.data() + size_; }
  [[nodiscard]] ContactPoint* begin() { return points_.data(); }
  [[nodiscard]] ContactPoint* end() { return points_.data() + size_; }
  void clear() { size_ = 0; }
  void add(const ContactPoint& point) {
    assert(size_ < kCapacity);
    points_[size_++] = point;
  }

 private:
  std::array<ContactPoint, kCapacity> points_;
  std::size_t size_{0};
};

}  // namespace rigor
