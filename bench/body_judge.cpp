#include "bench/body_judge.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bench/rigor_pile.hpp"
#include "rigor/base/index.hpp"
#include "rigor/base/require.hpp"
#include "rigor/stepping/contact_watch.hpp"

namespace rigor {
namespace {

// The scene with its bodies placed as `at`, moving as `moving`.
Scene make_scene(PileScene pile, const std::vector<SphereMotion>& at_rest,
                 const std::vector<SphereMotion>& moving) {
  for (std::size_t i = 0; i < pile.spheres.size(); ++i) {
    pile.spheres[i].start = at_rest[i];
    pile.spheres[i].start.v = moving[i].v;
    pile.spheres[i].start.w = moving[i].w;
  }
  return make_pile_scene(pile);
}

// Copies the problem of all contacts of the first round of a step.
class QuestionWatch final : public ContactWatch {
 public:
  QuestionWatch(const Eigen::VectorXd& v, BodyJudge::Question& out) : v_(v), out_(out) {}

  void see_question(const ContactQuestion& question, const ContactAnswer&) override {
    if (done_) return;
    done_ = true;
    ContactIsland all;
    all.blocks.resize(question.rows.blocks().size());
    std::iota(all.blocks.begin(), all.blocks.end(), 0);
    all.rows = question.rows.size();
    UnitAssembly assembly;
    question.rows.assemble_units(all, question.u_free, false, assembly);
    out_.problem = assembly.problem;
    Eigen::VectorXd u;
    question.rows.compute_speeds(v_, u);
    u -= question.u_free;
    question.rows.gather(all, u, out_.gained);
  }

 private:
  const Eigen::VectorXd& v_;
  BodyJudge::Question& out_;
  bool done_{false};
};

Eigen::Matrix3d inertia_in_world(const PileSphere& body, const Eigen::Quaterniond& turn) {
  const Eigen::Matrix3d R = turn.toRotationMatrix();
  return R * body.inertias().asDiagonal() * R.transpose();
}

// ‖v⁺ − v_free‖²_M of one body.
double energy_of(const PileScene& scene, const PileSphere& body, const SphereMotion& before,
                 const SphereMotion& after) {
  const Eigen::Vector3d dv = after.v - before.v - scene.h * scene.gravity, dw = after.w - before.w;
  return body.mass * dv.squaredNorm() + dw.dot(inertia_in_world(body, before.turn) * dw);
}

// r·W r
double double_energy(const UnitConeProblem& problem, const Eigen::VectorXd& r) {
  std::vector<Eigen::Vector3d> v(at(problem.nodes()), Eigen::Vector3d::Zero());
  double sum = 0.0;
  for (std::size_t c = 0; c < problem.contacts.size(); ++c) {
    const UnitConeProblem::Contact& contact = problem.contacts[c];
    const Eigen::Vector3d own = r.segment<3>(3 * static_cast<Eigen::Index>(c));
    sum += contact.compliance * own[0] * own[0];
    for (int p = 0; p < contact.part_count; ++p) {
      const int begin = problem.node_begin[at(contact.parts[p].unit)];
      const int end = problem.node_begin[at(contact.parts[p].unit + 1)];
      for (int node = begin; node < end; ++node)
        for (int k = 0; k < 3; ++k)
          for (int j = 0; j < 3; ++j)
            v[at(node)][j] += problem.half[at(contact.parts[p].first + node - begin)](j, k) * own[k];
    }
  }
  for (const Eigen::Vector3d& each : v) sum += each.squaredNorm();
  return sum;
}

// The mean diagonal of W, 1/kg.
double mean_diagonal(const UnitConeProblem& problem) {
  double trace = 0.0;
  for (const Block3& half : problem.half)
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 3; ++j) trace += half(j, k) * half(j, k);
  return trace > 0.0 ? trace / (3.0 * static_cast<double>(problem.contacts.size())) : 1.0;
}

// û
Eigen::VectorXd lift(const UnitConeProblem& problem, const Eigen::VectorXd& u) {
  Eigen::VectorXd lifted = u;
  for (Eigen::Index i = 0; i < u.size(); i += 3) lifted[i] += problem.mu[i / 3] * u.segment<2>(i + 1).norm();
  return lifted;
}

double law_residual(const UnitConeProblem& problem, double unit, const Eigen::VectorXd& r,
                    const Eigen::VectorXd& u) {
  double squares = 0.0;
  for (Eigen::Index i = 0; i < u.size(); i += 3) {
    const Eigen::Vector3d scaled = unit * r.segment<3>(i);
    squares += squared_block_residual({0, 3, problem.mu[i / 3]}, false, scaled.data(), u.data() + i);
  }
  return std::sqrt(squares);
}

}  // namespace

StepJudgement judge_question(const BodyJudge::Question& question, const StepJudgeOptions& options,
                             PileSweeps& sweeps) {
  StepJudgement result;
  UnitConeProblem problem = question.problem;
  const Eigen::VectorXd &q = question.problem.q, u = q + question.gained, lifted = lift(problem, u);
  const double unit = mean_diagonal(problem);
  result.residual = std::numeric_limits<double>::infinity();
  Eigen::VectorXd r = Eigen::VectorXd::Zero(q.size()), best = r;
  PileResult explained;
  for (const double weight : kJudgeWeights) {
    problem.q = weight * lifted - question.gained;
    sweeps.solve(problem,
                 {.tolerance = options.tolerance, .associated = true, .max_sweeps = options.max_sweeps}, r,
                 explained);
    result.sweeps += explained.sweeps;
    const double law = law_residual(problem, unit, r, u);
    const double rest = question.energy - 2.0 * question.gained.dot(r) + double_energy(problem, r);
    const double momentum = std::sqrt(std::max(rest, 0.0) / question.mean_mass);
    if (!(std::hypot(law, momentum) < result.residual)) continue;
    result.residual = std::hypot(law, momentum);
    result.law = law;
    result.momentum = momentum;
    result.weight = weight;
    best = r;
  }
  result.relative = q.norm() > 0.0 ? result.residual / q.norm() : result.residual;
  result.contacts = static_cast<int>(problem.contacts.size());
  for (Eigen::Index i = 0; i < u.size(); i += 3) {
    result.loaded += best[i] > 0.0 ? 1 : 0;
    result.approach = std::max(result.approach, -u[i]);
  }
  return result;
}

StepJudgement BodyJudge::judge_once(const PileRecord::Step& step, const StepJudgeOptions& options) {
  const Simulation after(make_scene(scene_, step.before, step.after));
  const Eigen::VectorXd v = after.state().v;
  Scene scene = make_scene(scene_, step.before, step.before);
  scene.run.formulation =
      Formulation::kConvex;  // which leaves no contact aside; rows and q are those of `cone`
  scene.run.tolerance = 1e-2;
  scene.run.max_iterations = 1;  // its answer is of no interest
  Simulation before(scene);
  Question question;
  QuestionWatch watch(v, question);
  before.watch_contacts(&watch);
  const StepReport report = before.step();
  double mass = 0.0;
  for (std::size_t i = 0; i < scene_.spheres.size(); ++i) {
    mass += scene_.spheres[i].mass;
    question.energy += energy_of(scene_, scene_.spheres[i], step.before[i], step.after[i]);
  }
  question.mean_mass = mass / static_cast<double>(scene_.spheres.size());
  StepJudgement result = judge_question(question, options, sweeps_);
  result.penetration = report.contact.penetration;
  return result;
}

StepJudgement BodyJudge::judge(const PileRecord::Step& step, const StepJudgeOptions& options) {
  require(step.before.size() == scene_.spheres.size() && step.after.size() == scene_.spheres.size(),
          "step {}: has {} bodies, the scene {}.", step.t, step.before.size(), scene_.spheres.size());
  PileRecord::Step given = step;
  for (std::size_t i = 0; options.by_displacement && i < given.after.size(); ++i)
    given.after[i].v = (given.after[i].p - given.before[i].p) / scene_.h;
  const StepJudgement as_given = judge_once(given, options);
  if (!scene_.has_boxes()) return as_given;
  for (std::size_t i = 0; i < given.after.size(); ++i) {
    SphereMotion& after = given.after[i];
    const Eigen::Vector3d momentum = inertia_in_world(scene_.spheres[i], after.turn) * after.w;
    after.w = inertia_in_world(scene_.spheres[i], given.before[i].turn).llt().solve(momentum);
  }
  const StepJudgement carried = judge_once(given, options);
  return carried.residual < as_given.residual ? carried : as_given;
}

}  // namespace rigor
