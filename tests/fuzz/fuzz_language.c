// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Text as formats. The first line is what a user would write for a format, the rest
/// definitions. What parses must print, and its print must parse to the same print; its
/// layouts are inferred for no, some, no room for any, and very many positions.

#include "format/language.h"
#include "format/layout.h"
#include "fuzz.h"

static char *print(cairn_env *env, const cairn_format *format)
{
    char *text = NULL;

    FUZZ_CHECK(cairn_format_print(env, format, &text) == CAIRN_OK, "%s", env->message);
    return text;
}

static void check_print(cairn_env *env, const cairn_format *format)
{
    cairn_format      *again  = NULL;
    char              *first  = print(env, format), *second;
    const cairn_status status = cairn_format_parse(env, NULL, first, "print", &again);

    FUZZ_CHECK(status == CAIRN_OK, "%s\n%s", env->message, first);
    second = print(env, again);
    FUZZ_CHECK(strcmp(first, second) == 0, "%s\nprints again as\n%s", first, second);
    cairn_free(env, first);
    cairn_free(env, second);
    cairn_format_destroy(&again);
}

/// What may be said of any level of a layout with sizes.
static void check_levels(const cairn_layout *layout)
{
    FUZZ_CHECK(layout->levels >= 1 && layout->levels <= CAIRN_MAX_LEVELS, "levels");
    for (int l = 0; l < layout->levels; l++) {
        const cairn_level *level = &layout->level[l];

        FUZZ_CHECK(level->size >= 0, "level %d has %lld", l, (long long)level->size);
        FUZZ_CHECK(level->size == 0 || level->range.lo <= level->range.hi, "level %d",
                   l);
    }
}

static void check_layouts(cairn_env *env, const cairn_encoding *encoding)
{
    static const int64_t extents[] = {5, 1, 0, 3000000007, (INT64_C(1) << 61) - 2};
    int64_t              extent[CAIRN_MAX_ORDER];
    cairn_layout        *layout = NULL;

    if (fuzz_succeeded(
            env, cairn_layout_create(env, encoding, NULL, NULL, NULL, 64, &layout)))
        cairn_layout_destroy(env, &layout);
    for (size_t k = 0; k < sizeof extents / sizeof *extents; k++) {
        for (int d = 0; d < encoding->map.order; d++)
            extent[d] = extents[k] - (extents[k] > 1 ? d % 2 : 0);
        if (!fuzz_succeeded(env, cairn_layout_create(env, encoding, extent, NULL, NULL,
                                                     k % 2 ? 32 : 64, &layout)))
            continue;
        check_levels(layout);
        cairn_layout_destroy(env, &layout);
    }
    FUZZ_CHECK(cairn_encoding_grain(encoding) >= 1, "grain");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *line    = memchr(data, '\n', size);
    const size_t   spec    = line ? (size_t)(line - data) : size;
    cairn_library *library = NULL;
    cairn_format  *format  = NULL;
    cairn_env      env;
    char          *text = calloc(spec + 1, 1);

    fuzz_up(&env);
    memcpy(text, data, spec);
    char *definitions = fuzz_copy(data + spec, size - spec);

    if (fuzz_succeeded(&env, cairn_library_parse(&env, definitions, size - spec,
                                                 "library", &library))
        && fuzz_succeeded(&env,
                          cairn_format_parse(&env, library, text, "text", &format))) {
        check_print(&env, format);
        for (int m = 0; m < format->members; m++)
            check_layouts(&env, format->member[m]);
    }
    cairn_format_destroy(&format);
    cairn_library_destroy(&env, &library);
    free(definitions);
    free(text);
    fuzz_down(&env);
    return 0;
}
