// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// One section on the first card: facts, bits, trap, small (for a sanitizer), spmv, spmm,
/// hybrid, convert or tune; or, where there is none either, what would go wrong (doctor).

#include "card.h"

static const struct {
    const char *name;
    bool (*run)(card *c);
} sections[] = {
    {"facts",   card_facts  },
    {"bits",    card_bits   },
    {"trap",    card_trap   },
    {"small",   card_small  },
    {"spmv",    card_spmv   },
    {"spmm",    card_spmm   },
    {"hybrid",  card_hybrid },
    {"convert", card_convert},
    {"tune",    card_tune   },
};

static const char usage[] =
    "usage: bench_cuda doctor\n"
    "       bench_cuda facts|bits|trap|small|spmv|spmm|hybrid|convert|tune [--seconds "
    "S] "
    "[--share K/N] "
    "[--rounds N] [--threads N] [--matrix LIST] [--data DIR] [--tiny]\n";

/// Read an option with a value. @return Whether it is one.
static bool read_option(card_settings *settings, const char *option, const char *value)
{
    if (strcmp(option, "--seconds") == 0)
        settings->seconds = atof(value);
    else if (strcmp(option, "--share") == 0)
        return sscanf(value, "%d/%d", &settings->share, &settings->shares) == 2
               && settings->shares > 0;
    else if (strcmp(option, "--rounds") == 0)
        settings->rounds = atoi(value);
    else if (strcmp(option, "--threads") == 0)
        settings->threads = atoi(value);
    else if (strcmp(option, "--matrix") == 0)
        settings->matrices = value;
    else if (strcmp(option, "--data") == 0)
        settings->data = value;
    else
        return false;
    return settings->rounds > 0;
}

int main(int argc, char **argv)
{
    card_settings settings = {.seconds = 300, .shares = 1, .rounds = 7};
    size_t        section  = 0;
    card          c;

    if (argc == 2 && strcmp(argv[1], "doctor") == 0) return card_doctor() ? 0 : 1;
    while (argc > 1 && section < sizeof sections / sizeof *sections
           && strcmp(sections[section].name, argv[1]) != 0)
        section++;
    if (argc < 2 || section == sizeof sections / sizeof *sections) {
        fputs(usage, stderr);
        return 2;
    }
    for (int k = 2; k < argc; k++) {
        if (strcmp(argv[k], "--tiny") == 0)
            settings.tiny = true;
        else if (k + 1 == argc || !read_option(&settings, argv[k], argv[k + 1])) {
            fputs(usage, stderr);
            return 2;
        } else
            k++;
    }
    card_open(&settings, &c);
    const bool right = sections[section].run(&c);

    card_close(&c);
    return right ? 0 : 1;
}
