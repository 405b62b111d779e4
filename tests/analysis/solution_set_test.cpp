// solution_set.cpp, coulomb_solutions.cpp, opening.cpp, analyse.cpp, least_friction.cpp: every claim about
// existence, uniqueness, ranges, number of solutions and least friction, judged by brute force over all modes.
#include "rigor/analysis/solution_set.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "rigor/analysis/analyse.hpp"
#include "rigor/analysis/coulomb_solutions.hpp"
#include "tests/analysis/mode_judge.hpp"
#include "tests/analysis/random_problems.hpp"

namespace rigor {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::Judgement;
using test::Law;

// RIGOR_JUDGED_PROBLEMS=2000 for the full count.
int count_problems(int otherwise) {
  const char* const asked = std::getenv("RIGOR_JUDGED_PROBLEMS");
  return asked != nullptr ? std::atoi(asked) : kSanitized ? otherwise / 10 : otherwise;
}

VectorXd few_integers(Random& random, Eigen::Index n) {
  VectorXd v(n);
  for (Eigen::Index i = 0; i < n; ++i) v[i] = random.chance(0.35) ? 0.0 : random.below(5) - 2;
  return v;
}

// Small integers: rows that depend on each other, normals that block each other, masses that are singular,
// loads that lie on boundaries.
AccelerationProblem make_integer_problem(Random& random, Eigen::Index tangents) {
  AccelerationProblem problem;
  const Eigen::Index n = 1 + random.below(3);
  const Eigen::Index rank = random.chance(0.5) ? n : random.below(static_cast<int>(n) + 1);
  problem.M = MatrixXd::Zero(n, n);
  for (Eigen::Index j = 0; j < rank; ++j) problem.M(j, j) = 1 + random.below(2);
  if (rank > 1 && random.chance(0.3)) problem.M(0, 1) = problem.M(1, 0) = 0.5;
  problem.F = few_integers(random, n);
  const int count = 1 + random.below(3);
  for (int i = 0; i < count; ++i) {
    AccelerationContact contact;
    contact.side = random.chance(0.3) ? ContactSide::kBilateral : ContactSide::kUnilateral;
    contact.normal = few_integers(random, n);
    if (i > 0 && random.chance(0.3))
      contact.normal = problem.contacts.back().normal * (random.chance(0.5) ? 1 : -1);
    const Eigen::Index k = random.chance(0.25) ? 0 : tangents;
    contact.tangent.resize(k, n);
    for (Eigen::Index t = 0; t < k; ++t) contact.tangent.row(t) = few_integers(random, n).transpose();
    const double coefficients[] = {0.0, 0.25, 0.5, 1.0, 2.0};
    contact.mu = coefficients[random.below(5)];
    if (k > 0 && random.chance(0.35)) {
      contact.motion = ContactMotion::kSlide;
      contact.slip = k == 1 ? VectorXd(VectorXd::Constant(1, random.chance(0.5) ? 1.0 : -1.0))
                            : VectorXd(Eigen::Vector2d(0.6, random.chance(0.5) ? 0.8 : -0.8));
    }
    contact.normal_bias = random.chance(0.2) ? random.below(5) - 2 : 0.0;
    contact.tangent_bias = VectorXd::Zero(k);
    if (k > 0 && random.chance(0.1)) contact.tangent_bias[0] = random.below(3) - 1;
    contact.name = fmt::format("c{}", i + 1);
    problem.contacts.push_back(contact);
  }
  return problem;
}

AccelerationProblem make_judged_problem(Random& random, Eigen::Index tangents) {
  if (random.chance(0.5)) return make_integer_problem(random, tangents);
  test::RandomProblemOptions options;
  options.tangents = static_cast<int>(tangents);
  options.bilateral = random.chance(0.5) ? 0.4 : 0.0;
  options.sliding = random.chance(0.6) ? 0.5 : 0.0;
  options.frictionless = 0.2;
  options.singular = random.chance(0.4);
  options.redundant = random.chance(0.4);
  options.biased = random.chance(0.3);
  options.coordinates = 4;
  options.contacts = 3;
  AccelerationProblem problem = test::make_random_problem(random, options);
  if (random.chance(0.3)) problem.F *= -1.0;
  return problem;
}

// The problem as 'rigor analyse' takes it, for a failure to be looked into.
std::string describe(const AccelerationProblem& problem) {
  const auto row = [](const VectorXd& values) {
    return fmt::format("[{}]", fmt::join(values.begin(), values.end(), ", "));
  };
  const auto rows = [&](const MatrixXd& matrix) {
    std::vector<std::string> list;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) list.push_back(row(matrix.row(i).transpose()));
    return fmt::format("[{}]", fmt::join(list, ", "));
  };
  std::vector<std::string> contacts;
  for (const AccelerationContact& contact : problem.contacts)
    contacts.push_back(fmt::format(
        R"({{"name": "{}", "kind": "{}", "normal": {}, "normal_bias": {}{}}})", contact.name,
        contact.is_unilateral() ? "unilateral" : "bilateral", row(contact.normal), contact.normal_bias,
        contact.tangents() == 0
            ? ""
            : fmt::format(R"(, "tangent": {}, "tangent_bias": {}, "mu": {}{})", rows(contact.tangent),
                          row(contact.tangent_bias), contact.mu,
                          contact.slides()
                              ? fmt::format(R"(, "mode": "slide", "slip": {})", row(contact.slip))
                              : "")));
  return fmt::format(R"({{"rigor_problem": 1, "M": {}, "F": {}, "contacts": [{}]}})", rows(problem.M),
                     row(problem.F), fmt::join(contacts, ", "));
}

// What was decided, and what was not, over all problems.
struct Tally {
  int decided{0}, undecided{0};
  void add(Answer answer) { ++(answer == Answer::kUndecided ? undecided : decided); }
};

constexpr double kWide =
    1e-6;  // of the sizes: a claim "unique" allows less, "not unique" needs more than none

double size_of(const VectorXd& low, const VectorXd& high) {
  double size = 1.0;
  for (Eigen::Index i = 0; i < low.size(); ++i)
    for (const double end : {low[i], high[i]})
      if (std::isfinite(end)) size = std::max(size, std::abs(end));
  return size;
}

// A claim of uniqueness of the values [first, first + count) against what the judges found: `inner` and
// `outer` are the same judgement in the plane.
void expect_unique(Answer claim, const Judgement& inner, const Judgement& outer, Eigen::Index first,
                   Eigen::Index count) {
  if (claim == Answer::kYes && inner.exists) {
    EXPECT_LE(inner.hull.width(first, count), 10 * kWide * size_of(inner.hull.low, inner.hull.high));
  }
  if (claim == Answer::kNo) {
    ASSERT_TRUE(outer.exists);
    EXPECT_GT(outer.hull.width(first, count), 0.1 * kWide);
  }
}

bool is_within(double value, double bound, double size, double sign) {
  if (std::isinf(bound)) return bound * sign > 0.0 || value == bound;
  return sign * (value - bound) <= 1e-5 * size;
}

// inner ⊂ ranges ⊂ outer.
void expect_ranges(const Analysis& analysis, const Judgement& inner, const Judgement& outer, Eigen::Index n) {
  Eigen::Index at = n;
  for (const ContactAnalysis& contact : analysis.contacts)
    for (const Interval& range : contact.ranges) {
      if (analysis.ranges_cover_all && inner.exists) {
        const double size = size_of(inner.hull.low, inner.hull.high);
        if (!std::isnan(range.min)) {
          EXPECT_TRUE(is_within(-inner.hull.low[at], -range.min, size, 1.0))
              << at << ": " << range.min << " but a solution has " << inner.hull.low[at];
        }
        if (!std::isnan(range.max)) {
          EXPECT_TRUE(is_within(inner.hull.high[at], range.max, size, 1.0))
              << at << ": " << range.max << " but a solution has " << inner.hull.high[at];
        }
      }
      if (outer.exists) {
        const double size = size_of(outer.hull.low, outer.hull.high);
        if (!std::isnan(range.min)) {
          EXPECT_TRUE(is_within(-range.min, -outer.hull.low[at], size, 1.0))
              << at << ": " << range.min << " below " << outer.hull.low[at];
        }
        if (!std::isnan(range.max)) {
          EXPECT_TRUE(is_within(range.max, outer.hull.high[at], size, 1.0))
              << at << ": " << range.max << " above " << outer.hull.high[at];
        }
      }
      ++at;
    }
}

AccelerationProblem with_mu(AccelerationProblem problem, double mu) {
  for (AccelerationContact& contact : problem.contacts)
    if (contact.tangents() > 0 && !contact.slides()) contact.mu = mu;
  return problem;
}

// The least coefficient, all contacts closed, from both sides.
void expect_least_friction(const AccelerationProblem& problem, const LeastFriction& least, Law inner,
                           Law outer) {
  inner.closed = outer.closed = true;
  const auto sticks = [&](double mu, const Law& law) {
    return test::judge_modes(with_mu(problem, mu), law, false).exists;
  };
  if (least.exists == Answer::kNo) {
    EXPECT_FALSE(sticks(100.0, inner));
    return;
  }
  if (least.exists != Answer::kYes) return;
  // pinched between opposite normals any mu > 0 will do, with forces of 1/mu: the judge's digits end there
  EXPECT_TRUE(sticks(std::max(least.mu * (1.0 + 1e-5) + 1e-7, 1e-4), outer)) << least.mu;
  if (least.below > 1e-6) {
    EXPECT_FALSE(sticks(least.below * (1.0 - 1e-5), inner)) << least.below;
  }
  EXPECT_LE(least.below, least.mu * (1.0 + 1e-9));
}

void expect_exists(const char* what, Answer claim, bool inner, bool outer) {
  if (claim == Answer::kYes) {
    EXPECT_TRUE(outer) << what << ": there is none";
  } else if (claim == Answer::kNo) {
    EXPECT_FALSE(inner) << what << ": there is one";
  }
}

struct Tallies {
  Tally exists, acceleration, forces, mu, coulomb;

  void print(const char* what, int count) const {
    const auto share = [](const Tally& tally) {
      return 100.0 * tally.undecided / std::max(1, tally.decided + tally.undecided);
    };
    fmt::print(
        "{}: {} problems; undecided: existence {:.2f} %, accelerations {:.2f} %, forces {:.2f} %, least "
        "friction {:.2f} %, Coulomb's law {:.2f} %\n",
        what, count, share(exists), share(acceleration), share(forces), share(mu), share(coulomb));
  }
};

// All that analyse() says of one problem. `inner` and `outer` bracket cones in space.
void judge_problem(const AccelerationProblem& problem, const Law& inner_law, const Law& outer_law,
                   Tallies& tallies) {
  const Eigen::Index n = problem.size();
  const Analysis analysis = analyse(problem);
  const Judgement inner = test::judge_modes(problem, inner_law);
  const bool is_exact = inner_law.sides == 0;
  const Judgement outer = is_exact ? inner : test::judge_modes(problem, outer_law);
  expect_exists("with opening", analysis.opening.answer, inner.exists, outer.exists);
  Law closed_inner = inner_law, closed_outer = outer_law;
  closed_inner.closed = closed_outer.closed = true;
  expect_exists("all closed", analysis.closed.answer, test::judge_modes(problem, closed_inner, false).exists,
                test::judge_modes(problem, closed_outer, false).exists);
  AccelerationProblem smooth = problem;
  for (AccelerationContact& contact : smooth.contacts) contact.mu = 0.0;
  const bool is_smooth = test::judge_modes(smooth, closed_inner, false).exists;
  expect_exists("without friction", analysis.frictionless.answer, is_smooth, is_smooth);
  Law unlimited = inner_law;
  unlimited.unlimited = true;
  const Judgement free = test::judge_modes(problem, unlimited);
  expect_exists("cones aside", analysis.opening.without_cones, free.exists, free.exists);

  const Eigen::Index forces = inner.exists ? inner.hull.low.size() - n : 0;
  expect_unique(analysis.acceleration_unique, inner, outer, 0, n);
  expect_unique(analysis.forces_unique, inner, outer, n, outer.exists ? outer.hull.low.size() - n : forces);
  expect_ranges(analysis, inner, outer, n);
  const std::optional<int> count = analysis.opening.solutions.count();
  if (is_exact && analysis.opening.solutions.is_complete) {
    EXPECT_EQ(count.has_value(), !inner.has_continuum);
    if (count && !inner.has_continuum) {
      EXPECT_EQ(*count, static_cast<int>(inner.points.size()));
    }
  }
  if (analysis.mu_min) {
    expect_least_friction(problem, *analysis.mu_min, inner_law, outer_law);
    tallies.mu.add(analysis.mu_min->exists);
  }
  for (const PropositionCheck& check : analysis.propositions) {
    if (check.applies() != Answer::kYes || (check.id != "Cor. 2" && check.id != "Cor. 5")) continue;
    EXPECT_TRUE(free.exists) << check.id;
    expect_unique(Answer::kYes, free, free, 0, n);
  }
  if (std::getenv("RIGOR_SHOW_UNDECIDED") != nullptr && analysis.opening.answer != Answer::kNo &&
      analysis.acceleration_unique == Answer::kUndecided)
    fmt::print("undecided: {}\n", describe(problem));
  tallies.exists.add(analysis.opening.answer);
  if (analysis.opening.answer != Answer::kYes) return;
  tallies.acceleration.add(analysis.acceleration_unique);
  tallies.forces.add(analysis.forces_unique);
}

// Coulomb's law in the plane, where sticking contacts may begin to slip.
void judge_coulomb(const AccelerationProblem& problem, Tallies& tallies) {
  const CoulombSolutions solutions = find_coulomb_solutions(problem);
  const Judgement judgement = test::judge_modes(problem, {.coulomb = true});
  if (!solutions.pieces.empty()) {
    EXPECT_TRUE(judgement.exists) << "Coulomb";
  }
  tallies.coulomb.add(solutions.is_complete ? Answer::kYes : Answer::kUndecided);
  expect_unique(solutions.acceleration_unique, judgement, judgement, 0, problem.size());
  if (!solutions.is_complete) return;
  EXPECT_EQ(!solutions.pieces.empty(), judgement.exists);
  const std::optional<int> count = solutions.count();
  EXPECT_EQ(count.has_value(), !judgement.has_continuum);
  if (count && !judgement.has_continuum) {
    EXPECT_EQ(*count, static_cast<int>(judgement.points.size()));
  }
}

TEST(SolutionSet, EveryClaimInThePlaneAsBruteForceHasIt) {
  Random random(71);
  Tallies tallies;
  const int count = count_problems(300);
  for (int k = 0; k < count; ++k) {
    const AccelerationProblem problem = make_judged_problem(random, 1);
    SCOPED_TRACE(fmt::format("{}: {}", k, describe(problem)));
    judge_problem(problem, {}, {}, tallies);
    judge_coulomb(problem, tallies);
  }
  tallies.print("plane", count);
  EXPECT_LE(tallies.acceleration.undecided, count / 50);
  EXPECT_LE(tallies.exists.undecided, count / 50);
}

TEST(SolutionSet, EveryClaimInSpaceBetweenPolygons) {
  Random random(72);
  Tallies tallies;
  const int count = count_problems(100);
  for (int k = 0; k < count; ++k) {
    const AccelerationProblem problem = make_judged_problem(random, 2);
    SCOPED_TRACE(fmt::format("{}: {}", k, describe(problem)));
    judge_problem(problem, {.sides = 16}, {.sides = 16, .outer = true}, tallies);
  }
  tallies.print("space", count);
  EXPECT_LE(tallies.acceleration.undecided, count / 50 + 1);
  EXPECT_LE(tallies.exists.undecided, count / 50 + 1);
}

}  // namespace
}  // namespace rigor
