#!/usr/bin/env bash
# Runs tools/setup.sh against a pretended system: dpkg-query, apt-get, id and sudo are stand-ins that keep a record.
# usage: setup_test.sh SOURCE_DIR
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/tools" "$work/bin"
cp "$1/tools/setup.sh" "$work/tree/tools/"
failures=0

# stand_in NAME: reads its script from standard input
stand_in() {
  { echo '#!/bin/bash'; cat; } >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# A Debian 12 on which everything is installed and we are root; the cases below change one thing each.
pretend_system() {
  rm -f "$work/bin/"* "$work/record"
  touch "$work/record"
  printf 'ID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\nPRETTY_NAME="Debian 12"\n' >"$work/os-release"
  local tool
  for tool in bash env grep readlink dirname mkdir cat; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
  stand_in dpkg-query <<<'for package in "${@:4}"; do echo "installed $package"; done'
  stand_in apt-get <<<"echo \"apt-get \$*\" >>'$work/record'"
  stand_in id <<<'echo 0'
}

ninja_is_missing() {
  stand_in dpkg-query <<<'for p in "${@:4}"; do if [ "$p" != ninja-build ]; then echo "installed $p"; fi; done; exit 1'
}

# expect STATUS MESSAGE [JOB]: the set-up ends so, with one line on standard error that has MESSAGE in it, or none.
expect() {
  local status=0 output
  output=$(PATH=$work/bin RIGOR_OS_RELEASE=$work/os-release "$work/tree/tools/setup.sh" "${3:-run}" 2>&1 </dev/null) || status=$?
  local lines
  lines=$(grep -c . <<<"$output") || true
  if [[ $status -ne $1 || $output != *"$2"* || (-z $2 && -n $output) || $lines -gt 1 ]]; then
    echo "FAILED: expected status $1 and one line with '$2'; got status $status and: $output"
    failures=$((failures + 1))
  else
    echo "ok: status $status: ${output:-silence}"
  fi
}

# expect_record PATTERN…: apt-get was called so often, and each call matches its pattern
expect_record() {
  local calls pattern n=0
  mapfile -t calls <"$work/record"
  for pattern in "$@"; do
    # shellcheck disable=SC2053  # a pattern on purpose
    if [[ ${calls[n]:-nothing} != $pattern ]]; then
      echo "FAILED: expected the call '$pattern'; got '${calls[n]:-nothing}'"
      failures=$((failures + 1))
    fi
    n=$((n + 1))
  done
  if [[ ${#calls[@]} -ne $n ]]; then
    echo "FAILED: ${#calls[@]} calls of apt-get, expected $n: ${calls[*]}"
    failures=$((failures + 1))
  fi
}

pretend_system
expect 0 "" run
expect 0 "" test
expect_record

pretend_system
ninja_is_missing
expect 0 "Rigor installs with apt-get: ninja-build "
expect_record "*update*" "*install*--download-only ninja-build" "*install*--no-download ninja-build"

for line in 'ID=fedora' 'ID=debian VERSION_ID=11' 'ID=ubuntu ID_LIKE=debian VERSION_ID=22.04'; do
  pretend_system
  tr ' ' '\n' <<<"$line" >"$work/os-release"
  expect 2 "and this is another system"
  expect_record
done

pretend_system
rm "$work/bin/apt-get"
expect 2 "on Debian 12 or later and its derivatives only"

pretend_system
ninja_is_missing
stand_in id <<<'echo 1000'
expect 2 "there is no sudo here; ask for: apt-get install --no-install-recommends ninja-build"
expect_record

# One source does not answer, but our packages are there.
pretend_system
ninja_is_missing
stand_in apt-get <<<"echo \"apt-get \$*\" >>'$work/record'; [[ \$* != *update* ]]"
expect 0 "Rigor installs with apt-get: ninja-build "
expect_record "*update*" "*install*--download-only ninja-build" "*install*--no-download ninja-build"

# No network: the step that would install is never reached.
pretend_system
ninja_is_missing
stand_in apt-get <<<"echo \"apt-get \$*\" >>'$work/record'; exit 100"
expect 2 "Rigor could not download the packages it needs (no network, or apt's sources do not offer them) and installed nothing"
expect_record "*update*" "*install*--download-only ninja-build"

echo "$failures failures"
[[ $failures -eq 0 ]]
