#include "rigor/dynamics/constraint_rows.hpp"

#include <fmt/format.h>

namespace rigor {
namespace {

using Eigen::Vector3d;

// The two bodies of a constraint, and the pieces that rows are made of.
class Pair {
 public:
  Pair(BodyIndex a, BodyIndex b, const Kinematics<double>& kin, double t, PairRows& rows)
      : a_(kin.bodies[static_cast<std::size_t>(a)]),
        b_(kin.bodies[static_cast<std::size_t>(b)]),
        t_(t),
        rows_(rows) {}

  void operator()(const BallConstraint& c) { add_points(c.point_a, c.point_b); }

  void operator()(const WeldConstraint& c) {
    add_points(c.frame_a.position, c.frame_b.position);
    const Eigen::Matrix3d Ra = a_.R * c.frame_a.rotation.toRotationMatrix();
    const Eigen::Matrix3d Rb = b_.R * c.frame_b.rotation.toRotationMatrix();
    for (int i = 0; i < 3; ++i) add_axes(Ra.col(i), Rb.col((i + 1) % 3));
  }

  void operator()(const HingeConstraint& c) {
    add_points(c.point_a, c.point_b);
    add_parallel(c.axis_a, c.axis_b);
  }

  void operator()(const DistanceConstraint& c) {
    const Vector3d ra = a_.R * c.point_a, rb = b_.R * c.point_b;
    add_length(ra, rb);
    rows_.rows[static_cast<std::size_t>(rows_.count - 1)].error -= c.distance;
  }

  void operator()(const PointOnLineConstraint& c) {
    const Tangents tangents = tangents_of(c.axis_b);
    add_across(c.point_a, c.point_b, tangents.t1);
    add_across(c.point_a, c.point_b, tangents.t2);
  }

  void operator()(const PointInPlaneConstraint& c) { add_across(c.point_a, c.point_b, c.axis_b); }

  void operator()(const ParallelAxesConstraint& c) { add_parallel(c.axis_a, c.axis_b); }

  void operator()(const RollingConstraint& c) {
    // the lowest point of the rim, X = centre + radius · down, and how `down` turns
    const Vector3d n = b_.R * c.axis_b, n_dot = wb().cross(n);
    Vector3d down = -n, down_dot = -n_dot;
    if (c.axis_a) {
      const Vector3d s = a_.R * *c.axis_a, s_dot = wa().cross(s);
      const Vector3d g = n - n.dot(s) * s;
      const Vector3d g_dot = n_dot - (n_dot.dot(s) + n.dot(s_dot)) * s - n.dot(s) * s_dot;
      const double length = std::max(g.norm(), 1e-12);  // a disk lying flat touches everywhere
      const Vector3d unit = g / length;
      down = -unit;
      down_dot = -(g_dot - unit.dot(g_dot) * unit) / length;
    }
    const Vector3d center = a_.R * c.point_a;
    const Vector3d ra = center + c.radius * down;
    const Vector3d X = a_.p + ra;
    const Vector3d rb = X - b_.p;
    const Vector3d X_dot = a_.velocity_at(center) + c.radius * down_dot;
    const Vector3d u = a_.velocity_at(ra) - b_.velocity_at(rb);
    const Vector3d u_dot = a_.A.tail<3>() + a_.A.head<3>().cross(ra) + wa().cross(X_dot - a_.V.tail<3>()) -
                           b_.A.tail<3>() - b_.A.head<3>().cross(rb) - wb().cross(X_dot - b_.V.tail<3>());
    const Tangents tangents = tangents_of(c.axis_b);
    for (const Vector3d& direction : {c.axis_b, tangents.t1, tangents.t2}) {
      const Vector3d d = b_.R * direction;
      PairRow& row = add_force(d, ra, rb);
      row.acceleration = d.dot(u_dot) + wb().cross(d).dot(u);
      row.is_holonomic = rows_.count == 1;
    }
    rows_.rows[0].error = n.dot(X - b_.p - b_.R * c.point_b);
  }

  void operator()(const KnifeEdgeConstraint& c) {
    const Vector3d ra = a_.R * c.point_a, rb = a_.p + ra - b_.p, s = a_.R * c.axis_a;
    const Vector3d u = a_.velocity_at(ra) - b_.velocity_at(rb);
    PairRow& row = add_force(s, ra, rb);
    row.acceleration =
        s.dot(a_.acceleration_at(ra) - b_.acceleration_at(rb) - wb().cross(u)) + wa().cross(s).dot(u);
    row.is_holonomic = false;
  }

  void operator()(const SpeedConstraint& c) {
    PairRow& row = add_across(c.point_a, Vector3d::Zero(), c.axis_b);
    add_target(c.speed, row);
  }

  void operator()(const SpinConstraint& c) {
    const Vector3d n = b_.R * c.axis_b;
    PairRow& row = add_torque(n);
    row.acceleration = n.dot(a_.A.head<3>() - b_.A.head<3>()) + wb().cross(n).dot(wa() - wb());
    add_target(c.speed, row);
  }

  // |Pa − Pb|, with the points ra, rb from the reference points
  PairRow& add_length(const Vector3d& ra, const Vector3d& rb) {
    const Vector3d d = a_.p + ra - b_.p - rb;
    const double length = d.norm();
    const Vector3d e = length > 0.0 ? Vector3d(d / length) : Vector3d(Vector3d::UnitX());
    const Vector3d d_dot = a_.velocity_at(ra) - b_.velocity_at(rb);
    PairRow& row = add_force(e, ra, rb);
    row.error = length;
    row.acceleration = e.dot(a_.acceleration_at(ra) - b_.acceleration_at(rb));
    if (length > 0.0) row.acceleration += (d_dot.squaredNorm() - e.dot(d_dot) * e.dot(d_dot)) / length;
    return row;
  }

 private:
  [[nodiscard]] Vector3d wa() const { return a_.V.head<3>(); }
  [[nodiscard]] Vector3d wb() const { return b_.V.head<3>(); }

  // a force d on a at ra, and −d on b at rb
  PairRow& add_force(const Vector3d& d, const Vector3d& ra, const Vector3d& rb) {
    PairRow& row = rows_.add();
    row.on_a << ra.cross(d), d;
    row.on_b << -rb.cross(d), -d;
    return row;
  }

  PairRow& add_torque(const Vector3d& torque) {
    PairRow& row = rows_.add();
    row.on_a << torque, Vector3d::Zero();
    row.on_b << -torque, Vector3d::Zero();
    return row;
  }

  void add_points(const Vector3d& point_a, const Vector3d& point_b) {
    const Vector3d ra = a_.R * point_a, rb = b_.R * point_b;
    const Vector3d d = a_.p + ra - b_.p - rb;
    const Vector3d acceleration = a_.acceleration_at(ra) - b_.acceleration_at(rb);
    for (int i = 0; i < 3; ++i) {
      PairRow& row = add_force(Vector3d::Unit(i), ra, rb);
      row.error = d[i];
      row.acceleration = acceleration[i];
    }
  }

  PairRow& add_across(const Vector3d& point_a, const Vector3d& point_b, const Vector3d& normal_b) {
    const Vector3d ra = a_.R * point_a, n = b_.R * normal_b;
    const Vector3d rb = a_.p + ra - b_.p;  // both forces act at Pa
    PairRow& row = add_force(n, ra, rb);
    const Vector3d u = a_.velocity_at(ra) - b_.velocity_at(rb);
    row.error = n.dot(rb - b_.R * point_b);
    row.acceleration = n.dot(a_.acceleration_at(ra) - b_.acceleration_at(rb)) + 2.0 * wb().cross(n).dot(u);
    return row;
  }

  void add_axes(const Vector3d& s, const Vector3d& t) {
    const Vector3d w = wa() - wb();
    PairRow& row = add_torque(s.cross(t));
    row.error = t.dot(s);
    row.acceleration = s.cross(t).dot(a_.A.head<3>() - b_.A.head<3>()) +
                       w.dot(wa().cross(s).cross(t) + s.cross(wb().cross(t)));
  }

  void add_parallel(const Vector3d& axis_a, const Vector3d& axis_b) {
    const Vector3d s = a_.R * axis_a;
    const Tangents tangents = tangents_of(axis_b);
    add_axes(s, b_.R * tangents.t1);
    add_axes(s, b_.R * tangents.t2);
  }

  void add_target(const TimeFunction& speed, PairRow& row) const {
    const Jet value = evaluate_jet(speed, t_);
    row.error = 0.0;
    row.target = value.value;
    row.acceleration -= value.first;
    row.is_holonomic = false;
  }

  const BodyKinematics<double>& a_;
  const BodyKinematics<double>& b_;
  double t_;
  PairRows& rows_;
};

struct RowNames {
  int points{0};     // rows that hold a point, along x, y, z
  int across{0};     // rows that hold a point across an axis
  int rotations{0};  // rows that hold a direction
  const char* other{nullptr};
};

RowNames row_names(const ConstraintGeometry& geometry) {
  struct Visitor {
    RowNames operator()(const BallConstraint&) const { return {.points = 3}; }
    RowNames operator()(const WeldConstraint&) const { return {.points = 3, .rotations = 3}; }
    RowNames operator()(const HingeConstraint&) const { return {.points = 3, .rotations = 2}; }
    RowNames operator()(const DistanceConstraint&) const { return {.other = "distance"}; }
    RowNames operator()(const PointOnLineConstraint&) const { return {.across = 2}; }
    RowNames operator()(const PointInPlaneConstraint&) const { return {.across = 1}; }
    RowNames operator()(const ParallelAxesConstraint&) const { return {.rotations = 2}; }
    RowNames operator()(const RollingConstraint&) const { return {.across = 1, .other = "slip"}; }
    RowNames operator()(const KnifeEdgeConstraint&) const { return {.other = "sideways slip"}; }
    RowNames operator()(const SpeedConstraint&) const { return {.other = "speed"}; }
    RowNames operator()(const SpinConstraint&) const { return {.other = "spin"}; }
  };
  return std::visit(Visitor{}, geometry);
}

}  // namespace

int count_rows(const ConstraintGeometry& geometry) {
  const RowNames names = row_names(geometry);
  const bool rolls = std::holds_alternative<RollingConstraint>(geometry);
  return names.points + names.across + names.rotations + (rolls ? 2 : names.other != nullptr ? 1 : 0);
}

std::string describe_row(const ConstraintGeometry& geometry, int row) {
  const RowNames names = row_names(geometry);
  if (row < names.points) return fmt::format("position {}", "xyz"[row]);
  row -= names.points;
  if (row < names.across)
    return names.across > 1 ? fmt::format("position across the line {}", row + 1) : "height over the plane";
  row -= names.across;
  if (row < names.rotations) return fmt::format("rotation {}", row + 1);
  row -= names.rotations;
  return std::holds_alternative<RollingConstraint>(geometry) ? fmt::format("{} {}", names.other, row + 1)
                                                             : names.other;
}

void compute_pair_rows(const ModelConstraint& constraint, const Kinematics<double>& kin, double t,
                       PairRows& rows) {
  rows.count = 0;
  Pair pair(constraint.a, constraint.b, kin, t, rows);
  std::visit(pair, constraint.geometry);
}

SpringRow compute_spring_row(const ModelSpring& source, const Kinematics<double>& kin) {
  const Spring& spring = source.spring;
  PairRows rows;
  const auto& a = kin.bodies[static_cast<std::size_t>(source.a)];
  const auto& b = kin.bodies[static_cast<std::size_t>(source.b)];
  SpringRow result;
  result.row =
      Pair(source.a, source.b, kin, 0.0, rows).add_length(a.R * spring.point_a, b.R * spring.point_b);
  const double x = result.row.error - spring.rest_length;
  const double x_dot = result.row.on_a.dot(a.V) + result.row.on_b.dot(b.V);
  result.row.error = x;

  ElasticForce& elastic = result.elastic;
  elastic.damping = spring.damping;
  if (spring.law) {
    const Jet law = evaluate_jet(*spring.law, x);
    elastic.force = law.value;
    elastic.stiffness = std::max(law.first, 0.0);  // a softening spring is explicit
  } else {
    elastic.force = spring.stiffness * x;
    elastic.stiffness = spring.stiffness;
  }
  elastic.force += spring.damping * x_dot;
  return result;
}

}  // namespace rigor
