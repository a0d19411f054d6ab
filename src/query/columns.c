// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Forms over chunks of elements.

#include "query/columns.h"

#include <string.h>

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- inputs ---- */

bool cairn_input_of_query(const cairn_query_set *set,
                          const cairn_elements  *elements,
                          int                    r,
                          cairn_input           *input)
{
    const cairn_query_state *s = &set->state[r];

    *input = (cairn_input){.step = 1, .scale = 1};
    if (elements->kind == CAIRN_ELEMENTS_ENTRIES) {
        input->data = cairn_query_at_entries(set, r);
        return true;
    }
    if (elements->kind != CAIRN_ELEMENTS_GROUPS) return false;
    if (s->query->func == CAIRN_QUERY_SUM && elements->q == r) {
        input->data = s->total;
        return true;
    }
    if (s->query->arg != elements->q || s->elements.n < elements->n) return false;
    input->data = s->number;
    if (s->query->func == CAIRN_QUERY_SUM) {
        if (!s->group_of) return false;
        input->data  = s->total;
        input->index = s->group_of;
    }
    return true;
}

/// Expression @p f of the groups' tuples; there are none without groups.
static const int64_t *tuple_at(const cairn_query_state *s, int f)
{
    return s->groups.tuple ? s->groups.tuple + f : NULL;
}

/// Dimension @p k of the elements; of a group, of its first position.
static bool input_of_dim(const cairn_query_set *set,
                         const cairn_elements  *elements,
                         int                    k,
                         cairn_input           *input)
{
    const cairn_query_state *s;
    int                      f;
    int64_t                  divisor;

    *input = (cairn_input){.step = 1, .scale = 1};
    if (elements->kind == CAIRN_ELEMENTS_ENTRIES) {
        input->data = set->entries->coord[k];
        return true;
    }
    if (elements->kind != CAIRN_ELEMENTS_GROUPS) return false;
    s = &set->state[elements->q];
    if (s->origin || !cairn_group_first_dim(set, &s->group, k, &f, &divisor))
        return false;
    if (f < 0) {
        *input = (cairn_input){.data = &set->global[k].lo, .scale = 1};
        return true;
    }
    *input = (cairn_input){
        .data = tuple_at(s, f), .step = s->groups.width, .scale = divisor};
    return true;
}

/// A form that is one of the earlier query's own, or one query's value.
static bool find_own(cairn_reader *reader, const cairn_form *form)
{
    const cairn_query_set *set = reader->set;

    if (reader->elements->kind == CAIRN_ELEMENTS_GROUPS) {
        const cairn_query_state *s = &set->state[reader->elements->q];

        for (int k = 0; k < s->group.count; k++)
            if (cairn_form_equal(form, &s->group.form[k])) {
                reader->own = (cairn_input){
                    .data = tuple_at(s, k), .step = s->groups.width, .scale = 1};
                return true;
            }
    }
    if (form->constant != 0 || form->terms != 1 || form->term[0].factor != 1)
        return false;

    const cairn_atom *atom = &set->algebra->atom[form->term[0].atom];

    if (atom->kind == CAIRN_ATOM_DIM)
        return input_of_dim(set, reader->elements, atom->number, &reader->own);
    return atom->kind == CAIRN_ATOM_QUERY
           && cairn_input_of_query(set, reader->elements, atom->number, &reader->own);
}

static bool find_inputs(cairn_reader *reader)
{
    for (int k = 0; reader->dims >> k; k++)
        if (reader->dims >> k & 1
            && !input_of_dim(reader->set, reader->elements, k, &reader->dim[k]))
            return false;
    for (int r = 0; reader->queries >> r; r++)
        if (reader->queries >> r & 1
            && !cairn_input_of_query(reader->set, reader->elements, r,
                                     &reader->query[r]))
            return false;
    return true;
}

void cairn_reader_init(cairn_query_set       *set,
                       const cairn_elements  *elements,
                       const cairn_query_map *map,
                       int                    f,
                       cairn_reader          *reader)
{
    const cairn_form *form = &map->form[f];

    reader->set      = set;
    reader->elements = elements;
    reader->map      = map;
    reader->f        = f;
    reader->dims     = cairn_form_dims(set->algebra, form);
    reader->queries  = cairn_form_queries(set->algebra, form);
    reader->is_own   = find_own(reader, form);
    reader->fast     = reader->is_own || find_inputs(reader);
}

/* ---- arithmetic ---- */

/* Sums and products wrap, because an element without a number computes nonsense from
 * INT64_MIN before it is told apart; where all have one the ranges were checked. */

/// Do the values stand one after the other, as they are?
static bool is_plain(const cairn_input *input)
{
    return !input->index && input->step == 1 && input->scale == 1;
}

static void fetch(const cairn_input *input, int64_t begin, int n, int64_t *out)
{
    if (input->index)
        for (int k = 0; k < n; k++)
            out[k] = input->data[input->index[begin + k] * input->step];
    else if (input->step == 1)
        memcpy(out, input->data + begin, (size_t)n * sizeof *out);
    else
        for (int k = 0; k < n; k++)
            out[k] = input->data[(begin + k) * input->step];
    for (int k = 0; k < n && input->scale != 1; k++)
        out[k] = (int64_t)((uint64_t)out[k] * (uint64_t)input->scale);
}

/// floor(value / c) where all values are in [0, 2^32) and 2 <= c < 2^32: one
/// multiplication. Source: Lemire, Kaser, Kurz, Faster Remainder by Direct Computation,
/// Software: Practice and Experience 49(6), 2019, DOI 10.1002/spe.2689, theorem 1.
static void divide_short(int64_t c, int n, int64_t *value)
{
    const uint64_t inverse = UINT64_MAX / (uint64_t)c + 1;

    for (int k = 0; k < n; k++)
        value[k] = (int64_t)((unsigned __int128)inverse * (uint64_t)value[k] >> 64);
}

static void divide(int64_t c, int n, int64_t *value)
{
    uint64_t bits = (uint64_t)c;

    for (int k = 0; k < n; k++)
        bits |= (uint64_t)value[k];
    if (bits >> 32 == 0 && (c & (c - 1)) == 0) {
        const int shift = __builtin_ctzll((uint64_t)c);

        for (int k = 0; k < n; k++)
            value[k] = (int64_t)((uint64_t)value[k] >> shift);
    } else if (bits >> 32 == 0) {
        divide_short(c, n, value);
    } else {
        for (int k = 0; k < n; k++)
            value[k] = cairn_floor_div(value[k], c);
    }
}

/// value - c * floor(value / c); of a power of two the low bits, whatever the sign.
static void keep_remainder(int64_t c, int n, int64_t *value)
{
    int64_t quotient[CAIRN_CHUNK];

    if ((c & (c - 1)) == 0) {
        for (int k = 0; k < n; k++)
            value[k] = (int64_t)((uint64_t)value[k] & (uint64_t)(c - 1));
        return;
    }
    memcpy(quotient, value, (size_t)n * sizeof *value);
    divide(c, n, quotient);
    for (int k = 0; k < n; k++)
        value[k] = (int64_t)((uint64_t)value[k] - (uint64_t)c * (uint64_t)quotient[k]);
}

static const int64_t *
form_values(const cairn_reader *, const cairn_form *, int64_t, int, int64_t *);

/// Values of one atom: in @p out, or where they stand anyway.
static const int64_t *
atom_values(const cairn_reader *reader, int a, int64_t begin, int n, int64_t *out)
{
    const cairn_atom  *atom  = &reader->set->algebra->atom[a];
    const cairn_input *input = atom->kind == CAIRN_ATOM_DIM
                                   ? &reader->dim[atom->number]
                                   : &reader->query[atom->number];
    const int64_t     *value;

    switch (atom->kind) {
    case CAIRN_ATOM_DIM:
    case CAIRN_ATOM_QUERY:
        if (is_plain(input)) return input->data + begin;
        fetch(input, begin, n, out);
        return out;
    case CAIRN_ATOM_DIV:
    case CAIRN_ATOM_MOD: break;
    }
    value = form_values(reader, &atom->form, begin, n, out);
    if (value != out) memcpy(out, value, (size_t)n * sizeof *out);
    if (atom->kind == CAIRN_ATOM_DIV)
        divide(atom->divisor, n, out);
    else
        keep_remainder(atom->divisor, n, out);
    return out;
}

static void add_multiple(int64_t factor, int n, const int64_t *value, int64_t *sum)
{
    const uint64_t by = (uint64_t)factor;

    if (factor == 1)
        for (int k = 0; k < n; k++)
            sum[k] = (int64_t)((uint64_t)sum[k] + (uint64_t)value[k]);
    else if (factor == -1)
        for (int k = 0; k < n; k++)
            sum[k] = (int64_t)((uint64_t)sum[k] - (uint64_t)value[k]);
    else
        for (int k = 0; k < n; k++)
            sum[k] = (int64_t)((uint64_t)sum[k] + by * (uint64_t)value[k]);
}

/// Values of a form: in @p out, or where they stand anyway.
static const int64_t *form_values(const cairn_reader *reader,
                                  const cairn_form   *form,
                                  int64_t             begin,
                                  int                 n,
                                  int64_t            *out)
{
    int64_t part[CAIRN_CHUNK];

    if (form->terms == 1 && form->constant == 0 && form->term[0].factor == 1)
        return atom_values(reader, form->term[0].atom, begin, n, out);
    for (int k = 0; k < n; k++)
        out[k] = form->constant;
    for (int t = 0; t < form->terms; t++)
        add_multiple(form->term[t].factor, n,
                     atom_values(reader, form->term[t].atom, begin, n, part), out);
    return out;
}

/// An element has no number where a query in the form has none.
static void mark_missing(const cairn_reader *reader, int64_t begin, int n, int64_t *out)
{
    int64_t part[CAIRN_CHUNK];

    for (int r = 0; reader->queries >> r; r++) {
        if (!(reader->queries >> r & 1)) continue;
        fetch(&reader->query[r], begin, n, part);
        for (int k = 0; k < n; k++)
            if (part[k] == CAIRN_NO_NUMBER) out[k] = CAIRN_NO_NUMBER;
    }
}

static cairn_status
read_slowly(const cairn_reader *reader, int64_t begin, int n, int64_t *out)
{
    cairn_element element;

    for (int k = 0; k < n; k++) {
        cairn_element_get(reader->set, reader->elements, begin + k, &element);
        CAIRN_TRY(
            cairn_query_form(reader->set, reader->map, reader->f, &element, &out[k]));
    }
    return CAIRN_OK;
}

cairn_status cairn_reader_read(const cairn_reader *reader,
                               int64_t             begin,
                               int                 n,
                               int64_t            *buffer,
                               const int64_t     **values)
{
    if (reader->is_own && is_plain(&reader->own)) {
        *values = reader->own.data + begin;
        return CAIRN_OK;
    }
    *values = buffer;
    cairn_visit(reader->set->env, n);
    if (!reader->fast) return read_slowly(reader, begin, n, buffer);
    if (reader->is_own) {
        fetch(&reader->own, begin, n, buffer);
        return CAIRN_OK;
    }
    *values = form_values(reader, &reader->map->form[reader->f], begin, n, buffer);
    if (*values == buffer) mark_missing(reader, begin, n, buffer);
    return CAIRN_OK;
}

cairn_status cairn_elements_column(cairn_query_set       *set,
                                   const cairn_elements  *elements,
                                   const cairn_query_map *map,
                                   int                    f,
                                   cairn_column          *column)
{
    cairn_reader reader;

    cairn_reader_init(set, elements, map, f, &reader);
    if (reader.is_own && is_plain(&reader.own)) {
        *column = (cairn_column){.data = reader.own.data};
        return CAIRN_OK;
    }
    CAIRN_TRY(CAIRN_NEW(set->env, elements->n, &column->own));
    column->data = column->own;
    for (int64_t p = 0; p < elements->n; p += CAIRN_CHUNK) {
        const int64_t     *values;
        const int          n = (int)smaller(elements->n - p, CAIRN_CHUNK);
        const cairn_status status =
            cairn_reader_read(&reader, p, n, column->own + p, &values);

        if (status == CAIRN_OK) {
            if (values != column->own + p)
                memcpy(column->own + p, values, (size_t)n * sizeof *values);
            continue;
        }
        cairn_free(set->env, column->own);
        *column = (cairn_column){0};
        return status;
    }
    return CAIRN_OK;
}
