#pragma once

#include <limits>

#include "rigor/contact/formulation.hpp"
#include "rigor/solvers/cone/cone_solve.hpp"

namespace rigor {

/// The rows of an island as the laws with a switch see them (`phantom`, `box`, `hybrid`): each contact sticks
/// or slides by its slip speed ‖u_t‖ at the beginning of the step, and with s_t the slip and p = h λ
///
///     sticks    u_t⁺ + ε_t p_t − ε_t h (λ_t + b_t u_t)_previous = s_t,    ε_t = 1/(k_t h² + b_t h)    [P17]
///     (40), (42) slides    along e_t = u_t/‖u_t‖ and across, e_l = n × e_t:
///               u_t⁺ + ε_t p_t = s_t,    u_l⁺ + ε_l p_l = s_l,    ε_l = ‖u_t‖/(μ λ_n h)_previous       [P17]
///               (43)
///
/// with ε_t = 0 where there are no bristles. The lateral term turns the force with the slip, as Coulomb's law
/// does. λ_n is floored at a thousandth of the island's largest (it is zero where a corner carries no load);
/// a contact without history takes it from the same step without friction.
///
/// Where rows are rigid and redundant, forces are not unique and matrices singular. These rows get a
/// compliance α, and the step is solved again with q − α r of the last answer until α has no effect: the
/// limit of equal compliance, as for the exact cone (cone_select.hpp).
///
/// [P17] Peiret, Kövecses, Font-Llagunes. A friction model for non-singular complementarity formulations for
///       multibody systems with contacts. DETC2017-67988. (43) has λ_n in its text and λ_t in print.
class FrictionRows {
 public:
  struct Options {
    bool turns{true};       // tangents of sliding contacts along and across the slip
    bool is_lateral{true};  // with ε_l
  };

  void build(const ContactQuestion& question, const Options& options);

  /// W with ε, q with what stands beside it; in turned axes; without α. Blocks as in the question.
  [[nodiscard]] const ConeProblem& problem() const { return problem_; }
  [[nodiscard]] bool slides(std::size_t block) const { return slides_[block] != 0; }
  /// λ_n of the step before, N, not floored.
  [[nodiscard]] double previous_normal(std::size_t block) const { return normals_[block]; }
  /// The mean of W's diagonal before ε: 1/kg.
  [[nodiscard]] double mean() const { return mean_; }
  /// α of each row over the mean; 0 where the row gives way by itself.
  [[nodiscard]] const Eigen::VectorXd& alpha() const { return alpha_; }

  /// Solves with α, then again until it has no effect; where that takes long, with a smaller one. `attempt(q,
  /// is_new, r)` solves the problem with the matrix W + α and this q, in units in which impulses are
  /// velocities, and returns the residual of r without α, or infinity; is_new where α is another one than
  /// before. Leaves the best r, returns its residual.
  template <class Attempt>
  double solve_without_alpha(double tolerance, Eigen::VectorXd& best, Attempt attempt) {
    const Eigen::VectorXd& q = problem_.q;
    const double enough = kRounding * (1.0 + q.cwiseAbs().maxCoeff());
    double residual = std::numeric_limits<double>::infinity(), last = residual;
    best.setZero(q.size());
    trial_ = best;
    bool is_new = true;
    for (int k = 0; k <= kMaxCorrections; ++k) {
      shifted_ = q - alpha_.cwiseProduct(trial_);
      const double before = last;
      last = attempt(shifted_, is_new, trial_);
      if (!std::isfinite(last)) break;
      if (last < residual) {
        residual = last;
        best = trial_;
      }
      const bool crawls = last > 0.5 * before;
      if (!is_rigid_ || residual <= enough || (residual <= tolerance && crawls)) break;
      is_new = crawls;
      if (crawls) alpha_ *= 0.1;
    }
    return residual;
  }

  /// From turned axes to those of the question.
  void turn_back(Eigen::VectorXd& r) const;
  /// The columns of Y, one per row of the question, as those of W: to turned axes.
  void turn_columns(Eigen::MatrixXd& Y) const;

 private:
  static constexpr int kMaxCorrections = 12;
  static constexpr double kRounding = 1e-15;  // m/s

  void find_normals(const ContactQuestion& question);
  void turn(std::size_t k);
  void turn_pair(std::size_t k, double& x, double& y) const;
  void relax(const ContactQuestion& question, std::size_t k, const Options& options);

  ConeProblem problem_;
  std::vector<char> slides_;
  std::vector<double> normals_;        // N
  std::vector<Eigen::Vector2d> axes_;  // e_t; (1, 0) where not turned
  Eigen::VectorXd alpha_, shifted_, trial_;
  double mean_{1.0}, floor_{0.0};
  bool is_rigid_{false};
  ConeProblem frictionless_;
  ConeOptions options_;
  ConeWorkspace workspace_;
  ConeResult result_;
};

}  // namespace rigor
