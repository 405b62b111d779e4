// Tests lcp.cpp, mlcp.cpp, boxed_lcp.cpp, contact_lcp.cpp and generate_contacts.cpp: what the problems say of
// themselves.
#include <gtest/gtest.h>

#include "rigor/base/require.hpp"
#include "rigor/math/limits.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/problems/boxed_lcp.hpp"
#include "rigor/solvers/problems/check.hpp"
#include "rigor/solvers/problems/contact_lcp.hpp"
#include "rigor/solvers/trials/generate_contacts.hpp"
#include "tests/support/message_of.hpp"

namespace rigor {
namespace {

template <class Problem>
std::string validation_error(const Problem& problem) {
  return test::message_of([&] { problem.validate(); });
}

TEST(Problems, SayWhatIsWrongWithThem) {
  LcpProblem lcp{Eigen::MatrixXd::Identity(2, 2), Eigen::VectorXd::Ones(3)};
  EXPECT_EQ(validation_error(lcp), "LCP: q has 3 entries and M has 2 rows, must be equal.");
  lcp.q = Eigen::Vector2d(1.0, kInfinity);
  EXPECT_EQ(validation_error(lcp), "LCP: q(1, 0) = inf, must be finite.");
  lcp.M.resize(2, 3);
  EXPECT_EQ(validation_error(lcp), "LCP: M is 2 x 3, must be square.");
  MlcpProblem mixed{3, SparseMatrix(2, 2), Eigen::VectorXd::Zero(2)};
  EXPECT_EQ(validation_error(mixed), "MLCP: free_count = 3, must lie in [0, 2].");
  BoxedLcpProblem box{Eigen::MatrixXd::Identity(2, 2),
                      Eigen::Vector2d::Zero(),
                      Eigen::Vector2d(0, 2),
                      Eigen::Vector2d(1, 1),
                      {}};
  EXPECT_EQ(validation_error(box), "boxed LCP: bounds 1 = [2, 1], must be lo ≤ hi, lo < ∞, hi > −∞.");
}

TEST(Residual, IsRelativeToQAndAbsoluteForZeroQ) {
  const LcpProblem problem{Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Constant(1, -4.0)};
  EXPECT_EQ(natural_residual(problem, Eigen::VectorXd::Constant(1, 4.0)), 0.0);
  EXPECT_EQ(natural_residual(problem, Eigen::VectorXd::Constant(1, 3.0)), 0.25);
  const LcpProblem zero{Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Zero(1)};
  EXPECT_EQ(natural_residual(zero, Eigen::VectorXd::Constant(1, 3.0)), 3.0);
  EXPECT_EQ(natural_residual(zero, Eigen::VectorXd::Constant(1, std::nan(""))), kInfinity);
}

// z in [−1, 1], w = z + q: the solution is −q clamped
TEST(Residual, OfABoxIsZeroAtTheClampedSolution) {
  for (const double q : {-3.0, -0.5, 0.0, 0.5, 3.0}) {
    const BoxedLcpProblem box{Eigen::MatrixXd::Identity(1, 1),
                              Eigen::VectorXd::Constant(1, q),
                              Eigen::VectorXd::Constant(1, -1.0),
                              Eigen::VectorXd::Constant(1, 1.0),
                              {}};
    EXPECT_EQ(natural_residual(box, Eigen::VectorXd::Constant(1, std::clamp(-q, -1.0, 1.0))), 0.0);
    EXPECT_EQ(check_solution(box, Eigen::VectorXd::Constant(1, std::clamp(-q, -1.0, 1.0))), 0.0);
    EXPECT_GT(natural_residual(box, Eigen::VectorXd::Constant(1, 0.9)), 0.0);
  }
}

// The reduction keeps solutions: at any z in the box, the mixed residual of the matching x vanishes where
// that of z does.
TEST(BoxReduction, MapsTheSolutionOfEveryKindOfBound) {
  // diagonal M: each row alone has z = clamp(−q); kinds: free, lower, upper, both, scaled by variable 1
  // (normal)
  BoxedLcpProblem box;
  box.M = Eigen::MatrixXd::Identity(5, 5);
  box.q = (Eigen::VectorXd(5) << 2.0, -3.0, -4.0, 0.3, -9.0).finished();
  box.lo = (Eigen::VectorXd(5) << -kInfinity, 1.0, -kInfinity, -1.0, -0.5).finished();
  box.hi = (Eigen::VectorXd(5) << kInfinity, kInfinity, 1.5, 2.0, 0.5).finished();
  box.scaled_by = {-1, -1, -1, -1, 1};
  box.validate();
  const Eigen::VectorXd z = (Eigen::VectorXd(5) << -2.0, 3.0, 1.5, -0.3, 1.5).finished();
  ASSERT_EQ(natural_residual(box, z), 0.0);
  const BoxReduction reduction = reduce_to_mlcp(box);
  // x = (free z_0 | z_1 − 1, 1.5 − z_2, z_3 + 1, z_4 + z_1/2 | slacks of 3 and 4); w_4 = −7.5 needs slack 7.5
  const Eigen::VectorXd x = (Eigen::VectorXd(7) << -2.0, 2.0, 0.0, 0.7, 3.0, 0.0, 7.5).finished();
  EXPECT_LT(natural_residual(reduction.mlcp, x), 1e-15);
  EXPECT_LT((reduction.to_box * x + reduction.offset - z).norm(), 1e-15);
}

// eliminating v must not change the problem: any z with its velocity has equal rows w in both forms
TEST(ContactLcp, PlainAndMixedFormsAgree) {
  const ContactLcpProblem contacts = make_box_stack(2, 4, 11);
  contacts.validate();
  const LcpProblem lcp = make_lcp(contacts);
  const MlcpProblem mixed = make_mlcp(contacts);
  Random random(1);
  Eigen::VectorXd z(lcp.q.size());
  for (Eigen::Index i = 0; i < z.size(); ++i) z[i] = random.uniform();
  Eigen::VectorXd x(mixed.q.size());
  x << compute_velocity(contacts, z), z;
  const Eigen::VectorXd rows = mixed.K * x + mixed.q;
  EXPECT_LT(rows.head(contacts.dof()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((rows.tail(z.size()) - (lcp.M * z + lcp.q)).cwiseAbs().maxCoeff(), 1e-12);
  const SchurComplement schur = make_schur_complement(mixed);
  EXPECT_LT((schur.lcp.M - lcp.M).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((schur.to_mixed(z) - x).cwiseAbs().maxCoeff(), 1e-12);
}

// counts of the reference page, case E
TEST(Cannonball, HasTheContactsOfTheReference) {
  for (const auto& [rows, contacts] : {std::pair{4, 22}, {6, 51}, {8, 92}, {10, 145}, {20, 590}}) {
    const ContactLcpProblem problem = make_cannonball(rows, 0.2);
    problem.validate();
    EXPECT_EQ(problem.contacts(), contacts);
    EXPECT_EQ(problem.size(), 4 * contacts);
    EXPECT_EQ(make_cannonball(rows, 0.0).size(), contacts);
  }
}

}  // namespace
}  // namespace rigor
