#include "rigor/io/problem_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "rigor/io/json.hpp"
#include "rigor/math/limits.hpp"

namespace rigor {
namespace {

constexpr double kMaxSparseSize = 1'000'000.0;         // rows of a sparse matrix
constexpr Eigen::Index kMaxDenseEntries = 36'000'000;  // a sparse text must not ask for a dense 1e6 x 1e6

using Triplets = std::vector<Eigen::Triplet<double>>;

// The members of one document; the first thing wrong ends the reading.
class ProblemReader {
 public:
  ProblemReader(std::string text, const std::string& name)
      : root_(parse_json(sources_, sources_.add(name, std::move(text)), kProblemLimits)) {
    if (!root_.if_object()) fail(root_, "", root_.kind_name(), "must be an object");
  }

  [[noreturn]] void fail(const JsonValue& at, const std::string& path, const std::string& value,
                         const std::string& rule, const std::string& remedy = "") const {
    fail(at.where, path, value, rule, remedy);
  }

  void check_keys(const std::vector<std::string>& keys) const {
    std::vector<std::string> known = {"rigor_problem", "kind", "name", "comment"};
    known.insert(known.end(), keys.begin(), keys.end());
    for (const JsonMember& member : *root_.if_object()) {
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      const std::string similar = find_similar(member.key, known);
      fail(member.key_where, quote_for_message(member.key), "", "unknown key",
           similar.empty() ? fmt::format("Known: {}.", fmt::join(known, ", "))
                           : fmt::format("Did you mean \"{}\"?", similar));
    }
  }

  [[nodiscard]] const JsonValue& get(const std::string& key) const {
    const JsonValue* value = root_.find(key);
    if (!value) fail(root_, "", "", fmt::format("the key \"{}\" is missing", key));
    return *value;
  }
  [[nodiscard]] bool has(const std::string& key) const { return root_.find(key) != nullptr; }
  [[nodiscard]] const JsonValue& root() const { return root_; }

  [[nodiscard]] std::string word(const std::string& key) const {
    const JsonValue& value = get(key);
    if (!value.if_string()) fail(value, key, value.kind_name(), "must be a word");
    return *value.if_string();
  }

  [[nodiscard]] double number(const JsonValue& value, const std::string& path) const {
    if (!value.if_number()) fail(value, path, value.kind_name(), "must be a number");
    return *value.if_number();
  }

  [[nodiscard]] int integer(const JsonValue& value, const std::string& path, double least,
                            double most) const {
    const double found = number(value, path);
    if (found != std::floor(found) || found < least || found > most)
      fail(value, path, fmt::format("{}", found),
           fmt::format("must be a whole number from {} to {}", least, most));
    return static_cast<int>(found);
  }

  [[nodiscard]] const JsonValue::Array& list(const JsonValue& value, const std::string& path) const {
    if (!value.if_array()) fail(value, path, value.kind_name(), "must be a list");
    return *value.if_array();
  }

  // a list of `size` numbers; null gives `none` where that is not NaN
  [[nodiscard]] Eigen::VectorXd vector(const std::string& key, Eigen::Index size,
                                       double none = std::nan("")) const {
    const JsonValue& value = get(key);
    const JsonValue::Array& items = list(value, key);
    if (static_cast<Eigen::Index>(items.size()) != size)
      fail(value, key, count_text(items.size(), "number"), fmt::format("must have {}", size));
    Eigen::VectorXd values(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      const JsonValue& item = items[static_cast<std::size_t>(i)];
      values[i] = item.is_null() && !std::isnan(none) ? none : number(item, fmt::format("{}[{}]", key, i));
    }
    return values;
  }

  [[nodiscard]] Eigen::Index length(const std::string& key) const {
    return static_cast<Eigen::Index>(list(get(key), key).size());
  }

  [[nodiscard]] bool is_sparse(const std::string& key) const { return get(key).if_object() != nullptr; }

  [[nodiscard]] SparseMatrix sparse(const std::string& key) const {
    const JsonValue& value = get(key);
    Triplets entries;
    Eigen::Index rows = 0, columns = 0;
    if (value.if_object())
      read_entries(value, key, rows, columns, entries);
    else
      read_rows(value, key, rows, columns, [&](int i, int j, double entry) {
        if (entry != 0.0) entries.emplace_back(i, j, entry);
      });
    SparseMatrix matrix(rows, columns);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

  // `size` x `size` where a sparse text asks for it: before memory is taken
  [[nodiscard]] Eigen::MatrixXd dense(const std::string& key, Eigen::Index size) const {
    if (is_sparse(key)) {
      const SparseMatrix matrix = sparse(key);
      if (matrix.rows() != size || matrix.cols() != size)
        fail(get(key), key, fmt::format("{} x {}", matrix.rows(), matrix.cols()),
             fmt::format("must be {} x {}, as q has entries", size, size));
      if (matrix.rows() * matrix.cols() > kMaxDenseEntries)
        fail(get(key), key, fmt::format("{} x {}", matrix.rows(), matrix.cols()),
             "is too large for a problem that is solved dense");
      return Eigen::MatrixXd(matrix);
    }
    const JsonValue& value = get(key);
    const JsonValue::Array& all = list(value, key);
    Eigen::MatrixXd matrix(static_cast<Eigen::Index>(all.size()), row_length(value, key));
    Eigen::Index rows = 0, columns = 0;
    read_rows(value, key, rows, columns, [&](int i, int j, double entry) { matrix(i, j) = entry; });
    return matrix;
  }

  // dense or sparse, it must be square
  void require_square(const std::string& key, Eigen::Index rows, Eigen::Index columns) const {
    if (rows != columns) fail(get(key), key, fmt::format("{} x {}", rows, columns), "must be square");
  }

 private:
  [[noreturn]] void fail(const TextSpan& at, const std::string& path, const std::string& value,
                         const std::string& rule, const std::string& remedy) const {
    Diagnostic diagnostic{.path = path, .value = value, .rule = rule, .remedy = remedy};
    sources_.locate(at, diagnostic);
    throw InvalidDocument({diagnostic});
  }

  [[nodiscard]] Eigen::Index row_length(const JsonValue& value, const std::string& key) const {
    const JsonValue::Array& all = list(value, key);
    return all.empty() ? 0 : static_cast<Eigen::Index>(list(all[0], key + "[0]").size());
  }

  template <class Visit>
  void read_rows(const JsonValue& value, const std::string& key, Eigen::Index& rows, Eigen::Index& columns,
                 Visit visit) const {
    const JsonValue::Array& all = list(value, key);
    rows = static_cast<Eigen::Index>(all.size());
    columns = row_length(value, key);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const JsonValue::Array& row = list(all[i], fmt::format("{}[{}]", key, i));
      if (static_cast<Eigen::Index>(row.size()) != columns)
        fail(all[i], fmt::format("{}[{}]", key, i), count_text(row.size(), "number"),
             fmt::format("must have {}, as the first row", columns));
      for (std::size_t j = 0; j < row.size(); ++j)
        visit(static_cast<int>(i), static_cast<int>(j), number(row[j], fmt::format("{}[{}][{}]", key, i, j)));
    }
  }

  [[nodiscard]] const JsonValue& part(const JsonValue& matrix, const std::string& key,
                                      const char* name) const {
    const JsonValue* value = matrix.find(name);
    if (!value)
      fail(matrix, key, "", fmt::format("the key \"{}\" is missing", name),
           "A sparse matrix has rows, columns, row, column and value.");
    return *value;
  }

  void read_entries(const JsonValue& matrix, const std::string& key, Eigen::Index& rows,
                    Eigen::Index& columns, Triplets& entries) const {
    for (const JsonMember& member : *matrix.if_object())
      if (member.key != "rows" && member.key != "columns" && member.key != "row" && member.key != "column" &&
          member.key != "value")
        fail(member.key_where, key + "." + member.key, "", "unknown key",
             "Known: rows, columns, row, column, value.");
    rows = integer(part(matrix, key, "rows"), key + ".rows", 0, kMaxSparseSize);
    columns = integer(part(matrix, key, "columns"), key + ".columns", 0, kMaxSparseSize);
    const auto& row = list(part(matrix, key, "row"), key + ".row");
    const auto& column = list(part(matrix, key, "column"), key + ".column");
    const auto& value = list(part(matrix, key, "value"), key + ".value");
    if (row.size() != value.size() || column.size() != value.size())
      fail(matrix, key,
           fmt::format("{} rows, {} columns, {} values", row.size(), column.size(), value.size()),
           "must be as many of each");
    entries.reserve(value.size());
    for (std::size_t k = 0; k < value.size(); ++k)
      entries.emplace_back(
          integer(row[k], fmt::format("{}.row[{}]", key, k), 0, static_cast<double>(rows) - 1),
          integer(column[k], fmt::format("{}.column[{}]", key, k), 0, static_cast<double>(columns) - 1),
          number(value[k], fmt::format("{}.value[{}]", key, k)));
  }

  Sources sources_;
  JsonValue root_;
};

Problem read_lcp_members(const ProblemReader& reader) {
  reader.check_keys({"M", "q"});
  if (reader.is_sparse("M")) {
    SparseLcpProblem problem{reader.sparse("M"), {}};
    reader.require_square("M", problem.M.rows(), problem.M.cols());
    problem.q = reader.vector("q", problem.M.rows());
    return problem;
  }
  LcpProblem problem{reader.dense("M", -1), {}};
  reader.require_square("M", problem.M.rows(), problem.M.cols());
  problem.q = reader.vector("q", problem.M.rows());
  return problem;
}

Problem read_mlcp_members(const ProblemReader& reader) {
  reader.check_keys({"free", "K", "q"});
  MlcpProblem problem;
  problem.K = reader.sparse("K");
  reader.require_square("K", problem.K.rows(), problem.K.cols());
  problem.free_count = reader.integer(reader.get("free"), "free", 0, static_cast<double>(problem.K.rows()));
  problem.q = reader.vector("q", problem.K.rows());
  return problem;
}

Problem read_boxed_members(const ProblemReader& reader) {
  reader.check_keys({"M", "q", "lo", "hi", "scaled_by"});
  BoxedLcpProblem problem;
  problem.M = reader.dense("M", reader.length("q"));
  reader.require_square("M", problem.M.rows(), problem.M.cols());
  const Eigen::Index n = problem.M.rows();
  problem.q = reader.vector("q", n);
  problem.lo = reader.vector("lo", n, -kInfinity);
  problem.hi = reader.vector("hi", n, kInfinity);
  if (!reader.has("scaled_by")) return problem;
  const JsonValue& value = reader.get("scaled_by");
  const JsonValue::Array& items = reader.list(value, "scaled_by");
  if (static_cast<Eigen::Index>(items.size()) != n)
    reader.fail(value, "scaled_by", count_text(items.size(), "number"), fmt::format("must have {}", n));
  for (std::size_t i = 0; i < items.size(); ++i)
    problem.scaled_by.push_back(items[i].is_null() ? -1
                                                   : reader.integer(items[i], fmt::format("scaled_by[{}]", i),
                                                                    0, static_cast<double>(n) - 1));
  return problem;
}

Problem read_contact_members(const ProblemReader& reader) {
  reader.check_keys({"directions", "mass", "N", "D", "b", "mu", "v_free"});
  ContactLcpProblem problem;
  problem.directions = reader.integer(reader.get("directions"), "directions", 0, 64);
  problem.mass = reader.sparse("mass");
  reader.require_square("mass", problem.mass.rows(), problem.mass.cols());
  problem.N = reader.sparse("N");
  problem.b = reader.vector("b", problem.N.rows());
  problem.v_free = reader.vector("v_free", problem.mass.rows());
  if (problem.directions > 0 || reader.has("D")) problem.D = reader.sparse("D");
  if (problem.directions == 0) problem.D.resize(0, problem.mass.rows());
  if (problem.directions > 0 || reader.has("mu"))
    problem.mu = reader.vector("mu", problem.N.rows());
  else
    problem.mu = Eigen::VectorXd::Zero(problem.N.rows());
  return problem;
}

Problem read_cone_members(const ProblemReader& reader) {
  reader.check_keys({"W", "q", "sizes", "mu", "lower", "upper", "associated"});
  ConeProblem problem;
  if (reader.has("associated")) {
    const bool* flag = std::get_if<bool>(&reader.get("associated").data);
    if (!flag) reader.fail(reader.get("associated"), "associated", "", "must be true or false");
    problem.associated = *flag;
  }
  // a sparse text gives a sparse problem, but for the associated law, whose methods are dense
  const bool is_sparse = reader.is_sparse("W") && !problem.associated;
  SparseMatrix W;
  if (is_sparse)
    W = reader.sparse("W");
  else
    problem.W = reader.dense("W", reader.length("q"));
  const Eigen::Index rows = is_sparse ? W.rows() : problem.W.rows();
  reader.require_square("W", rows, is_sparse ? W.cols() : problem.W.cols());
  problem.q = reader.vector("q", rows);
  const JsonValue& sizes_value = reader.get("sizes");
  const JsonValue::Array& sizes = reader.list(sizes_value, "sizes");
  const auto count = static_cast<Eigen::Index>(sizes.size());
  const Eigen::VectorXd mu = reader.vector("mu", count);
  Eigen::VectorXd lower = Eigen::VectorXd::Zero(count), upper = Eigen::VectorXd::Constant(count, kInfinity);
  if (reader.has("lower")) lower = reader.vector("lower", count, -kInfinity);
  if (reader.has("upper")) upper = reader.vector("upper", count, kInfinity);
  int first = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const int size = reader.integer(sizes[i], fmt::format("sizes[{}]", i), 1, 3);
    const auto k = static_cast<Eigen::Index>(i);
    problem.blocks.push_back({first, size, mu[k], {lower[k], upper[k]}});
    first += size;
  }
  if (first != problem.q.size())
    reader.fail(sizes_value, "sizes", fmt::format("{} rows in all", first),
                fmt::format("must be {}", problem.q.size()));
  if (is_sparse) return make_sparse_cone(W, problem.q, problem.blocks);
  return problem;
}

// --- writing ---

JsonValue vector_to_json(const Eigen::VectorXd& values) {
  JsonValue::Array items;
  for (Eigen::Index i = 0; i < values.size(); ++i) items.emplace_back(values[i]);  // infinities become null
  return items;
}

JsonValue matrix_to_json(const Eigen::MatrixXd& matrix) {
  JsonValue::Array rows;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) rows.push_back(vector_to_json(matrix.row(i)));
  return rows;
}

JsonValue matrix_to_json(const SparseMatrix& matrix) {
  JsonValue::Array row, column, value;
  for (Eigen::Index j = 0; j < matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(matrix, j); it; ++it) {
      row.emplace_back(static_cast<double>(it.row()));
      column.emplace_back(static_cast<double>(it.col()));
      value.emplace_back(it.value());
    }
  JsonValue object{JsonValue::Object{}};
  object.add("rows", static_cast<double>(matrix.rows()));
  object.add("columns", static_cast<double>(matrix.cols()));
  object.add("row", std::move(row));
  object.add("column", std::move(column));
  object.add("value", std::move(value));
  return object;
}

// Sparse where that is shorter, three numbers an entry, and nobody would read the rows: the matrix of a wall has 3000 rows
// and hardly any entries, and as rows it would be too large to be read again.
JsonValue large_matrix_to_json(const Eigen::MatrixXd& matrix) {
  constexpr Eigen::Index kReadable = 100;  // rows
  const auto entries = (matrix.array() != 0.0).count();
  if (matrix.rows() <= kReadable || 3 * entries >= matrix.size()) return matrix_to_json(matrix);
  return matrix_to_json(SparseMatrix(matrix.sparseView(1.0, 0.0)));
}

void add_members(JsonValue& object, const LcpProblem& problem) {
  object.add("M", matrix_to_json(problem.M));
  object.add("q", vector_to_json(problem.q));
}

void add_members(JsonValue& object, const SparseLcpProblem& problem) {
  object.add("M", matrix_to_json(problem.M));
  object.add("q", vector_to_json(problem.q));
}

void add_members(JsonValue& object, const MlcpProblem& problem) {
  object.add("free", static_cast<double>(problem.free_count));
  object.add("K", matrix_to_json(problem.K));
  object.add("q", vector_to_json(problem.q));
}

void add_members(JsonValue& object, const BoxedLcpProblem& problem) {
  object.add("M", large_matrix_to_json(problem.M));
  object.add("q", vector_to_json(problem.q));
  object.add("lo", vector_to_json(problem.lo));
  object.add("hi", vector_to_json(problem.hi));
  if (problem.scaled_by.empty()) return;
  JsonValue::Array scaled;
  for (const int k : problem.scaled_by) {
    if (k < 0)
      scaled.emplace_back(nullptr);
    else
      scaled.emplace_back(static_cast<double>(k));
  }
  object.add("scaled_by", std::move(scaled));
}

void add_members(JsonValue& object, const ContactLcpProblem& problem) {
  object.add("directions", problem.directions);
  object.add("mass", matrix_to_json(problem.mass));
  object.add("N", matrix_to_json(problem.N));
  object.add("b", vector_to_json(problem.b));
  if (problem.directions > 0) {
    object.add("D", matrix_to_json(problem.D));
    object.add("mu", vector_to_json(problem.mu));
  }
  object.add("v_free", vector_to_json(problem.v_free));
}

// Infinities become null, and bounds that are all those of one-sided rows need not be said.
void add_bounds(JsonValue& object, const std::vector<RowBounds>& bounds) {
  if (std::all_of(bounds.begin(), bounds.end(), [](const RowBounds& b) { return b.is_one_sided(); })) return;
  JsonValue::Array lower, upper;
  for (const RowBounds& b : bounds) {
    lower.emplace_back(b.lower);
    upper.emplace_back(b.upper);
  }
  object.add("lower", std::move(lower));
  object.add("upper", std::move(upper));
}

void add_members(JsonValue& object, const ConeProblem& problem) {
  object.add("W", large_matrix_to_json(problem.W));
  object.add("q", vector_to_json(problem.q));
  JsonValue::Array sizes, mu;
  std::vector<RowBounds> bounds;
  for (const ConeBlock& block : problem.blocks) {
    sizes.emplace_back(block.size);
    mu.emplace_back(block.mu);
    bounds.push_back(block.bounds);
  }
  object.add("sizes", std::move(sizes));
  object.add("mu", std::move(mu));
  add_bounds(object, bounds);
  if (problem.associated) object.add("associated", true);
}

// W by its rows in use, as a sparse matrix
void add_members(JsonValue& object, const SparseConeProblem& problem) {
  std::vector<int> first(problem.sizes.size() + 1, 0);
  for (std::size_t i = 0; i < problem.sizes.size(); ++i) first[i + 1] = first[i] + problem.sizes[i];
  std::vector<Eigen::Triplet<double>> entries;
  JsonValue::Array sizes, mu;
  for (std::size_t i = 0; i < problem.sizes.size(); ++i) {
    for (int k = problem.pattern.begin[i]; k < problem.pattern.begin[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(problem.pattern.column[static_cast<std::size_t>(k)]);
      for (int a = 0; a < problem.sizes[i]; ++a)
        for (int b = 0; b < problem.sizes[j]; ++b)
          if (const double value = problem.values[static_cast<std::size_t>(k)](a, b); value != 0.0)
            entries.emplace_back(first[i] + a, first[j] + b, value);
    }
    sizes.emplace_back(problem.sizes[i]);
    mu.emplace_back(problem.mu[static_cast<Eigen::Index>(i)]);
  }
  SparseMatrix W(first.back(), first.back());
  W.setFromTriplets(entries.begin(), entries.end());
  object.add("W", matrix_to_json(W));
  object.add("q", vector_to_json(drop_unused_rows(problem.sizes, problem.q)));
  object.add("sizes", std::move(sizes));
  object.add("mu", std::move(mu));
  add_bounds(object, problem.bounds);
}

void add_members(JsonValue&, const GlobalConeProblem&) {
  throw InvalidInput("JSON has no place for a global cone problem. Write a .hdf5 file.");
}

}  // namespace

Problem parse_problem_json(std::string text, const std::string& name) {
  const ProblemReader reader(std::move(text), name);
  (void)reader.integer(reader.get("rigor_problem"), "rigor_problem", 1, 1);
  const std::string kind = reader.word("kind");
  Problem problem;
  if (kind == "lcp")
    problem = read_lcp_members(reader);
  else if (kind == "mlcp")
    problem = read_mlcp_members(reader);
  else if (kind == "boxed-lcp")
    problem = read_boxed_members(reader);
  else if (kind == "contact-lcp")
    problem = read_contact_members(reader);
  else if (kind == "cone")
    problem = read_cone_members(reader);
  else
    reader.fail(reader.get("kind"), "kind", quote_for_message(kind),
                "must be one of lcp, mlcp, boxed-lcp, contact-lcp, cone");
  // what the members together must satisfy
  try {
    validate(problem);
  } catch (const InvalidInput& error) {
    const std::string message = error.what();
    reader.fail(reader.root(), "", "", message.substr(0, message.find_last_not_of('.') + 1));
  }
  return problem;
}

std::string to_json(const Problem& problem) {
  JsonValue object{JsonValue::Object{}};
  object.add("rigor_problem", 1);
  object.add("kind", std::holds_alternative<SparseLcpProblem>(problem)    ? "lcp"
                     : std::holds_alternative<SparseConeProblem>(problem) ? "cone"
                                                                          : kind_name(problem));
  std::visit([&](const auto& p) { add_members(object, p); }, problem);
  return write_json(object) + "\n";
}

}  // namespace rigor
