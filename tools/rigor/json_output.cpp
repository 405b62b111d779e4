#include <fmt/format.h>

#include "tools/rigor/commands.hpp"
#include "tools/rigor/say.hpp"

namespace rigor {

JsonValue errors_to_json(const std::vector<Diagnostic>& diagnostics) {
  JsonValue::Array errors;
  for (const Diagnostic& diagnostic : diagnostics) {
    JsonValue error{JsonValue::Object{}};
    error.add("file", diagnostic.file);
    error.add("line", diagnostic.line);
    error.add("column", diagnostic.column);
    error.add("path", diagnostic.path);
    error.add("value", diagnostic.value);
    error.add("rule", diagnostic.rule);
    error.add("remedy", diagnostic.remedy);
    error.add("message", diagnostic.text());
    errors.push_back(std::move(error));
  }
  return errors;
}

void print_json(const JsonValue& value) {
  say("{}\n", write_json(value));
}

}  // namespace rigor
