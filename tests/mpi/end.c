// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program that has Cairn start MPI and sets no log: its last rank comes late to the end,
/// and standard error says so.

#include <cairn/cairn.h>

#include <stdio.h>
#include <unistd.h>

int main(void)
{
    cairn_context *context = NULL;

    if (cairn_context_create_world(&context) != CAIRN_OK) {
        fprintf(stderr, "%s\n", cairn_context_message(context));
        return 1;
    }
    const int last = cairn_context_size(context) - 1;

    cairn_context_set_patience(context, 1, 0);
    if (cairn_context_rank(context) == last) sleep(3);
    cairn_context_destroy(&context);
    return 0;
}
