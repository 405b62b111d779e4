#include "rigor/solvers/lcp/lemke.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/require.hpp"
#include "rigor/base/work.hpp"
#include "rigor/math/random.hpp"
#include "rigor/math/rank_one.hpp"

namespace rigor {
namespace {

constexpr double kPivotTolerance = 1e-10;  // relative to the entering column (equilibrated table)
constexpr double kZero = 1e-12;            // basic values below count as zero in the ratio test
constexpr double kTie = 1e-12;             // ratios closer than this tie
constexpr double kDrift = 1e-9;            // of equation (1), relative to the largest value
constexpr int kEver = 3;                   // number of the last path tried, which has no limit on its length
constexpr int kRepairs = 4;                // second starts where the end of the path is not a solution
constexpr double kPolishAbove = 1e-13;     // a residual below is not worth another factorisation

// One run of the method on the equilibrated problem. Variable ids: z_i = i, w_i = n + i, z0 = 2n.
class Run {
 public:
  Run(const LcpProblem& problem, const LemkeOptions& options, LemkeWorkspace& ws, LcpResult& result)
      : problem_(problem),
        M_(problem.M),
        q_(problem.q),
        options_(options),
        ws_(ws),
        result_(result),
        n_(static_cast<int>(q_.size())) {}

  void solve();

 private:
  [[nodiscard]] int constant() const { return n_ + 1; }
  [[nodiscard]] int perturbed() const { return n_ + 2; }
  [[nodiscard]] double scaled_q(int i) const { return q_[i] * ws_.scaling.row[i] / ws_.scaling.q_scale; }

  void start_cold(std::uint64_t seed, bool random_cover);
  [[nodiscard]] bool start_warm(std::uint64_t seed);
  void follow_path(int limit);
  void fill_column(int variable);
  [[nodiscard]] bool rebuild();
  void index_columns();
  [[nodiscard]] int find_first_row() const;
  [[nodiscard]] int find_leaving_row(int entering_column);
  void pivot(int row, int column);
  [[nodiscard]] bool has_drifted();
  void read_solution();
  void read_ray(int entering_column);
  double polish();

  const LcpProblem& problem_;
  const Eigen::MatrixXd& M_;
  const Eigen::VectorXd& q_;
  const LemkeOptions& options_;
  LemkeWorkspace& ws_;
  LcpResult& result_;
  const int n_;
};

// the column of a variable in  w − R M C z − d z0 = q
void Run::fill_column(int variable) {
  const auto& scaling = ws_.scaling;
  if (variable < n_) {
    ws_.column = -(M_.col(variable).cwiseProduct(scaling.row)) * scaling.column[variable];
  } else if (variable == 2 * n_) {
    ws_.column = -ws_.cover;
  } else {
    ws_.column.setZero(n_);
    ws_.column[variable - n_] = 1.0;
  }
}

void Run::index_columns() {
  ws_.column_of.assign(static_cast<std::size_t>(2 * n_ + 1), -1);
  for (int j = 0; j <= n_; ++j)
    ws_.column_of[static_cast<std::size_t>(ws_.nonbasic[static_cast<std::size_t>(j)])] = j;
}

void Run::start_cold(std::uint64_t seed, bool random_cover) {
  const auto& scaling = ws_.scaling;
  Random random(seed);
  ws_.cover.setOnes(n_);
  ws_.perturbation.resize(n_);
  for (int i = 0; i < n_; ++i) ws_.perturbation[i] = 1.0 + random.uniform();
  for (int i = 0; i < n_ && random_cover; ++i) ws_.cover[i] = 0.5 + random.uniform();
  for (int i = 0; i < n_; ++i) {
    double* row = ws_.table.data() + static_cast<std::ptrdiff_t>(i) * ws_.table.cols();
    for (int j = 0; j < n_; ++j) row[j] = M_(i, j) * scaling.row[i] * scaling.column[j];
    row[n_] = ws_.cover[i];
    row[constant()] = scaled_q(i);
    row[perturbed()] = ws_.perturbation[i];
    ws_.basic[static_cast<std::size_t>(i)] = n_ + i;
    ws_.nonbasic[static_cast<std::size_t>(i)] = i;
  }
  ws_.nonbasic[static_cast<std::size_t>(n_)] = 2 * n_;
  index_columns();
}

// Start from a given complementary basis B: cover and perturbation are chosen in the space of the basic
// variables, p_i = 1 where a value is negative, else small, so that z0 lifts all of them; then d = B p and r
// = B (p ∘ (1 + U)).
bool Run::start_warm(std::uint64_t seed) {
  for (int i = 0; i < n_; ++i) {
    const bool z_basic = ws_.start_basis[static_cast<std::size_t>(i)] != 0;
    ws_.basic[static_cast<std::size_t>(i)] = z_basic ? i : n_ + i;
    ws_.nonbasic[static_cast<std::size_t>(i)] = z_basic ? n_ + i : i;
  }
  ws_.nonbasic[static_cast<std::size_t>(n_)] = 2 * n_;
  ws_.cover.setZero(n_);
  ws_.perturbation.setZero(n_);
  if (!rebuild()) return false;
  Random random(seed);
  for (int i = 0; i < n_; ++i) {
    const double lift = ws_.table(i, constant()) < 0.0 ? 1.0 : 1e-3;
    const double nudge = lift * (1.0 + random.uniform());
    fill_column(ws_.basic[static_cast<std::size_t>(i)]);
    ws_.cover += lift * ws_.column;
    ws_.perturbation += nudge * ws_.column;
    ws_.table(i, n_) = lift;
    ws_.table(i, perturbed()) = nudge;
  }
  index_columns();
  return true;
}

// the table of the current basis from the data: x_B = B⁻¹ (q − N x_N)
bool Run::rebuild() {
  const double n = n_;
  if (!may_work(2.0 * n * n * n)) return false;
  ++result_.factorisations;
  auto B = ws_.lu.start(n_);
  for (int i = 0; i < n_; ++i) {
    fill_column(ws_.basic[static_cast<std::size_t>(i)]);
    B.col(i) = ws_.column;
  }
  if (!ws_.lu.factor() || ws_.lu.pivot_ratio() < 1e-15) return false;
  for (int j = 0; j <= n_; ++j) {
    fill_column(ws_.nonbasic[static_cast<std::size_t>(j)]);
    ws_.lu.solve_in_place(ws_.column);
    ws_.table.col(j) = -ws_.column;
  }
  for (int i = 0; i < n_; ++i) ws_.column[i] = scaled_q(i);
  ws_.lu.solve_in_place(ws_.column);
  ws_.table.col(constant()) = ws_.column;
  ws_.column = ws_.perturbation;
  ws_.lu.solve_in_place(ws_.column);
  ws_.table.col(perturbed()) = ws_.column;
  return ws_.table.allFinite();
}

// z0 enters and the row that needs it most leaves; ties by the perturbation
int Run::find_first_row() const {
  int row = -1;
  double most = 0.0;
  for (int i = 0; i < n_; ++i) {
    const double value = ws_.table(i, constant()), lift = ws_.table(i, n_);
    if (value >= 0.0 || lift <= 0.0) continue;
    const double need = -value / lift;
    const bool more = row < 0 || need > most * (1.0 + kTie);
    const bool tie = !more && need >= most * (1.0 - kTie) &&
                     ws_.table(i, perturbed()) / lift < ws_.table(row, perturbed()) / ws_.table(row, n_);
    if (more || tie) row = i;
    most = std::max(most, need);
  }
  return row;
}

// ratio test: −1 on a ray. Ties: z0 first, else the smallest ratio of the perturbation (the lexicographic
// rule)
int Run::find_leaving_row(int entering_column) {
  const double* table = ws_.table.data();
  const std::ptrdiff_t stride = ws_.table.cols();
  double largest = 1.0;
  for (int i = 0; i < n_; ++i) {
    ws_.direction[i] = -table[i * stride + entering_column];
    largest = std::max(largest, std::fabs(ws_.direction[i]));
  }
  const double least_pivot = kPivotTolerance * largest;
  const auto ratio = [&](int i) {
    const double value = table[i * stride + constant()];
    return (value < kZero ? 0.0 : value) / ws_.direction[i];
  };
  double theta = std::numeric_limits<double>::infinity();
  for (int i = 0; i < n_; ++i)
    if (ws_.direction[i] > least_pivot) theta = std::min(theta, ratio(i));
  if (std::isinf(theta)) return -1;

  int row = -1;
  double key = 0.0;
  const double limit = theta + kTie * (1.0 + theta);
  for (int i = 0; i < n_; ++i) {
    if (ws_.direction[i] <= least_pivot || ratio(i) > limit) continue;
    if (ws_.basic[static_cast<std::size_t>(i)] == 2 * n_) return i;
    const double candidate = table[i * stride + perturbed()] / ws_.direction[i];
    if (row < 0 || candidate < key) {
      key = candidate;
      row = i;
    }
  }
  return row;
}

void Run::pivot(int row, int column) {
  const Eigen::Index width = ws_.table.cols();
  double* source = ws_.table.data() + row * width;
  const double inverse = 1.0 / source[column];
  for (Eigen::Index j = 0; j < width; ++j) source[j] *= -inverse;
  source[column] = inverse;
  eliminate_rows(ws_.table.data(), n_, width, width, row, column);
  int& leaves = ws_.basic[static_cast<std::size_t>(row)];
  int& enters = ws_.nonbasic[static_cast<std::size_t>(column)];
  std::swap(leaves, enters);
  ws_.column_of[static_cast<std::size_t>(enters)] = column;
  ws_.column_of[static_cast<std::size_t>(leaves)] = -1;
  ++result_.iterations;
}

// does the table still satisfy (1) on the data?
bool Run::has_drifted() {
  ws_.values.setZero(2 * n_ + 1);
  for (int i = 0; i < n_; ++i) ws_.values[ws_.basic[static_cast<std::size_t>(i)]] = ws_.table(i, constant());
  const double largest = std::max(1.0, ws_.values.cwiseAbs().maxCoeff());
  ws_.column = ws_.scaling.column.cwiseProduct(ws_.values.head(n_));
  ws_.direction.noalias() = M_ * ws_.column;
  double worst = 0.0;
  for (int i = 0; i < n_; ++i) {
    const double gap = ws_.direction[i] * ws_.scaling.row[i] + ws_.cover[i] * ws_.values[2 * n_] +
                       scaled_q(i) - ws_.values[n_ + i];
    worst = std::max(worst, std::fabs(gap));
  }
  return !(worst <= kDrift * largest);
}

void Run::read_solution() {
  ws_.values.setZero(2 * n_ + 1);
  for (int i = 0; i < n_; ++i)
    if (const int variable = ws_.basic[static_cast<std::size_t>(i)]; variable < n_)
      ws_.values[variable] = std::max(0.0, ws_.table(i, constant()));
  result_.z.resize(n_);
  for (int i = 0; i < n_; ++i) result_.z[i] = ws_.scaling.q_scale * ws_.scaling.column[i] * ws_.values[i];
}

// growth of z along the ray; the entering variable grows with rate 1
void Run::read_ray(int entering_column) {
  result_.ray.setZero(n_);
  for (int i = 0; i < n_; ++i)
    if (const int variable = ws_.basic[static_cast<std::size_t>(i)]; variable < n_)
      result_.ray[variable] = std::max(0.0, ws_.table(i, entering_column));
  if (const int entering = ws_.nonbasic[static_cast<std::size_t>(entering_column)]; entering < n_)
    result_.ray[entering] = 1.0;
  result_.ray = result_.ray.cwiseProduct(ws_.scaling.column);
}

// solve M_FF z_F = −q_F afresh for the final basis, with one refinement, and keep it if the residual is
// smaller
double Run::polish() {
  const double q_scale = residual_scale(q_);
  ws_.column.noalias() = M_ * result_.z;
  ws_.column += q_;
  const double before = natural_residual(result_.z, ws_.column, q_scale);
  if (before <= kPolishAbove) return before;
  int size = 0;
  for (int i = 0; i < n_; ++i)
    if (ws_.basic[static_cast<std::size_t>(i)] < n_) ++size;
  const auto row_of = [&](int variable) { return ws_.scaling.row[variable]; };
  auto B = ws_.lu.start(size);
  auto& z_of = ws_.column_of;  // the tableau does not need it any more: from here on the variables of F
  z_of.clear();
  for (int i = 0; i < n_; ++i)
    if (const int variable = ws_.basic[static_cast<std::size_t>(i)]; variable < n_) z_of.push_back(variable);
  for (int a = 0; a < size; ++a)
    for (int b = 0; b < size; ++b) {
      const int i = z_of[static_cast<std::size_t>(a)], j = z_of[static_cast<std::size_t>(b)];
      B(a, b) = M_(i, j) * row_of(i) * ws_.scaling.column[j];
    }
  ++result_.factorisations;
  const double work = size;
  if (!may_work(work * work * work / 3.0) || !ws_.lu.factor()) return before;
  ws_.values.setZero(2 * n_ + 1);
  for (int round = 0; round < 2; ++round) {
    ws_.column = ws_.scaling.q_scale * ws_.scaling.column.cwiseProduct(ws_.values.head(n_));
    ws_.direction.noalias() = M_ * ws_.column;
    ws_.direction += q_;
    auto rhs = ws_.direction.head(size);
    for (int a = 0; a < size; ++a) {
      const int i = z_of[static_cast<std::size_t>(a)];
      ws_.column[a] = -ws_.direction[i] * row_of(i) / ws_.scaling.q_scale;
    }
    rhs = ws_.column.head(size);
    ws_.lu.solve_in_place(rhs);
    for (int a = 0; a < size; ++a) ws_.values[z_of[static_cast<std::size_t>(a)]] += rhs[a];
  }
  ws_.values.head(n_) = ws_.values.head(n_).cwiseMax(0.0);
  ws_.values.head(n_) = ws_.scaling.q_scale * ws_.scaling.column.cwiseProduct(ws_.values.head(n_));
  ws_.column = ws_.values.head(n_);
  ws_.direction.noalias() = M_ * ws_.column;
  ws_.direction += q_;
  const double after = natural_residual(ws_.column, ws_.direction, q_scale);
  if (!(after < before)) return before;
  result_.z = ws_.column;
  return after;
}

// from the present table to the end of the path, or until `limit` pivots are done in all
void Run::follow_path(int limit) {
  int column = n_;
  int row = find_first_row();
  result_.status = row < 0 ? Status::kSolved : Status::kIterationLimit;
  bool fresh = false;  // the table was just rebuilt
  const double turn = static_cast<double>(n_) * n_;
  while (row >= 0) {
    const int leaving = ws_.basic[static_cast<std::size_t>(row)];
    pivot(row, column);
    fresh = false;
    if (leaving == 2 * n_) {
      result_.status = Status::kSolved;
      break;
    }
    if (result_.iterations >= limit || !may_work(turn)) break;
    if (result_.iterations % options_.check_interval == 0 && has_drifted()) {
      fresh = rebuild();
      if (!fresh) {
        result_.status = Status::kNumericalTrouble;
        break;
      }
    }
    // the complement of what left enters
    column = ws_.column_of[static_cast<std::size_t>(leaving < n_ ? leaving + n_ : leaving - n_)];
    row = find_leaving_row(column);
    // a ray is accepted only on a table that was just computed from the data
    if (!fresh && row < 0 && rebuild()) row = find_leaving_row(column);
    if (row < 0) {
      result_.status = Status::kRay;
      read_ray(column);
    }
  }
  read_solution();
}

void Run::solve() {
  ws_.scaling.compute(problem_, options_.equilibrate);
  ws_.table.resize(n_, n_ + 3);
  (void)ws_.lu.start(n_);  // room for any basis
  ws_.basic.resize(static_cast<std::size_t>(n_));
  ws_.nonbasic.resize(static_cast<std::size_t>(n_ + 1));
  ws_.direction.resize(n_);
  ws_.column.resize(n_);
  ws_.start_basis.resize(static_cast<std::size_t>(n_));

  if (!options_.basis.empty()) ws_.start_basis = options_.basis;
  if (options_.basis.empty() || !start_warm(options_.seed)) start_cold(options_.seed, options_.random_cover);
  // Path lengths vary tenfold with the cover: a long path is left for another one, the last one gets what
  // remains.
  const int total = options_.max_pivots > 0 ? options_.max_pivots : 50 * n_ + 1000;
  const int patience = 4 * n_ + 200;
  follow_path(std::min(total, patience));
  for (const int more : {1, 2, kEver}) {
    if (result_.status != Status::kIterationLimit || result_.iterations >= total || !may_work(0.0)) break;
    start_cold(options_.seed + static_cast<std::uint64_t>(more), true);
    follow_path(more == kEver ? total : std::min(total, result_.iterations + more * patience));
  }

  // An end that the data do not confirm: the last basis is nearly right, so start again from it; then by
  // another path.
  for (int repair = 1;
       result_.status == Status::kSolved && polish() > options_.tolerance && repair <= kRepairs; ++repair) {
    for (int i = 0; i < n_; ++i) ws_.start_basis[static_cast<std::size_t>(i)] = 0;
    for (const int variable : ws_.basic)
      if (variable < n_) ws_.start_basis[static_cast<std::size_t>(variable)] = 1;
    const auto seed = options_.seed + static_cast<std::uint64_t>(repair);
    if (repair == kRepairs || !start_warm(seed)) start_cold(seed, true);
    follow_path(std::max(total, result_.iterations + patience));
  }
}

}  // namespace

void solve_lemke(const LcpProblem& problem, const LemkeOptions& options, LemkeWorkspace& workspace,
                 LcpResult& result) {
  require(options.max_pivots >= 0, "LemkeOptions::max_pivots = {}, must be ≥ 0 (0: chosen by size).",
          options.max_pivots);
  require(options.check_interval > 0, "LemkeOptions::check_interval = {}, must be > 0.",
          options.check_interval);
  require(options.basis.empty() || static_cast<Eigen::Index>(options.basis.size()) == problem.q.size(),
          "LemkeOptions::basis has {} entries, must have 0 or {}.", options.basis.size(), problem.q.size());
  result.solver = "lemke";
  Run(problem, options, workspace, result).solve();
}

}  // namespace rigor
