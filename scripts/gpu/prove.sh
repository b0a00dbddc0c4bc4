#!/usr/bin/env bash
# Prove that the workbench runs on this machine's GPU: prove.sh OUT [OPTION...]
#
# OUT gets proof.json, proof.md and prove.log. The options are those of `python -m tests.bench.gpu`: --size small is for
# a machine without a GPU. If the embedded model is installed, the GPU is asked the ten questions of the tutorial, too.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
# shellcheck source=scripts/gpu/environment.sh
. "$(dirname "$0")/environment.sh"

failed=0
"${workbench%/*}/python" -m tests.bench.gpu "$out" "$@" 2>&1 | tee "$out/prove.log" || failed=1
has_more='import llama_cpp; from workbench.engines.embedded_model import find_embedded as f
raise SystemExit(not (llama_cpp.llama_supports_gpu_offload() and f()))'
if "${workbench%/*}/python" -c "$has_more"; then
    WORKBENCH_DATA=$(mktemp -d) "$workbench" run everyday --contract minimal --model embedded 2>&1 | tee -a "$out/prove.log"
fi
exit $failed
