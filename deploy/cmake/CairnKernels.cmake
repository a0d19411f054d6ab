# SPDX-License-Identifier: BSD-3-Clause
# The kernels that come with the library, in kernels/ of the build tree: C files and the
# table by which they are found (src/emit/prebuilt.h), written by cairn-gen.

option(CAIRN_PREBUILT "Compile the kernels of src/kernels/prebuilt.txt into the library" ON)
set(CAIRN_KERNEL_STORE "" CACHE PATH
  "Folder in which build trees share the objects of kernels (CairnKernelStore.cmake); empty: none")
set(CAIRN_PREBUILT_SHARDS 6 CACHE STRING "C files of kernels for every width of vectors")

set(CAIRN_KERNEL_LEVEL -O3 CACHE STRING
  "How far the kernels that come with the library are optimised; their bits do not depend on it")

# What kernels are compiled with, also when a program runs (devices/cpu/compile.c), but for
# the last two. -g0 is for all configurations to have the same objects. The other is part of
# gcc's levels from -O2 on, and needed at -O1, too: with it a function that has used wide
# vectors clears their upper halves before it returns (vzeroupper); without it whatever SSE
# code runs next, the library's or a caller's, takes up to four times as long.
# Functions are hidden wherever the rooms' names are not: the table has their distances,
# which only a linker that cannot see them replaced knows.
set(CAIRN_KERNEL_FLAGS ${CAIRN_KERNEL_LEVEL} -falign-loops=64 -fopenmp -ffp-contract=off -fvisibility=hidden
  -Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-parameter -Wno-tautological-compare
  -g0 $<$<C_COMPILER_ID:GNU>:-fexpensive-optimizations>)

# A table without rows: nothing is compiled beforehand.
function(cairn_kernels_none output)
  file(CONFIGURE OUTPUT ${output} CONTENT
"#include \"emit/prebuilt.h\"

const cairn_prebuilt *const cairn_prebuilt_table = NULL;
const int                   cairn_prebuilt_count = 0;
")
endfunction()

# Widths of vectors in bytes, each with what lets the compiler use them.
function(cairn_kernel_widths widths)
  set(${widths} 16 PARENT_SCOPE)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(${widths} 16 32 64 PARENT_SCOPE)
    set(flags_32 -march=x86-64-v3 PARENT_SCOPE)
    set(flags_64 -march=x86-64-v4 PARENT_SCOPE)
  endif()
endfunction()

# cairn_kernel_code(source...): the kernels themselves, which use no header of ours.
function(cairn_kernel_code)
  add_library(cairn_kernel_code OBJECT ${ARGN})
  set_target_properties(cairn_kernel_code PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(cairn_kernel_code PRIVATE cairn_settings)
  set(CAIRN_ROOMS ${CAIRN_ROOMS} cairn_kernel_code CACHE INTERNAL "")
  set(CAIRN_KERNEL_ROOMS cairn_kernel_code CACHE INTERNAL "")
  if(CAIRN_KERNEL_STORE)
    set_target_properties(cairn_kernel_code PROPERTIES C_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-DSTORE=${CAIRN_KERNEL_STORE};-DCOMPILER=${CMAKE_C_COMPILER} ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION};-P;${PROJECT_SOURCE_DIR}/deploy/cmake/CairnKernelStore.cmake;--;${CMAKE_C_COMPILER_LAUNCHER}")
  endif()
endfunction()

# cairn_kernel_libraries(table.c): the kernels, as a part of programs and as a library that
# programs of the build tree share, whose table is compiled once more, since others than the
# library itself are to see it. A table without rows is a part of all.
function(cairn_kernel_libraries table)
  add_library(cairn_kernels_static STATIC EXCLUDE_FROM_ALL)
  foreach(room IN LISTS CAIRN_KERNEL_ROOMS)
    target_sources(cairn_kernels_static PRIVATE $<TARGET_OBJECTS:${room}>)
  endforeach()
  target_link_libraries(cairn_kernels_static PUBLIC OpenMP::OpenMP_C)
  if(NOT TARGET cairn_kernel_code)
    add_library(cairn_kernels_shared ALIAS cairn_kernels_static)
    return()
  endif()
  add_library(cairn_kernels_shared SHARED EXCLUDE_FROM_ALL ${table}
    ${PROJECT_SOURCE_DIR}/src/base/team_of_one.c)
  target_sources(cairn_kernels_shared PRIVATE $<TARGET_OBJECTS:cairn_kernel_code>)
  target_include_directories(cairn_kernels_shared PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(cairn_kernels_shared PRIVATE OpenMP::OpenMP_C)
  target_link_options(cairn_kernels_shared PRIVATE ${CAIRN_LINK_OPTIONS})
  add_dependencies(cairn_kernels_shared cairn_kernels)
endfunction()

# cairn_kernels(room...): the room `kernels`, from the rooms that cairn-gen is linked of.
function(cairn_kernels)
  set(folder ${PROJECT_BINARY_DIR}/kernels)
  set(CAIRN_KERNEL_ROOMS "" CACHE INTERNAL "")
  set(sources)
  if(CAIRN_PREBUILT)
    cairn_kernel_widths(widths)
    list(GET widths -1 widest)
    math(EXPR last "${CAIRN_PREBUILT_SHARDS} - 1")
    foreach(width IN LISTS widths)
      foreach(shard RANGE ${last})
        set(source ${folder}/vectors${width}_${shard}.c)
        set_source_files_properties(${source} PROPERTIES
          COMPILE_OPTIONS "${CAIRN_KERNEL_FLAGS};${flags_${width}}")
        list(APPEND sources ${source})
      endforeach()
    endforeach()
    file(GLOB own CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/kernels/*.c)
    add_executable(cairn-gen ${own})
    set_target_properties(cairn-gen PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_link_libraries(cairn-gen PRIVATE cairn_settings ZLIB::ZLIB OpenMP::OpenMP_C
      PkgConfig::JANSSON m)
    foreach(room IN LISTS ARGN)
      target_sources(cairn-gen PRIVATE $<TARGET_OBJECTS:cairn_${room}>)
    endforeach()
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${sources} ${folder}/table.c
      COMMAND cairn-gen ${PROJECT_SOURCE_DIR}/src/kernels/prebuilt.txt ${folder} ${CAIRN_PREBUILT_SHARDS} ${widest}
      DEPENDS cairn-gen ${PROJECT_SOURCE_DIR}/src/kernels/prebuilt.txt
      COMMENT "Writing the kernels that come with the library" VERBATIM)
    # Functions that only an assembler's text names would be left out of a link in which the
    # compiler sees all of the program, unless that text is an object of the usual kind.
    set_source_files_properties(${folder}/table.c PROPERTIES COMPILE_OPTIONS -fno-lto)
  else()
    cairn_kernels_none(${folder}/table.c)
  endif()
  if(sources)
    cairn_kernel_code(${sources})
  endif()
  add_library(cairn_kernels OBJECT ${folder}/table.c)
  set_target_properties(cairn_kernels PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(cairn_kernels PUBLIC cairn_settings cairn_convert)
  if(sources)
    add_dependencies(cairn_kernels cairn_kernel_code) # one of them writes the files of both
  endif()
  set(CAIRN_ROOMS ${CAIRN_ROOMS} cairn_kernels CACHE INTERNAL "")
  set(CAIRN_KERNEL_ROOMS ${CAIRN_KERNEL_ROOMS} cairn_kernels CACHE INTERNAL "")
  cairn_kernel_libraries(${folder}/table.c)
endfunction()
