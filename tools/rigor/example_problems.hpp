#pragma once

#include <cmath>
#include <string>

#include "rigor/analysis/force_set.hpp"
#include "rigor/solvers/acceleration/acceleration_problem.hpp"

/// The examples of the all-sticking paper: where they come from and what they are judged by.
namespace rigor {

/// The problem that `rigor analyse brogliato-ID` takes, from scenes/problems.
[[nodiscard]] AccelerationProblem load_example(const std::string& id);

/// 1 yes, 0 no, NaN undecided: a figure that passes only where the answer is right.
[[nodiscard]] inline double to_number(Answer answer) {
  return answer == Answer::kYes ? 1.0 : answer == Answer::kNo ? 0.0 : std::nan("");
}

}  // namespace rigor
