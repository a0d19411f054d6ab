// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions on the card (method `card`) beside the processor's, from host to host:
/// compressed rows into every format of the catalogue, and every format into compressed
/// rows; and chains of conversions, each of what the one before made, which stays on the card.
/// Arrays are held to the processor's, byte for byte. What the card does not do, and what
/// does not fit in memory, is listed with the reason.

#include "matrices.h"

enum { ROUNDS = 15, WAYS = 2, PROCESSOR = 0, CARD = 1 };

static const char *const method[WAYS] = {"", "card"};
static const char *const who[WAYS]    = {"processor", "card"};

/// Those that people ask for, tried first, of sizes that suit the matrices.
static const char *const first[] = {"csc",       "sell<32>", "ell", "coo",
                                    "bcsr<3,3>", "bdia<64>", "dia", NULL};

/// Of a context's memory: dense arrays of large matrices are refused, not filled.
static const int64_t memory = (int64_t)4 << 30;

/// Rows of one length, of blocks, and of all lengths.
static const card_recipe recipes[] = {
    {"s7_100",
     "stencil7", 1,
     NULL, {{.nx = 100, .ny = 100, .nz = 100}, {.nx = 7, .ny = 6, .nz = 5}}},
    {"fem3_100k",
     "fem3",     3,
     NULL, {{.n = 100002, .degree = 18}, {.n = 300, .degree = 6}}          },
    {"rmat18",
     "rmat",     1,
     NULL, {{.scale = 18, .edges = 4000000}, {.scale = 8, .edges = 2000}}  },
};

/// One matrix, on a context without a card and on one with it.
typedef struct {
    const char   *name;
    card          side[WAYS];
    cairn_source *source[WAYS];
} trial;

/// A conversion, and what it takes either way.
typedef struct {
    const trial  *of;
    char          pair[200];
    cairn_tensor *from[WAYS], *made[WAYS];
    double        seconds[WAYS][ROUNDS];
    int           rounds;
} conversion;

static const char *message_of(const conversion *v, int way)
{
    return cairn_context_message(v->of->side[way].context);
}

static bool is_on_card(const cairn_tensor *made)
{
    const cairn_pass_list *program = &cairn_tensor_path(made)->program;

    for (int k = 0; k < program->passes; k++) {
        const char *device = program->pass[k].place.device;

        if (device && strncmp(device, "cuda", 4) == 0) return true;
    }
    return false;
}

/// Are the arrays of two tensors of one format the same bytes?
static bool are_same(const cairn_local *a, const cairn_local *b)
{
    bool same = a->parts == b->parts;

    for (int64_t p = 0; same && p < a->parts; p++) {
        cairn_array x[CAIRN_MAX_ARRAYS], y[CAIRN_MAX_ARRAYS];
        const int   arrays = cairn_part_arrays(&a->part[p], x);

        same = cairn_part_arrays(&b->part[p], y) == arrays;
        for (int k = 0; same && k < arrays; k++)
            same = x[k].bytes == y[k].bytes
                   && (x[k].bytes == 0
                       || memcmp(x[k].data, y[k].data, (size_t)x[k].bytes) == 0);
    }
    return same;
}

/// Convert once. @param[out] seconds  Of it, from host to host.
static cairn_status
run(conversion *v, int way, const cairn_format *const to[WAYS], double *seconds)
{
    cairn_tensor_destroy(&v->made[way]);
    const double       begin = bench_seconds();
    const cairn_status status =
        cairn_tensor_convert(v->from[way], to[way], &v->made[way]);

    *seconds = bench_seconds() - begin;
    return status;
}

/// Have both ways ready, compiled. @return Whether there is something to compare; where
/// there is none, it is said why, and @p right is false if there should be.
static bool warm_up(conversion *v, const cairn_format *const to[WAYS], bool *right)
{
    double unused;

    for (int k = 0; k < WAYS; k++) {
        const cairn_status status = run(v, k, to, &unused);

        if (status == CAIRN_OK) continue;
        printf("# %s, %s, %s: %s\n", v->of->name, v->pair, who[k], message_of(v, k));
        /* That the method does not apply is no fault, nor that it would not fit. */
        *right = status == CAIRN_BAD_OPTION || status == CAIRN_NO_MEMORY
                 || status == CAIRN_OVERFLOW || status == CAIRN_BAD_FORMAT;
        return false;
    }
    return true;
}

static void print(conversion *v, bool same)
{
    for (int k = 0; k < WAYS; k++) {
        const double median = bench_median(v->seconds[k], v->rounds);

        printf("convert,%s,f64,%s,\"%s\",%.4g,%.4g,%s\n", v->of->name, who[k], v->pair,
               median * 1e3, v->seconds[k][0] * 1e3, same ? "same" : "DIFFERENT");
    }
    fflush(stdout);
}

/// Both ways in turns. @return false: something failed, arrays differ, or a way was not
/// gone.
static bool time_both(conversion *v, const cairn_format *const to[WAYS])
{
    const int want  = v->of->side[CARD].settings->rounds;
    bool      right = true;

    if (!warm_up(v, to, &right)) return right;
    for (; v->rounds < want && v->rounds < ROUNDS; v->rounds++)
        for (int k = 0; k < WAYS; k++)
            if (run(v, k, to, &v->seconds[k][v->rounds]) != CAIRN_OK) {
                printf("# %s, %s, %s: FAILED: %s\n", v->of->name, v->pair, who[k],
                       message_of(v, k));
                return false;
            }
    if (is_on_card(v->made[PROCESSOR]) || !is_on_card(v->made[CARD])) {
        const char *why = cairn_tensor_why(v->made[CARD]);

        printf("# %s, %s: NOT ON THE CARD: %s\n", v->of->name, v->pair, why ? why : "");
        return false;
    }
    const bool same = are_same(v->made[PROCESSOR]->local, v->made[CARD]->local);

    print(v, same);
    return same;
}

/// Store the matrix in a format, by the processor on either side. @return Whether it could
/// be; else it is said why.
static bool store(conversion *v, const char *text)
{
    for (int k = 0; k < WAYS; k++) {
        cairn_context *context = v->of->side[k].context;
        cairn_format  *format  = NULL;
        cairn_status   status  = cairn_context_set_convert(context, "");

        if (status == CAIRN_OK) status = cairn_format_create(context, text, &format);
        if (status == CAIRN_OK)
            status =
                cairn_tensor_create(v->of->source[k], format, CAIRN_F64, &v->from[k]);
        cairn_format_destroy(&format);
        if (status == CAIRN_OK) status = cairn_context_set_convert(context, method[k]);
        if (status == CAIRN_OK) continue;
        printf("# %s, %s: %s\n", v->of->name, text, message_of(v, k));
        return false;
    }
    return true;
}

/// @return Whether all was as it must be.
static bool try_pair(const trial *t, const char *from, const char *into)
{
    conversion    v        = {.of = t};
    cairn_format *to[WAYS] = {NULL};
    bool          right    = true, made;

    snprintf(v.pair, sizeof v.pair, "%s to %s", from, into);
    made = store(&v, from);
    for (int k = 0; k < WAYS && made; k++)
        if (cairn_format_create(t->side[k].context, into, &to[k])) {
            printf("# %s, %s: %s\n", t->name, v.pair, message_of(&v, k));
            made = false;
        }
    if (made) right = time_both(&v, (const cairn_format *const[WAYS]){to[0], to[1]});
    for (int k = 0; k < WAYS; k++) {
        cairn_format_destroy(&to[k]);
        cairn_tensor_destroy(&v.made[k]);
        cairn_tensor_destroy(&v.from[k]);
    }
    return right;
}

/* ---- chains ---- */

enum { CHAIN = 4 };

/// From the first to the last, each made of the one before.
static const char *const chains[][CHAIN] = {
    {"csr", "csc",  "coo", "csr"      },
    {"csr", "dcsr", "csc", "bcsr<3,3>"},
};

/// Formats of a chain on one side, and tensors of its first and its last.
typedef struct {
    cairn_format *format[CHAIN];
    cairn_tensor *from, *last;
    double        seconds[ROUNDS];
} chain_side;

/// Convert one after the other. @return false: one failed, or did not go where it should.
static bool run_chain(const trial *t, int way, chain_side *side, double *seconds)
{
    cairn_tensor *made[CHAIN] = {NULL};
    bool          right       = true;
    const double  begin       = bench_seconds();

    for (int k = 1; k < CHAIN && right; k++) {
        right = cairn_tensor_convert(k > 1 ? made[k - 1] : side->from, side->format[k],
                                     &made[k])
                == CAIRN_OK;
        right = right && is_on_card(made[k]) == (way == CARD);
        if (!right)
            printf("# %s, a chain's step %d, %s: FAILED: %s\n", t->name, k, who[way],
                   cairn_context_message(t->side[way].context));
    }
    *seconds = bench_seconds() - begin;
    cairn_tensor_destroy(&side->last);
    side->last      = made[CHAIN - 1];
    made[CHAIN - 1] = NULL;
    for (int k = 1; k < CHAIN - 1; k++)
        cairn_tensor_destroy(&made[k]);
    return right;
}

/// @return false: it cannot be tried, and a line says why.
static bool
open_chain(const trial *t, int way, const char *const *text, chain_side *side)
{
    cairn_context *context = t->side[way].context;
    cairn_status   status  = cairn_context_set_convert(context, "");

    for (int k = 0; k < CHAIN && status == CAIRN_OK; k++)
        status = cairn_format_create(context, text[k], &side->format[k]);
    if (status == CAIRN_OK)
        status = cairn_tensor_create(t->source[way], side->format[0], CAIRN_F64,
                                     &side->from);
    if (status == CAIRN_OK) status = cairn_context_set_convert(context, method[way]);
    if (status != CAIRN_OK)
        printf("# %s, a chain: %s\n", t->name, cairn_context_message(context));
    return status == CAIRN_OK;
}

static void close_chain(chain_side *side)
{
    cairn_tensor_destroy(&side->last);
    cairn_tensor_destroy(&side->from);
    for (int k = 0; k < CHAIN; k++)
        cairn_format_destroy(&side->format[k]);
}

/// Both ways in turns, the first to have code compiled.
static bool time_chain(const trial *t, const char *pair, chain_side side[WAYS])
{
    const int want = t->side[CARD].settings->rounds < ROUNDS
                         ? t->side[CARD].settings->rounds
                         : ROUNDS;
    double    unused;

    for (int r = -1; r < want; r++)
        for (int k = 0; k < WAYS; k++)
            if (!run_chain(t, k, &side[k], r < 0 ? &unused : &side[k].seconds[r]))
                return false;
    const bool same = are_same(side[PROCESSOR].last->local, side[CARD].last->local);

    for (int k = 0; k < WAYS; k++) {
        const double median = bench_median(side[k].seconds, want);

        printf("convert,%s,f64,%s,\"%s\",%.4g,%.4g,%s\n", t->name, who[k], pair,
               median * 1e3, side[k].seconds[0] * 1e3, same ? "same" : "DIFFERENT");
    }
    fflush(stdout);
    return same;
}

static bool try_chain(const trial *t, const char *const *text)
{
    chain_side side[WAYS] = {{.from = NULL}};
    char       pair[200];
    bool       right = true;

    snprintf(pair, sizeof pair, "%s to %s to %s to %s", text[0], text[1], text[2],
             text[3]);
    if (card_is_over(&t->side[CARD]))
        printf("# no time for %s, %s\n", t->name, pair);
    else if (open_chain(t, PROCESSOR, text, &side[PROCESSOR])
             && open_chain(t, CARD, text, &side[CARD]))
        right = time_chain(t, pair, side);
    else
        right = false;
    for (int k = 0; k < WAYS; k++)
        close_chain(&side[k]);
    return right;
}

/// Compressed rows into a format, and back.
static bool try_format(const trial *t, const char *text)
{
    bool right;

    if (card_is_over(&t->side[CARD])) {
        printf("# no time for %s and %s\n", t->name, text);
        return true;
    }
    right = try_pair(t, "csr", text);
    if (strcmp(text, "csr") != 0) right = try_pair(t, text, "csr") && right;
    return right;
}

static bool try_matrix(trial *t, const card_recipe *r)
{
    bool        right = true;
    const char *name;

    t->name = r->name;
    for (int k = 0; k < WAYS; k++)
        if (card_source(&t->side[k], r, &t->source[k]))
            card_stop(r->name, cairn_context_message(t->side[k].context));
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++)
        right = try_chain(t, chains[k]) && right;
    for (int k = 0; first[k]; k++)
        right = try_format(t, first[k]) && right;
    for (int k = 0; (name = cairn_catalogue_name(t->side[CARD].context, k)); k++) {
        char text[96], copy[64];

        snprintf(copy, sizeof copy, "%s", name);
        card_format_of(&t->side[CARD], copy, text, sizeof text);
        right = try_format(t, text) && right;
    }
    for (int k = 0; k < WAYS; k++)
        cairn_source_destroy(&t->source[k]);
    return right;
}

bool card_convert(card *c)
{
    static const char *const devices[WAYS] = {"cpu", "cpu,cuda"};
    trial                    t             = {.name = ""};
    bool                     right         = true;

    printf("section,matrix,dtype,who,conversion,median_ms,least_ms,verified\n");
    for (int k = 0; k < WAYS; k++) {
        card_open_listed(c, devices[k], &t.side[k]);
        if (cairn_context_set_memory(t.side[k].context, memory)
            || cairn_devices_check(t.side[k].context, NULL, devices[k], 1))
            card_stop("convert", cairn_context_message(t.side[k].context));
    }
    for (size_t k = 0; k < sizeof recipes / sizeof *recipes; k++)
        if (card_wants(c->settings, recipes[k].name))
            right = try_matrix(&t, &recipes[k]) && right;
    for (int k = 0; k < WAYS; k++)
        cairn_context_destroy(&t.side[k].context);
    return right;
}
