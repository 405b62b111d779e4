// Covers gap_rates.cpp and time_of_impact.cpp; gaps along motions.
#include <gmock/gmock.h>

#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/collision/collide.hpp"
#include "rigor/collision/gap_rates.hpp"
#include "rigor/collision/time_of_impact.hpp"
#include "tests/collision/judges.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;
using judges::Random;

Shape random_bounded_shape(Random& random) {
  return judges::random_shape(random.below(8), random);
}

MaterialMotion motion_at(const Motion& m, const Vector3d& x) {
  const Vector3d r = x - m.start.position;
  return {m.velocity + m.angular_velocity.cross(r), m.angular_velocity.cross(m.angular_velocity.cross(r)),
          m.angular_velocity};
}

// The gap along a motion against its Taylor polynomial: central differences over ± h have errors of h²
// g''''/12, and the rounding of g over h²; with h = 1e-3 s both are below 1e-6 for sizes and speeds near 1.
struct Differences {
  double velocity, acceleration;
};
Differences differences(const Geometry& a, const Motion& ma, const Geometry& b, const Motion& mb) {
  CollisionScratch scratch;
  const double h = 5e-4;
  const auto gap = [&](double t) { return find_nearest(a, ma.at(t), b, mb.at(t), scratch).gap; };
  // fourth order
  const double g0 = gap(0), p1 = gap(h), m1 = gap(-h), p2 = gap(2 * h), m2 = gap(-2 * h);
  return {(8 * (p1 - m1) - (p2 - m2)) / (12 * h), (16 * (p1 + m1) - (p2 + m2) - 30 * g0) / (12 * h * h)};
}

void expect_rates(const Geometry& a, const Motion& ma, const Geometry& b, const Motion& mb,
                  const std::string& what) {
  CollisionScratch scratch;
  const ContactPoint p = find_nearest(a, ma.start, b, mb.start, scratch);
  const GapRates rates = compute_gap_rates(p, motion_at(ma, p.on_a), motion_at(mb, p.on_b));
  const Differences judge = differences(a, ma, b, mb);
  EXPECT_NEAR(rates.velocity, judge.velocity, 1e-6) << what;
  EXPECT_NEAR(rates.acceleration, judge.acceleration, 1e-6 * std::max(1.0, std::abs(judge.acceleration)))
      << what;
}

// Closed forms first. A sphere that rolls on the inside or over another: g̈ = n·a + |u_t − …|²/(…) is what (2)
// gives.
TEST(GapRates, SphereOverSphereIsTheDistanceOfCentres) {
  // g = |c| − r_a − r_b: ġ = n·v, g̈ = (|v|² − ġ²)/|c|, whatever the spin
  const Sphere a{0.3}, b{0.7};
  Motion ma{{{0.2, 0.1, 1.1}, Eigen::Quaterniond::Identity()}, {0.5, -0.3, 0.2}, {3, 2, -1}}, mb;
  mb.angular_velocity = {0.3, 5, 1};
  CollisionScratch scratch;
  const ContactPoint p = find_nearest(make_geometry(a), ma.start, make_geometry(b), mb.start, scratch);
  const GapRates rates = compute_gap_rates(p, motion_at(ma, p.on_a), motion_at(mb, p.on_b));
  const Vector3d c = ma.start.position, n = c.normalized();
  const double velocity = n.dot(ma.velocity),
               acceleration = (ma.velocity.squaredNorm() - velocity * velocity) / c.norm();
  EXPECT_NEAR(rates.velocity, velocity, 1e-15);
  EXPECT_NEAR(rates.acceleration, acceleration, 1e-13);
}

TEST(GapRates, RollingSlidingAndSpinningAgreeWithDifferences) {
  const Eigen::Quaterniond lying = quaternion_from_axis_angle(Vector3d::UnitY(), 1.5707963267948966);
  const struct {
    const char* what;
    Shape a, b;
    Pose at;
  } rows[] = {
      {"sphere on plane", Sphere{0.4}, HalfSpace{}, {{0, 0, 0.4}, Eigen::Quaterniond::Identity()}},
      {"ellipsoid on plane",
       Ellipsoid{{0.4, 0.6, 0.9}},
       HalfSpace{},
       {{0, 0, 0.8}, quaternion_from_rpy(0.3, 0.5, 0.1)}},
      {"tilted coin on plane",
       Cylinder{0.5, 0.1},
       HalfSpace{},
       {{0, 0, 0.4}, quaternion_from_rpy(0.7, 0, 0)}},
      {"cone on plane", Cone{0.5, 1.0}, HalfSpace{}, {{0, 0, 0.7}, quaternion_from_rpy(0.7, 0.2, 0)}},
      {"box corner on plane", Box{{1, 1, 1}}, HalfSpace{}, {{0, 0, 0.8}, quaternion_from_rpy(0.5, 0.4, 0)}},
      {"cylinder on crossed cylinder",
       Cylinder{0.3, 2},
       Cylinder{0.4, 2},
       {{0.1, 0.2, 0.7}, quaternion_from_rpy(0.3, 0.2, 0.5) * lying}},
      {"sphere on ellipsoid",
       Sphere{0.3},
       Ellipsoid{{1, 0.7, 0.5}},
       {{0.4, 0.3, 0.7}, Eigen::Quaterniond::Identity()}},
      {"ellipsoid on ellipsoid",
       Ellipsoid{{0.4, 0.6, 0.9}},
       Ellipsoid{{1, 0.7, 0.5}},
       {{0.4, 0.3, 1.1}, quaternion_from_rpy(1, 2, 3)}},
      {"box edge on box edge",
       Box{{1, 1, 1}},
       Box{{2, 0.7, 0.7}},
       {{0, 0, 1.2}, quaternion_from_rpy(0.7, 0.1, 1.2)}}};
  for (const auto& row : rows) {
    const Geometry a = make_geometry(row.a), b = make_geometry(row.b);
    Motion ma{.start = row.at}, mb;
    if (std::holds_alternative<Box>(row.b)) mb.start.rotation = quaternion_from_rpy(0.7853981633974483, 0, 0);
    if (std::holds_alternative<Cylinder>(row.b)) mb.start.rotation = quaternion_from_rpy(0, 1.4, 1.3);
    CollisionScratch scratch;
    // rolling: the material point on A rests on B's; sliding: no turn; spinning: about the normal
    const ContactPoint p = find_nearest(a, ma.start, b, mb.start, scratch);
    const Vector3d n = p.normal, t = n.unitOrthogonal();
    ma.angular_velocity = 1.3 * t;
    ma.velocity = -ma.angular_velocity.cross(p.on_a - ma.start.position);
    expect_rates(a, ma, b, mb, std::string("rolling ") + row.what);
    ma.angular_velocity.setZero();
    ma.velocity = 0.8 * t + 0.3 * n.cross(t) - 0.2 * n;
    expect_rates(a, ma, b, mb, std::string("sliding ") + row.what);
    ma.velocity.setZero();
    ma.angular_velocity = 2.0 * n;
    expect_rates(a, ma, b, mb, std::string("spinning ") + row.what);
    ma.angular_velocity = 0.7 * n + 0.9 * t;
    ma.velocity = 0.3 * t - 0.1 * n;
    if (!std::holds_alternative<HalfSpace>(row.b)) mb.angular_velocity = {0.3, -0.4, 0.5};
    expect_rates(a, ma, b, mb, std::string("all together ") + row.what);
  }
}

// Along a motion the gap cannot change faster than the fastest point moves.
TEST(GapAlongMotion, HasNoJumpsThroughTouch) {
  Random random(21);
  CollisionScratch scratch;
  int through = 0;
  for (int i = 0; i < 1000 / std::min(20, judges::kFewer); ++i) {
    const Shape a = random_bounded_shape(random), b = random_bounded_shape(random);
    const Geometry ga = make_geometry(a), gb = make_geometry(b);
    const Vector3d from = 1.5 * random.direction();
    const Motion ma{{from, random.rotation()}, -2.0 * from + random.vector(0.3), random.vector(3.0)};
    const Motion mb{{Vector3d::Zero(), random.rotation()}, Vector3d::Zero(), random.vector(3.0)};
    const double bound = ma.velocity.norm() + ma.angular_velocity.norm() * ga.convex.reach +
                         mb.angular_velocity.norm() * gb.convex.reach;
    double before = 0.0;
    bool apart = false, inside = false;
    constexpr int kSteps = 200;
    for (int k = 0; k <= kSteps; ++k) {
      const double t = static_cast<double>(k) / kSteps;
      const double gap = find_nearest(ga, ma.at(t), gb, mb.at(t), scratch).gap;
      const double change = k > 0 ? std::abs(gap - before) : 0.0;
      EXPECT_LE(change, bound / kSteps * (1 + 1e-9) + 1e-9)
          << "motion " << i << ", step " << k << ", shapes " << a.index() << ", " << b.index();
      before = gap;
      (gap > 0 ? apart : inside) = true;
    }
    through += apart && inside;
  }
  EXPECT_GT(through, 500 / std::min(20, judges::kFewer));
}

TEST(TimeOfImpact, FallingShapesMeetTheGroundOnTime) {
  CollisionScratch scratch;
  const Geometry ground = make_geometry(HalfSpace{});
  const struct {
    Shape shape;
    double below;
  } rows[] = {{Sphere{0.5}, 0.5}, {Box{{1, 1, 1}}, 0.5}, {Cylinder{0.3, 1}, 0.5}, {Point{}, 0.0}};
  for (const auto& row : rows) {
    const Motion falling{{{0, 0, 3}, Eigen::Quaterniond::Identity()}, {1, 0, -2}};
    const ImpactResult hit =
        find_time_of_impact(make_geometry(row.shape), falling, ground, {}, {.duration = 5}, scratch);
    ASSERT_EQ(hit.status, ImpactStatus::kImpact);
    EXPECT_NEAR(hit.time, (3 - row.below - 1e-6) / 2, 1e-9);
  }
}

// A rod of length 2 turns about its middle at 1 rad/s, 0.8 above the ground: its end is there when sin(t) =
// 0.8.
TEST(TimeOfImpact, TurningRodHitsWithItsEnd) {
  CollisionScratch scratch;
  const Motion turning{{{0, 0, 0.8}, quaternion_from_axis_angle(Vector3d::UnitY(), 1.5707963267948966)},
                       Vector3d::Zero(),
                       {0, 1, 0}};
  const ImpactResult hit =
      find_time_of_impact(make_geometry(Capsule{0.0, 2.0}), turning, make_geometry(HalfSpace{}), {},
                          {.duration = 3, .target_gap = 1e-7}, scratch);
  ASSERT_EQ(hit.status, ImpactStatus::kImpact);
  EXPECT_NEAR(hit.time, std::asin(0.8 - 1e-7), 1e-8);
}

// A bullet of 10 km/s against a wall of 0.1 mm, boxes, hulls and a mesh: it stops before, never behind.
TEST(TimeOfImpact, ThinWallsAreNotTunnelledThrough) {
  CollisionScratch scratch;
  const TriangleMesh sheet{{{0, -1, -1}, {0, 1, -1}, {0, 1, 1}, {0, -1, 1}}, {{{0, 1, 2}}, {{0, 2, 3}}}};
  const Shape walls[] = {Box{{1e-4, 2, 2}}, sheet};
  for (const Shape& wall : walls) {
    for (const Shape& bullet :
         {Shape{Sphere{0.01}}, Shape{Box{{0.02, 0.02, 0.02}}}, Shape{Cylinder{0.01, 0.05}}, Shape{Point{}}}) {
      Random random(31);
      for (int i = 0; i < 20; ++i) {
        const Motion flying{{{-5, random.real(-0.5, 0.5), random.real(-0.5, 0.5)}, random.rotation()},
                            {1e4, 0, 0},
                            random.vector(100)};
        const ImpactResult hit = find_time_of_impact(make_geometry(bullet), flying, make_geometry(wall), {},
                                                     {.duration = 1e-3}, scratch);
        ASSERT_EQ(hit.status, ImpactStatus::kImpact);
        EXPECT_LT(flying.at(hit.time).position.x(), 0.0);
        EXPECT_NEAR(hit.point.gap, 1e-6, 2e-9);
      }
    }
  }
  const Motion past{{{-5, 3, 0}, Eigen::Quaterniond::Identity()}, {1e4, 0, 0}};
  EXPECT_EQ(find_time_of_impact(make_geometry(Sphere{0.01}), past, make_geometry(walls[0]), {},
                                {.duration = 1e-3}, scratch)
                .status,
            ImpactStatus::kApart);
  const Motion inside{{{0, 0, 0}, Eigen::Quaterniond::Identity()}, {1, 0, 0}};
  EXPECT_EQ(find_time_of_impact(make_geometry(Sphere{0.01}), inside, make_geometry(walls[0]), {}, {}, scratch)
                .status,
            ImpactStatus::kOverlapAtStart);
}

}  // namespace
}  // namespace rigor
