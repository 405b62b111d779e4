#include <fmt/format.h>

#include "rigor/io/scene_writer.hpp"
#include "rigor/io/source_text.hpp"
#include "tools/rigor/command_line.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

int convert(const SceneArguments& arguments, const std::string& output) {
  const std::string text = write_scene(arguments.load());
  if (was_interrupted()) throw Cancelled();
  if (output == "-") {
    fmt::print("{}", text);
    return kAnswered;
  }
  write_text_file(output, text);
  if (arguments.json) {
    JsonValue value{JsonValue::Object{}};
    value.add("output", output);
    value.add("bytes", static_cast<double>(text.size()));
    print_json(value);
  } else {
    fmt::print("wrote {} ({} bytes)\n", output, text.size());
  }
  return kAnswered;
}

}  // namespace

void add_convert(CLI::App& app, int& status) {
  CLI::App& command =
      add_command(app, "convert", "Write a scene with includes, repeats, defaults and expressions resolved",
                  "rigor convert pile.json flat.json --set parameters.rows=3");
  auto arguments = std::make_shared<SceneArguments>();
  auto output = std::make_shared<std::string>();
  arguments->add_to(command);
  command.add_option("OUTPUT", *output, "File to write, - for standard output")->required();
  command.callback([arguments, output, &status] { status = convert(*arguments, *output); });
}

}  // namespace rigor
