#include "rigor/dynamics/overflow.hpp"

#include <fmt/format.h>

#include <cmath>

#include "rigor/base/index.hpp"

namespace rigor {
namespace {

bool is_usable(double x) {
  return std::fabs(x) <= kLargestNumber;
}

// The first of three functions of time that has no usable value, or an empty text.
std::string describe_vector(const std::array<TimeFunction, 3>& functions, double t, const char* unit) {
  for (const TimeFunction& function : functions)
    if (const double value = evaluate(function, t); !is_usable(value))
      return fmt::format("{:.4g} {}", value, unit);
  return {};
}

std::string describe_forces(const Model& model, double t) {
  for (const ModelForce& one : model.forces) {
    std::string value = describe_vector(one.force.force, t, "N");
    if (value.empty()) value = describe_vector(one.force.torque, t, "N m");
    if (!value.empty())
      return fmt::format("force \"{}\" on \"{}\" is {} at t = {:.6g} s", one.force.name,
                         model.bodies[at(one.body)].name, value, t);
  }
  for (const ModelMotor& motor : model.motors)
    if (const double value = evaluate(motor.effort, t); !is_usable(value))
      return fmt::format("the effort of motor \"{}\" is {:.4g} at t = {:.6g} s", motor.name, value, t);
  return {};
}

std::string describe_motions(const Model& model, double t, double h) {
  for (const ModelMotion& motion : model.motions) {
    const double value = motion.position   ? evaluate(*motion.position, t + h)
                         : motion.velocity ? evaluate(*motion.velocity, t + h)
                                           : evaluate(*motion.acceleration, t + 0.5 * h);
    if (!is_usable(value))
      return fmt::format("motion \"{}\" is {:.4g} at t = {:.6g} s", motion.name, value, t + h);
  }
  return {};
}

std::string describe_rows(const ConstrainedSystem& system) {
  for (std::size_t i = 0; i < system.islands().list.size(); ++i) {
    const IslandRows& rows = system.rows(i);
    for (Eigen::Index r = 0; r < rows.target.size(); ++r) {
      double worst = rows.Jt.rows() > 0 ? rows.Jt.col(r).cwiseAbs().sum() : 0.0;
      for (const double x :
           {rows.error[r], rows.target[r], rows.bias[r], rows.force[r], rows.stiffness[r], rows.damping[r]})
        raise_worst(worst, std::fabs(x));
      if (!is_usable(worst))
        return fmt::format("an equation of {} has the number {:.4g}",
                           describe_row(system.model(), system.islands().list[i], static_cast<int>(r)),
                           worst);
    }
  }
  return {};
}

}  // namespace

bool is_bounded(const IslandRows& rows) {
  for (const Eigen::VectorXd* numbers :
       {&rows.error, &rows.target, &rows.bias, &rows.force, &rows.stiffness, &rows.damping})
    if (!is_bounded(*numbers)) return false;
  for (Eigen::Index r = 0; r < rows.Jt.cols(); ++r)
    if (!is_usable(rows.Jt.col(r).cwiseAbs().sum())) return false;
  return true;
}

std::string describe_overflow(const ConstrainedSystem& system, double t, double h, const Eigen::VectorXd& v) {
  const Model& model = system.model();
  for (const double now : {t, t + 0.5 * h, t + h})
    if (std::string text = describe_forces(model, now); !text.empty()) return text;
  if (std::string text = describe_motions(model, t, h); !text.empty()) return text;
  if (std::string text = describe_rows(system); !text.empty()) return text;
  Eigen::Index fastest = 0;
  for (Eigen::Index i = 1; i < v.size(); ++i)
    if (!(std::fabs(v[i]) <= std::fabs(v[fastest])) && !std::isnan(v[fastest])) fastest = i;
  if (v.size() == 0) return "a number of the step overflows";
  const ModelBody& body = model.bodies[at(model.speeds[at(fastest)].body)];
  return fmt::format("coordinate {} of body \"{}\" would move at {:.4g} {}", fastest - body.v0, body.name,
                     v[fastest], is_rotation(model, static_cast<int>(fastest)) ? "rad/s" : "m/s");
}

std::string describe_far(const Model& model, const Eigen::VectorXd& q) {
  for (const ModelBody& body : model.bodies)
    for (int i = 0; i < body.nq; ++i)
      if (!is_usable(q[body.q0 + i]))
        return fmt::format("coordinate {} of body \"{}\" would be at {:.4g}", i, body.name, q[body.q0 + i]);
  return "the energies of the step are beyond what doubles hold";
}

}  // namespace rigor
