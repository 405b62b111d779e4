#pragma once

#include "rigor/analysis/analyse.hpp"
#include "rigor/io/json.hpp"

namespace rigor {

/// The largest tilt of gravity towards a direction of the world.
struct NamedTilt {
  std::string direction;
  Tilt tilt;
};

/// The answers as JSON (DESIGN: keys of `analyse`), null where a number is infinite or unknown.
[[nodiscard]] JsonValue analysis_to_json(const AccelerationProblem& problem, const Analysis& analysis,
                                         const std::vector<NamedTilt>& tilts);

/// The same for people: sentences, then numbers.
[[nodiscard]] std::string describe_analysis(const AccelerationProblem& problem, const Analysis& analysis,
                                            const std::vector<NamedTilt>& tilts);

}  // namespace rigor
