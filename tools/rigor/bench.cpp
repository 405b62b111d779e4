#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "rigor/base/require.hpp"
#include "rigor/solvers/trials/truth.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/say.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

constexpr std::int64_t kProblemsAtATime = 500;  // of one thread

struct TruthRun {
  TruthTally tally;
  std::vector<std::string> complaints;  // at most kMaxComplaints
};
constexpr std::size_t kMaxComplaints = 20;

void note_complaint(TruthRun& run, std::int64_t index, const TruthVerdict& verdict) {
  if (run.complaints.size() >= kMaxComplaints) return;
  if (!verdict.wrong.empty() || (verdict.claim == Claim::kUndecided && verdict.must_be_decided))
    run.complaints.push_back(fmt::format("problem {} ({}{}, n = {}): {}", index, to_string(verdict.lcp_class),
                                         verdict.mixed ? ", mixed" : "", verdict.size,
                                         verdict.wrong.empty() ? "undecided" : verdict.wrong));
}

// Nothing where Ctrl-C came meanwhile: methods end then with what they have, which is no claim to judge.
std::optional<TruthVerdict> judge_unless_interrupted(std::uint64_t seed, std::int64_t k,
                                                     LcpWorkspace& workspace, LcpResult& result) {
  try {
    const TruthVerdict verdict = judge_truth(seed, static_cast<std::uint64_t>(k), workspace, result);
    if (!was_interrupted()) return verdict;
  } catch (const Cancelled&) {
    // an exception must not leave its thread
  }
  return std::nullopt;
}

// All cores; which thread judges a problem changes nothing, so the counts are the same on every machine.
TruthRun run_truth(std::int64_t count, std::uint64_t seed) {
  TruthRun run;
  std::atomic<std::int64_t> next{0}, done{0};
  std::mutex guard;
  const auto work = [&] {
    LcpWorkspace workspace;
    LcpResult result;
    TruthRun own;
    for (std::int64_t begin = next.fetch_add(kProblemsAtATime); begin < count && !was_interrupted();
         begin = next.fetch_add(kProblemsAtATime))
      for (std::int64_t k = begin; k < std::min(count, begin + kProblemsAtATime) && !was_interrupted(); ++k) {
        const auto verdict = judge_unless_interrupted(seed, k, workspace, result);
        if (!verdict) break;
        own.tally.add(*verdict);
        note_complaint(own, k, *verdict);
        ++done;
      }
    const std::lock_guard lock(guard);
    run.tally.add(own.tally);
    run.complaints.insert(run.complaints.end(), own.complaints.begin(), own.complaints.end());
  };
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < std::max(1u, std::thread::hardware_concurrency()); ++k) threads.emplace_back(work);
  ProgressLine progress(fmt::format("of {} problems:", count));
  while (done < std::min(count, next.load()) && !was_interrupted()) {
    progress.show(static_cast<std::size_t>(done));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  for (std::thread& thread : threads) thread.join();
  std::sort(run.complaints.begin(), run.complaints.end());
  return run;
}

JsonValue tally_to_json(const TruthRun& run, std::uint64_t seed) {
  JsonValue::Array classes, complaints;
  for (const LcpClass lcp_class : all_lcp_classes()) {
    const TruthTally::Line& line = run.tally.by_class.at(static_cast<std::size_t>(lcp_class));
    JsonValue item{JsonValue::Object{}};
    item.add("class", std::string(to_string(lcp_class)));
    item.add("solved", static_cast<double>(line.solved));
    item.add("infeasible", static_cast<double>(line.infeasible));
    item.add("undecided", static_cast<double>(line.undecided));
    item.add("wrong", static_cast<double>(line.wrong));
    classes.push_back(std::move(item));
  }
  for (const std::string& complaint : run.complaints) complaints.emplace_back(complaint);
  JsonValue value{JsonValue::Object{}};
  value.add("seed", static_cast<double>(seed));
  value.add("problems", static_cast<double>(run.tally.problems));
  value.add("mixed", static_cast<double>(run.tally.mixed));
  value.add("enumerated", static_cast<double>(run.tally.enumerated));
  value.add("wrong", static_cast<double>(run.tally.wrong));
  value.add("undecided", static_cast<double>(run.tally.undecided));
  value.add("undecided_with_guarantee", static_cast<double>(run.tally.undecided_with_guarantee));
  value.add("pass", run.tally.passes());
  value.add("classes", std::move(classes));
  value.add("complaints", std::move(complaints));
  return value;
}

void print_tally(const TruthRun& run, std::uint64_t seed) {
  say("{:<15} {:>9} {:>10} {:>9} {:>6}\n", "class", "solved", "infeasible", "undecided", "wrong");
  for (const LcpClass lcp_class : all_lcp_classes()) {
    const TruthTally::Line& line = run.tally.by_class.at(static_cast<std::size_t>(lcp_class));
    if (line.solved + line.infeasible + line.undecided == 0) continue;
    say("{:<15} {:>9} {:>10} {:>9} {:>6}\n", to_string(lcp_class), line.solved, line.infeasible,
        line.undecided, line.wrong);
  }
  for (const std::string& complaint : run.complaints) say("{}\n", complaint);
  say("{} problems (seed {}; {} mixed, {} compared with exact enumeration): {} wrong, {} undecided, {} of "
      "them "
      "with a guarantee: {}\n",
      run.tally.problems, seed, run.tally.mixed, run.tally.enumerated, run.tally.wrong, run.tally.undecided,
      run.tally.undecided_with_guarantee, run.tally.passes() ? "pass" : "FAIL");
}

}  // namespace

std::vector<std::string> bench_topics() {
  return {"truth", "problems"};
}

int run_bench(const BenchRequest& request) {
  if (request.what == "problems") return run_bench_problems(request);
  require(request.count >= 1, "--count {}, must be ≥ 1.", request.count);
  const TruthRun run = run_truth(request.count, request.seed);
  if (request.json)
    print_json(tally_to_json(run, request.seed));
  else
    print_tally(run, request.seed);
  if (was_interrupted()) {
    complain("rigor: interrupted after {} of {} problems; the counts are those.\n", run.tally.problems,
             request.count);
    return kNotAnswered;
  }
  return run.tally.passes() ? kAnswered : kNotAnswered;
}

}  // namespace rigor
