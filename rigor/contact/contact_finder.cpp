#include "rigor/contact/contact_finder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "rigor/base/index.hpp"
#include "rigor/math/rotation.hpp"

namespace rigor {
namespace {

constexpr double kReach = 2.0;     // times the way that a body makes in a step
constexpr double kSkin = 1e-3;     // of the smaller shape's radius
constexpr double kNoReach = 1e12;  // m: shapes larger than this count as unbounded

// The contact point lies on one surface. On the smooth one, so that a ball that overlaps rolls on its own
// radius; else on that of the larger shape: the corners of a face then lie in one plane to rounding, so
// that rows which depend on each other do so whatever their gaps are.
bool lies_on_a(const ModelShape& a, const ModelShape& b, const ContactPoint& point) {
  const bool is_smooth_a = point.kind_a == FeatureKind::kSmooth;
  if (is_smooth_a != (point.kind_b == FeatureKind::kSmooth)) return is_smooth_a;
  return a.radius >= b.radius;
}

}  // namespace

ContactFinder::ContactFinder(const Model& model) : model_(model) {
  for (const ModelShape& shape : model.shapes) {
    PairFilter filter;
    filter.owner = shape.body;
    broad_phase_.add(Bounds{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()}, filter);
  }
  for (const auto& [one, other] : model.never_collide) broad_phase_.exclude_owners(one, other);
  poses_.resize(model.shapes.size());
  reach_.resize(model.shapes.size());
  is_same_.resize(model.bodies.size());
}

// False where every body has the motion of the last call.
bool ContactFinder::update_motions(const Kinematics<double>& kin, double h) {
  const bool is_first = motions_.empty() || h != h_ || !reuses_;
  h_ = h;
  motions_.resize(model_.bodies.size());
  bool any = is_first;
  for (std::size_t b = 0; b < motions_.size(); ++b) {
    const BodyKinematics<double>& body = kin.bodies[b];
    Motion& last = motions_[b];
    const auto is_equal = [](const auto& x, const auto& y) {
      return std::memcmp(x.data(), y.data(), sizeof(x)) == 0;
    };
    is_same_[b] =
        !is_first && is_equal(body.R, last.R) && is_equal(body.p, last.p) && is_equal(body.V, last.V);
    if (is_same_[b]) continue;
    last = {body.R, body.p, body.V};
    any = true;
  }
  return any;
}

void ContactFinder::update_shapes(const Kinematics<double>& kin, double h) {
  const double fall = h * model_.gravity.norm();
  for (std::size_t s = 0; s < model_.shapes.size(); ++s) {
    const ModelShape& shape = model_.shapes[s];
    if (is_same_[at(shape.body)]) continue;
    const BodyKinematics<double>& body = kin.bodies[at(shape.body)];
    poses_[s] = Pose{body.p, Eigen::Quaterniond(body.R)} * shape.X_JS;
    const bool moves = shape.body != kWorldIndex;
    const double speed =
        moves ? body.V.tail<3>().norm() + body.V.head<3>().norm() * std::min(shape.radius, kNoReach) + fall
              : 0.0;
    reach_[s] = kReach * h * speed;
    const double skin = shape.radius < kNoReach ? kSkin * shape.radius : 0.0;
    broad_phase_.set_bounds(static_cast<int>(s),
                            compute_bounds(shape.geometry, poses_[s]).grown(reach_[s] + skin));
  }
}

const std::vector<Contact>& ContactFinder::find(const Kinematics<double>& kin, double h) {
  if (!update_motions(kin, h)) return contacts_;
  update_shapes(kin, h);
  const auto& pairs = broad_phase_.find_pairs(0.0);
  pair_count_ = pairs.size();
  next_.clear();
  next_pairs_.clear();
  auto last = pairs_.cbegin();  // both lists have the same order
  for (const auto& [a, b] : pairs) {
    const std::size_t begin = next_.size();
    if (is_same_[at(model_.shapes[at(a)].body)] && is_same_[at(model_.shapes[at(b)].body)]) {
      // boxes that meet now also met in the last call, since neither body has moved
      while (last->a != a || last->b != b) ++last;
      next_.insert(next_.end(), contacts_.begin() + static_cast<std::ptrdiff_t>(last->begin),
                   contacts_.begin() + static_cast<std::ptrdiff_t>(last->end));
    } else {
      add_points(kin, a, b, next_);
    }
    next_pairs_.push_back({a, b, begin, next_.size()});
  }
  contacts_.swap(next_);
  pairs_.swap(next_pairs_);
  return contacts_;
}

void ContactFinder::add_points(const Kinematics<double>& kin, int shape_a, int shape_b,
                               std::vector<Contact>& out) {
  const ModelShape& a = model_.shapes[at(shape_a)];
  const ModelShape& b = model_.shapes[at(shape_b)];
  CollideOptions options;
  const double size = std::min(a.radius, b.radius);
  options.margin = reach_[at(shape_a)] + reach_[at(shape_b)] + (size < kNoReach ? kSkin * size : 0.0);
  options.plane_normal = model_.plane_normal;
  points_.clear();
  collide(a.geometry, poses_[at(shape_a)], b.geometry, poses_[at(shape_b)], options, scratch_, points_);
  if (points_.empty()) return;

  const PairLaw law = make_pair_law(model_.materials[at(a.material)], model_.materials[at(b.material)]);
  const std::size_t first = out.size();
  for (const ContactPoint& point : points_) {
    Contact& contact = out.emplace_back();
    contact.shape_a = shape_a;
    contact.shape_b = shape_b;
    contact.a = a.body;
    contact.b = b.body;
    contact.id = point.id;
    contact.point = lies_on_a(a, b, point) ? point.on_a : point.on_b;
    contact.frame.col(0) = point.normal;
    contact.gap = point.gap;
    contact.curvature_a = point.curvature_a;
    contact.curvature_b = point.curvature_b;
    contact.is_rigid = law.is_rigid;
    contact.stiffness = law.stiffness;
    contact.damping = law.damping;
    contact.slip_speed = law.friction->slip_speed;
    contact.friction_stiffness = law.friction_stiffness;
    contact.friction_damping = law.friction_damping;
    // all points of two faces share one frame
    if (const std::size_t k = out.size() - 1; k > first && out[k - 1].frame.col(0) == point.normal) {
      contact.frame = out[k - 1].frame;
      contact.rows = out[k - 1].rows;
    } else {
      make_frame(law, contact);
    }
    set_friction(kin, *law.friction, contact);
  }
}

// Tangents: the direction of an ellipse of friction, projected on the tangent plane; else world x, or y
// where the normal is near x. In a planar scene there is one tangent, always on the same side.
void ContactFinder::make_frame(const PairLaw& law, Contact& contact) const {
  const Eigen::Vector3d n = contact.frame.col(0);
  const Material& material = *law.friction;
  Tangents tangents = tangents_of(n);
  if (material.mu.along != material.mu.across) {
    const int owner = law.is_of_a ? contact.shape_a : contact.shape_b;
    const Eigen::Vector3d along = poses_[at(owner)].rotation * material.direction;
    const Eigen::Vector3d projected = along - n * n.dot(along);
    if (projected.norm() > 1e-6) tangents.t1 = projected.normalized();
    tangents.t2 = n.cross(tangents.t1);
  }
  contact.frame.col(1) = tangents.t1;
  contact.frame.col(2) = tangents.t2;
  if (!model_.plane_normal.isZero()) {
    contact.rows = 2;
    Eigen::Vector3d t = model_.plane_normal.cross(n);
    const Eigen::Vector3d out_of_plane = model_.plane_normal;
    if (t.dot(tangents.t1 - out_of_plane * out_of_plane.dot(tangents.t1)) < 0.0) t = -t;
    contact.frame.col(1) = t;
    contact.frame.col(2) = n.cross(t);
  }
}

void ContactFinder::set_friction(const Kinematics<double>& kin, const Material& material,
                                 Contact& contact) const {
  contact.mu_ratio = material.mu.along > 0.0 ? material.mu.across / material.mu.along : 1.0;
  if (!material.mu_curve && !material.mu_static) {  // μ does not depend on the speed
    contact.mu = material.mu.along;
    return;
  }
  const auto velocity = [&](BodyIndex b) {
    const BodyKinematics<double>& body = kin.bodies[at(b)];
    return Eigen::Vector3d(body.velocity_at(contact.point - body.p));
  };
  const Eigen::Vector3d u = contact.frame.transpose() * (velocity(contact.a) - velocity(contact.b));
  const double slip = contact.rows == 2 ? std::abs(u[1]) : std::sqrt(u[1] * u[1] + u[2] * u[2]);
  contact.mu = friction_at(material, slip);
}

}  // namespace rigor
