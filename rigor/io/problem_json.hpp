#pragma once

#include <string>
#include <string_view>

#include "rigor/solvers/problem.hpp"

namespace rigor {

/// Complementarity problems as JSON (docs/guide/problems.md):
///
///     {"rigor_problem": 1, "kind": "lcp", "M": matrix, "q": […]}
///     {"rigor_problem": 1, "kind": "mlcp", "free": f, "K": matrix, "q": […]}
///     {"rigor_problem": 1, "kind": "boxed-lcp", "M": matrix, "q": […], "lo": […], "hi": […],
///      "scaled_by": […]}
///     {"rigor_problem": 1, "kind": "contact-lcp", "directions": d, "mass": matrix, "N": matrix, "D": matrix,
///      "b": […], "mu": […], "v_free": […]}
///     {"rigor_problem": 1, "kind": "cone", "W": matrix, "q": […], "sizes": […], "mu": […]}
///
/// Blocks of a cone problem have 1 to 3 rows, normal first; "associated": true is the convex law.
///
/// A matrix is a list of rows, or sparse: {"rows": n, "columns": m, "row": […], "column": […], "value": […]},
/// indices from 0, entries of the same place added. An LCP whose M is written sparse is read as a sparse LCP, a cone
/// problem of Coulomb's law whose W is sparse as a sparse cone problem.
/// null in "lo" and "hi" is no bound, in "scaled_by" a plain bound. "name" and "comment" may hold any text.
///
/// A bad text throws InvalidDocument with file, line, column, place, value and rule.
[[nodiscard]] Problem parse_problem_json(std::string text, const std::string& name);

/// Back to JSON, every double with the digits that give the same double again.
[[nodiscard]] std::string to_json(const Problem& problem);

}  // namespace rigor
