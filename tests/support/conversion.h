// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// For tests of conversions: formats by their names, and two ways to one tensor.

#ifndef CAIRN_TESTS_SUPPORT_CONVERSION_H
#define CAIRN_TESTS_SUPPORT_CONVERSION_H

#include "convert/build.h"
#include "format/language.h"
#include "names.h"
#include "random_format.h"
#include "rules/path.h"
#include "tensor/local.h"

#include <criterion/criterion.h>

#include <string.h>

/// A format of the catalogue, or one that begins with #.
static inline cairn_format *parse_format(cairn_env *env, const char *name)
{
    char          text[RANDOM_FORMAT];
    cairn_format *format = NULL;

    by_name(name, text, sizeof text);
    cr_assert_eq(cairn_format_parse(env, NULL, text, "test", &format), CAIRN_OK,
                 "%s: %s", name, env->message);
    return format;
}

/// A build of a whole tensor from entries, or from another tensor; its format is open.
/// @p loader  NULL: the reference way.
static inline cairn_build whole_build(cairn_shape                shape,
                                      int                        bits,
                                      const cairn_entries       *entries,
                                      const cairn_local         *from,
                                      const cairn_kernel_loader *loader)
{
    cairn_build build = {.shape      = shape,
                         .entries    = from ? NULL : entries,
                         .from       = from,
                         .value_bits = bits,
                         .loader     = loader};

    for (int k = 0; k < shape.order; k++)
        build.box[k] = (cairn_interval){0, shape.extent[k] - 1};
    return build;
}

/// Build in a format by its name, which is to be destroyed after the tensor.
static inline cairn_status build_by_name(cairn_env     *env,
                                         cairn_build    build,
                                         const char    *name,
                                         cairn_format **format,
                                         cairn_local  **made)
{
    *format      = parse_format(env, name);
    build.format = *format;
    return cairn_local_build(env, &build, made);
}

/// As build_by_name(), which must not fail.
static inline cairn_local *
must_build(cairn_env *env, cairn_build build, const char *name, cairn_format **format)
{
    cairn_local *made = NULL;

    cr_assert_eq(build_by_name(env, build, name, format, &made), CAIRN_OK, "%s: %s",
                 name, env->message);
    return made;
}

/// How many passes of a program are as @p is asks.
static inline int count_passes(const cairn_path *path, bool (*is)(const cairn_pass *))
{
    int found = 0;

    for (int k = 0; k < path->program.passes; k++)
        found += is(&path->program.pass[k]);
    return found;
}

/// Both hold the same entries in the same arrays, byte for byte. @p what: said if not.
static inline void
check_same(const cairn_local *a, const cairn_local *b, const char *what)
{
    cr_assert_eq(a->parts, b->parts, "%s: parts", what);
    for (int64_t p = 0; p < a->parts; p++) {
        cairn_array x[CAIRN_MAX_ARRAYS], y[CAIRN_MAX_ARRAYS];
        const int   arrays = cairn_part_arrays(&a->part[p], x);

        cr_assert_eq(arrays, cairn_part_arrays(&b->part[p], y));
        cr_assert_eq(a->part[p].nnz, b->part[p].nnz, "%s: entries of part %d", what,
                     (int)p);
        for (int k = 0; k < arrays; k++)
            cr_assert(x[k].bytes == y[k].bytes
                          && (x[k].bytes == 0 /* there may be no array then */
                              || memcmp(x[k].data, y[k].data, (size_t)x[k].bytes) == 0),
                      "%s: part %d, array %d differs", what, (int)p, k);
    }
}

#endif
