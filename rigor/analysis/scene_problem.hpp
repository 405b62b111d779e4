#pragma once

#include "rigor/contact/contact.hpp"
#include "rigor/model/state.hpp"
#include "rigor/solvers/acceleration/acceleration_problem.hpp"

namespace rigor {

/// A scene at a state as an AccelerationProblem.
struct SceneProblem {
  AccelerationProblem problem;
  /// Where each contact of `problem` is, for those who draw: frame in the world, normal first. Constraints
  /// and limits have none.
  struct Place {
    bool is_contact{false};
    BodyIndex a{0}, b{0};
    Eigen::Vector3d point{Eigen::Vector3d::Zero()};
    Eigen::Matrix3d frame{Eigen::Matrix3d::Identity()};
    double mu_ratio{1.0};  // forces along the second tangent are mu_ratio λt2
  };
  std::vector<Place> places;
  std::vector<std::string> coordinates;  // names of the coordinates
  /// F is `rest` + Σ gravity[k] · `per_gravity` column k, gravity along world x, y, z: for tilts.
  Eigen::VectorXd rest;
  Eigen::MatrixXd per_gravity;  // n x 3
  Eigen::Vector3d gravity{Eigen::Vector3d::Zero()};
};

struct SceneProblemOptions {
  double gap{1e-6};    // m: contacts with a larger one are open
  double speed{1e-6};  // m/s: contacts that separate faster are open; tangential: slower ones stick
  std::vector<std::string> names;  // only contacts between bodies of these names ("a/b"); all where empty
};

/// Joint coordinates: M, c and the rows as ConstrainedSystem has them; every rigid equation of a constraint
/// is a bilateral contact without friction, prescribed speeds too, ends of ranges unilateral ones. Contacts
/// and their biases are those of find_closed_contacts(), which follows contact points over curved surfaces.
[[nodiscard]] SceneProblem make_scene_problem(const Model& model, const State& state,
                                              const SceneProblemOptions& options = {});

}  // namespace rigor
