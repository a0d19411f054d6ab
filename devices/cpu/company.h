// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which of two ways to run a product's threads have: shares, of which each has one and all
/// meet at the end, by OpenMP, whose threads are the caller's program's, too; or pieces,
/// which who is done takes over (base/thread_team.h). Shares while all cores are this
/// process's; pieces where others want them, for then all would wait for the thread whose
/// core is lent to somebody else. Nobody tells which it is: now and then the other way runs
/// for a few hundredths of a second, and stays if its runs took less. Short products whose
/// runs by shares are all alike have their cores to themselves, and seldom try.

#ifndef CAIRN_DEVICES_CPU_COMPANY_H
#define CAIRN_DEVICES_CPU_COMPANY_H

#include <stdbool.h>
#include <stdint.h>

/// Runs of one way.
typedef struct cairn_company_runs {
    double  seconds;
    int64_t runs;
    double  least, most; ///< Seconds of one.
} cairn_company_runs;

typedef struct cairn_company {
    bool   pieces;  ///< The way that is kept.
    bool   trial;   ///< The other one runs.
    bool   warming; ///< The first run of a way is not counted.
    double since;   ///< Seconds of runs since the last trial.
    double pause;   ///< Between trials, as long as nothing changes; 0: not begun.
    double due;     ///< The next trial, in `since`.
    double usual;   ///< Seconds of a run at the last trial; 0: none yet.
    cairn_company_runs kept, tried;
} cairn_company;

/// Is the next run in pieces?
static inline bool cairn_company_wants_pieces(const cairn_company *company)
{
    return company->pieces != company->trial;
}

/// A run took so long; start and end trials.
void cairn_company_note(cairn_company *company, double seconds);

#endif
