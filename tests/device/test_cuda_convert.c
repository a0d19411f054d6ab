// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Conversions on a card of the driver that pretends (tests/fake_cuda): the processor's
/// arrays, byte for byte, from and into every format that has such a conversion, and every
/// call of the driver's failing once.

#include "support/brutal.h"
#include "support/card_conversions.h"
#include "support/every_format.h"
#include "support/narrow_values.h"
#include "support/seed.h"

static bool is_pad(const cairn_pass *pass)
{
    return is_on_card(pass) && pass->what == CAIRN_PASS_PAD;
}

/// A pass over entries, of the method, that ran on the processor: queries are answered and
/// slots begin there, and what is padded node by node, but no entry is moved.
static bool is_left(const cairn_pass *pass)
{
    return !pass->place.device && pass->method && strcmp(pass->method, "card") == 0
           && (pass->what == CAIRN_PASS_SORT || pass->what == CAIRN_PASS_MOVE
               || pass->what == CAIRN_PASS_APPEND);
}

static bool is_sort(const cairn_pass *pass)
{
    return is_on_card(pass) && pass->what == CAIRN_PASS_SORT;
}

static bool is_move(const cairn_pass *pass)
{
    return is_on_card(pass) && pass->what == CAIRN_PASS_MOVE;
}

/// Entries of every member were sorted and moved on the card, and nowhere else; functions
/// were started.
static void check_route(const cairn_tensor *made, const char *what, long starts)
{
    const cairn_path *path = cairn_tensor_path(made);

    cr_expect_eq(count_passes(path, is_move), made->format->members, "%s: %s: %s", what,
                 cairn_tensor_how(made), cairn_tensor_why(made));
    cr_expect_eq(count_passes(path, is_sort), made->format->members, "%s: %s", what,
                 cairn_tensor_how(made));
    cr_expect_eq(count_passes(path, is_left), 0, "%s: %s", what,
                 cairn_tensor_how(made));
    cr_expect_geq(fake.calls("cuLaunchKernel") - starts, 2, "%s", what);
}

/// @return did it go on the card?
static bool check_pair(cairn_tensor *from, const char *source, const char *target)
{
    char what[2 * RANDOM_FORMAT];

    snprintf(what, sizeof what, "%s to %s", source, target);
    const long    starts = fake.calls("cuLaunchKernel");
    cairn_tensor *made   = convert_by(from, target, "card");

    if (!made) return false;
    check_route(made, what, starts);
    cairn_tensor *right = convert_by(from, target, "");

    cr_assert_not_null(right, "%s", what);
    cr_expect_eq(count_passes(cairn_tensor_path(right), is_on_card), 0, "%s", what);
    check_same(made->local, right->local, what);
    cairn_tensor_destroy(&right);
    cairn_tensor_destroy(&made);
    return true;
}

/// What goes on cards between any two of a list, both ways.
static int check_pairs(const char *const *list, int count, cairn_dtype dtype)
{
    uint64_t      state  = 71 + (uint64_t)dtype;
    cairn_source *source = random_source(context, &state, 83, 67);
    int           there  = 0;

    for (int a = 0; a < count; a++) {
        cairn_tensor *from = must_store(context, source, list[a], dtype);

        for (int b = 0; b < count; b++)
            there += check_pair(from, list[a], list[b]);
        cairn_tensor_destroy(&from);
    }
    cairn_source_destroy(&source);
    return there;
}

/// These always go.
Test(cuda_convert, formats_that_go, .timeout = 300)
{
    static const char *const list[] = {"csr",     "coo",       "csc", "dcsr",
                                       "bdia<3>", "bcsr<2,3>", "dia"};
    enum { LIST = sizeof list / sizeof *list };

    BEGIN("seed=62");
    cr_expect_eq(check_pairs(list, LIST, CAIRN_F32), LIST * LIST);
    end();
}

/// Slots of lines that have no padding, and slots of columns of blocks whose groups are
/// counted by rows.
static const char lines_of_two[] =
    "#encoding<{ idx_map<(d0,d1)->(slot,d0/2,d1/3,d0%2,d1%3)>, mutation<merge(0), "
    "trim(0,0)>, indirect<{ block = sum(value) groupBy (d0,d1)->(d0/2,d1/3); "
    "slot = enum(block) groupBy (d0,d1)->(d0/2) traverseBy (d0,d1)->(d1/3) with "
    "block ne 0 -> 0 | otherwise -> none }> }>";
static const char lines_by_columns[] =
    "#encoding<{ idx_map<(d0,d1)->(slot,d1/3,d0/2,d0%2,d1%3)>, mutation<merge(0), "
    "trim(0,0)>, indirect<{ block = sum(value) groupBy (d0,d1)->(d0/2,d1/3); "
    "width = sum(block) groupBy (d0,d1)->(d1/3); "
    "slot = enum(block) groupBy (d0,d1)->(d1/3) traverseBy (d0,d1)->(d0/2) with "
    "block eq 0 -> width | otherwise -> 0 }> }>";

/// The card numbers the entries of each row, of sources in any order, or puts groups where
/// they are numbered, and pads: matrices of all sizes, rows without entries, and sources that
/// store padding. The arrays are those of the processor and of the reference way.
Test(cuda_convert, into_slots, .timeout = 600)
{
    static const char *const from[] = {
        "csr",     "csc", "coo", "bcsc<3,2>", "dcsr", "c2sr<2>", "hybrid<dia,csr,0.5>",
        "dense<2>"};
    enum { SOURCES = sizeof from / sizeof *from };
    static const char *const to[] = {
        "ell",     "sell<4>", "sell<32>",   "sell-sigma<4,16>",
        "bell<2>", "bell<7>", lines_of_two, lines_by_columns};
    enum { TARGETS_OF_SLOTS = sizeof to / sizeof *to };
    uint64_t state = seed_clock() * 1000003 + 2;

    BEGIN("seed=69");
    printf("state %llu\n", (unsigned long long)state);
    for (int k = 0; k < TARGETS_OF_SLOTS * SOURCES; k++) {
        const char *const source = from[k % SOURCES], *const target = to[k / SOURCES];
        cairn_source *entries =
            random_source(context, &state, 1 + random_below(&state, 200),
                          1 + random_below(&state, 90));
        cairn_tensor *tensor =
            must_store(context, entries, source, k % 3 ? CAIRN_F64 : CAIRN_F32);

        cr_expect(check_pair(tensor, source, target), "%s to %s: %s", source, target,
                  context->env.message);
        cairn_tensor *made  = convert_by(tensor, target, "card"),
                     *right = convert_by(tensor, target, "reference");

        cr_assert(made && right, "%s to %s: %s", source, target, context->env.message);
        check_same(made->local, right->local, target);
        cr_expect_eq(count_passes(cairn_tensor_path(made), is_pad), 1, "%s: %s", target,
                     cairn_tensor_how(made));
        cairn_tensor_destroy(&right);
        cairn_tensor_destroy(&made);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&entries);
    }
    end();
}

/// Formats of the catalogue, and random ones, from and into others that are drawn, some
/// with values as narrow as they are.
enum { TARGETS = 3, USUAL_CASES = 30 };

Test(cuda_convert, every_format, .timeout = 900)
{
    uint64_t state = seed_clock() * 1000003;
    int      there = 0, tried = 0;

    BEGIN("seed=61");
    printf("state %llu\n", (unsigned long long)state);
    cairn_source *source = random_source(context, &state, 83, 67);

    for (int a = 0; a < FORMATS; a++) {
        cairn_tensor *from = must_store(context, source, formats[a], CAIRN_F64);

        for (int b = 0; b < (seed_whole() ? TARGETS : 1); b++, tried++)
            there +=
                check_pair(from, formats[a], formats[random_below(&state, FORMATS)]);
        cairn_tensor_destroy(&from);
    }
    printf("%d of %d conversions went on the card\n", there, tried);
    cr_expect_gt(there, tried / 4);
    cairn_source_destroy(&source);
    end();
}

/// Draw a format that stores the source, @p type of its values or NULL. @return NULL: this
/// one does not.
static cairn_tensor *
draw(uint64_t *state, cairn_source *source, const char *type, char *text)
{
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;

    random_format(state, 2, text, RANDOM_FORMAT);
    if (type) narrow_text(text, type);
    if (cairn_format_create(context, text, &format) != CAIRN_OK) return NULL;
    (void)cairn_tensor_create(
        source, format, random_chance(state, 50) ? CAIRN_F32 : CAIRN_F64, &tensor);
    cairn_format_destroy(&format);
    return tensor;
}

static bool check_random(uint64_t *state, int *there)
{
    char             text[2][RANDOM_FORMAT];
    cairn_source    *source = random_source(context, state, 1 + random_below(state, 90),
                                            1 + random_below(state, 90));
    const bool       narrow = random_chance(state, 40);
    const narrow_set set    = (narrow_set)random_below(state, NARROW_EDGES);

    for (int64_t k = 0; narrow && k < source->entries.n; k++)
        source->entries.value[k] = narrow_value(state, set);
    cairn_tensor *from =
        draw(state, source, narrow ? narrow_type(state, set) : NULL, text[0]);
    const bool    stays = narrow && random_chance(state, 60); /* or is widened */
    cairn_tensor *to =
        draw(state, source, stays ? narrow_type(state, set) : NULL, text[1]);
    const bool both = from && to && fits_on_card(from) && fits_on_card(to);

    if (both) *there += check_pair(from, text[0], text[1]);
    cairn_tensor_destroy(&to);
    cairn_tensor_destroy(&from);
    cairn_source_destroy(&source);
    return both;
}

Test(cuda_convert, random_formats, .timeout = 900)
{
    uint64_t  state = seed_clock() * 1000003 + 1;
    const int want  = seed_cases(USUAL_CASES);
    int       there = 0, tried = 0;

    BEGIN("seed=63");
    printf("state %llu\n", (unsigned long long)state);
    for (int tries = 0; tried < want && tries < 8 * want; tries++)
        tried += check_random(&state, &there);
    printf("%d of %d conversions went on the card\n", there, tried);
    cr_expect_geq(there, tried / 8);
    end();
}

/// Banks in any number: each is some starts and copies.
Test(cuda_convert, many_banks, .timeout = 300)
{
    static const char *const pairs[][2] = {
        {"csr", "c2sr<300>"},
        {"csc", "cisr<270>"}
    };
    uint64_t state = 22;

    BEGIN("seed=79");
    cairn_source *source = random_source(context, &state, 330, 31);

    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        cairn_tensor *from = must_store(context, source, pairs[k][0], CAIRN_F64);

        cr_expect(check_pair(from, pairs[k][0], pairs[k][1]), "%s",
                  context->env.message);
        cairn_tensor_destroy(&from);
    }
    cairn_source_destroy(&source);
    end();
}

/// Cycles are numbered on the processor, and entries go where they say on the card: of all
/// sources, with holes between, windows without an entry, and engines without one.
Test(cuda_convert, into_schedules, .timeout = 600)
{
    static const char *const from[] = {
        "csr",       "coo",     "csc",     "dia",
        "bcsr<2,3>", "sell<4>", "c2sr<2>", "hybrid<dia,csr,0.5>"};
    enum { SOURCES = sizeof from / sizeof *from };
    static const char *const to[]  = {"serpens<2,4,3>", "serpens<3,16,10>",
                                      "serpens<8>"};
    uint64_t                 state = seed_clock() * 1000003 + 3;

    BEGIN("seed=80");
    printf("state %llu\n", (unsigned long long)state);
    for (int k = 0; k < 3 * SOURCES; k++) {
        const char *const source = from[k % SOURCES], *const target = to[k / SOURCES];
        cairn_source *entries =
            random_source(context, &state, 1 + random_below(&state, 200),
                          1 + random_below(&state, 90));
        cairn_tensor *tensor =
            must_store(context, entries, source, k % 2 ? CAIRN_F64 : CAIRN_F32);

        cr_expect(check_pair(tensor, source, target), "%s to %s: %s", source, target,
                  context->env.message);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&entries);
    }
    end();
}

/// A refusal says what the pair lacks, not what any pair needs.
Test(cuda_convert, refusals_have_the_reason, .timeout = 300)
{
    static const struct {
        const char *from, *to, *why;
    } pairs[] = {
        {"csr",
         "#encoding<{ idx_map<(d0,d1)->(1000000000*d0,1000000000*d1,d0,d1)>, "
         "mutation<trim(0,3)> }>",                                                     "do not fit into 63 bits"     },
        {"coo",
         "#encoding<{ idx_map<(d0,d1)->(d0/3,place,d0%3,d1)>, mutation<merge(0), "
         "trim(1,3)>, indirect<{ place = enum(value) groupBy (d0,d1)->(d0/3) "
         "traverseBy (d0,d1)->(d1,d0) with value ne 0 -> 0 | otherwise -> none }> }>", "no slot of its own in a line"},
    };
    uint64_t state = 21;

    BEGIN("seed=68");
    cairn_source *source = random_source(context, &state, 330, 31);

    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        cairn_tensor *from = must_store(context, source, pairs[k].from, CAIRN_F64);
        cairn_tensor *made = convert_by(from, pairs[k].to, "card");

        cr_expect_null(made, "%s to %s", pairs[k].from, pairs[k].to);
        cr_expect(strstr(context->env.message, "CAIRN_CONVERT: card does not apply"),
                  "%s", context->env.message);
        cr_expect(strstr(context->env.message, pairs[k].why), "%s to %s: %s",
                  pairs[k].from, pairs[k].to, context->env.message);
        cairn_tensor_destroy(&made);
        cairn_tensor_destroy(&from);
    }
    cairn_source_destroy(&source);
    end();
}

/* ---- the choice ---- */

/// No method is asked for: the card is chosen where copies are fast, and not where they are
/// slow or have not been measured.
Test(cuda_convert, taken_where_it_takes_less, .timeout = 300)
{
    enum { WIDE = 640, ENTRIES = 210000 };
    static const double rates[] = {0, 1e6, 1e15};
    static int64_t      coord[2 * ENTRIES];
    static double       value[ENTRIES];
    const int64_t       extent[2] = {WIDE, WIDE};
    cairn_source       *source;

    BEGIN("seed=67");
    for (int k = 0; k < ENTRIES; k++) {
        coord[2 * k]     = k / (WIDE - 1);
        coord[2 * k + 1] = (k % (WIDE - 1) + k / (WIDE - 1) * 7) % WIDE;
        value[k]         = 1 + k % 17;
    }
    MUST(context, cairn_source_from_coords(context, 2, extent, ENTRIES, coord, value,
                                           CAIRN_BY_ROWS, &source));
    cairn_tensor             *from  = must_store(context, source, "csr", CAIRN_F64);
    cairn_tensor             *right = convert_by(from, "csc", "scatter");
    cairn_device_facts *const info  = &context->devices->device[1].info;

    info->bandwidth = 1e15;
    for (int k = 0; k < 3; k++) {
        info->link         = (cairn_device_link){rates[k], rates[k], rates[k]};
        cairn_tensor *made = convert_by(from, "csc", "");

        cr_expect_eq(count_passes(cairn_tensor_path(made), is_on_card), k < 2 ? 0 : 3,
                     "%g bytes a second: %s", rates[k], cairn_tensor_how(made));
        check_same(made->local, right->local, "csr to csc");
        cairn_tensor_destroy(&made);
    }
    cairn_tensor_destroy(&right);
    cairn_tensor_destroy(&from);
    cairn_source_destroy(&source);
    end();
}

/* ---- failures ---- */

/// What a refused call may leave: a driver that does not free has not freed.
static bool is_freeing(const char *name)
{
    return strstr(name, "Free") || strstr(name, "Destroy") || strstr(name, "Unregister")
           || strstr(name, "Unload") || strstr(name, "Pop") || strstr(name, "Release");
}

/// Every call of one function fails once: what the card could not do, the processor does,
/// from the begin, and nothing is left. @return failures.
static int fail_each(cairn_tensor *from,
                     cairn_tensor *right,
                     const char   *target,
                     const char   *name,
                     int           code)
{
    int failures = 0;

    for (long n = 0;; n++, failures++) {
        const int     alive = fake.alive(), depth = fake.depth();
        const int64_t held = context->env.live_blocks;
        char          what[80];

        snprintf(what, sizeof what, "%s, call %ld, fails with %d", name, n, code);
        fake.fail(name, n, code);
        cairn_tensor         *made   = convert_by(from, target, "card");
        const bool            failed = fake.failed(), late = fake.late() != 0;
        const cairn_cuda_loss loss = cairn_cuda_of(&context->devices->device[1])->loss;

        fake.fail(NULL, -1, 0);
        cr_assert_not_null(made, "%s: %s", what, context->env.message);
        cr_expect_not(late, "%s: asked after it", what);
        check_same(made->local, right->local, what);
        /* Of one that is gone nothing more is asked. */
        if (!loss.gone)
            cr_expect_eq(fake.depth(), depth, "%s: a context is left", what);
        const bool there = count_passes(cairn_tensor_path(made), is_on_card) > 0;

        cr_expect(there || strstr(cairn_tensor_why(made), "cuda:0"), "%s: no reason",
                  what);
        cairn_tensor_destroy(&made);
        if (!loss.gone)
            cr_expect_eq(context->env.live_blocks, held, "%s: %ld blocks are left",
                         what, (long)(context->env.live_blocks - held));
        if (!loss.lost)
            cr_expect_eq(fake.alive(), alive, "%s: %d things are left", what,
                         fake.alive() - alive);
        mend();
        if (!failed) return failures;
    }
}

static int
fail_pair(cairn_source *source, const char *origin, const char *target, int code)
{
    cairn_tensor *from     = must_store(context, source, origin, CAIRN_F64);
    cairn_tensor *right    = convert_by(from, target, "");
    int           failures = 0;

    cr_assert_not_null(right);
    /* What a format keeps, and functions that are loaded, are there before any count. */
    fake.fail("cuLaunchKernel", 0, code);
    cairn_tensor *first = convert_by(from, target, "card");

    cr_assert_not_null(first);
    cairn_tensor_destroy(&first);
    mend();
#define X(name, arguments)                                         \
    if (!is_freeing(#name) && strcmp(#name, "cuGetErrorName") != 0 \
        && strcmp(#name, "cuEventQuery") != 0)                     \
        failures += fail_each(from, right, target, #name, code);
    CAIRN_CUDA_MAP(X)
#undef X
    cairn_tensor_destroy(&right);
    cairn_tensor_destroy(&from);
    return failures;
}

/// One pair a test: contexts of a card that is gone are never popped, and the driver that
/// pretends has room for so many.
static void fail_all(const char *origin, const char *target, int code)
{
    uint64_t state = 12;

    BEGIN("seed=64");
    cairn_source *source   = random_source(context, &state, 61, 53);
    const int     failures = fail_pair(source, origin, target, code);

    printf("%d calls failed once\n", failures);
    cr_expect_gt(failures, 60);
    cairn_source_destroy(&source);
    cairn_context_destroy(&context);
}

Test(cuda_convert, every_call_fails_once, .timeout = 600)
{
    fail_all("csc", "bcsr<2,3>", 801);
}

Test(cuda_convert, every_call_into_slots_fails_once, .timeout = 600)
{
    fail_all("csc", "sell<4>", 801);
}

Test(cuda_convert, every_call_into_lines_fails_once, .timeout = 600)
{
    fail_all("csc", "bell<2>", 801);
}

Test(cuda_convert, every_call_into_a_schedule_fails_once, .timeout = 600)
{
    fail_all("csc", "serpens<2,4,3>", 801);
}

/// The same with a failure that stays.
Test(cuda_convert, every_call_fails_for_good_once, .timeout = 600)
{
    fail_all("csc", "bcsr<2,3>", 719);
}

Test(cuda_convert, every_call_into_slots_fails_for_good_once, .timeout = 600)
{
    fail_all("dense<2>", "sell<4>", 719);
}

/// A card that has too little memory.
Test(cuda_convert, too_little_memory, .timeout = 60)
{
    uint64_t state = 5;

    BEGIN("seed=65 memory=1M");
    cairn_source *source = random_source(context, &state, 3000, 1200);
    cairn_tensor *from   = must_store(context, source, "coo", CAIRN_F64);
    cairn_tensor *right  = convert_by(from, "dense<2>", ""),
                 *made   = convert_by(from, "dense<2>", "card");

    cr_assert(right && made);
    check_same(made->local, right->local, "too large");
    cr_expect_eq(count_passes(cairn_tensor_path(made), is_on_card), 0);
    cr_expect(strstr(cairn_tensor_why(made), "cuda:0"), "%s", cairn_tensor_why(made));
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&right);
    cairn_tensor_destroy(&from);
    cairn_source_destroy(&source);
    end();
}

/// Memory of the host's that ends, on the card's way and on the processor's behind it.
Test(cuda_convert, short_of_memory, .timeout = 300)
{
    uint64_t state = 15;

    BEGIN("seed=66");
    cairn_source *source = random_source(context, &state, 61, 53);
    cairn_tensor *from   = must_store(context, source, "csc", CAIRN_F64);
    cairn_format *format = must_format(context, "bcsr<2,3>");
    cairn_tensor *made   = NULL;

    /* What a format keeps, and functions that stay loaded, of both ways. */
    snprintf(context->env.options.convert, sizeof context->env.options.convert, "card");
    fake.fail("cuLaunchKernel", 0, 801);
    MUST(context, cairn_tensor_convert(from, format, &made));
    fake.fail(NULL, -1, 0);
    cairn_tensor_destroy(&made);
    CAIRN_BRUTAL(&context->env, cairn_tensor_convert(from, format, &made));
    cr_expect_eq(count_passes(cairn_tensor_path(made), is_on_card), 3);
    cairn_tensor_destroy(&made);
    cairn_format_destroy(&format);
    cairn_tensor_destroy(&from);
    cairn_source_destroy(&source);
    end();
}
