#pragma once

#include <limits>
#include <memory>

#include "rigor/base/worker_pool.hpp"
#include "rigor/solvers/cone/contact_colours.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

struct PileOptions {
  double tolerance{1e-4};     // m/s, of the residual
  bool associated{false};     // the convex law instead of Coulomb's
  int max_sweeps{1000};       // the budget: more may reach a smaller residual
  bool gives_up{false};       // ends before, where the budget will not do
  WorkerPool* pool{nullptr};  // threads that share a sweep; none: the caller alone, with the same result
};

struct PileResult {
  double residual{std::numeric_limits<double>::infinity()};  // of r, m/s, from the problem as given
  double cone_violation{0.0};                                // m/s
  int sweeps{0};
};

/// Gauss-Seidel over the contacts of a large pile, exact local solves [JAJ98], W never formed: every unit
/// keeps its half velocity v = Y r, a contact reads it from two units, solves its own 3 x 3 problem and
/// writes the change back. Contacts go by colours (ContactColours), so that threads share a colour and change
/// no bit.
///
/// Accelerated as a nonlinear conjugate gradient [SNE10]: with the change d_k of sweep k as the gradient,
///
///     β = ‖d_k‖² / ‖d_{k−1}‖²;   β > 1: p = d_k;   else r += β p,  p ← β p + d_k                       (1)
///
/// on r and v alike, which stay v = Y r. A sweep needs no r within its cones, and gives one that is: only
/// swept points are judged. Every sweep says how far it moved; the residual is computed where that is small,
/// and at times, and once more at the end from the problem as given.
///
/// For warm starts and residuals far above rounding. A pile of spheres has about as many loaded rows as
/// velocities, and with that many soft modes: the last digits are slow, whatever is swept.
///
/// [JAJ98] Jourdan, Alart, Jean. A Gauss-Seidel like algorithm to solve frictional contact problems. Comput.
///         Methods Appl. Mech. Eng. 155, 1998.
/// [SNE10] Silcowitz-Hansen, Niebe, Erleben. A nonsmooth nonlinear conjugate gradient method for interactive
///         contact force problems. Vis. Comput. 26, 2010.
class PileSweeps {
 public:
  /// r: 3 per contact, N s, on entry a start (zero where there is none), then the best point met.
  void solve(const UnitConeProblem& problem, const PileOptions& options, Eigen::VectorXd& r,
             PileResult& result);

 private:
  struct Rows;
  void prepare(const Eigen::VectorXd& r);
  double set_contact(int place);
  [[nodiscard]] Rows rows();
  template <class Work>
  double sum_ranges(int first, int last, bool in_order, Work&& work);
  double sweep();
  [[nodiscard]] double judge();
  void accelerate(double squares);
  bool note(double residual);
  void run(PileResult& result);
  void certify(const Eigen::VectorXd& r, PileResult& result);

  const UnitConeProblem* problem_{nullptr};
  PileOptions options_;
  double impulse_unit_{1.0};  // the mean diagonal of W, 1/kg
  ContactColours colours_;
  // in the order of the colours; Y as in UnitConeMatrix
  std::vector<int> begin_, node_;
  std::vector<Block3> half_, own_, inverse_;
  std::vector<Padded3> q_, r_, change_, direction_;
  std::vector<double> spring_, mu_;
  std::vector<ConeLocal> local_;
  // per node
  std::vector<Padded3> v_, v_before_, v_direction_;
  std::vector<double> sums_;
  Eigen::VectorXd best_;
  double best_residual_{0.0}, last_squares_{0.0};
};

}  // namespace rigor
