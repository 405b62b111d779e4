#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "rigor/contact/contact.hpp"
#include "rigor/dynamics/constrained_system.hpp"
#include "rigor/solvers/cone/unit_cone_matrix.hpp"
#include "rigor/solvers/problems/cone_problem.hpp"
#include "rigor/solvers/problems/contact_lcp.hpp"

namespace rigor {

/// Words of this file:
///
///     row      one scalar velocity u = J v that is held from one side, or by friction, with its impulse r
///     block    the rows that belong together: normal and tangents of a contact, or a single row
///     unit     what ConstrainedSystem factors together: a tree of joints, or trees tied by constraints
///     half     y = half vector of a force f on a unit: M̂⁻¹ acts as a product, gᵀ M̂⁻¹ f = y(g)·y(f)
///     island   blocks that share a unit, directly or through others: one complementarity problem
///
/// Where a block comes from: a contact point, an end of a joint's range, a spring that only pulls or only
/// pushes.
enum class BlockSource { kContact, kLimit, kSpring };

/// A block of rows. It acts on one unit or on two (a contact between two bodies), each of which is a Part.
struct OneSidedBlock {
  BlockSource source{BlockSource::kContact};
  int index{0};   // of the contact; of the limit: 2 i its lower, 2 i + 1 its upper end; of the spring's row
  int island{0};  // kSpring: the island of ConstrainedSystem that has the spring's row
  int first{0};   // of ContactRows' rows those from first to first + size − 1 are the block's
  int size{1};
  double mu{0.0};
  double compliance{0.0};    // ε of the first row, s/kg: u + ε r in place of u
  double inverse_mass{0.0};  // diagonal entry of W of the first row, without compliance, 1/kg
  double trace{0.0};         // sum of W's diagonal entries of all rows, 1/kg
  double offset{0.0};        // added to the first row's speed, m/s: gap/h, or the spring's slack

  struct Part {  // the block's J and Y, restricted to one unit
    int unit{0};
    int speeds{0};
    std::size_t J{0}, Y{0};    // where they begin in the stores; speeds x size and half x size numbers
    int first_speed{-1};       // the unit's first speed in v, where the unit is a single tree, else −1
    int half{0};               // length of the unit's half vectors
    int first_half{0};         // where the unit's entries begin in a vector of the half vectors of all units
    double inverse_mass{0.0};  // of the first row, 1/kg: what this unit adds to the block's
    bool is_free{false};       // the unit is a free body: six speeds along the world's axes, none prescribed
  };
  int part_count{0};
  Part parts[2];
};

/// Blocks that share a unit, directly or through others: one complementarity problem.
struct ContactIsland {
  std::vector<int> blocks;  // in increasing order
  int rows{0};
};

/// An island in the form of units, for which W is never formed, with scratch for making it. One per thread.
struct UnitAssembly {
  UnitConeProblem problem;
  // the system's unit → its number in this island, −1 where it has none; and back
  std::vector<int> number, units;
};

/// All one-sided rows of a step. With v_free the velocity without their impulses and M̂ the inertia of the
/// units with their bilateral constraints (ConstrainedInertia),
///
///     u = J v
///     v = v_free + M̂⁻¹ Jᵀ r
///     u = W r + J v_free,     W = J M̂⁻¹ Jᵀ = Yᵀ Y                                                    (1)
///
/// The columns of Y are the half vectors of J's rows. W is a product YᵀY, so that it is symmetric and
/// positive semidefinite as computed, whatever the rounding.
///
/// The second tangent is measured in units of mu_ratio, which makes an elliptic friction cone a round one:
/// that row of J is scaled, and forces are Jᵀ r as in (1). Storage is kept from step to step.
class ContactRows {
 public:
  /// The system must outlive the rows.
  explicit ContactRows(ConstrainedSystem& system);

  void clear();
  /// Adds the block of a contact. False, and nothing is added, where neither of its bodies can move.
  bool add_contact(const Contact& contact, int index);
  /// Adds the row u = sign · (speed number v) of an end of a joint's range.
  void add_limit(int v, double sign, int index);
  /// Adds row `row` of an island of the system, times side (−1 or +1).
  void add_spring(int island, int row, int side);
  [[nodiscard]] OneSidedBlock& last() { return blocks_.back(); }

  /// Computes half vectors and finds the islands. Call it after the system's own rows have been factored.
  void finish();

  [[nodiscard]] const std::vector<OneSidedBlock>& blocks() const { return blocks_; }
  [[nodiscard]] std::span<const ContactIsland> islands() const { return {islands_.data(), island_count_}; }
  [[nodiscard]] int size() const { return rows_; }
  /// The island of the blocks that act on a unit, −1 where none does.
  [[nodiscard]] int island_of(int unit) const { return island_of_unit_[static_cast<std::size_t>(unit)]; }

  /// u = J v of all rows.
  void compute_speeds(const Eigen::VectorXd& v, Eigen::VectorXd& u) const;
  /// The same with twice the digits (CompensatedSum), for the certificate.
  void compute_exact_speeds(const Eigen::VectorXd& v, Eigen::VectorXd& u) const;
  /// out += Jᵀ r.
  void add_forces(const Eigen::VectorXd& r, Eigen::VectorXd& out) const;
  /// out += |Jᵀ| |r|: the sum of the magnitudes of the terms of add_forces(), for bounds on its rounding.
  void add_magnitudes(const Eigen::VectorXd& r, Eigen::VectorXd& out) const;
  /// u += (W + compliances) r of an island, by half vectors: u and r in the order of the island's rows.
  /// `half` is scratch.
  void add_product(const ContactIsland& island, const Eigen::VectorXd& r, Eigen::VectorXd& half,
                   Eigen::VectorXd& u) const;
  /// The same without compliances, for any blocks, with only those units free to move of which moves[unit] is
  /// set.
  void add_product(const ContactIsland& blocks, std::span<const char> moves, const Eigen::VectorXd& r,
                   Eigen::VectorXd& half, Eigen::VectorXd& u) const;
  /// The island's problem: W with compliances, q from u_free (the speeds J v_free of all rows), the blocks.
  void assemble(const ContactIsland& island, const Eigen::VectorXd& u_free, ConeProblem& problem) const;
  /// The Y of (1) for the island: a column per row, entries for all units that it touches. No compliance.
  void compute_half_rows(const ContactIsland& island, Eigen::MatrixXd& Y_out) const;
  /// The problem of the first rows alone (normals, limits, springs) as rows without friction; no compliance.
  void assemble_normals(const ContactIsland& island, const Eigen::VectorXd& q, ConeProblem& problem) const;

  /// The problem of assemble() or, with `normals_only`, of assemble_normals(), in the form of units. Where
  /// `moves` is not empty, only those units are free to move of which moves[unit] is set.
  void assemble_units(const ContactIsland& island, const Eigen::VectorXd& u_free, bool normals_only,
                      UnitAssembly& out, std::span<const char> moves = {}) const;

  /// The polyhedral friction problem with its sparse structure (docs/theory/lcp.md, "contact"): velocities in
  /// the coordinates of the half vectors, in which the mass is 1; `directions` tangents per contact, 2 in a
  /// plane. `f` is the right-hand side that gave v_free. None where that form cannot express the island: it
  /// has rows without friction beside contacts, or bodies whose motion is prescribed.
  [[nodiscard]] std::optional<ContactLcpProblem> make_contact_lcp(const ContactIsland& island,
                                                                  const Eigen::VectorXd& u_free,
                                                                  const Eigen::VectorXd& f,
                                                                  int directions) const;

  /// From a vector of all rows to one of the island's rows, in the order of its problem, and back.
  void gather(const ContactIsland& island, const Eigen::VectorXd& all, Eigen::VectorXd& own) const;
  void scatter(const ContactIsland& island, const Eigen::VectorXd& own, Eigen::VectorXd& all) const;

 private:
  using ConstMap = Eigen::Map<const Eigen::MatrixXd>;
  using Map = Eigen::Map<Eigen::MatrixXd>;

  // A growing array of numbers. take() hands out the next `count` of them, not cleared; clear() keeps room.
  class Store {
   public:
    void clear() { used_ = 0; }
    std::size_t take(std::size_t count) {
      const std::size_t first = used_;
      used_ += count;
      if (used_ > room_.size()) room_.resize(std::max(used_, 2 * room_.size()));
      return first;
    }
    [[nodiscard]] double* data() { return room_.data(); }
    [[nodiscard]] const double* data() const { return room_.data(); }

   private:
    std::vector<double> room_;
    std::size_t used_{0};
  };

  // The coordinates of make_contact_lcp().
  struct HalfCoordinates {
    std::vector<Eigen::Index> start;  // of each unit, −1 for those outside the island
    std::vector<double> free;         // half vectors of v_free
  };
  using Triplets = std::vector<Eigen::Triplet<double>>;

  OneSidedBlock& add_block(BlockSource source, int index, int size);
  OneSidedBlock::Part& find_part(OneSidedBlock& block, int unit);
  void add_body(OneSidedBlock& block, const Contact& contact, BodyIndex body, double sign);
  [[nodiscard]] ConstMap J(const OneSidedBlock& block, int part) const;
  [[nodiscard]] ConstMap Y(const OneSidedBlock& block, int part) const;
  template <class VisitFree, class Visit>
  void for_each_segment(VisitFree visit_free, Visit visit) const;
  template <class Takes>
  void add_half_product(const ContactIsland& island, Takes takes, const Eigen::VectorXd& r,
                        Eigen::VectorXd& half, Eigen::VectorXd& u) const;
  void add_free_body(OneSidedBlock& block, const Contact& contact, BodyIndex body, double sign);
  void add_plain_rows(const OneSidedBlock& block, const OneSidedBlock::Part& part, int first,
                      const Contact& contact, const Eigen::Vector3d& arm, double sign);
  [[nodiscard]] HalfCoordinates collect_half_coordinates(const ContactIsland& island,
                                                         const Eigen::VectorXd& f) const;
  void add_polyhedral_rows(const OneSidedBlock& block, Eigen::Index c, int directions,
                           const HalfCoordinates& half, Triplets& N, Triplets& D,
                           Eigen::Vector3d& rest) const;
  void add_entries(const OneSidedBlock& block, int part, const OneSidedBlock& other, int other_part,
                   double* W, int stride) const;
  void find_islands();
  int find_root(int unit);

  ConstrainedSystem& system_;
  std::vector<char> is_plain_;  // of every body: it is free, with speeds along the world's axes
  std::vector<char> is_free_;   // of every body: is_plain_, a unit of its own, and not driven
  std::vector<OneSidedBlock> blocks_;
  int rows_{0};
  Store J_, Y_;
  std::vector<ContactIsland> islands_;
  std::size_t island_count_{0};
  std::vector<int> root_, island_of_unit_;
  std::vector<int> half_begin_;  // of every unit: where its entries begin among those of all units
};

}  // namespace rigor
