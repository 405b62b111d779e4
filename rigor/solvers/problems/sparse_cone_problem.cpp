#include "rigor/solvers/problems/sparse_cone_problem.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "rigor/base/index.hpp"
#include "rigor/base/require.hpp"
#include "rigor/solvers/problems/validate.hpp"

namespace rigor {
namespace {

constexpr int kLargestPart = 4000;  // velocities of one connected part of M: factored as a dense matrix

using BlockRow = std::map<int, Block3>;

// Every block has its mirror image, if only as zeros, and every row its diagonal.
SparseConeProblem pack(std::vector<BlockRow> rows, const std::vector<ConeBlock>& blocks) {
  SparseConeProblem problem;
  const std::size_t n = rows.size();
  for (std::size_t i = 0; i < n; ++i) {
    rows[i].try_emplace(static_cast<int>(i), Block3::zero());
    for (const auto& [j, block] : rows[i]) rows[at(j)].try_emplace(static_cast<int>(i), Block3::zero());
  }
  problem.mu.resize(static_cast<Eigen::Index>(n));
  problem.sizes.resize(n);
  if (!std::all_of(blocks.begin(), blocks.end(), [](const ConeBlock& b) { return b.bounds.is_one_sided(); }))
    for (const ConeBlock& block : blocks) problem.bounds.push_back(block.bounds);
  for (std::size_t i = 0; i < n; ++i) {
    const int size = blocks[i].size;
    problem.sizes[i] = size;
    problem.mu[static_cast<Eigen::Index>(i)] = size == 1 ? 0.0 : blocks[i].mu;
    Block3& own = rows[i].at(static_cast<int>(i));
    const double diagonal = own(size - 1, size - 1);
    for (int k = size; k < 3; ++k) own(k, k) = diagonal > 0.0 ? diagonal : 1.0;
    for (const auto& [j, block] : rows[i]) {
      problem.pattern.column.push_back(j);
      problem.values.push_back(block);
    }
    problem.pattern.begin.push_back(static_cast<int>(problem.values.size()));
  }
  return problem;
}

// The contacts of a global problem, then its bilateral rows.
std::vector<ConeBlock> list_blocks(const GlobalConeProblem& problem) {
  std::vector<ConeBlock> blocks;
  const int d = problem.dimension, contacts = static_cast<int>(problem.mu.size());
  for (int i = 0; i < contacts; ++i) blocks.push_back({i * d, d, problem.mu[i]});
  for (int k = 0; k < problem.G.cols(); ++k)
    blocks.push_back({contacts * d + k, 1, 0.0, RowBounds::bilateral()});
  return blocks;
}

// w of the contacts, b of the bilateral rows
Eigen::VectorXd join(const Eigen::VectorXd& contacts, const Eigen::VectorXd& bilateral) {
  Eigen::VectorXd both(contacts.size() + bilateral.size());
  both << contacts, bilateral;
  return both;
}

// H r + G λ, three entries of r per block
Eigen::VectorXd compute_force(const GlobalConeProblem& problem, const std::vector<int>& sizes,
                              const Eigen::VectorXd& r) {
  const Eigen::VectorXd used = drop_unused_rows(sizes, r);
  Eigen::VectorXd force = problem.H * used.head(problem.H.cols());
  if (problem.G.cols() > 0) force += problem.G * used.tail(problem.G.cols());
  return force;
}

// Nothing below a thousandth of the rounding of r is claimed: against an r of 1e19 any velocity disappears.
double finish_residual(double squared, const Eigen::VectorXd& r, double scale) {
  const double floor = 1e-3 * std::numeric_limits<double>::epsilon() * r.norm();
  const double residual = std::max(std::sqrt(squared), floor) / (scale > 0.0 ? scale : 1.0);
  return std::isfinite(residual) ? residual : std::numeric_limits<double>::infinity();
}

// u of one contact
void compute_row(const SparseConeProblem& problem, int i, const Eigen::VectorXd& r, double* u) {
  for (int row = 0; row < 3; ++row) u[row] = problem.q[3 * i + row];
  for (int k = problem.pattern.begin[at(i)]; k < problem.pattern.begin[at(i) + 1]; ++k) {
    const double* const B = problem.values[at(k)].v;
    const double* const x = r.data() + 3 * problem.pattern.column[at(k)];
    for (int row = 0; row < 3; ++row) u[row] += B[row] * x[0] + B[4 + row] * x[1] + B[8 + row] * x[2];
  }
}

// Which velocities M couples, directly or through others.
std::vector<std::vector<int>> find_parts(const Eigen::SparseMatrix<double>& M) {
  std::vector<int> root(at(M.cols()));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[at(i)] != i) i = root[at(i)] = root[at(root[at(i)])];
    return i;
  };
  for (int c = 0; c < M.outerSize(); ++c)
    for (Eigen::SparseMatrix<double>::InnerIterator it(M, c); it; ++it) {
      const int a = find(static_cast<int>(it.row())), b = find(c);
      if (it.value() != 0.0) root[at(std::max(a, b))] = std::min(a, b);
    }
  std::vector<int> number(root.size(), -1);
  std::vector<std::vector<int>> parts;
  for (int i = 0; i < static_cast<int>(root.size()); ++i) {
    int& part = number[at(find(i))];
    if (part < 0) {
      part = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    parts[at(part)].push_back(i);
  }
  return parts;
}

}  // namespace

void SparseConeProblem::validate() const {
  const int n = contacts();
  require(values.size() == pattern.column.size() && pattern.begin.back() == static_cast<int>(values.size()),
          "Sparse cone problem: {} blocks for {} places of the pattern, must be equal.", values.size(),
          pattern.column.size());
  require(q.size() == 3 * n && mu.size() == n && sizes.size() == at(n),
          "Sparse cone problem: {} contacts, {} entries of q, {} of mu, {} sizes; must be n, 3 n, n, n.", n,
          q.size(), mu.size(), sizes.size());
  require(bounds.empty() || bounds.size() == at(n),
          "Sparse cone problem: {} contacts and {} bounds, must be equal, or no bounds.", n, bounds.size());
  require_finite(q, "Sparse cone problem: q");
  for (int i = 0; i < n; ++i) {
    require(std::isfinite(mu[i]) && mu[i] >= 0.0,
            "Sparse cone problem: contact {} has mu = {}, must be finite and >= 0.", i, mu[i]);
    require(sizes[at(i)] >= 1 && sizes[at(i)] <= 3,
            "Sparse cone problem: contact {} has {} rows, must have 1, 2 or 3.", i, sizes[at(i)]);
    if (!bounds.empty()) {
      const RowBounds& own = bounds[at(i)];
      require(own.is_one_sided() || (sizes[at(i)] == 1 && own.lower <= own.upper),
              "Sparse cone problem: contact {} has {} rows and bounds {} to {}; must be 0 to infinity, for "
              "single rows lower <= upper.",
              i, sizes[at(i)], own.lower, own.upper);
    }
    bool has_diagonal = false;
    for (int k = pattern.begin[at(i)]; k < pattern.begin[at(i) + 1]; ++k) {
      const int j = pattern.column[at(k)];
      require(j >= 0 && j < n, "Sparse cone problem: row {} has a block in column {}, must be below {}.", i,
              j, n);
      has_diagonal = has_diagonal || j == i;
      for (const double value : values[at(k)].v)
        require(std::isfinite(value),
                "Sparse cone problem: block ({}, {}) of W has an entry that is not finite.", i, j);
    }
    require(has_diagonal, "Sparse cone problem: row {} has no diagonal block, must have one.", i);
  }
}

void GlobalConeProblem::validate() const {
  require(dimension == 2 || dimension == 3, "Global cone problem: dimension {}, must be 2 or 3.", dimension);
  require(M.rows() == M.cols(), "Global cone problem: M is {} x {}, must be square.", M.rows(), M.cols());
  require(H.rows() == M.rows(), "Global cone problem: H has {} rows and M {}, must be equal.", H.rows(),
          M.rows());
  require(f.size() == M.rows(), "Global cone problem: f has {} entries and M {} rows, must be equal.",
          f.size(), M.rows());
  require(w.size() == H.cols() && H.cols() == dimension * mu.size(),
          "Global cone problem: H has {} columns, w {} entries, mu {}; must be {} n, {} n, n.", H.cols(),
          w.size(), mu.size(), dimension, dimension);
  require((G.cols() == 0 || G.rows() == M.rows()) && b.size() == G.cols(),
          "Global cone problem: G is {} x {}, b has {} entries and M {} rows; must be n x p, p and n.",
          G.rows(), G.cols(), b.size(), M.rows());
  for (Eigen::Index i = 0; i < mu.size(); ++i)
    require(std::isfinite(mu[i]) && mu[i] >= 0.0,
            "Global cone problem: contact {} has mu = {}, must be finite and >= 0.", i, mu[i]);
  require_finite(f, "Global cone problem: f");
  require_finite(w, "Global cone problem: w");
  require_finite(b, "Global cone problem: b");
  for (const auto* matrix : {&M, &H, &G})
    for (int c = 0; c < matrix->outerSize(); ++c)
      for (Eigen::SparseMatrix<double>::InnerIterator it(*matrix, c); it; ++it)
        require(std::isfinite(it.value()), "Global cone problem: entry ({}, {}) of {} is not finite.",
                it.row(), c,
                matrix == &M   ? "M"
                : matrix == &H ? "H"
                               : "G");
}

SparseConeProblem make_sparse_cone(const Eigen::SparseMatrix<double>& W, const Eigen::VectorXd& q,
                                   const std::vector<ConeBlock>& blocks) {
  struct Place {
    int contact, row;
  };
  std::vector<Place> place(at(q.size()));
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (int k = 0; k < blocks[i].size; ++k) place[at(blocks[i].first + k)] = {static_cast<int>(i), k};
  std::vector<BlockRow> rows(blocks.size());
  for (int c = 0; c < W.outerSize(); ++c)
    for (Eigen::SparseMatrix<double>::InnerIterator it(W, c); it; ++it) {
      if (it.value() == 0.0) continue;
      const Place from = place[at(it.row())], to = place[at(c)];
      rows[at(from.contact)].try_emplace(to.contact, Block3::zero()).first->second(from.row, to.row) +=
          it.value();
    }
  SparseConeProblem problem = pack(std::move(rows), blocks);
  problem.q.setZero(3 * static_cast<Eigen::Index>(blocks.size()));
  for (std::size_t i = 0; i < blocks.size(); ++i)
    problem.q.segment(3 * static_cast<Eigen::Index>(i), blocks[i].size) =
        q.segment(blocks[i].first, blocks[i].size);
  return problem;
}

SparseConeProblem make_sparse_cone(const ConeProblem& problem) {
  problem.validate();
  require(!problem.associated, "Sparse cone problem: the associated law is for the dense solver.");
  return make_sparse_cone(problem.W.sparseView(), problem.q, problem.blocks);
}

GlobalConeReduction::GlobalConeReduction(const GlobalConeProblem& problem) : problem_(problem) {
  problem.validate();
  parts_ = find_parts(problem.M);
  const int d = problem.dimension, contacts = static_cast<int>(problem.mu.size());
  std::vector<int> part_of(at(problem.M.rows())), place(at(problem.M.rows()));
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (std::size_t k = 0; k < parts_[p].size(); ++k) {
      part_of[at(parts_[p][k])] = static_cast<int>(p);
      place[at(parts_[p][k])] = static_cast<int>(k);
    }
  // each part's share of H and G, by the blocks that touch it
  const std::vector<ConeBlock> blocks = list_blocks(problem);
  std::vector<std::map<int, Eigen::MatrixXd>> shares(parts_.size());
  const auto add_share = [&](Eigen::Index velocity, int block, int row, double value) {
    const auto p = at(part_of[at(velocity)]);
    Eigen::MatrixXd& share = shares[p][block];
    if (share.size() == 0) share.setZero(static_cast<Eigen::Index>(parts_[p].size()), blocks[at(block)].size);
    share(place[at(velocity)], row) += value;
  };
  for (int c = 0; c < problem.H.outerSize(); ++c)
    for (Eigen::SparseMatrix<double>::InnerIterator it(problem.H, c); it; ++it)
      add_share(it.row(), c / d, c % d, it.value());
  for (int c = 0; c < problem.G.outerSize(); ++c)
    for (Eigen::SparseMatrix<double>::InnerIterator it(problem.G, c); it; ++it)
      add_share(it.row(), contacts + c, 0, it.value());
  std::vector<BlockRow> rows(blocks.size());
  Eigen::VectorXd q = join(problem.w, problem.b);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const auto size = static_cast<Eigen::Index>(parts_[p].size());
    require(size <= kLargestPart,
            "Global cone problem: M couples {} velocities with one another, must be at most {}. Write the "
            "problem "
            "in its local form.",
            size, kLargestPart);
    Eigen::MatrixXd own(size, size);
    Eigen::VectorXd f(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      f[i] = problem.f[parts_[p][at(i)]];
      for (Eigen::Index j = 0; j < size; ++j) own(i, j) = problem.M.coeff(parts_[p][at(i)], parts_[p][at(j)]);
    }
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(own);
    require(lu.isInvertible(),
            "Global cone problem: M is singular on the {} velocities that go with number {}.", size,
            parts_[p][0]);
    inverse_.push_back(lu.inverse());
    const Eigen::VectorXd v = inverse_.back() * f;
    for (const auto& [j, H_j] : shares[p]) {
      const Eigen::MatrixXd X = inverse_.back() * H_j;
      for (const auto& [i, H_i] : shares[p]) {
        const Eigen::MatrixXd product = H_i.transpose() * X;
        Block3& block = rows[at(i)].try_emplace(j, Block3::zero()).first->second;
        for (int a = 0; a < product.rows(); ++a)
          for (int b = 0; b < product.cols(); ++b) block(a, b) += product(a, b);
      }
      q.segment(blocks[at(j)].first, blocks[at(j)].size) += H_j.transpose() * v;
    }
  }
  local_ = pack(std::move(rows), blocks);
  local_.q = add_unused_rows(local_.sizes, q);
}

Eigen::VectorXd GlobalConeReduction::compute_velocity(const Eigen::VectorXd& r) const {
  const Eigen::VectorXd force = compute_force(problem_, local_.sizes, r) + problem_.f;
  Eigen::VectorXd v(force.size());
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Eigen::VectorXd own(static_cast<Eigen::Index>(parts_[p].size()));
    for (std::size_t k = 0; k < parts_[p].size(); ++k)
      own[static_cast<Eigen::Index>(k)] = force[parts_[p][k]];
    own = inverse_[p] * own;
    for (std::size_t k = 0; k < parts_[p].size(); ++k) v[parts_[p][k]] = own[static_cast<Eigen::Index>(k)];
  }
  return v;
}

void compute_cone_velocity(const SparseConeProblem& problem, const Eigen::VectorXd& r, Eigen::VectorXd& u) {
  u.resize(problem.q.size());
  for (int i = 0; i < problem.contacts(); ++i) compute_row(problem, i, r, u.data() + 3 * i);
}

double relative_cone_residual(const SparseConeProblem& problem, const Eigen::VectorXd& r) {
  if (r.size() != problem.q.size() || !r.allFinite()) return std::numeric_limits<double>::infinity();
  double sum = 0.0;
  for (int i = 0; i < problem.contacts(); ++i) {
    double u[3];
    compute_row(problem, i, r, u);
    sum += squared_block_residual(problem.block(i), false, r.data() + 3 * i, u);
  }
  return finish_residual(sum, r, problem.q.norm());
}

double relative_cone_residual(const GlobalConeProblem& problem, const Eigen::VectorXd& r,
                              const Eigen::VectorXd& v) {
  // how far v is from M v = H r + G λ + f counts as well, relative to the largest of its terms
  const GlobalConeReduction reduction(problem);
  const SparseConeProblem& local = reduction.local();
  if (r.size() != local.q.size() || !r.allFinite()) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd force = compute_force(problem, local.sizes, r), momentum = problem.M * v;
  const double balance = (force + problem.f - momentum).norm();
  const double terms = std::max({force.norm(), problem.f.norm(), momentum.norm()});
  Eigen::VectorXd bilateral = problem.b;
  if (problem.G.cols() > 0) bilateral += problem.G.transpose() * v;
  const Eigen::VectorXd u =
      add_unused_rows(local.sizes, join(problem.H.transpose() * v + problem.w, bilateral));
  double sum = 0.0;
  for (int i = 0; i < local.contacts(); ++i)
    sum += squared_block_residual(local.block(i), false, r.data() + 3 * i, u.data() + 3 * i);
  return finish_residual(sum, r, local.q.norm()) + (terms > 0.0 ? balance / terms : balance);
}

Eigen::VectorXd drop_unused_rows(const std::vector<int>& sizes, const Eigen::VectorXd& x) {
  Eigen::VectorXd used(std::accumulate(sizes.begin(), sizes.end(), 0));
  Eigen::Index next = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    used.segment(next, sizes[i]) = x.segment(3 * static_cast<Eigen::Index>(i), sizes[i]);
    next += sizes[i];
  }
  return used;
}

Eigen::VectorXd add_unused_rows(const std::vector<int>& sizes, const Eigen::VectorXd& used) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(3 * static_cast<Eigen::Index>(sizes.size()));
  Eigen::Index next = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    x.segment(3 * static_cast<Eigen::Index>(i), sizes[i]) = used.segment(next, sizes[i]);
    next += sizes[i];
  }
  return x;
}

}  // namespace rigor
