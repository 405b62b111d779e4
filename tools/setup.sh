#!/usr/bin/env bash
# Installs the Debian packages that a job needs: tools/setup.sh run|test
#
# Exit status 0: all of them are there. 2: they are not, and one sentence on standard error says why.
# Everything is said on standard error: `./run.sh --json …` promises nothing but JSON on standard output.
set -euo pipefail

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
os_release=${RIGOR_OS_RELEASE:-/etc/os-release}  # the test of this script names another file
log=$root/build/setup.log

# The fuzzer's runtime, which carries clang's version in its name.
fuzzer_runtime() {
  case $VERSION_CODENAME in
    trixie) echo libclang-rt-19-dev ;;
    noble) echo libclang-rt-18-dev ;;
    *) echo libclang-rt-14-dev ;;
  esac
}

# The one list of what Rigor needs from the system.
packages() {
  local run="g++ cmake ninja-build libeigen3-dev libcli11-dev libfmt-dev libgmp-dev libqhull-dev libhdf5-dev"
  local test="libgtest-dev libgmock-dev python3 python3-jsonschema git clang-format clang"
  case $1 in
    run) echo "$run" ;;
    test) echo "$run $test $(fuzzer_runtime)" ;;
    *) fail "tools/setup.sh: '$1' is not a job; say run or test." ;;
  esac
}

fail() {
  echo "$*" >&2
  exit 2
}

# Sets ID, ID_LIKE, VERSION_ID, VERSION_CODENAME and PRETTY_NAME, or fails.
require_debian() {
  ID='' ID_LIKE='' VERSION_ID='' VERSION_CODENAME='' PRETTY_NAME='another system'
  # shellcheck disable=SC1090
  if [[ -r $os_release ]]; then . "$os_release"; fi
  local advice="install g++ 12, CMake 3.25, Ninja, Eigen 3.4, CLI11, fmt 9 and qhull by hand, then: cmake --preset release && cmake --build --preset release"
  if [[ " $ID $ID_LIKE " != *" debian "* ]] || ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    fail "Rigor sets itself up on Debian 12 or later and its derivatives only, and this is $PRETTY_NAME; elsewhere $advice"
  fi
  # Testing and unstable have no VERSION_ID; Ubuntu has CMake 3.25 since 24.04 only.
  if [[ $ID == debian && -n $VERSION_ID && ${VERSION_ID%%.*} -lt 12 ]] ||
    [[ $ID == ubuntu && ${VERSION_ID%%.*} -lt 24 ]]; then
    fail "Rigor needs Debian 12 or Ubuntu 24.04, or later, and this is $PRETTY_NAME; here $advice"
  fi
}

# One call of dpkg-query, a few hundredths of a second: a start with all packages there must not wait for apt.
missing_packages() {
  local installed package
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null) || true
  for package in "$@"; do
    grep -qxF "installed $package" <<<"$installed" || echo "$package"
  done
}

require_rights() {
  if [[ $(id -u) -eq 0 ]]; then return; fi
  local command="apt-get install --no-install-recommends $*"
  command -v sudo >/dev/null ||
    fail "Rigor needs packages that only an administrator can install, and there is no sudo here; ask for: $command"
  # sudo may ask for a password where there is a terminal; where there is none it must not wait for ever
  if { : </dev/tty; } 2>/dev/null; then sudo -v; else sudo -n true 2>>"$log"; fi ||
    fail "Rigor needs packages that only an administrator can install, and sudo refused; ask for: $command"
}

apt_get() {
  local as_root=()
  if [[ $(id -u) -ne 0 ]]; then as_root=(sudo); fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300 \
    -o Acquire::Retries=2 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 "$@" </dev/null >>"$log" 2>&1
}

# Downloads everything before it installs anything: a network that fails midway leaves the system as it was.
install_packages() {
  mkdir -p "$root/build"
  : >"$log"
  require_rights "$@"

  # Without network there shall be one sentence only, so the plan is told when the sources have answered. One of them
  # that does not is no reason to stop: what counts is whether our packages can be had.
  local plan="Rigor installs with apt-get: $* (log: $log)"
  if apt_get update -o APT::Update::Error-Mode=any; then
    echo "$plan" >&2
    plan=''
  fi
  apt_get install --no-install-recommends --download-only "$@" ||
    fail "Rigor could not download the packages it needs (no network, or apt's sources do not offer them) and installed nothing; see $log"
  if [[ -n $plan ]]; then echo "$plan" >&2; fi
  apt_get install --no-install-recommends --no-download "$@" ||
    fail "apt-get could not install the packages that Rigor needs; see $log"
}

require_debian
wanted=$(packages "${1:-run}")
# shellcheck disable=SC2086  # words on purpose: package names have no spaces
mapfile -t missing < <(missing_packages $wanted)
if [[ ${#missing[@]} -gt 0 ]]; then install_packages "${missing[@]}"; fi
