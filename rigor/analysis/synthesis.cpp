#include "rigor/analysis/synthesis.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/math/limits.hpp"
#include "rigor/math/orthogonal_factor.hpp"
#include "rigor/math/orthogonal_solve.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kFeasible = 1e-9;  // of the scale: a bound that is missed by less holds

// Unknowns v of one branch, E v = e what is left of the balance without free forces, and the rows s = r + R v
// of the cones and bounds: half-lines first.
struct Branch {
  Matrix E, R;
  Vector e, r;
  Matrix Z;  // n x motions that free forces do no work on
  std::vector<int> cones;
  Eigen::Index half_lines{0};
  std::vector<Eigen::Index> first;  // of each block of the ForceSet among v, −1 where it is eliminated
  Eigen::Index actuators{0};        // first unknown of the actuators, √w u
  double load{0.0};                 // size of the load, and of the forces that it alone asks for
  double natural{0.0};
  std::vector<char> is_idle;  // per unknown: of a block that moves nothing
};

// Whether a free block is the force of a bilateral contact that may not exceed some size.
bool is_boxed(const AccelerationProblem& problem, const ForceBlock& block) {
  return block.is_free && block.contact >= 0 && block.columns.cols() == 1 &&
         problem.contacts[static_cast<std::size_t>(block.contact)].normal_max < kInfinity;
}

// Forces on the coordinates of the unknowns, and of those that are eliminated.
struct BranchColumns {
  std::vector<Vector> own, free;
};

// Unknowns: |λn|, λt of cones, forces with bounds, then actuators; free ones are eliminated.
BranchColumns choose_unknowns(const AccelerationProblem& problem, const ForceSet& set, Branch& branch) {
  BranchColumns columns;
  for (const ForceBlock& block : set.blocks()) {
    const Eigen::Index k =
        block.is_cone() ? block.columns.cols() : std::min<Eigen::Index>(1, block.columns.cols());
    if (block.is_free && !is_boxed(problem, block)) {
      for (Eigen::Index j = 0; j < block.columns.cols(); ++j) columns.free.push_back(block.columns.col(j));
      branch.first.push_back(-1);
      continue;
    }
    branch.first.push_back(static_cast<Eigen::Index>(columns.own.size()));
    const bool is_idle = block.columns.leftCols(k).isZero(0.0);
    for (Eigen::Index j = 0; j < k; ++j) {
      columns.own.push_back(block.columns.col(j));
      branch.is_idle.push_back(is_idle);
    }
  }
  branch.actuators = static_cast<Eigen::Index>(columns.own.size());
  for (const Actuator& actuator : problem.actuators)
    columns.own.push_back(actuator.force / std::sqrt(actuator.weight));
  return columns;
}

// Rows constant + factors · unknowns.
struct AffineRows {
  std::vector<Vector> factors;
  std::vector<double> constants;

  void add(const Vector& row, double constant) {
    factors.push_back(row);
    constants.push_back(constant);
  }
};

// Bounds are half-lines, a cone keeps `margin` of normal force to spare.
void limit_contacts(const AccelerationProblem& problem, const ForceSet& set, double margin, Branch& branch,
                    AffineRows& half, AffineRows& conic) {
  const Eigen::Index size = branch.E.cols();
  for (std::size_t b = 0; b < set.blocks().size(); ++b) {
    const ForceBlock& block = set.blocks()[b];
    const Eigen::Index at = branch.first[b];
    if (at < 0) continue;
    const AccelerationContact& contact = problem.contacts[static_cast<std::size_t>(block.contact)];
    const Vector unit = Vector::Unit(size, at);
    if (contact.normal_max < kInfinity) half.add(-1.0 * unit, contact.normal_max);
    if (block.is_free)
      half.add(unit, contact.normal_max);
    else if (!block.is_cone())
      half.add(unit, -std::max(margin, contact.normal_min));
    if (!block.is_cone()) continue;
    if (contact.normal_min > margin) half.add(unit, -contact.normal_min);
    const double largest = std::max(1.0, block.mu);
    conic.add(block.mu / largest * unit, -margin * block.mu / largest);
    for (Eigen::Index j = 1; j < block.columns.cols(); ++j)
      conic.add(1.0 / largest * Vector::Unit(size, at + j), 0.0);
    branch.cones.push_back(static_cast<int>(block.columns.cols()));
  }
}

void limit_actuators(const AccelerationProblem& problem, const Branch& branch, AffineRows& half) {
  Eigen::Index at = branch.actuators;
  for (const Actuator& actuator : problem.actuators) {
    const double size = std::sqrt(actuator.weight);
    const Vector unit = Vector::Unit(branch.E.cols(), at++);
    if (actuator.min > -kInfinity) half.add(unit, -size * actuator.min);
    if (actuator.max < kInfinity) half.add(-1.0 * unit, size * actuator.max);
  }
}

// The balance on motions that free forces do not feel.
void reduce_balance(const BranchColumns& columns, const Vector& load, Branch& branch) {
  const Eigen::Index n = load.size();
  branch.Z = Matrix::Identity(n, n);
  if (!columns.free.empty()) {
    Matrix Free(n, static_cast<Eigen::Index>(columns.free.size()));
    for (std::size_t j = 0; j < columns.free.size(); ++j)
      Free.col(static_cast<Eigen::Index>(j)) = columns.free[j];
    OrthogonalFactor factor;
    factor.compute(Free, ForceSet::kRank);
    factor.compute_null_basis(branch.Z);
  }
  branch.E.resize(branch.Z.cols(), static_cast<Eigen::Index>(columns.own.size()));
  for (std::size_t j = 0; j < columns.own.size(); ++j)
    branch.E.col(static_cast<Eigen::Index>(j)) = branch.Z.transpose() * columns.own[j];
  branch.e = branch.Z.transpose() * load;
  branch.load = load.norm();
  double longest = 0.0;
  for (const std::vector<Vector>* list : {&columns.own, &columns.free})
    for (const Vector& column : *list) longest = std::max(longest, column.norm());
  branch.natural = longest > 0.0 ? branch.load / longest : 0.0;
}

Branch make_branch(const AccelerationProblem& problem, const ForceSet& set, double margin) {
  Branch branch;
  reduce_balance(choose_unknowns(problem, set, branch), set.load(), branch);
  AffineRows half, conic;
  limit_contacts(problem, set, margin, branch, half, conic);
  limit_actuators(problem, branch, half);
  branch.half_lines = static_cast<Eigen::Index>(half.factors.size());
  for (std::size_t i = 0; i < conic.factors.size(); ++i) half.add(conic.factors[i], conic.constants[i]);
  branch.R.resize(static_cast<Eigen::Index>(half.factors.size()), branch.E.cols());
  for (Eigen::Index i = 0; i < branch.R.rows(); ++i)
    branch.R.row(i) = half.factors[static_cast<std::size_t>(i)].transpose();
  branch.r = Eigen::Map<const Vector>(half.constants.data(), branch.R.rows());
  return branch;
}

// E v = e as v = v0 + N x; Q spans the rows of E and `lift` leads from Q's coordinates to motions.
struct Balance {
  Matrix Q, N, lift;
  Vector v0, left;
};

Balance solve_balance(const Branch& branch) {
  Balance balance;
  const Matrix& E = branch.E;
  Vector unit = E.rowwise().norm();
  const double size = E.size() > 0 ? E.cwiseAbs().maxCoeff() : 0.0;
  for (Eigen::Index i = 0; i < unit.size(); ++i)
    unit[i] = unit[i] > ForceSet::kRank * size ? 1.0 / unit[i] : 0.0;
  const PivotedFactor factor(E.transpose() * unit.asDiagonal(), ForceSet::kRank);
  const Eigen::Index rank = factor.rank();
  const Eigen::Index k = E.cols();
  if (rank == 0) {
    balance.Q.resize(k, 0);
    balance.N = Matrix::Identity(k, k);
    balance.lift.resize(branch.Z.rows(), 0);
    balance.v0 = Vector::Zero(k);
    balance.left = branch.Z * branch.e;
    return balance;
  }
  const Matrix all = factor.Q(k);
  balance.Q = all.leftCols(rank);
  balance.N = all.rightCols(k - rank);
  balance.v0 = balance.Q * factor.solve_transposed(unit.cwiseProduct(branch.e));
  balance.lift = branch.Z * (unit.asDiagonal() * factor.right_inverse());
  // what no force can balance, orthogonal to all columns
  Vector rest = branch.e - E * balance.v0;
  if (rest.norm() > ForceSet::kUnbalanced * branch.load) {
    OrthogonalFactor range;
    Matrix outside;
    range.compute(E, ForceSet::kRank);
    range.compute_null_basis(outside);
    rest = outside * (outside.transpose() * branch.e);
  }
  balance.left = branch.Z * rest;
  return balance;
}

struct BranchResult {
  Answer answer{Answer::kUndecided};
  Vector v;          // unknowns of the branch
  Vector motion;     // of (2) or (3)
  double cost{0.0};  // Σ w u²
};

// Where nothing is left to choose: the worst row of R v0 + r, and the multiplier that says so.
double find_worst_row(const Branch& branch, const Vector& s, Vector& z) {
  z = Vector::Zero(s.size());
  double worst = kInfinity;
  for (Eigen::Index i = 0; i < branch.half_lines; ++i)
    if (s[i] < worst) {
      worst = s[i];
      z = Vector::Unit(s.size(), i);
    }
  Eigen::Index at = branch.half_lines;
  for (const int size : branch.cones) {
    const Vector tail = s.segment(at + 1, size - 1);
    if (s[at] - tail.norm() < worst) {
      worst = s[at] - tail.norm();
      z.setZero();
      z[at] = 1.0;
      if (tail.norm() > 0.0) z.segment(at + 1, size - 1) = -tail.normalized();
    }
    at += size;
  }
  return worst;
}

// ½ ‖ũ‖² over v = v0 + N x, in units of the scale: start is v0.
ConicProgram make_branch_program(const Branch& branch, const Matrix& N, const Vector& start, double scale) {
  const Eigen::Index count = branch.E.cols() - branch.actuators;
  const Matrix Nu = N.cols() > 0 ? Matrix(N.bottomRows(count)) : Matrix(count, 0);
  ConicProgram program;
  program.A = -(branch.R * N);
  program.b = branch.r / scale + branch.R * start;
  program.half_lines = static_cast<int>(branch.half_lines);
  program.cones = branch.cones;
  program.P = Nu.transpose() * Nu;
  program.q = Nu.transpose() * start.tail(count);
  // forces that move nothing would grow without bound: least ones, which no other feels
  for (Eigen::Index j = 0; j < branch.actuators; ++j)
    if (branch.is_idle[static_cast<std::size_t>(j)]) program.P += N.row(j).transpose() * N.row(j);
  return program;
}

ConicResult solve_branch_program(const ConicProgram& program) {
  ConicResult solved = solve_conic(program);
  for (const double step : {0.9, 0.7}) {
    if (solved.status != ConicStatus::kNumericalTrouble) break;
    ConicResult again = solve_conic(program, {.max_iterations = 150, .step = step});
    if (again.residual < solved.residual || again.status != ConicStatus::kNumericalTrouble)
      solved = std::move(again);
  }
  return solved;
}

BranchResult solve_branch(const Branch& branch) {
  BranchResult result;
  Balance balance = solve_balance(branch);
  if (balance.left.norm() > ForceSet::kUnbalanced * branch.load) {
    result.answer = Answer::kNo;
    result.motion = -balance.left / balance.left.squaredNorm();
    return result;
  }
  // free forces may carry all of the load: then what is left for the others is rounding
  if (balance.v0.norm() <= 1e-12 * branch.natural) balance.v0.setZero();
  double scale = balance.v0.norm();
  for (Eigen::Index i = 0; i < branch.r.size(); ++i) scale = std::max(scale, -branch.r[i]);
  if (!(scale > 0.0)) scale = branch.natural > 0.0 ? branch.natural : 1.0;
  const Vector start = balance.v0 / scale;
  const ConicProgram program = make_branch_program(branch, balance.N, start, scale);
  Vector z;
  if (balance.N.cols() == 0) {
    const double worst = find_worst_row(branch, program.b, z);
    result.answer = worst > kFeasible ? Answer::kYes : worst > -kFeasible ? Answer::kUndecided : Answer::kNo;
    if (worst > -1e-13) result.answer = Answer::kYes;
    result.v = balance.v0;
    if (result.answer == Answer::kYes) z.setZero();
  } else {
    const ConicResult solved = solve_branch_program(program);
    z = solved.z;
    if (solved.status == ConicStatus::kInfeasible)
      result.answer = Answer::kNo;
    else if (solved.status == ConicStatus::kSolved || solved.residual < 1e-7)
      result.answer = Answer::kYes;
    if (result.answer == Answer::kYes) result.v = scale * (start + balance.N * solved.x);
  }
  // y from Eᵀ y = Rᵀ z (less the gradient of the cost where there is one)
  Vector gradient = branch.R.transpose() * z;
  if (result.answer == Answer::kYes) {
    const Eigen::Index count = branch.E.cols() - branch.actuators;
    gradient = scale * gradient;
    gradient.tail(count) -= result.v.tail(count);
    result.cost = result.v.tail(count).squaredNorm();
  }
  result.motion = balance.lift * (balance.Q.transpose() * gradient);
  return result;
}

class Search {
 public:
  Search(const AccelerationProblem& problem, const SynthesisOptions& options)
      : problem_(problem), options_(options), set_(problem, FrictionKind::kCones) {}

  Synthesis run() {
    if (!set_.is_consistent()) {
      best_.answer = Answer::kNo;
      best_.contradiction = set_.decide().contradiction;
      return best_;
    }
    if (sticks_already()) return best_;
    best_.cost = kInfinity;
    std::vector<int> signs(problem_.contacts.size(), 0);
    branch(signs, 0);
    if (best_.answer == Answer::kYes) {
      best_.proofs.clear();
      best_.cost = std::sqrt(best_.cost);
    } else {
      best_.cost = 0.0;
      best_.answer = undecided_ || best_.proofs.empty() ? Answer::kUndecided : Answer::kNo;
    }
    return best_;
  }

 private:
  // u = 0 where it is allowed and enough
  bool sticks_already() {
    if (options_.margin > 0.0) return false;
    for (const Actuator& actuator : problem_.actuators)
      if (actuator.min > 0.0 || actuator.max < 0.0) return false;
    for (const AccelerationContact& contact : problem_.contacts)
      if (contact.normal_min > 0.0 || contact.normal_max < kInfinity) return false;
    const StickingAnswer now = set_.decide();
    if (now.answer != Answer::kYes) return false;
    best_.answer = Answer::kYes;
    best_.change = Vector::Zero(static_cast<Eigen::Index>(problem_.actuators.size()));
    best_.acceleration = now.acceleration;
    best_.forces = now.forces;
    best_.signs = now.signs;
    best_.motion = Vector::Zero(problem_.size());
    best_.violation = measure();
    if (best_.violation <= 1e-7) return true;
    best_ = Synthesis{};
    return false;
  }

  void branch(std::vector<int>& signs, std::size_t at) {
    while (at < signs.size() && !set_.needs_sign(at)) ++at;
    const ForceSet forces = set_.make_force_set(signs);
    const Branch own = make_branch(problem_, forces, options_.margin);
    BranchResult result = solve_branch(own);
    if (result.answer == Answer::kNo && !check_synthesis(problem_, result.motion, signs, options_).holds)
      result.answer = Answer::kUndecided;
    if (result.answer == Answer::kNo) {
      best_.proofs.push_back({signs, result.motion});
      return;
    }
    if (result.answer == Answer::kYes && !std::isfinite(result.cost)) result.answer = Answer::kUndecided;
    // not better than what is there: nothing below is
    if (result.answer == Answer::kYes && result.cost >= best_.cost) return;
    if (at < signs.size()) {
      for (const int sign : {1, -1}) {
        signs[at] = sign;
        branch(signs, at + 1);
      }
      signs[at] = 0;
      return;
    }
    if (result.answer == Answer::kUndecided) {
      undecided_ = true;
      return;
    }
    keep(forces, own, result, signs);
  }

  // Free forces follow from the others: those of least norm.
  void keep(const ForceSet& forces, const Branch& own, const BranchResult& result,
            const std::vector<int>& signs) {
    const Synthesis before = best_;
    best_.answer = Answer::kYes;
    best_.cost = result.cost;
    best_.signs = signs;
    best_.motion = result.motion;
    const auto count = static_cast<Eigen::Index>(problem_.actuators.size());
    best_.change.resize(count);
    Vector left = forces.load();
    for (Eigen::Index j = 0; j < count; ++j) {
      const Actuator& actuator = problem_.actuators[static_cast<std::size_t>(j)];
      best_.change[j] = result.v[own.actuators + j] / std::sqrt(actuator.weight);
      left -= best_.change[j] * actuator.force;
    }
    Vector all = Vector::Zero(forces.size());
    std::vector<Eigen::Index> unknown;
    for (std::size_t b = 0; b < forces.blocks().size(); ++b) {
      const ForceBlock& block = forces.blocks()[b];
      if (own.first[b] < 0) {
        for (Eigen::Index j = 0; j < block.columns.cols(); ++j) unknown.push_back(forces.first_of(b) + j);
        continue;
      }
      const Eigen::Index k = block.is_cone() ? block.columns.cols() : 1;
      all.segment(forces.first_of(b), k) = result.v.segment(own.first[b], k);
      left -= block.columns.leftCols(k) * all.segment(forces.first_of(b), k);
    }
    if (!unknown.empty()) {
      Matrix Free(problem_.size(), static_cast<Eigen::Index>(unknown.size()));
      Eigen::Index at = 0;
      for (std::size_t b = 0; b < forces.blocks().size(); ++b) {
        if (own.first[b] >= 0) continue;
        const Matrix& columns = forces.blocks()[b].columns;
        Free.middleCols(at, columns.cols()) = columns;
        at += columns.cols();
      }
      OrthogonalFactor factor;
      Vector free;
      factor.compute(Free, ForceSet::kRank);
      factor.solve(left, free);
      for (std::size_t j = 0; j < unknown.size(); ++j) all[unknown[j]] = free[static_cast<Eigen::Index>(j)];
    }
    best_.acceleration = set_.acceleration_of(all);
    best_.forces.clear();
    for (std::size_t i = 0; i < problem_.contacts.size(); ++i)
      best_.forces.push_back(
          forces.contact_force(static_cast<int>(i), all, 1 + problem_.contacts[i].tangents()));
    best_.violation = measure();
    if (best_.violation <= 1e-7) return;
    best_ = before;
    undecided_ = true;
  }

  // Balance, cones and bounds of best_, each over the size of the forces.
  [[nodiscard]] double measure() const {
    Vector sum = problem_.M * best_.acceleration + problem_.F;
    double size = problem_.F.norm(), most = 1e-300, worst = 0.0;
    if (problem_.size() > 0)
      size = std::max(size, problem_.M.cwiseAbs().maxCoeff() * best_.acceleration.norm());
    for (std::size_t j = 0; j < problem_.actuators.size(); ++j) {
      const Actuator& actuator = problem_.actuators[j];
      const double u = best_.change[static_cast<Eigen::Index>(j)];
      sum -= u * actuator.force;
      size = std::max(size, std::abs(u) * actuator.force.norm());
      most = std::max(most, std::abs(u));
      worst = std::max({worst, actuator.min - u, u - actuator.max});
    }
    for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
      const AccelerationContact& contact = problem_.contacts[i];
      const Vector& force = best_.forces[i];
      const Vector acting =
          contact.normal * force[0] + contact.tangent.transpose() * force.tail(contact.tangents());
      sum -= acting;
      size = std::max({size, contact.normal.norm() * std::abs(force[0]),
                       contact.tangent.norm() * force.tail(contact.tangents()).norm()});
      most = std::max(most, force.norm());
      const double normal = contact.is_unilateral() ? force[0] : std::abs(force[0]);
      worst = std::max({worst, contact.normal_min - normal, normal - contact.normal_max});
      if (contact.has_cone())
        worst =
            std::max(worst, force.tail(contact.tangents()).norm() - contact.mu * (normal - options_.margin));
    }
    return std::max(worst / most, sum.norm() / (1e-300 + size));
  }

  const AccelerationProblem& problem_;
  const SynthesisOptions& options_;
  StickingSet set_;
  Synthesis best_;
  bool undecided_{false};
};

// min over |λn| in [low, high] of |λn| g; what has no bound must not gain.
long double least_work(long double g, double low, double high, long double& outside) {
  if (g >= 0.0L) return low * g;
  if (high < kInfinity) return high * g;
  outside = std::max(outside, -g);
  return low * g;
}

long double dot(const Vector& a, const Vector& b) {
  long double sum = 0.0L;
  for (Eigen::Index i = 0; i < a.size(); ++i) sum += static_cast<long double>(a[i]) * b[i];
  return sum;
}

// Accelerations that closed and sticking contacts hold at zero.
AffineRows collect_closed_rows(const AccelerationProblem& problem) {
  AffineRows closed;
  for (const AccelerationContact& contact : problem.contacts) {
    closed.add(contact.normal, contact.normal_bias);
    if (contact.slides()) continue;
    for (Eigen::Index k = 0; k < contact.tangents(); ++k)
      closed.add(contact.tangent.row(k).transpose(), contact.tangent_bias[k]);
  }
  return closed;
}

// Adds the least work that a contact's forces can do on the motion y.
void add_contact_work(const AccelerationContact& contact, const Vector& y, int sign, double margin,
                      long double& work, long double& outside) {
  const long double normal = dot(contact.normal, y);
  long double squared = 0.0L, along = 0.0L;
  for (Eigen::Index k = 0; k < contact.tangents(); ++k) {
    const long double rate = dot(contact.tangent.row(k).transpose(), y);
    squared += rate * rate;
    if (contact.slides()) along += rate * contact.slip[k];
  }
  const bool has_friction = contact.tangents() > 0 && contact.mu > 0.0;
  const long double slip =
      !has_friction ? 0.0L : contact.mu * (contact.slides() ? along : std::sqrt(squared));
  const double low = std::max(0.0, contact.normal_min - margin);
  const double high = contact.normal_max - margin;
  if (contact.is_unilateral()) {
    work += margin * normal - (contact.slides() ? margin * slip : 0.0L);
    work += least_work(normal - slip, low, high, outside);
  } else if (!has_friction) {
    work += least_work(-std::abs(normal), 0.0, contact.normal_max, outside);
  } else if (sign != 0) {
    work += margin * (sign * normal - (contact.slides() ? slip : 0.0L));
    work += least_work(sign * normal - slip, low, high, outside);
  } else if (contact.slides()) {
    // either sign: the worse one, without bounds
    work += least_work(std::min(normal, -normal) - slip, 0.0, kInfinity, outside);
  } else {
    outside = std::max({outside, std::abs(normal), std::sqrt(squared)});
  }
}

// Accelerations and forces that the load and the biases ask for.
struct TypicalSizes {
  double acceleration{0.0}, force{0.0};
};

TypicalSizes find_typical_sizes(const AccelerationProblem& problem, const AffineRows& closed, double margin) {
  TypicalSizes typical;
  const double mass = problem.size() > 0 ? problem.M.cwiseAbs().maxCoeff() : 0.0;
  for (std::size_t r = 0; r < closed.factors.size(); ++r)
    if (const double bias = closed.constants[r]; bias != 0.0)
      typical.acceleration =
          std::max(typical.acceleration, std::abs(bias) / (1e-300 + closed.factors[r].norm()));
  double column = 0.0;
  for (const AccelerationContact& contact : problem.contacts)
    column = std::max(column, contact.normal.norm());
  for (const Actuator& actuator : problem.actuators) column = std::max(column, actuator.force.norm());
  typical.force = column > 0.0 ? (problem.F.norm() + mass * typical.acceleration) / column : 0.0;
  if (mass > 0.0) typical.acceleration += problem.F.norm() / mass;
  typical.force += margin;
  for (const AccelerationContact& contact : problem.contacts) typical.force += contact.normal_min;
  for (const Actuator& actuator : problem.actuators)
    typical.force += std::max({0.0, actuator.min, -actuator.max});
  return typical;
}

}  // namespace

Synthesis find_least_change(const AccelerationProblem& problem, const SynthesisOptions& options) {
  require(options.margin >= 0.0 && std::isfinite(options.margin),
          "SynthesisOptions::margin = {} N, must be finite and ≥ 0.", options.margin);
  for (const AccelerationContact& contact : problem.contacts)
    require(contact.normal_max >= options.margin || !contact.is_unilateral(),
            "contact \"{}\": normal_max = {} N, must be ≥ the margin of {} N.", contact.name,
            contact.normal_max, options.margin);
  return Search(problem, options).run();
}

SynthesisCheck check_synthesis(const AccelerationProblem& problem, const Vector& y,
                               const std::vector<int>& signs, const SynthesisOptions& options) {
  SynthesisCheck check;
  if (y.size() != problem.size() || !y.allFinite()) return check;
  long double work = 0.0L, outside = 0.0L;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    add_contact_work(problem.contacts[i], y, signs.empty() ? 0 : signs[i], options.margin, work, outside);
  long double excess = work, bound = work;
  for (const Actuator& actuator : problem.actuators) {
    const long double rate = dot(actuator.force, y);
    // ½ w u² + u rate is least at −rate / w, or at an end
    const double best = std::clamp(static_cast<double>(-rate / actuator.weight), actuator.min, actuator.max);
    bound += 0.5L * actuator.weight * best * best + best * rate;
    const double end = rate >= 0.0L ? actuator.min : actuator.max;
    if (std::isfinite(end))
      excess += end * rate;
    else
      outside = std::max(outside, std::abs(rate));
  }
  // inertia as far as the closed rows prevent it, and the biases that go with it
  const AffineRows closed = collect_closed_rows(problem);
  Matrix Jt(problem.size(), static_cast<Eigen::Index>(closed.factors.size()));
  for (std::size_t r = 0; r < closed.factors.size(); ++r)
    Jt.col(static_cast<Eigen::Index>(r)) = closed.factors[r];
  const Vector My = problem.M * y;
  Vector w = Vector::Zero(Jt.cols());
  if (Jt.size() > 0) w = solve_least_norm(Jt, My);
  long double load = dot(problem.F, y);
  for (std::size_t r = 0; r < closed.constants.size(); ++r)
    load -= static_cast<long double>(w[static_cast<Eigen::Index>(r)]) * closed.constants[r];
  check.bound = static_cast<double>(bound - load);
  check.excess = static_cast<double>(excess - load);
  check.outside = static_cast<double>(outside);
  check.inertia = Jt.size() > 0 ? (Jt * w - My).norm() : My.norm();
  const auto [acceleration, force] = find_typical_sizes(problem, closed, options.margin);
  check.holds =
      check.excess > 0.0 && check.excess >= 1e6 * (force * check.outside + acceleration * check.inertia);
  return check;
}

}  // namespace rigor
