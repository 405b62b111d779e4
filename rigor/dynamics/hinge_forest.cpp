#include "rigor/dynamics/hinge_forest.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/index.hpp"
#include "rigor/dynamics/joint_kinematics.hpp"
#include "rigor/math/lanes.hpp"

namespace rigor {
namespace {

constexpr double kSmallAngle = 0.5;  // rad: beyond it the series below are not used

// Unrolled, as compilers do not. out = A x, by columns.
inline void apply_three(const double* A, const double* x, double* out) {
  const double a = x[0], b = x[1], c = x[2];
  out[0] = A[0] * a + A[3] * b + A[6] * c;
  out[1] = A[1] * a + A[4] * b + A[7] * c;
  out[2] = A[2] * a + A[5] * b + A[8] * c;
}
inline void multiply_three(const double* A, const double* B, double* out) {
  apply_three(A, B, out);
  apply_three(A, B + 3, out + 3);
  apply_three(A, B + 6, out + 6);
}
inline void add_three(const double* x, double* out) {
  out[0] += x[0], out[1] += x[1], out[2] += x[2];
}
// out += a × b
inline void add_cross(const double* a, const double* b, double* out) {
  out[0] += a[1] * b[2] - a[2] * b[1];
  out[1] += a[2] * b[0] - a[0] * b[2];
  out[2] += a[0] * b[1] - a[1] * b[0];
}
inline double dot_three(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// sin x / x and (1 − cos x) / x² of a small angle: the first term that is left out is below 1e-17.
struct SmallTurn {
  double sine, cosine;

  explicit SmallTurn(double square) {
    if (square <= kSmallAngle * kSmallAngle) {
      const double y = square;
      sine =
          1.0 -
          y / 6.0 *
              (1.0 - y / 20.0 * (1.0 - y / 42.0 * (1.0 - y / 72.0 * (1.0 - y / 110.0 * (1.0 - y / 156.0)))));
      cosine =
          0.5 *
          (1.0 - y / 12.0 *
                     (1.0 - y / 30.0 *
                                (1.0 - y / 56.0 * (1.0 - y / 90.0 * (1.0 - y / 132.0 * (1.0 - y / 182.0))))));
    } else {
      const double x = std::sqrt(square);
      const auto [s, c] = portable::sine_cosine(x);
      sine = s / x;
      cosine = (1.0 - c) / square;
    }
  }
};

// The rotation by the vector w: 1 + s skew(w) + c skew(w)², by columns.
void rotate_by(const double* w, double* R) {
  const double square = dot_three(w, w);
  const SmallTurn turn(square);
  const double s = turn.sine, c = turn.cosine, x = w[0], y = w[1], z = w[2], one = 1.0 - c * square;
  R[0] = one + c * x * x, R[1] = c * x * y + s * z, R[2] = c * x * z - s * y;
  R[3] = c * x * y - s * z, R[4] = one + c * y * y, R[5] = c * y * z + s * x;
  R[6] = c * x * z + s * y, R[7] = c * y * z - s * x, R[8] = one + c * z * z;
}

}  // namespace

bool HingeForest::takes(const Model& model) {
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    if (body.type != JointType::kRevolute && !is_plain(body)) return false;
    for (int i = body.v0; i < body.v0 + body.nv; ++i)
      if (model.speeds[at(i)].motion >= 0) return false;
  }
  return true;
}

HingeForest::HingeForest(const Model& model)
    : links_(model.bodies.size()),
      places_(model.bodies.size()),
      motions_(model.bodies.size()),
      inertia_(model.bodies.size()) {
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    const SpatialInertia<double>& inertia = body.inertia_J;
    Link& link = links_[b];
    link.parent = at(body.parent);
    link.v0 = body.v0;
    link.is_free = body.type == JointType::kFree;
    link.armature = body.armature;
    link.m = inertia.m;
    link.has_mass = inertia.m != 0.0 || !inertia.h.isZero(0.0) || !inertia.I.isZero(0.0);
    const Eigen::Vector3d center =
        inertia.m > 0.0 ? Eigen::Vector3d(inertia.h / inertia.m) : Eigen::Vector3d::Zero();
    const Eigen::Matrix3d I = inertia.I - inertia.m * (center.squaredNorm() * Eigen::Matrix3d::Identity() -
                                                       center * center.transpose());
    // a root's reference point is O
    const Eigen::Vector3d offset = body.parent == kWorldIndex ? Eigen::Vector3d::Zero() : body.p_PF;
    std::copy_n(body.axis.data(), 3, link.axis);
    std::copy_n(offset.data(), 3, link.offset);
    std::copy_n(center.data(), 3, link.center);
    std::copy_n(I.data(), 9, link.I);
  }
  Place& world = places_[0];
  world = {};
  world.R[0] = world.R[4] = world.R[8] = 1.0;
  motions_[0] = {};
}

bool HingeForest::begin(const Kinematics<double>& kin) {
  for (std::size_t b = 1; b < links_.size(); ++b) {
    Link& link = links_[b];
    Place& own = places_[b];
    const Place& parent = places_[link.parent];
    std::copy_n(kin.bodies[b].R.data(), 9, own.R);
    if (link.parent == 0) {
      std::fill_n(own.p, 3, 0.0);
      std::copy_n(own.R, 9, link.turn);
    } else {
      for (int i = 0; i < 3; ++i) own.p[i] = parent.p[i] + kin.bodies[b].r[i];
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) link.turn[3 * j + i] = dot_three(parent.R + 3 * i, own.R + 3 * j);
    }
    if (!link.is_free) std::copy_n(kin.S.data() + 6 * link.v0, 3, own.S.x);
    set_inertia(b);
  }
  return eliminate();
}

bool HingeForest::place(const Eigen::VectorXd& d) {
  for (std::size_t b = 1; b < links_.size(); ++b) {
    const Link& link = links_[b];
    Place& own = places_[b];
    const Place& parent = places_[link.parent];
    double turn[9], product[9];
    if (link.is_free) {
      rotate_by(d.data() + link.v0, turn);
      multiply_three(turn, link.turn, own.R);
    } else {
      const double angle = d.data()[link.v0];
      const double w[3] = {angle * link.axis[0], angle * link.axis[1], angle * link.axis[2]};
      rotate_by(w, turn);
      multiply_three(parent.R, link.turn, product);
      multiply_three(product, turn, own.R);
      apply_three(product, link.axis, own.S.x);
      apply_three(parent.R, link.offset, own.p);
      add_three(parent.p, own.p);
    }
    set_inertia(b);
  }
  return eliminate();
}

// S and the inertia about O, from R and p, and as I_A, by columns.
void HingeForest::set_inertia(std::size_t b) {
  const Link& link = links_[b];
  Place& own = places_[b];
  if (!link.is_free) {
    std::fill_n(own.S.x + 3, 3, 0.0);
    add_cross(own.p, own.S.x, own.S.x + 3);
  }
  double* const A = inertia_[b].x;
  std::fill_n(A, 36, 0.0);
  if (!link.has_mass) return;
  double RI[9], c[3];
  multiply_three(own.R, link.I, RI);
  apply_three(own.R, link.center, c);
  add_three(own.p, c);
  const double m = link.m, round = m * dot_three(c, c);
  own.m = m;
  double* const h = own.h;
  h[0] = m * c[0], h[1] = m * c[1], h[2] = m * c[2];
  const double* const R = own.R;
  const auto entry = [&](int i, int j) {
    return RI[i] * R[j] + RI[3 + i] * R[3 + j] + RI[6 + i] * R[6 + j] - h[i] * c[j];
  };
  double* const I = own.I;
  I[0] = entry(0, 0) + round, I[4] = entry(1, 1) + round, I[8] = entry(2, 2) + round;
  I[1] = I[3] = entry(0, 1), I[2] = I[6] = entry(0, 2), I[5] = I[7] = entry(1, 2);
  // [I skew(h); −skew(h) m 1]
  A[0] = I[0], A[1] = I[1], A[2] = I[2], A[6] = I[3], A[7] = I[4], A[8] = I[5];
  A[12] = I[6], A[13] = I[7], A[14] = I[8], A[21] = A[28] = A[35] = m;
  A[4] = -h[2], A[5] = h[1], A[9] = h[2], A[11] = -h[0], A[15] = -h[1], A[16] = h[0];
  A[19] = h[2], A[20] = -h[1], A[24] = -h[2], A[26] = h[0], A[30] = h[1], A[31] = -h[0];
}

bool HingeForest::eliminate() {
  for (std::size_t b = links_.size() - 1; b > 0; --b) {
    const Link& link = links_[b];
    if (link.is_free) {
      if (!factor_root(b)) return false;
      continue;
    }
    Place& own = places_[b];
    const double* const A = inertia_[b].x;
    const double* const S = own.S.x;
    Lanes2 U0{}, U1{}, U2{};
    const auto add_column = [&](int k) {
      const Lanes2 s = both(S[k]);
      U0 += lanes(A + 6 * k) * s, U1 += lanes(A + 6 * k + 2) * s, U2 += lanes(A + 6 * k + 4) * s;
    };
    add_column(0), add_column(1), add_column(2), add_column(3), add_column(4), add_column(5);
    double U[6];
    store(U0, U), store(U1, U + 2), store(U2, U + 4);
    const Lanes2 sum = U0 * lanes(S) + U1 * lanes(S + 2) + U2 * lanes(S + 4);
    const double D = sum[0] + sum[1] + link.armature;
    if (!(D > 0.0)) return false;
    own.inverse_D = 1.0 / D;
    const Lanes2 inverse = both(own.inverse_D), UD0 = U0 * inverse, UD1 = U1 * inverse, UD2 = U2 * inverse;
    store(UD0, own.UD.x), store(UD1, own.UD.x + 2), store(UD2, own.UD.x + 4);
    if (link.parent == 0) continue;
    double* const to = inertia_[link.parent].x;
    const auto hand_column = [&](int k) {
      const Lanes2 u = both(U[k]);
      const double* const from = A + 6 * k;
      double* const column = to + 6 * k;
      store(lanes(column) + (lanes(from) - UD0 * u), column);
      store(lanes(column + 2) + (lanes(from + 2) - UD1 * u), column + 2);
      store(lanes(column + 4) + (lanes(from + 4) - UD2 * u), column + 4);
    };
    hand_column(0), hand_column(1), hand_column(2), hand_column(3), hand_column(4), hand_column(5);
  }
  return true;
}

// L Lᵀ = I_A + armature, L by columns, with the inverses of its diagonal in their places.
bool HingeForest::factor_root(std::size_t b) {
  double* const L = inertia_[b].x;
  for (int j = 0; j < 6; ++j) {
    double* const own = L + 6 * j;
    own[j] += links_[b].armature;
    for (int k = 0; k < j; ++k)
      for (int i = j; i < 6; ++i) own[i] -= L[6 * k + i] * L[6 * k + j];
    if (!(own[j] > 0.0)) return false;
    own[j] = 1.0 / std::sqrt(own[j]);
    for (int i = j + 1; i < 6; ++i) own[i] *= own[j];
  }
  return true;
}

void HingeForest::solve_root(std::size_t b, double* x) const {
  const double* const L = inertia_[b].x;
  for (int j = 0; j < 6; ++j) {
    x[j] *= L[7 * j];
    for (int i = j + 1; i < 6; ++i) x[i] -= L[6 * j + i] * x[j];
  }
  for (int j = 5; j >= 0; --j) {
    for (int i = j + 1; i < 6; ++i) x[j] -= L[6 * j + i] * x[i];
    x[j] *= L[7 * j];
  }
}

// The first pass of (1)
void HingeForest::compute_forces(const Eigen::VectorXd& v) {
  for (std::size_t b = 1; b < links_.size(); ++b) {
    const Link& link = links_[b];
    const Place& own = places_[b];
    const Motion& parent = motions_[link.parent];
    Motion& to = motions_[b];
    if (link.is_free) {
      // v̇ is that of a point that moves: less by ω × v than that of the motion about O
      const double* const speed = v.data() + link.v0;
      std::copy_n(speed, 6, to.V.x);
      std::fill_n(to.A.x, 6, 0.0);
      add_cross(speed + 3, speed, to.A.x + 3);
    } else {
      const double speed = v.data()[link.v0];
      double s[6];
      const Lanes2 factor = both(speed);
      const auto add_pair = [&](int i) {
        const Lanes2 own_s = lanes(own.S.x + i) * factor;
        store(own_s, s + i);
        store(lanes(parent.V.x + i) + own_s, to.V.x + i);
        store(lanes(parent.A.x + i), to.A.x + i);
      };
      add_pair(0), add_pair(2), add_pair(4);
      add_cross(parent.V.x, s, to.A.x);
      add_cross(parent.V.x, s + 3, to.A.x + 3);
      add_cross(parent.V.x + 3, s, to.A.x + 3);
    }
    std::fill_n(to.p.x, 6, 0.0);
    if (!link.has_mass) continue;
    // I A₀ + V ×* I V
    const auto apply = [&](const double* X, double* F) {
      apply_three(own.I, X, F);
      F[3] = own.m * X[3], F[4] = own.m * X[4], F[5] = own.m * X[5];
      add_cross(own.h, X + 3, F);
      add_cross(X, own.h, F + 3);
    };
    double momentum[6];
    apply(to.V.x, momentum);
    apply(to.A.x, to.p.x);
    add_cross(to.V.x, momentum, to.p.x);
    add_cross(to.V.x + 3, momentum + 3, to.p.x);
    add_cross(to.V.x, momentum + 3, to.p.x + 3);
  }
}

void HingeForest::accelerate(const Eigen::VectorXd& v, Eigen::VectorXd& a) {
  compute_forces(v);
  for (std::size_t b = links_.size() - 1; b > 0; --b) {
    const Link& link = links_[b];
    if (link.is_free) continue;
    const Place& own = places_[b];
    Motion& of = motions_[b];
    const double *const S = own.S.x, *const p = of.p.x, *const UD = own.UD.x;
    const Lanes2 sum = lanes(S) * lanes(p) + lanes(S + 2) * lanes(p + 2) + lanes(S + 4) * lanes(p + 4);
    of.u = -(sum[0] + sum[1]);
    if (link.parent == 0) continue;
    double* const to = motions_[link.parent].p.x;
    const Lanes2 u = both(of.u);
    const auto add_pair = [&](int i) { store(lanes(to + i) + (lanes(p + i) + lanes(UD + i) * u), to + i); };
    add_pair(0), add_pair(2), add_pair(4);
  }
  for (std::size_t b = 1; b < links_.size(); ++b) {
    const Link& link = links_[b];
    const Place& own = places_[b];
    Motion& of = motions_[b];
    double* const to = a.data() + link.v0;
    if (link.is_free) {
      for (int i = 0; i < 6; ++i) of.A.x[i] = -of.p.x[i];
      solve_root(b, of.A.x);
      std::copy_n(of.A.x, 6, to);
      continue;
    }
    const double* const A = motions_[link.parent].A.x;
    const double *const S = own.S.x, *const UD = own.UD.x;
    const Lanes2 sum = lanes(UD) * lanes(A) + lanes(UD + 2) * lanes(A + 2) + lanes(UD + 4) * lanes(A + 4);
    const double own_a = own.inverse_D * of.u - (sum[0] + sum[1]);
    *to = own_a;
    const Lanes2 x = both(own_a);
    const auto add_pair = [&](int i) { store(lanes(A + i) + lanes(S + i) * x, of.A.x + i); };
    add_pair(0), add_pair(2), add_pair(4);
  }
}

}  // namespace rigor
