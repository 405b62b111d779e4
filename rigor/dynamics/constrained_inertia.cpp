#include "rigor/dynamics/constrained_inertia.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace rigor {

bool ConstrainedInertia::is_off(Eigen::Index r) const {
  return std::isinf((*in_.epsilon)[r]);
}

bool ConstrainedInertia::is_soft(Eigen::Index r) const {
  return (*in_.epsilon)[r] > 0.0 && !is_off(r);
}

void ConstrainedInertia::gather(const Eigen::VectorXd& from, Eigen::VectorXd& to) const {
  to.resize(in_.island->speeds);
  for (const TreeRange& tree : in_.island->trees)
    to.segment(tree.offset, tree.end - tree.begin) = from.segment(tree.begin, tree.end - tree.begin);
}

void ConstrainedInertia::scatter(const Eigen::VectorXd& from, Eigen::VectorXd& to) const {
  for (const TreeRange& tree : in_.island->trees)
    to.segment(tree.begin, tree.end - tree.begin) = from.segment(tree.offset, tree.end - tree.begin);
}

void ConstrainedInertia::zero_fixed(Eigen::VectorXd& local) const {
  for (std::size_t i = 0; i < fixed_.size(); ++i)
    if (fixed_[i]) local[static_cast<Eigen::Index>(i)] = 0.0;
}

int ConstrainedInertia::compute(const Input& input) {
  in_ = input;
  fixed_.resize(static_cast<std::size_t>(in_.island->speeds));
  uses_null_space_ = false;
  for (const TreeRange& tree : in_.island->trees) {
    uses_null_space_ = uses_null_space_ || in_.factor->is_singular(tree.begin, tree.end);
    for (int i = tree.begin; i < tree.end; ++i)
      fixed_[static_cast<std::size_t>(i - tree.begin + tree.offset)] =
          (*in_.is_fixed)[static_cast<std::size_t>(i)];
  }
  if (uses_null_space_) return compute_null_space();
  compute_range_space();
  return -1;
}

// K has a column per row; below the speeds it has one entry √ε for each row with compliance.
void ConstrainedInertia::compute_range_space() {
  const Eigen::Index n = in_.island->speeds, m = in_.island->rows;
  Eigen::Index soft = 0;
  for (Eigen::Index r = 0; r < m; ++r) soft += (*in_.epsilon)[r] > 0.0 ? 1 : 0;
  K_.setZero(n + soft, m);
  soft = 0;
  for (Eigen::Index r = 0; r < m; ++r) {
    const double epsilon = (*in_.epsilon)[r];
    if (epsilon > 0.0) K_(n + soft++, r) = is_off(r) ? 0.0 : std::sqrt(epsilon);
    if (is_off(r)) continue;
    for (Eigen::Index i = 0; i < n; ++i)
      K_(i, r) = fixed_[static_cast<std::size_t>(i)] ? 0.0 : (*in_.Jt)(i, r);
    for (const TreeRange& tree : in_.island->trees)
      in_.factor->half_solve(tree.begin, tree.end, K_.col(r).segment(tree.offset, tree.end - tree.begin));
  }
  qr_.compute(K_);
}

int ConstrainedInertia::compute_null_space() {
  const Eigen::Index n = in_.island->speeds, m = in_.island->rows;
  M_.setZero(n, n);
  for (const TreeRange& tree : in_.island->trees) {
    in_.M->add_to_dense(tree.begin, tree.end, tree.offset, M_);
    for (int i = tree.begin; i < tree.end; ++i)
      M_(i - tree.begin + tree.offset, i - tree.begin + tree.offset) += (*in_.extra)[i];
  }
  rigid_.clear();
  for (Eigen::Index r = 0; r < m; ++r) {
    if ((*in_.epsilon)[r] == 0.0) rigid_.push_back(r);
    if (is_soft(r)) M_ += in_.Jt->col(r) * (1.0 / (*in_.epsilon)[r]) * in_.Jt->col(r).transpose();
  }
  // prescribed speeds count as rigid rows: their unit vectors follow the others
  const auto rigid = static_cast<Eigen::Index>(rigid_.size());
  K_.setZero(n, rigid + std::count(fixed_.begin(), fixed_.end(), 1));
  for (Eigen::Index k = 0; k < rigid; ++k) K_.col(k) = in_.Jt->col(rigid_[static_cast<std::size_t>(k)]);
  for (Eigen::Index i = 0, k = rigid; i < n; ++i) {
    if (!fixed_[static_cast<std::size_t>(i)]) continue;
    K_.row(i).head(rigid).setZero();
    K_(i, k++) = 1.0;
  }
  qr_.compute(K_);
  qr_.compute_null_basis(Z_);
  MZ_.noalias() = M_ * Z_;
  H_.noalias() = Z_.transpose() * MZ_;
  if (const int speed = find_massless(); speed >= 0) return speed;
  llt_.compute(H_);
  return -1;
}

// The speed that moves most in a motion within the rigid rows that meets no inertia, or −1.
int ConstrainedInertia::find_massless() const {
  if (H_.size() == 0) return -1;   // the rows leave no motion
  if (!H_.allFinite()) return -1;  // overflow: the solution will show it
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H_);
  const Eigen::VectorXd& values = eigen.eigenvalues();
  if (values[0] > 1e-13 * values[values.size() - 1]) return -1;
  Eigen::Index most = 0;
  (Z_ * eigen.eigenvectors().col(0)).cwiseAbs().maxCoeff(&most);
  return static_cast<int>(most);
}

Eigen::Index ConstrainedInertia::redundant() const {
  Eigen::Index count = K_.cols() - qr_.rank();
  if (uses_null_space_) return count;
  for (Eigen::Index r = 0; r < in_.epsilon->size(); ++r) count -= is_off(r) ? 1 : 0;
  return count;
}

void ConstrainedInertia::solve(const Eigen::VectorXd& f, const Eigen::VectorXd& b, Eigen::VectorXd& x,
                               Eigen::VectorXd& p) {
  if (uses_null_space_)
    solve_null_space(f, b, x, p);
  else
    solve_range_space(f, b, x, p);
}

Eigen::Index ConstrainedInertia::half_size() const {
  return uses_null_space_ ? Z_.cols() : K_.rows() - qr_.rank();
}

// Range space: D^(-1/2) L^(-T) f less its part in the span of K. Null space: by the factor of Zᵀ M̂ Z.
void ConstrainedInertia::half_apply(const Eigen::Ref<const Eigen::VectorXd>& f,
                                    Eigen::Ref<Eigen::VectorXd> y) {
  if (uses_null_space_) {
    y.noalias() = Z_.transpose() * f;
    llt_.matrixL().solveInPlace(y);
    return;
  }
  half_.setZero(K_.rows());
  half_.head(f.size()) = f;
  for (std::size_t i = 0; i < fixed_.size(); ++i)
    if (fixed_[i]) half_[static_cast<Eigen::Index>(i)] = 0.0;
  for (const TreeRange& tree : in_.island->trees)
    in_.factor->half_solve(tree.begin, tree.end, half_.segment(tree.offset, tree.end - tree.begin));
  qr_.apply_reflections_transposed(half_);
  y = half_.tail(half_size());
}

void ConstrainedInertia::compute_residual(const Eigen::VectorXd& b, const Eigen::VectorXd& x,
                                          const Eigen::VectorXd& p) {
  rest_.noalias() = b - in_.Jt->transpose() * x;
  for (Eigen::Index r = 0; r < rest_.size(); ++r)
    rest_[r] = is_off(r) ? 0.0 : rest_[r] - (*in_.epsilon)[r] * p[r];
  residual_ = 0.0;
  for (Eigen::Index r = 0; r < rest_.size(); ++r)
    if (!(std::fabs(rest_[r]) <= residual_)) residual_ = std::fabs(rest_[r]);  // also takes a NaN
}

// K's columns are the rows of J, each over √M and with its √ε: their squares are the diagonal of J M⁻¹ Jᵀ + E. Where M
// is singular they are the rows themselves, and p enters no sum that the residual is what is left of.
ConstrainedInertia::Loads ConstrainedInertia::measure_loads(const Eigen::VectorXd& b,
                                                            const Eigen::VectorXd& x,
                                                            const Eigen::VectorXd& p) const {
  Loads out;
  Eigen::VectorXd local, momentum;
  gather(x, local);
  out.squares = given_;
  for (Eigen::Index r = 0; r < b.size(); ++r) {
    if (is_off(r)) continue;
    const double speed = in_.Jt->col(r).cwiseAbs().dot(local.cwiseAbs());
    out.squares += speed * speed + b[r] * b[r];
  }
  out.speeds = std::sqrt(out.squares);
  if (!uses_null_space_ && K_.cols() > 0) {
    const double mean = K_.squaredNorm() / static_cast<double>(K_.cols());
    out.squares += mean * mean * p.squaredNorm();
  }
  if (redundant() <= 0) return out;
  in_.M->multiply(x, momentum);
  const double speed = uses_null_space_ ? local.norm() : std::sqrt(std::max(0.0, x.dot(momentum)));
  out.dependent = speed * std::sqrt(K_.colwise().squaredNorm().maxCoeff());
  return out;
}

// The tree's factor leaves prescribed entries as they are.
void ConstrainedInertia::solve_range_space(const Eigen::VectorXd& f, const Eigen::VectorXd& b,
                                           Eigen::VectorXd& x, Eigen::VectorXd& p) {
  const Eigen::Index m = in_.island->rows;
  gather(x, x_);
  gather(f, f_);
  for (std::size_t i = 0; i < fixed_.size(); ++i)
    if (fixed_[i]) f_[static_cast<Eigen::Index>(i)] = x_[static_cast<Eigen::Index>(i)];
  const auto solve_trees = [&](Eigen::VectorXd& local) {
    for (const TreeRange& tree : in_.island->trees)
      in_.factor->solve(tree.begin, tree.end, local.segment(tree.offset, tree.end - tree.begin));
  };
  x_ = f_;
  solve_trees(x_);
  p.setZero(m);
  // the second pass corrects the rounding of the first
  for (int pass = 0; pass < 2; ++pass) {
    compute_residual(b, x_, p);
    if (pass == 0) given_ = rest_.squaredNorm();
    qr_.solve_gram(rest_, p_part_);
    p += p_part_;
    step_.noalias() = *in_.Jt * p_part_;
    zero_fixed(step_);
    solve_trees(step_);
    x_ += step_;
  }
  compute_residual(b, x_, p);
  scatter(x_, x);
}

void ConstrainedInertia::solve_null_space(const Eigen::VectorXd& f, const Eigen::VectorXd& b,
                                          Eigen::VectorXd& x, Eigen::VectorXd& p) {
  const Eigen::Index m = in_.island->rows;
  gather(x, x_);
  gather(f, f_);
  for (Eigen::Index i = 0; i < x_.size(); ++i)
    if (!fixed_[static_cast<std::size_t>(i)]) x_[i] = 0.0;
  // elastic rows are in M̂: p = (b − J x)/ε
  for (Eigen::Index r = 0; r < m; ++r)
    if (is_soft(r)) f_ += in_.Jt->col(r) * ((b[r] - in_.Jt->col(r).dot(x_)) / (*in_.epsilon)[r]);

  // first a point that obeys the rigid rows, then the motion within them
  given_ = 0.0;
  p_part_.setZero(K_.cols());
  for (std::size_t k = 0; k < rigid_.size(); ++k)
    p_part_[static_cast<Eigen::Index>(k)] = b[rigid_[k]] - in_.Jt->col(rigid_[k]).dot(x_);
  qr_.solve_transposed(p_part_, step_);
  f_.noalias() -= M_ * step_;
  y_.noalias() = Z_.transpose() * f_;
  llt_.solveInPlace(y_);
  step_.noalias() += Z_ * y_;
  zero_fixed(step_);
  x_ += step_;

  // Jᵀ p = M̂ x − f, of least norm
  f_ = MZ_ * y_ - f_;
  qr_.solve(f_, p_part_);
  p.setZero(m);
  for (std::size_t k = 0; k < rigid_.size(); ++k) p[rigid_[k]] = p_part_[static_cast<Eigen::Index>(k)];
  for (Eigen::Index r = 0; r < m; ++r)
    if (is_soft(r)) p[r] = (b[r] - in_.Jt->col(r).dot(x_)) / (*in_.epsilon)[r];
  compute_residual(b, x_, p);
  scatter(x_, x);
}

}  // namespace rigor
