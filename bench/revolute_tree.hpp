#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

/// What dynamics_bench.cpp measures, said without the words of any engine, and the engines behind one face.
namespace rigor::bench {

/// Links of length 1 m along −z, mass 1 kg with the centre in the middle and inertia diag(0.1, 0.1, 0.02)
/// about it, on hinges about x and y in turn. A link hangs on the end of its parent, the first at the origin.
/// Each link is followed by all that it carries, so that every engine counts them alike.
struct RevoluteTree {
  std::string name;
  std::vector<int> parent;  // of each link; -1 is the world

  [[nodiscard]] int size() const { return static_cast<int>(parent.size()); }
  [[nodiscard]] Eigen::Vector3d axis(int link) const {
    return link % 2 == 0 ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitY();
  }
  [[nodiscard]] Eigen::Vector3d hinge(int link) const {  // in the frame of the parent
    return {0.0, 0.0, parent[static_cast<std::size_t>(link)] < 0 ? 0.0 : -1.0};
  }
};

inline constexpr double kLinkMass = 1.0, kGravity = 9.81;
inline const Eigen::Vector3d kLinkCenter{0.0, 0.0, -0.5}, kLinkInertia{0.1, 0.1, 0.02};

/// One engine with one tree in it.
class ForwardDynamics {
 public:
  virtual ~ForwardDynamics() = default;
  /// a = M⁻¹ (gravity − c) at q and v, everything that depends on them computed anew.
  virtual void compute(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& a) = 0;
};

/// Null where the engine was not there when the bench was built.
std::unique_ptr<ForwardDynamics> make_dart(const RevoluteTree& tree);
std::unique_ptr<ForwardDynamics> make_simbody(const RevoluteTree& tree);
std::unique_ptr<ForwardDynamics> make_mujoco(const RevoluteTree& tree);

}  // namespace rigor::bench
