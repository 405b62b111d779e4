#include "rigor/solvers/trials/generate_contacts.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <vector>

#include "rigor/base/require.hpp"
#include "rigor/math/portable.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/trials/random_vector.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;
using Triplet = Eigen::Triplet<double>;

constexpr double kGravity = 9.81;

SparseMatrix from_triplets(Eigen::Index rows, Eigen::Index columns, const std::vector<Triplet>& entries) {
  SparseMatrix matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Free bodies in space, six velocities each (linear first: these generators know matrices, not the library's
// bodies).
class Scene {
 public:
  Scene(int bodies, int directions)
      : directions_(directions),
        position(static_cast<std::size_t>(bodies), Vector3d::Zero()),
        mass(static_cast<std::size_t>(bodies), 1.0),
        inertia(static_cast<std::size_t>(bodies), Eigen::Matrix3d::Identity() / 6.0),
        velocity(Eigen::VectorXd::Zero(6 * bodies)) {}

  // body `a` (−1: the ground) pushes body `b` at point p along the normal; the first tangent is the
  // projection of `axis`
  void add_contact(int a, int b, const Vector3d& p, const Vector3d& direction, const Vector3d& axis,
                   double gap_rate, double friction) {
    const Vector3d normal = direction.normalized();
    const Vector3d t1 = (axis - normal * normal.dot(axis)).normalized(), t2 = normal.cross(t1);
    const auto k = static_cast<int>(gap_rates_.size());
    gap_rates_.push_back(gap_rate);
    frictions_.push_back(friction);
    add_row(normals_, k, a, b, p, normal);
    for (int d = 0; d < directions_ / 2; ++d) {
      const double angle = 2.0 * std::numbers::pi * d / directions_;
      const Vector3d t =
          4 * d == directions_ ? t2 : Vector3d(portable::cos(angle) * t1 + portable::sin(angle) * t2);
      add_row(tangents_, k * directions_ + d, a, b, p, t);
      add_row(tangents_, k * directions_ + d + directions_ / 2, a, b, p, -t);
    }
  }

  [[nodiscard]] ContactLcpProblem make(double step) const {
    ContactLcpProblem problem;
    const auto bodies = static_cast<int>(mass.size());
    const Eigen::Index nc = static_cast<Eigen::Index>(gap_rates_.size()), dof = 6 * bodies;
    std::vector<Triplet> entries;
    problem.v_free = velocity;
    for (int k = 0; k < bodies; ++k) {
      const auto s = static_cast<std::size_t>(k);
      for (int i = 0; i < 3; ++i) {
        entries.emplace_back(6 * k + i, 6 * k + i, mass[s]);
        for (int j = 0; j < 3; ++j)
          if (inertia[s](i, j) != 0.0) entries.emplace_back(6 * k + 3 + i, 6 * k + 3 + j, inertia[s](i, j));
      }
      problem.v_free[6 * k + 2] -= kGravity * step;
    }
    problem.mass = from_triplets(dof, dof, entries);
    problem.N = from_triplets(nc, dof, normals_);
    problem.D = from_triplets(nc * directions_, dof, tangents_);
    problem.b = Eigen::Map<const Eigen::VectorXd>(gap_rates_.data(), nc);
    problem.mu = Eigen::Map<const Eigen::VectorXd>(frictions_.data(), nc);
    problem.directions = directions_;
    return problem;
  }

 private:
  void add_row(std::vector<Triplet>& rows, int row, int a, int b, const Vector3d& p,
               const Vector3d& direction) const {
    for (const auto& [body, sign] : {std::pair{b, 1.0}, std::pair{a, -1.0}}) {
      if (body < 0) continue;
      const Vector3d arm = (p - position[static_cast<std::size_t>(body)]).cross(direction);
      for (int i = 0; i < 3; ++i) {
        if (direction[i] != 0.0) rows.emplace_back(row, 6 * body + i, sign * direction[i]);
        if (arm[i] != 0.0) rows.emplace_back(row, 6 * body + 3 + i, sign * arm[i]);
      }
    }
  }

  int directions_;
  std::vector<Triplet> normals_, tangents_;
  std::vector<double> gap_rates_, frictions_;

 public:
  std::vector<Vector3d> position;
  std::vector<double> mass;
  std::vector<Eigen::Matrix3d> inertia;
  Eigen::VectorXd velocity;
};

}  // namespace

ContactLcpProblem make_cannonball(int rows, double mu, double step) {
  require(rows >= 1 && rows <= 200, "make_cannonball: rows = {}, must lie in [1, 200].", rows);
  require(mu >= 0.0 && std::isfinite(mu), "make_cannonball: mu = {}, must be ≥ 0.", mu);
  require(step > 0.0 && std::isfinite(step), "make_cannonball: step = {} s, must be > 0.", step);
  constexpr double kRadius = 0.5;
  const int bodies = rows * (rows + 1) / 2;
  std::vector<Triplet> normals, tangents, masses;
  int contacts = 0;
  // disk b is pushed by a (−1: the floor) along the normal (nx, ny); tangent (−ny, nx)
  const auto add = [&](int a, int b, double nx, double ny) {
    for (const auto& [body, sign] : {std::pair{b, 1.0}, std::pair{a, -1.0}}) {
      if (body < 0) continue;
      normals.emplace_back(contacts, 3 * body, sign * nx);
      normals.emplace_back(contacts, 3 * body + 1, sign * ny);
      for (const auto& [row, side] : {std::pair{2 * contacts, 1.0}, std::pair{2 * contacts + 1, -1.0}}) {
        tangents.emplace_back(row, 3 * body, -side * sign * ny);
        tangents.emplace_back(row, 3 * body + 1, side * sign * nx);
        tangents.emplace_back(row, 3 * body + 2,
                              -side * kRadius);  // both contact points move with their own spin
      }
    }
    ++contacts;
  };
  // rows from the floor up; disk j of row r touches its right neighbour and two disks of the row above
  const double up = std::sqrt(3.0) / 2.0;
  const auto index = [&](int r, int j) { return r * rows - r * (r - 1) / 2 + j; };
  for (int r = 0; r < rows; ++r)
    for (int j = 0; j < rows - r; ++j) {
      if (r == 0) add(-1, index(r, j), 0.0, 1.0);
      if (j + 1 < rows - r) {
        add(index(r, j), index(r, j + 1), 1.0, 0.0);
        add(index(r, j), index(r + 1, j), 0.5, up);
      }
      if (j > 0) add(index(r, j), index(r + 1, j - 1), -0.5, up);
    }
  ContactLcpProblem problem;
  for (int k = 0; k < bodies; ++k) {
    masses.emplace_back(3 * k, 3 * k, 1.0);
    masses.emplace_back(3 * k + 1, 3 * k + 1, 1.0);
    masses.emplace_back(3 * k + 2, 3 * k + 2, 0.5 * kRadius * kRadius);
  }
  problem.mass = from_triplets(3 * bodies, 3 * bodies, masses);
  problem.N = from_triplets(contacts, 3 * bodies, normals);
  problem.directions = mu > 0.0 ? 2 : 0;
  problem.D = mu > 0.0 ? from_triplets(2 * contacts, 3 * bodies, tangents) : SparseMatrix(0, 3 * bodies);
  problem.b = Eigen::VectorXd::Zero(contacts);
  problem.mu = Eigen::VectorXd::Constant(contacts, mu);
  problem.v_free = Eigen::VectorXd::Zero(3 * bodies);
  for (int k = 0; k < bodies; ++k) problem.v_free[3 * k + 1] = -step * kGravity;
  return problem;
}

ContactLcpProblem make_box_stack(int boxes, int directions, std::uint64_t seed) {
  Random random(seed);
  Scene scene(boxes, directions);
  const double friction = random.uniform(0.1, 1.0);
  const bool moving = random.chance(0.6);
  for (int k = 0; k < boxes; ++k) {
    const double shift = random.chance(0.5) ? random.uniform(-0.2, 0.2) : 0.0;
    scene.position[static_cast<std::size_t>(k)] = {shift, 0.0, 0.5 + k};
    for (int i = 0; i < 6 && moving; ++i)
      if (random.chance(0.5)) scene.velocity[6 * k + i] = random.uniform(-2.0, 2.0);
  }
  for (int k = 0; k < boxes; ++k)
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5})
        scene.add_contact(k - 1, k, scene.position[static_cast<std::size_t>(k)] + Vector3d(x, y, -0.5),
                          Vector3d::UnitZ(), Vector3d::UnitX(), 0.0, friction);
  return scene.make(0.01);
}

ContactLcpProblem make_random_cluster(int bodies, int contacts, int directions, std::uint64_t seed) {
  Random random(seed);
  Scene scene(bodies, directions);
  for (int k = 0; k < bodies; ++k) {
    const auto s = static_cast<std::size_t>(k);
    scene.position[s] = random_vector(random);
    scene.mass[s] = portable::exp(random.uniform(-2.0, 2.0));
    Eigen::Matrix3d A;
    for (int j = 0; j < 3; ++j) A.col(j) = random_vector(random);
    scene.inertia[s] = scene.mass[s] * 0.1 * (A * A.transpose() + Eigen::Matrix3d::Identity());
    for (int i = 0; i < 6; ++i) scene.velocity[6 * k + i] = random.gaussian();
  }
  for (int k = 0; k < contacts; ++k) {
    const int b = random.below(bodies);
    int a = random.chance(0.3) || bodies == 1 ? -1 : random.below(bodies);
    if (a == b) a = -1;
    const Vector3d p = scene.position[static_cast<std::size_t>(b)] + 0.5 * random_vector(random);
    Vector3d normal = random_vector(random);
    if (a < 0) normal.z() += 2.0;
    const Vector3d axis = std::fabs(normal.normalized().x()) < 0.7 ? Vector3d::UnitX() : Vector3d::UnitY();
    const double gap_rate = random.chance(0.7) ? 0.0 : random.uniform(0.0, 0.2);
    scene.add_contact(a, b, p, normal, axis, gap_rate, random.uniform(0.05, 1.2));
  }
  return scene.make(0.01);
}

ContactLcpProblem make_random_jacobians(int contacts, int directions, std::uint64_t seed) {
  Random random(seed);
  const int dof = random.chance(0.5) ? 6 : 3 * contacts;
  ContactLcpProblem problem;
  std::vector<Triplet> normals, tangents;
  problem.mu.resize(contacts);
  for (int k = 0; k < contacts; ++k) {
    problem.mu[k] = random.uniform(0.1, 1.0);
    for (int j = 0; j < dof; ++j) {
      normals.emplace_back(k, j, random.gaussian());
      const double t1 = random.gaussian(), t2 = random.gaussian();
      for (int d = 0; d < directions / 2; ++d) {
        const double angle = 2.0 * std::numbers::pi * d / directions;
        const double value = 4 * d == directions ? t2 : portable::cos(angle) * t1 + portable::sin(angle) * t2;
        tangents.emplace_back(k * directions + d, j, value);
        tangents.emplace_back(k * directions + d + directions / 2, j, -value);
      }
    }
  }
  problem.mass.resize(dof, dof);
  problem.mass.setIdentity();
  problem.N = from_triplets(contacts, dof, normals);
  problem.D = from_triplets(contacts * directions, dof, tangents);
  problem.b = Eigen::VectorXd::Zero(contacts);
  problem.directions = directions;
  problem.v_free.resize(dof);
  for (int j = 0; j < dof; ++j) problem.v_free[j] = random.gaussian();
  return problem;
}

ContactLcpProblem make_random_contacts(int size, std::uint64_t seed) {
  Random random(seed);
  const int directions = size >= 10 && random.chance(0.5) ? 8 : 4;
  const int contacts = std::max(1, size / (2 + directions));
  const double kind = random.uniform();
  if (kind < 0.4) return make_random_jacobians(contacts, directions, random.next());
  if (kind < 0.6 && contacts >= 4) return make_box_stack(contacts / 4, directions, random.next());
  return make_random_cluster(1 + random.below(std::max(1, contacts)), contacts, directions, random.next());
}

}  // namespace rigor
