// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How a format was chosen, for `run` and `convert`.

#include "cli/output/chosen.h"

#include "cli/output/json.h"
#include "cli/output/words.h"

#include <stdio.h>

void cli_chosen_print(const cairn_auto_info *chosen)
{
    printf("chosen    %s\n          %s; found in %s\n", chosen->why[0], chosen->why[1],
           cli_word_seconds(chosen->seconds).text);
}

static json_t *candidates(const cairn_auto_info *chosen)
{
    json_t *list = json_array();

    for (int k = 0; k < chosen->candidates; k++) {
        const cairn_auto_candidate *c = &chosen->candidate[k];
        json_t *one = json_pack("{s:s, s:o, s:o}", "format", c->format, "predicted",
                                cli_json_real(c->predicted), "tried",
                                c->tried > 0 ? json_real(c->tried) : json_null());

        if (json_array_append_new(list, one) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

json_t *cli_chosen_json(const cairn_auto_info *chosen)
{
    return json_pack("{s:[s, s], s:s, s:f, s:f, s:f, s:o}", "why", chosen->why[0],
                     chosen->why[1], "values", chosen->values, "share", chosen->share,
                     "seconds", chosen->seconds, "kernel_seconds",
                     chosen->kernel_seconds, "candidates", candidates(chosen));
}
