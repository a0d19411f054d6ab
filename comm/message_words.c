// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Arrays to words of messages, and back.

#include "comm/message_words.h"

#include "tensor/value_types.h"

enum { STRIP = 4096 }; ///< Values that are looked at before a wider word is tried.

static bool holds(cairn_word word, const double *value, int n)
{
    switch (word) {
    case CAIRN_WORD_8: return cairn_values_are_of(CAIRN_VALUE_INTEGER, 8, value, n);
    case CAIRN_WORD_16: return cairn_values_are_of(CAIRN_VALUE_INTEGER, 16, value, n);
    case CAIRN_WORD_32: return cairn_values_are_of(CAIRN_VALUE_FLOAT, 32, value, n);
    case CAIRN_WORD_64: break;
    }
    return true;
}

cairn_word cairn_word_of_values(cairn_word least, const double *value, int64_t n)
{
    for (int64_t k = 0; k < n && least < CAIRN_WORD_64; k += STRIP)
        while (!holds(least, value + k, (int)(n - k < STRIP ? n - k : STRIP)))
            least++;
    return least;
}

#define PUT_AS(type, from)                                      \
    for (int64_t k = 0; k < n; k++) {                           \
        const type its = (type)(from);                          \
        memcpy(to + k * (int64_t)sizeof its, &its, sizeof its); \
    }

char *
cairn_words_put_coords(cairn_word word, const cairn_coord *coord, int64_t n, char *to)
{
    switch (word) {
    case CAIRN_WORD_8: PUT_AS(uint8_t, coord[k]); break;
    case CAIRN_WORD_16: PUT_AS(uint16_t, coord[k]); break;
    case CAIRN_WORD_32: PUT_AS(uint32_t, coord[k]); break;
    case CAIRN_WORD_64: PUT_AS(cairn_coord, coord[k]); break;
    }
    return to + n * cairn_word_bytes(word);
}

char *cairn_words_put_values(cairn_word word, const double *value, int64_t n, char *to)
{
    switch (word) {
    case CAIRN_WORD_8: PUT_AS(int8_t, value[k]); break;
    case CAIRN_WORD_16: PUT_AS(int16_t, value[k]); break;
    case CAIRN_WORD_32: PUT_AS(float, value[k]); break;
    case CAIRN_WORD_64:
        if (n > 0) memcpy(to, value, (size_t)n * sizeof *value);
        break;
    }
    return to + n * cairn_word_bytes(word);
}

#undef PUT_AS

#define GET_AS(type, to)                                          \
    for (int64_t k = 0; k < n; k++) {                             \
        type its;                                                 \
        memcpy(&its, from + k * (int64_t)sizeof its, sizeof its); \
        (to)[k] = its;                                            \
    }

void cairn_words_get_coords(cairn_word   word,
                            const char  *from,
                            int64_t      n,
                            cairn_coord *coord)
{
    switch (word) {
    case CAIRN_WORD_8: GET_AS(uint8_t, coord); break;
    case CAIRN_WORD_16: GET_AS(uint16_t, coord); break;
    case CAIRN_WORD_32: GET_AS(uint32_t, coord); break;
    case CAIRN_WORD_64: GET_AS(cairn_coord, coord); break;
    }
}

void cairn_words_get_values(cairn_word word, const char *from, int64_t n, double *value)
{
    switch (word) {
    case CAIRN_WORD_8: GET_AS(int8_t, value); break;
    case CAIRN_WORD_16: GET_AS(int16_t, value); break;
    case CAIRN_WORD_32: GET_AS(float, value); break;
    case CAIRN_WORD_64: GET_AS(double, value); break;
    }
}

#undef GET_AS
