#include "rigor/dynamics/projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/dynamics/overflow.hpp"

namespace rigor {
namespace {

constexpr int kMaxIterations = 100;
constexpr int kMaxHalvings = 8;
// The error that remains because the coordinates themselves are rounded.
constexpr double kAcceptable = 1e-10;

}  // namespace

Projector::Projector(ConstrainedSystem& system) : system_(system) {
  epsilon_.resize(system.islands().list.size());
  b_.resize(epsilon_.size());
  zero_.setZero(system.model().nv);
}

void Projector::set_prescribed(double t, Eigen::VectorXd& q, Eigen::VectorXd& v) const {
  for (const ModelMotion& motion : system_.model().motions) {
    if (motion.position) {
      const Jet value = evaluate_jet(*motion.position, t);
      q[motion.q] = value.value;
      v[motion.v] = value.first;
    } else if (motion.velocity) {
      v[motion.v] = evaluate(*motion.velocity, t);
    }
  }
}

void Projector::switch_elastic_off() {
  for (std::size_t i = 0; i < epsilon_.size(); ++i) {
    const IslandRows& rows = system_.rows(i);
    epsilon_[i].setZero(rows.error.size());
    b_[i].setZero(rows.error.size());
    for (Eigen::Index r = 0; r < rows.error.size(); ++r)
      if (!rows.is_rigid[static_cast<std::size_t>(r)])
        epsilon_[i][r] = std::numeric_limits<double>::infinity();
  }
}

// Sets b_ to −Θ of the rigid rows, 0 for rows on velocities; returns the largest.
double Projector::compute_position_errors(double t, const Eigen::VectorXd& q) {
  system_.set_motion(q, zero_);
  system_.compute_rows(t);
  switch_elastic_off();
  double worst = 0.0;
  for (std::size_t i = 0; i < b_.size(); ++i) {
    const IslandRows& rows = system_.rows(i);
    for (Eigen::Index r = 0; r < b_[i].size(); ++r) {
      const auto row = static_cast<std::size_t>(r);
      if (!rows.is_rigid[row] || rows.level[row] != RowLevel::kPosition) continue;
      b_[i][r] = -rows.error[r];
      raise_worst(worst, std::abs(rows.error[r]));
    }
  }
  return worst;
}

ProjectionResult Projector::project_positions(double t, Eigen::VectorXd& q) {
  ProjectionResult result;
  result.error = compute_position_errors(t, q);
  for (; result.error > kTolerance && result.iterations < kMaxIterations; ++result.iterations) {
    system_.compute_inertia(zero_);
    result.massless_speed = system_.factor_rows(epsilon_);
    if (result.massless_speed >= 0) return result;
    d_.setZero(system_.model().nv);
    system_.solve(zero_, b_, d_);

    // half a step where the whole would increase the error
    double error = 0.0;
    for (int halving = 0; halving <= kMaxHalvings; ++halving, d_ *= 0.5) {
      trial_ = q;
      move(system_.model(), d_, trial_);
      error = compute_position_errors(t, trial_);
      if (error < result.error) break;
    }
    if (!(error < result.error)) {
      compute_position_errors(t, q);
      break;
    }
    q = trial_;
    result.error = error;
  }
  result.ok = result.error <= kAcceptable;
  return result;
}

ProjectionResult Projector::project_velocities(double t, const Eigen::VectorXd& q, Eigen::VectorXd& v) {
  ProjectionResult result;
  system_.set_motion(q, v);
  system_.compute_rows(t);
  switch_elastic_off();
  for (std::size_t i = 0; i < b_.size(); ++i)
    for (Eigen::Index r = 0; r < b_[i].size(); ++r)
      if (system_.rows(i).is_rigid[static_cast<std::size_t>(r)]) b_[i][r] = system_.rows(i).target[r];
  system_.compute_inertia(zero_);
  result.massless_speed = system_.factor_rows(epsilon_);
  if (result.massless_speed >= 0) return result;
  system_.M().multiply(v, f_);
  system_.solve(f_, b_, v);
  result.iterations = 1;
  double scale = 1.0;
  for (std::size_t i = 0; i < b_.size(); ++i) {
    raise_worst(result.error, system_.inertia(i).residual());
    if (b_[i].size() > 0) scale = std::max(scale, b_[i].cwiseAbs().maxCoeff());
    b_[i] = system_.inertia(i).residuals();
  }
  result.ok = result.error <= kAcceptable * scale;
  return result;
}

std::vector<Violation> Projector::list_violations(double tolerance) const {
  std::vector<Violation> list;
  for (std::size_t i = 0; i < b_.size(); ++i)
    for (Eigen::Index r = 0; r < b_[i].size(); ++r)
      if (system_.rows(i).is_rigid[static_cast<std::size_t>(r)] && std::abs(b_[i][r]) > tolerance)
        list.push_back({describe_row(system_.model(), system_.islands().list[i], static_cast<int>(r)),
                        std::abs(b_[i][r]), find_partners(i, r)});
  std::stable_sort(list.begin(), list.end(),
                   [](const Violation& a, const Violation& b) { return a.value > b.value; });
  return list;
}

// The elements whose rows combine to this one: they contradict it.
std::vector<std::string> Projector::find_partners(std::size_t i, Eigen::Index row) const {
  const Island& island = system_.islands().list[i];
  const IslandRows& rows = system_.rows(i);
  Eigen::MatrixXd others = rows.Jt;
  Eigen::VectorXd own = rows.Jt.col(row), parts;
  others.col(row).setZero();
  for (Eigen::Index r = 0; r < others.cols(); ++r)
    if (!rows.is_rigid[static_cast<std::size_t>(r)]) others.col(r).setZero();
  for (const TreeRange& tree : island.trees)
    for (int s = tree.begin; s < tree.end; ++s) {
      if (!system_.is_fixed()[static_cast<std::size_t>(s)]) continue;
      others.row(s - tree.begin + tree.offset).setZero();
      own[s - tree.begin + tree.offset] = 0.0;
    }
  OrthogonalFactor factor;
  factor.compute(others);
  factor.solve(own, parts);
  std::vector<std::string> names;
  for (const RowBlock& block : island.blocks) {
    if (row >= block.first && row < block.first + block.count) continue;
    bool takes_part = false;
    for (int r = block.first; r < block.first + block.count; ++r)
      takes_part = takes_part || std::abs(parts[r]) * others.col(r).norm() > 1e-6 * own.norm();
    if (takes_part) names.push_back(describe_block(system_.model(), block));
  }
  return names;
}

}  // namespace rigor
