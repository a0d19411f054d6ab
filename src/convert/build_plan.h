// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The program that a build would be, without entries to build from.

#ifndef CAIRN_CONVERT_BUILD_PLAN_H
#define CAIRN_CONVERT_BUILD_PLAN_H

#include "emit/kernel.h"
#include "rules/pass_list.h"

struct cairn_format;

/// Find the passes of a conversion of 10^6 entries, on one rank and one thread.
///
/// Local.
///
/// @param[in]     from     NULL: entries.
/// @param[in]     extent   [order]; NULL: 10^3 rows, and 10^6 of all else.
/// @param[in]     loader   NULL; or who is asked for the functions that members' methods
///                         need, which are given back at once: none of them runs.
/// @param[in,out] program  Initialised and empty; on failure it may have some passes.
/// @retval CAIRN_BAD_OPTION  The method that CAIRN_CONVERT names does not apply.
/// @retval CAIRN_NO_MEMORY   There is none for its lists.
cairn_status cairn_build_plan(cairn_env                 *env,
                              const struct cairn_format *from,
                              const struct cairn_format *to,
                              const int64_t             *extent,
                              const cairn_kernel_loader *loader,
                              cairn_pass_list           *program);

#endif
