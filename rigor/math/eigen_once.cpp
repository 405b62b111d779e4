#include "rigor/math/eigen_once.hpp"

RIGOR_EIGEN_ONCE()
