#pragma once

#include "rigor/solvers/cone/compliant_newton.hpp"
#include "rigor/solvers/cone/pile_sweeps.hpp"
#include "rigor/solvers/cone/sparse_cone_solve.hpp"
#include "rigor/solvers/cone/unit_cone_matrix.hpp"

namespace rigor {

/// The solver of one large island of a step: like cone_solve.hpp for small ones, but with sparse factors. An
/// island is a set of contacts that are coupled by the bodies; a tier is a method that is tried, and the next
/// one follows where it fails:
///
///   nsgs      sweeps of Gauss-Seidel, where the island is a pile (wide graph, see docs/theory/piles.md) and
///             the options allow it; where they do not reach the tolerance, the way of what slid from there, and
///             no more. Without a start, rest comes first
///   open      r = 0 is a solution
///   kept      the start is one, to rounding: as it is or, at rest, after a correction of what rounding added
///   rest      all contacts stick; or the associated (convex) law, where its answer does not slip
///   newton    from the start, else from the answer of the associated law
///   interior-point, proximal    from the start of what slid: cone_island_motion.cpp
///   …         the tiers of sparse_cone_solve.hpp
///
/// Without a start, rest is taken wherever it is a solution, and impulses that are not unique are those of
/// equal compliance, as in cone_solve.hpp. With a start (the impulses of the last step), impulses that are
/// not unique stay close to it. What has rested goes on resting where it can: rest is searched for in a few steps
/// from the start. What has slid goes on from the start, and comes to rest where that is the answer which Newton's
/// method meets: in a heap that moves a search for rest in every step would cost as much as the answer.
///
/// Residuals are those of the problem divided by the mean diagonal of W, in m/s.
struct ConeIslandOptions {
  double tolerance{1e-10};    // m/s
  bool associated{false};     // the convex law instead of Coulomb's
  bool warm{false};           // result.r holds a start
  bool slid{false};           // a contact slid in the step that the start comes from
  bool wants_freedom{true};   // count the dimension of the forces
  int start_freedom{0};       // force_freedom of the start, reported again where the start is kept
  int max_convex{300};        // Newton steps on the associated law
  bool sweeps_first{false};   // PileSweeps where factors cost more; impulses that are not unique are then any
  int max_sweeps{2000};       // of PileSweeps, where factors would be too expensive to follow them
  int max_iterations{10000};  // sweeps and Newton steps after which no further method is begun
  WorkerPool* pool{nullptr};  // for PileSweeps
};

struct ConeIslandResult {
  Status status{Status::kIterationLimit};
  Eigen::VectorXd r;                                         // 3 per contact, N s
  double residual{std::numeric_limits<double>::infinity()};  // m/s
  double cone_violation{0.0};                                // m/s: how far r is outside its cones
  int iterations{0};                                         // sweeps and Newton steps
  int force_freedom{0};                                      // dimension of the forces; −1: not known
  std::string_view method;
};

/// Keeps its storage and its symbolic factors: a second problem on the same graph allocates nothing.
class ConeIslandSolver {
 public:
  static constexpr std::size_t kPile = 400;  // contacts: islands with fewer are never swept first

  /// The problem must live until the call returns.
  void solve(const UnitConeProblem& problem, const ConeIslandOptions& options, ConeIslandResult& result);

 private:
  static constexpr double kCompliance = 1e-5;  // of the mean inverse mass: that of ConeSelection

  enum class Far { kNone, kMotion, kFirm };
  struct BarrierSchedule;
  enum class Pile { kNone, kDone, kFactors };
  [[nodiscard]] bool find_rest_before_sweeps();
  [[nodiscard]] Pile solve_pile();
  void set_matrix();
  void prepare();
  void finish(bool solved);
  [[nodiscard]] bool has_budget() const;
  [[nodiscard]] int iterations() const;
  bool find();
  bool find_from_start();
  bool find_afresh();
  bool find_near_sweeps();
  bool find_coulomb();
  bool find_associated();
  bool keep_start();
  double mend(double enough, double residual, Eigen::VectorXd& r);
  bool try_sticking();
  bool try_rest(const Eigen::VectorXd* start);
  void shorten(Eigen::VectorXd& r);
  bool try_newton(const Eigen::VectorXd& start, Far far);
  void finish_near(double residual);
  bool try_motion(double residual);
  bool try_barrier(const BarrierSchedule& schedule);
  bool try_tiers();
  void run_tiers(const SparseConeOptions& options, SparseConeWorkspace& workspace);
  bool accept(std::string_view method);
  [[nodiscard]] double rounding_at(const Eigen::VectorXd& r) const;
  [[nodiscard]] double tolerance_at(const Eigen::VectorXd& r) const;
  double relax(bool only_rest, Eigen::VectorXd& r);
  double relax_from_here(bool only_rest, Eigen::VectorXd& r);
  double follow(double alpha, double target, int max_steps, Eigen::VectorXd& r);
  double solve_associated(int max_steps, bool only_rest, Eigen::VectorXd& r);
  double solve_compliant(int max_steps, Eigen::VectorXd& r);
  void stick_loaded(Eigen::VectorXd& r);
  void select();
  bool select_resting(Eigen::VectorXd& r);
  bool find_shortest(Eigen::VectorXd& r);
  bool select_slipping(Eigen::VectorXd& r);
  [[nodiscard]] bool slips(const Eigen::VectorXd& r, const Eigen::VectorXd& u, double scale) const;
  [[nodiscard]] int find_freedom();
  [[nodiscard]] double largest_impulse(const Eigen::VectorXd& r) const;
  [[nodiscard]] double largest_speed(const Eigen::VectorXd& u) const;

  UnitConeMatrix matrix_;
  SparseConeWorkspace ws_;    // ws_.cone is the problem, ws_.r the current point
  SparseConeProblem formed_;  // the problem with W formed by blocks, where factors by units fail
  SparseConeWorkspace dual_;
  CompliantNewton newton_;
  PileSweeps pile_;
  PileResult pile_result_;
  BandEstimate band_;
  SparseConeResult tiers_;
  ConeIslandOptions options_;
  const UnitConeProblem* problem_{nullptr};
  ConeIslandResult* result_{nullptr};
  Eigen::VectorXd u_, start_, relaxed_, trial_, best_, centre_, chosen_, change_;
  std::vector<char> marked_;
  std::vector<Eigen::Matrix3d> faces_;
  double best_residual_{0.0}, open_residual_{0.0};
  int interior_steps_{0}, tier_iterations_{0};
  bool selected_{false};       // ws_.r is already the choice among impulses that are not unique
  bool rest_excluded_{false};  // the associated law has been solved and slips: there is no rest
  bool is_matrix_set_{false};  // matrix_ is that of this problem
  bool swept_{false};          // start_ is the best point of PileSweeps
};

}  // namespace rigor
