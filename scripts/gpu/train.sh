#!/usr/bin/env bash
# Train the embedded model's adapter further on a GPU, for some minutes: train.sh OUT
#
# It is the recipe of embedded_adapter.sh, started from the shipped adapter, validated every 200 steps, and stopped
# after MINUTES. OUT gets adapter.gguf with the best weights, receipt.json, README.md and train.log. Called again on the
# same machine, it continues. On a new machine, START=FILE starts from the adapter.gguf that the last call wrote.
#
#   MINUTES    time from the start to the last step; 7 if it is not set. The last validation and the files take one more
#   FOLDER     of rows and checkpoints; rows that pack.sh packed are put there
#   METHOD     sft, or grpo to train on the rewards of suites instead: train_on_suites.sh. Then MINUTES is 5
#   and all variables of embedded_adapter.sh, or of train_on_suites.sh
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
# shellcheck source=scripts/gpu/environment.sh
. "$(dirname "$0")/environment.sh"
folder=${FOLDER:-artifacts/gpu/train}
mkdir -p "$folder"
for rows in "$site"/packed/rows/*.jsonl.xz; do
    file=$folder/$(basename "$rows" .xz)
    [ ! -f "$rows" ] || [ -f "$file" ] || xz -dc "$rows" >"$file"
done

export START=${START-embedded}
script=scripts/embedded_adapter.sh result=embedded_adapter
if [ "${METHOD:-sft}" = grpo ]; then
    script=scripts/gpu/train_on_suites.sh result=on_suites
    export MINUTES=${MINUTES:-5}
else
    export MINUTES=${MINUTES:-7} VALIDATE=${VALIDATE:-200} RATE=${RATE:-3e-4}
fi
status=0
$script "$workbench" "$folder" 2>&1 | tee "$out/train.log" || status=$?
for file in adapter.gguf receipt.json README.md; do
    [ ! -f "$folder/$result/$file" ] || cp "$folder/$result/$file" "$out/"
done
exit $status
