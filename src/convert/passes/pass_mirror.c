// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// MOVE by mirroring: where two dimensions are exchanged and the pattern is symmetric in
/// them, entries are taken from where the mirrored ones are. Nothing is counted then. Where an
/// entry has no mirrored one, the program goes on otherwise.

#include "convert/passes.h"
#include "convert/stores/compiled_marks.h"
#include "convert/stores/shared_arrays.h"

#include <assert.h>
#include <string.h>

enum {
    /* Entries of a group up to which mirroring wins where each entry is visited, which with
     * so many is so of more than two levels only (PAIRED): cursors of long groups stand far
     * from each other, and scattering, which asks for lines ahead, is as fast (measured with
     * 15 and with 54). */
    LONG = 24,
    /* Entries of a row from which one of each pair is visited. Shorter rows have halves
     * whose ends are hard to foresee (measured: 1.2 of the time with 9.8 entries, 0.5 to
     * 0.55 with 43 and 59, which were dealt out before). */
    PAIRED = 16,
    SAMPLE = 128, ///< Entries that are looked for before any is mirrored.
    /* Entries below which nothing much is lost by an attempt. */
    SAMPLED = 1 << 14,
    /* Bytes of indices and values from which mirrored entries, which are read where cursors
     * stand, miss the cache; scattered ones are only written there, which nothing waits
     * for. */
    CACHED = 1 << 22,
    /* Runs of neighbouring indices in a row up to which the processor's own prefetching
     * follows the cursors (measured beyond CACHED, with the indices copied: 0.7 to 0.95 of
     * the time of scattering with 1, 3 and 5 runs, 1.7 with 9 and with 16). */
    RUNS = 8,
};

bool cairn_mirror_is_halved(const cairn_compiled *c)
{
    return c->m->layout->levels == 2 && c->facts.entries / PAIRED >= c->facts.groups;
}

/// Two dimensions exchanged that have the same range; and all of the source, whose cursors
/// are the target's.
bool cairn_mirror_fits(const cairn_compiled *c)
{
    const cairn_layout *from = cairn_origin_layout(&c->origin), *to = c->m->layout;

    if (!from || cairn_origin_group(&c->origin)->count != 1 || c->origin.filter.member
        || c->m->rows.on
        || (c->facts.entries / (c->facts.groups + 1) > LONG
            && !cairn_mirror_is_halved(c)))
        return false;
    if (!cairn_convert_can_mirror(from, to)) return false;
    for (int l = 0; l < to->levels; l++)
        if (from->level[l].range.lo != to->level[l].range.lo
            || from->level[l].range.hi != to->level[l].range.hi)
            return false;
    return true;
}

static int64_t load_ptr(const cairn_kernel_level *level, int64_t k)
{
    return cairn_load_int(level->ptr, k, level->ptr_bits / 8, level->ptr_bits, false);
}

/// The groups begin where the source's do.
static void begin_groups(const cairn_compiled *c, const cairn_kernel_level *from)
{
    const int64_t groups = c->facts.groups;

    if (from->ptr_bits == 32) {
        memcpy(c->groups.begin, from->ptr,
               (size_t)(groups + 1) * sizeof *c->groups.begin);
        return;
    }
    if (from->ptr_bits == 64) {
        const uint64_t *const ptr = from->ptr;

        for (int64_t g = 0; g <= groups; g++)
            c->groups.begin[g] = (uint32_t)ptr[g];
        return;
    }
    for (int64_t g = 0; g <= groups; g++)
        c->groups.begin[g] = (uint32_t)load_ptr(from, g);
}

/// Does every cursor stand where its group ends?
static bool all_ended(const cairn_compiled *c, const cairn_kernel_level *from)
{
    const int64_t groups = c->facts.groups;
    bool          ended  = true;

    if (from->ptr_bits == 32) {
        const uint32_t *const ptr = from->ptr;

        return memcmp(c->groups.begin, ptr + 1, (size_t)groups * sizeof *ptr) == 0;
    }
    if (from->ptr_bits == 64) {
        const uint64_t *const ptr = from->ptr;

        for (int64_t g = 0; g < groups; g++)
            ended &= c->groups.begin[g] == ptr[g + 1];
        return ended;
    }
    for (int64_t g = 0; g < groups && ended; g++)
        ended = c->groups.begin[g] == load_ptr(from, g + 1);
    return ended;
}

static int64_t load_idx(const cairn_kernel_level *level, int64_t k)
{
    return cairn_load_int(level->idx, k, level->idx_bits / 8, level->idx_bits,
                          level->idx_signed);
}

/// The last of the groups below @p groups that begins at entry @p p or before it.
static int64_t group_of(const cairn_kernel_level *level, int64_t groups, int64_t p)
{
    int64_t first = 0, n = groups;

    while (n > 1) {
        const int64_t half = n / 2;

        first += load_ptr(level, first + half) <= p ? half : 0;
        n -= half;
    }
    return first;
}

/// Has group @p g an entry of index @p index?
static bool has_entry(const cairn_kernel_level *level, int64_t g, int64_t index)
{
    int64_t first = load_ptr(level, g), n = load_ptr(level, g + 1) - first;

    while (n > 1) {
        const int64_t half = n / 2;

        first += load_idx(level, first + half) <= index ? half : 0;
        n -= half;
    }
    return n > 0 && load_idx(level, first) == index;
}

/// Number @p k of some of @p n entries: multiples of the golden ratio lie as far from each
/// other as they can, however many.
static int64_t sampled(int64_t k, int64_t n)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

    return (int64_t)((unsigned __int128)((uint64_t)k * golden) * (uint64_t)n >> 64);
}

/// Have some entries of a matrix a mirrored one each? A pattern that lacks a few may be
/// mirrored for long before the first of them is met. That all have one proves nothing.
static bool seems_symmetric(const cairn_compiled *c, const cairn_kernel_level *level)
{
    const int64_t groups = c->facts.groups, entries = level->nodes;
    const int64_t low = c->range[c->m->layout->last].lo;

    if (c->m->layout->levels != 2 || entries < SAMPLED) return true;
    for (int64_t k = 0; k < SAMPLE; k++) {
        const int64_t p     = sampled(k, entries);
        const int64_t other = load_idx(level, p) - low;

        if (!has_entry(level, other, group_of(level, groups, p) + low)) return false;
    }
    return true;
}

bool cairn_mirror_spares(const cairn_compiled *c)
{
    return cairn_mirror_fits(c) && cairn_shared_arrays_fits_mirror(c)
           && seems_symmetric(c, &cairn_compiled_source(c)->level[c->m->layout->last]);
}

/// Are there more entries than a cache holds, in rows of so many runs that their cursors
/// are all over it?
static bool is_strewn(const cairn_compiled *c, const cairn_kernel_level *level)
{
    const int64_t entries = level->nodes, groups = c->facts.groups;
    int64_t       begun = 0;

    if (c->m->layout->levels != 2 || entries * (4 + c->build->value_bits / 8) <= CACHED)
        return false;
    for (int64_t k = 0; k < SAMPLE; k++) {
        const int64_t p = 1 + sampled(k, entries - 1);

        begun += load_idx(level, p) != load_idx(level, p - 1) + 1;
    }
    return begun * (entries / groups) > RUNS * SAMPLE;
}

/// Is counting and dealing out faster than mirroring? It is where indices are copied, too,
/// and the ends of rows, which differ in length, are found by marks: 0.83 to 0.9 of the time,
/// measured with 2 to 7 entries a row in no pattern. Rows of equal length have no marks, and
/// mirroring them takes 0.94 to 0.96 of what dealing out does.
static bool is_dealt_faster(const cairn_compiled *c)
{
    return c->facts.entries > 0 && !cairn_shared_arrays_fits_mirror(c)
           && cairn_marks_pay(c, CAIRN_CONVERT_MIRROR);
}

/// Groups need no count: all nodes are the source's, and of one bank. Cursors of several
/// threads would be where their entries go only once all entries are counted.
static cairn_status prepare(cairn_compiled *c)
{
    const int                 E    = c->m->layout->last;
    const cairn_kernel_level *from = &cairn_compiled_source(c)->level[E];

    assert(c->m->layout->banks == 1 && !c->groups.begin);
    if (c->ranges.n > 1 || !seems_symmetric(c, from) || is_dealt_faster(c)
        || (!cairn_shared_arrays_fits_mirror(c) && is_strewn(c, from))) {
        cairn_pass_break(c);
        return CAIRN_OK;
    }
    c->m->bank[0].end      = from->nodes;
    c->m->bank[0].nodes[E] = from->nodes;
    return CAIRN_NEW(c->m->env, c->facts.groups + 1, &c->groups.begin);
}

/// A mirrored entry is found where the cursor of its group stands.
static cairn_status mirror(cairn_compiled *c, const cairn_pass_call *call)
{
    const int                 E    = c->m->layout->last;
    const cairn_kernel_level *from = &cairn_compiled_source(c)->level[E];
    const cairn_phase        *marked;

    assert(c->ranges.n == 1 && c->groups.begin);
    CAIRN_TRY(cairn_marks_make(c, CAIRN_CONVERT_MIRROR, &marked));
    call->args->groups = c->facts.groups;
    call->args->cursor = c->groups.begin;
    call->args->facts  = c->ranges.found;
    begin_groups(c, from);
    call->args->list   = c->rows.marks;
    c->ranges.found[0] = 0;
    CAIRN_TRY(cairn_compiled_run(
        c, marked ? marked : cairn_pass_phase(c, CAIRN_CONVERT_MIRROR),
        &call->part->view, call->args));
    if ((c->ranges.found[0] || c->m->bank[0].end == 0) && all_ended(c, from))
        return CAIRN_OK;
    cairn_free(c->m->env, c->groups.begin);
    c->groups.begin = NULL;
    cairn_pass_break(c);
    return CAIRN_OK;
}

const cairn_pass_work cairn_move_mirrored = {.prepare = prepare, .write = mirror};

/// Groups begin where the source's do: ptr and indices may be the source's.
static cairn_status write_groups(cairn_compiled *c, const cairn_pass_call *call)
{
    if (cairn_shared_arrays_fits_mirror(c)) {
        cairn_shared_arrays_mirror(c, call->part);
        return CAIRN_OK;
    }
    begin_groups(c, &cairn_compiled_source(c)->level[c->m->layout->last]);
    cairn_compiled_write_last_ptr(c, &call->part->view);
    return CAIRN_OK;
}

const cairn_pass_work cairn_offsets_mirrored = {.write = write_groups};
