// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entry lines of Matrix Market files read by several threads. They never spin: where
/// other processes want the cores too, that costs more than it gains (measured: 140 ms
/// instead of 45, against 70 with one thread). Nor are they made for each chunk.

#include "io/matrix_market/io_mtx.h"

#include <string.h>

enum {
    MOST_SLICES = 64,
    MORE        = 16,      ///< Slices a thread: one that is late takes fewer.
    SLICE_BYTES = 1 << 16, ///< A slice of less is not worth a thread.
    BLOCK       = 16,      ///< Bytes that are looked at at once.
};

/// A thread's share.
typedef struct {
    const char      *begin, *end;
    int64_t          lines;   ///< Counted.
    cairn_text_range range;   ///< Its place in the file, and what was found.
    cairn_entries    entries; ///< A window of the arrays that are filled.
    cairn_status     status;
} slice;

/// What the smallest machine compares at once; longer ones are taken apart badly (gcc 12).
typedef uint8_t bytes16 __attribute__((vector_size(BLOCK)));

/// Newlines of @p blocks blocks. Bytes of a sum count to 255.
static int64_t count_newlines(const char *p, int64_t blocks)
{
    int64_t count = 0;

    while (blocks > 0) {
        const int64_t part = blocks < 255 ? blocks : 255;
        bytes16       sum  = {0}, block;

        for (int64_t k = 0; k < part; k++) {
            memcpy(&block, p + BLOCK * k, sizeof block);
            sum -= (bytes16)(block == '\n'); /* a true comparison is -1 */
        }
        for (int k = 0; k < BLOCK; k++)
            count += sum[k];
        p += BLOCK * part;
        blocks -= part;
    }
    return count;
}

int64_t cairn_mtx_line_count(const char *begin, const char *end)
{
    const int64_t blocks = (end - begin) / BLOCK;
    int64_t       count  = count_newlines(begin, blocks);

    for (const char *p = begin + BLOCK * blocks; p < end; p++)
        count += *p == '\n';
    return count + (begin < end && end[-1] != '\n');
}

/// Cut a range at line starts; slices may be empty.
static void cut(const char *begin, const char *end, int slices, slice *slice)
{
    const int64_t bytes = end - begin;

    for (int k = 0; k < slices; k++) {
        const char *const about = begin + bytes * (k + 1) / slices;
        const char       *from  = k ? slice[k - 1].end : begin;
        const char *const newline =
            about > from && k + 1 < slices
                ? memchr(about - 1, '\n', (size_t)(end - about + 1))
                : NULL;

        slice[k].begin = from;
        slice[k].end   = k + 1 == slices ? end
                         : about <= from ? from
                         : newline       ? newline + 1
                                         : end;
    }
}

/// Make room for two entries a line, or one; false when that could be more than the
/// memory limit.
static bool fits(const cairn_mtx_way *way, const cairn_entries *entries, int64_t more)
{
    return (__int128)(entries->n + more) * cairn_entry_bytes(entries->order)
           <= way->env->memory_limit;
}

/// Grow by half at least, so that many small ranges do not move the entries each time.
static cairn_status
reserve(const cairn_mtx_way *way, cairn_entries *entries, int64_t more)
{
    const cairn_pos need = entries->n + more, half = entries->n / 2 * 3;

    if (need <= entries->capacity) return CAIRN_OK;
    return cairn_entries_reserve(
        way->env, entries,
        half > need && fits(way, entries, half - entries->n) ? half : need);
}

/// Say where each slice stands in the file, and where its entries go.
static void place(const cairn_text_range *range,
                  const cairn_entries    *entries,
                  int                     each,
                  int                     slices,
                  slice                  *slice)
{
    const char *const begin = slice[0].begin;
    cairn_pos         at    = entries->n;
    int64_t           lines = 0;

    for (int k = 0; k < slices; k++) {
        slice[k].range = (cairn_text_range){
            .first_line = range->first_line ? range->first_line + lines : 0,
            .offset     = range->offset + (slice[k].begin - begin),
            .first      = range->first};
        slice[k].entries = (cairn_entries){
            .order    = 2,
            .capacity = slice[k].lines * each,
            .coord    = {entries->coord[0] + at, entries->coord[1] + at},
            .value    = entries->value + at
        };
        at += slice[k].lines * each;
        lines += slice[k].lines;
    }
}

static void count(const cairn_mtx_way *way, slice *slice)
{
    (void)way;
    slice->lines = cairn_mtx_line_count(slice->begin, slice->end);
}

/// The arrays are large enough, so that nothing is allocated; messages of slices that
/// fail at once would overwrite each other, and go nowhere.
static void parse(const cairn_mtx_way *way, slice *slice)
{
    cairn_env     quiet;
    cairn_mtx_way mine = *way;

    cairn_env_init(&quiet);
    mine.env      = &quiet;
    slice->status = cairn_mtx_read_lines(&mine, slice->begin, slice->end, &slice->range,
                                         &slice->entries);
    cairn_env_fini(&quiet);
}

/// What the threads do with every slice.
typedef void (*slice_fn)(const cairn_mtx_way *way, slice *slice);

typedef struct {
    const cairn_mtx_way *way;
    slice_fn             run;
    slice               *slice;
} work;

static void run_slice(void *given, int number)
{
    const work *const w = given;

    w->run(w->way, &w->slice[number]);
}

/// Have all slices done.
static void run_slices(const cairn_mtx_way *way, slice_fn run, int slices, slice *slice)
{
    work w = {.way = way, .run = run, .slice = slice};

    cairn_thread_pool_run(&way->env->thread_pool, way->threads, run_slice, &w, slices);
}

static void close_gap(cairn_entries *entries, const cairn_entries *window)
{
    const size_t bytes = (size_t)window->n * sizeof *window->value;

    if (window->n && window->value != entries->value + entries->n) {
        for (int k = 0; k < 2; k++)
            memmove(entries->coord[k] + entries->n, window->coord[k], bytes);
        memmove(entries->value + entries->n, window->value, bytes);
    }
    entries->n += window->n;
}

/// Put the entries side by side; false when a slice failed or there are too many.
static bool join(const cairn_mtx_way *way,
                 int                  slices,
                 const slice         *slice,
                 cairn_text_range    *range,
                 cairn_entries       *entries)
{
    cairn_pos found = 0;
    int64_t   lines = 0;

    for (int k = 0; k < slices; k++) {
        if (slice[k].status != CAIRN_OK) return false;
        found += slice[k].range.found;
        lines += slice[k].range.lines;
    }
    if (found > way->header->entries - range->first) return false;
    for (int k = 0; k < slices; k++)
        close_gap(entries, &slice[k].entries);
    range->found = found;
    range->lines = lines;
    return true;
}

cairn_status cairn_mtx_read_slices(const cairn_mtx_way *way,
                                   int                  slices,
                                   const char          *begin,
                                   const char          *end,
                                   cairn_text_range    *range,
                                   cairn_entries       *entries)
{
    const int each = way->header->symmetry == CAIRN_SYM_GENERAL ? 1 : 2;
    slice     part[MOST_SLICES];
    int64_t   lines = 0;

    if (slices > MOST_SLICES) slices = MOST_SLICES;
    if (slices < 2 || way->header->array)
        return cairn_mtx_read_lines(way, begin, end, range, entries);
    cut(begin, end, slices, part);
    run_slices(way, count, slices, part);
    for (int k = 0; k < slices; k++)
        lines += part[k].lines;
    if (!fits(way, entries, lines * each))
        return cairn_mtx_read_lines(way, begin, end, range, entries);
    CAIRN_TRY(reserve(way, entries, lines * each));
    place(range, entries, each, slices, part);
    run_slices(way, parse, slices, part);
    if (join(way, slices, part, range, entries)) return CAIRN_OK;
    return cairn_mtx_read_lines(way, begin, end, range, entries);
}

cairn_status cairn_mtx_read_entries(cairn_env              *env,
                                    const char             *name,
                                    const cairn_mtx_header *header,
                                    const char             *begin,
                                    const char             *end,
                                    cairn_text_range       *range,
                                    cairn_entries          *entries)
{
    const cairn_mtx_way way  = {.env     = env,
                                .name    = name,
                                .header  = header,
                                .scanner = cairn_scanner_best(),
                                .threads = env->options.threads};
    const int64_t       most = (end - begin) / SLICE_BYTES,
                  wanted     = MORE * (int64_t)way.threads;

    return cairn_mtx_read_slices(
        &way, way.threads < 2 ? 1 : (int)(wanted < most ? wanted : most), begin, end,
        range, entries);
}
