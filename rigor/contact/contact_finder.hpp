#pragma once

#include <vector>

#include "rigor/collision/broad_phase.hpp"
#include "rigor/collision/collide.hpp"
#include "rigor/contact/contact.hpp"
#include "rigor/contact/pair_law.hpp"
#include "rigor/model/body_kinematics.hpp"

namespace rigor {

/// Finds the contacts of a model at one motion: shapes → pairs → points → frames and friction.
///
/// Two shapes are looked at where their distance is at most twice what their bodies can cover in a step, plus
/// a thousandth of the smaller one's size. This reach depends on the pair alone: bodies far away change
/// nothing. Contacts come in the order of the shapes, then of their points, by the present poses alone.
///
/// The contacts of a pair are a function of the motion of its two bodies and of h. Where these are the same
/// as in the last call, to the last bit, the contacts of the last call are used again.
class ContactFinder {
 public:
  /// The model must outlive the finder.
  explicit ContactFinder(const Model& model);

  /// At positions and velocities `kin`, for a step of h [s]. Valid until the next call.
  const std::vector<Contact>& find(const Kinematics<double>& kin, double h);
  void find(const Kinematics<double>& kin, double h, std::vector<Contact>& out) { out = find(kin, h); }
  /// Whether contacts may be used again; without, all are computed in every call, with the same answer.
  void set_reuse(bool reuses) { reuses_ = reuses; }

  /// How many pairs of shapes had bounding boxes that met in the last find().
  [[nodiscard]] std::size_t pair_count() const { return pair_count_; }

 private:
  struct Motion {  // of a body: what its contacts follow from
    Eigen::Matrix3d R;
    Eigen::Vector3d p;
    Vec6<double> V;
  };
  struct PairContacts {  // those of two shapes
    int a{0}, b{0};
    std::size_t begin{0}, end{0};
  };

  bool update_motions(const Kinematics<double>& kin, double h);
  void update_shapes(const Kinematics<double>& kin, double h);
  void add_points(const Kinematics<double>& kin, int shape_a, int shape_b, std::vector<Contact>& out);
  void make_frame(const PairLaw& law, Contact& contact) const;
  void set_friction(const Kinematics<double>& kin, const Material& material, Contact& contact) const;

  const Model& model_;
  BroadPhase broad_phase_;
  CollisionScratch scratch_;
  std::vector<Pose> poses_;    // of the shapes in W
  std::vector<double> reach_;  // m
  std::vector<ContactPoint> points_;
  std::size_t pair_count_{0};

  bool reuses_{true};
  double h_{0.0};
  std::vector<Motion> motions_;  // of the last call
  std::vector<char> is_same_;    // of every body: its motion is that of the last call
  std::vector<Contact> contacts_, next_;
  std::vector<PairContacts> pairs_, next_pairs_;
};

}  // namespace rigor
