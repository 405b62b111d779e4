#include "rigor/contact/lcp_choice.hpp"

#include <algorithm>

#include "rigor/base/require.hpp"
#include "rigor/model/scene_words.hpp"

namespace rigor {

LcpChoice::LcpChoice(const RunSettings& settings) : is_auto_(settings.solver == Solver::kAuto) {
  const auto solver = static_cast<std::size_t>(settings.solver);
  require(settings.solver < Solver::kNsgs,
          "run.solver = \"{}\" is for cone problems, run.formulation asks for an LCP. Use auto.",
          names_of(Kind<Solver>{})[solver]);
  name_ = method_name(names_of(Kind<Solver>{})[solver]);
  method_ = make_method(name_);
  if (auto* block = std::get_if<BlockPivotOptions>(&method_))
    block->fall_back = false;  // falling back is done, and counted, here
}

std::string_view LcpChoice::method_name(std::string_view solver) {
  const std::vector<std::string_view>& names = method_names();
  const auto found = std::find(names.begin(), names.end(), solver);
  return found != names.end() ? *found : std::string_view("auto");
}

}  // namespace rigor
