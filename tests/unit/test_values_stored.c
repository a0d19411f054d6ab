// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values as narrow as they are: in every format of the catalogue, for each kind of
/// values, what val(exact) and the types by name store is, widened, what the format
/// without val stores, bit for bit; through conversions both ways, files and a caller's
/// arrays.

#include "api/api.h"
#include "io/native/io_native.h"
#include "support/arrays.h"
#include "support/brutal.h"
#include "support/every_format.h"
#include "support/random_format.h"
#include "support/seed.h"
#include "support/suite_context.h"
#include "support/val_format.h"
#include "tensor/value_storage.h"
#include "tensor/value_types.h"

#include <math.h>

enum { ROWS = 40, COLS = 30, ENTRIES = 600 };

static char folder[64];

static void up(void)
{
    setenv("CAIRN_THREADS", "2", 1);
    context_up();
    scratch_create(folder);
}

static void down(void)
{
    context_down();
    cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
}

TestSuite(values_stored, .init = up, .fini = down, .timeout = 1200);

/* ---- values ---- */

static double from_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static double any_of_few(uint64_t *state)
{
    const double few[] = {0.1,
                          from_bits(UINT64_C(0x7ff8000000abcdef)),
                          from_bits(UINT64_C(0xfff0000000000123)),
                          INFINITY,
                          4.9406564584124654e-324,
                          9007199254740992.0,
                          9007199254740994.0,
                          -1e-310};

    return few[random_below(state, 8)];
}

static double drawn_fraction(uint64_t *state)
{
    return 1 + (double)(random_next(state) >> 11) / 9007199254740992.0;
}

/// A kind of values, and how val(exact) stores those of an f64 CSR.
typedef struct {
    const char *name, *stored;
    double (*draw)(uint64_t *state);
} values_kind;

static double ones(uint64_t *state)
{
    (void)state;
    return 1;
}

static double equals(uint64_t *state)
{
    (void)state;
    return 0.1;
}

static double bytes(uint64_t *state)
{
    const int value = random_below(state, 256) - 128;

    return value ? value : 1;
}

static double shorts(uint64_t *state)
{
    const int value = random_below(state, 65536) - 32768;

    return value ? value : 1;
}

static double singles(uint64_t *state)
{
    return (float)drawn_fraction(state);
}

static double nearly_bytes(uint64_t *state)
{
    return random_chance(state, 5) ? 0.5 : bytes(state);
}

/// Of f16, down to its smallest number.
static double halves(uint64_t *state)
{
    return (1 + random_below(state, 1024)) / 16777216.0;
}

static double brains(uint64_t *state)
{
    return (128 + random_below(state, 128)) * 1e0
           * (double)(1 << random_below(state, 20) << 9);
}

static const values_kind value_kinds[] = {
    {"ones",         "iso",   ones          },
    {"equal",        "iso",   equals        },
    {"bytes",        "i8",    bytes         },
    {"shorts",       "i16",   shorts        },
    {"few",          "dict8", any_of_few    },
    {"singles",      "f32",   singles       },
    {"nearly bytes", "f16",   nearly_bytes  },
    {"full",         "f64",   drawn_fraction},
    {"halves",       "f16",   halves        },
    {"brains",       "bf16",  brains        },
};

enum { KINDS = sizeof value_kinds / sizeof *value_kinds };

static cairn_source *draw(const values_kind *kind, uint64_t seed)
{
    static int64_t coord[2 * ENTRIES];
    static double  value[ENTRIES];
    uint64_t       state  = seed;
    cairn_source  *source = NULL;

    for (int k = 0; k < ENTRIES; k++) {
        const int p = 7 * k % (ROWS * COLS);

        coord[2 * k]     = p / COLS;
        coord[2 * k + 1] = p % COLS;
        value[k]         = kind->draw(&state);
    }
    MUST(context, cairn_source_from_coords(context, 2, (int64_t[]){ROWS, COLS}, ENTRIES,
                                           coord, value, CAIRN_BY_NNZ, &source));
    return source;
}

/* ---- comparing ---- */

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/// The same entries, values bit for bit, in the same places of arrays of the same lengths.
static void
same_positions(const cairn_tensor *a, const cairn_tensor *b, const char *what)
{
    cr_assert_eq(a->local->parts, b->local->parts, "%s", what);
    for (int64_t p = 0; p < a->local->parts; p++) {
        const cairn_part *x = &a->local->part[p], *y = &b->local->part[p];

        cr_assert_eq(x->nnz, y->nnz, "%s", what);
        cr_assert_eq(x->view.values, y->view.values, "%s", what);
        for (int64_t v = 0; v < x->view.values; v++)
            cr_assert(
                same_bits(cairn_value_get(&x->view, v), cairn_value_get(&y->view, v)),
                "%s: value %" PRId64 " is %a, not %a", what, v,
                cairn_value_get(&y->view, v), cairn_value_get(&x->view, v));
        for (int l = 0; l < x->view.levels; l++) {
            const cairn_kernel_level *u = &x->view.level[l], *w = &y->view.level[l];

            cr_assert_eq(u->idx_length, w->idx_length, "%s", what);
            for (int64_t k = 0; k < u->idx_length; k++)
                cr_assert_eq(
                    cairn_load_int(u->idx, k, u->idx_stride, u->idx_bits, false),
                    cairn_load_int(w->idx, k, w->idx_stride, w->idx_bits, false),
                    "%s: idx%d[%" PRId64 "]", what, l, k);
        }
    }
}

static const char *stored_as(const cairn_tensor *tensor)
{
    const cairn_kernel_part *view = &tensor->local->part[0].view;

    return cairn_value_storage_name((cairn_value_kind)view->val_kind, view->val_bits);
}

/// A tensor of a source in a format's text with val(@p type).
static cairn_status store(cairn_source  *source,
                          const char    *text,
                          const char    *type,
                          cairn_dtype    dtype,
                          cairn_tensor **tensor)
{
    static char   with[1 << 14];
    cairn_format *format = NULL;

    val_format(text, type, with, sizeof with);
    MUST(context, cairn_format_create(context, with, &format));
    cr_assert_str_eq(cairn_format_text(format), with);
    const cairn_status status = cairn_tensor_create(source, format, dtype, tensor);

    cairn_format_destroy(&format);
    return status;
}

/* ---- ways out and in ---- */

/// Converted to a format without val, and back.
static void
goes_through(cairn_tensor *narrow, cairn_tensor *wide, const char *to, const char *what)
{
    cairn_format *format = must_format(context, to);
    cairn_tensor *a = NULL, *b = NULL, *back = NULL;

    MUST(context, cairn_tensor_convert(narrow, format, &a));
    MUST(context, cairn_tensor_convert(wide, format, &b));
    same_positions(b, a, what);
    MUST(context, cairn_tensor_convert(a, narrow->format, &back));
    cr_expect_str_eq(stored_as(back), stored_as(narrow), "%s", what);
    same_positions(narrow, back, what);
    cairn_tensor_destroy(&back);
    /* And once more into a format object that has seen one. */
    MUST(context, cairn_tensor_convert(b, narrow->format, &back));
    same_positions(narrow, back, what);
    cairn_tensor_destroy(&back);
    cairn_tensor_destroy(&a);
    cairn_tensor_destroy(&b);
    cairn_format_destroy(&format);
}

/// Into a caller's arrays, as wide as the type.
static void goes_out(cairn_tensor *narrow, cairn_tensor *wide, const char *what)
{
    static int32_t   ptr[2][ROWS + 1], idx[2][2 * ENTRIES];
    static double    value[2][2 * ENTRIES]; /* of f32: half of it */
    const size_t     size = narrow->dtype == CAIRN_F32 ? sizeof(float) : sizeof(double);
    cairn_tensor    *from[2] = {narrow, wide};
    cairn_compressed out[2];

    for (int k = 0; k < 2; k++) {
        out[k]            = (cairn_compressed)CAIRN_COMPRESSED;
        out[k].ptr        = ptr[k];
        out[k].ptr_bits   = 32;
        out[k].ptr_length = ROWS + 1;
        out[k].idx        = idx[k];
        out[k].idx_bits   = 32;
        out[k].val        = value[k];
        out[k].dtype      = narrow->dtype;
        out[k].length     = 2 * ENTRIES;
        MUST(context, cairn_tensor_to_csr(from[k], &out[k]));
    }
    cr_assert_eq(out[0].entries, out[1].entries, "%s", what);
    cr_expect_arr_eq(ptr[0], ptr[1], sizeof ptr[0], "%s", what);
    cr_expect_eq(memcmp(value[0], value[1], (size_t)out[0].entries * size), 0, "%s",
                 what);
}

/// A file of it is the tensor again, and the same entries.
static void
goes_through_file(cairn_tensor *narrow, cairn_tensor *wide, const char *what)
{
    char          path[128];
    cairn_tensor *again  = NULL;
    cairn_source *source = NULL;
    char         *bytes;
    size_t        length;
    int64_t       version;

    snprintf(path, sizeof path, "%s/a.cairn", folder);
    MUST(context, cairn_tensor_write(narrow, path, NULL));
    bytes = scratch_read(path, &length);
    memcpy(&version, bytes + 8, sizeof version);
    cr_expect_eq(version,
                 strstr(stored_as(narrow), "f16")       ? 4
                 : cairn_local_is_narrow(narrow->local) ? 3
                                                        : 2,
                 "%s", what);
    free(bytes);
    MUST(context, cairn_tensor_read(context, path, &again));
    cr_expect_str_eq(stored_as(again), stored_as(narrow), "%s", what);
    cr_expect_eq(again->local->group[0].bytes, narrow->local->group[0].bytes, "%s",
                 what);
    same_positions(narrow, again, what);
    cairn_tensor_destroy(&again);
    MUST(context, cairn_source_read(context, path, CAIRN_BY_NNZ, &source));
    MUST(context, cairn_tensor_create(source, wide->format, wide->dtype, &again));
    same_positions(wide, again, what);
    cairn_tensor_destroy(&again);
    cairn_source_destroy(&source);
    cr_assert_eq(remove(path), 0);
}

static parts_seen      seen;
static cairn_part_view handed[ARRAYS_PARTS];

/// Views of it make it again.
static void goes_through_views(cairn_tensor *narrow, const char *what)
{
    static const cairn_copy_mode modes[] = {CAIRN_COPY, CAIRN_BORROW, CAIRN_TAKE};

    for (int m = 0; m < 3; m++) {
        cairn_parts_options options  = CAIRN_PARTS_OPTIONS;
        cairn_tensor       *again    = NULL;
        int                 released = 0;

        parts_get(context, narrow, &seen);
        const int64_t n = seen.n;

        parts_copy(&seen);
        parts_of_copies(&seen, handed);
        options.mode    = modes[m];
        options.release = modes[m] == CAIRN_TAKE ? parts_release : NULL;
        options.user    = &released;
        MUST(context,
             cairn_tensor_from_parts(context, narrow->format, (int64_t[]){ROWS, COLS},
                                     narrow->dtype, handed, n, &options, &again));
        cr_expect_str_eq(stored_as(again), stored_as(narrow), "%s", what);
        for (int64_t p = 0; p < n; p++)
            cr_expect_not(again->local->part[p].given, "%s: marked", what);
        same_positions(narrow, again, what);
        const int copies = seen.blocks;

        cairn_tensor_destroy(&again);
        cr_expect_eq(released, m == 2 ? copies : 0, "%s: %d of %d", what, released,
                     copies);
        if (m == 2) seen.blocks = 0;
        parts_free(&seen);
        parts_restore(context, narrow, &seen);
    }
}

static void
check(const values_kind *kind, const char *name, cairn_dtype dtype, int seed)
{
    cairn_source *source = draw(kind, (uint64_t)seed);
    cairn_tensor *wide   = must_store(context, source, name, dtype);
    cairn_tensor *narrow = NULL;
    char          what[160];

    snprintf(what, sizeof what, "%s, %s, %s", name, kind->name,
             dtype == CAIRN_F64 ? "f64" : "f32");
    MUST(context,
         store(source, cairn_format_text(wide->format), "exact", dtype, &narrow));
    same_positions(wide, narrow, what);
    if (strcmp(name, "csr") == 0 && dtype == CAIRN_F64)
        cr_expect_str_eq(stored_as(narrow), kind->stored, "%s", what);
    goes_through(narrow, wide, "coo", what);
    goes_through(narrow, wide, "csr", what);
    goes_out(narrow, wide, what);
    goes_through_file(narrow, wide, what);
    goes_through_views(narrow, what);
    cairn_tensor_destroy(&narrow);
    cairn_tensor_destroy(&wide);
    cairn_source_destroy(&source);
}

Test(values_stored, every_catalogue_format_keeps_the_bits)
{
    for (int f = 0; f < FORMATS; f++)
        for (int k = 0; k < KINDS; k++) {
            check(&value_kinds[k], formats[f], CAIRN_F64, f + 1);
            /* As f32 some of the few are zeros, which formats that pad do not keep. */
            if ((f + k) % 3 == 0 && value_kinds[k].draw != any_of_few)
                check(&value_kinds[k], formats[f], CAIRN_F32, f + 1);
        }
}

/* ---- types by name ---- */

Test(values_stored, types_by_name_hold_or_are_refused)
{
    static const struct {
        int         kind;
        const char *type, *stored; ///< NULL: refused.
        double      error;         ///< Relative, at most; 0: none is rounded.
    } cases[] = {
        {0, "iso",    "iso",    0      },
        {1, "iso",    "iso",    0      },
        {2, "iso",    NULL,     0      },
        {2, "i8",     "i8",     0      },
        {2, "i16",    "i16",    0      },
        {2, "dict8",  "dict8",  0      },
        {2, "f32",    "f32",    0      },
        {2, "f64",    "f64",    0      },
        {3, "i8",     NULL,     0      },
        {3, "i16",    "i16",    0      },
        {3, "dict8",  NULL,     0      },
        {3, "dict16", "dict16", 0      },
        {4, "i8",     NULL,     0      },
        {4, "dict8",  "dict8",  0      },
        {6, "i16",    NULL,     0      },
        {7, "dict16", "dict16", 0      },
        {7, "f32",    "f32",    0x1p-24},
        {7, "f16",    "f16",    0x1p-11},
        {7, "bf16",   "bf16",   0x1p-8 },
        {3, "f16",    "f16",    0x1p-11},
        {3, "bf16",   "bf16",   0x1p-8 },
        {2, "f16",    "f16",    0      },
        {2, "bf16",   "bf16",   0      },
        {8, "f16",    "f16",    0      },
        {8, "bf16",   "bf16",   0x1p-8 },
        {9, "bf16",   "bf16",   0      },
        {9, "f16",    NULL,     0      },
    };

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        cairn_source *source = draw(&value_kinds[cases[c].kind], c + 1);
        cairn_tensor *wide   = must_store(context, source, "csr", CAIRN_F64);
        cairn_tensor *narrow = NULL;
        char          words[32];

        snprintf(words, sizeof words, "val(%s)", cases[c].type);
        if (cases[c].stored) {
            MUST(context, store(source, cairn_format_text(wide->format), cases[c].type,
                                CAIRN_F64, &narrow));
            cr_expect_str_eq(stored_as(narrow), cases[c].stored);
            if (cases[c].error == 0) same_positions(wide, narrow, words);
            const double error = narrow->local->group[0].value_error;

            cr_expect(error <= cases[c].error && error >= cases[c].error / 4,
                      "%s: rounded by %g", words, error);
            goes_through_file(narrow, narrow, words);
            goes_through_views(narrow, words);
        } else {
            REFUSED(context, OVERFLOW, words,
                    store(source, cairn_format_text(wide->format), cases[c].type,
                          CAIRN_F64, &narrow));
        }
        cairn_tensor_destroy(&narrow);
        cairn_tensor_destroy(&wide);
        cairn_source_destroy(&source);
    }
}

/// Zeros that are stored have a sign, and are values like others.
Test(values_stored, zeros_keep_their_signs)
{
    const int64_t coord[] = {0, 0, 0, 1, 1, 0, 2, 2};
    double        value[] = {-0.0, 3, -0.0, 0};

    for (int n = 1; n <= 4; n++) {
        cairn_source *source = NULL;
        cairn_tensor *wide, *narrow = NULL;

        MUST(context, cairn_source_from_coords(context, 2, (int64_t[]){3, 3}, n, coord,
                                               value, CAIRN_BY_NNZ, &source));
        wide = must_store(context, source, "csr", CAIRN_F64);
        MUST(context, store(source, cairn_format_text(wide->format), "exact", CAIRN_F64,
                            &narrow));
        cr_expect_str_eq(stored_as(narrow), n == 1 ? "iso" : "f16");
        same_positions(wide, narrow, "zeros");
        cairn_tensor_destroy(&narrow);
        REFUSED(
            context, OVERFLOW, "val(i8)",
            store(source, cairn_format_text(wide->format), "i8", CAIRN_F64, &narrow));
        cairn_tensor_destroy(&wide);
        cairn_source_destroy(&source);
    }
}

/// Widened, a signalling NaN of an f32 is another one.
Test(values_stored, signalling_nans_of_f32_stay_wide)
{
    static const uint32_t bits[] = {0x7f800001u, 0x7f800001u, 0x7f800001u, 0x7fc00001u};
    float                 value[4];
    cairn_value_dictionary dictionary;
    cairn_value_look       look;

    memcpy(value, bits, sizeof value);
    for (int begin = 0; begin < 4; begin += 3) {
        cairn_value_dictionary_init(&dictionary, &context->env);
        cairn_value_look_begin(&look, 32, NULL, &dictionary);
        do
            cairn_value_look_at(&look, value + begin, begin == 0 ? 3 : 1);
        while (cairn_value_look_again(&look));
        const cairn_value_storage storage = cairn_value_look_narrowest(&look, 3000);

        cr_expect_eq(storage.kind, begin == 0 ? CAIRN_VALUE_FLOAT : CAIRN_VALUE_ONE);
        cr_expect_eq(storage.bits, 32);
        cairn_value_dictionary_fini(&dictionary);
    }
}

/// A small part does not pay for a dictionary.
Test(values_stored, dictionaries_count)
{
    uint64_t      state  = 5;
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;
    int64_t       coord[2 * 100];
    double        value[100];

    for (int k = 0; k < 100; k++) {
        coord[2 * k]     = k;
        coord[2 * k + 1] = k;
        value[k]         = any_of_few(&state);
    }
    MUST(context, cairn_source_from_coords(context, 2, (int64_t[]){100, 100}, 100,
                                           coord, value, CAIRN_BY_NNZ, &source));
    MUST(context, store(source, "#encoding<{ idx_map<(d0,d1)->(d0,d1)> }>", "f64",
                        CAIRN_F64, &tensor));
    cairn_tensor_destroy(&tensor);
    MUST(context,
         store(source, "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<trim(0,1)> }>",
               "exact", CAIRN_F64, &tensor));
    cr_expect_str_eq(stored_as(tensor), "f64");
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/* ---- failures ---- */

static cairn_status hand(const cairn_tensor      *like,
                         const cairn_part_view   *view,
                         const cairn_kernel_part *own,
                         cairn_dtype              dtype,
                         cairn_tensor           **made)
{
    cairn_part_view spoiled = *view;

    spoiled.arrays = own;
    return cairn_tensor_from_parts(context, like->format, (int64_t[]){ROWS, COLS},
                                   dtype, &spoiled, 1, NULL, made);
}

/// Every allocation fails in turn: a failure says that there was no memory.
Test(values_stored, memory_may_run_out)
{
    static const char *const types[] = {"i16", "f32", "dict8", "iso", "bf16"};
    static const int         kind[]  = {3, 5, 4, 1, 9};
    cairn_env *const         env     = &context->env;

    for (int k = 0; k < 5; k++) {
        cairn_source   *source = draw(&value_kinds[kind[k]], 7);
        cairn_tensor   *wide   = must_store(context, source, "csr", CAIRN_F64);
        cairn_tensor   *narrow = NULL, *again = NULL;
        char            path[128], with[512];
        cairn_part_view view = CAIRN_PART_VIEW;

        val_format(cairn_format_text(wide->format), types[k], with, sizeof with);
        cairn_format *format = must_format(context, with);

        snprintf(path, sizeof path, "%s/a.cairn", folder);
        CAIRN_BRUTAL_AND(env, cairn_tensor_convert(wide, format, &narrow), !narrow);
        cr_expect_str_eq(stored_as(narrow), types[k]);
        CAIRN_BRUTAL_AND(env, cairn_tensor_convert(narrow, wide->format, &again),
                         !again);
        same_positions(wide, again, types[k]);
        cairn_tensor_destroy(&again);
        MUST(context, cairn_tensor_write(narrow, path, NULL));
        CAIRN_BRUTAL_AND(env, cairn_tensor_read(context, path, &again), !again);
        same_positions(wide, again, types[k]);
        cairn_tensor_destroy(&again);
        MUST(context, cairn_tensor_part_get(narrow, 0, &view));
        CAIRN_BRUTAL_AND(env, hand(narrow, &view, view.arrays, CAIRN_F64, &again),
                         !again);
        same_positions(wide, again, types[k]);
        cairn_tensor_destroy(&again);
        MUST(context, cairn_tensor_part_restore(narrow, &view));
        cr_assert_eq(remove(path), 0);
        cairn_format_destroy(&format);
        cairn_tensor_destroy(&narrow);
        cairn_tensor_destroy(&wide);
        cairn_source_destroy(&source);
    }
}

/* ---- what programs see ---- */

Test(values_stored, arrays_are_listed_as_they_are_stored)
{
    cairn_source    *source = draw(&value_kinds[4], 3);
    cairn_tensor    *wide   = must_store(context, source, "csr", CAIRN_F64);
    cairn_tensor    *narrow = NULL;
    cairn_array_info info   = CAIRN_ARRAY_INFO;
    cairn_part_info *part   = NULL;
    int64_t          count, sum = 0;
    char            *text[2];

    MUST(context,
         store(source, cairn_format_text(wide->format), "exact", CAIRN_F64, &narrow));
    MUST(context, cairn_tensor_array(narrow, 0, 2, &info));
    cr_expect_str_eq(info.kind, "val");
    cr_expect_str_eq(info.stored, "dict8");
    cr_expect_eq(info.bits, 8);
    cr_expect_eq(info.bytes, ENTRIES);
    cr_expect_eq(info.error, 0);
    MUST(context, cairn_tensor_array(narrow, 0, 3, &info));
    cr_expect_str_eq(info.kind, "dict");
    cr_expect_null(info.stored);
    cr_expect_eq(info.bytes, 2048);
    cr_expect_neq(cairn_tensor_array(narrow, 0, 4, &info), CAIRN_OK);
    for (int k = 0; cairn_tensor_array(narrow, 0, k, &info) == CAIRN_OK; k++)
        sum += info.bytes;
    MUST(context, cairn_tensor_parts(narrow, &count, &part));
    cr_expect_eq(part[0].bytes, sum);
    cr_expect_eq(narrow->local->group[0].bytes, sum);
    cairn_parts_free(narrow, &part);
    MUST(context, cairn_tensor_array_text(narrow, 0, 2, &text[0]));
    MUST(context, cairn_tensor_array_text(wide, 0, 2, &text[1]));
    cr_expect_str_eq(text[0], text[1]);
    for (int k = 0; k < 2; k++)
        cairn_text_free(context, &text[k]);
    cairn_tensor_destroy(&narrow);
    cairn_tensor_destroy(&wide);
    cairn_source_destroy(&source);
}

Test(values_stored, one_value_is_printed_for_each_position)
{
    cairn_source    *source = draw(&value_kinds[1], 3);
    cairn_tensor    *wide   = must_store(context, source, "coo", CAIRN_F64);
    cairn_tensor    *narrow = NULL;
    cairn_array_info info   = CAIRN_ARRAY_INFO;
    char            *text[2];

    MUST(context,
         store(source, cairn_format_text(wide->format), "exact", CAIRN_F64, &narrow));
    MUST(context, cairn_tensor_array(narrow, 0, 2, &info));
    cr_expect_str_eq(info.stored, "iso");
    cr_expect_eq(info.length, 1);
    cr_expect_eq(info.bytes, 8);
    MUST(context, cairn_tensor_array_text(narrow, 0, 2, &text[0]));
    MUST(context, cairn_tensor_array_text(wide, 0, 2, &text[1]));
    cr_expect_str_eq(text[0], text[1]);
    for (int k = 0; k < 2; k++)
        cairn_text_free(context, &text[k]);
    cairn_tensor_destroy(&narrow);
    cairn_tensor_destroy(&wide);
    cairn_source_destroy(&source);
}

/* ---- a caller's ---- */

/// Views of a small CSR in val(dict8), to be spoiled.
static cairn_tensor *small(cairn_part_view *view, cairn_kernel_part *own)
{
    cairn_source *source = draw(&value_kinds[4], 9);
    cairn_tensor *wide   = must_store(context, source, "csr", CAIRN_F64);
    cairn_tensor *narrow = NULL;

    MUST(context,
         store(source, cairn_format_text(wide->format), "exact", CAIRN_F64, &narrow));
    *view = (cairn_part_view)CAIRN_PART_VIEW;
    MUST(context, cairn_tensor_part_get(narrow, 0, view));
    *own = *view->arrays;
    cairn_tensor_destroy(&wide);
    cairn_source_destroy(&source);
    return narrow;
}

Test(values_stored, what_a_caller_says_wrongly_is_refused)
{
    cairn_part_view   view;
    cairn_kernel_part own, bad;
    cairn_tensor     *narrow = small(&view, &own), *made = NULL;

#define WRONG(words, ...) \
    bad = own;            \
    __VA_ARGS__;          \
    REFUSED(context, BAD_ARGUMENT, words, hand(narrow, &view, &bad, CAIRN_F64, &made))

    WRONG("val_kind is 5", bad.val_kind = 5);
    WRONG("are numbers of bf16", bad.val_kind = CAIRN_VALUE_BFLOAT);
    WRONG("val_kind is -1", bad.val_kind = -1);
    WRONG("val_bits is 32", bad.val_bits = 32);
    WRONG("val_bits is 0", bad.val_bits = 0);
    WRONG("val_bits is 64", bad.val_kind = CAIRN_VALUE_INTEGER; bad.val_bits = 64);
    WRONG("dictionary is NULL", bad.dictionary = NULL);
    WRONG("there is a dictionary", bad.val_kind = CAIRN_VALUE_INTEGER);
    WRONG("dictionary is not at a multiple",
          bad.dictionary = (const char *)own.dictionary + 4);
    WRONG("val_stride is 8", bad.val_stride = 8);
    WRONG("val is NULL", bad.val = NULL);
#undef WRONG
    /* 0.1 is no f32. */
    REFUSED(context, BAD_ARGUMENT, "no f32",
            hand(narrow, &view, &own, CAIRN_F32, &made));
    cr_expect_null(made);
    MUST(context, cairn_tensor_part_restore(narrow, &view));
    cairn_tensor_destroy(&narrow);
}

/// The struct as it was before values had kinds ends where `val_kind` was padding.
Test(values_stored, older_structs_have_floats)
{
    cairn_source   *source = draw(&value_kinds[7], 9);
    cairn_tensor   *wide = must_store(context, source, "csr", CAIRN_F64), *made = NULL;
    cairn_part_view view = CAIRN_PART_VIEW;
    cairn_kernel_part own;

    MUST(context, cairn_tensor_part_get(wide, 0, &view));
    own            = *view.arrays;
    own.size       = (int64_t)offsetof(cairn_kernel_part, dictionary);
    own.val_kind   = CAIRN_VALUE_INTEGER;
    own.dictionary = &own;
    MUST(context, hand(wide, &view, &own, CAIRN_F64, &made));
    cr_expect_str_eq(stored_as(made), "f64");
    same_positions(wide, made, "older");
    cairn_tensor_destroy(&made);
    MUST(context, cairn_tensor_part_restore(wide, &view));
    cairn_tensor_destroy(&wide);
    cairn_source_destroy(&source);
}

/// Arrays are not of the type that the text says.
Test(values_stored, other_types_than_the_text_says_are_refused)
{
    cairn_part_view   view;
    cairn_kernel_part own;
    cairn_tensor     *narrow = small(&view, &own), *made = NULL;
    cairn_format     *format = NULL;
    char              with[512];

    val_format(
        "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>", "i8",
        with, sizeof with);
    format      = must_format(context, with);
    view.arrays = &own;
    REFUSED(context, BAD_ARGUMENT, "values are dict8",
            cairn_tensor_from_parts(context, format, (int64_t[]){ROWS, COLS}, CAIRN_F64,
                                    &view, 1, NULL, &made));
    cairn_format_destroy(&format);
    view.arrays = &narrow->local->part[0].view;
    MUST(context, cairn_tensor_part_restore(narrow, &view));
    cairn_tensor_destroy(&narrow);
}
