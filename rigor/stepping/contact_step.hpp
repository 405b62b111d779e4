#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rigor/contact/contact_rows.hpp"
#include "rigor/contact/formulation.hpp"
#include "rigor/model/state.hpp"
#include "rigor/stepping/step_report.hpp"

namespace rigor {

/// A contact point that the formulation wants in this step.
struct ContactCandidate {
  int contact{0};                          // in ContactStep::contacts
  const ContactMemory* memory{nullptr};    // what the last step left of it, in the caller's State; null: new
  bool is_aside{false};                    // has no rows in this round: see ContactSearch
  int block{-1};                           // in ContactStep::rows; −1: has none
  std::optional<Eigen::Vector3d> start{};  // impulse that an earlier round of this step found, N s
};

/// An end of a joint's range.
struct LimitEnd {
  int index{0};          // of the block: 2 i the lower end of limit i of the model, 2 i + 1 the upper one
  int v{0};              // the speed that it holds
  double sign{1.0};      // times that speed it is left
  double distance{0.0};  // m or rad
  bool is_aside{false};  // has no row in this round: see ContactSearch
};

/// Where a body was when the contacts were found.
struct BodyPlace {
  Eigen::Matrix3d R;  // of the body's frame J in W
  Eigen::Vector3d p;  // m
  bool moved{false};  // since then, or had a velocity then, by as little as a bit

  void note_way(const BodyKinematics<double>& then, const BodyKinematics<double>& now);
  /// From the body's frame to W, and back.
  [[nodiscard]] Eigen::Vector3d to_world(const Eigen::Vector3d& local) const { return p + R * local; }
  [[nodiscard]] Eigen::Vector3d to_body(const Eigen::Vector3d& point) const {
    return R.transpose() * (point - p);
  }
};

/// The material points of the two bodies that a contact which sticks keeps together: see find_anchors().
struct ContactAnchor {
  Eigen::Vector3d a{Eigen::Vector3d::Zero()}, b{Eigen::Vector3d::Zero()};  // in the frames J of A and B, m
  Eigen::Vector3d slip{
      Eigen::Vector3d::Zero()};  // of one that rolls: what its ways differ by, in the world, m
  bool is_known{false};          // the contact has such points
  bool is_held{false};           // and positions are to keep them together
  bool rolls{false};             // they are others in every step
  bool is_torn{false};           // they are too far apart to be held: it begins anew
  bool is_remembered{false};     // they are those of the memory, to the last bit
};

/// A row of a constraint island that acts to one side only: a spring that only pulls or only pushes.
struct SpringRow {
  int island{0}, row{0};
  int side{0};             // +1 or −1: the sign of its impulse
  double compliance{0.0};  // ε, s/kg
  double b{0.0};           // J v⁺ + ε p = b, m/s
};

/// All that one step knows of its contacts and other one-sided rows. Plain data; each stage reads what the
/// stages before it have written and writes its own part:
///
///     find      ContactSearch       shapes → contact points that matter, ends of ranges
///     assemble  assemble_contacts   → rows H, their offsets and compliances, islands
///     solve     ContactSolver       → impulses r of every island, by the formulation
///     judge     judge_contacts      v⁺ → u⁺ = H v⁺, residual, verdict, modes, work: the certificate
///     hold      find_anchors, AnchorHolder   q⁺ → material points of contacts that stick, kept together
///     remember  remember_contacts   → the State's memory of contacts
///
/// The storage is kept from step to step.
struct ContactStep {
  explicit ContactStep(ConstrainedSystem& system) : rows(system) {}

  double h{0.0};            // s
  bool moves_first{false};  // `positions: before`: the bodies have moved when the contacts are found

  // find
  std::vector<BodyPlace> before;      // of every body, where the contacts were found
  std::span<const Contact> contacts;  // all that are near, in the finder's storage
  std::vector<ContactCandidate> candidates;
  std::vector<LimitEnd> limits;  // of the speeds that are not prescribed

  // assemble
  ContactRows rows;
  std::vector<double> distances;  // of every block: gap, or distance to the end of a range, m or rad
  std::vector<char> pushes;       // of every block: whether its overlap is taken back

  // solve
  Eigen::VectorXd u_free;              // H v without contact impulses, m/s
  Eigen::VectorXd f_free;              // the right-hand side that gave that v, N s
  Eigen::VectorXd r;                   // impulses of all rows, N s
  std::vector<ContactAnswer> answers;  // of every island
  std::vector<int> island_of;          // of every block
  std::size_t hardest{0};              // the island that took most iterations

  // judge
  Eigen::VectorXd u;                    // H v⁺, m/s
  bool is_still{false};                 // v⁺ is 0, and u
  std::vector<Vec6<double>> V;          // velocities of the bodies with v⁺, where contacts are aside
  std::vector<IslandVerdict> verdicts;  // of every island
  std::size_t worst{0};                 // the island whose residual is largest beside what it may be
  std::vector<ContactReport> reports;
  Eigen::VectorXd image, half;  // scratch: W r + q of one island
  std::vector<char> is_met;     // scratch: of the memory, whether its contact goes on

  // hold
  std::vector<ContactAnchor> anchors;  // of every candidate; none where nothing moves

  [[nodiscard]] bool is_empty() const { return rows.blocks().empty(); }
  [[nodiscard]] const Contact& contact_of(const ContactCandidate& candidate) const {
    return contacts[static_cast<std::size_t>(candidate.contact)];
  }
  [[nodiscard]] const ContactCandidate& candidate_of(const OneSidedBlock& block) const {
    return candidates[static_cast<std::size_t>(block.index)];
  }
};

/// A gap below this is closed, m or rad: rounding must not come back as a speed gap/h.
inline constexpr double kTouch = 1e-9;

/// Velocity of A's material relative to B's at a contact, by the given velocities of the bodies, m/s. The
/// bodies are where they were at the beginning of the step.
[[nodiscard]] Eigen::Vector3d relative_velocity(const ContactStep& step, const Contact& contact,
                                                const std::vector<Vec6<double>>& V);

/// The first three of `size` numbers, the rest zero.
[[nodiscard]] inline Eigen::Vector3d head_of(const double* x, int size) {
  return {x[0], size > 1 ? x[1] : 0.0, size > 2 ? x[2] : 0.0};
}

}  // namespace rigor
