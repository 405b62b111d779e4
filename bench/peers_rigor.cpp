// Rigor as one row of a harness that runs several engines on the same scenes: it reads the harness's scene
// file, steps, writes the poses and prints the time per step. bench/README.md says how to run it.
//
//   peers_rigor VARIANT SCENE TRACE [LIMIT]      LIMIT: s of CPU time, 20 where absent
//
// VARIANT: cone (tolerance 1e-10 m/s), coneD (1e-D), coneDxN (the same, with at most N sweeps and Newton
// steps on a large island). A step that does not reach its tolerance is taken at its best residual and
// counted.
//
// Scene, one item a line, SI units, z up:
//   h, T, sample, mu, gravity x y z, planar 0|1 (1: in the plane x, z), plane nx ny nz d (free: n·x ≥ d),
//   body m ixx iyy izz  p(3) q(4, w first) v(3) w(3)  sphere r | box hx hy hz (halves) | hull n x y z …,
//   hinge a b p(3) axis(3)  (-1: the world)
// Trace, raw doubles: at every sample t, then x y z qw qx qy qz of each body.
// Output: OK steps wall_s cpu_s us_median us_last_quarter all_steps(0|1), then a line with stages and
// certificate; RIGOR_PEERS_LOG names a file to which that line is appended.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bench/measure.hpp"
#include "rigor/base/require.hpp"
#include "rigor/dynamics/kinematics.hpp"
#include "rigor/stepping/simulation.hpp"

namespace rigor {
namespace {

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Eigen::Vector3d read_vector(std::istream& in) {
  double x = 0.0, y = 0.0, z = 0.0;
  in >> x >> y >> z;
  return {x, y, z};
}

struct HarnessScene {
  Scene scene;
  double sample{0.0};  // s
};

void read_body(std::istream& in, HarnessScene& out) {
  Body body;
  body.name = fmt::format("b{}", out.scene.bodies.size());
  double mass = 0.0;
  in >> mass;
  body.mass = mass;
  const Eigen::Vector3d inertia = read_vector(in);
  body.inertia = {inertia.x(), inertia.y(), inertia.z()};
  body.pose.position = read_vector(in);
  Eigen::Quaterniond& q = body.pose.rotation;
  in >> q.w() >> q.x() >> q.y() >> q.z();
  q.normalize();
  body.velocity.linear = read_vector(in);
  body.velocity.angular = read_vector(in);
  ShapeInstance shape;
  shape.material = "stone";
  std::string kind;
  in >> kind;
  if (kind == "sphere") {
    double radius = 0.0;
    in >> radius;
    shape.geometry = Sphere{radius};
  } else if (kind == "box") {
    shape.geometry = Box{2.0 * read_vector(in)};
  } else {
    require(kind == "hull", "a body's shape is \"{}\", must be sphere, box or hull.", kind);
    int count = 0;
    in >> count;
    Hull hull;
    for (int k = 0; k < count; ++k) hull.points.push_back(read_vector(in));
    shape.geometry = hull;
  }
  require(!in.fail(), "body {} of the scene is cut short.", body.name);
  body.shapes.push_back(shape);
  out.scene.bodies.push_back(body);
}

// A hinge makes its second body a child of the first: the harness's scenes have no loops.
void read_hinge(std::istream& in, HarnessScene& out) {
  int a = 0, b = 0;
  in >> a >> b;
  const Eigen::Vector3d point = read_vector(in), axis = read_vector(in);
  require(!in.fail() && a >= -1 && b > a && b < static_cast<int>(out.scene.bodies.size()),
          "hinge {} {}: must join a body, or -1, to a later body.", a, b);
  Body& body = out.scene.bodies[static_cast<std::size_t>(b)];
  body.joint.type = JointType::kRevolute;
  body.joint.pose.position = body.pose.rotation.inverse() * (point - body.pose.position);
  body.joint.axis = body.pose.rotation.inverse() * axis.normalized();
  if (a >= 0) body.joint.parent = out.scene.bodies[static_cast<std::size_t>(a)].name;
}

HarnessScene read_scene(const std::string& file) {
  std::ifstream in(file);
  require(in.good(), "{}: cannot be opened.", file);
  HarnessScene out;
  Scene& scene = out.scene;
  Material stone;
  stone.name = "stone";
  scene.materials.push_back(stone);
  std::string line, key;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    words >> key;
    if (key == "h") words >> scene.run.dt;
    if (key == "T") words >> scene.run.until;
    if (key == "sample") words >> out.sample;
    if (key == "mu") words >> scene.materials[0].mu.along;
    if (key == "gravity") scene.gravity = read_vector(words);
    if (key == "body") read_body(words, out);
    if (key == "hinge") read_hinge(words, out);
    if (key == "planar") {
      int planar = 0;
      words >> planar;
      if (planar != 0) scene.planar = Plane::kXZ;
    }
    if (key == "plane") {
      ShapeInstance plane;
      plane.geometry = HalfSpace{};
      plane.material = "stone";
      const Eigen::Vector3d normal = read_vector(words);
      double distance = 0.0;
      words >> distance;
      plane.pose.position = distance * normal;
      plane.pose.rotation = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), normal);
      scene.shapes.push_back(plane);
    }
  }
  scene.materials[0].mu.across = scene.materials[0].mu.along;
  // poses of children are relative to their parents
  std::vector<Pose> world;
  for (const Body& body : scene.bodies) world.push_back(body.pose);
  for (Body& body : scene.bodies)
    if (body.joint.parent != kWorld)
      body.pose = inverse(world[std::stoul(body.joint.parent.substr(1))]) * body.pose;
  return out;
}

// coneD…xN: tolerance 1e-D m/s, at most N sweeps and Newton steps on a large island
void read_variant(const std::string& variant, RunSettings& run) {
  int digits = 10, budget = 0, used = 0;
  const bool is_plain = variant == "cone";
  const bool has_digits = std::sscanf(variant.c_str(), "cone%d%n", &digits, &used) == 1;
  const std::string rest = has_digits ? variant.substr(static_cast<std::size_t>(used)) : "";
  const bool has_budget = std::sscanf(rest.c_str(), "x%d%n", &budget, &used) == 1;
  const bool is_known = is_plain || (has_digits && (rest.empty() || has_budget));
  require(is_known && digits >= 1 && digits <= 16 && budget >= 0,
          "variant \"{}\" is not known: cone, coneD or coneDxN with D digits and N iterations.", variant);
  run.tolerance = std::pow(10.0, -digits);
  if (has_budget) run.max_iterations = std::max(1, budget);
}

// The trace of the run: poses of the bodies' frames.
class Trace {
 public:
  explicit Trace(const std::string& file) : out_(file, std::ios::binary) {
    require(out_.good(), "{}: cannot be written.", file);
  }

  void write(const Simulation& simulation, double t) {
    compute_positions(simulation.model(), simulation.state().q, kin_);
    put(t);
    // bodies stand in the order of the file: a chain is its own subtree
    for (BodyIndex b = 1; b < static_cast<BodyIndex>(simulation.model().bodies.size()); ++b) {
      const auto& [p, q] = get_body_pose(simulation.model(), kin_, b);
      for (const double x : {p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()}) put(x);
    }
  }

 private:
  void put(double x) { out_.write(reinterpret_cast<const char*>(&x), sizeof x); }

  std::ofstream out_;
  Kinematics<double> kin_;
};

std::string describe(const RunTotals& totals) {
  const double each = 1e6 / static_cast<double>(std::max(1L, totals.steps));
  return fmt::format(
      "collision {:.1f} assembly {:.1f} solve {:.1f} rest {:.1f} us/step, contacts {}, residual {:.1e} m/s, "
      "overlap {:.1e} m, sticking drift {:.1e} m, unsolved {}",
      each * totals.times.collision, each * totals.times.assembly, each * totals.times.solve,
      each * totals.times.rest, totals.most_contacts, totals.worst_residual, totals.worst_penetration,
      totals.sticking_drift, totals.unsolved_steps);
}

int run(const std::string& variant, const std::string& file, const std::string& trace_file, double limit) {
  HarnessScene harness = read_scene(file);
  read_variant(variant, harness.scene.run);
  harness.scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
  Simulation simulation(harness.scene);
  const double dt = harness.scene.run.dt;
  const long steps = simulation.step_count(), every = std::max(1L, std::lround(harness.sample / dt));
  Trace trace(trace_file);
  trace.write(simulation, 0.0);

  std::vector<double> us;
  double wall = 0.0, cpu = 0.0;
  long k = 0;
  for (; k < steps && cpu < limit; ++k) {
    const double wall_before = wall_seconds(), cpu_before = process_seconds();
    const StepReport report = simulation.step();
    const double took = process_seconds() - cpu_before;
    wall += wall_seconds() - wall_before;
    cpu += took;
    us.push_back(1e6 * took);
    require(report.is_taken(), "step {}: {}", k, report.message);
    if ((k + 1) % every == 0) trace.write(simulation, static_cast<double>(k + 1) * dt);
  }
  if (k % every != 0) trace.write(simulation, static_cast<double>(k) * dt);

  const std::size_t quarter = std::max<std::size_t>(1, us.size() / 4);
  double last = 0.0;
  for (std::size_t i = us.size() - quarter; i < us.size(); ++i) last += us[i] / static_cast<double>(quarter);
  std::nth_element(us.begin(), us.begin() + static_cast<long>(us.size() / 2), us.end());
  fmt::print("OK {} {:.6f} {:.6f} {:.2f} {:.2f} {}\n", k, wall, cpu, us[us.size() / 2], last,
             k == steps ? 1 : 0);
  const std::string line = fmt::format("{} {}: {}\n", std::filesystem::path(file).stem().string(), variant,
                                       describe(simulation.totals()));
  fmt::print("{}", line);
  if (const char* log = std::getenv("RIGOR_PEERS_LOG")) std::ofstream(log, std::ios::app) << line;
  return 0;
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: peers_rigor cone|coneD|coneDxN SCENE TRACE [LIMIT]\n");
    return 2;
  }
  try {
    return rigor::run(argv[1], argv[2], argv[3], argc > 4 ? std::atof(argv[4]) : 20.0);
  } catch (const std::exception& error) {
    fmt::print(stderr, "peers_rigor: {}\n", error.what());
    return 2;
  }
}
