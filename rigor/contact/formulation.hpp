#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string_view>

#include "rigor/base/worker_pool.hpp"
#include "rigor/contact/contact_rows.hpp"
#include "rigor/model/state.hpp"
#include "rigor/solvers/cone/cone_uniqueness.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

struct Problem;

/// What laws with a memory know of a contact, along its rows. The second tangent is in units of mu_ratio.
struct FrictionState {
  Eigen::Vector2d velocity{Eigen::Vector2d::Zero()};  // tangential, at the beginning of the step, m/s
  bool is_known{false};                               // whether there was a step before
  double normal{0.0};                                 // forces of that step, N
  Eigen::Vector2d tangential{Eigen::Vector2d::Zero()};
  double slip_speed{0.0};  // m/s: below it sticks
  double stiffness{0.0};   // of bristles, N/m; 0 is rigid
  double damping{0.0};     // N s/m
  double mu_ratio{1.0};
};

/// How the residual of an answer is checked: by the law of cones on r and u alone, or by what the formulation says
/// of itself.
enum class ContactLaw { kCone, kConvex, kOwn };

/// What a formulation is asked about one island of a step.
struct ContactQuestion {
  const ContactRows& rows;
  const ContactIsland& island;
  const ConeProblem& problem;     // u = W r + q of the island, with compliances, gaps; see needs_matrix()
  const Eigen::VectorXd& u_free;  // all rows
  const Eigen::VectorXd& f;       // right-hand side that gave them
  std::span<const FrictionState> friction{};  // of the island's blocks; of no meaning without friction
  double h{0.0};                              // s
  WorkerPool* pool{nullptr};                  // threads to share this island; none where it is one of many
};

struct ContactAnswer {
  Status status{Status::kIterationLimit};
  Eigen::VectorXd r;  // on entry a start, where has_start
  bool has_start{false};
  bool start_slid{false};  // a contact slid in the step that the start comes from
  int start_freedom{0};    // force_freedom of that step
  VelocityVerdict start_velocity{VelocityVerdict::kUnknown};
  double residual{0.0};        // m/s: recomputed from the problem, scaled by the mean diagonal of W
  double cone_violation{0.0};  // m/s: how far r is outside the exact cone, scaled alike
  int iterations{0};
  int force_freedom{0};  // dimension of the forces that give the same velocity; −1 where not known
  VelocityVerdict velocity{VelocityVerdict::kUnknown};
  std::string_view method;
  bool fell_back{false};           // another method than the one asked for gave the answer
  double phantom_inertia{0.0};     // of `phantom`: the least used, kg, and
  double phantom_limit{INFINITY};  // the least 2 s, below which it should be
};

/// A friction law and its discretisation, by name `cone`, `convex`, `anitescu-potra`, `stewart-trinkle`,
/// `box`, `hybrid`, `phantom`: plain rows in, impulses out. It knows no bodies.
class ContactFormulation {
 public:
  virtual ~ContactFormulation() = default;

  /// Whether the contact has rows in this step; `memory` is what the last step left of it, or null.
  [[nodiscard]] virtual bool takes(const Contact& contact, const ContactMemory* memory) const;
  [[nodiscard]] virtual ContactLaw law() const { return ContactLaw::kOwn; }
  /// Whether an open contact may close within the step, u_n⁺ ≥ −gap/h; else u_n⁺ ≥ 0.
  [[nodiscard]] virtual bool uses_gap() const { return true; }

  /// Whether the start in `answer` solves the island's problem to rounding: the answer is then complete, and
  /// solve() is not asked. The question has neither W nor friction.
  [[nodiscard]] virtual bool keep(const ContactQuestion&, ContactAnswer&) { return false; }
  /// Whether solve() looks at the question's `friction`.
  [[nodiscard]] virtual bool needs_friction() const { return true; }
  /// Whether solve() looks at the problem's W: large islands may do without.
  [[nodiscard]] virtual bool needs_matrix(const ContactRows&, const ContactIsland&) const { return true; }

  /// Whether answers say how far they are unique (force_freedom, velocity), where that costs something (the default).
  virtual void want_uniqueness(bool) {}

  virtual void solve(const ContactQuestion& question, ContactAnswer& answer) = 0;

  /// The island's problem as this formulation solves it, for a file.
  [[nodiscard]] virtual Problem make_problem(const ContactQuestion& question) = 0;
};

/// Throws InvalidInput where the solver of the settings is not for this formulation.
[[nodiscard]] std::unique_ptr<ContactFormulation> make_formulation(const RunSettings& settings);

/// The mean of W's diagonal, 1/kg: impulses times it are velocities; 1 where W is zero.
[[nodiscard]] double mean_inverse_mass(const Eigen::MatrixXd& W);

/// How far r is from the cones, times the mean inverse mass: m/s.
[[nodiscard]] double compute_cone_violation(const ConeProblem& problem, const Eigen::VectorXd& r);

}  // namespace rigor
