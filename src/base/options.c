// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The options table, and the nearest name for a mistyped one.

#include "base/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

#define PREFIX "CAIRN_"

enum { BYTES, COUNT, TEXT };

typedef struct {
    cairn_option_row row;
    int              type;
    size_t           offset, size;
} option;

/* In pieces of one line each: clang-format breaks a longer macro of braces in two. */
#define ROW(variable, standard, help)   \
    {                                   \
        PREFIX variable, standard, help \
    }
#define PLACE(field) offsetof(cairn_options, field), sizeof((cairn_options *)0)->field

static const option table[] = {
#define X(field, type, name, standard, help) \
    {ROW(name, standard, help), type, PLACE(field)},
    CAIRN_OPTION_MAP(X)
#undef X
};

enum { OPTIONS = sizeof table / sizeof table[0] };

static const cairn_option_row rows[] = {
#define X(field, type, variable, standard, help) {PREFIX variable, standard, help},
    CAIRN_OPTION_MAP(X)
#undef X
};

void cairn_options_init(cairn_options *options)
{
    memset(options, 0, sizeof *options);
}

const cairn_option_row *cairn_options_rows(int *count)
{
    *count = OPTIONS;
    return rows;
}

int cairn_parse_bytes(const char *text, int64_t *bytes)
{
    static const char units[] = "kMGT";
    char             *end;
    int64_t           scale = 1;

    if (text[0] < '0' || text[0] > '9') return -1;
    errno                 = 0;
    const long long value = strtoll(text, &end, 10);
    const char     *unit  = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;

    if (errno) return -1;
    if (unit) {
        const int64_t step = end[1] == 'i' ? 1024 : 1000;

        for (const char *u = units; u <= unit; u++)
            scale *= step;
        end += end[1] == 'i' ? 2 : 1;
    }
    if (*end) return -1;
    return __builtin_mul_overflow((int64_t)value, scale, bytes) ? -1 : 0;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/// Levenshtein distance, words cut at 63 letters.
static size_t edit_distance(const char *a, const char *b)
{
    size_t       row[64];
    const size_t n = smaller(strlen(a), 63), m = smaller(strlen(b), 63);

    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t change = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j]   = smaller(change, smaller(row[j], row[j - 1]) + 1);
        }
    }
    return row[m];
}

const char *cairn_nearest(const char *word, const char *const *names)
{
    const char *best     = NULL;
    size_t      distance = strlen(word) / 2 + 1;

    for (; *names; names++) {
        const size_t d = edit_distance(word, *names);

        if (d < distance) best = *names, distance = d;
    }
    return best;
}

/// A count of things: digits alone, from 1 to a million.
static int parse_count(const char *text, int64_t *count)
{
    int64_t value = 0;

    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || value > 1000000) return -1;
        value = 10 * value + (*c - '0');
    }
    if (value < 1 || value > 1000000) return -1;
    *count = value;
    return 0;
}

static int set_option(const option *o, cairn_options *options, const char *value)
{
    char *field = (char *)options + o->offset;

    if (o->type == TEXT) {
        if (strlen(value) >= o->size) return -1;
        strcpy(field, value);
        return 0;
    }
    if (o->type == COUNT) return parse_count(value, (int64_t *)field);
    if (cairn_parse_bytes(value, (int64_t *)field) != 0) return -1;
    return *(const int64_t *)field > 0 ? 0 : -1; /* 0 would mean: not set */
}

static int unknown_option(const char *name, char *why, size_t why_size)
{
    const char *names[OPTIONS + 1];

    for (int k = 0; k < OPTIONS; k++)
        names[k] = table[k].row.variable;
    names[OPTIONS]      = NULL;
    const char *nearest = cairn_nearest(name, names);

    snprintf(why, why_size, "option: %s: no such variable%s%s%s", name,
             nearest ? "; did you mean " : "", nearest ? nearest : "",
             nearest ? "?" : " (cairn --options lists them)");
    return -1;
}

int cairn_options_read(cairn_options *options, char *why, size_t why_size)
{
    cairn_options read = *options;

    for (char **e = environ; *e; e++) {
        const char *equals = strchr(*e, '=');
        char        name[128];
        int         k = 0;

        if (strncmp(*e, PREFIX, strlen(PREFIX)) != 0 || !equals) continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - *e), *e);
        while (k < OPTIONS && strcmp(name, table[k].row.variable) != 0)
            k++;
        if (k == OPTIONS) return unknown_option(name, why, why_size);
        if (set_option(&table[k], &read, equals + 1) != 0) {
            snprintf(why, why_size, "option: %s: '%.200s' is not a value for it", name,
                     equals + 1);
            return -1;
        }
    }
    *options = read;
    return 0;
}
