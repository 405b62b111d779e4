#pragma once

#include <optional>
#include <vector>

#include "rigor/analysis/force_set.hpp"
#include "rigor/solvers/acceleration/acceleration_problem.hpp"

namespace rigor {

/// Which friction forces are allowed.
enum class FrictionKind {
  kCones,      // Coulomb's, with the problem's coefficients
  kNone,       // λt = 0: frictionless stability
  kUnlimited,  // λt free: the contact LCP or MLCP of [BKA, 3.1-3.2], before the cones are added
};

/// Some contacts stick: do accelerations and forces exist? [BKA, (14), (61), (65), (71)] For the contacts
/// that are closed,
///
///     M a + F = C λ
///     normal a + bias = 0      of closed contacts
///     tangent a + bias = 0     of sticking contacts
///     normal a + bias ≥ 0      of the others, for which λ = 0
///     λ within the cones                                                                             (1)
///
/// The accelerations that obey the second and third line are a = a0 + Z x; then (1) is C λ − M Z x = M a0 +
/// F, a ForceSet in which x counts as free forces; a contact that is not closed adds a row s = normal a +
/// bias with a half-line s ≥ 0, weighted by the largest entry of M so that s is a force. No rank is assumed
/// of M, of the normals or of the tangents.
///
/// A bilateral contact with friction has the cone ‖λt‖ ≤ mu |λn|, which is not convex: both signs of every λn
/// are searched, parts whose relaxation is impossible are left out.
struct StickingAnswer {
  Answer answer{Answer::kUndecided};
  ForceVerdict verdict;          // of the best choice of signs
  std::optional<ForceSet> set;   // the forces with these signs
  std::optional<ForceSet> face;  // where they lie in its relative interior; none where the answer is no
  std::vector<int> signs;        // per contact: ±1 of λn of a bilateral contact with friction, else 0
  std::vector<std::vector<int>> all_signs;  // every choice that has forces
  bool is_complete{true};                   // each of the others is refused
  /// Where the answer is no: what refuses each branch of the signs, 0 standing for both. One entry with all
  /// signs 0 where no bilateral contact has friction.
  struct Refusal {
    std::vector<int> signs;
    Eigen::VectorXd motion;
  };
  std::vector<Refusal> refusals;
  Eigen::VectorXd acceleration;         // n; empty where the answer is no
  std::vector<Eigen::VectorXd> forces;  // per contact (λn, λt)
  /// Where (1) asks for accelerations that contradict each other: weights of its rows that add up to a
  /// contradiction, 0 = Σ w (row a + bias) = Σ w bias ≠ 0; rows in the order of `rows`.
  Eigen::VectorXd contradiction;
};

/// What is asked of a unilateral contact.
enum ContactState : char {
  kContactOpen = 0,    // no force, and it does not close
  kContactClosed = 1,  // its normal acceleration is zero
  kContactEither = 2,  // forces as if closed, and it does not close: contains both of the above
};

class StickingSet {
 public:
  struct Row {
    int contact{0};
    int component{0};  // 0 the normal, else the tangent
  };

  /// `closed` per contact, a ContactState; empty: all are. Bilateral contacts always are.
  StickingSet(const AccelerationProblem& problem, FrictionKind friction, std::vector<char> closed = {});

  [[nodiscard]] const AccelerationProblem& problem() const { return *problem_; }
  /// The coefficient that decide() uses for a contact.
  void set_mu(std::size_t contact, double mu);
  [[nodiscard]] double mu(std::size_t contact) const { return mu_[contact]; }
  /// Another F; (1) stays otherwise.
  void set_load(const Eigen::VectorXd& F);

  [[nodiscard]] StickingAnswer decide() const;

  // What (1) asks of the accelerations:
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const Eigen::MatrixXd& J() const { return J_; }
  [[nodiscard]] const Eigen::VectorXd& bias() const { return bias_; }
  [[nodiscard]] const Eigen::MatrixXd& Z() const { return Z_; }  // n x free accelerations
  [[nodiscard]] const Eigen::VectorXd& a0() const { return a0_; }
  [[nodiscard]] bool is_consistent() const { return contradiction_.size() == 0; }

  /// ker M ∩ ker J = {0}: with these contacts closed, and forces given, accelerations are unique [BKA, (15)].
  [[nodiscard]] bool has_unique_acceleration() const;

  /// The forces for a choice of signs; 0 for contacts that need one: the hull of both.
  [[nodiscard]] ForceSet make_force_set(const std::vector<int>& signs) const;
  /// A bilateral contact with friction.
  [[nodiscard]] bool needs_sign(std::size_t contact) const;
  /// a0 + Z x of all unknowns of a make_force_set().
  [[nodiscard]] Eigen::VectorXd acceleration_of(const Eigen::VectorXd& unknowns) const;

 private:
  // Add the forces of contact i to the blocks of make_force_set().
  void add_open_contact(std::size_t i, std::vector<ForceBlock>& blocks) const;
  void add_sliding_contact(std::size_t i, int sign, std::vector<ForceBlock>& blocks) const;
  void add_sticking_contact(std::size_t i, int sign, std::vector<ForceBlock>& blocks) const;
  void add_frictionless_contact(std::size_t i, std::vector<ForceBlock>& blocks) const;
  void add_opening_rows(std::vector<ForceBlock>& blocks, Eigen::VectorXd& load) const;
  void search_signs(std::vector<int>& signs, std::size_t at, StickingAnswer& best) const;
  void fill(StickingAnswer& answer) const;

  const AccelerationProblem* problem_;
  FrictionKind friction_;
  std::vector<char> closed_;
  std::vector<double> mu_;
  Eigen::VectorXd F_;
  std::vector<Row> rows_;
  Eigen::MatrixXd J_, Z_;
  Eigen::VectorXd bias_, a0_, contradiction_;
};

}  // namespace rigor
