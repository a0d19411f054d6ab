// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Writing findings down.

#include "base/diagnostics.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// Room for one more.
static cairn_status grow(cairn_diagnostics *list)
{
    const int64_t more = list->capacity ? 2 * list->capacity : 32;

    if (list->count < list->capacity) return CAIRN_OK;
    CAIRN_TRY(
        cairn_realloc(list->env, more, sizeof *list->finding, (void **)&list->finding));
    list->capacity = more;
    return CAIRN_OK;
}

static void add(cairn_diagnostics     *list,
                cairn_diagnostic_level level,
                const char            *what,
                const char            *fix,
                const char            *why,
                va_list                arguments)
{
    if (list->status == CAIRN_OK) list->status = grow(list);
    if (list->status != CAIRN_OK) return;
    cairn_diagnostic *finding = &list->finding[list->count++];

    /* All bytes, since findings are compared and sent whole. */
    memset(finding, 0, sizeof *finding);
    finding->level = level;
    snprintf(finding->what, sizeof finding->what, "%s", what);
    snprintf(finding->fix, sizeof finding->fix, "%s", fix);
    vsnprintf(finding->why, sizeof finding->why, why, arguments);
}

void cairn_diagnostics_ok(cairn_diagnostics *list,
                          const char        *what,
                          const char        *why,
                          ...)
{
    va_list arguments;

    va_start(arguments, why);
    add(list, CAIRN_DIAGNOSTIC_OK, what, "", why, arguments);
    va_end(arguments);
}

void cairn_diagnostics_note(cairn_diagnostics *list,
                            const char        *what,
                            const char        *fix,
                            const char        *why,
                            ...)
{
    va_list arguments;

    va_start(arguments, why);
    add(list, CAIRN_DIAGNOSTIC_NOTE, what, fix, why, arguments);
    va_end(arguments);
}

void cairn_diagnostics_attention(cairn_diagnostics *list,
                                 const char        *what,
                                 const char        *fix,
                                 const char        *why,
                                 ...)
{
    va_list arguments;

    va_start(arguments, why);
    add(list, CAIRN_DIAGNOSTIC_ATTENTION, what, fix, why, arguments);
    va_end(arguments);
}

bool cairn_read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");

    line[0] = '\0';
    if (!file) return false;
    const bool read = fgets(line, (int)size, file) != NULL;

    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return read;
}
