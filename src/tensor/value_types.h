// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which types hold the values of a member without changing a bit, found in one look at
/// all of them, and moves between types. For value_storage.c.

#ifndef CAIRN_TENSOR_VALUE_TYPES_H
#define CAIRN_TENSOR_VALUE_TYPES_H

#include "tensor/local.h"

/// A way to store values.
typedef struct cairn_value_storage {
    cairn_value_kind kind;
    int              bits;  ///< Of one as it is stored.
    double           error; ///< The largest relative error; 0: none was rounded.
} cairn_value_storage;

/// Different values, each once, by their bits; at most 65,536.
typedef struct cairn_value_dictionary {
    cairn_env *env;
    int        limit; ///< It may have so many; more, or no memory: `full`.
    int        count;
    bool       full;
    bool       starved; ///< There was no memory, and a message says so.
    uint64_t  *word;    ///< [room] in the order of their first places.
    int32_t   *slot;    ///< [slots] numbers of words by their bits, -1: none.
    int64_t    slots;   ///< A power of two, at least twice `room`.
} cairn_value_dictionary;

void cairn_value_dictionary_init(cairn_value_dictionary *dictionary, cairn_env *env);
void cairn_value_dictionary_fini(cairn_value_dictionary *dictionary);

/// Add those of [n] values that are not in it yet, unless it is or becomes full.
void cairn_value_dictionary_add(cairn_value_dictionary *dictionary,
                                const double           *value,
                                int                     n);

/// Write all words, and 0 behind them.
/// @param[out] word  [2^bits]
void cairn_value_dictionary_write(const cairn_value_dictionary *dictionary,
                                  int                           bits,
                                  double                       *word);

/// What a look at values has found.
/// Types of floating point that hold all values so far.
typedef struct cairn_value_floats {
    bool half, brain, single; ///< f16, bf16; f32, if the tensor's type is another.
} cairn_value_floats;

typedef struct cairn_value_look {
    int                     carrier_bits;
    bool                    seen; ///< There are values, of which this is
    double                  first;
    bool                    one, integer; ///< All so far are such,
    cairn_value_floats      floats;       ///< and of these.
    int32_t                 low, high;    ///< Of integers.
    bool                    words;        ///< The second look: for a dictionary.
    cairn_value_dictionary *dictionary;
    bool                    named; ///< Only `asked` is looked for;
    cairn_value_storage     asked;
    double                  refused; ///< the first value that it does not hold, and
    bool                    refuses; ///< whether there is one;
    double                  error;   ///< largest relative error of those rounded.
} cairn_value_look;

/// @param[in] asked       NULL: the narrowest type is looked for.
/// @param[in] dictionary  Empty; if it is `full`, no type with one is looked for, nor f16
///                        and bf16: types whose kernels do not come with the library.
void cairn_value_look_begin(cairn_value_look          *look,
                            int                        carrier_bits,
                            const cairn_value_storage *asked,
                            cairn_value_dictionary    *dictionary);

/// @param[in] values  [n] of the carrier's type.
void cairn_value_look_at(cairn_value_look *look, const void *values, int64_t n);

/// The same for those of a part, in whatever type they are stored, side by side.
void cairn_value_look_at_part(cairn_value_look *look, const cairn_kernel_part *view);

/// Have all values been looked at, is there more to find? Then look at all once more.
bool cairn_value_look_again(cairn_value_look *look);

/// Does the type asked for hold all values?
bool cairn_value_look_holds(const cairn_value_look *look);

/// The type that holds all @p values in least bytes, those of a dictionary among them; of
/// two as wide the one that is read faster.
cairn_value_storage cairn_value_look_narrowest(const cairn_value_look *look,
                                               int64_t                 values);

/// Do [n] values have the bits of this one?
bool cairn_values_are_equal(const double *value, int n, double to);

/// Does a type, which is of floating point or INTEGER, hold a value's bits?
bool cairn_value_is_of(cairn_value_kind kind, int bits, double value);

/// The same of [n] values.
bool cairn_values_are_of(cairn_value_kind kind, int bits, const double *value, int n);

/// Does a type of floating point have numbers near [n] values, where these are finite?
///
/// @param[in,out] error  The largest relative error so far; changed only where it does.
bool cairn_values_round(cairn_value_kind kind,
                        int              bits,
                        const double    *value,
                        int              n,
                        double          *error);

/// The nearest value of a type of floating point, of two the even one; infinity beyond its
/// largest one.
double cairn_value_nearest(cairn_value_kind kind, int bits, double value);

/// Store [n] values, which the type of @p to holds, from place @p begin on; places lie side
/// by side.
/// @param[in] dictionary  If the type is CODE: all values are in it.
void cairn_values_store(const double                 *value,
                        int                           n,
                        const cairn_value_dictionary *dictionary,
                        const cairn_kernel_part      *to,
                        int64_t                       begin);

/// Move all values of a part into a view of another type that holds them, which may begin
/// where they do if its type is not wider.
/// @param[in] dictionary  If that is CODE: all values are in it.
void cairn_values_move(const cairn_kernel_part      *from,
                       const cairn_value_dictionary *dictionary,
                       const cairn_kernel_part      *to);

#endif
