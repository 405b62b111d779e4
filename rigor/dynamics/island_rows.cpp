#include "rigor/dynamics/island_rows.hpp"

#include "rigor/dynamics/constraint_rows.hpp"

namespace rigor {
namespace {

class RowFiller {
 public:
  RowFiller(const MotionView& view, const Islands& islands, const Island& island,
            IslandRowsWorkspace& workspace, IslandRows& rows)
      : view_(view),
        model_(view.model),
        islands_(islands),
        island_(island),
        workspace_(workspace),
        rows_(rows) {}

  void fill(const RowBlock& block) {
    const auto index = static_cast<std::size_t>(block.index);
    switch (block.source) {
      case RowSource::kConstraint:
        return fill_constraint(model_.constraints[index], block.first);
      case RowSource::kGear:
        return fill_gear(model_.gears[index], block.first);
      case RowSource::kUserConstraint:
        return fill_user_constraint(*model_.user_constraints[index], block);
      case RowSource::kSpring:
        return fill_spring(model_.springs[index], block.first);
      case RowSource::kUserForce:
        return fill_user_force(*model_.user_forces[index], block);
    }
  }

 private:
  [[nodiscard]] int local(int speed) const { return islands_.local[static_cast<std::size_t>(speed)]; }

  // J v for row r
  [[nodiscard]] double speed_of(int r) const {
    double sum = 0.0;
    for (const TreeRange& tree : island_.trees)
      sum += rows_.Jt.col(r)
                 .segment(tree.offset, tree.end - tree.begin)
                 .dot(view_.v.segment(tree.begin, tree.end - tree.begin));
    return sum;
  }

  // a force on a body, at its reference point, adds to the row of every speed on the way to the root
  void add_wrench(int body, Vec6<double> wrench, int r) {
    double moment = wrench.head<3>().norm();  // the size that it would have if nothing had cancelled
    const double force = wrench.tail<3>().norm();
    while (body != kWorldIndex) {
      const ModelBody& own = model_.bodies[static_cast<std::size_t>(body)];
      for (int k = own.v0; k < own.v0 + own.nv; ++k) {
        const auto S = view_.kinematics.S.col(k);
        rows_.Jt(local(k), r) += S.dot(wrench);
        size_ = std::max(size_, S.head<3>().norm() * moment + S.tail<3>().norm() * force);
      }
      moment += view_.kinematics.bodies[static_cast<std::size_t>(body)].r.norm() * force;
      wrench = shift_force(wrench, view_.kinematics.bodies[static_cast<std::size_t>(body)].r);
      body = own.parent;
    }
  }

  // Between bodies that cannot move relative to each other only rounding is left of a row: it is set to
  // zero.
  void drop_rounding(int r) {
    if (rows_.Jt.col(r).squaredNorm() <= kRounding * kRounding * size_ * size_) rows_.Jt.col(r).setZero();
    size_ = 0.0;
  }

  // the forces that the sink has collected become row r
  void take_sink(int r) {
    workspace_.wrenches = workspace_.sink.wrenches();
    for (const Vec6<double>& wrench : workspace_.wrenches)
      size_ = std::max(size_, wrench.cwiseAbs().maxCoeff());
    workspace_.tau = workspace_.sink.speed_forces();
    add_generalized_forces(model_, view_.kinematics, workspace_.wrenches, workspace_.tau);
    for (const TreeRange& tree : island_.trees)
      rows_.Jt.col(r).segment(tree.offset, tree.end - tree.begin) =
          workspace_.tau.segment(tree.begin, tree.end - tree.begin);
    drop_rounding(r);
  }

  // A constraint that gives way: with stiffness and damping, or with damping alone where it holds a
  // velocity.
  void set_law(int r, const std::optional<double>& stiffness, double damping, RowLevel level) {
    rows_.level[static_cast<std::size_t>(r)] = level;
    if (!stiffness && !(level == RowLevel::kVelocity && damping > 0.0)) return;
    const double k = level == RowLevel::kPosition ? stiffness.value_or(0.0) : 0.0;
    set_elastic({k * rows_.error[r] + damping * (speed_of(r) - rows_.target[r]), k, damping}, r);
  }

  void fill_constraint(const ModelConstraint& constraint, int first) {
    compute_pair_rows(constraint, view_.kinematics, view_.t, pair_);
    for (int k = 0; k < pair_.count; ++k) {
      const PairRow& row = pair_.rows[static_cast<std::size_t>(k)];
      const int r = first + k;
      add_wrench(constraint.a, row.on_a, r);
      add_wrench(constraint.b, row.on_b, r);
      drop_rounding(r);
      rows_.error[r] = row.error;
      rows_.target[r] = row.target;
      rows_.bias[r] = row.acceleration;
      set_law(r, constraint.stiffness, constraint.damping,
              row.is_holonomic ? RowLevel::kPosition : RowLevel::kVelocity);
    }
  }

  void fill_gear(const ModelGear& gear, int r) {
    rows_.Jt(local(gear.v_a), r) += 1.0;
    rows_.Jt(local(gear.v_b), r) -= gear.ratio;
    rows_.error[r] = view_.q[gear.q_a] - gear.ratio * view_.q[gear.q_b] - gear.offset;
    set_law(r, gear.stiffness, gear.damping, RowLevel::kPosition);
  }

  void fill_user_constraint(const ConstraintElement& element, const RowBlock& block) {
    const auto part = [&](Eigen::VectorXd& values) {
      return std::span(values.data() + block.first, static_cast<std::size_t>(block.count));
    };
    const RowLevel level = element.level();
    if (level == RowLevel::kPosition) element.position_error(view_, part(rows_.error));
    element.acceleration_error(view_, part(rows_.bias));
    std::vector<double>& multipliers = workspace_.multipliers;
    multipliers.assign(static_cast<std::size_t>(block.count), 0.0);
    for (int k = 0; k < block.count; ++k) {
      multipliers[static_cast<std::size_t>(k)] = 1.0;
      workspace_.sink.reset(model_.bodies.size(), model_.nv);
      element.add_forces(view_, multipliers, workspace_.sink);
      take_sink(block.first + k);
      multipliers[static_cast<std::size_t>(k)] = 0.0;
    }
    // Θ̇ = J v − target gives the target; a row on accelerations starts at the present velocity
    if (level != RowLevel::kAcceleration) element.velocity_error(view_, part(rows_.target));
    for (int r = block.first; r < block.first + block.count; ++r) {
      rows_.target[r] = speed_of(r) - rows_.target[r];
      set_law(r, element.stiffness(), element.damping(), level);
    }
  }

  void fill_spring(const ModelSpring& spring, int r) {
    const SpringRow row = compute_spring_row(spring, view_.kinematics);
    add_wrench(spring.a, row.row.on_a, r);
    add_wrench(spring.b, row.row.on_b, r);
    drop_rounding(r);
    rows_.error[r] = row.row.error;
    set_elastic(row.elastic, r);
    using Side = Spring::Side;
    rows_.side[static_cast<std::size_t>(r)] = spring.spring.side == Side::kTension       ? -1
                                              : spring.spring.side == Side::kCompression ? 1
                                                                                         : 0;
  }

  void fill_user_force(const ForceElement& element, const RowBlock& block) {
    for (int k = 0; k < block.count; ++k) {
      workspace_.sink.reset(model_.bodies.size(), model_.nv);
      element.add_row_forces(view_, k, 1.0, workspace_.sink);
      take_sink(block.first + k);
      set_elastic(element.elastic_force(view_, k), block.first + k);
    }
  }

  void set_elastic(const ElasticForce& elastic, int r) {
    rows_.is_rigid[static_cast<std::size_t>(r)] = 0;
    rows_.force[r] = elastic.force;
    rows_.stiffness[r] = elastic.stiffness;
    rows_.damping[r] = elastic.damping;
  }

  const MotionView& view_;
  const Model& model_;
  const Islands& islands_;
  const Island& island_;
  IslandRowsWorkspace& workspace_;
  IslandRows& rows_;
  PairRows pair_;
  double size_{0.0};  // largest term in the sums of the present row

  static constexpr double kRounding = 1e-14;
};

}  // namespace

void compute_island_rows(const MotionView& view, const Islands& islands, const Island& island,
                         IslandRowsWorkspace& workspace, IslandRows& rows) {
  rows.Jt.setZero(island.speeds, island.rows);
  for (Eigen::VectorXd* values :
       {&rows.error, &rows.target, &rows.bias, &rows.force, &rows.stiffness, &rows.damping})
    values->setZero(island.rows);
  const auto count = static_cast<std::size_t>(island.rows);
  rows.is_rigid.assign(count, 1);
  rows.level.assign(count, RowLevel::kPosition);
  rows.side.assign(count, 0);
  RowFiller filler(view, islands, island, workspace, rows);
  for (const RowBlock& block : island.blocks) filler.fill(block);
}

}  // namespace rigor
