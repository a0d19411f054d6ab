// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The method of entries that are all nodes and come in order within each group: they are
/// counted by group, and dealt out; or, where two dimensions are exchanged and the pattern
/// may be symmetric in them, taken from where the mirrored entries are.

#include "convert/compiled_buckets.h"
#include "convert/shared_arrays.h"

#include <string.h>

enum {
    CACHED =
        1 << 21, ///< Bytes of output up to which asking ahead costs more (measured).
    /* Entries of a group up to which mirroring wins: cursors of long groups stand far from
     * each other, and dealing out, which asks for lines ahead, is as fast (measured with
     * 15 and with 54). */
    LONG = 24,
};

static const cairn_part *source_of(const cairn_compiled *c)
{
    const cairn_local *from = c->origin.from;

    return &from->part[from->group[c->origin.member].first];
}

/// Two dimensions exchanged that have the same range; all of the source, whose cursors are
/// the target's; and one thread, since a thread's cursors are where its entries go only
/// once all entries are counted.
static bool may_mirror(const cairn_compiled *c)
{
    const cairn_layout *from, *to = c->m->layout;

    if (!c->origin.from || c->origin.from->group[c->origin.member].count != 1
        || c->shares.n > 1 || c->origin.filter.member || c->m->rows.on
        || c->facts.entries / (c->facts.groups + 1) > LONG)
        return false;
    from = source_of(c)->layout;
    if (!cairn_convert_can_mirror(from, to)) return false;
    for (int l = 0; l < to->levels; l++)
        if (from->level[l].range.lo != to->level[l].range.lo
            || from->level[l].range.hi != to->level[l].range.hi)
            return false;
    return true;
}

static cairn_status load(cairn_compiled *c)
{
    const cairn_convert_spec count = cairn_compiled_spec(c, CAIRN_CONVERT_HISTOGRAM);
    cairn_convert_spec       fill  = cairn_compiled_spec(c, CAIRN_CONVERT_SCATTER);

    /* A histogram for each thread must not outgrow the entries. */
    CAIRN_TRY(cairn_compiled_divide(c, false,
                                    1 + 4 * c->facts.entries / (c->facts.groups + 1)));
    if (may_mirror(c)) {
        cairn_convert_spec mirror = cairn_compiled_spec(c, CAIRN_CONVERT_MIRROR);

        if (cairn_taken_fits_mirror(c)) mirror.taken = 1U << c->m->layout->last;
        CAIRN_TRY(cairn_compiled_load(c, &mirror, &c->mirror));
    }
    fill.ahead = c->facts.entries * (4 + c->build->value_bits / 8) > CACHED;
    CAIRN_TRY(cairn_compiled_load(c, &count, &c->count));
    CAIRN_TRY(cairn_buckets_load(c));
    return cairn_compiled_load(c, &fill, &c->fill);
}

/// From counts to begins: the threads' entries of a group follow each other. The first
/// thread's begins are the groups'; there is one more.
static void add_up(uint32_t *cursor, int64_t groups, int64_t threads)
{
    uint32_t before = 0;

    for (int64_t g = 0; g < groups && threads == 1; g++) {
        const uint32_t here = cursor[g];

        cursor[g] = before;
        before += here;
    }
    for (int64_t g = 0; g < groups && threads > 1; g++)
        for (int64_t t = 0; t < threads; t++) {
            const uint32_t here = cursor[t * groups + g];

            cursor[t * groups + g] = before;
            before += here;
        }
    cursor[threads * groups] = before;
}

/// Entries before group @p g; there may be one more group than there are.
static int64_t begin_of(const cairn_compiled *c, int64_t g)
{
    const int64_t threads = c->method == &cairn_method_scatter ? c->shares.n : 1;

    return c->cursor[g < c->facts.groups ? g : threads * c->facts.groups];
}

/// Count the entries of each group, and find where each begins. Find out, too, whether
/// they are scattered.
static cairn_status count_groups(const cairn_compiled *c, bool *scattered)
{
    const int64_t      groups = c->facts.groups;
    cairn_convert_args args   = {
          .groups = groups, .cursor = c->cursor, .facts = c->shares.found};

    if (c->dealt.loader) CAIRN_TRY(cairn_buckets_ask(c, scattered));
    memset(c->cursor, 0, (size_t)(c->shares.n * groups + 1) * sizeof *c->cursor);
    CAIRN_TRY(
        cairn_compiled_run(c, &c->count, (cairn_kernel_part *)&c->empty.view, &args));
    add_up(c->cursor, groups, c->shares.n);
    return CAIRN_OK;
}

static cairn_status count(cairn_compiled *c)
{
    const cairn_layout *to     = c->m->layout;
    const int64_t       groups = c->facts.groups, each = groups / to->banks;

    CAIRN_TRY(CAIRN_NEW(c->m->env, c->shares.n * groups + 1, &c->cursor));
    if (c->mirror.loader) { /* all of one bank; groups may never be counted */
        c->m->bank[0].end             = source_of(c)->view.level[to->last].nodes;
        c->m->bank[0].nodes[to->last] = c->m->bank[0].end;
        return CAIRN_OK;
    }
    CAIRN_TRY(count_groups(c, &c->scattered));
    for (int64_t b = 0; b < to->banks; b++) {
        cairn_bank *bank = &c->m->bank[b];

        bank->begin = begin_of(c, b * each);
        bank->end   = begin_of(c, (b + 1) * each);
        for (int l = to->first; l <= to->last; l++)
            bank->nodes[l] = bank->end - bank->begin;
    }
    return CAIRN_OK;
}

/// Write the ptr of a bank from the begins of its groups.
static void
write_ptr(const cairn_compiled *c, int64_t bank, const cairn_kernel_level *level)
{
    const int64_t   each  = c->facts.groups / c->m->layout->banks;
    const uint32_t *begin = c->cursor + bank * each;

    if (!level->ptr_bits) return;
    if (level->ptr_bits == 32) {
        uint32_t *const ptr = (uint32_t *)level->ptr;

        for (int64_t g = 0; g < each; g++)
            ptr[g] = begin[g] - begin[0];
        ptr[each] = (uint32_t)(c->m->bank[bank].end - c->m->bank[bank].begin);
        return;
    }
    if (level->ptr_bits == 64) {
        uint64_t *const ptr = (uint64_t *)level->ptr;

        for (int64_t g = 0; g < each; g++)
            ptr[g] = begin[g] - begin[0];
        ptr[each] = (uint64_t)(c->m->bank[bank].end - c->m->bank[bank].begin);
        return;
    }
    for (int64_t g = 0; g <= each; g++)
        cairn_store_int((void *)level->ptr, g, level->ptr_bits / 8, level->ptr_bits,
                        begin_of(c, bank * each + g) - c->m->bank[bank].begin);
}

/// Below the groups every node has one child: where there is a ptr, it counts up.
static void write_lower_ptrs(const cairn_layout *to, const cairn_kernel_part *view)
{
    for (int l = to->first + 1; l <= to->last; l++) {
        const cairn_kernel_level *level = &view->level[l];

        for (int64_t k = 0; level->ptr_bits && k < level->ptr_length; k++)
            cairn_store_int((void *)level->ptr, k, level->ptr_bits / 8, level->ptr_bits,
                            k);
    }
}

void cairn_compiled_write_last_ptr(const cairn_compiled    *c,
                                   const cairn_kernel_part *view)
{
    const cairn_kernel_level *level = &view->level[c->m->layout->last];

    for (int64_t g = 0; level->ptr_bits && g <= c->facts.groups; g++)
        cairn_store_int((void *)level->ptr, g, level->ptr_bits / 8, level->ptr_bits,
                        c->cursor[g]);
}

void cairn_compiled_write_ptrs(const cairn_compiled    *c,
                               int64_t                  bank,
                               const cairn_kernel_part *view)
{
    write_ptr(c, bank, &view->level[c->m->layout->first]);
    write_lower_ptrs(c->m->layout, view);
}

static cairn_status
deal(const cairn_compiled *c, cairn_convert_args *args, cairn_kernel_part *first)
{
    const cairn_layout *to    = c->m->layout;
    int64_t            *delta = NULL;

    CAIRN_TRY(cairn_compiled_find_delta(c, true, &delta));
    for (int64_t b = 0; b < to->banks; b++)
        cairn_compiled_write_ptrs(c, b, &c->m->part[b].view);
    args->delta  = delta;
    args->cursor = c->cursor;
    args->groups = c->facts.groups;

    const cairn_status status = cairn_compiled_run(c, &c->fill, first, args);

    cairn_free(c->m->env, delta);
    return status;
}

/// Groups that are scattered are all of one bank.
static cairn_status deal_by_buckets(const cairn_compiled *c, cairn_part *part)
{
    cairn_compiled_write_ptrs(c, 0, &part->view);
    return cairn_buckets_fill(c, part);
}

/* ---- mirroring ---- */

static int64_t load_ptr(const cairn_kernel_level *level, int64_t k)
{
    return cairn_load_int(level->ptr, k, level->ptr_bits / 8, level->ptr_bits, false);
}

/// The groups begin where the source's do.
static void begin_groups(const cairn_compiled *c, const cairn_kernel_level *from)
{
    const int64_t groups = c->facts.groups;

    if (from->ptr_bits == 32) {
        memcpy(c->cursor, from->ptr, (size_t)(groups + 1) * sizeof *c->cursor);
        return;
    }
    if (from->ptr_bits == 64) {
        const uint64_t *const ptr = from->ptr;

        for (int64_t g = 0; g <= groups; g++)
            c->cursor[g] = (uint32_t)ptr[g];
        return;
    }
    for (int64_t g = 0; g <= groups; g++)
        c->cursor[g] = (uint32_t)load_ptr(from, g);
}

/// Does every cursor stand where its group ends?
static bool all_ended(const cairn_compiled *c, const cairn_kernel_level *from)
{
    const int64_t groups = c->facts.groups;
    bool          ended  = true;

    if (from->ptr_bits == 32) {
        const uint32_t *const ptr = from->ptr;

        return memcmp(c->cursor, ptr + 1, (size_t)groups * sizeof *ptr) == 0;
    }
    if (from->ptr_bits == 64) {
        const uint64_t *const ptr = from->ptr;

        for (int64_t g = 0; g < groups; g++)
            ended &= c->cursor[g] == ptr[g + 1];
        return ended;
    }
    for (int64_t g = 0; g < groups && ended; g++)
        ended = c->cursor[g] == load_ptr(from, g + 1);
    return ended;
}

/// Try to take the entries from where the mirrored ones are.
static cairn_status mirror(const cairn_compiled *c, cairn_part *part, bool *mirrored)
{
    const int                 E    = c->m->layout->last;
    const cairn_kernel_level *from = &source_of(c)->view.level[E];
    cairn_convert_args        args = {
               .groups = c->facts.groups, .cursor = c->cursor, .facts = c->shares.found};

    begin_groups(c, from);
    c->shares.found[0] = 0;
    CAIRN_TRY(cairn_compiled_run(c, &c->mirror, &part->view, &args));
    *mirrored = (c->shares.found[0] || c->m->bank[0].end == 0) && all_ended(c, from);
    c->shares.found[1] = *mirrored;
    if (!*mirrored) return CAIRN_OK;
    if (cairn_taken_fits_mirror(c)) {
        cairn_taken_mirror(c, part);
        return CAIRN_OK;
    }
    begin_groups(c, from);
    write_ptr(c, 0, &part->view.level[E]);
    return CAIRN_OK;
}

/// Were the entries taken from where the mirrored ones are?
static bool was_mirrored(const cairn_compiled *c)
{
    return c->mirror.loader && c->shares.found[1];
}

/// A mirrored entry is found where the cursor of its group stands: nothing is counted.
static cairn_status mirror_passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    const int      E      = c->m->layout->last;
    const bool     shares = c->m->group->taken > 0;
    const uint64_t shared = CAIRN_PASS_PTR(E) | CAIRN_PASS_IDX(E);

    w->pass.method = "mirror";
    CAIRN_TRY(shares ? cairn_passes_share(w, shared) : cairn_passes_offsets(w));
    return cairn_passes_add(w, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY,
                            shares ? CAIRN_PASS_VAL : w->arrays & ~w->ptrs,
                            CAIRN_STORES_DIRECT, w->read + 2 * w->written);
}

static cairn_status applies(cairn_compiled *c, bool *may)
{
    *may = cairn_facts_scatter(c->m->layout, &c->facts);
    return CAIRN_OK;
}

static cairn_status passes(const cairn_compiled *c, cairn_pass_writer *w)
{
    if (was_mirrored(c)) return mirror_passes(c, w);
    CAIRN_TRY(cairn_passes_count(w, CAIRN_UNIT_ENTRY));
    CAIRN_TRY(cairn_passes_offsets(w));
    return cairn_passes_move(w, CAIRN_PASS_MOVE, CAIRN_UNIT_ENTRY,
                             c->scattered ? CAIRN_STORES_BUCKETED
                                          : CAIRN_STORES_DIRECT);
}

/// The first bank's turn is all banks' turn.
static cairn_status
fill(const cairn_compiled *c, int64_t bank, cairn_convert_args *args, cairn_part *part)
{
    bool mirrored = false, scattered = c->scattered;

    if (bank > 0) return CAIRN_OK;
    if (c->mirror.loader) {
        CAIRN_TRY(mirror(c, part, &mirrored));
        if (mirrored) return CAIRN_OK;
        CAIRN_TRY(count_groups(c, &scattered));
    }
    /* Beside other members threads come and go; buckets need them all. */
    if (scattered && !(c->beside && c->shares.n > 1)) return deal_by_buckets(c, part);
    return deal(c, args, &part->view);
}

const cairn_method cairn_method_scatter = {
    .name    = "scatter",
    .needs   = "every entry must be a node, in groups that follow each other",
    .applies = applies,
    .passes  = passes,
    .load    = load,
    .count   = count,
    .fill    = fill,
};
