#include "rigor/solvers/contact_lcp/contact_auto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "rigor/base/work.hpp"
#include "rigor/math/magnitude.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/contact_lcp/contact_interior_point.hpp"
#include "rigor/solvers/contact_lcp/contact_pgs.hpp"
#include "rigor/solvers/contact_lcp/contact_proximal.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"
#include "rigor/solvers/lcp/polish.hpp"
#include "rigor/solvers/problems/answer_check.hpp"

namespace rigor {
namespace {

class Portfolio {
 public:
  Portfolio(const ContactLcpProblem& problem, const ContactAutoOptions& options)
      : options_(options), system_(problem), mixed_(make_mlcp(problem)) {}

  LcpResult solve() {
    const bool ended = relax() || follow_weighted_paths() || pivot() || sweep() || step_proximally();
    result_.note = tried_;
    if (has_proof(result_.status)) return std::move(result_);
    if (ended) tidy();
    result_.status = ended ? Status::kSolved : Status::kIterationLimit;
    judge_answer(system_.problem(), options_.tolerance, result_);
    if (result_.note.empty()) result_.note = tried_;
    return std::move(result_);
  }

 private:
  // keeps the point if it is the best so far; true where it is a solution
  bool take(const Eigen::VectorXd& z, const char* stage) {
    const double residual = system_.residual_of(z);
    if (residual < result_.residual) {
      result_.residual = residual;
      result_.z = z;
      result_.solver = stage;
    }
    return result_.residual <= options_.tolerance;
  }

  // Iterations leave impulses of 1e-12 on contacts that are open, and cones that are met to as much: beside the numbers
  // of their own row nothing is right there. Open contacts get none, friction is put on the edge of its cone where a
  // contact slides and back to it where it is outside. Kept where it is a solution too.
  void tidy() {
    const Eigen::Index nc = system_.contacts(), nd = system_.directions(), rows = system_.rows_per_contact();
    const Eigen::VectorXd w = system_.image(result_.z);
    Eigen::VectorXd p = system_.to_impulses(result_.z);
    for (Eigen::Index k = 0; k < nc; ++k) {
      auto own = p.segment(k * rows, rows);
      if (w[k] > own[0]) own.setZero();
      const double friction = own.tail(nd).sum(), limit = system_.problem().mu[k] * own[0];
      const bool slides = nd > 0 && result_.z[nc * (1 + nd) + k] > w[nc * (1 + nd) + k];
      if (friction > 0.0 && (slides || friction > limit)) own.tail(nd) *= limit / friction;
    }
    const Eigen::VectorXd z = system_.to_lcp(p);
    const double residual = system_.residual_of(z);
    if (!(residual <= options_.tolerance)) return;
    result_.z = z;
    result_.residual = residual;
  }

  // the point, and then the point polished on the mixed form
  bool take_polished(const Eigen::VectorXd& p, const char* stage, int steps = 10) {
    if (take(system_.to_lcp(p), stage)) return true;
    Eigen::VectorXd x(mixed_.q.size());
    x << system_.velocity(p), system_.to_lcp(p);
    PolishOptions polishing;
    polishing.rho = 1e-8;
    polishing.max_steps = steps;
    polishing.target = 0.01 * options_.tolerance;
    (void)polish(mixed_, polishing, x);
    const Eigen::VectorXd z = x.tail(system_.problem().size());
    return take(z, stage) || take(system_.to_lcp(system_.to_impulses(z)), stage);
  }

  bool record(bool solved, const std::string& stage) {
    tried_ += fmt::format("{}{}: {:.1e}", tried_.empty() ? "" : "; ", stage, result_.residual);
    return solved;
  }

  bool relax() {
    ContactInteriorPointOptions options;
    options.target = 0.1 * options_.tolerance;
    options.max_steps = 40;
    const ContactIterate iterate = solve_contact_interior_point(system_, options);
    result_.iterations += iterate.steps;
    return record(take_polished(iterate.p, "convex relaxation", 6), "convex relaxation");
  }

  bool follow_weighted_paths() {
    for (const auto& [seed, spread] : {std::pair{std::uint64_t{1}, 0.3}, {std::uint64_t{2}, 1.0}}) {
      ContactInteriorPointOptions options;
      options.relaxed = false;
      options.target = 0.1 * options_.tolerance;
      options.patience = 5;
      options.seed = seed;
      options.spread = spread;
      const ContactIterate iterate = solve_contact_interior_point(system_, options);
      result_.iterations += iterate.steps;
      if (record(take_polished(iterate.p, "interior-point"), "interior-point")) return true;
    }
    return false;
  }

  bool pivot() {
    if (system_.problem().size() > options_.max_lemke_size) return false;
    LemkeOptions lemke;
    lemke.tolerance = options_.tolerance;
    LcpResult pivoted = rigor::solve(make_lcp(system_.problem()), lemke);
    pivoted.iterations += result_.iterations;
    if (has_proof(pivoted.status)) {
      tried_ += fmt::format("; lemke: {}", to_string(pivoted.status));
      result_ = std::move(pivoted);
      return true;
    }
    result_.iterations = pivoted.iterations;
    return record(take(pivoted.z, "lemke"), "lemke");
  }

  bool sweep() {
    ContactPgs pgs(system_);
    Eigen::VectorXd p = Eigen::VectorXd::Zero(system_.J().rows());
    bool solved = false;
    for (int chunk = 2000, done = 0; done < options_.max_sweeps && !solved && may_work(0.0);
         chunk = std::min(50000, 2 * chunk)) {
      pgs.sweep(chunk, p);
      done += chunk;
      result_.iterations += chunk;
      const double residual = system_.residual(p);
      solved = residual < 1e-3 ? take_polished(p, "pgs") : take(system_.to_lcp(p), "pgs");
    }
    return record(solved, "pgs");
  }

  // one run of the proximal method with its rule for ρ, until the Newton steps are spent
  bool run_proximal(int variant, int budget, Eigen::VectorXd p) {
    const int wanted = variant == 1 ? 4 : 5, most = variant == 1 ? 20 : 12;
    const double fall = variant == 2 ? 0.6 : 0.4, rise = variant == 2 ? 2.0 : 1.5;
    ContactProximal proximal(system_);
    ContactPgs pgs(system_);
    if (variant == 3) pgs.sweep(300, p);
    double rho = 0.1, residual = system_.residual(p);
    // a proximal step counts as one at least: far away from any solution it may need no Newton step
    for (int proximal_steps = 0; residual > options_.tolerance && proximal_steps < budget &&
                                 proximal.newton_steps() < budget && may_work(0.0);
         ++proximal_steps) {
      const Eigen::VectorXd before = p;
      const int start = proximal.newton_steps();
      const bool reached = proximal.step(rho, most, p);
      const int steps = proximal.newton_steps() - start;
      const double after = system_.residual(p);
      if (reached || after < residual) {
        residual = after;
        if (reached) rho = std::max(1e-7, rho * (steps <= wanted ? fall : steps <= 2 * wanted ? 1.0 : rise));
      } else {
        p = before;
        if (rho >= 1.0 && steps == 0) break;
        rho = std::min(1.0, 4.0 * rho);
        if (variant == 3) {
          pgs.sweep(50, p);
          residual = system_.residual(p);
        }
      }
    }
    result_.iterations += proximal.newton_steps();
    return residual < 1e-4 ? take_polished(p, "proximal-newton") : take(system_.to_lcp(p), "proximal-newton");
  }

  bool step_proximally() {
    const double impulse = largest(mixed_.q.head(system_.dof()));
    int spent = 0, budget = options_.max_newton_steps / 8;
    bool solved = false;
    for (int attempt = 0; spent < options_.max_newton_steps && !solved && may_work(0.0); ++attempt) {
      Eigen::VectorXd p = Eigen::VectorXd::Zero(system_.J().rows());
      if (attempt >= 4) {
        Random random(static_cast<std::uint64_t>(attempt));
        for (Eigen::Index k = 0; k < system_.contacts(); ++k)
          p[k * system_.rows_per_contact()] = 5.0 * impulse * random.uniform();
      }
      solved = run_proximal(attempt % 4, budget, std::move(p));
      spent += budget;
    }
    return record(solved, "proximal-newton");
  }

  const ContactAutoOptions& options_;
  ContactSystem system_;
  MlcpProblem mixed_;
  LcpResult result_;
  std::string tried_;
};

}  // namespace

LcpResult solve(const ContactLcpProblem& problem, const ContactAutoOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  problem.validate();
  LcpResult result = Portfolio(problem, options).solve();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace rigor
