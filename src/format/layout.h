// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Layouts: an encoding with extents. What levels there are, which of them store which
/// arrays, their ranges and widths, how coordinates come back. No data: what storage is
/// built by, what kernels will be generated from, and their cache key.
///
/// The rules are those of docs/formats.md. In short, for trim(S,E): levels outside
/// [S,E] are complete (every index of the range exists, positions by arithmetic), levels
/// inside store their nodes. A merged level has one node per distinct prefix
/// (e0..eL); an unmerged one as many as the next merged level below, or as level E. A
/// level below E that the levels above determine is a singleton with an idx, unless its
/// expression is one value whatever the sizes (f%1): that is a complete level of size 1.
///
/// Source: UniSparse, OOPSLA 2024, section 5.1, made precise.

#ifndef CAIRN_FORMAT_LAYOUT_H
#define CAIRN_FORMAT_LAYOUT_H

#include "format/encoding.h"
#include "format/known.h"

typedef enum {
    CAIRN_LEVEL_DENSE,      ///< Complete, outside [S,E].
    CAIRN_LEVEL_COMPRESSED, ///< idx, with a ptr or at the top.
    CAIRN_LEVEL_SINGLETON,  ///< idx without ptr.
    CAIRN_LEVEL_RAGGED,     ///< An indirect level inside [S,E]: no idx.
} cairn_level_kind;

/// How a determined level's index follows from the levels above: variables are the
/// levels' values (variable L = level L), then the results of the steps.
typedef struct cairn_recipe {
    int          vars; ///< Variables in all.
    int          steps;
    cairn_step  *step; ///< [steps]
    cairn_linear result;
    uint32_t dims; ///< Dimensions that are known then: they must lie in the box, else
    cairn_linear dim[CAIRN_MAX_ORDER]; ///< the position hangs over and there is a hole.
} cairn_recipe;

/// What a level stores.
typedef struct cairn_level_arrays {
    bool    has_idx, has_ptr;
    uint8_t ptr_bits, idx_bits;
    bool    idx_signed;
    int     tuple; ///< Its idx is a field of this tuple; -1: an array of its own.
} cairn_level_arrays;

/// A level whose index follows from those above.
typedef struct cairn_level_determined {
    bool     on;       ///< Below E, and a function of the levels above:
    uint32_t by;       ///< one idx per combination of these complete levels,
    bool     per_node; ///< or (by: complete levels between E and here) per combination
                       ///< under every node of level E.
    cairn_recipe recipe;
} cairn_level_determined;

typedef struct cairn_level {
    cairn_form       form;
    bool             indirect;
    int              query; ///< Indirect: the query it uses; else -1.
    cairn_level_kind kind;
    bool             sized;   ///< Range and size are known (they come with extents).
    cairn_interval   range;   ///< On this rank's box; empty when there are none.
    cairn_interval   global;  ///< On the whole tensor.
    int64_t          size;    ///< range.hi - range.lo + 1.
    bool             trimmed; ///< In [S,E].
    bool             merged;  ///< Asked for by a merge.
    int              depth;   ///< Trimmed: nodes are the distinct (e0..e[depth]).
    bool             top;     ///< Trimmed, and its ptr [0,n] is implied.
    bool             gaps;    ///< Numbered with `distance`: holes are nodes too.
    cairn_level_determined determined;
    cairn_level_arrays     arrays;
} cairn_level;

/// One pack: an array of C structs. `lists`: under every node of level `first` there is
/// a list of them; the ptr over the lists is that of level first+1.
typedef struct cairn_tuple {
    int     first, last;
    bool    lists;
    int     fields;
    int     field[CAIRN_MAX_LEVELS];  ///< Levels, ascending.
    size_t  offset[CAIRN_MAX_LEVELS]; ///< Bytes from the tuple's begin.
    bool    values;                   ///< The last field: `block` values, row-major,
    size_t  value_offset;
    int64_t block;
    size_t  size; ///< Bytes, padding included.
} cairn_tuple;

/// All packs.
typedef struct cairn_packs {
    int         count;
    cairn_tuple tuple[CAIRN_MAX_LEVELS];
} cairn_packs;

/// From levels' values back to coordinates.
typedef struct cairn_layout_inverse {
    cairn_linear dim[CAIRN_MAX_ORDER]; ///< The inverse map, over level values.
    uint32_t     check; ///< Levels whose form must be compared after inverting.
    bool         exact; ///< It needs no division and no check but the box.
} cairn_layout_inverse;

/// How values are stored.
typedef struct cairn_layout_values {
    uint8_t carrier_bits;  ///< Of the tensor's values, 32 or 64: what is computed with;
                           ///< 8 or 16: they are words that are only moved;
    uint8_t          bits; ///< and of a value as it is stored,
    cairn_value_kind kind; ///< which is this.
    int              tuple; ///< Tuple that holds the values; -1: an array.
} cairn_layout_values;

/// What a layout was created by.
typedef struct cairn_layout_given {
    bool           sized;     ///< With extents.
    bool           spans;     ///< With the values of queries, in `span`.
    bool           constants; ///< Levels of one value store it (version 1).
    cairn_interval span[CAIRN_MAX_QUERIES]; ///< What values queries have.
} cairn_layout_given;

typedef struct cairn_layout {
    const cairn_encoding *encoding; ///< Borrowed: outlives the layout.
    cairn_algebra        *algebra;
    int                   order, levels;
    cairn_layout_given    given;
    int64_t               extent[CAIRN_MAX_ORDER];
    cairn_interval        box[CAIRN_MAX_ORDER]; ///< Positions this rank stores.
    cairn_level           level[CAIRN_MAX_LEVELS];
    int     first, last; ///< S and E; without trim first = levels, last = -1.
    int     partition;   ///< Levels 0..partition number the banks; -1: none.
    int64_t banks;       ///< Product of their sizes, 1 without partition.
    cairn_layout_inverse inverse;
    bool                 pads; ///< Positions without an entry can have a value (0).
    cairn_packs          packs;
    cairn_layout_values  values;
} cairn_layout;

/// Infer the layout of an encoding.
///
/// Local.
///
/// @param[in]  extent  [order] global extents; NULL: kinds and arrays only, no sizes.
/// @param[in]  box     [order] this rank's positions; NULL: the whole tensor.
/// @param[in]  span    [queries] what each query's values are on this rank (from running
///                     them); NULL: the ranges by definition. Needed for levels that
///                     only running knows (distance, sum); for the others it may narrow
///                     reorder's range on a rank that has not everything.
/// @param[in]  value_bits 32 or 64; 8 or 16: values are words that are only moved
///                     (convert/value_words.h).
/// @param[out] layout  Destroy with cairn_layout_destroy(). Unchanged on failure.
///
/// @retval CAIRN_BAD_FORMAT  A digit's range is not covered (d1%4 alone needs N <= 4), a
///                           pack or a distance level has no sound arrays.
/// @retval CAIRN_OVERFLOW    A width of `bits` is too small; a range leaves 64 bits.
cairn_status cairn_layout_create(cairn_env            *env,
                                 const cairn_encoding *encoding,
                                 const int64_t        *extent,
                                 const cairn_interval *box,
                                 const cairn_interval *span,
                                 int                   value_bits,
                                 cairn_layout        **layout);

/// As cairn_layout_create(), by the rules of .cairn files of version 1: a level below E
/// whose expression is one value has an idx of one element. For reading such files.
cairn_status cairn_layout_create_v1(cairn_env            *env,
                                    const cairn_encoding *encoding,
                                    const int64_t        *extent,
                                    const cairn_interval *box,
                                    const cairn_interval *span,
                                    int                   value_bits,
                                    cairn_layout        **layout);

/// The same layout, its values stored in another way.
///
/// Local.
///
/// @param[in]  kind    ONE has the bits of the tensor's values.
/// @param[in]  bits    Of one value as it is stored.
/// @param[out] stored  Destroy with cairn_layout_destroy(). Unchanged on failure.
cairn_status cairn_layout_store(cairn_env          *env,
                                const cairn_layout *layout,
                                cairn_value_kind    kind,
                                int                 bits,
                                cairn_layout      **stored);

/// The same, of a tensor whose values are of another type.
cairn_status cairn_layout_carry(cairn_env          *env,
                                const cairn_layout *layout,
                                int                 carrier_bits,
                                cairn_value_kind    kind,
                                int                 bits,
                                cairn_layout      **stored);

/// Are its values stored as the tensor's type holds them?
static inline bool cairn_layout_is_wide(const cairn_layout *layout)
{
    return layout->values.kind
               == (layout->values.carrier_bits < 32 ? CAIRN_VALUE_INTEGER
                                                    : CAIRN_VALUE_FLOAT)
           && layout->values.bits == layout->values.carrier_bits;
}

/// Hold a layout once more, instead of inferring the same: what is returned is destroyed
/// like one of its own. It is constant from then on.
cairn_layout *cairn_layout_hold(const cairn_layout *layout);

/// Destroy a layout, unless others hold it.
void cairn_layout_destroy(cairn_env *env, cairn_layout **layout);

/// Is the level's expression one value whatever the sizes? A number that a query gives
/// is not.
bool cairn_level_is_constant(const cairn_level *level);

/// Is the value a field of the pack's tuples? So it is if no index lies below the pack
/// and each value is under exactly one tuple.
bool cairn_pack_takes_values(const cairn_layout *layout, const cairn_pack *pack);

/// Which levels store an index: bit L for level L.
cairn_status cairn_encoding_index_levels(cairn_env            *env,
                                         const cairn_encoding *encoding,
                                         uint32_t             *levels);

/// Rows per grain: rank boundaries that are multiples of it cut no block, bank row or
/// sorting window: the least common multiple of the c in d0/c and d0%c of the map and of
/// the queries' maps (1 when there is none; capped at 2^40).
int64_t cairn_encoding_grain(const cairn_encoding *encoding);

/// Positions of the largest group of some forms: on an unbounded box if that is finite,
/// else in @p box. Exact for single dimensions, blocks, diagonals and their products; an
/// upper bound for stranger groups.
cairn_status cairn_group_capacity(cairn_env            *env,
                                  const cairn_algebra  *algebra,
                                  int                   forms,
                                  const cairn_form     *form,
                                  const cairn_interval *box,
                                  int64_t              *positions);

/// Positions of the largest group in @p box (exactness as above).
cairn_status cairn_group_largest(cairn_env            *env,
                                 const cairn_algebra  *algebra,
                                 int                   forms,
                                 const cairn_form     *form,
                                 const cairn_interval *box,
                                 int64_t              *positions);

/// Range of a query's values by definition, on the whole tensor: enum 0..largest group
/// - 1, reorder 0..groups-1, schedule 0..buckets-1. @p known is false for those that
/// only running gives (sum, distance).
cairn_status cairn_query_range(cairn_env            *env,
                               const cairn_encoding *encoding,
                               int                   q,
                               const int64_t        *extent,
                               cairn_interval       *range,
                               bool                 *known);

#endif
