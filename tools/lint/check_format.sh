#!/usr/bin/env bash
# Fails when a C++ file is not as clang-format 14 (Debian 12) would write it. Mend with: check_format.sh --fix
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."

# Versions differ in what they write, so that only one can be the judge.
formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [[ -z $formatter || $("$formatter" --version) != *" version 14."* ]]; then
  echo "check_format: needs clang-format 14, found ${formatter:+$("$formatter" --version)}${formatter:-none}" >&2
  exit 2
fi

# safe.directory: we only list files, so it does not matter who owns the folder
mapfile -d '' -t files < <(git -c safe.directory='*' ls-files -z --cached --others --exclude-standard --deduplicate \
  -- '*.cpp' '*.hpp')
existing=()
for file in "${files[@]}"; do
  if [[ -f $file ]]; then existing+=("$file"); fi  # a file may be deleted and not yet committed
done
if [[ ${#existing[@]} -eq 0 ]]; then
  echo "check_format: git names no C++ file here" >&2
  exit 2
fi

if [[ ${1:-} == --fix ]]; then
  "$formatter" -i "${existing[@]}"
elif ! "$formatter" --dry-run -Werror "${existing[@]}"; then
  echo "check_format: run tools/lint/check_format.sh --fix" >&2
  exit 1
fi
echo "format: ok (${#existing[@]} files)"
