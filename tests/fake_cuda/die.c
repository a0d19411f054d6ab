// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The end of a process that misuses the driver.

#include "fake.h"

#include <stdio.h>
#include <stdlib.h>

void fake_die(const char *why)
{
    fprintf(stderr, "fake CUDA: %s\n", why);
    abort();
}
