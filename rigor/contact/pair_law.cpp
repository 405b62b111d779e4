#include "rigor/contact/pair_law.hpp"

#include <algorithm>

namespace rigor {

PairLaw make_pair_law(const Material& a, const Material& b) {
  PairLaw law;
  law.is_of_a = a.mu.along <= b.mu.along;
  law.friction = law.is_of_a ? &a : &b;
  const auto in_series = [](double x, double y) { return x > 0.0 && y > 0.0 ? x * y / (x + y) : 0.0; };
  const auto combine = [&](auto stiffness, auto damping, double& k, double& c) {
    if (a.*stiffness && b.*stiffness) {
      k = in_series(*(a.*stiffness), *(b.*stiffness));
      c = in_series(a.*damping, b.*damping);
    } else if (a.*stiffness || b.*stiffness) {
      const Material& soft = a.*stiffness ? a : b;
      k = *(soft.*stiffness);
      c = soft.*damping;
    }
  };
  combine(&Material::stiffness, &Material::damping, law.stiffness, law.damping);
  combine(&Material::friction_stiffness, &Material::friction_damping, law.friction_stiffness,
          law.friction_damping);
  law.is_rigid = !a.stiffness && !b.stiffness;
  return law;
}

double friction_at(const Material& material, double speed) {
  if (material.mu_curve) return std::max(0.0, evaluate(*material.mu_curve, speed));
  if (material.mu_static && speed < material.slip_speed) return *material.mu_static;
  return material.mu.along;
}

}  // namespace rigor
