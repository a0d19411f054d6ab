// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program that pretends to be a simulator and misbehaves as its argument says: in the
/// message of the kind that the second argument names (1 HELLO, 2 BUILD, 3 RUN).

#include <cairn/simulator.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void misbehave(const char *how, cairn_simulator_message *m)
{
    if (strcmp(how, "die") == 0) raise(SIGKILL);
    if (strcmp(how, "exit") == 0) _exit(7);
    if (strcmp(how, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(how, "close") == 0) {
        close(CAIRN_SIMULATOR_SOCKET);
        for (;;)
            pause();
    }
    if (strcmp(how, "garbage") == 0) memset(m, 'x', sizeof *m);
    if (strcmp(how, "version") == 0) m->version = 99;
    if (strcmp(how, "kind") == 0) m->kind = 17;
    if (strcmp(how, "text") == 0) memset(m->text, 'a', sizeof m->text);
    if (strcmp(how, "fail") == 0) {
        m->status = CAIRN_SIMULATOR_FAILED;
        snprintf(m->text, sizeof m->text, "its lamp\nwent out");
    }
    if (strcmp(how, "unsupported") == 0) m->status = CAIRN_SIMULATOR_UNSUPPORTED;
    if (strcmp(how, "memory") == 0) m->status = CAIRN_SIMULATOR_NO_MEMORY;
    if (strcmp(how, "print") == 0) puts("what a simulator prints");
    if (strcmp(how, "short") == 0) send(CAIRN_SIMULATOR_SOCKET, m, 5, 0);
}

int main(int argc, char **argv)
{
    cairn_simulator_message m;

    if (argc < 3) return 2;
    while (recv(CAIRN_SIMULATOR_SOCKET, &m, sizeof m, 0) == sizeof m) {
        if (m.kind == CAIRN_SIMULATOR_QUIT) return 0;
        m = (cairn_simulator_message){.magic     = CAIRN_SIMULATOR_MAGIC,
                                      .version   = CAIRN_SIMULATOR_VERSION,
                                      .kind      = m.kind,
                                      .simulated = 1};
        snprintf(m.text, sizeof m.text, "%ld", (long)getpid());
        if ((int)m.kind == atoi(argv[2])) misbehave(argv[1], &m);
        fflush(stdout);
        send(CAIRN_SIMULATOR_SOCKET, &m, sizeof m, MSG_NOSIGNAL);
    }
    return 0;
}
