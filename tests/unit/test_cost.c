// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Cost models: rates found again among outliers, what few measurements can tell, what is
/// not believed, choosing between ways, the file and what may be wrong with it. Other
/// measurements with COST_SEED.

#include "cost/cost_file.h"
#include "cost/cost_fit.h"
#include "support/brutal.h"
#include "support/scratch.h"

#include <fcntl.h>
#include <math.h>
#include <time.h>

static uint64_t state;

static double draw(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(state >> 11) / 9007199254740992.0;
}

static void seed(uint64_t more)
{
    const char *given = getenv("COST_SEED");

    state = (given ? strtoull(given, NULL, 10) : 1) * 1000003 + more;
    draw();
}

static double between(double least, double most)
{
    return least * pow(most / least, draw());
}

static const cairn_cost_rates prior = {1e-6, 1e-10, 0};

static const cairn_cost_device processor = {
    "cpu: test",
    CAIRN_CLOCK_MEASURED,
    {1e-6, 1e-10, 0}
};

static cairn_work some_work(const char *family, double bytes, double entries)
{
    cairn_work work = {.bytes = bytes, .entries = entries};

    snprintf(work.family, sizeof work.family, "%s", family);
    return work;
}

/// Measurements of given rates: noise of 5 %, and @p bad of them wrong by 1.5 to 30, nine
/// in ten of these too slow.
static int measure(cairn_cost_sample *sample, const cairn_cost_rates *rates, double bad)
{
    enum { N = 40 };

    for (int k = 0; k < N; k++) {
        const double bytes = between(1e3, 1e9), entries = bytes / between(8, 24);
        double       seconds = cairn_cost_seconds(rates, bytes, entries);

        seconds *= 1 + 0.05 * (draw() + draw() + draw() + draw() - 2) * 1.7;
        if (draw() < bad)
            seconds *= draw() < 0.9 ? between(1.5, 30) : between(0.1, 0.7);
        sample[k] = (cairn_cost_sample){bytes, entries, seconds, k, false};
    }
    return N;
}

static double
error_of(const cairn_cost_rates *a, const cairn_cost_rates *b, double bytes)
{
    return fabs(log(cairn_cost_seconds(a, bytes, bytes / 12)
                    / cairn_cost_seconds(b, bytes, bytes / 12)));
}

Test(cost, rates_are_found_among_outliers)
{
    enum { CASES = 400 };
    double mean = 0, spreads = 0;
    int    wrong = 0, unsure = 0;

    for (int k = 0; k < CASES; k++) {
        cairn_cost_sample sample[CAIRN_COST_SAMPLES];
        cairn_cost_rates  found;
        double            spread;

        seed((uint64_t)k);
        const cairn_cost_rates rates = {between(1e-7, 1e-4), between(1e-11, 1e-9),
                                        k % 2 ? between(1e-10, 1e-8) : 0};
        const int              n     = measure(sample, &rates, 0.2);

        cairn_cost_fit(sample, n, &prior, &found, &spread);
        for (double bytes = 1e3; bytes < 2e9; bytes *= 10) {
            const double error = error_of(&found, &rates, bytes);

            mean += error / (7 * CASES);
            wrong += error > 0.1;
        }
        spreads += spread / CASES;
        unsure += spread > 0.3;
    }
    /* A launch of 0.1 us among measurements of 1 us and more cannot be told. */
    cr_expect_lt(mean, 0.03, "the mean is %.3f", mean);
    cr_expect_leq(wrong, 7 * CASES * 3 / 100, "%d of %d are wrong by a tenth", wrong,
                  7 * CASES);
    cr_expect_leq(unsure, CASES / 100, "%d of %d are unsure", unsure, CASES);
    cr_expect(spreads > 0.03 && spreads < 0.12, "noise of 5 %% is said to be %.3f",
              spreads);
    if (getenv("COST_SEED"))
        cr_log_warn("%d wrong, %d unsure, mean %.4f, spread %.4f", wrong, unsure, mean,
                    spreads);
}

Test(cost, exact_measurements_give_exact_rates)
{
    static const cairn_cost_rates rates = {2e-5, 3e-10, 7e-10};
    cairn_cost_sample             sample[CAIRN_COST_SAMPLES];
    cairn_cost_rates              found;
    double                        spread;

    seed(0);
    const int n = measure(sample, &rates, 0);

    for (int k = 0; k < n; k++)
        sample[k].seconds =
            cairn_cost_seconds(&rates, sample[k].bytes, sample[k].entries);
    cairn_cost_fit(sample, n, &prior, &found, &spread);
    cr_expect_float_eq(found.launch / rates.launch, 1, 1e-3, "%g", found.launch);
    cr_expect_float_eq(found.per_byte / rates.per_byte, 1, 1e-3, "%g", found.per_byte);
    cr_expect_float_eq(found.per_entry / rates.per_entry, 1, 1e-3, "%g",
                       found.per_entry);
    cr_expect_lt(spread, 1e-3);
}

/// Five measurements of one size, of which one is far too slow.
static cairn_cost_rates fit_alike(int n, double bytes, double seconds)
{
    cairn_cost_sample sample[5];
    cairn_cost_rates  found;
    double            spread;

    for (int k = 0; k < 5; k++)
        sample[k] = (cairn_cost_sample){bytes, bytes / 10, seconds, k, false};
    sample[3].seconds = 1; /* somebody else was at work */
    cairn_cost_fit(sample, n, &prior, &found, &spread);
    return found;
}

Test(cost, one_size_scales_the_larger_term)
{
    for (int n = 1; n <= 5; n++) {
        const cairn_cost_rates large = fit_alike(n, 1e6, 3.01e-4),
                               small = fit_alike(n, 1e2, 1.1e-5),
                               fast  = fit_alike(n, 1e4, 1e-7);

        cr_expect_float_eq(large.per_byte / prior.per_byte, 3, 1e-6);
        cr_expect_float_eq(large.launch / prior.launch, 1, 1e-6);
        cr_expect_float_eq(small.per_byte / prior.per_byte, 1, 1e-6);
        cr_expect_float_eq(small.launch, 1.099e-5, 1e-12);
        cr_expect_float_eq(cairn_cost_seconds(&fast, 1e4, 1e3), 1e-7, 1e-13);
    }
}

Test(cost, nothing_is_learned_where_only_shipped_rates_count)
{
    const cairn_work work  = some_work("f", 1e6, 1e5);
    cairn_costs      costs = {0};
    cairn_cost_guess guess;
    cairn_env        env;

    cairn_env_init(&env);
    env.options.cost = CAIRN_RATES_SHIPPED;
    cairn_costs_init(&env, NULL, &costs);
    cairn_cost_observe(&costs, &processor, &work, 1);
    cairn_cost_predict(&costs, &processor, &work, &guess);
    cr_expect_eq(costs.models, 0);
    cr_expect_eq(guess.source, CAIRN_COST_ESTIMATED);
    cairn_costs_fini(&costs);
    cairn_env_fini(&env);
}

Test(cost, what_no_measurement_can_be_is_ignored)
{
    static const double      wrong[]  = {NAN, -1, INFINITY, -INFINITY, 1e308};
    static cairn_cost_device modelled = {
        "pim: test", CAIRN_CLOCK_SIMULATED, {1e-6, 1e-10, 0}
    };
    cairn_env   env;
    cairn_costs costs;

    cairn_env_init(&env);
    cairn_costs_init(&env, NULL, &costs);
    for (int k = 0; k < 5; k++) {
        cairn_work work = some_work("f", wrong[k], 1);

        cairn_cost_observe(&costs, &processor, &work, 1);
        work = some_work("f", 1, wrong[k]);
        cairn_cost_observe(&costs, &processor, &work, 1);
        work = some_work("f", 1, 1);
        cairn_cost_observe(&costs, &processor, &work, wrong[k]);
    }
    const cairn_work work = some_work("f", 1, 1);

    cairn_cost_observe(&costs, &processor, &work, 0);
    cairn_cost_observe(&costs, &modelled, &work, 1);
    cr_expect_eq(costs.models, 0);
    cairn_costs_fini(&costs);
    cairn_env_fini(&env);
}

Test(cost, predictions_say_how_sure_they_are)
{
    cairn_env        env;
    cairn_costs      costs;
    cairn_cost_guess before, once, often, far;

    seed(7);
    cairn_env_init(&env);
    cairn_costs_init(&env, NULL, &costs);
    const cairn_work work = some_work("f", 1e6, 1e5), more = some_work("f", 1e9, 1e8);

    cairn_cost_predict(&costs, &processor, &work, &before);
    cr_expect(before.source == CAIRN_COST_ESTIMATED && before.spread == 1);
    cr_expect_float_eq(before.seconds, 1.01e-4, 1e-9);
    cairn_cost_observe(&costs, &processor, &work, 2.02e-4);
    cairn_cost_predict(&costs, &processor, &work, &once);
    cr_expect(once.source == CAIRN_COST_MEASURED && once.spread < 1);
    cr_expect_float_eq(once.seconds, 2.02e-4, 1e-9);
    for (int k = 0; k < 100; k++) {
        const double     bytes = between(1e4, 1e7);
        const cairn_work other = some_work("f", bytes, bytes / 10);

        cairn_cost_observe(&costs, &processor, &other, 2e-6 + 2e-10 * bytes);
    }
    cairn_cost_predict(&costs, &processor, &work, &often);
    cairn_cost_predict(&costs, &processor, &more, &far);
    cr_expect_lt(often.spread, 0.1, "%g", often.spread);
    cr_expect_gt(far.spread, 2 * often.spread);
    cr_expect_float_eq(often.seconds / 2.02e-4, 1, 1e-2);
    cr_expect_eq(costs.models, 1);
    cr_expect_eq(costs.model[0].samples, CAIRN_COST_SAMPLES);
    cr_expect_eq(costs.model[0].count, 101);
    cairn_costs_fini(&costs);
    cairn_env_fini(&env);
}

Test(cost, families_of_one_format_are_kin)
{
    static const struct {
        const char *any, *family;
        bool        kin;
    } pairs[] = {
        {"product f64 k1 0.dense 1.compressed.p32.i32",
         "product f64 k1 0.dense 1.compressed.p32.i16",                                        true },
        {"product f64 k1 0.dense 1.compressed.p32.i8",
         "product f64 k1 0.dense 1.compressed.p64.i64",                                        true },
        {"product f64 k1 0.dense 1.compressed.p32.i32",
         "product f32 k1 0.dense 1.compressed.p32.i32",                                        false},
        {"product f64 k1 0.dense 1.compressed.p32.i32",
         "product f64 k8 0.dense 1.compressed.p32.i32",                                        false},
        {"product f64 k1 0/.dense 1%.dense:2",          "product f64 k1 0/.dense 1%.dense:4",
         false                                                                                      },
        {"product f64 k1 q.dense 0.dense:1024",         "product f64 k1 q.dense 0.dense:16",
         true                                                                                       },
        {"product f64 k1 q.dense 0.dense:16",           "product f64 k1 q.dense 0.dense:1024",
         false                                                                                      },
        {"product f64 k1 0.dense 1.compressed.p32.i32",
         "product f64 k1 0.dense 1.compressed.p32.i32 pads",                                   false},
    };

    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        cr_expect_eq(cairn_work_is_kin(pairs[k].any, pairs[k].family), pairs[k].kin,
                     "%zu", k);
}

Test(cost, what_is_recalled_is_of_the_nearest_work)
{
    cairn_env           env;
    cairn_costs         costs;
    cairn_cost_recalled r     = {0};
    const cairn_work    some  = some_work("product f64 k1 0.dense.i16", 1e6, 1e5);
    const cairn_work    asked = some_work("product f64 k1 0.dense.i32", 1.05e6, 1e5);
    const cairn_work    far   = some_work("product f64 k1 0.dense.i8", 1e7, 1e6);

    cairn_env_init(&env);
    cairn_costs_init(&env, NULL, &costs);
    cr_expect(!cairn_cost_recall(&costs, processor.key, &asked, &r));
    for (int k = 0; k < 5; k++)
        cairn_cost_observe(&costs, &processor, &far, 1e-2);
    cr_expect(cairn_cost_recall(&costs, processor.key, &asked, &r) && !r.same_size);
    cr_expect_float_eq(r.seconds / 1e-2, 1.06e-4 / 1.001e-3, 1e-9);
    for (int k = 0; k < 3; k++)
        cairn_cost_observe(&costs, &processor, &some, 1e-4 * (k + 1));
    cr_expect(cairn_cost_recall(&costs, processor.key, &asked, &r) && r.same_size);
    cr_expect_eq(r.count, 3);
    cr_expect_float_eq(r.seconds / 2e-4, 1.06 / 1.01, 1e-9);
    cr_expect(!cairn_cost_recall(&costs, "another", &asked, &r));
    cairn_costs_fini(&costs);
    cairn_env_fini(&env);
}

Test(cost, one_job_again_and_again_pushes_nothing_out)
{
    cairn_env   env;
    cairn_costs costs;

    cairn_env_init(&env);
    cairn_costs_init(&env, NULL, &costs);
    for (int k = 0; k < 20; k++) {
        const cairn_work work = some_work("f", 1e4 * pow(2, k), 1e3);

        cairn_cost_observe(&costs, &processor, &work, 1);
    }
    for (int k = 0; k < 1000; k++) {
        const cairn_work work = some_work("f", 3e4, 1e3);

        cairn_cost_observe(&costs, &processor, &work, 1);
    }
    cr_expect_eq(costs.model[0].samples, 20 + CAIRN_COST_SAME_SIZE);
    cairn_costs_fini(&costs);
    cairn_env_fini(&env);
}

Test(cost, models_are_not_without_number)
{
    cairn_env   env;
    cairn_costs costs;

    cairn_env_init(&env);
    cairn_costs_init(&env, NULL, &costs);
    for (int k = 0; k < 2 * CAIRN_COST_MODELS; k++) {
        char name[32];

        snprintf(name, sizeof name, "family %d", k);
        const cairn_work work = some_work(name, 1e4, 1e3);

        cairn_cost_observe(&costs, &processor, &work, 1);
    }
    cr_expect_eq(costs.models, CAIRN_COST_MODELS);
    cairn_costs_fini(&costs);
    cairn_env_fini(&env);
}

/* The file. */

typedef struct {
    cairn_env     env;
    cairn_machine machine;
    char          folder[64];
} shop;

static void open_shop(shop *s)
{
    cairn_env_init(&s->env);
    s->machine = (cairn_machine){.name = "a processor", .here = true};
    scratch_create(s->folder);
    snprintf(s->env.options.costs, sizeof s->env.options.costs, "%s/costs.json",
             s->folder);
}

static void close_shop(shop *s)
{
    char command[128];

    cr_expect_eq(s->env.live_blocks, 0);
    cairn_env_fini(&s->env);
    snprintf(command, sizeof command, "rm -r '%s'", s->folder);
    cr_expect_eq(system(command), 0);
}

static void observe_and_save(shop *s, const char *family, int n)
{
    cairn_costs costs;

    cairn_costs_init(&s->env, &s->machine, &costs);
    for (int k = 0; k < n; k++) {
        const cairn_work work = some_work(family, 1e4 * pow(3, k), 1e3);

        cairn_cost_observe(&costs, &processor, &work, 1e-3 * (k + 1));
    }
    cairn_costs_save(&costs);
    cr_expect_str_eq(costs.note, "");
    cairn_costs_fini(&costs);
}

static int models_of(shop *s, char note[CAIRN_COST_NOTE])
{
    cairn_costs costs;

    cairn_costs_init(&s->env, &s->machine, &costs);
    const int models = costs.models;

    memcpy(note, costs.note, sizeof costs.note);
    cairn_costs_fini(&costs);
    return models;
}

Test(cost, what_was_measured_is_there_the_next_time)
{
    shop                    s;
    cairn_costs             costs;
    const cairn_cost_model *model;

    open_shop(&s);
    observe_and_save(&s, "one", 3);
    observe_and_save(&s, "two", 4);
    observe_and_save(&s, "one", 3);
    cairn_costs_init(&s.env, &s.machine, &costs);
    cr_expect_eq(costs.models, 2);
    model = cairn_cost_find(&costs, processor.key, "one");
    cr_assert(model);
    cr_expect_eq(model->samples, 6);
    cr_expect_eq(model->count, 6);
    cr_expect_gt(model->rates.per_byte, 0);
    cr_expect(!cairn_cost_find(&costs, "another", "one"));
    cairn_costs_fini(&costs);
    close_shop(&s);
}

Test(cost, jobs_at_once_lose_nothing)
{
    shop        s;
    cairn_costs one, two;

    open_shop(&s);
    cairn_costs_init(&s.env, &s.machine, &one);
    cairn_costs_init(&s.env, &s.machine, &two);
    for (int k = 0; k < 5; k++) {
        const cairn_work work = some_work("f", 1e4 * pow(2, k), 1);

        cairn_cost_observe(k % 2 ? &one : &two, &processor, &work, 1);
        cairn_costs_save(k % 2 ? &one : &two);
    }
    cairn_costs_save(&one); /* nothing is fresh: nothing is written twice */
    cairn_costs_fini(&one);
    cairn_costs_init(&s.env, &s.machine, &one);
    cr_assert_eq(one.models, 1);
    cr_expect_eq(one.model[0].samples, 5);
    cr_expect_eq(one.model[0].count, 5);
    cairn_costs_fini(&one);
    cairn_costs_fini(&two);
    close_shop(&s);
}

Test(cost, another_machine_begins_anew)
{
    shop s;
    char note[CAIRN_COST_NOTE];

    open_shop(&s);
    observe_and_save(&s, "f", 3);
    cr_expect_eq(models_of(&s, note), 1);
    strcpy(s.machine.name, "another processor");
    cr_expect_eq(models_of(&s, note), 0);
    cr_expect(strstr(note, "of another machine"), "%s", note);
    s.machine.here = false;
    cr_expect_eq(models_of(&s, note), 0);
    cr_expect_str_eq(note, "", "a described machine has no file");
    close_shop(&s);
}

/// With another driver a device has no measurements; with the old one it has them again.
Test(cost, another_driver_begins_anew)
{
    shop              s;
    cairn_costs       costs;
    cairn_cost_device described;
    cairn_cost_guess  guess;
    cairn_device      card = {
             .info = {.kind = "opencl", .name = "card", .threads = 1}
    };
    const cairn_work   work      = some_work("f", 1e6, 1e5);
    static const char *drivers[] = {"535.54, 1980 MHz", "550.1, 1980 MHz",
                                    "535.54, 1755 MHz", "535.54, 1980 MHz"};

    open_shop(&s);
    for (int k = 0; k < 4; k++) {
        strcpy(card.info.driver, drivers[k]);
        cairn_costs_init(&s.env, &s.machine, &costs);
        cairn_cost_device_of(&card, 1, &described);
        cairn_cost_predict(&costs, &described, &work, &guess);
        cr_expect_eq(guess.source, k == 3 ? CAIRN_COST_MEASURED : CAIRN_COST_ESTIMATED,
                     "driver %s", drivers[k]);
        cairn_cost_observe(&costs, &described, &work, 0.5);
        cairn_costs_save(&costs);
        cairn_costs_fini(&costs);
    }
    cairn_costs_init(&s.env, &s.machine, &costs);
    cr_expect_eq(costs.models, 3);
    cairn_costs_fini(&costs);
    close_shop(&s);
}

Test(cost, switched_off)
{
    shop        s;
    cairn_costs costs;

    open_shop(&s);
    strcpy(s.env.options.costs, "none");
    cairn_costs_init(&s.env, &s.machine, &costs);
    const cairn_work work = some_work("f", 1, 1);

    cairn_cost_observe(&costs, &processor, &work, 1);
    cairn_costs_save(&costs);
    cr_expect_str_eq(costs.note, "");
    cr_expect_str_eq(costs.path, "");
    cr_expect_eq(costs.models, 1, "this process still learns");
    cairn_costs_fini(&costs);
    cr_expect_neq(access("none", F_OK), 0);
    close_shop(&s);
}

/// Read a text as the file, and save over it: no crash, nothing said that is not so, and
/// a file that can be read afterwards.
static int read_and_replace(shop *s, const char *text, size_t length)
{
    cairn_costs costs;
    char        note[CAIRN_COST_NOTE];

    scratch_write(s->env.options.costs, text, length);
    chmod(s->env.options.costs, 0600);
    cairn_costs_init(&s->env, &s->machine, &costs);
    const int models = costs.models;

    for (int k = 0; k < models; k++) {
        cairn_cost_refit(&costs.model[k]);
        cr_assert(cairn_cost_rates_valid(&costs.model[k].rates));
        cr_assert(costs.model[k].spread >= 0 && isfinite(costs.model[k].spread));
        cr_assert(costs.model[k].samples > 0
                  && costs.model[k].samples <= CAIRN_COST_SAMPLES);
    }
    const cairn_work work = some_work("new", 1, 1);

    cairn_cost_observe(&costs, &processor, &work, 1);
    cairn_costs_save(&costs);
    cairn_costs_fini(&costs);
    cr_expect_eq(models_of(s, note), models + 1);
    cr_expect_str_eq(note, "", "after it was replaced");
    return models;
}

Test(cost, garbage_is_replaced)
{
    static const char *const wrong[] = {
        "",
        "{",
        "{\"cairn\": 7}",
        "{\"cairn\": \"cost mod\xff",
        "{\"cairn\": \"cost models\", \"version\": 1}",
        "{\"cairn\": \"cost models\", \"version\": 2, \"host\": \"x\", \"models\": []}",
        "{\"cairn\": \"cost models\", \"version\": 1, \"host\": \"x\", \"models\": []}",
    };
    shop s;

    open_shop(&s);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        cr_expect_eq(read_and_replace(&s, wrong[k], strlen(wrong[k])), 0);
    close_shop(&s);
}

Test(cost, what_is_no_file_of_measurements_is_left_alone)
{
    static const char *const texts[] = {
        "null",
        "my thesis\n",
        "[[[[[[[[",
        "\xff\xfe",
        "{\"cairn_plan\": 1}",
        "%%MatrixMarket matrix coordinate real general\n0 0 0\n",
    };
    const cairn_work work = some_work("new", 1, 1);
    shop             s;
    cairn_costs      costs;
    char             note[CAIRN_COST_NOTE];

    open_shop(&s);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        scratch_write(s.env.options.costs, texts[k], strlen(texts[k]));
        chmod(s.env.options.costs, 0600);
        for (int twice = 0; twice < 2; twice++) {
            cairn_costs_init(&s.env, &s.machine, &costs);
            cairn_cost_observe(&costs, &processor, &work, 1);
            cairn_costs_save(&costs);
            cr_expect(strstr(costs.note, "left as it is"), "%s", costs.note);
            cairn_costs_fini(&costs);
        }
        cr_expect_eq(models_of(&s, note), 0);
    }
    close_shop(&s);
}

Test(cost, hostile_numbers_are_passed_over)
{
    static const char *const wrong[] = {
        "[1, 1, 1e308, %ld]",
        "[-1, 1, 1, %ld]",
        "[1, 1, 0, %ld]",
        "[1, 1, -5, %ld]",
        "[1e300, 1, 1, %ld]",
        "[1, 1, 1]",
        "[1, 1, 1, 1]",
        "[\"1\", 1, 1, %ld]",
        "{}",
        "[1, 1, 1, 9223372036854775807]",
        "[null, 1, 1, %ld]",
    };
    shop        s;
    cairn_costs costs;

    open_shop(&s);
    cairn_costs_init(&s.env, &s.machine, &costs);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char      sample[128], text[2048];
        const int n = snprintf(sample, sizeof sample, wrong[k], (long)time(NULL));

        cr_assert_gt(n, 0);
        snprintf(
            text, sizeof text,
            "{\"cairn\": \"cost models\", \"version\": 1, \"host\": \"%s\", "
            "\"models\": [{\"device\": \"d\", \"family\": \"f\", \"prior\": [1, 1, "
            "1], \"count\": 3, \"samples\": [%s]}]}",
            costs.host, sample);
        cr_expect_eq(read_and_replace(&s, text, strlen(text)), 0, "%s", sample);
    }
    cairn_costs_fini(&costs);
    close_shop(&s);
}

Test(cost, damaged_files)
{
    shop        s;
    cairn_costs costs;
    char       *text;

    open_shop(&s);
    cairn_costs_init(&s.env, &s.machine, &costs);
    for (int k = 0; k < 6; k++) {
        const cairn_work work = some_work(k % 2 ? "f" : "g", 1e4 * pow(2, k), 1);

        cairn_cost_observe(&costs, &processor, &work, 1);
    }
    cr_assert_eq(cairn_cost_print(&costs, &text), CAIRN_OK);
    const size_t length = strlen(text);

    for (int k = 0; k < 150; k++) {
        char *damaged = malloc(length);

        memcpy(damaged, text, length);
        seed((uint64_t)k);
        for (int c = 0; c < 1 + k % 4; c++)
            damaged[(size_t)(draw() * (double)length)] = (char)(draw() * 256);
        read_and_replace(&s, damaged,
                         k % 3 ? length : (size_t)(draw() * (double)length));
        free(damaged);
    }
    cr_expect_eq(read_and_replace(&s, text, length), 2, "whole");
    cairn_free(&s.env, text);
    cairn_costs_fini(&costs);
    close_shop(&s);
}

/* What memory takes. */

static cairn_memory_rates memory_of(shop *s, cairn_memory_rates *factors)
{
    cairn_costs costs;

    cairn_costs_init(&s->env, &s->machine, &costs);
    cairn_costs_memory(&costs, factors);
    const cairn_memory_rates rates =
        costs.memory_when > 0 ? costs.memory : (cairn_memory_rates){0};

    cairn_costs_fini(&costs);
    return rates;
}

Test(cost, memory_is_measured_once)
{
    shop               s;
    cairn_costs        early;
    cairn_memory_rates first, again, factors, others;

    open_shop(&s);
    cairn_costs_init(&s.env, &s.machine, &early); /* there is no file yet */
    first = memory_of(&s, &factors);
    cr_expect(cairn_memory_rates_valid(&first));
    cr_expect_eq(access(s.env.options.costs, F_OK), 0);
    again = memory_of(&s, &others);
    /* To the last bit. */
    cr_expect_eq(again.byte, first.byte);
    cr_expect_eq(memcmp(&factors, &others, sizeof factors), 0);
    /* Who began before asks what others have measured since. */
    cairn_costs_memory(&early, &others);
    cr_expect_eq(early.memory.byte, again.byte);
    cr_expect_eq(memcmp(&factors, &others, sizeof factors), 0);
    cairn_costs_fini(&early);
    /* It stays when measurements are added, also by one who knows nothing of it. */
    observe_and_save(&s, "f", 3);
    cr_expect_eq(memory_of(&s, &others).byte, again.byte);
    close_shop(&s);
}

Test(cost, memory_of_another_machine_scales)
{
    const cairn_memory_rates *own = &cairn_memory_shipped;
    cairn_memory_rates        factors;

    factors = cairn_memory_factors(own);
    cr_expect(factors.byte == 1 && factors.near == 1 && factors.far == 1);
    factors = cairn_memory_factors(
        &(cairn_memory_rates){2 * own->byte, own->near / 3, 100 * own->far});
    cr_expect_float_eq(factors.byte, 2, 1e-12);
    cr_expect_float_eq(factors.near, 1. / 3, 1e-12);
    cr_expect_eq(factors.far, 4);
    factors = cairn_memory_factors(
        &(cairn_memory_rates){1.39 * own->byte, own->near / 1.39, own->far / 9});
    cr_expect(factors.byte == 1 && factors.near == 1 && factors.far == 0.25);
}

static bool are_ones(const cairn_memory_rates *factors)
{
    return factors->byte == 1 && factors->near == 1 && factors->far == 1;
}

Test(cost, memory_that_cannot_be_kept_is_not_measured)
{
    shop               s;
    cairn_memory_rates factors;

    open_shop(&s);
    s.env.options.cost = CAIRN_RATES_SHIPPED;
    cr_expect_eq(memory_of(&s, &factors).byte, 0);
    cr_expect(are_ones(&factors));
    cr_expect_neq(access(s.env.options.costs, F_OK), 0, "something was kept");
    s.env.options.cost = CAIRN_RATES_LEARNED;
    strcpy(s.env.options.costs, "none");
    cr_expect_eq(memory_of(&s, &factors).byte, 0);
    cr_expect(are_ones(&factors));
    snprintf(s.env.options.costs, sizeof s.env.options.costs, "%s/no/costs.json",
             s.folder);
    cr_expect_eq(memory_of(&s, &factors).byte, 0);
    cr_expect(are_ones(&factors));
    close_shop(&s);
}

Test(cost, hostile_memory_is_passed_over)
{
    static const char *const wrong[] = {
        "[0, 1e-9, 1e-8, %ld]",
        "[-1, 1e-9, 1e-8, %ld]",
        "[1e-11, 1e-9, 1, %ld]",
        "[1e-11, 1e308, 1e-8, %ld]",
        "[1e-11, 1e-9, 1e-8]",
        "[1e-11, 1e-9, 1e-8, 1]",
        "[1e-11, 1e-9, %ld]",
        "[1e-11, 1e-9, 1e-8, 9223372036854775807]",
        "[\"a\", 1e-9, 1e-8, %ld]",
        "{\"byte\": %ld}",
        "null",
        "%ld",
        "[[1], [2], [3], %ld]",
        "[1e-11, 1e-9, 1e-8, 1.5e9]",
    };
    shop        s;
    cairn_costs costs;

    open_shop(&s);
    cairn_costs_init(&s.env, &s.machine, &costs);
    for (size_t k = 0; k <= sizeof wrong / sizeof *wrong; k++) {
        const bool  right = k == sizeof wrong / sizeof *wrong;
        char        memory[128], text[1024];
        cairn_costs read;

        snprintf(memory, sizeof memory, right ? "[1e-11, 1e-9, 1e-8, %ld]" : wrong[k],
                 (long)time(NULL));
        snprintf(text, sizeof text,
                 "{\"cairn\": \"cost models\", \"version\": 1, \"host\": \"%s\", "
                 "\"memory\": %s, \"models\": []}",
                 costs.host, memory);
        scratch_write(s.env.options.costs, text, strlen(text));
        chmod(s.env.options.costs, 0600);
        cairn_costs_init(&s.env, &s.machine, &read);
        cr_expect_eq(read.memory_when > 0, right, "%s", memory);
        cr_expect_str_eq(read.note, "");
        cairn_costs_fini(&read);
    }
    cairn_costs_fini(&costs);
    close_shop(&s);
}

/// Saving fails with a note that says @p why, and work goes on.
static void saves_not(shop *s, const char *why)
{
    cairn_costs      costs;
    cairn_cost_guess guess;
    const cairn_work work = some_work("f", 1e6, 1e5);

    cairn_costs_init(&s->env, &s->machine, &costs);
    cairn_cost_observe(&costs, &processor, &work, 1);
    cairn_costs_save(&costs);
    cr_expect(strstr(costs.note, why), "'%s' is not in '%s'", why, costs.note);
    cr_expect(strncmp(costs.note, "cost models: ", 13) == 0, "%s", costs.note);
    cairn_cost_predict(&costs, &processor, &work, &guess);
    cr_expect_float_eq(guess.seconds, 1, 1e-9);
    cairn_costs_fini(&costs);
}

Test(cost, folders_that_cannot_be_used)
{
    shop s;

    open_shop(&s);
    snprintf(s.env.options.costs, sizeof s.env.options.costs, "%s/no/costs.json",
             s.folder);
    saves_not(&s, "No such file");
    strcpy(s.env.options.costs, s.folder);
    saves_not(&s, "no file");
    strcpy(s.env.options.costs, "/dev/null");
    saves_not(&s, "no file");
    close_shop(&s);
}

Test(cost, a_file_that_others_write_to_is_not_trusted)
{
    shop s;
    char note[CAIRN_COST_NOTE];

    open_shop(&s);
    observe_and_save(&s, "f", 3);
    chmod(s.env.options.costs, 0666);
    cr_expect_eq(models_of(&s, note), 0);
    cr_expect(strstr(note, "others may write to it"), "%s", note);
    close_shop(&s);
}

Test(cost, a_lock_that_is_kept_does_not_stop_work)
{
    shop         s;
    char         path[CAIRN_OPTION_PATH + 8], note[CAIRN_COST_NOTE];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    open_shop(&s);
    snprintf(path, sizeof path, "%s.lock", s.env.options.costs);
    const int fd = open(path, O_RDWR | O_CREAT, 0600);

    cr_assert_eq(fcntl(fd, F_OFD_SETLK, &lock), 0);
    observe_and_save(&s, "f", 3);
    cr_expect_eq(models_of(&s, note), 1);
    close(fd);
    close_shop(&s);
}

/// Without memory less is learned or kept, and nothing is lost or leaks.
Test(cost, failing_allocations)
{
    shop s;

    open_shop(&s);
    observe_and_save(&s, "f", 3);
    for (int64_t n = 0; n < 40; n++) {
        cairn_costs      costs;
        const cairn_work work = some_work("g", 1e6, 1e5);

        s.env.allowed = n;
        cairn_costs_init(&s.env, &s.machine, &costs);
        cairn_cost_observe(&costs, &processor, &work, 1);
        cairn_costs_save(&costs);
        s.env.allowed = -1;
        cairn_costs_fini(&costs);
        cr_assert_eq(s.env.live_blocks, 0, "after %ld", (long)n);
    }
    close_shop(&s);
}
