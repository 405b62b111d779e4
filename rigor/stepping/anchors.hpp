#pragma once

#include "rigor/stepping/contact_judge.hpp"

namespace rigor {

/// A contact that sticks has u_t⁺ = 0, which holds the velocities at the place where the contact was found. A
/// step of finite rotation leaves the positions apart nevertheless: on a table that turns by ω a box at
/// radius r goes along the tangent and ends ½ ω² h² r too far out, in every step, always to the same side. So
/// each contact that sticks has an *anchor*: the material points of A and B that met when it began to stick,
/// kept in the frames of the bodies,
///
///     x_A = p_A + R_A a,    x_B = p_B + R_B b,    s = x_A − x_B,    drift = s − n (n·s)                  (1)
///
/// The drift of (1) is what the certificate reports and what AnchorHolder takes back. Three kinds of contact:
///
///     fixed     a corner, an edge or a face, and a smooth surface that does not roll: the contact stays
///               where its material points are. a and b stay, to the last bit, until it slides, opens or
///               is not there any more
///     rolling   the contact has travelled over both surfaces, by more than kTravel, or begins on smooth surfaces
///               that turn by so much against each other in its first step. The points are those
///               of this step's contact. With c the contact now, x the points of the last one, φ = h ω the
///               bodies' turns since, and κ the curvature along the way, the two ways are the arcs
///
///                 way = exp(−φ/2) (c − x) · asin(κ ℓ/2)/(κ ℓ/2),   ℓ = ‖c − x‖,   slip = way_B − way_A     (2)
///
///               which is exact for balls and cylinders that turn evenly, and of third order in h otherwise
///     moved     the contact is found at another place of both surfaces though it did not roll, as where
///               another corner of a clipped face is kept: the points move there, and the drift stays
///
/// Contacts that touch without load and keep still stick too: where forces are not unique, a corner that is
/// not loaded now may be in the next step. Contacts without friction have no anchor; those with bristles, and
/// those of islands that are not solved, have one from which their drift is measured, and are not held.
///
/// Fills step.anchors, but for a world at rest, where all are as they were. `then` is the motion in which the
/// contacts were found, `now` that after the step.
void find_anchors(const ContactDemand& demand, const Kinematics<double>& then, const Kinematics<double>& now,
                  ContactStep& step);

/// s of (1) in the positions `kin`, m, in the world.
[[nodiscard]] Eigen::Vector3d compute_separation(const Contact& contact, const ContactAnchor& anchor,
                                                 const Kinematics<double>& kin);

/// How far A's material has gone from B's along the plane of a contact while it stuck, since the shapes touched, m.
[[nodiscard]] double past_drift(const ContactMemory& memory);

/// What the next step is to know of a contact's anchor at the positions `kin`, with its drift. Along the
/// normal the points are set anew: how far a contact opens or closes is no drift.
///
/// Drift is not forgotten while two shapes touch. Points that are given up (the contact slides or opens, or they are
/// torn) leave theirs in ContactMemory::lost; if the contact sticks again after one step, what that step moved counts
/// too. A contact that is new takes over `pair_drift`, the largest that the last step knew of its two shapes. These
/// are sums of lengths: never less than the way gone while sticking.
void remember_anchor(const ContactDemand& demand, const ContactStep& step, const ContactCandidate& candidate,
                     const Kinematics<double>& kin, double pair_drift, ContactMemory& memory);

}  // namespace rigor
