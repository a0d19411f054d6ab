// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Trials of the other way, and what comes of them. All times are of runs, so that a
/// program that seldom multiplies does not try all the time.

#include "devices/cpu/company.h"

#define FIRST_PAUSE   0.02 ///< Seconds before the first trial.
#define AFTER_CHANGE  0.1
#define LONGEST_PAUSE 4.0
#define LONGER        4    ///< Times, after a trial that was lost.
#define TRIAL         0.02 ///< Seconds of a trial, longer than a turn of the scheduler's.
#define WINDOW        0.1  ///< What was longer ago counts half, and so on.
#define GAIN          0.95 ///< Less is no reason to change.
#define SLOW          1.5 ///< Times as long as usual: something has changed; where the last
#define SOONER        16   ///< trial was such a part of the pause ago, the next comes
#define SOON          0.04 ///< after so many seconds, which are what it is held to.

/* Of shorter runs a trial makes hundreds of slow ones. Who waits for a core has runs of more
   than 1.25 times the least: where there are none, nobody wants the cores. A matrix in the
   caches (bcsstk16, two threads) took 0.093 ms in the mean with trials, 0.042 without. */
#define SHORT 2e-3
#define ALIKE 1.25

enum { LEAST_RUNS = 2, MANY_RUNS = 8 };

static double mean(const cairn_company_runs *runs)
{
    return runs->seconds / (double)runs->runs;
}

static void count(cairn_company_runs *runs, double seconds)
{
    if (runs->most <= 0 || seconds < runs->least) runs->least = seconds;
    if (seconds > runs->most) runs->most = seconds;
    runs->seconds += seconds;
    runs->runs++;
}

/// Forget half of what is longer ago.
static void fade(cairn_company_runs *runs)
{
    if (runs->seconds < WINDOW || runs->runs < 2 * MANY_RUNS) return;
    runs->seconds /= 2;
    runs->runs /= 2;
}

static void settle(cairn_company *company)
{
    const bool better = mean(&company->tried) < GAIN * mean(&company->kept);

    if (better) {
        company->pieces = !company->pieces;
        company->kept   = company->tried;
    }
    company->pause = better ? AFTER_CHANGE : LONGER * company->pause;
    if (company->pause > LONGEST_PAUSE) company->pause = LONGEST_PAUSE;
    company->due       = company->pause;
    company->usual     = mean(&company->kept);
    company->kept.most = 0; /* one that was late is forgotten */
    company->trial     = false;
    company->warming   = !better;
    company->since     = 0;
}

static void begin_trial(cairn_company *company)
{
    company->trial   = true;
    company->warming = true;
    company->tried   = (cairn_company_runs){0};
}

static void note_trial(cairn_company *company, double seconds)
{
    cairn_company_runs *tried = &company->tried;

    count(tried, seconds);
    if ((tried->seconds >= TRIAL && tried->runs >= LEAST_RUNS)
        || tried->seconds >= 10 * TRIAL)
        settle(company);
}

/// Are shares as good as pieces can be, since no run has waited for a core?
static bool is_calm(const cairn_company *company)
{
    const cairn_company_runs *kept = &company->kept;
    const double              each = mean(kept), usual = company->usual;

    return !company->pieces && each < SHORT && kept->most <= ALIKE * kept->least
           && (usual <= 0 || each <= SLOW * usual);
}

/// Nothing is to be won now: look again after a longer while.
static void put_off(cairn_company *company)
{
    company->pause *= LONGER;
    if (company->pause > LONGEST_PAUSE) company->pause = LONGEST_PAUSE;
    company->due   = company->since + company->pause;
    company->usual = mean(&company->kept);
    company->kept  = (cairn_company_runs){0};
}

/// What is known of the way that is kept holds no more: look at it anew, then try.
static void doubt(cairn_company *company)
{
    company->due  = company->since + SOON;
    company->kept = (cairn_company_runs){0};
}

static void note_kept(cairn_company *company, double seconds)
{
    cairn_company_runs *kept = &company->kept;

    count(kept, seconds);
    fade(kept);
    company->since += seconds;
    if (kept->runs < LEAST_RUNS) return;
    if (company->since >= company->due && company->since < LONGEST_PAUSE
        && is_calm(company))
        put_off(company);
    else if (company->since >= company->due)
        begin_trial(company);
    else if (company->usual > 0 && mean(kept) > SLOW * company->usual
             && company->since >= company->pause / SOONER
             && company->since + SOON < company->due)
        doubt(company);
}

void cairn_company_note(cairn_company *company, double seconds)
{
    if (company->pause <= 0) company->pause = company->due = FIRST_PAUSE;
    if (company->warming) {
        company->warming = false;
        return;
    }
    if (company->trial)
        note_trial(company, seconds);
    else
        note_kept(company, seconds);
}
