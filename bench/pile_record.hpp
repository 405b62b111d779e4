#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace rigor {

/// How a sphere or box moves: centre [m], its velocity [m/s], spin [rad/s], all in the world, and how a box is turned.
struct SphereMotion {
  Eigen::Vector3d p{Eigen::Vector3d::Zero()}, v{Eigen::Vector3d::Zero()}, w{Eigen::Vector3d::Zero()};
  Eigen::Quaterniond turn{Eigen::Quaterniond::Identity()};
};

/// A solid sphere of even density, moment of inertia 2/5 m r², or a solid box.
struct PileSphere {
  double mass{0.0};                               // kg
  double radius{0.0};                             // m; of a box 0
  SphereMotion start{};                           // at t = 0
  Eigen::Vector3d size{Eigen::Vector3d::Zero()};  // m, of a box along its edges

  [[nodiscard]] bool is_box() const { return radius == 0.0; }
  [[nodiscard]] double inertia() const { return 0.4 * mass * radius * radius; }
  /// About its axes, kg m².
  [[nodiscard]] Eigen::Vector3d inertias() const {
    if (!is_box()) return Eigen::Vector3d::Constant(inertia());
    const Eigen::Vector3d squares = size.cwiseAbs2();
    return mass / 12.0 * (Eigen::Vector3d::Constant(squares.sum()) - squares);
  }
};

/// Free is n·x ≥ d.
struct PilePlane {
  Eigen::Vector3d n{Eigen::Vector3d::UnitZ()};
  double d{0.0};  // m
};

/// Spheres or boxes and half-spaces with one coefficient of friction, for any engine to run.
///
/// As a file: text, SI units, one item a line, in any order but for the first; # begins a comment.
///
///     rigor_pile 1
///     h S              time step
///     steps N          to be taken
///     mu X
///     gravity X Y Z
///     frames N         centres are recorded after every N-th step
///     judged N ...     steps, counted from 1, of which a record has all
///     limit S          CPU time of all steps after which an engine stops before its time; none where absent
///     plane NX NY NZ D
///     sphere M R  PX PY PZ  VX VY VZ  WX WY WZ
///     box M SX SY SZ  PX PY PZ  VX VY VZ  WX WY WZ  QW QX QY QZ
struct PileScene {
  double h{0.0};  // s
  int steps{0};
  double mu{0.0};
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};
  int frames{0};  // 0: none
  std::vector<int> judged;
  double limit{0.0};  // s; 0: none
  std::vector<PilePlane> planes;
  std::vector<PileSphere> spheres;  // and boxes

  [[nodiscard]] bool has_boxes() const;
};

/// What an engine did with a scene. As a file: the scene, then any number of
///
///     frame T          at time T; then a line for every sphere: PX PY PZ
///     step T           from T to T + h; a line for every sphere:
///                      PX PY PZ  VX VY VZ  WX WY WZ  before, and the same after; of a box QW QX QY QZ after each
struct PileRecord {
  struct Frame {
    double t{0.0};  // s
    std::vector<Eigen::Vector3d> centres;
  };
  struct Step {
    double t{0.0};  // s
    std::vector<SphereMotion> before, after;
  };
  PileScene scene;
  std::vector<Frame> frames;
  std::vector<Step> steps;
};

/// Both throw InvalidInput with file and line. A scene is a record without frames and steps.
[[nodiscard]] PileRecord read_pile_record(const std::filesystem::path& file);
[[nodiscard]] PileScene read_pile_scene(const std::filesystem::path& file);

/// Writes a record while an engine runs.
class PileWriter {
 public:
  PileWriter(const PileScene& scene, const std::filesystem::path& file);
  ~PileWriter();
  PileWriter(const PileWriter&) = delete;
  PileWriter& operator=(const PileWriter&) = delete;

  void add_frame(double t, const std::vector<SphereMotion>& motions);
  void add_step(double t, const std::vector<SphereMotion>& before, const std::vector<SphereMotion>& after);

 private:
  void print(const SphereMotion& motion, std::size_t i, char end);

  std::vector<char> is_box_;
  std::FILE* out_;
};

}  // namespace rigor
