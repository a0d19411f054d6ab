// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Loops over lists of each width. What ascends under each parent falls, or stays, only
/// where a parent's children begin.

#include "tensor/lists.h"

#include "base/wide.h"

/* Numbers are compared from `lo` on, which makes them unsigned. Counts are kept in 32 bits
   and results in the numbers' own width, for which compilers have vectors. */
#define LOOPS(bits)                                                                  \
    typedef uint##bits##_t list_##bits;                                              \
                                                                                     \
    CAIRN_WIDE static bool rises_##bits(const list_##bits *ptr, int64_t n)           \
    {                                                                                \
        list_##bits falls = 0;                                                       \
                                                                                     \
        for (int64_t k = 1; k < n; k++)                                              \
            falls |= ptr[k] < ptr[k - 1];                                            \
        return falls == 0;                                                           \
    }                                                                                \
                                                                                     \
    CAIRN_WIDE static bool within_##bits(const list_##bits *idx, int64_t n,          \
                                         list_##bits lo, list_##bits span)           \
    {                                                                                \
        list_##bits outside = 0;                                                     \
                                                                                     \
        for (int64_t k = 0; k < n; k++)                                              \
            outside |= (list_##bits)(idx[k] - lo) > span;                            \
        return outside == 0;                                                         \
    }                                                                                \
                                                                                     \
    CAIRN_WIDE static int64_t falls_##bits(const list_##bits *idx, int64_t begin,    \
                                           int64_t end, list_##bits lo)              \
    {                                                                                \
        uint32_t falls = 0;                                                          \
                                                                                     \
        for (int64_t k = begin; k < end; k++)                                        \
            falls += (list_##bits)(idx[k] - lo) <= (list_##bits)(idx[k - 1] - lo);   \
        return falls;                                                                \
    }                                                                                \
                                                                                     \
    CAIRN_WIDE static void mark_##bits(const list_##bits *idx, int64_t n,            \
                                       list_##bits lo, uint8_t *falls)               \
    {                                                                                \
        for (int64_t k = 0; k < n; k++)                                              \
            falls[k] = (list_##bits)(idx[k] - lo) <= (list_##bits)(idx[k - 1] - lo); \
    }                                                                                \
                                                                                     \
    /* Begins of parents from number `k` on, as far as they lie before `end`. */     \
    static int64_t begins_##bits(const list_##bits *ptr, int64_t n, int64_t k,       \
                                 int64_t begin, int64_t end, uint8_t *falls)         \
    {                                                                                \
        for (; k < n && (int64_t)ptr[k] < end; k++)                                  \
            falls[(int64_t)ptr[k] - begin] = 0;                                      \
        return k;                                                                    \
    }

static inline int64_t load_ptr(const cairn_kernel_level *level, int64_t k)
{
    if (level->ptr_bits == 32) return ((const uint32_t *)level->ptr)[k];
    return cairn_load_int(level->ptr, k, level->ptr_bits / 8, level->ptr_bits, false);
}

LOOPS(8)
LOOPS(16)
LOOPS(32)
LOOPS(64)

/// The function of a width.
#define OF_WIDTH(name, bits, ...)            \
    ((bits) == 8    ? name##_8(__VA_ARGS__)  \
     : (bits) == 16 ? name##_16(__VA_ARGS__) \
     : (bits) == 32 ? name##_32(__VA_ARGS__) \
                    : name##_64(__VA_ARGS__))

bool cairn_ptr_never_falls(const cairn_kernel_level *level)
{
    return level->ptr_length == 0
           || OF_WIDTH(rises, level->ptr_bits, level->ptr, level->ptr_length);
}

bool cairn_ptr_rises(const cairn_kernel_level *level)
{
    const int64_t n = level->ptr_length;

    if (n == 0) return true;
    return load_ptr(level, 0) == 0 && load_ptr(level, n - 1) == level->nodes
           && cairn_ptr_never_falls(level);
}

static bool lies_close(const cairn_kernel_level *level)
{
    return level->idx_bits > 0 && level->idx_stride == level->idx_bits / 8;
}

/// A range as the unsigned numbers of a width: how far from `lo` on it reaches.
typedef struct {
    uint64_t lo, span;
} width_range;

/// False: the width holds less than the range, and another look has to tell.
static bool range_of_width(int bits, cairn_interval range, width_range *r)
{
    const uint64_t most = UINT64_MAX >> (64 - bits);

    r->lo   = (uint64_t)range.lo & most;
    r->span = (uint64_t)range.hi - (uint64_t)range.lo;
    return range.lo <= range.hi && r->span <= most;
}

bool cairn_idx_is_within(const cairn_kernel_level *level, cairn_interval range)
{
    width_range r;

    if (!lies_close(level)) return false;
    if (level->idx_length == 0) return true;
    return range_of_width(level->idx_bits, range, &r)
           && OF_WIDTH(within, level->idx_bits, level->idx, level->idx_length, r.lo,
                       r.span);
}

/* ---- the span of a list ---- */

#define SPANS(type)                                                              \
    CAIRN_WIDE static cairn_interval span_of_##type(const void *list, int64_t n) \
    {                                                                            \
        const type *idx = list;                                                  \
        type        lo = idx[0], hi = idx[0];                                    \
                                                                                 \
        for (int64_t k = 1; k < n; k++) {                                        \
            lo = idx[k] < lo ? idx[k] : lo;                                      \
            hi = idx[k] > hi ? idx[k] : hi;                                      \
        }                                                                        \
        return (cairn_interval){(int64_t)lo, (int64_t)hi};                       \
    }

SPANS(int8_t)
SPANS(int16_t)
SPANS(int32_t)
SPANS(int64_t)
SPANS(uint8_t)
SPANS(uint16_t)
SPANS(uint32_t)

static const cairn_interval no_index = {INT64_MAX, INT64_MIN};

static cairn_interval join_spans(cairn_interval a, cairn_interval b)
{
    return (cairn_interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

/// Of a tuple's field, or of a list that has holes, index by index.
static cairn_interval
span_by_one(const cairn_kernel_level *level, int64_t begin, int64_t end)
{
    cairn_interval span = no_index;

    for (int64_t k = begin; k < end; k++) {
        const int64_t e = cairn_load_int(level->idx, k, level->idx_stride,
                                         level->idx_bits, level->idx_signed);

        if (e != level->hole) span = join_spans(span, (cairn_interval){e, e});
    }
    return span;
}

/// Of the indices begin .. end-1, of which there are some, of a list that @p lies_close.
static cairn_interval
span_between(const cairn_kernel_level *level, int64_t begin, int64_t end)
{
    const char *const at = (const char *)level->idx + begin * level->idx_stride;
    const int64_t     n  = end - begin;

    switch (level->idx_bits * (level->idx_signed ? -1 : 1)) {
    case -8: return span_of_int8_t(at, n);
    case -16: return span_of_int16_t(at, n);
    case -32: return span_of_int32_t(at, n);
    case 8: return span_of_uint8_t(at, n);
    case 16: return span_of_uint16_t(at, n);
    case 32: return span_of_uint32_t(at, n);
    default: return span_of_int64_t(at, n);
    }
}

cairn_interval
cairn_idx_span(const cairn_kernel_level *level, bool holes, int64_t begin, int64_t end)
{
    if (begin >= end) return no_index;
    return lies_close(level) && !holes ? span_between(level, begin, end)
                                       : span_by_one(level, begin, end);
}

/// Falls of the whole list.
static int64_t count_falls(const cairn_kernel_level *level, int64_t lo)
{
    enum { BLOCK = 1 << 30 }; /* counted by 32 bits */
    int64_t falls = 0;

    for (int64_t k = 1; k < level->idx_length; k += BLOCK) {
        const int64_t end =
            level->idx_length - k < BLOCK ? level->idx_length : k + BLOCK;

        falls += OF_WIDTH(falls, level->idx_bits, level->idx, k, end, lo);
    }
    return falls;
}

CAIRN_WIDE static bool any(const uint8_t *falls, int64_t n)
{
    uint8_t some = 0;

    for (int64_t k = 0; k < n; k++)
        some |= falls[k];
    return some != 0;
}

/// The first parent whose children begin at @p at or behind it.
static int64_t first_parent(const cairn_kernel_level *level, int64_t at)
{
    int64_t first = 0, n = at > 0 ? level->ptr_length : 0;

    while (n > 0) {
        const int64_t half = n / 2;
        const bool    less = load_ptr(level, first + half) < at;

        first += less ? half + 1 : 0;
        n = less ? n - half - 1 : half;
    }
    return first;
}

/// Does every fall among indices first..end-1, or to the first of them, stand where a
/// parent's children begin? Falls are marked, and the marks at such beginnings taken away,
/// which needs no look at how many children there are.
///
/// @param[in] within  Not NULL: is every index in this range, too? Each block is asked while
///                    it is in the first cache.
static bool falls_at_begins(const cairn_kernel_level *level,
                            int64_t                   lo,
                            const width_range        *within,
                            int64_t                   first,
                            int64_t                   end)
{
    enum { BLOCK = 4096 }; /* marks that stay in the first cache */
    uint8_t falls[BLOCK];
    int64_t parent = first_parent(level, first);

    for (int64_t begin = first; begin < end; begin += BLOCK) {
        const int64_t n = end - begin < BLOCK ? end - begin : BLOCK, skip = begin == 0;
        const void *const at =
            (const void *)((const char *)level->idx + begin * level->idx_stride);

        if (within
            && !OF_WIDTH(within, level->idx_bits, at, n, within->lo, within->span))
            return false;
        falls[0] = 0;
        OF_WIDTH(mark, level->idx_bits,
                 (const void *)((const char *)at + skip * level->idx_stride), n - skip,
                 lo, falls + skip);
        parent = OF_WIDTH(begins, level->ptr_bits, level->ptr, level->ptr_length,
                          parent, begin, begin + n, falls);
        if (any(falls, n)) return false;
    }
    return true;
}

bool cairn_idx_ascends_within(const cairn_kernel_level *level,
                              cairn_interval            range,
                              int64_t                   begin,
                              int64_t                   end)
{
    width_range r;

    return lies_close(level) && range_of_width(level->idx_bits, range, &r)
           && falls_at_begins(level, range.lo, &r, begin, end);
}

bool cairn_idx_ascends(const cairn_kernel_level *level,
                       bool                      has_ptr,
                       cairn_interval            range)
{
    if (!lies_close(level)) return false;
    return has_ptr ? falls_at_begins(level, range.lo, NULL, 0, level->idx_length)
                   : count_falls(level, range.lo) == 0;
}
