#include "rigor/dynamics/element_check.hpp"

#include <cmath>

#include "rigor/dynamics/inverse_dynamics.hpp"
#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

constexpr double kStep = 1e-5;  // s

// The model at a motion, as an element sees it.
class Probe {
 public:
  Probe(const Model& model, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
        const Eigen::VectorXd& a)
      : model_(model), t_(t), q_(q), v_(v), a_(a) {
    compute_positions(model, q_, kin_);
    compute_velocities(model, v_, kin_);
    compute_accelerations<double>(model, a_, Eigen::Vector3d::Zero(), kin_);
  }
  [[nodiscard]] MotionView view() const { return {model_, t_, q_, v_, a_, kin_}; }

  // A force's components along the speeds.
  template <class Fill>
  [[nodiscard]] Eigen::VectorXd generalized_force(const Fill& fill) const {
    ForceSink sink;
    sink.reset(model_.bodies.size(), model_.nv);
    fill(view(), sink);
    std::vector<Vec6<double>> wrenches = sink.wrenches();
    Eigen::VectorXd tau = sink.speed_forces();
    add_generalized_forces(model_, kin_, wrenches, tau);
    return tau;
  }

 private:
  const Model& model_;
  double t_;
  Eigen::VectorXd q_, v_, a_;
  Kinematics<double> kin_;
};

// Numbers that look random and are the same on every machine.
Eigen::VectorXd make_direction(int size) {
  Eigen::VectorXd d(size);
  for (int i = 0; i < size; ++i) d[i] = portable::sin(1.0 + 2.3 * i);
  return d;
}

Probe probe_after(const Model& model, const State& state, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                  double dt) {
  Eigen::VectorXd q = state.q;
  move(model, dt * (v + 0.5 * dt * a), q);
  return Probe(model, state.t + dt, q, v + dt * a, a);
}

class Comparison {
 public:
  explicit Comparison(double tolerance) : tolerance_(tolerance) {}
  void compare(const std::string& what, double claimed, double found, double scale) {
    if (!(std::abs(claimed - found) <= tolerance_ * (std::abs(claimed) + std::abs(found) + scale)))
      errors_.push_back({what, claimed, found});
  }
  [[nodiscard]] std::vector<DerivativeError> take() { return std::move(errors_); }

 private:
  double tolerance_;
  std::vector<DerivativeError> errors_;
};

}  // namespace

std::vector<DerivativeError> find_derivative_errors(const Model& model, const State& state,
                                                    const ConstraintElement& element, double tolerance) {
  const Eigen::VectorXd a = make_direction(model.nv);
  const Probe now(model, state.t, state.q, state.v, a);
  const Probe before = probe_after(model, state, state.v, a, -kStep),
              after = probe_after(model, state, state.v, a, kStep);
  const auto rows = static_cast<std::size_t>(element.row_count());
  using Error = void (ConstraintElement::*)(const MotionView&, std::span<double>) const;
  const auto evaluate = [&](Error error, const Probe& probe) {
    std::vector<double> values(rows);
    (element.*error)(probe.view(), values);
    return values;
  };
  Comparison comparison(tolerance);
  const double scale = 1.0 + state.v.squaredNorm();
  const auto compare_rates = [&](Error value, Error rate, const char* of, const char* name) {
    const auto one = evaluate(value, before), two = evaluate(value, after), claimed = evaluate(rate, now);
    for (std::size_t r = 0; r < rows; ++r)
      comparison.compare(fmt::format("{} of row {} is not the derivative of {}", name, r + 1, of), claimed[r],
                         (two[r] - one[r]) / (2.0 * kStep), scale);
  };
  if (element.level() == RowLevel::kPosition)
    compare_rates(&ConstraintElement::position_error, &ConstraintElement::velocity_error, "position_error",
                  "velocity_error");
  if (element.level() != RowLevel::kAcceleration)
    compare_rates(&ConstraintElement::velocity_error, &ConstraintElement::acceleration_error,
                  "velocity_error", "acceleration_error");

  // acceleration_error = G v̇ + b: its change with v̇ must be the forces' Gᵀ
  const Probe pushed(model, state.t, state.q, state.v, 2.0 * a);
  const auto one = evaluate(&ConstraintElement::acceleration_error, now);
  const auto two = evaluate(&ConstraintElement::acceleration_error, pushed);
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> multipliers(rows, 0.0);
    multipliers[r] = 1.0;
    const Eigen::VectorXd row = now.generalized_force(
        [&](const MotionView& view, ForceSink& sink) { element.add_forces(view, multipliers, sink); });
    comparison.compare(
        fmt::format("add_forces of multiplier {} does not match what accelerations do to row {}", r + 1,
                    r + 1),
        row.dot(a), two[r] - one[r], row.norm() * a.norm());
  }
  return comparison.take();
}

std::vector<DerivativeError> find_derivative_errors(const Model& model, const State& state,
                                                    const ForceElement& element, double tolerance) {
  Comparison comparison(tolerance);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nv);
  const Probe now(model, state.t, state.q, state.v, zero);
  for (int r = 0; r < element.row_count(); ++r) {
    const ElasticForce claimed = element.elastic_force(now.view(), r);
    const Eigen::VectorXd row = now.generalized_force(
        [&](const MotionView& view, ForceSink& sink) { element.add_row_forces(view, r, 1.0, sink); });
    if (row.squaredNorm() == 0.0) continue;
    const Eigen::VectorXd d = row / row.squaredNorm();  // the length grows by 1 along it
    const auto force = [&](double dx, double dv) {
      Eigen::VectorXd q = state.q;
      move(model, dx * d, q);
      return element.elastic_force(Probe(model, state.t, q, state.v + dv * d, zero).view(), r).force;
    };
    const double scale = 1.0 + std::abs(claimed.force);
    comparison.compare(fmt::format("stiffness of row {} is not the rate of its force", r + 1),
                       claimed.stiffness, (force(kStep, 0.0) - force(-kStep, 0.0)) / (2.0 * kStep), scale);
    comparison.compare(fmt::format("damping of row {} is not the rate of its force", r + 1), claimed.damping,
                       (force(0.0, kStep) - force(0.0, -kStep)) / (2.0 * kStep), scale);
  }
  return comparison.take();
}

}  // namespace rigor
