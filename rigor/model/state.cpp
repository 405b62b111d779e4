#include "rigor/model/state.hpp"

namespace rigor {
namespace {

Eigen::Quaterniond quaternion(const Eigen::VectorXd& q, int at) {
  return {q[at], q[at + 1], q[at + 2], q[at + 3]};
}

void put(const Eigen::Quaterniond& value, int at, Eigen::VectorXd& q) {
  q[at] = value.w();
  q.segment<3>(at + 1) = value.vec();
}

}  // namespace

int quaternion_at(const ModelBody& body) {
  if (body.type == JointType::kFree) return body.q0 + 3;  // behind the position
  return body.type == JointType::kBall ? body.q0 : -1;
}

State make_state(const Model& model) {
  State state{0.0, model.q_initial, model.v_initial, {}};
  normalize(model, state.q);
  return state;
}

void move(const Model& model, const Eigen::VectorXd& d, Eigen::VectorXd& q) {
  for (const ModelBody& body : model.bodies) {
    const int at = quaternion_at(body);
    if (at < 0) {
      q.segment(body.q0, body.nq) += d.segment(body.v0, body.nv);
      continue;
    }
    const Eigen::Vector3d turn = d.segment<3>(body.v0);
    // a body that does not turn keeps its quaternion to the last bit
    if (!turn.isZero(0.0)) put((quaternion_exp(turn) * quaternion(q, at)).normalized(), at, q);
    if (body.type == JointType::kFree) q.segment<3>(body.q0) += d.segment<3>(body.v0 + 3);
  }
}

void compute_q_dot(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                   Eigen::VectorXd& q_dot) {
  q_dot.resize(model.nq);
  for (const ModelBody& body : model.bodies) {
    const int at = quaternion_at(body);
    if (at < 0) {
      q_dot.segment(body.q0, body.nq) = v.segment(body.v0, body.nv);
      continue;
    }
    // d/dt of a quaternion: ½ (0, ω) ⊗ quaternion, ω in axes of F
    const Eigen::Quaterniond half(0.0, 0.5 * v[body.v0], 0.5 * v[body.v0 + 1], 0.5 * v[body.v0 + 2]);
    put(half * quaternion(q, at), at, q_dot);
    if (body.type == JointType::kFree) q_dot.segment<3>(body.q0) = v.segment<3>(body.v0 + 3);
  }
}

void normalize(const Model& model, Eigen::VectorXd& q) {
  for (const ModelBody& body : model.bodies)
    if (const int at = quaternion_at(body); at >= 0) q.segment<4>(at).normalize();
}

}  // namespace rigor
