// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// FROSTT tensors read by one process: what is accepted, what is refused and with which
/// line, plain and gzip, in chunks of any size.

#include "../support/read_cases.h"
#include "io/matrix_market/io_tns.h"

TestSuite(io_tns, .init = read_up, .fini = read_down, .timeout = 280);

#define MANY "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "

static const file_case accepted[] = {
    {"1 1 1 1.5\n2 3 4 -2\n",                                       CAIRN_OK, "0,0,0=1.5 1,2,3=-2 "               },
    {"1 1 1 1.5\n2 3 4 -2",                                         CAIRN_OK, "0,0,0=1.5 1,2,3=-2 "               },
    {"1 1 1\r\n2 3 4\r\n",                                          CAIRN_OK, "0,0=1 1,2=4 "                      },
    {"\n# note\n \t\r\n  # more\n\t2 1\t 3.5 \n\n# end\n1 2 0\n\n", CAIRN_OK,
     "1,0=3.5 0,1=0 "                                                                                             },
    {"7 0.5\n2 1\n",                                                CAIRN_OK, "6=0.5 1=1 "                        },
    {"2 2 1\n2 2 4\n1 1 3\n",                                       CAIRN_OK, "1,1=1 1,1=4 0,0=3 "                },
    {"+2 002 1.5D1\n1 1 2d+0\n",                                    CAIRN_OK, "1,1=15 0,0=2 "                     },
    {"1 1 nan\n1 2 -Inf\n1 3 1e-999\n",                             CAIRN_OK, "0,0=nan 0,1=-inf 0,2=0 "           },
    {"4000000000 4000000000 4000000000 1.0\n1 1 1 2.0\n",           CAIRN_OK,
     "3999999999,3999999999,3999999999=1 0,0,0=2 "                                                                },
    {"9223372036854775807 1 1\n",                                   CAIRN_OK, "9223372036854775806,0=1 "          },
    {MANY "9\n",                                                    CAIRN_OK, "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0=9 "},
};

static const file_case refused[] = {
    {"",                                 CAIRN_BAD_FILE,    "line 1: the file has no entry"              },
    {"# only\n\n# notes",                CAIRN_BAD_FILE,    "line 3: the file has no entry"              },
    {"3\n2 2 2\n1 1 1 1.0\n",            CAIRN_BAD_FILE,    "line 1: one number is no entry"             },
    {"# x\n5",                           CAIRN_BAD_FILE,    "line 2: one number"                         },
    {"2 2 2\n1 1 1 1.0\n",               CAIRN_BAD_FILE,
     "line 2: 4 numbers, but the first entry has 3: 2 indices and a value"                               },
    {"1 1 1 1\n1 1 1\n",                 CAIRN_BAD_FILE,
     "line 2: 3 numbers, but the first entry has 4"                                                      },
    {"1 1 1 1\n\n# c\n2 2 2 2 2\n",      CAIRN_BAD_FILE,    "line 4: 5 numbers"                          },
    {"1 1 1 1\n1\n",                     CAIRN_BAD_FILE,    "line 2: 1 numbers"                          },
    {"1 1 1\n1 1 ",                      CAIRN_BAD_FILE,    "line 2: 2 numbers"                          },
    {"1 1 1\n1 1 1 # c\n",               CAIRN_BAD_FILE,    "line 2: 5 numbers"                          },
    {"0 1 1\n",                          CAIRN_BAD_FILE,    "line 1: index 1: 0 is below 1"              },
    {"1 1 1 1\n1 1 0 1\n",               CAIRN_BAD_FILE,    "line 2: index 3: 0 is below 1"              },
    {"1 -2 1\n",                         CAIRN_BAD_FILE,    "line 1: index 2: -2 is below 1"             },
    {"1 1 1\n1 9223372036854775808 1\n", CAIRN_BAD_FILE,
     "line 2: index 2: 9223372036854775808 is beyond 64 bits"                                            },
    {"-9223372036854775809 1 1\n",       CAIRN_BAD_FILE,
     "index 1: -9223372036854775809 is b"                                                                },
    {"1 x 1\n",                          CAIRN_BAD_FILE,    "line 1: index 2: 'x' is not an integer"     },
    {"1.5 1 1\n",                        CAIRN_BAD_FILE,    "index 1: '1.5' is not an integer"           },
    {"%%MatrixMarke t x\n",              CAIRN_BAD_FILE,    "index 1: '%%MatrixMarke' is not"            },
    {"1 1 abc\n",                        CAIRN_BAD_FILE,    "line 1: value 'abc' is not a number"        },
    {"1 1 1.0x\n",                       CAIRN_BAD_FILE,    "value '1.0x' is not a number"               },
    {"1 1 1e999\n",                      CAIRN_BAD_FILE,    "value 1e999 is beyond the range of a double"},
    {MANY "1 9\n",                       CAIRN_UNSUPPORTED, "line 1: 17 modes, more than 16"             },
};

Test(io_tns, what_is_right_is_accepted)
{
    check_cases(accepted, sizeof accepted / sizeof *accepted, ".tns");
}

Test(io_tns, what_is_wrong_is_refused_with_its_line)
{
    check_cases(refused, sizeof refused / sizeof *refused, ".tns");
}

/// The extents are the largest indices, the words those of a general real matrix.
Test(io_tns, extents_are_the_largest_indices)
{
    static const char text[] = "2 9 1 1\n5 1 1 2\n1 1 7 3\n";
    cairn_text_file   source;

    snprintf(path, sizeof path, "%s/a.TNS.gz", folder);
    scratch_append_gzip(path, text, sizeof text - 1);
    cr_assert_eq(cairn_read_text_in_chunks(comm, path, 3, &source), CAIRN_OK, "%s",
                 env.message);
    cr_expect_eq(source.shape.order, 3);
    cr_expect_eq(source.shape.extent[0], 5);
    cr_expect_eq(source.shape.extent[1], 9);
    cr_expect_eq(source.shape.extent[2], 7);
    cr_expect_str_eq(source.field, "real");
    cr_expect_str_eq(source.symmetry, "general");
    cairn_text_file_fini(&env, &source);
}

Test(io_tns, nul_bytes_are_refused)
{
    static const char in_head[]    = "# a\0b\n1 1 1\n";
    static const char in_comment[] = "1 1 1\n# a\0b\n";
    static const char in_line[]    = "1 1 1\n\0 1 1 1\n";
    static const char in_token[]   = "1 1 1\n1 1 1\0\n";
    const bytes_case  cases[]      = {
              {in_head,    sizeof in_head - 1,    "line 1: a NUL"     },
              {in_comment, sizeof in_comment - 1, "line 2: a NUL"     },
              {in_line,    sizeof in_line - 1,    "line 2: 4 numbers" },
              {in_token,   sizeof in_token - 1,   "line 2: value '1?'"},
    };

    check_bytes(cases, sizeof cases / sizeof *cases, ".tns");
}

/// Without a line number messages give the byte.
Test(io_tns, lines_are_told_by_their_byte_where_they_are_not_numbered)
{
    static const char      text[]    = "1 1 1\n1 x 1\n";
    const cairn_tns_header header    = {.order = 2};
    cairn_text_range       range     = {.first_line = 0, .offset = 100};
    cairn_coord            extent[2] = {0, 0};
    cairn_entries          entries;

    cairn_entries_init(&entries, 2);
    cr_expect_eq(cairn_tns_read_entries(&env, "f", &header, text,
                                        text + sizeof text - 1, &range, extent,
                                        &entries),
                 CAIRN_BAD_FILE);
    cr_expect_str_eq(env.message, "read: f: byte 106: index 2: 'x' is not an integer");
    cairn_entries_fini(&env, &entries);
}

Test(io_tns, survives_every_failed_allocation)
{
    check_allocations(accepted[0].text, ".tns");
}

Test(io_tns, entries_beyond_the_memory_limit_are_refused)
{
    enum { N = 1000 };
    char  *text = malloc(N * 32), out[256];
    size_t n    = 0;

    for (int k = 1; k <= N; k++)
        n += (size_t)sprintf(text + n, "%d 1 %d 2.5\n", k, k);
    snprintf(path, sizeof path, "%s/a.tns", folder);
    scratch_write(path, text, n);
    env.memory_limit = N * cairn_entry_bytes(3);
    cr_expect_eq(read_and_print(256, out, sizeof out), CAIRN_OK, "%s", out);
    env.memory_limit--;
    cr_expect_eq(read_and_print(256, out, sizeof out), CAIRN_NO_MEMORY);
    cr_expect(strstr(out, "limit") != NULL, "%s", out);
    free(text);
}
