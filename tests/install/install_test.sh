#!/usr/bin/env bash
# Installs a build to a temporary prefix and lets the foreign project beside this script find, link and run it.
# usage: install_test.sh BUILD_DIR CXX
set -euo pipefail

build_dir=$1
cxx=$2
foreign=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/foreign
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# configure VERSION DIR: the foreign project asks for that version
configure() {
  cmake -S "$foreign" -B "$2" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$work/prefix" -DWANTED_VERSION="$1"
}

cmake --install "$build_dir" --prefix "$work/prefix"
# the manual page comes with the program, also where nothing but the program was built
if [[ -x $build_dir/tools/rigor/rigor ]]; then
  [[ -s $work/prefix/share/man/man1/rigor.1 && ! $build_dir/tools/rigor/rigor -nt $build_dir/tools/rigor/generated/rigor.1 ]] ||
    { echo "building the program alone does not make its manual page"; exit 1; }
fi
# the package must not lean on the tree that it came from
if grep -rlF "$(cd "$foreign/../../.." && pwd)" "$work/prefix" --include='*.cmake'; then
  echo "an installed file names the source folder"
  exit 1
fi

configure 0.1 "$work/build"
cmake --build "$work/build"
"$work/build/foreign"

if configure 9.0 "$work/refused" >"$work/refused.log" 2>&1; then
  echo "find_package(rigor 9.0) was accepted"
  exit 1
fi
grep -F 'requested version "9.0"' "$work/refused.log"
