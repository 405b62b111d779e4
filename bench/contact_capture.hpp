#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "rigor/contact/large_cone_law.hpp"
#include "rigor/math/random.hpp"
#include "rigor/model/scene.hpp"
#include "rigor/solvers/cone/cone_solve.hpp"
#include "rigor/stepping/contact_watch.hpp"

namespace rigor {

/// The contact problem of one island of a step of a scene, with what its solver began with and what it gave.
struct CapturedContacts {
  std::string scene;
  long step{0};
  UnitConeProblem problem;
  Eigen::VectorXd start;  // 3 per contact, N s: impulses of the step before; empty where there are none
  bool slid{false};       // something slid in the step before
  int start_freedom{0};   // of the forces of the step before
  bool is_large{false};   // LargeConeLaw takes it; else the dense solver does
  Eigen::VectorXd taken;  // the answer that the step went on with, 3 per contact, N s
  double residual{0.0};   // of it, m/s
  std::string method;     // that found it

  [[nodiscard]] int contacts() const { return static_cast<int>(problem.contacts.size()); }
};

struct CaptureOptions {
  int fewest{10}, most{3000};  // contacts
  int per_class{12};  // problems that are kept of a scene and a class of sizes, half as many of the largest
  std::uint64_t seed{1};
  double least_residual{1e-4};  // of the start, over ‖q‖₂: what is nearer to its answer is left out
};

/// Classes of sizes begin at so many contacts.
inline constexpr int kSizeClasses[] = {1, 10, 30, 100, 300, 1000};
[[nodiscard]] int size_class_of(int contacts);

/// Copies contact problems from a run: of the first round of the steps that are asked for, islands of the sizes asked
/// for. Of every class of sizes a fair sample is kept, by reservoir sampling [Vit85]: the same in every run.
///
/// [Vit85] Vitter. Random sampling with a reservoir. ACM Trans. Math. Softw. 11, 1985.
class ContactCapture final : public ContactWatch {
 public:
  explicit ContactCapture(const CaptureOptions& options) : options_(options), random_(options.seed) {}

  /// A step begins; `is_wanted`: its problems are.
  void begin_step(const std::string& scene, long step, bool is_wanted);
  /// What was kept so far, by size, and begins anew.
  [[nodiscard]] std::vector<CapturedContacts> take();

  void see_round() override { ++round_; }
  void see_question(const ContactQuestion& question, const ContactAnswer& start) override;
  void see_answer(const ContactQuestion& question, const ContactAnswer& answer) override;

 private:
  struct Class {
    std::vector<CapturedContacts> kept;
    int seen{0};
  };
  [[nodiscard]] bool is_wanted(const ContactQuestion& question) const;
  [[nodiscard]] int capacity_of(int size_class) const;

  CaptureOptions options_;
  Random random_;
  Class classes_[std::size(kSizeClasses)];
  std::string scene_;
  long step_{0};
  int round_{0};
  bool wanted_{false};
  CapturedContacts next_;
  UnitAssembly assembly_;
};

struct CaptureRun {
  double seconds{1.5};     // of simulated time
  int every{2};            // steps between captures
  double tolerance{1e-4};  // m/s, of the steps
};

/// Runs a scene, takes steps that miss their tolerance, and captures.
[[nodiscard]] std::vector<CapturedContacts> capture_scene(const std::string& name, Scene scene,
                                                          const CaptureRun& run,
                                                          const CaptureOptions& options);

/// u = W r + q with W = YᵀY + E formed, in the rows in use.
[[nodiscard]] ConeProblem make_dense_cone(const UnitConeProblem& units);

/// The problem as methods work on it: residuals of Coulomb's law over ‖q‖₂, impulses times the mean diagonal of W.
void scale_captured(ConeMatrix& W, const UnitConeProblem& problem, ScaledCone& cone);

/// Captured problems as a file of this machine's numbers, to measure the same ones again. read_captured() throws
/// InvalidInput where it is none.
void write_captured(const std::vector<CapturedContacts>& problems, std::ostream& out);
[[nodiscard]] std::vector<CapturedContacts> read_captured(std::istream& in);

}  // namespace rigor
