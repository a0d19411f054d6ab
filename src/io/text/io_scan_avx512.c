// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The scanner that takes a line of up to 63 bytes by one load: comparisons give bit
/// masks of blanks, digits and the newline, from which follow where the tokens are; one
/// permutation brings the digits of both indices and of the value to fixed places; four
/// multiplications make numbers of them. A line that is not "digits blank digits blank
/// number" is offered to the scanner of words, which is less particular.
///
/// Source: the tokenising by bit masks is that of Langdale, Lemire, "Parsing gigabytes of
/// JSON per second", VLDB Journal 28, 2019.

#include "io/text/io_power.h"
#include "io/text/io_scan.h"
#include "io/text/io_scan_words.h"

/* clang has no such pragma; it gets the other scanner. */
#if defined(__x86_64__) && !defined(__clang__)

#    include <immintrin.h>

#    pragma GCC push_options
#    pragma GCC target( \
        "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt")

enum {
    WIDTH         = 64, ///< Bytes of a load.
    INDEX_DIGITS  = 16, ///< Places for the digits of an index
    NUMBER_DIGITS = 32, ///< and of a value, of which 19 can be other than 0.
    BATCH         = 32, ///< Lines that are taken apart before their values are made.
};

/// Where the tokens of a line are: positions from its begin.
typedef struct {
    unsigned row_end, col_end; ///< The indices end; they begin at 0 and row_end + 1.
    unsigned begin, end;       ///< The digits of the value, perhaps with a point
    unsigned point;            ///< here, or at the end.
    uint64_t points;           ///< A bit for the point, or none.
    bool     pointed, negative;
    int64_t  exponent; ///< Behind its letter.
    unsigned newline;
} tokens;

/// A line taken apart: numbers that are not yet held to anything.
typedef struct {
    const char *begin;
    uint64_t    row, col;     ///< 1-based.
    uint64_t    upper, lower; ///< Digits of the value: upper * 10^16 + lower.
    int64_t     exponent;     ///< Of the last digit.
    bool        negative;
} raw_line;

/// Bits below @p n, which is below 64.
static inline uint64_t bits_below(unsigned n)
{
    return (UINT64_C(1) << n) - 1;
}

/// The exponent from its letter at @p at on; false unless it is one.
static inline bool find_exponent(const char *p, unsigned at, tokens *t)
{
    const char  letter   = p[at] | 0x20;
    const bool  negative = p[at + 1] == '-';
    const char *q        = p + at + 1 + (negative || p[at + 1] == '+');
    const char *stop     = p + t->newline;
    int64_t     exponent = 0;

    if ((letter != 'e' && letter != 'd') || stop - q < 1 || stop - q > 4) return false;
    for (; q < stop; q++) {
        if (*q < '0' || *q > '9') return false;
        exponent = 10 * exponent + (*q - '0');
    }
    t->exponent = negative ? -exponent : exponent;
    t->end      = at;
    return true;
}

/// The value: @p other are the bytes of it that are no digits.
static inline bool find_value(const char *p, uint64_t other, uint64_t points, tokens *t)
{
    t->negative = p[t->begin] == '-';
    other &= ~((uint64_t)t->negative << t->begin);
    t->begin += t->negative;
    t->points  = points;
    t->pointed = points != 0;
    other ^= points;
    t->end      = t->newline;
    t->exponent = 0;
    if (other && !find_exponent(p, (unsigned)__builtin_ctzll(other), t)) return false;
    t->point = (unsigned)__builtin_ctzll(points | UINT64_C(1) << t->end);

    /* One point at most (an exponent has none), and digits besides. */
    return (points & (points - 1)) == 0 && t->end > t->begin + t->pointed
           && t->end - t->begin <= NUMBER_DIGITS;
}

static inline bool
find_tokens(const cairn_scan *scan, const char *p, __m512i text, tokens *t)
{
    const uint64_t newlines = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\n'));
    const uint64_t line     = newlines ^ (newlines - 1); /* up to the first one */
    const __m512i  digits   = _mm512_sub_epi8(text, _mm512_set1_epi8('0'));
    const uint64_t blanks = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(' ')) & line;
    const uint64_t other  = _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9)) & line;
    const uint64_t after = other & (other - 1), rest = after & (after - 1);

    if (!newlines) return false;
    t->newline = (unsigned)__builtin_ctzll(newlines);
    t->row_end = (unsigned)__builtin_ctzll(other);
    t->col_end = (unsigned)__builtin_ctzll(after | UINT64_C(1) << 63);
    if (t->row_end - 1 >= INDEX_DIGITS || t->col_end - t->row_end - 2 >= INDEX_DIGITS)
        return false;
    if (scan->pattern) { /* a blank, the newline, nothing else */
        t->begin = t->end = t->point = t->col_end;
        t->points                    = 0;
        t->pointed = t->negative = false;
        t->exponent              = 0;
        return rest == 0 && blanks == (other ^ after);
    }

    /* Two blanks, then the value, which ends at the newline. */
    const uint64_t points = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('.')) & line;

    t->begin = t->col_end + 1;
    return rest != 0 && blanks == (other ^ rest)
           && find_value(p, rest & bits_below(t->newline), points, t)
           && !(scan->integer && (t->pointed || t->end != t->newline));
}

/// Four numbers of up to 16 digits: the indices, then the value's upper and lower digits.
static inline __m512i join_tokens(__m512i text, const tokens *t)
{
    const unsigned end = t->end - t->pointed, count = end - t->begin;
    const uint64_t row   = 0xffff0000u >> t->row_end & 0xffff;
    const uint64_t col   = 0xffff0000u >> (t->col_end - t->row_end - 1) & 0xffff;
    const uint64_t value = ~UINT64_C(0)
                           << (WIDTH - 1 - count) << 1; /* count may be 0 */
    const uint32_t shift = ((t->row_end - 16) & 0xff) | ((t->col_end - 32) & 0xff) << 8
                           | ((end - 64) & 0xff) * 0x01010000u;

    /* Byte k of the result is byte k + shift of the text, whose tokens end at 16, 32 and
     * 64 then; what is before them becomes 0. */
    const __m512i lane = _mm512_set_epi64(0x0303030303030303, 0x0303030303030303,
                                          0x0202020202020202, 0x0202020202020202,
                                          0x0101010101010101, 0x0101010101010101, 0, 0);
    const __m512i place =
        _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48,
                        47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32,
                        31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,
                        15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i from = _mm512_add_epi8(
        place, _mm512_shuffle_epi8(_mm512_set1_epi32((int)shift), lane));
    const __m512i whole  = _mm512_maskz_compress_epi8(~t->points, text);
    const __m512i digits = _mm512_maskz_permutexvar_epi8(
        row | col << 16 | value, from, _mm512_sub_epi8(whole, _mm512_set1_epi8('0')));

    /* 2, 4, 8, then 16 digits a number. */
    const __m512i two   = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010a));
    const __m512i four  = _mm512_madd_epi16(two, _mm512_set1_epi32(0x00010064));
    const __m512i eight = _mm512_madd_epi16(_mm512_packus_epi32(four, four),
                                            _mm512_set1_epi32(0x00012710));

    return _mm512_add_epi64(_mm512_mul_epu32(eight, _mm512_set1_epi64(100000000)),
                            _mm512_srli_epi64(eight, 32));
}

/// Take usual lines apart. Each waits for results of comparisons and multiplications; a
/// batch of them waits at the same time, which the conversion of values in between would
/// prevent (measured: 15.7 ns a line then, 11.7 so).
///
/// @param[out] next  Where the line behind them begins.
/// @return Their number.
static int
take_lines(const cairn_scan *scan, int most, raw_line *raw, const char **next)
{
    const __m512i first_words = _mm512_set_epi64(0, 0, 0, 0, 6, 4, 2, 0);
    const char   *p           = scan->p;
    int           n           = 0;

    for (tokens t; n < most && scan->end - p >= WIDTH; n++) {
        const __m512i text = _mm512_loadu_si512(p);

        if (!find_tokens(scan, p, text, &t)) break;
        raw[n].begin    = p;
        raw[n].negative = t.negative;
        raw[n].exponent = t.exponent + t.point + t.pointed - t.end;
        _mm256_storeu_si256((__m256i *)(void *)&raw[n].row,
                            _mm512_castsi512_si256(_mm512_permutexvar_epi64(
                                first_words, join_tokens(text, &t))));
        p += t.newline + 1;
    }
    *next = p;
    return n;
}

static inline bool
make_value(const cairn_scan *scan, const raw_line *raw, double *value)
{
    const uint64_t whole = raw->upper * UINT64_C(10000000000000000) + raw->lower;

    if (raw->upper > 999) return false; /* 19 digits fit */
    if (scan->integer) {
        if (whole > INT64_MAX) return false;
        *value = (double)(raw->negative ? -(int64_t)whole : (int64_t)whole);
        return true;
    }
    if (!cairn_scale_decimal(whole, raw->exponent, value)) return false;
    *value = cairn_apply_sign(*value, raw->negative);
    return true;
}

/// Make entries of lines up to the first that is wrong or undecided. Returns how many.
static int put_lines(cairn_scan *scan, int count, const raw_line *raw)
{
    for (int k = 0; k < count; k++) {
        scanned_line line = {(cairn_coord)raw[k].row - 1, (cairn_coord)raw[k].col - 1,
                             1.0};

        if ((uint64_t)line.i >= (uint64_t)scan->rows
            || (uint64_t)line.j >= (uint64_t)scan->cols
            || (!scan->pattern && !make_value(scan, &raw[k], &line.value))
            || !cairn_put_line(scan, &line))
            return k;
    }
    return count;
}

/// Take lines while they are usual; less than @p most when one is not, or memory is full.
static void scan_lines(cairn_scan *scan, int64_t most)
{
    raw_line raw[BATCH];

    while (most > 0) {
        const char *next;
        const int   want  = most < BATCH ? (int)most : BATCH;
        const int   count = take_lines(scan, want, raw, &next);
        const int   put   = put_lines(scan, count, raw);

        scan->p = put < count ? raw[put].begin : next;
        scan->lines += put;
        most -= put;
        if (put < want) return;
    }
}

#    pragma GCC pop_options

static bool usable(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
           && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi")
           && __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi")
           && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt");
}

/// An unusual line in between is offered to the other scanner, one line at a time.
static void run(cairn_scan *scan, int64_t most)
{
    const int64_t end = scan->lines + most;

    while (scan->lines < end) {
        scan_lines(scan, end - scan->lines);

        const int64_t before = scan->lines;

        cairn_scanner_words.run(scan, before < end);
        if (scan->lines == before) return;
    }
}

#else

static bool usable(void)
{
    return false;
}

static void run(cairn_scan *scan, int64_t most)
{
    cairn_scanner_words.run(scan, most);
}

#endif

const cairn_scanner cairn_scanner_avx512 = {.name   = "avx512",
                                            .usable = usable,
                                            .run    = run};
