#include "rigor/solvers/cone/unit_cone_matrix.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "rigor/base/index.hpp"
#include "rigor/solvers/cone/half_terms.hpp"

namespace rigor {

/// What the loops below go over.
struct UnitConeMatrix::Terms {
  int contacts;
  const int* begin;
  const int* node;
  const Block3* half;
  // contacts run_begin[k] … run_begin[k + 1] − 1 have the same nodes; is_twin: those of free bodies, two each
  int runs;
  const int* run_begin;
  const char* is_twin;
  const int* twin_begin;  // of every contact, and its bodies from there on: three columns each
  const TwinColumn* twins;
};

namespace {

// v += Y r
template <class Terms>
RIGOR_KERNEL void add_impulses(const Terms& terms, const double* r, Padded3* v) {
  for (int run = 0; run < terms.runs; ++run)
    for (int i = terms.run_begin[run]; i < terms.run_begin[run + 1]; ++i) {
      const double* const own = r + 3 * i;
      if (own[0] == 0.0 && own[1] == 0.0 && own[2] == 0.0) continue;
      const int begin = terms.begin[i], end = terms.begin[i + 1];
      if (!terms.is_twin[run]) {
        for (int k = begin; k < end; ++k) add_half(terms.half[k], own, v[terms.node[k]]);
        continue;
      }
      const TwinColumn* X = terms.twins + 3 * terms.twin_begin[i];
      for (int k = begin; k < end; k += 2, X += 3) {
        TwinColumn both;  // the two nodes of a body
        load_lanes(v[terms.node[k]].v, both);
        both += X[0] * own[0] + X[1] * own[1] + X[2] * own[2];
        store_lanes(both, v[terms.node[k]].v);
      }
    }
}

RIGOR_KERNEL double sum_halves(const TwinColumn& x) {
  const Column3* const half = reinterpret_cast<const Column3*>(&x);
  const Column3 sum = half[0] + half[1];
  return sum[0] + sum[1] + sum[2];
}

// u += Yᵀ v for one contact
template <class Terms>
RIGOR_KERNEL void add_speed(const Terms& terms, bool is_twin, int i, const Padded3* v, double* u) {
  if (!is_twin) return add_transposed(terms, i, v, u);
  const TwinColumn* X = terms.twins + 3 * terms.twin_begin[i];
  const int begin = terms.begin[i];
  TwinColumn first, second;
  load_lanes(v[terms.node[begin]].v, first);
  TwinColumn sum[3] = {X[0] * first, X[1] * first, X[2] * first};
  if (terms.begin[i + 1] - begin > 2) {
    load_lanes(v[terms.node[begin + 2]].v, second);
    for (int c = 0; c < 3; ++c) sum[c] += X[3 + c] * second;
  }
  for (int c = 0; c < 3; ++c) u[c] += sum_halves(sum[c]);
}

// u += E r + Yᵀ v
template <class Terms>
RIGOR_KERNEL void add_velocities(const Terms& terms, const double* spring, const double* r, const Padded3* v,
                                 double* u) {
  for (int run = 0; run < terms.runs; ++run)
    for (int i = terms.run_begin[run]; i < terms.run_begin[run + 1]; ++i) {
      u[3 * i] += spring[i] * r[3 * i];
      add_speed(terms, terms.is_twin[run], i, v, u + 3 * i);
    }
}

// du = Yᵀ v + E dr, dr −= D Yᵀ v
template <class Terms>
RIGOR_KERNEL void answer_velocities(const Terms& terms, const double* spring, const Block3* D,
                                    const Padded3* v, double* dr, double* du) {
  for (int run = 0; run < terms.runs; ++run)
    for (int i = terms.run_begin[run]; i < terms.run_begin[run + 1]; ++i) {
      double u[3] = {0.0, 0.0, 0.0};
      add_speed(terms, terms.is_twin[run], i, v, u);
      const Column3* const own = columns_of(D[i]);
      const Column3 change = own[0] * u[0] + own[1] * u[1] + own[2] * u[2];
      for (int k = 0; k < 3; ++k) dr[3 * i + k] -= change[k];
      u[0] += spring[i] * dr[3 * i];
      for (int k = 0; k < 3; ++k) du[3 * i + k] = u[k];
    }
}

// values += Y D Yᵀ for one contact
template <class Terms>
RIGOR_KERNEL void add_square(const Terms& terms, int i, const Block3& D, const int* place, Block3* values) {
  const Column3* const own = columns_of(D);
  const int first = terms.begin[i], count = terms.begin[i + 1] - first;
  for (int l = 0; l < count; ++l) {
    // G = D Yᵀ of this term, by columns
    const double* const Y = terms.half[first + l].v;
    Column3 G[3];
    for (int c = 0; c < 3; ++c) G[c] = own[0] * Y[c] + own[1] * Y[4 + c] + own[2] * Y[8 + c];
    for (int k = 0; k < count; ++k) {
      const Column3* const X = columns_of(terms.half[first + k]);
      Column3* const to = columns_of(values[place[k * count + l]]);
      for (int c = 0; c < 3; ++c) to[c] += X[0] * G[c][0] + X[1] * G[c][1] + X[2] * G[c][2];
    }
  }
}

// The same for contacts first … end − 1 of the same free bodies: the sum of all is added at once, and the two nodes of a
// body are above each other.
template <int bodies, class Terms>
RIGOR_KERNEL void add_squares_of_bodies(const Terms& terms, int first, int end, const Block3* D,
                                        const int* place, Block3* values) {
  constexpr int kNodes = 2 * bodies;
  for (int l = 0; l < kNodes; ++l) {
    TwinColumn a0 = {}, a1 = {}, a2 = {}, b0 = {}, b1 = {}, b2 = {};
    for (int i = first; i < end; ++i) {
      if (is_zero(D[i])) continue;
      // G = D Yᵀ of this node
      const Column3* const own = columns_of(D[i]);
      const double* const Y = terms.half[terms.begin[i] + l].v;
      Block3 G;
      for (int c = 0; c < 3; ++c) columns_of(G)[c] = own[0] * Y[c] + own[1] * Y[4 + c] + own[2] * Y[8 + c];
      const TwinColumn* const X = terms.twins + 3 * terms.twin_begin[i];
      a0 += X[0] * G.v[0] + X[1] * G.v[1] + X[2] * G.v[2];
      a1 += X[0] * G.v[4] + X[1] * G.v[5] + X[2] * G.v[6];
      a2 += X[0] * G.v[8] + X[1] * G.v[9] + X[2] * G.v[10];
      if constexpr (bodies == 2) {
        b0 += X[3] * G.v[0] + X[4] * G.v[1] + X[5] * G.v[2];
        b1 += X[3] * G.v[4] + X[4] * G.v[5] + X[5] * G.v[6];
        b2 += X[3] * G.v[8] + X[4] * G.v[9] + X[5] * G.v[10];
      }
    }
    const TwinColumn sums[6] = {a0, a1, a2, b0, b1, b2};
    for (int k = 0; k < kNodes; ++k) {
      Column3* const to = columns_of(values[place[k * kNodes + l]]);
      const Column3* const from = reinterpret_cast<const Column3*>(sums + 3 * (k / 2)) + k % 2;
      for (int c = 0; c < 3; ++c) to[c] += from[2 * c];
    }
  }
}

// values += Y D Yᵀ
template <class Terms>
RIGOR_KERNEL void add_squares(const Terms& terms, const Block3* D, const int* place_begin, const int* place,
                              Block3* values) {
  for (int run = 0; run < terms.runs; ++run) {
    const int first = terms.run_begin[run], end = terms.run_begin[run + 1];
    const int nodes = terms.begin[first + 1] - terms.begin[first];
    if (terms.is_twin[run] && nodes == 4)
      add_squares_of_bodies<2>(terms, first, end, D, place + place_begin[first], values);
    else if (terms.is_twin[run])
      add_squares_of_bodies<1>(terms, first, end, D, place + place_begin[first], values);
    else
      for (int i = first; i < end; ++i)
        if (!is_zero(D[i])) add_square(terms, i, D[i], place + place_begin[i], values);
  }
}

// W += Xᵀ Y
void add_square(const Block3& X, const Block3& Y, Block3& W) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) W(r, c) += X(0, r) * Y(0, c) + X(1, r) * Y(1, c) + X(2, r) * Y(2, c);
}

// Rows of a contact's own block that are not in use: their diagonal is that of the last one in use.
void fill_unused_rows(int size, Block3& own) {
  const double diagonal = own(size - 1, size - 1);
  for (int k = size; k < 3; ++k) own(k, k) = diagonal > 0.0 ? diagonal : 1.0;
}

}  // namespace

void UnitConeProblem::clear() {
  node_begin.assign(1, 0);
  half.clear();
  contacts.clear();
}

void form_sparse_cone(const UnitConeProblem& units, SparseConeProblem& problem) {
  const auto n = static_cast<int>(units.contacts.size());
  std::vector<std::vector<std::pair<int, int>>> touching(units.node_begin.size() - 1);  // contact, part
  for (int i = 0; i < n; ++i)
    for (int s = 0; s < units.contacts[at(i)].part_count; ++s)
      touching[at(units.contacts[at(i)].parts[s].unit)].push_back({i, s});
  problem.pattern.begin.assign(1, 0);
  problem.pattern.column.clear();
  problem.values.clear();
  problem.sizes.clear();
  std::vector<int> place(at(n), -1), row;
  for (int i = 0; i < n; ++i) {
    const UnitConeProblem::Contact& contact = units.contacts[at(i)];
    row.assign(1, i);
    for (int s = 0; s < contact.part_count; ++s)
      for (const auto& [j, t] : touching[at(contact.parts[s].unit)]) row.push_back(j);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const int j : row) {
      place[at(j)] = static_cast<int>(problem.values.size());
      problem.pattern.column.push_back(j);
      problem.values.push_back(Block3::zero());
    }
    problem.pattern.begin.push_back(static_cast<int>(problem.values.size()));
    for (int s = 0; s < contact.part_count; ++s) {
      const int unit = contact.parts[s].unit;
      for (const auto& [j, t] : touching[at(unit)]) {
        Block3& block = problem.values[at(place[at(j)])];
        const int nodes = units.node_begin[at(unit) + 1] - units.node_begin[at(unit)];
        for (int x = 0; x < nodes; ++x)
          add_square(units.half[at(contact.parts[s].first + x)],
                     units.half[at(units.contacts[at(j)].parts[t].first + x)], block);
      }
    }
    Block3& own = problem.values[at(place[at(i)])];
    own(0, 0) += contact.compliance;
    fill_unused_rows(contact.size, own);
    problem.sizes.push_back(contact.size);
  }
  problem.q = units.q;
  problem.mu = units.mu;
}

UnitConeMatrix::Terms UnitConeMatrix::terms() const {
  return {contacts(),
          term_begin_.data(),
          node_.data(),
          half_.data(),
          static_cast<int>(is_twin_.size()),
          run_begin_.data(),
          is_twin_.data(),
          twin_begin_.data(),
          reinterpret_cast<const TwinColumn*>(twins_.data())};
}

void UnitConeMatrix::set(const UnitConeProblem& problem) {
  problem_ = &problem;
  has_pattern_ = false;
  const auto n = static_cast<int>(problem.contacts.size());
  scale_.resize(n);
  diagonal_.resize(at(n));
  spring_.resize(at(n));
  velocity_.assign(at(problem.nodes()), Padded3{});
  term_begin_.assign(1, 0);
  node_.clear();
  half_.clear();
  double mean = 0.0;
  for (int i = 0; i < n; ++i) {
    set_contact(i);
    mean += scale_[i] / n;
  }
  if (!(mean > 0.0)) mean = 1.0;
  for (int i = 0; i < n; ++i) {
    const double squared = 1.0 / std::max(scale_[i], kLeastTrace * mean);
    scale_[i] = std::sqrt(squared);
    for (int k = term_begin_[at(i)]; k < term_begin_[at(i) + 1]; ++k)
      for (double& value : half_[at(k)].v) value *= scale_[i];
    for (double& value : diagonal_[at(i)].v) value *= squared;
    spring_[at(i)] *= squared;
  }
  find_runs();
}

// Contacts after each other with the same nodes, and the half vectors of the two nodes of a body above each other.
void UnitConeMatrix::find_runs() {
  run_begin_.assign(1, 0);
  is_twin_.clear();
  twin_begin_.assign(at(contacts()), 0);
  twins_.clear();
  const auto terms_of = [&](int i) { return term_begin_[at(i) + 1] - term_begin_[at(i)]; };
  const auto is_body = [&](int unit) {
    return problem_->node_begin[at(unit) + 1] - problem_->node_begin[at(unit)] == 2;
  };
  for (int i = 0; i < contacts(); i = run_begin_.back()) {
    const auto begin = node_.begin() + term_begin_[at(i)];
    int end = i + 1;
    while (end < contacts() && terms_of(end) == terms_of(i) &&
           std::equal(begin, begin + terms_of(i), node_.begin() + term_begin_[at(end)]))
      ++end;
    const UnitConeProblem::Contact& contact = problem_->contacts[at(i)];
    const bool is_twin = contact.part_count > 0 && is_body(contact.parts[0].unit) &&
                         (contact.part_count < 2 || is_body(contact.parts[1].unit));
    for (int c = i; is_twin && c < end; ++c) {
      twin_begin_[at(c)] = static_cast<int>(twins_.size() / 3);
      for (int k = term_begin_[at(c)]; k < term_begin_[at(c) + 1]; k += 2)
        add_twin(half_[at(k)], half_[at(k) + 1]);
    }
    run_begin_.push_back(end);
    is_twin_.push_back(is_twin);
  }
}

void UnitConeMatrix::add_twin(const Block3& first, const Block3& second) {
  for (int c = 0; c < 3; ++c) {
    Twin& twin = twins_.emplace_back();
    for (int k = 0; k < 4; ++k) {
      twin.v[k] = first.v[4 * c + k];
      twin.v[4 + k] = second.v[4 * c + k];
    }
  }
}

// The terms of contact i and its own block of W; scale_ gets the mean of that block's diagonal, from which
// set() makes the scale.
void UnitConeMatrix::set_contact(int i) {
  const UnitConeProblem::Contact& contact = problem_->contacts[at(i)];
  Block3& own = diagonal_[at(i)];
  own = Block3::zero();
  for (int s = 0; s < contact.part_count; ++s) {
    const int begin = problem_->node_begin[at(contact.parts[s].unit)];
    const int end = problem_->node_begin[at(contact.parts[s].unit) + 1];
    for (int x = begin; x < end; ++x) {
      const Block3& Y = half_.emplace_back(problem_->half[at(contact.parts[s].first + x - begin)]);
      node_.push_back(x);
      add_square(Y, Y, own);
    }
  }
  term_begin_.push_back(static_cast<int>(node_.size()));
  spring_[at(i)] = contact.compliance;
  own(0, 0) += contact.compliance;
  fill_unused_rows(contact.size, own);
  scale_[i] = (own(0, 0) + own(1, 1) + own(2, 2)) / 3.0;
}

void UnitConeMatrix::make_pattern() {
  if (has_pattern_) return;
  make_graph();
  find_places();
  has_pattern_ = true;
}

// The nodes of all units that a contact joins are coupled, each with each.
void UnitConeMatrix::make_graph() {
  const auto units = static_cast<int>(problem_->node_begin.size()) - 1;
  if (neighbours_.size() < at(units)) neighbours_.resize(at(units));
  for (int k = 0; k < units; ++k) neighbours_[at(k)].assign(1, k);
  for (const UnitConeProblem::Contact& contact : problem_->contacts) {
    if (contact.part_count < 2) continue;
    const int a = contact.parts[0].unit, b = contact.parts[1].unit;
    neighbours_[at(a)].push_back(b);
    neighbours_[at(b)].push_back(a);
  }
  pattern_.begin.assign(1, 0);
  pattern_.column.clear();
  diagonal_at_.resize(at(problem_->nodes()));
  for (int k = 0; k < units; ++k) {
    std::vector<int>& list = neighbours_[at(k)];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    for (int node = problem_->node_begin[at(k)]; node < problem_->node_begin[at(k) + 1]; ++node) {
      for (const int other : list)
        for (int j = problem_->node_begin[at(other)]; j < problem_->node_begin[at(other) + 1]; ++j) {
          if (j == node) diagonal_at_[at(node)] = static_cast<int>(pattern_.column.size());
          pattern_.column.push_back(j);
        }
      pattern_.begin.push_back(static_cast<int>(pattern_.column.size()));
    }
  }
}

void UnitConeMatrix::find_places() {
  place_.clear();
  place_begin_.clear();
  for (int i = 0; i < contacts(); ++i) {
    const UnitConeProblem::Contact& contact = problem_->contacts[at(i)];
    place_begin_.push_back(static_cast<int>(place_.size()));
    for (int k = term_begin_[at(i)]; k < term_begin_[at(i) + 1]; ++k) {
      const int* const begin = pattern_.column.data() + pattern_.begin[at(node_[at(k)])];
      const int* const end = pattern_.column.data() + pattern_.begin[at(node_[at(k)]) + 1];
      for (int t = 0; t < contact.part_count; ++t) {
        // the nodes of a unit are consecutive in a row
        const int first = problem_->node_begin[at(contact.parts[t].unit)];
        const int nodes = problem_->node_begin[at(contact.parts[t].unit) + 1] - first;
        const auto place = static_cast<int>(std::lower_bound(begin, end, first) - pattern_.column.data());
        for (int y = 0; y < nodes; ++y) place_.push_back(place + y);
      }
    }
  }
}

void UnitConeMatrix::gather(const Eigen::VectorXd& r) const {
  std::fill(velocity_.begin(), velocity_.end(), Padded3{});
  call_with_avx512<add_impulses<Terms>>(terms(), r.data(), velocity_.data());
}

void UnitConeMatrix::add_product(const Eigen::VectorXd& r, Eigen::VectorXd& u) const {
  gather(r);
  call_with_avx512<add_velocities<Terms>>(terms(), spring_.data(), r.data(), velocity_.data(), u.data());
}

bool UnitConeMatrix::sweep(const Eigen::VectorXd& q, const std::vector<ConeLocal>& local,
                           Eigen::VectorXd& r) {
  gather(r);
  const Terms all = terms();
  bool solved = true;
  for (int i = 0; i < contacts(); ++i) {
    double* const own = r.data() + 3 * i;
    // the velocity without the contact's own impulse
    double u[3];
    for (int k = 0; k < 3; ++k) u[k] = q.data()[3 * i + k];
    u[0] += spring_[at(i)] * own[0];
    add_transposed(all, i, velocity_.data(), u);
    const Block3& W = diagonal_[at(i)];
    for (int k = 0; k < 3; ++k) u[k] -= W.v[k] * own[0] + W.v[4 + k] * own[1] + W.v[8 + k] * own[2];
    const double before[3] = {own[0], own[1], own[2]};
    if (!local[at(i)].solve(u, false, own, ConeLocal::kSwept)) {
      std::copy_n(before, 3, own);
      solved = false;
      continue;
    }
    const double change[3] = {own[0] - before[0], own[1] - before[1], own[2] - before[2]};
    for (int k = all.begin[i]; k < all.begin[i + 1]; ++k)
      add_half(all.half[k], change, velocity_[at(all.node[k])]);
  }
  return solved;
}

// diagonal · 1 + Y D Yᵀ
void UnitConeMatrix::fill(const std::vector<Block3>& D, double diagonal, std::vector<Block3>& values) const {
  std::fill(values.begin(), values.end(), Block3::zero());
  for (const int place : diagonal_at_)
    for (int k = 0; k < 3; ++k) values[at(place)](k, k) = diagonal;
  call_with_avx512<add_squares<Terms>>(terms(), D.data(), place_begin_.data(), place_.data(), values.data());
}

bool UnitConeMatrix::factor(const std::vector<Block3>& D) {
  given_ = &D;
  make_pattern();
  lu_.analyse(pattern_);
  if (!soften(D, spring_.data())) return false;
  fill(*D_, 1.0, lu_.values());
  return lu_.factor();
}

void UnitConeMatrix::solve_once(const Eigen::VectorXd& t, Eigen::VectorXd& dr, Eigen::VectorXd& du) {
  soften(t, dr);
  du.resize(t.size());
  gather(dr);
  const int nodes = problem_->nodes();
  f_.resize(3 * nodes);
  for (int x = 0; x < nodes; ++x) std::copy_n(velocity_[at(x)].v, 3, f_.data() + 3 * x);
  lu_.solve(f_, v_);
  for (int x = 0; x < nodes; ++x) std::copy_n(v_.data() + 3 * x, 3, velocity_[at(x)].v);
  call_with_avx512<answer_velocities<Terms>>(terms(), spring_.data(), D_->data(), velocity_.data(), dr.data(),
                                             du.data());
}

void UnitConeMatrix::solve(const Eigen::VectorXd& t, Eigen::VectorXd& dr, Eigen::VectorXd& du) {
  solve_once(t, dr, du);
  if (keeps_digits()) return;
  // one refinement: with a large D the factor has lost digits, and its error in soft motions is more than rounding
  exact_.setZero(t.size());
  add_product(dr, exact_);
  rest_.resize(t.size());
  for (int i = 0; i < contacts(); ++i) {
    const Block3& D = (*given_)[at(i)];
    const double* const u = exact_.data() + 3 * i;
    for (int k = 0; k < 3; ++k)
      rest_.data()[3 * i + k] =
          t.data()[3 * i + k] - dr.data()[3 * i + k] - (D(k, 0) * u[0] + D(k, 1) * u[1] + D(k, 2) * u[2]);
  }
  solve_once(rest_, correction_, correction_speed_);
  dr += correction_;
  du = exact_ + correction_speed_;
}

double UnitConeMatrix::factor_work() {
  make_pattern();
  lu_.analyse(pattern_);
  return lu_.flops() + 1100.0 * contacts();
}

double UnitConeMatrix::sweep_work() const {
  return 36.0 * static_cast<double>(half_.size()) + 120.0 * contacts();
}

int UnitConeMatrix::find_rank(const std::vector<Eigen::Matrix3d>& P, double threshold) {
  make_pattern();
  lu_.analyse(pattern_);
  BlockLu& lu = lu_.is_dense() ? rank_lu_ : lu_;
  rank_lu_.require_sparse();
  lu.analyse(pattern_);
  faces_.resize(P.size());
  for (std::size_t i = 0; i < P.size(); ++i) faces_[i] = to_block(P[i]);
  fill(faces_, -threshold, lu.values());
  if (!lu.factor()) return -1;
  return 3 * problem_->nodes() - lu.count_negative();
}

}  // namespace rigor
