// Examples of the all-sticking paper, the problems of scenes/problems, against case F.
#include <fmt/format.h>

#include "rigor/analysis/analyse.hpp"
#include "rigor/base/require.hpp"
#include "rigor/io/acceleration_json.hpp"
#include "tools/rigor/embedded_scenes.hpp"
#include "tools/rigor/example_problems.hpp"
#include "tools/rigor/reproductions.hpp"

namespace rigor {

AccelerationProblem load_example(const std::string& id) {
  const std::string name = "brogliato-" + id;
  const EmbeddedText* text = find_acceleration_text(name);
  require(text != nullptr, "{}: there is a file of that name here, which hides the example. Move it away.",
          name);
  return parse_acceleration_json(std::string(text->text), fmt::format("(problem {})", name));
}

namespace {

// Examples 1 and 4: a block on both corners; sticks iff Fy ≥ (l/L)|Fx| and |Fx| ≤ mu1 λn1 + mu2 λn2.
void add_example_1(Outcome& outcome) {
  struct Case {
    const char* id;
    double L, l, Fx, Fy, sticks, mu_min;
  };
  for (const Case& c : {Case{"1a", 1, .5, 3, 9.81, 1, 3 / 9.81},
                        {"1b", .5, 1, 4, 9.81, 1, 4 / 9.81},
                        {"1c", 1, 1, -5, 19.62, 1, 5 / 19.62},
                        {"1d", 1, 1, 5, 19.62, 1, 5 / 19.62},
                        {"1e", 2, 1, 9, 29.43, 0, 9 / 29.43},
                        {"1f", .6, .9, 7, 14.715, 1, 7 / 14.715}}) {
    const Analysis analysis = analyse(load_example(c.id));
    const std::string name = fmt::format("Ex. {}, Fx = {}", c.id, c.Fx);
    outcome.add(name + ": sticks", to_number(analysis.closed.answer), c.sticks, 0.0);
    outcome.add(name + ": least mu", analysis.mu_min->mu, c.mu_min, 1e-6);
    if (analysis.closed.answer != Answer::kYes) continue;
    outcome.add(name + ": normal force at A1, N", analysis.contacts[0].force[0],
                c.Fy / 2 - c.l * c.Fx / (2 * c.L), 1e-9);
  }
}

// Example 2: one corner, with (41) corrected.
void add_example_2(Outcome& outcome) {
  const AccelerationProblem problem = load_example("2");
  const NormalLcp normal_lcp = make_normal_lcp(problem);
  outcome.add("Ex. 2: A_c, 1/kg", normal_lcp.lcp.M(0, 0), 1.6428663828929504, 1e-12);
  outcome.add("Ex. 2: H_c, m/s²", normal_lcp.lcp.q[0], -11.04098414385604, 1e-12);
  outcome.add("Ex. 2: least mu", analyse(problem).mu_min->mu, 0.7377189457679607, 1e-6);
}

// Example 5: three fingers on a rectangle, the tangents as they should be; theta = 0.
void add_example_5(Outcome& outcome) {
  const Analysis analysis = analyse(load_example("5"));
  outcome.add("Ex. 5: sticks", to_number(analysis.closed.answer), 1.0, 0.0);
  outcome.add("Ex. 5: least mu", analysis.mu_min->mu, 0.37025, 1e-6);
  outcome.add("Ex. 5: tangential force at A1, N", analysis.contacts[0].force[1], 7.405, 1e-8);
}

// Example 6: a mass between two fingers, at x = a; fixed, then moving fingers.
void add_example_6(Outcome& outcome) {
  const Analysis analysis = analyse(load_example("6"));
  outcome.add("Ex. 6: sticks", to_number(analysis.closed.answer), 1.0, 0.0);
  outcome.add("Ex. 6: least mu = g/(|F1| + F2)", analysis.mu_min->mu, 9.81 / 40.0, 1e-6);
  outcome.add("Ex. 6: least tangential force at A1, N", analysis.contacts[1].ranges[1].min, 3.81, 1e-7);
  outcome.add("Ex. 6: largest tangential force at A1, N", analysis.contacts[1].ranges[1].max, 6.0, 1e-7);

  const double F1y = -6.0, F2y = 1.0, g = 9.81;
  const Analysis second = analyse(load_example("6-moving"));
  outcome.add("Ex. 6, moving fingers: y\'\', m/s²", second.closed.acceleration[1], -(g + F1y + F2y) / 3,
              1e-9);
  outcome.add("Ex. 6, moving fingers: force at A1, N", second.contacts[1].force[1], (g + F2y - 2 * F1y) / 3,
              1e-8);
  outcome.add("Ex. 6, moving fingers: least mu", second.mu_min->mu, 7.603333333333334 / 20.0, 1e-6);
}

// Section 5: a block on a plate that slides (Prop. 13), F = 10 and 30 N.
void add_sliding_plate(Outcome& outcome) {
  for (const auto& [F, mu_min] : {std::pair{10, 0.139789}, {30, 0.819368}}) {
    const Analysis analysis = analyse(load_example(fmt::format("13-{}", F)));
    const std::string name = fmt::format("Prop. 13, F = {} N", F);
    outcome.add(name + ": sticks", to_number(analysis.closed.answer), F == 10 ? 1.0 : 0.0, 0.0);
    outcome.add(name + ": least mu", analysis.mu_min->mu, mu_min, 1e-6);
  }
}

Outcome run_sticking(const std::vector<std::string>&) {
  Outcome outcome;
  add_example_1(outcome);
  add_example_2(outcome);
  add_example_5(outcome);
  add_example_6(outcome);
  add_sliding_plate(outcome);
  return outcome;
}

}  // namespace

std::vector<Reproduction> list_analyse_reproductions() {
  return {{"brogliato-sticking", "Brogliato, Kövecses, Acary",
           "examples 1, 2, 4, 5, 6 and proposition 13: sticks, least friction, forces", run_sticking, true}};
}

}  // namespace rigor
