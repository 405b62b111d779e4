# cmake -DSOURCE=viewer -DMODULES=folder -DOUT=page.cpp -DNODE=… -DNPM=… -DWITH_TESTS=… -P BuildPage.cmake: see RigorPage.cmake.

function(write_empty reason)
  message(STATUS "The replay page is left out: ${reason}")
  file(WRITE ${OUT} "// no page: ${reason}
#include \"tools/rigor/page.hpp\"

std::string_view rigor::page_template() {
  return {};
}
")
endfunction()

if(NOT NODE OR NOT NPM)
  write_empty("node and npm are not installed, or the page is not wanted")
  return()
endif()

# the packages of the lock file, unless they are there already
file(SHA256 ${SOURCE}/package-lock.json wanted)
set(wanted "${wanted} ${WITH_TESTS}")
set(have "")
if(EXISTS ${MODULES}/installed)
  file(READ ${MODULES}/installed have)
endif()
if(NOT have STREQUAL wanted)
  file(MAKE_DIRECTORY ${MODULES})
  file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${MODULES})
  set(options --ignore-scripts --no-audit --no-fund --prefer-offline)
  if(NOT WITH_TESTS)
    list(APPEND options --omit=dev)
  endif()
  execute_process(COMMAND ${NPM} ci ${options} WORKING_DIRECTORY ${MODULES} RESULT_VARIABLE status
    OUTPUT_VARIABLE log ERROR_VARIABLE log TIMEOUT 300)
  file(WRITE ${MODULES}/npm.log "${log}")
  if(NOT status STREQUAL "0")
    write_empty("npm could not install its packages, see ${MODULES}/npm.log")
    return()
  endif()
  file(WRITE ${MODULES}/installed "${wanted}")
endif()

get_filename_component(folder ${OUT} DIRECTORY)
execute_process(COMMAND ${NODE} ${SOURCE}/build.mjs ${folder} ${MODULES}/node_modules RESULT_VARIABLE status)
if(NOT status STREQUAL "0")
  message(FATAL_ERROR "the replay page cannot be bundled")
endif()
