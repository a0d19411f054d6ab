# SPDX-License-Identifier: BSD-3-Clause
# The table of powers of five behind the conversion of decimal numbers: written at build
# time by a small program of exact integer arithmetic.

# cairn_powers(target): build the table into the target.
function(cairn_powers target)
  set(output ${PROJECT_BINARY_DIR}/powers.c)
  add_executable(cairn_make_powers ${PROJECT_SOURCE_DIR}/src/io/tables/powers.c)
  set_target_properties(cairn_make_powers PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_compile_options(cairn_make_powers PRIVATE -Wall -Wextra $<$<BOOL:${CAIRN_WERROR}>:-Werror>)
  add_custom_command(OUTPUT ${output}
    COMMAND cairn_make_powers > ${output}
    DEPENDS cairn_make_powers
    COMMENT "Writing the powers of five" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
