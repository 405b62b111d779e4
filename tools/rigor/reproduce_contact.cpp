// Anitescu and Potra: Painlevé's rod, the cannonball pile.
#include <fmt/format.h>

#include <chrono>

#include "rigor/solvers/problems/check.hpp"
#include "tools/rigor/embedded_scenes.hpp"
#include "tools/rigor/reproductions.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

using Set = std::vector<std::string>;

// Case B: no accelerations, by a proof; every time step has the one solution that stops the tip.
Outcome run_painleve(const Set& set) {
  Outcome outcome;
  const Problem problem = load_problem("painleve-acceleration");
  const LcpResult answer = solve(problem, make_method("auto"));
  const bool proved = answer.status == Status::kInfeasible && answer.proof &&
                      check_infeasible(std::get<LcpProblem>(problem), answer.proof->y).holds;
  outcome.add("accelerations: infeasible, with proof", proved ? 1.0 : 0.0, 1.0, 0.0);
  PlotCurve normal{"normal", {}, {}}, tangential{"tangential", {}, {}};
  for (const double h : {0.1, 0.05, 0.01, 1e-3, 1e-4, 1e-6}) {
    const auto simulation =
        start("anitescu-painleve", with(set, {fmt::format("run.dt={}", h), fmt::format("run.until={}", h)}));
    finish(*simulation);
    const Eigen::Vector3d impulse = h * simulation->stepper().contacts().front().force;
    outcome.add(fmt::format("normal impulse at h = {} s, N s", h), impulse.z(),
                (15.472135954999581 * 9.81 * h + 4.702282018339787) / 17.0, 1e-9);
    outcome.add(fmt::format("tangential impulse at h = {} s, N s", h), impulse.x(),
                (4.702282018339787 * 9.81 * h + 2.5278640450004213) / 17.0, 1e-9);
    normal.x.push_back(h), normal.y.push_back(impulse.z());
    tangential.x.push_back(h), tangential.y.push_back(impulse.x());
  }
  outcome.plots.push_back({"Painlevé's rod: the impulse of one step",
                           "time step, s",
                           "impulse, N s",
                           {normal, tangential},
                           false,
                           true,
                           false});
  return outcome;
}

struct PileRow {
  int rows;
  double mu;
  double slides;  // CPU s of the slides, 0 where they give none, −1 where theirs failed
};

struct Pile {
  double height, width, moved;  // m: of the centres
  double seconds;
  RunTotals totals;
  Eigen::Index bodies;
};

Pile run_pile(const Set& set) {
  const auto begin = std::chrono::steady_clock::now();
  const auto simulation = start("anitescu-cannonball", set);
  const Eigen::VectorXd first = simulation->state().q;
  finish(*simulation);
  const Eigen::VectorXd& q = simulation->state().q;
  double height = -INFINITY, left = INFINITY, right = -INFINITY;
  for (Eigen::Index k = 0; k < q.size(); k += 3) {
    height = std::max(height, q[k + 1]);
    left = std::min(left, q[k]);
    right = std::max(right, q[k]);
  }
  return {height,
          right - left,
          (q - first).cwiseAbs().maxCoeff(),
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          simulation->totals(),
          q.size() / 3};
}

// Case E: 40 steps of piles that stand, spread or collapse, by two formulations.
Outcome run_cannonball(const Set& set) {
  Outcome outcome;
  outcome.table = fmt::format("  {:<15} {:>4} {:>6} {:>5} {:>9} {:>9} {:>10} {:>10} {:>10} {:>9} {:>9}  {}\n",
                              "formulation", "rows", "bodies", "mu", "contacts", "unsolved", "residual",
                              "height, m", "width, m", "moved, m", "s", "s in the slides, for one LCP");
  constexpr PileRow kRows[] = {{4, 0.0, 0.0},   {4, 0.2, 0.04},  {4, 0.8, 0.03},   {6, 0.0, 0.0},
                               {6, 0.2, 0.28},  {6, 0.8, 0.20},  {8, 0.0, 0.0},    {8, 0.2, 0.81},
                               {8, 0.8, 0.82},  {10, 0.0, 0.0},  {10, 0.2, 2.1},   {10, 0.8, 2.07},
                               {20, 0.0, 0.80}, {20, 0.8, -1.0}, {20, 0.2, 174.29}};
  PlotCurve standing{"mu = 0.8, one step", {}, {}}, spreading{"mu = 0.2, one step", {}, {}},
      slides{"slides, mu = 0.2, one LCP", {}, {}, true};
  for (const char* formulation : {"anitescu-potra", "cone"})
    for (const PileRow& row : kRows) {
      const bool hard = row.rows == 20 && row.mu == 0.2, is_cone = formulation == std::string("cone");
      if (hard && is_cone) continue;  // the same LCP in a plane, and takes minutes
      const Pile pile = run_pile(
          with(set, {fmt::format("run.formulation={}", formulation),
                     fmt::format("parameters.rows={}", row.rows), fmt::format("parameters.mu={}", row.mu),
                     hard ? "run.on_unsolved=accept" : "run.on_unsolved=stop"}));
      const RunTotals& totals = pile.totals;
      outcome.table += fmt::format(
          "  {:<15} {:>4} {:>6} {:>5} {:>9} {:>9} {:>10.1e} {:>10.5f} {:>10.5f} {:>9.1e} {:>9.3f}  {}\n",
          formulation, row.rows, pile.bodies, row.mu, totals.most_contacts, totals.unsolved_steps,
          totals.worst_residual, pile.height, pile.width, pile.moved, pile.seconds,
          row.slides > 0.0   ? fmt::format("{}", row.slides)
          : row.slides < 0.0 ? "failed"
                             : "-");
      const std::string name = fmt::format("{} rows, mu {}, {}", row.rows, row.mu, formulation);
      if (!hard) outcome.add(name + ": worst residual, m/s", totals.worst_residual, 0.0, 1e-8);
      if (row.mu == 0.8) outcome.add(name + ": displacement, m", pile.moved, 0.0, 1e-10);
      if (is_cone) continue;
      const auto bodies = static_cast<double>(pile.bodies);
      const double step = pile.seconds / static_cast<double>(totals.steps);
      if (row.mu == 0.8) standing.x.push_back(bodies), standing.y.push_back(step);
      if (row.mu == 0.2) spreading.x.push_back(bodies), spreading.y.push_back(step);
      if (row.mu == 0.2) slides.x.push_back(bodies), slides.y.push_back(row.slides);
    }
  // case E after 1 s, by the slides' order (positions first) and by the cone
  for (const auto& [rows, height, width] : {std::tuple{4, 2.16100, 4.60863}, std::tuple{6, 3.63361, 7.45088}})
    for (const char* how : {"run.positions=before", "run.formulation=cone"}) {
      const Pile pile = run_pile(with(set, {how, "run.until=1", fmt::format("parameters.rows={}", rows)}));
      const std::string name = fmt::format("{} rows after 1 s, {}", rows, how);
      outcome.add(name + ": height, m", pile.height, height, 0.1 * height);
      outcome.add(name + ": width, m", pile.width, width, 0.1 * width);
    }
  outcome.plots.push_back(
      {"Cannonball piles: time", "bodies", "s", {standing, spreading, slides}, false, true, true});
  return outcome;
}

}  // namespace

std::vector<Reproduction> list_contact_reproductions() {
  return {{"anitescu-painleve", "Anitescu, Potra: Painlevé's rod",
           "no accelerations obey Coulomb's law, every time step has a solution", run_painleve},
          {"anitescu-cannonball", "Anitescu, Potra: cannonball table",
           "piles of 10 to 210 disks over 40 steps: every step solved, and at mu = 0.8 they stand",
           run_cannonball}};
}

}  // namespace rigor
