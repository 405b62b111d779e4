include(${CMAKE_CURRENT_LIST_DIR}/RigorPrecompiled.cmake)

# One folder of rigor/ is one target, one include path and one list of what it may use.
#
#   rigor_module(solvers HEADERS lcp.hpp SOURCES lcp.cpp pgs.cpp DEPENDS rigor::math)
#
# HARDENED: reads files of others, so fuzzers steer by what is reached in it; with flags of its own it cannot share the
# precompiled headers.
# HEADERS are public: installed, and each compiled alone by tools/lint/check_headers.sh.
# INNER: the room of inner loops. GCC bounds how much a unit may grow by inlining, so in a batch it inlines less: steps of
# a pile took 5 % more time with these rooms in batches, collision 20 %. The bound is lifted for them.
function(rigor_module name)
  cmake_parse_arguments(ARG "INNER;HARDENED" "" "HEADERS;SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  set(target rigor_${name})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:rigor_flags> ${ARG_PRIVATE_DEPENDS})
    if(ARG_HARDENED)
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:rigor_hardened>)
      target_compile_options(${target} PRIVATE $<$<BOOL:${RIGOR_BUILD_FUZZERS}>:-fsanitize=fuzzer-no-link>)
      rigor_precompile(${target})
    else()
      rigor_precompile(${target} FROM rigor_precompiled)
    endif()
    rigor_batch(${target} 8)
    if(ARG_INNER)
      target_compile_options(${target} PRIVATE
        $<$<CXX_COMPILER_ID:GNU>:--param=inline-unit-growth=1000 --param=large-unit-insns=100000>)
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(rigor::${name} ALIAS ${target})
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ARG_HEADERS})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${ARG_DEPENDS})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  install(TARGETS ${target} EXPORT rigor-targets FILE_SET HEADERS)
  set_property(GLOBAL APPEND PROPERTY RIGOR_MODULES rigor::${name})
endfunction()

# rigor_add_rooms(OUT room…): adds the libraries of the rooms, and of those they use, to the list OUT.
function(rigor_add_rooms out)
  set(files ${${out}})
  foreach(room ${ARGN})
    if(NOT room MATCHES "^rigor::")
      continue()
    endif()
    get_target_property(type ${room} TYPE)
    if(type STREQUAL STATIC_LIBRARY AND NOT "$<TARGET_FILE:${room}>" IN_LIST files)
      list(APPEND files $<TARGET_FILE:${room}>)
    endif()
    get_target_property(below ${room} INTERFACE_LINK_LIBRARIES)
    rigor_add_rooms(files ${below})
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# rigor_link_rooms_first(TARGET room…): where the sanitized build compiles a program at -O0 and the rooms at -O1, of a
# function that both have, an instance of one of Eigen's templates, the linker takes the first that it sees. It shall be
# that of the rooms, also because it is theirs that is to be tested: tests of analysis took four times as long.
function(rigor_link_rooms_first target)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set(files)
    rigor_add_rooms(files ${ARGN})
    list(JOIN files "," files)
    target_link_options(${target} PRIVATE "LINKER:--whole-archive,${files},--no-whole-archive")
  endif()
endfunction()

# What the rooms share of precompiled headers: a library of nothing else, with the rooms' flags.
function(rigor_precompiled_library)
  set(source ${PROJECT_BINARY_DIR}/precompiled.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// the precompiled headers need a source\n")
  add_library(rigor_precompiled OBJECT ${source})
  target_include_directories(rigor_precompiled PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(rigor_precompiled PRIVATE rigor_flags Eigen3::Eigen fmt::fmt)
  target_compile_features(rigor_precompiled PRIVATE cxx_std_20)
  set_target_properties(rigor_precompiled PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  rigor_precompile(rigor_precompiled)
endfunction()

# rigor::rigor links every module; `find_package(rigor)` finds them all.
function(rigor_umbrella)
  get_property(modules GLOBAL PROPERTY RIGOR_MODULES)
  add_library(rigor_rigor INTERFACE)
  add_library(rigor::rigor ALIAS rigor_rigor)
  target_link_libraries(rigor_rigor INTERFACE ${modules})
  set_target_properties(rigor_rigor PROPERTIES EXPORT_NAME rigor)
  install(TARGETS rigor_rigor EXPORT rigor-targets)
endfunction()

function(rigor_install_package)
  include(CMakePackageConfigHelpers)
  set(where ${CMAKE_INSTALL_LIBDIR}/cmake/rigor)
  install(EXPORT rigor-targets NAMESPACE rigor:: DESTINATION ${where})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/rigorConfig.cmake.in
    ${PROJECT_BINARY_DIR}/rigorConfig.cmake INSTALL_DESTINATION ${where})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/rigorConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/rigorConfig.cmake ${PROJECT_BINARY_DIR}/rigorConfigVersion.cmake
    DESTINATION ${where})
endfunction()
