#pragma once

#include <Eigen/Geometry>

namespace rigor {

/// The free rotation of a rigid body about its centre of mass, exact to rounding: Euler's equations by their Taylor
/// series.
///
///     π' = π × Ω,    Ω = I⁻¹ π,    e' = ½ e ∘ Ω                                                               (1)
///
/// π is the angular momentum and Ω the angular velocity in axes of the body, I the inertia there, e the quaternion of
/// R_WJ. Both right sides are bilinear, so the coefficients of the series in time, times h^k, follow from products of
/// those before:
///
///     π_{k+1} = h/(k+1) Σ_j π_j × Ω_{k−j},    e_{k+1} = h/(2(k+1)) Σ_j e_j ∘ Ω_{k−j},    j = 0 … k            (2)
///
/// The sum ends where terms are rounding: after three for a body that hardly turns. A step in which the body may turn
/// by more than ¼ rad is divided into parts; π begins each of them as Rᵀ L, so that the angular momentum L in W is
/// kept whatever the number of steps, and with it, as (1) keeps it, the kinetic energy. Sums and products alone: no
/// function of a mathematical library, the same bits everywhere.
///
/// Departure from the textbook's answer in elliptic functions [LL76, §37]: one formula for all bodies, also where two
/// principal moments nearly agree, and for attitude and momentum together.
///
/// [LL76] L. D. Landau, E. M. Lifshitz. Mechanics. 3rd ed., Butterworth-Heinemann, 1976.
class FreeTop {
 public:
  /// I in axes of the body, about its centre of mass, kg m²; must be positive definite.
  explicit FreeTop(const Eigen::Matrix3d& I);

  /// Turns the unit quaternion e by the motion of h seconds with the angular momentum L in W, N m s. False, and e as
  /// it was, where the body would turn by more than kMostTurn.
  [[nodiscard]] bool turn(const Eigen::Vector3d& L, double h, Eigen::Quaterniond& e) const;

  /// ω in W of the body that stands at R_WJ, rad/s.
  [[nodiscard]] Eigen::Vector3d angular_velocity(const Eigen::Vector3d& L, const Eigen::Matrix3d& R) const;

  static constexpr double kMostTurn = 1000.0;  // rad in one step: more is a mistake in units, or an explosion

 private:
  void turn_part(const Eigen::Vector3d& L, double h, Eigen::Quaterniond& e) const;

  Eigen::Matrix3d inverse_;  // of I, 1/(kg m²)
  double fastest_;           // |ω| is at most this times |L|, 1/(kg m²)
};

}  // namespace rigor
