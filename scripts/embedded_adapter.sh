#!/bin/sh
# Teaches the embedded model to call tools: embedded_adapter.sh WORKBENCH FOLDER
# Rows of fixed seeds, checked; training that goes on from its last checkpoint; then the held-out measure.
# STEPS, BATCH, PRECISION and ROWS change the run. On two cores that do nothing else, a step takes some ten seconds.
set -eu
workbench=$1
folder=$2
steps=${STEPS:-480}
batch=${BATCH:-4}
precision=${PRECISION:-bf16}
rows=${ROWS:-2800}
mkdir -p "$folder"

if [ ! -f "$folder/train.jsonl" ]; then
    "$workbench" synth --seed 1 --count "$rows" --tools 3 --contract minimal=8 --contract hermes-3=1 \
        --contract full=0.5 --out "$folder/train.jsonl"
    "$workbench" synth --seed 1 --count 400 --split test --contract minimal --out "$folder/test.jsonl"
fi
# The leak check: a row of the one in the other is an error.
"$workbench" check "$folder/train.jsonl" "$folder/test.jsonl"

resume=
[ -d "$folder/run/checkpoints" ] && resume=--resume
"$workbench" train "$folder/train.jsonl" --base embedded --out "$folder/run" --max-steps "$steps" --epochs 99 \
    --batch "$batch" --precision "$precision" --max-length 768 --learning-rate 4e-4 --save-steps 25 --seed 1 $resume

"$workbench" heldout --adapter "$folder/run/adapter.gguf" --out "$folder/heldout.jsonl" --json \
    | tee "$folder/heldout.json"
echo "To ship it: copy adapter.gguf, receipt.json and README.md of $folder/run to workbench/engines/embedded_adapter/"
