// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows cut where they begin, or cease, to read what other ranks own.

#include "plan/row_pieces.h"

#include "base/bits.h"
#include "tensor/walk.h"

#include <string.h>

enum {
    INTERIORS = 4,  ///< Stretches of owned rows, at most; others stand between them.
    STRETCHES = 16, ///< What they are cut into further, at most,
    FEW       = 4,  ///< and at least, unless
    PIECES    = 3 * INTERIORS + 1 + STRETCHES,
    LEAST     = 16, ///< A stretch has one of so many rows at least: each piece is a
                    ///< launch more.
    NEAR = 64       ///< Needed columns with fewer between them are copied together.
};

/* Bytes of a stretch: some 100 us at 10 GB/s; and the least, some 25 us: below 20 us the
   look at the messages costs more than it gains, on one node 0.2 to 0.7 us. */
static const int64_t stretch_bytes = 1 << 20, least_bytes = 1 << 18;

/// A bit for each of some rows, or columns.
typedef struct {
    cairn_interval of;
    uint64_t      *word;
} bits;

static cairn_status make_bits(cairn_env *env, cairn_interval of, bits *b)
{
    b->of = of;
    return CAIRN_NEW_ZERO(env, cairn_bits_words(of.hi - of.lo + 1), &b->word);
}

static void set_bit(const bits *b, cairn_coord k)
{
    cairn_bits_set(b->word, k - b->of.lo);
}

/// The first that is set from @p k on, or the place behind the last of all.
static cairn_coord next_bit(const bits *b, cairn_coord k)
{
    return b->of.lo + cairn_bits_next(b->word, k - b->of.lo, b->of.hi - b->of.lo + 1);
}

/* ---- which rows, and which columns ---- */

/// A walk that notes rows with columns of others, or the owned columns of rows.
typedef struct {
    cairn_interval             rows, owned;
    bits                       foreign; ///< Rows; or without words
    bits                       needed;  ///< columns;
    const cairn_row_pieces_of *of;
    bool *from; ///< and the ranks that send others' columns, or NULL.
} look;

static bool holds(cairn_interval range, cairn_coord k)
{
    return k >= range.lo && k <= range.hi;
}

/// Note whose column @p j of another rank is; padding names columns that none sends.
static void note_source(const look *l, cairn_coord j)
{
    const cairn_x_rows *x = &l->of->x;
    const cairn_pos     g = cairn_x_rows_ghost(x, j);

    if (g == x->ghosts || x->ghost[g] != j) return;
    for (int k = 0; k < cairn_halo_sources(l->of->halo); k++) {
        const cairn_halo_source source = cairn_halo_source_at(l->of->halo, k);

        if (g >= source.first && g < source.end) l->from[k] = true;
    }
}

static cairn_status see(void *user, const cairn_part *part, const cairn_batch *batch)
{
    const look *l = user;

    (void)part;
    for (int k = 0; k < batch->n; k++) {
        const cairn_coord row = batch->coord[0][k], column = batch->coord[1][k];
        const bool        own = holds(l->owned, column);

        if (!holds(l->rows, row)) continue;
        if (!own && l->foreign.word) set_bit(&l->foreign, row);
        if (own && l->needed.word) set_bit(&l->needed, column);
        if (!own && l->from) note_source(l, column);
    }
    return CAIRN_OK;
}

/// Padding is read as entries are.
static cairn_status look_at(const cairn_local *tensor, int member, look *l)
{
    cairn_walker *walker;

    CAIRN_TRY(cairn_walker_create(tensor->env, tensor->group[member].layout, &walker));
    const cairn_status status = cairn_walk_member(walker, tensor, member, see, l);

    cairn_walker_destroy(tensor->env, &walker);
    return status;
}

/* ---- where to cut ---- */

/// Keep @p run among the longest, which stand in no order.
static void keep(cairn_interval run, cairn_interval *longest, int *count)
{
    int least = 0;

    if (*count < INTERIORS) {
        longest[(*count)++] = run;
        return;
    }
    for (int k = 1; k < INTERIORS; k++)
        if (longest[k].hi - longest[k].lo < longest[least].hi - longest[least].lo)
            least = k;
    if (run.hi - run.lo > longest[least].hi - longest[least].lo) longest[least] = run;
}

static void sort_runs(cairn_interval *run, int count)
{
    for (int k = 1; k < count; k++)
        for (int j = k; j > 0 && run[j].lo < run[j - 1].lo; j--) {
            const cairn_interval swap = run[j];

            run[j]     = run[j - 1];
            run[j - 1] = swap;
        }
}

/// The longest stretches of whole grains that read what is owned, ascending. Cost: as many
/// steps as rows read others' columns, and one for 64 of the rest: billions of rows may be
/// nearly empty.
static int find_interiors(cairn_interval  rows,
                          int64_t         grain,
                          const bits     *foreign,
                          cairn_interval *run)
{
    const int64_t least = (rows.hi - rows.lo + LEAST) / LEAST;
    cairn_coord   begin = rows.lo;
    int           count = 0;

    while (begin <= rows.hi) {
        const cairn_coord row   = next_bit(foreign, begin); /* or behind the last */
        const cairn_coord first = row / grain * grain;

        if (row > rows.hi) break;
        if (first - begin >= least)
            keep((cairn_interval){begin, first - 1}, run, &count);
        begin = first + grain > rows.hi ? rows.hi + 1 : first + grain;
    }
    if (rows.hi + 1 - begin >= least)
        keep((cairn_interval){begin, rows.hi}, run, &count);
    sort_runs(run, count);
    return count;
}

/* ---- pieces ---- */

static void
add(cairn_row_pieces *pieces, cairn_coord first, cairn_coord end, bool owned)
{
    if (first >= end) return;
    pieces->piece[pieces->count++] =
        (cairn_row_piece){.owned = owned, .share = {.rows = {first, end - 1}}};
}

static int64_t grain_of(const cairn_row_pieces_of *of)
{
    return cairn_encoding_grain(of->tensor->group[of->member].layout->encoding);
}

/// Rows of a stretch of those that are `owned`, whole grains, by the bytes of all of them.
static int64_t
stretch_rows(const cairn_row_pieces_of *of, const cairn_interval *run, int runs)
{
    const cairn_interval box   = of->tensor->box[0];
    const cairn_group   *group = &of->tensor->group[of->member];
    const int64_t        grain = grain_of(of);
    int64_t              rows  = 0;

    for (int k = 0; k < runs; k++)
        rows += run[k].hi - run[k].lo + 1;
    const double bytes =
        (double)group->bytes * (double)rows / (double)(box.hi - box.lo + 1);
    int64_t n = (int64_t)(bytes / (double)stretch_bytes);

    if (n < FEW) {
        n = (int64_t)(bytes / (double)least_bytes);
        if (n > FEW) n = FEW;
    }
    if (n > STRETCHES) n = STRETCHES;
    if (n <= 1) return rows > 0 ? rows : 1;
    return ((rows + n - 1) / n + grain - 1) / grain * grain;
}

/// All rows: the stretches, and what is between and around them.
static cairn_status list_pieces(cairn_row_pieces          *pieces,
                                const cairn_row_pieces_of *of,
                                const cairn_interval      *run,
                                int                        runs)
{
    const cairn_interval rows    = of->work->tensor->box[0];
    const int64_t        grain   = grain_of(of);
    const int64_t        stretch = stretch_rows(of, run, runs);
    cairn_coord          at      = rows.lo;

    CAIRN_TRY(CAIRN_NEW_ZERO(pieces->env, PIECES, &pieces->piece));
    for (int k = 0; k < runs; k++) {
        add(pieces, at, run[k].lo, false);
        for (cairn_coord lo = run[k].lo, end; lo <= run[k].hi; lo = end) {
            end = run[k].hi - lo < stretch ? run[k].hi + 1
                                           : (lo + stretch) / grain * grain;
            add(pieces, lo, end, true);
        }
        at = run[k].hi + 1;
    }
    add(pieces, at, rows.hi + 1, false);
    return CAIRN_OK;
}

/// From bits to stretches; with @p stretch NULL they are counted.
static int64_t list_stretches(const bits *needed, cairn_interval *stretch)
{
    int64_t n = 0;

    for (cairn_coord j = next_bit(needed, needed->of.lo), last = 0; j <= needed->of.hi;
         j = next_bit(needed, j + 1)) {
        if (n == 0 || j - last > NEAR) {
            if (stretch) stretch[n].lo = j;
            n++;
        }
        if (stretch) stretch[n - 1].hi = j;
        last = j;
    }
    return n;
}

/// The columns of this rank that a piece needs in the window.
static cairn_status find_needed(const cairn_row_pieces_of *of, cairn_row_piece *piece)
{
    cairn_env   *env = of->tensor->env;
    look         l   = {.rows = piece->share.rows, .owned = of->x.owned};
    cairn_status status;

    cairn_free(env, piece->compact.list); /* not asked for */
    piece->compact.list = NULL;
    if (of->x.owned.lo > of->x.owned.hi) return CAIRN_OK;
    CAIRN_TRY(make_bits(env, of->x.owned, &l.needed));
    status = look_at(piece->share.local, 0, &l);
    if (status == CAIRN_OK) {
        piece->stretches = list_stretches(&l.needed, NULL);
        status           = CAIRN_NEW(env, piece->stretches, &piece->needed);
    }
    if (status == CAIRN_OK) list_stretches(&l.needed, piece->needed);
    cairn_free(env, l.needed.word);
    return status;
}

/// Lend the rows of a piece. @param[out] lent  They can be.
static cairn_status
lend(const cairn_row_pieces_of *of, int number, cairn_row_piece *piece, bool *lent)
{
    CAIRN_TRY(cairn_row_share_init(of->tensor, of->member, piece->share.rows, number,
                                   CAIRN_SHARE_LENT_OR_NONE, 0, &piece->share));
    *lent = piece->share.lent;
    if (*lent && piece->owned) piece->share.local->box[1] = of->x.owned;
    return CAIRN_OK;
}

cairn_status cairn_row_pieces_find_sources(const cairn_row_pieces_of *of,
                                           const cairn_local         *local,
                                           bool                      *from)
{
    look l = {.rows = local->box[0], .owned = of->x.owned, .of = of, .from = from};

    for (int k = 0; k < cairn_halo_sources(of->halo); k++)
        from[k] = false;
    return look_at(local, 0, &l);
}

/// @p some: other pieces are `owned`, so that it is worth the while to look.
static cairn_status
list_sources(const cairn_row_pieces_of *of, bool some, cairn_row_piece *piece)
{
    const int sources = cairn_halo_sources(of->halo);

    CAIRN_TRY(CAIRN_NEW(of->tensor->env, sources, &piece->from));
    if (some) return cairn_row_pieces_find_sources(of, piece->share.local, piece->from);
    for (int k = 0; k < sources; k++)
        piece->from[k] = true;
    return CAIRN_OK;
}

/// Add what the buffers of all pieces would take.
static cairn_status
list_reads(const cairn_row_pieces_of *of, cairn_row_pieces *pieces, int64_t *bytes)
{
    *bytes = 0;
    for (int k = 0; k < pieces->count; k++) {
        cairn_row_piece *piece = &pieces->piece[k];

        if (piece->owned) continue;
        CAIRN_TRY(list_sources(of, pieces->owning > 0, piece));
        CAIRN_TRY(cairn_compact_x_list(&piece->share, &of->x, &piece->compact));
        if (piece->compact.groups.level < 0)
            *bytes = -1;
        else if (*bytes >= 0)
            *bytes += cairn_compact_x_bytes(&piece->share, &of->x, &piece->compact);
    }
    return CAIRN_OK;
}

static cairn_status
lend_all(const cairn_row_pieces_of *of, cairn_row_pieces *pieces, int64_t *bytes)
{
    for (int k = 0; k < pieces->count; k++) {
        bool lent;

        CAIRN_TRY(lend(of, k, &pieces->piece[k], &lent));
        if (lent) continue;
        cairn_row_pieces_fini(pieces);
        return CAIRN_OK;
    }
    return list_reads(of, pieces, bytes);
}

cairn_status cairn_row_pieces_cut(cairn_env                 *env,
                                  const cairn_row_pieces_of *of,
                                  cairn_row_pieces          *pieces,
                                  int64_t                   *bytes)
{
    const cairn_interval rows = of->work->tensor->box[0];
    look                 l    = {.rows = rows, .owned = of->x.owned};
    cairn_interval       run[INTERIORS];

    *pieces = (cairn_row_pieces){.env = env};
    *bytes  = -1;
    if (rows.lo > rows.hi || !cairn_row_positions_known(of->tensor, of->member))
        return CAIRN_OK;
    CAIRN_TRY(make_bits(env, rows, &l.foreign));
    cairn_status status = look_at(of->tensor, of->member, &l);

    if (status == CAIRN_OK) {
        pieces->owning = find_interiors(rows, grain_of(of), &l.foreign, run);
        status         = list_pieces(pieces, of, run, pieces->owning);
    }
    cairn_free(env, l.foreign.word);
    if (status == CAIRN_OK) status = lend_all(of, pieces, bytes);
    if (status != CAIRN_OK) cairn_row_pieces_fini(pieces);
    return status;
}

static cairn_status
build_piece(const cairn_row_pieces_of *of, bool compact, cairn_row_piece *piece)
{
    if (!piece->owned)
        CAIRN_TRY(compact ? cairn_compact_x_make(&piece->share, &of->x, &piece->compact)
                          : find_needed(of, piece));
    piece->work        = *of->work;
    piece->work.tensor = piece->share.local;
    piece->work.member = 0;
    piece->work.as     = of->work;
    return of->device->ops.build(of->device, &piece->work, &piece->launch);
}

cairn_status cairn_row_pieces_build(const cairn_row_pieces_of *of,
                                    bool                       compact,
                                    cairn_row_pieces          *pieces)
{
    cairn_status status = CAIRN_OK;

    if (!compact && pieces->owning == 0) {
        cairn_row_pieces_fini(pieces);
        return CAIRN_OK;
    }
    for (int k = 0; k < pieces->count && status == CAIRN_OK; k++)
        status = build_piece(of, compact, &pieces->piece[k]);
    if (status != CAIRN_OK) cairn_row_pieces_fini(pieces);
    return status;
}

void cairn_row_pieces_fini(cairn_row_pieces *pieces)
{
    for (int k = 0; k < pieces->count; k++) {
        cairn_row_piece *piece = &pieces->piece[k];

        if (piece->launch.release) piece->launch.release(&piece->launch);
        cairn_row_share_fini(&piece->share);
        cairn_free(pieces->env, piece->needed);
        cairn_free(pieces->env, piece->from);
        cairn_compact_x_fini(pieces->env, &piece->compact);
    }
    if (pieces->env) cairn_free(pieces->env, pieces->piece);
    *pieces = (cairn_row_pieces){.env = pieces->env};
}
