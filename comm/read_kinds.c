// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The kinds of files: Matrix Market, Harwell-Boeing, FROSTT.

#include "comm/read_internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

static bool ends_with(const char *path, size_t length, const char *ending)
{
    const size_t n = strlen(ending);

    return length > n && strncasecmp(path + length - n, ending, n) == 0;
}

/// Sum of the entry lines of all ranks.
static cairn_status total_found(cairn_file_reading *r, int64_t *total)
{
    *total = r->found;
    return r->comm->ops->allreduce(r->comm, total, 1, CAIRN_SUM);
}

static bool mtx_probe(const char *begin, const char *end)
{
    return end - begin >= 14 && memcmp(begin, "%%MatrixMarket", 14) == 0;
}

static bool mtx_named(const char *path, size_t length)
{
    return ends_with(path, length, ".mtx");
}

static cairn_status
mtx_header(cairn_file_reading *r, const char *begin, const char *end, bool *more)
{
    cairn_mtx_header *const mtx = &r->head.mtx;

    CAIRN_TRY(cairn_mtx_read_header(r->comm->env, r->path, begin, end, r->stream.ended,
                                    mtx, more));
    if (*more) return CAIRN_OK;
    r->head.order    = 2;
    r->head.bytes    = mtx->bytes;
    r->head.lines    = mtx->lines;
    r->head.declared = mtx->entries;
    r->head.numbered = mtx->array;
    return CAIRN_OK;
}

static cairn_status mtx_lines(cairn_file_reading *r,
                              const char         *begin,
                              const char         *end,
                              cairn_text_range   *place)
{
    return cairn_mtx_read_entries(r->comm->env, r->path, &r->head.mtx, begin, end,
                                  place, &r->entries);
}

/// Every declared entry must have been there. (Too many were refused where they stood.)
static cairn_status mtx_finish(cairn_file_reading *r, cairn_text_file *source)
{
    const cairn_mtx_header *mtx = &r->head.mtx;
    int64_t                 total;

    CAIRN_TRY(total_found(r, &total));
    CAIRN_CHECK(total == mtx->entries, r->comm->env, CAIRN_BAD_FILE,
                "read: %s: end of file: the size line declares %" PRId64
                " entries, but the file has %" PRId64,
                r->path, mtx->entries, total);
    source->shape = (cairn_shape){
        .order = 2, .extent = {mtx->rows, mtx->cols}
    };
    memcpy(source->field, mtx->field_word, sizeof source->field);
    memcpy(source->symmetry, mtx->symmetry_word, sizeof source->symmetry);
    return CAIRN_OK;
}

/// Endings as the collections have them: .rua, .psa, ..., by their matrix type.
static bool hb_named(const char *path, size_t length)
{
    if (ends_with(path, length, ".hb") || ends_with(path, length, ".rb")) return true;
    if (length < 5 || path[length - 4] != '.') return false;

    const int type[3] = {tolower((unsigned char)path[length - 3]),
                         tolower((unsigned char)path[length - 2]),
                         tolower((unsigned char)path[length - 1])};

    return type[0] && strchr("rcpi", type[0]) && type[1] && strchr("ushzr", type[1])
           && type[2] && strchr("ae", type[2]);
}

static cairn_status
hb_header(cairn_file_reading *r, const char *begin, const char *end, bool *more)
{
    cairn_hb_header *const hb = &r->head.hb;

    CAIRN_TRY(cairn_hb_read_header(r->comm->env, r->path, begin, end, r->stream.ended,
                                   hb, more));
    if (*more) return CAIRN_OK;
    r->head.order    = 2;
    r->head.bytes    = hb->bytes;
    r->head.lines    = hb->lines;
    r->head.declared = INT64_MAX; /* of lines: right-hand sides may be any */
    r->head.numbered = true;
    return CAIRN_OK;
}

static cairn_status hb_lines(cairn_file_reading *r,
                             const char         *begin,
                             const char         *end,
                             cairn_text_range   *place)
{
    return cairn_hb_read_cards(r->comm->env, r->path, &r->head.hb, begin, end, place,
                               &r->cards);
}

static cairn_status hb_finish(cairn_file_reading *r, cairn_text_file *source)
{
    const cairn_hb_header *hb = &r->head.hb;
    int64_t                lines;

    CAIRN_TRY(total_found(r, &lines));
    CAIRN_TRY(cairn_hb_check_pointers_of_all(r));
    CAIRN_TRY(cairn_hb_check_end(r->comm->env, r->path, hb, lines));
    CAIRN_TRY(cairn_hb_join_cards(r));
    source->shape = (cairn_shape){
        .order = 2, .extent = {hb->rows, hb->cols}
    };
    memcpy(source->field, hb->field_word, sizeof source->field);
    memcpy(source->symmetry, hb->symmetry_word, sizeof source->symmetry);
    return CAIRN_OK;
}

/// Nothing marks the content of a tensor file: its name alone tells it from a list of
/// anything else.
static bool tns_named(const char *path, size_t length)
{
    return ends_with(path, length, ".tns");
}

static cairn_status
tns_header(cairn_file_reading *r, const char *begin, const char *end, bool *more)
{
    cairn_tns_header *const tns = &r->head.tns;

    CAIRN_TRY(cairn_tns_read_header(r->comm->env, r->path, begin, end, r->stream.ended,
                                    tns, more));
    if (*more) return CAIRN_OK;
    r->head.order    = tns->order;
    r->head.bytes    = tns->bytes;
    r->head.lines    = tns->lines;
    r->head.declared = INT64_MAX;
    return CAIRN_OK;
}

static cairn_status tns_lines(cairn_file_reading *r,
                              const char         *begin,
                              const char         *end,
                              cairn_text_range   *place)
{
    return cairn_tns_read_entries(r->comm->env, r->path, &r->head.tns, begin, end,
                                  place, r->extent, &r->entries);
}

static cairn_status tns_finish(cairn_file_reading *r, cairn_text_file *source)
{
    const int order = r->head.tns.order;

    CAIRN_TRY(r->comm->ops->allreduce(r->comm, r->extent, order, CAIRN_MAX));
    source->shape.order = order;
    memcpy(source->shape.extent, r->extent, sizeof r->extent);
    strcpy(source->field, "real");
    strcpy(source->symmetry, "general");
    return CAIRN_OK;
}

const cairn_file_kind cairn_file_kinds[] = {
    {.name        = "Matrix Market",
     .comment     = '%',
     .probe       = mtx_probe,
     .named       = mtx_named,
     .read_header = mtx_header,
     .read_lines  = mtx_lines,
     .finish      = mtx_finish},
    {.name        = "Harwell-Boeing",
     .probe       = cairn_hb_probe,
     .named       = hb_named,
     .read_header = hb_header,
     .read_lines  = hb_lines,
     .finish      = hb_finish},
    {.name        = "FROSTT",
     .comment     = '#',
     .named       = tns_named,
     .read_header = tns_header,
     .read_lines  = tns_lines,
     .finish      = tns_finish},
    {.name = NULL     },
};

int cairn_file_kind_of(const char *path, const char *begin, const char *end)
{
    const size_t n      = strlen(path);
    const size_t length = n - (ends_with(path, n, ".gz") ? 3 : 0);

    for (int k = 0; cairn_file_kinds[k].name; k++)
        if (cairn_file_kinds[k].probe && cairn_file_kinds[k].probe(begin, end))
            return k;
    for (int k = 0; cairn_file_kinds[k].name; k++)
        if (cairn_file_kinds[k].named(path, length)) return k;
    return -1;
}
