#pragma once

#include <Eigen/Core>

#include "rigor/collision/collide.hpp"

namespace rigor {

/// A shape that moves with constant velocity and turns at constant angular velocity about its origin.
struct Motion {
  Pose start;
  Eigen::Vector3d velocity{Eigen::Vector3d::Zero()};          // of the origin, m/s
  Eigen::Vector3d angular_velocity{Eigen::Vector3d::Zero()};  // rad/s, in the world

  [[nodiscard]] Pose at(double t) const;
};

enum class ImpactStatus {
  kImpact,          // the gap reaches the target at `time`
  kApart,           // it does not before the end
  kOverlapAtStart,  // it is below the target already
  kIterationLimit   // not decided; up to `time` there is no impact
};

struct ImpactResult {
  ImpactStatus status{ImpactStatus::kApart};
  double time{0.0};    // s
  ContactPoint point;  // nearest points at that time
  int iterations{0};
};

struct ImpactOptions {
  double duration{1.0};     // s
  double target_gap{1e-6};  // m: contact begins here; > 0, or the shapes may already touch
  double tolerance{1e-9};   // m: gap within target ± tolerance ends the search
  int max_iterations{1000};
};

/// First time at which two moving shapes come within the target gap, by conservative advancement [1]. With n
/// the normal of the nearest points, no point of A approaches B along n faster than
///
///     −n·(v_A − v_B) + |ω_A × n| r_A + |ω_B × n| r_B,    r the reach of the shapes about their origins,
///
/// while n is held. So the shapes can be moved on by the time gap over that speed without passing through
/// each other, however thin they are. Since n is fixed, a rotation costs |ω × n| r and not |ω| r. One of the
/// shapes may be a static mesh, height field or half-space; the bound then needs the other's reach only.
///
/// [1] B. Mirtich. Impulse-based Dynamic Simulation of Rigid Body Systems. PhD thesis, UC Berkeley, 1996,
///     §2.3.
[[nodiscard]] ImpactResult find_time_of_impact(const Geometry& a, const Motion& motion_a, const Geometry& b,
                                               const Motion& motion_b, const ImpactOptions& options,
                                               CollisionScratch& scratch);

}  // namespace rigor
