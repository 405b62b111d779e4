#include "rigor/analysis/redundancy.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "rigor/dynamics/projection.hpp"
#include "rigor/math/orthogonal_factor.hpp"

namespace rigor {
namespace {

constexpr double kTolerance = OrthogonalFactor::kTolerance;
// Nearby states lie a hundredth away and obey the constraints to rounding only. Where the constraints touch instead
// of crossing, a state off them by 1e-13 is 3e-7 away from them, and rows stick out by as much: that is not independence.
constexpr double kNearby = 1e-2;
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
    if (rest.norm() > kTolerance) {
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
  Projector projector(system);
  for (int direction = 1; direction <= 3; ++direction) {
    State nearby = state;
    Eigen::VectorXd step(model.nv);
    for (int k = 0; k < model.nv; ++k)
      step[k] = system.is_fixed()[static_cast<std::size_t>(k)] ? 0.0 : kNearby * std::sin(direction + 1.7 * direction * k);
    move(model, step, nearby.q);
    if (!projector.project_positions(nearby.t, nearby.q).ok) continue;
    report.independent_nearby = std::max(report.independent_nearby, count_independent(system, nearby));
  }
  return report;
}

}  // namespace rigor
