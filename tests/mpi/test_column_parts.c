// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Blocks of rows and columns on p times q ranks: entries are where their row part and their
/// column part are; products sum the parts of rows; conversions lead there and back; what
/// needs whole rows refuses them.

#include "comm/renumber.h"
#include "distributed.h"

TestSuite(column_parts, .init = up, .fini = down, .timeout = 800);

enum { PAIRS = 8 };

/// Blocks of @p q column parts; rows of a part are cut in as many parts as ranks are left.
static const char *blocks(int q)
{
    static char text[40];

    snprintf(text, sizeof text, "blocks<%d,%d>", size / q, q);
    return text;
}

/// The least and the largest row and column of entries that this rank stores, as the user
/// counts them.
static void find_corners(const cairn_entries *e, int64_t least[2], int64_t most[2])
{
    for (int k = 0; k < 2; k++) {
        least[k] = INT64_MAX, most[k] = -1;
        for (cairn_pos n = 0; n < e->n; n++) {
            least[k] = e->coord[k][n] < least[k] ? e->coord[k][n] : least[k];
            most[k]  = e->coord[k][n] > most[k] ? e->coord[k][n] : most[k];
        }
    }
}

/// Has this rank entries of the matrix alone, and only those of its block? Column part j
/// begins at column cols * j / q; ranks of a row part have no row of another.
static bool has_block(const cairn_tensor *tensor, const known *m, int q)
{
    const int     j = rank % q;
    int64_t       least[2], most[2], n = 0, want = 0, corner[2 * MOST];
    cairn_entries e;
    bool          good;

    cairn_entries_init(&e, 2);
    good = cairn_local_entries(tensor->local, &e) == CAIRN_OK;
    for (cairn_pos k = 0; k < e.n; k++)
        n += e.value[k] != 0;
    good = good && cairn_renumbering_undo(all->comm, tensor->places, &e) == CAIRN_OK;
    for (cairn_pos k = 0; k < e.n && good; k++)
        good = e.value[k] == m->a[e.coord[0][k]][e.coord[1][k]];
    find_corners(&e, least, most);
    good = good
           && (e.n == 0
               || (least[1] >= m->cols * j / q && most[1] < m->cols * (j + 1) / q));
    MPI_Allgather((int64_t[]){least[0], most[0]}, 2, MPI_INT64_T, corner, 2,
                  MPI_INT64_T, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        if (r / q < rank / q) good = good && corner[2 * r + 1] < least[0];
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t c = 0; c < m->cols; c++)
            want += m->a[i][c] != 0;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    cairn_entries_fini(tensor->local->env, &e);
    return good && n == want;
}

/// One way to multiply.
typedef struct {
    bool    theirs;
    int64_t columns;
    double  beta;
} way;

/// A X + beta Y, where Y is 1 + row, next to the sums of all.
static bool multiplies(cairn_tensor *tensor, const known *m, const way *w)
{
    cairn_product_options op      = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options    options = CAIRN_PLAN_OPTIONS;
    cairn_plan           *plan    = NULL;
    double                x[SIDE * 3], y[SIDE * 3], rel, abs;
    int64_t               lo, hi, first, end, rows = 0;
    bool                  good;

    op.columns      = w->columns;
    op.beta         = w->beta;
    options.product = &op;
    if (cairn_plan_create_with(tensor, &options, &plan) != CAIRN_OK) return false;
    cairn_plan_columns(plan, &lo, &hi);
    cairn_plan_rows(plan, &first, &end);
    double *const to = w->theirs ? x : cairn_plan_x(plan);
    double *const of = w->theirs ? y : cairn_plan_y(plan);

    good = m->cols != SIDE || (lo == first && hi == end);
    for (int run = 0; run < 2 && good; run++) { /* the same again */
        for (int64_t k = lo * w->columns; k < hi * w->columns; k++)
            to[k - lo * w->columns] = x_at(k / w->columns, k % w->columns);
        for (int64_t k = first * w->columns; k < end * w->columns; k++)
            of[k - first * w->columns] = (double)(1 + k / w->columns);
        good = cairn_plan_run(plan, w->theirs ? x : NULL, w->theirs ? y : NULL)
               == CAIRN_OK;
        for (int64_t k = first * w->columns; k < end * w->columns && good; k++) {
            double want = w->beta * (double)(1 + k / w->columns);

            for (int64_t j = 0; j < m->cols; j++)
                want += m->a[k / w->columns][j] * x_at(j, k % w->columns);
            good = fabs(of[k - first * w->columns] - want) <= 1e-12 * want;
        }
    }
    if (w->beta == 0)
        good = good && cairn_plan_verify(plan, m->source, &rel, &abs) == CAIRN_OK;
    rows = end - first;
    MPI_Allreduce(MPI_IN_PLACE, &rows, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    cairn_plan_destroy(&plan);
    return on_all_ranks(good && rows == SIDE);
}

/// Any format, square and not, over all numbers of column parts.
Test(column_parts, blocks_are_stored_and_multiplied)
{
    static const way ways[] = {
        {false, 1, 0  },
        {true,  3, 0  },
        {true,  1, 0.5},
        {false, 3, 0.5}
    };
    uint64_t state = seed_clock();
    known    m;

    MPI_Bcast(&state, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int f = random_below(&state, 7); f < FORMATS; f += 7)
        for (int q = 1; q <= size; q++) {
            const way    *w      = &ways[random_below(&state, 4)];
            cairn_tensor *tensor = NULL;

            if (size % q != 0) continue;
            draw_known(all, &m, random_below(&state, 2) ? SIDE : 31);
            ON_ALL_RANKS(store(m.source, formats[f], blocks(q), &tensor) == CAIRN_OK,
                         "%s @ %s: %s", formats[f], blocks(q),
                         cairn_context_message(all));
            cr_expect_str_eq(cairn_format_distribution(tensor->format, -1), blocks(q));
            int64_t extent[CAIRN_ORDER];

            cr_expect(cairn_tensor_shape(tensor, extent) == 2 && extent[0] == SIDE
                      && extent[1] == m.cols);
            ON_ALL_RANKS(has_block(tensor, &m, q), "%s @ %s: entries", formats[f],
                         blocks(q));
            ON_ALL_RANKS(multiplies(tensor, &m, w), "%s @ %s, %ld columns, beta %g: %s",
                         formats[f], blocks(q), (long)w->columns, w->beta,
                         cairn_context_message(all));
            cairn_tensor_destroy(&tensor);
            cairn_source_destroy(&m.source);
        }
}

/// f32, whose parts are rounded once before they are summed.
Test(column_parts, singles_are_multiplied)
{
    known         m;
    cairn_tensor *tensor = NULL;
    cairn_plan   *plan   = NULL;
    double        rel, abs;
    int64_t       lo, hi;

    draw_known(all, &m, SIDE);
    ON_ALL_RANKS(
        store_as(m.source, "hybrid<bdia<2>,csr,0.5>", blocks(size), CAIRN_F32, &tensor)
                == CAIRN_OK
            && cairn_plan_create_spmv(tensor, &plan) == CAIRN_OK,
        "%s", cairn_context_message(all));
    cairn_plan_columns(plan, &lo, &hi);
    for (int64_t j = lo; j < hi; j++)
        cairn_plan_x_f32(plan)[j - lo] = (float)x_at(j, 0);
    ON_ALL_RANKS(cairn_plan_run(plan, NULL, NULL) == CAIRN_OK
                     && cairn_plan_verify(plan, m.source, &rel, &abs) == CAIRN_OK,
                 "%s", cairn_context_message(all));
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&m.source);
}

/// From any distribution to blocks and back: the arrays of what is stored so at once.
Test(column_parts, conversions_lead_there_and_back)
{
    static const char *const said[] = {"",
                                       "rows",
                                       "cost",
                                       "(d0%ranks)",
                                       "(d0*ranks/53)",
                                       "blocks<ranks,1>",
                                       "blocks<1,ranks>"};
    enum { SAID = sizeof said / sizeof *said };
    uint64_t state = seed_clock();

    MPI_Bcast(&state, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int k = 0; k < seed_cases(PAIRS); k++) {
        const int         there = random_below(&state, 2);
        const char *const v = there ? said[random_below(&state, SAID)] : said[SAID - 1];
        const char *const w =
            there ? said[SAID - 1] : said[1 + random_below(&state, 6)];
        const char *const f    = formats[random_below(&state, FORMATS)];
        const char *const g    = formats[random_below(&state, FORMATS)];
        cairn_tensor     *from = NULL, *made = NULL, *want = NULL;
        cairn_source     *back = NULL;
        known             m;
        int64_t           n = 0;

        draw_known(all, &m, random_below(&state, 2) ? SIDE : 31);
        ON_ALL_RANKS(store(m.source, f, v, &from) == CAIRN_OK
                         && convert(from, g, w, &made) == CAIRN_OK
                         && store(m.source, g, w, &want) == CAIRN_OK
                         && cairn_source_from_tensor(made, &back) == CAIRN_OK,
                     "%s @ %s to %s @ %s: %s", f, v, g, w, cairn_context_message(all));
        cr_expect(same_rows(made, want), "%s @ %s to %s @ %s", f, v, g, w);
        check_same(want->local, made->local, g);
        for (cairn_pos e = 0; e < back->entries.n; e++) {
            cr_expect_eq(back->entries.value[e],
                         m.a[back->entries.coord[0][e]][back->entries.coord[1][e]]);
            n += back->entries.value[e] != 0;
        }
        for (int64_t i = 0; i < SIDE * SIDE; i++)
            n -= rank == 0 && m.a[i / SIDE][i % SIDE] != 0;
        MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        cr_expect_eq(n, 0, "%s @ %s to %s @ %s: %ld entries too many", f, v, g, w,
                     (long)n);
        cairn_source_destroy(&back);
        cairn_tensor_destroy(&from);
        cairn_tensor_destroy(&made);
        cairn_tensor_destroy(&want);
        cairn_source_destroy(&m.source);
    }
}

/// Blocks for some ranks are read on others as `nnz`, and a log says so.
static int warnings; ///< Logged: that blocks are for other ranks.

static void count_lines(void *user, const char *line)
{
    (void)user;
    warnings += strstr(line, "are not for") != NULL;
}

Test(column_parts, files_of_other_ranks_open_as_nnz)
{
    cairn_tensor *tensor = NULL;
    int           code   = CAIRN_OK;
    known         m;

    if (size == 1) return;
    if (some[size - 1]) {
        char what[40];

        snprintf(what, sizeof what, "blocks<1,%d>", size - 1);
        draw_known(some[size - 1], &m, SIDE);
        code = store(m.source, "csr", what, &tensor);
        if (code == CAIRN_OK) code = cairn_tensor_write(tensor, native, NULL);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&m.source);
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    warnings = 0;
    cairn_context_set_log(all, count_lines, NULL);
    ON_ALL_RANKS(code == CAIRN_OK
                     && cairn_tensor_read(all, native, &tensor) == CAIRN_OK,
                 "%s", cairn_context_message(all));
    cairn_context_set_log(all, NULL, NULL);
    cr_expect_eq(warnings, rank == 0);
    cr_expect_str_eq(cairn_format_distribution(tensor->format, -1), "nnz");
    cairn_tensor_destroy(&tensor);
}

static void refused(cairn_status status, cairn_status want, const char *says)
{
    ON_ALL_RANKS(status == want && strstr(cairn_context_message(all), says), "%d: %s",
                 (int)status, cairn_context_message(all));
}

Test(column_parts, what_needs_whole_rows_refuses_them)
{
    static const char     parts[] = "its rows are in parts, @ blocks<";
    cairn_product_options op      = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options    options = CAIRN_PLAN_OPTIONS;
    cairn_tensor         *tensor = NULL, *other = NULL;
    cairn_plan           *plan = NULL;
    double                norm, left[SIDE] = {0};
    known                 m;

    draw_known(all, &m, SIDE);
    refused(store(m.source, "csr", "blocks<2,ranks>", &other), CAIRN_ATTENTION,
            "is for 2 times");
    refused(store(m.source, "csr", "blocks<ranks-9,1>", &other), CAIRN_BAD_QUERY,
            "no number above 0");
    ON_ALL_RANKS(store(m.source, "csr", blocks(size), &tensor) == CAIRN_OK, "%s",
                 cairn_context_message(all));
    options.permuted = true;
    refused(cairn_plan_create_with(tensor, &options, &plan), CAIRN_UNSUPPORTED, parts);
    options.permuted = false;
    options.product  = &op;
    op.transposed    = true;
    refused(cairn_plan_create_with(tensor, &options, &plan), CAIRN_UNSUPPORTED, parts);
    op.transposed        = false;
    options.reproducible = true;
    refused(cairn_plan_create_with(tensor, &options, &plan), CAIRN_UNSUPPORTED,
            "its rows are renumbered, @ blocks<");
    ON_ALL_RANKS(cairn_plan_create_spmv(tensor, &plan) == CAIRN_OK, "%s",
                 cairn_context_message(all));
    refused(cairn_plan_iterate(plan, 2), CAIRN_UNSUPPORTED, parts);
    refused(cairn_tensor_norm(tensor, CAIRN_NORM_INFINITY, &norm), CAIRN_UNSUPPORTED,
            parts);
    refused(cairn_tensor_scale(tensor, left, NULL), CAIRN_UNSUPPORTED,
            "its rows are renumbered, @ blocks<");
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&m.source);
}
