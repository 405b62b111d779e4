#include "rigor/contact/polyhedral_law.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/math/portable.hpp"
#include "rigor/solvers/contact_lcp/contact_auto.hpp"
#include "rigor/solvers/problem.hpp"

namespace rigor {
namespace {

// m: a smaller gap is due to the rounding of poses and counts as touching
constexpr double kTouch = 1e-9;
// From this many unknowns on the structured methods are tried before pivoting.
constexpr Eigen::Index kLargeLcp = 80;
// From this many unknowns on pivoting on a dense matrix is not tried.
constexpr Eigen::Index kLargestDense = 2000;

int count_directions(const ConeBlock& block, int directions) {
  return block.size == 1 ? 0 : block.size == 2 ? 2 : directions;
}

}  // namespace

PolyhedralLaw::PolyhedralLaw(const RunSettings& settings, bool uses_gap)
    : uses_gap_(uses_gap),
      directions_(settings.directions),
      tolerance_(settings.tolerance),
      choice_(settings) {
  require(directions_ >= 4 && directions_ % 2 == 0,
          "run.directions = {}, must be an even number of at least 4; in a plane two are used anyway.",
          directions_);
}

bool PolyhedralLaw::takes(const Contact& contact, const ContactMemory* memory) const {
  return uses_gap_ || contact.gap <= kTouch || (memory && memory->is_closed);
}

// The unknowns, and which friction belongs to which normal.
void PolyhedralLaw::make_directions(const ConeProblem& problem) {
  unknowns_.clear();
  cone_of_.assign(problem.blocks.size(), -1);
  normal_of_.clear();
  mu_.clear();
  for (const ConeBlock& block : problem.blocks) unknowns_.push_back({block.first, 1, {1.0, 0.0}});
  for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
    const ConeBlock& block = problem.blocks[k];
    const int directions = count_directions(block, directions_);
    for (int d = 0; d < directions; ++d) {
      const double angle = 2.0 * M_PI * d / directions;
      if (directions == 2)
        unknowns_.push_back({block.first + 1, 1, {d == 0 ? 1.0 : -1.0, 0.0}});
      else
        unknowns_.push_back({block.first + 1, 2, {portable::cos(angle), portable::sin(angle)}});
      cone_of_.push_back(static_cast<int>(mu_.size()));
    }
    if (directions == 0) continue;
    normal_of_.push_back(static_cast<int>(k));
    mu_.push_back(block.mu);
  }
}

// (1) scaled by the mean inverse mass: all unknowns are velocities
void PolyhedralLaw::make_lcp(const ConeProblem& problem, double mean) {
  const auto impulses = static_cast<Eigen::Index>(unknowns_.size());
  const Eigen::Index n = impulses + static_cast<Eigen::Index>(mu_.size());
  lcp_.M.setZero(n, n);
  lcp_.q.setZero(n);
  WT_.resize(problem.q.size(), impulses);
  for (Eigen::Index j = 0; j < impulses; ++j) {
    const Direction& column = unknowns_[static_cast<std::size_t>(j)];
    WT_.col(j) = column.along[0] / mean * problem.W.col(column.first);
    if (column.size == 2) WT_.col(j) += column.along[1] / mean * problem.W.col(column.first + 1);
    for (Eigen::Index i = 0; i < impulses; ++i)
      lcp_.M(i, j) = dot(unknowns_[static_cast<std::size_t>(i)], WT_.col(j).data());
    lcp_.q[j] = dot(column, problem.q.data());
  }
  for (Eigen::Index row = 0; row < impulses; ++row) {
    const int cone = cone_of_[static_cast<std::size_t>(row)];
    if (cone < 0) continue;
    lcp_.M(row, impulses + cone) = 1.0;
    lcp_.M(impulses + cone, row) = -1.0;
  }
  for (std::size_t k = 0; k < mu_.size(); ++k)
    lcp_.M(impulses + static_cast<Eigen::Index>(k), normal_of_[k]) = mu_[k];
}

// ‖min(z, w)‖∞ of (1), without forming its matrix
double PolyhedralLaw::judge(const ConeProblem& problem, const Eigen::VectorXd& z, double mean) {
  const auto impulses = static_cast<Eigen::Index>(unknowns_.size());
  r_.setZero(problem.q.size());
  for (Eigen::Index j = 0; j < impulses; ++j) {
    const Direction& direction = unknowns_[static_cast<std::size_t>(j)];
    for (int i = 0; i < direction.size; ++i) r_[direction.first + i] += direction.along[i] * z[j] / mean;
  }
  u_ = problem.q;
  u_.noalias() += problem.W * r_;
  w_.resize(z.size());
  for (Eigen::Index j = 0; j < impulses; ++j) w_[j] = dot(unknowns_[static_cast<std::size_t>(j)], u_.data());
  for (std::size_t k = 0; k < mu_.size(); ++k)
    w_[impulses + static_cast<Eigen::Index>(k)] = mu_[k] * z[normal_of_[k]];
  for (Eigen::Index row = 0; row < impulses; ++row) {
    const int cone = cone_of_[static_cast<std::size_t>(row)];
    if (cone < 0) continue;
    w_[row] += z[impulses + cone];
    w_[impulses + cone] -= z[row];
  }
  return z.cwiseMin(w_).cwiseAbs().maxCoeff();
}

bool PolyhedralLaw::accept(const ConeProblem& problem, const LcpResult& result, double mean,
                           ContactAnswer& answer) {
  const bool whole = result.z.size() == static_cast<Eigen::Index>(unknowns_.size() + mu_.size());
  const double residual = whole ? judge(problem, result.z, mean) : INFINITY;
  if (!(residual < answer.residual)) return false;
  answer.residual = residual;
  answer.status = residual <= tolerance_             ? Status::kSolved
                  : result.status == Status::kSolved ? Status::kNumericalTrouble
                                                     : result.status;
  answer.r = r_;
  return answer.status == Status::kSolved;
}

Problem PolyhedralLaw::make_problem(const ContactQuestion& question) {
  make_directions(question.problem);
  make_lcp(question.problem, 1.0);
  return lcp_;
}

void PolyhedralLaw::solve(const ContactQuestion& question, ContactAnswer& answer) {
  const ConeProblem& problem = question.problem;
  const double mean = mean_inverse_mass(problem.W);
  make_directions(problem);
  answer.r.setZero(problem.q.size());
  answer.residual = INFINITY;
  answer.status = Status::kIterationLimit;
  answer.iterations = 0;
  answer.force_freedom = -1;
  answer.velocity = VelocityVerdict::kUnknown;
  answer.fell_back = false;
  const double tolerance = 0.1 * tolerance_ / std::max(problem.q.cwiseAbs().maxCoeff(), 1e-300);
  const auto impulses = static_cast<Eigen::Index>(unknowns_.size());
  const Eigen::Index size = impulses + static_cast<Eigen::Index>(mu_.size());

  bool done = false;
  if (choice_.is_auto() && size > kLargeLcp) {
    const int directions = problem.blocks.front().size == 2 ? 2 : directions_;
    if (const auto structured =
            question.rows.make_contact_lcp(question.island, question.u_free, question.f, directions)) {
      ContactAutoOptions options = ContactAutoOptions::for_a_step();
      options.tolerance = tolerance;
      LcpResult result = rigor::solve(*structured, options);
      if (result.z.size() == size) result.z.head(impulses) *= mean;
      answer.iterations += result.iterations;
      answer.method = "structured";
      done = accept(problem, result, mean, answer);
    }
  }
  if (!done && size <= kLargestDense) {
    make_lcp(problem, mean);
    (void)choice_.solve(lcp_, tolerance, answer,
                        [&](const LcpResult& result) { return accept(problem, result, mean, answer); });
  }
  answer.cone_violation = compute_cone_violation(problem, answer.r);
}

}  // namespace rigor
