#include "rigor/solvers/lcp/newton.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/work.hpp"
#include "rigor/math/portable.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/lcp/equilibrate.hpp"

namespace rigor {
namespace {

// Φ at a point, with the natural residual (of the scaled problem) beside it
struct Evaluation {
  Eigen::VectorXd w, phi;
  double residual{std::numeric_limits<double>::infinity()};
  double merit{std::numeric_limits<double>::infinity()};  // ½‖Φ‖²
};

class MixedSystem {
 public:
  MixedSystem(const LcpProblem& problem, Eigen::Index free_count, ComplementarityMap map)
      : M_(problem.M), q_(problem.q), free_count_(free_count), map_(map) {}

  void evaluate(const Eigen::VectorXd& x, Evaluation& at) const {
    at.w = M_ * x + q_;
    at.phi = at.w;
    at.residual = 0.0;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      double gap = at.w[i];
      if (i >= free_count_) {
        gap = std::min(x[i], at.w[i]);
        at.phi[i] = map_ == ComplementarityMap::kMinimum ? gap : fischer(x[i], at.w[i]);
      }
      at.residual = std::max(at.residual, std::fabs(gap));
    }
    at.merit = 0.5 * at.phi.squaredNorm();
    if (!std::isfinite(at.merit)) at.merit = at.residual = std::numeric_limits<double>::infinity();
  }

  // an element of the generalised Jacobian: diag(a) + diag(b) M on the complementary rows
  [[nodiscard]] Eigen::MatrixXd jacobian(const Eigen::VectorXd& x, const Evaluation& at) const {
    Eigen::MatrixXd J = M_;
    for (Eigen::Index i = free_count_; i < x.size(); ++i) {
      double a = x[i] <= at.w[i] ? 1.0 : 0.0, b = 1.0 - a;
      if (map_ == ComplementarityMap::kFischerBurmeister) {
        const double length = portable::hypot(x[i], at.w[i]);
        a = length > 1e-14 ? 1.0 - x[i] / length : 1.0 - std::sqrt(0.5);
        b = length > 1e-14 ? 1.0 - at.w[i] / length : 1.0 - std::sqrt(0.5);
      }
      J.row(i) *= b;
      J(i, i) += a;
    }
    return J;
  }

 private:
  // z + w − √(z² + w²) without cancellation where both are positive
  static double fischer(double z, double w) {
    const double length = portable::hypot(z, w);
    return z > 0.0 && w > 0.0 ? 2.0 * z * w / (z + w + length) : z + w - length;
  }

  const Eigen::MatrixXd& M_;
  const Eigen::VectorXd& q_;
  Eigen::Index free_count_;
  ComplementarityMap map_;
};

// Steps from one point to the next, each with a lower merit.
class NewtonDescent {
 public:
  NewtonDescent(const MixedSystem& system, Eigen::VectorXd x) : system_(system), x_(std::move(x)) {
    system_.evaluate(x_, here_);
  }

  [[nodiscard]] const Eigen::VectorXd& x() const { return x_; }
  [[nodiscard]] double residual() const { return here_.residual; }

  // False at a stationary point of the merit function.
  bool step(int& factorisations) {
    const Eigen::MatrixXd J = system_.jacobian(x_, here_);
    const Eigen::VectorXd gradient = J.transpose() * here_.phi;
    if (!try_newton(J, gradient, factorisations) && !try_damped(J, gradient, factorisations)) return false;
    x_ += step_;
    std::swap(here_, there_);
    return true;
  }

 private:
  // Newton direction, with Armijo's rule on the merit function.
  bool try_newton(const Eigen::MatrixXd& J, const Eigen::VectorXd& gradient, int& factorisations) {
    step_ = Eigen::PartialPivLU<Eigen::MatrixXd>(J).solve(-here_.phi);
    ++factorisations;
    const double slope = gradient.dot(step_);
    if (!step_.allFinite() || !(slope < 0.0)) return false;
    double length = 1.0;
    for (int halving = 0; halving < 12; ++halving, length *= 0.5) {
      system_.evaluate(x_ + length * step_, there_);
      if (!(there_.merit <= here_.merit + 1e-4 * length * slope)) continue;
      step_ *= length;
      return true;
    }
    return false;
  }

  // Levenberg-Marquardt: raises the damping until the merit function falls.
  bool try_damped(const Eigen::MatrixXd& J, const Eigen::VectorXd& gradient, int& factorisations) {
    const auto n = static_cast<double>(x_.size());
    for (int trial = 0; trial < 25 && may_work(2.0 * n * n * n); ++trial) {
      Eigen::MatrixXd normal = J.transpose() * J;
      normal.diagonal().array() += damping_ * std::min(1.0, 2.0 * here_.merit) + 1e-16;
      step_ = normal.ldlt().solve(-gradient);
      ++factorisations;
      system_.evaluate(x_ + step_, there_);
      const bool moved = there_.merit < here_.merit * (1.0 - 1e-6);
      damping_ = moved ? std::max(1e-12, 0.2 * damping_) : std::min(1e12, 5.0 * damping_);
      if (moved) return true;
    }
    return false;
  }

  const MixedSystem& system_;
  Eigen::VectorXd x_, step_;
  Evaluation here_, there_;
  double damping_{1e-2};
};

}  // namespace

void solve_newton(const LcpProblem& problem, Eigen::Index free_count, const NewtonOptions& options,
                  LcpResult& result) {
  result.solver = "newton";
  result.status = Status::kIterationLimit;
  Equilibration scaling;
  LcpProblem scaled;
  scaling.compute(problem, options.equilibrate);
  scaling.apply(problem, scaled);
  const MixedSystem system(scaled, free_count, options.map);
  const Eigen::Index n = problem.q.size();
  const double target = std::min(1e-12, 0.01 * options.tolerance);

  Eigen::VectorXd start = Eigen::VectorXd::Zero(n), best = start;
  if (options.seed != 0) {
    Random random(options.seed);
    for (Eigen::Index i = 0; i < n; ++i) start[i] = random.gaussian();
  }
  double best_residual = std::numeric_limits<double>::infinity();
  NewtonDescent descent(system, start);
  const auto size = static_cast<double>(n);
  const double turn = size * size * size / 3.0;
  for (;; ++result.iterations) {
    if (descent.residual() < best_residual) {
      best_residual = descent.residual();
      best = descent.x();
    }
    if (descent.residual() <= target) {
      result.status = Status::kSolved;
      break;
    }
    if (result.iterations == options.max_steps || !may_work(turn)) break;
    if (!descent.step(result.factorisations)) {
      if (!may_work(0.0)) break;
      result.status = Status::kNumericalTrouble;
      result.note = "newton: stationary point of the merit function";
      break;
    }
  }
  for (Eigen::Index i = free_count; i < n; ++i) best[i] = std::max(0.0, best[i]);
  scaling.to_original(best, result.z);
}

}  // namespace rigor
