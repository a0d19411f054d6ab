// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How a file of the cache ends, and whether one is what it should be. The checksum finds
/// damage, not malice: only the user may write to the folder (cache.h).

#include "emit/cache.h"

#include <stddef.h>
#include <string.h>
#include <zlib.h>

/// The two checksums of zlib over several pieces, one after the other.
typedef struct {
    uLong crc, adler;
} checksum;

static void add_piece(checksum *sum, const void *bytes, size_t length)
{
    sum->crc   = crc32_z(sum->crc, bytes, length);
    sum->adler = adler32_z(sum->adler, bytes, length);
}

static uint64_t
check_of(const cairn_cache_trailer *trailer, const char *object, const char *key)
{
    checksum sum = {crc32_z(0, Z_NULL, 0), adler32_z(0, Z_NULL, 0)};

    add_piece(&sum, object, trailer->object_length);
    add_piece(&sum, key, trailer->key_length);
    add_piece(&sum, trailer, offsetof(cairn_cache_trailer, check));
    return (uint64_t)sum.crc << 32 | (uint64_t)sum.adler;
}

cairn_cache_trailer
cairn_cache_seal(const cairn_cache *cache, const char *key, const cairn_object *object)
{
    cairn_cache_trailer trailer = {.object_length = (uint64_t)object->length,
                                   .key_length    = strlen(key)};

    memcpy(trailer.magic, CAIRN_CACHE_MAGIC, sizeof trailer.magic);
    memcpy(trailer.build, cache->build, sizeof trailer.build);
    trailer.check = check_of(&trailer, object->bytes, key);
    return trailer;
}

bool cairn_cache_verify(const cairn_cache *cache,
                        const char        *key,
                        const char        *bytes,
                        int64_t            length,
                        int64_t           *object_length)
{
    cairn_cache_trailer trailer;
    const uint64_t      key_length = strlen(key);

    if (length < (int64_t)(sizeof trailer + key_length)) return false;
    const uint64_t object = (uint64_t)length - sizeof trailer - key_length;

    memcpy(&trailer, bytes + length - sizeof trailer, sizeof trailer);
    if (memcmp(trailer.magic, CAIRN_CACHE_MAGIC, sizeof trailer.magic) != 0
        || memcmp(trailer.build, cache->build, sizeof trailer.build) != 0
        || trailer.key_length != key_length || trailer.object_length != object
        || memcmp(bytes + object, key, key_length) != 0)
        return false;
    if (trailer.check != check_of(&trailer, bytes, bytes + object)) return false;
    *object_length = (int64_t)object;
    return true;
}
