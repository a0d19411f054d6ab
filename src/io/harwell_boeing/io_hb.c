// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The sections of Harwell-Boeing files behind the header, card by card, and the entries
/// that they are together.

#include "io/harwell_boeing/io_hb.h"

#include "io/text/io_number.h"
#include "io/text/io_refuse.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/// Cards being read.
typedef struct {
    cairn_env             *env;
    const char            *name;
    const cairn_hb_header *header;
    cairn_hb_cards        *cards;
    int64_t                line; ///< Number of the current card's line.
} reader;

/// A field of a card.
typedef struct {
    const char *begin, *end;
    int64_t     column; ///< Of its first character, 1-based.
} field;

static cairn_text_place at(const reader *r, field f)
{
    return (cairn_text_place){
        .env = r->env, .name = r->name, .line = r->line, .column = f.column};
}

static const char *section_name(int section)
{
    static const char *const names[] = {"column pointers", "row indices", "values",
                                        "cards of right-hand sides"};

    return names[section];
}

static const cairn_fortran_format *section_format(const cairn_hb_header *header,
                                                  int                    section)
{
    const cairn_fortran_format *const formats[] = {&header->pointers, &header->indices,
                                                   &header->values};

    return formats[section];
}

/// Fields, or cards of right-hand sides, that a section has.
static int64_t section_size(const cairn_hb_header *header, int section)
{
    switch (section) {
    case CAIRN_HB_POINTERS: return header->cols + 1;
    case CAIRN_HB_INDICES: return header->entries;
    case CAIRN_HB_VALUES:
        return header->field == CAIRN_FIELD_PATTERN ? 0 : header->entries;
    default: return header->rhs_cards;
    }
}

static int64_t section_cards(const cairn_hb_header *header, int section)
{
    const int64_t size   = section_size(header, section);
    const int64_t repeat = size ? section_format(header, section)->repeat : 1;

    return size / repeat + (size % repeat != 0);
}

/// The section that a card behind the header belongs to.
///
/// @param[in,out] card  Counted from 0, behind the header; then within the section, and
///                      behind the end in the last one.
static int find_section(const cairn_hb_header *header, int64_t *card)
{
    for (int s = 0; s < CAIRN_HB_SECTIONS; s++) {
        const int64_t cards = section_cards(header, s);

        if (*card < cards) return s;
        *card -= cards;
    }
    return CAIRN_HB_SECTIONS;
}

/// Where field @p k of a section stands.
static cairn_text_place place_of(cairn_env             *env,
                                 const char            *name,
                                 const cairn_hb_header *header,
                                 int                    section,
                                 int64_t                k)
{
    int64_t line = header->lines + 1;

    for (int s = 0; s < section; s++)
        line += section_cards(header, s);

    const cairn_fortran_format *const format = section_format(header, section);

    return (cairn_text_place){.env    = env,
                              .name   = name,
                              .line   = line + k / format->repeat,
                              .column = 1 + k % format->repeat * format->width};
}

void cairn_hb_cards_fini(cairn_env *env, cairn_hb_cards *cards)
{
    cairn_free(env, cards->pointer);
    cairn_free(env, cards->index);
    cairn_free(env, cards->value);
    *cards = (cairn_hb_cards){.pointer = NULL};
}

static void **section_array(cairn_hb_cards *cards, int section)
{
    switch (section) {
    case CAIRN_HB_POINTERS: return (void **)(void *)&cards->pointer;
    case CAIRN_HB_INDICES: return (void **)(void *)&cards->index;
    default: return (void **)(void *)&cards->value;
    }
}

/// Make room for the @p n fields of a card from field @p k on: by half, since the file's
/// bytes are the bound, not its header.
static cairn_status make_room(const reader *r, int section, int64_t k, int64_t n)
{
    cairn_hb_span *const span = &r->cards->span[section];
    const int64_t        want = span->capacity + span->capacity / 2 + 64 + n;

    if (span->count == 0) span->first = k;
    assert(k == span->first + span->count);
    if (span->count + n <= span->capacity) return CAIRN_OK;
    CAIRN_TRY(cairn_check_memory(r->env, section_name(section), (__int128)want * 8));
    CAIRN_TRY(cairn_realloc(r->env, want, 8, section_array(r->cards, section)));
    span->capacity = want;
    return CAIRN_OK;
}

static cairn_status
read_integer(const reader *r, field f, const char *what, int64_t *value)
{
    const int error = cairn_fortran_integer(f.begin, f.end, value);

    return error ? cairn_refuse_integer(at(r, f), what, f.begin, f.end, error)
                 : CAIRN_OK;
}

static cairn_status read_index(const reader *r, field f, cairn_coord *index)
{
    int64_t i;

    CAIRN_TRY(read_integer(r, f, "row index", &i));
    if (i < 1 || i > r->header->rows)
        return cairn_refuse(at(r, f), CAIRN_BAD_FILE,
                            "row index %" PRId64 " is outside 1..%" PRId64, i,
                            r->header->rows);
    *index = i - 1;
    return CAIRN_OK;
}

static cairn_status read_value(const reader *r, field f, double *value)
{
    const cairn_fortran_format *const format = &r->header->values;
    int64_t                           integer;

    if (format->kind == 'I') {
        CAIRN_TRY(read_integer(r, f, "value", &integer));
        *value = (double)integer;
        return CAIRN_OK;
    }

    const int error = cairn_fortran_real(format, f.begin, f.end, value);

    return error ? cairn_refuse_double(at(r, f), f.begin, f.end, error) : CAIRN_OK;
}

/// Read field @p k of a section, for which there is room.
static cairn_status read_field(const reader *r, int section, int64_t k, field f)
{
    cairn_hb_cards *const cards = r->cards;
    const int64_t         size  = section_size(r->header, section);
    const int64_t         q     = cards->span[section].count;

    if (cairn_skip_blanks(f.begin, f.end) == f.end)
        return cairn_refuse(at(r, f), CAIRN_BAD_FILE,
                            "blank, but %" PRId64 " of %" PRId64 " %s are missing",
                            size - k, size, section_name(section));
    switch (section) {
    case CAIRN_HB_POINTERS:
        CAIRN_TRY(read_integer(r, f, "pointer", &cards->pointer[q]));
        break;
    case CAIRN_HB_INDICES: CAIRN_TRY(read_index(r, f, &cards->index[q])); break;
    default: CAIRN_TRY(read_value(r, f, &cards->value[q]));
    }
    cards->span[section].count++;
    return CAIRN_OK;
}

/// Nothing may stand behind the last field that counts.
static cairn_status check_rest(const reader *r, field f, const char *last)
{
    char text[48];

    while (f.begin < f.end && cairn_is_blank(*f.begin))
        f.begin++, f.column++;
    if (f.begin == f.end) return CAIRN_OK;
    return cairn_refuse(at(r, f), CAIRN_BAD_FILE, "'%s' follows the last %s",
                        cairn_print_token(f.begin, f.end, text), last);
}

/// A card of fixed fields, number @p card of its section.
static cairn_status read_fields(const reader *r,
                                int           section,
                                int64_t       card,
                                const char   *begin,
                                const char   *end)
{
    const cairn_fortran_format *const format = section_format(r->header, section);
    const int64_t                     first  = card * format->repeat;
    const int64_t                     left   = section_size(r->header, section) - first;
    const int64_t                     n = left < format->repeat ? left : format->repeat;
    field                             f = {.begin = begin, .column = 1};

    CAIRN_TRY(make_room(r, section, first, n));
    for (int64_t k = first; k < first + n; k++) {
        f.end = end - f.begin < format->width ? end : f.begin + format->width;
        CAIRN_TRY(read_field(r, section, k, f));
        f.begin = f.end;
        f.column += format->width;
    }
    f.end = end;
    return check_rest(r, f, "field of the card");
}

static cairn_status read_line(const reader *r, const char *begin, const char *end)
{
    int64_t   card    = r->line - r->header->lines - 1;
    const int section = find_section(r->header, &card);

    if (section < CAIRN_HB_SECTIONS) return read_fields(r, section, card, begin, end);
    if (memchr(begin, '\0', (size_t)(end - begin)))
        return cairn_refuse(at(r, (field){.column = 1}), CAIRN_BAD_FILE,
                            "a NUL byte: this is not text");
    if (card < r->header->rhs_cards) return CAIRN_OK;
    return check_rest(r, (field){begin, end, 1}, "data of the file");
}

cairn_status cairn_hb_read_cards(cairn_env             *env,
                                 const char            *name,
                                 const cairn_hb_header *header,
                                 const char            *begin,
                                 const char            *end,
                                 cairn_text_range      *place,
                                 cairn_hb_cards        *cards)
{
    reader r = {env, name, header, cards, place->first_line};

    for (const char *p = begin; p < end; r.line++) {
        const char *const newline = memchr(p, '\n', (size_t)(end - p));
        const char *const stop    = newline ? newline : end;

        CAIRN_TRY(read_line(&r, p, stop));
        p = newline ? newline + 1 : end;
    }
    place->lines = place->found = r.line - place->first_line;
    return CAIRN_OK;
}

cairn_status cairn_hb_check_end(cairn_env             *env,
                                const char            *name,
                                const cairn_hb_header *header,
                                int64_t                lines)
{
    int64_t       card    = lines;
    const int     section = find_section(header, &card);
    const int64_t size    = section_size(header, section);
    const int64_t done =
        card
        * (section < CAIRN_HB_SECTIONS ? section_format(header, section)->repeat : 1);

    CAIRN_CHECK(done >= size, env, CAIRN_BAD_FILE,
                "read: %s: line %" PRId64 ": the file ends early: %" PRId64
                " of %" PRId64 " %s are missing",
                name, header->lines + lines, size - done, size, section_name(section));
    return CAIRN_OK;
}

cairn_status cairn_hb_check_pointers(cairn_env             *env,
                                     const char            *name,
                                     const cairn_hb_header *header,
                                     const cairn_hb_cards  *cards,
                                     int64_t                before)
{
    const cairn_hb_span span = cards->span[CAIRN_HB_POINTERS];
    const int64_t       past = header->entries + 1;

    for (int64_t k = 0; k < span.count; k++) {
        const int64_t value = cards->pointer[k], number = span.first + k;
        const int64_t least = number == 0 ? 1 : k ? cards->pointer[k - 1] : before;
        const cairn_text_place here =
            place_of(env, name, header, CAIRN_HB_POINTERS, number);

        if (number == 0 && value != 1)
            return cairn_refuse(here, CAIRN_BAD_FILE,
                                "the first column pointer is %" PRId64 ", not 1",
                                value);
        if (value < least)
            return cairn_refuse(here, CAIRN_BAD_FILE,
                                "column pointer %" PRId64
                                " is below the one before, %" PRId64,
                                value, least);
        if (value > past)
            return cairn_refuse(here, CAIRN_BAD_FILE,
                                "column pointer %" PRId64 " is beyond the %" PRId64
                                " entries",
                                value, header->entries);
        if (number == header->cols && value != past)
            return cairn_refuse(here, CAIRN_BAD_FILE,
                                "the last column pointer is %" PRId64
                                ", but there are %" PRId64 " entries",
                                value, header->entries);
    }
    return CAIRN_OK;
}

int64_t cairn_hb_pointers_to(const cairn_hb_cards *cards, cairn_pos entry)
{
    int64_t low = 0, high = cards->span[CAIRN_HB_POINTERS].count;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (cards->pointer[middle] - 1 <= entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t cairn_hb_steps(const cairn_hb_cards *cards,
                       cairn_pos             from,
                       cairn_pos             to,
                       cairn_hb_step        *steps)
{
    const int64_t end  = cairn_hb_pointers_to(cards, to - 1);
    int64_t       n    = 0;
    cairn_pos     last = from;

    for (int64_t k = cairn_hb_pointers_to(cards, from); k < end; k++) {
        const cairn_pos entry = cards->pointer[k] - 1;

        if (entry != last && steps) steps[n] = (cairn_hb_step){entry, 0};
        n += entry != last;
        if (steps) steps[n - 1].columns++;
        last = entry;
    }
    return n;
}

/// Give entries their columns, and count those that have a mirror image.
static cairn_status set_columns(cairn_env              *env,
                                const char             *name,
                                const cairn_hb_header  *header,
                                const cairn_hb_columns *columns,
                                cairn_entries          *entries,
                                cairn_pos              *mirrored)
{
    cairn_coord j = columns->column;
    int64_t     s = 0;

    *mirrored = 0;
    for (cairn_pos p = 0; p < entries->n; p++) {
        const cairn_pos   number = columns->first + p;
        const cairn_coord i      = entries->coord[0][p];

        for (; s < columns->steps && columns->step[s].entry <= number; s++)
            j += columns->step[s].columns;
        if (!cairn_may_store(header->symmetry, i, j))
            return cairn_refuse_entry(
                place_of(env, name, header, CAIRN_HB_INDICES, number),
                header->symmetry_word, i, j);
        entries->coord[1][p] = j;
        *mirrored += i != j;
    }
    return CAIRN_OK;
}

/// From the last entry on, so that what is written is never what is still to be read.
static void add_mirror_images(cairn_entries *e, cairn_pos mirrored, double sign)
{
    cairn_pos to = e->n + mirrored;

    for (cairn_pos p = e->n; p-- > 0;) {
        const cairn_coord i = e->coord[0][p], j = e->coord[1][p];
        const double      value = e->value[p];

        if (i != j) {
            e->coord[0][--to] = j;
            e->coord[1][to]   = i;
            e->value[to]      = sign * value;
        }
        e->coord[0][--to] = i;
        e->coord[1][to]   = j;
        e->value[to]      = value;
    }
    assert(to == 0);
    e->n += mirrored;
}

cairn_status cairn_hb_complete(cairn_env              *env,
                               const char             *name,
                               const cairn_hb_header  *header,
                               const cairn_hb_columns *columns,
                               cairn_entries          *entries)
{
    const bool general = header->symmetry == CAIRN_SYM_GENERAL;
    const bool pattern = header->field == CAIRN_FIELD_PATTERN;
    const bool negated = header->symmetry == CAIRN_SYM_SKEW && !pattern;
    cairn_pos  mirrored;

    CAIRN_TRY(cairn_entries_reserve(env, entries, entries->n));
    if (pattern)
        for (cairn_pos p = 0; p < entries->n; p++)
            entries->value[p] = 1.0;
    CAIRN_TRY(set_columns(env, name, header, columns, entries, &mirrored));
    if (general || mirrored == 0) return CAIRN_OK;
    CAIRN_TRY(cairn_entries_reserve(env, entries, entries->n + mirrored));
    add_mirror_images(entries, mirrored, negated ? -1.0 : 1.0);
    return CAIRN_OK;
}
