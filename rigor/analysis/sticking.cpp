#include "rigor/analysis/sticking.hpp"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/math/orthogonal_factor.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr int kMaxSigns = 12;            // bilateral contacts with friction whose signs are searched
constexpr double kContradiction = 1e-9;  // of the biases

// Whether the rows leave no motion free, found by a sparse factor: only for systems too large for an
// orthogonal one. A tiny pivot counts as free, and then the orthogonal factor is asked.
bool leaves_nothing_free(const Matrix& J) {
  if (J.rows() < J.cols()) return false;
  const Eigen::SparseMatrix<double> rows = J.sparseView();
  const Eigen::SparseMatrix<double> S = rows.transpose() * rows;
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(S);
  if (factor.info() != Eigen::Success) return false;
  const Eigen::SparseMatrix<double> L = factor.matrixL();
  double least = 1e300, most = 0.0;
  for (Eigen::Index i = 0; i < L.rows(); ++i) {
    least = std::min(least, L.coeff(i, i));
    most = std::max(most, L.coeff(i, i));
  }
  return least > 1e-5 * most;
}

}  // namespace

StickingSet::StickingSet(const AccelerationProblem& problem, FrictionKind friction, std::vector<char> closed)
    : problem_(&problem), friction_(friction), closed_(std::move(closed)), F_(problem.F) {
  const Eigen::Index n = problem.size();
  if (closed_.empty()) closed_.assign(problem.contacts.size(), kContactClosed);
  for (const AccelerationContact& contact : problem.contacts) mu_.push_back(contact.mu);

  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const AccelerationContact& contact = problem.contacts[i];
    if (!contact.is_unilateral()) closed_[i] = kContactClosed;
    if (closed_[i] == kContactClosed) rows_.push_back({static_cast<int>(i), 0});
    if (contact.slides()) continue;
    for (int k = 1; k <= contact.tangents(); ++k) rows_.push_back({static_cast<int>(i), k});
  }
  J_.resize(static_cast<Eigen::Index>(rows_.size()), n);
  bias_.resize(J_.rows());
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const AccelerationContact& contact = problem.contacts[static_cast<std::size_t>(rows_[r].contact)];
    const auto at = static_cast<Eigen::Index>(r);
    if (rows_[r].component == 0) {
      J_.row(at) = contact.normal.transpose();
      bias_[at] = contact.normal_bias;
    } else {
      J_.row(at) = contact.tangent.row(rows_[r].component - 1);
      bias_[at] = contact.tangent_bias[rows_[r].component - 1];
    }
  }

  // a0 and Z with J a0 = −bias, J Z = 0
  a0_ = Vector::Zero(n);
  Z_ = Matrix::Identity(n, n);
  if (J_.rows() == 0) return;
  if (n > kDenseSize && bias_.isZero() && leaves_nothing_free(J_)) {
    Z_.resize(n, 0);
    return;
  }
  OrthogonalFactor factor;
  factor.compute(J_.transpose());
  factor.compute_null_basis(Z_);
  factor.solve_transposed(-bias_, a0_);
  const Vector left = J_ * a0_ + bias_;
  if (left.norm() <= kContradiction * (1e-300 + bias_.norm())) return;
  // w = bias less its part in the range of J: Jᵀ w = 0, w·bias = |w|²
  OrthogonalFactor range;
  range.compute(J_);
  Vector part;
  range.solve(bias_, part);
  const Vector w = bias_ - J_ * part;
  if (w.norm() > kContradiction * bias_.norm()) contradiction_ = w / w.squaredNorm();
}

void StickingSet::set_mu(std::size_t contact, double mu) {
  mu_[contact] = mu;
}

void StickingSet::set_load(const Vector& F) {
  F_ = F;
}

bool StickingSet::needs_sign(std::size_t i) const {
  const AccelerationContact& contact = problem_->contacts[i];
  return !contact.is_unilateral() && contact.tangents() > 0 && mu_[i] > 0.0 &&
         friction_ == FrictionKind::kCones;
}

bool StickingSet::has_unique_acceleration() const {
  if (Z_.cols() == 0) return true;
  const Matrix MZ = problem_->M * Z_;
  OrthogonalFactor factor;
  factor.compute(MZ);
  // a column that is nothing beside M counts as none
  const double size = problem_->M.cwiseAbs().maxCoeff();
  for (Eigen::Index j = 0; j < MZ.cols(); ++j)
    if (MZ.col(j).norm() <= 1e-12 * size) return false;
  return factor.rank() == Z_.cols();
}

// The tangents of a contact that is not closed hold all the same [BKA, (43)]: with a force only where friction
// has no limit.
void StickingSet::add_open_contact(std::size_t i, std::vector<ForceBlock>& blocks) const {
  const AccelerationContact& contact = problem_->contacts[i];
  const Eigen::Index k = contact.tangents();
  if (friction_ != FrictionKind::kUnlimited || k == 0 || contact.slides()) return;
  ForceBlock tangential;
  tangential.contact = static_cast<int>(i);
  tangential.columns = contact.tangent.transpose();
  tangential.to_contact = Matrix::Zero(1 + k, k);
  tangential.to_contact.bottomRows(k) = Matrix::Identity(k, k);
  tangential.is_free = true;
  blocks.push_back(std::move(tangential));
}

// λt = −mu |λn| slip: a half-line, or two where λn may have either sign.
void StickingSet::add_sliding_contact(std::size_t i, int sign, std::vector<ForceBlock>& blocks) const {
  const AccelerationContact& contact = problem_->contacts[i];
  ForceBlock block;
  block.contact = static_cast<int>(i);
  block.mu = mu_[i];
  block.to_contact.resize(1 + contact.tangents(), 1);
  const bool has_one_sign = contact.is_unilateral() || sign != 0;
  const double own = sign == 0 ? 1.0 : sign;
  for (const double s : {own, -own}) {
    block.columns = s * contact.normal - mu_[i] * contact.tangent.transpose() * contact.slip;
    block.to_contact << s, -mu_[i] * contact.slip;
    blocks.push_back(block);
    if (has_one_sign) break;
  }
}

// A cone; where friction has no limit a normal force and free tangential ones.
void StickingSet::add_sticking_contact(std::size_t i, int sign, std::vector<ForceBlock>& blocks) const {
  const AccelerationContact& contact = problem_->contacts[i];
  const Eigen::Index k = contact.tangents();
  ForceBlock block;
  block.contact = static_cast<int>(i);
  block.mu = mu_[i];
  block.columns.resize(problem_->size(), 1 + k);
  block.columns << contact.normal, contact.tangent.transpose();
  block.to_contact = Matrix::Identity(1 + k, 1 + k);
  if (sign < 0) {
    block.columns.col(0) *= -1.0;
    block.to_contact(0, 0) = -1.0;
  }
  block.is_free = !contact.is_unilateral() && sign == 0;
  if (friction_ == FrictionKind::kUnlimited && contact.is_unilateral()) {
    ForceBlock tangential = block;
    tangential.columns = block.columns.rightCols(k);
    tangential.to_contact = block.to_contact.rightCols(k);
    tangential.is_free = true;
    blocks.push_back(std::move(tangential));
    block.columns = contact.normal;
    block.to_contact = Matrix::Identity(1 + k, 1);
  }
  blocks.push_back(std::move(block));
}

void StickingSet::add_frictionless_contact(std::size_t i, std::vector<ForceBlock>& blocks) const {
  const AccelerationContact& contact = problem_->contacts[i];
  ForceBlock block;
  block.contact = static_cast<int>(i);
  block.mu = mu_[i];
  block.columns = contact.normal;
  block.to_contact = Matrix::Identity(1 + contact.tangents(), 1);
  block.is_free = !contact.is_unilateral();
  blocks.push_back(std::move(block));
}

ForceSet StickingSet::make_force_set(const std::vector<int>& signs) const {
  std::vector<ForceBlock> blocks;
  for (std::size_t i = 0; i < problem_->contacts.size(); ++i) {
    const AccelerationContact& contact = problem_->contacts[i];
    const bool may_have_friction = contact.tangents() > 0 && friction_ != FrictionKind::kNone;
    const bool has_friction = may_have_friction && mu_[i] > 0.0;
    // a tangent column even where mu = 0: set_mu() may come
    const bool has_tangents = may_have_friction && (contact.is_unilateral() || has_friction ||
                                                    friction_ == FrictionKind::kUnlimited);
    if (closed_[i] == kContactOpen)
      add_open_contact(i, blocks);
    else if (contact.slides() && has_friction)
      add_sliding_contact(i, signs[i], blocks);
    else if (!contact.slides() && has_tangents)
      add_sticking_contact(i, signs[i], blocks);
    else
      add_frictionless_contact(i, blocks);
  }
  if (Z_.cols() > 0) {
    ForceBlock inertia;
    inertia.columns = -problem_->M * Z_;
    inertia.is_free = true;
    blocks.push_back(std::move(inertia));
  }
  Vector load = problem_->M * a0_ + F_;
  add_opening_rows(blocks, load);
  return {std::move(blocks), std::move(load)};
}

// One row s − m normal Z x = m (normal a0 + bias), s ≥ 0, for each contact that need not stay closed; the
// inertia's block stays the last one.
void StickingSet::add_opening_rows(std::vector<ForceBlock>& blocks, Vector& load) const {
  const auto extra = static_cast<Eigen::Index>(
      std::count_if(closed_.begin(), closed_.end(), [](char state) { return state != kContactClosed; }));
  if (extra == 0) return;
  const Eigen::Index n = load.size();
  for (ForceBlock& block : blocks) {
    block.columns.conservativeResize(n + extra, Eigen::NoChange);
    block.columns.bottomRows(extra).setZero();
  }
  load.conservativeResize(n + extra);
  const double mass = n > 0 ? problem_->M.cwiseAbs().maxCoeff() : 0.0;
  const double weight = mass > 0.0 ? mass : 1.0;
  std::vector<ForceBlock> slacks;
  for (std::size_t i = 0; i < closed_.size(); ++i) {
    if (closed_[i] == kContactClosed) continue;
    const AccelerationContact& contact = problem_->contacts[i];
    const Eigen::Index row = n + static_cast<Eigen::Index>(slacks.size());
    if (Z_.cols() > 0) blocks.back().columns.row(row) = -weight * contact.normal.transpose() * Z_;
    load[row] = weight * (contact.normal.dot(a0_) + contact.normal_bias);
    slacks.push_back({-1, Matrix::Identity(n + extra, n + extra).col(row), {}, 0.0, false});
  }
  blocks.insert(Z_.cols() > 0 ? blocks.end() - 1 : blocks.end(), slacks.begin(), slacks.end());
}

void StickingSet::search_signs(std::vector<int>& signs, std::size_t at, StickingAnswer& best) const {
  while (at < signs.size() && !needs_sign(at)) ++at;
  ForceSet set = make_force_set(signs);
  std::optional<ForceSet> face;
  ForceVerdict verdict = set.decide(&face);
  if (at < signs.size()) {
    // the relaxation with signs left open is impossible, so are its parts
    if (verdict.answer == Answer::kNo) {
      best.refusals.push_back({signs, verdict.motion});
      if (best.answer != Answer::kYes && !best.set) {
        best.answer = Answer::kNo;
        best.verdict = std::move(verdict);
        best.set = std::move(set);
        best.signs = signs;
      }
      return;
    }
    for (const int sign : {1, -1}) {
      signs[at] = sign;
      search_signs(signs, at + 1, best);
    }
    signs[at] = 0;
    return;
  }
  if (verdict.answer == Answer::kYes) best.all_signs.push_back(signs);
  if (verdict.answer == Answer::kNo) best.refusals.push_back({signs, verdict.motion});
  if (verdict.answer == Answer::kUndecided) best.is_complete = false;
  const auto rank = [](Answer answer) {
    return answer == Answer::kYes ? 2 : answer == Answer::kUndecided ? 1 : 0;
  };
  const bool better = !best.set || rank(verdict.answer) > rank(best.answer) ||
                      (verdict.answer == best.answer && verdict.margin > best.verdict.margin);
  if (!better) return;
  best.answer = verdict.answer;
  best.verdict = std::move(verdict);
  best.set = std::move(set);
  best.face = std::move(face);
  best.signs = signs;
}

Vector StickingSet::acceleration_of(const Vector& unknowns) const {
  if (Z_.cols() == 0) return a0_;
  return a0_ + Z_ * unknowns.tail(Z_.cols());
}

void StickingSet::fill(StickingAnswer& answer) const {
  const Vector& all = answer.verdict.forces;
  answer.acceleration = acceleration_of(all);
  for (std::size_t i = 0; i < problem_->contacts.size(); ++i)
    answer.forces.push_back(
        answer.set->contact_force(static_cast<int>(i), all, 1 + problem_->contacts[i].tangents()));
}

StickingAnswer StickingSet::decide() const {
  StickingAnswer answer;
  answer.signs.assign(problem_->contacts.size(), 0);
  if (!is_consistent()) {
    answer.answer = Answer::kNo;
    answer.contradiction = contradiction_;
    answer.verdict.answer = Answer::kNo;
    answer.verdict.margin = -std::numeric_limits<double>::infinity();
    return answer;
  }
  int open_signs = 0;
  for (std::size_t i = 0; i < problem_->contacts.size(); ++i) open_signs += needs_sign(i) ? 1 : 0;
  require(open_signs <= kMaxSigns,
          "{} bilateral contacts with friction, at most {} can be searched for the signs of their normal "
          "forces. Leave some without friction.",
          open_signs, kMaxSigns);
  std::vector<int> signs = answer.signs;
  answer.signs.clear();
  search_signs(signs, 0, answer);
  if (answer.answer == Answer::kYes) fill(answer);
  if (answer.answer != Answer::kNo) answer.refusals.clear();
  return answer;
}

}  // namespace rigor
