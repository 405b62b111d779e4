#pragma once

#include <string>
#include <vector>

#include "rigor/solvers/problem.hpp"
#include "rigor/stepping/simulation.hpp"

namespace rigor {

/// The contact problems of the hardest steps of a run, by the iterations that they took, for `rigor solve
/// --compare`.
class HardSteps {
 public:
  /// Keeps at most `count`.
  explicit HardSteps(std::size_t count) : count_(count) {}

  /// After a step: takes its hardest island's problem where it is among the hardest so far.
  void consider(Simulation& simulation, const StepReport& report);

  /// One file per step, the hardest first: FCLIB where it is a cone problem and HDF5 is there, else JSON.
  /// Makes the folder. Returns the names.
  [[nodiscard]] std::vector<std::string> write(const std::string& folder) const;

 private:
  struct Kept {
    int iterations{0};
    long step{0};
    double residual{0.0};
    Problem problem;
  };
  std::size_t count_;
  std::vector<Kept> kept_;  // falling iterations
};

}  // namespace rigor
