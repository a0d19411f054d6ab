// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// gzip files, member after member, by zlib's inflate. zlib checks length and CRC of
/// each member; that the data end where a member ends is checked here.

#include "io/stream/stream.h"

#include <string.h>
#include <zlib.h>

enum { INPUT = 1 << 18 };

struct cairn_gunzip {
    cairn_env  *env;    ///< For messages.
    cairn_env  *memory; ///< Whose memory is counted.
    const char *path;
    int         fd;
    int64_t     at; ///< File offset of what comes after the input buffer.
    z_stream    z;
    bool        between; ///< A member ended; another may begin.
    bool        ended;
    char        input[INPUT];
};

/// zlib's memory is counted like all other.
static void *zlib_alloc(void *env, unsigned items, unsigned size)
{
    void *block;

    return cairn_alloc(env, items, size, &block) == CAIRN_OK ? block : NULL;
}

static void zlib_free(void *env, void *block)
{
    cairn_free(env, block);
}

cairn_status
cairn_gunzip_create(cairn_env *env, const char *path, int fd, cairn_gunzip **gunzip)
{
    cairn_gunzip *g = NULL;

    CAIRN_TRY(CAIRN_NEW(env, 1, &g));
    g->env = g->memory = env;
    g->path            = path;
    g->fd              = fd;
    g->at              = 0;
    g->z     = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free, .opaque = env};
    g->ended = g->between = false;
    if (inflateInit2(&g->z, MAX_WBITS + 16) != Z_OK) { /* 16: gzip only */
        cairn_free(env, g);
        return cairn_fail(env, CAIRN_NO_MEMORY, "read: %s: gzip: out of memory", path);
    }
    *gunzip = g;
    return CAIRN_OK;
}

void cairn_gunzip_destroy(cairn_gunzip *gunzip)
{
    if (!gunzip) return;
    inflateEnd(&gunzip->z);
    cairn_free(gunzip->memory, gunzip);
}

void cairn_gunzip_tell(cairn_gunzip *gunzip, cairn_env *env)
{
    gunzip->env = env;
}

int64_t cairn_gunzip_offset(const cairn_gunzip *gunzip)
{
    return gunzip->at - gunzip->z.avail_in;
}

/// Read compressed bytes when none are left.
static cairn_status refill(cairn_gunzip *g)
{
    size_t got = 0;

    if (g->z.avail_in > 0) return CAIRN_OK;
    CAIRN_TRY(cairn_read_at(g->env, g->path, g->fd, g->input, INPUT, g->at, &got));
    g->at += (int64_t)got;
    g->z.next_in  = (Bytef *)g->input;
    g->z.avail_in = (unsigned)got;
    return CAIRN_OK;
}

/// After a member: the end of the file, or another member.
static cairn_status next_member(cairn_gunzip *g)
{
    g->ended = g->z.avail_in == 0;
    if (g->ended) return CAIRN_OK;
    CAIRN_CHECK(*g->z.next_in == 0x1f, g->env, CAIRN_BAD_FILE,
                "read: %s: gzip: something else follows the compressed data", g->path);
    g->between = false;
    inflateReset(&g->z);
    return CAIRN_OK;
}

static cairn_status inflate_some(cairn_gunzip *g)
{
    const int result = inflate(&g->z, Z_NO_FLUSH);

    g->between = result == Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END) return CAIRN_OK;
    if (result == Z_MEM_ERROR)
        return cairn_fail(g->env, CAIRN_NO_MEMORY, "read: %s: gzip: out of memory",
                          g->path);
    return cairn_fail(g->env, CAIRN_BAD_FILE,
                      "read: %s: gzip: the data are damaged: %s", g->path,
                      g->z.msg ? g->z.msg : "no more can be inflated");
}

cairn_status
cairn_gunzip_read(cairn_gunzip *gunzip, char *out, size_t room, size_t *got)
{
    cairn_gunzip *const g    = gunzip;
    const unsigned      most = 1u << 30; /* zlib counts in 32 bits */
    size_t              done = 0;

    while (done < room && !g->ended) {
        CAIRN_TRY(refill(g));
        if (g->between) {
            CAIRN_TRY(next_member(g));
            continue;
        }
        CAIRN_CHECK(g->z.avail_in > 0, g->env, CAIRN_BAD_FILE,
                    "read: %s: gzip: the compressed data end early", g->path);
        g->z.next_out  = (Bytef *)out + done;
        g->z.avail_out = room - done < most ? (unsigned)(room - done) : most;

        const unsigned before = g->z.avail_out;

        CAIRN_TRY(inflate_some(g));
        done += before - g->z.avail_out;
    }
    *got = done;
    return CAIRN_OK;
}
