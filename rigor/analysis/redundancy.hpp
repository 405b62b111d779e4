#pragma once

#include "rigor/dynamics/constrained_system.hpp"

/// Which equations of a mechanism follow from the others, here and in general.
namespace rigor {

struct RedundantRow {
  std::string row;                   // "constraint "pin": rotation 2"
  std::vector<std::string> follows;  // the elements whose equations it follows from; empty: bodies that
                                     // cannot move against each other
};

struct RedundancyReport {
  int speeds{0};                        // free, so without the prescribed
  int equations{0};                     // rigid rows
  int independent{0};                   // of them, at this state
  int degrees_of_freedom{0};            // speeds − independent
  std::vector<RedundantRow> redundant;  // in the order of the scene: each follows from those before it

  /// How many equations are independent at nearby states that obey them: more than `independent` means that
  /// the state is singular, and that the mechanism can leave it in more ways than it has degrees of freedom.
  int independent_nearby{0};
  [[nodiscard]] bool is_singular() const { return independent_nearby > independent; }
};

/// A row counts as dependent where less than 1e-10 of it sticks out of the span of the rows before it.
/// "Nearby" is 0.02 (m or rad) away along motions that obey the equations to first order, projected onto the
/// constraints; projections that lead back here do not count.
[[nodiscard]] RedundancyReport find_redundancy(const Model& model, const State& state);

}  // namespace rigor
