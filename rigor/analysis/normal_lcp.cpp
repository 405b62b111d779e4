#include "rigor/analysis/normal_lcp.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <optional>

#include "rigor/math/orthogonal_factor.hpp"
#include "rigor/solvers/conic/conic_solve.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// What is held whether contacts open or not: bilateral normals, tangents of sticking contacts.
struct Held {
  Matrix Z;
  Vector a0;
  bool is_consistent{true};
};

Held find_held(const AccelerationProblem& problem) {
  const Eigen::Index n = problem.size();
  std::vector<Vector> rows;
  std::vector<double> biases;
  for (const AccelerationContact& contact : problem.contacts) {
    if (!contact.is_unilateral()) {
      rows.push_back(contact.normal);
      biases.push_back(contact.normal_bias);
    }
    if (contact.slides()) continue;
    for (Eigen::Index k = 0; k < contact.tangents(); ++k) {
      rows.emplace_back(contact.tangent.row(k).transpose());
      biases.push_back(contact.tangent_bias[k]);
    }
  }
  Held held{Matrix::Identity(n, n), Vector::Zero(n), true};
  if (rows.empty()) return held;
  Matrix K(n, static_cast<Eigen::Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) K.col(static_cast<Eigen::Index>(r)) = rows[r];
  const Vector bias = Eigen::Map<const Vector>(biases.data(), static_cast<Eigen::Index>(biases.size()));
  OrthogonalFactor factor;
  factor.compute(K);
  factor.compute_null_basis(held.Z);
  factor.solve_transposed(-bias, held.a0);
  held.is_consistent = (K.transpose() * held.a0 + bias).norm() <= 1e-9 * (1e-300 + bias.norm());
  return held;
}

// The accelerations a, with the contacts that they leave closed.
GaussAcceleration judge_openings(const AccelerationProblem& problem, const Vector& a) {
  GaussAcceleration result;
  result.status = GaussAcceleration::Status::kSolved;
  result.a = a;
  result.is_closed.assign(problem.contacts.size(), 1);
  result.normal = Vector::Zero(static_cast<Eigen::Index>(problem.contacts.size()));
  // what accelerations are compared with: those that the load gives to the mass, at least
  const double mass = problem.size() > 0 ? problem.M.cwiseAbs().maxCoeff() : 0.0;
  const double typical = std::max(a.norm(), mass > 0.0 ? problem.F.norm() / mass : 1.0);
  double size = 1e-300;
  for (const AccelerationContact& contact : problem.contacts)
    size = std::max({size, contact.normal.norm() * typical, std::abs(contact.normal_bias)});
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const AccelerationContact& contact = problem.contacts[i];
    if (!contact.is_unilateral()) continue;
    const double rate = contact.normal.dot(a) + contact.normal_bias;
    result.normal[static_cast<Eigen::Index>(i)] = rate;
    result.is_closed[i] = rate <= 1e-7 * size ? 1 : 0;
  }
  return result;
}

// Nᵀ a + bias ≥ 0 of the contacts that can open.
struct OpeningRows {
  Matrix N;
  Vector bias;
};

OpeningRows collect_opening_rows(const AccelerationProblem& problem) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    if (problem.contacts[i].is_unilateral()) list.push_back(i);
  OpeningRows rows;
  rows.N.resize(problem.size(), static_cast<Eigen::Index>(list.size()));
  rows.bias.resize(rows.N.cols());
  for (std::size_t j = 0; j < list.size(); ++j) {
    rows.N.col(static_cast<Eigen::Index>(j)) = problem.contacts[list[j]].normal;
    rows.bias[static_cast<Eigen::Index>(j)] = problem.contacts[list[j]].normal_bias;
  }
  return rows;
}

// A basis of what M or the contacts feel of the motions Z; nothing where the load drives what they do not.
std::optional<Matrix> find_felt_basis(const AccelerationProblem& problem, const Matrix& Z, const Matrix& N,
                                      const Vector& slope, double load) {
  Matrix felt(Z.cols(), problem.size() + N.cols());
  felt << Z.transpose() * problem.M, Z.transpose() * N;
  Matrix unfelt = Matrix::Identity(Z.cols(), Z.cols());
  Matrix basis = unfelt;
  if (Z.cols() == 0) return basis;
  // what is left of a column of M or of a normal that the held rows carry is rounding
  OrthogonalFactor factor;
  const double mass = problem.M.colwise().norm().maxCoeff();
  for (Eigen::Index j = 0; j < felt.cols(); ++j) {
    const double whole = j < problem.size() ? mass : N.col(j - problem.size()).norm();
    if (felt.col(j).norm() <= 1e-12 * whole) felt.col(j).setZero();
  }
  factor.compute(felt);
  factor.compute_null_basis(unfelt);
  if (unfelt.cols() > 0 && (unfelt.transpose() * slope).norm() > 1e-9 * load) return std::nullopt;
  OrthogonalFactor complement;
  complement.compute(unfelt);
  if (unfelt.cols() > 0) complement.compute_null_basis(basis);
  return basis;
}

// Gauss's principle as a quadratic program in what M or the contacts feel.
GaussAcceleration solve_gauss_program(const AccelerationProblem& problem) {
  GaussAcceleration result;
  const Held held = find_held(problem);
  if (!held.is_consistent) {
    result.status = GaussAcceleration::Status::kContradiction;
    return result;
  }
  const auto [N, bias] = collect_opening_rows(problem);
  const Vector slope = held.Z.transpose() * (problem.F + problem.M * held.a0);
  const double load = problem.F.norm() + (problem.M * held.a0).norm();
  const std::optional<Matrix> basis = find_felt_basis(problem, held.Z, N, slope, load);
  if (!basis) {
    result.status = GaussAcceleration::Status::kUnbounded;
    return result;
  }
  const Matrix Y = held.Z * *basis;
  if (Y.cols() == 0) {
    const Vector rates = N.transpose() * held.a0 + bias;
    const double size = N.norm() * held.a0.norm() + bias.norm() + 1e-300;
    if (!(rates.size() > 0 && rates.minCoeff() < -1e-9 * size)) return judge_openings(problem, held.a0);
    result.status = GaussAcceleration::Status::kContradiction;
    return result;
  }
  ConicProgram program;
  program.P = Y.transpose() * problem.M * Y;
  program.q = basis->transpose() * slope;
  program.A = -(N.transpose() * Y);
  program.b = N.transpose() * held.a0 + bias;
  program.half_lines = static_cast<int>(N.cols());
  const ConicResult solved = solve_conic(program);
  if (solved.status == ConicStatus::kSolved) return judge_openings(problem, held.a0 + Y * solved.x);
  if (solved.status == ConicStatus::kInfeasible)
    result.status = GaussAcceleration::Status::kContradiction;
  else if (solved.status == ConicStatus::kUnbounded)
    result.status = GaussAcceleration::Status::kUnbounded;
  return result;
}

}  // namespace

NormalLcp make_normal_lcp(const AccelerationProblem& problem) {
  NormalLcp result;
  const Held held = find_held(problem);
  if (!held.is_consistent) return result;
  const Eigen::Index n = problem.size();
  std::vector<Vector> normals, forces;
  std::vector<double> biases;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const AccelerationContact& contact = problem.contacts[i];
    if (!contact.is_unilateral()) {
      // its friction follows |λn|, which is not linear
      if (contact.slides() && contact.mu > 0.0) return result;
      continue;
    }
    result.contacts.push_back(static_cast<int>(i));
    normals.push_back(contact.normal);
    biases.push_back(contact.normal_bias);
    forces.emplace_back(contact.slides()
                            ? Vector(contact.normal - contact.mu * contact.tangent.transpose() * contact.slip)
                            : contact.normal);
  }
  const auto m = static_cast<Eigen::Index>(normals.size());
  Matrix N(n, m), Nf(n, m);
  for (Eigen::Index j = 0; j < m; ++j) {
    N.col(j) = normals[static_cast<std::size_t>(j)];
    Nf.col(j) = forces[static_cast<std::size_t>(j)];
  }
  const Matrix S = held.Z.transpose() * problem.M * held.Z;
  if (S.size() > 0) {
    const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(S, Eigen::EigenvaluesOnly).eigenvalues();
    if (!(values[0] > 1e-11 * values[values.size() - 1])) return result;
  }
  const Eigen::LLT<Matrix> factor(S);
  const auto apply = [&](const Matrix& f) -> Matrix {
    if (S.size() == 0 || f.cols() == 0) return Matrix::Zero(n, f.cols());
    return held.Z * factor.solve(held.Z.transpose() * f);
  };
  result.a_free = held.a0 - apply(problem.F + problem.M * held.a0);
  result.a_per = apply(Nf);
  result.lcp.M = N.transpose() * result.a_per;
  result.lcp.q = N.transpose() * result.a_free;
  for (Eigen::Index j = 0; j < m; ++j) result.lcp.q[j] += biases[static_cast<std::size_t>(j)];
  result.exists = true;
  return result;
}

GaussAcceleration find_gauss_acceleration(const AccelerationProblem& problem) {
  // through the LCP where there is one
  const NormalLcp normal_lcp = make_normal_lcp(problem);
  if (normal_lcp.exists) {
    const LcpResult solved = solve(normal_lcp.lcp, AutoOptions{});
    if (solved.status == Status::kSolved) return judge_openings(problem, normal_lcp.acceleration(solved.z));
    // where it has none, or rounding says so of rows that just do not contradict each other, the program decides
  }
  return solve_gauss_program(problem);
}

}  // namespace rigor
