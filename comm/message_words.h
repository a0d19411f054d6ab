// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers as messages have them: all of one array in the narrowest word that changes none.
/// Words may lie at any address. Internal to comm.

#ifndef CAIRN_COMM_MESSAGE_WORDS_H
#define CAIRN_COMM_MESSAGE_WORDS_H

#include "entries/entries.h"

#include <string.h>

/// What comes later holds all that came before. A coordinate is an integer without a sign; a
/// value one with a sign of 8 or 16 bits, an f32 or an f64.
typedef enum { CAIRN_WORD_8, CAIRN_WORD_16, CAIRN_WORD_32, CAIRN_WORD_64 } cairn_word;

static inline int64_t cairn_word_bytes(int64_t word)
{
    return (int64_t)1 << word;
}

/// The narrowest that holds coordinates from 0 to @p most.
static inline cairn_word cairn_word_of_coord(cairn_coord most)
{
    return most <= UINT8_MAX    ? CAIRN_WORD_8
           : most <= UINT16_MAX ? CAIRN_WORD_16
           : most <= UINT32_MAX ? CAIRN_WORD_32
                                : CAIRN_WORD_64;
}

/// The word that an index or a value of so many bits has in arrays.
static inline cairn_word cairn_word_of_bits(int bits)
{
    return bits == 8    ? CAIRN_WORD_8
           : bits == 16 ? CAIRN_WORD_16
           : bits == 32 ? CAIRN_WORD_32
                        : CAIRN_WORD_64;
}

/// The narrowest from @p least on that holds the bits of [n] values.
cairn_word cairn_word_of_values(cairn_word least, const double *value, int64_t n);

#define CAIRN_PUT_WORD(type, from)     \
    do {                               \
        const type its = (type)(from); \
        memcpy(to, &its, sizeof its);  \
    } while (0)

/// Write one that the word holds.
static inline void cairn_word_put_coord(cairn_word word, cairn_coord coord, char *to)
{
    switch (word) {
    case CAIRN_WORD_8: CAIRN_PUT_WORD(uint8_t, coord); break;
    case CAIRN_WORD_16: CAIRN_PUT_WORD(uint16_t, coord); break;
    case CAIRN_WORD_32: CAIRN_PUT_WORD(uint32_t, coord); break;
    case CAIRN_WORD_64: CAIRN_PUT_WORD(cairn_coord, coord); break;
    }
}

static inline void cairn_word_put_value(cairn_word word, double value, char *to)
{
    switch (word) {
    case CAIRN_WORD_8: CAIRN_PUT_WORD(int8_t, value); break;
    case CAIRN_WORD_16: CAIRN_PUT_WORD(int16_t, value); break;
    case CAIRN_WORD_32: CAIRN_PUT_WORD(float, value); break;
    case CAIRN_WORD_64: CAIRN_PUT_WORD(double, value); break;
    }
}

#undef CAIRN_PUT_WORD

enum { CAIRN_WORDS_MORE = 8 }; ///< Words that are written at once.

#define CAIRN_PUT_WORDS(type, from)                                   \
    do {                                                              \
        type its[CAIRN_WORDS_MORE];                                   \
                                                                      \
        for (int k = 0; k < CAIRN_WORDS_MORE; k++)                    \
            its[k] = (type)(from);                                    \
        for (int64_t k = 0; k < n; k += CAIRN_WORDS_MORE)             \
            memcpy(to + k * (int64_t)sizeof its[0], its, sizeof its); \
    } while (0)

/// Write one coordinate @p n times, and, so that no branch asks for the last one, less than
/// CAIRN_WORDS_MORE times more. @return where the message goes on.
static inline char *
cairn_words_put_coord(cairn_word word, cairn_coord coord, int64_t n, char *to)
{
    switch (word) {
    case CAIRN_WORD_8: CAIRN_PUT_WORDS(uint8_t, coord); break;
    case CAIRN_WORD_16: CAIRN_PUT_WORDS(uint16_t, coord); break;
    case CAIRN_WORD_32: CAIRN_PUT_WORDS(uint32_t, coord); break;
    case CAIRN_WORD_64: CAIRN_PUT_WORDS(cairn_coord, coord); break;
    }
    return to + n * cairn_word_bytes(word);
}

#undef CAIRN_PUT_WORDS

/// Write @p n coordinates, or values. @return where the message goes on.
char *
cairn_words_put_coords(cairn_word word, const cairn_coord *coord, int64_t n, char *to);
char *cairn_words_put_values(cairn_word word, const double *value, int64_t n, char *to);

/// Read @p n of them.
void cairn_words_get_coords(cairn_word   word,
                            const char  *from,
                            int64_t      n,
                            cairn_coord *coord);
void cairn_words_get_values(cairn_word  word,
                            const char *from,
                            int64_t     n,
                            double     *value);

#endif
