// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A parallel loop of one thread is called, and no more. gcc's runtime makes a team for it,
/// which it takes from malloc() and gives back at the end: 0.4 us where a row of a small
/// matrix takes 1 ns, and several where malloc() returns the memory to the system
/// (tests/bench/petsc.sh, epb0: 2.4 us a product, 1.5 without). Threads that the runtime
/// keeps are for teams of two and more.
///
/// The linker's --wrap leads calls of GOMP_parallel() here, in the library and in kernels
/// that are compiled at run time, which have this file's text before their own
/// (devices/cpu/compile.c): so it includes nothing. Where a parallel region of the caller's
/// is active the runtime is asked, for what the loop asks there (how many threads are we,
/// and which am I?) would be answered for the caller's team. clang's code has other
/// functions, which make no team of one.

#if defined(__GNUC__) && !defined(__clang__)

extern int  omp_in_parallel(void);
extern void __real_GOMP_parallel(void (*body)(void *),
                                 void    *data,
                                 unsigned threads,
                                 unsigned flags);
extern void __wrap_GOMP_parallel(void (*body)(void *),
                                 void    *data,
                                 unsigned threads,
                                 unsigned flags);

__attribute__((used)) void
__wrap_GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    if (threads == 1 && !omp_in_parallel())
        body(data);
    else
        __real_GOMP_parallel(body, data, threads, flags);
}

#endif
