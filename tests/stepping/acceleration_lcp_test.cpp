#include "rigor/stepping/acceleration_lcp.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rigor/model/state.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"
#include "tests/support/contact_scenes.hpp"

namespace rigor {
namespace {

AccelerationLcp make(const Scene& scene) {
  const Model model = make_model(scene);
  return make_acceleration_lcp(model, scene.run, make_state(model));
}

double total_normal(const AccelerationLcp& problem, const LcpResult& result) {
  return result.z.segment(problem.mlcp.free_count, problem.sticking + problem.sliding).sum();
}

// A block on a slope: sticks below the angle of friction, begins to slide above it by g (sin − μ cos).
TEST(AccelerationLcp, ABlockOnASlope) {
  for (const double slope : {0.3, 0.7}) {
    const AccelerationLcp problem = make(test::make_incline(slope, 0.5));
    EXPECT_EQ(problem.sticking, 4);
    const LcpResult result = solve(problem.mlcp, make_method("auto"));
    ASSERT_EQ(result.status, Status::kSolved) << result.note;
    const double angle = std::atan(slope), weight = 2.0 * 9.81;
    EXPECT_NEAR(total_normal(problem, result), weight * std::cos(angle), 1e-6 * weight);
    const double kappa = result.z.tail(result.z.size() - problem.mlcp.free_count - 4).maxCoeff();
    const double a = std::max(0.0, 9.81 * (std::sin(angle) - 0.5 * std::cos(angle)));
    EXPECT_NEAR(kappa, a, 1e-6);
  }
}

// A ball that rolls in a dish of nothing: on the floor the normal force is its weight however fast it rolls.
TEST(AccelerationLcp, ARollingBallFeelsItsWeight) {
  Scene scene = test::make_floor(0.5);
  Body& ball = test::add_sphere(scene, "ball", 0.2, 3.0, {0.0, 0.0, 0.2});
  ball.velocity.linear = {2.0, 0.0, 0.0};
  ball.velocity.angular = {0.0, 10.0, 0.0};
  const AccelerationLcp problem = make(scene);
  EXPECT_EQ(problem.sticking, 1);
  const LcpResult result = solve(problem.mlcp, make_method("auto"));
  ASSERT_EQ(result.status, Status::kSolved);
  EXPECT_NEAR(total_normal(problem, result), 3.0 * 9.81, 1e-6);
}

// Painlevé's rod, case B: with the tip slipping to −x the matrix is −0.998847469 and there is no force; to +x
// there is one, 1.620262214 N.
TEST(AccelerationLcp, PainlevesRod) {
  for (const double speed : {-1.0, 1.0}) {
    const double angle = 72.0 * M_PI / 180.0;
    Scene scene = test::make_floor(0.75);
    scene.planar = Plane::kXZ;
    Body rod;
    rod.name = "rod";
    rod.mass = 1.0;
    rod.inertia = {0.0625, 0.0625, 0.0625};
    rod.pose.position = {std::cos(angle), 0.0, std::sin(angle)};
    rod.velocity.linear = {speed, 0.0, 0.0};
    ShapeInstance tip;
    tip.geometry = Point{};
    tip.pose.position = -rod.pose.position;
    tip.material = "floor";
    rod.shapes.push_back(tip);
    scene.bodies.push_back(rod);
    const AccelerationLcp problem = make(scene);
    EXPECT_EQ(problem.sliding, 1);
    ASSERT_EQ(problem.mlcp.q.size(), 1);
    EXPECT_NEAR(problem.mlcp.q[0], -9.81, 1e-6);
    const LcpResult result = solve(problem.mlcp, make_method("auto"));
    if (speed < 0.0) {
      EXPECT_NEAR(problem.mlcp.K.coeff(0, 0), -0.998847469, 1e-9);
      EXPECT_EQ(result.status, Status::kInfeasible);
    } else {
      EXPECT_NEAR(problem.mlcp.K.coeff(0, 0), 6.054575559, 1e-9);
      ASSERT_EQ(result.status, Status::kSolved);
      EXPECT_NEAR(result.z[0], 1.620262214, 1e-6);
    }
  }
}

}  // namespace
}  // namespace rigor
