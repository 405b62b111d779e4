#pragma once

#include <Eigen/Core>
#include <tuple>
#include <vector>

#include "rigor/collision/contact_point.hpp"
#include "rigor/model/model.hpp"

namespace rigor {

enum class ContactMode { kOpen, kSticking, kSliding };

/// What a contact leaves behind for the next step, found again by its shapes and features.
struct ContactMemory {
  int shape_a{0}, shape_b{0};  // in Model::shapes
  FeatureId id{};
  Eigen::Vector3d impulse{Eigen::Vector3d::Zero()};  // along the frame, N s
  double h{0.0};                                     // of the step that it acted in, s
  // While it sticks: the material points of A and B that met when it began, in the bodies' frames J, m, and
  // how far A's has gone from B's along the contact's plane while it stuck, since its shapes touched, m: `lost` of
  // it under points that were given up. Where it rolls the points are those of the last step, and `drift` is what
  // the ways on the two surfaces differ by. Points that are not anchored were let go in the last step.
  Eigen::Vector3d anchor_a{Eigen::Vector3d::Zero()}, anchor_b{Eigen::Vector3d::Zero()};
  double drift{0.0}, lost{0.0};
  bool is_anchored{false}, rolls{false};
  ContactMode mode{ContactMode::kOpen};
  bool is_closed{false};  // its normal speed was zero
  int force_freedom{0};   // of the contacts that it was solved with: see ContactAnswer
  int velocity{0};        // VelocityVerdict of those

  /// Shapes, then features.
  [[nodiscard]] bool is_before(const ContactMemory& other) const {
    return std::tie(shape_a, shape_b, id) < std::tie(other.shape_a, other.shape_b, other.id);
  }
  bool operator==(const ContactMemory&) const = default;
};

/// What changes in time. Copying it is saving it; equal states have equal futures, bit for bit.
struct State {
  double t{0.0};                        // s
  Eigen::VectorXd q;                    // coordinates: m, rad, quaternions w x y z
  Eigen::VectorXd v;                    // speeds: m/s, rad/s
  std::vector<ContactMemory> contacts;  // sorted by is_before()
  double usual_work{0.0};               // with run.budget: multiplications of a step for every contact row

  bool operator==(const State& other) const {
    return t == other.t && q == other.q && v == other.v && contacts == other.contacts &&
           usual_work == other.usual_work;
  }
};

/// Where the quaternion of a body stands in q: of free and ball joints; −1 where there is none.
[[nodiscard]] int quaternion_at(const ModelBody& body);

/// The scene's initial values, not yet assembled; quaternions normalised.
[[nodiscard]] State make_state(const Model& model);

/// q ← q ⊕ d: moves along the speeds by d = h v. Quaternions turn by the rotation vector, from the left
/// (speeds of ball and free joints are in axes of the parent), and stay of unit length.
void move(const Model& model, const Eigen::VectorXd& d, Eigen::VectorXd& q);

/// q̇ = Γ(q) v.
void compute_q_dot(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                   Eigen::VectorXd& q_dot);

/// Makes the quaternions of q unit again.
void normalize(const Model& model, Eigen::VectorXd& q);

}  // namespace rigor
