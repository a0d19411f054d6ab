// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The table of methods, and their texts.

#include "solve/solver.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STANDARD_RESTART = 30, MOST_RESTART = 1000 };

/// Read what stands behind the colon. @return Is it right?
typedef bool read_fn(const char *text, cairn_solve_method *method);

/// ":M"
static bool read_restart(const char *text, cairn_solve_method *method)
{
    char *end = "";

    method->restart = text ? strtoll(text, &end, 10) : STANDARD_RESTART;
    snprintf(method->text, sizeof method->text, "%s:%" PRId64, method->name,
             method->restart);
    return end != text && !*end && method->restart >= 1
           && method->restart <= MOST_RESTART;
}

/// ":LO,HI"
static bool read_bounds(const char *text, cairn_solve_method *method)
{
    char *middle, *end;

    if (!text) return true;
    method->lower = strtod(text, &middle);
    if (middle == text || *middle != ',') return false;
    method->upper = strtod(middle + 1, &end);
    snprintf(method->text, sizeof method->text, "%s:%.17g,%.17g", method->name,
             method->lower, method->upper);
    return end != middle + 1 && !*end && method->lower > 0
           && method->upper > method->lower && isfinite(method->upper);
}

static const struct {
    const char *name;
    cairn_status (*run)(cairn_solver *s);
    read_fn    *read; ///< NULL: nothing stands there.
    const char *right;
} methods[] = {
    {"cg",           cairn_cg_run,           NULL,         ""                               },
    {"pipelined-cg", cairn_pipelined_cg_run, NULL,         ""                               },
    {"bicgstab",     cairn_bicgstab_run,     NULL,         ""                               },
    {"gmres",        cairn_gmres_run,        read_restart, "gmres:M has M from 1 to 1000"   },
    {"chebyshev",    cairn_chebyshev_run,    read_bounds,  "chebyshev:LO,HI has 0 < LO < HI"},
};

cairn_status
cairn_method_parse(cairn_env *env, const char *text, cairn_solve_method *method)
{
    const char  *name   = text ? text : "cg";
    const size_t length = strcspn(name, ":");
    const char  *behind = name[length] ? name + length + 1 : NULL;

    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        if (strlen(methods[k].name) != length
            || strncmp(methods[k].name, name, length) != 0)
            continue;
        *method = (cairn_solve_method){.name = methods[k].name, .run = methods[k].run};
        snprintf(method->text, sizeof method->text, "%s", methods[k].name);
        CAIRN_CHECK(methods[k].read ? methods[k].read(behind, method) : !behind, env,
                    CAIRN_BAD_OPTION, "solve: method: %s: %s", name,
                    methods[k].read ? methods[k].right : "it takes no numbers");
        return CAIRN_OK;
    }
    return cairn_fail(env, CAIRN_BAD_OPTION,
                      "solve: method: '%s' is none: there are cg, pipelined-cg, "
                      "bicgstab, gmres:M and chebyshev:LO,HI",
                      name);
}

bool cairn_method_counts(const cairn_solve_method   *method,
                         const cairn_preconditioner *m,
                         cairn_step_counts          *counts)
{
    /* Vectors: what the passes of a step name, each once, and twice where it is changed; with
     * the diagonal its inverse, and what is made of it, besides. */
    static const struct {
        const char       *name;
        cairn_step_counts none;
        int               jacobi; ///< Vectors more.
    } steps[] = {
        {"cg",           {1, 2, 2 + 3 + 5, false},         2    },
        {"pipelined-cg", {1, 1, 13, true},                 5 + 3},
        {"bicgstab",     {2, 3, 2 + 7 + 2 + 7 + 5, false}, 2    },
        {"chebyshev",    {1, 1, 7, false},                 1    },
    };

    if (m->kind > CAIRN_PRECONDITION_JACOBI) return false;
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        if (strcmp(steps[k].name, method->name) != 0) continue;
        *counts = steps[k].none;
        if (m->kind == CAIRN_PRECONDITION_JACOBI) counts->vectors += steps[k].jacobi;
        return true;
    }
    return false;
}
