// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The sections of Harwell-Boeing files behind the header, card by card.

#include "io/io_hb.h"

#include "io/io_number.h"
#include "io/io_refuse.h"

#include <inttypes.h>
#include <string.h>

enum { POINTERS, INDICES, VALUES, RHS };

/// A field of a card.
typedef struct {
    const char *begin, *end;
    int64_t     column; ///< Of its first character, 1-based.
} field;

static cairn_text_place at(const cairn_hb_reader *r, field f)
{
    return (cairn_text_place){
        .env = r->env, .name = r->name, .line = r->line, .column = f.column};
}

static const char *section_name(const cairn_hb_reader *r)
{
    static const char *const names[] = {"column pointers", "row indices", "values",
                                        "cards of right-hand sides"};

    return names[r->section];
}

/// Fields, or cards, that a section has.
static int64_t section_size(const cairn_hb_reader *r, int section)
{
    switch (section) {
    case POINTERS: return r->header->cols + 1;
    case INDICES: return r->header->entries;
    case VALUES:
        return r->header->field == CAIRN_FIELD_PATTERN ? 0 : r->header->entries;
    default: return r->header->rhs_cards;
    }
}

/// Go on to the section that the next card belongs to.
static void skip_full_sections(cairn_hb_reader *r)
{
    while (r->section < RHS && r->done == section_size(r, r->section)) {
        r->section++;
        r->done = 0;
    }
}

void cairn_hb_reader_init(cairn_env             *env,
                          const char            *name,
                          const cairn_hb_header *header,
                          cairn_entries         *entries,
                          cairn_hb_reader       *reader)
{
    *reader = (cairn_hb_reader){.env     = env,
                                .name    = name,
                                .header  = header,
                                .entries = entries,
                                .line    = header->lines};
}

void cairn_hb_reader_fini(cairn_hb_reader *reader)
{
    cairn_free(reader->env, reader->pointer);
    reader->pointer = NULL;
}

static cairn_status read_integer(const cairn_hb_reader *r, field f, int64_t *value)
{
    const char *const what  = r->section == POINTERS  ? "pointer"
                              : r->section == INDICES ? "row index"
                                                      : "value";
    const int         error = cairn_fortran_integer(f.begin, f.end, value);

    return error ? cairn_refuse_integer(at(r, f), what, f.begin, f.end, error)
                 : CAIRN_OK;
}

/// By half: the file's bytes are the bound, not its header.
static cairn_status grow_pointers(cairn_hb_reader *r)
{
    const int64_t want = r->capacity + r->capacity / 2 + 64;

    if (r->pointers < r->capacity) return CAIRN_OK;
    CAIRN_TRY(cairn_check_memory(r->env, "column pointers",
                                 (__int128)want * (__int128)sizeof *r->pointer));
    CAIRN_TRY(
        cairn_realloc(r->env, want, sizeof *r->pointer, (void **)(void *)&r->pointer));
    r->capacity = want;
    return CAIRN_OK;
}

static cairn_status take_pointer(cairn_hb_reader *r, field f)
{
    const int64_t past  = r->header->entries;
    const int64_t least = r->pointers ? r->pointer[r->pointers - 1] : 0;
    int64_t       value;

    CAIRN_TRY(read_integer(r, f, &value));
    if (r->pointers == 0 && value != 1)
        return cairn_refuse(at(r, f), CAIRN_BAD_FILE,
                            "the first column pointer is %" PRId64 ", not 1", value);
    if (value - 1 < least)
        return cairn_refuse(at(r, f), CAIRN_BAD_FILE,
                            "column pointer %" PRId64
                            " is below the one before, %" PRId64,
                            value, least + 1);
    if (value - 1 > past)
        return cairn_refuse(at(r, f), CAIRN_BAD_FILE,
                            "column pointer %" PRId64 " is beyond the %" PRId64
                            " entries",
                            value, past);
    if (r->pointers == r->header->cols && value - 1 != past)
        return cairn_refuse(at(r, f), CAIRN_BAD_FILE,
                            "the last column pointer is %" PRId64
                            ", but there are %" PRId64 " entries",
                            value, past);
    CAIRN_TRY(grow_pointers(r));
    r->pointer[r->pointers++] = value - 1;
    return CAIRN_OK;
}

/// Entries are added with the value of a pattern, mirror images right after them.
static cairn_status take_index(cairn_hb_reader *r, field f)
{
    int64_t i;

    CAIRN_TRY(read_integer(r, f, &i));
    if (i < 1 || i > r->header->rows)
        return cairn_refuse(at(r, f), CAIRN_BAD_FILE,
                            "row index %" PRId64 " is outside 1..%" PRId64, i,
                            r->header->rows);
    i--;
    while (r->pointer[r->column + 1] <= r->done)
        r->column++;

    const cairn_coord j = r->column;

    if (!cairn_may_store(r->header->symmetry, i, j))
        return cairn_refuse_entry(at(r, f), r->header->symmetry_word, i, j);
    CAIRN_TRY(cairn_entries_add(r->env, r->entries, (cairn_coord[]){i, j}, 1.0));
    if (r->header->symmetry == CAIRN_SYM_GENERAL || i == j) return CAIRN_OK;
    return cairn_entries_add(r->env, r->entries, (cairn_coord[]){j, i}, 1.0);
}

static cairn_status read_value(const cairn_hb_reader *r, field f, double *value)
{
    int64_t integer;

    if (r->header->values.kind == 'I') {
        CAIRN_TRY(read_integer(r, f, &integer));
        *value = (double)integer;
        return CAIRN_OK;
    }

    const int error = cairn_fortran_real(&r->header->values, f.begin, f.end, value);

    return error ? cairn_refuse_double(at(r, f), f.begin, f.end, error) : CAIRN_OK;
}

/// The next entry's value, and its mirror image's.
static cairn_status take_value(cairn_hb_reader *r, field f)
{
    const cairn_entries *e = r->entries;
    const cairn_pos      p = r->filled++;
    double               value;

    CAIRN_TRY(read_value(r, f, &value));
    e->value[p] = value;
    if (r->header->symmetry == CAIRN_SYM_GENERAL || e->coord[0][p] == e->coord[1][p])
        return CAIRN_OK;
    e->value[r->filled++] = r->header->symmetry == CAIRN_SYM_SKEW ? -value : value;
    return CAIRN_OK;
}

static cairn_status take_field(cairn_hb_reader *r, field f)
{
    if (cairn_skip_blanks(f.begin, f.end) == f.end)
        return cairn_refuse(at(r, f), CAIRN_BAD_FILE,
                            "blank, but %" PRId64 " of %" PRId64 " %s are missing",
                            section_size(r, r->section) - r->done,
                            section_size(r, r->section), section_name(r));
    switch (r->section) {
    case POINTERS: return take_pointer(r, f);
    case INDICES: return take_index(r, f);
    default: return take_value(r, f);
    }
}

/// Nothing may stand behind the last field that counts.
static cairn_status check_rest(const cairn_hb_reader *r, field f)
{
    char text[48];

    while (f.begin < f.end && cairn_is_blank(*f.begin))
        f.begin++, f.column++;
    if (f.begin == f.end) return CAIRN_OK;
    return cairn_refuse(at(r, f), CAIRN_BAD_FILE, "'%s' follows the last %s",
                        cairn_print_token(f.begin, f.end, text),
                        r->section < RHS ? "field of the card" : "data of the file");
}

/// A card of fixed fields.
static cairn_status read_card(cairn_hb_reader            *r,
                              const cairn_fortran_format *format,
                              const char                 *begin,
                              const char                 *end)
{
    const int64_t left = section_size(r, r->section) - r->done;
    const int64_t n    = left < format->repeat ? left : format->repeat;
    field         f    = {.begin = begin, .column = 1};

    for (int64_t k = 0; k < n; k++) {
        f.end = end - f.begin < format->width ? end : f.begin + format->width;
        CAIRN_TRY(take_field(r, f));
        r->done++;
        f.begin = f.end;
        f.column += format->width;
    }
    f.end = end;
    return check_rest(r, f);
}

static cairn_status read_line(cairn_hb_reader *r, const char *begin, const char *end)
{
    const cairn_fortran_format *const formats[] = {
        &r->header->pointers, &r->header->indices, &r->header->values};

    skip_full_sections(r);
    if (r->section < RHS) return read_card(r, formats[r->section], begin, end);
    if (memchr(begin, '\0', (size_t)(end - begin)))
        return cairn_refuse(at(r, (field){.column = 1}), CAIRN_BAD_FILE,
                            "a NUL byte: this is not text");
    if (r->done < r->header->rhs_cards) {
        r->done++;
        return CAIRN_OK;
    }
    return check_rest(r, (field){begin, end, 1});
}

cairn_status
cairn_hb_read_lines(cairn_hb_reader *reader, const char *begin, const char *end)
{
    for (const char *p = begin; p < end;) {
        const char *const newline = memchr(p, '\n', (size_t)(end - p));
        const char *const stop    = newline ? newline : end;

        reader->line++;
        CAIRN_TRY(read_line(reader, p, stop));
        p = newline ? newline + 1 : end;
    }
    return CAIRN_OK;
}

cairn_status cairn_hb_reader_end(cairn_hb_reader *reader)
{
    skip_full_sections(reader);

    const int64_t size = section_size(reader, reader->section);

    CAIRN_CHECK(reader->done == size, reader->env, CAIRN_BAD_FILE,
                "read: %s: line %" PRId64 ": the file ends early: %" PRId64
                " of %" PRId64 " %s are missing",
                reader->name, reader->line, size - reader->done, size,
                section_name(reader));
    return CAIRN_OK;
}
