// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Lists of passes, and their words.

#include "rules/pass_list.h"

#include "base/text.h"
#include "entries/entries.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void cairn_pass_list_init(cairn_pass_list *program, cairn_env *env)
{
    *program = (cairn_pass_list){.env = env};
}

void cairn_pass_list_clear(cairn_pass_list *program)
{
    cairn_free(program->env, program->alternative);
    cairn_free(program->env, program->otherwise);
    program->alternative = NULL;
    program->otherwise   = NULL;
    program->passes = program->indices = 0;
    program->alternatives = program->otherwises = 0;
}

void cairn_pass_list_fini(cairn_pass_list *program)
{
    cairn_pass_list_clear(program);
    cairn_free(program->env, program->pass);
    program->pass     = NULL;
    program->capacity = 0;
}

static cairn_status make_room(cairn_pass_list *program, int passes)
{
    int capacity = program->capacity ? program->capacity : 8;

    while (capacity < passes)
        capacity *= 2;
    if (capacity == program->capacity) return CAIRN_OK;
    CAIRN_TRY(cairn_realloc(program->env, capacity, sizeof *program->pass,
                            (void **)&program->pass));
    program->capacity = capacity;
    return CAIRN_OK;
}

cairn_status cairn_pass_list_add(cairn_pass_list *program, const cairn_pass *pass)
{
    CAIRN_TRY(make_room(program, program->passes + 1));
    program->pass[program->passes++] = *pass;
    return CAIRN_OK;
}

static cairn_status
add_otherwises(cairn_pass_list *program, int passes, const cairn_pass *pass)
{
    if (passes == 0) return CAIRN_OK;
    CAIRN_TRY(cairn_realloc(program->env, program->otherwises + passes, sizeof *pass,
                            (void **)&program->otherwise));
    memcpy(program->otherwise + program->otherwises, pass,
           (size_t)passes * sizeof *pass);
    program->otherwises += passes;
    return CAIRN_OK;
}

cairn_status
cairn_pass_list_add_otherwise(cairn_pass_list *program, int k, const cairn_pass *pass)
{
    assert(k < program->passes);
    cairn_pass_span *its = &program->pass[k].assumes.otherwise;

    if (its->count == 0) its->first = program->otherwises;
    assert(its->first + its->count == program->otherwises);
    CAIRN_TRY(add_otherwises(program, 1, pass));
    its->count++;
    return CAIRN_OK;
}

cairn_status cairn_pass_list_go_on(cairn_pass_list *program, int k, int *next)
{
    assert(k < program->passes && program->pass[k].assumes.what);
    const cairn_pass_span its = program->pass[k].assumes.otherwise;

    program->passes = program->pass[k].arrays ? k : k + 1;
    *next           = program->passes;
    CAIRN_TRY(make_room(program, program->passes + its.count));
    for (int p = 0; p < its.count; p++)
        program->pass[program->passes++] = program->otherwise[its.first + p];
    return CAIRN_OK;
}

int cairn_pass_list_last_index(const cairn_pass_list *program, int member)
{
    for (int k = program->passes; k-- > 0;)
        if (program->pass[k].member == member && program->pass[k].index >= 0)
            return program->pass[k].index;
    return -1;
}

static cairn_status add_alternatives(cairn_pass_list         *program,
                                     int                      alternatives,
                                     const cairn_alternative *alternative)
{
    if (alternatives == 0) return CAIRN_OK;
    CAIRN_TRY(cairn_realloc(program->env, program->alternatives + alternatives,
                            sizeof *alternative, (void **)&program->alternative));
    memcpy(program->alternative + program->alternatives, alternative,
           (size_t)alternatives * sizeof *alternative);
    program->alternatives += alternatives;
    return CAIRN_OK;
}

cairn_status cairn_pass_list_explain(cairn_pass_list         *program,
                                     int                      first,
                                     int                      alternatives,
                                     const cairn_alternative *alternative)
{
    for (int k = first; k < program->passes; k++) {
        program->pass[k].alternatives =
            (cairn_pass_span){program->alternatives, alternatives};
    }
    return add_alternatives(program, alternatives, alternative);
}

const cairn_move_rates cairn_move_rates_shipped = {1.2e-10, 1.6e-10};

static bool is_scattered(const cairn_pass *pass)
{
    return pass->what == CAIRN_PASS_MOVE && pass->unit == CAIRN_UNIT_ENTRY
           && pass->stores == CAIRN_STORES_DIRECT;
}

cairn_move_rates cairn_pass_list_bytes(const cairn_pass_list *program)
{
    cairn_move_rates bytes = {0};

    for (int k = 0; k < program->passes; k++)
        if (is_scattered(&program->pass[k]))
            bytes.scattered += program->pass[k].bytes;
        else
            bytes.in_order += program->pass[k].bytes;
    return bytes;
}

void cairn_pass_list_predict(const cairn_pass_list  *program,
                             const cairn_move_rates *rates,
                             int64_t                 entries,
                             cairn_alternative      *its)
{
    const cairn_move_rates *shipped = &cairn_move_rates_shipped;

    const cairn_pass *pass = program->pass, *end = pass + program->passes;

    if (!rates) rates = shipped;
    its->bytes = its->seconds = its->shipped = 0;
    while (pass < end) {
        const bool   scattered = is_scattered(pass);
        const double moved     = pass->bytes * (double)entries;
        const bool   breaks    = pass->assumes.what && pass->assumes.otherwise.count;

        if (pass->place.device) {
            its->bytes += pass->bytes;
            its->seconds += moved * pass->place.rate;
            its->shipped += moved * pass->place.rate;
        } else if (!breaks || !pass->arrays) {
            its->bytes += pass->bytes;
            its->seconds += moved * (scattered ? rates->scattered : rates->in_order);
            its->shipped +=
                moved * (scattered ? shipped->scattered : shipped->in_order);
        }
        if (breaks) {
            const cairn_pass_span on = pass->assumes.otherwise;

            pass = program->otherwise + on.first;
            end  = pass + on.count;
        } else {
            pass++;
        }
    }
}

cairn_status
cairn_pass_list_append(cairn_pass_list *program, const cairn_pass_list *other, int into)
{
    CAIRN_TRY(make_room(program, program->passes + other->passes));
    for (int k = 0; k < other->passes; k++) {
        cairn_pass *pass = &program->pass[program->passes++];

        *pass = other->pass[k];
        if (into > 0) pass->member = -1;
        if (into > 0) pass->into = into;
        if (pass->index >= 0) pass->index += program->indices;
        pass->alternatives.first += program->alternatives;
        pass->assumes.otherwise.first += program->otherwises;
    }
    program->indices += other->indices;
    CAIRN_TRY(add_otherwises(program, other->otherwises, other->otherwise));
    return add_alternatives(program, other->alternatives, other->alternative);
}

const char *cairn_pass_name(cairn_pass_kind what)
{
    static const char *const names[] = {
#define X(id, name, sentence) name,
        CAIRN_PASS_MAP(X)
#undef X
    };

    return names[what];
}

const char *cairn_pass_rule_name(cairn_number_rule rule)
{
    static const char *const names[] = {NULL, "rank", "place", "bucket", "distance"};

    return names[rule];
}

const char *cairn_pass_stores_name(cairn_pass_stores stores)
{
    static const char *const names[] = {NULL, "direct", "tiled", "bucketed"};

    return names[stores];
}

const char *cairn_pass_unit_name(cairn_pass_unit unit)
{
    return unit == CAIRN_UNIT_RUN ? "run" : "entry";
}

void cairn_pass_arrays_print(uint64_t arrays, char *text, size_t size)
{
    size_t at = 0;

    text[0] = '\0';
    for (int l = 0; l < CAIRN_MAX_LEVELS && at < size; l++) {
        if (arrays & CAIRN_PASS_PTR(l))
            at += (size_t)snprintf(text + at, size - at, "%sptr%d", at ? " " : "", l);
        if (arrays & CAIRN_PASS_IDX(l) && at < size)
            at += (size_t)snprintf(text + at, size - at, "%sidx%d", at ? " " : "", l);
    }
    if (arrays & CAIRN_PASS_VAL && at < size)
        snprintf(text + at, size - at, "%sval", at ? " " : "");
}

void cairn_pass_otherwise_print(const cairn_pass_list *program,
                                const cairn_pass      *pass,
                                char                  *text,
                                size_t                 size)
{
    const cairn_pass_span its    = pass->assumes.otherwise;
    const char           *method = NULL;
    size_t                at     = 0;

    text[0] = '\0';
    for (int k = 0; pass->assumes.what && k < its.count && at < size; k++) {
        const cairn_pass *on = &program->otherwise[its.first + k];

        if (!method || strcmp(method, on->method) != 0)
            at += (size_t)snprintf(text + at, size - at, "%s%s ", k ? "; " : "",
                                   on->method);
        else
            at += (size_t)snprintf(text + at, size - at, ", ");
        method = on->method;
        if (at < size)
            at +=
                (size_t)snprintf(text + at, size - at, "%s", cairn_pass_name(on->what));
    }
}

static void
print_pass(const cairn_pass_list *program, const cairn_pass *pass, cairn_text *text)
{
    char arrays[256], otherwise[256];

    cairn_pass_arrays_print(pass->arrays, arrays, sizeof arrays);
    if (pass->into > 0) cairn_text_add(text, "intermediate %d, ", pass->into);
    if (pass->member >= 0) cairn_text_add(text, "member %d, ", pass->member);
    cairn_text_add(text, "%s: %s %s", pass->method, cairn_pass_name(pass->what),
                   cairn_pass_unit_name(pass->unit));
    if (pass->rule) cairn_text_add(text, " %s", cairn_pass_rule_name(pass->rule));
    if (pass->index >= 0) cairn_text_add(text, ", index %d", pass->index);
    if (arrays[0]) cairn_text_add(text, ", %s", arrays);
    if (pass->stores)
        cairn_text_add(text, ", %s", cairn_pass_stores_name(pass->stores));
    if (pass->place.device) cairn_text_add(text, ", on %s", pass->place.device);
    if (pass->interpreted) cairn_text_add(text, ", interpreted");
    if (pass->query_class) cairn_text_add(text, ", %s", pass->query_class);
    cairn_pass_otherwise_print(program, pass, otherwise, sizeof otherwise);
    if (otherwise[0])
        cairn_text_add(text, ", if %s; otherwise %s", pass->assumes.what, otherwise);
    cairn_text_add(text, "\n");
}

cairn_status cairn_pass_list_print(const cairn_pass_list *program, char **how)
{
    cairn_text text;

    cairn_text_init(&text, program->env);
    for (int k = 0; k < program->passes; k++)
        print_pass(program, &program->pass[k], &text);
    return cairn_text_take(&text, how);
}

uint64_t cairn_pass_arrays(const cairn_layout *layout)
{
    uint64_t arrays = CAIRN_PASS_VAL;

    for (int l = 0; l < layout->levels; l++) {
        if (layout->level[l].arrays.has_ptr) arrays |= CAIRN_PASS_PTR(l);
        if (layout->level[l].arrays.has_idx) arrays |= CAIRN_PASS_IDX(l);
    }
    return arrays;
}

int64_t cairn_pass_entry_bytes(const cairn_layout *layout, int order)
{
    int64_t bytes;

    if (!layout) return cairn_entry_bytes(order);
    bytes = layout->values.bits / 8;
    for (int l = 0; l < layout->levels; l++)
        if (layout->level[l].arrays.has_idx)
            bytes += layout->level[l].arrays.idx_bits / 8;
    return bytes;
}
