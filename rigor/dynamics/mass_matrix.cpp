#include "rigor/dynamics/mass_matrix.hpp"

namespace rigor {

void compute_mass_matrix(const Model& model, const Kinematics<double>& kin,
                         std::vector<SpatialInertia<double>>& composite, TreeMatrix& M) {
  const auto& start = M.pattern->start;
  M.values.resize(start.back());
  composite.resize(model.bodies.size());
  for (std::size_t b = 0; b < model.bodies.size(); ++b) composite[b] = kin.bodies[b].inertia;
  for (std::size_t b = model.bodies.size() - 1; b > 0; --b) {
    const ModelBody& body = model.bodies[b];
    for (int k = 0; k < body.nv; ++k) {
      const int i = body.v0 + k;
      Vec6<double> force = composite[b] * Vec6<double>(column(kin.S, i));
      double* entry = M.values.data() + start[static_cast<std::size_t>(i)];
      double& diagonal = *entry;
      for (int j = i; j >= body.v0; --j) *entry++ = column(kin.S, j).dot(force);
      diagonal += body.armature;

      // on the way to the root
      for (std::size_t at = b; model.bodies[at].parent != kWorldIndex;) {
        force = shift_force(force, kin.bodies[at].r);
        at = static_cast<std::size_t>(model.bodies[at].parent);
        const ModelBody& ancestor = model.bodies[at];
        for (int j = ancestor.v0 + ancestor.nv - 1; j >= ancestor.v0; --j)
          *entry++ = column(kin.S, j).dot(force);
      }
    }
    if (body.parent != kWorldIndex)
      composite[static_cast<std::size_t>(body.parent)].add_shifted(composite[b], kin.bodies[b].r);
  }
}

}  // namespace rigor
