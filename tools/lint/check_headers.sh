#!/usr/bin/env bash
# Fails when a header below rigor/ is not listed as public in its room's CMakeLists.txt, or does not compile alone.
#
# What is proved: a source that includes this header and nothing else compiles, without a warning. To be quick, a header is
# compiled with one of a few others read before, and only with one that it leads to itself, as is seen from its #includes:
# so a header that uses what it does not include is still found. By clang, which starts from what was read before in a
# tenth of g++'s time.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
work=$root/build/headers
flags=(-std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$root" -isystem /usr/include/eigen3 -DFMT_SHARED)
cxx=${CXX:-clang++}

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

# What is read before, the cheapest first
large=(fmt/format.h Eigen/Core rigor/math/pose.hpp rigor/solvers/problems/sparse_cone_problem.hpp rigor/model/scene.hpp
  rigor/model/model.hpp rigor/dynamics/constrained_system.hpp)

# headers: "HEADER LARGE" for every header, the dearest of the large ones that it leads to, or "HEADER"
headers() {
  python3 - "$root" "${large[@]}" <<'END'
import pathlib, re, sys
root, large = pathlib.Path(sys.argv[1]), sys.argv[2:]
headers = {str(h.relative_to(root)): h.read_text(encoding="utf-8") for h in sorted(root.glob("rigor/**/*.hpp"))}
includes = {h: re.findall(r'^#include ["<]([^">]+)', text, re.M) for h, text in headers.items()}
def follow(header, seen):
    for name in includes.get(header, []):
        if name not in seen:
            seen.add(name)
            follow(name, seen)
    return seen
for header in headers:
    seen = follow(header, set()) - {header}
    print(header, *[name for name in large if name in seen][-1:])
END
}

# read_before LARGE: the name of a file that includes it
read_before() { echo "$work/${1//[^A-Za-z]/_}.hpp"; }

# prepare LARGE: reads it, once
prepare() {
  local file
  file=$(read_before "$1")
  echo "#include <$1>" >"$file"
  "$cxx" "${flags[@]/-fsyntax-only/-w}" "${once[@]}" -x c++-header "$file" -o "$file.gch"
}

# compile_alone HEADER [LARGE]
compile_alone() {
  local with=()
  if [[ $# -gt 1 ]]; then with=(-include "$(read_before "$2")"); fi
  "$cxx" "${flags[@]}" "${with[@]}" -x c++ - <<<"#include \"$1\"" && return
  echo "$1: does not compile alone" >&2
  return 1
}

# each_line FUNCTION: calls it with the words of every line
each_line() {
  xargs -P "$(nproc)" -L 1 bash -c 'read -ra flags <<<"$flags_text"; read -ra once <<<"$once_text"; "$@"' _ "$1"
}

check_listed
rm -rf "$work"
mkdir -p "$work"
once=()  # code of templates that was made once
if "$cxx" --version | grep -q clang; then once=(-fpch-instantiate-templates); fi
export -f compile_alone prepare read_before
export root work cxx
export flags_text="${flags[*]}" once_text="${once[*]}"
headers | cut -s -d ' ' -f 2 | sort -u | each_line prepare
if ! headers | each_line compile_alone; then
  echo "check_headers: a header does not compile alone; it must include what it uses" >&2
  exit 1
fi
echo "headers: ok"
