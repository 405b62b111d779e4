#pragma once

#include <string>

#include "rigor/analysis/normal_lcp.hpp"
#include "rigor/analysis/sticking.hpp"

namespace rigor {

/// Sticking contacts that may open [BKA, (60), (65), (71)]: accelerations and forces with
///
///     0 ≤ λn ⊥ normal a + bias ≥ 0
///     tangent a + bias = 0          of all contacts that stick
///     λ within the cones
///
/// Without sliding contacts M a is the same in all solutions of the part without cones (Prop. 8 iii), so that
/// the contacts which open are known before the cones are asked, and what is left is a StickingSet of those
/// that stay. With sliding contacts the LCP may have several solutions, or none: all are tried.
struct OpeningAnswer {
  Answer answer{Answer::kUndecided};
  Answer without_cones{Answer::kUndecided};  // the MLCP alone
  std::vector<char> is_closed;               // per contact, of the solution
  Eigen::VectorXd normal;                    // accelerations a_n per contact
  StickingAnswer sticking;                   // of those that stay closed
  std::string note;
};

[[nodiscard]] OpeningAnswer decide_opening(const AccelerationProblem& problem, const StickingAnswer& closed);

}  // namespace rigor
