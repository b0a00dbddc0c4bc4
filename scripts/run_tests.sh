#!/usr/bin/env bash
# run_tests.sh PYTHON "OPTIONS FOR PARALLEL TESTS" OPTION... EXPRESSION: run the tests whose marks match.
#
# Tests of the embedded model run after the others, one at a time: the threads of llama.cpp wait for each other without
# sleeping, so on a busy machine each of its tokens takes many times longer, and everything beside it, too.
set -uo pipefail
python=$1 parallel=$2
options=("${@:3:$#-3}") marks=${*: -1}
status=0
# shellcheck disable=SC2086
"$python" -m pytest $parallel "${options[@]}" -m "($marks) and not model" || status=$?
[ "$status" -le 1 ] || exit "$status"
"$python" -m pytest "${options[@]}" -m "($marks) and model" || status=$?
exit "$status"
