#include "rigor/stepping/acceleration_lcp.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/index.hpp"
#include "rigor/base/require.hpp"
#include "rigor/contact/closed_contacts.hpp"
#include "rigor/contact/contact_rows.hpp"
#include "rigor/dynamics/assembly.hpp"
#include "rigor/dynamics/forward_dynamics.hpp"
#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

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

  // r = C x: the friction of a sliding contact follows from its normal force
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(q.size(), lo + directions);
  std::vector<int> rows;  // the rows of u̇ that take part in the problem
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
      const Eigen::Vector2d e(portable::cos(angle), portable::sin(angle));
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
  const int massless = dynamics.compute(state.t, state.q, state.v);
  require(massless < 0, "acceleration problem: {}.", massless < 0 ? "" : describe_massless(model, massless));
  const std::vector<ClosedContact> found = find_closed_contacts(model, dynamics.system().kinematics());

  ContactRows rows(dynamics.system());
  std::vector<ActiveContact> contacts;
  ContactIsland closed;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Contact& contact = found[i].contact;
    rows.add_contact(contact, static_cast<int>(i));
    ActiveContact& active = contacts.emplace_back();
    active.first = closed.rows;
    active.size = contact.rows;
    active.mu = contact.mu;
    active.e_t.head(contact.rows - 1) = found[i].u.segment(1, contact.rows - 1);
    const double slip = active.e_t.norm();
    active.slides = slip >= contact.slip_speed && slip > 0.0;
    if (active.slides) active.e_t /= slip;
    closed.blocks.push_back(static_cast<int>(i));
    closed.rows += contact.rows;
  }
  rows.finish();

  // u̇ = W λ + J a_free + J̇ v
  Eigen::VectorXd free;
  rows.compute_speeds(dynamics.acceleration(), free);
  ConeProblem dense;
  rows.assemble(closed, free, dense);
  for (std::size_t i = 0; i < found.size(); ++i)
    dense.q.segment(contacts[i].first, contacts[i].size) += found[i].bias.head(contacts[i].size);
  const double mean = dense.W.rows() > 0 ? dense.W.diagonal().mean() : 1.0;
  const double rho = settings.phantom_inertia > 0.0 ? settings.phantom_inertia : 1.0 / mean;
  return build(dense.W, dense.q, contacts, std::max(1, settings.directions / 2), rho);
}

}  // namespace rigor
