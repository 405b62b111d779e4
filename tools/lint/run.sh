#!/usr/bin/env bash
# Runs every lint check, the cheap ones first, and all of them even when one fails.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

"$here/../setup.sh" test
failed=()
for check in check_layers.py check_tree.py check_format.sh check_headers.sh; do
  "$here/$check" || failed+=("$check")
done

if [[ ${#failed[@]} -gt 0 ]]; then
  echo "lint: FAILED (${failed[*]})"
  exit 1
fi
echo "lint: ok"
