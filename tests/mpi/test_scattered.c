// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows that are not consecutive on their ranks, by their places: products of them are those
/// of the matrix, X and Y in the user's order; conversions lead there and back, and send what
/// changes its rank; what needs rows in their own order refuses them.

#include "distributed.h"

TestSuite(scattered, .init = up, .fini = down, .timeout = 800);

/// One way to multiply.
typedef struct {
    bool    transposed, permuted, theirs;
    int64_t columns;
    double  beta;
} way;

/// op(A) X + beta Y, where Y is 1 + row.
static double expected(const known *m, const way *w, int64_t i, int64_t c)
{
    const int64_t inner = w->transposed ? SIDE : m->cols;
    double        sum   = w->beta * (double)(1 + i);

    for (int64_t j = 0; j < inner; j++)
        sum += (w->transposed ? m->a[j][i] : m->a[i][j]) * x_at(j, c);
    return sum;
}

/// Row @p i, counted as the plan counts it, as the matrix does.
static int64_t row_of(const way *w, bool moved, const int64_t *index, int64_t i)
{
    return w->permuted && moved ? index[i] : i;
}

static bool
check_way(cairn_tensor *tensor, const known *m, const way *w, const int64_t *index)
{
    cairn_product_options op      = CAIRN_PRODUCT_OPTIONS;
    cairn_plan_options    options = CAIRN_PLAN_OPTIONS;
    cairn_plan           *plan    = NULL;
    const bool            square  = m->cols == SIDE;
    const bool            x_moves = square || w->transposed;
    const bool            y_moves = square || !w->transposed;
    double                x[SIDE * 3], y[SIDE * 3], rel, abs;
    int64_t               lo, hi, first, end;
    bool                  good;

    op.columns       = w->columns;
    op.transposed    = w->transposed;
    op.beta          = w->beta;
    options.product  = &op;
    options.permuted = w->permuted;
    if (cairn_plan_create_with(tensor, &options, &plan) != CAIRN_OK) return false;
    cairn_plan_columns(plan, &lo, &hi);
    cairn_plan_rows(plan, &first, &end);
    double *const to = w->theirs ? x : cairn_plan_x(plan);
    double *const of = w->theirs ? y : cairn_plan_y(plan);

    for (int64_t j = lo; j < hi; j++)
        for (int64_t c = 0; c < w->columns; c++)
            to[(j - lo) * w->columns + c] = x_at(row_of(w, x_moves, index, j), c);
    for (int64_t i = first; i < end; i++)
        for (int64_t c = 0; c < w->columns; c++)
            of[(i - first) * w->columns + c] =
                (double)(1 + row_of(w, y_moves, index, i));
    good = cairn_plan_run(plan, w->theirs ? x : NULL, w->theirs ? y : NULL) == CAIRN_OK;
    for (int64_t i = first; i < end && good; i++)
        for (int64_t c = 0; c < w->columns; c++) {
            const double want = expected(m, w, row_of(w, y_moves, index, i), c);

            good =
                good && fabs(of[(i - first) * w->columns + c] - want) <= 1e-12 * want;
        }
    if (w->beta == 0) {
        const cairn_status status = cairn_plan_verify(plan, m->source, &rel, &abs);

        good = good && status == (w->permuted ? CAIRN_BAD_ARGUMENT : CAIRN_OK);
    }
    cairn_plan_destroy(&plan);
    return on_all_ranks(good);
}

/// A fourth of the ways; those of the next formats are the others.
static void check_scattered(const known *m, const char *name, int word, int from)
{
    cairn_tensor *tensor = NULL;
    int64_t       place[SIDE], index[SIDE];

    ON_ALL_RANKS(store(m->source, name, scatters[word], &tensor) == CAIRN_OK,
                 "%s @ %s: %s", name, scatters[word], cairn_context_message(all));
    ON_ALL_RANKS(find_places(tensor, word, place), "%s @ %s: places", name,
                 scatters[word]);
    ON_ALL_RANKS(stores_places(tensor, m, place), "%s @ %s: entries", name,
                 scatters[word]);
    for (int64_t i = 0; i < SIDE; i++)
        index[place[i]] = i;
    for (int k = from % 4; k < 16; k += 4) {
        const way w = {.transposed = k / 4 & 1,
                       .permuted   = k / 4 & 2,
                       .theirs     = k & 1,
                       .columns    = k & 1 ? 3 : 1,
                       .beta       = k & 2 ? 0.5 : 0};

        ON_ALL_RANKS(check_way(tensor, m, &w, index), "%s @ %s, way %d: %s", name,
                     scatters[word], k, cairn_context_message(all));
    }
    cairn_tensor_destroy(&tensor);
}

/// Any format, square and not, with all that a plan can be asked for: a fourth of the formats
/// in a run.
Test(scattered, scattered_rows_are_multiplied)
{
    uint64_t state = seed_clock();
    known    m;

    MPI_Bcast(&state, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int f = random_below(&state, 4); f < FORMATS && size > 1; f += 4) {
        draw_known(all, &m, random_below(&state, 2) ? SIDE : 31);
        check_scattered(&m, formats[f], random_below(&state, SCATTERS),
                        random_below(&state, 4));
        cairn_source_destroy(&m.source);
    }
}

/// A chain brings its vectors back; f32; and what a run moves is counted.
Test(scattered, scattered_chains)
{
    known              m;
    cairn_tensor      *tensor = NULL;
    cairn_format      *format = NULL;
    cairn_plan        *plan = NULL, *plain = NULL;
    cairn_plan_options options = CAIRN_PLAN_OPTIONS;
    cairn_plan_info    its = CAIRN_PLAN_INFO, other = CAIRN_PLAN_INFO;
    double             rel, abs;
    int64_t            lo, hi;

    if (size == 1) return;
    draw_known(all, &m, SIDE);
    ON_ALL_RANKS(make_format(all, "bdia<4>", scatters[2], &format) == CAIRN_OK
                     && cairn_tensor_create(m.source, format, CAIRN_F32, &tensor)
                            == CAIRN_OK
                     && cairn_plan_create_spmv(tensor, &plan) == CAIRN_OK,
                 "%s", cairn_context_message(all));
    cairn_plan_columns(plan, &lo, &hi);
    for (int64_t j = lo; j < hi; j++)
        cairn_plan_x_f32(plan)[j - lo] = (float)x_at(j, 0);
    ON_ALL_RANKS(cairn_plan_iterate(plan, 4) == CAIRN_OK
                     && cairn_plan_verify(plan, m.source, &rel, &abs) == CAIRN_OK,
                 "%s", cairn_context_message(all));
    options.permuted = true;
    ON_ALL_RANKS(cairn_plan_create_with(tensor, &options, &plain) == CAIRN_OK
                     && cairn_plan_describe(plan, &its) == CAIRN_OK
                     && cairn_plan_describe(plain, &other) == CAIRN_OK,
                 "%s", cairn_context_message(all));
    cr_expect_eq(its.bytes_per_run - other.bytes_per_run, 2 * 2 * SIDE * 4);
    cairn_plan_destroy(&plain);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&m.source);
}

static bool says_not_here(cairn_status status)
{
    return on_all_ranks(
        status == CAIRN_UNSUPPORTED
        && strstr(cairn_context_message(all),
                  "its rows are renumbered, @ (d0%ranks): not in this"));
}

/// What needs rows in their own order.
Test(scattered, scattered_rows_go_nowhere_else)
{
    known              m;
    cairn_tensor      *tensor  = NULL;
    cairn_plan        *plan    = NULL;
    cairn_plan_options options = CAIRN_PLAN_OPTIONS;
    cairn_compressed   out     = CAIRN_COMPRESSED;
    int64_t            ptr[SIDE + 1], idx[SIDE * SIDE];
    double             val[SIDE * SIDE];

    if (size == 1) return;
    draw_known(all, &m, SIDE);
    ON_ALL_RANKS(store(m.source, "csr", scatters[0], &tensor) == CAIRN_OK, "%s",
                 cairn_context_message(all));
    options.reproducible = true;
    out.ptr              = ptr;
    out.ptr_length       = SIDE + 1;
    out.length           = SIDE * SIDE;
    out.idx              = idx;
    out.val              = val;
    cr_expect(says_not_here(cairn_plan_create_with(tensor, &options, &plan)));
    cr_expect(says_not_here(cairn_tensor_to_csr(tensor, &out)));
    cr_expect_null(plan);
    cairn_tensor_destroy(&tensor);
    ON_ALL_RANKS(store(m.source, "csr", "", &tensor) == CAIRN_OK, "%s",
                 cairn_context_message(all));
    cr_expect_null(cairn_tensor_places(tensor));
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&m.source);
}

/// A conversion between rows by places and consecutive ones.
typedef struct {
    const char *from, *from_said; ///< Formats, and distributions,
    const char *to, *to_said;
    int         word; ///< of which this is the second one's number; -1: it has none.
    cairn_dtype dtype;
} pair;

/// Entries that one has on another rank than the other.
static int64_t
count_moved(const known *m, const cairn_tensor *from, const cairn_tensor *to)
{
    int64_t a[SIDE], b[SIDE], moved = 0;

    gather_places(from, a);
    gather_places(to, b);
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < m->cols; j++)
            moved += m->a[i][j] != 0
                     && cairn_rows_owner(&from->rows, a[i])
                            != cairn_rows_owner(&to->rows, b[i]);
    return moved;
}

/// Each entry is sent that changes its rank, once, and takes no more than it has to.
static void
check_sent(const known *m, const cairn_tensor *from, const cairn_tensor *made)
{
    int64_t       entries, messages;
    const int64_t bytes = cairn_path_sent(made->how.path, &entries, &messages);
    const int64_t moved = count_moved(m, from, made);

    cr_expect_eq(entries, moved, "%ld sent, %ld move", (long)entries, (long)moved);
    /* rows and columns of 8 bits, and eighths below 114, which are f32 */
    cr_expect(bytes <= entries * (1 + 1 + 4) + 64 * messages, "%ld bytes for %ld",
              (long)bytes, (long)entries);
    cr_expect_eq(bytes > 0, moved > 0);
}

/// The arrays of what is stored so at once, and the entries that it was made of.
static void check_conversion(const known *m, const pair *p)
{
    cairn_tensor *from = NULL, *made = NULL, *want = NULL;
    cairn_source *back = NULL;
    int64_t       place[SIDE];

    ON_ALL_RANKS(store_as(m->source, p->from, p->from_said, p->dtype, &from) == CAIRN_OK
                     && convert(from, p->to, p->to_said, &made) == CAIRN_OK
                     && cairn_source_from_tensor(made, &back) == CAIRN_OK
                     && store_as(m->source, p->to, p->to_said, p->dtype, &want)
                            == CAIRN_OK,
                 "%s @ %s to %s @ %s: %s", p->from, p->from_said, p->to, p->to_said,
                 cairn_context_message(all));
    cr_expect(same_rows(made, want), "%s @ %s to %s @ %s: other rows", p->from,
              p->from_said, p->to, p->to_said);
    check_same(want->local, made->local, p->to);
    if (p->word >= 0)
        ON_ALL_RANKS(find_places(made, p->word, place) && stores_places(made, m, place),
                     "%s @ %s to %s @ %s", p->from, p->from_said, p->to, p->to_said);
    for (cairn_pos k = 0; k < back->entries.n; k++)
        cr_expect_eq(back->entries.value[k],
                     m->a[back->entries.coord[0][k]][back->entries.coord[1][k]]);
    check_sent(m, from, made);
    cairn_source_destroy(&back);
    cairn_tensor_destroy(&from);
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&want);
}

static const cairn_comm_ops *plain;
static int64_t               handed; ///< Bytes of alltoallv for other ranks.

static cairn_status count_alltoallv(cairn_comm    *c,
                                    const void    *send,
                                    const int64_t *send_bytes,
                                    void          *recv,
                                    const int64_t *recv_bytes)
{
    for (int r = 0; r < c->size; r++)
        handed += r == c->rank ? 0 : send_bytes[r];
    return plain->alltoallv(c, send, send_bytes, recv, recv_bytes);
}

/// Bytes of all ranks while a tensor is converted.
static int64_t
count_bytes(const cairn_tensor *from, const char *said, cairn_tensor **made)
{
    cairn_comm_ops counting;
    int64_t        bytes;

    plain              = all->comm->ops;
    counting           = *plain;
    counting.alltoallv = count_alltoallv;
    all->comm->ops     = &counting;
    handed             = 0;
    const bool good    = convert(from, "csr", said, made) == CAIRN_OK;
    all->comm->ops     = plain;
    bytes              = good ? handed : -1;
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return bytes;
}

/// All bytes that ranks exchange are told, those of entries and those that find places; and
/// the program and the log have them.
Test(scattered, conversions_tell_what_they_send)
{
    static const char *const said[][2] = {
        {"rows",         "(d0%ranks)"           },
        {"(d0%ranks)",   "rows"                 },
        {"(d0/7%ranks)", "(ranks-1-d0*ranks/53)"},
    };
    known m;

    draw_known(all, &m, SIDE);
    for (int k = 0; k < 3; k++) {
        cairn_tensor *from = NULL, *made = NULL;
        int64_t       entries, messages;

        ON_ALL_RANKS(store(m.source, "csr", said[k][0], &from) == CAIRN_OK, "%s",
                     cairn_context_message(all));
        const int64_t bytes = count_bytes(from, said[k][1], &made);

        ON_ALL_RANKS(made != NULL, "%s", cairn_context_message(all));
        const int64_t sent  = cairn_path_sent(made->how.path, &entries, &messages);
        const int64_t asked = cairn_path_asked(made->how.path);

        /* each rank tells each other one in 16 bytes how much comes, which is counted where
           something does */
        cr_expect_eq(sent + asked + 16 * ((int64_t)size * (size - 1) - messages), bytes,
                     "%s to %s: %ld + %ld, not %ld", said[k][0], said[k][1], (long)sent,
                     (long)asked, (long)bytes);
        cr_expect_gt(asked, 0);
        cr_expect(strstr(cairn_tensor_how(made), "places: Exchange"), "%s",
                  cairn_tensor_how(made));
        cr_expect_str_eq(made->how.log.entry[0].task.label, "places");
        cr_expect_eq(made->how.log.entry[0].task.bytes, asked);
        cr_expect_str_eq(made->how.log.entry[1].task.label, "exchange");
        cr_expect_eq(made->how.log.entry[1].task.bytes, sent);
        cairn_tensor_destroy(&from);
        cairn_tensor_destroy(&made);
    }
    cairn_source_destroy(&m.source);
}

/// Both element types, by kernels and without.
Test(scattered, scattered_rows_are_converted)
{
    uint64_t state = seed_clock();
    known    m;

    MPI_Bcast(&state, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int k = 0; k < seed_cases(16) && size > 1; k++) {
        const int  v = random_below(&state, SCATTERS + 1) - 1;
        const int  w = random_below(&state, SCATTERS + (v >= 0)) - (v >= 0);
        const pair p = {formats[random_below(&state, FORMATS)],
                        v < 0 ? "rows" : scatters[v],
                        formats[random_below(&state, FORMATS)],
                        w < 0 ? "nnz" : scatters[w],
                        w,
                        k % 2 ? CAIRN_F32 : CAIRN_F64};

        all->env.options.kernels =
            k % 4 == 2 ? CAIRN_KERNELS_REFERENCE : CAIRN_KERNELS_AUTO;
        draw_known(all, &m, random_below(&state, 2) ? SIDE : 31);
        check_conversion(&m, &p);
        cairn_source_destroy(&m.source);
    }
    all->env.options.kernels = CAIRN_KERNELS_AUTO;
}

/// Where there is PT-Scotch; the_graph_keeps_neighbours_together has it that there is not.
Test(scattered, rows_by_the_graph_are_converted)
{
    const pair pairs[] = {
        {"csr",       "rows",  "bdia<3>",              "graph",     -1, CAIRN_F64},
        {"ell",       "graph", "hybrid<dia,dcsr,0.3>", scatters[2], 2,  CAIRN_F64},
        {"bcsr<2,3>", "graph", "csc",                  "nnz",       -1, CAIRN_F32},
    };
    cairn_tensor *tensor = NULL;
    known         m;

    if (size == 1) return;
    draw_known(all, &m, SIDE);
    const cairn_status status = store(m.source, "csr", "graph", &tensor);

    for (int k = 0; k < 3 && status != CAIRN_ATTENTION; k++)
        check_conversion(&m, &pairs[k]);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&m.source);
}