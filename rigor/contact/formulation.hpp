#pragma once

#include <memory>
#include <string_view>

#include "rigor/contact/contact_rows.hpp"
#include "rigor/model/state.hpp"
#include "rigor/solvers/problem.hpp"

namespace rigor {

/// What a formulation is asked about one island of a step.
struct ContactQuestion {
  ContactRows& rows;
  const ContactIsland& island;
  const ConeProblem& problem;     // u = W r + q of the island, compliances and gaps in it; see needs_matrix()
  const Eigen::VectorXd& u_free;  // all rows
  const Eigen::VectorXd& f;       // right-hand side that gave them
};

struct ContactAnswer {
  Status status{Status::kIterationLimit};
  Eigen::VectorXd r;  // on entry a start, where has_start
  bool has_start{false};
  int start_freedom{0};        // force_freedom of the step that the start comes from
  double residual{0.0};        // m/s: recomputed from the problem, scaled by the mean diagonal of W
  double cone_violation{0.0};  // m/s: how far r is outside the exact cone, scaled alike
  int iterations{0};
  int force_freedom{0};  // dimension of the forces that give the same velocity; −1 where not known
  std::string_view method;
};

/// A friction law and its discretisation, by name `cone`, `convex`, `anitescu-potra`, `stewart-trinkle`:
/// plain rows in, impulses out. It knows no bodies.
class ContactFormulation {
 public:
  virtual ~ContactFormulation() = default;

  /// Whether the contact has rows in this step; `memory` is what the last step left of it, or null.
  [[nodiscard]] virtual bool takes(const Contact& contact, const ContactMemory* memory) const;
  /// Whether an open contact may close within the step, u_n⁺ ≥ −gap/h; else u_n⁺ ≥ 0.
  [[nodiscard]] virtual bool uses_gap() const { return true; }

  /// Whether solve() looks at the problem's W: large islands may do without.
  [[nodiscard]] virtual bool needs_matrix(const ContactRows&, const ContactIsland&) const { return true; }

  virtual void solve(const ContactQuestion& question, ContactAnswer& answer) = 0;

  /// The island's problem as this formulation solves it, for a file.
  [[nodiscard]] virtual Problem make_problem(const ConeProblem& problem) = 0;
};

/// Throws InvalidInput where the formulation does not exist yet.
[[nodiscard]] std::unique_ptr<ContactFormulation> make_formulation(const RunSettings& settings);

/// The mean of W's diagonal, 1/kg: impulses times it are velocities; 1 where W is zero.
[[nodiscard]] double mean_inverse_mass(const Eigen::MatrixXd& W);

/// How far r is from the cones, times the mean inverse mass: m/s.
[[nodiscard]] double compute_cone_violation(const ConeProblem& problem, const Eigen::VectorXd& r);

}  // namespace rigor
