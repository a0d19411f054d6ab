// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files read by one process, plain and gzip, in chunks of several sizes, and held to a
/// table of what reading each gives.

#ifndef CAIRN_TESTS_READ_CASES_H
#define CAIRN_TESTS_READ_CASES_H

#include "brutal.h"
#include "comm/read.h"
#include "scratch.h"

static cairn_env   env;
static cairn_comm *comm;
static char        folder[64], path[96];

static inline void read_up(void)
{
    cairn_env_init(&env);
    cr_assert_eq(cairn_comm_self(&env, &comm), CAIRN_OK);
    scratch_create(folder);
    snprintf(path, sizeof path, "%s/a", folder);
}

static inline void read_down(void)
{
    unlink(path);
    cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
    cairn_comm_destroy(&comm);
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

/// A file, and what reading it gives: entries as "i,j=value " in reading order, or a
/// part of the message.
typedef struct {
    const char  *text;
    cairn_status status;
    const char  *expect;
} file_case;

/// Read `path` in chunks and print the entries, or the message, into @p out.
static inline cairn_status read_and_print(size_t chunk, char *out, size_t room)
{
    cairn_text_file    source;
    const cairn_status status = cairn_read_text_in_chunks(comm, path, chunk, &source);
    size_t             n      = 0;

    out[0] = '\0';
    if (status != CAIRN_OK) {
        snprintf(out, room, "%s", env.message);
        return status;
    }
    for (cairn_pos p = 0; p < source.entries.n && n < room; p++) {
        for (int k = 0; k < source.entries.order && n < room; k++)
            n += (size_t)snprintf(out + n, room - n, "%s%ld", k ? "," : "",
                                  (long)source.entries.coord[k][p]);
        if (n < room)
            n += (size_t)snprintf(out + n, room - n, "=%g ", source.entries.value[p]);
    }
    cairn_text_file_fini(&env, &source);
    return CAIRN_OK;
}

/// Write the file `path`.
static inline void write_case(const char *text, size_t n, bool gzip)
{
    unlink(path);
    if (gzip)
        scratch_append_gzip(path, text, n);
    else
        scratch_write(path, text, n);
}

static inline void check_case(const file_case *c, size_t chunk, bool gzip)
{
    char         out[1024], start[128];
    cairn_status status;

    write_case(c->text, strlen(c->text), gzip);
    status = read_and_print(chunk, out, sizeof out);
    snprintf(start, sizeof start, "read: %s: ", path);

    cr_expect_eq(status, c->status, "%s\n-> %d %s", c->text, status, out);
    if (c->status == CAIRN_OK) {
        cr_expect_str_eq(out, c->expect, "%s\n-> %s", c->text, out);
        return;
    }
    cr_expect(strstr(out, c->expect) != NULL, "%s\n-> %s", c->text, out);
    cr_expect(strncmp(out, start, strlen(start)) == 0, "not about the file: %s", out);
    cr_expect(strchr(out, '\n') == NULL);
}

/// Check @p n cases as files whose names have that @p ending.
static inline void check_cases(const file_case *cases, size_t n, const char *ending)
{
    static const size_t chunks[] = {1, 7, 64, 1 << 20};

    snprintf(path, sizeof path, "%s/a%s", folder, ending);
    for (size_t k = 0; k < n; k++) {
        for (size_t p = 0; p < sizeof chunks / sizeof *chunks; p++) {
            check_case(&cases[k], chunks[p], false);
            for (env.options.threads = 1; env.options.threads < 3;
                 env.options.threads++)
                check_case(&cases[k], chunks[p], true);
        }
    }
}

/// Bytes, some of them NUL, that are refused, and a part of the message.
typedef struct {
    const char *bytes;
    size_t      n;
    const char *expect;
} bytes_case;

/// Check @p n cases as files whose names have that @p ending.
static inline void check_bytes(const bytes_case *cases, size_t n, const char *ending)
{
    char out[256];

    snprintf(path, sizeof path, "%s/a%s", folder, ending);
    for (size_t k = 0; k < n; k++) {
        write_case(cases[k].bytes, cases[k].n, false);
        cr_expect_eq(read_and_print(64, out, sizeof out), CAIRN_BAD_FILE);
        cr_expect(strstr(out, cases[k].expect) != NULL, "%s", out);
    }
}

/// Reading @p text survives every failed allocation.
static inline void check_allocations(const char *text, const char *ending)
{
    char out[256];

    snprintf(path, sizeof path, "%s/a%s", folder, ending);
    for (int gzip = 0; gzip < 2; gzip++) {
        write_case(text, strlen(text), gzip);
        CAIRN_BRUTAL(&env, read_and_print(8, out, sizeof out));
    }
}

#endif
