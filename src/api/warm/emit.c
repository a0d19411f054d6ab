// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels as text.

#include "api/door.h"
#include "api/warm/warm.h"
#include "base/text.h"
#include "devices/product_kernel.h"
#include "emit/c.h"
#include "emit/cuda.h"
#include "emit/opencl.h"
#include "expr/operation.h"
#include "lower/grid/grid.h"
#include "tensor/value_storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// One product, and what its kernels are made of.
typedef struct {
    cairn_env            *env;
    const cairn_format   *format;
    cairn_product_options op;
    cairn_kernel_target   target;
    cairn_ir_function   **function; ///< [members], of cards [members][functions of a
                                    ///< grid], NULL where there is none.
} listing;

static bool is(const listing *t, cairn_kernel_language language)
{
    return t->target.language == language;
}

cairn_status cairn_kernel_arch_check(cairn_env *env, const cairn_kernel_target *target)
{
    enum { OLDEST = 70, NONE = 1000 };
    const int arch = target->cuda_arch;

    CAIRN_CHECK(arch == 0 || (arch >= OLDEST && arch < NONE), env, CAIRN_BAD_ARGUMENT,
                "emit: cuda_arch: %d is no generation of cards, %d or newer", arch,
                OLDEST);
    return CAIRN_OK;
}

static cairn_status check(listing *t, int order)
{
    const int bytes = t->target.vector_bytes;

    CAIRN_TRY(cairn_product_valid(t->env, &t->op, order));
    CAIRN_CHECK(bytes == 16 || bytes == 32 || bytes == 64 || !is(t, CAIRN_KERNEL_C),
                t->env, CAIRN_BAD_ARGUMENT,
                "emit: vectors: %d bytes are none of 16, 32, 64", bytes);
    CAIRN_TRY(cairn_kernel_arch_check(t->env, &t->target));
    CAIRN_CHECK(t->target.extent[0] >= 0 && t->target.extent[1] >= 0, t->env,
                CAIRN_BAD_ARGUMENT,
                "emit: extents: %" PRId64 " x %" PRId64 " are less than 0",
                t->target.extent[0], t->target.extent[1]);
    return CAIRN_OK;
}

/// "spmv", "spmm_transposed_1": the operation, and the member where there are several.
static void name_member(const listing *t, int member, char name[48])
{
    char number[16] = "";

    if (t->format->members > 1) snprintf(number, sizeof number, "_%d", member);
    snprintf(name, 48, "%s%s%s", t->op.columns == 1 ? "spmv" : "spmm",
             t->op.transposed ? "_transposed" : "", number);
}

/// Functions of a member.
static int each(const listing *t)
{
    return is(t, CAIRN_KERNEL_CUDA) ? CAIRN_GRID_FUNCTIONS : 1;
}

/// Lower the product of one layout as the target has it.
///
/// @param[out] function  [each(t)]
static cairn_status lower_product(const listing       *t,
                                  const cairn_layout  *layout,
                                  int                  member,
                                  const cairn_product *product,
                                  cairn_ir_function  **function)
{
    cairn_product_kernel kernel;
    cairn_grid_kernel    grid;
    char                 name[48];

    name_member(t, member, name);
    if (is(t, CAIRN_KERNEL_CUDA)) {
        CAIRN_TRY(cairn_grid_lower(t->env, layout, product, name, &grid));
        memcpy(function, grid.function, sizeof grid.function);
        return CAIRN_OK;
    }
    CAIRN_TRY(cairn_product_lower(t->env, layout, product, name, &kernel));
    *function = kernel.function;
    return CAIRN_OK;
}

static cairn_status lower_member(listing *t, int member)
{
    cairn_layout *layout;

    CAIRN_TRY(cairn_layout_create(t->env, t->format->member[member], t->target.extent,
                                  NULL, NULL, t->target.dtype == CAIRN_F32 ? 32 : 64,
                                  &layout));
    cairn_status status = cairn_layout_store_named(t->env, &layout);

    if (status != CAIRN_OK) {
        cairn_layout_destroy(t->env, &layout);
        return status;
    }
    cairn_product product = cairn_product_choose(
        layout, &t->op, member == 0, t->format->members > 1, t->target.vector_bytes);

    if (member == t->format->members - 1 && is(t, CAIRN_KERNEL_C))
        cairn_product_round(layout, &product);
    if (is(t, CAIRN_KERNEL_CUDA) && product.columns != 1)
        cairn_grid_deal_columns(&product, t->op.columns, &product.grid_hints);
    status = lower_product(t, layout, member, &product, &t->function[member * each(t)]);

    cairn_layout_destroy(t->env, &layout);
    return status;
}

/// How NVRTC compiles the text, and the text.
static cairn_status print_cuda(const listing *t, char **out)
{
    cairn_cuda_kernel kernel;
    cairn_text        text;

    CAIRN_TRY(cairn_cuda_print(t->env, (const cairn_ir_function *const *)t->function,
                               t->format->members * each(t), &kernel));
    cairn_text_init(&text, t->env);
    cairn_text_add(&text, "/* nvrtc");
    if (t->target.cuda_arch)
        cairn_text_add(&text, " --gpu-architecture=sm_%d", t->target.cuda_arch);
#define X(option) cairn_text_add(&text, " " option);
    CAIRN_CUDA_OPTIONS_MAP(X)
#undef X
    cairn_text_add(&text, " */\n%s", kernel.text);
    cairn_cuda_fini(t->env, &kernel);
    return cairn_text_take(&text, out);
}

static cairn_status print(const listing *t, char **out)
{
    const cairn_ir_function *const *function =
        (const cairn_ir_function *const *)t->function;

    switch (t->target.language) {
    case CAIRN_KERNEL_CUDA: return print_cuda(t, out);
    case CAIRN_KERNEL_OPENCL:
        return cairn_opencl_print_all(t->env, t->format->members, function, out);
    default: return cairn_c_print_all(t->env, t->format->members, function, out);
    }
}

static cairn_status write_text(listing *t, char **out)
{
    const int    members = t->format->members;
    cairn_status status  = CAIRN_OK;

    CAIRN_TRY(CAIRN_NEW_ZERO(t->env, members * each(t), &t->function));
    for (int m = 0; m < members && status == CAIRN_OK; m++)
        status = lower_member(t, m);
    if (status == CAIRN_OK) status = print(t, out);
    for (int k = 0; k < members * each(t); k++)
        if (t->function[k]) cairn_ir_destroy(t->env, &t->function[k]);
    cairn_free(t->env, t->function);
    return status;
}

/// Vectors of the machine that the context runs on.
static cairn_status machine_vectors(cairn_context *context, int *bytes)
{
    const cairn_kernel_loader *loader;

    CAIRN_TRY(cairn_context_devices(context));
    CAIRN_TRY(cairn_device_kernels(&context->devices->device[0], &loader));
    *bytes = loader->vector_bytes;
    return CAIRN_OK;
}

cairn_status cairn_kernels_text(cairn_context               *context,
                                const cairn_format          *format,
                                const cairn_product_options *options,
                                const cairn_kernel_target   *target,
                                char                       **text)
{
    cairn_product_options op = CAIRN_PRODUCT_OPTIONS;

    CAIRN_ENTER(context, CAIRN_GIVEN(format),
                CAIRN_SIZED(options, cairn_product_options), CAIRN_GIVEN(target),
                CAIRN_SIZED(target, cairn_kernel_target), CAIRN_GIVEN(text));
    cairn_kernel_target own = CAIRN_KERNEL_TARGET;

    CAIRN_READ(options, op);
    CAIRN_READ(target, own);
    CAIRN_ENTER(context, CAIRN_ONE_OF(target->dtype, CAIRN_F32),
                CAIRN_ONE_OF(target->language, CAIRN_KERNEL_CUDA));

    listing t = {.env = &context->env, .format = format, .op = op, .target = *target};

    if (t.target.extent[0] == 0 && t.target.extent[1] == 0)
        t.target.extent[0] = t.target.extent[1] = 1000000;
    if (!is(&t, CAIRN_KERNEL_C))
        t.target.vector_bytes = CAIRN_ITEMS;
    else if (t.target.vector_bytes == 0)
        CAIRN_TRY(machine_vectors(context, &t.target.vector_bytes));
    CAIRN_TRY(check(&t, cairn_format_order(format)));
    return write_text(&t, text);
}
