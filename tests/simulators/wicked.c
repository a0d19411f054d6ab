// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A program that pretends to be a simulator and misbehaves as its argument says: in the
/// message of the kind that the second argument names (1 HELLO, 2 BUILD, 3 RUN).

#include <cairn/simulator.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// Answers beside the one that is sent afterwards: before Y is there, in pieces, too long,
/// or later, as if the next message had come.
static void answer_too_much(const char *how, const cairn_simulator_message *m)
{
    const int               to    = CAIRN_SIMULATOR_SOCKET;
    cairn_simulator_message early = *m;
    char                    long_one[sizeof *m + 8];

    if (strcmp(how, "short") == 0) send(to, m, 5, 0);
    if (strcmp(how, "half") == 0) send(to, m, sizeof *m / 2, 0);
    if (strcmp(how, "twice") == 0) {
        send(to, m, sizeof *m, 0);
        usleep(50000);
    }
    if (strcmp(how, "long") == 0) {
        memset(long_one, 0, sizeof long_one);
        memcpy(long_one, m, sizeof *m);
        send(to, long_one, sizeof long_one, 0);
    }
    if (strcmp(how, "later") != 0 || fork() != 0) return;
    usleep(20000);
    early.number++;
    send(to, &early, sizeof early, MSG_NOSIGNAL);
    _exit(0);
}

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
    if (strcmp(how, "no number") == 0) m->compute = (double)NAN;
    if (strcmp(how, "below 0") == 0) m->out = -1e-3;
    if (strcmp(how, "endless") == 0) m->in = (double)INFINITY;
    if (strcmp(how, "bytes") == 0) snprintf(m->text, sizeof m->text, "\xff\xfe quick");
    if (strcmp(how, "text") == 0) memset(m->text, 'a', sizeof m->text);
    if (strcmp(how, "fail") == 0) {
        m->status = CAIRN_SIMULATOR_FAILED;
        snprintf(m->text, sizeof m->text, "its lamp\nwent out");
    }
    if (strcmp(how, "unsupported") == 0) m->status = CAIRN_SIMULATOR_UNSUPPORTED;
    if (strcmp(how, "memory") == 0) m->status = CAIRN_SIMULATOR_NO_MEMORY;
    if (strcmp(how, "print") == 0) puts("what a simulator prints");
    if (strcmp(how, "number") == 0) m->number++;
    answer_too_much(how, m);
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
                                      .number    = m.number,
                                      .simulated = 1};
        snprintf(m.text, sizeof m.text, "%ld", (long)getpid());
        if ((int)m.kind == atoi(argv[2])) misbehave(argv[1], &m);
        fflush(stdout);
        send(CAIRN_SIMULATOR_SOCKET, &m, sizeof m, MSG_NOSIGNAL);
    }
    return 0;
}
