// Examples of the all-sticking paper that are scenes: their models as Rigor derives them, against formulas.
#include <fmt/format.h>

#include "rigor/analysis/analyse.hpp"
#include "rigor/analysis/scene_answers.hpp"
#include "rigor/dynamics/assembly.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/example_problems.hpp"
#include "tools/rigor/reproductions.hpp"

namespace rigor {
namespace {

using Eigen::Matrix4d;
using Eigen::Vector4d;

struct SceneState {
  SceneState(const char* name, const std::vector<std::string>& set)
      : model(make_model(SceneRequest{name, set, false}.load())),
        state(assemble(model).state),
        problem(make_scene_problem(model, state)) {}
  Model model;
  State state;
  SceneProblem problem;
};

// Appendix D, corrected as case F of the reference answers has it: q = (x, y, θ, α), pendulum of mass mb and
// length a on top of a block of mass m, width L and height l.
struct BlockWithPendulum {
  double m{2.0}, mb{0.5}, L{1.0}, l{0.6}, a{0.8}, g{9.81};
  double theta{0.0}, theta_dot{0.0}, alpha{1.0}, alpha_dot{3.0};

  [[nodiscard]] Matrix4d mass() const {
    const double s = std::sin(alpha + theta), c = std::cos(alpha + theta);
    const double I_G = m * (L * L + l * l) / 12, I_p = mb * a * a / 12;
    Matrix4d M = Matrix4d::Zero();
    M(0, 0) = M(1, 1) = m + mb;
    M(0, 2) = M(2, 0) = -mb / 2 * (a * s + l * std::cos(theta));
    M(0, 3) = M(3, 0) = -mb * a / 2 * s;
    M(1, 2) = M(2, 1) = mb / 2 * (a * c - l * std::sin(theta));
    M(1, 3) = M(3, 1) = mb * a / 2 * c;
    M(2, 2) = I_G + mb * (a * a + l * l + 2 * a * l * std::sin(alpha)) / 4 + I_p;
    M(2, 3) = M(3, 2) = mb * a * (a + l * std::sin(alpha)) / 4 + I_p;
    M(3, 3) = mb * a * a / 4 + I_p;
    return M;
  }
  [[nodiscard]] Vector4d load() const {
    const double s = std::sin(alpha + theta), c = std::cos(alpha + theta), w = alpha_dot + theta_dot;
    Vector4d F;
    F[0] =
        -mb / 2 * (a * w * c - l * theta_dot * std::sin(theta)) * theta_dot - mb * a / 2 * w * alpha_dot * c;
    F[1] = mb / 2 * (-a * w * s - l * theta_dot * std::cos(theta)) * theta_dot -
           mb * a / 2 * w * alpha_dot * s + (m + mb) * g;
    F[2] = mb * a * l / 4 * alpha_dot * (alpha_dot + 2 * theta_dot) * std::cos(alpha) +
           mb * g / 2 * (a * c - l * std::sin(theta));
    F[3] = -mb * a * l / 4 * theta_dot * theta_dot * std::cos(alpha) + mb * g * a / 2 * c;
    return F;
  }
  // A corner of the block, x right or left of its middle, below: rows of its height and of its place along
  // the ground, and their rates times q̇.
  [[nodiscard]] AccelerationContact corner(double x) const {
    const double s = std::sin(theta), c = std::cos(theta);
    const double up = x * s - l / 2 * c, along = x * c + l / 2 * s;
    AccelerationContact contact;
    contact.normal = Vector4d(0, 1, along, 0);
    contact.tangent = Eigen::RowVector4d(1, 0, -up, 0);
    contact.normal_bias = -theta_dot * theta_dot * up;
    contact.tangent_bias = Eigen::VectorXd::Constant(1, -theta_dot * theta_dot * along);
    return contact;
  }
};

Outcome run_pendulum(const std::vector<std::string>& set) {
  Outcome outcome;
  double mass = 0.0, load = 0.0, rows = 0.0, bias = 0.0;
  int corners = 0;
  for (const auto& [theta, theta_dot] : {std::pair{0.0, 0.0}, {0.3, 0.0}, {0.3, 1.5}, {1.1, -2.0}})
    for (const auto& [alpha, alpha_dot] : {std::pair{1.0, 3.0}, {M_PI / 2, 0.0}, {2.5, -4.0}, {-0.7, 2.0}}) {
      BlockWithPendulum paper;
      paper.theta = theta, paper.theta_dot = theta_dot, paper.alpha = alpha, paper.alpha_dot = alpha_dot;
      const SceneState scene("brogliato-pendulum",
                             with(set, {fmt::format("parameters.theta={:.17g}", theta),
                                        fmt::format("parameters.theta_dot={:.17g}", theta_dot),
                                        fmt::format("parameters.alpha={:.17g}", alpha),
                                        fmt::format("parameters.alpha_dot={:.17g}", alpha_dot)}));
      const AccelerationProblem& own = scene.problem.problem;
      mass = std::max(mass, (own.M - paper.mass()).cwiseAbs().maxCoeff());
      load = std::max(load, (own.F - paper.load()).cwiseAbs().maxCoeff());
      for (std::size_t i = 0; i < own.contacts.size(); ++i, ++corners) {
        // in the world's frame the left corner is at x = 0; it stands there at θ > 0
        const AccelerationContact expected =
            paper.corner(scene.problem.places[i].point.x() > 0.5 * paper.L ? paper.L / 2 : -paper.L / 2);
        rows = std::max({rows, (own.contacts[i].normal - expected.normal).cwiseAbs().maxCoeff(),
                         (own.contacts[i].tangent - expected.tangent).cwiseAbs().maxCoeff()});
        bias = std::max({bias, std::abs(own.contacts[i].normal_bias - expected.normal_bias),
                         std::abs(own.contacts[i].tangent_bias[0] - expected.tangent_bias[0])});
      }
    }
  outcome.add("M, largest difference from (88) corrected", mass, 0.0, 1e-12);
  outcome.add("F, largest difference from (90) corrected, N", load, 0.0, 1e-12);
  outcome.add("normals and tangents, largest difference", rows, 0.0, 1e-12);
  outcome.add("biases, largest difference, m/s²", bias, 0.0, 1e-12);
  outcome.add("corners on the ground, 16 states", static_cast<double>(corners), 20.0, 0.0);
  const SceneState swings("brogliato-pendulum", set);
  const Analysis analysis = analyse(swings.problem.problem);
  outcome.add("swinging pendulum: least mu", analysis.mu_min->mu, 0.03191015081256821, 1e-6);
  outcome.add("swinging pendulum: force at the left corner, N", analysis.contacts[0].force[0],
              11.388210539752745, 1e-9);
  outcome.add("swinging pendulum: force at the right corner, N", analysis.contacts[1].force[0],
              10.54821677506694, 1e-9);
  return outcome;
}

// Three fingers around a ball: forces (N, m g/3) at each, so mu_min = m g/(3 N), margin N − m g/(3 N mu) N.
Outcome run_hand(const std::vector<std::string>& set) {
  Outcome outcome;
  const double m = 0.2, g = 9.81, N = 5.0, mu = 0.5, third = m * g / 3;
  const SceneState scene("brogliato-hand", set);
  const Analysis analysis = analyse(scene.problem.problem);
  outcome.add("contacts", static_cast<double>(analysis.contacts.size()), 3.0, 0.0);
  outcome.add("sticks", to_number(analysis.closed.answer), 1.0, 0.0);
  outcome.add("without friction", to_number(analysis.frictionless.answer), 0.0, 0.0);
  outcome.add("least mu", analysis.mu_min->mu, third / N, 1e-6);
  outcome.add("margin, N", analysis.closed.verdict.margin, N - third / mu, 1e-8);
  outcome.add("dimension of the set of forces", static_cast<double>(analysis.force_dimension), 0.0, 0.0);
  outcome.add("accelerations, largest, m/s² or rad/s²", analysis.closed.acceleration.cwiseAbs().maxCoeff(),
              0.0, 1e-9);
  for (const ContactAnalysis& contact : analysis.contacts) {
    outcome.add("normal force, N", contact.force[0], N, 1e-9);
    outcome.add("tangential force, N", contact.force.tail(2).norm(), third, 1e-9);
  }
  const Grasp grasp = find_grasp(scene.model, scene.state, scene.problem, "ball");
  outcome.add("form closure", to_number(grasp.closure.form), 0.0, 0.0);
  outcome.add("force closure", to_number(grasp.closure.force), 1.0, 0.0);
  return outcome;
}

}  // namespace

std::vector<Reproduction> list_mechanism_reproductions() {
  return {{"brogliato-pendulum", "Brogliato, Kövecses, Acary",
           "appendix D: the model derived from the scene equals the corrected formulas", run_pendulum},
          {"brogliato-hand", "Brogliato, Kövecses, Acary",
           "example 7: a hand of three fingers with nine joints holds a ball", run_hand}};
}

}  // namespace rigor
