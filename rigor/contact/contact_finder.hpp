#pragma once

#include <vector>

#include "rigor/collision/broad_phase.hpp"
#include "rigor/collision/collide.hpp"
#include "rigor/contact/contact.hpp"
#include "rigor/contact/pair_law.hpp"
#include "rigor/model/kinematics.hpp"

namespace rigor {

/// Finds the contacts of a model at one motion: shapes → pairs → points → frames and friction.
///
/// A pair is looked at as far as its bodies can come in a step, twice over, and a thousandth of the smaller
/// one's size. That reach is the pair's own: bodies far away change nothing here. The order is that of the
/// shapes, then of their points; it depends on the present poses alone.
class ContactFinder {
 public:
  /// The model must outlive the finder.
  explicit ContactFinder(const Model& model);

  /// At positions and velocities `kin`, for a step of h [s].
  void find(const Kinematics<double>& kin, double h, std::vector<Contact>& out);

  /// The pairs of shapes whose boxes met in the last find().
  [[nodiscard]] std::size_t pair_count() const { return pair_count_; }

 private:
  void add_points(const Kinematics<double>& kin, int shape_a, int shape_b, std::vector<Contact>& out);
  void make_frame(const Kinematics<double>& kin, const PairLaw& law, Contact& contact) const;

  const Model& model_;
  BroadPhase broad_phase_;
  CollisionScratch scratch_;
  std::vector<Pose> poses_;    // of the shapes in W
  std::vector<double> reach_;  // m
  std::vector<ContactPoint> points_;
  std::size_t pair_count_{0};
};

}  // namespace rigor
