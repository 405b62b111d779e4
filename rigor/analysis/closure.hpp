#pragma once

#include "rigor/analysis/sticking.hpp"

namespace rigor {

/// Form and force closure of first order: whether contacts hold an object against every wrench on the given
/// coordinates [BKA, Remark 6; Lakshminarayana, Bicchi].
///
///     form    Nᵀ y ≥ 0 only for y = 0             (no friction needed)
///     force   the cones of the contact forces span all wrenches: Cᵀ y ∈ K* only for y = 0.
///
/// Both hold iff the rows have full rank and forces inside all cones exist that do nothing. The weakest
/// wrench is the unit one (in the given coordinates) that asks for the largest normal forces: 1/`weakest`
/// newtons of Σ λn per newton, so that `weakest` is the radius of the largest ball of wrenches that Σ λn ≤ 1
/// withstands; found among ± the coordinates and by descent from there, an upper bound on the radius.
struct Closure {
  Answer form{Answer::kUndecided};
  Answer force{Answer::kUndecided};
  Eigen::VectorXd escape;          // a motion that no contact prevents, where force closure fails
  double weakest{0.0};             // newtons per newton of Σ λn
  Eigen::VectorXd weakest_wrench;  // on the coordinates, unit length
};

/// `coordinates`: those of the object; its contacts are those that touch them. Other coordinates are held.
[[nodiscard]] Closure find_closure(const AccelerationProblem& problem, const std::vector<int>& coordinates);

}  // namespace rigor
