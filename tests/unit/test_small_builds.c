// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Many small conversions: who makes a few goes the reference way where no function is at
/// hand, who makes many gets devices, and at last a compiler. The arrays are the same.

#include "api/api.h"
#include "emit/prebuilt.h"
#include "support/api.h"
#include "support/conversion.h"

enum { SIDE = 200, EACH = 150, ENTRIES = SIDE * EACH }; /* 30,000 */

/// Neither is in the list of functions that come with the library.
static const char from_text[] =
    "#encoding<{ idx_map<(d0,d1)->(d1 / 7, d0, d1 % 7)>, mutation<merge(0,1), "
    "trim(1,2)> }>";
static const char to_text[] =
    "#encoding<{ idx_map<(d0,d1)->(d0 / 5, d1, d0 % 5)>, mutation<merge(0,1), "
    "trim(1,1)> }>";

static char           cache[64];
static cairn_context *context;
static cairn_format  *from, *to;
static cairn_tensor  *given;

static void begin(const char *kernels)
{
    int64_t      *coord  = malloc(2 * ENTRIES * sizeof *coord);
    const int64_t side[] = {SIDE, SIDE};
    cairn_source *source = NULL;

    scratch_create(cache);
    setenv("CAIRN_CACHE", cache, 1);
    setenv("CAIRN_KERNELS", kernels, 1);
    for (int64_t k = 0; k < ENTRIES; k++) {
        coord[2 * k]     = k / EACH;
        coord[2 * k + 1] = k % EACH + k / EACH % (SIDE - EACH);
    }
    MUST(NULL, cairn_context_create(&context));
    MUST(context, cairn_format_create(context, from_text, &from));
    MUST(context, cairn_format_create(context, to_text, &to));
    MUST(context, cairn_source_from_coords(context, 2, side, ENTRIES, coord, NULL,
                                           CAIRN_BY_NNZ, &source));
    MUST(context, cairn_tensor_create(source, from, CAIRN_F64, &given));
    cairn_source_destroy(&source);
    free(coord);
}

static void end(void)
{
    cairn_tensor_destroy(&given);
    cairn_format_destroy(&from);
    cairn_format_destroy(&to);
    cairn_context_destroy(&context);

    char remove[96];

    snprintf(remove, sizeof remove, "rm -rf '%s'", cache);
    cr_expect_eq(system(remove), 0);
}

static cairn_route convert(cairn_tensor **made)
{
    MUST(context, cairn_tensor_convert(given, to, made));
    return (*made)->how.route;
}

Test(small_builds, what_is_missed_often_is_compiled)
{
    cairn_tensor *first = NULL, *made = NULL;
    int           turns = 1;

    begin("auto");
    cr_assert_eq(convert(&first), CAIRN_ROUTE_REFERENCE,
                 "a compiler for one small one");
    for (; turns < 20; turns++) {
        const cairn_route route = convert(&made);

        check_same(first->local, made->local, to_text);
        cairn_tensor_destroy(&made);
        if (route != CAIRN_ROUTE_REFERENCE) break;
    }
    /* Every function has been missed by that many entries, or was compiled with another. */
    cr_expect_eq(turns, (CAIRN_WORTH_COMPILING + ENTRIES - 1) / ENTRIES - 1);
    cr_expect_neq(convert(&made), CAIRN_ROUTE_REFERENCE, "forgotten again");
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&first);
    end();
}

/// Blocks along block rows: what counts them is missed by the same build as what comes
/// next.
static const char blocks_text[] =
    "#encoding<{ idx_map<(d0,d1)->(d0 / 3, slot, d0 % 3, d1 / 5, d1 % 5)>, "
    "mutation<merge(0,1), trim(1,1)>, indirect<{ block = sum(value) groupBy "
    "(d0,d1)->(d0 / 3, d1 / 5); slot = enum(block) groupBy (d0,d1)->(d0 / 3) "
    "traverseBy "
    "(d0,d1)->(d1 / 5) with block ne 0 -> 0 | otherwise -> none }> }>";

/// Convert to so many formats, twice to each: none is compiled for that.
static void convert_to_others(int count)
{
    cairn_tensor *made;

    for (int k = 0; k < 2 * count; k++) {
        char          text[256];
        cairn_format *other = NULL;

        snprintf(text, sizeof text,
                 "#encoding<{ idx_map<(d0,d1)->(d0 / %d, d1, d0 %% %d)>, "
                 "mutation<merge(0,1), trim(1,1)> }>",
                 11 + k / 2, 11 + k / 2);
        MUST(context, cairn_format_create(context, text, &other));
        MUST(context, cairn_tensor_convert(given, other, &made));
        cr_expect_eq(made->how.route, CAIRN_ROUTE_REFERENCE, "%s", text);
        cairn_tensor_destroy(&made);
        cairn_format_destroy(&other);
    }
}

Test(small_builds, what_was_missed_before_does_not_keep_others_out)
{
    cairn_tensor *made  = NULL;
    int           turns = 0;

    begin("auto");
    convert_to_others(70);
    cairn_format_destroy(&to);
    MUST(context, cairn_format_create(context, blocks_text, &to));
    for (cairn_route route = CAIRN_ROUTE_REFERENCE;
         route == CAIRN_ROUTE_REFERENCE && turns < 20; turns++) {
        route = convert(&made);
        cairn_tensor_destroy(&made);
    }
    cr_expect_leq(turns, (CAIRN_WORTH_COMPILING + ENTRIES - 1) / ENTRIES,
                  "not compiled after %d", turns);
    end();
}

Test(small_builds, compiling_can_be_forbidden)
{
    cairn_tensor *made = NULL;

    begin("reference");
    for (int k = 0; k < 12; k++) {
        cr_expect_eq(convert(&made), CAIRN_ROUTE_REFERENCE);
        cairn_tensor_destroy(&made);
    }
    cr_expect_null(context->devices, "devices for nothing");
    end();
}

/// A caller's square matrix, with ptr and idx of 32 or of 64 bits where its own indices
/// would be narrower, into what solvers ask for first.
static void convert_rows(cairn_context *own, int bits, int side, const char *to_name)
{
    enum { MOST = 70000 };
    static int32_t ptr32[MOST + 1], idx32[ENTRIES];
    static int64_t ptr64[MOST + 1], idx64[ENTRIES];
    static double  val[ENTRIES];
    const int      each   = side < ENTRIES ? ENTRIES / side : 1;
    cairn_format  *format = must_format(own, to_name);
    cairn_tensor  *lent, *made;

    for (int i = 0; i <= side; i++)
        ptr64[i] = ptr32[i] = i * each < ENTRIES ? i * each : ENTRIES;
    for (int k = 0; k < ENTRIES; k++) {
        idx64[k] = idx32[k] =
            k / each + k % each - (each > 1 ? k / each * each / side : 0);
        val[k] = 1 + k % 7;
    }
    MUST(own, cairn_tensor_from_csr(own, side, side, 0, side,
                                    bits == 32 ? (void *)ptr32 : ptr64, bits,
                                    bits == 32 ? (void *)idx32 : idx64, bits, val,
                                    CAIRN_F64, CAIRN_BORROW, NULL, &lent));
    MUST(own, cairn_tensor_convert(lent, format, &made));
    cr_expect_str_eq(cairn_tensor_route(made), "prebuilt", "%d bits, side %d, %s: %s",
                     bits, side, to_name, cairn_tensor_how(made));
    cairn_tensor_destroy(&made);
    cairn_tensor_destroy(&lent);
    cairn_format_destroy(&format);
}

Test(small_builds, arrays_of_a_caller_need_no_compiler)
{
    static const char *const to_names[] = {"csr",       "csc",       "coo",
                                           "sell<8>",   "ell",       "dia",
                                           "bcsr<2,2>", "bcsr<3,3>", "bdia<64>"};
    static const int         sides[]    = {SIDE, 30000, 60000, 70000};

    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    begin("auto");
    setenv("CAIRN_CC", "/nowhere/cc", 1);
    for (size_t k = 0; k < sizeof to_names / sizeof *to_names; k++)
        for (int c = 0; c < 8; c++) {
            cairn_context *own; /* which has not converted anything yet */

            MUST(NULL, cairn_context_create(&own));
            convert_rows(own, c % 2 ? 64 : 32, sides[c / 2], to_names[k]);
            cairn_context_destroy(&own);
        }
    end();
}

/// A caller's coordinates by rows, with indices of 32 or of 64 bits, and out again into his
/// compressed rows.
static void convert_list(cairn_context *own, int bits, int side, const char *to_name)
{
    static int32_t   i32[ENTRIES], j32[ENTRIES], ptr[70001];
    static int64_t   i64[ENTRIES], j64[ENTRIES], idx[ENTRIES];
    static double    val[ENTRIES], out[ENTRIES];
    const int        each   = side < ENTRIES ? ENTRIES / side : 1;
    cairn_format    *format = must_format(own, to_name);
    cairn_coords     list   = CAIRN_COORDS;
    cairn_compressed lines  = CAIRN_COMPRESSED;
    cairn_tensor    *made;

    for (int k = 0; k < ENTRIES; k++) {
        i64[k] = i32[k] = k / each;
        j64[k] = j32[k] = k / each + k % each - (each > 1 ? k / each * each / side : 0);
        val[k]          = 1 + k % 7;
    }
    list.extent[0] = list.extent[1] = side;
    list.entries                    = ENTRIES;
    list.idx[0]                     = bits == 32 ? (void *)i32 : i64;
    list.idx[1]                     = bits == 32 ? (void *)j32 : j64;
    list.idx_bits                   = bits;
    list.val                        = val;
    MUST(own, cairn_tensor_from_coords(own, &list, CAIRN_COPY, format, &made));
    cr_expect_str_eq(cairn_tensor_route(made), "prebuilt", "%d bits, side %d, %s: %s",
                     bits, side, to_name, cairn_tensor_how(made));
    lines.ptr        = ptr;
    lines.ptr_bits   = 32;
    lines.ptr_length = side + 1;
    lines.idx        = idx;
    lines.val        = out;
    lines.length     = ENTRIES;
    MUST(own, cairn_tensor_to_csr(made, &lines));
    cr_expect_eq(lines.entries, ENTRIES);
    cr_expect_eq(memcmp(idx, j64, sizeof idx), 0, "%s", to_name);
    cr_expect_eq(memcmp(out, val, sizeof out), 0, "%s", to_name);
    cairn_tensor_destroy(&made);
    cairn_format_destroy(&format);
}

Test(small_builds, coordinates_of_a_caller_need_no_compiler)
{
    static const char *const to_names[] = {"csr",       "csc",       "coo",
                                           "sell<8>",   "ell",       "dia",
                                           "bcsr<2,2>", "bcsr<3,3>", "bdia<64>"};
    static const int         sides[]    = {SIDE, 30000, 60000, 70000};

    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    begin("auto");
    setenv("CAIRN_CC", "/nowhere/cc", 1);
    for (size_t k = 0; k < sizeof to_names / sizeof *to_names; k++)
        for (int c = 0; c < 8; c++) {
            cairn_context *own; /* which has not converted anything yet */

            MUST(NULL, cairn_context_create(&own));
            convert_list(own, c % 2 ? 64 : 32, sides[c / 2], to_names[k]);
            cairn_context_destroy(&own);
        }
    end();
}

/// Own tensors into a caller's compressed rows and lists, without a compiler.
Test(small_builds, arrays_out_need_no_compiler)
{
    static const char *const from_names[] = {"csr", "csc", "coo"};
    enum { WIDE = 30000 };
    static int64_t i[ENTRIES], j[ENTRIES], ptr[WIDE + 1];
    static double  val[ENTRIES];

    if (cairn_prebuilt_count == 0) cr_skip_test("built without CAIRN_PREBUILT");
    begin("auto");
    setenv("CAIRN_CC", "/nowhere/cc", 1);
    setenv("CAIRN_KERNELS", "compiled", 1); /* nothing may be interpreted */
    for (int k = 0; k < 9; k++) {
        cairn_context   *own;
        cairn_tensor    *made;
        cairn_coords     list  = CAIRN_COORDS;
        cairn_compressed lines = CAIRN_COMPRESSED;
        cairn_coords_out out   = CAIRN_COORDS_OUT;

        MUST(NULL, cairn_context_create(&own));
        cairn_format *format = must_format(own, from_names[k % 3]);

        for (int64_t p = 0; p < ENTRIES; p++) {
            i[p] = p / EACH;
            j[p] = p % EACH * 200;
        }
        list.extent[0] = list.extent[1] = WIDE;
        list.entries                    = ENTRIES;
        out.idx[0] = i, list.idx[0] = i;
        out.idx[1] = j, list.idx[1] = j;
        out.val = val, list.val = val;
        out.length = lines.length = ENTRIES;
        lines.ptr                 = ptr;
        lines.ptr_length          = WIDE + 1;
        lines.idx                 = j;
        lines.val                 = val;
        MUST(own, cairn_tensor_from_coords(own, &list, CAIRN_COPY, format, &made));
        if (k / 3 == 0) MUST(own, cairn_tensor_to_csr(made, &lines));
        if (k / 3 == 1) MUST(own, cairn_tensor_to_csc(made, &lines));
        if (k / 3 == 2) MUST(own, cairn_tensor_to_coords(made, &out));
        cairn_tensor_destroy(&made);
        cairn_format_destroy(&format);
        cairn_context_destroy(&own);
    }
    end();
}

Test(small_builds, no_compiler_is_no_error)
{
    cairn_tensor *made = NULL;

    setenv("CAIRN_CC", "/nowhere/cc", 1);
    begin("auto");
    for (int k = 0; k < 20; k++) {
        cr_expect_eq(convert(&made), CAIRN_ROUTE_REFERENCE);
        cairn_tensor_destroy(&made);
    }
    end();
}
