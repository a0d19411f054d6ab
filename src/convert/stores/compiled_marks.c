// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Marks where rows begin.

#include "convert/stores/compiled_marks.h"

#include <string.h>

enum {
    /* Entries of a row on average up to which marking wins: the others end seldom enough
     * (measured: 0.56 to 0.87 of the time with 2.4 to 14.6 entries, 1.05 with 59). */
    SHORT = 16,
    /* Entries from which more time goes to caches than to branches, if they are scattered
     * (measured: 0.65 of the time with 370,000, 0.86 to 1.6 with 600,000), and if they
     * are mirrored (1.07 with 370,000). */
    MOST          = 3 << 17,
    MOST_MIRRORED = 1 << 18,
    SAMPLE        = 64,     ///< Rows that are looked at.
    ALIKE = SAMPLE * 3 / 4, ///< As many that are as long as the next end as foreseen.
};

cairn_pass_function *cairn_marks_call(const cairn_compiled     *c,
                                      cairn_pass_writer        *w,
                                      const cairn_convert_spec *spec)
{
    const cairn_layout *from   = cairn_origin_layout(&c->origin);
    cairn_convert_spec  marked = *spec;
    const int64_t most = spec->phase == CAIRN_CONVERT_MIRROR ? MOST_MIRRORED : MOST;

    if (!from || !cairn_convert_can_mark(from) || spec->rows.ordered
        || c->facts.entries > most
        || c->facts.entries / SHORT > from->level[0].range.hi - from->level[0].range.lo)
        return NULL;
    marked.rows.marked              = true;
    marked.ahead                    = false; /* so few lines are in a cache */
    cairn_pass_function *const call = cairn_passes_call(w, &marked);

    call->optional = true;
    return call;
}

/// Entries before row @p r.
static int64_t begin_of(const cairn_kernel_level *level, int64_t r)
{
    if (level->ptr_bits == 32) return ((const uint32_t *)level->ptr)[r];
    return cairn_load_int(level->ptr, r, level->ptr_bits / 8, level->ptr_bits, false);
}

/// Are most rows as long as the ones behind them? Few rows are, unless everything has to be
/// compiled.
static bool
are_alike(const cairn_compiled *c, const cairn_kernel_level *level, int64_t rows)
{
    int alike = 0;

    if (rows < 2 * SAMPLE) return cairn_compiled_may_fall_back(c->m->env);
    for (int k = 0; k < SAMPLE; k++) {
        const int64_t r = (rows - 2) * k / SAMPLE;

        alike += begin_of(level, r + 2) - begin_of(level, r + 1)
                 == begin_of(level, r + 1) - begin_of(level, r);
    }
    return alike >= ALIKE;
}

/// Mark the rows of a thread. Those behind its last entry have none.
static void
mark(const cairn_kernel_level *level, int64_t begin, int64_t end, uint32_t *marks)
{
    const int64_t last = begin_of(level, end), first = begin_of(level, begin);

    memset(marks + first, 0, (size_t)(last - first) * sizeof *marks);
    for (int64_t r = begin; r < end && begin_of(level, r) < last; r++)
        marks[begin_of(level, r)]++;
}

cairn_status cairn_marks_make(cairn_compiled     *c,
                              cairn_convert_phase phase,
                              const cairn_phase **marked)
{
    const cairn_phase *const       its  = cairn_pass_marked_phase(c, phase);
    const cairn_kernel_part *const from = cairn_compiled_source(c);
    const cairn_kernel_level      *level;

    *marked = NULL;
    if (!its || !from) return CAIRN_OK;
    level = &from->level[1];
    if (are_alike(c, level, c->ranges.cut[c->ranges.n])) return CAIRN_OK;
    *marked = its;
    if (c->rows.marks) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(c->m->env, level->nodes, &c->rows.marks));
    for (int64_t t = 0; t < c->ranges.n; t++)
        if (c->ranges.cut[t] < c->ranges.cut[t + 1])
            mark(level, c->ranges.cut[t], c->ranges.cut[t + 1], c->rows.marks);
    return CAIRN_OK;
}
