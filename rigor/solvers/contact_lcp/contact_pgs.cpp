#include "rigor/solvers/contact_lcp/contact_pgs.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <functional>

#include "rigor/base/require.hpp"
#include "rigor/base/work.hpp"

namespace rigor {
namespace {

constexpr int kMaxDirections = 64;

}  // namespace

void project_on_simplex(const double* y, int count, double radius, double* beta, double& threshold) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += beta[i] = std::max(0.0, y[i]);
  threshold = 0.0;
  if (sum <= radius) return;
  // the threshold at which the positive parts sum up to the radius [Held, Wolfe, Crowder 1974]
  std::array<double, kMaxDirections> sorted;
  std::copy(y, y + count, sorted.begin());
  std::sort(sorted.begin(), sorted.begin() + count, std::greater<>());
  double total = 0.0;
  for (int i = 0; i < count; ++i) {
    total += sorted[static_cast<std::size_t>(i)];
    const double candidate = (total - radius) / (i + 1);
    if (sorted[static_cast<std::size_t>(i)] - candidate <= 0.0) break;
    threshold = candidate;
  }
  if (radius <= 0.0) threshold = std::max(0.0, sorted[0]);
  for (int i = 0; i < count; ++i) beta[i] = std::max(0.0, y[i] - threshold);
}

ContactPgs::ContactPgs(const ContactSystem& system) : system_(system) {
  require(system.directions() <= kMaxDirections, "contact PGS: {} directions, must be ≤ {}.",
          system.directions(), kMaxDirections);
  const Eigen::SparseMatrix<double, Eigen::RowMajor> J = system.J();
  const SparseMatrix& R = system.response();
  const auto rows = static_cast<int>(J.rows());
  for (int r = 0; r < rows; ++r) {
    start_.push_back(static_cast<int>(entries_.size()));
    for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(J, r); it; ++it)
      entries_.emplace_back(static_cast<int>(it.col()), it.value());
    response_start_.push_back(static_cast<int>(response_entries_.size()));
    for (SparseMatrix::InnerIterator it(R, r); it; ++it)
      if (it.value() != 0.0) response_entries_.emplace_back(static_cast<int>(it.row()), it.value());
  }
  start_.push_back(static_cast<int>(entries_.size()));
  response_start_.push_back(static_cast<int>(response_entries_.size()));

  const auto nc = static_cast<int>(system.contacts());
  const int nd = system.directions(), per = system.rows_per_contact();
  normal_stiffness_.resize(nc);
  tangent_stiffness_.setZero(nc);
  for (int k = 0; k < nc; ++k) {
    const Eigen::MatrixXd local = Eigen::MatrixXd(J.middleRows(k * per, per) * R.middleCols(k * per, per));
    normal_stiffness_[k] = local(0, 0);
    if (nd == 2) tangent_stiffness_[k] = local(1, 1);
    if (nd > 2) {
      const Eigen::MatrixXd tangential = local.bottomRightCorner(nd, nd);
      tangent_stiffness_[k] =
          Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(tangential, Eigen::EigenvaluesOnly)
              .eigenvalues()[nd - 1];
    }
  }
}

double ContactPgs::speed(int row) const {
  double sum = 0.0;
  for (int e = start_[static_cast<std::size_t>(row)]; e < start_[static_cast<std::size_t>(row) + 1]; ++e) {
    const auto& [index, value] = entries_[static_cast<std::size_t>(e)];
    sum += value * v_[index];
  }
  return sum;
}

void ContactPgs::push(int row, double impulse) {
  if (impulse == 0.0) return;
  for (int e = response_start_[static_cast<std::size_t>(row)];
       e < response_start_[static_cast<std::size_t>(row) + 1]; ++e) {
    const auto& [index, value] = response_entries_[static_cast<std::size_t>(e)];
    v_[index] += value * impulse;
  }
}

void ContactPgs::sweep_contact(int k, Eigen::VectorXd& p) {
  const int nd = system_.directions(), r = k * system_.rows_per_contact();
  if (normal_stiffness_[k] <= 0.0) return;
  const double normal = std::max(0.0, p[r] - (speed(r) + system_.problem().b[k]) / normal_stiffness_[k]);
  push(r, normal - p[r]);
  p[r] = normal;
  if (nd == 0 || tangent_stiffness_[k] <= 0.0) return;
  const double radius = system_.problem().mu[k] * normal;
  if (nd == 2) {
    // the two directions are opposite: one signed impulse
    const double old = p[r + 1] - p[r + 2];
    const double next = std::clamp(old - speed(r + 1) / tangent_stiffness_[k], -radius, radius);
    push(r + 1, next - old);
    p[r + 1] = std::max(0.0, next);
    p[r + 2] = std::max(0.0, -next);
    return;
  }
  std::array<double, kMaxDirections> y, beta;
  double threshold = 0.0;
  for (int d = 0; d < nd; ++d)
    y[static_cast<std::size_t>(d)] = p[r + 1 + d] - speed(r + 1 + d) / tangent_stiffness_[k];
  project_on_simplex(y.data(), nd, radius, beta.data(), threshold);
  for (int d = 0; d < nd; ++d) {
    push(r + 1 + d, beta[static_cast<std::size_t>(d)] - p[r + 1 + d]);
    p[r + 1 + d] = beta[static_cast<std::size_t>(d)];
  }
}

void ContactPgs::sweep(int count, Eigen::VectorXd& p) {
  const auto nc = static_cast<int>(system_.contacts());
  v_ = system_.velocity(p);
  const double turn = 4.0 * static_cast<double>(entries_.size());
  for (int s = 0; s < count && may_work(turn); ++s, ++sweeps_)
    for (int i = 0; i < nc; ++i) sweep_contact(sweeps_ % 2 == 0 ? i : nc - 1 - i, p);
}

}  // namespace rigor
