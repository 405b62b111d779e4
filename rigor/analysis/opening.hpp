#pragma once

#include <string>

#include "rigor/analysis/normal_lcp.hpp"
#include "rigor/analysis/solution_set.hpp"

namespace rigor {

/// Sticking contacts that may open [BKA, (60), (65), (71)]: accelerations and forces with
///
///     0 ≤ λn ⊥ normal a + bias ≥ 0
///     tangent a + bias = 0          of all contacts that stick
///     λ within the cones
///
/// `solutions` are all of them (solution_set.hpp); shown is the one that stays closed where there is one, else
/// the one with the largest margin.
struct OpeningAnswer {
  Answer answer{Answer::kUndecided};
  Answer without_cones{Answer::kUndecided};  // the MLCP alone
  std::vector<char> is_closed;               // per contact, of the solution that is shown
  Eigen::VectorXd normal;                    // its accelerations a_n per contact
  StickingAnswer sticking;                   // its accelerations and forces; empty where there is none
  SolutionSet solutions;
  std::string note;
};

[[nodiscard]] OpeningAnswer decide_opening(const AccelerationProblem& problem, const StickingAnswer& closed);

}  // namespace rigor
