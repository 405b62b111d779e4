#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rigor/io/recording.hpp"
#include "rigor/stepping/simulation.hpp"

namespace rigor {

/// One run among those that are compared.
struct ComparedRun {
  // what it is
  Scene scene;
  std::string formulation, solver;
  double dt{0.0};                // s
  std::vector<std::string> set;  // what the sweep changed, as path=value

  // what came out
  RunTotals totals;
  double seconds{0.0};
  std::string failure;  // why it ended early; empty where it did not
  double end{0.0};      // s, reached
  double stop{-1.0};    // s: nothing moves from here on; −1 where something does at the end
  std::string body;     // that moved farthest
  Eigen::Vector3d place{Eigen::Vector3d::Zero()};  // of it, at the end, m
  double position_error{0.0}, angle_error{0.0};    // largest of all bodies and times, m and rad
  double end_position_error{0.0}, end_angle_error{0.0};

  /// Poses of all bodies at the comparison's times.
  std::vector<std::vector<Pose>> poses;
  bool is_recorded{false};  // whether a page is to show it
  Recording recording;
};

/// Runs to the end and records the poses at `times` (ascending from 0), between steps by interpolation. A
/// step that fails ends it and is noted. `on_step` may end it too, by false.
void run_compared(const std::vector<double>& times, const std::function<bool()>& on_step, ComparedRun& run);

/// Fills in the errors of `run` against the reference, as far as both have come.
void measure_errors(const ComparedRun& reference, ComparedRun& run);

/// The values of "path=a,b,c", split at commas outside brackets and quotes, each as "path=value".
[[nodiscard]] std::vector<std::string> split_sweep(const std::string& assignment);

}  // namespace rigor
