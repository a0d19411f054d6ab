// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions whose allocations fail in turn: planning, executing, reading a tensor back.

#include "api/api.h"
#include "lower/conversion/convert.h"
#include "support/brutal.h"
#include "support/names.h"
#include "support/scratch.h"
#include "support/storage.h"

#include <criterion/parameterized.h>

typedef struct {
    char from[128], to[64];
} one_pair;

ParameterizedTestParameters(brutal_convert, pairs)
{
    static one_pair cases[] = {
        {"coo",                                                                     "csr"                         },
        {"csr",                                                                     "bcsr<2,2>"                   },
        {"bdia<3>",                                                                 "sell-sigma<2,4>"             },
        {"cisr-plus<2>",                                                            "lil"                         },
        {"serpens<2,4,2>",                                                          "bell<2>"                     },
        {"hybrid<bdia<2>,csr,0.5>",                                                 "c2sr<2>"                     },
        {"dok",                                                                     "hybrid<bell<2>,coo,0.25,0.5>"},
        {"hybrid<bell<2>,coo,0.25,0.5>",                                            "hybrid<bdia<3>,csr,0.5>"     },
        {"#encoding<{ idx_map<(d0,d1)->(d0,d0/3,2*d1-d0)>, mutation<trim(0,2)> }>",
         "dia"                                                                                                    },
    };

    return cr_make_param_array(one_pair, cases, sizeof cases / sizeof *cases);
}

static cairn_tensor *store(cairn_context *context, const char *text)
{
    cairn_source *source = NULL;
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;

    cr_assert_eq(cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                          figure_value, CAIRN_BY_NNZ, &source),
                 CAIRN_OK);
    cr_assert_eq(cairn_format_create(context, named(text), &format), CAIRN_OK, "%s",
                 cairn_context_message(context));
    cr_assert_eq(cairn_tensor_create(source, format, CAIRN_F64, &tensor), CAIRN_OK);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return tensor;
}

static cairn_status convert(const cairn_tensor *from, const cairn_format *to)
{
    cairn_tensor *converted = NULL;
    cairn_status  status    = cairn_tensor_convert(from, to, &converted);

    cr_assert_eq(status == CAIRN_OK, converted != NULL);
    cairn_tensor_destroy(&converted);
    return status;
}

static cairn_status
plan(cairn_context *context, const cairn_format *from, const cairn_format *to)
{
    cairn_path        *path   = NULL;
    const cairn_status status = cairn_path_create(context, from, to, NULL, &path);

    cr_assert_eq(status == CAIRN_OK, path != NULL);
    cairn_path_destroy(&path);
    return status;
}

static cairn_status take_source(const cairn_tensor *tensor)
{
    cairn_source      *source = NULL;
    const cairn_status status = cairn_source_from_tensor(tensor, &source);

    cr_assert_eq(status == CAIRN_OK, source != NULL);
    cairn_source_destroy(&source);
    return status;
}

static cairn_status read_back(cairn_context *context, const char *path)
{
    cairn_tensor      *tensor = NULL;
    const cairn_status status = cairn_tensor_read(context, path, &tensor);

    cr_assert_eq(status == CAIRN_OK, tensor != NULL);
    cairn_tensor_destroy(&tensor);
    return status;
}

ParameterizedTest(one_pair *c, brutal_convert, pairs)
{
    cairn_context *context;
    cairn_format  *to;
    char           folder[64], path[128];

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    cairn_tensor *from = store(context, c->from);

    cr_assert_eq(cairn_format_create(context, named(c->to), &to), CAIRN_OK);
    CAIRN_BRUTAL(&context->env, plan(context, cairn_tensor_format(from), to));
    CAIRN_BRUTAL(&context->env, convert(from, to));
    CAIRN_BRUTAL(&context->env, take_source(from));
    scratch_create(folder);
    snprintf(path, sizeof path, "%s/a.cairn", folder);
    cr_assert_eq(cairn_tensor_write(from, path, NULL), CAIRN_OK);
    CAIRN_BRUTAL(&context->env, read_back(context, path));
    cr_assert_eq(remove(path), 0);
    cr_assert_eq(rmdir(folder), 0);
    cairn_tensor_destroy(&from);
    cairn_format_destroy(&to);
    cairn_context_destroy(&context);
}

/// What a conversion starts from is held against the limit before any rule runs: the
/// refusal knows no arrays yet.
Test(brutal_convert, what_it_starts_from_must_fit)
{
    cairn_context *context;
    cairn_format  *to;

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    cairn_tensor *from = store(context, "csr");

    cr_assert_eq(cairn_format_create(context, named("coo"), &to), CAIRN_OK);
    cairn_context_set_memory(context, 64);
    cr_assert_eq(convert(from, to), CAIRN_NO_MEMORY);
    cr_expect(strstr(cairn_context_message(context), "but the limit is 64"), "%s",
              cairn_context_message(context));
    cr_expect_not(strstr(cairn_context_message(context), "for arrays"), "%s",
                  cairn_context_message(context));
    cairn_tensor_destroy(&from);
    cairn_format_destroy(&to);
    cairn_context_destroy(&context);
}

Test(brutal_convert, a_phase_tells_its_key_or_fails)
{
    const cairn_convert_spec spec = {
        .phase = CAIRN_CONVERT_PACK, .source = CAIRN_CONVERT_ENTRIES, .order = 2};
    cairn_ir_function *function = NULL;
    cairn_env          env;

    cairn_env_init(&env);
    CAIRN_BRUTAL_AND(&env, cairn_convert_lower(&env, &spec, "f", &function),
                     function == NULL);

    cr_expect_eq(function->notes, 2);
    cairn_ir_destroy(&env, &function);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

static cairn_status refuse(cairn_device *device, cairn_kernel_loader *loader)
{
    (void)loader;
    return cairn_fail(device->env, CAIRN_NO_KERNEL, "device: %s: it is broken",
                      device->info.id);
}

Test(brutal_convert, the_first_device_says_why_there_are_no_kernels)
{
    cairn_context      *context = NULL;
    const cairn_entries none    = {.order = 2};
    cairn_build         build   = {.entries = &none};
    cairn_build_loader  loader;
    char                why[CAIRN_MESSAGE] = "";

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    context->env.options.kernels = CAIRN_KERNELS_COMPILED;
    strcpy(context->env.options.devices, "cpu:2");
    cr_assert_eq(cairn_context_devices(context), CAIRN_OK);
    cr_assert_eq(context->devices->count, 2);
    for (int k = 0; k < 2; k++)
        context->devices->device[k].ops.kernels.open = refuse;

    cr_expect_eq(cairn_context_loader(context, &build, &loader, why), CAIRN_NO_KERNEL);

    cr_expect_str_eq(context->env.message,
                     "convert: no device of this run has kernels: "
                     "device: cpu:0: it is broken");
    cairn_context_destroy(&context);
}
