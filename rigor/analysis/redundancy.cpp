#include "rigor/analysis/redundancy.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "rigor/dynamics/projection.hpp"
#include "rigor/math/orthogonal_factor.hpp"
#include "rigor/math/orthogonal_solve.hpp"
#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

// Nearby states lie this far (m or rad) along motions that obey the rows to first order, and are then
// projected. Where the constraints touch instead of crossing, a state off them by 1e-12 is 1e-6 away from
// them, and rows stick out by as much: that is not independence.
constexpr double kNearby = 0.02;
constexpr int kDirections = 48;
constexpr double kNearbyTolerance = 1e-5;
// What counts as "takes part" in the combination that a redundant row is.
constexpr double kTakesPart = 1e-8;

// The rigid rows of an island over its free speeds, each of length 1 (or zero), as columns.
Eigen::MatrixXd rigid_rows(const ConstrainedSystem& system, std::size_t i, std::vector<int>& rows) {
  const Island& island = system.islands().list[i];
  const IslandRows& all = system.rows(i);
  rows.clear();
  for (int r = 0; r < island.rows; ++r)
    if (all.is_rigid[static_cast<std::size_t>(r)]) rows.push_back(r);
  Eigen::MatrixXd A(island.speeds, static_cast<Eigen::Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    auto column = A.col(static_cast<Eigen::Index>(k));
    column = all.Jt.col(rows[k]);
    for (const TreeRange& tree : island.trees)
      for (int s = tree.begin; s < tree.end; ++s)
        if (system.is_fixed()[static_cast<std::size_t>(s)]) column[s - tree.begin + tree.offset] = 0.0;
    if (column.norm() > 0.0) column.normalize();
  }
  return A;
}

int count_independent(ConstrainedSystem& system, const State& state) {
  system.set_motion(state.q, state.v);
  system.compute_rows(state.t);
  OrthogonalFactor factor;
  std::vector<int> rows;
  int independent = 0;
  for (std::size_t i = 0; i < system.islands().list.size(); ++i) {
    factor.compute(rigid_rows(system, i, rows), kNearbyTolerance);
    independent += static_cast<int>(factor.rank());
  }
  return independent;
}

// An orthonormal basis of the motions that obey the rows to first order.
Eigen::MatrixXd compute_free_directions(const ConstrainedSystem& system) {
  std::vector<Eigen::VectorXd> basis;
  const auto add_tree_motions = [&](const Eigen::MatrixXd& Z, const std::vector<TreeRange>& trees) {
    for (Eigen::Index j = 0; j < Z.cols(); ++j) {
      Eigen::VectorXd motion = Eigen::VectorXd::Zero(system.model().nv);
      for (const TreeRange& tree : trees)
        for (int s = tree.begin; s < tree.end; ++s)
          motion[s] =
              system.is_fixed()[static_cast<std::size_t>(s)] ? 0.0 : Z(s - tree.begin + tree.offset, j);
      if (motion.norm() > 1e-3) basis.push_back(motion.normalized());
    }
  };
  OrthogonalFactor factor;
  std::vector<int> rows;
  for (std::size_t i = 0; i < system.islands().list.size(); ++i) {
    factor.compute(rigid_rows(system, i, rows), OrthogonalFactor::kTolerance);
    Eigen::MatrixXd Z;
    factor.compute_null_basis(Z);
    add_tree_motions(Z, system.islands().list[i].trees);
  }
  Eigen::MatrixXd all(system.model().nv, static_cast<Eigen::Index>(basis.size()));
  for (std::size_t k = 0; k < basis.size(); ++k) all.col(static_cast<Eigen::Index>(k)) = basis[k];
  return all;
}

// The k-th of kDirections unit vectors in the span of Z: around the circle where it is a plane, else spread
// over the sphere.
Eigen::VectorXd make_direction(const Eigen::MatrixXd& Z, int k) {
  Eigen::VectorXd parts(Z.cols());
  const double angle = 3.14159265358979323846 * k / kDirections;
  for (Eigen::Index j = 0; j < parts.size(); ++j)
    parts[j] = parts.size() == 2 ? (j == 0 ? portable::cos(angle) : portable::sin(angle))
                                 : portable::sin(1.0 + 2.3 * k + 1.7 * k * static_cast<double>(j));
  if (parts.norm() == 0.0) parts[0] = 1.0;
  return Z * parts.normalized();
}

// Moves q onto the position constraints by damped least squares. Newton's method would not do: beside a
// singular state rows that should follow from the others do so only on the constraints, and solving them
// exactly leads back to it.
bool settle(ConstrainedSystem& system, State& state) {
  const Model& model = system.model();
  constexpr double kDamping = 1e-6;  // (5 % of kNearby)²: rows that stick out by less are left alone
  constexpr int kIterations = 60;
  double worst = 0.0;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    system.set_motion(state.q, state.v);
    system.compute_rows(state.t);
    worst = 0.0;
    Eigen::VectorXd step = Eigen::VectorXd::Zero(model.nv);
    for (std::size_t i = 0; i < system.islands().list.size(); ++i) {
      const Island& island = system.islands().list[i];
      const IslandRows& rows = system.rows(i);
      Eigen::MatrixXd A = rows.Jt;
      Eigen::VectorXd error = rows.error;
      for (Eigen::Index r = 0; r < A.cols(); ++r) {
        const auto row = static_cast<std::size_t>(r);
        if (rows.is_rigid[row] && rows.level[row] == RowLevel::kPosition) continue;
        A.col(r).setZero();
        error[r] = 0.0;
      }
      for (const TreeRange& tree : island.trees)
        for (int s = tree.begin; s < tree.end; ++s)
          if (system.is_fixed()[static_cast<std::size_t>(s)]) A.row(s - tree.begin + tree.offset).setZero();
      worst = std::max(worst, error.cwiseAbs().maxCoeff());
      Eigen::MatrixXd normal = A.transpose() * A;
      normal.diagonal().array() += kDamping;
      const Eigen::VectorXd d = -A * solve_positive(normal, error);
      for (const TreeRange& tree : island.trees)
        step.segment(tree.begin, tree.end - tree.begin) = d.segment(tree.offset, tree.end - tree.begin);
    }
    if (worst <= Projector::kTolerance) return true;
    move(model, step, state.q);
  }
  return worst <= 1e-10;
}

// Goes through an island's rows in order and keeps an orthonormal basis of those so far.
void find_in_island(const ConstrainedSystem& system, std::size_t i, RedundancyReport& report) {
  const Model& model = system.model();
  const Island& island = system.islands().list[i];
  std::vector<int> rows;
  const Eigen::MatrixXd A = rigid_rows(system, i, rows);
  Eigen::MatrixXd Q(A.rows(), 0);
  std::vector<Eigen::Index> basis;  // columns of A
  for (Eigen::Index k = 0; k < A.cols(); ++k) {
    Eigen::VectorXd rest = A.col(k);
    for (int pass = 0; pass < 2; ++pass) rest -= Q * (Q.transpose() * rest);
    if (rest.norm() > OrthogonalFactor::kTolerance) {
      Q.conservativeResize(Eigen::NoChange, Q.cols() + 1);
      Q.col(Q.cols() - 1) = rest.normalized();
      basis.push_back(k);
      continue;
    }
    RedundantRow redundant{describe_row(model, island, rows[static_cast<std::size_t>(k)]), {}};
    if (A.col(k).norm() > 0.0) {
      Eigen::MatrixXd B(A.rows(), static_cast<Eigen::Index>(basis.size()));
      for (std::size_t b = 0; b < basis.size(); ++b) B.col(static_cast<Eigen::Index>(b)) = A.col(basis[b]);
      OrthogonalFactor factor;
      factor.compute(B);
      Eigen::VectorXd parts;
      factor.solve(A.col(k), parts);
      std::set<int> blocks;
      for (std::size_t b = 0; b < basis.size(); ++b) {
        if (std::abs(parts[static_cast<Eigen::Index>(b)]) < kTakesPart) continue;
        const int row = rows[static_cast<std::size_t>(basis[b])];
        for (std::size_t j = 0; j < island.blocks.size(); ++j)
          if (row >= island.blocks[j].first && row < island.blocks[j].first + island.blocks[j].count)
            blocks.insert(static_cast<int>(j));
      }
      for (const int j : blocks)
        redundant.follows.push_back(describe_block(model, island.blocks[static_cast<std::size_t>(j)]));
    }
    report.redundant.push_back(std::move(redundant));
  }
  report.equations += static_cast<int>(A.cols());
  report.independent += static_cast<int>(basis.size());
}

}  // namespace

RedundancyReport find_redundancy(const Model& model, const State& state) {
  ConstrainedSystem system(model);
  system.set_motion(state.q, state.v);
  system.compute_rows(state.t);
  RedundancyReport report;
  report.speeds = static_cast<int>(std::count(system.is_fixed().begin(), system.is_fixed().end(), 0));
  for (std::size_t i = 0; i < system.islands().list.size(); ++i) find_in_island(system, i, report);
  report.degrees_of_freedom = report.speeds - report.independent;

  report.independent_nearby = report.independent;
  if (report.redundant.empty()) return report;
  const Eigen::MatrixXd Z = compute_free_directions(system);
  for (int k = 0; k < kDirections && Z.cols() > 0; ++k) {
    const Eigen::VectorXd step = kNearby * make_direction(Z, k);
    State nearby = state;
    move(model, step, nearby.q);
    // what leads back to where it came from says nothing
    if (!settle(system, nearby) || (nearby.q - state.q).norm() < 0.5 * step.norm()) continue;
    report.independent_nearby = std::max(report.independent_nearby, count_independent(system, nearby));
  }
  return report;
}

}  // namespace rigor
