// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The processor as code sees it: of x86-64 what CPUID tells this process, of others
/// /proc/cpuinfo. The two differ where a process is emulated.

#include "devices/cpu/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#if defined(__x86_64__)
#    include <cpuid.h>

enum { A, B, C, D }; /* registers of an answer */

/* Questions whose answers tell what code a processor runs. */
enum { MAKER, BASIC, EXTENDED, EXTENDED_1, EXTENDED_2, AMD, AVX10, QUESTIONS };

static const struct {
    unsigned leaf, subleaf;
    int      first; ///< Register: those before it have other things.
} questions[QUESTIONS] = {
    {0,          0, B},
    {1,          0, C},
    {7,          0, B},
    {7,          1, A},
    {7,          2, A},
    {0x80000001, 0, C},
    {0x24,       0, B},
};

/* What of a processor's state the system keeps (XCR0): code may use vectors of 32 and 64
   bytes, and the registers of APX, only where it does. */
enum { NONE = 0, YMM = 0x06, ZMM = 0xe6, APX = 1 << 19 };

/// What CPUID tells this process.
typedef struct processor {
    unsigned answer[QUESTIONS][4]; ///< Zeros: there is none.
    unsigned state;                ///< XCR0.
} processor;

/// What a compiler may use without being asked in the source, by the macro that says that
/// it does. Source: Intel 64 and IA-32 Architectures Software Developer's Manual, CPUID;
/// AMD64 Architecture Programmer's Manual, volume 3, appendix E; Intel AVX10 and APX
/// architecture specifications.
typedef struct ability {
    const char *macro;
    int         question, reg;
    unsigned    mask;  ///< A processor has it if one of these bits is set,
    unsigned    state; ///< and all of these of XCR0.
} ability;

static const ability abilities[] = {
    {"__SSE3__",               BASIC,      C, 1u << 0,  NONE},
    {"__PCLMUL__",             BASIC,      C, 1u << 1,  NONE},
    {"__SSSE3__",              BASIC,      C, 1u << 9,  NONE},
    {"__FMA__",                BASIC,      C, 1u << 12, YMM },
    {"__SSE4_1__",             BASIC,      C, 1u << 19, NONE},
    {"__SSE4_2__",             BASIC,      C, 1u << 20, NONE},
    {"__MOVBE__",              BASIC,      C, 1u << 22, NONE},
    {"__POPCNT__",             BASIC,      C, 1u << 23, NONE},
    {"__AVX__",                BASIC,      C, 1u << 28, YMM },
    {"__F16C__",               BASIC,      C, 1u << 29, YMM },
    {"__BMI__",                EXTENDED,   B, 1u << 3,  NONE},
    {"__AVX2__",               EXTENDED,   B, 1u << 5,  YMM },
    {"__BMI2__",               EXTENDED,   B, 1u << 8,  NONE},
    {"__AVX512F__",            EXTENDED,   B, 1u << 16, ZMM },
    {"__AVX512DQ__",           EXTENDED,   B, 1u << 17, ZMM },
    {"__ADX__",                EXTENDED,   B, 1u << 19, NONE},
    {"__AVX512IFMA__",         EXTENDED,   B, 1u << 21, ZMM },
    {"__AVX512PF__",           EXTENDED,   B, 1u << 26, ZMM },
    {"__AVX512ER__",           EXTENDED,   B, 1u << 27, ZMM },
    {"__AVX512CD__",           EXTENDED,   B, 1u << 28, ZMM },
    {"__AVX512BW__",           EXTENDED,   B, 1u << 30, ZMM },
    {"__AVX512VL__",           EXTENDED,   B, 1u << 31, ZMM },
    {"__AVX512VBMI__",         EXTENDED,   C, 1u << 1,  ZMM },
    {"__AVX512VBMI2__",        EXTENDED,   C, 1u << 6,  ZMM },
    {"__GFNI__",               EXTENDED,   C, 1u << 8,  NONE},
    {"__VPCLMULQDQ__",         EXTENDED,   C, 1u << 10, YMM },
    {"__AVX512VNNI__",         EXTENDED,   C, 1u << 11, ZMM },
    {"__AVX512BITALG__",       EXTENDED,   C, 1u << 12, ZMM },
    {"__AVX512VPOPCNTDQ__",    EXTENDED,   C, 1u << 14, ZMM },
    {"__AVX512VP2INTERSECT__", EXTENDED,   D, 1u << 8,  ZMM },
    {"__AVX512FP16__",         EXTENDED,   D, 1u << 23, ZMM },
    {"__AVXVNNI__",            EXTENDED_1, A, 1u << 4,  YMM },
    {"__AVX512BF16__",         EXTENDED_1, A, 1u << 5,  ZMM },
    {"__AVXIFMA__",            EXTENDED_1, A, 1u << 23, YMM },
    {"__AVXVNNIINT8__",        EXTENDED_1, D, 1u << 4,  YMM },
    {"__AVXNECONVERT__",       EXTENDED_1, D, 1u << 5,  YMM },
    {"__AVXVNNIINT16__",       EXTENDED_1, D, 1u << 10, YMM },
    {"__AVX10_1__",            EXTENDED_1, D, 1u << 19, ZMM },
    {"__APX_F__",              EXTENDED_1, D, 1u << 21, APX },
    {"__AVX10_2__",            AVX10,      B, 0xfe,     ZMM }, /* a version: 2 or more */
    {"__LZCNT__",              AMD,        C, 1u << 5,  NONE},
    {"__SSE4A__",              AMD,        C, 1u << 6,  NONE},
    {"__XOP__",                AMD,        C, 1u << 11, YMM },
    {"__FMA4__",               AMD,        C, 1u << 16, YMM },
    {"__TBM__",                AMD,        C, 1u << 21, NONE},
};

enum { ABILITIES = sizeof abilities / sizeof abilities[0] };

static void look(processor *p)
{
    unsigned rest = 0;

    memset(p, 0, sizeof *p);
    for (int k = 0; k < QUESTIONS; k++)
        if (!__get_cpuid_count(questions[k].leaf, questions[k].subleaf,
                               &p->answer[k][A], &p->answer[k][B], &p->answer[k][C],
                               &p->answer[k][D]))
            memset(p->answer[k], 0, sizeof p->answer[k]);
    if (p->answer[BASIC][C] & bit_OSXSAVE)
        __asm__ volatile("xgetbv" : "=a"(p->state), "=d"(rest) : "c"(0));
}

static bool has(const processor *p, const ability *a)
{
    return (p->answer[a->question][a->reg] & a->mask)
           && (p->state & a->state) == a->state;
}

static bool has_all(const processor *p, const char *const *macro)
{
    for (; *macro; macro++) {
        int k = 0;

        while (k < ABILITIES && strcmp(abilities[k].macro, *macro) != 0)
            k++;
        if (k == ABILITIES || !has(p, &abilities[k])) return false;
    }
    return true;
}

/// Who made it, family, model and stepping, and all words of abilities.
static void add_processor(cairn_text *text)
{
    processor p;

    look(&p);
    cairn_text_add(text, "%x;%x", p.answer[BASIC][A], p.state);
    for (int k = 0; k < QUESTIONS; k++)
        for (int reg = questions[k].first; reg <= D; reg++)
            cairn_text_add(text, ";%x", p.answer[k][reg]);
}

void cairn_cpu_refuse(cairn_text *text)
{
    int       lacking = 0;
    processor p;

    look(&p);
    for (int k = 0; k < ABILITIES; k++)
        if (!has(&p, &abilities[k]))
            cairn_text_add(text, "%s defined(%s)", lacking++ ? " ||" : "#if",
                           abilities[k].macro);
    if (lacking) cairn_text_add(text, "\n#error \"%s\"\n#endif\n", CAIRN_CPU_REFUSED);
}

int cairn_cpu_vector_bytes(void)
{
    static const char *const v3[] = {"__AVX2__", "__FMA__",   "__BMI__",   "__BMI2__",
                                     "__F16C__", "__MOVBE__", "__LZCNT__", NULL};
    static const char *const v4[] = {"__AVX512F__",  "__AVX512BW__", "__AVX512CD__",
                                     "__AVX512DQ__", "__AVX512VL__", NULL};

    processor p;

    look(&p);
    if (!has_all(&p, v3)) return 16;
    return has_all(&p, v4) ? 64 : 32;
}

const char *cairn_cpu_level(void)
{
    switch (cairn_cpu_vector_bytes()) {
    case 64: return "-march=x86-64-v4";
    case 32: return "-march=x86-64-v3";
    default: return "-march=x86-64";
    }
}
#else
/* Lines of /proc/cpuinfo that say what the processor is (Arm, Power, RISC-V). Others
   say how it is doing, or which of many it is. */
static const char *const telling[] = {
    "model name", "Features",         "CPU part",    "cpu",
    "isa",        "CPU architecture", "CPU variant", "CPU implementer"};

static bool is_telling(const char *line)
{
    size_t length = strcspn(line, ":\n");

    while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        length--;
    for (size_t k = 0; k < sizeof telling / sizeof telling[0]; k++)
        if (strlen(telling[k]) == length && strncmp(telling[k], line, length) == 0)
            return true;
    return false;
}

/// Add the values of the first processor's lines. Its end is an empty line; reading on
/// would take milliseconds where there are hundreds.
static void add_cpuinfo(cairn_text *text, FILE *file)
{
    char line[8192]; /* flags are about 2000 letters */

    while (fgets(line, sizeof line, file) && line[0] != '\n') {
        const char *colon = strchr(line, ':');

        if (!colon || !is_telling(line)) continue;
        cairn_text_add(text, "%.*s;", (int)strcspn(colon + 1, "\n"), colon + 1);
    }
}

static void add_processor(cairn_text *text)
{
    FILE *file = fopen("/proc/cpuinfo", "re");

    if (!file) return;
    add_cpuinfo(text, file);
    fclose(file);
}

void cairn_cpu_refuse(cairn_text *text)
{
    (void)text;
}

int cairn_cpu_vector_bytes(void)
{
    return 16;
}

const char *cairn_cpu_level(void)
{
    return "-march=native";
}
#endif

void cairn_cpu_describe(cairn_text *text)
{
    struct utsname about;

    cairn_text_add(text, "cpu: %s vectors of %d;",
                   uname(&about) == 0 ? about.machine : "", cairn_cpu_vector_bytes());
    add_processor(text);
    cairn_text_add(text, "\n");
}
