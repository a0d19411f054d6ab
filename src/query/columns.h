// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Expressions and value maps over many elements at once. What they are made of (a
/// dimension, a query's value) mostly stands in memory, one number an element; then they
/// are computed a chunk at a time, small enough for the first-level cache, by loops over
/// numbers. What does not stand in memory (positions of a box, values at groups that must
/// be searched for) is evaluated element by element, as evaluate.c does.

#ifndef CAIRN_QUERY_COLUMNS_H
#define CAIRN_QUERY_COLUMNS_H

#include "query/set.h"

enum { CAIRN_CHUNK = 512 }; ///< Elements of a chunk: 4 KB a column.

/// One number for each element: data[step * (index ? index[p] : p)] * scale.
typedef struct cairn_input {
    const int64_t *data;
    const int64_t *index; ///< NULL: the element's own number.
    int64_t        step;  ///< 0: the same for all.
    int64_t        scale; ///< 1 for values of queries.
} cairn_input;

static inline int64_t cairn_input_at(const cairn_input *input, int64_t p)
{
    return input->data[(input->index ? input->index[p] : p) * input->step]
           * input->scale;
}

/// Value of query @p r at the elements; false if it does not stand in memory.
bool cairn_input_of_query(const cairn_query_set *set,
                          const cairn_elements  *elements,
                          int                    r,
                          cairn_input           *input);

/// Reads one form of a map at elements, chunk by chunk.
typedef struct cairn_reader {
    cairn_query_set       *set;
    const cairn_elements  *elements;
    const cairn_query_map *map;
    int                    f;
    bool                   fast;   ///< All inputs are known; else element by element.
    bool                   is_own; ///< The form is the input `own`.
    uint32_t               dims, queries; ///< What the form depends on.
    cairn_input            own, dim[CAIRN_MAX_ORDER], query[CAIRN_MAX_QUERIES];
} cairn_reader;

/// Local. Nothing is allocated.
void cairn_reader_init(cairn_query_set       *set,
                       const cairn_elements  *elements,
                       const cairn_query_map *map,
                       int                    f,
                       cairn_reader          *reader);

/// Values at elements begin..begin+n-1, n at most CAIRN_CHUNK.
///
/// @param[out] buffer  [CAIRN_CHUNK] may be used.
/// @param[out] values  [n]: in the buffer, or where they stand anyway.
cairn_status cairn_reader_read(const cairn_reader *reader,
                               int64_t             begin,
                               int                 n,
                               int64_t            *buffer,
                               const int64_t     **values);

/// A value map over elements.
typedef struct cairn_rules {
    cairn_query_set      *set;
    const cairn_query    *query;
    const cairn_elements *elements;
    bool                  fast; ///< All inputs are known; else element by element.
    bool                  one_arm, one_start; ///< The same for all elements:
    int                   arm;
    int64_t               start;
    uint32_t              never; ///< Bit c: case c holds of none.
    int                   last;  ///< The arm of those that no case before it took.
    cairn_input           when[CAIRN_MAX_CASES];     ///< What each case compares,
    cairn_input           then[CAIRN_MAX_CASES + 1]; ///< what it starts with.
} cairn_rules;

/// Local. Nothing is allocated.
void cairn_rules_init(cairn_query_set      *set,
                      int                   q,
                      const cairn_elements *elements,
                      cairn_rules          *rules);

/// What the value map says of elements begin..begin+n-1, n at most CAIRN_CHUNK.
///
/// @param[out] arm    [n] or NULL.
/// @param[out] start  [n]; CAIRN_NO_NUMBER: none.
cairn_status cairn_rules_read(const cairn_rules *rules,
                              int64_t            begin,
                              int                n,
                              int64_t           *arm,
                              int64_t           *start);

#endif
