#pragma once

#include <Eigen/Core>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rigor/io/json.hpp"
#include "rigor/math/pose.hpp"
#include "rigor/math/time_function.hpp"
#include "rigor/model/field.hpp"
#include "rigor/model/scene.hpp"

namespace rigor {

/// From JSON values to numbers, names, poses and functions of time, with expressions evaluated and
/// everything that goes wrong noted with its place. Whether a number is in its range is not asked here:
/// check_scene() does that for files and programs alike.
class SceneValues {
 public:
  explicit SceneValues(const Sources& sources) : sources_(sources) {}

  // --- what went wrong -------------------------------------------------------------------------------

  static constexpr std::size_t kMostErrors = 100;

  /// Notes an error at a place of the text; the same rule at the same place is noted once.
  void report(const TextSpan& where, std::string path, std::string value, std::string rule,
              std::string remedy = "");

  /// The same, at the present path.
  void report_here(const JsonValue& at, std::string value, std::string rule, std::string remedy = "");
  void report_kind(const JsonValue& at, const char* expected);

  /// Whether the list of errors is full: a search for more may stop.
  [[nodiscard]] bool is_full() const { return errors_.size() >= kMostErrors; }
  [[nodiscard]] bool has_errors() const { return !errors_.empty(); }

  /// Whether an error noted before remember_places() stands in this part of the text: what is said of the
  /// part later may only follow from it.
  void remember_places();
  [[nodiscard]] bool has_error_in(const TextSpan& where) const;
  /// An object that could not be understood: nothing more is said of what is in it.
  void mark_broken(const JsonValue& node) { broken_.insert(&node); }
  [[nodiscard]] bool is_broken(const JsonValue& node) const { return broken_.contains(&node); }

  /// All errors in the order of the files and their text.
  [[nodiscard]] std::vector<Diagnostic> take_errors();

  // --- where we are ----------------------------------------------------------------------------------

  /// A part of the path for as long as the Step lives; `node` may carry a name that stands for the index.
  class Step {
   public:
    Step(SceneValues& values, std::string_view key) : values_(values) {
      values_.path_.push_back({key, -1, nullptr});
    }
    Step(SceneValues& values, std::size_t index, const JsonValue* node) : values_(values) {
      values_.path_.push_back({{}, static_cast<int>(index), node});
    }
    ~Step() { values_.path_.pop_back(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    SceneValues& values_;
  };

  [[nodiscard]] std::string path_text() const;

  // --- names that expressions know -------------------------------------------------------------------

  void set_variable(const std::string& name, double value);
  void remove_variable(const std::string& name);
  void clear_variables() { variables_.clear(), indices_.clear(); }
  [[nodiscard]] std::optional<double> find_variable(std::string_view name) const;
  /// The loop indices of "repeat": they may stand in braces in names, and messages show them.
  void push_index(const std::string& name, double value);
  void pop_index();

  /// Put before names that are given, and before references to names given in the same file.
  std::string prefix;

  // --- conversions: report and leave `out` alone where the value does not fit ------------------------

  bool convert(const JsonValue& value, double& out, const FieldInfo& info);
  bool convert(const JsonValue& value, int& out, const FieldInfo& info);
  bool convert(const JsonValue& value, std::string& out, const FieldInfo& info);
  bool convert(const JsonValue& value, Eigen::Vector3d& out, const FieldInfo& info);
  bool convert(const JsonValue& value, Eigen::Vector2d& out, const FieldInfo& info);
  bool convert(const JsonValue& value, std::array<int, 3>& out, const FieldInfo& info);
  bool convert(const JsonValue& value, std::vector<std::array<double, 2>>& out, const FieldInfo& info);
  bool convert(const JsonValue& value, Pose& out, const FieldInfo& info);
  bool convert(const JsonValue& value, Mu& out, const FieldInfo& info);

  /// A string that is a number or an expression with one variable left free, also where a parameter has the
  /// same name.
  bool convert_expression(const JsonValue& value, TimeFunction& out, const FunctionVariable& variable);

  /// The index of a word among `names`, or nothing.
  std::optional<std::size_t> convert_word(const JsonValue& value, std::span<const std::string_view> names);

 private:
  struct Part {
    std::string_view key;
    int index;
    const JsonValue* node;
  };
  struct Error {
    TextSpan where;
    Diagnostic diagnostic;
  };

  template <std::size_t N>
  bool convert_numbers(const JsonValue& value, std::array<double, N>& out, const FieldInfo& info);
  bool convert_orientation(const JsonMember& member, Eigen::Quaterniond& out, const FieldInfo& info);
  const Expression* find_expression(const JsonValue& value);
  bool check_variables(const JsonValue& value, const Expression& expression,
                       const FunctionVariable* free = nullptr);
  bool expand_braces(const JsonValue& value, std::string& out);
  [[nodiscard]] std::string shown(const JsonValue& value) const;

  const Sources& sources_;
  std::vector<Part> path_;
  std::map<std::string, double, std::less<>> variables_;
  std::vector<std::string> indices_;
  std::unordered_map<const JsonValue*, std::optional<Expression>>
      expressions_;  // parsed once, used in each repetition
  std::vector<Error> errors_;
  std::set<std::pair<std::uint64_t, std::string>> noted_;
  std::set<std::uint64_t> places_;
  std::set<const JsonValue*> broken_;
};

}  // namespace rigor
