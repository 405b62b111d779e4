#include "rigor/io/scene_schema.hpp"

#include <fmt/format.h>

#include "tools/rigor/command_line.hpp"

namespace rigor {

void add_schema(CLI::App& app, int&) {
  CLI::App& command = add_command(app, "schema", "Print the JSON Schema of scene files, for editors",
                                  "rigor schema > rigor.schema.json");
  auto markdown = std::make_shared<bool>(false);
  command.add_flag("--markdown", *markdown, "Print the reference page of the format instead");
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "Print JSON, which the schema is anyway")->excludes("--markdown");
  command.callback([markdown, json] {
    if (*markdown)
      fmt::print("{}", make_scene_reference());
    else
      print_json(make_scene_schema());
  });
}

}  // namespace rigor
