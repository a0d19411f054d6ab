// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files of blocks of rows and columns that say of themselves what is not so, with checksums
/// that are right: entries of another block's columns, places with other rows than their
/// blocks', row parts of unequal blocks. Any number of ranks refuses them in one line, as
/// entries and as a tensor.

#include "distributed.h"
#include "io/native/io_native_segment.h"
#include "native_file.h"

TestSuite(forged_blocks, .init = up, .fini = down, .timeout = 800);

enum { HALF = SIDE / 2 };

static native_file file;

/// Segment @p s of the file in memory, described. Close with cairn_native_segment_close().
static void open_segment(int64_t s, cairn_native_segment *segment)
{
    const cairn_native_row   row   = native_file_row(&file, s);
    const cairn_native_bytes bytes = {.name   = "forged",
                                      .memory = file.bytes + row.offset,
                                      .fd     = -1,
                                      .length = row.length};

    cr_assert_eq(cairn_native_segment_open(&env, &bytes, segment), CAIRN_OK, "%s",
                 env.message);
}

/// The first array of a kind of a segment of one part.
static char *find_array(int64_t s, int kind, cairn_array *found)
{
    cairn_array          array[CAIRN_MAX_ARRAYS];
    int64_t              at[CAIRN_MAX_ARRAYS + 1];
    cairn_native_segment segment;
    int                  k = 0;

    open_segment(s, &segment);
    const int arrays = cairn_native_part_arrays(&segment, 0, array, at);

    while (k < arrays && (int)array[k].kind != kind)
        k++;
    cr_assert_lt(k, arrays);
    *found = array[k];
    cairn_native_segment_close(&segment);
    return file.bytes + native_file_row(&file, s).offset + at[k];
}

static int64_t number_at(const char *array, int bits, int64_t k)
{
    uint64_t number = 0;

    memcpy(&number, array + k * bits / 8, (size_t)bits / 8);
    return (int64_t)number;
}

/// CSR: an entry at the end of its row that is the other block's.
static void forge_column(int64_t s)
{
    cairn_array       ptr, idx;
    const char *const begin = find_array(s, CAIRN_ARRAY_PTR, &ptr);
    char *const       index = find_array(s, CAIRN_ARRAY_IDX, &idx);
    int64_t           row   = 0;

    cr_assert_eq(idx.bits, 8);
    while (number_at(begin, ptr.bits, row) == number_at(begin, ptr.bits, row + 1))
        row++;
    if (s % 2 == 0)
        index[number_at(begin, ptr.bits, row + 1) - 1] = SIDE - 1;
    else
        index[number_at(begin, ptr.bits, row)] = 0;
}

/// All values: one moves to the other block's columns.
static void forge_value(int64_t s)
{
    cairn_array   val;
    double *const value = (double *)(void *)find_array(s, CAIRN_ARRAY_VAL, &val);
    int64_t       k     = 0;

    cr_assert_eq(val.bits, 64);
    while (value[k] == 0)
        k++;
    value[k - k % SIDE + (s % 2 == 0 ? SIDE - 1 : 0)] = value[k];
    value[k]                                          = 0;
}

/// The user's rows of a segment's places.
static char *rows_of(int64_t s, int64_t rows)
{
    const cairn_native_row row = native_file_row(&file, s);

    return file.bytes + row.offset + row.length - cairn_native_padded(rows * 8);
}

/// Of two row parts the last row of one and the first of the other change their places.
static void forge_rows(int64_t s)
{
    int64_t rows[2], last, first;

    (void)s;
    for (int k = 0; k < 2; k++) {
        cairn_native_segment segment;

        open_segment(k, &segment);
        rows[k] = cairn_interval_size(segment.tensor->box[0]);
        cairn_native_segment_close(&segment);
    }
    char *const end = rows_of(0, rows[0]) + 8 * (rows[0] - 1);

    memcpy(&last, end, 8);
    memcpy(&first, rows_of(1, rows[1]), 8);
    memcpy(end, &first, 8);
    memcpy(rows_of(1, rows[1]), &last, 8);
}

/// What is read of the file on the first @p n ranks.
static void expect_status(int n, cairn_status want, const char *says)
{
    cairn_source *source    = NULL;
    cairn_tensor *tensor    = NULL;
    cairn_status  status[2] = {want, want};
    bool          said      = true;

    if (some[n]) {
        for (int k = 0; k < 2; k++) {
            const char *const words = cairn_context_message(some[n]);

            status[k] = k ? cairn_tensor_read(some[n], native, &tensor)
                          : cairn_source_read(some[n], native, CAIRN_BY_NNZ, &source);
            said      = said
                   && (want == CAIRN_OK
                       || (strstr(words, native) && strstr(words, says)
                           && !strchr(words, '\n')));
        }
        cairn_source_destroy(&source);
        cairn_tensor_destroy(&tensor);
    }
    ON_ALL_RANKS(status[0] == want && status[1] == want && said, "on %d: %d, %d: %s", n,
                 (int)status[0], (int)status[1],
                 some[n] ? cairn_context_message(some[n]) : "");
}

/// A matrix in blocks on the first @p writers ranks, written.
static bool write_blocks(int writers, const char *name, const char *said)
{
    cairn_tensor *tensor = NULL;
    int           code   = CAIRN_OK;
    known         m;

    if (some[writers]) {
        draw_known(some[writers], &m, SIDE);
        code = store(m.source, name, said, &tensor);
        if (code == CAIRN_OK) code = cairn_tensor_write(tensor, native, NULL);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&m.source);
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code == CAIRN_OK;
}

/// Keep the file as an input for the fuzzer, where FORGED_SEEDS names a folder.
static void keep_seed(const char *name)
{
    const char *const to = getenv("FORGED_SEEDS");
    char              path[200];

    if (!to || !name) return;
    snprintf(path, sizeof path, "%s/%s", to, name);
    scratch_write(path, file.bytes, file.length);
}

Test(forged_blocks, what_is_said_of_blocks_is_checked)
{
    static const struct {
        const char *seed, *name, *said;
        int         writers;
        void (*forge)(int64_t s);
        int64_t     segment;
        const char *says;
    } wrong[] = {
        {"blocks-column-0", "csr",      "blocks<1,2>", 2, forge_column, 0,
         "has a column of another block"},
        {"blocks-column-1", "csr",      "blocks<1,2>", 2, forge_column, 1,
         "has a column of another block"},
        {NULL,              "dense<2>", "blocks<1,2>", 2, forge_value,  0,
         "has a column of another block"},
        {NULL,              "dense<2>", "blocks<1,2>", 2, forge_value,  1,
         "has a column of another block"},
        {"blocks-rows",     "csr",      "blocks<2,1>", 2, forge_rows,   0,
         "has not the row of its block" },
        {"blocks-2x2",      "csr",      "blocks<2,2>", 4, forge_column, 3,
         "has a column of another block"},
    };

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        if (wrong[k].writers > size) continue;
        ON_ALL_RANKS(write_blocks(wrong[k].writers, wrong[k].name, wrong[k].said),
                     "not written");
        for (int n = 1; n <= size; n++)
            expect_status(n, CAIRN_OK, "");
        if (rank == 0) {
            native_file_load(native, &file);
            wrong[k].forge(wrong[k].segment);
            native_file_store(native, &file);
            keep_seed(wrong[k].seed);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (int n = 1; n <= size; n++)
            expect_status(n, CAIRN_BAD_FILE, wrong[k].says);
    }
}

/// Places of four ranks, 27, 27, 27 and 25 of them.
static const char unequal[] = "(d0*5%106/27)";

/// Twice as many rows, each with one entry, in the columns of the block that its segment is
/// to be.
static bool write_unequal(void)
{
    enum { ROWS = 2 * SIDE };
    const int64_t extent[] = {ROWS, SIDE};
    int64_t       coord[2 * ROWS];
    double        value[ROWS];
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;
    int           code   = CAIRN_OK;

    for (int64_t i = 0; i < ROWS; i++) {
        coord[2 * i]     = i;
        coord[2 * i + 1] = i * 5 % ROWS / 27 % 2 ? HALF + 3 : 3;
        value[i]         = 1.5;
    }
    if (some[4]) {
        code = cairn_source_from_coords(some[4], 2, extent, rank == 0 ? ROWS : 0, coord,
                                        value, CAIRN_BY_NNZ, &source);
        if (code == CAIRN_OK) code = store(source, "csr", unequal, &tensor);
        if (code == CAIRN_OK) code = cairn_tensor_write(tensor, native, NULL);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code == CAIRN_OK;
}

/// The file's segments as blocks of two row parts, of which the second's are not alike.
static void forge_bounds(void)
{
    static const char blocks[] =
        "blocks<2,2>  "; /* as long, and its end is passed over */
    int64_t rows[4], next = 0;

    cr_assert_eq(sizeof blocks, sizeof unequal);
    for (int s = 0; s < 4; s++) {
        const cairn_native_row row = native_file_row(&file, s);
        cairn_native_segment   segment;

        open_segment(s, &segment);
        rows[s] = cairn_interval_size(segment.tensor->box[0]);
        cairn_native_segment_close(&segment);
        char *const text = memmem(file.bytes + row.offset, (size_t)row.length, unequal,
                                  strlen(unequal));

        cr_assert_not_null(text);
        memcpy(text, blocks, strlen(blocks));
        if (s % 2 == 0) next = s / 2 * rows[0];
        if (s == 2) next = SIDE - rows[2];
        for (int64_t k = 0; k < rows[s]; k++)
            memcpy(rows_of(s, rows[s]) + 8 * k, &(int64_t){next + k}, 8);
    }
    cr_assert(rows[2] != rows[3]);
}

Test(forged_blocks, blocks_of_a_row_part_are_alike)
{
    if (size < 4) return;
    ON_ALL_RANKS(write_unequal(), "not written");
    if (rank == 0) {
        native_file_load(native, &file);
        forge_bounds();
        native_file_store(native, &file);
        keep_seed("blocks-bounds");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int n = 1; n <= size; n++)
        expect_status(n, CAIRN_BAD_FILE,
                      "its segments are not the parts of one tensor");
}
