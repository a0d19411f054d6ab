// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Out again: entries in a caller's arrays, written there by the functions that convert.

#include "api/arrays/coords.h"
#include "api/collective_arguments.h"
#include "api/door.h"
#include "convert/kept.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// What is asked for.
typedef struct {
    const cairn_tensor *tensor;
    const char         *call; ///< For messages.
    cairn_dtype         dtype;
    int                 base;
    cairn_format       *format; ///< Of the arrays, indices from 0 on;
    cairn_arrays        into;   ///< and these.
} order_out;

static int width_of(cairn_dtype dtype)
{
    return dtype == CAIRN_F32 ? 32 : 64;
}

int64_t cairn_tensor_entries(const cairn_tensor *tensor)
{
    int64_t n = 0;

    for (int64_t p = 0; tensor && p < tensor->local->parts; p++)
        n += tensor->local->part[p].nnz;
    return n;
}

/* ---- what is looked at ---- */

static cairn_status check_common(const order_out *o, int64_t length)
{
    cairn_env    *env    = &o->tensor->context->env;
    const int64_t needed = cairn_tensor_entries(o->tensor);

    CAIRN_CHECK(o->base == 0 || o->base == 1, env, CAIRN_BAD_ARGUMENT,
                "%s: base: %d is neither 0 nor 1", o->call, o->base);
    CAIRN_CHECK(o->dtype == CAIRN_F64 || o->dtype == CAIRN_F32, env, CAIRN_BAD_ARGUMENT,
                "%s: dtype: %d is no type", o->call, (int)o->dtype);
    CAIRN_CHECK(o->dtype == o->tensor->dtype, env, CAIRN_BAD_ARGUMENT,
                "%s: dtype: the tensor's values have %d bits, the arrays' %d", o->call,
                width_of(o->tensor->dtype), width_of(o->dtype));
    CAIRN_CHECK(length >= needed, env, CAIRN_BAD_ARGUMENT,
                "%s: length: %" PRId64 " is less than the %" PRId64
                " entries of this rank",
                o->call, length, needed);
    return CAIRN_OK;
}

/// An array that elements are written to; without any it may be NULL.
static cairn_status check_array(const order_out *o,
                                const char      *name,
                                const void      *at,
                                int64_t          length,
                                int              bits)
{
    cairn_env *env = &o->tensor->context->env;

    CAIRN_CHECK(at || length == 0, env, CAIRN_BAD_ARGUMENT, "%s: %s: is NULL", o->call,
                name);
    CAIRN_CHECK((uintptr_t)at % (uintptr_t)(bits / 8) == 0, env, CAIRN_BAD_ARGUMENT,
                "%s: %s: is not at a multiple of the %d bytes of an element", o->call,
                name, bits / 8);
    return CAIRN_OK;
}

/// Do signed numbers of so many bits hold the largest that there may be?
static cairn_status
check_width(const order_out *o, const char *name, int bits, int64_t most)
{
    CAIRN_CHECK(bits == 64 || most <= INT32_MAX - o->base, &o->tensor->context->env,
                CAIRN_OVERFLOW,
                "%s: %s: 32 bits do not hold %" PRId64 ", which there may be", o->call,
                name, most + o->base);
    return CAIRN_OK;
}

/* ---- writing ---- */

/// Add 1 to numbers that lie @p stride bytes apart.
static void count_from_one(void *at, int64_t n, int64_t stride, int bits)
{
    for (int64_t k = 0; k < n; k++)
        cairn_store_int(at, k, stride, bits,
                        cairn_load_int(at, k, stride, bits, true) + 1);
}

/// Have the tensor's entries written. @param[out] made  A tensor around the arrays, or, if
/// there is nothing in `into`, one of its own.
static cairn_status
write_out(const order_out *o, const cairn_arrays *into, cairn_tensor **made)
{
    cairn_comm  *comm   = o->tensor->context->comm;
    cairn_status status = cairn_check_own_order(o->tensor, "entries");

    if (status == CAIRN_OK) status = cairn_tensor_prepare(o->tensor, o->format, made);
    status = cairn_comm_agree(comm, status);
    if (status == CAIRN_OK)
        status = cairn_tensor_convert_in_place(o->tensor, into, *made);
    if (status == CAIRN_OK)
        cairn_kept_add(o->tensor->format, (*made)->local, (*made)->how.path);
    return status;
}

static cairn_status agree(const order_out *o, cairn_status status)
{
    cairn_collective same = {0};

    if (o->format) cairn_collective_format(&same, o->format);
    cairn_collective_dtype(&same, o->dtype);
    return cairn_comm_agree_on(o->tensor->context->comm, status, &same);
}

/* ---- lines ---- */

static int64_t lines_of(const cairn_tensor *tensor, bool by_columns)
{
    int64_t first, end;

    cairn_tensor_rows(tensor, &first, &end);
    return by_columns ? tensor->local->shape.extent[1] : end - first;
}

static cairn_status
check_lines(const order_out *o, const cairn_compressed *a, bool by_columns)
{
    cairn_env         *env   = &o->tensor->context->env;
    const cairn_shape *shape = &o->tensor->local->shape;
    const int64_t      n     = cairn_tensor_entries(o->tensor);

    CAIRN_CHECK(shape->order == 2, env, CAIRN_BAD_SHAPE,
                "%s: tensor: it has order %d, not 2", o->call, shape->order);
    CAIRN_CHECK(a->ptr_bits == 32 || a->ptr_bits == 64, env, CAIRN_BAD_ARGUMENT,
                "%s: ptr_bits: %d is neither 32 nor 64", o->call, a->ptr_bits);
    CAIRN_CHECK(a->idx_bits == 32 || a->idx_bits == 64, env, CAIRN_BAD_ARGUMENT,
                "%s: idx_bits: %d is neither 32 nor 64", o->call, a->idx_bits);
    CAIRN_TRY(check_common(o, a->length));
    CAIRN_CHECK(
        a->ptr_length > lines_of(o->tensor, by_columns), env, CAIRN_BAD_ARGUMENT,
        "%s: ptr_length: %" PRId64 " is less than the %" PRId64 " that are written",
        o->call, a->ptr_length, lines_of(o->tensor, by_columns) + 1);
    CAIRN_TRY(check_width(o, "ptr_bits", a->ptr_bits, n));
    CAIRN_TRY(check_width(o, "idx_bits", a->idx_bits, shape->extent[!by_columns] - 1));
    CAIRN_TRY(check_array(o, "ptr", a->ptr, 1, a->ptr_bits));
    CAIRN_TRY(check_array(o, "idx", a->idx, n, a->idx_bits));
    return check_array(o, "val", a->val, n, width_of(a->dtype));
}

static cairn_status write_lines(order_out *o, cairn_compressed *a, bool by_columns)
{
    const int64_t lines  = lines_of(o->tensor, by_columns);
    cairn_tensor *made   = NULL;
    cairn_status  status = check_lines(o, a, by_columns);

    if (status == CAIRN_OK)
        status = cairn_lent_lines(o->tensor->context, by_columns, a->ptr_bits,
                                  a->idx_bits, &o->format);
    o->into.ptr[1] = a->ptr;
    o->into.idx[1] = a->idx;
    o->into.val    = a->val;
    o->into.room   = a->length;
    status         = agree(o, status);
    if (status == CAIRN_OK) status = write_out(o, &o->into, &made);
    if (status == CAIRN_OK) {
        a->entries = made->local->part[0].view.values;
        if (o->base) {
            count_from_one(a->ptr, lines + 1, a->ptr_bits / 8, a->ptr_bits);
            count_from_one(a->idx, a->entries, a->idx_bits / 8, a->idx_bits);
        }
    }
    cairn_tensor_destroy(&made);
    cairn_format_destroy(&o->format);
    return status;
}

/// @param[in,out] arrays  The caller's struct, which gets `entries`.
static cairn_status
write_compressed(order_out *o, bool by_columns, cairn_compressed *arrays)
{
    cairn_compressed own = CAIRN_COMPRESSED;

    cairn_sized_read(&own, sizeof own, arrays);
    o->dtype = own.dtype;
    o->base  = own.base;
    CAIRN_TRY(write_lines(o, &own, by_columns));
    CAIRN_WRITE(arrays, own);
    return CAIRN_OK;
}

cairn_status cairn_tensor_to_csr(const cairn_tensor *tensor, cairn_compressed *arrays)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(arrays),
                         CAIRN_SIZED(arrays, cairn_compressed));
    cairn_doing(&tensor->context->env, "writing arrays");
    return write_compressed(&(order_out){.tensor = tensor, .call = __func__}, false,
                            arrays);
}

cairn_status cairn_tensor_to_csc(const cairn_tensor *tensor, cairn_compressed *arrays)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(arrays),
                         CAIRN_SIZED(arrays, cairn_compressed));
    cairn_doing(&tensor->context->env, "writing arrays");
    return write_compressed(&(order_out){.tensor = tensor, .call = __func__}, true,
                            arrays);
}

/* ---- coordinates ---- */

static cairn_status
check_coords(const order_out *o, const cairn_coords_out *a, cairn_coords_lie *lie)
{
    const cairn_shape *shape = &o->tensor->local->shape;
    const int64_t      n     = cairn_tensor_entries(o->tensor);

    *lie = (cairn_coords_lie){.order      = shape->order,
                              .bits       = a->idx_bits,
                              .base       = a->base,
                              .idx_stride = a->idx_stride,
                              .val        = a->val,
                              .val_stride = a->val ? a->val_stride : 0,
                              .val_bits   = width_of(a->dtype)};
    for (int k = 0; k < shape->order; k++)
        lie->idx[k] = a->idx[k];
    CAIRN_TRY(cairn_coords_check(&o->tensor->context->env, o->call, n, lie));
    CAIRN_TRY(check_common(o, a->length));
    for (int k = 0; k < shape->order; k++) {
        char name[24];

        snprintf(name, sizeof name, "idx[%d]", k);
        CAIRN_TRY(check_array(o, name, lie->idx[k], n, lie->bits));
        CAIRN_TRY(check_width(o, "idx_bits", lie->bits, shape->extent[k] - 1));
    }
    return check_array(o, "val", lie->val, 0, lie->val_bits);
}

/// Copy what was made beside, an array each of the same widths.
static void scatter(const cairn_part *part, const cairn_coords_lie *lie)
{
    const size_t width = (size_t)lie->bits / 8, size = (size_t)lie->val_bits / 8;

    for (int k = 0; k < lie->order; k++) {
        const char *const from = part->view.level[k].idx;
        char *const       to   = (char *)lie->idx[k];

        for (int64_t p = 0; p < part->view.values; p++)
            memcpy(to + p * lie->idx_stride, from + p * (int64_t)width, width);
    }
    for (int64_t p = 0; lie->val && p < part->view.values; p++)
        memcpy((char *)lie->val + p * lie->val_stride,
               (const char *)part->view.val + p * (int64_t)size, size);
}

/// How the arrays can be written as they lie: all ranks the same way, or none; one without
/// entries does as the others.
static cairn_status
find_way(const order_out *o, const cairn_coords_lie *lie, cairn_coords_way *way)
{
    enum { ANY = CAIRN_COORDS_OTHERWISE + 1 };
    cairn_comm   *comm  = o->tensor->context->comm;
    const int64_t n     = cairn_tensor_entries(o->tensor);
    const int64_t here  = n == 0     ? ANY
                          : lie->val ? (int64_t)cairn_coords_find(lie)
                                     : CAIRN_COORDS_OTHERWISE;
    int64_t       all[] = {here, n == 0 ? 0 : -here}; /* the least and the greatest */

    if (comm->size > 1) CAIRN_TRY(comm->ops->allreduce(comm, all, 2, CAIRN_MIN));
    *way = all[0] != -all[1] || all[0] == ANY ? CAIRN_COORDS_OTHERWISE
                                              : (cairn_coords_way)all[0];
    return CAIRN_OK;
}

/// @param[in] direct  The arrays take what is written; else it is copied there.
static cairn_status write_entries(order_out              *o,
                                  const cairn_coords_lie *lie,
                                  bool                    direct,
                                  cairn_coords_out       *a)
{
    cairn_tensor *made   = NULL;
    cairn_status  status = write_out(o, direct ? &o->into : NULL, &made);

    if (status == CAIRN_OK) {
        const cairn_part *part = &made->local->part[0];

        a->entries = part->view.values;
        if (!direct) scatter(part, lie);
        for (int k = 0; k < lie->order && o->base; k++)
            count_from_one((void *)lie->idx[k], a->entries, lie->idx_stride, lie->bits);
    }
    cairn_tensor_destroy(&made);
    return status;
}

static cairn_status write_coords(order_out *o, cairn_coords_out *a)
{
    cairn_context   *context = o->tensor->context;
    const int        order   = o->tensor->local->shape.order;
    cairn_collective same    = {0};
    cairn_coords_lie lie;
    cairn_coords_way way;
    cairn_status     status = check_coords(o, a, &lie);

    cairn_collective_dtype(&same, o->dtype);
    cairn_collective_int(&same, "idx_bits", a->idx_bits);
    CAIRN_TRY(cairn_comm_agree_on(context->comm, status, &same));
    CAIRN_TRY(find_way(o, &lie, &way));
    const bool direct = way != CAIRN_COORDS_OTHERWISE;

    for (int k = 0; k < order; k++)
        o->into.idx[k] = (void *)lie.idx[k];
    o->into.val  = (void *)lie.val;
    o->into.room = a->length;
    status       = cairn_comm_agree(
              context->comm, cairn_coords_format(context, direct ? way : CAIRN_COORDS_APART,
                                                 order, lie.bits, 0, &o->format));
    if (status == CAIRN_OK) status = write_entries(o, &lie, direct, a);
    cairn_format_destroy(&o->format);
    return status;
}

cairn_status cairn_tensor_to_coords(const cairn_tensor *tensor,
                                    cairn_coords_out   *arrays)
{
    CAIRN_ENTER_TOGETHER(CAIRN_CONTEXT_OF(tensor), CAIRN_GIVEN(arrays),
                         CAIRN_SIZED(arrays, cairn_coords_out));
    cairn_doing(&tensor->context->env, "writing arrays");
    cairn_coords_out own = CAIRN_COORDS_OUT;

    cairn_sized_read(&own, sizeof own, arrays);
    order_out o = {
        .tensor = tensor, .call = __func__, .dtype = own.dtype, .base = own.base};

    CAIRN_TRY(write_coords(&o, &own));
    CAIRN_WRITE(arrays, own);
    return CAIRN_OK;
}
