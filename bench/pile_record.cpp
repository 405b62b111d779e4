#include "bench/pile_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "rigor/base/require.hpp"

namespace rigor {
namespace {

// The lines of a file that hold something, and the numbers in them.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& file) : file_(file.string()), in_(file) {
    require(in_.good(), "{}: cannot be opened.", file_);
  }

  bool next() {
    while (std::getline(in_, line_)) {
      ++number_;
      if (const auto comment = line_.find('#'); comment != std::string::npos) line_.resize(comment);
      at_ = line_.c_str();
      skip_blanks();
      if (*at_ != '\0') return true;
    }
    return false;
  }

  std::string take_word() {
    skip_blanks();
    const char* const begin = at_;
    while (*at_ != '\0' && !is_blank(*at_)) ++at_;
    return {begin, at_};
  }

  double take_number() {
    char* end = nullptr;
    const double x = std::strtod(at_, &end);
    if (end == at_ || !std::isfinite(x)) fail("a finite number is missing");
    at_ = end;
    return x;
  }

  Eigen::Vector3d take_vector() {
    const double x = take_number(), y = take_number(), z = take_number();
    return {x, y, z};
  }

  double take_positive(const char* name) {
    const double x = take_number();
    if (!(x > 0.0)) fail(fmt::format("{} = {}, must be > 0", name, x));
    return x;
  }

  int take_count(const char* name) {
    const double x = take_number();
    if (!(x >= 0.0 && x <= 1e9) || x != std::floor(x))
      fail(fmt::format("{} = {}, must be a whole number from 0 to 1e9", name, x));
    return static_cast<int>(x);
  }

  [[nodiscard]] bool has_more() {
    skip_blanks();
    return *at_ != '\0';
  }

  void end_line() {
    if (has_more()) fail(fmt::format("\"{}\" is too much here", at_));
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InvalidInput(fmt::format("{}:{}: {}.", file_, number_, message));
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (is_blank(*at_)) ++at_;
  }

  std::string file_;
  std::ifstream in_;
  std::string line_;
  const char* at_{""};
  int number_{0};
};

SphereMotion take_motion(LineReader& in, bool is_box) {
  const Eigen::Vector3d p = in.take_vector(), v = in.take_vector(), w = in.take_vector();
  if (!is_box) return {p, v, w};
  const double turn = in.take_number();
  const Eigen::Vector3d axis = in.take_vector();
  const Eigen::Quaterniond q(turn, axis.x(), axis.y(), axis.z());
  if (!(std::abs(q.norm() - 1.0) < 1e-3))
    in.fail(fmt::format("a quaternion has length {}, must be 1", q.norm()));
  return {p, v, w, q.normalized()};
}

PileRecord::Frame take_frame(LineReader& in, std::size_t spheres) {
  PileRecord::Frame frame;
  frame.t = in.take_number();
  in.end_line();
  while (frame.centres.size() < spheres) {
    if (!in.next()) in.fail(fmt::format("frame {} ends after {} spheres", frame.t, frame.centres.size()));
    frame.centres.push_back(in.take_vector());
    in.end_line();
  }
  return frame;
}

PileRecord::Step take_step(LineReader& in, const std::vector<PileSphere>& spheres) {
  PileRecord::Step step;
  step.t = in.take_number();
  in.end_line();
  while (step.before.size() < spheres.size()) {
    const bool is_box = spheres[step.before.size()].is_box();
    if (!in.next()) in.fail(fmt::format("step {} ends after {} spheres", step.t, step.before.size()));
    step.before.push_back(take_motion(in, is_box));
    step.after.push_back(take_motion(in, is_box));
    in.end_line();
  }
  return step;
}

PilePlane take_plane(LineReader& in) {
  PilePlane plane{in.take_vector(), in.take_number()};
  if (std::abs(plane.n.norm() - 1.0) > 1e-9)
    in.fail(fmt::format("a plane's normal has length {}, must be 1", plane.n.norm()));
  return plane;
}

PileSphere take_sphere(LineReader& in) {
  PileSphere sphere;
  sphere.mass = in.take_positive("a sphere's mass");
  sphere.radius = in.take_positive("a sphere's radius");
  sphere.start = take_motion(in, false);
  return sphere;
}

PileSphere take_box(LineReader& in) {
  PileSphere box;
  box.mass = in.take_positive("a box's mass");
  for (double& edge : box.size) edge = in.take_positive("a box's edge");
  box.start = take_motion(in, true);
  return box;
}

void take_item(LineReader& in, const std::string& key, PileRecord& record) {
  PileScene& scene = record.scene;
  if (key == "h") {
    scene.h = in.take_positive("h");
  } else if (key == "steps") {
    scene.steps = in.take_count("steps");
  } else if (key == "mu") {
    scene.mu = in.take_number();
    if (scene.mu < 0.0) in.fail(fmt::format("mu = {}, must be >= 0", scene.mu));
  } else if (key == "gravity") {
    scene.gravity = in.take_vector();
  } else if (key == "frames") {
    scene.frames = in.take_count("frames");
  } else if (key == "judged") {
    while (in.has_more()) scene.judged.push_back(in.take_count("a judged step"));
  } else if (key == "limit") {
    scene.limit = in.take_positive("limit");
  } else if (key == "plane") {
    scene.planes.push_back(take_plane(in));
  } else if (key == "sphere") {
    scene.spheres.push_back(take_sphere(in));
  } else if (key == "box") {
    scene.spheres.push_back(take_box(in));
  } else if (key == "frame") {
    record.frames.push_back(take_frame(in, scene.spheres.size()));
  } else if (key == "step") {
    record.steps.push_back(take_step(in, scene.spheres));
  } else {
    in.fail(
        fmt::format("\"{}\" is not known: h, steps, mu, gravity, frames, judged, limit, plane, sphere, box, "
                    "frame or step",
                    key));
  }
  in.end_line();
}

void print(std::FILE* out, const Eigen::Vector3d& x, char end) {
  fmt::print(out, "{} {} {}{}", x[0], x[1], x[2], end);
}

}  // namespace

bool PileScene::has_boxes() const {
  return std::any_of(spheres.begin(), spheres.end(), [](const PileSphere& each) { return each.is_box(); });
}

PileRecord read_pile_record(const std::filesystem::path& file) {
  LineReader in(file);
  if (!in.next() || in.take_word() != "rigor_pile" || in.take_number() != 1.0)
    in.fail("the first line must be \"rigor_pile 1\"");
  in.end_line();
  PileRecord record;
  while (in.next()) take_item(in, in.take_word(), record);
  if (!(record.scene.h > 0.0)) in.fail("\"h\" is missing");
  if (record.scene.spheres.empty()) in.fail("there is no sphere or box");
  return record;
}

PileScene read_pile_scene(const std::filesystem::path& file) {
  PileRecord record = read_pile_record(file);
  require(record.frames.empty() && record.steps.empty(), "{}: is a record, must be a scene.", file.string());
  return record.scene;
}

PileWriter::PileWriter(const PileScene& scene, const std::filesystem::path& file)
    : out_(std::fopen(file.c_str(), "w")) {
  require(out_ != nullptr, "{}: cannot be written.", file.string());
  fmt::print(out_, "rigor_pile 1\nh {}\nsteps {}\nmu {}\ngravity ", scene.h, scene.steps, scene.mu);
  rigor::print(out_, scene.gravity, '\n');
  fmt::print(out_, "frames {}\njudged", scene.frames);
  for (const int step : scene.judged) fmt::print(out_, " {}", step);
  fmt::print(out_, "\n");
  if (scene.limit > 0.0) fmt::print(out_, "limit {}\n", scene.limit);
  for (const PilePlane& plane : scene.planes) {
    fmt::print(out_, "plane ");
    rigor::print(out_, plane.n, ' ');
    fmt::print(out_, "{}\n", plane.d);
  }
  for (const PileSphere& sphere : scene.spheres) {
    is_box_.push_back(sphere.is_box());
    if (sphere.is_box()) {
      fmt::print(out_, "box {} ", sphere.mass);
      rigor::print(out_, sphere.size, ' ');
    } else {
      fmt::print(out_, "sphere {} {} ", sphere.mass, sphere.radius);
    }
    print(sphere.start, is_box_.size() - 1, '\n');
  }
}

void PileWriter::print(const SphereMotion& motion, std::size_t i, char end) {
  rigor::print(out_, motion.p, ' ');
  rigor::print(out_, motion.v, ' ');
  rigor::print(out_, motion.w, is_box_[i] ? ' ' : end);
  if (!is_box_[i]) return;
  const Eigen::Quaterniond& q = motion.turn;
  fmt::print(out_, "{} {} {} {}{}", q.w(), q.x(), q.y(), q.z(), end);
}

PileWriter::~PileWriter() {
  std::fclose(out_);
}

void PileWriter::add_frame(double t, const std::vector<SphereMotion>& motions) {
  fmt::print(out_, "frame {}\n", t);
  for (const SphereMotion& motion : motions) rigor::print(out_, motion.p, '\n');
}

void PileWriter::add_step(double t, const std::vector<SphereMotion>& before,
                          const std::vector<SphereMotion>& after) {
  fmt::print(out_, "step {}\n", t);
  for (std::size_t i = 0; i < before.size(); ++i) {
    print(before[i], i, ' ');
    print(after[i], i, '\n');
  }
}

}  // namespace rigor
