// Peiret, Kövecses, Font-Llagunes 2017: the box on the ground by every formulation, ranks, and solvers.
#include <fmt/format.h>

#include <algorithm>

#include "rigor/solvers/lcp/equilibrate.hpp"
#include "rigor/solvers/lcp/matrix_class.hpp"
#include "rigor/solvers/problem.hpp"
#include "tools/rigor/reproductions.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

using Set = std::vector<std::string>;

// the exact motion of case A(i)
constexpr double kStop = 0.66124274, kX = 0.44064580, kY = 1.58396764, kYaw = 1.95347243;

struct BoxRun {
  double x, y, yaw, stop;  // m, rad, s
  RunTotals totals;
  PlotCurve path;
};

BoxRun run_one_box(const Set& set, double h, const std::string& name = "", const char* scene = "peiret-box") {
  const auto simulation = start(scene, with(set, {fmt::format("run.dt={}", h)}));
  BoxRun run{0.0, 0.0, 0.0, 0.0, {}, {name.empty() ? fmt::format("h = {} s", h) : name, {}, {}}};
  const long every = std::max(1L, simulation->step_count() / 400);
  while (true) {
    const Eigen::VectorXd& q = simulation->state().q;
    if (simulation->totals().steps % every == 0) {
      run.path.x.push_back(q[0]);
      run.path.y.push_back(q[1]);
    }
    if (simulation->state().v.norm() > 1e-6) run.stop = simulation->state().t + h;
    run.x = q[0], run.y = q[1], run.yaw = 2.0 * std::atan2(q[6], q[3]);
    run.totals = simulation->totals();
    if (simulation->is_finished()) return run;
    if (was_interrupted()) throw std::runtime_error("interrupted");
    const StepReport report = simulation->step();
    if (!report.is_taken()) throw std::runtime_error(report.message);
  }
}

double distance_to_exact(const BoxRun& run) {
  return std::hypot(run.x - kX, run.y - kY);
}

void add_place(Outcome& outcome, const std::string& at, const BoxRun& run, const Eigen::Vector3d& right,
               double tolerance) {
  outcome.add("x" + at + ", m", run.x, right[0], tolerance);
  outcome.add("y" + at + ", m", run.y, right[1], tolerance);
  outcome.add("yaw" + at + ", rad", run.yaw, right[2], tolerance);
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
    add_place(outcome, fmt::format(" at rest, h = {} s", row.h), run, {row.x, row.y, row.yaw}, 1e-4);
    outcome.add(fmt::format("stops at, h = {} s, s", row.h), run.stop, kStop, 1.5 * row.h);
    errors.push_back(distance_to_exact(run));
    plot.curves.push_back(std::move(run.path));
  }
  outcome.add("order of convergence to the exact motion", std::log10(errors[1] / errors[2]), 1.0, 0.1);
  outcome.plots.push_back(std::move(plot));
  const BoxRun rigid = run_one_box(set, 1e-3, "rigid", "peiret-box-rigid");
  add_place(outcome, " at rest, rigid normals, h = 0.001 s", rigid, {0.440369, 1.581250, 1.950634}, 2e-3);
  outcome.table +=
      fmt::format("  rigid normals: forces not unique in {} of {} steps, those of equal compliance taken\n",
                  rigid.totals.non_unique_steps, rigid.totals.steps);

  for (const auto& [mu, speed, spin, until, x, y, yaw] :
       {std::tuple{0.3, 5.0, 6.283185307179586, 2.0, 0.30184774, 4.86086089, 4.47625802},
        std::tuple{0.6, 3.0, 10.0, 1.0, 0.16798654, 1.44677954, 2.67562989}}) {
    BoxRun run =
        run_one_box(with(set, {fmt::format("parameters.mu={}", mu), fmt::format("parameters.speed={}", speed),
                               fmt::format("parameters.spin={}", spin), fmt::format("run.until={}", until)}),
                    1e-3);
    // yaw is known up to whole turns
    run.yaw += 6.283185307179586 * std::round((yaw - run.yaw) / 6.283185307179586);
    add_place(outcome, fmt::format(" at rest, mu = {}", mu), run, {x, y, yaw}, 4e-3);
  }
  return outcome;
}

struct Figure4Row {
  const char *name, *formulation, *directions, *sliding;
  double tolerance[2];
  double at[2][3];  // case A(ii) at 10 ms and 1 ms: x, y, yaw
};

constexpr Figure4Row kFigure4[] = {
    {"cone",
     "cone",
     "4",
     "lateral",
     {1e-4, 1e-4},
     {{0.437908, 1.556935, 1.924757}, {0.440369, 1.581250, 1.950634}}},
    {"phantom",
     "phantom",
     "4",
     "lateral",
     {1e-4, 1e-4},
     {{0.438427, 1.556559, 1.923725}, {0.440371, 1.581244, 1.950620}}},
    {"phantom, tangent",
     "phantom",
     "4",
     "tangent",
     {1e-4, 1e-4},
     {{0.4439, 1.5594, 1.9133}, {0.4410, 1.5815, 1.9495}}},
    {"hybrid",
     "hybrid",
     "4",
     "lateral",
     {2e-2, 2e-3},
     {{0.415502, 1.567234, 1.938092}, {0.438096, 1.582338, 1.952467}}},
    {"anitescu-potra 4",
     "anitescu-potra",
     "4",
     "lateral",
     {3e-2, 3e-2},
     {{0.0759, 1.5914, 1.834}, {0.0779, 1.6166, 1.867}}},
    {"anitescu-potra 8",
     "anitescu-potra",
     "8",
     "lateral",
     {3e-2, 3e-2},
     {{0.4625, 1.6038, 2.034}, {0.4587, 1.6266, 2.056}}},
    {"anitescu-potra 16",
     "anitescu-potra",
     "16",
     "lateral",
     {3e-2, 3e-2},
     {{0.4183, 1.5675, 1.944}, {0.4081, 1.5901, 1.953}}},
    {"box", "box", "4", "lateral", {3e-2, 3e-2}, {{0.8060, 1.3547, 2.204}, {0.8277, 1.3513, 2.261}}},
};

Set choose(const Set& set, const Figure4Row& row) {
  return with(set,
              {fmt::format("run.formulation={}", row.formulation),
               fmt::format("run.directions={}", row.directions), fmt::format("run.sliding={}", row.sliding)});
}

// Figure 4: paths of the box by every formulation, at two steps.
Outcome run_figure4(const Set& set) {
  Outcome outcome;
  outcome.table = fmt::format("  {:<20} {:>8} {:>12} {:>12} {:>12}\n", "error against Coulomb", "h, s",
                              "distance, m", "yaw, rad", "stops, s");
  for (int i = 0; i < 2; ++i) {
    const double h = i == 0 ? 1e-2 : 1e-3;
    Plot plot{fmt::format("Box on the ground, h = {} s", h), "x, m", "y, m", {}, true, false, false};
    std::vector<std::pair<double, std::string>> order;
    for (const Figure4Row& row : kFigure4) {
      BoxRun run = run_one_box(choose(set, row), h, row.name);
      add_place(outcome, fmt::format(" of {}, h = {} s", row.name, h), run,
                {row.at[i][0], row.at[i][1], row.at[i][2]}, row.tolerance[i]);
      order.emplace_back(distance_to_exact(run),
                         fmt::format("  {:<20} {:>8} {:>12.2e} {:>12.2e} {:>12.4f}\n", row.name, h,
                                     distance_to_exact(run), std::abs(run.yaw - kYaw), run.stop));
      if (row.formulation == std::string("anitescu-potra")) {
        Figure4Row gap = row;
        gap.formulation = "stewart-trinkle";
        const BoxRun other = run_one_box(choose(set, gap), h);
        add_place(outcome, fmt::format(" of stewart-trinkle {}, h = {} s", row.directions, h), other,
                  {run.x, run.y, run.yaw}, 1e-3);
      }
      plot.curves.push_back(std::move(run.path));
    }
    std::sort(order.begin(), order.end());
    for (const auto& [error, line] : order) outcome.table += line;
    outcome.plots.push_back(std::move(plot));
  }
  std::vector<double> errors;
  for (const double h : {1e-3, 1e-4})
    errors.push_back(distance_to_exact(run_one_box(with(set, {"run.formulation=phantom"}), h)));
  outcome.add("phantom: order of convergence to Coulomb", std::log10(errors[0] / errors[1]), 1.0, 0.1);
  return outcome;
}

Problem first_problem(const Set& set, const char* scene, double h) {
  const auto simulation =
      start(scene, with(set, {fmt::format("run.dt={}", h), fmt::format("run.until={}", h)}));
  finish(*simulation);
  return simulation->make_contact_problems().front();
}

int rank_of(const Problem& problem, bool equilibrated) {
  LcpProblem lcp = std::get<LcpProblem>(problem);
  if (equilibrated) {
    Equilibration scale;
    scale.compute(lcp, true);
    LcpProblem scaled;
    scale.apply(lcp, scaled);
    lcp = scaled;
  }
  return classify(lcp.M, 0).rank;
}

// Case A(iii): ranks of the steps' matrices, and what they mean for the methods.
Outcome run_rank(const Set& set) {
  Outcome outcome;
  const auto rank_of_potra = [&](const char* scene, const char* directions) {
    return rank_of(first_problem(with(set, {"run.formulation=anitescu-potra",
                                            fmt::format("run.directions={}", directions)}),
                                 scene, 1e-2),
                   false);
  };
  outcome.add("anitescu-potra 4 rigid: rank of 24", double(rank_of_potra("peiret-box-rigid", "4")), 14, 0);
  outcome.add("anitescu-potra 4 relaxed: rank of 24", double(rank_of_potra("peiret-box", "4")), 15, 0);
  outcome.add("anitescu-potra 8 rigid: rank of 40", double(rank_of_potra("peiret-box-rigid", "8")), 14, 0);
  outcome.add("anitescu-potra 8 relaxed: rank of 40", double(rank_of_potra("peiret-box", "8")), 15, 0);

  outcome.table = fmt::format("  {:>9} {:>9} {:>14} {:>14} {:>18} {:>18}\n", "h, s", "rho, kg", "rank of 20",
                              "equilibrated", "block-pivot fell", "lemke fell");
  for (const double h : {1e-2, 1e-3}) {
    double threshold[2] = {0.0, 0.0}, largest_block = 0.0, limit = INFINITY;
    bool block_works = true, lemke_works = true;
    for (int exponent = -12; exponent <= 0; ++exponent) {
      const double rho = std::pow(10.0, exponent);
      const Set own = with(set, {"run.formulation=phantom", fmt::format("run.phantom_inertia={}", rho)});
      const Problem problem = first_problem(own, "peiret-box", h);
      const int ranks[2] = {rank_of(problem, false), rank_of(problem, true)};
      for (int i = 0; i < 2; ++i)
        if (ranks[i] < 20) threshold[i] = rho;
      const BoxRun block = run_one_box(with(own, {"run.solver=block-pivot"}), h);
      const BoxRun lemke = run_one_box(with(own, {"run.solver=lemke"}), h);
      limit = std::min(limit, lemke.totals.phantom_limit);
      lemke_works = lemke_works && lemke.totals.fallbacks == 0;
      if (ranks[1] == 20) {  // else it is deficient for any method that factors it
        block_works = block_works && block.totals.fallbacks == 0;
        if (block_works) largest_block = rho;
      }
      outcome.table +=
          fmt::format("  {:>9} {:>9.0e} {:>14} {:>14} {:>18} {:>18}\n", h, rho, ranks[0], ranks[1],
                      fmt::format("{} of {}", block.totals.fallbacks, block.totals.islands),
                      fmt::format("{} of {}", lemke.totals.fallbacks, lemke.totals.islands));
    }
    outcome.table += fmt::format(
        "  h = {} s: deficient up to rho = {:.0e} kg as it is, {:.0e} kg equilibrated (the paper: 1e-8 kg);\n"
        "    block-pivot needs no help up to {:.0e} kg; theory asks for less than 2 s = {:.1e} kg\n",
        h, threshold[0], threshold[1], largest_block, limit);
    outcome.add(fmt::format("lemke needs no help for any rho, h = {} s", h), lemke_works ? 1.0 : 0.0, 1.0,
                0.0);
    outcome.add(fmt::format("block-pivot needs none below 2 s, h = {} s", h),
                largest_block >= 0.1 * limit ? 1.0 : 0.0, 1.0, 0.0);
    const Problem automatic = first_problem(with(set, {"run.formulation=phantom"}), "peiret-box", h);
    outcome.add(fmt::format("rank with Rigor's own rho, equilibrated, h = {} s", h),
                double(rank_of(automatic, true)), 20, 0);
  }
  return outcome;
}

// The step at which the contact of peiret-pull begins to slip.
struct Breakaway {
  Eigen::Vector3d force{Eigen::Vector3d::Zero()};  // of the contact, N
  double both{0.0};                                // largest min(w_up, w_lo) of a direction so far, m/s
  PlotCurve friction;                              // against the pull, N
};

Breakaway find_breakaway(const Set& set) {
  const auto simulation = start("peiret-pull", set);
  Breakaway found;
  while (!simulation->is_finished()) {
    const StepReport report = simulation->step();
    if (!report.is_taken()) throw std::runtime_error(report.message);
    const LcpProblem lcp = std::get<LcpProblem>(simulation->make_contact_problems().front());
    const LcpResult answer = solve(lcp, make_method("lemke"));
    const Eigen::Index k = (answer.z.size() - 1) / 2;
    for (Eigen::Index j = 0; j < k; ++j)
      found.both = std::max(found.both, std::min(answer.z[1 + j], answer.z[1 + k + j]));
    const ContactReport& contact = simulation->stepper().contacts().front();
    const double pull = contact.force.head<2>().norm();
    found.friction.x.push_back(simulation->state().t);
    found.friction.y.push_back(pull);
    if (found.force.isZero() && contact.mode == ContactMode::kSliding) found.force = contact.force;
  }
  return found;
}

// Figure 1: where friction saturates around the directions.
Outcome run_figure1(const Set& set) {
  Outcome outcome;
  Plot plot{"Friction at which a contact breaks away", "along x, N", "along y, N", {}, true, false, false};
  for (const int k : {2, 4, 8}) {
    PlotCurve curve{fmt::format("k = {}", k), {}, {}};
    double worst = 0.0;
    for (int i = 0; i <= 72; ++i) {
      const double angle = 2.0 * M_PI * i / 72.0;
      const Breakaway found =
          find_breakaway(with(set, {fmt::format("run.directions={}", 2 * k),
                                    fmt::format("parameters.angle={}", angle), "run.until=0.09"}));
      curve.x.push_back(-found.force.x());
      curve.y.push_back(-found.force.y());
      double nearest = 0.0;  // the direction that saturates
      for (int j = 0; j < k; ++j)
        nearest = std::max(nearest, std::abs(found.force.x() * std::cos(M_PI * j / k) +
                                             found.force.y() * std::sin(M_PI * j / k)));
      worst = std::max(worst, std::abs(nearest / (0.6 * found.force.z()) - 1.0));
    }
    outcome.add(fmt::format("k = {}: saturation over mu_s N, less 1", k), worst, 0.0, 1e-9);
    plot.curves.push_back(std::move(curve));
  }
  outcome.plots.push_back(std::move(plot));
  return outcome;
}

// Figure 2: the phantom inertia does not change when it slips, nor how the box moves.
Outcome run_figure2(const Set& set) {
  Outcome outcome;
  Plot plot{"A pull that grows until the contact slips", "time, s", "friction, N", {}, false, false, false};
  double worst = 0.0, both = 0.0;
  for (const int k : {2, 4, 8})
    for (int exponent = -7; exponent <= 0; ++exponent) {
      Breakaway found =
          find_breakaway(with(set, {fmt::format("run.directions={}", 2 * k),
                                    fmt::format("run.phantom_inertia={}", std::pow(10.0, exponent))}));
      worst = std::max(worst, std::abs(found.force.head<2>().norm() / (0.6 * found.force.z()) - 1.0));
      both = std::max(both, found.both);
      if (k != 2 || exponent % 3 != -1) continue;
      found.friction.name = fmt::format("rho = 1e{} kg", exponent);
      plot.curves.push_back(std::move(found.friction));
    }
  outcome.add("breakaway over mu_s N, less 1, all rho and k", worst, 0.0, 1e-9);
  outcome.add("largest min(w_up, w_lo), m/s", both, 0.0, 1e-12);
  outcome.plots.push_back(std::move(plot));

  const auto run = [&](double rho) {
    return run_one_box(with(set, {"run.formulation=phantom", "run.solver=lemke",
                                  fmt::format("run.phantom_inertia={}", rho)}),
                       1e-2);
  };
  const BoxRun first = run(1e-7);
  double apart = 0.0;
  for (int exponent = -6; exponent <= 0; ++exponent) {
    const BoxRun other = run(std::pow(10.0, exponent));
    for (std::size_t k = 0; k < first.path.x.size(); ++k)
      apart =
          std::max(apart, std::hypot(first.path.x[k] - other.path.x[k], first.path.y[k] - other.path.y[k]));
  }
  outcome.add("box paths for all rho, apart by, m", apart, 0.0, 1e-8);
  return outcome;
}

// Which method solves which formulation's steps.
Outcome run_solvers(const Set& set) {
  Outcome outcome;
  outcome.table = fmt::format("  {:<17} {:<16} {:>10} {:>10} {:>12}\n", "formulation", "solver", "solved",
                              "fell back", "mean pivots");
  for (const char* formulation : {"phantom", "anitescu-potra", "stewart-trinkle", "box", "hybrid"})
    for (const char* solver :
         {"lemke", "murty", "principal-pivot", "block-pivot", "dantzig", "newton", "pgs"}) {
      const BoxRun run = run_one_box(
          with(set, {fmt::format("run.formulation={}", formulation), fmt::format("run.solver={}", solver)}),
          1e-2);
      const RunTotals& totals = run.totals;
      outcome.table += fmt::format(
          "  {:<17} {:<16} {:>10} {:>10} {:>12.1f}\n", formulation, solver,
          fmt::format("{} of {}", totals.islands - totals.fallbacks, totals.islands), totals.fallbacks,
          static_cast<double>(totals.iterations) / static_cast<double>(totals.islands));
      const bool must = solver == std::string("lemke") ||
                        (formulation == std::string("phantom") && solver == std::string("block-pivot"));
      if (must)
        outcome.add(fmt::format("{} by {}: fall-backs", formulation, solver),
                    static_cast<double>(totals.fallbacks), 0.0, 0.0);
    }
  return outcome;
}

}  // namespace

std::vector<Reproduction> list_peiret_reproductions() {
  return {
      {"peiret-box", "Peiret et al., Table 1", "a cube slides and spins to rest, by the exact cone", run_box},
      {"peiret-fig1", "Peiret et al., Figure 1", "friction saturates on a polygon around the cone",
       run_figure1},
      {"peiret-fig2", "Peiret et al., Figure 2", "phantom inertia changes neither slip nor motion",
       run_figure2},
      {"peiret-fig4", "Peiret et al., Figure 4", "the box on the ground by every formulation", run_figure4},
      {"peiret-rank", "Peiret et al., example",
       "ranks of the steps' matrices, with and without phantom inertia", run_rank},
      {"peiret-solvers", "Peiret et al., example", "which method solves which formulation's steps",
       run_solvers}};
}

}  // namespace rigor
