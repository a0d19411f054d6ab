// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a rank reads of a native file: the entries of its share of all values, its own
/// segment, or its rows.

#include "comm/collective.h"
#include "comm/distribute.h"
#include "comm/native.h"
#include "format/language.h"

#include <inttypes.h>
#include <string.h>

enum { WINDOW = 4 << 20 }; ///< Bytes of arrays that are in memory at a time.

/* ---- what several ranks read of one part ---- */

/// A part of which a rank has seen not all.
typedef struct {
    int64_t            segment;
    cairn_native_split split;
} seen_part;

typedef struct {
    int64_t    n, room;
    seen_part *part; ///< [n] in the order of the file.
} seen_parts;

static cairn_status
note_split(cairn_env *env, seen_parts *seen, int64_t segment, cairn_native_split split)
{
    if (seen->n == seen->room) {
        const int64_t room = 2 * seen->room + 4;

        CAIRN_TRY(cairn_realloc(env, room, sizeof *seen->part, (void **)&seen->part));
        seen->room = room;
    }
    seen->part[seen->n++] = (seen_part){segment, split};
    return CAIRN_OK;
}

/// Do what ranks found of a part add up to what it says?
static bool adds_up(const cairn_native_split *split, cairn_pos found)
{
    return found == split->nnz || (found < split->nnz && split->nnz <= split->values);
}

static bool same_part(const seen_part *a, const seen_part *b)
{
    return a->segment == b->segment && a->split.part == b->split.part;
}

/// Collective: all ranks come to one verdict.
static cairn_status check_seen(const cairn_native_file *f, const seen_parts *seen)
{
    seen_part *all = NULL;
    int64_t    n;
    bool       right = true;

    CAIRN_TRY(cairn_comm_gather(f->comm, seen->part, seen->n, sizeof *all,
                                (void **)&all, &n));
    for (int64_t k = 0; k < n; k++) {
        cairn_pos found = 0;
        bool      first = true;

        /* Slices have a part for each member, so that those of one part may stand apart. */
        for (int64_t j = 0; j < n; j++) {
            if (!same_part(&all[j], &all[k])) continue;
            first &= j >= k;
            found += all[j].split.found;
        }
        if (first) right &= adds_up(&all[k].split, found);
    }
    cairn_free(f->comm->env, all);
    CAIRN_CHECK(right, f->comm->env, CAIRN_BAD_FILE,
                "read: %s: a part does not hold as many entries as it says", f->path);
    return CAIRN_OK;
}

/* ---- entries ---- */

static cairn_status read_values(const cairn_native_file *f,
                                int64_t                  s,
                                cairn_pos                first,
                                cairn_pos                end,
                                cairn_entries           *entries,
                                seen_parts              *seen)
{
    const cairn_pos      before = entries->n;
    cairn_native_segment segment;
    cairn_native_tally   tally;

    CAIRN_TRY(cairn_native_file_segment(f, s, &segment));
    cairn_status status =
        cairn_native_read_entries(&segment, first, end, WINDOW, entries, &tally);

    for (int k = 0; k < tally.splits && status == CAIRN_OK; k++)
        status = note_split(f->comm->env, seen, s, tally.split[k]);
    if (status == CAIRN_OK) status = cairn_native_check_columns(f, s, entries, before);
    cairn_native_segment_close(&segment);
    return status;
}

/// Read an equal share of the values of all segments. One that has none is read all the
/// same, by one rank, since its arrays may be wrong.
static cairn_status
read_share(const cairn_native_file *f, cairn_entries *entries, seen_parts *seen)
{
    const int rank = f->comm->rank, size = f->comm->size;
    cairn_pos all = 0, begin = 0;

    for (int64_t s = 0; s < f->segments; s++)
        all = cairn_count_plus(all, f->fact[s].values);
    const cairn_pos low  = (cairn_pos)((__int128)all * rank / size);
    const cairn_pos high = (cairn_pos)((__int128)all * (rank + 1) / size);

    for (int64_t s = 0; s < f->segments; s++) {
        const cairn_pos values = f->fact[s].values;
        const cairn_pos first  = low > begin ? low - begin : 0;
        const cairn_pos end    = high - begin < values ? high - begin : values;

        if (values > 0 ? first < end : s % size == rank)
            CAIRN_TRY(read_values(f, s, values > 0 ? first : 0, values > 0 ? end : 0,
                                  entries, seen));
        begin = cairn_count_plus(begin, values);
    }
    return CAIRN_OK;
}

cairn_status cairn_native_read_file(cairn_comm    *comm,
                                    const char    *path,
                                    cairn_shape   *shape,
                                    cairn_entries *entries,
                                    char         **text)
{
    cairn_native_file file;
    cairn_entries     fresh;
    seen_parts        seen = {.n = 0};

    CAIRN_TRY(cairn_native_file_open(comm, path, &file));
    cairn_entries_init(&fresh, file.fact[0].shape.order);
    cairn_status status = cairn_comm_agree(comm, read_share(&file, &fresh, &seen));

    if (status == CAIRN_OK) status = cairn_comm_agree(comm, check_seen(&file, &seen));
    if (status == CAIRN_OK && file.fact[0].places)
        status = cairn_native_undo_places(&file, &fresh);
    if (status == CAIRN_OK && text) status = cairn_native_file_text(&file, text);
    if (status == CAIRN_OK) {
        *shape   = cairn_native_file_shape(&file);
        *entries = fresh;
    } else {
        cairn_entries_fini(comm->env, &fresh);
    }
    cairn_free(comm->env, seen.part);
    cairn_native_file_close(&file);
    return status;
}

/* ---- a rank's own segment ---- */

cairn_status
cairn_native_take_own(cairn_native_file *f, cairn_local **tensor, cairn_format **format)
{
    *tensor = NULL;
    if (f->segments != f->comm->size || f->fact[0].members) return CAIRN_OK;
    CAIRN_TRY(cairn_native_load(&f->own[0], tensor, format));
    const cairn_status status = cairn_native_check_own_columns(f, *tensor);

    if (status != CAIRN_OK) {
        cairn_local_destroy(tensor);
        cairn_format_destroy(format);
    }
    return status;
}

/* ---- rows ---- */

/// Values before a row, by the segments that this rank has described.
typedef struct {
    const cairn_native_file *file;
    cairn_status             status; ///< Of reading the file.
} value_counter;

static int64_t values_before(const void *user, cairn_coord row)
{
    value_counter *counter = (value_counter *)user;
    int64_t        sum     = 0;

    for (int64_t k = 0; k < counter->file->owns; k++) {
        const cairn_native_segment *segment = &counter->file->own[k];
        const cairn_interval        rows    = segment->tensor->box[0];
        cairn_pos                   values  = 0;

        if (row > rows.hi)
            values = segment->values;
        else if (row > rows.lo && counter->status == CAIRN_OK)
            counter->status = cairn_native_values_before(segment, row, &values);
        sum += values;
    }
    return sum;
}

/// Cut the rows so that each rank has about as many values.
static cairn_status
cut_rows(const cairn_native_file *f, cairn_coord grain, cairn_rows *rows)
{
    value_counter    counter = {.file = f};
    cairn_row_counts counts  = {
         .before = values_before,
         .user   = &counter,
    };

    for (int64_t k = 0; k < f->owns; k++)
        counts.entries += f->own[k].values;
    CAIRN_TRY(cairn_rows_by_counts(f->comm, &counts, f->fact[0].shape.extent[0], grain,
                                   NULL, rows));
    const cairn_status status = cairn_comm_agree(f->comm, counter.status);

    if (status != CAIRN_OK) cairn_rows_fini(f->comm->env, rows);
    return status;
}

/// Make room for as many slices.
static cairn_status
make_room(const cairn_native_file *f, int64_t most, cairn_native_slices *slices)
{
    CAIRN_TRY(CAIRN_NEW_ZERO(f->comm->env, most, &slices->tensor));
    return CAIRN_NEW_ZERO(f->comm->env, most, &slices->format);
}

/// Segments of which this rank has rows, their descriptions.
typedef struct {
    int64_t               first, count;
    cairn_native_segment *segment; ///< [count]
    cairn_interval        rows;    ///< Of this rank.
} own_segments;

static void own_segments_fini(cairn_env *env, own_segments *own)
{
    for (int64_t k = 0; k < own->count; k++)
        cairn_native_segment_close(&own->segment[k]);
    cairn_free(env, own->segment);
}

static cairn_interval common(cairn_interval a, cairn_interval b)
{
    return (cairn_interval){a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

static cairn_status open_own(const cairn_native_file *f, own_segments *own)
{
    int64_t end = 0;

    for (int64_t s = f->segments; s-- > 0;)
        if (cairn_interval_size(common(f->fact[s].rows, own->rows)) > 0) {
            own->first = s;
            if (end == 0) end = s + 1;
        }
    CAIRN_TRY(CAIRN_NEW_ZERO(f->comm->env, end - own->first, &own->segment));
    for (; own->first + own->count < end; own->count++)
        CAIRN_TRY(cairn_native_file_segment(f, own->first + own->count,
                                            &own->segment[own->count]));
    return CAIRN_OK;
}

/// Hold what was found of one segment's parts against what it says, or note it.
static cairn_status note_found(const cairn_native_file    *f,
                               int64_t                     s,
                               const cairn_native_segment *segment,
                               bool                        whole,
                               const cairn_native_split   *split,
                               seen_parts                 *seen)
{
    for (int m = 0; m < segment->tensor->groups; m++) {
        if (!whole)
            CAIRN_TRY(note_split(f->comm->env, seen, s, split[m]));
        else if (!adds_up(&split[m], split[m].found))
            return cairn_native_broken(
                segment, "a part does not hold as many entries as it says");
    }
    return CAIRN_OK;
}

/// Read the rows of @p count segments from number @p k of the own ones on as one slice.
static cairn_status take_slice(const cairn_native_file *f,
                               own_segments            *own,
                               int64_t                  k,
                               int64_t                  count,
                               cairn_native_slices     *slices,
                               seen_parts              *seen)
{
    const int64_t               s   = own->first + k;
    cairn_native_segment *const its = &own->segment[k];
    const cairn_interval all   = {f->fact[s].rows.lo, f->fact[s + count - 1].rows.hi};
    cairn_local         *slice = NULL;
    cairn_native_split  *split;

    CAIRN_TRY(CAIRN_NEW(f->comm->env, count * CAIRN_MAX_MEMBERS, &split));
    cairn_status status =
        cairn_native_load_rows(its, count, common(all, own->rows), &slice, split);

    for (int64_t j = 0; j < count && status == CAIRN_OK && slice; j++) {
        const cairn_interval rows = f->fact[s + j].rows;

        status = note_found(f, s + j, &its[j],
                            cairn_interval_size(common(rows, own->rows))
                                == cairn_interval_size(rows),
                            split + j * CAIRN_MAX_MEMBERS, seen);
    }
    cairn_free(f->comm->env, split);
    slices->taken = slice != NULL;
    if (!slice) return status;
    slices->tensor[slices->count]   = slice;
    slices->format[slices->count++] = its->format;
    its->format                     = NULL;
    return status;
}

static cairn_status take_own_rows(const cairn_native_file *f,
                                  own_segments            *own,
                                  cairn_native_slices     *slices,
                                  seen_parts              *seen)
{
    CAIRN_TRY(open_own(f, own));
    CAIRN_TRY(make_room(f, own->count, slices));
    for (int64_t k = 0, count; k < own->count && slices->taken; k += count) {
        /* Segments without rows are no slices. */
        count = 1;
        if (cairn_interval_size(f->fact[own->first + k].rows) == 0) continue;
        while (k + count < own->count
               && cairn_interval_size(f->fact[own->first + k + count].rows) > 0
               && cairn_native_rows_join(&own->segment[k + count - 1],
                                         &own->segment[k + count]))
            count++;
        CAIRN_TRY(take_slice(f, own, k, count, slices, seen));
    }
    return CAIRN_OK;
}

static cairn_status take_rows(const cairn_native_file *f,
                              const cairn_rows        *rows,
                              cairn_native_slices     *slices,
                              seen_parts              *seen)
{
    own_segments own = {
        .rows = {rows->first[f->comm->rank], rows->first[f->comm->rank + 1] - 1}
    };
    const cairn_status status = take_own_rows(f, &own, slices, seen);

    own_segments_fini(f->comm->env, &own);
    return status;
}

static cairn_status
slice_rows(const cairn_native_file *f, cairn_coord grain, cairn_native_slices *slices)
{
    cairn_comm  *comm = f->comm;
    cairn_rows   rows = {.size = 0};
    seen_parts   seen = {.n = 0};
    int64_t      taken;
    cairn_status status;

    CAIRN_TRY(cut_rows(f, grain, &rows));
    slices->taken = true;
    CAIRN_GO(done, cairn_comm_agree(comm, take_rows(f, &rows, slices, &seen)));
    taken = slices->taken;
    CAIRN_GO(done, comm->ops->allreduce(comm, &taken, 1, CAIRN_MIN));
    if (taken)
        status = cairn_comm_agree(comm, check_seen(f, &seen));
    else
        cairn_native_slices_fini(comm->env, slices);
done:
    cairn_free(comm->env, seen.part);
    cairn_rows_fini(comm->env, &rows);
    return status;
}

/// Read whole segments that follow each other.
static cairn_status take_segments(const cairn_native_file *f,
                                  cairn_native_slices     *slices)
{
    const int64_t each = f->segments / f->comm->size;

    CAIRN_TRY(make_room(f, each, slices));
    for (int64_t k = 0; k < each; k++) {
        cairn_native_segment segment;

        CAIRN_TRY(cairn_native_file_segment(f, f->comm->rank * each + k, &segment));
        const cairn_status status =
            cairn_native_load(&segment, &slices->tensor[k], &slices->format[k]);

        slices->count += status == CAIRN_OK;
        cairn_native_segment_close(&segment);
        CAIRN_TRY(status);
    }
    return CAIRN_OK;
}

cairn_status cairn_native_take_slices(const cairn_native_file *f,
                                      cairn_coord              grain,
                                      cairn_native_slices     *slices)
{
    bool divides = true;

    *slices = (cairn_native_slices){.taken = false};
    for (int64_t s = 0; s < f->segments; s++)
        divides &= f->fact[s].divides;
    if (divides) CAIRN_TRY(slice_rows(f, grain, slices));
    if (slices->taken || f->segments % f->comm->size != 0) return CAIRN_OK;
    slices->taken = true;
    return cairn_comm_agree(f->comm, take_segments(f, slices));
}

void cairn_native_slices_fini(cairn_env *env, cairn_native_slices *slices)
{
    for (int64_t k = 0; k < slices->count; k++) {
        cairn_local_destroy(&slices->tensor[k]);
        cairn_format_destroy(&slices->format[k]);
    }
    cairn_free(env, slices->tensor);
    cairn_free(env, slices->format);
    *slices = (cairn_native_slices){.taken = false};
}
