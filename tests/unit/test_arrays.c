// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays in and out: what a view of a stored tensor shows makes the same tensor again,
/// copied, borrowed or taken over, in every format of the catalogue and in random ones;
/// what the arrays must not hold is refused in words that say where it is.
///
/// ARRAYS_SEED=N runs random case N alone.

#define RANDOM_VAL 30
#include "support/arrays.h"
#include "support/crash_note.h"
#include "support/every_format.h"
#include "support/random_format.h"
#include "support/seed.h"
#include "support/suite_context.h"

#include <math.h>

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

TestSuite(arrays, .init = up, .fini = down, .timeout = 1200);

static parts_seen      seen, other;
static cairn_part_view handed[ARRAYS_PARTS];

/* ---- the same again ---- */

static const cairn_copy_mode modes[] = {CAIRN_COPY, CAIRN_BORROW, CAIRN_TAKE};

/// A tensor around the parts in `handed`.
static cairn_status make(const cairn_format *format,
                         const int64_t      *extent,
                         cairn_dtype         dtype,
                         int64_t             parts,
                         cairn_copy_mode     mode,
                         int                *released,
                         cairn_tensor      **tensor)
{
    cairn_parts_options options = CAIRN_PARTS_OPTIONS;

    options.mode    = mode;
    options.release = mode == CAIRN_TAKE ? parts_release : NULL;
    options.user    = released;
    return cairn_tensor_from_parts(context, format, extent, dtype, handed, parts,
                                   &options, tensor);
}

static bool any_given(cairn_tensor *tensor)
{
    cairn_part_info *info  = NULL;
    int64_t          count = 0;
    bool             given = false;

    MUST(context, cairn_tensor_parts(tensor, &count, &info));
    for (int64_t k = 0; k < count; k++)
        given |= info[k].given;
    cairn_parts_free(tensor, &info);
    return given;
}

static char *file_of(cairn_tensor *tensor, const char *name, size_t *length)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    MUST(context, cairn_tensor_write(tensor, path, NULL));
    char *bytes = scratch_read(path, length);

    unlink(path);
    return bytes;
}

/// The same bytes of a .cairn file.
static void same_file(cairn_tensor *a, cairn_tensor *b, const char *what)
{
    size_t length[2];
    char  *bytes[2] = {file_of(a, "a.cairn", &length[0]),
                       file_of(b, "b.cairn", &length[1])};

    cr_expect(length[0] == length[1] && memcmp(bytes[0], bytes[1], length[0]) == 0,
              "%s: other bytes in a file: %zu, not %zu", what, length[1], length[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/// y = A x; [rows]
static double *product(cairn_tensor *tensor, int64_t rows)
{
    cairn_plan *plan = NULL;
    double     *y    = calloc((size_t)rows + 1, sizeof *y);

    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    fill_ramp(plan);
    MUST(context, cairn_plan_run(plan, NULL, NULL));
    for (int64_t i = 0; i < rows; i++)
        y[i] = cairn_plan_y(plan) ? cairn_plan_y(plan)[i] : cairn_plan_y_f32(plan)[i];
    cairn_plan_destroy(&plan);
    return y;
}

/// The same product, but for the order of additions where @p close.
static void same_product(cairn_tensor *a,
                         cairn_tensor *b,
                         int64_t       rows,
                         bool          close,
                         const char   *what)
{
    double *x = product(a, rows), *y = product(b, rows);

    for (int64_t i = 0; i < rows; i++)
        cr_expect(close ? fabs(x[i] - y[i]) <= 1e-10 * (1 + fabs(x[i])) : x[i] == y[i],
                  "%s: row %" PRId64 " is %.17g, not %.17g", what, i, y[i], x[i]);
    free(x);
    free(y);
}

/// The same arrays after a conversion. @p to  NULL: to the tensor's own format.
static void
same_conversion(cairn_tensor *a, cairn_tensor *b, const char *to, const char *what)
{
    cairn_format     *format = to ? must_format(context, to) : NULL;
    cairn_tensor     *x = NULL, *y = NULL;
    static parts_seen of_x, of_y;

    MUST(context,
         cairn_tensor_convert(a, format ? format : cairn_tensor_format(a), &x));
    MUST(context,
         cairn_tensor_convert(b, format ? format : cairn_tensor_format(b), &y));
    parts_get(context, x, &of_x);
    parts_get(context, y, &of_y);
    cr_expect(parts_same(&of_x, &of_y), "%s: converted to %s they differ", what,
              to ? to : "its own format");
    cr_expect(!any_given(y), "%s: a conversion is marked", what);
    parts_restore(context, x, &of_x);
    parts_restore(context, y, &of_y);
    cairn_tensor_destroy(&x);
    cairn_tensor_destroy(&y);
    cairn_format_destroy(&format);
}

/// Views of @p tensor make it again, in mode @p mode.
static void goes_round(cairn_tensor   *tensor,
                       int             order,
                       const int64_t  *extent,
                       cairn_copy_mode mode,
                       const char     *what)
{
    cairn_tensor *again    = NULL;
    int           released = 0;

    parts_get(context, tensor, &seen);
    const int64_t n = seen.n;

    parts_copy(&seen);
    parts_of_copies(&seen, handed);
    if (mode == CAIRN_BORROW) memcpy(handed, seen.view, (size_t)n * sizeof *handed);
    const int copies = seen.blocks;

    cr_assert_eq(make(cairn_tensor_format(tensor), extent, cairn_tensor_dtype(tensor),
                      n, mode, &released, &again),
                 CAIRN_OK, "%s: %s", what, cairn_context_message(context));
    cr_expect(!any_given(again), "%s: marked", what);
    cr_expect_null(cairn_tensor_path(again));
    same_file(tensor, again, what);
    if (order == 2) same_product(tensor, again, extent[0], false, what);
    same_conversion(tensor, again, NULL, what);
    if (order == 2) {
        same_conversion(tensor, again, "csr", what);
        same_conversion(tensor, again, "coo", what);
        same_conversion(tensor, again, "sell<4>", what);
    }
    cairn_tensor_destroy(&again);
    cr_expect_eq(released, mode == CAIRN_TAKE ? copies : 0, "%s: %d of %d released",
                 what, released, copies);
    if (mode == CAIRN_TAKE) seen.blocks = 0;
    parts_free(&seen);
    parts_restore(context, tensor, &seen);
}

/// Every (7*k mod positions) for k below @p draws.
static cairn_source *matrix(int rows, int cols, int draws)
{
    const int64_t extent[2] = {rows, cols};
    int64_t       coord[2 * 256];
    double        value[256];
    cairn_source *source = NULL;

    for (int k = 0; k < draws; k++) {
        const int p = 7 * k % (rows * cols);

        coord[2 * k]     = p / cols;
        coord[2 * k + 1] = p % cols;
        value[k]         = 1 + k / 8.0;
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, draws, coord, value,
                                           CAIRN_BY_NNZ, &source));
    return source;
}

Test(arrays, every_catalogue_format_comes_back)
{
    static const int shape[][3] = {
        {5,  4,  9  },
        {0,  6,  0  },
        {6,  0,  0  },
        {4,  3,  0  },
        {1,  17, 8  },
        {40, 3,  33 },
        {12, 12, 90 },
        {31, 29, 220},
    };

    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
        const int64_t extent[2] = {shape[s][0], shape[s][1]};
        cairn_source *source    = matrix(shape[s][0], shape[s][1], shape[s][2]);

        for (int f = 0; f < FORMATS; f++)
            for (int k = 0; k < 3; k++) {
                const cairn_dtype dtype = (f + k) % 3 ? CAIRN_F64 : CAIRN_F32;
                cairn_tensor *tensor = must_store(context, source, formats[f], dtype);
                char          what[128];

                snprintf(what, sizeof what, "%s, %dx%d, mode %d", formats[f],
                         shape[s][0], shape[s][1], k);
                goes_round(tensor, 2, extent, modes[k], what);
                cairn_tensor_destroy(&tensor);
            }
        cairn_source_destroy(&source);
    }
}

/// Ranges of queries' numbers that nobody told follow from the levels.
Test(arrays, ranges_of_numbers_are_found)
{
    cairn_source *source = matrix(31, 29, 220);

    for (int f = 0; f < FORMATS; f++) {
        cairn_tensor *tensor = must_store(context, source, formats[f], CAIRN_F64);
        cairn_tensor *again  = NULL;

        parts_get(context, tensor, &seen);
        memcpy(handed, seen.view, (size_t)seen.n * sizeof *handed);
        for (int64_t p = 0; p < seen.n; p++) {
            handed[p].span    = NULL;
            handed[p].queries = 0;
            handed[p].nnz     = -1;
        }
        cr_assert_eq(make(cairn_tensor_format(tensor), (int64_t[]){31, 29}, CAIRN_F64,
                          seen.n, CAIRN_COPY, NULL, &again),
                     CAIRN_OK, "%s: %s", formats[f], cairn_context_message(context));
        parts_get(context, again, &other);
        cr_expect(parts_same(&seen, &other), "%s", formats[f]);
        cr_expect(!any_given(again), "%s", formats[f]);
        parts_restore(context, again, &other);
        parts_restore(context, tensor, &seen);
        cairn_tensor_destroy(&again);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

/* ---- random formats ---- */

/// Draw a tensor. @return its source.
static cairn_source *draw(uint64_t *state, int *order, int64_t *extent)
{
    static int64_t coord[4 * 200];
    static double  value[200];
    cairn_source  *source  = NULL;
    int            density = random_below(state, 101), n = 0, positions;
    const int different = random_chance(state, 50) ? 1000 : 1 + random_below(state, 9);

    *order = random_chance(state, 5) ? 1 : 2 + random_below(state, 3);
    do {
        positions = 1;
        for (int k = 0; k < *order; k++) {
            extent[k] = 1 + random_below(state, *order <= 2 ? 20 : 8);
            positions *= (int)extent[k];
        }
    } while (positions > 200);
    for (int q = 0; q < positions; q++) {
        int rest = q;

        if (!random_chance(state, density)) continue;
        for (int k = *order - 1; k >= 0; k--) {
            coord[n * *order + k] = rest % extent[k];
            rest /= (int)extent[k];
        }
        value[n++] = 1 + random_below(state, different) / 8.0;
    }
    MUST(context, cairn_source_from_coords(context, *order, extent, n, coord, value,
                                           CAIRN_BY_NNZ, &source));
    return source;
}

static bool random_case(uint64_t seed)
{
    static char   text[RANDOM_FORMAT];
    uint64_t      state = seed;
    int           order;
    int64_t       extent[4];
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    cairn_source *source = draw(&state, &order, extent);
    char          what[96];

    crash_note("seed %llu", (unsigned long long)seed);
    snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
    random_format(&state, order, text, sizeof text);
    if (getenv("ARRAYS_SEED")) printf("%s\n", text);
    const bool made = cairn_format_create(context, text, &format) == CAIRN_OK
                      && cairn_tensor_create(source, format,
                                             seed % 4 ? CAIRN_F64 : CAIRN_F32, &tensor)
                             == CAIRN_OK;
    cairn_part_info *info  = NULL;
    int64_t          count = 0;
    cairn_status     told  = CAIRN_OK;

    if (made) told = cairn_tensor_parts(tensor, &count, &info);
    /* A tensor of a million banks may fit where the list of them does not. */
    if (told != CAIRN_NO_MEMORY) MUST(context, told);
    const bool few = made && told == CAIRN_OK && count < ARRAYS_PARTS;

    if (info) cairn_parts_free(tensor, &info);
    if (few) goes_round(tensor, order, extent, modes[seed % 3], what);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return few;
}

Test(arrays, random_formats_come_back, .timeout = 3600)
{
    const char *given = getenv("ARRAYS_SEED");
    uint64_t    seed  = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    const int   cases = given ? 1 : seed_cases(250);
    int         ran   = 0;

    printf("first seed %llu\n", (unsigned long long)seed);
    MUST(context, cairn_context_set_memory(context, (int64_t)1 << 28));
    for (int k = 0; k < 4 * cases && ran < cases; k++) {
        ran += random_case(seed + (uint64_t)k);
        if (given) break;
    }
    cr_expect(given || ran >= cases, "only %d of %d cases ran", ran, cases);
}

/* ---- what is refused ---- */

/// The matrix of docs/formats.md in a format, and copies of its arrays, to be changed.
static cairn_tensor *figure(const char *format)
{
    static const int64_t coord[] = {0, 0, 1, 1, 2, 1, 2, 2, 2, 3, 4, 3};
    static const double  value[] = {1, 2, 3, 4, 5, 6};
    cairn_source        *source  = NULL;

    MUST(context, cairn_source_from_coords(context, 2, (int64_t[]){5, 4}, 6, coord,
                                           value, CAIRN_BY_NNZ, &source));
    cairn_tensor *tensor = must_store(context, source, format, CAIRN_F64);

    cairn_source_destroy(&source);
    parts_get(context, tensor, &seen);
    parts_copy(&seen);
    parts_of_copies(&seen, handed);
    for (int64_t p = 0; p < seen.n; p++)
        handed[p].nnz = -1;
    return tensor;
}

static void figure_end(cairn_tensor *tensor)
{
    parts_free(&seen);
    parts_restore(context, tensor, &seen);
    cairn_tensor_destroy(&tensor);
}

/// Element @p at of an array becomes @p value.
typedef struct {
    const char *format;
    int         part, level;
    char        array; ///< 'p', 'i', 'v'
    int         at;
    double      value;
    const char *told;
} one_wrong;

static void put(void *data, int64_t at, int64_t stride, int bits, int64_t value)
{
    memcpy((char *)data + at * stride, &value, (size_t)bits / 8); /* little-endian */
}

static void spoil(const one_wrong *c)
{
    cairn_kernel_part  *own   = &seen.own[c->part];
    cairn_kernel_level *level = &own->level[c->level];

    if (c->array == 'p')
        put((void *)(uintptr_t)level->ptr, c->at, level->ptr_bits / 8, level->ptr_bits,
            (int64_t)c->value);
    else if (c->array == 'i')
        put((void *)(uintptr_t)level->idx, c->at, level->idx_stride, level->idx_bits,
            (int64_t)c->value);
    else
        memcpy((char *)own->val + c->at / own->val_block * own->val_stride
                   + c->at % own->val_block * 8,
               &c->value, 8);
}

static const one_wrong wrongs[] = {
  /* csr: ptr1=[0,1,2,5,5,6] idx1=[0,1,1,2,3,3] */
    {"csr",                 0, 1, 'p', 0,  1,    "member 0: level 1: ptr[0]: 1, not 0"            },
    {"csr",                 0, 1, 'p', 2,  0,
     "member 0: level 1: ptr[2]: 0 is less than the one before, 1"                                },
    {"csr",                 0, 1, 'p', 5,  7,    "member 0: level 1: ptr[5]: 7 is not where the"  },
    {"csr",                 0, 1, 'p', 3,  1000,
     "member 0: level 1: ptr[4]: 5 is less than the one before, 1000"                             },
    {"csr",                 0, 1, 'i', 5,  4,    "member 0: level 1: idx[5]: 4 is not within 0..3"},
    {"csr",                 0, 1, 'i', 5,  255,  "member 0: level 1: idx[5]: 255 is not within"   },
    {"csr",                 0, 1, 'i', 3,  0,
     "member 0: level 1: idx[3]: 0 does not ascend from the one before, 1"                        },
    {"csr",                 0, 1, 'i', 3,  1,    "member 0: level 1: idx[3]: 1 is there twice"    },
    {"coo",                 0, 0, 'i', 5,  1,    "member 0: level 0: idx[5]: 1 does not ascend"   },
    {"coo",                 0, 1, 'i', 3,  1,    "member 0: level 1: idx[3]: 1 is there twice"    },
    {"dcsr",                0, 0, 'i', 2,  1,    "member 0: level 0: idx[2]: 1 is there twice"    },
    {"dok",                 0, 1, 'i', 4,  0,    "member 0: level 1: idx[4]: 0 does not ascend"   },
    {"lil",                 0, 1, 'i', 4,  9,    "member 0: level 1: idx[4]: 9 is not within"     },
 /* dia: val=[0,0,3,0,6 / 1,2,4,0,0 / 0,0,5,0,0], overhang in its corners */
    {"dia",                 0, 0, 'i', 0,  -9,   "member 0: level 0: idx[0]: -9 is not within"    },
    {"dia",                 0, 1, 'v', 0,  7,    "member 0: val[0]: 7 where there is no"          },
    {"dia",                 0, 1, 'v', 14, 7,    "member 0: val[14]: 7 where there is no"         },
    {"bcsr<2,2>",           0, 1, 'v', 14, 7,    "member 0: val[14]: 7 where there is no"         },
    {"bcsr<2,2>",           0, 1, 'i', 1,  1,    "member 0: level 1: idx[2]: 1 is there twice"    },
    {"csb<2,2>",            0, 2, 'i', 5,  1,    "member 0: level 3: node[5]: its coordinates"    },
    {"c2sr<2>",             0, 2, 'i', 1,  5,    "member 0: bank 0: level 2: idx[1]: 5 is not"    },
    {"c2sr<2>",             1, 2, 'p', 3,  0,    "member 0: bank 1: level 2: ptr[3]: 0 is less"   },
 /* ell: slots of 5 rows; row 2 is columns 1, 2, 3 */
    {"ell",                 0, 2, 'i', 7,  1,
     "member 0: val[7]: its coordinates, (2, 1), are stored twice"                                },
    {"ell",                 0, 2, 'i', 2,  5,    "member 0: level 2: idx[2]: 5 is not within"     },
    {"ell",                 0, 2, 'i', 2,  4,    "member 0: val[2]: 3 where there is no"          },
 /* sell<2>: the last lane hangs over */
    {"sell<2>",             0, 3, 'v', 9,  1,    "member 0: val[9]: 1 where there is no"          },
    {"serpens<2,4,2>",      0, 3, 'v', 6,  1,    "member 0: val[6]: 1 where there is no"          },
 /* bdia takes (0,0), (1,1), (2,2); csr (2,1), (2,3), (4,3) */
    {"hybrid<bdia<3>,csr>", 1, 1, 'i', 0,  2,
     "member 1: val[0]: its coordinates, (2, 2), are stored twice"                                },
    {"hybrid<bdia<3>,csr>", 1, 1, 'i', 1,  9,
     "member 1: level 1: idx[1]: 9 is not within"                                                 },
    {"cisr<2>",             1, 1, 'i', 0,  2,    "member 0: bank 1: val[0]: its coordinates"      },
};

Test(arrays, what_does_not_hold_is_refused_where_it_is)
{
    for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; k++) {
        const one_wrong *c      = &wrongs[k];
        cairn_tensor    *tensor = figure(c->format);
        cairn_tensor    *none   = NULL;
        const int64_t    held   = live_blocks(context);
        int              freed  = 0;

        spoil(c);
        for (int m = 0; m < 3; m++) {
            const cairn_status got =
                make(cairn_tensor_format(tensor), (int64_t[]){5, 4}, CAIRN_F64, seen.n,
                     modes[m], &freed, &none);
            const char *told = cairn_context_message(context);

            cr_expect_eq(got, CAIRN_BAD_ARGUMENT, "%s, case %zu: %s", c->format, k,
                         told);
            cr_expect(strstr(told, c->told), "%s: no '%s' in '%s'", c->format, c->told,
                      told);
            cr_expect_null(none);
            cr_expect_eq(freed, 0, "arrays of a failure were released");
        }
        cr_expect_eq(live_blocks(context), held, "%s, case %zu leaves blocks",
                     c->format, k);
        figure_end(tensor);
    }
}

/// Structs that are not what the format says.
Test(arrays, structs_are_refused_by_name)
{
    cairn_tensor *tensor = figure("csr"), *none = NULL;
    const int64_t extent[] = {5, 4};

#define WRONG(words, ...)                                                           \
    do {                                                                            \
        const cairn_kernel_part own  = seen.own[0];                                 \
        const cairn_part_view   view = handed[0];                                   \
                                                                                    \
        __VA_ARGS__;                                                                \
        REFUSED(context, BAD_ARGUMENT, words,                                       \
                make(cairn_tensor_format(tensor), extent, CAIRN_F64, 1, CAIRN_COPY, \
                     NULL, &none));                                                 \
        seen.own[0] = own;                                                          \
        handed[0]   = view;                                                         \
    } while (0)

    WRONG("part->size: is 3: set it to sizeof(cairn_part_view)", handed[0].size = 3);
    WRONG("arrays->size: is 7: set it to sizeof(cairn_kernel_part)",
          seen.own[0].size = 7);
    WRONG("arrays: is NULL", handed[0].arrays = NULL);
    WRONG("the format has no member 1", handed[0].member = 1);
    WRONG("order 3 and 2 levels", seen.own[0].order = 3);
    WRONG("it holds 6 entries, not 5", handed[0].nnz = 5);
    WRONG("nnz: is -2", handed[0].nnz = -2);
    WRONG("level 1: ptr is NULL", seen.own[0].level[1].ptr = NULL);
    WRONG("level 1: idx is NULL", seen.own[0].level[1].idx = NULL);
    WRONG("val is NULL", seen.own[0].val = NULL);
    WRONG("level 0: there is a ptr", seen.own[0].level[0].ptr = extent);
    WRONG("level 0: its range is 7 from 0 on", seen.own[0].level[0].size = 7);
    WRONG("level 0: its range is 0 from 2 on", seen.own[0].level[0].lo = 2,
          seen.own[0].level[0].size = 0);
    WRONG("level 1: its range is 3 from 0 on, but the format says 4 from 0",
          seen.own[0].level[1].size = 3);
    WRONG("level 1: its range is 4 from 1 on", seen.own[0].level[1].lo = 1);
    WRONG("level 1: its range is 0 from 1 on", seen.own[0].level[1].lo = 1,
          seen.own[0].level[1].size = 0);
    WRONG("level 1: ptr_length is 9", seen.own[0].level[1].ptr_length = 9);
    WRONG("level 1: idx_stride is 16", seen.own[0].level[1].idx_stride = 16);
    WRONG("level 1: ptr_bits is 7", seen.own[0].level[1].ptr_bits = 7);
    WRONG("level 1: there cannot be -4", seen.own[0].level[1].nodes = -4);
    WRONG("level 1: ptr[5]: 6 is not where the level's 5",
          seen.own[0].level[1].nodes      = 5,
          seen.own[0].level[1].idx_length = seen.own[0].values = 0);
    WRONG("val_stride is 8", seen.own[0].val_bits = 32);
    WRONG("values is 5", seen.own[0].values = 5);
    WRONG("no part is given for bank 0", seen.own[0].bank = 1);
    WRONG("val is not at a multiple of 8",
          seen.own[0].val = (char *)seen.own[0].val + 1);
#undef WRONG
    REFUSED(context, BAD_ARGUMENT, "member 0: no part is given",
            make(cairn_tensor_format(tensor), extent, CAIRN_F64, 0, CAIRN_COPY, NULL,
                 &none));
    handed[1] = handed[0];
    REFUSED(context, BAD_ARGUMENT, "parts: is 2, but the format has 1 here",
            make(cairn_tensor_format(tensor), extent, CAIRN_F64, 2, CAIRN_COPY, NULL,
                 &none));
    cr_expect_null(none);
    figure_end(tensor);
}

/* ---- what only the numbers of queries decide ---- */

/// Two elements of an array trade places.
static void swap(void *data, int64_t a, int64_t b, size_t width)
{
    char *x = (char *)data + (size_t)a * width, *y = (char *)data + (size_t)b * width;
    char  kept[8];

    memcpy(kept, x, width);
    memcpy(x, y, width);
    memcpy(y, kept, width);
}

/// A tensor as a file gives it back.
static cairn_tensor *through_file(cairn_tensor *tensor)
{
    cairn_tensor *back = NULL;
    char          path[128];

    snprintf(path, sizeof path, "%s/given.cairn", folder);
    MUST(context, cairn_tensor_write(tensor, path, NULL));
    MUST(context, cairn_tensor_read(context, path, &back));
    unlink(path);
    return back;
}

/// The changed copies are taken, marked, multiplied and converted like the tensor; its
/// own format is stored anew, as the tensor has it.
static void is_marked(cairn_tensor *tensor, const char *what)
{
    cairn_tensor *given = NULL;

    cr_assert_eq(make(cairn_tensor_format(tensor), (int64_t[]){5, 4}, CAIRN_F64, seen.n,
                      CAIRN_BORROW, NULL, &given),
                 CAIRN_OK, "%s: %s", what, cairn_context_message(context));
    cr_expect(any_given(given), "%s: not marked", what);
    parts_get(context, given, &other);
    cr_expect(!parts_same(&seen, &other), "%s: nothing was changed", what);
    parts_restore(context, given, &other);
    same_product(tensor, given, 5, true, what);
    same_conversion(tensor, given, NULL, what);
    for (int f = 0; f < FORMATS; f++)
        same_conversion(tensor, given, formats[f], what);
    /* Conversions of what comes from a file store values as narrow as they are. */
    cairn_tensor *kept = through_file(tensor), *back = through_file(given);

    same_conversion(kept, back, NULL, what);
    same_conversion(kept, back, "csr", what);
    cairn_tensor_destroy(&kept);
    cairn_tensor_destroy(&back);
    cairn_tensor_destroy(&given);
}

Test(arrays, slots_in_another_order_are_marked)
{
    cairn_tensor *tensor = figure("ell");

    /* Row 2: slots 0 and 2. */
    swap((void *)(uintptr_t)seen.own[0].level[2].idx, 2, 12,
         seen.own[0].level[2].idx_bits / 8);
    swap(seen.own[0].val, 2, 12, 8);
    is_marked(tensor, "ell");
    figure_end(tensor);
}

Test(arrays, rows_in_another_order_are_marked)
{
    cairn_tensor *tensor = figure("sell-sigma<2,4>");
    const size_t  width  = seen.own[0].level[4].idx_bits / 8;

    /* Places 0 and 1, rows 2 and 0, with their lanes in three slots. */
    swap((void *)(uintptr_t)seen.own[0].level[3].idx, 0, 1,
         seen.own[0].level[3].idx_bits / 8);
    for (int slot = 0; slot < 3; slot++) {
        swap((void *)(uintptr_t)seen.own[0].level[4].idx, 2 * slot, 2 * slot + 1,
             width);
        swap(seen.own[0].val, 2 * slot, 2 * slot + 1, 8);
    }
    is_marked(tensor, "sell-sigma");
    figure_end(tensor);
}

Test(arrays, banks_that_are_changed_are_marked)
{
    cairn_tensor *tensor = figure("cisr<2>");

    handed[0].arrays = &seen.own[1];
    handed[1].arrays = &seen.own[0];
    seen.own[0].bank = 1;
    seen.own[1].bank = 0;
    is_marked(tensor, "cisr");
    figure_end(tensor);
}

/// What the hybrid's rule would store in the first member stands in the second.
Test(arrays, another_choice_of_members_is_marked)
{
    cairn_tensor *tensor = figure("hybrid<bdia<3>,csr>");

    parts_free(&seen);
    parts_restore(context, tensor, &seen);
    cairn_tensor *csr = figure("csr"); /* its arrays are seen now */

    parts_restore(context, csr, &seen);
    cairn_kernel_part whole = seen.own[0];

    parts_get(context, tensor, &other);
    handed[0]        = other.view[0];
    handed[1]        = other.view[1];
    seen.own[0]      = *other.view[0].arrays;
    seen.own[1]      = whole;
    handed[0].arrays = &seen.own[0];
    handed[1].arrays = &seen.own[1];
    handed[0].nnz = handed[1].nnz = -1;
    cairn_kernel_level  *diagonal = &seen.own[0].level[1];
    static const int32_t none[3];

    diagonal->nodes = diagonal->idx_length = seen.own[0].values = 0;
    diagonal->ptr                                               = none;
    seen.view[0]                                                = other.view[0];
    seen.view[1]                                                = other.view[1];
    seen.n                                                      = 2;
    is_marked(tensor, "hybrid");
    figure_end(tensor);
    cairn_tensor_destroy(&csr);
}

/// A row is listed that has no entries.
Test(arrays, nodes_without_children_are_marked)
{
    static const uint32_t ptr[]    = {0, 1, 2, 5, 5, 6};
    static const uint8_t  narrow[] = {0, 1, 2, 3, 4};
    cairn_tensor         *tensor   = figure("dcsr");
    cairn_kernel_part    *own      = &seen.own[0];

    own->level[0].idx   = narrow;
    own->level[0].nodes = own->level[0].idx_length = 5;
    own->level[1].ptr                              = ptr;
    own->level[1].ptr_length                       = 6;
    is_marked(tensor, "dcsr");
    figure_end(tensor);
}

/// Widths of the caller's own become the format's.
Test(arrays, other_widths_become_bits)
{
    static const int64_t  ptr[]  = {0, 1, 2, 5, 5, 6};
    static const uint16_t idx[]  = {0, 1, 1, 2, 3, 3};
    static const double   val[]  = {1, 2, 3, 4, 5, 6};
    cairn_kernel_part     arrays = {
            .size   = sizeof arrays,
            .order  = 2,
            .levels = 2,
            .level  = {{0},
                       {.nodes = 6, .ptr = ptr, .idx = idx, .ptr_bits = 64, .idx_bits = 16}},
            .val    = (void *)(uintptr_t)val
    };
    cairn_part_view     view   = CAIRN_PART_VIEW;
    cairn_format       *csr    = must_format(context, "csr");
    cairn_tensor       *tensor = NULL, *plain = figure("csr");
    cairn_part_view     out     = CAIRN_PART_VIEW;
    cairn_parts_options options = CAIRN_PARTS_OPTIONS;

    view.arrays  = &arrays;
    options.mode = CAIRN_BORROW;
    MUST(context, cairn_tensor_from_parts(context, csr, (int64_t[]){5, 4}, CAIRN_F64,
                                          &view, 1, &options, &tensor));
    MUST(context, cairn_tensor_part_get(tensor, 0, &out));
    cr_expect_eq((const void *)out.arrays->level[1].ptr, (const void *)ptr);
    cr_expect_eq((const void *)out.arrays->level[1].idx, (const void *)idx);
    cr_expect_eq(out.arrays->val, (const void *)val);
    cr_expect_eq(out.arrays->level[1].ptr_bits, 64);
    MUST(context, cairn_tensor_part_restore(tensor, &out));
    cr_expect(strstr(cairn_format_text(cairn_tensor_format(tensor)), "bits<"));
    same_product(plain, tensor, 5, false, "widths");
    same_conversion(plain, tensor, "csr", "widths");
    cairn_tensor_destroy(&tensor);
    figure_end(plain);
    cairn_format_destroy(&csr);
}

/* ---- views ---- */

Test(arrays, views_keep_what_they_show)
{
    static const int32_t ptr[] = {0, 1, 2}, idx[] = {0, 1};
    static const double  val[] = {1, 2}, new[] = {3, 4};
    cairn_format        *csr    = must_format(context, "csr");
    cairn_tensor        *tensor = NULL;
    cairn_part_view      view = CAIRN_PART_VIEW, twice = CAIRN_PART_VIEW;

    MUST(context, cairn_tensor_from_csr(context, 2, 2, 0, 2, ptr, 32, idx, 32, val,
                                        CAIRN_F64, CAIRN_COPY, csr, &tensor));
    MUST(context, cairn_tensor_part_get(tensor, 0, &view));
    MUST(context, cairn_tensor_part_get(tensor, 0, &twice));
    cr_expect_eq(view.arrays, twice.arrays, "a view is a copy");
    cr_expect_eq(view.arrays->size, (int64_t)sizeof(cairn_kernel_part));
    cr_expect_eq(view.nnz, 2);
    REFUSED(context, BAD_ARGUMENT, "update: the tensor's arrays are looked at: 2 view",
            cairn_tensor_update(tensor, new));
    cairn_tensor_destroy(&tensor);
    cr_assert_not_null(tensor, "a tensor whose arrays are looked at was destroyed");
    cr_expect(strstr(cairn_context_message(context), "destroy: the tensor's arrays"));
    MUST(context, cairn_tensor_part_restore(tensor, &view));
    REFUSED(context, BAD_ARGUMENT, "view->arrays: is NULL",
            cairn_tensor_part_restore(tensor, &view));
    REFUSED(context, BAD_ARGUMENT, "looked at: 1 view",
            cairn_tensor_update(tensor, new));
    cr_expect_eq(((const double *)twice.arrays->val)[0], 1);
    MUST(context, cairn_tensor_part_restore(tensor, &twice));
    MUST(context, cairn_tensor_update(tensor, new));
    REFUSED(context, BAD_ARGUMENT, "part: 1 is more than 0",
            cairn_tensor_part_get(tensor, 1, &view));
    view.size = 1;
    REFUSED(context, BAD_ARGUMENT, "view->size: is 1: set it to",
            cairn_tensor_part_get(tensor, 0, &view));
    cairn_tensor_destroy(&tensor);
    cr_expect_null(tensor);
    cairn_format_destroy(&csr);
}

/// Borrowed arrays without any element still have their checksum in a file.
Test(arrays, empty_borrowed_arrays_are_written)
{
    static const int32_t ptr[]  = {0, 0, 0};
    cairn_tensor        *tensor = NULL, *back = NULL;
    char                 path[128];

    snprintf(path, sizeof path, "%s/empty.cairn", folder);
    MUST(context, cairn_tensor_from_csr(context, 2, 2, 0, 2, ptr, 32, NULL, 32, NULL,
                                        CAIRN_F64, CAIRN_BORROW, NULL, &tensor));
    MUST(context, cairn_tensor_write(tensor, path, NULL));
    MUST(context, cairn_tensor_read(context, path, &back));
    unlink(path);
    cairn_tensor_destroy(&back);
    cairn_tensor_destroy(&tensor);
}
