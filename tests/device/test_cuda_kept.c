// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays that stay on a card of the driver that pretends (tests/fake_cuda), once a
/// conversion made them or a plan brought them there: bytes that go up are counted.

#include "support/card_conversions.h"
#include "support/narrow_values.h"
#include "support/val_format.h"
#include "tensor/value_storage.h"

enum { TALL = 5000, EACH = 5 };

/// Large enough that a copy of its arrays is far more than all else that goes up.
static cairn_source *large_source(void)
{
    static entries e;

    e = (entries){.rows = TALL, .columns = TALL};
    for (int64_t i = 0; i < TALL; i++)
        for (int64_t k = 0; k < EACH; k++)
            put(&e, i, (i * 3 + k * k * 997) % TALL);
    return source_of(&e);
}

/// Convert there; the arrays are the processor's. @return bytes that went up.
static size_t convert_there(cairn_tensor *from, const char *text, cairn_tensor **made)
{
    const size_t before = fake.up();

    *made = convert_by(from, text, "card");
    cr_assert_not_null(*made, "%s: %s", text, context->env.message);
    const size_t  up    = fake.up() - before;
    cairn_tensor *right = convert_by(from, text, "");

    check_same((*made)->local, right->local, text);
    cairn_tensor_destroy(&right);
    return up;
}

/// A run with X of ones; bits are the processor's. @return bytes that went up, but for X.
static size_t run_there(cairn_tensor *tensor)
{
    const size_t before = fake.up();
    cairn_plan  *plan   = plan_of(tensor, "cuda", NULL), *host;

    host = plan_of(tensor, "cpu", NULL);
    for (int64_t j = 0; j < TALL; j++)
        cairn_plan_x(plan)[j] = cairn_plan_x(host)[j] = ramp(j);
    MUST(context, cairn_plan_run(plan, NULL, NULL));
    MUST(context, cairn_plan_run(host, NULL, NULL));
    cr_expect_eq(memcmp(cairn_plan_y(plan), cairn_plan_y(host), TALL * sizeof(double)),
                 0);
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&host);
    return fake.up() - before - TALL * sizeof(double);
}

/// What a conversion made on the card is there for the next one, and for a plan; and where a
/// plan is, it is there for conversions. Each goes with its tensor.
Test(cuda_kept, arrays_stay, .timeout = 300)
{
    static const char *const chain[] = {"csc", "dcsr", "coo", "csr"};
    enum { CHAIN = sizeof chain / sizeof *chain, LITTLE = 8192 };
    cairn_tensor *made[CHAIN + 1];
    size_t        values = 0;

    BEGIN("seed=72");
    cairn_source *source = large_source();

    made[0] = must_store(context, source, "csr", CAIRN_F64);
    values  = (size_t)made[0]->local->part[0].view.values * sizeof(double);
    cr_expect_geq(convert_there(made[0], chain[0], &made[1]), values);
    const int held = fake.alive();

    for (int k = 1; k < CHAIN; k++)
        cr_expect_leq(convert_there(made[k], chain[k], &made[k + 1]), LITTLE, "to %s",
                      chain[k]);
    cr_expect_gt(fake.alive(), held);
    /* Tiles of lists, and what a launch has beside, but no arrays. */
    cr_expect_leq(run_there(made[CHAIN]), values / 2);
    cr_expect_geq(run_there(made[0]), values, "stored on the processor");

    cairn_plan   *plan = plan_of(made[0], "cuda", NULL);
    cairn_tensor *again;

    cr_expect_leq(convert_there(made[0], "csc", &again), LITTLE, "a plan's");
    cairn_tensor_destroy(&again);
    cairn_plan_destroy(&plan);
    cr_expect_geq(convert_there(made[0], "csc", &again), values, "no plan's any more");
    cairn_tensor_destroy(&again);
    for (int k = CHAIN; k >= 0; k--)
        cairn_tensor_destroy(&made[k]);
    cairn_source_destroy(&source);
    end();
}

/// Bytes of the arrays that say where the slots of a member begin, and which row each lane
/// has; of the others every element is written there.
static size_t begins(const cairn_tensor *tensor)
{
    const cairn_kernel_part *view = &tensor->local->part[0].view;
    size_t                   n    = 0;

    for (int l = 0; l < view->levels - 1; l++)
        n += (size_t)(view->level[l].ptr_length * view->level[l].ptr_bits / 8
                      + view->level[l].idx_length * view->level[l].idx_bits / 8);
    return n;
}

/// Padding is written there, so that slots of rows stay, too: of a source that is there
/// nothing goes up but where rows and slots begin, which row a lane has, and what queries
/// number rows by; and nothing at all when a plan runs on them. So do slots of lines, whose
/// groups go up.
Test(cuda_kept, padded_arrays_stay, .timeout = 300)
{
    static const struct {
        const char *text;
        size_t      groups, tables; ///< Of lanes; of queries' numbers that are read.
    } to[] = {
        {"ell",              1,                0},
        {"sell<4>",          TALL / 4,         0},
        {"sell<32>",         (TALL + 31) / 32, 0},
        {"sell-sigma<4,16>", TALL / 4,         1}
    };
    /* The same, and one whose lines have no padding but holes. */
    static const char *const lines[] = {
        "bell<4>",
        "#encoding<{ idx_map<(d0,d1)->(slot,d0/4,d1/4,d0%4,d1%4)>, mutation<merge(0), "
        "trim(0,0)>, indirect<{ block = sum(value) groupBy (d0,d1)->(d0/4,d1/4); "
        "slot = enum(block) groupBy (d0,d1)->(d0/4) traverseBy (d0,d1)->(d1/4) with "
        "block ne 0 -> 0 | otherwise -> none }> }>"};
    enum { LITTLE = 2048 }; /* constants, and what is seen */
    cairn_tensor *between, *there;

    BEGIN("seed=81");
    cairn_source *source = large_source();
    cairn_tensor *from   = must_store(context, source, "csr", CAIRN_F64);

    convert_there(from, "csc", &between);
    convert_there(between, "csr", &there);
    for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
        const size_t  before = fake.up();
        cairn_tensor *made   = convert_by(there, to[k].text, "card");

        cr_assert_not_null(made, "%s: %s", to[k].text, context->env.message);
        const size_t up    = fake.up() - before;
        const size_t lanes = to[k].groups == 1 ? TALL : (TALL + 31) / 32 * 32;
        const size_t need  = begins(made)
                            + sizeof(uint32_t)
                                  * (TALL + 1 + to[k].groups + 1 + to[k].tables * TALL
                                     + (to[k].groups == TALL / 4 ? TALL : lanes));

        cr_expect(up >= need && up < need + LITTLE, "%s: %zu bytes, %zu are needed",
                  to[k].text, up, need);
        cairn_tensor *right = convert_by(from, to[k].text, "");

        check_same(made->local, right->local, to[k].text);
        cr_expect_eq(run_there(made), 0, "%s: what was made there", to[k].text);
        cr_expect_gt(run_there(right), need, "%s: what was not", to[k].text);
        cairn_tensor_destroy(&right);
        cairn_tensor_destroy(&made);
    }
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        cairn_tensor *made;

        /* Of a block, which has an entry at least, its column and number. */
        const size_t up = convert_there(there, lines[k], &made);

        cr_expect_leq(up, (size_t)TALL * EACH * 8 + TALL / 4 * 16 + LITTLE, "%s",
                      lines[k]);
        cr_expect_eq(run_there(made), 0, "%s: what was made there", lines[k]);
        cairn_tensor_destroy(&made);
    }
    cairn_tensor_destroy(&there);
    cairn_tensor_destroy(&between);
    cairn_tensor_destroy(&from);
    cairn_source_destroy(&source);
    end();
}

/// New values of a tensor that was made there: they alone go up again.
Test(cuda_kept, arrays_that_stay_have_new_values, .timeout = 300)
{
    cairn_tensor *made, *back;

    BEGIN("seed=73");
    cairn_source *source = large_source();
    cairn_tensor *from   = must_store(context, source, "csr", CAIRN_F64);
    const size_t  values = (size_t)from->local->part[0].view.values * sizeof(double);

    convert_there(from, "csc", &made);
    for (int k = 0; k < 2; k++) {
        static double factor[TALL];

        for (int64_t i = 0; i < TALL; i++)
            factor[i] = 1 + (double)((i + k) % 5);
        MUST(context, cairn_tensor_scale(made, factor, NULL));
        const size_t up = convert_there(made, "csr", &back);

        cr_expect(up >= values && up < values + values / 4, "%zu bytes", up);
        cairn_tensor_destroy(&back);
    }
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&from);
    cairn_source_destroy(&source);
    end();
}

/// At most a quarter of the card's memory stays, the newest.
Test(cuda_kept, arrays_that_stay_give_way, .timeout = 300)
{
    enum { MOST = 24 };
    static const char *const to[] = {"csc", "csr"};
    cairn_tensor            *made[MOST], *back;

    BEGIN("seed=74 memory=4M");
    cairn_source *source = large_source();
    cairn_tensor *from   = must_store(context, source, "csr", CAIRN_F64);
    size_t        last   = 0;

    for (int k = 0; k < MOST; k++) {
        last = convert_there(k ? made[k - 1] : from, to[k % 2], &made[k]);
        cr_expect_eq(count_passes(cairn_tensor_path(made[k]), is_on_card), 3, "%d: %s",
                     k, cairn_tensor_why(made[k]));
    }
    const size_t values = (size_t)from->local->part[0].view.values * sizeof(double);

    cr_expect_lt(last, values, "the newest is there");
    cr_expect_geq(convert_there(made[0], "csr", &back), values, "the oldest is not");
    cairn_tensor_destroy(&back);
    for (int k = 0; k < MOST; k++)
        cairn_tensor_destroy(&made[k]);
    cairn_tensor_destroy(&from);
    cairn_source_destroy(&source);
    end();
}

/// What stays is given back where its memory is wanted, and asked for again.
Test(cuda_kept, arrays_that_stay_make_room, .timeout = 300)
{
    cairn_tensor *made[2];
    long          asked[2];

    BEGIN("seed=75 memory=1300K");
    cairn_source *source = large_source();
    cairn_tensor *from   = must_store(context, source, "csr", CAIRN_F64);

    for (int k = 0; k < 2; k++) {
        const long before = fake.calls("cuMemAlloc_v2");

        convert_there(from, "csc", &made[k]);
        asked[k] = fake.calls("cuMemAlloc_v2") - before;
        cr_expect_eq(count_passes(cairn_tensor_path(made[k]), is_on_card), 3, "%d: %s",
                     k, cairn_tensor_why(made[k]));
    }
    cr_expect_eq(asked[1], asked[0] + 1, "%ld and %ld", asked[0], asked[1]);
    for (int k = 0; k < 2; k++)
        cairn_tensor_destroy(&made[k]);
    cairn_tensor_destroy(&from);
    cairn_source_destroy(&source);
    end();
}

/* ---- values of another type ---- */

/// As large_source(), with values of a set.
static cairn_source *source_of_set(narrow_set set, int64_t rows)
{
    static entries e;
    uint64_t       state = 5 + (uint64_t)set;

    e = (entries){.rows = rows, .columns = rows};
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < EACH; k++) {
            put(&e, i, (i * 3 + k * k * 997) % rows);
            e.value[e.n - 1] = narrow_value(&state, set);
        }
    return source_of(&e);
}

/// A format's text, its values of a type.
static const char *typed(const char *name, const char *type)
{
    static char   text[RANDOM_FORMAT];
    cairn_format *format = must_format(context, name);

    val_format(cairn_format_text(format), type, text, sizeof text);
    cairn_format_destroy(&format);
    return text;
}

static const struct {
    const char *type;
    narrow_set  set;
    size_t      bits;       ///< Of a value,
    size_t      dictionary; ///< and bytes of what they are numbers of.
    size_t spread; ///< Bits of a value as a conversion reads it or numbers it anew.
} narrow_types[] = {
    {"i8",    NARROW_I8,  8,  0,    0 },
    {"i16",   NARROW_I16, 16, 0,    0 },
    {"f32",   NARROW_F32, 32, 0,    0 },
    {"f16",   NARROW_F16, 16, 0,    0 },
    {"dict8", NARROW_FEW, 8,  2048, 8 },
    {"iso",   NARROW_ONE, 0,  0,    32},
};

enum { NARROW_TYPES = sizeof narrow_types / sizeof *narrow_types, LEAST = 8192 };

/// What was made there as wide as the type is stored in a narrower one afterwards: indices
/// stay where they are, the values alone go up, and that once. Where values of the target are
/// as wide as the type the narrow ones go there all the same, and are widened when they are
/// back.
Test(cuda_kept, values_of_another_type, .timeout = 300)
{
    BEGIN("seed=76");
    for (int t = 0; t < NARROW_TYPES; t++) {
        cairn_source *source = source_of_set(narrow_types[t].set, TALL);
        cairn_tensor *from   = must_store(context, source, "csc", CAIRN_F64), *made,
                     *again;
        const size_t n      = (size_t)from->local->part[0].view.values;
        const size_t narrow = n * narrow_types[t].bits / 8 + narrow_types[t].dictionary;
        const size_t spread = n * narrow_types[t].spread / 8;

        cr_expect_geq(convert_there(from, typed("csr", narrow_types[t].type), &made),
                      n * 8);
        cr_expect_not(cairn_layout_is_wide(made->local->group[0].layout), "%s",
                      narrow_types[t].type);
        const char *const to[]  = {"dcsr", typed("dcsr", narrow_types[t].type)};
        const bool        which = t % 2;
        const size_t      first = convert_there(made, to[which], &again);

        cr_expect(first >= narrow && first <= narrow + spread + LEAST, "%s: %zu bytes",
                  narrow_types[t].type, first);
        cr_expect_eq(cairn_layout_is_wide(again->local->group[0].layout), !which);
        cairn_tensor_destroy(&again);
        for (int k = 0; k < 2; k++) {
            cr_expect_leq(convert_there(made, to[k], &again), spread + LEAST,
                          "%s to %s again", narrow_types[t].type, to[k]);
            cr_expect_eq(cairn_layout_is_wide(again->local->group[0].layout), k == 0);
            cairn_tensor_destroy(&again);
        }
        cr_expect_leq(run_there(made), n * 8 / 2, "%s", narrow_types[t].type);
        cairn_tensor_destroy(&made);
        cairn_tensor_destroy(&from);
        cairn_source_destroy(&source);
    }
    end();
}

/// A chain of a tensor whose values are narrow from the begin: they are moved as words, and
/// what was made of words is there for the next one.
Test(cuda_kept, chain_of_narrow_values, .timeout = 300)
{
    static const char *const chain[] = {"csc", "dcsr", "coo", "csr"};
    enum { CHAIN = sizeof chain / sizeof *chain };

    BEGIN("seed=77");
    for (int t = 0; t < NARROW_TYPES; t++) {
        cairn_tensor *made[CHAIN + 1];
        cairn_source *source = source_of_set(narrow_types[t].set, TALL);
        const char   *type   = narrow_types[t].type;

        made[0] = must_store(context, source, typed("csr", type), CAIRN_F64);
        made[0]->local->narrows =
            strcmp(type, "f16") != 0 && strcmp(type, "dict8") != 0;
        const size_t n = (size_t)made[0]->local->part[0].view.values;
        const size_t spread =
            n * narrow_types[t].spread / 8 + narrow_types[t].dictionary;

        for (int k = 0; k < CHAIN; k++) {
            const bool   wide = !made[0]->local->narrows;
            const size_t up   = convert_there(
                  made[k], wide ? typed(chain[k], type) : chain[k], &made[k + 1]);

            cr_expect_not(cairn_layout_is_wide(made[k + 1]->local->group[0].layout));
            if (k > 0)
                cr_expect_leq(up, spread + LEAST, "%s to %s: %zu bytes", type, chain[k],
                              up);
            else
                cr_expect_geq(up, n * narrow_types[t].bits / 8 + 2 * n);
        }
        cr_expect_leq(run_there(made[CHAIN]), n * 2, "%s", type);

        cairn_plan   *plan = plan_of(made[0], "cuda", NULL);
        cairn_tensor *again;

        cr_expect_leq(convert_there(made[0], typed("csc", type), &again),
                      spread + LEAST, "%s: a plan's", type);
        cairn_tensor_destroy(&again);
        cairn_plan_destroy(&plan);
        for (int k = CHAIN; k >= 0; k--)
            cairn_tensor_destroy(&made[k]);
        cairn_source_destroy(&source);
    }
    end();
}

/// Calls that fail while values take the place of others, or arrays move to a larger block:
/// the processor converts, and nothing is left.
static int fail_again(cairn_tensor *from, const char *text, const char *name, int code)
{
    int failures = 0;

    for (long n = 0;; n++, failures++) {
        const int     alive = fake.alive();
        cairn_tensor *made  = convert_by(from, text, "card"), *back, *right;

        cr_assert_not_null(made);
        fake.fail(name, n, code);
        back              = convert_by(made, "dcsr", "card");
        const bool failed = fake.failed();

        fake.fail(NULL, -1, 0);
        cr_assert_not_null(back, "%s: %s", name, context->env.message);
        right = convert_by(made, "dcsr", "");
        check_same(back->local, right->local, name);
        cairn_tensor_destroy(&right);
        cairn_tensor_destroy(&back);
        cairn_tensor_destroy(&made);
        if (!cairn_cuda_of(&context->devices->device[1])->loss.lost)
            cr_expect_eq(fake.alive(), alive, "%s, call %ld: %d things are left", name,
                         n, fake.alive() - alive);
        mend();
        if (!failed) return failures;
    }
}

Test(cuda_kept, calls_fail_where_values_are_others, .timeout = 600)
{
    static const char *const names[] = {"cuMemAlloc_v2",        "cuMemcpyHtoDAsync_v2",
                                        "cuMemcpyDtoDAsync_v2", "cuMemHostRegister_v2",
                                        "cuEventRecord",        "cuCtxPushCurrent_v2"};
    enum { NAMES = sizeof names / sizeof *names };
    int failures = 0;

    BEGIN("seed=78");
    cairn_source *source = source_of_set(NARROW_FEW, 40);
    cairn_tensor *wide   = must_store(context, source, "csc", CAIRN_F64);
    cairn_tensor *codes = must_store(context, source, typed("csc", "dict8"), CAIRN_F64);

    for (int k = 0; k < NAMES; k++) {
        failures += fail_again(wide, typed("csr", "dict8"), names[k], 801);
        failures += fail_again(codes, typed("csr", "dict8"), names[k], 801);
    }
    printf("%d calls failed once\n", failures);
    cr_expect_gt(failures, 20);
    cairn_tensor_destroy(&codes);
    cairn_tensor_destroy(&wide);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context); /* of one that is gone nothing is given back */
}
