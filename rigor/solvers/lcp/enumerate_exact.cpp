// Exact enumeration: every double is a rational, so the LCP is solved over the rationals (GMP).
#include <gmpxx.h>

#include <algorithm>
#include <cstdint>

#include "rigor/base/interruption.hpp"
#include "rigor/base/require.hpp"
#include "rigor/solvers/lcp/enumerate.hpp"

namespace rigor {
namespace {

using Row = std::vector<mpq_class>;
using Table = std::vector<Row>;

mpq_class exact(double value) {
  return mpq_class(value);
}

// Gauss-Jordan on [A | b] with the columns of A; gives the rank and the pivot column of each row.
// Inconsistent: −1.
int reduce(Table& rows, std::size_t columns, std::vector<std::size_t>& pivot_columns) {
  pivot_columns.clear();
  std::size_t rank = 0;
  for (std::size_t column = 0; column < columns && rank < rows.size(); ++column) {
    std::size_t pivot = rank;
    while (pivot < rows.size() && rows[pivot][column] == 0) ++pivot;
    if (pivot == rows.size()) continue;
    std::swap(rows[rank], rows[pivot]);
    const mpq_class inverse = 1 / rows[rank][column];
    for (std::size_t j = column; j <= columns; ++j) rows[rank][j] *= inverse;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == rank || rows[i][column] == 0) continue;
      const mpq_class factor = rows[i][column];
      for (std::size_t j = column; j <= columns; ++j)
        if (rows[rank][j] != 0) rows[i][j] -= factor * rows[rank][j];
    }
    pivot_columns.push_back(column);
    ++rank;
  }
  for (std::size_t i = rank; i < rows.size(); ++i)
    if (rows[i][columns] != 0) return -1;
  return static_cast<int>(rank);
}

// Is there x ≥ 0 with A x = b? Phase one of the simplex method with Bland's rule, over the rationals. `rows`
// is [A | b].
std::optional<Row> find_nonnegative(Table rows, std::size_t columns) {
  const std::size_t m = rows.size();
  // artificial variables make the first basis; b ≥ 0
  for (std::size_t i = 0; i < m; ++i) {
    if (rows[i][columns] < 0)
      for (auto& entry : rows[i]) entry = -entry;
    const mpq_class b = rows[i][columns];
    rows[i].resize(columns + m + 1);
    rows[i][columns] = 0;
    rows[i][columns + i] = 1;
    rows[i][columns + m] = b;
  }
  const std::size_t last = columns + m;
  std::vector<std::size_t> basis(m);
  for (std::size_t i = 0; i < m; ++i) basis[i] = columns + i;
  for (;;) {
    // reduced costs of minimising the sum of the artificial variables: least index with a gain enters
    std::size_t enter = columns;
    for (std::size_t j = 0; j < columns && enter == columns; ++j) {
      mpq_class gain = 0;
      for (std::size_t i = 0; i < m; ++i)
        if (basis[i] >= columns) gain += rows[i][j];
      if (gain > 0 && std::find(basis.begin(), basis.end(), j) == basis.end()) enter = j;
    }
    if (enter == columns) break;
    std::size_t leave = m;
    mpq_class best;
    for (std::size_t i = 0; i < m; ++i) {
      if (rows[i][enter] <= 0) continue;
      const mpq_class ratio = rows[i][last] / rows[i][enter];
      if (leave == m || ratio < best || (ratio == best && basis[i] < basis[leave])) {
        best = ratio;
        leave = i;
      }
    }
    if (leave == m) break;
    const mpq_class inverse = 1 / rows[leave][enter];
    for (auto& entry : rows[leave]) entry *= inverse;
    for (std::size_t i = 0; i < m; ++i) {
      if (i == leave || rows[i][enter] == 0) continue;
      const mpq_class factor = rows[i][enter];
      for (std::size_t j = 0; j <= last; ++j)
        if (rows[leave][j] != 0) rows[i][j] -= factor * rows[leave][j];
    }
    basis[leave] = enter;
  }
  Row x(columns);
  for (std::size_t i = 0; i < m; ++i) {
    if (basis[i] < columns)
      x[basis[i]] = rows[i][last];
    else if (rows[i][last] != 0)
      return std::nullopt;
  }
  return x;
}

// The sets F are visited as the leaves of a binary tree: going down, index k is left out or pivoted in by a
// fraction-free Jordan step [Bareiss 1968] on integers, so that 2ⁿ sets cost about 2n · 2ⁿ operations. Below
// a zero pivot the leaves are treated one by one over the rationals.
class ExactEnumerator {
 public:
  explicit ExactEnumerator(const LcpProblem& problem)
      : n_(static_cast<std::size_t>(problem.q.size())), M_(n_), q_(n_) {
    for (std::size_t i = 0; i < n_; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      q_[i] = exact(problem.q[row]);
      for (std::size_t j = 0; j < n_; ++j)
        M_[i].push_back(exact(problem.M(row, static_cast<Eigen::Index>(j))));
    }
    // rows of [M | q] times a power of two: integers; z is the same, w keeps its sign
    tables_.assign(n_ + 1, std::vector<mpz_class>(n_ * (n_ + 1)));
    for (std::size_t i = 0; i < n_; ++i) {
      mpz_class factor = q_[i].get_den();
      for (const mpq_class& entry : M_[i])
        if (entry.get_den() > factor) factor = entry.get_den();
      for (std::size_t j = 0; j <= n_; ++j) {
        const mpq_class scaled = (j < n_ ? M_[i][j] : q_[i]) * factor;
        tables_[0][i * (n_ + 1) + j] = scaled.get_num();
      }
    }
  }

  std::vector<SolutionPiece> run() {
    descend(0, 0, 0, mpz_class(1), false);
    return std::move(pieces_);
  }

 private:
  void descend(std::size_t k, std::size_t level, std::uint32_t mask, const mpz_class& determinant,
               bool singular) {
    if (k == n_) return singular ? visit(mask) : visit_regular(mask, tables_[level], determinant);
    descend(k + 1, level, mask, determinant, singular);
    const std::uint32_t with_k = mask | (std::uint32_t{1} << k);
    const std::vector<mpz_class>& table = tables_[level];
    const std::size_t width = n_ + 1;
    if (singular || table[k * width + k] == 0) return descend(k + 1, level, with_k, determinant, true);
    std::vector<mpz_class>& next = tables_[level + 1];
    const mpz_class pivot = table[k * width + k];
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = k + 1; j < width; ++j) {
        mpz_class& entry = next[i * width + j];
        entry = table[i * width + j];
        if (i == k) continue;
        entry *= pivot;
        mpz_submul(entry.get_mpz_t(), table[i * width + k].get_mpz_t(), table[k * width + j].get_mpz_t());
        mpz_divexact(entry.get_mpz_t(), entry.get_mpz_t(), determinant.get_mpz_t());
      }
    descend(k + 1, level + 1, with_k, pivot, false);
  }

  // z_F = −t/determinant, w = t/determinant outside F, where t is the last column
  void visit_regular(std::uint32_t mask, const std::vector<mpz_class>& table, const mpz_class& determinant) {
    const int sign = sgn(determinant);
    for (std::size_t i = 0; i < n_; ++i)
      if (const int t = sgn(table[i * (n_ + 1) + n_]) * sign; (mask >> i & 1) ? t > 0 : t < 0) return;
    Row z(n_);
    for (std::size_t i = 0; i < n_; ++i)
      if (mask >> i & 1) {
        z[i] = mpq_class(-table[i * (n_ + 1) + n_], determinant);
        z[i].canonicalize();
      }
    record(mask, z, 0);
  }

  void visit(std::uint32_t mask) {
    check_interruption();
    members_.clear();
    for (std::size_t i = 0; i < n_; ++i)
      if (mask >> i & 1) members_.push_back(i);
    const std::size_t size = members_.size();
    Table rows(size, Row(size + 1));
    for (std::size_t a = 0; a < size; ++a) {
      for (std::size_t b = 0; b < size; ++b) rows[a][b] = M_[members_[a]][members_[b]];
      rows[a][size] = -q_[members_[a]];
    }
    const int rank = reduce(rows, size, pivot_columns_);
    if (rank < 0) return;
    Row z(n_);
    if (static_cast<std::size_t>(rank) == size) {
      for (std::size_t a = 0; a < size; ++a) {
        if (rows[a][size] < 0) return;
        z[members_[a]] = rows[a][size];
      }
      if (!w_nonnegative(z)) return;
    } else if (!find_point(rows, static_cast<std::size_t>(rank), z)) {
      return;
    }
    record(mask, z, static_cast<int>(size) - rank);
  }

  [[nodiscard]] bool w_nonnegative(const Row& z) const {
    for (std::size_t i = 0; i < n_; ++i) {
      mpq_class w = q_[i];
      for (const std::size_t j : members_) w += M_[i][j] * z[j];
      if (w < 0) return false;
    }
    return true;
  }

  // M_FF singular: a point z_F ≥ 0 of the reduced equations with w ≥ 0 outside F, by linear programming
  bool find_point(const Table& reduced, std::size_t rank, Row& z) const {
    const std::size_t size = members_.size(), outside = n_ - size, columns = size + outside;
    Table rows;
    for (std::size_t a = 0; a < rank; ++a) {
      Row row(columns + 1);
      std::copy(reduced[a].begin(), reduced[a].begin() + static_cast<std::ptrdiff_t>(size), row.begin());
      row[columns] = reduced[a][size];
      rows.push_back(std::move(row));
    }
    std::size_t slack = size;
    for (std::size_t i = 0; i < n_; ++i) {
      if (std::find(members_.begin(), members_.end(), i) != members_.end()) continue;
      Row row(columns + 1);
      for (std::size_t b = 0; b < size; ++b) row[b] = M_[i][members_[b]];
      row[slack++] = -1;
      row[columns] = -q_[i];
      rows.push_back(std::move(row));
    }
    const std::optional<Row> x = find_nonnegative(std::move(rows), columns);
    if (!x) return false;
    for (std::size_t b = 0; b < size; ++b) z[members_[b]] = (*x)[b];
    return true;
  }

  void record(std::uint32_t mask, const Row& z, int dimension) {
    for (std::size_t k = 0; k < points_.size(); ++k)
      if (points_[k] == z) {
        if (dimension <= pieces_[k].dimension) return;
        points_.erase(points_.begin() + static_cast<std::ptrdiff_t>(k));
        pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(k));
        break;
      }
    SolutionPiece piece;
    piece.dimension = dimension;
    piece.z.resize(static_cast<Eigen::Index>(n_));
    for (std::size_t i = 0; i < n_; ++i) {
      piece.positive.push_back(static_cast<char>(mask >> i & 1));
      piece.z[static_cast<Eigen::Index>(i)] = z[i].get_d();
    }
    points_.push_back(z);
    pieces_.push_back(std::move(piece));
  }

  std::size_t n_;
  Table M_;
  Row q_;
  std::vector<std::size_t> members_, pivot_columns_;
  std::vector<std::vector<mpz_class>> tables_;  // one per number of pivots done
  std::vector<Row> points_;
  std::vector<SolutionPiece> pieces_;
};

}  // namespace

std::vector<SolutionPiece> enumerate_exact(const LcpProblem& problem, int max_size) {
  problem.validate();
  require(problem.q.size() <= max_size && max_size <= 20, "enumerate_exact: n = {}, must be ≤ {} (2ⁿ sets).",
          problem.q.size(), std::min(max_size, 20));
  return ExactEnumerator(problem).run();
}

}  // namespace rigor
