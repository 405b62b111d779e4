# Other engines, as judges in tests and as peers in measurements; the library itself never uses them. Each that is
# installed becomes a target peer_<NAME>: peer_DART, peer_MUJOCO, peer_ODE, peer_SIMBODY (Debian: libdart-dev,
# libmujoco-dev, libode-dev, libsimbody-dev).
include_guard(GLOBAL)

# rigor_find_peer(MUJOCO HEADER mujoco/mujoco.h LIBRARIES mujoco): include path and libraries, found or absent together.
function(rigor_find_peer name)
  cmake_parse_arguments(ARG "" "HEADER" "LIBRARIES;SUFFIXES" ${ARGN})
  find_path(${name}_INCLUDE ${ARG_HEADER} PATH_SUFFIXES ${ARG_SUFFIXES})
  mark_as_advanced(${name}_INCLUDE)
  set(libraries)
  foreach(library ${ARG_LIBRARIES})
    find_library(${name}_${library} ${library})
    mark_as_advanced(${name}_${library})
    if(NOT ${name}_${library})
      return()
    endif()
    list(APPEND libraries ${${name}_${library}})
  endforeach()
  if(NOT ${name}_INCLUDE)
    return()
  endif()
  add_library(peer_${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(peer_${name} SYSTEM INTERFACE ${${name}_INCLUDE})
  target_link_libraries(peer_${name} INTERFACE ${libraries})
endfunction()

rigor_find_peer(DART HEADER dart/dynamics/Skeleton.hpp LIBRARIES dart)
rigor_find_peer(MUJOCO HEADER mujoco/mujoco.h LIBRARIES mujoco)
rigor_find_peer(ODE HEADER ode/ode.h LIBRARIES ode)
rigor_find_peer(SIMBODY HEADER Simbody.h SUFFIXES simbody LIBRARIES SimTKsimbody SimTKmath SimTKcommon)
