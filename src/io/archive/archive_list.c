// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays that an archive will have, and the memory of those that are made for it.

#include "io/archive/archive.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    FIRST = 8,     ///< Rows of the list at first.
    MOST  = 65000, ///< Arrays: a zip's 16 bits of their number.
};

void cairn_archive_list_fini(cairn_archive_list *list)
{
    for (int k = 0; k < list->blocks; k++)
        cairn_free(list->env, list->block[k]);
    cairn_free(list->env, list->block);
    cairn_free(list->env, list->array);
    *list = (cairn_archive_list){.env = list->env};
}

cairn_status cairn_archive_list_add(cairn_archive_list      *list,
                                    const cairn_archive_out *array)
{
    CAIRN_CHECK(list->arrays < MOST, list->env, CAIRN_UNSUPPORTED,
                "write: more than %d arrays in an archive: write a .cairn file", MOST);
    if (list->arrays == list->capacity) {
        const int more = list->capacity ? 2 * list->capacity : FIRST;

        CAIRN_TRY(
            cairn_realloc(list->env, more, sizeof *list->array, (void **)&list->array));
        list->capacity = more;
    }
    list->array[list->arrays++] = *array;
    return CAIRN_OK;
}

cairn_status
cairn_archive_list_block(cairn_archive_list *list, int64_t bytes, void **block)
{
    CAIRN_TRY(cairn_realloc(list->env, list->blocks + 1, sizeof *list->block,
                            (void **)&list->block));
    CAIRN_TRY(cairn_alloc_zero(list->env, bytes, 1, block));
    list->block[list->blocks++] = *block;
    return CAIRN_OK;
}

cairn_status
cairn_archive_list_text(cairn_archive_list *list, const char *name, const char *text)
{
    const int64_t     n    = (int64_t)strlen(text);
    uint32_t         *wide = NULL;
    cairn_archive_out out  = {.elements = -1, .bytes = 4 * n};

    CAIRN_TRY(cairn_archive_list_block(list, 4 * n, (void **)&wide));
    for (int64_t k = 0; k < n; k++)
        wide[k] = (unsigned char)text[k];
    out.data = wide;
    snprintf(out.name, sizeof out.name, "%s", name);
    snprintf(out.descr, sizeof out.descr, "<U%" PRId64, n);
    return cairn_archive_list_add(list, &out);
}
