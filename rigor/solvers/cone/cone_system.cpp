#include "rigor/solvers/cone/cone_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/math/block3.hpp"

namespace rigor {
namespace {

// u += W r, W by rows, two rows at a time. The order of each sum is the same on every machine.
RIGOR_KERNEL void add_rows(const double* W, long rows, long columns, const double* r, double* u) {
  for (long i = 0; i < rows; i += 2) {
    const bool is_last = i + 1 == rows;
    const double *const A = W + i * columns, *const B = is_last ? A : A + columns;
    Column3 a{}, b{};
    long j = 0;
    for (; j + 4 <= columns; j += 4) {
      Column3 own, first, second;
      load_lanes(r + j, own);
      load_lanes(A + j, first);
      load_lanes(B + j, second);
      a += first * own;
      b += second * own;
    }
    double s = (a[0] + a[1]) + (a[2] + a[3]), t = (b[0] + b[1]) + (b[2] + b[3]);
    for (; j < columns; ++j) s += A[j] * r[j], t += B[j] * r[j];
    u[i] += s;
    if (!is_last) u[i + 1] += t;
  }
}

}  // namespace

void ConeSystem::set(const ConeProblem& problem) {
  const double mean = problem.W.rows() > 0 ? problem.W.diagonal().mean() : 1.0;
  mean_diagonal = mean > 0.0 ? mean : 1.0;
  W = problem.W / mean_diagonal;
  q = problem.q;
  blocks = problem.blocks;
  for (ConeBlock& block : blocks) block.bounds = block.bounds.times(mean_diagonal);
  associated = problem.associated;
  symmetric = true;
  for (Eigen::Index i = 0; i < W.rows() && symmetric; ++i)
    for (Eigen::Index j = 0; j < i; ++j) symmetric = symmetric && std::fabs(W(i, j) - W(j, i)) <= 1e-12;
  rho.resize(blocks.size());
  local.resize(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const ConeBlock& block = blocks[i];
    const double* diagonal = W.data() + block.first * (W.cols() + 1);
    double trace = 0.0;
    for (int k = 0; k < block.size; ++k) trace += W(block.first + k, block.first + k);
    rho[i] = 1.0 / std::max(trace / block.size, 1e-12);
    local[i].prepare(block, diagonal, W.cols());
  }
}

void ConeSystem::compute_velocity(const Eigen::VectorXd& r, Eigen::VectorXd& u) const {
  u = q;
  call_with_avx<add_rows>(W.data(), static_cast<long>(W.rows()), static_cast<long>(W.cols()), r.data(),
                          u.data());
}

double ConeSystem::residual(const Eigen::VectorXd& r, const Eigen::VectorXd& u) const {
  double sum = 0.0;
  for (const ConeBlock& block : blocks)
    sum += squared_block_residual(block, associated, r.data() + block.first, u.data() + block.first);
  return std::isfinite(sum) ? std::sqrt(sum) : std::numeric_limits<double>::infinity();
}

void ConeSystem::project(Eigen::VectorXd& r) const {
  for (const ConeBlock& block : blocks) project_on_cone(block, r.data() + block.first);
}

bool ConeSystem::sweep(Eigen::VectorXd& r) const {
  bool all = true;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const int first = blocks[i].first, size = blocks[i].size;
    double velocity[3];
    for (int k = 0; k < size; ++k) {
      velocity[k] = q[first + k] + W.row(first + k).dot(r);
      for (int j = 0; j < size; ++j) velocity[k] -= W(first + k, first + j) * r[first + j];
    }
    all = local[i].solve(velocity, associated, r.data() + first) && all;
  }
  return all;
}

}  // namespace rigor
