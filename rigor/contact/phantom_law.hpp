#pragma once

#include "rigor/contact/friction_rows.hpp"
#include "rigor/contact/lcp_choice.hpp"
#include "rigor/contact/phantom_lcp.hpp"

namespace rigor {

/// `phantom`: the friction model of Peiret, Kövecses and Font-Llagunes, whose LCP is not singular [P17].
///
/// A contact that sticks has k = directions/2 directions, each up and down (phantom_lcp.hpp), and breaks away
/// at a force between μ λ_n and μ λ_n/cos(π/2k), depending on the direction of the push. One that slides (see
/// friction_rows.hpp for the switch) has, by `run.sliding`,
///
///     lateral      the directions e_t, e_l along and across the slip, e_l regularised: isotropic friction
///     tangent      the same with μ = 0 along e_l: no lateral force
///     directions   the k directions, as if it stuck
///
/// A sliding contact comes to a stop and does not swing about zero: without slip friction may take any
/// value within its bounds.
///
/// [P17] see friction_rows.hpp.
class PhantomLaw final : public ContactFormulation {
 public:
  explicit PhantomLaw(const RunSettings& settings);

  void solve(const ContactQuestion& question, ContactAnswer& answer) override;
  /// The reduced LCP (2) of phantom_lcp.hpp or the mixed one, by `run.form`. Impulses in N s.
  [[nodiscard]] Problem make_problem(const ContactQuestion& question) override;

 private:
  void set_up(const ContactQuestion& question);
  [[nodiscard]] bool build(double mean);
  [[nodiscard]] MlcpProblem make_mixed(const ContactQuestion& question, double mean);
  [[nodiscard]] bool solve_once(const ContactQuestion& question, ContactAnswer& answer);

  RunSettings::Sliding sliding_;
  RunSettings::Form form_;
  int k_;
  double rho_, tolerance_;
  LcpChoice choice_;
  FrictionRows rows_;
  PhantomLcp phantom_;
  std::vector<PhantomLcp::Directions> directions_;
  Eigen::MatrixXd W_, soft_, Y_;  // scaled by the mean: without and with α
  Eigen::VectorXd q_, r_, best_, shifted_, none_;
};

}  // namespace rigor
