// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Random formats the third way: stored, multiplied by plans whose kernels are compiled,
/// and held to sums over a dense copy. A plan that fell back to the reference way fails.
///
/// The seed is printed; PROPERTY_SEED=N in the environment runs case N alone.

#include "support/api.h"
#include "support/crash_note.h"
#include "support/narrow_values.h"
#include "support/seed.h"

#include <math.h>

enum { USUAL_CASES = 150, NARROW_CASES = 50, MOST_ROWS = 40, MOST_COLS = 32, MOST = 4 };

typedef struct {
    uint64_t              seed, state;
    int64_t               extent[2], n;
    int64_t               coord[2 * MOST_ROWS * MOST_COLS];
    double                value[MOST_ROWS * MOST_COLS];
    double                dense[MOST_ROWS][MOST_COLS];
    cairn_dtype           dtype;
    cairn_product_options op;
    char                  text[RANDOM_FORMAT];
} example;

typedef struct {
    int ran, refused;
} tally;

static void draw(example *e, uint64_t seed)
{
    e->seed = e->state = seed;
    e->n               = 0;
    e->extent[0]       = 1 + random_below(&e->state, MOST_ROWS);
    e->extent[1]       = 1 + random_below(&e->state, MOST_COLS);
    const int  density = random_below(&e->state, 101);
    const bool banded  = random_chance(&e->state, 30);

    memset(e->dense, 0, sizeof e->dense);
    for (int64_t i = 0; i < e->extent[0]; i++)
        for (int64_t j = 0; j < e->extent[1]; j++) {
            if (banded ? i - j > 2 || j - i > 1 : !random_chance(&e->state, density))
                continue;
            e->coord[2 * e->n]     = i;
            e->coord[2 * e->n + 1] = j;
            e->value[e->n]         = (float)(1 + random_below(&e->state, 1000) / 7.0);
            e->dense[i][j]         = e->value[e->n++];
        }
    random_format(&e->state, 2, e->text, sizeof e->text);
    e->dtype = random_chance(&e->state, 30) ? CAIRN_F32 : CAIRN_F64;
    e->op    = (cairn_product_options){
           .size       = sizeof(cairn_product_options),
           .columns    = random_chance(&e->state, 60) ? 1 : 2 + random_below(&e->state, 3),
           .transposed = random_chance(&e->state, 30),
           .alpha      = random_chance(&e->state, 70) ? 1 : -0.5,
           .beta       = random_chance(&e->state, 80) ? 0 : 2,
    };
}

/// Entry k of an operand, not 0; exact in both types.
static double operand(int64_t k)
{
    return (double)(float)((double)(k % 97 + 1) / 97);
}

static void check_row(const example *e, int64_t i, int64_t c, double y)
{
    const bool    t     = e->op.transposed;
    const int64_t inner = e->extent[t ? 0 : 1];
    double        r     = e->op.beta == 0 ? 0 : e->op.beta * operand(i + c);
    double        size  = fabs(r);

    for (int64_t j = 0; j < inner; j++) {
        const double term = e->op.alpha * (t ? e->dense[j][i] : e->dense[i][j])
                            * operand(j * e->op.columns + c);

        r += term;
        size += fabs(term);
    }
    cr_assert(fabs(y - r) <= (e->dtype == CAIRN_F32 ? 1e-6 : 1e-14) * size,
              "seed %llu: Y(%d,%d) is %.17g, not %.17g%s%s\n%s",
              (unsigned long long)e->seed, (int)i, (int)c, y, r,
              t ? ", transposed" : "", e->dtype == CAIRN_F32 ? ", f32" : "", e->text);
}

/// Run, from the same Y each time, and hold it to the definition.
static void run(cairn_context *context, const example *e, cairn_plan *plan)
{
    static double x[MOST_ROWS * MOST], y[MOST_ROWS * MOST];
    static float  x32[MOST_ROWS * MOST], y32[MOST_ROWS * MOST];
    const bool    f32   = e->dtype == CAIRN_F32;
    const int64_t outer = e->extent[e->op.transposed ? 1 : 0] * e->op.columns;

    for (int64_t k = 0; k < MOST_ROWS * MOST; k++)
        x[k] = x32[k] = (float)operand(k);
    for (int64_t k = 0; k < outer; k++)
        y[k] = y32[k] = (float)operand(k / e->op.columns + k % e->op.columns);
    MUST(context, cairn_plan_run(plan, f32 ? (void *)x32 : (void *)x,
                                 f32 ? (void *)y32 : (void *)y));
    for (int64_t k = 0; k < outer; k++)
        check_row(e, k / e->op.columns, k % e->op.columns, f32 ? (double)y32[k] : y[k]);
}

static void multiply(cairn_context *context, const example *e, cairn_tensor *tensor)
{
    cairn_plan     *plan;
    cairn_plan_info info = CAIRN_PLAN_INFO;

    cr_assert_eq(cairn_plan_create_product(tensor, &e->op, &plan), CAIRN_OK,
                 "seed %llu: %s\n%s", (unsigned long long)e->seed,
                 cairn_context_message(context), e->text);
    MUST(context, cairn_plan_describe(plan, &info));
    cr_assert_str_neq(info.route, "reference", "seed %llu: %s\n%s",
                      (unsigned long long)e->seed, info.why, e->text);
    for (int again = 0; again < 2; again++)
        run(context, e, plan);
    cairn_plan_destroy(&plan);
}

/// Reasons for which a random text may be refused as storage.
static bool may_refuse(cairn_context *context, cairn_status status)
{
    const char *message = cairn_context_message(context);

    return status == CAIRN_NO_MEMORY
           || (status == CAIRN_BAD_FORMAT
               && (strstr(message, "pack(") || strstr(message, "distance")
                   || strstr(message, "partition(")));
}

static void run_case(cairn_context *context, uint64_t seed, tally *t)
{
    static example e;
    cairn_source  *source = NULL;
    cairn_format  *format = NULL;
    cairn_tensor  *tensor = NULL;

    crash_note("seed %llu", (unsigned long long)seed);
    draw(&e, seed);
    MUST(context, cairn_source_from_coords(context, 2, e.extent, e.n, e.coord, e.value,
                                           CAIRN_BY_ROWS, &source));
    cairn_status status = cairn_format_create(context, e.text, &format);

    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, e.dtype, &tensor);
    cr_assert(status == CAIRN_OK || may_refuse(context, status), "seed %llu: %s\n%s",
              (unsigned long long)seed, cairn_context_message(context), e.text);
    if (status == CAIRN_OK) multiply(context, &e, tensor), t->ran++;
    if (status != CAIRN_OK) t->refused++;
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

Test(property_compiled, random_formats_multiply_by_compiled_kernels, .timeout = 3600)
{
    const char    *one   = getenv("PROPERTY_SEED");
    const uint64_t first = seed_clock() * 1000003;
    const int      cases = seed_cases(USUAL_CASES);
    cairn_context *context;
    tally          t      = {0};
    const int64_t  blocks = must_start(&context);

    printf("first seed %llu\n", (unsigned long long)first);
    cairn_context_set_memory(context, 16 << 20);
    if (one)
        run_case(context, strtoull(one, NULL, 10), &t);
    else
        for (int k = 0; k < 4 * cases && t.ran < cases; k++)
            run_case(context, first + (uint64_t)k, &t);
    cr_assert(one || t.ran == cases, "only %d of %d cases ran", t.ran, cases);
    must_end(&context, blocks);
}

/* ---- narrow values ---- */

/// A value of a set, of a mixed one any.
static double value_of(example *e, narrow_set set)
{
    return set == NARROW_MIXED ? random_below(&e->state, 1000) / 7.0 - 60
                               : narrow_value(&e->state, set);
}

/// Run twice, the second time from what the first has left.
static void
results(cairn_context *context, const example *e, cairn_tensor *tensor, void *y)
{
    static double x[MOST_ROWS * MOST];
    static float  x32[MOST_ROWS * MOST];
    cairn_plan   *plan;

    for (int64_t k = 0; k < MOST_ROWS * MOST; k++)
        x[k] = operand(k) - 0.3, x32[k] = (float)x[k];
    memset(y, 0, MOST_ROWS * MOST * sizeof(double));
    MUST(context, cairn_plan_create_product(tensor, &e->op, &plan));
    for (int again = 0; again < 2; again++)
        MUST(context,
             cairn_plan_run(plan, e->dtype == CAIRN_F32 ? (void *)x32 : (void *)x, y));
    cairn_plan_destroy(&plan);
}

/// Store and multiply. @return The status of storing.
static cairn_status multiply_text(cairn_context *context,
                                  const example *e,
                                  cairn_source  *source,
                                  const char    *text,
                                  void          *y)
{
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    cairn_status  status = cairn_format_create(context, text, &format);

    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, e->dtype, &tensor);
    if (status == CAIRN_OK) results(context, e, tensor, y);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    return status;
}

/// Padding may be none of the type's values, fields of tuples are of none but the tensor's.
static bool may_refuse_type(cairn_context *context, cairn_status status)
{
    return status == CAIRN_OVERFLOW
           || strstr(cairn_context_message(context), "packed with");
}

static void run_narrow(cairn_context *context, uint64_t seed, tally *t)
{
    static example   e;
    static char      text[RANDOM_FORMAT];
    static double    y[2][MOST_ROWS * MOST];
    cairn_source    *source = NULL;
    const narrow_set set    = (narrow_set)(seed % NARROW_SETS);

    crash_note("seed %llu", (unsigned long long)seed);
    draw(&e, seed);
    for (int64_t k = 0; k < e.n; k++)
        e.value[k] = (float)value_of(&e, set);
    strcpy(text, e.text);
    narrow_text(text, narrow_type(&e.state, set));
    MUST(context, cairn_source_from_coords(context, 2, e.extent, e.n, e.coord, e.value,
                                           CAIRN_BY_ROWS, &source));
    cairn_status status = multiply_text(context, &e, source, e.text, y[0]);

    cr_assert(status == CAIRN_OK || may_refuse(context, status));
    if (status == CAIRN_OK) status = multiply_text(context, &e, source, text, y[1]);
    cr_assert(status == CAIRN_OK || may_refuse(context, status)
                  || may_refuse_type(context, status),
              "seed %llu: %s\n%s", (unsigned long long)seed,
              cairn_context_message(context), text);
    if (status == CAIRN_OK)
        cr_assert_arr_eq(y[0], y[1], sizeof y[0], "seed %llu: other bits%s\n%s",
                         (unsigned long long)seed, e.dtype == CAIRN_F32 ? ", f32" : "",
                         text);
    *(status == CAIRN_OK ? &t->ran : &t->refused) += 1;
    cairn_source_destroy(&source);
}

Test(property_compiled, narrow_values_have_the_same_bits, .timeout = 3600)
{
    const char    *one   = getenv("PROPERTY_SEED");
    const uint64_t first = seed_clock() * 1000003;
    const int      cases = seed_cases(NARROW_CASES);
    cairn_context *context;
    tally          t      = {0};
    const int64_t  blocks = must_start(&context);

    printf("first seed %llu\n", (unsigned long long)first);
    cairn_context_set_memory(context, 16 << 20);
    if (one)
        run_narrow(context, strtoull(one, NULL, 10), &t);
    else
        for (int k = 0; k < 4 * cases && t.ran < cases; k++)
            run_narrow(context, first + (uint64_t)k, &t);
    cr_assert(one || t.ran == cases, "only %d of %d cases ran", t.ran, cases);
    must_end(&context, blocks);
}

/* ---- matrices of others ---- */

/// y = A x into @p y. @return The status of storing.
static cairn_status product_of(cairn_context *context,
                               cairn_source  *source,
                               const char    *text,
                               int64_t        columns,
                               double        *y)
{
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    cairn_plan   *plan   = NULL;
    double       *x      = calloc((size_t)columns + 1, sizeof *x);
    cairn_status  status = cairn_format_create(context, text, &format);

    for (int64_t j = 0; j < columns; j++)
        x[j] = operand(j);
    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, CAIRN_F64, &tensor);
    if (status == CAIRN_OK) {
        MUST(context, cairn_plan_create_spmv(tensor, &plan));
        MUST(context, cairn_plan_run(plan, x, y));
    }
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    free(x);
    return status;
}

static void
check_file(cairn_context *context, const char *file, int64_t rows, int64_t columns)
{
    static const char *const names[] = {"csr", "sell<8>", "dia", "bcsr<2,2>",
                                        "hybrid<dia,csr,0.5>"};
    static char              wide[RANDOM_FORMAT], narrow[RANDOM_FORMAT];
    const size_t             bytes = (size_t)rows * sizeof(double);
    double                  *y[2]  = {calloc(1, bytes + 1), calloc(1, bytes + 1)};
    cairn_source            *source;

    MUST(context, cairn_source_read(context, file, CAIRN_BY_ROWS, &source));
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        strcpy(narrow, by_name(names[k], wide, sizeof wide));
        narrow_text(narrow, k % 2 ? "exact" : "dict16");
        if (product_of(context, source, wide, columns, y[0]) != CAIRN_OK
            || product_of(context, source, narrow, columns, y[1]) != CAIRN_OK)
            continue; /* too large, or too many values */
        cr_assert_arr_eq(y[0], y[1], bytes, "%s: %s", file, narrow);
    }
    cairn_source_destroy(&source);
    free(y[0]);
    free(y[1]);
}

Test(property_compiled, matrices_have_the_same_bits_in_narrow_values, .timeout = 3600)
{
    FILE          *list = fopen(CAIRN_TEST_DATA "/matrices/manifest.tsv", "r");
    char          *line = NULL, *rest;
    size_t         room = 0;
    cairn_context *context;

    if (!list) cr_skip_test("no test data");
    const int64_t blocks = must_start(&context);

    cairn_context_set_memory(context, 64 << 20);
    while (getline(&line, &room, list) > 0) {
        const char *field[14];
        char        file[512];

        rest = line;
        for (int k = 0; k < 14; k++)
            field[k] = strsep(&rest, "\t\n");
        if (!field[13] || !strstr(field[13], ".mtx") || !strcmp(field[8], "complex")
            || atol(field[5]) > 60000)
            continue;
        snprintf(file, sizeof file, CAIRN_TEST_DATA "/matrices/%s", field[13]);
        check_file(context, file, atol(field[2]), atol(field[3]));
    }
    free(line);
    fclose(list);
    must_end(&context, blocks);
}
