#pragma once

#include "rigor/model/scene.hpp"

namespace rigor {

/// The law between two materials. The one of smaller mu.along gives the law of friction, all of it: static
/// coefficient, curve, ellipse. Compliances are in series, 1/k = 1/k_A + 1/k_B; a rigid material adds none.
struct PairLaw {
  const Material* friction{nullptr};
  bool is_of_a{true};  // whether that is A's material: the ellipse's direction is then fixed in A's shape
  bool is_rigid{true};
  double stiffness{0.0};           // N/m
  double damping{0.0};             // N s/m
  double friction_stiffness{0.0};  // of the bristles, N/m; 0 is rigid
  double friction_damping{0.0};    // N s/m
};

[[nodiscard]] PairLaw make_pair_law(const Material& a, const Material& b);

/// The coefficient along the first direction while the points slide past each other at `speed` [m/s]: the
/// curve where there is one; mu_static below slip_speed; mu else.
[[nodiscard]] double friction_at(const Material& material, double speed);

}  // namespace rigor
