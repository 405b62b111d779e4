#include "rigor/solvers/contact_lcp/contact_interior_point.hpp"

#include <Eigen/LU>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rigor/base/work.hpp"
#include "rigor/math/factor_work.hpp"
#include "rigor/math/magnitude.hpp"
#include "rigor/math/portable.hpp"
#include "rigor/math/random.hpp"

namespace rigor {
namespace {

class InteriorPoint {
 public:
  InteriorPoint(const ContactSystem& system, const ContactInteriorPointOptions& options)
      : system_(system),
        problem_(system.problem()),
        options_(options),
        nc_(static_cast<int>(system.contacts())),
        nd_(system.directions()),
        rows_(1 + nd_),
        width_(nd_ > 0 ? nd_ + 2 : 1),
        m_(nc_ * width_) {}

  ContactIterate solve();

 private:
  void start();
  [[nodiscard]] Eigen::VectorXd image() const;
  [[nodiscard]] Eigen::VectorXd impulses(const Eigen::VectorXd& z) const;
  [[nodiscard]] bool factor();
  void find_direction(const Eigen::VectorXd& target_change);
  [[nodiscard]] double longest_step(double fraction) const;
  [[nodiscard]] double turn() const;

  const ContactSystem& system_;
  const ContactLcpProblem& problem_;
  const ContactInteriorPointOptions& options_;
  const int nc_, nd_, rows_, width_, m_;
  double velocity_unit_{1.0}, impulse_unit_{1.0};
  Eigen::VectorXd v_, z_, w_, weight_;  // z, w contact by contact: c, β…, λ
  Eigen::VectorXd dv_, dz_, dw_;
  Eigen::VectorXd primal_, dual_;         // what is missing in the rows of w and of v
  std::vector<Eigen::MatrixXd> inverse_;  // H⁻¹ of each contact
  SparseMatrix S_;                        // of these the part of the impulses: blocks on the diagonal
  SparseMatrix A_;
  Eigen::SparseLU<SparseMatrix, Eigen::COLAMDOrdering<int>> lu_;
  Eigen::SimplicialLDLT<SparseMatrix> ldlt_;
  bool analysed_{false};
};

// v free, z and w at one unit each: impulses in mean mass times the largest speed, velocities in that speed
void InteriorPoint::start() {
  v_ = problem_.v_free;
  velocity_unit_ = std::max(1e-12, largest(v_));
  impulse_unit_ = velocity_unit_ * problem_.mass.diagonal().mean();
  z_.setConstant(m_, impulse_unit_);
  w_.setConstant(m_, velocity_unit_);
  weight_.setOnes(m_);
  S_.resize(nc_ * rows_, nc_ * rows_);
  S_.resizeNonZeros(nc_ * rows_ * rows_);
  for (int column = 0; column <= nc_ * rows_; ++column) S_.outerIndexPtr()[column] = column * rows_;
  for (int i = 0; i < nc_ * rows_ * rows_; ++i)
    S_.innerIndexPtr()[i] = i / (rows_ * rows_) * rows_ + i % rows_;
  for (int k = 0; k < nc_ && nd_ > 0; ++k) {
    z_[k * width_ + nd_ + 1] = velocity_unit_;
    w_[k * width_ + nd_ + 1] = impulse_unit_;
  }
  if (options_.seed == 0) return;
  Random random(options_.seed);
  for (int i = 0; i < m_; ++i) weight_[i] = portable::exp(random.uniform(-options_.spread, options_.spread));
  weight_ /= weight_.mean();
  z_ = z_.cwiseProduct(weight_.cwiseSqrt());
  w_ = w_.cwiseProduct(weight_.cwiseSqrt());
}

Eigen::VectorXd InteriorPoint::impulses(const Eigen::VectorXd& z) const {
  Eigen::VectorXd p(nc_ * rows_);
  for (int k = 0; k < nc_; ++k) p.segment(k * rows_, rows_) = z.segment(k * width_, rows_);
  return p;
}

// the rows of w at (v, z)
Eigen::VectorXd InteriorPoint::image() const {
  const Eigen::VectorXd u = system_.J() * v_;
  Eigen::VectorXd image(m_);
  for (int k = 0; k < nc_; ++k) {
    const int first = k * width_;
    image[first] = u[k * rows_] + problem_.b[k];
    if (nd_ == 0) continue;
    const double lambda = z_[first + nd_ + 1], mu = problem_.mu[k];
    if (options_.relaxed) image[first] -= mu * lambda;
    double slack = mu * z_[first];
    for (int d = 1; d <= nd_; ++d) {
      image[first + d] = u[k * rows_ + d] + lambda;
      slack -= z_[first + d];
    }
    image[first + nd_ + 1] = slack;
  }
  return image;
}

bool InteriorPoint::factor() {
  inverse_.resize(static_cast<std::size_t>(nc_));
  Eigen::MatrixXd H(width_, width_);
  for (int k = 0; k < nc_; ++k) {
    H.setZero();
    H.diagonal() = w_.segment(k * width_, width_).cwiseQuotient(z_.segment(k * width_, width_));
    if (nd_ > 0) {
      const int lambda = nd_ + 1;
      if (options_.relaxed) H(0, lambda) = -problem_.mu[k];
      H(lambda, 0) = problem_.mu[k];
      for (int d = 1; d <= nd_; ++d) {
        H(d, lambda) = 1.0;
        H(lambda, d) = -1.0;
      }
    }
    auto& inverse = inverse_[static_cast<std::size_t>(k)];
    inverse = H.inverse();
    double* const block = S_.valuePtr() + k * rows_ * rows_;
    for (int b = 0; b < rows_; ++b)
      for (int a = 0; a < rows_; ++a) block[b * rows_ + a] = inverse(a, b);
  }
  A_ = SparseMatrix(system_.Jt() * S_ * system_.J()) + problem_.mass;
  if (options_.relaxed) {
    if (!analysed_) ldlt_.analyzePattern(A_);
    ldlt_.factorize(A_);
    analysed_ = true;
    return ldlt_.info() == Eigen::Success;
  }
  if (!analysed_) lu_.analyzePattern(A_);
  lu_.factorize(A_);
  analysed_ = true;
  return lu_.info() == Eigen::Success;
}

// z dw + w dz = target_change, with the rows of w and v made good
void InteriorPoint::find_direction(const Eigen::VectorXd& target_change) {
  const Eigen::VectorXd e = target_change.cwiseQuotient(z_) - primal_;
  Eigen::VectorXd local(nc_ * rows_);
  for (int k = 0; k < nc_; ++k)
    local.segment(k * rows_, rows_) =
        (inverse_[static_cast<std::size_t>(k)] * e.segment(k * width_, width_)).head(rows_);
  const Eigen::VectorXd rhs = -dual_ + system_.Jt() * local;
  const auto solve = [&](const Eigen::VectorXd& b) -> Eigen::VectorXd {
    if (options_.relaxed) return ldlt_.solve(b);
    return lu_.solve(b);
  };
  dv_ = solve(rhs);
  dv_ += solve(rhs - A_ * dv_);
  const Eigen::VectorXd du = system_.J() * dv_;
  Eigen::VectorXd part(width_);
  for (int k = 0; k < nc_; ++k) {
    part = e.segment(k * width_, width_);
    part.head(rows_) -= du.segment(k * rows_, rows_);
    dz_.segment(k * width_, width_) = inverse_[static_cast<std::size_t>(k)] * part;
  }
  dw_ = (target_change - w_.cwiseProduct(dz_)).cwiseQuotient(z_);
}

double InteriorPoint::longest_step(double fraction) const {
  double length = 1.0;
  for (int i = 0; i < m_; ++i) {
    if (dz_[i] < 0.0) length = std::min(length, -fraction * z_[i] / dz_[i]);
    if (dw_[i] < 0.0) length = std::min(length, -fraction * w_[i] / dw_[i]);
  }
  return length;
}

// Of one step: the products that make A_, and its factor.
double InteriorPoint::turn() const {
  return 30.0 * static_cast<double>(system_.J().nonZeros()) + sparse_factor_work(A_.nonZeros());
}

ContactIterate InteriorPoint::solve() {
  ContactIterate best;
  best.residual = std::numeric_limits<double>::infinity();
  start();
  dz_.resize(m_);
  const Eigen::VectorXd momentum = problem_.mass * problem_.v_free;
  const double scale = residual_scale(system_.J() * problem_.v_free);
  int short_steps = 0;
  for (;; ++best.steps) {
    const Eigen::VectorXd rows = image();
    primal_ = rows - w_;
    dual_ = problem_.mass * v_ - momentum - system_.Jt() * impulses(z_);
    const double gap = z_.dot(w_) / m_;
    double residual = largest(dual_);
    for (int i = 0; i < m_; ++i) residual = std::max(residual, std::fabs(std::min(z_[i], rows[i])));
    if (!std::isfinite(residual)) break;
    // judged by the LCP, whatever is being solved
    const Eigen::VectorXd p = impulses(z_);
    if (const double judged = system_.residual(p); judged < best.residual) {
      best.residual = judged;
      best.p = p;
    }
    if (residual <= options_.target * scale || best.steps == options_.max_steps || !may_work(turn()) ||
        !factor())
      break;

    // Mehrotra's predictor and corrector; the second-order term only where the predictor gets somewhere
    const Eigen::VectorXd product = z_.cwiseProduct(w_);
    find_direction(-product);
    const double affine = longest_step(1.0);
    const double affine_gap = (z_ + affine * dz_).dot(w_ + affine * dw_) / m_;
    Eigen::VectorXd change = -product + portable::pow(affine_gap / gap, 3) * gap * weight_;
    if (affine > 0.1) change -= dz_.cwiseProduct(dw_);
    find_direction(change);
    const double length =
        longest_step(std::max(0.9, 1.0 - std::min(0.1, gap / (velocity_unit_ * impulse_unit_))));
    short_steps = length < 0.02 ? short_steps + 1 : 0;
    if (!(length > 1e-10) || short_steps > options_.patience || !dz_.allFinite()) break;
    v_ += length * dv_;
    z_ += length * dz_;
    w_ += length * dw_;
  }
  return best;
}

}  // namespace

ContactIterate solve_contact_interior_point(const ContactSystem& system,
                                            const ContactInteriorPointOptions& options) {
  return InteriorPoint(system, options).solve();
}

}  // namespace rigor
