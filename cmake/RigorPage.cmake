# rigor_page(VARIABLE): the C++ file with the replay page of viewer/, built by npm's packages.
#
# Where node or the packages cannot be had, the file holds an empty page, everything else builds, and the program says
# what is missing when a page is asked for. The next configuration tries again.
function(rigor_page variable)
  find_program(RIGOR_NODE NAMES node nodejs)
  find_program(RIGOR_NPM npm)
  set(npm ${RIGOR_NPM})
  if(NOT RIGOR_WITH_PAGE)
    set(npm "")
  endif()
  set(page ${PROJECT_BINARY_DIR}/viewer/page.cpp)
  # one copy of the packages for all builds beside each other
  get_filename_component(beside ${PROJECT_BINARY_DIR} DIRECTORY)
  set(modules ${beside}/viewer-modules)
  if(EXISTS ${page})
    file(STRINGS ${page} empty REGEX "no page" LIMIT_COUNT 1)
    if(empty)
      file(REMOVE ${page})
    endif()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/src/*)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/viewer -DMODULES=${modules} -DOUT=${page}
            "-DNODE=${RIGOR_NODE}" "-DNPM=${npm}" -DWITH_TESTS=${RIGOR_BUILD_TESTS}
            -P ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
    DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/viewer/index.html ${PROJECT_SOURCE_DIR}/viewer/build.mjs
            ${PROJECT_SOURCE_DIR}/viewer/package-lock.json ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
    COMMENT "Bundling the replay page"
    VERBATIM)
  set(${variable} ${page} PARENT_SCOPE)
endfunction()
