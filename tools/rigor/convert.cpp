#include <fmt/format.h>

#include "rigor/io/scene_writer.hpp"
#include "rigor/io/source_text.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/say.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
int run_convert(const SceneRequest& request, const std::string& output) {
  const std::string text = write_scene(request.load());
  if (was_interrupted()) throw Cancelled();
  if (output == "-") {
    say("{}", text);
    return kAnswered;
  }
  write_text_file(output, text);
  if (request.json) {
    JsonValue value{JsonValue::Object{}};
    value.add("output", output);
    value.add("bytes", static_cast<double>(text.size()));
    print_json(value);
  } else {
    say("wrote {} ({} bytes)\n", output, text.size());
  }
  return kAnswered;
}

}  // namespace rigor
