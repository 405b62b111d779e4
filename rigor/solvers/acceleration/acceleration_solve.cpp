#include "rigor/solvers/acceleration/acceleration_solve.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/math/orthogonal_factor.hpp"
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

// One solve with the friction of bilateral contacts as it stands.
AccelerationResult solve_once(const AccelerationProblem& problem,
                              const std::vector<BilateralFriction>& held) {
  AccelerationResult result;
  const Eigen::Index n = problem.size();
  const auto& contacts = problem.contacts;

  // held rows: bilateral normals, and tangents of bilateral contacts that stick
  std::vector<Vector> rows;
  std::vector<double> biases;
  Vector F = problem.F;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].is_unilateral()) continue;
    rows.push_back(contacts[i].normal);
    biases.push_back(contacts[i].normal_bias);
    if (contacts[i].tangents() == 0) continue;
    if (held[i].slips) {
      F -= contacts[i].tangent.transpose() * held[i].force;
      continue;
    }
    for (Eigen::Index k = 0; k < contacts[i].tangents(); ++k) {
      rows.emplace_back(contacts[i].tangent.row(k).transpose());
      biases.push_back(contacts[i].tangent_bias[k]);
    }
  }
  Matrix K(n, static_cast<Eigen::Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) K.col(static_cast<Eigen::Index>(r)) = rows[r];
  const Vector bias = Eigen::Map<const Vector>(biases.data(), static_cast<Eigen::Index>(biases.size()));
  Matrix Z = Matrix::Identity(n, n);
  Vector a0 = Vector::Zero(n);
  OrthogonalFactor factor;
  if (K.cols() > 0) {
    factor.compute(K);
    factor.compute_null_basis(Z);
    factor.solve_transposed(-bias, a0);
    if ((K.transpose() * a0 + bias).norm() > 1e-9 * (bias.norm() + 1e-300)) {
      result.note = "bilateral constraints ask for accelerations that contradict each other";
      result.status = Status::kNumericalTrouble;
      return result;
    }
  }
  const Matrix S = Z.transpose() * problem.M * Z;
  const Eigen::LDLT<Matrix> mass(S);
  if (S.size() > 0 && !(mass.vectorD().minCoeff() > 1e-13 * mass.vectorD().cwiseAbs().maxCoeff())) {
    result.note = "a motion meets neither inertia nor a bilateral constraint";
    result.status = Status::kNumericalTrouble;
    return result;
  }
  const auto apply = [&](const Matrix& f) -> Matrix {
    return S.size() == 0 ? Matrix::Zero(n, f.cols()) : Matrix(Z * mass.solve(Z.transpose() * f));
  };

  // one-sided contacts: a cone problem in the accelerations
  ConeProblem cone;
  std::vector<std::size_t> owner;
  int size = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!contacts[i].is_unilateral()) continue;
    const bool has_cone = contacts[i].tangents() > 0 && !contacts[i].slides();
    const int own = has_cone ? 1 + static_cast<int>(contacts[i].tangents()) : 1;
    cone.blocks.push_back({size, own, has_cone ? contacts[i].mu : 0.0});
    owner.push_back(i);
    size += own;
  }
  Matrix J(size, n), Jf(n, size);
  Vector offset(size);
  for (std::size_t b = 0; b < owner.size(); ++b) {
    const AccelerationContact& contact = contacts[owner[b]];
    const ConeBlock& block = cone.blocks[b];
    J.row(block.first) = contact.normal.transpose();
    offset[block.first] = contact.normal_bias;
    Jf.col(block.first) = contact.normal;
    if (contact.slides()) Jf.col(block.first) -= contact.mu * contact.tangent.transpose() * contact.slip;
    for (int k = 1; k < block.size; ++k) {
      J.row(block.first + k) = contact.tangent.row(k - 1);
      Jf.col(block.first + k) = contact.tangent.row(k - 1).transpose();
      offset[block.first + k] = contact.tangent_bias[k - 1];
    }
  }
  const Vector a_free = a0 - apply(F + problem.M * a0);
  Vector r = Vector::Zero(size);
  if (size > 0) {
    cone.W = J * apply(Jf);
    cone.q = J * a_free + offset;
    ConeWorkspace workspace;
    ConeResult solved;
    ConeOptions options;
    options.tolerance = 1e-11 * std::max(1.0, cone.q.norm());
    solve_cone(cone, options, workspace, solved);
    result.status = solved.status;
    if (solved.status != Status::kSolved)
      result.note = "the contact problem of the accelerations was not solved: there may be no solution";
    r = solved.r;
  } else {
    result.status = Status::kSolved;
  }
  result.a = a_free + apply(Jf * r);

  // forces: those of the cone problem, and the held ones that go with them
  result.forces.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i)
    result.forces[i] = Vector::Zero(1 + contacts[i].tangents());
  for (std::size_t b = 0; b < owner.size(); ++b) {
    const AccelerationContact& contact = contacts[owner[b]];
    const ConeBlock& block = cone.blocks[b];
    Vector& force = result.forces[owner[b]];
    force.head(block.size) = r.segment(block.first, block.size);
    if (contact.slides()) force.tail(contact.tangents()) = -contact.mu * force[0] * contact.slip;
  }
  if (K.cols() > 0) {
    Vector lambda;
    factor.solve(problem.M * result.a + F - Jf * r, lambda);
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
  const Eigen::Index n = problem.size();
  enum Choice { kOpen, kStick, kForward, kBackward };
  std::vector<AccelerationResult> found;
  std::vector<int> choice(contacts.size(), 0);
  const auto choices = [&](std::size_t i) {
    std::vector<int> list;
    if (contacts[i].is_unilateral()) list.push_back(kOpen);
    list.push_back(kStick);
    if (contacts[i].tangents() > 0 && contacts[i].mu > 0.0 && (!contacts[i].slides())) {
      list.push_back(kForward);
      list.push_back(kBackward);
    }
    // |λn| of a bilateral contact: forward and backward stand for the two signs of the force
    if (contacts[i].slides() && !contacts[i].is_unilateral() && contacts[i].mu > 0.0)
      list = {kForward, kBackward};
    return list;
  };
  const auto try_modes = [&] {
    // unknowns a, then per contact λn and λt; rows: balance, then two (or one) per contact
    Eigen::Index size = n;
    for (const AccelerationContact& contact : contacts) size += 1 + contact.tangents();
    Matrix K = Matrix::Zero(size, size);
    Vector rhs = Vector::Zero(size);
    K.topLeftCorner(n, n) = problem.M;
    rhs.head(n) = -problem.F;
    Eigen::Index at = n;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const AccelerationContact& contact = contacts[i];
      K.col(at).head(n) = -contact.normal;
      if (choice[i] == kOpen) {
        K(at, at) = 1.0;
      } else {
        K.row(at).head(n) = contact.normal.transpose();
        rhs[at] = -contact.normal_bias;
      }
      if (contact.tangents() == 1) {
        K.col(at + 1).head(n) = -contact.tangent.row(0).transpose();
        if (contact.slides() || choice[i] == kForward || choice[i] == kBackward) {
          double sign = choice[i] == kBackward ? 1.0 : -1.0;
          if (contact.slides() && contact.is_unilateral()) sign = -contact.slip[0];
          K(at + 1, at + 1) = 1.0;
          K(at + 1, at) = -sign * contact.mu;
        } else if (choice[i] == kOpen || contact.mu == 0.0) {
          K(at + 1, at + 1) = 1.0;
        } else {
          K.row(at + 1).head(n) = contact.tangent.row(0);
          rhs[at + 1] = -contact.tangent_bias[0];
        }
      }
      at += 1 + contact.tangents();
    }
    const Vector x = K.completeOrthogonalDecomposition().solve(rhs);
    if ((K * x - rhs).norm() > 1e-9 * (1.0 + rhs.norm())) return;
    AccelerationResult result;
    result.a = x.head(n);
    at = n;
    for (const AccelerationContact& contact : contacts) {
      result.forces.push_back(x.segment(at, 1 + contact.tangents()));
      at += 1 + contact.tangents();
    }
    judge(problem, result);
    if (result.status != Status::kSolved) return;
    for (const AccelerationResult& other : found) {
      double difference = (other.a - result.a).norm() / size_of(problem, result.a);
      for (std::size_t i = 0; i < contacts.size(); ++i)
        difference += (other.forces[i] - result.forces[i]).norm() / force_size(problem, result.forces);
      if (difference < 1e-6) return;
    }
    found.push_back(std::move(result));
  };
  const auto search = [&](auto&& self, std::size_t i) -> void {
    if (i == contacts.size()) return try_modes();
    for (const int mode : choices(i)) {
      choice[i] = mode;
      self(self, i + 1);
    }
  };
  search(search, 0);
  return found;
}

}  // namespace rigor
