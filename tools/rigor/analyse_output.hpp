#pragma once

#include "rigor/analysis/analyse.hpp"
#include "rigor/io/json.hpp"

namespace rigor {

/// true, false, or null where it is undecided.
[[nodiscard]] JsonValue answer_to_json(Answer answer);

/// The answers as JSON (DESIGN: keys of `analyse`), null where a number is infinite or unknown.
[[nodiscard]] JsonValue analysis_to_json(const AccelerationProblem& problem, const Analysis& analysis);

/// The same for people: sentences, then numbers.
[[nodiscard]] std::string describe_analysis(const AccelerationProblem& problem, const Analysis& analysis);

}  // namespace rigor
