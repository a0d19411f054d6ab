// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A segment of a native file back into entries and the text of its format.

#ifndef CAIRN_TESTS_NATIVE_ENTRIES_H
#define CAIRN_TESTS_NATIVE_ENTRIES_H

#include "format/language.h"
#include "io/native/io_native_segment.h"
#include "tensor/walk.h"

#include <string.h>

/// All entries of a segment that is read whole, and its text.
static inline cairn_status
native_load(cairn_native_segment *segment, cairn_entries *entries, char **text)
{
    cairn_local  *tensor = NULL;
    cairn_format *format = NULL;
    cairn_status  status = cairn_native_load(segment, &tensor, &format);

    if (status == CAIRN_OK) status = cairn_local_entries(tensor, entries);
    if (status == CAIRN_OK) status = cairn_format_print(segment->env, format, text);
    cairn_local_destroy(&tensor);
    cairn_format_destroy(&format);
    return status;
}

/// The same, one by one?
static inline bool native_same(const cairn_entries *a, const cairn_entries *b)
{
    const size_t bytes = (size_t)a->n * 8;
    bool same = a->n == b->n && (bytes == 0 || !memcmp(a->value, b->value, bytes));

    for (int k = 0; k < a->order && same && bytes > 0; k++)
        same = !memcmp(a->coord[k], b->coord[k], bytes);
    return same;
}

/// Read by windows of @p room bytes, and hold that to what is read whole.
///
/// @param[out] entries  Initialised; freed by the caller, as @p text is.
static inline cairn_status native_entries(cairn_env     *env,
                                          const char    *begin,
                                          int64_t        length,
                                          int64_t        room,
                                          cairn_shape   *shape,
                                          cairn_entries *entries,
                                          char         **text)
{
    const cairn_native_bytes bytes = {
        .name = "segment", .memory = begin, .length = length};
    cairn_native_segment segment;
    cairn_native_tally   tally;
    cairn_entries        whole;

    CAIRN_TRY(cairn_native_segment_open(env, &bytes, &segment));
    *shape = segment.tensor->shape;
    cairn_entries_init(entries, shape->order);
    cairn_entries_init(&whole, shape->order);
    cairn_status status =
        cairn_native_read_entries(&segment, 0, segment.values, room, entries, &tally);

    if (status == CAIRN_OK) status = native_load(&segment, &whole, text);
    if (status == CAIRN_OK && !native_same(&whole, entries))
        status = cairn_fail(env, CAIRN_BAD_FILE, "windows of %lld bytes: other entries",
                            (long long)room);
    cairn_entries_fini(env, &whole);
    cairn_native_segment_close(&segment);
    return status;
}

#endif
