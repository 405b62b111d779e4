#include "rigor/analysis/scene_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "rigor/base/index.hpp"
#include "rigor/base/require.hpp"
#include "rigor/contact/closed_contacts.hpp"
#include "rigor/dynamics/constrained_system.hpp"
#include "rigor/dynamics/energy.hpp"
#include "rigor/dynamics/inverse_dynamics.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

std::string name_of(const Model& model, BodyIndex body) {
  return body == kWorldIndex ? "world" : model.bodies[at(body)].name;
}

// F = −(applied) + c − gravity, elastic rows explicit, as ForwardDynamics has it.
Vector compute_load(const Model& model, const ConstrainedSystem& system, double t) {
  AppliedForcesWorkspace applied;
  InverseDynamicsWorkspace inverse;
  Vector force, bias;
  const MotionView view = system.view(t);
  compute_applied_forces(view, applied, force);
  add_joint_spring_forces(model, view.q, force);
  for (const ModelBody& body : model.bodies)
    force.segment(body.v0, body.nv) -= body.damping * view.v.segment(body.v0, body.nv);
  Kinematics<double> kin = system.kinematics();
  compute_bias(model, kin, inverse, bias);
  force -= bias;
  for (std::size_t i = 0; i < system.islands().list.size(); ++i) {
    const IslandRows& rows = system.rows(i);
    Vector elastic = Vector::Zero(rows.error.size());
    for (Eigen::Index r = 0; r < rows.error.size(); ++r) {
      const auto row = static_cast<std::size_t>(r);
      if (rows.is_rigid[row]) continue;
      if (rows.side[row] == 0 || -rows.force[r] * rows.side[row] > 0.0) elastic[r] = -rows.force[r];
    }
    system.add_row_forces(i, elastic, force);
  }
  return -force;
}

AccelerationContact make_bilateral(std::string name, Vector row, double bias) {
  AccelerationContact contact;
  contact.name = std::move(name);
  contact.side = ContactSide::kBilateral;
  contact.tangent.resize(0, row.size());
  contact.normal = std::move(row);
  contact.normal_bias = bias;
  return contact;
}

void add_constraints(const Model& model, const ConstrainedSystem& system, double t, SceneProblem& out) {
  for (std::size_t i = 0; i < system.islands().list.size(); ++i) {
    const Island& island = system.islands().list[i];
    const IslandRows& rows = system.rows(i);
    for (int r = 0; r < island.rows; ++r) {
      if (!rows.is_rigid[at(r)]) continue;
      Vector row = Vector::Zero(model.nv);
      for (const TreeRange& tree : island.trees)
        for (int s = tree.begin; s < tree.end; ++s) row[s] = rows.Jt(s - tree.begin + tree.offset, r);
      out.problem.contacts.push_back(
          make_bilateral(describe_row(model, island, r), std::move(row), rows.bias[r]));
      out.places.emplace_back();
    }
  }
  for (const ModelMotion& motion : model.motions) {
    double acceleration = 0.0;
    if (motion.position)
      acceleration = evaluate_jet(*motion.position, t).second;
    else if (motion.velocity)
      acceleration = evaluate_jet(*motion.velocity, t).first;
    else
      acceleration = evaluate(*motion.acceleration, t);
    out.problem.contacts.push_back(make_bilateral(fmt::format("motion \"{}\"", motion.name),
                                                  Vector::Unit(model.nv, motion.v), -acceleration));
    out.places.emplace_back();
  }
}

void add_limits(const Model& model, const State& state, const SceneProblemOptions& options,
                SceneProblem& out) {
  for (const ModelLimit& limit : model.limits) {
    const auto add = [&](double distance, double sign, const char* end) {
      if (!(distance <= options.gap) || sign * state.v[limit.v] > options.speed) return;
      const ModelBody& body = model.bodies[at(model.speeds[at(limit.v)].body)];
      AccelerationContact contact = make_bilateral(fmt::format("limit of \"{}\": {}", body.joint_name, end),
                                                   sign * Vector::Unit(model.nv, limit.v), 0.0);
      contact.side = ContactSide::kUnilateral;
      out.problem.contacts.push_back(std::move(contact));
      out.places.emplace_back();
    };
    add(state.q[limit.q] - limit.lower, 1.0, "lower end");
    add(limit.upper - state.q[limit.q], -1.0, "upper end");
  }
}

// d per unit of each speed of what frameᵀ (v_A − v_B) at the point is.
Matrix contact_rows(const Model& model, const Kinematics<double>& kin, const Contact& contact) {
  Matrix rows = Matrix::Zero(contact.rows, model.nv);
  const auto add = [&](BodyIndex body, double sign) {
    for (; body != kWorldIndex; body = model.bodies[at(body)].parent) {
      const ModelBody& own = model.bodies[at(body)];
      const Eigen::Vector3d arm = contact.point - kin.bodies[at(body)].p;
      for (int i = own.v0; i < own.v0 + own.nv; ++i) {
        const Eigen::Vector3d velocity =
            kin.S.col(i).tail<3>() + Eigen::Vector3d(kin.S.col(i).head<3>()).cross(arm);
        for (int k = 0; k < contact.rows; ++k) rows(k, i) += sign * contact.frame.col(k).dot(velocity);
      }
    }
  };
  add(contact.a, 1.0);
  add(contact.b, -1.0);
  // across: an elliptic cone is a round one in other units
  if (contact.rows == 3) rows.row(2) *= contact.mu_ratio;
  return rows;
}

bool is_named(const Model& model, const Contact& contact, const std::vector<std::string>& names) {
  if (names.empty()) return true;
  const std::string a = name_of(model, contact.a), b = name_of(model, contact.b);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name == a + "/" + b || name == b + "/" + a; });
}

void add_contacts(const Model& model, const ConstrainedSystem& system, const SceneProblemOptions& options,
                  SceneProblem& out) {
  const Kinematics<double>& kin = system.kinematics();
  std::map<std::string, int> count;
  for (const ClosedContact& closed : find_closed_contacts(model, kin, {options.gap, options.speed})) {
    const Contact& contact = closed.contact;
    if (!is_named(model, contact, options.names)) continue;
    const Matrix rows = contact_rows(model, kin, contact);
    if (rows.isZero()) continue;  // the bodies are one
    AccelerationContact row;
    row.normal = rows.row(0).transpose();
    row.mu = contact.mu;
    const Eigen::Index tangents = contact.mu > 0.0 ? contact.rows - 1 : 0;
    row.tangent = rows.middleRows(1, tangents);
    row.normal_bias = closed.bias[0];
    row.tangent_bias = closed.bias.segment(1, tangents);
    const Vector slip = closed.u.segment(1, tangents);
    if (slip.norm() > options.speed) {
      row.motion = ContactMotion::kSlide;
      row.slip = slip.normalized();
    }
    const std::string pair = name_of(model, contact.a) + "/" + name_of(model, contact.b);
    row.name = fmt::format("{} {}", pair, ++count[pair]);
    out.problem.contacts.push_back(std::move(row));
    out.places.push_back({true, contact.a, contact.b, contact.point, contact.frame, contact.mu_ratio});
  }
}

}  // namespace

SceneProblem make_scene_problem(const Model& model, const State& state, const SceneProblemOptions& options) {
  SceneProblem out;
  ConstrainedSystem system(model);
  system.set_motion(state.q, state.v);
  system.compute_rows(state.t);
  system.compute_inertia(Vector::Zero(model.nv));
  out.problem.M = system.M().to_dense();
  out.problem.F = compute_load(model, system, state.t);

  // what gravity's part is, for tilts: the load is linear in it
  out.gravity = model.gravity;
  out.per_gravity.resize(model.nv, 3);
  Model turned = model;
  turned.gravity.setZero();
  ConstrainedSystem weightless(turned);
  weightless.set_motion(state.q, state.v);
  weightless.compute_rows(state.t);
  out.rest = compute_load(turned, weightless, state.t);
  for (int k = 0; k < 3; ++k) {
    turned.gravity = Eigen::Vector3d::Unit(k);
    out.per_gravity.col(k) = compute_load(turned, weightless, state.t) - out.rest;
  }

  for (int s = 0; s < model.nv; ++s) {
    const ModelBody& body = model.bodies[at(model.speeds[at(s)].body)];
    out.coordinates.push_back(fmt::format("{}[{}]", body.name, s - body.v0));
  }
  add_constraints(model, system, state.t, out);
  add_limits(model, state, options, out);
  add_contacts(model, system, options, out);
  for (const std::string& name : options.names)
    require(std::any_of(out.places.begin(), out.places.end(),
                        [&](const SceneProblem::Place& place) {
                          if (!place.is_contact) return false;
                          const std::string a = name_of(model, place.a), b = name_of(model, place.b);
                          return name == a + "/" + b || name == b + "/" + a;
                        }),
            "--contact {}: no contact of these two bodies is closed. Give two names of bodies as a/b, or "
            "leave it "
            "out for all contacts.",
            name);
  return out;
}

}  // namespace rigor
