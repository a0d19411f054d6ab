// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Whether a conversion may go on a card, its functions, and its end.

#include "convert/card/card_steps.h"
#include "convert/passes.h"

#include <string.h>

bool cairn_card_is_asked_for(const cairn_build *build)
{
    const cairn_conversion_card *card = build->loader ? build->loader->card : NULL;

    return card && !card->failed
           && strcmp(card->device->env->options.convert, cairn_method_card.name) == 0;
}

int64_t cairn_card_has_source(const cairn_compiled *c)
{
    const cairn_device       *device = cairn_card_of(c)->device;
    const cairn_device_grids *grids  = device->ops.grids;

    return grids->has && c->origin.from && cairn_origin_group(&c->origin)->count == 1
               ? grids->has(device, c->origin.from, c->origin.member)
               : 0;
}

/* Banks come one after the other, each over the one before. */
void cairn_card_keep(cairn_compiled *c, cairn_local *tensor)
{
    cairn_card_work *const w = c->program.card;

    if (w && w->grids->keep && w->target && c->m->layout->partition < 0)
        w->grids->keep(w->program, w->target, tensor, c->m->number);
}

bool cairn_card_plan_keys(const cairn_compiled *c, cairn_key_fields *fields)
{
    const cairn_numbered_rows *rows = &c->m->rows;
    const cairn_interval line[2] = {c->origin.box[rows->row], c->origin.box[rows->col]};
    const bool           fits =
        rows->along ? cairn_key_fields_plan(2, line, fields)
                              : cairn_key_fields_plan(c->m->layout->levels, c->range, fields);

    return fits && fields->split == 0 && fields->bits[0] < CAIRN_KEY_BITS;
}

static cairn_convert_spec spec_of(const cairn_compiled *c)
{
    cairn_convert_spec spec = cairn_compiled_spec(c, CAIRN_CONVERT_PACK);

    spec.along.col       = c->m->rows.col;
    spec.omit.determined = spec.blocks.query; /* PAD writes them, line by line */
    return spec;
}

/// Do nodes, and holes between them, have numbers of 32 bits?
static bool nodes_fit(const cairn_compiled *c)
{
    const int E = c->m->layout->last;

    if (!cairn_grid_convert_has_gaps(c->m->layout)) return true;
    return (double)c->facts.groups
               * (1.0 + (double)c->range[E].hi - (double)c->range[E].lo)
           < (double)INT32_MAX;
}

bool cairn_card_can(const cairn_compiled *c, const char **why)
{
    const cairn_conversion_card *card = cairn_card_of(c);
    cairn_key_fields             fields;

    *why = "";
    if (!card || card->failed)
        *why = "no card is listed that runs grids";
    else if (c->build->net || c->build->planned || c->build->into)
        *why = "several ranks convert together, or into arrays of a caller's";
    else if (!c->facts.trusted)
        *why = "the source may hold an entry twice";
    else if (c->m->blocks && !cairn_lines_fit(c))
        *why = "a query numbers what has no slot of its own in a line";
    else if (!nodes_fit(c))
        *why = "the target has too many nodes, holes between them among these";
    else if (!cairn_card_plan_keys(c, &fields))
        *why = "the indices of an entry do not fit into 63 bits";
    else if (cairn_origin_positions(&c->origin) == 0
             || cairn_origin_positions(&c->origin) >= INT32_MAX)
        *why = "the source stores no position, or too many";
    if (**why) return false;
    const cairn_convert_spec spec = spec_of(c);

    return cairn_grid_convert_can(&spec, why);
}

cairn_status cairn_card_note(const cairn_compiled *c, cairn_status status)
{
    cairn_conversion_card *card = cairn_card_of(c);

    if (status == CAIRN_OK) return CAIRN_OK;
    card->failed = true;
    memcpy(card->why, cairn_message(c->m->env), sizeof card->why);
    return CAIRN_NO_DEVICE;
}

/// Get the code of functions, under a key.
static cairn_status open_functions(const cairn_compiled *c,
                                   const char           *key,
                                   cairn_ir_function   **function,
                                   int                   functions,
                                   cairn_grid_program  **program)
{
    cairn_device *const device = cairn_card_of(c)->device;
    const cairn_status  status = device->ops.grids->open(
         device, key, (const cairn_ir_function *const *)function, functions, program);

    cairn_grid_convert_discard(c->m->env, function, functions);
    return status;
}

static cairn_status open_keys(const cairn_compiled *c, cairn_card_work *w)
{
    cairn_ir_function *function[CAIRN_GRID_KEYS_FUNCTIONS];
    char               symbol[CAIRN_KERNEL_SYMBOL];

    cairn_kernel_symbol(cairn_grid_keys_key, symbol);
    CAIRN_TRY(cairn_grid_keys_lower(c->m->env, symbol, function));
    return open_functions(c, cairn_grid_keys_key, function, CAIRN_GRID_KEYS_FUNCTIONS,
                          &w->of_keys);
}

static cairn_status open_program(const cairn_compiled *c, cairn_card_work *w)
{
    cairn_env *const         env  = c->m->env;
    const cairn_convert_spec spec = spec_of(c);
    cairn_ir_function       *function[CAIRN_GRID_CONVERT_FUNCTIONS];
    char                     symbol[CAIRN_KERNEL_SYMBOL];
    char                    *key = NULL;
    cairn_status             status;

    CAIRN_TRY(cairn_grid_convert_key(env, &spec, &key));
    cairn_kernel_symbol(key, symbol);
    status = cairn_grid_convert_lower(env, &spec, symbol, function);
    if (status == CAIRN_OK)
        status =
            open_functions(c, key, function, CAIRN_GRID_CONVERT_FUNCTIONS, &w->program);
    cairn_free(env, key);
    return status;
}

cairn_status cairn_card_open(const cairn_compiled *c, cairn_card_work *w)
{
    CAIRN_TRY(open_keys(c, w));
    return open_program(c, w);
}

void cairn_card_close(cairn_env *env, cairn_card_work **work)
{
    if (!*work) return;
    if ((*work)->program) (*work)->grids->close(&(*work)->program);
    if ((*work)->of_keys) (*work)->grids->close(&(*work)->of_keys);
    cairn_free(env, *work);
    *work = NULL;
}
