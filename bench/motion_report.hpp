#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "bench/motion_methods.hpp"
#include "tools/rigor/plot.hpp"

namespace rigor {

/// What a method did with all problems: a curve each, in their order.
struct MethodCurves {
  std::string name;
  std::vector<Curve> curves;
  bool by_decades{false};  // as in Method
};

inline constexpr double kTargets[] = {1e-2, 1e-4, 1e-6, 1e-8};  // of ‖q‖₂

/// The first point of a curve at a residual of at most `target`; null where there is none.
[[nodiscard]] const CurvePoint* find_point(const Curve& curve, double target);

/// The smallest value that at least `part` of all have reached; infinite where fewer have. A value that was not reached
/// is infinite.
[[nodiscard]] double quantile_reached(std::vector<double> values, double part);

/// A table of Markdown, a column a target: how many reached it, and the median and 90 % of time and of iterations over
/// all problems, "–" where fewer reached it.
[[nodiscard]] std::string describe_methods(const std::vector<MethodCurves>& methods);

/// Per scene or per class of sizes: how many problems, and for every method the share that reached `target` with the
/// median of the time [ms].
enum class GroupBy { kScene, kSize };
[[nodiscard]] std::string describe_groups(const std::vector<CapturedContacts>& problems,
                                          const std::vector<MethodCurves>& methods, GroupBy by,
                                          double target);

/// The median over the problems of a scene of the best residual after so many ms, "–" where a method had none by then.
[[nodiscard]] std::string describe_times(const std::vector<CapturedContacts>& problems,
                                         const std::vector<MethodCurves>& methods, const std::string& scene,
                                         int fewest_contacts);

/// One line a point: scene, step, contacts, method, seconds, iterations, factors, residual.
void write_csv(const std::vector<CapturedContacts>& problems, const std::vector<MethodCurves>& methods,
               std::ostream& out);

/// Residual against the CPU time per contact in which half of the problems have reached it, a curve a method.
[[nodiscard]] Plot plot_methods(const std::vector<CapturedContacts>& problems,
                                const std::vector<MethodCurves>& methods);

}  // namespace rigor
