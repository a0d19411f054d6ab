// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arguments of public calls, as ranks compare them.

#include "api/told_alike.h"

#include "format/language.h"
#include "io/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void cairn_told_dtype(cairn_told *told, cairn_dtype dtype)
{
    cairn_told_text(told, "dtype",
                    dtype == CAIRN_F32   ? "f32"
                    : dtype == CAIRN_F64 ? "f64"
                                         : "another");
}

void cairn_told_format(cairn_told *told, const cairn_format *format)
{
    cairn_told_text(told, "format", format ? cairn_format_text(format) : NULL);
}

void cairn_told_division(cairn_told *told, cairn_division division)
{
    cairn_told_text(told, "division",
                    division == CAIRN_BY_ROWS  ? "by rows"
                    : division == CAIRN_BY_NNZ ? "by entries"
                                               : "another");
}

void cairn_told_extents(cairn_told *told, int order, const int64_t *extent)
{
    cairn_told_int(told, "order", order);
    if (order < 1 || order > CAIRN_MAX_ORDER) return;
    for (int k = 0; k < order; k++) {
        char what[24];

        snprintf(what, sizeof what, "extent %d", k);
        cairn_told_int(told, what, extent[k]);
    }
}

void cairn_told_product(cairn_told *told, const cairn_product_options *op)
{
    cairn_told_int(told, "columns", op->columns);
    cairn_told_text(told, "transposed", op->transposed ? "yes" : "no");
    cairn_told_real(told, "alpha", op->alpha);
    cairn_told_real(told, "beta", op->beta);
}

/// "-5,0,1"
static void told_offsets(cairn_told *told, const cairn_problem *problem)
{
    enum { DIGITS = 21 };
    char   text[CAIRN_MAX_OFFSETS * DIGITS + 1] = "";
    size_t n                                    = 0;

    for (int k = 0; k < problem->offset_count && k < CAIRN_MAX_OFFSETS; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%" PRId64, k ? "," : "",
                              problem->offsets[k]);
    cairn_told_text(told, "offsets", text);
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

void cairn_told_problem(cairn_told          *told,
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

    cairn_told_text(told, "kind", kind);
    for (size_t k = 0; k < sizeof given / sizeof *given; k++)
        if (reads(kind, given[k].what))
            cairn_told_int(told, given[k].what, given[k].number);
    if (reads(kind, "density")) cairn_told_real(told, "density", problem->density);
    if (problem->offsets && reads(kind, "offsets")) told_offsets(told, problem);
    cairn_told_int(told, "seed", (int64_t)problem->seed);
}
