#pragma once

#include <Eigen/Cholesky>

#include "rigor/dynamics/island_rows.hpp"
#include "rigor/dynamics/tree_matrix.hpp"
#include "rigor/math/orthogonal_factor.hpp"

namespace rigor {

/// The inertia of an island together with its equations: solves, for x (velocities or accelerations) and p,
///
///     M x − Jᵀ p = f,        J x + E p = b,        x given along prescribed speeds,                  (1)
///
/// E = diag(ε) ≥ 0 are the compliances, 0 for rigid rows. Rows may depend on each other: then x is still the
/// one solution, and p is the one of least ‖p‖. Rows that contradict others leave a residual.
///
/// Where M is positive definite, with M = Lᵀ D L, p follows from an orthogonal factor of K, so that Kᵀ K is
/// never formed:
///
///     K = [D^(-1/2) L^(-T) Jᵀ; E^(1/2)],      Kᵀ K p = b − J M⁻¹ f
///
/// Where a massless body makes M singular, the null space Z of the rigid rows is used. With J_ε the elastic
/// rows and ε their compliances, this works if and only if ker M̂ ∩ ker J = {0}:
///
///     M̂ = M + J_εᵀ ε⁻¹ J_ε,      (Zᵀ M̂ Z) y = Zᵀ (f − M̂ x₀),      x = x₀ + Z y
///
/// [BGL05] M. Benzi, G. Golub, J. Liesen. Numerical solution of saddle point problems. Acta Numerica, 2005,
///         ch. 5-6.
class ConstrainedInertia {
 public:
  struct Input {
    const Island* island;
    const TreeMatrix* M;
    const Eigen::VectorXd* extra;       // added to M's diagonal, all speeds
    const TreeFactor* factor;           // of M + extra
    const std::vector<char>* is_fixed;  // prescribed speeds
    const Eigen::MatrixXd* Jt;          // island's speeds x rows
    const Eigen::VectorXd* epsilon;     // per row; infinite for a row that is switched off
  };

  /// Returns −1, or the island's speed that moves most in a motion without inertia that no row prevents.
  int compute(const Input& input);

  /// x, f have all speeds of the model; b, p the island's rows. On entry x holds the prescribed speeds, and
  /// M x_prescribed has already been subtracted from f.
  void solve(const Eigen::VectorXd& f, const Eigen::VectorXd& b, Eigen::VectorXd& x, Eigen::VectorXd& p);

  /// The half vector y(f) of a force f: with x(f) the solution of (1) for b = 0 and no prescribed motion,
  ///
  ///     gᵀ x(f) = y(g)·y(f)      for all forces f, g.                                                (2)
  ///
  /// So the matrix of the products gᵀ x(f) of many forces is symmetric and positive semidefinite as computed,
  /// whatever the rounding. f has the island's speeds, y half_size() entries.
  [[nodiscard]] Eigen::Index half_size() const;
  void half_apply(const Eigen::Ref<const Eigen::VectorXd>& f, Eigen::Ref<Eigen::VectorXd> y);

  /// How many of the rows follow from the others.
  [[nodiscard]] Eigen::Index redundant() const;
  /// Whether M is singular here and the null space of the rows is used.
  [[nodiscard]] bool uses_null_space() const { return uses_null_space_; }
  /// b − J x − E p of the last solve, and its largest entry.
  [[nodiscard]] const Eigen::VectorXd& residuals() const { return rest_; }
  [[nodiscard]] double residual() const { return residual_; }

  /// How large the numbers were that the residual of the last solve is what is left of, for an estimate of what rounding
  /// leaves (docs/theory/cone.md). b, x and p are those of solve().
  struct Loads {
    double squares{
        0.0};  // Σ over the rows: (w p)² + (|J| |x|)² + b² + q², w the mean diagonal of J M⁻¹ Jᵀ + E
    double speeds{0.0};  // ‖(|J| |x|, b, q)‖₂, q = b − J x without p
    double dependent{
        0.0};  // the largest ‖row‖ ‖x‖ where rows depend on each other, measured as the factor does
  };
  [[nodiscard]] Loads measure_loads(const Eigen::VectorXd& b, const Eigen::VectorXd& x,
                                    const Eigen::VectorXd& p) const;

 private:
  void compute_range_space();
  int compute_null_space();
  [[nodiscard]] int find_massless() const;
  void solve_range_space(const Eigen::VectorXd& f, const Eigen::VectorXd& b, Eigen::VectorXd& x,
                         Eigen::VectorXd& p);
  void solve_null_space(const Eigen::VectorXd& f, const Eigen::VectorXd& b, Eigen::VectorXd& x,
                        Eigen::VectorXd& p);
  void gather(const Eigen::VectorXd& from, Eigen::VectorXd& to) const;   // model's speeds → island's
  void scatter(const Eigen::VectorXd& from, Eigen::VectorXd& to) const;  // and back
  void zero_fixed(Eigen::VectorXd& local) const;
  void compute_residual(const Eigen::VectorXd& b, const Eigen::VectorXd& x, const Eigen::VectorXd& p);
  [[nodiscard]] bool is_off(Eigen::Index r) const;
  [[nodiscard]] bool is_soft(Eigen::Index r) const;

  Input in_{};
  bool uses_null_space_{false};
  OrthogonalFactor qr_;
  Eigen::MatrixXd K_, Z_, M_, MZ_, H_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
  std::vector<Eigen::Index> rigid_;  // null space: which rows are rigid
  Eigen::VectorXd x_, f_, rest_, p_part_, y_, step_, half_;
  std::vector<char> fixed_;  // the island's prescribed speeds
  double residual_{0.0};
  double given_{0.0};  // ‖b − J x‖₂² before any p
};

}  // namespace rigor
