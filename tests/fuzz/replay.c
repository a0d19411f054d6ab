// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Give a fuzzer the files that are named, one after the other: the corpus, what once
/// was wrong, or one file with a debugger at hand. A check that fails ends the process.

#include "fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

static int replayed;

static void replay_file(const char *path)
{
    FILE       *file = fopen(path, "rb");
    struct stat about;

    FUZZ_CHECK(file && fstat(fileno(file), &about) == 0, "%s cannot be read", path);
    uint8_t *bytes = malloc((size_t)about.st_size + !about.st_size);
    size_t   size  = fread(bytes, 1, (size_t)about.st_size, file);

    fclose(file);
    printf("%s\n", path);
    fflush(stdout); /* The last line names the file that ends the process. */
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    replayed++;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void replay_folder(const char *folder)
{
    struct dirent **entry = NULL;
    const int       n     = scandir(folder, &entry, NULL, by_name);

    FUZZ_CHECK(n >= 0, "%s cannot be read", folder);
    for (int k = 0; k < n; k++) {
        char        path[4096];
        struct stat about;

        snprintf(path, sizeof path, "%s/%s", folder, entry[k]->d_name);
        if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) replay_file(path);
        free(entry[k]);
    }
    free(entry);
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        struct stat about;

        FUZZ_CHECK(stat(argv[k], &about) == 0, "%s is not there", argv[k]);
        if (S_ISDIR(about.st_mode))
            replay_folder(argv[k]);
        else
            replay_file(argv[k]);
    }
    printf("%d inputs\n", replayed);
    return replayed > 0 ? 0 : 1;
}
