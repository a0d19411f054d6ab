// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The options table, and the nearest name for a mistyped one.

#include "base/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

#define PREFIX "CAIRN_"

enum {
    BYTES,
    COUNT,
    THREADS,
    TEXT,
    STORE,
    WAY,
    TEAM,
    LOWERING,
    REGISTER,
    RATES,
    HALO,
    SECONDS,
};

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

/// A count of things: digits alone, from 1 to 10^15, which a double holds exactly.
static int parse_count(const char *text, int64_t *count)
{
    const int64_t most  = 1000000000000000;
    int64_t       value = 0;

    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || value > most) return -1;
        value = 10 * value + (*c - '0');
    }
    if (value < 1 || value > most) return -1;
    *count = value;
    return 0;
}

int cairn_parse_seconds(const char *text, double *seconds)
{
    double value = 0, unit = 1;

    if (text[0] < '0' || text[0] > '9') return -1;
    while (*text >= '0' && *text <= '9' && value <= 1e9)
        value = 10 * value + (*text++ - '0');
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++)
            value += (unit /= 10) * (*text - '0');
    if (*text || value > 1e9) return -1;
    *seconds = value;
    return 0;
}

/// Seconds as the user gave them.
static int set_seconds(const char *text, cairn_option_seconds *option)
{
    if (cairn_parse_seconds(text, &option->seconds) != 0) return -1;
    option->set = true;
    return 0;
}

/// The place of a word among @p names (NULL-terminated).
static int parse_word(const char *text, const char *const *names, int64_t *place)
{
    for (int k = 0; names[k]; k++) {
        if (strcmp(text, names[k]) != 0) continue;
        *place = k;
        return 0;
    }
    return -1;
}

/// Each by its name.
static const char *const kernels_ways[]     = {[CAIRN_KERNELS_AUTO]      = "auto",
                                               [CAIRN_KERNELS_COMPILED]  = "compiled",
                                               [CAIRN_KERNELS_REFERENCE] = "reference",
                                               NULL};
static const char *const team_ways[]        = {[CAIRN_TEAM_AUTO]   = "auto",
                                               [CAIRN_TEAM_SHARES] = "shares",
                                               [CAIRN_TEAM_PIECES] = "pieces",
                                               NULL};
static const char *const opencl_lowerings[] = {[CAIRN_OPENCL_AUTO]  = "auto",
                                               [CAIRN_OPENCL_TURNS] = "turns",
                                               [CAIRN_OPENCL_GRID]  = "grid",
                                               NULL};
static const char *const register_ways[] =
    {[CAIRN_CUDA_REGISTER_AUTO] = "auto", [CAIRN_CUDA_REGISTER_NEVER] = "never", NULL};
static const char *const rates_ways[] =
    {[CAIRN_RATES_LEARNED] = "learned", [CAIRN_RATES_SHIPPED] = "shipped", NULL};
static const char *const exchange_ways[] = {
    [CAIRN_EXCHANGE_AUTO] = "auto",     [CAIRN_EXCHANGE_PERSISTENT] = "persistent",
    [CAIRN_EXCHANGE_ANEW] = "anew",     [CAIRN_EXCHANGE_COLLECTIVE] = "collective",
    [CAIRN_EXCHANGE_SHARED] = "shared", NULL};

const char *cairn_exchange_way_name(cairn_exchange_way way)
{
    return exchange_ways[way];
}

/// Is it a word for "do not keep anything", or for its opposite, rather than a path? Only
/// "none" is one that means something; the others would make files of that name.
static bool is_switch(const char *value)
{
    static const char *const words[] = {"0",   "1",    "off",   "on",  "no",
                                        "yes", "none", "false", "true"};

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strcasecmp(value, words[k]) == 0) return strcmp(value, "none") != 0;
    return false;
}

static int set_option(const option *o, cairn_options *options, const char *value)
{
    char *field = (char *)options + o->offset;

    if (o->type == STORE && is_switch(value)) return -1;
    if (o->type == TEXT || o->type == STORE) {
        if (strlen(value) >= o->size) return -1;
        strcpy(field, value);
        return 0;
    }
    if (o->type == WAY) return parse_word(value, kernels_ways, (int64_t *)field);
    if (o->type == LOWERING)
        return parse_word(value, opencl_lowerings, (int64_t *)field);
    if (o->type == REGISTER) return parse_word(value, register_ways, (int64_t *)field);
    if (o->type == TEAM) return parse_word(value, team_ways, (int64_t *)field);
    if (o->type == RATES) return parse_word(value, rates_ways, (int64_t *)field);
    if (o->type == HALO) return parse_word(value, exchange_ways, (int64_t *)field);
    if (o->type == SECONDS) return set_seconds(value, (cairn_option_seconds *)field);
    if (o->type == COUNT) return parse_count(value, (int64_t *)field);
    if (o->type == THREADS)
        return parse_count(value, (int64_t *)field) == 0
                       && *(const int64_t *)field <= cairn_threads_most()
                   ? 0
                   : -1;
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

static void refuse_value(const option *o,
                         const char   *name,
                         const char   *value,
                         char         *why,
                         size_t        why_size)
{
    const int n = snprintf(why, why_size, "option: %s: '%.200s' is not a value for it",
                           name, value);

    if (n < 0 || (size_t)n >= why_size) return;
    why += n, why_size -= (size_t)n;
    if (o->type == STORE && is_switch(value))
        snprintf(why, why_size, "; none: nothing is kept; a path of that name: ./%s",
                 value);
    if (o->type == THREADS)
        snprintf(why, why_size, ", which is 1 to 4 times the processors, %" PRId64,
                 cairn_threads_most());
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
            refuse_value(&table[k], name, equals + 1, why, why_size);
            return -1;
        }
    }
    *options = read;
    return 0;
}

/// A variable that is set to something, else NULL.
static const char *set_variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

const char *cairn_foreign_variable(const char *name)
{
    return set_variable(name);
}

static bool print_path(char *path, const char *folder, const char *name)
{
    const int n = snprintf(path, CAIRN_OPTION_PATH, "%s/%s", folder, name);

    return n < CAIRN_OPTION_PATH;
}

bool cairn_options_cache(const cairn_options *options, char *folder)
{
    const char *base = set_variable("XDG_CACHE_HOME"), *home = set_variable("HOME");

    if (strcmp(options->cache, "none") == 0) return false;
    if (options->cache[0]) {
        strcpy(folder, options->cache);
        return true;
    }
    if (base && base[0] == '/') return print_path(folder, base, "cairn");
    return home && print_path(folder, home, ".cache/cairn");
}

/// @return 0: it is a program; ENOENT, or another errno: it is not there; EACCES: it may not
/// be executed.
static int try_program(const char *path)
{
    struct stat about;

    if (stat(path, &about) != 0) return errno;
    return S_ISREG(about.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

int cairn_locate_program(const char *name, char *path)
{
    const char *folder = set_variable("PATH");
    int         why    = ENOENT;

    if (strchr(name, '/')) {
        if (strlen(name) >= CAIRN_OPTION_PATH) return ENAMETOOLONG;
        strcpy(path, name);
        return try_program(name);
    }
    while (folder && *folder) {
        const int length = (int)strcspn(folder, ":");
        const int n =
            snprintf(path, CAIRN_OPTION_PATH, "%.*s/%s", length, folder, name);
        struct stat about;

        if (folder[0] == '/' && n < CAIRN_OPTION_PATH) {
            if (try_program(path) == 0) return 0;
            /* A folder that may not be looked into has nothing to say of it. */
            if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) why = EACCES;
        }
        folder += length + (folder[length] == ':');
    }
    return why;
}

bool cairn_find_program(const char *name, char *path)
{
    return cairn_locate_program(name, path) == 0;
}

int64_t cairn_threads_most(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return 4 * (processors > 0 ? processors : 1);
}

bool cairn_threads_are_set(void)
{
    return set_variable("OMP_NUM_THREADS") != NULL;
}

const char *cairn_temporary_folder(void)
{
    const char *folder = set_variable("TMPDIR");

    return folder ? folder : "/tmp";
}

/// Whether one of @p changes sets the variable of @p entry.
static bool is_changed(const char *entry, const char *const *changes)
{
    const size_t name = strcspn(entry, "=") + 1;

    for (; *changes; changes++)
        if (strncmp(entry, *changes, name) == 0) return true;
    return false;
}

size_t cairn_environment(const char *const *changes, char **list, size_t capacity)
{
    size_t n = 0;

    for (char **e = environ; *e; e++) {
        if (is_changed(*e, changes)) continue;
        if (n < capacity) list[n] = *e;
        n++;
    }
    for (; *changes; changes++, n++)
        if (n < capacity) list[n] = (char *)*changes;
    if (n < capacity) list[n] = NULL;
    return n + 1;
}
