// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// First use where no compiler is: the functions that products and conversions ask for of
/// the formats that `auto` chooses among, and of coordinates, come with the library.
/// Asked for are extents and entries of every matrix of the shared data, and values in
/// each type that is found for some of them. Nothing is run: programs are planned, and
/// products chosen, as for the first time. What is missing is printed, and a failure
/// unless it stands in the list below, which only gets shorter; so is what stands there
/// and is not missing.

#include "convert/build_plan.h"
#include "emit/prebuilt.h"
#include "lower/product/product_choice.h"
#include "support/conversion.h"
#include "tensor/value_types.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAPS = 1 << 16, WIDTH = 64 };

static const char *const formats[] = {"csr",       "coo",       "csc",
                                      "dcsr",      "dia",       "ell",
                                      "sell<8>",   "bdia<64>",  "sell-sigma<8,512>",
                                      "bcsr<2,2>", "bcsr<3,3>", "bcsr<4,4>"};

enum { FORMATS = sizeof formats / sizeof *formats };

/// Gaps that are known, by what is printed, as shells match names of files: values that
/// are narrower than the tensor's, in products of several columns, for all of which each
/// value is read once (CSR's of i8 and of equal values come along), and in some of those
/// with a transpose. They are left out for the library's size: without a compiler such
/// values are widened, once, and a plan's note says so.
static const char *const known[] = {
    "spmm * f64-as-*",
    "spmm * f64-all-equal *",
    "transposed * f64-as-i16 *",
    "transposed coo f64-as-f32 *",
    "transposed dcsr f64-as-f32 *",
};

enum { KNOWN = sizeof known / sizeof *known };

static struct {
    cairn_env     env;
    cairn_format *format[FORMATS], *rows, *list;
    const char   *file;
    int64_t       extent[2], entries;
    int           asked, gaps;
    char         *gap[GAPS];
    bool          met[KNOWN];
} use;

/* ---- gaps ---- */

static void note_gap(const char *text)
{
    if (use.gaps > 0 && strcmp(use.gap[use.gaps - 1], text) == 0) return;
    cr_assert_lt(use.gaps, GAPS);
    use.gap[use.gaps++] = strdup(text);
}

static bool is_known(const char *text)
{
    bool is = false;

    for (int k = 0; k < KNOWN; k++)
        if (fnmatch(known[k], text, 0) == 0) is = use.met[k] = true;
    return is;
}

static void report(void)
{
    int others = 0;

    for (int k = 0; k < use.gaps; k++) {
        const bool is = is_known(use.gap[k]);

        if (!is) printf("%s\n", use.gap[k]);
        others += !is;
        free(use.gap[k]);
    }
    printf("%d functions asked for, %d gaps, %d of them known\n", use.asked, use.gaps,
           use.gaps - others);
    cr_expect_eq(others, 0, "%d gaps that are not known", others);
    for (int k = 0; k < KNOWN; k++)
        cr_expect(use.met[k], "no gap any more: %s", known[k]);
}

static bool comes_along(const char *key)
{
    use.asked++;
    return cairn_prebuilt_find(cairn_prebuilt_table, cairn_prebuilt_count, key, WIDTH);
}

/* ---- conversions ---- */

static cairn_status
look_up(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    const char *const text = user;

    *kernel = (cairn_kernel){.route = CAIRN_ROUTE_PREBUILT};
    if (!comes_along(request->key)) note_gap(text);
    return CAIRN_OK;
}

static void forget(void *user, cairn_kernel *kernel)
{
    (void)user, (void)kernel;
}

/// @param[in] from  NULL: entries, as they are read from a file.
static void
plan(const cairn_format *from, const cairn_format *to, const char *name, int bits)
{
    char                      text[200];
    const cairn_kernel_loader loader = {.load         = look_up,
                                        .release      = forget,
                                        .user         = text,
                                        .vector_bytes = WIDTH,
                                        .threads      = 1};
    cairn_plan_sample         sample = {
                .extent = use.extent, .entries = use.entries, .value_bits = bits};

    snprintf(text, sizeof text, "convert %s %d-bits in %s", name, bits, use.file);
    for (int apart = 0; apart < 2; apart++) {
        cairn_pass_list program;

        sample.apart = apart;
        cairn_pass_list_init(&program, &use.env);
        cairn_build_plan_sample(&use.env, from, to, &sample, &loader, &program);
        cairn_pass_list_fini(&program);
    }
}

static void convert_all(int f)
{
    char name[100];

    for (int bits = 32; bits <= 64; bits += 32) {
        snprintf(name, sizeof name, "file->%s", formats[f]);
        plan(NULL, use.format[f], name, bits);
    }
    for (int bits = 8; bits <= 64; bits *= 2) {
        const struct {
            const char         *name;
            const cairn_format *format;
        } both[] = {
            {"csr", use.rows},
            {"coo", use.list}
        };

        for (int k = 0; k < 2; k++) {
            if (strcmp(both[k].name, formats[f]) == 0) continue;
            snprintf(name, sizeof name, "%s->%s", both[k].name, formats[f]);
            plan(both[k].format, use.format[f], name, bits);
            snprintf(name, sizeof name, "%s->%s", formats[f], both[k].name);
            plan(use.format[f], both[k].format, name, bits);
        }
    }
}

/* ---- products ---- */

static bool has_kernel(const cairn_layout          *layout,
                       const cairn_product_options *op,
                       bool                         first,
                       cairn_product_seen           seen)
{
    cairn_product product = cairn_product_choose(layout, op, first, false, WIDTH);
    char         *key;

    product.hints = cairn_product_hints_of(layout, &product, use.entries, op->columns,
                                           seen, 1 << 20, 32 << 20);
    cr_assert_eq(cairn_product_key(&use.env, layout, &product, &key), CAIRN_OK);
    const bool has = comes_along(key);

    cairn_free(&use.env, key);
    return has;
}

/// How a tensor's values are stored.
typedef struct {
    int              carrier_bits;
    cairn_value_kind kind;
    int              bits;
    const char      *name;
} storage;

/// One product on all members, their values stored in one way.
static void multiply(int                          f,
                     const char                  *what,
                     const cairn_product_options *op,
                     const storage               *values)
{
    const cairn_format *format = use.format[f];
    char                text[200];

    snprintf(text, sizeof text, "%s %s %s in %s", what, formats[f], values->name,
             use.file);
    for (int m = 0; m < format->members; m++) {
        cairn_layout *wide = NULL, *layout = NULL;

        if (cairn_layout_create(&use.env, format->member[m], use.extent, NULL, NULL,
                                values->carrier_bits, &wide)
            != CAIRN_OK)
            continue;
        const bool pads = wide->pads && values->kind == CAIRN_VALUE_ONE;

        cr_assert_eq(
            cairn_layout_store(&use.env, wide, values->kind, values->bits, &layout),
            CAIRN_OK);
        for (int look = 0; look < 6 && !pads; look++)
            if (!has_kernel(layout, op, m == 0,
                            (cairn_product_seen){.uneven  = look == 1,
                                                 .runs    = look == 2,
                                                 .alike   = look == 3,
                                                 .abreast = look == 4,
                                                 .beside  = look == 5}))
                note_gap(text);
        cairn_layout_destroy(&use.env, &layout);
        cairn_layout_destroy(&use.env, &wide);
    }
}

static void multiply_all(int f)
{
    static const storage values[] = {
        {64, CAIRN_VALUE_FLOAT,   64, "f64"          },
        {32, CAIRN_VALUE_FLOAT,   32, "f32"          },
        {64, CAIRN_VALUE_INTEGER, 8,  "f64-as-i8"    },
        {64, CAIRN_VALUE_INTEGER, 16, "f64-as-i16"   },
        {64, CAIRN_VALUE_FLOAT,   32, "f64-as-f32"   },
        {64, CAIRN_VALUE_ONE,     64, "f64-all-equal"},
    };
    const cairn_product_options one        = CAIRN_PRODUCT_OPTIONS;
    cairn_product_options       transposed = one, many = one;

    transposed.transposed = true;
    many.columns          = 8;
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        multiply(f, "spmv", &one, &values[v]);
        multiply(f, "transposed", &transposed, &values[v]);
        multiply(f, "spmm", &many, &values[v]);
    }
}

/* ---- matrices ---- */

static void ask(void)
{
    for (int f = 0; f < FORMATS; f++) {
        convert_all(f);
        multiply_all(f);
    }
}

Test(first_use, formats_that_are_chosen_need_no_compiler, .timeout = 900)
{
    FILE  *list = fopen(CAIRN_TEST_DATA "/matrices/manifest.tsv", "r");
    char  *line = NULL, *rest;
    size_t room = 0;

    if (!list) cr_skip_test("no test data");
    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    cairn_env_init(&use.env);
    use.env.options.kernels = CAIRN_KERNELS_COMPILED;
    use.rows                = parse_format(&use.env, "csr");
    use.list                = parse_format(&use.env, "coo");
    for (int f = 0; f < FORMATS; f++)
        use.format[f] = parse_format(&use.env, formats[f]);
    while (getline(&line, &room, list) > 0) {
        char *field[14];

        rest = line;
        for (int k = 0; k < 14; k++)
            field[k] = strsep(&rest, "\t\n");
        if (!field[13] || !strstr(field[13], ".mtx")) continue;
        *strchr(field[13], '.') = '\0';
        use.file                = field[13];
        use.extent[0]           = atol(field[2]);
        use.extent[1]           = atol(field[3]);
        use.entries             = atol(field[5]);
        ask();
    }
    report();
    cr_expect_gt(use.asked, 10000, "only %d functions", use.asked);
    for (int f = 0; f < FORMATS; f++)
        cairn_format_destroy(&use.format[f]);
    cairn_format_destroy(&use.rows);
    cairn_format_destroy(&use.list);
    free(line);
    fclose(list);
    cr_expect_eq(use.env.live_blocks, 0);
    cairn_env_fini(&use.env);
}

Test(first_use, no_gap_is_excused_twice)
{
    for (int k = 0; k < KNOWN; k++)
        for (int other = 0; other < KNOWN; other++)
            cr_expect(k == other || fnmatch(known[k], known[other], 0) != 0,
                      "%s has %s", known[k], known[other]);
}
