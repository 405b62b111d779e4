#include "bench/revolute_tree.hpp"

#ifdef RIGOR_HAVE_SIMBODY
#include <Simbody.h>
#endif

namespace rigor::bench {

#ifdef RIGOR_HAVE_SIMBODY
namespace {

using SimTK::MobilizedBody, SimTK::Transform, SimTK::Vec3;

Vec3 vec3(const Eigen::Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

class Simbody : public ForwardDynamics {
 public:
  explicit Simbody(const RevoluteTree& tree) : matter_(system_), forces_(system_) {
    const SimTK::Force::UniformGravity gravity(forces_, matter_, Vec3(0, 0, -kGravity));
    const Vec3 center = vec3(kLinkCenter);
    const SimTK::Inertia about_hinge =
        SimTK::Inertia(vec3(kLinkInertia)).shiftFromMassCenter(center, kLinkMass);
    const SimTK::Body::Rigid link(SimTK::MassProperties(kLinkMass, center, about_hinge));
    std::vector<MobilizedBody> bodies;
    for (int i = 0; i < tree.size(); ++i) {
      // a pin turns about z of its frame
      const SimTK::Rotation frame(SimTK::UnitVec3(vec3(tree.axis(i))), SimTK::ZAxis);
      const int parent = tree.parent[static_cast<std::size_t>(i)];
      MobilizedBody& inboard = parent < 0 ? static_cast<MobilizedBody&>(matter_.Ground())
                                          : bodies[static_cast<std::size_t>(parent)];
      bodies.push_back(
          MobilizedBody::Pin(inboard, Transform(frame, vec3(tree.hinge(i))), link, Transform(frame)));
    }
    state_ = system_.realizeTopology();
    for (const MobilizedBody& body : bodies) index_.push_back(int(body.getFirstUIndex(state_)));
  }

  void compute(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& a) override {
    SimTK::Vector& their_q = state_.updQ();
    SimTK::Vector& their_v = state_.updU();
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      their_q[index_[static_cast<std::size_t>(i)]] = q[i];
      their_v[index_[static_cast<std::size_t>(i)]] = v[i];
    }
    system_.realize(state_, SimTK::Stage::Acceleration);
    const SimTK::Vector& their_a = state_.getUDot();
    for (Eigen::Index i = 0; i < a.size(); ++i) a[i] = their_a[index_[static_cast<std::size_t>(i)]];
  }

 private:
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::State state_;
  std::vector<int> index_;  // of each link's coordinate in the state
};

}  // namespace

std::unique_ptr<ForwardDynamics> make_simbody(const RevoluteTree& tree) {
  return std::make_unique<Simbody>(tree);
}
#else
std::unique_ptr<ForwardDynamics> make_simbody(const RevoluteTree&) {
  return nullptr;
}
#endif

}  // namespace rigor::bench
