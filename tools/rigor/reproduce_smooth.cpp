// Examples without contact.
#include "tools/rigor/reproductions.hpp"

namespace rigor {
namespace {

// Case G without friction: r = r0 cosh Ωt + v0/Ω sinh Ωt, drive torque 2 m Ω r ṙ; m = 0.7, Ω = 3, r0 = 0.2,
// v0 = 1, t = 1.
Outcome run_bead(const std::vector<std::string>& set) {
  const auto simulation = start("simbody-bead", set);
  finish(*simulation);
  const double m = 0.7, omega = 3.0, r0 = 0.2, v0 = 1.0, t = 1.0, h = simulation->settings().dt;
  const double r = r0 * std::cosh(omega * t) + v0 / omega * std::sinh(omega * t);
  const double v = r0 * omega * std::sinh(omega * t) + v0 * std::cosh(omega * t);
  // the torque that is reported is that of the step that began at t − h
  const double r1 = r0 * std::cosh(omega * (t - h)) + v0 / omega * std::sinh(omega * (t - h));
  const double v1 = r0 * omega * std::sinh(omega * (t - h)) + v0 * std::cosh(omega * (t - h));
  const ModelMotion& drive = simulation->model().motions.front();
  Outcome outcome;
  outcome.add("r(1), m", simulation->state().q[1], r, 1e-9);
  outcome.add("v(1), m/s", simulation->state().v[1], v, 1e-9);
  outcome.add("drive torque, N m", simulation->stepper().motor_forces()[drive.v], 2 * m * omega * r1 * v1,
              1e-8);
  return outcome;
}

// Case C without floor: the relative speed of two carts with a damper falls by 1/(1 + 2 δ h/m) a step.
Outcome run_damper(const std::vector<std::string>& set) {
  const auto simulation = start("anitescu-damper", set);
  const double h = simulation->settings().dt, m = simulation->model().bodies[1].inertia_J.m;
  const double delta = simulation->model().springs.front().spring.damping;
  const auto relative = [&] { return simulation->state().v[1] - simulation->state().v[0]; };
  const double before = relative();
  const StepReport report = simulation->step();
  if (!report.is_taken()) throw std::runtime_error(report.message);
  const double after = relative();
  finish(*simulation);
  const double steps = static_cast<double>(simulation->totals().steps);
  Outcome outcome;
  outcome.add("factor of the relative speed per step", after / before, 1.0 / (1.0 + 2.0 * delta * h / m),
              1e-12);
  outcome.add("relative speed at the end, m/s", relative(),
              before * std::pow(1.0 + 2.0 * delta * h / m, -steps), 1e-12);
  return outcome;
}

}  // namespace

std::vector<Reproduction> list_smooth_reproductions() {
  return {{"simbody-bead", "Simbody design notes",
           "prescribed motion: a bead on a driven rod, and the torque of the drive", run_bead},
          {"anitescu-damper", "Anitescu, Potra: stiff forces",
           "a linearly implicit damper between two carts never overshoots", run_damper}};
}

}  // namespace rigor
