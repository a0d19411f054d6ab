// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The functions that conversions ask for, as C, held to tests/golden/conversions: from
/// compressed rows to every format of the list, each file with the program that it is for.
/// Read them as code. That they do what they should: test_compiled_convert.c.

#include "convert/build_plan.h"
#include "support/conversion.h"
#include "support/golden.h"

static const struct {
    const char *from, *to, *file;
} conversions[] = {
    {"csr",       "coo",                                  "csr-to-coo"        },
    {"csr",       "csc",                                  "csr-to-csc"        },
    {"csr",       "dcsr",                                 "csr-to-dcsr"       },
    {"csr",       "dia",                                  "csr-to-dia"        },
    {"csr",       "bcsr<2,2>",                            "csr-to-bcsr"       },
    {"csr",       "bcoo<2,2>",                            "csr-to-bcoo"       },
    {"csr",       "bdia<4>",                              "csr-to-bdia"       },
    {"csr",       "csb<4,4>",                             "csr-to-csb"        },
    {"csr",       "ell",                                  "csr-to-ell"        },
    {"csr",       "sell<4>",                              "csr-to-sell"       },
    {"csr",       "sell-sigma<4,16>",                     "csr-to-sell-sigma" },
    {"csr",       "bell<2>",                              "csr-to-bell"       },
    {"csr",       "cisr<4>",                              "csr-to-cisr"       },
    {"csr",       "dense<2>",                             "csr-to-dense"      },
    {"csr",       "hybrid<bdia<4>,csr,0.6>",              "csr-to-hybrid"     },
    {"csr",       "hybrid<sell-sigma<4,16>,csr,0.2,0.6>", "csr-to-hybrid-keep"},
    {"csc",       "csr",                                  "csc-to-csr"        },
    {"coo",       "csr",                                  "coo-to-csr"        },
    {"bcsr<2,2>", "csr",                                  "bcsr-to-csr"       },
    {"ell",       "csr",                                  "ell-to-csr"        },
};

enum { TEXT = 1 << 18 };

/// What was asked for so far.
typedef struct {
    cairn_env *env;
    char       text[TEXT];
} writing;

static void add(writing *w, const char *text)
{
    const size_t at = strlen(w->text);

    cr_assert_lt(at + strlen(text), sizeof w->text);
    strcpy(w->text + at, text);
}

/// Write the function down, once each, without the declarations that all of them have.
static cairn_status
write_down(void *user, const cairn_kernel_request *request, cairn_kernel *kernel)
{
    static const char end[] = "} cairn_convert_args;\n";
    writing          *w     = user;
    char             *source, *declarations, *body;

    CAIRN_TRY(request->source(w->env, request->user, &source));
    declarations = strstr(source, "typedef ");
    body         = strstr(source, end);
    cr_assert(declarations && body && declarations < body);
    if (!strstr(w->text, body + strlen(end))) {
        *declarations = '\0';
        add(w, "\n");
        add(w, source);
        add(w, body + strlen(end) + 1);
    }
    cairn_free(w->env, source);
    *kernel = (cairn_kernel){.route = CAIRN_ROUTE_COMPILED};
    return CAIRN_OK;
}

static void give_back(void *user, cairn_kernel *kernel)
{
    (void)user;
    (void)kernel;
}

/// The program, as a comment.
static void add_program(writing *w, const cairn_pass_list *program)
{
    char *how;

    cr_assert_eq(cairn_pass_list_print(program, &how), CAIRN_OK);
    for (char *line = strtok(how, "\n"); line; line = strtok(NULL, "\n")) {
        add(w, "// ");
        add(w, line);
        add(w, "\n");
    }
    cairn_free(w->env, how);
}

Test(golden_conversions, are_as_reviewed, .timeout = 120)
{
    static writing functions, whole;
    cairn_env      env;

    cairn_env_init(&env);
    for (size_t k = 0; k < sizeof conversions / sizeof *conversions; k++) {
        cairn_kernel_loader loader = {.load         = write_down,
                                      .release      = give_back,
                                      .user         = &functions,
                                      .vector_bytes = 32,
                                      .threads      = 1};
        cairn_format       *from   = parse_format(&env, conversions[k].from);
        cairn_format       *to     = parse_format(&env, conversions[k].to);
        char                name[128];

        cairn_pass_list program;

        functions.env = whole.env = &env;
        functions.text[0] = whole.text[0] = '\0';
        cairn_pass_list_init(&program, &env);
        cr_assert_eq(cairn_build_plan(&env, from, to, NULL, &loader, &program),
                     CAIRN_OK, "%s: %s", conversions[k].file, env.message);
        add_program(&whole, &program);
        add(&whole, functions.text);
        snprintf(name, sizeof name, "conversions/%s.c", conversions[k].file);
        golden_expect(name, whole.text);
        cairn_pass_list_fini(&program);
        cairn_format_destroy(&to);
        cairn_format_destroy(&from);
    }
    cr_expect_eq(env.live_blocks, 0, "%ld blocks leak", (long)env.live_blocks);
    cairn_env_fini(&env);
}
