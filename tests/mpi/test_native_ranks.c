// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Native files that other ranks wrote: the entries of one rank that reads all of it, and
/// the arrays that these ranks make of them; wrong files get one verdict; and no rank has
/// more in memory than its share.

#include "api/api.h"
#include "conversion.h"
#include "every_format.h"
#include "first_ranks.h"
#include "io/native/io_native.h"
#include "random_tensor.h"
#include "seed.h"
#include "tensor/value_storage.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>

static cairn_context *alone;

static void up_with_one(void)
{
    up();
    if (cairn_context_create(&alone) != CAIRN_OK) abort();
}

static void down_with_one(void)
{
    cairn_context_destroy(&alone);
    down();
}

TestSuite(native_ranks, .init = up_with_one, .fini = down_with_one, .timeout = 800);

/// A tensor, the same for a seed.
typedef struct {
    cairn_shape   shape;
    cairn_entries entries;
} drawn;

static cairn_source *as_source(cairn_context *context, const drawn *d)
{
    const cairn_pos n      = context->comm->rank == 0 ? d->entries.n : 0;
    const int       order  = d->shape.order;
    int64_t        *coord  = malloc((size_t)(n * order + 1) * sizeof *coord);
    cairn_source   *source = NULL;

    for (cairn_pos k = 0; k < n; k++)
        for (int m = 0; m < order; m++)
            coord[k * order + m] = d->entries.coord[m][k];
    cairn_source_from_coords(context, order, d->shape.extent, n, coord,
                             d->entries.value, CAIRN_BY_NNZ, &source);
    free(coord);
    return source;
}

static cairn_status store(cairn_source *source, const char *text, cairn_tensor **tensor)
{
    char          its[RANDOM_FORMAT];
    cairn_format *format = NULL;
    cairn_status  status =
        cairn_format_create(source->context, by_name(text, its, sizeof its), &format);

    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, CAIRN_F64, tensor);
    cairn_format_destroy(&format);
    return status;
}

/// Write on the ranks of @p context. Some random formats are refused, on all alike.
static cairn_status write_on(cairn_context *context, const drawn *d, const char *text)
{
    cairn_source *source = as_source(context, d);
    cairn_tensor *tensor = NULL;
    cairn_status  status = source ? store(source, text, &tensor) : CAIRN_NO_MEMORY;

    if (status == CAIRN_OK) status = cairn_tensor_write(tensor, native, NULL);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    return status;
}

/// Are the entries of all ranks, one behind the other, those of one rank?
static bool has_entries(const cairn_source *source, const cairn_source *whole)
{
    const cairn_entries *own = &source->entries, *one = &whole->entries;
    int64_t              n = own->n, sum = 0, before = 0;
    bool                 same;

    MPI_Allreduce(&n, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(&n, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) before = 0;
    same = sum == one->n && own->order == one->order;
    for (cairn_pos k = 0; k < n && same; k++) {
        for (int m = 0; m < own->order; m++)
            same &= own->coord[m][k] == one->coord[m][before + k];
        same &= own->value[k] == one->value[before + k];
    }
    return same;
}

static bool same_arrays(const cairn_local *a, const cairn_local *b)
{
    bool same = a->parts == b->parts;

    for (int64_t p = 0; p < a->parts && same; p++) {
        cairn_array x[CAIRN_MAX_ARRAYS], y[CAIRN_MAX_ARRAYS];
        const int   arrays = cairn_part_arrays(&a->part[p], x);

        same = arrays == cairn_part_arrays(&b->part[p], y)
               && a->part[p].nnz == b->part[p].nnz;
        for (int k = 0; k < arrays && same; k++)
            same = x[k].bytes == y[k].bytes
                   && (x[k].bytes == 0
                       || memcmp(x[k].data, y[k].data, (size_t)x[k].bytes) == 0);
    }
    return same;
}

/// Read the file on all ranks, as entries and as a tensor; by one rank; and make the tensor
/// anew of the entries.
static bool is_read(int writers, const char *text)
{
    cairn_source *own = NULL, *whole = NULL;
    cairn_tensor *tensor = NULL, *made = NULL;
    bool          good;

    good = cairn_source_read(all, native, CAIRN_BY_NNZ, &own) == CAIRN_OK;
    good = cairn_source_read(alone, native, CAIRN_BY_NNZ, &whole) == CAIRN_OK && good;
    good = on_all_ranks(good) && has_entries(own, whole);
    good = cairn_tensor_read(all, native, &tensor) == CAIRN_OK && good;
    /* What as many ranks wrote is taken as it is. */
    if (on_all_ranks(good) && writers != size) {
        good = store(own, text, &made) == CAIRN_OK;
        good = on_all_ranks(good) && cairn_local_narrow(made->local) == CAIRN_OK
               && same_arrays(made->local, tensor->local);
    }
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&whole);
    cairn_source_destroy(&own);
    return good;
}

/// From any number of ranks to all.
static void check_travels(const drawn *d, const char *text, uint64_t seed)
{
    for (int n = 1; n <= size; n++) {
        cairn_status status = some[n] ? write_on(some[n], d, text) : CAIRN_OK;
        int          code   = (int)status;

        MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (code == CAIRN_BAD_FORMAT || code == CAIRN_OVERFLOW) return;
        ON_ALL_RANKS(code == CAIRN_OK, "seed %llu: %s: %s", (unsigned long long)seed,
                     text, some[n] ? cairn_context_message(some[n]) : "");
        ON_ALL_RANKS(is_read(n, text), "seed %llu: %s, from %d ranks: %s",
                     (unsigned long long)seed, text, n, cairn_context_message(all));
    }
}

static void draw_matrix(uint64_t *state, int rows, int cols, int percent, drawn *d)
{
    d->shape = (cairn_shape){
        .order = 2, .extent = {rows, cols}
    };
    cairn_entries_init(&d->entries, 2);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            if (random_chance(state, i % 7 == 3 ? 90 : percent)
                && cairn_entries_add(&env, &d->entries, (cairn_coord[]){i, j},
                                     1 + random_below(state, 3000) / 8.0)
                       != CAIRN_OK)
                abort();
}

Test(native_ranks, every_format_is_read_by_shares)
{
    static const int sizes[][3] = {
        {41, 29, 20},
        {2,  9,  50},
        {12, 5,  0 }
    };
    uint64_t state = 11;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        drawn d;

        draw_matrix(&state, sizes[s][0], sizes[s][1], sizes[s][2], &d);
        for (int f = 0; f < FORMATS; f++)
            check_travels(&d, formats[f], s);
        cairn_entries_fini(&env, &d.entries);
    }
}

Test(native_ranks, random_formats_are_read_by_shares)
{
    uint64_t first = seed_clock() * 7919;

    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (uint64_t seed = first; seed < first + (uint64_t)seed_cases(25); seed++) {
        uint64_t state = seed;
        char     text[RANDOM_FORMAT];
        drawn    d;

        random_tensor(&env, &state, &d.shape, &d.entries);
        random_format(&state, d.shape.order, text, sizeof text);
        check_travels(&d, text, seed);
        cairn_entries_fini(&env, &d.entries);
    }
}

/* ---- wrong files ---- */

/// Whether all ranks have the same status and message; and not that it was read, unless it
/// may be.
static bool is_one_verdict(cairn_status status, bool may_be)
{
    char     text[1024] = {0};
    unsigned mine       = (unsigned)-status, low, high;

    snprintf(text, sizeof text, "%s", cairn_context_message(all));
    for (size_t k = 0; status != CAIRN_OK && text[k]; k++)
        mine = mine * 31 + (unsigned char)text[k];
    MPI_Allreduce(&mine, &low, 1, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &high, 1, MPI_UNSIGNED, MPI_MAX, MPI_COMM_WORLD);
    return low == high && (may_be || status == CAIRN_BAD_FILE);
}

static bool is_refused(bool may_be)
{
    const int64_t before = all->env.live_blocks;
    cairn_source *source = NULL;
    cairn_tensor *tensor = NULL;
    bool          good;

    good =
        is_one_verdict(cairn_source_read(all, native, CAIRN_BY_NNZ, &source), may_be);
    cairn_source_destroy(&source);
    good &= is_one_verdict(cairn_tensor_read(all, native, &tensor), may_be);
    cairn_tensor_destroy(&tensor);
    return good && all->env.live_blocks == before;
}

Test(native_ranks, damaged_files_are_refused_on_all_ranks)
{
    static const char *const texts[] = {"csr", "ell", "csc", "bcsr<2,3>"};
    uint64_t                 state   = 5;
    drawn                    d;

    draw_matrix(&state, 9, 7, 30, &d);
    for (size_t f = 0; f < sizeof texts / sizeof *texts; f++) {
        size_t length = 0;
        char  *bytes  = NULL;

        ON_ALL_RANKS(rank > 0 || write_on(alone, &d, texts[f]) == CAIRN_OK, "%s",
                     texts[f]);
        bytes = scratch_read(native, &length);
        MPI_Barrier(MPI_COMM_WORLD);
        for (size_t k = 8; k < length; k += 13) {
            bytes[k] ^= (char)(1 << k % 8);
            if (rank == 0) scratch_write(native, bytes, length);
            bytes[k] ^= (char)(1 << k % 8);
            MPI_Barrier(MPI_COMM_WORLD);
            ON_ALL_RANKS(is_refused(false), "%s: byte %d: %s", texts[f], (int)k,
                         cairn_context_message(all));
            MPI_Barrier(MPI_COMM_WORLD);
        }
        for (size_t cut = 8; cut < length; cut += 157) {
            if (rank == 0) scratch_write(native, bytes, cut);
            MPI_Barrier(MPI_COMM_WORLD);
            ON_ALL_RANKS(is_refused(false), "%s: %d bytes: %s", texts[f], (int)cut,
                         cairn_context_message(all));
            MPI_Barrier(MPI_COMM_WORLD);
        }
        free(bytes);
    }
    cairn_entries_fini(&env, &d.entries);
}

/// Put another number somewhere into the only segment, and make the checksums right.
static void lie(uint64_t *state, char *bytes, size_t length)
{
    char *const      table = bytes + CAIRN_NATIVE_PROLOGUE;
    int64_t          version, at;
    cairn_native_row row;

    memcpy(&row, table, sizeof row);
    memcpy(&version, bytes + 8, sizeof version);
    at = row.offset + random_below(state, (int)row.length);
    if (random_chance(state, 50))
        bytes[at] = (char)random_next(state);
    else
        bytes[at] = (char)(bytes[at] + (random_chance(state, 50) ? 1 : -1));
    row.crc = cairn_native_crc(0, bytes + row.offset, row.length);
    memcpy(table, &row, sizeof row);
    cairn_native_put_prologue(bytes, version, 1, (int64_t)length,
                              cairn_native_crc(0, table, sizeof row));
}

/// Does one rank say of the entries what all ranks say?
static bool is_verdict_of_one(void)
{
    cairn_source      *own = NULL, *whole = NULL;
    const cairn_status status = cairn_source_read(all, native, CAIRN_BY_NNZ, &own);
    const cairn_status single = cairn_source_read(alone, native, CAIRN_BY_NNZ, &whole);
    bool               good   = status == single;

    if (on_all_ranks(status == CAIRN_OK && single == CAIRN_OK))
        good = has_entries(own, whole);
    cairn_source_destroy(&own);
    cairn_source_destroy(&whole);
    return good;
}

Test(native_ranks, lies_get_one_verdict)
{
    uint64_t first = seed_clock() * 104729;

    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (uint64_t seed = first; seed < first + (uint64_t)seed_cases(60); seed++) {
        uint64_t state  = seed;
        size_t   length = 0;
        char    *bytes;
        drawn    d;

        draw_matrix(&state, 9, 7, 30, &d);
        const char *text = formats[random_below(&state, FORMATS)];

        ON_ALL_RANKS(rank > 0 || write_on(alone, &d, text) == CAIRN_OK, "%s", text);
        bytes = scratch_read(native, &length);
        lie(&state, bytes, length);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) scratch_write(native, bytes, length);
        MPI_Barrier(MPI_COMM_WORLD);
        ON_ALL_RANKS(is_refused(true), "seed %llu: %s: %s", (unsigned long long)seed,
                     text, cairn_context_message(all));
        ON_ALL_RANKS(is_verdict_of_one(), "seed %llu: %s: all say %s, one says %s",
                     (unsigned long long)seed, text, cairn_context_message(all),
                     cairn_context_message(alone));
        free(bytes);
        cairn_entries_fini(&env, &d.entries);
    }
}

/* ---- memory ---- */

enum { ROWS = 300000, DEGREE = 20 }; ///< 6 million entries, 72 MB as csr.

/// Write a large matrix by one rank, whose memory is given back then.
static bool write_large(void)
{
    const int64_t  n      = (int64_t)ROWS * DEGREE;
    int64_t       *ptr    = malloc((ROWS + 1) * sizeof *ptr);
    int32_t       *idx    = malloc((size_t)n * sizeof *idx);
    double        *value  = malloc((size_t)n * sizeof *value);
    uint64_t       state  = 3;
    cairn_context *own    = NULL;
    cairn_tensor  *tensor = NULL;

    for (int64_t i = 0; i <= ROWS; i++)
        ptr[i] = i * DEGREE;
    for (int64_t k = 0; k < n; k++) {
        idx[k]   = (int32_t)(k % DEGREE * (ROWS / DEGREE) + random_below(&state, 9000));
        value[k] = 1 + (double)(random_next(&state) >> 11) * 0x1p-53;
    }
    bool good = cairn_context_create(&own) == CAIRN_OK;

    good = good
           && cairn_tensor_from_csr(own, ROWS, ROWS, 0, ROWS, ptr, 64, idx, 32, value,
                                    CAIRN_F64, CAIRN_BORROW, NULL, &tensor)
                  == CAIRN_OK
           && cairn_tensor_write(tensor, native, NULL) == CAIRN_OK;
    cairn_tensor_destroy(&tensor);
    cairn_context_destroy(&own);
    free(ptr);
    free(idx);
    free(value);
    malloc_trim(0);
    return good;
}

/// Bytes that a line of /proc/self/status says; -1: it does not.
static int64_t status_bytes(const char *name)
{
    char      line[256];
    long long kilobytes = -1;
    FILE     *file      = fopen("/proc/self/status", "r");

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            sscanf(line + strlen(name), ": %lld", &kilobytes);
    if (file) fclose(file);
    return kilobytes < 0 ? -1 : kilobytes * 1024;
}

/// Forget the largest memory so far; false: the system does not let it.
static bool forget_peak(void)
{
    const int  fd   = open("/proc/self/clear_refs", O_WRONLY);
    const bool done = fd >= 0 && write(fd, "5", 1) == 1;

    if (fd >= 0) close(fd);
    return done;
}

typedef cairn_status (*reader)(void);

/// More than the share of what is read, on this rank: half of it, and 64 MB.
static int64_t allowed(double share)
{
    return (int64_t)(1.5 * share) + (64 << 20);
}

/// Read with no more address space than that, and look how much was there at once.
static void check_memory(reader read, double share, const char *what)
{
    const int64_t before = status_bytes("VmRSS"), space = status_bytes("VmSize");
    struct rlimit old, limit;
    cairn_status  status;

    ON_ALL_RANKS(forget_peak(), "no peaks");
    getrlimit(RLIMIT_AS, &old);
    limit          = old;
    limit.rlim_cur = (rlim_t)(space + allowed(share));
    setrlimit(RLIMIT_AS, &limit);
    status = read();
    setrlimit(RLIMIT_AS, &old);
    const int64_t took = status_bytes("VmHWM") - before;

    ON_ALL_RANKS(status == CAIRN_OK, "%s: %s", what, cairn_context_message(all));
    ON_ALL_RANKS(took <= allowed(share), "%s: %lld of %lld MB, a share of %lld", what,
                 (long long)took >> 20, (long long)allowed(share) >> 20,
                 (long long)share >> 20);
}

static cairn_status read_source(void)
{
    cairn_source      *source = NULL;
    const cairn_status status = cairn_source_read(all, native, CAIRN_BY_NNZ, &source);

    cairn_source_destroy(&source);
    return status;
}

static cairn_status read_tensor(void)
{
    cairn_tensor      *tensor = NULL;
    const cairn_status status = cairn_tensor_read(all, native, &tensor);

    cairn_tensor_destroy(&tensor);
    return status;
}

Test(native_ranks, no_rank_has_more_than_its_share)
{
    const double entries = (double)ROWS * DEGREE;
    drawn        d;
    uint64_t     state = 1;

    /* Once what is there for good: threads, messages, kernels. */
    draw_matrix(&state, 40, 40, 20, &d);
    ON_ALL_RANKS(rank > 0 || write_on(alone, &d, "csr") == CAIRN_OK, "small");
    MPI_Barrier(MPI_COMM_WORLD);
    ON_ALL_RANKS(read_source() == CAIRN_OK && read_tensor() == CAIRN_OK, "small");
    cairn_entries_fini(&env, &d.entries);
    ON_ALL_RANKS(rank > 0 || write_large(), "large");
    MPI_Barrier(MPI_COMM_WORLD);
    check_memory(read_tensor, (12 * entries + 8 * ROWS) / size, "arrays");
    check_memory(read_source, 24 * entries / size, "entries");
}
