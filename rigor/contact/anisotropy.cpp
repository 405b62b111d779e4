#include "rigor/contact/anisotropy.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

constexpr double kMu = 0.5;
constexpr double kStep = 0.01;    // s
constexpr double kMoves = 1e-12;  // m/s: faster counts as moving

Scene make_scene() {
  Scene scene;
  Body body;
  body.name = "point";
  body.mass = 1.0;
  body.inertia = {1.0, 1.0, 1.0};
  scene.bodies.push_back(body);
  return scene;
}

// A unit mass with the contact at its centre, so that W = 1, pressed down by 1 N s.
class PointOnFloor {
 public:
  explicit PointOnFloor(const RunSettings& settings)
      : model_(make_model(make_scene())), system_(model_), rows_(system_), law_(make_formulation(settings)) {
    system_.set_motion(model_.q_initial, model_.v_initial);
    system_.compute_inertia(Eigen::VectorXd::Zero(model_.nv));
    system_.compute_rows(0.0);
    (void)system_.factor_rows({});
    Contact contact;
    contact.a = 1;
    contact.frame << 0, 1, 0, 0, 0, 1, 1, 0, 0;
    contact.mu = kMu;
    rows_.add_contact(contact, 0);
    rows_.finish();
  }

  // The velocity after a push of this size, from rest or from sliding along it.
  void push(double size, double angle, bool slides) {
    const Eigen::Vector2d along(size * portable::cos(angle), size * portable::sin(angle));
    f_.setZero(model_.nv);
    f_.tail(3) << along, -1.0;
    rows_.compute_speeds(f_, u_free_);  // unit masses: velocities are impulses
    rows_.assemble(rows_.islands()[0], u_free_, problem_);
    FrictionState before;
    before.is_known = true;
    before.slip_speed = 1e-3;
    before.normal = 1.0 / kStep;
    if (slides) before.velocity = along;
    law_->solve({rows_, rows_.islands()[0], problem_, u_free_, f_, {&before, 1}, kStep}, answer_);
  }
  [[nodiscard]] bool moves() const { return (problem_.W * answer_.r + problem_.q).tail(2).norm() > kMoves; }
  [[nodiscard]] double friction() const { return answer_.r.tail(2).norm() / answer_.r[0] / kMu; }

 private:
  Model model_;
  ConstrainedSystem system_;
  ContactRows rows_;
  std::unique_ptr<ContactFormulation> law_;
  ConeProblem problem_;
  ContactAnswer answer_;
  Eigen::VectorXd f_, u_free_;
};

}  // namespace

Anisotropy measure_anisotropy(const RunSettings& settings, int directions) {
  PointOnFloor point(settings);
  Anisotropy found{INFINITY, 0.0, INFINITY, 0.0};
  for (int k = 0; k < directions; ++k) {
    const double angle = 2.0 * M_PI * k / directions;
    double stuck = 0.0, moves = 4.0 * kMu;
    while (moves - stuck > 1e-11) {
      const double size = 0.5 * (stuck + moves);
      point.push(size, angle, false);
      (point.moves() ? moves : stuck) = size;
    }
    found.breakaway_least = std::min(found.breakaway_least, stuck / kMu);
    found.breakaway_most = std::max(found.breakaway_most, stuck / kMu);
    point.push(6.0 * kMu, angle, true);
    found.sliding_least = std::min(found.sliding_least, point.friction());
    found.sliding_most = std::max(found.sliding_most, point.friction());
  }
  return found;
}

}  // namespace rigor
