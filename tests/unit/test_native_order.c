// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Native files whose checksums are right and whose entries are out of order, or there
/// twice: what is converted from them is what the reference way makes of them. Files as
/// they are written are seen to be in order, in every format: else what is read would be
/// sorted.

#include "api/api.h"
#include "support/native_file.h"
#include "support/suite_context.h"

enum { SIDE = 8, ENTRIES = 2 * SIDE };

static char folder[64], native[80];

static void up(void)
{
    setenv("CAIRN_KERNELS", "compiled", 1);
    context_up();
    unsetenv("CAIRN_KERNELS");
    scratch_create(folder);
    snprintf(native, sizeof native, "%s/a.cairn", folder);
}

static void down(void)
{
    remove(native);
    cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
    context_down();
}

TestSuite(native_order, .init = up, .fini = down, .timeout = 240);

/// Two entries in each row, four columns apart.
static cairn_source *pairs(void)
{
    const int64_t extent[] = {SIDE, SIDE};
    int64_t       coord[2 * ENTRIES];
    double        value[ENTRIES];
    cairn_source *source;

    for (int k = 0; k < ENTRIES; k++) {
        coord[2 * k]     = k / 2;
        coord[2 * k + 1] = k / 2 % 4 + k % 2 * 4;
        value[k]         = k + 1;
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, ENTRIES, coord, value,
                                           CAIRN_BY_NNZ, &source));
    return source;
}

/// Write a tensor as it is stored in a format.
static void write_as(cairn_source *source, const char *text)
{
    cairn_format *format = must_format(context, text);
    cairn_tensor *tensor;

    context->env.options.kernels =
        CAIRN_KERNELS_AUTO; /* some queries have no function */
    MUST(context, cairn_tensor_create(source, format, CAIRN_F64, &tensor));
    context->env.options.kernels = CAIRN_KERNELS_COMPILED;
    MUST(context, cairn_tensor_write(tensor, native, NULL));
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
}

static void check_seen_ordered(const char *text)
{
    cairn_tensor *tensor;

    MUST(context, cairn_tensor_read(context, native, &tensor));
    for (int m = 0; m < tensor->local->groups; m++)
        cr_expect(cairn_group_is_ordered(&tensor->local->group[m]), "%s, member %d",
                  text, m);
    cairn_tensor_destroy(&tensor);
}

static void check_formats(cairn_source *source)
{
    for (int k = 0; cairn_catalogue_name(context, k); k++) {
        char name[128], spec[160];

        snprintf(name, sizeof name, "%s", cairn_catalogue_name(context, k));
        sample_use(context, name, spec, sizeof spec);
        write_as(source, spec);
        check_seen_ordered(spec);
    }
}

Test(native_order, what_is_written_is_seen_to_be_in_order)
{
    const cairn_problem size   = {.size    = sizeof(cairn_problem),
                                  .rows    = 61,
                                  .cols    = 83,
                                  .density = 0.07,
                                  .seed    = 5};
    cairn_source       *source = pairs(), *random;

    MUST(context, cairn_source_generate(context, "pruned", &size, &random));
    check_formats(source);
    check_formats(random);
    cairn_source_destroy(&random);
    cairn_source_destroy(&source);
}

static const char *const targets[] = {"csr", "csc", "bcsr<2,2>", "coo",
                                      "dia", "ell", "sell<4>"};

/// A source as text; it is destroyed.
static char *text_of(cairn_source *source)
{
    char   path[96];
    size_t length;

    snprintf(path, sizeof path, "%s/b.mtx", folder);
    MUST(context, cairn_source_write(source, path));
    cairn_source_destroy(&source);
    char *const text = scratch_read(path, &length);

    remove(path);
    return text;
}

/// What @p given is in a format must hold what it holds.
static void check_convert(const cairn_tensor *given, const char *text, const char *what)
{
    cairn_format *format = must_format(context, text);
    cairn_source *before, *after;
    cairn_tensor *made;

    MUST(context, cairn_tensor_convert(given, format, &made));
    MUST(context, cairn_source_from_tensor(given, &before));
    MUST(context, cairn_source_from_tensor(made, &after));
    char *const want = text_of(before), *const got = text_of(after);

    cr_expect_str_eq(got, want, "%s to %s", what, text);
    free(got);
    free(want);
    cairn_tensor_destroy(&made);
    cairn_format_destroy(&format);
}

/// A row that the file lists without an entry is no row that entries begin at.
Test(native_order, a_row_without_entries_is_none)
{
    static native_file file;
    const int64_t      extent[] = {SIDE, ENTRIES};
    int64_t            coord[2 * ENTRIES];
    cairn_source      *source;
    cairn_tensor      *given;

    for (int k = 0; k < ENTRIES; k++) {
        coord[2 * k]     = k / 2;
        coord[2 * k + 1] = k;
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, ENTRIES, coord, NULL,
                                           CAIRN_BY_NNZ, &source));
    write_as(source, "dcsr");
    native_file_load(native, &file);
    /* Arrays of up to 64 bytes: rows, where they begin, columns; then values. */
    char *const    rows  = file.segment_end - ENTRIES * sizeof(double) - 3 * 64;
    int32_t *const begin = (int32_t *)(rows + 64);

    cr_assert(rows[0] == 0 && rows[1] == 1 && begin[1] == 2 && begin[2] == 4);
    rows[0]  = 5;
    begin[1] = 0;
    native_file_store(native, &file);
    MUST(context, cairn_tensor_read(context, native, &given));
    cr_expect_not(cairn_group_is_ordered(&given->local->group[0]));
    for (size_t to = 0; to < sizeof targets / sizeof *targets; to++)
        check_convert(given, targets[to], "a row without entries");
    cairn_tensor_destroy(&given);
    cairn_source_destroy(&source);
}

/// The columns of the first row's two entries.
typedef struct {
    const char *what;
    char        first, second;
} first_row;

/// Give the entries of the first row other columns. What the file ends with are an array
/// of them, a byte each and padded to 64, and that of the values.
static void change_row(const first_row *row)
{
    static native_file file;

    native_file_load(native, &file);
    char *const idx = file.segment_end - ENTRIES * sizeof(double) - 64;

    cr_assert(idx[0] == 0 && idx[SIDE] == 4, "these are not the columns");
    idx[0]    = row->first;
    idx[SIDE] = row->second;
    native_file_store(native, &file);
}

/// The place of an entry in its row is not a function of its coordinates: an entry can be
/// in two of them.
Test(native_order, entries_in_two_slots_are_one)
{
    static const first_row rows[] = {
        {"the same twice", 4, 4},
        {"descending",     4, 0}
    };
    static const char *const froms[] = {"ell", "sell<8>"};
    cairn_source            *source  = pairs();

    for (size_t k = 0; k < 4; k++) {
        const first_row *row = &rows[k % 2];
        cairn_tensor    *given;

        write_as(source, froms[k / 2]);
        change_row(row);
        MUST(context, cairn_tensor_read(context, native, &given));
        cr_expect_not(cairn_group_is_ordered(&given->local->group[0]), "%s", row->what);
        for (size_t to = 0; to < sizeof targets / sizeof *targets; to++)
            check_convert(given, targets[to], row->what);
        cairn_tensor_destroy(&given);
    }
    cairn_source_destroy(&source);
}
