// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// OFFSETS: where the groups of entries begin, in the target's order, and the ptrs that say
/// so.

#include "base/wide.h"
#include "convert/passes.h"
#include "convert/stores/compiled_moves.h"
#include "phases/row_starts.h"

#include <assert.h>
#include <string.h>

/* ---- ptrs ---- */

/// Entries before group @p g; there may be one more group than there are.
int64_t cairn_compiled_begin_of(const cairn_compiled *c, int64_t g)
{
    const int64_t threads = c->program.division.cursors ? c->ranges.n : 1;

    assert(g >= 0 && g <= c->facts.groups && c->groups.begin);
    return c->groups.begin[g < c->facts.groups ? g : threads * c->facts.groups];
}

/// Write the ptr of a bank from the begins of its groups.
static void
write_ptr(const cairn_compiled *c, int64_t bank, const cairn_kernel_level *level)
{
    const int64_t   each  = c->facts.groups / c->m->layout->banks;
    const uint32_t *begin = c->groups.begin + bank * each;

    if (!level->ptr_bits) return;
    assert(level->ptr_length == each + 1);
    if (level->ptr_bits == 32) {
        uint32_t *const ptr = (uint32_t *)level->ptr;

        for (int64_t g = 0; g < each; g++)
            ptr[g] = begin[g] - begin[0];
        ptr[each] = (uint32_t)(c->m->bank[bank].end - c->m->bank[bank].begin);
        return;
    }
    if (level->ptr_bits == 64) {
        uint64_t *const ptr = (uint64_t *)level->ptr;

        for (int64_t g = 0; g < each; g++)
            ptr[g] = begin[g] - begin[0];
        ptr[each] = (uint64_t)(c->m->bank[bank].end - c->m->bank[bank].begin);
        return;
    }
    for (int64_t g = 0; g <= each; g++)
        cairn_store_int((void *)level->ptr, g, level->ptr_bits / 8, level->ptr_bits,
                        cairn_compiled_begin_of(c, bank * each + g)
                            - c->m->bank[bank].begin);
}

/// Below the groups every node has one child: where there is a ptr, it counts up.
static void write_lower_ptrs(const cairn_layout *to, const cairn_kernel_part *view)
{
    for (int l = to->first + 1; l <= to->last; l++) {
        const cairn_kernel_level *level = &view->level[l];

        for (int64_t k = 0; level->ptr_bits && k < level->ptr_length; k++)
            cairn_store_int((void *)level->ptr, k, level->ptr_bits / 8, level->ptr_bits,
                            k);
    }
}

void cairn_compiled_write_last_ptr(const cairn_compiled    *c,
                                   const cairn_kernel_part *view)
{
    const cairn_kernel_level *level = &view->level[c->m->layout->last];

    for (int64_t g = 0; level->ptr_bits && g <= c->facts.groups; g++)
        cairn_store_int((void *)level->ptr, g, level->ptr_bits / 8, level->ptr_bits,
                        c->groups.begin[g]);
}

cairn_status cairn_pass_write_last_ptr(cairn_compiled *c, const cairn_pass_call *call)
{
    cairn_compiled_write_last_ptr(c, &call->part->view);
    return CAIRN_OK;
}

void cairn_compiled_write_ptrs(const cairn_compiled    *c,
                               int64_t                  bank,
                               const cairn_kernel_part *view)
{
    write_ptr(c, bank, &view->level[c->m->layout->first]);
    write_lower_ptrs(c->m->layout, view);
}

/// The first bank's turn is all banks' turn: what moves entries goes on from here.
static cairn_status write_all_ptrs(cairn_compiled *c, const cairn_pass_call *call)
{
    for (int64_t b = 0; b < c->m->layout->banks && call->bank == 0; b++)
        cairn_compiled_write_ptrs(c, b, &c->m->part[b].view);
    return CAIRN_OK;
}

void cairn_groups_set_banks(cairn_compiled *c)
{
    const cairn_layout *to   = c->m->layout;
    const int64_t       each = c->facts.groups / to->banks;

    for (int64_t b = 0; b < to->banks; b++) {
        cairn_bank *bank = &c->m->bank[b];

        bank->begin = cairn_compiled_begin_of(c, b * each);
        bank->end   = cairn_compiled_begin_of(c, (b + 1) * each);
        assert(bank->begin <= bank->end);
        for (int l = to->first; l <= to->last; l++)
            bank->nodes[l] = bank->end - bank->begin;
    }
}

/* ---- groups of entries ---- */

/// Counts of some groups: those of each thread but the first become what the threads before
/// it have, and those of the first what all have.
CAIRN_WIDE static void
add_threads(int64_t groups, int64_t threads, int64_t some, uint32_t *cursor)
{
    for (int64_t t = 1; t < threads; t++) {
        uint32_t *const restrict all = cursor;
        uint32_t *const restrict its = cursor + t * groups;

        for (int64_t g = 0; g < some; g++) {
            const uint32_t here = its[g];

            its[g] = all[g];
            all[g] += here;
        }
    }
}

/// What threads before each have of some groups becomes where its entries begin.
CAIRN_WIDE static void
begin_threads(int64_t groups, int64_t threads, int64_t some, uint32_t *cursor)
{
    for (int64_t t = 1; t < threads; t++) {
        const uint32_t *const restrict first = cursor;
        uint32_t *const restrict its         = cursor + t * groups;

        for (int64_t g = 0; g < some; g++)
            its[g] += first[g];
    }
}

/// The threads' entries of a group follow each other. The first thread's begins are the
/// groups'; there is one more.
static void begin_groups_of_threads(cairn_compiled *c)
{
    enum { BLOCK = 1 << 11 }; /* counters of a thread that stay in the first cache */
    const int64_t   groups = c->facts.groups, threads = c->ranges.n;
    uint32_t *const cursor = c->groups.begin;
    uint32_t        before = 0;

    if (threads == 1) {
        cursor[groups] = groups > 4 * c->facts.entries
                             ? cairn_offsets_sparse(groups, 0, cursor)
                             : cairn_offsets_small(groups, 0, cursor);
        return;
    }
    for (int64_t g = 0; g < groups; g += BLOCK) {
        const int64_t some = groups - g < BLOCK ? groups - g : BLOCK;

        add_threads(groups, threads, some, cursor + g);
        before = cairn_offsets_small(some, before, cursor + g);
        begin_threads(groups, threads, some, cursor + g);
    }
    cursor[threads * groups] = before;
}

static cairn_status begin_entries(cairn_compiled *c)
{
    begin_groups_of_threads(c);
    cairn_groups_set_banks(c);
    return CAIRN_OK;
}

const cairn_pass_work cairn_offsets_of_groups = {.prepare = begin_entries,
                                                 .write   = write_all_ptrs};

/* ---- groups of rows ---- */

/// Which group each row is of, for now in `place`.
static cairn_status find_groups(const cairn_compiled *c)
{
    int64_t            share[2] = {0, c->m->rows.n};
    cairn_convert_args args     = {.share      = share,
                                   .shares     = 1,
                                   .box        = &c->origin.box[0].lo,
                                   .table      = c->origin.table,
                                   .table_rows = c->origin.rows,
                                   .list       = c->rows.place};

    return cairn_phase_run(c->m->env, cairn_pass_phase(c, CAIRN_CONVERT_GROUPS), NULL,
                           (cairn_kernel_part *)&c->empty.view, &args);
}

/// Where each group begins; there is one more.
static void begin_groups(cairn_compiled *c)
{
    memset(c->groups.begin, 0, (size_t)(c->facts.groups + 1) * sizeof *c->groups.begin);
    for (int64_t i = 0; i < c->m->rows.n; i++)
        c->groups.begin[c->rows.place[i]] += c->rows.first[i + 1] - c->rows.first[i];
    cairn_begin_groups(c->groups.begin, c->facts.groups);
}

/// Rows follow each other in their groups. When all have their places, each cursor stands
/// where the next group begins.
static void place_rows(cairn_compiled *c)
{
    const int64_t rows = c->m->rows.n;

    for (int64_t i = 0; i < rows; i++) {
        uint32_t *const cursor = &c->groups.begin[c->rows.place[i]];

        c->rows.place[i] = *cursor;
        *cursor += c->rows.first[i + 1] - c->rows.first[i];
    }
    memmove(c->groups.begin + 1, c->groups.begin,
            (size_t)c->facts.groups * sizeof *c->groups.begin);
    c->groups.begin[0] = 0;
}

static cairn_status begin_row_groups(cairn_compiled *c)
{
    CAIRN_TRY(CAIRN_NEW(c->m->env, c->m->rows.n, &c->rows.place));
    CAIRN_TRY(CAIRN_NEW(c->m->env, c->facts.groups + 1, &c->groups.begin));
    CAIRN_TRY(find_groups(c));
    begin_groups(c);
    place_rows(c);
    cairn_groups_set_banks(c);
    return CAIRN_OK;
}

const cairn_pass_work cairn_offsets_of_row_groups = {.prepare = begin_row_groups,
                                                     .write   = write_all_ptrs};

/* ---- ordered rows ---- */

/// Run a phase over the rows of a bank.
cairn_status cairn_rows_run_bank(const cairn_compiled *c,
                                 const cairn_phase    *phase,
                                 int64_t               bank,
                                 cairn_kernel_part    *to,
                                 cairn_convert_args   *args)
{
    int64_t outer[CAIRN_MAX_LEVELS];

    cairn_origin_args(&c->origin, 0, outer, args);
    args->order = c->rows.order;
    args->first = c->rows.first;
    args->begin = c->rows.bank_first[bank];
    args->end   = c->rows.bank_first[bank + 1];
    /* Complete levels may have very many indices above one that has none. */
    if (c->facts.entries == 0) args->end = args->begin;
    return cairn_phase_run(c->m->env, phase, cairn_compiled_source(c), to, args);
}

static cairn_status count_nodes(cairn_compiled *c, int64_t b)
{
    cairn_bank        *bank                       = &c->m->bank[b];
    int64_t            facts[CAIRN_CONVERT_FACTS] = {0};
    cairn_convert_args args = {.facts = facts, .nodes = bank->nodes};

    CAIRN_TRY(cairn_rows_run_bank(c, cairn_pass_phase(c, CAIRN_CONVERT_COUNT), b,
                                  &c->empty.view, &args));
    bank->end = bank->begin + facts[0];
    return CAIRN_OK;
}

/// The same without a look at the entries.
static void add_nodes(cairn_compiled *c, int64_t b)
{
    const cairn_layout *to   = c->m->layout;
    cairn_bank         *bank = &c->m->bank[b];

    bank->end = bank->begin + c->rows.bank_rows[2 * b + 1];
    for (int l = to->first; l <= to->last; l++)
        bank->nodes[l] =
            c->rows.bank_rows[2 * b + (to->level[l].depth >= c->facts.order.distinct)];
}

static cairn_status begin_rows(cairn_compiled *c)
{
    const bool counted = cairn_rows_are_counted(c);
    cairn_pos  total   = 0;

    if (c->program.division.rows)
        CAIRN_TRY(CAIRN_NEW(c->m->env, c->m->rows.n, &c->rows.place));
    for (int64_t b = 0; b < c->m->layout->banks; b++) {
        c->m->bank[b].begin = total;
        if (counted)
            add_nodes(c, b);
        else
            CAIRN_TRY(count_nodes(c, b));
        total = c->m->bank[b].end;
    }
    return CAIRN_OK;
}

const cairn_pass_work cairn_offsets_of_rows = {.prepare = begin_rows};

/* ---- others' begins ---- */

/// Where the ptr has 32 bits it is found where it stands.
static cairn_status begin_source(cairn_compiled *c)
{
    cairn_nodes_are_entries(c);
    if (c->m->layout->level[1].arrays.ptr_bits == 32) return CAIRN_OK;
    return cairn_starts_find(c->m->env, &c->origin, cairn_starts_row(&c->origin),
                             c->build->loader->threads, &c->groups.begin);
}

static cairn_status write_source(cairn_compiled *c, const cairn_pass_call *call)
{
    const cairn_kernel_level *level = &call->part->view.level[1];

    if (level->ptr_bits != 32) return write_all_ptrs(c, call);
    if (cairn_append_arrays_looks(c)) return CAIRN_OK;
    cairn_starts_write(&c->origin, cairn_starts_row(&c->origin),
                       c->build->loader->threads, (uint32_t *)level->ptr);
    return CAIRN_OK;
}

const cairn_pass_work cairn_offsets_of_source = {.prepare = begin_source,
                                                 .write   = write_source};

static cairn_status begin_buckets(cairn_compiled *c)
{
    cairn_nodes_are_entries(c);
    return CAIRN_NEW(c->m->env, c->facts.groups + 1, &c->groups.begin);
}

const cairn_pass_work cairn_offsets_of_buckets = {.prepare = begin_buckets};
