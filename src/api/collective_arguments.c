// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arguments of public calls, as ranks compare them.

#include "api/collective_arguments.h"

#include "format/language.h"
#include "io/generate/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void cairn_collective_dtype(cairn_collective *arguments, cairn_dtype dtype)
{
    cairn_collective_text(arguments, "dtype",
                          dtype == CAIRN_F32   ? "f32"
                          : dtype == CAIRN_F64 ? "f64"
                                               : "another");
}

void cairn_collective_format(cairn_collective *arguments, const cairn_format *format)
{
    cairn_collective_text(arguments, "format",
                          format ? cairn_format_text(format) : NULL);
}

void cairn_collective_division(cairn_collective *arguments, cairn_division division)
{
    cairn_collective_text(arguments, "division",
                          division == CAIRN_BY_ROWS  ? "by rows"
                          : division == CAIRN_BY_NNZ ? "by entries"
                                                     : "another");
}

void cairn_collective_extents(cairn_collective *arguments,
                              int               order,
                              const int64_t    *extent)
{
    cairn_collective_int(arguments, "order", order);
    if (order < 1 || order > CAIRN_MAX_ORDER) return;
    for (int k = 0; k < order; k++) {
        char what[24];

        snprintf(what, sizeof what, "extent %d", k);
        cairn_collective_int(arguments, what, extent[k]);
    }
}

void cairn_collective_product(cairn_collective            *arguments,
                              const cairn_product_options *op)
{
    cairn_collective_int(arguments, "columns", op->columns);
    cairn_collective_text(arguments, "transposed", op->transposed ? "yes" : "no");
    cairn_collective_real(arguments, "alpha", op->alpha);
    cairn_collective_real(arguments, "beta", op->beta);
}

/// "-5,0,1"
static void add_offsets(cairn_collective *arguments, const cairn_problem *problem)
{
    enum { DIGITS = 21 };
    char   text[CAIRN_MAX_OFFSETS * DIGITS + 1] = "";
    size_t n                                    = 0;

    for (int k = 0; k < problem->offset_count && k < CAIRN_MAX_OFFSETS; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%" PRId64, k ? "," : "",
                              problem->offsets[k]);
    cairn_collective_text(arguments, "offsets", text);
}

/// Whether a kind reads a parameter.
static bool reads(const char *kind, const char *parameter)
{
    const size_t               length = strlen(parameter);
    int                        count;
    const cairn_generator_row *rows  = cairn_generator_rows(&count);
    const char                *words = "";

    for (int k = 0; k < count; k++)
        if (strcmp(rows[k].name, kind) == 0) words = rows[k].parameters;
    for (const char *at = words; (at = strstr(at, parameter)); at += length)
        if ((at == words || at[-1] == ' ') && strchr(" ", at[length])) return true;
    return false;
}

void cairn_collective_problem(cairn_collective    *arguments,
                              const char          *kind,
                              const cairn_problem *problem)
{
    const struct {
        const char *what;
        int64_t     number;
    } given[] = {
        {"nx",     problem->nx    },
        {"ny",     problem->ny    },
        {"nz",     problem->nz    },
        {"n",      problem->n     },
        {"degree", problem->degree},
        {"scale",  problem->scale },
        {"edges",  problem->edges },
        {"rows",   problem->rows  },
        {"cols",   problem->cols  },
    };

    cairn_collective_text(arguments, "kind", kind);
    for (size_t k = 0; k < sizeof given / sizeof *given; k++)
        if (reads(kind, given[k].what))
            cairn_collective_int(arguments, given[k].what, given[k].number);
    if (reads(kind, "density"))
        cairn_collective_real(arguments, "density", problem->density);
    if (problem->offsets && reads(kind, "offsets")) add_offsets(arguments, problem);
    cairn_collective_int(arguments, "seed", (int64_t)problem->seed);
}
