#pragma once

#include "rigor/dynamics/constrained_system.hpp"

namespace rigor {

/// Sees to it that taking back overlap, and holding what sticks, makes no energy. They move positions and leave speeds as
/// they are, so that the kinetic energy ½ vᵀ M(q) v of a mechanism changes by as much as M does: a chain of 30 links that
/// meets the floor fast, turned by 2° out of an overlap of 6 mm, gained 6 J of 370. A unit (a tree, or trees that
/// constraints join) whose energy has grown from T to T' gets
///
///     v ← √(T/T') v,                                                                                     (1)
///
/// which keeps every direction: rows that stood still stand still, contacts that stuck stick, what parts goes on parting.
/// What has lost energy is left alone. Units with prescribed speeds are not theirs to scale.
class KineticKeeper {
 public:
  /// Before positions are corrected: `kin` has the velocities v.
  void note(const ConstrainedSystem& system, const Kinematics<double>& kin, const Eigen::VectorXd& v);
  /// After it: `kin` has the velocities v at the corrected positions. True where v has changed: `kin` is then of the v
  /// before.
  [[nodiscard]] bool keep(const ConstrainedSystem& system, const Kinematics<double>& kin, Eigen::VectorXd& v);

 private:
  void find_units(const ConstrainedSystem& system);
  void compute(const ConstrainedSystem& system, const Kinematics<double>& kin, const Eigen::VectorXd& v,
               std::vector<double>& energies) const;

  std::vector<int> unit_of_body_;     // −1: none
  std::vector<char> is_prescribed_;   // of every unit
  std::vector<double> before_, now_;  // of every unit, J
};

}  // namespace rigor
