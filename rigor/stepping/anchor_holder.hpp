#pragma once

#include <deque>

#include "rigor/solvers/cone/unit_cone_matrix.hpp"
#include "rigor/stepping/anchors.hpp"

namespace rigor {

/// Keeps contacts that stick where they are, by moving positions alone. After q⁺ = q ⊕ h v⁺ the anchors
/// (anchors.hpp) of contacts that are held are apart by s. Of all d that bring them together the one of least
/// kinetic metric is taken,
///
///     min dᵀ M d   subject to    fixed      H d = −(s_n − h u_n, s_t)      all three directions
///                                rolling    H_n d = 0,  H_t d = −slip
///                                loaded otherwise, and loaded ends of ranges    H_n d = 0           (1)
///
/// q ← q ⊕ d, again until the anchors meet: a step of Newton's method with the rows H of the step's beginning
/// gains a factor of ω h. Equations (1) may depend on each other (four corners of a face are twelve for six
/// freedoms) or contradict each other: they are met in the sense of least squares, islands apart and bodies
/// at rest fixed, on W = H M̂⁻¹ Hᵀ. Few rows take the method of conjugate residuals [1], which needs products
/// alone. Many take one factor of W + α, with which
///
///     p ← p + (W + α)⁻¹ (b − W p)                                                                       (2)
///
/// leaves α/(λ + α) of the error in a motion of eigenvalue λ, each time. Both leave what cannot be met. That is
/// not lost: the anchors stay, the certificate tells how far they are apart, and the next step tries again.
///
/// Anchors that are further apart than their bodies' ways in the step are not held: what has thrown them
/// apart was no error of a step.
///
/// Where positions move first (`positions: before`) the bodies have moved when contacts are found, and u_n is
/// that of the move to come: remember_anchor() has left it in the anchors. A gap that this u_n closes is left
/// to it, H_n d = 0.
///
/// [1] E. Stiefel. Relaxationsmethoden bester Strategie zur Lösung linearer Gleichungssysteme. Comment.
///     Math. Helv. 29, 1955.
class AnchorHolder {
 public:
  /// Moves q, with `kin` its positions and the new velocities. The system must still have the step's factors,
  /// and step.anchors must be known. Distances of step, from which overlap is judged, follow. Returns how
  /// often it moved; 0: there was nothing to do, and not a bit has changed.
  [[nodiscard]] int hold(ContactStep& step, ConstrainedSystem& system, Kinematics<double>& kin,
                         Eigen::VectorXd& q);

 private:
  [[nodiscard]] static Eigen::Vector3d find_error(const ContactStep& step, const OneSidedBlock& block,
                                                  const ContactAnchor& anchor, const Kinematics<double>& kin);
  [[nodiscard]] bool find_torn(ContactStep& step, const Kinematics<double>& kin);
  void find_groups(const ContactStep& step, const ConstrainedSystem& system, const Kinematics<double>& kin);
  double find_errors(const ContactStep& step, const ContactIsland& group, const Kinematics<double>& kin);
  void find_contact_errors(const ContactStep& step, const OneSidedBlock& block, const Kinematics<double>& kin,
                           double& worst);
  void find_scales(const ContactStep& step, const ContactIsland& group);
  void solve_group(const ContactStep& step, std::size_t i);
  void solve_by_residuals(const ContactStep& step, const ContactIsland& group);
  void multiply(const ContactStep& step, const ContactIsland& group);

  /// W + α of a group, on the rows of (1).
  struct Factor {
    UnitAssembly units;
    UnitConeMatrix matrix;
    std::vector<Block3> D;  // 1/α in the rows of (1)
    bool is_known{false}, is_regular{false};
  };
  void make_factor(const ContactStep& step, const ContactIsland& group, Factor& factor);
  void solve_by_factor(const ContactStep& step, const ContactIsland& group, Factor& factor);
  void move_all(const ContactStep& step, ConstrainedSystem& system, Kinematics<double>& kin,
                Eigen::VectorXd& q);
  void shift_distances(ContactStep& step, const Kinematics<double>& kin) const;

  std::vector<char> is_apart_;         // of every island
  std::vector<char> moves_;            // of every unit
  std::vector<ContactIsland> groups_;  // blocks that are solved together
  std::deque<Factor> factors_;         // of groups of many blocks
  std::size_t group_count_{0};
  std::vector<double> last_;         // of every group: its error before the last move, m; 0: done
  Eigen::VectorXd errors_, active_;  // of all rows: m; 1 where the row is one of (1), else 0
  Eigen::VectorXd pushes_, shifts_, f_, d_, total_;  // of all rows: p with d = M̂⁻¹ Hᵀ p, H d; of all speeds
  Eigen::VectorXd scale_, r_, scaled_, direction_, image_, Wdirection_, p_, half_;  // of a group's rows
  Eigen::VectorXd rest_, scaled_rest_, change_, speeds_, product_, sum_;            // three per block
  std::vector<Eigen::VectorXd> zero_rows_;
};

}  // namespace rigor
