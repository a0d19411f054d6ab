// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Manifests as bytes.

#include "checkpoint/manifest.h"

#include "io/native/io_native.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static const char magic[8] = {'C', 'A', 'I', 'R', 'N', 'C', 'K', 'M'};

/// How it begins.
typedef struct {
    char     magic[8];
    uint32_t version, crc;
    int64_t  length;
    uint64_t run;
    int64_t  generation, iteration, n;
    uint64_t fingerprint[2];
    uint32_t bits, shares, vectors, scalars;
    int64_t  text[3]; ///< Bytes of the method, the format, the plan.
} head;

/// Of a vector.
typedef struct {
    char     name[CAIRN_CHECKPOINT_NAME];
    uint32_t bits, zero;
} vector_row;

static_assert(sizeof(head) == 112, "bytes without gaps");
static_assert(sizeof(vector_row) == 40, "bytes without gaps");
static_assert(sizeof(cairn_checkpoint_scalar) == 40, "bytes without gaps");

enum { CHECKED = 16 }; ///< What is before this byte has no checksum.

static int64_t length_of(const head *h)
{
    return (int64_t)sizeof *h + 8 * ((int64_t)h->shares + 1)
           + (int64_t)sizeof(vector_row) * h->vectors
           + (int64_t)sizeof(cairn_checkpoint_scalar) * h->scalars + h->text[0]
           + h->text[1] + h->text[2];
}

void cairn_manifest_encode(const cairn_manifest *manifest, cairn_text *out)
{
    const cairn_checkpoint *s       = &manifest->state;
    const char *const       text[3] = {s->method, s->format, s->plan};

    head h = {
        .version     = CAIRN_MANIFEST_VERSION,
        .run         = manifest->run,
        .generation  = s->generation,
        .iteration   = s->iteration,
        .n           = s->n,
        .fingerprint = {s->fingerprint[0], s->fingerprint[1]},
        .bits        = cairn_checkpoint_bits(s->dtype),
        .shares      = (uint32_t)manifest->shares,
        .vectors     = (uint32_t)s->vectors,
        .scalars     = (uint32_t)s->scalars,
    };

    memcpy(h.magic, magic, sizeof magic);
    for (int k = 0; k < 3; k++)
        h.text[k] = (int64_t)strlen(text[k]) + 1;
    h.length = length_of(&h);
    cairn_text_add_bytes(out, (const char *)&h, sizeof h);
    cairn_text_add_bytes(out, (const char *)manifest->bound,
                         8 * ((size_t)manifest->shares + 1));
    for (int k = 0; k < s->vectors; k++) {
        vector_row row = {.bits = cairn_checkpoint_bits(s->vector[k].dtype)};

        memcpy(row.name, s->vector[k].name, sizeof row.name);
        cairn_text_add_bytes(out, (const char *)&row, sizeof row);
    }
    cairn_text_add_bytes(out, (const char *)s->scalar,
                         sizeof s->scalar[0] * (size_t)s->scalars);
    for (int k = 0; k < 3; k++)
        cairn_text_add_bytes(out, text[k], (size_t)h.text[k]);
    if (out->status != CAIRN_OK) return;
    h.crc = cairn_native_crc(0, out->data + CHECKED, h.length - CHECKED);
    memcpy(out->data + offsetof(head, crc), &h.crc, sizeof h.crc);
}

/// Is it a manifest, and whole? Then its first bytes are @p h.
static cairn_status check_bytes(cairn_env  *env,
                                const char *name,
                                const char *bytes,
                                int64_t     length,
                                head       *h)
{
    CAIRN_CHECK(length >= (int64_t)sizeof *h && memcmp(bytes, magic, sizeof magic) == 0,
                env, CAIRN_BAD_FILE, "%s: is no manifest of a checkpoint", name);
    memcpy(h, bytes, sizeof *h);
    CAIRN_CHECK(h->version == CAIRN_MANIFEST_VERSION, env, CAIRN_BAD_FILE,
                "%s: has version %" PRIu32 ", and %d is known", name, h->version,
                CAIRN_MANIFEST_VERSION);
    CAIRN_CHECK(h->length == length, env, CAIRN_BAD_FILE,
                "%s: has %" PRId64 " bytes, and should have %" PRId64, name, length,
                h->length);
    CAIRN_CHECK(h->crc == cairn_native_crc(0, bytes + CHECKED, length - CHECKED), env,
                CAIRN_BAD_FILE, "%s: is damaged: its checksum is another", name);
    return CAIRN_OK;
}

/// Do the sizes that it names fit each other, and the length?
static cairn_status
check_sizes(cairn_env *env, const char *name, int64_t length, const head *h)
{
    bool fits = h->generation > 0 && h->iteration >= 0 && h->n >= 0
                && h->n <= INT64_MAX / 256 /* bytes of all vectors can be counted */
                && cairn_checkpoint_is_bits(h->bits) && h->shares > 0
                && h->shares <= CAIRN_MANIFEST_LONGEST / 8
                && h->vectors <= CAIRN_CHECKPOINT_VECTORS
                && h->scalars <= CAIRN_CHECKPOINT_SCALARS;

    for (int k = 0; k < 3; k++)
        fits = fits && h->text[k] > 0 && h->text[k] <= length;
    CAIRN_CHECK(fits && length_of(h) == length, env, CAIRN_BAD_FILE,
                "%s: its sizes contradict each other", name);
    return CAIRN_OK;
}

/// Take what is behind the bounds; names are held to be different ones.
static bool take_names(const char *at, const head *h, cairn_checkpoint *s)
{
    for (uint32_t k = 0; k < h->vectors; k++, at += sizeof(vector_row)) {
        vector_row row;

        memcpy(&row, at, sizeof row);
        if (row.zero || !cairn_checkpoint_is_bits(row.bits)
            || memchr(row.name, 0, sizeof row.name) == NULL
            || !cairn_checkpoint_add_vector(
                s, row.name, row.bits == 32 ? CAIRN_F32 : CAIRN_F64, NULL))
            return false;
    }
    for (uint32_t k = 0; k < h->scalars; k++, at += sizeof(cairn_checkpoint_scalar)) {
        cairn_checkpoint_scalar row;

        memcpy(&row, at, sizeof row);
        if (memchr(row.name, 0, sizeof row.name) == NULL
            || !cairn_checkpoint_add_scalar(s, row.name, row.bits))
            return false;
    }
    for (int k = 0; k < 3; at += h->text[k], k++)
        if (memchr(at, 0, (size_t)h->text[k]) != at + h->text[k] - 1) return false;
    return true;
}

/// A method is printed in messages of one line.
static bool is_one_line(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~') return false;
    return true;
}

static bool bounds_ascend(const int64_t *bound, int shares, int64_t n)
{
    for (int s = 0; s < shares; s++)
        if (bound[s] > bound[s + 1]) return false;
    return bound[0] == 0 && bound[shares] == n;
}

cairn_status cairn_manifest_decode(cairn_env      *env,
                                   const char     *name,
                                   const char     *bytes,
                                   int64_t         length,
                                   cairn_manifest *manifest)
{
    head           h;
    cairn_manifest m = {0};
    char          *text;

    CAIRN_TRY(check_bytes(env, name, bytes, length, &h));
    CAIRN_TRY(check_sizes(env, name, length, &h));
    const int64_t bounds = 8 * ((int64_t)h.shares + 1);
    const int64_t texts  = h.text[0] + h.text[1] + h.text[2];

    CAIRN_TRY(cairn_alloc(env, bounds, 1, (void **)&m.bound));
    const cairn_status status = cairn_alloc(env, texts, 1, (void **)&text);

    if (status != CAIRN_OK) {
        cairn_free(env, m.bound);
        return status;
    }
    memcpy(m.bound, bytes + sizeof h, (size_t)bounds);
    memcpy(text, bytes + length - texts, (size_t)texts);
    m.run    = h.run;
    m.shares = (int)h.shares;
    m.state  = (cairn_checkpoint){
         .method      = text,
         .format      = text + h.text[0],
         .plan        = text + h.text[0] + h.text[1],
         .dtype       = h.bits == 32 ? CAIRN_F32 : CAIRN_F64,
         .n           = h.n,
         .fingerprint = {h.fingerprint[0], h.fingerprint[1]},
         .iteration   = h.iteration,
         .generation  = h.generation,
         .text        = text,
    };
    if (!take_names(bytes + sizeof h + bounds, &h, &m.state)
        || !is_one_line(m.state.method) || !bounds_ascend(m.bound, m.shares, h.n)) {
        cairn_manifest_fini(env, &m);
        return cairn_fail(env, CAIRN_BAD_FILE, "%s: contradicts itself", name);
    }
    *manifest = m;
    return CAIRN_OK;
}

void cairn_manifest_fini(cairn_env *env, cairn_manifest *manifest)
{
    cairn_free(env, manifest->bound);
    manifest->bound = NULL;
    cairn_checkpoint_fini(env, &manifest->state);
}
