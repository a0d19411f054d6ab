// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Every way to read entry lines is held to the careful parser: random files, right and
/// wrong, give the same entries bit for bit, or the same message, whatever the scanner
/// and the number of threads. The text ends where a page ends that nobody may touch, so
/// that reading on is seen. SCAN_SEED=N in the environment runs case N alone.

#include "io/matrix_market/io_mtx.h"
#include "support/seed.h"

#include <criterion/criterion.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM = 1 << 16, USUAL_CASES = 2500 };

/// A page at the end of the room is closed.
static char *room;

static void up(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    room = mmap(NULL, ROOM + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
    cr_assert(room != MAP_FAILED);
    cr_assert_eq(mprotect(room + ROOM, page, PROT_NONE), 0);
}

TestSuite(io_scan, .init = up, .timeout = 280);

/// SplitMix64.
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(next_random(state) % (uint64_t)n);
}

/// A file's lines, and what they are held to.
typedef struct {
    uint64_t         seed, state;
    cairn_mtx_header header;
    cairn_text_range range;
    char             text[ROOM];
    size_t           length;
} file_case;

static void __attribute__((format(printf, 2, 3)))
print(file_case *c, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    c->length += (size_t)vsnprintf(c->text + c->length, ROOM - c->length, fmt, args);
    va_end(args);
}

/// What separates tokens: one blank, unless the case is an odd one.
static void print_blanks(file_case *c, bool odd)
{
    static const char *const blanks[] = {"  ", "\t", "   ", " \t ", "\f", "\v", "\r"};

    print(c, "%s", odd && below(&c->state, 2) ? blanks[below(&c->state, 7)] : " ");
}

static void print_real(file_case *c)
{
    static const char *const formats[] = {"%.17g", "%.16g", "%.15e", "%g",    "%.3f",
                                          "%.20e", "%.40g", "%.0f",  "%+.6E", "%.18f"};
    const uint64_t           bits      = next_random(&c->state);
    double                   value;
    const size_t             begin = c->length;

    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value) || below(&c->state, 8))
        value = ldexp((double)(int64_t)bits, -(int)below(&c->state, 100));
    if (fabs(value) > 1e60) value = (double)(bits % 1000);
    print(c, formats[below(&c->state, 10)], value);
    for (size_t k = begin; k < c->length && below(&c->state, 50) == 0; k++)
        if (c->text[k] == 'e') c->text[k] = "dDE"[below(&c->state, 3)];
}

static void print_integer(file_case *c)
{
    print(c, "%" PRId64, (int64_t)next_random(&c->state) >> below(&c->state, 64));
}

static void print_value(file_case *c)
{
    static const char *const words[] = {"nan",
                                        "-Inf",
                                        "0",
                                        "-0",
                                        "-0.0",
                                        "+5",
                                        ".5",
                                        "5.",
                                        "1e5",
                                        "-1e-310",
                                        "1e-400",
                                        "1e22",
                                        "1e+0003",
                                        "0e99999999999",
                                        "00000000000000000000001.5",
                                        "0.00000000000000000000000123",
                                        "123456789012345678901234567890",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "9007199254740993"};

    if (below(&c->state, 12) == 0)
        print(c, "%s",
              words[below(&c->state, c->header.field == CAIRN_FIELD_INTEGER ? 4 : 20)]);
    else if (c->header.field == CAIRN_FIELD_INTEGER)
        print_integer(c);
    else
        print_real(c);
}

static void print_entry(file_case *c, bool odd)
{
    const cairn_mtx_header *h = &c->header;
    cairn_coord i = below(&c->state, h->rows), j = below(&c->state, h->cols);

    if (h->symmetry != CAIRN_SYM_GENERAL && i < j) {
        const cairn_coord swap = i;

        i = j;
        j = swap;
    }
    if (h->symmetry == CAIRN_SYM_SKEW && i == j) i = j + (j + 1 < h->rows);
    if (odd && below(&c->state, 4) == 0) print_blanks(c, odd);
    print(c, odd && below(&c->state, 8) == 0 ? "%020" PRId64 : "%" PRId64, i + 1);
    print_blanks(c, odd);
    print(c, "%" PRId64, j + 1);
    if (h->field != CAIRN_FIELD_PATTERN) {
        print_blanks(c, odd);
        print_value(c);
    }
    if (odd && below(&c->state, 4) == 0) print_blanks(c, odd);
    print(c, "\n");
}

static void choose_header(file_case *c)
{
    static const cairn_field    fields[]     = {CAIRN_FIELD_REAL, CAIRN_FIELD_REAL,
                                                CAIRN_FIELD_INTEGER, CAIRN_FIELD_PATTERN};
    static const cairn_symmetry symmetries[] = {CAIRN_SYM_GENERAL, CAIRN_SYM_GENERAL,
                                                CAIRN_SYM_SYMMETRIC, CAIRN_SYM_SKEW};
    static const cairn_coord    extents[] = {1, 9, 60000, 123456789, INT64_C(1) << 50};
    cairn_mtx_header *const     h         = &c->header;

    h->field    = fields[below(&c->state, 4)];
    h->symmetry = symmetries[below(&c->state, 4)];
    h->rows     = extents[below(&c->state, 5)];
    h->cols = h->symmetry == CAIRN_SYM_GENERAL ? extents[below(&c->state, 5)] : h->rows;
    strcpy(h->symmetry_word,
           h->symmetry == CAIRN_SYM_SKEW ? "skew-symmetric" : "symmetric");
}

/// One byte, or a few, become others.
static void spoil(file_case *c)
{
    static const char bytes[] = "\n\n\n  \t.-+eE%x0123456789\r\0n:/";

    for (int64_t n = 1 + below(&c->state, 3); n > 0 && c->length; n--)
        c->text[below(&c->state, (int64_t)c->length)] =
            bytes[below(&c->state, sizeof bytes - 1)];
}

static void make_case(uint64_t seed, file_case *c)
{
    c->seed = c->state = seed;
    c->length          = 0;
    memset(&c->header, 0, sizeof c->header);
    choose_header(c);

    const bool    odd = below(&c->state, 4) == 0;
    const int64_t entries =
        below(&c->state, 4) ? below(&c->state, 40) : below(&c->state, 600);

    for (int64_t k = 0; k < entries; k++) {
        if (odd && below(&c->state, 10) == 0) print(c, "%% a comment\n");
        if (odd && below(&c->state, 10) == 0) print(c, "\n");
        print_entry(c, odd && below(&c->state, 4) == 0);
    }
    if (below(&c->state, 8) == 0 && c->length) c->length--; /* no last newline */
    if (below(&c->state, 3) == 0) spoil(c);
    c->header.entries = below(&c->state, 16) ? entries : entries - below(&c->state, 3);
    c->range = (cairn_text_range){.first_line = below(&c->state, 2), .offset = 1000};
}

/// What reading gave.
typedef struct {
    cairn_env        env;
    cairn_status     status;
    cairn_entries    entries;
    cairn_text_range range;
} outcome;

static void
read_case(const file_case *c, const cairn_scanner *scanner, int slices, outcome *o)
{
    char *const         text = room + ROOM - c->length;
    const cairn_mtx_way way  = {.env     = &o->env,
                                .name    = "a.mtx",
                                .header  = &c->header,
                                .scanner = scanner,
                                .threads = slices > 3 ? 3 : slices};

    memcpy(text, c->text, c->length);
    cairn_env_init(&o->env);
    cairn_entries_init(&o->entries, 2);
    o->range  = c->range;
    o->status = cairn_mtx_read_slices(&way, slices, text, text + c->length, &o->range,
                                      &o->entries);
}

static void clear(outcome *o)
{
    cairn_entries_fini(&o->env, &o->entries);
    cr_assert_eq(o->env.live_blocks, 0);
    cairn_env_fini(&o->env);
}

static bool same_entries(const cairn_entries *a, const cairn_entries *b)
{
    const size_t bytes = 8 * (size_t)a->n;

    return a->n == b->n
           && (bytes == 0
               || (memcmp(a->coord[0], b->coord[0], bytes) == 0
                   && memcmp(a->coord[1], b->coord[1], bytes) == 0
                   && memcmp(a->value, b->value, bytes) == 0));
}

static void compare_ways(const file_case     *c,
                         const outcome       *careful,
                         const cairn_scanner *scanner,
                         int                  slices)
{
    outcome o;

    read_case(c, scanner, slices, &o);
    cr_assert_eq(o.status, careful->status,
                 "seed %" PRIu64 ", %s, %d slices: %d %s, not %d %s", c->seed,
                 scanner->name, slices, o.status, o.env.message, careful->status,
                 careful->env.message);
    if (o.status == CAIRN_OK) {
        cr_assert(same_entries(&o.entries, &careful->entries),
                  "seed %" PRIu64 ", %s, %d slices: other entries", c->seed,
                  scanner->name, slices);
        cr_assert(o.range.found == careful->range.found
                      && o.range.lines == careful->range.lines,
                  "seed %" PRIu64 ", %s, %d slices: other counts", c->seed,
                  scanner->name, slices);
    } else {
        cr_assert_str_eq(o.env.message, careful->env.message,
                         "seed %" PRIu64 ", %s, %d slices", c->seed, scanner->name,
                         slices);
    }
    clear(&o);
}

static bool run_case(uint64_t seed)
{
    static const cairn_scanner *const scanners[] = {&cairn_scanner_words,
                                                    &cairn_scanner_avx512};
    static file_case                  c;
    outcome                           careful;
    bool                              good;

    make_case(seed, &c);
    read_case(&c, NULL, 1, &careful);
    good = careful.status == CAIRN_OK;
    for (size_t s = 0; s < sizeof scanners / sizeof *scanners; s++) {
        if (!scanners[s]->usable()) continue;
        compare_ways(&c, &careful, scanners[s], 1);
        compare_ways(&c, &careful, scanners[s], (int)(2 + seed % 7));
    }
    clear(&careful);
    return good;
}

Test(io_scan, random_files_are_read_as_the_careful_parser_reads_them)
{
    const char    *given = getenv("SCAN_SEED");
    const uint64_t first = given ? strtoull(given, NULL, 10) : seed_clock() * 1000003;
    const int      cases = given ? 1 : seed_cases(USUAL_CASES);
    int            good  = 0;

    printf("first seed %" PRIu64 "\n", first);
    fflush(stdout);
    for (int k = 0; k < cases; k++)
        good += run_case(first + (uint64_t)k);
    if (given) return;
    cr_expect(good > cases / 3 && good < (int64_t)cases * 9 / 10,
              "%d of %d files are right", good, cases);
}

/// Lines as programs write them must not fall to the careful parser, which is slow.
Test(io_scan, usual_lines_are_taken)
{
    static const char *const          lines[]    = {"1 1 1\n",
                                                    "60000 60000 -0.051482026472754239\n",
                                                    "12 345 1.5e-05\n",
                                                    "12 345 -6.0221407599999999e+23\n",
                                                    "1 2 0.0000000000000000000001234567\n",
                                                    "7 7 3.\n"};
    static const cairn_scanner *const scanners[] = {&cairn_scanner_words,
                                                    &cairn_scanner_avx512};
    cairn_env                         env;
    char                              text[256];

    cairn_env_init(&env);
    for (size_t k = 0; k < sizeof lines / sizeof *lines * 2; k++) {
        cairn_entries entries;
        cairn_scan    scan = {
               .p = text, .rows = 60000, .cols = 60000, .entries = &entries};

        if (!scanners[k % 2]->usable()) continue;
        snprintf(text, sizeof text, "%s%80s", lines[k / 2], "");
        scan.end = text + strlen(text);
        cairn_entries_init(&entries, 2);
        cr_assert_eq(cairn_entries_reserve(&env, &entries, 4), CAIRN_OK);
        scanners[k % 2]->run(&scan, 1);
        cr_expect_eq(scan.lines, 1, "%s: %s", scanners[k % 2]->name, lines[k / 2]);
        cr_expect_eq(entries.n, 1);
        cr_expect(entries.n == 1
                  && entries.value[0] == strtod(strrchr(lines[k / 2], ' '), NULL));
        cairn_entries_fini(&env, &entries);
    }
    cairn_env_fini(&env);
}

Test(io_scan, lines_are_counted)
{
    static char text[5000];
    uint64_t    state = 5;

    for (int n = 0; n < 300; n++) {
        const size_t length = (size_t)below(&state, sizeof text);
        int64_t      lines  = 0;

        for (size_t k = 0; k < length; k++) {
            text[k] = n % 3 ? (char)next_random(&state) : '\n';
            lines += text[k] == '\n';
        }
        lines += length && text[length - 1] != '\n';
        cr_assert_eq(cairn_mtx_line_count(text, text + length), lines, "%d", n);
    }
}

/// Near the limit the slices' bound may not fit where the entries do.
Test(io_scan, slices_use_the_whole_memory_limit)
{
    const cairn_mtx_header header     = {.field    = CAIRN_FIELD_PATTERN,
                                         .symmetry = CAIRN_SYM_SYMMETRIC,
                                         .rows     = 9,
                                         .cols     = 9,
                                         .entries  = 100};
    char                   text[1000] = "";
    outcome                o;

    for (int k = 0; k < 100; k++)
        strcat(text, "5 5\n");
    for (int slices = 1; slices < 9; slices++) {
        for (int less = 0; less < 2; less++) {
            const cairn_mtx_way way = {.env     = &o.env,
                                       .name    = "a.mtx",
                                       .header  = &header,
                                       .scanner = cairn_scanner_best(),
                                       .threads = 2};

            cairn_env_init(&o.env);
            cairn_entries_init(&o.entries, 2);
            o.env.memory_limit = 100 * cairn_entry_bytes(2) - less;
            o.range            = (cairn_text_range){.first_line = 3};
            o.status = cairn_mtx_read_slices(&way, slices, text, text + strlen(text),
                                             &o.range, &o.entries);
            cr_expect_eq(o.status, less ? CAIRN_NO_MEMORY : CAIRN_OK, "%d slices: %s",
                         slices, o.env.message);
            cr_expect(less || o.entries.n == 100);
            clear(&o);
        }
    }
}
