#include "rigor/io/scene_reader.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "rigor/io/object_reader.hpp"
#include "rigor/io/scene_files.hpp"
#include "rigor/io/scene_origins.hpp"
#include "rigor/io/scene_values.hpp"
#include "rigor/model/check_scene.hpp"
#include "rigor/model/run_rules.hpp"
#include "rigor/model/scene_fields.hpp"

namespace rigor {
namespace {

class SceneReader {
 public:
  SceneReader(const SceneReadOptions& options, Sources& sources)
      : options_(options), values_(sources), objects_(values_), files_(options, sources) {}

  Scene read(SourceId main, const std::filesystem::path& folder) {
    files_.load(main, folder);
    for (const SceneFile& file : files_.files()) read_file(file);
    check();
    if (values_.has_errors()) throw InvalidDocument(values_.take_errors());
    return std::move(scene_);
  }

 private:
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
    objects_.check_keys(root, fields.known);
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
    std::vector<std::string_view> known;
    static const JsonValue::Object kNone;
    for (const JsonMember& member : parameters ? *parameters->if_object() : kNone) {
      const SceneValues::Step here(values_, member.key);
      known.emplace_back(member.key);
      if (!check_variable_name(member.key, member.key_where)) continue;
      const JsonValue* given = file.set_parameters ? file.set_parameters->find(member.key) : nullptr;
      double value = 0.0;
      if (values_.convert(given ? *given : member.value, value, {.doc = ""}))
        values_.set_variable(member.key, value);
      else
        values_.set_variable(member.key, 0.0);  // reported; whoever uses it is not to blame
    }
    if (file.set_parameters) objects_.check_keys(*file.set_parameters, known);
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
    objects_.defaults = root.find("defaults");
    if (!objects_.defaults) return;
    const SceneValues::Step step(values_, "defaults");
    if (!objects_.defaults->if_object()) {
      values_.report_kind(*objects_.defaults, "an object");
      objects_.defaults = nullptr;
      return;
    }
    KeyChecker checker{*this, *objects_.defaults};
    describe_lists(checker);
    checker.check(Kind<Joint>{});
    objects_.check_keys(*objects_.defaults, checker.kinds);
  }

  // Checks the keys of each object under "defaults"; values are read where they are used.
  struct KeyChecker {
    SceneReader& reader;
    const JsonValue& defaults;
    std::vector<std::string_view> kinds{};

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
      reader.objects_.check_keys(*node, keys.keys);
    }
  };

  // --- lists of the scene ------------------------------------------------------------------------------

  // Appends the elements of each list to the scene's and remembers where they came from.
  struct ListReader {
    SceneReader& reader;
    const JsonValue& node;

    template <class T>
    void operator()(const char* key, std::vector<T> Scene::*member, const FieldInfo&) {
      const JsonValue* value = node.find(key);
      if (!value) return;
      const SceneValues::Step step(reader.values_, key);
      reader.append(*value, reader.scene_.*member, key);
    }
  };

  // The same beside the other fields of a whole scene.
  struct SceneFields : ObjectReader::Fields<Scene> {
    SceneReader& owner;

    SceneFields(SceneReader& scene_reader, const JsonValue& root, Scene& scene)
        : ObjectReader::Fields<Scene>{scene_reader.objects_, root, nullptr, scene}, owner(scene_reader) {}

    using ObjectReader::Fields<Scene>::operator();
    template <class T>
    void operator()(const char* key, std::vector<T> Scene::*member, const FieldInfo& info) {
      ListReader{owner, node}(key, member, info);
      known.emplace_back(key);
    }
  };

  template <class T>
  void append(const JsonValue& value, std::vector<T>& list, const char* key) {
    const JsonValue::Array* items = value.if_array();
    if (!items) return values_.report_kind(value, "a list");
    for (std::size_t i = 0; i < items->size() && !values_.is_full(); ++i) {
      if (list.size() >= options_.limits.max_elements)
        return values_.report_here(
            value, "", fmt::format("more than {} {} in one scene", options_.limits.max_elements, key));
      const SceneValues::Step step(values_, i, &(*items)[i]);
      origins_.add(key, *file_, (*items)[i], repeat_, i);
      objects_.read_object((*items)[i], list.emplace_back());
      tick();
    }
  }

  // --- repeat ------------------------------------------------------------------------------------------

  static constexpr std::size_t kTurnsPerElement = 20;  // 8 loops, gone through twice, and some to spare

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
    KeyList keys{{"for"}};
    describe_lists(keys);
    objects_.check_keys(node, keys.keys);
    std::vector<Loop> loops;
    if (!read_loops(node, loops)) return;

    // count first, so that nothing is made of a repeat that is too large
    std::size_t count = 0;
    const bool counted = run_loops(loops, 0, [&] { return ++count <= options_.limits.max_elements; });
    if (count > options_.limits.max_elements)
      return values_.report_here(node, "",
                                 fmt::format("repeats more than {} times", options_.limits.max_elements));
    SizeChecker sizes{*this, node, count};
    describe_lists(sizes);
    if (!counted || !sizes.fit) return;

    ListReader lists{*this, node};
    run_loops(loops, 0, [&] {
      describe_lists(lists);
      return !values_.is_full();
    });
  }

  // Whether what `count` repetitions add to each list stays within the limits.
  struct SizeChecker {
    SceneReader& reader;
    const JsonValue& node;
    std::size_t count;
    bool fit{true};

    template <class T>
    void operator()(const char* key, std::vector<T> Scene::*member, const FieldInfo&) {
      const JsonValue* list = node.find(key);
      if (!list || !list->if_array()) return;
      const std::size_t most = reader.options_.limits.max_elements;
      if ((reader.scene_.*member).size() + count * list->if_array()->size() <= most) return;
      fit = false;
      const SceneValues::Step step(reader.values_, key);
      reader.values_.report_here(*list, "", fmt::format("more than {} {} in one scene", most, key));
    }
  };

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
      if (!count_turn(*loops[level].count)) return false;
      values_.push_index(loops[level].index, i);
      const bool go_on = run_loops(loops, level + 1, body);
      values_.pop_index();
      if (!go_on) return false;
    }
    return true;
  }

  // Loops within loops that add nothing take time all the same: the turns of all of them have a bound, too.
  bool count_turn(const JsonValue& at) {
    if (++turns_ % 1024 == 0) check_interruption();
    const std::size_t most = kTurnsPerElement * options_.limits.max_elements;
    if (turns_ <= most) return true;
    if (turns_ == most + 1)
      values_.report_here(at, "", fmt::format("the loops of this scene turn more than {} times", most),
                          "Put the loop that turns least outside, and leave out what adds nothing.");
    return false;
  }

  // --- the end --------------------------------------------------------------------------------------------

  void check() {
    values_.remember_places();
    if (options_.drops_unused_settings) reset_unused(scene_.run);
    const SceneIssues issues = find_issues(scene_);
    for (const SceneIssue& issue : issues.list()) origins_.report(issue, files_.main(), values_);
  }

  void tick() {
    if (++ticks_ % 1024 != 0) return;
    check_interruption();
    if (options_.on_progress && !options_.on_progress(ticks_)) throw Cancelled();
  }

  const SceneReadOptions& options_;
  SceneValues values_;
  ObjectReader objects_;
  SceneFiles files_;
  SceneOrigins origins_;
  Scene scene_;
  const SceneFile* file_{nullptr};
  int repeat_{-1};
  std::size_t ticks_{0}, turns_{0};
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
