#pragma once

#include "rigor/solvers/cone/cone_matrix.hpp"

namespace rigor {

/// A cone problem in the form of units: W = Yᵀ Y + E is not given, but Y and E. A unit is a free body or a
/// mechanism; the columns of Y are the half vectors of the rows on the units, Y = L⁻¹ Jᵀ with M = L Lᵀ, and E
/// has a compliance per row. v = Y r is the velocity that r gives, in coordinates in which the mass is 1. A
/// node is three consecutive entries of v: a free body has two.
struct UnitConeProblem {
  struct Part {
    int unit{0};
    int first{
        0};  // in `half`: one block per node of the unit, rows half velocities, columns the contact's rows
  };
  struct Contact {
    int size{3};  // rows in use; the others have no part in Y
    int part_count{0};
    Part parts[2];
    double compliance{0.0};  // of the first row, s/kg
    bool is_open{false};     // it does not touch at rest: its q_N contains a gap
  };
  std::vector<int> node_begin{0};  // per unit, and the end: nodes of three half velocities, padded with zeros
  std::vector<Block3> half;
  std::vector<Contact> contacts;
  Eigen::VectorXd q, mu;  // 3 per contact, 1 per contact; q = 0 in rows that are not used

  [[nodiscard]] int nodes() const { return node_begin.back(); }
  void clear();
};

/// The same problem with W formed by blocks. Factors of W are larger than those below, but keep more digits
/// where there are many contacts for few velocities and the compliance is small.
void form_sparse_cone(const UnitConeProblem& units, SparseConeProblem& problem);

/// W in the form of units, never formed: products and sweeps go over the units. (1) of cone_matrix.hpp is
/// solved for the velocities v, with D' = (1 + D E)⁻¹ D, t' = (1 + D E)⁻¹ t, as
///
///     (1 + Y D' Yᵀ) v = Y t',    dr = t' − D' Yᵀ v,    du = Yᵀ v + E dr,                             (1)
///
/// by a sparse LU of 3 x 3 blocks on the graph of units. Its size is that of the velocities, however many contacts there
/// are. Where D is large the solution is refined once, and where it is so large that the 1 of (1) would drown beside it,
/// a compliance of least_alpha() conditions the factor, which the refinement takes off again.
class UnitConeMatrix final : public ConeMatrix {
 public:
  /// The problem must outlive the matrix.
  void set(const UnitConeProblem& problem);
  void forget_factors() { lu_.forget(); }

  void add_product(const Eigen::VectorXd& r, Eigen::VectorXd& u) const override;
  bool sweep(const Eigen::VectorXd& q, const std::vector<ConeLocal>& local, Eigen::VectorXd& r) override;
  [[nodiscard]] bool factor(const std::vector<Block3>& D) override;
  void solve(const Eigen::VectorXd& t, Eigen::VectorXd& dr, Eigen::VectorXd& du) override;
  [[nodiscard]] double factor_work() override;
  [[nodiscard]] double sweep_work() const override;
  [[nodiscard]] double least_alpha() const override { return 1e-10; }

  /// The rank of Y P, P_i (3 x 3, symmetric positive semidefinite) a projection on a face of contact i's
  /// cone: the number of squared singular values of the scaled Y P^½ above `threshold`. The last factor() is
  /// lost by it.
  [[nodiscard]] int find_rank(const std::vector<Eigen::Matrix3d>& P, double threshold);

 private:
  struct Terms;
  struct alignas(64) Twin {  // a TwinColumn
    double v[8];
  };
  void set_contact(int i);
  void find_runs();
  void add_twin(const Block3& first, const Block3& second);
  void make_pattern();
  void make_graph();
  void find_places();
  void fill(const std::vector<Block3>& D, double diagonal, std::vector<Block3>& values) const;
  void solve_once(const Eigen::VectorXd& t, Eigen::VectorXd& dr, Eigen::VectorXd& du);
  [[nodiscard]] Terms terms() const;
  void gather(const Eigen::VectorXd& r) const;  // velocity_ = Y r

  const UnitConeProblem* problem_{nullptr};
  // Y by contacts: contact i has the blocks half_[term_begin_[i]] …, scaled, of the nodes node_
  std::vector<int> term_begin_, node_;
  std::vector<Block3> half_;
  std::vector<double> spring_;               // per contact: E of its first row, scaled
  std::vector<int> run_begin_, twin_begin_;  // see Terms
  std::vector<char> is_twin_;
  std::vector<Twin> twins_;
  bool has_pattern_{false};
  BlockPattern pattern_;
  std::vector<int> place_begin_,
      place_;  // per contact, then pairs of terms: where the block is in the pattern
  std::vector<int> diagonal_at_;
  BlockLu lu_, rank_lu_;                       // rank_lu_ where lu_ is dense
  const std::vector<Block3>* given_{nullptr};  // D of (1)
  std::vector<Block3> faces_;
  mutable std::vector<Padded3> velocity_;
  Eigen::VectorXd f_, v_, exact_, rest_, correction_, correction_speed_;
  std::vector<std::vector<int>> neighbours_;
};

}  // namespace rigor
