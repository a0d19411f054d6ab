// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phases GROUPS and MOVE: rows that move as they are. Which group a row is of, or where
/// its first entry goes, was found before; all that is left is copying, array by array,
/// a vector of entries at a time.

#include "lower/conversion/convert_steps.h"

cairn_ir_x cairn_convert_first_of(cairn_convert *c, cairn_ir_x row)
{
    return cairn_ir_load(&c->ir, cairn_convert_small(c, CAIRN_CONVERT_first, "first"),
                         row);
}

void cairn_convert_stand_in_row(cairn_convert *c, cairn_ir_x row)
{
    const int        d  = c->spec->tables.row;
    cairn_ir        *b  = &c->ir;
    const cairn_ir_x lo = cairn_convert_element(c, CAIRN_CONVERT_box, "box", 2 * d);

    c->here.dim[d] =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_add(b, row, lo), "d%d", d));
}

void cairn_convert_lower_groups(cairn_convert *c)
{
    cairn_convert_open_shares(c);
    cairn_convert_visit(c, false);
    cairn_convert_indices(c, c->to->first);
    cairn_ir_store(&c->ir, cairn_convert_small(c, CAIRN_CONVERT_list, "list"),
                   c->here.turn, cairn_convert_group(c));
    cairn_convert_leave(c);
    cairn_convert_close_shares(c);
}

/* ---- arrays ---- */

/// The row at hand: elements from an entry in the source to where it goes in each array,
/// by level; behind them, of values.
typedef struct {
    cairn_ir_x shift[CAIRN_MAX_LEVELS + 1];
} row;

/// Where bank's arrays begin, from the first bank's on: element @p l of the bank's row.
static cairn_ir_x bank_delta(cairn_convert *c, cairn_ir_x bank, int l)
{
    cairn_ir        *b  = &c->ir;
    const cairn_ir_x at = cairn_ir_mul_int(b, bank, c->to->levels + 1);

    return cairn_ir_load(b, cairn_convert_array(c, CAIRN_CONVERT_delta, "delta"),
                         cairn_ir_add_int(b, at, l));
}

static bool is_copied(const cairn_convert *c, int l)
{
    return l == c->to->levels
           || (l >= c->to->first && l <= c->to->last && c->to->level[l].arrays.has_idx
               && cairn_convert_is_of_entries(c, l));
}

/// @p first: the row's first entry in the source.
static void find_shifts(cairn_convert *c, cairn_ir_x turn, cairn_ir_x first, row *r)
{
    cairn_ir        *b = &c->ir;
    const cairn_ir_x place =
        cairn_ir_load(b, cairn_convert_small(c, CAIRN_CONVERT_place, "place"), turn);
    const cairn_ir_x shift =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_sub(b, place, first), "shift"));
    cairn_ir_x bank = NULL;

    if (c->to->partition >= 0) {
        cairn_convert_indices(c, c->to->partition + 1);
        bank = cairn_ir_use(
            b, cairn_ir_let(b,
                            cairn_convert_combine(c, cairn_ir_int(b, 0), 0,
                                                  c->to->partition + 1, UINT32_MAX),
                            "bank"));
    }
    for (int l = 0; l <= c->to->levels; l++)
        if (is_copied(c, l))
            r->shift[l] =
                bank ? cairn_ir_use(
                    b, cairn_ir_let(b, cairn_ir_add(b, shift, bank_delta(c, bank, l)),
                                    "shift%d", l))
                     : shift;
}

/* ---- entries ---- */

/// Coordinates at entry @p at: those of the row are known, others are a level each.
static void stand_at(cairn_convert *c, cairn_ir_x at)
{
    for (int d = 0; d < c->spec->order; d++) {
        if (d == c->spec->tables.row) continue;
        c->here.dim[d] = cairn_ir_load(
            &c->ir,
            c->from ? cairn_convert_idx(c, 0, c->from->inverse.dim[d].var[0])
                    : cairn_convert_coordinates(c, d),
            at);
    }
    for (int k = 0; k < CAIRN_MAX_ATOMS; k++)
        c->here.atom[k] = NULL;
}

static void copy_entry(cairn_convert *c, const row *r, int l, cairn_ir_x at)
{
    cairn_ir        *b  = &c->ir;
    const cairn_ir_x to = cairn_ir_add(b, r->shift[l], at);

    if (l < c->to->levels) {
        stand_at(c, at);
        cairn_ir_store(b, cairn_convert_idx(c, 1, l), to,
                       cairn_convert_form(c, &c->target[l]));
        return;
    }
    const cairn_ir_x value = cairn_ir_load(
        b, c->from ? cairn_convert_values(c, 0) : cairn_convert_entry_values(c), at);

    cairn_ir_store(b, cairn_convert_values(c, 1), to, cairn_convert_as_value(c, value));
}

/// One vector's loop for each array: of several arrays in one loop a compiler masks none.
static void
copy_lanes(cairn_convert *c, const row *r, int l, cairn_ir_x p, cairn_ir_x n)
{
    cairn_ir      *b = &c->ir;
    cairn_ir_stmt *loop =
        cairn_ir_for(b, cairn_ir_int(b, 0), cairn_ir_int(b, c->spec->rows.lanes), 1,
                     l < c->to->levels ? NULL : "values", "lane");
    const cairn_ir_x lane = cairn_ir_loop_var(b, loop);

    loop->simd = true;
    cairn_ir_if(b, cairn_ir_lt(b, lane, n));
    copy_entry(c, r, l, cairn_ir_add(b, p, lane));
    cairn_ir_end(b);
    cairn_ir_end(b);
}

static void copy_row(cairn_convert *c, const row *r, cairn_ir_x first, cairn_ir_x end)
{
    cairn_ir        *b    = &c->ir;
    const int        step = c->spec->rows.lanes ? c->spec->rows.lanes : 1;
    cairn_ir_stmt   *loop = cairn_ir_for(b, first, end, step, "entries", "p");
    const cairn_ir_x p    = cairn_ir_loop_var(b, loop);
    cairn_ir_x       n    = NULL;

    if (c->spec->rows.lanes)
        n = cairn_ir_use(b, cairn_ir_let(b, cairn_ir_sub(b, end, p), "left"));
    for (int l = 0; l <= c->to->levels; l++) {
        if (!is_copied(c, l)) continue;
        if (n)
            copy_lanes(c, r, l, p, n);
        else
            copy_entry(c, r, l, p);
    }
    cairn_ir_end(b);
}

/* ---- rows ---- */

static cairn_ir_x bound(cairn_convert *c, cairn_ir_x row, const char *name)
{
    return cairn_ir_use(
        &c->ir, cairn_ir_let(&c->ir, cairn_convert_first_of(c, row), "%s", name));
}

void cairn_convert_lower_move(cairn_convert *c)
{
    cairn_ir *b = &c->ir;
    row       r;

    cairn_convert_open_shares(c);

    cairn_ir_stmt   *rows = cairn_ir_for(b, c->here.begin, c->here.end, 1, "rows", "r");
    const cairn_ir_x turn = cairn_ir_loop_var(b, rows);

    cairn_convert_stand_in_row(c, turn);

    const cairn_ir_x first = bound(c, turn, "lo");
    const cairn_ir_x end   = bound(c, cairn_ir_add_int(b, turn, 1), "hi");

    find_shifts(c, turn, first, &r);
    copy_row(c, &r, first, end);
    cairn_ir_end(b);
    cairn_convert_close_shares(c);
}
