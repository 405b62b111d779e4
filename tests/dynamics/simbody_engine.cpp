#include "tests/dynamics/simbody_engine.hpp"

#include <Simbody.h>

#include <stdexcept>

namespace rigor::test {
namespace {

using SimTK::MobilizedBody, SimTK::Transform, SimTK::Vec3;

Vec3 vec3(const Eigen::Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

Eigen::Vector3d vector(const Vec3& v) {
  return {v[0], v[1], v[2]};
}

Transform transform(const Eigen::Matrix3d& R, const Eigen::Vector3d& p) {
  const SimTK::Mat33 rows(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2));
  return {SimTK::Rotation(rows, true), vec3(p)};
}

MobilizedBody make_body(const SimbodyBody& source, MobilizedBody& parent) {
  const Vec3 center = vec3(source.center);
  const Eigen::Matrix3d& I = source.inertia;
  const SimTK::Inertia about_center(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
  const SimTK::Body::Rigid body(
      SimTK::MassProperties(source.mass, center, about_center.shiftFromMassCenter(center, source.mass)));
  const Transform X_PF = transform(source.R_PF, source.p_PF), X_BM = transform(source.R_BM, source.p_BM);
  switch (source.joint) {
    case SimbodyBody::Joint::kFree:
      return MobilizedBody::Free(parent, X_PF, body, X_BM);
    case SimbodyBody::Joint::kWeld:
      return MobilizedBody::Weld(parent, X_PF, body, X_BM);
    case SimbodyBody::Joint::kPin:
      return MobilizedBody::Pin(parent, X_PF, body, X_BM);
    case SimbodyBody::Joint::kSlider:
      return MobilizedBody::Slider(parent, X_PF, body, X_BM);
    case SimbodyBody::Joint::kCylinder:
      return MobilizedBody::Cylinder(parent, X_PF, body, X_BM);
    case SimbodyBody::Joint::kScrew:
      return MobilizedBody::Screw(parent, X_PF, body, X_BM, source.pitch);
    case SimbodyBody::Joint::kUniversal:
      return MobilizedBody::Universal(parent, X_PF, body, X_BM);
    case SimbodyBody::Joint::kBall:
      return MobilizedBody::Ball(parent, X_PF, body, X_BM);
    case SimbodyBody::Joint::kPlanar:
      return MobilizedBody::Planar(parent, X_PF, body, X_BM);
  }
  throw std::logic_error("an unknown joint");
}

}  // namespace

SimbodyAnswer compute_with_simbody(const std::vector<SimbodyBody>& sources, const Eigen::Vector3d& gravity) {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  SimTK::GeneralForceSubsystem forces(system);
  const SimTK::Force::UniformGravity weight(forces, matter, vec3(gravity));
  const SimTK::Force::DiscreteForces efforts(forces, matter);
  std::vector<MobilizedBody> bodies;
  for (const SimbodyBody& source : sources)
    bodies.push_back(make_body(source, source.parent < 0 ? static_cast<MobilizedBody&>(matter.Ground())
                                                         : bodies[static_cast<std::size_t>(source.parent)]));

  // the state, and where our speeds stand among Simbody's
  SimTK::State state = system.realizeTopology();
  SimTK::Vector tau(state.getNU());
  std::vector<int> index;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const SimbodyBody& source = sources[b];
    for (std::size_t k = 0; k < source.q.size(); ++k)
      bodies[b].setOneQ(state, static_cast<int>(k), source.q[k]);
    for (std::size_t k = 0; k < source.u.size(); ++k) {
      bodies[b].setOneU(state, static_cast<int>(k), source.u[k]);
      index.push_back(int(bodies[b].getFirstUIndex(state)) + static_cast<int>(k));
      tau[index.back()] = source.force[k];
    }
  }
  efforts.setAllMobilityForces(state, tau);
  system.realize(state, SimTK::Stage::Acceleration);

  SimbodyAnswer answer;
  SimTK::Matrix M;
  matter.calcM(state, M);
  const auto n = static_cast<Eigen::Index>(index.size());
  answer.M.resize(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      answer.M(i, j) = M(index[static_cast<std::size_t>(i)], index[static_cast<std::size_t>(j)]);
  for (const MobilizedBody& body : bodies)
    (answer.A.emplace_back() << vector(body.getBodyAngularAcceleration(state)),
     vector(body.findStationAccelerationInGround(state, body.getBodyMassCenterStation(state))))
        .finished();
  return answer;
}

}  // namespace rigor::test
