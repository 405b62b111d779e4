#include "rigor/solvers/lcp/newton.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

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
        const double length = std::hypot(x[i], at.w[i]);
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
    const double length = std::hypot(z, w);
    return z > 0.0 && w > 0.0 ? 2.0 * z * w / (z + w + length) : z + w - length;
  }

  const Eigen::MatrixXd& M_;
  const Eigen::VectorXd& q_;
  Eigen::Index free_count_;
  ComplementarityMap map_;
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

  Eigen::VectorXd x = Eigen::VectorXd::Zero(n), best = x;
  if (options.seed != 0) {
    Random random(options.seed);
    for (Eigen::Index i = 0; i < n; ++i) x[i] = random.gaussian();
  }
  double best_residual = std::numeric_limits<double>::infinity(), damping = 1e-2;
  Evaluation here, there;
  system.evaluate(x, here);
  for (;; ++result.iterations) {
    if (here.residual < best_residual) {
      best_residual = here.residual;
      best = x;
    }
    if (here.residual <= target) {
      result.status = Status::kSolved;
      break;
    }
    if (result.iterations == options.max_steps) break;

    // Newton direction, with Armijo's rule on the merit function
    const Eigen::MatrixXd J = system.jacobian(x, here);
    const Eigen::VectorXd gradient = J.transpose() * here.phi;
    Eigen::VectorXd step = Eigen::PartialPivLU<Eigen::MatrixXd>(J).solve(-here.phi);
    ++result.factorisations;
    bool moved = false;
    if (const double slope = gradient.dot(step); step.allFinite() && slope < 0.0) {
      double length = 1.0;
      for (int halving = 0; halving < 12 && !moved; ++halving, length *= 0.5) {
        system.evaluate(x + length * step, there);
        moved = there.merit <= here.merit + 1e-4 * length * slope;
        if (moved) step *= length;
      }
    }
    // else Levenberg-Marquardt: raise the damping until the merit function falls
    for (int trial = 0; trial < 25 && !moved; ++trial) {
      Eigen::MatrixXd normal = J.transpose() * J;
      normal.diagonal().array() += damping * std::min(1.0, 2.0 * here.merit) + 1e-16;
      step = normal.ldlt().solve(-gradient);
      ++result.factorisations;
      system.evaluate(x + step, there);
      moved = there.merit < here.merit * (1.0 - 1e-6);
      damping = moved ? std::max(1e-12, 0.2 * damping) : std::min(1e12, 5.0 * damping);
    }
    if (!moved) {
      result.status = Status::kNumericalTrouble;
      result.note = "newton: stationary point of the merit function";
      break;
    }
    x += step;
    std::swap(here, there);
  }
  for (Eigen::Index i = free_count; i < n; ++i) best[i] = std::max(0.0, best[i]);
  scaling.to_original(best, result.z);
}

}  // namespace rigor
