#include "tools/rigor/analyse_output.hpp"

#include <fmt/format.h>

#include <algorithm>
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
    item.add("attained", own.mu->is_closed_in() ? JsonValue(own.mu->attained) : JsonValue(nullptr));
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
  if (!least.is_closed_in())
    return fmt::format("between {:.9g}, which is not enough, and {:.9g}, which is", least.below, least.mu);
  if (!least.attained) return fmt::format("every one above {:.9g}, which itself is not enough", least.mu);
  return fmt::format("{:.9g}", least.mu);
}

void add_verdicts(const AccelerationProblem& problem, const Analysis& analysis, JsonValue& value) {
  value.add("solvable", answer_to_json(analysis.opening.answer));
  value.add("all_sticking", answer_to_json(analysis.closed.answer));
  value.add("without_friction", answer_to_json(analysis.frictionless.answer));
  value.add("without_cones", answer_to_json(analysis.opening.without_cones));
  value.add("persists", analysis.persists);
  value.add("acceleration_unique", answer_to_json(analysis.acceleration_unique));
  value.add("forces_unique", answer_to_json(analysis.forces_unique));
  value.add("force_dimension",
            analysis.force_dimension < 0 ? JsonValue(nullptr) : JsonValue(analysis.force_dimension));
  const SolutionSet& solutions = analysis.opening.solutions;
  const std::optional<int> count = solutions.count();
  value.add("solutions", count ? JsonValue(*count) : JsonValue(nullptr));
  value.add("solutions_complete", solutions.is_complete);
  value.add("ranges_cover_all", analysis.ranges_cover_all);
  const bool is_solved = analysis.opening.answer == Answer::kYes;
  value.add("acceleration",
            is_solved ? vector_to_json(analysis.opening.sticking.acceleration) : JsonValue(nullptr));
  if (!analysis.acceleration_ranges.empty()) {
    JsonValue::Array low, high;
    for (const Interval& range : analysis.acceleration_ranges) {
      low.emplace_back(range.min);
      high.emplace_back(range.max);
    }
    value.add("acceleration_min", std::move(low));
    value.add("acceleration_max", std::move(high));
  }
  const bool has_margin =
      std::any_of(problem.contacts.begin(), problem.contacts.end(), [](const AccelerationContact& contact) {
        return contact.is_unilateral() || (contact.tangents() > 0 && contact.mu > 0.0);
      });
  value.add("margin", has_margin ? JsonValue(analysis.closed.verdict.margin) : JsonValue(nullptr));
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
  JsonValue::Array critical;
  for (const double mu : analysis.sliding.critical_mu) critical.emplace_back(mu);
  sliding.add("critical_mu", std::move(critical));
  sliding.add("critical_common", analysis.sliding.critical_common);
  sliding.add("definite_common", analysis.sliding.definite_common);
  sliding.add("corollary_5", analysis.sliding.corollary_common);
  return sliding;
}

// What "all closed" asks of the contacts of this problem.
struct Asked {
  int sticking{0}, sliding{0}, bilateral{0};
};

Asked count_asked(const AccelerationProblem& problem) {
  Asked asked;
  for (const AccelerationContact& contact : problem.contacts)
    ++(contact.slides()                                    ? asked.sliding
       : contact.is_unilateral() || contact.tangents() > 0 ? asked.sticking
                                                           : asked.bilateral);
  return asked;
}

// "All contacts stick", with the words that are true of this problem.
std::string describe_all(const Asked& asked, bool can) {
  const char* verb = can ? "can" : "cannot all";
  const char* all = can ? "All" : "The";
  if (asked.sliding == 0) return fmt::format("{} contacts {}", all, can ? "stick" : "cannot all stick");
  if (asked.sticking == 0)
    return fmt::format("{} contacts {} stay closed while they slide as they do", all, verb);
  return fmt::format("{} contacts {} stay closed, {} sticking and {} sliding as they do", all, verb,
                     asked.sticking, asked.sliding);
}

// Whether all contacts stick, or the motion that proves that they cannot.
std::string describe_sticking(const AccelerationProblem& problem, const Analysis& analysis) {
  const StickingAnswer& closed = analysis.closed;
  const Asked asked = count_asked(problem);
  if (asked.sticking + asked.sliding == 0 && closed.answer == Answer::kYes)
    return fmt::format("No contact is closed: nothing sticks, and nothing is asked of friction{}.\n",
                       asked.bilateral > 0 ? "; the constraints can be kept" : "");
  if (closed.answer == Answer::kUndecided)
    return fmt::format("Whether all contacts {} is undecided: the margin is below 1e-9.\n",
                       asked.sliding > 0 ? "can stay closed" : "stick");
  if (closed.answer == Answer::kYes) {
    if (closed.verdict.is_face || !(closed.verdict.margin > 0.0))
      return fmt::format("{}, but only just: some force must lie on the boundary of its cone.\n",
                         asked.sliding > 0 ? describe_all(asked, true) : "All contacts can stick");
    return fmt::format("{}, with {} N of normal force to spare at each{}{}.\n", describe_all(asked, true),
                       number(closed.verdict.margin), closed.verdict.is_capped ? " or more" : "",
                       analysis.persists ? "; a small change of the load does not end that" : "");
  }
  if (closed.contradiction.size() > 0)
    return "The contacts cannot all stay closed: they ask for accelerations that contradict each other.\n";
  const MotionCheck check = check_blocking_motion(problem, closed.verdict.motion);
  return fmt::format(
      "{}: a motion that every cone lets pass is driven by the load with power {} W ({}; forces below {} N "
      "cannot prevent it).\n  motion {}\n",
      describe_all(asked, false), number(-check.power),
      is_refused(problem, closed) ? "checked" : "not confirmed by the check", number(check.bound),
      describe_vector(closed.verdict.motion, 12));
}

// "unique", "not unique", or that it could not be decided.
std::string describe_uniqueness(const Analysis& analysis) {
  const SolutionSet& solutions = analysis.opening.solutions;
  if (solutions.pieces.empty()) return "";
  const auto word = [](Answer unique) {
    return unique == Answer::kYes  ? "unique"
           : unique == Answer::kNo ? "not unique"
                                   : "perhaps unique (undecided)";
  };
  // with friction, what sticks could also begin to slip: of that only the plane's Coulomb solutions know
  const bool may_slip =
      std::any_of(analysis.contacts.begin(), analysis.contacts.end(), [](const ContactAnalysis& contact) {
        return contact.standing != ContactStanding::kSlides && contact.force.size() > 1;
      });
  std::string text = fmt::format("{}ccelerations are {}; forces are {}",
                                 may_slip ? "While what sticks goes on sticking, a" : "A",
                                 word(analysis.acceleration_unique), word(analysis.forces_unique));
  if (analysis.force_dimension > 0) text += fmt::format(", a set of dimension {}", analysis.force_dimension);
  const std::optional<int> count = solutions.count();
  if (count && *count > 1)
    text += fmt::format(": {}{} solutions", solutions.is_complete ? "" : "at least ", *count);
  text += ".\n";
  if (!solutions.is_complete)
    text +=
        "  Not every choice of open and closed contacts could be decided: there may be solutions beside "
        "these.\n";
  for (std::size_t j = 0; j < std::min<std::size_t>(analysis.acceleration_ranges.size(), 12); ++j) {
    const Interval& range = analysis.acceleration_ranges[j];
    const double size = std::max(std::abs(range.min), std::abs(range.max));
    if (std::isinf(size) || !(range.max - range.min <= 1e-9 * size))
      text += fmt::format("  acceleration {} lies in [{}, {}]{}\n", j + 1, number(range.min),
                          number(range.max), solutions.is_complete ? "" : " or beyond");
  }
  return text;
}

std::string describe_verdicts(const Analysis& analysis) {
  std::string text = fmt::format(
      "  with opening allowed {}, all closed {}, without friction {}, cones aside {}\n",
      describe_answer(analysis.opening.answer), describe_answer(analysis.closed.answer),
      describe_answer(analysis.frictionless.answer), describe_answer(analysis.opening.without_cones));
  if (!analysis.opening.note.empty()) text += fmt::format("  {}\n", analysis.opening.note);
  if (analysis.mu_min)
    text += fmt::format("Least friction, one coefficient for all: {}\n", describe_mu(*analysis.mu_min));
  return text + describe_uniqueness(analysis);
}

std::string describe_contacts(const AccelerationProblem& problem, const Analysis& analysis) {
  if (problem.contacts.empty()) return "";
  std::string text =
      fmt::format("  {:<34} {:<12} {:>12} {:>27} {:>12} {:>12}\n", "contact", "state", "normal, N",
                  analysis.ranges_cover_all ? "over all solutions" : "at least", "margin, N", "least mu");
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
  add_verdicts(problem, analysis, value);
  JsonValue::Array contacts;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    contacts.push_back(contact_to_json(problem.contacts[i], analysis.contacts[i]));
  value.add("contacts", std::move(contacts));
  value.add("mu_min", analysis.mu_min ? mu_to_json(*analysis.mu_min) : JsonValue(nullptr));
  const bool is_known = analysis.mu_min && analysis.mu_min->is_closed_in();
  value.add("attained", is_known ? JsonValue(analysis.mu_min->attained) : JsonValue(nullptr));
  value.add("mu_below", analysis.mu_min && analysis.mu_min->exists == Answer::kYes
                            ? JsonValue(analysis.mu_min->below)
                            : JsonValue(nullptr));
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
  if (!problem.contacts.empty()) text += describe_verdicts(analysis);
  text += describe_contacts(problem, analysis);
  if (analysis.sliding.exists)
    text += fmt::format(
        "Sliding: one solution of the contact LCP for every load below mu = {} (Cor. 5 promises {})\n",
        number(analysis.sliding.critical_common), number(analysis.sliding.corollary_common));
  for (const DependentRow& row : analysis.dependence.dependent)
    text += fmt::format("Redundant: {} follows from {}\n", row.row, fmt::join(row.follows, ", "));
  if (!problem.contacts.empty()) text += describe_propositions(analysis);
  return text;
}

}  // namespace rigor
