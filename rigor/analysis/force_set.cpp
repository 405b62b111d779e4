#include "rigor/analysis/force_set.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/math/limits.hpp"
#include "rigor/math/orthogonal_factor.hpp"
#include "rigor/math/orthogonal_solve.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// In a strictly complementary pair either the force or the motion of a contact is at least this (of 1).
constexpr double kActive = 1e-5;

bool has_idle_columns(const ForceBlock& block) {
  return block.is_idle() || (!block.is_free && block.columns.cols() > 1 && !(block.mu > 0.0));
}

}  // namespace

ForceSet::ForceSet(std::vector<ForceBlock> blocks, Vector load)
    : blocks_(std::move(blocks)), load_(std::move(load)) {
  prepare();
}

void ForceSet::set_mu(int contact, double mu) {
  for (ForceBlock& block : blocks_)
    if (block.contact == contact && block.columns.cols() > 1) block.mu = mu;
}

void ForceSet::set_load(Vector load) {
  load_ = std::move(load);
  prepare();
}

void ForceSet::prepare() {
  arrange_blocks();
  left_ = Vector::Zero(load_.size());
  is_sparse_ = load_.size() > kDenseSize && Free_.cols() == 0;
  if (is_sparse_)
    scale_motions();
  else
    reduce_motions();
}

// Where each block's unknowns lie, and the columns C and Free of those within cones and of the free ones.
void ForceSet::arrange_blocks() {
  const Eigen::Index n = load_.size();
  first_.clear();
  cone_first_.clear();
  size_ = cone_size_ = 0;
  Eigen::Index free_size = 0;
  for (const ForceBlock& block : blocks_) {
    const Eigen::Index k = block.columns.cols();
    first_.push_back(size_);
    cone_first_.push_back(block.is_free ? -1 : cone_size_);
    size_ += k;
    (block.is_free ? free_size : cone_size_) += k;
  }
  C_.resize(n, cone_size_);
  Free_.resize(n, free_size);
  for (std::size_t i = 0, free_at = 0; i < blocks_.size(); ++i) {
    const Matrix& columns = blocks_[i].columns;
    if (blocks_[i].is_free) {
      Free_.middleCols(static_cast<Eigen::Index>(free_at), columns.cols()) = columns;
      free_at += static_cast<std::size_t>(columns.cols());
    } else {
      C_.middleCols(cone_first_[i], columns.cols()) = columns;
    }
  }
}

// Large and without free forces: motions as they are, in units in which each coordinate counts alike.
void ForceSet::scale_motions() {
  const Eigen::Index n = load_.size();
  motion_.resize(0, 0);
  Vector unit = C_.rowwise().norm();
  for (Eigen::Index i = 0; i < n; ++i) unit[i] = unit[i] > 0.0 ? 1.0 / unit[i] : 1.0;
  rows_ = (unit.asDiagonal() * C_).transpose();
  b_ = unit.cwiseProduct(load_);
  left_ = unit;  // the units, to come back
  scale_ = b_.size() > 0 && b_.norm() > 0.0 ? b_.norm() / std::sqrt(static_cast<double>(n)) : 1.0;
  b_ /= scale_;
}

void ForceSet::reduce_motions() {
  const Eigen::Index n = load_.size();
  // motions Z that free forces do no work on
  Matrix Z = Matrix::Identity(n, n);
  if (Free_.cols() > 0) {
    OrthogonalFactor factor;
    factor.compute(Free_, kRank);
    factor.compute_null_basis(Z);
  }
  Matrix A = Z.transpose() * C_;  // A λ = b
  const Vector b = Z.transpose() * load_;
  // a column that free forces balance leaves rounding, which is no force
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    if (A.col(j).norm() <= kRank * C_.col(j).norm()) A.col(j).setZero();

  // Aᵀ D = Q R Πᵀ with columns of unit length: u = Aᵀ y = Q ỹ, so that Qᵀ λ = b̃ are the same equations with
  // orthonormal rows, and |b̃| the length of the least forces
  Vector unit = A.rowwise().norm();
  const double size = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0.0;
  for (Eigen::Index i = 0; i < unit.size(); ++i) unit[i] = unit[i] > kRank * size ? 1.0 / unit[i] : 0.0;
  const PivotedFactor pivoted(A.transpose() * unit.asDiagonal(), kRank);
  if (pivoted.rank() > 0) {
    rows_ = pivoted.Q(pivoted.rank());
    b_ = pivoted.solve_transposed(unit.cwiseProduct(b));
    motion_ = Z * (unit.asDiagonal() * pivoted.right_inverse());
  } else {
    rows_.resize(cone_size_, 0);
    motion_.resize(n, 0);
    b_.resize(0);
  }
  left_ = Z * find_unbalanced(A, b);
  scale_forces();
}

// The part of b that no λ balances.
Vector ForceSet::find_unbalanced(const Matrix& A, const Vector& b) const {
  Vector rest = b - A * (rows_ * b_);
  if (rest.norm() > kUnbalanced * load_.norm()) {
    // the least one, which all columns of A are orthogonal to
    OrthogonalFactor range;
    Matrix outside = Matrix::Identity(A.rows(), A.rows());
    if (A.cols() > 0) {
      range.compute(A, kRank);
      range.compute_null_basis(outside);
    }
    rest = outside * (outside.transpose() * b);
  }
  return rest;
}

// Free forces may carry all of the load: then what is left for the others is rounding, and their scale that
// of the load.
void ForceSet::scale_forces() {
  double column = 0.0;
  for (const Matrix* K : {&C_, &Free_})
    if (K->size() > 0) column = std::max(column, K->colwise().norm().maxCoeff());
  const double natural = column > 0.0 ? load_.norm() / column : 0.0;
  if (b_.norm() <= 1e-12 * natural) b_.setZero();
  scale_ = b_.isZero() ? natural : b_.norm();
  if (!(scale_ > 0.0)) scale_ = 1.0;
  b_ /= scale_;
}

Eigen::Index ForceSet::cone_rows() const {
  Eigen::Index rows = 0;
  for (const ForceBlock& block : blocks_)
    if (!block.is_free) rows += block.is_cone() ? block.columns.cols() : 1;
  return rows;
}

// s = c − rows · x per block, half-lines first as a ConicProgram wants them, cones as (first, mu · others).
// Here with A = rows; b is the caller's.
void ForceSet::add_cone_rows(const Matrix& rows, Eigen::Index first, ConicProgram& program) const {
  const bool has_unknowns = rows.cols() > 0;
  Eigen::Index at = first;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].is_free || blocks_[i].is_cone()) continue;
    if (has_unknowns) program.A.row(at) = rows.row(cone_first_[i]);
    ++at;
  }
  program.half_lines = static_cast<int>(at);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (!blocks_[i].is_cone()) continue;
    const Eigen::Index k = blocks_[i].columns.cols();
    if (has_unknowns) {
      program.A.middleRows(at, k) = rows.middleRows(cone_first_[i], k);
      program.A.middleRows(at + 1, k - 1) *= blocks_[i].mu;
    }
    program.cones.push_back(static_cast<int>(k));
    at += k;
  }
}

// The unknowns from a program's multipliers: (z_0 + shift, mu z_t).
Vector ForceSet::to_forces(const Vector& z, Eigen::Index first, double shift) const {
  Vector forces = Vector::Zero(cone_size_);
  Eigen::Index at = first;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].is_free || blocks_[i].is_cone()) continue;
    forces[cone_first_[i]] = z[at++] + shift;
  }
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (!blocks_[i].is_cone()) continue;
    const Eigen::Index k = blocks_[i].columns.cols();
    forces[cone_first_[i]] = z[at] + shift;
    forces.segment(cone_first_[i] + 1, k - 1) = blocks_[i].mu * z.segment(at + 1, k - 1);
    at += k;
  }
  return forces;
}

// All unknowns from those of the cones: the free ones that go with them, of least norm.
Vector ForceSet::complete(const Vector& cone_forces) const {
  Vector forces = Vector::Zero(size_);
  Vector free;
  if (Free_.cols() > 0) {
    OrthogonalFactor factor;
    factor.compute(Free_, kRank);
    factor.solve(load_ - C_ * cone_forces, free);
  }
  Eigen::Index free_at = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Eigen::Index k = blocks_[i].columns.cols();
    if (blocks_[i].is_free) {
      forces.segment(first_[i], k) = free.segment(free_at, k);
      free_at += k;
    } else {
      forces.segment(first_[i], k) = cone_forces.segment(cone_first_[i], k);
    }
  }
  return forces;
}

Vector ForceSet::to_motion(const Vector& y) const {
  return is_sparse_ ? Vector(left_.cwiseProduct(y)) : Vector(motion_ * y);
}

// Power and bound of a motion, recomputed from the columns and the load.
void ForceSet::measure(ForceVerdict& verdict) const {
  const Vector& y = verdict.motion;
  verdict.power = load_.dot(y);
  const Vector u = C_.transpose() * y;
  // free unknowns may be accelerations: counted in units in which their columns are as long as the others
  double outside = 0.0;
  const double column = C_.size() > 0 ? C_.colwise().norm().maxCoeff() : 1.0;
  for (Eigen::Index j = 0; j < Free_.cols(); ++j)
    if (const double length = Free_.col(j).norm(); length > 0.0)
      outside = std::max(outside, std::abs(Free_.col(j).dot(y)) / length * column);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].is_free) continue;
    const Eigen::Index at = cone_first_[i], k = blocks_[i].columns.cols();
    const double slip = blocks_[i].is_cone() ? blocks_[i].mu * u.segment(at + 1, k - 1).norm() : 0.0;
    outside = std::max(outside, slip - u[at]);
  }
  // 0 ≤ λ·u + outside ‖λ‖₁ and λ·u = f·y
  verdict.bound = outside > 0.0 ? -verdict.power / outside : kInfinity;
}

// Cones of no width have no use for their tangents, which would leave motions undetermined; forces that move
// nothing get the scale of the others.
ForceVerdict ForceSet::decide_without_idle(std::optional<ForceSet>* face) const {
  std::vector<ForceBlock> kept, idle;
  std::vector<std::size_t> origin;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    ForceBlock block = blocks_[i];
    if (has_idle_columns(block) && !(block.mu > 0.0)) {
      block.columns = Matrix(block.columns.leftCols(1));
      if (block.to_contact.size() > 0) block.to_contact = Matrix(block.to_contact.leftCols(1));
    }
    if (block.is_idle()) {
      idle.push_back(std::move(block));
      continue;
    }
    kept.push_back(std::move(block));
    origin.push_back(i);
  }
  const ForceSet smaller(std::move(kept), load_);
  ForceVerdict verdict = smaller.decide(face);
  if (face && face->has_value() && !idle.empty()) {
    std::vector<ForceBlock> all = (*face)->blocks();
    all.insert(all.begin(), idle.begin(), idle.end());
    *face = ForceSet(std::move(all), load_);
  }
  if (verdict.answer != Answer::kYes) return verdict;
  Vector forces = Vector::Zero(size_);
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (!blocks_[i].is_free && blocks_[i].columns.cols() > 0) forces[first_[i]] = verdict.scale;
  for (std::size_t i = 0; i < origin.size(); ++i) {
    const Eigen::Index k = smaller.blocks_[i].columns.cols();
    forces.segment(first_[origin[i]], k) = verdict.forces.segment(smaller.first_[i], k);
  }
  verdict.forces = std::move(forces);
  return verdict;
}

// What no force can balance is a motion that touches nothing and that the load drives.
ForceVerdict ForceSet::refuse_unbalanced() const {
  ForceVerdict verdict;
  verdict.scale = scale_;
  verdict.answer = Answer::kNo;
  verdict.margin = -kInfinity;
  verdict.motion = -left_ / left_.squaredNorm();
  measure(verdict);
  return verdict;
}

// Nothing couples the cones: any forces inside them do, as large as the free ones that carry the load.
ForceVerdict ForceSet::accept_uncoupled() const {
  ForceVerdict verdict;
  const double load = load_.norm();
  Vector forces = Vector::Zero(cone_size_);
  const double size = complete(forces).norm();
  verdict.scale = size > 0.0 ? size : 1.0;
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (!blocks_[i].is_free) forces[cone_first_[i]] = verdict.scale;
  verdict.answer = Answer::kYes;
  verdict.margin = verdict.scale;
  verdict.is_capped = true;
  verdict.forces = complete(forces);
  verdict.residual = load > 0.0 ? left_.norm() / load : 0.0;
  return verdict;
}

// (3) with R = 1 in units of the scale.
ConicResult ForceSet::solve_margin(int& iterations) const {
  ConicProgram program;
  const Eigen::Index rows = 1 + cone_rows();
  Vector lead = Vector::Zero(rows_.cols());  // Σ u_n = lead · y
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (!blocks_[i].is_free) lead += rows_.row(cone_first_[i]).transpose();
  program.q = b_ - lead;
  program.A.resize(rows, rows_.cols());
  program.A.row(0) = -lead.transpose();  // the sign of all rows is turned below
  add_cone_rows(rows_, 1, program);
  program.A = -program.A;
  program.b = Vector::Zero(rows);
  program.b[0] = 1.0;
  ConicResult result = solve_conic(program);
  iterations = result.iterations;
  for (const double step : {0.9, 0.7}) {
    // forces that are only just possible, and then are huge, want a path nearer to the middle
    if (result.status == ConicStatus::kSolved || result.residual <= 1e-8) break;
    ConicResult again = solve_conic(program, {.max_iterations = 150, .step = step});
    iterations += again.iterations;
    if (again.residual < result.residual) result = std::move(again);
  }
  return result;
}

// On the boundary: ask again on the face that the motion leaves.
void ForceSet::decide_on_face(const Vector& u, ForceVerdict& verdict, std::optional<ForceSet>* face) const {
  std::vector<int> origin;
  std::vector<Matrix> lift;
  const std::optional<ForceSet> smaller = find_face(u, origin, lift);
  if (!smaller) return;
  const ForceVerdict inner = smaller->decide(face);
  verdict.answer = inner.answer == Answer::kYes ? Answer::kYes : Answer::kUndecided;
  if (verdict.answer != Answer::kYes) return;
  verdict.is_face = true;
  verdict.margin = 0.0;
  verdict.is_capped = false;
  verdict.forces = Vector::Zero(size_);
  for (std::size_t i = 0; i < origin.size(); ++i) {
    const auto from = static_cast<std::size_t>(origin[i]);
    const Eigen::Index k = smaller->blocks_[i].columns.cols();
    verdict.forces.segment(first_[from], blocks_[from].columns.cols()) =
        lift[i] * inner.forces.segment(smaller->first_[i], k);
  }
}

double ForceSet::balance_residual(const Vector& forces) const {
  const double load = load_.norm();
  Vector sum = -load_;
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    sum += blocks_[i].columns * forces.segment(first_[i], blocks_[i].columns.cols());
  return load > 0.0 ? sum.norm() / load : sum.norm();
}

ForceVerdict ForceSet::decide(std::optional<ForceSet>* face) const {
  if (face) face->reset();
  if (std::any_of(blocks_.begin(), blocks_.end(), has_idle_columns)) return decide_without_idle(face);
  if (!is_sparse_ && left_.norm() > kUnbalanced * load_.norm()) return refuse_unbalanced();
  if (rows_.cols() == 0 || cone_size_ == 0) {
    if (face) *face = *this;
    return accept_uncoupled();
  }

  ForceVerdict verdict;
  verdict.scale = scale_;
  const ConicResult result = solve_margin(verdict.iterations);
  if (result.status != ConicStatus::kSolved && result.residual > 1e-6) {
    verdict.margin = verdict.raw_margin = std::nan("");
    return verdict;
  }
  const double rho = 1.0 + result.value;
  verdict.margin = verdict.raw_margin = rho * scale_;
  verdict.is_capped = rho > 1.0 - 1e-7;
  if (rho < -kTolerance) {
    verdict.answer = Answer::kNo;
    verdict.motion = to_motion(result.x);
    measure(verdict);
    if (!(verdict.power < 0.0) || verdict.bound < 1e6 * scale_) verdict.answer = Answer::kUndecided;
    return verdict;
  }
  if (rho > kTolerance) {
    // the equations hold exactly after one projection, and there is room for it
    Vector forces = scale_ * to_forces(result.z, 1, 1.0 - result.z[0]);
    if (!is_sparse_) forces += rows_ * (scale_ * b_ - rows_.transpose() * forces);
    verdict.answer = Answer::kYes;
    verdict.forces = complete(forces);
    if (face) *face = *this;
  } else {
    decide_on_face(rows_ * result.x, verdict, face);
  }
  if (verdict.answer == Answer::kYes) verdict.residual = balance_residual(verdict.forces);
  return verdict;
}

// A contact that the motion opens carries nothing; one that slides carries a force against its slip.
std::optional<ForceSet> ForceSet::find_face(const Vector& u, std::vector<int>& origin,
                                            std::vector<Matrix>& lift) const {
  std::vector<ForceBlock> kept;
  bool smaller = false;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const ForceBlock& block = blocks_[i];
    const Eigen::Index k = block.columns.cols();
    const auto keep = [&](const Matrix& choice, bool is_free) {
      ForceBlock part = block;
      part.columns = block.columns * choice;
      if (block.to_contact.size() > 0) part.to_contact = block.to_contact * choice;
      part.is_free = is_free;
      kept.push_back(std::move(part));
      origin.push_back(static_cast<int>(i));
      lift.push_back(choice);
    };
    if (block.is_free) {
      keep(Matrix::Identity(k, k), true);
      continue;
    }
    const double normal = u[cone_first_[i]];
    if (!block.is_cone()) {
      if (normal > kActive)
        smaller = true;
      else
        keep(Matrix::Identity(k, 1), false);
      continue;
    }
    const Vector slip = u.segment(cone_first_[i] + 1, k - 1);
    if (normal - block.mu * slip.norm() > kActive) {
      smaller = true;
    } else if (block.mu * slip.norm() > kActive) {
      smaller = true;
      Matrix ray(k, 1);
      ray(0, 0) = 1.0;
      ray.bottomRows(k - 1) = -block.mu * slip.normalized();
      keep(ray, false);
    } else {
      keep(Matrix::Identity(k, k), false);
    }
  }
  if (!smaller) return std::nullopt;
  return ForceSet(std::move(kept), load_);
}

Vector ForceSet::contact_force(int contact, const Vector& forces, Eigen::Index rows) const {
  Vector sum = Vector::Zero(rows);
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (blocks_[i].contact == contact)
      sum += blocks_[i].to_contact * forces.segment(first_[i], blocks_[i].columns.cols());
  return sum;
}

}  // namespace rigor
