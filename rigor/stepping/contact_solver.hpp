#pragma once

#include <memory>

#include "rigor/base/work.hpp"
#include "rigor/base/worker_pool.hpp"
#include "rigor/stepping/contact_step.hpp"
#include "rigor/stepping/contact_watch.hpp"

namespace rigor {

/// The third stage of ContactStep: the impulses of every island, by the formulation of the settings. No island
/// feels another one, so that threads may take them in any order: the bits are the same.
class ContactSolver {
 public:
  explicit ContactSolver(const RunSettings& settings);

  [[nodiscard]] const ContactFormulation& formulation() const { return *workers_[0].formulation; }
  [[nodiscard]] WorkerPool& pool() { return pool_; }
  /// `watch` sees every island from now on, and must live as long; null: nobody.
  void watch(ContactWatch* watch) { watch_ = watch; }
  /// See Stepper.
  void want_uniqueness(bool wanted);

  /// Fills the third part of `step`: from the velocity v at the beginning, v_free without contact impulses, and
  /// the right-hand side f_free that gave it. The work of all islands together counts for `meter`: those that come
  /// after it is spent keep their starts.
  void solve(const Eigen::VectorXd& v, const Eigen::VectorXd& v_free, const Eigen::VectorXd& f_free,
             WorkMeter& meter, ContactStep& step);

  /// The contact problem of an island as the formulation states it, for a file.
  [[nodiscard]] Problem make_problem(const ContactStep& step, std::size_t island);

  /// The matrix of all islands' problems that is worst conditioned: a singular value decomposition each.
  [[nodiscard]] LeadMatrix find_lead_matrix(const ContactStep& step);

 private:
  struct Worker {  // a formulation keeps scratch: one for each thread
    std::unique_ptr<ContactFormulation> formulation;
    ConeProblem problem;
    std::vector<FrictionState> friction;
  };

  void fill_friction(const Eigen::VectorXd& v, const ContactStep& step);
  void solve_islands(WorkMeter& meter, ContactStep& step);
  double solve_island(int island, double limit, Worker& worker, WorkerPool* pool, ContactStep& step);
  [[nodiscard]] ContactQuestion make_question(const ContactStep& step, std::size_t island, bool has_matrix,
                                              Worker& worker) const;

  ContactWatch* watch_{nullptr};
  std::vector<Worker> workers_;
  WorkerPool pool_;
  std::vector<FrictionState> friction_;  // of every block
  Eigen::VectorXd u_now_;                // H v at the beginning, m/s
  std::vector<double> work_;             // of every island that threads took
  std::vector<int> order_;               // in which islands are solved one after the other
};

/// "12 contact rows around "crate" and "floor"": for messages.
[[nodiscard]] std::string describe_island(const Model& model, const ContactStep& step, std::size_t island);

}  // namespace rigor
