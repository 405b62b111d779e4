#include "tools/rigor/analyse_details.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "rigor/base/require.hpp"
#include "tools/rigor/solve_output.hpp"

namespace rigor {
namespace {

constexpr std::size_t kMaxListed = 6;  // contacts whose modes are all tried
constexpr std::size_t kMaxShown = 12;  // sets of modes that are printed

const char* word(AccelerationMode mode) {
  switch (mode) {
    case AccelerationMode::kOpens:
      return "opens";
    case AccelerationMode::kSticks:
      return "sticks";
    case AccelerationMode::kSlips:
      break;
  }
  return "slips";
}

double parse_end(const std::string& text, double otherwise, const std::string& all) {
  if (text.empty()) return otherwise;
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size() && std::isfinite(value),
          "--free {}: \"{}\" is no number. Give NAME or NAME:MIN:MAX; an end may be left empty.", all, text);
  return value;
}

bool is_checked(const AccelerationProblem& problem, const AnalyseDetails& details) {
  const Synthesis& change = *details.change;
  return std::all_of(change.proofs.begin(), change.proofs.end(), [&](const Synthesis::Proof& proof) {
    return check_synthesis(problem, proof.motion, proof.signs, details.options).holds;
  });
}

// √(2 · the bound that the motion proves)
double find_bound(const AccelerationProblem& problem, const AnalyseDetails& details) {
  const Synthesis& change = *details.change;
  const SynthesisCheck check = check_synthesis(problem, change.motion, change.signs, details.options);
  return std::sqrt(2.0 * std::max(0.0, check.bound));
}

void add_change(const AccelerationProblem& problem, const AnalyseDetails& details, JsonValue& value) {
  const Synthesis& change = *details.change;
  JsonValue item{JsonValue::Object{}};
  item.add("possible", change.answer == Answer::kUndecided ? JsonValue(nullptr)
                                                           : JsonValue(change.answer == Answer::kYes));
  if (change.answer == Answer::kYes) {
    JsonValue::Array actuators;
    for (std::size_t j = 0; j < problem.actuators.size(); ++j) {
      JsonValue& entry = actuators.emplace_back(JsonValue::Object{});
      entry.add("name", problem.actuators[j].name);
      entry.add("value", change.change[static_cast<Eigen::Index>(j)]);
    }
    item.add("actuators", std::move(actuators));
    item.add("cost", change.cost);
    item.add("bound", find_bound(problem, details));
    item.add("violation", change.violation);
    JsonValue::Array forces;
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      JsonValue& entry = forces.emplace_back(JsonValue::Object{});
      entry.add("name", problem.contacts[i].name);
      entry.add("normal", change.forces[i][0]);
      entry.add("tangent", vector_to_json(change.forces[i].tail(problem.contacts[i].tangents())));
    }
    item.add("contacts", std::move(forces));
    item.add("acceleration", vector_to_json(change.acceleration));
  } else if (change.answer == Answer::kNo) {
    JsonValue::Array proofs;
    for (const Synthesis::Proof& proof : change.proofs) {
      JsonValue& entry = proofs.emplace_back(JsonValue::Object{});
      JsonValue::Array signs;
      for (const int sign : proof.signs) signs.emplace_back(sign);
      entry.add("signs", std::move(signs));
      entry.add("motion", vector_to_json(proof.motion));
    }
    item.add("proofs", std::move(proofs));
    item.add("checked", is_checked(problem, details));
  }
  value.add("change", std::move(item));
}

std::string describe_change(const AccelerationProblem& problem, const AnalyseDetails& details) {
  const Synthesis& change = *details.change;
  switch (change.answer) {
    case Answer::kUndecided:
      return "Whether the actuators can make all contacts stick is undecided: the margin is below 1e-9.\n";
    case Answer::kNo:
      if (change.contradiction.size() > 0)
        return "No forces make all contacts stick: their accelerations contradict each other.\n";
      return fmt::format(
          "No forces of the actuators make all contacts stick, proved by {} ({}).\n  motion {}\n",
          change.proofs.size() == 1
              ? std::string("a motion")
              : fmt::format("{} motions, one per branch of signs", change.proofs.size()),
          is_checked(problem, details) ? "checked" : "not confirmed by the check",
          describe_vector(change.proofs.front().motion, 12));
    case Answer::kYes:
      break;
  }
  if (change.cost == 0.0) return "The actuators have nothing to add: all contacts stick as it is.\n";
  std::string text =
      fmt::format("Least forces that make all contacts stick: {:.9g} (proved: not below {:.9g})\n",
                  change.cost, find_bound(problem, details));
  for (std::size_t j = 0; j < problem.actuators.size(); ++j)
    text += fmt::format("  {:<34} {:.9g}\n", problem.actuators[j].name,
                        change.change[static_cast<Eigen::Index>(j)]);
  return text;
}

}  // namespace

Actuator parse_free_direction(const std::string& text, const std::vector<std::string>& names) {
  Actuator actuator;
  actuator.name = text;
  std::string low, high;
  if (const std::size_t second = text.rfind(':'); second != std::string::npos && second > 0) {
    const std::size_t first = text.rfind(':', second - 1);
    require(first != std::string::npos, "--free {}: give NAME or NAME:MIN:MAX; an end may be left empty.",
            text);
    low = text.substr(first + 1, second - first - 1);
    high = text.substr(second + 1);
    actuator.name = text.substr(0, first);
  }
  actuator.min = parse_end(low, actuator.min, text);
  actuator.max = parse_end(high, actuator.max, text);
  const auto found = std::find(names.begin(), names.end(), actuator.name);
  require(
      found != names.end(), "--free {}: no coordinate \"{}\". Known: {}{}.", text, actuator.name,
      fmt::join(names.begin(),
                names.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(12, names.size())), ", "),
      names.size() > 12 ? ", …" : "");
  actuator.force = Eigen::VectorXd::Unit(static_cast<Eigen::Index>(names.size()), found - names.begin());
  return actuator;
}

AnalyseDetails find_details(const AccelerationProblem& problem, const SynthesisOptions& options) {
  AnalyseDetails details;
  details.options = options;
  if (!problem.actuators.empty()) details.change = find_least_change(problem, options);
  const bool is_planar =
      std::all_of(problem.contacts.begin(), problem.contacts.end(),
                  [](const AccelerationContact& contact) { return contact.tangents() <= 1; });
  if (is_planar && !problem.contacts.empty() && problem.contacts.size() <= kMaxListed)
    details.coulomb = find_coulomb_solutions(problem, kMaxListed);
  return details;
}

void add_details(const AccelerationProblem& problem, const AnalyseDetails& details, JsonValue& value) {
  if (details.change) add_change(problem, details, value);
  if (!details.coulomb) return;
  const CoulombSolutions& coulomb = *details.coulomb;
  JsonValue::Array list;
  for (const CoulombPiece& one : coulomb.pieces) {
    JsonValue& item = list.emplace_back(JsonValue::Object{});
    item.add("acceleration", vector_to_json(one.a));
    JsonValue::Array modes, forces;
    for (const AccelerationMode mode : one.modes) modes.emplace_back(word(mode));
    for (const Eigen::VectorXd& force : one.forces) forces.push_back(vector_to_json(force));
    item.add("modes", std::move(modes));
    item.add("forces", std::move(forces));
    item.add("acceleration_dimension", one.acceleration_dimension);
    item.add("force_dimension", one.force_dimension);
    item.add("residual", one.residual);
  }
  value.add("accelerations", std::move(list));
  JsonValue summary{JsonValue::Object{}};
  const std::optional<int> count = coulomb.count();
  summary.add("solutions", count ? JsonValue(*count) : JsonValue(nullptr));
  summary.add("complete", coulomb.is_complete);
  summary.add("acceleration_unique", coulomb.acceleration_unique == Answer::kUndecided
                                         ? JsonValue(nullptr)
                                         : JsonValue(coulomb.acceleration_unique == Answer::kYes));
  value.add("coulomb", std::move(summary));
}

namespace {

// "Coulomb's law has …", with what is known of the number.
std::string describe_count(const CoulombSolutions& coulomb) {
  const std::optional<int> count = coulomb.count();
  if (coulomb.pieces.empty())
    return coulomb.is_complete ? "Coulomb's law has no solution: friction is too large (Painlevé).\n"
                               : "Whether Coulomb's law has a solution is undecided.\n";
  const char* const at_least = coulomb.is_complete ? "" : "at least ";
  std::string text =
      count ? fmt::format("Coulomb's law has {}{} solution{}", at_least, *count, *count == 1 ? "" : "s")
            : fmt::format("Coulomb's law has infinitely many solutions, in {}{} set{} of modes", at_least,
                          coulomb.pieces.size(), coulomb.pieces.size() == 1 ? "" : "s");
  if (!count || *count > 1)
    text += coulomb.acceleration_unique == Answer::kYes  ? ", all with the same accelerations"
            : coulomb.acceleration_unique == Answer::kNo ? ", with different accelerations"
                                                         : "";
  return text + ":\n";
}

// What of a set of solutions one solution does not show.
std::string describe_freedom(const CoulombPiece& piece) {
  if (piece.acceleration_dimension > 0)
    return fmt::format(" (one of a set: accelerations of dimension {}, forces of {})",
                       piece.acceleration_dimension, piece.force_dimension);
  return piece.force_dimension > 0 ? fmt::format(" (forces: a set of dimension {})", piece.force_dimension)
                                   : "";
}

}  // namespace

std::string describe_details(const AccelerationProblem& problem, const AnalyseDetails& details) {
  std::string text;
  if (details.change) text += describe_change(problem, details);
  if (!details.coulomb) return text;
  text += describe_count(*details.coulomb);
  for (std::size_t k = 0; k < std::min(details.coulomb->pieces.size(), kMaxShown); ++k) {
    const CoulombPiece& one = details.coulomb->pieces[k];
    std::vector<std::string> modes;
    for (std::size_t i = 0; i < one.modes.size(); ++i)
      modes.push_back(fmt::format("{} {}", problem.contacts[i].name, word(one.modes[i])));
    text += fmt::format("  {}; acceleration {}{}\n", fmt::join(modes, ", "), describe_vector(one.a, 12),
                        describe_freedom(one));
  }
  if (details.coulomb->pieces.size() > kMaxShown)
    text += fmt::format("  … and {} more: see --json\n", details.coulomb->pieces.size() - kMaxShown);
  return text;
}

}  // namespace rigor
