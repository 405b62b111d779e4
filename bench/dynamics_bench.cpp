// Forward dynamics of chains and of a tree, Rigor beside the engines that were found when this was built.
// One thread, CPU time; the engines take turns, and each figure is the least of many short batches, so that
// what else runs on the machine is left out as far as it can be. Exit status 1 where the engines disagree.
//
//   dynamics_bench [COLUMN…]   only these columns (rigor always, the others are compared with it)
//
//   rigor      positions, velocities and articulated bodies
//   factor     positions, velocities, inverse dynamics at a = 0, composite bodies, sparse factor and its
//   solve rnea       positions, velocities and inverse dynamics: τ of a given acceleration dart setPositions,
//   setVelocities, computeForwardDynamics simbody    realize(Acceleration) mujoco     mj_forward without
//   contacts and constraints
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>
#include <string_view>

#include "bench/revolute_tree.hpp"
#include "rigor/dynamics/articulated_body.hpp"
#include "rigor/dynamics/inverse_dynamics.hpp"
#include "rigor/dynamics/mass_matrix.hpp"

namespace rigor::bench {
namespace {

using Eigen::VectorXd;

constexpr double kAgreement = 1e-9;  // largest difference of accelerations, relative to the largest of them
constexpr int kRounds = 60;
constexpr double kBatchSeconds = 2e-3;

Scene make_scene(const RevoluteTree& tree) {
  Scene scene;
  scene.gravity = {0.0, 0.0, -kGravity};
  for (int i = 0; i < tree.size(); ++i) {
    Body body;
    body.name = fmt::format("link{}", i);
    body.mass = kLinkMass;
    body.center_of_mass = kLinkCenter;
    body.inertia = {kLinkInertia.x(), kLinkInertia.y(), kLinkInertia.z()};
    body.pose.position = tree.hinge(i);
    body.joint.type = JointType::kRevolute;
    body.joint.axis = tree.axis(i);
    const int parent = tree.parent[static_cast<std::size_t>(i)];
    if (parent >= 0) body.joint.parent = fmt::format("link{}", parent);
    scene.bodies.push_back(body);
  }
  return scene;
}

class Rigor : public ForwardDynamics {
 public:
  explicit Rigor(const RevoluteTree& tree)
      : model_(make_model(make_scene(tree))), tau_(VectorXd::Zero(model_.nv)) {}

  void compute(const VectorXd& q, const VectorXd& v, VectorXd& a) override {
    compute_positions(model_, q, kin_);
    compute_velocities(model_, v, kin_);
    if (articulated_.solve(model_, kin_, nullptr, tau_, a) >= 0) a.setConstant(NAN);
  }

 private:
  Model model_;
  Kinematics<double> kin_;
  ArticulatedBody articulated_;
  VectorXd tau_;
};

class Factor : public ForwardDynamics {
 public:
  explicit Factor(const RevoluteTree& tree)
      : model_(make_model(make_scene(tree))),
        pattern_(make_tree_pattern(model_)),
        zero_(VectorXd::Zero(model_.nv)),
        is_fixed_(static_cast<std::size_t>(model_.nv), 0) {
    M_.pattern = &pattern_;
  }

  void compute(const VectorXd& q, const VectorXd& v, VectorXd& a) override {
    compute_positions(model_, q, kin_);
    compute_velocities(model_, v, kin_);
    compute_bias(model_, kin_, inverse_, bias_);
    compute_mass_matrix(model_, kin_, composite_, M_);
    factor_.compute(M_, zero_, is_fixed_);
    a = -bias_;
    factor_.solve(0, model_.nv, a);
  }

 private:
  Model model_;
  TreePattern pattern_;
  Kinematics<double> kin_;
  InverseDynamicsWorkspace inverse_;
  std::vector<SpatialInertia<double>> composite_;
  TreeMatrix M_;
  TreeFactor factor_;
  VectorXd zero_, bias_;
  std::vector<char> is_fixed_;
};

// Not forward dynamics: `a` is what is given, τ what is found.
class Rnea : public ForwardDynamics {
 public:
  explicit Rnea(const RevoluteTree& tree) : model_(make_model(make_scene(tree))) {}

  void compute(const VectorXd& q, const VectorXd& v, VectorXd& a) override {
    compute_positions(model_, q, kin_);
    compute_velocities(model_, v, kin_);
    compute_inverse_dynamics(model_, a, kin_, inverse_, tau_);
  }
  [[nodiscard]] const VectorXd& tau() const { return tau_; }

 private:
  Model model_;
  Kinematics<double> kin_;
  InverseDynamicsWorkspace inverse_;
  VectorXd tau_;
};

// Coordinates and speeds that differ from call to call, so that no engine can keep what it has.
struct States {
  explicit States(int n) {
    for (int k = 0; k < 8; ++k) {
      VectorXd next_q(n), next_v(n);
      for (int i = 0; i < n; ++i) {
        next_q[i] = 0.3 * std::sin(i + 0.1 * k);
        next_v[i] = 0.1 * std::cos(i - 0.2 * k);
      }
      q.push_back(next_q);
      v.push_back(next_v);
    }
  }
  std::vector<VectorXd> q, v;
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Entrant {
  std::string name;
  std::unique_ptr<ForwardDynamics> engine;
  int batch{1};  // calls that take about kBatchSeconds
  double least{std::numeric_limits<double>::infinity()};
};

double measure_batch(const States& states, Entrant& entrant, int calls, VectorXd& a) {
  const double begin = thread_seconds();
  for (int k = 0; k < calls; ++k) {
    const auto s = static_cast<std::size_t>(k) % states.q.size();
    entrant.engine->compute(states.q[s], states.v[s], a);
  }
  return (thread_seconds() - begin) / calls;
}

// The largest relative difference of accelerations from Rigor's; Rnea is judged by the force left over.
double compare(const RevoluteTree& tree, const States& states, std::vector<Entrant>& entrants) {
  double worst = 0.0;
  for (std::size_t s = 0; s < states.q.size(); ++s) {
    VectorXd expected = VectorXd::Zero(tree.size());
    entrants.front().engine->compute(states.q[s], states.v[s], expected);
    for (Entrant& entrant : entrants) {
      VectorXd a = expected;
      entrant.engine->compute(states.q[s], states.v[s], a);
      double difference = (a - expected).lpNorm<Eigen::Infinity>() / expected.lpNorm<Eigen::Infinity>();
      if (const auto* rnea = dynamic_cast<const Rnea*>(entrant.engine.get()))
        difference = rnea->tau().lpNorm<Eigen::Infinity>() /
                     (kLinkMass * kGravity * static_cast<double>(tree.size() * tree.size()));
      if (!(difference <= kAgreement))
        fmt::print("{} disagrees with rigor on {}: {:.1e}\n", entrant.name, tree.name, difference);
      worst = difference <= worst ? worst : difference;
    }
  }
  return worst;
}

RevoluteTree make_chain(int links) {
  RevoluteTree tree{fmt::format("chain of {}", links), {}};
  for (int i = 0; i < links; ++i) tree.parent.push_back(i - 1);
  return tree;
}

// A trunk of six links that carries three arms of eight: 30 degrees of freedom.
RevoluteTree make_tree() {
  RevoluteTree tree = make_chain(6);
  tree.name = "tree of 30";
  for (int arm = 0; arm < 3; ++arm)
    for (int i = 0; i < 8; ++i) tree.parent.push_back(i == 0 ? 5 : tree.size() - 1);
  return tree;
}

constexpr std::array kColumns = {"rigor", "factor", "rnea", "dart", "simbody", "mujoco"};

// Null where the engine is not there.
std::unique_ptr<ForwardDynamics> make_engine(std::string_view name, const RevoluteTree& tree) {
  if (name == "rigor") return std::make_unique<Rigor>(tree);
  if (name == "factor") return std::make_unique<Factor>(tree);
  if (name == "rnea") return std::make_unique<Rnea>(tree);
  if (name == "dart") return make_dart(tree);
  if (name == "simbody") return make_simbody(tree);
  return make_mujoco(tree);
}

bool run(const std::vector<std::string_view>& wanted) {
  bool agree = true;
  fmt::print("microseconds per evaluation\n{:<14}", "");
  for (const char* name : kColumns) fmt::print("{:>9}", name);
  fmt::print("{:>12}\n", "difference");
  for (const RevoluteTree& tree : {make_chain(7), make_chain(30), make_tree(), make_chain(100)}) {
    std::vector<Entrant> entrants;
    for (const std::string_view name : kColumns)
      if (wanted.empty() || name == "rigor" || std::count(wanted.begin(), wanted.end(), name) > 0)
        entrants.push_back({std::string(name), make_engine(name, tree)});
    std::erase_if(entrants, [](const Entrant& entrant) { return entrant.engine == nullptr; });

    const States states(tree.size());
    const double difference = compare(tree, states, entrants);
    agree = agree && difference <= kAgreement;
    VectorXd a = VectorXd::Zero(tree.size());
    for (Entrant& entrant : entrants)
      entrant.batch = 1 + static_cast<int>(kBatchSeconds / measure_batch(states, entrant, 50, a));
    for (int round = 0; round < kRounds; ++round)
      for (Entrant& entrant : entrants)
        entrant.least = std::min(entrant.least, measure_batch(states, entrant, entrant.batch, a));

    fmt::print("{:<14}", tree.name);
    for (const std::string_view name : kColumns) {
      const auto found = std::find_if(entrants.begin(), entrants.end(),
                                      [&](const Entrant& entrant) { return entrant.name == name; });
      fmt::print("{:>9}", found != entrants.end() ? fmt::format("{:.2f}", 1e6 * found->least) : "-");
    }
    fmt::print("{:>12.1e}\n", difference);
  }
  return agree;
}

}  // namespace
}  // namespace rigor::bench

int main(int argc, char** argv) {
  return rigor::bench::run({argv + 1, argv + argc}) ? 0 : 1;
}
