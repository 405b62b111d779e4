#pragma once

#include <cstddef>

namespace rigor {

/// What a scene may hold. Published by `rigor list limits`; checked before memory is taken.
struct SceneLimits {
  std::size_t max_file_bytes{64U << 20U};  // of one file
  std::size_t max_values{1'000'000};       // JSON values in one file
  std::size_t max_depth{1000};             // nested lists and objects
  std::size_t max_files{100};              // the scene and all that it includes
  std::size_t max_include_depth{16};       // files that include files
  std::size_t max_elements{200'000};       // of each list (bodies, shapes, …), after repeat and include
  std::size_t max_name_bytes{255};         // of a name
};

}  // namespace rigor
