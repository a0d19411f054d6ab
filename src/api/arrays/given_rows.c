// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A caller's compressed rows by a struct. What lies as the library has it is used where it
/// is; numbers from 1 on and narrow values are copied first.

#include "api/arrays/given_rows.h"

#include "api/door.h"

/* ---- what lies otherwise ---- */

static cairn_status check(cairn_env *env, const char *call, const cairn_csr *its)
{
    const int  wide     = its->dtype == CAIRN_F32 ? 32 : 64;
    const bool integers = its->val_kind == CAIRN_VALUE_INTEGER
                          && (its->val_bits == 8 || its->val_bits == 16);
    const bool floats =
        its->val_kind == CAIRN_VALUE_FLOAT
        && (its->val_bits == 0 || its->val_bits == 32 || its->val_bits == wide);

    CAIRN_CHECK(its->ptr, env, CAIRN_BAD_ARGUMENT, "cairn_tensor_from_%s: ptr: is NULL",
                call);
    CAIRN_CHECK(its->base == 0 || its->base == 1, env, CAIRN_BAD_ARGUMENT,
                "%s: base: %d is neither 0 nor 1", call, its->base);
    CAIRN_CHECK(integers || floats, env, CAIRN_BAD_ARGUMENT,
                "%s: values of kind %d and %d bits are none that rows may have", call,
                its->val_kind, its->val_bits);
    return CAIRN_OK;
}

/// Copy numbers from 1 on as numbers from 0 on. The least there is stays: it is wrong
/// anyhow.
static cairn_status
copy_from_0(cairn_env *env, const void **array, int64_t n, int bits, void **copy)
{
    const void *const from = *array;

    CAIRN_TRY(cairn_alloc(env, n, (size_t)bits / 8, copy));
    if (bits == 32)
        for (int64_t k = 0; k < n; k++) {
            const int32_t number = ((const int32_t *)from)[k];

            ((int32_t *)*copy)[k] = number - (number > INT32_MIN);
        }
    else
        for (int64_t k = 0; k < n; k++) {
            const int64_t number = ((const int64_t *)from)[k];

            ((int64_t *)*copy)[k] = number - (number > INT64_MIN);
        }
    *array = *copy;
    return CAIRN_OK;
}

/// Copy narrow values as values of the tensor's type, which holds them all.
static cairn_status widen(cairn_env *env, const cairn_csr *its, int64_t n, void **copy)
{
    const cairn_kernel_part view   = {.val        = (void *)(uintptr_t)its->val,
                                      .values     = n,
                                      .val_block  = 1,
                                      .val_stride = its->val_bits / 8,
                                      .val_bits   = its->val_bits,
                                      .val_kind   = its->val_kind};
    const bool              single = its->dtype == CAIRN_F32;

    CAIRN_TRY(cairn_alloc(env, n, single ? sizeof(float) : sizeof(double), copy));
    for (int64_t k = 0; k < n; k++) {
        const double value = cairn_value_get(&view, k);

        if (single)
            ((float *)*copy)[k] = (float)value;
        else
            ((double *)*copy)[k] = value;
    }
    return CAIRN_OK;
}

static cairn_status copy(const cairn_csr *its, cairn_given_rows *given)
{
    cairn_line_arrays *a    = &given->rows.lines;
    cairn_env         *env  = &given->rows.context->env;
    const int          wide = its->dtype == CAIRN_F32 ? 32 : 64;

    if (its->base == 1)
        CAIRN_TRY(copy_from_0(env, &a->ptr, a->rows + 1, a->ptr_bits, &given->ptr));
    const int64_t n = cairn_lines_entries(a);

    if (cairn_lines_ptr(a, 0) != 0 || n <= 0 || !a->idx || !a->val)
        return CAIRN_OK; /* what is wrong there is found where all rows are looked at */
    if (its->base == 1)
        CAIRN_TRY(copy_from_0(env, &a->idx, n, a->idx_bits, &given->idx));
    if (its->val_bits == 0 || its->val_bits == wide) return CAIRN_OK;
    CAIRN_TRY(widen(env, its, n, &given->val));
    a->val = given->val;
    return CAIRN_OK;
}

cairn_status cairn_given_rows_init(cairn_context    *context,
                                   const char       *call,
                                   const cairn_csr  *its,
                                   cairn_given_rows *given)
{
    const int     wide = its->dtype == CAIRN_F32 ? 32 : 64;
    const int64_t last = its->global_rows;
    const bool all = its->rows == -1 && its->first_row >= 0 && its->first_row <= last;

    *given = (cairn_given_rows){
        .rows   = {.context = context,
                   .call    = call,
                   .lines   = {.shape     = {2, {its->global_rows, its->global_cols}},
                               .first_row = its->first_row,
                               .rows      = all ? last - its->first_row : its->rows,
                               .ptr       = its->ptr,
                               .idx       = its->idx,
                               .val       = its->val,
                               .ptr_bits  = its->ptr_bits,
                               .idx_bits  = its->idx_bits,
                               .dtype     = its->dtype},
                   .base    = its->base},
        .copied = its->base == 1 || (its->val_bits != 0 && its->val_bits != wide),
    };
    if (its->val_bits != 0 && its->val_bits != wide)
        given->rows.replays = CAIRN_MANY_PRODUCTS;
    CAIRN_TRY(check(&context->env, call, its));
    CAIRN_TRY(cairn_solver_rows_check(&given->rows));
    return copy(its, given);
}

void cairn_given_rows_fini(cairn_env *env, cairn_given_rows *given)
{
    cairn_free(env, given->ptr);
    cairn_free(env, given->idx);
    cairn_free(env, given->val);
}

/* ---- the call ---- */

/// Give arrays back that the tensor is not made over.
static void release(const cairn_csr *its)
{
    const void *const array[] = {its->ptr, its->idx, its->val};

    for (int k = 0; k < 3; k++)
        if (array[k]) its->release(its->user, (void *)(uintptr_t)array[k]);
}

cairn_status cairn_tensor_from_rows(cairn_context      *context,
                                    const cairn_csr    *rows,
                                    cairn_copy_mode     mode,
                                    const cairn_format *format,
                                    cairn_tensor      **tensor)
{
    CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(rows), CAIRN_SIZED(rows, cairn_csr),
                         CAIRN_ONE_OF(mode, CAIRN_TAKE), CAIRN_GIVEN(tensor));
    cairn_csr own = CAIRN_CSR;

    CAIRN_READ(rows, own);
    CAIRN_ENTER_TOGETHER(context, CAIRN_ONE_OF(rows->dtype, CAIRN_F32));
    if (mode == CAIRN_TAKE) CAIRN_ENTER_TOGETHER(context, CAIRN_GIVEN(rows->release));

    cairn_given_rows given;
    cairn_tensor    *fresh  = NULL;
    const bool       over   = !format && mode != CAIRN_COPY;
    cairn_status     status = cairn_given_rows_init(context, "rows", rows, &given);
    const bool       lies   = over && !given.copied;

    if (status == CAIRN_OK && over && mode == CAIRN_BORROW && given.copied)
        status = cairn_fail(&context->env, CAIRN_BAD_ARGUMENT,
                            "rows: rows from 1 on, or with narrow values, cannot be "
                            "borrowed");
    status = cairn_solver_rows_take(&given.rows, status,
                                    lies ? CAIRN_BORROW : CAIRN_COPY, format, &fresh);
    cairn_given_rows_fini(&context->env, &given);
    if (status != CAIRN_OK) return status;
    if (mode == CAIRN_TAKE && !lies) release(rows);
    if (mode == CAIRN_TAKE && lies)
        fresh->release = (cairn_release){rows->release, rows->user};
    *tensor = fresh;
    return CAIRN_OK;
}
