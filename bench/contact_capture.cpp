#include "bench/contact_capture.hpp"

#include <algorithm>
#include <cmath>
#include <istream>
#include <ostream>
#include <type_traits>
#include <utility>

#include "rigor/base/index.hpp"
#include "rigor/base/require.hpp"
#include "rigor/stepping/simulation.hpp"

namespace rigor {
namespace {

// From the island's rows to three per contact.
Eigen::VectorXd pad(const UnitConeProblem& problem, const Eigen::VectorXd& rows) {
  Eigen::VectorXd padded = Eigen::VectorXd::Zero(3 * static_cast<Eigen::Index>(problem.contacts.size()));
  Eigen::Index first = 0, place = 0;
  for (const UnitConeProblem::Contact& contact : problem.contacts) {
    padded.segment(place, contact.size) = rows.segment(first, contact.size);
    first += contact.size;
    place += 3;
  }
  return padded;
}

// Of a start, zero where it is empty, over ‖q‖₂.
double find_residual(const UnitConeProblem& problem, const Eigen::VectorXd& start) {
  UnitConeMatrix W;
  W.set(problem);
  ScaledCone cone;
  scale_captured(W, problem, cone);
  Eigen::VectorXd r = Eigen::VectorXd::Zero(cone.q.size()), u;
  if (start.size() > 0) cone.from_given(start, r);
  cone.compute_velocity(r, u);
  return cone.residual(r, u);
}

}  // namespace

int size_class_of(int contacts) {
  const auto* const above = std::upper_bound(std::begin(kSizeClasses), std::end(kSizeClasses), contacts);
  return static_cast<int>(above - std::begin(kSizeClasses)) - 1;
}

void ContactCapture::begin_step(const std::string& scene, long step, bool is_wanted) {
  scene_ = scene;
  step_ = step;
  wanted_ = is_wanted;
  round_ = 0;
}

std::vector<CapturedContacts> ContactCapture::take() {
  std::vector<CapturedContacts> all;
  for (Class& each : classes_) {
    std::move(each.kept.begin(), each.kept.end(), std::back_inserter(all));
    each = {};
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.contacts() < b.contacts(); });
  return all;
}

bool ContactCapture::is_wanted(const ContactQuestion& question) const {
  const auto contacts = static_cast<int>(question.island.blocks.size());
  return wanted_ && round_ == 1 && contacts >= options_.fewest && contacts <= options_.most;
}

int ContactCapture::capacity_of(int size_class) const {
  return at(size_class + 1) == std::size(kSizeClasses) ? (options_.per_class + 1) / 2 : options_.per_class;
}

void ContactCapture::see_question(const ContactQuestion& question, const ContactAnswer& start) {
  if (!is_wanted(question)) return;
  next_.start.resize(0);
  if (start.has_start) next_.start = start.r;
  next_.slid = start.start_slid;
  next_.start_freedom = start.start_freedom;
}

void ContactCapture::see_answer(const ContactQuestion& question, const ContactAnswer& answer) {
  if (!is_wanted(question) || answer.r.size() != question.island.rows) return;
  question.rows.assemble_units(question.island, question.u_free, false, assembly_);
  Eigen::VectorXd start;
  if (next_.start.size() == question.island.rows) start = pad(assembly_.problem, next_.start);
  if (!(find_residual(assembly_.problem, start) >= options_.least_residual)) return;
  const int size_class = size_class_of(static_cast<int>(question.island.blocks.size()));
  Class& of = classes_[size_class];
  const int capacity = capacity_of(size_class);
  auto place = at(of.seen);
  if (of.seen >= capacity) place = at(random_.below(of.seen + 1));
  ++of.seen;
  if (place >= at(capacity)) return;
  CapturedContacts captured{scene_,
                            step_,
                            assembly_.problem,
                            std::move(start),
                            next_.slid,
                            next_.start_freedom,
                            LargeConeLaw::takes(question.rows, question.island),
                            pad(assembly_.problem, answer.r),
                            answer.residual,
                            std::string(answer.method)};
  if (place < of.kept.size())
    of.kept[place] = std::move(captured);
  else
    of.kept.push_back(std::move(captured));
}

std::vector<CapturedContacts> capture_scene(const std::string& name, Scene scene, const CaptureRun& run,
                                            const CaptureOptions& options) {
  scene.run.tolerance = run.tolerance;
  scene.run.overlap = 1e-4;
  scene.run.work = 1e8;
  scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
  Simulation simulation(scene);
  simulation.set_reuse(false);
  ContactCapture capture(options);
  simulation.watch_contacts(&capture);
  const long steps = std::lround(run.seconds / scene.run.dt);
  for (long k = 0; k < steps; ++k) {
    capture.begin_step(name, k, k % run.every == 0);
    if (!simulation.step().is_taken()) break;
  }
  return capture.take();
}

ConeProblem make_dense_cone(const UnitConeProblem& units) {
  ConeProblem dense;
  Eigen::Index rows = 0;
  for (std::size_t c = 0; c < units.contacts.size(); ++c) {
    const int size = units.contacts[c].size;
    dense.blocks.push_back({static_cast<int>(rows), size, units.mu[static_cast<Eigen::Index>(c)]});
    rows += size;
  }
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(3 * static_cast<Eigen::Index>(units.nodes()), rows);
  dense.q.resize(rows);
  for (std::size_t c = 0; c < units.contacts.size(); ++c) {
    const UnitConeProblem::Contact& contact = units.contacts[c];
    const int first = dense.blocks[c].first;
    dense.q.segment(first, contact.size) = units.q.segment(3 * static_cast<Eigen::Index>(c), contact.size);
    for (int p = 0; p < contact.part_count; ++p) {
      const auto& [unit, half] = contact.parts[p];
      const int begin = units.node_begin[at(unit)], end = units.node_begin[at(unit + 1)];
      for (int node = begin; node < end; ++node)
        for (int column = 0; column < contact.size; ++column)
          for (int row = 0; row < 3; ++row)
            Y(3 * node + row, first + column) += units.half[at(half + node - begin)](row, column);
    }
  }
  dense.W.noalias() = Y.transpose() * Y;
  for (std::size_t c = 0; c < units.contacts.size(); ++c)
    dense.W(dense.blocks[c].first, dense.blocks[c].first) += units.contacts[c].compliance;
  return dense;
}

void scale_captured(ConeMatrix& W, const UnitConeProblem& problem, ScaledCone& cone) {
  cone.set(W, problem.q, problem.mu);
  double trace = 0.0;
  int rows = 0;
  for (int i = 0; i < cone.contacts(); ++i) {
    const double unit = 1.0 / (W.scale()[i] * W.scale()[i]);
    for (int k = 0; k < problem.contacts[at(i)].size; ++k, ++rows) trace += unit * W.diagonal()[at(i)](k, k);
  }
  cone.impulse_unit = trace > 0.0 ? trace / rows : 1.0;
  const double norm = problem.q.norm();
  cone.divisor = norm > 0.0 ? norm : 1.0;
}

// As they lie in memory: each a number of entries, then the entries.
namespace {

constexpr char kMark[16] = "rigor contacts1";

template <class T>
void write(std::ostream& out, const T* values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::uint64_t size = count;
  out.write(reinterpret_cast<const char*>(&size), sizeof(size));
  out.write(reinterpret_cast<const char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
}

template <class T>
void write_all(std::ostream& out, const T& values) {
  write(out, values.data(), static_cast<std::size_t>(values.size()));
}

template <class T>
void read_all(std::istream& in, T& values) {
  std::uint64_t size = 0;
  in.read(reinterpret_cast<char*>(&size), sizeof(size));
  require(in.good() && size < (1u << 30), "captured problems: the file ends early.");
  values.resize(static_cast<decltype(values.size())>(size));
  in.read(reinterpret_cast<char*>(values.data()),
          static_cast<std::streamsize>(size * sizeof(*values.data())));
  require(in.good(), "captured problems: the file ends early.");
}

struct Numbers {
  long step;
  int start_freedom;
  bool slid, is_large;
  double residual;
};

}  // namespace

void write_captured(const std::vector<CapturedContacts>& problems, std::ostream& out) {
  out.write(kMark, sizeof(kMark));
  for (const CapturedContacts& each : problems) {
    const Numbers numbers[1] = {{each.step, each.start_freedom, each.slid, each.is_large, each.residual}};
    write_all(out, each.scene);
    write(out, numbers, 1);
    write_all(out, each.method);
    write_all(out, each.problem.node_begin);
    write_all(out, each.problem.half);
    write_all(out, each.problem.contacts);
    for (const Eigen::VectorXd* x : {&each.problem.q, &each.problem.mu, &each.start, &each.taken})
      write_all(out, *x);
  }
}

std::vector<CapturedContacts> read_captured(std::istream& in) {
  char mark[sizeof(kMark)]{};
  in.read(mark, sizeof(mark));
  require(in.good() && std::equal(std::begin(mark), std::end(mark), kMark),
          "captured problems: the file is of another kind.");
  std::vector<CapturedContacts> problems;
  while (in.peek() != std::istream::traits_type::eof()) {
    CapturedContacts& each = problems.emplace_back();
    std::vector<Numbers> numbers;
    read_all(in, each.scene);
    read_all(in, numbers);
    require(numbers.size() == 1, "captured problems: the file is not whole.");
    each.step = numbers[0].step;
    each.start_freedom = numbers[0].start_freedom;
    each.slid = numbers[0].slid;
    each.is_large = numbers[0].is_large;
    each.residual = numbers[0].residual;
    read_all(in, each.method);
    read_all(in, each.problem.node_begin);
    read_all(in, each.problem.half);
    read_all(in, each.problem.contacts);
    for (Eigen::VectorXd* x : {&each.problem.q, &each.problem.mu, &each.start, &each.taken}) read_all(in, *x);
  }
  return problems;
}

}  // namespace rigor
