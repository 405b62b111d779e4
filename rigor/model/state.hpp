#pragma once

#include <Eigen/Core>

#include "rigor/model/model.hpp"

namespace rigor {

/// What changes in time. Copying it is saving it; equal states have equal futures, bit for bit.
struct State {
  double t{0.0};      // s
  Eigen::VectorXd q;  // coordinates: m, rad, quaternions w x y z
  Eigen::VectorXd v;  // speeds: m/s, rad/s

  bool operator==(const State& other) const { return t == other.t && q == other.q && v == other.v; }
};

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
