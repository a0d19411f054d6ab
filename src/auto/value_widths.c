// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Looking at a matrix's values, and what formats make of them.

#include "auto/value_widths.h"

#include "tensor/value_storage.h"

cairn_value_widths cairn_value_widths_wide(int carrier_bits)
{
    const cairn_value_storage wide = {CAIRN_VALUE_FLOAT, carrier_bits, 0};

    return (cairn_value_widths){
        .carrier_bits = carrier_bits, .with_zeros = wide, .exact = wide};
}

/// Of an f32 tensor they are looked at as it will have them.
static void look_rounded(cairn_value_look *look, const double *value, cairn_pos n)
{
    enum { STRIP = 512 };
    float strip[STRIP];

    for (cairn_pos k = 0; k < n; k += STRIP) {
        const int m = n - k < STRIP ? (int)(n - k) : STRIP;

        for (int i = 0; i < m; i++)
            strip[i] = (float)value[k + i];
        cairn_value_look_at(look, strip, m);
    }
}

cairn_value_widths
cairn_value_widths_look(const cairn_matrix_rows *rows, int carrier_bits, bool narrows)
{
    const cairn_pos        n      = rows->n;
    cairn_value_dictionary none   = {.full = true};
    cairn_value_widths     values = cairn_value_widths_wide(carrier_bits);
    cairn_value_look       look;

    values.narrows = narrows;
    if (n == 0) return values;
    cairn_value_look_begin(&look, carrier_bits, NULL, &none);
    look.floats.half = look.floats.brain = true; /* which `exact` takes */
    if (!rows->entries)
        cairn_value_look_at_part(&look, rows->values);
    else if (carrier_bits < 64)
        look_rounded(&look, rows->entries->value, n);
    else
        cairn_value_look_at(&look, rows->entries->value, n);
    values.one       = look.one;
    look.one         = false;
    values.exact     = cairn_value_look_narrowest(&look, n);
    look.floats.half = look.floats.brain = false;
    values.with_zeros                    = cairn_value_look_narrowest(&look, n);
    return values;
}

bool cairn_value_widths_narrow(const cairn_value_widths *values)
{
    return values->narrows
           && (values->one || values->with_zeros.bits < values->carrier_bits);
}

cairn_value_storage cairn_value_widths_in(const cairn_value_widths *values,
                                          cairn_val_type            type,
                                          bool                      padded)
{
    const cairn_value_storage one = {CAIRN_VALUE_ONE, values->carrier_bits, 0};
    cairn_value_storage       named;

    if (cairn_val_type_is_named(type, values->carrier_bits, &named)) return named;
    if (type == CAIRN_VAL_UNSAID && !values->narrows)
        return (cairn_value_storage){CAIRN_VALUE_FLOAT, values->carrier_bits, 0};
    if (values->one && !padded) return one;
    return type == CAIRN_VAL_EXACT ? values->exact : values->with_zeros;
}

double cairn_value_storage_bytes(const cairn_value_storage *storage)
{
    return storage->kind == CAIRN_VALUE_ONE ? 0 : storage->bits / 8.0;
}
