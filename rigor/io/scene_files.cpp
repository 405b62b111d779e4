#include "rigor/io/scene_files.hpp"

#include <algorithm>

namespace rigor {
namespace fs = std::filesystem;

void SceneFiles::load(SourceId main, const fs::path& folder) {
  JsonValue root = parse_json(sources_, main, {options_.limits.max_depth, options_.limits.max_values});
  for (const std::string& assignment : options_.set) apply_set(assignment, root, sources_);
  if (!folder.empty()) {
    root_folder_ = fs::weakly_canonical(folder);
    way_.push_back(fs::weakly_canonical(sources_.name(main)));
  }
  add_file(std::move(root), "", nullptr, root_folder_);
}

void SceneFiles::fail(const JsonValue& at, std::string value, std::string rule, std::string remedy) const {
  Diagnostic diagnostic{
      .path = "include", .value = std::move(value), .rule = std::move(rule), .remedy = std::move(remedy)};
  sources_.locate(at.where, diagnostic);
  throw InvalidDocument({std::move(diagnostic)});
}

void SceneFiles::add_file(JsonValue root, std::string prefix, const JsonValue* parameters,
                          const fs::path& folder) {
  if (++count_ > options_.limits.max_files)
    fail(root, "", fmt::format("more than {} files in one scene", options_.limits.max_files));
  add_includes(root, prefix, folder);
  files_.push_back({std::move(root), std::move(prefix), parameters});
}

void SceneFiles::add_includes(const JsonValue& root, const std::string& prefix, const fs::path& folder) {
  const JsonValue* include = root.find("include");
  if (!include) return;
  const JsonValue::Array* entries = include->if_array();
  if (!entries)
    fail(*include, include->kind_name(), "must be a list of files", "Write \"include\": [\"parts.json\"].");
  for (const JsonValue& entry : *entries) add_include(entry, prefix, folder);
}

void SceneFiles::add_include(const JsonValue& entry, const std::string& prefix, const fs::path& folder) {
  // "file" or {"file": …, "prefix": …, "parameters": …}
  const JsonValue* file = entry.if_object() ? entry.find("file") : &entry;
  if (!file || !file->if_string())
    fail(entry, entry.kind_name(), "must be a file's name or an object with \"file\"");
  std::string own_prefix;
  for (const JsonMember& member : entry.if_object() ? *entry.if_object() : JsonValue::Object{}) {
    if (member.key == "prefix" && member.value.if_string())
      own_prefix = *member.value.if_string();
    else if (member.key == "prefix")
      fail(member.value, member.value.kind_name(), "prefix must be a string");
    else if (member.key == "parameters" && !member.value.if_object())
      fail(member.value, member.value.kind_name(), "parameters must be an object");
    else if (member.key != "file" && member.key != "parameters")
      fail(member.value, quote_for_message(member.key), "unknown key of an include",
           "Known: file, prefix, parameters.");
  }

  const std::string& name = *file->if_string();
  const std::string shown = quote_for_message(name);
  if (folder.empty()) fail(*file, shown, "a scene without a folder cannot include files");
  if (name.empty() || fs::path(name).is_absolute()) fail(*file, shown, "must be a relative path");
  std::error_code error;
  const fs::path path = fs::weakly_canonical(folder / name, error);
  if (error) fail(*file, shown, fmt::format("cannot be read ({})", error.message()), "Check the path.");
  const auto [end_of_root, in_path] =
      std::mismatch(root_folder_.begin(), root_folder_.end(), path.begin(), path.end());
  if (end_of_root != root_folder_.end())
    fail(*file, shown, "leaves the folder of the scene", "Included files lie below it, links resolved.");
  if (std::find(way_.begin(), way_.end(), path) != way_.end())
    fail(*file, shown, "includes itself, directly or through others", "Break the loop.");
  if (way_.size() > options_.limits.max_include_depth)
    fail(*file, shown, fmt::format("includes nested deeper than {}", options_.limits.max_include_depth));

  std::string text;
  try {
    text = read_text_file(path, options_.limits.max_file_bytes);
  } catch (const InvalidDocument& problem) {
    fail(*file, shown, problem.diagnostics().front().rule, problem.diagnostics().front().remedy);
  }
  const SourceId source = sources_.add(
      (fs::path(sources_.name(entry.where.source)).parent_path() / name).string(), std::move(text));
  way_.push_back(path);
  add_file(parse_json(sources_, source, {options_.limits.max_depth, options_.limits.max_values}),
           prefix + own_prefix, entry.find("parameters"), path.parent_path());
  way_.pop_back();
}

namespace {

// One step of a --set path: a key, or an index in brackets.
struct SetStep {
  std::string key;
  long index{-1};
};

class SetAssignment {
 public:
  SetAssignment(const std::string& assignment, Sources& sources) : sources_(sources) {
    const std::size_t equals = assignment.find('=');
    path_ = assignment.substr(0, equals);
    source_ =
        sources_.add("--set " + path_, equals == std::string::npos ? "" : assignment.substr(equals + 1));
    if (equals == std::string::npos || path_.empty())
      fail(quote_for_message(assignment), "must be path=value", "For example --set run.dt=0.01.");
    parse_path();
  }

  void apply(JsonValue& root) {
    JsonValue value = parse_value();
    JsonValue* at = &root;
    for (std::size_t i = 0; i < steps_.size(); ++i) at = &enter(*at, steps_[i]);
    *at = std::move(value);
  }

 private:
  [[noreturn]] void fail(std::string value, std::string rule, std::string remedy = "") const {
    throw InvalidDocument({{.file = "--set " + path_,
                            .value = std::move(value),
                            .rule = std::move(rule),
                            .remedy = std::move(remedy)}});
  }

  void parse_path() {
    std::size_t at = 0;
    while (at < path_.size()) {
      if (path_[at] == '[') {
        const std::size_t close = path_.find(']', at);
        const std::string digits = path_.substr(at + 1, close == std::string::npos ? close : close - at - 1);
        if (close == std::string::npos || digits.empty() || digits.size() > 9 ||
            digits.find_first_not_of("0123456789") != std::string::npos)
          fail("", "a bracket must hold an index, as in bodies[0].mass");
        steps_.push_back({"", std::stol(digits)});
        at = close + 1;
        if (at < path_.size() && path_[at] == '.') ++at;
      } else {
        const std::size_t end = std::min(path_.find_first_of(".[", at), path_.size());
        if (end == at) fail("", "an empty key in the path");
        steps_.push_back({path_.substr(at, end - at), -1});
        at = end + (end < path_.size() && path_[end] == '.' ? 1 : 0);
      }
    }
    if (steps_.size() > 100) fail("", "a path of more than 100 keys");
  }

  // JSON where it is JSON, else a bare word: --set run.solver=lemke
  JsonValue parse_value() const {
    const std::string& text = sources_.text(source_);
    const bool looks_like_json =
        !text.empty() && (text.find_first_of("{[\"") == 0 || text == "true" || text == "false" ||
                          text == "null" || text.find_first_of("-0123456789") == 0);
    JsonValue value;
    if (looks_like_json) {
      try {
        return parse_json(sources_, source_);
      } catch (const InvalidDocument&) {
        if (text.find_first_of("{[\"") == 0) throw;  // meant as JSON; "2*pi" is an expression
      }
    }
    value.data = text;
    value.where = {source_, 0, static_cast<std::uint32_t>(text.size())};
    return value;
  }

  JsonValue& enter(JsonValue& at, const SetStep& step) {
    if (auto* items = std::get_if<JsonValue::Array>(&at.data)) return enter_list(*items, step);
    if (auto* members = std::get_if<JsonValue::Object>(&at.data); members && step.index < 0) {
      if (JsonValue* found = at.find(step.key)) return *found;
      // a new key: an object, until the value replaces it; the reader says whether the key is known
      const TextSpan where{source_, 0, 0};
      JsonValue fresh{JsonValue::Object{}};
      fresh.where = where;
      members->push_back({step.key, std::move(fresh), where});
      return members->back().value;
    }
    fail(step.index < 0 ? quote_for_message(step.key) : std::to_string(step.index),
         "the document holds " + at.kind_name() + " before this step, which has no such part");
  }

  JsonValue& enter_list(JsonValue::Array& items, const SetStep& step) {
    if (step.index >= 0) {
      if (static_cast<std::size_t>(step.index) < items.size())
        return items[static_cast<std::size_t>(step.index)];
      fail(std::to_string(step.index), fmt::format("the list has {} elements, counted from 0", items.size()));
    }
    std::vector<std::string> known;
    for (JsonValue& item : items) {
      const JsonValue* name = item.find("name");
      if (!name || !name->if_string()) continue;
      if (*name->if_string() == step.key) return item;
      known.push_back(*name->if_string());
    }
    const std::string similar = find_similar(step.key, known);
    fail(quote_for_message(step.key), "no element of the list has this name",
         similar.empty() ? "Use an index, as in bodies[0].mass."
                         : fmt::format("Did you mean \"{}\"?", similar));
  }

  Sources& sources_;
  SourceId source_{0};
  std::string path_;
  std::vector<SetStep> steps_;
};

}  // namespace

void apply_set(const std::string& assignment, JsonValue& root, Sources& sources) {
  SetAssignment(assignment, sources).apply(root);
}

}  // namespace rigor
