#!/usr/bin/env bash
# ./run.sh runs `rigor demo`, ./run.sh ARGS… runs `rigor ARGS…`; both first install and build what is missing.
set -euo pipefail

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
. "$root/tools/build.sh"

"$root/tools/setup.sh" run
with_tests=no
build release rigor || exit 1
if [[ $SECONDS -ge 2 ]]; then  # where there was something to build
  measure_spent
  echo "run.sh: ready in $spent" >&2
fi

if [[ $# -eq 0 ]]; then set -- demo; fi
exec "$root/build/release/tools/rigor/rigor" "$@"
