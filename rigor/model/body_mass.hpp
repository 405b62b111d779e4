#pragma once

#include <Eigen/Core>
#include <vector>

#include "rigor/math/mass_properties.hpp"
#include "rigor/model/scene.hpp"

namespace rigor {

/// The matrix of xx, yy, zz, or of these and xy, xz, yz: 3 or 6 entries, kg m².
[[nodiscard]] Eigen::Matrix3d inertia_matrix(const std::vector<double>& entries);

/// Mass, centre and inertia of a body of a checked scene: as given, or from its shapes, each with its own
/// density, or else its body's, or else its material's; a mass without inertia scales the sum. Theory:
/// docs/theory/bodies.md.
[[nodiscard]] MassProperties compute_mass_properties(const Body& body,
                                                     const std::vector<Material>& materials);

}  // namespace rigor
