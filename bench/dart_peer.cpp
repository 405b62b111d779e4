#include "bench/revolute_tree.hpp"

#ifdef RIGOR_HAVE_DART
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#endif

namespace rigor::bench {

#ifdef RIGOR_HAVE_DART
namespace {

using namespace dart::dynamics;

class Dart : public ForwardDynamics {
 public:
  explicit Dart(const RevoluteTree& tree) : skeleton_(Skeleton::create()) {
    std::vector<BodyNode*> bodies;
    for (int i = 0; i < tree.size(); ++i) {
      RevoluteJoint::Properties joint;
      joint.mName = "joint" + std::to_string(i);
      joint.mAxis = tree.axis(i);
      joint.mT_ParentBodyToJoint.translation() = tree.hinge(i);
      BodyNode::Properties body;
      body.mName = "link" + std::to_string(i);
      body.mInertia = Inertia(kLinkMass, kLinkCenter, kLinkInertia.asDiagonal().toDenseMatrix());
      const int parent = tree.parent[static_cast<std::size_t>(i)];
      BodyNode* const node = parent < 0 ? nullptr : bodies[static_cast<std::size_t>(parent)];
      bodies.push_back(skeleton_->createJointAndBodyNodePair<RevoluteJoint>(node, joint, body).second);
    }
    skeleton_->setGravity({0.0, 0.0, -kGravity});
  }

  void compute(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& a) override {
    skeleton_->setPositions(q);
    skeleton_->setVelocities(v);
    skeleton_->computeForwardDynamics();
    for (Eigen::Index i = 0; i < a.size(); ++i)
      a[i] = skeleton_->getAcceleration(static_cast<std::size_t>(i));
  }

 private:
  SkeletonPtr skeleton_;
};

}  // namespace

std::unique_ptr<ForwardDynamics> make_dart(const RevoluteTree& tree) {
  return std::make_unique<Dart>(tree);
}
#else
std::unique_ptr<ForwardDynamics> make_dart(const RevoluteTree&) {
  return nullptr;
}
#endif

}  // namespace rigor::bench
