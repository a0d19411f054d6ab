// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Every allocation made to fail in turn while files are read and written: the right
/// status, nothing left in memory or on the disk. And files that fail themselves.

#include "api/api.h"
#include "comm/read.h"
#include "support/brutal.h"
#include "support/storage.h"
#include "support/suite_context.h"

#include <dirent.h>

static char folder[64], path[128];
static char mark; ///< What outputs point to that nobody has set.

#define UNSET ((void *)&mark)

static const char general[] =
    "%%MatrixMarket matrix coordinate real general\n"
    "% six\n5 4 6\n1 1 1\n2 2 2\n3 2 3\n3 3 4\n3 4 5\n5 4 6\n";

/// A file of each kind, by its name.
static const struct {
    const char *name, *text;
    bool        gzip;
} files[] = {
    {"a.mtx",         general,                                                              false},
    {"a.mtx.gz",      general,                                                              true },
    {"array.mtx",     "%%MatrixMarket matrix array real general\n3 2\n1\n0\n2\n3\n0\n4\n",
     false                                                                                       },
    {"symmetric.mtx",
     "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 3\n4 1\n",          false},
    {"skew.mtx",      "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n",
     false                                                                                       },
    {"a.tns",         "# three modes\n1 1 1 1.5\n2 3 1 -2\n2 3 4 7\n",                      false},
    {"a.tns.gz",      "1 1 1 1.5\n2 3 1 -2\n2 3 4 7\n",                                     true },
    {"a.rua",
     "A matrix                                                                A       "
     "\n"
     "             3             1             1             1             0\n"
     "RUA                        3             3             3             0\n"
     "(4I5)           (3I5)           (3E9.2)             \n"
     "    1    2    3    4\n    1    3    2\n 1.00E+00 2.00E+00 3.00E+00\n",                false},
};

enum { FILES = sizeof files / sizeof *files };

/// Entries of the folder, "." and ".." not counted.
static int files_in_folder(void)
{
    DIR *dir = opendir(folder);
    int  n   = -2;

    cr_assert_not_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/// Put @p name of the folder into `path`.
static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void up(void)
{
    context_up();
    scratch_create(folder);
}

static void down(void)
{
    cr_expect_eq(files_in_folder(), 0, "something is left in %s", folder);
    rmdir(folder);
    context_down();
}

TestSuite(brutal_files, .init = up, .fini = down, .timeout = 240);

static void put(int k)
{
    in_folder(files[k].name);
    if (files[k].gzip)
        scratch_append_gzip(path, files[k].text, strlen(files[k].text));
    else
        scratch_write(path, files[k].text, strlen(files[k].text));
}

static void read_starving(void)
{
    cairn_source *source = UNSET;

    CAIRN_BRUTAL_AND(&context->env,
                     cairn_source_read(context, path, CAIRN_BY_NNZ, &source),
                     source == UNSET);
    cairn_source_destroy(&source);
}

Test(brutal_files, every_kind_is_read)
{
    for (int k = 0; k < FILES; k++) {
        put(k);
        read_starving();
        remove(path);
    }
}

/// In chunks so small that lines are cut, so that buffers grow.
static cairn_status read_in_chunks(cairn_text_file *file)
{
    CAIRN_TRY(cairn_read_text_in_chunks(context->comm, path, 7, file));
    cairn_text_file_fini(&context->env, file);
    return CAIRN_OK;
}

Test(brutal_files, every_kind_is_read_in_chunks)
{
    cairn_text_file file;

    for (int k = 0; k < FILES; k++) {
        put(k);
        CAIRN_BRUTAL(&context->env, read_in_chunks(&file));
        remove(path);
    }
}

static cairn_tensor *stored(const char *spec, cairn_source **source)
{
    MUST(context, cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                           figure_value, CAIRN_BY_ROWS, source));
    return must_store(context, *source, spec, CAIRN_F64);
}

Test(brutal_files, native_files_are_written_and_read)
{
    static const char *const formats[] = {"csr", "sell-sigma<2,4>", "serpens<2,4,2>",
                                          "hybrid<bell<2>,coo,0,0.5>"};

    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        cairn_source *source;
        cairn_tensor *tensor = stored(formats[k], &source);
        int64_t       bytes  = -7;

        in_folder("a.cairn");
        CAIRN_BRUTAL_AND(&context->env, cairn_tensor_write(tensor, path, &bytes),
                         bytes == -7 && files_in_folder() == 0);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
        read_starving();
        remove(path);
    }
}

Test(brutal_files, matrices_are_written)
{
    cairn_source *source;
    cairn_tensor *tensor = stored("ell", &source);
    int64_t       bytes  = -7;

    in_folder("a.mtx");
    CAIRN_BRUTAL_AND(&context->env, cairn_tensor_write(tensor, path, &bytes),
                     bytes == -7 && files_in_folder() == 0);
    remove(path);
    bytes = -7;
    CAIRN_BRUTAL_AND(&context->env,
                     cairn_tensor_write_text(tensor, source, path, &bytes),
                     bytes == -7 && files_in_folder() == 0);
    remove(path);
    CAIRN_BRUTAL_AND(&context->env, cairn_source_write(source, path),
                     files_in_folder() == 0);
    remove(path);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

/// Diagonals are moved and equal values repeated for SciPy, hybrids are written for readers
/// of arrays. What binsparse has is read again.
static void write_and_read_arrays(const char *name)
{
    static const char *const format[] = {"csr", "dia", "hybrid<bdia<2>,dok>"};

    for (int k = 0; k < 3; k++) {
        cairn_source *source;
        cairn_tensor *tensor = stored(format[k], &source);
        int64_t       bytes  = -7;

        in_folder(name);
        CAIRN_BRUTAL_AND(&context->env, cairn_tensor_write(tensor, path, &bytes),
                         bytes == -7 && files_in_folder() == 0);
        cairn_tensor_destroy(&tensor);
        cairn_source_destroy(&source);
        if (k == 0) read_starving();
        remove(path);
    }
}

Test(brutal_files, arrays_are_written_and_read)
{
    write_and_read_arrays("a.npz");
}

Test(brutal_files, arrays_in_hdf5_are_written_and_read)
{
    cairn_source      *source;
    cairn_tensor      *tensor = stored("csr", &source);
    const cairn_status there  = cairn_tensor_write(tensor, in_folder("a.h5"), NULL);

    remove(path);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
    if (there == CAIRN_ATTENTION) return; /* the library is not here, cli/hdf5 says */
    write_and_read_arrays("a.h5");
}

Test(brutal_files, operands_are_read_and_results_written)
{
    static const char x[] =
        "%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n";
    cairn_source *source;
    cairn_tensor *tensor = stored("csr", &source);
    cairn_plan   *plan;

    MUST(context, cairn_plan_create_spmv(tensor, &plan));
    scratch_write(in_folder("x.mtx"), x, strlen(x));
    CAIRN_BRUTAL(&context->env, cairn_plan_read_x(plan, path));
    remove(path);
    MUST(context, cairn_plan_run(plan, NULL, NULL));
    in_folder("y.mtx");
    CAIRN_BRUTAL_AND(&context->env, cairn_plan_write_y(plan, path),
                     files_in_folder() == 0);
    remove(path);
    cairn_plan_destroy(&plan);
    cairn_tensor_destroy(&tensor);
    cairn_source_destroy(&source);
}

Test(brutal_files, definitions_are_read)
{
    static const char text[] = "#mine<n> = bcsr<n,n>\n";
    cairn_format     *format = UNSET;
    char              spec[160];

    scratch_write(in_folder("f"), text, strlen(text));
    snprintf(spec, sizeof spec, "%s:mine<2>", path);
    CAIRN_BRUTAL_AND(&context->env, cairn_format_create(context, spec, &format),
                     format == UNSET);
    cairn_format_destroy(&format);
    remove(path);
}

/// A file that is not what it was when its head was read: the declared entries must all
/// be there, wherever it is cut.
Test(brutal_files, a_file_that_is_cut_is_refused)
{
    for (int k = 0; k < FILES; k++) {
        size_t length;
        char  *bytes = (put(k), scratch_read(path, &length));

        /* Digits of the last number may be missing: nothing shows that. */
        size_t last = length - 1;

        while (!files[k].gzip && strchr(" \n", bytes[last - 1]) == NULL)
            last--;
        /* A .tns file is any number of lines. */
        if (strstr(path, ".tns") && !files[k].gzip) last = 0;
        for (size_t n = 0; n < last; n++) {
            cairn_source *source = UNSET;

            scratch_write(path, bytes, n);
            const cairn_status status =
                cairn_source_read(context, path, CAIRN_BY_NNZ, &source);

            cr_assert(status == CAIRN_BAD_FILE || status == CAIRN_UNSUPPORTED,
                      "%s cut to %zu of %zu: %d: %s", path, n, length, status,
                      cairn_context_message(context));
            cr_assert_eq(source, UNSET);
        }
        free(bytes);
        remove(path);
    }
}
