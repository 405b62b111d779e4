#include "rigor/solvers/trials/generate_cone.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/math/portable.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/trials/random_vector.hpp"

namespace rigor {
namespace {

// Rows n, t1, t2 of the contact frame; in the plane xz: n, t.
Eigen::MatrixXd random_frame(int dimension, double turned, Random& random) {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ() + turned * 2.0 * random_vector(random);
  if (dimension == 2) normal.y() = 0.0;
  normal.normalize();
  Eigen::MatrixXd frame(dimension, 3);
  frame.row(0) = normal;
  const Eigen::Vector3d across =
      dimension == 2 ? Eigen::Vector3d::UnitY() : normal.cross(random_vector(random)).normalized();
  frame.row(1) = across.cross(normal);
  if (dimension == 3) frame.row(2) = across;
  return frame;
}

// Velocity rows of a point of a body for (ω, v), less what a plane does not have.
void add_point(const Eigen::MatrixXd& frame, const Eigen::Vector3d& arm, double sign, Eigen::Index column,
               Eigen::MatrixXd& J, Eigen::Index row) {
  for (Eigen::Index k = 0; k < frame.rows(); ++k) {
    const Eigen::Vector3d direction = frame.row(k);
    const Eigen::Vector3d turn = arm.cross(direction);
    if (frame.rows() == 2)
      J.block(row + k, column, 1, 3) << sign * turn.y(), sign * direction.x(), sign * direction.z();
    else
      J.block(row + k, column, 1, 6) << sign * turn.transpose(), sign * direction.transpose();
  }
}

}  // namespace

ConeProblem make_cone_cluster(const ConeClusterOptions& options, std::uint64_t seed) {
  require(options.contacts > 0 && options.bodies > 0, "Cone cluster: {} contacts and {} bodies, must be > 0.",
          options.contacts, options.bodies);
  require(options.dimension == 2 || options.dimension == 3, "Cone cluster: dimension {}, must be 2 or 3.",
          options.dimension);
  Random random(seed);
  const Eigen::Index dof = options.dimension == 2 ? 3 : 6;
  Eigen::VectorXd inverse_mass(dof * options.bodies);
  for (int b = 0; b < options.bodies; ++b) {
    const double mass = portable::exp(random.uniform(-2.0, 2.0));
    for (Eigen::Index k = 0; k < dof; ++k)
      inverse_mass[dof * b + k] = (k < dof / 2 ? 1.0 / random.uniform(0.05, 0.3) : 1.0) / mass;
  }
  ConeProblem problem;
  const int rows = options.dimension * options.contacts;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(rows, inverse_mass.size());
  int used = 0;
  for (int i = 0; i < options.contacts; ++i) {
    const Eigen::MatrixXd frame = random_frame(options.dimension, options.turned, random);
    const int a = random.below(options.bodies), b = random.below(options.bodies);
    add_point(frame, 0.7 * random_vector(random), 1.0, dof * a, J, used);
    if (b != a) add_point(frame, 0.7 * random_vector(random), -1.0, dof * b, J, used);
    const int size = random.chance(options.one_sided) ? 1 : options.dimension;
    problem.blocks.push_back({used, size, random.uniform(options.mu_low, options.mu_high)});
    used += size;
    if (used < rows) J.bottomRows(rows - used).setZero();
  }
  J.conservativeResize(used, Eigen::NoChange);
  Eigen::VectorXd v(inverse_mass.size());
  for (double& v_k : v) v_k = random.gaussian();
  for (Eigen::Index k = dof - 1; k < v.size(); k += dof) v[k] -= 1.5;  // most fall
  problem.W = J * inverse_mass.asDiagonal() * J.transpose();
  problem.q = J * v;
  return problem;
}

}  // namespace rigor
