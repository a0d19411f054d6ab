# SPDX-License-Identifier: BSD-3-Clause
# Stands before the compiler of the kernels that come with the library. They are C that
# includes nothing, take minutes, and are the same in every configuration, so build trees
# share their objects: in a folder, each under the hash of what it follows from. The folder
# may be deleted at any time.
#
#   cmake -DSTORE=FOLDER -DCOMPILER=TEXT -P CairnKernelStore.cmake -- COMMAND...

set(most 72) # Objects that are kept: of four versions of the kernels.

set(command)
foreach(k RANGE ${CMAKE_ARGC})
  if(begun AND k LESS CMAKE_ARGC)
    list(APPEND command "${CMAKE_ARGV${k}}")
  elseif("${CMAKE_ARGV${k}}" STREQUAL "--")
    set(begun TRUE)
  endif()
endforeach()

# An object follows from flags, but from no warnings, no folders of headers, no macros and
# nothing that is for debuggers, since kernels are compiled with -g0; and of all -O from the
# last.
set(follows "${COMPILER}")
set(value_of)
foreach(word IN LISTS command)
  if(value_of)
    set(${value_of} "${word}")
    set(value_of)
  elseif(word STREQUAL "-o")
    set(value_of object)
  elseif(word STREQUAL "-c")
    set(value_of source)
  elseif(word STREQUAL "-MF")
    set(value_of dependencies)
  elseif(word STREQUAL "-MT")
    set(value_of target)
  elseif(word MATCHES "^-O")
    set(level "${word}")
  elseif(NOT word MATCHES "^-[DIWgM]")
    list(APPEND follows "${word}")
  endif()
endforeach()
file(SHA256 "${source}" hash)
string(SHA256 hash "${follows};${level};${hash}")
set(stored "${STORE}/${hash}.o")

if(EXISTS "${stored}")
  file(COPY_FILE "${stored}" "${object}")
  file(TOUCH "${object}" "${stored}")
  if(dependencies)
    file(WRITE "${dependencies}" "${target}: ${source}\n")
  endif()
  return()
endif()

execute_process(COMMAND ${command} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${source}: the compiler failed")
endif()
string(RANDOM LENGTH 16 part)
file(MAKE_DIRECTORY "${STORE}")
file(COPY_FILE "${object}" "${stored}.${part}")
file(RENAME "${stored}.${part}" "${stored}")

file(GLOB all "${STORE}/*.o")
set(ages)
foreach(each IN LISTS all)
  file(TIMESTAMP "${each}" age "%Y%m%d%H%M%S" UTC)
  list(APPEND ages "${age} ${each}")
endforeach()
list(SORT ages ORDER DESCENDING)
list(LENGTH ages count)
foreach(k RANGE ${most} ${count})
  if(k LESS count)
    list(GET ages ${k} old)
    string(REGEX REPLACE "^[0-9]* " "" old "${old}")
    file(REMOVE "${old}")
  endif()
endforeach()
