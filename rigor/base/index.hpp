#pragma once

#include <cstddef>

namespace rigor {

/// A signed number of something as the place in a std::vector that it stands for: blocks[at(k)].
constexpr std::size_t at(std::ptrdiff_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace rigor
