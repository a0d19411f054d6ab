// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One key, one kernel. Random formats and small changes of them, with random extents, are
/// lowered for random products and phases of conversions; whatever has the same key must
/// print as the same text, byte for byte.
///
/// The seed is printed; KEYS_SEED=N begins with seed N.

#include "emit/c.h"
#include "lower/conversion/convert.h"
#include "support/product_case.h"
#include "support/seed.h"

#include <ctype.h>

enum { USUAL_CASES = 60 };

typedef struct {
    char *key, *text, *format;
} kernel;

enum { PHASES = CAIRN_CONVERT_STAND + 1 };

typedef struct {
    kernel *kernel;
    int     kernels, room;
    long    again; ///< Requests for keys that were there.
    long    wrong;
    long    phase[PHASES]; ///< Conversions lowered, by phase.
} seen;

static uint64_t hash_of(const char *text)
{
    uint64_t h = 1469598103934665603u;

    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * 1099511628211u;
    return h;
}

static int slot_of(const seen *s, const char *key)
{
    int k = (int)(hash_of(key) % (uint64_t)s->room);

    while (s->kernel[k].key && strcmp(s->kernel[k].key, key) != 0)
        k = (k + 1) % s->room;
    return k;
}

static void meet(seen              *s,
                 cairn_env         *env,
                 char              *key,
                 cairn_ir_function *function,
                 const char        *format)
{
    char *text;

    cr_assert_eq(cairn_c_print(env, function, "kernel", &text), CAIRN_OK);
    cr_assert_lt(s->kernels, s->room / 2);
    kernel *k = &s->kernel[slot_of(s, key)];

    if (!k->key) {
        *k = (kernel){strdup(key), strdup(text), strdup(format)};
        s->kernels++;
    } else {
        s->again++;
        if (strcmp(k->text, text) != 0) s->wrong++;
        cr_expect_str_eq(text, k->text, "one key, two kernels: %s\n%s\n---- and\n%s",
                         key, k->format, format);
    }
    cairn_free(env, text);
    cairn_ir_destroy(env, &function);
    cairn_free(env, key);
}

/// One hint at most, whichever there are: all are of type bool.
static void draw_hints(product_case *c, cairn_product_hints *hints)
{
    enum { HINTS = sizeof *hints / sizeof(bool) };
    bool given[HINTS] = {false};

    given[random_below(&c->state, HINTS)] = random_chance(&c->state, 50);
    memcpy(hints, given, sizeof given);
}

static void meet_products(seen *s, product_case *c, const cairn_layout *layout)
{
    cairn_product_kernel kernel;
    char                *key;

    for (int v = 0; v < 6; v++) {
        cairn_product product;

        product_case_draw(c, &product);
        /* Few variants, so that keys meet again. */
        product.vector_bytes = 32;
        draw_hints(c, &product.hints);
        cr_assert_eq(cairn_product_key(&c->env, layout, &product, &key), CAIRN_OK);
        cr_assert_eq(cairn_product_lower(&c->env, layout, &product, "f", &kernel),
                     CAIRN_OK, "%s\n%s", c->env.message, c->text);
        meet(s, &c->env, key, kernel.function, c->text);
    }
}

static void meet_phase(seen *s, product_case *c, const cairn_convert_spec *spec)
{
    cairn_ir_function *function;
    char              *key;

    cr_assert_eq(cairn_convert_key(&c->env, spec, &key), CAIRN_OK);
    cr_assert_eq(cairn_convert_lower(&c->env, spec, "f", &function), CAIRN_OK, "%s\n%s",
                 c->env.message, c->text);
    s->phase[spec->phase]++;
    meet(s, &c->env, key, function, c->text);
}

/// Is every entry a node at each trimmed level?
static bool all_nodes(const cairn_layout *to)
{
    for (int l = to->first; l <= to->last; l++)
        if (to->level[l].depth != to->last || to->level[l].gaps) return false;
    return to->first <= to->last;
}

/// Phases that append, from sorted keys too.
static void meet_appends(seen *s, product_case *c, cairn_convert_spec spec)
{
    static const cairn_convert_phase phases[] = {CAIRN_CONVERT_COUNT,
                                                 CAIRN_CONVERT_FILL};

    for (int k = 0; k < 2; k++) {
        spec.phase = phases[k];
        meet_phase(s, c, &spec);
    }
    spec.omit.idx = 1U << random_below(&c->state, spec.to->levels);
    spec.omit.values =
        spec.to->last + 1 == spec.to->levels && random_chance(&c->state, 50);
    meet_phase(s, c, &spec);
    spec.omit.idx    = 0;
    spec.omit.values = false;
    if (spec.from) return;
    spec.keys.split = random_below(&c->state, 2);
    spec.source     = spec.keys.split ? CAIRN_CONVERT_LONG : CAIRN_CONVERT_KEYS;
    for (int k = 0; k < 2; k++) {
        spec.phase = phases[k];
        meet_phase(s, c, &spec);
    }
}

/// Dealing by way of buckets: entries as keys, and these to their groups.
static void meet_buckets(seen *s, product_case *c, cairn_convert_spec spec)
{
    const cairn_layout *to = spec.to;

    if (to->first != 1 || to->packs.count > 0) return;
    for (int l = 0; l < to->levels; l++)
        if (to->level[l].determined.on) return;
    spec.phase = CAIRN_CONVERT_BUCKET;
    meet_phase(s, c, &spec);
    spec.phase        = CAIRN_CONVERT_SCATTER;
    spec.source       = CAIRN_CONVERT_KEYS;
    spec.from         = NULL;
    spec.keys.grouped = spec.ahead = true;
    meet_phase(s, c, &spec);
}

/// Phases that deal entries out to groups.
static void meet_groups(seen *s, product_case *c, cairn_convert_spec spec)
{
    const cairn_layout *to = spec.to;

    if (to->last < 0 || to->first == 0 || cairn_convert_needs_tuples(to)) return;
    if (to->first == to->last && !to->level[to->last].gaps && to->partition < 0) {
        spec.phase = CAIRN_CONVERT_MARK;
        meet_phase(s, c, &spec);
        spec.phase = CAIRN_CONVERT_PLACE;
        meet_phase(s, c, &spec);
    }
    if (!all_nodes(to) || to->partition >= 0) return;
    spec.of_entries = UINT32_MAX;
    spec.phase      = CAIRN_CONVERT_HISTOGRAM;
    meet_phase(s, c, &spec);
    spec.ahead = random_chance(&c->state, 50);
    spec.phase = CAIRN_CONVERT_SCATTER;
    meet_phase(s, c, &spec);
    meet_buckets(s, c, spec);
}

/// Levels, from the first on, that follow from the first dimension.
static int levels_by_row(const cairn_layout *to)
{
    int l = 0;

    while (l < to->levels && !cairn_form_queries(to->algebra, &to->level[l].form)
           && (cairn_form_dims(to->algebra, &to->level[l].form) & ~1U) == 0)
        l++;
    return l;
}

/// Rows that are moved whole.
static void meet_moves(seen *s, product_case *c, cairn_convert_spec spec)
{
    const cairn_layout *to = spec.to;

    if (spec.from || to->last < 0 || to->packs.count > 0 || to->last + 1 != to->levels)
        return;
    for (int l = 0; l < to->levels; l++)
        if (to->level[l].determined.on || to->level[l].gaps) return;
    spec.rows.levels = levels_by_row(to);
    if (spec.rows.levels <= to->partition || spec.rows.levels < to->first) return;
    spec.rows.lanes = 16 * random_below(&c->state, 2);
    spec.phase      = CAIRN_CONVERT_MOVE;
    meet_phase(s, c, &spec);
    spec.rows.lanes = 0;
    spec.source     = CAIRN_CONVERT_ROWS;
    spec.phase      = CAIRN_CONVERT_GROUPS;
    meet_phase(s, c, &spec);
    spec.phase        = CAIRN_CONVERT_FILL;
    spec.rows.ordered = true;
    meet_phase(s, c, &spec);
}

/// Every phase that has a meaning for these two; @p from NULL: entries.
static void
meet_phases(seen *s, product_case *c, const cairn_layout *from, const cairn_layout *to)
{
    cairn_convert_spec spec = {
        .phase  = CAIRN_CONVERT_PACK,
        .source = from ? CAIRN_CONVERT_PART : CAIRN_CONVERT_ENTRIES,
        .order  = 2,
        .from   = from,
        .to     = to,
    };

    meet_phase(s, c, &spec);
    meet_appends(s, c, spec);
    meet_groups(s, c, spec);
    meet_moves(s, c, spec);
}

/// Numbers that queries give are of entries, not of a part's levels.
static bool is_indirect(const cairn_layout *layout)
{
    for (int l = 0; l < layout->levels; l++)
        if (layout->level[l].indirect) return true;
    return false;
}

/// Change one digit of the text, now and then.
static void change(product_case *c)
{
    const size_t n = strlen(c->text);

    for (int k = 0; k < 40; k++) {
        char *at = &c->text[random_below(&c->state, (int)n)];

        if (!isdigit((unsigned char)*at) || at == c->text || at[-1] == 'd') continue;
        *at = (char)('1' + random_below(&c->state, 4));
        return;
    }
}

/// Open a case; @return false: the text is refused.
static bool open_case(product_case *c)
{
    cairn_status status;

    cairn_env_init(&c->env);
    c->env.memory_limit = 8 << 20;
    product_case_shape(c);
    product_case_entries(c);
    status = cairn_format_parse(&c->env, NULL, c->text, "random", &c->format);
    if (status == CAIRN_OK) {
        cairn_build build = {
            .format     = c->format,
            .shape      = c->shape,
            .box        = {c->box[0], c->box[1]},
            .entries    = &c->entries,
            .value_bits = 64
        };

        status = cairn_local_build(&c->env, &build, &c->local);
    }
    if (status == CAIRN_OK) return true;
    product_case_close(c);
    return false;
}

/// Two layouts of the same extents with their dimensions exchanged.
static void meet_mirror(seen *s, uint64_t seed)
{
    static product_case from, to;

    from = to = (product_case){.seed = seed, .state = seed};
    strcpy(from.text, "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), "
                      "trim(1,1)> }>");
    strcpy(to.text, "#encoding<{ idx_map<(d0,d1)->(d1,d0)>, mutation<merge(0), "
                    "trim(1,1)> }>");
    if (!open_case(&from)) return;
    if (open_case(&to)) {
        cairn_convert_spec spec = {
            .phase  = CAIRN_CONVERT_MIRROR,
            .source = CAIRN_CONVERT_PART,
            .order  = 2,
            .from   = from.local->group[0].layout,
            .to     = to.local->group[0].layout,
        };

        cr_assert(cairn_convert_can_mirror(spec.from, spec.to));
        meet_phase(s, &to, &spec);
        spec.rows.halved = true;
        meet_phase(s, &to, &spec);
        product_case_close(&to);
    }
    product_case_close(&from);
}

/// Rows that were counted, and entries that are numbered along them.
static void meet_lanes(seen *s, uint64_t seed)
{
    static const char *const spec[] = {"sell<3>", "sell<8>", "sell-sigma<2,6>"};
    static product_case      c;

    c = (product_case){.seed = seed, .state = seed};
    by_name(spec[seed % 3], c.text, sizeof c.text);
    if (!open_case(&c)) return;
    const cairn_layout *to = c.local->group[0].layout;
    /* The number along the row is the last query; those before it are tables by row. */
    const int          rank   = c.format->member[0]->queries - 1;
    cairn_convert_spec phases = {
        .phase          = CAIRN_CONVERT_LANES,
        .source         = CAIRN_CONVERT_ROWS,
        .order          = 2,
        .to             = to,
        .along.query    = rank,
        .tables.queries = (1U << rank) - 1,
    };

    meet_phase(s, &c, &phases);
    phases.phase    = CAIRN_CONVERT_RANKED;
    phases.source   = CAIRN_CONVERT_ENTRIES;
    phases.along.on = true;
    meet_phase(s, &c, &phases);
    phases.phase        = CAIRN_CONVERT_STAND;
    phases.along.on     = false;
    phases.along.col    = 1;
    phases.rows.ordered = true;
    meet_phase(s, &c, &phases);
    phases.ahead = true;
    meet_phase(s, &c, &phases);
    product_case_close(&c);
}

/// Sums over groups, and what follows for entries.
static void meet_tallies(seen *s, uint64_t seed)
{
    static const char *const groups[] = {"d0", "d0/3", "d0/4", "d0/3,d1-d0", "d1"};
    static const char *const from[]   = {"csr", "bcsr<2,3>", "dia"};
    static product_case      c, source;

    c = source = (product_case){.seed = seed, .state = seed};
    snprintf(c.text, sizeof c.text,
             "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, indirect<{ load = sum(value) "
             "groupBy (d0,d1)->(%s) with value ne 0 -> %d | otherwise -> 0 }> }>",
             groups[seed % 5], 1 + (int)(seed % 2));
    by_name(from[seed % 3], source.text, sizeof source.text);
    if (!open_case(&c)) return;
    if (open_case(&source)) {
        cairn_convert_spec spec = {
            .phase       = CAIRN_CONVERT_TALLY,
            .source      = seed % 4 ? CAIRN_CONVERT_PART : CAIRN_CONVERT_ENTRIES,
            .order       = 2,
            .from        = seed % 4 ? source.local->group[0].layout : NULL,
            .members.one = random_chance(&c.state, 50),
            .tally       = {.query  = &c.format->member[0]->query[0],
                            .listed = random_chance(&c.state, 50)},
        };

        meet_phase(s, &c, &spec);
        spec.phase       = CAIRN_CONVERT_DEAL;
        spec.members.one = false;
        meet_phase(s, &c, &spec);
        product_case_close(&source);
    }
    product_case_close(&c);
}

/// Numbers of groups, and entries that are sent on by them.
static void meet_blocks(seen *s, uint64_t seed)
{
    static const char *const spec[] = {"bell<2>", "bell<3>", "bell<8>"};
    static product_case      c;

    c = (product_case){.seed = seed, .state = seed};
    by_name(spec[seed % 3], c.text, sizeof c.text);
    if (!open_case(&c)) return;
    const cairn_encoding *e      = c.format->member[0];
    cairn_convert_spec    phases = {
           .phase  = CAIRN_CONVERT_MARK,
           .source = CAIRN_CONVERT_ENTRIES,
           .order  = 2,
           .to     = c.local->group[0].layout,
           .blocks = {.query  = &e->query[0],
                      .number = e->queries - 1,
                      .listed = random_chance(&c.state, 50)},
    };

    meet_phase(s, &c, &phases);
    phases.phase = CAIRN_CONVERT_PLACE;
    meet_phase(s, &c, &phases);
    phases.phase           = CAIRN_CONVERT_RANKED;
    phases.omit.determined = random_chance(&c.state, 50);
    meet_phase(s, &c, &phases);
    phases.omit.determined = false;
    phases.phase           = CAIRN_CONVERT_CUT;
    phases.to              = NULL;
    phases.members.one     = true;
    phases.members.cut     = e->map.expr[0];
    meet_phase(s, &c, &phases);
    product_case_close(&c);
}

static void run_case(seen *s, uint64_t seed)
{
    enum { CHANGES = 8 };
    static product_case c, source;
    static char         text[RANDOM_FORMAT];

    crash_note("seed %llu", (unsigned long long)seed);
    source = (product_case){.seed = seed, .state = seed};
    random_format(&source.state, 2, source.text, RANDOM_FORMAT);
    strcpy(text, source.text);
    for (int k = 0; k < CHANGES; k++) {
        c = (product_case){.seed = seed, .state = seed * 31 + (uint64_t)k};
        strcpy(c.text, text);
        if (k > 1 && random_chance(&c.state, 60)) change(&c);
        if (!open_case(&c)) continue;
        for (int m = 0; m < c.local->groups; m++) {
            const cairn_layout *layout = c.local->group[m].layout;

            meet_products(s, &c, layout);
            meet_phases(s, &c, NULL, layout);
            if (!is_indirect(c.local->group[0].layout))
                meet_phases(s, &c, layout, c.local->group[0].layout);
        }
        product_case_close(&c);
    }
    meet_mirror(s, seed);
    meet_lanes(s, seed);
    meet_tallies(s, seed);
    meet_blocks(s, seed);
}

static void seen_close(seen *s)
{
    for (int k = 0; k < s->room; k++) {
        free(s->kernel[k].key);
        free(s->kernel[k].text);
        free(s->kernel[k].format);
    }
    free(s->kernel);
}

Test(kernel_keys, equal_keys_have_equal_text, .timeout = 3600)
{
    const char    *given = getenv("KEYS_SEED");
    const uint64_t seed  = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    const int      cases = seed_cases(USUAL_CASES);
    seen           s     = {.room = 500 * cases};

    s.kernel = calloc((size_t)s.room, sizeof *s.kernel);
    printf("first seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < cases && s.wrong < 4; k++)
        run_case(&s, seed + (uint64_t)k);
    printf("%d kernels, %ld keys met again\n", s.kernels, s.again);
    for (int p = 0; p < PHASES && seed_whole(); p++)
        cr_expect_gt(s.phase[p], 0, "phase %d was never lowered", p);
    cr_expect(s.again > s.kernels / 4 || !seed_whole(), "keys hardly ever meet");
    seen_close(&s);
}

/// A sum of many quotients of d0, the last of which has divisor @p last: longer than what
/// a kernel notes of it.
static void long_form(char *text, size_t size, int last)
{
    size_t n = (size_t)snprintf(text, size, "#encoding<{ idx_map<(d0,d1)->(d0,d1,");

    for (int k = 0; k < 14; k++)
        n += (size_t)snprintf(text + n, size - n, "%s(d0+%d)/%d", k ? "+" : "",
                              1000001 + k, k == 13 ? last : 7000001 + k);
    snprintf(text + n, size - n, ")> }>");
}

Test(kernel_keys, forms_longer_than_notes)
{
    static product_case c;
    seen                s         = {.room = 64};
    const int64_t       extent[2] = {20, 20};
    cairn_layout       *layout;

    s.kernel = calloc((size_t)s.room, sizeof *s.kernel);
    cairn_env_init(&c.env);
    for (int last = 3; last < 5; last++) {
        long_form(c.text, sizeof c.text, last);
        cr_assert_eq(cairn_format_parse(&c.env, NULL, c.text, "long", &c.format),
                     CAIRN_OK, "%s", c.env.message);
        cr_assert_eq(cairn_layout_create(&c.env, c.format->member[0], extent, NULL,
                                         NULL, 64, &layout),
                     CAIRN_OK, "%s", c.env.message);
        c.state = 5;
        meet_products(&s, &c, layout);
        meet_phases(&s, &c, NULL, layout);
        cairn_layout_destroy(&c.env, &layout);
        cairn_format_destroy(&c.format);
    }
    cr_expect_eq(c.env.live_blocks, 0);
    cairn_env_fini(&c.env);
    seen_close(&s);
}
