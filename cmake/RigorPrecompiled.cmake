# Half of a compilation was reading Eigen, fmt and the standard library: they are read once, before everything else.
#
# The headers say all the same what they use: tools/lint/check_headers.sh compiles each alone, without this.
option(RIGOR_PRECOMPILED "Read Eigen, fmt and the standard library once for all sources" ON)
set(RIGOR_PRECOMPILED_HEADERS
  <Eigen/Core> <Eigen/Geometry> <Eigen/SparseCore> <fmt/format.h>
  <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <numbers>
  <numeric> <optional> <set> <span> <string> <string_view> <utility> <variant> <vector>)

# rigor_precompile(TARGET [FROM OTHER | MORE <header>…]): reads what OTHER, a target with the same flags, has read
# before, or the headers above and MORE.
function(rigor_precompile target)
  cmake_parse_arguments(ARG "" "FROM" "MORE" ${ARGN})
  if(NOT RIGOR_PRECOMPILED)
    return()
  endif()
  if(ARG_FROM)
    target_precompile_headers(${target} REUSE_FROM ${ARG_FROM})
  else()
    target_precompile_headers(${target} PRIVATE ${RIGOR_PRECOMPILED_HEADERS} ${ARG_MORE})
  endif()
endfunction()
