#include "rigor/io/scene_origins.hpp"

#include "rigor/model/scene_fields.hpp"

namespace rigor {
namespace {

struct DefaultKinds {
  std::map<std::string_view, std::string_view> of{{"joint", kind_name(Kind<Joint>{})}};

  DefaultKinds() { describe_lists(*this); }
  template <class T>
  void operator()(const char* list, std::vector<T> Scene::*, const FieldInfo&) {
    of[list] = kind_name(Kind<T>{});
  }
};

const JsonValue* find_item(const JsonValue& node, int index) {
  const JsonValue::Array* items = node.if_array();
  const auto at = static_cast<std::size_t>(index);
  return items && at < items->size() ? &(*items)[at] : nullptr;
}

}  // namespace

std::string_view SceneOrigins::default_kind(std::string_view key) {
  static const DefaultKinds kKinds;
  const auto it = kKinds.of.find(key);
  return it == kKinds.of.end() ? std::string_view{} : it->second;
}

void SceneOrigins::report(const SceneIssue& issue, const SceneFile& main, SceneValues& values) const {
  const SceneFile* file = &main;
  const JsonValue* node = &main.root;
  ScenePath shown;
  std::string_view kind;
  std::size_t at = 0;
  if (const auto list = lists_.find(issue.path[0].key); list != lists_.end() && issue.path.size() > 1) {
    const Origin& origin = list->second[static_cast<std::size_t>(issue.path[1].index)];
    file = origin.file;
    node = origin.node;
    if (origin.repeat >= 0) shown = {{.key = "repeat"}, {.index = origin.repeat}};
    shown.push_back(issue.path[0]);
    shown.push_back({.index = origin.index, .name = issue.path[1].name});
    kind = default_kind(issue.path[0].key);
    at = 2;
  }

  // follow the path as far as the text goes; what a default gave stands under "defaults"
  for (; at < issue.path.size() && !values.is_broken(*node); ++at) {
    const PathStep& step = issue.path[at];
    const JsonValue* next = step.index >= 0 ? find_item(*node, step.index) : node->find(step.key);
    if (step.index < 0) {
      const JsonValue* defaults = file->root.find("defaults");
      const JsonValue* standard = defaults && !kind.empty() ? defaults->find(kind) : nullptr;
      if (!next && standard && standard->find(step.key)) {
        next = standard->find(step.key);
        shown = {{.key = "defaults"}, {.key = kind}};
      }
      kind = default_kind(step.key);
    }
    if (!next) break;
    shown.push_back(step);
    node = next;
  }
  if (values.is_broken(*node) || values.has_error_in(node->where)) return;
  shown.insert(shown.end(), issue.path.begin() + static_cast<std::ptrdiff_t>(at), issue.path.end());
  values.report(node->where, to_text(shown), issue.value, issue.rule, issue.remedy);
}

}  // namespace rigor
