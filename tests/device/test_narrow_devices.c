// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values of every kind (`val(TYPE)`) on every kind of device, held to the bits that the
/// device has of the same values as wide as the type, and to the processor's where those
/// are its own, before and after new values that the type does not hold. Who reads narrow
/// values and who is given wide ones is the table of docs/devices.md.

#include "api/api.h"
#include "support/api.h"
#include "support/narrow_values.h"
#include "support/val_format.h"
#include "tensor/value_storage.h"

#include <criterion/parameterized.h>

#include <unistd.h>

enum { ROWS = 45, COLS = 38, MOST = ROWS * COLS, COLUMNS = 3 };

static cairn_context *context;
static int64_t        blocks;

/// A kind of device: what it is listed as, and what it makes of narrow values.
typedef struct {
    const char *list;      ///< What the context has, beside the processor;
    const char *place;     ///< NULL: the same.
    const char *lowering;  ///< Of OpenCL; else NULL.
    bool        reads;     ///< Narrow values; else it is given wide ones.
    bool        processor; ///< It has the bits of the processor.
    const char *only;      ///< Of all formats it takes this; NULL: any.
} kind_of_device;

static const kind_of_device kinds[] = {
    {.list = "cpu",                                .reads = true,                     .processor = true},
    {.list = "debug",                                            .reads = true,                                                               .processor = true},
    {.list      = "cpu:2,debug",
     .place     = "cpu:0*0.3+debug*0.3+cpu:1*0.4",
     .reads     = true,
     .processor = true},
    {.list = "opencl", .lowering = "turns",                                                               .reads = true, .processor = true},
    {.list = "opencl",                                            .lowering = "grid",                                                              .reads = true, .processor = true},
    {.list = "opencl",                               .place = "opencl*0.5+cpu*0.5",.reads = true, .processor = true},
    {.list = "cuda",                             .reads = true, .processor = true},
    {.list = "pim",                           .reads = true,                                                            .processor = true, .only = "c2sr<2>"},
    {.list = "fpga",.processor = true,                     .only = "serpens<128>"},
    {.list = "/tmp/cairn-narrow-dev.json",                                            .place = "external"                                                               },
};

/// Types and values that they hold. A type that rounds is not asked for by name, so that
/// new values widen it.
static const struct {
    const char *type;
    narrow_set  set;
    bool        exact;
} types[] = {
    {"iso",    NARROW_ONE,   false},
    {"i8",     NARROW_I8,    false},
    {"i16",    NARROW_I16,   false},
    {"f16",    NARROW_F16,   true },
    {"bf16",   NARROW_BF16,  true },
    {"f32",    NARROW_F32,   true },
    {"dict8",  NARROW_FEW,   false},
    {"dict16", NARROW_MIXED, false},
};

enum { TYPES = sizeof types / sizeof *types };

static const char *const usual[] = {
    "csr",     "coo",       "csc",     "dia",
    "sell<2>", "bcsr<2,3>", "c2sr<2>", "hybrid<bdia<2>,csr,0.5>"};

/// Each type is tried in some of them, all of which have their turn.
enum { USUAL = sizeof usual / sizeof *usual, OF_TYPE = 2 };

/* ---- tensors ---- */

typedef struct {
    int32_t ptr[ROWS + 1], idx[MOST];
    double  val[MOST];
    float   single[MOST];
} matrix;

static void draw_values(matrix *a, uint64_t seed, narrow_set set)
{
    for (int k = 0; k < a->ptr[ROWS]; k++) {
        a->val[k]    = narrow_value(&seed, set);
        a->single[k] = (float)a->val[k];
    }
}

static void draw(matrix *a, uint64_t seed, narrow_set set)
{
    int32_t n = 0;

    for (int i = 0; i < ROWS; i++) {
        a->ptr[i] = n;
        for (int j = 0; j < COLS; j++)
            if (i != 11 && (i == 7 || abs(i - j) < 2 || random_chance(&seed, 15)))
                a->idx[n++] = j;
    }
    a->ptr[ROWS] = n;
    draw_values(a, seed, set);
}

static const void *values_of(const matrix *a, cairn_dtype dtype)
{
    return dtype == CAIRN_F32 ? (const void *)a->single : a->val;
}

static cairn_status store(const matrix  *a,
                          const char    *name,
                          const char    *type,
                          cairn_dtype    dtype,
                          cairn_tensor **tensor)
{
    static char   with[1 << 14];
    cairn_format *format = must_format(context, name);

    val_format(cairn_format_text(format), type, with, sizeof with);
    cairn_format_destroy(&format);
    MUST(context, cairn_format_create(context, with, &format));
    const cairn_status status =
        cairn_tensor_from_csr(context, ROWS, COLS, 0, ROWS, a->ptr, 32, a->idx, 32,
                              values_of(a, dtype), dtype, CAIRN_COPY, format, tensor);

    cairn_format_destroy(&format);
    return status;
}

/* ---- products ---- */

/// Does the note of a plan's part say that values were widened?
static bool is_widened(const cairn_plan *plan)
{
    cairn_plan_part *part    = NULL;
    int64_t          count   = 0;
    bool             widened = false;

    MUST(context, cairn_plan_parts(plan, &count, &part));
    for (int64_t k = 0; k < count; k++)
        widened |= strstr(part[k].note, "values widened to f") != NULL;
    cairn_plan_parts_free(plan, &part);
    return widened;
}

typedef struct {
    double bytes[ROWS * COLUMNS];
} sums;

static void run(cairn_plan *plan, cairn_dtype dtype, sums *y)
{
    static double x[ROWS * COLUMNS];
    static float  single[ROWS * COLUMNS];

    for (int k = 0; k < ROWS * COLUMNS; k++)
        x[k] = ramp(k), single[k] = (float)x[k];
    memset(y, 0, sizeof *y);
    MUST(context, cairn_plan_run(plan, dtype == CAIRN_F32 ? (void *)single : (void *)x,
                                 y->bytes));
}

static cairn_status
plan_at(cairn_tensor *tensor, int64_t columns, const char *place, cairn_plan **plan)
{
    cairn_product_options op      = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options    options = CAIRN_PLAN_OPTIONS;

    op.columns      = columns;
    options.product = &op;
    options.place   = place;
    return cairn_plan_create_with(tensor, &options, plan);
}

/// A type on a device: wide there and here, narrow there.
typedef struct {
    const kind_of_device *kind;
    const char           *place;
    matrix                a;
    cairn_tensor         *tensor[2]; ///< Wide, narrow.
    cairn_plan           *plan[3];   ///< Wide, narrow, wide by the processor.
    cairn_dtype           dtype;
    char                  what[200];
} example;

static void compare(const example *e)
{
    static sums y[3];

    for (int k = 0; k < 3; k++)
        if (e->plan[k]) run(e->plan[k], e->dtype, &y[k]);
    cr_assert_arr_eq(&y[1], &y[0], sizeof *y, "%s: other bits than wide", e->what);
    if (e->plan[2])
        cr_assert_arr_eq(&y[1], &y[2], sizeof *y, "%s: other bits than here", e->what);
}

/// Is the first member stored in the type? Padding is of all of those.
static void expect_stored(const example *e, int type)
{
    const cairn_layout *layout = e->tensor[1]->local->group[0].layout;
    const char         *stored =
        cairn_value_storage_name(layout->values.kind, layout->values.bits);

    if (e->dtype == CAIRN_F64 && e->tensor[1]->local->groups == 1)
        cr_assert_str_eq(stored, types[type].type, "%s: stored as %s", e->what, stored);
}

/// @return false: the format does not store such values, or the device no such products.
static bool try_type(example *e, const char *name, int type, int turn)
{
    const int64_t columns = e->kind->only ? 1 : turn % 3 == 0 ? COLUMNS : 1;
    bool          tried   = false;

    snprintf(e->what, sizeof e->what, "%s%s%s, %s, val(%s), %s, %d columns", e->place,
             e->kind->lowering ? " " : "", e->kind->lowering ? e->kind->lowering : "",
             name, types[type].type, e->dtype == CAIRN_F32 ? "f32" : "f64",
             (int)columns);
    draw(&e->a, (uint64_t)turn, types[type].set);
    MUST(context, store(&e->a, name, "f64", e->dtype, &e->tensor[0]));
    const cairn_status status =
        store(&e->a, name, types[type].exact ? "exact" : types[type].type, e->dtype,
              &e->tensor[1]);

    cr_assert(status == CAIRN_OK || status == CAIRN_OVERFLOW, "%s: %s", e->what,
              cairn_context_message(context));
    if (status == CAIRN_OK) {
        const bool         narrow = cairn_local_is_narrow(e->tensor[1]->local);
        const cairn_status wide = plan_at(e->tensor[0], columns, e->place, &e->plan[0]);

        tried = wide == CAIRN_OK;
        expect_stored(e, type);
        cr_assert_eq(plan_at(e->tensor[1], columns, e->place, &e->plan[1]), wide,
                     "%s: %s", e->what, cairn_context_message(context));
        cr_assert(tried || cairn_context_message(context)[0], "%s: no reason", e->what);
        if (tried && e->kind->processor)
            MUST(context, plan_at(e->tensor[0], columns, "cpu", &e->plan[2]));
        if (tried)
            cr_expect_eq(is_widened(e->plan[1]), narrow && !e->kind->reads, "%s",
                         e->what);
    }
    if (tried) {
        compare(e);
        draw_values(&e->a, (uint64_t)turn + 1, NARROW_MIXED);
        for (int k = 0; k < 2; k++)
            MUST(context,
                 cairn_tensor_update(e->tensor[k], values_of(&e->a, e->dtype)));
        compare(e);
    }
    for (int k = 0; k < 3; k++)
        cairn_plan_destroy(&e->plan[k]);
    for (int k = 0; k < 2; k++)
        cairn_tensor_destroy(&e->tensor[k]);
    return tried;
}

/* ---- devices ---- */

static void describe_external(const char *path)
{
    FILE *f = fopen(path, "w");

    cr_assert_not_null(f);
    fprintf(f, "[{\"kind\": \"external\", \"command\": [\"%s\"]}]\n",
            CAIRN_SIMULATOR_EXAMPLE);
    cr_assert_eq(fclose(f), 0);
}

static int try_kind(const kind_of_device *kind)
{
    static example e;
    const bool     file = strchr(kind->list, '/') != NULL;
    char           list[64];
    int            tried = 0, turn = 0;

    e = (example){.kind = kind, .place = kind->place ? kind->place : kind->list};
    if (file) describe_external(kind->list);
    snprintf(list, sizeof list, "%s%s", strncmp(kind->list, "cpu", 3) ? "cpu," : "",
             kind->list);
    if (cairn_devices_check(context, NULL, list, 0) != CAIRN_OK) {
        printf("no %s here: left out\n", kind->list);
        return -1;
    }
    for (int t = 0; t < TYPES; t++)
        for (int f = 0; f < (kind->only ? 1 : OF_TYPE); f++, turn++) {
            e.dtype = turn % 2 || (kind->only && !kind->reads) ? CAIRN_F32 : CAIRN_F64;
            tried +=
                try_type(&e, kind->only ? kind->only : usual[turn % USUAL], t, turn);
        }
    if (file) unlink(kind->list);
    printf("%s%s%s: %d products\n", e.place, kind->lowering ? " " : "",
           kind->lowering ? kind->lowering : "", tried);
    return tried;
}

static struct criterion_test_params all_kinds(void)
{
    static int number[sizeof kinds / sizeof *kinds];
    size_t     count = 0;

    for (; count < sizeof kinds / sizeof *kinds; count++)
        number[count] = (int)count;
    return cr_make_param_array(int, number, count);
}

ParameterizedTestParameters(narrow_devices, kinds_have_the_bits_of_wide_values)
{
    return all_kinds();
}

ParameterizedTest(int *number,
                  narrow_devices,
                  kinds_have_the_bits_of_wide_values,
                  .timeout = 900)
{
    const kind_of_device *kind = &kinds[*number];

    if (kind->lowering) setenv("CAIRN_OPENCL_LOWERING", kind->lowering, 1);
    blocks          = must_start(&context);
    const int tried = try_kind(kind);

    MUST(context, cairn_devices_check(context, NULL, "cpu", 0));
    must_end(&context, blocks);
    cr_expect(tried < 0 || tried >= (kind->only ? TYPES / 2 : TYPES * OF_TYPE / 2),
              "%s: only %d products", kind->list, tried);
}
