// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values of forms where a visit stands. What the source's levels give by themselves is
/// taken from there: of a block format that becomes another, no division is left.

#include "ir/passes.h"
#include "lower/conversion/convert_steps.h"

/// Is a form's value never negative, for any coordinates?
static bool is_natural(const cairn_convert *c, const cairn_form *form)
{
    if (form->constant < 0) return false;
    for (int t = 0; t < form->terms; t++) {
        const cairn_atom *atom = &c->algebra->atom[form->term[t].atom];

        if (form->term[t].factor < 0) return false;
        if (atom->kind == CAIRN_ATOM_QUERY && !c->counts) return false;
        if (atom->kind == CAIRN_ATOM_DIV && !is_natural(c, &atom->form)) return false;
    }
    return true;
}

static bool is_division(const cairn_atom *atom)
{
    return atom->kind == CAIRN_ATOM_DIV || atom->kind == CAIRN_ATOM_MOD;
}

/// Do a division's divisor and all values that are divided fit 32 bits, with coordinates
/// in the box and numbers in the spans that queries gave?
static bool is_narrow(const cairn_layout *layout, const cairn_atom *atom)
{
    cairn_interval range;

    return atom->divisor <= CAIRN_IR_NARROW
           && (layout->given.spans
               || cairn_form_queries(layout->algebra, &atom->form) == 0)
           && cairn_form_range(layout->algebra, &atom->form, layout->box,
                               layout->given.span, &range)
                  == CAIRN_OK
           && range.lo <= range.hi && range.lo >= -CAIRN_IR_NARROW
           && range.hi <= CAIRN_IR_NARROW;
}

/// Do 32 bits make a division faster? Numbers, which are loaded with 64, are shifted as
/// fast.
static bool gains(const cairn_algebra *algebra, const cairn_atom *atom)
{
    return (atom->divisor & (atom->divisor - 1)) != 0
           || cairn_form_queries(algebra, &atom->form) == 0;
}

bool cairn_convert_divides_narrowly(const cairn_convert_spec *spec)
{
    int gained = 0;

    if (spec->phase != CAIRN_CONVERT_PACK || !spec->to
        || !cairn_convert_packs_in_blocks(spec))
        return false;
    for (int k = 0; k < spec->to->algebra->atoms; k++) {
        const cairn_atom *atom = &spec->to->algebra->atom[k];

        if (!is_division(atom)) continue;
        if (!is_narrow(spec->to, atom)) return false;
        gained += gains(spec->to->algebra, atom);
    }
    return gained > 0;
}

bool cairn_convert_divides_counts(const cairn_convert_spec *spec)
{
    const cairn_algebra *const algebra = spec->to->algebra;
    int                        numbers = 0;

    for (int k = 0; k < algebra->atoms; k++)
        for (int t = 0;
             is_division(&algebra->atom[k]) && t < algebra->atom[k].form.terms; t++) {
            const cairn_atom *of = &algebra->atom[algebra->atom[k].form.term[t].atom];

            if (of->kind != CAIRN_ATOM_QUERY) continue;
            if (spec->to->given.span[of->number].lo < 0) return false;
            numbers++;
        }
    return numbers > 0;
}

/// The number of the entry's row.
static cairn_ir_x from_table(cairn_convert *c, int query)
{
    cairn_ir        *b    = &c->ir;
    const int        row  = c->spec->tables.row;
    const cairn_ir_x rows = cairn_convert_scalar(c, CAIRN_CONVERT_table_rows, "rows");
    const cairn_ir_x lo =
        cairn_convert_element(c, CAIRN_CONVERT_box, "box", 2 * (int64_t)row);

    return cairn_ir_load(b, cairn_convert_small(c, CAIRN_CONVERT_table, "table"),
                         cairn_ir_add(b, cairn_ir_mul_int(b, rows, query),
                                      cairn_ir_sub(b, c->here.dim[row], lo)));
}

static cairn_ir_x number_of(cairn_convert *c, int query)
{
    cairn_ir_array *array;

    if (c->spec->tables.queries >> query & 1) return from_table(c, query);
    if (c->numbers.rank && query == c->spec->along.query)
        return cairn_ir_use(&c->ir, c->numbers.rank);
    if (c->numbers.block_number && query == c->spec->blocks.number)
        return c->numbers.block_number;
    array = cairn_ir_array_of(
        &c->ir, (cairn_ir_field){CAIRN_IR_ARG, 0, CAIRN_CONVERT_number0 + query},
        CAIRN_IR_I64, "number%d", query);

    return cairn_ir_load(&c->ir, array, c->here.turn);
}

/// The index of a level of the source whose form is this one; NULL: there is none.
static cairn_ir_x stored_index(const cairn_convert *c, const cairn_form *form)
{
    for (int l = 0; c->from && l < c->from->levels; l++)
        if (c->here.index[l] && cairn_form_equal(&c->source[l], form))
            return c->here.index[l];
    return NULL;
}

static cairn_ir_x compute_atom(cairn_convert *c, int number)
{
    const cairn_atom *atom    = &c->algebra->atom[number];
    const cairn_form  as_form = {.terms = 1, .term = {{.atom = number, .factor = 1}}};
    const cairn_ir_x  stored  = stored_index(c, &as_form);

    if (stored) return stored;
    switch (atom->kind) {
    case CAIRN_ATOM_DIM: return c->here.dim[atom->number];
    case CAIRN_ATOM_QUERY: return number_of(c, atom->number);
    default: break;
    }

    const bool        natural = is_natural(c, &atom->form);
    const bool        div     = atom->kind == CAIRN_ATOM_DIV;
    const cairn_ir_op op      = natural ? (div ? CAIRN_IR_DIV : CAIRN_IR_MOD)
                                        : (div ? CAIRN_IR_FLOOR_DIV : CAIRN_IR_FLOOR_MOD);

    const cairn_ir_x form    = cairn_convert_form(c, &atom->form);
    const cairn_ir_x divisor = cairn_ir_int(&c->ir, atom->divisor);

    if (!c->narrow) return cairn_ir_binary(&c->ir, op, form, divisor);
    return cairn_ir_cast(&c->ir, CAIRN_IR_I64,
                         cairn_ir_binary(&c->ir, op,
                                         cairn_ir_cast(&c->ir, CAIRN_IR_I32, form),
                                         cairn_ir_cast(&c->ir, CAIRN_IR_I32, divisor)));
}

static cairn_ir_x value_of_atom(cairn_convert *c, int number)
{
    if (!c->here.atom[number]) c->here.atom[number] = compute_atom(c, number);
    return c->here.atom[number];
}

cairn_ir_x cairn_convert_form(cairn_convert *c, const cairn_form *form)
{
    const cairn_ir_x stored = stored_index(c, form);
    cairn_ir_x       sum    = NULL;

    if (stored) return stored;
    for (int t = 0; t < form->terms; t++) {
        const int64_t    factor = form->term[t].factor;
        const cairn_ir_x atom   = value_of_atom(c, form->term[t].atom);

        if (!sum)
            sum = cairn_ir_mul_int(&c->ir, atom, factor);
        else if (factor < 0)
            sum = cairn_ir_sub(&c->ir, sum, cairn_ir_mul_int(&c->ir, atom, -factor));
        else
            sum = cairn_ir_add(&c->ir, sum, cairn_ir_mul_int(&c->ir, atom, factor));
    }
    if (!sum) return cairn_ir_int(&c->ir, form->constant);
    return cairn_ir_add_int(&c->ir, sum, form->constant);
}

/// From the fields of the key.
static cairn_ir_x unpack_index(cairn_convert *c, int l)
{
    const cairn_ir_x word = c->here.word[l < c->spec->keys.split];

    return cairn_ir_add(&c->ir, c->fields.low[l],
                        cairn_ir_binary(&c->ir, CAIRN_IR_BITS_AND,
                                        cairn_ir_binary(&c->ir, CAIRN_IR_SHIFT_RIGHT,
                                                        word, c->fields.shift[l]),
                                        c->fields.mask[l]));
}

void cairn_convert_indices(cairn_convert *c, int count)
{
    for (int l = 0; l < count; l++) {
        const cairn_ir_x e =
            c->here.word[0] ? unpack_index(c, l) : cairn_convert_form(c, &c->target[l]);

        c->here.e[l] = cairn_ir_use(&c->ir, cairn_ir_let(&c->ir, e, "e%d", l));
    }
}

cairn_ir_x cairn_convert_scaled(cairn_convert *c, const cairn_ir_x *e, int k)
{
    const cairn_linear *dim = &c->from->inverse.dim[k];
    cairn_ir           *b   = &c->ir;
    cairn_ir_x          sum = cairn_ir_int(b, dim->constant);

    for (int t = 0; t < dim->terms; t++)
        sum = cairn_ir_add(b, sum, cairn_ir_mul_int(b, e[dim->var[t]], dim->num[t]));
    return sum;
}
