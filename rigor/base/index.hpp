#pragma once

#include <cstddef>

namespace rigor {

/// A signed number as an index of a std::vector: blocks[at(k)].
constexpr std::size_t at(std::ptrdiff_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace rigor
