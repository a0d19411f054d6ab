# SPDX-License-Identifier: BSD-3-Clause
# The catalogue's text becomes a C array at build time. As a script (-P) this file writes
# the array; included, it hooks the script to a room.

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${INPUT} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "('\\\\x0a',)" "\\1\n    " bytes "${bytes}")
  file(WRITE ${OUTPUT} "/* Written by CairnCatalogue.cmake from the catalogue; edit that. */
extern const char cairn_catalogue_text[];
const char cairn_catalogue_text[] = {
    ${bytes}'\\0'};
")
  return()
endif()

set(CAIRN_CATALOGUE_FILE "${PROJECT_SOURCE_DIR}/src/format/catalogue.txt" CACHE FILEPATH
  "Text of the built-in formats; nothing else knows their names")

# cairn_catalogue(target): build CAIRN_CATALOGUE_FILE into the target.
function(cairn_catalogue target)
  set(script ${PROJECT_SOURCE_DIR}/deploy/cmake/CairnCatalogue.cmake)
  set(output ${PROJECT_BINARY_DIR}/catalogue.c)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${CAIRN_CATALOGUE_FILE} -DOUTPUT=${output} -P ${script}
    DEPENDS ${CAIRN_CATALOGUE_FILE} ${script}
    COMMENT "Embedding the catalogue" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
