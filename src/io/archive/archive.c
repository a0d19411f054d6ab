// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What archives of all kinds have in common.

#include "io/archive/archive.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cairn_archive_close(cairn_archive *archive)
{
    if (archive->ops) archive->ops->close(archive);
    archive->ops = NULL;
}

const cairn_archive_array *cairn_archive_find(const cairn_archive *archive,
                                              const char          *name)
{
    for (int k = 0; k < archive->arrays; k++)
        if (strcmp(archive->array[k].name, name) == 0) return &archive->array[k];
    return NULL;
}

cairn_status
cairn_archive_add(cairn_archive *archive, const char *name, cairn_archive_array **array)
{
    if (archive->arrays == CAIRN_ARCHIVE_ARRAYS)
        return cairn_archive_refuse(archive, CAIRN_UNSUPPORTED,
                                    "it has more than %d arrays", CAIRN_ARCHIVE_ARRAYS);
    *array  = &archive->array[archive->arrays++];
    **array = (cairn_archive_array){.kind = '\0'};
    snprintf((*array)->name, sizeof(*array)->name, "%s", name);
    return CAIRN_OK;
}

cairn_status cairn_archive_refuse(const cairn_archive *archive,
                                  cairn_status         status,
                                  const char          *fmt,
                                  ...)
{
    char    why[256];
    va_list arguments;

    va_start(arguments, fmt);
    vsnprintf(why, sizeof why, fmt, arguments);
    va_end(arguments);
    for (char *c = why; *c; c++) /* words of the file's, which a terminal may obey */
        if (*c < ' ' || *c > '~') *c = '?';
    return cairn_fail(archive->env, status, "read: %s: %s", archive->name, why);
}
