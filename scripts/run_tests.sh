#!/usr/bin/env bash
# run_tests.sh PYTHON PARALLEL BROWSERS OPTION... EXPRESSION: run the tests whose marks match.
#
# PARALLEL and BROWSERS are the options for parallel tests, the second for tests in a browser, which mostly wait. Tests
# of the embedded model run last, one at a time: the threads of llama.cpp wait for each other without sleeping, so on a
# busy machine each of its tokens takes many times longer, and everything beside it, too.
set -uo pipefail
python=$1 parallel=$2 browsers=$3
options=("${@:4:$#-4}") marks=${*: -1}
failed=0

marked() {
  grep -rlE "mark\.($1)\b" tests --include="test_*.py"
}

# run "OPTIONS" EXPRESSION FILE...: run a group. It may be empty (status 5); anything but failed tests ends the run.
run() {
  local status=0
  # shellcheck disable=SC2086
  "$python" -m pytest $1 "${options[@]}" -m "($marks) and $2" "${@:3}" || status=$?
  case $status in
    0 | 5) ;;
    1) failed=1 ;;
    *) exit "$status" ;;
  esac
}

run "$parallel" "not model and not browser"
mapfile -t files < <(marked browser)
run "$browsers" "not model and browser" "${files[@]}"
mapfile -t files < <(marked model)
run "" "model" "${files[@]}"
exit "$failed"
