// scene_reader.cpp, and under it object_reader.hpp, scene_files.cpp, scene_origins.cpp, scene_values.cpp
#include "rigor/io/scene_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "tests/support/run_program.hpp"

namespace rigor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::TemporaryFolder;

Scene parse_keys(const std::string& keys, std::vector<std::string> set = {}) {
  SceneReadOptions options;
  options.set = std::move(set);
  return parse_scene("{\"rigor\": 1, " + keys + "}", "scene", options);
}

std::string errors_of(const std::string& keys, std::vector<std::string> set = {}) {
  try {
    (void)parse_keys(keys, std::move(set));
    return "";
  } catch (const InvalidDocument& error) {
    return error.what();
  }
}

TEST(SceneReader, EmptySceneHasTheDefaults) {
  const Scene scene = parse_scene("{\"rigor\": 1}");
  EXPECT_EQ(scene.gravity, Eigen::Vector3d(0, 0, -9.81));
  EXPECT_EQ(scene.run.dt, 1e-3);
  EXPECT_EQ(scene.run.formulation, Formulation::kCone);
  EXPECT_TRUE(scene.bodies.empty());
}

TEST(SceneReader, ReadsEveryFieldOfABody) {
  const Scene scene = parse_keys(R"json("bodies": [
    {"name": "base", "joint": "fixed"},
    {"name": "arm", "mass": 2, "center_of_mass": [1, 2, 3], "inertia": [1, 2, 2.5, 0.1, 0.2, 0.3],
     "pose": {"position": [4, 5, 6], "quaternion": [0, 1, 0, 0]},
     "shapes": [{"name": "tip", "type": "capsule", "radius": 0.1, "length": 0.5, "density": 7, "pose": [0, 0, 1]}],
     "joint": {"type": "screw", "name": "j", "parent": "base", "axis": [0, 3, 4], "pitch": 0.01, "q": [0.5], "v": [-1],
               "limits": [null, 2], "damping": 3, "stiffness": 4, "rest": [0.25], "armature": 5,
               "pose": {"rpy": [0, 0, "pi/2"]}}}])json");
  ASSERT_EQ(scene.bodies.size(), 2U);
  EXPECT_EQ(scene.bodies[0].joint.type, JointType::kFixed);
  const Body& arm = scene.bodies[1];
  EXPECT_EQ(arm.mass, 2.0);
  EXPECT_EQ(arm.center_of_mass, Eigen::Vector3d(1, 2, 3));
  EXPECT_THAT(arm.inertia, ElementsAre(1, 2, 2.5, 0.1, 0.2, 0.3));
  EXPECT_EQ(arm.pose.position, Eigen::Vector3d(4, 5, 6));
  EXPECT_EQ(arm.pose.rotation.x(), 1.0);
  ASSERT_EQ(arm.shapes.size(), 1U);
  EXPECT_EQ(arm.shapes[0].name, "tip");
  EXPECT_EQ(std::get<Capsule>(arm.shapes[0].geometry).length, 0.5);
  EXPECT_EQ(arm.shapes[0].density, 7.0);
  EXPECT_EQ(arm.shapes[0].pose.position.z(), 1.0);
  EXPECT_EQ(arm.joint.name, "j");
  EXPECT_EQ(arm.joint.parent, "base");
  EXPECT_EQ(arm.joint.axis, Eigen::Vector3d(0, 0.6, 0.8));  // kept at unit length
  EXPECT_EQ(arm.joint.pitch, 0.01);
  EXPECT_THAT(arm.joint.q, ElementsAre(0.5));
  EXPECT_THAT(arm.joint.v, ElementsAre(-1.0));
  ASSERT_EQ(arm.joint.limits.size(), 1U);
  EXPECT_EQ(arm.joint.limits[0][0], -INFINITY);
  EXPECT_EQ(arm.joint.limits[0][1], 2.0);
  EXPECT_EQ(arm.joint.armature, 5.0);
  EXPECT_NEAR(arm.joint.pose.rotation.z(), std::sqrt(0.5), 1e-15);
}

TEST(SceneReader, OrientationsByThreeNamesAgree) {
  const Scene scene = parse_keys(R"json("bodies": [
    {"name": "a", "mass": 1, "pose": {"quaternion": ["cos(0.3)", 0, "sin(0.3)", 0]
}
},
    {"name": "b", "mass": 1, "pose": {"axis_angle": [0, 5, 0, 0.6]}},
    {"name": "c", "mass": 1, "pose": {"rpy": [0, 0.6, 0]}}])json");
  for (const Body& body : scene.bodies)
    EXPECT_LT((body.pose.rotation.coeffs() - scene.bodies[0].pose.rotation.coeffs()).norm(), 1e-15)
        << body.name;
}

TEST(SceneReader, EveryKindOfObjectIsRead) {
  const Scene scene = parse_keys(R"json("name": "all", "planar": "xz",
    "materials": [{"name": "m", "mu": 0.3, "mu_static": 0.4, "restitution": 0, "density": 10}],
    "shapes": [{"type": "sphere", "radius": 1}, {"type": "cylinder", "radius": 1, "length": 2},
      {"type": "box", "size": [1, 2, 3]}, {"type": "ellipsoid", "radii": [1, 2, 3]},
      {"type": "cone", "radius": 1, "length": 2}, {"type": "half-space"}, {"type": "point"},
      {"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]},
      {"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]]},
      {"type": "height-field", "size": [2, 3], "heights": [[0, 1], [2, 3]]},
      {"type": "disk", "radius": 1}, {"type": "polygon", "points": [[0, 0], [1, 0], [0, 1]]}],
    "bodies": [{"name": "a", "mass": 1, "joint": "revolute"}, {"name": "b", "mass": 1, "joint": "prismatic"},
               {"name": "c", "mass": 1}],
    "groups": [{"name": "g", "planar": "xz", "bodies": ["a"]}],
    "constraints": [{"name": "c1", "type": "ball", "a": "a", "point_a": [1, 0, 0]},
      {"name": "c2", "type": "weld", "a": "a", "b": "b", "frame_b": [1, 0, 0]},
      {"name": "c3", "type": "hinge", "a": "a", "axis_a": [1, 0, 0]},
      {"name": "c4", "type": "distance", "a": "a", "distance": 2, "stiffness": 100, "damping": 1},
      {"name": "c5", "type": "point-on-line", "a": "a"}, {"name": "c6", "type": "point-in-plane", "a": "a"},
      {"name": "c7", "type": "parallel-axes", "a": "a"},
      {"name": "c8", "type": "rolling", "a": "a", "radius": 0.5, "point_b": [0, 0, 1]},
      {"name": "c9", "type": "rolling", "a": "a", "radius": 0.5, "axis_a": [0, 3, 4]},
      {"name": "c10", "type": "knife-edge", "a": "a", "axis_a": [2, 0, 0]},
      {"name": "c11", "type": "speed", "a": "a", "axis_b": [0, 1, 0], "speed": "2*t"},
      {"name": "c12", "type": "spin", "a": "a", "speed": {"sine": {"amplitude": 2, "frequency": 1}}}],
    "gears": [{"name": "g1", "joint_a": "a", "joint_b": "b", "ratio": -2, "offset": 0.1},
      {"name": "g2", "joint_a": "a", "joint_b": "b", "stiffness": 30, "damping": 4}],
    "springs": [{"name": "s", "a": "a", "b": "c", "stiffness": 5, "rest_length": 1, "side": "tension"},
      {"name": "n", "a": "a", "law": "10*x + x^3"}],
    "motors": [{"name": "mo", "joint": "a", "effort": "3*sin(t)"}],
    "motions": [{"name": "mv", "joint": "b", "acceleration": {"table": {"times": [0, 1], "values": [2, 3]}}}],
    "forces": [{"name": "f", "body": "c", "frame": "body", "force": [1, "t", {"sine": {"amplitude": 2, "frequency": 3}}]}],
    "run": {"dt": 0.01, "until": 2, "method": "semi-implicit", "formulation": "phantom", "solver": "block-pivot", "tolerance": 1e-9,
            "directions": 6})json");
  EXPECT_EQ(scene.planar, Plane::kXZ);
  EXPECT_EQ(scene.materials[0].mu_static, 0.4);
  EXPECT_EQ(std::get<HeightField>(scene.shapes[9].geometry).heights[1][0], 2.0);
  EXPECT_EQ(std::get<TriangleMesh>(scene.shapes[8].geometry).triangles[0][2], 2);
  EXPECT_EQ(scene.constraints.size(), 12U);
  EXPECT_EQ(std::get<DistanceConstraint>(scene.constraints[3].geometry).distance, 2.0);
  EXPECT_EQ(scene.constraints[3].stiffness, 100.0);
  EXPECT_EQ(std::get<RollingConstraint>(scene.constraints[7].geometry).axis_a, std::nullopt);
  EXPECT_EQ(std::get<RollingConstraint>(scene.constraints[8].geometry).axis_a, Eigen::Vector3d(0, 0.6, 0.8));
  EXPECT_EQ(std::get<RollingConstraint>(scene.constraints[8].geometry).radius, 0.5);
  EXPECT_EQ(std::get<KnifeEdgeConstraint>(scene.constraints[9].geometry).axis_a, Eigen::Vector3d::UnitX());
  EXPECT_EQ(evaluate(std::get<SpeedConstraint>(scene.constraints[10].geometry).speed, 3.0), 6.0);
  EXPECT_EQ(evaluate(std::get<SpinConstraint>(scene.constraints[11].geometry).speed, 0.25), 2.0);
  EXPECT_EQ(scene.gears[0].ratio, -2.0);
  EXPECT_EQ(scene.gears[1].stiffness, 30.0);
  EXPECT_EQ(scene.gears[1].damping, 4.0);
  EXPECT_EQ(evaluate(*scene.springs[1].law, 2.0), 28.0);
  EXPECT_EQ(scene.springs[0].side, Spring::Side::kTension);
  EXPECT_DOUBLE_EQ(evaluate(scene.motors[0].effort, 0.5), 3 * std::sin(0.5));
  EXPECT_DOUBLE_EQ(evaluate(*scene.motions[0].acceleration, 0.25), 2.25);
  EXPECT_DOUBLE_EQ(evaluate(scene.forces[0].force[1], 7.0), 7.0);
  EXPECT_DOUBLE_EQ(evaluate(scene.forces[0].force[2], 0.1), 2 * std::sin(2 * std::numbers::pi * 0.3));
  EXPECT_EQ(scene.run.method, RunSettings::Method::kSemiImplicit);
  EXPECT_EQ(parse_keys(R"("run": {"method": "runge-kutta-4"})").run.method,
            RunSettings::Method::kRungeKutta4);
  EXPECT_EQ(scene.run.formulation, Formulation::kPhantom);
  EXPECT_EQ(scene.run.solver, Solver::kBlockPivot);
  EXPECT_EQ(scene.run.directions, 6);
}

TEST(SceneReader, ParametersAreEvaluatedInOrder) {
  const Scene scene =
      parse_keys(R"json("parameters": {"a": 2, "b": "a^2 + 1"}, "run": {"until": "b*10"})json");
  EXPECT_EQ(scene.run.until, 50.0);
}

// In a law x is the elongation, whatever the parameters; elsewhere it is a name like any other.
TEST(SceneReader, TheVariableOfALawHidesAParameter) {
  const Scene scene =
      parse_keys(R"json("parameters": {"x": 5, "k": 3}, "bodies": [{"name": "a", "mass": "x"}],
    "springs": [{"name": "s", "a": "a", "rest_length": "x", "law": "k*x"}, {"name": "c", "a": "a", "law": "2*k"}],
    "forces": [{"name": "f", "body": "a", "force": ["x*t", 0, 0]}])json");
  EXPECT_EQ(scene.bodies[0].mass, 5.0);
  EXPECT_EQ(scene.springs[0].rest_length, 5.0);
  EXPECT_EQ(evaluate(*scene.springs[0].law, 2.0), 6.0);
  EXPECT_EQ(scene.springs[1].law, TimeFunction(6.0));
  EXPECT_EQ(evaluate(scene.forces[0].force[0], 2.0), 10.0);
}

TEST(SceneReader, DefaultsFillWhatIsNotGiven) {
  const Scene scene =
      parse_keys(R"json("defaults": {"body": {"mass": 3}, "joint": {"type": "prismatic", "damping": 7},
      "shape": {"type": "sphere", "radius": 0.5, "material": "m"}},
    "materials": [{"name": "m"}],
    "bodies": [{"name": "a", "shapes": [{}, {"radius": 2}]}, {"name": "b", "mass": 4, "joint": {"damping": 8}},
               {"name": "c", "joint": {"type": "ball"}}])json");
  EXPECT_EQ(scene.bodies[0].mass, 3.0);
  EXPECT_EQ(scene.bodies[0].joint.type, JointType::kFree);  // no joint is given, so none is filled
  EXPECT_EQ(scene.bodies[0].joint.damping, 0.0);
  EXPECT_EQ(std::get<Sphere>(scene.bodies[0].shapes[0].geometry).radius, 0.5);
  EXPECT_EQ(std::get<Sphere>(scene.bodies[0].shapes[1].geometry).radius, 2.0);
  EXPECT_EQ(scene.bodies[0].shapes[1].material, "m");
  EXPECT_EQ(scene.bodies[1].mass, 4.0);
  EXPECT_EQ(scene.bodies[1].joint.type, JointType::kPrismatic);
  EXPECT_EQ(scene.bodies[1].joint.damping, 8.0);
  EXPECT_EQ(scene.bodies[2].joint.damping, 7.0);
}

TEST(SceneReader, RepeatRunsTheLastIndexFastest) {
  const Scene scene =
      parse_keys(R"json("parameters": {"n": 3}, "repeat": [{"for": [["i", "n"], ["j", "n - i"]],
    "bodies": [{"name": "b_{i}_{j}", "mass": "1 + i", "pose": ["10*i + j", 0, 0]}]}])json");
  std::vector<std::string> names;
  for (const Body& body : scene.bodies) names.push_back(body.name);
  EXPECT_THAT(names, ElementsAre("b_0_0", "b_0_1", "b_0_2", "b_1_0", "b_1_1", "b_2_0"));
  EXPECT_EQ(scene.bodies[4].pose.position.x(), 11.0);
  EXPECT_EQ(scene.bodies[5].mass, 3.0);
}

TEST(SceneReader, RepeatMakesAChainThatRefersToItsNeighbour) {
  const Scene scene = parse_keys(R"json("bodies": [{"name": "link_0", "mass": 1}],
    "repeat": [{"for": [["i", 4]], "bodies": [{"name": "link_{i + 1}", "mass": 1,
      "joint": {"type": "ball", "parent": "link_{i}"}}],
      "forces": [{"name": "f_{i}", "body": "link_{i}", "force": ["i*t", 0, 0]}]}])json");
  EXPECT_EQ(scene.bodies[4].joint.parent, "link_3");
  EXPECT_EQ(evaluate(scene.forces[3].force[0], 2.0), 6.0);
}

TEST(SceneReader, RepeatZeroTimesAddsNothing) {
  EXPECT_TRUE(
      parse_keys(R"json("repeat": [{"for": [["i", 0]], "bodies": [{"name": "b_{i}", "mass": 1}]}])json")
          .bodies.empty());
}

TEST(SceneReader, ReadsAsManyBodiesAsTheLimitsAllow) {
  const Scene scene = parse_keys(
      R"json("repeat": [{"for": [["i", 200], ["j", 1000]], "bodies": [{"name": "b_{i}_{j}", "mass": 1}]}])json");
  EXPECT_EQ(scene.bodies.size(), 200'000U);
  EXPECT_EQ(errors_of(R"json("bodies": [{"name": "b", "mass": 1}],
      "repeat": [{"for": [["i", 200], ["j", 1000]], "bodies": [{"name": "b_{i}_{j}", "mass": 1}]}])json"),
            "scene:2:63: repeat[0].bodies: more than 200000 bodies in one scene.");
}

TEST(SceneReader, ProgressCanCancel) {
  SceneReadOptions options;
  std::size_t seen = 0;
  options.on_progress = [&](std::size_t elements) {
    seen = elements;
    return false;
  };
  const std::string text =
      R"json({"rigor": 1, "repeat": [{"for": [["i", 100000]], "bodies": [{"name": "b_{i}", "mass": 1}]}]})json";
  EXPECT_THROW((void)parse_scene(text, "scene", options), Cancelled);
  EXPECT_EQ(seen, 1024U);
}

// --- --set ---

TEST(SceneReader, SetChangesByKeyNameAndIndex) {
  const std::string keys = R"json("bodies": [{"name": "crate", "mass": 1}, {"name": "b", "mass": 1}])json";
  EXPECT_EQ(parse_keys(keys, {"bodies.crate.mass=5"}).bodies[0].mass, 5.0);
  EXPECT_EQ(parse_keys(keys, {"bodies[1].mass=6"}).bodies[1].mass, 6.0);
  EXPECT_EQ(parse_keys(keys, {"run.dt=0.5"}).run.dt, 0.5);  // makes what is not there
  EXPECT_EQ(parse_keys(keys, {"run.formulation=box", "run.solver=lemke"}).run.solver, Solver::kLemke);
  EXPECT_EQ(parse_keys(keys, {"run.formulation=box", "run.solver=\"lemke\""}).run.solver, Solver::kLemke);
  EXPECT_EQ(parse_keys(keys, {"gravity=[1, 2, 3]"}).gravity, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(parse_keys(keys, {"gravity=[1, 2, 3]", "gravity[0]=4"}).gravity.x(), 4.0);
  EXPECT_EQ(parse_keys(keys, {"bodies.b.mass=2*3"}).bodies[1].mass, 6.0);
  EXPECT_EQ(parse_keys(keys, {"name=a=b"}).name, "a=b");
  EXPECT_EQ(
      parse_keys("\"parameters\": {\"n\": 1}, \"run\": {\"until\": \"n\"}", {"parameters.n=9"}).run.until,
      9.0);
}

TEST(SceneReader, SetThatCannotWorkSaysWhy) {
  const std::string keys = R"json("bodies": [{"name": "crate", "mass": 1}])json";
  EXPECT_EQ(
      errors_of(keys, {"bodies.crat.mass=5"}),
      "--set bodies.crat.mass: \"crat\", no element of the list has this name. Did you mean \"crate\"?");
  EXPECT_EQ(errors_of(keys, {"bodies[3].mass=5"}),
            "--set bodies[3].mass: 3, the list has 1 elements, counted from 0.");
  EXPECT_EQ(errors_of(keys, {"run"}),
            "--set run: \"run\", must be path=value. For example --set run.dt=0.01.");
  EXPECT_EQ(errors_of(keys, {"=3"}), "--set : \"=3\", must be path=value. For example --set run.dt=0.01.");
  EXPECT_EQ(errors_of(keys, {"bodies[x]=3"}),
            "--set bodies[x]: a bracket must hold an index, as in bodies[0].mass.");
  EXPECT_EQ(errors_of(keys, {"run..dt=3"}), "--set run..dt: an empty key in the path.");
  EXPECT_EQ(errors_of(keys, {"rigor.x=3"}),
            "--set rigor.x: \"x\", the document holds a number before this step, which has no such part.");
  EXPECT_EQ(errors_of(keys, {"run.td=3"}), "--set run.td:1:1: run.td: unknown key. Did you mean \"dt\"?");
  EXPECT_EQ(
      errors_of(keys, {"gravity=[1, 2"}),
      "--set gravity:1:6: the text ends inside the list opened at line 1, column 1. Close it with ']'.");
  EXPECT_EQ(errors_of(keys, {"bodies.crate.mass=-1"}),
            "--set bodies.crate.mass:1:1: bodies.crate.mass = -1 kg, must be >= 0. For a body that does not "
            "move use "
            "\"joint\": \"fixed\".");
}

// --- include ---

TEST(SceneReader, IncludesAddListsWithPrefixAndParameters) {
  const TemporaryFolder folder;
  folder.write("parts/leg.json", R"json({"rigor": 1, "parameters": {"m": 1}, "gravity": [0, 0, 0],
    "defaults": {"body": {"mass": "m"}},
    "bodies": [{"name": "hip"}, {"name": "foot", "joint": {"type": "revolute", "parent": "hip"}}],
    "constraints": [{"name": "pin", "type": "ball", "a": "hip", "b": "world"}]})json");
  folder.write("robot.json", R"json({"rigor": 1, "include": [{"file": "parts/leg.json", "prefix": "left_"},
      {"file": "parts/leg.json", "prefix": "right_", "parameters": {"m": 2}}],
    "bodies": [{"name": "torso", "mass": 9}],
    "springs": [{"name": "s", "a": "left_foot", "b": "right_foot", "stiffness": 1}]})json");
  const Scene scene = read_scene(folder.path() / "robot.json");
  ASSERT_EQ(scene.bodies.size(), 5U);
  EXPECT_EQ(scene.bodies[1].name, "left_foot");
  EXPECT_EQ(scene.bodies[1].joint.parent, "left_hip");
  EXPECT_EQ(scene.bodies[1].mass, 1.0);
  EXPECT_EQ(scene.bodies[3].mass, 2.0);
  EXPECT_EQ(scene.bodies[4].name, "torso");
  EXPECT_EQ(scene.constraints[1].name, "right_pin");
  EXPECT_EQ(scene.constraints[1].b, "world");
  EXPECT_EQ(scene.gravity.z(), -9.81);  // settings of included files do not count
}

TEST(SceneReader, TextsWithoutAFolderCannotInclude) {
  EXPECT_EQ(errors_of("\"include\": [\"a.json\"]"),
            "scene:1:26: include = \"a.json\", a scene without a folder cannot include files.");
}

TEST(SceneReader, ErrorsCarryTheirParts) {
  try {
    (void)parse_scene("{\"rigor\": 1,\n \"run\": {\"dt\": -1}}", "s.json");
    FAIL();
  } catch (const InvalidDocument& error) {
    ASSERT_EQ(error.diagnostics().size(), 1U);
    const Diagnostic& diagnostic = error.diagnostics()[0];
    EXPECT_EQ(diagnostic.file, "s.json");
    EXPECT_EQ(diagnostic.line, 2);
    EXPECT_EQ(diagnostic.column, 16);
    EXPECT_EQ(diagnostic.path, "run.dt");
    EXPECT_EQ(diagnostic.value, "-1 s");
    EXPECT_EQ(diagnostic.rule, "must lie in [1e-09, 1]");
  }
}

}  // namespace
}  // namespace rigor
