#include "rigor/io/scene_schema.hpp"

#include <fmt/format.h>

#include "tools/rigor/commands.hpp"
#include "tools/rigor/say.hpp"

namespace rigor {

int run_schema(bool markdown) {
  if (markdown)
    say("{}", make_scene_reference());
  else
    print_json(make_scene_schema());
  return kAnswered;
}

}  // namespace rigor
