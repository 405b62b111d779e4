#pragma once

#include "rigor/math/block3.hpp"

namespace rigor {

/// Four numbers, one of each of four contacts.
using Pack = Column3;

/// Four contacts of the interior point, side by side: x = (mu r_N, r_T) and z in the Lorentz cone, and what a step needs
/// of them. Lanes without a contact have `counts` 0, x = z = e and do not move.
struct alignas(32) LorentzPack {
  Pack counts, mu;
  Pack x[3], z[3], dx[3], dz[3];
  Pack gap[3];           // û − P z
  Pack turn[2];          // derivative of mu ‖u_T‖ by u_T
  Pack w[3], eta, root;  // scaling point of Nesterov and Todd: T = eta (2 w wᵀ − J), root = √eta
};

}  // namespace rigor
