// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Shares of random formats at random cuts: they store at each position of their rows
/// what the member stores, their products have its bits, both ways give the same arrays,
/// and new values arrive.
///
/// The seed is printed; PROPERTY_SEED=N in the environment runs case N alone.

#include "convert/build.h"
#include "expr/reference.h"
#include "format/language.h"
#include "rows/row_share.h"
#include "support/crash_note.h"
#include "support/random_tensor.h"
#include "support/seed.h"
#include "tensor/walk.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { USUAL_CASES = 800, MOST_SHARES = 4, COLUMNS = 2 };

typedef struct {
    cairn_env     env;
    uint64_t      seed, state;
    cairn_shape   shape;
    cairn_entries entries;
    char          text[RANDOM_FORMAT];
    int           shares;
    cairn_coord   cut[MOST_SHARES + 1]; ///< Rows at which shares begin.
} sharing;

/// What a walk visits: how many positions, and a sum that tells their order and values.
typedef struct {
    cairn_interval rows;
    int64_t        n;
    uint64_t       sum; ///< FNV-1a, a word at a time.
} visited;

static void add_word(visited *v, uint64_t word)
{
    v->sum = (v->sum ^ word) * 0x100000001b3u;
}

static cairn_status note(void *user, const cairn_part *part, const cairn_batch *batch)
{
    visited *v = user;

    for (int k = 0; k < batch->n; k++) {
        const double value = cairn_value_get(&part->view, batch->value[k]);
        uint64_t     bits;

        if (batch->coord[0][k] < v->rows.lo || batch->coord[0][k] > v->rows.hi)
            continue;
        for (int d = 0; d < part->layout->order; d++)
            add_word(v, (uint64_t)batch->coord[d][k]);
        memcpy(&bits, &value, sizeof bits);
        add_word(v, bits);
        v->n++;
    }
    return CAIRN_OK;
}

static void visit(cairn_env         *env,
                  const cairn_local *local,
                  int                member,
                  cairn_interval     rows,
                  visited           *v)
{
    cairn_walker *walker;

    *v = (visited){.rows = rows};
    cr_assert_eq(cairn_walker_create(env, local->group[member].layout, &walker),
                 CAIRN_OK);
    cr_assert_eq(cairn_walk_member(walker, local, member, note, v), CAIRN_OK);
    cairn_walker_destroy(env, &walker);
}

/// The same positions with the same values, padding included, in the same order.
static void check_positions(sharing *s, const cairn_row_share *share)
{
    visited whole, own;

    visit(&s->env, share->tensor, share->member, share->rows, &whole);
    visit(&s->env, share->local, 0, share->rows, &own);
    cr_assert_eq(whole.n, own.n,
                 "seed %llu: %lld positions, not %lld, in rows %d to %d\n%s",
                 (unsigned long long)s->seed, (long long)own.n, (long long)whole.n,
                 (int)share->rows.lo, (int)share->rows.hi, s->text);
    cr_assert_eq(whole.sum, own.sum, "seed %llu: other positions or values\n%s",
                 (unsigned long long)s->seed, s->text);
}

/// Arrays of the two ways.
static void
check_arrays(const sharing *s, const cairn_local *lent, const cairn_local *walked)
{
    const cairn_layout *layout = lent->group[0].layout;
    cairn_array         a[CAIRN_MAX_ARRAYS], b[CAIRN_MAX_ARRAYS];
    const int           arrays = cairn_part_arrays(&lent->part[0], a);

    cr_assert_eq(arrays, cairn_part_arrays(&walked->part[0], b));
    cr_assert_eq(lent->group[0].bytes, walked->group[0].bytes,
                 "seed %llu: %lld bytes lent, %lld walked\n%s",
                 (unsigned long long)s->seed, (long long)lent->group[0].bytes,
                 (long long)walked->group[0].bytes, s->text);
    cr_assert_eq(lent->part[0].nnz, walked->part[0].nnz, "seed %llu: entries\n%s",
                 (unsigned long long)s->seed, s->text);
    for (int k = 0; k < arrays; k++) {
        cr_assert_eq(a[k].bytes, b[k].bytes, "seed %llu: lengths of array %d\n%s",
                     (unsigned long long)s->seed, k, s->text);
        /* What stands between the fields of a tuple is nobody's, and what a determined
         * level has where no position is may be a hole or not. */
        if (a[k].kind == CAIRN_ARRAY_IDX && layout->level[a[k].level].determined.on)
            continue;
        if (a[k].bytes > 0 && a[k].kind != CAIRN_ARRAY_TUPLES)
            cr_assert_eq(memcmp(a[k].data, b[k].data, (size_t)a[k].bytes), 0,
                         "seed %llu: array %d of kind %d\n%s",
                         (unsigned long long)s->seed, k, (int)a[k].kind, s->text);
    }
}

static void multiply(sharing           *s,
                     const cairn_local *local,
                     int                member,
                     bool               transposed,
                     const double      *x,
                     double            *y)
{
    const cairn_reference_op op = {
        .columns = COLUMNS, .transposed = transposed, .alpha = 0.75};
    cairn_reference *reference;

    cr_assert_eq(cairn_reference_create(&s->env, local, &op,
                                        1 + random_below(&s->state, 3), &reference),
                 CAIRN_OK);
    cr_assert_eq(cairn_reference_run(reference, member, x, y), CAIRN_OK);
    cairn_reference_destroy(&reference);
}

/// Rows have the undivided member's bits, an infinite X at padding included.
static void check_product(sharing *s, const cairn_row_share *share, const double *whole)
{
    const cairn_pos rows = share->rows.hi - share->rows.lo + 1;
    double          x[COLUMNS * RANDOM_POSITIONS], y[COLUMNS * RANDOM_POSITIONS] = {0};

    for (int k = 0; k < COLUMNS * RANDOM_POSITIONS; k++)
        x[k] = k == 5 ? INFINITY : (k % 97 + 1) / 97.0;
    multiply(s, share->local, 0, false, x, y);
    cr_assert_eq(memcmp(y, whole + (size_t)(share->rows.lo * COLUMNS),
                        (size_t)(rows * COLUMNS) * sizeof *y),
                 0, "seed %llu: other bits in rows %d to %d\n%s",
                 (unsigned long long)s->seed, (int)share->rows.lo, (int)share->rows.hi,
                 s->text);
}

static void multiply_whole(sharing *s, const cairn_local *local, int member, double *y)
{
    double x[COLUMNS * RANDOM_POSITIONS];

    for (int k = 0; k < COLUMNS * RANDOM_POSITIONS; k++)
        x[k] = k == 5 ? INFINITY : (k % 97 + 1) / 97.0;
    memset(y, 0, COLUMNS * RANDOM_POSITIONS * sizeof *y);
    multiply(s, local, member, false, x, y);
}

/// Give every stored value another, some of them 0: the pattern stays.
static void change_values(sharing *s, cairn_local *local, int member)
{
    const cairn_group *group = &local->group[member];

    for (int64_t k = 0; k < group->count; k++) {
        const cairn_kernel_part *view = &local->part[group->first + k].view;

        for (cairn_pos v = 0; v < view->values; v++)
            if (cairn_value_get(view, v) != 0)
                cairn_value_set(view, v, random_below(&s->state, 10) / 4.0);
    }
}

static cairn_row_share
make_share(sharing *s, const cairn_local *local, int member, int k, bool walked)
{
    const cairn_interval rows = {s->cut[k], s->cut[k + 1] - 1};
    cairn_row_share      share;

    cr_assert_eq(
        cairn_row_share_init(local, member, rows, k,
                             walked ? CAIRN_SHARE_WALKED : CAIRN_SHARE_LENT_IF_POSSIBLE,
                             0, &share),
        CAIRN_OK, "seed %llu: %s\n%s", (unsigned long long)s->seed, s->env.message,
        s->text);
    return share;
}

/// May values stand where no position is? Overhang, gaps, and holes.
static bool has_holes(const cairn_layout *layout)
{
    bool holes = layout->pads;

    for (int l = 0; l < layout->levels; l++)
        holes = holes || layout->level[l].gaps || layout->level[l].determined.on;
    return holes;
}

/// What the arrays tell of the rows before a block is what a walk finds there.
static void check_weights(sharing *s, const cairn_local *local, int member)
{
    cairn_pos last = 0;

    if (!cairn_row_positions_known(local, member)) return;
    for (cairn_coord row = 1; row <= local->box[0].hi + 1; row++) {
        const cairn_interval before = {0, row - 1};
        const cairn_pos      told   = cairn_row_positions_before(local, member, row);
        const bool inside = told == last; /* of a block, or after empty rows */
        visited    v;

        last = told;
        if (inside) continue;
        visit(&s->env, local, member, before, &v);
        cr_assert(v.n == told || (v.n < told && has_holes(local->group[member].layout)),
                  "seed %llu: %lld positions before row %d, not %lld\n%s",
                  (unsigned long long)s->seed, (long long)v.n, (int)row,
                  (long long)told, s->text);
    }
}

static void check_member(sharing *s, cairn_local *local, int member, int *lent)
{
    cairn_row_share share[MOST_SHARES], walked[MOST_SHARES], *all_shares[MOST_SHARES];
    double          y[COLUMNS * RANDOM_POSITIONS];
    cairn_pos       entries = 0, all = 0;

    check_weights(s, local, member);
    for (int k = 0; k < s->shares; k++) {
        share[k]  = make_share(s, local, member, k, false);
        walked[k] = make_share(s, local, member, k, true);
        *lent += share[k].lent;
        if (share[k].lent) check_arrays(s, share[k].local, walked[k].local);
    }
    for (int turn = 0; turn < 2; turn++) {
        if (s->shape.order == 2) multiply_whole(s, local, member, y);
        for (int k = 0; k < s->shares; k++) {
            check_positions(s, &share[k]);
            check_positions(s, &walked[k]);
            if (s->shape.order == 2) check_product(s, &share[k], y);
            if (s->shape.order == 2) check_product(s, &walked[k], y);
        }
        if (turn == 1) break;
        change_values(s, local, member);
        for (int k = 0; k < s->shares; k++) {
            cr_assert_eq(cairn_row_share_refresh(&share[k]), CAIRN_OK);
            cr_assert_eq(cairn_row_share_refresh(&walked[k]), CAIRN_OK);
        }
    }
    for (int k = 0; k < s->shares; k++)
        all_shares[k] = &share[k];
    cairn_row_shares_settle(all_shares, s->shares);
    for (int k = 0; k < s->shares; k++)
        for (int64_t b = 0; b < share[k].local->parts; b++)
            entries += share[k].local->part[b].nnz;
    for (int64_t b = 0; b < local->group[member].count; b++)
        all += local->part[local->group[member].first + b].nnz;
    cr_assert_eq(entries, all, "seed %llu: %lld entries, not %lld\n%s",
                 (unsigned long long)s->seed, (long long)entries, (long long)all,
                 s->text);
    for (int k = 0; k < s->shares; k++) {
        cairn_row_share_fini(&share[k]);
        cairn_row_share_fini(&walked[k]);
    }
}

/// Cuts at any rows, also through blocks and between the same rows twice.
static void draw_cuts(sharing *s)
{
    const int rows = (int)s->shape.extent[0];

    s->shares         = 1 + random_below(&s->state, MOST_SHARES);
    s->cut[0]         = 0;
    s->cut[s->shares] = rows;
    for (int k = 1; k < s->shares; k++) {
        const cairn_coord cut = random_below(&s->state, rows + 1);

        s->cut[k] = cut > s->cut[k - 1] ? cut : s->cut[k - 1];
    }
}

static bool build(sharing *s, const cairn_format *format, cairn_local **local)
{
    cairn_build build = {
        .format = format, .shape = s->shape, .entries = &s->entries, .value_bits = 64};

    for (int k = 0; k < s->shape.order; k++)
        build.box[k] = (cairn_interval){0, s->shape.extent[k] - 1};
    return cairn_local_build(&s->env, &build, local) == CAIRN_OK;
}

/// @return members that were divided; a text may be refused, as test_property.c has it.
static int run_case(uint64_t seed, int *lent)
{
    static sharing s;
    cairn_format  *format;
    cairn_local   *local   = NULL;
    int            members = 0;

    memset(&s, 0, sizeof s);
    cairn_env_init(&s.env);
    s.env.memory_limit = 8 << 20;
    s.seed = s.state = seed;
    crash_note("seed %llu", (unsigned long long)seed);
    random_tensor(&s.env, &s.state, &s.shape, &s.entries);
    random_format(&s.state, s.shape.order, s.text, sizeof s.text);
    draw_cuts(&s);
    if (cairn_format_parse(&s.env, NULL, s.text, "random", &format) == CAIRN_OK) {
        const bool built = build(&s, format, &local);

        s.env.memory_limit = INT64_MAX; /* shares stand beside */
        if (built)
            for (; members < local->groups; members++)
                check_member(&s, local, members, lent);
        cairn_local_destroy(&local);
        cairn_format_destroy(&format);
    }
    cairn_entries_fini(&s.env, &s.entries);
    cr_assert_eq(s.env.live_blocks, 0, "seed %llu leaks %lld blocks\n%s",
                 (unsigned long long)seed, (long long)s.env.live_blocks, s.text);
    cairn_env_fini(&s.env);
    return members;
}

Test(row_share, random_shares_are_the_member, .timeout = 3600)
{
    const char *given   = getenv("PROPERTY_SEED");
    uint64_t    seed    = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    const int   cases   = given ? 1 : seed_cases(USUAL_CASES);
    int         members = 0, lent = 0;

    printf("first seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 4 * cases && members < cases; k++) {
        members += run_case(seed + (uint64_t)k, &lent);
        if (given) break;
    }
    printf("%d members divided, %d shares lent\n", members, lent);

    if (!given) cr_expect_geq(members, cases);
    if (!given) cr_expect_gt(lent, cases / 10);
}
