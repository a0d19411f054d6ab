# SPDX-License-Identifier: BSD-3-Clause
# Generated kernels carry the declarations of include/cairn/kernel.h: the header itself,
# without its comments, becomes a C array at build time, so that the two cannot differ.
# As a script (-P) this file writes the array; included, it hooks the script to a room.

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${INPUT} text)
  string(REGEX REPLACE "[ ]*//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "#(ifndef|include|endif|define CAIRN_KERNEL_H\n)[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\n\n+" "\n" text "${text}")
  string(REGEX REPLACE "^\n+" "" text "${text}")
  string(REGEX REPLACE "\ntypedef" "\n\ntypedef" text "${text}")
  string(HEX "${text}" bytes)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "('\\\\x0a',)" "\\1\n    " bytes "${bytes}")
  file(WRITE ${OUTPUT} "/* Written by CairnKernelText.cmake from cairn/kernel.h; edit that. */
extern const char cairn_kernel_text[];
const char cairn_kernel_text[] = {
    ${bytes}'\\0'};
")
  return()
endif()

# cairn_kernel_text(target): build the declarations into the target.
function(cairn_kernel_text target)
  set(script ${PROJECT_SOURCE_DIR}/deploy/cmake/CairnKernelText.cmake)
  set(input ${PROJECT_SOURCE_DIR}/include/cairn/kernel.h)
  set(output ${PROJECT_BINARY_DIR}/kernel_text.c)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -P ${script}
    DEPENDS ${input} ${script}
    COMMENT "Embedding the declarations of kernels" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
