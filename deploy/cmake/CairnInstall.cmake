# SPDX-License-Identifier: BSD-3-Clause
# cmake --install: the command, the library, the headers, what pkg-config and CMake find them
# by. All may be moved afterwards: paths are told from where the files lie.

include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)

set_target_properties(cairn PROPERTIES EXPORT_NAME cairn)
install(TARGETS cairn EXPORT cairnTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET cairn_cli)
  file(RELATIVE_PATH libdir_from_bindir
    ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(cairn_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${libdir_from_bindir}")
  install(TARGETS cairn_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Manual pages and completion: the command prints them from the tables that it reads its
# arguments by. Verbs are the files of that name.
if(TARGET cairn_cli)
  file(GLOB verbs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/verbs/verb_*.c)
  list(TRANSFORM verbs REPLACE ".*/verb_(.*)\\.c" "\\1")
  set(written ${PROJECT_BINARY_DIR}/share)
  set(pages)

  # cairn_written(file question...): the answer to a question, in a file of share/.
  function(cairn_written file)
    get_filename_component(folder ${written}/${file} DIRECTORY)
    add_custom_command(OUTPUT ${written}/${file}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND cairn_cli ${ARGN} > ${written}/${file}
      DEPENDS cairn_cli COMMENT "Writing ${file}" VERBATIM)
    set(pages ${pages} ${written}/${file} PARENT_SCOPE)
  endfunction()

  cairn_written(man/man1/cairn.1 --man cairn)
  cairn_written(man/man7/cairn-formats.7 --man formats)
  foreach(verb IN LISTS verbs)
    cairn_written(man/man1/cairn-${verb}.1 --man ${verb})
  endforeach()
  cairn_written(bash-completion/completions/cairn --completion bash)
  cairn_written(zsh/site-functions/_cairn --completion zsh)
  cairn_written(fish/vendor_completions.d/cairn.fish --completion fish)
  add_custom_target(cairn_pages ALL DEPENDS ${pages})
  install(DIRECTORY ${written}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
  foreach(shell bash-completion zsh fish)
    install(DIRECTORY ${written}/${shell} DESTINATION ${CMAKE_INSTALL_DATADIR})
  endforeach()
endif()

install(DIRECTORY include/cairn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.f90")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT cairnTargets NAMESPACE cairn:: DESTINATION ${package})
export(EXPORT cairnTargets NAMESPACE cairn:: FILE ${PROJECT_BINARY_DIR}/cairnTargets.cmake)
# What the package's components are told of this build: the names of MPI's libraries, the
# minor version of PETSc, what is opened at run time.
set(cairn_mpi_names)
set(cairn_mpi_libs ${MPI_C_LINK_FLAGS})
set(cairn_mpi_cflags ${MPI_C_COMPILE_OPTIONS})
foreach(library IN LISTS MPI_C_LIBRARIES)
  get_filename_component(name "${library}" NAME_WE)
  list(APPEND cairn_mpi_names ${name})
  list(APPEND cairn_mpi_libs ${library})
endforeach()
foreach(folder IN LISTS MPI_C_INCLUDE_DIRS)
  list(APPEND cairn_mpi_cflags -I${folder})
endforeach()
list(JOIN cairn_mpi_names " " cairn_mpi_names)
list(JOIN cairn_mpi_libs " " cairn_mpi_libs)
list(JOIN cairn_mpi_cflags " " cairn_mpi_cflags)
set(cairn_petsc_version)
if(TARGET cairnpetsc)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" cairn_petsc_version "${PETSC_VERSION}")
endif()
set(cairn_opened)
foreach(library opencl hdf5 ptscotch)
  string(TOUPPER ${library} upper)
  if(CAIRN_WITH_${upper})
    string(APPEND cairn_opened " ${library}")
  endif()
endforeach()

configure_file(deploy/cmake/cairn-config.cmake.in ${PROJECT_BINARY_DIR}/cairn-config.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cairn-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cairn-config.cmake ${PROJECT_BINARY_DIR}/cairn-config-version.cmake
  DESTINATION ${package})

# Folders of their own (CMAKE_INSTALL_LIBDIR=/somewhere) stay where they were said to be.
file(RELATIVE_PATH cairn_pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" cairn_pc_prefix "\${pcfiledir}/${cairn_pc_prefix}")
foreach(folder lib include)
  string(TOUPPER ${folder} upper)
  set(cairn_pc_${folder}dir ${CMAKE_INSTALL_${upper}DIR})
  if(NOT IS_ABSOLUTE "${cairn_pc_${folder}dir}")
    string(PREPEND cairn_pc_${folder}dir "\${prefix}/")
  endif()
endforeach()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(cairn_pc_prefix ${CMAKE_INSTALL_PREFIX})
endif()
set(files cairn.pc)
if(CAIRN_WITH_MPI)
  list(APPEND files cairn-mpi.pc)
endif()
foreach(file IN LISTS files)
  configure_file(deploy/cmake/${file}.in ${PROJECT_BINARY_DIR}/${file} @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
