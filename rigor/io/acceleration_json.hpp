#pragma once

#include <string>

#include "rigor/solvers/acceleration/acceleration_problem.hpp"

namespace rigor {

/// A problem for `rigor analyse` as JSON (docs/guide/analyse.md):
///
///     {"rigor_problem": 1, "M": [[…]], "F": […], "contacts": [{"name": "A1", "kind": "unilateral" or
///      "bilateral", "normal": […], "tangent": [[…], …], "normal_bias": 0, "tangent_bias": [0, …], "mu": 0.5,
///      "mode": "stick" or "slide", "slip": […], "normal_min": 0, "normal_max": 100}],
///      "actuators": [{"name": "push", "force": […], "min": -10, "max": 10, "weight": 1}]}
///
/// Only M, F and every contact's normal must be there; "kind" is unilateral, "mode" stick, the rest nothing.
/// A bad text throws InvalidDocument with file, line, column, place, value and rule.
[[nodiscard]] AccelerationProblem parse_acceleration_json(std::string text, const std::string& name);

/// Whether a text is such a problem and not a scene: an object with "rigor_problem".
[[nodiscard]] bool is_acceleration_json(const std::string& text);

[[nodiscard]] std::string to_json(const AccelerationProblem& problem);

}  // namespace rigor
