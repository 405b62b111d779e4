#pragma once

#include <string>
#include <vector>

#include "rigor/io/json.hpp"
#include "rigor/io/scene_reader.hpp"

/// What the program can do: one function a command, one file a function. How they are called, options and
/// help, is command_line.cpp's business, the only file that knows the option parser.
namespace rigor {

/// Exit statuses of every command.
enum ExitStatus : int {
  kAnswered = 0,     // also when the answer is "no"
  kNotAnswered = 1,  // undecided, not written, interrupted
  kBadInput = 2      // bad usage or bad input
};

/// A scene as the user asks for it: a file or the name of an embedded scene, with changes.
struct SceneRequest {
  std::string scene;
  std::vector<std::string> set;
  bool json{false};

  /// Reads the scene with a progress line; Ctrl-C ends the reading with Cancelled.
  [[nodiscard]] Scene load() const;
};

/// A run as the user asks for it.
struct RunRequest {
  SceneRequest scene;
  std::string csv;    // file for the table; none where empty
  double every{0.0};  // s between its rows; 0: as many as are useful
};

/// A command as help, man page and completion show it.
struct OptionInfo {
  std::string names;  // "-o,--output", or "SCENE" for an argument
  std::string description;
  bool is_argument{false};
  bool is_required{false};
};
struct CommandInfo {
  std::string name;
  std::string description;
  std::string example;
  std::vector<OptionInfo> options;
};

// Each returns an exit status.
int run_check(const SceneRequest& request);
int run_convert(const SceneRequest& request, const std::string& output);
int run_demo(const RunRequest& request, const std::string& output);
int run_run(const RunRequest& request);
int run_reproduce(const std::string& name, bool json);
int run_list(const std::string& what, bool json);
int run_schema(bool markdown);
int run_completion(const std::string& shell, const std::vector<CommandInfo>& commands);
int run_manual(const std::vector<CommandInfo>& commands);

/// Steps the scene to its end and prints what came out; see run_run().
int simulate_and_report(const Scene& scene, const RunRequest& request);

/// What `rigor reproduce` knows, by name.
[[nodiscard]] std::vector<std::string> reproduction_names();

/// What `rigor list` can be asked for.
[[nodiscard]] std::vector<std::string> list_topics();

/// Diagnostics as the "errors" of --json.
[[nodiscard]] JsonValue errors_to_json(const std::vector<Diagnostic>& diagnostics);

/// Prints one JSON document on standard output.
void print_json(const JsonValue& value);

/// One line of the program's description, for help and man page.
inline constexpr const char* kProgramDescription =
    "Rigid multibody systems with contact, impact and Coulomb friction: exact steps, each with a "
    "certificate.";

}  // namespace rigor
