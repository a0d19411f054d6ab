// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values as narrow as they are, held to the same format with `val(f64)`: products of
/// random formats, from entries and from a caller's rows, before and after updates that fit
/// the type and that do not; and of matrices of others, read from their files.
///
/// The seed is printed; PROPERTY_SEED=N in the environment runs case N alone.

#include "support/api.h"
#include "support/crash_note.h"
#include "support/every_format.h"
#include "support/narrow_values.h"
#include "support/random_products.h"
#include "support/same_sums.h"
#include "support/seed.h"

enum { USUAL_CASES = 60, MOST_ROWS = 40, MOST_COLS = 32, MOST = 4, ENTRIES = 1280 };

typedef struct {
    uint64_t              seed, state;
    narrow_set            set;
    int64_t               extent[2], n;
    int64_t               coord[2 * ENTRIES];
    int32_t               ptr[MOST_ROWS + 1], idx[ENTRIES];
    double                value[ENTRIES];
    cairn_dtype           dtype;
    cairn_product_options op;
    char                  text[2][RANDOM_FORMAT]; ///< Wide, narrow.
} example;

/// A value of a set, of a mixed one any.
static double value_of(example *e, narrow_set set)
{
    const double value = set == NARROW_MIXED ? random_below(&e->state, 1000) / 7.0 - 60
                                             : narrow_value(&e->state, set);

    return e->dtype == CAIRN_F32 ? (double)(float)value : value;
}

static void draw_entries(example *e)
{
    const int  density = random_below(&e->state, 101);
    const bool banded  = random_chance(&e->state, 30);

    for (int64_t i = 0; i < e->extent[0]; i++) {
        e->ptr[i] = (int32_t)e->n;
        for (int64_t j = 0; j < e->extent[1]; j++) {
            if (banded ? i - j > 2 || j - i > 1 : !random_chance(&e->state, density))
                continue;
            e->coord[2 * e->n]     = i;
            e->coord[2 * e->n + 1] = j;
            e->idx[e->n]           = (int32_t)j;
            e->value[e->n++]       = value_of(e, e->set);
        }
    }
    e->ptr[e->extent[0]] = (int32_t)e->n;
}

static void draw(example *e, uint64_t seed)
{
    memset(e, 0, sizeof *e);
    e->seed = e->state = seed;
    e->set             = (narrow_set)(seed % NARROW_SETS);
    e->extent[0]       = 1 + random_below(&e->state, MOST_ROWS);
    e->extent[1]       = 1 + random_below(&e->state, MOST_COLS);
    e->dtype           = random_chance(&e->state, 30) ? CAIRN_F32 : CAIRN_F64;
    e->op              = (cairn_product_options){
                     .size       = sizeof(cairn_product_options),
                     .columns    = random_chance(&e->state, 60) ? 1 : 2 + random_below(&e->state, 3),
                     .transposed = random_chance(&e->state, 30),
                     .alpha      = random_chance(&e->state, 70) ? 1 : -0.5,
                     .beta       = random_chance(&e->state, 80) ? 0 : 2,
    };
    draw_entries(e);
    random_format(&e->state, 2, e->text[0], RANDOM_FORMAT);
    strcpy(e->text[1], e->text[0]);
    narrow_text(e->text[0], "f64"); /* or the tensor's, where that is narrower */
    narrow_text(e->text[1], narrow_type(&e->state, e->set));
}

/// Store the entries, or the caller's rows where there are to be updates.
static cairn_status
store(cairn_context *context, const example *e, bool narrow, cairn_tensor **tensor)
{
    static float  single[ENTRIES];
    cairn_source *source = NULL;
    cairn_format *format = NULL;
    cairn_status  status = cairn_format_create(context, e->text[narrow], &format);

    if (status == CAIRN_OK && e->seed % 3 == 0) {
        MUST(context, cairn_source_from_coords(context, 2, e->extent, e->n, e->coord,
                                               e->value, CAIRN_BY_ROWS, &source));
        status = cairn_tensor_create(source, format, e->dtype, tensor);
    } else if (status == CAIRN_OK) {
        for (int64_t k = 0; k < e->n; k++)
            single[k] = (float)e->value[k];
        status = cairn_tensor_from_csr(
            context, e->extent[0], e->extent[1], 0, e->extent[0], e->ptr, 32, e->idx,
            32, e->dtype == CAIRN_F32 ? (void *)single : (void *)e->value, e->dtype,
            CAIRN_COPY, format, tensor);
    }
    cairn_source_destroy(&source);
    cairn_format_destroy(&format);
    return status;
}

/// Reasons for which a random text may be refused as storage, narrow or not; padding may
/// be none of a type's values, and fields of tuples are of none but the tensor's.
static bool may_refuse(cairn_context *context, cairn_status status)
{
    const char *message = cairn_context_message(context);

    return status == CAIRN_NO_MEMORY || status == CAIRN_OVERFLOW
           || (status == CAIRN_BAD_FORMAT && random_may_be_refused(message));
}

/// Run both twice, the second time from what the first has left.
static void compare(cairn_context *context, const example *e, cairn_plan *plan[2])
{
    static double x[MOST_ROWS * MOST], y[2][MOST_ROWS * MOST];
    static float  x32[MOST_ROWS * MOST];
    const bool    f32 = e->dtype == CAIRN_F32;

    for (int64_t k = 0; k < MOST_ROWS * MOST; k++)
        x[k] = ramp(k) - 0.3, x32[k] = (float)x[k];
    memset(y, 0, sizeof y);
    for (int k = 0; k < 2; k++)
        for (int again = 0; again < 2; again++)
            MUST(context, cairn_plan_run(plan[k], f32 ? (void *)x32 : (void *)x, y[k]));
    const int64_t at =
        f32 ? first_other_f32((float *)y[0], (float *)y[1], 2 * MOST_ROWS * MOST)
            : first_other(y[0], y[1], MOST_ROWS * MOST);

    cr_assert_eq(at, -1, "seed %llu: other bits at %d%s\n%s",
                 (unsigned long long)e->seed, (int)at, f32 ? ", f32" : "", e->text[1]);
}

/// New values of a set for both, entry for entry.
static void update(cairn_context *context,
                   example       *e,
                   narrow_set     set,
                   cairn_tensor  *tensor[2],
                   cairn_plan    *plan[2])
{
    static float single[ENTRIES];

    for (int64_t k = 0; k < e->n; k++) {
        e->value[k] = value_of(e, set);
        single[k]   = (float)e->value[k];
    }
    for (int k = 0; k < 2; k++)
        MUST(context,
             cairn_tensor_update(tensor[k], e->dtype == CAIRN_F32 ? (void *)single
                                                                  : (void *)e->value));
    compare(context, e, plan);
}

/// Does the text ask for a type that rounds what it does not hold?
static bool rounds(const char *text)
{
    return strstr(text, "val(f16)") || strstr(text, "val(bf16)")
           || strstr(text, "val(f32)");
}

static void multiply(cairn_context *context, example *e, cairn_tensor *tensor[2])
{
    cairn_plan *plan[2];

    for (int k = 0; k < 2; k++)
        MUST(context, cairn_plan_create_product(tensor[k], &e->op, &plan[k]));
    compare(context, e, plan);
    if (e->seed % 3 != 0) {
        update(context, e, e->set, tensor, plan);
        if (!rounds(e->text[1]))
            update(context, e, (narrow_set)random_below(&e->state, NARROW_SETS), tensor,
                   plan);
        update(context, e, e->set, tensor, plan);
    }
    for (int k = 0; k < 2; k++)
        cairn_plan_destroy(&plan[k]);
}

/// A case of random_products().
static bool run_case(cairn_context *context, uint64_t seed)
{
    static example e;
    cairn_tensor  *tensor[2] = {NULL, NULL};
    cairn_status   status    = CAIRN_OK;

    crash_note("seed %llu", (unsigned long long)seed);
    draw(&e, seed);
    for (int k = 0; k < 2 && status == CAIRN_OK; k++)
        status = store(context, &e, k == 1, &tensor[k]);
    cr_assert(status == CAIRN_OK || may_refuse(context, status), "seed %llu: %s\n%s",
              (unsigned long long)seed, cairn_context_message(context), e.text[1]);
    if (status == CAIRN_OK) multiply(context, &e, tensor);
    for (int k = 0; k < 2; k++)
        cairn_tensor_destroy(&tensor[k]);
    return status == CAIRN_OK;
}

Test(property_narrow, random_formats_have_the_bits_of_f64, .timeout = 3600)
{
    random_products(run_case, seed_cases(USUAL_CASES));
}

/* ---- matrices of others ---- */

typedef struct {
    cairn_context *context;
    const char    *file;
    int64_t        rows, columns;
    cairn_source  *source;
    cairn_dtype    dtype;
    void          *y[2]; ///< Wide, narrow: [rows] of the type.
    int            compared;
} matrix;

/// y = A x in a format's text. @return The status of storing.
static cairn_status product_of(matrix *m, const char *text, void *y)
{
    const bool    f32    = m->dtype == CAIRN_F32;
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    cairn_plan   *plan   = NULL;
    double       *x      = calloc((size_t)m->columns + 1, sizeof *x);

    for (int64_t j = 0; j < m->columns; j++)
        if (f32)
            ((float *)x)[j] = (float)ramp(j);
        else
            x[j] = ramp(j);
    MUST(m->context, cairn_format_create(m->context, text, &format));
    const cairn_status status =
        cairn_tensor_create(m->source, format, m->dtype, &tensor);

    if (status == CAIRN_OK) {
        MUST(m->context, cairn_plan_create_spmv(tensor, &plan));
        MUST(m->context, cairn_plan_run(plan, x, y));
    }
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    free(x);
    return status;
}

/// A format of the catalogue, in every type that holds the values.
static void check_format(matrix *m, const char *name)
{
    static const char *const types[] = {"",    "exact", "iso",   "i8",
                                        "i16", "dict8", "dict16"};
    static char              named[RANDOM_FORMAT], text[RANDOM_FORMAT];
    const bool               f32 = m->dtype == CAIRN_F32;

    by_name(name, named, sizeof named);
    cairn_format *format = must_format(m->context, name);

    strcpy(named, cairn_format_text(format));
    cairn_format_destroy(&format);
    strcpy(text, named);
    narrow_text(text, "f64");
    if (product_of(m, text, m->y[0]) != CAIRN_OK) return; /* too large */
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        strcpy(text, named);
        if (types[k][0]) narrow_text(text, types[k]);
        if (product_of(m, text, m->y[1]) != CAIRN_OK) continue; /* not of the type */
        const int64_t at = f32 ? first_other_f32(m->y[0], m->y[1], m->rows)
                               : first_other(m->y[0], m->y[1], m->rows);

        cr_assert_eq(at, -1, "%s: other bits in row %" PRId64 "%s: %s", m->file, at,
                     f32 ? ", f32" : "", text);
        m->compared++;
    }
}

static void check_file(matrix *m)
{
    for (int k = 0; k < 2; k++)
        m->y[k] = calloc((size_t)m->rows + 1, sizeof(double));
    MUST(m->context, cairn_source_read(m->context, m->file, CAIRN_BY_ROWS, &m->source));
    for (int f = 0; f < FORMATS; f++) {
        crash_note("%s, %s", m->file, formats[f]);
        m->dtype = CAIRN_F64;
        check_format(m, formats[f]);
        m->dtype = CAIRN_F32;
        check_format(m, formats[f]);
    }
    cairn_source_destroy(&m->source);
    for (int k = 0; k < 2; k++)
        free(m->y[k]);
}

/// Those of at most SEED_ENTRIES entries.
Test(property_narrow, matrices_have_the_bits_of_f64, .timeout = 14400)
{
    FILE      *list = fopen(CAIRN_TEST_DATA "/matrices/manifest.tsv", "r");
    const long most = seed_entries(7500);
    char      *line = NULL, *rest;
    size_t     room = 0;
    matrix     m    = {.compared = 0};

    if (!list) cr_skip_test("no test data");
    const int64_t blocks = must_start(&m.context);

    cairn_context_set_memory(m.context, (int64_t)1 << 30);
    while (getline(&line, &room, list) > 0) {
        const char *field[14];
        char        file[512];

        rest = line;
        for (int k = 0; k < 14; k++)
            field[k] = strsep(&rest, "\t\n");
        if (!field[13] || !strstr(field[13], ".mtx") || !strcmp(field[8], "complex")
            || atol(field[5]) > most)
            continue;
        snprintf(file, sizeof file, CAIRN_TEST_DATA "/matrices/%s", field[13]);
        m.file    = file;
        m.rows    = atol(field[2]);
        m.columns = atol(field[3]);
        check_file(&m);
    }
    cr_assert_gt(m.compared, 100, "only %d products", m.compared);
    free(line);
    fclose(list);
    must_end(&m.context, blocks);
}
