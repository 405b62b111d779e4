// The Open Dynamics Engine on a pile of spheres (pile_record.hpp): steps, writes the record and prints the
// time per step. Debian: libode-dev.
//
//   ode_pile_peer SCENE RECORD [ITERATIONS]      of its quick stepper, 20 where absent
//
// The constraint force mixing of 1e-5, the largest correcting velocity of 1 m/s and the hash space are those
// that did best in earlier comparisons of stacks and piles.
#include <ode/ode.h>

#include <cstdlib>

#include "bench/pile_engine.hpp"
#include "rigor/base/require.hpp"

namespace rigor {
namespace {

class OdePile {
 public:
  OdePile(const PileScene& scene, int iterations) : h_(scene.h), mu_(scene.mu) {
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    group_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, scene.gravity.x(), scene.gravity.y(), scene.gravity.z());
    dWorldSetAutoDisableFlag(world_, 0);
    dWorldSetCFM(world_, 1e-5);
    dWorldSetContactMaxCorrectingVel(world_, 1.0);
    dWorldSetQuickStepNumIterations(world_, iterations);
    for (const PilePlane& plane : scene.planes)
      dCreatePlane(space_, plane.n.x(), plane.n.y(), plane.n.z(), plane.d);
    for (const PileSphere& sphere : scene.spheres) add(sphere);
  }

  ~OdePile() {
    dJointGroupDestroy(group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }
  OdePile(const OdePile&) = delete;
  OdePile& operator=(const OdePile&) = delete;

  void step() {
    dSpaceCollide(space_, this, touch);
    dWorldQuickStep(world_, h_);
    dJointGroupEmpty(group_);
  }

  [[nodiscard]] SphereMotion get_motion(int i) const {
    const dBodyID body = bodies_[static_cast<std::size_t>(i)];
    const auto vector = [](const dReal* x) { return Eigen::Vector3d(x[0], x[1], x[2]); };
    return {vector(dBodyGetPosition(body)), vector(dBodyGetLinearVel(body)),
            vector(dBodyGetAngularVel(body))};
  }

 private:
  void add(const PileSphere& sphere) {
    const dBodyID body = dBodyCreate(world_);
    dMass mass;
    dMassSetSphereTotal(&mass, sphere.mass, sphere.radius);
    dBodySetMass(body, &mass);
    const auto& [p, v, w] = sphere.start;
    dBodySetPosition(body, p.x(), p.y(), p.z());
    dBodySetLinearVel(body, v.x(), v.y(), v.z());
    dBodySetAngularVel(body, w.x(), w.y(), w.z());
    dGeomSetBody(dCreateSphere(space_, sphere.radius), body);
    bodies_.push_back(body);
  }

  // A joint for each point where two spheres, or one and a plane, overlap.
  static void touch(void* self, dGeomID one, dGeomID other) {
    const auto* const pile = static_cast<OdePile*>(self);
    const dBodyID a = dGeomGetBody(one), b = dGeomGetBody(other);
    if (a == nullptr && b == nullptr) return;
    dContact contact{};
    if (dCollide(one, other, 1, &contact.geom, sizeof(dContact)) == 0) return;
    contact.surface.mode = dContactApprox1;  // mu times the normal force, else mu is itself a force
    contact.surface.mu = pile->mu_;
    dJointAttach(dJointCreateContact(pile->world_, pile->group_, &contact), a, b);
  }

  double h_, mu_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID group_;
  std::vector<dBodyID> bodies_;
};

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  const int iterations = argc > 3 ? std::atoi(argv[3]) : 20;
  if (argc < 3 || iterations < 1) {
    fmt::print(stderr, "usage: ode_pile_peer SCENE RECORD [ITERATIONS]\n");
    return 2;
  }
  try {
    const rigor::PileScene scene = rigor::read_pile_scene(argv[1]);
    rigor::OdePile engine(scene, iterations);
    rigor::run_pile(engine, "ode", scene, argv[2], [] { return ""; });
  } catch (const std::exception& error) {
    fmt::print(stderr, "ode_pile_peer: {}\n", error.what());
    return 2;
  }
}
