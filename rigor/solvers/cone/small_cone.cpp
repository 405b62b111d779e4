#include "rigor/solvers/cone/small_cone.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "rigor/solvers/cone/cone_local.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define RIGOR_HAVE_AVX 1
#endif

namespace rigor {
namespace {

constexpr int kMaxSmallNewton = 10;
constexpr double kRoughSweeps = 1e-2;  // of local solves, after which Newton's method begins
constexpr double kCompliance = 1e-10;  // of the contact's own diagonal

// Four doubles of a row. Lane by lane, without fused multiply-add: the same bits with and without AVX.
typedef double Lanes __attribute__((vector_size(32), may_alias));
typedef double UnalignedLanes __attribute__((vector_size(32), may_alias, aligned(8)));
#define RIGOR_INLINE inline __attribute__((always_inline))

/// One problem of N = 3 contacts rows, rows padded to whole registers; column N is the right side.
template <int contacts>
struct Small {
  static constexpr int N = 3 * contacts, stride = (N + 1 + 3) / 4 * 4, lanes = stride / 4;
  alignas(32) double W[N][stride];   // rows
  alignas(32) double Wt[N][stride];  // columns
  alignas(32) double q[stride];
  alignas(32) double u[stride];
  alignas(32) double A[N][stride];
  double mu[contacts], rho[contacts], divisor;
  ConeLocal local[contacts];
};

template <int contacts>
void load(const SparseConeProblem& problem, Small<contacts>& s) {
  using S = Small<contacts>;
  std::fill_n(&s.W[0][0], S::N * S::stride, 0.0);
  std::fill_n(&s.Wt[0][0], S::N * S::stride, 0.0);
  std::fill_n(s.q, S::stride, 0.0);
  std::copy_n(problem.q.data(), S::N, s.q);
  for (std::size_t i = 0; i < contacts; ++i) {
    s.mu[i] = problem.mu[static_cast<Eigen::Index>(i)];
    for (int k = problem.pattern.begin[i]; k < problem.pattern.begin[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(problem.pattern.column[static_cast<std::size_t>(k)]);
      const Block3& block = problem.values[static_cast<std::size_t>(k)];
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b)
          s.W[3 * i + a][3 * j + b] = s.Wt[3 * j + b][3 * i + a] =
              block(static_cast<int>(a), static_cast<int>(b));
      if (j != i) continue;
      const double trace = block(0, 0) + block(1, 1) + block(2, 2);
      s.rho[i] = trace > 0.0 ? 3.0 / trace : 1.0;
    }
    s.local[i].prepare({static_cast<int>(3 * i), 3, s.mu[i]}, &s.W[3 * i][3 * i], S::stride);
  }
  const double norm = problem.q.norm();
  s.divisor = norm > 0.0 ? norm : 1.0;
}

// u = W r + q, then the residual
template <int contacts>
RIGOR_INLINE double judge(Small<contacts>& s, const double* r) {
  using S = Small<contacts>;
  Lanes* const u = reinterpret_cast<Lanes*>(s.u);
  const Lanes* const q = reinterpret_cast<const Lanes*>(s.q);
  for (int l = 0; l < S::lanes; ++l) {
    Lanes sum = q[l];
    for (int j = 0; j < S::N; ++j) sum += reinterpret_cast<const Lanes*>(s.Wt[j])[l] * r[j];
    u[l] = sum;
  }
  double sum = 0.0;
  for (int i = 0; i < contacts; ++i)
    sum += squared_block_residual({0, 3, s.mu[i]}, false, r + 3 * i, s.u + 3 * i);
  const double residual = std::sqrt(sum) / s.divisor;
  return std::isfinite(residual) ? residual : std::numeric_limits<double>::infinity();
}

// The rows of the Newton system of contact i, right side in column N.
template <int contacts>
RIGOR_INLINE void fill_contact(Small<contacts>& s, const double* r, int i) {
  using S = Small<contacts>;
  const double rho = s.rho[i], mu = s.mu[i], soft = kCompliance / rho;
  const double* const R = r + 3 * i;
  const double* const U = s.u + 3 * i;
  double* const row[3] = {s.A[3 * i], s.A[3 * i + 1], s.A[3 * i + 2]};
  const Lanes* const w[3] = {reinterpret_cast<const Lanes*>(s.W[3 * i]),
                             reinterpret_cast<const Lanes*>(s.W[3 * i + 1]),
                             reinterpret_cast<const Lanes*>(s.W[3 * i + 2])};
  const double t_N = R[0] - rho * U[0], x = R[1] - rho * U[1], y = R[2] - rho * U[2];
  if (t_N <= 0.0) {
    for (int k = 0; k < 3; ++k) {
      std::fill_n(row[k], S::stride, 0.0);
      row[k][3 * i + k] = 1.0;
      row[k][S::N] = -R[k];
    }
    return;
  }
  const double radius = mu * t_N, length = std::sqrt(x * x + y * y);
  const int plain = length <= radius ? 3 : 1;
  for (int k = 0; k < plain; ++k) {
    for (int l = 0; l < S::lanes; ++l) reinterpret_cast<Lanes*>(row[k])[l] = w[k][l];
    row[k][3 * i + k] += soft;
    row[k][S::N] = -U[k];
  }
  if (plain == 3) return;
  const double dx = x / length, dy = y / length, k = radius / length;
  const double xx = k * (1.0 - dx * dx), xy = -k * dx * dy, yy = k * (1.0 - dy * dy);
  const double ax = rho * xx, axy = rho * xy, ay = rho * yy, nx = mu * rho * dx, ny = mu * rho * dy;
  for (int l = 0; l < S::lanes; ++l) {
    reinterpret_cast<Lanes*>(row[1])[l] = ax * w[1][l] + axy * w[2][l] + nx * w[0][l];
    reinterpret_cast<Lanes*>(row[2])[l] = axy * w[1][l] + ay * w[2][l] + ny * w[0][l];
  }
  row[1][3 * i] -= mu * dx;
  row[2][3 * i] -= mu * dy;
  row[1][3 * i + 1] += 1.0 - xx;
  row[1][3 * i + 2] -= xy;
  row[2][3 * i + 1] -= xy;
  row[2][3 * i + 2] += 1.0 - yy;
  row[1][S::N] = -(R[1] - radius * dx);
  row[2][S::N] = -(R[2] - radius * dy);
}

// Columns k of which k + 1 is in the lanes `lane`: what is left of the rows is known when this is compiled.
template <int contacts, int lane>
RIGOR_INLINE bool eliminate_columns(double** row, double* inverse) {
  using S = Small<contacts>;
  for (int k = std::max(0, 4 * lane - 1); k < std::min(S::N, 4 * lane + 3); ++k) {
    int pivot = k;
    for (int i = k + 1; i < S::N; ++i)
      if (std::fabs(row[i][k]) > std::fabs(row[pivot][k])) pivot = i;
    std::swap(row[k], row[pivot]);
    if (!(std::fabs(row[k][k]) > 1e-300)) return false;
    inverse[k] = 1.0 / row[k][k];
    Lanes from[S::lanes - lane];
    for (int l = lane; l < S::lanes; ++l) from[l - lane] = reinterpret_cast<const Lanes*>(row[k])[l];
    for (int i = k + 1; i < S::N; ++i) {
      const double factor = row[i][k] * inverse[k];
      if (factor == 0.0) continue;
      Lanes* const to = reinterpret_cast<Lanes*>(row[i]);
      for (int l = lane; l < S::lanes; ++l) to[l] -= factor * from[l - lane];
    }
  }
  if constexpr (lane + 1 < S::lanes) return eliminate_columns<contacts, lane + 1>(row, inverse);
  return true;
}

// Gaussian elimination with row pivoting; d solves A d = column N. False where a pivot vanishes.
template <int contacts>
RIGOR_INLINE bool eliminate(Small<contacts>& s, double* d) {
  using S = Small<contacts>;
  double* row[S::N];
  double inverse[S::N];
  for (int i = 0; i < S::N; ++i) row[i] = s.A[i];
  if (!eliminate_columns<contacts, 0>(row, inverse)) return false;
  for (int i = 0; i < S::N; ++i) d[i] = row[i][S::N];
  for (int k = S::N - 1; k >= 0; --k) {
    d[k] *= inverse[k];
    for (int i = 0; i < k; ++i) d[i] -= row[i][k] * d[k];
  }
  return true;
}

// One sweep of Gauss-Seidel. Column j of W has the three rows of contact i from 3 i on, and the next one.
template <int contacts>
RIGOR_INLINE void sweep(const Small<contacts>& s, double* r) {
  using S = Small<contacts>;
  for (int i = 0; i < contacts; ++i) {
    Lanes velocity = *reinterpret_cast<const UnalignedLanes*>(s.q + 3 * i);
    for (int j = 0; j < S::N; ++j)
      if (j / 3 != i) velocity += *reinterpret_cast<const UnalignedLanes*>(s.Wt[j] + 3 * i) * r[j];
    const double own[3] = {velocity[0], velocity[1], velocity[2]};
    (void)s.local[i].solve(own, false, r + 3 * i, kRoughSweeps);
  }
}

template <int contacts>
RIGOR_INLINE double iterate(Small<contacts>& s, double tolerance, int sweeps, double* r, double* best,
                            int& steps) {
  using S = Small<contacts>;
  for (int k = 0; k < sweeps; ++k) sweep(s, r);
  double d[S::N];
  double residual = judge(s, r), least = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= kMaxSmallNewton; ++k) {
    if (residual < least) {
      least = residual;
      std::copy_n(r, S::N, best);
    }
    if (least <= tolerance || k == kMaxSmallNewton || !(residual < std::numeric_limits<double>::infinity()))
      break;
    for (int i = 0; i < contacts; ++i) fill_contact(s, r, i);
    ++steps;
    if (!eliminate(s, d)) break;
    for (int i = 0; i < S::N; ++i) r[i] += d[i];
    residual = judge(s, r);
  }
  return least;
}

template <int contacts>
double iterate_plain(Small<contacts>& s, double tolerance, int sweeps, double* r, double* best, int& steps) {
  return iterate(s, tolerance, sweeps, r, best, steps);
}

#ifdef RIGOR_HAVE_AVX
template <int contacts>
__attribute__((target("avx"))) double iterate_avx(Small<contacts>& s, double tolerance, int sweeps, double* r,
                                                  double* best, int& steps) {
  return iterate(s, tolerance, sweeps, r, best, steps);
}

const bool have_avx = __builtin_cpu_supports("avx") != 0;
#endif

template <int contacts>
bool solve_size(const SparseConeProblem& problem, double tolerance, bool sweeps, Eigen::VectorXd& r,
                double& residual, SmallConeCounts& counts) {
  using S = Small<contacts>;
  S s;
  load(problem, s);
  double x[S::N], best[S::N];
  std::copy_n(r.data(), S::N, x);
  const int sweep_count = sweeps ? 2 : 0;
  counts.sweeps += sweep_count;
#ifdef RIGOR_HAVE_AVX
  residual = have_avx ? iterate_avx(s, tolerance, sweep_count, x, best, counts.newton_steps)
                      : iterate_plain(s, tolerance, sweep_count, x, best, counts.newton_steps);
#else
  residual = iterate_plain(s, tolerance, sweep_count, x, best, counts.newton_steps);
#endif
  if (residual < std::numeric_limits<double>::infinity()) std::copy_n(best, S::N, r.data());
  return residual <= tolerance;
}

template <int contacts>
bool dispatch(const SparseConeProblem& problem, double tolerance, bool sweeps, Eigen::VectorXd& r,
              double& residual, SmallConeCounts& counts) {
  if (problem.contacts() == contacts)
    return solve_size<contacts>(problem, tolerance, sweeps, r, residual, counts);
  if constexpr (contacts < kSmallCone)
    return dispatch<contacts + 1>(problem, tolerance, sweeps, r, residual, counts);
  assert(false && "solve_small_cone: too many contacts");
  return false;
}

}  // namespace

bool solve_small_cone(const SparseConeProblem& problem, double tolerance, bool sweeps, Eigen::VectorXd& r,
                      double& residual, SmallConeCounts& counts) {
  return dispatch<1>(problem, tolerance, sweeps, r, residual, counts);
}

}  // namespace rigor
