#!/bin/sh
# Teaches the embedded model to call tools: embedded_adapter.sh WORKBENCH FOLDER
# Two runs, the second from the adapter of the first: rows of fixed seeds, checked; training that goes on from its last
# checkpoint; then the held-out measure. ROWS, MORE, BATCH and PRECISION change the runs. On two cores that do nothing
# else, a step takes some six seconds.
set -eu
workbench=$1
folder=$2
batch=${BATCH:-1}
# A processor that does not multiply bf16 takes many times longer over it than over f32.
fit=f32
grep -qE 'avx512_bf16|amx_bf16' /proc/cpuinfo 2>/dev/null && fit=bf16
precision=${PRECISION:-$fit}
mkdir -p "$folder"

# rows SEED COUNT FILE OPTION...: rows that share their tools by eight. The leak check: a row of the test is an error.
rows() {
    seed=$1 count=$2 file=$3
    shift 3
    [ -f "$file" ] || "$workbench" synth --seed "$seed" --count "$count" --together 8 --exchanges 1 --tools 3 \
        --contract minimal=8 "$@" --out "$file"
    "$workbench" check "$file" "$folder/test.jsonl"
}

# teach SEED RATE FILE OUT OPTION...: an adapter of these rows; a run that stopped is gone on with, one that ended stays.
teach() {
    seed=$1 rate=$2 file=$3 out=$4
    shift 4
    [ ! -d "$out/checkpoints" ] || set -- "$@" --resume
    "$workbench" train "$file" --base embedded --out "$out" --epochs 1 --batch "$batch" --precision "$precision" \
        --max-length 1536 --learning-rate "$rate" --save-steps 50 --seed "$seed" "$@"
}

[ -f "$folder/test.jsonl" ] ||
    "$workbench" synth --seed 1 --count 400 --split test --contract minimal --out "$folder/test.jsonl"
rows 1 "${ROWS:-6400}" "$folder/first.jsonl" --contract hermes-3=0.7 --contract full=0.5
teach 1 5e-4 "$folder/first.jsonl" "$folder/first"
# What was weakest after the first run: names and values, what is missing, several calls.
rows 3 "${MORE:-3400}" "$folder/second.jsonl" --contract hermes-3=0.6 --contract full=0.9 \
    --kind single=34 --kind missing=20 --kind parallel_same=9 --kind parallel_two=10 --kind about_tools=5 \
    --kind uncovered=6 --kind chat=5 --kind thanks --kind follow_up=2 --kind error --kind two_rounds=2 --kind retried=0.5
teach 3 4e-4 "$folder/second.jsonl" "$folder/embedded_adapter" --start "$folder/first/adapter.gguf"

"$workbench" heldout --adapter "$folder/embedded_adapter/adapter.gguf" --out "$folder/heldout.jsonl" --json \
    | tee "$folder/heldout.json"
echo "To ship it: copy adapter.gguf, receipt.json and README.md of $folder/embedded_adapter to workbench/engines/embedded_adapter/"
