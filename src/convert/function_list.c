// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A loader that notes what a planned build asks for.

#include "convert/function_list.h"

#include <string.h>

void cairn_function_list_init(cairn_function_list *list, cairn_env *env)
{
    *list = (cairn_function_list){.env = env};
}

void cairn_function_list_fini(cairn_function_list *list)
{
    for (int k = 0; k < list->count; k++) {
        cairn_free(list->env, list->function[k].key);
        cairn_free(list->env, list->function[k].source);
    }
    cairn_free(list->env, list->function);
    list->function = NULL;
    list->count = list->room = 0;
}

static bool has(const cairn_function_list *list, const char *key)
{
    for (int k = 0; k < list->count; k++)
        if (strcmp(list->function[k].key, key) == 0) return true;
    return false;
}

static cairn_status make_room(cairn_function_list *list)
{
    const int room = list->room ? 2 * list->room : 16;

    if (list->count < list->room) return CAIRN_OK;
    CAIRN_TRY(cairn_realloc(list->env, room, sizeof *list->function,
                            (void **)&list->function));
    list->room = room;
    return CAIRN_OK;
}

/// Note a function.
static cairn_status
note(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    cairn_function_list  *list = user;
    cairn_listed_function its  = {NULL, NULL};

    *kernel = (cairn_kernel){.route = CAIRN_ROUTE_COMPILED};
    if (has(list, request->key)) return CAIRN_OK;
    CAIRN_TRY(make_room(list));
    CAIRN_TRY(cairn_strndup(list->env, request->key, strlen(request->key), &its.key));
    const cairn_status status = request->source(list->env, request->user, &its.source);

    if (status == CAIRN_OK)
        list->function[list->count++] = its;
    else
        cairn_free(list->env, its.key);
    return status;
}

static void release(void *user, cairn_kernel *kernel)
{
    (void)user;
    (void)kernel;
}

cairn_status cairn_function_list_add(cairn_function_list       *list,
                                     const struct cairn_format *from,
                                     const struct cairn_format *to,
                                     const cairn_plan_sample   *sample,
                                     const cairn_kernel_loader *loader)
{
    const cairn_kernel_loader noting = {.load         = note,
                                        .release      = release,
                                        .user         = list,
                                        .vector_bytes = loader->vector_bytes,
                                        .threads      = loader->threads,
                                        .moves        = loader->moves};
    cairn_pass_list           program;

    cairn_pass_list_init(&program, list->env);
    const cairn_status status =
        cairn_build_plan_sample(list->env, from, to, sample, &noting, &program);

    cairn_pass_list_fini(&program);
    return status;
}
