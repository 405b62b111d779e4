#pragma once

#include <cmath>

#include "rigor/analysis/force_set.hpp"
#include "rigor/solvers/acceleration/acceleration_problem.hpp"

/// What the examples of the all-sticking paper are made of and judged by, as problems of plain matrices.
namespace rigor {

[[nodiscard]] inline AccelerationContact make_contact(const char* name, const Eigen::VectorXd& normal,
                                                      const Eigen::MatrixXd& tangent, double mu) {
  AccelerationContact contact;
  contact.name = name;
  contact.normal = normal;
  contact.tangent = tangent;
  contact.tangent_bias = Eigen::VectorXd::Zero(tangent.rows());
  contact.mu = mu;
  return contact;
}

/// 1 yes, 0 no, NaN undecided: a figure that passes only where the answer is right.
[[nodiscard]] inline double to_number(Answer answer) {
  return answer == Answer::kYes ? 1.0 : answer == Answer::kNo ? 0.0 : std::nan("");
}

}  // namespace rigor
