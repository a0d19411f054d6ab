// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions over several ranks by compiled functions: queries are not interpreted, and
/// every rank's arrays are those of the reference way; ranks without rows or entries go the
/// same way as the others.

#include "api/api.h"
#include "conversion.h"
#include "rank_contexts.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

TestSuite(conversions, .init = mpi_up, .fini = mpi_down);

/// Store a matrix, by way of another format if one is named.
static cairn_status
store(cairn_source *source, const char *by, const char *to, cairn_tensor **t)
{
    cairn_context *context = source->context;
    cairn_format  *format = NULL, *via = NULL;
    cairn_tensor  *first = NULL;
    char           text[RANDOM_FORMAT];
    cairn_status   status;

    CAIRN_TRY(cairn_format_create(context, by_name(to, text, sizeof text), &format));
    status = by[0] ? cairn_format_create(context, by_name(by, text, sizeof text), &via)
                   : CAIRN_OK;
    if (status == CAIRN_OK && via)
        status = cairn_tensor_create(source, via, CAIRN_F64, &first);
    if (status == CAIRN_OK)
        status = first ? cairn_tensor_convert(first, format, t)
                       : cairn_tensor_create(source, format, CAIRN_F64, t);
    cairn_tensor_destroy(&first);
    cairn_format_destroy(&via);
    cairn_format_destroy(&format);
    return status;
}

static cairn_context *open_context(int kernels)
{
    cairn_context *context;

    cr_assert_eq(
        cairn_context_create_fortran((int)MPI_Comm_c2f(MPI_COMM_WORLD), &context),
        CAIRN_OK);
    context->env.options.kernels = kernels;
    return context;
}

/// A band and entries beside it; the first @p empty rows have none, one value in 50 is 0.
static cairn_source *
draw(cairn_context *context, int64_t rows, int64_t cols, int64_t empty)
{
    uint64_t      state    = 7;
    int64_t       extent[] = {rows, cols}, n = 0;
    int64_t      *coord = malloc((size_t)(rows * cols * 2 + 1) * sizeof *coord);
    double       *value = malloc((size_t)(rows * cols + 1) * sizeof *value);
    cairn_source *source;

    for (int64_t i = empty; i < rows && rank == 0; i++)
        for (int64_t j = 0; j < cols; j++) {
            if (!random_chance(&state, i - j < 2 && j - i < 2 ? 80 : 4)) continue;
            coord[2 * n]     = i;
            coord[2 * n + 1] = j;
            value[n++] = random_chance(&state, 2) ? 0 : 1 + random_below(&state, 9);
        }
    cr_assert_eq(cairn_source_from_coords(context, 2, extent, n, coord, value,
                                          CAIRN_BY_ROWS, &source),
                 CAIRN_OK);
    free(coord);
    free(value);
    return source;
}

static const char *const sources[] = {"", "csr", "coo"};

/// Sizes: rows, columns, rows without entries at the top.
static const int64_t sizes[][3] = {
    {64, 40, 0 },
    {64, 40, 50},
    {2,  9,  0 },
    {0,  5,  0 },
};

/// Is it compiled, on this rank, and are its arrays those of the reference?
static bool
holds(cairn_source *compiled, cairn_source *reference, const char *by, const char *to)
{
    cairn_tensor *a = NULL, *b = NULL;

    const cairn_status one  = store(compiled, by, to, &a);
    const cairn_status two  = store(reference, by, to, &b);
    bool               good = one == CAIRN_OK && two == CAIRN_OK;

    if (good) {
        good = strcmp(cairn_tensor_route(a), "reference") != 0
               && !cairn_tensor_interpreted(a);
        check_same(b->local, a->local, to);
    }
    cairn_tensor_destroy(&a);
    cairn_tensor_destroy(&b);
    return good;
}

static int exchanged; ///< Tensors on whose way rows were sent.

/// Is it stored as the reference way stores it, whichever way that is?
static bool
is_the_same(cairn_source *own, cairn_source *reference, const char *by, const char *to)
{
    cairn_tensor *a = NULL, *b = NULL;
    const bool    good =
        store(own, by, to, &a) == CAIRN_OK && store(reference, by, to, &b) == CAIRN_OK;

    if (good) {
        check_same(b->local, a->local, to);
        exchanged += strstr(cairn_tensor_how(a), "rows: Exchange") != NULL;
    }
    cairn_tensor_destroy(&a);
    cairn_tensor_destroy(&b);
    return good;
}

static void check(const char *const *to, size_t count)
{
    cairn_context *compiled  = open_context(CAIRN_KERNELS_COMPILED),
                  *reference = open_context(CAIRN_KERNELS_REFERENCE);

    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++) {
        cairn_source *one = draw(compiled, sizes[z][0], sizes[z][1], sizes[z][2]);
        cairn_source *two = draw(reference, sizes[z][0], sizes[z][1], sizes[z][2]);

        for (size_t t = 0; t < count; t++)
            for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
                ON_ALL_RANKS(holds(one, two, sources[s], to[t]),
                             "%s to %s, size %d: %s", sources[s], to[t], (int)z,
                             cairn_context_message(compiled));
        cairn_source_destroy(&one);
        cairn_source_destroy(&two);
    }
    cairn_context_destroy(&compiled);
    cairn_context_destroy(&reference);
}

Test(conversions, groups_across_ranks_are_compiled, .timeout = 500)
{
    static const char *const to[] = {"hybrid<dia,csr,0.4>", "hybrid<bdia<4>,csr,0.6>",
                                     "hybrid<ell,coo,0.5,0.5>",
                                     "hybrid<bcsr<2,2>,sell-sigma<4,8>,0.5>",
                                     "#hybrid<{ fmats = [csc, csr], query = sum(value) "
                                     "groupBy (d0,d1)->(d1) with value ne 0 -> 1 | "
                                     "otherwise -> 0, maximum thresholds = [0.5] }>"};

    check(to, sizeof to / sizeof *to);
}

Test(conversions, numbers_of_rows_are_compiled, .timeout = 500)
{
    static const char *const to[] = {
        "csr", "csc", "ell", "sell<4>", "sell-sigma<4,8>", "cisr<3>", "cisr-plus<3>"};

    check(to, sizeof to / sizeof *to);
}

/* ---- rows that change their ranks ---- */

static const cairn_comm_ops *plain; ///< The transport of the context that is watched.
static int64_t               handed;

/// As the transport does, and count what goes to other ranks.
static cairn_status count_alltoallv(cairn_comm    *comm,
                                    const void    *send,
                                    const int64_t *send_bytes,
                                    void          *recv,
                                    const int64_t *recv_bytes)
{
    for (int r = 0; r < comm->size; r++)
        if (r != comm->rank) handed += send_bytes[r];
    return plain->alltoallv(comm, send, send_bytes, recv, recv_bytes);
}

/// Bytes of numbers up to @p most.
static int bytes_of(int64_t most)
{
    return most <= 0 ? 0 : most < 256 ? 1 : most < 65536 ? 2 : 4;
}

/// What has to travel of this rank's compressed rows first..end-1: a header of 32 bytes,
/// counts of rows, or each entry's row where that is less, columns and values.
static int64_t message_bytes(const cairn_local *csr, int64_t first, int64_t end)
{
    const cairn_kernel_part *view = &csr->part[0].view;
    const uint32_t *ptr  = (const uint32_t *)view->level[1].ptr - csr->box[0].lo;
    const int64_t   n    = ptr[end] - ptr[first];
    int64_t         most = 0, least = INT64_MAX;

    for (int64_t i = first; i < end; i++) {
        const int64_t count = ptr[i + 1] - ptr[i];

        most  = count > most ? count : most;
        least = count < least ? count : least;
    }
    const int64_t counts  = (end - first) * bytes_of(most - least);
    const int64_t parents = n * bytes_of(end - first - 1);

    return 32 + (counts < parents ? counts : parents)
           + n * (view->level[1].idx_bits / 8 + 8);
}

/// Bytes and messages that this rank has to send.
static void find_need(const cairn_tensor *from,
                      const cairn_tensor *to,
                      int64_t            *bytes,
                      int64_t            *messages)
{
    *bytes = *messages = 0;
    for (int r = 0; r < size; r++) {
        const int64_t lo = from->rows.first[rank] > to->rows.first[r]
                               ? from->rows.first[rank]
                               : to->rows.first[r];
        const int64_t hi = from->rows.first[rank + 1] < to->rows.first[r + 1]
                               ? from->rows.first[rank + 1]
                               : to->rows.first[r + 1];

        if (r == rank || lo >= hi) continue;
        *bytes += message_bytes(from->local, lo, hi);
        *messages += 1;
    }
}

static bool sends_what_it_must(cairn_context *c, cairn_source *source, const char *to)
{
    cairn_tensor  *from = NULL, *made = NULL;
    cairn_format  *format = NULL;
    cairn_comm_ops counting;
    int64_t        need = 0, messages = 0, told, all[2];
    char           text[RANDOM_FORMAT];
    bool           good =
        store(source, "", "csr", &from) == CAIRN_OK
        && cairn_format_create(c, by_name(to, text, sizeof text), &format) == CAIRN_OK;

    plain              = c->comm->ops;
    counting           = *plain;
    counting.alltoallv = count_alltoallv;
    c->comm->ops       = &counting;
    handed             = 0;
    good               = good && cairn_tensor_convert(from, format, &made) == CAIRN_OK;
    c->comm->ops       = plain;
    if (good) {
        find_need(from, made, &need, &messages);
        /* and 8 bytes that tell each rank how much is coming */
        good   = handed == need + (messages || size > 1 ? 8 * (size - 1) : 0);
        all[0] = need;
        all[1] = messages;
        MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        good = good && all[1] > 0
               && cairn_path_sent(cairn_tensor_path(made), NULL, &told) == all[0]
               && told == all[1] && strstr(cairn_tensor_how(made), "rows: Exchange")
               && made->how.log.entry[0].task.bytes == all[0];
    }
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&from);
    cairn_format_destroy(&format);
    return good;
}

/// Rows that stay are not sent; those that go are sent once, as wide as they are stored.
Test(conversions, rows_that_move_are_all_that_is_sent, .timeout = 500)
{
    static const char *const to[] = {"bcsr<2,3>", "bcsr<7,1>"};
    cairn_context           *c    = open_context(CAIRN_KERNELS_AUTO);
    cairn_source            *source;

    if (size > 1) {
        source = draw(c, 67, 40, 0);
        for (int t = size - 2; t < 2; t++) /* three ranks have even rows */
            ON_ALL_RANKS(sends_what_it_must(c, source, to[t]), "%s: %ld bytes: %s",
                         to[t], (long)handed, cairn_context_message(c));
        cairn_source_destroy(&source);
    }
    cairn_context_destroy(&c);
}

/// From formats that list rows and from others, whose rows are listed first.
Test(conversions, rows_move_as_by_coordinates, .timeout = 500)
{
    static const char *const by[] = {
        "csr",       "coo",     "csc", "dcsr", "ell",
        "bcsr<3,2>", "sell<5>", "dia", "dok",  "hybrid<dia,csr,0.4>"};
    static const char *const to[]     = {"sell<2>", "c2sr<4>", "bcsr<7,3>",
                                         "hybrid<bdia<4>,csr,0.6>", "sell-sigma<4,8>"};
    static const int64_t     rows[]   = {67, 150};
    cairn_context           *compiled = open_context(CAIRN_KERNELS_COMPILED),
                  *own                = open_context(CAIRN_KERNELS_AUTO),
                  *other              = open_context(CAIRN_KERNELS_REFERENCE);

    for (int z = 0; z < 2; z++) {
        cairn_source *one = draw(compiled, rows[z], 40, 20 * z);
        cairn_source *two = draw(other, rows[z], 40, 20 * z);
        cairn_source *few = draw(own, rows[z], 40, 20 * z);

        for (size_t s = 0; s < sizeof by / sizeof *by; s++) {
            exchanged = 0;
            for (size_t t = 0; t < sizeof to / sizeof *to; t++) {
                ON_ALL_RANKS(holds(one, two, by[s], to[t]), "%s to %s: %s", by[s],
                             to[t], cairn_context_message(compiled));
                ON_ALL_RANKS(is_the_same(few, two, by[s], to[t]), "%s to %s: %s", by[s],
                             to[t], cairn_context_message(own));
            }
            ON_ALL_RANKS(size == 1 ? exchanged == 0 : exchanged > 0, "%s: %d", by[s],
                         exchanged);
        }
        cairn_source_destroy(&one);
        cairn_source_destroy(&two);
        cairn_source_destroy(&few);
    }
    cairn_context_destroy(&compiled);
    cairn_context_destroy(&own);
    cairn_context_destroy(&other);
}

/* ---- files on other ranks ---- */

static bool write_some(cairn_context *c, const char *format, const char *path)
{
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;
    bool          good;

    if (!c) return true;
    source = draw(c, 83, 40, 7);
    good   = store(source, "", format, &tensor) == CAIRN_OK
           && cairn_tensor_write(tensor, path, NULL) == CAIRN_OK;
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    return good;
}

/// Is it what storing the file's entries on these ranks makes?
///
/// @param[in] others   Other ranks wrote it.
/// @param[in] by_rows  Slices of it can be read; else its entries are.
static bool read_some(cairn_context *c,
                      const char    *format,
                      const char    *path,
                      bool           others,
                      bool           by_rows)
{
    cairn_source *source = NULL;
    cairn_tensor *a = NULL, *b = NULL;
    bool          good;

    if (!c) return true;
    good = cairn_tensor_read(c, path, &a) == CAIRN_OK
           && cairn_source_read(c, path, CAIRN_BY_NNZ, &source) == CAIRN_OK
           && store(source, "", format, &b) == CAIRN_OK;
    if (good && others) {
        check_same(b->local, a->local, format);
        good = memcmp(a->rows.first, b->rows.first,
                      (size_t)(a->rows.size + 1) * sizeof *a->rows.first)
                   == 0
               && (!by_rows || strstr(cairn_tensor_how(a), "rows: Exchange"))
               && (c->comm->size > 1 || cairn_path_sent(a->how.path, NULL, NULL) == 0);
    }
    cairn_tensor_destroy(&a);
    cairn_tensor_destroy(&b);
    cairn_source_destroy(&source);
    return good;
}

/// A file's rows go to other ranks than those that wrote it as they lie, or as lists; what
/// does not begin with rows goes by entries.
Test(conversions, files_go_to_other_ranks_by_rows, .timeout = 500)
{
    static const char *const texts[] = {
        "csr", "coo", "csc", "sell<4>", "bcsr<2,3>", "dok", "hybrid<bdia<4>,csr,0.6>"};
    char           folder[64], path[100];
    cairn_context *some[5];

    shared_scratch(folder);
    snprintf(path, sizeof path, "%s/a.cairn", folder);
    rank_contexts_open(some);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int n = 1; n <= size; n++)
            for (int m = 1; m <= size; m++) {
                ON_ALL_RANKS(write_some(some[n], texts[k], path), "%s", texts[k]);
                MPI_Barrier(MPI_COMM_WORLD);
                ON_ALL_RANKS(read_some(some[m], texts[k], path, n != m,
                                       strcmp(texts[k], "csc") != 0),
                             "%s from %d ranks to %d: %s", texts[k], n, m,
                             some[m] ? cairn_context_message(some[m]) : "");
            }
    if (rank == 0) remove(path), rmdir(folder);
    rank_contexts_close(some);
}

/// Passes of the program that answer queries: those that are neither lines nor boxes, and
/// exchanges.
static void find_passes(const cairn_tensor *t, int *others, int *exchanges)
{
    const cairn_path *path = cairn_tensor_path(t);

    *others = *exchanges = 0;
    for (int k = 0; k < cairn_path_passes(path); k++) {
        const cairn_pass_info pass = cairn_path_pass(path, k);

        if (!pass.interpreted) continue;
        *others += pass.query_class && strcmp(pass.query_class, "other") == 0;
        *exchanges += strcmp(pass.pass, "Exchange") == 0;
    }
}

/// Is it stored as the reference way stores it, with queries that are lines or boxes?
static bool is_grouped(cairn_source *source, cairn_source *reference, const char *text)
{
    cairn_tensor *a = NULL, *b = NULL;
    int           others = 0, exchanges = 0;
    bool          good = store(source, "", text, &a) == CAIRN_OK
                && store(reference, "", text, &b) == CAIRN_OK;

    if (good) {
        check_same(b->local, a->local, text);
        find_passes(a, &others, &exchanges);
        good = others == 0 && (exchanges > 0) == (size > 1);
    }
    cairn_tensor_destroy(&a);
    cairn_tensor_destroy(&b);
    return good;
}

/// Groups of columns, blocks and diagonals that all ranks have parts of.
Test(conversions, groups_across_ranks_are_answered_by_groups, .timeout = 500)
{
    static const char *const texts[][2] = {
        {"groups",
         "#encoding<{ idx_map<(d0,d1)->(slot,d1,d0)>, mutation<merge(0), trim(0,0)>, "
         "indirect<{ c = sum(value) groupBy (d0,d1)->(d1); slot = enum(value) groupBy "
         "(d0,d1)->(d1) traverseBy (d0,d1)->(-d0) with value eq 0 -> c | otherwise -> "
         "0 "
         "}> }>"                                                    },
        {"sort",
         "#encoding<{ idx_map<(d0,d1)->(slot,d1-d0,d0)>, mutation<trim(0,2)>, "
         "indirect<{ slot = enum(value) groupBy (d0,d1)->(d1-d0) with value ne 0 -> "
         "0 | otherwise -> none }> }>"                              },
        {"sort",   "#encoding<{ idx_map<(d0,d1)->(place,d1,d0)>, mutation<trim(0,2)>, "
                 "indirect<{ c = sum(value) groupBy (d0,d1)->(d1); place = reorder(c) "
                 "groupBy (d0,d1)->() descend }> }>"},
    };
    cairn_context *context   = open_context(CAIRN_KERNELS_AUTO),
                  *reference = open_context(CAIRN_KERNELS_REFERENCE);
    /* enough of them for functions to be looked for */
    cairn_source *one = draw(context, 1500, 400, 0),
                 *two = draw(reference, 1500, 400, 0);

    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        /* by a method: so few entries go by the rules else */
        snprintf(context->env.options.convert, sizeof context->env.options.convert,
                 "%s", texts[t][0]);
        ON_ALL_RANKS(is_grouped(one, two, texts[t][1]), "%s: %s", texts[t][1],
                     cairn_context_message(context));
    }
    cairn_source_destroy(&one);
    cairn_source_destroy(&two);
    cairn_context_destroy(&context);
    cairn_context_destroy(&reference);
}

/// What each rank's machine has seen is its own; all choose by what the first one's has.
Test(conversions, ranks_choose_by_the_first_one_s_rates, .timeout = 500)
{
    const cairn_problem p      = {.size = sizeof(cairn_problem),
                                  .n    = (int64_t)350000 * size};
    cairn_context      *c      = open_context(CAIRN_KERNELS_AUTO);
    cairn_source       *source = NULL;
    cairn_tensor       *tensor = NULL;
    cairn_costs        *costs;

    c->env.options.cost = rank == 1 ? CAIRN_RATES_SHIPPED : CAIRN_RATES_LEARNED;
    strcpy(c->env.options.costs, "none");
    ON_ALL_RANKS(cairn_context_costs(c, &costs) == CAIRN_OK, "costs");
    costs->memory = cairn_memory_shipped;
    costs->memory.byte *= rank == 0 ? 2 : 3;
    costs->memory_when = 1;
    ON_ALL_RANKS(cairn_source_generate(c, "tridiag", &p, &source) == CAIRN_OK, "%s",
                 cairn_context_message(c));
    ON_ALL_RANKS(store(source, "", "csr", &tensor) == CAIRN_OK, "%s",
                 cairn_context_message(c));
    ON_ALL_RANKS(c->moves.rates.in_order > 1.99 * cairn_move_rates_shipped.in_order
                     && c->moves.rates.in_order
                            < 2.01 * cairn_move_rates_shipped.in_order,
                 "rank %d has %g", rank, c->moves.rates.in_order);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    cairn_context_destroy(&c);
}

/* ---- what formats keep ---- */

/// A context, and formats that keep what conversions find out.
typedef struct {
    cairn_context *context;
    cairn_format  *from, *to;
    cairn_tensor  *made;
} place;

static void open_place(place *p, const char *const *pair)
{
    char text[RANDOM_FORMAT];

    *p = (place){.context = open_context(CAIRN_KERNELS_AUTO)};
    ON_ALL_RANKS(
        cairn_format_create(p->context, by_name(pair[0], text, sizeof text), &p->from)
            == CAIRN_OK,
        "%s", pair[0]);
    ON_ALL_RANKS(
        cairn_format_create(p->context, by_name(pair[1], text, sizeof text), &p->to)
            == CAIRN_OK,
        "%s", pair[1]);
}

static void close_place(place *p)
{
    cairn_tensor_destroy(&p->made);
    cairn_format_destroy(&p->from);
    cairn_format_destroy(&p->to);
    cairn_context_destroy(&p->context);
}

/// Convert by a method; the last rank forgets first what it has kept, if told so.
static cairn_status
convert_at(place *p, const int64_t *shape, const char *method, bool forgets)
{
    cairn_env    *env    = &p->context->env;
    cairn_source *source = draw(p->context, shape[0], shape[1], shape[2]);
    cairn_tensor *tensor = NULL;
    cairn_status  status;

    cairn_tensor_destroy(&p->made);
    if (forgets && rank == size - 1 && p->to->life.kept) {
        p->to->life.forget(env, p->to->life.kept);
        p->to->life.kept = NULL;
    }
    env->options.convert[0] = '\0';
    status                  = cairn_tensor_create(source, p->from, CAIRN_F64, &tensor);
    snprintf(env->options.convert, sizeof env->options.convert, "%s", method);
    if (status == CAIRN_OK) status = cairn_tensor_convert(tensor, p->to, &p->made);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    return status;
}

/// Are both as they are, by the same passes?
static bool is_alike(const place *a, const place *b, cairn_status x, cairn_status y)
{
    if (x != y) return false;
    if (x != CAIRN_OK) return true;
    check_same(a->made->local, b->made->local, "kept");
    return strcmp(cairn_tensor_how(a->made), cairn_tensor_how(b->made)) == 0
           && strcmp(cairn_tensor_route(a->made), cairn_tensor_route(b->made)) == 0;
}

/// A context in which much was converted before goes the way of one without a past, also
/// where a rank has nothing left of that.
Test(conversions, what_formats_keep_changes_nothing, .timeout = 500)
{
    static const char *const pairs[][2] = {
        {"coo", "csr"},
        {"csr", "csc"},
        {"csr", "ell"}
    };
    static const int64_t shapes[][3] = {
        {240, 60, 0  },
        {200, 70, 150}
    };
    static const char *const methods[] = {"", "sort", ""};

    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        place kept, fresh;

        open_place(&kept, pairs[p]);
        for (int k = 0; k < 9; k++) {
            const int64_t     *shape  = shapes[k / 2 % 2];
            const char        *method = methods[k % 3];
            const cairn_status its    = convert_at(&kept, shape, method, k % 4 == 3);

            open_place(&fresh, pairs[p]);
            const cairn_status other = convert_at(&fresh, shape, method, false);

            ON_ALL_RANKS(is_alike(&kept, &fresh, its, other), "%s to %s, turn %d: %s",
                         pairs[p][0], pairs[p][1], k,
                         cairn_context_message(kept.context));
            close_place(&fresh);
        }
        close_place(&kept);
    }
}
