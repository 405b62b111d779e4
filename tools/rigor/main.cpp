#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "tools/rigor/command_line.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

void add_commands(CLI::App& app, int& status) {
  add_demo(app, status);
  add_check(app, status);
  add_convert(app, status);
  add_schema(app, status);
  add_list(app, status);
  add_completion(app, status);
  add_manual(app, status);
}

bool wants_json(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

// The message of a wrong call, in one sentence, with the command that was perhaps meant.
int report_usage(CLI::App& app, const CLI::Error& error, int argc, char** argv) {
  std::string message = error.what();
  std::string help = "rigor --help";
  if (const auto chosen = app.get_subcommands(); !chosen.empty()) {
    help = "rigor " + chosen.front()->get_name() + " --help";
  } else if (argc > 1 && argv[1][0] != '-') {
    std::vector<std::string> names;
    for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
    const std::string similar = find_similar(argv[1], names);
    message = fmt::format("'{}' is not a command.{}", argv[1],
                          similar.empty() ? "" : fmt::format(" Did you mean '{}'?", similar));
  }
  fmt::print(stderr, "rigor: {}{} See {}.\n", message,
             message.ends_with('.') || message.ends_with('?') ? "" : ".", help);
  return kBadInput;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Rigid multibody systems with contact, impact and Coulomb friction: exact steps, each with a "
      "certificate.",
      "rigor");
  app.footer("'rigor COMMAND --help' shows a command's options and an example.");
  app.set_version_flag("--version", "rigor " RIGOR_VERSION);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  int status = kAnswered;
  add_commands(app, status);

  if (argc == 1) {
    fmt::print(stderr, "{}", app.help());
    return kBadInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::Error& error) {
    return report_usage(app, error, argc, argv);
  }
  return status;
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  using namespace rigor;
  catch_interrupts();
  int status = kNotAnswered;
  try {
    status = run(argc, argv);
  } catch (const InvalidDocument& error) {
    if (wants_json(argc, argv)) {
      JsonValue value{JsonValue::Object{}};
      value.add("errors", errors_to_json(error.diagnostics()));
      print_json(value);
    }
    fmt::print(stderr, "{}\n", error.what());
    status = kBadInput;
  } catch (const InvalidInput& error) {
    fmt::print(stderr, "rigor: {}\n", error.what());
    status = kBadInput;
  } catch (const Cancelled&) {
    fmt::print(stderr, "rigor: interrupted while reading; nothing was written.\n");
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "rigor: out of memory; nothing was written.\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "rigor: {}\n", error.what());
  }
  // a full disk or a closed pipe shows only here
  if (std::fflush(stdout) != 0) {
    fmt::print(stderr, "rigor: standard output cannot be written.\n");
    status = kNotAnswered;
  }
  return status;
}
