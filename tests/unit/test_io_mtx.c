// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Matrix Market files read by one process: what is accepted, what is refused and with
/// which line, plain and gzip, in chunks of any size.

#include "../support/read_cases.h"

#include <dirent.h>
#include <math.h>

TestSuite(io_mtx, .init = read_up, .fini = read_down, .timeout = 280);

#define GENERAL   "%%MatrixMarket matrix coordinate real general\n"
#define PATTERN   "%%MatrixMarket matrix coordinate pattern general\n"
#define INTEGER   "%%MatrixMarket matrix coordinate integer general\n"
#define SYMMETRIC "%%MatrixMarket matrix coordinate real symmetric\n"
#define SKEW      "%%MatrixMarket matrix coordinate real skew-symmetric\n"

static const file_case accepted[] = {
    {GENERAL "2 3 2\n1 1 1.5\n2 3 -2\n",                                             CAIRN_OK, "0,0=1.5 1,2=-2 "           },
    {GENERAL "2 3 2\n1 1 1.5\n2 3 -2",                                               CAIRN_OK, "0,0=1.5 1,2=-2 "           },
    {GENERAL "% note\n\n%\n2 3 1\n\n \t1\t 3 +4.0e0 \t\n\n",                         CAIRN_OK, "0,2=4 "                    },
    {"%%MatrixMarket matrix coordinate real general\r\n2 2 1\r\n2 1 3\r\n",          CAIRN_OK,
     "1,0=3 "                                                                                                              },
    {"%%MatrixMarket MATRIX Coordinate DOUBLE General\n2 2 1\n2 1 4.0\n",            CAIRN_OK,
     "1,0=4 "                                                                                                              },
    {GENERAL "2 2 2\n1 1 1\n% in between\n2 2 2\n",                                  CAIRN_OK, "0,0=1 1,1=2 "              },
    {GENERAL "2 2 3\n2 2 1\n1 1 0.0\n2 2 4\n",                                       CAIRN_OK, "1,1=1 0,0=0 1,1=4 "        },
    {GENERAL "3 4 0\n",                                                              CAIRN_OK, ""                          },
    {GENERAL "0 0 0",                                                                CAIRN_OK, ""                          },
    {GENERAL "2 2 2\n1 1 1.5D1\n+2 002 2d+0\n",                                      CAIRN_OK, "0,0=15 1,1=2 "             },
    {GENERAL "2 2 3\n1 1 nan\n2 2 -Inf\n1 2 infinity\n",                             CAIRN_OK,
     "0,0=nan 1,1=-inf 0,1=inf "                                                                                           },
    {GENERAL "1 1 1\n1 1 1e-999\n",                                                  CAIRN_OK, "0,0=0 "                    },
    {GENERAL "3000000000 3000000000 1\n3000000000 3000000000 2\n",                   CAIRN_OK,
     "2999999999,2999999999=2 "                                                                                            },
    {GENERAL "4294967296 4294967296 1\n1 1 1\n",                                     CAIRN_OK, "0,0=1 "                    },
    {GENERAL "9223372036854775807 9223372036854775807 1\n9223372036854775807 1 1\n",
     CAIRN_OK,                                                                                 "9223372036854775806,0=1 "  },
    {PATTERN "2 2 2\n1 2\n2 1\n",                                                    CAIRN_OK, "0,1=1 1,0=1 "              },
    {INTEGER "2 2 2\n1 2 -7\n2 1 9223372036854775807\n",                             CAIRN_OK,
     "0,1=-7 1,0=9.22337e+18 "                                                                                             },
    {SYMMETRIC "2 2 2\n1 1 1\n2 1 5\n",                                              CAIRN_OK, "0,0=1 1,0=5 0,1=5 "        },
    {SKEW "3 3 2\n2 1 5\n3 2 -1\n",                                                  CAIRN_OK, "1,0=5 0,1=-5 2,1=-1 1,2=1 "},
    {"%%MatrixMarket matrix array real general\n2 3\n1\n0\n3\n0\n5\n6\n",            CAIRN_OK,
     "0,0=1 0,1=3 0,2=5 1,2=6 "                                                                                            },
    {"%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n\n% note\n3\n",
     CAIRN_OK,                                                                                 "0,0=1 1,0=2 0,1=2 1,1=3 "  },
    {"%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",              CAIRN_OK,
     "1,0=1 0,1=-1 2,0=2 0,2=-2 2,1=3 1,2=-3 "                                                                             },
    {"%%MatrixMarket matrix array integer skew-symmetric\n2 2\n-7\n",                CAIRN_OK,
     "1,0=-7 0,1=7 "                                                                                                       },
    {"%%MatrixMarket matrix array integer general\n2 1\n3\n0\n",                     CAIRN_OK, "0,0=3 "                    },
    {"%%MatrixMarket matrix array real symmetric\n2 2\n0\n2\n0\n",                   CAIRN_OK,
     "1,0=2 0,1=2 "                                                                                                        },
    {"%%MatrixMarket matrix array double skew-symmetric\n1 1\n",                     CAIRN_OK, ""                          },
    {"%%MatrixMarket matrix array real general\n1 2\nnan\n-0.0\n",                   CAIRN_OK,
     "0,0=nan "                                                                                                            },
    {"%%MatrixMarket matrix array real general\n0 7\n",                              CAIRN_OK, ""                          },
};

static const file_case refused[] = {
    {"",                                                                   CAIRN_BAD_FILE,    "line 1: the file is empty"           },
    {"garbage\n",                                                          CAIRN_BAD_FILE,    "line 1: not a Matrix Market file"    },
    {"%%MatrixMarkt matrix coordinate real general\n1 1 0\n",              CAIRN_BAD_FILE,    "line 1"                              },
    {"%%MatrixMarketx matrix coordinate real general\n",                   CAIRN_BAD_FILE,    "line 1"                              },
    {"%%MatrixMarket matrix coordinate real\n1 1 0\n",                     CAIRN_BAD_FILE,
     "line 1: the banner is not '%%MatrixMarket matrix FORMAT"                                                                      },
    {"%%MatrixMarket matrix coordinate real general x\n",                  CAIRN_BAD_FILE,    "line 1"                              },
    {"%%MatrixMarket vector coordinate real general\n",                    CAIRN_BAD_FILE,    "object 'vec"                         },
    {"%%MatrixMarket matrix elemental real general\n",                     CAIRN_BAD_FILE,    "format 'elem"                        },
    {"%%MatrixMarket matrix coordinate float general\n",                   CAIRN_BAD_FILE,
     "field 'float'"                                                                                                                },
    {"%%MatrixMarket matrix coordinate real odd\n",                        CAIRN_BAD_FILE,    "symmetry 'odd'"                      },
    {"%%MatrixMarket matrix coordinate real hermitian\n2 2 0\n",           CAIRN_BAD_FILE,
     "line 1"                                                                                                                       },
    {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n",
     CAIRN_UNSUPPORTED,                                                                       "not in this version"                 },
    {"%%MatrixMarket matrix coordinate complex hermitian\n",               CAIRN_UNSUPPORTED,
     "line 1"                                                                                                                       },
    {"%%MatrixMarket matrix array pattern general\n1 1\n",                 CAIRN_BAD_FILE,    "line 1"                              },
    {"%%MatrixMarket matrix array pattern symmetric\n1 1\n",               CAIRN_BAD_FILE,    "line 1"                              },
    {"%%MatrixMarket matrix array real hermitian\n1 1\n1\n",               CAIRN_BAD_FILE,    "line 1"                              },
    {"%%MatrixMarket matrix array complex general\n1 1\n1 1\n",            CAIRN_UNSUPPORTED,
     "line 1"                                                                                                                       },
    {"%%MatrixMarket matrix array integer general\n1 1\n1.5\n",            CAIRN_BAD_FILE,
     "not an integer"                                                                                                               },
    {"%%MatrixMarket matrix array integer symmetric\n2 3\n1\n",            CAIRN_BAD_FILE,
     "square"                                                                                                                       },
    {"%%MatrixMarket matrix array real skew-symmetric\n2 2\n1\n2\n",       CAIRN_BAD_FILE,
     "line 4: more"                                                                                                                 },
    {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n",          CAIRN_BAD_FILE,
     "line"                                                                                                                         },
    {GENERAL,                                                              CAIRN_BAD_FILE,    "without a size line"                 },
    {GENERAL "% only\n%\n",                                                CAIRN_BAD_FILE,
     "line 3: the file ends without a size line"                                                                                    },
    {GENERAL "3 3\n1 1 1\n",                                               CAIRN_BAD_FILE,    "line 2: the size line is three"      },
    {GENERAL "3 3 1 1\n1 1 1\n",                                           CAIRN_BAD_FILE,    "line 2"                              },
    {GENERAL "3 -3 2\n",                                                   CAIRN_BAD_FILE,    "number of columns '-3' is negative"  },
    {GENERAL "3 3 -2\n",                                                   CAIRN_BAD_FILE,    "number of entries '-2' is negative"  },
    {GENERAL "3 3.5 2\n",                                                  CAIRN_BAD_FILE,    "'3.5' is not an integer"             },
    {GENERAL "99999999999999999999 1 1\n1 1 1\n",                          CAIRN_BAD_FILE,    "beyond 64 bits"                      },
    {SYMMETRIC "3 4 1\n1 1 1\n",                                           CAIRN_BAD_FILE,
     "line 2: a symmetric matrix is square"                                                                                         },
    {GENERAL "2 2 2\n1 1 1\n",                                             CAIRN_BAD_FILE,
     "declares 2 entries, but the file has 1"                                                                                       },
    {GENERAL "2 2 4000000000000\n1 1 1\n",                                 CAIRN_BAD_FILE,    "the file has 1"                      },
    {GENERAL "2 2 1152921504606846976\n1 1 1\n",                           CAIRN_BAD_FILE,    "the file has 1"                      },
    {GENERAL "2 2 1\n1 1 1\n\n2 2 2\n",                                    CAIRN_BAD_FILE,
     "line 5: more entries than the 1"                                                                                              },
    {GENERAL "2 2 2\n1 1 1\n2 2",                                          CAIRN_BAD_FILE,    "line 4: the value is missing"        },
    {GENERAL "2 2 2\n1 1\n3 2 1\n",                                        CAIRN_BAD_FILE,    "line 3: the value is missing"        },
    {GENERAL "2 2 1\n1\n",                                                 CAIRN_BAD_FILE,    "line 3: the column index is missing" },
    {GENERAL "2 2 1\n1 1 1 2\n",                                           CAIRN_BAD_FILE,
     "line 3: '2' follows a complete entry"                                                                                         },
    {PATTERN "2 2 1\n1 1 1\n",                                             CAIRN_BAD_FILE,    "line 3: '1' follows a complete entry"},
    {GENERAL "3 3 1\n4 1 1\n",                                             CAIRN_BAD_FILE,    "line 3: row index 4 is outside 1..3" },
    {GENERAL "3 3 1\n1 9 1\n",                                             CAIRN_BAD_FILE,    "column index 9 is outside 1..3"      },
    {GENERAL "3 3 1\n0 1 1\n",                                             CAIRN_BAD_FILE,    "row index 0 is outside"              },
    {GENERAL "3 3 1\n1 -1 1\n",                                            CAIRN_BAD_FILE,    "column index -1 is outside"          },
    {GENERAL "3 3 1\n4294967297 1 1\n",                                    CAIRN_BAD_FILE,    "outside 1..3"                        },
    {GENERAL "3 3 1\n18446744073709551617 1 1\n",                          CAIRN_BAD_FILE,    "outside 1..3"                        },
    {GENERAL "3 3 1\n1.5 1 1\n",                                           CAIRN_BAD_FILE,    "'1.5' is not an integer"             },
    {GENERAL "3 3 1\n1 x 1\n",                                             CAIRN_BAD_FILE,    "'x' is not an integer"               },
    {GENERAL "0 0 1\n1 1 1\n",                                             CAIRN_BAD_FILE,    "outside 1..0"                        },
    {GENERAL "1 1 1\n1 1 abc\n",                                           CAIRN_BAD_FILE,    "value 'abc' is not a number"         },
    {GENERAL "1 1 1\n1 1 1.0x\n",                                          CAIRN_BAD_FILE,    "value '1.0x' is not a number"        },
    {GENERAL "1 1 1\n1 1 1e999\n",                                         CAIRN_BAD_FILE,    "beyond the range of a double"        },
    {INTEGER "1 1 1\n1 1 2.5\n",                                           CAIRN_BAD_FILE,    "value '2.5' is not an integer"       },
    {INTEGER "1 1 1\n1 1 9223372036854775808\n",                           CAIRN_BAD_FILE,    "beyond 64 bits"                      },
    {SYMMETRIC "2 2 1\n1 2 5\n",                                           CAIRN_BAD_FILE,    "entry (1,2) is above the diagonal"   },
    {SYMMETRIC "2 2 2\n2 1 5\n1 2 5\n",                                    CAIRN_BAD_FILE,    "line 4"                              },
    {SKEW "2 2 1\n1 1 5\n",                                                CAIRN_BAD_FILE,    "entry (1,1) is on the diagonal"      },
    {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",           CAIRN_BAD_FILE,
     "declares 4 entries, but the file has 3"                                                                                       },
    {"%%MatrixMarket matrix array real general\n1 1\n1\n2\n",              CAIRN_BAD_FILE,    "line 4"                              },
    {"%%MatrixMarket matrix array real general\n1 2\n1 2\n",               CAIRN_BAD_FILE,    "line 3"                              },
    {"%%MatrixMarket matrix array real general\n1 1 1\n1\n",               CAIRN_BAD_FILE,    "line 2"                              },
    {"%%MatrixMarket matrix array real general\n"
     "9223372036854775807 9223372036854775807\n1\n",                  CAIRN_BAD_FILE,    "line 2"                              },
};

Test(io_mtx, what_is_right_is_accepted)
{
    check_cases(accepted, sizeof accepted / sizeof *accepted, ".mtx");
}

Test(io_mtx, what_is_wrong_is_refused_with_its_line)
{
    check_cases(refused, sizeof refused / sizeof *refused, ".mtx");
}

Test(io_mtx, nul_bytes_are_refused)
{
    static const char after_entry[] = GENERAL "2 2 2\n1 1 1\n\0 2 2 1\n";
    static const char in_token[]    = GENERAL "2 2 2\n1 1 1\n2 2 1\0\n";
    static const char in_header[]   = GENERAL "% a\0b\n2 2 1\n1 1 1\n";
    static const char in_comment[]  = GENERAL "2 2 1\n1 1 1\n% a\0b\n";
    const bytes_case  cases[]       = {
               {after_entry, sizeof after_entry - 1, "line 4: row index '?'"},
               {in_token,    sizeof in_token - 1,    "line 4: value '1?'"   },
               {in_header,   sizeof in_header - 1,   "line 2: a NUL byte"   },
               {in_comment,  sizeof in_comment - 1,  "line 4: a NUL byte"   },
    };

    check_bytes(cases, sizeof cases / sizeof *cases, ".mtx");
}

Test(io_mtx, missing_files_and_folders_are_told)
{
    char out[256];

    cr_expect_eq(read_and_print(64, out, sizeof out), CAIRN_IO);
    cr_expect(strstr(out, "No such file") != NULL, "%s", out);
    snprintf(path, sizeof path, "%s", folder);
    cr_expect_eq(read_and_print(64, out, sizeof out), CAIRN_IO);
    cr_expect(strstr(out, "not a regular file") != NULL, "%s", out);
}

Test(io_mtx, the_content_decides_before_the_name)
{
    char out[256];

    snprintf(path, sizeof path, "%s/a.tns.gz", folder);
    scratch_append_gzip(path, accepted[0].text, strlen(accepted[0].text));
    cr_expect_eq(read_and_print(64, out, sizeof out), CAIRN_OK, "%s", out);
    cr_expect_str_eq(out, accepted[0].expect);
    unlink(path);
    snprintf(path, sizeof path, "%s/b", folder);
    scratch_write(path, "1 1 1 1.0\n", 10);
    cr_expect_eq(read_and_print(64, out, sizeof out), CAIRN_BAD_FILE);
    cr_expect(strstr(out, "line 1: the kind of the file is unknown") != NULL, "%s",
              out);
    scratch_write(path, "", 0);
    cr_expect_eq(read_and_print(64, out, sizeof out), CAIRN_BAD_FILE);
    cr_expect(strstr(out, "line 1: the file is empty") != NULL, "%s", out);
}

/// A gzip file of two members, changed by @p change, read.
static cairn_status read_changed(void (*change)(char *bytes, size_t *length),
                                 char out[256])
{
    static const char head[] = GENERAL "3 3 2\n1 1 1\n", tail[] = "2 2 2\n";
    size_t            length;
    char             *bytes;

    unlink(path);
    scratch_append_gzip(path, head, sizeof head - 1);
    scratch_append_gzip(path, tail, sizeof tail - 1);
    bytes = scratch_read(path, &length);
    bytes = realloc(bytes, length + 16);
    change(bytes, &length);
    scratch_write(path, bytes, length);
    free(bytes);
    return read_and_print(64, out, 256);
}

static void change_nothing(char *bytes, size_t *length)
{
    (void)bytes, (void)length;
}

static void cut_trailer(char *bytes, size_t *length)
{
    (void)bytes;
    *length -= 5;
}

static void change_crc(char *bytes, size_t *length)
{
    bytes[*length - 8] ^= 1;
}

static void add_garbage(char *bytes, size_t *length)
{
    memcpy(bytes + *length, "garbage", 7);
    *length += 7;
}

static void change_data(char *bytes, size_t *length)
{
    memset(bytes + 12, 0xff, *length > 30 ? 10 : 0);
}

Test(io_mtx, gzip_files_are_checked_to_their_end)
{
    char out[256];

    for (env.options.threads = 1; env.options.threads < 3; env.options.threads++) {
        cr_expect_eq(read_changed(change_nothing, out), CAIRN_OK, "%s", out);
        cr_expect_str_eq(out, "0,0=1 1,1=2 ");
        cr_expect_eq(read_changed(cut_trailer, out), CAIRN_BAD_FILE);
        cr_expect(strstr(out, "end early") != NULL, "%s", out);
        cr_expect_eq(read_changed(change_crc, out), CAIRN_BAD_FILE);
        cr_expect(strstr(out, "damaged") != NULL, "%s", out);
        cr_expect_eq(read_changed(add_garbage, out), CAIRN_BAD_FILE);
        cr_expect(strstr(out, "follows") != NULL, "%s", out);
        cr_expect_eq(read_changed(change_data, out), CAIRN_BAD_FILE);
    }
}

/// A wrong line before damaged data is told, whatever was inflated ahead of it.
Test(io_mtx, the_first_of_two_failures_is_told)
{
    enum { LINES = 20000 };
    char  *text = malloc(LINES * 16 + 128), *bytes, out[256];
    size_t n    = (size_t)sprintf(text, "%s9 9 %d\n", PATTERN, LINES), length;

    for (int k = 0; k < LINES; k++)
        n += (size_t)sprintf(text + n, k == 50 ? "wrong\n" : "%d %d\n", 1 + k % 9,
                             1 + k * 7 % 9);
    scratch_append_gzip(path, text, n);
    bytes = scratch_read(path, &length);
    bytes[length - 8] ^= 1;
    scratch_write(path, bytes, length);
    for (env.options.threads = 1; env.options.threads < 4; env.options.threads++) {
        for (size_t chunk = 16; chunk <= 1 << 14; chunk *= 4) {
            cr_expect_eq(read_and_print(chunk, out, sizeof out), CAIRN_BAD_FILE);
            cr_expect(strstr(out, "line 53: row index 'wrong'") != NULL, "%s", out);
        }
        cr_expect_eq(read_and_print(1 << 20, out, sizeof out), CAIRN_BAD_FILE);
        cr_expect(strstr(out, "damaged") != NULL, "%s", out);
    }
    free(bytes);
    free(text);
}

Test(io_mtx, entries_beyond_the_memory_limit_are_refused)
{
    enum { N = 1000 };
    char  *text = malloc(N * 16 + 128), out[256];
    size_t n    = (size_t)sprintf(text, "%s%d %d %d\n", PATTERN, N, N, N);

    for (int k = 1; k <= N; k++)
        n += (size_t)sprintf(text + n, "%d %d\n", k, k);
    scratch_write(path, text, n);
    env.memory_limit = N * cairn_entry_bytes(2);
    cr_expect_eq(read_and_print(256, out, sizeof out), CAIRN_OK, "%s", out);
    env.memory_limit--;
    cr_expect_eq(read_and_print(256, out, sizeof out), CAIRN_NO_MEMORY);
    cr_expect(strstr(out, "limit") != NULL, "%s", out);
    free(text);
}

Test(io_mtx, survives_every_failed_allocation)
{
    check_allocations(accepted[0].text, ".mtx");
}

/// Whether a file of the malformed set is to be accepted, and with how many entries.
static long malformed_entries(const char *name)
{
    static const struct {
        const char *name;
        long        entries;
    } good[] = {
        {"array_dense.mtx",               4 },
        {"duplicates.mtx",                3 },
        {"gz_name_plain_content.mtx.gz",  1 },
        {"gz_two_members.mtx.gz",         2 },
        {"long_line.mtx",                 -2},
        {"nnz_exceeds_cells.mtx",         -2},
        {"ok_banner_case.mtx",            1 },
        {"ok_blank_lines_spaces.mtx",     2 },
        {"ok_crlf.mtx",                   3 },
        {"ok_explicit_zeros.mtx",         3 },
        {"ok_fortran_exponent.mtx",       2 },
        {"ok_no_trailing_newline.mtx",    2 },
        {"ok_unsorted.mtx",               -2},
        {"ok_zero_dims.mtx",              0 },
        {"ok_zero_nnz.mtx",               0 },
        {"size_over_int32.mtx",           2 },
        {"size_product_overflow.mtx",     1 },
        {"tns_crlf_no_newline.tns",       2 },
        {"tns_dims_product_overflow.tns", 2 },
        {"tns_duplicates.tns",            1 },
        {"tns_ok.tns",                    3 },
        {"value_nan_inf.mtx",             -2},
    };

    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        if (strcmp(good[k].name, name) == 0) return good[k].entries;
    return -1;
}

static void check_malformed(const char *name)
{
    const long      expected = malformed_entries(name);
    cairn_text_file source;
    char            file[512];

    snprintf(file, sizeof file, CAIRN_TEST_DATA "/malformed/%s", name);

    const cairn_status status = cairn_read_text(comm, file, &source);

    if (status != CAIRN_OK) {
        cr_expect_eq(expected, -1, "%s is refused: %s", name, env.message);
        cr_expect(!cairn_status_failed_here(status), "%s: %s", name, env.message);
        cr_expect(strstr(env.message, name) != NULL, "%s: %s", name, env.message);
        return;
    }
    cr_expect_eq(cairn_entries_sort(&env, &source.entries), CAIRN_OK);
    cr_expect_neq(expected, -1, "%s is accepted", name);
    cr_expect(expected == -2 || source.entries.n == expected, "%s has %ld entries",
              name, (long)source.entries.n);
    cairn_text_file_fini(&env, &source);
}

Test(io_mtx, the_malformed_set_is_read_as_decided)
{
    DIR *files = opendir(CAIRN_TEST_DATA "/malformed");
    int  count = 0;

    if (!files) cr_skip_test("no test data");
    for (const struct dirent *file; (file = readdir(files));) {
        if (file->d_name[0] == '.' || strcmp(file->d_name, "README.md") == 0) continue;
        check_malformed(file->d_name);
        count++;
    }
    closedir(files);
    cr_expect_geq(count, 70);
}

/// Take the next field of a line of tab-separated values.
static const char *take_field(char **line)
{
    char *field = strsep(line, "\t\n");

    return field ? field : "";
}

static void check_matrix(char *line)
{
    const char *field[18];
    char        file[512];

    for (int k = 0; k < 18; k++)
        field[k] = take_field(&line);
    if (strcmp(field[8], "complex") == 0 || !strstr(field[13], ".mtx")) return;
    snprintf(file, sizeof file, CAIRN_TEST_DATA "/matrices/%s", field[13]);

    cairn_text_file source;

    cr_assert_eq(cairn_read_text(comm, file, &source), CAIRN_OK, "%s", env.message);
    cr_assert_eq(cairn_entries_sort(&env, &source.entries), CAIRN_OK);
    cr_expect_eq(source.entries.n, atol(field[5]), "%s: %ld entries, not %s", field[0],
                 (long)source.entries.n, field[5]);
    cr_expect_eq(source.shape.extent[0], atol(field[2]), "%s", field[0]);
    cr_expect_eq(source.shape.extent[1], atol(field[3]), "%s", field[0]);
    cr_expect_str_eq(source.field, field[8]);
    cr_expect_str_eq(source.symmetry, field[9]);
    cairn_text_file_fini(&env, &source);
}

Test(io_mtx, the_matrices_have_their_known_numbers_of_entries)
{
    FILE  *list = fopen(CAIRN_TEST_DATA "/matrices/manifest.tsv", "r");
    char  *line = NULL;
    size_t room = 0;

    if (!list) cr_skip_test("no test data");
    cr_assert(getline(&line, &room, list) > 0);
    while (getline(&line, &room, list) > 0)
        check_matrix(line);
    free(line);
    fclose(list);
}
