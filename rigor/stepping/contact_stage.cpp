#include "rigor/stepping/contact_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "rigor/base/index.hpp"
#include "rigor/solvers/lcp/matrix_class.hpp"

namespace rigor {
namespace {

constexpr double kOverlap =
    1e-12;  // m: less is rounding, and stays; so does what the tolerance leaves in a step
// A gap below this is closed, m or rad: rounding must not come back as a speed gap/h.
constexpr double kTouch = 1e-9;
constexpr double kFar = 1e30;      // a distance that pushes nothing
constexpr double kLoaded = 1e-13;  // m/s: a scaled normal impulse below is none

bool is_before(const ContactMemory& one, const ContactMemory& other) {
  return one.is_before(other);
}

// Velocity of the material d away from the reference point of a body that moves by V.
inline Eigen::Vector3d velocity_at(const Vec6<double>& V, const Eigen::Vector3d& d) {
  return {V[3] + (V[1] * d[2] - V[2] * d[1]), V[4] + (V[2] * d[0] - V[0] * d[2]),
          V[5] + (V[0] * d[1] - V[1] * d[0])};
}

// The first three of `size` numbers, the rest zero.
Eigen::Vector3d head_of(const double* x, int size) {
  return {x[0], size > 1 ? x[1] : 0.0, size > 2 ? x[2] : 0.0};
}

}  // namespace

ContactStage::ContactStage(const Model& model, const RunSettings& settings, ConstrainedSystem& system)
    : model_(model),
      settings_(settings),
      system_(system),
      finder_(model),
      pool_(settings.threads),
      rows_(system) {
  for (int k = 0; k < pool_.size(); ++k) workers_.push_back({make_formulation(settings), {}, {}});
}

void ContactStage::find(const State& state, double h) {
  h_ = h;
  before_.resize(model_.bodies.size());
  for (std::size_t b = 0; b < before_.size(); ++b)
    before_[b].R = system_.kinematics().bodies[b].R, before_[b].p = system_.kinematics().bodies[b].p;
  contacts_ = finder_.find(system_.kinematics(), h);
  kept_.clear();
  std::size_t place = 0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Contact& contact = contacts_[i];
    const ContactMemory* memory = recall(state, contact, place);
    if (!workers_[0].formulation->takes(contact, memory)) continue;
    // what carried load will most likely do so again
    const bool was_loaded = memory && memory->impulse[0] > 0.0;
    kept_.push_back({static_cast<int>(i), memory, !was_loaded && keeps_gap(contact, h)});
  }
  // sweeps hardly feel open contacts, and a second solve costs as much as the first
  if (settings_.tolerance >= LargeConeLaw::kSweepable && kept_.size() >= LargeConeLaw::kPile)
    (void)take_all();
}

Eigen::Vector3d ContactStage::speed_now(const Contact& contact) const {
  const BodyKinematics<double>*const a = &system_.kinematics().bodies[at(contact.a)],
                                     *const b = &system_.kinematics().bodies[at(contact.b)];
  return velocity_at(a->V, contact.point - a->p) - velocity_at(b->V, contact.point - b->p);
}

Eigen::Vector3d ContactStage::speed_after(const Contact& contact) const {
  return velocity_at(V_[at(contact.a)], contact.point - before_[at(contact.a)].p) -
         velocity_at(V_[at(contact.b)], contact.point - before_[at(contact.b)].p);
}

// Half of the gap is left if the bodies go on as they do, fall, or one of them falls on the other.
bool ContactStage::keeps_gap(const Contact& contact, double h) const {
  if (settings_.formulation != Formulation::kCone || !contact.is_rigid || contact.gap <= kTouch) return false;
  const double fall = h * std::abs(model_.gravity.dot(contact.frame.col(0)));
  return h * (contact.frame.col(0).dot(speed_now(contact)) - fall) >= -0.5 * contact.gap;
}

bool ContactStage::take_missed(const Eigen::VectorXd& v, double h) {
  if (std::none_of(kept_.begin(), kept_.end(), [](const Kept& kept) { return kept.is_aside; })) return false;
  compute_body_velocities(model_, system_.kinematics(), v, V_);
  const auto is_left = [&](const Kept& kept, double part) {
    const Contact& contact = contacts_[at(kept.contact)];
    return h * contact.frame.col(0).dot(speed_after(contact)) + (1.0 - part) * contact.gap >= 0.0;
  };
  if (std::none_of(kept_.begin(), kept_.end(),
                   [&](const Kept& kept) { return kept.is_aside && !is_left(kept, 0.0); }))
    return false;
  // with those that come near: they are the next
  for (Kept& kept : kept_) kept.is_aside = kept.is_aside && is_left(kept, 0.5);
  keep_impulses();
  return true;
}

bool ContactStage::take_all() {
  bool any = false;
  for (Kept& kept : kept_) {
    any = any || kept.is_aside;
    kept.is_aside = false;
  }
  return any;
}

void ContactStage::keep_impulses() {
  for (Kept& kept : kept_) {
    if (kept.block < 0) continue;
    const OneSidedBlock& block = rows_.blocks()[at(kept.block)];
    kept.start.emplace(Eigen::Vector3d::Zero());
    kept.start->head(block.size) = r_.segment(block.first, block.size);
  }
}

// Contacts come by pairs in the order of the memory: `place` is where the memory of the last pair began.
const ContactMemory* ContactStage::recall(const State& state, const Contact& contact,
                                          std::size_t& place) const {
  const std::vector<ContactMemory>& memory = state.contacts;
  const auto is_before_pair = [&](const ContactMemory& m) {
    return m.shape_a != contact.shape_a ? m.shape_a < contact.shape_a : m.shape_b < contact.shape_b;
  };
  const auto is_of_pair = [&](const ContactMemory& m) {
    return m.shape_a == contact.shape_a && m.shape_b == contact.shape_b;
  };
  while (place < memory.size() && is_before_pair(memory[place])) ++place;
  std::size_t k = place;
  for (const std::size_t few = std::min(place + 8, memory.size()); k < few && is_of_pair(memory[k]); ++k)
    if (memory[k].id == contact.id) return &memory[k];
  if (k < place + 8) return nullptr;
  ContactMemory key;
  key.shape_a = contact.shape_a;
  key.shape_b = contact.shape_b;
  key.id = contact.id;
  const auto found =
      std::lower_bound(memory.begin() + static_cast<std::ptrdiff_t>(k), memory.end(), key, is_before);
  return found != memory.end() && !key.is_before(*found) ? &*found : nullptr;
}

void ContactStage::make_rows(const State& state, double h) {
  rows_.clear();
  distances_.clear();
  pushes_.clear();
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    kept_[k].block = -1;
    if (kept_[k].is_aside) continue;
    const Contact& contact = contacts_[at(kept_[k].contact)];
    if (!rows_.add_contact(contact, static_cast<int>(k))) continue;
    kept_[k].block = static_cast<int>(rows_.blocks().size()) - 1;
    OneSidedBlock& block = rows_.last();
    if (contact.is_rigid) {
      block.offset = workers_[0].formulation->uses_gap() && contact.gap > kTouch ? contact.gap / h : 0.0;
    } else {
      block.compliance = 1.0 / (contact.stiffness * h * h + contact.damping * h);
      block.offset = block.compliance * h * contact.stiffness * contact.gap;
    }
    distances_.push_back(contact.gap);
    pushes_.push_back(contact.is_rigid);
  }
  add_limits(state, h);
}

void ContactStage::add_limits(const State& state, double h) {
  for (std::size_t i = 0; i < model_.limits.size(); ++i) {
    const ModelLimit& limit = model_.limits[i];
    if (system_.is_fixed()[at(limit.v)]) continue;
    const double q = state.q[limit.q];
    const auto add = [&](double distance, double sign, int index) {
      if (!std::isfinite(distance)) return;
      rows_.add_limit(limit.v, sign, index);
      rows_.last().offset = distance > kTouch ? distance / h : 0.0;
      distances_.push_back(distance);
      pushes_.push_back(1);
    };
    add(q - limit.lower, 1.0, static_cast<int>(2 * i));
    add(limit.upper - q, -1.0, static_cast<int>(2 * i + 1));
  }
}

void ContactStage::add_spring(int island, int row, int side, double compliance, double b) {
  rows_.add_spring(island, row, side);
  rows_.last().compliance = compliance;
  rows_.last().offset = -side * b;
  distances_.push_back(kFar);
  pushes_.push_back(0);
}

// The speeds of the contacts now, and the forces of the last step.
void ContactStage::fill_friction(const Eigen::VectorXd& v, double h) {
  rows_.compute_speeds(v, u_);
  friction_.assign(rows_.blocks().size(), {});
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const OneSidedBlock& block = rows_.blocks()[k];
    if (block.source != BlockSource::kContact) continue;
    const Kept& kept = kept_[at(block.index)];
    const Contact& contact = contacts_[at(kept.contact)];
    FrictionState& state = friction_[k];
    state.velocity.head(block.size - 1) = u_.segment(block.first + 1, block.size - 1);
    state.slip_speed = contact.slip_speed;
    state.stiffness = contact.friction_stiffness;
    state.damping = contact.friction_damping;
    state.mu_ratio = contact.mu_ratio;
    if (!kept.memory) continue;
    state.is_known = true;
    const Eigen::Vector3d force = kept.memory->impulse / (kept.memory->h > 0.0 ? kept.memory->h : h);
    state.normal = force[0];
    state.tangential = {force[1], force[2] / contact.mu_ratio};
  }
}

bool ContactStage::fill_start(const ContactIsland& island, ContactAnswer& answer) const {
  Eigen::VectorXd& start = answer.r;
  start.setZero(island.rows);
  answer.start_freedom = 0;
  answer.start_velocity = VelocityVerdict::kUnique;
  bool any = false;
  int first = 0;
  for (const int k : island.blocks) {
    const OneSidedBlock& block = rows_.blocks()[at(k)];
    if (block.source == BlockSource::kContact) {
      const Kept& kept = kept_[at(block.index)];
      if (kept.start) {
        std::copy_n(kept.start->data(), block.size, start.data() + first);
        any = true;
      }
      if (kept.memory) {
        if (!kept.start) {
          std::copy_n(kept.memory->impulse.data(), block.size, start.data() + first);
          if (block.size == 3) start.data()[first + 2] /= contacts_[at(kept.contact)].mu_ratio;
        }
        answer.start_freedom = std::max(answer.start_freedom, kept.memory->force_freedom);
        answer.start_velocity =
            std::min(answer.start_velocity, static_cast<VelocityVerdict>(kept.memory->velocity));
        any = true;
      }
    }
    first += block.size;
  }
  return any;
}

ContactQuestion ContactStage::make_question(std::size_t island, bool has_matrix, ConeProblem& problem,
                                            std::vector<FrictionState>& friction) {
  const ContactIsland& of = rows_.islands()[island];
  if (has_matrix) rows_.assemble(of, u_free_, problem);
  friction.clear();
  if (workers_[0].formulation->needs_friction())
    for (const int k : of.blocks) friction.push_back(friction_[at(k)]);
  return {rows_, of, problem, u_free_, rhs_, friction, h_};
}

bool ContactStage::solve(const Eigen::VectorXd& v, const Eigen::VectorXd& v_free, const Eigen::VectorXd& f,
                         double h, StepReport& report) {
  h_ = h;
  rhs_ = f;
  report.contact = {};
  if (workers_[0].formulation->needs_friction()) fill_friction(v, h);
  rows_.compute_speeds(v_free, u_free_);
  r_.setZero(rows_.size());
  answer_of_.assign(rows_.blocks().size(), 0);
  const std::span<const ContactIsland> islands = rows_.islands();
  if (answers_.size() < islands.size()) answers_.resize(islands.size());

  const auto solve_island = [&](int i, int worker, WorkerPool* pool) {
    auto& [formulation, problem, friction] = workers_[at(worker)];
    ContactAnswer& answer = answers_[at(i)];
    answer.has_start = fill_start(islands[at(i)], answer);
    if (formulation->keep({rows_, islands[at(i)], problem, u_free_, rhs_, {}, h_}, answer)) return;
    const bool has_matrix = formulation->needs_matrix(rows_, islands[at(i)]);
    ContactQuestion question = make_question(at(i), has_matrix, problem, friction);
    question.pool = pool;
    formulation->solve(question, answer);
  };
  // no island feels another one: any thread may take any; those that threads share come afterwards
  const auto is_shared = [&](int i) { return islands[at(i)].blocks.size() >= LargeConeLaw::kLeastShared; };
  pool_.run(static_cast<int>(islands.size()), [&](int i, int worker) {
    if (!is_shared(i)) solve_island(i, worker, nullptr);
  });
  for (int i = 0; i < static_cast<int>(islands.size()); ++i)
    if (is_shared(i)) solve_island(i, 0, &pool_);

  int most = -1;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const ContactAnswer& answer = answers_[i];
    if (answer.status != Status::kSolved && settings_.on_unsolved != RunSettings::OnUnsolved::kAccept) {
      report.status = StepStatus::kUnsolved;
      report.message = fmt::format("the contact problem of {} was not solved: {}, residual {:.2g} m/s",
                                   describe(islands[i]), to_string(answer.status), answer.residual);
      unsolved_ = i;
      return false;
    }
    if (answer.r.size() == islands[i].rows) rows_.scatter(islands[i], answer.r, r_);
    for (const int k : islands[i].blocks) answer_of_[at(k)] = static_cast<int>(i);
    if (answer.iterations > most) hardest_ = i;
    certify(islands[i], answer, most, report.contact);
    if (wants_lead_) report_lead_matrix(i, report.contact.lead);
  }
  return true;
}

// A residual over ‖q‖₂, as it is where that is zero
double ContactStage::divide_by_speed(const ContactIsland& island, double residual) const {
  double squares = 0.0;
  for (const int k : island.blocks) {
    const OneSidedBlock& block = rows_.blocks()[at(k)];
    const double* const u = u_free_.data() + block.first;
    squares += (u[0] + block.offset) * (u[0] + block.offset);
    for (int i = 1; i < block.size; ++i) squares += u[i] * u[i];
  }
  return squares > 0.0 ? residual / std::sqrt(squares) : residual;
}

void ContactStage::certify(const ContactIsland& island, const ContactAnswer& answer, int& most,
                           ContactCertificate& certificate) {
  certificate.velocity =
      certificate.islands == 0 ? answer.velocity : std::min(certificate.velocity, answer.velocity);
  ++certificate.islands;
  certificate.unsolved_islands += answer.status != Status::kSolved ? 1 : 0;
  certificate.fallbacks += answer.fell_back ? 1 : 0;
  certificate.largest_island = std::max(certificate.largest_island, island.rows);
  certificate.iterations += answer.iterations;
  certificate.residual = std::max(certificate.residual, answer.residual);
  certificate.relative_residual =
      std::max(certificate.relative_residual, divide_by_speed(island, answer.residual));
  certificate.cone_violation = std::max(certificate.cone_violation, answer.cone_violation);
  certificate.force_freedom += std::max(0, answer.force_freedom);
  certificate.phantom_limit = std::min(certificate.phantom_limit, answer.phantom_limit);
  if (answer.phantom_inertia > 0.0)
    certificate.phantom_inertia = certificate.phantom_inertia > 0.0
                                      ? std::min(certificate.phantom_inertia, answer.phantom_inertia)
                                      : answer.phantom_inertia;
  if (answer.iterations <= most) return;
  most = answer.iterations;
  certificate.method = answer.method;
}

Problem ContactStage::make_problem(std::size_t island) {
  Worker& worker = workers_[0];
  return worker.formulation->make_problem(make_question(island, true, worker.problem, worker.friction));
}

void ContactStage::report_lead_matrix(std::size_t island, LeadMatrix& worst) {
  const MatrixClass matrix = classify(get_lead_matrix(make_problem(island)), 0);
  const Eigen::VectorXd& values = matrix.singular_values;
  const double condition = values[0] / values[values.size() - 1];
  if (worst.size > 0 && !(condition > worst.condition)) return;
  worst = {static_cast<int>(values.size()), matrix.rank, condition};
}

std::string ContactStage::describe(const ContactIsland& island) const {
  for (const int k : island.blocks) {
    const OneSidedBlock& block = rows_.blocks()[at(k)];
    if (block.source != BlockSource::kContact) continue;
    const Contact& contact = contacts_[at(kept_[at(block.index)].contact)];
    return fmt::format("{} contact rows around \"{}\" and \"{}\"", island.rows,
                       model_.bodies[at(contact.a)].name, model_.bodies[at(contact.b)].name);
  }
  return fmt::format("{} one-sided rows", island.rows);
}

void ContactStage::add_spring_impulses(std::vector<Eigen::VectorXd>& forces) const {
  for (const OneSidedBlock& block : rows_.blocks())
    if (block.source == BlockSource::kSpring) {
      const int side = system_.rows(at(block.island)).side[at(block.index)];
      forces[at(block.island)][block.index] += side * r_[block.first];
    }
}

void ContactStage::judge(const Eigen::VectorXd& v, double h, StepReport& report) {
  rows_.compute_speeds(v, u_);
  reports_.clear();
  double magnitude = 0.0;
  for (const OneSidedBlock& block : rows_.blocks()) {
    const double *const r = r_.data() + block.first, *const u = u_.data() + block.first;
    double size = 0.0;
    for (int k = 0; k < block.size; ++k) size += std::abs(r[k] * u[k]);
    magnitude += size;
    if (block.source == BlockSource::kLimit) report.energy.limits += r[0] * u[0];
  }
  for (const Kept& kept : kept_) {
    if (kept.block >= 0) judge_contact(at(kept.block), h, report);
    if (kept.is_aside) judge_aside(contacts_[at(kept.contact)], report);
  }
  report.energy.scale = std::max(report.energy.scale, magnitude);
}

// V_ has the new velocity: take_missed() has just looked at all that is left aside
void ContactStage::judge_aside(const Contact& contact, StepReport& report) {
  ++report.contact.open;
  add_report(contact).velocity = speed_after(contact);
}

// What of a contact is known before the step; without load and speed.
ContactReport& ContactStage::add_report(const Contact& contact) {
  ContactReport& report = reports_.emplace_back();
  report.a = contact.a;
  report.b = contact.b;
  report.point = contact.point;
  report.normal = contact.frame.col(0);
  report.gap = contact.gap;
  report.mu = contact.mu;
  report.shape_a = contact.shape_a;
  report.shape_b = contact.shape_b;
  report.id = contact.id;
  return report;
}

// A slower contact sticks: its speed is what the answer leaves open, m/s.
double ContactStage::least_slip(std::size_t k) const {
  constexpr double kMost = 1e-5;
  return 10.0 * std::max(settings_.tolerance, std::min(answers_[at(answer_of_[k])].residual, kMost));
}

void ContactStage::judge_contact(std::size_t k, double h, StepReport& report) {
  const OneSidedBlock& block = rows_.blocks()[k];
  const Contact& contact = contacts_[at(kept_[at(block.index)].contact)];
  ContactCertificate& certificate = report.contact;
  Eigen::Vector3d p = head_of(r_.data() + block.first, block.size);
  Eigen::Vector3d u = head_of(u_.data() + block.first, block.size);
  const bool is_still = u[0] == 0.0 && u[1] == 0.0 && u[2] == 0.0;
  (contact.is_rigid ? report.energy.normal : report.energy.relaxation) += p[0] * u[0];
  report.energy.friction += p.tail<2>().dot(u.tail<2>());
  certificate.penetration = std::max(certificate.penetration, -contact.gap);

  ContactMode mode = ContactMode::kOpen;
  const double slip = is_still ? 0.0 : u.tail<2>().norm();
  if (p[0] * block.inverse_mass > kLoaded)
    mode = slip > least_slip(k) ? ContactMode::kSliding : ContactMode::kSticking;
  (mode == ContactMode::kOpen       ? certificate.open
   : mode == ContactMode::kSticking ? certificate.sticking
                                    : certificate.sliding)++;
  if (mode != ContactMode::kOpen && contact.is_rigid)
    certificate.lift_off = std::max(certificate.lift_off, h * (u[0] + block.offset));
  if (mode == ContactMode::kSliding)
    certificate.direction_violation =
        std::max(certificate.direction_violation,
                 (p.tail<2>() + contact.mu * p[0] / slip * u.tail<2>()).norm() * block.inverse_mass);

  if (block.size == 3) {  // back from the units of the ellipse
    p[2] *= contact.mu_ratio;
    u[2] /= contact.mu_ratio;
  }
  ContactReport& own = add_report(contact);
  own.mode = mode;
  if (p[0] != 0.0 || p[1] != 0.0 || p[2] != 0.0) own.force = contact.frame * p / h;
  if (!is_still) own.velocity = contact.frame * u;
}

bool ContactStage::push_out(double h, Eigen::VectorXd& q, StepReport& report) {
  gaps_.setConstant(rows_.size(), kFar);
  f_.setZero(model_.nv);
  const double allowed = settings_.overlap > 0.0 ? settings_.overlap : settings_.tolerance * h;
  const double slack = std::max(kOverlap, allowed);
  push_options_.tolerance = 0.1 * slack;
  bool any = false;
  for (const ContactIsland& island : rows_.islands()) {
    double deepest = 0.0;
    for (const int k : island.blocks) {
      const OneSidedBlock& block = rows_.blocks()[at(k)];
      if (!pushes_[at(k)]) continue;
      gaps_[block.first] = distances_[at(k)] + h * u_[block.first];
      deepest = std::min(deepest, gaps_[block.first]);
    }
    if (deepest >= -slack) continue;
    own_.setZero(rows_.size());
    if (island.blocks.size() >= LargeConeLaw::kLeastContacts) {
      // normals alone are convex whatever the law
      rows_.assemble_units(island, gaps_, true, push_units_);
      push_solver_.solve(push_units_.problem,
                         {.tolerance = push_options_.tolerance,
                          .associated = true,
                          .max_convex = 60,
                          .sweeps_first = settings_.tolerance >= LargeConeLaw::kSweepable,
                          .max_iterations = settings_.max_iterations,
                          .pool = &pool_},
                         push_island_result_);
      for (std::size_t k = 0; k < island.blocks.size(); ++k)
        own_[rows_.blocks()[at(island.blocks[k])].first] =
            push_island_result_.r[3 * static_cast<Eigen::Index>(k)];
    } else {
      rows_.assemble_normals(island, gaps_, push_problem_);
      push_options_.warm = false;
      solve_cone(push_problem_, push_options_, push_workspace_, push_result_);
      for (std::size_t k = 0; k < island.blocks.size(); ++k)
        own_[rows_.blocks()[at(island.blocks[k])].first] = push_result_.r[static_cast<Eigen::Index>(k)];
    }
    rows_.add_forces(own_, f_);
    any = true;
  }
  if (!any) return false;
  zero_rows_.resize(system_.islands().list.size());
  for (std::size_t i = 0; i < zero_rows_.size(); ++i) zero_rows_[i].setZero(system_.islands().list[i].rows);
  d_.setZero(model_.nv);
  system_.solve(f_, zero_rows_, d_);
  move(model_, d_, q);
  ++report.projections;
  return true;
}

void ContactStage::remember(const Kinematics<double>& kin, State& state, StepReport& report) {
  for (std::size_t b = 0; b < before_.size(); ++b) before_[b].note_way(kin.bodies[b]);
  sort_kept();
  next_memory_.clear();
  for (const Order& order : order_) {
    const Kept& kept = kept_[at(order.kept)];
    const Contact& contact = contacts_[at(kept.contact)];
    ContactMemory& memory = next_memory_.emplace_back();
    memory.shape_a = contact.shape_a;
    memory.shape_b = contact.shape_b;
    memory.id = contact.id;
    memory.h = h_;
    if (kept.is_aside) {
      memory.velocity = static_cast<int>(VelocityVerdict::kUnique);
      const double speed = contact.frame.col(0).dot(speed_after(contact));
      memory.is_closed = std::abs(speed) <= 10.0 * settings_.tolerance;
      continue;
    }
    const OneSidedBlock& block = rows_.blocks()[at(kept.block)];
    memory.impulse = head_of(r_.data() + block.first, block.size);
    if (block.size == 3) memory.impulse[2] *= contact.mu_ratio;
    const ContactAnswer& answer = answers_[at(answer_of_[at(kept.block)])];
    memory.force_freedom = std::max(0, answer.force_freedom);
    memory.velocity = static_cast<int>(answer.velocity);
    memory.mode = reports_[at(order.report)].mode;
    memory.is_closed =
        memory.mode != ContactMode::kOpen || std::abs(u_[block.first]) <= least_slip(at(kept.block));
    if (memory.mode != ContactMode::kSticking) continue;
    Eigen::Vector3d moved = Eigen::Vector3d::Zero();
    const Place &a = before_[at(contact.a)], &b = before_[at(contact.b)];
    if (a.moved || b.moved) {
      moved = a.way(contact.point) - b.way(contact.point);
      const Eigen::Vector3d n = contact.frame.col(0);
      moved -= n * n.dot(moved);
    }
    if (kept.memory && kept.memory->mode == ContactMode::kSticking) moved += kept.memory->drift;
    if (moved[0] == 0.0 && moved[1] == 0.0 && moved[2] == 0.0) continue;
    memory.drift = moved;
    report.contact.sticking_drift = std::max(report.contact.sticking_drift, moved.norm());
  }
  std::swap(state.contacts, next_memory_);  // what kept_ points to is not the state's any more
  kept_.clear();
}

// Pairs come in order, and the contacts of each stand together: they are put in the order of their features.
void ContactStage::sort_kept() {
  const auto key = [](std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; };
  order_.clear();
  std::size_t first = 0;
  int shape_a = -1, shape_b = -1;
  const auto finish_pair = [&] {
    std::sort(order_.begin() + static_cast<std::ptrdiff_t>(first), order_.end());
    first = order_.size();
  };
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    if (kept_[k].block < 0 && !kept_[k].is_aside) continue;
    const Contact& contact = contacts_[at(kept_[k].contact)];
    if (contact.shape_a != shape_a || contact.shape_b != shape_b) {
      assert(contact.shape_a != shape_a ? contact.shape_a > shape_a : contact.shape_b > shape_b);
      finish_pair();
      shape_a = contact.shape_a;
      shape_b = contact.shape_b;
    }
    const FeatureId& id = contact.id;
    order_.push_back(
        {key(id.part_a, id.part_b), key(id.a, id.b), static_cast<int>(k), static_cast<int>(order_.size())});
  }
  finish_pair();
}

void ContactStage::Place::note_way(const BodyKinematics<double>& body) {
  dp = body.p - p;
  dR = body.R - R;
  moved = !dp.isZero(0.0) || !dR.isZero(0.0);
}

// from the differences: what has not moved has not, to the last digit
Eigen::Vector3d ContactStage::Place::way(const Eigen::Vector3d& point) const {
  if (!moved) return Eigen::Vector3d::Zero();
  const Eigen::Vector3d local = R.transpose() * (point - p);
  return dp + dR * local;
}

}  // namespace rigor
