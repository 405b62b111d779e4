#pragma once

#include "rigor/math/limits.hpp"
#include "rigor/solvers/cone/linearise.hpp"
#include "rigor/solvers/cone/lorentz_pack.hpp"

namespace rigor {

/// Primal-dual interior point on Coulomb's law itself, not on a convex approximation. With x = (mu r_N, r_T)
/// and z = (û_N / mu, u_T), both in the Lorentz cone, ∘ its Jordan product and e its unit element,
///
///     û(r) = P z,    x ∘ z = σ µ_k e,    P = diag(mu, 1, 1)                                          (1)
///
/// is solved by Newton's method with the scaling of Nesterov and Todd and Mehrotra's predictor and corrector.
/// The derivative of mu ‖u_T‖, smoothed by 1e-3 √µ_k, is part of the matrix. The method needs no start and
/// comes near an answer where Newton's method alone does not; the last digits are left to Newton's method.
/// For the associated law, û = u, it is the standard method for convex programs, which always ends.
///
/// A row with bounds, and a contact without friction, has a slack and a force z per bound; a bilateral row, without bounds, is the equation u
/// = 0:
///
///     u = z_l − z_u,    (r − lower) z_l = (upper − r) z_u = σ µ_k                                    (2)
///
/// [AAN24] Acary, Armand, Nguyen, Shpakovych. Second-order cone programming for frictional contact mechanics
///         using interior point algorithm. Optim. Methods Softw. 39, 2024.
class ConeInteriorPoint {
 public:
  /// From x = z = size · ‖q‖/√n · e.
  void start(const ScaledCone& cone, double size);
  /// From an r and its velocity, both lifted into the cones by `lift` of ‖q‖/√n. Contacts without an impulse that open
  /// faster than `reach` ‖q‖/√n stay open and take no part: `best()` is then near an answer, and what is left of it is
  /// for others to find.
  void start_near(const ScaledCone& cone, const Eigen::VectorXd& r, double lift, double reach = kInfinity);

  /// From an r lifted into its cones by `lift` of its root mean square, and the z with x ∘ z = µ_k e for
  /// µ_k = `ratio` of the mean ‖x‖²: for starts near an answer where impulses are large beside velocities. r
  /// must not be zero.
  void start_centred(const ScaledCone& cone, const Eigen::VectorXd& r, double lift, double ratio);

  /// Lifts x and z at the present point by √µ_k: what is stuck at the edge of a cone gets away from it, and the method
  /// goes on with the centring it has reached.
  void lift_again();

  /// One step. False where it made no progress: a singular matrix, or a step of length zero.
  [[nodiscard]] bool step();

  [[nodiscard]] const Eigen::VectorXd& best() const { return best_; }  // projected on the cones
  [[nodiscard]] double best_residual() const { return best_residual_; }
  /// Length of the last step; 1 is a full one.
  [[nodiscard]] double last_length() const { return last_length_; }
  /// How many of the last steps in a row were shorter than a tenth; the first five are not counted.
  [[nodiscard]] int short_steps() const { return short_steps_; }

 private:
  // one bound of a row: slack s = side (r − bound), force z on r towards the inside
  struct Bound {
    int contact;
    double side;  // 1: lower, −1: upper
    double at;
    double s{0.0}, z{0.0}, ds{0.0}, dz{0.0};
  };
  struct Row {
    int contact;
    RowBounds bounds;
  };

  [[nodiscard]] bool is_row(int i) const;
  [[nodiscard]] RowBounds bounds_of(int i) const;

  void prepare(const ScaledCone& cone, double size);
  void take_part(const Eigen::VectorXd& r, double reach);
  void lift_from(double lift);
  void start_bounds(double lift);
  void update_impulse();
  void note_best();
  void linearise();
  void linearise_bounds();
  void find_direction(double target, bool corrects);
  void find_bounds_direction(double target, bool corrects);
  [[nodiscard]] double find_longest_step() const;
  [[nodiscard]] double find_products(double length) const;

  const ScaledCone* cone_{nullptr};
  std::vector<LorentzPack> packs_;
  std::vector<int> members_;  // four per pack: its contacts, −1 for none
  std::vector<Row> rows_;
  std::vector<Bound> bounds_;
  LinearLaw law_;
  Eigen::VectorXd gap_;  // of rows with bounds
  Eigen::VectorXd r_, u_, dr_, du_, best_, projected_, projected_speed_;
  double best_residual_{0.0}, last_length_{1.0}, unit_{1.0}, mu_k_{0.0};
  int steps_{0}, short_steps_{0}, pairs_{1};
  bool has_blunt_cones_{false};  // some mu is below what this method takes for it
};

}  // namespace rigor
