// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// pack(S,E): levels S..E as tuples. If a merged level lies inside S..E, there is a list
/// of tuples under every node of level S, and the levels between lose their own nodes:
/// each tuple carries their index.

#include "format/layout_steps.h"

/// The level whose nodes are as many as level @p l's, for counting tuples: trimmed levels
/// by depth, determined ones by what they are stored per.
static bool same_count(const cairn_layout *layout, int a, int b)
{
    const cairn_level *la = &layout->level[a], *lb = &layout->level[b];

    if (la->trimmed && lb->trimmed) return la->depth == lb->depth;
    if (la->trimmed)
        return la->depth == layout->last && lb->determined.per_node
               && lb->determined.by == 0;
    return la->determined.per_node == lb->determined.per_node
           && la->determined.by == lb->determined.by;
}

/// Complete levels inside a list have no index to put into its tuples.
static cairn_status
check_list(cairn_env *env, const cairn_layout *layout, const cairn_pack *pack)
{
    for (int l = pack->first + 1; l <= pack->last; l++)
        CAIRN_CHECK(layout->level[l].trimmed || l > layout->last, env, CAIRN_BAD_FORMAT,
                    "format: pack(%d,%d): level %d stores no index, so that lists over "
                    "it would lose it",
                    pack->first, pack->last, l);
    return CAIRN_OK;
}

static cairn_status
make_lists(cairn_env *env, cairn_layout *layout, const cairn_pack *pack, bool *lists)
{
    const int last = pack->last < layout->last ? pack->last : layout->last;

    *lists = false;
    if (last <= pack->first || !layout->level[last].trimmed) return CAIRN_OK;
    for (int l = pack->first + 1; l <= last; l++)
        *lists |= layout->level[l].arrays.has_ptr;
    if (!*lists) return CAIRN_OK;
    CAIRN_TRY(check_list(env, layout, pack));
    for (int l = pack->first + 1; l <= last; l++) {
        layout->level[l].depth          = layout->level[last].depth;
        layout->level[l].arrays.has_ptr = l == pack->first + 1;
    }
    return CAIRN_OK;
}

cairn_status cairn_layout_pack_lists(cairn_env *env, cairn_layout *layout)
{
    for (int p = 0; p < layout->encoding->packs; p++)
        CAIRN_TRY(make_lists(env, layout, &layout->encoding->pack[p],
                             &layout->packs.tuple[p].lists));
    return CAIRN_OK;
}

static size_t align_up(size_t offset, size_t to)
{
    return (offset + to - 1) / to * to;
}

/// Collect the levels whose idx goes into the tuples; all must have as many.
static cairn_status collect_fields(cairn_env        *env,
                                   cairn_layout     *layout,
                                   int               number,
                                   const cairn_pack *pack,
                                   cairn_tuple      *tuple)
{
    for (int l = pack->first + (tuple->lists ? 1 : 0); l <= pack->last; l++) {
        if (!layout->level[l].arrays.has_idx) continue;
        CAIRN_CHECK(!tuple->fields || same_count(layout, tuple->field[0], l), env,
                    CAIRN_BAD_FORMAT,
                    "format: pack(%d,%d): levels %d and %d have different numbers of "
                    "nodes and no list between them",
                    pack->first, pack->last, tuple->field[0], l);
        tuple->field[tuple->fields++] = l;
        layout->level[l].arrays.tuple = number;
    }
    return CAIRN_OK;
}

/// Values under one tuple: the complete levels below its last field.
static cairn_status value_block(cairn_env          *env,
                                const cairn_layout *layout,
                                const cairn_tuple  *tuple,
                                int64_t            *block)
{
    const cairn_level *field = &layout->level[tuple->field[tuple->fields - 1]];

    *block = 1;
    for (int l = layout->last + 1; l < layout->levels; l++) {
        if (layout->level[l].determined.on) continue;
        if (field->determined.on && field->determined.by >> l & 1)
            continue; /* one tuple each */
        CAIRN_CHECK(!__builtin_mul_overflow(*block, layout->level[l].size, block)
                        && *block < INT32_MAX,
                    env, CAIRN_UNSUPPORTED,
                    "format: pack(%d,%d): more than 2^31 values in one tuple",
                    tuple->first, tuple->last);
    }
    return CAIRN_OK;
}

bool cairn_pack_takes_values(const cairn_layout *layout, const cairn_pack *pack)
{
    int last = -1; /* the last level whose idx the tuples hold */

    if (pack->novalue) return false;
    for (int l = pack->first; l < layout->levels; l++) {
        if (!layout->level[l].arrays.has_idx) continue;
        if (l > pack->last) return false;
        last = l;
    }
    if (last < 0) return false;
    const cairn_level *field = &layout->level[last];

    return field->determined.on ? field->determined.per_node
                                : field->depth == layout->last;
}

static cairn_status place_fields(cairn_env    *env,
                                 cairn_layout *layout,
                                 int           number,
                                 bool          takes,
                                 cairn_tuple  *tuple)
{
    size_t       offset = 0, widest = 1;
    const size_t value = layout->values.bits / 8;

    for (int f = 0; f < tuple->fields; f++) {
        const size_t bytes = layout->level[tuple->field[f]].arrays.idx_bits / 8;

        offset           = align_up(offset, bytes);
        tuple->offset[f] = offset;
        offset += bytes;
        if (bytes > widest) widest = bytes;
    }
    if (takes) {
        CAIRN_TRY(value_block(env, layout, tuple, &tuple->block));
        tuple->values       = true;
        tuple->value_offset = offset = align_up(offset, value);
        offset += value * (size_t)tuple->block;
        widest               = value > widest ? value : widest;
        layout->values.tuple = number;
    }
    tuple->size = align_up(offset, widest);
    return CAIRN_OK;
}

cairn_status cairn_layout_pack_fields(cairn_env *env, cairn_layout *layout)
{
    for (int p = 0; p < layout->encoding->packs; p++) {
        const cairn_pack *pack   = &layout->encoding->pack[p];
        cairn_tuple      *tuple  = &layout->packs.tuple[layout->packs.count];
        const bool        lists  = layout->packs.tuple[p].lists;
        const int         number = layout->packs.count;

        *tuple =
            (cairn_tuple){.first = pack->first, .last = pack->last, .lists = lists};
        CAIRN_TRY(collect_fields(env, layout, number, pack, tuple));
        if (tuple->fields == 0)
            continue; /* nothing to pack: the arrays stay as they are */
        CAIRN_TRY(place_fields(env, layout, number,
                               cairn_pack_takes_values(layout, pack), tuple));
        layout->packs.count++;
    }
    return CAIRN_OK;
}
