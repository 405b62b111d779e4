#include "rigor/solvers/cone/pile_sweeps.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "rigor/base/index.hpp"
#include "rigor/base/work.hpp"
#include "rigor/math/portable.hpp"
#include "rigor/solvers/cone/half_terms.hpp"

namespace rigor {

/// What the loops below go over, contacts by their place.
struct PileSweeps::Rows {
  const int* begin;
  const int* node;
  const Block3* half;
  const Block3* own;
  const Block3* inverse;
  const Padded3* q;
  const double* spring;
  const double* mu;
  const ConeLocal* local;
  Padded3* r;
  Padded3* change;
  Padded3* v;
  double impulse_unit;
  bool associated;
};

namespace {

constexpr int kRange = 1024;          // contacts that one thread takes at a time
constexpr int kJudgeEvery = 25;       // sweeps
constexpr int kLook = 100;            // sweeps before progress is looked at first, a multiple of kJudgeEvery
constexpr double kSweepWork = 150.0;  // multiplications for each contact of a sweep
constexpr double kNearTolerance = 3.0;  // of the tolerance: a sweep that moves less may have reached it
constexpr double kBelow = 1e-6;         // of the tolerance: what other sums of the same terms may differ by

// v += Y x over the terms of contact i
template <class Rows>
RIGOR_KERNEL void add_impulse(const Rows& rows, int i, const double* x) {
  for (int k = rows.begin[i]; k < rows.begin[i + 1]; ++k) add_half(rows.half[k], x, rows.v[rows.node[k]]);
}

template <class Rows>
RIGOR_KERNEL void compute_velocity(const Rows& rows, int i, double* u) {
  const double* const r = rows.r[i].v;
  u[0] = rows.q[i].v[0] + rows.spring[i] * r[0];
  u[1] = rows.q[i].v[1];
  u[2] = rows.q[i].v[2];
  add_transposed(rows, i, rows.v, u);
}

// The impulse that solves contact i alone: sticking takes one product, all else is done by ConeLocal.
template <class Rows>
RIGOR_KERNEL bool solve_local(const Rows& rows, int i, const double* u, double* next) {
  const double* const r = rows.r[i].v;
  const Column3* const inverse = columns_of(rows.inverse[i]);
  const Column3 step = inverse[0] * u[0] + inverse[1] * u[1] + inverse[2] * u[2];
  for (int k = 0; k < 3; ++k) next[k] = r[k] - step[k];
  const double radius = rows.mu[i] * next[0];
  if (next[0] >= 0.0 && next[1] * next[1] + next[2] * next[2] <= radius * radius) return true;
  const Column3* const W = columns_of(rows.own[i]);
  const Column3 part = W[0] * r[0] + W[1] * r[1] + W[2] * r[2];
  const double q[3] = {u[0] - part[0], u[1] - part[1], u[2] - part[2]};
  for (int k = 0; k < 3; ++k) next[k] = r[k];
  return rows.local[i].solve(q, rows.associated, next, ConeLocal::kSwept);
}

// One sweep of the contacts first … last − 1; Σ ‖change‖².
template <class Rows>
RIGOR_KERNEL void sweep_range(const Rows& rows, int first, int last, double* sum) {
  double squares = 0.0;
  for (int i = first; i < last; ++i) {
    double* const r = rows.r[i].v;
    double* const change = rows.change[i].v;
    change[0] = change[1] = change[2] = 0.0;
    double u[3], next[3];
    compute_velocity(rows, i, u);
    const bool is_open = r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0 && u[0] >= 0.0 && !rows.associated;
    if (is_open || !solve_local(rows, i, u, next)) continue;
    for (int k = 0; k < 3; ++k) {
      change[k] = next[k] - r[k];
      squares += change[k] * change[k];
      r[k] = next[k];
    }
    add_impulse(rows, i, change);
  }
  *sum = squares;
}

template <class Rows>
RIGOR_KERNEL void judge_range(const Rows& rows, int first, int last, double* sum) {
  double squares = 0.0;
  for (int i = first; i < last; ++i) {
    double u[3], r[3];
    compute_velocity(rows, i, u);
    for (int k = 0; k < 3; ++k) r[k] = rows.impulse_unit * rows.r[i].v[k];
    squares += squared_block_residual({0, 3, rows.mu[i]}, rows.associated, r, u);
  }
  *sum = squares;
}

// (1): x += β p, p ← β p + d; with β = 0, p = d
RIGOR_KERNEL void advance(double beta, const Padded3* change, Padded3* direction, Padded3* x, int first,
                          int last) {
  for (int i = first; i < last; ++i) {
    const Column3 along = beta * column_of(direction[i]);
    column_of(x[i]) += along;
    column_of(direction[i]) = along + column_of(change[i]);
  }
}

}  // namespace

PileSweeps::Rows PileSweeps::rows() {
  return {begin_.data(),  node_.data(),   half_.data(),  own_.data(),        inverse_.data(),
          q_.data(),      spring_.data(), mu_.data(),    local_.data(),      r_.data(),
          change_.data(), v_.data(),      impulse_unit_, options_.associated};
}

// Sums work(first, last) over ranges of fixed length, added in their order whoever computed them.
template <class Work>
double PileSweeps::sum_ranges(int first, int last, bool in_order, Work&& work) {
  const int count = (last - first + kRange - 1) / kRange;
  sums_.resize(at(std::max(count, static_cast<int>(sums_.size()))));
  const auto one = [&](int item, int) {
    const int from = first + item * kRange;
    sums_[at(item)] = work(from, std::min(last, from + kRange));
  };
  if (options_.pool && count > 1 && !in_order)
    options_.pool->run(count, one);
  else
    for (int item = 0; item < count; ++item) one(item, 0);
  double sum = 0.0;
  for (int item = 0; item < count; ++item) sum += sums_[at(item)];
  return sum;
}

// The rows of the contact at a place: terms, its own block of W and the inverse of that. Returns the diagonal
// of W over the rows in use.
double PileSweeps::set_contact(int place) {
  const int i = colours_.order()[at(place)];
  const UnitConeProblem::Contact& contact = problem_->contacts[at(i)];
  Eigen::Matrix3d W = Eigen::Matrix3d::Zero();
  int term = begin_[at(place)];
  for (int s = 0; s < contact.part_count; ++s) {
    const int begin = problem_->node_begin[at(contact.parts[s].unit)];
    const int end = problem_->node_begin[at(contact.parts[s].unit) + 1];
    for (int x = begin; x < end; ++x, ++term) {
      const Block3& Y = half_[at(term)] = problem_->half[at(contact.parts[s].first + x - begin)];
      node_[at(term)] = x;
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r <= c; ++r) W(r, c) += Y(0, r) * Y(0, c) + Y(1, r) * Y(1, c) + Y(2, r) * Y(2, c);
    }
  }
  W(0, 0) += contact.compliance;
  double diagonal = 0.0;
  for (int k = 0; k < contact.size; ++k) diagonal += W(k, k);
  for (int k = contact.size; k < 3; ++k) W(k, k) = W(0, 0) > 0.0 ? W(0, 0) : 1.0;
  W.triangularView<Eigen::StrictlyLower>() = W.transpose();
  own_[at(place)] = to_block(W);
  // a singular block is never solved by one product: ConeLocal does it
  const Eigen::Matrix3d inverse = W.inverse();
  inverse_[at(place)] = inverse.allFinite() ? to_block(inverse) : Block3::zero();
  q_[at(place)] = {{problem_->q[3 * i], problem_->q[3 * i + 1], problem_->q[3 * i + 2], 0.0}};
  spring_[at(place)] = contact.compliance;
  mu_[at(place)] = problem_->mu[i];
  local_[at(place)].prepare({0, 3, problem_->mu[i]}, W.data(), 3);
  return diagonal;
}

void PileSweeps::prepare(const Eigen::VectorXd& r) {
  colours_.set(*problem_);
  const auto n = static_cast<int>(problem_->contacts.size());
  begin_.assign(1, 0);
  int used = 0;
  for (const int i : colours_.order()) {
    const UnitConeProblem::Contact& contact = problem_->contacts[at(i)];
    int terms = 0;
    for (int s = 0; s < contact.part_count; ++s)
      terms += problem_->node_begin[at(contact.parts[s].unit) + 1] -
               problem_->node_begin[at(contact.parts[s].unit)];
    begin_.push_back(begin_.back() + terms);
    used += contact.size;
  }
  half_.resize(at(begin_.back()));
  node_.resize(half_.size());
  for (std::vector<Block3>* list : {&own_, &inverse_}) list->resize(at(n));
  for (std::vector<Padded3>* list : {&q_, &r_}) list->resize(at(n));
  for (std::vector<double>* list : {&spring_, &mu_}) list->resize(at(n));
  local_.resize(at(n));
  const double trace = sum_ranges(0, n, false, [&](int from, int to) {
    double sum = 0.0;
    for (int place = from; place < to; ++place) sum += set_contact(place);
    return sum;
  });
  impulse_unit_ = trace > 0.0 ? trace / used : 1.0;
  change_.assign(at(n), Padded3{});
  direction_.assign(at(n), Padded3{});
  v_.assign(at(problem_->nodes()), Padded3{});
  v_direction_.assign(v_.size(), Padded3{});
  const Rows all = rows();
  for (int place = 0; place < n; ++place) {
    const double* const own = r.data() + 3 * colours_.order()[at(place)];
    r_[at(place)] = {{own[0], own[1], own[2], 0.0}};
    add_impulse(all, place, own);
  }
}

// Σ ‖change‖² over all contacts
double PileSweeps::sweep() {
  const Rows all = rows();
  double squares = 0.0;
  for (int c = 0; c < colours_.count(); ++c) {
    const bool is_rest = colours_.has_rest() && c + 1 == colours_.count();
    squares +=
        sum_ranges(colours_.begin()[at(c)], colours_.begin()[at(c) + 1], is_rest, [&](int from, int to) {
          double sum = 0.0;
          call_with_avx<sweep_range<Rows>, const Rows&>(all, from, to, &sum);
          return sum;
        });
  }
  return squares;
}

double PileSweeps::judge() {
  const Rows all = rows();
  const double squares = sum_ranges(0, static_cast<int>(r_.size()), false, [&](int from, int to) {
    double sum = 0.0;
    call_with_avx<judge_range<Rows>, const Rows&>(all, from, to, &sum);
    return sum;
  });
  return std::isfinite(squares) ? std::sqrt(squares) : std::numeric_limits<double>::infinity();
}

void PileSweeps::accelerate(double squares) {
  const double beta = squares <= last_squares_ && last_squares_ > 0.0 ? squares / last_squares_ : 0.0;
  last_squares_ = squares;
  sum_ranges(0, static_cast<int>(r_.size()), false, [&](int from, int to) {
    call_with_avx<advance>(beta, static_cast<const Padded3*>(change_.data()), direction_.data(), r_.data(),
                           from, to);
    return 0.0;
  });
  sum_ranges(0, static_cast<int>(v_.size()), false, [&](int from, int to) {
    for (int x = from; x < to; ++x)
      column_of(v_before_[at(x)]) = column_of(v_[at(x)]) - column_of(v_before_[at(x)]);
    call_with_avx<advance>(beta, static_cast<const Padded3*>(v_before_.data()), v_direction_.data(),
                           v_.data(), from, to);
    return 0.0;
  });
}

// Keeps the present point where it is the best so far; true where it is good enough.
bool PileSweeps::note(double residual) {
  if (!(residual < best_residual_)) return false;
  best_residual_ = residual;
  for (std::size_t place = 0; place < r_.size(); ++place)
    std::copy_n(r_[place].v, 3, best_.data() + 3 * colours_.order()[place]);
  return residual <= (1.0 - kBelow) * options_.tolerance;
}

void PileSweeps::run(PileResult& result) {
  if (note(judge())) return;
  last_squares_ = 0.0;
  double before = best_residual_;
  int next = kLook;
  while (result.sweeps < options_.max_sweeps && may_work(kSweepWork * static_cast<double>(r_.size()))) {
    v_before_ = v_;
    const double squares = sweep();
    ++result.sweeps;
    const bool is_turn = result.sweeps % kJudgeEvery == 0 || result.sweeps == options_.max_sweeps;
    const bool is_near = impulse_unit_ * std::sqrt(squares) <= kNearTolerance * options_.tolerance;
    if ((is_turn || is_near) && note(judge())) return;
    if (result.sweeps == next) {
      // as many digits a sweep as in the second half of those done
      const double gained = portable::log(before / best_residual_) / (0.5 * next);
      const double missing = portable::log(best_residual_ / options_.tolerance);
      if (options_.gives_up && next > kLook &&
          options_.doubt * missing > gained * (options_.max_sweeps - next))
        return;
      before = best_residual_;
      next *= 2;
    }
    accelerate(squares);
  }
}

// The residual of the problem as given, summed in the given order.
void PileSweeps::certify(const Eigen::VectorXd& r, PileResult& result) {
  const UnitConeProblem& p = *problem_;
  std::fill(v_.begin(), v_.end(), Padded3{});
  const auto for_each_term = [&](const UnitConeProblem::Contact& contact, auto&& visit) {
    for (int s = 0; s < contact.part_count; ++s) {
      const int begin = p.node_begin[at(contact.parts[s].unit)],
                end = p.node_begin[at(contact.parts[s].unit) + 1];
      for (int x = begin; x < end; ++x)
        visit(p.half[at(contact.parts[s].first + x - begin)], column_of(v_[at(x)]));
    }
  };
  double squares = 0.0;
  result.cone_violation = 0.0;
  const auto n = static_cast<int>(p.contacts.size());
  for (int i = 0; i < n; ++i)
    for_each_term(p.contacts[at(i)], [&](const Block3& Y, Column3& v) {
      const Column3* const y = columns_of(Y);
      v += y[0] * r[3 * i] + y[1] * r[3 * i + 1] + y[2] * r[3 * i + 2];
    });
  for (int i = 0; i < n; ++i) {
    double u[3], scaled[3];
    for (int k = 0; k < 3; ++k) u[k] = p.q[3 * i + k];
    u[0] += p.contacts[at(i)].compliance * r[3 * i];
    for_each_term(p.contacts[at(i)], [&](const Block3& Y, const Column3& v) {
      for (int k = 0; k < 3; ++k) {
        const Column3 product = columns_of(Y)[k] * v;
        u[k] += product[0] + product[1] + product[2];
      }
    });
    for (int k = 0; k < 3; ++k) scaled[k] = impulse_unit_ * r[3 * i + k];
    squares += squared_block_residual({0, 3, p.mu[i]}, options_.associated, scaled, u);
    const double outside =
        std::max(-scaled[0], std::sqrt(scaled[1] * scaled[1] + scaled[2] * scaled[2]) - p.mu[i] * scaled[0]);
    result.cone_violation = std::max(result.cone_violation, outside);
  }
  result.residual = std::isfinite(squares) ? std::sqrt(squares) : std::numeric_limits<double>::infinity();
}

void PileSweeps::solve(const UnitConeProblem& problem, const PileOptions& options, Eigen::VectorXd& r,
                       PileResult& result) {
  problem_ = &problem;
  options_ = options;
  result.sweeps = 0;
  prepare(r);
  best_ = r;
  best_residual_ = std::numeric_limits<double>::infinity();
  run(result);
  r = best_;
  certify(r, result);
}

}  // namespace rigor
