# SPDX-License-Identifier: BSD-3-Clause
# The texts that name formats become C arrays at build time. As a script (-P) this file
# writes the array NAME; included, it hooks the script to a room.

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${INPUT} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "('\\\\x0a',)" "\\1\n    " bytes "${bytes}")
  file(WRITE ${OUTPUT} "/* Written by CairnCatalogue.cmake from a text; edit that. */
extern const char ${NAME}[];
const char ${NAME}[] = {
    ${bytes}'\\0'};
")
  return()
endif()

set(CAIRN_CATALOGUE_FILE "${PROJECT_SOURCE_DIR}/src/format/catalogue.txt" CACHE FILEPATH
  "Text of the built-in formats; nothing else defines their names")
set(CAIRN_CANDIDATES_FILE "${PROJECT_SOURCE_DIR}/src/auto/candidates.txt" CACHE FILEPATH
  "Text of the formats that are thought of where one is to be chosen")

# cairn_embed(target file name): build a text into the target, as the array cairn_NAME_text.
function(cairn_embed target file name)
  set(script ${PROJECT_SOURCE_DIR}/deploy/cmake/CairnCatalogue.cmake)
  set(output ${PROJECT_BINARY_DIR}/${name}.c)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${output} -DNAME=cairn_${name}_text -P ${script}
    DEPENDS ${file} ${script}
    COMMENT "Embedding the ${name}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
