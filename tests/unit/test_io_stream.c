// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files whose lines are much longer than what is read at a time. All are small enough to
/// be read in a second or two when every byte is looked at a few times, and take beyond
/// the suite's time when all of a line, or of a header, is looked at for each chunk.

#include "../support/read_cases.h"

TestSuite(io_stream, .init = read_up, .fini = read_down, .timeout = 240);

enum {
    LONG  = 16 << 20, ///< Bytes of a comment.
    CHUNK = 32,       ///< Bytes at a time: half of them where the file is gzip.
};

#define BANNER "%%MatrixMarket matrix coordinate real general\n"

/// A text around @p LONG bytes of comment; those are one line, or lines of @p line bytes.
typedef struct {
    const char *name, *before, *after, *expect;
    char        mark; ///< What a comment begins with.
    size_t      line;
} long_text;

static const long_text texts[] = {
    {"/a.mtx", BANNER,                         "3 3 2\n1 1 1\n3 2 5\n", "0,0=1 2,1=5 ",     '%', LONG},
    {"/a.mtx", BANNER,                         "3 3 2\n1 1 1\n3 2 5\n", "0,0=1 2,1=5 ",     '%', 64  },
    {"/a.mtx", BANNER "3 3 2\n1 1 1\n",        "3 2 5\n",               "0,0=1 2,1=5 ",     '%', LONG},
    {"/a.mtx", BANNER "3 3 2\n1 1 1\n3 2 5\n", "",                      "0,0=1 2,1=5 ",     '%', LONG},
    {"/a.tns", "",                             "1 1 1 1\n3 2 1 5\n",    "0,0,0=1 2,1,0=5 ", '#', 64  },
    {"/a.tns", "1 1 1 1\n",                    "3 2 1 5\n",             "0,0,0=1 2,1,0=5 ", '#', LONG},
};

static char *make_text(const long_text *t, size_t *n)
{
    const size_t before = strlen(t->before), after = strlen(t->after);
    char        *text = malloc(before + LONG + after);

    *n = before + LONG + after;
    memcpy(text, t->before, before);
    memset(text + before, 'x', LONG);
    for (size_t at = before; at < before + LONG; at += t->line) {
        text[at]               = t->mark;
        text[at + t->line - 1] = '\n';
    }
    memcpy(text + before + LONG, t->after, after);
    return text;
}

Test(io_stream, long_lines_and_headers_take_linear_time)
{
    env.options.threads = 1; /* not a thread for each of a million chunks */
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int gzip = 0; gzip < 2; gzip++) {
            size_t n;
            char  *text = make_text(&texts[k], &n), out[256];

            snprintf(path, sizeof path, "%s%s", folder, texts[k].name);
            write_case(text, n, gzip);
            cr_expect_eq(read_and_print(CHUNK, out, sizeof out), CAIRN_OK, "%s", out);
            cr_expect_str_eq(out, texts[k].expect, "text %zu, gzip %d: %s", k, gzip,
                             out);
            unlink(path);
            free(text);
        }
}

/// What was searched of a line that a chunk cuts is not searched again, so it must not
/// be forgotten where the line begins.
Test(io_stream, chunks_of_any_size_hold_whole_lines)
{
    static const char text[] = BANNER "9 9 4\n1 1 1\n\n%\n9 9 2.000000000000000000000\n"
                                      "% a line that is longer than its neighbours\n"
                                      "1 9 3\n%%%%%%\n9 1 4";
    char              out[256];

    snprintf(path, sizeof path, "%s/a.mtx", folder);
    for (int gzip = 0; gzip < 2; gzip++) {
        write_case(text, sizeof text - 1, gzip);
        for (size_t chunk = 1; chunk < sizeof text + 1; chunk++) {
            cr_expect_eq(read_and_print(chunk, out, sizeof out), CAIRN_OK, "%s", out);
            cr_expect_str_eq(out, "0,0=1 8,8=2 0,8=3 8,0=4 ", "chunks of %zu: %s",
                             chunk, out);
        }
    }
}
