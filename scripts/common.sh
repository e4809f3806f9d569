# Sourced by the scripts beside it: where the source and the build are, and how to build.

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=${BUILD_DIR:-$source_dir/build}

# configure_and_build [CMake arguments]: Ninja, all cores.
configure_and_build() {
    cmake -S "$source_dir" -B "$build_dir" -G Ninja "$@" > "$build_dir.log" 2>&1 ||
        { cat "$build_dir.log"; return 1; }
    cmake --build "$build_dir"
}

# The environment that makes Level Zero programs run on the CPU driver of the build.
use_cpu_driver() {
    export ZE_ENABLE_ALT_DRIVERS=$build_dir/src/cpu_driver/libze_cpu.so
    export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$build_dir/pocl_cache}
    mkdir -p "$POCL_CACHE_DIR"
}
