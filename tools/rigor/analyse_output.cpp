#include "tools/rigor/analyse_output.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tools/rigor/solve_output.hpp"

namespace rigor {
namespace {

constexpr std::size_t kShownContacts = 40;

const char* describe_answer(Answer answer) {
  return answer == Answer::kYes ? "yes" : answer == Answer::kNo ? "no" : "undecided (margin below 1e-9)";
}

const char* word(ContactStanding standing) {
  switch (standing) {
    case ContactStanding::kSticks:
      return "sticks";
    case ContactStanding::kOnBoundary:
      return "on-boundary";
    case ContactStanding::kOpens:
      return "opens";
    case ContactStanding::kSlides:
      return "slides";
    case ContactStanding::kUndetermined:
      break;
  }
  return "undetermined";
}

JsonValue mu_to_json(const LeastFriction& least) {
  if (least.exists == Answer::kYes) return least.mu;
  return nullptr;
}

JsonValue contact_to_json(const AccelerationContact& contact, const ContactAnalysis& own) {
  JsonValue item{JsonValue::Object{}};
  item.add("name", contact.name);
  item.add("kind", contact.is_unilateral() ? "unilateral" : "bilateral");
  item.add("state", std::string(word(own.standing)));
  if (own.force.size() > 0) {
    item.add("normal", own.force[0]);
    item.add("tangent", vector_to_json(own.force.tail(contact.tangents())));
    item.add("margin", contact.tangents() > 0 ? JsonValue(own.margin) : JsonValue(nullptr));
  } else {
    item.add("normal", nullptr);
    item.add("tangent", nullptr);
    item.add("margin", nullptr);
  }
  if (!own.ranges.empty()) {
    JsonValue::Array low, high;
    for (const Interval& range : own.ranges) {
      low.emplace_back(range.min);
      high.emplace_back(range.max);
    }
    item.add("min", std::move(low));
    item.add("max", std::move(high));
  }
  item.add("mu", contact.mu);
  if (own.mu) {
    item.add("mu_min", mu_to_json(*own.mu));
    item.add("attained", own.mu->attained);
  }
  return item;
}

JsonValue proof_to_json(const AccelerationProblem& problem, const StickingAnswer& closed) {
  if (closed.answer != Answer::kNo) return nullptr;
  JsonValue proof{JsonValue::Object{}};
  if (closed.contradiction.size() > 0) {
    proof.add("contradiction", vector_to_json(closed.contradiction));
    return proof;
  }
  const MotionCheck check = check_blocking_motion(problem, closed.verdict.motion);
  proof.add("motion", vector_to_json(closed.verdict.motion));
  proof.add("power", check.power);
  proof.add("bound", check.bound);
  proof.add("checked", is_refused(problem, closed));
  return proof;
}

std::string number(double value) {
  if (std::isnan(value)) return "?";
  if (std::isinf(value)) return value > 0.0 ? "∞" : "-∞";
  return fmt::format("{:.6g}", std::abs(value) < 1e-12 ? 0.0 : value);
}

std::string describe_mu(const LeastFriction& least) {
  if (least.exists == Answer::kNo) return "no coefficient of friction is enough";
  if (least.exists == Answer::kUndecided) return "undecided";
  if (!least.attained) return fmt::format("every one above {:.9g}, which itself is not enough", least.mu);
  return fmt::format("{:.9g}", least.mu);
}

void add_verdicts(const Analysis& analysis, JsonValue& value) {
  value.add("solvable", answer_to_json(analysis.opening.answer));
  value.add("all_sticking", answer_to_json(analysis.closed.answer));
  value.add("without_friction", answer_to_json(analysis.frictionless.answer));
  value.add("without_cones", answer_to_json(analysis.opening.without_cones));
  value.add("persists", analysis.persists());
  value.add("acceleration_unique", analysis.acceleration_unique);
  value.add("forces_unique",
            analysis.force_dimension < 0 ? JsonValue(nullptr) : JsonValue(analysis.force_dimension == 0));
  value.add("force_dimension",
            analysis.force_dimension < 0 ? JsonValue(nullptr) : JsonValue(analysis.force_dimension));
  const bool is_solved = analysis.opening.answer == Answer::kYes;
  value.add("acceleration",
            is_solved ? vector_to_json(analysis.opening.sticking.acceleration) : JsonValue(nullptr));
  value.add("margin", analysis.closed.verdict.margin);
}

JsonValue redundancy_to_json(const Analysis& analysis) {
  JsonValue::Array redundant;
  for (const DependentRow& row : analysis.dependence.dependent) {
    JsonValue& item = redundant.emplace_back(JsonValue::Object{});
    item.add("row", row.row);
    JsonValue::Array follows;
    for (const std::string& name : row.follows) follows.emplace_back(name);
    item.add("follows_from", std::move(follows));
  }
  return redundant;
}

JsonValue propositions_to_json(const Analysis& analysis) {
  JsonValue::Array propositions;
  for (const PropositionCheck& check : analysis.propositions) {
    JsonValue& item = propositions.emplace_back(JsonValue::Object{});
    item.add("id", check.id);
    item.add("applies", answer_to_json(check.applies()));
    JsonValue::Array hypotheses;
    for (const Hypothesis& hypothesis : check.hypotheses) {
      JsonValue& entry = hypotheses.emplace_back(JsonValue::Object{});
      entry.add("text", hypothesis.text);
      entry.add("holds", answer_to_json(hypothesis.holds));
    }
    item.add("hypotheses", std::move(hypotheses));
    item.add("concludes", check.concludes);
    item.add("value", check.value);
    item.add("bound", check.bound);
  }
  return propositions;
}

JsonValue sliding_to_json(const Analysis& analysis) {
  JsonValue sliding{JsonValue::Object{}};
  sliding.add("solutions", static_cast<double>(analysis.sliding.solutions.size()));
  sliding.add("complete", analysis.sliding.is_complete);
  JsonValue::Array critical;
  for (const double mu : analysis.sliding.critical_mu) critical.emplace_back(mu);
  sliding.add("critical_mu", std::move(critical));
  sliding.add("critical_common", analysis.sliding.critical_common);
  sliding.add("definite_common", analysis.sliding.definite_common);
  sliding.add("corollary_5", analysis.sliding.corollary_common);
  return sliding;
}

// Whether all contacts stick, or the motion that proves that they cannot.
std::string describe_sticking(const AccelerationProblem& problem, const Analysis& analysis) {
  const StickingAnswer& closed = analysis.closed;
  if (closed.answer == Answer::kUndecided)
    return "Whether all contacts stick is undecided: the margin is below 1e-9.\n";
  if (closed.answer == Answer::kYes)
    return analysis.persists()
               ? fmt::format(
                     "All contacts stick, with {} N of normal force to spare at each{}, and go on "
                     "sticking.\n",
                     number(closed.verdict.margin), closed.verdict.is_capped ? " or more" : "")
               : "All contacts can stick, but only just: some force must lie on the boundary of its cone.\n";
  if (closed.contradiction.size() > 0)
    return "The contacts cannot all stay closed: they ask for accelerations that contradict each other.\n";
  const MotionCheck check = check_blocking_motion(problem, closed.verdict.motion);
  return fmt::format(
      "The contacts cannot all stick: a motion that every cone lets pass is driven by the load with "
      "power {} W "
      "({}; forces below {} N cannot prevent it).\n  motion {}\n",
      number(-check.power), is_refused(problem, closed) ? "checked" : "not confirmed by the check",
      number(check.bound), describe_vector(closed.verdict.motion, 12));
}

std::string describe_verdicts(const Analysis& analysis) {
  std::string text = fmt::format(
      "  with opening allowed {}, all closed {}, without friction {}, cones aside {}\n",
      describe_answer(analysis.opening.answer), describe_answer(analysis.closed.answer),
      describe_answer(analysis.frictionless.answer), describe_answer(analysis.opening.without_cones));
  if (!analysis.opening.note.empty()) text += fmt::format("  {}\n", analysis.opening.note);
  if (analysis.mu_min)
    text += fmt::format("Least friction, one coefficient for all: {}\n", describe_mu(*analysis.mu_min));
  if (analysis.force_dimension >= 0)
    text += fmt::format(
        "Accelerations are {}unique; forces are {}.\n", analysis.acceleration_unique ? "" : "not ",
        analysis.force_dimension == 0 ? std::string("unique")
                                      : fmt::format("not: a set of dimension {}", analysis.force_dimension));
  return text;
}

std::string describe_contacts(const AccelerationProblem& problem, const Analysis& analysis) {
  std::string text = fmt::format("  {:<34} {:<12} {:>12} {:>27} {:>12} {:>12}\n", "contact", "state",
                                 "normal, N", "over all solutions", "margin, N", "least mu");
  for (std::size_t i = 0; i < std::min(problem.contacts.size(), kShownContacts); ++i) {
    const ContactAnalysis& own = analysis.contacts[i];
    const std::string range =
        own.ranges.empty() ? ""
                           : fmt::format("[{}, {}]", number(own.ranges[0].min), number(own.ranges[0].max));
    text += fmt::format("  {:<34} {:<12} {:>12} {:>27} {:>12} {:>12}\n", problem.contacts[i].name,
                        word(own.standing), own.force.size() > 0 ? number(own.force[0]) : "-", range,
                        own.force.size() > 1 ? number(own.margin) : "-",
                        own.mu ? (own.mu->exists == Answer::kYes ? number(own.mu->mu) : "none") : "-");
  }
  if (problem.contacts.size() > kShownContacts)
    text += fmt::format("  … and {} more: see --json\n", problem.contacts.size() - kShownContacts);
  return text;
}

std::string describe_propositions(const Analysis& analysis) {
  std::string text = "Propositions\n";
  for (const PropositionCheck& check : analysis.propositions) {
    text += fmt::format("  {:<14} {}\n", check.id,
                        check.applies() == Answer::kYes ? check.concludes : "says nothing here");
    for (const Hypothesis& hypothesis : check.hypotheses)
      if (hypothesis.holds != Answer::kYes)
        text += fmt::format("  {:<14}   fails: {}\n", "", hypothesis.text);
  }
  return text;
}

}  // namespace

JsonValue answer_to_json(Answer answer) {
  if (answer == Answer::kUndecided) return nullptr;
  return answer == Answer::kYes;
}

JsonValue analysis_to_json(const AccelerationProblem& problem, const Analysis& analysis) {
  JsonValue value{JsonValue::Object{}};
  add_verdicts(analysis, value);
  JsonValue::Array contacts;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    contacts.push_back(contact_to_json(problem.contacts[i], analysis.contacts[i]));
  value.add("contacts", std::move(contacts));
  value.add("mu_min", analysis.mu_min ? mu_to_json(*analysis.mu_min) : JsonValue(nullptr));
  value.add("attained", analysis.mu_min ? JsonValue(analysis.mu_min->attained) : JsonValue(nullptr));
  value.add("proof", proof_to_json(problem, analysis.closed));
  value.add("redundant", redundancy_to_json(analysis));
  value.add("propositions", propositions_to_json(analysis));
  if (analysis.sliding.exists) value.add("sliding", sliding_to_json(analysis));
  value.add("note", analysis.opening.note);
  return value;
}

std::string describe_analysis(const AccelerationProblem& problem, const Analysis& analysis) {
  std::string text =
      fmt::format("{} coordinates, {} contacts and constraints\n", problem.size(), problem.contacts.size());
  text += describe_sticking(problem, analysis);
  text += describe_verdicts(analysis);
  text += describe_contacts(problem, analysis);
  if (analysis.sliding.exists)
    text += fmt::format("Sliding: {} solution{}; unique for every load below mu = {} (Cor. 5 promises {})\n",
                        analysis.sliding.solutions.size(), analysis.sliding.solutions.size() == 1 ? "" : "s",
                        number(analysis.sliding.critical_common), number(analysis.sliding.corollary_common));
  for (const DependentRow& row : analysis.dependence.dependent)
    text += fmt::format("Redundant: {} follows from {}\n", row.row, fmt::join(row.follows, ", "));
  text += describe_propositions(analysis);
  return text;
}

}  // namespace rigor
