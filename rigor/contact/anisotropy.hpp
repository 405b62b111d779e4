#pragma once

#include "rigor/contact/formulation.hpp"

namespace rigor {

/// How a formulation's friction depends on the direction, as multiples of μ λ_n: a mass that cannot turn,
/// with one contact, is pushed in `directions` directions. Coulomb's law has 1 everywhere.
struct Anisotropy {
  double breakaway_least{0.0}, breakaway_most{0.0};  // push at which it begins to move
  double sliding_least{0.0}, sliding_most{0.0};      // friction while it slides
};

/// The push at which it breaks away is found by bisection, to 1e-11.
[[nodiscard]] Anisotropy measure_anisotropy(const RunSettings& settings, int directions = 72);

}  // namespace rigor
