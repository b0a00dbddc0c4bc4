#!/bin/sh
# Teaches the embedded model to call tools: embedded_adapter.sh WORKBENCH FOLDER
# Rows of fixed seeds, checked; two runs, the second on rows of what the first left weak; then the held-out measure.
# A run that stopped goes on from its last checkpoint. ROWS, MORE_ROWS, BATCH and PRECISION change the runs; bf16 is
# quicker where the processor multiplies it, and many times slower where it does not. On two cores that do nothing
# else, a step takes some six seconds.
set -eu
workbench=$1
folder=$2
rows=${ROWS:-6400}
more_rows=${MORE_ROWS:-2900}
batch=${BATCH:-1}
precision=${PRECISION:-f32}
mkdir -p "$folder"

# draw FILE SEED COUNT OPTION…: eight rows together have one system text, and are trained in one text.
draw() {
    file=$1 seed=$2 count=$3
    shift 3
    [ -f "$file" ] || "$workbench" synth --seed "$seed" --count "$count" --together 8 --exchanges 1 --tools 3 \
        --contract minimal=8 --contract hermes-3=0.7 --contract full=0.5 "$@" --out "$file"
}

# teach ROWS OUT SEED OPTION…
teach() {
    learned=$1 out=$2 seed=$3
    shift 3
    [ ! -d "$out/checkpoints" ] || set -- "$@" --resume
    "$workbench" train "$learned" --base embedded --out "$out" --epochs 1 --batch "$batch" \
        --precision "$precision" --max-length 1536 --save-steps 50 --seed "$seed" "$@"
}

draw "$folder/train.jsonl" 1 "$rows"
draw "$folder/more.jsonl" 2 "$more_rows" --kind single=24 --kind missing=30 --kind parallel_same=12 \
    --kind parallel_two=12 --kind about_tools=5 --kind uncovered=6 --kind chat=5 --kind thanks --kind follow_up \
    --kind error --kind two_rounds=2 --kind retried=0.5
[ -f "$folder/test.jsonl" ] ||
    "$workbench" synth --seed 1 --count 400 --split test --contract minimal --out "$folder/test.jsonl"
# The leak check: a row of the one in the other is an error.
"$workbench" check "$folder/train.jsonl" "$folder/test.jsonl"
"$workbench" check "$folder/more.jsonl" "$folder/test.jsonl"

[ -f "$folder/first.done" ] || {
    teach "$folder/train.jsonl" "$folder/first" 1 --learning-rate 5e-4
    touch "$folder/first.done"
}
teach "$folder/more.jsonl" "$folder/embedded_adapter" 2 --learning-rate 4e-4 --start "$folder/first/adapter.gguf"

"$workbench" heldout --adapter "$folder/embedded_adapter/adapter.gguf" --out "$folder/heldout.jsonl" --json \
    | tee "$folder/heldout.json"
echo "To ship it: copy adapter.gguf, receipt.json and README.md of $folder/embedded_adapter to workbench/engines/embedded_adapter/"
