#pragma once

#include <limits>

#include "rigor/contact/formulation.hpp"
#include "rigor/solvers/cone/cone_solve.hpp"

namespace rigor {

/// The rows of an island for the formulations that decide at the beginning of a step whether a contact sticks
/// or slides (`phantom`, `box`, `hybrid`). It sticks where its slip speed ‖u_t‖ is below the material's
/// slip_speed. With p = h λ the impulse, s_t, s_l the slip that the formulation finds, and "prev" the step
/// before, in the numbering of [P17]:
///
///     sticks   u_t⁺ + ε_t p_t − ε_t h (λ_t + b_t u_t)_prev = s_t,   ε_t = 1/(k_t h² + b_t h)    (40), (42)
///     slides   u_t⁺ + ε_t p_t = s_t         along e_t = u_t/‖u_t‖
///              u_l⁺ + ε_l p_l = s_l         across, e_l = n × e_t,   ε_l = ‖u_t‖/(μ λ_n h)_prev     (43)
///
/// k_t and b_t are stiffness and damping of bristles, ε_t = 0 without bristles. The lateral term ε_l turns
/// the friction force with the slip, as Coulomb's law does. In ε_l the normal force λ_n is at least a
/// thousandth of the island's largest (a corner may carry nothing); a contact that had no step before takes
/// λ_n from a solution of this step without friction.
///
/// Where rigid rows depend on each other, forces are not unique and the matrix is singular. These rows get a
/// small compliance α, and the problem is solved again with q − α r, r the last answer, until α has no
/// effect: the limit of equal compliance, as for the exact cone (cone_select.hpp).
///
/// [P17] Peiret, Kövecses, Font-Llagunes. A friction model for non-singular complementarity formulations for
///       multibody systems with contacts. DETC2017-67988. (43) has λ_n in its text and λ_t in print.
class FrictionRows {
 public:
  struct Options {
    bool turns{true};       // whether the tangents of sliding contacts are e_t and e_l, not the contact's own
    bool is_lateral{true};  // whether sliding contacts have the term with ε_l
  };

  void build(const ContactQuestion& question, const Options& options);

  /// u = W r + q with ε in W and the terms with "prev" in q, in the axes e_t, e_l where they are turned; no
  /// α.
  [[nodiscard]] const ConeProblem& problem() const { return problem_; }
  [[nodiscard]] bool slides(std::size_t block) const { return slides_[block] != 0; }
  /// λ_n of the step before, N, without its least value.
  [[nodiscard]] double previous_normal(std::size_t block) const { return normals_[block]; }
  /// The mean of W's diagonal before ε: 1/kg.
  [[nodiscard]] double mean() const { return mean_; }
  /// α of each row divided by mean(); 0 where the row has a compliance of its own.
  [[nodiscard]] const Eigen::VectorXd& alpha() const { return alpha_; }

  /// Solves with α, then again with q − α r until α has no effect; where that goes slowly, with a tenth of α.
  /// `attempt(q, is_new, r)` solves the problem with the matrix W + α and this q, in units in which impulses
  /// are velocities, and returns the residual of r without α, or infinity where it fails; is_new says that α
  /// is not that of the call before. Leaves the best r in `best` and returns its residual.
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

  /// Turns r from the axes e_t, e_l to the contact's own tangents.
  void turn_back(Eigen::VectorXd& r) const;
  /// Turns the columns of Y, one per row, from the contact's own tangents to e_t, e_l.
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
