#pragma once

#include <array>

#include "rigor/dynamics/kinematics.hpp"

/// The equations of each type of constraint between two bodies a and b: error, forces, and the part of the
/// second derivative that does not depend on v̇.
///
/// Pa, Pb are the points; n, t, d are directions fixed in b, s one fixed in a (all in axes of W), e one fixed
/// in W or, for a distance, along d = Pa − Pb; X is the point of touch. u(P) = v_a(P) − v_b(P) is the
/// relative velocity of the bodies' material points at P; a_a(P), a_b(P) are their accelerations.
///
///     row            Θ               Θ̇                    Θ̈
///     point along e  e·(Pa − Pb)     e·(vPa − vPb)        e·(aPa − aPb)
///     point across n n·(Pa − Pb)     n·u(Pa)              n·(a_a − a_b) + 2 (ω_b × n)·u
///     axes           t·s             (ω_a − ω_b)·(s × t)  (α_a − α_b)·(s × t) + (ω_a − ω_b)·(ṡ × t + s × ṫ)
///     distance       |Pa − Pb| − L   e·(vPa − vPb)        e·(aPa − aPb) + (|ḋ|² − (e·ḋ)²)/|d|
///     knife edge     –               s·u(Pa)              s·(a_a − a_b − ω_b × u) + (ω_a × s)·u
///     rolling        n·(X − Pb)      d·u(X)               d·u̇ + (ω_b × d)·u
///     speed          –               n·u(Pa) − g(t)       n·(a_a − a_b) + 2 (ω_b × n)·u − ġ
///     spin           –               n·(ω_a − ω_b) − g(t) n·(α_a − α_b) + (ω_b × n)·(ω_a − ω_b) − ġ
///
/// A ball has 3 rows "point along e"; a hinge 3 and 2 axes; a weld 3 and 3 axes; a point on a line 2 rows
/// "point across n". Rolling has n and two tangents, of which only the first has a Θ. The wrenches of a row,
/// times its multiplier, are the forces on the two bodies: Θ̇ = on_a·V_a + on_b·V_b − target.
namespace rigor {

/// One equation. A nonholonomic one has no error.
struct PairRow {
  Vec6<double> on_a{
      Vec6<double>::Zero()};  // force on each body, at its reference point, per unit of multiplier
  Vec6<double> on_b{Vec6<double>::Zero()};
  double error{0.0};         // Θ
  double target{0.0};        // Θ̇ + target = on_a·V_a + on_b·V_b
  double acceleration{0.0};  // Θ̈ at the accelerations that `kin` holds
  bool is_holonomic{true};
};

struct PairRows {
  std::array<PairRow, 6> rows;
  int count{0};

  PairRow& add() { return rows[static_cast<std::size_t>(count++)] = PairRow{}; }
};

/// How many equations a constraint has, and what each of them holds ("position x", "rotation 1", …).
[[nodiscard]] int count_rows(const ConstraintGeometry& geometry);
[[nodiscard]] std::string describe_row(const ConstraintGeometry& geometry, int row);

/// The equations at time t [s]. Errors need positions, targets the time alone; `acceleration` needs
/// velocities and accelerations.
void compute_pair_rows(const ModelConstraint& constraint, const Kinematics<double>& kin, double t,
                       PairRows& rows);

/// A spring's row: how its length changes, and F(x, ẋ) with derivatives. x = length − rest_length.
struct SpringRow {
  PairRow row;           // error: x
  ElasticForce elastic;  // the damper's part included
};
[[nodiscard]] SpringRow compute_spring_row(const ModelSpring& spring, const Kinematics<double>& kin);

}  // namespace rigor
