// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Every format of the catalogue written as text and as .cairn, and read back; and
/// extents of billions, which no array may be as long as.

#include "support/storage.h"
#include "support/suite_context.h"

static char folder[64], native[80], text[80], copy[80];

static void up(void)
{
    context_up();
    scratch_create(folder);
    snprintf(native, sizeof native, "%s/a.cairn", folder);
    snprintf(text, sizeof text, "%s/a.mtx", folder);
    snprintf(copy, sizeof copy, "%s/b.mtx", folder);
}

static void down(void)
{
    remove(native);
    remove(text);
    remove(copy);
    cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
    context_down();
}

TestSuite(api_files, .init = up, .fini = down, .timeout = 240);

/// The bytes of @p source as text.
static char *as_text(cairn_source *source)
{
    size_t length;

    MUST(context, cairn_source_write(source, copy));
    return scratch_read(copy, &length);
}

/// Stored, written, read: the same text again, and nothing left allocated.
static void check_round_trip(cairn_source *source,
                             const char   *want,
                             const char   *spec,
                             cairn_dtype   dtype)
{
    const int64_t blocks = live_blocks(context);
    cairn_tensor *tensor = must_store(context, source, spec, dtype);
    cairn_source *back   = NULL;
    int64_t       bytes  = 0;
    size_t        length;

    MUST(context, cairn_tensor_write(tensor, text, NULL));
    char *got = scratch_read(text, &length);

    cr_expect_str_eq(got, want, "%s as text", spec);
    free(got);
    MUST(context, cairn_tensor_write(tensor, native, &bytes));
    cairn_tensor_destroy(&tensor);
    cr_assert_eq(cairn_source_read(context, native, CAIRN_BY_NNZ, &back), CAIRN_OK,
                 "%s: %s", spec, cairn_context_message(context));
    free(scratch_read(native, &length));
    cr_expect_eq((int64_t)length, bytes, "%s", spec);
    got = as_text(back);
    cr_expect_str_eq(got, want, "%s as .cairn", spec);
    free(got);
    cairn_source_destroy(&back);
    cr_expect_eq(live_blocks(context), blocks, "%s leaves %" PRId64 " blocks", spec,
                 live_blocks(context) - blocks);
}

static void check_catalogue(cairn_source *source, cairn_dtype dtype)
{
    char *want = as_text(source);

    for (int k = 0; cairn_catalogue_name(context, k); k++) {
        char name[128], spec[160];

        snprintf(name, sizeof name, "%s", cairn_catalogue_name(context, k));
        sample_use(context, name, spec, sizeof spec);
        check_round_trip(source, want, spec, dtype);
    }
    free(want);
}

Test(api_files, the_figure_comes_back_from_every_format)
{
    cairn_source *source;

    MUST(context, cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                           figure_value, CAIRN_BY_ROWS, &source));
    check_catalogue(source, CAIRN_F64);
    check_catalogue(source, CAIRN_F32);
    cairn_source_destroy(&source);
}

Test(api_files, a_random_matrix_comes_back_from_every_format)
{
    const cairn_problem size = {.size    = sizeof(cairn_problem),
                                .rows    = 61,
                                .cols    = 83,
                                .density = 0.07,
                                .seed    = 5};
    cairn_source       *source;

    MUST(context, cairn_source_generate(context, "pruned", &size, &source));
    check_catalogue(source, CAIRN_F64);
    cairn_source_destroy(&source);
}

Test(api_files, an_empty_matrix_comes_back_from_every_format)
{
    const int64_t extent[] = {4, 0, 0, 3, 0, 0, 5, 7};

    for (int k = 0; k < 8; k += 2) {
        cairn_source *source;

        MUST(context, cairn_source_from_coords(context, 2, extent + k, 0, NULL, NULL,
                                               CAIRN_BY_NNZ, &source));
        check_catalogue(source, CAIRN_F64);
        cairn_source_destroy(&source);
    }
}

Test(api_files, a_file_that_cannot_be_written_is_refused)
{
    cairn_source *source;

    MUST(context, cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                           figure_value, CAIRN_BY_ROWS, &source));
    cairn_tensor *tensor = must_store(context, source, "csr", CAIRN_F64);
    int64_t       bytes  = -7;

    REFUSED(context, IO, "/nosuch/a.cairn",
            cairn_tensor_write(tensor, "/nosuch/a.cairn", &bytes));
    REFUSED(context, IO, "/nosuch/a.mtx",
            cairn_tensor_write(tensor, "/nosuch/a.mtx", &bytes));
    cr_expect_eq(bytes, -7);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/* Extents beyond 32 bits, entries at all ends. */
static const int64_t ends[] = {0, 0, 1, 4, 2, 3, 3, 2, 4, 1, 4, 4};

static cairn_source *huge(int64_t n)
{
    const int64_t extent[2] = {n, n}, at[] = {0, 1, n / 2, n - 2, n - 1};
    int64_t       coord[12];
    const double  value[] = {1, 2, 3, 4, 5, 6};
    cairn_source *source  = NULL;

    for (int k = 0; k < 12; k++)
        coord[k] = at[ends[k]];
    MUST(context, cairn_source_from_coords(context, 2, extent, 6, coord, value,
                                           CAIRN_BY_NNZ, &source));
    return source;
}

static void check_huge(int64_t n)
{
    static const char *const formats[] = {"coo",    "dok",       "dcsr",      "dcsc",
                                          "csf<2>", "bcoo<2,2>", "bdcsr<4,4>"};
    cairn_source            *source    = huge(n);
    char                    *want      = as_text(source);
    cairn_source_info        info      = CAIRN_SOURCE_INFO;

    MUST(context, cairn_source_describe(source, &info));
    cr_expect(info.extent[0] == n && info.extent[1] == n && info.nnz == 6);
    cr_expect(info.max_row == 2 && info.empty_rows == n - 5);
    cr_expect(info.bandwidth_lower == n - 2 && info.bandwidth_upper == n - 2);
    cairn_context_set_memory(context, 1 << 20);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        check_round_trip(source, want, formats[k], CAIRN_F64);
    free(want);
    cairn_source_destroy(&source);
}

Test(api_files, extents_of_3e9)
{
    check_huge(3000000000);
}

Test(api_files, extents_of_2_to_the_40)
{
    check_huge((int64_t)1 << 40);
}

/// Levels above one without indices are not walked.
Test(api_files, very_many_rows_of_nothing_take_no_time, .timeout = 120)
{
    static const char *const formats[] = {"dense<2>", "bcoo<2,2>", "csf<2>"};
    const int64_t            extent[2] = {(int64_t)1 << 40, 0};
    cairn_source            *source;

    MUST(context, cairn_source_from_coords(context, 2, extent, 0, NULL, NULL,
                                           CAIRN_BY_NNZ, &source));
    char *want = as_text(source);

    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        check_round_trip(source, want, formats[k], CAIRN_F64);
    free(want);
    cairn_source_destroy(&source);
}

/// Numbers that a query gives reach as far as columns do: what pads a row is counted.
Test(api_files, numbers_as_large_as_extents_come_back)
{
    cairn_source *source = huge(((int64_t)1 << 61) - 2);
    char         *want   = as_text(source);

    check_round_trip(
        source, want,
        "#encoding<{ idx_map<(d0,d1)->(slot,d0,d1)>, mutation<trim(0,2)>, "
        "indirect<{ rest = sum(value) groupBy (d0,d1)->(d0) with value eq "
        "0 -> 1 | otherwise -> 0; slot = enum(value) groupBy (d0,d1)->(d0) "
        "with value ne 0 -> rest | otherwise -> 0 }> }>",
        CAIRN_F64);
    free(want);
    cairn_source_destroy(&source);
}

Test(api_files, huge_extents_have_these_arrays)
{
    static char   arrays[512];
    cairn_source *source = huge(3000000000);
    cairn_tensor *tensor = must_store(context, source, "dcsr", CAIRN_F64);

    arrays_text(context, tensor, arrays, sizeof arrays);
    cr_expect_str_eq(arrays,
                     "idx0=[0,1,1500000000,2999999998,2999999999] ptr1=[0,1,2,3,4,6] "
                     "idx1=[0,2999999999,2999999998,1500000000,1,2999999999] "
                     "val=[1,2,3,4,5,6]");
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(api_files, arrays_as_long_as_huge_extents_are_refused)
{
    static const char *const formats[] = {
        "csr",      "csc",     "dia",      "ell",     "bcsr<2,2>",
        "csb<4,4>", "bdia<4>", "dense<2>", "sell<2>", "c2sr<2>"};
    cairn_source *source = huge((int64_t)1 << 40);

    cairn_context_set_memory(context, (int64_t)1 << 30);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        cairn_format *format = must_format(context, formats[k]);
        cairn_tensor *tensor = NULL;

        cr_expect_eq(cairn_tensor_create(source, format, CAIRN_F64, &tensor),
                     CAIRN_NO_MEMORY, "%s: %s", formats[k],
                     cairn_context_message(context));
        cr_expect(strstr(cairn_context_message(context), "limit is 1073741824"),
                  "%s: %s", formats[k], cairn_context_message(context));
        cr_expect_null(tensor);
        cairn_format_destroy(&format);
    }
    cairn_source_destroy(&source);
}

enum { FULL = 6 };

/// A CSR over rows that have an entry in each column, in the order that @p column tells,
/// as it is after writing and reading.
static cairn_tensor *read_again(const int64_t column[FULL])
{
    int64_t       ptr[FULL + 1], idx[FULL * FULL];
    double        val[FULL * FULL];
    cairn_tensor *given, *again;

    for (int p = 0; p < FULL * FULL; p++) {
        idx[p] = column[p % FULL];
        val[p] = p + 1;
    }
    for (int i = 0; i <= FULL; i++)
        ptr[i] = FULL * i;
    MUST(context, cairn_tensor_from_csr(context, FULL, FULL, 0, FULL, ptr, 64, idx, 64,
                                        val, CAIRN_F64, CAIRN_BORROW, NULL, &given));
    MUST(context, cairn_tensor_write(given, native, NULL));
    MUST(context, cairn_tensor_read(context, native, &again));
    cairn_tensor_destroy(&given);
    return again;
}

static char *tensor_text(const cairn_tensor *tensor)
{
    cairn_source *source;

    MUST(context, cairn_source_from_tensor(tensor, &source));
    char *const result = as_text(source);

    cairn_source_destroy(&source);
    return result;
}

/// Rows of borrowed arrays may be in any order, and have a column twice; so may a file's.
Test(api_files, rows_out_of_order_are_not_taken_for_ordered_ones)
{
    static const char *const formats[]       = {"bcsr<3,3>", "bcsr<2,2>", "csc", "coo",
                                                "dia",       "ell",       "csr"};
    static const int64_t     columns[][FULL] = {
            {3, 2, 1, 0, 5, 4},
            {0, 0, 1, 3, 3, 5},
            {0, 1, 2, 3, 4, 5}
    };

    cairn_context *const outer = context;

    setenv("CAIRN_KERNELS", "compiled", 1);
    MUST(outer, cairn_context_create(&context));
    unsetenv("CAIRN_KERNELS");
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        cairn_tensor *given = read_again(columns[c]);
        char *const   want  = tensor_text(given);

        for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
            cairn_format *format = must_format(context, formats[k]);
            cairn_tensor *made;

            MUST(context, cairn_tensor_convert(given, format, &made));
            char *const got = tensor_text(made);

            cr_expect_str_eq(got, want, "case %zu to %s", c, formats[k]);
            free(got);
            cairn_tensor_destroy(&made);
            cairn_format_destroy(&format);
        }
        free(want);
        cairn_tensor_destroy(&given);
    }
    cairn_context_destroy(&context);
    context = outer;
}
