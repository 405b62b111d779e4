#pragma once

#include <optional>

#include "rigor/analysis/coulomb_solutions.hpp"
#include "rigor/analysis/synthesis.hpp"
#include "rigor/io/json.hpp"

/// What `rigor analyse` says where it is asked for more: forces that would make everything stick, and every
/// solution of Coulomb's law.
namespace rigor {

/// "NAME" or "NAME:MIN:MAX" (either may be empty) as a force on one coordinate; throws where no coordinate
/// has that name.
[[nodiscard]] Actuator parse_free_direction(const std::string& text, const std::vector<std::string>& names);

struct AnalyseDetails {
  std::optional<Synthesis> change;  // where there are actuators
  SynthesisOptions options;
  std::optional<CoulombSolutions> coulomb;  // in the plane with few contacts
};

[[nodiscard]] AnalyseDetails find_details(const AccelerationProblem& problem,
                                          const SynthesisOptions& options);

/// Adds the keys "change", "accelerations" and "coulomb".
void add_details(const AccelerationProblem& problem, const AnalyseDetails& details, JsonValue& value);
[[nodiscard]] std::string describe_details(const AccelerationProblem& problem, const AnalyseDetails& details);

}  // namespace rigor
