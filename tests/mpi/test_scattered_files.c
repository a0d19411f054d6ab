// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files of tensors, from any distribution on any number of ranks to any other: the entries
/// of the matrix, where a tensor that is stored so at once has them. A file of rows by their
/// places keeps these for as many ranks as wrote it; what it says of them is checked.

#include "distributed.h"
#include "native_file.h"

TestSuite(scattered_files, .init = up, .fini = down, .timeout = 800);

enum { PAIRS = 12 };

/// A format and a distribution on some ranks.
typedef struct {
    int         ranks;
    const char *name, *said;
} lies;

static const char *const said[] = {"",
                                   "rows",
                                   "nnz",
                                   "cost",
                                   "blocks<ranks,1>",
                                   "blocks<1,ranks>",
                                   "(d0*ranks/53)",
                                   "(d0%ranks)",
                                   "(ranks-1-d0*ranks/53)",
                                   "(d0/3*5%7%ranks)",
                                   "graph"};

enum { SAID = sizeof said / sizeof *said };

static lies draw_lies(uint64_t *state, int distributions)
{
    return (lies){1 + random_below(state, size), formats[random_below(state, FORMATS)],
                  said[random_below(state, distributions)]};
}

/// Has a tensor on some ranks the entries of the matrix, each once?
static bool has_entries(const cairn_tensor *tensor, const known *m)
{
    cairn_source *source = NULL;
    int64_t       n = 0, want = 0;
    bool          good = true;

    if (tensor) good = cairn_source_from_tensor(tensor, &source) == CAIRN_OK;
    for (cairn_pos k = 0; source && k < source->entries.n; k++) {
        const cairn_entries *e = &source->entries;

        good = good && e->value[k] == m->a[e->coord[0][k]][e->coord[1][k]];
        n += e->value[k] != 0;
    }
    cairn_source_destroy(&source);
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < m->cols; j++)
            want += m->a[i][j] != 0;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return good && n == want;
}

/// Are the rows of two tensors at the same places?
static bool lie_alike(const cairn_tensor *a, const cairn_tensor *b)
{
    const int64_t *p = cairn_tensor_places(a), *q = cairn_tensor_places(b);
    int64_t        first, end;

    cairn_tensor_rows(a, &first, &end);
    return same_rows(a, b) && !p == !q
           && (!p || memcmp(p, q, (size_t)(end - first) * sizeof *p) == 0);
}

static cairn_status write_as(const lies *from, cairn_dtype dtype, int64_t cols)
{
    known         m;
    cairn_tensor *tensor = NULL;
    int           code   = CAIRN_OK;

    if (some[from->ranks]) {
        draw_known(some[from->ranks], &m, cols);
        code = store_as(m.source, from->name, from->said, dtype, &tensor);
        if (code == CAIRN_OK) code = cairn_tensor_write(tensor, native, NULL);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&m.source);
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return (cairn_status)code;
}

/// Written on some ranks, read on others, and converted there.
static void
check_file(const lies *from, const lies *to, cairn_dtype dtype, int64_t cols)
{
    cairn_context *group = some[to->ranks];
    cairn_tensor  *read = NULL, *made = NULL, *want = NULL;
    cairn_status   status = CAIRN_OK;
    known          m;

    draw_known(all, &m, cols);
    cairn_source_destroy(&m.source);
    ON_ALL_RANKS(write_as(from, dtype, cols) == CAIRN_OK, "%s @ %s on %d", from->name,
                 from->said, from->ranks);
    if (group) {
        draw_known(group, &m, cols);
        status = cairn_tensor_read(group, native, &read);
        if (status == CAIRN_OK) status = convert(read, to->name, to->said, &made);
        if (status == CAIRN_OK && to->said[0])
            status = store_as(m.source, to->name, to->said, dtype, &want);
        cairn_source_destroy(&m.source);
    }
    ON_ALL_RANKS(status == CAIRN_OK, "%s @ %s on %d to %s @ %s on %d: %s", from->name,
                 from->said, from->ranks, to->name, to->said, to->ranks,
                 group ? cairn_context_message(group) : "");
    ON_ALL_RANKS(has_entries(read, &m), "%s @ %s on %d, read on %d", from->name,
                 from->said, from->ranks, to->ranks);
    ON_ALL_RANKS(has_entries(made, &m), "%s @ %s on %d to %s @ %s on %d", from->name,
                 from->said, from->ranks, to->name, to->said, to->ranks);
    cr_expect(!want || lie_alike(want, made), "%s @ %s on %d to %s @ %s on %d",
              from->name, from->said, from->ranks, to->name, to->said, to->ranks);
    cairn_tensor_destroy(&read);
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&want);
}

Test(scattered_files, random_pairs)
{
    uint64_t  state        = seed_clock();
    const int known_graphs = partitions();

    MPI_Bcast(&state, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int k = 0; k < seed_cases(PAIRS); k++) {
        const int64_t cols          = random_below(&state, 2) ? SIDE : 31;
        const int     distributions = SAID - !(known_graphs && cols == SIDE);
        const lies    from          = draw_lies(&state, distributions);
        const lies    to            = draw_lies(&state, distributions);

        check_file(&from, &to, random_below(&state, 2) ? CAIRN_F32 : CAIRN_F64, cols);
    }
}

/// On as many ranks the arrays come back as they were, and their products' bits; on others
/// the text is bound anew.
static void check_kept(const char *name, const char *what, int writers)
{
    const lies    from = {writers, name, what};
    cairn_tensor *read = NULL, *want = NULL;
    known         m;

    ON_ALL_RANKS(write_as(&from, CAIRN_F64, SIDE) == CAIRN_OK, "%s @ %s", name, what);
    draw_known(all, &m, SIDE);
    ON_ALL_RANKS(cairn_tensor_read(all, native, &read) == CAIRN_OK
                     && store(m.source, name, what, &want) == CAIRN_OK,
                 "%s @ %s of %d: %s", name, what, writers, cairn_context_message(all));
    cr_expect_str_eq(cairn_format_text(read->format), cairn_format_text(want->format));
    cr_expect(lie_alike(want, read), "%s @ %s of %d", name, what, writers);
    if (writers == size) check_same(want->local, read->local, name);
    cairn_tensor_destroy(&read);
    cairn_tensor_destroy(&want);
    cairn_source_destroy(&m.source);
}

Test(scattered_files, places_are_kept)
{
    const int graphs = partitions();

    for (int n = 1; n <= size; n++)
        for (int w = SAID - 4; w < SAID - !graphs; w++) {
            check_kept("csr", said[w], n);
            check_kept("hybrid<bdia<2>,csr,0.5>", said[w], n);
        }
}

/// As text they have the bytes of the same matrix by number.
Test(scattered_files, text_is_in_the_users_order)
{
    cairn_tensor *tensor[2] = {NULL, NULL};
    char          path[2][100], bytes[2][1 << 15];
    size_t        length[2];
    known         m;

    draw_known(all, &m, SIDE);
    for (int k = 0; k < 2; k++) {
        snprintf(path[k], sizeof path[k], "%s/%d.mtx", folder, k);
        ON_ALL_RANKS(store(m.source, "csr", k ? "(d0%ranks)" : "rows", &tensor[k])
                             == CAIRN_OK
                         && cairn_tensor_write(tensor[k], path[k], NULL) == CAIRN_OK,
                     "%s", cairn_context_message(all));
        cairn_tensor_destroy(&tensor[k]);
    }
    for (int k = 0; k < 2 && rank == 0; k++) {
        FILE *file = fopen(path[k], "rb");

        length[k] = fread(bytes[k], 1, sizeof bytes[k], file);
        fclose(file);
        remove(path[k]);
    }
    cr_expect(
        rank > 0
        || (length[0] == length[1] && memcmp(bytes[0], bytes[1], length[0]) == 0));
    cairn_source_destroy(&m.source);
}

/// A row that the last place but @p from_end of a file of one rank is said to have.
static void change_row(int from_end, int64_t row)
{
    static native_file file;
    const int64_t      padded = cairn_native_padded(SIDE * 8);

    if (rank == 0) {
        native_file_load(native, &file);
        memcpy(file.segment_end - padded + 8 * (SIDE - 1 - from_end), &row, sizeof row);
        native_file_store(native, &file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/// One rank has all rows at their own places by any graph.
Test(scattered_files, what_is_said_of_places_is_checked)
{
    static const struct {
        int     from_end;
        int64_t row;
    } wrong[] = {
        {0, SIDE    },
        {0, SIDE - 2},
        {3, -1      },
        {7, 1 << 20 },
        {9, 5       },
    };
    const lies    from   = {1, "csr", "graph"};
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ON_ALL_RANKS(write_as(&from, CAIRN_F64, SIDE) == CAIRN_OK, "not written");
        change_row(wrong[k].from_end, wrong[k].row);
        ON_ALL_RANKS(cairn_source_read(all, native, CAIRN_BY_NNZ, &source)
                             == CAIRN_BAD_FILE
                         && strstr(cairn_context_message(all), native),
                     "%s", cairn_context_message(all));
        ON_ALL_RANKS(cairn_tensor_read(all, native, &tensor) == CAIRN_BAD_FILE
                         && strstr(cairn_context_message(all), native),
                     "%s", cairn_context_message(all));
    }
}
