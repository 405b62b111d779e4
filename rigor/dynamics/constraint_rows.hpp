#pragma once

#include <array>

#include "rigor/dynamics/kinematics.hpp"

/// The equations of each type of constraint between two bodies a and b: error, forces, and what is left of
/// its second derivative.
///
/// With Pa, Pb the points, n, t, d directions fixed in b, s one fixed in a (all in axes of W), u(P) = v_a(P)
/// − v_b(P) the relative velocity of the bodies' material points at P and a_a(P), a_b(P) their accelerations:
///
///     row             Θ                 Θ̇               Θ̈
///     point along e   e·(Pa − Pb)       e·(vPa − vPb)   e·(aPa − aPb)                        e fixed in W
///     point across n  n·(Pa − Pb)       n·u(Pa)         n·(a_a − a_b) + 2 (ω_b × n)·u
///     axes            t·s               (ω_a − ω_b)·(s × t)   (α_a − α_b)·(s × t) + (ω_a − ω_b)·(ṡ × t + s ×
///     ṫ) distance        |Pa − Pb| − L     e·(vPa − vPb)   e·(aPa − aPb) + (|ḋ|² − (e·ḋ)²)/|d|    e = d/|d|
///     knife edge      –                 s·u(Pa)         s·(a_a − a_b − ω_b × u) + (ω_a × s)·u
///     rolling         n·(X − Pb)        d·u(X)          d·u̇ + (ω_b × d)·u                      X the point
///     of touch speed, spin     –                 n·u(Pa) − g(t),   n·(ω_a − ω_b) − g(t)
///
/// ball = 3 points; hinge = 3 points, 2 axes; weld = 3 points, 3 axes; point on line = 2 across; rolling: n
/// and two tangents, of which only the first has a Θ. Θ̇ = on_a·V_a + on_b·V_b − target: the same wrenches,
/// times a multiplier, are the forces on the two bodies.
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
