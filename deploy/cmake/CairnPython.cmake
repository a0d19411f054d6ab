# SPDX-License-Identifier: BSD-3-Clause
# The Python package, python/ of the build tree: its files, and the library without MPI. It
# is made of the objects that the library is made of, but for those that know of MPI, which
# are compiled once more without. With CAIRN_PYTHON_MPI the library has the MPI that was
# found (cairn.mpi), and is for this machine.

# A library under a sanitizer is for programs that were linked with it.
if(CMAKE_C_FLAGS MATCHES "-fsanitize|-coverage" OR CAIRN_FUZZ)
  set(default OFF)
else()
  set(default ON)
endif()
option(CAIRN_PYTHON "Build the Python package" ${default})
if(NOT CAIRN_PYTHON)
  return()
endif()

option(CAIRN_PYTHON_MPI "The Python package's library has MPI" OFF)
if(CAIRN_PYTHON_MPI AND NOT CAIRN_WITH_MPI)
  message(FATAL_ERROR "CAIRN_PYTHON_MPI needs CAIRN_WITH_MPI")
endif()

# Rooms that know of MPI, for this library alone.
set(rooms ${CAIRN_ROOMS})
if(CAIRN_WITH_MPI AND NOT CAIRN_PYTHON_MPI)
  list(REMOVE_ITEM rooms cairn_comm cairn_comm_mpi cairn_api)
  cairn_room(comm_alone DIR comm comm/self USES convert io LIBS ZLIB::ZLIB)
  cairn_room(api_alone DIR src/api FOLDERS ${CAIRN_API_FOLDERS} USES auto LIBS OpenMP::OpenMP_C)
  list(APPEND rooms cairn_comm_alone cairn_api_alone)
endif()

set(package ${PROJECT_BINARY_DIR}/python/cairn)
add_library(cairn_python SHARED)
foreach(room IN LISTS rooms)
  target_sources(cairn_python PRIVATE $<TARGET_OBJECTS:${room}>)
endforeach()
target_link_libraries(cairn_python PRIVATE ZLIB::ZLIB OpenMP::OpenMP_C PkgConfig::HWLOC
  PkgConfig::JANSSON ${CMAKE_DL_LIBS} m)
if(CAIRN_PYTHON_MPI)
  target_link_libraries(cairn_python PRIVATE MPI::MPI_C ${cairn_rt})
endif()
# Of the two ways to say where libraries are, the old one holds for libraries of libraries,
# too, and none of a system's settings comes before it.
target_link_options(cairn_python PRIVATE -Wl,--build-id -Wl,--disable-new-dtags
  ${CAIRN_LINK_OPTIONS})
set_target_properties(cairn_python PROPERTIES OUTPUT_NAME cairn
  LIBRARY_OUTPUT_DIRECTORY ${package}/.libs
  INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/cairn/*.py)
set(copies)
foreach(source IN LISTS sources)
  get_filename_component(name ${source} NAME)
  add_custom_command(OUTPUT ${package}/${name}
    COMMAND ${CMAKE_COMMAND} -E copy ${source} ${package}/${name}
    DEPENDS ${source} COMMENT "Copying ${name}" VERBATIM)
  list(APPEND copies ${package}/${name})
endforeach()
add_custom_target(cairn_package ALL DEPENDS ${copies})
add_dependencies(cairn_package cairn_python)

# What goes into a wheel: cmake --install BUILD --component python --prefix FOLDER.
install(FILES ${sources} DESTINATION cairn COMPONENT python EXCLUDE_FROM_ALL)
install(TARGETS cairn_python LIBRARY DESTINATION cairn/.libs COMPONENT python EXCLUDE_FROM_ALL)
if(CAIRN_PYTHON_MPI)
  return() # An MPI is a machine's own, and so are the libraries that it has loaded.
endif()
# Libraries that a wheel may not expect of a system come along, under the names by which
# they are looked for. (Debian's static ones are not made to be part of a shared library.)
install(CODE "
  set(to \"\${CMAKE_INSTALL_PREFIX}/cairn/.libs\")
  file(GET_RUNTIME_DEPENDENCIES LIBRARIES \"$<TARGET_FILE:cairn_python>\"
    RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
    PRE_EXCLUDE_REGEXES \"^(libc|libm|libdl|librt|libpthread|libgcc_s|libz|ld-linux.*)\\\\.so\")
  if(missing)
    message(FATAL_ERROR \"python: not found: \${missing}\")
  endif()
  foreach(library IN LISTS found)
    get_filename_component(name \"\${library}\" NAME)
    file(REAL_PATH \"\${library}\" real)
    file(COPY_FILE \"\${real}\" \"\${to}/\${name}\")
    message(STATUS \"Vendored: \${name} of \${real}\")
  endforeach()" COMPONENT python EXCLUDE_FROM_ALL)
