// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The look at a caller's coordinates. What is wrong with an entry is the sign of a
/// number, and the numbers of all entries are joined: compilers have vectors for that in
/// any width. Differences of coordinates that are in range do not overflow; of others it
/// is only asked whether they are in range.

#include "entries/entries_look.h"

#include "base/wide.h"

enum {
    PIECE       = 1 << 18, ///< Entries worth another thread,
    MOST_PIECES = 64,      ///< and pieces at most.
};

/// Signs of what is wrong, joined.
typedef struct {
    int64_t outside; ///< A coordinate is not in its range;
    int64_t falls;   ///< an entry comes before the one that stands before it,
    int64_t repeats; ///< or does not come after it.
} faults;

typedef struct {
    const cairn_given *given;
    const cairn_coord *least, *most;
    int                pieces;
    faults             found[MOST_PIECES];
} look;

#define INLINE static inline __attribute__((always_inline))

/// The faults of a matrix's entries from @p begin on, each held against the one before.
/// Where a row is the one before the difference less 1 is negative, since rows do not fall
/// (or that is a fault already); and likewise where a column is not to the right.
#define LOOK_AT_PAIRS(width)                                                       \
    INLINE uint##width##_t load_##width(const char *at)                            \
    {                                                                              \
        uint##width##_t number;                                                    \
                                                                                   \
        memcpy(&number, at, sizeof number);                                        \
        return number;                                                             \
    }                                                                              \
                                                                                   \
    INLINE faults pairs_##width(const look *l, int64_t stride, cairn_pos begin,    \
                                cairn_pos end, bool order)                         \
    {                                                                              \
        typedef uint##width##_t number;                                            \
        const char *const i = l->given->coord[0], *const j = l->given->coord[1];   \
        const number i0      = (number)(l->least[0] + l->given->base);             \
        const number j0      = (number)(l->least[1] + l->given->base);             \
        const number rows    = (number)(l->most[0] - l->least[0]);                 \
        const number cols    = (number)(l->most[1] - l->least[1]);                 \
        number       outside = 0, falls = 0, repeats = 0;                          \
                                                                                   \
        for (cairn_pos p = begin; p < end; p++) {                                  \
            const number a = load_##width(i + p * stride) - i0;                    \
            const number b = load_##width(j + p * stride) - j0;                    \
                                                                                   \
            outside |= a | b | (number)(rows - a) | (number)(cols - b);            \
        }                                                                          \
        for (cairn_pos p = begin > 0 ? begin : 1; order && p < end; p++) {         \
            const number a =                                                       \
                load_##width(i + p * stride) - load_##width(i + (p - 1) * stride); \
            const number b =                                                       \
                load_##width(j + p * stride) - load_##width(j + (p - 1) * stride); \
                                                                                   \
            falls |= a | ((a - 1) & b);                                            \
            repeats |= (a - 1) & (b - 1);                                          \
        }                                                                          \
        return (faults){(int##width##_t)outside, (int##width##_t)falls,            \
                        (int##width##_t)repeats};                                  \
    }

LOOK_AT_PAIRS(32)
LOOK_AT_PAIRS(64)

/// Sign of the first coordinate in which an entry differs from the one before; 0: none.
INLINE int64_t compare_entries(const cairn_given *given, cairn_pos p)
{
    for (int k = 0; k < given->order; k++) {
        const cairn_coord d      = cairn_given_coord(given, k, p);
        const cairn_coord before = cairn_given_coord(given, k, p - 1);

        if (d != before) return d < before ? -1 : 1;
    }
    return 0;
}

/// Of any order.
static faults look_at_any(const look *l, cairn_pos begin, cairn_pos end)
{
    const cairn_given given = *l->given;
    faults            f     = {0, 0, 0};

    for (cairn_pos p = begin; p < end; p++) {
        for (int k = 0; k < given.order; k++) {
            const cairn_coord d = cairn_given_coord(&given, k, p);

            if (d < l->least[k] || d > l->most[k]) f.outside = -1;
        }
        if (p == 0) continue;
        const int64_t sign = compare_entries(&given, p);

        f.falls |= sign;
        f.repeats |= sign - 1;
    }
    return f;
}

/// Blocks that stay in cache, since pairs are read twice.
/// @param order  Is their order still of interest?
CAIRN_WIDE static faults
look_at_block(const look *l, cairn_pos begin, cairn_pos end, bool order)
{
    const int64_t stride = l->given->stride;

    if (l->given->order != 2) return look_at_any(l, begin, end);
    if (l->given->bits == 32)
        return stride == 4   ? pairs_32(l, 4, begin, end, order)
               : stride == 8 ? pairs_32(l, 8, begin, end, order)
                             : pairs_32(l, stride, begin, end, order);
    return stride == 8    ? pairs_64(l, 8, begin, end, order)
           : stride == 16 ? pairs_64(l, 16, begin, end, order)
                          : pairs_64(l, stride, begin, end, order);
}

static void look_at_piece(void *user, int piece)
{
    enum { BLOCK = 1 << 10 };
    look *const     l     = user;
    const cairn_pos n     = l->given->n;
    const cairn_pos begin = (cairn_pos)((__int128)n * piece / l->pieces);
    const cairn_pos end   = (cairn_pos)((__int128)n * (piece + 1) / l->pieces);
    faults          all   = {0, 0, 0};

    for (cairn_pos p = begin; p < end && all.outside >= 0; p += BLOCK) {
        const faults f =
            look_at_block(l, p, p + BLOCK < end ? p + BLOCK : end, all.falls >= 0);

        all.outside |= f.outside;
        all.falls |= f.falls;
        all.repeats |= f.repeats;
    }
    l->found[piece] = all;
}

/// Ranges that the width holds: what it does not hold is not given.
static void narrow(const cairn_given *given,
                   const cairn_coord *least,
                   const cairn_coord *most,
                   cairn_coord       *lo,
                   cairn_coord       *hi)
{
    const cairn_coord top =
        (given->bits == 32 ? (cairn_coord)INT32_MAX : INT64_MAX / 2) - given->base;

    for (int k = 0; k < given->order; k++) {
        lo[k] = least[k] > top ? top : least[k];
        hi[k] = most[k] > top ? top : most[k];
        if (least[k] > top) hi[k] = lo[k] - 1; /* none is in range */
    }
}

bool cairn_given_ascends(const cairn_given *given,
                         const cairn_coord *least,
                         const cairn_coord *most,
                         cairn_pos          begin,
                         cairn_pos          end)
{
    cairn_coord lo[CAIRN_MAX_ORDER], hi[CAIRN_MAX_ORDER];
    look        l = {.given = given, .least = lo, .most = hi, .pieces = 1};

    narrow(given, least, most, lo, hi);
    const faults f = look_at_block(&l, begin, end, true);

    return f.outside >= 0 && f.falls >= 0 && f.repeats >= 0;
}

void cairn_given_look(cairn_env         *env,
                      const cairn_given *given,
                      const cairn_coord *least,
                      const cairn_coord *most,
                      cairn_given_seen  *seen)
{
    cairn_coord   lo[CAIRN_MAX_ORDER], hi[CAIRN_MAX_ORDER];
    const int64_t wanted  = given->n / PIECE + 1;
    const int     threads = env->options.threads;
    look          l       = {.given = given, .least = lo, .most = hi};
    faults        all     = {0, 0, 0};

    narrow(given, least, most, lo, hi);
    l.pieces = wanted < MOST_PIECES ? (int)wanted : MOST_PIECES;
    if (threads <= 1) l.pieces = 1;
    cairn_thread_pool_run(&env->thread_pool, threads, look_at_piece, &l, l.pieces);
    for (int k = 0; k < l.pieces; k++) {
        all.outside |= l.found[k].outside;
        all.falls |= l.found[k].falls;
        all.repeats |= l.found[k].repeats;
    }
    seen->inside = all.outside >= 0;
    seen->sorted = seen->inside && all.falls >= 0;
    seen->once   = seen->sorted && all.repeats >= 0;
}
