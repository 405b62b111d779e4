# shellcheck shell=bash disable=SC2154  # the caller sets root
# Sourced by run.sh, test.sh and the lint checks, which set `root`: configures and builds a CMake preset.
# Says nothing when there is nothing to do, and writes to standard error only.

with_tests=yes  # run.sh says no: who wants to run Rigor need not have the packages of the tests

# measure_spent: sets `spent` to "412 s, 470 s of CPU" since the script began, with all that it started and waited for.
# Not in a subshell: `times` speaks of the shell it is called in.
measure_spent() {
  mkdir -p "$root/build"
  times >"$root/build/.times"
  spent=$(tail -n 1 "$root/build/.times" | tr 'ms' '  ' |  # user and system time of children, as "M S M S"
    awk -v wall="$SECONDS" '{ printf "%d s, %.0f s of CPU", wall, 60 * ($1 + $3) + $2 + $4 }')
}

# A tree that was moved or copied is configured afresh.
is_of_this_folder() {
  grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$1/CMakeCache.txt"
}

# CMake has been here, and for this folder.
is_configured() {
  [[ -f $1/build.ninja && ($with_tests == no || ! -f $1/without_tests) ]] && is_of_this_folder "$1"
}

# run_logged LOG COMMAND…: quiet, but when the command fails its last lines are shown.
run_logged() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 </dev/null && return
  echo "…" >&2
  tail -n 40 "$log" >&2
  return 1
}

# configure PRESET. Ninja re-runs CMake itself when a CMakeLists.txt changes, so once is enough.
configure() {
  local dir=$root/build/$1 options=(-DRIGOR_BUILD_TESTS=ON)
  if is_configured "$dir"; then return; fi
  # what run.sh built serves the tests too: only another folder's or a broken configuration is thrown away
  if [[ ! -f $dir/build.ninja ]] || ! is_of_this_folder "$dir"; then options+=(--fresh); fi
  mkdir -p "$dir"
  rm -f "$dir/without_tests"
  if [[ $with_tests == no ]]; then
    touch "$dir/without_tests"
    options+=(-DRIGOR_BUILD_TESTS=OFF)
  fi
  echo "Configuring build/$1 …" >&2
  (cd "$root" && run_logged "$dir/configure.log" cmake --preset "$1" "${options[@]}") || {
    echo "CMake could not configure build/$1; see $dir/configure.log" >&2
    return 1
  }
}

# build PRESET [TARGET…]: on a terminal Ninja shows its one line of progress, elsewhere the log is kept.
# A subshell, so that the lock ends with it.
build() (
  local dir=$root/build/$1
  local ninja=(ninja -j "$(nproc)" -C "$dir" -k 0 "${@:2}")
  mkdir -p "$root/build"
  # two commands started at the same time must not write the same files
  exec 9>"$root/build/.lock"
  flock -n 9 || { echo "Waiting for another build to end …" >&2; flock 9; }
  configure "$1" || return 1

  if [[ $("${ninja[@]}" -n) != *"no work to do"* ]]; then
    echo "Building build/$1 …" >&2
    if [[ -t 2 ]]; then
      NINJA_STATUS="[%f/%t] " "${ninja[@]}" >&2 </dev/null
    else
      run_logged "$dir/build.log" "${ninja[@]}"
    fi || {
      if [[ -t 2 ]]; then echo "The build of build/$1 failed; its errors are above." >&2
      else echo "The build of build/$1 failed; see $dir/build.log" >&2; fi
      return 1
    }
  fi
)
