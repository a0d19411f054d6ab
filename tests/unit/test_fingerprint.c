// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Fingerprints: one for a matrix, whatever its format; another for another matrix.

#include "support/every_format.h"
#include "support/random_format.h"
#include "support/seed.h"
#include "support/suite_context.h"

#include <math.h>

enum { SIDE = 24 };

TestSuite(fingerprint, .init = context_up, .fini = context_down, .timeout = 300);

/// Entries of a matrix; some are 0.
typedef struct {
    int64_t rows, cols, n;
    int64_t coord[SIDE * SIDE][2];
    double  value[SIDE * SIDE];
} matrix;

static void draw(uint64_t *state, matrix *m)
{
    *m      = (matrix){.rows = 2 + random_below(state, SIDE - 1)};
    m->cols = 2 + random_below(state, SIDE - 1);
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < m->cols; j++) {
            if (!random_chance(state, 20) && i + j) continue;
            m->value[m->n]      = random_below(state, 100) / 8.0 - 6;
            m->coord[m->n][0]   = i;
            m->coord[m->n++][1] = j;
        }
    m->value[0] = 1.5; /* one is not 0 */
}

static cairn_source *give(const matrix *m)
{
    const int64_t extent[2] = {m->rows, m->cols};
    cairn_source *source    = NULL;

    MUST(context, cairn_source_from_coords(context, 2, extent, m->n, m->coord[0],
                                           m->value, CAIRN_BY_NNZ, &source));
    return source;
}

/// @return false: the format does not store this matrix.
static bool print(const matrix *m, const char *text, cairn_dtype dtype, uint64_t f[2])
{
    cairn_source *source = give(m);
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;
    static char   named[RANDOM_FORMAT];
    const bool    stored =
        cairn_format_create(context, by_name(text, named, sizeof named), &format)
            == CAIRN_OK
        && cairn_tensor_create(source, format, dtype, &tensor) == CAIRN_OK;

    if (stored) MUST(context, cairn_tensor_fingerprint(tensor, f));
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    return stored;
}

static bool same(const uint64_t a[2], const uint64_t b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

/// Of one entry, computed by hand: the same on every machine, for ever.
Test(fingerprint, of_known_entries)
{
    matrix   m = {.rows = 3, .cols = 4, .n = 1, .coord = {{1, 2}}, .value = {-0.5}};
    uint64_t f[2], low = UINT64_C(0x9e3779b97f4a7c15),
                   high    = UINT64_C(0x6a09e667f3bcc908);
    const uint64_t word[3] = {1, 2, UINT64_C(0xbfe0000000000000)};

    for (int k = 0; k < 3; k++) {
        /* random_next() mixes what it is given and the golden ratio. */
        uint64_t a = (low ^ word[k]) - UINT64_C(0x9e3779b97f4a7c15);
        uint64_t b = (high ^ word[k]) - UINT64_C(0x9e3779b97f4a7c15);

        low  = random_next(&a);
        high = random_next(&b);
    }
    cr_assert(print(&m, "coo", CAIRN_F64, f));
    cr_expect(f[0] == low && f[1] == high, "%016" PRIx64 " %016" PRIx64, f[0], f[1]);
    m.value[0] = 0;
    cr_assert(print(&m, "coo", CAIRN_F64, f));
    cr_expect(f[0] == 0 && f[1] == 0, "of nothing");
}

/// The sum carries from its low half to the high one: of many entries that are alike in
/// nothing, some pair does.
Test(fingerprint, is_one_sum_of_128_bits)
{
    unsigned __int128 sum   = 0;
    uint64_t          state = 3, f[2], one[2];
    matrix            m, single;

    draw(&state, &m);
    for (int64_t k = 0; k < m.n; k++) {
        single          = (matrix){.rows = m.rows, .cols = m.cols, .n = 1};
        single.value[0] = m.value[k];
        memcpy(single.coord[0], m.coord[k], sizeof m.coord[k]);
        cr_assert(print(&single, "coo", CAIRN_F64, one));
        sum += (unsigned __int128)one[1] << 64 | one[0];
    }
    cr_assert(print(&m, "csr", CAIRN_F64, f));
    cr_expect(f[0] == (uint64_t)sum && f[1] == (uint64_t)(sum >> 64));
}

Test(fingerprint, is_the_same_in_all_formats)
{
    uint64_t state  = seed_clock();
    int      stored = 0;

    for (int k = 0; k < seed_cases(60); k++) {
        const cairn_dtype dtype = random_chance(&state, 30) ? CAIRN_F32 : CAIRN_F64;
        char              text[RANDOM_FORMAT];
        uint64_t          want[2], got[2];
        matrix            m;

        draw(&state, &m);
        cr_assert(print(&m, "coo", CAIRN_F64, want));
        cr_expect(want[0] && want[1]);
        for (int f = 0; f <= FORMATS; f++) {
            if (f < FORMATS)
                strcpy(text, formats[f]);
            else
                random_format(&state, 2, text, sizeof text);
            if (!print(&m, text, dtype, got)) continue;
            stored++;
            cr_expect(same(want, got), "%s", text);
        }
    }
    cr_expect(stored > 60, "only %d were stored", stored);
}

/// One change of a matrix, however small.
Test(fingerprint, is_another_of_another_matrix)
{
    uint64_t state = seed_clock() + 1;

    for (int k = 0; k < seed_cases(200); k++) {
        matrix   m, other;
        uint64_t one[2], two[2];

        do
            draw(&state, &m);
        while (m.n < 2);
        other           = m;
        const int64_t p = random_below(&state, (int)m.n);
        const int64_t q = (p + 1) % m.n;

        m.value[p] = other.value[p] = 3;
        m.value[q] = other.value[q] = 7;
        switch (k % 5) {
        case 0: other.value[p] = nextafter(3, 4); break;
        case 1: other.value[p] = -3; break;
        case 2: /* two values trade places */
            other.value[p] = 7;
            other.value[q] = 3;
            break;
        case 3: other.value[p] = 0; break;
        case 4: /* rows and columns do */
            for (int64_t e = 0; e < m.n; e++) {
                other.coord[e][0] = m.coord[e][1];
                other.coord[e][1] = m.coord[e][0];
            }
            other.rows = other.cols = m.rows = m.cols = SIDE + 1;
            other.coord[p][0] = m.coord[p][1] = SIDE;
            break;
        }
        cr_assert(print(&m, "csr", CAIRN_F64, one));
        cr_assert(print(&other, "csr", CAIRN_F64, two));
        cr_expect(!same(one, two) && one[0] != two[0] && one[1] != two[1], "case %d",
                  k % 5);
    }
}
