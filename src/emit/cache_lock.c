// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One process compiles, the others wait. All keys share one file of locks, each a byte
/// of it at the key's hash, so that no files are left behind and none has to be removed
/// while others look at it. The locks are those of open file descriptions: two contexts
/// of one process exclude each other too, a process that dies lets go, and network file
/// systems carry them from node to node.

#include "emit/cache.h"
#include "emit/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef enum { HELD, BUSY, NO_LOCKS } answer;

static int open_locks(const cairn_cache *cache)
{
    struct stat about;
    const int   fd =
        openat(cache->folder, "lock",
               O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);

    if (fd < 0) return -1;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) return fd;
    close(fd);
    return -1;
}

/// The byte of a key: the digits of its symbol, without the bits beyond a file's end.
static off_t byte_of(const char *key)
{
    char symbol[CAIRN_KERNEL_SYMBOL];

    cairn_kernel_symbol(key, symbol);
    return (off_t)(strtoull(symbol + strlen("cairn_"), NULL, 16) >> 2);
}

static answer try_lock(int fd, const char *key)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte_of(key), .l_len = 1};

    while (fcntl(fd, F_OFD_SETLK, &lock) != 0) {
        if (errno == EAGAIN || errno == EACCES) return BUSY;
        if (errno != EINTR) return NO_LOCKS;
    }
    return HELD;
}

/// Wait a little: 1 ms, since a kernel takes 50 to compile, then longer, so that hundreds
/// of waiting ranks leave the machine to the one that compiles.
static void pause_at(int turn)
{
    const struct timespec time = {.tv_nsec = (turn < 50    ? 1
                                              : turn < 200 ? 5
                                                           : 20)
                                             * 1000000L};

    nanosleep(&time, NULL);
}

cairn_status cairn_cache_find_or_lock(cairn_cache      *cache,
                                      const char       *key,
                                      cairn_object     *object,
                                      cairn_cache_lock *lock)
{
    cairn_cache_lock mine = {.fd = -1};
    const double     end  = cairn_seconds() + cache->patience;
    answer           turn = BUSY;
    cairn_status     status;

    *lock = mine;
    CAIRN_TRY(cairn_cache_find(cache, key, object));
    if (object->bytes || cache->folder < 0) return CAIRN_OK;
    mine.fd = open_locks(cache);
    if (mine.fd < 0) return CAIRN_OK;
    for (int k = 0; turn == BUSY && cairn_seconds() < end; k++) {
        turn = try_lock(mine.fd, key);
        if (turn == BUSY) pause_at(k);
        /* Its last holder may have stored it. */
        CAIRN_GO(unlock, cairn_cache_find(cache, key, object));
        if (object->bytes) break;
    }
    if (turn == HELD && !object->bytes) {
        *lock = mine;
        return CAIRN_OK;
    }
    status = CAIRN_OK;

unlock:
    cairn_cache_unlock(&mine);
    return status;
}

bool cairn_cache_try_lock(cairn_cache *cache, const char *key, cairn_cache_lock *lock)
{
    cairn_cache_lock mine = {.fd = cache->folder < 0 ? -1 : open_locks(cache)};
    const answer     turn = mine.fd < 0 ? NO_LOCKS : try_lock(mine.fd, key);

    *lock = (cairn_cache_lock){.fd = -1};
    if (turn == HELD)
        *lock = mine;
    else
        cairn_cache_unlock(&mine);
    return turn != BUSY;
}

void cairn_cache_unlock(cairn_cache_lock *lock)
{
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

    if (lock->fd < 0) return;
    /* Closing lets go too, unless a child of the program holds a copy of the descriptor. */
    fcntl(lock->fd, F_OFD_SETLK, &all);
    close(lock->fd);
    lock->fd = -1;
}
