#pragma once

#include "rigor/model/state.hpp"

/// Finite differences against what a user's element says of itself, at one state.
namespace rigor {

/// What an element claims, what a difference finds, and how far apart they are (relative to their size).
struct DerivativeError {
  std::string what;  // "velocity_error of row 1 is not the derivative of position_error"
  double claimed{0.0};
  double found{0.0};
};

/// Compares, along the motion of `state` and random accelerations:
///   - velocity_error() with the rate of position_error();
///   - acceleration_error() with the rate of velocity_error();
///   - the power of add_forces() with that of the multipliers on velocity_error(): forces must be Gᵀ λ.
/// Empty where all agree to `tolerance`, relative.
[[nodiscard]] std::vector<DerivativeError> find_derivative_errors(const Model& model, const State& state,
                                                                  const ConstraintElement& element,
                                                                  double tolerance = 1e-5);

/// Compares stiffness and damping of each row with the rates of its force as its length, or the speed of its
/// length, changes.
[[nodiscard]] std::vector<DerivativeError> find_derivative_errors(const Model& model, const State& state,
                                                                  const ForceElement& element,
                                                                  double tolerance = 1e-5);

}  // namespace rigor
