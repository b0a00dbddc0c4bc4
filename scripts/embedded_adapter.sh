#!/bin/sh
# Teaches the embedded model to call tools: embedded_adapter.sh WORKBENCH FOLDER
# Rows of fixed seeds, checked; training that goes on from its last checkpoint; then the held-out measure.
# ROWS, BATCH and PRECISION change the run. On two cores that do nothing else, a step takes some six seconds.
set -eu
workbench=$1
folder=$2
rows=${ROWS:-6400}
batch=${BATCH:-1}
# A processor that does not multiply bf16 takes many times longer over it than over f32.
fit=f32
grep -qE 'avx512_bf16|amx_bf16' /proc/cpuinfo 2>/dev/null && fit=bf16
precision=${PRECISION:-$fit}
mkdir -p "$folder"

if [ ! -f "$folder/train.jsonl" ]; then
    "$workbench" synth --seed 1 --count "$rows" --together 8 --exchanges 1 --tools 3 \
        --contract minimal=8 --contract hermes-3=0.7 --contract full=0.5 --out "$folder/train.jsonl"
    "$workbench" synth --seed 1 --count 400 --split test --contract minimal --out "$folder/test.jsonl"
fi
# The leak check: a row of the one in the other is an error.
"$workbench" check "$folder/train.jsonl" "$folder/test.jsonl"

resume=
[ -d "$folder/embedded_adapter/checkpoints" ] && resume=--resume
"$workbench" train "$folder/train.jsonl" --base embedded --out "$folder/embedded_adapter" --epochs 1 \
    --batch "$batch" --precision "$precision" --max-length 1536 --learning-rate 5e-4 --save-steps 50 --seed 1 $resume

"$workbench" heldout --adapter "$folder/embedded_adapter/adapter.gguf" --out "$folder/heldout.jsonl" --json \
    | tee "$folder/heldout.json"
echo "To ship it: copy adapter.gguf, receipt.json and README.md of $folder/embedded_adapter to workbench/engines/embedded_adapter/"
