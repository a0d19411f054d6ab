// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbering groups along lines, and the way back.

#include "convert/compiled_blocks.h"

#include "base/offsets.h"
#include "convert/compiled_exchange.h"
#include "convert/compiled_lists.h"

/* Numbers and positions are 32 bits wide. */
#define MOST ((int64_t)UINT32_MAX - 1)

/* ---- places ---- */

/// Combinations of expressions begin..end-1, or one more than can be numbered.
static int64_t combinations(const cairn_blocks *b, int begin, int end)
{
    __int128 n = 1;

    for (int f = begin; f < end; f++) {
        n *= b->size[f];
        if (n > MOST) return MOST + 1;
    }
    return (int64_t)n;
}

/// What one step of each of the tally's expressions adds to the line, and to the place.
typedef struct {
    int64_t line[CAIRN_MAX_LEVELS], place[CAIRN_MAX_LEVELS];
} strides;

/// Our expression number @p f is the tally's number tally_form().
static int tally_form(const cairn_blocks *b, int f)
{
    return (f - b->tally.rotated + b->forms) % b->forms;
}

static strides strides_of(const cairn_blocks *b)
{
    strides s    = {.line = {0}};
    int64_t line = 1, place = 1;

    for (int f = b->forms - 1; f >= 0; f--) {
        const int at = tally_form(b, f);

        if (f < b->outer) {
            s.line[at] = line;
            line *= b->size[f];
        } else {
            s.place[at] = place;
            place *= b->size[f];
        }
    }
    return s;
}

/// Do places ascend within every line while the tally's groups do?
static bool keeps_order(const cairn_blocks *b)
{
    for (int f = b->outer + 1; f < b->forms; f++)
        if (tally_form(b, f - 1) > tally_form(b, f)) return false;
    return true;
}

/* ---- numbering ---- */

/// A walk over the tally's groups in their order.
typedef struct {
    const cairn_blocks *b;
    strides             step;
    int64_t             row;         ///< Of the tally: all expressions but the last.
    int64_t             line, place; ///< Where its first group would be.
    int64_t             q, end;      ///< Groups of the row that are left.
} walk;

static void enter_row(walk *w)
{
    const cairn_group_counter *t    = &w->b->tally;
    int64_t                    left = w->row;

    w->line = w->place = 0;
    for (int f = t->forms - 2; f >= 0; f--) {
        w->line += left % t->size[f] * w->step.line[f];
        w->place += left % t->size[f] * w->step.place[f];
        left /= t->size[f];
    }
    w->q   = t->listed ? t->cursor[w->row] : w->row * t->slots;
    w->end = t->listed ? t->cursor[w->row + 1] : w->q + t->slots;
}

static walk begin_walk(const cairn_blocks *b)
{
    return (walk){.b = b, .step = strides_of(b), .row = -1};
}

/// The next group that has an entry: its number in the tally, line and place.
static bool next_group(walk *w, int64_t *q, int64_t *line, int64_t *place)
{
    const cairn_group_counter *t    = &w->b->tally;
    const int                  last = t->forms - 1;

    for (;;) {
        while (w->q >= w->end) {
            if (++w->row >= t->lines) return false;
            enter_row(w);
        }
        *q = w->q++;
        if (t->listed || t->total[*q]) break;
    }
    const int64_t x = t->listed ? t->list[*q] : *q - w->row * t->slots;

    *line  = w->line + x * w->step.line[last];
    *place = w->place + x * w->step.place[last];
    return true;
}

/// In any order of the tally: the groups of each line are counted, and dealt to it.
static cairn_status number_walking(cairn_blocks *b, cairn_env *env)
{
    walk      w    = begin_walk(b);
    uint32_t *next = NULL;
    int64_t   q, line, place, n = 0;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, b->lines + 1, &b->first));
    for (; next_group(&w, &q, &line, &place); n++)
        b->first[line]++;
    cairn_offsets_small(b->lines + 1, 0, b->first);
    CAIRN_TRY(CAIRN_NEW(env, n, &b->list));
    CAIRN_TRY(CAIRN_NEW(env, b->tally.groups, &b->rank));
    CAIRN_TRY(CAIRN_NEW_ZERO(env, b->lines, &next));
    for (w = begin_walk(b); next_group(&w, &q, &line, &place);) {
        b->rank[q]                           = next[line]++;
        b->list[b->first[line] + b->rank[q]] = (uint32_t)place;
    }
    cairn_free(env, next);
    return CAIRN_OK;
}

/// The tally's lines are ours: so are its lists.
static cairn_status number_lists(cairn_blocks *b, cairn_env *env)
{
    cairn_group_counter *const t       = &b->tally;
    const int                  threads = (int)t->shares.n;

    CAIRN_TRY(CAIRN_NEW(env, t->groups, &b->rank));
    b->first  = t->cursor;
    b->list   = t->list;
    t->cursor = t->list = NULL;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int64_t line = 0; line < b->lines; line++)
        for (uint32_t q = b->first[line]; q < b->first[line + 1]; q++)
            b->rank[q] = q - b->first[line];
    return CAIRN_OK;
}

static bool has_same_lines(const cairn_blocks *b)
{
    return b->tally.rotated == 0 && b->forms == b->outer + 1;
}

static void widen(cairn_interval *span, int64_t value)
{
    if (value < span->lo) span->lo = value;
    if (value > span->hi) span->hi = value;
}

static cairn_interval known_span(cairn_interval span)
{
    return span.lo <= span.hi ? span : (cairn_interval){0, -1};
}

/// Values of the sum where there are entries.
static void find_sums(cairn_blocks *b)
{
    cairn_interval sum = {INT64_MAX, INT64_MIN};

    b->added = 0;
    for (int64_t q = 0; q < b->tally.groups; q++) {
        b->added += b->tally.total[q];
        if (b->tally.total[q]) widen(&sum, b->tally.total[q]);
    }
    b->span[b->sum] = known_span(sum);
}

static cairn_status number(cairn_blocks       *b,
                           cairn_env          *env,
                           const cairn_build  *build,
                           const cairn_origin *origin)
{
    cairn_group_counter *const t = &b->tally;

    for (int f = 0; f < b->forms; f++) {
        b->low[f]  = t->low[tally_form(b, f)];
        b->size[f] = t->size[tally_form(b, f)];
    }
    b->lines   = combinations(b, 0, b->outer);
    b->across  = combinations(b, b->outer, b->forms);
    b->threads = 1 + 4 * (int64_t)t->groups / (t->slots + 1);
    if (b->threads > build->loader->threads) b->threads = build->loader->threads;
    CAIRN_CHECK(b->lines <= 16 * cairn_origin_entries(origin) + (1 << 20)
                    && b->across <= MOST && keeps_order(b),
                env, CAIRN_NO_KERNEL, "query: lines that are not numbered");
    if (build->planned) return CAIRN_OK;
    if (t->listed) {
        CAIRN_TRY(CAIRN_NEW(env, b->threads * t->slots, &b->slots));
        CAIRN_TRY(cairn_lists_sort(env, (int)t->shares.n, t->lines, t->cursor, t->slots,
                                   t->list));
    }
    CAIRN_TRY(t->listed && has_same_lines(b) ? number_lists(b, env)
                                             : number_walking(b, env));
    find_sums(b);
    return CAIRN_OK;
}

cairn_status cairn_blocks_run(cairn_member_build *m,
                              const cairn_build  *build,
                              const cairn_origin *origin)
{
    cairn_blocks *const b = m->blocks;
    cairn_status        status;

    cairn_blocks_forget(m->env, b);
    status =
        cairn_group_counter_run(m->env, build, origin, &b->query, false, &b->tally);
    if (status == CAIRN_OK) status = number(b, m->env, build, origin);
    if (status != CAIRN_OK) {
        cairn_blocks_forget(m->env, b);
        return status;
    }
    b->counted = true;
    if (b->tally.route > m->looked) m->looked = b->tally.route;
    return CAIRN_OK;
}

/* ---- several ranks ---- */

/// The lines that have groups, and how many.
static cairn_status
list_lines(const cairn_blocks *b, cairn_env *env, cairn_group_count **count, int64_t *n)
{
    *n = 0;
    for (int64_t line = 0; line < b->lines; line++)
        *n += b->first[line + 1] > b->first[line];
    CAIRN_TRY(CAIRN_NEW(env, *n, count));
    *n = 0;
    for (int64_t line = 0; line < b->lines; line++) {
        const int64_t groups = b->first[line + 1] - (int64_t)b->first[line];

        if (groups)
            (*count)[(*n)++] = (cairn_group_count){.group = line, .count = groups};
    }
    return CAIRN_OK;
}

/// Numbers begin behind those of the ranks before.
static cairn_status
move_numbers(cairn_blocks *b, cairn_env *env, const cairn_group_count *count, int64_t n)
{
    walk    w = begin_walk(b);
    int64_t q, line, place;

    CAIRN_TRY(CAIRN_NEW_ZERO(env, b->lines, &b->before));
    for (int64_t k = 0; k < n; k++)
        b->before[count[k].group] = (uint32_t)count[k].before;
    while (next_group(&w, &q, &line, &place))
        b->rank[q] += b->before[line];
    return CAIRN_OK;
}

/// Numbers of groups on lines, and how many those have.
static void find_spans(cairn_blocks *b, const cairn_group_count *count, const int64_t n)
{
    cairn_interval slot = {INT64_MAX, INT64_MIN}, width = slot;

    for (int64_t k = 0; k < n; k++) {
        const int64_t line = count[k].group, first = count[k].before;
        const int64_t own = b->first[line + 1] - (int64_t)b->first[line];

        widen(&slot, first);
        widen(&slot, first + own - 1);
        widen(&width, count[k].count);
    }
    b->span[b->slot] = known_span(slot);
    if (b->width >= 0) b->span[b->width] = known_span(width);
}

cairn_status
cairn_blocks_join(cairn_member_build *m, const cairn_build *build, cairn_status mine)
{
    cairn_blocks *const b      = m->blocks;
    cairn_group_count  *count  = NULL;
    int64_t             n      = 0;
    cairn_status        status = mine;

    if (status == CAIRN_OK) status = list_lines(b, m->env, &count, &n);
    if (b->spread)
        status = cairn_exchange_counts(m->env, build, status, b->lines, n, count);
    if (status == CAIRN_OK && b->spread && !cairn_blocks_has_all(build))
        status = move_numbers(b, m->env, count, n);
    if (status == CAIRN_OK) find_spans(b, count, n);
    cairn_free(m->env, count);
    cairn_free(m->env, b->tally.total); /* only numbers are asked for */
    cairn_free(m->env, b->tally.slot);
    b->tally.total = b->tally.slot = NULL;
    return status;
}

/* ---- from a number back ---- */

/// Place number @p k among those that line @p line lacks: behind as many of its groups
/// as lie before.
static int64_t lacking(const cairn_blocks *b, int64_t line, int64_t k)
{
    const uint32_t *list = b->list + b->first[line];
    int64_t         lo = 0, hi = b->first[line + 1] - (int64_t)b->first[line];

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (list[mid] - mid <= k)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo + k;
}

bool cairn_blocks_element(const cairn_blocks *b,
                          int64_t             number,
                          const int64_t      *line,
                          int64_t            *group)
{
    int64_t at = 0, place;

    for (int f = 0; f < b->outer; f++) {
        const int64_t value = line[f] - b->low[f];

        if (value < 0 || value >= b->size[f]) return false;
        at                 = at * b->size[f] + value;
        group[b->given[f]] = line[f];
    }
    const int64_t count = b->first[at + 1] - (int64_t)b->first[at];

    if (b->before) number -= b->before[at];
    /* What a line lacks on other ranks is not known. */
    if (number < 0 || (number >= count && (b->width < 0 || b->before))) return false;
    place = number < count ? b->list[b->first[at] + number]
                           : lacking(b, at, number - count);
    if (place >= b->across) return false;
    for (int f = b->forms - 1; f >= b->outer; f--) {
        group[b->given[f]] = b->low[f] + place % b->size[f];
        place /= b->size[f];
    }
    return true;
}

/* ---- the end ---- */

void cairn_blocks_forget(cairn_env *env, cairn_blocks *b)
{
    if (!b) return;
    b->tally.env = env;
    cairn_group_counter_fini(&b->tally);
    cairn_free(env, b->first);
    cairn_free(env, b->list);
    cairn_free(env, b->rank);
    cairn_free(env, b->before);
    cairn_free(env, b->slots);
    b->first = b->list = b->rank = b->before = b->slots = NULL;
    b->counted                                          = false;
}

void cairn_blocks_drop(cairn_member_build *m)
{
    cairn_blocks_forget(m->env, m->blocks);
    cairn_free(m->env, m->blocks);
    m->blocks = NULL;
}
