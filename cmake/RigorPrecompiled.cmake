# What makes a build from nothing short. Most of a compilation is reading Eigen, fmt and the standard library and
# making code of Eigen's templates, the same in every source:
#
# - they are read once, before everything else. The headers say all the same what they use:
#   tools/lint/check_headers.sh compiles each alone, without this;
# - Eigen's factors are compiled once: rigor/math/eigen_once.hpp;
# - the sources of a room are compiled in batches (CMake's UNITY_BUILD). Names in the anonymous namespaces of one room
#   must differ.
option(RIGOR_PRECOMPILED "Read Eigen, fmt and the standard library once for all sources" ON)
option(RIGOR_BATCHES "Compile several sources of a room at a time" ON)
set(RIGOR_BATCH_SCALE 1 CACHE STRING "How many times as many: larger for builds that are made whole, not changed")
set(RIGOR_PRECOMPILED_HEADERS
  ${PROJECT_SOURCE_DIR}/rigor/math/eigen_once.hpp <Eigen/Geometry> <Eigen/SparseCore> <fmt/format.h>
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

# rigor_batch(TARGET SIZE): sources of the target are compiled SIZE · RIGOR_BATCH_SCALE at a time. Batches are small
# enough that a change in one source is compiled in seconds.
function(rigor_batch target size)
  if(RIGOR_BATCHES)
    math(EXPR scaled "${size} * ${RIGOR_BATCH_SCALE}")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${scaled})
  endif()
endfunction()
