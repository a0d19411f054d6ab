# SPDX-License-Identifier: BSD-3-Clause
# A script (-P), for the test that nothing in the code knows a format by its name: write
# the catalogue CATALOGUE to catalogue.txt and the candidates CANDIDATES to
# candidates.txt, every name N as "PREFIXN", and the prefix to prefix.c.
file(READ ${CATALOGUE} text)
string(REGEX MATCHALL "\n#[A-Za-z][A-Za-z0-9_.+-]*" names "${text}")
list(TRANSFORM names REPLACE "\n#" "")
list(REMOVE_DUPLICATES names)
if(NOT names)
  message(FATAL_ERROR "${CATALOGUE}: no definition found")
endif()
string(REGEX REPLACE "\n#([A-Za-z])" "\n#${PREFIX}\\1" text "${text}")
file(WRITE catalogue.txt "${text}")

# A name begins a line, or is an argument of one.
file(READ ${CANDIDATES} text)
set(before "${text}")
foreach(name IN LISTS names)
  string(REPLACE "+" "[+]" name "${name}")
  string(REPLACE "." "[.]" name "${name}")
  string(REGEX REPLACE "([\n<,])(${name})([<>, ])" "\\1${PREFIX}\\2\\3" text "${text}")
endforeach()
if(text STREQUAL before)
  message(FATAL_ERROR "${CANDIDATES}: no name found")
endif()
file(WRITE candidates.txt "${text}")
file(WRITE prefix.c "extern const char cairn_renamed_prefix[];
const char cairn_renamed_prefix[] = \"${PREFIX}\";
")
