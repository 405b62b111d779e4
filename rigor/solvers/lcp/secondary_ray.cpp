#include "rigor/solvers/lcp/secondary_ray.hpp"

#include <fmt/format.h>

#include <limits>

namespace rigor {

RayReading read_ray(const LcpProblem& problem, const Eigen::VectorXd& ray) {
  RayReading reading;
  if (ray.size() != problem.q.size() || !ray.allFinite()) return reading;
  const Eigen::VectorXd image = problem.M * ray;
  // |error of a sum of n products| ≤ (n + 2) ε Σ|products| to first order; twice that for the second sum
  const auto n = static_cast<double>(ray.size());
  const Eigen::VectorXd rounding =
      (n + 2.0) * std::numeric_limits<double>::epsilon() * (problem.M.cwiseAbs() * ray.cwiseAbs());
  reading.curvature = ray.dot(image);
  const double doubt = 2.0 * ray.cwiseAbs().dot(rounding);
  if (reading.curvature < -doubt)
    reading.fact = RayFact::kNotCopositive;
  else if (reading.curvature <= doubt)
    reading.fact = RayFact::kZero;
  reading.no_p_matrix = ray.maxCoeff() > 0.0;
  for (Eigen::Index i = 0; i < ray.size(); ++i)
    if (ray[i] > 0.0 && image[i] > -rounding[i]) reading.no_p_matrix = false;
  return reading;
}

std::string describe_ray(const LcpProblem& problem, const Eigen::VectorXd& ray) {
  const RayReading reading = read_ray(problem, ray);
  std::string text = "secondary ray v";
  switch (reading.fact) {
    case RayFact::kNotCopositive:
      text += fmt::format(
          " with vᵀMv = {:.3g} < 0: M is not copositive, so that the ray says nothing about solutions",
          reading.curvature);
      break;
    case RayFact::kZero:
      text +=
          " with vᵀMv = 0 up to rounding: M is not strictly copositive; there is no solution if M is "
          "copositive-plus, but the proof does not hold on the given numbers";
      break;
    case RayFact::kNothing:
      text += fmt::format(" with vᵀMv = {:.3g} > 0: rounding of the method, it proves nothing",
                          reading.curvature);
      break;
  }
  if (reading.no_p_matrix) text += "; v_i (Mv)_i ≤ 0 throughout: M is no P-matrix";
  return text;
}

}  // namespace rigor
