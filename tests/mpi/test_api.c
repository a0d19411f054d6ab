// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The public interface on several ranks: communicators of the caller's own, a solver's
/// own rows, the same bits on any number of ranks, files from and for other numbers.

#include "api.h"
#include "rank_contexts.h"

#include <cairn/mpi.h>

#include <math.h>

static cairn_context *context; ///< Over all ranks.
static int64_t        blocks_before;

static void api_up(void)
{
    mpi_up();
    if (cairn_context_create_mpi(MPI_COMM_WORLD, &context) != CAIRN_OK) abort();
    blocks_before = must_settle(context);
}

static void api_down(void)
{
    must_end(&context, blocks_before);
    mpi_down();
}

TestSuite(api, .init = api_up, .fini = api_down, .timeout = 500);

/// The call succeeds on all ranks, or the test ends.
#define ALL(c, call)                                                             \
    do {                                                                         \
        const cairn_status s_ = (call);                                          \
        ON_ALL_RANKS(s_ == CAIRN_OK, "%s: %s", #call, cairn_context_message(c)); \
    } while (0)

/// Whether all ranks have the same status and message.
static bool agreed(const cairn_context *c, cairn_status status)
{
    char     text[1024] = {0};
    unsigned mine       = (unsigned)-status, low, high;

    snprintf(text, sizeof text, "%s", cairn_context_message(c));
    for (size_t k = 0; text[k]; k++)
        mine = mine * 31 + (unsigned char)text[k];
    MPI_Allreduce(&mine, &low, 1, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &high, 1, MPI_UNSIGNED, MPI_MAX, MPI_COMM_WORLD);
    return low == high;
}

static cairn_status
store(cairn_context *c, cairn_source *source, const char *text, cairn_tensor **tensor)
{
    cairn_format *format = NULL;
    cairn_status  status = cairn_format_create(c, text, &format);

    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, CAIRN_F64, tensor);
    cairn_format_destroy(&format);
    return status;
}

/// y = A x for the ramp, inside a plan that the caller destroys.
static cairn_status multiply(cairn_tensor *tensor, cairn_plan **plan)
{
    cairn_status status = cairn_plan_create_spmv(tensor, plan);
    int64_t      first, end;

    if (status != CAIRN_OK) return status;
    cairn_plan_columns(*plan, &first, &end);
    for (int64_t j = first; j < end; j++)
        cairn_plan_x(*plan)[j - first] = ramp(j);
    return cairn_plan_run(*plan, NULL, NULL);
}

/// Whether this rank's rows of y are the same bits as one rank alone gets for @p make.
static bool same_bits(cairn_tensor *tensor, const cairn_plan *plan, cairn_tensor *whole)
{
    int64_t     first, end;
    cairn_plan *alone = NULL;

    cairn_tensor_rows(tensor, &first, &end);
    bool same = multiply(whole, &alone) == CAIRN_OK
                && memcmp(cairn_plan_y(plan), cairn_plan_y(alone) + first,
                          (size_t)(end - first) * sizeof(double))
                       == 0;

    cairn_plan_destroy(&alone);
    return same;
}

static const char *const formats[] = {
    "csr",
    "csc",
    "coo",
    "dcsr",
    "csb<16,16>",
    "ell",
    "sell<4>",
    "dia",
    "bdia<16>",
    "bcsr<2,2>",
    "bell<2>",
    "lil",
    "c2sr<2>",
    "sell-sigma<4,8>",
    "hybrid<bdia<16>,csr>",
    "hybrid<ell,coo,0.5,0.5>",
    "hybrid<dia,csc,0.3>",
    "hybrid<bell<2>,csr,0.25>",
};

typedef cairn_status (*maker)(cairn_context *c, cairn_source **source);

/// Every format's product over all ranks against the same on this rank alone.
static void check_bits(maker make)
{
    cairn_context *own = NULL;
    cairn_source  *all = NULL, *single = NULL;

    ON_ALL_RANKS(cairn_context_create(&own) == CAIRN_OK, "no context");
    ALL(context, make(context, &all));
    ALL(own, make(own, &single));
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        cairn_tensor *tensor = NULL, *whole = NULL;
        cairn_plan   *plan = NULL;
        double        rel  = 1, abs;

        ALL(context, store(context, all, formats[k], &tensor));
        ALL(own, store(own, single, formats[k], &whole));
        ALL(context, multiply(tensor, &plan));
        ALL(context, cairn_plan_verify(plan, all, &rel, &abs));
        ON_ALL_RANKS(same_bits(tensor, plan, whole), "%s: other bits on rank %d",
                     formats[k], rank);
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
        cairn_tensor_destroy(&whole);
    }
    cairn_source_destroy(&all);
    cairn_source_destroy(&single);
    cairn_context_destroy(&own);
}

static cairn_status make_mixed(cairn_context *c, cairn_source **source)
{
    const cairn_problem size = {
        .size = sizeof(cairn_problem), .n = 301, .degree = 7, .seed = 11};

    return cairn_source_generate(c, "mixed", &size, source);
}

static cairn_status make_wide(cairn_context *c, cairn_source **source)
{
    const cairn_problem size = {.size    = sizeof(cairn_problem),
                                .rows    = 45,
                                .cols    = 333,
                                .density = 0.1,
                                .seed    = 2};

    return cairn_source_generate(c, "pruned", &size, source);
}

static cairn_status make_small(cairn_context *c, cairn_source **source)
{
    const cairn_problem size = {.size = sizeof(cairn_problem), .n = 2};

    return cairn_source_generate(c, "tridiag", &size, source);
}

Test(api, bits_do_not_depend_on_the_ranks)
{
    check_bits(make_mixed);
}

Test(api, bits_do_not_depend_on_the_ranks_when_wide)
{
    check_bits(make_wide);
}

Test(api, there_may_be_more_ranks_than_rows)
{
    check_bits(make_small);
}

/// A full row is cut at every 4,096 of its entries.
static cairn_status make_long(cairn_context *c, cairn_source **source)
{
    enum { N = 10000 };
    static int64_t coord[4 * N];
    static double  value[2 * N];
    const int64_t  extent[2] = {7, N};

    for (int64_t k = 0; k < 2 * N; k++) {
        coord[2 * k]     = k < N ? 2 : 5;
        coord[2 * k + 1] = k % N;
        value[k]         = (double)(k * 31 % 1013 + 1) / 1024;
    }
    return cairn_source_from_coords(c, 2, extent,
                                    cairn_context_rank(c) == 0 ? 2 * N : 0, coord,
                                    value, CAIRN_BY_NNZ, source);
}

Test(api, bits_of_long_rows_do_not_depend_on_the_ranks)
{
    static const char *const texts[] = {"csr", "coo", "dcsr", "csc",
                                        "hybrid<bdia<4>,csr>"};
    cairn_context           *own     = NULL;
    cairn_source            *all = NULL, *single = NULL;

    ON_ALL_RANKS(cairn_context_create(&own) == CAIRN_OK, "no context");
    ALL(context, make_long(context, &all));
    ALL(own, make_long(own, &single));
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        cairn_tensor *tensor = NULL, *whole = NULL;
        cairn_plan   *plan = NULL;

        ALL(context, store(context, all, texts[k], &tensor));
        ALL(own, store(own, single, texts[k], &whole));
        ALL(context, multiply(tensor, &plan));
        ON_ALL_RANKS(same_bits(tensor, plan, whole), "%s: other bits", texts[k]);
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&tensor);
        cairn_tensor_destroy(&whole);
    }
    cairn_source_destroy(&all);
    cairn_source_destroy(&single);
    cairn_context_destroy(&own);
}

/// The product over the ranks of @p c is right; its ranks alone take part.
static bool works(cairn_context *c)
{
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;
    cairn_plan   *plan   = NULL;
    double        rel = 1, abs = 1;

    const bool ok = make_mixed(c, &source) == CAIRN_OK
                    && store(c, source, "hybrid<bdia<16>,csr>", &tensor) == CAIRN_OK
                    && multiply(tensor, &plan) == CAIRN_OK
                    && cairn_plan_verify(plan, source, &rel, &abs) == CAIRN_OK;

    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    return ok;
}

Test(api, half_of_the_ranks_work_by_themselves)
{
    cairn_context *half = NULL;
    MPI_Comm       split;
    int            split_size, split_rank;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &split);
    MPI_Comm_size(split, &split_size);
    MPI_Comm_rank(split, &split_rank);
    ON_ALL_RANKS(cairn_context_create_mpi(split, &half) == CAIRN_OK, "no context");
    MPI_Comm_free(&split); /* the context has a duplicate */

    ON_ALL_RANKS(cairn_context_size(half) == split_size, "size");
    ON_ALL_RANKS(cairn_context_rank(half) == split_rank, "rank");
    ON_ALL_RANKS(works(half), "half: %s", cairn_context_message(half));
    ON_ALL_RANKS(works(context), "all: %s", cairn_context_message(context));
    cairn_context_destroy(&half);
}

Test(api, a_communicator_comes_as_its_fortran_handle)
{
    cairn_context *fortran = NULL;

    ON_ALL_RANKS(
        cairn_context_create_fortran((int)MPI_Comm_c2f(MPI_COMM_WORLD), &fortran)
            == CAIRN_OK,
        "no context");
    ON_ALL_RANKS(cairn_context_size(fortran) == size, "size");
    ON_ALL_RANKS(works(fortran), "%s", cairn_context_message(fortran));
    cairn_context_destroy(&fortran);
}

enum { ROWS = 60, COLS = 47 };

/// Rows first .. end-1 of a matrix that every rank knows, as a solver holds them.
typedef struct {
    int64_t first, end;
    int32_t ptr[ROWS + 1];
    int64_t idx[ROWS * 4];
    double  val[ROWS * 4];
} rows_of;

static void fill(rows_of *a, int64_t first, int64_t end, int step)
{
    int32_t n = 0;

    a->first  = first;
    a->end    = end;
    a->ptr[0] = 0;
    for (int64_t i = first; i < end; i++) {
        for (int t = 0; t < i % 5; t++, n++) {
            a->idx[n] = (i * 11 + t * t * 7) % COLS; /* now and then one twice */
            a->val[n] = (double)((i * 13 + t * 29 + step * 17) % 64 + 1) / 64;
        }
        a->ptr[i - first + 1] = n;
    }
}

static cairn_status take(cairn_context  *c,
                         const rows_of  *a,
                         const char     *text,
                         cairn_copy_mode mode,
                         cairn_tensor  **tensor)
{
    cairn_format *format = NULL;
    cairn_status  status = text ? cairn_format_create(c, text, &format) : CAIRN_OK;

    if (status == CAIRN_OK)
        status = cairn_tensor_from_csr(c, ROWS, COLS, a->first, a->end - a->first,
                                       a->ptr, 32, a->idx, 64, a->val, CAIRN_F64, mode,
                                       format, tensor);
    cairn_format_destroy(&format);
    return status;
}

/// Own rows of each rank, as the case says: even; none on even ranks; all on the last;
/// odd boundaries that cut through blocks.
static void own_rows(int kind, int64_t *first, int64_t *end)
{
    const int odd = (size + 1) / 2, k = (rank + 1) / 2;

    switch (kind) {
    case 0: *first = ROWS * rank / size, *end = ROWS * (rank + 1) / size; break;
    case 1:
        *first = rank % 2 ? (int64_t)ROWS * (k - 1) / odd : (int64_t)ROWS * k / odd;
        *end   = rank == size - 1 ? ROWS : (int64_t)ROWS * k / odd;
        break;
    case 2: *first = 0, *end = rank == size - 1 ? ROWS : 0; break;
    default:
        *first = rank == 0 ? 0 : rank * 7;
        *end   = rank == size - 1 ? ROWS : (rank + 1) * 7;
    }
}

static void check_rows(int kind, const char *text)
{
    static rows_of a, b;
    cairn_context *own    = NULL;
    cairn_tensor  *tensor = NULL, *whole = NULL;
    cairn_plan    *plan = NULL;
    int64_t        first, end, got[2];

    own_rows(kind, &first, &end);
    ON_ALL_RANKS(cairn_context_create(&own) == CAIRN_OK, "no context");
    fill(&a, first, end, 0);
    ALL(context, take(context, &a, text, CAIRN_BORROW, &tensor));
    cairn_tensor_rows(tensor, &got[0], &got[1]);
    ON_ALL_RANKS(got[0] == first && got[1] == end, "rows %ld..%ld", (long)got[0],
                 (long)got[1]);
    for (int step = 0; step < 3; step++) {
        fill(&a, first, end, step);
        fill(&b, 0, ROWS, step);
        if (text) ALL(context, cairn_tensor_update(tensor, a.val));
        ALL(own, take(own, &b, text, CAIRN_COPY, &whole));
        ALL(context, multiply(tensor, &plan));
        /* Without a format duplicates stay apart in both, in the same order: but a copy
         * is sorted, so that only its own format's products are held to its bits. */
        if (text)
            ON_ALL_RANKS(same_bits(tensor, plan, whole), "%s: kind %d", text, kind);
        for (int64_t i = first; i < end; i++) {
            long double sum = 0;

            for (int32_t k = a.ptr[i - first]; k < a.ptr[i - first + 1]; k++)
                sum += a.val[k] * ramp(a.idx[k]);
            cr_expect_float_eq(cairn_plan_y(plan)[i - first], (double)sum, 1e-14);
        }
        cairn_plan_destroy(&plan);
        cairn_tensor_destroy(&whole);
    }
    cairn_tensor_destroy(&tensor);
    cairn_context_destroy(&own);
}

Test(api, a_solver_brings_its_own_rows)
{
    static const char *const texts[] = {
        NULL, "csr", "ell", "dia", "bcsr<4,4>", "sell<4>", "hybrid<bdia<8>,csr,0.3>"};

    for (int kind = 0; kind < 4; kind++)
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            check_rows(kind, texts[k]);
}

/// Ranks with and without rows get one answer, and can convert to it together.
static void check_choice(int kind)
{
    static rows_of           a;
    const cairn_auto_options one  = {.size = sizeof(cairn_auto_options), .replays = 1};
    const cairn_auto_options many = {.size       = sizeof(cairn_auto_options),
                                     .replays    = INT64_C(1) << 40,
                                     .tries      = -1,
                                     .candidates = "ell\nbcsr<2,2>\nsell<8>"};
    cairn_tensor            *tensor = NULL, *made = NULL;
    cairn_format            *format = NULL;
    cairn_plan              *plan   = NULL;
    int64_t                  first, end;
    bool                     right = true;

    own_rows(kind, &first, &end);
    fill(&a, first, end, 0);
    ALL(context, take(context, &a, NULL, CAIRN_BORROW, &tensor));
    ALL(context, cairn_tensor_auto(tensor, NULL, &one, &format, NULL));
    ON_ALL_RANKS(!format, "kind %d: %s", kind, cairn_format_text(format));
    ALL(context, cairn_tensor_auto(tensor, NULL, &many, &format, NULL));
    if (format) ALL(context, cairn_tensor_convert(tensor, format, &made));
    ALL(context, multiply(made ? made : tensor, &plan));
    for (int64_t i = first; i < end; i++) {
        long double sum = 0;

        for (int32_t k = a.ptr[i - first]; k < a.ptr[i - first + 1]; k++)
            sum += a.val[k] * ramp(a.idx[k]);
        right = right && fabs(cairn_plan_y(plan)[i - first] - (double)sum) <= 1e-14;
    }
    ON_ALL_RANKS(right, "kind %d", kind);
    cairn_plan_destroy(&plan);
    cairn_format_destroy(&format);
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&tensor);
}

Test(api, a_solvers_rows_stay_or_are_converted_on_all_ranks)
{
    for (int kind = 0; kind < 4; kind++)
        check_choice(kind);
}

/// A solver's first values may all be 0; what x a rank needs follows from the pattern.
static void check_late_values(const char *text)
{
    static rows_of a;
    cairn_tensor  *tensor = NULL;
    cairn_plan    *plan   = NULL;
    int64_t        first, end;
    bool           right = true;

    own_rows(0, &first, &end);
    fill(&a, first, end, 0);
    memset(a.val, 0, sizeof a.val);
    ALL(context, take(context, &a, text, CAIRN_COPY, &tensor));
    ALL(context, multiply(tensor, &plan));
    fill(&a, first, end, 1);
    ALL(context, cairn_tensor_update(tensor, a.val));
    ALL(context, cairn_plan_run(plan, NULL, NULL));
    for (int64_t i = first; i < end; i++) {
        long double sum = 0;

        for (int32_t k = a.ptr[i - first]; k < a.ptr[i - first + 1]; k++)
            sum += a.val[k] * ramp(a.idx[k]);
        right = right && fabs(cairn_plan_y(plan)[i - first] - (double)sum) <= 1e-14;
    }
    ON_ALL_RANKS(right, "%s", text);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
}

Test(api, values_that_were_zero_at_first_meet_their_x)
{
    static const char *const texts[] = {"csr",
                                        "ell",
                                        "dia",
                                        "bcsr<4,4>",
                                        "sell<4>",
                                        "hybrid<bdia<8>,csr,0.3>",
                                        "hybrid<ell,coo,0.5,0.5>"};

    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        check_late_values(texts[k]);
}

Test(api, wrong_rows_are_refused_on_all_ranks)
{
    static rows_of a;
    cairn_tensor  *tensor = NULL;
    cairn_status   status;

    /* Everybody has everything: rows overlap (but for one rank alone). */
    fill(&a, 0, ROWS, 0);
    status = take(context, &a, NULL, CAIRN_BORROW, &tensor);
    ON_ALL_RANKS(agreed(context, status), "overlap: %d", status);
    ON_ALL_RANKS(status == (size == 1 ? CAIRN_OK : CAIRN_BAD_SHAPE), "overlap: %d",
                 status);
    cairn_tensor_destroy(&tensor);

    /* The last row is nobody's. */
    fill(&a, ROWS * rank / size, rank == size - 1 ? ROWS - 1 : ROWS * (rank + 1) / size,
         0);
    status = take(context, &a, "csr", CAIRN_COPY, &tensor);
    ON_ALL_RANKS(agreed(context, status), "gap: %d", status);
    ON_ALL_RANKS(status == CAIRN_BAD_SHAPE, "gap: %d", status);

    /* Against the order of the ranks. */
    fill(&a, ROWS * (size - 1 - rank) / size, ROWS * (size - rank) / size, 0);
    status = take(context, &a, NULL, CAIRN_COPY, &tensor);
    ON_ALL_RANKS(agreed(context, status), "order: %d", status);
    ON_ALL_RANKS(status == (size == 1 ? CAIRN_OK : CAIRN_BAD_SHAPE), "order: %d",
                 status);
    cairn_tensor_destroy(&tensor);

    /* One rank's column is outside. */
    fill(&a, ROWS * rank / size, ROWS * (rank + 1) / size, 0);
    if (rank == size - 1) a.idx[1] = COLS;
    status = take(context, &a, "ell", CAIRN_COPY, &tensor);
    ON_ALL_RANKS(agreed(context, status), "column: %d", status);
    ON_ALL_RANKS(status == CAIRN_BAD_COORD, "column: %d", status);
    ON_ALL_RANKS(tensor == NULL, "an output of a failure");
}

Test(api, ranks_that_disagree_about_the_matrix_are_told)
{
    const int32_t ptr[]  = {0, 0};
    cairn_tensor *tensor = NULL;
    cairn_status  status =
        cairn_tensor_from_csr(context, size, rank == size - 1 ? 6 : 5, rank, 1, ptr, 32,
                              ptr, 32, ptr, CAIRN_F64, CAIRN_COPY, NULL, &tensor);

    ON_ALL_RANKS(agreed(context, status), "columns: %d", status);
    ON_ALL_RANKS(status == (size == 1 ? CAIRN_OK : CAIRN_BAD_SHAPE), "columns: %d",
                 status);
    cairn_tensor_destroy(&tensor);

    status =
        cairn_tensor_from_csr(context, rank == 0 ? size : size + 1, 5, rank, 1, ptr, 32,
                              ptr, 32, ptr, CAIRN_F64, CAIRN_BORROW, NULL, &tensor);
    ON_ALL_RANKS(agreed(context, status), "rows: %d", status);
    ON_ALL_RANKS(status == (size == 1 ? CAIRN_OK : CAIRN_BAD_SHAPE), "rows: %d",
                 status);
    cairn_tensor_destroy(&tensor);
}

Test(api, wrong_coordinates_of_one_rank_are_told_to_all)
{
    const int64_t extent[2] = {9, 9}, good[] = {rank, 1}, bad[] = {0, 9};
    cairn_source *source = NULL;
    cairn_status  status =
        cairn_source_from_coords(context, 2, extent, 1, rank == size - 1 ? bad : good,
                                 NULL, CAIRN_BY_ROWS, &source);

    ON_ALL_RANKS(agreed(context, status), "%d", status);
    ON_ALL_RANKS(status == CAIRN_BAD_COORD, "%d", status);
    ON_ALL_RANKS(source == NULL, "an output of a failure");
}

Test(api, duplicates_of_several_ranks_are_added_in_rank_order)
{
    const int64_t extent[2] = {4, 4}, coord[] = {3, 2};
    const double big[] = {1e16, 1, -1e16, 0.5}; /* only in this order: 0.5 at 4 ranks */
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;
    double        want   = 0;
    char         *text   = NULL;

    for (int r = 0; r < size; r++)
        want += big[r % 4];
    ALL(context, cairn_source_from_coords(context, 2, extent, 1, coord, &big[rank % 4],
                                          CAIRN_BY_ROWS, &source));
    ALL(context, store(context, source, "coo", &tensor));
    int64_t first, end;
    bool    right = true;

    cairn_tensor_rows(tensor, &first, &end);
    if (first <= 3 && 3 < end) {
        right = cairn_tensor_array_text(tensor, 0, 2, &text) == CAIRN_OK
                && strtod(text + 1, NULL) == want;
        cairn_text_free(context, &text);
    }
    ON_ALL_RANKS(right, "the sum is not %g", want);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// The bytes of a source written as text by @p c, on rank 0.
static char *text_of(cairn_context *c, cairn_source *source, const char *path)
{
    size_t length;

    if (cairn_source_write(source, path) != CAIRN_OK) return NULL;
    return cairn_context_rank(c) == 0 ? scratch_read(path, &length) : NULL;
}

/// Written by @p writers, read by @p readers: the same entries.
static bool travels(cairn_context *writers,
                    cairn_context *readers,
                    const char    *folder,
                    const char    *format)
{
    char          native[100], text[100];
    cairn_source *source = NULL, *back = NULL;
    cairn_tensor *tensor = NULL;
    char         *want = NULL, *got = NULL;
    bool          ok = true;

    snprintf(native, sizeof native, "%s/a.cairn", folder);
    snprintf(text, sizeof text, "%s/a.mtx", folder);
    if (writers) {
        ok = make_mixed(writers, &source) == CAIRN_OK
             && store(writers, source, format, &tensor) == CAIRN_OK
             && cairn_tensor_write(tensor, native, NULL) == CAIRN_OK;
        want = text_of(writers, source, text);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (readers) {
        ok  = cairn_source_read(readers, native, CAIRN_BY_NNZ, &back) == CAIRN_OK && ok;
        got = back ? text_of(readers, back, text) : NULL;
    }
    if (rank == 0) ok = ok && want && got && strcmp(want, got) == 0;
    free(want);
    free(got);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_source_destroy(&back);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) remove(native), remove(text);
    return ok;
}

Test(api, files_are_read_on_other_numbers_of_ranks)
{
    static const char *const texts[] = {"csr", "ell",     "bdia<16>",
                                        "dok", "cisr<2>", "hybrid<bdia<16>,csr>"};
    char                     folder[64];
    cairn_context           *some[5] = {0};

    shared_scratch(folder);
    rank_contexts_open(some);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int n = 1; n <= size; n++)
            for (int m = 1; m <= size; m++)
                ON_ALL_RANKS(travels(some[n], some[m], folder, texts[k]),
                             "%s from %d ranks to %d", texts[k], n, m);
    rank_contexts_close(some);
    if (rank == 0) rmdir(folder);
}

Test(api, statistics_are_of_the_whole_matrix)
{
    cairn_source     *all = NULL, *single = NULL;
    cairn_context    *own = NULL;
    cairn_source_info a = CAIRN_SOURCE_INFO, b = CAIRN_SOURCE_INFO;

    ON_ALL_RANKS(cairn_context_create(&own) == CAIRN_OK, "no context");
    ALL(context, make_mixed(context, &all));
    ALL(own, make_mixed(own, &single));
    ALL(context, cairn_source_describe(all, &a));
    ALL(own, cairn_source_describe(single, &b));
    ON_ALL_RANKS(a.nnz == b.nnz && a.diagonals == b.diagonals && a.max_row == b.max_row
                     && a.empty_rows == b.empty_rows
                     && a.bandwidth_lower == b.bandwidth_lower
                     && a.bandwidth_upper == b.bandwidth_upper,
                 "rank %d", rank);
    cairn_source_destroy(&all);
    cairn_source_destroy(&single);
    cairn_context_destroy(&own);
}
