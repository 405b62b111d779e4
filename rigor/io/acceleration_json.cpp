#include "rigor/io/acceleration_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rigor/io/json.hpp"

namespace rigor {
namespace {

class AccelerationReader {
 public:
  AccelerationReader(std::string text, const std::string& name)
      : root_(parse_json(sources_, sources_.add(name, std::move(text)), kProblemLimits)) {}

  [[nodiscard]] const JsonValue& root() const { return root_; }

  [[noreturn]] void fail(const TextSpan& at, const std::string& path, const std::string& value,
                         const std::string& rule, const std::string& remedy = "") const {
    Diagnostic diagnostic{.path = path, .value = value, .rule = rule, .remedy = remedy};
    sources_.locate(at, diagnostic);
    throw InvalidDocument({diagnostic});
  }

  void check_keys(const JsonValue& object, const std::string& path,
                  const std::vector<std::string>& known) const {
    if (!object.if_object()) fail(object.where, path, object.kind_name(), "must be an object");
    for (const JsonMember& member : *object.if_object()) {
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      const std::string similar = find_similar(member.key, known);
      fail(member.key_where, path + (path.empty() ? "" : ".") + quote_for_message(member.key), "",
           "unknown key",
           similar.empty() ? fmt::format("Known: {}.", fmt::join(known, ", "))
                           : fmt::format("Did you mean \"{}\"?", similar));
    }
  }

  [[nodiscard]] const JsonValue& get(const JsonValue& object, const std::string& path,
                                     const std::string& key) const {
    const JsonValue* value = object.find(key);
    if (!value) fail(object.where, path, "", fmt::format("the key \"{}\" is missing", key));
    return *value;
  }

  [[nodiscard]] double number(const JsonValue& value, const std::string& path) const {
    if (!value.if_number()) fail(value.where, path, value.kind_name(), "must be a number");
    return *value.if_number();
  }

  [[nodiscard]] const JsonValue::Array& list(const JsonValue& value, const std::string& path) const {
    if (!value.if_array()) fail(value.where, path, value.kind_name(), "must be a list");
    return *value.if_array();
  }

  // size −1: any
  [[nodiscard]] Eigen::VectorXd vector(const JsonValue& value, const std::string& path,
                                       Eigen::Index size) const {
    const JsonValue::Array& items = list(value, path);
    if (size >= 0 && static_cast<Eigen::Index>(items.size()) != size)
      fail(value.where, path, count_text(items.size(), "number"), fmt::format("must have {}", size));
    Eigen::VectorXd result(static_cast<Eigen::Index>(items.size()));
    for (std::size_t i = 0; i < items.size(); ++i)
      result[static_cast<Eigen::Index>(i)] = number(items[i], fmt::format("{}[{}]", path, i));
    return result;
  }

  [[nodiscard]] Eigen::MatrixXd matrix(const JsonValue& value, const std::string& path, Eigen::Index rows,
                                       Eigen::Index columns) const {
    const JsonValue::Array& items = list(value, path);
    if (rows >= 0 && static_cast<Eigen::Index>(items.size()) != rows)
      fail(value.where, path, count_text(items.size(), "row"), fmt::format("must have {}", rows));
    Eigen::MatrixXd result(static_cast<Eigen::Index>(items.size()), columns);
    for (std::size_t i = 0; i < items.size(); ++i)
      result.row(static_cast<Eigen::Index>(i)) =
          vector(items[i], fmt::format("{}[{}]", path, i), columns).transpose();
    return result;
  }

  // the index of the word in `words`, 0 where the key is absent
  [[nodiscard]] std::size_t word(const JsonValue& object, const std::string& path, const std::string& key,
                                 const std::vector<std::string>& words) const {
    const JsonValue* value = object.find(key);
    if (!value) return 0;
    const std::string at = path + "." + key;
    const std::string rule = fmt::format("must be one of {}", fmt::join(words, ", "));
    if (!value->if_string()) fail(value->where, at, value->kind_name(), rule);
    const auto found = std::find(words.begin(), words.end(), *value->if_string());
    if (found == words.end()) fail(value->where, at, quote_for_message(*value->if_string()), rule);
    return static_cast<std::size_t>(found - words.begin());
  }

 private:
  Sources sources_;
  JsonValue root_;
};

AccelerationContact read_contact(const AccelerationReader& reader, const JsonValue& value,
                                 const std::string& path, std::size_t index, Eigen::Index n) {
  reader.check_keys(value, path,
                    {"name", "kind", "normal", "tangent", "normal_bias", "tangent_bias", "mu", "mode", "slip",
                     "normal_min", "normal_max", "comment"});
  AccelerationContact contact;
  contact.name = fmt::format("contact {}", index + 1);
  if (const JsonValue* name = value.find("name")) {
    if (!name->if_string()) reader.fail(name->where, path + ".name", name->kind_name(), "must be a text");
    contact.name = *name->if_string();
  }
  contact.side = static_cast<ContactSide>(reader.word(value, path, "kind", {"unilateral", "bilateral"}));
  contact.motion = static_cast<ContactMotion>(reader.word(value, path, "mode", {"stick", "slide"}));
  contact.normal = reader.vector(reader.get(value, path, "normal"), path + ".normal", n);
  contact.tangent.resize(0, n);
  if (const JsonValue* tangent = value.find("tangent"))
    contact.tangent = reader.matrix(*tangent, path + ".tangent", -1, n);
  if (const JsonValue* bias = value.find("normal_bias"))
    contact.normal_bias = reader.number(*bias, path + ".normal_bias");
  contact.tangent_bias = Eigen::VectorXd::Zero(contact.tangents());
  if (const JsonValue* bias = value.find("tangent_bias"))
    contact.tangent_bias = reader.vector(*bias, path + ".tangent_bias", contact.tangents());
  if (const JsonValue* mu = value.find("mu")) contact.mu = reader.number(*mu, path + ".mu");
  if (const JsonValue* slip = value.find("slip"))
    contact.slip = reader.vector(*slip, path + ".slip", contact.tangents());
  if (contact.slip.size() > 0 && contact.slip.norm() > 0.0) contact.slip.normalize();
  if (const JsonValue* least = value.find("normal_min"))
    contact.normal_min = reader.number(*least, path + ".normal_min");
  if (const JsonValue* most = value.find("normal_max"))
    contact.normal_max = reader.number(*most, path + ".normal_max");
  return contact;
}

Actuator read_actuator(const AccelerationReader& reader, const JsonValue& value, const std::string& path,
                       std::size_t index, Eigen::Index n) {
  reader.check_keys(value, path, {"name", "force", "min", "max", "weight", "comment"});
  Actuator actuator;
  actuator.name = fmt::format("actuator {}", index + 1);
  if (const JsonValue* name = value.find("name")) {
    if (!name->if_string()) reader.fail(name->where, path + ".name", name->kind_name(), "must be a text");
    actuator.name = *name->if_string();
  }
  actuator.force = reader.vector(reader.get(value, path, "force"), path + ".force", n);
  if (const JsonValue* least = value.find("min")) actuator.min = reader.number(*least, path + ".min");
  if (const JsonValue* most = value.find("max")) actuator.max = reader.number(*most, path + ".max");
  if (const JsonValue* weight = value.find("weight"))
    actuator.weight = reader.number(*weight, path + ".weight");
  return actuator;
}

JsonValue to_value(const Eigen::VectorXd& values) {
  JsonValue::Array items;
  for (Eigen::Index i = 0; i < values.size(); ++i) items.emplace_back(values[i]);
  return items;
}

JsonValue to_rows(const Eigen::MatrixXd& matrix) {
  JsonValue::Array rows;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) rows.push_back(to_value(matrix.row(i)));
  return rows;
}

}  // namespace

AccelerationProblem parse_acceleration_json(std::string text, const std::string& name) {
  const AccelerationReader reader(std::move(text), name);
  const JsonValue& root = reader.root();
  reader.check_keys(root, "",
                    {"rigor_problem", "kind", "name", "comment", "M", "F", "contacts", "actuators"});
  const JsonValue& version = reader.get(root, "", "rigor_problem");
  if (reader.number(version, "rigor_problem") != 1.0)
    reader.fail(version.where, "rigor_problem", fmt::format("{}", *version.if_number()), "must be 1");
  if (const JsonValue* kind = root.find("kind"); kind && !(*kind == JsonValue(std::string("acceleration"))))
    reader.fail(kind->where, "kind", "", "must be \"acceleration\" where it is given",
                "Complementarity problems are for 'rigor solve'.");
  AccelerationProblem problem;
  problem.F = reader.vector(reader.get(root, "", "F"), "F", -1);
  const Eigen::Index n = problem.F.size();
  problem.M = reader.matrix(reader.get(root, "", "M"), "M", n, n);
  const JsonValue& contacts = reader.get(root, "", "contacts");
  const JsonValue::Array& items = reader.list(contacts, "contacts");
  for (std::size_t i = 0; i < items.size(); ++i)
    problem.contacts.push_back(read_contact(reader, items[i], fmt::format("contacts[{}]", i), i, n));
  if (const JsonValue* actuators = root.find("actuators")) {
    const JsonValue::Array& list = reader.list(*actuators, "actuators");
    for (std::size_t i = 0; i < list.size(); ++i)
      problem.actuators.push_back(read_actuator(reader, list[i], fmt::format("actuators[{}]", i), i, n));
  }
  try {
    problem.validate();
  } catch (const InvalidInput& error) {
    const std::string message = error.what();
    reader.fail(root.where, "", "", message.substr(0, message.find_last_not_of('.') + 1));
  }
  return problem;
}

bool is_acceleration_json(const std::string& text) {
  try {
    Sources sources;
    const JsonValue root = parse_json(sources, sources.add("", text), kProblemLimits);
    return root.find("rigor_problem") != nullptr;
  } catch (const InvalidInput&) {
    return false;
  }
}

std::string to_json(const AccelerationProblem& problem) {
  JsonValue object{JsonValue::Object{}};
  object.add("rigor_problem", 1);
  object.add("M", to_rows(problem.M));
  object.add("F", to_value(problem.F));
  JsonValue::Array contacts;
  for (const AccelerationContact& contact : problem.contacts) {
    JsonValue& item = contacts.emplace_back(JsonValue::Object{});
    item.add("name", contact.name);
    item.add("kind", contact.is_unilateral() ? "unilateral" : "bilateral");
    item.add("normal", to_value(contact.normal));
    item.add("normal_bias", contact.normal_bias);
    if (contact.normal_min > 0.0) item.add("normal_min", contact.normal_min);
    if (std::isfinite(contact.normal_max)) item.add("normal_max", contact.normal_max);
    if (contact.tangents() == 0) continue;
    item.add("tangent", to_rows(contact.tangent));
    item.add("tangent_bias", to_value(contact.tangent_bias));
    item.add("mu", contact.mu);
    item.add("mode", contact.slides() ? "slide" : "stick");
    if (contact.slides()) item.add("slip", to_value(contact.slip));
  }
  object.add("contacts", std::move(contacts));
  JsonValue::Array actuators;
  for (const Actuator& actuator : problem.actuators) {
    JsonValue& item = actuators.emplace_back(JsonValue::Object{});
    item.add("name", actuator.name);
    item.add("force", to_value(actuator.force));
    if (std::isfinite(actuator.min)) item.add("min", actuator.min);
    if (std::isfinite(actuator.max)) item.add("max", actuator.max);
    item.add("weight", actuator.weight);
  }
  if (!actuators.empty()) object.add("actuators", std::move(actuators));
  return write_json(object) + "\n";
}

}  // namespace rigor
