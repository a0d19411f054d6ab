// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Entries sorted by coordinates, duplicates added. Three ways, by what they are like:
/// entries in order are left alone; those in the order of columns, as most files have
/// them, are scattered to their rows in one pass; others are packed into words with their
/// values, so that nothing is fetched from far away afterwards.

#include "base/offsets.h"
#include "entries/entries_words.h"

#include <string.h>

enum {
    AHEAD       = 32,      ///< Entries between a prefetch and its use.
    CHUNK       = 1 << 17, ///< Entries whose order is worth another thread,
    MOST_CHUNKS = 256,     ///< if they are not too many.
};

/// -1, 0, 1: how entry p compares with entry q by coordinates.
static int compare(const cairn_entries *entries, cairn_pos p, cairn_pos q)
{
    for (int k = 0; k < entries->order; k++) {
        const cairn_coord a = entries->coord[k][p], b = entries->coord[k][q];

        if (a != b) return a < b ? -1 : 1;
    }
    return 0;
}

/// A look at the order, by several threads.
typedef struct {
    const cairn_entries *entries;
    int                  chunks;
    _Atomic bool         wrong, duplicates;
} order_check;

/// How a chunk's entries, and the one before, follow each other.
static void check_chunk(void *given, int chunk)
{
    order_check *const c     = given;
    const cairn_pos    n     = c->entries->n;
    const cairn_pos    begin = (cairn_pos)((__int128)n * chunk / c->chunks);
    const cairn_pos    end   = (cairn_pos)((__int128)n * (chunk + 1) / c->chunks);
    bool               equal = false;

    if (c->wrong) return;
    for (cairn_pos p = begin ? begin : 1; p < end; p++) {
        const int order = compare(c->entries, p - 1, p);

        if (order > 0) {
            c->wrong = true;
            return;
        }
        equal = equal || order == 0;
    }
    if (equal) c->duplicates = true;
}

static bool sorted(cairn_env *env, const cairn_entries *entries, bool *duplicates)
{
    const cairn_pos chunks = entries->n / CHUNK + 1;
    order_check     c      = {.entries = entries,
                              .chunks  = chunks < MOST_CHUNKS ? (int)chunks : MOST_CHUNKS};

    cairn_visit(env, entries->n);
    cairn_thread_pool_run(&env->thread_pool, env->options.threads, check_chunk, &c,
                          c.chunks);
    *duplicates = c.duplicates;
    return !c.wrong;
}

void cairn_entries_add_duplicates(cairn_entries *entries)
{
    cairn_pos last = 0;

    for (cairn_pos p = 1; p < entries->n; p++) {
        if (compare(entries, last, p) == 0) {
            entries->value[last] += entries->value[p];
            continue;
        }
        last++;
        for (int k = 0; k < entries->order; k++)
            entries->coord[k][last] = entries->coord[k][p];
        entries->value[last] = entries->value[p];
    }
    if (entries->n) entries->n = last + 1;
}

/// Whether the entries of a matrix stand in the order of (d1, d0).
static bool sorted_by_columns(const cairn_entries *entries, bool *duplicates)
{
    const cairn_coord *i = entries->coord[0], *j = entries->coord[1];

    *duplicates = false;
    for (cairn_pos p = 1; p < entries->n; p++) {
        if (j[p - 1] > j[p] || (j[p - 1] == j[p] && i[p - 1] > i[p])) return false;
        *duplicates = *duplicates || (j[p - 1] == j[p] && i[p - 1] == i[p]);
    }
    return true;
}

/// Where the entries of each of @p rows rows go; next[0] is row @p first's.
static void find_row_begins(const cairn_entries *entries,
                            cairn_coord          first,
                            int64_t              rows,
                            cairn_pos           *next)
{
    memset(next, 0, (size_t)rows * sizeof *next);
    for (cairn_pos p = 0; p < entries->n; p++)
        next[entries->coord[0][p] - first]++;
    cairn_offsets(rows, 0, next);
}

/// Scatter columns and values to their rows. Stores that miss the cache are the limit, so
/// their lines are asked for beforehand; the first entries and the last are not.
static void scatter_to_rows(const cairn_entries *entries,
                            cairn_coord          first,
                            cairn_pos           *next,
                            cairn_coord         *col,
                            double              *value)
{
    const cairn_coord *row = entries->coord[0];

    for (cairn_pos p = 0; p < entries->n; p++) {
        if (p + AHEAD < entries->n) {
            const cairn_pos ahead = next[row[p + AHEAD] - first];

            __builtin_prefetch(&col[ahead], 1);
            __builtin_prefetch(&value[ahead], 1);
        }

        const cairn_pos to = next[row[p] - first]++;

        col[to]   = entries->coord[1][p];
        value[to] = entries->value[p];
    }
}

/// After scattering, next[r] is where row r ends: write the rows' numbers, in order.
static void write_rows(cairn_entries   *entries,
                       cairn_coord      first,
                       int64_t          rows,
                       const cairn_pos *next)
{
    cairn_pos p = 0;

    for (int64_t r = 0; r < rows; r++)
        for (; p < next[r]; p++)
            entries->coord[0][p] = first + r;
}

/// From the order of columns to that of rows. Within a row columns keep their order, and
/// duplicates theirs.
static cairn_status
sort_by_rows(cairn_env *env, cairn_entries *entries, cairn_coord first, int64_t rows)
{
    const cairn_pos n     = entries->capacity;
    cairn_pos      *next  = NULL;
    cairn_coord    *col   = NULL;
    double         *value = NULL;
    cairn_status    status;

    CAIRN_GO(done, CAIRN_NEW(env, rows, &next));
    CAIRN_GO(done, CAIRN_NEW(env, n, &col));
    CAIRN_GO(done, CAIRN_NEW(env, n, &value));
    cairn_visit(env, 3 * entries->n + 2 * rows);
    find_row_begins(entries, first, rows, next);
    scatter_to_rows(entries, first, next, col, value);
    write_rows(entries, first, rows, next);

    cairn_coord *const old_col   = entries->coord[1];
    double *const      old_value = entries->value;

    entries->coord[1] = col;
    entries->value    = value;
    col               = old_col;
    value             = old_value;
done:
    cairn_free(env, value);
    cairn_free(env, col);
    cairn_free(env, next);
    return status;
}

static cairn_status sort_by_order(cairn_env *env, cairn_entries *entries)
{
    const int64_t *key[CAIRN_MAX_ORDER];
    cairn_pos     *order = NULL;
    cairn_status   status;

    for (int k = 0; k < entries->order; k++)
        key[k] = entries->coord[k];
    CAIRN_TRY(CAIRN_NEW(env, entries->n, &order));
    CAIRN_GO(done, cairn_sort_order(env, entries->n, entries->order, key, order));
    CAIRN_GO(done, cairn_entries_permute(env, entries, order));
    cairn_visit(env, entries->n * (entries->order + 2));
    cairn_entries_add_duplicates(entries);
done:
    cairn_free(env, order);
    return status;
}

/// Rows are counted one by one where that takes no more than the entries do.
static bool rows_are_few(const cairn_entries *entries, const cairn_words *words)
{
    return words->range[0].bits < 62
           && (int64_t)1 << words->range[0].bits <= 2 * entries->n;
}

cairn_status cairn_entries_sort(cairn_env *env, cairn_entries *entries)
{
    cairn_given given = {.order      = entries->order,
                         .n          = entries->n,
                         .stride     = sizeof(cairn_coord),
                         .bits       = 64,
                         .value      = entries->value,
                         .apart      = sizeof(double),
                         .value_bits = 64};
    cairn_words words;
    bool        duplicates, inside;

    if (sorted(env, entries, &duplicates)) {
        if (duplicates) cairn_entries_add_duplicates(entries);
        return CAIRN_OK;
    }
    for (int k = 0; k < entries->order; k++)
        given.coord[k] = entries->coord[k];
    if (!cairn_words_measure(&given, &words)) return sort_by_order(env, entries);
    if (entries->order == 2 && rows_are_few(entries, &words)
        && sorted_by_columns(entries, &duplicates)) {
        CAIRN_TRY(sort_by_rows(env, entries, words.range[0].least,
                               (int64_t)1 << words.range[0].bits));
        if (duplicates) cairn_entries_add_duplicates(entries);
        return CAIRN_OK;
    }
    return cairn_entries_by_words(env, &given, &words, &inside, entries);
}
