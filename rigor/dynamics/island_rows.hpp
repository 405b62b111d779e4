#pragma once

#include "rigor/dynamics/inverse_dynamics.hpp"
#include "rigor/dynamics/islands.hpp"

namespace rigor {

/// The rows (equations) of an island at one motion. Row r reads, with u = J v:
///
///     rigid      Θ = 0,   u − target = 0,   J v̇ + bias = 0
///     elastic    a force −F(x, ẋ) along the row, with ∂F/∂x and ∂F/∂ẋ
///
/// Rigid rows have Θ at the position level only; at the acceleration level their target is u itself. Elastic
/// rows are springs, and constraints that give way, for which F = k Θ + b (u − target).
struct IslandRows {
  Eigen::MatrixXd Jt;  // speeds x rows: column r is row r of J
  Eigen::VectorXd error, target, bias;
  Eigen::VectorXd force, stiffness, damping;  // elastic rows
  std::vector<char> is_rigid;
  std::vector<RowLevel> level;
  std::vector<signed char> side;  // elastic: -1 only pulls (p ≤ 0), +1 only pushes, 0 both
};

/// Room for compute_island_rows().
struct IslandRowsWorkspace {
  ForceSink sink;
  std::vector<Vec6<double>> wrenches;
  Eigen::VectorXd tau;
  std::vector<double> multipliers;
};

/// Fills `rows`. Θ and J need positions; F needs velocities; bias needs the accelerations at v̇ = 0 in the
/// view's kinematics (compute_accelerations() with a zero vector, the world at rest).
void compute_island_rows(const MotionView& view, const Islands& islands, const Island& island,
                         IslandRowsWorkspace& workspace, IslandRows& rows);

}  // namespace rigor
