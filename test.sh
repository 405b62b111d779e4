#!/usr/bin/env bash
# Installs what is missing, builds the tests and runs them all. See usage().
set -euo pipefail

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
. "$root/tools/build.sh"

usage() {
  cat <<'END'
usage: ./test.sh [--quick] [-- CTEST_ARGS…]

Builds and runs the tests twice: optimised (release), and with the fuzzers under AddressSanitizer and
UndefinedBehaviorSanitizer (asan). Exit status 0 when all pass.

  --quick        the optimised build only
  -- CTEST_ARGS  handed to every ctest, for example: ./test.sh --quick -- -R base

Results also lie in build/<preset>/junit.xml.
END
}

presets=(release asan)
ctest_args=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --quick) presets=(release) ;;
    --help | -h) usage; exit 0 ;;
    --) shift; ctest_args=("$@"); break ;;
    *) echo "test.sh: '$1' is not an option; see ./test.sh --help" >&2; exit 2 ;;
  esac
  shift
done
# A build without tests is a mistake of ours; a choice may well be empty in one of the builds, but not in all.
if [[ ${#ctest_args[@]} -eq 0 ]]; then ctest_args=(--no-tests=error); fi

# attribute NAME FILE: a count from the head of a JUnit file
attribute() { sed -n "s/^\s*$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1; }

# Builds and tests one preset and adds one item to `summary`.
run_preset() {
  local preset=$1 dir=$root/build/$1
  rm -f "$dir/junit.xml"
  if ! build "$preset"; then
    summary+=("$preset: not built")
    return 1
  fi
  local status=0
  ctest --test-dir "$dir" -j "$(nproc)" --output-on-failure --output-junit junit.xml "${ctest_args[@]}" \
    </dev/null || status=1
  if [[ -f $dir/junit.xml ]]; then
    local tests failures skipped
    tests=$(attribute tests "$dir/junit.xml")
    failures=$(attribute failures "$dir/junit.xml")
    skipped=$(($(attribute skipped "$dir/junit.xml") + $(attribute disabled "$dir/junit.xml")))
    total=$((total + tests))
    summary+=("$preset: $((tests - failures - skipped)) passed, $failures failed, $skipped skipped")
  else
    summary+=("$preset: no tests ran")
  fi
  return $status
}

"$root/tools/setup.sh" test

summary=()
total=0
verdict=passed
for preset in "${presets[@]}"; do
  run_preset "$preset" || verdict=FAILED
done
if [[ $total -eq 0 ]]; then verdict=FAILED; fi
measure_spent
echo
(IFS=';'; echo "test.sh: $verdict in $spent (${summary[*]})" | sed 's/;/; /g')
[[ $verdict == passed ]]
