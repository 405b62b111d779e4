#include "tools/rigor/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "rigor/base/require.hpp"
#include "rigor/io/fclib.hpp"
#include "rigor/io/problem_file.hpp"
#include "rigor/io/source_text.hpp"

namespace rigor {

void HardSteps::consider(Simulation& simulation, const StepReport& report) {
  const int iterations = report.contact.iterations;
  if (kept_.size() == count_ && (count_ == 0 || iterations <= kept_.back().iterations)) return;
  std::optional<Problem> problem = simulation.get_hardest();
  if (!problem) return;
  const auto place =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return k.iterations < iterations; });
  kept_.insert(place, {iterations, simulation.totals().steps, report.contact.residual, std::move(*problem)});
  if (kept_.size() > count_) kept_.pop_back();
}

std::vector<std::string> HardSteps::write(const std::string& folder) const {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  require(!error, "--capture {}: the folder cannot be made: {}.", folder, error.message());
  std::vector<std::string> names;
  for (const Kept& kept : kept_) {
    const auto* cone = std::get_if<ConeProblem>(&kept.problem);
    const bool is_fclib = has_fclib() && cone && !cone->associated;
    const std::filesystem::path path =
        std::filesystem::path(folder) / fmt::format("step-{}.{}", kept.step, is_fclib ? "hdf5" : "json");
    if (is_fclib)
      write_fclib(kept.problem,
                  {fmt::format("step {}", kept.step),
                   fmt::format("contact problem of a step; {} iterations to {:.2g} m/s", kept.iterations,
                               kept.residual)},
                  {}, path);
    else
      write_text_file(path, to_file_text(kept.problem, path));
    names.push_back(path.string());
  }
  return names;
}

}  // namespace rigor
