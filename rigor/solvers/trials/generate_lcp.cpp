#include "rigor/solvers/trials/generate_lcp.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/math/portable.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/lcp/equilibrate.hpp"
#include "rigor/solvers/trials/generate_contacts.hpp"

namespace rigor {
namespace {

constexpr std::array<std::string_view, 10> kNames = {
    "p",          "p-symmetric", "psd-feasible", "psd-infeasible", "copositive",
    "degenerate", "redundant",   "friction",     "badly-scaled",   "p-dominant"};

Eigen::MatrixXd gaussian(Random& random, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd matrix(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j)
    for (Eigen::Index i = 0; i < rows; ++i) matrix(i, j) = random.gaussian();
  return matrix;
}

Eigen::MatrixXd skew(Random& random, Eigen::Index n, double factor) {
  const Eigen::MatrixXd S = gaussian(random, n, n);
  return factor * (S - S.transpose());
}

// B Bᵀ/n + factor (S − Sᵀ) + shift I: positive definite
Eigen::MatrixXd positive_definite(Random& random, Eigen::Index n, double skew_factor, double shift) {
  const Eigen::MatrixXd B = gaussian(random, n, n);
  Eigen::MatrixXd M = B * B.transpose() / static_cast<double>(n);
  if (skew_factor > 0.0) M += skew(random, n, skew_factor);
  M.diagonal().array() += shift;
  return M;
}

// q such that a random complementary pair solves; a share of the pairs is (0, 0)
void plant_solution(Random& random, LcpProblem& problem, double zero_share) {
  const Eigen::Index n = problem.M.rows();
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n), w = Eigen::VectorXd::Zero(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (random.chance(zero_share)) continue;
    (random.chance(0.5) ? z : w)[i] = random.uniform(0.1, 2.0);
  }
  problem.q = w - problem.M * z;
}

void make_psd_feasible(Random& random, LcpProblem& problem, Eigen::Index n) {
  const Eigen::Index rank = std::max<Eigen::Index>(1, n / 2);
  const Eigen::MatrixXd B = gaussian(random, n, rank);
  problem.M = B * B.transpose();
  if (random.chance(0.3)) problem.M += B * skew(random, rank, 0.3) * B.transpose();
  plant_solution(random, problem, 0.0);
}

// Mᵀy = 0 for a random y ≥ 0 (up to rounding), and qᵀy < 0. A row that is rounding noise alone would make the
// problem feasible with z ~ 1e17, so a y with one entry gets an exact zero row.
void make_psd_infeasible(Random& random, LcpProblem& problem, Eigen::Index n) {
  const Eigen::Index rank = std::max<Eigen::Index>(1, n / 2);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(n);
  Eigen::Index entries = 0, last = 0;
  for (Eigen::Index i = 0; i < n; ++i)
    if (random.chance(0.5)) y[i] = random.uniform(0.1, 1.0);
  if (y.sum() == 0.0) y[0] = 1.0;
  for (Eigen::Index i = 0; i < n; ++i)
    if (y[i] > 0.0) {
      ++entries;
      last = i;
    }
  Eigen::MatrixXd B = gaussian(random, n, rank);
  B -= y * (y.transpose() * B) / y.squaredNorm();
  if (entries == 1) B.row(last).setZero();
  problem.M = B * B.transpose();
  problem.q -= y * (problem.q.dot(y) + random.uniform(0.1, 1.0)) / y.squaredNorm();
}

void make_redundant(Random& random, LcpProblem& problem, Eigen::Index n) {
  const Eigen::Index groups = (n + 3) / 4, rank = std::min<Eigen::Index>(6, groups);
  const Eigen::MatrixXd group_rows = gaussian(random, groups, rank);
  Eigen::MatrixXd B(n, rank);
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n), w = Eigen::VectorXd::Zero(n);
  for (Eigen::Index g = 0; g < groups; ++g) {
    const double open = random.chance(0.5) ? random.uniform(0.1, 2.0) : 0.0;
    for (Eigen::Index i = 4 * g; i < std::min(n, 4 * g + 4); ++i) {
      B.row(i) = group_rows.row(g);
      w[i] = open;
      if (open == 0.0) z[i] = random.uniform();
    }
  }
  problem.M = B * B.transpose();
  problem.q = w - problem.M * z;
}

}  // namespace

std::string_view to_string(LcpClass lcp_class) {
  return kNames[static_cast<std::size_t>(lcp_class)];
}

const std::vector<LcpClass>& all_lcp_classes() {
  static const std::vector<LcpClass> classes = {
      LcpClass::kP,           LcpClass::kPSymmetric, LcpClass::kPsdFeasible, LcpClass::kPsdInfeasible,
      LcpClass::kCopositive,  LcpClass::kDegenerate, LcpClass::kRedundant,   LcpClass::kFriction,
      LcpClass::kBadlyScaled, LcpClass::kDominant};
  return classes;
}

LcpClass make_lcp_class(std::string_view name) {
  for (const LcpClass lcp_class : all_lcp_classes())
    if (to_string(lcp_class) == name) return lcp_class;
  require(false, "LCP class \"{}\" is unknown. Known: {}.", name, fmt::join(kNames, ", "));
  return LcpClass::kP;
}

LcpProblem make_random_lcp(LcpClass lcp_class, int size, std::uint64_t seed) {
  require(size >= 1 && size <= 20000, "make_random_lcp: size = {}, must lie in [1, 20000].", size);
  Random random(seed);
  const Eigen::Index n = size;
  LcpProblem problem;
  problem.q.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) problem.q[i] = random.gaussian();
  switch (lcp_class) {
    case LcpClass::kP:
      problem.M = positive_definite(random, n, 0.5, 1e-2);
      break;
    case LcpClass::kPSymmetric:
      problem.M = positive_definite(random, n, 0.0, 1e-2);
      break;
    case LcpClass::kPsdFeasible:
      make_psd_feasible(random, problem, n);
      break;
    case LcpClass::kPsdInfeasible:
      make_psd_infeasible(random, problem, n);
      break;
    case LcpClass::kCopositive:
      problem.M = gaussian(random, n, n).cwiseAbs();
      for (Eigen::Index j = 0; j < n; ++j)
        for (Eigen::Index i = 0; i < n; ++i)
          if (i != j && random.chance(0.3)) problem.M(i, j) = 0.0;
      break;
    case LcpClass::kDegenerate:
      problem.M = positive_definite(random, n, 0.3, 1e-2);
      plant_solution(random, problem, 0.5);
      break;
    case LcpClass::kRedundant:
      make_redundant(random, problem, n);
      break;
    case LcpClass::kFriction:
      return make_lcp(make_random_contacts(size, random.next()));
    case LcpClass::kDominant:
      problem.M = gaussian(random, n, n);
      for (Eigen::Index i = 0; i < n; ++i) {
        problem.M(i, i) = 0.0;
        problem.M(i, i) = n == 1 ? 1.0 : 1.05 * problem.M.row(i).cwiseAbs().sum();
      }
      break;
    case LcpClass::kBadlyScaled: {
      problem.M = positive_definite(random, n, 0.3, 0.05);
      for (Eigen::Index i = 0; i < n; ++i) {
        const double row = portable::pow(10.0, random.uniform(-8.0, 8.0)),
                     column = portable::pow(10.0, random.uniform(-8.0, 8.0));
        problem.M.row(i) *= row;
        problem.M.col(i) *= column;
        problem.q[i] *= row;
      }
      break;
    }
  }
  return problem;
}

TruthProblem make_truth_problem(std::uint64_t seed, std::uint64_t index, int max_size) {
  constexpr std::array<std::pair<LcpClass, int>, 8> kShares = {{{LcpClass::kP, 20},
                                                                {LcpClass::kPsdFeasible, 20},
                                                                {LcpClass::kPsdInfeasible, 15},
                                                                {LcpClass::kCopositive, 10},
                                                                {LcpClass::kDegenerate, 10},
                                                                {LcpClass::kRedundant, 10},
                                                                {LcpClass::kFriction, 10},
                                                                {LcpClass::kBadlyScaled, 5}}};
  Random random(seed ^ (0x9e3779b97f4a7c15u * (index + 1)));
  int ticket = random.below(100);
  LcpClass lcp_class = LcpClass::kP;
  for (const auto& [candidate, share] : kShares) {
    if (ticket < 0) break;
    lcp_class = candidate;
    ticket -= share;
  }
  const int size = 1 + random.below(max_size);
  return {lcp_class, make_random_lcp(lcp_class, size, random.next())};
}

SparseLcpProblem make_obstacle(int side, std::uint64_t seed) {
  require(side >= 1 && side <= 1000, "make_obstacle: side = {}, must lie in [1, 1000].", side);
  Random random(seed);
  std::vector<Eigen::Triplet<double>> entries;
  const auto at = [side](int x, int y) { return y * side + x; };
  SparseLcpProblem problem{SparseMatrix(side * side, side * side), Eigen::VectorXd(side * side)};
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const int k = at(x, y);
      entries.emplace_back(k, k, 4.0);
      if (x > 0) entries.emplace_back(k, at(x - 1, y), -1.0);
      if (x + 1 < side) entries.emplace_back(k, at(x + 1, y), -1.0);
      if (y > 0) entries.emplace_back(k, at(x, y - 1), -1.0);
      if (y + 1 < side) entries.emplace_back(k, at(x, y + 1), -1.0);
      problem.q[k] = random.gaussian();
    }
  problem.M.setFromTriplets(entries.begin(), entries.end());
  return problem;
}

MlcpProblem embed_in_mlcp(const LcpProblem& lcp, int free_count, std::uint64_t seed) {
  const Eigen::Index f = free_count, m = lcp.q.size();
  Random random(seed);
  // in the units of each row and column of M, so that no small entry drowns in D A⁻¹ C
  Equilibration units;
  units.compute(lcp, true);
  Eigen::MatrixXd A = gaussian(random, f, f);
  A.diagonal().array() += 2.0 * static_cast<double>(f);
  const Eigen::MatrixXd C = gaussian(random, f, m) * units.column.cwiseInverse().asDiagonal();
  const Eigen::MatrixXd D = units.row.cwiseInverse().asDiagonal() * gaussian(random, m, f);
  const Eigen::VectorXd a = units.q_scale * gaussian(random, f, 1);
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(A);
  Eigen::MatrixXd K(f + m, f + m);
  K << A, C, D, lcp.M + D * lu.solve(C);
  MlcpProblem mixed;
  mixed.free_count = f;
  mixed.K = K.sparseView();
  mixed.q.resize(f + m);
  mixed.q << a, lcp.q + D * lu.solve(a);
  return mixed;
}

}  // namespace rigor
