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

/// What marking needs.
typedef struct {
    const cairn_kernel_level  *level;
    const cairn_thread_ranges *ranges;
    uint32_t                  *marks;
} marking;

/// Mark the rows of a thread. Those behind its last entry have none.
static void mark(void *user, int range)
{
    const marking *const            m     = user;
    const cairn_kernel_level *const level = m->level;
    const int64_t begin = m->ranges->cut[range], end = m->ranges->cut[range + 1];

    if (begin >= end) return;
    const int64_t last = begin_of(level, end), first = begin_of(level, begin);

    memset(m->marks + first, 0, (size_t)(last - first) * sizeof *m->marks);
    for (int64_t r = begin; r < end && begin_of(level, r) < last; r++)
        m->marks[begin_of(level, r)]++;
}

bool cairn_marks_pay(const cairn_compiled *c, cairn_convert_phase phase)
{
    const cairn_kernel_part *const from = cairn_compiled_source(c);

    return cairn_pass_marked_phase(c, phase) && from
           && !are_alike(c, &from->level[1], c->ranges.cut[c->ranges.n]);
}

cairn_status cairn_marks_make(cairn_compiled     *c,
                              cairn_convert_phase phase,
                              const cairn_phase **marked)
{
    const cairn_kernel_level *level;

    *marked = NULL;
    if (!cairn_marks_pay(c, phase)) return CAIRN_OK;
    *marked = cairn_pass_marked_phase(c, phase);
    level   = &cairn_compiled_source(c)->level[1];
    if (c->rows.marks) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(c->m->env, level->nodes, &c->rows.marks));
    marking all = {level, &c->ranges, c->rows.marks};

    cairn_thread_ranges_each(c->m->env, &c->ranges, mark, &all);
    return CAIRN_OK;
}
