// Analysis and simulation agree: random scenes at rest stay there with `cone` if and only if find_rest() of
// scene_answers.cpp says that they can.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "rigor/analysis/scene_answers.hpp"
#include "rigor/math/random.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/contact_scenes.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;
using test::make_shape;

Pose turned(const Vector3d& position, double angle, const Vector3d& axis) {
  return {position, Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis))};
}

// A polygon in the plane xz, with some depth.
Hull make_prism(const std::vector<Eigen::Vector2d>& points) {
  Hull hull;
  for (const Eigen::Vector2d& point : points)
    for (const double y : {-0.2, 0.2}) hull.points.emplace_back(point.x(), y, point.y());
  return hull;
}

Body make_body(const char* name, double mass, const Vector3d& position) {
  Body body;
  body.name = name;
  body.mass = mass;
  body.pose.position = position;
  return body;
}

// Gravity as on a slope, downhill towards the azimuth.
void tilt(Scene& scene, double slope, double azimuth) {
  const double angle = std::atan(slope);
  scene.gravity = 9.81 * Vector3d(std::sin(angle) * std::cos(azimuth), std::sin(angle) * std::sin(azimuth),
                                  -std::cos(angle));
}

void add_push(Scene& scene, const char* body, const Vector3d& force) {
  Force push;
  push.name = "push";
  push.body = body;
  push.force = {force.x(), force.y(), force.z()};
  scene.forces.push_back(push);
}

class RandomScene {
 public:
  explicit RandomScene(std::uint64_t seed) : random_(seed) {}

  Scene draw(int family) {
    const double mu = random_.uniform(0.1, 1.0);
    Scene scene = test::make_floor(mu);
    switch (family) {
      case 0:
        add_block(scene);
        break;
      case 1:
        add_round(scene);
        break;
      case 2:
        add_groove(scene);
        break;
      case 3:
        add_ladder(scene);
        break;
      case 4:
        add_wedge(scene);
        break;
      case 5:
        add_pinch(scene, mu);
        break;
      case 6:
        add_stack(scene);
        break;
      case 7:
        add_plank(scene);
        break;
      case 8:
        add_pile(scene);
        break;
      default:
        add_peg(scene);
    }
    return scene;
  }

 private:
  double about(double value) { return value * random_.uniform(0.5, 1.6); }
  double azimuth() { return random_.uniform(0.0, 2.0 * M_PI); }

  // a box on a slope: slides or topples
  void add_block(Scene& scene) {
    const Vector3d size(random_.uniform(0.1, 1.0), random_.uniform(0.1, 1.0), random_.uniform(0.1, 1.0));
    test::add_box(scene, "box", size, random_.uniform(0.5, 5.0), {0.0, 0.0, size.z() / 2});
    tilt(scene, about(0.5), azimuth());
  }
  // a ball or a capsule lying down: rolls, but for slopes along the capsule's axis and level ground
  void add_round(Scene& scene) {
    const double r = random_.uniform(0.1, 0.5);
    if (random_.chance(0.3)) {
      test::add_sphere(scene, "ball", r, 1.0, {0.0, 0.0, r});
      tilt(scene, random_.chance(0.5) ? 0.0 : about(0.2), azimuth());
      return;
    }
    Body capsule = make_body("capsule", 1.0, {0.0, 0.0, r});
    capsule.shapes.push_back(
        make_shape(Capsule{r, 1.0}, turned(Vector3d::Zero(), M_PI / 2, Vector3d::UnitY())));
    scene.bodies.push_back(capsule);
    tilt(scene, about(0.5), random_.chance(0.8) ? 0.0 : azimuth());
  }
  // a ball in a groove of two planes that descends along y
  void add_groove(Scene& scene) {
    const double half = random_.uniform(0.3, 1.2), r = 0.3;
    scene.shapes = {make_shape(HalfSpace{}, turned(Vector3d::Zero(), half, Vector3d::UnitY())),
                    make_shape(HalfSpace{}, turned(Vector3d::Zero(), -half, Vector3d::UnitY()))};
    test::add_sphere(scene, "ball", r, 2.0, {0.0, 0.0, r / std::cos(half)});
    if (random_.chance(0.8)) tilt(scene, about(0.6), random_.chance(0.5) ? 0.0 : M_PI / 2);
  }
  void add_ladder(Scene& scene) {
    scene.planar = Plane::kXZ;
    const double angle = random_.uniform(0.5, 1.4), L = 2.0;
    scene.shapes.push_back(make_shape(HalfSpace{}, turned(Vector3d::Zero(), M_PI / 2, Vector3d::UnitY())));
    Body ladder = make_body("ladder", 10.0, L / 2 * Vector3d(std::cos(angle), 0.0, std::sin(angle)));
    ladder.inertia = {3.0, 3.0, 3.0};
    for (const double side : {1.0, -1.0})
      ladder.shapes.push_back(
          make_shape(Point{}, Vector3d(side * L / 2 * Vector3d(std::cos(angle), 0.0, -std::sin(angle)))));
    scene.bodies.push_back(ladder);
    if (random_.chance(0.3)) add_push(scene, "ladder", {random_.uniform(-30.0, 30.0), 0.0, 0.0});
  }
  // a triangle point down between two faces, pulled by some force
  void add_wedge(Scene& scene) {
    scene.planar = Plane::kXZ;
    const double half = random_.uniform(0.1, 0.7), h = 0.5;  // half the angle of the wedge
    scene.shapes = {make_shape(HalfSpace{}, turned(Vector3d::Zero(), M_PI / 2 - half, Vector3d::UnitY())),
                    make_shape(HalfSpace{}, turned(Vector3d::Zero(), -(M_PI / 2 - half), Vector3d::UnitY()))};
    Body wedge = make_body("wedge", 1.0, {0.0, 0.0, 0.3});
    wedge.inertia = {0.1, 0.1, 0.1};
    const double low = 0.1, high = low + h;  // cut at the tip
    const auto at = [&](double side, double z) {
      return Eigen::Vector2d(side * z * std::tan(half), z - 0.3);
    };
    wedge.shapes.push_back(make_shape(make_prism({at(-1, low), at(1, low), at(1, high), at(-1, high)})));
    scene.bodies.push_back(wedge);
    add_push(scene, "wedge", {random_.uniform(-15.0, 15.0), 0.0, random_.uniform(-15.0, 12.0)});
  }
  // two fingers on slides press a block with N: holds iff mu ≥ m g/(2 N)
  void add_pinch(Scene& scene, double mu) {
    scene.planar = Plane::kXZ;
    scene.shapes.clear();
    Body block = make_body("block", 1.0, Vector3d::Zero());
    block.inertia = {0.1, 0.1, 0.1};
    block.shapes.push_back(make_shape(Box{{0.4, 0.4, 0.6}}));
    scene.bodies.push_back(block);
    const double N = 9.81 / (2.0 * mu) * random_.uniform(0.7, 1.4);
    for (const double side : {1.0, -1.0}) {
      Body finger = make_body(side > 0.0 ? "right" : "left", 0.2, {0.3 * side, 0.0, 0.0});
      finger.inertia = {0.01, 0.01, 0.01};
      finger.shapes.push_back(make_shape(Disk{0.1}));
      finger.joint.type = JointType::kPrismatic;
      finger.joint.axis = Vector3d::UnitX();
      scene.bodies.push_back(finger);
      Motor motor;
      motor.name = motor.joint = finger.name;
      motor.effort = -side * N;
      scene.motors.push_back(motor);
    }
  }
  void add_stack(Scene& scene) {
    const int count = 2 + random_.below(2);
    double z = 0.0, x = 0.0;
    for (int i = 0; i < count; ++i) {
      const Vector3d size(0.5, 0.4, random_.uniform(0.1, 0.4));
      if (i > 0) x += random_.uniform(-0.25, 0.25);
      test::add_box(scene, "box" + std::to_string(i), size, random_.uniform(0.5, 5.0),
                    {x, 0.0, z + size.z() / 2});
      z += size.z();
    }
    tilt(scene, random_.uniform(0.0, 0.6), azimuth());
  }
  // a plank hinged to the world whose free end lies on a block that something pushes along the floor
  void add_plank(Scene& scene) {
    scene.planar = Plane::kXZ;
    const double height = random_.uniform(0.2, 0.6);
    Body block = make_body("block", random_.uniform(0.5, 2.0), {1.0, 0.0, height / 2});
    block.inertia = {0.1, 0.1, 0.1};
    block.shapes.push_back(make_shape(Box{{0.6, 0.4, height}}));
    scene.bodies.push_back(block);
    // the hinge is above: pushing towards it may jam
    const double rise = random_.uniform(0.1, 1.5);
    Body plank = make_body("plank", random_.uniform(0.5, 3.0), {0.0, 0.0, height + rise});
    plank.inertia = {0.3, 0.3, 0.3};
    plank.center_of_mass = {0.5, 0.0, -rise / 2};
    plank.shapes.push_back(make_shape(Point{}, Vector3d(1.0, 0.0, -rise)));
    plank.joint.type = JointType::kRevolute;
    plank.joint.axis = Vector3d::UnitY();
    scene.bodies.push_back(plank);
    add_push(scene, "block", {random_.uniform(-25.0, 25.0), 0.0, 0.0});
  }
  // two or three rows of disks
  void add_pile(Scene& scene) {
    scene.planar = Plane::kXZ;
    const int rows = 2 + random_.below(2);
    const double r = 0.5, limit = rows == 2 ? std::tan(M_PI / 12) : 0.433988;
    scene.materials[0].mu = {about(limit), about(limit)};
    scene.materials[0].mu.across = scene.materials[0].mu.along;
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < rows - j; ++i) {
        Body disk = make_body("", 1.0, {2 * r * (i + 0.5 * j), 0.0, r * (1 + std::sqrt(3.0) * j)});
        disk.name = "disk" + std::to_string(10 * j + i);
        disk.shapes.push_back(make_shape(Disk{r}));
        disk.inertia = {0.1, 0.1, 0.1};
        scene.bodies.push_back(disk);
      }
  }
  // a bar over two pegs at different heights, in the plane: slides down along them or holds
  void add_peg(Scene& scene) {
    scene.planar = Plane::kXZ;
    const double slope = about(0.5), angle = std::atan(slope);
    const Vector3d along(std::cos(angle), 0.0, -std::sin(angle)), up(std::sin(angle), 0.0, std::cos(angle));
    scene.shapes.clear();
    for (const double at : {-0.5, 0.4})
      scene.shapes.push_back(make_shape(Disk{0.1}, Vector3d(at * along - 0.15 * up)));
    Body bar = make_body("bar", 1.0, Vector3d::Zero());
    bar.pose.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(angle, Vector3d::UnitY()));
    bar.inertia = {0.3, 0.3, 0.3};
    bar.center_of_mass = {random_.uniform(-0.45, 0.35), 0.0, 0.0};
    bar.shapes.push_back(make_shape(Box{{2.0, 0.4, 0.1}}));
    scene.bodies.push_back(bar);
  }

  Random random_;
};

// The fastest that anything gets in 0.1 s, m/s or rad/s; −1 where a step is not solved.
double find_fastest(Scene scene) {
  scene.run.dt = 0.005;
  scene.run.until = 0.1;
  scene.run.tolerance = 1e-11;
  Simulation simulation(scene);
  double fastest = 0.0;
  while (!simulation.is_finished()) {
    if (simulation.step().status != StepStatus::kSolved) return -1.0;
    fastest = std::max(fastest, simulation.state().v.cwiseAbs().maxCoeff());
  }
  return fastest;
}

TEST(Rest, ConeStaysAtRestIfAndOnlyIfTheAnalysisSaysSo) {
  RandomScene random(2026);
  int left_out = 0, judged = 0;
  std::array<int, 2> verdicts{0, 0};
  std::map<int, std::array<int, 2>> by_family;
  double slowest = HUGE_VAL, fastest = 0.0;
  for (int trial = 0; judged < 200 && trial < 260; ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", family " << trial % 10);
    const Scene scene = random.draw(trial % 10);
    const Model model = make_model(scene);
    const AccelerationProblem problem = make_scene_problem(model, make_state(model)).problem;
    const Rest rest = find_rest(problem);
    const ForceVerdict& verdict = rest.answer.verdict;
    if (rest.answer.answer == Answer::kUndecided || std::abs(verdict.raw_margin) < 1e-9 * verdict.scale) {
      ++left_out;
      continue;
    }
    ++judged;
    AnalysisOptions brief;
    brief.ranges = brief.friction = false;
    const Analysis analysis = analyse(problem, brief);
    EXPECT_EQ(find_rest(problem, &analysis).answer.answer, rest.answer.answer);
    const bool rests = rest.answer.answer == Answer::kYes;
    ++verdicts[rests ? 1 : 0];
    ++by_family[trial % 10][rests ? 1 : 0];
    const double speed = find_fastest(scene);
    ASSERT_GE(speed, 0.0) << "a step was not solved";
    if (rests) {
      EXPECT_LT(speed, 1e-9) << "margin " << verdict.margin;
      fastest = std::max(fastest, speed);
    } else {
      EXPECT_GT(speed, 1e-6) << "margin " << verdict.margin;
      slowest = std::min(slowest, speed);
    }
  }
  EXPECT_EQ(judged, 200);
  std::printf(
      "rest possible %d, impossible %d, margin under 1e-9 %d; fastest at rest %.2g, slowest in motion %.2g\n",
      verdicts[1], verdicts[0], left_out, fastest, slowest);
  for (const auto& [family, count] : by_family)
    std::printf("  family %d: %d rest, %d move\n", family, count[1], count[0]);
  EXPECT_GT(verdicts[0], 50);
  EXPECT_GT(verdicts[1], 50);
}

}  // namespace
}  // namespace rigor
