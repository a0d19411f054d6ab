// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Stretches of what an archive stores, as entries.

#include "io/archive/binsparse.h"
#include "io/text/io_refuse.h"

#include <inttypes.h>
#include <string.h>

enum { WINDOW = 1 << 15 }; ///< Elements of an array in memory at a time.

/// Elements of an array, from `first` on.
typedef struct {
    const cairn_archive       *archive;
    const cairn_archive_array *array; ///< NULL: there is none.
    int64_t                    first, n;
    char                       bytes[WINDOW * 8];
} window;

/// A stretch that is read.
typedef struct {
    const cairn_binsparse *m;
    cairn_entries         *entries;
    int64_t                line; ///< Of the entry at hand, numbered as pointers are,
    int64_t                end;  ///< and the first entry behind it.
    window                 ptr, idx[2], val;
} reader;

static cairn_status show(window *w, int64_t k)
{
    if (k >= w->first && k < w->first + w->n) return CAIRN_OK;
    const int64_t left = w->array->elements - k;

    w->first = k;
    w->n     = left < WINDOW ? left : WINDOW;
    return w->archive->ops->read(w->archive, w->array, k, w->n, w->bytes);
}

/// An integer; one of 64 bits without a sign that is too large is negative.
static cairn_status load(window *w, int64_t k, int64_t *value)
{
    CAIRN_TRY(show(w, k));
    *value = cairn_load_int(w->bytes, k - w->first, w->array->bits / 8, w->array->bits,
                            w->array->kind == 'i');
    return CAIRN_OK;
}

static cairn_status load_value(window *w, int64_t k, double *value)
{
    int64_t integer;

    CAIRN_TRY(show(w, k));
    const char *const at = w->bytes + (k - w->first) * (w->array->bits / 8);

    if (w->array->kind == 'f') {
        uint16_t half;
        float    single;

        memcpy(&half, at, sizeof half);
        if (w->array->bits == 64) memcpy(value, at, sizeof *value);
        if (w->array->bits == 32) memcpy(&single, at, sizeof single);
        if (w->array->bits == 32) *value = (double)single;
        if (w->array->bits == 16) *value = cairn_f16_widened(half);
        return CAIRN_OK;
    }
    CAIRN_TRY(load(w, k, &integer));
    *value = w->array->kind == 'u' && integer < 0 ? (double)(uint64_t)integer
                                                  : (double)integer;
    return CAIRN_OK;
}

/* ---- lines ---- */

/// Find the line of entry @p k: the last one that begins there or before.
static cairn_status find_line(reader *r, int64_t k)
{
    int64_t lo = 0, hi = r->m->ptr->elements - 2, at;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo + 1) / 2;

        CAIRN_TRY(load(&r->ptr, mid, &at));
        if (at <= k)
            lo = mid;
        else
            hi = mid - 1;
    }
    r->line = lo;
    return load(&r->ptr, lo + 1, &r->end);
}

/// Go to the line of entry @p k, which is not before the last one's.
static cairn_status go_to_line(reader *r, int64_t k)
{
    while (k >= r->end) {
        if (++r->line >= r->m->ptr->elements - 1)
            return cairn_archive_refuse(r->m->archive, CAIRN_BAD_FILE,
                                        "pointers_to_1: they end before %" PRId64,
                                        k + 1);
        CAIRN_TRY(load(&r->ptr, r->line + 1, &r->end));
    }
    return CAIRN_OK;
}

/// The coordinates of what is stored at @p k.
static cairn_status find_coord(reader *r, int64_t k, cairn_coord *d)
{
    const cairn_binsparse *m     = r->m;
    const int              minor = m->shape.order == 2 ? !m->major : 0;
    int64_t                line = k, across = 0;

    if (m->ptr) {
        CAIRN_TRY(go_to_line(r, k));
        line = r->line;
    }
    if (m->idx[0])
        CAIRN_TRY(load(&r->idx[0], line, &line));
    else if (!m->ptr && m->shape.order == 2)
        line = k / m->shape.extent[minor];
    if (m->idx[1])
        CAIRN_TRY(load(&r->idx[1], k, &across));
    else if (m->shape.order == 2)
        across = k % m->shape.extent[minor];
    d[minor]    = across;
    d[m->major] = line;
    for (int x = 0; x < m->shape.order; x++)
        if (d[x] < 0 || d[x] >= m->shape.extent[x])
            return cairn_archive_refuse(m->archive, CAIRN_BAD_FILE,
                                        "stored value %" PRId64 ": index %" PRId64
                                        " is not within 0..%" PRId64,
                                        k, d[x], m->shape.extent[x] - 1);
    return CAIRN_OK;
}

/* ---- entries ---- */

static cairn_status add(reader *r, int64_t k, const cairn_coord *d, double value)
{
    const cairn_binsparse *m   = r->m;
    cairn_env             *env = m->archive->env;

    CAIRN_TRY(cairn_entries_add(env, r->entries, d, value));
    if (m->symmetry == CAIRN_SYM_GENERAL) return CAIRN_OK;
    if (!cairn_may_store(m->symmetry, d[m->upper], d[!m->upper]))
        return cairn_archive_refuse(
            m->archive, CAIRN_BAD_FILE,
            "stored value %" PRId64 ": it is not in the triangle that is stored", k);
    if (d[0] == d[1]) return CAIRN_OK;
    return cairn_entries_add(env, r->entries, (const cairn_coord[]){d[1], d[0]},
                             m->symmetry == CAIRN_SYM_SKEW ? -value : value);
}

static cairn_status read_stretch(reader *r, int64_t first, int64_t last)
{
    const cairn_binsparse *m    = r->m;
    const bool             full = !m->ptr && !m->idx[0] && !m->idx[1];

    if (m->ptr) CAIRN_TRY(find_line(r, first));
    for (int64_t k = first; k < last; k++) {
        cairn_coord d[2];
        double      value;

        CAIRN_TRY(load_value(&r->val, m->iso ? 0 : k, &value));
        if (full && value == 0) continue;
        CAIRN_TRY(find_coord(r, k, d));
        CAIRN_TRY(add(r, k, d, value));
    }
    return CAIRN_OK;
}

cairn_status cairn_binsparse_entries(const cairn_binsparse *m,
                                     int64_t                first,
                                     int64_t                last,
                                     cairn_entries         *entries)
{
    reader *r;

    if (first >= last) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(m->archive->env, 1, &r));
    r->m       = m;
    r->entries = entries;
    r->ptr.n = r->idx[0].n = r->idx[1].n = r->val.n = 0;
    r->ptr.array                                    = m->ptr;
    r->idx[0].array                                 = m->idx[0];
    r->idx[1].array                                 = m->idx[1];
    r->val.array                                    = m->val;
    r->ptr.archive = r->idx[0].archive = r->idx[1].archive = r->val.archive =
        m->archive;
    const cairn_status status = read_stretch(r, first, last);

    cairn_free(m->archive->env, r);
    return status;
}

cairn_status
cairn_binsparse_check_pointers(const cairn_binsparse *m, int64_t first, int64_t last)
{
    window      *w;
    int64_t      before = 0;
    cairn_status status = CAIRN_OK;

    if (!m->ptr || first >= last) return CAIRN_OK;
    CAIRN_TRY(CAIRN_NEW(m->archive->env, 1, &w));
    w->archive = m->archive;
    w->array   = m->ptr;
    w->n       = 0;
    if (first > 0) status = load(w, first - 1, &before);
    for (int64_t k = first; k < last && status == CAIRN_OK; k++) {
        int64_t at = 0;

        status = load(w, k, &at);
        if (status == CAIRN_OK
            && (at < before || at > m->stored || (k == 0 && at != 0)
                || (k + 1 == m->ptr->elements && at != m->stored)))
            status = cairn_archive_refuse(
                m->archive, CAIRN_BAD_FILE,
                "pointers_to_1[%" PRId64 "]: %" PRId64 " is not due there", k, at);
        before = at;
    }
    cairn_free(m->archive->env, w);
    return status;
}
