// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The C printer: what it prints compiles without a header and without a warning, by gcc
/// and by clang, with vector instructions and without, and computes what the IR says.
/// (Random functions: test_passes_random.c.)

#include "base/env.h"
#include "emit/c.h"
#include "emit/c_inside.h"
#include "ir/passes.h"
#include "support/brutal.h"
#include "support/compile.h"
#include "support/ir_random.h"
#include "support/random_format.h"
#include "support/seed.h"

#include <criterion/criterion.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/// What needs no header needs no place to find them in.
#define FLAGS                                                               \
    "-O2 -ffp-contract=off -Wall -Wextra -Wno-psabi -Wno-unused-parameter " \
    "-Wno-unused-function -Wno-type-limits -Werror -nostdinc "

static cairn_env env;
static cairn_ir ir, *const b = &ir;
static char folder[64];

static void setup(void)
{
    cairn_env_init(&env);
    cairn_ir_begin(b, &env, "test", CAIRN_ABI_PRODUCT);
    scratch_create(folder);
}

static void teardown(void)
{
    cairn_ir_abandon(b);
    cr_assert_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
    compile_remove(folder);
}

TestSuite(emit_c, .init = setup, .fini = teardown);

static cairn_ir_x num(int64_t value)
{
    return cairn_ir_int(b, value);
}

static cairn_ir_array *array_of(cairn_ir_source source, int level, cairn_ir_type type)
{
    return cairn_ir_array_of(b, ir_field(source, level), type, "a%d_%d", (int)source,
                             level);
}

static cairn_ir_array *result(void)
{
    return cairn_ir_array_of(b, ir_field(CAIRN_IR_ARG, CAIRN_PRODUCT_y), CAIRN_IR_F64,
                             "y");
}

/// A variable that no pass and no builder knows the value of.
static cairn_ir_x opaque(int64_t value)
{
    return cairn_ir_use(b, cairn_ir_declare(b, num(value), "v"));
}

static cairn_ir_function *finish(void)
{
    cairn_ir_function *f = NULL;

    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK, "%s", env.message);
    cr_assert_eq(cairn_ir_check(&env, f), CAIRN_OK, "%s", env.message);
    return f;
}

static char *print(const cairn_ir_function *f)
{
    char *text = NULL;

    cr_assert_eq(cairn_c_print(&env, f, "test_function", &text), CAIRN_OK);
    return text;
}

/// Ways to compile: all must compute the same.
static const char *const ways[][2] = {
    {"gcc",   FLAGS "-march=native"},
    {"gcc",   FLAGS                },
    {"gcc",   FLAGS "-mavx2"       },
    {"clang", FLAGS "-march=native"},
    {"clang", FLAGS                },
    {"clang", FLAGS "-mavx2"       },
};

/// Interpret the function, and compile it in every way: the same status and results.
static void expect_same(cairn_ir_function *f)
{
    char *const   text = print(f);
    ir_memory     interpreted, compiled;
    const char   *error;
    const int64_t expected = ir_interpret(f, &interpreted, 3, &error);

    cr_assert_null(error, "%s", error);
    for (size_t n = 0; n < sizeof ways / sizeof *ways; n++) {
        if (!compile_has(ways[n][0])) continue;

        const cairn_product_fn run = (cairn_product_fn)compile_load(
            folder, ways[n][0], ways[n][1], text, "test_function");

        ir_fill(&compiled, 3);
        cr_expect_eq(run(&compiled.part, &compiled.op), expected);
        cr_expect_arr_eq(interpreted.y, compiled.y, sizeof compiled.y, "%s %s:\n%s",
                         ways[n][0], ways[n][1], text);
    }
    cairn_free(&env, text);
    cairn_ir_destroy(&env, &f);
}

/// Next place in y for a result.
static void keep(cairn_ir_x value)
{
    static int place;

    if (value->type == CAIRN_IR_BOOL) value = cairn_ir_select(b, value, num(1), num(2));
    if (value->type == CAIRN_IR_I64) value = cairn_ir_cast(b, CAIRN_IR_F64, value);
    cairn_ir_store(b, result(), num(place++ % IR_LENGTH), value);
}

Test(emit_c, integer_operations)
{
    static const cairn_ir_op any[] = {
        CAIRN_IR_ADD,       CAIRN_IR_SUB, CAIRN_IR_MUL, CAIRN_IR_FLOOR_DIV,
        CAIRN_IR_FLOOR_MOD, CAIRN_IR_MIN, CAIRN_IR_MAX, CAIRN_IR_LT,
        CAIRN_IR_LE,        CAIRN_IR_EQ,  CAIRN_IR_NE,  CAIRN_IR_BITS_AND,
        CAIRN_IR_BITS_OR};
    const cairn_ir_x i = opaque(-7), j = opaque(3), k = opaque(40);

    for (size_t n = 0; n < sizeof any / sizeof *any; n++) {
        keep(cairn_ir_binary(b, any[n], i, j));
        keep(cairn_ir_binary(b, any[n], j, num(3)));
    }
    keep(cairn_ir_binary(b, CAIRN_IR_DIV, k, j));
    keep(cairn_ir_binary(b, CAIRN_IR_MOD, k, j));
    keep(cairn_ir_binary(b, CAIRN_IR_SHIFT_LEFT, num(1), k)); /* Beyond an int. */
    keep(cairn_ir_binary(b, CAIRN_IR_SHIFT_RIGHT, k, j));
    keep(cairn_ir_select(b, cairn_ir_lt(b, i, j), num(5), num(6)));
    expect_same(finish());
}

/// Operands in every position: parentheses must be where C needs them.
Test(emit_c, every_pair_of_operations)
{
    static const cairn_ir_op ops[] = {
        CAIRN_IR_ADD,        CAIRN_IR_SUB,      CAIRN_IR_MUL,     CAIRN_IR_FLOOR_DIV,
        CAIRN_IR_SHIFT_LEFT, CAIRN_IR_BITS_AND, CAIRN_IR_BITS_OR, CAIRN_IR_MAX};
    enum { OPS = sizeof ops / sizeof *ops };
    const cairn_ir_x    i = opaque(5), j = opaque(3), k = opaque(2);
    cairn_ir_var *const s = cairn_ir_declare(b, num(0), "s");

    for (int m = 0; m < OPS; m++)
        for (int n = 0; n < OPS; n++) {
            const cairn_ir_x left =
                cairn_ir_binary(b, ops[m], cairn_ir_binary(b, ops[n], i, j), k);
            const cairn_ir_x right =
                cairn_ir_binary(b, ops[m], i, cairn_ir_binary(b, ops[n], j, k));
            const cairn_ir_x less = cairn_ir_lt(b, left, right);
            const cairn_ir_x both =
                cairn_ir_or(b, cairn_ir_and(b, less, cairn_ir_ne(b, left, i)),
                            cairn_ir_eq(b, cairn_ir_select(b, less, left, j), right));

            cairn_ir_assign(
                b, s,
                cairn_ir_add(
                    b,
                    cairn_ir_binary(b, CAIRN_IR_FLOOR_MOD,
                                    cairn_ir_mul_int(b, cairn_ir_use(b, s), 31),
                                    num(1000003)),
                    cairn_ir_add(b, cairn_ir_select(b, both, left, right),
                                 cairn_ir_sub(b, left, right))));
        }
    keep(cairn_ir_use(b, s));
    expect_same(finish());
}

/// 32-bit elements near the end of their range: C would wrap where the IR does not.
Test(emit_c, elements_are_widened)
{
    cairn_ir_array *const ptr  = array_of(CAIRN_IR_LEVEL_PTR, 0, CAIRN_IR_U32);
    cairn_ir_array *const idx  = array_of(CAIRN_IR_LEVEL_IDX, 1, CAIRN_IR_I32);
    cairn_ir_array *const tiny = array_of(CAIRN_IR_LEVEL_PTR, 2, CAIRN_IR_U8);
    const cairn_ir_x      big  = cairn_ir_load(b, ptr, num(3)); /* 2^32 - 5 */
    const cairn_ir_x      less = cairn_ir_load(b, idx, num(5));

    keep(cairn_ir_add_int(b, big, 10));
    keep(cairn_ir_mul(b, big, big));
    keep(cairn_ir_mul(b, big, cairn_ir_load(b, tiny, num(1))));
    keep(cairn_ir_sub(b, cairn_ir_load(b, ptr, num(4)), big));
    keep(cairn_ir_lt(b, less, big));
    keep(cairn_ir_lt(b, num(-1), big));
    keep(cairn_ir_eq(b, big, num(-5)));
    keep(cairn_ir_select(b, cairn_ir_lt(b, less, big), num(-1), big));
    keep(cairn_ir_binary(b, CAIRN_IR_SHIFT_LEFT, big, num(4)));
    keep(cairn_ir_binary(b, CAIRN_IR_FLOOR_DIV, big, num(7)));
    keep(cairn_ir_max(b, big, less));
    expect_same(finish());
}

/// All loads, gathers, sums and the like of one number of lanes.
static void use_lanes(int lanes)
{
    static const struct {
        cairn_ir_source source;
        int             level;
        cairn_ir_type   type;
    } arrays[] = {
        {CAIRN_IR_LEVEL_PTR, 0,                   CAIRN_IR_U32},
        {CAIRN_IR_LEVEL_IDX, 1,                   CAIRN_IR_I32},
        {CAIRN_IR_LEVEL_PTR, 2,                   CAIRN_IR_U8 },
        {CAIRN_IR_VAL,       0,                   CAIRN_IR_F64},
        {CAIRN_IR_ARG,       CAIRN_PRODUCT_x,     CAIRN_IR_F32},
        {CAIRN_IR_ARG,       CAIRN_PRODUCT_share, CAIRN_IR_I64},
    };
    cairn_ir_array *const tiny = array_of(CAIRN_IR_LEVEL_PTR, 2, CAIRN_IR_U8);
    const cairn_ir_x      at   = cairn_ir_binary(
               b, CAIRN_IR_BITS_AND, cairn_ir_load_lanes(b, tiny, num(2), lanes), num(31));
    const cairn_ir_x short_at = cairn_ir_cast(b, CAIRN_IR_I32, at);

    for (size_t n = 0; n < sizeof arrays / sizeof *arrays; n++) {
        cairn_ir_array *const a =
            array_of(arrays[n].source, arrays[n].level, arrays[n].type);
        const cairn_ir_x v = cairn_ir_load_lanes(b, a, num(1), lanes);

        keep(cairn_ir_cast(b, CAIRN_IR_F64, cairn_ir_lane_sum(b, v)));
        keep(cairn_ir_cast(b, CAIRN_IR_F64, cairn_ir_lane(b, v, lanes - 1)));
        for (int count = 0; count <= lanes && cairn_ir_type_is_float(v->type); count++)
            keep(cairn_ir_cast(b, CAIRN_IR_F64,
                               cairn_ir_lane_sum(b, cairn_ir_last(b, v, num(count)))));
        keep(cairn_ir_cast(b, CAIRN_IR_F64,
                           cairn_ir_lane_sum(b, cairn_ir_gather(b, a, at))));
        keep(cairn_ir_cast(b, CAIRN_IR_F64,
                           cairn_ir_lane_sum(b, cairn_ir_gather(b, a, short_at))));
        keep(cairn_ir_lane_sum(b, cairn_ir_cast(b, CAIRN_IR_F64, v)));
        if (cairn_ir_type_is_float(v->type)) continue;
        keep(cairn_ir_lane_sum(b, cairn_ir_min(b, v, at)));
        keep(
            cairn_ir_lane_sum(b, cairn_ir_max(b, v, cairn_ir_splat(b, num(3), lanes))));
    }
}

static void expect_lanes(int lanes)
{
    use_lanes(lanes);
    expect_same(finish());
}

Test(emit_c, vectors_of_2)
{
    expect_lanes(2);
}

Test(emit_c, vectors_of_4)
{
    expect_lanes(4);
}

Test(emit_c, vectors_of_8)
{
    expect_lanes(8);
}

Test(emit_c, vectors_of_16)
{
    expect_lanes(16);
}

/// Numbers one after the other, as they stand in memory and computed, also where they begin
/// again at 0, and with one that is another.
Test(emit_c, lanes_that_follow_each_other)
{
    static const struct {
        cairn_ir_source source;
        int             level;
        cairn_ir_type   type;
        int64_t         first;
    } runs[] = {
        {CAIRN_IR_LEVEL_PTR, 2, CAIRN_IR_U8,  5               },
        {CAIRN_IR_LEVEL_PTR, 2, CAIRN_IR_U8,  249             },
        {CAIRN_IR_LEVEL_PTR, 2, CAIRN_IR_U8,  255             },
        {CAIRN_IR_LEVEL_PTR, 0, CAIRN_IR_U32, (1LL << 32) - 20},
        {CAIRN_IR_LEVEL_PTR, 0, CAIRN_IR_U32, (1LL << 32) - 3 },
        {CAIRN_IR_LEVEL_IDX, 1, CAIRN_IR_I32, -9              },
    };

    for (size_t n = 0; n < sizeof runs / sizeof *runs; n++)
        for (int other = 0; other < 17; other += 4) {
            cairn_ir_array *const a =
                array_of(runs[n].source, runs[n].level, runs[n].type);
            cairn_ir_stmt *const loop = cairn_ir_for(b, num(0), num(17), 1, NULL, "k");
            const cairn_ir_x     k    = cairn_ir_loop_var(b, loop);

            cairn_ir_store(b, a, k, cairn_ir_add(b, num(runs[n].first), k));
            cairn_ir_end(b);
            if (other) cairn_ir_store(b, a, num(other), num(1));
            cairn_ir_x those = num(0);

            for (int lanes = 2; lanes <= 16; lanes *= 2) {
                const cairn_ir_x v      = cairn_ir_load_lanes(b, a, num(1), lanes);
                const cairn_ir_x stored = cairn_ir_follow(b, v);
                const cairn_ir_x moved = cairn_ir_follow(b, cairn_ir_add(b, v, num(7)));

                those = cairn_ir_add(b, those,
                                     cairn_ir_select(b, stored, num(lanes), num(0)));
                those = cairn_ir_add(
                    b, those, cairn_ir_select(b, moved, num(32LL * lanes), num(0)));
            }
            keep(those);
        }
    expect_same(finish());
}

/// Small integers that stand side by side: compilers make a chain of scalar conversions of
/// what C has for it, so each number of lanes names its instruction.
Test(emit_c, small_integers_are_widened_together)
{
    static const cairn_ir_type   types[]  = {CAIRN_IR_I8, CAIRN_IR_I16};
    static const cairn_ir_source source[] = {CAIRN_IR_LEVEL_PTR, CAIRN_IR_LEVEL_IDX};
    int                          named    = 0;

    for (int t = 0; t < 2; t++) {
        cairn_ir_array *const a = array_of(source[t], 2, types[t]);

        for (int lanes = 2; lanes <= 8; lanes *= 2)
            keep(cairn_ir_lane_sum(
                b, cairn_ir_cast(b, CAIRN_IR_F64,
                                 cairn_ir_load_lanes(b, a, num(1), lanes))));
    }
    cairn_ir_function *const f    = finish();
    char *const              text = print(f);

    for (const char *at = text; (at = strstr(at, "__builtin_ia32_cvtdq2pd")); at++)
        named++;
    cr_expect_eq(named, 6, "%s", text);
    cairn_free(&env, text);
    expect_same(f);
}

Test(emit_c, tuples_are_read_and_written_by_bytes)
{
    cairn_ir_array *const one   = array_of(CAIRN_IR_LEVEL_IDX, 2, CAIRN_IR_I16);
    cairn_ir_array *const y     = result();
    const cairn_ir_x      i     = opaque(3);
    const cairn_ir_x      eight = cairn_ir_load_lanes(b, one, i, 8);

    one->stride = 4;
    y->stride   = 32; /* Two elements, and a gap of two. */
    y->block    = 2;
    cairn_ir_store(b, y, i, cairn_ir_cast(b, CAIRN_IR_F64, cairn_ir_load(b, one, i)));
    cairn_ir_store(b, y, num(8), cairn_ir_cast(b, CAIRN_IR_F64, eight));
    expect_same(finish());
}

Test(emit_c, streamed_stores_arrive)
{
    cairn_ir_array *const a = array_of(CAIRN_IR_VAL, 0, CAIRN_IR_F64);
    cairn_ir_array *const y = cairn_ir_array_of(
        b, ir_field(CAIRN_IR_ARG, CAIRN_PRODUCT_y), CAIRN_IR_F64, "y");
    static _Alignas(64) double aligned[64];
    cairn_ir_stmt *const       s =
        cairn_ir_for(b, num(0),
                     cairn_ir_param(b, ir_field(CAIRN_IR_ARG, CAIRN_PRODUCT_shares),
                                    CAIRN_IR_I64, "shares"),
                     1, "threads", "t");
    const cairn_ir_x at = cairn_ir_mul_int(b, cairn_ir_loop_var(b, s), 8);

    s->turns = CAIRN_TURNS_THREADS;
    cairn_ir_store(b, y, at, cairn_ir_load_lanes(b, a, at, 8))->stream = true;
    cairn_ir_end(b);

    cairn_ir_function *f    = finish();
    char *const        text = print(f);

    for (size_t n = 0; n < sizeof ways / sizeof *ways; n++) {
        ir_memory memory;

        if (!compile_has(ways[n][0])) continue;

        const cairn_product_fn run = (cairn_product_fn)compile_load(
            folder, ways[n][0], ways[n][1], text, "test_function");

        ir_fill(&memory, 1);
        memset(aligned, 0, sizeof aligned);
        memory.op.y = aligned;
        cr_expect_eq(run(&memory.part, &memory.op), 0);
        cr_expect_arr_eq(aligned, memory.val, 3 * 8 * sizeof *aligned);
    }
    cairn_free(&env, text);
    cairn_ir_destroy(&env, &f);
}

/// Compile with gcc alone and run on fresh numbers.
static int64_t run_once(cairn_ir_function *f, ir_memory *memory)
{
    char *const            text = print(f);
    const cairn_product_fn run =
        (cairn_product_fn)compile_load(folder, "gcc", FLAGS, text, "test_function");

    ir_fill(memory, 1);
    cairn_free(&env, text);
    cairn_ir_destroy(&env, &f);
    return run(&memory->part, &memory->op);
}

Test(emit_c, a_turn_that_fails_fails_the_function)
{
    cairn_ir_stmt *const s = cairn_ir_for(b, num(0), opaque(4), 1, "threads", "t");
    const cairn_ir_x     t = cairn_ir_loop_var(b, s);
    ir_memory            memory;

    s->turns = CAIRN_TURNS_THREADS;
    cairn_ir_if(b, cairn_ir_eq(b, t, num(2)));
    cairn_ir_return(b, num(5));
    cairn_ir_end(b);
    cairn_ir_store(b, result(), t, cairn_ir_real(b, CAIRN_IR_F64, 1));
    cairn_ir_end(b);

    cr_expect_eq(run_once(finish(), &memory), 5);
    cr_expect_eq(memory.y[0], 1.0);
    cr_expect_eq(memory.y[3], 1.0);
}

Test(emit_c, real_constants_keep_their_bits)
{
    static const double reals[] = {0.1,     -0.0,          1e300, 5e-324,
                                   1.0 / 3, 123456789.125, 1e22};
    enum { REALS = sizeof reals / sizeof *reals };
    ir_memory memory;

    for (int n = 0; n < REALS; n++)
        cairn_ir_store(b, result(), num(n), cairn_ir_real(b, CAIRN_IR_F64, reals[n]));
    cairn_ir_store(b, result(), num(REALS), cairn_ir_real(b, CAIRN_IR_F64, 1.0 / 0.0));
    cr_expect_eq(run_once(finish(), &memory), 0);
    cr_expect_arr_eq(memory.y, reals, sizeof reals);
    cr_expect_eq(memory.y[REALS], 1.0 / 0.0);
}

/// Names that share their scope, words of C, and notes that would end their comment.
Test(emit_c, names_and_notes_are_made_safe)
{
    cairn_ir_describe(b, "ends */ here \\ and\nthere");
    cairn_ir_note(b, "*/ int x = 0; /*");
    for (int n = 0; n < 3; n++) {
        cairn_ir_stmt *const s = cairn_ir_for(b, num(0), num(2), 1, "*/", "for");

        cairn_ir_store(b, result(), cairn_ir_loop_var(b, s),
                       cairn_ir_cast(b, CAIRN_IR_F64, cairn_ir_loop_var(b, s)));
    }
    for (int n = 0; n < 3; n++)
        cairn_ir_end(b);
    expect_same(finish());
}

/// Fields of the part as kernels see it.
#define PART_MAP(X)                   \
    X(cairn_kernel_part, order)       \
    X(cairn_kernel_part, levels)      \
    X(cairn_kernel_part, first)       \
    X(cairn_kernel_part, last)        \
    X(cairn_kernel_part, bank)        \
    X(cairn_kernel_part, level)       \
    X(cairn_kernel_part, val)         \
    X(cairn_kernel_part, values)      \
    X(cairn_kernel_part, val_block)   \
    X(cairn_kernel_part, val_stride)  \
    X(cairn_kernel_part, val_bits)    \
    X(cairn_kernel_level, lo)         \
    X(cairn_kernel_level, size)       \
    X(cairn_kernel_level, nodes)      \
    X(cairn_kernel_level, ptr)        \
    X(cairn_kernel_level, ptr_length) \
    X(cairn_kernel_level, idx)        \
    X(cairn_kernel_level, idx_length) \
    X(cairn_kernel_level, idx_stride) \
    X(cairn_kernel_level, hole)       \
    X(cairn_kernel_level, ptr_bits)   \
    X(cairn_kernel_level, idx_bits)   \
    X(cairn_kernel_level, idx_signed) \
    X(cairn_kernel_level, kind)

/// Where a field stands here, and the text that asks the compiler of a kernel.
#define OFFSET(type, name)               offsetof(type, name),
#define OFFSET_TEXT(type, name)          "__builtin_offsetof(" #type "," #name "),"
#define PRODUCT_OFFSET(type, name, what) OFFSET(cairn_product_args, name)
#define PRODUCT_TEXT(type, name, what)   OFFSET_TEXT(cairn_product_args, name)
#define CONVERT_OFFSET(type, name, what) OFFSET(cairn_convert_args, name)
#define CONVERT_TEXT(type, name, what)   OFFSET_TEXT(cairn_convert_args, name)

static const size_t product_layout[] = {
    sizeof(cairn_kernel_part), sizeof(cairn_kernel_level), sizeof(cairn_product_args),
    PART_MAP(OFFSET) CAIRN_PRODUCT_MAP(PRODUCT_OFFSET)};
static const size_t convert_layout[] = {
    sizeof(cairn_kernel_part), sizeof(cairn_kernel_level), sizeof(cairn_convert_args),
    PART_MAP(OFFSET) CAIRN_CONVERT_MAP(CONVERT_OFFSET)};

static const char product_text[] =
    PART_MAP(OFFSET_TEXT) CAIRN_PRODUCT_MAP(PRODUCT_TEXT);
static const char convert_text[] =
    PART_MAP(OFFSET_TEXT) CAIRN_CONVERT_MAP(CONVERT_TEXT);

/// Print an empty function, put the question behind it, and compare the answers.
static void expect_layout(const char   *arguments,
                          const char   *offsets,
                          const size_t *here,
                          size_t        bytes)
{
    cairn_ir_function *f      = finish();
    char *const        kernel = print(f);
    char *const        text   = calloc(1, strlen(kernel) + strlen(offsets) + 256);

    sprintf(text,
            "%s\nconst __SIZE_TYPE__ layout[] = {sizeof(cairn_kernel_part), "
            "sizeof(cairn_kernel_level), sizeof(%s), %s};\n",
            kernel, arguments, offsets);
    cr_expect_arr_eq(compile_load(folder, "gcc", FLAGS, text, "layout"), here, bytes);
    free(text);
    cairn_free(&env, kernel);
    cairn_ir_destroy(&env, &f);
}

Test(emit_c, structs_of_products_are_those_of_the_headers)
{
    expect_layout("cairn_product_args", product_text, product_layout,
                  sizeof product_layout);
}

Test(emit_c, structs_of_conversions_are_those_of_the_headers)
{
    cairn_ir_abandon(b);
    cairn_ir_begin(b, &env, "test", CAIRN_ABI_CONVERT);
    expect_layout("cairn_convert_args", convert_text, convert_layout,
                  sizeof convert_layout);
}

/// A random expression, printed as the printer prints: blanks around operators and behind
/// commas.
static void add_expression(cairn_text *text, uint64_t *state, int depth)
{
    static const char *const operators[] = {"+", "-", "*", "|", "<<", "&&", "<=", "=="};
    const int                kind        = random_below(state, 8);

    if (depth == 0 || kind == 0) {
        cairn_text_add(text, "size_%d", random_below(state, 100));
    } else if (kind < 4) {
        add_expression(text, state, depth - 1);
        cairn_text_add(text, " %s ", operators[random_below(state, 8)]);
        add_expression(text, state, depth - 1);
    } else {
        cairn_text_add(text, "%s(", kind < 6 ? "floor_mod" : "*(const v8i32 *)");
        add_expression(text, state, depth - 1);
        if (kind < 6) {
            cairn_text_add(text, ", ");
            add_expression(text, state, depth - 1);
        }
        cairn_text_add(text, ")");
    }
}

/// Do two texts say the same, blanks and ends of lines aside?
static bool same_words(const char *a, const char *c)
{
    for (;; a++, c++) {
        while (*a == ' ' || *a == '\n')
            a++;
        while (*c == ' ' || *c == '\n')
            c++;
        if (*a != *c) return false;
        if (!*a) return true;
    }
}

static void expect_same_words(const char *line, int indent)
{
    cairn_text out;

    cairn_text_init(&out, &env);
    cairn_c_wrap(&out, line, indent);
    cr_assert(same_words(line, out.data), "%s\n%s", line, out.data);
    cairn_text_fini(&out);
}

Test(emit_c, broken_lines_say_what_whole_ones_say)
{
    uint64_t  state = seed_clock();
    const int cases = seed_cases(2500);

    /* The break before the "-" asked for one before the "+", which was passed. */
    expect_same_words(
        "*(v8f64 *)(y + floor_mod((size_2 + 9) | floor_div(rows, 6), 41)) = "
        "__builtin_convertvector(*(const v8i32 *)(A1_idx + floor_mod(max("
        "rows - k, i + k), 41)), v8f64);",
        24);
    for (int n = 0; n < cases; n++) {
        cairn_text line;

        cairn_text_init(&line, &env);
        cairn_text_add(&line, n % 2 ? "y[i] = " : "*(v8f64 *)(y + ");
        add_expression(&line, &state, 6);
        cairn_text_add(&line, n % 2 ? ";" : ") = a;");
        expect_same_words(line.data, n % 40);
        cairn_text_fini(&line);
    }
}

static cairn_status print_and_free(const cairn_ir_function *f, char **untouched)
{
    char *text = *untouched;

    CAIRN_TRY(cairn_c_print(&env, f, "f", &text));
    cairn_free(&env, text);
    return CAIRN_OK;
}

Test(emit_c, survives_the_end_of_memory)
{
    cairn_ir_function *f    = NULL;
    char              *text = NULL;

    cairn_ir_abandon(b);
    ir_build_random(b, &env, 17);
    cr_assert_eq(cairn_ir_finish(b, &f), CAIRN_OK);
    CAIRN_BRUTAL_AND(&env, print_and_free(f, &text), text == NULL);
    cairn_ir_destroy(&env, &f);
}
