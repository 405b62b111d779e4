#include "rigor/io/scene_reader.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "rigor/io/scene_files.hpp"
#include "rigor/io/scene_values.hpp"
#include "rigor/model/check_scene.hpp"
#include "rigor/model/scene_fields.hpp"

namespace rigor {
namespace {

// Which object under "defaults" holds for the elements of a list, or for the field "joint".
struct DefaultKinds {
  std::map<std::string_view, std::string_view> of{{"joint", kind_name(Kind<Joint>{})}};

  DefaultKinds() { describe_lists(*this); }
  template <class T>
  void operator()(const char* list, std::vector<T> Scene::*, const FieldInfo&) {
    of[list] = kind_name(Kind<T>{});
  }
};

std::string_view default_kind(std::string_view key) {
  static const DefaultKinds kKinds;
  const auto it = kKinds.of.find(key);
  return it == kKinds.of.end() ? std::string_view{} : it->second;
}

// Where an element of a list of the scene was read.
struct Origin {
  const SceneFile* file;
  const JsonValue* node;
  int repeat;  // index under "repeat", or -1
  int index;   // in its list
};

class SceneReader {
 public:
  SceneReader(const SceneReadOptions& options, Sources& sources)
      : options_(options), values_(sources), files_(options, sources) {}

  Scene read(SourceId main, const std::filesystem::path& folder) {
    files_.load(main, folder);
    for (const SceneFile& file : files_.files()) read_file(file);
    add_issues();
    if (values_.has_errors()) throw InvalidDocument(values_.take_errors());
    return std::move(scene_);
  }

 private:
  // --- one object: the visitor of describe() -----------------------------------------------------------

  template <class T>
  struct Fields {
    SceneReader& reader;
    const JsonValue& node;
    const JsonValue* defaults;  // may be nullptr
    T& object;
    std::vector<std::string> known{};
    std::vector<std::string> elsewhere{};  // keys of other alternatives of a variant, with their type

    void shorthand(const char*) {}

    template <class M>
    void operator()(const char* key, M T::*member, const FieldInfo& info) {
      known.emplace_back(key);
      if (const JsonValue* value = find(key)) {
        const SceneValues::Step step(reader.values_, key);
        reader.read(*value, object.*member, info);
      } else if (info.required) {
        reader.values_.report_here(node, "", fmt::format("the key \"{}\" is missing", key),
                                   fmt::format("{}{}{}", info.doc, *info.unit ? " Unit: " : "", info.unit));
      }
    }

    template <class Variant>
    void tagged(const char* key, Variant T::*member, const FieldInfo&) {
      known.emplace_back(key);
      const auto names = names_of(Kind<Variant>{});
      const JsonValue* tag = find(key);
      if (!tag) {
        reader.values_.report_here(node, "", fmt::format("the key \"{}\" is missing", key),
                                   fmt::format("One of {}.", fmt::join(names, ", ")));
        known.clear();  // without the type nothing can be said of the other keys
        return;
      }
      const SceneValues::Step step(reader.values_, key);
      const auto chosen = reader.values_.convert_word(*tag, names);
      if (!chosen) {
        known.clear();
        return;
      }
      read_alternative(object.*member, *chosen, std::make_index_sequence<std::variant_size_v<Variant>>{});
    }

    // Makes the chosen alternative and reads its fields from this same object.
    template <class Variant, std::size_t... I>
    void read_alternative(Variant& variant, std::size_t chosen, std::index_sequence<I...>) {
      const auto use = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
        using Alternative = std::variant_alternative_t<K, Variant>;
        Alternative alternative{};
        Fields<Alternative> fields{reader, node, defaults, alternative};
        if (K == chosen) {
          // the path names the object again, not its "type"
          reader.values_.without_last_step([&] { describe(fields, Kind<Alternative>{}); });
          known.insert(known.end(), fields.known.begin(), fields.known.end());
          variant = std::move(alternative);
        } else {
          KeyList keys;
          describe(keys, Kind<Alternative>{});
          for (const std::string& key : keys.keys)
            elsewhere.push_back(fmt::format("{} {}", key, names_of(Kind<Variant>{})[K]));
        }
      };
      (use(std::integral_constant<std::size_t, I>{}), ...);
    }

    const JsonValue* find(const char* key) const {
      if (const JsonValue* value = node.find(key)) return value;
      return defaults ? defaults->find(key) : nullptr;
    }
  };

  // Collects keys without reading: of a variant, those of all alternatives.
  struct KeyList {
    std::vector<std::string> keys{};

    void shorthand(const char*) {}
    template <class T, class M>
    void operator()(const char* key, M T::*, const FieldInfo&) {
      keys.emplace_back(key);
    }
    template <class T, class Variant>
    void tagged(const char* key, Variant T::*, const FieldInfo&) {
      keys.emplace_back(key);
      add_alternatives(Kind<Variant>{});
    }
    template <class... Alternatives>
    void add_alternatives(Kind<std::variant<Alternatives...>>) {
      (describe(*this, Kind<Alternatives>{}), ...);
    }
  };

  struct ShorthandFinder {
    const char* key{nullptr};
    void shorthand(const char* name) { key = name; }
    template <class T, class M>
    void operator()(const char*, M T::*, const FieldInfo&) {}
    template <class T, class M>
    void tagged(const char*, M T::*, const FieldInfo&) {}
  };

  template <Described T>
  void read_object(const JsonValue& node, T& object) {
    ShorthandFinder shorthand;
    describe(shorthand, Kind<T>{});
    if (shorthand.key && node.if_string()) {
      // "joint": "fixed" is {"type": "fixed"}
      JsonValue whole{JsonValue::Object{}};
      whole.where = node.where;
      whole.add(shorthand.key, node);
      return read_object(whole, object);
    }
    if (!node.if_object())
      return values_.report_kind(node, shorthand.key ? "an object or a word" : "an object");
    Fields<T> fields{*this, node, find_defaults(kind_name(Kind<T>{})), object};
    describe(fields, Kind<T>{});
    if (!fields.known.empty()) check_keys(node, fields.known, fields.elsewhere);
  }

  void check_keys(const JsonValue& node, const std::vector<std::string>& known,
                  const std::vector<std::string>& elsewhere = {}) {
    for (const JsonMember& member : *node.if_object()) {
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      const SceneValues::Step step(values_, member.key);
      std::string remedy;
      const auto other = std::find_if(elsewhere.begin(), elsewhere.end(), [&](const std::string& entry) {
        return entry.compare(0, entry.find(' '), member.key) == 0;
      });
      if (const std::string similar = find_similar(member.key, known); !similar.empty())
        remedy = fmt::format("Did you mean \"{}\"?", similar);
      else if (other != elsewhere.end())
        remedy = fmt::format("It belongs to type \"{}\".", other->substr(other->find(' ') + 1));
      else if (known.size() <= 20)
        remedy = fmt::format("Known: {}.", fmt::join(known, ", "));
      values_.report(member.key_where, values_.path_text(), "", "unknown key", remedy);
    }
  }

  const JsonValue* find_defaults(std::string_view kind) const {
    return defaults_ ? defaults_->find(kind) : nullptr;
  }

  // --- values by type ----------------------------------------------------------------------------------

  template <class T>
  void read(const JsonValue& value, T& out, const FieldInfo& info) {
    if constexpr (Described<T>) {
      read_object(value, out);
    } else if constexpr (std::is_enum_v<T>) {
      if (const auto index = values_.convert_word(value, names_of(Kind<T>{}))) out = static_cast<T>(*index);
    } else {
      values_.convert(value, out, info);
    }
  }

  template <class T>
  void read(const JsonValue& value, std::optional<T>& out, const FieldInfo& info) {
    out.emplace();
    read(value, *out, info);
  }

  template <class T>
  requires(!std::is_same_v<T, std::array<double, 2>>) void read(const JsonValue& value, std::vector<T>& out,
                                                                const FieldInfo& info) {
    const JsonValue::Array* items = value.if_array();
    if (!items) return values_.report_kind(value, "a list");
    out.reserve(items->size());
    for (std::size_t i = 0; i < items->size(); ++i) {
      const SceneValues::Step step(values_, i, &(*items)[i]);
      read((*items)[i], out.emplace_back(), info);
    }
  }

  template <std::size_t N>
  void read(const JsonValue& value, std::array<TimeFunction, N>& out, const FieldInfo& info) {
    const JsonValue::Array* items = value.if_array();
    if (!items || items->size() != N)
      return values_.report_here(value, value.kind_name(),
                                 fmt::format("must be a list of {} numbers or functions of time", N));
    for (std::size_t i = 0; i < N; ++i) {
      const SceneValues::Step step(values_, i, nullptr);
      read((*items)[i], out[i], info);
    }
  }

  void read(const JsonValue& value, TimeFunction& out, const FieldInfo& info) {
    const JsonValue::Object* members = value.if_object();
    if (value.if_string()) {
      values_.convert_expression(value, out);
    } else if (const double* number = value.if_number()) {
      out = *number;
    } else if (members && members->size() == 1 && (*members)[0].key == "sine") {
      read_function(members->front(), out, SineFunction{}, info);
    } else if (members && members->size() == 1 && (*members)[0].key == "table") {
      read_function(members->front(), out, TableFunction{}, info);
    } else {
      values_.report_here(value, value.kind_name(),
                          "must be a number, an expression in t, {\"sine\": {…}} or {\"table\": {…}}");
    }
  }

  template <class Function>
  void read_function(const JsonMember& member, TimeFunction& out, Function function, const FieldInfo&) {
    const SceneValues::Step step(values_, member.key);
    read_object(member.value, function);
    out = std::move(function);
  }

  // --- files -------------------------------------------------------------------------------------------

  void read_file(const SceneFile& file) {
    file_ = &file;
    values_.clear_variables();
    values_.prefix = file.prefix;
    const JsonValue& root = file.root;
    if (!root.if_object())
      return values_.report_here(root, root.kind_name(), "a scene is an object",
                                 "Write { \"rigor\": 1, … }.");
    check_version(root);
    read_parameters(file);
    read_defaults(root);

    const bool is_main = &file == &files_.main();
    // settings of included files do not count, only their lists; still they are read, for their errors
    Scene ignored;
    SceneFields fields(*this, root, is_main ? scene_ : ignored);
    describe(fields, Kind<Scene>{});
    fields.known.insert(fields.known.end(),
                        {"rigor", "parameters", "defaults", "include", "repeat", "$schema"});
    check_keys(root, fields.known);
    if (!is_main) check_plane(root, ignored);
    read_repeats(root);
    repeat_ = -1;
  }

  // An included file may be planar only where the scene is, in the same plane.
  void check_plane(const JsonValue& root, const Scene& included) {
    const JsonValue* plane = files_.main().root.find("planar");
    const auto names = names_of(Kind<Plane>{});
    if (!included.planar || (plane && plane->if_string() &&
                             *plane->if_string() == names[static_cast<std::size_t>(*included.planar)]))
      return;
    values_.report(root.find("planar")->where, "planar", "",
                   "an included file moves in a plane, the scene does not move in the same",
                   "Give the scene the same \"planar\", or put these bodies into a planar group.");
  }

  void check_version(const JsonValue& root) {
    const JsonValue* version = root.find("rigor");
    if (!version)
      return values_.report_here(root, "", "the key \"rigor\" is missing",
                                 "Add \"rigor\": 1, the version of the format.");
    const SceneValues::Step step(values_, "rigor");
    if (!version->if_number())
      values_.report_kind(*version, "the number 1");
    else if (*version->if_number() != 1.0)
      values_.report_here(*version, fmt::format("{}", *version->if_number()),
                          "this program reads version 1 of the format");
  }

  void read_parameters(const SceneFile& file) {
    const SceneValues::Step step(values_, "parameters");
    const JsonValue* parameters = file.root.find("parameters");
    if (parameters && !parameters->if_object())
      return values_.report_kind(*parameters, "an object of names and numbers");
    std::vector<std::string> known;
    for (const JsonMember& member : parameters ? *parameters->if_object() : JsonValue::Object{}) {
      const SceneValues::Step here(values_, member.key);
      known.push_back(member.key);
      if (!check_variable_name(member.key, member.key_where)) continue;
      const JsonValue* given = file.set_parameters ? file.set_parameters->find(member.key) : nullptr;
      double value = 0.0;
      if (values_.convert(given ? *given : member.value, value, {.doc = ""}))
        values_.set_variable(member.key, value);
      else
        values_.set_variable(member.key, 0.0);  // reported; whoever uses it is not to blame
    }
    if (file.set_parameters) check_keys(*file.set_parameters, known);
  }

  bool check_variable_name(const std::string& name, const TextSpan& where) {
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const bool word =
        !name.empty() && name.size() <= 64 && is_letter(name[0]) &&
        std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
    if (!word) {
      values_.report(where, values_.path_text(), quote_for_message(name, 70),
                     "must be a name of at most 64 letters, digits and underscores");
    } else if (name == "t" || name == "pi" || name == "e" || values_.find_variable(name)) {
      values_.report(where, values_.path_text(), quote_for_message(name), "this name is taken",
                     "Take another name.");
    } else {
      return true;
    }
    return false;
  }

  void read_defaults(const JsonValue& root) {
    defaults_ = root.find("defaults");
    if (!defaults_) return;
    const SceneValues::Step step(values_, "defaults");
    if (!defaults_->if_object()) {
      values_.report_kind(*defaults_, "an object");
      defaults_ = nullptr;
      return;
    }
    KeyChecker checker{*this, *defaults_};
    describe_lists(checker);
    checker.check(Kind<Joint>{});
    check_keys(*defaults_, checker.kinds);
  }

  // Checks the keys of each object under "defaults"; values are read where they are used.
  struct KeyChecker {
    SceneReader& reader;
    const JsonValue& defaults;
    std::vector<std::string> kinds{};

    template <class T>
    void operator()(const char*, std::vector<T> Scene::*, const FieldInfo&) {
      check(Kind<T>{});
    }

    template <class T>
    void check(Kind<T> type) {
      const char* kind = kind_name(type);
      kinds.emplace_back(kind);
      const JsonValue* node = defaults.find(kind);
      if (!node) return;
      const SceneValues::Step step(reader.values_, kind);
      if (!node->if_object()) return reader.values_.report_kind(*node, "an object");
      KeyList keys;
      describe(keys, Kind<T>{});
      reader.check_keys(*node, keys.keys);
    }
  };

  // --- lists of the scene ------------------------------------------------------------------------------

  // Appends the elements of each list to the scene's and remembers where they came from.
  struct ListReader {
    SceneReader& reader;
    const JsonValue& node;
    std::vector<std::string> known{};

    template <class T>
    void operator()(const char* key, std::vector<T> Scene::*member, const FieldInfo&) {
      known.emplace_back(key);
      const JsonValue* value = node.find(key);
      if (!value) return;
      const SceneValues::Step step(reader.values_, key);
      reader.append(*value, reader.scene_.*member, key);
    }
  };

  // The same beside the other fields of a whole scene.
  struct SceneFields : Fields<Scene> {
    SceneFields(SceneReader& owner, const JsonValue& root, Scene& scene)
        : Fields<Scene>{owner, root, nullptr, scene} {}

    using Fields<Scene>::operator();
    template <class T>
    void operator()(const char* key, std::vector<T> Scene::*member, const FieldInfo& info) {
      ListReader lists{reader, node};
      lists(key, member, info);
      known.emplace_back(key);
    }
  };

  template <class T>
  void append(const JsonValue& value, std::vector<T>& list, const char* key) {
    const JsonValue::Array* items = value.if_array();
    if (!items) return values_.report_kind(value, "a list");
    std::vector<Origin>& origins = origins_[key];
    for (std::size_t i = 0; i < items->size(); ++i) {
      if (list.size() >= options_.limits.max_elements)
        return values_.report_here(
            value, "", fmt::format("more than {} {} in one scene", options_.limits.max_elements, key));
      const SceneValues::Step step(values_, i, &(*items)[i]);
      origins.push_back({file_, &(*items)[i], repeat_, static_cast<int>(i)});
      read_object((*items)[i], list.emplace_back());
      tick();
    }
  }

  // --- repeat ------------------------------------------------------------------------------------------

  struct Loop {
    std::string index;
    const JsonValue* count;
  };

  void read_repeats(const JsonValue& root) {
    const JsonValue* repeats = root.find("repeat");
    if (!repeats) return;
    const SceneValues::Step step(values_, "repeat");
    if (!repeats->if_array()) return values_.report_kind(*repeats, "a list");
    for (std::size_t i = 0; i < repeats->if_array()->size(); ++i) {
      const JsonValue& node = (*repeats->if_array())[i];
      const SceneValues::Step here(values_, i, nullptr);
      repeat_ = static_cast<int>(i);
      if (node.if_object())
        read_repeat(node);
      else
        values_.report_kind(node, "an object with \"for\" and lists");
    }
  }

  void read_repeat(const JsonValue& node) {
    std::vector<Loop> loops;
    if (!read_loops(node, loops)) return;

    // count first, so that nothing is made of a repeat that is too large
    std::size_t count = 0;
    const bool counted = run_loops(loops, 0, [&] { return ++count <= options_.limits.max_elements; });
    if (count > options_.limits.max_elements)
      return values_.report_here(node, "",
                                 fmt::format("repeats more than {} times", options_.limits.max_elements));
    if (!counted) return;

    ListReader lists{*this, node};
    bool first = true;
    run_loops(loops, 0, [&] {
      lists.known.clear();
      describe_lists(lists);
      if (first) {
        lists.known.emplace_back("for");
        check_keys(node, lists.known);
        first = false;
      }
      return true;
    });
  }

  bool read_loops(const JsonValue& node, std::vector<Loop>& loops) {
    const JsonValue* entries = node.find("for");
    if (!entries) {
      values_.report_here(node, "", "the key \"for\" is missing", "Write \"for\": [[\"i\", 10]].");
      return false;
    }
    const SceneValues::Step step(values_, "for");
    if (!entries->if_array() || entries->if_array()->empty() || entries->if_array()->size() > 8) {
      values_.report_here(*entries, entries->kind_name(),
                          "must be a list of 1 to 8 pairs [\"index\", count]");
      return false;
    }
    for (const JsonValue& entry : *entries->if_array()) {
      const JsonValue::Array* pair = entry.if_array();
      if (!pair || pair->size() != 2 || !(*pair)[0].if_string()) {
        values_.report_here(entry, entry.kind_name(), "must be a pair [\"index\", count]");
        return false;
      }
      const std::string& index = *(*pair)[0].if_string();
      if (!check_variable_name(index, (*pair)[0].where)) return false;
      if (std::any_of(loops.begin(), loops.end(), [&](const Loop& loop) { return loop.index == index; })) {
        values_.report_here((*pair)[0], quote_for_message(index), "this index is given twice");
        return false;
      }
      loops.push_back({index, &(*pair)[1]});
    }
    return true;
  }

  // Calls body() for every combination of indices, the last one fastest; stops where it says false.
  bool run_loops(const std::vector<Loop>& loops, std::size_t level, const std::function<bool()>& body) {
    if (level == loops.size()) return body();
    double count = 0.0;
    {
      const SceneValues::Step step(values_, "for");
      if (!values_.convert(*loops[level].count, count, {.doc = ""})) return false;
      if (count != std::floor(count) || count < 0.0) {
        values_.report_here(*loops[level].count, fmt::format("{}", count),
                            "must be a whole number, at least 0");
        return false;
      }
      if (count > static_cast<double>(options_.limits.max_elements)) {
        values_.report_here(*loops[level].count, fmt::format("{}", count),
                            fmt::format("must be at most {}", options_.limits.max_elements));
        return false;
      }
    }
    for (double i = 0.0; i < count; ++i) {
      values_.push_index(loops[level].index, i);
      const bool go_on = run_loops(loops, level + 1, body);
      values_.pop_index();
      if (!go_on) return false;
    }
    return true;
  }

  // --- what check_scene() finds, given its place in the text --------------------------------------------

  void add_issues() {
    values_.remember_places();
    const SceneIssues issues = find_issues(scene_);
    for (const SceneIssue& issue : issues.list()) add_issue(issue);
    values_.leave_out(issues.left_out());
  }

  void add_issue(const SceneIssue& issue) {
    const JsonValue* node = &files_.main().root;
    const SceneFile* file = &files_.main();
    ScenePath shown;
    std::size_t at = 0;
    std::string_view kind;
    if (const auto list = origins_.find(issue.path[0].key); list != origins_.end() && issue.path.size() > 1) {
      const Origin& origin = list->second[static_cast<std::size_t>(issue.path[1].index)];
      node = origin.node;
      file = origin.file;
      if (origin.repeat >= 0) shown = {{.key = "repeat"}, {.index = origin.repeat}};
      shown.push_back(issue.path[0]);
      shown.push_back({.index = origin.index, .name = issue.path[1].name});
      kind = default_kind(issue.path[0].key);
      at = 2;
    }
    // follow the path as far as the text goes; what a default gave stands under "defaults"
    TextSpan where = node->where;
    for (; at < issue.path.size(); ++at) {
      const PathStep& step = issue.path[at];
      const JsonValue* next = nullptr;
      if (step.index >= 0) {
        const JsonValue::Array* items = node->if_array();
        if (items && static_cast<std::size_t>(step.index) < items->size())
          next = &(*items)[static_cast<std::size_t>(step.index)];
      } else {
        next = node->find(step.key);
        const JsonValue* defaults = file->root.find("defaults");
        if (!next && defaults && !kind.empty() && defaults->find(kind))
          next = defaults->find(kind)->find(step.key);
        kind = default_kind(step.key);
      }
      if (!next) break;
      node = next;
      where = node->where;
    }
    shown.insert(shown.end(),
                 issue.path.begin() + static_cast<std::ptrdiff_t>(
                                          std::min(issue.path.size(), shown.empty() ? 0 : std::size_t{2})),
                 issue.path.end());
    if (values_.has_error_at(where)) return;  // what follows from an error that is reported
    values_.report(where, to_text(shown), issue.value, issue.rule, issue.remedy);
  }

  // --- progress ----------------------------------------------------------------------------------------

  void tick() {
    if (++ticks_ % 1024 == 0 && options_.on_progress && !options_.on_progress(ticks_)) throw Cancelled();
  }

  const SceneReadOptions& options_;
  SceneValues values_;
  SceneFiles files_;
  Scene scene_;
  std::map<std::string_view, std::vector<Origin>> origins_;
  const SceneFile* file_{nullptr};
  const JsonValue* defaults_{nullptr};
  int repeat_{-1};
  std::size_t ticks_{0};
};

}  // namespace

Scene read_scene(const std::filesystem::path& file, const SceneReadOptions& options) {
  Sources sources;
  const SourceId main = sources.add(file.string(), read_text_file(file, options.limits.max_file_bytes));
  const std::filesystem::path folder = file.parent_path().empty() ? "." : file.parent_path();
  return SceneReader(options, sources).read(main, folder);
}

Scene parse_scene(const std::string& text, const std::string& name, const SceneReadOptions& options,
                  const std::filesystem::path& folder) {
  Sources sources;
  const SourceId main = sources.add(name, text);
  return SceneReader(options, sources).read(main, folder);
}

}  // namespace rigor
