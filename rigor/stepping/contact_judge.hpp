#pragma once

#include "rigor/contact/formulation.hpp"
#include "rigor/stepping/contact_step.hpp"

namespace rigor {

/// What is asked of a step's contacts.
struct ContactDemand {
  ContactLaw law{ContactLaw::kCone};
  double tolerance{1e-10};  // largest residual, m/s
};

/// The fourth stage of ContactStep, first half: are the impulses and the velocity v⁺ that the step takes a
/// solution? Nothing that a solver says about itself is believed:
///
///     u⁺ = H v⁺ of the velocity that is taken, summed with twice the digits
///     `cone`, `convex`   residual = √Σ check_law()² over the island's blocks, impulses times the mean
///                        diagonal of W, so that they are velocities
///     other laws         residual of their own LCP at r, plus ‖u⁺ − (W r + q)‖₂: the residual depends on the
///                        velocities with a slope of at most one                                            (1)
///
/// The verdict of an island is kSolved up to the tolerance, kRounding up to cone_rounding(), and kUnsolved
/// beyond. Fills step.u, step.verdicts, step.worst, and the certificate's numbers of islands.
void certify_contacts(const ContactDemand& demand, const Eigen::VectorXd& v, ContactStep& step,
                      ContactCertificate& certificate);

/// The second half: modes of the contacts, what they violate, and the work that they do.
void judge_contacts(const Model& model, const ContactDemand& demand, const Kinematics<double>& kin,
                    const Eigen::VectorXd& v, ContactStep& step, StepReport& report);

/// The same estimate for rows that a factor solves (constraints, springs): above it they contradict each other, m/s.
///
///     cone_rounding() of their numbers  +  OrthogonalFactor::kTolerance · dependent
///
/// Rows that stick out of the others by less than kTolerance of their length count as dependent, and that part of
/// them is left.
[[nodiscard]] double factor_rounding(const ConstrainedInertia::Loads& loads);

/// A slower contact counts as sticking, m/s: what the answer of its island leaves open.
[[nodiscard]] double least_slip(const ContactDemand& demand, const ContactStep& step, std::size_t block);

}  // namespace rigor
