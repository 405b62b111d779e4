#pragma once

#include <Eigen/Core>

/// A second opinion on linear programs, written for the tests and sharing nothing with the library.
namespace rigor::test {

struct SimplexResult {
  enum { kOptimal, kInfeasible, kUnbounded } status{kInfeasible};
  Eigen::VectorXd x;
  double value{0.0};
};

/// min cᵀx, A x = b, x ≥ 0 by the two-phase tableau method with Bland's rule: slow and finite.
SimplexResult solve_simplex(Eigen::MatrixXd A, Eigen::VectorXd b, const Eigen::VectorXd& c);

}  // namespace rigor::test
