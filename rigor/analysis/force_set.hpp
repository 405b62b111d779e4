#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "rigor/solvers/conic/conic_solve.hpp"

namespace rigor {

/// What a question was answered with. Undecided: the margin is below 1e-9 and rounding would decide.
enum class Answer { kNo, kYes, kUndecided };

/// Some unknown forces that act together: those of one contact, or free ones (of frictionless constraints;
/// the inertia of motions that nothing prevents).
struct ForceBlock {
  int contact{-1};             // in the caller's list, -1: none
  Eigen::MatrixXd columns;     // n x k: forces on the coordinates
  Eigen::MatrixXd to_contact;  // (λn, λt) of the contact from the k unknowns
  double mu{0.0};              // k > 1, not free: ‖the others‖ ≤ mu · the first; 0: only the first
  bool is_free{false};         // else k = 1 is a half-line, k > 1 a cone around its first unknown

  [[nodiscard]] bool is_cone() const { return !is_free && columns.cols() > 1 && mu > 0.0; }
  /// A force that moves nothing: any size of it will do.
  [[nodiscard]] bool is_idle() const { return !is_free && columns.cols() > 0 && columns.isZero(0.0); }
};

/// [min, max] over a set; infinite where it is not bounded, NaN where that could not be decided.
struct Interval {
  double min{0.0}, max{0.0};
};

/// How a ForceSet's question ended, with its witness: forces, or a motion.
struct ForceVerdict {
  Answer answer{Answer::kUndecided};
  /// Largest ρ such that forces exist whose normal parts are all ρ [N] more than their cones need, at most
  /// `scale`: > 0 inside, < 0: even forces that pull so much would be needed.
  double margin{0.0};
  double raw_margin{0.0};  // as computed, before a face is looked for: good to about 1e-13 of the scale
  double scale{1.0};       // N: length of the least forces that balance the load without any cone
  bool is_capped{false};   // the margin is at least `scale`: squeezing harder holds better
  bool is_face{false};     // only forces on the boundary of some cones do: margin 0
  Eigen::VectorXd forces;  // unknowns of the blocks in their order, free ones as well
  double residual{0.0};    // ‖columns · forces − load‖ over the load's
  Eigen::VectorXd motion;  // n, where the answer is no: see (2)
  double power{0.0};       // load · motion < 0
  double bound{0.0};       // all forces that balance the load have ‖λ‖₁ ≥ bound, N
  int iterations{0};
};

/// The contact forces that balance a load within their cones:
///
///     Λ = { λ : C λ = f,  λ_i ∈ K_i },        K_i free, a half-line, or { ‖λt‖ ≤ mu λn }.            (1)
///
/// Λ is empty iff (up to closure) a motion y exists that all contacts let pass and that the load drives:
///
///     Cᵀy ∈ K*  (u_n ≥ mu ‖u_t‖;  u = 0 for free forces),     f·y < 0,                               (2)
///
/// since λ·Cᵀy ≥ 0 would have to equal f·y. Both sides are one conic program in the motion,
///
///     ρ* = min f·y + R (1 − Σ u_n)    with   Cᵀy ∈ K*,  Σ u_n ≤ 1,                                   (3)
///
/// whose multipliers are the forces and whose value is the margin. Where |ρ*| is nothing, only a face of the
/// cones can hold forces: the motion says which (facial reduction), and the question is asked again there.
///
/// [BW81] Borwein, Wolkowicz. Facial reduction for a cone-convex programming problem. J. Austral. Math. Soc.
///        30, 1981.
class ForceSet {
 public:
  static constexpr double kTolerance = 1e-9;   // of the margin over the scale
  static constexpr double kRank = 1e-10;       // of a unit vector: less is dependent
  static constexpr double kUnbalanced = 1e-9;  // of the load: less is rounding

  ForceSet(std::vector<ForceBlock> blocks, Eigen::VectorXd load);

  [[nodiscard]] const std::vector<ForceBlock>& blocks() const { return blocks_; }
  [[nodiscard]] const Eigen::VectorXd& load() const { return load_; }
  [[nodiscard]] Eigen::Index size() const { return size_; }  // unknowns
  [[nodiscard]] Eigen::Index first_of(std::size_t block) const { return first_[block]; }

  /// Another coefficient of friction for the blocks of a contact; the factors stay.
  void set_mu(int contact, double mu);
  void set_load(Eigen::VectorXd load);

  /// Whether Λ has a point. `face` gets the set in whose relative interior the forces lie: this one, or the
  /// smaller one of facial reduction.
  [[nodiscard]] ForceVerdict decide(std::optional<ForceSet>* face = nullptr) const;

  /// The interval of cᵀλ over Λ, c given for all unknowns. Λ must not be empty.
  [[nodiscard]] Interval find_range(const Eigen::VectorXd& c) const;
  /// The λ of Λ with the least ‖λ‖² over the unknowns that are not free.
  [[nodiscard]] std::optional<Eigen::VectorXd> find_least_norm() const;

  /// (λn, λt) of a contact, zero where it has no block.
  [[nodiscard]] Eigen::VectorXd contact_force(int contact, const Eigen::VectorXd& forces,
                                              Eigen::Index rows) const;

 private:
  void prepare();
  void arrange_blocks();
  void scale_motions();
  void reduce_motions();
  [[nodiscard]] Eigen::VectorXd find_unbalanced(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) const;
  void scale_forces();

  [[nodiscard]] ForceVerdict decide_without_idle(std::optional<ForceSet>* face) const;
  [[nodiscard]] Interval find_range_with_idle(const Eigen::VectorXd& c) const;
  [[nodiscard]] ForceVerdict refuse_unbalanced() const;
  [[nodiscard]] ForceVerdict accept_uncoupled() const;
  [[nodiscard]] ConicResult solve_margin(int& iterations) const;
  void decide_on_face(const Eigen::VectorXd& u, ForceVerdict& verdict, std::optional<ForceSet>* face) const;
  [[nodiscard]] double balance_residual(const Eigen::VectorXd& forces) const;
  void add_cone_rows(const Eigen::MatrixXd& rows, Eigen::Index first, ConicProgram& program) const;
  [[nodiscard]] Eigen::Index cone_rows() const;
  [[nodiscard]] Eigen::VectorXd to_forces(const Eigen::VectorXd& z, Eigen::Index first, double shift) const;
  [[nodiscard]] Eigen::VectorXd complete(const Eigen::VectorXd& cone_forces) const;
  [[nodiscard]] Eigen::VectorXd to_motion(const Eigen::VectorXd& y) const;
  [[nodiscard]] std::optional<ForceSet> find_face(const Eigen::VectorXd& u, std::vector<int>& origin,
                                                  std::vector<Eigen::MatrixXd>& lift) const;
  void measure(ForceVerdict& verdict) const;

  std::vector<ForceBlock> blocks_;
  Eigen::VectorXd load_;
  Eigen::Index size_{0};
  std::vector<Eigen::Index> first_;       // of each block among the unknowns
  std::vector<Eigen::Index> cone_first_;  // among those that are not free, −1 for free blocks
  Eigen::Index cone_size_{0};

  bool is_sparse_{false};
  Eigen::MatrixXd C_;       // n x cone_size
  Eigen::MatrixXd Free_;    // n x free unknowns
  Eigen::MatrixXd rows_;    // cone_size x r: u = rows y
  Eigen::MatrixXd motion_;  // n x r: the motion that y stands for
  Eigen::VectorXd b_;       // r: rowsᵀ λ = b
  double scale_{1.0};
  Eigen::VectorXd left_;  // n: the part of the load that no force can balance, a proof where it is not small
};

}  // namespace rigor
