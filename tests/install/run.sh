#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install under DESTDIR, move what was installed, then use the package from there the two
# ways programs do, each component that is there, and the command. A component that is not
# there is refused in one line.  run.sh BUILD SOURCE GENERATOR LAUNCH [CFLAGS]
set -eu
build=$1 source=$2 generator=$3 launch=$4 flags=${5:-}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
prefix=$root/moved

DESTDIR=$root/stage cmake --install "$build" --prefix /opt/cairn > "$root/log"
mv "$root/stage/opt/cairn" "$prefix"
pc=$(dirname "$(find "$prefix" -name cairn.pc)")
library=$(dirname "$pc")
export PKG_CONFIG_PATH="$pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
if grep -r "$root/stage\|/opt/cairn" "$pc" "$library/cmake"; then
    echo "these say where they were installed first"
    exit 1
fi

# configure FOLDER SETTING...
configure() {
    folder=$1
    shift
    cmake -G "$generator" -S "$source/tests/install" -B "$root/$folder" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_FLAGS="$flags" "$@" > "$root/$folder.log" 2>&1
}

configure consumer || { cat "$root/consumer.log"; exit 1; }
cmake --build "$root/consumer" >> "$root/log" || { cat "$root/log"; exit 1; }
"$root/consumer/consumer"
"$root/consumer/again/consumer_again"
sed -n 's/^-- component/component/p' "$root/consumer.log"

# A project that is for an old CMake finds the same components; CMake 4 knows none before 3.5.
case $(cmake --version) in
"cmake version 3."*) oldest=3.1 ;;
*) oldest=3.5 ;;
esac
configure old -DOLDEST=$oldest || { cat "$root/old.log"; exit 1; }
grep '^-- component' "$root/consumer.log" > "$root/components"
grep '^-- component' "$root/old.log" | diff "$root/components" -

# refused COMPONENT REASON SETTING...: a component that is required and not there.
refused() {
    component=$1 reason=$2
    shift 2
    rm -rf "$root/refused"
    if configure refused -DNEEDED="$component" "$@"; then
        echo "component $component was found"
        exit 1
    fi
    grep -q "component $component: $reason" "$root/refused.log" || { cat "$root/refused.log"; exit 1; }
}
refused cube 'there is no such component'

# shellcheck disable=SC2046,SC2086 # words
cc $flags "$source/tests/install/consumer.c" $(pkg-config --cflags --libs cairn) -o "$root/by_pkg_config"
LD_LIBRARY_PATH=$library "$root/by_pkg_config"

if [ -e "$pc/cairn-mpi.pc" ]; then
    # shellcheck disable=SC2046,SC2086 # words
    cc $flags "$source/tests/install/consumer_mpi.c" $(pkg-config --cflags --libs cairn-mpi) -o "$root/mpi_by_pkg_config"
    LD_LIBRARY_PATH=$library $launch "$root/mpi_by_pkg_config"
    $launch "$root/consumer/consumer_mpi"
    refused mpi 'no MPI was found for C' -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON
    # MPI to run programs, and nothing to compile them.
    printf '#!/bin/sh\necho "cc -I%s/nowhere -lmpi"\n' "$root" > "$root/mpicc"
    chmod +x "$root/mpicc"
    refused mpi "MPI's headers are not here" -DMPI_C_COMPILER="$root/mpicc"
    rm -rf "$root/without"
    configure without -DMPI_C_COMPILER="$root/mpicc" || { cat "$root/without.log"; exit 1; }
    # The same where MPI_HOME says, of CMake or of the environment.
    mkdir -p "$root/home/bin"
    mv "$root/mpicc" "$root/home/bin"
    refused mpi "MPI's headers are not here" -DMPI_HOME="$root/home"
    MPI_HOME=$root/home
    export MPI_HOME
    refused mpi "MPI's headers are not here"
    unset MPI_HOME
    # A folder of libraries whose name has -I in it is no folder of headers.
    mpicc=$(sed -n 's/^MPI_C_COMPILER:[A-Z]*=//p' "$root/consumer/CMakeCache.txt")
    cat > "$root/mpicc" <<END
#!/bin/sh
[ "\$1" != -show ] || { echo "\$($mpicc -show) -L$root/x-Intel/lib"; exit; }
exec $mpicc "\$@"
END
    chmod +x "$root/mpicc"
    rm -rf "$root/intel"
    configure intel -DNEEDED=mpi -DMPI_C_COMPILER="$root/mpicc" || { cat "$root/intel.log"; exit 1; }
else
    refused mpi 'the library was built without MPI'
fi
if [ -e "$root/consumer/consumer_fortran" ]; then "$root/consumer/consumer_fortran"; fi

if [ -e "$library/libcairnpetsc.so" ]; then
    grep -q '^-- component petsc: found' "$root/consumer.log" || { cat "$root/consumer.log"; exit 1; }
    $launch "$root/consumer/consumer_petsc"
    mv "$library/libcairnpetsc.so" "$root"
    refused petsc 'libcairnpetsc.so is not installed beside the library'
else
    refused petsc 'the plug-in was not built'
fi

"$prefix/bin/cairn" --version

# With all its prebuilt kernels the library loads less than 40 MB.
library=$(find "$prefix" -name 'libcairn.so*' -type f)
if [ -n "$library" ] && command -v size >/dev/null; then
    bytes=$(size "$library" | awk 'NR == 2 { print $1 + $2 }')
    [ "$bytes" -lt 40000000 ] || { echo "$library: $bytes bytes of code and data"; exit 1; }
fi
