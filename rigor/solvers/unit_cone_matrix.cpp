#include "rigor/solvers/unit_cone_matrix.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace rigor {
namespace {

constexpr double kLeastTrace = 1e-12;  // of the mean

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

// v += Y x for one node
inline void add_half(const Block3& Y, const double* x, double* v) {
  for (int k = 0; k < 4; ++k) v[k] += Y.v[k] * x[0] + Y.v[4 + k] * x[1] + Y.v[8 + k] * x[2];
}

// u += Yᵀ v for one node
inline void add_transposed(const Block3& Y, const double* v, double* u) {
  for (int c = 0; c < 3; ++c) u[c] += Y.v[4 * c] * v[0] + Y.v[4 * c + 1] * v[1] + Y.v[4 * c + 2] * v[2];
}

}  // namespace

void UnitConeProblem::clear() {
  node_begin.assign(1, 0);
  half.clear();
  contacts.clear();
}

void UnitConeMatrix::set(const UnitConeProblem& problem) {
  problem_ = &problem;
  const auto n = static_cast<int>(problem.contacts.size());
  scale_.resize(n);
  diagonal_.resize(at(n));
  spring_.resize(at(n));
  half_ = problem.half;
  velocity_.assign(4 * at(problem.nodes()), 0.0);
  double mean = 0.0;
  for (int i = 0; i < n; ++i) {
    const UnitConeProblem::Contact& contact = problem.contacts[at(i)];
    Block3& own = diagonal_[at(i)];
    own = Block3::zero();
    for (int s = 0; s < contact.part_count; ++s) {
      const int unit = contact.parts[s].unit;
      const int nodes = problem.node_begin[at(unit) + 1] - problem.node_begin[at(unit)];
      for (int x = 0; x < nodes; ++x) {
        const Block3& Y = problem.half[at(contact.parts[s].first + x)];
        for (int c = 0; c < 3; ++c) add_transposed(Y, Y.v + 4 * c, own.v + 4 * c);
      }
    }
    spring_[at(i)] << contact.compliance, 0.0, 0.0;
    own(0, 0) += contact.compliance;
    // rows that are not used: their own diagonal, coupled with nothing
    const double diagonal = own(contact.size - 1, contact.size - 1);
    for (int k = contact.size; k < 3; ++k) own(k, k) = spring_[at(i)][k] = diagonal > 0.0 ? diagonal : 1.0;
    scale_[i] = (own(0, 0) + own(1, 1) + own(2, 2)) / 3.0;
    mean += scale_[i] / n;
  }
  if (!(mean > 0.0)) mean = 1.0;
  for (double& s : scale_) s = 1.0 / std::sqrt(s > kLeastTrace * mean ? s : kLeastTrace * mean);
  for (int i = 0; i < n; ++i) {
    const UnitConeProblem::Contact& contact = problem.contacts[at(i)];
    for (int s = 0; s < contact.part_count; ++s) {
      const int unit = contact.parts[s].unit;
      const int nodes = problem.node_begin[at(unit) + 1] - problem.node_begin[at(unit)];
      for (int x = 0; x < nodes; ++x)
        for (double& value : half_[at(contact.parts[s].first + x)].v) value *= scale_[i];
    }
    const double squared = scale_[i] * scale_[i];
    for (double& value : diagonal_[at(i)].v) value *= squared;
    spring_[at(i)] *= squared;
  }
  make_pattern();
  find_places();
}

// Nodes of units that a contact joins are coupled, all with all.
void UnitConeMatrix::make_pattern() {
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
  for (const UnitConeProblem::Contact& contact : problem_->contacts) {
    place_begin_.push_back(static_cast<int>(place_.size()));
    for (int s = 0; s < contact.part_count; ++s)
      for (int t = 0; t < contact.part_count; ++t) {
        const int from = contact.parts[s].unit, to = contact.parts[t].unit;
        for (int x = problem_->node_begin[at(from)]; x < problem_->node_begin[at(from) + 1]; ++x) {
          // the nodes of a unit stand together in a row
          const int* const begin = pattern_.column.data() + pattern_.begin[at(x)];
          const int* const end = pattern_.column.data() + pattern_.begin[at(x) + 1];
          place_.push_back(static_cast<int>(std::lower_bound(begin, end, problem_->node_begin[at(to)]) -
                                            pattern_.column.data()));
        }
      }
  }
}

void UnitConeMatrix::gather(const Eigen::VectorXd& r) const {
  std::fill(velocity_.begin(), velocity_.end(), 0.0);
  for (int i = 0; i < contacts(); ++i) {
    const UnitConeProblem::Contact& contact = problem_->contacts[at(i)];
    for (int s = 0; s < contact.part_count; ++s) {
      const int begin = problem_->node_begin[at(contact.parts[s].unit)];
      const int end = problem_->node_begin[at(contact.parts[s].unit) + 1];
      for (int x = begin; x < end; ++x)
        add_half(half_[at(contact.parts[s].first + x - begin)], r.data() + 3 * i, velocity_.data() + 4 * x);
    }
  }
}

void UnitConeMatrix::add_product(const Eigen::VectorXd& r, Eigen::VectorXd& u) const {
  gather(r);
  for (int i = 0; i < contacts(); ++i) {
    const UnitConeProblem::Contact& contact = problem_->contacts[at(i)];
    double* const own = u.data() + 3 * i;
    for (int k = 0; k < 3; ++k) own[k] += spring_[at(i)].data()[k] * r.data()[3 * i + k];
    for (int s = 0; s < contact.part_count; ++s) {
      const int begin = problem_->node_begin[at(contact.parts[s].unit)];
      const int end = problem_->node_begin[at(contact.parts[s].unit) + 1];
      for (int x = begin; x < end; ++x)
        add_transposed(half_[at(contact.parts[s].first + x - begin)], velocity_.data() + 4 * x, own);
    }
  }
}

bool UnitConeMatrix::sweep(const Eigen::VectorXd& q, const std::vector<ConeLocal>& local,
                           Eigen::VectorXd& r) {
  gather(r);
  bool all = true;
  for (int i = 0; i < contacts(); ++i) {
    const UnitConeProblem::Contact& contact = problem_->contacts[at(i)];
    double* const own = r.data() + 3 * i;
    // the velocity without the contact's own impulse
    double u[3];
    for (int k = 0; k < 3; ++k) u[k] = q.data()[3 * i + k] + spring_[at(i)].data()[k] * own[k];
    for (int s = 0; s < contact.part_count; ++s) {
      const int begin = problem_->node_begin[at(contact.parts[s].unit)];
      const int end = problem_->node_begin[at(contact.parts[s].unit) + 1];
      for (int x = begin; x < end; ++x)
        add_transposed(half_[at(contact.parts[s].first + x - begin)], velocity_.data() + 4 * x, u);
    }
    const Block3& W = diagonal_[at(i)];
    for (int k = 0; k < 3; ++k) u[k] -= W.v[k] * own[0] + W.v[4 + k] * own[1] + W.v[8 + k] * own[2];
    const double before[3] = {own[0], own[1], own[2]};
    if (!local[at(i)].solve(u, false, own)) {
      std::copy_n(before, 3, own);
      all = false;
      continue;
    }
    const double change[3] = {own[0] - before[0], own[1] - before[1], own[2] - before[2]};
    for (int s = 0; s < contact.part_count; ++s) {
      const int begin = problem_->node_begin[at(contact.parts[s].unit)];
      const int end = problem_->node_begin[at(contact.parts[s].unit) + 1];
      for (int x = begin; x < end; ++x)
        add_half(half_[at(contact.parts[s].first + x - begin)], change, velocity_.data() + 4 * x);
    }
  }
  return all;
}

// diagonal · 1 + Y D Yᵀ
void UnitConeMatrix::fill(const std::vector<Eigen::Matrix3d>& D, double diagonal,
                          std::vector<Block3>& values) const {
  std::fill(values.begin(), values.end(), Block3::zero());
  for (const int place : diagonal_at_)
    for (int k = 0; k < 3; ++k) values[at(place)](k, k) = diagonal;
  for (int i = 0; i < contacts(); ++i) {
    if (D[at(i)].isZero(0.0)) continue;
    const UnitConeProblem::Contact& contact = problem_->contacts[at(i)];
    const double* const d = D[at(i)].data();
    for (int t = 0; t < contact.part_count; ++t) {
      const int unit_t = contact.parts[t].unit;
      const int nodes_t = problem_->node_begin[at(unit_t) + 1] - problem_->node_begin[at(unit_t)];
      for (int y = 0; y < nodes_t; ++y) {
        // G = D Yᵀ of this node
        const Block3& Y = half_[at(contact.parts[t].first + y)];
        Block3 G;
        for (int c = 0; c < 3; ++c)
          for (int k = 0; k < 3; ++k)
            G.v[4 * c + k] = d[k] * Y.v[c] + d[3 + k] * Y.v[4 + c] + d[6 + k] * Y.v[8 + c];
        int place = place_begin_[at(i)];
        for (int s = 0; s < contact.part_count; ++s) {
          const int unit_s = contact.parts[s].unit;
          const int nodes_s = problem_->node_begin[at(unit_s) + 1] - problem_->node_begin[at(unit_s)];
          for (int other = 0; other < contact.part_count; ++other)
            for (int x = 0; x < nodes_s; ++x, ++place) {
              if (other != t) continue;
              Block3& to = values[at(place_[at(place)] + y)];
              const Block3& X = half_[at(contact.parts[s].first + x)];
              for (int c = 0; c < 3; ++c) add_half(X, G.v + 4 * c, to.v + 4 * c);
            }
        }
      }
    }
  }
}

bool UnitConeMatrix::factor(const ConeRows& rows) {
  rows_ = &rows;
  lu_.analyse(pattern_);
  const auto n = at(contacts());
  inverse_.resize(n);
  D_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (rows.B[i].isZero(0.0)) {
      inverse_[i] = rows.A[i].isIdentity(0.0) ? Eigen::Matrix3d(Eigen::Matrix3d::Identity())
                                              : Eigen::Matrix3d(rows.A[i].inverse());
      D_[i].setZero();
      continue;
    }
    const Eigen::Vector3d soft = spring_[i].array() + rows.alpha[static_cast<Eigen::Index>(i)];
    inverse_[i] = (rows.A[i] + rows.B[i] * soft.asDiagonal()).inverse();
    D_[i].noalias() = inverse_[i] * rows.B[i];
    if (!D_[i].allFinite()) return false;
  }
  fill(D_, 1.0, lu_.values());
  return lu_.factor();
}

void UnitConeMatrix::solve_once(const Eigen::VectorXd& b, Eigen::VectorXd& d) {
  d.resize(b.size());
  for (int i = 0; i < contacts(); ++i) d.segment<3>(3 * i).noalias() = inverse_[at(i)] * b.segment<3>(3 * i);
  gather(d);
  const int nodes = problem_->nodes();
  f_.resize(3 * nodes);
  for (int x = 0; x < nodes; ++x)
    for (int k = 0; k < 3; ++k) f_.data()[3 * x + k] = velocity_[at(4 * x + k)];
  lu_.solve(f_, v_);
  for (int x = 0; x < nodes; ++x)
    for (int k = 0; k < 3; ++k) velocity_[at(4 * x + k)] = v_.data()[3 * x + k];
  for (int i = 0; i < contacts(); ++i) {
    const UnitConeProblem::Contact& contact = problem_->contacts[at(i)];
    Eigen::Vector3d u = Eigen::Vector3d::Zero();
    for (int s = 0; s < contact.part_count; ++s) {
      const int begin = problem_->node_begin[at(contact.parts[s].unit)];
      const int end = problem_->node_begin[at(contact.parts[s].unit) + 1];
      for (int x = begin; x < end; ++x)
        add_transposed(half_[at(contact.parts[s].first + x - begin)], velocity_.data() + 4 * x, u.data());
    }
    d.segment<3>(3 * i).noalias() -= D_[at(i)] * u;
  }
}

void UnitConeMatrix::solve(const Eigen::VectorXd& b, Eigen::VectorXd& d) {
  solve_once(b, d);
  // once more for what is left: with a small α the factor has lost digits
  rest_.setZero(b.size());
  add_product(d, rest_);
  for (int i = 0; i < contacts(); ++i) {
    const Eigen::Vector3d own = d.segment<3>(3 * i);
    const Eigen::Vector3d u = rest_.segment<3>(3 * i) + rows_->alpha[i] * own;
    rest_.segment<3>(3 * i) = b.segment<3>(3 * i) - rows_->A[at(i)] * own - rows_->B[at(i)] * u;
  }
  solve_once(rest_, correction_);
  d += correction_;
}

double UnitConeMatrix::factor_work() {
  lu_.analyse(pattern_);
  return lu_.flops() + 1100.0 * contacts();
}

double UnitConeMatrix::sweep_work() const {
  return 36.0 * static_cast<double>(half_.size()) + 120.0 * contacts();
}

int UnitConeMatrix::find_rank(const std::vector<Eigen::Matrix3d>& P, double threshold) {
  rank_lu_.require_sparse();
  rank_lu_.analyse(pattern_);
  fill(P, -threshold, rank_lu_.values());
  if (!rank_lu_.factor()) return -1;
  return 3 * problem_->nodes() - rank_lu_.count_negative();
}

}  // namespace rigor
