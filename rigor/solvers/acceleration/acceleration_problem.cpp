#include "rigor/solvers/acceleration/acceleration_problem.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/math/limits.hpp"

namespace rigor {
namespace {

// The place of the first entry that is no number, as "[2][0]".
std::string find_bad(const Eigen::MatrixXd& values, bool is_vector) {
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    for (Eigen::Index j = 0; j < values.cols(); ++j)
      if (!std::isfinite(values(i, j)))
        return is_vector ? fmt::format("[{}] = {}", i, values(i, j))
                         : fmt::format("[{}][{}] = {}", i, j, values(i, j));
  return "";
}

void require_finite(const std::string& name, const Eigen::MatrixXd& values, bool is_vector) {
  const std::string bad = find_bad(values, is_vector);
  require(bad.empty(), "{}{}, must be finite.", name, bad);
}

void validate_contact(const AccelerationContact& contact, Eigen::Index n, const std::string& who) {
  require(contact.normal.size() == n, "{}.normal has {} entries, must have {} as F.", who,
          contact.normal.size(), n);
  require(contact.tangent.rows() <= 2,
          "{}.tangent has {} rows, must have at most 2: none without friction, 1 in the plane, 2 in space.",
          who, contact.tangent.rows());
  require(contact.tangent.rows() == 0 || contact.tangent.cols() == n,
          "{}.tangent has {} columns, must have {} as F.", who, contact.tangent.cols(), n);
  require(contact.tangent_bias.size() == contact.tangents(),
          "{}.tangent_bias has {} entries, must have {} as tangent has rows.", who,
          contact.tangent_bias.size(), contact.tangents());
  require_finite(who + ".normal", contact.normal, true);
  require_finite(who + ".tangent", contact.tangent, false);
  require_finite(who + ".tangent_bias", contact.tangent_bias, true);
  require(std::isfinite(contact.normal_bias), "{}.normal_bias = {}, must be finite.", who,
          contact.normal_bias);
  require(std::isfinite(contact.mu) && contact.mu >= 0.0, "{}.mu = {}, must be finite and ≥ 0.", who,
          contact.mu);
  require(contact.normal_min >= 0.0 && std::isfinite(contact.normal_min),
          "{}.normal_min = {}, must be finite and ≥ 0.", who, contact.normal_min);
  require(contact.normal_max >= contact.normal_min, "{}.normal_max = {}, must be ≥ normal_min = {}.", who,
          contact.normal_max, contact.normal_min);
  require(
      contact.normal_min == 0.0 || contact.is_unilateral() || (contact.tangents() > 0 && contact.mu > 0.0),
      "{}.normal_min = {}, must be 0 for a bilateral contact without friction: its force may pull or push.",
      who, contact.normal_min);
  if (!contact.slides()) return;
  require(contact.tangents() > 0, "{}: a contact that slides must have a tangent.", who);
  require(contact.slip.size() == contact.tangents(),
          "{}.slip has {} entries, must have {} as tangent has rows.", who, contact.slip.size(),
          contact.tangents());
  require_finite(who + ".slip", contact.slip, true);
  require(std::abs(contact.slip.norm() - 1.0) < 1e-6, "{}.slip has length {:.6g}, must be 1.", who,
          contact.slip.norm());
}

void validate_actuator(const Actuator& actuator, Eigen::Index n, const std::string& who) {
  require(actuator.force.size() == n, "{}.force has {} entries, must have {} as F.", who,
          actuator.force.size(), n);
  require_finite(who + ".force", actuator.force, true);
  require(actuator.min <= actuator.max, "{}.min = {}, must be ≤ max = {}.", who, actuator.min, actuator.max);
  require(actuator.min < kInfinity && actuator.max > -kInfinity,
          "{}.min = {}, .max = {}: some number must lie between them.", who, actuator.min, actuator.max);
  require(std::isfinite(actuator.weight) && actuator.weight > 0.0, "{}.weight = {}, must be finite and > 0.",
          who, actuator.weight);
}

}  // namespace

void AccelerationProblem::validate() const {
  const Eigen::Index n = F.size();
  require(M.rows() == n && M.cols() == n, "M is {} x {}, must be {} x {} as F has {} entries.", M.rows(),
          M.cols(), n, n, n);
  require_finite("M", M, false);
  require_finite("F", F, true);
  const double size = n == 0 ? 0.0 : M.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      require(std::abs(M(i, j) - M(j, i)) <= 1e-9 * size,
              "M[{}][{}] = {} but M[{}][{}] = {}: M must be symmetric.", i, j, M(i, j), j, i, M(j, i));
  if (n > 0 && n <= 400) {
    const double least =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M, Eigen::EigenvaluesOnly).eigenvalues()[0];
    require(least >= -1e-9 * size, "M has the eigenvalue {:.6g}, must have none below 0.", least);
  }
  for (std::size_t i = 0; i < contacts.size(); ++i)
    validate_contact(contacts[i], n, fmt::format("contacts[{}]", i));
  for (std::size_t i = 0; i < actuators.size(); ++i)
    validate_actuator(actuators[i], n, fmt::format("actuators[{}]", i));
}

}  // namespace rigor
