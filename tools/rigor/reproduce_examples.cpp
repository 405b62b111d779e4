// Example 3 and the further instances of case F: examples 2, 5, 6 and the propositions' counterexamples. The problems
// are files of scenes/problems, so that 'rigor analyse brogliato-3-swinging' takes them too.
#include <string>

#include "rigor/analysis/analyse.hpp"
#include "tools/rigor/example_problems.hpp"
#include "tools/rigor/reproductions.hpp"

namespace rigor {
namespace {

// Example 2, one corner, with d/dt of the rows: a' = b, b' = −a.
void add_further_example_2(Outcome& outcome) {
  struct Case {
    const char* id;
    double H, mu_min;
  };
  for (const Case& c : {Case{"2-at-rest", -9.81, 0.05096839959225289},
                        {"2-turning", -8.257161462401779, 0.14912833479209003}}) {
    const AccelerationProblem problem = load_example(c.id);
    const Analysis analysis = analyse(problem);
    const std::string name = std::string("Ex. ") + c.id;
    outcome.add(name + ": H_c, m/s²", make_normal_lcp(problem).lcp.q[0], c.H, 1e-11);
    outcome.add(name + ": sticks", to_number(analysis.closed.answer), 1.0, 0.0);
    outcome.add(name + ": least mu", analysis.mu_min->mu, c.mu_min, 1e-6);
  }
}

// Example 3: the block with a pendulum, (88) and (90) as case F corrects them, at theta = 0.
void add_example_3(Outcome& outcome) {
  struct Case {
    const char* id;
    double sticks, mu_min, n1, n2, alpha_dd;
  };
  for (const Case& c :
       {Case{"3-hanging", 1, 0, 12.2625, 12.2625, 0},
        {"3-swinging", 1, 0.03191015081256821, 10.54821677506694, 11.388210539752745, -9.93818553856209},
        {"3-slippery", 0, 0.03191015081256821, 0, 0, 0}}) {
    const Analysis analysis = analyse(load_example(c.id));
    const std::string name = std::string("Ex. ") + c.id;
    outcome.add(name + ": sticks", to_number(analysis.closed.answer), c.sticks, 0.0);
    outcome.add(name + ": least mu", analysis.mu_min->mu, c.mu_min, 1e-6);
    if (analysis.closed.answer != Answer::kYes) continue;
    outcome.add(name + ": normal force at A1, N", analysis.contacts[0].force[0], c.n1, 1e-9);
    outcome.add(name + ": normal force at A2, N", analysis.contacts[1].force[0], c.n2, 1e-9);
    outcome.add(name + ": alpha'', rad/s²", analysis.closed.acceleration[3], c.alpha_dd, 1e-9);
  }
}

// Example 5 with fingers off the middles, and with the object turned; tangents as they should be.
void add_further_example_5(Outcome& outcome) {
  struct Case {
    const char* id;
    double mu_min, lt1, lt2, lt3;
  };
  for (const Case& c : {Case{"5-off-middle", 0.44859375, .455, -2, 14.355},
                        {"5-turned", 0.23796045, 10.2042327805, 1.986693307954312, 9.210886126522846}}) {
    const Analysis analysis = analyse(load_example(c.id));
    const std::string name = std::string("Ex. ") + c.id;
    outcome.add(name + ": sticks", to_number(analysis.closed.answer), 1.0, 0.0);
    outcome.add(name + ": least mu", analysis.mu_min->mu, c.mu_min, 1e-7);
    outcome.add(name + ": tangential force at A1, N", analysis.contacts[0].force[1], c.lt1, 1e-8);
    outcome.add(name + ": tangential force at A2, N", analysis.contacts[1].force[1], c.lt2, 1e-8);
    outcome.add(name + ": tangential force at A3, N", analysis.contacts[2].force[1], c.lt3, 1e-8);
  }
}

// Example 6 with other forces: sticks iff −mu1 F1 + mu2 F2 ≥ g.
void add_further_example_6(Outcome& outcome) {
  struct Case {
    const char* id;
    double sticks, mu_min;
  };
  for (const Case& c : {Case{"6-weak", 0, 9.81 / 30}, {"6-unlike", 1, 9.81 / 40}}) {
    const Analysis analysis = analyse(load_example(c.id));
    const std::string name = std::string("Ex. ") + c.id;
    outcome.add(name + ": sticks", to_number(analysis.closed.answer), c.sticks, 0.0);
    outcome.add(name + ": least mu", analysis.mu_min->mu, c.mu_min, 1e-6);
  }
}

// The statements that case F corrects: ranges of redundant normals (Prop. 6), an offset contact whose sign is wrong in
// print (Prop. 8), the facet objective (Prop. 10), no coefficient at all (Prop. 11), (64) (Prop. 12).
void add_propositions(Outcome& outcome) {
  const Analysis ranges = analyse(load_example("p6"));
  const double ends[3][2] = {{0, 4.405}, {0, 8.81}, {1, 5.405}};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string which = " normal force " + std::to_string(i + 1) + ", N";
    outcome.add("Prop. 6: least" + which, ranges.contacts[i].ranges[0].min, ends[i][0], 1e-7);
    outcome.add("Prop. 6: largest" + which, ranges.contacts[i].ranges[0].max, ends[i][1], 1e-7);
  }

  const Analysis wedged = analyse(load_example("p8"));
  outcome.add("Prop. 8, wedged in a corner: least mu", wedged.mu_min->mu, 1.0, 1e-6);
  outcome.add("Prop. 8, wedged in a corner: attained", wedged.mu_min->attained ? 1.0 : 0.0, 0.0, 0.0);

  const AccelerationProblem point = load_example("p10");
  outcome.add("Prop. 10: facet objective", decide_facets(point, 8, true).objective, 0.008207481615339119,
              1e-9);
  outcome.add("Prop. 10: the exact cone sticks", to_number(analyse(point).closed.answer), 1.0, 0.0);

  const Analysis lifted = analyse(load_example("p11-lifted"));
  outcome.add("Prop. 11, F = (1, 0): some mu works", to_number(lifted.mu_min->exists), 0.0, 0.0);
  const Analysis pressed = analyse(load_example("p11-pressed"));
  outcome.add("Prop. 11, F = (1, 2): least mu", pressed.mu_min->mu, 0.5, 1e-6);

  const CouplingBound bound = compute_coupling_bound(load_example("p12"));
  outcome.add("Prop. 12: left side of (64)", bound.left, 38.48220297343311, 1e-9);
  outcome.add("Prop. 12: right side of (64)", bound.right, 12.085254201680272, 1e-9);
  outcome.add("Prop. 12: least eigenvalue of A_c all the same", bound.least_eigenvalue, 1.473638002439761,
              1e-9);
}

Outcome run_examples(const std::vector<std::string>&) {
  Outcome outcome;
  add_further_example_2(outcome);
  add_example_3(outcome);
  add_further_example_5(outcome);
  add_further_example_6(outcome);
  add_propositions(outcome);
  return outcome;
}

}  // namespace

std::vector<Reproduction> list_example_reproductions() {
  return {{"brogliato-examples", "Brogliato, Kövecses, Acary",
           "example 3, further instances of 2, 5, 6, and the propositions' counterexamples", run_examples,
           true}};
}

}  // namespace rigor
