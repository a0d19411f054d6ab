// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A conversion on a card, start by start.

#include "convert/card.h"

#include "convert/compiled.h"
#include "devices/grids.h"
#include "lower/grid_convert.h"

#include <assert.h>
#include <string.h>

enum {
    TILE   = CAIRN_GRID_CONVERT_TILE,
    DIGITS = CAIRN_GRID_CONVERT_DIGITS,
    SUMS   = 4, ///< Steps of a sum of sums: each has 1/2048 of the numbers.
};

/// What the functions read that is no array of a part, as it lies on the card.
typedef struct {
    int64_t low[CAIRN_MAX_LEVELS], shift[CAIRN_MAX_LEVELS], mask[CAIRN_MAX_LEVELS];
    int64_t box[2 * CAIRN_MAX_ORDER];
} constants;

struct cairn_card_work {
    const cairn_device_grids *grids;
    cairn_grid_program       *of_keys; ///< Functions of keys,
    cairn_grid_program       *program; ///< and of the conversion, and all memory.
    cairn_grid_address        from[CAIRN_MAX_ARRAYS], to[CAIRN_MAX_ARRAYS];
    cairn_grid_address        key[2], at[2]; ///< The first of each are those that hold.
    cairn_grid_address        counts;        ///< Of digits, by tile.
    cairn_grid_address        number;        ///< [depths][positions + 1]
    cairn_grid_address        sum[SUMS];     ///< Of tiles, of tiles of these, ...
    cairn_grid_address        seen;
    int64_t                   positions, entries;
    const cairn_part         *part; ///< That is filled; before, one without arrays.
    cairn_grid_convert_args   args;
};

static cairn_conversion_card *card_of(const cairn_compiled *c)
{
    return c->build->loader->card;
}

static void *address(cairn_grid_address at)
{
    return (void *)(uintptr_t)at;
}

bool cairn_card_is_asked_for(const cairn_build *build)
{
    const cairn_conversion_card *card = build->loader ? build->loader->card : NULL;

    return card && !card->failed
           && strcmp(card->device->env->options.convert, cairn_method_card.name) == 0;
}

bool cairn_card_can(const cairn_compiled *c, const char **why)
{
    const cairn_conversion_card *card = card_of(c);
    const cairn_layout          *from = cairn_origin_layout(&c->origin);
    cairn_key_fields             fields;

    *why = "";
    if (!card || card->failed)
        *why = "no card is listed that runs grids";
    else if (!from)
        *why = "the source is read as coordinates";
    else if (cairn_origin_group(&c->origin)->count != 1)
        *why = "the source has more than one part, or none";
    else if (c->origin.filter.member || c->build->format->members > 1)
        *why = "entries of a hybrid are assigned to members on the processor";
    else if (c->build->net || c->build->planned || c->build->into)
        *why = "several ranks convert together, or into arrays of a caller's";
    else if (!c->facts.trusted)
        *why = "the source may hold an entry twice";
    else if (!c->m->rows.along
             && (!cairn_key_fields_plan(c->m->layout->levels, c->range, &fields)
                 || fields.split > 0 || fields.bits[0] >= CAIRN_KEY_BITS))
        *why = "the indices of an entry do not fit into 63 bits";
    else if (cairn_compiled_source(c)->values == 0
             || cairn_compiled_source(c)->values >= INT32_MAX)
        *why = "the source stores no position, or too many";
    if (**why) return false;
    const cairn_convert_spec spec = cairn_compiled_spec(c, CAIRN_CONVERT_PACK);

    return cairn_grid_convert_can(&spec, why);
}

/* ---- failures ---- */

/// What fails there is the card's, and the build's to do otherwise.
static cairn_status note_failure(const cairn_compiled *c, cairn_status status)
{
    cairn_conversion_card *card = card_of(c);

    if (status == CAIRN_OK) return CAIRN_OK;
    card->failed = true;
    memcpy(card->why, cairn_message(c->m->env), sizeof card->why);
    return CAIRN_NO_DEVICE;
}

/* ---- memory ---- */

static cairn_status
take(cairn_card_work *w, int64_t bytes, const char *what, cairn_grid_address *at)
{
    return w->grids->take(w->program, bytes, what, at);
}

/// Is an array of the target written here before entries are filled in there? Of slots all
/// that their lanes alone give.
static bool is_written_here(const cairn_compiled *c, const cairn_array *array)
{
    return c->m->rows.along && array->kind != CAIRN_ARRAY_VAL
           && array->level < c->m->layout->levels - 1;
}

/// Get memory for the arrays of a part: the source's with what they hold.
static cairn_status take_arrays(const cairn_compiled *c,
                                cairn_card_work      *w,
                                const cairn_part     *part,
                                cairn_grid_address   *at)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(part, array);

    for (int k = 0; k < arrays; k++) {
        CAIRN_TRY(take(w, array[k].bytes, "arrays", &at[k]));
        if (part != w->part || is_written_here(c, &array[k]))
            CAIRN_TRY(w->grids->send(w->program, at[k], array[k].data, array[k].bytes));
        else
            CAIRN_TRY(w->grids->clear(w->program, at[k], array[k].bytes));
    }
    return CAIRN_OK;
}

static cairn_status take_keys(const cairn_compiled *c, cairn_card_work *w)
{
    const int64_t n     = w->positions;
    const int64_t tiles = (n + TILE - 1) / TILE;
    const int     depths =
        c->m->rows.along ? 0
                             : __builtin_popcount(cairn_grid_convert_depths(c->m->layout));
    int64_t sums = tiles * DIGITS > n + 1 ? tiles * DIGITS : n + 1;

    for (int k = 0; k < 2; k++) {
        CAIRN_TRY(take(w, n * (int64_t)sizeof(uint64_t), "keys", &w->key[k]));
        CAIRN_TRY(take(w, n * (int64_t)sizeof(uint32_t), "positions", &w->at[k]));
    }
    CAIRN_TRY(
        take(w, tiles * DIGITS * (int64_t)sizeof(uint32_t), "counts", &w->counts));
    CAIRN_TRY(
        take(w, depths * (n + 1) * (int64_t)sizeof(uint32_t), "numbers", &w->number));
    for (int k = 0; k < SUMS; k++) {
        sums = (sums + TILE - 1) / TILE;
        CAIRN_TRY(take(w, sums * (int64_t)sizeof(uint32_t), "sums", &w->sum[k]));
    }
    return take(w, 2 * (int64_t)sizeof(uint32_t), "what was seen", &w->seen);
}

/// How keys lie, and where this rank's positions are.
static cairn_status send_constants(const cairn_compiled *c, cairn_card_work *w)
{
    const cairn_key_fields *fields = &c->keys.fields;
    constants               here   = {.low = {0}};
    cairn_grid_address      at;

    memcpy(here.low, fields->low, sizeof here.low);
    memcpy(here.shift, fields->shift, sizeof here.shift);
    memcpy(here.mask, fields->mask, sizeof here.mask);
    for (int k = 0; k < c->m->layout->order; k++) {
        here.box[2 * k]     = c->origin.box[k].lo;
        here.box[2 * k + 1] = c->origin.box[k].hi;
    }
    CAIRN_TRY(take(w, sizeof here, "constants", &at));
    CAIRN_TRY(w->grids->send(w->program, at, &here, sizeof here));
    w->args.low   = address(at + offsetof(constants, low));
    w->args.shift = address(at + offsetof(constants, shift));
    w->args.mask  = address(at + offsetof(constants, mask));
    w->args.box   = address(at + offsetof(constants, box));
    return CAIRN_OK;
}

/* ---- starts ---- */

static cairn_grid_call call_of(const cairn_compiled *c, cairn_card_work *w)
{
    return (cairn_grid_call){
        .part = {{cairn_origin_part(&c->origin, 0), w->from}, {w->part, w->to}},
        .abi  = CAIRN_ABI_GRID_CONVERT,
        .args = &w->args
    };
}

/// Start a function of the conversion; over no turns it is none.
static cairn_status
start(const cairn_compiled *c, cairn_card_work *w, int function, int64_t turns)
{
    cairn_grid_call call = call_of(c, w);

    call.function = function;
    call.groups   = cairn_grid_convert_groups(turns);
    return turns > 0 ? w->grids->start(w->program, &call) : CAIRN_OK;
}

/// Start a function of keys.
static cairn_status start_keys(const cairn_compiled    *c,
                               cairn_card_work         *w,
                               cairn_grid_keys_function function,
                               int64_t                  turns)
{
    cairn_grid_call call = call_of(c, w);

    assert(turns > 0);
    call.function = function;
    call.groups   = cairn_grid_keys_groups(function, turns);
    return w->grids->start(w->of_keys, &call);
}

/// Every number becomes the sum of all before it: sums of tiles, these in the same way, and
/// then each tile by itself.
static cairn_status
add_up(const cairn_compiled *c, cairn_card_work *w, cairn_grid_address at, int64_t n)
{
    cairn_grid_address array[SUMS + 1]  = {at};
    int64_t            length[SUMS + 1] = {n};
    int                steps            = 0;

    while (length[steps] > TILE) {
        assert(steps + 1 < SUMS);
        w->args.end   = length[steps];
        w->args.added = address(array[steps]);
        w->args.sum   = address(w->sum[steps]);
        CAIRN_TRY(start_keys(c, w, CAIRN_GRID_KEYS_SUM, length[steps]));
        array[steps + 1]  = w->sum[steps];
        length[steps + 1] = (length[steps] + TILE - 1) / TILE;
        steps++;
    }
    /* Nothing is before the only tile. */
    CAIRN_TRY(w->grids->clear(w->program, w->sum[steps], sizeof(uint32_t)));
    for (int k = steps; k >= 0; k--) {
        w->args.end   = length[k];
        w->args.added = address(array[k]);
        w->args.sum   = address(w->sum[k]);
        CAIRN_TRY(start_keys(c, w, CAIRN_GRID_KEYS_SPREAD, length[k]));
    }
    return CAIRN_OK;
}

/* ---- keys ---- */

/// Get the code of functions, under a key.
static cairn_status open_functions(const cairn_compiled *c,
                                   const char           *key,
                                   cairn_ir_function   **function,
                                   int                   functions,
                                   cairn_grid_program  **program)
{
    cairn_device *const device = card_of(c)->device;
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
    const cairn_convert_spec spec = cairn_compiled_spec(c, CAIRN_CONVERT_PACK);
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

/// The card's functions, the source, and room.
static cairn_status prepare(cairn_compiled *c, cairn_card_work *w)
{
    CAIRN_TRY(open_keys(c, w));
    CAIRN_TRY(open_program(c, w));
    c->program.route = CAIRN_ROUTE_COMPILED;
    w->positions     = cairn_compiled_source(c)->values;
    w->part          = &c->empty;
    CAIRN_TRY(take_arrays(c, w, cairn_origin_part(&c->origin, 0), w->from));
    CAIRN_TRY(take_keys(c, w));
    CAIRN_TRY(send_constants(c, w));
    w->args.dead   = (int64_t)1 << c->keys.fields.bits[0];
    w->args.seen   = address(w->seen);
    w->args.groups = (w->positions + TILE - 1) / TILE;
    w->args.stride = w->positions + 1;
    w->args.number = address(w->number);
    w->args.key    = address(w->key[0]);
    w->args.at     = address(w->at[0]);
    w->args.end    = w->positions;
    return start(c, w, CAIRN_GRID_CONVERT_PACK, w->positions);
}

/// How many keys are less than the one before them; how many are entries, if none is.
static cairn_status look(const cairn_compiled *c, cairn_card_work *w, uint32_t seen[2])
{
    CAIRN_TRY(w->grids->clear(w->program, w->seen, 2 * sizeof *seen));
    w->args.end = w->positions;
    CAIRN_TRY(start_keys(c, w, CAIRN_GRID_KEYS_ORDER, w->positions));
    return w->grids->fetch(w->program, seen, w->seen, 2 * sizeof *seen);
}

static void swap(cairn_grid_address pair[2])
{
    const cairn_grid_address first = pair[0];

    pair[0] = pair[1];
    pair[1] = first;
}

/// Put keys in order by one digit more, and their positions with them.
static cairn_status
sort_by_digit(const cairn_compiled *c, cairn_card_work *w, int64_t digit)
{
    const int64_t counts = w->args.groups * DIGITS;

    w->args.digit = digit;
    w->args.end   = w->positions;
    w->args.added = address(w->counts);
    CAIRN_TRY(start_keys(c, w, CAIRN_GRID_KEYS_COUNT, w->positions));
    CAIRN_TRY(add_up(c, w, w->counts, counts));
    w->args.end        = w->positions;
    w->args.added      = address(w->counts);
    w->args.key_sorted = address(w->key[1]);
    w->args.at_sorted  = address(w->at[1]);
    CAIRN_TRY(start_keys(c, w, CAIRN_GRID_KEYS_DEAL, w->positions));
    swap(w->key);
    swap(w->at);
    w->args.key = address(w->key[0]);
    w->args.at  = address(w->at[0]);
    return CAIRN_OK;
}

/// What is no entry goes behind all that are: the bit above all others counts.
static cairn_status sort(cairn_compiled *c, cairn_card_work *w)
{
    uint32_t seen[2];

    CAIRN_TRY(look(c, w, seen));
    if (seen[0] > 0) {
        for (int64_t digit = 0; digit <= c->keys.fields.bits[0];
             digit += CAIRN_GRID_CONVERT_DIGIT)
            CAIRN_TRY(sort_by_digit(c, w, digit));
        CAIRN_TRY(look(c, w, seen));
    }
    CAIRN_CHECK(seen[0] == 0 && seen[1] <= w->positions, c->m->env, CAIRN_NO_DEVICE,
                "device: %s: it computes wrongly: keys are not in order",
                card_of(c)->device->info.id);
    w->entries = seen[1];
    CAIRN_CHECK(!c->m->rows.along || w->entries == c->m->bank[0].end, c->m->env,
                CAIRN_NO_DEVICE, "device: %s: it computes wrongly: entries are missing",
                card_of(c)->device->info.id);
    return CAIRN_OK;
}

/// How keys lie: of entries that are numbered along rows they are the row.
static void plan_keys(cairn_compiled *c)
{
    cairn_key_fields *fields = &c->keys.fields;

    if (c->m->rows.along) {
        *fields         = (cairn_key_fields){.split = 0};
        fields->bits[0] = 64 - __builtin_clzll((unsigned long long)c->m->rows.n);
        return;
    }
    const bool planned = cairn_key_fields_plan(c->m->layout->levels, c->range, fields);

    assert(planned);
    (void)planned;
}

cairn_status cairn_card_sort(cairn_compiled *c)
{
    cairn_card_work *w;

    CAIRN_TRY(CAIRN_NEW_ZERO(c->m->env, 1, &w));
    w->grids        = card_of(c)->device->ops.grids;
    c->program.card = w;
    plan_keys(c);
    const cairn_status status = prepare(c, w);

    return note_failure(c, status == CAIRN_OK ? sort(c, w) : status);
}

/* ---- nodes ---- */

/// Number the nodes of a depth, which are row @p row. @param[out] nodes  How many.
static cairn_status
number_depth(cairn_compiled *c, cairn_card_work *w, int depth, int row, uint32_t *nodes)
{
    const cairn_grid_address its =
        w->number + (cairn_grid_address)(row * w->args.stride) * sizeof *nodes;

    w->args.digit = c->keys.fields.shift[depth];
    w->args.end   = w->positions;
    w->args.added = address(its);
    CAIRN_TRY(start_keys(c, w, CAIRN_GRID_KEYS_HEADS, w->positions + 1));
    CAIRN_TRY(add_up(c, w, its, w->positions + 1));
    return w->grids->fetch(w->program, nodes,
                           its + (cairn_grid_address)w->positions * sizeof *nodes,
                           sizeof *nodes);
}

static cairn_status number(cairn_compiled *c, cairn_card_work *w)
{
    const cairn_layout *to     = c->m->layout;
    const uint32_t      depths = cairn_grid_convert_depths(to);
    cairn_bank         *bank   = &c->m->bank[0];
    int                 row    = 0;

    for (int depth = 0; depth < to->levels; depth++) {
        uint32_t nodes;

        if (!(depths >> depth & 1)) continue;
        CAIRN_TRY(number_depth(c, w, depth, row++, &nodes));
        for (int l = to->first; l <= to->last; l++)
            if (to->level[l].depth == depth) bank->nodes[l] = nodes;
    }
    bank->end = w->entries;
    return CAIRN_OK;
}

cairn_status cairn_card_count(cairn_compiled *c)
{
    return note_failure(c, number(c, c->program.card));
}

/* ---- arrays ---- */

static cairn_status fill_level(const cairn_compiled *c, cairn_card_work *w, int l)
{
    const cairn_level        *level = &c->m->layout->level[l];
    const cairn_kernel_level *view  = &w->part->view.level[l];

    if (level->determined) {
        w->args.end = view->idx_length;
        return start(c, w, CAIRN_GRID_CONVERT_HOLES + l, w->args.end);
    }
    if (!level->has_ptr) return CAIRN_OK;
    w->args.end = view->ptr_length;
    return start(c, w, CAIRN_GRID_CONVERT_PTR + l, w->args.end);
}

static cairn_status fetch_arrays(cairn_card_work *w)
{
    cairn_array array[CAIRN_MAX_ARRAYS];
    const int   arrays = cairn_part_arrays(w->part, array);

    for (int k = 0; k < arrays; k++)
        if (array[k].bytes > 0)
            CAIRN_TRY(
                w->grids->fetch(w->program, array[k].data, w->to[k], array[k].bytes));
    return CAIRN_OK;
}

/// Send numbers of 32 bits. @param[out] there  Where they are.
static cairn_status send_small(cairn_card_work    *w,
                               const uint32_t     *number,
                               int64_t             n,
                               cairn_grid_address *there)
{
    const int64_t bytes = n * (int64_t)sizeof *number;

    CAIRN_TRY(take(w, bytes, "numbers", there));
    return w->grids->send(w->program, *there, number, bytes);
}

/// Numbers of rows by which some level goes.
static bool reads_tables(const cairn_compiled *c)
{
    const cairn_layout *to   = c->m->layout;
    uint32_t            used = 0;

    for (int l = 0; l < to->levels; l++)
        used |= cairn_form_queries(to->algebra, &to->level[l].form);
    return used & c->m->rows.tables;
}

/// Where the entries of each row begin among all, and the nodes of each group.
static cairn_status send_slots(cairn_compiled *c, cairn_card_work *w)
{
    const cairn_numbered_rows *rows = &c->m->rows;
    cairn_grid_address         first, cursor, table = 0;

    CAIRN_TRY(cairn_rows_begin(c));
    CAIRN_TRY(send_small(w, c->rows.first, rows->n + 1, &first));
    CAIRN_TRY(send_small(w, c->groups.begin, c->facts.groups + 1, &cursor));
    if (reads_tables(c))
        CAIRN_TRY(
            send_small(w, rows->table, c->m->encoding->queries * rows->n, &table));
    w->args.first      = address(first);
    w->args.cursor     = address(cursor);
    w->args.table      = address(table);
    w->args.table_rows = rows->n;
    return CAIRN_OK;
}

static cairn_status fill(cairn_compiled *c, cairn_card_work *w)
{
    CAIRN_TRY(take_arrays(c, w, w->part, w->to));
    w->args.capacity = w->entries;
    if (c->m->rows.along) CAIRN_TRY(send_slots(c, w));
    for (int l = 0; l < c->m->layout->levels && !c->m->rows.along; l++)
        CAIRN_TRY(fill_level(c, w, l));
    w->args.end = w->entries;
    CAIRN_TRY(start(c, w, CAIRN_GRID_CONVERT_FILL, w->entries));
    return fetch_arrays(w);
}

cairn_status cairn_card_fill(cairn_compiled *c, const cairn_part *part)
{
    c->program.card->part = part;
    return note_failure(c, fill(c, c->program.card));
}

void cairn_card_close(cairn_env *env, cairn_card_work **work)
{
    if (!*work) return;
    if ((*work)->program) (*work)->grids->close(&(*work)->program);
    if ((*work)->of_keys) (*work)->grids->close(&(*work)->of_keys);
    cairn_free(env, *work);
    *work = NULL;
}
