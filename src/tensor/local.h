// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What one rank stores of a tensor: shape, format, and a flat list of parts. A part says
/// where it stands on each axis of splitting (member of a hybrid, rank, share of a
/// device, bank); parts alike in all but the bank form a group: one layout, and the
/// blocks of memory that its arrays are in. Nothing is kept but the arrays.
///
/// Tensors of one context may have arrays in common: a conversion takes those over that
/// would be the same, byte for byte. Blocks are therefore held (base/env.h), and freed by
/// their last holder; and where a group is one part, big arrays have blocks of their own,
/// so that none is kept for another's sake. Arrays of a tensor that is built are
/// constant, but for the values of a `pattern`, which are never in common.

#ifndef CAIRN_TENSOR_LOCAL_H
#define CAIRN_TENSOR_LOCAL_H

#include "base/halves.h"
#include "entries/entries.h"
#include "format/layout.h"

#include <cairn/kernel.h>

/// Where a part stands; 0 where the tensor is not split.
typedef struct cairn_where {
    int     member, rank, share;
    int64_t bank;
} cairn_where;

typedef struct cairn_part {
    cairn_where         where;
    const cairn_layout *layout; ///< Its group's.
    cairn_pos           nnz;    ///< Entries stored, padding not counted.
    bool                given; ///< Its arrays were handed over, and are not known to be
                               ///< those that storing their entries would make.
    cairn_kernel_part view;    ///< The arrays, inside the group's blocks.
} cairn_part;

#define CAIRN_MAX_ARRAYS (3 * CAIRN_MAX_LEVELS + 2) ///< Of a part.

/// One member on one rank: consecutive parts of the list.
typedef struct cairn_group {
    cairn_layout *layout;
    void         *block; ///< The arrays of its parts; NULL when they are borrowed;
    int           apart; ///< but for those in other blocks, which are
    void         *other[CAIRN_MAX_ARRAYS]; ///< [apart] these.
    int64_t       bytes;                   ///< Of the arrays,
    int64_t       shared;       ///< and of those that were another tensor's before.
    int64_t       first, count; ///< Its parts.
    bool unsorted;   ///< Entries may be out of order, or twice: it was read from such
                     ///< a file, or a part is `given`.
    bool    checked; ///< Borrowed, and looked at as what the library stored.
    double  value_error; ///< Largest relative error of values that were rounded.
    int64_t restored; ///< How often its values were stored in another type: pointers to
                      ///< them, and to its layout, are older where it was less.
} cairn_group;

/// Does it hold each entry once, in the order of its levels? Borrowed arrays that were
/// not checked may not.
static inline bool cairn_group_is_ordered(const cairn_group *group)
{
    return (group->block || group->checked) && !group->unsorted;
}

/// Arrays of a part that another tensor has.
typedef struct cairn_shared_arrays {
    const cairn_group *from;                  ///< Whose they are.
    const void        *idx[CAIRN_MAX_LEVELS]; ///< By level; NULL: not this one.
    void              *val;
    int64_t            bytes; ///< Of all.
} cairn_shared_arrays;

/// Arrays of a caller's that are to be written, one part's: as long as its nodes ask for,
/// at addresses that suit their elements.
typedef struct cairn_arrays {
    void *ptr[CAIRN_MAX_LEVELS]; ///< By level; NULL: it has none, or without elements,
    void *idx[CAIRN_MAX_LEVELS]; ///< of tuples each field's first;
    void *val;
    cairn_pos room; ///< For so many values.
} cairn_arrays;

struct cairn_format;

/// A copy of its arrays elsewhere, as on a card, which goes with the tensor.
typedef struct cairn_local_copy {
    struct cairn_local_copy *next; ///< Of the same tensor.
    /// The tensor goes, whose list the copy has left.
    void (*drop)(struct cairn_local_copy *copy);
} cairn_local_copy;

/// Entries whose values will change: which there are is then told by their columns, not by
/// what is other than 0.
typedef struct cairn_local_pattern {
    bool         kept;    ///< There is one: what is 0 now may be an entry.
    cairn_pos    columns; ///< The distinct d1 of its entries,
    cairn_coord *column;  ///< [columns], ascending.
} cairn_local_pattern;

typedef struct cairn_local {
    cairn_env                 *env;
    cairn_shape                shape;
    cairn_interval             box[CAIRN_MAX_ORDER]; ///< Positions of this rank.
    const struct cairn_format *format;               ///< Borrowed: outlives the tensor.
    int                        value_bits;           ///< 32 or 64.
    int                        groups;
    cairn_group                group[CAIRN_MAX_MEMBERS];
    int64_t                    parts;
    cairn_part                *part; ///< [parts], by member, rank, share, bank.
    cairn_local_pattern        pattern;
    bool narrows; ///< Made from a file: where the format says nothing, values are
                  ///< stored in the narrowest type, also after conversions.
    int64_t           updates; ///< How often its values were changed.
    cairn_local_copy *copies;  ///< Linked, each by its owner.
    const struct cairn_local
        *beside; ///< NULL; or it borrows the arrays of this tensor,
                 ///< which outlives it, but for values that it
                 ///< stores otherwise.
    struct cairn_given_arrays
        *waiting; ///< NULL; or its arrays are a caller's that wait to be looked at
                  ///< (convert/given_arrays.h).
} cairn_local;

void cairn_local_destroy(cairn_local **tensor);

/// Lay a part's arrays out from @p base + @p offset on, each 64-byte aligned, and point
/// its view at them; with @p base NULL only count.
///
/// @param[in]     nodes   [levels] stored nodes of the trimmed levels.
/// @param[in,out] offset  Where the first array goes; then where the next part's goes.
/// @param[in,out] bytes   Grows by the bytes of the arrays alone.
/// @param[in,out] part    `where` is set; `layout` and `view` get set.
void cairn_part_place(const cairn_layout *layout,
                      const cairn_pos    *nodes,
                      char               *base,
                      int64_t            *offset,
                      int64_t            *bytes,
                      cairn_part         *part);

/// Do the arrays of these parts have the widths of their layouts? (Those that a caller
/// brought may not.)
bool cairn_parts_fit(const cairn_part *part, int64_t count);

/// Which arrays are to be zero before they are filled.
typedef enum {
    CAIRN_CLEAR_NONE,
    CAIRN_CLEAR_POSITIONS, ///< What positions below nodes have, where every node is
                           ///< written: there are no gaps, and no tuples.
    CAIRN_CLEAR_ALL
} cairn_clearing;

/// Clear what positions have: values, unless every node has one, and determined indices,
/// unless their blocks were zero when they were allocated.
void cairn_part_clear_positions(const cairn_group *group, cairn_part *part);

/// Allocate the arrays of a group that is one part, and place them: big ones in blocks of
/// their own. Those of @p shared are that group's, and are held.
///
/// Local. `layout` of the group is set; on failure what it got is freed with its tensor.
///
/// @param[in] clear  Which are to be zero, but for those that are shared.
/// @param[in] shared NULL: none. Arrays without any element are not.
cairn_status cairn_group_alloc(cairn_env                 *env,
                               cairn_group               *group,
                               const cairn_layout        *layout,
                               const cairn_pos           *nodes,
                               cairn_clearing             clear,
                               const cairn_shared_arrays *shared,
                               cairn_part                *part);

/// Place the arrays of a group that is one part where a caller has them: the group has no
/// block, and frees nothing.
///
/// @param[in] zero  They are to be zero.
void cairn_group_point(cairn_group        *group,
                       const cairn_layout *layout,
                       const cairn_pos    *nodes,
                       bool                zero,
                       const cairn_arrays *arrays,
                       cairn_part         *part);

/// Allocate the arrays of all parts of a group, zero, and place them.
///
/// Local. `layout`, `first` and `count` of the group are set, and `where` of its parts.
///
/// @param[in]     nodes  [parts][CAIRN_MAX_LEVELS] as of cairn_part_place(), by part.
/// @param[in,out] part   [parts] the tensor's.
cairn_status cairn_group_alloc_parts(cairn_env       *env,
                                     cairn_group     *group,
                                     const cairn_pos *nodes,
                                     cairn_part      *part);

/// Give all parts of a group one dictionary, which they do not have yet.
///
/// Local. @p word is copied, NULL: it is all 0; it has as many as the group's layout says.
/// The group has a block more then.
cairn_status cairn_group_add_dictionary(cairn_env    *env,
                                        cairn_group  *group,
                                        const double *word,
                                        cairn_part   *part);

/// Which of a group's blocks has the array at @p at; NULL: none has.
void *cairn_group_block(const cairn_group *group, const void *at);

/// Hold the block of an array of group @p from for @p group, too, which has it now.
void cairn_group_take(cairn_group *group, const cairn_group *from, const void *at);

/// Free an array of the group that has a block of its own and is not needed any more.
void cairn_group_drop(cairn_env *env, cairn_group *group, const void *at);

/// One array of a part, for listing, writing and reading back.
typedef struct cairn_array {
    enum {
        CAIRN_ARRAY_PTR,
        CAIRN_ARRAY_IDX,
        CAIRN_ARRAY_VAL,
        CAIRN_ARRAY_TUPLES,
        CAIRN_ARRAY_DICTIONARY ///< f64, what the values are numbers of.
    } kind;
    int level; ///< -1 for values and their dictionary; a tuple's first level.
    int tuple; ///< TUPLES: number in the layout; else -1.
    int bits;  ///< Of one element (of one tuple, padding included; at
               ///< most INT_MAX).
    bool    is_signed;
    int64_t length; ///< Elements.
    int64_t bytes;  ///< length * bits / 8.
    void   *data;
} cairn_array;

/// List the arrays of a part as they lie in memory, by level, ptr before idx, values
/// last, and behind them their dictionary; an array of tuples stands at its first level.
/// The ptr over a tuple's lists is an array like others here (the command shows the two
/// as one). A dictionary is listed with each bank that has it.
/// @return their number.
int cairn_part_arrays(const cairn_part *part, cairn_array *array);

/// As cairn_part_arrays(), each array once: a dictionary with the first bank.
int cairn_part_own_arrays(const cairn_part *part, cairn_array *array);

/// Read element @p k of an array of integers of @p bits, @p stride bytes apart.
static inline int64_t
cairn_load_int(const void *data, int64_t k, int64_t stride, int bits, bool is_signed)
{
    const char *at = (const char *)data + k * stride;

    switch (bits) {
    case 8: return is_signed ? *(const int8_t *)at : *(const uint8_t *)at;
    case 16: return is_signed ? *(const int16_t *)at : *(const uint16_t *)at;
    case 32: return is_signed ? *(const int32_t *)at : (int64_t) * (const uint32_t *)at;
    default: return *(const int64_t *)at;
    }
}

static inline void
cairn_store_int(void *data, int64_t k, int64_t stride, int bits, int64_t value)
{
    char *at = (char *)data + k * stride;

    switch (bits) {
    case 8: *(uint8_t *)at = (uint8_t)value; break;
    case 16: *(uint16_t *)at = (uint16_t)value; break;
    case 32: *(uint32_t *)at = (uint32_t)value; break;
    default: *(int64_t *)at = value; break;
    }
}

/// Address of value @p v of a part.
static inline void *cairn_value_at(const cairn_kernel_part *view, cairn_pos v)
{
    if (view->val_block == 1) return (char *)view->val + v * view->val_stride;
    const int64_t block = v / view->val_block, rest = v % view->val_block;

    return (char *)view->val + block * view->val_stride + rest * (view->val_bits / 8);
}

/// Elements of the array of values: of those that are all equal there is one.
static inline int64_t cairn_stored_values(const cairn_kernel_part *view)
{
    return view->val_kind == CAIRN_VALUE_ONE && view->values > 0 ? 1 : view->values;
}

/// A value, however it is stored.
static inline double cairn_value_get(const cairn_kernel_part *view, cairn_pos v)
{
    const void *at = cairn_value_at(view, v);

    switch (view->val_kind) {
    case CAIRN_VALUE_INTEGER:
        return view->val_bits == 8 ? *(const int8_t *)at : *(const int16_t *)at;
    case CAIRN_VALUE_CODE:
        return ((const double *)
                    view->dictionary)[view->val_bits == 8 ? *(const uint8_t *)at
                                                          : *(const uint16_t *)at];
    case CAIRN_VALUE_BFLOAT: return cairn_bf16_widened(*(const uint16_t *)at);
    default:
        if (view->val_bits == 16) return cairn_f16_widened(*(const uint16_t *)at);
        return view->val_bits == 32 ? (double)*(const float *)at : *(const double *)at;
    }
}

/// Change a value that is stored as an f32 or f64, or as a word: others are widened first
/// (value_storage.h).
static inline void
cairn_value_set(const cairn_kernel_part *view, cairn_pos v, double value)
{
    void *at = cairn_value_at(view, v);

    switch (view->val_bits) {
    case 8: *(int8_t *)at = (int8_t)value; break;
    case 16: *(int16_t *)at = (int16_t)value; break;
    case 32: *(float *)at = (float)value; break;
    default: *(double *)at = value;
    }
}

#endif
