// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The table of the door: what is aimed at, met or not, with a caller's arrays and vectors,
/// beside the best of all peers. Each pass is a process of its own (threads are counted when
/// libraries are loaded, and what a peer leaves behind ends with it) that tells its
/// contenders in CSV; the cells are made from these lines.

#include "door.h"

#include <math.h>
#include <sys/wait.h>

/// In this order. Those with what fits no cache are left out of the quick table.
static const door_pass passes[] = {
    {"spmv",    MADE, false, 1, 1 },
    {"spmv",    MADE, false, 2, 1 },
    {"spmv",    MADE, true,  1, 1 },
    {"spmv",    MADE, true,  2, 1 },
    {"spmv",    REAL, false, 1, 1 },
    {"spmv",    REAL, false, 2, 1 },
    {"spmm",    MADE, false, 1, 8 },
    {"spmm",    MADE, false, 1, 64},
    {"convert", MADE, false, 1, 1 },
    {"convert", MADE, false, 2, 1 },
    {"read",    MADE, false, 1, 1 },
    {"spmv",    FAR,  false, 1, 1 },
    {"spmv",    FAR,  false, 2, 1 },
    {"spmv",    FAR,  true,  1, 1 },
};

/// What a pass is asked about: in full, and quickly. NULL: all of the group.
static const struct {
    const char   *section;
    compare_group group;
    const char   *matrices[2], *peers[2], *formats[2];
} asked[] = {
    {"spmv",
     MADE,            {"s5_1000,s7_100,s27_64,band15,fem3,rmat18,rand16,pruned,mixed",
      "s5_1000,fem3,rmat18"},
     {NULL, "MKL,PETSc,Eigen"},
     {NULL, "auto;csr"}                                                                                                                          },
    {"spmv",
     REAL,            {NULL, "email-Enron,bcsstk16,delaunay_n15"},
     {NULL, "MKL,PETSc,Eigen"},
     {NULL, "auto;csr"}                                                                                                                          },
    {"spmv",    FAR,  {NULL, NULL},                                                                     {"MKL,PETSc,Eigen", ""}, {"auto;csr", ""}},
    {"spmm",
     MADE,            {"s5_1000,s7_100,s27_64,band15,fem3,rmat18,rand16,pruned,mixed", "s5_1000,fem3"},
     {"MKL,PETSc,Eigen,SciPy,MLIR,GraphBLAS", "MKL,Eigen"},
     {NULL, "auto;csr"}                                                                                                                          },
    {"convert",
     MADE,            {"s5_1000,s7_100,s27_64,band15,fem3,rmat18,rand16,wiki-Vote", "fem3,wiki-Vote"},
     {NULL, "MKL,CXSparse,Eigen"},
     {NULL, NULL}                                                                                                                                },
    {"read",    MADE, {NULL, NULL},                                                                     {NULL, NULL},            {NULL, NULL}    },
};

/// The fields of a line of CSV, as print_record() of table.c writes it.
enum {
    TASK,
    MATRIX,
    ENTRIES,
    PEER,
    WAY,
    ROUTE,
    RIGHT,
    ROUNDS,
    MEDIAN,
    LEAST,
    BYTES,
    READ,
    TRIAD,
    OTHERS,
    NEAR,
    ROLE,
    MEMORY,
    ISO,
    VALUES,
    CHOSEN,
    FIELDS
};

/// Cut a line at its commas, but for those between quotes.
/// @return Whether it has as many fields as it should.
static bool cut_line(char *line, char *field[FIELDS])
{
    bool quoted = false;
    int  n      = 0;

    field[n++] = line;
    for (char *at = line; *at; at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (*at == ',' && !quoted && n < FIELDS) {
            *at        = '\0';
            field[n++] = at + 1;
        } else if (*at == '\n')
            *at = '\0';
    }
    for (int k = 0; k < n; k++)
        if (*field[k] == '"') {
            field[k]++;
            field[k][strcspn(field[k], "\"")] = '\0';
        }
    return n == FIELDS;
}

static bool is_larger(const char *matrix)
{
    for (int k = 0; k < LARGER; k++)
        if (strcmp(compare_matrix_name(k, REAL), matrix) == 0) return true;
    return false;
}

static door_cell *add_cell(door_cells      *cells,
                           const door_pass *pass,
                           const char      *title,
                           const char      *matrix)
{
    door_cell *c;

    for (int k = 0; k < cells->count; k++) {
        c = &cells->cell[k];
        if (c->pass == pass && !strcmp(c->title, title) && !strcmp(c->matrix, matrix))
            return c;
    }
    if (cells->count == MOST_CELLS) compare_stop("--table", "too many matrices");
    c  = &cells->cell[cells->count++];
    *c = (door_cell){
        .pass        = pass,
        .peer        = NAN,
        .csr_peer    = NAN,
        .chosen_time = {NAN, NAN},
        .best        = {NAN, NAN},
        .csr         = {NAN, NAN},
        .borrowed    = NAN,
        .fresh_peer  = NAN,
        .fresh       = NAN,
        .loose       = NAN,
        .bytes       = NAN,
        .read        = NAN
    };
    snprintf(c->title, sizeof c->title, "%s", title);
    snprintf(c->matrix, sizeof c->matrix, "%s", matrix);
    return c;
}

/// @return Whether @p time is less than what was there (or nothing was), and is there now.
static bool keep_less(double *least, double time)
{
    if (!isnan(*least) && *least <= time) return false;
    *least = time;
    return true;
}

/// A library, or a loop by hand.
static void note_peer(door_cell *c, char **field, double time)
{
    const bool converts = strcmp(c->pass->section, "convert") == 0;
    char       name[96];

    const bool fresh = strcmp(field[MEMORY], "fresh memory") == 0;

    snprintf(name, sizeof name, "%.24s %.*s", field[PEER],
             converts ? (int)strcspn(field[WAY], ",") : 64, field[WAY]);
    if (strcmp(field[ROLE], "loose") == 0) {
        if (!fresh) keep_less(&c->loose, time);
        return;
    }
    if (fresh) {
        keep_less(&c->fresh_peer, time);
        return;
    }
    if (keep_less(&c->peer, time)) strcpy(c->peer_name, name);
    if (strstr(field[ROLE], "csr") && keep_less(&c->csr_peer, time))
        strcpy(c->csr_name, name);
}

static void note_ours(door_cell *c, char **field, double time)
{
    const bool  lent     = strcmp(field[ROLE], "lent") == 0;
    const bool  converts = strcmp(c->pass->section, "convert") == 0;
    const char *name     = *field[CHOSEN] ? field[CHOSEN] : field[WAY];
    const char *end      = strstr(name, ", ");

    if (strcmp(field[MEMORY], "fresh memory") == 0) {
        if (lent) keep_less(&c->fresh, time);
        return;
    }
    if (strcmp(field[ROLE], "borrowed") == 0) keep_less(&c->borrowed, time);
    if (*field[CHOSEN]) {
        keep_less(lent ? &c->chosen_time.lent : &c->chosen_time.own, time);
        snprintf(c->chosen, sizeof c->chosen, "%s", field[CHOSEN]);
        snprintf(c->values, sizeof c->values, "%s", field[VALUES]);
    }
    if (strcmp(field[WAY], "csr") == 0) keep_less(&c->csr.own, time);
    if (strncmp(field[WAY], "csr, caller's x", 15) == 0) {
        keep_less(&c->csr.lent, time);
        c->csr_bytes = atof(field[BYTES]);
    }
    if (strcmp(field[ROLE], "own") == 0) keep_less(&c->best.own, time);
    if (lent && keep_less(&c->best.lent, time))
        snprintf(c->best_name, sizeof c->best_name, "%.*s",
                 (int)(end ? end - name : (ptrdiff_t)strlen(name)), name);
    if (lent && (converts ? time == c->best.lent : *field[CHOSEN])) {
        c->bytes = atof(field[BYTES]);
        c->read  = 1e9 * atof(field[converts ? TRIAD : NEAR]);
    }
}

static void note_line(door_cells *cells, const door_pass *pass, char *line)
{
    char      *field[FIELDS];
    door_cell *c;

    if (!cut_line(line, field) || strcmp(field[TASK], "task") == 0) return;
    c          = add_cell(cells, pass, field[TASK], field[MATRIX]);
    c->entries = atof(field[ENTRIES]);
    c->iso     = atoi(field[ISO]);
    c->larger  = pass->group == REAL && is_larger(c->matrix);
    if (!atoi(field[RIGHT])) {
        cells->right = false;
        fprintf(stderr, "%s of %s by %s, %s: wrong\n", c->title, c->matrix, field[PEER],
                field[WAY]);
    } else if (strcmp(field[PEER], "Cairn") == 0)
        note_ours(c, field, 1e-3 * atof(field[MEDIAN]));
    else
        note_peer(c, field, 1e-3 * atof(field[MEDIAN]));
}

/// One reader of bench_read's JSON, in a line of its own: "name": "...", ... "median_ms": N.
/// Bounds are no peers.
static void note_reader(door_cells *cells, const door_pass *pass, char *line)
{
    static char file[64] = "";
    char       *at, name[64];
    door_cell  *c;
    double      time;

    if ((at = strstr(line, "\"file\": \""))) {
        at += 9;
        at[strcspn(at, "\"")] = '\0';
        snprintf(file, sizeof file, "%s", strrchr(at, '/') ? strrchr(at, '/') + 1 : at);
    }
    if (!(at = strstr(line, "\"name\": \""))) return;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 9, "\""), at + 9);
    at = strstr(at, "\"median_ms\": ");
    if (!at || strncmp(name, "bytes", 5) == 0) return;
    time = 1e-3 * atof(at + 13);
    c    = add_cell(cells, pass, "reading", file);
    if (strncmp(name, "Cairn", 5) != 0) {
        if (!strstr(name, "2 threads") && keep_less(&c->peer, time))
            snprintf(c->peer_name, sizeof c->peer_name, "%s", name);
    } else if (strstr(name, "1 thread"))
        c->best.lent = c->best.own = time;
}

/// The real matrices that are there, separated by commas.
static void list_real(const compare_settings *settings, char *list, size_t room)
{
    char   path[512];
    size_t n = 0;

    *list = '\0';
    for (int k = 0; compare_matrix_name(k, REAL); k++) {
        const char *name = compare_matrix_name(k, REAL);

        snprintf(path, sizeof path, "%s/matrices/%s.mtx.gz", settings->data, name);
        if (access(path, R_OK) == 0)
            n += (size_t)snprintf(list + n, room - n, "%s%s", n ? "," : "", name);
    }
}

static int find_asked(const door_pass *pass)
{
    int k = 0;

    while (strcmp(asked[k].section, pass->section) != 0
           || asked[k].group != pass->group)
        k++;
    return k;
}

/// The names that a pass is asked about; "": there are none.
static void list_matrices(const compare_settings *settings,
                          const door_pass        *pass,
                          char                   *list,
                          size_t                  room)
{
    const char *names = asked[find_asked(pass)].matrices[settings->quick];
    char        all[1024];

    if (pass->group == REAL)
        list_real(settings, all, sizeof all);
    else if (pass->group == FAR)
        snprintf(all, sizeof all, "%s",
                 pass->small ? "s7_300" : "s7_300,rand16_8m,rmat22");
    else
        snprintf(all, sizeof all, "%s", names ? names : "-");
    if (pass->group != REAL || !names) {
        snprintf(list, room, "%s", all);
        return;
    }
    *list = '\0';
    for (char *next = all, *name; (name = strsep(&next, ","));)
        if (*name && compare_in(names, name))
            snprintf(list + strlen(list), room - strlen(list), "%s%s", *list ? "," : "",
                     name);
}

/// @return false: there is nothing to ask.
static bool make_command(const compare_settings *s,
                         const door_pass        *pass,
                         char                   *command,
                         size_t                  room)
{
    const int   a       = find_asked(pass);
    const char *peers   = s->peers ? s->peers : asked[a].peers[s->quick];
    const char *formats = s->formats ? s->formats : asked[a].formats[s->quick];
    char        list[1024];
    size_t      n;

    if (strcmp(pass->section, "read") == 0) {
        snprintf(command, room, BENCH_FOLDER "/bench_read --json --rounds %d --n %d",
                 s->rounds,
                 s->tiny    ? 300
                 : s->quick ? 15000
                            : 60000);
        return true;
    }
    list_matrices(s, pass, list, sizeof list);
    if (!*list || (s->quick && pass->group == FAR)) return false;
    n = (size_t)snprintf(
        command, room,
        BENCH_FOLDER
        "/bench_compare --csv --section %s --matrix %s --dtype f64 --threads "
        "%d --values %s --pages %s --rounds %d --quiet %d --data '%s'%s%s",
        pass->section, list, pass->threads, pass->small ? "small" : "full", s->pages,
        s->rounds, s->quiet, s->data, s->tiny ? " --tiny" : "",
        s->keep ? " --keep" : "");
    if (pass->columns > 1)
        n += (size_t)snprintf(command + n, room - n, " --columns %d", pass->columns);
    if (strcmp(pass->section, "convert") == 0)
        n += (size_t)snprintf(
            command + n, room - n, " --convert %s",
            s->conversions ? s->conversions
            : s->quick     ? "csr-csc,rows-csr,coo-csr"
                           : "csr-csc,rows-csr,coo-csr,rows-dia,csr-ell,csr-bcsr,"
                             "csr-sell");
    if (peers) n += (size_t)snprintf(command + n, room - n, " --peers %s", peers);
    if (formats) snprintf(command + n, room - n, " --formats '%s'", formats);
    return true;
}

static void
run_pass(const compare_settings *settings, const door_pass *pass, door_cells *cells)
{
    const bool   reads = strcmp(pass->section, "read") == 0;
    const double begin = bench_seconds();
    char         command[4096], line[2048];
    int          status;
    FILE        *out;

    if (!make_command(settings, pass, command, sizeof command)) return;
    out = popen(command, "r");
    if (!out) compare_stop("cannot be started", command);
    while (fgets(line, sizeof line, out))
        if (reads)
            note_reader(cells, pass, line);
        else
            note_line(cells, pass, line);
    status = pclose(out);
    if (status) {
        fprintf(stderr, "ended with %d: %s\n",
                WIFEXITED(status) ? WEXITSTATUS(status) : -1, command);
        cells->right = false;
    }
    fprintf(stderr, "%s, %d columns, %d threads: %.0f s\n", pass->section,
            pass->columns, pass->threads, bench_seconds() - begin);
}

bool compare_door(const compare_settings *settings)
{
    static door_cells cells = {.right = true};

    compare_print_machine(settings);
    fflush(stdout);
    for (size_t k = 0; k < sizeof passes / sizeof *passes; k++)
        if (compare_in(settings->sections, passes[k].section)) {
            run_pass(settings, &passes[k], &cells);
            door_print_pass(&cells, &passes[k]);
        }
    door_print(&cells);
    return cells.right;
}
