#pragma once

#include <string>

#include "rigor/stepping/simulation.hpp"

namespace rigor {

/// A run as comma-separated values: time, coordinates and speeds of every joint, poses of every body, forces
/// of the motions, energies, and the certificate of the step that led there. One header line; numbers read
/// back to the same doubles.
class RunTable {
 public:
  /// `every` [s] between rows; 0 takes the step, or a thousandth of the run where that is longer.
  RunTable(const Simulation& simulation, double every);

  /// `last` is the report of the step that led to the present state.
  void add_row(const StepReport& last);
  /// Adds a row if `every` has passed since the last, and at the end.
  void add_row_if_due(const StepReport& last);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] long row_count() const { return rows_; }

 private:
  const Simulation& simulation_;
  double every_;
  std::string text_;
  long rows_{0};
};

}  // namespace rigor
