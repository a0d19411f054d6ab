// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Rows between arrays and messages.

#include "rows/row_message.h"

#include "tensor/walk.h"

#include <string.h>

enum { WORD = 8 }; ///< Bytes of a number in a header.

/* ---- which tensors ---- */

static bool level_fits(const cairn_layout *layout, int l)
{
    const cairn_level *level = &layout->level[l];

    if (level->indirect || level->gaps || level->determined.on
        || level->arrays.tuple >= 0)
        return false;
    if (l == 0 && cairn_form_dimension(&level->form, layout->order) != 0) return false;
    if (!level->trimmed) return l == 0;
    return level->arrays.has_idx && (l > 0 || level->top);
}

static bool values_fit(const cairn_kernel_part *view)
{
    return view->val_block == 1
           && (view->val_kind == CAIRN_VALUE_ONE
               || view->val_stride == view->val_bits / 8);
}

bool cairn_row_stretch_fits(const cairn_local *tensor)
{
    const cairn_group  *group  = &tensor->group[0];
    const cairn_layout *layout = group->layout;

    if (tensor->groups != 1 || group->count != 1 || !cairn_group_is_ordered(group)
        || layout->levels == 0 || layout->partition >= 0 || layout->pads
        || layout->values.tuple >= 0 || layout->last != layout->levels - 1
        || cairn_layout_row_level(layout) != 0)
        return false;
    for (int l = 0; l < layout->levels; l++)
        if (!level_fits(layout, l)) return false;
    return cairn_parts_fit(&tensor->part[group->first], 1)
           && values_fit(&tensor->part[group->first].view)
           && tensor->part[group->first].view.values == tensor->part[group->first].nnz;
}

/* ---- rows in arrays ---- */

static int64_t load_ptr(const cairn_kernel_level *level, cairn_pos p)
{
    return cairn_load_int(level->ptr, p, level->ptr_bits / 8, level->ptr_bits, false);
}

/// Bytes of numbers from 0 to @p most.
static int width_of(int64_t most)
{
    if (most <= 0) return 0;
    return most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : most <= UINT32_MAX ? 4 : 8;
}

/// The shorter of two ways to tell the children of all nodes.
static cairn_row_family family_of(const cairn_kernel_level *level)
{
    const cairn_pos parents = level->ptr_length - 1;
    int64_t         least = parents > 0 ? INT64_MAX : 0, most = 0;

    for (cairn_pos p = 0; p < parents; p++) {
        const int64_t count = load_ptr(level, p + 1) - load_ptr(level, p);

        if (count < least) least = count;
        if (count > most) most = count;
    }
    const int counts = width_of(most - least), each = width_of(parents - 1);

    return level->nodes * each < parents * counts
               ? (cairn_row_family){.parents = true, .width = each}
               : (cairn_row_family){.least = least, .width = counts};
}

cairn_row_stretch cairn_row_stretch_of(const cairn_part *part)
{
    const cairn_layout *layout = part->layout;
    cairn_row_stretch   s      = {.view   = &part->view,
                                  .kind   = part->view.val_kind,
                                  .bits   = part->view.val_bits,
                                  .values = part->view.values};

    for (int l = 0; l < layout->levels; l++) {
        const cairn_kernel_level *level = &part->view.level[l];

        s.nodes[l] = layout->level[l].trimmed ? level->nodes : level->size;
        if (layout->level[l].arrays.has_ptr) s.family[l] = family_of(level);
    }
    if (s.kind == CAIRN_VALUE_CODE) {
        s.kind = CAIRN_VALUE_FLOAT;
        s.bits = layout->values.carrier_bits;
    }
    return s;
}

/* ---- messages ---- */

static char *put(char *at, int width, uint64_t number)
{
    for (int b = 0; b < width; b++)
        at[b] = (char)(number >> 8 * b);
    return at + width;
}

static uint64_t get(const char *at, int width)
{
    uint64_t number = 0;

    for (int b = 0; b < width; b++)
        number |= (uint64_t)(unsigned char)at[b] << 8 * b;
    return number;
}

static int64_t children_bytes(const cairn_row_stretch *s, int l)
{
    const cairn_row_family *f = &s->family[l];

    return f->width * (f->parents ? s->nodes[l] : s->nodes[l - 1]);
}

static int64_t value_bytes(const cairn_row_stretch *s)
{
    const bool one = s->kind == CAIRN_VALUE_ONE;

    return s->bits / 8 * (one ? s->values > 0 : s->values);
}

int64_t cairn_row_stretch_bytes(const cairn_layout *layout, const cairn_row_stretch *s)
{
    int64_t bytes = WORD * (layout->levels + 1) + value_bytes(s);

    for (int l = 0; l < layout->levels; l++) {
        if (layout->level[l].arrays.has_idx)
            bytes += s->nodes[l] * (layout->level[l].arrays.idx_bits / 8);
        if (layout->level[l].arrays.has_ptr) bytes += WORD + children_bytes(s, l);
    }
    return bytes;
}

static char *
pack_header(const cairn_layout *layout, const cairn_row_stretch *s, char *at)
{
    for (int l = 0; l < layout->levels; l++)
        at = put(at, WORD, (uint64_t)s->nodes[l]);
    for (int l = 0; l < layout->levels; l++) {
        const cairn_row_family *f = &s->family[l];

        if (layout->level[l].arrays.has_ptr)
            at = put(at, WORD,
                     (uint64_t)f->least << 8 | (uint64_t)f->parents << 7
                         | (uint64_t)f->width);
    }
    return put(at, WORD, (uint64_t)s->kind << 8 | (uint64_t)s->bits);
}

static char *pack_children(const cairn_row_stretch *s, int l, char *at)
{
    const cairn_row_family   *f     = &s->family[l];
    const cairn_kernel_level *level = &s->view->level[l];

    if (f->width == 0) return at;
    for (cairn_pos p = 0; p < level->ptr_length - 1; p++) {
        const int64_t count = load_ptr(level, p + 1) - load_ptr(level, p);

        if (!f->parents) at = put(at, f->width, (uint64_t)(count - f->least));
        for (int64_t k = 0; f->parents && k < count; k++)
            at = put(at, f->width, (uint64_t)p);
    }
    return at;
}

/// Copy an array of @p bytes, which has no address where it is empty.
static char *pack_array(const void *array, int64_t bytes, char *at)
{
    if (bytes > 0) memcpy(at, array, (size_t)bytes);
    return at + bytes;
}

static char *pack_values(const cairn_row_stretch *s, char *at)
{
    if (s->view->val_kind != CAIRN_VALUE_CODE)
        return pack_array(s->view->val, value_bytes(s), at);
    for (cairn_pos v = 0; v < s->values; v++) {
        const double value  = cairn_value_get(s->view, v);
        const float  single = (float)value;

        at =
            pack_array(s->bits == 32 ? (const void *)&single : &value, s->bits / 8, at);
    }
    return at;
}

char *
cairn_row_stretch_pack(const cairn_layout *layout, const cairn_row_stretch *s, char *at)
{
    at = pack_header(layout, s, at);
    for (int l = 0; l < layout->levels; l++) {
        const cairn_level *level = &layout->level[l];

        if (level->arrays.has_ptr) at = pack_children(s, l, at);
        if (level->arrays.has_idx)
            at = pack_array(s->view->level[l].idx,
                            s->nodes[l] * (level->arrays.idx_bits / 8), at);
    }
    return pack_values(s, at);
}

const char *cairn_row_stretch_unpack(const cairn_layout *layout,
                                     const char         *at,
                                     cairn_row_stretch  *s)
{
    *s = (cairn_row_stretch){.view = NULL};
    for (int l = 0; l < layout->levels; l++, at += WORD)
        s->nodes[l] = (cairn_pos)get(at, WORD);
    for (int l = 0; l < layout->levels; l++) {
        if (!layout->level[l].arrays.has_ptr) continue;
        const uint64_t word = get(at, WORD);

        s->family[l] = (cairn_row_family){.least   = (int64_t)(word >> 8),
                                          .parents = word >> 7 & 1,
                                          .width   = (int)(word & 15)};
        at += WORD;
    }
    s->kind   = (int)(get(at, WORD) >> 8);
    s->bits   = (int)(get(at, WORD) & 255);
    s->values = s->nodes[layout->levels - 1];
    at += WORD;
    for (int l = 0; l < layout->levels; l++) {
        if (layout->level[l].arrays.has_ptr) {
            s->children[l] = at;
            at += children_bytes(s, l);
        }
        s->idx[l] = at;
        if (layout->level[l].arrays.has_idx)
            at += s->nodes[l] * (layout->level[l].arrays.idx_bits / 8);
    }
    s->val = at;
    return at + value_bytes(s);
}

/* ---- to arrays ---- */

static void store_ptr(cairn_kernel_level *level, cairn_pos p, cairn_pos child)
{
    cairn_store_int((void *)level->ptr, p, level->ptr_bits / 8, level->ptr_bits, child);
}

/// Where the children of each node begin, @p parent and @p child being the first.
static void copy_ptr(const cairn_row_stretch *s,
                     int                      l,
                     cairn_kernel_level      *to,
                     cairn_pos                parent,
                     cairn_pos                child)
{
    const cairn_row_family *f       = &s->family[l];
    const cairn_pos         parents = s->nodes[l - 1], children = s->nodes[l];
    cairn_pos               next = 0;

    if (s->view) {
        for (cairn_pos p = 0; p <= parents; p++)
            store_ptr(to, parent + p, child + load_ptr(&s->view->level[l], p));
        return;
    }
    for (cairn_pos k = 0; f->parents && k < children; k++) {
        const cairn_pos p = (cairn_pos)get(s->children[l] + k * f->width, f->width);

        while (next <= p)
            store_ptr(to, parent + next++, child + k);
    }
    for (cairn_pos p = 0; !f->parents && p < parents; p++) {
        store_ptr(to, parent + next++, child);
        child += f->least + (int64_t)get(s->children[l] + p * f->width, f->width);
    }
    while (next <= parents)
        store_ptr(to, parent + next++, f->parents ? child + children : child);
}

/// A value of a message.
static double value_at(const cairn_row_stretch *s, cairn_pos v)
{
    const char *const at =
        s->val + (s->kind == CAIRN_VALUE_ONE ? 0 : v * (s->bits / 8));
    double wide;
    float  single;

    if (s->kind == CAIRN_VALUE_INTEGER)
        return s->bits == 8 ? (int8_t)get(at, 1) : (int16_t)get(at, 2);
    if (s->bits == 64) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    if (s->bits == 16)
        return s->kind == CAIRN_VALUE_BFLOAT ? cairn_bf16_widened((uint16_t)get(at, 2))
                                             : cairn_f16_widened((uint16_t)get(at, 2));
    memcpy(&single, at, sizeof single);
    return (double)single;
}

static void
copy_values(const cairn_row_stretch *s, cairn_kernel_part *to, cairn_pos first)
{
    const cairn_kernel_part *view  = s->view;
    const int                kind  = view ? view->val_kind : s->kind;
    const int                bits  = view ? view->val_bits : s->bits;
    const void *const        array = view ? view->val : s->val;

    if (s->values == 0) return;
    if (kind == CAIRN_VALUE_FLOAT && bits == to->val_bits) {
        memcpy(cairn_value_at(to, first), array, (size_t)(s->values * (bits / 8)));
        return;
    }
    for (cairn_pos v = 0; v < s->values; v++)
        cairn_value_set(to, first + v,
                        view ? cairn_value_get(view, v) : value_at(s, v));
}

void cairn_row_stretch_copy(const cairn_layout      *layout,
                            const cairn_row_stretch *s,
                            cairn_kernel_part       *to,
                            cairn_pos               *at,
                            cairn_pos               *values)
{
    for (int l = 0; l < layout->levels; l++) {
        cairn_kernel_level *level = &to->level[l];
        const int64_t       width = layout->level[l].arrays.idx_bits / 8;
        const void *const   idx   = s->view ? s->view->level[l].idx : s->idx[l];

        if (layout->level[l].arrays.has_ptr)
            copy_ptr(s, l, level, at[l - 1] - s->nodes[l - 1], at[l]);
        if (layout->level[l].arrays.has_idx && s->nodes[l] > 0)
            memcpy((char *)level->idx + at[l] * width, idx,
                   (size_t)(s->nodes[l] * width));
        at[l] += s->nodes[l];
    }
    copy_values(s, to, *values);
    *values += s->values;
}
