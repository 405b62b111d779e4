#pragma once

#include <Eigen/Core>

#include "rigor/math/random.hpp"

namespace rigor {

/// Three independent normal numbers: no direction is preferred.
inline Eigen::Vector3d random_vector(Random& random) {
  return {random.gaussian(), random.gaussian(), random.gaussian()};
}

}  // namespace rigor
