// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The kinds, their names, and what one inherits from another.

#include "devices/kinds.h"

#include <ctype.h>
#include <string.h>

#define CAIRN_DEVICE(kind) extern const cairn_device_ops cairn_device_##kind;
#include "devices/device_list.def"
#undef CAIRN_DEVICE

static const cairn_device_ops *const kinds[] = {
#define CAIRN_DEVICE(kind) &cairn_device_##kind,
#include "devices/device_list.def"
#undef CAIRN_DEVICE
    NULL,
};

enum { KINDS = sizeof kinds / sizeof kinds[0] - 1 };

/* What the command's contract names, whether this build has it or not. */
static const char *const known[] = {"cpu",  "cuda",  "opencl",   "pim",
                                    "fpga", "debug", "external", NULL};

const cairn_device_ops *cairn_device_kind_at(int k)
{
    return k >= 0 && k < KINDS ? kinds[k] : NULL;
}

const cairn_device_ops *cairn_device_kind(const char *kind)
{
    for (int k = 0; k < KINDS; k++)
        if (strcmp(kinds[k]->kind, kind) == 0) return kinds[k];
    return NULL;
}

const cairn_device_ops *const *cairn_device_kinds(void)
{
    return kinds;
}

cairn_status
cairn_device_kind_check(cairn_env *env, const char *where, const char *word)
{
    return cairn_device_kind(word) ? CAIRN_OK
                                   : cairn_device_kind_unknown(env, where, word);
}

cairn_status
cairn_device_kind_unknown(cairn_env *env, const char *where, const char *word)
{
    for (const char *const *k = known; *k; k++)
        if (strcmp(*k, word) == 0)
            return cairn_fail(env, CAIRN_UNSUPPORTED,
                              "device: %s: '%s' is not in this version", where, word);

    const char *nearest = cairn_nearest(word, known);

    return cairn_fail(env, CAIRN_BAD_OPTION,
                      "option: %s: no kind of device is called '%s'%s%s%s", where, word,
                      nearest ? "; did you mean " : "", nearest ? nearest : "",
                      nearest ? "?" : "");
}

static cairn_status
malformed(cairn_env *env, const char *where, const char *text, size_t length)
{
    return cairn_fail(env, CAIRN_BAD_OPTION,
                      "option: %s: '%.*s' is no device; write one as cpu or cpu:1",
                      where, (int)(length < 100 ? length : 100), text);
}

cairn_status cairn_device_name_parse(cairn_env         *env,
                                     const char        *where,
                                     const char        *text,
                                     size_t             length,
                                     cairn_device_name *name)
{
    const char       *colon = memchr(text, ':', length);
    const size_t      word  = colon ? (size_t)(colon - text) : length;
    cairn_device_name read  = {.number = CAIRN_NO_NUMBER_GIVEN};

    if (word == 0 || word >= sizeof read.kind)
        return malformed(env, where, text, length);
    memcpy(read.kind, text, word);
    if (colon) {
        const char *digit = colon + 1, *end = text + length;

        /* Four digits: more devices than any rank has, and no overflow to think of. */
        if (digit == end || end - digit > 4) return malformed(env, where, text, length);
        for (read.number = 0; digit < end; digit++) {
            if (!isdigit((unsigned char)*digit))
                return malformed(env, where, text, length);
            read.number = 10 * read.number + (*digit - '0');
        }
    }
    CAIRN_TRY(cairn_device_kind_check(env, where, read.kind));
    *name = read;
    return CAIRN_OK;
}

const cairn_device_ops *cairn_device_delegate(const cairn_device *device)
{
    return device->ops.delegate ? cairn_device_kind(device->ops.delegate) : NULL;
}

int cairn_device_none(const cairn_machine *machine)
{
    (void)machine;
    return 0;
}

void cairn_device_inherit(cairn_device_ops *ops, const cairn_device_ops *delegate)
{
    if (!ops->can) ops->can = delegate->can;
    if (!ops->build) ops->build = delegate->build;
    if (ops->kernels.open) return;
    ops->kernels = delegate->kernels;
}
