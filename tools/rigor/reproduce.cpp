#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "rigor/stepping/simulation.hpp"
#include "tools/rigor/commands.hpp"

namespace rigor {
namespace {

struct Figure {
  std::string name;
  double value;
  double reference;
  double tolerance;  // absolute

  [[nodiscard]] bool passes() const { return std::abs(value - reference) <= tolerance; }
};

/// An example of a seed: a scene of scenes/ that `rigor run` takes too, and what must come out.
struct Reproduction {
  const char* id;  // also the scene's name
  const char* seed;
  const char* about;
  std::function<std::vector<Figure>(Simulation&)> judge;
};

// Runs to the end; a step that fails is an error of the reproduction.
void finish(Simulation& simulation) {
  while (!simulation.is_finished()) {
    const StepReport report = simulation.step();
    if (report.status != StepStatus::kSolved) throw std::runtime_error(report.message);
  }
}

// Case G without friction: r = r0 cosh Ωt + v0/Ω sinh Ωt, drive torque 2 m Ω r ṙ; m = 0.7, Ω = 3, r0 = 0.2,
// v0 = 1, t = 1.
std::vector<Figure> judge_bead(Simulation& simulation) {
  finish(simulation);
  const double m = 0.7, omega = 3.0, r0 = 0.2, v0 = 1.0, t = 1.0, h = simulation.settings().dt;
  const double r = r0 * std::cosh(omega * t) + v0 / omega * std::sinh(omega * t);
  const double v = r0 * omega * std::sinh(omega * t) + v0 * std::cosh(omega * t);
  // the torque that is reported is that of the step that began at t − h
  const double r1 = r0 * std::cosh(omega * (t - h)) + v0 / omega * std::sinh(omega * (t - h));
  const double v1 = r0 * omega * std::sinh(omega * (t - h)) + v0 * std::cosh(omega * (t - h));
  const ModelMotion& drive = simulation.model().motions.front();
  return {{"r(1), m", simulation.state().q[1], r, 1e-9},
          {"v(1), m/s", simulation.state().v[1], v, 1e-9},
          {"drive torque, N m", simulation.stepper().motor_forces()[drive.v], 2 * m * omega * r1 * v1, 1e-8}};
}

// Case C without floor: the relative speed of two carts with a damper falls by 1/(1 + 2 δ h/m) a step.
std::vector<Figure> judge_damper(Simulation& simulation) {
  const double h = simulation.settings().dt, m = simulation.model().bodies[1].inertia_J.m;
  const double delta = simulation.model().springs.front().spring.damping;
  const auto relative = [&] { return simulation.state().v[1] - simulation.state().v[0]; };
  const double before = relative();
  const StepReport report = simulation.step();
  if (report.status != StepStatus::kSolved) throw std::runtime_error(report.message);
  const double after = relative();
  finish(simulation);
  const double steps = static_cast<double>(simulation.totals().steps);
  return {{"factor of the relative speed per step", after / before, 1.0 / (1.0 + 2.0 * delta * h / m), 1e-12},
          {"relative speed at the end, m/s", relative(), before * std::pow(1.0 + 2.0 * delta * h / m, -steps),
           1e-12}};
}

const std::vector<Reproduction>& all_reproductions() {
  static const std::vector<Reproduction> kAll{
      {"simbody-bead", "Simbody design notes",
       "prescribed motion: a bead on a driven rod, and the torque of the drive", judge_bead},
      {"anitescu-damper", "Anitescu, Potra: stiff forces",
       "a linearly implicit damper between two carts never overshoots", judge_damper}};
  return kAll;
}

}  // namespace

std::vector<std::string> reproduction_names() {
  std::vector<std::string> names;
  for (const Reproduction& entry : all_reproductions()) names.emplace_back(entry.id);
  return names;
}

int run_reproduce(const std::string& name, bool json) {
  JsonValue::Array list;
  bool all_pass = true;
  for (const Reproduction& entry : all_reproductions()) {
    if (!name.empty() && name != entry.id) continue;
    Simulation simulation(SceneRequest{entry.id, {}, false}.load());
    const std::vector<Figure> figures = entry.judge(simulation);
    bool pass = true;
    for (const Figure& figure : figures) pass = pass && figure.passes();
    all_pass = all_pass && pass;

    JsonValue& value = list.emplace_back(JsonValue::Object{});
    value.add("id", std::string(entry.id));
    value.add("seed", std::string(entry.seed));
    value.add("pass", pass);
    JsonValue& figures_json = value.add("figures", JsonValue::Array{});
    if (!json) fmt::print("{}: {} ({})\n  {}\n", entry.id, pass ? "pass" : "FAIL", entry.seed, entry.about);
    for (const Figure& figure : figures) {
      JsonValue& item = std::get<JsonValue::Array>(figures_json.data).emplace_back(JsonValue::Object{});
      item.add("name", figure.name);
      item.add("value", figure.value);
      item.add("reference", figure.reference);
      item.add("tolerance", figure.tolerance);
      if (!json)
        fmt::print("  {:<40} {:>16.12g}   reference {:>16.12g} ± {:.1g}{}\n", figure.name, figure.value,
                   figure.reference, figure.tolerance, figure.passes() ? "" : "   FAIL");
    }
  }
  if (json) print_json(std::move(list));
  return all_pass ? kAnswered : kNotAnswered;
}

}  // namespace rigor
