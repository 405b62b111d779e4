#!/usr/bin/env bash
# The program carries what makes faults hard to use: hardening_test.sh RIGOR. Status 77: no readelf.
set -euo pipefail
program=$1
command -v readelf >/dev/null || exit 77
failures=0
expect() {  # expect WHAT PATTERN OPTION…: readelf says the pattern
  local what=$1 pattern=$2
  shift 2
  if ! grep -Eq "$pattern" <<<"$(readelf -W "$@" "$program")"; then
    echo "missing: $what"
    failures=1
  fi
}
expect "an address that changes from run to run" 'Type: +DYN' -h
expect "tables that are read-only" GNU_RELRO -l
expect "tables that are filled at the start" 'BIND_NOW|Flags:.* NOW' -d
expect "a stack that holds no code" 'GNU_STACK.* RW ' -l
expect "guards on the stack" __stack_chk_fail --dyn-syms
expect "checked copies" '__[a-z]+_chk' --dyn-syms
exit $failures
