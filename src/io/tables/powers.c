// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Writes the table of powers of five that io/text/io_power.h declares, as C on its standard
/// output. Run by the build. The arithmetic is exact: 5^q as a long integer; for q < 0 a
/// power of two divided by 5 again and again (the floor of a floor is the floor of the
/// whole quotient).
///
/// What is cut off is dropped, except that 1/5^27 .. 1/5 are rounded up: there the
/// products must not fall short of integers that they stand for (Lemire 2021, section 5).

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    LEAST = -342,
    MOST  = 308,
    EXACT = -27, ///< 5^27 is the last power of five below 2^64.
    WORDS = 32,  ///< Of 32 bits: 2^1023 is beyond 5^342 (795 bits) by 228 bits.
};

/// A long integer, the least significant word first.
typedef struct {
    uint32_t word[WORDS];
} number;

static void multiply_by_five(number *n)
{
    uint64_t carry = 0;

    for (int k = 0; k < WORDS; k++) {
        carry += UINT64_C(5) * n->word[k];
        n->word[k] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void divide_by_five(number *n)
{
    uint64_t rest = 0;

    for (int k = WORDS - 1; k >= 0; k--) {
        rest       = rest << 32 | n->word[k];
        n->word[k] = (uint32_t)(rest / 5);
        rest %= 5;
    }
}

static int bit(const number *n, int k)
{
    return k < 0 ? 0 : (int)(n->word[k / 32] >> k % 32 & 1);
}

/// The 128 most significant bits, the first of them 1.
static void take_top(const number *n, uint64_t *high, uint64_t *low)
{
    int top = 32 * WORDS - 1;

    while (!bit(n, top))
        top--;
    *high = *low = 0;
    for (int k = 0; k < 64; k++) {
        *high = *high << 1 | (unsigned)bit(n, top - k);
        *low  = *low << 1 | (unsigned)bit(n, top - 64 - k);
    }
}

static void round_up(uint64_t *high, uint64_t *low)
{
    *high += ++*low == 0;
}

int main(void)
{
    static uint64_t table[MOST - LEAST + 1][2];
    number          n = {.word = {1}};

    for (int q = 0; q <= MOST; q++) {
        take_top(&n, &table[q - LEAST][0], &table[q - LEAST][1]);
        multiply_by_five(&n);
    }
    memset(&n, 0, sizeof n);
    n.word[WORDS - 1] = UINT32_C(1) << 31;
    for (int q = -1; q >= LEAST; q--) {
        divide_by_five(&n);
        take_top(&n, &table[q - LEAST][0], &table[q - LEAST][1]);
        if (q >= EXACT) round_up(&table[q - LEAST][0], &table[q - LEAST][1]);
    }
    printf("/* Written by src/io/tables/powers.c; edit that. */\n"
           "#include \"io/text/io_power.h\"\n\n"
           "const cairn_power cairn_power_of_five[] = {\n");
    for (int q = LEAST; q <= MOST; q++)
        printf("    {UINT64_C(0x%016" PRIx64 "), UINT64_C(0x%016" PRIx64
               ")}, /* 5^%d */\n",
               table[q - LEAST][0], table[q - LEAST][1], q);
    printf("};\n");
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
