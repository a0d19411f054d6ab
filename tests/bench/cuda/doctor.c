// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What would go wrong here, as `cairn doctor --devices cpu,cuda` says it: also where no card
/// can be opened, which is when it says most.

#include "card.h"

#include <cairn/doctor.h>

bool card_doctor(void)
{
    cairn_context    *context     = NULL;
    cairn_diagnostic *diagnostics = NULL;
    int               count       = 0;

    if (cairn_context_create(&context)) card_stop("context", "no memory");
    /* Where there is no card the driver's state is a finding all the same. */
    if (cairn_devices_check(context, NULL, "cpu,cuda", 0))
        printf("doctor: %s\n", cairn_context_message(context));
    if (cairn_doctor(context, &count, &diagnostics)) {
        printf("doctor: %s\n", cairn_context_message(context));
        cairn_context_destroy(&context);
        return false;
    }
    for (int k = 0; k < count; k++) {
        const cairn_diagnostic *d = &diagnostics[k];

        printf("%s %s: %s%s%s\n", cairn_diagnostic_level_name(d->level), d->what,
               d->why, d->fix[0] ? "; fix: " : "", d->fix);
    }
    cairn_diagnostics_free(context, &diagnostics);
    cairn_context_destroy(&context);
    return true;
}
