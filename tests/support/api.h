// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The public interface for tests: a context that must end with nothing allocated,
/// calls that must succeed, and short ways to sources, tensors and products.

#ifndef CAIRN_TESTS_SUPPORT_API_H
#define CAIRN_TESTS_SUPPORT_API_H

#include "names.h"
#include "scratch.h"

#include <cairn/cairn.h>

#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The call must succeed; the context's message says why it did not.
#define MUST(context, call) \
    cr_assert_eq((call), CAIRN_OK, "%s: %s", #call, cairn_context_message(context))

/// The call must fail with @p code, and the message must contain @p words.
#define REFUSED(context, code, words, call)                                       \
    do {                                                                          \
        cr_expect_eq((call), CAIRN_##code, "%s: not " #code ": %s", #call,        \
                     cairn_context_message(context));                             \
        cr_expect(strstr(cairn_context_message(context), words), "no '%s' in %s", \
                  words, cairn_context_message(context));                         \
    } while (0)

/// Blocks allocated now.
static inline int64_t live_blocks(const cairn_context *context)
{
    int64_t bytes, blocks, peak;

    cairn_context_memory(context, &bytes, &blocks, &peak);
    return blocks;
}

static inline int64_t live_bytes(const cairn_context *context)
{
    int64_t bytes, blocks, peak;

    cairn_context_memory(context, &bytes, &blocks, &peak);
    return bytes;
}

/// Open what a context opens only when it is first needed (the devices), so that its
/// blocks can be counted. @return Its blocks.
static inline int64_t must_settle(cairn_context *context)
{
    cairn_device_info *devices;
    int                count;

    MUST(context, cairn_devices_list(context, &count, &devices));
    cairn_devices_free(context, &devices);
    return live_blocks(context);
}

static inline int64_t must_start(cairn_context **context)
{
    cr_assert_eq(cairn_context_create(context), CAIRN_OK);
    return must_settle(*context);
}

/// Destroy a context that must hold @p blocks, but for kernels that it keeps for the
/// next context: they go with the devices, which are closed when threads are set. (CTest
/// looks for failed assertions in the output, since Criterion forgets those of a .fini.)
static inline void must_end(cairn_context **context, int64_t blocks)
{
    cairn_context_set_threads(*context, cairn_context_threads(*context));
    must_settle(*context);
    cr_expect_eq(live_blocks(*context), blocks, "%" PRId64 " blocks left",
                 live_blocks(*context) - blocks);
    cairn_context_destroy(context);
    cr_expect_null(*context);
}

static inline cairn_format *must_format(cairn_context *context, const char *text)
{
    cairn_format *format = NULL;
    static char   named[8192];

    by_name(text, named, sizeof named);
    cr_assert_eq(cairn_format_create(context, named, &format), CAIRN_OK, "%s: %s",
                 named, cairn_context_message(context));
    return format;
}

static inline cairn_tensor *must_store(cairn_context *context,
                                       cairn_source  *source,
                                       const char    *text,
                                       cairn_dtype    dtype)
{
    cairn_format *format = must_format(context, text);
    cairn_tensor *tensor = NULL;

    cr_assert_eq(cairn_tensor_create(source, format, dtype, &tensor), CAIRN_OK,
                 "%s: %s", text, cairn_context_message(context));
    cairn_format_destroy(&format);
    return tensor;
}

/// x(j) whose products are not exact, so that an order of additions shows in the bits.
static inline double ramp(int64_t j)
{
    return (double)(j % 97 + 1) / 97;
}

/// Fill the plan's own x with the ramp, whatever its element type.
static inline void fill_ramp(cairn_plan *plan)
{
    double *wide   = cairn_plan_x(plan);
    float  *narrow = cairn_plan_x_f32(plan);
    int64_t first, end;

    cairn_plan_columns(plan, &first, &end);
    for (int64_t j = first; j < end; j++)
        if (wide)
            wide[j - first] = ramp(j);
        else
            narrow[j - first] = (float)ramp(j);
}

/// y = A x over this rank's rows, x the ramp; freed with free().
static inline double *must_multiply(cairn_context *context, cairn_tensor *tensor)
{
    cairn_plan *plan = NULL;
    int64_t     first, end;

    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    fill_ramp(plan);
    MUST(context, cairn_plan_run(plan, NULL, NULL));
    cairn_plan_rows(plan, &first, &end);
    double *y = malloc((size_t)(end - first) * sizeof *y + 1);

    for (int64_t i = 0; i < end - first; i++)
        y[i] = cairn_plan_y(plan) ? cairn_plan_y(plan)[i]
                                  : (double)cairn_plan_y_f32(plan)[i];
    cairn_plan_destroy(&plan);
    return y;
}

/// A catalogue name with arguments, for must_format(): 2 for every number that has no
/// default.
static inline void
sample_use(cairn_context *context, const char *name, char *out, size_t size)
{
    char *definition;
    int   missing;

    MUST(context, cairn_catalogue_definition(context, name, &definition, &missing));
    name += strlen(name_prefix());
    cairn_text_free(context, &definition);
    snprintf(out, size, "%s", name);
    if (strcmp(name, "hybrid") == 0)
        snprintf(out, size, "hybrid<bdia<2>,csr>");
    else
        for (int k = 0; k < missing; k++)
            snprintf(out + strlen(out), size - strlen(out), "%c2%s", k ? ',' : '<',
                     k == missing - 1 ? ">" : "");
}

#endif
