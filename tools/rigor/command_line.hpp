#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "rigor/io/json.hpp"
#include "rigor/io/scene_reader.hpp"

namespace rigor {

/// Exit statuses of every command.
enum ExitStatus : int {
  kAnswered = 0,     // also when the answer is "no"
  kNotAnswered = 1,  // undecided, not written, interrupted
  kBadInput = 2      // bad usage or bad input
};

/// Options that commands which take a scene share.
struct SceneArguments {
  std::string scene;
  std::vector<std::string> set;
  bool json{false};

  /// Adds SCENE, --set and --json to a command; the second, only what follows SCENE.
  void add_to(CLI::App& command);
  void add_changes_to(CLI::App& command);

  /// Reads the scene with a progress line; Ctrl-C ends the reading with Cancelled.
  [[nodiscard]] Scene load() const;
};

// Each command of `rigor` registers itself: options, help with an example, and what to do. The callback sets
// `status` where it is not 0. One file per command, of the same name.
void add_check(CLI::App& app, int& status);
void add_completion(CLI::App& app, int& status);
void add_convert(CLI::App& app, int& status);
void add_demo(CLI::App& app, int& status);
void add_list(CLI::App& app, int& status);
void add_manual(CLI::App& app, int& status);
void add_schema(CLI::App& app, int& status);

/// A command with its one-line description and its example, which --help and the man page show.
CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& does,
                      const std::string& example);

/// The commands in the order of --help.
[[nodiscard]] std::vector<CLI::App*> commands_of(CLI::App& app);

/// Diagnostics as the "errors" of --json.
[[nodiscard]] JsonValue errors_to_json(const std::vector<Diagnostic>& diagnostics);

/// Prints one JSON document on standard output.
void print_json(const JsonValue& value);

}  // namespace rigor
