#include <fmt/format.h>

#include "rigor/base/require.hpp"
#include "rigor/io/problem_file.hpp"
#include "rigor/io/source_text.hpp"
#include "rigor/solvers/trials/generate_contacts.hpp"
#include "rigor/solvers/trials/generate_lcp.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/say.hpp"

namespace rigor {
namespace {

constexpr int kMaxSize = 5000;

Problem make_problem(const GenerateRequest& request) {
  require(request.size >= 1 && request.size <= kMaxSize, "--size {}, must lie in [1, {}].", request.size,
          kMaxSize);
  if (request.what == "lcp")
    return make_random_lcp(make_lcp_class(request.lcp_class), request.size, request.seed);
  const ContactLcpProblem contacts = request.what == "cannonball"
                                         ? make_cannonball(request.rows, request.mu, request.step)
                                         : make_random_contacts(request.size, request.seed);
  if (request.plain) return make_lcp(contacts);
  return contacts;
}

}  // namespace

std::vector<std::string> generate_topics() {
  return {"lcp", "friction", "cannonball"};
}

std::vector<std::string> lcp_class_names() {
  std::vector<std::string> names;
  for (const LcpClass lcp_class : all_lcp_classes()) names.emplace_back(to_string(lcp_class));
  return names;
}

int run_generate(const GenerateRequest& request) {
  const Problem problem = make_problem(request);
  const std::string text = to_file_text(problem, request.output);
  if (request.output == "-") {
    say("{}", text);
    return kAnswered;
  }
  write_text_file(request.output, text);
  if (request.json) {
    JsonValue value{JsonValue::Object{}};
    value.add("output", request.output);
    value.add("kind", kind_name(problem));
    value.add("size", static_cast<double>(size_of(problem)));
    value.add("bytes", static_cast<double>(text.size()));
    print_json(value);
  } else {
    say("wrote {} ({}; {} bytes)\n", request.output, describe(problem), text.size());
  }
  return kAnswered;
}

}  // namespace rigor
