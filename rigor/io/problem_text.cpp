#include "rigor/io/problem_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "rigor/base/diagnostic.hpp"
#include "rigor/io/source_text.hpp"

namespace rigor {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;
constexpr std::int64_t kMaxDenseSize = 20000;  // of a dense problem: 3.2 GB
constexpr std::int64_t kMaxSparseEntries =
    36'000'000;  // of a matrix in sparse blocks, which is kept dense: 288 MB

// Numbers from text, one after the other; an error knows its line.
class NumberReader {
 public:
  NumberReader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  [[noreturn]] void fail(const std::string& what, const std::string& value, const std::string& rule) const {
    throw InvalidDocument({{name_, line_, column_, what, value, rule, ""}});
  }

  double real(const std::string& what) {
    const std::string_view token = next(what);
    double value = 0.0;
    const char* begin = token.data() + (token.front() == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, token.data() + token.size(), value);
    if (error == std::errc::result_out_of_range)
      fail(what, quote_for_message(std::string(token)), "is out of range");
    if (error != std::errc() || end != token.data() + token.size())
      fail(what, quote_for_message(std::string(token)), "must be a number");
    if (!std::isfinite(value)) fail(what, std::string(token), "must be finite");
    return value;
  }

  std::int64_t integer(const std::string& what, std::int64_t least, std::int64_t most) {
    const double value = real(what);
    if (value != std::floor(value) || value < static_cast<double>(least) || value > static_cast<double>(most))
      fail(what, fmt::format("{}", value), fmt::format("must be a whole number from {} to {}", least, most));
    return static_cast<std::int64_t>(value);
  }

  // before memory is taken for them: `count` numbers need at least 2 · count − 1 more characters
  void expect(std::int64_t count, const std::string& what) {
    if (2 * count - 1 > static_cast<std::int64_t>(text_.size() - position_))
      fail(what, "", fmt::format("{} numbers must follow, the file is too short for them", count));
  }

 private:
  std::string_view next(const std::string& what) {
    while (position_ < text_.size() && is_space(text_[position_])) {
      if (text_[position_] == '\n') {
        ++line_;
        line_start_ = position_ + 1;
      }
      ++position_;
    }
    column_ = static_cast<int>(position_ - line_start_) + 1;
    if (position_ == text_.size()) fail(what, "", "is missing: the file ends here");
    const std::size_t begin = position_;
    while (position_ < text_.size() && !is_space(text_[position_])) ++position_;
    return text_.substr(begin, position_ - begin);
  }

  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  std::string_view text_;
  std::string name_;
  std::size_t position_{0}, line_start_{0};
  int line_{1}, column_{1};
};

Eigen::VectorXd read_vector(NumberReader& reader, Eigen::Index size, const char* what) {
  reader.expect(size, what);
  Eigen::VectorXd values(size);
  for (Eigen::Index i = 0; i < size; ++i) values[i] = reader.real(fmt::format("{}[{}]", what, i));
  return values;
}

Eigen::MatrixXd read_rows(NumberReader& reader, Eigen::Index rows, Eigen::Index columns, const char* what) {
  reader.expect(rows * columns, what);
  Eigen::MatrixXd values(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j) values(i, j) = reader.real(what);
  return values;
}

void read_block(NumberReader& reader, Eigen::Ref<Eigen::MatrixXd> block, const char* what) {
  for (Eigen::Index j = 0; j < block.cols(); ++j)
    for (Eigen::Index i = 0; i < block.rows(); ++i) block(i, j) = reader.real(what);
}

std::vector<std::int64_t> read_ends(NumberReader& reader, std::int64_t count, std::int64_t total,
                                    const char* what) {
  std::vector<std::int64_t> ends;
  for (std::int64_t k = 0; k < count; ++k)
    ends.push_back(
        reader.integer(what, ends.empty() ? 1 : ends.back() + 1, k + 1 == count ? total : total - 1));
  if (ends.empty() || ends.back() != total)
    reader.fail(what, ends.empty() ? "" : fmt::format("{}", ends.back()),
                fmt::format("must end at {}", total));
  return ends;
}

Eigen::MatrixXd read_sparse_blocks(NumberReader& reader, Eigen::Index rows, Eigen::Index columns) {
  const std::int64_t blocks = reader.integer("number of blocks", 0, kMaxDenseSize * kMaxDenseSize);
  const std::int64_t block_rows = reader.integer("block rows", 1, rows);
  const std::int64_t block_columns = reader.integer("block columns", 1, columns);
  const auto row_ends = read_ends(reader, block_rows, rows, "row ends");
  const auto column_ends = read_ends(reader, block_columns, columns, "column ends");
  const std::int64_t starts_count = reader.integer("filled1", block_rows + 1, block_rows + 1);
  const std::int64_t filled = reader.integer("filled2", blocks, blocks);
  std::vector<std::int64_t> starts, block_column;
  reader.expect(starts_count + filled, "block index");
  for (std::int64_t k = 0; k < starts_count; ++k)
    starts.push_back(reader.integer("row starts", starts.empty() ? 0 : starts.back(), filled));
  for (std::int64_t k = 0; k < filled; ++k)
    block_column.push_back(reader.integer("block column", 0, block_columns - 1));
  // a short text must not ask for a large matrix: q follows, with as many numbers as there are rows
  if (rows * columns > kMaxSparseEntries)
    reader.fail("matrix", fmt::format("{} x {}", rows, columns),
                fmt::format("must have at most {} entries in sparse blocks", kMaxSparseEntries));
  reader.expect(rows, "q");
  Eigen::MatrixXd values = Eigen::MatrixXd::Zero(rows, columns);
  for (std::int64_t r = 0; r < block_rows; ++r)
    for (std::int64_t k = starts[static_cast<std::size_t>(r)]; k < starts[static_cast<std::size_t>(r) + 1];
         ++k) {
      const auto c = static_cast<std::size_t>(block_column[static_cast<std::size_t>(k)]);
      const Eigen::Index top = r == 0 ? 0 : row_ends[static_cast<std::size_t>(r) - 1];
      const Eigen::Index left = c == 0 ? 0 : column_ends[c - 1];
      read_block(reader,
                 values.block(top, left, row_ends[static_cast<std::size_t>(r)] - top, column_ends[c] - left),
                 "block entry");
    }
  return values;
}

Eigen::MatrixXd read_matrix(NumberReader& reader) {
  const std::int64_t storage = reader.integer("storage", 0, 1);
  const std::int64_t rows = reader.integer("rows", 1, kMaxDenseSize);
  const std::int64_t columns = reader.integer("columns", 1, kMaxDenseSize);
  if (storage == 1) return read_sparse_blocks(reader, rows, columns);
  (void)reader.integer("rows", rows, rows);
  (void)reader.integer("columns", columns, columns);
  reader.expect(rows * columns, "matrix");
  Eigen::MatrixXd values(rows, columns);
  read_block(reader, values, "matrix entry");
  return values;
}

void append_entry(std::string& text, double value, char separator) {
  text += fmt::format("{}", value);  // shortest text that reads back as the same double
  text += separator;
}

void append_matrix(std::string& text, const Eigen::MatrixXd& values) {
  text += fmt::format("0\n{0}\n{1}\n{0}\t{1}\n", values.rows(), values.cols());
  for (Eigen::Index j = 0; j < values.cols(); ++j)
    for (Eigen::Index i = 0; i < values.rows(); ++i)
      append_entry(text, values(i, j), i + 1 == values.rows() ? '\n' : ' ');
}

void append_vector(std::string& text, const Eigen::VectorXd& values) {
  for (Eigen::Index i = 0; i < values.size(); ++i)
    append_entry(text, values[i], i + 1 == values.size() ? '\n' : ' ');
}

}  // namespace

LcpProblem parse_lcp(std::string_view text, const std::string& name) {
  NumberReader reader(text, name);
  const std::int64_t n = reader.integer("size", 1, kMaxDenseSize);
  LcpProblem problem;
  problem.M = read_matrix(reader);
  if (problem.M.rows() != n || problem.M.cols() != n)
    reader.fail("matrix", fmt::format("{} x {}", problem.M.rows(), problem.M.cols()),
                fmt::format("must be {} x {}", n, n));
  problem.q = read_vector(reader, n, "q");
  return problem;
}

MlcpProblem parse_mlcp(std::string_view text, const std::string& name) {
  NumberReader reader(text, name);
  const bool first = reader.integer("st1", 0, 1) == 1, second = reader.integer("st2", 0, 1) == 1;
  if (!first && !second) reader.fail("st1, st2", "0, 0", "one of them must be 1");
  const Eigen::Index n = reader.integer("n", 0, kMaxDenseSize), m = reader.integer("m", 0, kMaxDenseSize - n),
                     size = n + m;
  if (size == 0) reader.fail("n + m", "0", "must be at least 1");
  MlcpProblem problem;
  problem.free_count = n;
  if (first) {
    // block starts up to n + m, then one flag per block: equations must come first
    std::vector<std::int64_t> starts = {reader.integer("block start", 0, 0)};
    while (starts.back() < size) starts.push_back(reader.integer("block start", starts.back() + 1, size));
    for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
      const std::int64_t flag = reader.integer("block flag", 0, 1);
      if ((flag == 0) != (starts[k + 1] <= n))
        reader.fail("block flag", fmt::format("{}", flag), "the equations (0) must be the first n rows");
    }
    const Eigen::MatrixXd K = read_matrix(reader);
    if (K.cols() != size)
      reader.fail("matrix", fmt::format("{} columns", K.cols()), fmt::format("must have {} (n + m)", size));
    const Eigen::VectorXd q = read_vector(reader, size, "q");
    if (K.rows() == size) {
      problem.K = K.sparseView();
      problem.q = q;
      return problem;
    }
    if (!second)
      reader.fail("matrix", fmt::format("{} rows", K.rows()), fmt::format("must have {} (n + m)", size));
  }
  const Eigen::MatrixXd A = read_rows(reader, n, n, "A"), B = read_rows(reader, m, m, "B");
  const Eigen::MatrixXd C = read_rows(reader, n, m, "C"), D = read_rows(reader, m, n, "D");
  Eigen::MatrixXd K(size, size);
  K << A, C, D, B;
  problem.K = K.sparseView();
  problem.q.resize(size);
  problem.q.head(n) = read_vector(reader, n, "a");
  problem.q.tail(m) = read_vector(reader, m, "b");
  return problem;
}

LcpProblem read_lcp(const std::filesystem::path& path) {
  return parse_lcp(read_text_file(path, kMaxTextBytes), path.string());
}

MlcpProblem read_mlcp(const std::filesystem::path& path) {
  return parse_mlcp(read_text_file(path, kMaxTextBytes), path.string());
}

std::string to_text(const LcpProblem& problem) {
  std::string text = fmt::format("{}\n", problem.q.size());
  append_matrix(text, problem.M);
  append_vector(text, problem.q);
  return text;
}

std::string to_text(const MlcpProblem& problem) {
  const Eigen::Index n = problem.free_count, size = problem.q.size();
  std::string text = fmt::format("1\n0\n{}\n{}\n", n, size - n);
  if (n == 0 || n == size)
    text += fmt::format("0 {}\n{}\n", size, n == 0 ? 1 : 0);
  else
    text += fmt::format("0 {} {}\n0 1\n", n, size);
  append_matrix(text, Eigen::MatrixXd(problem.K));
  append_vector(text, problem.q);
  return text;
}

}  // namespace rigor
