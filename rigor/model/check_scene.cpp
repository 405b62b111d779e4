#include "rigor/model/check_scene.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "rigor/model/scene_fields.hpp"
#include "rigor/model/scene_limits.hpp"
#include "rigor/model/scene_rules.hpp"

namespace rigor {
namespace {

// What `value` should have been. An interval is shown whole, a half-line by the bound that was missed.
std::string bound_text(const Range& range, double value) {
  const bool interval =
      range.min > Range{}.min && range.max < Range{}.max && !range.min_open && !range.max_open;
  if (interval) return fmt::format("must lie in [{:g}, {:g}]", range.min, range.max);
  if (value > range.max) return fmt::format("must be {} {:g}", range.max_open ? "<" : "<=", range.max);
  return fmt::format("must be {} {:g}", range.min_open ? ">" : ">=", range.min);
}

// Both blocks of them; the second is C2 80 to C2 9F in UTF-8.
bool has_control_characters(const std::string& name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const unsigned next = i + 1 < name.size() ? static_cast<unsigned char>(name[i + 1]) : 0U;
    if (c < 0x20 || c == 0x7F || (c == 0xC2 && next >= 0x80 && next < 0xA0)) return true;
  }
  return false;
}

std::string with_unit(std::string value, const FieldInfo& info) {
  if (*info.unit != '\0') value += std::string(" ") + info.unit;
  return value;
}

/// Visits every field of a scene and holds it against its FieldInfo.
class FieldChecker {
 public:
  FieldChecker(const SceneNames& names, SceneIssues& issues) : names_(names), issues_(issues) {}

  template <class T>
  void check_object(const T& object) {
    Fields<T> fields{*this, object};
    describe(fields, Kind<T>{});
  }

 private:
  // The visitor of describe(): binds the fields of one object.
  template <class T>
  struct Fields {
    FieldChecker& checker;
    const T& object;

    void shorthand(const char*) {}

    template <class M>
    void operator()(const char* key, M T::*member, const FieldInfo& info) {
      checker.path_.push_back({.key = key});
      checker.check(object.*member, info);
      checker.path_.pop_back();
    }

    template <class Variant>
    void tagged(const char*, Variant T::*member, const FieldInfo&) {
      std::visit([&](const auto& alternative) { checker.check_object(alternative); }, object.*member);
    }
  };

  void report(std::string value, std::string rule, std::string remedy = "") {
    issues_.add(path_, std::move(value), std::move(rule), std::move(remedy));
  }

  void check(double value, const FieldInfo& info) {
    if (!std::isfinite(value))
      report(fmt::format("{}", value), "must be finite");
    else if (!info.range.contains(value))
      report(with_unit(fmt::format("{}", value), info), bound_text(info.range, value),
             value > info.range.max ? "" : info.remedy);
  }

  void check(int value, const FieldInfo& info) { check(static_cast<double>(value), info); }

  template <class T>
  requires std::is_enum_v<T>
  void check(T, const FieldInfo&) {}

  void check(const std::string& text, const FieldInfo& info) {
    if (info.role == FieldRole::kName)
      check_name(text, info);
    else if (info.role != FieldRole::kPlain && !(text.empty() && !info.required))
      check_reference(text, info);
  }

  void check_name(const std::string& name, const FieldInfo& info) {
    constexpr std::size_t kMost = SceneLimits{}.max_name_bytes;
    if (name.empty()) {
      if (info.required) report("\"\"", "a name must not be empty");
    } else if (name.size() > kMost) {
      report(quote_for_message(name, 20),
             fmt::format("a name has at most {} bytes, this one {}", kMost, name.size()));
    } else if (name.find_first_of("{}") != std::string::npos) {
      report(quote_for_message(name), "a name must not hold braces",
             "In a file they hold an expression: \"crate_{i}\".");
    } else if (name.front() == ' ' || name.back() == ' ' || has_control_characters(name)) {
      report(quote_for_message(name),
             "a name must not hold control characters nor begin or end with a space");
    }
  }

  void check_reference(const std::string& name, const FieldInfo& info) {
    if (const std::string rule = names_.find_problem(name, info.role); !rule.empty()) {
      const std::string similar = names_.find_similar_to(name, info.role);
      report(quote_for_message(name), rule,
             similar.empty() ? "" : fmt::format("Did you mean \"{}\"?", similar));
    }
  }

  template <int N>
  void check(const Eigen::Matrix<double, N, 1>& vector, const FieldInfo& info) {
    const auto text = [&] {
      return with_unit(fmt::format("[{}]", fmt::join(vector.begin(), vector.end(), ", ")), info);
    };
    if (!vector.allFinite()) return report(text(), "must be finite");
    if (info.role == FieldRole::kDirection) {
      const double length = vector.stableNorm();
      if (length == 0.0)
        report(text(), "a direction must not be zero");
      else if (std::abs(length - 1.0) > 1e-9)
        report(text(), "a direction must have length 1", "Normalise it.");
    } else {
      const auto bad =
          std::find_if(vector.begin(), vector.end(), [&](double x) { return !info.range.contains(x); });
      if (bad != vector.end()) report(text(), "each " + bound_text(info.range, *bad), info.remedy);
    }
  }

  void check(const Mu& mu, const FieldInfo& info) {
    check(mu.along, info);
    if (mu.across != mu.along) check(mu.across, info);
  }

  void check(const Pose& pose, const FieldInfo& info) {
    path_.push_back({.key = "position"});
    check(pose.position, info);
    path_.back().key = "quaternion";
    const Eigen::Quaterniond& r = pose.rotation;
    const double length = r.coeffs().stableNorm();
    if (!(std::abs(length - 1.0) <= 1e-9))
      report(fmt::format("[{}, {}, {}, {}]", r.w(), r.x(), r.y(), r.z()),
             fmt::format("has length {}, must have length 1", length), "Normalise it.");
    path_.pop_back();
  }

  void check(const TimeFunction& function, const FieldInfo& info) {
    std::visit(
        [&](const auto& alternative) {
          using Alternative = std::remove_cvref_t<decltype(alternative)>;
          if constexpr (std::is_same_v<Alternative, double>) {
            check(alternative, info);
          } else if constexpr (std::is_same_v<Alternative, Expression>) {
            check_expression(alternative, info.variable);
          } else {
            constexpr bool kSine = std::is_same_v<Alternative, SineFunction>;
            path_.push_back({.key = kSine ? "sine" : "table"});
            if (kSine && info.variable.name != std::string_view(kTime.name))
              report("", "a sine is a function of time",
                     fmt::format("Use a table or an expression in {}.", info.variable.name));
            const std::size_t before = issues_.list().size();
            check_object(alternative);
            const bool sound = issues_.list().size() == before;
            if constexpr (!kSine)
              if (sound) check_table(alternative);
            path_.pop_back();
          }
        },
        function);
  }

  void check_expression(const Expression& expression, const FunctionVariable& variable) {
    const std::string_view allowed[] = {variable.name};
    if (const std::string name = expression.find_unknown(allowed); !name.empty())
      return report(
          quote_for_message(expression.text()), fmt::format("unknown name '{}'", name),
          fmt::format("Known: {} ({}), pi, e, and the scene's parameters.", variable.name, variable.doc));
    if (const double start = expression.evaluate(0.0); !std::isfinite(start))
      report(quote_for_message(expression.text()),
             fmt::format("is {} at {} = 0, must be finite", start, variable.name));
  }

  void check_table(const TableFunction& table) {
    if (table.times.size() != table.values.size())
      return report("", fmt::format("has {} times and {} values, must have as many", table.times.size(),
                                    table.values.size()));
    const auto descent = std::adjacent_find(table.times.begin(), table.times.end(), std::greater_equal<>());
    if (descent == table.times.end()) return;
    path_.push_back({.key = "times"});
    report(fmt::format("… {}, {} …", descent[0], descent[1]), "must ascend strictly");
    path_.pop_back();
  }

  template <class T>
  void check(const std::optional<T>& value, const FieldInfo& info) {
    if (value) check(*value, info);
  }

  template <std::size_t N>
  void check(const std::array<TimeFunction, N>& functions, const FieldInfo& info) {
    check_items(functions, info);
  }

  // Limits: infinities stand for "none".
  void check(const std::array<double, 2>& limits, const FieldInfo& info) {
    const auto [lower, upper] = limits;
    const auto bad = [&](double x) { return std::isnan(x) || (std::isfinite(x) && !info.range.contains(x)); };
    if (bad(lower) || bad(upper))
      report(fmt::format("[{}, {}]", lower, upper),
             "each " + bound_text(info.range, bad(lower) ? lower : upper));
    else if (!(lower <= upper))
      report(fmt::format("[{}, {}]", lower, upper), "the lower limit must not exceed the upper");
  }

  void check(const std::array<int, 3>& triple, const FieldInfo& info) {
    for (const int value : triple) check(value, info);
  }

  template <class T>
  void check(const std::vector<T>& items, const FieldInfo& info) {
    const auto least = static_cast<std::size_t>(info.min_items),
               most = static_cast<std::size_t>(info.max_items);
    if (items.size() < least)
      report("", fmt::format("has {}, must have at least {}", count_text(items.size(), "element"), least));
    else if (items.size() > most)
      report("", fmt::format("has {}, must have at most {}", count_text(items.size(), "element"), most));
    check_items(items, info);
  }

  template <class Items>
  void check_items(const Items& items, const FieldInfo& info) {
    int index = 0;
    for (const auto& item : items) {
      if (issues_.is_full()) return;
      path_.push_back({.index = index++});
      if constexpr (requires { item.name; }) path_.back().name = item.name;
      check(item, info);
      path_.pop_back();
    }
  }

  template <Described T>
  void check(const T& object, const FieldInfo&) {
    check_object(object);
  }

  const SceneNames& names_;
  SceneIssues& issues_;
  ScenePath path_;
};

}  // namespace

bool is_plain_name(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_plain = [&](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), is_plain) &&
         !std::all_of(name.begin(), name.end(), is_digit);
}

std::string to_text(const ScenePath& path) {
  std::string text;
  for (const PathStep& step : path) {
    if (step.index >= 0 && !is_plain_name(step.name)) {
      text += fmt::format("[{}]", step.index);
    } else {
      if (!text.empty()) text += '.';
      text += step.index >= 0 ? std::string_view(step.name) : step.key;
    }
  }
  return text;
}

void SceneIssues::add(const ScenePath& path, std::string value, std::string rule, std::string remedy) {
  if (!is_full()) list_.push_back({path, std::move(value), std::move(rule), std::move(remedy)});
}

SceneIssues find_issues(const Scene& scene) {
  SceneIssues issues;
  const SceneNames names(scene, issues);
  FieldChecker(names, issues).check_object(scene);
  check_rules(scene, names, issues);
  return issues;
}

void check_scene(const Scene& scene) {
  const SceneIssues issues = find_issues(scene);
  if (issues.list().empty()) return;
  std::vector<Diagnostic> diagnostics;
  for (const SceneIssue& issue : issues.list())
    diagnostics.push_back(
        {.path = to_text(issue.path), .value = issue.value, .rule = issue.rule, .remedy = issue.remedy});
  if (issues.is_full())
    diagnostics.push_back({.rule = fmt::format("only the first {} errors are shown", SceneIssues::kMost)});
  throw InvalidDocument(std::move(diagnostics));
}

}  // namespace rigor
