# SPDX-License-Identifier: BSD-3-Clause
# One object library a room, so that the linker sees the arrows too.

set(CAIRN_ROOMS "" CACHE INTERNAL "")
set(CAIRN_ROOM_OPTIONS "" CACHE STRING "What the library is compiled with beside the build type's options; not the tests")

# Under sanitizers a program that has all rooms in it has 35 MB.
option(CAIRN_ROOMS_SHARED "The tests share the rooms as a library, in which all names can be seen" OFF)

# Settings that every room, the command and the tests share.
add_library(cairn_settings INTERFACE)
target_include_directories(cairn_settings INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
# Nothing of ours uses what the headers call deprecated.
target_compile_definitions(cairn_settings INTERFACE _GNU_SOURCE CAIRN_VERSION="${PROJECT_VERSION}" CAIRN_WARN_DEPRECATED)
# One contraction setting for all arithmetic: the same bits whatever the compiler does.
# (gcc cannot know that a failure's status is never CAIRN_OK, and warns of outputs unset.)
target_compile_options(cairn_settings INTERFACE -Wall -Wextra $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  -fvisibility=$<IF:$<BOOL:${CAIRN_ROOMS_SHARED}>,default,hidden> -ffp-contract=off
  $<$<BOOL:${CAIRN_WERROR}>:-Werror>)

# cairn_sources(variable name DIR folder... FOLDERS folder...)
# The sources of room `name`. FOLDERS are in the one that DIR names: all of it that have
# sources, but `tables`, which has programs of the build.
function(cairn_sources variable name)
  cmake_parse_arguments(ARG "" "" "DIR;FOLDERS" ${ARGN})
  set(sources)
  if(ARG_FOLDERS)
    file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${ARG_DIR} ${PROJECT_SOURCE_DIR}/${ARG_DIR}/*/*.c)
    foreach(file IN LISTS files)
      get_filename_component(folder ${file} DIRECTORY)
      if(NOT folder IN_LIST ARG_FOLDERS AND NOT folder STREQUAL "tables")
        message(FATAL_ERROR "${ARG_DIR}/${file} would not be compiled: ${folder} is not among the FOLDERS of room ${name}")
      endif()
    endforeach()
  endif()
  list(TRANSFORM ARG_FOLDERS PREPEND "${ARG_DIR}/")
  foreach(dir IN LISTS ARG_DIR ARG_FOLDERS)
    file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${dir}/*.c)
    list(APPEND sources ${found})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# cairn_room(name DIR folder... FOLDERS folder... USES room... LIBS target...)
function(cairn_room name)
  cmake_parse_arguments(ARG "" "" "DIR;FOLDERS;USES;LIBS" ${ARGN})
  cairn_sources(sources ${name} DIR ${ARG_DIR} FOLDERS ${ARG_FOLDERS})
  if(NOT sources)
    file(WRITE ${PROJECT_BINARY_DIR}/empty_${name}.c "typedef int cairn_empty_${name};\n")
    set(sources ${PROJECT_BINARY_DIR}/empty_${name}.c)
  endif()
  add_library(cairn_${name} OBJECT ${sources})
  set_target_properties(cairn_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_options(cairn_${name} PRIVATE ${CAIRN_ROOM_OPTIONS})
  # At -O1 gcc leaves the upper halves of wide vectors as they are (CairnKernels.cmake says
  # more); with sanitizers there are none (src/base/wide.h).
  if(CAIRN_ROOM_OPTIONS MATCHES "-O1" AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
    target_compile_options(cairn_${name} PRIVATE $<$<COMPILE_LANG_AND_ID:C,GNU>:-fexpensive-optimizations>)
  endif()
  target_link_libraries(cairn_${name} PUBLIC cairn_settings ${ARG_LIBS})
  foreach(room IN LISTS ARG_USES)
    target_link_libraries(cairn_${name} PUBLIC cairn_${room})
  endforeach()
  set(CAIRN_ROOMS ${CAIRN_ROOMS} cairn_${name} CACHE INTERNAL "")
endfunction()

# Loops of one thread are called, in whatever has the rooms (src/base/team_of_one.c).
set(CAIRN_LINK_OPTIONS LINKER:--wrap=GOMP_parallel)
target_link_options(cairn_settings INTERFACE ${CAIRN_LINK_OPTIONS})

# The library, shared, of all rooms; and the same objects static for programs that look inside
# the rooms: cairn_whole, with the kernels that come with the library, as the library has them,
# for timings; and cairn_static for tests, which share these kernels (CairnKernels.cmake),
# since each of hundreds of programs would have two thirds of its bytes from them.
function(cairn_library)
  add_library(cairn SHARED)
  add_library(cairn_rooms STATIC EXCLUDE_FROM_ALL)
  add_library(cairn_static INTERFACE)
  add_library(cairn_whole INTERFACE)
  add_library(cairn::cairn ALIAS cairn)
  foreach(room IN LISTS CAIRN_ROOMS)
    target_sources(cairn PRIVATE $<TARGET_OBJECTS:${room}>)
    if(NOT room IN_LIST CAIRN_KERNEL_ROOMS)
      target_sources(cairn_rooms PRIVATE $<TARGET_OBJECTS:${room}>)
    endif()
  endforeach()
  set(libs ZLIB::ZLIB OpenMP::OpenMP_C PkgConfig::HWLOC PkgConfig::JANSSON ${CMAKE_DL_LIBS} m)
  if(CAIRN_WITH_MPI)
    list(APPEND libs MPI::MPI_C ${cairn_rt})
  endif()
  target_link_libraries(cairn PRIVATE ${libs})
  target_link_libraries(cairn_rooms PUBLIC cairn_settings ${libs})
  if(CAIRN_ROOMS_SHARED)
    add_library(cairn_rooms_shared SHARED EXCLUDE_FROM_ALL)
    get_target_property(objects cairn_rooms SOURCES)
    target_sources(cairn_rooms_shared PRIVATE ${objects})
    target_link_libraries(cairn_rooms_shared PUBLIC cairn_settings ${libs} cairn_kernels_shared)
    target_link_libraries(cairn_static INTERFACE cairn_rooms_shared)
  else()
    target_link_libraries(cairn_static INTERFACE cairn_rooms cairn_kernels_shared)
  endif()
  target_link_libraries(cairn_whole INTERFACE cairn_rooms cairn_kernels_static)
  target_include_directories(cairn PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # By its build id a kernel on disk is known to be of this build.
  target_link_options(cairn PRIVATE -Wl,--build-id ${CAIRN_LINK_OPTIONS})
  set_target_properties(cairn PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
endfunction()

# cairn_program(FOLDERS folder...): the command, all of src/cli. Its files include their own
# as those of rooms do, "cli/folder/file.h", and public headers (tests/check_includes.sh).
function(cairn_program)
  cairn_sources(sources cli DIR src/cli ${ARGN})
  if(sources)
    add_executable(cairn_cli ${sources})
    set_target_properties(cairn_cli PROPERTIES OUTPUT_NAME cairn)
    target_compile_definitions(cairn_cli PRIVATE _GNU_SOURCE CAIRN_VERSION="${PROJECT_VERSION}")
    target_compile_options(cairn_cli PRIVATE -Wall -Wextra $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<BOOL:${CAIRN_WERROR}>:-Werror>)
    target_include_directories(cairn_cli PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(cairn_cli PRIVATE cairn PkgConfig::JANSSON PNG::PNG m)
    cairn_smpi()
  endif()
endfunction()

# What replays products on SimGrid's ranks, beside the command, where SimGrid's compiler is.
function(cairn_smpi)
  find_program(CAIRN_SMPICC smpicc)
  mark_as_advanced(CAIRN_SMPICC)
  if(NOT CAIRN_SMPICC)
    return()
  endif()
  set(source ${PROJECT_SOURCE_DIR}/deploy/smpi/cairn_smpi.c)
  set(program ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cairn-smpi)
  add_custom_command(OUTPUT ${program}
    COMMAND ${CAIRN_SMPICC} -O2 -Wall -Wextra ${source} -o ${program}
    DEPENDS ${source} VERBATIM)
  add_custom_target(cairn_smpi ALL DEPENDS ${program})
  add_dependencies(cairn_cli cairn_smpi)
  install(PROGRAMS ${program} DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
