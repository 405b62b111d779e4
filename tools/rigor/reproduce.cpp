#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "rigor/base/require.hpp"
#include "rigor/io/source_text.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/reproductions.hpp"
#include "tools/rigor/say.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

const std::vector<Reproduction>& all_reproductions() {
  static const std::vector<Reproduction> kAll = [] {
    std::vector<Reproduction> all = list_smooth_reproductions();
    for (auto list : {list_contact_reproductions(), list_peiret_reproductions(), list_analyse_reproductions(),
                      list_mechanism_reproductions(), list_example_reproductions()})
      for (Reproduction& entry : list) all.push_back(std::move(entry));
    return all;
  }();
  return kAll;
}

// ID.svg and ID.csv, numbered where there are several plots
std::vector<std::string> write_plots(const Reproduction& entry, const Outcome& outcome,
                                     const std::string& folder) {
  std::vector<std::string> files;
  if (!outcome.plots.empty()) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    require(!error, "-o {}: the folder cannot be made: {}.", folder, error.message());
  }
  for (std::size_t k = 0; k < outcome.plots.size(); ++k) {
    const std::string stem = (std::filesystem::path(folder) / entry.id).string() +
                             (outcome.plots.size() > 1 ? fmt::format("-{}", k + 1) : "");
    write_text_file(stem + ".svg", to_svg(outcome.plots[k]));
    write_text_file(stem + ".csv", to_csv(outcome.plots[k]));
    files.push_back(stem + ".svg");
    files.push_back(stem + ".csv");
  }
  return files;
}

JsonValue to_json(const Reproduction& entry, const Outcome& outcome, bool pass) {
  JsonValue value{JsonValue::Object{}};
  value.add("id", std::string(entry.id));
  value.add("seed", std::string(entry.seed));
  value.add("pass", pass);
  JsonValue::Array figures;
  for (const Figure& figure : outcome.figures) {
    JsonValue& item = figures.emplace_back(JsonValue::Object{});
    item.add("name", figure.name);
    item.add("value", figure.value);
    item.add("reference", figure.reference);
    item.add("tolerance", figure.tolerance);
  }
  value.add("figures", std::move(figures));
  return value;
}

void print(const Reproduction& entry, const Outcome& outcome, bool pass) {
  say("{}: {} ({})\n  {}\n", entry.id, pass ? "pass" : "FAIL", entry.seed, entry.about);
  for (const Figure& figure : outcome.figures)
    say("  {:<46} {:>16.10g}   reference {:>16.10g} ± {:.1g}{}\n", figure.name, figure.value,
        figure.reference, figure.tolerance, figure.passes() ? "" : "   FAIL");
  say("{}", outcome.table);
}

}  // namespace

void Outcome::add(std::string name, double value, double reference, double tolerance) {
  Figure& figure = figures.emplace_back();
  figure.name = std::move(name);
  figure.value = value;
  figure.reference = reference;
  figure.tolerance = tolerance;
}

std::unique_ptr<Simulation> start(const char* scene, const std::vector<std::string>& set) {
  return std::make_unique<Simulation>(SceneRequest{scene, set, false}.load());
}

std::vector<std::string> with(std::vector<std::string> set, std::initializer_list<std::string> more) {
  set.insert(set.begin(), more.begin(), more.end());
  return set;
}

void finish(Simulation& simulation) {
  const StepReport last = simulation.run([](const StepReport&) { return !was_interrupted(); });
  if (was_interrupted()) throw std::runtime_error("interrupted");
  if (!last.is_taken()) throw std::runtime_error(last.message);
}

std::vector<std::string> reproduction_names() {
  std::vector<std::string> names;
  for (const Reproduction& entry : all_reproductions()) names.emplace_back(entry.id);
  return names;
}

int run_reproduce(const ReproduceRequest& request) {
  if (request.list) {
    for (const Reproduction& entry : all_reproductions())
      say("{:<22} {:<34} {}\n", entry.id, entry.seed, entry.about);
    return kAnswered;
  }
  JsonValue::Array list;
  bool all_pass = true;
  for (const Reproduction& entry : all_reproductions()) {
    if (!request.name.empty() && request.name != entry.id) continue;
    require(
        request.set.empty() || !entry.is_of_matrices,
        "reproduce {}: its problems are plain matrices, for which --set has no meaning. Change a copy of the "
        "file ('rigor list problems') and ask 'rigor analyse'.",
        entry.id);
    const Outcome outcome = entry.run(request.set);
    const bool pass = std::all_of(outcome.figures.begin(), outcome.figures.end(),
                                  [](const Figure& figure) { return figure.passes(); });
    all_pass = all_pass && pass;
    list.push_back(to_json(entry, outcome, pass));
    if (!request.json) print(entry, outcome, pass);
    if (request.output.empty()) continue;
    for (const std::string& file : write_plots(entry, outcome, request.output))
      if (!request.json) say("  wrote {}\n", file);
  }
  if (request.json) print_json(std::move(list));
  return all_pass ? kAnswered : kNotAnswered;
}

}  // namespace rigor
