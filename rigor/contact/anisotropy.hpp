#pragma once

#include "rigor/contact/formulation.hpp"

namespace rigor {

/// How a formulation's friction depends on the direction, as multiples of μ λ_n: one contact of a mass
/// without rotation, pushed in `directions` directions. 1 and 1 is Coulomb's law.
struct Anisotropy {
  double breakaway_least{0.0}, breakaway_most{0.0};  // push at which it begins to move
  double sliding_least{0.0}, sliding_most{0.0};      // friction while it slides
};

/// Breakaway by bisection to 1e-11.
[[nodiscard]] Anisotropy measure_anisotropy(const RunSettings& settings, int directions = 72);

}  // namespace rigor
