// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Harwell-Boeing and Rutherford-Boeing files read by one process, and the fields of
/// Fortran's formats by themselves.

#include "../support/read_cases.h"
#include "io/harwell_boeing/io_fortran.h"
#include "io/harwell_boeing/io_hb.h"

#include <math.h>

TestSuite(io_hb, .init = read_up, .fini = read_down, .timeout = 280);

#define TITLE                                                                          \
    "A title of the matrix                                                   KEY     " \
    "\n"

/// The second card: cards of pointers, indices, values, right-hand sides.
#define CARDS_1000 \
    "             9             1             0             0             0\n"
#define CARDS_1100 \
    "             9             1             1             0             0\n"
#define CARDS_1110 \
    "             9             1             1             1             0\n"
#define CARDS_1111 \
    "             9             1             1             1             1\n"
#define CARDS_1112 \
    "             9             1             1             1             2\n"
#define CARDS_1120 \
    "             9             1             1             2             0\n"
#define CARDS_2120 \
    "             9             2             1             2             0\n"

#define P10        "(4I10)          "
#define V20        "(2E20.12)           "
#define FORMATS    P10 P10 V20 "                    \n"
#define POINTERS_3 "         1         2         3         4\n"
#define INDICES_3  "         1         2         3\n"
#define HEAD_3X3     \
    TITLE CARDS_1120 \
        "RUA                        3             3             3             0\n"
#define GENERAL HEAD_3X3 FORMATS POINTERS_3 INDICES_3

/// (2,1), (3,1) and (3,2), behind the third card.
#define TRIANGLE                                         \
    FORMATS "         1         3         4         4\n" \
            "         2         3         3\n"

static const file_case accepted[] = {
    {GENERAL "  1.000000000000E+00 -2.500000000000E+00\n  3.0\n",                     CAIRN_OK,
     "0,0=1 1,1=-2.5 2,2=3 "                                                                                                             },
    {GENERAL "  1.000000000000E+00 -2.500000000000E+00\n  3.000000000000E+00",        CAIRN_OK,
     "0,0=1 1,1=-2.5 2,2=3 "                                                                                                             },
 /* touching fields, other exponents, blanks in fields, words, blank lines at the end */
    {GENERAL " 1.00000000000000D+1-0.2500000000000+001\n           1 . 5 d 1\n \n\n",
     CAIRN_OK,                                                                                  "0,0=10 1,1=-2.5 2,2=15 "                },
    {GENERAL "                 NaN                -inf\n            1.0q-999\n",
     CAIRN_OK,                                                                                  "0,0=nan 1,1=-inf 2,2=0 "                },
 /* a number without a point has the format's decimals */
    {GENERAL "       1000000000000       1000000000000\n    -1000000000000E1\n",
     CAIRN_OK,                                                                                  "0,0=1 1,1=1 2,2=-10 "                   },
 /* CRLF, lower case, a tab as a blank */
    {"t\r\n             4             1             1             2             0\r\n"
     "rua                        3             3             3             0\r\n"
     "(4i10)          (4i10)          (2e20.12)\r\n"
     "         1         2         3         4\r\n         1         2         3\r\n"
     "                 1.0                 2.0\r\n\t                3.0\r\n",    CAIRN_OK, "0,0=1 1,1=2 2,2=3 "                     },
 /* symmetric, skew, pattern, integer */
    {TITLE CARDS_1120
     "RSA                        3             3             3             0\n" TRIANGLE
     "  1.0                 2.0\n  3.0\n",                                       CAIRN_OK, "1,0=1 0,1=1 2,0=2 0,2=2 2,1=3 1,2=3 "   },
    {TITLE CARDS_1120
     "RZA                        3             3             3             0\n" TRIANGLE
     "  1.0                 2.0\n  3.0\n",                                       CAIRN_OK, "1,0=1 0,1=-1 2,0=2 0,2=-2 2,1=3 1,2=-3 "},
    {TITLE CARDS_1100 "PSA                        3             3             3        "
                      "     0\n" TRIANGLE,
     CAIRN_OK,                                                                                  "1,0=1 0,1=1 2,0=1 0,2=1 2,1=1 1,2=1 "   },
    {TITLE CARDS_1110
     "IUA                        2             1             2             0\n" P10 P10
     "(8I3)               \n"
     "         1         3\n         1         2\n"
     " -7 12\n",                                                                 CAIRN_OK, "0,0=-7 1,0=12 "                         },
    {TITLE CARDS_1110
     "RRA                        2             1             2             0\n" P10 P10
     "(8I3)               \n"
     "         1         3\n         1         2\n"
     " -7 12\n",                                                                 CAIRN_OK, "0,0=-7 1,0=12 "                         },
 /* a symmetric diagonal has no mirror image; rows of a column in any order */
    {TITLE CARDS_1120
     "RSA                        2             2             3             0\n" FORMATS
     "         1         3         4\n         2         1         2\n"
     "                 5.0                 6.0\n                 7.0\n",         CAIRN_OK, "1,0=5 0,1=5 0,0=6 1,1=7 "               },
 /* duplicates are kept; several cards a section; empty columns */
    {TITLE CARDS_2120
     "RUA                        3             5             2             0\n" FORMATS
     "         1         1         3         3\n         3         3\n"
     "         2         2\n                 1.0                 2.0\n",         CAIRN_OK, "1,1=1 1,1=2 "                           },
 /* right-hand sides are skipped */
    {TITLE CARDS_1112
     "RUA                        1             1             1             0\n" P10 P10
         V20 "(2E20.12)           \n"
     "F                          1             0\n         1         2\n         1\n"
     "                 4.0\n anything\n                 1.0\n",                  CAIRN_OK, "0,0=4 "                                 },
 /* Rutherford-Boeing: four counts, the short fourth card */
    {"A title|key\n"
     "             3             1             1             1\n"
     "rua                        1             1             1             0\n"
     "(26i3)          (26i3)          (3(1P,E25.16))      \n"
     "  1  2\n  1\n   4.0000000000000000E+00\n",                                 CAIRN_OK, "0,0=4 "                                 },
    {"A title|key\n"
     "             2             1             1             0\n"
     "pua                        1             1             1             0\n"
     "(26i3)          (26i3)          \n  1  2\n  1\n",                          CAIRN_OK, "0,0=1 "                                 },
 /* a scale factor divides what has no exponent */
    {TITLE CARDS_1110
     "RUA                        1             1             1             0\n"
     "(4I10)          (4I10)          (1P,4D20.12)\n"
     "         1         2\n         1\n                25.0\n",                 CAIRN_OK, "0,0=2.5 "                               },
    {TITLE CARDS_1110
     "RUA                        1             1             1             0\n"
     "(4I10)          (4I10)          (1P4D20.12)\n"
     "         1         2\n         1\n              25.0D0\n",                 CAIRN_OK, "0,0=25 "                                },
 /* numbers out of their columns */
    {"t\n3 1 1 1 0\nRUA 2 2 1 0\n(4I10) (4I10) (4E10.2)\n"
     "         1         2         2\n         2\n     1.5\n",                   CAIRN_OK, "1,0=1.5 "                               },
    {"t\n   3   1   1   1   0\nRUA           2               2               1\n"
     "(4I10) (4I10) (4E10.2)\n"
     "         1         2         2\n         2\n     1.5\n",                   CAIRN_OK, "1,0=1.5 "                               },
 /* nothing in it */
    {TITLE CARDS_1000
     "RUA                        3             2             0             0\n" FORMATS
     "         1         1         1\n",                                         CAIRN_OK, ""                                       },
    {TITLE CARDS_1000
     "RUA                        0             0             0             0\n" FORMATS
     "         1\n",                                                             CAIRN_OK, ""                                       },
};

static const file_case refused[] = {
    {"",                                                                                      CAIRN_BAD_FILE,    "line 1: the file ends within its header cards"                  },
    {TITLE,                                                                                   CAIRN_BAD_FILE,    "line 1: the file ends within its header cards"                  },
    {HEAD_3X3,                                                                                CAIRN_BAD_FILE,    "line 3: the file ends within its header cards"                  },
    {TITLE CARDS_1111
     "RUA                        1             1             1             0\n" FORMATS,
     CAIRN_BAD_FILE,                                                                                             "line 4: the file ends within its header cards"                  },
    {TITLE "1 x 1\n",                                                                         CAIRN_BAD_FILE,    "line 2: the second card is"                                     },
    {TITLE "1 1\n",                                                                           CAIRN_BAD_FILE,    "line 2: the second card is"                                     },
    {TITLE "1 1 1 1 1 1\n",                                                                   CAIRN_BAD_FILE,    "line 2: the second card is"                                     },
    {TITLE "1 1 -1 1 1\n",                                                                    CAIRN_BAD_FILE,    "line 2: the second card is"                                     },
    {TITLE "1 1 1 1 99999999999999999999\n",                                                  CAIRN_BAD_FILE,    "line 2: the second card"                                        },
    {TITLE CARDS_1110
     "XUA                        1             1             1             0\n",         CAIRN_BAD_FILE,    "line 3: 'XUA' is no matrix type"                                },
    {TITLE CARDS_1110
     "RUAX                       1             1             1             0\n",         CAIRN_BAD_FILE,    "line 3: 'RUAX' is no matrix type"                               },
    {TITLE CARDS_1110 "\n",                                                                   CAIRN_BAD_FILE,    "line 3: '' is no matrix"                                        },
    {TITLE CARDS_1110
     "CUA                        1             1             1             0\n",         CAIRN_UNSUPPORTED, "line 3: type CUA: complex values: not in this version"          },
    {TITLE CARDS_1110
     "CHA                        1             1             1             0\n",         CAIRN_UNSUPPORTED, "complex"                                                        },
    {TITLE CARDS_1110
     "RHA                        1             1             1             0\n",         CAIRN_BAD_FILE,    "line 3: type RHA: hermitian matrices are complex"               },
    {TITLE CARDS_1110
     "RSE                        1             1             1             0\n",         CAIRN_UNSUPPORTED,
     "line 3: type RSE: elemental, not assembled: not in this version"                                                                                                            },
    {TITLE CARDS_1100
     "PZA                        1             1             1             0\n",         CAIRN_BAD_FILE,    "line 3: type PZA: a pattern has no signs"                       },
    {TITLE CARDS_1110
     "RSA                        1             2             1             0\n",         CAIRN_BAD_FILE,    "line 3: a symmetric matrix is square, but this is 1 x 2"        },
    {TITLE CARDS_1110 "RUA 3 3\n",                                                            CAIRN_BAD_FILE,    "line 3: the type is"                                            },
    {TITLE CARDS_1110 "RUA 3 3 -3 0\n",                                                       CAIRN_BAD_FILE,    "line 3: the ty"                                                 },
    {TITLE CARDS_1110 "RUA 1 9223372036854775807 0 0\n",                                      CAIRN_BAD_FILE,
     "line 3: the pointers of 9223372036854775807 columns"                                                                                                                        },
    {TITLE CARDS_1100
     "RUA                        1             1             1             0\n",         CAIRN_BAD_FILE,    "line 3: a real matrix has values"                               },
    {HEAD_3X3 "4I10\n",                                                                       CAIRN_BAD_FILE,
     "line 4: the format of the pointers is missing"                                                                                                                              },
    {HEAD_3X3 "(4I10)\n",                                                                     CAIRN_BAD_FILE,
     "line 4: the format of the indices is missing"                                                                                                                               },
    {HEAD_3X3 "(4I10)(4I10)(4E10.2\n",                                                        CAIRN_BAD_FILE,
     "format of the values is missing"                                                                                                                                            },
    {HEAD_3X3 "(4I10)(4I10)(2F10.2,I3)\n",                                                    CAIRN_BAD_FILE,
     "line 4: the format of the values, (2F10.2,I3), is none of equal fields"                                                                                                     },
    {HEAD_3X3 "(4E10.2)(4I10)(4E10.2)\n",                                                     CAIRN_BAD_FILE,
     "line 4: pointers and indices"                                                                                                                                               },
    {TITLE CARDS_1110
     "IUA                        1             1             1             0\n"
     "(I5)(I5)(E10.2)\n",                                                                CAIRN_BAD_FILE,    "line 4: the values of an integer matrix have an I format"       },
 /* pointers */
    {HEAD_3X3 FORMATS "         2         2         3         4\n",                           CAIRN_BAD_FILE,
     "line 5: column 1: the first column pointer is 2, not 1"                                                                                                                     },
    {HEAD_3X3 FORMATS "         1         3         2         4\n",                           CAIRN_BAD_FILE,
     "line 5: column 21: column pointer 2 is below the one before, 3"                                                                                                             },
    {HEAD_3X3 FORMATS "         1         9         3         4\n",                           CAIRN_BAD_FILE,
     "line 5: column 11: column pointer 9 is beyond the 3 entries"                                                                                                                },
    {HEAD_3X3 FORMATS "         1         2         3         3\n",                           CAIRN_BAD_FILE,
     "line 5: column 31: the last column pointer is 3, but there are 3 e"                                                                                                         },
    {HEAD_3X3 FORMATS "         1         2         x         4\n",                           CAIRN_BAD_FILE,
     "line 5: column 21: pointer '         x' is not an integer"                                                                                                                  },
    {HEAD_3X3 FORMATS "         1         2         3\n" INDICES_3,                           CAIRN_BAD_FILE,
     "line 5: column 31: blank, but 1 of 4 column pointers are missing"                                                                                                           },
    {HEAD_3X3 FORMATS,                                                                        CAIRN_BAD_FILE,
     "line 4: the file ends early: 4 of 4 column pointers are missing"                                                                                                            },
    {HEAD_3X3 FORMATS "         1         2         3         4 5\n",                         CAIRN_BAD_FILE,
     "line 5: column 42: '5' follows the last field of the card"                                                                                                                  },
 /* indices */
    {HEAD_3X3 FORMATS POINTERS_3 "         1         4         3\n",                          CAIRN_BAD_FILE,
     "line 6: column 11: row index 4 is outside 1..3"                                                                                                                             },
    {HEAD_3X3 FORMATS POINTERS_3 "         1         0         3\n",                          CAIRN_BAD_FILE,
     "line 6: column 11: row index 0 is outside 1..3"                                                                                                                             },
    {HEAD_3X3 FORMATS POINTERS_3 "         1        -1         3\n",                          CAIRN_BAD_FILE,
     "row index -1 is outside 1..3"                                                                                                                                               },
    {HEAD_3X3 FORMATS POINTERS_3 "         1       1.5         3\n",                          CAIRN_BAD_FILE,
     "line 6: column 11: row index '       1.5' is not an integer"                                                                                                                },
    {HEAD_3X3 "(4I10)          (2I20)          (2E20.12)\n" POINTERS_3
              "                   1 9999999999999999999\n",                              CAIRN_BAD_FILE,    "row index  9999999999999999999 is beyond 64 bits"               },
    {HEAD_3X3 FORMATS POINTERS_3 "         1         2\n         3\n",                        CAIRN_BAD_FILE,
     "line 6: column 21: blank, but 1 of 3 row indices are missing"                                                                                                               },
    {HEAD_3X3 FORMATS POINTERS_3 "         1         2         3         1\n",
     CAIRN_BAD_FILE,                                                                                             "line 6: column 40: '1' follows the last field of the card"      },
    {HEAD_3X3 FORMATS POINTERS_3,                                                             CAIRN_BAD_FILE,
     "line 5: the file ends early: 3 of 3 row indices are missing"                                                                                                                },
    {TITLE CARDS_1120
     "RSA                        3             3             3             0\n" FORMATS
         POINTERS_3 "         1         1         3\n"
     "                 1.0                 2.0\n                 3.0\n",                 CAIRN_BAD_FILE,
     "line 6: column 11: entry (1,2) is above the diagonal of a symmet"                                                                                                           },
    {TITLE CARDS_1120
     "RZA                        3             3             3             0\n" FORMATS
         POINTERS_3 INDICES_3
     "                 1.0                 2.0\n                 3.0\n",                 CAIRN_BAD_FILE,    "line 6: column 1: entry (1,1) is on the diagonal of a skew-symm"},
 /* values */
    {GENERAL,                                                                                 CAIRN_BAD_FILE,    "line 6: the file ends early: 3 of 3 values are missing"         },
    {GENERAL "                 1.0                 2.0\n",                                    CAIRN_BAD_FILE,
     "line 7: the file ends early: 1 of 3 values are missing"                                                                                                                     },
    {GENERAL "                 1.0\n                 2.0                 3.0\n",
     CAIRN_BAD_FILE,                                                                                             "line 7: column 21: blank, but 2 of 3 values are missing"        },
    {GENERAL "                 1.0\n\n",                                                      CAIRN_BAD_FILE,    "line 7: column 21: blank"                                       },
    {GENERAL "                 1.x                 2.0\n",                                    CAIRN_BAD_FILE,
     "line 7: column 1: value '                 1.x' is not a number"                                                                                                             },
    {GENERAL "               1e999                 2.0\n",                                    CAIRN_BAD_FILE,
     "1e999 is beyond the range of a double"                                                                                                                                      },
    {TITLE CARDS_1110
     "IUA                        1             1             1             0\n"
     "(I5)(I5)(I20)\n"
     "    1\n    2\n    1\n"
     "                 2.5\n",                                                           CAIRN_BAD_FILE,
     "line 8: column 1: value '                 2.5' is not an integer"                                                                                                           },
 /* behind the values */
    {GENERAL "                 1.0                 2.0\n                 3.0\n 4.0\n",
     CAIRN_BAD_FILE,                                                                                             "line 9: column 2: '4.0' follows the last data of the file"      },
    {TITLE CARDS_1112
     "RUA                        1             1             1             0\n" P10 P10
         V20 "(2E20.12)           \n"
     "F                          1             0\n         1         2\n         1\n"
     "                 4.0\n anything\n",                                                CAIRN_BAD_FILE,    "line 9: the file ends early: 1 of 2 cards of right-hand sides"  },
    {TITLE CARDS_1111
     "RUA                        1             1             1             0\n" P10 P10
         V20 "(2E20.12)           \n"
     "F                          1             0\n         1         2\n         1\n"
     "                 4.0\n anything\n more\n",                                         CAIRN_BAD_FILE,    "line 10: column 2: 'more' follows the last data of the file"    },
 /* what the header declares is not allocated */
    {TITLE CARDS_1110 "RUA 1 4000000000000000000 1 0\n(I5)(I5)(E9.2)\n"
                      "    1\n    1\n",                                                  CAIRN_BAD_FILE,
     "line 6: the file ends early: 3999999999999999999 of 4000000000000"                                                                                                          },
};

Test(io_hb, what_is_right_is_accepted)
{
    check_cases(accepted, sizeof accepted / sizeof *accepted, ".rua");
}

Test(io_hb, what_is_wrong_is_refused_with_its_place)
{
    check_cases(refused, sizeof refused / sizeof *refused, ".hb");
}

/// Files are known by their cards under any name.
Test(io_hb, the_content_decides_before_the_name)
{
    static const char *const endings[] = {".mtx", ".tns", "", ".rb", ".RSA", ".txt"};

    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        check_cases(accepted, 1, endings[k]);
        unlink(path);
    }
}

/// Where the content says nothing, the name does: any matrix type is an ending.
Test(io_hb, the_name_decides_where_the_content_does_not)
{
    static const char *const ours[]   = {".rua", ".PSA", ".iza", ".cha",
                                         ".rre", ".hb",  ".RB",  ".rsa.gz"};
    static const char *const others[] = {".xua", ".rxa", ".rux", "rua",
                                         ".a",   ".gz",  ""};
    char                     out[512];

    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) {
        snprintf(path, sizeof path, "%s/a%s", folder, ours[k]);
        scratch_write(path, "x\n", 2);
        cr_expect_eq(read_and_print(64, out, sizeof out), CAIRN_BAD_FILE);
        cr_expect(strstr(out, "within its header cards") != NULL, "%s", out);
        unlink(path);
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        snprintf(path, sizeof path, "%s/a%s", folder, others[k]);
        scratch_write(path, "x\n", 2);
        cr_expect_eq(read_and_print(64, out, sizeof out), CAIRN_BAD_FILE);
        cr_expect(strstr(out, "the kind of the file is unknown") != NULL, "%s", out);
        unlink(path);
    }
}

Test(io_hb, only_whole_headers_are_known)
{
    static const char *const others[] = {"",
                                         "1\n2\n3\n",
                                         "t\n1 1 1\n",
                                         "t\n1 1 1\nRUAX 1 1 1\n",
                                         "t\n1 1 x\nRUA 1 1 1\n",
                                         "1 1 1 1\n2 2 2 2\n3 3 3 3\n"};

    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        cr_expect_not(cairn_hb_probe(others[k], others[k] + strlen(others[k])), "%s",
                      others[k]);
    cr_expect(
        cairn_hb_probe(accepted[0].text, accepted[0].text + strlen(accepted[0].text)));
}

Test(io_hb, nul_bytes_are_refused)
{
    static const char in_title[] = "a\0b\n";
    static const char in_field[] =
        GENERAL "                 1.\0                 2.0\n                 3.0\n";
    static const char behind[] = TITLE CARDS_1111
        "RUA                        1             1             1             0\n" P10
            P10      V20 "\n"
             "F\n         1         2\n         1\n"
             "                 4.0\na\0b\n";
    const bytes_case cases[] = {
        {in_title, sizeof in_title - 1, "line 1: a NUL byte"          },
        {in_field, sizeof in_field - 1, "line 7: column 1: value"     },
        {behind,   sizeof behind - 1,   "line 9: column 1: a NUL byte"},
    };

    check_bytes(cases, sizeof cases / sizeof *cases, ".rua");
}

Test(io_hb, shape_and_words_are_the_headers)
{
    cairn_text_file source;

    snprintf(path, sizeof path, "%s/a.rza", folder);
    scratch_write(path, accepted[7].text, strlen(accepted[7].text));
    cr_assert_eq(cairn_read_text(comm, path, &source), CAIRN_OK, "%s", env.message);
    cr_expect(source.shape.order == 2 && source.shape.extent[0] == 3
              && source.shape.extent[1] == 3);
    cr_expect_str_eq(source.field, "real");
    cr_expect_str_eq(source.symmetry, "skew-symmetric");
    cairn_text_file_fini(&env, &source);
}

Test(io_hb, survives_every_failed_allocation)
{
    check_allocations(accepted[6].text, ".rsa");
}

/// Pointers of many columns, and entries, are held to the limit as they arrive.
Test(io_hb, what_is_beyond_the_memory_limit_is_refused)
{
    enum { COLS = 5000 };
    char  *text = malloc(COLS * 12 + 1000), out[256];
    size_t n    = (size_t)sprintf(text, "t\n1 1 1 0\npua 1 %d 1\n(I10)(I10)\n", COLS);

    for (int j = 0; j <= COLS; j++)
        n += (size_t)sprintf(text + n, "%10d\n", j < COLS ? 1 : 2);
    n += (size_t)sprintf(text + n, "%10d\n", 1);
    snprintf(path, sizeof path, "%s/a.pua", folder);
    scratch_write(path, text, n);
    env.memory_limit = COLS * 16;
    cr_expect_eq(read_and_print(512, out, sizeof out), CAIRN_OK, "%s", out);
    env.memory_limit = COLS * 4;
    cr_expect_eq(read_and_print(512, out, sizeof out), CAIRN_NO_MEMORY);
    cr_expect(strstr(out, "column pointers") != NULL, "%s", out);
    free(text);
}

Test(io_hb, formats_of_equal_fields_are_parsed)
{
    static const struct {
        const char *text;
        char        kind;
        int         repeat, width, decimals, scale;
    } cases[] = {
        {"(16I5)",         'I', 16, 5,  0,  0 },
        {"(I8)",           'I', 1,  8,  0,  0 },
        {"( 10 i 8 )",     'I', 10, 8,  0,  0 },
        {"(8I5.3)",        'I', 8,  5,  0,  0 },
        {"(5E16.8)",       'F', 5,  16, 8,  0 },
        {"(5F16.0)",       'F', 5,  16, 0,  0 },
        {"(5F16)",         'F', 5,  16, 0,  0 },
        {"(3G25.17)",      'F', 3,  25, 17, 0 },
        {"(3D25.17E3)",    'F', 3,  25, 17, 0 },
        {"(1P,4D20.12)",   'F', 4,  20, 12, 1 },
        {"(1P4D20.12)",    'F', 4,  20, 12, 1 },
        {"(-2P,4D20.12)",  'F', 4,  20, 12, -2},
        {"(3(1P,E25.16))", 'F', 3,  25, 16, 1 },
        {"(1p,3(e25.16))", 'F', 3,  25, 16, 1 },
        {"(3ES25.16)",     'F', 3,  25, 16, 0 },
        {"(EN24.15E3)",    'F', 1,  24, 15, 0 },
        {"(2(5I8))",       'I', 10, 8,  0,  0 },
    };
    static const char *const wrong[] = {"",
                                        "()",
                                        "(",
                                        "16I5",
                                        "(16I5",
                                        "(16I5))",
                                        "(0I5)",
                                        "(I0)",
                                        "(I)",
                                        "(16X5)",
                                        "(20001I5)",
                                        "(I201)",
                                        "(2F10.2,I3)",
                                        "(F10.)",
                                        "(E10.2E)",
                                        "(-3I5)",
                                        "(*)",
                                        "(3(1P,E25.16)",
                                        "(99999999999999999999I5)",
                                        "(F10.999)",
                                        "(I5)x",
                                        "(IS5)",
                                        "(200(100I5))",
                                        "(2(3(I5)))",
                                        "(100P,I5)"};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *const    text = cases[k].text;
        cairn_fortran_format f    = {0};

        cr_expect(cairn_fortran_parse(text, text + strlen(text), &f), "%s", text);
        cr_expect(f.kind == cases[k].kind && f.repeat == cases[k].repeat
                      && f.width == cases[k].width && f.decimals == cases[k].decimals
                      && f.scale == cases[k].scale,
                  "%s: %c %d %d %d %d", text, f.kind, f.repeat, f.width, f.decimals,
                  f.scale);
    }
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        cairn_fortran_format f;

        cr_expect_not(cairn_fortran_parse(wrong[k], wrong[k] + strlen(wrong[k]), &f),
                      "%s", wrong[k]);
    }
}

Test(io_hb, fields_are_read_as_fortran_does)
{
    static const struct {
        const char *text;
        int         decimals, scale, error;
        double      value;
    } cases[] = {
        {"1.5",                     4, 0,  0,  1.5      },
        {"15",                      1, 0,  0,  1.5      },
        {"-15",                     3, 0,  0,  -0.015   },
        {"1.5E2",                   4, 0,  0,  150      },
        {"1.5d+02",                 4, 0,  0,  150      },
        {"1.5+2",                   4, 0,  0,  150      },
        {"1.5-2",                   4, 0,  0,  0.015    },
        {"15+1",                    1, 0,  0,  15       },
        {"1.5Q1",                   0, 0,  0,  15       },
        {" 1 . 5 ",                 0, 0,  0,  1.5      },
        {".5",                      3, 0,  0,  0.5      },
        {"5.",                      3, 0,  0,  5        },
        {"25.0",                    0, 1,  0,  2.5      },
        {"25.0E0",                  0, 1,  0,  25       },
        {"25.0",                    0, -1, 0,  250      },
        {"0E999999999999999999999", 0, 0,  0,  0        },
        {"1E-99999999999999999999", 0, 0,  0,  0        },
        {"1E+99999999999999999999", 0, 0,  -2, 0        },
        {"1e400",                   0, 0,  -2, 0        },
        {"",                        0, 0,  -1, 0        },
        {"   ",                     0, 0,  -1, 0        },
        {".",                       0, 0,  -1, 0        },
        {"-",                       0, 0,  -1, 0        },
        {"1.2.3",                   0, 0,  -1, 0        },
        {"1.5E",                    0, 0,  -1, 0        },
        {"1.5x2",                   0, 0,  -1, 0        },
        {"--5",                     0, 0,  -1, 0        },
        {"1.5E+-2",                 0, 0,  -1, 0        },
        {"E5",                      0, 0,  -1, 0        },
        {"0x10",                    0, 0,  -1, 0        },
        {"-Infinity",               0, 0,  0,  -INFINITY},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const cairn_fortran_format f = {'F', 1, 80, cases[k].decimals, cases[k].scale};
        const char *const          text  = cases[k].text;
        double                     value = 0;
        const int error = cairn_fortran_real(&f, text, text + strlen(text), &value);

        cr_expect_eq(error, cases[k].error, "'%s': %d", text, error);
        cr_expect(error || value == cases[k].value, "'%s': %g", text, value);
    }
}
