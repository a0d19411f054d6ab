// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbering groups along lines, and the way back.

#include "convert/numbers/compiled_blocks.h"

#include "base/wide.h"
#include "format/columns.h"
#include "phases/count_exchange.h"

#include <assert.h>
#include <string.h>

/* Numbers and positions are 32 bits wide. */
#define MOST ((int64_t)UINT32_MAX - 1)

/* ---- places ---- */

/// Combinations of expressions begin..end-1, or one more than can be numbered.
static int64_t combinations(const cairn_blocks *b, int begin, int end)
{
    __int128 n = 1;

    for (int f = begin; f < end; f++) {
        n *= b->form[f].size;
        if (n > MOST) return MOST + 1;
    }
    return (int64_t)n;
}

/// Our expression number @p f is the counter's number counter_form().
static int counter_form(const cairn_blocks *b, int f)
{
    return (f - b->counter.rotated + b->forms) % b->forms;
}

/// The counter's groups, with line and place as their numbers.
static cairn_group_walk walk_lines(const cairn_blocks *b)
{
    cairn_group_walk w       = cairn_group_walk_begin(&b->counter);
    int64_t          step[2] = {1, 1};

    for (int f = b->forms - 1; f >= 0; f--) {
        const int number = f >= b->outer;

        w.step[number][counter_form(b, f)] = step[number];
        step[number] *= b->form[f].size;
    }
    return w;
}

/// Do places ascend within every line while the counter's groups do?
static bool keeps_order(const cairn_blocks *b)
{
    for (int f = b->outer + 1; f < b->forms; f++)
        if (counter_form(b, f - 1) > counter_form(b, f)) return false;
    return true;
}

/* ---- numbering ---- */

/// In any order of the counter: the groups of each line are counted, and scattered to it.
static cairn_status scatter_to_lines(cairn_blocks *b, cairn_env *env)
{
    cairn_line_index *const along = &b->along;
    uint32_t               *next  = NULL;
    cairn_group_walk        w     = walk_lines(b);

    CAIRN_TRY(CAIRN_NEW_ZERO(env, along->lines + 1, &along->begin));
    for (; cairn_group_walk_next(&w); along->n++)
        along->begin[w.number[0]]++;
    cairn_begin_groups(along->begin, along->lines);
    CAIRN_TRY(CAIRN_NEW(env, along->n, &along->place));
    CAIRN_TRY(CAIRN_NEW(env, b->counter.index.n, &b->counter.index.number));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, along->lines, &next));
    for (w = walk_lines(b); cairn_group_walk_next(&w);) {
        const uint32_t k = next[w.number[0]]++;

        b->counter.index.number[w.q]                = k;
        along->place[along->begin[w.number[0]] + k] = (uint32_t)w.number[1];
    }
    assert(cairn_begins_ascend_small(along->lines, along->begin, along->n));
    cairn_free(env, next);
    return CAIRN_OK;
}

/// Entries are numbered along lines in the order of groups: those of a group go on from
/// where it begins, in the order in which they come.
static cairn_status begin_entries(cairn_blocks *b, cairn_env *env)
{
    cairn_line_index *const x    = &b->counter.index;
    uint32_t               *next = NULL;
    int64_t                 most = 0;

    CAIRN_TRY(CAIRN_NEW(env, x->n, &x->number));
    if (!x->listed) CAIRN_TRY(CAIRN_NEW(env, x->n, &x->slot));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, b->along.lines, &next));
    for (cairn_group_walk w = walk_lines(b); cairn_group_walk_next(&w);) {
        uint32_t *const its = &next[w.number[0]];

        x->number[w.q] = *its;
        *its += x->count[w.q];
        most = *its > most ? *its : most;
    }
    b->span = (cairn_interval){0, most - 1};
    cairn_free(env, next);
    return CAIRN_OK;
}

/// The counter's lines are ours: so are its lists.
static cairn_status number_lists(cairn_blocks *b, cairn_env *env)
{
    cairn_line_index *const x = &b->counter.index;

    CAIRN_TRY(cairn_line_index_number(env, (int)b->counter.ranges.n, x));
    b->along.n      = x->n;
    b->along.begin  = x->begin;
    b->along.place  = x->place;
    b->along.number = x->number;
    return CAIRN_OK;
}

static bool has_same_lines(const cairn_blocks *b)
{
    return b->counter.rotated == 0 && b->forms == b->outer + 1;
}

static cairn_status number(cairn_blocks       *b,
                           cairn_env          *env,
                           const cairn_build  *build,
                           const cairn_origin *origin)
{
    cairn_line_index *const x = &b->counter.index;

    for (int f = 0; f < b->forms; f++) {
        b->form[f].low  = b->counter.low[counter_form(b, f)];
        b->form[f].size = b->counter.size[counter_form(b, f)];
    }
    b->along   = (cairn_line_index){.lines  = combinations(b, 0, b->outer),
                                    .places = combinations(b, b->outer, b->forms),
                                    .listed = true};
    b->threads = 1 + 4 * x->n / (x->places + 1);
    if (b->threads > build->loader->threads) b->threads = build->loader->threads;
    if (cairn_blocks_of_entries(b)) b->threads = 1;
    CAIRN_CHECK(b->along.lines <= 16 * cairn_origin_entries(origin) + (1 << 20)
                    && b->along.places <= MOST && keeps_order(b),
                env, CAIRN_NO_KERNEL, "query: lines that are not numbered");
    if (build->planned) return CAIRN_OK;
    if (x->listed) {
        cairn_free(env, x->slot);
        x->slot = NULL;
        CAIRN_TRY(CAIRN_NEW(env, b->threads * x->places, &x->slot));
        CAIRN_TRY(cairn_line_index_sort(
            env, cairn_blocks_of_entries(b) ? 1 : (int)b->counter.ranges.n,
            cairn_blocks_of_entries(b), x));
    }
    if (cairn_blocks_of_entries(b)) return begin_entries(b, env);
    CAIRN_TRY(x->listed && has_same_lines(b) ? number_lists(b, env)
                                             : scatter_to_lines(b, env));
    b->added = 0;
    for (int64_t q = 0; q < x->n; q++)
        b->added += x->count[q];
    return CAIRN_OK;
}

cairn_status cairn_blocks_run(cairn_member_build *m,
                              const cairn_build  *build,
                              const cairn_origin *origin)
{
    cairn_blocks *const b = m->blocks;
    cairn_status        status;

    assert(b && !m->layout); /* numbers come before ranges */
    cairn_blocks_forget(m->env, b);
    status =
        cairn_group_counter_run(m->env, build, origin, &b->query, false, &b->counter);
    if (status == CAIRN_OK) status = number(b, m->env, build, origin);
    if (status != CAIRN_OK) {
        cairn_blocks_forget(m->env, b);
        return status;
    }
    b->counted = true;
    if (b->counter.route > m->route) m->route = b->counter.route;
    return CAIRN_OK;
}

/* ---- several ranks ---- */

bool cairn_blocks_has_all(const cairn_build *build, int first)
{
    for (int k = first; k < build->shape.order; k++)
        if (build->box[k].lo != 0 || build->box[k].hi != build->shape.extent[k] - 1)
            return false;
    return true;
}

/// Of which lines this rank has all groups. @return whether of all.
static bool find_own(cairn_blocks *b, const cairn_build *build)
{
    const cairn_interval rows = build->box[0];
    int64_t              divisor;

    b->own = (cairn_interval){0, -1};
    if (cairn_blocks_has_all(build, 0) || rows.lo > rows.hi) return true;
    if (b->row < 0) return false;
    divisor   = b->form[b->row].divisor;
    b->own.lo = (rows.lo + divisor - 1) / divisor;
    b->own.hi = (rows.hi + 1) / divisor - 1;
    if (rows.hi == build->shape.extent[0] - 1) b->own.hi = rows.hi / divisor;
    return b->own.lo * divisor == rows.lo && b->own.hi == rows.hi / divisor;
}

/// Has this rank all groups of the line in which `row` has this value?
static bool is_own(const cairn_blocks *b, int64_t value)
{
    return !b->joint || (b->row >= 0 && value >= b->own.lo && value <= b->own.hi);
}

/// The value of `row` in a line.
static int64_t row_of(const cairn_blocks *b, int64_t line)
{
    for (int f = b->outer - 1; f > b->row; f--)
        line /= b->form[f].size;
    return b->row < 0 ? 0 : b->form[b->row].low + line % b->form[b->row].size;
}

/// A row-major number of expressions begin..end-1, of those on this rank, among those of
/// all positions.
static int64_t number_of_all(const cairn_blocks *b,
                             const cairn_build  *build,
                             int                 begin,
                             int                 end,
                             int64_t             at)
{
    int64_t number = 0, step = 1;

    for (int f = end - 1; f >= begin; f--) {
        const cairn_block_form *form = &b->form[f];

        number += (form->low + at % form->size) * step;
        at /= form->size;
        step *= (build->shape.extent[form->dim] - 1) / form->divisor + 1;
    }
    return number;
}

/// Lines of all positions; -1: they, or places, are more than can be numbered.
static int64_t all_lines(const cairn_blocks *b, const cairn_build *build)
{
    __int128 n[2] = {1, 1};

    for (int f = 0; f < b->forms; f++) {
        __int128 *const its = &n[f >= b->outer];

        *its *= (build->shape.extent[b->form[f].dim] - 1) / b->form[f].divisor + 1;
        if (*its > INT64_MAX) return -1;
    }
    return n[1] > MOST ? -1 : (int64_t)n[0];
}

/// The groups of lines that are not this rank's alone.
static cairn_status list_shared(const cairn_blocks   *b,
                                cairn_env            *env,
                                const cairn_build    *build,
                                cairn_group_counted **counted,
                                int64_t              *n)
{
    const cairn_line_index *x = &b->along;

    for (int64_t line = 0; line < x->lines; line++)
        if (!is_own(b, row_of(b, line))) *n += cairn_line_index_groups(x, line);
    CAIRN_TRY(CAIRN_NEW(env, *n, counted));
    *n = 0;
    for (int64_t line = 0; line < x->lines; line++) {
        const int64_t of_all = number_of_all(b, build, 0, b->outer, line);

        for (int64_t q = x->begin[line];
             q < x->begin[line + 1] && !is_own(b, row_of(b, line)); q++)
            (*counted)[(*n)++] =
                (cairn_group_counted){.line  = of_all,
                                      .place = (uint32_t)number_of_all(
                                          b, build, b->outer, b->forms, x->place[q])};
    }
    return CAIRN_OK;
}

/// Groups of shared lines have the numbers found; @p counted NULL: there are no such
/// lines. And the span of all numbers.
static void take_numbers(cairn_blocks *b, const cairn_group_counted *counted)
{
    const cairn_line_index *x  = &b->along;
    int64_t                 lo = INT64_MAX, hi = -1;

    for (int64_t line = 0; line < x->lines; line++) {
        const int64_t n = cairn_line_index_groups(x, line);

        if (n > 0 && is_own(b, row_of(b, line))) {
            lo = 0;
            hi = n - 1 > hi ? n - 1 : hi;
            continue;
        }
        for (int64_t k = 0; k < n; k++, counted++) {
            x->number[x->begin[line] + k] = counted->number;
            lo                            = counted->number < lo ? counted->number : lo;
            hi                            = counted->number > hi ? counted->number : hi;
        }
    }
    b->span = hi < 0 ? (cairn_interval){0, -1} : (cairn_interval){lo, hi};
}

/// Numbers along lines go to the counter's order.
static void give_numbers(cairn_blocks *b)
{
    uint32_t *const number = b->counter.index.number;

    if (number == b->along.number) return;
    for (cairn_group_walk w = walk_lines(b); cairn_group_walk_next(&w);)
        number[w.q] = b->along.number[b->along.begin[w.number[0]] + number[w.q]];
}

/// Have the ranks that answer for lines number their groups.
static cairn_status
number_jointly(cairn_blocks *b, cairn_env *env, const cairn_build *build)
{
    const int64_t        lines   = all_lines(b, build);
    cairn_group_counted *counted = NULL;
    int64_t              n       = 0;
    cairn_status         status  = CAIRN_OK;

    b->joint = true;
    if (lines < 0)
        status = cairn_fail(env, CAIRN_NO_KERNEL,
                            "query: more lines or places than can be numbered");
    if (status == CAIRN_OK && !b->along.number)
        status = cairn_line_index_number(env, (int)b->counter.ranges.n, &b->along);
    if (status == CAIRN_OK) status = list_shared(b, env, build, &counted, &n);
    status = cairn_build_all_compiled(build, status);
    if (status == CAIRN_OK)
        status = cairn_exchange_groups(env, build->net, CAIRN_OK, lines, n, counted);
    if (status == CAIRN_OK) {
        take_numbers(b, counted);
        give_numbers(b);
    }
    cairn_free(env, counted);
    return status;
}

cairn_status cairn_blocks_join(cairn_member_build *m, const cairn_build *build)
{
    cairn_blocks *const b   = m->blocks;
    bool                own = find_own(b, build);
    cairn_status        status;

    b->joint = false;
    if (cairn_blocks_of_entries(b)) return CAIRN_OK;
    status = cairn_build_all(build, CAIRN_OK, &own);
    if (status == CAIRN_OK && !own) status = number_jointly(b, m->env, build);
    if (status == CAIRN_OK && own) take_numbers(b, NULL);
    cairn_free(m->env, b->counter.index.count); /* only numbers are asked for */
    b->counter.index.count = NULL;
    return status;
}

/* ---- from a number back ---- */

/// The place of a group by its number in a line; -1: there is none, or it is not known, as
/// what a line lacks on other ranks is not.
static int64_t place_of(const cairn_blocks *b, int64_t line, bool own, int64_t number)
{
    const cairn_line_index *x = &b->along;
    const int64_t           n = cairn_line_index_groups(x, line);

    if (!own) {
        const int64_t q = cairn_line_index_find(x, line, number);

        return q < 0 ? -1 : (int64_t)x->place[q];
    }
    if (number < 0 || (number >= n && b->width < 0)) return -1;
    return number < n ? x->place[x->begin[line] + number]
                      : cairn_line_index_lacking(x, line, number - n);
}

void cairn_blocks_list_places(cairn_env          *env,
                              const cairn_blocks *b,
                              int64_t             most,
                              int64_t            *numbers,
                              int32_t           **place)
{
    const cairn_line_index *x   = &b->along;
    const int64_t           all = b->span.hi + 1;

    *numbers = 0;
    if (b->joint || x->places > INT32_MAX || x->lines == 0 || all <= 0
        || x->lines > most / all)
        return;

    /* Without memory for it they are searched for, and nobody is told. */
    cairn_message_slot slot;

    cairn_message_slot_begin(env, &slot);
    const cairn_status status = CAIRN_NEW(env, x->lines * all, place);

    cairn_message_slot_end(env, &slot);
    if (status != CAIRN_OK) return;
    *numbers = all;
    for (int64_t line = 0; line < x->lines; line++) {
        const uint32_t *const list = x->place + x->begin[line];
        const int64_t         n    = cairn_line_index_groups(x, line);
        int32_t *const        to   = *place + line * all;
        int64_t               k = 0, lacking = 0;

        for (; k < n && k < all; k++)
            to[k] = (int32_t)list[k];
        for (int64_t met = 0; k < all; k++) {
            while (met < n && list[met] == lacking)
                met++, lacking++;
            to[k] = b->width < 0 || lacking >= x->places ? -1 : (int32_t)lacking++;
        }
    }
}

/// Lines of @p n rows, where @p ok, which becomes false where there is no such line: its
/// number is 0 then.
CAIRN_WIDE static void find_lines(const cairn_blocks   *b,
                                  int                   n,
                                  const int64_t *const *line,
                                  int64_t              *at,
                                  bool                 *ok)
{
    for (int p = 0; p < n; p++)
        at[p] = 0;
    for (int f = 0; f < b->outer; f++) {
        const uint64_t low = (uint64_t)b->form[f].low, size = (uint64_t)b->form[f].size;

        for (int p = 0; p < n; p++) {
            const uint64_t value = (uint64_t)line[f][p] - low;
            const bool     its   = ok[p] & (value < size);

            ok[p] = its;
            at[p] = its ? at[p] * (int64_t)size + (int64_t)value : 0;
        }
    }
}

/// Are all numbers of rows that are @p ok listed?
CAIRN_WIDE static bool
are_listed(int n, int64_t numbers, const int64_t *number, const bool *ok)
{
    const unsigned char *const its    = (const unsigned char *)ok;
    unsigned char              beyond = 0;

    for (int p = 0; p < n; p++)
        beyond |= its[p] & (unsigned char)((uint64_t)number[p] >= (uint64_t)numbers);
    return beyond == 0;
}

/// Places that are listed, of lines @p at, which they replace; others are not @p ok, and 0.
CAIRN_WIDE static void read_places(int            n,
                                   int64_t        numbers,
                                   const int32_t *places,
                                   int64_t        most,
                                   const int64_t *number,
                                   int64_t       *at,
                                   bool          *ok)
{
    unsigned char *restrict its = (unsigned char *)ok; /* as in columns.c */

    for (int p = 0; p < n; p++) {
        const int64_t       mask  = -(int64_t)its[p];
        const int64_t       place = places[(at[p] * numbers + number[p]) & mask];
        const unsigned char there =
            its[p] & (unsigned char)((uint64_t)place < (uint64_t)most);

        its[p] = there;
        at[p]  = place & -(int64_t)there;
    }
}

/// The same, searched for.
static void search_places(const cairn_blocks   *b,
                          int                   n,
                          const int64_t        *number,
                          const int64_t *const *line,
                          int64_t              *at,
                          bool                 *ok)
{
    for (int p = 0; p < n; p++) {
        const int64_t place =
            ok[p] ? place_of(b, at[p], is_own(b, b->row < 0 ? 0 : line[b->row][p]),
                             number[p])
                  : -1;

        ok[p] = place >= 0 && place < b->along.places;
        at[p] = ok[p] ? place : 0;
    }
}

void cairn_blocks_elements(const cairn_blocks   *b,
                           int64_t               numbers,
                           const int32_t        *places,
                           int                   n,
                           const int64_t        *number,
                           const int64_t *const *line,
                           int64_t              *spare,
                           int64_t *const       *group,
                           bool                 *ok)
{
    find_lines(b, n, line, spare, ok);
    if (numbers > 0 && are_listed(n, numbers, number, ok))
        read_places(n, numbers, places, b->along.places, number, spare, ok);
    else
        search_places(b, n, number, line, spare, ok);
    for (int f = 0; f < b->outer; f++)
        memcpy(group[b->form[f].given], line[f], (size_t)n * sizeof **group);
    for (int f = b->forms - 1; f >= b->outer; f--) {
        const int64_t  low = b->form[f].low, size = b->form[f].size;
        int64_t *const to = group[b->form[f].given];

        /* what is left is less than its size, and nothing is divided where it is all */
        cairn_columns_begin(n, low, 1, spare, to);
        if (f == b->outer) continue;
        cairn_columns_floor_div(n, size, spare, spare);
        cairn_columns_add(n, -size, spare, to);
    }
}

/* ---- the end ---- */

void cairn_blocks_forget(cairn_env *env, cairn_blocks *b)
{
    if (!b) return;
    b->counter.env = env;
    if (b->along.begin != b->counter.index.begin) cairn_line_index_fini(env, &b->along);
    b->along = (cairn_line_index){.n = 0};
    cairn_group_counter_fini(&b->counter);
    b->counted = false;
}

void cairn_blocks_drop(cairn_member_build *m)
{
    cairn_blocks_forget(m->env, m->blocks);
    cairn_free(m->env, m->blocks);
    m->blocks = NULL;
}
