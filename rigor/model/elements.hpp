#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rigor/base/require.hpp"
#include "rigor/model/body_kinematics.hpp"

/// Constraints and forces written by users of the library. A user derives from ConstraintElement or
/// ForceElement, hands a shared pointer to make_model(), and every stepper honours it;
/// find_derivative_errors() in dynamics/ checks what was written by finite differences.
namespace rigor {

struct Model;

/// The motion at which an element's functions are called: poses always, velocities and accelerations as far
/// as the function that gets it needs them.
struct MotionView {
  const Model& model;
  double t;                  // s
  const Eigen::VectorXd& q;  // coordinates
  const Eigen::VectorXd& v;  // speeds
  const Eigen::VectorXd& a;  // d/dt v
  const Kinematics<double>& kinematics;

  /// Of a point given in the body's own frame B; in axes of W.
  [[nodiscard]] Eigen::Vector3d position(int body, const Eigen::Vector3d& point_B) const;      // m
  [[nodiscard]] Eigen::Vector3d velocity(int body, const Eigen::Vector3d& point_B) const;      // m/s
  [[nodiscard]] Eigen::Vector3d acceleration(int body, const Eigen::Vector3d& point_B) const;  // m/s²
  /// A direction given in B, in axes of W.
  [[nodiscard]] Eigen::Vector3d direction(int body, const Eigen::Vector3d& direction_B) const;
  [[nodiscard]] Eigen::Vector3d angular_velocity(int body) const;      // rad/s, in axes of W
  [[nodiscard]] Eigen::Vector3d angular_acceleration(int body) const;  // rad/s²
};

/// Collects forces on bodies and in joints.
class ForceSink {
 public:
  /// Makes room for a model's bodies and speeds and forgets all forces.
  void reset(std::size_t bodies, Eigen::Index speeds);

  /// `force` [N] on `body` at a point given in its own frame B; in axes of W.
  void add_force(const MotionView& view, int body, const Eigen::Vector3d& point_B,
                 const Eigen::Vector3d& force);
  /// `torque` [N m] on `body`, in axes of W.
  void add_torque(int body, const Eigen::Vector3d& torque) { wrenches_[index(body)].head<3>() += torque; }
  /// A spatial force (moment about the body's reference point, force), in axes of W.
  void add_wrench(int body, const Vec6<double>& wrench) { wrenches_[index(body)] += wrench; }
  /// A force or torque along the speed v[i].
  void add_speed_force(int i, double value) {
    require(i >= 0 && i < speed_forces_.size(), "add_speed_force: speed {}, must lie in [0, {}).", i,
            speed_forces_.size());
    speed_forces_[i] += value;
  }

  [[nodiscard]] const std::vector<Vec6<double>>& wrenches() const { return wrenches_; }
  [[nodiscard]] const Eigen::VectorXd& speed_forces() const { return speed_forces_; }

 private:
  [[nodiscard]] std::size_t index(int body) const {
    require(body >= 0 && static_cast<std::size_t>(body) < wrenches_.size(),
            "force on body {}, must lie in [0, {}). Model::find_body() gives the index of a name.", body,
            wrenches_.size());
    return static_cast<std::size_t>(body);
  }
  std::vector<Vec6<double>> wrenches_;
  Eigen::VectorXd speed_forces_;
};

/// Where an equation acts.
enum class RowLevel : char { kPosition, kVelocity, kAcceleration };

/// m equations that hold the motion, and the forces that their multipliers λ exert.
///
///     position      Θ(q, t) = 0      and its derivatives along the motion
///     velocity      Θ̇ = G(q) v + g(q, t) = 0
///     acceleration  Θ̈ = G(q) v̇ + b(q, v, t) = 0
///
/// An element acts at one level and gives its errors there and at the levels below; its forces must be
/// Gᵀ λ (it does no work but what g brings in).
class ConstraintElement {
 public:
  virtual ~ConstraintElement() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual RowLevel level() const = 0;
  [[nodiscard]] virtual int row_count() const = 0;
  /// The bodies it acts on; all where empty, which ties the whole model into one island.
  [[nodiscard]] virtual std::vector<int> bodies() const { return {}; }

  virtual void position_error(const MotionView& view, std::span<double> error) const;
  virtual void velocity_error(const MotionView& view, std::span<double> error) const;
  virtual void acceleration_error(const MotionView& view, std::span<double> error) const = 0;
  virtual void add_forces(const MotionView& view, std::span<const double> multipliers,
                          ForceSink& sink) const = 0;

  /// Stiffness and damping of an element that gives way; rigid where absent.
  [[nodiscard]] virtual std::optional<double> stiffness() const { return std::nullopt; }
  [[nodiscard]] virtual double damping() const { return 0.0; }
};

/// The force F(x, ẋ) that resists the growth of a length x: its value and derivatives at one x, ẋ.
struct ElasticForce {
  double force{0.0};      // F, N or N m
  double stiffness{0.0};  // ∂F/∂x ≥ 0
  double damping{0.0};    // ∂F/∂ẋ ≥ 0
};

/// A force. Either it adds what it likes (add_forces(), taken at the beginning of a step), or it resists
/// lengths: then it says for each of its rows F with derivatives, and which forces a unit of tension
/// exerts, and is taken implicitly.
class ForceElement {
 public:
  virtual ~ForceElement() = default;
  [[nodiscard]] virtual std::string name() const = 0;

  virtual void add_forces(const MotionView&, ForceSink&) const {}

  [[nodiscard]] virtual int row_count() const { return 0; }
  /// The bodies that its rows act on; all where empty.
  [[nodiscard]] virtual std::vector<int> bodies() const { return {}; }
  [[nodiscard]] virtual ElasticForce elastic_force(const MotionView&, int /*row*/) const { return {}; }
  /// Adds `size` times the forces under which the length `row` would grow by itself: Jᵀ with ẋ = J v.
  virtual void add_row_forces(const MotionView&, int /*row*/, double /*size*/, ForceSink&) const {}
};

}  // namespace rigor
