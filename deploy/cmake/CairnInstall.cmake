# SPDX-License-Identifier: BSD-3-Clause
# cmake --install: the command, the library, the headers, cairn.pc, the CMake package.

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
  file(GLOB verbs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/verb_*.c)
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
configure_file(deploy/cmake/cairnConfig.cmake.in ${PROJECT_BINARY_DIR}/cairnConfig.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cairnConfig.cmake ${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake
  DESTINATION ${package})

configure_file(deploy/cmake/cairn.pc.in ${PROJECT_BINARY_DIR}/cairn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cairn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
