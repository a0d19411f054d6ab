# SPDX-License-Identifier: BSD-3-Clause
# A script (-P): write the catalogue INPUT to OUTPUT with every name N as "other-N", for
# the test that nothing in the code knows a format by its name.
file(READ ${INPUT} text)
string(REGEX REPLACE "\n#([A-Za-z])" "\n#other-\\1" renamed "${text}")
if(renamed STREQUAL text)
  message(FATAL_ERROR "${INPUT}: no definition found")
endif()
file(WRITE ${OUTPUT} "${renamed}")
