// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The card's products beside the processor's, bit by bit: every format of the catalogue,
/// both element types, set and added, of the matrix and of its transpose, with as many
/// groups as the card would start, with three, and with one. And what a kernel that reads
/// where nothing is does to a plan.

#include "card.h"
#include "expr/reference.h"
#include "plan/replay.h"

enum { MARGIN = 4096, LONG_ROW = 9001 };

/// A matrix to try: rows of all lengths, diagonals, blocks.
typedef struct {
    const char   *kind;
    cairn_problem problem[2]; ///< As it is, and small.
} trial;

static const int64_t band[7] = {-40, -3, -1, 0, 1, 3, 40};

static const trial trials[] = {
    {"rmat",   {{.scale = 13, .edges = 150000}, {.scale = 6, .edges = 400}}},
    {"banded",
     {{.n = 20011, .offsets = band, .offset_count = 7},
      {.n = 97, .offsets = band, .offset_count = 7}}                       },
    {"fem3",   {{.n = 6003, .degree = 14}, {.n = 60, .degree = 5}}         },
    {"rows",   {{.n = 0}, {.n = 0}}                                        },
};

enum { TRIALS = sizeof trials / sizeof *trials };

/// Rows of 0, 1, 4,095, 4,096, 4,097 and 9,001 entries among short ones: what is cut.
static cairn_status
rows_of_lengths(cairn_context *context, bool tiny, cairn_source **source)
{
    static const int lengths[] = {0, 1, 4095, 4096, 4097, LONG_ROW, 31, 32, 33, 1024};
    enum { ROWS = 200, LENGTHS = sizeof lengths / sizeof *lengths };
    const int64_t extent[2] = {ROWS, LONG_ROW + 7};
    const size_t  most      = (size_t)ROWS * LONG_ROW;
    int64_t      *coord     = card_take(2 * most, sizeof *coord);
    double       *value     = card_take(most, sizeof *value);
    int64_t       n         = 0;

    for (int i = 0; i < ROWS; i++) {
        const int kind   = tiny ? i % 400 : i % 40;
        const int length = kind < LENGTHS ? lengths[kind] : 1 + i % 7;

        for (int j = 0; j < length; j++) {
            coord[2 * n]     = i;
            coord[2 * n + 1] = length > 100 ? j + i % 7 : (int64_t)j * 1201 % 9001;
            value[n]         = bench_value_of(i, coord[2 * n + 1]);
            n++;
        }
    }
    const cairn_status status = cairn_source_from_coords(context, 2, extent, n, coord,
                                                         value, CAIRN_BY_ROWS, source);

    free(coord);
    free(value);
    return status;
}

static cairn_status make_trial(card *c, const trial *t, cairn_source **source)
{
    cairn_problem problem = t->problem[c->settings->tiny];

    if (strcmp(t->kind, "rows") == 0)
        return rows_of_lengths(c->context, c->settings->tiny, source);
    problem.size = sizeof problem;
    problem.seed = 3;
    const cairn_status status =
        cairn_source_generate(c->context, t->kind, &problem, source);

    if (status == CAIRN_OK) {
        cairn_entries *e = &(*source)->entries;

        for (cairn_pos p = 0; p < e->n; p++)
            e->value[p] = bench_value_of(e->coord[0][p], e->coord[1][p]);
    }
    return status;
}

/* ---- One product ---- */

/// X with margins, and Y as it begins.
typedef struct {
    char  *block, *begun;
    void  *x;
    size_t bytes; ///< Of a Y that is f64.
} operands;

static void make_operands(const cairn_device_work *work, operands *o)
{
    const int     bytes = work->tensor->value_bits / 8;
    const int64_t in = cairn_work_rows_in(work), out = cairn_work_rows_out(work);

    o->block = card_take((size_t)(in + 2 * (int64_t)MARGIN), (size_t)bytes);
    o->x     = o->block + (size_t)MARGIN * (size_t)bytes;
    o->bytes = (size_t)out * sizeof(double);
    o->begun = card_take((size_t)out, sizeof(double));
    for (int64_t j = 0; j < in; j++)
        if (bytes == 8)
            ((double *)o->x)[j] = card_x(j);
        else
            ((float *)o->x)[j] = (float)card_x(j);
    if (work->alone) return;
    for (int64_t i = 0; i < out; i++)
        ((double *)(void *)o->begun)[i] = card_x(i + 17);
}

/// Run a launch on a copy of what Y begins with. @return NULL: it failed.
static char *run(cairn_launch *launch, const operands *o)
{
    char *const y = card_take(o->bytes, 1);

    memcpy(y, o->begun, o->bytes);
    if (launch->run(launch, o->x, y) == CAIRN_OK) return y;
    printf("# %s\n", launch->message);
    free(y);
    return NULL;
}

/// The card's run with at most so many groups; 0: as it is.
static bool
is_same(cairn_launch *launch, const operands *o, unsigned groups, const char *right)
{
    cairn_cuda_product         *p     = launch->state;
    cairn_cuda_graph_exec const graph = p->alone.graph; /* which has its own groups */
    unsigned                   *kept  = card_take((size_t)p->steps, sizeof *kept);

    if (groups > 0) p->alone.graph = NULL;
    for (int64_t k = 0; k < p->steps; k++) {
        kept[k] = p->step[k].groups;
        if (groups > 0 && groups < kept[k]) p->step[k].groups = groups;
    }
    char *const y    = run(launch, o);
    const bool  same = y && memcmp(y, right, o->bytes) == 0;

    for (int64_t k = 0; k < p->steps; k++)
        p->step[k].groups = kept[k];
    p->alone.graph = graph;
    free(y);
    free(kept);
    return same;
}

typedef enum { SAME, DIFFERENT, LEFT_OUT, TOO_LARGE } verdict;

static const char *const verdicts[] = {[SAME]      = "same",
                                       [DIFFERENT] = "DIFFERENT",
                                       [LEFT_OUT]  = "not on cards",
                                       [TOO_LARGE] = "too large for the card"};

/// Runs of both launches, compared.
static verdict
compare_runs(const cairn_device_work *work, cairn_launch *launch, cairn_launch *host)
{
    verdict  found = DIFFERENT;
    operands o;

    /* Ys of different widths are compared where they are used, in plans. */
    if (launch->wide != host->wide) return LEFT_OUT;
    make_operands(work, &o);
    char *const right = run(host, &o);

    if (right && is_same(launch, &o, 0, right) && is_same(launch, &o, 3, right)
        && is_same(launch, &o, 1, right))
        found = SAME;
    free(right);
    free(o.block);
    free(o.begun);
    return found;
}

/// Both launches of a work, compared. LEFT_OUT: the card does not do it.
static verdict compare(card *c, const cairn_device_work *work, char *why, size_t room)
{
    const cairn_device_request request = {.work = work};
    cairn_launch               launch = {0}, host = {0};
    verdict                    found = DIFFERENT;

    if (!c->device->ops.can(c->device, &request)) return LEFT_OUT;
    snprintf(why, room, "bits");
    cairn_status status = c->device->ops.build(c->device, work, &launch);

    if (status == CAIRN_OK) status = c->host->ops.build(c->host, work, &host);
    if (status == CAIRN_OK)
        found = compare_runs(work, &launch, &host);
    else {
        snprintf(why, room, "%s", cairn_context_message(c->context));
        if (status == CAIRN_NO_MEMORY) found = TOO_LARGE;
    }
    if (launch.release) launch.release(&launch);
    if (host.release) host.release(&host);
    return found;
}

/// All products of a stored matrix; a line each. @return Whether none differs.
static bool
compare_all(card *c, const cairn_tensor *tensor, const char *matrix, const char *format)
{
    bool right = true;

    for (int member = 0; member < tensor->local->groups; member++)
        for (int way = 0; way < 4; way++) {
            const cairn_product_options op       = {.size       = sizeof op,
                                                    .columns    = 1,
                                                    .alpha      = way % 2 ? -0.75 : 1,
                                                    .beta       = way % 2 ? 1 : 0,
                                                    .transposed = way >= 2};
            const cairn_device_work     work     = {.tensor = tensor->local,
                                                    .member = member,
                                                    .op     = &op,
                                                    .alone  = way % 2 == 0};
            char                        why[256] = "";
            const verdict               found    = compare(c, &work, why, sizeof why);

            printf("bits,%s,\"%s\",%d,f%d,%s%s,%s%s%s\n", matrix, format, member,
                   tensor->local->value_bits, way >= 2 ? "transposed " : "",
                   way % 2 ? "added" : "set", verdicts[found],
                   found == DIFFERENT ? ": " : "", found == DIFFERENT ? why : "");
            fflush(stdout);
            right = right && found != DIFFERENT;
        }
    return right;
}

static bool try_format(card         *c,
                       cairn_source *source,
                       const char   *matrix,
                       const char   *text,
                       cairn_dtype   dtype)
{
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    bool          right  = true;

    if (cairn_format_create(c->context, text, &format)
        || cairn_tensor_create(source, format, dtype, &tensor)) {
        printf("# %s, %s: %s\n", matrix, text, cairn_context_message(c->context));
    } else
        right = compare_all(c, tensor, matrix, text);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    return right;
}

/// Those of a matrix that are this process's share. @return Whether none differs.
static bool try_matrix(card *c, const trial *t, int *number)
{
    cairn_source *source = NULL;
    const char   *name;
    bool          right = true;

    if (make_trial(c, t, &source))
        card_stop(t->kind, cairn_context_message(c->context));
    for (int k = 0; (name = cairn_catalogue_name(c->context, k)); k++) {
        char text[96], copy[64];

        snprintf(copy, sizeof copy, "%s", name);
        card_format_of(c, copy, text, sizeof text);
        for (int dtype = 0; dtype < 2; dtype++) {
            if ((*number)++ % c->settings->shares != c->settings->share) continue;
            if (card_is_over(c)) {
                printf("# no time for %s in %s\n", t->kind, text);
                continue;
            }
            if (!try_format(c, source, t->kind, text, dtype ? CAIRN_F32 : CAIRN_F64))
                right = false;
        }
    }
    cairn_source_destroy(&source);
    return right;
}

bool card_bits(card *c)
{
    bool right  = true;
    int  number = 0;

    for (int k = 0; k < TRIALS; k++)
        right = try_matrix(c, &trials[k], &number) && right;
    return right;
}

/* ---- For a sanitizer ---- */

bool card_small(card *c)
{
    static const char *const formats[] = {"csr", "sell<32>", "bcsr<3,3>", "csc", "coo"};
    bool                     right     = true;

    for (int k = 0; k < TRIALS; k += TRIALS - 1) {
        cairn_source *source = NULL;

        if (make_trial(c, &trials[k], &source))
            card_stop(trials[k].kind, cairn_context_message(c->context));
        for (size_t f = 0; f < sizeof formats / sizeof *formats && !card_is_over(c);
             f++)
            right =
                try_format(c, source, trials[k].kind, formats[f], CAIRN_F64) && right;
        cairn_source_destroy(&source);
    }
    return right;
}

/* ---- A trap ---- */

/// Y of a run of the plan. @return Whether it is that of another plan, bit by bit.
static bool run_beside(card *c, cairn_plan *plan, cairn_plan *other, int64_t rows)
{
    cairn_plan *const both[2] = {plan, other};

    for (int k = 0; k < 2; k++) {
        for (int64_t j = 0; j < rows; j++)
            cairn_plan_x(both[k])[j] = card_x(j);
        if (cairn_plan_run(both[k], NULL, NULL)) {
            printf("# %s\n", cairn_context_message(c->context));
            return false;
        }
    }
    return memcmp(cairn_plan_y(plan), cairn_plan_y(other),
                  (size_t)rows * sizeof(double))
           == 0;
}

static const char trap[] =
    "#ifdef __CUDACC__\n"
    "#define KERNEL(name) extern \"C\" __global__ void name(const name##_args op)\n"
    "#endif\n"
    "typedef struct { double *y; } cairn_trap_args;\n"
    "KERNEL(cairn_trap) { op.y[threadIdx.x] = 1; }\n";

/// Enqueue a kernel that writes where nothing is, and do not wait for it.
static void plant(card *c, cairn_device *device)
{
    cairn_cuda_device *d           = cairn_cuda_of(device);
    cairn_object       object      = {0};
    uint64_t           nowhere     = 16;
    void              *arguments[] = {&nowhere};
    cairn_cuda_module  module;
    cairn_cuda_entry   entry;

    if (cairn_nvrtc_compile(device->env, &d->code.nvrtc, "cairn_trap", trap, &object)
        || cairn_cuda_enter(d) != CAIRN_CUDA_OK)
        card_stop("the trap", cairn_context_message(c->context));
    if (d->driver.cuModuleLoadData(&module, object.bytes) != CAIRN_CUDA_OK
        || d->driver.cuModuleGetFunction(&entry, module, "cairn_trap") != CAIRN_CUDA_OK
        || d->driver.cuLaunchKernel(entry, 1, 1, 1, 32, 1, 1, 0, d->stream, arguments,
                                    NULL)
               != CAIRN_CUDA_OK)
        card_stop("the trap", "it cannot be started");
    cairn_cuda_leave(d);
    cairn_object_free(device->env, &object);
}

static cairn_plan *plan_at(card *c, cairn_tensor *tensor, const char *place)
{
    const cairn_plan_options options = {.size = sizeof options, .place = place};
    cairn_plan              *plan    = NULL;

    if (cairn_plan_create_with(tensor, &options, &plan))
        card_stop("plan", cairn_context_message(c->context));
    return plan;
}

/// The plan's card is lost in a run, and the run has the processor's bits.
static bool spring(card *c, cairn_tensor *tensor, int64_t rows)
{
    cairn_plan *plan = plan_at(c, tensor, "cuda"), *other = plan_at(c, tensor, "cpu");
    cairn_plan_info info = CAIRN_PLAN_INFO;
    bool before = run_beside(c, plan, other, rows), after = false, again = false;

    plant(c, plan->replay->subproduct[0].kernel.launch.device);
    after = run_beside(c, plan, other, rows);
    again = run_beside(c, plan, other, rows);
    if (cairn_plan_describe(plan, &info)) info.retired = -1;
    printf("trap,before %s,after %s,again %s,retired %d\n",
           before ? "same" : "DIFFERENT", after ? "same" : "DIFFERENT",
           again ? "same" : "DIFFERENT", info.retired);
    fflush(stdout);
    cairn_plan_destroy(&plan);
    cairn_plan_destroy(&other);
    return before && after && again && info.retired == 1;
}

bool card_trap(card *c)
{
    cairn_source *source = NULL;
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;

    if (c->pretends) {
        printf("trap,could not run: the driver pretends\n");
        return true;
    }
    if (make_trial(c, &trials[1], &source)
        || cairn_format_create(c->context, "csr", &format)
        || cairn_tensor_create(source, format, CAIRN_F64, &tensor)
        || cairn_devices_check(c->context, NULL, "cpu,cuda", 1))
        card_stop("the trap", cairn_context_message(c->context));
    const bool right = spring(c, tensor, source->shape.extent[0]);

    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return right;
}
