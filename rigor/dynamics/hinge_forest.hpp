#pragma once

#include <vector>

#include "rigor/model/model.hpp"

/// Accelerations of trees of hinges on which no force acts, near positions that are known: what FreeMotion asks for
/// several times a step. Articulated bodies [F08, 7.3] with
///
/// - all spatial vectors of a tree in axes of W about one point O, the reference point of its root when it began: going
///   from link to link is addition, no shift and no rotation;
/// - the inertias eliminated once for each place, D = S·U + armature, U = I_A S, I_A of the parent += I_A − U D⁻¹ Uᵀ,
///   and then for any speeds there three short passes: with A₀ the accelerations at v̇ = 0,
///
///     root to leaves     V = V_P + S v,   A₀ = A₀_P + V_P × S v,   p = I A₀ + V ×* I V
///     leaves to root     p_P += p + U D⁻¹ u,   u = −S·p                                                      (1)
///     root to leaves     v̇ = D⁻¹ u − D⁻¹ U·A_P,   A = A_P + S v̇
///
/// - links turned from where they began by angles that are small, whose sines are short series.
///
/// A root is a hinge on the world, or a free body with speeds along the axes of W (is_plain()); there I_A v̇ = −p.
///
/// [F08] R. Featherstone. Rigid Body Dynamics Algorithms. Springer, 2008.
namespace rigor {

class HingeForest {
 public:
  /// Whether the model is such a forest, and no speed is prescribed.
  [[nodiscard]] static bool takes(const Model& model);
  /// Of a model that it takes.
  explicit HingeForest(const Model& model);

  /// Begins where `kin` has the positions of the model's bodies. False where a hinge meets no inertia.
  [[nodiscard]] bool begin(const Kinematics<double>& kin);
  /// Goes to the positions that move() reaches from the beginning with d: rad or m, one per speed. False as above.
  [[nodiscard]] bool place(const Eigen::VectorXd& d);
  /// v̇ of M v̇ = −c(q, v) at the positions where it is.
  void accelerate(const Eigen::VectorXd& v, Eigen::VectorXd& a);

 private:
  struct alignas(16) Six {
    double x[6];
  };
  struct Link {  // what does not move, and the rotation at the beginning
    std::size_t parent{0};
    int v0{0};
    bool is_free{false}, has_mass{false};
    double armature{0.0}, m{0.0};
    double axis[3], offset[3],
        center[3];   // in J: the hinge's axis, the centre of mass; in J of the parent: J's origin
    double I[9];     // about the centre of mass, in J
    double turn[9];  // R_PJ at the beginning; of a root R_WJ
  };
  struct Place {  // in axes of W, about O
    double R[9], p[3];
    Six S, UD;              // of a hinge
    double inverse_D{0.0};  // likewise
    double m{0.0}, h[3], I[9];
  };
  struct Motion {
    Six V, A;  // A₀, then accelerations beyond it
    Six p;
    double u{0.0};
  };

  void set_inertia(std::size_t b);
  [[nodiscard]] bool eliminate();
  [[nodiscard]] bool factor_root(std::size_t b);
  void solve_root(std::size_t b, double* x) const;
  void compute_forces(const Eigen::VectorXd& v);

  std::vector<Link> links_;
  std::vector<Place> places_;
  std::vector<Motion> motions_;
  struct alignas(16) Matrix {
    double x[36];
  };
  std::vector<Matrix> inertia_;  // I_A by columns; of a free root its factor L, L Lᵀ = I_A
};

}  // namespace rigor
