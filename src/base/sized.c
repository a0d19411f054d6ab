// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Structs that begin with their size, between versions.

#include "base/sized.h"

#include <ctype.h>
#include <string.h>

static size_t size_of(const void *given)
{
    size_t size;

    memcpy(&size, given, sizeof size);
    return size;
}

static size_t in_common(const void *given, size_t known)
{
    const size_t size = size_of(given);

    return size < known ? size : known;
}

static bool is_a_size(size_t size)
{
    return size >= sizeof(size_t) && size <= CAIRN_SIZED_MOST;
}

/// Are the bytes that the library does not know 0?
static bool is_known(const void *given, size_t known)
{
    const unsigned char *byte = given;

    for (size_t k = known; k < size_of(given); k++)
        if (byte[k] != 0) return false;
    return true;
}

bool cairn_sized_fits(const void *given, size_t known)
{
    return is_a_size(size_of(given)) && is_known(given, known);
}

cairn_status cairn_sized_check(cairn_env        *env,
                               cairn_sized_names names,
                               const void       *given,
                               size_t            known)
{
    const size_t size = size_of(given);
    char         initialiser[64];
    size_t       n = 0;

    for (; names.type[n] && n + 1 < sizeof initialiser; n++)
        initialiser[n] = (char)toupper((unsigned char)names.type[n]);
    initialiser[n] = '\0';
    CAIRN_CHECK(is_a_size(size), env, CAIRN_BAD_ARGUMENT,
                "%s: %s->size: is %zu: set it to sizeof(%s), as %s does", names.call,
                names.argument, size, names.type, initialiser);
    CAIRN_CHECK(
        is_known(given, known), env, CAIRN_BAD_ARGUMENT,
        "%s: %s->size: is %zu, and behind the %zu bytes that this version knows "
        "there is something other than 0: it needs a newer library",
        names.call, names.argument, size, known);
    return CAIRN_OK;
}

void cairn_sized_read(void *own, size_t known, const void *given)
{
    if (given) memcpy(own, given, in_common(given, known));
    memcpy(own, &known, sizeof known);
}

void cairn_sized_write(void *given, const void *own, size_t known)
{
    const size_t head = sizeof(size_t);

    memcpy((char *)given + head, (const char *)own + head,
           in_common(given, known) - head);
}

cairn_status
cairn_sized_list(cairn_env *env, size_t size, size_t known, int64_t count, void **list)
{
    const size_t common = size < known ? size : known;
    char        *own = *list, *fit = NULL;

    if (size != known) {
        const cairn_status status = cairn_alloc_zero(env, count, size, (void **)&fit);

        for (int64_t k = 0; k < count && status == CAIRN_OK; k++)
            memcpy(fit + (size_t)k * size, own + (size_t)k * known, common);
        cairn_free(env, own);
        *list = own = fit;
        CAIRN_TRY(status);
    }
    for (int64_t k = 0; k < count; k++)
        memcpy(own + (size_t)k * size, &size, sizeof size);
    return CAIRN_OK;
}
