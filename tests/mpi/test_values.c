// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Diagonals, scaled rows and columns, shifts and norms on ranks, of which some or all work
/// on a matrix while the others wait, held to a dense matrix and to the norms of one rank.

#include "api.h"
#include "api/api.h"
#include "every_format.h"
#include "random_format.h"
#include "rank_contexts.h"
#include "seed.h"
#include "tensor/walk.h"

#include <math.h>

enum { SIDE = 26, RANKS = 8 };

/// Contexts of the first n ranks; some[0] is this rank's alone.
static cairn_context *some[RANKS + 1];

static void values_up(void)
{
    mpi_up();
    if (cairn_context_create(&some[0]) != CAIRN_OK) abort();
    rank_contexts_open(some);
}

static void values_down(void)
{
    cairn_context_destroy(&some[0]);
    rank_contexts_close(some);
    mpi_down();
}

TestSuite(values, .init = values_up, .fini = values_down, .timeout = 500);

/// A matrix that all ranks know.
typedef struct {
    int64_t     rows, cols;
    cairn_dtype dtype;
    double      at[SIDE][SIDE]; ///< 0: no entry.
} matrix;

static double as(double value, cairn_dtype dtype)
{
    return dtype == CAIRN_F32 ? (double)(float)value : value;
}

static void draw(uint64_t *state, bool square, matrix *m)
{
    *m       = (matrix){.rows = 1 + random_below(state, SIDE)};
    m->cols  = square ? m->rows : 1 + random_below(state, SIDE);
    m->dtype = random_chance(state, 40) ? CAIRN_F32 : CAIRN_F64;
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->cols; j++)
            if (i == j || random_chance(state, 25))
                m->at[i][j] = as(random_below(state, 1000) / 7.0 - 71.3, m->dtype);
}

/// Store it, each rank giving the entries of some rows, which may be another's.
static cairn_status
store(cairn_context *c, const matrix *m, const char *text, cairn_tensor **tensor)
{
    static int64_t coord[SIDE * SIDE][2];
    static double  value[SIDE * SIDE];
    const int64_t  extent[2] = {m->rows, m->cols};
    const int      n         = cairn_context_size(c);
    int64_t        count     = 0;
    cairn_format  *format    = must_format(c, text);
    cairn_source  *source    = NULL;

    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->cols; j++) {
            if (m->at[i][j] == 0 || (i + 1) % n != cairn_context_rank(c)) continue;
            coord[count][0] = i;
            coord[count][1] = j;
            value[count++]  = m->at[i][j];
        }
    cairn_status status = cairn_source_from_coords(c, 2, extent, count, coord[0], value,
                                                   CAIRN_BY_NNZ, &source);

    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, m->dtype, tensor);
    cairn_source_destroy(&source);
    cairn_format_destroy(&format);
    return status;
}

/// A vector of the type, in f64 and as it is handed over.
typedef struct {
    double value[SIDE];
    float  narrow[SIDE];
} vector;

static void draw_vector(uint64_t *state, cairn_dtype dtype, vector *v)
{
    for (int k = 0; k < SIDE; k++) {
        v->value[k]  = as((random_below(state, 50) + 1) / 13.0, dtype);
        v->narrow[k] = (float)v->value[k];
    }
}

static const void *from(const vector *v, cairn_dtype dtype, int64_t first)
{
    return dtype == CAIRN_F32 ? (const void *)(v->narrow + first) : v->value + first;
}

/* ---- what is expected of this rank ---- */

/// Are this rank's entries and its diagonal the matrix's, bit for bit?
static bool is_matrix(const cairn_tensor *tensor, const matrix *m)
{
    static double got[SIDE][SIDE];
    cairn_entries e;
    vector        diagonal;
    int64_t       first, end;
    bool          same = true;

    memset(got, 0, sizeof got);
    cairn_entries_init(&e, 2);
    same = cairn_local_entries(tensor->local, &e) == CAIRN_OK;
    for (int64_t p = 0; p < e.n; p++)
        got[e.coord[0][p]][e.coord[1][p]] += e.value[p];
    cairn_entries_fini(tensor->local->env, &e);
    cairn_tensor_rows(tensor, &first, &end);
    memset(&diagonal, 0xff, sizeof diagonal);
    same =
        same
        && cairn_tensor_diagonal(tensor, m->dtype == CAIRN_F32 ? (void *)diagonal.narrow
                                                               : (void *)diagonal.value)
               == CAIRN_OK;
    for (int64_t i = first; i < end; i++) {
        const double d = m->dtype == CAIRN_F32 ? (double)diagonal.narrow[i - first]
                                               : diagonal.value[i - first];

        same = same && d == (i < m->cols ? m->at[i][i] : 0);
        for (int64_t j = 0; j < m->cols; j++)
            same = same && got[i][j] == m->at[i][j];
    }
    return same;
}

/// All norms. @return The first failure.
static cairn_status norms(const cairn_tensor *tensor, double norm[3])
{
    cairn_status status = CAIRN_OK;

    for (int k = 0; k < 3 && status == CAIRN_OK; k++)
        status = cairn_tensor_norm(tensor, (cairn_norm_kind)k, &norm[k]);
    return status;
}

/// Has the tensor the fingerprint, and if @p with_norms the norms, bit for bit, that one rank
/// computes of the matrix as COO?
///
/// Collective.
static bool has_sums_of(const cairn_tensor *tensor, const matrix *m, bool with_norms)
{
    cairn_tensor *alone   = NULL;
    double        norm[3] = {0}, own_norm[3] = {-1, -1, -1};
    uint64_t      print[2], own_print[2]     = {1, 1};

    MUST(some[0], store(some[0], m, "coo", &alone));
    MUST(some[0], norms(alone, norm));
    MUST(some[0], cairn_tensor_fingerprint(alone, print));
    cairn_tensor_destroy(&alone);
    return cairn_tensor_fingerprint(tensor, own_print) == CAIRN_OK
           && memcmp(own_print, print, sizeof print) == 0
           && (!with_norms
               || (norms(tensor, own_norm) == CAIRN_OK
                   && memcmp(own_norm, norm, sizeof norm) == 0));
}

static bool is_as(const cairn_tensor *tensor, const matrix *m)
{
    const bool sums_are = has_sums_of(tensor, m, true);

    return is_matrix(tensor, m) && sums_are;
}

/* ---- any format, any number of ranks ---- */

static void scale_dense(matrix *m, const vector *left, const vector *right)
{
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->cols; j++) {
            if (left) m->at[i][j] = as(left->value[i] * m->at[i][j], m->dtype);
            if (right) m->at[i][j] = as(m->at[i][j] * right->value[j], m->dtype);
        }
}

/// Scale and shift a matrix on the ranks of a context.
///
/// Collective. Goes on where this rank's values are wrong, as the others do.
///
/// @param[out] stored  Counts; some formats do not store some matrices.
static bool changes(cairn_context *c, uint64_t seed, const char *text, int *stored)
{
    uint64_t      state  = seed;
    cairn_tensor *tensor = NULL;
    matrix        m;
    vector        left, right;
    int64_t       first, end;

    draw(&state, random_chance(&state, 60), &m);
    draw_vector(&state, m.dtype, &left);
    draw_vector(&state, m.dtype, &right);
    if (store(c, &m, text, &tensor) != CAIRN_OK) return true;
    ++*stored;
    const bool square    = m.rows == m.cols;
    const bool has_left  = random_chance(&state, 70);
    const bool has_right = random_chance(&state, 70);
    bool       same      = is_as(tensor, &m);

    cairn_tensor_rows(tensor, &first, &end);
    same =
        cairn_tensor_scale(tensor, has_left ? from(&left, m.dtype, first) : NULL,
                           has_right ? from(&right, m.dtype, square ? first : 0) : NULL)
            == CAIRN_OK
        && same;
    scale_dense(&m, has_left ? &left : NULL, has_right ? &right : NULL);
    same                      = is_as(tensor, &m) && same;
    const cairn_status status = cairn_tensor_shift(tensor, -0.7);

    for (int64_t i = 0; i < m.rows && square; i++)
        m.at[i][i] = as(m.at[i][i] + as(-0.7, m.dtype), m.dtype);
    same = status == (square ? CAIRN_OK : CAIRN_BAD_SHAPE) && same;
    same = is_as(tensor, &m) && same;
    cairn_tensor_destroy(&tensor);
    return same;
}

Test(values, all_formats_are_as_on_one_rank)
{
    int stored = 0;

    for (int k = 0; k < FORMATS; k++)
        for (int n = 1; n <= size; n++)
            for (uint64_t s = 0; s < 3; s++) {
                const uint64_t seed = seed_clock() * 1000003 + s * 101 + (uint64_t)k;

                ON_ALL_RANKS(rank >= n || changes(some[n], seed, formats[k], &stored),
                             "%s on %d ranks, seed %llu: %s", formats[k], n,
                             (unsigned long long)seed, cairn_context_message(some[n]));
            }
    cr_expect(rank > 0 || stored > FORMATS * size * 2, "only %d were stored", stored);
}

/// Rows by their places, and in parts of the columns: fingerprints have the user's numbers.
Test(values, fingerprints_know_no_places)
{
    static const char *const texts[] = {
        "csr @ (d0 %% ranks)", "ell @ (7*d0 % ranks)",
        "csc @ (d0 %% ranks)", "hybrid<dia,csr,0.5> @ (d0 % ranks)",
        "csr @ graph",         "csr @ blocks<1,%d>",
        "csr @ blocks<%d,1>"};
    int stored = 0;

    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int n = 1; n <= size; n++)
            for (uint64_t s = 0; s < 3; s++) {
                const uint64_t seed   = seed_clock() * 1000003 + s * 103 + k;
                uint64_t       state  = seed;
                cairn_tensor  *tensor = NULL;
                matrix         m;
                char           text[64];
                bool           same = true;

                draw(&state, random_chance(&state, 60), &m);
                snprintf(text, sizeof text, texts[k], n);
                if (rank < n && store(some[n], &m, text, &tensor) == CAIRN_OK) {
                    same = has_sums_of(tensor, &m, false);
                    cairn_tensor_destroy(&tensor);
                    stored++;
                }
                ON_ALL_RANKS(same, "%s on %d ranks, seed %llu: %s", text, n,
                             (unsigned long long)seed, cairn_context_message(some[n]));
            }
    cr_expect(rank > 0 || stored > 12 * size, "only %d were stored", stored);
}

/* ---- few rows, and none ---- */

/// Two rows, so that ranks have none, whose `right` is NULL then; and no rows at all.
Test(values, ranks_may_have_no_rows)
{
    for (int rows = 2; rows >= 0; rows -= 2) {
        cairn_tensor *tensor = NULL;
        matrix        m      = {.rows = rows, .cols = rows, .dtype = CAIRN_F64};
        const vector  factor = {
             .value = {3, 0.1}
        };
        int64_t first, end;

        for (int i = 0; i < rows; i++)
            m.at[i][i] = m.at[i][1 - i] = 1 + i / 3.0;
        cairn_status status = store(some[size], &m, "csr", &tensor);

        ON_ALL_RANKS(status == CAIRN_OK, "%s", cairn_context_message(some[size]));
        cairn_tensor_rows(tensor, &first, &end);
        const void *own = first < end ? factor.value + first : NULL;

        status = cairn_tensor_scale(tensor, own, own);
        ON_ALL_RANKS(status == CAIRN_OK, "%s", cairn_context_message(some[size]));
        scale_dense(&m, &factor, &factor);
        ON_ALL_RANKS(is_as(tensor, &m), "%d rows", rows);
        status = cairn_tensor_shift(tensor, 1);
        ON_ALL_RANKS(status == CAIRN_OK, "%s", cairn_context_message(some[size]));
        for (int i = 0; i < rows; i++)
            m.at[i][i] += 1;
        ON_ALL_RANKS(is_as(tensor, &m), "%d rows", rows);
        cairn_tensor_destroy(&tensor);
    }
}

/* ---- refused on one rank ---- */

/// The call fails on all ranks in the same words, which have @p words among them; the
/// values are the same as before.
#define REFUSED_BY_ALL(words, call)                                                    \
    do {                                                                               \
        const cairn_status s_ = (call);                                                \
        char               message_[CAIRN_MESSAGE], other_[CAIRN_MESSAGE];             \
                                                                                       \
        snprintf(message_, sizeof message_, "%s", cairn_context_message(some[size]));  \
        memcpy(other_, message_, sizeof other_);                                       \
        MPI_Bcast(other_, sizeof other_, MPI_CHAR, 0, MPI_COMM_WORLD);                 \
        ON_ALL_RANKS(s_ == CAIRN_BAD_ARGUMENT && strstr(message_, words)               \
                         && strcmp(message_, other_) == 0,                             \
                     "%s: rank %d has %d: %s", #call, rank, (int)s_, message_);        \
        ON_ALL_RANKS(is_as(tensor, &m), "%s: values were changed on %d", #call, rank); \
    } while (0)

#define IF_LAST(wrong, right) (rank == size - 1 ? (wrong) : (right))

Test(values, all_ranks_learn_of_a_row_without_a_diagonal)
{
    static const struct {
        bool first, last; ///< Rows that have a diagonal.
        int  named;
    } cases[] = {
        {true,  false, SIDE - 1},
        {false, true,  0       },
        {false, false, 0       },
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cairn_tensor *tensor = NULL;
        matrix        m      = {.rows = SIDE, .cols = SIDE, .dtype = CAIRN_F64};
        char          words[40];

        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++)
                m.at[i][j] = 1 + i + j / 7.0;
        if (!cases[k].first) m.at[0][0] = 0;
        if (!cases[k].last) m.at[SIDE - 1][SIDE - 1] = 0;
        snprintf(words, sizeof words, "row %d has no entry on the diagonal",
                 cases[k].named);
        const cairn_status status = store(some[size], &m, "csr", &tensor);

        ON_ALL_RANKS(status == CAIRN_OK, "%s", cairn_context_message(some[size]));
        REFUSED_BY_ALL(words, cairn_tensor_shift(tensor, 0.5));
        cairn_tensor_destroy(&tensor);
    }
}

Test(values, arguments_are_the_same_on_all_ranks)
{
    uint64_t      state  = 5;
    cairn_tensor *tensor = NULL;
    double        norm   = -7;
    matrix        m;
    vector        factor;
    int64_t       first, end;

    do
        draw(&state, true, &m);
    while (m.rows < SIDE / 2); /* all ranks have rows */
    draw_vector(&state, m.dtype, &factor);
    const cairn_status status = store(some[size], &m, "hybrid<dia,csr,0.5>", &tensor);

    ON_ALL_RANKS(status == CAIRN_OK, "%s", cairn_context_message(some[size]));
    cairn_tensor_rows(tensor, &first, &end);
    const void *own = from(&factor, m.dtype, first);

    REFUSED_BY_ALL("norm: norm: is NULL",
                   cairn_tensor_norm(tensor, CAIRN_NORM_MAX, IF_LAST(NULL, &norm)));
    REFUSED_BY_ALL("norm: kind: 9 is none",
                   cairn_tensor_norm(tensor, (cairn_norm_kind)IF_LAST(9, 0), &norm));
    if (size > 1) {
        REFUSED_BY_ALL(
            "kind",
            cairn_tensor_norm(
                tensor, IF_LAST(CAIRN_NORM_INFINITY, CAIRN_NORM_FROBENIUS), &norm));
        REFUSED_BY_ALL("alpha", cairn_tensor_shift(tensor, IF_LAST(1.5, 1)));
        REFUSED_BY_ALL("right: is NULL here",
                       cairn_tensor_scale(tensor, own, IF_LAST(NULL, own)));
    }
    ON_ALL_RANKS(norm == -7, "a norm was written");
    cairn_tensor_destroy(&tensor);
}

/// Rows of some ranks are scaled, where the others have no factors.
Test(values, left_factors_may_be_of_one_rank)
{
    cairn_tensor *tensor = NULL;
    uint64_t      state  = 6;
    matrix        m;
    vector        factor;
    int64_t       first, end;

    draw(&state, true, &m);
    draw_vector(&state, m.dtype, &factor);
    cairn_status status = store(some[size], &m, "csc", &tensor);

    ON_ALL_RANKS(status == CAIRN_OK, "%s", cairn_context_message(some[size]));
    cairn_tensor_rows(tensor, &first, &end);
    status =
        cairn_tensor_scale(tensor, IF_LAST(from(&factor, m.dtype, first), NULL), NULL);
    ON_ALL_RANKS(status == CAIRN_OK, "%s", cairn_context_message(some[size]));
    MPI_Bcast(&first, 1, MPI_INT64_T, size - 1, MPI_COMM_WORLD);
    for (int64_t i = 0; i < first; i++)
        factor.value[i] = 1;
    scale_dense(&m, &factor, NULL);
    ON_ALL_RANKS(is_as(tensor, &m), "rank %d", rank);
    cairn_tensor_destroy(&tensor);
}
