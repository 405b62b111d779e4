#include "rigor/io/scene_values.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/model/check_scene.hpp"

namespace rigor {
namespace {

std::uint64_t place_of(const TextSpan& where) {
  return (static_cast<std::uint64_t>(where.source) << 32U) | where.begin;
}

std::string join(std::span<const std::string_view> words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

// What other formats call our joints and shapes.
std::string find_synonym(const std::string& word, std::span<const std::string_view> names) {
  static constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
      {"hinge", "revolute"},   {"continuous", "revolute"},      {"slide", "prismatic"},
      {"slider", "prismatic"}, {"spherical", "ball"},           {"floating", "free"},
      {"weld", "fixed"},       {"plane", "half-space"},         {"ground", "half-space"},
      {"cube", "box"},         {"heightfield", "height-field"}, {"connect", "ball"},
  };
  for (const auto& [theirs, ours] : kSynonyms)
    if (theirs == word && std::find(names.begin(), names.end(), ours) != names.end())
      return std::string(ours);
  return "";
}

}  // namespace

void SceneValues::report(const TextSpan& where, std::string path, std::string value, std::string rule,
                         std::string remedy) {
  if (is_full()) return;
  if (!noted_.emplace(place_of(where), rule).second) return;
  Diagnostic diagnostic{.path = std::move(path),
                        .value = std::move(value),
                        .rule = std::move(rule),
                        .remedy = std::move(remedy)};
  sources_.locate(where, diagnostic);
  errors_.push_back({where, std::move(diagnostic)});
}

void SceneValues::report_here(const JsonValue& at, std::string value, std::string rule, std::string remedy) {
  report(at.where, path_text(), std::move(value), std::move(rule), std::move(remedy));
}

void SceneValues::report_kind(const JsonValue& at, const char* expected) {
  report_here(at, shown(at), fmt::format("must be {}", expected));
}

void SceneValues::remember_places() {
  for (const Error& error : errors_) places_.insert(place_of(error.where));
}

bool SceneValues::has_error_in(const TextSpan& where) const {
  TextSpan end = where;
  end.begin = std::max(where.end, where.begin + 1);
  return places_.lower_bound(place_of(where)) != places_.lower_bound(place_of(end));
}

std::vector<Diagnostic> SceneValues::take_errors() {
  std::stable_sort(errors_.begin(), errors_.end(),
                   [](const Error& a, const Error& b) { return place_of(a.where) < place_of(b.where); });
  std::vector<Diagnostic> diagnostics;
  for (Error& error : errors_) diagnostics.push_back(std::move(error.diagnostic));
  if (is_full())
    diagnostics.push_back({.file = diagnostics.back().file,
                           .rule = fmt::format("only the first {} errors are shown", kMostErrors)});
  return diagnostics;
}

std::string SceneValues::path_text() const {
  ScenePath path;
  for (const Part& part : path_) {
    PathStep step{.key = part.key, .index = part.index};
    const JsonValue* name = part.node ? part.node->find("name") : nullptr;
    if (name && name->if_string()) step.name = *name->if_string();
    path.push_back(std::move(step));
  }
  std::string text = to_text(path);
  for (std::size_t i = 0; i < indices_.size(); ++i)
    text += fmt::format("{}{} = {}", i == 0 ? " (" : ", ", indices_[i], *find_variable(indices_[i]));
  if (!indices_.empty()) text += ")";
  return text;
}

void SceneValues::set_variable(const std::string& name, double value) {
  variables_[name] = value;
}

void SceneValues::remove_variable(const std::string& name) {
  variables_.erase(name);
}

std::optional<double> SceneValues::find_variable(std::string_view name) const {
  const auto it = variables_.find(name);
  return it == variables_.end() ? std::nullopt : std::optional(it->second);
}

void SceneValues::push_index(const std::string& name, double value) {
  indices_.push_back(name);
  set_variable(name, value);
}

void SceneValues::pop_index() {
  remove_variable(indices_.back());
  indices_.pop_back();
}

// What a message shows of a value: the text itself where it is short and plain, else its kind.
std::string SceneValues::shown(const JsonValue& value) const {
  if (value.if_string()) return quote_for_message(*value.if_string());
  if (value.if_array() || value.if_object()) return value.kind_name();
  const std::string text(sources_.slice(value.where));
  return text.size() <= 40 ? text
                           : text.substr(0, 40) + "…";  // digits of a number, so any byte may be the last
}

const Expression* SceneValues::find_expression(const JsonValue& value) {
  const auto [it, is_new] = expressions_.try_emplace(&value);
  if (!is_new) return it->second ? &*it->second : nullptr;
  try {
    it->second = Expression::parse(*value.if_string());
  } catch (const InvalidExpression& error) {
    // point into the string; exact as long as nothing in it is escaped
    TextSpan where = value.where;
    where.begin = std::min(where.end, where.begin + 1 + static_cast<std::uint32_t>(error.offset));
    report(where, path_text(), shown(value), fmt::format("is no expression: {}", error.what()));
    return nullptr;
  }
  return &*it->second;
}

bool SceneValues::check_variables(const JsonValue& value, const Expression& expression,
                                  const FunctionVariable* free) {
  const std::string_view allowed[] = {free ? free->name : ""};
  const std::string unknown = expression.find_unknown(allowed);
  if (unknown.empty()) return true;
  std::vector<std::string> known;
  if (free) known.emplace_back(free->name);
  for (const auto& [name, number] : variables_) known.push_back(name);
  const std::string similar = find_similar(unknown, known);
  std::string remedy = "Declare it under \"parameters\".";
  if (free) remedy = fmt::format("Known: {} ({}) and the scene's parameters.", free->name, free->doc);
  if (!similar.empty()) remedy = fmt::format("Did you mean '{}'?", similar);
  if (unknown == kTime.name && !free)
    remedy = "The time t stands only in motors, motions, forces and speeds of constraints.";
  if (unknown == kTime.name && free)
    remedy = fmt::format("This is a function of {} ({}), not of time.", free->name, free->doc);
  if (unknown == kElongation.name && free)
    remedy = fmt::format("This is a function of {} ({}); {} stands only in the law of a spring.", free->name,
                         free->doc, unknown);
  report_here(value, shown(value), fmt::format("unknown name '{}' in an expression", unknown), remedy);
  return false;
}

bool SceneValues::convert(const JsonValue& value, double& out, const FieldInfo&) {
  if (const double* number = value.if_number()) {
    out = *number;
    return true;
  }
  if (!value.if_string()) {
    report_kind(value, "a number");
    return false;
  }
  const Expression* parsed = find_expression(value);
  if (!parsed) return false;
  const Expression bound = parsed->bind([&](std::string_view name) { return find_variable(name); });
  if (!check_variables(value, bound)) return false;
  const double result = bound.evaluate();
  if (!std::isfinite(result)) {
    report_here(value, shown(value),
                std::isnan(result) ? "is not a number" : fmt::format("is {}, must be finite", result));
    return false;
  }
  out = result;
  return true;
}

bool SceneValues::convert(const JsonValue& value, int& out, const FieldInfo& info) {
  double number = 0.0;
  if (!convert(value, number, info)) return false;
  if (number != std::floor(number) || std::abs(number) > 1e9) {
    report_here(value, shown(value), "must be a whole number");
    return false;
  }
  out = static_cast<int>(number);
  return true;
}

bool SceneValues::convert(const JsonValue& value, std::string& out, const FieldInfo& info) {
  if (!value.if_string()) {
    report_kind(value, "a string");
    return false;
  }
  if (info.role == FieldRole::kPlain) {
    out = *value.if_string();
    return true;
  }
  std::string name;
  if (!expand_braces(value, name)) return false;
  const bool is_world = name == "world" && info.role == FieldRole::kBody;
  out = is_world || name.empty() ? name : prefix + name;
  return true;
}

// "crate_{i}" → "crate_3", over parameters and the indices of "repeat".
bool SceneValues::expand_braces(const JsonValue& value, std::string& out) {
  const std::string& text = *value.if_string();
  if (text.find('{') == std::string::npos) {
    out = text;
    return true;
  }
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('{', at);
    out.append(text, at, open == std::string::npos ? open : open - at);
    if (open == std::string::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) {
      report_here(value, shown(value), "brace without end", "Close it with }.");
      return false;
    }
    try {
      const Expression inside = Expression::parse(std::string_view(text).substr(open + 1, close - open - 1));
      const Expression bound = inside.bind([&](std::string_view name) { return find_variable(name); });
      if (!check_variables(value, bound)) return false;
      const double number = bound.evaluate();
      if (number != std::floor(number) || std::abs(number) > 1e15) {
        report_here(value, shown(value), fmt::format("the braces hold {}, must be a whole number", number));
        return false;
      }
      out += fmt::format("{:.0f}", number);
    } catch (const InvalidExpression& error) {
      report_here(value, shown(value), fmt::format("the braces hold no expression: {}", error.what()));
      return false;
    }
    at = close + 1;
  }
  return true;
}

template <std::size_t N>
bool SceneValues::convert_numbers(const JsonValue& value, std::array<double, N>& out, const FieldInfo& info) {
  const JsonValue::Array* items = value.if_array();
  if (!items || items->size() != N) {
    report_here(value, items ? fmt::format("a list of {}", items->size()) : shown(value),
                fmt::format("must be a list of {} numbers", N));
    return false;
  }
  bool good = true;
  for (std::size_t i = 0; i < N; ++i) {
    const Step step(*this, i, nullptr);
    good = convert((*items)[i], out[i], info) && good;
  }
  return good;
}

bool SceneValues::convert(const JsonValue& value, Eigen::Vector3d& out, const FieldInfo& info) {
  std::array<double, 3> numbers{};
  if (!convert_numbers(value, numbers, info)) return false;
  out = Eigen::Vector3d(numbers.data());
  // a direction is kept at unit length; zero is for check_scene() to report
  if (info.role == FieldRole::kDirection && out != Eigen::Vector3d::Zero()) out = normalized_once(out);
  return true;
}

bool SceneValues::convert(const JsonValue& value, Eigen::Vector2d& out, const FieldInfo& info) {
  std::array<double, 2> numbers{};
  if (!convert_numbers(value, numbers, info)) return false;
  out = Eigen::Vector2d(numbers.data());
  return true;
}

bool SceneValues::convert(const JsonValue& value, Mu& out, const FieldInfo& info) {
  std::array<double, 2> pair{};
  const bool good = value.if_array() ? convert_numbers(value, pair, info) : convert(value, pair[0], info);
  if (good) out = {pair[0], value.if_array() ? pair[1] : pair[0]};
  return good;
}

bool SceneValues::convert(const JsonValue& value, std::array<int, 3>& out, const FieldInfo& info) {
  const JsonValue::Array* items = value.if_array();
  if (!items || items->size() != 3) {
    report_here(value, items ? fmt::format("a list of {}", items->size()) : shown(value),
                "must be a list of 3 whole numbers");
    return false;
  }
  bool good = true;
  for (std::size_t i = 0; i < 3; ++i) good = convert((*items)[i], out[i], info) && good;
  return good;
}

bool SceneValues::convert(const JsonValue& value, std::vector<std::array<double, 2>>& out,
                          const FieldInfo& info) {
  const JsonValue::Array* items = value.if_array();
  if (!items) {
    report_kind(value, "a list of [lower, upper] pairs");
    return false;
  }
  // one coordinate needs no outer list
  const bool one_pair = items->size() == 2 && !(*items)[0].if_array();
  std::vector<std::array<double, 2>> pairs;
  for (std::size_t i = 0; i < (one_pair ? 1 : items->size()); ++i) {
    const JsonValue& pair = one_pair ? value : (*items)[i];
    const JsonValue::Array* ends = pair.if_array();
    const Step step(*this, i, nullptr);
    if (!ends || ends->size() != 2) {
      report_kind(pair, "a pair [lower, upper], null where there is no limit");
      return false;
    }
    std::array<double, 2> limits{-INFINITY, INFINITY};
    for (std::size_t k = 0; k < 2; ++k)
      if (!(*ends)[k].is_null() && !convert((*ends)[k], limits[k], info)) return false;
    pairs.push_back(limits);
  }
  out = std::move(pairs);
  return true;
}

bool SceneValues::convert(const JsonValue& value, Pose& out, const FieldInfo& info) {
  if (value.if_array()) return convert(value, out.position, info);  // no turn
  if (!value.if_object()) {
    report_kind(value, "an object with \"position\" and an orientation, or a list of 3 numbers");
    return false;
  }
  bool good = true;
  const JsonMember* orientation = nullptr;
  for (const JsonMember& member : *value.if_object()) {
    const Step step(*this, member.key);
    if (member.key == "position") {
      good = convert(member.value, out.position, info) && good;
    } else if (member.key == "quaternion" || member.key == "axis_angle" || member.key == "rpy") {
      if (orientation) {
        report_here(member.value, "", fmt::format("the orientation is given as {} already", orientation->key),
                    "Keep one of them.");
        return false;
      }
      orientation = &member;
      good = convert_orientation(member, out.rotation, info) && good;
    } else {
      const std::string similar = find_similar(member.key, {"position", "quaternion", "axis_angle", "rpy"});
      report(member.key_where, path_text(), "", "unknown key",
             similar.empty() ? "Known: position, quaternion, axis_angle, rpy."
                             : fmt::format("Did you mean \"{}\"?", similar));
      good = false;
    }
  }
  return good;
}

bool SceneValues::convert_orientation(const JsonMember& member, Eigen::Quaterniond& out,
                                      const FieldInfo& info) {
  if (member.key == "rpy") {
    std::array<double, 3> angles{};
    if (!convert_numbers(member.value, angles, info)) return false;
    out = quaternion_from_rpy(angles[0], angles[1], angles[2]);
    return true;
  }
  std::array<double, 4> n{};
  if (!convert_numbers(member.value, n, info)) return false;
  if (member.key == "axis_angle") {
    const Eigen::Vector3d axis(n[0], n[1], n[2]);
    if (axis == Eigen::Vector3d::Zero()) {
      report_here(member.value, shown(member.value), "the axis must not be zero",
                  "Write [x, y, z, angle in rad].");
      return false;
    }
    out = quaternion_from_axis_angle(normalized_once(axis), n[3]);
    return true;
  }
  const Eigen::Quaterniond q(n[0], n[1], n[2], n[3]);
  const double length = q.coeffs().stableNorm();
  // digits that a file rounds away are made good; anything else is a mistake
  if (std::abs(length - 1.0) > 1e-3) {
    report_here(member.value, fmt::format("[{}, {}, {}, {}]", n[0], n[1], n[2], n[3]),
                fmt::format("has length {:.6g}, must have length 1", length), "Write [w, x, y, z].");
    return false;
  }
  out = normalized_once(q);
  return true;
}

bool SceneValues::convert_expression(const JsonValue& value, TimeFunction& out,
                                     const FunctionVariable& variable) {
  const Expression* parsed = find_expression(value);
  if (!parsed) return false;
  const Expression bound = parsed->bind(
      [&](std::string_view name) { return name == variable.name ? std::nullopt : find_variable(name); });
  if (!check_variables(value, bound, &variable)) return false;
  if (bound.find_unknown({}).empty())
    out = bound.evaluate();  // constant
  else
    out = bound;
  return true;
}

std::optional<std::size_t> SceneValues::convert_word(const JsonValue& value,
                                                     std::span<const std::string_view> names) {
  if (!value.if_string()) {
    report_here(value, shown(value), "must be one of " + join(names));
    return std::nullopt;
  }
  const auto it = std::find(names.begin(), names.end(), *value.if_string());
  if (it != names.end()) return static_cast<std::size_t>(it - names.begin());
  std::string similar = find_similar(*value.if_string(), {names.begin(), names.end()});
  if (similar.empty()) similar = find_synonym(*value.if_string(), names);
  report_here(value, shown(value), "must be one of " + join(names),
              similar.empty() ? "" : fmt::format("Did you mean \"{}\"?", similar));
  return std::nullopt;
}

}  // namespace rigor
