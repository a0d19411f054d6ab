// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What every kind of device must keep to (devices/device.h, devices/product.h), whatever
/// it is: all kinds of this build are asked, and the template (devices/template). A kind
/// is held to the reference over the formats of the catalogue, in both types; what it
/// cannot do it must say in all the places where it is asked. A new kind needs no line
/// here. Kinds that have no device on this machine are left out, and named.

#include "devices/config.h"
#include "devices/kinds.h"
#include "devices/registry.h"
#include "support/brutal.h"
#include "support/device_work.h"
#include "support/suite_context.h"

#include <criterion/parameterized.h>

#include <math.h>

extern const cairn_device_ops cairn_device_template;

TestSuite(conformance, .init = context_up, .fini = context_down, .timeout = 240);

/* ---- Kinds ---- */

enum { KINDS = 32 };

/// Number 0 is the template.
static const cairn_device_ops *kind_at(int k)
{
    return k == 0 ? &cairn_device_template : cairn_device_kind_at(k - 1);
}

/// All kinds, or the one that TEST_KIND names.
static struct criterion_test_params kinds(void)
{
    static int        number[KINDS];
    const char *const only  = getenv("TEST_KIND");
    size_t            count = 0;

    for (int k = 0; k < KINDS && kind_at(k); k++)
        if (!only || strcmp(kind_at(k)->kind, only) == 0) number[count++] = k;
    return cr_make_param_array(int, number, count);
}

/// One open device, outside a registry.
typedef struct {
    cairn_device        device;
    cairn_device_config config;
    cairn_machine      *machine;
} opened;

/// Prepare what a device is opened with, as the registry does.
/// @return false: this machine has none.
static bool describe(const cairn_device_ops *kind, opened *o)
{
    *o = (opened){
        .device = {.env = &context->env, .ops = *kind}
    };
    MUST(context, cairn_machine_discover(&context->env, &o->machine));
    o->device.machine = o->machine;
    for (const cairn_device_ops *k = kind;
         k->delegate && (k = cairn_device_kind(k->delegate));)
        cairn_device_inherit(&o->device.ops, k);
    if (kind->models) {
        cairn_config_init(kind->models, &o->config);
        o->device.config = &o->config;
    }
    /* The words of its command, ended by a word that is empty. */
    if (kind->command)
        snprintf(o->config.command, sizeof o->config.command, "%s",
                 CAIRN_SIMULATOR_EXAMPLE);
    snprintf(o->device.info.kind, sizeof o->device.info.kind, "%s", kind->kind);
    snprintf(o->device.info.id, sizeof o->device.info.id, "%s:0", kind->kind);
    if (kind->models || kind->count(o->machine) > 0) return true;
    fprintf(stderr, "test_device_conformance: no %s device here: left out\n",
            kind->kind);
    cairn_machine_destroy(&context->env, &o->machine);
    return false;
}

static bool open_kind(const cairn_device_ops *kind, opened *o)
{
    if (!describe(kind, o)) return false;
    MUST(context, o->device.ops.open(&o->device, 0, 1));
    return true;
}

static void close_kind(opened *o)
{
    cairn_device *d = &o->device;

    if (d->kernels.load) d->ops.kernels.close(d, &d->kernels);
    if (d->ops.close) d->ops.close(d);
    cairn_machine_destroy(&context->env, &o->machine);
}

/* ---- Products ---- */

/// A Y in f64.
typedef struct {
    int64_t count;
    double *y; ///< [count + 1]
} answer;

static answer answer_of(const work_operands *o)
{
    const int64_t n = o->rows_out * o->columns;

    return (answer){.count = n, .y = calloc((size_t)n + 1, sizeof(double))};
}

/// What the reference makes of it, in f64, over @p y as it is.
static void
run_reference(const cairn_device_work *work, const work_operands *o, answer *a)
{
    const cairn_reference_op op = {.columns    = work->op->columns,
                                   .transposed = work->op->transposed != 0,
                                   .alpha      = work->op->alpha};
    cairn_reference         *reference;

    MUST(context,
         cairn_reference_create(&context->env, work->tensor, &op, 1, &reference));
    MUST(context, cairn_reference_run(reference, work->member, o->x, a->y));
    cairn_reference_destroy(&reference);
}

/// Y before a run: nobody may read what is set; zeros where it is added to.
static double before(const cairn_launch *launch)
{
    return launch->sets ? NAN : 0;
}

/// Run a launch. @return its status; @p a is what Y is then.
static cairn_status run_once(cairn_launch *launch, const work_operands *o, answer *a)
{
    const bool wide  = launch->wide || o->bits == 64;
    float     *thin  = calloc((size_t)a->count + 1, sizeof *thin);
    const char guard = 'g';

    for (int64_t k = 0; k < a->count; k++)
        a->y[k] = thin[k] = (float)before(launch);
    memset((char *)a->y + (size_t)a->count * sizeof(double), guard, sizeof(double));
    memset((char *)thin + (size_t)a->count * sizeof(float), guard, sizeof(float));

    const cairn_status status =
        launch->run(launch, o->x, wide ? (void *)a->y : (void *)thin);

    cr_expect_eq(*((char *)&a->y[a->count]), guard, "it wrote past the end of Y");
    cr_expect_eq(*((char *)&thin[a->count]), guard, "it wrote past the end of Y");
    for (int64_t k = 0; k < a->count && !wide; k++)
        a->y[k] = (double)thin[k];
    free(thin);
    return status;
}

/// What Y should be: the reference's sums, and the processor's, which compiled kernels
/// add up in vectors where the layout lets them.
typedef struct {
    double *reference, *processor;
} truth;

static cairn_device *host(void)
{
    return cairn_devices_host(context->devices);
}

static truth truth_of(const cairn_device_work *work, const work_operands *o)
{
    answer a = answer_of(o);

    run_reference(work, o, &a);
    return (truth){.reference = a.y, .processor = run_on(host(), work, o)};
}

static void free_truth(truth *t)
{
    free(t->reference);
    free(t->processor);
}

/// All terms have one sign, so that a sum's error is small beside it. A rounding to f32
/// may have been the processor's or the launch's.
static bool is_close(const work_operands *o, double is, double should)
{
    return fabs(is - should) <= (o->bits == 32 ? 1e-6 : 1e-14) * fabs(should);
}

static bool is_same(const work_operands *o, double is, double should)
{
    return o->bits == 32 ? (float)is == (float)should : is == should;
}

/// Within rounding of the reference; and, in the bits of the element type, all of Y the
/// reference's or all of it the processor's.
static void check_run(cairn_launch        *launch,
                      const work_operands *o,
                      const truth         *right,
                      const char          *text)
{
    answer  y         = answer_of(o);
    int64_t reference = 0, processor = 0;

    cr_assert_eq(run_once(launch, o, &y), CAIRN_OK, "%s: %s", text, launch->message);
    for (int64_t k = 0; k < y.count; k++) {
        cr_assert(is_close(o, y.y[k], right->reference[k]),
                  "%s on %s: Y(%" PRId64 ") = %.17g, not %.17g", text,
                  launch->device->info.id, k, y.y[k], right->reference[k]);
        reference += is_same(o, y.y[k], right->reference[k]);
        processor += is_same(o, y.y[k], right->processor[k]);
    }
    cr_expect(reference == y.count || processor == y.count,
              "%s on %s: neither the bits of the reference nor the processor's", text,
              launch->device->info.id);
    free(y.y);
}

/// "WHAT: WHERE: WHY", one line.
static void check_message(const char *message, const char *id)
{
    cr_expect_null(strchr(message, '\n'), "%s", message);
    cr_expect_not_null(strchr(message, ':'), "%s", message);
    cr_expect_not_null(strstr(message, id), "%s is not in '%s'", id, message);
}

/// A refusal says the same as `can`, which was asked before.
static void check_refusal(const cairn_device      *device,
                          const cairn_device_work *work,
                          cairn_status             status,
                          bool                     could)
{
    cr_expect(status == CAIRN_UNSUPPORTED || status == CAIRN_NO_MEMORY
                  || (could && status == CAIRN_NO_KERNEL),
              "%s: %d: %s", device->info.id, (int)status, context->env.message);
    check_message(context->env.message, device->info.id);
    if (could || !device->ops.cost) return;

    const cairn_device_request request = {.work = work};

    cr_expect_lt(device->ops.cost(device, &request), INFINITY);
}

/// One member. @return whether the device does it.
static bool
check_member(cairn_device *device, const cairn_device_work *work, const char *text)
{
    const cairn_device_request request = {
        .memory_bytes = cairn_work_group(work)->bytes,
        .moved_bytes  = cairn_work_group(work)->bytes,
        .work         = work,
    };
    const bool    could  = !device->ops.can || device->ops.can(device, &request);
    const int64_t held   = context->env.live_blocks;
    cairn_launch  launch = {0};
    work_operands o;

    const cairn_status status = device->ops.build(device, work, &launch);

    if (status != CAIRN_OK) {
        check_refusal(device, work, status, could);
        cr_expect_null(launch.run, "%s: a launch was left", text);
        cr_expect_eq(context->env.live_blocks, held, "%s: a refusal leaks", text);
        return false;
    }
    cr_expect(could, "%s: %s was built, though it cannot be", device->info.id, text);
    cr_assert(launch.run && launch.release && launch.device == device);
    cr_expect(!launch.sets || work->alone, "%s: it sets a Y that is to be kept", text);
    work_operands_make(work, &o);
    truth right = truth_of(work, &o);

    for (int again = 0; again < 3; again++)
        check_run(&launch, &o, &right, text);
    launch.release(&launch);
    cr_expect_null(launch.run, "release() leaves nothing to be called");
    free_truth(&right);
    free(o.block);
    return true;
}

/// Sorts of products: a format of the catalogue sees two of them, the others all.
static const struct {
    cairn_dtype           dtype;
    cairn_product_options op;
    bool                  alone;
} sorts[] = {
    {CAIRN_F64, {.columns = 1, .alpha = 1},                        true },
    {CAIRN_F32, {.columns = 1, .alpha = 0.75},                     true },
    {CAIRN_F64, {.columns = 3, .alpha = -0.5},                     false},
    {CAIRN_F32, {.columns = 1, .transposed = 1, .alpha = 1},       true },
    {CAIRN_F64, {.columns = 2, .transposed = 1, .alpha = 1.0 / 3}, false},
};

enum { SORTS = sizeof sorts / sizeof *sorts };

/// Sorts of products of one format, from number @p first on. @return how many the device
/// does.
static int check_format(cairn_device *device,
                        cairn_source *source,
                        const char   *text,
                        int           first,
                        int           count)
{
    int done = 0;

    for (int n = first; n < first + count; n++) {
        const int     k      = n % SORTS;
        cairn_tensor *tensor = must_store(context, source, text, sorts[k].dtype);
        char          name[300];

        snprintf(name, sizeof name, "%s, sort %d", text, k);
        for (int member = 0; member < tensor->local->groups; member++) {
            const cairn_device_work work = {.tensor = tensor->local,
                                            .member = member,
                                            .op     = &sorts[k].op,
                                            .alone  = sorts[k].alone};

            done += check_member(device, &work, name);
        }
        cairn_tensor_destroy(&tensor);
    }
    return done;
}

/// Formats that some kinds alone can do, beside the catalogue's.
static const char *const others[] = {"serpens<128>", "cisr<16>", "csr"};

/// Products of a matrix of scattered entries in every format. @return those done.
static int
check_catalogue(cairn_device *device, uint64_t seed, int64_t rows, int64_t cols)
{
    cairn_source *source = random_source(context, &seed, rows, cols);
    const char   *name;
    int           done = 0;

    for (int k = 0; (name = cairn_catalogue_name(context, k)); k++) {
        char text[64], copy[64];

        snprintf(copy, sizeof copy, "%s", name);
        sample_use(context, copy, text, sizeof text);
        done += check_format(device, source, text, k, 2);
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        done += check_format(device, source, others[k], 0, SORTS);
    cairn_source_destroy(&source);
    return done;
}

ParameterizedTestParameters(conformance, products_are_the_references)
{
    return kinds();
}

ParameterizedTest(int *k, conformance, products_are_the_references)
{
    opened o;

    if (!open_kind(kind_at(*k), &o)) return;
    const int done = check_catalogue(&o.device, 1 + (uint64_t)*k, 43, 37);

    cr_expect_gt(done, 0, "%s does no product at all", o.device.info.kind);
    printf("%s: %d products\n", o.device.info.kind, done);
    close_kind(&o);
}

/* ---- One product that the kind does ---- */

static const char *const simple[] = {"csr", "cisr<16>", "serpens<128>"};

/// A stored matrix whose product, of a vector, a device does.
typedef struct {
    cairn_source         *source;
    cairn_tensor         *tensor;
    cairn_product_options op;
    cairn_device_work     work;
    work_operands         operands;
    truth                 right;
} sample;

static bool does(cairn_device *device, const cairn_device_work *work)
{
    cairn_launch launch = {0};

    if (device->ops.build(device, work, &launch) != CAIRN_OK) return false;
    launch.release(&launch);
    return true;
}

static void make_sample(cairn_device *device, sample *s)
{
    uint64_t state = 7;

    *s = (sample){
        .source = random_source(context, &state, 31, 41),
        .op     = {.size = sizeof(cairn_product_options), .columns = 1, .alpha = 1}
    };
    for (size_t k = 0;; k++) {
        cr_assert_lt(k, sizeof simple / sizeof *simple, "%s: it does none: %s",
                     device->info.id, context->env.message);
        s->tensor = must_store(context, s->source, simple[k], CAIRN_F32);
        s->work   = (cairn_device_work){
              .tensor = s->tensor->local, .op = &s->op, .alone = true};
        if (does(device, &s->work)) break;
        cairn_tensor_destroy(&s->tensor);
    }
    work_operands_make(&s->work, &s->operands);
    s->right = truth_of(&s->work, &s->operands);
}

static void free_sample(sample *s)
{
    free_truth(&s->right);
    free(s->operands.block);
    cairn_tensor_destroy(&s->tensor);
    cairn_source_destroy(&s->source);
}

ParameterizedTestParameters(conformance, facts_are_stated)
{
    return kinds();
}

ParameterizedTest(int *k, conformance, facts_are_stated)
{
    cairn_diagnostics findings = {.env = &context->env};
    opened            o;
    sample            s;

    if (!open_kind(kind_at(*k), &o)) return;
    const cairn_device_ops   *ops  = kind_at(*k);
    const cairn_device_facts *info = &o.device.info;

    cr_expect_gt(strlen(ops->summary), 0);
    cr_expect(ops->delegate == NULL || cairn_device_kind(ops->delegate) != NULL);
    cr_expect_gt(strlen(info->name), 0);
    cr_expect_gt(info->memory_bytes, 0);
    cr_expect_gt(info->threads, 0);
    if (ops->measure) MUST(context, ops->measure(&o.device));
    cr_expect(info->bandwidth >= 0 && isfinite(info->bandwidth));
    make_sample(&o.device, &s);
    if (ops->cost) {
        const cairn_device_request known = {.moved_bytes = 1 << 20, .work = &s.work},
                                   open  = {.moved_bytes = 1 << 20};

        cr_expect(isfinite(ops->cost(&o.device, &known)));
        cr_expect(isfinite(ops->cost(&o.device, &open)));
    }
    if (ops->check) ops->check(&o.device, 1, &findings);
    cr_expect_eq(findings.status, CAIRN_OK);
    for (int64_t f = 0; f < findings.count; f++)
        cr_expect_gt(strlen(findings.finding[f].why), 0);
    cairn_free(&context->env, findings.finding);
    free_sample(&s);
    close_kind(&o);
}

ParameterizedTestParameters(conformance, launches_do_not_meet)
{
    return kinds();
}

/// Two of one work, run in turns, released in either order.
ParameterizedTest(int *k, conformance, launches_do_not_meet)
{
    opened o;
    sample s;

    if (!open_kind(kind_at(*k), &o)) return;
    make_sample(&o.device, &s);
    for (int first = 0; first < 2; first++) {
        cairn_launch launch[2] = {{0}, {0}};

        for (int n = 0; n < 2; n++)
            MUST(context, o.device.ops.build(&o.device, &s.work, &launch[n]));
        for (int n = 0; n < 4; n++)
            check_run(&launch[n % 2], &s.operands, &s.right, "in turns");
        launch[first].release(&launch[first]);
        check_run(&launch[1 - first], &s.operands, &s.right, "the one that is left");
        launch[1 - first].release(&launch[1 - first]);
    }
    free_sample(&s);
    close_kind(&o);
}

/* ---- Failures ---- */

static cairn_status open_and_close(const cairn_device_ops *kind, opened *o)
{
    const cairn_status status = o->device.ops.open(&o->device, 0, 1);

    if (status == CAIRN_OK && kind->close) kind->close(&o->device);
    return status;
}

ParameterizedTestParameters(conformance, no_memory_of_ours_leaves_nothing)
{
    return kinds();
}

ParameterizedTest(int *k, conformance, no_memory_of_ours_leaves_nothing)
{
    cairn_env   *env    = &context->env;
    cairn_launch launch = {0};
    opened       o;
    sample       s;

    if (!describe(kind_at(*k), &o)) return;
    CAIRN_BRUTAL(env, open_and_close(kind_at(*k), &o));
    MUST(context, o.device.ops.open(&o.device, 0, 1));
    make_sample(&o.device, &s);
    CAIRN_BRUTAL_AND(env, o.device.ops.build(&o.device, &s.work, &launch), !launch.run);
    check_run(&launch, &s.operands, &s.right, "after failures");
    launch.release(&launch);
    free_sample(&s);
    close_kind(&o);
}

/// Set a number of the device's, if its first model has it.
static bool set_number(opened *o, const char *name, double value)
{
    if (!o->device.config || !cairn_config_has(&o->config, name)) return false;
    MUST(context, cairn_config_set(&context->env, "test", name, value, &o->config));
    return true;
}

ParameterizedTestParameters(conformance, a_small_memory_is_said)
{
    return kinds();
}

/// Kinds with a number "memory" that may be so small.
ParameterizedTest(int *k, conformance, a_small_memory_is_said)
{
    opened large, small;
    sample s;

    if (!describe(kind_at(*k), &small)) return;
    if (!small.config.model || !cairn_config_has(&small.config, "fail_run")
        || !set_number(&small, "memory", 64)) {
        cairn_machine_destroy(&context->env, &small.machine);
        return;
    }
    cr_assert(open_kind(kind_at(*k), &large));
    MUST(context, small.device.ops.open(&small.device, 0, 1));
    make_sample(&large.device, &s);
    const int64_t held   = context->env.live_blocks;
    cairn_launch  launch = {0};

    for (int again = 0; again < 3; again++)
        REFUSED(context, NO_MEMORY, small.device.info.id,
                small.device.ops.build(&small.device, &s.work, &launch));
    cr_expect_null(launch.run);
    cr_expect_eq(context->env.live_blocks, held);
    check_message(context->env.message, small.device.info.id);
    free_sample(&s);
    close_kind(&large);
    close_kind(&small);
}

ParameterizedTestParameters(conformance, a_loss_is_said_by_the_launch)
{
    return kinds();
}

/// Kinds that fail on request: the launch says why, and the environment's message, which
/// is another thread's, is left alone.
ParameterizedTest(int *k, conformance, a_loss_is_said_by_the_launch)
{
    opened o;
    sample s;

    if (!describe(kind_at(*k), &o)) return;
    if (!set_number(&o, "fail_run", 3)) {
        cairn_machine_destroy(&context->env, &o.machine);
        return;
    }
    MUST(context, o.device.ops.open(&o.device, 0, 1));
    make_sample(&o.device, &s);
    cairn_launch launch = {0};
    answer       y      = answer_of(&s.operands);

    MUST(context, o.device.ops.build(&o.device, &s.work, &launch));
    snprintf(context->env.message, sizeof context->env.message, "untouched");
    for (int n = 0; n < 2; n++)
        check_run(&launch, &s.operands, &s.right, "before the loss");
    for (int n = 0; n < 2; n++)
        cr_expect_eq(run_once(&launch, &s.operands, &y), CAIRN_NO_DEVICE);
    check_message(launch.message, o.device.info.id);
    cr_expect_str_eq(context->env.message, "untouched");
    launch.release(&launch);
    free(y.y);
    free_sample(&s);
    close_kind(&o);
}
