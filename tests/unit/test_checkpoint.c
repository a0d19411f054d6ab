// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Checkpoints on one rank: what comes back, what is kept, what is refused, and what a disk
/// that is full or a machine without memory leave.

#include "base/file.h"
#include "checkpoint/generations.h"
#include "checkpoint/manifest.h"
#include "comm/comm.h"
#include "support/brutal.h"
#include "support/checkpoint_state.h"
#include "support/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

enum { ROWS = 5 };

static cairn_env   env;
static cairn_comm *comm;
static char        folder[64], kept[80];
static char        log_text[4096]; ///< All that was logged.
static int         logged;

static void note(void *user, const char *message)
{
    (void)user;
    logged++;
    strncat(log_text, message, sizeof log_text - strlen(log_text) - 2);
    strcat(log_text, "\n");
}

static void up(void)
{
    cairn_env_init(&env);
    env.log.tell = note;
    log_text[0]  = '\0';
    logged       = 0;
    cr_assert_eq(cairn_comm_self(&env, &comm), CAIRN_OK);
    scratch_create(folder);
    snprintf(kept, sizeof kept, "%s/kept", folder);
}

/// Remove a folder of files.
static void remove_folder(const char *name)
{
    DIR           *dir = opendir(name);
    struct dirent *entry;

    if (!dir) return;
    while ((entry = readdir(dir)))
        unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
    rmdir(name);
}

static void down(void)
{
    remove_folder(kept);
    cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
    cairn_comm_destroy(&comm);
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

TestSuite(checkpoint, .init = up, .fini = down, .timeout = 300);

/// The names in the folder, sorted, each with a blank behind it.
static const char *list(void)
{
    static char     text[2048];
    struct dirent **entry;
    const int       n = scandir(kept, &entry, NULL, alphasort);

    text[0] = '\0';
    for (int k = 0; k < n; k++) {
        if (entry[k]->d_name[0] != '.')
            strcat(strcat(text, entry[k]->d_name + strlen("generation-")), " ");
        free(entry[k]);
    }
    if (n >= 0) free(entry);
    return text;
}

/// Write the states after iterations @p from .. @p to, each whole.
static void write_generations(int64_t n, int64_t after, int64_t from, int64_t to)
{
    cairn_checkpoint_writer *writer = NULL;
    method                   m      = method_up(n, 0, 1);

    cr_assert_eq(cairn_checkpoint_open(comm, kept, &m.state, after, &writer), CAIRN_OK,
                 "%s", env.message);
    for (int64_t k = from; k <= to; k++) {
        method_iterate(&m, k);
        cairn_checkpoint_begin(writer, &m.state);
        method_iterate(&m, k + 1000); /* the copy was made */
        cairn_checkpoint_finish(writer);
    }
    cairn_checkpoint_close(&writer);
    method_down(&m);
}

/// Read what fits the method's @p n rows. @return The iteration; -1: nothing can be used.
static int64_t read_back(int64_t n)
{
    method           m     = method_up(n, 0, 1);
    cairn_checkpoint state = {0};
    int64_t          found = -1;

    if (cairn_checkpoint_read(comm, kept, &m.state, &state) == CAIRN_OK) {
        cr_expect(method_is(&state), "iteration %ld is another", (long)state.iteration);
        found = state.iteration;
        cairn_checkpoint_fini(&env, &state);
    }
    method_down(&m);
    return found;
}

Test(checkpoint, comes_back_bit_for_bit)
{
    static const int64_t rows[] = {0, 1, ROWS, 16384, 16385, 50000};

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        write_generations(rows[k], 0, 7, 7);
        cr_expect_eq(read_back(rows[k]), 7, "%ld rows: %s", (long)rows[k], env.message);
        remove_folder(kept);
    }
    cr_expect_eq(logged, 0, "%s", log_text);
}

Test(checkpoint, two_generations_are_kept)
{
    write_generations(ROWS, 0, 1, 1);
    cr_expect_str_eq(list(), "000001.manifest 000001.share-0 ");
    write_generations(ROWS, 1, 2, 4);
    cr_expect_str_eq(list(),
                     "000003.manifest 000003.share-0 000004.manifest 000004.share-0 ");
    cr_expect_eq(read_back(ROWS), 4);
}

/// What was there before a job that was not restarted from it goes when two newer are there.
Test(checkpoint, the_one_restarted_from_stays_until_two_are_newer)
{
    write_generations(ROWS, 0, 1, 2);
    write_generations(ROWS, 1, 3, 3); /* 2 was refused, say */
    cr_expect_str_eq(list(),
                     "000001.manifest 000001.share-0 000003.manifest 000003.share-0 ");
    write_generations(ROWS, 0, 4, 4);
    cr_expect(strstr(list(), "000001.manifest"));
    write_generations(ROWS, 4, 5, 5);
    cr_expect_str_eq(list(),
                     "000004.manifest 000004.share-0 000005.manifest 000005.share-0 ");
}

/// Files of killed jobs are removed, other files are not.
Test(checkpoint, what_is_half_written_is_removed)
{
    static const struct {
        const char *name;
        bool        stays;
    } file[] = {
        {"generation-000007.share-0",                    false},
        {"generation-000007.share-31",                   false},
        {"generation-000007.manifest.part-77-0",         false},
        {"generation-000001.share-0.part-77-0",          false},
        {"generation-2.share-0",                         true },
        {"generation-000002.share-0.bak",                true },
        {"generation-000002.share-00",                   true },
        {"generation-000002.share--1",                   true },
        {"generation-000002.manifesto",                  true },
        {"generation-999999999999999999999999.manifest", true },
        {"generation-000000.manifest",                   true },
        {"notes",                                        true },
    };
    char path[160];

    write_generations(ROWS, 0, 1, 1);
    for (size_t k = 0; k < sizeof file / sizeof *file; k++) {
        snprintf(path, sizeof path, "%s/%s", kept, file[k].name);
        scratch_write(path, "x", 1);
    }
    write_generations(ROWS, 1, 9, 9);
    for (size_t k = 0; k < sizeof file / sizeof *file; k++) {
        snprintf(path, sizeof path, "%s/%s", kept, file[k].name);
        cr_expect_eq(access(path, F_OK) == 0, file[k].stays, "%s", file[k].name);
    }
    cr_expect_eq(read_back(ROWS), 9, "%s", env.message);
}

/// Nothing is complete before the writer was told that all shares are written.
Test(checkpoint, without_its_manifest_is_none)
{
    cairn_checkpoint_writer *writer = NULL;
    method                   m      = method_up(ROWS, 0, 1);

    method_iterate(&m, 3);
    cr_assert_eq(cairn_checkpoint_open(comm, kept, &m.state, 0, &writer), CAIRN_OK);
    cr_expect(cairn_checkpoint_idle(writer));
    cr_expect_eq(cairn_checkpoint_progress(writer), CAIRN_CHECKPOINT_WRITTEN);
    cairn_checkpoint_begin(writer, &m.state);
    cr_expect_not(cairn_checkpoint_idle(writer));
    while (cairn_checkpoint_progress(writer) == CAIRN_CHECKPOINT_PENDING)
        usleep(1000);
    cr_expect_str_eq(list(), "000001.share-0 ");
    cairn_checkpoint_advance(writer, CAIRN_CHECKPOINT_PENDING); /* another rank's */
    cr_expect_eq(read_back(ROWS), -1);
    cr_expect(strstr(env.message, "there is no checkpoint"), "%s", env.message);
    cairn_checkpoint_advance(writer, CAIRN_CHECKPOINT_WRITTEN);
    while (cairn_checkpoint_progress(writer) == CAIRN_CHECKPOINT_PENDING)
        usleep(1000);
    cr_expect_not(cairn_checkpoint_idle(writer));
    cairn_checkpoint_advance(writer, CAIRN_CHECKPOINT_WRITTEN);
    cr_expect(cairn_checkpoint_idle(writer));
    cr_expect_eq(read_back(ROWS), 3, "%s", env.message);
    cairn_checkpoint_close(&writer);
    method_down(&m);
}

Test(checkpoint, a_folder_is_one_jobs_at_a_time)
{
    cairn_checkpoint_writer *one = NULL, *other = NULL;
    method                   m = method_up(ROWS, 0, 1);

    cr_assert_eq(cairn_checkpoint_open(comm, kept, &m.state, 0, &one), CAIRN_OK);
    cr_expect_eq(cairn_checkpoint_open(comm, kept, &m.state, 0, &other), CAIRN_IO);
    cr_expect(strstr(env.message, "another job writes"), "%s", env.message);
    cairn_checkpoint_close(&one);
    cr_assert_eq(cairn_checkpoint_open(comm, kept, &m.state, 0, &other), CAIRN_OK);
    cairn_checkpoint_close(&other);
    method_down(&m);
}

/* ---- damage ---- */

typedef struct {
    char   path[160];
    char  *bytes;
    size_t length;
} original;

/// The files of generation 2, of two.
static void take_originals(original file[2])
{
    write_generations(ROWS, 0, 1, 2);
    for (int k = 0; k < 2; k++) {
        snprintf(file[k].path, sizeof file[k].path, "%s/generation-000002.%s", kept,
                 k ? "share-0" : "manifest");
        file[k].bytes = scratch_read(file[k].path, &file[k].length);
    }
}

/// The newest is refused in one line that names its file, and the older one is used.
static void expect_the_older(const original *file, const char *what, size_t at)
{
    logged      = 0;
    log_text[0] = '\0';
    cr_expect_eq(read_back(ROWS), 1, "%s at %zu of %s: %s", what, at, file->path,
                 env.message);
    cr_expect(logged == 1 && strstr(log_text, file->path), "%s at %zu of %s: '%s'",
              what, at, file->path, log_text);
    for (const char *c = log_text; *c; c++)
        cr_expect(*c == '\n' ? !c[1] : *c >= ' ' && *c <= '~', "%s", log_text);
}

Test(checkpoint, every_flipped_byte_is_seen)
{
    original file[2];

    take_originals(file);
    for (int k = 0; k < 2; k++)
        for (size_t at = 0; at < file[k].length; at++)
            for (int bit = 0; bit < 8; bit += 7) {
                file[k].bytes[at] ^= (char)(1 << bit);
                scratch_write(file[k].path, file[k].bytes, file[k].length);
                expect_the_older(&file[k], "a flip", at);
                file[k].bytes[at] ^= (char)(1 << bit);
                scratch_write(file[k].path, file[k].bytes, file[k].length);
            }
    cr_expect_eq(read_back(ROWS), 2);
    for (int k = 0; k < 2; k++)
        free(file[k].bytes);
}

Test(checkpoint, every_other_length_is_seen)
{
    original file[2];

    take_originals(file);
    for (int k = 0; k < 2; k++) {
        for (size_t length = 0; length <= file[k].length + 3; length++) {
            char *longer = calloc(1, file[k].length + 4);

            if (length == file[k].length) {
                free(longer);
                continue;
            }
            memcpy(longer, file[k].bytes, file[k].length);
            scratch_write(file[k].path, longer, length);
            expect_the_older(&file[k], "an end", length);
            free(longer);
        }
        unlink(file[k].path);
        if (k == 0) /* of generations without a manifest nothing is said */
            cr_expect_eq(read_back(ROWS), 1);
        else
            expect_the_older(&file[k], "no file", 0);
        scratch_write(file[k].path, file[k].bytes, file[k].length);
    }
    cr_expect_eq(read_back(ROWS), 2);
    for (int k = 0; k < 2; k++)
        free(file[k].bytes);
}

/// A share of another job's generation of the same number, whole as it is.
Test(checkpoint, a_share_of_another_run_is_seen)
{
    original file[2], other[2];

    take_originals(file);
    remove_folder(kept);
    take_originals(other);
    scratch_write(file[1].path, file[1].bytes, file[1].length);
    expect_the_older(&file[1], "another run", 0);
    cr_expect(strstr(log_text, "another checkpoint's"), "%s", log_text);
    for (int k = 0; k < 2; k++) {
        free(file[k].bytes);
        free(other[k].bytes);
    }
}

/// A manifest under another generation's name.
Test(checkpoint, a_renamed_one_is_seen)
{
    char from[160], to[160];

    write_generations(ROWS, 0, 1, 2);
    for (int k = 0; k < 2; k++) {
        snprintf(from, sizeof from, "%s/generation-000001.%s", kept,
                 k ? "share-0" : "manifest");
        snprintf(to, sizeof to, "%s/generation-000003.%s", kept,
                 k ? "share-0" : "manifest");
        cr_assert_eq(rename(from, to), 0);
    }
    cr_expect_eq(read_back(ROWS), 2);
    cr_expect(strstr(log_text, "is of generation 1"), "%s", log_text);
}

Test(checkpoint, both_damaged_is_a_failure)
{
    char path[160];

    write_generations(ROWS, 0, 1, 2);
    for (int g = 1; g <= 2; g++) {
        snprintf(path, sizeof path, "%s/generation-%06d.share-0", kept, g);
        cr_assert_eq(truncate(path, 200), 0);
    }
    cr_expect_eq(read_back(ROWS), -1);
    cr_expect(strstr(env.message, "generation-000002.share-0: has 200 bytes")
                  && strstr(env.message, "nor can an older one"),
              "%s", env.message);
}

/* ---- other matrices ---- */

Test(checkpoint, of_something_else_is_refused)
{
    static const char *const words[] = {"5 rows, and this one has 6", "f64",
                                        "fingerprint", "fingerprint",
                                        "method test:3, and not other"};

    write_generations(ROWS, 0, 1, 1);
    for (int k = 0; k < 5; k++) {
        cairn_checkpoint state = {0};
        method           m     = method_up(ROWS, 0, 1);

        if (k == 0) m.state.n = m.state.end_row = 6;
        if (k == 1) m.state.dtype = CAIRN_F32;
        if (k == 2) m.state.fingerprint[0] ^= 1;
        if (k == 3) m.state.fingerprint[1] ^= UINT64_C(1) << 63;
        if (k == 4) m.state.method = "other";
        cr_expect_eq(cairn_checkpoint_read(comm, kept, &m.state, &state),
                     CAIRN_BAD_FILE);
        cr_expect(strstr(env.message, words[k])
                      && strstr(env.message, "generation-000001.manifest"),
                  "%s", env.message);
        method_down(&m);
    }
}

/// No file makes messages of several lines.
Test(checkpoint, a_method_that_cannot_be_printed_is_refused)
{
    static const char *const method[] = {"cg", "a\nb", "\033[2J"};

    for (int k = 0; k < 3; k++) {
        int64_t        bound[2] = {0, ROWS};
        cairn_manifest m        = {.shares = 1, .bound = bound}, read;
        cairn_text     text;

        m.state = (cairn_checkpoint){.method     = method[k],
                                     .format     = "csr",
                                     .plan       = "",
                                     .n          = ROWS,
                                     .generation = 1};
        cairn_text_init(&text, &env);
        cairn_manifest_encode(&m, &text);
        cr_expect_eq(
            cairn_manifest_decode(&env, "a", text.data, (int64_t)text.length, &read),
            k ? CAIRN_BAD_FILE : CAIRN_OK);
        if (k == 0) cairn_manifest_fini(&env, &read);
        cairn_text_fini(&text);
    }
}

/// Before a matrix is there: its format, and the method, are known without it.
Test(checkpoint, can_be_looked_at)
{
    cairn_checkpoint state = {0};

    write_generations(ROWS, 0, 1, 3);
    cr_assert_eq(cairn_checkpoint_read(comm, kept, NULL, &state), CAIRN_OK);
    cr_expect_str_eq(state.format, "csr");
    cr_expect_str_eq(state.method, "test:3");
    cr_expect_eq(state.iteration, 3);
    cr_expect_eq(state.generation, 3);
    cr_expect(state.vectors == 3 && !state.vector[0].value);
    cr_expect_eq(state.scalar[cairn_checkpoint_find_scalar(&state, "steps")].bits, 3);
    cairn_checkpoint_fini(&env, &state);
    cr_expect_eq(cairn_checkpoint_read(comm, folder, NULL, &state), CAIRN_BAD_FILE);
    snprintf(kept + strlen(kept), 8, "/none");
    cr_expect_eq(cairn_checkpoint_read(comm, kept, NULL, &state), CAIRN_IO);
    *strrchr(kept, '/') = '\0';
}

Test(checkpoint, has_names_of_its_own)
{
    cairn_checkpoint s = {0};
    char             name[CAIRN_CHECKPOINT_NAME + 1];

    memset(name, 'a', sizeof name);
    name[CAIRN_CHECKPOINT_NAME] = '\0';
    cr_expect_not(cairn_checkpoint_add_vector(&s, name, CAIRN_F64, NULL));
    cr_expect_not(cairn_checkpoint_add_scalar(&s, name, 1));
    cr_expect_not(cairn_checkpoint_add_scalar(&s, "", 1));
    cr_expect(cairn_checkpoint_add_scalar(&s, name + 1, 1));
    cr_expect_not(cairn_checkpoint_add_scalar(&s, name + 1, 2));
    for (int k = 0; k < CAIRN_CHECKPOINT_VECTORS; k++) {
        snprintf(name, sizeof name, "v%d", k);
        cr_expect(cairn_checkpoint_add_vector(&s, name, CAIRN_F64, NULL));
    }
    cr_expect_not(cairn_checkpoint_add_vector(&s, "more", CAIRN_F64, NULL));
    cr_expect_eq(cairn_checkpoint_find_vector(&s, "v15"), 15);
    cr_expect_eq(cairn_checkpoint_find_vector(&s, "more"), -1);
}

/* ---- no room ---- */

/// Write one more checkpoint while no file may be longer. @return The newest that is there.
static int64_t write_within(cairn_checkpoint_writer *writer,
                            method                  *m,
                            int64_t                  iteration,
                            rlim_t                   longest)
{
    const struct rlimit limit = {longest, RLIM_INFINITY};
    const struct rlimit none  = {RLIM_INFINITY, RLIM_INFINITY};

    signal(SIGXFSZ, SIG_IGN);
    method_iterate(m, iteration);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cairn_checkpoint_begin(writer, &m->state);
    const int64_t newest = cairn_checkpoint_finish(writer);

    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    return newest;
}

/// The disk is full in the middle of a share, or, where no rows are, of a manifest.
Test(checkpoint, a_full_disk_is_logged_once_and_leaves_nothing)
{
    static const struct {
        int64_t     n;
        rlim_t      longest; ///< Bytes.
        const char *words;
    } disk[] = {
        {3000, 4096, "share-0: File too large" },
        {0,    200,  "manifest: File too large"},
    };

    for (int k = 0; k < 2; k++) {
        cairn_checkpoint_writer *writer = NULL;
        method                   m      = method_up(disk[k].n, 0, 1);

        log_text[0] = '\0';
        logged      = 0;
        cr_assert_eq(cairn_checkpoint_open(comm, kept, &m.state, 0, &writer), CAIRN_OK);
        for (int64_t i = 1; i <= 3; i++)
            cr_expect_eq(write_within(writer, &m, i, disk[k].longest), 0);
        cr_expect_str_eq(list(), "");
        cr_expect_eq(logged, 1, "%s", log_text);
        cr_expect(strstr(log_text, "iterations go on: write: ")
                      && strstr(log_text, disk[k].words),
                  "%s", log_text);
        cr_expect_eq(write_within(writer, &m, 4, RLIM_INFINITY), 4);
        cr_expect_eq(write_within(writer, &m, 5, disk[k].longest), 4);
        cr_expect_eq(read_back(disk[k].n), 4, "%s", env.message);
        cr_expect_eq(logged, 2, "after a success it is logged again: %s", log_text);
        cairn_checkpoint_close(&writer);
        method_down(&m);
        remove_folder(kept);
    }
}

/// The folder goes away under the writer.
Test(checkpoint, a_folder_that_goes_is_logged)
{
    cairn_checkpoint_writer *writer = NULL;
    method                   m      = method_up(ROWS, 0, 1);

    cr_assert_eq(cairn_checkpoint_open(comm, kept, &m.state, 0, &writer), CAIRN_OK);
    remove_folder(kept);
    cr_expect_eq(write_within(writer, &m, 1, RLIM_INFINITY), 0);
    cr_expect(strstr(log_text, "No such file or directory"), "%s", log_text);
    cairn_checkpoint_close(&writer);
    method_down(&m);
}

Test(checkpoint, a_folder_that_cannot_be_is_refused)
{
    cairn_checkpoint_writer *writer = NULL;
    method                   m      = method_up(ROWS, 0, 1);
    char                     path[CAIRN_GENERATION_PATH + 1];

    scratch_write(kept, "x", 1);
    cr_expect_eq(cairn_checkpoint_open(comm, kept, &m.state, 0, &writer), CAIRN_IO);
    cr_expect(strstr(env.message, "Not a directory"), "%s", env.message);
    unlink(kept);
    snprintf(path, sizeof path, "%s/in/none", kept);
    cr_expect_eq(cairn_checkpoint_open(comm, path, &m.state, 0, &writer), CAIRN_IO);
    cr_expect(strstr(env.message, "No such file"), "%s", env.message);
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    cr_expect_eq(cairn_checkpoint_open(comm, path, &m.state, 0, &writer),
                 CAIRN_BAD_ARGUMENT);
    cr_expect_eq(cairn_checkpoint_read(comm, path, &m.state, &m.state),
                 CAIRN_BAD_ARGUMENT);
    m.state.n = ROWS + 1;
    cr_expect_eq(cairn_checkpoint_open(comm, kept, &m.state, 0, &writer),
                 CAIRN_BAD_ARGUMENT);
    cr_expect(strstr(env.message, "do not follow each other from 0 to 6"), "%s",
              env.message);
    method_down(&m);
}

/* ---- no memory ---- */

static cairn_checkpoint_writer *opened;

static cairn_status open_again(const cairn_checkpoint *state)
{
    return cairn_checkpoint_open(comm, kept, state, 0, &opened);
}

/// Every allocation of a write fails once: nothing is left, and the next one succeeds.
Test(checkpoint, writes_that_lack_memory_leave_the_older)
{
    method  m      = method_up(ROWS, 0, 1);
    int64_t failed = 0, live;

    CAIRN_BRUTAL(&env, open_again(&m.state));
    cr_expect_gt(write_within(opened, &m, 1, RLIM_INFINITY), 0);
    live = env.live_blocks;
    for (int64_t allowed = 0;; allowed++) {
        const int64_t before = read_back(ROWS);

        method_iterate(&m, allowed + 2);
        env.allowed = allowed;
        cairn_checkpoint_begin(opened, &m.state);
        cairn_checkpoint_finish(opened);
        env.allowed = -1;
        cr_assert_eq(env.live_blocks, live, "leak after %ld blocks", (long)allowed);
        if (read_back(ROWS) != before) break;
        failed++;
        cr_assert_lt(allowed, 1000, "never succeeds");
    }
    cr_expect_geq(failed, 5, "only %ld allocations failed", (long)failed);
    cr_expect(strstr(log_text, "iterations go on: out of memory"), "%s", log_text);
    cairn_checkpoint_close(&opened);
    method_down(&m);
}

static cairn_checkpoint read_state;

static cairn_status read_again(const cairn_checkpoint *expected)
{
    return cairn_checkpoint_read(comm, kept, expected, &read_state);
}

/// Without memory no older one is taken instead.
Test(checkpoint, reads_that_lack_memory_fail)
{
    method m = method_up(ROWS, 0, 1);

    write_generations(ROWS, 0, 1, 2);
    CAIRN_BRUTAL_AND(&env, read_again(&m.state), !read_state.text);
    cr_expect(method_is(&read_state) && read_state.iteration == 2);
    cairn_checkpoint_fini(&env, &read_state);
    method_down(&m);
}
