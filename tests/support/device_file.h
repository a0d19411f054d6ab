// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A context whose devices a test chooses, those of a file that it writes among them.

#ifndef CAIRN_TESTS_SUPPORT_DEVICE_FILE_H
#define CAIRN_TESTS_SUPPORT_DEVICE_FILE_H

#include "api/api.h"
#include "support/small_product.h"
#include "support/suite_context.h"

static char file[] = "/tmp/cairn-devices-XXXXXX.json";

static inline void up(void)
{
    const int fd = mkstemps(file, 5);

    cr_assert_geq(fd, 0);
    close(fd);
    context_up();
}

static inline void down(void)
{
    MUST(context, cairn_devices_check(context, NULL, "all", 0));
    context_down();
    unlink(file);
}

static inline void use_devices(const char *list)
{
    MUST(context, cairn_devices_check(context, NULL, list, 0));
}

/// Processors, and a debug device or two, each with the fields it is given, as in
/// ", \"memory\": 100". @p second NULL: there is one.
static inline void use_debug(const char *cpus, const char *first, const char *second)
{
    FILE *f = fopen(file, "w");
    char  list[64];

    cr_assert_not_null(f);
    fprintf(f, "[{\"kind\": \"debug\"%s}", first);
    if (second) fprintf(f, ", {\"kind\": \"debug\"%s}", second);
    fprintf(f, "]\n");
    fclose(f);
    snprintf(list, sizeof list, "%s,%s", cpus, file);
    use_devices(list);
}

#endif
