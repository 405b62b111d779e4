#pragma once

#include <array>
#include <optional>
#include <vector>

#include "rigor/dynamics/articulated_body.hpp"
#include "rigor/dynamics/free_top.hpp"
#include "rigor/dynamics/hinge_forest.hpp"
#include "rigor/model/state.hpp"

namespace rigor {

/// The motion of a model on which no force acts:
///
///     q̇ = Γ(q) v,    M(q) v̇ = −c(q, v),    prescribed speeds constant.                                         (1)
///
/// It keeps the kinetic energy where nothing is prescribed. A step that changes velocities by impulses at fixed
/// positions, and then lets the model move by (1), makes no energy: neither half does. With c as a force of the step
/// instead, M would change between the impulses and the positions, and links that turn fast gain energy at every
/// impact.
///
/// - What flies alone, and what turns about a ball joint in the world, turns as a free top: exact (FreeTop).
/// - A body alone on any other joint in the world whose M does not change moves evenly: exact.
/// - Other trees by Nyström's method, of order 4 in parts in which no body turns by more than kPart, of order 2 where
///   bodies turn so little (kLittle) that its error is smaller than that of order 4 in a part. Accelerations by
///   articulated bodies (HingeForest, where it takes the trees). Loops and other rows are not seen: the step's next
///   impulses keep to them.
///
/// Nyström's method [HNW93, II.14] finds the positions of its stages from accelerations, with two of four at the same
/// place, so that M is needed at three places. With q ⊕ d what move() makes of q, and h v̇ = h a(q, v),
///
///     a₁ = a(q, v)
///     a₂ = a(q_m, v + h/2 a₁),  a₃ = a(q_m, v + h/2 a₂),     q_m = q ⊕ (h/2 v + h²/8 a₁ + t(h/2, v, v + h/2 a₁))
///     a₄ = a(q_e, v + h a₃),                                 q_e = q ⊕ (h v + h²/2 a₃ + t(h, v, v + h a₃))
///     v' = v + h/6 (a₁ + 2 a₂ + 2 a₃ + a₄),                  q' = q ⊕ (h v + h²/6 (a₁ + a₂ + a₃) + t(h, v, v'))   (2)
///
/// where t is what turns about changing axes lack, the second term of Magnus' series: −h²/12 ω × ω' for the angular
/// speeds of a quaternion, 0 for others [HLW06, IV.7]. Without it the order would be 2.
///
/// [HNW93] E. Hairer, S. Nørsett, G. Wanner. Solving Ordinary Differential Equations I. 2nd ed., Springer, 1993.
/// [HLW06] E. Hairer, C. Lubich, G. Wanner. Geometric Numerical Integration. 2nd ed., Springer, 2006, II.5 (splitting).
class FreeMotion {
 public:
  static constexpr double kPart = 0.1;      // rad
  static constexpr double kLittle = 0.003;  // rad

  /// The model must outlive it.
  explicit FreeMotion(const Model& model);

  /// Moves q and v by h seconds. `kin` has the kinematics at q; its velocities are not used. Returns −1, or a body that
  /// would turn too far in one step for this to mean anything, or whose tree meets a place where a joint has no inertia:
  /// then q and v are as they were.
  [[nodiscard]] int move(const Kinematics<double>& kin, double h, Eigen::VectorXd& q, Eigen::VectorXd& v);

  /// Gives the tops the angular velocity of their momentum in the last move() at other positions, near those that it
  /// led to: where something was corrected.
  void carry(const Kinematics<double>& kin, Eigen::VectorXd& v) const;

  /// Of the last move(): the mean forces that hold prescribed speeds constant, N or N m; 0 along the others.
  [[nodiscard]] const Eigen::VectorXd& motor_forces() const { return motor_forces_; }

  /// Whether a tree has joints that meet no inertia (a link without mass, which rows must move), or a user's rows speak
  /// of accelerations. Then trees move evenly here, and the step must take their c as a force.
  [[nodiscard]] bool leaves_out_trees() const { return leaves_out_; }
  /// Where the step does so: what tops do with c is done here, so their part of `forces` is that of `without`.
  void leave_to_tops(const Eigen::VectorXd& without, Eigen::VectorXd& forces) const;

 private:
  struct Top {
    std::size_t body;
    int quaternion;  // where it stands in q
    FreeTop top;
    Eigen::Vector3d L{Eigen::Vector3d::Zero()};  // in W, N m s
    Eigen::Quaterniond e{Eigen::Quaterniond::Identity()};
  };
  struct Range {  // where a body's numbers stand in the model and among trees_
    int q0, nq, v0, nv, own_q0, own_v0;
  };
  void add_tree(const Model& model, std::size_t root, const std::vector<std::size_t>& members);
  int move_trees(const Kinematics<double>& kin, double h);
  void copy_positions(const Kinematics<double>& kin);
  bool begin(const Kinematics<double>& kin);
  bool take_step(double h, bool is_little, double share);
  void find_way(double h, double share, const Eigen::VectorXd& v_end, const Eigen::VectorXd& a);
  bool place();
  bool accelerate(const Eigen::VectorXd& v, double share, Eigen::VectorXd& a);

  const Model& model_;
  std::vector<Top> tops_;
  Model trees_;  // of the model, those whose M changes; without gravity
  std::vector<Range> ranges_;
  std::vector<int> origin_;  // of a body of trees_: its number in the model
  bool leaves_out_{false}, moved_trees_{false};

  std::optional<HingeForest> forest_;  // of trees_, where it takes them
  std::vector<int> turns_;             // first speeds of quaternions, in trees_
  Kinematics<double> kin_;
  ArticulatedBody articulated_;
  Eigen::VectorXd q_, v_, way_, stage_q_, stage_v_, even_, zero_, own_motor_forces_, motor_forces_;
  std::array<Eigen::VectorXd, 4> a_;
  Eigen::VectorXd sum_;
};

}  // namespace rigor
