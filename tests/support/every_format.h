// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Every format of the catalogue once, with parameters that small matrices are not
/// multiples of: what all formats, or all pairs of them, are tried with.

#ifndef CAIRN_TESTS_EVERY_FORMAT_H
#define CAIRN_TESTS_EVERY_FORMAT_H

#include <stdbool.h>
#include <string.h>

static const char *const formats[] = {"dense<2>",
                                      "coo",
                                      "csf<2>",
                                      "dok",
                                      "csr",
                                      "lil",
                                      "csc",
                                      "dcsr",
                                      "dcsc",
                                      "dia",
                                      "dia-variant",
                                      "bcsr<2,3>",
                                      "bcsc<3,2>",
                                      "bcoo<2,2>",
                                      "bdcsr<4,2>",
                                      "csb<3,3>",
                                      "bdia<3>",
                                      "c2sr<2>",
                                      "ell",
                                      "sell<2>",
                                      "sell-sigma<2,4>",
                                      "bell<2>",
                                      "cisr<3>",
                                      "cisr-plus<2>",
                                      "serpens<2,4,3>",
                                      "hybrid<bdia<2>,csr,0.5>",
                                      "hybrid<bell<2>,coo,0.25,0.5>",
                                      "hybrid<dia,dcsr,0.3>"};

enum { FORMATS = sizeof formats / sizeof *formats };

#endif
