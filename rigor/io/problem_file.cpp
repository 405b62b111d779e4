#include "rigor/io/problem_file.hpp"

#include <array>
#include <sstream>

#include "rigor/base/require.hpp"
#include "rigor/io/fclib.hpp"
#include "rigor/io/problem_json.hpp"
#include "rigor/io/problem_text.hpp"
#include "rigor/io/source_text.hpp"

namespace rigor {
namespace {

constexpr std::size_t kMaxProblemBytes = std::size_t{256} << 20;

// The text formats have no name in them. An MLCP begins with two flags (0 or 1) and, where the first is 1,
// has 0, its first block's start, in fifth place; an LCP begins n, storage, n, n, and its fifth number is n
// or a number of blocks, not 0.
bool looks_mixed(const std::string& text) {
  std::istringstream words(text.substr(0, 4096));
  std::array<std::string, 5> word;
  for (std::string& w : word) words >> w;
  const auto is_flag = [](const std::string& w) { return w == "0" || w == "1"; };
  return is_flag(word[0]) && is_flag(word[1]) && (word[0] == "0" || word[4] == "0");
}

}  // namespace

Problem parse_problem(std::string text, const std::string& name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (text[first] == '{' || text[first] == '/' || text[first] == '['))
    return parse_problem_json(std::move(text), name);
  if (looks_mixed(text)) return parse_mlcp(text, name);
  return parse_lcp(text, name);
}

bool is_fclib_name(const std::filesystem::path& path) {
  return path.extension() == ".hdf5" || path.extension() == ".h5";
}

Problem read_problem(const std::filesystem::path& path) {
  if (is_fclib_name(path)) return read_fclib(path);
  return parse_problem(read_text_file(path, kMaxProblemBytes), path.string());
}

std::string to_file_text(const Problem& problem, const std::filesystem::path& path) {
  if (path.extension() != ".dat") return to_json(problem);
  if (const auto* lcp = std::get_if<LcpProblem>(&problem)) return to_text(*lcp);
  if (const auto* sparse = std::get_if<SparseLcpProblem>(&problem))
    return to_text(LcpProblem{Eigen::MatrixXd(sparse->M), sparse->q});
  if (const auto* mixed = std::get_if<MlcpProblem>(&problem)) return to_text(*mixed);
  require(false, "{}: the text format has no place for a {}. Write a .json file.", path.string(),
          kind_name(problem));
  return {};
}

}  // namespace rigor
