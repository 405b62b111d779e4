#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "rigor/math/mass_properties.hpp"
#include "rigor/model/scene.hpp"

namespace rigor {

/// The matrix of xx, yy, zz, or of these and xy, xz, yz: 3 or 6 entries, kg m².
[[nodiscard]] Eigen::Matrix3d inertia_matrix(const std::vector<double>& entries);

/// Axes of a plane: the first, the second, and the normal about which the first turns to the second.
[[nodiscard]] Eigen::Matrix3d plane_axes(Plane plane);

/// The pose of a shape in its body. Disks and polygons are flat: they lie in the plane that they move in,
/// with its first two axes as theirs.
[[nodiscard]] Pose shape_pose(const ShapeInstance& shape, std::optional<Plane> plane);

/// Mass, centre and inertia of a body of a checked scene that moves in `plane`, or in space: as given, or
/// from its shapes, each with its own density, or else its body's, or else its material's; a mass without
/// inertia scales the sum. Theory: docs/theory/bodies.md.
[[nodiscard]] MassProperties compute_mass_properties(const Body& body, const std::vector<Material>& materials,
                                                     std::optional<Plane> plane);

}  // namespace rigor
