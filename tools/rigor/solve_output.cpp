#include "tools/rigor/solve_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} µs", 1e6 * seconds);
  if (seconds < 1.0) return fmt::format("{:.2f} ms", 1e3 * seconds);
  return fmt::format("{:.2f} s", seconds);
}

const char* answer_text(const std::optional<bool>& answer) {
  return !answer ? "not decided at this size" : *answer ? "yes" : "no";
}

JsonValue answer_to_json(const std::optional<bool>& answer) {
  if (answer) return *answer;
  return nullptr;
}

int largest_dimension(const SolutionList& list) {
  int dimension = 0;
  for (const SolutionPiece& piece : list.pieces) dimension = std::max(dimension, piece.dimension);
  return dimension;
}

std::string describe_cone_proof(const InfeasibilityProof& proof) {
  const std::string why =
      "every solution has yᵀu ≥ 0, every admissible impulse yᵀ(W r + q) < 0, summed without rounding";
  return proof.exact ? fmt::format("  no solution: {}\n", why)
                     : fmt::format("  no solution with impulses of less than {:.3g} N s in all: {}\n",
                                   proof.bound, why);
}

}  // namespace

JsonValue vector_to_json(const Eigen::VectorXd& values) {
  JsonValue::Array items;
  for (Eigen::Index i = 0; i < values.size(); ++i) items.emplace_back(values[i]);
  return items;
}

std::string describe_vector(const Eigen::VectorXd& values, Eigen::Index limit) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < std::min(values.size(), limit); ++i)
    text += fmt::format("{}{:.10g}", i == 0 ? "" : ", ", values[i]);
  if (values.size() > limit) text += fmt::format(", … {} in all", values.size());
  return text + "]";
}

JsonValue result_to_json(const LcpResult& result, bool is_cone) {
  JsonValue value{JsonValue::Object{}};
  value.add("status", std::string(to_string(result.status)));
  value.add("residual", result.residual);
  value.add("row_residual", result.row_residual);
  value.add("iterations", result.iterations);
  value.add("factorisations", result.factorisations);
  value.add("seconds", result.seconds);
  value.add("solver", result.solver);
  value.add("note", result.note);
  value.add(is_cone ? "r" : "z", vector_to_json(result.z));
  value.add(is_cone ? "u" : "w", vector_to_json(result.w));
  if (result.v.size() > 0) value.add("v", vector_to_json(result.v));
  if (result.proof) {
    JsonValue proof{JsonValue::Object{}};
    proof.add("y", vector_to_json(result.proof->y));
    proof.add("bound", result.proof->bound);
    proof.add("exact", result.proof->exact);
    value.add("proof", std::move(proof));
  }
  if (result.ray.size() > 0) value.add("ray", vector_to_json(result.ray));
  return value;
}

std::string describe_result(const LcpResult& result, double tolerance, bool is_cone) {
  std::string text = fmt::format(
      "{} by {}: residual {:.2g} (tolerance {:g}), {} iterations, {} "
      "factorisations, {}\n",
      to_string(result.status), result.solver, result.residual, tolerance, result.iterations,
      result.factorisations, duration_text(result.seconds));
  if (!result.note.empty()) text += fmt::format("  {}\n", result.note);
  if (result.proof) {
    text += is_cone ? describe_cone_proof(*result.proof)
            : result.proof->exact
                ? "  no solution: y ≥ 0, qᵀy < 0 and Mᵀy ≤ 0 hold without rounding\n"
                : fmt::format("  no solution with ‖z‖₁ below {:.3g}: y ≥ 0, qᵀy < 0 and Mᵀy nearly ≤ 0\n",
                              result.proof->bound);
    text += fmt::format("  y = {}\n", describe_vector(result.proof->y));
  } else {
    text += fmt::format("  {} = {}\n  {} = {}\n", is_cone ? 'r' : 'z', describe_vector(result.z),
                        is_cone ? 'u' : 'w', describe_vector(result.w));
    if (result.ray.size() > 0) text += fmt::format("  ray = {}\n", describe_vector(result.ray));
  }
  return text;
}

std::string comparison_table(const std::vector<LcpResult>& results) {
  std::string text = fmt::format("{:<16} {:<18} {:>9} {:>10} {:>14} {:>11}  {}\n", "method", "status",
                                 "residual", "iterations", "factorisations", "time", "note");
  for (const LcpResult& result : results)
    text +=
        fmt::format("{:<16} {:<18} {:>9} {:>10} {:>14} {:>11}  {}\n", result.solver, to_string(result.status),
                    std::isfinite(result.residual) ? fmt::format("{:.1e}", result.residual) : "-",
                    result.iterations, result.factorisations, duration_text(result.seconds), result.note);
  return text;
}

JsonValue tiers_to_json(const TierLog& log) {
  JsonValue::Array list;
  for (const TierNote& tier : log.tiers) {
    JsonValue value{JsonValue::Object{}};
    value.add("name", std::string(tier.name));
    value.add("iterations", tier.iterations);
    value.add("seconds", tier.seconds);
    value.add("answered", tier.answered);
    list.push_back(std::move(value));
  }
  return JsonValue(std::move(list));
}

std::string describe_tiers(const TierLog& log) {
  std::string text = fmt::format("  {:<22} {:>10} {:>11}\n", "tried", "iterations", "time");
  for (const TierNote& tier : log.tiers)
    text += fmt::format("  {:<22} {:>10} {:>11}{}\n", tier.name, tier.iterations, duration_text(tier.seconds),
                        tier.answered ? "  answered" : "");
  return text;
}

JsonValue matrix_class_to_json(const MatrixClass& matrix_class) {
  JsonValue value{JsonValue::Object{}};
  value.add("symmetric", matrix_class.symmetric);
  value.add("z_matrix", matrix_class.z_matrix);
  value.add("positive_definite", matrix_class.positive_definite);
  value.add("positive_semidefinite", matrix_class.positive_semidefinite);
  value.add("p_matrix", answer_to_json(matrix_class.p_matrix));
  value.add("copositive", answer_to_json(matrix_class.copositive));
  value.add("strictly_copositive", answer_to_json(matrix_class.strictly_copositive));
  value.add("copositive_plus", answer_to_json(matrix_class.copositive_plus));
  value.add("rank", matrix_class.rank);
  value.add("singular_values", vector_to_json(matrix_class.singular_values));
  value.add("smallest_symmetric_eigenvalue", matrix_class.smallest_symmetric_eigenvalue);
  value.add("guarantee", matrix_class.guarantee());
  return value;
}

std::string describe_matrix_class(const MatrixClass& matrix_class) {
  const auto& m = matrix_class;
  const auto yes = [](bool answer) { return answer ? "yes" : "no"; };
  return fmt::format(
      "matrix:\n"
      "  symmetric {}, Z {}, positive definite {}, positive semidefinite {}\n"
      "  P {}, copositive {}, strictly copositive {}, copositive-plus {}\n"
      "  rank {} of {}, singular values {}\n"
      "  smallest eigenvalue of the symmetric part {:.6g}\n"
      "  {}\n",
      yes(m.symmetric), yes(m.z_matrix), yes(m.positive_definite), yes(m.positive_semidefinite),
      answer_text(m.p_matrix), answer_text(m.copositive), answer_text(m.strictly_copositive),
      answer_text(m.copositive_plus), m.rank, m.singular_values.size(), describe_vector(m.singular_values, 6),
      m.smallest_symmetric_eigenvalue, m.guarantee());
}

JsonValue solutions_to_json(const SolutionList& list) {
  JsonValue::Array pieces;
  for (const SolutionPiece& piece : list.pieces) {
    JsonValue item{JsonValue::Object{}};
    item.add("z", vector_to_json(piece.z));
    item.add("dimension", piece.dimension);
    pieces.push_back(std::move(item));
  }
  JsonValue value{JsonValue::Object{}};
  value.add("solutions", std::move(pieces));
  value.add("dimension", largest_dimension(list));
  value.add("exact", list.exact);
  return value;
}

std::string describe_solutions(const SolutionList& list) {
  std::string text = fmt::format(
      "solutions: {}{}\n", list.pieces.size(),
      list.exact ? ", complete (rational arithmetic on the given numbers)" : ", found in floating point");
  for (const SolutionPiece& piece : list.pieces)
    text += fmt::format("  z = {}{}\n", describe_vector(piece.z),
                        piece.dimension > 0
                            ? fmt::format(", a point of a set of dimension {} at most", piece.dimension)
                            : "");
  if (list.pieces.size() > 1 || largest_dimension(list) > 0)
    text += fmt::format("  not unique: the set found has dimension {} at most\n", largest_dimension(list));
  return text;
}

}  // namespace rigor
