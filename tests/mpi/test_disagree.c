// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks that were not told the same: every call that all ranks make together fails on all
/// of them, with the same status and message, and the next call works. What is each rank's
/// own may differ.

#include "api.h"
#include "api/api.h"
#include "comm/collective.h"
#include "mpi_suite.h"

#include <cairn/mpi.h>

static cairn_context *context;
static int64_t        blocks_before;

static void disagree_up(void)
{
    mpi_up();
    if (cairn_context_create_mpi(MPI_COMM_WORLD, &context) != CAIRN_OK) abort();
    blocks_before = must_settle(context);
}

static void disagree_down(void)
{
    must_end(&context, blocks_before);
    mpi_down();
}

TestSuite(disagree, .init = disagree_up, .fini = disagree_down, .timeout = 500);

/// Whether this rank is the one that is told something else.
static bool odd(void)
{
    return rank == size - 1;
}

/// Whether rank 0 has the same status and message.
static bool as_rank_0(cairn_status status)
{
    char mine[1100], its[1100];

    memset(mine, 0, sizeof mine);
    snprintf(mine, sizeof mine, "%d %s", status, cairn_context_message(context));
    memcpy(its, mine, sizeof its);
    MPI_Bcast(its, sizeof its, MPI_CHAR, 0, MPI_COMM_WORLD);
    return memcmp(mine, its, sizeof its) == 0;
}

/// The call fails on all ranks for what they disagree about, which the message has with
/// both values and the last rank's number: none waits, none succeeds.
#define TOLD_APART(what, zero, last, call)                                            \
    do {                                                                              \
        char               words_[256];                                               \
        const cairn_status s_ = (call);                                               \
                                                                                      \
        snprintf(words_, sizeof words_,                                               \
                 "%s: ranks disagree: %s on rank 0, %s on rank %d", what, zero, last, \
                 size - 1);                                                           \
        ON_ALL_RANKS(as_rank_0(s_), "%s: rank %d has %d: %s", #call, rank, s_,        \
                     cairn_context_message(context));                                 \
        ON_ALL_RANKS(s_ == CAIRN_BAD_ARGUMENT                                         \
                         && strstr(cairn_context_message(context), words_),           \
                     "%s: %d: %s, not %s", #call, s_, cairn_context_message(context), \
                     words_);                                                         \
    } while (0)

#define FINE(call)                                                                     \
    do {                                                                               \
        const cairn_status s_ = (call);                                                \
        ON_ALL_RANKS(s_ == CAIRN_OK, "%s: %s", #call, cairn_context_message(context)); \
    } while (0)

/// The call fails on all ranks with the same status and message.
#define REFUSED_ALIKE(code, call)                                                   \
    do {                                                                            \
        const cairn_status s_ = (call);                                             \
        ON_ALL_RANKS(s_ == CAIRN_##code && as_rank_0(s_), "%s: rank %d has %d: %s", \
                     #call, rank, s_, cairn_context_message(context));              \
    } while (0)

/// The grid that most tests are about.
static cairn_status grid(cairn_source **source)
{
    const cairn_problem problem = {
        .size = sizeof(cairn_problem), .nx = 12, .ny = 10, .seed = 1};

    return cairn_source_generate(context, "stencil5", &problem, source);
}

static const char by_rows[] =
    "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>";
static const char by_cols[] =
    "#encoding<{ idx_map<(d0,d1)->(d1,d0)>, mutation<merge(0), trim(1,1)> }>";
static const char in_bands[] = "#encoding<{ idx_map<(d0,d1)->(d0/32,d1-d0,d0%32)>, "
                               "mutation<merge(0), trim(1,1)> }>";
static const char one_line[] =
    "#encoding<{ idx_map<(d0)->(d0)>, mutation<trim(0,0)> }>";

Test(disagree, about_types_of_values)
{
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;
    cairn_format *format = must_format(context, by_rows);

    FINE(grid(&source));
    TOLD_APART(
        "dtype", "f64", "f32",
        cairn_tensor_create(source, format, odd() ? CAIRN_F32 : CAIRN_F64, &tensor));
    ON_ALL_RANKS(tensor == NULL, "an output was touched");
    FINE(cairn_tensor_create(source, format, CAIRN_F32, &tensor));
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

Test(disagree, about_formats)
{
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL, *other = NULL;
    cairn_format *rows  = must_format(context, by_rows);
    cairn_format *mine  = must_format(context, odd() ? by_cols : by_rows);
    cairn_format *moved = must_format(context, odd() ? in_bands : by_rows);
    cairn_format *line  = must_format(context, odd() ? one_line : by_rows);
    int64_t       bytes = -1;

    FINE(grid(&source));
    TOLD_APART("format", by_rows, by_cols,
               cairn_tensor_create(source, mine, CAIRN_F64, &tensor));
    REFUSED_ALIKE(BAD_SHAPE, cairn_tensor_create(source, line, CAIRN_F64, &tensor));
    FINE(cairn_tensor_create(source, rows, CAIRN_F64, &tensor));
    TOLD_APART("format", by_rows, by_cols, cairn_tensor_convert(tensor, mine, &other));
    /* One rank's rows would move, the others' not. */
    TOLD_APART("format", by_rows, in_bands,
               cairn_tensor_convert(tensor, moved, &other));
    REFUSED_ALIKE(BAD_SHAPE, cairn_tensor_convert(tensor, line, &other));
    TOLD_APART("format", by_rows, by_cols, cairn_tensor_bytes_as(tensor, mine, &bytes));
    ON_ALL_RANKS(other == NULL && bytes == -1, "an output was touched");
    cairn_format_destroy(&line);
    line = must_format(context, in_bands);
    FINE(cairn_tensor_convert(tensor, line, &other));
    cairn_tensor_destroy(&other);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_format_destroy(&rows);
    cairn_format_destroy(&mine);
    cairn_format_destroy(&moved);
    cairn_format_destroy(&line);
}

/// Long texts that begin alike are told apart, too.
Test(disagree, about_the_end_of_a_long_format)
{
    char          text[700];
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;
    cairn_format *format;

    snprintf(text, sizeof text, "#hybrid<{ fmats = [%s, %s], thresholds = [%s] }>",
             by_cols, by_rows, odd() ? "0.25" : "0.5");
    format = must_format(context, text);
    FINE(grid(&source));
    const cairn_status status = cairn_tensor_create(source, format, CAIRN_F64, &tensor);

    ON_ALL_RANKS(status == CAIRN_BAD_ARGUMENT && as_rank_0(status), "%d: %s", status,
                 cairn_context_message(context));
    ON_ALL_RANKS(strstr(cairn_context_message(context), "format: ranks disagree"), "%s",
                 cairn_context_message(context));
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

Test(disagree, about_extents)
{
    const int64_t extent[] = {40, odd() ? 31 : 30, 2}, own[] = {rank, 1, 1};
    const int64_t square[] = {40, 40};
    const int64_t wrong[]  = {40, odd() ? -1 : 40};
    cairn_source *source   = NULL;

    TOLD_APART("extent 1", "30", "31",
               cairn_source_from_coords(context, 2, extent, 1, own, NULL, CAIRN_BY_NNZ,
                                        &source));
    TOLD_APART("order", "2", "3",
               cairn_source_from_coords(context, odd() ? 3 : 2, extent, 1, own, NULL,
                                        CAIRN_BY_NNZ, &source));
    TOLD_APART("division", "by entries", "by rows",
               cairn_source_from_coords(context, 2, square, 1, own, NULL,
                                        odd() ? CAIRN_BY_ROWS : CAIRN_BY_NNZ, &source));
    REFUSED_ALIKE(BAD_SHAPE, cairn_source_from_coords(context, 2, wrong, 1, own, NULL,
                                                      CAIRN_BY_NNZ, &source));
    ON_ALL_RANKS(source == NULL, "an output was touched");
    /* How many entries a rank has is its own. */
    FINE(cairn_source_from_coords(context, 2, square, odd() ? 0 : 1, own, NULL,
                                  CAIRN_BY_NNZ, &source));
    cairn_source_destroy(&source);
}

static cairn_status
generate(const char *kind, cairn_problem problem, cairn_source **source)
{
    return cairn_source_generate(context, kind, &problem, source);
}

Test(disagree, about_generated_problems)
{
    const int64_t offset[] = {-3, 0, odd() ? 5 : 4};
    cairn_source *source   = NULL;

    TOLD_APART("kind", "stencil5", "tridiag",
               generate(odd() ? "tridiag" : "stencil5",
                        (cairn_problem){
                            .size = sizeof(cairn_problem), .nx = 9, .ny = 8, .n = 72},
                        &source));
    TOLD_APART("ny", "8", "9",
               generate("stencil5",
                        (cairn_problem){.size = sizeof(cairn_problem),
                                        .nx   = 9,
                                        .ny   = odd() ? 9 : 8},
                        &source));
    TOLD_APART("seed", "7", "8",
               generate("uniform",
                        (cairn_problem){.size   = sizeof(cairn_problem),
                                        .n      = 50,
                                        .degree = 3,
                                        .seed   = odd() ? 8 : 7},
                        &source));
    TOLD_APART("density", "0.25", "0.5",
               generate("pruned",
                        (cairn_problem){.size    = sizeof(cairn_problem),
                                        .rows    = 30,
                                        .cols    = 30,
                                        .density = odd() ? 0.5 : 0.25},
                        &source));
    TOLD_APART("offsets", "-3,0,4", "-3,0,5",
               generate("banded",
                        (cairn_problem){.size         = sizeof(cairn_problem),
                                        .n            = 30,
                                        .offsets      = offset,
                                        .offset_count = 3},
                        &source));
    REFUSED_ALIKE(BAD_OPTION,
                  generate(odd() ? "no such kind" : "tridiag",
                           (cairn_problem){.size = sizeof(cairn_problem), .n = 20},
                           &source));
    ON_ALL_RANKS(source == NULL, "an output was touched");
    /* What a kind does not read may be anything. */
    FINE(generate("tridiag",
                  (cairn_problem){.size = sizeof(cairn_problem), .n = 20, .nx = rank},
                  &source));
    cairn_source_destroy(&source);
}

Test(disagree, about_products)
{
    const cairn_product_options columns = {sizeof(cairn_product_options), odd() ? 4 : 3,
                                           0, 1, 0};
    const cairn_product_options none = {sizeof(cairn_product_options), odd() ? 0 : 1, 0,
                                        1, 0};
    const cairn_product_options turned   = {sizeof(cairn_product_options), 1, odd(), 1,
                                            0};
    const cairn_product_options factor   = {sizeof(cairn_product_options), 1, 0,
                                          odd() ? 0.5 : 1, 0};
    const cairn_product_options adding   = {sizeof(cairn_product_options), 1, 0, 1,
                                          odd() ? 1 : 0};
    const cairn_plan_options    same     = {.size         = sizeof(cairn_plan_options),
                                            .reproducible = odd()};
    cairn_auto_options          options  = {.size  = sizeof(cairn_auto_options),
                                            .tries = odd() ? -1 : -2};
    cairn_auto_options          offers   = {.size       = sizeof(cairn_auto_options),
                                            .candidates = odd() ? "coo" : "csr"};
    const cairn_auto_options    products = {.size    = sizeof(cairn_auto_options),
                                            .replays = odd() ? 500 : 1};
    cairn_source               *source   = NULL;
    cairn_tensor               *tensor   = NULL;
    cairn_plan                 *plan     = NULL;
    cairn_format               *format = must_format(context, by_rows), *found = NULL;

    FINE(grid(&source));
    FINE(cairn_tensor_create(source, format, CAIRN_F64, &tensor));
    TOLD_APART("columns", "3", "4", cairn_plan_create_product(tensor, &columns, &plan));
    TOLD_APART("transposed", "no", "yes",
               cairn_plan_create_product(tensor, &turned, &plan));
    TOLD_APART("alpha", "1", "0.5", cairn_plan_create_product(tensor, &factor, &plan));
    TOLD_APART("beta", "0", "1", cairn_plan_create_product(tensor, &adding, &plan));
    TOLD_APART("reproducible", "no", "yes",
               cairn_plan_create_with(tensor, &same, &plan));
    REFUSED_ALIKE(BAD_ARGUMENT, cairn_plan_create_product(tensor, &none, &plan));
    TOLD_APART("columns", "3", "4",
               cairn_format_auto(source, CAIRN_F64, &columns, NULL, &found, NULL));
    TOLD_APART("dtype", "f64", "f32",
               cairn_format_auto(source, odd() ? CAIRN_F32 : CAIRN_F64, NULL, NULL,
                                 &found, NULL));
    TOLD_APART("tries", "-2", "-1",
               cairn_format_auto(source, CAIRN_F64, NULL, &options, &found, NULL));
    TOLD_APART("candidates", "csr", "coo",
               cairn_format_auto(source, CAIRN_F64, NULL, &offers, &found, NULL));
    REFUSED_ALIKE(BAD_ARGUMENT,
                  cairn_format_auto(source, CAIRN_F64, &none, NULL, &found, NULL));
    TOLD_APART("columns", "3", "4",
               cairn_tensor_auto(tensor, &columns, NULL, &found, NULL));
    TOLD_APART("tries", "-2", "-1",
               cairn_tensor_auto(tensor, NULL, &options, &found, NULL));
    TOLD_APART("replays", "1", "500", /* the one looks, the other does not */
               cairn_tensor_auto(tensor, NULL, &products, &found, NULL));
    ON_ALL_RANKS(!plan && !found, "an output was touched");
    FINE(cairn_tensor_auto(tensor, NULL, NULL, &found, NULL));
    cairn_format_destroy(&found);
    FINE(cairn_plan_create_spmv(tensor, &plan));
    FINE(cairn_plan_run(plan, NULL, NULL));
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

/// A solver's rows: unequal numbers of them, two entries each.
static cairn_status take(cairn_dtype         dtype,
                         cairn_copy_mode     mode,
                         const cairn_format *format,
                         cairn_tensor      **tensor)
{
    static int32_t      ptr[10];
    static int64_t      idx[20];
    static const double val[20] = {1, 2, 3, 4, 5, 6, 7, 8};
    const int64_t       first = rank * (rank + 1) / 2 + rank, rows = rank + 2;
    const int64_t       n = size * (size + 1) / 2 + size;

    for (int k = 0; k < rows; k++)
        ptr[k + 1] = 2 * k + 2, idx[2 * k] = 0, idx[2 * k + 1] = 1 + k % 2;
    return cairn_tensor_from_csr(context, n, n, first, rows, ptr, 32, idx, 64, val,
                                 dtype, mode, format, tensor);
}

Test(disagree, about_a_solvers_rows)
{
    cairn_format *rows   = must_format(context, by_rows);
    cairn_format *mine   = must_format(context, odd() ? by_cols : by_rows);
    cairn_tensor *tensor = NULL;

    TOLD_APART("dtype", "f64", "f32",
               take(odd() ? CAIRN_F32 : CAIRN_F64, CAIRN_COPY, rows, &tensor));
    TOLD_APART("format", by_rows, by_cols, take(CAIRN_F64, CAIRN_COPY, mine, &tensor));
    TOLD_APART("arrays", "borrowed", "copied",
               take(CAIRN_F64, odd() ? CAIRN_COPY : CAIRN_BORROW, NULL, &tensor));
    TOLD_APART("arrays", "borrowed", "stored in a format",
               take(CAIRN_F64, CAIRN_BORROW, odd() ? rows : NULL, &tensor));
    ON_ALL_RANKS(tensor == NULL, "an output was touched");
    FINE(take(CAIRN_F64, CAIRN_COPY, rows, &tensor));
    cairn_tensor_destroy(&tensor);
    FINE(take(CAIRN_F64, CAIRN_BORROW, NULL, &tensor));
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&rows);
    cairn_format_destroy(&mine);
}

Test(disagree, about_files)
{
    char          folder[64], a[100], b[100], columns[100], native[100];
    cairn_source *source = NULL, *back = NULL;
    cairn_tensor *tensor = NULL;
    cairn_plan   *plan   = NULL;
    cairn_format *format = must_format(context, by_rows);
    bool          is;

    shared_scratch(folder);
    snprintf(a, sizeof a, "%s/a.mtx", folder);
    snprintf(b, sizeof b, "%s/b.tns", folder);
    snprintf(columns, sizeof columns, "%s/a.rua", folder);
    snprintf(native, sizeof native, "%s/a.cairn", folder);
    FINE(grid(&source));
    FINE(cairn_tensor_create(source, format, CAIRN_F64, &tensor));
    FINE(cairn_plan_create_spmv(tensor, &plan));
    FINE(cairn_plan_record(plan, 0));
    TOLD_APART("file", a, b, cairn_source_write(source, odd() ? b : a));
    TOLD_APART("file", a, columns, cairn_source_write(source, odd() ? columns : a));
    TOLD_APART("file", a, b, cairn_tensor_write(tensor, odd() ? b : a, NULL));
    TOLD_APART("file", native, a, cairn_tensor_write(tensor, odd() ? a : native, NULL));
    TOLD_APART("file", a, b, cairn_plan_write_y(plan, odd() ? b : a));
    TOLD_APART("file", a, b, cairn_plan_save(plan, odd() ? b : a));
    TOLD_APART("file", a, b, cairn_plan_write_trace(plan, odd() ? b : a));
    FINE(cairn_source_write(source, a));
    FINE(cairn_tensor_write(tensor, native, NULL));
    TOLD_APART("read", "another file", "a .cairn file",
               cairn_source_read(context, odd() ? native : a, CAIRN_BY_NNZ, &back));
    TOLD_APART("read", "another file", "a .cairn file",
               cairn_file_is_native(context, odd() ? native : a, &is));
    TOLD_APART(
        "division", "by entries", "by rows",
        cairn_source_read(context, a, odd() ? CAIRN_BY_ROWS : CAIRN_BY_NNZ, &back));
    ON_ALL_RANKS(back == NULL, "an output was touched");
    if (rank == 0) cr_expect(!unlink(a) && !unlink(native) && !rmdir(folder), "left");
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

Test(disagree, about_what_is_asked)
{
    int64_t          cells[36], count = 0;
    double           numbers[2] = {rank, rank};
    double           rel, abs;
    char            *text   = NULL;
    cairn_source    *source = NULL, *other = NULL;
    cairn_tensor    *tensor = NULL;
    cairn_plan      *plan   = NULL;
    cairn_part_info *parts  = NULL;
    cairn_format    *format = must_format(context, by_rows);

    FINE(grid(&source));
    FINE(generate("tridiag", (cairn_problem){.size = sizeof(cairn_problem), .n = 40},
                  &other));
    FINE(cairn_tensor_create(source, format, CAIRN_F64, &tensor));
    FINE(cairn_tensor_parts(tensor, &count, &parts));
    TOLD_APART("width", "6", "5", cairn_source_spy(source, odd() ? 5 : 6, 6, cells));
    REFUSED_ALIKE(BAD_ARGUMENT, cairn_source_spy(source, odd() ? 0 : 6, 6, cells));
    TOLD_APART("numbers", "1", "2", cairn_context_max(context, numbers, odd() ? 2 : 1));
    char zero[16], last[16];

    snprintf(zero, sizeof zero, "%d", parts[0].rank);
    snprintf(last, sizeof last, "%d", parts[count - 1].rank);
    TOLD_APART("part of rank", zero, last,
               cairn_tensor_part_text(tensor, &parts[odd() ? count - 1 : 0], 0, &text));
    TOLD_APART("array", "0", "1",
               cairn_tensor_part_text(tensor, &parts[0], odd() ? 1 : 0, &text));
    /* A source of another matrix, on one rank. */
    FINE(cairn_plan_create_spmv(tensor, &plan));
    REFUSED_ALIKE(BAD_ARGUMENT,
                  cairn_plan_verify(plan, odd() ? other : source, &rel, &abs));
    FINE(cairn_plan_verify(plan, source, &rel, &abs));
    cairn_parts_free(tensor, &parts);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&other);
    cairn_source_destroy(&source);
}

Test(disagree, not_about_what_is_each_ranks_own)
{
    char                     folder[64], own[100];
    const cairn_plan_options place  = {.size  = sizeof(cairn_plan_options),
                                       .place = odd() ? "cpu" : "cpu:0"};
    cairn_source            *source = NULL, *back = NULL;
    cairn_tensor            *tensor = NULL;
    cairn_plan              *plan   = NULL;
    cairn_format            *format = must_format(context, by_rows);
    double                   rel = 1, abs = 1;

    shared_scratch(folder);
    FINE(grid(&source));
    for (int r = 0; r < size; r++) { /* a copy of the file for each rank */
        snprintf(own, sizeof own, "%s/%d.mtx", folder, r);
        FINE(cairn_source_write(source, own));
    }
    snprintf(own, sizeof own, "%s/%d.mtx", folder, rank);
    cairn_context_set_threads(context, rank + 1);
    FINE(cairn_source_read(context, own, CAIRN_BY_NNZ, &back));
    FINE(cairn_tensor_create(back, format, CAIRN_F64, &tensor));
    FINE(cairn_plan_create_with(tensor, &place, &plan));
    fill_ramp(plan);
    FINE(cairn_plan_run(plan, NULL, NULL));
    FINE(cairn_plan_verify(plan, back, &rel, &abs));
    cr_expect_eq(unlink(own), 0);
    FINE(cairn_context_agree(context, CAIRN_OK));
    if (rank == 0) rmdir(folder);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&back);
    cairn_source_destroy(&source);
}

/* ---- what comparing costs ---- */

/// The table that calls go on to, which are counted before: those that ranks make together,
/// and exchanges with neighbours.
static const cairn_comm_ops *counted;
static int                   calls, exchanges;

static cairn_status
count_allreduce(cairn_comm *c, int64_t *data, int64_t n, cairn_reduction op)
{
    calls++;
    return counted->allreduce(c, data, n, op);
}

static cairn_status count_broadcast(cairn_comm *c, void *data, int64_t bytes, int root)
{
    calls++;
    return counted->broadcast(c, data, bytes, root);
}

static cairn_status
count_allgather(cairn_comm *c, const void *mine, int64_t bytes, void *all)
{
    calls++;
    return counted->allgather(c, mine, bytes, all);
}

static cairn_status count_alltoallv(cairn_comm    *c,
                                    const void    *send,
                                    const int64_t *send_bytes,
                                    void          *recv,
                                    const int64_t *recv_bytes)
{
    calls++;
    return counted->alltoallv(c, send, send_bytes, recv, recv_bytes);
}

static cairn_status
count_send(cairn_comm *c, const void *data, int64_t bytes, int to, int tag)
{
    calls++;
    return counted->send(c, data, bytes, to, tag);
}

static cairn_status
count_recv(cairn_comm *c, void *data, int64_t bytes, int from, int tag)
{
    calls++;
    return counted->recv(c, data, bytes, from, tag);
}

static cairn_status count_barrier(cairn_comm *c)
{
    calls++;
    return counted->barrier(c);
}

static cairn_status count_exchange(cairn_comm *c, void *exchange)
{
    exchanges++;
    return counted->exchange_begin(c, exchange);
}

static void count_begin(cairn_comm *c)
{
    static cairn_comm_ops counting;

    counted                 = c->ops;
    counting                = *counted;
    counting.allreduce      = count_allreduce;
    counting.broadcast      = count_broadcast;
    counting.allgather      = count_allgather;
    counting.alltoallv      = count_alltoallv;
    counting.send           = count_send;
    counting.recv           = count_recv;
    counting.barrier        = count_barrier;
    counting.exchange_begin = count_exchange;
    c->ops                  = &counting;
    calls = exchanges = 0;
}

static void count_end(cairn_comm *c)
{
    c->ops = counted;
}

Test(disagree, comparing_costs_no_message_more)
{
    cairn_collective arguments = {0};

    for (int k = 0; k < CAIRN_COLLECTIVE_MOST; k++)
        cairn_collective_text(&arguments, "format", by_rows);
    count_begin(comm);
    const cairn_status agreed = cairn_comm_agree(comm, CAIRN_OK);
    const int          alone  = calls;
    const cairn_status alike  = cairn_comm_agree_on(comm, CAIRN_OK, &arguments);

    count_end(comm);
    ON_ALL_RANKS(agreed == CAIRN_OK && alike == CAIRN_OK, "%s", env.message);
    ON_ALL_RANKS(alone == 1 && calls == 2, "%d and %d calls", alone, calls - alone);
}

/// Nothing but the halo.
Test(disagree, a_run_compares_nothing)
{
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;
    cairn_format *format = must_format(context, by_rows);

    FINE(grid(&source));
    FINE(cairn_tensor_create(source, format, CAIRN_F64, &tensor));
    for (int transposed = 0; transposed <= 1; transposed++) {
        const cairn_product_options op = {sizeof(cairn_product_options), 1, transposed,
                                          1, 0};
        cairn_plan                 *plan = NULL;

        FINE(cairn_plan_create_product(tensor, &op, &plan));
        FINE(cairn_plan_run(plan, NULL, NULL));
        count_begin(context->comm);
        const cairn_status ran = cairn_plan_run(plan, NULL, NULL);

        count_end(context->comm);
        ON_ALL_RANKS(ran == CAIRN_OK, "%s", cairn_context_message(context));
        ON_ALL_RANKS(calls == 0 && exchanges == 1, "%d calls and %d exchanges", calls,
                     exchanges);
        cairn_plan_destroy(&plan);
    }
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}
