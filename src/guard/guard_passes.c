// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Passes over vectors, for checks of products.

#include "guard/guard_passes.h"

#include "base/wide.h"

#include <math.h>
#include <string.h>

/* Eight numbers of a chain each are what the widest registers hold; four chains of these
   hide what an addition takes. */
enum {
    LANES       = CAIRN_GUARD_BLOCK,
    STRIDE      = 4 * LANES,
    LEAF_BLOCKS = 192 /* 55 additions at most, fewer than a second look has */
};

typedef double  lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t words __attribute__((vector_size(LANES * sizeof(int64_t))));
typedef float   halves __attribute__((vector_size(LANES * sizeof(float))));

/// Four chains.
typedef struct {
    lanes a, b, c, d;
} chains;

static inline double join_lanes(const lanes *v)
{
    return (((*v)[0] + (*v)[1]) + ((*v)[2] + (*v)[3]))
           + (((*v)[4] + (*v)[5]) + ((*v)[6] + (*v)[7]));
}

static inline double join(const chains *s)
{
    const lanes v = (s->a + s->b) + (s->c + s->d);

    return join_lanes(&v);
}

static inline void load_f64(lanes *v, const double *at)
{
    memcpy(v, at, sizeof *v);
}

static inline void load_f32(lanes *v, const float *at)
{
    halves narrow;

    memcpy(&narrow, at, sizeof narrow);
    *v = __builtin_convertvector(narrow, lanes);
}

static inline void take_size(lanes *v)
{
    words bits;

    memcpy(&bits, v, sizeof bits);
    bits &= INT64_MAX;
    memcpy(v, &bits, sizeof bits);
}

/// What block k is of.
#define W_OF(k) (w + (k)*LANES)
#define X_OF(k) (x + at[k])

/// The passes over one type of numbers.
#define DEFINE_PASSES(name, type)                                                      \
    static inline void add_lanes_##name(const type *y, lanes *sum)                     \
    {                                                                                  \
        lanes v;                                                                       \
                                                                                       \
        load_##name(&v, y);                                                            \
        *sum += v;                                                                     \
    }                                                                                  \
                                                                                       \
    CAIRN_WIDE static void add_up_##name(const type *y, int64_t n, long double *all)   \
    {                                                                                  \
        for (int64_t i = 0; i < n; i += CAIRN_GUARD_LEAF) {                            \
            const int64_t end  = i + CAIRN_GUARD_LEAF < n ? i + CAIRN_GUARD_LEAF : n;  \
            chains        sum  = {0};                                                  \
            double        rest = 0;                                                    \
            int64_t       k    = i;                                                    \
                                                                                       \
            for (; k + STRIDE <= end; k += STRIDE) {                                   \
                add_lanes_##name(y + k, &sum.a);                                       \
                add_lanes_##name(y + k + LANES, &sum.b);                               \
                add_lanes_##name(y + k + 2 * LANES, &sum.c);                           \
                add_lanes_##name(y + k + 3 * LANES, &sum.d);                           \
            }                                                                          \
            for (; k < end; k++)                                                       \
                rest += y[k];                                                          \
            *all += join(&sum) + rest;                                                 \
        }                                                                              \
    }                                                                                  \
                                                                                       \
    static inline void multiply_lanes_##name(const double *w, const type *x,           \
                                             lanes *sum)                               \
    {                                                                                  \
        lanes u, v;                                                                    \
                                                                                       \
        load_f64(&u, w);                                                               \
        load_##name(&v, x);                                                            \
        *sum += u * v;                                                                 \
    }                                                                                  \
                                                                                       \
    CAIRN_WIDE static void multiply_##name(const double *w, const type *x, int64_t n,  \
                                           long double *all)                           \
    {                                                                                  \
        for (int64_t i = 0; i < n; i += CAIRN_GUARD_LEAF) {                            \
            const int64_t end  = i + CAIRN_GUARD_LEAF < n ? i + CAIRN_GUARD_LEAF : n;  \
            chains        sum  = {0};                                                  \
            double        rest = 0;                                                    \
            int64_t       k    = i;                                                    \
                                                                                       \
            for (; k + STRIDE <= end; k += STRIDE) {                                   \
                multiply_lanes_##name(w + k, x + k, &sum.a);                           \
                multiply_lanes_##name(w + k + LANES, x + k + LANES, &sum.b);           \
                multiply_lanes_##name(w + k + 2 * LANES, x + k + 2 * LANES, &sum.c);   \
                multiply_lanes_##name(w + k + 3 * LANES, x + k + 3 * LANES, &sum.d);   \
            }                                                                          \
            for (; k < end; k++)                                                       \
                rest += w[k] * x[k];                                                   \
            *all += join(&sum) + rest;                                                 \
        }                                                                              \
    }                                                                                  \
                                                                                       \
    CAIRN_WIDE static void multiply_blocks_##name(const double *w, const uint32_t *at, \
                                                  int64_t n, const type *x,            \
                                                  long double *all)                    \
    {                                                                                  \
        for (int64_t end = n; end > 0; end -= LEAF_BLOCKS) {                           \
            chains  sum = {0};                                                         \
            int64_t k   = end > LEAF_BLOCKS ? end - LEAF_BLOCKS : 0;                   \
                                                                                       \
            for (; k + 4 <= end; k += 4) {                                             \
                multiply_lanes_##name(W_OF(k), X_OF(k), &sum.a);                       \
                multiply_lanes_##name(W_OF(k + 1), X_OF(k + 1), &sum.b);               \
                multiply_lanes_##name(W_OF(k + 2), X_OF(k + 2), &sum.c);               \
                multiply_lanes_##name(W_OF(k + 3), X_OF(k + 3), &sum.d);               \
            }                                                                          \
            for (; k < end; k++)                                                       \
                multiply_lanes_##name(W_OF(k), X_OF(k), &sum.a);                       \
            *all += join(&sum);                                                        \
        }                                                                              \
    }                                                                                  \
                                                                                       \
    CAIRN_WIDE static void multiply_alike_##name(const double *w, const uint32_t *at,  \
                                                 int64_t n, const type *x,             \
                                                 long double *all)                     \
    {                                                                                  \
        lanes u;                                                                       \
                                                                                       \
        load_f64(&u, w);                                                               \
        for (int64_t end = n; end > 0; end -= LEAF_BLOCKS) {                           \
            chains  sum = {0};                                                         \
            int64_t k   = end > LEAF_BLOCKS ? end - LEAF_BLOCKS : 0;                   \
                                                                                       \
            for (; k + 4 <= end; k += 4) {                                             \
                add_lanes_##name(X_OF(k), &sum.a);                                     \
                add_lanes_##name(X_OF(k + 1), &sum.b);                                 \
                add_lanes_##name(X_OF(k + 2), &sum.c);                                 \
                add_lanes_##name(X_OF(k + 3), &sum.d);                                 \
            }                                                                          \
            for (; k < end; k++)                                                       \
                add_lanes_##name(X_OF(k), &sum.a);                                     \
            sum.a = u * ((sum.a + sum.b) + (sum.c + sum.d));                           \
            *all += join_lanes(&sum.a);                                                \
        }                                                                              \
    }                                                                                  \
                                                                                       \
    CAIRN_WIDE static void multiply_sizes_##name(const double *size, int64_t sample,   \
                                                 const type *x, int64_t n,             \
                                                 long double *all)                     \
    {                                                                                  \
        double rest = 0;                                                               \
                                                                                       \
        for (; n >= sample; n -= CAIRN_GUARD_STRETCH) {                                \
            lanes sum = {0}, s, v;                                                     \
                                                                                       \
            for (int64_t k = 0; k < sample; k += LANES) {                              \
                load_f64(&s, size + k);                                                \
                load_##name(&v, x + k);                                                \
                take_size(&v);                                                         \
                sum += s * v;                                                          \
            }                                                                          \
            *all += join(&(chains){.a = sum});                                         \
            size += sample;                                                            \
            x += CAIRN_GUARD_STRETCH;                                                  \
        }                                                                              \
        for (int64_t k = 0; k < n; k++)                                                \
            rest += size[k] * fabs((double)x[k]);                                      \
        *all += rest;                                                                  \
    }

DEFINE_PASSES(f64, double)
DEFINE_PASSES(f32, float)

long double cairn_guard_add_up(const cairn_guard_vector *y)
{
    long double all = 0;

    if (y->narrow)
        add_up_f32(y->value, y->n, &all);
    else
        add_up_f64(y->value, y->n, &all);
    return all;
}

long double cairn_guard_multiply(const double *w, const cairn_guard_vector *x)
{
    long double all = 0;

    if (x->narrow)
        multiply_f32(w, x->value, x->n, &all);
    else
        multiply_f64(w, x->value, x->n, &all);
    return all;
}

long double cairn_guard_multiply_blocks(const double             *w,
                                        const uint32_t           *at,
                                        int64_t                   n,
                                        const cairn_guard_vector *x)
{
    long double all = 0;

    if (x->narrow)
        multiply_blocks_f32(w, at, n, x->value, &all);
    else
        multiply_blocks_f64(w, at, n, x->value, &all);
    return all;
}

long double cairn_guard_multiply_alike(const double             *w,
                                       const uint32_t           *at,
                                       int64_t                   n,
                                       const cairn_guard_vector *x)
{
    long double all = 0;

    if (x->narrow)
        multiply_alike_f32(w, at, n, x->value, &all);
    else
        multiply_alike_f64(w, at, n, x->value, &all);
    return all;
}

long double cairn_guard_multiply_sizes(const double             *size,
                                       int64_t                   sample,
                                       const cairn_guard_vector *x)
{
    long double all = 0;

    if (x->narrow)
        multiply_sizes_f32(size, sample, x->value, x->n, &all);
    else
        multiply_sizes_f64(size, sample, x->value, x->n, &all);
    return all;
}
