#pragma once

#include <string_view>
#include <vector>

#include "bench/contact_capture.hpp"
#include "rigor/solvers/cone/cone_island.hpp"

namespace rigor {

/// What a method has done so far.
struct MethodCounts {
  int sweeps{0};   // of Gauss-Seidel over all contacts
  int factors{0};  // factorisations
  int solves{0};   // with a factor

  [[nodiscard]] MethodCounts operator-(const MethodCounts& other) const {
    return {sweeps - other.sweeps, factors - other.factors, solves - other.solves};
  }
};

/// A point of a method's curve: after so much time and work its best residual was so small.
struct CurvePoint {
  double seconds{0.0};  // CPU time, preparation left out
  int iterations{0};    // sweeps and Newton or interior point steps; of admm its iterations
  int factors{0};
  double residual{0.0};  // of Coulomb's law over ‖q‖₂
};

/// Points with ever smaller residuals. The first one is the start's, after no time.
using Curve = std::vector<CurvePoint>;

/// Passes everything on to another matrix, counts, and notes how the residual falls: of every point whose velocity a
/// method computes. The time that this takes is not the method's. It never says keeps_digits(), so that methods compute
/// the velocity of every point anew: a product more a step, and points that can be seen.
class WatchedConeMatrix final : public ConeMatrix {
 public:
  /// `law` is the problem whose residual is noted; both must live as long.
  WatchedConeMatrix(ConeMatrix& matrix, const ScaledCone& law);

  /// The curve begins anew.
  void begin();
  [[nodiscard]] const Curve& curve() const { return curve_; }
  /// Iterations are solves, not sweeps and factors.
  void count_solves() { counts_solves_ = true; }

  void add_product(const Eigen::VectorXd& r, Eigen::VectorXd& u) const override;
  bool sweep(const Eigen::VectorXd& q, const std::vector<ConeLocal>& local, Eigen::VectorXd& r) override;
  [[nodiscard]] bool factor(const std::vector<Block3>& D) override;
  [[nodiscard]] bool factor_shifted(double alpha) override;
  void solve(const Eigen::VectorXd& t, Eigen::VectorXd& dr, Eigen::VectorXd& du) override;
  void solve_shifted(const Eigen::VectorXd& b, Eigen::VectorXd& d) override;
  [[nodiscard]] double factor_work() override { return matrix_.factor_work(); }
  [[nodiscard]] double sweep_work() const override { return matrix_.sweep_work(); }
  [[nodiscard]] double least_alpha() const override { return matrix_.least_alpha(); }

 private:
  void note(const Eigen::VectorXd& r, const Eigen::VectorXd& u) const;

  ConeMatrix& matrix_;
  const ScaledCone& law_;
  bool counts_solves_{false};
  mutable MethodCounts counts_;
  mutable double begin_{0.0}, watching_{0.0};  // s
  mutable Curve curve_;
};

struct MethodOptions {
  double target{1e-8};  // of ‖q‖₂, where a method ends
  double work{
      1e8};  // multiplications for every 100 contact rows, for 100 at least (WorkMeter): a run's budget
};

/// A method alone, from the start of a captured problem.
struct Method {
  std::string_view name;
  Curve (*run)(const CapturedContacts& problem, const MethodOptions& options);
  bool by_decades{false};  // a point for every decade of the target, each of a run of its own
};

/// In this order. All begin at the impulses of the step before, made shorter where a collision has left them too long.
///
///   nsgs         sweeps of Gauss-Seidel
///   accelerated  the same with Anderson's mixing
///   pile         sweeps of PileSweeps, accelerated as nonlinear conjugate gradients
///   newton       five sweeps, then ProximalNewton::finish()
///   proximal     five sweeps, then proximal steps with the schedule of problems that are nearly solved
///   motion       five sweeps, then proximal steps with ProximalSchedule::for_motion()
///   interior     the interior point on Coulomb's law, then proximal steps
///   associated   the interior point on the associated law, without a start, then proximal steps on Coulomb's
///   admm         alternating directions
///   product      the solvers that a step asks, all their tiers
///
/// `pile` and `product` are by decades.
[[nodiscard]] const std::vector<Method>& motion_methods();

/// The answer that a step would take for a captured problem at a tolerance [m/s]: LargeConeLaw's solver, the dense one,
/// or both, as ConeLaw has them.
struct AloneAnswer {
  Eigen::VectorXd r;  // 3 per contact, N s
  double residual{0.0};
  int iterations{0};
  std::string_view method;
};
[[nodiscard]] AloneAnswer solve_as_step(const CapturedContacts& problem, double tolerance);

}  // namespace rigor
