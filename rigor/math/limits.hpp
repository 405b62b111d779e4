#pragma once

#include <limits>

namespace rigor {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kUnitRoundoff = std::numeric_limits<double>::epsilon();  // from 1 to the next double

}  // namespace rigor
