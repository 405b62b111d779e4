#!/usr/bin/env bash
# Fails when a header below rigor/ is not listed as public in its room's CMakeLists.txt, or does not compile alone.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
. "$root/tools/build.sh"

# The list decides what is installed and what is compiled alone: a header that is not listed escapes both.
check_listed() {
  local status=0 header room name
  while IFS= read -r header; do
    room=${header%/*} name=${header##*/}
    if ! sed 's/#.*//' "$root/rigor/$room/CMakeLists.txt" | tr -s ' ()\t' '\n' | grep -qxF "$name"; then
      echo "rigor/$header: not listed in rigor/$room/CMakeLists.txt; add it to HEADERS" >&2
      status=1
    fi
  done < <(cd "$root/rigor" && find . -name '*.hpp' -printf '%P\n' | sort)
  return $status
}

check_listed
if ! build release all_verify_interface_header_sets; then
  echo "check_headers: a header does not compile alone; it must include what it uses" >&2
  exit 1
fi
echo "headers: ok"
