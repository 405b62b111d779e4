// Rigor on a pile of spheres (pile_record.hpp): steps, writes the record and prints the time per step.
//
//   rigor_pile_peer SCENE RECORD [KEY=VALUE ...]     tolerance=1e-2 [m/s], max_iterations=10000,
//                                                    overlap=0 [m], threads=1
//
// A step that does not reach its tolerance is taken at its best residual and counted as unsolved.
#include <cstdlib>
#include <functional>
#include <map>

#include "bench/pile_engine.hpp"
#include "bench/rigor_pile.hpp"
#include "rigor/base/require.hpp"

namespace rigor {
namespace {

// What a row of the comparison may set.
const std::map<std::string, std::function<void(RunSettings&, double)>> kSettings{
    {"tolerance", [](RunSettings& run, double x) { run.tolerance = x; }},
    {"max_iterations", [](RunSettings& run, double x) { run.max_iterations = static_cast<int>(x); }},
    {"overlap", [](RunSettings& run, double x) { run.overlap = x; }},
    {"threads", [](RunSettings& run, double x) { run.threads = static_cast<int>(x); }},
};

void set(const std::string& word, RunSettings& run) {
  const auto equals = word.find('=');
  const auto found = kSettings.find(word.substr(0, equals));
  require(equals != std::string::npos && found != kSettings.end(),
          "\"{}\" is not known: KEY=VALUE with tolerance, max_iterations, overlap or threads.", word);
  found->second(run, std::atof(word.c_str() + equals + 1));
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: rigor_pile_peer SCENE RECORD [KEY=VALUE ...]\n");
    return 2;
  }
  try {
    const rigor::PileScene pile = rigor::read_pile_scene(argv[1]);
    rigor::Scene scene = rigor::make_pile_scene(pile);
    scene.run.tolerance = 1e-2;
    for (int k = 3; k < argc; ++k) rigor::set(argv[k], scene.run);
    rigor::RigorPile engine(scene);
    rigor::run_pile(engine, "rigor", pile, argv[2], [&] {
      return fmt::format(", \"own_residual\": {:.3g}, \"unsolved\": {}", engine.totals().worst_residual,
                         engine.totals().unsolved_steps);
    });
  } catch (const std::exception& error) {
    fmt::print(stderr, "rigor_pile_peer: {}\n", error.what());
    return 2;
  }
}
