#include "rigor/stepping/acceleration_lcp.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/contact/contact_finder.hpp"
#include "rigor/contact/contact_rows.hpp"
#include "rigor/dynamics/assembly.hpp"
#include "rigor/dynamics/forward_dynamics.hpp"

namespace rigor {
namespace {

constexpr double kTouch = 1e-9;     // m: a gap below is closed
constexpr double kClosing = 1e-9;   // m/s: a normal speed below is none
constexpr double kInterval = 1e-5;  // s: of the central difference

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

// Contacts and their speeds J v at q, all in one island.
class ContactSpeeds {
 public:
  ContactSpeeds(const Model& model, ConstrainedSystem& system)
      : finder_(model), rows_(system), system_(system) {}

  void find(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    system_.set_motion(q, v);
    finder_.find(system_.kinematics(), kInterval, contacts_);
    rows_.clear();
    all_ = {};
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      if (!rows_.add_contact(contacts_[i], static_cast<int>(i))) continue;
      all_.blocks.push_back(static_cast<int>(rows_.blocks().size()) - 1);
      all_.rows += rows_.last().size;
    }
    rows_.compute_speeds(v, u);
  }
  [[nodiscard]] const Contact& contact(const OneSidedBlock& block) const {
    return contacts_[at(block.index)];
  }
  // Of the same features; null where there is none.
  [[nodiscard]] const OneSidedBlock* find_same(const Contact& as) const {
    for (const OneSidedBlock& block : rows_.blocks()) {
      const Contact& own = contact(block);
      if (own.shape_a == as.shape_a && own.shape_b == as.shape_b && own.id == as.id) return &block;
    }
    return nullptr;
  }
  [[nodiscard]] ContactRows& rows() { return rows_; }
  [[nodiscard]] ContactIsland& all() { return all_; }

  Eigen::VectorXd u;

 private:
  ContactFinder finder_;
  ContactRows rows_;
  ConstrainedSystem& system_;
  std::vector<Contact> contacts_;
  ContactIsland all_;
};

// J̇ v of the blocks: (J v at q + ε v, minus that at q − ε v)/2 ε.
void add_bias(const Model& model, const State& state, const ContactSpeeds& now, ContactSpeeds& speeds,
              const std::vector<int>& blocks, const std::vector<OneSidedBlock>& of, Eigen::VectorXd& q) {
  for (const double side : {1.0, -1.0}) {
    Eigen::VectorXd there = state.q;
    move(model, side * kInterval * state.v, there);
    speeds.find(there, state.v);
    int row = 0;
    for (const int b : blocks) {
      const OneSidedBlock& block = of[at(b)];
      const OneSidedBlock* same = speeds.find_same(now.contact(block));
      require(same != nullptr, "acceleration problem: a contact at t = {} s has no neighbour in time.",
              state.t);
      q.segment(row, block.size) += side / (2.0 * kInterval) * speeds.u.segment(same->first, block.size);
      row += block.size;
    }
  }
}

struct ActiveContact {
  int first{0}, size{3};  // rows of the dense problem
  double mu{0.0};
  bool slides{false};
  Eigen::Vector2d e_t{Eigen::Vector2d::Zero()};
};

// (1) from the dense W and q of the closed contacts.
AccelerationLcp build(const Eigen::MatrixXd& W, const Eigen::VectorXd& q,
                      const std::vector<ActiveContact>& contacts, int k, double rho) {
  AccelerationLcp problem;
  int free = 0, directions = 0;
  const auto count_of = [&](const ActiveContact& contact) {
    return contact.slides ? 0 : contact.size == 2 ? 1 : contact.size == 3 ? k : 0;
  };
  for (const ActiveContact& contact : contacts) {
    if (!contact.slides) free += contact.size - 1;
    directions += count_of(contact);
    (contact.slides ? problem.sliding : problem.sticking)++;
  }
  const int n = static_cast<int>(contacts.size()), up = free + n, lo = up + directions;

  // r = C x: sliding friction follows its normal
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(q.size(), lo + directions);
  std::vector<int> rows;  // of u̇ that are equations or rows of the problem
  for (const ActiveContact& contact : contacts)
    for (int i = 1; i < contact.size && !contact.slides; ++i) {
      C(contact.first + i, static_cast<Eigen::Index>(rows.size())) = 1.0;
      rows.push_back(contact.first + i);
    }
  for (int c = 0; c < n; ++c) {
    const ActiveContact& contact = contacts[at(c)];
    C(contact.first, free + c) = 1.0;
    for (int i = 1; i < contact.size && contact.slides; ++i)
      C(contact.first + i, free + c) = -contact.mu * contact.e_t[i - 1];
    rows.push_back(contact.first);
  }
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(lo + directions, lo + directions);
  const Eigen::MatrixXd WC = W * C;
  problem.mlcp.q.setZero(lo + directions);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    K.row(static_cast<Eigen::Index>(i)) = WC.row(rows[i]);
    problem.mlcp.q[static_cast<Eigen::Index>(i)] = q[rows[i]];
  }
  int tangent = 0, direction = 0;
  for (int c = 0; c < n; ++c) {
    const ActiveContact& contact = contacts[at(c)];
    const int count = count_of(contact);
    for (int j = 0; j < count; ++j, ++direction) {
      const double angle = M_PI * j / count;
      const Eigen::Vector2d e(std::cos(angle), std::sin(angle));
      for (int i = 0; i < contact.size - 1; ++i) {
        K(tangent + i, up + direction) -= e[i];
        K(tangent + i, lo + direction) += e[i];
        K(up + direction, tangent + i) += e[i];
        K(lo + direction, tangent + i) -= e[i];
      }
      K(up + direction, free + c) += contact.mu;
      K(lo + direction, free + c) += contact.mu;
      K(up + direction, lo + direction) += rho;
      K(lo + direction, up + direction) += rho;
    }
    if (!contact.slides) tangent += contact.size - 1;
  }
  problem.mlcp.free_count = free;
  problem.mlcp.K = K.sparseView();
  return problem;
}

}  // namespace

AccelerationLcp make_acceleration_lcp(const Model& model, const RunSettings& settings, const State& state) {
  ForwardDynamics dynamics(model);
  ConstrainedSystem elsewhere(model);
  ContactSpeeds now(model, dynamics.system()), beside(model, elsewhere);
  now.find(state.q, state.v);
  const int massless = dynamics.compute(state.t, state.q, state.v);
  require(massless < 0, "acceleration problem: {}.", massless < 0 ? "" : describe_massless(model, massless));
  now.rows().finish();

  // those that are closed
  std::vector<ActiveContact> contacts;
  ContactIsland closed;
  const Eigen::VectorXd u = now.u;
  for (std::size_t b = 0; b < now.rows().blocks().size(); ++b) {
    const OneSidedBlock& block = now.rows().blocks()[b];
    const Contact& contact = now.contact(block);
    if (contact.gap > kTouch || u[block.first] > kClosing) continue;
    ActiveContact& active = contacts.emplace_back();
    active.first = closed.rows;
    active.size = block.size;
    active.mu = contact.mu;
    active.e_t.head(block.size - 1) = u.segment(block.first + 1, block.size - 1);
    const double slip = active.e_t.norm();
    active.slides = slip >= contact.slip_speed && slip > 0.0;
    if (active.slides) active.e_t /= slip;
    closed.blocks.push_back(static_cast<int>(b));
    closed.rows += block.size;
  }
  Eigen::VectorXd free;
  now.rows().compute_speeds(dynamics.acceleration(), free);
  ConeProblem dense;
  now.rows().assemble(closed, free, dense);
  add_bias(model, state, now, beside, closed.blocks, now.rows().blocks(), dense.q);
  const double mean = dense.W.rows() > 0 ? dense.W.diagonal().mean() : 1.0;
  const double rho = settings.phantom_inertia > 0.0 ? settings.phantom_inertia : 1.0 / mean;
  return build(dense.W, dense.q, contacts, std::max(1, settings.directions / 2), rho);
}

}  // namespace rigor
