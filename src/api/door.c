// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arguments of public calls, looked at one after the other.

#include "api/door.h"

#include <inttypes.h>

static bool is_right(const cairn_argument *a)
{
    if (a->kind == CAIRN_ARGUMENT_STRUCT)
        return !a->given || cairn_sized_fits(a->given, a->known);
    return a->number >= a->least && a->number <= a->most;
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
    if (!env) return CAIRN_BAD_ARGUMENT;
    for (size_t k = 0; k < count; k++)
        if (!is_right(&argument[k])) return refuse(env, call, &argument[k]);
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
