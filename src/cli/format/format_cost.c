// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a format costs of a tensor: arrays of all ranks and banks together, with the
/// reason for their widths; bytes beside those of CSR; padding; what to make of it.

#include "cli/format/format_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LITTLE 0.1  ///< Shares of padding below this are little,
#define MUCH   0.5  ///< from here on much.
#define ALIKE  0.05 ///< Sizes that differ less are about the same.

/// Add up array @p k, which all parts of a member have alike; false past the last.
static bool
sum_array(const cli_format_view *view, int member, int k, cairn_array_info *sum)
{
    bool found = false;

    for (int64_t p = 0; p < view->parts; p++) {
        cairn_array_info info = CAIRN_ARRAY_INFO;

        if (view->part[p].member != member || !cli_format_view_array(view, p, k, &info))
            continue;
        if (!found)
            *sum = (cairn_array_info){.size   = sizeof(cairn_array_info),
                                      .kind   = info.kind,
                                      .bits   = info.bits,
                                      .stored = info.stored};
        if (sum->stored && info.stored && strcmp(sum->stored, info.stored) != 0)
            sum->stored = "";
        if (info.bits > sum->bits) sum->bits = info.bits;
        if (info.error > sum->error) sum->error = info.error;
        found      = true;
        sum->level = info.level;
        sum->length += info.length;
        sum->bytes += info.bytes;
    }
    return found;
}

/// The smallest width for a level's range, its hole included.
static int smallest(const cairn_level_info *info)
{
    const int64_t lo = info->global_lo;
    const int64_t hi = lo + info->global_size - 1 + info->determined;
    int           bits;

    for (bits = 8; bits < 64; bits *= 2) {
        const int64_t end = (int64_t)1 << (lo < 0 ? bits - 1 : bits);

        if (hi < end && lo >= -end) break;
    }
    return bits;
}

static void say_idx_width(const cairn_level_info *info)
{
    const int64_t lo = info->global_lo, hi = lo + info->global_size - 1;

    if (info->idx_bits != smallest(info))
        printf("by bits<...>");
    else if (info->determined)
        printf("indices %" PRId64 " to %" PRId64 ", hole %" PRId64, lo, hi, hi + 1);
    else
        printf("indices %" PRId64 " to %" PRId64 "%s", lo, hi,
               lo < 0 ? ", signed" : "");
}

static void say_ptr_width(const cairn_level_info *level, int l)
{
    bool gaps = false;

    for (int k = 0; k <= l; k++)
        gaps |= level[k].gaps;
    if (level[l].ptr_bits == 64 && gaps)
        printf("distance sets no bound");
    else if (level[l].ptr_bits == 64)
        printf("positions of the tensor reach 2^32");
    else
        printf(level[l].ptr_bits == 32 ? "positions stay below 2^32" : "by bits<...>");
}

/// The fields of the tuples at level @p first.
static void say_fields(const cli_format_view  *view,
                       int                     member,
                       const cairn_level_info *level,
                       int                     levels,
                       int                     first)
{
    const cairn_storage_info *storage = &view->storage[member];
    const char               *comma   = "";

    for (int l = 0; l < levels; l++) {
        const int k = cli_format_pack_of(view, member, l);

        if (k < 0 || storage->pack[k].first != first || !level[l].has_idx) continue;
        printf("%sidx%d %d", comma, l, level[l].idx_bits);
        comma = ", ";
    }
    for (int k = 0; k < storage->packs; k++)
        if (storage->pack[k].first == first && storage->pack[k].values)
            printf("%svalue", comma);
}

/// Why values have the width that they have; a type of "": not the same on all ranks.
static void say_value_type(const cli_format_view *view, const cairn_array_info *sum)
{
    static const struct {
        const char *name, *words;
    } types[] = {
        {"iso",    "all are equal"                         },
        {"i8",     "all are integers of 8 bits"            },
        {"i16",    "all are integers of 16 bits"           },
        {"f16",    "all are stored as f16"                 },
        {"bf16",   "all are stored as bf16"                },
        {"f32",    "all are stored as f32"                 },
        {"dict8",  "places in a dictionary of 256 values"  },
        {"dict16", "places in a dictionary of 65536 values"},
        {"",       "as narrow as those of each rank are"   },
    };
    const bool        wide = cairn_tensor_dtype(view->tensor) == CAIRN_F64;
    const char *const type = wide ? "f64" : "f32";

    if (strcmp(sum->stored, type) == 0) {
        printf("--dtype %s", type);
        return;
    }
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (strcmp(types[k].name, sum->stored) == 0) printf("%s", types[k].words);
    if (sum->error > 0) printf(", rounded by up to %.2g of it", sum->error);
}

static void
print_array(const cli_format_view *view, int member, const cairn_array_info *sum)
{
    const cairn_level_info *level;
    const int               levels = cli_format_view_levels(view, member, &level);
    const double            share =
        view->total.bytes ? (double)sum->bytes / (double)view->total.bytes : 0;

    printf("  %-8s %5d %14" PRId64 " %12s %6s  ",
           cli_format_array_name(sum->kind, sum->level).text, sum->bits, sum->length,
           cli_word_bytes(sum->bytes).text, cli_word_percent(share).text);
    if (strcmp(sum->kind, "idx") == 0)
        say_idx_width(&level[sum->level]);
    else if (strcmp(sum->kind, "ptr") == 0)
        say_ptr_width(level, sum->level);
    else if (strcmp(sum->kind, "val") == 0)
        say_value_type(view, sum);
    else if (strcmp(sum->kind, "dict") == 0)
        printf("the different values");
    else
        say_fields(view, member, level, levels, sum->level);
    putchar('\n');
}

void cli_format_arrays(const cli_format_view *view, int member)
{
    cairn_array_info sum = CAIRN_ARRAY_INFO;

    if (!sum_array(view, member, 0, &sum)) return;
    printf("\n  array     bits       elements         size  share  width because\n");
    for (int k = 0; sum_array(view, member, k, &sum); k++)
        print_array(view, member, &sum);
}

/// What one member stores whole, entries or not.
typedef enum { EVERYTHING, PAUSES, SLOTS, DIAGONALS, BLOCKS } whole;

static whole whole_of(const cli_format_view *view, int member)
{
    const cairn_storage_info *storage = &view->storage[member];
    const cairn_level_info   *level;
    bool                      diagonal = false, slot = false;

    cli_format_view_levels(view, member, &level);
    if (storage->trim_last < 0) return EVERYTHING;
    for (int l = 0; l <= storage->trim_last; l++) {
        if (level[l].gaps) return PAUSES;
        slot |= level[l].query >= 0;
        diagonal |= __builtin_popcount(level[l].modes) > 1;
    }
    return slot ? SLOTS : diagonal ? DIAGONALS : BLOCKS;
}

/// Where padding comes from, and what has little of it.
static const struct {
    const char *stored, *suits;
} words[] = {
    [EVERYTHING] = {"every position is stored",                      "tensors that are nearly full"},
    [PAUSES]     = {"the schedule waits between entries of one row",
                    "matrices with their entries spread over many rows"                            },
    [SLOTS]      = {"all rows of a slot are as long as the longest",
                    "matrices whose rows are about equally long"                                   },
    [DIAGONALS]  = {"stored diagonals are whole",
                    "matrices with few diagonals, nearly full"                                     },
    [BLOCKS]     = {"stored blocks are whole",
                    "matrices whose entries stand close together"                                  },
};

/// The member with most padding.
static int worst_member(const cli_format_view *view)
{
    int64_t most  = -1;
    int     worst = 0;

    for (int m = 0; m < cairn_format_members(view->format); m++) {
        int64_t padding = 0;

        for (int64_t p = 0; p < view->parts; p++)
            if (view->part[p].member == m)
                padding += view->part[p].values - view->part[p].nnz;
        if (padding > most) worst = m;
        if (padding > most) most = padding;
    }
    return worst;
}

static void print_total(const cli_format_view *view)
{
    printf("\n  total    %s", cli_word_bytes(view->total.bytes).text);
    if (view->total.nnz)
        printf(" for %s, %.3g bytes each", cli_word_entries(view->total.nnz).text,
               (double)view->total.bytes / (double)view->total.nnz);
    if (view->total.baseline_bytes)
        printf("; %.2f of %s's %s",
               (double)view->total.bytes / (double)view->total.baseline_bytes,
               view->total.baseline, cli_word_bytes(view->total.baseline_bytes).text);
    putchar('\n');
}

/// A line that may need several, under its label.
static void print_labelled(const char *label, const char *text)
{
    cli_paragraph out;

    printf("  %-8s ", label);
    cli_paragraph_begin(&out, 11, 11);
    cli_paragraph_text(&out, text);
    cli_paragraph_end(&out);
}

static void print_padding(const cli_format_view *view, double padding)
{
    char text[256];

    if (padding > 0)
        snprintf(text, sizeof text, "%" PRId64 ", %s of them padding, since %s",
                 view->total.values, cli_word_percent(padding).text,
                 words[whole_of(view, worst_member(view))].stored);
    else
        snprintf(text, sizeof text, "%" PRId64 ", every one an entry's: no padding",
                 view->total.values);
    print_labelled("values", text);
}

static bool has_packs(const cli_format_view *view)
{
    for (int m = 0; m < cairn_format_members(view->format); m++)
        if (view->storage[m].packs) return true;
    return false;
}

/// What to make of a format with much, some, or hardly any padding that takes @p ratio
/// of the baseline's bytes.
static const char *
judge(const cli_format_view *view, double padding, double ratio, char text[256])
{
    const bool larger = ratio > 1 + ALIKE, smaller = ratio < 1 - ALIKE;

    if (padding >= MUCH)
        snprintf(text, 256, "this format suits %s; here %s %s",
                 words[whole_of(view, worst_member(view))].suits, view->total.baseline,
                 larger    ? "is smaller"
                 : smaller ? "is larger all the same"
                           : "takes as much");
    else if (padding >= LITTLE)
        snprintf(text, 256, "the padding costs %s the indices that it saves",
                 larger    ? "more than"
                 : smaller ? "less than"
                           : "about as much as");
    else if (larger)
        snprintf(text, 256, "its indices%s cost more than %s's",
                 has_packs(view) ? " and the alignment of tuples" : "",
                 view->total.baseline);
    else if (smaller)
        snprintf(text, 256,
                 "fewer indices than %s and %s padding: it suits this tensor",
                 view->total.baseline, padding > 0 ? "little" : "no");
    else
        snprintf(text, 256, "as compact as %s", view->total.baseline);
    return text;
}

void cli_format_cost(const cli_format_view *view)
{
    const double nnz = (double)view->total.nnz, values = (double)view->total.values;
    const double padding = values > nnz ? 1 - nnz / values : 0;
    char         text[256];

    print_total(view);
    print_padding(view, padding);
    if (view->total.nnz == 0)
        print_labelled("verdict", "no entries: what is stored is the frame");
    else if (view->total.baseline_bytes)
        print_labelled("verdict", judge(view, padding,
                                        (double)view->total.bytes
                                            / (double)view->total.baseline_bytes,
                                        text));
}
