#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <type_traits>
#include <utility>

#include "rigor/math/portable.hpp"

/// Rotations, templates on the scalar T so that derivatives can run through them.
namespace rigor {

template <class T>
using Vec3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using Mat3 = Eigen::Matrix<T, 3, 3>;

/// A b and A B, unrolled column by column: for 3 x 3 Eigen's own products are loops and calls, several times
/// slower.
template <class T, class Vector>
[[nodiscard]] inline Vec3<T> times(const Mat3<T>& A, const Eigen::MatrixBase<Vector>& b) {
  return A.col(0) * b[0] + A.col(1) * b[1] + A.col(2) * b[2];
}
template <class T>
[[nodiscard]] inline Mat3<T> product(const Mat3<T>& A, const Mat3<T>& B) {
  Mat3<T> AB;
  const T* const a = A.data();  // by columns
  for (int j = 0; j < 3; ++j) {
    const T* const b = B.data() + 3 * j;
    T* const ab = AB.data() + 3 * j;
    ab[0] = a[0] * b[0] + a[3] * b[1] + a[6] * b[2];
    ab[1] = a[1] * b[0] + a[4] * b[1] + a[7] * b[2];
    ab[2] = a[2] * b[0] + a[5] * b[1] + a[8] * b[2];
  }
  return AB;
}

/// R I Rᵀ for a symmetric I: six entries computed, three copied.
template <class T>
[[nodiscard]] inline Mat3<T> rotated(const Mat3<T>& R, const Mat3<T>& I) {
  const Mat3<T> RI = product(R, I);
  Mat3<T> result;
  const T *const a = RI.data(), *const r = R.data();
  T* const to = result.data();
  to[0] = a[0] * r[0] + a[3] * r[3] + a[6] * r[6];
  to[1] = to[3] = a[0] * r[1] + a[3] * r[4] + a[6] * r[7];
  to[2] = to[6] = a[0] * r[2] + a[3] * r[5] + a[6] * r[8];
  to[4] = a[1] * r[1] + a[4] * r[4] + a[7] * r[7];
  to[5] = to[7] = a[1] * r[2] + a[4] * r[5] + a[7] * r[8];
  to[8] = a[2] * r[2] + a[5] * r[5] + a[8] * r[8];
  return result;
}

/// skew(a) b = a × b
template <class T>
[[nodiscard]] Mat3<T> skew(const Vec3<T>& a) {
  Mat3<T> A;
  A << T(0), -a.z(), a.y(), a.z(), T(0), -a.x(), -a.y(), a.x(), T(0);
  return A;
}

/// sin and cos of a scalar, which are found together where it is a double.
template <class T>
[[nodiscard]] auto sine_cosine(const T& angle) {
  if constexpr (std::is_same_v<T, double>) return portable::sine_cosine(angle);
  if constexpr (!std::is_same_v<T, double>) return std::pair<T, T>(sin(angle), cos(angle));
}

/// Rotation by `angle` [rad] about the unit vector a (Rodrigues): R = c 1 + s skew(a) + (1 − c) a aᵀ.
template <class T>
[[nodiscard]] Mat3<T> rotation_about(const Eigen::Vector3d& a, const T& angle) {
  const auto [s, c] = sine_cosine(angle);
  const T d = T(1) - c;
  const T sx = s * a.x(), sy = s * a.y(), sz = s * a.z();
  const T dxy = d * (a.x() * a.y()), dxz = d * (a.x() * a.z()), dyz = d * (a.y() * a.z());
  Mat3<T> R;
  R << c + d * (a.x() * a.x()), dxy - sz, dxz + sy,  //
      dxy + sz, c + d * (a.y() * a.y()), dyz - sx,   //
      dxz - sy, dyz + sx, c + d * (a.z() * a.z());
  return R;
}

/// The unit quaternion of the rotation vector w: by |w| [rad] about w. Smooth at w = 0.
template <class T>
[[nodiscard]] Eigen::Quaternion<T> quaternion_exp(const Vec3<T>& w) {
  using std::sqrt;
  const T square = w.squaredNorm();
  // sin(x/2)/x by its series where x⁶/645120 is below rounding
  if (square < T(1e-5))
    return Eigen::Quaternion<T>(T(1) - square / T(8) + square * square / T(384),
                                w.x() * (T(0.5) - square / T(48)), w.y() * (T(0.5) - square / T(48)),
                                w.z() * (T(0.5) - square / T(48)));
  const T angle = sqrt(square);
  const auto [s, c] = sine_cosine(T(angle / T(2)));
  const T k = s / angle;
  return Eigen::Quaternion<T>(c, w.x() * k, w.y() * k, w.z() * k);
}

/// The rotation vector of a unit quaternion, |w| ≤ π: the inverse of quaternion_exp().
template <class T>
[[nodiscard]] Vec3<T> quaternion_log(const Eigen::Quaternion<T>& q) {
  using portable::atan2, std::sqrt;
  const T sign = q.w() < T(0) ? T(-1) : T(1);
  const T square = q.vec().squaredNorm();
  if (square < T(1e-12)) return q.vec() * (sign * (T(2) + square / T(3)));
  const T s = sqrt(square);
  return q.vec() * (sign * T(2) * atan2(s, sign * q.w()) / s);
}

/// Two unit vectors that make a right-handed frame with the unit vector n:
/// t1 is x projected on the plane across n (y where |n·x| > 0.9), t2 = n × t1.
struct Tangents {
  Eigen::Vector3d t1, t2;
};
[[nodiscard]] inline Tangents tangents_of(const Eigen::Vector3d& n) {
  const Eigen::Vector3d seed = std::abs(n.x()) > 0.9 ? Eigen::Vector3d(Eigen::Vector3d::UnitY())
                                                     : Eigen::Vector3d(Eigen::Vector3d::UnitX());
  const Eigen::Vector3d t1 = (seed - n * n.dot(seed)).normalized();
  return {t1, n.cross(t1)};
}

}  // namespace rigor
