// Examples of the all-sticking paper, as problems of plain matrices, against case F.
#include "rigor/analysis/analyse.hpp"
#include "tools/rigor/example_problems.hpp"
#include "tools/rigor/reproductions.hpp"

namespace rigor {
namespace {

using Eigen::RowVector3d;
using Eigen::Vector3d;

// Examples 1 and 4: a block on both corners; sticks iff Fy ≥ (l/L)|Fx| and |Fx| ≤ mu1 λn1 + mu2 λn2.
void add_example_1(Outcome& outcome) {
  struct Case {
    double m, L, l, Fx, Fy, mu1, mu2, sticks, mu_min;
  };
  for (const Case& c : {Case{1, 1, .5, 3, 9.81, .5, .5, 1, 3 / 9.81},
                        {1, .5, 1, 4, 9.81, .6, .6, 1, 4 / 9.81},
                        {2, 1, 1, -5, 19.62, .3, .2, 1, 5 / 19.62},
                        {2, 1, 1, 5, 19.62, .2, .31, 1, 5 / 19.62},
                        {3, 2, 1, 9, 29.43, .4, .2, 0, 9 / 29.43},
                        {1.5, .6, .9, 7, 14.715, .8, .8, 1, 7 / 14.715}}) {
    AccelerationProblem problem;
    problem.M = Vector3d(c.m, c.m, c.m * (c.l * c.l + c.L * c.L) / 12).asDiagonal();
    problem.F = Vector3d(c.Fx, c.Fy, 0.0);
    const RowVector3d tangent(1.0, 0.0, c.l / 2);
    problem.contacts = {make_contact("A1", Vector3d(0, 1, c.L / 2), tangent, c.mu1),
                        make_contact("A2", Vector3d(0, 1, -c.L / 2), tangent, c.mu2)};
    const Analysis analysis = analyse(problem);
    const std::string name = "Ex. 1, Fx = " + std::to_string(c.Fx);
    outcome.add(name + ": sticks", to_number(analysis.closed.answer), c.sticks, 0.0);
    outcome.add(name + ": least mu", analysis.mu_min->mu, c.mu_min, 1e-6);
    if (analysis.closed.answer != Answer::kYes) continue;
    outcome.add(name + ": normal force at A1, N", analysis.contacts[0].force[0],
                c.Fy / 2 - c.l * c.Fx / (2 * c.L), 1e-9);
  }
}

// Example 2: one corner, with (41) corrected.
void add_example_2(Outcome& outcome) {
  const double theta = 0.3, L = 1.0, l = 0.5;
  const double a = l / 2 * std::sin(theta) - L / 2 * std::cos(theta);
  const double b = l / 2 * std::cos(theta) + L / 2 * std::sin(theta);
  AccelerationProblem problem;
  problem.M = Vector3d(1, 1, (l * l + L * L) / 12).asDiagonal();
  problem.F = Vector3d(2.0, 9.81, 0.0);
  problem.contacts = {make_contact("A2", Vector3d(0, 1, a), RowVector3d(1, 0, b), 0.5)};
  const NormalLcp normal_lcp = make_normal_lcp(problem);
  outcome.add("Ex. 2: A_c, 1/kg", normal_lcp.lcp.M(0, 0), 1.6428663828929504, 1e-12);
  outcome.add("Ex. 2: H_c, m/s²", normal_lcp.lcp.q[0], -11.04098414385604, 1e-12);
  outcome.add("Ex. 2: least mu", analyse(problem).mu_min->mu, 0.7377189457679607, 1e-6);
}

// Example 5: three fingers on a rectangle, the tangents as they should be; theta = 0.
void add_example_5(Outcome& outcome) {
  const double L = 0.2, l = 0.1, mf = 0.1, m = 1.0;
  AccelerationProblem problem;
  Eigen::VectorXd mass(6), F(6);
  mass << m, m, m * (L * L + l * l) / 12, mf, mf, mf;
  F << 0.0, m * 9.81, 0.0, -20.0, 5.0, 20.0;  // fingers press with 20, 5, 20 N
  problem.M = mass.asDiagonal();
  problem.F = F;
  const auto row = [](double x, double y, double t, double f1, double f2, double f3) {
    Eigen::VectorXd r(6);
    r << x, y, t, f1, f2, f3;
    return r;
  };
  problem.contacts = {make_contact("A1", row(1, 0, 0, -1, 0, 0), row(0, 1, -L / 2, 0, 0, 0).transpose(), 0.5),
                      make_contact("A2", row(0, -1, 0, 0, 1, 0), row(-1, 0, l / 2, 0, 0, 0).transpose(), 0.5),
                      make_contact("A3", row(-1, 0, 0, 0, 0, 1), row(0, 1, L / 2, 0, 0, 0).transpose(), 0.5)};
  const Analysis analysis = analyse(problem);
  outcome.add("Ex. 5: sticks", to_number(analysis.closed.answer), 1.0, 0.0);
  outcome.add("Ex. 5: least mu", analysis.mu_min->mu, 0.37025, 1e-6);
  outcome.add("Ex. 5: tangential force at A1, N", analysis.contacts[0].force[1], 7.405, 1e-8);
}

// Example 6: a mass between two fingers, at x = a; fixed, then moving fingers.
void add_example_6(Outcome& outcome) {
  AccelerationProblem problem;
  problem.M = Eigen::MatrixXd::Identity(4, 4);
  problem.F = Eigen::Vector4d(0.0, 9.81, -20.0, 20.0);
  AccelerationContact guide = make_contact("x = a", Eigen::Vector4d(1, 0, 0, 0), Eigen::MatrixXd(0, 4), 0.0);
  guide.side = ContactSide::kBilateral;
  problem.contacts = {guide,
                      make_contact("A1", Eigen::Vector4d(1, 0, -1, 0), Eigen::RowVector4d(0, 1, 0, 0), 0.3),
                      make_contact("A2", Eigen::Vector4d(-1, 0, 0, 1), Eigen::RowVector4d(0, 1, 0, 0), 0.3)};
  const Analysis analysis = analyse(problem);
  outcome.add("Ex. 6: sticks", to_number(analysis.closed.answer), 1.0, 0.0);
  outcome.add("Ex. 6: least mu = g/(|F1| + F2)", analysis.mu_min->mu, 9.81 / 40.0, 1e-6);
  outcome.add("Ex. 6: least tangential force at A1, N", analysis.contacts[1].ranges[1].min, 3.81, 1e-7);
  outcome.add("Ex. 6: largest tangential force at A1, N", analysis.contacts[1].ranges[1].max, 6.0, 1e-7);

  const double F1y = -6.0, F2y = 1.0, g = 9.81;
  AccelerationProblem moving;
  moving.M = Eigen::MatrixXd::Identity(6, 6);
  moving.F.resize(6);
  moving.F << 0.0, g, -20.0, F1y, 20.0, F2y;
  const auto row = [](double x, double y, double x1, double y1, double x2, double y2) {
    Eigen::VectorXd r(6);
    r << x, y, x1, y1, x2, y2;
    return r;
  };
  AccelerationContact line = make_contact("x = a", row(1, 0, 0, 0, 0, 0), Eigen::MatrixXd(0, 6), 0.0);
  line.side = ContactSide::kBilateral;
  moving.contacts = {line,
                     make_contact("A1", row(1, 0, -1, 0, 0, 0), row(0, 1, 0, -1, 0, 0).transpose(), 0.5),
                     make_contact("A2", row(-1, 0, 0, 0, 1, 0), row(0, 1, 0, 0, 0, -1).transpose(), 0.5)};
  const Analysis second = analyse(moving);
  outcome.add("Ex. 6, moving fingers: y'', m/s²", second.closed.acceleration[1], -(g + F1y + F2y) / 3, 1e-9);
  outcome.add("Ex. 6, moving fingers: force at A1, N", second.contacts[1].force[1], (g + F2y - 2 * F1y) / 3,
              1e-8);
  outcome.add("Ex. 6, moving fingers: least mu", second.mu_min->mu, 7.603333333333334 / 20.0, 1e-6);
}

// Section 5: a block on a plate that slides (Prop. 13), F = 10 and 30 N.
void add_sliding_plate(Outcome& outcome) {
  for (const auto& [F, mu_min] : {std::pair{10.0, 0.139789}, {30.0, 0.819368}}) {
    AccelerationProblem problem;
    problem.M = Eigen::Vector4d(1, 1, 2, 2).asDiagonal();
    problem.F = Eigen::Vector4d(0.0, 9.81, -F, 19.62);
    AccelerationContact slide =
        make_contact("floor", Eigen::Vector4d(0, 0, 0, 1), Eigen::RowVector4d(0, 0, 1, 0), 0.2);
    slide.motion = ContactMotion::kSlide;
    slide.slip = Eigen::VectorXd::Ones(1);
    problem.contacts = {
        make_contact("plate", Eigen::Vector4d(0, 1, 0, -1), Eigen::RowVector4d(1, 0, -1, 0), 0.5), slide};
    const Analysis analysis = analyse(problem);
    const std::string name = F == 10.0 ? "Prop. 13, F = 10 N" : "Prop. 13, F = 30 N";
    outcome.add(name + ": sticks", to_number(analysis.closed.answer), F == 10.0 ? 1.0 : 0.0, 0.0);
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
           "examples 1, 2, 4, 5, 6 and proposition 13: sticks, least friction, forces", run_sticking}};
}

}  // namespace rigor
