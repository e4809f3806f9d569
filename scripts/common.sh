# The other scripts source this file. It defines the folders of the source and the build, and how to
# build.

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_dir=${BUILD_DIR:-$source_dir/build}

# configure [CMake arguments]: configures for Ninja, also with the arguments in DNNL_ZE_CMAKE_ARGS.
configure() {
    local more
    read -ra more <<< "${DNNL_ZE_CMAKE_ARGS:-}"
    local sycl
    sycl=$("$source_dir/scripts/sycl-runtime" --installed 2> /dev/null || true)
    cmake -S "$source_dir" -B "$build_dir" -G Ninja -DDNNL_ZE_BUILD_TESTS=ON \
        -DDNNL_ZE_TEST_SYCL="$sycl" \
        -DDNNL_ZE_TEST_INTEL=OFF -DDNNL_ZE_TEST_STRICT=OFF \
        -DDNNL_ZE_AOT_DEVICES= -DDNNL_ZE_KERNELS_FROM= "$@" "${more[@]}" > "$build_dir.log" 2>&1 ||
        { cat "$build_dir.log"; return 1; }
}

# configure_and_build [CMake arguments]: builds everything, or $build_target, on all cores.
configure_and_build() {
    configure "$@"
    cmake --build "$build_dir" --target "${build_target:-all}"
}

# Arguments of builds with sanitizers: they build in 0.6 of the time that -O2 -g takes, and reports
# still have functions and lines.
sanitized_flags=(-DCMAKE_BUILD_TYPE=RelWithDebInfo
    "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG"
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG")

# The environment that makes Level Zero programs run on the CPU driver of the build.
use_cpu_driver() {
    export ZE_ENABLE_ALT_DRIVERS=$build_dir/src/cpu_driver/libze_cpu.so
    export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$build_dir/pocl_cache}
    mkdir -p "$POCL_CACHE_DIR"
}

# ---- roots of other Debian releases, each made once and kept ----

roots_dir=${DNNL_ZE_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/dnnl_ze}

# Ends the script with 77: this machine cannot run it.
cannot() { echo "$(basename "$0"): $*" >&2; exit 77; }

# make_root SUITE: sets `root` to its folder. Needs root rights, debootstrap and the right to mount.
make_root() {
    root=$roots_dir/$1
    [ "$(id -u)" = 0 ] || cannot "needs root"
    unshare --mount true 2> /dev/null || cannot "may not mount"
    [ ! -e "$root/.complete" ] || return 0
    command -v debootstrap > /dev/null || "$source_dir/scripts/install-deps" debootstrap ||
        cannot "no debootstrap"
    echo "making a root of Debian $1 in $root"
    rm -rf --one-file-system "$root"
    mkdir -p "$root"
    debootstrap --variant=minbase "$1" "$root" > "$root.log" 2>&1 ||
        { tail -n 5 "$root.log" >&2; cannot "debootstrap failed"; }
    # A mirror of a moving suite may be older than the date until which the suite is valid.
    echo 'Acquire::Check-Valid-Until "false";' > "$root/etc/apt/apt.conf.d/90valid-until"
    touch "$root/.complete"
}

# run_in_root COMMAND [ARGUMENTS]: replaces the script by the command. Its working folder is the
# source tree. The folders of $share_dirs, separated by colons, have the same names in the root.
run_in_root() {
    export root source_dir share_dirs
    share_dirs=${share_dirs:-}
    # The mounts live in a namespace of their own and end with it.
    exec unshare --mount --propagation private bash -euc '
        mount -t proc proc "$root/proc"
        mount --rbind /sys "$root/sys"
        mount --rbind /dev "$root/dev"
        [ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
        mkdir -p "$root/project/source" "$root/project/shared"
        mount --bind "$source_dir" "$root/project/source"
        [ ! -d "$source_dir/../shared" ] ||
            mount --bind "$source_dir/../shared" "$root/project/shared"
        while read -rd: folder; do
            [ -n "$folder" ] || continue
            mkdir -p "$root$folder"
            mount --bind "$folder" "$root$folder"
        done <<< "$share_dirs:"
        export HOME=/root BUILD_DIR=${IN_ROOT_BUILD_DIR:-/project/build}
        exec chroot "$root" bash -euc "cd /project/source && exec \"\$@\"" in-root "$@"
    ' in-root "$@"
}
