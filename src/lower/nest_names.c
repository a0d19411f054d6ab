// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How levels are called in kernels: names and notes that follow from the forms, never
/// from what a user wrote.

#include "lower/nest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/// What numbers a query hands out, in a word.
static const char *query_word(const cairn_layout *layout, int query)
{
    switch (layout->encoding->query[query].func) {
    case CAIRN_QUERY_ENUM: return "slot";
    case CAIRN_QUERY_REORDER: return "place";
    case CAIRN_QUERY_SCHEDULE: return "bucket";
    default: return "count";
    }
}

static const cairn_atom *atom_of(const cairn_layout *layout, const cairn_form *form)
{
    return &layout->algebra->atom[form->term[0].atom];
}

/// The name of what a form of one term is made of: "i" of d0, (d0+1)/2, ...
static void root_name(const cairn_layout *layout,
                      const cairn_form   *form,
                      char                name[CAIRN_NEST_NAME])
{
    const cairn_atom *atom = form->terms ? atom_of(layout, form) : NULL;

    if (form->terms == 1 && atom->kind == CAIRN_ATOM_DIM)
        snprintf(name, CAIRN_NEST_NAME, "%c", "ijklmnopqrstuvwx"[atom->number]);
    else if (form->terms == 1 && atom->kind == CAIRN_ATOM_QUERY)
        snprintf(name, CAIRN_NEST_NAME, "%s", query_word(layout, atom->number));
    else if (form->terms == 1)
        root_name(layout, &atom->form, name);
    else
        snprintf(name, CAIRN_NEST_NAME, "d");
}

void cairn_nest_name(const cairn_layout *layout, int l, char name[CAIRN_NEST_NAME])
{
    const cairn_level *level = &layout->level[l];
    const cairn_form  *form  = &level->form;

    if (form->terms == 0) {
        snprintf(name, CAIRN_NEST_NAME, "one");
        return;
    }
    root_name(layout, form, name);
    if (form->terms > 1) return;
    const cairn_atom_kind kind = atom_of(layout, form)->kind;
    const size_t          n    = strlen(name);

    if (kind == CAIRN_ATOM_DIV) snprintf(name + n, CAIRN_NEST_NAME - n, "b");
    if (kind == CAIRN_ATOM_MOD) snprintf(name + n, CAIRN_NEST_NAME - n, "r");
}

static void add_text(char *out, size_t size, const char *text)
{
    const size_t n = strlen(out);

    snprintf(out + n, size - n, "%s", text);
}

static void add_number(char *out, size_t size, int64_t value)
{
    const size_t n = strlen(out);

    snprintf(out + n, size - n, "%" PRId64, value);
}

static void add_form(const cairn_layout *layout,
                     const cairn_form   *form,
                     bool                inside,
                     char               *out,
                     size_t              size);

static void
add_atom(const cairn_layout *layout, const cairn_atom *atom, char *out, size_t size)
{
    if (atom->kind == CAIRN_ATOM_DIM) {
        add_text(out, size, "d");
        add_number(out, size, atom->number);
    } else if (atom->kind == CAIRN_ATOM_QUERY) {
        add_text(out, size, query_word(layout, atom->number));
    } else {
        add_form(layout, &atom->form, true, out, size);
        add_text(out, size, atom->kind == CAIRN_ATOM_DIV ? "/" : "%");
        add_number(out, size, atom->divisor);
    }
}

/// Terms with a plus first; in parentheses @p inside a quotient if there are several.
static void add_form(const cairn_layout *layout,
                     const cairn_form   *form,
                     bool                inside,
                     char               *out,
                     size_t              size)
{
    const bool simple =
        cairn_form_atom(form) >= 0 && atom_of(layout, form)->kind <= CAIRN_ATOM_QUERY;
    bool first = true;

    if (inside && !simple) add_text(out, size, "(");
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < form->terms; t++) {
            const int64_t factor = form->term[t].factor;

            if ((factor > 0) != (pass == 0)) continue;
            if (factor < 0) add_text(out, size, "-");
            if (factor > 0 && !first) add_text(out, size, "+");
            if (factor != 1 && factor != -1) {
                add_number(out, size, factor < 0 ? -factor : factor);
                add_text(out, size, "*");
            }
            add_atom(layout, &layout->algebra->atom[form->term[t].atom], out, size);
            first = false;
        }
    if (form->constant > 0 && !first) add_text(out, size, "+");
    if (form->constant != 0 || first) add_number(out, size, form->constant);
    if (inside && !simple) add_text(out, size, ")");
}

void cairn_nest_form(const cairn_layout *layout,
                     const cairn_form   *form,
                     char               *out,
                     size_t              size)
{
    out[0] = '\0';
    add_form(layout, form, false, out, size);
}

void cairn_nest_note(const cairn_layout *layout, int l, char note[CAIRN_NEST_NOTE])
{
    static const char *const kinds[] = {"dense", "compressed", "singleton", "ragged"};
    const cairn_level       *level   = &layout->level[l];

    cairn_nest_form(layout, &level->form, note, CAIRN_NEST_NOTE);
    add_text(note, CAIRN_NEST_NOTE, ", ");
    add_text(note, CAIRN_NEST_NOTE, kinds[level->kind]);
}
