#include "rigor/dynamics/articulated_body.hpp"

#include <cmath>

#include "rigor/dynamics/inverse_dynamics.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;
using Six = Vec6<double>;

inline Six multiply(const Mat6<double>& I, const Six& V) {
  const double *const entries = I.data(), *const v = V.data();
  const auto term = [&](int j) { return Eigen::Map<const Six>(entries + 6 * j) * v[j]; };
  Six F = term(0) + term(1);
  F += term(2);
  F += term(3);
  F += term(4);
  F += term(5);
  return F;
}

// The inertia of a rigid body as [I skew(h); −skew(h) m 1], written column by column.
void set_rigid(const SpatialInertia<double>& body, Mat6<double>& inertia) {
  const double m = body.m, *const h = body.h.data(), *const I = body.I.data();
  double* const to = inertia.data();
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) to[6 * j + i] = I[3 * j + i];
    for (int i = 3; i < 6; ++i) to[6 * j + i] = 0.0;
    for (int i = 0; i < 6; ++i) to[6 * (j + 3) + i] = 0.0;
    to[6 * (j + 3) + 3 + j] = m;
  }
  to[4] = -h[2], to[5] = h[1];
  to[9] = h[2], to[11] = -h[0];
  to[15] = -h[1], to[16] = h[0];
  to[19] = h[2], to[20] = -h[1];
  to[24] = -h[2], to[26] = h[0];
  to[30] = h[1], to[31] = -h[0];
}

// target += P I Pᵀ, P = [1 skew(r); 0 1]: shifts the symmetric I = [A B; Bᵀ C] to a point from which its
// own lies r away. Columns first, which gives B'ᵀ = Bᵀ − C skew(r), then the rows of A alone. Numbers that
// come from rows are written into the target one by one: a pair that is stored as two and loaded as one
// would stall.
void add_shifted(const Mat6<double>& I, const Vector3d& r, Mat6<double>& target) {
  const double x = r.x(), y = r.y(), z = r.z(), *const D = I.data() + 18, *const E = D + 6, *const F = E + 6;
  double K[18];
  for (int i = 0; i < 6; ++i) {
    K[i] = I.data()[i] + (F[i] * y - E[i] * z);
    K[6 + i] = I.data()[6 + i] + (D[i] * z - F[i] * x);
    K[12 + i] = I.data()[12 + i] + (E[i] * x - D[i] * y);
  }
  for (int j = 0; j < 3; ++j) {
    const double *const from = K + 6 * j, *const C = I.data() + 6 * (j + 3) + 3;
    double *const left = target.data() + 6 * j, *const right = left + 18;
    left[0] += from[0] + (y * from[5] - z * from[4]);
    left[1] += from[1] + (z * from[3] - x * from[5]);
    left[2] += from[2] + (x * from[4] - y * from[3]);
    for (int i = 3; i < 6; ++i) left[i] += from[i];
    for (int i = 0; i < 3; ++i) right[i] += K[6 * i + 3 + j];
    for (int i = 0; i < 3; ++i) right[3 + i] += C[i];
  }
}

// D = L Lᵀ of the few speeds of one joint; of D the lower half is read. The loops are unrolled; Eigen's LLT of fixed size is as
// fast, and takes a minute to compile for the five sizes.
template <int N>
class JointCholesky {
 public:
  using Column = Eigen::Matrix<double, N, 1>;

  explicit JointCholesky(const double (&D)[N][N]) {
    for (int j = 0; j < N; ++j) {
      for (int i = j; i < N; ++i) {
        double rest = D[i][j];
        for (int k = 0; k < j; ++k) rest -= L_[i][k] * L_[j][k];
        if (i > j) {
          L_[i][j] = rest / L_[j][j];
        } else {
          is_positive_ = is_positive_ && rest > 0.0;
          L_[j][j] = std::sqrt(rest);
        }
      }
    }
  }
  [[nodiscard]] bool is_positive() const { return is_positive_; }

  [[nodiscard]] Column solve(Column x) const {
    for (int i = 0; i < N; ++i) {
      for (int k = 0; k < i; ++k) x[i] -= L_[i][k] * x[k];
      x[i] /= L_[i][i];
    }
    for (int i = N - 1; i >= 0; --i) {
      for (int k = i + 1; k < N; ++k) x[i] -= L_[k][i] * x[k];
      x[i] /= L_[i][i];
    }
    return x;
  }

  /// X D⁻¹ of six rows at a time, X by its columns.
  void solve_rows(Six (&X)[N]) const {
    for (int i = 0; i < N; ++i) {
      for (int k = 0; k < i; ++k) X[i] -= L_[i][k] * X[k];
      X[i] /= L_[i][i];
    }
    for (int i = N - 1; i >= 0; --i) {
      for (int k = i + 1; k < N; ++k) X[i] -= L_[k][i] * X[k];
      X[i] /= L_[i][i];
    }
  }

 private:
  double L_[N][N]{};
  bool is_positive_{true};
};

}  // namespace

int ArticulatedBody::solve(const Model& model, const Kinematics<double>& kin,
                           const std::vector<Six>* wrenches, const Eigen::VectorXd& tau, Eigen::VectorXd& a) {
  start(model, kin, wrenches);
  for (std::size_t b = model.bodies.size() - 1; b > 0; --b)
    if (!eliminate(model, kin, tau, a, b)) return static_cast<int>(b);
  // gravity is an upward acceleration of the world
  acceleration_[0] << Vector3d::Zero(), -model.gravity;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) accelerate(model, kin, tau, b, a);
  return -1;
}

void ArticulatedBody::start(const Model& model, const Kinematics<double>& kin,
                            const std::vector<Six>* wrenches) {
  joints_.resize(model.bodies.size());
  acceleration_.resize(model.bodies.size());
  order_.resize(static_cast<std::size_t>(model.nv));
  UD_.resize(6, model.nv);
  Du_.resize(model.nv);
  motor_forces_.setZero(model.nv);
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    Joint& joint = joints_[b];
    set_rigid(kin.bodies[b].inertia, joint.inertia);
    joint.force = compute_gyroscopic_force(kin.bodies[b]);
    if (wrenches != nullptr) joint.force -= (*wrenches)[b];

    const ModelBody& body = model.bodies[b];
    int first = body.v0, last = body.v0 + body.nv;
    for (int i = body.v0; i < body.v0 + body.nv; ++i) {
      const bool is_free = model.speeds[static_cast<std::size_t>(i)].motion < 0;
      order_[static_cast<std::size_t>(is_free ? first++ : --last)] = i;
    }
    joint.free = first - body.v0;
  }
}

// Eliminates one joint from its body's equations and adds what is left to the parent's.
bool ArticulatedBody::eliminate(const Model& model, const Kinematics<double>& kin, const Eigen::VectorXd& tau,
                                const Eigen::VectorXd& a, std::size_t b) {
  const ModelBody& body = model.bodies[b];
  const Joint& joint = joints_[b];
  const int* order = order_.data() + body.v0;
  Six handed = joint.force;
  for (int k = joint.free; k < body.nv; ++k)
    handed += multiply(joint.inertia, column(kin.S, order[k]) * a[order[k]]);

  const bool is_carried =
      body.parent != kWorldIndex || !model.gravity.isZero(0.0) || !kin.bodies[b].bias.isZero(0.0);
  Mat6<double> left;
  bool is_regular = true;
  switch (joint.free) {
    case 0:
      left = joint.inertia;
      break;
    case 1:
      is_regular = eliminate_speeds<1>(kin, tau, body, is_carried, joint.inertia, left, handed);
      break;
    case 2:
      is_regular = eliminate_speeds<2>(kin, tau, body, is_carried, joint.inertia, left, handed);
      break;
    case 3:
      is_regular = eliminate_speeds<3>(kin, tau, body, is_carried, joint.inertia, left, handed);
      break;
    case 4:
      is_regular = eliminate_speeds<4>(kin, tau, body, is_carried, joint.inertia, left, handed);
      break;
    case 5:
      is_regular = eliminate_speeds<5>(kin, tau, body, is_carried, joint.inertia, left, handed);
      break;
    default:
      is_regular = eliminate_speeds<6>(kin, tau, body, is_carried, joint.inertia, left, handed);
  }
  if (!is_regular || body.parent == kWorldIndex) return is_regular;

  handed += multiply(left, kin.bodies[b].bias);
  Joint& parent = joints_[static_cast<std::size_t>(body.parent)];
  add_shifted(left, kin.bodies[b].r, parent.inertia);
  parent.force += shift_force(handed, kin.bodies[b].r);
  return true;
}

// The N free speeds of a joint: left = I_A − U D⁻¹ Uᵀ, handed += U D⁻¹ u. `is_carried`: A' of the body may not be 0.
template <int N>
bool ArticulatedBody::eliminate_speeds(const Kinematics<double>& kin, const Eigen::VectorXd& tau,
                                       const ModelBody& body, bool is_carried, const Mat6<double>& inertia,
                                       Mat6<double>& left, Six& handed) {
  const int* order = order_.data() + body.v0;
  Six S[N], U[N], UD[N];
  Eigen::Matrix<double, N, 1> u;
  for (int k = 0; k < N; ++k) {
    S[k] = column(kin.S, order[k]);
    U[k] = multiply(inertia, S[k]);
    u.data()[k] = tau.data()[order[k]] - S[k].dot(handed);
  }

  Eigen::Map<Eigen::Matrix<double, N, 1>> Du(Du_.data() + body.v0);
  if constexpr (N == 1) {
    const double d = S[0].dot(U[0]) + body.armature;
    if (!(d > 0.0)) return false;
    UD[0] = U[0] / d;
    Du = u / d;
  } else {
    double D[N][N];
    for (int j = 0; j < N; ++j)
      for (int i = j; i < N; ++i) D[i][j] = S[i].dot(U[j]) + (i == j ? body.armature : 0.0);
    const JointCholesky<N> factor(D);
    if (!factor.is_positive()) return false;
    // a root that nothing accelerates but its own speeds has no use for U D⁻¹
    for (int k = 0; k < N; ++k) UD[k] = is_carried ? U[k] : Six(Six::Zero());
    if (is_carried) factor.solve_rows(UD);
    Du = factor.solve(u);
  }
  for (int k = 0; k < N; ++k) column(UD_, body.v0 + k) = UD[k];
  if (body.parent == kWorldIndex) return true;  // nobody is handed anything
  for (int j = 0; j < 6; ++j) {
    Eigen::Map<Six> to(left.data() + 6 * j);
    to = Eigen::Map<const Six>(inertia.data() + 6 * j) - UD[0] * U[0].data()[j];
    for (int k = 1; k < N; ++k) to -= UD[k] * U[k].data()[j];
  }
  for (int k = 0; k < N; ++k) handed += U[k] * Du.data()[k];
  return true;
}

void ArticulatedBody::accelerate(const Model& model, const Kinematics<double>& kin,
                                 const Eigen::VectorXd& tau, std::size_t b, Eigen::VectorXd& a) {
  const ModelBody& body = model.bodies[b];
  const Joint& joint = joints_[b];
  const int* order = order_.data() + body.v0;
  Six& A = acceleration_[b];
  A = shift_motion(acceleration_[static_cast<std::size_t>(body.parent)], kin.bodies[b].r) +
      kin.bodies[b].bias;
  for (int k = 0; k < joint.free; ++k)
    a.data()[order[k]] = Du_.data()[body.v0 + k] - column(UD_, body.v0 + k).dot(A);
  for (int i = body.v0; i < body.v0 + body.nv; ++i) A += column(kin.S, i) * a.data()[i];
  if (joint.free == body.nv) return;
  const Six total = multiply(joint.inertia, A) + joint.force;
  for (int k = joint.free; k < body.nv; ++k) {
    const int i = order[k];
    motor_forces_[i] = kin.S.col(i).dot(total) + body.armature * a[i] - tau[i];
  }
}

}  // namespace rigor
