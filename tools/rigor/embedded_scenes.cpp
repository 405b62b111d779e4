#include "tools/rigor/embedded_scenes.hpp"

#include <algorithm>
#include <filesystem>

#include "rigor/base/require.hpp"
#include "rigor/io/json.hpp"

namespace rigor {

namespace {

// A file of this name comes first.
const EmbeddedText* find_text(const std::vector<EmbeddedText>& texts, const std::string& name) {
  const auto it =
      std::find_if(texts.begin(), texts.end(), [&](const EmbeddedText& one) { return one.name == name; });
  return it == texts.end() || std::filesystem::exists(name) ? nullptr : &*it;
}

}  // namespace

Scene load_scene(const std::string& file_or_name, const SceneReadOptions& options) {
  const EmbeddedText* scene = find_text(embedded_scenes(), file_or_name);
  if (!scene) return read_scene(file_or_name, options);
  return parse_scene(std::string(scene->text), fmt::format("(scene {})", scene->name), options);
}

Problem load_problem(const std::string& file_or_name) {
  const EmbeddedText* problem = find_text(embedded_problems(), file_or_name);
  if (!problem) return read_problem(file_or_name);
  require(
      !is_acceleration_text(*problem),
      "{}: a problem of accelerations, which 'rigor analyse {}' answers; 'rigor solve' takes complementarity "
      "problems.",
      file_or_name, file_or_name);
  return parse_problem(std::string(problem->text), fmt::format("(problem {})", problem->name));
}

const EmbeddedText* find_acceleration_text(const std::string& name) {
  const EmbeddedText* problem = find_text(embedded_problems(), name);
  return problem && is_acceleration_text(*problem) ? problem : nullptr;
}

bool is_acceleration_text(const EmbeddedText& problem) {
  return problem.text.find("\"kind\": \"acceleration\"") != std::string_view::npos;
}

std::string describe_acceleration_text(const EmbeddedText& problem) {
  Sources sources;
  const JsonValue root =
      parse_json(sources, sources.add(std::string(problem.name), std::string(problem.text)), kProblemLimits);
  const JsonValue* comment = root.find("comment");
  return comment && comment->if_string() ? *comment->if_string() : "for 'rigor analyse'";
}

}  // namespace rigor
