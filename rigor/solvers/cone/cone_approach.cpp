// ConeNewton from impulses near an answer, and its steps where every contact sticks or is open.
#include <algorithm>
#include <array>
#include <utility>

#include "rigor/math/limits.hpp"
#include "rigor/solvers/cone/cone_newton.hpp"

namespace rigor {
namespace {

constexpr double kLast = 1e-5,
                 kFollow = 1e-7;  // alphas of approach(): of the last step about zero, and after it
constexpr double kRegular = 10.0 * kFollow;  // pivot ratio of a matrix without null space, whatever alpha is

}  // namespace

// The steps of approach(): the alpha of each about zero, then those that follow.
struct ConeNewton::Schedule {
  std::array<double, 3> alpha;
  std::size_t about_zero;
  int most;          // steps
  double most_left;  // of the residual, after a step that follows
};

bool ConeNewton::approach(double tolerance, Eigen::VectorXd& r) {
  constexpr Schedule kAtOnce{{kLast}, 1, 6, 0.1}, kFalling{{1e-2, 1e-4, kLast}, 3, 14, 10.0};
  x_ = r;
  centre_.setZero();
  double best = kInfinity;
  bool found = run_schedule(kAtOnce, tolerance, best, r);
  if (!(best <= tolerance)) {
    r = x_;
    found = run_schedule(kFalling, tolerance, best, r);
  }
  return found;
}

// From r to the best point met, whose residual is `best`.
bool ConeNewton::run_schedule(const Schedule& schedule, double tolerance, double& best, Eigen::VectorXd& r) {
  const double rounding = 4.0 * kUnitRoundoff * (r.norm() + system_->q.norm());
  const double target = std::max(1e-2 * tolerance, rounding);
  best = kInfinity;
  best_ = outer_best_ = r;
  double last = kInfinity, earlier = kInfinity;
  std::size_t zero = 0;  // steps about zero so far
  bool is_again = false, is_found = false, is_falling = true;
  for (int k = 0; k < schedule.most; ++k) {
    const bool is_about_zero = zero < schedule.about_zero;
    const ConeRegularisation regularisation{is_about_zero ? schedule.alpha[zero] : kFollow, !is_about_zero};
    keeps_factor_ = !is_about_zero && is_falling;
    compute_shifted(regularisation, is_about_zero ? &centre_ : nullptr, r, u_);
    const int factorisations = counts_.factorisations;
    if (!step(regularisation, r, u_)) break;
    const bool is_cheap = counts_.factorisations == factorisations;
    system_->compute_velocity(r, u_);
    const double residual = system_->residual(r, u_), before = std::exchange(last, residual);
    if (is_about_zero) {
      ++zero;
      note_modes();
      continue;
    }
    if (residual < best) {
      best = residual;
      best_ = r;
    }
    is_falling = residual < 1e-2 * before;
    // where contacts that stick contradict each other a little, more steps only raise their impulses
    if (best <= (is_cheap && is_falling ? rounding : target) ||
        (best <= tolerance && !(residual < 0.3 * before))) {
      is_found = has_noted_modes() || pivot_ratio_ > kRegular;
      if (is_found || std::exchange(is_again, true)) break;
      // what lies in the null space was decided with other modes
      zero = schedule.about_zero - 1;
      outer_best_ = best_;
      earlier = std::exchange(best, kInfinity);
      r = best_;
    } else if (!(residual <= schedule.most_left * before)) {
      break;
    }
  }
  keeps_factor_ = false;
  r = best <= tolerance ? best_ : outer_best_;
  if (best > tolerance) best = earlier;
  return is_found;
}

void ConeNewton::note_modes() {
  noted_.resize(maps_.size());
  for (std::size_t i = 0; i < maps_.size(); ++i) noted_[i] = maps_[i].mode;
}

bool ConeNewton::has_noted_modes() const {
  for (std::size_t i = 0; i < maps_.size(); ++i)
    if (noted_[i] != maps_[i].mode) return false;
  return true;
}

// Whether nothing slides: the linear system is then symmetric.
bool ConeNewton::is_sticking() const {
  return system_->symmetric && std::none_of(maps_.begin(), maps_.end(),
                                            [](const BlockMap& map) { return map.mode == ConeMode::kSlide; });
}

// (W + alpha) d = −u on the rows that stick, less what held blocks lose, by Cholesky's factor; that of the last step
// where it may be kept and the same rows stuck: d is then one correction of an iterative refinement.
bool ConeNewton::step_sticking(const ConeRegularisation& regularisation, Eigen::Index size,
                               Eigen::VectorXd& r, const Eigen::VectorXd& u) {
  const auto row = [&](Eigen::Index i) { return column_of_[static_cast<std::size_t>(i)]; };
  ++counts_.steps;
  if (!(keeps_factor_ && has_sticking_factor_ && sticking_ == row_of_)) {
    ++counts_.factorisations;
    has_sticking_factor_ = false;
    auto matrix = cholesky_.start(size);
    for (Eigen::Index i = 0; i < size; ++i)
      for (const auto& [to, from, length] : runs_) {
        const Eigen::Index first = std::max(to, i);
        const double* const source = &system_->W(row(i), 0) + from - to;
        double* const target = &matrix(i, 0);
        for (Eigen::Index c = first; c < to + length; ++c) target[c] = source[c];
      }
    for (std::size_t b = 0; b < maps_.size(); ++b)
      for (int k = 0; row_of_[b] >= 0 && k < system_->blocks[b].size; ++k)
        matrix(row_of_[b] + k, row_of_[b] + k) += alpha_of(regularisation, b);
    if (!cholesky_.factor()) return false;
    pivot_ratio_ = cholesky_.pivot_ratio();
    sticking_ = row_of_;
    has_sticking_factor_ = true;
  }
  const bool loads_lost = held_.squaredNorm() > 0.0;
  for (Eigen::Index i = 0; i < size; ++i)
    rhs_[i] = -u[row(i)] - (loads_lost ? system_->W.row(row(i)).dot(held_) : 0.0);
  cholesky_.solve_in_place(rhs_.head(size));
  return take(size, r);
}

}  // namespace rigor
