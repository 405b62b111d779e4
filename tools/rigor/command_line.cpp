#include "tools/rigor/command_line.hpp"

#include "tools/rigor/embedded_scenes.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {

void SceneArguments::add_to(CLI::App& command) {
  command.add_option("SCENE", scene, "Scene file, or the name of a scene of 'rigor list scenes'")->required();
  add_changes_to(command);
}

void SceneArguments::add_changes_to(CLI::App& command) {
  command.add_option("--set", set, "Change the scene before it is read: path=value (repeatable)")
      ->type_name("PATH=VALUE")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  command.add_flag("--json", json, "Print one JSON document");
}

Scene SceneArguments::load() const {
  ProgressLine progress("reading");
  SceneReadOptions options;
  options.set = set;
  options.on_progress = [&](std::size_t elements) {
    progress.show(elements);
    return !was_interrupted();
  };
  return load_scene(scene, options);
}

CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& does,
                      const std::string& example) {
  CLI::App& command = *app.add_subcommand(name, does);
  command.footer("Example:\n  " + example);
  return command;
}

std::vector<CLI::App*> commands_of(CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

JsonValue errors_to_json(const std::vector<Diagnostic>& diagnostics) {
  JsonValue::Array errors;
  for (const Diagnostic& diagnostic : diagnostics) {
    JsonValue error{JsonValue::Object{}};
    error.add("file", diagnostic.file);
    error.add("line", diagnostic.line);
    error.add("column", diagnostic.column);
    error.add("path", diagnostic.path);
    error.add("value", diagnostic.value);
    error.add("rule", diagnostic.rule);
    error.add("remedy", diagnostic.remedy);
    error.add("message", diagnostic.text());
    errors.push_back(std::move(error));
  }
  return errors;
}

void print_json(const JsonValue& value) {
  fmt::print("{}\n", write_json(value));
}

}  // namespace rigor
