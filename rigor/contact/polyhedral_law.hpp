#pragma once

#include "rigor/contact/lcp_choice.hpp"

namespace rigor {

/// `anitescu-potra` and `stewart-trinkle`: the friction cone is replaced by a polyhedral one with m tangents
/// d_k per contact, m even and evenly spread (two in a plane, where that is exact). The problem is a plain
/// LCP in z = (c, β, λ): c the normal impulse, β_k the friction impulse along d_k, λ about the slip speed.
///
///     0 ≤ c   ⊥ u_n⁺ ≥ 0           (stewart-trinkle: u_n⁺ ≥ −gap/h; compliance where the normal has one)
///     0 ≤ β_k ⊥ λ + d_k·u_t⁺ ≥ 0
///     0 ≤ λ   ⊥ μ c − Σ β_k ≥ 0,        p = (c, Σ β_k d_k)                                           (1)
///
/// Rows without friction (limits, springs) are further c without β and λ. `anitescu-potra` decides which
/// contacts take part as the authors do: those that overlap, and those that the last LCP kept closed, however
/// small the gap of the others.
///
/// [AP97] M. Anitescu, F. Potra. Formulating dynamic multi-rigid-body contact problems with friction as
///        solvable linear complementarity problems. Nonlinear Dynamics 14, 1997.
/// [ST96] D. Stewart, J. Trinkle. An implicit time-stepping scheme for rigid body dynamics with inelastic
///        collisions and Coulomb friction. Int. J. Numer. Methods Eng. 39, 1996.
class PolyhedralLaw final : public ContactFormulation {
 public:
  PolyhedralLaw(const RunSettings& settings, bool uses_gap);

  [[nodiscard]] bool takes(const Contact& contact, const ContactMemory* memory) const override;
  [[nodiscard]] bool uses_gap() const override { return uses_gap_; }
  void solve(const ContactQuestion& question, ContactAnswer& answer) override;
  /// (1) with impulses in N s.
  [[nodiscard]] Problem make_problem(const ContactQuestion& question) override;

 private:
  void make_directions(const ConeProblem& problem);
  void make_lcp(const ConeProblem& problem, double mean);
  [[nodiscard]] double judge(const ConeProblem& problem, const Eigen::VectorXd& z, double mean);
  bool accept(const ConeProblem& problem, const LcpResult& result, double mean, ContactAnswer& answer);

  bool uses_gap_;
  int directions_;
  double tolerance_;
  LcpChoice choice_;
  LcpProblem lcp_;
  struct Direction {  // of an unknown c or β: it acts with `along` on the rows from `first` on
    int first{0}, size{1};
    double along[2]{1.0, 0.0};
  };
  [[nodiscard]] static double dot(const Direction& direction, const double* rows) {
    return direction.along[0] * rows[direction.first] +
           (direction.size == 2 ? direction.along[1] * rows[direction.first + 1] : 0.0);
  }
  std::vector<Direction> unknowns_;  // c, then β
  std::vector<int> cone_of_;         // unknown → which λ, −1 for a normal
  std::vector<int> normal_of_;       // λ → its c
  std::vector<double> mu_;           // of each λ
  Eigen::VectorXd r_, u_, w_;
  Eigen::MatrixXd WT_;  // W times the directions
};

}  // namespace rigor
