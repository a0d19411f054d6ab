# SPDX-License-Identifier: BSD-3-Clause
# The plug-in for PETSc, where PETSc's headers are, those among them that its own matrix
# types are made with. It serves the minor version that it was built for alone. PETSc is
# found by pkg-config: one in a folder of its own by PKG_CONFIG_PATH.

pkg_check_modules(PETSC QUIET IMPORTED_TARGET PETSc)
set(why "no PETSc here (pkg-config PETSc)")
set(found OFF)
if(PETSC_FOUND)
  find_path(CAIRN_PETSC_HEADERS petsc/private/matimpl.h
    PATHS ${PETSC_INCLUDE_DIRS} NO_DEFAULT_PATH)
  set(why "PETSc ${PETSC_VERSION} is without petsc/private/matimpl.h")
  if(CAIRN_PETSC_HEADERS)
    file(STRINGS ${CAIRN_PETSC_HEADERS}/petscconf.h other
      REGEX "PETSC_USE_(COMPLEX|REAL_SINGLE|REAL___FLOAT128|REAL___FP16) 1")
    set(why "PETSc ${PETSC_VERSION} has other scalars than real doubles")
    if(NOT other AND MPI_C_FOUND)
      set(found ON)
    endif()
  endif()
endif()
option(CAIRN_WITH_PETSC "Build the plug-in for PETSc" ${found})

if(CAIRN_WITH_PETSC AND found)
  add_library(cairnpetsc SHARED petsc/cairnpetsc.c petsc/settings.c petsc/shadow.c petsc/shell.c petsc/whole.c)
  target_compile_definitions(cairnpetsc PRIVATE CAIRN_WARN_DEPRECATED)
  target_compile_options(cairnpetsc PRIVATE -Wall -Wextra -fvisibility=hidden
    $<$<BOOL:${CAIRN_WERROR}>:-Werror>)
  target_link_libraries(cairnpetsc PRIVATE cairn PkgConfig::PETSC MPI::MPI_C)
  # PetscFinalize() unloads plug-ins and frees its communicators after that, with what ours
  # has left there.
  target_link_options(cairnpetsc PRIVATE LINKER:-z,nodelete)
  set_target_properties(cairnpetsc PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS cairnpetsc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT petsc)
  message(STATUS "petsc: a plug-in for PETSc ${PETSC_VERSION}")
elseif(CAIRN_WITH_PETSC)
  message(FATAL_ERROR "CAIRN_WITH_PETSC: ${why}")
else()
  message(STATUS "petsc: not built: ${why}")
endif()
