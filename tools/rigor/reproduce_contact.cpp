// Examples with contact: Painlevé's rod, the cannonball pile, the box on the ground.
#include <fmt/format.h>

#include <chrono>

#include "rigor/solvers/check.hpp"
#include "tools/rigor/embedded_scenes.hpp"
#include "tools/rigor/reproductions.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

using Set = std::vector<std::string>;

Set with(Set set, std::initializer_list<std::string> more) {
  set.insert(set.begin(), more.begin(), more.end());  // the user's own come last and win
  return set;
}

// Case B: no accelerations, by a proof; every time step has the one solution that stops the tip.
Outcome run_painleve(const Set& set) {
  Outcome outcome;
  const Problem problem = load_problem("painleve-acceleration");
  const LcpResult answer = solve(problem, make_method("auto"));
  const bool proved = answer.status == Status::kInfeasible && answer.proof &&
                      check_infeasible(std::get<LcpProblem>(problem), answer.proof->y).holds;
  outcome.figures.push_back({"accelerations: infeasible, with proof", proved ? 1.0 : 0.0, 1.0, 0.0});
  PlotCurve normal{"normal", {}, {}}, tangential{"tangential", {}, {}};
  for (const double h : {0.1, 0.05, 0.01, 1e-3, 1e-4, 1e-6}) {
    const auto simulation =
        start("anitescu-painleve", with(set, {fmt::format("run.dt={}", h), fmt::format("run.until={}", h)}));
    finish(*simulation);
    const Eigen::Vector3d impulse = h * simulation->stepper().contacts().front().force;
    outcome.figures.push_back({fmt::format("normal impulse at h = {} s, N s", h), impulse.z(),
                               (15.472135954999581 * 9.81 * h + 4.702282018339787) / 17.0, 1e-9});
    outcome.figures.push_back({fmt::format("tangential impulse at h = {} s, N s", h), impulse.x(),
                               (4.702282018339787 * 9.81 * h + 2.5278640450004213) / 17.0, 1e-9});
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

// Case E: 40 steps of piles that stand, spread or collapse.
Outcome run_cannonball(const Set& set) {
  Outcome outcome;
  outcome.table = fmt::format("  {:>4} {:>6} {:>5} {:>9} {:>9} {:>10} {:>10} {:>10} {:>9} {:>9}  {}\n",
                              "rows", "bodies", "mu", "contacts", "unsolved", "residual", "height, m",
                              "width, m", "moved, m", "s", "s in the slides, for one LCP");
  constexpr PileRow kRows[] = {{4, 0.0, 0.0},   {4, 0.2, 0.04},  {4, 0.8, 0.03},   {6, 0.0, 0.0},
                               {6, 0.2, 0.28},  {6, 0.8, 0.20},  {8, 0.0, 0.0},    {8, 0.2, 0.81},
                               {8, 0.8, 0.82},  {10, 0.0, 0.0},  {10, 0.2, 2.1},   {10, 0.8, 2.07},
                               {20, 0.0, 0.80}, {20, 0.8, -1.0}, {20, 0.2, 174.29}};
  PlotCurve standing{"mu = 0.8, one step", {}, {}}, spreading{"mu = 0.2, one step", {}, {}},
      slides{"slides, mu = 0.2, one LCP", {}, {}, true};
  for (const PileRow& row : kRows) {
    const auto begin = std::chrono::steady_clock::now();
    const bool hard = row.rows == 20 && row.mu == 0.2;
    const auto simulation =
        start("anitescu-cannonball",
              with(set, {fmt::format("parameters.rows={}", row.rows), fmt::format("parameters.mu={}", row.mu),
                         hard ? "run.on_unsolved=accept" : "run.on_unsolved=stop"}));
    const Eigen::VectorXd first = simulation->state().q;
    finish(*simulation);
    const Eigen::VectorXd& q = simulation->state().q;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    double height = -INFINITY, left = INFINITY, right = -INFINITY;
    for (Eigen::Index k = 0; k < q.size(); k += 3) {
      height = std::max(height, q[k + 1]);
      left = std::min(left, q[k]);
      right = std::max(right, q[k]);
    }
    const double moved = (q - first).cwiseAbs().maxCoeff();
    const RunTotals& totals = simulation->totals();
    outcome.table +=
        fmt::format("  {:>4} {:>6} {:>5} {:>9} {:>9} {:>10.1e} {:>10.5f} {:>10.5f} {:>9.1e} {:>9.3f}  {}\n",
                    row.rows, q.size() / 3, row.mu, totals.most_contacts, totals.unsolved_steps,
                    totals.worst_residual, height, right - left, moved, seconds,
                    row.slides > 0.0   ? fmt::format("{}", row.slides)
                    : row.slides < 0.0 ? "failed"
                                       : "-");
    const double bodies = static_cast<double>(q.size()) / 3.0,
                 step = seconds / static_cast<double>(totals.steps);
    if (row.mu == 0.8) standing.x.push_back(bodies), standing.y.push_back(step);
    if (row.mu == 0.2) spreading.x.push_back(bodies), spreading.y.push_back(step);
    if (row.mu == 0.2) slides.x.push_back(bodies), slides.y.push_back(row.slides);
    if (!hard)
      outcome.figures.push_back({fmt::format("rows {}, mu {}: worst residual, m/s", row.rows, row.mu),
                                 totals.worst_residual, 0.0, 1e-8});
    if (row.mu == 0.8)
      outcome.figures.push_back(
          {fmt::format("rows {}, mu {}: displacement, m", row.rows, row.mu), moved, 0.0, 1e-10});
  }
  outcome.plots.push_back(
      {"Cannonball piles: time", "bodies", "s", {standing, spreading, slides}, false, true, true});
  return outcome;
}

struct BoxRun {
  double x, y, yaw, stop;  // m, rad, s
  PlotCurve path;
};

BoxRun run_one_box(const Set& set, double h) {
  const auto simulation = start("peiret-box", with(set, {fmt::format("run.dt={}", h)}));
  BoxRun run{0.0, 0.0, 0.0, 0.0, {fmt::format("h = {} s", h), {}, {}}};
  const long every = std::max(1L, simulation->step_count() / 400);
  while (true) {
    const Eigen::VectorXd& q = simulation->state().q;
    if (simulation->totals().steps % every == 0) {
      run.path.x.push_back(q[0]);
      run.path.y.push_back(q[1]);
    }
    if (simulation->state().v.norm() > 1e-6) run.stop = simulation->state().t + h;
    run.x = q[0], run.y = q[1], run.yaw = 2.0 * std::atan2(q[6], q[3]);
    if (simulation->is_finished()) return run;
    if (was_interrupted()) throw std::runtime_error("interrupted");
    const StepReport report = simulation->step();
    if (report.status != StepStatus::kSolved) throw std::runtime_error(report.message);
  }
}

// Case A: the cube of Table 1 with the exact cone, its limit, and two other floors.
Outcome run_box(const Set& set) {
  struct Row {
    double h, x, y, yaw;
  };
  Outcome outcome;
  Plot plot{"Box on the ground: path of its centre", "x, m", "y, m", {}, true, false, false};
  std::vector<double> errors;
  for (const Row& row : {Row{1e-2, 0.437908, 1.556935, 1.924757}, Row{1e-3, 0.440369, 1.581250, 1.950634},
                         Row{1e-4, 0.440618, 1.583697, 1.953189}}) {
    BoxRun run = run_one_box(set, row.h);
    const std::string at = fmt::format(" at rest, h = {} s", row.h);
    outcome.figures.push_back({"x" + at + ", m", run.x, row.x, 1e-4});
    outcome.figures.push_back({"y" + at + ", m", run.y, row.y, 1e-4});
    outcome.figures.push_back({"yaw" + at + ", rad", run.yaw, row.yaw, 1e-4});
    outcome.figures.push_back(
        {fmt::format("stops at, h = {} s, s", row.h), run.stop, 0.66124274, 1.5 * row.h});
    errors.push_back(std::hypot(run.x - 0.44064580, run.y - 1.58396764));
    plot.curves.push_back(std::move(run.path));
  }
  outcome.figures.push_back(
      {"order of convergence to the exact motion", std::log10(errors[1] / errors[2]), 1.0, 0.1});
  outcome.plots.push_back(std::move(plot));

  for (const auto& [mu, speed, spin, until, x, y, yaw] :
       {std::tuple{0.3, 5.0, 6.283185307179586, 2.0, 0.30184774, 4.86086089, 4.47625802},
        std::tuple{0.6, 3.0, 10.0, 1.0, 0.16798654, 1.44677954, 2.67562989}}) {
    const BoxRun run =
        run_one_box(with(set, {fmt::format("parameters.mu={}", mu), fmt::format("parameters.speed={}", speed),
                               fmt::format("parameters.spin={}", spin), fmt::format("run.until={}", until)}),
                    1e-3);
    const std::string at = fmt::format(" at rest, mu = {}", mu);
    // yaw is known up to whole turns
    const double turns = 6.283185307179586 * std::round((yaw - run.yaw) / 6.283185307179586);
    outcome.figures.push_back({"x" + at + ", m", run.x, x, 4e-3});
    outcome.figures.push_back({"y" + at + ", m", run.y, y, 4e-3});
    outcome.figures.push_back({"yaw" + at + ", rad", run.yaw + turns, yaw, 4e-3});
  }
  return outcome;
}

}  // namespace

std::vector<Reproduction> list_contact_reproductions() {
  return {{"anitescu-painleve", "Anitescu, Potra: Painlevé's rod",
           "no accelerations obey Coulomb's law, every time step has a solution", run_painleve},
          {"anitescu-cannonball", "Anitescu, Potra: cannonball table",
           "piles of 10 to 210 disks over 40 steps: every step solved, and at mu = 0.8 they stand",
           run_cannonball},
          {"peiret-box", "Peiret et al., Table 1", "a cube slides and spins to rest, by the exact cone",
           run_box}};
}

}  // namespace rigor
