#include "rigor/solvers/cone/cone_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/work.hpp"
#include "rigor/math/limits.hpp"
#include "rigor/math/rank_one.hpp"
#include "rigor/solvers/cone/false_position.hpp"

namespace rigor {
namespace {

constexpr Eigen::Index kShortRun = 6;  // columns: a call costs more than these

double tangent_length(int size, const double* x) {
  if (size == 1) return 0.0;
  return size == 2 ? std::fabs(x[1]) : std::sqrt(x[1] * x[1] + x[2] * x[2]);
}

}  // namespace

void ConeNewton::start(const ConeSystem& system) {
  system_ = &system;
  const Eigen::Index n = system.q.size();
  maps_.resize(system.blocks.size());
  row_of_.resize(system.blocks.size());
  runs_.reserve(system.blocks.size());
  column_of_.resize(static_cast<std::size_t>(n));
  for (Eigen::VectorXd* vector : {&u_, &held_, &rhs_, &best_, &outer_best_, &centre_, &x_}) vector->resize(n);
  counts_ = {};
  has_sticking_factor_ = false;
}

double ConeNewton::alpha_of(const ConeRegularisation& regularisation, std::size_t block) const {
  return regularisation.per_block ? regularisation.alpha / system_->rho[block] : regularisation.alpha;
}

double ConeNewton::rho_of(const ConeRegularisation& regularisation, std::size_t block) const {
  return regularisation.dual ? 1.0 / alpha_of(regularisation, block) : system_->rho[block];
}

void ConeNewton::compute_shifted(const ConeRegularisation& regularisation, const Eigen::VectorXd* centre,
                                 const Eigen::VectorXd& r, Eigen::VectorXd& u) const {
  system_->compute_velocity(r, u);
  if (centre == nullptr) return;
  for (std::size_t i = 0; i < system_->blocks.size(); ++i) {
    const int first = system_->blocks[i].first, size = system_->blocks[i].size;
    u.segment(first, size) += alpha_of(regularisation, i) * (r - *centre).segment(first, size);
  }
}

// F = r − P(r − rho u) of a single row: at a bound it is held there, between them u is to vanish.
void ConeNewton::map_row(const ConeBlock& block, double rho, double r, double u, BlockMap& map) {
  map = {};
  const double t = r - rho * u;
  if (t <= block.bounds.lower || t >= block.bounds.upper) {
    map.mode = ConeMode::kHeld;
    map.hold = block.bounds.clamp(t);
    return;
  }
  map.mode = ConeMode::kStick;
  map.F[0] = rho * u;
  map.B[0][0] = rho;
}

void ConeNewton::map_coulomb(const ConeBlock& block, double rho, const double* r, const double* u,
                             BlockMap& map) const {
  const int size = block.size;
  map = {};
  double t[3]{};
  for (int k = 0; k < size; ++k) t[k] = r[k] - rho * u[k];
  if (t[0] <= 0.0) {
    map.mode = ConeMode::kHeld;
    return;
  }
  map.F[0] = rho * u[0];
  map.B[0][0] = rho;
  const double length = tangent_length(size, t), radius = block.mu * t[0];
  if (length <= radius) {
    map.mode = ConeMode::kStick;
    for (int k = 1; k < size; ++k) {
      map.F[k] = rho * u[k];
      map.B[k][k] = rho;
    }
    return;
  }
  // the tangential rows of (2) by d = t_T/‖t_T‖ and its derivative (1 − d dᵀ)/‖t_T‖
  map.mode = ConeMode::kSlide;
  for (int k = 1; k < size; ++k) {
    const double d_k = t[k] / length;
    map.F[k] = r[k] - radius * d_k;
    map.A[k][0] = -block.mu * d_k;
    map.B[k][0] = block.mu * rho * d_k;
    for (int j = 1; j < size; ++j) {
      const double turn = radius / length * ((k == j ? 1.0 : 0.0) - d_k * t[j] / length);
      map.A[k][j] = (k == j ? 1.0 : 0.0) - turn;
      map.B[k][j] = rho * turn;
    }
  }
}

void ConeNewton::map_associated(const ConeBlock& block, double rho, const double* r, const double* u,
                                BlockMap& map) const {
  const int size = block.size;
  const double mu = block.mu;
  map = {};
  double t[3]{}, p[3]{};
  for (int k = 0; k < size; ++k) p[k] = t[k] = r[k] - rho * u[k];
  const double length = tangent_length(size, t);
  if (mu * length <= -t[0]) {
    map.mode = ConeMode::kHeld;
    return;
  }
  // D = derivative of the projection
  double D[3][3]{};
  if (length <= mu * t[0]) {
    map.mode = ConeMode::kStick;
    for (int k = 0; k < size; ++k) D[k][k] = 1.0;
  } else {
    map.mode = ConeMode::kSlide;
    project_on_cone(block, p);
    const double c = 1.0 / (1.0 + mu * mu);
    D[0][0] = c;
    for (int k = 1; k < size; ++k) {
      D[0][k] = D[k][0] = c * mu * t[k] / length;
      for (int j = 1; j < size; ++j) {
        const double along = t[k] * t[j] / (length * length);
        D[k][j] = c * mu * mu * along + mu * p[0] / length * ((k == j ? 1.0 : 0.0) - along);
      }
    }
  }
  for (int k = 0; k < size; ++k) {
    map.F[k] = r[k] - p[k];
    for (int j = 0; j < size; ++j) {
      map.A[k][j] = (k == j ? 1.0 : 0.0) - D[k][j];
      map.B[k][j] = rho * D[k][j];
    }
  }
}

void ConeNewton::fill_rows(const ConeBlock& block, const BlockMap& map, double alpha, Eigen::Index row,
                           PaddedSquare<double>::View& matrix) {
  const Eigen::Index rows = matrix.rows();
  for (int k = 0; k < block.size; ++k) {
    double* const target = &matrix(row + k, 0);  // rows stand together
    std::fill_n(target, rows, 0.0);
    // B (W + alpha) + A, the columns of held blocks left out
    for (int j = 0; j < block.size; ++j) {
      const double factor = map.B[k][j];
      if (factor == 0.0) continue;
      const double* source = system_->W.data() + (block.first + j) * system_->W.cols();
      for (const auto& [to, from, length] : runs_) {
        if (length > kShortRun)
          add_scaled(factor, source + from, target + to, length);
        else
          for (Eigen::Index c = 0; c < length; ++c) target[to + c] += factor * source[from + c];
      }
      target[row + j] += factor * alpha;
    }
    for (int j = 0; j < block.size; ++j) target[row + j] += map.A[k][j];
  }
}

// Modes and derivatives at a point, and the places of the rows that stay; returns how many do. held_ has the changes
// of the others.
Eigen::Index ConeNewton::map_blocks(const ConeRegularisation& regularisation, const Eigen::VectorXd& r,
                                    const Eigen::VectorXd& u) {
  const auto& blocks = system_->blocks;
  Eigen::Index size = 0;
  held_.setZero();
  runs_.clear();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const ConeBlock& block = blocks[i];
    const double* r_i = r.data() + block.first;
    const double* u_i = u.data() + block.first;
    if (block.size == 1)
      map_row(block, rho_of(regularisation, i), r_i[0], u_i[0], maps_[i]);
    else if (system_->associated)
      map_associated(block, rho_of(regularisation, i), r_i, u_i, maps_[i]);
    else
      map_coulomb(block, rho_of(regularisation, i), r_i, u_i, maps_[i]);
    if (maps_[i].mode == ConeMode::kHeld) {
      row_of_[i] = -1;
      held_.segment(block.first, block.size) = -r.segment(block.first, block.size);
      held_[block.first] += maps_[i].hold;
      continue;
    }
    row_of_[i] = size;
    if (!runs_.empty() && runs_.back().from + runs_.back().length == block.first)
      runs_.back().length += block.size;
    else
      runs_.push_back({size, block.first, block.size});
    for (int k = 0; k < block.size; ++k) column_of_[static_cast<std::size_t>(size++)] = block.first + k;
  }
  return size;
}

bool ConeNewton::step(const ConeRegularisation& regularisation, Eigen::VectorXd& r,
                      const Eigen::VectorXd& u) {
  const auto& blocks = system_->blocks;
  const Eigen::Index size = map_blocks(regularisation, r, u);
  if (size == 0) {
    hold_blocks(r);
    ++counts_.steps;
    return true;
  }
  // blocks that open lose their impulse, rows at a bound move there; the effect on other rows goes to the
  // right side
  const auto work = static_cast<double>(size);
  if (!may_work(work * work * (work / 3.0 + 3.0))) return false;
  if (is_sticking()) return step_sticking(regularisation, size, r, u);
  has_sticking_factor_ = false;
  const bool loads_lost = held_.squaredNorm() > 0.0;
  auto matrix = lu_.start(size);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (row_of_[i] < 0) continue;
    const ConeBlock& block = blocks[i];
    fill_rows(block, maps_[i], alpha_of(regularisation, i), row_of_[i], matrix);
    double change[3]{};
    if (loads_lost)
      for (int k = 0; k < block.size; ++k) change[k] = system_->W.row(block.first + k).dot(held_);
    for (int k = 0; k < block.size; ++k) {
      double value = -maps_[i].F[k];
      for (int j = 0; j < block.size; ++j) value -= maps_[i].B[k][j] * change[j];
      rhs_[row_of_[i] + k] = value;
    }
  }
  ++counts_.steps;
  ++counts_.factorisations;
  if (!lu_.factor()) return false;
  pivot_ratio_ = lu_.pivot_ratio();
  lu_.solve_in_place(rhs_.head(size));
  return take(size, r);
}

// r += the change in rhs_; held blocks go to their places. False where that is no number.
bool ConeNewton::take(Eigen::Index size, Eigen::VectorXd& r) const {
  if (!rhs_.head(size).allFinite()) return false;
  for (Eigen::Index c = 0; c < size; ++c) r[column_of_[static_cast<std::size_t>(c)]] += rhs_[c];
  hold_blocks(r);
  return true;
}

void ConeNewton::hold_blocks(Eigen::VectorXd& r) const {
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    if (row_of_[i] >= 0) continue;
    const ConeBlock& block = system_->blocks[i];
    r.segment(block.first, block.size).setZero();
    r[block.first] = maps_[i].hold;
  }
}

double ConeNewton::iterate(const ConeRegularisation& regularisation, const Eigen::VectorXd* centre,
                           double target, int max_steps, int patience, Eigen::VectorXd& r) {
  compute_shifted(regularisation, centre, r, u_);
  double best = system_->residual(r, u_), mark = best;
  best_ = r;
  for (int k = 0, idle = 0; k < max_steps && idle < patience; ++k) {
    const double rounding = 4.0 * kUnitRoundoff * (r.norm() + system_->q.norm());
    if (best <= std::max(target, rounding)) break;
    if (!step(regularisation, r, u_)) break;
    compute_shifted(regularisation, centre, r, u_);
    const double residual = system_->residual(r, u_);
    if (!(residual < kInfinity)) break;
    if (residual < best) {
      best = residual;
      best_ = r;
    }
    idle = best < 0.7 * mark ? 0 : idle + 1;
    if (idle == 0) mark = best;
  }
  r = best_;
  return best;
}

double ConeNewton::polish(Eigen::VectorXd& r) {
  system_->compute_velocity(r, u_);
  double best = system_->residual(r, u_);
  best_ = r;
  for (int k = 0; k < 5; ++k) {
    if (!step({1e-10, true}, r, u_)) break;
    system_->compute_velocity(r, u_);
    const double residual = system_->residual(r, u_), before = best;
    if (residual < best) {
      best = residual;
      best_ = r;
    }
    if (!(residual < 0.3 * before) || best <= kUnitRoundoff * (r.norm() + system_->q.norm())) break;
  }
  r = best_;
  return best;
}

// The τ in (0, 1] at which l of (3) is least between two points: the root of its derivative, which
// increases.
double ConeNewton::find_step(double alpha, const Eigen::VectorXd& centre, const Eigen::VectorXd& from,
                             const Eigen::VectorXd& to) {
  // u_ is the velocity at `from`
  x_ = to - from;
  change_.noalias() = system_->W * x_;
  const auto slope = [&](double tau) {
    force_ = centre - (u_ + tau * change_) / alpha;
    system_->project(force_);
    return change_.dot(from + tau * x_ - force_);
  };
  return find_step_by_false_position(slope);
}

double ConeNewton::solve_convex(double alpha, const Eigen::VectorXd& centre, double target, int max_steps,
                                Eigen::VectorXd& r) {
  double best = kInfinity;
  best_ = r;
  for (int k = 0;; ++k) {
    system_->compute_velocity(r, u_);
    shifted_ = u_ + alpha * (r - centre);
    const double residual = system_->residual(r, shifted_), before = best;
    if (residual < best) {
      best = residual;
      best_ = r;
    }
    // below the target go on as long as it pays: errors of the impulses are those of the residual over alpha
    const double rounding = kUnitRoundoff * (r.norm() + system_->q.norm());
    if (k == max_steps || best <= rounding || (best <= target && !(residual < 0.3 * before) && k > 0)) break;
    from_ = r;
    if (!step({alpha, false, true}, r, shifted_)) break;
    if (!system_->symmetric) continue;
    const double tau = find_step(alpha, centre, from_, r);
    if (tau < 1.0) r = from_ + tau * (r - from_);
  }
  r = best_;
  return best;
}

double ConeNewton::proximal(double first_alpha, double target, int max_steps, Eigen::VectorXd& r) {
  system_->compute_velocity(r, u_);
  double best = system_->residual(r, u_);
  outer_best_ = r;
  double alpha = first_alpha, failed_alpha = 0.0;
  const int last = counts_.steps + max_steps;
  for (int failures = 0; best > target && counts_.steps < last;) {
    centre_ = r;
    x_ = r;
    // the residual of the regularised problem at its centre is that of the problem itself
    system_->compute_velocity(x_, u_);
    const double before = system_->residual(x_, u_);
    const int from = counts_.steps;
    const double inner =
        solve({alpha, true}, centre_, std::max(0.1 * before, 0.1 * target), std::min(15, last - from), 5, x_);
    const int steps = counts_.steps - from;
    system_->compute_velocity(x_, u_);
    const double residual = system_->residual(x_, u_);
    if (residual < best) {
      best = residual;
      outer_best_ = x_;
    }
    if (steps == 0) break;
    if (inner <= 0.1 * before) {
      r = x_;
      alpha = std::max(alpha * (steps <= 3 ? 0.1 : steps <= 6 ? 0.3 : 0.7), 1e-12);
      if (failed_alpha > 0.0) {
        alpha = std::max(alpha, 1.5 * failed_alpha);
        failed_alpha *= 0.6;
      }
      failures = 0;
    } else {
      ++failures;
      failed_alpha = alpha;
      r = failures % 2 == 1 ? outer_best_ : x_;
      alpha = std::min(alpha * (failures > 3 ? 10.0 : 4.0), 1.0);
    }
  }
  r = outer_best_;
  return best;
}

}  // namespace rigor
