#pragma once

/// Thresholds of the cone solver that several of its sources share, with what chose them.
namespace rigor::cone_policy {

/// m/s: below this a point is next to an answer, and Newton's method goes on with a fixed centre.
inline constexpr double kNearby = 1e-5;

}  // namespace rigor::cone_policy
