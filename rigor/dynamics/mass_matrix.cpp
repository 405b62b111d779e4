#include "rigor/dynamics/mass_matrix.hpp"

namespace rigor {
namespace {

// The rows of a body whose S is the unit matrix, each backwards from its diagonal: (1) of SpatialInertia.
void fill_plain(const SpatialInertia<double>& of, double armature, double* entry) {
  const double *const I = of.I.data(), m = of.m, x = of.h[0], y = of.h[1], z = of.h[2];
  const double entries[21] = {I[0], I[4], I[3], I[8], I[7], I[6],  //
                              m,    -y,   z,    0.0,               //
                              m,    0.0,  x,    0.0,  -z,          //
                              m,    0.0,  0.0,  0.0,  -x,   y};
  std::copy_n(entries, 21, entry);
  for (const int diagonal : {0, 1, 3, 6, 10, 15}) entry[diagonal] += armature;
}

}  // namespace

void compute_mass_matrix(const Model& model, const Kinematics<double>& kin,
                         std::vector<SpatialInertia<double>>& composite, TreeMatrix& M) {
  const auto& start = M.pattern->start;
  M.values.resize(start.back());
  composite.resize(model.bodies.size());
  for (std::size_t b = 0; b < model.bodies.size(); ++b) composite[b] = kin.bodies[b].inertia;
  for (std::size_t b = model.bodies.size() - 1; b > 0; --b) {
    const ModelBody& body = model.bodies[b];
    if (is_plain(body)) {
      fill_plain(composite[b], body.armature, M.values.data() + start[static_cast<std::size_t>(body.v0)]);
      continue;
    }
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
