// The conditions of the propositions: ranks, and cones against each other.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "rigor/analysis/propositions.hpp"
#include "rigor/math/orthogonal_factor.hpp"
#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

Matrix columns_of(const std::vector<Vector>& list, Eigen::Index n) {
  Matrix columns(n, static_cast<Eigen::Index>(list.size()));
  for (std::size_t k = 0; k < list.size(); ++k) columns.col(static_cast<Eigen::Index>(k)) = list[k];
  return columns;
}

Matrix normals_of(const AccelerationProblem& problem) {
  std::vector<Vector> list;
  for (const AccelerationContact& contact : problem.contacts)
    if (contact.is_unilateral()) list.push_back(contact.normal);
  return columns_of(list, problem.size());
}

// Bilateral normals and the tangents of what sticks.
Matrix held_of(const AccelerationProblem& problem, bool with_bilateral = true) {
  std::vector<Vector> list;
  for (const AccelerationContact& contact : problem.contacts) {
    if (!contact.is_unilateral() && with_bilateral) list.push_back(contact.normal);
    if (contact.slides()) continue;
    for (Eigen::Index k = 0; k < contact.tangents(); ++k)
      list.emplace_back(contact.tangent.row(k).transpose());
  }
  return columns_of(list, problem.size());
}

Eigen::Index rank_of(const Matrix& K) {
  if (K.size() == 0) return 0;
  OrthogonalFactor factor;
  factor.compute(K);
  return factor.rank();
}

// Whether λ ≥ 0, Σ λ = 1 and y exist with N λ + T y = 0.
Answer meets(const Matrix& N, const Matrix& T) {
  const Eigen::Index n = N.rows();
  if (N.cols() == 0) return Answer::kNo;
  std::vector<ForceBlock> blocks;
  for (Eigen::Index j = 0; j < N.cols(); ++j) {
    ForceBlock block;
    block.columns.resize(n + 1, 1);
    const double length = N.col(j).norm();
    block.columns << (length > 0.0 ? Vector(N.col(j) / length) : N.col(j)), 1.0;
    blocks.push_back(std::move(block));
  }
  if (T.cols() > 0) {
    ForceBlock block;
    block.columns = Matrix::Zero(n + 1, T.cols());
    block.columns.topRows(n) = T;
    block.is_free = true;
    blocks.push_back(std::move(block));
  }
  return ForceSet(std::move(blocks), Vector::Unit(n + 1, n)).decide().answer;
}

Answer negated(Answer answer) {
  if (answer == Answer::kUndecided) return answer;
  return answer == Answer::kYes ? Answer::kNo : Answer::kYes;
}

Answer to_answer(bool holds) {
  return holds ? Answer::kYes : Answer::kNo;
}

// Polygons in place of disks: regular, with this many sides, their corners `widen` times mu away.
struct Facets {
  int sides{0};
  double widen{1.0};
};

// The forces spanned by the corners of each polygon, in place of those of the exact cones.
ForceSet span_corners(const ForceSet& exact, const Facets& facets) {
  std::vector<ForceBlock> blocks;
  for (const ForceBlock& block : exact.blocks()) {
    if (block.is_free || block.columns.cols() < 3) {
      blocks.push_back(block);
      continue;
    }
    for (int k = 0; k < facets.sides; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / facets.sides;
      const Eigen::Vector3d corner(1.0, facets.widen * block.mu * portable::cos(angle),
                                   facets.widen * block.mu * portable::sin(angle));
      ForceBlock part = block;
      part.columns = block.columns * corner;
      part.to_contact = block.to_contact * corner;
      blocks.push_back(std::move(part));
    }
  }
  return {std::move(blocks), exact.load()};
}

// Some choice of signs of bilateral friction has forces; where both are still open both are allowed at once.
Answer decide_corners(const StickingSet& set, const Facets& facets, std::vector<int>& signs, std::size_t at) {
  const Answer relaxed = span_corners(set.make_force_set(signs), facets).decide().answer;
  while (at < signs.size() && !set.needs_sign(at)) ++at;
  if (at == signs.size() || relaxed == Answer::kNo) return relaxed;
  Answer any = Answer::kNo;
  for (const int sign : {1, -1}) {
    signs[at] = sign;
    const Answer own = decide_corners(set, facets, signs, at + 1);
    if (own == Answer::kYes || any == Answer::kNo) any = own;
    if (any == Answer::kYes) break;
  }
  signs[at] = 0;
  return any;
}

// Whether the matrix of (37) exists for all contacts and is definite, so that (57) can be stated.
bool has_definite_lcp(const AccelerationProblem& problem) {
  const NormalLcp normal_lcp = make_normal_lcp(problem);
  if (!normal_lcp.exists || normal_lcp.contacts.size() != problem.contacts.size()) return false;
  const Matrix& Ac = normal_lcp.lcp.M;
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(Ac, Eigen::EigenvaluesOnly).eigenvalues();
  return values[0] > 1e-10 * values[values.size() - 1];
}

// ½ ‖scaled x + load‖²: the objective of (57) in x = λt / λn.
struct TangentialGap {
  Matrix scaled;
  Vector load;
};

// With F̃ as it should be; a are the accelerations of the LCP.
TangentialGap make_tangential_gap(const AccelerationProblem& problem, const Vector& a) {
  const Eigen::LLT<Matrix> mass(problem.M);
  const Matrix T = held_of(problem), N = normals_of(problem);
  // λn from the LCP's balance: M a + F = N λn + T λt with independent columns
  Matrix NT(problem.size(), N.cols() + T.cols());
  NT << N, T;
  OrthogonalFactor factor;
  Vector forces;
  factor.compute(NT);
  factor.solve(problem.M * a + problem.F, forces);
  Vector bias(T.cols());
  Eigen::Index at = 0;
  for (const AccelerationContact& contact : problem.contacts)
    for (Eigen::Index k = 0; k < contact.tangents(); ++k) bias[at++] = contact.tangent_bias[k];
  TangentialGap gap;
  gap.load = T.transpose() * mass.solve(N * forces.head(N.cols()) - problem.F) + bias;
  gap.scaled = T.transpose() * mass.solve(T);
  at = 0;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Eigen::Index k = problem.contacts[i].tangents();
    gap.scaled.middleCols(at, k) *= std::max(0.0, forces[static_cast<Eigen::Index>(i)]);
    at += k;
  }
  return gap;
}

// The sides of all polygons as rows of A x ≤ b.
void add_polygon_rows(const AccelerationProblem& problem, const Facets& facets, Eigen::Index size,
                      ConicProgram& program) {
  std::vector<Vector> rows;
  std::vector<double> limits;
  Eigen::Index at = 0;
  for (const AccelerationContact& contact : problem.contacts) {
    const Eigen::Index k = contact.tangents();
    for (int side = 0; side < (k == 1 ? 2 : facets.sides); ++side) {
      Vector row = Vector::Zero(size);
      if (k == 1) {
        row[at] = side == 0 ? 1.0 : -1.0;
        limits.push_back(contact.mu);
      } else {
        const double angle = 2.0 * std::numbers::pi * (side + 0.5) / facets.sides;
        row.segment(at, 2) << portable::cos(angle), portable::sin(angle);
        limits.push_back(facets.widen * contact.mu * portable::cos(std::numbers::pi / facets.sides));
      }
      rows.push_back(row);
    }
    at += k;
  }
  program.A = columns_of(rows, size).transpose();
  program.b = Eigen::Map<const Vector>(limits.data(), static_cast<Eigen::Index>(limits.size()));
  program.half_lines = static_cast<int>(limits.size());
}

// The hypotheses that several propositions share.
struct SharedHypotheses {
  Hypothesis mass, independent, kernel, consistent, held;
};

SharedHypotheses find_shared_hypotheses(const AccelerationProblem& problem) {
  const StickingSet all(problem, FrictionKind::kUnlimited);
  return {{"M is positive definite", to_answer(has_definite_mass(problem))},
          {"normals and tangents are independent", to_answer(has_independent_rows(problem))},
          {"ker M and the kernel of all rows meet only in 0", to_answer(all.has_unique_acceleration())},
          {"the rows do not contradict each other", to_answer(all.is_consistent())},
          {"the rows that hold whether contacts open or not do not contradict each other",
           to_answer(has_consistent_held_rows(problem))}};
}

// With all contacts closed, cones aside.
void add_closed_checks(const SharedHypotheses& shared, std::vector<PropositionCheck>& checks) {
  checks.push_back({"Prop. 1 (i)",
                    {shared.independent, shared.kernel},
                    "with all contacts closed accelerations and forces are unique, cones aside"});
  checks.push_back({"Prop. 1 (ii)",
                    {shared.consistent, shared.kernel},
                    "with all contacts closed accelerations and the sum of all contact forces are unique"});
}

// Of bilateral contacts alone.
void add_bilateral_checks(const SharedHypotheses& shared, const StickingAnswer& closed,
                          std::vector<PropositionCheck>& checks) {
  checks.push_back({"Prop. 2",
                    {shared.mass, shared.independent},
                    "sticks iff the only forces lie in their cones, inequality (22)",
                    closed.verdict.margin,
                    0.0});
  checks.push_back({"Prop. 4",
                    {shared.mass,
                     shared.independent,
                     {"every force is inside its cone",
                      to_answer(closed.answer == Answer::kYes && closed.verdict.margin > 0.0)}},
                    "sticking persists for a while"});
}

// Of unilateral contacts alone: the contact LCP (37).
void add_lcp_checks(const AccelerationProblem& problem, std::vector<PropositionCheck>& checks) {
  const NormalLcp normal_lcp = make_normal_lcp(problem);
  const Hypothesis assumption{"Assumption 1: M is positive definite and tangents are independent",
                              to_answer(has_assumption_1(problem))};
  double least = std::nan(""), size = 1.0;
  if (normal_lcp.exists && normal_lcp.lcp.q.size() > 0) {
    least = Eigen::SelfAdjointEigenSolver<Matrix>(normal_lcp.lcp.M, Eigen::EigenvaluesOnly).eigenvalues()[0];
    size = normal_lcp.lcp.M.cwiseAbs().maxCoeff();
  }
  checks.push_back(
      {"Prop. 6 (i)",
       {assumption,
        {"the matrix of the contact LCP (37) is positive definite", to_answer(least > 1e-11 * size)}},
       "the contact LCP has one solution, cones aside",
       least,
       0.0});
  checks.push_back(
      {"Prop. 6 (iii)",
       {assumption,
        {"images of normals and tangents meet only in 0", to_answer(has_separate_images(problem))}},
       "accelerations are unique where the LCP is solvable"});
  if (normal_lcp.exists)
    checks.push_back({"Prop. 6 (iv)",
                      {assumption, {"z·H ≥ 0 for all z ≥ 0 with A z = 0", has_copositive_load(normal_lcp)}},
                      "the contact LCP is solvable, cones aside"});
}

// Where some contacts are unilateral: the contact MLCP.
void add_mlcp_checks(const AccelerationProblem& problem, const SharedHypotheses& shared,
                     std::vector<PropositionCheck>& checks) {
  checks.push_back(
      {"Prop. 7",
       {shared.mass, {"accelerations that all contacts allow exist", has_feasible_accelerations(problem)}},
       "the contact MLCP is solvable, cones aside (and only then)"});
  const Hypothesis mfcq{"MFCQ: a motion opens all contacts", has_mfcq(problem)};
  const Hypothesis uncoupled{"no force of the held rows is one of the normals alone",
                             has_uncoupled_normals(problem)};
  const Hypothesis rows{"held rows are independent",
                        to_answer(rank_of(held_of(problem)) == held_of(problem).cols())};
  checks.push_back({"Prop. 8 (i)",
                    {mfcq, {"no massless motion is left free", has_no_free_motion(problem)}, uncoupled, rows},
                    "the contact MLCP is solvable, cones aside"});
  checks.push_back({"Cor. 2",
                    {mfcq, shared.mass, uncoupled, shared.held},
                    "the contact MLCP is solvable with unique accelerations, cones aside"});
}

// Where unilateral and bilateral contacts meet.
void add_coupling_check(const AccelerationProblem& problem, const SharedHypotheses& shared,
                        std::vector<PropositionCheck>& checks) {
  const CouplingBound bound = compute_coupling_bound(problem);
  checks.push_back({"Prop. 12",
                    {shared.mass,
                     {"inequality (64)",
                      std::isnan(bound.left) ? Answer::kUndecided : to_answer(bound.left < bound.right)}},
                    "the contact LCP has one solution, cones aside (only sufficient)",
                    bound.left,
                    bound.right});
}

// Where some contacts slide. Prop. 13 asks for held rows alone: normals of contacts that open may contradict
// those of others. Cor. 5: A = P + N is positive definite where ‖N‖ is less than the least eigenvalue of P.
void add_sliding_checks(const SharedHypotheses& shared, const SlidingReport& sliding,
                        std::vector<PropositionCheck>& checks) {
  checks.push_back(
      {"Prop. 13", {shared.mass, shared.held}, "reduces to (75): solvable iff forces with (77) exist"});
  if (!sliding.exists) return;
  checks.push_back({"Cor. 5",
                    {{"sliding friction is weaker than inertia: ‖N‖ < λ_min(P)",
                      to_answer(sliding.friction_norm < sliding.least_inertia * (1.0 - 1e-9))}},
                    "the contact LCP has one solution for every load, cones aside",
                    sliding.friction_norm,
                    sliding.least_inertia});
}

}  // namespace

bool has_consistent_held_rows(const AccelerationProblem& problem) {
  return StickingSet(problem, FrictionKind::kUnlimited,
                     std::vector<char>(problem.contacts.size(), kContactOpen))
      .is_consistent();
}

bool has_independent_rows(const AccelerationProblem& problem) {
  const Matrix held = held_of(problem), normals = normals_of(problem);
  Matrix all(problem.size(), held.cols() + normals.cols());
  all << held, normals;
  return rank_of(all) == all.cols();
}

bool has_definite_mass(const AccelerationProblem& problem) {
  if (problem.size() == 0) return true;
  // judged after scaling to a unit diagonal: units do not matter
  const Vector diagonal = problem.M.diagonal();
  if (!(diagonal.minCoeff() > 0.0)) return false;
  const Vector unit = diagonal.cwiseSqrt().cwiseInverse();
  const Matrix scaled = unit.asDiagonal() * problem.M * unit.asDiagonal();
  return Eigen::SelfAdjointEigenSolver<Matrix>(scaled, Eigen::EigenvaluesOnly).eigenvalues()[0] > 1e-11;
}

bool has_assumption_1(const AccelerationProblem& problem) {
  const Matrix tangents = held_of(problem, false);
  return has_definite_mass(problem) && rank_of(tangents) == tangents.cols();
}

Answer has_mfcq(const AccelerationProblem& problem) {
  const Matrix N = normals_of(problem);
  return negated(meets(N, Matrix(problem.size(), 0)));
}

Answer has_uncoupled_normals(const AccelerationProblem& problem) {
  return negated(meets(normals_of(problem), held_of(problem)));
}

Answer has_no_free_motion(const AccelerationProblem& problem) {
  const Eigen::Index n = problem.size();
  if (n == 0) return Answer::kYes;
  const Matrix held = held_of(problem), N = normals_of(problem);
  Matrix felt(n, n + held.cols());
  const double size = std::max(1e-300, problem.M.cwiseAbs().maxCoeff());
  felt << problem.M / size, held;
  for (Eigen::Index j = 0; j < felt.cols(); ++j)
    if (felt.col(j).norm() < 1e-13) felt.col(j).setZero();
  OrthogonalFactor factor;
  Matrix Y;
  factor.compute(felt);
  factor.compute_null_basis(Y);
  if (Y.cols() == 0) return Answer::kYes;
  const Matrix K = Y.transpose() * N;  // motions c with Kᵀ c ≥ 0
  if (rank_of(K) < Y.cols()) return Answer::kNo;
  // Stiemke: only c = 0 has Kᵀ c ≥ 0 iff K λ = 0 for some λ > 0 (and K has full rank)
  std::vector<ForceBlock> blocks;
  for (Eigen::Index j = 0; j < K.cols(); ++j) blocks.push_back({-1, K.col(j), {}, 0.0, false});
  return ForceSet(std::move(blocks), -K.rowwise().sum()).decide().answer;
}

bool has_separate_images(const AccelerationProblem& problem) {
  const Matrix N = normals_of(problem), T = held_of(problem);
  Matrix all(problem.size(), N.cols() + T.cols());
  all << N, T;
  return rank_of(all) == rank_of(N) + rank_of(T);
}

Answer has_copositive_load(const NormalLcp& normal_lcp) {
  const Matrix& A = normal_lcp.lcp.M;
  const Vector& H = normal_lcp.lcp.q;
  const Eigen::Index m = H.size();
  if (m == 0) return Answer::kYes;
  // some z ≥ 0, A z = 0 with H·z = −1?
  const double size = std::max(1e-300, A.cwiseAbs().maxCoeff()),
               load = std::max(1e-300, H.cwiseAbs().maxCoeff());
  std::vector<ForceBlock> blocks;
  for (Eigen::Index j = 0; j < m; ++j) {
    ForceBlock block;
    block.columns.resize(m + 1, 1);
    block.columns << A.col(j) / size, -H[j] / load;
    blocks.push_back(std::move(block));
  }
  return negated(ForceSet(std::move(blocks), Vector::Unit(m + 1, m)).decide().answer);
}

Answer has_feasible_accelerations(const AccelerationProblem& problem) {
  // Farkas: impossible iff λ ≥ 0, y exist with N λ + T y = 0 and λ·bias_n + y·bias_t = −1
  const Eigen::Index n = problem.size();
  std::vector<ForceBlock> blocks;
  double largest = 0.0;
  for (const AccelerationContact& contact : problem.contacts)
    largest = std::max({largest, std::abs(contact.normal_bias),
                        contact.tangents() > 0 ? contact.tangent_bias.cwiseAbs().maxCoeff() : 0.0});
  if (largest == 0.0) return Answer::kYes;
  const auto add = [&](const Vector& row, double bias, bool is_free) {
    ForceBlock block;
    block.columns.resize(n + 1, 1);
    block.columns << row, bias / largest;
    block.is_free = is_free;
    blocks.push_back(std::move(block));
  };
  for (const AccelerationContact& contact : problem.contacts) {
    add(contact.normal, contact.normal_bias, !contact.is_unilateral());
    if (contact.slides()) continue;
    for (Eigen::Index k = 0; k < contact.tangents(); ++k)
      add(contact.tangent.row(k).transpose(), contact.tangent_bias[k], true);
  }
  return negated(ForceSet(std::move(blocks), -Vector::Unit(n + 1, n)).decide().answer);
}

CouplingBound compute_coupling_bound(const AccelerationProblem& problem) {
  CouplingBound bound{std::nan(""), std::nan(""), std::nan("")};
  if (!has_definite_mass(problem)) return bound;
  const Matrix N = normals_of(problem), X = held_of(problem);
  if (N.cols() == 0 || X.cols() == 0) return bound;
  const Eigen::LLT<Matrix> mass(problem.M);
  const Matrix A = N.transpose() * mass.solve(N), H1 = X.transpose() * mass.solve(X),
               H2 = X.transpose() * mass.solve(N);
  const auto singular = [](const Matrix& K) -> Vector {
    return Eigen::JacobiSVD<Matrix>(K).singularValues();
  };
  bound.left = portable::pow(singular(H2)[0], 2);
  bound.right = singular(A).tail(1)[0] * singular(H1).tail(1)[0];
  const NormalLcp normal_lcp = make_normal_lcp(problem);
  if (normal_lcp.exists)
    bound.least_eigenvalue =
        Eigen::SelfAdjointEigenSolver<Matrix>(normal_lcp.lcp.M, Eigen::EigenvaluesOnly).eigenvalues()[0];
  return bound;
}

FacetVerdict decide_facets(const AccelerationProblem& problem, int sides, bool inside) {
  FacetVerdict result;
  result.objective = std::nan("");
  const Facets facets{sides, inside ? 1.0 : 1.0 / portable::cos(std::numbers::pi / sides)};

  // the verdict
  const StickingSet set(problem, FrictionKind::kCones);
  if (!set.is_consistent()) {
    result.answer = Answer::kNo;
    return result;
  }
  std::vector<int> signs(problem.contacts.size(), 0);
  result.answer = decide_corners(set, facets, signs, 0);

  // the objective of (57), of contacts that are all unilateral, stick and have a tangent
  const bool has_objective =
      !problem.contacts.empty() &&
      std::all_of(problem.contacts.begin(), problem.contacts.end(), [](const AccelerationContact& contact) {
        return contact.is_unilateral() && !contact.slides() && contact.tangents() > 0;
      });
  if (!has_objective || !has_assumption_1(problem) || !has_definite_lcp(problem)) return result;
  const GaussAcceleration gauss = find_gauss_acceleration(problem);
  if (gauss.status != GaussAcceleration::Status::kSolved) return result;
  const auto [scaled, load] = make_tangential_gap(problem, gauss.a);
  ConicProgram program;
  add_polygon_rows(problem, facets, scaled.cols(), program);
  program.P = scaled.transpose() * scaled;
  program.q = scaled.transpose() * load;
  const ConicResult solved = solve_conic(program);
  if (solved.status == ConicStatus::kSolved)
    result.objective = 0.5 * (scaled * solved.x + load).squaredNorm();
  return result;
}

Answer PropositionCheck::applies() const {
  Answer all = Answer::kYes;
  for (const Hypothesis& hypothesis : hypotheses) {
    if (hypothesis.holds == Answer::kNo) return Answer::kNo;
    if (hypothesis.holds == Answer::kUndecided) all = Answer::kUndecided;
  }
  return all;
}

std::vector<PropositionCheck> check_propositions(const AccelerationProblem& problem,
                                                 const StickingAnswer& closed, const OpeningAnswer& opening,
                                                 const SlidingReport& sliding) {
  std::vector<PropositionCheck> checks;
  const auto& contacts = problem.contacts;
  const bool any_uni =
      std::any_of(contacts.begin(), contacts.end(), [](const auto& c) { return c.is_unilateral(); });
  const bool any_bi =
      std::any_of(contacts.begin(), contacts.end(), [](const auto& c) { return !c.is_unilateral(); });
  const bool slides = std::any_of(contacts.begin(), contacts.end(), [](const auto& c) { return c.slides(); });
  const SharedHypotheses shared = find_shared_hypotheses(problem);

  if (!slides) add_closed_checks(shared, checks);
  if (!any_uni && !slides) add_bilateral_checks(shared, closed, checks);
  if (any_uni && !slides) {
    if (!any_bi) add_lcp_checks(problem, checks);
    add_mlcp_checks(problem, shared, checks);
    if (any_bi) add_coupling_check(problem, shared, checks);
  }
  if (slides) add_sliding_checks(shared, sliding, checks);
  checks.push_back({any_uni ? "Props. 9, 10" : "Prop. 5",
                    {},
                    "exact cones: forces exist, or a motion proves that none do",
                    opening.sticking.set ? opening.sticking.verdict.margin : closed.verdict.margin,
                    0.0});
  return checks;
}

}  // namespace rigor
