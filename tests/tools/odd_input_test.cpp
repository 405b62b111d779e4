// What once ended the process, hung or answered wrongly: scenes and problems as files, by the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/program_test.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;
using testing_support::read_file;

class OddInput : public ProgramTest {
 protected:
  // Ends with an answer or a message, never by a signal, and with numbers where it says that all is well.
  ProgramResult expect_end(const std::string& command, const std::string& scene) const {
    folder_.write("scene.json", scene);
    const ProgramResult result = run({command, "scene.json", "--json"});
    EXPECT_GE(result.status, 0) << "signal " << -result.status << " on " << scene;
    EXPECT_LE(result.status, 2) << scene;
    EXPECT_LT(result.seconds, 10.0) << scene;
    if (result.status == 0) {
      EXPECT_EQ(result.out.find("\"worst_residual\": null"), std::string::npos) << scene;
    }
    return result;
  }
};

TEST_F(OddInput, ForcesThatOverflowAreTold) {
  EXPECT_THAT(
      expect_end(
          "run",
          R"~({"rigor": 1, "materials": [{"name": "m0", "mu": [1e-06, 1000000.0]}], "shapes": [{"type")~"
          R"~(: "half-space", "material": "m0"}], "bodies": [{"name": "b1", "shapes": [{"type": "box",)~"
          R"~( "size": [0.1, 1, 0.1]}], "mass": 1, "velocity": {"angular": [0, 1, 0]}}], "forces": [{")~"
          R"~(name": "f", "body": "b1", "force": ["1e300*t", 0, "t^0.5"], "point": [0, 0, 1]}], "run":)~"
          R"~( {"formulation": "box"}})~")
          .err,
      HasSubstr(R"~(force "f" on "b1" is)~"));
  (void)expect_end(
      "run", R"~({"rigor": 1, "materials": [{"name": "m2", "density": 1}], "bodies": [{"name": "b1", "pos)~"
             R"~(e": [0, 0, 143.7], "shapes": [{"type": "box", "size": [1, 1, 1], "material": "m2"}]}, {")~"
             R"~(name": "b2", "shapes": [{"type": "box", "size": [0.2, 1, 0.2]}], "mass": 1}, {"name": "b)~"
             R"~(3", "shapes": [{"type": "box", "size": [1, 1, 1]}], "mass": 1e-06}], "forces": [{"name":)~"
             R"~( "f", "body": "b2", "force": ["tan(pi*t*50)", 0, "1e300*t"], "torque": [0, "1/(0.0025-t))~"
             R"~(", 0]}], "run": {"dt": 0.1, "formulation": "convex"}})~");
  EXPECT_THAT(
      expect_end(
          "run",
          R"~({"rigor": 1, "gravity": [0, 0, 0], "bodies": [{"name": "a", "mass": 1, "inertia": [1, 2,)~"
          R"~( 2.5]}], "forces": [{"name": "f", "body": "a", "torque": ["1e160*t", "1e160*t", "1e160*t)~"
          R"~("]}], "run": {"dt": 0.001, "until": 0.01}})~")
          .err,
      HasSubstr(R"~(force "f" on "a" is)~"));
  EXPECT_THAT(
      expect_end(
          "run",
          R"~({"rigor": 1, "gravity": [0, 0, 0], "bodies": [{"name": "a", "mass": 1, "inertia": [1, 2,)~"
          R"~( 2.5]}], "forces": [{"name": "f", "body": "a", "torque": ["1e300*t", "1e300*t", "1e300*t)~"
          R"~("]}], "run": {"dt": 0.001, "until": 0.01}})~")
          .err,
      HasSubstr(R"~(force "f" on "a" is)~"));
}

TEST_F(OddInput, SpeedsThatOverflowAreTold) {
  EXPECT_THAT(
      expect_end(
          "run",
          R"~({"rigor": 1, "shapes": [{"type": "half-space"}], "bodies": [{"name": "b0", "shapes": [{")~"
          R"~(type": "ellipsoid", "radii": [1, 1, 1]}, {"type": "point"}], "mass": 1}, {"name": "b1", )~"
          R"~("shapes": [{"type": "point"}], "mass": 1, "inertia": [8e-07, 8e-07, 1.6e-06]}, {"name": )~"
          R"~("b2", "shapes": [{"type": "cylinder", "radius": 1, "length": 1}, {"type": "sphere", "rad)~"
          R"~(ius": 1}], "mass": 1}], "constraints": [{"name": "c1", "type": "speed", "a": "b0", "spee)~"
          R"~(d": "1e300*t"}]})~")
          .err,
      HasSubstr(R"~(numbers overflow)~"));
  (void)expect_end(
      "run", R"~({"rigor": 1, "planar": "yz", "bodies": [{"name": "b0", "pose": {"rpy": [0, 0, "pi/2"]}, )~"
             R"~("shapes": [{"type": "disk", "radius": 1}], "mass": 1}, {"name": "b1", "mass": 0}, {"name)~"
             R"~(": "b2", "pose": {"position": [0, 1, 0], "rpy": [0, 0, 1]}, "shapes": [{"type": "sphere")~"
             R"~(, "radius": 1}, {"type": "polygon", "points": [[0, 1], [0, 2.4], [-1.4, -2.4]]}], "densi)~"
             R"~(ty": 1, "joint": {"type": "revolute", "parent": "b1"}}]})~");
  (void)expect_end(
      "run", R"~({"rigor": 1, "bodies": [{"name": "b0", "joint": {"type": "fixed"}}], "springs": [{"name")~"
             R"~(: "spring", "a": "b0", "damping": 1}]})~");
  (void)expect_end(
      "run", R"~({"rigor": 1, "materials": [{"name": "m0", "mu": 0, "mu_static": 0, "slip_speed": 1000000)~"
             R"~(.0, "friction_stiffness": 183027806953.65118, "friction_damping": 1000000.0, "density": )~"
             R"~(1e-09, "direction": [0, 1, 0]}], "shapes": [{"type": "half-space", "material": "m0"}], ")~"
             R"~(bodies": [{"name": "b0", "pose": [0, 0, 0], "shapes": [{"type": "box", "size": [0.425, 0)~"
             R"~(.465, 0.681], "material": "m0", "name": "s581573"}], "density": 1e-06}, {"name": "b1", ")~"
             R"~(pose": [1000000.0, 1000000.0, 0.7424531905581069], "shapes": [{"type": "point", "pose": )~"
             R"~([0, 0, 0], "material": "m0"}, {"type": "box", "size": [0.6511061827726082, 0.75, 0.654],)~"
             R"~( "material": "m0"}], "mass": 1, "inertia": [0.01, 0.01, 0.0199], "velocity": {"linear": )~"
             R"~([-0.8642735177108385, 0.6848858115866197, 0.2572941221927201], "angular": [0.79786068204)~"
             R"~(48235, -0.10741452694609999, -0.21990151063030372]}}], "forces": [{"name": "f", "body": )~"
             R"~("b0", "force": ["exp(100*t)", 0, "mod(t,0.001)"], "torque": [0, "1/(1e-9+t)", 0], "point)~"
             R"~(": [0.04559771271083238, 0.012515415244256659, -0.02882143778672462], "frame": "body"}],)~"
             R"~( "run": {"dt": 0.1, "until": 2.0, "formulation": "cone"}})~");
}

TEST_F(OddInput, MasslessMechanismsAreChecked) {
  (void)expect_end(
      "check", R"~({"rigor": 1, "bodies": [{"name": "b0", "mass": 0, "joint": {"type": "universal"}}], "con)~"
               R"~(straints": [{"name": "c1", "type": "hinge", "a": "b0", "point_a": [0, 1, 0]}]})~");
}

// Every method on problems that have no solution, or no complementary variable
TEST_F(OddInput, ProblemsEndWithAStatus) {
  const char* const problems[] = {
      R"~({"rigor_problem": 1, "kind": "lcp", "M": [[-1]], "q": [-1]})~",
      R"~({"rigor_problem": 1, "kind": "lcp", "M": [[-1e15, 0], [0, 0]], "q": [-1, 0]})~",
      R"~({"rigor_problem": 1, "kind": "mlcp", "free": 3, "K": [[0, 0, 1], [0, 1, 0], [1, 0, 0]], "q": [0, 0, 0]})~",
      R"~({"rigor_problem": 1, "kind": "mlcp", "free": 0, "K": [[0, 0, 0], [0, -1.3, 0], [0, 0, 0]], "q": [0, -2.2, 1]})~",
      R"~({"rigor_problem": 1, "kind": "boxed-lcp", "M": [[0, 0], [0, 1]], "q": [1.7e308, 0], "lo": [0, null], "hi": [null, 1]})~"};
  for (const char* problem : problems) {
    folder_.write("problem.json", problem);
    for (const char* solver : {"auto", "lemke", "murty", "principal-pivot", "block-pivot", "dantzig", "pgs",
                               "newton", "interior-point", "enumerate"}) {
      const ProgramResult result = run({"solve", "problem.json", "--solver", solver, "--json"});
      EXPECT_GE(result.status, 0) << solver << " on " << problem;
      EXPECT_LE(result.status, 2) << solver << " on " << problem;
    }
  }
}

// K is singular up to its last digits: in doubles the residual seems to be 1e-12
TEST_F(OddInput, AnAnswerThatOnlyRoundingMakesRightIsNotSolved) {
  folder_.write(
      "problem.json",
      R"~({"rigor_problem": 1, "kind": "mlcp", "free": 3, "K": [[0.7705158634565434, -0.2606972938)~"
      R"~(135315, 0.5268246791777799], [-0.2606972938135315, 0.08820464603650802, -0.1782465159895)~"
      R"~(7653], [0.5268246791777799, -0.17824651598957653, 0.36020574754386475]], "q": [0, -1, 1e)~"
      R"~(-12]})~");
  for (const char* solver : {"auto", "newton", "interior-point"}) {
    const ProgramResult result = run({"solve", "problem.json", "--solver", solver, "--json"});
    EXPECT_EQ(result.status, 1) << solver << result.out;
    EXPECT_EQ(result.out.find("\"solved\""), std::string::npos) << solver << result.out;
  }
}

// Without AVX2 and FMA the C library takes other code paths, with other last digits: ours are the same.
TEST_F(OddInput, RecordingsHaveTheSameBytesWhateverInstructionsTheCLibraryUses) {
  const auto record = [&](const std::string& tunables, const std::string& to) {
    return testing_support::run_program({"/usr/bin/env", "GLIBC_TUNABLES=" + tunables, RIGOR_PROGRAM, "run",
                                         std::string(RIGOR_SOURCE) + "/scenes/four-bar.json", "-o", to},
                                        folder_.path());
  };
  const ProgramResult plain = record("glibc.malloc.check=0", "plain.rec");
  ASSERT_EQ(plain.status, 0) << plain.err;
  const ProgramResult other =
      record("glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable,-FMA4_Usable", "other.rec");
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(read_file(folder_.path() / "plain.rec"), read_file(folder_.path() / "other.rec"));
}

}  // namespace
}  // namespace rigor
