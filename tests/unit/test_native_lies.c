// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Native files whose checksums are right and whose segments lie: refused, as a source
/// and as a tensor, with the file's name.

#include "api/api.h"
#include "support/names.h"
#include "support/native_file.h"
#include "support/storage.h"

#include <criterion/parameterized.h>

/// Word @p word of the segment becomes @p value; counted from behind the format's text
/// if it is negative (formats without queries): -1 the queries, -2 the banks, -3 the
/// entries of the first bank.
typedef struct {
    char    format[16];
    int     word;
    int64_t value;
} one_lie;

ParameterizedTestParameters(native_lies, are_refused)
{
    static one_lie cases[] = {
        {"csr", 6,  9      }, /* more columns than the box has */
        {"csr", 7,  1      }, /* rows from 1 on */
        {"csr", 8,  3      }, /* rows that are left out */
        {"csr", 8,  -1     }, /* a box that ends before it begins */
        {"csr", 9,  1      },
        {"csr", 10, 2      },
        {"csr", -1, 1      },
        {"csr", -2, 2      },
        {"csr", -3, 5      },
        {"csr", -3, 7      },
        {"csr", -3, 60     },
        {"dia", -3, 5      }, /* six values are not 0 */
        {"dia", -3, 16     }, /* three diagonals of five positions */
        {"dia", -3, 1000   },
        {"csr", 0,  0      }, /* versions */
        {"csr", 0,  3      }, /* which has two words more of each member */
        {"csr", 0,  4      },
        {"csr", 0,  5      }, /* which has rows at places */
        {"csr", 1,  3      },
        {"csr", 2,  33     },
        {"csr", 4,  2      },
        {"csr", 11, 1 << 20},
    };

    return cr_make_param_array(one_lie, cases, sizeof cases / sizeof *cases);
}

static void write_csr(cairn_context *context, const char *text, const char *path)
{
    cairn_source *source = NULL;
    cairn_format *format = NULL;
    cairn_tensor *tensor = NULL;

    cr_assert_eq(cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                          figure_value, CAIRN_BY_NNZ, &source),
                 CAIRN_OK);
    cr_assert_eq(cairn_format_create(context, named(text), &format), CAIRN_OK);
    cr_assert_eq(cairn_tensor_create(source, format, CAIRN_F64, &tensor), CAIRN_OK);
    cr_assert_eq(cairn_tensor_write(tensor, path, NULL), CAIRN_OK);
    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
}

/// Change one word of the only segment.
static void lie(const char *path, const one_lie *c)
{
    static native_file file;
    int64_t            text, at;

    native_file_load(path, &file);
    memcpy(&text, file.segment + 8 * 11, sizeof text);
    at = c->word >= 0 ? c->word : 12 + (text + 7) / 8 - c->word - 1;
    memcpy(file.segment + 8 * at, &c->value, sizeof c->value);
    native_file_store(path, &file);
}

ParameterizedTest(one_lie *c, native_lies, are_refused)
{
    char           folder[64], path[128];
    cairn_context *context;
    cairn_source  *source = NULL;
    cairn_tensor  *tensor = NULL;

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    scratch_create(folder);
    snprintf(path, sizeof path, "%s/a.cairn", folder);
    write_csr(context, c->format, path);
    cr_assert_eq(cairn_tensor_read(context, path, &tensor), CAIRN_OK);
    cairn_tensor_destroy(&tensor);
    lie(path, c);

    cr_expect_eq(cairn_source_read(context, path, CAIRN_BY_NNZ, &source),
                 CAIRN_BAD_FILE, "%s", cairn_context_message(context));
    cr_expect(strstr(cairn_context_message(context), path), "%s",
              cairn_context_message(context));
    cr_expect_eq(cairn_tensor_read(context, path, &tensor), CAIRN_BAD_FILE, "%s",
                 cairn_context_message(context));
    cr_expect(strstr(cairn_context_message(context), path), "%s",
              cairn_context_message(context));
    cairn_source_destroy(&source);
    cairn_tensor_destroy(&tensor);
    cr_assert_eq(remove(path), 0);
    cr_assert_eq(rmdir(folder), 0);
    cairn_context_destroy(&context);
}
