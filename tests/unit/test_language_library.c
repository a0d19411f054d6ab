// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Libraries: the catalogue, definitions with parameters, files, the paper's listings.

#include "support/language.h"
#include "support/scratch.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(language_library, .init = language_up, .fini = language_down);

#define CSR     "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)> }>"
#define COO     "#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<trim(0,1)> }>"
#define BAND(b) "#encoding<{ idx_map<(d0,d1)->(d0/" b ",d0%" b ",d1)> }>"

/// Sample arguments for a definition, by its parameters as they are written.
static const char *sample(const char *definition)
{
    if (strstr(definition, "<f,g")) return "<ell,csr,0.5,0.75>";
    if (strstr(definition, "<p,w=")) return "<8>";
    if (strncmp(strchr(definition, '#') + 1, "coo<", 4) == 0) return "";

    const char *head = definition + strcspn(definition, "<=");

    if (*head == '=') return "";
    return strcspn(head, ",") < strcspn(head, ">") ? "<2,4>" : "<3>";
}

Test(language_library, every_entry_of_the_catalogue_prints_itself)
{
    char spec[128];
    int  missing;

    cr_assert_eq(cairn_library_catalogue(&env, &library), CAIRN_OK, "%s", env.message);
    cr_expect_geq(cairn_library_size(library), 26);
    for (int k = 0; k < cairn_library_size(library); k++) {
        const char *name = cairn_library_name(library, k);
        char       *text;

        cr_assert_eq(cairn_library_definition(&env, library, name, &text, &missing),
                     CAIRN_OK);
        snprintf(spec, sizeof spec, "%s%s", name, sample(text));
        cr_expect(missing == 0 || strchr(spec, '<'), "%s", text);
        cairn_free(&env, text);
        cr_assert_eq(cairn_library_note(&env, library, name, &text), CAIRN_OK);
        cr_expect_gt(strlen(text), 10, "%s has no note", name);
        cairn_free(&env, text);
        cairn_free(&env, canonical(spec));
    }
}

Test(language_library, a_definition_comes_back_on_one_line)
{
    char *text;
    int   missing;

    define("// first\n#a<n,\n  m = 2 > = // why\n\t#encoding<{ idx_map<(i)\n->(i/n/m)> "
           "}> // end\n"
           "#b=a<3>");
    cr_assert_eq(cairn_library_size(library), 2);
    cr_expect_str_eq(cairn_library_name(library, 1), "b");
    cr_assert_eq(cairn_library_definition(&env, library, "a", &text, &missing),
                 CAIRN_OK);
    cr_expect_str_eq(text, "#a<n, m = 2 > = #encoding<{ idx_map<(i) ->(i/n/m)> }>");
    cr_expect_eq(missing, 1);
    cairn_free(&env, text);
    cr_assert_eq(cairn_library_definition(&env, library, "b", &text, &missing),
                 CAIRN_OK);
    cr_expect_str_eq(text, "#b=a<3>");
    cr_expect_eq(missing, 0);
    cairn_free(&env, text);
    cr_expect_eq(cairn_library_definition(&env, library, "c", &text, &missing),
                 CAIRN_BAD_FORMAT);
    cr_expect_str_eq(env.message, "format: defs: there is no format called c");
}

static void has_note(const char *name, const char *wanted)
{
    char *note;

    cr_assert_eq(cairn_library_note(&env, library, name, &note), CAIRN_OK);
    cr_expect_str_eq(note, wanted);
    cairn_free(&env, note);
}

Test(language_library, the_comment_before_a_definition_is_its_note)
{
    char *note;

    define("// first\n#a = csr\n// of nothing\n\n//   second  \r\n#b = csr // of b\n"
           "#c = csr\n#d = csr #e = csr");
    has_note("a", "first");
    has_note("b", "second");
    has_note("c", "");
    has_note("d", "");
    has_note("e", "");
    cr_expect_eq(cairn_library_note(&env, library, "f", &note), CAIRN_BAD_FORMAT);
    cairn_library_destroy(&env, &library);
    define("#a = csr // of a\n#b = csr");
    has_note("a", "");
    has_note("b", "");
}

Test(language_library, parameters)
{
    define("#band<b> = #encoding<{ idx_map<(i,j)->(i/b,i%b,j)> }>\n"
           "#twice<n, m = 2*n> = band<n+m/2>\n"
           "#n-1 = coo\n"
           "#pick<f, g> = f\n"
           "#hand<x> = both<x,x>\n"
           "#both<n,m> = band<n*m>\n"
           "#near<f> = #hybrid<{ fmats = [pick<f-ell,csr>, f] }>\n"
           "#f-ell = ell\n"
           "#minus<n> = band<n-1>\n"
           "#csr = coo\n");
    prints("band<7>", BAND("7"));
    prints("twice<3>", BAND("6"));
    prints("twice<3,10>", BAND("8"));
    prints("hand<3>", BAND("9"));
    prints("minus<4>", BAND("3"));
    prints("n-1", COO);
    prints("pick<n-1,csr>", COO);
    prints("csr", COO);
    prints(
        "pick<#encoding<{ idx_map<(a,b)->(a,b)>, mutation<merge(0),trim(1,1)> }>,coo>",
        CSR);
    prints("pick<pick<pick<band<2>,csr>,csr>,coo>", BAND("2"));

    char *near = canonical("near<csr>");

    cr_expect_not_null(strstr(near, "indirect(d1)"), "%s", near);
    cairn_free(&env, near);
}

Test(language_library, a_catalogue_entry_does_not_see_the_file)
{
    define(
        "#ell = csr\n#mine = #hybrid<{ fmats = [ell, coo], query = #rows, thresholds = "
        "[2] }>\n#rows = #also\n#also = sum(val) groupBy (i,j)->(i)");
    prints("mine", "#hybrid<{ fmats = [" CSR ", " COO
                   "], query = sum(value) groupBy (d0,d1)->(d0), thresholds = [2] }>");
    prints("hybrid<ell,coo>",
           "#hybrid<{ fmats = [" CSR ", " COO "], thresholds = [0.5] }>");
}

/// Open and print, or NULL with the message in the environment.
static char *opened(const char *spec)
{
    cairn_format *format = NULL;
    char         *text   = NULL;

    if (cairn_format_open(&env, spec, "--format", &format) != CAIRN_OK) return NULL;
    cr_assert_eq(cairn_format_print(&env, format, &text), CAIRN_OK);
    cairn_format_destroy(&format);
    return text;
}

static void opens(const char *spec, const char *print)
{
    char *text = opened(spec);

    cr_assert_not_null(text, "%s: %s", spec, env.message);
    cr_expect_str_eq(text, print);
    cairn_free(&env, text);
}

Test(language_library, a_format_from_a_file)
{
    static const char text[] = "#csr = coo\n#band<b> = #encoding<{ "
                               "idx_map<(i,j)->(i/b,i%b,j)> }>\n#wrong = band<0>";
    char              folder[64], path[128], spec[256], message[512];

    scratch_create(folder);
    snprintf(path, sizeof path, "%s/my:formats.txt", folder);
    scratch_write(path, text, strlen(text));
    snprintf(spec, sizeof spec, "%s:csr", path);
    opens(spec, COO);
    snprintf(spec, sizeof spec, "%s:band<4>", path);
    opens(spec, BAND("4"));
    snprintf(spec, sizeof spec, "%s:dcsr", path);
    cairn_free(&env, opened(spec));
    opens("csr", CSR);

    snprintf(spec, sizeof spec, "%s:band", path);
    cr_expect_null(opened(spec));
    snprintf(message, sizeof message,
             "format: --format:1:%zu: band needs 1 argument: b, as in 'band<2>'",
             strlen(path) + 2);
    cr_expect_str_eq(env.message, message);
    snprintf(spec, sizeof spec, "%s:wrong", path);
    cr_expect_null(opened(spec));
    cr_expect_not_null(
        strstr(env.message, "my:formats.txt:2:41: argument b of band is 0"), "%s",
        env.message);
    snprintf(spec, sizeof spec, "%s:", path);
    cr_expect_null(opened(spec));
    unlink(path);
    rmdir(folder);
}

Test(language_library, a_file_that_cannot_be_read)
{
    cairn_format *format = NULL;

    cr_expect_eq(cairn_format_open(&env, "/no/such\nfile:csr", "--format", &format),
                 CAIRN_IO);
    cr_expect_str_eq(
        env.message,
        "format: /no/such?file: cannot be read: No such file or directory");
    cr_expect_eq(cairn_format_open(&env, "/:csr", "--format", &format), CAIRN_IO);
    cr_expect_eq(cairn_format_open(&env, "/dev/zero:csr", "--format", &format),
                 CAIRN_IO);
    cr_expect_str_eq(env.message,
                     "format: /dev/zero: cannot be read: it is not a regular file");
    cr_expect_null(format);
}

/// A pipe that nobody writes to would be waited for.
Test(language_library, a_pipe_is_refused, .timeout = 60)
{
    cairn_format *format   = NULL;
    char          folder[] = "/tmp/cairn-XXXXXX", path[64], spec[80];

    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe", folder);
    snprintf(spec, sizeof spec, "%s:csr", path);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_expect_eq(cairn_format_open(&env, spec, "--format", &format), CAIRN_IO);
    cr_expect_null(format);
    unlink(path);
    rmdir(folder);
}

/// No end of it is read, however long.
Test(language_library, a_file_beyond_the_limit)
{
    cairn_format *format   = NULL;
    char          folder[] = "/tmp/cairn-XXXXXX", path[64], spec[80];

    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/long", folder);
    snprintf(spec, sizeof spec, "%s:csr", path);
    FILE *const file = fopen(path, "w");

    cr_assert_not_null(file);
    cr_assert_eq(ftruncate(fileno(file), (off_t)1 << 40), 0);
    fclose(file);
    cr_expect_eq(cairn_format_open(&env, spec, "--format", &format), CAIRN_BAD_SYNTAX);
    cr_expect_lt(env.peak_bytes, 8 << 20);
    unlink(path);
    rmdir(folder);
}

/// The listings as this project writes them; the printed ones are read below.
static const char listing[] =
    "#COO = #unisparse.encoding<{ idx_map = #unisparse.map<(i,j)->(i,j)>,\n"
    "  mutation = #unisparse.prim<trim(0,1)> }>\n"
    "#BDIA = #unisparse.encoding<{ idx_map = #unisparse.map<(i,j)->(i/3,j-i,i%3)>,\n"
    "  mutation = #unisparse.prim<merge(0), trim(1,1)> }>\n"
    "#PAIR = #unisparse.hybrid<{ fmats = [#BDIA, #COO] }>\n"
    "#count = #unisparse.sum< groupBy (i,j)->(i/3,j-i), with val ne 0 -> 1 | otherwise "
    "-> "
    "0 >\n"
    "#COUNTED = #unisparse.hybrid<{ fmats = [#BDIA, #COO], query = #count }>\n"
    "#CISR = #encoding<{ idx_map<(i,j)->(indirect(i),i,j)>, mutation<merge(0,1),\n"
    "  trim(1,2)>, indirect<{ sum(value) groupBy (i,j)->(i) with value ne 0 -> 1 | "
    "otherwise -> 0\n"
    "     schedule(i) traverseBy (i,j)->(i/2) }>, layout<partition(0)> }>\n";

#define BDIA                                                                          \
    "#encoding<{ idx_map<(d0,d1)->(d0/3,d1-d0,d0%3)>, mutation<merge(0), trim(1,1)> " \
    "}>"

Test(language_library, listings_in_the_style_of_the_paper)
{
    define(listing);
    prints("COO", COO);
    prints("PAIR", "#hybrid<{ fmats = [" BDIA ", " COO "], thresholds = [0.5] }>");
    prints("COUNTED",
           "#hybrid<{ fmats = [" BDIA ", " COO "], query = sum(value) groupBy "
           "(d0,d1)->(d0/3,d1-d0), thresholds = [0.5] }>");
    prints("CISR",
           "#encoding<{ idx_map<(d0,d1)->(indirect(d0),d0,d1)>, mutation<merge(0,1), "
           "trim(1,2)>, indirect<{ sum(value) groupBy (d0,d1)->(d0); schedule(d0) "
           "traverseBy (d0,d1)->(d0/2) }>, layout<partition(0)> }>");
}

/// Parse a file of listings and instantiate all but its queries.
static void read_listings(const char *name, int count)
{
    char   path[512];
    size_t length;

    snprintf(path, sizeof path, "%s/figures/%s", CAIRN_TEST_DATA, name);

    char *text = scratch_read(path, &length);

    cr_assert_eq(cairn_library_parse(&env, text, length, name, &library), CAIRN_OK,
                 "%s", env.message);
    free(text);
    cr_expect_eq(cairn_library_size(library), count);
    for (int k = 0; k < count; k++) {
        const char *entry = cairn_library_name(library, k);

        if (strcmp(entry, "sum") != 0) cairn_free(&env, canonical(entry));
    }
}

Test(language_library, the_listings_of_the_paper)
{
    if (access(CAIRN_TEST_DATA "/figures/figure3d.txt", R_OK) != 0)
        cr_skip_test("no test data");
    read_listings("figure3d.txt", 6);
    cairn_library_destroy(&env, &library);
    read_listings("figure7.txt", 11);
    prints("CSR", CSR);
    prints("DIA-variant",
           "#encoding<{ idx_map<(d0,d1)->(d1-d0,d1)>, mutation<merge(0), "
           "trim(0,0)> }>");
}
