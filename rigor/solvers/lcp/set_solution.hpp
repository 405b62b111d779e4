#pragma once

#include <vector>

#include "rigor/solvers/lcp/active_block.hpp"
#include "rigor/solvers/lcp/equilibrate.hpp"
#include "rigor/solvers/lcp/single_sweeps.hpp"

namespace rigor {

/// The solution of the equations of an LCP for a guess F of its positive z: z_F = −M_FF⁻¹ q_F, z = 0
/// elsewhere, w = M z + q, and the pairs of which z or w came out negative. One set after the other, on the
/// equilibrated problem.
///
/// Large problems are solved in single precision and refined in double [Hig02, ch. 12],
///
///     w = M z + q in double,    z_F ← z_F − A⁻¹ w_F,    A a factor of M_FF in single precision,      (1)
///
/// where each step must shrink w_F a hundredfold, which it does up to a condition of about 1e4; otherwise the
/// factor is computed in double from then on. A step also bounds the remaining error of z and w: as soon as a
/// pair is negative by more than that, (1) ends. Where M is so dominated by its diagonal that Gauss-Seidel
/// converges in a few sweeps, sweeps take the place of A.
///
/// [Hig02] Higham. Accuracy and Stability of Numerical Algorithms, 2nd ed. SIAM, 2002.
class SetSolution {
 public:
  /// A new problem, which must outlive the solves. The first `free_count` variables belong to every set and
  /// may have any sign. `single`: begin in single precision.
  void start(const LcpProblem& problem, Eigen::Index free_count, bool equilibrate, bool single);

  /// A first guess by sweeps of projected Gauss-Seidel; only where start() chose single precision. False, and
  /// `positive` is left as it was, where they do not settle.
  [[nodiscard]] bool guess(int max_sweeps, std::vector<char>& positive);

  /// Solves for F = {i : positive[i] ≠ 0}. False where M_FF is singular. It may end early once some pairs are
  /// known to be negative; with `exact` all are found, and z has full accuracy.
  [[nodiscard]] bool solve(const std::vector<char>& positive, bool exact);

  /// The pairs that came out negative.
  [[nodiscard]] const std::vector<int>& bad() const { return bad_; }

  /// Whether the last solve needed single precision only.
  [[nodiscard]] bool is_single() const { return precision_ != Precision::kDouble; }

  /// One more correction (1), where w_F is not yet zero.
  void refine();

  /// z of the problem as it was given; what is negative by rounding is 0.
  void read_solution(Eigen::VectorXd& z);

  [[nodiscard]] const Eigen::VectorXd& q() const { return scaled_.q; }  // of the equilibrated problem
  [[nodiscard]] int factorisations() const;

 private:
  enum class Precision { kSweeps, kSingle, kDouble };

  void start_double();
  [[nodiscard]] bool solve_in_single(bool exact);
  [[nodiscard]] bool solve_in_double();
  void correct();
  void compute_image();
  [[nodiscard]] double largest_on_set() const;
  [[nodiscard]] bool find_bad(double z_error, double w_error);

  const LcpProblem* problem_{nullptr};
  const std::vector<char>* positive_{nullptr};
  Eigen::Index free_count_{0};
  Precision precision_{Precision::kDouble};
  bool began_in_single_{false};
  bool symmetric_{false};  // the factors in double
  Equilibration scaling_;
  LcpProblem scaled_;       // its M is filled in only where a factor in double needs it
  Eigen::MatrixXf single_;  // R M C in single precision
  SingleSweeps sweeps_;
  ActiveBlock<float> single_block_;
  ActiveBlock<double> block_;
  Eigen::VectorXd z_, w_, correction_;
  Eigen::VectorXf single_correction_;
  std::vector<int> bad_;
};

}  // namespace rigor
