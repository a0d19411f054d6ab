// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Names in sight, as a stack.

#include "emit/names.h"

#include <stdio.h>
#include <string.h>

void cairn_names_init(cairn_symbols *names, cairn_env *env)
{
    *names = (cairn_symbols){.env = env, .status = CAIRN_OK};
}

void cairn_names_fini(cairn_symbols *names)
{
    cairn_free(names->env, names->name);
    cairn_names_init(names, names->env);
}

static bool taken(const cairn_symbols *names, const char *text)
{
    for (int n = 0; n < names->count; n++)
        if (strcmp(names->name[n].text, text) == 0) return true;
    return false;
}

void cairn_names_push(cairn_symbols *names, const void *object, const char *name)
{
    cairn_name fresh = {.object = object};

    if (names->status != CAIRN_OK) return;
    if (names->count == names->capacity) {
        const int more = 2 * names->capacity + 32;

        names->status =
            cairn_realloc(names->env, more, sizeof *names->name, (void **)&names->name);
        if (names->status != CAIRN_OK) return;
        names->capacity = more;
    }
    snprintf(fresh.text, sizeof fresh.text, "%.40s", name);
    for (int number = 2; taken(names, fresh.text); number++)
        snprintf(fresh.text, sizeof fresh.text, "%.40s_%d", name, number);
    names->name[names->count++] = fresh;
}

void cairn_names_pop(cairn_symbols *names, int count)
{
    if (names->count > count) names->count = count;
}

const char *cairn_names_of(const cairn_symbols *names, const void *object)
{
    for (int n = names->count; n-- > 0;)
        if (names->name[n].object == object) return names->name[n].text;
    return "";
}
