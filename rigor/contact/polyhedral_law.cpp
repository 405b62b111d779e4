#include "rigor/contact/polyhedral_law.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/model/scene_words.hpp"
#include "rigor/solvers/contact_auto.hpp"

namespace rigor {
namespace {

// A gap below this is touch, not margin: rounding of poses, m.
constexpr double kTouch = 1e-9;
// Unknowns above which the structured methods are tried before pivoting.
constexpr Eigen::Index kLargeLcp = 80;

int count_directions(const ConeBlock& block, int directions) {
  return block.size == 1 ? 0 : block.size == 2 ? 2 : directions;
}

}  // namespace

PolyhedralLaw::PolyhedralLaw(const RunSettings& settings, bool uses_gap)
    : uses_gap_(uses_gap), directions_(settings.directions), tolerance_(settings.tolerance) {
  require(directions_ >= 4 && directions_ % 2 == 0,
          "run.directions = {}, must be an even number of at least 4; in a plane two are used anyway.",
          directions_);
  const auto solver = static_cast<std::size_t>(settings.solver);
  require(settings.solver < Solver::kNsgs,
          "run.solver = \"{}\" is for cone problems, run.formulation asks for an LCP. Use auto.",
          names_of(Kind<Solver>{})[solver]);
  method_ = make_method(names_of(Kind<Solver>{})[solver]);
  is_auto_ = settings.solver == Solver::kAuto;
}

bool PolyhedralLaw::takes(const Contact& contact, const ContactMemory* memory) const {
  return uses_gap_ || contact.gap <= kTouch || (memory && memory->is_closed);
}

// (1) scaled by the mean inverse mass: all unknowns are velocities
void PolyhedralLaw::make_lcp(const ConeProblem& problem, double mean) {
  const Eigen::Index rows = problem.q.size();
  Eigen::Index friction = 0, cones = 0;
  for (const ConeBlock& block : problem.blocks) {
    friction += count_directions(block, directions_);
    cones += block.size > 1 ? 1 : 0;
  }
  const auto normals = static_cast<Eigen::Index>(problem.blocks.size());
  const Eigen::Index impulses = normals + friction, n = impulses + cones;
  T_.setZero(impulses, rows);
  lcp_.M.setZero(n, n);
  lcp_.q.setZero(n);
  Eigen::Index beta = normals, lambda = impulses;
  for (Eigen::Index k = 0; k < normals; ++k) {
    const ConeBlock& block = problem.blocks[static_cast<std::size_t>(k)];
    T_(k, block.first) = 1.0;
    const int directions = count_directions(block, directions_);
    if (directions == 0) continue;
    for (int d = 0; d < directions; ++d) {
      const double angle = 2.0 * M_PI * d / directions;
      T_(beta + d, block.first + 1) = directions == 2 ? (d == 0 ? 1.0 : -1.0) : std::cos(angle);
      if (block.size == 3) T_(beta + d, block.first + 2) = std::sin(angle);
      lcp_.M(beta + d, lambda) = 1.0;
      lcp_.M(lambda, beta + d) = -1.0;
    }
    lcp_.M(lambda, k) = block.mu;
    beta += directions;
    ++lambda;
  }
  lcp_.M.topLeftCorner(impulses, impulses).noalias() = T_ * (problem.W / mean) * T_.transpose();
  lcp_.q.head(impulses).noalias() = T_ * problem.q;
}

void PolyhedralLaw::read_impulses(const ConeProblem& problem, const Eigen::VectorXd& z, double mean,
                                  Eigen::VectorXd& r) const {
  r.resize(problem.q.size());
  r.noalias() = T_.transpose() * z.head(T_.rows()) / mean;
}

void PolyhedralLaw::solve(const ContactQuestion& question, ContactAnswer& answer) {
  const double mean = mean_inverse_mass(question.problem.W);
  make_lcp(question.problem, mean);
  const double q_scale = std::max(lcp_.q.cwiseAbs().maxCoeff(), 1e-300);
  const auto judge = [&](const Eigen::VectorXd& z) {
    const Eigen::VectorXd w = lcp_.M * z + lcp_.q;
    return z.cwiseMin(w).cwiseAbs().maxCoeff();
  };
  const auto accept = [&](const LcpResult& result, std::string_view method) {
    answer.residual = result.z.size() == lcp_.q.size() ? judge(result.z) : INFINITY;
    answer.status = answer.residual <= tolerance_ ? Status::kSolved
                    : result.status == Status::kSolved ? Status::kNumericalTrouble
                                                       : result.status;
    answer.iterations = result.iterations;
    answer.force_freedom = -1;
    answer.method = method;
    if (result.z.size() == lcp_.q.size()) read_impulses(question.problem, result.z, mean, answer.r);
    return answer.status == Status::kSolved;
  };

  bool done = false;
  if (is_auto_ && lcp_.q.size() > kLargeLcp) {
    if (const auto structured =
            question.rows.make_contact_lcp(question.island, question.u_free, question.f,
                                           question.problem.blocks.front().size == 2 ? 2 : directions_)) {
      ContactAutoOptions options;
      options.tolerance = 0.1 * tolerance_ / q_scale;
      LcpResult result = rigor::solve(*structured, options);
      if (result.z.size() == lcp_.q.size()) result.z.head(T_.rows()) *= mean;
      done = accept(result, "structured");
    }
  }
  if (!done) {
    set_tolerance(method_, 0.1 * tolerance_ / q_scale);
    rigor::solve(lcp_, method_, workspace_, result_);
    (void)accept(result_, "pivoting");
  }
  answer.cone_violation = compute_cone_violation(question.problem, answer.r);
}

}  // namespace rigor
