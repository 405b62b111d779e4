#include "rigor/stepping/contact_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "rigor/base/index.hpp"
#include "rigor/contact/large_cone_law.hpp"
#include "rigor/solvers/lcp/matrix_class.hpp"
#include "rigor/solvers/problem.hpp"

namespace rigor {
namespace {

// The impulses that an earlier round or the last step left, as a start, and what was known of them.
bool fill_start(const ContactStep& step, const ContactIsland& island, ContactAnswer& answer) {
  Eigen::VectorXd& start = answer.r;
  start.setZero(island.rows);
  answer.start_slid = false;
  answer.start_freedom = 0;
  answer.start_velocity = VelocityVerdict::kUnique;
  bool any = false;
  int first = 0;
  for (const int k : island.blocks) {
    const OneSidedBlock& block = step.rows.blocks()[at(k)];
    if (block.source == BlockSource::kContact) {
      const ContactCandidate& candidate = step.candidate_of(block);
      const ContactMemory* const memory = candidate.memory;
      if (candidate.start) {
        std::copy_n(candidate.start->data(), block.size, start.data() + first);
      } else if (memory) {
        std::copy_n(memory->impulse.data(), block.size, start.data() + first);
        if (block.size == 3) start.data()[first + 2] /= step.contact_of(candidate).mu_ratio;
      }
      if (memory) {
        answer.start_slid = answer.start_slid || memory->mode == ContactMode::kSliding;
        answer.start_freedom = std::max(answer.start_freedom, memory->force_freedom);
        answer.start_velocity =
            std::min(answer.start_velocity, static_cast<VelocityVerdict>(memory->velocity));
      }
      any = any || candidate.start || memory;
    }
    first += block.size;
  }
  return any;
}

}  // namespace

ContactSolver::ContactSolver(const RunSettings& settings) : pool_(settings.threads) {
  for (int k = 0; k < pool_.size(); ++k) workers_.push_back({make_formulation(settings), {}, {}});
}

void ContactSolver::want_uniqueness(bool wanted) {
  for (Worker& worker : workers_) worker.formulation->want_uniqueness(wanted);
}

void ContactSolver::solve(const Eigen::VectorXd& v, const Eigen::VectorXd& v_free,
                          const Eigen::VectorXd& f_free, WorkMeter& meter, ContactStep& step) {
  const std::span<const ContactIsland> islands = step.rows.islands();
  step.f_free = f_free;
  if (watch_) watch_->see_round();
  step.rows.compute_speeds(v_free, step.u_free);
  if (formulation().needs_friction()) fill_friction(v, step);
  if (step.answers.size() < islands.size()) step.answers.resize(islands.size());
  solve_islands(meter, step);

  step.r.setZero(step.rows.size());
  step.island_of.assign(step.rows.blocks().size(), 0);
  step.hardest = 0;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const ContactAnswer& answer = step.answers[i];
    if (answer.r.size() == islands[i].rows) step.rows.scatter(islands[i], answer.r, step.r);
    for (const int k : islands[i].blocks) step.island_of[at(k)] = static_cast<int>(i);
    if (answer.iterations > step.answers[step.hardest].iterations) step.hardest = i;
  }
}

// Every island may take what the meter has left. Where that is less than they take together, they are solved once
// more, smaller ones first, each with what those before it have left: one that is hopeless takes nothing from those that
// are easy, and what is solved does not depend on threads.
void ContactSolver::solve_islands(WorkMeter& meter, ContactStep& step) {
  const std::span<const ContactIsland> islands = step.rows.islands();
  const int count = static_cast<int>(islands.size());
  const double limit = meter.left();
  // those that are large enough for threads to share come after the others
  const auto is_shared = [&](int i) { return islands[at(i)].blocks.size() >= LargeConeLaw::kLeastShared; };
  bool in_turn = pool_.size() == 1;
  if (!in_turn) {
    work_.assign(islands.size(), 0.0);
    std::atomic<double> spent{0.0};
    pool_.run(count, [&](int i, int worker) {
      if (is_shared(i) || spent.load() > limit) return;
      work_[at(i)] = solve_island(i, limit, workers_[at(worker)], nullptr, step);
      for (double sum = spent.load(); !spent.compare_exchange_weak(sum, sum + work_[at(i)]);) continue;
    });
    // summed in order, since sums in another are rounded differently
    const double sum = std::accumulate(work_.begin(), work_.end(), 0.0);
    in_turn = spent.load() > limit || sum > limit;
    if (!in_turn) meter.add(sum);
  }
  if (in_turn) {
    order_.resize(islands.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](int i, int j) {
      return std::pair(islands[at(i)].blocks.size(), i) < std::pair(islands[at(j)].blocks.size(), j);
    });
    for (const int i : order_)
      if (!is_shared(i)) meter.add(solve_island(i, meter.left(), workers_[0], nullptr, step));
  }
  for (int i = 0; i < count; ++i)
    if (is_shared(i)) meter.add(solve_island(i, meter.left(), workers_[0], &pool_, step));
}

// Returns the work that it took.
double ContactSolver::solve_island(int island, double limit, Worker& worker, WorkerPool* pool,
                                   ContactStep& step) {
  WorkMeter meter(limit);
  const WorkScope scope(meter);
  ContactAnswer& answer = step.answers[at(island)];
  const ContactIsland& of = step.rows.islands()[at(island)];
  answer.has_start = fill_start(step, of, answer);
  const ContactQuestion bare{step.rows, of, worker.problem, step.u_free, step.f_free, {}, step.h};
  if (watch_) watch_->see_question(bare, answer);
  if (!worker.formulation->keep(bare, answer)) {
    const bool has_matrix = worker.formulation->needs_matrix(step.rows, of);
    ContactQuestion question = make_question(step, at(island), has_matrix, worker);
    question.pool = pool;
    worker.formulation->solve(question, answer);
  }
  if (watch_) watch_->see_answer(bare, answer);
  return meter.spent();
}

// The speeds of the contacts now, and the forces of the last step.
void ContactSolver::fill_friction(const Eigen::VectorXd& v, const ContactStep& step) {
  step.rows.compute_speeds(v, u_now_);
  friction_.assign(step.rows.blocks().size(), {});
  for (std::size_t k = 0; k < friction_.size(); ++k) {
    const OneSidedBlock& block = step.rows.blocks()[k];
    if (block.source != BlockSource::kContact) continue;
    const ContactCandidate& candidate = step.candidate_of(block);
    const Contact& contact = step.contact_of(candidate);
    FrictionState& state = friction_[k];
    state.velocity.head(block.size - 1) = u_now_.segment(block.first + 1, block.size - 1);
    state.slip_speed = contact.slip_speed;
    state.stiffness = contact.friction_stiffness;
    state.damping = contact.friction_damping;
    state.mu_ratio = contact.mu_ratio;
    if (!candidate.memory) continue;
    const ContactMemory& memory = *candidate.memory;
    const Eigen::Vector3d force = memory.impulse / (memory.h > 0.0 ? memory.h : step.h);
    state.is_known = true;
    state.normal = force[0];
    state.tangential = {force[1], force[2] / contact.mu_ratio};
  }
}

ContactQuestion ContactSolver::make_question(const ContactStep& step, std::size_t island, bool has_matrix,
                                             Worker& worker) const {
  const ContactIsland& of = step.rows.islands()[island];
  if (has_matrix) step.rows.assemble(of, step.u_free, worker.problem);
  worker.friction.clear();
  if (worker.formulation->needs_friction())
    for (const int k : of.blocks) worker.friction.push_back(friction_[at(k)]);
  return {step.rows, of, worker.problem, step.u_free, step.f_free, worker.friction, step.h};
}

Problem ContactSolver::make_problem(const ContactStep& step, std::size_t island) {
  return workers_[0].formulation->make_problem(make_question(step, island, true, workers_[0]));
}

LeadMatrix ContactSolver::find_lead_matrix(const ContactStep& step) {
  LeadMatrix worst;
  for (std::size_t i = 0; i < step.rows.islands().size(); ++i) {
    const MatrixClass matrix = classify(get_lead_matrix(make_problem(step, i)), 0);
    const Eigen::VectorXd& values = matrix.singular_values;
    const double condition = values[0] / values[values.size() - 1];
    if (worst.size == 0 || condition > worst.condition)
      worst = {static_cast<int>(values.size()), matrix.rank, condition};
  }
  return worst;
}

std::string describe_island(const Model& model, const ContactStep& step, std::size_t island) {
  const ContactIsland& of = step.rows.islands()[island];
  for (const int k : of.blocks) {
    const OneSidedBlock& block = step.rows.blocks()[at(k)];
    if (block.source != BlockSource::kContact) continue;
    const Contact& contact = step.contact_of(step.candidate_of(block));
    return fmt::format("{} contact rows around \"{}\" and \"{}\"", of.rows, model.bodies[at(contact.a)].name,
                       model.bodies[at(contact.b)].name);
  }
  return fmt::format("{} one-sided rows", of.rows);
}

}  // namespace rigor
