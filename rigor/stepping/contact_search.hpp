#pragma once

#include "rigor/contact/contact_finder.hpp"
#include "rigor/stepping/contact_step.hpp"

namespace rigor {

/// The first stage of ContactStep: which contact points and ends of ranges have rows in this step.
///
/// An open contact that keeps half of its gap, by the speeds at the beginning and with one body falling on
/// the other, is left aside: it has no rows. The answer of the others is then that of all, with p = 0 there,
/// if u_n⁺ ≥ −gap/h holds for those left aside too; where it does not they are taken in, and the step is
/// solved again from the impulses found. An end of a joint's range is left aside by the same rule, where half of its
/// distance is left at the speeds at the beginning and at those without impulses: most joints of a robot are far from
/// both ends. This is done for the formulation `cone` alone: the others ask more of an open contact, or their answer
/// depends on the matrix of all contacts.
class ContactSearch {
 public:
  /// Model and system must outlive it.
  ContactSearch(const Model& model, const RunSettings& settings, const ConstrainedSystem& system);

  void set_reuse(bool reuses) { finder_.set_reuse(reuses); }

  /// Contacts at the system's motion that `formulation` takes, for a step of h [s] from `state`.
  void find(const State& state, double h, const ContactFormulation& formulation, ContactStep& step);

  /// With the velocities v at the beginning and v_free without impulses: which ends of ranges have no row.
  void leave_limits(const Eigen::VectorXd& v, const Eigen::VectorXd& v_free, ContactStep& step) const;

  /// After the impulses gave the velocity v: takes in what was left aside and would close too far, and notes
  /// the impulses as a start. True where there was any: the step is to be assembled and solved again.
  [[nodiscard]] bool take_missed(const Eigen::VectorXd& v, ContactStep& step) const;
  /// The same for all that was left aside, where the others were not solved.
  [[nodiscard]] static bool take_all(ContactStep& step);

 private:
  void find_limits(const State& state, ContactStep& step) const;
  [[nodiscard]] bool keeps_gap(const Contact& contact, double h) const;
  [[nodiscard]] bool misses_contact(const Eigen::VectorXd& v, ContactStep& step) const;

  const Model& model_;
  const ConstrainedSystem& system_;
  bool leaves_aside_;  // the formulation is `cone`
  bool sweeps_piles_;  // the tolerance is one for which large islands are swept
  ContactFinder finder_;
};

}  // namespace rigor
