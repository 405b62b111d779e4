#!/usr/bin/env bash
# Plants one fault after the other in a copy of the tree and shows that the lint check meant for it fails and says so.
# usage: lint_test.sh SOURCE_DIR
set -euo pipefail

source_dir=$1
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
failures=0

report() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect_fault CHECK MESSAGE: the check fails with MESSAGE; the fault is removed.
expect_fault() {
  local output
  if output=$("tools/lint/$1" 2>&1); then
    report "$1 does not see the planted fault; it should say: $2"
  elif [[ $output != *"$2"* ]]; then
    report "$1 should say: $2; it says: $output"
  else
    echo "ok: $2"
  fi
  restore
}
restore() { git reset -q --hard && git clean -qfd; }

keep() { git add . && git -c user.name=lint -c user.email=lint@localhost commit -qm copy; }

# A copy under a git of its own, from which a fault is removed by a reset.
tar -C "$source_dir" --exclude=./build --exclude=./.git -cf - . | tar -C "$copy" -xf -
cd "$copy"
git init -q -b main
keep

sed -i '1a #include "rigor/solvers/problems/lcp.hpp"' rigor/base/require.hpp
expect_fault check_layers.py "rigor/base/require.hpp:2: base/ may not include solvers/problems/ (allowed: nothing)"
sed -i '1a #include <rigor/gadgets/lcp.hpp>' rigor/base/require.hpp
expect_fault check_layers.py "rigor/base/require.hpp:2: gadgets/ is not a room"
sed -i '1a #include "tests/support/near.hpp"' rigor/base/require.hpp
expect_fault check_layers.py "rigor/base/require.hpp:2: base/ may not include tests/"
sed -i '1a #include "../io/scene.hpp"' rigor/base/require.hpp
expect_fault check_layers.py 'write our own headers as "rigor/<room>/<file>"'
printf 'rigor_module(base DEPENDS rigor::io)\n' >rigor/base/CMakeLists.txt
expect_fault check_layers.py "rigor/base/CMakeLists.txt:1: base/ may not depend on io/ (allowed: nothing)"
sed -i '1a #include "rigor/solvers/cone/cone_solve.hpp"' rigor/solvers/lcp/lemke.hpp
expect_fault check_layers.py "rigor/solvers/lcp/lemke.hpp:2: solvers/lcp/ may not include solvers/cone/"
mkdir rigor/gadgets && touch rigor/gadgets/x.hpp
expect_fault check_layers.py "rigor/gadgets/ is not a room"
sed -i '/(base)/d' rigor/CMakeLists.txt
expect_fault check_layers.py "rigor/base/ is not listed in the CMakeLists.txt above it"

printf '// a line\n%.0s' {1..601} >rigor/base/long.hpp
expect_fault check_tree.py "rigor/base/long.hpp: 601 lines, at most 600"
printf 'inline void f(int a,\n              int b) {\n%s}\n' "$(printf '  ++a;\n%.0s' {1..58})"$'\n' >rigor/base/steps.hpp
expect_fault check_tree.py "rigor/base/steps.hpp:1: the function has 61 lines, at most 60; tell it as steps"
echo "inline double f(double x) { return std::sin(x); }" >>rigor/base/require.hpp
expect_fault check_tree.py "std::sin has other bits on other processors; use portable::sin"
echo "// TO""DO: later" >>rigor/base/require.hpp
expect_fault check_tree.py "an open end without its issue"
touch rigor/base/untested.cpp
expect_fault check_tree.py "rigor/base/untested.cpp: no tests/base/untested_test.cpp"
cp rigor/base/require.hpp rigor/math/require.hpp
expect_fault check_tree.py "rigor/math/require.hpp: rigor/base/require.hpp has the same name"
echo "[nothing](docs/nothing.md)" >>README.md
expect_fault check_tree.py "README.md: the link to docs/nothing.md leads nowhere"
printf 'µm %.0s' {1..41} >docs/wide.md
expect_fault check_tree.py "docs/wide.md:1: 123 characters, at most 120"
echo "if then" >>run.sh
expect_fault check_tree.py "run.sh: bash cannot read it"

if clang-format --version | grep -q ' version 14\.'; then
  echo "int  x  ;" >>rigor/base/require.hpp
  expect_fault check_format.sh "code should be clang-formatted"
else
  echo "skipped: check_format.sh, which needs clang-format 14"
fi

# Only the lowest room is kept, so that its headers compile in a second.
printf 'add_subdirectory(base)\nrigor_umbrella()\n' >rigor/CMakeLists.txt
find rigor -mindepth 1 -maxdepth 1 -type d ! -name base -exec rm -r {} +
keep
cmake --preset release -DRIGOR_BUILD_TESTS=OFF -DRIGOR_BUILD_TOOLS=OFF >/dev/null
tools/lint/check_headers.sh || report "check_headers.sh fails without a planted fault"
printf '#pragma once\n' >rigor/base/unlisted.hpp
expect_fault check_headers.sh "rigor/base/unlisted.hpp: not listed in rigor/base/CMakeLists.txt"
printf '#pragma once\ninline std::string lonely() { return {}; }\n' >rigor/base/lonely.hpp
sed -i 's/HEADERS/HEADERS lonely.hpp/' rigor/base/CMakeLists.txt
expect_fault check_headers.sh "a header does not compile alone"

echo "$failures faults were not found"
[[ $failures -eq 0 ]]
