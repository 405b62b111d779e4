// The program as a person calls it: exit statuses, streams, help, JSON, files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/tools/program_test.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CommandLine : public ProgramTest {};

TEST_F(CommandLine, VersionAndHelpGoToStandardOutput) {
  const ProgramResult version = run({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, testing::MatchesRegex("rigor [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  const ProgramResult help = run({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("check"));
  EXPECT_EQ(help.err, "");
}

TEST_F(CommandLine, NothingIsBadUsage) {
  const ProgramResult result = run({});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("Usage: rigor"));
}

TEST_F(CommandLine, SlipsOfThePenGetOneSentence) {
  EXPECT_EQ(run({"chek"}).err, "rigor: 'chek' is not a command. Did you mean 'check'? See rigor --help.\n");
  EXPECT_EQ(run({"chek"}).status, 2);
  EXPECT_EQ(run({"frobnicate"}).err, "rigor: 'frobnicate' is not a command. See rigor --help.\n");
  EXPECT_EQ(run({"check"}).err, "rigor: SCENE is required. See rigor check --help.\n");
  EXPECT_EQ(run({"check"}).status, 2);
  EXPECT_EQ(run({"list", "scnes"}).status, 2);
  EXPECT_THAT(run({"check", "crates", "--jsn"}).err, HasSubstr("--jsn"));
  EXPECT_EQ(run({"check", "crates", "--jsn"}).status, 2);
}

TEST_F(CommandLine, EveryCommandHasHelpWithAnExample) {
  for (const char* command : {"demo", "run", "resume", "replay", "export", "reproduce", "check", "convert",
                              "schema", "list", "completion", "man"}) {
    const ProgramResult result = run({command, "--help"});
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_THAT(result.out, HasSubstr("Example:\n")) << command;
  }
}

TEST_F(CommandLine, CheckDescribesAScene) {
  const ProgramResult result = run({"check", "crates"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("crates: valid\n"));
  EXPECT_THAT(result.out, HasSubstr("13 (10 free, 3 revolute)"));
  EXPECT_THAT(run({"check", "crates", "--set", "parameters.rows=2", "--set", "run.dt=0.01"}).out,
              HasSubstr("6 (3 free, 3 revolute)"));
}

TEST_F(CommandLine, CheckAnswersInJson) {
  const JsonValue value = json_of(run({"check", "crates", "--json"}));
  EXPECT_EQ(*value.find("valid")->if_bool(), true);
  EXPECT_EQ(*value.find("bodies")->if_number(), 13.0);

  folder_.write("bad.json", "{\"rigor\": 1,\n \"run\": {\"dt\": -1}}");
  const ProgramResult bad = run({"check", "bad.json", "--json"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_EQ(bad.err, "bad.json:2:16: run.dt = -1 s, must lie in [1e-09, 1].\n");
  const JsonValue answer = json_of(bad);
  EXPECT_EQ(*answer.find("valid")->if_bool(), false);
  const JsonValue& error = answer.find("errors")->if_array()->at(0);
  EXPECT_EQ(*error.find("line")->if_number(), 2.0);
  EXPECT_EQ(*error.find("path")->if_string(), "run.dt");
  EXPECT_EQ(*error.find("rule")->if_string(), "must lie in [1e-09, 1]");
}

TEST_F(CommandLine, OtherCommandsAlsoReportErrorsInJson) {
  const ProgramResult result = run({"convert", "missing.json", "out.json", "--json"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(json_of(result).find("errors")->if_array()->size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out.json"));
}

TEST_F(CommandLine, ConvertWritesAFileThatReadsBackTheSame) {
  EXPECT_THAT(run({"convert", "crates", "a.json"}).out, StartsWith("wrote a.json ("));
  EXPECT_EQ(run({"convert", "a.json", "b.json"}).status, 0);
  const std::string a = testing_support::read_file(folder_.path() / "a.json");
  EXPECT_EQ(a, testing_support::read_file(folder_.path() / "b.json"));
  EXPECT_EQ(a, run({"convert", "a.json", "-"}).out);
  EXPECT_EQ(run({"convert", "a.json", "a.json"}).status, 0);  // over itself
  EXPECT_EQ(a, testing_support::read_file(folder_.path() / "a.json"));
}

TEST_F(CommandLine, WhatCannotBeWrittenLosesNothing) {
  folder_.write("keep.json", "precious");
  const ProgramResult missing = run({"convert", "crates", "no/such/folder.json"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, HasSubstr("no/such/folder.json: cannot be written (No such file or directory)"));
  EXPECT_EQ(run({"convert", "crates", "/dev/full"}).status, 1);
  folder_.write("bad.json", "{\"rigor\": 2}");
  EXPECT_EQ(run({"convert", "bad.json", "keep.json"}).status, 2);
  EXPECT_EQ(testing_support::read_file(folder_.path() / "keep.json"), "precious");
}

TEST_F(CommandLine, FullStandardOutputIsNoticed) {
  const ProgramResult result = testing_support::run_program(
      {"/bin/sh", "-c", "exec '" RIGOR_PROGRAM "' schema > /dev/full"}, folder_.path());
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("No space left on device"));
}

TEST_F(CommandLine, DemoRunsItsSceneAndSaysWhereItWroteIt) {
  const ProgramResult result = run({"demo"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("Block into crates"));
  EXPECT_THAT(result.out, HasSubstr("2 s in 1000 steps"));
  EXPECT_THAT(result.out, HasSubstr("certificate\n"));
  EXPECT_THAT(result.out,
              HasSubstr((std::filesystem::canonical(folder_.path()) / "rigor-demo.json").string()));
  EXPECT_EQ(run({"run", "rigor-demo.json", "--set", "run.until=0.01"}).status, 0);
  // the last line is the page's path, unless the program was built without npm
  const std::string page = (std::filesystem::canonical(folder_.path()) / "rigor-demo.html").string();
  if (std::filesystem::exists(page))
    EXPECT_THAT(result.out, testing::EndsWith(page + "\n"));
  else
    EXPECT_THAT(result.out,
                testing::EndsWith("There is no page to look at: it needs npm when Rigor is built.\n"));
  const JsonValue value = json_of(run({"demo", "--json", "-o", "x.json"}));
  EXPECT_EQ(*value.find("time")->if_number(), 2.0);
  EXPECT_EQ(run({"check", "x.json"}).status, 0);
}

// Two turns of the crank: it is back, the rocker too, and every key of the design is there.
TEST_F(CommandLine, RunAnswersInJson) {
  const JsonValue value = json_of(run({"run", "four-bar", "--json"}));
  for (const char* key : {"time", "steps", "seconds", "bodies", "joints", "contacts", "energy", "certificate",
                          "motions", "constraints"})
    EXPECT_NE(value.find(key), nullptr) << key;
  const JsonValue& crank = value.find("joints")->if_array()->at(0);
  EXPECT_EQ(*crank.find("name")->if_string(), "crank");
  EXPECT_NEAR(*crank.find("q")->if_array()->at(0).if_number(), 4 * 3.14159265358979323846, 1e-9);
  const JsonValue& certificate = *value.find("certificate");
  EXPECT_LE(*certificate.find("worst_constraint_error")->if_number(), 1e-12);
  EXPECT_EQ(*certificate.find("redundant_equations")->if_number(), 3.0);
  EXPECT_EQ(*certificate.find("unsolved_steps")->if_number(), 0.0);
  const JsonValue& coupler = value.find("bodies")->if_array()->at(1);
  EXPECT_NEAR(*coupler.find("position")->if_array()->at(0).if_number(), 0.1, 1e-12);
}

TEST_F(CommandLine, RunWritesATable) {
  const ProgramResult result = run({"run", "four-bar", "--csv", "out.csv", "--every", "0.5"});
  EXPECT_THAT(result.out, HasSubstr("wrote out.csv (5 rows)"));
  const std::string table = testing_support::read_file(folder_.path() / "out.csv");
  EXPECT_THAT(table, StartsWith("time,crank.x,crank.y,crank.z,crank.qw"));
  EXPECT_THAT(
      table,
      HasSubstr(",drive.force,kinetic_energy,potential_energy,residual,penetration,sticking,sliding,open,"
                "friction_work\n"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 6);
  EXPECT_EQ(run({"run", "four-bar", "--every", "-1"}).status, 2);
}

// A step that cannot be taken: exit 1, the state before it, the reason with the constraint's name.
TEST_F(CommandLine, RunStopsBeforeAStepThatCannotBeTaken) {
  folder_.write("jam.json",
                R"json({"rigor": 1, "bodies": [{"name": "cart", "mass": 1, "joint": {"type": "prismatic"}}],
    "constraints": [{"name": "push", "type": "speed", "a": "cart", "axis_b": [1, 0, 0], "speed": "step(t - 0.01)"}],
    "run": {"dt": 0.004, "until": 1}})json");
  const ProgramResult result = run({"run", "jam.json"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("step 3, t = 0.008 s: the constraints contradict each other: 1 m/s left "
                                    "of constraint \"push\": speed"));
  EXPECT_THAT(result.out, HasSubstr("0.008 s in 2 steps"));
}

TEST_F(CommandLine, CheckNamesRedundantEquations) {
  EXPECT_THAT(
      run({"check", "four-bar"}).out,
      HasSubstr("2 free speeds, 5 equations of which 2 independent: 0 degrees of freedom\n"
                "  redundant     constraint \"pin\": position y, which joints and motions hold already\n"));
  const JsonValue value = json_of(run({"check", "four-bar", "--json"}));
  EXPECT_EQ(value.find("mechanism")->find("redundant")->if_array()->size(), 3U);
}

TEST_F(CommandLine, CheckRefusesWhatCannotBeAssembled) {
  folder_.write("short.json", R"({"rigor": 1, "bodies": [{"name": "bob", "mass": 1, "inertia": [1, 1, 1]}],
    "constraints": [{"name": "left", "type": "distance", "a": "bob", "distance": 0.4},
                    {"name": "right", "type": "distance", "a": "bob", "distance": 0.4, "point_b": [1, 0, 0]}]})");
  for (const char* command : {"check", "run"}) {
    const ProgramResult result = run({command, "short.json"});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasSubstr("The constraints cannot hold together at the initial positions"));
    EXPECT_THAT(result.err, HasSubstr("constraint \"left\""));
  }
}

TEST_F(CommandLine, ReproduceJudgesTheSeedsExamples) {
  for (const std::string name : {"simbody-bead", "anitescu-painleve", "peiret-box"}) {
    const ProgramResult result = run({"reproduce", name, "-o", "."});
    EXPECT_EQ(result.status, 0) << result.out;
    EXPECT_THAT(result.out, HasSubstr(name + ": pass"));
  }
  EXPECT_THAT(testing_support::read_file(folder_.path() / "peiret-box.svg"), HasSubstr("</svg>"));
  EXPECT_THAT(testing_support::read_file(folder_.path() / "peiret-box.csv"), HasSubstr("curve,x,y\n"));
  EXPECT_THAT(run({"reproduce", "--list"}).out, HasSubstr("anitescu-cannonball"));
  const JsonValue list = json_of(run({"reproduce", "anitescu-damper", "--json"}));
  ASSERT_EQ(list.if_array()->size(), 1U);
  EXPECT_EQ(*list.if_array()->at(0).find("pass")->if_bool(), true);
  EXPECT_EQ(run({"reproduce", "nothing"}).status, 2);
}

TEST_F(CommandLine, ListShowsWhatThereIs) {
  const ProgramResult all = run({"list"});
  EXPECT_THAT(all.out, HasSubstr("scenes:\n  anitescu-cannonball"));
  EXPECT_THAT(all.out, HasSubstr("  demo"));
  EXPECT_THAT(all.out, HasSubstr("methods:\n  semi-implicit"));
  EXPECT_THAT(all.out, HasSubstr("formulations:\n"));
  EXPECT_THAT(all.out, HasSubstr("solvers:\n"));
  const JsonValue value = json_of(run({"list", "--json"}));
  EXPECT_EQ(*value.find("scenes")->if_array()->at(0).find("name")->if_string(), "anitescu-cannonball");
  EXPECT_EQ(run({"list", "limits"}).out.find("scenes"), std::string::npos);
}

TEST_F(CommandLine, SchemaIsJson) {
  EXPECT_NE(json_of(run({"schema"})).find("definitions"), nullptr);
}

TEST_F(CommandLine, BashCompletesCommandsAndOptions) {
  const auto complete = [&](const std::string& line) {
    const std::string script = "source <('" RIGOR_PROGRAM "' completion bash); COMP_WORDS=(" + line +
                               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _rigor; echo \"${COMPREPLY[@]}\"";
    return testing_support::run_program({"/bin/bash", "-c", script}, folder_.path()).out;
  };
  EXPECT_EQ(complete("rigor ch"), "check\n");
  EXPECT_EQ(complete("rigor check --js"), "--json\n");
  EXPECT_EQ(complete("rigor list sol"), "solvers\n");
  folder_.write("pile.json", "{}");
  EXPECT_EQ(complete("rigor check pi"), "pile.json\n");
  EXPECT_EQ(run({"completion", "tcsh"}).status, 2);
}

TEST_F(CommandLine, ManualNamesEveryCommand) {
  const std::string manual = run({"man"}).out;
  EXPECT_THAT(manual, StartsWith(".TH RIGOR 1"));
  for (const char* command : {"demo", "run", "resume", "replay", "export", "reproduce", "check", "convert",
                              "schema", "list", "completion", "man"})
    EXPECT_THAT(manual, HasSubstr(std::string(".SS ") + command + "\n"));
}

// Ctrl-C while a large scene is read: status 1, a sentence, and the old file is still there.
TEST_F(CommandLine, InterruptKeepsWhatWasThere) {
  folder_.write("out.json", "precious");
  folder_.write("large.json", R"json({"rigor": 1, "repeat": [{"for": [["i", 200], ["j", 1000]],
    "bodies": [{"name": "b_{i}_{j}", "mass": 1, "pose": ["i*0.1 + sin(j)", "j*0.1", "cos(i)*sqrt(j)"]
}]
}]
})json");
  // wait until the program catches SIGINT (bit 1 of SigCgt); reading takes long after that
  const std::string script =
      "'" RIGOR_PROGRAM
      "' convert large.json out.json & "
      "until [ $((0x$(sed -n 's/SigCgt:[[:space:]]*//p' /proc/$!/status) & 2)) -ne 0 ]; do :; done; "
      "kill -INT $!; wait $!";
  const ProgramResult result =
      testing_support::run_program({"/bin/bash", "-m", "-c", script}, folder_.path());
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("rigor: interrupted; nothing was written.\n"));
  EXPECT_EQ(testing_support::read_file(folder_.path() / "out.json"), "precious");
}

}  // namespace
}  // namespace rigor
