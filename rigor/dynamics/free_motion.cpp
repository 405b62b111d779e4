#include "rigor/dynamics/free_motion.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "rigor/base/index.hpp"
#include "rigor/model/elements.hpp"

namespace rigor {
namespace {

constexpr double kMostTreeTurn = 10.0;  // rad in one step: a hundred parts

bool is_zero(const Eigen::Vector3d& x) {
  return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
}

// Not so for a rod without thickness, which rows may hold all the same.
bool has_inertia_about_all_axes(const Eigen::Matrix3d& I) {
  constexpr double kLeast = 1e-12;  // of the largest
  const Eigen::Vector3d values =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(I, Eigen::EigenvaluesOnly).eigenvalues();
  return values[0] > kLeast * values[2];
}

bool is_prescribed(const Model& model, const ModelBody& body) {
  const auto first = model.speeds.begin() + body.v0;
  return std::any_of(first, first + body.nv, [](const ModelSpeed& speed) { return speed.motion >= 0; });
}

// A body alone on a joint in the world: turns as a free top.
bool is_top(const Model& model, const ModelBody& body) {
  const bool turns_freely =
      (body.type == JointType::kFree && body.inertia_J.h.isZero(0.0)) || body.type == JointType::kBall;
  return turns_freely && body.armature == 0.0 && !is_prescribed(model, body) &&
         has_inertia_about_all_axes(body.inertia_J.I);
}

// A body alone on a joint in the world: its M is the same wherever it is.
bool moves_evenly(const ModelBody& body) {
  switch (body.type) {
    case JointType::kPlanar:  // the centre of mass over the joint's origin
      return body.inertia_J.h.cross(body.axis).isZero(0.0);
    case JointType::kFree:
    case JointType::kBall:
    case JointType::kUniversal:
      return body.inertia_J.is_round();
    default:
      return true;
  }
}

}  // namespace

FreeMotion::FreeMotion(const Model& model) : model_(model) {
  trees_.bodies.resize(1);
  origin_.push_back(0);
  // roots with all that hangs on them, in the order of the model
  std::vector<std::size_t> root_of(model.bodies.size(), 0);
  std::vector<std::vector<std::size_t>> members(model.bodies.size());
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const std::size_t parent = at(model.bodies[b].parent);
    root_of[b] = parent == 0 ? b : root_of[parent];
    members[root_of[b]].push_back(b);
  }
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    if (members[b].empty()) continue;
    const ModelBody& body = model.bodies[b];
    const bool is_alone = members[b].size() == 1;
    if (is_alone && moves_evenly(body)) continue;
    if (is_alone && is_top(model, body))
      tops_.push_back({b, quaternion_at(body), FreeTop(body.inertia_J.I)});
    else
      add_tree(model, b, members[b]);
  }

  q_.setZero(trees_.nq);
  v_.setZero(trees_.nv);
  zero_.setZero(trees_.nv);
  own_motor_forces_.setZero(trees_.nv);
  motor_forces_.setZero(model.nv);
  if (ranges_.empty()) return;

  // rows on accelerations count with all of M v̇ = −c in the step; and does every joint meet inertia?
  leaves_out_ = std::any_of(
      model.user_constraints.begin(), model.user_constraints.end(),
      [](const auto& constraint) { return constraint && constraint->level() == RowLevel::kAcceleration; });
  for (const ModelBody& body : trees_.bodies)
    if (quaternion_at(body) >= 0) turns_.push_back(body.v0);
  if (HingeForest::takes(trees_)) forest_.emplace(trees_);
  for (Eigen::VectorXd& a : a_) a.setZero(trees_.nv);
  for (const Range& range : ranges_)
    q_.segment(range.own_q0, range.nq) = model.q_initial.segment(range.q0, range.nq);
  normalize(trees_, q_);
  compute_positions(trees_, q_, kin_);
  compute_velocities(trees_, v_, kin_);
  if (articulated_.solve(trees_, kin_, nullptr, zero_, a_[0]) >= 0) leaves_out_ = true;
}

// Copies the bodies of a tree to trees_, with numbers of their own.
void FreeMotion::add_tree(const Model& model, std::size_t root, const std::vector<std::size_t>& members) {
  std::vector<std::pair<BodyIndex, BodyIndex>> renamed{{kWorldIndex, kWorldIndex}};
  for (const std::size_t b : members) {
    ModelBody body = model.bodies[b];
    ranges_.push_back({body.q0, body.nq, body.v0, body.nv, trees_.nq, trees_.nv});
    const auto parent = std::find_if(renamed.begin(), renamed.end(),
                                     [&](const auto& pair) { return pair.first == body.parent; });
    body.parent = b == root ? kWorldIndex : parent->second;
    body.q0 = trees_.nq;
    body.v0 = trees_.nv;
    for (int k = 0; k < body.nv; ++k)
      trees_.speeds.push_back(
          {static_cast<BodyIndex>(trees_.bodies.size()), -1, model.speeds[at(ranges_.back().v0 + k)].motion});
    trees_.nq += body.nq;
    trees_.nv += body.nv;
    renamed.emplace_back(static_cast<BodyIndex>(b), static_cast<BodyIndex>(trees_.bodies.size()));
    origin_.push_back(static_cast<int>(b));
    trees_.bodies.push_back(std::move(body));
  }
}

int FreeMotion::move(const Kinematics<double>& kin, double h, Eigen::VectorXd& q, Eigen::VectorXd& v) {
  for (Top& top : tops_) {
    const ModelBody& body = model_.bodies[top.body];
    top.L = kin.bodies[top.body].inertia.I * (body.R_PF * v.segment<3>(body.v0));
    const double* const old = q.data() + top.quaternion;
    top.e = Eigen::Quaterniond(old[0], old[1], old[2], old[3]);
    if (!is_zero(top.L) && !top.top.turn(body.R_PF.transpose() * top.L, h, top.e))
      return static_cast<int>(top.body);
  }
  for (const Range& range : ranges_) {
    q_.segment(range.own_q0, range.nq) = q.segment(range.q0, range.nq);
    v_.segment(range.own_v0, range.nv) = v.segment(range.v0, range.nv);
  }
  if (const int body = ranges_.empty() ? -1 : move_trees(kin, h); body >= 0) return body;

  // evenly, and then what does not move evenly
  even_ = h * v;
  rigor::move(model_, even_, q);
  for (const Top& top : tops_) {
    if (is_zero(top.L)) continue;
    const ModelBody& body = model_.bodies[top.body];
    q.segment<4>(top.quaternion) << top.e.w(), top.e.x(), top.e.y(), top.e.z();
    v.segment<3>(body.v0) = top.top.angular_velocity(body.R_PF.transpose() * top.L, top.e.toRotationMatrix());
  }
  if (!moved_trees_) return -1;
  for (const Range& range : ranges_) {
    q.segment(range.q0, range.nq) = q_.segment(range.own_q0, range.nq);
    v.segment(range.v0, range.nv) = v_.segment(range.own_v0, range.nv);
    motor_forces_.segment(range.v0, range.nv) = own_motor_forces_.segment(range.own_v0, range.nv);
  }
  return -1;
}

// The positions of the trees' bodies, as the model has them.
void FreeMotion::copy_positions(const Kinematics<double>& kin) {
  kin_.bodies.resize(trees_.bodies.size());
  kin_.S.resize(6, trees_.nv);
  for (std::size_t b = 1; b < trees_.bodies.size(); ++b) {
    const BodyKinematics<double>& from = kin.bodies[at(origin_[b])];
    BodyKinematics<double>& to = kin_.bodies[b];
    to.R = from.R;
    to.p = from.p;
    to.r = from.r;
    to.inertia = from.inertia;
  }
  for (const Range& range : ranges_)
    std::copy_n(kin.S.data() + 6 * range.v0, 6 * range.nv, kin_.S.data() + 6 * range.own_v0);
}

// q_ and v_ by h; −1, or a body of the model that turns too far. Trees that do not turn, as at rest, move evenly.
int FreeMotion::move_trees(const Kinematics<double>& kin, double h) {
  motor_forces_.setZero();
  own_motor_forces_.setZero();
  moved_trees_ = false;
  if (leaves_out_) return -1;
  copy_positions(kin);
  compute_velocities(trees_, v_, kin_);
  std::size_t fastest = 1;
  for (std::size_t b = 1; b < trees_.bodies.size(); ++b)
    if (kin_.bodies[b].angular_velocity().squaredNorm() >
        kin_.bodies[fastest].angular_velocity().squaredNorm())
      fastest = b;
  const double turn = h * kin_.bodies[fastest].angular_velocity().norm();
  if (turn == 0.0) return -1;
  if (!(turn <= kMostTreeTurn)) return origin_[fastest];

  moved_trees_ = true;
  const double parts = std::max(1.0, std::ceil(turn / kPart));
  for (int part = 0; part < static_cast<int>(parts); ++part) {
    if (part > 0) compute_positions(trees_, q_, kin_);
    if (!begin(kin_) || !take_step(h / parts, turn <= kLittle, 1.0 / parts)) return origin_[fastest];
  }
  return -1;
}

// (2), or for little turns the midpoint rule with its stages alone; `share` of the whole step. Begun at q_, v_.
bool FreeMotion::take_step(double h, bool is_little, double share) {
  auto& [a1, a2, a3, a4] = a_;
  if (!accelerate(v_, is_little ? 0.0 : share / 6.0, a1)) return false;
  stage_v_ = v_ + 0.5 * h * a1;
  find_way(0.5 * h, is_little ? 0.0 : 0.5, stage_v_, a1);
  if (!place() || !accelerate(stage_v_, is_little ? share : share / 3.0, a2)) return false;
  if (is_little) {
    stage_v_ = v_ + h * a2;
    find_way(h, 0.5, stage_v_, a2);
    v_ = stage_v_;
  } else {
    stage_v_ = v_ + 0.5 * h * a2;
    if (!accelerate(stage_v_, share / 3.0, a3)) return false;
    stage_v_ = v_ + h * a3;
    find_way(h, 0.5, stage_v_, a3);
    if (!place() || !accelerate(stage_v_, share / 6.0, a4)) return false;
    stage_v_ = v_ + h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4);
    sum_ = a1 + a2 + a3;
    find_way(h, 1.0 / 6.0, stage_v_, sum_);
    v_ = stage_v_;
  }
  rigor::move(trees_, way_, q_);
  return true;
}

// way_ = h v + share h² a + t(h, v, v_end)
void FreeMotion::find_way(double h, double share, const Eigen::VectorXd& v_end, const Eigen::VectorXd& a) {
  way_ = h * v_ + share * h * h * a;
  for (const int i : turns_) way_.segment<3>(i) -= h * h / 12.0 * v_.segment<3>(i).cross(v_end.segment<3>(i));
}

// Begins a part of the step where `kin` has the positions.
bool FreeMotion::begin(const Kinematics<double>& kin) {
  return !forest_ || forest_->begin(kin);
}

// Goes to q_ ⊕ way_.
bool FreeMotion::place() {
  if (forest_) return forest_->place(way_);
  stage_q_ = q_;
  rigor::move(trees_, way_, stage_q_);
  compute_positions(trees_, stage_q_, kin_);
  return true;
}

// v̇ of (1) there, prescribed speeds constant, and `share` of the forces that this takes. False where a joint meets no
// inertia.
bool FreeMotion::accelerate(const Eigen::VectorXd& v, double share, Eigen::VectorXd& a) {
  if (forest_) {
    forest_->accelerate(v, a);
    return true;
  }
  compute_velocities(trees_, v, kin_);
  a.setZero();
  if (articulated_.solve(trees_, kin_, nullptr, zero_, a) >= 0) return false;
  own_motor_forces_ += share * articulated_.motor_forces();
  return true;
}

void FreeMotion::leave_to_tops(const Eigen::VectorXd& without, Eigen::VectorXd& forces) const {
  for (const Top& top : tops_) {
    const ModelBody& body = model_.bodies[top.body];
    forces.segment(body.v0, body.nv) = without.segment(body.v0, body.nv);
  }
}

void FreeMotion::carry(const Kinematics<double>& kin, Eigen::VectorXd& v) const {
  for (const Top& top : tops_) {
    const ModelBody& body = model_.bodies[top.body];
    if (!is_zero(top.L))
      v.segment<3>(body.v0) = body.R_PF.transpose() * top.top.angular_velocity(top.L, kin.bodies[top.body].R);
  }
}

}  // namespace rigor
