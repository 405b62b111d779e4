#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rigor/base/worker_pool.hpp"
#include "rigor/contact/contact_finder.hpp"
#include "rigor/contact/formulation.hpp"
#include "rigor/contact/large_cone_law.hpp"
#include "rigor/model/state.hpp"
#include "rigor/solvers/cone/cone_solve.hpp"
#include "rigor/stepping/settling.hpp"
#include "rigor/stepping/step_report.hpp"

namespace rigor {

/// The part of a step that has to do with contacts and other one-sided rows, from the shapes to the impulses
/// and back to the memory. The functions are called in the order in which they stand here.
///
///     closed or overlapping, rigid     u_n⁺ ≥ 0          open    u_n⁺ ≥ −gap/h     (by the formulation)
///     normal with stiffness k, b       u_n⁺ + ε p + ε h k gap ≥ 0,    ε = 1/(k h² + b h)
///     end of a joint's range           the same with its distance for the gap
///     spring that only pulls, pushes   u + ε p − b ≥ 0,  all ⊥ p ≥ 0
///
/// An open contact that keeps half of its gap, by the speeds at the beginning and with one body falling on
/// the other, is left aside: without a row. The answer of the others is then that of all, with p = 0 there,
/// if u_n⁺ ≥ −gap/h holds for those left aside too; where it does not they are taken in, and the step is
/// solved again. Of `cone` alone: the other laws ask more of an open contact, or look at their matrix.
///
/// Overlap is taken back by moving positions alone: the d of least dᵀ M d with gap + J_n d ≥ 0.
class ContactStage {
 public:
  ContactStage(const Model& model, const RunSettings& settings, ConstrainedSystem& system);

  void want_lead_matrix(bool wanted) { wants_lead_ = wanted; }
  void set_reuse(bool reuses) { finder_.set_reuse(reuses); }

  /// Contacts at the system's motion.
  void find(const State& state, double h);

  /// The rows of contacts and limits; then those of springs are added, then finish_rows().
  void make_rows(const State& state, double h);
  void add_spring(int island, int row, int side, double compliance, double b);
  void finish_rows() { rows_.finish(); }
  [[nodiscard]] bool is_empty() const { return rows_.blocks().empty(); }

  /// After the impulses gave the velocity v: takes in what was left aside and would close too far. True where
  /// there was any: rows are to be made and solved again, from the impulses found.
  [[nodiscard]] bool take_missed(const Eigen::VectorXd& v, double h);
  /// The same for all that was left aside, where the others were not solved.
  [[nodiscard]] bool take_all();

  /// The impulses, island by island, from the velocity v at the beginning, the one without impulses, and the
  /// right-hand side that gave it. False where one is not solved and `settings` do not accept that: `report`
  /// says which.
  [[nodiscard]] bool solve(const Eigen::VectorXd& v, const Eigen::VectorXd& v_free, const Eigen::VectorXd& f,
                           double h, StepReport& report);
  void add_forces(Eigen::VectorXd& out) const { rows_.add_forces(r_, out); }
  /// Rest to rounding becomes rest, of the velocity that the impulses gave; f as for solve().
  void settle(const Eigen::VectorXd& f, Eigen::VectorXd& v) { settling_.settle(rows_, system_, f, r_, v); }
  /// Of a spring's row that add_spring() was told, with its sign.
  void add_spring_impulses(std::vector<Eigen::VectorXd>& forces) const;

  /// Modes, violations and work of the solved step.
  void judge(const Eigen::VectorXd& v, double h, StepReport& report);

  /// Moves q out of the overlap that the speeds of judge() leave after h; the system must still have the
  /// factors of the step. False where there is none.
  bool push_out(double h, Eigen::VectorXd& q, StepReport& report);

  /// Writes what the next step needs to know; `kin` are the new positions.
  void remember(const Kinematics<double>& kin, State& state, StepReport& report);

  /// The memory that the last remember() replaced.
  [[nodiscard]] const std::vector<ContactMemory>& last_memory() const { return next_memory_; }

  /// Of the last step, for those who look.
  [[nodiscard]] const std::vector<ContactReport>& reports() const { return reports_; }
  /// The contact problem of an island of the last step, as the formulation solves it; the one that was not
  /// solved, where solve() said so, is number unsolved().
  [[nodiscard]] Problem make_problem(std::size_t island);
  [[nodiscard]] std::size_t island_count() const { return rows_.islands().size(); }
  [[nodiscard]] std::size_t unsolved() const { return unsolved_; }
  /// Which took most iterations.
  [[nodiscard]] std::size_t hardest() const { return hardest_; }

 private:
  struct Kept {      // of the contacts that have rows
    int contact{0};  // in contacts_
    const ContactMemory* memory{nullptr};
    bool is_aside{false};
    int block{-1};                           // in the rows
    std::optional<Eigen::Vector3d> start{};  // impulse of an earlier round of this step, N s
  };

  [[nodiscard]] const ContactMemory* recall(const State& state, const Contact& contact,
                                            std::size_t& place) const;
  // of A's material relative to B's, at the beginning and with the velocity that take_missed() saw
  [[nodiscard]] Eigen::Vector3d speed_now(const Contact& contact) const;
  [[nodiscard]] Eigen::Vector3d speed_after(const Contact& contact) const;
  [[nodiscard]] bool keeps_gap(const Contact& contact, double h) const;
  void keep_impulses();
  void judge_aside(const Contact& contact, StepReport& report);
  void add_limits(const State& state, double h);
  void fill_friction(const Eigen::VectorXd& v, double h);
  [[nodiscard]] bool fill_start(const ContactIsland& island, ContactAnswer& answer) const;
  [[nodiscard]] ContactQuestion make_question(std::size_t island, bool has_matrix, ConeProblem& problem,
                                              std::vector<FrictionState>& friction);
  [[nodiscard]] double divide_by_speed(const ContactIsland& island, double residual) const;
  void certify(const ContactIsland& island, const ContactAnswer& answer, int& most,
               ContactCertificate& certificate);
  [[nodiscard]] std::string describe(const ContactIsland& island) const;
  void report_lead_matrix(std::size_t island, LeadMatrix& worst);
  void judge_contact(std::size_t k, double h, StepReport& report);
  ContactReport& add_report(const Contact& contact);
  void sort_kept();
  [[nodiscard]] double least_slip(std::size_t k) const;

  const Model& model_;
  RunSettings settings_;
  ConstrainedSystem& system_;
  ContactFinder finder_;
  struct Worker {  // a formulation keeps scratch: one for each thread
    std::unique_ptr<ContactFormulation> formulation;
    ConeProblem problem;
    std::vector<FrictionState> friction;
  };
  std::vector<Worker> workers_;
  WorkerPool pool_;
  ContactRows rows_;

  struct Place {  // of a body's frame J in W, and what the step added
    Eigen::Matrix3d R, dR;
    Eigen::Vector3d p, dp;
    bool moved{false};
    void note_way(const BodyKinematics<double>& body);
    [[nodiscard]] Eigen::Vector3d way(const Eigen::Vector3d& point) const;  // of the material there, m
  };
  std::vector<Place> before_;          // at the beginning of the step
  std::span<const Contact> contacts_;  // the finder's
  std::vector<Kept> kept_;
  struct Order {  // of the kept contacts in the memory
    std::uint64_t parts{0}, features{0};
    int kept{0}, report{0};  // in kept_ and reports_
    bool operator<(const Order& other) const {
      return parts != other.parts ? parts < other.parts : features < other.features;
    }
  };
  std::vector<Order> order_;
  std::vector<Vec6<double>> V_;    // of the bodies with the new velocity, for what is left aside
  std::vector<double> distances_;  // of every block: gap or distance to the limit, m or rad
  std::vector<int> answer_of_;     // of every block: its island
  std::vector<FrictionState> friction_;
  std::vector<char> pushes_;            // whether overlap of the block is taken back
  std::vector<ContactAnswer> answers_;  // of every island
  std::size_t unsolved_{0}, hardest_{0};
  bool wants_lead_{false};
  double h_{0.0};
  Eigen::VectorXd u_, u_free_, rhs_, r_, own_, f_, d_, gaps_;
  ConeProblem push_problem_;
  std::vector<Eigen::VectorXd> zero_rows_;
  ConeOptions push_options_;
  ConeWorkspace push_workspace_;
  ConeResult push_result_;
  UnitAssembly push_units_;
  ConeIslandSolver push_solver_;
  ConeIslandResult push_island_result_;
  Settling settling_;
  std::vector<ContactReport> reports_;
  std::vector<ContactMemory> next_memory_;
};

}  // namespace rigor
