// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Bytes choose a format, extents and entries: what was stored is walked back out of the
/// arrays, entry for entry, and once more out of a native segment of these arrays. Then
/// they choose a second format, in which the first tensor is stored: the same arrays as
/// straight from the entries.

#include <stdint.h>

/// The bytes that are left, drawn from one after the other; 0 past their end.
static struct {
    const uint8_t *at, *end;
} bytes;

static uint64_t next_byte(uint64_t *state)
{
    (void)state;
    return bytes.at < bytes.end ? *bytes.at++ : 0;
}

#define RANDOM_NEXT next_byte
#define RANDOM_WIDE 0 /* inputs that are kept mean what they meant */
#include "convert/build.h"
#include "format/language.h"
#include "fuzz.h"
#include "io/native/io_native.h"
#include "support/native_entries.h"
#include "tensor/walk.h"

enum { MOST_ENTRIES = 64, MEMORY = 1 << 20 }; ///< MEMORY: of arrays; work is more.

typedef struct {
    cairn_env     env;
    cairn_shape   shape;
    cairn_entries entries;
    cairn_format *format;
    cairn_local  *local;
    char          text[2 * RANDOM_FORMAT];
} storage;

/// Mostly small, so that most formats fit; now and then where integers end.
static cairn_coord next_extent(void)
{
    static const cairn_coord far[] = {0,
                                      1,
                                      255,
                                      256,
                                      65537,
                                      INT64_C(4294967296),
                                      INT64_C(1) << 40,
                                      (INT64_C(1) << 61) - 2};
    const int                draw  = random_below(NULL, 256);

    return draw < 230 ? 1 + draw % 24 : far[draw % 8];
}

/// A position: at an end, or anywhere near it.
static cairn_coord next_coord(cairn_coord extent)
{
    const int         draw = random_below(NULL, 256);
    const cairn_coord near = draw % 128 < extent ? draw % 128 : extent - 1;

    return draw < 128 ? near : extent - 1 - near;
}

static void draw_entries(storage *s)
{
    const int n = random_below(NULL, MOST_ENTRIES);

    s->shape.order = 2 + random_below(NULL, 6) / 4;
    for (int d = 0; d < s->shape.order; d++)
        s->shape.extent[d] = next_extent();
    cairn_entries_init(&s->entries, s->shape.order);
    for (int k = 0; k < n; k++) {
        cairn_coord at[CAIRN_MAX_ORDER];

        for (int d = 0; d < s->shape.order; d++)
            at[d] = next_coord(s->shape.extent[d]);
        if (s->shape.extent[0] == 0 || s->shape.extent[1] == 0
            || s->shape.extent[s->shape.order - 1] == 0)
            continue;
        FUZZ_CHECK(cairn_entries_add(&s->env, &s->entries, at, 1 + k) == CAIRN_OK,
                   "add");
    }
    FUZZ_CHECK(cairn_entries_sort(&s->env, &s->entries) == CAIRN_OK, "sort");
}

static void compare(const storage *s, cairn_entries *back, const char *what)
{
    FUZZ_CHECK(cairn_entries_sort((cairn_env *)&s->env, back) == CAIRN_OK, "sort");
    FUZZ_CHECK(back->n == s->entries.n, "%s: %lld entries, not %lld\n%s", what,
               (long long)back->n, (long long)s->entries.n, s->text);
    for (cairn_pos k = 0; k < back->n; k++) {
        for (int d = 0; d < s->shape.order; d++)
            FUZZ_CHECK(back->coord[d][k] == s->entries.coord[d][k],
                       "%s: entry %lld\n%s", what, (long long)k, s->text);
        FUZZ_CHECK(back->value[k] == s->entries.value[k], "%s: value %lld\n%s", what,
                   (long long)k, s->text);
    }
}

static void check_walk(storage *s)
{
    cairn_entries back;

    cairn_entries_init(&back, s->shape.order);
    const cairn_status status = cairn_local_entries(s->local, &back);

    FUZZ_CHECK(status == CAIRN_OK, "%s\n%s", s->env.message, s->text);
    compare(s, &back, "walk");
    cairn_entries_fini(&s->env, &back);
}

/// Append the arrays of all parts at @p out, if it is not NULL. @return their bytes.
static int64_t put_arrays(const cairn_local *local, char *out)
{
    int64_t bytes = 0;

    for (int64_t p = 0; p < local->parts; p++) {
        cairn_array array[CAIRN_MAX_ARRAYS];
        const int   arrays = cairn_part_own_arrays(&local->part[p], array);

        for (int a = 0; a < arrays; a++) {
            if (out && array[a].bytes)
                memcpy(out + bytes, array[a].data, (size_t)array[a].bytes);
            bytes += cairn_native_padded(array[a].bytes);
        }
    }
    return bytes;
}

static void check_native(storage *s)
{
    char         *head, *text, *format = NULL;
    int64_t       bytes;
    cairn_shape   shape = {0};
    cairn_entries back  = {0};

    FUZZ_CHECK(cairn_format_print(&s->env, s->format, &text) == CAIRN_OK, "print");
    FUZZ_CHECK(cairn_native_describe(s->local, text, 0, &head, &bytes) == CAIRN_OK,
               "%s", s->env.message);
    const int64_t length  = bytes + put_arrays(s->local, NULL);
    char         *segment = calloc((size_t)length, 1);

    memcpy(segment, head, (size_t)bytes);
    put_arrays(s->local, segment + bytes);
    s->env.memory_limit = 4 * MEMORY; /* a reader also holds what it reads from */
    const cairn_status status =
        native_entries(&s->env, segment, length, 256, &shape, &back, &format);

    FUZZ_CHECK(status == CAIRN_OK, "%s\n%s", s->env.message, s->text);
    FUZZ_CHECK(strcmp(format, text) == 0, "%s is not %s", format, text);
    compare(s, &back, "segment");
    cairn_entries_fini(&s->env, &back);
    cairn_free(&s->env, format);
    cairn_free(&s->env, head);
    cairn_free(&s->env, text);
    free(segment);
}

/// Store the entries, or the tensor @p from.
static cairn_status build(storage            *s,
                          const cairn_format *format,
                          const cairn_local  *from,
                          int                 value_bits,
                          cairn_local       **local)
{
    cairn_build b = {.format     = format,
                     .shape      = s->shape,
                     .entries    = from ? NULL : &s->entries,
                     .from       = from,
                     .value_bits = value_bits};

    for (int d = 0; d < s->shape.order; d++)
        b.box[d] = (cairn_interval){0, s->shape.extent[d] - 1};
    return cairn_local_build(&s->env, &b, local);
}

/// The same arrays, byte for byte.
static void compare_arrays(const storage *s, const cairn_local *a, const cairn_local *b)
{
    const int64_t length = put_arrays(a, NULL);
    char         *x = calloc((size_t)length + 1, 1), *y = calloc((size_t)length + 1, 1);

    FUZZ_CHECK(length == put_arrays(b, NULL), "converted: other lengths\n%s", s->text);
    put_arrays(a, x);
    put_arrays(b, y);
    FUZZ_CHECK(memcmp(x, y, (size_t)length) == 0, "converted: other arrays\n%s",
               s->text);
    free(x);
    free(y);
}

/// From the tensor to a second format, and there from the entries.
static void check_conversion(storage *s, int value_bits)
{
    cairn_local  *direct = NULL, *converted = NULL;
    cairn_format *format = NULL;
    char         *end    = s->text + strlen(s->text);

    *end++              = '\n'; /* both formats, for a message */
    s->env.memory_limit = MEMORY;
    random_format(NULL, s->shape.order, end, sizeof s->text - (size_t)(end - s->text));
    if (!fuzz_succeeded(&s->env,
                        cairn_format_parse(&s->env, NULL, end, "text", &format)))
        return;
    const cairn_status wanted = build(s, format, NULL, value_bits, &direct);
    const cairn_status got    = build(s, format, s->local, value_bits, &converted);

    if (wanted == CAIRN_OK && got == CAIRN_OK)
        compare_arrays(s, direct, converted);
    else /* there may be room for one way alone */
        FUZZ_CHECK(wanted == got || wanted == CAIRN_NO_MEMORY || got == CAIRN_NO_MEMORY,
                   "%d, converted %d: %s\n%s", wanted, got, s->env.message, s->text);
    cairn_local_destroy(&direct);
    cairn_local_destroy(&converted);
    cairn_format_destroy(&format);
}

/// What the bytes chose, for whoever looks into a failure: FUZZ_SHOW=1 fuzz_storage FILE
static void show(const storage *s)
{
    fprintf(stderr, "%s\nextents", s->text);
    for (int d = 0; d < s->shape.order; d++)
        fprintf(stderr, " %lld", (long long)s->shape.extent[d]);
    fprintf(stderr, "\nentries");
    for (cairn_pos k = 0; k < s->entries.n; k++) {
        fprintf(stderr, k ? ", " : ":");
        for (int d = 0; d < s->shape.order; d++)
            fprintf(stderr, " %lld", (long long)s->entries.coord[d][k]);
        fprintf(stderr, " = %g", s->entries.value[k]);
    }
    fprintf(stderr, "\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static storage s;

    memset(&s, 0, sizeof s);
    bytes.at  = data;
    bytes.end = data + size;
    fuzz_up(&s.env);
    s.env.memory_limit = MEMORY;
    draw_entries(&s);
    random_format(NULL, s.shape.order, s.text, RANDOM_FORMAT);
    if (getenv("FUZZ_SHOW")) show(&s);
    const int value_bits = random_chance(NULL, 30) ? 32 : 64;

    if (fuzz_succeeded(&s.env,
                       cairn_format_parse(&s.env, NULL, s.text, "text", &s.format))
        && fuzz_succeeded(&s.env, build(&s, s.format, NULL, value_bits, &s.local))) {
        check_walk(&s);
        check_native(&s);
        check_conversion(&s, value_bits);
        cairn_local_destroy(&s.local);
    }
    cairn_format_destroy(&s.format);
    cairn_entries_fini(&s.env, &s.entries);
    fuzz_down(&s.env);
    return 0;
}
