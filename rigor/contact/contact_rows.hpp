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

/// What one-sided rows come from: a contact point, an end of a joint's range, a spring that only pulls or
/// only pushes.
enum class BlockSource { kContact, kLimit, kSpring };

/// The rows of one contact (normal, tangents), or a single row.
struct OneSidedBlock {
  BlockSource source{BlockSource::kContact};
  int index{0};   // contact; limit, 2 i its lower and 2 i + 1 its upper end; row of its island
  int island{0};  // kSpring: whose row
  int first{0};   // its rows are first … first + size of all
  int size{1};
  double mu{0.0};
  double compliance{0.0};    // ε of the first row, s/kg
  double inverse_mass{0.0};  // of the first row alone, 1/kg: W without compliance
  double trace{0.0};         // of all rows, 1/kg
  double offset{0.0};        // added to the first row's speed, m/s: gap/h, or the spring's slack

  struct Part {  // what of the rows acts on one unit of the system
    int unit{0};
    int speeds{0};
    std::size_t J{0}, Y{0};  // where in the stores; speeds x size and half x size
    int first_speed{-1};     // of the model's, where the unit is a tree of its own
    int half{0};
    int first_half{0};         // of the half velocities of all units
    double inverse_mass{0.0};  // of the first row, 1/kg: what this part adds to the block's
    bool is_free{false};       // the unit is a free body: six speeds along the world's axes, none prescribed
  };
  int part_count{0};
  Part parts[2];
};

/// Blocks that feel each other, directly or through others: one complementarity problem.
struct ContactIsland {
  std::vector<int> blocks;  // in increasing order
  int rows{0};
};

/// An island without its matrix, and the scratch of assembling it. One per thread.
struct UnitAssembly {
  UnitConeProblem problem;
  std::vector<int> number, units;  // unit of the system → of the island, −1; the units in the island's order
};

/// The one-sided rows of a step on the units of a system (see ConstrainedSystem):
///
///     u = J v,     v = v_free + M̂⁻¹ Jᵀ r,     u = W r + J v_free,     W = Yᵀ Y                       (1)
///
/// with Y the half vectors of J's rows: W is symmetric and positive semidefinite as computed. The second
/// tangent is measured in units of mu_ratio, so that an elliptic cone is a round one (r keeps (1): forces are
/// Jᵀ r as they are). Storage is kept from step to step.
class ContactRows {
 public:
  /// The system must outlive the rows.
  explicit ContactRows(ConstrainedSystem& system);

  void clear();
  /// False where nothing that moves is touched.
  bool add_contact(const Contact& contact, int index);
  void add_limit(int v, double sign, int index);
  /// Row r of an island's, times side.
  void add_spring(int island, int row, int side);
  [[nodiscard]] OneSidedBlock& last() { return blocks_.back(); }

  /// After the system's rows are factored: half vectors, and the islands.
  void finish();

  [[nodiscard]] const std::vector<OneSidedBlock>& blocks() const { return blocks_; }
  [[nodiscard]] std::span<const ContactIsland> islands() const { return {islands_.data(), island_count_}; }
  [[nodiscard]] int size() const { return rows_; }
  /// The island that a unit's blocks are in, −1 where it has none.
  [[nodiscard]] int island_of(int unit) const { return island_of_unit_[static_cast<std::size_t>(unit)]; }

  /// u = J v of all rows.
  void compute_speeds(const Eigen::VectorXd& v, Eigen::VectorXd& u) const;
  /// The same with twice the digits (CompensatedSum), for the certificate.
  void compute_exact_speeds(const Eigen::VectorXd& v, Eigen::VectorXd& u) const;
  /// out += Jᵀ r.
  void add_forces(const Eigen::VectorXd& r, Eigen::VectorXd& out) const;
  /// out += |Jᵀ| |r|: what add_forces() adds, without cancelling.
  void add_magnitudes(const Eigen::VectorXd& r, Eigen::VectorXd& out) const;
  /// u += W r of an island with its compliances, in the order of its rows, by half vectors. `half` is
  /// scratch.
  void add_product(const ContactIsland& island, const Eigen::VectorXd& r, Eigen::VectorXd& half,
                   Eigen::VectorXd& u) const;
  /// The island's W with compliances, its q from the speeds u_free of all rows, and its blocks.
  void assemble(const ContactIsland& island, const Eigen::VectorXd& u_free, ConeProblem& problem) const;
  /// The half vectors of the island's rows as columns, on all units that they touch: W = YᵀY without
  /// compliance.
  void compute_half_rows(const ContactIsland& island, Eigen::MatrixXd& Y_out) const;
  /// Only the first row of each block, as one-sided rows: normals, limits, springs; W without compliance.
  void assemble_normals(const ContactIsland& island, const Eigen::VectorXd& q, ConeProblem& problem) const;

  /// What assemble() and, with `normals_only`, assemble_normals() say, as units and half vectors.
  void assemble_units(const ContactIsland& island, const Eigen::VectorXd& u_free, bool normals_only,
                      UnitAssembly& out) const;

  /// The polyhedral problem with its sparse structure, velocities in the coordinates of the half vectors
  /// (where the mass is 1), `directions` tangents per contact: 2 in a plane. `f` is the right-hand side that
  /// gave v_free. None where the structure cannot say it all: one-sided rows without friction beside
  /// contacts, or surfaces that are driven.
  [[nodiscard]] std::optional<ContactLcpProblem> make_contact_lcp(const ContactIsland& island,
                                                                  const Eigen::VectorXd& u_free,
                                                                  const Eigen::VectorXd& f,
                                                                  int directions) const;

  /// Rows of the island in the order of its problem, from and to the order of all rows.
  void gather(const ContactIsland& island, const Eigen::VectorXd& all, Eigen::VectorXd& own) const;
  void scatter(const ContactIsland& island, const Eigen::VectorXd& own, Eigen::VectorXd& all) const;

 private:
  using ConstMap = Eigen::Map<const Eigen::MatrixXd>;
  using Map = Eigen::Map<Eigen::MatrixXd>;

  // Numbers one after the other; the room is kept, what is taken is not cleared.
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

  OneSidedBlock& add_block(BlockSource source, int index, int size);
  OneSidedBlock::Part& find_part(OneSidedBlock& block, int unit);
  void add_body(OneSidedBlock& block, const Contact& contact, BodyIndex body, double sign);
  [[nodiscard]] ConstMap J(const OneSidedBlock& block, int part) const;
  [[nodiscard]] ConstMap Y(const OneSidedBlock& block, int part) const;
  template <class VisitFree, class Visit>
  void for_each_segment(VisitFree visit_free, Visit visit) const;
  void add_free_body(OneSidedBlock& block, const Contact& contact, BodyIndex body, double sign);
  void add_plain_rows(const OneSidedBlock& block, const OneSidedBlock::Part& part, int first,
                      const Contact& contact, const Eigen::Vector3d& arm, double sign);
  void find_islands();
  int find_root(int unit);

  ConstrainedSystem& system_;
  std::vector<char> is_plain_;  // of every body: free, with speeds along the world's axes
  std::vector<char> is_free_;   // and the whole of its unit, not driven
  std::vector<OneSidedBlock> blocks_;
  int rows_{0};
  Store J_, Y_;
  std::vector<ContactIsland> islands_;
  std::size_t island_count_{0};
  std::vector<int> root_, island_of_unit_;
  std::vector<int> half_begin_;  // of every unit: where its half velocities stand
};

}  // namespace rigor
