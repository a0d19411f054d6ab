// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Phase PACK: one key for each entry, its index tuple side by side in one word or two,
/// with its value beside it; and whether the keys came in order. Phase BUCKET: the same,
/// one word each, dealt to buckets.

#include "lower/conversion/convert_steps.h"

/// Words so far, and what was found.
typedef struct {
    cairn_ir_var *count, *unsorted, *repeated;
    cairn_ir_var *last[2]; ///< Words of the entry before.
} found;

static cairn_ir_x pack_word(cairn_convert *c, int begin, int end)
{
    cairn_ir  *b    = &c->ir;
    cairn_ir_x word = NULL;

    for (int l = begin; l < end; l++) {
        const cairn_ir_x field = cairn_ir_binary(
            b, CAIRN_IR_SHIFT_LEFT, cairn_ir_sub(b, c->here.e[l], c->fields.low[l]),
            c->fields.shift[l]);

        word = word ? cairn_ir_binary(b, CAIRN_IR_BITS_OR, word, field) : field;
    }
    return word ? word : cairn_ir_int(b, 0);
}

/// Is the word less than the one before? Upper words first.
static cairn_ir_x is_less(cairn_convert *c, const found *f, const cairn_ir_x *word)
{
    cairn_ir        *b   = &c->ir;
    const cairn_ir_x low = cairn_ir_lt(b, word[0], cairn_ir_use(b, f->last[0]));

    if (c->spec->keys.split == 0) return low;
    const cairn_ir_x last = cairn_ir_use(b, f->last[1]);

    return cairn_ir_or(b, cairn_ir_lt(b, word[1], last),
                       cairn_ir_and(b, cairn_ir_eq(b, word[1], last), low));
}

static cairn_ir_x is_equal(cairn_convert *c, const found *f, const cairn_ir_x *word)
{
    cairn_ir        *b   = &c->ir;
    const cairn_ir_x low = cairn_ir_eq(b, word[0], cairn_ir_use(b, f->last[0]));

    if (c->spec->keys.split == 0) return low;
    return cairn_ir_and(b, cairn_ir_eq(b, word[1], cairn_ir_use(b, f->last[1])), low);
}

/// A part that pads may have got more values than it was built with.
static void check_room(cairn_convert *c, const found *f)
{
    cairn_ir *b = &c->ir;

    if (!c->from || !c->from->pads) return;
    cairn_ir_if(
        b, cairn_ir_eq(b, cairn_ir_use(b, f->count),
                       cairn_convert_scalar(c, CAIRN_CONVERT_capacity, "capacity")));
    cairn_ir_return(b, cairn_ir_int(b, CAIRN_CONVERT_FULL));
    cairn_ir_end(b);
}

static void pack_entry(cairn_convert *c, found *f)
{
    cairn_ir  *b     = &c->ir;
    const int  words = c->spec->keys.split ? 2 : 1;
    cairn_ir_x word[2];

    check_room(c, f);

    for (int w = 0; w < words; w++) {
        const int begin = w == 0 ? c->spec->keys.split : 0;
        const int end   = w == 0 ? c->levels : c->spec->keys.split;

        word[w] = cairn_ir_use(
            b, cairn_ir_let(b, pack_word(c, begin, end), w ? "high_word" : "word"));
    }
    cairn_convert_note(c, is_less(c, f, word), f->unsorted);
    cairn_convert_note(c, is_equal(c, f, word), f->repeated);
    for (int w = 0; w < words; w++) {
        cairn_ir_store(b, cairn_convert_words(c, w), cairn_ir_use(b, f->count),
                       word[w]);
        cairn_ir_assign(b, f->last[w], word[w]);
    }
    cairn_ir_store(b, cairn_convert_moved(c), cairn_ir_use(b, f->count),
                   cairn_ir_cast(b, CAIRN_IR_F64, c->here.value));
    cairn_ir_assign(b, f->count, cairn_ir_add_int(b, cairn_ir_use(b, f->count), 1));
}

/* ---- entries without a condition, block by block ---- */

bool cairn_convert_packs_in_blocks(const cairn_convert_spec *spec)
{
    return spec->source == CAIRN_CONVERT_ENTRIES && spec->keys.split == 0
           && !spec->members.one && !spec->along.on && !spec->rows.ordered;
}

/// Where the key of the entry at hand stands.
static cairn_ir_x place(cairn_convert *c)
{
    return cairn_ir_sub(&c->ir, c->here.turn, cairn_convert_begin(c));
}

/// Numbers of groups follow from the entry before: they wait where the keys will stand.
static void store_numbers(cairn_convert *c, cairn_ir_x begin, cairn_ir_x end)
{
    cairn_convert_visit_block(c, begin, end, false);
    cairn_convert_number_block(c);
    cairn_ir_store(&c->ir, cairn_convert_words(c, 0), place(c),
                   c->numbers.block_number);
    cairn_convert_leave(c);
}

static void store_words(cairn_convert *c, cairn_ir_x begin, cairn_ir_x end)
{
    cairn_ir *b = &c->ir;

    cairn_convert_visit_block(c, begin, end, false);
    if (c->spec->blocks.query)
        c->numbers.block_number = cairn_ir_use(
            b, cairn_ir_let(b, cairn_ir_load(b, cairn_convert_words(c, 0), place(c)),
                            "number"));
    c->narrow = cairn_convert_divides_narrowly(c->spec);
    c->counts = c->narrow && cairn_convert_divides_counts(c->spec);
    cairn_convert_indices(c, c->levels);
    c->narrow = c->counts = false;
    cairn_ir_store(b, cairn_convert_words(c, 0), place(c), pack_word(c, 0, c->levels));
    cairn_convert_leave(c);
}

static void store_values(cairn_convert *c, cairn_ir_x begin, cairn_ir_x end)
{
    cairn_convert_visit_block(c, begin, end, true);
    cairn_ir_store(&c->ir, cairn_convert_moved(c), place(c),
                   cairn_ir_cast(&c->ir, CAIRN_IR_F64, c->here.value));
    cairn_convert_leave(c);
}

static void
compare_words(cairn_convert *c, const found *f, cairn_ir_x begin, cairn_ir_x end)
{
    cairn_ir             *b      = &c->ir;
    cairn_ir_array *const words  = cairn_convert_words(c, 0);
    const cairn_ir_x      second = cairn_ir_add_int(b, cairn_convert_begin(c), 1);
    cairn_ir_stmt        *loop =
        cairn_ir_for(b, cairn_ir_max(b, begin, second), end, 1, "keys", "k");
    const cairn_ir_x at =
        cairn_ir_sub(b, cairn_ir_loop_var(b, loop), cairn_convert_begin(c));
    const cairn_ir_x last = cairn_ir_use(
        b,
        cairn_ir_let(b, cairn_ir_load(b, words, cairn_ir_add_int(b, at, -1)), "last"));
    const cairn_ir_x word =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, words, at), "word"));

    cairn_convert_note(c, cairn_ir_lt(b, word, last), f->unsorted);
    cairn_convert_note(c, cairn_ir_eq(b, word, last), f->repeated);
    cairn_ir_end(b);
}

/* What a compiler does many at a time stands in loops of its own, over as many entries as
 * stay in the first cache: words by arithmetic alone, values, comparisons. */
static void pack_blocks(cairn_convert *c, const found *f)
{
    cairn_ir  *b = &c->ir;
    cairn_ir_x begin, end;

    if (c->spec->blocks.query) cairn_convert_declare_blocks(c);
    cairn_convert_open_blocks(c, &begin, &end);
    if (c->spec->blocks.query) store_numbers(c, begin, end);
    store_words(c, begin, end);
    store_values(c, begin, end);
    compare_words(c, f, begin, end);
    cairn_ir_end(b);
    cairn_ir_assign(b, f->count,
                    cairn_ir_sub(b, cairn_convert_end(c), cairn_convert_begin(c)));
}

static void pack_entries(cairn_convert *c, found *f)
{
    cairn_ir *b = &c->ir;

    f->last[0] = cairn_ir_declare(b, cairn_ir_int(b, -1), "last");
    if (c->spec->keys.split)
        f->last[1] = cairn_ir_declare(b, cairn_ir_int(b, -1), "last_high");
    cairn_convert_visit(c, true);
    cairn_convert_indices(c, c->levels);
    pack_entry(c, f);
    cairn_convert_leave(c);
}

void cairn_convert_lower_pack(cairn_convert *c)
{
    cairn_ir *b = &c->ir;
    found     f = {
            .count    = cairn_ir_declare(b, cairn_ir_int(b, 0), "count"),
            .unsorted = cairn_ir_declare(b, cairn_ir_int(b, 0), "unsorted"),
            .repeated = cairn_ir_declare(b, cairn_ir_int(b, 0), "repeated"),
    };

    cairn_convert_read_fields(c);
    if (cairn_convert_packs_in_blocks(c->spec))
        pack_blocks(c, &f);
    else
        pack_entries(c, &f);

    cairn_ir_array *facts = cairn_convert_array(c, CAIRN_CONVERT_facts, "facts");

    cairn_ir_store(b, facts, cairn_ir_int(b, 0), cairn_ir_use(b, f.count));
    cairn_ir_store(b, facts, cairn_ir_int(b, 1), cairn_ir_use(b, f.unsorted));
    cairn_ir_store(b, facts, cairn_ir_int(b, 2), cairn_ir_use(b, f.repeated));
}

enum { AHEAD = 64 }; ///< Bytes between a prefetch and its use: a line (measured).

void cairn_convert_lower_bucket(cairn_convert *c)
{
    cairn_ir *b = &c->ir;

    cairn_convert_read_fields(c);
    const cairn_ir_x shift  = cairn_convert_scalar(c, CAIRN_CONVERT_bucket, "bucket");
    const cairn_ir_x groups = cairn_convert_scalar(c, CAIRN_CONVERT_groups, "groups");

    cairn_convert_open_shares(c);
    cairn_convert_visit(c, true);
    cairn_convert_indices(c, c->levels);

    const cairn_ir_x word =
        cairn_ir_use(b, cairn_ir_let(b, pack_word(c, 0, c->levels), "word"));
    const cairn_ir_x its = cairn_ir_use(
        b, cairn_ir_let(
               b,
               cairn_ir_add(b, cairn_ir_mul(b, c->here.thread, groups),
                            cairn_ir_binary(b, CAIRN_IR_SHIFT_RIGHT, word, shift)),
               "its"));
    cairn_ir_array *const cursor = cairn_convert_cursors(c);
    const cairn_ir_x      at =
        cairn_ir_use(b, cairn_ir_let(b, cairn_ir_load(b, cursor, its), "at"));

    cairn_ir_store(b, cursor, its, cairn_ir_add_int(b, at, 1));
    cairn_ir_prefetch(b, cairn_convert_words(c, 0), at, AHEAD, 3, true);
    cairn_ir_store(b, cairn_convert_words(c, 0), at, word);
    cairn_ir_store(b, cairn_convert_moved(c), at,
                   cairn_ir_cast(b, CAIRN_IR_F64, c->here.value));
    cairn_convert_leave(c);
    cairn_convert_close_shares(c);
}
