#!/usr/bin/env bash
# Fails when a header below rigor/ is not listed as public in its room's CMakeLists.txt, or does not compile alone.
#
# A header that leads to <Eigen/Core> is compiled with that read before, once for all; whether it leads there is seen from
# its #includes. So a header that uses Eigen and does not say so is still found.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
work=$root/build/headers
flags=(-std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$root" -isystem /usr/include/eigen3 -DFMT_SHARED)
cxx=${CXX:-c++}

# The list decides what is installed: a header that is not listed escapes.
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

# leads_to_eigen: "HEADER yes|no" for every header, by following #include "rigor/…"
leads_to_eigen() {
  python3 - "$root" <<'END'
import pathlib, re, sys
root = pathlib.Path(sys.argv[1])
headers = sorted(root.glob("rigor/**/*.hpp"))
includes = {h: re.findall(r'^#include ["<]([^">]+)', h.read_text(encoding="utf-8"), re.M) for h in headers}
def leads(header, seen):
    seen.add(header)
    for name in includes.get(header, []):
        if name.startswith("Eigen/") or (root / name not in seen and name.startswith("rigor/") and leads(root / name, seen)):
            return True
    return False
for header in headers:
    print(header.relative_to(root), "yes" if leads(header, set()) else "no")
END
}

# compile_alone HEADER yes|no
compile_alone() {
  local with=()
  if [[ $2 == yes ]]; then with=(-include "$work/eigen.hpp"); fi
  "$cxx" "${flags[@]}" "${with[@]}" -x c++ - <<<"#include \"$1\"" && return
  echo "$1: does not compile alone" >&2
  return 1
}

check_listed
mkdir -p "$work"
echo '#include <Eigen/Core>' >"$work/eigen.hpp"
"$cxx" "${flags[@]/-fsyntax-only/-w}" -x c++-header "$work/eigen.hpp" -o "$work/eigen.hpp.gch"
export -f compile_alone
export root work cxx
export flags_text="${flags[*]}"
if ! leads_to_eigen | xargs -P "$(nproc)" -L 1 bash -c 'read -ra flags <<<"$flags_text"; compile_alone "$@"' _; then
  echo "check_headers: a header does not compile alone; it must include what it uses" >&2
  exit 1
fi
echo "headers: ok"
