#include "rigor/dynamics/constrained_system.hpp"

#include <algorithm>
#include <cassert>
#include <functional>

namespace rigor {

ConstrainedSystem::ConstrainedSystem(const Model& model)
    : model_(&model), pattern_(make_tree_pattern(model)), islands_(find_islands(model)) {
  M_.pattern = &pattern_;
  rows_.resize(islands_.list.size());
  inertia_.resize(islands_.list.size());
  p_.resize(islands_.list.size());
  zero_.setZero(model.nv);
  for (const ModelSpeed& speed : model.speeds) is_fixed_.push_back(speed.motion >= 0);
  has_fixed_ = !model.motions.empty();
  unit_of_.resize(static_cast<std::size_t>(model.nv));
  int unit = 0;
  const auto number = [&](const TreeRange& tree) {
    std::fill(unit_of_.begin() + tree.begin, unit_of_.begin() + tree.end, unit);
  };
  for (const Island& island : islands_.list) {
    for (const TreeRange& tree : island.trees) number(tree);
    ++unit;
  }
  for (const TreeRange& tree : islands_.alone) {
    number(tree);
    ++unit;
  }
}

void ConstrainedSystem::set_motion(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  q_ = q;
  v_ = v;
  compute_positions(*model_, q_, kin_);
  compute_velocities(*model_, v_, kin_);
  compute_accelerations<double>(*model_, zero_, Eigen::Vector3d::Zero(), kin_);
}

void ConstrainedSystem::take_motion(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                    Kinematics<double>& kin) {
  q_ = q;
  v_ = v;
  std::swap(kin_, kin);
  compute_accelerations<double>(*model_, zero_, Eigen::Vector3d::Zero(), kin_);
}

void ConstrainedSystem::compute_rows(double t) {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    compute_island_rows(view(t), islands_, islands_.list[i], rows_workspace_, rows_[i]);
}

void ConstrainedSystem::compute_inertia(const Eigen::VectorXd& extra) {
  extra_ = extra;
  compute_mass_matrix(*model_, kin_, composite_, M_);
  factor_.compute(M_, extra_, is_fixed_);
}

int ConstrainedSystem::factor_rows(const std::vector<Eigen::VectorXd>& epsilon) {
  for (const TreeRange& tree : islands_.alone) {
    if (!factor_.is_singular(tree.begin, tree.end)) continue;
    for (int i = tree.begin; i < tree.end; ++i)
      if (factor_.is_singular(i, i + 1)) return i;
  }
  for (std::size_t i = 0; i < inertia_.size(); ++i)
    if (const int speed = factor_island(i, epsilon[i]); speed >= 0) return speed;
  return -1;
}

int ConstrainedSystem::factor_island(std::size_t island, const Eigen::VectorXd& epsilon) {
  const int local = inertia_[island].compute(
      {&islands_.list[island], &M_, &extra_, &factor_, &is_fixed_, &rows_[island].Jt, &epsilon});
  if (local < 0) return -1;
  for (const TreeRange& tree : islands_.list[island].trees)
    if (local >= tree.offset && local < tree.offset + tree.end - tree.begin)
      return local - tree.offset + tree.begin;
  return -1;
}

// Sets f_ to f less M times the prescribed speeds, and all other entries of x to zero.
void ConstrainedSystem::set_forces(const Eigen::VectorXd& f, Eigen::VectorXd& x) {
  assert(f.size() == model_->nv && x.size() == model_->nv);
  f_ = f;
  if (!has_fixed_) return;
  for (int i = 0; i < model_->nv; ++i)
    if (!is_fixed_[static_cast<std::size_t>(i)]) x[i] = 0.0;
  M_.multiply(x, fixed_);
  f_ -= fixed_;
}

// x = M⁻¹ f on a tree; prescribed speeds stay.
void ConstrainedSystem::solve_alone(const TreeRange& tree, const Eigen::VectorXd& f,
                                    Eigen::VectorXd& x) const {
  if (!has_fixed_ && tree.end - tree.begin == 6 && pattern_.begins_six(tree.begin)) {
    std::copy_n(f.data() + tree.begin, 6, x.data() + tree.begin);
    factor_.solve_six(tree.begin, x.data() + tree.begin);
    return;
  }
  for (int i = tree.begin; i < tree.end; ++i)
    if (!is_fixed_[static_cast<std::size_t>(i)]) x[i] = f[i];
  factor_.solve(tree.begin, tree.end, x.segment(tree.begin, tree.end - tree.begin));
}

void ConstrainedSystem::solve(const Eigen::VectorXd& f, const std::vector<Eigen::VectorXd>& b,
                              Eigen::VectorXd& x) {
  set_forces(f, x);
  for (const TreeRange& tree : islands_.alone) solve_alone(tree, f_, x);
  for (std::size_t i = 0; i < inertia_.size(); ++i) solve_island(i, b[i], x);
}

void ConstrainedSystem::solve(const Eigen::VectorXd& f, const Eigen::VectorXd& change,
                              const Eigen::VectorXd& v, const std::vector<Eigen::VectorXd>& b,
                              Eigen::VectorXd& x) {
  set_forces(f, x);
  for (const TreeRange& tree : islands_.alone) {
    const bool is_free = !has_fixed_ || std::none_of(is_fixed_.begin() + tree.begin,
                                                     is_fixed_.begin() + tree.end, std::identity{});
    solve_alone(tree, is_free ? change : f_, x);
    if (!is_free) continue;
    for (int i = tree.begin; i < tree.end; ++i) x.data()[i] += v.data()[i];
  }
  for (std::size_t i = 0; i < inertia_.size(); ++i) solve_island(i, b[i], x);
}

void ConstrainedSystem::solve_island(std::size_t island, const Eigen::VectorXd& b, Eigen::VectorXd& x) {
  inertia_[island].solve(f_, b, x, p_[island]);
}

int ConstrainedSystem::unit_speeds(int unit) const {
  const auto u = static_cast<std::size_t>(unit), islands = islands_.list.size();
  if (u < islands) return islands_.list[u].speeds;
  return islands_.alone[u - islands].end - islands_.alone[u - islands].begin;
}

int ConstrainedSystem::first_speed(int unit) const {
  const auto u = static_cast<std::size_t>(unit), islands = islands_.list.size();
  return u < islands ? -1 : islands_.alone[u - islands].begin;
}

Eigen::Index ConstrainedSystem::half_size(int unit) const {
  const auto u = static_cast<std::size_t>(unit);
  return u < inertia_.size() ? inertia_[u].half_size() : unit_speeds(unit);
}

void ConstrainedSystem::half_apply(int unit, const Eigen::Ref<const Eigen::VectorXd>& f,
                                   Eigen::Ref<Eigen::VectorXd> y) {
  const auto u = static_cast<std::size_t>(unit);
  if (u < inertia_.size()) return inertia_[u].half_apply(f, y);
  const TreeRange& tree = islands_.alone[u - inertia_.size()];
  for (Eigen::Index i = 0; i < y.size(); ++i)
    y[i] = is_fixed_[static_cast<std::size_t>(tree.begin + i)] ? 0.0 : f[i];
  factor_.half_solve(tree.begin, tree.end, y);
}

void ConstrainedSystem::half_apply(int unit, const Eigen::Map<const Eigen::MatrixXd>& f,
                                   Eigen::Map<Eigen::MatrixXd> y) {
  const auto u = static_cast<std::size_t>(unit);
  if (u >= inertia_.size() && f.rows() == 6 && !has_fixed_) {
    const int begin = islands_.alone[u - inertia_.size()].begin;
    if (pattern_.is_chain(begin, 6))
      return half_apply_free(begin, static_cast<int>(f.cols()), f.data(), y.data());
  }
  if (u >= inertia_.size() && f.cols() == 3 && !has_fixed_) {
    const TreeRange& tree = islands_.alone[u - inertia_.size()];
    std::copy_n(f.data(), f.size(), y.data());
    return factor_.half_solve_three(tree.begin, tree.end, y.data());
  }
  for (Eigen::Index k = 0; k < f.cols(); ++k) half_apply(unit, f.col(k), y.col(k));
}

void ConstrainedSystem::add_row_forces(std::size_t island, const Eigen::VectorXd& p,
                                       Eigen::VectorXd& out) const {
  const Eigen::MatrixXd& Jt = rows_[island].Jt;
  for (const TreeRange& tree : islands_.list[island].trees)
    out.segment(tree.begin, tree.end - tree.begin).noalias() +=
        Jt.middleRows(tree.offset, tree.end - tree.begin) * p;
}

}  // namespace rigor
