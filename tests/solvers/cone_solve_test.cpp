// Also covers cone_finish.cpp, cone_newton.cpp and generate_cone.cpp.
#include "rigor/solvers/cone_solve.hpp"

#include <gtest/gtest.h>

#include "rigor/math/random.hpp"
#include "rigor/solvers/generate_cone.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

ConeProblem make_suite_problem(std::uint64_t seed) {
  Random random(1000 + seed);
  ConeClusterOptions options;
  options.contacts = 1 + random.below(40);
  options.bodies = 1 + random.below(1 + options.contacts / (1 + random.below(4)));
  options.turned = random.uniform();
  options.one_sided = random.chance(0.3) ? 0.2 : 0.0;
  options.dimension = random.chance(0.2) ? 2 : 3;
  return make_cone_cluster(options, seed);
}

// The reported residual is the definition's, on the problem divided by its mean diagonal.
TEST(ConeSolve, ReportsTheResidualOfTheScaledProblem) {
  const ConeProblem problem = make_suite_problem(3);
  ConeWorkspace workspace;
  ConeResult result;
  solve_cone(problem, {}, workspace, result);
  ASSERT_EQ(result.status, Status::kSolved);
  const double mean = problem.W.diagonal().mean();
  ConeProblem scaled = problem;
  scaled.W /= mean;
  EXPECT_LE(cone_residual(scaled, mean * result.r), 1e-10);
  EXPECT_LE((problem.W * result.r + problem.q - result.u).norm(), 1e-12 * problem.q.norm());
}

}  // namespace
}  // namespace rigor
