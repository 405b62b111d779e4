#include <fmt/format.h>

#include <filesystem>

#include "rigor/io/scene_writer.hpp"
#include "rigor/io/source_text.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/describe_scene.hpp"
#include "tools/rigor/page.hpp"
#include "tools/rigor/say.hpp"

namespace rigor {

int run_demo(const RunRequest& request, const std::string& output) {
  RunRequest demo = request;
  demo.analyse = request.scene.scene == "pinch";
  const bool has_page = !page_template().empty();
  if (has_page) demo.output = std::filesystem::path(output).replace_extension(".html").string();
  const Scene scene = demo.scene.load();
  write_text_file(output, write_scene(scene));
  if (!demo.scene.json) say("{}\n", describe_scene(scene));
  const int status = simulate_and_report(scene, demo);
  if (demo.scene.json) return status;
  say("\nThe scene was written to {}\nChange it and run it again:  rigor run {} -o run.html\n",
      std::filesystem::absolute(output).string(), output);
  if (has_page)
    say("Look at the run, in a browser:  {}\n", std::filesystem::absolute(demo.output).string());
  else
    say("There is no page to look at: it needs npm when Rigor is built.\n");
  return status;
}

}  // namespace rigor
