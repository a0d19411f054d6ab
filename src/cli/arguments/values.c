// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Texts into numbers and choices. Numbers are digits alone: no blanks, no plus, no
/// hex, so that a slip of the hand is told and not guessed at.

#include "cli/arguments/values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CHOICES 32

static cairn_status
refuse(cli_job *job, cli_option_id id, const char *text, const char *why)
{
    return cli_fail(job, CAIRN_BAD_OPTION, "option: --%s: '%s' %s",
                    cli_option_row(id)->name, text, why);
}

/// Does a whole number start here?
static bool is_integer(const char *text)
{
    if (*text == '-') text++;
    return *text >= '0' && *text <= '9';
}

/// Read a whole number up to @p end, which must be one of @p ends or the text's; NULL:
/// anything may follow.
static cairn_status parse_integer(cli_job      *job,
                                  cli_option_id id,
                                  const char   *text,
                                  const char   *ends,
                                  char        **end,
                                  int64_t      *value)
{
    if (!is_integer(text)) return refuse(job, id, text, "is no whole number");
    errno               = 0;
    const long long got = strtoll(text, end, 10);

    if (errno) return refuse(job, id, text, "is beyond 64 bits");
    if (ends && !strchr(ends, **end))
        return refuse(job, id, text, "is no whole number");
    *value = got;
    return CAIRN_OK;
}

cairn_status cli_check_candidates(cli_job *job, bool chooses, const char *how)
{
    if (chooses || !cli_given(job, CLI_CANDIDATES)) return CAIRN_OK;
    return cli_fail(job, CAIRN_BAD_OPTION,
                    "option: --candidates: only with %s is a format chosen", how);
}

cairn_status cli_integer(cli_job *job, cli_option_id id, int64_t least, int64_t *value)
{
    const char *text = cli_text(job, id);
    char       *end;
    int64_t     got;

    if (!text) return CAIRN_OK;
    CLI_TRY(parse_integer(job, id, text, "", &end, &got));
    if (got < least)
        return cli_fail(job, CAIRN_BAD_OPTION,
                        "option: --%s: %" PRId64 " is less than %" PRId64,
                        cli_option_row(id)->name, got, least);
    *value = got;
    return CAIRN_OK;
}

cairn_status cli_unsigned(cli_job *job, cli_option_id id, uint64_t *value)
{
    const char *text = cli_text(job, id);
    char       *end;

    if (!text) return CAIRN_OK;
    if (*text == '-' || !is_integer(text))
        return refuse(job, id, text, "is no whole number of 0 or more");
    errno                        = 0;
    const unsigned long long got = strtoull(text, &end, 10);

    if (errno) return refuse(job, id, text, "is beyond 64 bits");
    if (*end) return refuse(job, id, text, "is no whole number of 0 or more");
    *value = got;
    return CAIRN_OK;
}

cairn_status cli_real(cli_job *job, cli_option_id id, double *value)
{
    const char *text = cli_text(job, id);
    char       *end;

    if (!text) return CAIRN_OK;
    const double got   = strtod(text, &end);
    const bool   plain = text[strspn(text, "0123456789.eE+-")] == '\0';

    if (!plain || end == text || *end) return refuse(job, id, text, "is no number");
    if (!isfinite(got)) return refuse(job, id, text, "is beyond a double's range");
    *value = got;
    return CAIRN_OK;
}

cairn_status cli_wait(cli_job *job, cli_option_id id, double *seconds)
{
    double got = 0;

    CLI_TRY(cli_real(job, id, &got));
    if (got < 0) return refuse(job, id, cli_text(job, id), "is less than 0 seconds");
    if (cli_given(job, id)) *seconds = got;
    return CAIRN_OK;
}

/// 1000 for "k", 1048576 for "Mi", 1 for ""; 0 for anything else.
static int64_t unit(const char *text)
{
    static const char letters[] = "kMGT";

    if (!*text) return 1;
    const char *letter = strchr(letters, *text == 'K' ? 'k' : *text);
    const bool  binary = text[1] == 'i';
    int64_t     scale  = 1;

    if (!letter || text[binary ? 2 : 1]) return 0;
    for (const char *l = letters; l <= letter; l++)
        scale *= binary ? 1024 : 1000;
    return scale;
}

cairn_status cli_bytes(cli_job *job, cli_option_id id, int64_t *value)
{
    const char *text = cli_text(job, id);
    char       *end;
    int64_t     count, bytes;

    if (!text) return CAIRN_OK;
    CLI_TRY(parse_integer(job, id, text, NULL, &end, &count));
    const int64_t scale = unit(end);

    if (!scale) return refuse(job, id, text, "is no number of bytes (4000, 64M, 2Gi)");
    if (count < 1) return refuse(job, id, text, "is less than 1");
    if (__builtin_mul_overflow(count, scale, &bytes))
        return refuse(job, id, text, "is beyond 64 bits");
    *value = bytes;
    return CAIRN_OK;
}

cairn_status
cli_integers(cli_job *job, cli_option_id id, int most, int64_t *values, int *count)
{
    const char *text = cli_text(job, id);
    char       *end;
    int         found = 0;

    if (!text) return CAIRN_OK;
    for (const char *at = text;; at = end + 1) {
        if (found == most)
            return cli_fail(job, CAIRN_BAD_OPTION, "option: --%s: more than %d numbers",
                            cli_option_row(id)->name, most);
        CLI_TRY(parse_integer(job, id, at, ",", &end, &values[found]));
        found++;
        if (!*end) break;
    }
    *count = found;
    return CAIRN_OK;
}

static int find(const char *word, const char *const *names)
{
    for (int k = 0; names && names[k]; k++)
        if (strcmp(word, names[k]) == 0) return k;
    return -1;
}

/// All choices, "f64, f32", and the nearest to @p word.
static cairn_status refuse_choice(cli_job           *job,
                                  const char        *where,
                                  const char        *word,
                                  const cli_choices *choices)
{
    const char *nearest  = cairn_nearest_name(word, choices->now);
    char        all[512] = "";

    for (int k = 0; choices->now[k] && k < MOST_CHOICES; k++) {
        if (k) strncat(all, ", ", sizeof all - strlen(all) - 1);
        strncat(all, choices->now[k], sizeof all - strlen(all) - 1);
    }
    return cli_fail(job, CAIRN_BAD_OPTION, "%s: %s: no such %s%s%s%s (%s)", where, word,
                    choices->what, nearest ? "; did you mean " : "",
                    nearest ? nearest : "", nearest ? "?" : "", all);
}

cairn_status cli_choose(cli_job           *job,
                        const char        *where,
                        const char        *word,
                        const cli_choices *choices,
                        int               *which)
{
    const int now = find(word, choices->now);

    if (now >= 0) {
        *which = now;
        return CAIRN_OK;
    }
    if (find(word, choices->later) >= 0) return cli_not_yet(job, where, word);
    return refuse_choice(job, where, word, choices);
}
