// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The worked arrays of docs/formats.md: Figure 1a in every format.

#include "support/names.h"
#include "support/storage.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

typedef struct {
    char format[700];
    char arrays[700];
} golden;

ParameterizedTestParameters(figure, arrays)
{
    static golden cases[] = {
        {"coo",                                                                          "idx0=[0,1,2,2,2,4] idx1=[0,1,1,2,3,3] val=[1,2,3,4,5,6]"              },
        {"dok",                                                                          "tuples0=[[0,0,1],[1,1,2],[2,1,3],[2,2,4],[2,3,5],[4,3,6]]"            },
        {"csr",                                                                          "ptr1=[0,1,2,5,5,6] idx1=[0,1,1,2,3,3] val=[1,2,3,4,5,6]"              },
        {"lil",                                                                          "tuples0=[[[0,1]],[[1,2]],[[1,3],[2,4],[3,5]],[],[[3,6]]]"             },
        {"csc",                                                                          "ptr1=[0,1,3,4,6] idx1=[0,1,2,2,2,4] val=[1,2,3,4,5,6]"                },
        {"dcsr",
         "idx0=[0,1,2,4] ptr1=[0,1,2,5,6] idx1=[0,1,1,2,3,3] val=[1,2,3,4,5,6]"                                                                                 },
        {"dcsc",
         "idx0=[0,1,2,3] ptr1=[0,1,3,4,6] idx1=[0,1,2,2,2,4] val=[1,2,3,4,5,6]"                                                                                 },
        {"dia",                                                                          "idx0=[-1,0,1] val=[0,0,3,0,6,1,2,4,0,0,0,0,5,0,0]"                    },
        {"dia-variant",                                                                  "idx0=[-1,0,1] val=[0,3,0,6,1,2,4,0,0,0,0,5]"                          },
        {"#encoding<{ idx_map<(d0,d1)->(d0-d1,d0)>, mutation<merge(0), trim(0,0)> }>",
         "idx0=[-1,0,1] val=[0,0,5,0,0,1,2,4,0,0,0,0,3,0,6]"                                                                                                    },
        {"bcsr<2,2>",
         "ptr1=[0,1,3,4] idx1=[0,0,1,1] val=[1,0,0,2,0,3,0,0,4,5,0,0,0,6,0,0]"                                                                                  },
        {"bcsc<2,2>",
         "ptr1=[0,2,4] idx1=[0,1,1,2] val=[1,0,0,2,0,3,0,0,4,5,0,0,0,6,0,0]"                                                                                    },
        {"bcoo<2,2>",
         "idx0=[0,1,1,2] idx1=[0,0,1,1] val=[1,0,0,2,0,3,0,0,4,5,0,0,0,6,0,0]"                                                                                  },
        {"bdcsr<2,2>",                                                                   "idx0=[0,1,2] ptr1=[0,1,3,4] idx1=[0,0,1,1] "
                       "val=[1,0,0,2,0,3,0,0,4,5,0,0,0,6,0,0]"                                                                            },
        {"csb<2,2>",                                                                     "ptr2=[0,2,2,3,5,5,6] idx2=[0,1,0,0,0,0] idx3=[0,1,1,0,1,1] "
                     "val=[1,2,3,4,5,6]"                                                                                                    },
        {"#encoding<{ idx_map<(d0,d1)->(d0/2,d1/2,d0%2,d1%2)>, "
         "mutation<merge(0,1,2), trim(3,3)> }>",                                "ptr3=[0,1,2,2,2,3,3,5,5,5,5,6,6] idx3=[0,1,1,0,1,1] val=[1,2,3,4,5,6]"},
        {"#encoding<{ idx_map<(d0,d1)->(d0/2,d1/2,d0%2,d1%2)>, "
         "mutation<merge(0,1,2), trim(2,3)> }>",                                "ptr2=[0,2,2,3,4,4,5] idx2=[0,1,0,0,0] ptr3=[0,1,2,3,5,6] idx3=[0,1,1,0,1,1] "
         "val=[1,2,3,4,5,6]"                                                                           },
        {"bdia<3>",                                                                      "ptr1=[0,3,4] idx1=[-1,0,1,-1] val=[0,0,3,1,2,4,0,0,5,0,6,0]"          },
        {"c2sr<2>",                                                                      "ptr2=[0,1,4,5] idx2=[0,1,2,3,3] val=[1,3,4,5,6] | "
                    "ptr2=[0,1,1,1] idx2=[1] val=[2]"                                                                                        },
        {"#encoding<{ idx_map<(d0,d1)->(d0%2,d0/2,d1)>, mutation<merge(0,1), "
         "trim(2,2)> }>",                                                       "ptr2=[0,1,4,5,6,6,6] idx2=[0,1,2,3,3,1] val=[1,3,4,5,6,2]"            },
        {"#encoding<{ idx_map<(d0,d1)->(d0,d1)>, mutation<merge(0), trim(1,1)>, "
         "layout<pack(1,2)> }>",                                                "ptr1=[0,1,2,5,5,6] tuples1=[[0,1],[1,2],[1,3],[2,4],[3,5],[3,6]]"     },
        {"ell",
         "idx2=[0,1,1,0,3,1,0,2,1,0,2,2,3,2,1] val=[1,2,3,0,6,0,0,4,0,0,0,0,5,0,0]"                                                                             },
        {"sell<2>",
         "ptr1=[0,1,4,5] idx3=[0,1,1,0,2,1,3,2,3,4] val=[1,2,3,0,4,0,5,0,6,0]"                                                                                  },
        {"sell-sigma<2,4>",
         "ptr1=[0,3,4,5] idx3=[2,0,1,3,4,5] idx4=[1,0,2,1,3,2,1,0,3,4] "
         "val=[3,1,4,0,5,0,2,0,6,0]"                                                                                                                            },
        {"cisr<2>",                                                                      "idx1=[0,2] ptr2=[0,1,4] idx2=[0,1,2,3] val=[1,3,4,5] | "
                    "idx1=[1,4] ptr2=[0,1,2] idx2=[1,3] val=[2,6]"                                                                           },
        {"cisr-plus<2>",                                                                 "idx2=[2] ptr3=[0,3] idx3=[1,2,3] val=[3,4,5] | "
                         "idx2=[0,1,4] ptr3=[0,1,2,3] idx3=[0,1,3] val=[1,2,6]"                                                         },
        {"bell<2>",                                                                      "idx2=[0,0,1,1,1,0] "
                    "val=[1,0,0,2,0,3,0,0,0,6,0,0,0,0,0,0,4,5,0,0,0,0,0,0]"                                                                  },
        {"serpens<2,4,2>",
         "ptr1=[0,5] idx3=[0,0,1,2,0,0,2,2,2,0] idx4=[0,0,0,2,1,0,2,2,2,0] "
         "idx5=[0,1,3,4,1,2,4,4,4,3] val=[1,3,6,0,2,4,0,0,0,5]"                                                                                                 },
        {"dense<2>",                                                                     "val=[1,0,0,0,0,2,0,0,0,3,4,5,0,0,0,0,0,0,0,6]"                        },
        {"#encoding<{ idx_map<(d0,d1)->(d0,d1,d0%2)>, mutation<merge(0), trim(1,1)> }>",
         "ptr1=[0,1,2,5,5,6] idx1=[0,1,1,2,3,3] idx2=[0,1,0,1,0] val=[1,2,3,4,5,6]"                                                                             },
        {"#encoding<{ idx_map<(d0,d1)->(d1-d0,d0,d1/2)>, mutation<merge(0), trim(0,0)> "
         "}>",                                                                  "idx0=[-1,0,1] idx2=[2,0,0,1,1,0,0,1,1,2,0,1,1,2,2] "
         "val=[0,0,3,0,6,1,2,4,0,0,0,0,5,0,0]"                                                                                           },
        {"#encoding<{ idx_map<(d0,d1)->(s,d1,d0%2,d0/2)>, mutation<merge(0), "
         "trim(0,0)>, indirect<{ c = sum(value) groupBy (d0,d1)->(d0,d1/2); "
         "s = reorder(c) descend }> }>",                                        "idx2=[2,2,0,0,0,0,2,2,1,1,2,2,0,0,2,2,2,2,0,0] "
         "idx3=[3,3,1,1,0,0,3,3,0,0,3,3,1,1,3,3,3,3,2,2] "
         "val=[0,0,4,5,1,0,0,0,0,2,0,0,0,3,0,0,0,0,0,6]"                                                       },
        {"sell-sigma<1,4>",                                                              "ptr1=[0,3,4,5,5,6] idx3=[2,0,1,3,4] idx4=[1,2,3,0,1,3] "
                            "val=[3,4,5,1,2,6]"                                                                                      },
        {"bcsr<1,3>",
         "ptr1=[0,1,2,4,4,5] idx1=[0,0,0,1,1] val=[1,0,0,0,2,0,0,3,4,5,0,0,6,0,0]"                                                                              },
        {"bcsr<1,1>",                                                                    "ptr1=[0,1,2,5,5,6] idx1=[0,1,1,2,3,3] val=[1,2,3,4,5,6]"              },
        {"bdia<1>",                                                                      "ptr1=[0,1,2,5,5,6] idx1=[0,0,-1,0,1,-1] val=[1,2,3,4,5,6]"            },
        {"bell<1>",
         "idx2=[0,1,1,0,3,1,0,2,1,0,2,2,3,2,1] val=[1,2,3,0,6,0,0,4,0,0,0,0,5,0,0]"                                                                             },
        {"sell<1>",                                                                      "ptr1=[0,1,2,5,5,6] idx3=[0,1,1,2,3,3] val=[1,2,3,4,5,6]"              },
        {"serpens<1,4,2>",
         "ptr1=[0,6] idx3=[0,1,0,1,2,1] idx4=[0,0,1,0,0,0] idx5=[0,1,1,2,3,3] "
         "val=[1,3,2,4,6,5]"                                                                                                                                    },
        {"hybrid<bdia<3>,csr>",                                                          "ptr1=[0,1,1] idx1=[0] val=[1,2,4] | "
                                "ptr1=[0,0,0,2,2,3] idx1=[1,3,3] val=[3,5,6]"                                                    },
        {"hybrid<bdia<3>,csr,0.3>",
         "ptr1=[0,3,4] idx1=[-1,0,1,-1] val=[0,0,3,1,2,4,0,0,5,0,6,0] | "
         "ptr1=[0,0,0,0,0,0] idx1=[] val=[]"                                                                                                                    },
        {"hybrid<bell<2>,coo,0.25>",                                                     "idx2=[0,1,0] val=[1,0,0,2,4,5,0,0,0,0,0,0] | "
                                     "idx0=[2,4] idx1=[1,3] val=[3,6]"                                                      },
        {"hybrid<bell<2>,coo,0>",
         "idx2=[0,0,1,1,1,0] val=[1,0,0,2,0,3,0,0,0,6,0,0,0,0,0,0,4,5,0,0,0,0,0,0] | "
         "idx0=[] idx1=[] val=[]"                                                                                                                               },
        {"hybrid<bell<2>,coo,0,0.5>",                                                    "idx2=[0,0,1] val=[1,0,0,2,0,3,0,0,0,6,0,0] | "
                                      "idx0=[2,2] idx1=[2,3] val=[4,5]"                                                    },
        {"hybrid<bell<2>,coo,0.5>",
         "idx2=[] val=[] | "
         "idx0=[0,1,2,2,2,4] idx1=[0,1,1,2,3,3] val=[1,2,3,4,5,6]"                                                                                              },
    };

    return cr_make_param_array(golden, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(golden *c, figure, arrays)
{
    static char    text[8192], named[1024];
    cairn_context *context;
    cairn_source  *source;
    cairn_format  *format;
    cairn_tensor  *tensor;
    int64_t        bytes, before, blocks, peak;

    cr_assert_eq(cairn_context_create(&context), CAIRN_OK);
    cairn_context_memory(context, &before, &blocks, &peak);
    cr_assert_eq(cairn_source_from_coords(context, 2, figure_extent, 6, figure_coord,
                                          figure_value, CAIRN_BY_ROWS, &source),
                 CAIRN_OK, "%s", cairn_context_message(context));
    by_name(c->format, named, sizeof named);
    cr_assert_eq(cairn_format_create(context, named, &format), CAIRN_OK, "%s: %s",
                 named, cairn_context_message(context));
    cr_assert_eq(cairn_tensor_create(source, format, CAIRN_F64, &tensor), CAIRN_OK,
                 "%s: %s", c->format, cairn_context_message(context));
    arrays_text(context, tensor, text, sizeof text);

    cr_expect_str_eq(text, c->arrays, "%s:\n  got  %s\n  want %s", c->format, text,
                     c->arrays);

    cairn_tensor_destroy(&tensor);
    cairn_format_destroy(&format);
    cairn_source_destroy(&source);
    cairn_context_memory(context, &bytes, &blocks, &peak);
    cr_expect_eq(bytes, before, "%" PRId64 " bytes left by %s", bytes - before,
                 c->format);
    cairn_context_destroy(&context);
}
