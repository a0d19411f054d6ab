// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Chains of products on a card, each Y the next X, and bars of cards in traces; on a
/// driver that pretends (tests/fake_cuda).

#include "support/card_plans.h"

/* ---- Chains ---- */

/// A square matrix, and its products with a vector or several.
typedef struct {
    const char           *text;
    cairn_dtype           dtype;
    cairn_product_options op;
    int64_t               from; ///< The first column with an entry.
} square;

enum { WIDE = 300, STEPS = 40 };

static cairn_tensor *store_square(const square *q)
{
    static entries e;

    e = (entries){.rows = WIDE, .columns = WIDE};
    for (int64_t i = 0; i < WIDE; i++)
        for (int64_t d = 0; d < 4; d++)
            put(&e, i, q->from + (i + 17 * d * d) % (WIDE - q->from));
    cairn_source *source = source_of(&e);
    cairn_tensor *tensor = must_store(context, source, q->text, q->dtype);

    cairn_source_destroy(&source);
    return tensor;
}

static void *vector(cairn_plan *plan, bool y)
{
    double *const wide = y ? cairn_plan_y(plan) : cairn_plan_x(plan);
    float *const  thin = y ? cairn_plan_y_f32(plan) : cairn_plan_x_f32(plan);

    return wide ? (void *)wide : (void *)thin;
}

static void fill_square(cairn_plan *plan, const square *q)
{
    void *const x = vector(plan, false);

    for (int64_t k = 0; k < WIDE * q->op.columns; k++)
        if (q->dtype == CAIRN_F64)
            ((double *)x)[k] = ramp(k);
        else
            ((float *)x)[k] = (float)ramp(k);
}

/// Chains of both plans. @return have they the same bits, and vectors where they were?
static bool same_chain(cairn_plan *plan, cairn_plan *host, const square *q, int64_t n)
{
    const size_t bytes =
        (size_t)(WIDE * q->op.columns) * (q->dtype == CAIRN_F64 ? 8 : 4);
    const void *x = vector(plan, false), *y = vector(plan, true);

    fill_square(plan, q);
    fill_square(host, q);
    MUST(context, cairn_plan_iterate(host, n));
    MUST(context, cairn_plan_iterate(plan, n));
    return x == vector(plan, false) && y == vector(plan, true)
           && memcmp(x, vector(host, false), bytes) == 0
           && memcmp(y, vector(host, true), bytes) == 0;
}

/// A graph a product, X up once, both vectors down once.
static void check_chain(const square *q)
{
    cairn_tensor *tensor = store_square(q);
    cairn_plan   *host   = plan_of(tensor, "cpu", &q->op),
               *plan     = plan_of(tensor, "cuda", &q->op);

    for (int64_t n = 1; n <= STEPS; n = n < 4 ? n + 1 : n * 3) {
        const long   graphs = fake.calls("cuGraphLaunch");
        const size_t up     = fake.up();
        const long   downs  = fake.calls("cuMemcpyDtoHAsync_v2");

        cr_expect(same_chain(plan, host, q, n), "%s: %d products: other bits", q->text,
                  (int)n);
        cr_expect_eq(fake.calls("cuGraphLaunch") - graphs, n, "%s: %d", q->text,
                     (int)n);
        cr_expect_eq(fake.calls("cuMemcpyDtoHAsync_v2") - downs, n > 1 ? 2 : 1);
        cr_expect_eq(fake.up() - up,
                     (size_t)(WIDE * q->op.columns) * (q->dtype == CAIRN_F64 ? 8 : 4),
                     "%s: %d", q->text, (int)n);
    }
    const int64_t held = context->env.allocated;

    cr_expect(same_chain(plan, host, q, 5), "%s", q->text);
    cr_expect_eq(context->env.allocated, held, "%s: a chain allocates", q->text);
    /* A run after chains, and a chain after it. */
    fill_square(plan, q);
    MUST(context, cairn_plan_run(plan, NULL, NULL));
    cr_expect(same_chain(plan, host, q, 3), "%s: after a run", q->text);
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
}

/// Also with columns that no entry has, so that X on the card is short, and with Y cleared
/// before each product.
Test(cuda_chains, chains, .timeout = 240)
{
    static const char *const formats[] = {"csr",       "csc",      "ell", "dia",
                                          "bcsr<4,3>", "sell<32>", "coo"};

    BEGIN("seed=45");
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        square q = {.text  = formats[k],
                    .dtype = CAIRN_F64,
                    .op    = CAIRN_PRODUCT_OPTIONS,
                    .from  = k % 3 ? 0 : 40};

        q.op.columns = k % 3 == 1 ? 3 : 1;
        q.op.alpha   = 0.01;
        check_chain(&q);
    }
    end();
}

/// What is no chain for a card goes product by product: several members, shares.
Test(cuda_chains, chains_of_several_parts, .timeout = 240)
{
    static const char *const places[] = {"cuda", "cpu*0.5+cuda*0.5", "0=cuda,1=cpu"};
    square                   q        = {
                                 .text = "hybrid<dia,ell>", .dtype = CAIRN_F64, .op = CAIRN_PRODUCT_OPTIONS};

    q.op.alpha = 0.01;
    BEGIN("seed=46");
    cairn_tensor *tensor = store_square(&q);
    cairn_plan   *host   = plan_of(tensor, "cpu", &q.op);

    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        cairn_plan *plan = plan_of(tensor, places[k], &q.op);

        for (int64_t n = 1; n < 5; n++)
            cr_expect(same_chain(plan, host, &q, n), "%s: %d", places[k], (int)n);
        cairn_plan_destroy(&plan);
    }
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
    end();
}

/// Sums of f32 are rounded on the host, product by product.
Test(cuda_chains, of_f32, .timeout = 240)
{
    static const char *const formats[] = {"csr", "csc", "dia"};

    BEGIN("seed=54");
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        square q = {
            .text = formats[k], .dtype = CAIRN_F32, .op = CAIRN_PRODUCT_OPTIONS};

        q.op.alpha           = 0.01;
        cairn_tensor *tensor = store_square(&q);
        cairn_plan   *host   = plan_of(tensor, "cpu", &q.op);
        cairn_plan   *plan   = plan_of(tensor, "cuda", &q.op);

        for (int64_t n = 1; n < 5; n++)
            cr_expect(same_chain(plan, host, &q, n), "%s: %d", q.text, (int)n);
        cairn_plan_destroy(&plan);
        cairn_plan_destroy(&host);
        cairn_tensor_destroy(&tensor);
    }
    end();
}

/// The n-th call of a function fails in the second chain. @return did it come so far?
static bool lose_chain(cairn_tensor *tensor,
                       cairn_plan   *host,
                       const square *q,
                       const char   *name,
                       long          n,
                       int           code)
{
    cairn_plan      *plan = plan_of(tensor, "cuda", &q->op);
    cairn_plan_part *part;
    int64_t          count;

    cr_expect(same_chain(plan, host, q, 2));
    fake.fail(name, n, code);
    const bool same   = same_chain(plan, host, q, 19);
    const bool failed = fake.failed();

    fake.fail(NULL, -1, 0);
    cr_expect(same, "%s, call %ld, %d: other bits", name, n, code);
    cr_expect_eq(fake.late(), 0, "%s, call %ld: asked after it", name, n);
    if (failed && context->devices->device[1].lost) {
        MUST(context, cairn_plan_parts(plan, &count, &part));
        cr_expect(strstr(part[0].note, "cuda:0: "), "%s, call %ld: %s", name, n,
                  part[0].note);
        cairn_plan_parts_free(plan, &part);
        cr_expect(same_chain(plan, host, q, 3), "%s, call %ld: the next", name, n);
    }
    cairn_plan_destroy(&plan);
    mend();
    return failed;
}

/// A card that is lost anywhere in a chain: all of it is done again on the processor.
Test(cuda_chains, chains_on_a_card_that_is_lost, .timeout = 600)
{
    static const char *const calls[] = {"cuCtxPushCurrent_v2",  "cuMemcpyHtoDAsync_v2",
                                        "cuGraphLaunch",        "cuEventRecord",
                                        "cuMemcpyDtoHAsync_v2", "cuEventQuery"};
    square q        = {.text = "csr", .dtype = CAIRN_F64, .op = CAIRN_PRODUCT_OPTIONS};
    int    failures = 0;

    q.op.alpha = 0.01;
    BEGIN("seed=47");
    cairn_tensor *tensor = store_square(&q);
    cairn_plan   *host   = plan_of(tensor, "cpu", &q.op);

    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        for (int code = 719; code <= 801; code += 801 - 719)
            for (long n = 0; n < 60 && lose_chain(tensor, host, &q, calls[k], n, code);
                 n += 1 + n / 4)
                failures++;
    printf("%d chains lost their card\n", failures);
    cr_expect_gt(failures, 40);
    cairn_plan_destroy(&host);
    cairn_tensor_destroy(&tensor);
    cairn_context_destroy(&context);
}

/* ---- Traces ---- */

/// A bar of a trace, in microseconds.
typedef struct {
    char   name[64], kind[32];
    int    track;
    double begin, end;
    long   run;
} bar;

enum { BARS = 200 };

/// A text of an event's line, behind @p key.
static void read_text(const char *line, const char *key, char *text, size_t size)
{
    const char *at = strstr(line, key);

    snprintf(text, size, "%.*s", at ? (int)strcspn(at + strlen(key), "\"") : 0,
             at ? at + strlen(key) : "");
}

static double read_number(const char *line, const char *key)
{
    const char *at = strstr(line, key);

    return at ? strtod(at + strlen(key), NULL) : -1;
}

/// Read the bars of a trace. @return their number; *card is the track that is called cuda:0.
static int read_trace(cairn_plan *plan, bar list[BARS], int *card)
{
    char  folder[64], path[128], line[4096];
    int   n = 0;
    FILE *file;

    scratch_create(folder);
    snprintf(path, sizeof path, "%s/trace.json", folder);
    MUST(context, cairn_plan_write_trace(plan, path));
    cr_assert((file = fopen(path, "r")) != NULL);
    *card = -1;
    while (fgets(line, sizeof line, file) && n < BARS) {
        if (strstr(line, "thread_name") && strstr(line, "cuda:0 (its own clock)"))
            *card = (int)read_number(line, "\"tid\":");
        if (!strstr(line, "\"ph\":\"X\"")) continue;
        bar *const b = &list[n++];

        read_text(line, "\"name\":\"", b->name, sizeof b->name);
        read_text(line, "\"cat\":\"", b->kind, sizeof b->kind);
        b->track = (int)read_number(line, "\"tid\":");
        b->begin = read_number(line, "\"ts\":");
        b->end   = b->begin + read_number(line, "\"dur\":");
        b->run   = (long)read_number(line, "\"iteration\":");
    }
    fclose(file);
    return n;
}

/// The bar of a run, of a kind, whose name begins so; on the card's track, or another.
static const bar *find_bar(const bar  *list,
                           int         bars,
                           long        run,
                           int         card,
                           const char *kind,
                           const char *name)
{
    for (int k = 0; k < bars; k++)
        if (list[k].run == run && strcmp(list[k].kind, kind) == 0
            && (card >= 0 ? list[k].track == card : true)
            && strncmp(list[k].name, name, strlen(name)) == 0)
            return &list[k];
    cr_assert(false, "run %ld has no bar '%s' of kind %s", run, name, kind);
    return list;
}

/// X, kernels and Ys of a run, one after the other, inside of what the host saw of it.
static void check_bars(const bar *list, int bars, long run, int card)
{
    const double slack = 5; /* the host's clock and the card's, in microseconds */
    const bar   *start = find_bar(list, bars, run, -1, "start", "cuda:0");
    const bar   *x     = find_bar(list, bars, run, card, "copy", "X");
    const bar   *y     = find_bar(list, bars, run, card, "copy", "Y");
    const bar   *k     = find_bar(list, bars, run, card, "kernel", "");

    cr_expect(x->begin >= start->begin, "X before the run: %g, %g", x->begin,
              start->begin);
    cr_expect(x->end <= k->begin + slack && k->end <= y->begin + slack
                  && x->begin < x->end && k->begin < k->end && y->begin < y->end,
              "X %g %g, kernels %g %g, Y %g %g", x->begin, x->end, k->begin, k->end,
              y->begin, y->end);
    double ends = 0; /* the last thing of the host's */

    for (int n = 0; n < bars; n++)
        if (list[n].run == run && list[n].track != card && list[n].end > ends)
            ends = list[n].end;
    cr_expect(y->end <= ends + slack, "Y after the run: %g, %g", y->end, ends);
}

static int count_bars(const bar *list, int bars, long run, int card, const char *kind)
{
    int n = 0;

    for (int k = 0; k < bars; k++)
        n += list[k].run == run && list[k].track == card
             && strcmp(list[k].kind, kind) == 0;
    return n;
}

/// A track of the card's: for each run X once, and kernels and Y of each member.
Test(cuda_chains, traces, .timeout = 120)
{
    static bar list[BARS];
    square     q = {
            .text = "hybrid<dia,ell>", .dtype = CAIRN_F64, .op = CAIRN_PRODUCT_OPTIONS};
    int card;

    BEGIN("seed=52");
    cairn_tensor *tensor = store_square(&q);

    for (int both = 0; both < 2; both++) {
        cairn_plan *plan = plan_of(tensor, both ? "0=cpu,1=cuda" : "cuda", &q.op);

        MUST(context, cairn_plan_record(plan, 0));
        for (int k = 0; k < 3; k++) {
            fill_square(plan, &q);
            MUST(context, cairn_plan_run(plan, NULL, NULL));
        }
        const int bars = read_trace(plan, list, &card);

        cr_assert_geq(card, 0, "no track of the card");
        for (long run = 0; run < 3; run++) {
            check_bars(list, bars, run, card);
            cr_expect_eq(count_bars(list, bars, run, card, "copy"), both ? 2 : 3);
            cr_expect_eq(count_bars(list, bars, run, card, "kernel"), both ? 1 : 2);
        }
        cairn_plan_destroy(&plan);
    }
    cairn_tensor_destroy(&tensor);
    end();
}

/// A chain is one X, all its kernels, and one Y.
Test(cuda_chains, traces_of_chains, .timeout = 120)
{
    static bar list[BARS];
    square     q = {.text = "csr", .dtype = CAIRN_F64, .op = CAIRN_PRODUCT_OPTIONS};
    int        card;

    q.op.alpha = 0.01;
    BEGIN("seed=53");
    cairn_tensor *tensor = store_square(&q);
    cairn_plan   *plan   = plan_of(tensor, "cuda", &q.op);

    MUST(context, cairn_plan_record(plan, 0));
    fill_square(plan, &q);
    MUST(context, cairn_plan_iterate(plan, 7));
    const int  bars = read_trace(plan, list, &card);
    const bar *x    = find_bar(list, bars, 0, card, "copy", "X");
    const bar *k    = find_bar(list, bars, 0, card, "kernel", "");
    const bar *y    = find_bar(list, bars, 0, card, "copy", "Y");

    cr_expect(x->begin < x->end && x->end <= k->begin + 1 && k->begin < k->end
                  && k->end <= y->begin + 1 && y->begin < y->end,
              "X %g %g, kernels %g %g, Y %g %g", x->begin, x->end, k->begin, k->end,
              y->begin, y->end);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    end();
}
