// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Queries that look at positions one by one are told where that is most of the work.

#include "cli/output/visits.h"

#include <inttypes.h>
#include <stdio.h>

enum { VISITS_AN_ENTRY = 1000 };

void cli_visits_print(const cairn_path *path)
{
    for (int k = 0; k < cairn_path_passes(path); k++) {
        const cairn_pass_info pass    = cairn_path_pass(path, k);
        const int64_t         entries = pass.entries > 0 ? pass.entries : 1;

        if (!pass.query_class || pass.visits / VISITS_AN_ENTRY < entries) continue;
        printf("note: member %d: pass %d (%s%s%s) visited %" PRId64
               " positions, %" PRId64 " for each entry: it is no line and no box\n",
               pass.member, k + 1, pass.pass, pass.rule ? " " : "",
               pass.rule ? pass.rule : "", pass.visits, pass.visits / entries);
    }
}
