#pragma once

#include <Eigen/Core>
#include <vector>

namespace rigor {

/// Sweeps of Gauss-Seidel in single precision: for guesses, and for corrections that are refined afterwards.
/// M comes column after column, its rows lengthened by zeros to a multiple of eight. Storage is kept.
class SingleSweeps {
 public:
  /// Guesses the positive z by up to `max_sweeps` sweeps of projected Gauss-Seidel, z_i ← max(0, z_i − w_i /
  /// M_ii), until the signs settle. False, and `positive` is left as it was, where M has no positive diagonal
  /// or many signs go on changing, as they do for a matrix that is mostly skew.
  [[nodiscard]] bool guess(const Eigen::MatrixXf& M, const Eigen::VectorXd& q, int max_sweeps,
                           std::vector<char>& positive);

  /// z of the last guess.
  [[nodiscard]] const Eigen::VectorXf& z() const { return z_; }

  /// The length of the last sweep of the last guess over that of the sweep before: small where M is dominated
  /// by its diagonal; 1 where it is not known.
  [[nodiscard]] double rate() const { return rate_; }

  /// Overwrites x with an approximate solution of M_FF x_F = x_F, zero outside F. M as in the last guess.
  void solve_in_place(const Eigen::MatrixXf& M, const std::vector<char>& member, Eigen::VectorXf& x);

 private:
  // what every step of a sweep changes: begins at a multiple of a register, which is a sixth faster
  struct alignas(32) Eight {
    float entries[8];
  };
  using Aligned = Eigen::Map<Eigen::VectorXf>;

  [[nodiscard]] Aligned start_residual(Eigen::Index rows);

  Eigen::VectorXf z_;
  std::vector<Eight> w_;
  Eigen::VectorXf inverse_;  // of the diagonal
  double rate_{1.0};
};

}  // namespace rigor
