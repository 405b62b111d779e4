#include "rigor/solvers/conic/conic_solve.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <memory>

#include "rigor/base/interruption.hpp"
#include "rigor/math/limits.hpp"
#include "rigor/math/magnitude.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;

constexpr int kSparseBlock = 8;  // rows of the largest cone that the sparse form takes

// v₀² − ‖v₁‖², written so that it does not cancel more than it must.
double squared_height(const double* v, int size) {
  double tail = 0.0;
  for (int k = 1; k < size; ++k) tail += v[k] * v[k];
  tail = std::sqrt(tail);
  return (v[0] - tail) * (v[0] + tail);
}

// The largest a with v + a d in the cone, v inside.
double step_to_boundary(const double* v, const double* d, int size) {
  if (size == 1) return d[0] < 0.0 ? -v[0] / d[0] : kInfinity;
  double vd = v[0] * d[0];
  for (int k = 1; k < size; ++k) vd -= v[k] * d[k];
  const double c = squared_height(v, size);
  const double discriminant = vd * vd - squared_height(d, size) * c;
  const double denominator = -vd + std::sqrt(std::max(0.0, discriminant));
  double step = discriminant >= 0.0 && denominator > 0.0 ? c / denominator : kInfinity;
  if (d[0] < 0.0) step = std::min(step, -v[0] / d[0]);
  return step;
}

// One block of K with its Nesterov-Todd scaling W = η (2 w̄ w̄ᵀ − J)^½.
struct Block {
  int first{0}, size{1};
  double eta{1.0};
  Vector w;  // w̄, of cones
};

class Solver {
 public:
  Solver(const ConicProgram& program, const ConicOptions& options)
      : given_(program), options_(options), n_(program.q.size()), m_(program.b.size()) {
    for (int i = 0; i < program.half_lines; ++i) blocks_.push_back({i, 1, 1.0, {}});
    int first = program.half_lines;
    for (const int size : program.cones) {
      blocks_.push_back({first, size, 1.0, Vector::Zero(size)});
      first += size;
    }
    scale();
  }

  ConicResult run();

 private:
  struct Direction {
    Vector x, z, s;
    double tau{0.0}, kappa{0.0};
  };

  void scale();
  void compute_scaling();
  void apply_W(const Vector& in, Vector& out, bool inverse) const;
  void jordan_divide(const Vector& d, Vector& out) const;  // out with λ ∘ out = d
  void jordan_product(const Vector& a, const Vector& c, Vector& out) const;
  [[nodiscard]] bool factor();
  void solve_kkt(const Vector& r1, const Vector& r2, Vector& x, Vector& z);
  void solve_reduced(const Vector& r1, const Vector& r2, Vector& x, Vector& z);
  [[nodiscard]] Vector times_P(const Vector& x) const {
    return is_linear() ? Vector(Vector::Zero(n_)) : Vector(P_ * x);
  }
  [[nodiscard]] bool is_linear() const { return P_.size() == 0; }
  [[nodiscard]] Vector times_A(const Vector& x) const {
    return is_sparse_ ? Vector(As_ * x) : Vector(A_ * x);
  }
  [[nodiscard]] Vector times_At(const Vector& z) const {
    return is_sparse_ ? Vector(As_.transpose() * z) : Vector(A_.transpose() * z);
  }
  void solve_direction(const Vector& dx, const Vector& dz, double dtau, const Vector& ds, double dkappa,
                       Direction& out);
  [[nodiscard]] double max_step(const Direction& d) const;
  void find_step(Direction& step);
  [[nodiscard]] bool take_step(const Direction& step);
  void judge(ConicResult& best);
  [[nodiscard]] Vector unscale_x(const Vector& x) const { return column_.cwiseProduct(x); }

  const ConicProgram& given_;
  const ConicOptions& options_;
  const Eigen::Index n_, m_;
  std::vector<Block> blocks_;

  // the scaled program: A = D A_given E, b = D b_given / β, q = E q_given / γ, P = E P_given E · β / γ
  Matrix P_, A_, P_half_;
  Sparse As_;
  bool is_sparse_{false};
  Vector q_, b_, row_, column_;
  double beta_{1.0}, gamma_{1.0};

  Vector x_, s_, z_, lambda_;
  Vector unit_;  // e of the cones: λ ∘ e = λ
  double tau_{1.0}, kappa_{1.0};
  double mu_{1.0};

  Eigen::HouseholderQR<Matrix> qr_;
  Matrix R_;
  SparseCholesky sparse_;
  Vector x2_, z2_;  // the answer to (−q, b)
};

// Rows (uniformly within a cone) and columns of length near 1, right-hand sides of size 1.
void Solver::scale() {
  row_ = Vector::Ones(m_);
  column_ = Vector::Ones(n_);
  A_ = given_.A;
  for (int pass = 0; pass < 3; ++pass) {
    for (const Block& block : blocks_) {
      const double size = A_.middleRows(block.first, block.size).cwiseAbs().maxCoeff();
      if (size == 0.0) continue;
      const double factor = 1.0 / std::sqrt(size);
      A_.middleRows(block.first, block.size) *= factor;
      row_.segment(block.first, block.size) *= factor;
    }
    for (Eigen::Index j = 0; j < n_; ++j) {
      const double size = m_ == 0 ? 0.0 : A_.col(j).cwiseAbs().maxCoeff();
      if (size == 0.0) continue;
      const double factor = 1.0 / std::sqrt(size);
      A_.col(j) *= factor;
      column_[j] *= factor;
    }
  }
  b_ = row_.cwiseProduct(given_.b);
  q_ = column_.cwiseProduct(given_.q);
  beta_ = m_ > 0 && b_.cwiseAbs().maxCoeff() > 0.0 ? b_.cwiseAbs().maxCoeff() : 1.0;
  gamma_ = n_ > 0 && q_.cwiseAbs().maxCoeff() > 0.0 ? q_.cwiseAbs().maxCoeff() : 1.0;
  b_ /= beta_;
  q_ /= gamma_;
  if (given_.P.size() > 0) {
    P_ = column_.asDiagonal() * given_.P * column_.asDiagonal();
    P_ *= beta_ / gamma_;
    const Eigen::LDLT<Matrix> ldlt(P_);
    const Matrix L = ldlt.matrixL();
    P_half_ = ldlt.vectorD().cwiseMax(0.0).cwiseSqrt().asDiagonal() * L.transpose() *
              (ldlt.transpositionsP() * Matrix::Identity(n_, n_));
  }
  const auto is_small = [](int size) { return size <= kSparseBlock; };
  if (n_ > kDenseSize && is_linear() && std::all_of(given_.cones.begin(), given_.cones.end(), is_small)) {
    is_sparse_ = true;
    sparse_ = SparseCholesky(options_.factors);
    As_ = A_.sparseView();
  }
}

void Solver::compute_scaling() {
  for (Block& block : blocks_) {
    const double* s = s_.data() + block.first;
    const double* z = z_.data() + block.first;
    if (block.size == 1) {
      block.eta = std::sqrt(s[0] / z[0]);
      continue;
    }
    const double hs = std::sqrt(std::max(1e-300, squared_height(s, block.size)));
    const double hz = std::sqrt(std::max(1e-300, squared_height(z, block.size)));
    double product = 0.0;
    for (int k = 0; k < block.size; ++k) product += s[k] * z[k];
    const double g = std::sqrt(0.5 * (1.0 + product / (hs * hz)));
    block.eta = std::sqrt(hs / hz);
    block.w[0] = (s[0] / hs + z[0] / hz) / (2.0 * g);
    for (int k = 1; k < block.size; ++k) block.w[k] = (s[k] / hs - z[k] / hz) / (2.0 * g);
    // exactly on the hyperboloid
    block.w[0] = std::sqrt(1.0 + block.w.tail(block.size - 1).squaredNorm());
  }
  apply_W(z_, lambda_, false);
}

void Solver::apply_W(const Vector& in, Vector& out, bool inverse) const {
  out.resize(m_);
  for (const Block& block : blocks_) {
    const double* x = in.data() + block.first;
    double* y = out.data() + block.first;
    const double scale = inverse ? 1.0 / block.eta : block.eta;
    if (block.size == 1) {
      y[0] = scale * x[0];
      continue;
    }
    const double sign = inverse ? -1.0 : 1.0;
    double tail = 0.0;
    for (int k = 1; k < block.size; ++k) tail += block.w[k] * x[k];
    const double x0 = x[0];
    const double along = sign * x0 + tail / (1.0 + block.w[0]);
    y[0] = scale * (block.w[0] * x0 + sign * tail);
    for (int k = 1; k < block.size; ++k) y[k] = scale * (x[k] + along * block.w[k]);
  }
}

void Solver::jordan_product(const Vector& a, const Vector& c, Vector& out) const {
  out.resize(m_);
  for (const Block& block : blocks_) {
    const double* x = a.data() + block.first;
    const double* y = c.data() + block.first;
    double* o = out.data() + block.first;
    double inner = 0.0;
    for (int k = 0; k < block.size; ++k) inner += x[k] * y[k];
    for (int k = block.size - 1; k > 0; --k) o[k] = x[0] * y[k] + y[0] * x[k];
    o[0] = inner;
  }
}

void Solver::jordan_divide(const Vector& d, Vector& out) const {
  out.resize(m_);
  for (const Block& block : blocks_) {
    const double* l = lambda_.data() + block.first;
    const double* v = d.data() + block.first;
    double* o = out.data() + block.first;
    if (block.size == 1) {
      o[0] = v[0] / l[0];
      continue;
    }
    double lv = 0.0;
    for (int k = 1; k < block.size; ++k) lv += l[k] * v[k];
    const double height = std::max(1e-300, squared_height(l, block.size));
    const double o0 = (l[0] * v[0] - lv) / height;
    for (int k = block.size - 1; k > 0; --k) o[k] = (v[k] - o0 * l[k]) / l[0];
    o[0] = o0;
  }
}

bool Solver::factor() {
  if (is_sparse_) {
    // W⁻¹A block by block: a block's rows are combined, so its pattern is the union of theirs
    std::vector<Eigen::Triplet<double>> entries;
    Vector column(m_), scaled(m_);
    for (const Block& block : blocks_) {
      std::vector<Eigen::Index> columns;
      for (int k = 0; k < block.size; ++k)
        for (Sparse::InnerIterator it(As_, block.first + k); it; ++it) columns.push_back(it.col());
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      for (const Eigen::Index j : columns) {
        double in[kSparseBlock], out[kSparseBlock] = {0.0};
        for (int k = 0; k < block.size; ++k) in[k] = A_(block.first + k, j);
        if (block.size == 1) {
          out[0] = in[0] / block.eta;
        } else {
          double tail = 0.0;
          for (int k = 1; k < block.size; ++k) tail += block.w[k] * in[k];
          const double along = -in[0] + tail / (1.0 + block.w[0]);
          out[0] = (block.w[0] * in[0] - tail) / block.eta;
          for (int k = 1; k < block.size; ++k) out[k] = (in[k] + along * block.w[k]) / block.eta;
        }
        for (int k = 0; k < block.size; ++k)
          if (out[k] != 0.0) entries.emplace_back(block.first + k, static_cast<int>(j), out[k]);
      }
    }
    Eigen::SparseMatrix<double> B(m_, n_);
    B.setFromTriplets(entries.begin(), entries.end());
    Eigen::SparseMatrix<double> S = B.transpose() * B;
    double largest = 0.0;
    for (Eigen::Index j = 0; j < n_; ++j) largest = std::max(largest, S.coeff(j, j));
    for (Eigen::Index j = 0; j < n_; ++j) S.coeffRef(j, j) += 1e-15 * largest + 1e-300;
    return sparse_.factor(S);
  }
  Matrix B(m_ + P_half_.rows(), n_);
  Vector column(m_), scaled;
  for (Eigen::Index j = 0; j < n_; ++j) {
    column = A_.col(j);
    apply_W(column, scaled, true);
    B.col(j).head(m_) = scaled;
  }
  if (P_half_.size() > 0) B.bottomRows(P_half_.rows()) = P_half_;
  if (B.rows() < n_ || !B.allFinite()) return false;
  qr_.compute(B);
  R_ = qr_.matrixQR().topRows(n_).triangularView<Eigen::Upper>();
  const double largest = R_.diagonal().cwiseAbs().maxCoeff();
  for (Eigen::Index j = 0; j < n_; ++j)
    if (std::abs(R_(j, j)) < 1e-150 + 1e-16 * largest * 1e-4) return false;
  return true;
}

// P x + Aᵀz = r1,  A x − W² z = r2.
void Solver::solve_reduced(const Vector& r1, const Vector& r2, Vector& x, Vector& z) {
  Vector c;
  apply_W(r2, c, true);  // W⁻¹ r2
  if (is_sparse_) {
    Vector w;
    apply_W(c, w, true);
    sparse_.solve(r1 + times_At(w), x);
  } else {
    // Rᵀ R x = r1 + Bᵀ (c; 0)
    Vector long_c = Vector::Zero(m_ + P_half_.rows());
    long_c.head(m_) = c;
    long_c.applyOnTheLeft(qr_.householderQ().adjoint());
    Vector g = R_.triangularView<Eigen::Upper>().transpose().solve(r1);
    g += long_c.head(n_);
    x = R_.triangularView<Eigen::Upper>().solve(g);
  }
  Vector w;
  apply_W(times_A(x), w, true);
  w -= c;
  apply_W(w, z, true);
}

void Solver::solve_kkt(const Vector& r1, const Vector& r2, Vector& x, Vector& z) {
  solve_reduced(r1, r2, x, z);
  const double size = largest(r1) + largest(r2);
  for (int pass = 0; pass < 2; ++pass) {
    Vector Wz, W2z;
    apply_W(z, Wz, false);
    apply_W(Wz, W2z, false);
    const Vector e1 = r1 - times_P(x) - times_At(z);
    const Vector e2 = r2 - times_A(x) + W2z;
    if (largest(e1) + largest(e2) <= 1e-14 * size) break;
    Vector dx, dz;
    solve_reduced(e1, e2, dx, dz);
    if (!dx.allFinite() || !dz.allFinite()) break;
    x += dx;
    z += dz;
  }
}

void Solver::solve_direction(const Vector& dx, const Vector& dz, double dtau, const Vector& ds, double dkappa,
                             Direction& out) {
  Vector divided, Wd, x1, z1;
  jordan_divide(ds, divided);
  apply_W(divided, Wd, false);
  solve_kkt(-dx, Wd - dz, x1, z1);
  const Vector xi = x_ / tau_;
  const Vector Pxi = times_P(xi);
  const Vector slope = q_ + 2.0 * Pxi;
  const double numerator = -dtau + dkappa / tau_ - slope.dot(x1) - b_.dot(z1);
  const double denominator = slope.dot(x2_) + b_.dot(z2_) - kappa_ / tau_ - xi.dot(Pxi);
  out.tau = numerator / denominator;
  out.x = x1 + out.tau * x2_;
  out.z = z1 + out.tau * z2_;
  // from A Δx + Δs − b Δτ = −dz and not from the scaling, which would lose the rows with large s/z
  out.s = b_ * out.tau - dz - times_A(out.x);
  out.kappa = -(dkappa + kappa_ * out.tau) / tau_;
}

double Solver::max_step(const Direction& d) const {
  double step = 1.0 / options_.step;
  for (const Block& block : blocks_) {
    step = std::min(step, step_to_boundary(s_.data() + block.first, d.s.data() + block.first, block.size));
    step = std::min(step, step_to_boundary(z_.data() + block.first, d.z.data() + block.first, block.size));
  }
  if (d.tau < 0.0) step = std::min(step, -tau_ / d.tau);
  if (d.kappa < 0.0) step = std::min(step, -kappa_ / d.kappa);
  return step;
}

// Keeps the point where it is the best so far, in the units of the given program.
void Solver::judge(ConicResult& best) {
  // x = E x̂ β, s = D⁻¹ ŝ β, z = D ẑ γ
  const Vector x = unscale_x(x_) * (beta_ / tau_);
  const Vector s = s_.cwiseQuotient(row_) * (beta_ / tau_);
  const Vector z = z_.cwiseProduct(row_) * (gamma_ / tau_);
  const double residual = conic_residual(given_, x, s, z);
  if (best.status == ConicStatus::kNumericalTrouble && residual < best.residual) {
    best.x = x;
    best.s = s;
    best.z = z;
    best.residual = residual;
  }
  if (kappa_ < tau_ * 1e-3) return;
  const Vector z_ray = z_.cwiseProduct(row_);
  const Vector x_ray = unscale_x(x_);
  const double proof = infeasibility_residual(given_, z_ray);
  const double ray = ray_residual(given_, x_ray);
  // in the scaled program too: a proof must not live from a bad choice of units
  const double power = -b_.dot(z_), slope = -q_.dot(x_);
  const double scaled_proof = power > 0.0 ? largest(times_At(z_)) / power : kInfinity;
  const Vector bent = times_P(x_);
  const double scaled_ray = slope > 0.0 ? (largest(times_A(x_) + s_) + largest(bent)) / slope : kInfinity;
  if (std::min(proof, scaled_proof) <= options_.proof && best.residual > options_.tolerance) {
    best.status = ConicStatus::kInfeasible;
    best.z = z_ray / -given_.b.dot(z_ray);
    best.x = x;
    best.s = s;
    best.residual = proof;
  } else if (std::min(ray, scaled_ray) <= options_.proof && best.residual > options_.tolerance) {
    best.status = ConicStatus::kUnbounded;
    best.x = x_ray / -given_.q.dot(x_ray);
    best.s = s;
    best.z = z;
    best.residual = ray;
  }
}

// Predictor and corrector from the point, which has been scaled and factored.
void Solver::find_step(Direction& step) {
  const double degree = static_cast<double>(blocks_.size()) + 1.0;
  mu_ = (s_.dot(z_) + tau_ * kappa_) / degree;
  const Vector rx = times_P(x_) + times_At(z_) + q_ * tau_;
  const Vector rz = times_A(x_) + s_ - b_ * tau_;
  const double rtau = q_.dot(x_) + b_.dot(z_) + kappa_ + x_.dot(times_P(x_)) / tau_;
  solve_kkt(-q_, b_, x2_, z2_);

  // predictor: straight at the solution
  Direction affine;
  Vector product, Wz, Ws, ds;
  jordan_product(lambda_, lambda_, ds);
  solve_direction(rx, rz, rtau, ds, kappa_ * tau_, affine);
  const double reach = std::min(1.0, max_step(affine));
  const double sigma = (1.0 - reach) * (1.0 - reach) * (1.0 - reach);

  // corrector: the second-order term of the predictor, and back towards the middle
  apply_W(affine.s, Ws, true);
  apply_W(affine.z, Wz, false);
  jordan_product(Ws, Wz, product);
  const Vector combined = ds + product - sigma * mu_ * unit_;
  const double f = 1.0 - sigma;
  solve_direction(f * rx, f * rz, f * rtau, combined, kappa_ * tau_ + affine.kappa * affine.tau - sigma * mu_,
                  step);
}

// False where the step leads nowhere.
bool Solver::take_step(const Direction& step) {
  const double length = std::min(1.0, options_.step * max_step(step));
  if (!std::isfinite(length) || !step.x.allFinite() || !step.z.allFinite() || !step.s.allFinite() ||
      !std::isfinite(step.tau) || length < 1e-10)
    return false;
  x_ += length * step.x;
  s_ += length * step.s;
  z_ += length * step.z;
  tau_ += length * step.tau;
  kappa_ += length * step.kappa;
  // (1) is homogeneous: keep its numbers in range
  const double size = std::max(tau_, kappa_);
  if (size < 1e-6 || size > 1e6) {
    x_ /= size;
    s_ /= size;
    z_ /= size;
    tau_ /= size;
    kappa_ /= size;
  }
  return true;
}

ConicResult Solver::run() {
  unit_ = Vector::Zero(m_);
  for (const Block& block : blocks_) unit_[block.first] = 1.0;
  x_ = Vector::Zero(n_);
  s_ = z_ = unit_;
  ConicResult best;
  best.x = x_;
  best.s = s_;
  best.z = z_;
  double least = kInfinity;  // residual so far, to see when nothing is gained any more
  int idle = 0;
  Direction step;
  for (;; ++best.iterations) {
    check_interruption();
    judge(best);
    if (best.status != ConicStatus::kNumericalTrouble) break;
    idle = best.residual < 0.5 * least ? 0 : idle + 1;
    least = std::min(least, best.residual);
    if (best.residual <= 1e-14 || (best.residual <= options_.tolerance && idle >= 3) || idle >= 12) break;
    if (best.iterations == options_.max_iterations) break;

    compute_scaling();
    if (!lambda_.allFinite() || !factor()) break;
    find_step(step);
    if (!take_step(step)) break;
  }
  if (best.status == ConicStatus::kNumericalTrouble && best.residual <= options_.tolerance)
    best.status = ConicStatus::kSolved;
  const Vector Px = given_.P.size() == 0 ? Vector(Vector::Zero(n_)) : Vector(given_.P * best.x);
  best.value = 0.5 * best.x.dot(Px) + given_.q.dot(best.x);
  return best;
}

}  // namespace

ConicResult solve_conic(const ConicProgram& program, const ConicOptions& options) {
  program.validate();
  if (program.q.size() == 0) {
    // nothing to choose: b itself must lie in K
    ConicResult result;
    result.s = program.b;
    result.z = Vector::Zero(program.b.size());
    result.residual = distance_from_cones(program, program.b);
    result.status =
        result.residual <= options.tolerance ? ConicStatus::kSolved : ConicStatus::kNumericalTrouble;
    return result;
  }
  return Solver(program, options).run();
}

}  // namespace rigor
