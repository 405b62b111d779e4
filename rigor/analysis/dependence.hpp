#pragma once

#include <string>
#include <vector>

#include "rigor/solvers/acceleration/acceleration_problem.hpp"

namespace rigor {

/// A row of a problem that follows from rows before it.
struct DependentRow {
  std::string row;                   // "A2: tangent"
  std::vector<std::string> follows;  // the contacts that it follows from, in order
};

struct DependenceReport {
  int rows{0}, rank{0};
  int normal_rows{0}, normal_rank{0};
  int tangent_rows{0}, tangent_rank{0};
  std::vector<DependentRow> dependent;
};

/// Which normals and tangents depend on each other, in the problem's own names: less than 1e-10 of a unit row
/// sticks out of the span of those before it. Normals come first, then tangents.
[[nodiscard]] DependenceReport find_dependence(const AccelerationProblem& problem);

}  // namespace rigor
