#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rigor/stepping/simulation.hpp"
#include "tools/rigor/plot.hpp"

namespace rigor {

/// A number that came out, beside the one that should have.
struct Figure {
  std::string name;
  double value;
  double reference;
  double tolerance;  // absolute

  [[nodiscard]] bool passes() const { return std::abs(value - reference) <= tolerance; }
};

struct Outcome {
  std::vector<Figure> figures;
  std::string table;        // for people; may be empty
  std::vector<Plot> plots;  // may be empty

  void add(std::string name, double value, double reference, double tolerance);
};

/// An example of a seed. Everything it computes is a scene that `rigor run` takes, or a problem that `rigor
/// solve` takes, with changes as by --set.
struct Reproduction {
  const char* id;  // also the name of its scene
  const char* seed;
  const char* about;
  std::function<Outcome(const std::vector<std::string>& set)> run;
  bool is_of_matrices{false};  // and not of scenes: --set does not apply
};

/// The scene of this name with these changes, in motion.
[[nodiscard]] std::unique_ptr<Simulation> start(const char* scene, const std::vector<std::string>& set);

/// The entry's own changes before the user's, which win.
[[nodiscard]] std::vector<std::string> with(std::vector<std::string> set,
                                            std::initializer_list<std::string> more);

/// Runs to the end; a step that fails is an error of the reproduction.
void finish(Simulation& simulation);

[[nodiscard]] std::vector<Reproduction> list_smooth_reproductions();
[[nodiscard]] std::vector<Reproduction> list_contact_reproductions();
[[nodiscard]] std::vector<Reproduction> list_peiret_reproductions();
[[nodiscard]] std::vector<Reproduction> list_analyse_reproductions();
[[nodiscard]] std::vector<Reproduction> list_mechanism_reproductions();
[[nodiscard]] std::vector<Reproduction> list_example_reproductions();

}  // namespace rigor
