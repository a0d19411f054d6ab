// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Files written whole or not at all.

#include "../support/scratch.h"
#include "base/file.h"

#include <signal.h>
#include <sys/resource.h>

static cairn_env env;
static char      folder[64], path[96];

static void up(void)
{
    cairn_env_init(&env);
    scratch_create(folder);
    snprintf(path, sizeof path, "%s/a", folder);
}

static void down(void)
{
    unlink(path);
    cr_expect_eq(rmdir(folder), 0, "something is left in %s", folder);
    cr_expect_eq(env.live_blocks, 0);
    cairn_env_fini(&env);
}

TestSuite(file, .init = up, .fini = down, .timeout = 240);

static void expect_content(const char *expected)
{
    size_t length;
    char  *text = scratch_read(path, &length);

    cr_expect_str_eq(text, expected);
    free(text);
}

Test(file, appears_when_committed)
{
    cairn_file file;

    scratch_write(path, "old", 3);
    cr_assert_eq(cairn_file_create(&env, path, &file), CAIRN_OK);
    cr_assert_eq(cairn_file_write_at(&file, "tail", 4, 3), CAIRN_OK);
    cr_assert_eq(cairn_file_write_at(&file, "new", 3, 0), CAIRN_OK);
    expect_content("old");
    cr_assert_eq(cairn_file_commit(&file), CAIRN_OK);
    expect_content("newtail");
}

Test(file, leaves_the_old_one_when_discarded)
{
    cairn_file file;

    scratch_write(path, "old", 3);
    cr_assert_eq(cairn_file_create(&env, path, &file), CAIRN_OK);
    cr_assert_eq(cairn_file_write_at(&file, "new", 3, 0), CAIRN_OK);
    cairn_file_discard(&file);
    cairn_file_discard(&file);
    expect_content("old");
}

static cairn_status create(bool named, cairn_file *file)
{
    return named ? cairn_file_create_named(&env, path, file)
                 : cairn_file_create(&env, path, file);
}

/// What it replaces may not be written by its owner.
Test(file, can_be_written_by_two)
{
    for (int named = 0; named < 2; named++) {
        cairn_file     file, other;
        cairn_file_way way;

        scratch_write(path, "old", 3);
        cr_assert_eq(chmod(path, 0440), 0);
        cr_assert_eq(create(named, &file), CAIRN_OK);
        cr_assert_eq(cairn_file_way_to(&file, &way), CAIRN_OK);
        cr_assert_eq(cairn_file_join(&env, path, &way, &other), CAIRN_OK);
        cr_assert_eq(cairn_file_write_at(&other, "b", 1, 1), CAIRN_OK);
        cr_assert_eq(cairn_file_write_at(&file, "a", 1, 0), CAIRN_OK);
        cr_assert_eq(cairn_file_sync(&other), CAIRN_OK);
        cairn_file_close(&other);
        cr_assert_eq(cairn_file_commit(&file), CAIRN_OK);
        expect_content("ab");
    }
}

/// Another process's descriptor, one that is closed, and a process that is not there.
Test(file, without_a_name_is_not_taken_for_another)
{
    cairn_file     file, other;
    cairn_file_way way;

    cr_assert_eq(cairn_file_create(&env, path, &file), CAIRN_OK);
    cr_assert_eq(cairn_file_way_to(&file, &way), CAIRN_OK);
    for (int k = 0; way.unnamed && k < 3; k++) {
        cairn_file_way wrong = way;

        if (k == 0) wrong.inode++;
        if (k == 1) snprintf(wrong.name, sizeof wrong.name, "/proc/self/fd/1000");
        if (k == 2) snprintf(wrong.name, sizeof wrong.name, "/proc/0/fd/3");
        cr_expect_eq(cairn_file_join(&env, path, &wrong, &other), CAIRN_OK);
        cr_expect_eq(other.fd, -1);
        cairn_file_close(&other);
    }
    cairn_file_discard(&file);
}

/// A name that has gone is a failure.
Test(file, with_a_name_is_there_for_others)
{
    cairn_file     file, other;
    cairn_file_way way;

    cr_assert_eq(cairn_file_create_named(&env, path, &file), CAIRN_OK);
    cr_assert_eq(cairn_file_way_to(&file, &way), CAIRN_OK);
    cairn_file_discard(&file);
    cr_expect_eq(cairn_file_join(&env, path, &way, &other), CAIRN_IO);
    cr_expect(strstr(env.message, "open the temporary file of another rank: ")
                  == env.message,
              "%s", env.message);
}

/// One writer's file cannot be seen before it is complete (where files need no name, as in
/// /tmp of a usual Linux).
Test(file, has_no_name_until_it_is_complete)
{
    cairn_file file;

    cr_assert_eq(cairn_file_create(&env, path, &file), CAIRN_OK);
    cr_assert_eq(cairn_file_write_at(&file, "new", 3, 0), CAIRN_OK);
    if (!file.temporary) cr_expect_eq(rmdir(folder), 0, "something is in %s", folder);
    if (!file.temporary) cr_assert_eq(mkdir(folder, 0700), 0);
    cairn_file_discard(&file);
}

static mode_t mode_of(const char *name)
{
    struct stat about;

    cr_assert_eq(stat(name, &about), 0);
    return about.st_mode & 0777;
}

static void write_new(bool named)
{
    cairn_file file;

    cr_assert_eq(create(named, &file), CAIRN_OK);
    cr_assert_eq(cairn_file_write_at(&file, "new", 3, 0), CAIRN_OK);
    cr_assert_eq(cairn_file_commit(&file), CAIRN_OK);
    expect_content("new");
}

Test(file, keeps_the_permissions_of_the_old_one)
{
    static const mode_t modes[] = {0600, 0644, 0666, 0440, 0751};

    umask(022);
    for (int k = 0; k < 10; k++) {
        scratch_write(path, "old", 3);
        cr_assert_eq(chmod(path, modes[k / 2]), 0);
        write_new(k % 2);
        cr_expect_eq(mode_of(path), modes[k / 2], "%o", (unsigned)mode_of(path));
    }
    for (int k = 0; k < 2; k++) {
        unlink(path);
        write_new(k % 2);
        cr_expect_eq(mode_of(path), 0644, "%o", (unsigned)mode_of(path));
    }
}

/// A link to a link to a name that nobody has yet; both stay.
Test(file, is_made_where_links_lead)
{
    char        link[128], next[128];
    struct stat about;

    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(next, sizeof next, "%s/next", folder);
    cr_assert_eq(symlink(next, link), 0);
    cr_assert_eq(symlink("a", next), 0);
    for (int k = 0; k < 2; k++) {
        cairn_file file;

        unlink(path);
        cr_assert_eq(k ? cairn_file_create_named(&env, link, &file)
                       : cairn_file_create(&env, link, &file),
                     CAIRN_OK);
        cr_assert_eq(cairn_file_write_at(&file, "new", 3, 0), CAIRN_OK);
        cr_assert_eq(cairn_file_commit(&file), CAIRN_OK);
        expect_content("new");
        cr_expect(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
        cr_expect(lstat(next, &about) == 0 && S_ISLNK(about.st_mode));
    }
    unlink(next);
    unlink(link);
}

Test(file, is_not_made_where_links_lead_in_a_circle)
{
    cairn_file file;

    cr_assert_eq(symlink("a", path), 0);
    cr_expect_eq(cairn_file_create(&env, path, &file), CAIRN_IO);
    cr_expect(strstr(env.message, "create: ") == env.message, "%s", env.message);
}

/// What a signal would leave, at every stage.
Test(file, is_removed_with_the_remains)
{
    cairn_file     file, other;
    cairn_file_way way;
    cairn_env      joiner;

    cr_assert_eq(cairn_file_create_named(&env, path, &file), CAIRN_OK);
    cr_expect_eq(access(file.temporary, F_OK), 0);
    cairn_remains_remove(&env.remains);
    cr_expect_neq(access(file.temporary, F_OK), 0);
    cairn_file_discard(&file);

    /* By whoever joined, too. */
    cairn_env_init(&joiner);
    cr_assert_eq(create(true, &file), CAIRN_OK);
    cr_assert_eq(cairn_file_way_to(&file, &way), CAIRN_OK);
    cr_assert_eq(cairn_file_join(&joiner, path, &way, &other), CAIRN_OK);
    cairn_remains_remove(&joiner.remains);
    cr_expect_neq(access(file.temporary, F_OK), 0);
    cairn_file_close(&other);
    cairn_file_discard(&file);
    cr_expect_eq(joiner.live_blocks, 0);
    cairn_env_fini(&joiner);

    write_new(true);
    cairn_remains_remove(&env.remains);
    expect_content("new");
}

Test(file, is_written_where_a_link_points)
{
    cairn_file  file;
    char        link[128];
    struct stat about;

    snprintf(link, sizeof link, "%s/link", folder);
    scratch_write(path, "old", 3);
    cr_assert_eq(symlink("a", link), 0);
    cr_assert_eq(cairn_file_create(&env, link, &file), CAIRN_OK);
    cr_assert_eq(cairn_file_write_at(&file, "new", 3, 0), CAIRN_OK);
    cr_assert_eq(cairn_file_commit(&file), CAIRN_OK);
    cr_expect(lstat(link, &about) == 0 && S_ISLNK(about.st_mode), "no link any more");
    expect_content("new");
    unlink(link);
}

/// A folder that came into being where the file was to go.
Test(file, that_cannot_be_renamed_leaves_nothing)
{
    cairn_file file;

    cr_assert_eq(cairn_file_create(&env, path, &file), CAIRN_OK);
    cr_assert_eq(cairn_file_write_at(&file, "new", 3, 0), CAIRN_OK);
    cr_assert_eq(mkdir(path, 0777), 0);
    cr_expect_eq(cairn_file_commit(&file), CAIRN_IO);
    cr_expect(strstr(env.message, "rename: ") == env.message, "%s", env.message);
    cr_assert_eq(rmdir(path), 0);
}

/// The folder is gone when the file is complete.
Test(file, whose_folder_has_gone_is_refused)
{
    cairn_file file;
    char       inner[96], name[128];

    snprintf(inner, sizeof inner, "%s/inner", folder);
    snprintf(name, sizeof name, "%s/b", inner);
    for (int k = 0; k < 2; k++) {
        cr_assert_eq(mkdir(inner, 0777), 0);
        cr_assert_eq(k ? cairn_file_create_named(&env, name, &file)
                       : cairn_file_create(&env, name, &file),
                     CAIRN_OK);
        if (file.temporary) cr_assert_eq(unlink(file.temporary), 0);
        cr_assert_eq(rmdir(inner), 0);
        cr_expect_eq(cairn_file_commit(&file), CAIRN_IO);
    }
}

/// No room: the process may write only so much. (SIGXFSZ, as a program must, is ignored.)
Test(file, that_does_not_fit_leaves_nothing)
{
    const struct rlimit little = {1000, 1000};
    static char         bytes[4096];
    cairn_file          file;

    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
    cr_assert_eq(cairn_file_create(&env, path, &file), CAIRN_OK);
    cr_expect_eq(cairn_file_write_at(&file, bytes, sizeof bytes, 0), CAIRN_IO);
    cr_expect(strstr(env.message, "write: ") == env.message, "%s", env.message);
    cairn_file_discard(&file);
}

Test(file, does_not_replace_what_is_no_file)
{
    cairn_file file;
    char       missing[128];

    snprintf(missing, sizeof missing, "%s/no/a", folder);
    cr_expect_eq(cairn_file_create(&env, missing, &file), CAIRN_IO);
    cr_expect_eq(cairn_file_create(&env, folder, &file), CAIRN_IO);
    cr_expect_eq(cairn_file_create(&env, "/dev/null", &file), CAIRN_IO);
    cr_expect(strstr(env.message, "create: /dev/null: ") == env.message, "%s",
              env.message);
}

Test(file, survives_every_failed_allocation)
{
    cairn_file   file;
    cairn_status status = CAIRN_NO_MEMORY;

    for (int64_t n = 0; n < 100 && status != CAIRN_OK; n++) {
        env.allowed = n;
        status      = cairn_file_create(&env, path, &file);
        env.allowed = -1;
        cr_assert(status == CAIRN_OK || env.live_blocks == 0);
    }
    cr_assert_eq(status, CAIRN_OK);
    cairn_file_discard(&file);
}
