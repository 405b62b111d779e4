#include "rigor/contact/friction_rows.hpp"

#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

constexpr double kAlpha = 1e-5;             // of the mean inverse mass: see ConeSelection::kCompliance
constexpr double kFloor = 1e-3;             // of the island's largest normal force: the least λ_n in ε_l
constexpr double kLargestCompliance = 1e9;  // of the mean inverse mass: a row that is so soft has no force

}  // namespace

void FrictionRows::build(const ContactQuestion& question, const Options& options) {
  problem_ = question.problem;
  mean_ = mean_inverse_mass(problem_.W);
  find_normals(question);
  alpha_.setZero(problem_.q.size());
  slides_.assign(problem_.blocks.size(), 0);
  axes_.assign(problem_.blocks.size(), Eigen::Vector2d::UnitX());
  for (std::size_t k = 0; k < problem_.blocks.size(); ++k) {
    const ConeBlock& block = problem_.blocks[k];
    const bool gives_way =
        question.rows.blocks()[static_cast<std::size_t>(question.island.blocks[k])].compliance > 0.0;
    if (!gives_way) alpha_[block.first] = kAlpha;
    if (block.size == 1) continue;
    const FrictionState& friction = question.friction[k];
    const double slip = friction.velocity.norm();
    slides_[k] = slip >= friction.slip_speed && slip > 0.0;
    if (slides_[k] && options.turns && block.size == 3) {
      axes_[k] = friction.velocity / slip;
      turn(k);
    }
    relax(question, k, options);
  }
  is_rigid_ = alpha_.maxCoeff() > 0.0;
}

// Turns the components x, y along the tangents into those along e_t, e_l.
void FrictionRows::turn_pair(std::size_t k, double& x, double& y) const {
  const double along = axes_[k][0] * x + axes_[k][1] * y;
  y = axes_[k][0] * y - axes_[k][1] * x;
  x = along;
}

// W ← Rᵀ W R, q ← Rᵀ q with R = [e_t e_l] on the two tangents of a block
void FrictionRows::turn(std::size_t k) {
  const int i = problem_.blocks[k].first + 1, j = i + 1;
  Eigen::MatrixXd& W = problem_.W;
  for (Eigen::Index r = 0; r < W.rows(); ++r) turn_pair(k, W(r, i), W(r, j));
  for (Eigen::Index r = 0; r < W.cols(); ++r) turn_pair(k, W(i, r), W(j, r));
  turn_pair(k, problem_.q[i], problem_.q[j]);
}

void FrictionRows::turn_columns(Eigen::MatrixXd& Y) const {
  for (std::size_t k = 0; k < axes_.size(); ++k)
    if (problem_.blocks[k].size == 3)
      for (Eigen::Index r = 0; r < Y.rows(); ++r)
        turn_pair(k, Y(r, problem_.blocks[k].first + 1), Y(r, problem_.blocks[k].first + 2));
}

void FrictionRows::turn_back(Eigen::VectorXd& r) const {
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    if (problem_.blocks[k].size < 3) continue;
    const int i = problem_.blocks[k].first + 1, j = i + 1;
    const double x = r[i], y = r[j];
    r[i] = axes_[k][0] * x - axes_[k][1] * y;
    r[j] = axes_[k][1] * x + axes_[k][0] * y;
  }
}

// Adds ε to W, and the terms of the step before to q, on the tangents of a block.
void FrictionRows::relax(const ContactQuestion& question, std::size_t k, const Options& options) {
  const ConeBlock& block = problem_.blocks[k];
  const FrictionState& friction = question.friction[k];
  const double h = question.h;
  for (int i = 1; i < block.size; ++i) {
    const int row = block.first + i;
    if (slides_[k] && i == 2 && options.is_lateral) {
      const double load = block.mu * std::max(normals_[k], floor_) * h, slip = friction.velocity.norm();
      problem_.W(row, row) +=
          load * kLargestCompliance * mean_ > slip ? slip / load : kLargestCompliance * mean_;
      continue;
    }
    if (friction.stiffness <= 0.0) {
      alpha_[row] = kAlpha;
      continue;
    }
    const double unit = i == 2 ? friction.mu_ratio : 1.0;  // unit of the second tangent
    const double epsilon = unit * unit / (friction.stiffness * h * h + friction.damping * h);
    problem_.W(row, row) += epsilon;
    if (!slides_[k] && friction.is_known)
      problem_.q[row] -=
          epsilon * h *
          (friction.tangential[i - 1] + friction.damping * friction.velocity[i - 1] / (unit * unit));
  }
}

void FrictionRows::find_normals(const ContactQuestion& question) {
  const std::size_t count = problem_.blocks.size();
  normals_.assign(count, 0.0);
  bool all_known = true;
  for (std::size_t k = 0; k < count; ++k) {
    normals_[k] = std::max(0.0, question.friction[k].normal);
    all_known = all_known && (problem_.blocks[k].size == 1 || question.friction[k].is_known);
  }
  if (!all_known) {
    const auto n = static_cast<Eigen::Index>(count);
    frictionless_.W.resize(n, n);
    frictionless_.q.resize(n);
    frictionless_.blocks.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      frictionless_.blocks.push_back({static_cast<int>(k), 1, 0.0});
      frictionless_.q[row] = problem_.q[problem_.blocks[k].first];
      for (std::size_t l = 0; l < count; ++l)
        frictionless_.W(row, static_cast<Eigen::Index>(l)) =
            problem_.W(problem_.blocks[k].first, problem_.blocks[l].first);
    }
    solve_cone(frictionless_, options_, workspace_, result_);
    for (std::size_t k = 0; k < count; ++k)
      if (!question.friction[k].is_known)
        normals_[k] = std::max(0.0, result_.r[static_cast<Eigen::Index>(k)]) / question.h;
  }
  floor_ = kFloor * *std::max_element(normals_.begin(), normals_.end());
}

}  // namespace rigor
