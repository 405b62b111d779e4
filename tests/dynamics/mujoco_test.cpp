// Rigor's dynamics judged by MuJoCo (Debian: libmujoco-dev), where it is installed.
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cstring>

#include "tests/dynamics/engine_judge.hpp"

namespace rigor {
namespace {

using test::EngineAnswer, test::JudgedForest;

// What MuJoCo has no word for becomes something it has: screws become hinges, free joints of carried bodies
// balls. Its armature of a free body is along other speeds than ours, so such a body has none.
Scene make_scene(int seed) {
  Scene scene = test::make_random_forest(static_cast<std::uint64_t>(seed), {.bodies = 1 + seed % 30});
  for (Body& body : scene.bodies) {
    Joint& joint = body.joint;
    if (joint.type == JointType::kScrew) {
      joint.type = JointType::kRevolute;
      joint.pitch = 0.0;
    }
    if (joint.type == JointType::kFree && joint.parent != kWorld) {
      joint.type = JointType::kBall;
      const Eigen::Quaterniond& q = body.pose.rotation;
      joint.q = {q.w(), q.x(), q.y(), q.z()};
      joint.v = {body.velocity.angular.x(), body.velocity.angular.y(), body.velocity.angular.z()};
      body.velocity = {};
    }
    if (joint.type == JointType::kFree) joint.armature = 0.0;
  }
  return scene;
}

std::string numbers(const Eigen::Vector3d& v) {
  return fmt::format("{} {} {}", v.x(), v.y(), v.z());
}

std::string numbers(const Eigen::Quaterniond& q) {
  return fmt::format("{} {} {} {}", q.w(), q.x(), q.y(), q.z());
}

// Joints in the order in which they turn the body: each is given in the body's frame.
std::string joint_text(const Joint& joint) {
  const auto element = [&](const char* type, const Eigen::Vector3d& axis_J) {
    return fmt::format("<joint type='{}' pos='{}' axis='{}' armature='{}'/>", type,
                       numbers(joint.pose.position), numbers(Eigen::Vector3d(joint.pose.rotation * axis_J)),
                       joint.armature);
  };
  const auto [t1, t2] = tangents_of(joint.axis);
  switch (joint.type) {
    case JointType::kFree:
      return "<freejoint/>";
    case JointType::kRevolute:
      return element("hinge", joint.axis);
    case JointType::kPrismatic:
      return element("slide", joint.axis);
    case JointType::kCylindrical:
      return element("hinge", joint.axis) + element("slide", joint.axis);
    case JointType::kUniversal:
      return element("hinge", joint.axis) + element("hinge", joint.axis2);
    case JointType::kBall:
      return element("ball", joint.axis);
    case JointType::kPlanar:
      return element("slide", t1) + element("slide", t2) + element("hinge", joint.axis);
    default:
      return "";
  }
}

// A body with all that it carries. Its inertia goes over in principal axes: MuJoCo's own way there stops at
// 1e-12.
std::string body_text(const Scene& scene, const Body& body) {
  Eigen::Matrix3d I;
  const std::vector<double>& entries = body.inertia;
  I << entries[0], entries[3], entries[4], entries[3], entries[1], entries[5], entries[4], entries[5],
      entries[2];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(I);
  Eigen::Matrix3d R = principal.eigenvectors();
  if (R.determinant() < 0.0) R.col(0) *= -1.0;
  std::string text = fmt::format(
      "<body name='{}' pos='{}' quat='{}'>{}<inertial pos='{}' quat='{}' mass='{}' diaginertia='{}'/>",
      body.name, numbers(body.pose.position), numbers(body.pose.rotation), joint_text(body.joint),
      numbers(body.center_of_mass), numbers(Eigen::Quaterniond(R)), *body.mass,
      numbers(Eigen::Vector3d(principal.eigenvalues())));
  for (const Body& child : scene.bodies)
    if (child.joint.parent == body.name) text += body_text(scene, child);
  return text + "</body>";
}

class MuJoCo {
 public:
  explicit MuJoCo(const JudgedForest& forest) : forest_(forest) {
    std::string text = fmt::format(
        "<mujoco><compiler angle='radian'/><option gravity='{}'><flag contact='disable' "
        "constraint='disable'/>"
        "</option><worldbody>",
        numbers(forest.scene.gravity));
    for (const Body& body : forest.scene.bodies)
      if (body.joint.parent == kWorld) text += body_text(forest.scene, body);
    text += "</worldbody></mujoco>";
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "forest.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[0], text.data(), text.size());
    char error[500] = "";
    model_ = mj_loadXML("forest.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model_ == nullptr) throw std::runtime_error(error);
    data_ = mj_makeData(model_);
  }
  MuJoCo(const MuJoCo&) = delete;
  MuJoCo& operator=(const MuJoCo&) = delete;
  ~MuJoCo() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  EngineAnswer answer() {
    const int nv = forest_.model.nv;
    // v_mujoco = E v
    Eigen::MatrixXd E = Eigen::MatrixXd::Identity(nv, nv);
    for (const Body& body : forest_.scene.bodies) set_state(body, E);
    Eigen::Map<Eigen::VectorXd>(data_->qvel, nv) = E * forest_.state.v;
    Eigen::Map<Eigen::VectorXd>(data_->qfrc_applied, nv) = E.transpose().partialPivLu().solve(forest_.tau);
    mj_forward(model_, data_);
    mj_rnePostConstraint(model_, data_);

    EngineAnswer answer;
    Eigen::MatrixXd M(nv, nv);
    mj_fullM(model_, M.data(), data_->qM);
    answer.M = E.transpose() * M * E;
    answer.A.resize(forest_.model.bodies.size());
    for (std::size_t b = 1; b < answer.A.size(); ++b) {
      const int id = mj_name2id(model_, mjOBJ_BODY, forest_.model.bodies[b].name.c_str());
      mj_objectAcceleration(model_, data_, mjOBJ_BODY, id, answer.A[b].data(), 0);
      answer.A[b].tail<3>() += forest_.model.gravity;  // MuJoCo's world accelerates upwards
    }
    return answer;
  }

 private:
  // Coordinates of one body's joints, and the block of E that belongs to it. MuJoCo counts bodies, and so
  // speeds, as Rigor does: each followed by all that it carries.
  void set_state(const Body& source, Eigen::MatrixXd& E) {
    const ModelBody& body = forest_.body(source.name);
    const int id = mj_name2id(model_, mjOBJ_BODY, source.name.c_str());
    if (body.nv == 0) return;
    ASSERT_EQ(model_->body_dofadr[id], body.v0);
    double* const target = data_->qpos + model_->jnt_qposadr[model_->body_jntadr[id]];
    const double* const q = forest_.state.q.data() + body.q0;
    const Eigen::Quaterniond& R_BJ = source.joint.pose.rotation;
    if (body.type == JointType::kBall) {
      // the turn and the speeds in axes of the body
      const Eigen::Quaterniond R_FJ(q[0], q[1], q[2], q[3]);
      const Eigen::Quaterniond turn = R_BJ * R_FJ * R_BJ.conjugate();
      put(turn, target);
      E.block<3, 3>(body.v0, body.v0) = (R_BJ * R_FJ.conjugate()).toRotationMatrix();
    } else if (body.type == JointType::kFree) {
      // position and velocity of the body's origin, then the turn, and its speed in axes of the body
      const Eigen::Quaterniond R_WB(q[3], q[4], q[5], q[6]);
      const Eigen::Vector3d d = -(R_WB * source.center_of_mass);
      Eigen::Map<Eigen::Vector3d>{target} = Eigen::Map<const Eigen::Vector3d>(q) + d;
      put(R_WB, target + 3);
      E.block<6, 6>(body.v0, body.v0).setZero();
      E.block<3, 3>(body.v0, body.v0) = -skew<double>(d);
      E.block<3, 3>(body.v0, body.v0 + 3).setIdentity();
      E.block<3, 3>(body.v0 + 3, body.v0) = R_WB.toRotationMatrix().transpose();
    } else {
      std::copy(q, q + body.nq, target);
    }
  }

  static void put(const Eigen::Quaterniond& value, double* target) {
    target[0] = value.w();
    Eigen::Map<Eigen::Vector3d>(target + 1) = value.vec();
  }

  const JudgedForest& forest_;
  mjModel* model_{nullptr};
  mjData* data_{nullptr};
};

TEST(MuJoCo, AgreesOnMassMatricesAndForwardDynamicsOfRandomForests) {
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    JudgedForest forest(make_scene(seed), static_cast<std::uint64_t>(seed));
    if (forest.model.nv > 0) expect_agreement(forest, MuJoCo(forest).answer());
  }
}

}  // namespace
}  // namespace rigor
