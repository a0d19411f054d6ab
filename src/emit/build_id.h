// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which build of Cairn this is. What prints kernels changes from build to build while
/// keys stay the same, so that a kernel on disk serves only the build that wrote it. The
/// linker's build id (a hash of the whole file) says which that is.

#ifndef CAIRN_EMIT_BUILD_ID_H
#define CAIRN_EMIT_BUILD_ID_H

#define CAIRN_BUILD_ID \
    32 ///< Bytes of the longest that is kept; shorter ones end in 0s.

/// Read the build id of the file (library or program) that this function is in.
///
/// Any thread.
///
/// @param[out] id  Undefined when there is none.
/// @return Its bytes; 0: it was linked without one.
int cairn_build_id(unsigned char id[CAIRN_BUILD_ID]);

#endif
