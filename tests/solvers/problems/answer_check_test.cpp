#include "rigor/solvers/problems/answer_check.hpp"

#include <gtest/gtest.h>

#include "rigor/math/random.hpp"
#include "rigor/solvers/problems/check.hpp"

namespace rigor {
namespace {

// One body, one contact without friction.
ContactLcpProblem make_contact(const Eigen::VectorXd& mass, const Eigen::VectorXd& normal,
                               const Eigen::VectorXd& v_free) {
  ContactLcpProblem problem;
  problem.mass = Eigen::MatrixXd(mass.asDiagonal()).sparseView();
  problem.N = Eigen::MatrixXd(normal.transpose()).sparseView();
  problem.D.resize(0, mass.size());
  problem.b = Eigen::VectorXd::Zero(1);
  problem.mu = Eigen::VectorXd::Zero(1);
  problem.v_free = v_free;
  return problem;
}

// With masses that are powers of two and whole numbers elsewhere, the matrix of the plain LCP has no rounding: there
// the checker, which knows nothing of contacts, says what is right.
TEST(AnswerCheck, ContactLcpsAreJudgedAsTheirPlainForm) {
  Random random(5);
  for (int k = 0; k < 200; ++k) {
    const int dof = 1 + random.below(6), contacts = 1 + random.below(4), directions = 2 * random.below(3);
    const auto whole = [&] { return static_cast<double>(random.below(9)) - 4.0; };
    const auto fill = [&](Eigen::Index rows) {
      return Eigen::MatrixXd::NullaryExpr(rows, dof, [&](Eigen::Index, Eigen::Index) { return whole(); });
    };
    ContactLcpProblem problem;
    Eigen::VectorXd mass(dof);
    for (double& m : mass) m = std::ldexp(1.0, random.below(20) - 10);
    problem.mass = Eigen::MatrixXd(mass.asDiagonal()).sparseView();
    problem.N = fill(contacts).sparseView();
    problem.D = fill(contacts * directions).sparseView();
    problem.b = Eigen::VectorXd::NullaryExpr(contacts, [&](Eigen::Index) { return whole(); });
    problem.mu = Eigen::VectorXd::Constant(contacts, 0.5);
    problem.v_free = Eigen::VectorXd::NullaryExpr(dof, [&](Eigen::Index) { return whole(); });
    problem.directions = directions;
    LcpResult result;
    result.z = Eigen::VectorXd::NullaryExpr(problem.size(), [&](Eigen::Index) { return std::abs(whole()); });
    judge_answer(problem, 1e-10, result);
    const double right = check_solution(make_lcp(problem), result.z);
    EXPECT_NEAR(result.residual, right, 1e-15 * right) << k;
    EXPECT_EQ(result.status == Status::kSolved, right <= 1e-10);
  }
}

// 1e17 − 1 − 1e17 is −1, and 0 in doubles: what approaches at 1 m/s does not rest.
TEST(AnswerCheck, ASpeedThatDoublesLoseIsSeen) {
  const ContactLcpProblem problem =
      make_contact(Eigen::Vector3d::Ones(), Eigen::Vector3d::Ones(), Eigen::Vector3d(1e17, -1.0, -1e17));
  LcpResult result;
  result.z = Eigen::VectorXd::Zero(1);
  result.status = Status::kSolved;
  judge_answer(problem, 1e-10, result);
  EXPECT_EQ(result.w[0], -1.0);
  EXPECT_NE(result.status, Status::kSolved);
}

// mass⁻¹ is never formed: with 3, 7 and 1e12 kg the velocity is right beyond the digits of its factor.
TEST(AnswerCheck, VelocitiesAreKnownToTwiceTheDigits) {
  const Eigen::Vector3d mass(3.0, 7.0, 1e12);
  const ContactLcpProblem problem =
      make_contact(mass, Eigen::Vector3d(1.0, -1.0, 1.0), Eigen::Vector3d(-1.0, 0.0, 0.0));
  LcpResult result;
  result.z = Eigen::VectorXd::Constant(1, 1.0 / (1.0 / 3.0 + 1.0 / 7.0 + 1e-12));
  judge_answer(problem, 1e-10, result);
  EXPECT_EQ(result.status, Status::kSolved);
  const long double w = -1.0L + static_cast<long double>(result.z[0]) * (1.0L / 3.0L + 1.0L / 7.0L + 1e-12L);
  EXPECT_NEAR(result.w[0], static_cast<double>(w), 1e-19);
}

}  // namespace
}  // namespace rigor
