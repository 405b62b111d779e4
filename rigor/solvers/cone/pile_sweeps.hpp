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
  bool gives_up{false};       // ends early where the budget will not be enough at the present rate,
  double doubt{1.0};          // or would not be if so many times the digits were missing
  WorkerPool* pool{nullptr};  // threads that share a sweep; none: the caller alone, with the same result
};

struct PileResult {
  double residual{std::numeric_limits<double>::infinity()};  // of r, m/s, from the problem as given
  double cone_violation{0.0};                                // m/s
  int sweeps{0};
};

/// Gauss-Seidel over the contacts of a large pile with exact local solves [JAJ98]. W is never formed: every
/// unit (body) keeps its velocity v = Y r in half coordinates (UnitConeProblem); a contact reads it from its
/// two units, solves its own 3 x 3 problem and writes the change back. Contacts are taken by colours
/// (ContactColours), so that threads can share a colour and change no bit of the result.
///
/// Accelerated as a nonlinear conjugate gradient method [SNE10]: with the change d_k of sweep k as the
/// gradient,
///
///     β = ‖d_k‖² / ‖d_{k−1}‖²
///     β > 1:   p = d_k
///     else     r += β p,   p ← β p + d_k                                                             (1)
///
/// for r and v alike, so that v = Y r still holds. A sweep may begin with r outside its cones and ends
/// inside: residuals are computed after sweeps only. They are computed where the change of a sweep is small,
/// now and then otherwise, and at the end from the problem as given.
///
/// Meant for warm starts and residuals far above rounding. A pile of spheres has about as many loaded rows as
/// velocities and many soft modes, so that the last digits are slow for every method that sweeps.
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
