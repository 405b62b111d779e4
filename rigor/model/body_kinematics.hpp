#pragma once

#include <vector>

#include "rigor/math/spatial.hpp"

/// Where the bodies of a model are and how they move: data that dynamics/kinematics.hpp fills.
namespace rigor {

/// One body; vectors in axes of W, motions at the body's reference point, the origin of its frame J.
template <class T>
struct BodyKinematics {
  Mat3<T> R{Mat3<T>::Identity()};  // R_WJ
  Vec3<T> p{Vec3<T>::Zero()};      // p_WJ, m
  Vec3<T> r{Vec3<T>::Zero()};      // from the parent's reference point to ours, m
  SpatialInertia<T> inertia;       // about the reference point
  Vec6<T> V{Vec6<T>::Zero()};      // velocity
  // Acceleration at zero v̇, less what the parent's acceleration brings: A = shift(A_parent) + S v̇ + bias
  Vec6<T> bias{Vec6<T>::Zero()};
  Vec6<T> A{Vec6<T>::Zero()};  // acceleration (of the body's point, as a Newtonian would say)

  /// Velocity and acceleration of the body's point that lies d from its reference point.
  [[nodiscard]] Vec3<T> velocity_at(const Vec3<T>& d) const {
    return V.template tail<3>() + V.template head<3>().cross(d);
  }
  [[nodiscard]] Vec3<T> acceleration_at(const Vec3<T>& d) const {
    const Vec3<T> w = V.template head<3>();
    return A.template tail<3>() + A.template head<3>().cross(d) + w.cross(w.cross(d));
  }
  [[nodiscard]] Vec3<T> angular_velocity() const { return V.template head<3>(); }
  [[nodiscard]] Vec3<T> angular_acceleration() const { return A.template head<3>(); }
};

template <class T>
struct Kinematics {
  std::vector<BodyKinematics<T>> bodies;  // as in Model::bodies; [0] is the world
  Eigen::Matrix<T, 6, Eigen::Dynamic> S;  // column i: motion of its body per unit of v[i]
};

}  // namespace rigor
