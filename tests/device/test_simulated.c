// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Simulated devices: their results are the processor's, bit for bit; their times are
/// what their models say of the arrays; and what they refuse.

#include "devices/fpga/product.h"
#include "devices/kinds.h"
#include "devices/pim/banks.h"
#include "devices/pim/product.h"
#include "support/brutal.h"
#include "support/device_work.h"
#include "support/seed.h"
#include "support/suite_context.h"

#include <math.h>
#include <unistd.h>

TestSuite(simulated, .init = context_up, .fini = context_down, .timeout = 120);

static const cairn_product_options vector = CAIRN_PRODUCT_OPTIONS;

static uint64_t first_seed(void)
{
    const char    *given = getenv("PRODUCT_SEED");
    const uint64_t seed  = given ? strtoull(given, NULL, 10) : seed_clock();

    printf("seed %llu\n", (unsigned long long)seed);
    return seed;
}

Test(simulated, devices_are_there_when_they_are_named)
{
    cairn_devices *all = must_devices(context, "");

    for (int k = 0; k < all->count; k++)
        cr_expect_eq(all->device[k].info.clock, CAIRN_CLOCK_MEASURED);
    cairn_devices_close(&context->env, &all);

    cairn_devices            *some = must_devices(context, "cpu,pim:2,fpga");
    const cairn_device_facts *pim  = &some->device[2].info,
                             *fpga = &some->device[3].info;

    cr_assert_eq(some->count, 4);
    cr_expect_str_eq(pim->id, "pim:1");
    cr_expect_eq(pim->clock, CAIRN_CLOCK_SIMULATED);
    cr_expect_str_eq(pim->name, "simulated upmem, 2048 cores, 350 MHz");
    cr_expect_eq(pim->cores, 2048);
    cr_expect_eq(pim->memory_bytes, (int64_t)2048 << 26);
    cr_expect_eq(pim->bandwidth, 2048 * 700e6);
    cr_expect_str_eq(fpga->name, "simulated serpens-a16, 128 engines, 223 MHz");
    cr_expect_eq(fpga->clock, CAIRN_CLOCK_SIMULATED);
    cr_expect_eq(fpga->memory_bytes, (int64_t)8 << 30);
    cr_expect_eq(fpga->bandwidth, 16 * 14.4e9);
    cr_expect_eq(some->device[2].info.threads, some->device[0].info.threads);
    cairn_devices_close(&context->env, &some);
}

Test(simulated, devices_are_described_by_files)
{
    char       path[] = "/tmp/cairn-simulated-XXXXXX.json";
    const int  fd     = mkstemps(path, 5);
    const char text[] = "[{\"kind\": \"pim\", \"model\": \"bank-cores\", \"cores\": 4},"
                        " {\"kind\": \"fpga\", \"model\": \"serpens-a24\","
                        "  \"name\": \"a card\", \"clock\": 1e8}]";
    cairn_devices *devices;

    cr_assert_eq(write(fd, text, sizeof text - 1), (ssize_t)sizeof text - 1);
    close(fd);
    devices = must_devices(context, path);
    unlink(path);

    const cairn_device *pim = &devices->device[devices->count - 2], *fpga = pim + 1;
    const cairn_pim_parameters  *cores = pim->state;
    const cairn_fpga_parameters *card  = fpga->state;

    cr_expect_str_eq(pim->info.name, "simulated bank-cores, 4 cores, 350 MHz");
    cr_expect_eq(cores->cores, 4);
    cr_expect_eq(cores->entry_cycles, 12);
    cr_expect_str_eq(fpga->info.name, "a card");
    cr_expect_eq(card->channels, 24);
    cr_expect_eq(card->clock, 1e8);
    cairn_devices_close(&context->env, &devices);
}

/* Results. */

typedef struct {
    const char *format;
    const char *device;
    cairn_dtype dtype;
    int64_t     columns;
    int         transposed;
} product_row;

/// Columns dealt out to banks, so that several add to a row.
static const char column_banks[] =
    "#encoding<{ idx_map<(d0,d1)->(d1%5,d0,d1/5)>, mutation<merge(0,1), trim(2,2)>, "
    "layout<partition(0)> }>";

static const product_row product_rows[] = {
    {"c2sr<16>",      "pim",  CAIRN_F64, 1, 0},
    {"cisr<16>",      "pim",  CAIRN_F32, 1, 0},
    {"cisr-plus<16>", "pim",  CAIRN_F64, 5, 0},
    {"c2sr<7>",       "pim",  CAIRN_F32, 3, 1},
    {"c2sr<1>",       "pim",  CAIRN_F64, 1, 1},
    {column_banks,    "pim",  CAIRN_F64, 1, 0},
    {column_banks,    "pim",  CAIRN_F32, 2, 1},
    {"serpens<128>",  "fpga", CAIRN_F32, 1, 0},
    {"serpens<128>",  "fpga", CAIRN_F32, 4, 0},
};

static double total(const cairn_launch_times *times)
{
    return times->in + times->compute + times->out;
}

/// Build on both devices, the same way; the bits must be the same.
static void
check_product(const cairn_tensor *tensor, const product_row *row, bool alone)
{
    const cairn_product_options op = {.size       = sizeof(cairn_product_options),
                                      .columns    = row->columns,
                                      .transposed = row->transposed,
                                      .alpha      = 0.75};
    const cairn_device_work work = {.tensor = tensor->local, .op = &op, .alone = alone};
    const cairn_device_request request = {.work = &work};
    cairn_devices             *devices = must_devices(context, row->device);
    cairn_devices             *host    = must_devices(context, "cpu");
    cairn_device              *device  = &devices->device[0];
    cairn_launch               launch  = {0};
    work_operands              o;

    work_operands_make(&work, &o);
    cr_expect(device->ops.can(device, &request));
    MUST(context, device->ops.build(device, &work, &launch));
    double *y = run_launch(&launch, &o), *again = run_launch(&launch, &o);
    double *right = run_on(&host->device[0], &work, &o);

    cr_expect_neq(launch.route, CAIRN_ROUTE_REFERENCE);
    for (int64_t k = 0; k < o.rows_out * o.columns; k++)
        cr_assert(memcmp(&y[k], &right[k], sizeof *y) == 0 && y[k] == again[k],
                  "%s: Y(%lld) = %.17g, not %.17g", row->format, (long long)k, y[k],
                  right[k]);
    cr_expect_gt(launch.times.in, 0);
    cr_expect_gt(launch.times.compute, 0);
    cr_expect_gt(launch.times.out, 0);
    cr_expect_float_eq(device->ops.cost(device, &request), total(&launch.times), 1e-15);
    cr_expect_gt(launch.bytes.own, tensor->local->parts);
    cr_expect_not_null(strstr(launch.note, "compute "));
    launch.release(&launch);
    cr_expect_null(launch.run);
    free(y);
    free(again);
    free(right);
    free(o.block);
    cairn_devices_close(&context->env, &host);
    cairn_devices_close(&context->env, &devices);
}

Test(simulated, results_are_those_of_the_processor)
{
    uint64_t      state  = 5;
    cairn_source *source = random_source(context, &state, 61, 47);

    for (size_t k = 0; k < sizeof product_rows / sizeof *product_rows; k++) {
        cairn_tensor *tensor =
            must_store(context, source, product_rows[k].format, product_rows[k].dtype);

        check_product(tensor, &product_rows[k], k % 2 == 0);
        cairn_tensor_destroy(&tensor);
    }
    cairn_source_destroy(&source);
}

/// Without code the arrays are interpreted: Y is f64, and the launch adds to it.
static void
check_interpreted(const cairn_tensor *tensor, const char *device, int member)
{
    const cairn_device_work work = {
        .tensor = tensor->local, .member = member, .op = &vector, .alone = true};
    const cairn_reference_op op      = {.columns = 1, .alpha = 1};
    cairn_devices           *devices = must_devices(context, device);
    cairn_reference         *reference;
    cairn_launch             launch = {0};
    work_operands            o;

    work_operands_make(&work, &o);
    MUST(context, devices->device[0].ops.build(&devices->device[0], &work, &launch));
    cr_expect_eq(launch.route, CAIRN_ROUTE_REFERENCE);
    cr_expect(launch.wide);
    cr_expect_not(launch.sets);
    double *y     = run_launch(&launch, &o),
           *right = calloc((size_t)o.rows_out + 1, sizeof *right);

    MUST(context,
         cairn_reference_create(&context->env, tensor->local, &op, 1, &reference));
    MUST(context, cairn_reference_run(reference, member, o.x, right));
    for (int64_t k = 0; k < o.rows_out; k++)
        cr_assert(memcmp(&y[k], &right[k], sizeof *y) == 0, "Y(%lld)", (long long)k);
    cairn_reference_destroy(&reference);
    launch.release(&launch);
    free(y);
    free(right);
    free(o.block);
    cairn_devices_close(&context->env, &devices);
}

Test(simulated, without_code_arrays_are_interpreted)
{
    uint64_t      state  = 6;
    cairn_source *source = random_source(context, &state, 61, 47);
    cairn_tensor *banks  = must_store(context, source, "cisr<16>", CAIRN_F32);
    cairn_tensor *engine = must_store(context, source, "serpens<128>", CAIRN_F32);

    context->env.options.kernels = CAIRN_KERNELS_REFERENCE;
    check_interpreted(banks, "pim", 0);
    check_interpreted(engine, "fpga", 0);
    context->env.options.kernels = CAIRN_KERNELS_AUTO;
    cairn_tensor_destroy(&engine);
    cairn_tensor_destroy(&banks);
    cairn_source_destroy(&source);
}

Test(simulated, without_code_that_must_be_there_nothing_is_prepared)
{
    uint64_t                state  = 6;
    cairn_source           *source = random_source(context, &state, 13, 11);
    cairn_tensor           *tensor = must_store(context, source, "c2sr<3>", CAIRN_F64);
    const cairn_device_work work   = {
          .tensor = tensor->local, .op = &vector, .alone = true};
    cairn_launch   launch = {.bytes.own = 77};
    char           cc[sizeof context->env.options.cc];
    cairn_devices *devices;

    memcpy(cc, context->env.options.cc, sizeof cc);
    strcpy(context->env.options.cc, "/nowhere/cc");
    context->env.options.kernels = CAIRN_KERNELS_COMPILED;
    strcpy(context->env.options.cache, "off");
    devices = must_devices(context, "pim");
    REFUSED(context, NO_KERNEL, "/nowhere/cc",
            devices->device[0].ops.build(&devices->device[0], &work, &launch));
    cr_expect_eq(launch.bytes.own, 77);
    cairn_devices_close(&context->env, &devices);
    memcpy(context->env.options.cc, cc, sizeof cc);
    context->env.options.kernels = CAIRN_KERNELS_AUTO;
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/* What is counted. */

enum { MOST_ROWS = 200, MOST_BANKS = 40 };

/// Bank of every row, as the catalogue says of the format.
static void deal_rows(const char    *format,
                      const int64_t *load,
                      int64_t        rows,
                      int64_t        banks,
                      int64_t       *bank)
{
    int64_t order[MOST_ROWS], held[MOST_BANKS] = {0};

    for (int64_t i = 0; i < rows; i++)
        order[i] = i;
    if (strcmp(format, "cisr-plus") == 0) /* by load, the largest first, stably */
        for (int64_t i = 1; i < rows; i++)
            for (int64_t k = i; k > 0 && load[order[k]] > load[order[k - 1]]; k--) {
                const int64_t swap = order[k];

                order[k]     = order[k - 1];
                order[k - 1] = swap;
            }
    for (int64_t n = 0; n < rows; n++) {
        int64_t least = 0;

        for (int64_t b = 1; b < banks; b++)
            if (held[b] < held[least]) least = b;
        if (strcmp(format, "c2sr") == 0) least = order[n] % banks;
        bank[order[n]] = least;
        held[least] += load[order[n]];
    }
}

/// Count the banks by their rows, from the entries alone.
static void count_banks(const cairn_entries *e,
                        const int64_t       *bank,
                        const int64_t       *load,
                        int64_t              rows,
                        cairn_pim_bank      *count)
{
    for (int64_t b = 0; b < MOST_BANKS; b++)
        count[b] = (cairn_pim_bank){.x_lo = INT64_MAX, .x_hi = -1};
    for (int64_t i = 0; i < rows; i++)
        count[bank[i]].rows += load[i] > 0;
    for (cairn_pos n = 0; n < e->n; n++) {
        cairn_pim_bank *b = &count[bank[e->coord[0][n]]];
        const int64_t   j = e->coord[1][n];

        b->entries++;
        if (j < b->x_lo) b->x_lo = j;
        if (j > b->x_hi) b->x_hi = j;
    }
}

static void check_banks(uint64_t *state, const char *format)
{
    const int64_t rows                   = 1 + random_below(state, MOST_ROWS),
                  cols                   = 1 + random_below(state, 50);
    const int64_t        banks           = 1 + random_below(state, MOST_BANKS);
    cairn_source        *source          = random_source(context, state, rows, cols);
    const cairn_entries *e               = &source->entries;
    int64_t              load[MOST_ROWS] = {0}, bank[MOST_ROWS], bytes = 0;
    cairn_pim_bank       count[MOST_BANKS], *found;
    char                 text[40];

    snprintf(text, sizeof text, "%s<%d>", format, (int)banks);
    for (cairn_pos n = 0; n < e->n; n++)
        load[e->coord[0][n]]++;
    deal_rows(format, load, rows, banks, bank);
    count_banks(e, bank, load, rows, count);
    cairn_tensor           *tensor = must_store(context, source, text, CAIRN_F64);
    const cairn_device_work work   = {.tensor = tensor->local, .op = &vector};

    MUST(context, cairn_pim_banks(&context->env, &work, &found));
    for (int64_t b = 0; b < banks; b++) {
        cr_assert(found[b].entries == count[b].entries && found[b].rows == count[b].rows
                      && found[b].visited == count[b].entries,
                  "%s: bank %lld: %lld entries in %lld rows, not %lld in %lld", text,
                  (long long)b, (long long)found[b].entries, (long long)found[b].rows,
                  (long long)count[b].entries, (long long)count[b].rows);
        if (count[b].entries > 0)
            cr_assert(found[b].x_lo == count[b].x_lo && found[b].x_hi == count[b].x_hi);
        bytes += found[b].bytes;
    }
    cr_expect_eq(bytes, tensor->local->group[0].bytes);
    cairn_free(&context->env, found);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(simulated, banks_hold_what_their_rules_say)
{
    static const char *const formats[] = {"c2sr", "cisr", "cisr-plus"};
    uint64_t                 state     = first_seed();

    for (int n = 0; n < 30; n++)
        check_banks(&state, formats[n % 3]);
}

/* Random layouts: those with banks run, the others are refused. */

static void check_random_format(uint64_t *state, int *ran, int *refused)
{
    static char   text[RANDOM_FORMAT];
    cairn_format *format;
    cairn_tensor *tensor;
    cairn_source *source = random_source(context, state, 1 + random_below(state, 40),
                                         1 + random_below(state, 40));

    random_format(state, 2, text, sizeof text);
    if (cairn_format_create(context, named(text), &format) != CAIRN_OK) goto source;
    if (cairn_tensor_create(source, format, CAIRN_F64, &tensor) != CAIRN_OK)
        goto format;
    for (int m = 0; m < tensor->local->groups; m++) {
        const cairn_device_work work = {
            .tensor = tensor->local, .member = m, .op = &vector};
        cairn_launch   launch  = {0};
        cairn_devices *devices = must_devices(context, "pim");

        if (cairn_pim_divided(&work)) {
            check_interpreted(tensor, "pim", m);
            ++*ran;
        } else {
            REFUSED(context, UNSUPPORTED, "no banks",
                    devices->device[0].ops.build(&devices->device[0], &work, &launch));
            ++*refused;
        }
        cairn_devices_close(&context->env, &devices);
    }
    cairn_tensor_destroy(&tensor);
format:
    cairn_format_destroy(&format);
source:
    cairn_source_destroy(&source);
}

Test(simulated, random_layouts_run_if_they_have_banks)
{
    uint64_t state = first_seed();
    int      ran = 0, refused = 0;

    context->env.options.kernels = CAIRN_KERNELS_REFERENCE;
    for (int n = 0; n < 400 && (n < 120 || ran < 10); n++)
        check_random_format(&state, &ran, &refused);
    context->env.options.kernels = CAIRN_KERNELS_AUTO;
    printf("%d members ran, %d were refused\n", ran, refused);
    cr_expect(ran >= 10 && refused > 0);
}

/* What is too much. */

Test(simulated, too_small_memories_are_told_with_need_and_limit)
{
    uint64_t          state   = 9;
    cairn_source     *source  = random_source(context, &state, 100, 90);
    cairn_tensor     *banks   = must_store(context, source, "c2sr<4>", CAIRN_F64);
    cairn_tensor     *card    = must_store(context, source, "serpens<128>", CAIRN_F32);
    cairn_device_work work    = {.tensor = banks->local, .op = &vector, .alone = true};
    cairn_devices    *devices = must_devices(context, "pim,fpga");
    cairn_device     *pim = &devices->device[0], *fpga = &devices->device[1];
    cairn_launch      launch = {.bytes.own = 77};
    cairn_pim_cost    cost;

    MUST(context, cairn_pim_cost_of(pim, &work, &cost));
    ((cairn_pim_parameters *)pim->state)->memory = cost.needed;
    MUST(context, pim->ops.build(pim, &work, &launch));
    launch.release(&launch);
    launch.bytes.own                             = 77;
    ((cairn_pim_parameters *)pim->state)->memory = 1000;
    REFUSED(context, NO_MEMORY, "limit 1000", pim->ops.build(pim, &work, &launch));
    work.tensor                                    = card->local;
    ((cairn_fpga_parameters *)fpga->state)->memory = 5000;
    REFUSED(context, NO_MEMORY, "limit 5000", fpga->ops.build(fpga, &work, &launch));
    cr_expect_eq(launch.bytes.own, 77);
    cairn_devices_close(&context->env, &devices);
    cairn_tensor_destroy(&card);
    cairn_tensor_destroy(&banks);
    cairn_source_destroy(&source);
}

Test(simulated, what_is_not_for_a_card_has_no_cost)
{
    uint64_t                   state   = 9;
    cairn_source              *source  = random_source(context, &state, 30, 30);
    cairn_tensor              *tensor  = must_store(context, source, "csr", CAIRN_F32);
    const cairn_device_work    work    = {.tensor = tensor->local, .op = &vector};
    const cairn_device_request asked   = {.work = &work};
    const cairn_device_request unknown = {.memory_bytes = (int64_t)1 << 60};
    cairn_devices             *devices = must_devices(context, "pim,fpga");

    for (int k = 0; k < 2; k++) {
        const cairn_device *device = &devices->device[k];

        cr_expect_not(device->ops.can(device, &asked));
        cr_expect_lt(device->ops.cost(device, &asked), 0);
        cr_expect_not(device->ops.can(device, &unknown));
        cr_expect_lt(device->ops.cost(device, &unknown), 0);
    }
    cairn_devices_close(&context->env, &devices);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

static cairn_status build_and_release(cairn_device            *device,
                                      const cairn_device_work *work)
{
    cairn_launch launch = {0};

    CAIRN_TRY(device->ops.build(device, work, &launch));
    launch.release(&launch);
    return CAIRN_OK;
}

static cairn_status open_and_close(const char *list)
{
    cairn_devices *devices;

    CAIRN_TRY(cairn_devices_open(&context->env, "--devices", list, &devices));
    cairn_devices_close(&context->env, &devices);
    return CAIRN_OK;
}

Test(simulated, every_failed_allocation_leaves_nothing)
{
    uint64_t      state  = 9;
    cairn_source *source = random_source(context, &state, 70, 60);
    cairn_tensor *banks  = must_store(context, source, "cisr-plus<5>", CAIRN_F64);
    cairn_tensor *card   = must_store(context, source, "serpens<128>", CAIRN_F32);
    const cairn_device_work of_pim  = {.tensor = banks->local, .op = &vector};
    const cairn_device_work of_fpga = {.tensor = card->local, .op = &vector};
    cairn_devices          *devices = must_devices(context, "pim,fpga");

    CAIRN_BRUTAL(&context->env, open_and_close("pim,fpga:2"));
    context->env.options.kernels = CAIRN_KERNELS_REFERENCE;
    CAIRN_BRUTAL(&context->env, build_and_release(&devices->device[0], &of_pim));
    CAIRN_BRUTAL(&context->env, build_and_release(&devices->device[1], &of_fpga));
    context->env.options.kernels = CAIRN_KERNELS_AUTO;
    MUST(context,
         build_and_release(&devices->device[0], &of_pim)); /* keeps its loader */
    MUST(context, build_and_release(&devices->device[1], &of_fpga));
    CAIRN_BRUTAL(&context->env, build_and_release(&devices->device[0], &of_pim));
    CAIRN_BRUTAL(&context->env, build_and_release(&devices->device[1], &of_fpga));
    cairn_devices_close(&context->env, &devices);
    cairn_tensor_destroy(&card);
    cairn_tensor_destroy(&banks);
    cairn_source_destroy(&source);
}
