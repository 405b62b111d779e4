// Bullet on a pile of spheres or boxes (pile_record.hpp): steps, writes the record and prints the time per step.
//
//   bullet_pile_peer SCENE RECORD [ITERATIONS]
//
// Sequential impulses, 10 iterations where absent (Bullet's default), single precision, nothing sleeps; planes are large
// boxes, which Bullet's users prefer.
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "bench/pile_engine.hpp"

namespace rigor {
namespace {

btVector3 to_bullet(const Eigen::Vector3d& x) {
  return {static_cast<btScalar>(x.x()), static_cast<btScalar>(x.y()), static_cast<btScalar>(x.z())};
}

btTransform to_bullet(const Eigen::Vector3d& p, const Eigen::Quaterniond& q) {
  const btQuaternion turn(static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()),
                          static_cast<btScalar>(q.z()), static_cast<btScalar>(q.w()));
  return btTransform(turn, to_bullet(p));
}

Eigen::Vector3d from_bullet(const btVector3& x) {
  return {x.x(), x.y(), x.z()};
}

class BulletPile {
 public:
  BulletPile(const PileScene& scene, int iterations) : h_(scene.h), friction_(std::sqrt(scene.mu)) {
    world_.setGravity(to_bullet(scene.gravity));
    world_.getSolverInfo().m_numIterations = iterations;
    for (const PilePlane& plane : scene.planes) {
      constexpr double kHalf = 50.0;  // m
      const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
      const auto turn = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), plane.n);
      const Eigen::Vector3d center = (plane.d - kHalf) * plane.n;
      add(std::make_unique<btBoxShape>(btVector3(kHalf, kHalf, kHalf)), 0.0, zero,
          {center, zero, zero, turn});
    }
    for (const PileSphere& body : scene.spheres) {
      std::unique_ptr<btCollisionShape> shape;
      if (body.is_box())
        shape = std::make_unique<btBoxShape>(to_bullet(0.5 * body.size));
      else
        shape = std::make_unique<btSphereShape>(static_cast<btScalar>(body.radius));
      bodies_.push_back(add(std::move(shape), body.mass, body.inertias(), body.start));
    }
  }

  void step() { world_.stepSimulation(static_cast<btScalar>(h_), 0); }

  [[nodiscard]] SphereMotion get_motion(int i) const {
    const btRigidBody& body = *bodies_[static_cast<std::size_t>(i)];
    const btQuaternion q = body.getWorldTransform().getRotation();
    const Eigen::Quaterniond turn(q.w(), q.x(), q.y(), q.z());
    return {from_bullet(body.getWorldTransform().getOrigin()), from_bullet(body.getLinearVelocity()),
            from_bullet(body.getAngularVelocity()), turn.normalized()};
  }

 private:
  // Friction of a pair is the product of both.
  btRigidBody* add(std::unique_ptr<btCollisionShape> shape, double mass, const Eigen::Vector3d& inertias,
                   const SphereMotion& start) {
    btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(mass), nullptr, shape.get(),
                                                  to_bullet(inertias));
    info.m_startWorldTransform = to_bullet(start.p, start.turn);
    info.m_friction = static_cast<btScalar>(friction_);
    auto body = std::make_unique<btRigidBody>(info);
    body->setLinearVelocity(to_bullet(start.v));
    body->setAngularVelocity(to_bullet(start.w));
    if (mass > 0.0) body->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(body.get());
    shapes_.push_back(std::move(shape));
    return owned_.emplace_back(std::move(body)).get();
  }

  double h_, friction_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> owned_;
  std::vector<btRigidBody*> bodies_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
};

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  const int iterations = argc > 3 ? std::atoi(argv[3]) : 10;
  if (argc < 3 || iterations < 1) {
    fmt::print(stderr, "usage: bullet_pile_peer SCENE RECORD [ITERATIONS]\n");
    return 2;
  }
  try {
    const rigor::PileScene scene = rigor::read_pile_scene(argv[1]);
    rigor::BulletPile engine(scene, iterations);
    rigor::run_pile(engine, "bullet", scene, argv[2], [] { return ""; });
  } catch (const std::exception& error) {
    fmt::print(stderr, "bullet_pile_peer: {}\n", error.what());
    return 2;
  }
}
