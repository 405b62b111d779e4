// Example 3 and the further instances of case F: examples 2, 5, 6 and the propositions' counterexamples.
#include <cmath>
#include <string>

#include "rigor/analysis/analyse.hpp"
#include "tools/rigor/example_problems.hpp"
#include "tools/rigor/reproductions.hpp"

namespace rigor {
namespace {

using Eigen::MatrixXd;
using Eigen::RowVector3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

VectorXd row(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

// Example 2, one corner, with d/dt of the rows: a' = b, b' = −a.
void add_further_example_2(Outcome& outcome) {
  struct Case {
    double m, L, l, theta, rate, Fx, Fy, mu, H, sticks, mu_min;
  };
  for (const Case& c : {Case{1, 1, .5, 1.1071487177940904, 0, 2, 9.81, .5, -9.81, 1, 0.05096839959225289},
                        {2, .4, 1, .1, 1.5, -3, 19.62, .8, -8.257161462401779, 1, 0.14912833479209003}}) {
    const double a = c.l / 2 * std::sin(c.theta) - c.L / 2 * std::cos(c.theta);
    const double b = c.l / 2 * std::cos(c.theta) + c.L / 2 * std::sin(c.theta);
    AccelerationProblem problem;
    problem.M = Vector3d(c.m, c.m, c.m * (c.l * c.l + c.L * c.L) / 12).asDiagonal();
    problem.F = Vector3d(c.Fx, c.Fy, 0.0);
    problem.contacts = {make_contact("A2", Vector3d(0, 1, a), RowVector3d(1, 0, b), c.mu)};
    problem.contacts[0].normal_bias = b * c.rate * c.rate;
    problem.contacts[0].tangent_bias[0] = -a * c.rate * c.rate;
    const Analysis analysis = analyse(problem);
    const std::string name = "Ex. 2, theta = " + std::to_string(c.theta);
    outcome.add(name + ": H_c, m/s²", make_normal_lcp(problem).lcp.q[0], c.H, 1e-11);
    outcome.add(name + ": sticks", to_number(analysis.closed.answer), c.sticks, 0.0);
    outcome.add(name + ": least mu", analysis.mu_min->mu, c.mu_min, 1e-6);
  }
}

// Example 3: the block with a pendulum, (88) and (90) as case F corrects them, at theta = 0.
void add_example_3(Outcome& outcome) {
  const double m = 2, mb = .5, L = 1, l = .6, a = .8, g = 9.81;
  const double IG = m * (L * L + l * l) / 12, Ip = mb * a * a / 12;
  struct Case {
    double alpha, rate, mu, sticks, mu_min, n1, n2, alpha_dd;
  };
  const double pi = std::acos(-1.0);
  for (const Case& c :
       {Case{pi / 2, 0, .5, 1, 0, 12.2625, 12.2625, 0},
        {1, 3, .5, 1, 0.03191015081256821, 10.54821677506694, 11.388210539752745, -9.93818553856209},
        {1, 3, .02, 0, 0.03191015081256821, 0, 0, 0}}) {
    const double sin = std::sin(c.alpha), cos = std::cos(c.alpha), w2 = c.rate * c.rate;
    AccelerationProblem problem;
    problem.M.resize(4, 4);
    const double M13 = -mb / 2 * (l + a * sin), M14 = -mb / 2 * a * sin, M23 = mb / 2 * a * cos,
                 M33 = IG + mb * (a * a + l * l + 2 * a * l * sin) / 4 + Ip,
                 M34 = mb * a * (a + l * sin) / 4 + Ip, M44 = mb * a * a / 4 + Ip;
    problem.M << m + mb, 0, M13, M14, 0, m + mb, M23, M23, M13, M23, M33, M34, M14, M23, M34, M44;
    const double weight = mb * g * a / 2 * cos;
    problem.F = row({-mb * a / 2 * w2 * cos, -mb * a / 2 * w2 * sin + (m + mb) * g,
                     mb * a * l / 4 * w2 * cos + weight, weight});
    const MatrixXd tangent = row({1, 0, l / 2, 0}).transpose();
    problem.contacts = {make_contact("A1", row({0, 1, L / 2, 0}), tangent, c.mu),
                        make_contact("A2", row({0, 1, -L / 2, 0}), tangent, c.mu)};
    const Analysis analysis = analyse(problem);
    const std::string name = "Ex. 3, alpha = " + std::to_string(c.alpha) + ", mu = " + std::to_string(c.mu);
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
    double theta, x1, y1, x2, y2, x3, y3, f1, f2, f3, mu, mu_min;
    double lt1, lt2, lt3;
  };
  const double L = 0.2, l = 0.1, mf = 0.1, m = 1.0;
  for (const Case& c : {Case{0, -.1, .02, .01, .05, .1, -.02, 30, 5, 32, .5, 0.44859375, .455, -2, 14.355},
                        {.2, -.1, 0, 0, .05, .1, 0, 40, 10, 40, .6, 0.23796045, 10.2042327805,
                         1.986693307954312, 9.210886126522846}}) {
    const double cs = std::cos(c.theta), s = std::sin(c.theta);
    AccelerationProblem problem;
    problem.M = row({m, m, m * (L * L + l * l) / 12, mf, mf, mf}).asDiagonal();
    problem.F = row({0, m * 9.81, 0, -c.f1, c.f2, c.f3});
    // the finger's force acts at (x, y) of the object: its arm enters the normal rows
    problem.contacts = {
        make_contact("A1", row({cs, s, -c.y1, -cs, 0, 0}), row({-s, cs, c.x1, s, 0, 0}).transpose(), c.mu),
        make_contact("A2", row({s, -cs, -c.x2, 0, cs, 0}), row({-cs, -s, c.y2, 0, s, 0}).transpose(), c.mu),
        make_contact("A3", row({-cs, -s, c.y3, 0, 0, cs}), row({-s, cs, c.x3, 0, 0, s}).transpose(), c.mu)};
    const Analysis analysis = analyse(problem);
    const std::string name = "Ex. 5, theta = " + std::to_string(c.theta);
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
    double F1, F2, mu1, mu2, sticks, mu_min;
  };
  for (const Case& c : {Case{-10, 20, .3, .3, 0, 9.81 / 30}, {-30, 10, .4, .2, 1, 9.81 / 40}}) {
    AccelerationProblem problem;
    problem.M = MatrixXd::Identity(4, 4);
    problem.F = row({0, 9.81, c.F1, c.F2});
    AccelerationContact guide = make_contact("x = a", row({1, 0, 0, 0}), MatrixXd(0, 4), 0.0);
    guide.side = ContactSide::kBilateral;
    const MatrixXd tangent = row({0, 1, 0, 0}).transpose();
    problem.contacts = {guide, make_contact("A1", row({1, 0, -1, 0}), tangent, c.mu1),
                        make_contact("A2", row({-1, 0, 0, 1}), tangent, c.mu2)};
    const Analysis analysis = analyse(problem);
    const std::string name = "Ex. 6, F1 = " + std::to_string(c.F1);
    outcome.add(name + ": sticks", to_number(analysis.closed.answer), c.sticks, 0.0);
    outcome.add(name + ": least mu", analysis.mu_min->mu, c.mu_min, 1e-6);
  }
}

// The statements that case F corrects: ranges of redundant normals (Prop. 6), the facet objective (Prop. 10),
// an offset contact whose sign is wrong in print (Prop. 9), no coefficient at all (Prop. 11), (64) (Prop.
// 12).
void add_propositions(Outcome& outcome) {
  AccelerationProblem block;
  block.M = Vector3d(1, 1, 1.25 / 12).asDiagonal();
  block.F = Vector3d(2.0, 9.81, 0.0);
  for (const double x : {0.5, 0.0, -0.5})
    block.contacts.push_back(make_contact("n", Vector3d(0, 1, x), MatrixXd(0, 3), 0));
  AccelerationContact guide = make_contact("t", Vector3d(1, 0, 0.25), MatrixXd(0, 3), 0.0);
  guide.side = ContactSide::kBilateral;
  block.contacts.push_back(guide);
  const Analysis ranges = analyse(block);
  const double ends[3][2] = {{0, 4.405}, {0, 8.81}, {1, 5.405}};
  for (std::size_t i = 0; i < 3; ++i) {
    outcome.add("Prop. 6: least normal force " + std::to_string(i + 1) + ", N",
                ranges.contacts[i].ranges[0].min, ends[i][0], 1e-7);
    outcome.add("Prop. 6: largest normal force " + std::to_string(i + 1) + ", N",
                ranges.contacts[i].ranges[0].max, ends[i][1], 1e-7);
  }

  AccelerationProblem point;
  point.M = Eigen::Matrix3d::Identity();
  point.F = Vector3d(4.305047651619468, 1.783209123963227, 9.81);
  MatrixXd plane(2, 3);
  plane << 1, 0, 0, 0, 1, 0;
  point.contacts = {make_contact("c", Vector3d(0, 0, 1), plane, 0.5)};
  outcome.add("Prop. 10: facet objective", decide_facets(point, 8, true).objective, 0.008207481615339119,
              1e-9);
  outcome.add("Prop. 10: the exact cone sticks", to_number(analyse(point).closed.answer), 1.0, 0.0);

  AccelerationProblem corner;
  corner.M = Eigen::Matrix2d::Identity();
  const MatrixXd along = Eigen::RowVector2d(1, 0);
  corner.contacts = {make_contact("floor", Eigen::Vector2d(0, 1), along, 0.5)};
  corner.F = Eigen::Vector2d(1, 0);
  outcome.add("Prop. 11, F = (1, 0): some mu works", to_number(analyse(corner).mu_min->exists), 0.0, 0.0);
  corner.F = Eigen::Vector2d(1, 2);
  outcome.add("Prop. 11, F = (1, 2): least mu", analyse(corner).mu_min->mu, 0.5, 1e-6);
  corner.contacts.push_back(make_contact("wall", Eigen::Vector2d(1, 0), Eigen::RowVector2d(0, 1), 0.5));
  corner.F = Eigen::Vector2d(-1, -1);
  const Analysis wedged = analyse(corner);
  outcome.add("Prop. 8, wedged in a corner: least mu", wedged.mu_min->mu, 1.0, 1e-6);
  outcome.add("Prop. 8, wedged in a corner: attained", wedged.mu_min->attained ? 1.0 : 0.0, 0.0, 0.0);

  AccelerationProblem coupled;
  coupled.M = row({1, 1, 1, .5, .5, .5}).asDiagonal();
  coupled.F = VectorXd::Zero(6);
  coupled.contacts = {make_contact("n1", row({-.802, -.248, 1.136, -.553, .749, .273}), MatrixXd(0, 6), 0),
                      make_contact("n2", row({-1.324, .42, .11, -.785, 1.635, -1.233}), MatrixXd(0, 6), 0)};
  for (const VectorXd& x :
       {row({-.958, -1.732, -.629, .553, .41, -.257}), row({1.6, -.084, -.488, -.063, .83, -.981}),
        row({.203, -1.163, -.713, -.589, -1.643, -.173})}) {
    coupled.contacts.push_back(make_contact("x", x, MatrixXd(0, 6), 0));
    coupled.contacts.back().side = ContactSide::kBilateral;
  }
  const CouplingBound bound = compute_coupling_bound(coupled);
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
