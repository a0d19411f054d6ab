# SPDX-License-Identifier: BSD-3-Clause
# Sourced: programs that were linked with one PETSc run with another of the version and the
# integers, one made with -O3 -march=native, say.

# other_petsc PROGRAM LIBRARY FOLDER: prints the path of libraries by which the loader takes
# LIBRARY for the PETSc that PROGRAM was linked with. FOLDER is made, and holds a link.
other_petsc() {
    name=$(readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(libpetsc.*\)\]/\1/p')
    mkdir -p "$3"
    ln -sf "$(realpath -- "$2")" "$3/$name"
    echo "$3${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}
