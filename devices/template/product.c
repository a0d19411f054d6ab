// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A product on the template device: memory taken and arrays brought there when the
/// launch is made, X brought in, the kernel run, and Y brought out in every run.

#include "devices/template/product.h"

#include "expr/reference.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// What a launch keeps.
typedef struct {
    cairn_env             *env;
    cairn_template_device *device;
    cairn_device_work      work;
    int64_t                bytes; ///< Taken of the device's memory.

    /* On the device. */
    void             *ptr, *idx, *val, *x;
    double           *y;    ///< Sums are f64, whatever the element type.
    cairn_kernel_part part; ///< Points to the arrays above.
} template_product;

/* ---- What it can do ---- */

/// Is dimension @p d the index of level @p l itself?
static bool is_level(const cairn_layout *layout, int d, int l)
{
    const cairn_linear *dim = &layout->inverse.dim[d];

    return dim->terms == 1 && dim->var[0] == l && dim->num[0] == 1 && dim->den == 1
           && dim->constant == 0;
}

/* A kind may ask for anything that the layout says: never for the name of a format. */
bool cairn_template_reads(const cairn_device_work *work)
{
    const cairn_layout *layout = cairn_work_group(work)->layout;
    const cairn_level  *level  = layout->level;

    return layout->order == 2 && layout->levels == 2 && layout->inverse.exact
           && is_level(layout, 0, 0) && is_level(layout, 1, 1)
           && level[0].kind == CAIRN_LEVEL_DENSE
           && level[1].kind == CAIRN_LEVEL_COMPRESSED && level[1].arrays.has_ptr
           && level[1].arrays.tuple < 0 && layout->partition < 0;
}

static int64_t x_bytes(const cairn_device_work *work)
{
    return cairn_work_rows_in(work) * work->op->columns
           * (work->tensor->value_bits / 8);
}

static int64_t y_bytes(const cairn_device_work *work)
{
    return cairn_work_rows_out(work) * work->op->columns * (int64_t)sizeof(double);
}

int64_t cairn_template_bytes(const cairn_device_work *work)
{
    return cairn_work_group(work)->bytes + x_bytes(work) + y_bytes(work);
}

/* ---- The kernel ---- */

/* It reads the arrays as include/cairn/kernel.h describes them. A row has one sum, which
   a new one follows after every 4096 entries: so have all ways to compute a product
   (expr/reference.h), and a device that keeps to it has the processor's bits. */

static double value_of(const void *values, int64_t k, int bits)
{
    return bits == 64 ? ((const double *)values)[k]
                      : (double)((const float *)values)[k];
}

static int64_t ptr_of(const cairn_kernel_level *level, int64_t k)
{
    return cairn_load_int(level->ptr, k, level->ptr_bits / 8, level->ptr_bits, false);
}

static int64_t idx_of(const cairn_kernel_level *level, int64_t k)
{
    return cairn_load_int(level->idx, k, level->idx_stride, level->idx_bits,
                          level->idx_signed);
}

/// Entries begin <= k < end of a row, times column @p c of X.
static double
row_sum(const template_product *p, int64_t begin, int64_t end, double alpha, int64_t c)
{
    const cairn_kernel_part *A       = &p->part;
    const int64_t            first   = p->work.tensor->box[1].lo;
    const int64_t            columns = p->work.op->columns;
    double                   sum     = 0;

    for (int64_t k = begin; k < end; k++) {
        const int64_t j = idx_of(&A->level[1], k) - first;

        sum += alpha * value_of(A->val, k, A->val_bits)
               * value_of(p->x, j * columns + c, A->val_bits);
    }
    return sum;
}

static void multiply(const template_product *p)
{
    const cairn_kernel_part *A       = &p->part;
    const int64_t            columns = p->work.op->columns;
    const double             alpha   = p->work.op->alpha;

    for (int64_t i = 0; i < A->level[0].size; i++) {
        const int64_t end = ptr_of(&A->level[1], i + 1);
        int64_t       begin, next;

        for (begin = ptr_of(&A->level[1], i); begin < end; begin = next) {
            next = begin + CAIRN_ROW_CUT < end ? begin + CAIRN_ROW_CUT : end;
            for (int64_t c = 0; c < columns; c++)
                p->y[i * columns + c] += row_sum(p, begin, next, alpha, c);
        }
    }
}

/// The transpose: an entry adds to the row of its column, one after the other.
static void multiply_transposed(const template_product *p)
{
    const cairn_kernel_part *A       = &p->part;
    const int64_t            first   = p->work.tensor->box[1].lo;
    const int64_t            columns = p->work.op->columns;
    const double             alpha   = p->work.op->alpha;

    for (int64_t i = 0; i < A->level[0].size; i++)
        for (int64_t k = ptr_of(&A->level[1], i); k < ptr_of(&A->level[1], i + 1); k++)
            for (int64_t c = 0; c < columns; c++) {
                const int64_t j = idx_of(&A->level[1], k) - first;

                p->y[j * columns + c] += alpha * value_of(A->val, k, A->val_bits)
                                         * value_of(p->x, i * columns + c, A->val_bits);
            }
}

/* ---- One run ---- */

/// Where the rows of X begin that this rank reads: X(j) is x[j] for a global j.
static const char *first_x(const template_product *p, const void *x)
{
    const int64_t row_bytes = p->work.op->columns * (p->work.tensor->value_bits / 8);
    const int64_t first     = p->work.op->transposed ? 0 : p->work.tensor->box[1].lo;

    return (const char *)x + first * row_bytes;
}

/// Lost: say how in the launch, since the environment is another thread's.
static cairn_status lose(cairn_launch *launch, int64_t run)
{
    snprintf(launch->message, sizeof launch->message,
             "device: %s: it failed in run %" PRId64 ", as asked (fail_run)",
             launch->device->info.id, run);
    return CAIRN_NO_DEVICE;
}

/* On the queue's thread: no allocation, no message of the environment. The thread that finds the
   device gone returns CAIRN_NO_DEVICE: the plan computes this part again on the processor
   and asks the device no more. Wait with a limit for whatever may never answer. */
static cairn_status run(cairn_launch *launch, const void *x, void *y)
{
    template_product *p       = launch->state;
    const int64_t     n       = ++p->device->runs;
    const size_t      x_size  = (size_t)x_bytes(&p->work);
    const size_t      y_size  = (size_t)y_bytes(&p->work);
    const double      started = cairn_seconds();

    if (p->device->fail_run > 0 && n >= p->device->fail_run) return lose(launch, n);
    memcpy(p->x, first_x(p, x), x_size);
    if (launch->sets)
        memset(p->y, 0, y_size);
    else
        memcpy(p->y, y, y_size);
    const double there = cairn_seconds();

    if (p->work.op->transposed)
        multiply_transposed(p);
    else
        multiply(p);
    const double done = cairn_seconds();

    memcpy(y, p->y, y_size);
    launch->times = (cairn_launch_times){
        .in = there - started, .compute = done - there, .out = cairn_seconds() - done};
    return CAIRN_OK;
}

/* ---- Making it ---- */

/// Give everything back, also what is half made.
static void discard(template_product *p)
{
    cairn_free(p->env, p->ptr);
    cairn_free(p->env, p->idx);
    cairn_free(p->env, p->val);
    cairn_free(p->env, p->x);
    cairn_free(p->env, p->y);
    p->device->used -= p->bytes;
    cairn_free(p->env, p);
}

static void release(cairn_launch *launch)
{
    discard(launch->state);
    *launch = (cairn_launch){0};
}

/// Take memory of the device; say what is needed and what there is.
static cairn_status take_memory(const cairn_device *device, template_product *p)
{
    const int64_t bytes = cairn_template_bytes(&p->work);
    const int64_t left  = p->device->memory - p->device->used;

    CAIRN_CHECK(bytes <= left, p->env, CAIRN_NO_MEMORY,
                "memory: %s: needs %" PRId64 " bytes, but %" PRId64 " are left",
                device->info.id, bytes, left);
    p->device->used += bytes;
    p->bytes = bytes;
    return CAIRN_OK;
}

/// Copy an array to the device. @param[out] copy  Unchanged on failure.
static cairn_status upload(cairn_env *env, const cairn_array *array, void **copy)
{
    CAIRN_TRY(cairn_alloc(env, array->bytes, 1, copy));
    if (array->bytes > 0) memcpy(*copy, array->data, (size_t)array->bytes);
    return CAIRN_OK;
}

/// Bring the arrays of the only part, and room for X and Y.
static cairn_status bring(template_product *p)
{
    const bool some = cairn_work_group(&p->work)->count > 0; /* A rank may have none. */
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays =
        some ? cairn_part_arrays(cairn_work_part(&p->work, 0), array) : 0;

    if (some) p->part = cairn_work_part(&p->work, 0)->view;
    for (int k = 0; k < arrays; k++)
        CAIRN_TRY(upload(p->env, &array[k],
                         array[k].kind == CAIRN_ARRAY_PTR   ? &p->ptr
                         : array[k].kind == CAIRN_ARRAY_IDX ? &p->idx
                                                            : &p->val));
    p->part.level[1].ptr = p->ptr;
    p->part.level[1].idx = p->idx;
    p->part.val          = p->val;
    CAIRN_TRY(cairn_alloc(p->env, x_bytes(&p->work), 1, &p->x));
    return cairn_alloc(p->env, y_bytes(&p->work), 1, (void **)&p->y);
}

cairn_status cairn_template_build(cairn_device            *device,
                                  const cairn_device_work *work,
                                  cairn_launch            *launch)
{
    template_product *p = NULL;
    cairn_status      status;

    CAIRN_CHECK(cairn_template_reads(work), device->env, CAIRN_UNSUPPORTED,
                "device: %s: member %d is not stored as rows of columns",
                device->info.id, cairn_work_number(work));
    /* Refused, the member is asked for again with wide values (place/member_kernel.h). */
    CAIRN_CHECK(cairn_layout_is_wide(cairn_work_group(work)->layout), device->env,
                CAIRN_UNSUPPORTED, "device: %s: member %d: it reads f32 and f64 alone",
                device->info.id, cairn_work_number(work));
    CAIRN_TRY(CAIRN_NEW_ZERO(device->env, 1, &p));
    p->env    = device->env;
    p->device = cairn_template_of(device);
    p->work   = *work;
    CAIRN_GO(discard, take_memory(device, p));
    CAIRN_GO(discard, bring(p));
    *launch = (cairn_launch){.device = device,
                             .route = CAIRN_ROUTE_PREBUILT, /* No compiler was asked. */
                             .sets  = work->alone,
                             .wide  = true,
                             .bytes = {.own = p->bytes},
                             .run   = run,
                             .release = release,
                             .state   = p};
    return CAIRN_OK;

discard:
    discard(p);
    return status;
}
