// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The passes for functions of groups and items: what they make of the code that they are
/// for, in tests/golden/passes; that results keep their bits, interpreted and as C, on
/// random functions; what they leave alone.
///
/// The first seed is printed.

#include "base/env.h"
#include "base/text.h"
#include "emit/c.h"
#include "ir/ir_walk.h"
#include "ir/passes.h"
#include "support/brutal.h"
#include "support/golden.h"
#include "support/ir_random.h"
#include "support/kernel_batch.h"
#include "support/seed.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

enum { USUAL_CASES = 1200, COMPILED = 60, ITEMS = 16 };

static cairn_env env;
static cairn_ir ir, *const b = &ir;

static void setup(void)
{
    cairn_env_init(&env);
}

static void teardown(void)
{
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

TestSuite(passes_grid, .init = setup, .fini = teardown);

static cairn_ir_x num(int64_t value)
{
    return cairn_ir_int(b, value);
}

static cairn_ir_stmt *
dealt(cairn_ir_turns turns, cairn_ir_x lo, cairn_ir_x hi, const char *name)
{
    cairn_ir_stmt *const loop = cairn_ir_for(b, lo, hi, 1, NULL, "%s", name);

    loop->turns = turns;
    return loop;
}

static cairn_ir_x use(cairn_ir_x value, const char *name)
{
    return cairn_ir_use(b, cairn_ir_let(b, value, "%s", name));
}

/* ---- as they are printed ---- */

/// Rows of slots, some of which are holes: y[i] = sum of val[p] * x[idx[p]].
static cairn_ir_function *slots(void)
{
    cairn_ir_function *f = NULL;
    ir_random          r = ir_begin_random(b, &env, 1);
    cairn_ir_x const   rows =
        cairn_ir_param(b, ir_field(CAIRN_IR_LEVEL_SIZE, 0), CAIRN_IR_I64, "rows");
    cairn_ir_x const hole =
        cairn_ir_param(b, ir_field(CAIRN_IR_LEVEL_HOLE, 1), CAIRN_IR_I64, "hole");

    dealt(CAIRN_TURNS_GROUPS, num(0), rows, "g");
    const cairn_ir_x i =
        cairn_ir_loop_var(b, dealt(CAIRN_TURNS_ITEMS, num(0), rows, "i"));
    cairn_ir_var *const sum =
        cairn_ir_declare(b, cairn_ir_real(b, CAIRN_IR_F64, 0), "sum");
    cairn_ir_stmt *const loop = cairn_ir_for(
        b, cairn_ir_load(b, r.ptr, i),
        cairn_ir_load(b, r.ptr, cairn_ir_add_int(b, i, 1)), 1, "slots", "p");
    const cairn_ir_x p = cairn_ir_loop_var(b, loop);
    const cairn_ir_x j =
        use(cairn_ir_hinted(b, cairn_ir_load(b, r.idx, p), true, false), "j");

    cairn_ir_if(b, cairn_ir_ne(b, j, hole));
    cairn_ir_assign(
        b, sum,
        cairn_ir_add(
            b, cairn_ir_use(b, sum),
            cairn_ir_mul(b, cairn_ir_load(b, r.val, p),
                         cairn_ir_cast(b, CAIRN_IR_F64, cairn_ir_load(b, r.x, j)))));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_ir_store(b, r.y, i, cairn_ir_use(b, sum));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK, "%s", env.message);
    return f;
}

/// Blocks of 2 columns, whose loop becomes none, and stores into what groups share.
static cairn_ir_function *blocks(void)
{
    cairn_ir_function    *f     = NULL;
    ir_random             r     = ir_begin_random(b, &env, 1);
    cairn_ir_stmt *const  g     = dealt(CAIRN_TURNS_GROUPS, num(0), num(3), "g");
    cairn_ir_array *const own   = cairn_ir_shared(b, CAIRN_IR_F64, 64, "own");
    cairn_ir_stmt *const  items = dealt(CAIRN_TURNS_ITEMS, num(0), num(16), "t");
    const cairn_ir_x      t     = cairn_ir_loop_var(b, items);
    const cairn_ir_x      end   = cairn_ir_load(b, r.ptr, cairn_ir_loop_var(b, g));
    cairn_ir_stmt *const  loop  = cairn_ir_for(b, t, num(64), 16, "staged", "q");
    const cairn_ir_x      q     = cairn_ir_loop_var(b, loop);

    cairn_ir_if(b, cairn_ir_lt(b, q, end));
    cairn_ir_store(b, own, q, cairn_ir_load(b, r.val, q));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_ir_barrier(b);
    const cairn_ir_x i =
        cairn_ir_loop_var(b, dealt(CAIRN_TURNS_ITEMS, num(0), num(8), "i"));
    cairn_ir_var *const sum =
        cairn_ir_declare(b, cairn_ir_real(b, CAIRN_IR_F64, 0), "sum");
    const cairn_ir_x p =
        cairn_ir_loop_var(b, cairn_ir_for(b, num(0), end, 1, "blocks", "p"));
    const cairn_ir_x jb = use(cairn_ir_load(b, r.idx, p), "jb");
    const cairn_ir_x c =
        cairn_ir_loop_var(b, cairn_ir_for(b, num(0), num(2), 1, "columns", "c"));
    const cairn_ir_x at =
        cairn_ir_add(b, cairn_ir_mul_int(b, cairn_ir_add(b, p, i), 2), c);

    cairn_ir_assign(
        b, sum,
        cairn_ir_add(
            b, cairn_ir_use(b, sum),
            cairn_ir_mul(b, cairn_ir_load(b, r.val, at),
                         cairn_ir_load(
                             b, own, cairn_ir_add(b, cairn_ir_mul_int(b, jb, 2), c)))));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cairn_ir_store(b, r.y, i, cairn_ir_use(b, sum));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK, "%s", env.message);
    return f;
}

static void add_text(cairn_text *text, const char *title, const cairn_ir_function *f)
{
    char *whole = NULL;

    cr_assert_eq(cairn_ir_check(&env, f), CAIRN_OK, "%s", env.message);
    cr_assert_eq(cairn_c_print(&env, f, "f", &whole), CAIRN_OK);
    cairn_text_add(text, "/* %s */\n%s\n", title, strstr(whole, "int64_t f("));
    cairn_free(&env, whole);
}

static void expect(const char *name, cairn_ir_function *f, bool early)
{
    bool       changed = false;
    cairn_text text;
    char      *whole = NULL;

    cairn_text_init(&text, &env);
    add_text(&text, "before", f);
    cr_assert_eq(cairn_pass_batch(&env, f, 4, early, &changed), CAIRN_OK);
    cr_expect(changed);
    add_text(&text, "four positions a turn", f);
    changed = false;
    cr_assert_eq(cairn_pass_narrow(&env, f, &changed), CAIRN_OK);
    cr_expect(changed);
    add_text(&text, "in 32 bits", f);
    cr_assert_eq(cairn_text_take(&text, &whole), CAIRN_OK);
    golden_expect(name, whole);
    cairn_free(&env, whole);
    cairn_ir_destroy(&env, &f);
}

Test(passes_grid, slots_with_holes)
{
    expect("passes/batch.c.txt", slots(), false);
}

Test(passes_grid, values_that_wait_for_no_guard)
{
    expect("passes/batch_early.c.txt", slots(), true);
}

Test(passes_grid, stores_and_loops_that_become_none)
{
    expect("passes/batch_blocks.c.txt", blocks(), false);
}

/* ---- random functions ---- */

/// Constants, guards, sums and stores; and loops of few turns.
static void random_body(ir_random *r, int depth)
{
    const ir_random outer = *r;
    const int       count = 1 + ir_roll(r, 4);

    for (int n = 0; n < count; n++)
        switch (ir_roll(r, depth > 0 ? 9 : 6)) {
        case 0:
            r->ints[r->int_count] = cairn_ir_let(b, ir_any_int(r, 3), "at");
            r->int_count++;
            break;
        case 1:
            r->reals[r->real_count] = cairn_ir_let(b, ir_any_real(r, 2), "real");
            r->real_count++;
            break;
        case 2:
            cairn_ir_store(b, r->work, ir_any_index(r, 2, 1), ir_any_int(r, 2));
            break;
        case 6: {
            const cairn_ir_x at = ir_any_int(r, 2);

            cairn_ir_if(b,
                        cairn_ir_and(b, cairn_ir_le(b, num(0), at),
                                     cairn_ir_and(b, cairn_ir_lt(b, at, num(IR_LENGTH)),
                                                  ir_any_condition(r, 2))));
            r->reals[r->real_count] =
                cairn_ir_let(b, cairn_ir_load(b, r->val, at), "near");
            r->real_count++;
            random_body(r, depth - 1);
            r->real_count--;
            cairn_ir_end(b);
            break;
        }
        case 7:
        case 8: {
            const cairn_ir_x     lo   = num(ir_roll(r, 5) - 2);
            const cairn_ir_x     hi   = ir_roll(r, 3)
                                            ? cairn_ir_add_int(b, lo, 1 + ir_roll(r, 5))
                                            : ir_any_index(r, 1, 38);
            cairn_ir_stmt *const loop = cairn_ir_for(b, lo, hi, 1, NULL, "c");

            r->ints[r->int_count] = loop->var;
            r->int_count++;
            random_body(r, depth - 1);
            r->int_count--;
            cairn_ir_end(b);
            break;
        }
        default: {
            cairn_ir_var *const s = r->counters[60 + ir_roll(r, 2)];

            cairn_ir_assign(b, s,
                            cairn_ir_binary(b,
                                            ir_roll(r, 4) ? CAIRN_IR_ADD : CAIRN_IR_SUB,
                                            cairn_ir_use(b, s), ir_any_real(r, 2)));
        }
        }

    const uint64_t state = r->state;

    *r       = outer;
    r->state = state;
}

/// A function of groups and items, whose items sum in a loop. One in eight reads what it
/// changes, or is another's loop: it has to stay as it is.
static cairn_ir_function *build(uint64_t seed)
{
    cairn_ir_function   *f     = NULL;
    ir_random            r     = ir_begin_random(b, &env, seed);
    cairn_ir_stmt *const g     = dealt(CAIRN_TURNS_GROUPS, num(0), num(3), "g");
    const cairn_ir_x     first = cairn_ir_mul_int(b, cairn_ir_loop_var(b, g), ITEMS);
    cairn_ir_stmt *const items = dealt(
        CAIRN_TURNS_ITEMS, first,
        cairn_ir_min(b, cairn_ir_add_int(b, first, ITEMS), num(IR_LENGTH - 1)), "q");

    r.ints[r.int_count++] = items->var;
    /* Out of sight of the random expressions. */
    for (int k = 0; k < 2; k++)
        r.counters[60 + k] =
            cairn_ir_declare(b, cairn_ir_real(b, CAIRN_IR_F64, 0), "s");
    if (ir_roll(&r, 8) == 0) r.sums[r.sum_count++] = r.counters[60];
    const cairn_ir_x     lo   = use(ir_any_index(&r, 1, 25), "lo");
    const cairn_ir_x     hi   = cairn_ir_add(b, lo, ir_any_index(&r, 1, 28));
    cairn_ir_stmt *const loop = cairn_ir_for(b, lo, hi, 1 + ir_roll(&r, 3), NULL, "p");

    r.ints[r.int_count++] = loop->var;
    random_body(&r, 2);
    cairn_ir_end(b);
    for (int k = 0; k < 2; k++)
        cairn_ir_store(
            b, r.y, cairn_ir_loop_var(b, items),
            cairn_ir_add(b, cairn_ir_use(b, r.counters[60 + k]),
                         cairn_ir_load(b, r.y, cairn_ir_loop_var(b, items))));
    cairn_ir_end(b);
    cairn_ir_end(b);
    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK, "%s", env.message);
    cr_assert_eq(cairn_ir_check(&env, f), CAIRN_OK, "seed %llu: %s",
                 (unsigned long long)seed, env.message);
    return f;
}

/// Fresh numbers, all of which fit in 32 bits.
static void fill(ir_memory *m, uint64_t seed)
{
    ir_fill(m, seed);
    m->ptr[3] = 11;
}

static const char *interpret(const cairn_ir_function *f, ir_memory *m, uint64_t seed)
{
    const cairn_ir_watch watch  = {.length = ir_random_length};
    int64_t              status = 99;

    fill(m, seed);
    const char *const error = ir_watched(f, &m->part, &m->op, watch, &status);

    cr_assert(error || status == 0);
    return error;
}

static bool same_results(const ir_memory *before, const ir_memory *after)
{
    for (int n = 0; n < IR_LENGTH; n++)
        if (memcmp(before->y + n, after->y + n, sizeof *before->y) != 0
            && !(isnan(before->y[n]) && isnan(after->y[n])))
            return false;
    return memcmp(before->work, after->work, sizeof before->work) == 0;
}

static void show(const cairn_ir_function *f)
{
    char *text = NULL;

    if (cairn_c_print(&env, f, "f", &text) == CAIRN_OK)
        fprintf(stderr, "%s\n", strstr(text, "int64_t f("));
    cairn_free(&env, text);
}

static void
expect_same(const cairn_ir_function *f, const ir_memory *before, uint64_t seed)
{
    ir_memory after;

    cr_assert_eq(cairn_ir_check(&env, f), CAIRN_OK, "seed %llu: %s",
                 (unsigned long long)seed, env.message);
    const char *const error = interpret(f, &after, seed);
    const bool        same  = !error && same_results(before, &after);

    if (!same) show(f);
    cr_assert(same, "seed %llu: %s", (unsigned long long)seed,
              error ? error : "other results");
}

static int batched, narrowed;

/// The passes of one function, which is compared after each.
static void rewrite(cairn_ir_function *f, const ir_memory *before, uint64_t seed)
{
    static const int positions[] = {2, 3, 4, 8};
    bool             changed     = false;

    if (seed % 3) cr_assert_eq(cairn_passes_run(&env, f), CAIRN_OK);
    cr_assert_eq(cairn_pass_batch(&env, f, positions[seed % 4], false, &changed),
                 CAIRN_OK);
    batched += changed;
    if (before) expect_same(f, before, seed);
    changed = false;
    cr_assert_eq(cairn_pass_narrow(&env, f, &changed), CAIRN_OK);
    narrowed += changed;
    if (before) expect_same(f, before, seed);
}

Test(passes_grid, keep_results)
{
    const uint64_t first = seed_clock() * 1000003;
    const int      cases = seed_cases(USUAL_CASES);
    int            ran   = 0;

    printf("first seed %llu\n", (unsigned long long)first);
    for (uint64_t seed = first; ran < cases && seed < first + 4 * (uint64_t)cases;
         seed++) {
        cairn_ir_function *f = build(seed);
        ir_memory          before;

        if (!interpret(f, &before, seed)) {
            rewrite(f, &before, seed);
            ran++;
        }
        cairn_ir_destroy(&env, &f);
    }
    printf("%d functions, %d batched, %d narrowed\n", ran, batched, narrowed);
    cr_assert_eq(ran, cases);
    cr_expect(batched > cases / 3 || !seed_whole());
    cr_expect(narrowed > cases / 4 || !seed_whole());
}

/// As C they are the same, too.
Test(passes_grid, keep_results_as_c)
{
    const uint64_t      first = seed_clock() * 1000003;
    static kernel_batch batch;
    static bool         right[COMPILED];

    printf("first seed %llu\n", (unsigned long long)first);
    batch_open(&batch);
    for (int k = 0; k < COMPILED; k++) {
        const uint64_t     seed = first + (uint64_t)k;
        cairn_ir_function *f    = build(seed);
        char               key[24];
        ir_memory          before;

        right[k] = !interpret(f, &before, seed);
        rewrite(f, NULL, seed);
        snprintf(key, sizeof key, "%d", k);
        cr_assert_eq(batch_add(&batch, &env, key, &f), k);
    }
    batch_build(&batch, "-O1 -Wall -Wextra -Werror -Wno-unused -Wno-unused-parameter "
                        "-Wno-type-limits -Wno-tautological-compare "
                        "-fsanitize=undefined -fsanitize-undefined-trap-on-error");
    for (int k = 0; k < COMPILED; k++) {
        const uint64_t     seed = first + (uint64_t)k;
        cairn_ir_function *f    = build(seed);
        ir_memory          before, after;
        cairn_product_fn   run;

        interpret(f, &before, seed);
        cairn_ir_destroy(&env, &f);
        if (!right[k]) continue;
        *(void **)&run = batch_symbol(&batch, k);
        fill(&after, seed);
        cr_assert_eq(run(&after.part, &after.op), 0);
        cr_assert(same_results(&before, &after), "seed %llu: kernel_%d in %s",
                  (unsigned long long)seed, k, batch.folder);
    }
    batch_close(&batch);
}

/* ---- what stays ---- */

/// Functions of the processor are not touched.
Test(passes_grid, others_stay)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        cairn_ir_function *f       = NULL;
        bool               changed = false;

        ir_build_random(b, &env, seed);
        cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
        cr_assert_eq(cairn_pass_batch(&env, f, 4, false, &changed), CAIRN_OK);
        cr_assert_eq(cairn_pass_narrow(&env, f, &changed), CAIRN_OK);
        cr_assert(!changed);
        cairn_ir_destroy(&env, &f);
    }
}

/// A constant that does not fit leaves all as it is.
Test(passes_grid, large_constants_stay_wide)
{
    for (int more = 0; more < 2; more++) {
        cairn_ir_function *f       = NULL;
        bool               changed = false;
        ir_random          r       = ir_begin_random(b, &env, 1);

        dealt(CAIRN_TURNS_GROUPS, num(0), num(CAIRN_IR_NARROW + more), "g");
        dealt(CAIRN_TURNS_ITEMS, num(0), num(1), "t");
        cairn_ir_store(b, r.work, num(0), num(1));
        cairn_ir_end(b);
        cairn_ir_end(b);
        cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
        cr_assert_eq(cairn_pass_narrow(&env, f, &changed), CAIRN_OK);
        cr_expect_eq(changed, more == 0);
        cr_expect_eq(f->body->var->type, more ? CAIRN_IR_I64 : CAIRN_IR_I32);
        cairn_ir_destroy(&env, &f);
    }
}

/// Who vouched wrongly is told so: by what is loaded, given or computed.
Test(passes_grid, what_does_not_fit_is_seen)
{
    for (int k = 0; k < 4; k++) {
        cairn_ir_function *f       = NULL;
        bool               changed = false;
        ir_random          r       = ir_begin_random(b, &env, 1);
        const cairn_ir_x   nodes =
            cairn_ir_param(b, ir_field(CAIRN_IR_LEVEL_NODES, 0), CAIRN_IR_I64, "nodes");
        const cairn_ir_x all[] = {
            cairn_ir_load(b, r.ptr, num(4)), cairn_ir_load(b, r.ptr, num(3)), nodes,
            cairn_ir_mul_int(b, cairn_ir_load(b, r.ptr, num(4)), 1 << 30)};
        ir_memory            m;
        const cairn_ir_watch watch  = {.length = ir_random_length};
        int64_t              status = 99;

        dealt(CAIRN_TURNS_GROUPS, num(0), num(1), "g");
        dealt(CAIRN_TURNS_ITEMS, num(0), num(1), "t");
        cairn_ir_store(b, r.work, num(0), all[k]);
        cairn_ir_end(b);
        cairn_ir_end(b);
        cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
        cr_assert_eq(cairn_pass_narrow(&env, f, &changed), CAIRN_OK);
        ir_fill(&m, 1);
        m.ptr[4]                = 2;
        m.part.level[0].nodes   = INT64_C(1) << 32;
        const char *const error = ir_watched(f, &m.part, &m.op, watch, &status);

        cr_expect_eq(error == NULL, k == 0, "%d: %s", k, error ? error : "not seen");
        cr_expect(!error || strstr(error, "more than 32 bits hold"), "%s", error);
        cairn_ir_destroy(&env, &f);
    }
}

static cairn_status build_and_run(void)
{
    cairn_ir_function *f;
    bool               changed = false;
    const int64_t      allowed = env.allowed;

    env.allowed         = -1;
    f                   = blocks();
    env.allowed         = allowed;
    cairn_status status = cairn_pass_batch(&env, f, 4, false, &changed);

    if (status == CAIRN_OK) status = cairn_pass_narrow(&env, f, &changed);
    env.allowed = -1;
    cairn_ir_destroy(&env, &f);
    return status;
}

Test(passes_grid, survive_the_end_of_memory)
{
    CAIRN_BRUTAL(&env, build_and_run());
}
