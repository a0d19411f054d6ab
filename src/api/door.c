// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arguments of public calls, looked at one after the other.

#include "api/door.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_right(const cairn_argument *a)
{
    if (a->kind == CAIRN_ARGUMENT_STRUCT)
        return !a->given || cairn_sized_fits(a->given, a->known);
    return a->number >= a->least && a->number <= a->most;
}

/// Lists are asked for by inline functions, which give the size of an element to one whose
/// name ends with "_sized".
static void name_call(const char *call, char *name, size_t size)
{
    static const char ending[] = "_sized";

    snprintf(name, size, "%s", call);
    const size_t n = strlen(name), m = sizeof ending - 1;

    if (n > m && strcmp(name + n - m, ending) == 0) name[n - m] = '\0';
}

static cairn_status refuse(cairn_env *env, const char *call, const cairn_argument *a)
{
    if (a->kind == CAIRN_ARGUMENT_STRUCT)
        return cairn_sized_check(env, (cairn_sized_names){call, a->name, a->type},
                                 a->given, a->known);
    if (a->kind == CAIRN_ARGUMENT_POINTER)
        return cairn_fail(env, CAIRN_BAD_ARGUMENT, "%s: %s: is NULL", call, a->name);
    if (a->kind == CAIRN_ARGUMENT_CHOICE)
        return cairn_fail(env, CAIRN_BAD_ARGUMENT,
                          "%s: %s: %" PRId64 " is none of its values", call, a->name,
                          a->number);
    if (a->number < a->least)
        return cairn_fail(env, CAIRN_BAD_ARGUMENT,
                          "%s: %s: %" PRId64 " is less than %" PRId64, call, a->name,
                          a->number, a->least);
    return cairn_fail(env, CAIRN_BAD_ARGUMENT,
                      "%s: %s: %" PRId64 " is more than %" PRId64, call, a->name,
                      a->number, a->most);
}

cairn_status cairn_enter(cairn_env            *env,
                         const char           *call,
                         const cairn_argument *argument,
                         size_t                count)
{
    char name[64];

    if (!env) return CAIRN_BAD_ARGUMENT;
    for (size_t k = 0; k < count; k++)
        if (!is_right(&argument[k])) {
            name_call(call, name, sizeof name);
            return refuse(env, name, &argument[k]);
        }
    return CAIRN_OK;
}

cairn_status cairn_enter_together(cairn_comm           *comm,
                                  const char           *call,
                                  const cairn_argument *argument,
                                  size_t                count)
{
    if (!comm) return CAIRN_BAD_ARGUMENT;
    const cairn_status status = cairn_enter(comm->env, call, argument, count);

    return status == CAIRN_OK ? CAIRN_OK : cairn_comm_agree(comm, status);
}

cairn_comm *cairn_door_comm(cairn_context *context)
{
    return context ? context->comm : NULL;
}

cairn_env *cairn_door_env(cairn_context *context)
{
    return cairn_door_comm(context) ? &context->env : NULL;
}

cairn_context *cairn_format_context(const cairn_format *format)
{
    return format ? (cairn_context *)format->env : NULL; /* its first member */
}

cairn_status
cairn_list_fit(cairn_comm *comm, size_t size, size_t known, int64_t count, void **list)
{
    const cairn_status status =
        cairn_comm_agree(comm, cairn_sized_list(comm->env, size, known, count, list));

    if (status == CAIRN_OK) return CAIRN_OK;
    cairn_free(comm->env, *list);
    *list = NULL;
    return status;
}
