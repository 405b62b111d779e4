// Rigor's dynamics judged by Simbody (Debian: libsimbody-dev), where it is installed.
#include "tests/dynamics/engine_judge.hpp"
#include "tests/dynamics/simbody_engine.hpp"

namespace rigor {
namespace {

using test::EngineAnswer, test::JudgedForest, test::SimbodyBody;

// What Simbody has no word for is taken out: armature, and axes of universal joints that are not square.
Scene make_scene(int seed) {
  Scene scene = test::make_random_forest(static_cast<std::uint64_t>(seed),
                                         {.bodies = 1 + seed % 30, .armature = false});
  for (Body& body : scene.bodies)
    if (body.joint.type == JointType::kUniversal) body.joint.axis2 = tangents_of(body.joint.axis).t2;
  return scene;
}

// Simbody's joint of this type, and the axes of its frames in our J.
struct JointWords {
  SimbodyBody::Joint type;
  Eigen::Matrix3d axes;
};
JointWords words_of(const Joint& joint) {
  using Type = SimbodyBody::Joint;
  const auto [t1, t2] = tangents_of(joint.axis);
  const auto frame = [](const Eigen::Vector3d& x, const Eigen::Vector3d& y, const Eigen::Vector3d& z) {
    return (Eigen::Matrix3d() << x, y, z).finished();
  };
  const Eigen::Matrix3d none = Eigen::Matrix3d::Identity(), about_z = frame(t1, t2, joint.axis);
  switch (joint.type) {
    case JointType::kFree:
      return {Type::kFree, none};
    case JointType::kFixed:
      return {Type::kWeld, none};
    case JointType::kRevolute:
      return {Type::kPin, about_z};
    case JointType::kPrismatic:
      return {Type::kSlider, frame(joint.axis, t1, t2)};
    case JointType::kCylindrical:
      return {Type::kCylinder, about_z};
    case JointType::kScrew:
      return {Type::kScrew, about_z};
    case JointType::kUniversal:
      return {Type::kUniversal, frame(joint.axis, joint.axis2, joint.axis.cross(joint.axis2))};
    case JointType::kBall:
      return {Type::kBall, none};
    case JointType::kPlanar:
      return {Type::kPlanar, about_z};
  }
  throw std::logic_error("an unknown joint");
}

// Our speed k of a joint is Simbody's place_of(k): a planar joint has its angle first there.
int place_of(JointType type, int k) {
  return type == JointType::kPlanar ? (k + 1) % 3 : k;
}

SimbodyBody make_body(const JudgedForest& forest, const Body& source, const ModelBody& body) {
  const JointWords words = words_of(source.joint);
  SimbodyBody result;
  result.parent = body.parent - 1;
  result.joint = words.type;
  result.pitch = source.joint.pitch;
  result.mass = *source.mass;
  result.center = source.center_of_mass;
  const std::vector<double>& I = source.inertia;
  result.inertia << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
  Pose X_PF = source.pose * source.joint.pose, X_BM = source.joint.pose;
  if (source.joint.type == JointType::kFree) {
    X_PF = Pose{};
    X_BM = Pose{source.center_of_mass, Eigen::Quaterniond::Identity()};
  }
  result.p_PF = X_PF.position;
  result.p_BM = X_BM.position;
  result.R_PF = X_PF.rotation.toRotationMatrix() * words.axes;
  result.R_BM = X_BM.rotation.toRotationMatrix() * words.axes;

  result.q.resize(static_cast<std::size_t>(body.nq));
  result.u.resize(static_cast<std::size_t>(body.nv));
  result.force.resize(static_cast<std::size_t>(body.nv));
  for (int k = 0; k < body.nq; ++k) {
    // a free joint has its quaternion first and then its position there
    const int place = body.type == JointType::kFree ? (k + 4) % 7 : place_of(body.type, k);
    result.q[static_cast<std::size_t>(place)] = forest.state.q[body.q0 + k];
  }
  for (int k = 0; k < body.nv; ++k) {
    const auto place = static_cast<std::size_t>(place_of(body.type, k));
    result.u[place] = forest.state.v[body.v0 + k];
    result.force[place] = forest.tau[body.v0 + k];
  }
  return result;
}

EngineAnswer compute_answer(const JudgedForest& forest) {
  const Model& model = forest.model;
  std::vector<SimbodyBody> bodies(model.bodies.size() - 1);
  for (const Body& source : forest.scene.bodies) {
    const auto b = static_cast<std::size_t>(model.find_body(source.name));
    bodies[b - 1] = make_body(forest, source, model.bodies[b]);
  }
  const test::SimbodyAnswer theirs = test::compute_with_simbody(bodies, model.gravity);
  EngineAnswer answer;
  Eigen::VectorXi index(model.nv);
  for (const ModelBody& body : model.bodies)
    for (int k = 0; k < body.nv; ++k) index[body.v0 + k] = body.v0 + place_of(body.type, k);
  answer.M = theirs.M(index, index);
  answer.A.assign(1, Vec6<double>::Zero());
  answer.A.insert(answer.A.end(), theirs.A.begin(), theirs.A.end());
  return answer;
}

TEST(Simbody, AgreesOnMassMatricesAndForwardDynamicsOfRandomForests) {
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    JudgedForest forest(make_scene(seed), static_cast<std::uint64_t>(seed));
    if (forest.model.nv > 0) expect_agreement(forest, compute_answer(forest));
  }
}

}  // namespace
}  // namespace rigor
