#include "rigor/io/fclib.hpp"

#include "rigor/base/require.hpp"

#ifdef RIGOR_HAVE_HDF5
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "rigor/io/hdf5_arrays.hpp"
#include "rigor/io/source_text.hpp"

namespace rigor {
namespace {

constexpr double kMaxDimension = 3e8;

using Sparse = Eigen::SparseMatrix<double>;

/// An HDF5 handle that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT: it is used as one everywhere
  [[nodiscard]] bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// Every dataset that a problem may have.
std::vector<std::string> list_places() {
  std::vector<std::string> places;
  const auto add = [&](const std::string& group, const std::vector<const char*>& matrices,
                       const std::vector<const char*>& vectors) {
    places.push_back(group + "/spacedim");
    for (const char* matrix : matrices)
      for (const char* part : {"m", "n", "nz", "p", "i", "x"})
        places.push_back(fmt::format("{}/{}/{}", group, matrix, part));
    for (const char* vector : vectors) places.push_back(fmt::format("{}/vectors/{}", group, vector));
  };
  add("/fclib_local", {"W", "V", "R"}, {"q", "s", "mu"});
  add("/fclib_global", {"M", "H", "G"}, {"f", "w", "b", "mu"});
  return places;
}

/// The datasets of one file and its name, for the messages.
struct File {
  std::string name;
  Hdf5Arrays arrays;

  // A dataset, or a group with one below it.
  [[nodiscard]] bool has(const std::string& place) const {
    const auto found = arrays.lower_bound(place);
    return found != arrays.end() && (found->first == place || found->first.starts_with(place + "/"));
  }

  [[nodiscard]] const Eigen::VectorXd& read(const std::string& place) const {
    const auto found = arrays.find(place);
    require(found != arrays.end(), "{}: {} is missing, must be a dataset of an FCLIB problem.", name, place);
    return found->second;
  }

  [[nodiscard]] int read_integer(const std::string& place, double least, double most) const {
    const Eigen::VectorXd& values = read(place);
    require(values.size() >= 1, "{}: {} is empty, must hold a number.", name, place);
    require(values[0] >= least && values[0] <= most && values[0] == std::floor(values[0]),
            "{}: {} = {}, must be a whole number from {} to {}.", name, place, values[0], least, most);
    return static_cast<int>(values[0]);
  }
};

/// A matrix as it stands in the file.
struct Stored {
  int m, n, nz;
  Eigen::VectorXd p, i, x;
};

void require_index(const File& file, const std::string& where, double value, int end) {
  require(value >= 0.0 && value < end && value == std::floor(value),
          "{}: {} holds the index {}, must be a whole number from 0 to {}.", file.name, where, value,
          end - 1);
}

void add_triplets(const File& file, const std::string& group, const Stored& s,
                  std::vector<Eigen::Triplet<double>>& entries) {
  require(s.p.size() >= s.nz && s.i.size() >= s.nz && s.x.size() >= s.nz,
          "{}: {} has {} triplets and {}, {}, {} entries of p, i, x; must be at least as many.", file.name,
          group, s.nz, s.p.size(), s.i.size(), s.x.size());
  // p is the column, unless it cannot be
  bool p_is_column = true;
  for (int k = 0; k < s.nz; ++k) p_is_column = p_is_column && s.p[k] < s.n && s.i[k] < s.m;
  const Eigen::VectorXd& row = p_is_column ? s.i : s.p;
  const Eigen::VectorXd& column = p_is_column ? s.p : s.i;
  for (int k = 0; k < s.nz; ++k) {
    require_index(file, group + (p_is_column ? "/i" : "/p"), row[k], s.m);
    require_index(file, group + (p_is_column ? "/p" : "/i"), column[k], s.n);
    entries.emplace_back(static_cast<int>(row[k]), static_cast<int>(column[k]), s.x[k]);
  }
}

void add_compressed(const File& file, const std::string& group, const Stored& s,
                    std::vector<Eigen::Triplet<double>>& entries) {
  const bool by_columns = s.nz == -1;
  const int outer = by_columns ? s.n : s.m, inner = by_columns ? s.m : s.n;
  require(s.p.size() >= outer + 1, "{}: {}/p has {} entries, must have {}.", file.name, group, s.p.size(),
          outer + 1);
  const auto stored = static_cast<int>(std::min(s.i.size(), s.x.size()));
  for (int k = 0; k <= outer; ++k) {
    require_index(file, group + "/p", s.p[k], stored + 1);
    if (k > 0)
      require(s.p[k] >= s.p[k - 1], "{}: {}/p falls from {} to {}, must not.", file.name, group, s.p[k - 1],
              s.p[k]);
  }
  for (int k = 0; k < outer; ++k)
    for (int e = static_cast<int>(s.p[k]); e < static_cast<int>(s.p[k + 1]); ++e) {
      require_index(file, group + "/i", s.i[e], inner);
      const int other = static_cast<int>(s.i[e]);
      entries.emplace_back(by_columns ? other : k, by_columns ? k : other, s.x[e]);
    }
}

// `rows` and `columns` are what the vectors say: memory is taken in proportion to them, not to what m and n
// claim.
Sparse read_matrix(const File& file, const std::string& group, Eigen::Index rows, Eigen::Index columns) {
  Stored s{file.read_integer(group + "/m", 0, kMaxDimension),
           file.read_integer(group + "/n", 0, kMaxDimension),
           file.read_integer(group + "/nz", -2, kMaxDimension),
           file.read(group + "/p"),
           file.read(group + "/i"),
           file.read(group + "/x")};
  require(s.m == rows && s.n == columns, "{}: {} is {} x {}, must be {} x {} by the length of the vectors.",
          file.name, group, s.m, s.n, rows, columns);
  std::vector<Eigen::Triplet<double>> entries;
  if (s.nz >= 0)
    add_triplets(file, group, s, entries);
  else
    add_compressed(file, group, s, entries);
  Sparse matrix(s.m, s.n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Eigen::VectorXd read_mu(const File& file, const std::string& group) {
  Eigen::VectorXd mu = file.read(group + "/vectors/mu");
  for (Eigen::Index i = 0; i < mu.size(); ++i)
    require(std::isfinite(mu[i]) && mu[i] >= 0.0, "{}: mu of contact {} is {}, must be finite and >= 0.",
            file.name, i, mu[i]);
  return mu;
}

// Are all of them there? Some without the others are no problem that anybody can solve.
bool require_together(const File& file, const std::string& group, const std::vector<std::string>& parts) {
  const auto is_there = [&](const std::string& part) { return file.has(group + part); };
  const auto count = std::count_if(parts.begin(), parts.end(), is_there);
  for (const std::string& part : parts)
    require(count == 0 || is_there(part),
            "{}: {}{} is missing, must be there with the other data of its equality constraints.", file.name,
            group, part);
  return count > 0;
}

// W ← [W V; Vᵀ R], q ← (q, s), and a bilateral row per entry of s
void add_bilateral(const File& file, const std::string& group, Sparse& W, Eigen::VectorXd& q,
                   std::vector<ConeBlock>& blocks) {
  const Eigen::VectorXd s = file.read(group + "/vectors/s");
  const Eigen::Index m = q.size(), p = s.size();
  const Sparse V = read_matrix(file, group + "/V", m, p), R = read_matrix(file, group + "/R", p, p);
  std::vector<Eigen::Triplet<double>> entries;
  const auto put = [&](const Sparse& matrix, Eigen::Index row, Eigen::Index column, bool transposed) {
    for (int c = 0; c < matrix.outerSize(); ++c)
      for (Sparse::InnerIterator it(matrix, c); it; ++it) {
        const Eigen::Index i = transposed ? it.col() : it.row(), j = transposed ? it.row() : it.col();
        entries.emplace_back(static_cast<int>(row + i), static_cast<int>(column + j), it.value());
      }
  };
  put(W, 0, 0, false);
  put(V, 0, m, false);
  put(V, m, 0, true);
  put(R, m, m, false);
  W.resize(m + p, m + p);
  W.setFromTriplets(entries.begin(), entries.end());
  q.conservativeResize(m + p);
  q.tail(p) = s;
  for (Eigen::Index k = 0; k < p; ++k)
    blocks.push_back({static_cast<int>(m + k), 1, 0.0, RowBounds::bilateral()});
}

Problem read_local(const File& file) {
  const std::string group = "/fclib_local";
  const int dimension = file.read_integer(group + "/spacedim", 2, 3);
  Eigen::VectorXd q = file.read(group + "/vectors/q");
  const Eigen::VectorXd mu = read_mu(file, group);
  require(q.size() == dimension * mu.size(), "{}: q has {} entries and mu {}; must be {} n and n.", file.name,
          q.size(), mu.size(), dimension);
  Sparse W = read_matrix(file, group + "/W", q.size(), q.size());
  std::vector<ConeBlock> blocks;
  for (Eigen::Index i = 0; i < mu.size(); ++i)
    blocks.push_back({static_cast<int>(i) * dimension, dimension, mu[i]});
  if (require_together(file, group, {"/V", "/R", "/vectors/s"})) add_bilateral(file, group, W, q, blocks);
  SparseConeProblem problem = make_sparse_cone(W, q, blocks);
  problem.validate();
  return problem;
}

Problem read_global(const File& file) {
  const std::string group = "/fclib_global";
  GlobalConeProblem problem;
  problem.dimension = file.read_integer(group + "/spacedim", 2, 3);
  problem.mu = read_mu(file, group);
  problem.f = file.read(group + "/vectors/f");
  problem.w = file.read(group + "/vectors/w");
  problem.M = read_matrix(file, group + "/M", problem.f.size(), problem.f.size());
  problem.H = read_matrix(file, group + "/H", problem.f.size(), problem.w.size());
  if (require_together(file, group, {"/G", "/vectors/b"})) {
    problem.b = file.read(group + "/vectors/b");
    problem.G = read_matrix(file, group + "/G", problem.f.size(), problem.b.size());
  }
  problem.validate();
  return problem;
}

/// A file that is being written; the first failure is remembered.
class FclibWriter {
 public:
  explicit FclibWriter(hid_t file) : file_(file) {}

  void group(const std::string& place) {
    const Handle made(H5Gcreate2(file_, place.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    failed_ = failed_ || !made.is_open();
  }
  void text(const std::string& place, const std::string& value) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, value.size() + 1);
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    write(place, type, type, space, value.c_str());
  }
  void numbers(const std::string& place, const Eigen::VectorXd& values) {
    array(place, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, static_cast<hsize_t>(values.size()), values.data());
  }
  void integers(const std::string& place, const std::vector<int>& values) {
    array(place, H5T_STD_I32LE, H5T_NATIVE_INT, values.size(), values.data());
  }
  template <int Order>
  void matrix(const std::string& place, const Eigen::SparseMatrix<double, Order>& matrix) {
    group(place);
    integers(place + "/m", {static_cast<int>(matrix.rows())});
    integers(place + "/n", {static_cast<int>(matrix.cols())});
    integers(place + "/nz", {Order == Eigen::RowMajor ? -2 : -1});
    integers(place + "/nzmax", {static_cast<int>(matrix.nonZeros())});
    integers(place + "/p", {matrix.outerIndexPtr(), matrix.outerIndexPtr() + matrix.outerSize() + 1});
    integers(place + "/i", {matrix.innerIndexPtr(), matrix.innerIndexPtr() + matrix.nonZeros()});
    numbers(place + "/x", Eigen::Map<const Eigen::VectorXd>(matrix.valuePtr(), matrix.nonZeros()));
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  void array(const std::string& place, hid_t stored, hid_t given, hsize_t count, const void* data) {
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    write(place, stored, given, space, data);
  }
  void write(const std::string& place, hid_t stored, hid_t given, hid_t space, const void* data) {
    const Handle made(H5Dcreate2(file_, place.c_str(), stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                      H5Dclose);
    failed_ = failed_ || !made.is_open() || H5Dwrite(made, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0;
  }

  hid_t file_;
  bool failed_{false};
};

void write_info(FclibWriter& out, const std::string& group, const FclibInfo& info) {
  out.group(group + "/info");
  out.text(group + "/info/title", info.title);
  out.text(group + "/info/description", info.description);
  out.text(group + "/info/math_info", "");
}

void write_solution(FclibWriter& out, const Eigen::VectorXd& u, const Eigen::VectorXd& r,
                    const Eigen::VectorXd& l) {
  out.group("/solution");
  out.numbers("/solution/u", u);
  out.numbers("/solution/r", r);
  if (l.size() > 0) out.numbers("/solution/l", l);
}

bool is_bilateral(const SparseConeProblem& problem, std::size_t i) {
  return !problem.bounds.empty() && problem.bounds[i].is_bilateral();
}

/// Where the rows of a local problem go: contacts of d rows each, then bilateral rows.
struct LocalRows {
  int d{3}, contacts{0}, bilateral{0};
  std::vector<int> first;  // per block: among the rows of contacts or of bilateral rows

  explicit LocalRows(const SparseConeProblem& problem) {
    bool is_planar = true;
    for (std::size_t i = 0; i < problem.sizes.size(); ++i) {
      if (is_bilateral(problem, i)) continue;
      is_planar = is_planar && problem.sizes[i] == 2;
      ++contacts;
    }
    if (is_planar && contacts > 0) d = 2;
    contacts = 0;
    for (std::size_t i = 0; i < problem.sizes.size(); ++i)
      first.push_back(is_bilateral(problem, i) ? bilateral++ : d * contacts++);
  }
};

// The rows of the contacts of a vector, and those of the bilateral rows.
Eigen::VectorXd pick_rows(const SparseConeProblem& problem, const LocalRows& rows, const Eigen::VectorXd& x,
                          bool of_bilateral) {
  Eigen::VectorXd picked(of_bilateral ? rows.bilateral : rows.d * rows.contacts);
  for (std::size_t i = 0; i < rows.first.size(); ++i)
    if (is_bilateral(problem, i) == of_bilateral) {
      const int size = of_bilateral ? 1 : rows.d;
      picked.segment(rows.first[i], size) = x.segment(3 * static_cast<Eigen::Index>(i), size);
    }
  return picked;
}

/// W, V and R; the file has no place for a W whose Vᵀ is not that of V.
struct LocalMatrices {
  LocalRows rows;
  Eigen::SparseMatrix<double, Eigen::RowMajor> W, V, R;

  LocalMatrices(const SparseConeProblem& problem, const std::string& name) : rows(problem) {
    const int m = rows.d * rows.contacts, p = rows.bilateral;
    std::vector<Eigen::Triplet<double>> parts[2][2];
    for (std::size_t i = 0; i < rows.first.size(); ++i)
      for (int k = problem.pattern.begin[i]; k < problem.pattern.begin[i + 1]; ++k) {
        const auto j = static_cast<std::size_t>(problem.pattern.column[static_cast<std::size_t>(k)]);
        const bool from = is_bilateral(problem, i), to = is_bilateral(problem, j);
        for (int a = 0; a < (from ? 1 : rows.d); ++a)
          for (int b = 0; b < (to ? 1 : rows.d); ++b)
            if (const double value = problem.values[static_cast<std::size_t>(k)](a, b); value != 0.0)
              parts[from][to].emplace_back(rows.first[i] + a, rows.first[j] + b, value);
      }
    const auto fill = [](auto& matrix, int m_rows, int n_columns, const auto& entries) {
      matrix.resize(m_rows, n_columns);
      matrix.setFromTriplets(entries.begin(), entries.end());
    };
    fill(W, m, m, parts[0][0]);
    fill(V, m, p, parts[0][1]);
    fill(R, p, p, parts[1][1]);
    Eigen::SparseMatrix<double, Eigen::RowMajor> mirror;
    fill(mirror, p, m, parts[1][0]);
    const Eigen::SparseMatrix<double, Eigen::RowMajor> V_transposed = V.transpose();
    require(p == 0 || m == 0 || (mirror - V_transposed).norm() == 0.0,
            "{}: the bilateral rows of W differ from its bilateral columns, must be the same: FCLIB stores V "
            "once. Write a .json file.",
            name);
  }
};

void write_local(FclibWriter& out, const SparseConeProblem& problem, const LocalMatrices& matrices,
                 const FclibInfo& info, const Eigen::VectorXd& r) {
  const LocalRows& rows = matrices.rows;
  out.group("/fclib_local");
  out.integers("/fclib_local/spacedim", {rows.d});
  out.matrix("/fclib_local/W", matrices.W);
  out.group("/fclib_local/vectors");
  out.numbers("/fclib_local/vectors/q", pick_rows(problem, rows, problem.q, false));
  Eigen::VectorXd mu(rows.contacts);
  for (std::size_t i = 0; i < rows.first.size(); ++i)
    if (!is_bilateral(problem, i)) mu[rows.first[i] / rows.d] = problem.mu[static_cast<Eigen::Index>(i)];
  out.numbers("/fclib_local/vectors/mu", mu);
  if (rows.bilateral > 0) {
    out.matrix("/fclib_local/V", matrices.V);
    out.matrix("/fclib_local/R", matrices.R);
    out.numbers("/fclib_local/vectors/s", pick_rows(problem, rows, problem.q, true));
  }
  write_info(out, "/fclib_local", info);
  if (r.size() == 0) return;
  const Eigen::VectorXd all = add_unused_rows(problem.sizes, r);
  Eigen::VectorXd u;
  compute_cone_velocity(problem, all, u);
  write_solution(out, pick_rows(problem, rows, u, false), pick_rows(problem, rows, all, false),
                 pick_rows(problem, rows, all, true));
}

void write_global(FclibWriter& out, const GlobalConeProblem& problem, const FclibInfo& info,
                  const Eigen::VectorXd& r) {
  out.group("/fclib_global");
  out.integers("/fclib_global/spacedim", {problem.dimension});
  out.matrix("/fclib_global/M", problem.M);
  out.matrix("/fclib_global/H", problem.H);
  out.group("/fclib_global/vectors");
  out.numbers("/fclib_global/vectors/f", problem.f);
  out.numbers("/fclib_global/vectors/w", problem.w);
  out.numbers("/fclib_global/vectors/mu", problem.mu);
  if (problem.b.size() > 0) {
    out.matrix("/fclib_global/G", problem.G);
    out.numbers("/fclib_global/vectors/b", problem.b);
  }
  write_info(out, "/fclib_global", info);
  if (r.size() == 0) return;
  const GlobalConeReduction reduction(problem);
  const Eigen::VectorXd v = reduction.compute_velocity(add_unused_rows(reduction.local().sizes, r));
  write_solution(out, problem.H.transpose() * v + problem.w, r.head(problem.w.size()),
                 r.tail(problem.b.size()));
  out.numbers("/solution/v", v);
}

// Rows with bounds that are neither those of a limit nor none at all.
bool has_boxes(const std::vector<RowBounds>& bounds) {
  return std::any_of(bounds.begin(), bounds.end(),
                     [](const RowBounds& b) { return !b.is_one_sided() && !b.is_bilateral(); });
}

}  // namespace

bool has_fclib() {
  return true;
}

Problem read_fclib(const std::filesystem::path& path) {
  const File file{path.string(), read_hdf5_arrays(path, list_places())};
  if (file.has("/fclib_local")) return read_local(file);
  require(file.has("/fclib_global"),
          "{}: has neither /fclib_local nor /fclib_global, must have one: FCLIB problems with 2 or 3 rows "
          "per contact "
          "are read.",
          path.string());
  return read_global(file);
}

void write_fclib(const Problem& problem, const FclibInfo& info, const Eigen::VectorXd& given,
                 const std::filesystem::path& path) {
  std::optional<SparseConeProblem> made;
  Eigen::VectorXd r = given;
  const auto* local = std::get_if<SparseConeProblem>(&problem);
  const auto* global = std::get_if<GlobalConeProblem>(&problem);
  if (const auto* dense = std::get_if<ConeProblem>(&problem)) {
    made = make_sparse_cone(*dense);
    local = &*made;
    // block after block
    Eigen::Index next = 0;
    if (r.size() > 0)
      for (const ConeBlock& block : dense->blocks) {
        r.segment(next, block.size) = given.segment(block.first, block.size);
        next += block.size;
      }
  }
  require(local || global, "{}: FCLIB files hold cone problems, this is a {}. Write a .json file.",
          path.string(), kind_name(problem));
  require(!local || !has_boxes(local->bounds),
          "{}: FCLIB has no place for boxed rows, which this problem has. Write a .json file.",
          path.string());
  std::optional<LocalMatrices> matrices;
  if (local) matrices.emplace(*local, path.string());
  const std::string image = make_hdf5_image([&](std::int64_t file) {
    FclibWriter out(file);
    if (local)
      write_local(out, *local, *matrices, info, r);
    else
      write_global(out, *global, info, r);
    return !out.failed();
  });
  require(!image.empty(), "{}: libhdf5 cannot write this problem.", path.string());
  try {
    write_text_file(path, image);
  } catch (const std::runtime_error& error) {
    throw InvalidInput(error.what());
  }
}

}  // namespace rigor

#else

namespace rigor {
namespace {

constexpr const char* kMissing =
    "{}: this program was built without HDF5 and cannot read or write FCLIB files. Install libhdf5-dev and "
    "build again.";

}  // namespace

bool has_fclib() {
  return false;
}

Problem read_fclib(const std::filesystem::path& path) {
  require(false, kMissing, path.string());
  return {};
}

void write_fclib(const Problem&, const FclibInfo&, const Eigen::VectorXd&,
                 const std::filesystem::path& path) {
  require(false, kMissing, path.string());
}

}  // namespace rigor

#endif
