#!/bin/sh
# Train the adapter that teaches the embedded model to call tools: embedded_adapter.sh WORKBENCH FOLDER
#
# There are two training runs; the second one starts from the adapter of the first. Rows are generated from fixed seeds
# and checked, training continues from its last checkpoint, and at the end the held-out test measures the result. The
# variables ROWS, MORE, BATCH and PRECISION change the runs. A step takes about six seconds on two idle cores.
set -eu
workbench=$1
folder=$2
batch=${BATCH:-1}
# Without instructions for bf16, a processor is many times slower with bf16 than with f32.
fit=f32
grep -qE 'avx512_bf16|amx_bf16' /proc/cpuinfo 2>/dev/null && fit=bf16
precision=${PRECISION:-$fit}
mkdir -p "$folder"

# rows SEED COUNT FILE OPTION...: generate rows, eight of which share the same tools, and check that none is in the test.
rows() {
    seed=$1 count=$2 file=$3
    shift 3
    [ -f "$file" ] || "$workbench" synth --seed "$seed" --count "$count" --together 8 --exchanges 1 --tools 3 \
        --contract minimal=8 "$@" --out "$file"
    "$workbench" check "$file" "$folder/test.jsonl"
}

# teach SEED RATE FILE OUT OPTION...: train an adapter on rows. A run that was stopped continues.
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
# Kinds of rows that were weakest after the first run: names and values, missing information, several calls.
rows 3 "${MORE:-3400}" "$folder/second.jsonl" --contract hermes-3=0.6 --contract full=0.9 \
    --kind single=34 --kind missing=20 --kind parallel_same=9 --kind parallel_two=10 --kind about_tools=5 \
    --kind uncovered=6 --kind chat=5 --kind thanks --kind follow_up=2 --kind error --kind two_rounds=2 --kind retried=0.5
teach 3 4e-4 "$folder/second.jsonl" "$folder/embedded_adapter" --start "$folder/first/adapter.gguf"

"$workbench" heldout --adapter "$folder/embedded_adapter/adapter.gguf" --out "$folder/heldout.jsonl" --json \
    | tee "$folder/heldout.json"
echo "To ship the adapter, copy adapter.gguf, receipt.json and README.md from $folder/embedded_adapter to workbench/engines/embedded_adapter/"
