#pragma once

#include "rigor/math/rotation.hpp"

/// Spatial vectors: six numbers, angular part first, in axes of the world W, referred to a point.
///
///     motion  V = (ω, v)   angular velocity, velocity of the body's point at the reference point
///     force   F = (n, f)   moment about the reference point, force
///
/// Moving the reference point by r changes V to (ω, v + ω × r), and F (from r back to 0) to (n + r × f, f).
/// Because all axes are those of W, going from body to body is a shift and never a rotation.
/// [J11] A. Jain. Robot and Multibody Dynamics. Springer, 2011, ch. 1 (world-frame spatial operators).
namespace rigor {

template <class T>
using Vec6 = Eigen::Matrix<T, 6, 1>;
template <class T>
using Mat6 = Eigen::Matrix<T, 6, 6>;

template <class T>
using Columns6 = Eigen::Matrix<T, 6, Eigen::Dynamic>;

/// Column i, for inner loops: of fixed size and without a check of i.
template <class T>
[[nodiscard]] inline auto column(const Columns6<T>& S, int i) {
  return Eigen::Map<const Vec6<T>>(S.data() + 6 * static_cast<std::ptrdiff_t>(i));
}
template <class T>
[[nodiscard]] inline auto column(Columns6<T>& S, int i) {
  return Eigen::Map<Vec6<T>>(S.data() + 6 * static_cast<std::ptrdiff_t>(i));
}

/// The same motion at a point that lies r from the old one.
template <class T>
[[nodiscard]] inline Vec6<T> shift_motion(const Vec6<T>& V, const Vec3<T>& r) {
  Vec6<T> shifted = V;
  shifted.template tail<3>() += V.template head<3>().cross(r);
  return shifted;
}

/// The force F, given at a point that lies r from the new one, at the new one.
template <class T>
[[nodiscard]] inline Vec6<T> shift_force(const Vec6<T>& F, const Vec3<T>& r) {
  Vec6<T> shifted = F;
  shifted.template head<3>() += r.cross(F.template tail<3>());
  return shifted;
}

/// Inertia of a rigid body about a reference point O:
///
///     m   mass,   h = m c with c from O to the centre of mass,   I = I_c + m (|c|² 1 − c cᵀ) about O.
template <class T>
struct SpatialInertia {
  T m{0};
  Vec3<T> h{Vec3<T>::Zero()};
  Mat3<T> I{Mat3<T>::Zero()};

  /// The momentum (or force) of a motion: (I ω + h × v, m v + ω × h).
  [[nodiscard]] Vec6<T> operator*(const Vec6<T>& V) const {
    Vec6<T> F;
    F.template head<3>() = times(I, V.template head<3>()) + h.cross(V.template tail<3>());
    F.template tail<3>() = m * V.template tail<3>() + V.template head<3>().cross(h);
    return F;
  }

  /// Adds a body whose reference point lies r from ours.
  void add_shifted(const SpatialInertia& other, const Vec3<T>& r) {
    // I about the new point: I + 2 (h·r) 1 − h rᵀ − r hᵀ + m (|r|² 1 − r rᵀ)
    const Vec3<T> g = other.h + other.m * r;
    Mat3<T> shift = -other.h * r.transpose() - r * g.transpose();
    shift.diagonal().array() += other.h.dot(r) + g.dot(r);
    I += other.I + shift;
    h += g;
    m += other.m;
  }

  /// Whether it is the same about every axis through O, the centre of mass: then no rotation changes it.
  [[nodiscard]] bool is_round() const {
    const T* const entry = I.data();
    bool is = h[0] == T(0) && h[1] == T(0) && h[2] == T(0);
    for (int k = 0; k < 9; ++k) is &= entry[k] == (k % 4 == 0 ? entry[0] : T(0));
    return is;
  }

  /// As a 6 x 6 matrix.
  [[nodiscard]] Mat6<T> matrix() const {
    Mat6<T> A;
    A.template topLeftCorner<3, 3>() = I;
    A.template topRightCorner<3, 3>() = skew(h);
    A.template bottomLeftCorner<3, 3>() = -skew(h);
    A.template bottomRightCorner<3, 3>() = m * Mat3<T>::Identity();
    return A;
  }
};

}  // namespace rigor
