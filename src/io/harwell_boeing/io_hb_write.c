// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Harwell-Boeing files, written. All fields of a section have one width, and the number
/// of a field says whether a card ends with it, so any range of fields is written alone.

#include "io/harwell_boeing/io_hb.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    CHUNK = 1 << 16, ///< Bytes given to the sink at once.
    CARD  = 80,      ///< Characters of a card.
    FIELD = CARD + 1,
};

/// Fields of one width, some to a card.
typedef struct {
    int     width, repeat;
    int64_t fields; ///< Of the whole section.
} cards;

/// Text on its way to the sink.
typedef struct {
    const cairn_sink *sink;
    cards             cards;
    int64_t           field; ///< Number of the next one.
    size_t            n;
    char              text[CHUNK];
} writer;

static cairn_status flush(writer *w)
{
    const size_t n = w->n;

    w->n = 0;
    return n ? w->sink->write(w->sink->user, w->text, n) : CAIRN_OK;
}

/// Write a field, @p text at its right end.
static cairn_status put(writer *w, const char *text, size_t length)
{
    const size_t width = (size_t)w->cards.width;

    if (w->n + FIELD > CHUNK) CAIRN_TRY(flush(w));
    memset(w->text + w->n, ' ', width - length);
    memcpy(w->text + w->n + width - length, text, length);
    w->n += width;
    w->field++;
    if (w->field % w->cards.repeat == 0 || w->field == w->cards.fields)
        w->text[w->n++] = '\n';
    return CAIRN_OK;
}

static cairn_status put_integer(writer *w, int64_t number)
{
    char text[24];

    return put(w, text, cairn_print_integer(text, number));
}

static bool is_pattern(const cairn_hb_form *form)
{
    return form->type[0] == 'P';
}

/// Cards for integers up to @p most.
static cards integer_cards(int64_t most, int64_t fields)
{
    char      text[24];
    const int width = (int)cairn_print_integer(text, most) + 1;

    return (cards){.width = width, .repeat = CARD / width, .fields = fields};
}

static cards cards_of(const cairn_hb_form *form, cairn_hb_section section)
{
    if (section == CAIRN_HB_POINTERS)
        return integer_cards(form->stored + 1, form->cols + 1);
    if (section == CAIRN_HB_INDICES) return integer_cards(form->rows, form->stored);
    return (cards){CAIRN_HB_VALUE_WIDTH, CAIRN_HB_VALUE_REPEAT,
                   is_pattern(form) ? 0 : form->stored};
}

static int64_t count_cards(cards c)
{
    return c.fields / c.repeat + (c.fields % c.repeat > 0);
}

int cairn_hb_sections(const cairn_hb_form *form)
{
    return is_pattern(form) ? CAIRN_HB_VALUES : CAIRN_HB_SECTIONS;
}

cairn_status cairn_hb_write_header(const cairn_sink *sink, const cairn_hb_form *form)
{
    const cards pointers  = cards_of(form, CAIRN_HB_POINTERS),
                indices   = cards_of(form, CAIRN_HB_INDICES),
                values    = cards_of(form, CAIRN_HB_VALUES);
    const int64_t count[] = {count_cards(pointers), count_cards(indices),
                             count_cards(values)};
    char          text[5 * (CARD + 1)], format[2][CARD];

    snprintf(format[0], sizeof format[0], "(%dI%d)", pointers.repeat, pointers.width);
    snprintf(format[1], sizeof format[1], "(%dI%d)", indices.repeat, indices.width);

    const int n = snprintf(
        text, sizeof text,
        "%-72s%-8s\n%14" PRId64 "%14" PRId64 "%14" PRId64 "%14" PRId64 "%14d\n"
        "%-14s%14" PRId64 "%14" PRId64 "%14" PRId64 "%14d\n%-16s%-16s%-20s%-20s\n",
        "Written by Cairn", "CAIRN", count[0] + count[1] + count[2], count[0], count[1],
        count[2], 0, form->type, form->rows, form->cols, form->stored, 0, format[0],
        format[1], is_pattern(form) ? "" : "(3E26.16)", "");

    return sink->write(sink->user, text, (size_t)n);
}

/// Where columns begin, from 1 on.
static cairn_status write_pointers(writer *w, const cairn_hb_part *part)
{
    const cairn_entries *e = part->entries;
    cairn_pos            p = 0;

    for (cairn_coord j = part->first; j < part->last; j++) {
        CAIRN_TRY(put_integer(w, part->before + p + 1));
        while (p < e->n && e->coord[0][p] == j)
            p++;
    }
    return flush(w);
}

cairn_status cairn_hb_write_section(const cairn_sink    *sink,
                                    cairn_hb_section     section,
                                    const cairn_hb_form *form,
                                    const cairn_hb_part *part)
{
    const cairn_entries *e = part->entries;
    char                 text[32];
    writer               w = {
                      .sink  = sink,
                      .cards = cards_of(form, section),
                      .field = section == CAIRN_HB_POINTERS ? part->first : part->before,
                      .n     = 0,
    };

    if (section == CAIRN_HB_POINTERS) return write_pointers(&w, part);
    for (cairn_pos p = 0; p < e->n; p++) {
        if (section == CAIRN_HB_INDICES)
            CAIRN_TRY(put_integer(&w, e->coord[1][p] + 1));
        else
            CAIRN_TRY(put(&w, text, cairn_print_fortran(text, e->value[p])));
    }
    return flush(&w);
}
