# SPDX-License-Identifier: BSD-3-Clause
# Write the build id of test programs as an option of the linker: a hash of FILES, a list
# with a path a line, below ROOT.
#   cmake -DFILES=... -DROOT=... -DOUTPUT=... -P build_id.cmake
file(STRINGS ${FILES} files)
set(all)
foreach(file IN LISTS files)
  file(SHA1 ${file} hash)
  file(RELATIVE_PATH path ${ROOT} ${file})
  string(APPEND all "${path} ${hash}\n")
endforeach()
string(SHA1 id "${all}")
file(WRITE ${OUTPUT} "-Wl,--build-id=0x${id}\n")
