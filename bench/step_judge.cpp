#include "bench/step_judge.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rigor/base/index.hpp"
#include "rigor/base/require.hpp"

namespace rigor {
namespace {

// As Rigor looks for contacts, and counts gaps: contact_finder.cpp, contact_search.cpp.
constexpr double kReach = 2.0;   // of the way that a sphere makes in the step
constexpr double kSkin = 1e-3;   // of the smaller radius
constexpr double kTouch = 1e-9;  // m: a smaller gap is closed

// Calls visit(a, b), a < b, for all spheres whose boxes, `reach` larger, meet along x.
template <class Visit>
void for_each_neighbour(const PileScene& scene, const std::vector<Eigen::Vector3d>& centres,
                        const std::vector<double>& reach, Visit visit) {
  std::vector<int> order(centres.size());
  std::iota(order.begin(), order.end(), 0);
  const auto half = [&](int i) { return scene.spheres[at(i)].radius * (1.0 + kSkin) + reach[at(i)]; };
  const auto begin = [&](int i) { return centres[at(i)].x() - half(i); };
  std::sort(order.begin(), order.end(), [&](int i, int j) { return begin(i) < begin(j); });
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double end = centres[at(order[k])].x() + half(order[k]);
    for (std::size_t l = k + 1; l < order.size() && begin(order[l]) <= end; ++l)
      visit(std::min(order[k], order[l]), std::max(order[k], order[l]));
  }
}

Eigen::Matrix3d make_frame(const Eigen::Vector3d& n) {
  Eigen::Matrix3d frame;
  frame.col(0) = n;
  frame.col(1) = n.unitOrthogonal();
  frame.col(2) = n.cross(frame.col(1));
  return frame;
}

std::vector<SphereMotion> difference(const std::vector<SphereMotion>& x, const std::vector<SphereMotion>& y) {
  std::vector<SphereMotion> result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    result[i] = {Eigen::Vector3d::Zero(), x[i].v - y[i].v, x[i].w - y[i].w};
  return result;
}

}  // namespace

double find_penetration(const PileScene& scene, const std::vector<Eigen::Vector3d>& centres) {
  double deepest = 0.0;
  const std::vector<double> none(centres.size(), 0.0);
  for_each_neighbour(scene, centres, none, [&](int a, int b) {
    const double sum = scene.spheres[at(a)].radius + scene.spheres[at(b)].radius;
    deepest = std::max(deepest, sum - (centres[at(a)] - centres[at(b)]).norm());
  });
  for (const PilePlane& plane : scene.planes)
    for (std::size_t i = 0; i < centres.size(); ++i)
      deepest = std::max(deepest, scene.spheres[i].radius + plane.d - plane.n.dot(centres[i]));
  return deepest;
}

// On the surface of the larger sphere, as Rigor has it.
void StepJudge::add_pair(const PileRecord::Step& step, int a, int b, double reach) {
  const Eigen::Vector3d apart = step.before[at(a)].p - step.before[at(b)].p;
  const double radius_a = scene_.spheres[at(a)].radius, radius_b = scene_.spheres[at(b)].radius;
  const double distance = apart.norm(), gap = distance - radius_a - radius_b;
  if (gap > reach + kSkin * std::min(radius_a, radius_b)) return;
  require(distance > 0.0, "step {}: spheres {} and {} have the same centre.", step.t, a, b);
  const Eigen::Vector3d n = apart / distance;
  const bool is_on_a = radius_a >= radius_b;
  const Eigen::Vector3d point = step.before[at(is_on_a ? a : b)].p + (is_on_a ? -radius_a : radius_b) * n;
  contacts_.push_back({a, b, false, gap, make_frame(n), point});
}

void StepJudge::find_contacts(const PileRecord::Step& step) {
  contacts_.clear();
  const auto n = static_cast<int>(scene_.spheres.size());
  const double fall = scene_.h * scene_.gravity.norm();
  std::vector<double> reach(at(n));
  centres_.resize(at(n));
  for (int i = 0; i < n; ++i) {
    const auto speed = [&](const SphereMotion& motion) {
      return motion.v.norm() + motion.w.norm() * scene_.spheres[at(i)].radius;
    };
    reach[at(i)] = kReach * scene_.h * (std::max(speed(step.before[at(i)]), speed(step.after[at(i)])) + fall);
    centres_[at(i)] = step.before[at(i)].p;
  }
  for_each_neighbour(scene_, centres_, reach,
                     [&](int a, int b) { add_pair(step, a, b, reach[at(a)] + reach[at(b)]); });
  for (std::size_t k = 0; k < scene_.planes.size(); ++k)
    for (int i = 0; i < n; ++i) {
      const auto& [normal, d] = scene_.planes[k];
      const double radius = scene_.spheres[at(i)].radius;
      const double gap = normal.dot(centres_[at(i)]) - d - radius;
      if (gap > reach[at(i)] + kSkin * radius) continue;
      contacts_.push_back(
          {i, static_cast<int>(k), true, gap, make_frame(normal), centres_[at(i)] - radius * normal});
    }
}

// W = YᵀY, a sphere being a unit of two nodes: spin and velocity, times the roots of inertia and mass.
void StepJudge::make_problem() {
  problem_.clear();
  for (std::size_t i = 0; i < scene_.spheres.size(); ++i)
    problem_.node_begin.push_back(static_cast<int>(2 * (i + 1)));
  double trace = 0.0;
  for (const PileContact& contact : contacts_) {
    UnitConeProblem::Contact& rows = problem_.contacts.emplace_back();
    const auto add = [&](int sphere, double sign) {
      const double root_mass = std::sqrt(scene_.spheres[at(sphere)].mass);
      const double root_inertia = std::sqrt(scene_.spheres[at(sphere)].inertia());
      rows.parts[rows.part_count++] = {sphere, static_cast<int>(problem_.half.size())};
      Block3 spin = Block3::zero(), velocity = Block3::zero();
      for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d axis = sign * contact.frame.col(k);
        const Eigen::Vector3d turn = (contact.point - centres_[at(sphere)]).cross(axis);
        for (int j = 0; j < 3; ++j) {
          spin(j, k) = turn[j] / root_inertia;
          velocity(j, k) = axis[j] / root_mass;
          trace += spin(j, k) * spin(j, k) + velocity(j, k) * velocity(j, k);
        }
      }
      problem_.half.insert(problem_.half.end(), {spin, velocity});
    };
    add(contact.a, 1.0);
    if (!contact.is_on_plane) add(contact.b, -1.0);
  }
  problem_.mu.setConstant(static_cast<Eigen::Index>(contacts_.size()), scene_.mu);
  impulse_unit_ = contacts_.empty() ? 1.0 : trace / (3.0 * static_cast<double>(contacts_.size()));
}

// H v
Eigen::VectorXd StepJudge::speeds_of(const std::vector<SphereMotion>& motions) const {
  Eigen::VectorXd u(3 * static_cast<Eigen::Index>(contacts_.size()));
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const PileContact& contact = contacts_[c];
    const auto velocity = [&](int sphere) -> Eigen::Vector3d {
      return motions[at(sphere)].v + motions[at(sphere)].w.cross(contact.point - centres_[at(sphere)]);
    };
    Eigen::Vector3d relative = velocity(contact.a);
    if (!contact.is_on_plane) relative -= velocity(contact.b);
    u.segment<3>(3 * static_cast<Eigen::Index>(c)) = contact.frame.transpose() * relative;
  }
  return u;
}

// û
Eigen::VectorXd StepJudge::lift(const Eigen::VectorXd& u) const {
  Eigen::VectorXd lifted = u;
  for (Eigen::Index i = 0; i < u.size(); i += 3) lifted[i] += scene_.mu * u.segment<2>(i + 1).norm();
  return lifted;
}

double StepJudge::compute_law_residual(const Eigen::VectorXd& r) const {
  double squares = 0.0;
  for (Eigen::Index i = 0; i < u_.size(); i += 3) {
    const Eigen::Vector3d scaled = impulse_unit_ * r.segment<3>(i);
    squares += squared_block_residual({0, 3, scene_.mu}, false, scaled.data(), u_.data() + i);
  }
  return std::sqrt(squares);
}

double StepJudge::compute_momentum_residual(const Eigen::VectorXd& r) const {
  std::vector<SphereMotion> rest = change_;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const PileContact& contact = contacts_[c];
    const Eigen::Vector3d impulse = contact.frame * r.segment<3>(3 * static_cast<Eigen::Index>(c));
    const auto push = [&](int sphere, const Eigen::Vector3d& p) {
      rest[at(sphere)].v -= p / scene_.spheres[at(sphere)].mass;
      rest[at(sphere)].w -=
          (contact.point - centres_[at(sphere)]).cross(p) / scene_.spheres[at(sphere)].inertia();
    };
    push(contact.a, impulse);
    if (!contact.is_on_plane) push(contact.b, -impulse);
  }
  double energy = 0.0, mass = 0.0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const PileSphere& sphere = scene_.spheres[i];
    energy += sphere.mass * rest[i].v.squaredNorm() + sphere.inertia() * rest[i].w.squaredNorm();
    mass += sphere.mass;
  }
  return std::sqrt(energy * static_cast<double>(rest.size()) / mass);
}

// The r(s) of the least residual
void StepJudge::explain(const StepJudgeOptions& options, StepJudgement& result) {
  result.residual = std::numeric_limits<double>::infinity();
  const Eigen::VectorXd lifted = lift(u_), gained = speeds_of(change_);
  Eigen::VectorXd r = Eigen::VectorXd::Zero(u_.size());
  PileResult explained;
  for (const double weight : kJudgeWeights) {
    problem_.q = weight * lifted - gained;
    sweeps_.solve(problem_,
                  {.tolerance = options.tolerance, .associated = true, .max_sweeps = options.max_sweeps}, r,
                  explained);
    result.sweeps += explained.sweeps;
    const double law = compute_law_residual(r), momentum = compute_momentum_residual(r);
    if (!(std::hypot(law, momentum) < result.residual)) continue;
    result.residual = std::hypot(law, momentum);
    result.law = law;
    result.momentum = momentum;
    result.weight = weight;
    r_ = r;
  }
}

StepJudgement StepJudge::judge(PileRecord::Step step, const StepJudgeOptions& options) {
  require(step.before.size() == scene_.spheres.size() && step.after.size() == scene_.spheres.size(),
          "step {}: has {} spheres, the scene {}.", step.t, step.before.size(), scene_.spheres.size());
  for (std::size_t i = 0; options.by_displacement && i < step.after.size(); ++i)
    step.after[i].v = (step.after[i].p - step.before[i].p) / scene_.h;
  find_contacts(step);
  make_problem();

  // the velocity without contacts, and q and u of the problem
  std::vector<SphereMotion> v_free = step.before;
  for (SphereMotion& motion : v_free) motion.v += scene_.h * scene_.gravity;
  change_ = difference(step.after, v_free);
  q_ = speeds_of(v_free);
  u_ = speeds_of(step.after);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const double offset = contacts_[c].gap > kTouch ? contacts_[c].gap / scene_.h : 0.0;
    q_[3 * static_cast<Eigen::Index>(c)] += offset;
    u_[3 * static_cast<Eigen::Index>(c)] += offset;
  }

  StepJudgement result;
  explain(options, result);
  result.relative = q_.norm() > 0.0 ? result.residual / q_.norm() : result.residual;
  result.contacts = static_cast<int>(contacts_.size());
  for (Eigen::Index i = 0; i < r_.size(); i += 3) {
    result.loaded += r_[i] > 0.0 ? 1 : 0;
    result.approach = std::max(result.approach, -u_[i]);
  }
  result.penetration = find_penetration(scene_, centres_);
  return result;
}

}  // namespace rigor
