// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Kernels on disk: what is read back, what is not believed, and folders that cannot be
/// used. The bytes here are no code; that is loaded in test_kernels.c.

#include "../support/brutal.h"
#include "../support/kernel_sources.h"
#include "../support/scratch.h"
#include "emit/cache.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define KEY "kernel: a test\nbuild: 1\n"

static cairn_env   env;
static cairn_cache cache;
static char        folder[64], inside[96], path[160];

/// The path of a key's file.
static void print_path(const char *key)
{
    char symbol[CAIRN_KERNEL_SYMBOL];

    cairn_kernel_symbol(key, symbol);
    snprintf(path, sizeof path, "%s/%s.so", inside, symbol);
}

static void open_at(const char *where)
{
    snprintf(env.options.cache, sizeof env.options.cache, "%s", where);
    cairn_cache_open(&env, &cache);
}

static void up(void)
{
    cairn_env_init(&env);
    scratch_create(folder);
    snprintf(inside, sizeof inside, "%s/cache", folder);
    print_path(KEY);
    open_at(inside);
}

static void down(void)
{
    char command[160];

    cairn_cache_close(&cache);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_expect_eq(system(command), 0);
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leaked", (long)env.live_blocks);
    cairn_env_fini(&env);
}

TestSuite(kernel_cache, .init = up, .fini = down, .timeout = 240);

static void store(const char *key, const char *text)
{
    const cairn_object object = {(char *)text, (int64_t)strlen(text)};

    cairn_cache_store(&cache, key, &object);
}

/// Whether the key's file is believed, and then has these bytes.
static bool finds(const char *key, const char *text)
{
    cairn_object object = {0};

    cr_assert_eq(cairn_cache_find(&cache, key, &object), CAIRN_OK, "%s", env.message);
    const bool found = object.bytes != NULL;

    if (found) {
        cr_expect_eq(object.length, (int64_t)strlen(text));
        cr_expect_eq(memcmp(object.bytes, text, strlen(text)), 0);
    }
    cairn_object_free(&env, &object);
    return found;
}

static void expect_note(const char *part)
{
    cr_expect(strstr(cache.note, part), "'%s' is not in '%s'", part, cache.note);
}

Test(kernel_cache, gives_back_what_it_was_given)
{
    cr_expect_not(finds(KEY, ""));
    store(KEY, "the object");

    cr_expect(finds(KEY, "the object"));
    cr_expect_not(finds("kernel: another\n", ""));
    cr_expect_str_eq(cache.note, "");
    store(KEY, "a newer object");
    cr_expect(finds(KEY, "a newer object"));
    cr_expect_eq(count_entries(inside), 1);
}

Test(kernel_cache, folder_and_files_are_the_users_alone)
{
    struct stat about;

    store(KEY, "the object");

    cr_assert_eq(stat(inside, &about), 0);
    cr_expect_eq(about.st_mode & 0777, 0700);
    cr_assert_eq(stat(path, &about), 0);
    cr_expect_eq(about.st_mode & 0777, 0600);
}

Test(kernel_cache, folders_above_are_made)
{
    char deep[160];

    snprintf(deep, sizeof deep, "%s/a/b//c/", folder);
    cairn_cache_close(&cache);
    open_at(deep);

    cr_expect_geq(cache.folder, 0, "%s", cache.note);
    store(KEY, "the object");
    cr_expect(finds(KEY, "the object"));
}

Test(kernel_cache, none_means_that_nothing_is_kept)
{
    cairn_object     object = {0};
    cairn_cache_lock lock;

    cairn_cache_close(&cache);
    open_at("none");
    store(KEY, "the object");

    cr_expect_not(finds(KEY, ""));
    cr_expect_str_eq(cache.note, "");
    cr_assert_eq(cairn_cache_find_or_lock(&cache, KEY, &object, &lock), CAIRN_OK);
    cr_expect_null(object.bytes);
    cairn_cache_unlock(&lock);
}

/// Write the file anew, as @p change made it.
static void rewrite(const char *bytes, size_t length)
{
    cr_assert_eq(unlink(path), 0);
    scratch_write(path, bytes, length);
    cr_assert_eq(chmod(path, 0600), 0);
}

Test(kernel_cache, no_bit_of_a_file_can_change)
{
    size_t length;

    store(KEY, "the object");
    char *bytes = scratch_read(path, &length);

    cr_assert_eq(length,
                 strlen("the object") + strlen(KEY) + sizeof(cairn_cache_trailer));
    for (size_t bit = 0; bit < 8 * length; bit++) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        rewrite(bytes, length);
        cr_expect_not(finds(KEY, ""), "bit %zu of %zu", bit, 8 * length);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    rewrite(bytes, length);
    cr_expect(finds(KEY, "the object"));
    free(bytes);
}

Test(kernel_cache, no_part_of_a_file_is_enough)
{
    size_t length;

    store(KEY, "the object");
    char *bytes = scratch_read(path, &length);

    for (size_t n = 0; n < length; n++) {
        rewrite(bytes, n);
        cr_expect_not(finds(KEY, ""), "%zu of %zu bytes", n, length);
        rewrite(bytes + length - n, n);
        cr_expect_not(finds(KEY, ""), "the last %zu of %zu bytes", n, length);
    }
    free(bytes);
}

/// A file that is whole and sealed, but of something else.
static void write_sealed(const char *key, const char *text)
{
    const cairn_object        object  = {(char *)text, (int64_t)strlen(text)};
    const cairn_cache_trailer trailer = cairn_cache_seal(&cache, key, &object);
    char                      bytes[1024];
    const size_t n = (size_t)snprintf(bytes, sizeof bytes, "%s%s", text, key);

    memcpy(bytes + n, &trailer, sizeof trailer);
    scratch_write(path, bytes, n + sizeof trailer);
    cr_assert_eq(chmod(path, 0600), 0);
}

/// As if two keys had one hash.
Test(kernel_cache, file_of_another_key_is_absent_and_replaced)
{
    static const char other[] = "kernel: a tast\nbuild: 1\n";

    cr_assert_eq(sizeof other, sizeof KEY);
    write_sealed(other, "other");

    cr_expect_not(finds(KEY, ""));
    store(KEY, "the object");
    cr_expect(finds(KEY, "the object"));
}

Test(kernel_cache, file_of_another_build_is_absent)
{
    write_sealed(KEY, "the object");
    cr_expect(finds(KEY, "the object"));

    cache.build[0] ^= 1;
    cr_expect_not(finds(KEY, ""));
}

Test(kernel_cache, key_that_is_the_end_of_another_is_not_taken_for_it)
{
    write_sealed("kernel: more of " KEY, "");

    cr_expect_not(finds(KEY, ""));
}

Test(kernel_cache, file_that_others_may_write_to_is_not_trusted)
{
    store(KEY, "the object");

    cr_assert_eq(chmod(path, 0620), 0);
    cr_expect_not(finds(KEY, ""));
    cr_assert_eq(chmod(path, 0602), 0);
    cr_expect_not(finds(KEY, ""));
    cr_assert_eq(chmod(path, 0644), 0);
    cr_expect(finds(KEY, "the object"));
}

Test(kernel_cache, anothers_file_is_not_trusted)
{
    if (geteuid() != 0) cr_skip_test("only root can give files away");
    store(KEY, "the object");

    cr_assert_eq(chown(path, 12345, 12345), 0);
    cr_expect_not(finds(KEY, ""));
    store(KEY, "mine");
    cr_expect(finds(KEY, "mine"));
}

Test(kernel_cache, owners_are_us_and_root)
{
    const uint32_t me = geteuid();

    cr_expect(cairn_cache_is_ours(me, 0100755));
    cr_expect(cairn_cache_is_ours(0, 0040700));
    cr_expect_not(cairn_cache_is_ours(me + 1, 0100600));
    cr_expect_not(cairn_cache_is_ours(me, 0100620));
    cr_expect_not(cairn_cache_is_ours(me, 0100602));
}

Test(kernel_cache, folder_that_others_may_write_to_is_not_used)
{
    cairn_cache_close(&cache);
    cr_assert_eq(chmod(inside, 0770), 0);
    open_at(inside);

    cr_expect_eq(cache.folder, -1);
    expect_note("others may write to it");
    expect_note(inside);
    store(KEY, "the object");
    cr_expect_not(finds(KEY, ""));
    cr_expect_eq(count_entries(inside), 0);
}

Test(kernel_cache, anothers_folder_is_not_used)
{
    if (geteuid() != 0) cr_skip_test("only root can give folders away");
    cairn_cache_close(&cache);
    cr_assert_eq(chown(inside, 12345, 12345), 0);
    open_at(inside);

    cr_expect_eq(cache.folder, -1);
    expect_note("it is another's");
}

Test(kernel_cache, file_in_the_place_of_the_folder_is_noted)
{
    cairn_cache_close(&cache);
    cr_assert_eq(rmdir(inside), 0);
    scratch_write(inside, "", 0);
    open_at(inside);

    cr_expect_eq(cache.folder, -1);
    expect_note("Not a directory");
}

Test(kernel_cache, links_and_pipes_are_not_followed)
{
    char elsewhere[160];

    store(KEY, "the object");
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    cr_assert_eq(rename(path, elsewhere), 0);
    cr_assert_eq(symlink(elsewhere, path), 0);
    cr_expect_not(finds(KEY, ""));

    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_expect_not(finds(KEY, ""));

    store(KEY, "the object");
    cr_expect(finds(KEY, "the object"));
    cr_expect_eq(access(elsewhere, F_OK), 0, "what a link led to was removed");
}

Test(kernel_cache, folder_in_the_place_of_a_file_is_noted)
{
    cr_assert_eq(mkdir(path, 0700), 0);
    store(KEY, "the object");

    cr_expect_not(finds(KEY, ""));
    expect_note("cairn_");
    cr_expect_eq(count_entries(inside), 1, "a temporary file is left");
}

Test(kernel_cache, file_larger_than_any_kernel_is_not_read)
{
    store(KEY, "the object");
    cr_assert_eq(truncate(path, (off_t)CAIRN_CACHE_LARGEST + 1), 0);

    cr_expect_not(finds(KEY, ""));
    cr_expect_lt(env.peak_bytes, 1 << 20, "%ld bytes were read", (long)env.peak_bytes);
}

Test(kernel_cache, what_does_not_fit_is_not_kept)
{
    const struct rlimit little = {1000, 1000};
    static char         large[4096];

    memset(large, 'x', sizeof large - 1);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
    store(KEY, large);

    cr_expect_not(finds(KEY, ""));
    expect_note("File too large");
    cr_expect_eq(count_entries(inside), 0, "a temporary file is left");
}

Test(kernel_cache, full_disk_is_noted)
{
    static char large[64 << 10];

    if (mount("cairn", inside, "tmpfs", 0, "size=16k,mode=0700") != 0)
        cr_skip_test("no file system can be mounted");
    cairn_cache_close(&cache);
    open_at(inside);
    memset(large, 'x', sizeof large - 1);
    store(KEY, large);

    cr_expect_not(finds(KEY, ""));
    expect_note("No space left on device");
    cr_expect_eq(count_entries(inside), 0, "a temporary file is left");
    cairn_cache_close(&cache);
    cr_expect_eq(umount(inside), 0);
}

Test(kernel_cache, what_may_not_be_written_may_be_read)
{
    cairn_object     object = {0};
    cairn_cache_lock lock;

    store(KEY, "the object");
    if (mount(inside, inside, NULL, MS_BIND, NULL) != 0
        || mount(NULL, inside, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) != 0)
        cr_skip_test("no file system can be mounted");
    cairn_cache_close(&cache);
    open_at(inside);

    cr_expect(finds(KEY, "the object"));
    cr_assert_eq(cairn_cache_find_or_lock(&cache, "other", &object, &lock), CAIRN_OK);
    cr_expect_eq(lock.fd, -1);
    store("other", "cannot");
    expect_note("Read-only file system");
    cairn_cache_close(&cache);
    cr_expect_eq(umount(inside), 0);
}

Test(kernel_cache, folder_that_goes_away_is_no_failure)
{
    cr_assert_eq(rmdir(inside), 0);
    store(KEY, "the object");

    cr_expect_not(finds(KEY, ""));
    expect_note("No such file");
}

/// Store a kernel of 1000 bytes that was last used @p hours ago.
static void store_old(int number, int hours)
{
    static char           text[1001];
    const struct timespec then[2] = {
        {time(NULL) - 3600 * hours, 0},
        {time(NULL) - 3600 * hours, 0}
    };
    char key[32];

    memset(text, 'x', sizeof text - 1);
    snprintf(key, sizeof key, "kernel %d", number);
    store(key, text);
    print_path(key);
    cr_assert_eq(utimensat(AT_FDCWD, path, then, 0), 0);
}

static bool is_kept(int number)
{
    char key[32];

    snprintf(key, sizeof key, "kernel %d", number);
    print_path(key);
    return access(path, F_OK) == 0;
}

Test(kernel_cache, longest_unused_go_when_there_are_too_many)
{
    cairn_object object = {0};

    for (int k = 0; k < 8; k++)
        store_old(k, 10 + k);
    cr_assert_eq(cairn_cache_find(&cache, "kernel 7", &object), CAIRN_OK);
    cr_assert_not_null(object.bytes);
    cairn_object_free(&env, &object);
    cache.limit = 5000; /* four of about 1070 bytes, and an eighth free */
    store_old(8, 0);

    for (int k = 0; k < 9; k++)
        cr_expect_eq(is_kept(k), k < 2 || k > 6, "kernel %d", k);
}

Test(kernel_cache, newest_stays_however_small_the_limit)
{
    store_old(0, 5);
    cache.limit = 1;
    store_old(1, 0);

    cr_expect_not(is_kept(0));
    cr_expect(is_kept(1));
}

Test(kernel_cache, only_files_of_the_cache_are_removed)
{
    const struct timespec old[2] = {
        {1, 0},
        {1, 0}
    };
    static const struct {
        const char *name;
        bool        stays;
    } rows[] = {
        {"mine.so",                            true },
        {"cairn_0123456789abcdef.so.part-1-0", false}, /* of a writer that died */
        {"cairn_0123456789abcdef.so",          false},
        {"cairn_0123456789abcdeg.so",          true },
        {"cairn_0123456789abcdef.so.gz",       true },
        {"cairn_0123456789abcdef0.so",         true },
    };
    char name[160];

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        snprintf(name, sizeof name, "%s/%s", inside, rows[k].name);
        scratch_write(name, "some bytes", 10);
        cr_assert_eq(utimensat(AT_FDCWD, name, old, 0), 0);
    }
    cache.limit = 1;
    store(KEY, "the object");

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        snprintf(name, sizeof name, "%s/%s", inside, rows[k].name);
        cr_expect_eq(access(name, F_OK) == 0, rows[k].stays, "%s", rows[k].name);
    }
    cr_expect(finds(KEY, "the object"));
}

Test(kernel_cache, one_has_the_lock_and_the_other_waits_for_its_patience)
{
    cairn_cache      other;
    cairn_object     object = {0};
    cairn_cache_lock first, second, third;

    cairn_cache_open(&env, &other);
    other.patience = 0.1;
    cr_assert_eq(cairn_cache_find_or_lock(&cache, KEY, &object, &first), CAIRN_OK);
    cr_assert_geq(first.fd, 0, "not locked");
    cr_expect_null(object.bytes);

    const double start = cairn_seconds();

    cr_assert_eq(cairn_cache_find_or_lock(&other, KEY, &object, &second), CAIRN_OK);
    cr_expect_geq(cairn_seconds() - start, 0.1);
    cr_expect_eq(second.fd, -1);
    cr_expect_null(object.bytes);

    /* Another key is another lock. */
    cr_assert_eq(cairn_cache_find_or_lock(&other, "other", &object, &third), CAIRN_OK);
    cr_expect_geq(third.fd, 0);
    cairn_cache_unlock(&third);

    cairn_cache_unlock(&first);
    cr_assert_eq(cairn_cache_find_or_lock(&other, KEY, &object, &second), CAIRN_OK);
    cr_expect_geq(second.fd, 0);
    cairn_cache_unlock(&second);
    cairn_cache_unlock(&second);
    cairn_cache_close(&other);
}

/// In a child: take the lock, say so, and hold it until killed.
static void hold_lock(int ready)
{
    cairn_object     object = {0};
    cairn_cache_lock lock;

    cairn_cache_find_or_lock(&cache, KEY, &object, &lock);
    if (write(ready, lock.fd >= 0 ? "y" : "n", 1) == 1) pause();
    _exit(1);
}

Test(kernel_cache, lock_dies_with_its_holder)
{
    cairn_object     object = {0};
    cairn_cache_lock lock;
    int              ready[2];
    char             word = 0;

    cr_assert_eq(pipe(ready), 0);
    const pid_t child = fork();

    if (child == 0) hold_lock(ready[1]);
    cr_assert_eq(read(ready[0], &word, 1), 1);
    cr_assert_eq(word, 'y', "the child has no lock");
    cr_assert_eq(kill(child, SIGKILL), 0);
    const double start = cairn_seconds();

    cr_assert_eq(cairn_cache_find_or_lock(&cache, KEY, &object, &lock), CAIRN_OK);
    cr_expect_geq(lock.fd, 0);
    cr_expect_lt(cairn_seconds() - start, 30);
    cairn_cache_unlock(&lock);
    waitpid(child, NULL, 0);
}

Test(kernel_cache, no_lock_where_its_file_cannot_be)
{
    cairn_object     object = {0};
    cairn_cache_lock lock;
    char             name[160];

    snprintf(name, sizeof name, "%s/lock", inside);
    cr_assert_eq(mkdir(name, 0700), 0);
    cr_assert_eq(cairn_cache_find_or_lock(&cache, KEY, &object, &lock), CAIRN_OK);

    cr_expect_eq(lock.fd, -1);
    cr_expect_null(object.bytes);
}

Test(kernel_cache, survives_every_failed_allocation)
{
    cairn_object     object = {0};
    cairn_cache_lock lock;

    store(KEY, "the object");
    CAIRN_BRUTAL(&env, cairn_cache_find(&cache, KEY, &object));
    cr_expect_eq(memcmp(object.bytes, "the object", 10), 0);
    cairn_object_free(&env, &object);
    CAIRN_BRUTAL(&env, cairn_cache_find_or_lock(&cache, KEY, &object, &lock));
    cr_expect_not_null(object.bytes);
    cairn_cache_unlock(&lock);
    cairn_object_free(&env, &object);

    env.allowed = 0; /* storing needs none, and without memory nothing is pruned */
    store("other", "another");
    env.allowed = -1;
    cr_expect(finds("other", "another"));
}

Test(kernel_cache, leaves_no_descriptor)
{
    cairn_cache_close(&cache);
    const int before = count_descriptors();

    for (int k = 0; k < 10; k++) {
        cairn_object     object = {0};
        cairn_cache_lock lock;

        open_at(inside);
        cr_assert_eq(cairn_cache_find_or_lock(&cache, KEY, &object, &lock), CAIRN_OK);
        store(KEY, "the object");
        cairn_cache_unlock(&lock);
        cairn_object_free(&env, &object);
        cairn_cache_close(&cache);
    }
    cr_expect_eq(count_descriptors(), before);
}

Test(kernel_cache, build_is_the_linkers)
{
    unsigned char id[CAIRN_BUILD_ID];
    char          program[256] = "", text[600], line[256], hex[2 * CAIRN_BUILD_ID + 1];
    bool          seen         = false;
    const int     n            = cairn_build_id(id);

    cr_assert_gt(n, 0);
    cr_assert_gt(readlink("/proc/self/exe", program, sizeof program - 1), 0);
    for (int k = 0; k < n; k++)
        snprintf(hex + 2 * k, 3, "%02x", id[k]);
    snprintf(text, sizeof text, "readelf -n '%s'", program);
    FILE *notes = popen(text, "r");

    while (fgets(line, sizeof line, notes))
        seen |= strstr(line, "Build ID: ") && strstr(line, hex);
    if (pclose(notes) != 0) cr_skip_test("there is no readelf");
    cr_expect(seen, "%s", hex);
}

Test(kernel_cache, symbols_are_names_in_c)
{
    char a[CAIRN_KERNEL_SYMBOL], b[CAIRN_KERNEL_SYMBOL];

    cairn_kernel_symbol("", a);
    cr_expect_str_eq(a, "cairn_cbf29ce484222325"); /* FNV-1a's offset basis */
    cairn_kernel_symbol("foobar", a);
    cr_expect_str_eq(a, "cairn_85944171f73967e8"); /* from its authors' test vectors */
    cairn_kernel_symbol("foobas", b);
    cr_expect_neq(strcmp(a, b), 0);
}
