#pragma once

#include "rigor/contact/friction_rows.hpp"
#include "rigor/contact/lcp_choice.hpp"
#include "rigor/contact/phantom_lcp.hpp"

namespace rigor {

/// `phantom`: the friction model of Peiret, Kövecses and Font-Llagunes, whose LCP is not singular. A contact
/// that sticks has k = directions/2 directions, up and down (phantom_lcp.hpp), and breaks away between μ λ_n
/// and μ λ_n/cos(π/2k); one that slides (friction_rows.hpp) has
///
///     lateral      the directions e_t, e_l of the slip and a regularised lateral force: isotropic
///     tangent      the same with μ = (μ, 0): no lateral force
///     directions   the k directions, as if it stuck
///
/// and stops without going back and forth about zero, since the bounds let go of it there.
class PhantomLaw final : public ContactFormulation {
 public:
  explicit PhantomLaw(const RunSettings& settings);

  void solve(const ContactQuestion& question, ContactAnswer& answer) override;
  /// As the settings say: the LCP (2) of phantom_lcp.hpp, or mixed. Impulses in N s.
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
