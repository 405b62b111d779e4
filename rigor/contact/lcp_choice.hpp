#pragma once

#include <string_view>

#include "rigor/contact/formulation.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"

namespace rigor {

/// The LCP method that a run asks for, and what follows where it fails: Lemke's method is tried along other
/// paths, then `auto` takes over, and the answer says so (fell_back). Whether an answer is good is decided by
/// the caller's own residual, never by the method's status.
class LcpChoice {
 public:
  /// Throws where the solver of the settings is not for LCPs.
  explicit LcpChoice(const RunSettings& settings);

  [[nodiscard]] bool is_auto() const { return is_auto_; }

  /// Solves with the method asked for and, unless `is_good(result)`, with `auto`. Adds to the answer's
  /// iterations and names the method that succeeded; false where neither was good.
  template <class AnyLcp, class IsGood>
  bool solve(const AnyLcp& problem, double tolerance, ContactAnswer& answer, IsGood is_good) {
    set_tolerance(method_, tolerance);
    bool is_solved = run(problem, method_, answer) && is_good(result_);
    if (const auto* lemke = std::get_if<LemkeOptions>(&method_)) {
      LemkeOptions other = *lemke;  // rounding may end a path; there are others
      for (other.seed = 2; other.seed <= kLemkePaths && !is_solved; ++other.seed) {
        other.random_cover = other.seed > kLemkePaths / 2;
        is_solved = run(problem, LcpMethod(other), answer) && is_good(result_);
      }
    }
    if (is_solved) {
      answer.method = method_name(result_.solver);
      answer.fell_back = answer.fell_back || (!is_auto_ && result_.solver != name_);
      return true;
    }
    if (is_auto_) return false;
    answer.fell_back = true;
    AutoOptions options;
    options.tolerance = tolerance;
    if (!run(problem, LcpMethod(options), answer) || !is_good(result_)) return false;
    answer.method = method_name(result_.solver);
    return true;
  }

  [[nodiscard]] const LcpResult& result() const { return result_; }

 private:
  static constexpr std::uint64_t kLemkePaths = 6;

  template <class AnyLcp>
  bool run(const AnyLcp& problem, const LcpMethod& method, ContactAnswer& answer) {
    if constexpr (std::is_same_v<AnyLcp, LcpProblem>)
      rigor::solve(problem, method, workspace_, result_);
    else
      result_ = rigor::solve(problem, method);
    answer.iterations += result_.iterations;
    return result_.z.size() > 0;
  }
  /// The name of a method as a string that lives for ever, since the answer keeps only a view of it.
  [[nodiscard]] static std::string_view method_name(std::string_view solver);

  LcpMethod method_;
  std::string_view name_;
  bool is_auto_;
  LcpWorkspace workspace_;
  LcpResult result_;
};

}  // namespace rigor
