// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Keys of products: what the lowering looks at, written out; and the hints that numbers
/// of a part give.

#include "base/text.h"
#include "lower/product/product_plan.h"
#include "share/alike_rows.h"
#include "tensor/local.h"

#include <inttypes.h>

static void add_linear(cairn_text *key, const cairn_linear *linear)
{
    for (int t = 0; t < linear->terms; t++)
        cairn_text_add(key, "%+" PRId64 "*e%d", linear->num[t], linear->var[t]);
    cairn_text_add(key, "%+" PRId64, linear->constant);
    if (linear->den != 1) cairn_text_add(key, "/%" PRId64, linear->den);
}

/// In full: what notes of levels say is cut where it is long.
static void
add_form(cairn_text *key, const cairn_layout *layout, const cairn_form *form)
{
    for (int t = 0; t < form->terms; t++) {
        const cairn_atom *atom = &layout->algebra->atom[form->term[t].atom];

        cairn_text_add(key, "%+" PRId64 "*", form->term[t].factor);
        if (atom->kind == CAIRN_ATOM_DIM) {
            cairn_text_add(key, "d%d", atom->number);
        } else if (atom->kind == CAIRN_ATOM_QUERY) {
            cairn_text_add(key, "q%d.%d", atom->number,
                           (int)layout->encoding->query[atom->number].func);
        } else {
            cairn_text_add(key, "(");
            add_form(key, layout, &atom->form);
            cairn_text_add(key, ")%c%" PRId64, atom->kind == CAIRN_ATOM_DIV ? '/' : '%',
                           atom->divisor);
        }
    }
    cairn_text_add(key, "%+" PRId64, form->constant);
}

static void add_level(cairn_text *key, const cairn_layout *layout, int l)
{
    static const char *const kinds[] = {"dense", "compressed", "singleton", "ragged"};
    const cairn_level       *level   = &layout->level[l];

    cairn_text_add(key, " ");
    add_form(key, layout, &level->form);
    cairn_text_add(key, ".%s", kinds[level->kind]);
    if (level->arrays.has_ptr) cairn_text_add(key, ".p%d", level->arrays.ptr_bits);
    if (level->arrays.has_idx)
        cairn_text_add(key, ".%c%d", level->arrays.idx_signed ? 'i' : 'u',
                       level->arrays.idx_bits);
    if (level->trimmed) cairn_text_add(key, ".n%d", level->depth);
    if (level->gaps) cairn_text_add(key, ".gaps");
    if (level->determined.on)
        cairn_text_add(key, ".by%" PRIx32 ".%d.%" PRIx32, level->determined.by,
                       level->determined.per_node, level->determined.recipe.dims);
    if (level->arrays.tuple >= 0)
        cairn_text_add(key, ".in%d:%zu", level->arrays.tuple,
                       layout->packs.tuple[level->arrays.tuple].size);
}

/// What was decided from more than the arrays: what queries number, say.
static void add_plan(cairn_text *key, const cairn_product_plan *plan)
{
    cairn_text_add(key, " order");
    for (int k = 0; k < plan->order.levels; k++)
        cairn_text_add(key, "%s%d", k == plan->order.known ? "/" : ".",
                       plan->order.level[k]);
    cairn_text_add(key, " %s%s%s%s tile%d.%d sum%d share%d.%d",
                   plan->order.once ? "o" : "", plan->order.complete ? "c" : "",
                   plan->guard_row ? "r" : "", plan->guard_x ? "x" : "",
                   (int)plan->tile.kind, plan->tile.level, (int)plan->sum,
                   (int)plan->share.kind, plan->share.level);
}

static void add_layout(cairn_text *key, const cairn_layout *layout)
{
    static const char *const kinds[] = {[CAIRN_VALUE_FLOAT]   = "f",
                                        [CAIRN_VALUE_INTEGER] = "i",
                                        [CAIRN_VALUE_ONE]     = "one",
                                        [CAIRN_VALUE_CODE]    = "dict",
                                        [CAIRN_VALUE_BFLOAT]  = "bf"};

    for (int l = 0; l < layout->levels; l++)
        add_level(key, layout, l);
    for (int k = 0; k < layout->order; k++) {
        cairn_text_add(key, " d%d=", k);
        add_linear(key, &layout->inverse.dim[k]);
    }
    cairn_text_add(key, " %s%d", kinds[layout->values.kind], layout->values.bits);
    if (layout->values.tuple >= 0) {
        const cairn_tuple *tuple = &layout->packs.tuple[layout->values.tuple];

        cairn_text_add(key, ".in%d:%zu:%" PRId64, layout->values.tuple, tuple->size,
                       tuple->block);
    }
    if (layout->partition >= 0) cairn_text_add(key, " bank%d", layout->partition);
    if (layout->inverse.check)
        cairn_text_add(key, " check%" PRIx32, layout->inverse.check);
    if (layout->pads) cairn_text_add(key, " pads");
}

cairn_status cairn_product_key(cairn_env           *env,
                               const cairn_layout  *layout,
                               const cairn_product *product,
                               char               **key)
{
    cairn_product_hints hints;
    cairn_product_plan  plan;
    cairn_text          text;

    cairn_product_plan_make(layout, product, &plan);
    hints = plan.hints;
    cairn_text_init(&text, env);
    cairn_text_add(&text, "product%s%s%s%s%s%s%s%s %s.%s v%d",
                   product->transposed ? ".t" : "", product->adds ? ".add" : "",
                   product->has_sums ? ".sums" : "", product->scaled ? ".alpha" : "",
                   product->wide ? ".wide" : "", product->rounds ? ".rounds" : "",
                   product->sums_y ? ".ysum" : "", product->columns == 1 ? "" : ".k",
                   cairn_ir_type_text(product->operand),
                   cairn_ir_type_text(product->accumulate), product->vector_bytes);
    cairn_text_add(&text, " h%d%d%d%d%d%s%s%s%s%s%s", hints.stream, hints.scattered,
                   hints.fetch_x, hints.bypass_y, hints.by_columns,
                   hints.follow_x ? "1" : "", hints.uneven ? "u" : "",
                   hints.runs ? "r" : "", hints.alike ? "a" : "",
                   hints.abreast ? "b" : "", hints.beside ? "l" : "");
    add_layout(&text, layout);
    add_plan(&text, &plan);
    return cairn_text_take(&text, key);
}

static int64_t idx_at(const cairn_kernel_level *level, int64_t p)
{
    return cairn_load_int(level->idx, p, level->idx_stride, level->idx_bits,
                          level->idx_signed);
}

/// The last stored index under node @p q of the level above @p l; -1: there is none.
static int64_t last_index(const cairn_kernel_level *level, int64_t q)
{
    const int     bytes = level->ptr_bits / 8;
    const int64_t begin = cairn_load_int(level->ptr, q, bytes, level->ptr_bits, false);
    const int64_t end =
        cairn_load_int(level->ptr, q + 1, bytes, level->ptr_bits, false);

    return begin == end ? -1 : idx_at(level, end - 1);
}

enum { LOOKS = 64 };

/// Place of look @p k among @p n. By the golden section, so that no face of a grid is met
/// again and again.
static int64_t place_of_look(int64_t n, int64_t k)
{
    return (int64_t)((__int128)n * (k * 40503 % 65536) / 65536);
}

static bool rows_follow(const cairn_kernel_level *level)
{
    enum { NEAR = 4 };
    const int64_t pairs = level->ptr_length - 2; /* of neighbours */
    int           seen = 0, near = 0;

    for (int64_t k = 0; k < LOOKS && pairs >= LOOKS; k++) {
        const int64_t q    = place_of_look(pairs, k);
        const int64_t last = last_index(level, q), next = last_index(level, q + 1);

        if (last < 0 || next < 0) continue;
        seen++;
        near += next >= last && next - last <= NEAR;
    }
    return seen >= LOOKS / 2 && near >= seen - seen / 4;
}

static int64_t ptr_at(const cairn_kernel_level *level, int64_t q)
{
    return cairn_load_int(level->ptr, q, level->ptr_bits / 8, level->ptr_bits, false);
}

/* Entries that cost as much by the loop of uneven rows, which goes in steps of four, as an
 * end that comes as a surprise costs the other one. Measured on Zen 4, one thread, rows of
 * 10 to 30 and of 40 to 60 entries, all ends a surprise or every third: a surprise costs
 * 6.3 ns, an entry 0.08 ns. */
enum { ENTRIES_OF_SURPRISE = 77 };

/// Would a quarter of the ends of rows come as a surprise, and cost more than is lost
/// where rows are long?
static bool rows_are_uneven(const cairn_kernel_level *level, int64_t threads)
{
    const int64_t pairs   = level->ptr_length - 2;
    int64_t       entries = 0, uneven = 0;

    if (pairs / threads < CAIRN_LEARNED_ROWS) return false;
    for (int64_t k = 0; k < LOOKS; k++) {
        const int64_t q      = place_of_look(pairs, k);
        const int64_t next   = ptr_at(level, q + 1);
        const int64_t length = next - ptr_at(level, q);

        entries += length;
        uneven += ptr_at(level, q + 2) - next != length;
    }
    return uneven >= LOOKS / 4 && entries <= uneven * ENTRIES_OF_SURPRISE;
}

/* Entries that a turn of the loop takes; and turns of a thread, counted as if no row had a
 * rest, of which a processor learns which are runs, once their product is repeated. Measured
 * on Zen 5, one thread, f64: with up to 36,300 turns, 15 to 27 of 100 of them runs, products
 * take 0.88 to 0.92 of the time (bcsstk13, bcsstk14, bcsstk16, cavity14, fidap007); more
 * were not tried. Where nothing is learned a surprise costs as much as seven runs gain. */
enum { TURN = CAIRN_TURN, LEARNED_TURNS = 37000 };

/// Do so many turns take columns that follow each other that it pays to look?
static bool turns_are_runs(const cairn_kernel_level *level, int64_t threads)
{
    enum { TURNS = 4 }; /* of a row that is looked at */
    const int64_t rows    = level->ptr_length - 1;
    const int64_t entries = rows > 0 ? ptr_at(level, rows) : 0;
    int64_t       turns = 0, runs = 0;

    for (int64_t k = 0; k < LOOKS && rows >= LOOKS; k++) {
        const int64_t q   = place_of_look(rows, k);
        const int64_t end = ptr_at(level, q + 1);
        int64_t       p   = ptr_at(level, q);

        for (int t = 0; t < TURNS && p + TURN <= end; t++, p += TURN) {
            turns++;
            runs += idx_at(level, p + TURN - 1) - idx_at(level, p) == TURN - 1;
        }
    }
    if (turns < LOOKS / 4) return false;
    return entries / threads <= (int64_t)LEARNED_TURNS * TURN
               ? runs >= turns / 8
               : runs >= turns - turns / 8;
}

/// Do so many rows have the columns of the next one that it pays to count them?
static bool often_alike(const cairn_kernel_level *level)
{
    const int64_t pairs = level->ptr_length - 2;
    int           alike = 0;

    for (int64_t k = 0; k < LOOKS && pairs >= LOOKS; k++)
        alike += cairn_rows_are_alike(level, place_of_look(pairs, k));
    return alike >= LOOKS / 4;
}

/// Has the row of node @p q + 1 the columns of that of @p q, all one further on?
static bool goes_on(const cairn_kernel_level *level, int64_t q)
{
    const int64_t begin = ptr_at(level, q), end = ptr_at(level, q + 1);
    const int64_t length = end - begin;

    if (length < CAIRN_CHAINS || length > CAIRN_CUT
        || ptr_at(level, q + 2) - end != length)
        return false;
    for (int64_t p = begin; p < end; p++)
        if (idx_at(level, p + length) - idx_at(level, p) != 1) return false;
    return true;
}

/// Three rows in four: a vector's lanes of rows begin anew behind one that does not.
static bool rows_go_abreast(const cairn_kernel_level *level)
{
    const int64_t pairs = level->ptr_length - 2;
    int           seen  = 0;

    for (int64_t k = 0; k < LOOKS && pairs >= LOOKS; k++)
        seen += goes_on(level, place_of_look(pairs, k));
    return seen >= LOOKS - LOOKS / 4;
}

/// Are rows so long that four are summed side by side?
static bool rows_are_long(const cairn_kernel_level *level)
{
    const int64_t rows    = level->ptr_length - 1;
    int64_t       entries = 0;

    for (int64_t k = 0; k < LOOKS && rows >= LOOKS; k++) {
        const int64_t q = place_of_look(rows, k);

        entries += ptr_at(level, q + 1) - ptr_at(level, q);
    }
    return entries >= (int64_t)LOOKS * CAIRN_LONG_ROW;
}

cairn_product_seen cairn_product_look(const cairn_layout      *layout,
                                      const cairn_product     *product,
                                      const cairn_kernel_part *part,
                                      int64_t                  threads)
{
    cairn_product      asked = *product;
    cairn_product_seen seen  = {.follows = false};
    cairn_product_plan plan;

    asked.hints = (cairn_product_hints){
        .uneven = true, .runs = true, .alike = true, .follow_x = true};
    cairn_product_plan_make(layout, &asked, &plan);
    if (plan.hints.follow_x) seen.follows = rows_follow(&part->level[layout->last]);
    if (plan.hints.alike) seen.alike = often_alike(&part->level[layout->last]);
    if (seen.alike) return seen;
    asked.hints = (cairn_product_hints){.uneven = true, .runs = true, .abreast = true};
    cairn_product_plan_make(layout, &asked, &plan);
    if (plan.hints.abreast) seen.abreast = rows_go_abreast(&part->level[layout->last]);
    if (plan.hints.uneven)
        seen.uneven = rows_are_uneven(&part->level[layout->last], threads);
    if (plan.hints.runs)
        seen.runs = turns_are_runs(&part->level[layout->last], threads);
    asked.hints = (cairn_product_hints){.beside = true};
    cairn_product_plan_make(layout, &asked, &plan);
    if (plan.hints.beside && !seen.abreast && !seen.uneven && !seen.runs)
        seen.beside = rows_are_long(&part->level[layout->last]);
    return seen;
}

cairn_product_hints cairn_product_hints_of(const cairn_layout  *layout,
                                           const cairn_product *product,
                                           int64_t              entries,
                                           int64_t              columns,
                                           cairn_product_seen   seen,
                                           int64_t              l2,
                                           int64_t              l3)
{
    const int    in = product->transposed ? 0 : 1, out = 1 - in;
    const double size  = cairn_ir_type_bytes(product->operand) * (double)columns;
    const double x     = (double)(layout->box[in].hi - layout->box[in].lo + 1) * size;
    const double rows  = (double)(layout->box[out].hi - layout->box[out].lo + 1);
    const double mean  = rows > 0 ? (double)entries / rows : 0;
    const double bytes = (double)entries * (layout->values.bits / 8 + 4);

    const bool         following = seen.follows && x > (double)l2;
    cairn_product_plan plan;

    /* Lists of entries are followed by the machine itself as long as they come from the L3.
     * Measured on Zen 5 (L2 of 1 MB, L3 of 32), one thread, rows of 3 to 30 entries: fetched
     * ahead, 2 to 17 MB take 1.09 to 1.22 of the time without, 29 MB 0.98 to 1.08, 72 MB
     * 0.64 to 0.67. A larger L3 was not tried. */
    cairn_product_plan_make(layout, product, &plan);
    const double near  = l3 < 16 * l2 ? (double)l3 : 16 * (double)l2;
    const double ahead = plan.sum == CAIRN_SUM_FOUR ? near : (double)l2;
    /* Measured on Zen 5, one thread, stencils and bands: rows abreast take 0.59 to 0.71 of
     * the time where the L3 holds the matrix, 0.60 to 0.80 in f32 beyond. In f64, which waits
     * for memory there, 0.75 to 0.91 with 5 to 19 entries a row, 0.98 with 23, and 1.14 with
     * 27 and 31. */
    enum { SHORT_ROW = 20 };
    const bool wide =
        layout->values.kind == CAIRN_VALUE_FLOAT && layout->values.bits == 64;
    const bool abreast =
        seen.abreast && (bytes <= (double)l3 || !wide || mean <= SHORT_ROW);

    /* Measured on stencils, 3x3 blocks, R-MAT and uniform matrices: rows of X that are
     * fetched ahead cost a seventh where rows are short and banded, and gain up to a
     * factor of 2 elsewhere; Y past the caches gains where its rows are long. In bands
     * one row of X is new in each row: fetched alone, with Y past the caches, 32 columns
     * of the stencils of 5, 7, 27 points and of 15 diagonals take 0.75, 0.87, 0.76, 0.64
     * of the time without; with Y through the caches 0.87, 0.94, 0.80, 0.65. */
    return (cairn_product_hints){
        .stream     = bytes > ahead,
        .scattered  = x > (double)l2,
        .fetch_x    = x > (double)l2 && !following && (mean >= 8 || columns >= 512),
        .bypass_y   = columns >= 512 || (following && rows * size > (double)l3),
        .by_columns = columns > 64 && x / (double)columns * 64 <= 2 * (double)l3,
        .follow_x   = following,
        .uneven     = seen.uneven && !abreast,
        .runs       = seen.runs && !abreast,
        .alike      = seen.alike,
        .abreast    = abreast,
        .beside     = seen.beside,
    };
}
