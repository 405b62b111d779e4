#include "rigor/solvers/lcp/interior_point.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/work.hpp"
#include "rigor/math/portable.hpp"
#include "rigor/solvers/lcp/equilibrate.hpp"

namespace rigor {
namespace {

// A point x = (free variables, z), w with z, w > 0, and the steps from it.
class InteriorPoint {
 public:
  InteriorPoint(const LcpProblem& problem, Eigen::Index free_count)
      : M_(problem.M),
        q_(problem.q),
        free_count_(free_count),
        m_(problem.q.size() - free_count),
        x_(Eigen::VectorXd::Zero(problem.q.size())),
        w_(Eigen::VectorXd::Ones(m_)),
        dx_(problem.q.size()),
        dw_(m_),
        lu_(problem.q.size()) {
    x_.tail(m_).setOnes();
  }

  [[nodiscard]] const Eigen::VectorXd& x() const { return x_; }

  // How far from the equations, and from complementarity.
  double measure() {
    const Eigen::VectorXd image = M_ * x_ + q_;
    infeasible_ = image;
    infeasible_.tail(m_) -= w_;
    const auto z = x_.tail(m_);
    gap_ = m_ > 0 ? z.dot(w_) / static_cast<double>(m_) : 0.0;
    double residual = free_count_ > 0 ? image.head(free_count_).cwiseAbs().maxCoeff() : 0.0;
    for (Eigen::Index i = 0; i < m_; ++i)
      residual = std::max(residual, std::fabs(std::min(z[i], image[free_count_ + i])));
    return residual;
  }

  // One step from the point measured; false where it has no length.
  bool step() {
    const auto z = x_.tail(m_);
    Eigen::MatrixXd A = M_;
    A.diagonal().tail(m_) += w_.cwiseQuotient(z);
    lu_.compute(A);
    // predictor: how far would the gap fall without centring?
    const Eigen::VectorXd product = z.cwiseProduct(w_);
    find_direction(-product);
    const double affine = find_length(1.0);
    const double affine_gap =
        m_ > 0 ? (z + affine * dx_.tail(m_)).dot(w_ + affine * dw_) / static_cast<double>(m_) : 0.0;
    const double centring = gap_ > 0.0 ? portable::pow(affine_gap / gap_, 3) : 0.0;
    // corrector: second-order term and centring
    Eigen::VectorXd change = -product - dx_.tail(m_).cwiseProduct(dw_);
    change.array() += centring * gap_;
    find_direction(change);
    const double length = find_length(std::max(0.9, 1.0 - gap_));
    if (!(length > 1e-12) || !dx_.allFinite()) return false;
    x_ += length * dx_;
    w_ += length * dw_;
    return true;
  }

 private:
  // (M + Z⁻¹ W) dx = Z⁻¹ rc − infeasible,  dw = Z⁻¹ (rc − W dz).
  void find_direction(const Eigen::VectorXd& rc) {
    const auto z = x_.tail(m_);
    Eigen::VectorXd rhs = -infeasible_;
    rhs.tail(m_) += rc.cwiseQuotient(z);
    dx_ = lu_.solve(rhs);
    dw_ = (rc - w_.cwiseProduct(dx_.tail(m_))).cwiseQuotient(z);
  }

  // Up to this fraction of the way to the boundary.
  [[nodiscard]] double find_length(double fraction) const {
    const auto z = x_.tail(m_);
    double length = 1.0;
    for (Eigen::Index i = 0; i < m_; ++i) {
      if (dx_[free_count_ + i] < 0.0) length = std::min(length, -fraction * z[i] / dx_[free_count_ + i]);
      if (dw_[i] < 0.0) length = std::min(length, -fraction * w_[i] / dw_[i]);
    }
    return length;
  }

  const Eigen::MatrixXd& M_;
  const Eigen::VectorXd& q_;
  const Eigen::Index free_count_, m_;
  Eigen::VectorXd x_, w_, dx_, dw_;
  Eigen::VectorXd infeasible_;
  double gap_{0.0};
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace

void solve_interior_point(const LcpProblem& problem, Eigen::Index free_count,
                          const InteriorPointOptions& options, LcpResult& result) {
  result.solver = "interior-point";
  result.status = Status::kIterationLimit;
  Equilibration scaling;
  LcpProblem scaled;
  scaling.compute(problem, options.equilibrate);
  scaling.apply(problem, scaled);
  const double target = std::min(1e-11, 0.1 * options.tolerance);

  InteriorPoint point(scaled, free_count);
  Eigen::VectorXd best = point.x();
  double best_residual = std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(problem.q.size());
  const double turn = n * n * n / 3.0;
  for (;; ++result.iterations) {
    const double residual = point.measure();
    if (!std::isfinite(residual)) {
      result.status = Status::kNumericalTrouble;
      break;
    }
    if (residual < best_residual) {
      best_residual = residual;
      best = point.x();
    }
    if (residual <= target) {
      result.status = Status::kSolved;
      break;
    }
    if (result.iterations == options.max_steps || !may_work(turn)) break;
    ++result.factorisations;
    if (!point.step()) {
      result.status = Status::kNumericalTrouble;
      result.note = "interior-point: step length fell to zero";
      break;
    }
  }
  scaling.to_original(best, result.z);
}

}  // namespace rigor
