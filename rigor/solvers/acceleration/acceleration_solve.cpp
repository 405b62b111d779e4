#include "rigor/solvers/acceleration/acceleration_solve.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/math/orthogonal_factor.hpp"
#include "rigor/math/orthogonal_solve.hpp"
#include "rigor/solvers/cone/cone_solve.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kTolerance = 1e-8;  // acceleration_residual() that counts as solved
constexpr double kRest = 1e-8;       // of the accelerations: less is none
constexpr int kMaxRounds = 200;      // for the friction of bilateral contacts

// What accelerations are compared with: those that the load gives to the mass, at least.
double size_of(const AccelerationProblem& problem, const Vector& a) {
  double size = a.norm();
  const double mass = problem.size() > 0 ? problem.M.cwiseAbs().maxCoeff() : 0.0;
  if (mass > 0.0) size = std::max(size, problem.F.norm() / mass);
  for (const AccelerationContact& contact : problem.contacts)
    size = std::max({size, std::abs(contact.normal_bias),
                     contact.tangent_bias.size() ? contact.tangent_bias.norm() : 0.0});
  return std::max(size, 1e-12);
}

// What forces are compared with: those that would balance the load, at least.
double force_size(const AccelerationProblem& problem, const std::vector<Vector>& forces) {
  double size = 1e-12, row = 0.0;
  for (std::size_t i = 0; i < forces.size(); ++i) {
    size = std::max(size, forces[i].norm());
    row = std::max(row, problem.contacts[i].normal.norm());
  }
  return row > 0.0 ? std::max(size, problem.F.norm() / row) : size;
}

// Friction of a bilateral contact, held at what the solve before said.
struct BilateralFriction {
  bool slips{false};
  Vector force;  // where it slips
};

// Kᵀ a + bias = 0: bilateral normals, and tangents of bilateral contacts that stick. F has the friction of
// those that slip.
struct HeldRows {
  Matrix K;
  Vector bias, F;
};

HeldRows collect_held_rows(const AccelerationProblem& problem, const std::vector<BilateralFriction>& held) {
  const auto& contacts = problem.contacts;
  std::vector<Vector> rows;
  std::vector<double> biases;
  HeldRows result;
  result.F = problem.F;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].is_unilateral()) continue;
    rows.push_back(contacts[i].normal);
    biases.push_back(contacts[i].normal_bias);
    if (contacts[i].tangents() == 0) continue;
    if (held[i].slips) {
      result.F -= contacts[i].tangent.transpose() * held[i].force;
      continue;
    }
    for (Eigen::Index k = 0; k < contacts[i].tangents(); ++k) {
      rows.emplace_back(contacts[i].tangent.row(k).transpose());
      biases.push_back(contacts[i].tangent_bias[k]);
    }
  }
  result.K.resize(problem.size(), static_cast<Eigen::Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) result.K.col(static_cast<Eigen::Index>(r)) = rows[r];
  result.bias = Eigen::Map<const Vector>(biases.data(), static_cast<Eigen::Index>(biases.size()));
  return result;
}

// a = a0 + Z x are the accelerations that the held rows allow, Zᵀ M Z the inertia that they feel.
struct HeldMotion {
  Matrix Z;
  Vector a0;
  OrthogonalFactor factor;  // of K
  Eigen::LDLT<Matrix> mass;

  // The accelerations that forces give.
  [[nodiscard]] Matrix apply(const Matrix& f) const {
    return Z.cols() == 0 ? Matrix::Zero(Z.rows(), f.cols()) : Matrix(Z * mass.solve(Z.transpose() * f));
  }
};

// Says what is wrong where the held rows contradict each other, or leave motions without inertia.
const char* find_held_motion(const AccelerationProblem& problem, const HeldRows& rows, HeldMotion& motion) {
  const Eigen::Index n = problem.size();
  motion.Z = Matrix::Identity(n, n);
  motion.a0 = Vector::Zero(n);
  if (rows.K.cols() > 0) {
    motion.factor.compute(rows.K);
    motion.factor.compute_null_basis(motion.Z);
    motion.factor.solve_transposed(-rows.bias, motion.a0);
    if ((rows.K.transpose() * motion.a0 + rows.bias).norm() > 1e-9 * (rows.bias.norm() + 1e-300))
      return "bilateral constraints ask for accelerations that contradict each other";
  }
  const Matrix S = motion.Z.transpose() * problem.M * motion.Z;
  motion.mass.compute(S);
  if (S.size() > 0 &&
      !(motion.mass.vectorD().minCoeff() > 1e-13 * motion.mass.vectorD().cwiseAbs().maxCoeff()))
    return "a motion meets neither inertia nor a bilateral constraint";
  return nullptr;
}

// One-sided contacts: accelerations J a + offset, and forces Jf r on the coordinates.
struct OneSidedRows {
  std::vector<ConeBlock> blocks;
  std::vector<std::size_t> owner;  // of each block
  Matrix J, Jf;
  Vector offset;
};

OneSidedRows collect_one_sided(const AccelerationProblem& problem) {
  const auto& contacts = problem.contacts;
  OneSidedRows rows;
  int size = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!contacts[i].is_unilateral()) continue;
    const bool has_cone = contacts[i].tangents() > 0 && !contacts[i].slides();
    const int own = has_cone ? 1 + static_cast<int>(contacts[i].tangents()) : 1;
    rows.blocks.push_back({size, own, has_cone ? contacts[i].mu : 0.0});
    rows.owner.push_back(i);
    size += own;
  }
  rows.J.resize(size, problem.size());
  rows.Jf.resize(problem.size(), size);
  rows.offset.resize(size);
  for (std::size_t b = 0; b < rows.owner.size(); ++b) {
    const AccelerationContact& contact = contacts[rows.owner[b]];
    const ConeBlock& block = rows.blocks[b];
    rows.J.row(block.first) = contact.normal.transpose();
    rows.offset[block.first] = contact.normal_bias;
    rows.Jf.col(block.first) = contact.normal;
    if (contact.slides()) rows.Jf.col(block.first) -= contact.mu * contact.tangent.transpose() * contact.slip;
    for (int k = 1; k < block.size; ++k) {
      rows.J.row(block.first + k) = contact.tangent.row(k - 1);
      rows.Jf.col(block.first + k) = contact.tangent.row(k - 1).transpose();
      rows.offset[block.first + k] = contact.tangent_bias[k - 1];
    }
  }
  return rows;
}

// The forces r of one-sided contacts: a cone problem in the accelerations.
Vector solve_one_sided(const OneSidedRows& rows, const HeldMotion& motion, const Vector& a_free,
                       AccelerationResult& result) {
  if (rows.blocks.empty()) {
    result.status = Status::kSolved;
    return Vector::Zero(0);
  }
  ConeProblem cone;
  cone.blocks = rows.blocks;
  cone.W = rows.J * motion.apply(rows.Jf);
  cone.q = rows.J * a_free + rows.offset;
  ConeWorkspace workspace;
  ConeResult solved;
  ConeOptions options;
  options.tolerance = 1e-11 * std::max(1.0, cone.q.norm());
  solve_cone(cone, options, workspace, solved);
  result.status = solved.status;
  if (solved.status != Status::kSolved)
    result.note = "the contact problem of the accelerations was not solved: there may be no solution";
  return solved.r;
}

// Forces of one-sided contacts; the others have none yet.
void fill_one_sided_forces(const AccelerationProblem& problem, const OneSidedRows& one_sided, const Vector& r,
                           AccelerationResult& result) {
  for (const AccelerationContact& contact : problem.contacts)
    result.forces.emplace_back(Vector::Zero(1 + contact.tangents()));
  for (std::size_t b = 0; b < one_sided.owner.size(); ++b) {
    const AccelerationContact& contact = problem.contacts[one_sided.owner[b]];
    const ConeBlock& block = one_sided.blocks[b];
    Vector& force = result.forces[one_sided.owner[b]];
    force.head(block.size) = r.segment(block.first, block.size);
    if (contact.slides()) force.tail(contact.tangents()) = -contact.mu * force[0] * contact.slip;
  }
}

// Forces of bilateral contacts: lambda of the held rows, and friction where they slip.
void fill_held_forces(const AccelerationProblem& problem, const std::vector<BilateralFriction>& held,
                      const Vector& lambda, AccelerationResult& result) {
  const auto& contacts = problem.contacts;
  Eigen::Index at = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].is_unilateral()) continue;
    result.forces[i][0] = lambda[at++];
    if (contacts[i].tangents() == 0) continue;
    if (held[i].slips) {
      result.forces[i].tail(contacts[i].tangents()) = held[i].force;
      continue;
    }
    for (Eigen::Index k = 1; k <= contacts[i].tangents(); ++k) result.forces[i][k] = lambda[at++];
  }
}

// One solve with the friction of bilateral contacts as it stands.
AccelerationResult solve_once(const AccelerationProblem& problem,
                              const std::vector<BilateralFriction>& held) {
  AccelerationResult result;
  const HeldRows rows = collect_held_rows(problem, held);
  HeldMotion motion;
  if (const char* const trouble = find_held_motion(problem, rows, motion)) {
    result.note = trouble;
    result.status = Status::kNumericalTrouble;
    return result;
  }
  const OneSidedRows one_sided = collect_one_sided(problem);
  const Vector a_free = motion.a0 - motion.apply(rows.F + problem.M * motion.a0);
  const Vector r = solve_one_sided(one_sided, motion, a_free, result);
  result.a = a_free + motion.apply(one_sided.Jf * r);

  fill_one_sided_forces(problem, one_sided, r, result);
  if (rows.K.cols() > 0) {
    Vector lambda;
    motion.factor.solve(problem.M * result.a + rows.F - one_sided.Jf * r, lambda);
    fill_held_forces(problem, held, lambda, result);
  }
  return result;
}

// Modes and tangential accelerations of what was found, and the residual.
void judge(const AccelerationProblem& problem, AccelerationResult& result) {
  const double size = size_of(problem, result.a);
  result.modes.clear();
  result.tangential.clear();
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const AccelerationContact& contact = problem.contacts[i];
    const double rate = contact.normal.dot(result.a) + contact.normal_bias;
    Vector slip =
        contact.tangents() > 0 ? Vector(contact.tangent * result.a + contact.tangent_bias) : Vector();
    const double row = std::max(1.0, contact.normal.norm());
    if (contact.is_unilateral() && rate > kRest * size * row)
      result.modes.push_back(AccelerationMode::kOpens);
    else if (contact.slides() || (slip.size() > 0 && slip.norm() > kRest * size * row))
      result.modes.push_back(AccelerationMode::kSlips);
    else
      result.modes.push_back(AccelerationMode::kSticks);
    result.tangential.push_back(std::move(slip));
  }
  result.residual = acceleration_residual(problem, result.a, result.forces);
  if (result.status == Status::kSolved && !(result.residual <= kTolerance))
    result.status = Status::kNumericalTrouble;
  if (result.residual <= kTolerance) result.status = Status::kSolved;
}

// Every choice of modes is a linear system; those whose solution obeys the laws are kept.
class ModeSearch {
 public:
  explicit ModeSearch(const AccelerationProblem& problem)
      : problem_(problem), choice_(problem.contacts.size(), kOpen) {}

  std::vector<AccelerationResult> run() {
    search(0);
    return std::move(found_);
  }

 private:
  enum Choice { kOpen, kStick, kForward, kBackward };

  void search(std::size_t i) {
    if (i == choice_.size()) return try_modes();
    for (const Choice mode : list_choices(problem_.contacts[i])) {
      choice_[i] = mode;
      search(i + 1);
    }
  }

  static std::vector<Choice> list_choices(const AccelerationContact& contact) {
    std::vector<Choice> list;
    if (contact.is_unilateral()) list.push_back(kOpen);
    list.push_back(kStick);
    if (contact.tangents() > 0 && contact.mu > 0.0 && !contact.slides()) {
      list.push_back(kForward);
      list.push_back(kBackward);
    }
    // |λn| of a bilateral contact: forward and backward stand for the two signs of the force
    if (contact.slides() && !contact.is_unilateral() && contact.mu > 0.0) list = {kForward, kBackward};
    return list;
  }

  void try_modes() {
    fill_system();
    const Vector x = solve_least_norm(K_, rhs_);
    if ((K_ * x - rhs_).norm() > 1e-9 * (1.0 + rhs_.norm())) return;
    AccelerationResult result;
    const Eigen::Index n = problem_.size();
    result.a = x.head(n);
    Eigen::Index at = n;
    for (const AccelerationContact& contact : problem_.contacts) {
      result.forces.push_back(x.segment(at, 1 + contact.tangents()));
      at += 1 + contact.tangents();
    }
    judge(problem_, result);
    if (result.status == Status::kSolved && is_new(result)) found_.push_back(std::move(result));
  }

  // Unknowns a, then per contact λn and λt; rows: balance, then two (or one) per contact.
  void fill_system() {
    const Eigen::Index n = problem_.size();
    Eigen::Index size = n;
    for (const AccelerationContact& contact : problem_.contacts) size += 1 + contact.tangents();
    K_ = Matrix::Zero(size, size);
    rhs_ = Vector::Zero(size);
    K_.topLeftCorner(n, n) = problem_.M;
    rhs_.head(n) = -problem_.F;
    Eigen::Index at = n;
    for (std::size_t i = 0; i < choice_.size(); ++i) {
      fill_rows(problem_.contacts[i], choice_[i], at);
      at += 1 + problem_.contacts[i].tangents();
    }
  }

  void fill_rows(const AccelerationContact& contact, Choice choice, Eigen::Index at) {
    const Eigen::Index n = problem_.size();
    K_.col(at).head(n) = -contact.normal;
    if (choice == kOpen) {
      K_(at, at) = 1.0;
    } else {
      K_.row(at).head(n) = contact.normal.transpose();
      rhs_[at] = -contact.normal_bias;
    }
    if (contact.tangents() != 1) return;
    K_.col(at + 1).head(n) = -contact.tangent.row(0).transpose();
    if (contact.slides() || choice == kForward || choice == kBackward) {
      double sign = choice == kBackward ? 1.0 : -1.0;
      if (contact.slides() && contact.is_unilateral()) sign = -contact.slip[0];
      K_(at + 1, at + 1) = 1.0;
      K_(at + 1, at) = -sign * contact.mu;
    } else if (choice == kOpen || contact.mu == 0.0) {
      K_(at + 1, at + 1) = 1.0;
    } else {
      K_.row(at + 1).head(n) = contact.tangent.row(0);
      rhs_[at + 1] = -contact.tangent_bias[0];
    }
  }

  [[nodiscard]] bool is_new(const AccelerationResult& result) const {
    for (const AccelerationResult& other : found_) {
      double difference = (other.a - result.a).norm() / size_of(problem_, result.a);
      for (std::size_t i = 0; i < choice_.size(); ++i)
        difference += (other.forces[i] - result.forces[i]).norm() / force_size(problem_, result.forces);
      if (difference < 1e-6) return false;
    }
    return true;
  }

  const AccelerationProblem& problem_;
  std::vector<Choice> choice_;
  Matrix K_;
  Vector rhs_;
  std::vector<AccelerationResult> found_;
};

}  // namespace

double acceleration_residual(const AccelerationProblem& problem, const Vector& a,
                             const std::vector<Vector>& forces) {
  if (a.size() != problem.size() || forces.size() != problem.contacts.size() || !a.allFinite())
    return std::numeric_limits<double>::infinity();
  Vector balance = problem.M * a + problem.F;
  double largest = std::max(1e-12, problem.F.norm());
  const double a_size = size_of(problem, a), f_size = force_size(problem, forces);
  double worst = 0.0;
  for (std::size_t i = 0; i < forces.size(); ++i) {
    const AccelerationContact& contact = problem.contacts[i];
    const Vector& force = forces[i];
    if (force.size() != 1 + contact.tangents() || !force.allFinite())
      return std::numeric_limits<double>::infinity();
    const Vector acting =
        contact.normal * force[0] + contact.tangent.transpose() * force.tail(contact.tangents());
    balance -= acting;
    largest = std::max(largest, acting.norm());
    const double scale = a_size * std::max(1e-12, contact.normal.norm());
    const double rate = (contact.normal.dot(a) + contact.normal_bias) / scale;
    const double load = force[0] / f_size;
    worst = std::max(worst, contact.is_unilateral() ? std::abs(std::min(rate, load)) : std::abs(rate));
    if (contact.tangents() == 0) continue;
    const Vector tangential = force.tail(contact.tangents()) / f_size;
    const double radius = contact.mu * std::abs(load);
    if (contact.slides()) {
      worst = std::max(worst, (tangential + radius * contact.slip).norm());
      continue;
    }
    if (contact.is_unilateral() && rate > 1e-7) {
      worst = std::max(worst, tangential.norm());
      continue;
    }
    // λt = projection of λt − a_t on the disk
    const Vector slip = (contact.tangent * a + contact.tangent_bias) / scale;
    Vector aim = tangential - slip;
    if (aim.norm() > radius) aim *= aim.norm() > 0.0 ? radius / aim.norm() : 0.0;
    worst = std::max(worst, (tangential - aim).norm());
  }
  return std::max(worst, balance.norm() / largest);
}

AccelerationResult solve_acceleration(const AccelerationProblem& problem) {
  problem.validate();
  const auto& contacts = problem.contacts;
  std::vector<BilateralFriction> held(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const AccelerationContact& contact = contacts[i];
    held[i].slips =
        !contact.is_unilateral() && contact.tangents() > 0 && (contact.slides() || contact.mu == 0.0);
    if (held[i].slips) held[i].force = Vector::Zero(contact.tangents());
  }
  AccelerationResult result;
  for (int round = 0; round < kMaxRounds; ++round) {
    result = solve_once(problem, held);
    if (result.a.size() == 0) return result;
    judge(problem, result);
    if (result.status == Status::kSolved) return result;
    bool changed = false;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const AccelerationContact& contact = contacts[i];
      if (contact.is_unilateral() || contact.tangents() == 0) continue;
      const Vector force = result.forces[i].tail(contact.tangents());
      const double radius = contact.mu * std::abs(result.forces[i][0]);
      Vector aim;
      if (contact.slides())
        aim = -radius * contact.slip;
      else if (!held[i].slips)
        aim = force.norm() > radius ? Vector(force * (radius / force.norm())) : force;
      else {
        const Vector slip = result.tangential[i];
        aim = slip.norm() > 0.0 ? Vector(-radius * slip.normalized()) : force;
      }
      if ((aim - force).norm() <= 1e-14 * (1.0 + force.norm())) continue;
      held[i].slips = true;
      held[i].force = aim;
      changed = true;
    }
    if (!changed) return result;
  }
  return result;
}

std::vector<AccelerationResult> list_accelerations(const AccelerationProblem& problem, int max_contacts) {
  problem.validate();
  const auto& contacts = problem.contacts;
  require(static_cast<int>(contacts.size()) <= max_contacts,
          "{} contacts, at most {} when all solutions are listed (each has up to four modes).",
          contacts.size(), max_contacts);
  for (const AccelerationContact& contact : contacts)
    require(contact.tangents() <= 1,
            "contact \"{}\" has {} tangents: all solutions are listed in the plane only.", contact.name,
            contact.tangents());
  return ModeSearch(problem).run();
}

}  // namespace rigor
