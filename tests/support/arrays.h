// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// For tests of arrays in and out: views of all parts of a tensor, copies of them in
/// malloc'ed memory, a tensor around either.

#ifndef CAIRN_TESTS_SUPPORT_ARRAYS_H
#define CAIRN_TESTS_SUPPORT_ARRAYS_H

#include "api.h"

enum { ARRAYS_PARTS = 600, ARRAYS_BLOCKS = 40 };

/// The parts of a tensor on this rank.
typedef struct {
    int64_t           n;
    cairn_part_view   view[ARRAYS_PARTS];
    cairn_kernel_part own[ARRAYS_PARTS]; ///< Of copies.
    int               blocks;
    void             *block[ARRAYS_PARTS * ARRAYS_BLOCKS];
} parts_seen;

/// Look at all parts. Ended with parts_restore().
static inline void
parts_get(cairn_context *context, cairn_tensor *tensor, parts_seen *seen)
{
    seen->n      = 0;
    seen->blocks = 0;
    for (;;) {
        cairn_part_view *view = &seen->view[seen->n];

        cr_assert_lt(seen->n, ARRAYS_PARTS);
        *view = (cairn_part_view)CAIRN_PART_VIEW;
        if (cairn_tensor_part_get(tensor, seen->n, view) != CAIRN_OK) break;
        seen->n++;
    }
    (void)context;
}

static inline void
parts_restore(cairn_context *context, cairn_tensor *tensor, parts_seen *seen)
{
    for (int64_t k = 0; k < seen->n; k++)
        MUST(context, cairn_tensor_part_restore(tensor, &seen->view[k]));
    seen->n = 0;
}

/// Bytes from @p at on that belong to one block: arrays and tuples' fields that overlap.
typedef struct {
    char   *begin, *end, *copy;
    int64_t stride; ///< The largest; a tuple's fields end beyond its last one.
} bytes_range;

/// Add @p length elements, @p stride bytes apart.
static inline void
range_add(bytes_range *list, int *n, const void *at, int64_t length, int64_t stride)
{
    const int64_t bytes = length * stride;
    bytes_range   fresh = {(char *)(uintptr_t)at, (char *)(uintptr_t)at + bytes, NULL,
                           stride};

    if (!at || bytes <= 0) return;
    for (int k = 0; k < *n; k++)
        if (fresh.begin < list[k].end && list[k].begin < fresh.end) {
            if (list[k].begin < fresh.begin) fresh.begin = list[k].begin;
            if (list[k].end > fresh.end) fresh.end = list[k].end;
            if (list[k].stride > fresh.stride) fresh.stride = list[k].stride;
            list[k] = list[--*n];
            k       = -1;
        }
    cr_assert_lt(*n, ARRAYS_BLOCKS);
    list[(*n)++] = fresh;
}

static inline void *range_copy_of(const bytes_range *list, int n, const void *at)
{
    for (int k = 0; k < n && at; k++)
        if ((const char *)at >= list[k].begin && (const char *)at < list[k].end)
            return list[k].copy + ((const char *)at - list[k].begin);
    return NULL;
}

/// Put copies of all arrays in the place of views: each array, or array of tuples, is one
/// block of malloc(). Views stay out; `own` may be changed.
static inline void parts_copy(parts_seen *seen)
{
    for (int64_t p = 0; p < seen->n; p++) {
        cairn_kernel_part *own = &seen->own[p];
        bytes_range        list[ARRAYS_BLOCKS];
        int                n = 0;

        *own = *seen->view[p].arrays;
        for (int l = 0; l < own->levels; l++) {
            const cairn_kernel_level *level = &own->level[l];

            range_add(list, &n, level->ptr, level->ptr_length, level->ptr_bits / 8);
            range_add(list, &n, level->idx, level->idx_length, level->idx_stride);
        }
        if (own->val_kind == CAIRN_VALUE_ONE)
            range_add(list, &n, own->val, own->values > 0, own->val_bits / 8);
        else
            range_add(list, &n, own->val,
                      own->val_block > 0 ? own->values / own->val_block : 0,
                      own->val_stride);
        if (own->dictionary)
            range_add(list, &n, own->dictionary, INT64_C(1) << own->val_bits,
                      sizeof(double));
        for (int k = 0; k < n; k++) {
            const int64_t past  = (list[k].end - list[k].begin) % list[k].stride;
            const size_t  bytes = (size_t)(list[k].end - list[k].begin - past);

            list[k].copy = malloc(bytes);
            memcpy(list[k].copy, list[k].begin, bytes);
            seen->block[seen->blocks++] = list[k].copy;
        }
        for (int l = 0; l < own->levels; l++) {
            cairn_kernel_level *level = &own->level[l];

            level->ptr = range_copy_of(list, n, level->ptr_length ? level->ptr : NULL);
            level->idx = range_copy_of(list, n, level->idx_length ? level->idx : NULL);
        }
        own->val        = range_copy_of(list, n, own->values ? own->val : NULL);
        own->dictionary = range_copy_of(list, n, own->dictionary);
    }
}

/// What a caller would hand over: the copies.
static inline void parts_of_copies(const parts_seen *seen, cairn_part_view *view)
{
    for (int64_t p = 0; p < seen->n; p++) {
        view[p]        = seen->view[p];
        view[p].arrays = &seen->own[p];
    }
}

static inline void parts_free(parts_seen *seen)
{
    while (seen->blocks > 0)
        free(seen->block[--seen->blocks]);
}

/// Of CAIRN_TAKE: frees the array, and counts.
static inline void parts_release(void *user, void *array)
{
    free(array);
    ++*(int *)user;
}

/// Are the arrays of two tensors the same, byte for byte?
static inline bool parts_same(const parts_seen *a, const parts_seen *b)
{
    if (a->n != b->n) return false;
    for (int64_t p = 0; p < a->n; p++) {
        const cairn_kernel_part *x = a->view[p].arrays, *y = b->view[p].arrays;

        if (a->view[p].nnz != b->view[p].nnz || x->values != y->values) return false;
        if (x->val_kind != y->val_kind || x->val_bits != y->val_bits) return false;
        if (x->dictionary
            && memcmp(x->dictionary, y->dictionary, sizeof(double) << x->val_bits) != 0)
            return false;
        for (int l = 0; l < x->levels; l++) {
            const cairn_kernel_level *u = &x->level[l], *v = &y->level[l];
            const size_t              width = (size_t)u->idx_bits / 8;

            if (u->ptr_length != v->ptr_length || u->idx_length != v->idx_length
                || u->ptr_bits != v->ptr_bits || u->idx_bits != v->idx_bits)
                return false;
            if (u->ptr_length
                && memcmp(u->ptr, v->ptr, (size_t)u->ptr_length * u->ptr_bits / 8) != 0)
                return false;
            for (int64_t k = 0; k < u->idx_length; k++)
                if (memcmp((const char *)u->idx + k * u->idx_stride,
                           (const char *)v->idx + k * v->idx_stride, width)
                    != 0)
                    return false;
        }
        for (int64_t v = 0; v < x->values; v++) {
            const size_t width = (size_t)x->val_bits / 8;
            const char  *s     = (const char *)x->val + v / x->val_block * x->val_stride
                            + v % x->val_block * (int64_t)width;
            const char *t = (const char *)y->val + v / y->val_block * y->val_stride
                            + v % y->val_block * (int64_t)width;

            if (memcmp(s, t, width) != 0) return false;
        }
    }
    return true;
}

#endif
