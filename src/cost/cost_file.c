// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The file of measurements: where it is, reading, locking, replacing.

#include "cost/cost_file.h"

#include "base/file.h"
#include "emit/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 1000 /* times a millisecond; saving takes a few */ };

static void remark(cairn_costs *costs, const char *why)
{
    if (costs->note[0]) return;
    snprintf(costs->note, sizeof costs->note, "cost models: %.300s: %s", costs->path,
             why);
}

/// Read up to @p length bytes of a small file. @return how many there were; -1: it cannot
/// be read.
static int64_t read_all(int fd, char *bytes, int64_t length)
{
    int64_t done = 0;

    while (done < length) {
        const ssize_t n = read(fd, bytes + done, (size_t)(length - done));

        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) break;
        done += n;
    }
    return done;
}

/// The first word of a file that the kernel keeps; "-" where there is none.
static void read_word(const char *path, char word[64])
{
    const int fd     = open(path, O_RDONLY | O_CLOEXEC);
    int64_t   length = fd < 0 ? -1 : read_all(fd, word, 63);

    if (fd >= 0) close(fd);
    if (length < 0) length = 0;
    word[length]                   = '\0';
    word[strcspn(word, " \t\r\n")] = '\0';
    if (!word[0]) strcpy(word, "-");
}

static void make_fingerprint(cairn_costs *costs, const cairn_machine *machine)
{
    static const char folder[] = "/sys/devices/system/cpu/cpu0/cpufreq/";
    char              path[128], governor[64], clock[64];
    struct utsname    system = {.machine = "-"};

    uname(&system);
    snprintf(path, sizeof path, "%sscaling_governor", folder);
    read_word(path, governor);
    snprintf(path, sizeof path, "%scpuinfo_max_freq", folder);
    read_word(path, clock);
    snprintf(costs->host, sizeof costs->host,
             "%s, %s, threads %ld, governor %s, clock %s, cairn %s", machine->name,
             system.machine, sysconf(_SC_NPROCESSORS_CONF), governor, clock,
             CAIRN_VERSION);
    for (char *c = costs->host; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
}

/// "costs-HOST.json" in the folder of kernels, which is made where it is missing.
static void find_beside_kernels(cairn_costs *costs)
{
    struct utsname system = {.nodename = "localhost"};
    cairn_cache    cache;

    uname(&system);
    for (char *c = system.nodename; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-",
                    *c))
            *c = '_';
    cairn_cache_open(costs->env, &cache);
    const bool usable = cache.folder >= 0;

    cairn_cache_close(&cache);
    if (usable
        && snprintf(costs->path, sizeof costs->path, "%s/costs-%.64s.json", cache.path,
                    system.nodename)
               >= (int)sizeof costs->path - 32 /* for a lock, and a temporary name */)
        costs->path[0] = '\0';
    if (!usable && cache.note[0])
        snprintf(costs->note, sizeof costs->note, "cost models: not kept: %.400s",
                 cache.note);
}

/// Read a file that may be believed; without one nothing is read. @return why nothing was
/// read that is there; NULL.
static const char *read_file(const cairn_costs *costs, char **text, int64_t *length)
{
    const int   fd = open(costs->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat about;
    const char *why = NULL;

    *text = NULL, *length = 0;
    if (fd < 0) return errno == ENOENT ? NULL : strerror(errno);
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        why = "no file";
    else if (!cairn_cache_is_ours(about.st_uid, about.st_mode))
        why = "not used: it is another's, or others may write to it";
    else if (about.st_size > CAIRN_COST_LARGEST)
        why = "too long";
    else if (cairn_alloc(costs->env, about.st_size, 1, (void **)text) != CAIRN_OK)
        why = "no memory to read it";
    else if ((*length = read_all(fd, *text, about.st_size)) < 0)
        why = "it cannot be read";
    close(fd);
    return why;
}

/// Does a text begin as files of measurements do, even if it is cut or damaged?
static bool begins_as_ours(const char *text, int64_t length)
{
    static const char begin[] = "{\"cairn\": \"cost models\"";
    const size_t n = length < (int64_t)sizeof begin ? (size_t)length : sizeof begin - 1;

    return memcmp(text, begin, n) == 0 || memmem(text, n, "\"cairn\"", 7)
           || memmem(text, n, "\"cost models\"", 13);
}

/// Read the file's models. A file that was named and that holds something else is
/// left alone, for the name was a mistake.
static void load(cairn_costs *costs)
{
    const bool  named = costs->env->options.costs[0] != '\0';
    char       *text;
    int64_t     length;
    const char *why  = read_file(costs, &text, &length);
    bool        ours = !why || !named;

    if (!why && text) {
        why  = cairn_cost_parse(costs, text, (size_t)length, time(NULL));
        ours = !why || !named || begins_as_ours(text, length);
        if (!ours) why = "holds something else, and is left as it is";
    }
    cairn_free(costs->env, text);
    if (why) remark(costs, why);
    if (!ours) costs->path[0] = '\0';
}

void cairn_cost_file_open(cairn_costs *costs, const cairn_machine *machine)
{
    const char *given = costs->env->options.costs;

    make_fingerprint(costs, machine);
    if (strcmp(given, "none") == 0) return;
    if (!given[0])
        find_beside_kernels(costs);
    else if (strlen(given) < sizeof costs->path - 32)
        strcpy(costs->path, given);
    if (costs->path[0]) load(costs);
}

/// Take the lock of the file, waiting a little. @return -1: there are no locks here, or
/// it is not released.
static int take_lock(const cairn_costs *costs)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    char                  path[CAIRN_OPTION_PATH + 8];

    snprintf(path, sizeof path, "%s.lock", costs->path);
    const int fd = open(
        path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);

    for (int k = 0; fd >= 0 && k < PATIENCE; k++) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

        if (fcntl(fd, F_OFD_SETLK, &lock) == 0) return fd;
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) break;
        nanosleep(&moment, NULL);
    }
    if (fd >= 0) close(fd);
    return -1;
}

/// Replace the file. The message of a failure becomes a note, and its status is dropped.
/// @return was it replaced?
static bool store(cairn_costs *costs)
{
    cairn_env   *env = costs->env;
    cairn_file   file;
    char        *text = NULL;
    cairn_status status;

    CAIRN_GO(remark, cairn_cost_print(costs, &text));
    CAIRN_GO(remark, cairn_file_create(env, costs->path, &file));
    fchmod(file.fd, 0600); /* whatever the umask lets others do */
    status = cairn_file_write_at(&file, text, strlen(text), 0);
    if (status == CAIRN_OK)
        status = cairn_file_commit(&file);
    else
        cairn_file_discard(&file);

remark:
    cairn_free(env, text);
    if (status != CAIRN_OK) remark(costs, env->message);
    return status == CAIRN_OK;
}

/// Add what is fresh in @p from. @return false: there is no memory.
static bool add_fresh(cairn_costs *costs, const cairn_cost_model *from)
{
    cairn_cost_model *model = NULL;

    for (int k = 0; k < from->samples; k++) {
        cairn_cost_sample sample = from->sample[k];

        if (!sample.fresh) continue;
        if (!model)
            model =
                cairn_cost_add_model(costs, from->device, from->family, &from->prior);
        if (!model) return false;
        sample.fresh = false;
        model->prior = from->prior;
        cairn_cost_add_sample(model, &sample);
    }
    return true;
}

static bool has_fresh(const cairn_costs *costs)
{
    for (int k = 0; k < costs->models; k++)
        for (int s = 0; s < costs->model[k].samples; s++)
            if (costs->model[k].sample[s].fresh) return true;
    return false;
}

/// What the file has by now, and what is fresh here. What it says of memory was there
/// first. @return is it in the file?
static bool merge(cairn_costs *costs)
{
    cairn_costs both = *costs;
    bool        done = true;

    both.model  = NULL;
    both.models = both.capacity = 0;
    load(&both);
    for (int k = 0; k < costs->models && done; k++)
        done = add_fresh(&both, &costs->model[k]);
    memcpy(costs->note, both.note, sizeof both.note);
    if (done) {
        done = both.path[0] && store(&both);
        memcpy(costs->note, both.note, sizeof both.note);
        cairn_costs_fini(costs);
        *costs = both;
    } else {
        remark(costs, "not saved: no memory");
        cairn_costs_fini(&both);
    }
    return done;
}

void cairn_costs_save(cairn_costs *costs)
{
    if (!costs->path[0] || !has_fresh(costs)) return;
    const int lock = take_lock(costs);

    merge(costs);
    if (lock >= 0) close(lock);
}

/// What another process has measured since the file was read.
static void look_again(cairn_costs *costs)
{
    cairn_costs now = *costs;

    now.model  = NULL;
    now.models = now.capacity = 0;
    load(&now);
    costs->memory      = now.memory;
    costs->memory_when = now.memory_when;
    cairn_costs_fini(&now);
}

/// Measure, and keep what was found: what cannot be kept is forgotten.
static void measure_memory(cairn_costs *costs)
{
    cairn_memory_rates rates;

    if (cairn_memory_measure(costs->env, &rates) != CAIRN_OK
        || !cairn_memory_rates_valid(&rates))
        return;
    costs->memory      = rates;
    costs->memory_when = time(NULL);
    if (!merge(costs)) costs->memory_when = 0;
}

void cairn_costs_memory(cairn_costs *costs, cairn_memory_rates *factors)
{
    const bool ask  = costs->memory_when == 0 && costs->path[0];
    const int  lock = ask ? take_lock(costs) : -1;

    if (lock >= 0) {
        look_again(costs);
        if (costs->memory_when == 0) measure_memory(costs);
        close(lock);
    }
    if (costs->memory_when == 0) costs->memory_when = -1; /* not again */
    *factors = costs->memory_when > 0 ? cairn_memory_factors(&costs->memory)
                                      : (cairn_memory_rates){1, 1, 1};
}
