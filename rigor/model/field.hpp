#pragma once

#include <limits>

namespace rigor {

/// The values that a number may take. Bounds are part of the range unless open.
struct Range {
  double min{-1e15};
  double max{1e15};
  bool min_open{false};
  bool max_open{false};

  [[nodiscard]] constexpr bool contains(double x) const {
    return (min_open ? x > min : x >= min) && (max_open ? x < max : x <= max);
  }
};

constexpr Range at_least(double min) {
  return {.min = min};
}
constexpr Range above(double min) {
  return {.min = min, .min_open = true};
}
constexpr Range between(double min, double max) {
  return {.min = min, .max = max};
}

/// Coordinates: farther than 1e9 m from the origin a double resolves less than 1e-7 m.
constexpr Range kCoordinate = between(-1e9, 1e9);
/// Lengths of shapes.
constexpr Range kLength = {.min = 0.0, .max = 1e9, .min_open = true};

/// What a field holds beyond its type.
enum class FieldRole {
  kPlain,
  kName,        // the name of this object
  kDirection,   // a vector that counts only by its direction; kept at unit length
  kBody,        // refers to a body by name, or to the world
  kMovingBody,  // refers to a body by name
  kJoint,       // refers to a joint by name
  kMaterial,    // refers to a material by name
};

/// The variable of a function in a scene, as its expressions name it.
struct FunctionVariable {
  const char* name;
  const char* doc;  // "the time in s"
};
constexpr FunctionVariable kTime{"t", "the time in s"};
constexpr FunctionVariable kElongation{"x", "the elongation in m"};
constexpr FunctionVariable kSlipSpeed{"s", "the slip speed in m/s"};

/// All that reader, writer, schema, reference page and check know about one field.
struct FieldInfo {
  const char* doc;       // one sentence
  const char* unit{""};  // SI
  Range range{};         // of each number in it
  bool required{false};  // must be given in a file
  FieldRole role{FieldRole::kPlain};
  const char* remedy{""};  // what to do when the range is left
  int min_items{0};        // of lists
  int max_items{std::numeric_limits<int>::max()};
  FunctionVariable variable{kTime};  // of functions
};

/// A type as a value, to choose an overload of describe() without an object.
template <class T>
struct Kind {
  using type = T;
};

}  // namespace rigor
