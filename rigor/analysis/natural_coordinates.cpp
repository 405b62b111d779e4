#include "rigor/analysis/natural_coordinates.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>
#include <set>

#include "rigor/base/index.hpp"
#include "rigor/dynamics/constrained_system.hpp"
#include "rigor/math/orthogonal_solve.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kSame = 1e-9;        // of a length or a unit vector: two are one
constexpr double kIndependent = 0.3;  // of a unit vector: so much must stick out to join a basis

// A point or a unit vector that bodies carry; `column` is its first coordinate, −1 where it is fixed.
struct Element {
  bool is_point{true};
  BodyIndex owner{0};
  Vector3d value{Vector3d::Zero()}, rate{Vector3d::Zero()}, bias{Vector3d::Zero()};
  Eigen::Index column{-1};
  std::string name;
};

// p0, p1, u, v of a body as indices of elements; −1 where not chosen yet.
struct Basis {
  std::array<int, 4> element{-1, -1, -1, -1};
  std::vector<int> extra;  // points and vectors that follow from the basis
};

// Weights of p0, p1, u, v in a point, (1), or in a vector of the body.
using Weights = Eigen::Vector4d;

class Builder {
 public:
  Builder(const Model& model, const State& state, const SceneProblem& scene)
      : model_(model), given_(scene), system_(model) {
    system_.set_motion(state.q, state.v);
  }

  NaturalProblem build() {
    choose_elements();
    number_coordinates();
    compute_motion();
    NaturalProblem out;
    out.Gamma = Gamma_;
    out.q_bias = q_bias_;
    out.W = pseudo_inverse(Gamma_);
    out.scene.gravity = given_.gravity;
    add_mass(out);
    add_loads(out);
    add_given_rows(out);
    add_rigidity(out);
    add_joints(out);
    for (const Element& element : elements_)
      if (element.column >= 0)
        for (const char axis : {'x', 'y', 'z'})
          out.scene.coordinates.push_back(fmt::format("{}.{}", element.name, axis));
    return out;
  }

 private:
  [[nodiscard]] const Kinematics<double>& kin() const { return system_.kinematics(); }

  int add_element(bool is_point, BodyIndex owner, const Vector3d& value, const std::string& what) {
    Element element;
    element.is_point = is_point;
    element.owner = owner;
    element.value = value;
    const std::string& body = owner == kWorldIndex ? "world" : model_.bodies[at(owner)].name;
    element.name = fmt::format("{}.{}", body, what);
    elements_.push_back(std::move(element));
    return static_cast<int>(elements_.size()) - 1;
  }

  // ---- which points and vectors -------------------------------------------------------------------------

  // Directions that a body's basis has so far.
  [[nodiscard]] Matrix directions(const Basis& basis) const {
    Matrix list(3, 0);
    const auto add = [&](const Vector3d& direction) {
      list.conservativeResize(3, list.cols() + 1);
      list.col(list.cols() - 1) = direction.normalized();
    };
    if (basis.element[0] >= 0 && basis.element[1] >= 0)
      add(elements_[at(basis.element[1])].value - elements_[at(basis.element[0])].value);
    for (const int k : {2, 3})
      if (basis.element[at(k)] >= 0) add(elements_[at(basis.element[at(k)])].value);
    return list;
  }

  [[nodiscard]] Vector3d outside(const Basis& basis, const Vector3d& direction) const {
    Vector3d rest = direction;
    const Matrix list = directions(basis);
    if (list.cols() > 0) {
      const Matrix Q = orthonormal_columns(list, list.cols());
      rest -= Q * (Q.transpose() * direction);
    }
    return rest;
  }

  // A point of a joint on the parent's side: one of its own, its second one, or one more.
  int share_point(BodyIndex parent, BodyIndex body, const Vector3d& value) {
    if (parent == kWorldIndex) return add_element(true, kWorldIndex, value, "point");
    Basis& basis = bases_[at(parent)];
    for (const int k : {0, 1})
      if (const int e = basis.element[at(k)]; e >= 0 && (elements_[at(e)].value - value).norm() < kSame)
        return e;
    for (const int e : basis.extra)
      if (elements_[at(e)].is_point && (elements_[at(e)].value - value).norm() < kSame) return e;
    const int e = add_element(true, body, value, "point");
    const Vector3d arm = value - elements_[at(basis.element[0])].value;
    if (basis.element[1] < 0 && outside(basis, arm.normalized()).norm() > kIndependent)
      basis.element[1] = e;
    else
      basis.extra.push_back(e);
    return e;
  }

  int share_vector(BodyIndex parent, BodyIndex body, const Vector3d& value) {
    if (parent == kWorldIndex) return add_element(false, kWorldIndex, value, "axis");
    Basis& basis = bases_[at(parent)];
    const auto is_same = [&](int e) {
      return e >= 0 && !elements_[at(e)].is_point && elements_[at(e)].value.cross(value).norm() < kSame;
    };
    for (const int k : {2, 3})
      if (is_same(basis.element[at(k)])) return basis.element[at(k)];
    for (const int e : basis.extra)
      if (is_same(e)) return e;
    const int e = add_element(false, body, value, "axis");
    for (const int k : {2, 3})
      if (basis.element[at(k)] < 0 && outside(basis, value).norm() > kIndependent) {
        basis.element[at(k)] = e;
        return e;
      }
    basis.extra.push_back(e);
    return e;
  }

  // What a body still lacks, away from what it has.
  void complete(BodyIndex body) {
    Basis& basis = bases_[at(body)];
    const BodyKinematics<double>& own = kin().bodies[at(body)];
    const double mass = own.inertia.m;
    const double length = mass > 0.0 ? std::sqrt(std::max(1e-12, own.inertia.I.trace() / mass)) : 1.0;
    for (const int k : {1, 2, 3}) {
      if (basis.element[at(k)] >= 0) continue;
      Vector3d best = Vector3d::Zero();
      for (int axis = 0; axis < 3; ++axis) {
        const Vector3d rest = outside(basis, own.R.col(axis));
        if (rest.norm() > best.norm() + 1e-6) best = rest;
      }
      best.normalize();
      basis.element[at(k)] =
          k == 1 ? add_element(true, body, elements_[at(basis.element[0])].value + length * best, "point2")
                 : add_element(false, body, best, k == 2 ? "u" : "v");
    }
  }

  void choose_elements() {
    rep_.assign(model_.bodies.size(), kWorldIndex);
    bases_.resize(model_.bodies.size());
    for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
      const ModelBody& body = model_.bodies[b];
      const BodyIndex parent = rep_[at(body.parent)];
      if (body.type == JointType::kFixed) {
        rep_[b] = parent;
        continue;
      }
      const auto own = static_cast<BodyIndex>(b);
      rep_[b] = own;
      const Vector3d& origin = kin().bodies[b].p;
      if (shares_point(body.type))
        bases_[b].element[0] = share_point(parent, own, origin);
      else
        bases_[b].element[0] = add_element(true, own, origin, "point");
      if (body.type == JointType::kRevolute)
        bases_[b].element[2] = share_vector(parent, own, kin().S.col(body.v0).head<3>().normalized());
    }
    for (std::size_t b = 1; b < model_.bodies.size(); ++b)
      if (rep_[b] == static_cast<BodyIndex>(b)) complete(rep_[b]);
  }

  [[nodiscard]] static bool shares_point(JointType type) {
    return type == JointType::kRevolute || type == JointType::kBall || type == JointType::kUniversal;
  }

  // ---- how they move ------------------------------------------------------------------------------------

  void number_coordinates() {
    for (Element& element : elements_) {
      if (element.owner == kWorldIndex) continue;
      element.column = size_;
      size_ += 3;
    }
  }

  // Γ, q̇ and the q̈ of unchanged speeds, from the tree.
  void compute_motion() {
    Gamma_ = Matrix::Zero(size_, model_.nv);
    q_bias_ = Vector::Zero(size_);
    for (Element& element : elements_) {
      if (element.column < 0) continue;
      const BodyKinematics<double>& own = kin().bodies[at(element.owner)];
      const Vector3d w = own.angular_velocity();
      if (element.is_point) {
        const Vector3d arm = element.value - own.p;
        element.rate = own.velocity_at(arm);
        element.bias = own.acceleration_at(arm);
      } else {
        element.rate = w.cross(element.value);
        element.bias = own.angular_acceleration().cross(element.value) + w.cross(w.cross(element.value));
      }
      q_bias_.segment<3>(element.column) = element.bias;
      for (BodyIndex b = element.owner; b != kWorldIndex; b = model_.bodies[at(b)].parent) {
        const ModelBody& body = model_.bodies[at(b)];
        for (int i = body.v0; i < body.v0 + body.nv; ++i) {
          const Vector3d turn = kin().S.col(i).head<3>(), go = kin().S.col(i).tail<3>();
          Gamma_.block<3, 1>(element.column, i) =
              element.is_point ? Vector3d(go + turn.cross(element.value - kin().bodies[at(b)].p))
                               : Vector3d(turn.cross(element.value));
        }
      }
    }
  }

  // ---- bodies in their basis ----------------------------------------------------------------------------

  [[nodiscard]] Matrix3d axes_of(BodyIndex body) const {
    const std::array<int, 4>& e = bases_[at(body)].element;
    Matrix3d B;
    B << elements_[at(e[1])].value - elements_[at(e[0])].value, elements_[at(e[2])].value,
        elements_[at(e[3])].value;
    return B;
  }

  [[nodiscard]] Weights point_weights(BodyIndex body, const Vector3d& point) const {
    const Vector3d c = axes_of(body).inverse() * (point - elements_[at(bases_[at(body)].element[0])].value);
    return {1.0 - c[0], c[0], c[1], c[2]};
  }

  // Adds factor · directionᵀ (velocity of a weighted sum of the body's elements) to a row.
  void add_to_row(BodyIndex body, const Weights& weights, const Vector3d& direction, double factor,
                  Vector& row) const {
    if (body == kWorldIndex) return;
    for (int k = 0; k < 4; ++k) {
      const Element& element = elements_[at(bases_[at(body)].element[at(k)])];
      if (element.column >= 0) row.segment<3>(element.column) += factor * weights[k] * direction;
    }
  }

  // The same of direction · (velocity of the body's point) and direction · ω.
  void add_point(BodyIndex body, const Vector3d& point, const Vector3d& direction, double factor,
                 Vector& row) const {
    if (body != kWorldIndex) add_to_row(body, point_weights(body, point), direction, factor, row);
  }
  void add_turn(BodyIndex body, const Vector3d& direction, double factor, Vector& row) const {
    if (body == kWorldIndex) return;
    const Matrix3d reciprocal = axes_of(body).inverse();  // rows bᵏ
    for (int k = 0; k < 3; ++k) {
      // ½ direction · (bᵏ × ḃ) = ½ (direction × bᵏ) · ḃ
      const Vector3d lever = direction.cross(Vector3d(reciprocal.row(k).transpose()));
      Weights weights = Weights::Zero();
      weights[k + 1] = 1.0;
      if (k == 0) weights[0] = -1.0;
      add_to_row(body, weights, lever, 0.5 * factor, row);
    }
  }

  // ---- the problem --------------------------------------------------------------------------------------

  // (2), and what joints have of inertia of their own.
  void add_mass(NaturalProblem& out) const {
    Matrix& M = out.scene.problem.M;
    M = Matrix::Zero(size_, size_);
    for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
      const BodyIndex rep = rep_[b];
      if (rep == kWorldIndex) continue;
      const BodyKinematics<double>& own = kin().bodies[b];
      const Vector3d d = own.p - elements_[at(bases_[at(rep)].element[0])].value;
      const Vector3d h = own.inertia.h + own.inertia.m * d;
      const Matrix3d sum = 0.5 * own.inertia.I.trace() * Matrix3d::Identity() - own.inertia.I +
                           own.inertia.h * d.transpose() + d * own.inertia.h.transpose() +
                           own.inertia.m * d * d.transpose();
      Eigen::Matrix4d Pi, L = Eigen::Matrix4d::Zero();
      Pi << own.inertia.m, h.transpose(), h, sum;
      const Matrix3d reciprocal = axes_of(rep).inverse();
      L(0, 0) = 1.0;
      L.block<1, 3>(0, 1) = -reciprocal.row(0);
      L.block<3, 3>(1, 1) = reciprocal;
      const Eigen::Matrix4d own_M = L * Pi * L.transpose();
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          const Eigen::Index r = elements_[at(bases_[at(rep)].element[at(i)])].column;
          const Eigen::Index c = elements_[at(bases_[at(rep)].element[at(j)])].column;
          if (r < 0 || c < 0) continue;
          for (int k = 0; k < 3; ++k) M(r + k, c + k) += 0.5 * (own_M(i, j) + own_M(j, i));
        }
    }
    // armatures are inertia of speeds, not of bodies
    Vector armature = Vector::Zero(model_.nv);
    for (const ModelBody& body : model_.bodies) armature.segment(body.v0, body.nv).setConstant(body.armature);
    if (!armature.isZero()) M += out.W.transpose() * armature.asDiagonal() * out.W;
  }

  void add_loads(NaturalProblem& out) const {
    AccelerationProblem& problem = out.scene.problem;
    const Vector inertial = Gamma_.transpose() * (problem.M * q_bias_);
    problem.F = out.W.transpose() * (given_.problem.F - inertial);
    out.scene.rest = out.W.transpose() * (given_.rest - inertial);
    out.scene.per_gravity = out.W.transpose() * given_.per_gravity;
    for (const Actuator& actuator : given_.problem.actuators) {
      problem.actuators.push_back(actuator);
      problem.actuators.back().force = out.W.transpose() * actuator.force;
    }
  }

  void add_given_rows(NaturalProblem& out) const {
    out.scene.places = given_.places;
    for (std::size_t i = 0; i < given_.problem.contacts.size(); ++i) {
      AccelerationContact contact = given_.problem.contacts[i];
      const SceneProblem::Place& place = given_.places[i];
      const auto convert = [&](const Vector& row, double& bias, int axis) {
        Vector natural;
        if (place.is_contact) {
          natural = Vector::Zero(size_);
          add_point(rep_[at(place.a)], place.point, place.frame.col(axis), 1.0, natural);
          add_point(rep_[at(place.b)], place.point, place.frame.col(axis), -1.0, natural);
          // elliptic cones are round ones in other units
          const Vector back = Gamma_.transpose() * natural;
          if (back.squaredNorm() > 0.0) natural *= row.dot(back) / back.squaredNorm();
        } else {
          natural = out.W.transpose() * row;
        }
        bias -= natural.dot(q_bias_);
        return natural;
      };
      contact.normal = convert(given_.problem.contacts[i].normal, contact.normal_bias, 0);
      contact.tangent.resize(contact.tangents(), size_);
      for (Eigen::Index k = 0; k < contact.tangents(); ++k)
        contact.tangent.row(k) = convert(given_.problem.contacts[i].tangent.row(k).transpose(),
                                         contact.tangent_bias[k], static_cast<int>(k) + 1)
                                     .transpose();
      out.scene.problem.contacts.push_back(std::move(contact));
    }
  }

  static void add_bilateral(std::string name, Vector row, double bias, NaturalProblem& out) {
    if (!(row.norm() > kSame)) return;  // fixed in the world
    AccelerationContact contact;
    contact.name = std::move(name);
    contact.side = ContactSide::kBilateral;
    contact.tangent.resize(0, row.size());
    contact.tangent_bias.resize(0);
    contact.normal = std::move(row);
    contact.normal_bias = bias;
    out.scene.problem.contacts.push_back(std::move(contact));
    out.scene.places.emplace_back();
  }

  // a·b of two differences of elements stays: d/dt² = ä·b + a·b̈ + 2 ȧ·ḃ.
  void add_product(const std::string& name, const std::array<int, 2>& a, const std::array<int, 2>& b,
                   NaturalProblem& out) const {
    struct Side {
      Vector3d value{Vector3d::Zero()}, rate{Vector3d::Zero()};
    };
    const auto evaluate = [&](const std::array<int, 2>& pair) {
      Side side{elements_[at(pair[0])].value, elements_[at(pair[0])].rate};
      if (pair[1] >= 0) {
        side.value -= elements_[at(pair[1])].value;
        side.rate -= elements_[at(pair[1])].rate;
      }
      return side;
    };
    const Side A = evaluate(a), B = evaluate(b);
    Vector row = Vector::Zero(size_);
    const auto add = [&](const std::array<int, 2>& pair, const Vector3d& other) {
      for (const int k : {0, 1}) {
        if (pair[at(k)] < 0) continue;
        const Eigen::Index column = elements_[at(pair[at(k)])].column;
        if (column >= 0) row.segment<3>(column) += (k == 0 ? 1.0 : -1.0) * other;
      }
    };
    add(a, B.value);
    add(b, A.value);
    const double bias = 2.0 * A.rate.dot(B.rate);
    add_bilateral(name, row, bias, out);
  }

  // (3), and (1) for elements that follow.
  void add_rigidity(NaturalProblem& out) const {
    std::set<std::pair<int, int>> done;
    for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
      if (rep_[b] != static_cast<BodyIndex>(b)) continue;
      const std::array<int, 4>& e = bases_[b].element;
      const std::array<int, 2> arm{e[1], e[0]}, u{e[2], -1}, v{e[3], -1};
      const auto name = [&](const char* what) {
        return fmt::format("rigid \"{}\": {}", model_.bodies[b].name, what);
      };
      if (done.insert(std::minmax(e[0], e[1])).second) add_product(name("|p1 - p0|"), arm, arm, out);
      if (done.insert({e[2], e[2]}).second) add_product(name("|u|"), u, u, out);
      if (done.insert({e[3], e[3]}).second) add_product(name("|v|"), v, v, out);
      if (done.insert(std::minmax(e[2], e[3])).second) add_product(name("u v"), u, v, out);
      add_product(name("(p1 - p0) u"), arm, u, out);
      add_product(name("(p1 - p0) v"), arm, v, out);
      for (const int extra : bases_[b].extra) add_extra(static_cast<BodyIndex>(b), extra, out);
    }
  }

  void add_extra(BodyIndex body, int extra, NaturalProblem& out) const {
    const Element& element = elements_[at(extra)];
    Weights weights;
    if (element.is_point) {
      weights = point_weights(body, element.value);
    } else {
      const Vector3d c = axes_of(body).inverse() * element.value;
      weights = {-c[0], c[0], c[1], c[2]};
    }
    for (int k = 0; k < 3; ++k) {
      Vector row = Vector::Zero(size_);
      row[element.column + k] = 1.0;
      add_to_row(body, weights, Vector3d::Unit(k), -1.0, row);
      add_bilateral(fmt::format("{} on \"{}\": {}", element.name, model_.bodies[at(body)].name, "xyz"[k]),
                    row, 0.0, out);
    }
  }

  // Relative twists that a joint does not have. Points and axes that are shared need none.
  void add_joints(NaturalProblem& out) const {
    for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
      const ModelBody& body = model_.bodies[b];
      if (rep_[b] != static_cast<BodyIndex>(b) || body.nv == 6) continue;
      if (body.type == JointType::kRevolute || body.type == JointType::kBall) continue;
      const BodyIndex parent = rep_[at(body.parent)];
      const Matrix S = kin().S.middleCols(body.v0, body.nv);
      const bool only_turns = shares_point(body.type);
      const Matrix motions = only_turns ? Matrix(S.topRows(3)) : S;
      const Matrix Q = orthonormal_columns(motions, motions.rows());
      for (Eigen::Index k = body.nv; k < motions.rows(); ++k) {
        const Vector3d turn = Q.col(k).head<3>();
        Vector row = Vector::Zero(size_);
        add_turn(static_cast<BodyIndex>(b), turn, 1.0, row);
        add_turn(parent, turn, -1.0, row);
        if (!only_turns) {
          const Vector3d go = Q.col(k).tail<3>(), point = kin().bodies[b].p;
          add_point(static_cast<BodyIndex>(b), point, go, 1.0, row);
          add_point(parent, point, go, -1.0, row);
        }
        const double bias = -row.dot(q_bias_);
        add_bilateral(fmt::format("joint \"{}\": {}", body.joint_name, k - body.nv + 1), row, bias, out);
      }
    }
  }

  const Model& model_;
  const SceneProblem& given_;
  ConstrainedSystem system_;
  std::vector<Element> elements_;
  std::vector<Basis> bases_;
  std::vector<BodyIndex> rep_;  // of bodies on fixed joints: the one that moves them
  Eigen::Index size_{0};
  Matrix Gamma_;
  Vector q_bias_;
};

}  // namespace

NaturalProblem make_natural_problem(const Model& model, const State& state, const SceneProblem& scene) {
  return Builder(model, state, scene).build();
}

}  // namespace rigor
