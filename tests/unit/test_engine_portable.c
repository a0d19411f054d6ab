// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The engine as systems without futexes have it, held to the same tests.

#define CAIRN_FUTEX             0
#define REPLAYS_OF_A_TINY_GRAPH 20000

#include "sched/counter.c"
#include "sched/engine.c"

/* After them: the test's first lines include what these define. */
#include "unit/test_engine.c"
