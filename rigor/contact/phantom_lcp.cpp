#include "rigor/contact/phantom_lcp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigor {

void PhantomLcp::list_rows(const std::vector<ConeBlock>& blocks, const std::vector<Directions>& directions) {
  normals_.clear();
  tangents_.clear();
  normal_of_.clear();
  tangent_of_.clear();
  width_.clear();
  Eigen::Index count = 0;
  for (const Directions& of : directions) count += of.E.cols();
  e_.setZero(2, count);
  mu_.resize(count);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const auto first = static_cast<Eigen::Index>(tangents_.size());
    for (Eigen::Index j = 0; j < directions[k].E.cols(); ++j) {
      const auto d = static_cast<Eigen::Index>(normal_of_.size());
      e_.col(d) = directions[k].E.col(j);
      mu_[d] = directions[k].mu[j];
      normal_of_.push_back(static_cast<int>(normals_.size()));
      tangent_of_.push_back(first);
      width_.push_back(blocks[k].size - 1);
    }
    normals_.push_back(blocks[k].first);
    for (int i = 1; i < blocks[k].size; ++i) tangents_.push_back(blocks[k].first + i);
  }
  E_.setZero(static_cast<Eigen::Index>(tangents_.size()), count);
  for (Eigen::Index d = 0; d < count; ++d) {
    const auto of = static_cast<std::size_t>(d);
    for (int i = 0; i < width_[of]; ++i) E_(tangent_of_[of] + i, d) = e_(i, d);
  }
}

bool PhantomLcp::build(const Eigen::MatrixXd& W, const std::vector<ConeBlock>& blocks,
                       const std::vector<Directions>& directions, double rho) {
  list_rows(blocks, directions);
  const auto n = normal_count();
  const auto t = static_cast<Eigen::Index>(tangents_.size());
  const auto row = [](const std::vector<int>& rows, Eigen::Index i) {
    return rows[static_cast<std::size_t>(i)];
  };
  Wnn_.resize(n, n);
  Wtn_.resize(t, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < n; ++i) Wnn_(i, j) = W(row(normals_, i), row(normals_, j));
    for (Eigen::Index i = 0; i < t; ++i) Wtn_(i, j) = W(row(tangents_, i), row(normals_, j));
  }
  auto T = factor_.start(t);
  for (Eigen::Index i = 0; i < t; ++i)
    for (Eigen::Index j = i; j < t; ++j) T(i, j) = W(row(tangents_, i), row(tangents_, j));
  if (t > 0 && !factor_.factor()) return false;
  const auto solve_columns = [&](const Eigen::MatrixXd& B, Eigen::MatrixXd& X) {
    X.resize(B.rows(), B.cols());
    for (Eigen::Index j = 0; j < B.cols(); ++j) {
      column_ = B.col(j);
      if (t > 0) factor_.solve_in_place(column_);
      X.col(j) = column_;
    }
  };
  solve_columns(Wtn_, G_);
  solve_columns(E_, TE_);
  S_.noalias() = E_.transpose() * TE_;
  choose_inertia(rho, W);
  fill_lcp();
  return true;
}

// ρ < 2 s for the s of each direction alone is not enough for several directions that are coupled. But T ≼
// t diag(T) for t tangents, so T⁻¹ ≽ diag(T)⁻¹/t: with the s of diag(T)⁻¹/t, ρ is small enough for all
// together.
void PhantomLcp::choose_inertia(double rho, const Eigen::MatrixXd& W) {
  rho_.setConstant(mu_.size(), rho);
  least_s_ = mu_.size() > 0 ? S_.diagonal().minCoeff() : std::numeric_limits<double>::infinity();
  if (rho > 0.0) return;
  for (Eigen::Index d = 0; d < mu_.size(); ++d) {
    const auto of = static_cast<std::size_t>(d);
    double largest = 0.0;
    for (int i = 0; i < width_[of]; ++i) {
      const int row = tangents_[static_cast<std::size_t>(tangent_of_[of] + i)];
      largest = std::max(largest, W(row, row));
    }
    rho_[d] = 1.0 / (largest * static_cast<double>(tangents_.size()));
  }
}

double PhantomLcp::least_inertia() const {
  return rho_.size() > 0 ? rho_.minCoeff() : 0.0;
}

void PhantomLcp::fill_lcp() {
  const Eigen::Index n = normal_count(), d = direction_count();
  Eigen::MatrixXd& M = lcp_.M;
  M.setZero(n + 2 * d, n + 2 * d);
  M.topLeftCorner(n, n) = Wnn_;
  M.topLeftCorner(n, n).noalias() -= Wtn_.transpose() * G_;
  M.block(0, n, n, d).noalias() = G_.transpose() * E_;
  M.block(0, n + d, n, d) = -M.block(0, n, n, d);
  M.block(n + d, 0, d, n) = M.block(0, n, n, d).transpose();
  M.block(n, 0, d, n) = -M.block(n + d, 0, d, n);
  M.block(n, n, d, d) = S_;
  M.block(n + d, n + d, d, d) = S_;
  M.block(n, n + d, d, d) = -S_;
  M.block(n + d, n, d, d) = -S_;
  for (Eigen::Index j = 0; j < d; ++j) {
    const int of = normal_of_[static_cast<std::size_t>(j)];
    M(n + j, of) += mu_[j];
    M(n + d + j, of) += mu_[j];
    M(n + j, n + d + j) += rho_[j];
    M(n + d + j, n + j) += rho_[j];
  }
}

void PhantomLcp::set_q(const Eigen::VectorXd& q) {
  const Eigen::Index n = normal_count(), d = direction_count();
  qt_.resize(static_cast<Eigen::Index>(tangents_.size()));
  for (std::size_t i = 0; i < tangents_.size(); ++i) qt_[static_cast<Eigen::Index>(i)] = q[tangents_[i]];
  Tq_ = qt_;
  if (Tq_.size() > 0) factor_.solve_in_place(Tq_);
  lcp_.q.resize(n + 2 * d);
  for (Eigen::Index i = 0; i < n; ++i) lcp_.q[i] = q[normals_[static_cast<std::size_t>(i)]];
  lcp_.q.head(n).noalias() -= Wtn_.transpose() * Tq_;
  lcp_.q.tail(d).noalias() = E_.transpose() * Tq_;
  lcp_.q.segment(n, d) = -lcp_.q.tail(d);
}

void PhantomLcp::read(const Eigen::VectorXd& z, Eigen::VectorXd& r) {
  const Eigen::Index n = normal_count(), d = direction_count();
  w_up_ = z.segment(n, d);
  w_lo_ = z.tail(d);
  slip_ = w_up_ - w_lo_;
  column_ = -Tq_;
  column_.noalias() += TE_ * slip_;
  column_.noalias() -= G_ * z.head(n);
  r.resize(n + column_.size());
  for (Eigen::Index i = 0; i < n; ++i) r[normals_[static_cast<std::size_t>(i)]] = z[i];
  for (std::size_t i = 0; i < tangents_.size(); ++i) r[tangents_[i]] = column_[static_cast<Eigen::Index>(i)];
}

void PhantomLcp::read_mixed(const Eigen::VectorXd& x, Eigen::VectorXd& r) {
  const Eigen::Index n = normal_count(), d = direction_count();
  const auto t = static_cast<Eigen::Index>(tangents_.size());
  const auto z = x.tail(n + 2 * d);
  w_up_ = z.segment(n, d);
  w_lo_ = z.tail(d);
  r.resize(n + t);
  for (Eigen::Index i = 0; i < n; ++i) r[normals_[static_cast<std::size_t>(i)]] = z[i];
  for (Eigen::Index i = 0; i < t; ++i)
    r[tangents_[static_cast<std::size_t>(i)]] = x[x.size() - n - 2 * d - t + i];
}

double PhantomLcp::judge(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const Eigen::VectorXd& r) {
  u_ = q;
  u_.noalias() += W * r;
  double worst = 0.0;
  for (const int row : normals_) worst = std::max(worst, std::abs(std::min(r[row], u_[row])));
  // u_t − E (w_up − w_lo)
  slip_ = w_lo_ - w_up_;
  column_.noalias() = E_ * slip_;
  for (std::size_t i = 0; i < tangents_.size(); ++i)
    worst = std::max(worst, std::abs(column_[static_cast<Eigen::Index>(i)] + u_[tangents_[i]]));
  for (Eigen::Index j = 0; j < mu_.size(); ++j) {
    worst = std::max(worst, std::abs(std::min(w_up_[j], saturation(j, 1.0, r) + rho_[j] * w_lo_[j])));
    worst = std::max(worst, std::abs(std::min(w_lo_[j], saturation(j, -1.0, r) + rho_[j] * w_up_[j])));
  }
  return worst;
}

// μ p_n ± e_jᵀ p_t
double PhantomLcp::saturation(Eigen::Index j, double sign, const Eigen::VectorXd& r) const {
  const auto of = static_cast<std::size_t>(j);
  double sum = mu_[j] * r[normals_[static_cast<std::size_t>(normal_of_[of])]];
  for (int i = 0; i < width_[of]; ++i)
    sum += sign * e_(i, j) * r[tangents_[static_cast<std::size_t>(tangent_of_[of] + i)]];
  return sum;
}

double PhantomLcp::polish(const Eigen::MatrixXd& W, const Eigen::VectorXd& alpha, const Eigen::VectorXd& q,
                          Eigen::VectorXd& r) {
  constexpr int kMaxPolishing = 6;
  const double before = judge(W, q, r);
  fill_active(W, alpha, r);
  if (!active_factor_.factor()) return before;
  better_ = r;
  up_ = w_up_;
  lo_ = w_lo_;
  double residual = before;
  const Eigen::Index d = direction_count();
  for (int k = 0; k < kMaxPolishing; ++k) {
    compute_active(better_);
    active_factor_.solve_in_place(defects_);
    better_ -= defects_.head(r.size());
    w_up_ -= defects_.segment(r.size(), d);
    w_lo_ -= defects_.tail(d);
    const double after = judge(W, q, better_);
    if (!(after < residual)) break;
    residual = after;
    r = better_;
    up_ = w_up_;
    lo_ = w_lo_;
  }
  w_up_ = up_;
  w_lo_ = lo_;
  return residual;
}

// Decides which member of each pair is zero and fills in the matrix of the equations left; u_ is the
// velocity of r.
void PhantomLcp::fill_active(const Eigen::MatrixXd& W, const Eigen::VectorXd& alpha,
                             const Eigen::VectorXd& r) {
  const Eigen::Index m = r.size(), d = direction_count();
  is_active_.assign(static_cast<std::size_t>(m + 2 * d), 1);
  auto A = active_factor_.start(m + 2 * d);
  A.setZero();
  A.topLeftCorner(m, m) = W;
  A.topLeftCorner(m, m).diagonal() += alpha;
  for (const int row : normals_) is_active_[static_cast<std::size_t>(row)] = r[row] > u_[row];
  for (Eigen::Index j = 0; j < d; ++j) {
    const auto of = static_cast<std::size_t>(j);
    const int normal = normals_[static_cast<std::size_t>(normal_of_[of])];
    is_active_[static_cast<std::size_t>(m + j)] = w_up_[j] > saturation(j, 1.0, r) + rho_[j] * w_lo_[j];
    is_active_[static_cast<std::size_t>(m + d + j)] = w_lo_[j] > saturation(j, -1.0, r) + rho_[j] * w_up_[j];
    A(m + j, normal) = A(m + d + j, normal) = mu_[j];
    A(m + j, m + d + j) = A(m + d + j, m + j) = rho_[j];
    for (int i = 0; i < width_[of]; ++i) {
      const int row = tangents_[static_cast<std::size_t>(tangent_of_[of] + i)];
      A(m + j, row) = e_(i, j);
      A(m + d + j, row) = -e_(i, j);
      A(row, m + j) = -e_(i, j);
      A(row, m + d + j) = e_(i, j);
    }
  }
  for (std::size_t k = 0; k < is_active_.size(); ++k) {
    if (is_active_[k]) continue;
    const auto row = static_cast<Eigen::Index>(k);
    A.row(row).setZero();
    A(row, row) = 1.0;
  }
}

// The residuals of these equations; u_ is the velocity of r.
void PhantomLcp::compute_active(const Eigen::VectorXd& r) {
  const Eigen::Index m = r.size(), d = direction_count();
  defects_.resize(m + 2 * d);
  defects_.head(m) = u_;
  for (const int row : normals_)
    if (!is_active_[static_cast<std::size_t>(row)]) defects_[row] = r[row];
  slip_ = w_lo_ - w_up_;
  column_.noalias() = E_ * slip_;
  for (std::size_t i = 0; i < tangents_.size(); ++i)
    defects_[tangents_[i]] += column_[static_cast<Eigen::Index>(i)];
  for (Eigen::Index j = 0; j < d; ++j) {
    defects_[m + j] =
        is_active_[static_cast<std::size_t>(m + j)] ? saturation(j, 1.0, r) + rho_[j] * w_lo_[j] : w_up_[j];
    defects_[m + d + j] = is_active_[static_cast<std::size_t>(m + d + j)]
                              ? saturation(j, -1.0, r) + rho_[j] * w_up_[j]
                              : w_lo_[j];
  }
}

MlcpProblem PhantomLcp::make_mixed(const Eigen::MatrixXd& Y, const Eigen::VectorXd& epsilon,
                                   const Eigen::VectorXd& q) const {
  const Eigen::Index v = Y.rows(), n = normal_count(), d = direction_count();
  const auto t = static_cast<Eigen::Index>(tangents_.size());
  std::vector<Eigen::Triplet<double>> K;
  const auto add = [&](Eigen::Index i, Eigen::Index j, double value) {
    if (value != 0.0) K.emplace_back(static_cast<int>(i), static_cast<int>(j), value);
  };
  MlcpProblem mixed;
  mixed.free_count = v + t;
  mixed.q.setZero(v + t + n + 2 * d);
  for (Eigen::Index i = 0; i < v; ++i) add(i, i, 1.0);
  const auto add_row = [&](Eigen::Index at, int row) {  // of u: a velocity, and its impulse on v
    for (Eigen::Index i = 0; i < v; ++i) {
      add(i, at, -Y(i, row));
      add(at, i, Y(i, row));
    }
    add(at, at, epsilon[row]);
    mixed.q[at] = q[row];
  };
  for (Eigen::Index i = 0; i < t; ++i) add_row(v + i, tangents_[static_cast<std::size_t>(i)]);
  for (Eigen::Index i = 0; i < n; ++i) add_row(v + t + i, normals_[static_cast<std::size_t>(i)]);
  const Eigen::Index up = v + t + n, lo = up + d;
  for (Eigen::Index j = 0; j < d; ++j) {
    const auto of = static_cast<std::size_t>(j);
    for (int i = 0; i < width_[of]; ++i) {
      const Eigen::Index row = v + tangent_of_[of] + i;
      add(row, up + j, -e_(i, j));
      add(row, lo + j, e_(i, j));
      add(up + j, row, e_(i, j));
      add(lo + j, row, -e_(i, j));
    }
    add(up + j, v + t + normal_of_[of], mu_[j]);
    add(lo + j, v + t + normal_of_[of], mu_[j]);
    add(up + j, lo + j, rho_[j]);
    add(lo + j, up + j, rho_[j]);
  }
  mixed.K.resize(mixed.q.size(), mixed.q.size());
  mixed.K.setFromTriplets(K.begin(), K.end());
  return mixed;
}

}  // namespace rigor
