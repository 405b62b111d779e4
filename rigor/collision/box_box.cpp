#include "rigor/collision/box_box.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "rigor/collision/box_axis.hpp"
#include "rigor/collision/contact_feature.hpp"

namespace rigor {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kProved = 1e-14;  // relative: a corner is as near as the axis says
// Of the side: a corner this near to it is on it. Edges that lie in one another to rounding, as those of
// bricks do, then keep their names from step to step.
constexpr double kOnBoxSide = 1e-9;

int face_of(int axis, bool upper) {
  return 2 * axis + (upper ? 1 : 0);
}

int find_largest(const Vector3d& v) {
  const double x = std::abs(v.x()), y = std::abs(v.y()), z = std::abs(v.z());
  return x >= y ? (x >= z ? 0 : 2) : (y >= z ? 1 : 2);
}

// The edge in which two faces of a box meet.
constexpr auto kEdgeBetween = [] {
  std::array<std::array<std::uint32_t, 6>, 6> table{};
  for (std::size_t f = 0; f < 6; ++f)
    for (std::size_t g = 0; g < 6; ++g)
      for (const std::uint32_t mine : BoxNames::kEdge[f])
        for (const std::uint32_t other : BoxNames::kEdge[g])
          if (f != g && mine == other) table[f][g] = mine;
  return table;
}();

// One of the two boxes and its face that takes part: the one across axis k, with u and v along its sides.
struct Face {
  const Vector3d& half;  // m
  const Matrix3d& R_W;
  Vector3d n;  // the contact normal in the box's frame, towards the other box
  int k, u, v;
  double side;  // ±1: the lower or the upper face across k

  Face(const Vector3d& half_edges, const Matrix3d& R, const Vector3d& towards, int axis)
      : half(half_edges), R_W(R), n(towards), k(axis), u(kNextAxis[axis]), v(kAfterAxis[axis]) {
    side = n[k] > 0.0 ? 1.0 : -1.0;
  }
  [[nodiscard]] int index() const { return face_of(k, side > 0.0); }
};

// ---------------------------------------------------------------------------------------------- clipping

// A corner of the overlap: coordinates in the reference face. in, out: the sides that meet here, ≥ 0 of the
// incident face, −1 − s of the reference, s = 0: u = −half, 1: u = +half, 2 and 3: the same for v. on_inc,
// on_ref: bit by bit, all sides that it lies on.
struct Corner {
  double p[2];
  int in, out;
  unsigned on_inc, on_ref;
};

struct Overlap {
  Corner room[2][8];
  Corner *corners{room[0]}, *spare{room[1]};
  int count{0};
};

// Cuts off what lies beyond side s; a polygon that does not reach beyond stays as it is. A corner within
// `near` of the side is on it.
void clip_by_side(Overlap& o, int s, double half, double near) {
  const int axis = s >> 1, other = 1 - axis, count = o.count;
  const double sign = s & 1 ? 1.0 : -1.0;
  double inside[8];
  bool all = true;
  for (int i = 0; i < count; ++i) {
    inside[i] = half - sign * o.corners[i].p[axis];
    if (std::abs(inside[i]) <= near) {
      inside[i] = 0.0;
      o.corners[i].on_ref |= 1u << s;
    }
    all &= inside[i] >= 0.0;
  }
  if (all) return;
  Corner* out = o.spare;
  for (int i = 0; i < count; ++i) {
    const int next = i + 1 == count ? 0 : i + 1;
    const Corner &here = o.corners[i], &there = o.corners[next];
    const double d0 = inside[i], d1 = inside[next];
    if (d0 >= 0.0) *out++ = here;
    if (d0 == 0.0 && d1 < 0.0) out[-1].out = -1 - s;
    if (!((d0 > 0.0 && d1 < 0.0) || (d0 < 0.0 && d1 > 0.0))) continue;
    out->p[axis] = sign * half;
    out->p[other] = here.p[other] + (there.p[other] - here.p[other]) * (d0 / (d0 - d1));
    out->in = d0 > 0.0 ? here.out : -1 - s;
    out->out = d0 > 0.0 ? -1 - s : here.out;
    out->on_inc = here.on_inc & there.on_inc;
    out->on_ref = (here.on_ref & there.on_ref) | 1u << s;
    ++out;
  }
  o.count = static_cast<int>(out - o.spare);
  std::swap(o.corners, o.spare);
}

// The incident face projected along the normal to the plane of the reference. That is a linear map: it
// takes centre and sides of the face, and with them its corners.
struct Projection {
  double center[2], gap;  // projection of the centre, and its distance, m
  double e1[2], rise1, e2[2],
      rise2;        // half sides along u and v of the incident face; the gap grows by the rises
  double slope[2];  // gap = gap of the centre + slope · (place − centre)

  // R_RI, p_RI: pose of the incident box in the reference's frame
  Projection(const Face& ref, const Face& inc, const Matrix3d& R_RI, const Vector3d& p_RI) {
    const double inverse = 1.0 / ref.n[ref.k];
    const double lean_u = ref.n[ref.u] * inverse, lean_v = ref.n[ref.v] * inverse;
    const auto project = [&](const Vector3d& x, double height, double* place, double& up) {
      const double above = x[ref.k] - height;
      place[0] = x[ref.u] - above * lean_u;
      place[1] = x[ref.v] - above * lean_v;
      up = above * inverse;
    };
    const Vector3d normal = R_RI.col(inc.k);
    project(p_RI + inc.side * inc.half[inc.k] * normal, ref.side * ref.half[ref.k], center, gap);
    project(inc.half[inc.u] * R_RI.col(inc.u), 0.0, e1, rise1);
    project(inc.half[inc.v] * R_RI.col(inc.v), 0.0, e2, rise2);
    // the plane: normal · (place + gap n) is constant
    const double facing = normal.dot(ref.n);
    slope[0] = -normal[ref.u] / facing;
    slope[1] = -normal[ref.v] / facing;
  }
};

// The corners counter-clockwise from outside, and the gap of each.
void set_corners(const Face& inc, const Projection& seen, Overlap& o, double* gaps) {
  const std::uint32_t* names = BoxNames::kCorner[inc.index()];
  for (int q = 0; q < 4; ++q) {
    const double s = names[q] >> inc.u & 1 ? 1.0 : -1.0, t = names[q] >> inc.v & 1 ? 1.0 : -1.0;
    o.corners[q] = {
        {seen.center[0] + s * seen.e1[0] + t * seen.e2[0], seen.center[1] + s * seen.e1[1] + t * seen.e2[1]},
        (q + 3) % 4,
        q,
        1u << (q + 3) % 4 | 1u << q,
        0u};
    gaps[q] = seen.gap + s * seen.rise1 + t * seen.rise2;
  }
  o.count = 4;
}

// ------------------------------------------------------------------------------------------------ points

// Part of an axis of a box across its normal (face.n, in the world n_W), unit, in the world.
Vector3d across(const Face& face, int axis, const Vector3d& n_W) {
  const double along = face.n[axis];
  if (along == 0.0) return face.R_W.col(axis);
  return (face.R_W.col(axis) - along * n_W) * (1.0 / std::sqrt((1.0 - along) * (1.0 + along)));
}

// One box's side of a contact point.
struct Side {
  std::uint32_t& label;
  FeatureKind& kind;
  SurfaceCurvature& curvature;

  void set(std::uint32_t name, FeatureKind what, const Vector3d& tangent, double first, double second) const {
    label = name;
    kind = what;
    curvature.direction = tangent;
    curvature.first = first;
    curvature.second = second;
  }
};

// Finds the features of the two boxes that meet in a corner of the overlap.
struct Labeller {
  const Face &ref, &inc;
  const Vector3d& n_W;                        // towards the incident box
  Vector3d tangent{across(ref, ref.u, n_W)};  // any across the normal
  std::uint32_t face_r{static_cast<std::uint32_t>(ref.index())},
      face_i{static_cast<std::uint32_t>(inc.index())};

  // What meets follows from the two sides that meet: two of one box are its corner over the other's face,
  // one of each are two edges that cross.
  void label(const Corner& corner, const Side& r, const Side& i) const {
    if (corner.in >= 0 && corner.out >= 0) {
      r.set(name_ref(corner), FeatureKind::kFace, tangent, 0.0, 0.0);
      i.set(name_inc(corner), FeatureKind::kVertex, tangent, SurfaceCurvature::kSharp,
            SurfaceCurvature::kSharp);
    } else if (corner.in < 0 && corner.out < 0) {
      r.set(name_ref(corner), FeatureKind::kVertex, tangent, SurfaceCurvature::kSharp,
            SurfaceCurvature::kSharp);
      i.set(name_inc(corner), FeatureKind::kFace, tangent, 0.0, 0.0);
    } else {
      const int q = std::max(corner.in, corner.out), s = -1 - std::min(corner.in, corner.out);
      r.set(name_ref(corner), FeatureKind::kEdge, across(ref, s < 2 ? ref.v : ref.u, n_W), 0.0,
            SurfaceCurvature::kSharp);
      const std::uint32_t differs = BoxNames::kCorner[face_i][q] ^ BoxNames::kCorner[face_i][(q + 1) % 4];
      i.set(name_inc(corner), FeatureKind::kEdge, across(inc, static_cast<int>(differs >> 1), -n_W), 0.0,
            SurfaceCurvature::kSharp);
    }
  }

  // Names follow from the place alone, not from the way in which clipping found it: a point on two sides of
  // a face is its corner, on one side its edge.
  [[nodiscard]] std::uint32_t name_ref(const Corner& corner) const {
    const unsigned on_u = corner.on_ref & 3u, on_v = corner.on_ref >> 2;
    if (on_u != 0 && on_v != 0)
      return (ref.side > 0.0 ? 1u : 0u) << ref.k | (on_u >> 1) << ref.u | (on_v >> 1) << ref.v;
    if (on_u == 0 && on_v == 0) return kFaceLabel + face_r;
    const int beside = on_u != 0 ? ref.u : ref.v;
    const bool upper = ((on_u | on_v) & 2u) != 0;
    return kEdgeLabel + kEdgeBetween[face_r][static_cast<std::size_t>(face_of(beside, upper))];
  }
  [[nodiscard]] std::uint32_t name_inc(const Corner& corner) const {
    const unsigned on = corner.on_inc;
    if (on == 0) return kFaceLabel + face_i;
    for (unsigned q = 0; q < 4; ++q) {
      const unsigned before = (q + 3) % 4;
      if ((on >> q & 1u) != 0 && (on >> before & 1u) != 0) return BoxNames::kCorner[face_i][q];
    }
    unsigned q = 0;
    while ((on >> q & 1u) == 0) ++q;
    return kEdgeLabel + BoxNames::kEdge[face_i][q];
  }
};

// Appends the corners of the overlap of the two faces; the least of their gaps is returned, or a large value
// where there is none.
double write_points(const Face& ref, const Face& inc, const Matrix3d& R_RI, const Vector3d& p_RI,
                    const Vector3d& p_WR, bool b_is_reference, double margin, double near,
                    std::vector<ContactPoint>& out) {
  const Projection seen(ref, inc, R_RI, p_RI);
  Overlap overlap;
  double gaps[4];
  set_corners(inc, seen, overlap, gaps);
  for (int s = 0; s < 4; ++s) clip_by_side(overlap, s, ref.half[s < 2 ? ref.u : ref.v], near);

  const Vector3d u_W = ref.R_W.col(ref.u), v_W = ref.R_W.col(ref.v);
  const Vector3d n_W = ref.n[ref.u] * u_W + ref.n[ref.v] * v_W + ref.n[ref.k] * ref.R_W.col(ref.k);
  const Vector3d middle_W = p_WR + ref.side * ref.half[ref.k] * ref.R_W.col(ref.k);
  const Labeller labeller{ref, inc, n_W};
  ContactPoint blank;
  blank.normal = b_is_reference ? n_W : Vector3d(-n_W);
  double least = 1e300;
  for (const Corner* c = overlap.corners; c != overlap.corners + overlap.count; ++c) {
    // at the incident face's own corner its gap is exact
    const double gap = c->in >= 0 && c->out >= 0 ? gaps[c->out]
                                                 : seen.gap + seen.slope[0] * (c->p[0] - seen.center[0]) +
                                                       seen.slope[1] * (c->p[1] - seen.center[1]);
    least = std::min(least, gap);
    if (gap > margin) continue;
    out.push_back(blank);
    ContactPoint& point = out.back();
    point.gap = gap;
    const Vector3d on_ref = middle_W + c->p[0] * u_W + c->p[1] * v_W, on_inc = on_ref + gap * n_W;
    point.on_a = b_is_reference ? on_inc : on_ref;
    point.on_b = b_is_reference ? on_ref : on_inc;
    const Side a{point.id.a, point.kind_a, point.curvature_a}, b{point.id.b, point.kind_b, point.curvature_b};
    labeller.label(*c, b_is_reference ? b : a, b_is_reference ? a : b);
  }
  return least;
}

}  // namespace

BoxContact collide_boxes(const Convex& a, const Pose& X_WA, const Convex& b, const Pose& X_WB, double margin,
                         std::vector<ContactPoint>& out) {
  const Vector3d between = X_WB.position - X_WA.position;
  const double reach = a.reach + b.reach + margin;
  if (between.squaredNorm() > reach * reach) return BoxContact::kApart;
  const Matrix3d R_WA = X_WA.rotation.toRotationMatrix(), R_WB = X_WB.rotation.toRotationMatrix();
  const BoxPair pair{a.radii, b.radii, R_WA.transpose() * R_WB, R_WA.transpose() * between};
  const double scale = a.size + b.size;
  const BoxAxis axis = find_box_axis(pair, Vector3d::Zero(), scale, margin);
  if (axis.separation > margin) return BoxContact::kApart;

  // the faces that look at each other; with a normal across edges both must be nearly perpendicular to it
  const bool is_edge = axis.kind == BoxAxis::Kind::kEdges, is_b = axis.kind == BoxAxis::Kind::kFaceB;
  Vector3d n_B = pair.R_AB.transpose() * axis.n;
  if (is_b) n_B = (n_B[axis.i] > 0.0 ? 1.0 : -1.0) * Vector3d::Unit(axis.i);
  const Face face_a(a.radii, R_WA, -axis.n, find_largest(axis.n)),
      face_b(b.radii, R_WB, n_B, find_largest(n_B));
  if (is_edge && std::min(std::abs(axis.n[face_a.k]), std::abs(n_B[face_b.k])) < kCosParallel)
    return BoxContact::kOpen;

  // a face's own normal makes it the reference, else B's is
  const std::size_t first = out.size();
  double least = 0.0;
  if (axis.kind == BoxAxis::Kind::kFaceA) {
    least = write_points(face_a, face_b, pair.R_AB, pair.p_AB, X_WA.position, false, margin,
                         kOnBoxSide * scale, out);
  } else {
    const Matrix3d R_BA = pair.R_AB.transpose();
    least = write_points(face_b, face_a, R_BA, -(R_BA * pair.p_AB), X_WB.position, true, margin,
                         kOnBoxSide * scale, out);
  }
  const bool is_proved = axis.separation <= 0.0 && !is_edge;
  if (out.size() > first && (is_proved || least <= axis.separation + kProved * scale))
    return BoxContact::kFaces;
  out.resize(first);
  return BoxContact::kOpen;
}

}  // namespace rigor
