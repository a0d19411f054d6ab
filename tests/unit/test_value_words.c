// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions of narrow values, moved as words of their width: the arrays are those of
/// widening, converting and narrowing, bit for bit, between random formats; one function
/// serves all types of a width; and where it is missing values are widened.
///
/// PROPERTY_SEED=N in the environment runs case N alone.

#include "convert/value_words.h"
#include "support/conversion.h"
#include "support/crash_note.h"
#include "support/narrow_values.h"
#include "support/random_tensor.h"
#include "support/seed.h"
#include "tensor/value_storage.h"

enum { USUAL_CASES = 300 };

typedef struct {
    cairn_env     env;
    uint64_t      seed, state;
    narrow_set    set;
    int           bits; ///< Of the tensor's type.
    cairn_shape   shape;
    cairn_entries entries;
    char          from[RANDOM_FORMAT], to[RANDOM_FORMAT];
} pair;

typedef struct {
    int ran, moved, refused;
} tally;

static const cairn_kernel_loader interpreter = {.interprets   = true,
                                                .vector_bytes = 32,
                                                .threads      = 2};

static double value_of(pair *p)
{
    const double value = p->set == NARROW_MIXED
                             ? random_below(&p->state, 1000) / 7.0 - 60
                             : narrow_value(&p->state, p->set);

    return p->bits == 32 ? (double)(float)value : value;
}

/// A random text that says `exact`, a type that holds the set, or nothing of values.
static void draw_text(pair *p, char text[RANDOM_FORMAT])
{
    random_format(&p->state, p->shape.order, text, RANDOM_FORMAT);
    if (random_chance(&p->state, 60)) narrow_text(text, narrow_type(&p->state, p->set));
}

static void draw(pair *p, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    cairn_env_init(&p->env);
    p->env.options.kernels = CAIRN_KERNELS_COMPILED;
    p->seed = p->state = seed;
    p->set             = (narrow_set)(seed % NARROW_SETS);
    p->bits            = random_chance(&p->state, 20) ? 32 : 64;
    random_tensor(&p->env, &p->state, &p->shape, &p->entries);
    for (cairn_pos k = 0; k < p->entries.n; k++)
        p->entries.value[k] = value_of(p);
    draw_text(p, p->from);
    draw_text(p, p->to);
}

/// Store what a build makes as a tensor from a file has it: narrow where nothing is said.
static cairn_status build_narrow(pair               *p,
                                 const cairn_format *format,
                                 const cairn_build  *build,
                                 cairn_local       **out)
{
    cairn_build own = *build;

    own.format = format;
    CAIRN_TRY(cairn_local_build(&p->env, &own, out));
    return cairn_local_narrow(*out);
}

static void check_same_types(const pair *p, const cairn_local *a, const cairn_local *b)
{
    cr_assert_eq(a->value_bits, b->value_bits);
    for (int64_t k = 0; k < a->parts; k++) {
        const cairn_kernel_part *x = &a->part[k].view, *y = &b->part[k].view;

        cr_assert(
            x->val_kind == y->val_kind && x->val_bits == y->val_bits
                && a->part[k].layout->values.carrier_bits
                       == b->part[k].layout->values.carrier_bits
                && a->group[a->part[k].where.member].bytes
                       == b->group[b->part[k].where.member].bytes,
            "seed %llu: stored as %s, not %s\nfrom %s\nto %s",
            (unsigned long long)p->seed,
            cairn_value_storage_name((cairn_value_kind)y->val_kind, (int)y->val_bits),
            cairn_value_storage_name((cairn_value_kind)x->val_kind, (int)x->val_bits),
            p->from, p->to);
    }
}

/// Would values be moved as words?
static bool is_moved(const cairn_build *build)
{
    cairn_value_words words;

    if (!cairn_local_is_narrow(build->from)) return false;
    cr_assert_eq(cairn_value_words_create(build, &words), CAIRN_OK, "%s",
                 build->from->env->message);
    const bool moved = words.tensor != NULL;

    cairn_value_words_destroy(&words);
    return moved;
}

static void compare(pair *p, const cairn_format *to, const cairn_local *from, tally *t)
{
    cairn_local *widened = NULL, *moved = NULL;
    cairn_build  build = whole_build(p->shape, p->bits, NULL, from, NULL);

    const cairn_status status = build_narrow(p, to, &build, &widened);

    build.loader = &interpreter;
    build.format = to;
    t->moved += is_moved(&build);
    const cairn_status same = build_narrow(p, to, &build, &moved);

    cr_assert_eq(status, same, "seed %llu: %d and %d: %s\nfrom %s\nto %s",
                 (unsigned long long)p->seed, status, same, p->env.message, p->from,
                 p->to);
    if (status == CAIRN_OK) {
        char what[2 * RANDOM_FORMAT + 64];

        snprintf(what, sizeof what, "seed %llu:\nfrom %s\nto %s",
                 (unsigned long long)p->seed, p->from, p->to);
        check_same_types(p, widened, moved);
        check_same(widened, moved, what);
        t->ran++;
    }
    cairn_local_destroy(&widened);
    cairn_local_destroy(&moved);
}

static void run_pair(uint64_t seed, tally *t)
{
    static pair   p;
    cairn_format *from = NULL, *to = NULL;
    cairn_local  *source = NULL;

    crash_note("seed %llu", (unsigned long long)seed);
    draw(&p, seed);
    const cairn_build build = whole_build(p.shape, p.bits, &p.entries, NULL, NULL);

    if (cairn_format_parse(&p.env, NULL, named(p.from), "from", &from) != CAIRN_OK
        || cairn_format_parse(&p.env, NULL, named(p.to), "to", &to) != CAIRN_OK
        || build_narrow(&p, from, &build, &source) != CAIRN_OK)
        t->refused++;
    else
        compare(&p, to, source, t);
    cairn_local_destroy(&source);
    cairn_format_destroy(&from);
    cairn_format_destroy(&to);
    cairn_entries_fini(&p.env, &p.entries);
    cr_assert_eq(p.env.live_blocks, 0, "seed %llu leaks\nfrom %s\nto %s",
                 (unsigned long long)seed, p.from, p.to);
    cairn_env_fini(&p.env);
}

Test(value_words, random_pairs_have_the_arrays_of_widening, .timeout = 3600)
{
    const char    *given = getenv("PROPERTY_SEED");
    const uint64_t seed  = given ? strtoull(given, NULL, 10) : seed_clock() * 1000081;
    const int      cases = given ? 1 : seed_cases(USUAL_CASES);
    tally          t     = {0};

    printf("first seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < 4 * cases && t.ran < cases; k++) {
        run_pair(seed + (uint64_t)k, &t);
        if (given) break;
    }
    printf("%d pairs ran, %d by words, %d refused\n", t.ran, t.moved, t.refused);
    if (given) return;
    cr_expect_geq(t.ran, cases, "only %d of %d pairs ran", t.ran, cases);
    cr_expect(4 * t.moved >= cases || !seed_whole(),
              "only %d of %d pairs went by words", t.moved, cases);
}

/* ---- functions ---- */

enum { ASKED = 64 };

/// A loader that has nothing, and what it was asked for.
typedef struct {
    cairn_env *env;
    int        count;
    char      *key[ASKED];
    bool       spare[ASKED];
} asked;

static cairn_status
refuse(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    asked *const a = user;

    (void)kernel;
    cr_assert_lt(a->count, ASKED);
    a->spare[a->count] = request->spare;
    a->key[a->count++] = strdup(request->key);
    return cairn_fail(a->env, CAIRN_NO_KERNEL, "there is none");
}

static void forget(asked *a)
{
    for (int k = 0; k < a->count; k++)
        free(a->key[k]);
    a->count = 0;
}

/// A format of the catalogue with values of a type.
static void text_of(cairn_env *env, const char *name, const char *type, char *text)
{
    cairn_format *format = parse_format(env, name);
    char         *printed;

    cr_assert_eq(cairn_format_print(env, format, &printed), CAIRN_OK);
    strcpy(text, printed);
    cairn_free(env, printed);
    cairn_format_destroy(&format);
    narrow_text(text, type);
}

/// Convert from csr, with values of a set, by a loader that refuses.
/// @param[out] first  What is asked for first: freed by the caller.
static void ask(narrow_set set, const char *type, const char *to, char **first)
{
    pair                      p      = {.set = set, .bits = 64, .state = 7};
    asked                     a      = {.env = &p.env};
    const cairn_kernel_loader loader = {
        .load = refuse, .user = &a, .vector_bytes = 32, .threads = 1};
    char          text[RANDOM_FORMAT];
    cairn_format *rows   = NULL, *format, *same;
    cairn_local  *source = NULL;

    cairn_env_init(&p.env);
    p.shape = (cairn_shape){
        2, {200, 90}
    };
    cairn_entries_init(&p.entries, 2);
    for (cairn_coord i = 0; i < 200; i++)
        for (cairn_coord j = i % 3; j < 90; j += 1 + i % 4) {
            const cairn_coord d[2] = {i, j};

            cr_assert_eq(cairn_entries_add(&p.env, &p.entries, d, value_of(&p)),
                         CAIRN_OK);
        }
    text_of(&p.env, "csr", type, text);
    cr_assert_eq(cairn_format_parse(&p.env, NULL, text, "csr", &rows), CAIRN_OK);
    text_of(&p.env, to, type, text);
    cairn_build build = whole_build(p.shape, 64, &p.entries, NULL, NULL);

    build.format = rows;
    cr_assert_eq(cairn_local_build(&p.env, &build, &source), CAIRN_OK, "%s",
                 p.env.message);
    build              = whole_build(p.shape, 64, NULL, source, NULL);
    cairn_local *plain = must_build(&p.env, build, text, &format);

    build.loader         = &loader;
    cairn_local *without = must_build(&p.env, build, text, &same);

    cr_assert_gt(a.count, 0);
    cr_expect(a.spare[0], "%s: it would be compiled one day", type);
    check_same(plain, without, type);
    *first = strdup(a.key[0]);
    forget(&a);
    cairn_local_destroy(&plain);
    cairn_local_destroy(&without);
    cairn_local_destroy(&source);
    cairn_format_destroy(&format);
    cairn_format_destroy(&same);
    cairn_format_destroy(&rows);
    cairn_entries_fini(&p.env, &p.entries);
    cr_expect_eq(p.env.live_blocks, 0);
    cairn_env_fini(&p.env);
}

Test(value_words, types_of_a_width_share_their_functions)
{
    static const struct {
        narrow_set  set;
        const char *type, *word;
    } types[] = {
        {NARROW_I8,      "i8",    " i8" },
        {NARROW_FEW,     "dict8", " i8" },
        {NARROW_PATTERN, "i8",    " i8" },
        {NARROW_I16,     "i16",   " i16"},
        {NARROW_F16,     "f16",   " i16"},
        {NARROW_BF16,    "bf16",  " i16"},
        {NARROW_F32,     "f32",   " f32"},
    };
    static const char *const targets[] = {"csc", "coo", "ell", "bcsr<2,2>", "dia"};

    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        char *before = NULL;

        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            char *key;

            ask(types[k].set, types[k].type, targets[t], &key);
            cr_expect(strstr(key, types[k].word), "%s to %s: %s", types[k].type,
                      targets[t], key);
            if (k > 0 && strcmp(types[k].word, types[k - 1].word) == 0)
                cr_expect_str_eq(key, before, "%s", types[k].type);
            free(before);
            before = key;
        }
        free(before);
    }
}
