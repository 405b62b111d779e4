#include "rigor/solvers/acceleration/acceleration_problem.hpp"

#include <gmock/gmock.h>

#include "rigor/base/require.hpp"

namespace rigor {
namespace {

TEST(AccelerationProblem, SingularMassIsAccepted) {
  AccelerationProblem problem;
  problem.M = Eigen::Vector2d(1.0, 0.0).asDiagonal();
  problem.F = Eigen::Vector2d(1.0, 2.0);
  EXPECT_NO_THROW(problem.validate());
  problem.M(1, 1) = -1e-3;
  EXPECT_THROW(problem.validate(), InvalidInput);
}

TEST(AccelerationProblem, SaysWhichSizeWasExpected) {
  AccelerationProblem problem;
  problem.M = Eigen::MatrixXd::Identity(2, 3);
  problem.F = Eigen::Vector2d(1.0, 2.0);
  try {
    problem.validate();
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "M is 2 x 3, must be 2 x 2 as F has 2 entries.");
  }
}

}  // namespace
}  // namespace rigor
