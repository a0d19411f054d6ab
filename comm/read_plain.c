// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A plain file read by all ranks: every rank parses the lines that start in its share
/// of the bytes. Line numbers are not known to the later ranks; counting them would
/// read everything twice, so it is done only for array files (whose positions depend on
/// it) and to give the right message once something is wrong.

#include "comm/read_internal.h"

/// Cut the bytes behind the header into equal shares, at line starts. Both neighbours
/// find the same cut.
static cairn_status take_share(cairn_file_reading *r)
{
    const int64_t begin = (int64_t)r->head.bytes, bytes = r->stream.size - begin;
    const int64_t rank = r->comm->rank, size = r->comm->size;
    int64_t       from, to;

    CAIRN_TRY(cairn_stream_line_start(
        &r->stream, begin, begin + (int64_t)((__int128)bytes * rank / size), &from));
    CAIRN_TRY(cairn_stream_line_start(
        &r->stream, begin, begin + (int64_t)((__int128)bytes * (rank + 1) / size),
        &to));
    if (rank + 1 == size) to = r->stream.size;
    cairn_stream_set_range(&r->stream, from, to);
    return CAIRN_OK;
}

/// Entries of this rank's share, if its lines are as long as the file's are on average by
/// what the header says.
static double said_entries(const cairn_file_reading *r, int64_t from)
{
    const double bytes = (double)(r->stream.size - (int64_t)r->head.bytes);
    const double each  = r->found > 0 ? (double)r->entries.n / (double)r->found : 1;

    return each * (double)r->head.declared * ((double)(r->stream.to - from) / bytes);
}

/// Make room for what the rest will hold if it is like what was read. The file's bytes
/// are the bound, not its header; but where that says less it is believed until most of
/// what it says has come, for the first lines of a file are often the shortest. Some more,
/// so that entries that get a little shorter do not have all of them moved for every chunk.
static cairn_status reserve_rest(cairn_file_reading *r, int64_t from)
{
    const int64_t done = r->stream.offset - from,
                  left = r->stream.to - r->stream.offset;

    if (done <= 0 || left <= 0) return CAIRN_OK;

    const double n     = (double)r->entries.n;
    const double alike = n / (double)done * (double)left, said = said_entries(r, from);
    double       all = n + alike, want = n + 1.05 * alike;

    if (said < all && n < 0.9 * said) {
        all  = said;
        want = r->comm->size == 1 && r->entries.n == r->found ? said : 1.05 * said;
    }
    const double most =
        (double)(r->comm->env->memory_limit / cairn_entry_bytes(r->entries.order));

    if (all <= (double)r->entries.capacity) return CAIRN_OK;
    /* Near the limit the estimate must not refuse what would fit. */
    return cairn_entries_reserve(r->comm->env, &r->entries,
                                 (cairn_pos)(want < most ? want : most));
}

static cairn_status parse_share(cairn_file_reading *r, cairn_text_range place)
{
    const int64_t from = r->stream.at, to = r->stream.to;
    const char   *begin, *end;

    place.offset = from;
    r->entries.n = r->found = 0;
    do {
        CAIRN_TRY(cairn_stream_lines(&r->stream, &begin, &end));
        CAIRN_TRY(cairn_read_lines(r, begin, end, &place));
        CAIRN_TRY(reserve_rest(r, from));
        cairn_progress(r->comm->env, "read",
                       (double)(r->stream.offset - from) / (double)(to - from + 1));
    } while (begin < end);
    return CAIRN_OK;
}

/// Count the lines of the share.
static cairn_status
count_share(cairn_file_reading *r, int64_t *lines, cairn_pos *entries)
{
    const char *begin, *end;

    *lines = *entries = 0;
    do {
        int64_t   more_lines;
        cairn_pos more_entries;

        CAIRN_TRY(cairn_stream_lines(&r->stream, &begin, &end));
        cairn_count_lines(begin, end, r->kind->comment, &more_lines, &more_entries);
        *lines += more_lines;
        *entries += more_entries;
    } while (begin < end);
    return CAIRN_OK;
}

/// Find out which line and which entry the share begins with.
static cairn_status locate_share(cairn_file_reading *r, cairn_text_range *place)
{
    int64_t   lines, before;
    cairn_pos entries;

    CAIRN_TRY(cairn_comm_agree(r->comm, take_share(r)));
    CAIRN_TRY(cairn_comm_agree(r->comm, count_share(r, &lines, &entries)));
    CAIRN_TRY(cairn_comm_exscan(r->comm, lines, &before));
    CAIRN_TRY(cairn_comm_exscan(r->comm, entries, &place->first));
    place->first_line = r->head.lines + 1 + before;
    return CAIRN_OK;
}

static cairn_status
read_once(cairn_file_reading *r, const cairn_text_range *place, bool *wrong)
{
    int64_t total;

    CAIRN_TRY(cairn_comm_agree(r->comm, take_share(r)));

    const cairn_status status = cairn_comm_agree(r->comm, parse_share(r, *place));

    *wrong = status == CAIRN_BAD_FILE;
    if (status != CAIRN_OK) return status;
    total = r->found;
    CAIRN_TRY(r->comm->ops->allreduce(r->comm, &total, 1, CAIRN_SUM));
    *wrong = total > r->head.declared;
    return CAIRN_OK;
}

cairn_status cairn_read_plain(cairn_file_reading *reading)
{
    cairn_file_reading *const r     = reading;
    cairn_text_range          place = {.first_line = 0};
    bool                      known = r->comm->size == 1, wrong = false;

    if (known)
        place.first_line = r->head.lines + 1;
    else if (r->head.numbered) {
        CAIRN_TRY(locate_share(r, &place));
        known = true;
    }

    const cairn_status status = read_once(r, &place, &wrong);

    if (known || !wrong) return status;
    CAIRN_TRY(locate_share(r, &place));
    return read_once(r, &place, &wrong);
}
