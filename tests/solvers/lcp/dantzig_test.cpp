#include "rigor/solvers/lcp/dantzig.hpp"

#include "rigor/math/limits.hpp"
#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

BoxedLcpProblem make_random_box(Random& random, int n) {
  BoxedLcpProblem box;
  const LcpProblem base = make_random_lcp(LcpClass::kP, n, random.next());
  box.M = base.M;
  box.q = base.q;
  box.lo.resize(n);
  box.hi.resize(n);
  for (int i = 0; i < n; ++i) {
    const int kind = random.below(5);
    box.lo[i] = kind == 0 || kind == 1 ? -kInfinity : random.uniform(-1.0, 0.5);
    box.hi[i] = kind == 0 || kind == 2 ? kInfinity : std::max(box.lo[i], -1.0) + random.uniform(0.0, 1.0);
  }
  return box;
}

// P-matrix with plain bounds: exactly one solution, so two different methods must meet
TEST(Dantzig, AgreesWithLemkeOnTheReductionForRandomBoxes) {
  Random random(9);
  for (int k = 0; k < 300; ++k) {
    SCOPED_TRACE(k);
    const BoxedLcpProblem box = make_random_box(random, 1 + random.below(20));
    const LcpResult dantzig = solve(box, DantzigOptions{}), lemke = solve(box, LemkeOptions{});
    ASSERT_EQ(dantzig.status, Status::kSolved) << dantzig.note;
    ASSERT_EQ(lemke.status, Status::kSolved) << lemke.note;
    EXPECT_LE(check_solution(box, dantzig.z), 1.0001e-10);
    EXPECT_LE(check_solution(box, lemke.z), 1.0001e-10);
    EXPECT_LT((dantzig.z - lemke.z).cwiseAbs().maxCoeff(), 1e-6);  // condition of M up to 1e4
  }
}

// block of mass 1 pushed with impulse p along a floor, µ = 0.5, normal impulse 2: sticks up to p = 1, then
// friction = 1. Unknowns (normal, friction), w = (normal velocity, sliding velocity)
TEST(Dantzig, GivesTheFrictionOfAPushedBlock) {
  for (const double push : {0.3, 0.99, 1.5}) {
    BoxedLcpProblem box;
    box.M = Eigen::Matrix2d::Identity();
    box.q = Eigen::Vector2d(-2.0, push);
    box.lo = Eigen::Vector2d(0.0, -0.5);
    box.hi = Eigen::Vector2d(kInfinity, 0.5);
    box.scaled_by = {-1, 0};
    for (const LcpMethod& method :
         {LcpMethod(DantzigOptions{}), LcpMethod(LemkeOptions{}), LcpMethod(PgsOptions{})}) {
      const LcpResult result = solve(box, method);
      ASSERT_EQ(result.status, Status::kSolved) << result.solver << ": " << result.note;
      EXPECT_NEAR(result.z[0], 2.0, 1e-12);
      EXPECT_NEAR(result.z[1], -std::min(push, 1.0), 1e-9);
    }
  }
}

TEST(Dantzig, SolvesEveryPMatrix) {
  expect_solves_all(DantzigOptions{}, LcpClass::kP);
}

}  // namespace
}  // namespace rigor
