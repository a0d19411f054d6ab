// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Ranks with cards, on a driver that pretends (tests/fake_cuda): the processor's bits for
/// every format of the catalogue and for random ones, on the card alone and divided between
/// it and the processor, and what becomes of the others when one rank's card is lost.
///
/// Random formats are other ones every second; SEED_CASES says how many.

#include "api/api.h"
#include "devices/cuda/device.h"
#include "every_format.h"
#include "fake_cuda.h"
#include "mpi_suite.h"
#include "names.h"
#include "random_format.h"
#include "seed.h"

#include <cairn/cairn.h>
#include <cairn/mpi.h>

#include <stdlib.h>
#include <string.h>

TestSuite(cards, .init = mpi_up, .fini = mpi_down);

enum { USUAL_CASES = 10, FEW = 4, ROWS = 47, COLS = 38 };

static fake_cuda      fake;
static cairn_context *context;

/// @return false on all ranks: the driver is not here.
static bool begin(void)
{
    if (!on_all_ranks(fake_cuda_find(&fake))) return false;
    cr_assert_eq(cairn_context_create_mpi(MPI_COMM_WORLD, &context), CAIRN_OK);
    snprintf(context->env.options.devices, sizeof context->env.options.devices,
             "cpu,cuda");
    return true;
}

#define BEGIN() \
    if (!begin()) cr_skip_test("the pretended driver is not here")

static void end(void)
{
    cairn_context_destroy(&context);
    cr_expect_eq(fake.late(), 0, "a lost context was asked");
    fake.mend();
}

/// What is multiplied by what.
typedef struct {
    const char           *text;
    cairn_dtype           dtype;
    cairn_product_options op;
} product;

static cairn_status store(cairn_source *source, const product *p, cairn_tensor **tensor)
{
    cairn_format *format = NULL;
    char          named[RANDOM_FORMAT];

    by_name(p->text, named, sizeof named);
    cairn_status status = cairn_format_create(context, named, &format);

    if (status == CAIRN_OK)
        status = cairn_tensor_create(source, format, p->dtype, tensor);
    cairn_format_destroy(&format);
    return status;
}

/// Scattered entries, a diagonal and one full row.
static cairn_status make_source(uint64_t *state, cairn_source **source)
{
    const int64_t  extent[2] = {ROWS, COLS};
    static int64_t coord[2 * ROWS * COLS];
    static double  value[ROWS * COLS];
    const int      percent = 5 + random_below(state, 30);
    const int64_t  full    = random_below(state, ROWS);
    int64_t        n       = 0;

    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLS; j++) {
            if (i != full && i != j && !random_chance(state, percent)) continue;
            coord[2 * n]     = i;
            coord[2 * n + 1] = j;
            value[n++]       = (1 + random_below(state, 500)) / 8.0;
        }
    return cairn_source_from_coords(context, 2, extent, rank == 0 ? n : 0, coord, value,
                                    CAIRN_BY_ROWS, source);
}

/// X of run @p k.
static void fill(cairn_plan *plan, int64_t columns, int k)
{
    double *wide   = cairn_plan_x(plan);
    float  *narrow = cairn_plan_x_f32(plan);
    int64_t first, end_row;

    cairn_plan_columns(plan, &first, &end_row);
    for (int64_t n = 0; n < (end_row - first) * columns; n++) {
        const double value = (double)((first * columns + n + 5 * k) % 97 + 1) / 97;

        if (wide)
            wide[n] = value;
        else
            narrow[n] = (float)value;
    }
}

enum { RUNS = 3 };

/// What this rank's driver fails in the second run; NULL: nothing.
static const char *losing;

/// This rank's Y after some runs with another X each.
static cairn_status multiply(cairn_tensor  *tensor,
                             const product *p,
                             const char    *place,
                             char         **y,
                             size_t        *bytes)
{
    const cairn_plan_options options = {.size         = sizeof options,
                                        .product      = &p->op,
                                        .place        = place,
                                        .reproducible = true};
    cairn_plan              *plan    = NULL;
    cairn_status             status  = cairn_plan_create_with(tensor, &options, &plan);
    int64_t                  first, end_row;

    *y = NULL;
    if (status != CAIRN_OK) return status;
    for (int k = 0; k < RUNS && status == CAIRN_OK; k++) {
        fill(plan, p->op.columns, k);
        if (k == 1 && losing) fake.fail(losing, 0, 719);
        status = cairn_plan_run(plan, NULL, NULL);
    }
    cairn_plan_rows(plan, &first, &end_row);
    *bytes = (size_t)((end_row - first) * p->op.columns)
             * (p->dtype == CAIRN_F64 ? sizeof(double) : sizeof(float));
    *y = malloc(*bytes + 1);
    memcpy(*y,
           p->dtype == CAIRN_F64 ? (void *)cairn_plan_y(plan)
                                 : (void *)cairn_plan_y_f32(plan),
           *bytes);
    cairn_plan_destroy(&plan);
    return status;
}

static const char *const places[] = {"cuda", "cpu*0.5+cuda*0.5"};
enum { PLACES = sizeof places / sizeof *places };

/// How far all products have come: plans on the card, those that a card has no kernel for,
/// and those that it has no memory for.
static struct {
    int carried, refused, large;
} met;

/// Does a tensor want so much of a card that a plan may lack memory? Arrays stand at 256
/// bytes on a card, and a bank has some of its own, and of its division's.
static bool is_large(const cairn_tensor *tensor)
{
    enum { EACH = 3 * 256, CARD = 1 << 28 };
    cairn_part_info *part  = NULL;
    int64_t          parts = 0, bytes = 0;

    if (cairn_tensor_parts(tensor, &parts, &part) != CAIRN_OK) return false;
    for (int64_t k = 0; k < parts; k++)
        bytes += part[k].bytes + EACH;
    cairn_parts_free(tensor, &part);
    return bytes > CARD / 8;
}

/// The same product at all places. @return false on all ranks: bits differ on some.
static bool same_bits(cairn_tensor *tensor, const product *p)
{
    size_t bytes, also;
    char  *right, *y;
    bool   same  = multiply(tensor, p, "cpu", &right, &bytes) == CAIRN_OK;
    bool   large = is_large(tensor); /* collective */

    for (int k = 0; k < PLACES && on_all_ranks(same); k++) {
        const long         before  = fake.calls("cuLaunchKernel");
        const cairn_status status  = multiply(tensor, p, places[k], &y, &also);
        long               kernels = fake.calls("cuLaunchKernel") - before;

        MPI_Allreduce(MPI_IN_PLACE, &kernels, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        met.carried += status == CAIRN_OK && kernels > 0;
        met.refused += status != CAIRN_OK && status != CAIRN_NO_MEMORY;
        met.large += status == CAIRN_NO_MEMORY;
        same = status == CAIRN_OK
                   ? also == bytes && memcmp(y, right, bytes) == 0
                   : status == CAIRN_UNSUPPORTED || status == CAIRN_NO_KERNEL
                         || (status == CAIRN_NO_MEMORY && large);
        if (!same)
            printf("rank %d of %d, %s: %s\n", rank, size, places[k],
                   status == CAIRN_OK ? "bits differ" : cairn_context_message(context));
        free(y);
    }
    free(right);
    return on_all_ranks(same);
}

/// Each rank's first card: those of a node take turns.
Test(cards, are_dealt_to_ranks)
{
    const char *words = getenv("FAKE_CUDA");
    const int   cards = words && strstr(words, "cards=2") ? 2 : 1;
    char        name[32];
    int         count;

    BEGIN();
    cairn_device_info *list;

    ON_ALL_RANKS(!cairn_devices_list(context, &count, &list), "%s",
                 cairn_context_message(context));
    cairn_devices_free(context, &list);
    snprintf(name, sizeof name, "Fake card %d", rank % cards);
    const cairn_device *card = &context->devices->device[1];

    ON_ALL_RANKS(!strcmp(card->info.name, name), "%s, not %s", card->info.name, name);
    const int each = cards > size ? cards / size : 1;

    ON_ALL_RANKS(context->devices->count == 1 + each, "%d devices",
                 context->devices->count);
    int users = 0;

    for (int r = 0; r < size; r++)
        for (int k = 0; k < each; k++)
            users += (r + k) % cards == rank % cards;
    ON_ALL_RANKS(card->info.memory_bytes <= ((int64_t)1 << 28) / users,
                 "%lld bytes for one of %d", (long long)card->info.memory_bytes, users);
    end();
}

Test(cards, the_catalogue_has_the_bits_of_the_processor)
{
    cairn_source *source = NULL;
    uint64_t      state  = 5;

    BEGIN();
    met.carried = met.large = 0;
    ON_ALL_RANKS(!make_source(&state, &source), "%s", cairn_context_message(context));
    for (int k = 0; k < FORMATS; k++) {
        product       p      = {.text  = formats[k],
                                .dtype = k % 2 ? CAIRN_F32 : CAIRN_F64,
                                .op    = CAIRN_PRODUCT_OPTIONS};
        cairn_tensor *tensor = NULL;

        p.op.columns    = k % 3 == 2 ? 3 : 1;
        p.op.transposed = k % 5 == 4;
        ON_ALL_RANKS(!store(source, &p, &tensor), "%s: %s", formats[k],
                     cairn_context_message(context));
        ON_ALL_RANKS(same_bits(tensor, &p), "%s", formats[k]);
        cairn_tensor_destroy(&tensor);
    }
    ON_ALL_RANKS(met.carried >= FORMATS && met.large == 0,
                 "%d plans were on cards, %d had no memory", met.carried, met.large);
    cairn_source_destroy(&source);
    end();
}

Test(cards, random_formats_have_the_bits_of_the_processor)
{
    const int want = seed_cases(USUAL_CASES);
    uint64_t  seed = seed_clock() * 1000003;

    BEGIN();
    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("first seed %llu\n", (unsigned long long)seed);
    met.carried = met.refused = met.large = 0;
    for (int n = 0, tries = 0; n < want && tries < 8 * want; tries++, seed++) {
        uint64_t      state  = seed;
        cairn_source *source = NULL;
        cairn_tensor *tensor = NULL;
        char          text[RANDOM_FORMAT];
        product       p = {.text = text, .op = CAIRN_PRODUCT_OPTIONS};

        random_format(&state, 2, text, sizeof text);
        p.dtype         = random_chance(&state, 50) ? CAIRN_F32 : CAIRN_F64;
        p.op.columns    = random_chance(&state, 30) ? 3 : 1;
        p.op.transposed = random_chance(&state, 30);
        p.op.alpha      = random_chance(&state, 30) ? -0.75 : 1;
        p.op.beta       = random_chance(&state, 30) ? 0.5 : 0;
        if (random_chance(&state, 15)) p.op.columns = 32;
        ON_ALL_RANKS(!make_source(&state, &source), "%s",
                     cairn_context_message(context));
        if (store(source, &p, &tensor) == CAIRN_OK) {
            ON_ALL_RANKS(same_bits(tensor, &p), "seed %llu\n%s",
                         (unsigned long long)seed, text);
            n++;
        }
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
    }
    if (rank == 0)
        printf("%d plans were on cards, %d were refused, %d had no memory\n",
               met.carried, met.refused, met.large);
    ON_ALL_RANKS(met.carried >= want, "%d plans were on cards", met.carried);
    /* Two tensors in 500,000 banks, and more of them among many. */
    ON_ALL_RANKS(met.large <= FEW + want / 25, "%d plans had no memory", met.large);
    end();
}

/// A card that one rank loses in a run, when it calls a function.
static bool lose(cairn_tensor *tensor, const product *p, const char *call)
{
    size_t bytes, also;
    char  *right, *y;
    bool   same = multiply(tensor, p, "cpu", &right, &bytes) == CAIRN_OK;

    losing          = rank == size - 1 ? call : NULL;
    const bool done = multiply(tensor, p, places[1], &y, &also) == CAIRN_OK;

    losing   = NULL;
    int lost = fake.failed() && context->devices->device[1].lost;

    MPI_Allreduce(MPI_IN_PLACE, &lost, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    same = same && done && lost == 1 && also == bytes && memcmp(y, right, bytes) == 0;
    free(y);
    free(right);
    cr_expect_eq(fake.late(), 0, "a lost context was asked");
    fake.mend();
    context->devices->device[1].lost = false;
    cairn_cuda_of(&context->devices->device[1])->loss =
        (cairn_cuda_loss){.lost = false};
    return on_all_ranks(same);
}

/// One rank loses its card in the second run: all ranks have the bits all the same, and the
/// others go on with theirs.
Test(cards, one_that_is_lost_changes_no_bit)
{
    static const char *const calls[] = {"cuGraphLaunch", "cuEventQuery",
                                        "cuEventRecord"};
    cairn_source            *source  = NULL;
    uint64_t                 state   = 9;

    BEGIN();
    ON_ALL_RANKS(!make_source(&state, &source), "%s", cairn_context_message(context));
    for (int k = 0; k < 3; k++) {
        const product p = {
            .text = "csr", .dtype = CAIRN_F64, .op = CAIRN_PRODUCT_OPTIONS};
        cairn_tensor *tensor = NULL;

        ON_ALL_RANKS(!store(source, &p, &tensor), "%s", cairn_context_message(context));
        ON_ALL_RANKS(lose(tensor, &p, calls[k]), "%s", calls[k]);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
    end();
}

/// Rows of a tridiagonal matrix, whose values change.
typedef struct {
    int64_t first, rows, ptr[ROWS + 1];
    int32_t idx[3 * ROWS];
    double  val[3 * ROWS];
} bands;

static void fill_bands(bands *b)
{
    int64_t n = 0;

    b->first = ROWS * rank / size;
    b->rows  = ROWS * (rank + 1) / size - b->first;
    for (int64_t i = b->first; i < b->first + b->rows; i++) {
        b->ptr[i - b->first] = n;
        for (int64_t j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < ROWS) {
                b->idx[n]   = (int32_t)j;
                b->val[n++] = 1 + 0.1 * (double)i + 0.01 * (double)j;
            }
    }
    b->ptr[b->rows] = n;
}

static cairn_tensor *store_bands(bands *b, const char *text)
{
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    char          named[256];

    fill_bands(b);
    by_name(text, named, sizeof named);
    if (cairn_format_create(context, named, &format) == CAIRN_OK)
        cairn_tensor_from_csr(context, ROWS, ROWS, b->first, b->rows, b->ptr, 64,
                              b->idx, 32, b->val, CAIRN_F64, CAIRN_COPY, format,
                              &tensor);
    cairn_format_destroy(&format);
    return tensor;
}

/// Run both plans. @return has the second the bits of the first, on this rank?
static bool run_both(cairn_plan *const plan[2], const bands *b, int turn)
{
    bool done = true;

    for (int k = 0; k < 2; k++) {
        fill(plan[k], 1, turn);
        done = cairn_plan_run(plan[k], NULL, NULL) == CAIRN_OK && done;
    }
    return done
           && memcmp(cairn_plan_y(plan[0]), cairn_plan_y(plan[1]),
                     (size_t)b->rows * sizeof(double))
                  == 0;
}

/// New values reach every rank's card while a plan is there.
Test(cards, values_that_change)
{
    static const char *const text[] = {"csr", "dia", "sell<4>"};
    static bands             b;

    BEGIN();
    for (int k = 0; k < 3 * PLACES; k++) {
        cairn_tensor *tensor  = store_bands(&b, text[k / PLACES]);
        cairn_plan   *plan[2] = {NULL, NULL};

        ON_ALL_RANKS(tensor, "%s", cairn_context_message(context));
        for (int n = 0; n < 2; n++) {
            const cairn_plan_options options = {.size  = sizeof options,
                                                .place = n ? places[k % PLACES] : "cpu",
                                                .reproducible = true};

            ON_ALL_RANKS(!cairn_plan_create_with(tensor, &options, &plan[n]), "%s",
                         cairn_context_message(context));
        }
        for (int turn = 0; turn < 3; turn++) {
            ON_ALL_RANKS(run_both(plan, &b, turn), "%s at %s, turn %d",
                         text[k / PLACES], places[k % PLACES], turn);
            for (int64_t n = 0; n < b.ptr[b.rows]; n++)
                b.val[n] *= 1.25;
            ON_ALL_RANKS(!cairn_tensor_update(tensor, b.val), "%s",
                         cairn_context_message(context));
        }
        cairn_plan_destroy(&plan[0]);
        cairn_plan_destroy(&plan[1]);
        cairn_tensor_destroy(&tensor);
    }
    end();
}
