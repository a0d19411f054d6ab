// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Symbols of kernels; their sources as files.

#include "emit/kernel.h"

#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/// The 64-bit FNV-1a hash (Fowler, Noll, Vo; draft-eastlake-fnv): enough to name things,
/// since a kernel found by its name is compared by its key.
static uint64_t mix(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return hash;
}

void cairn_kernel_symbol(const char *key, char symbol[CAIRN_KERNEL_SYMBOL])
{
    snprintf(symbol, CAIRN_KERNEL_SYMBOL, "cairn_%016" PRIx64, mix(key));
}

cairn_status cairn_kernel_dump(cairn_env  *env,
                               const char *symbol,
                               const char *suffix,
                               const char *source)
{
    const char *const folder = env->options.dump_kernels;
    char              path[CAIRN_OPTION_PATH + 64];

    if (!folder[0]) return CAIRN_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cairn_fail(env, CAIRN_IO, "create: %s: %s", folder, strerror(errno));
    snprintf(path, sizeof path, "%s/%s%s", folder, symbol, suffix);
    return cairn_file_put(env, path, source, strlen(source));
}
