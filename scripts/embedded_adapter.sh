#!/bin/sh
# Train the adapter that teaches the embedded model to call tools: embedded_adapter.sh WORKBENCH FOLDER
#
# Rows are generated from fixed seeds and checked, and training continues from its last checkpoint. At the end, the
# call threshold is chosen, and the held-out tests measure the result. These variables change the run:
#
#   DEVICE     auto (a GPU if PyTorch finds one), gpu or cpu
#   BASE       embedded, a GGUF file that transformers can load, or a folder or repository of weights
#   START      adapter to start from: a GGUF file, or embedded for the shipped one
#   ROWS       number of rows about everyday tools; a quarter as many have invented tools
#   MASKED     share of the everyday tools whose names mean nothing; 0 if it is not set
#   LORA_RANK, BATCH, LENGTH, RATE, PRECISION, VALIDATE, SHARE    of the training and its validation
#   STEPS      maximum number of steps; the result is not measured then. STEPS=10 ROWS=2000 shows the time of a step
#   MINUTES    stop the training this long after the start of the script, as Ctrl+C does; the same command continues it.
#              The result is not measured then
set -eu
started=$(date +%s)
workbench=$1
folder=$2
base=${BASE:-embedded}
device=${DEVICE:-auto}

found=cpu
if [ "$device" != cpu ] && "${workbench%/*}/python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
    found=gpu
fi
if [ "$device" = gpu ] && [ $found = cpu ]; then
    echo "DEVICE=gpu: PyTorch finds no GPU. Use DEVICE=cpu, or install a CUDA build: docs/how-to/train-on-rows.md" >&2
    exit 2
fi
if [ $found = gpu ]; then
    # About 1,600 steps of 110 examples. A step took 0.26 seconds on an H200.
    defaults="140000 32 16 1e-3 bf16" validation=150 save_steps=150
else
    export CUDA_VISIBLE_DEVICES=
    # A night on two cores. Without instructions for bf16, a processor is many times slower with bf16 than with f32.
    fit=f32
    grep -qE 'avx512_bf16|amx_bf16' /proc/cpuinfo 2>/dev/null && fit=bf16
    defaults="28000 32 1 4e-4 $fit" validation=0 save_steps=50
fi
read -r rows rank batch rate precision <<END
$defaults
END
rows=${ROWS:-$rows}
mkdir -p "$folder"

# rows_in FILE OPTION...: generate rows, eight of which share the same tools.
rows_in() {
    file=$1
    shift
    [ -f "$file" ] || "$workbench" synth --together 8 --exchanges 1 --contract minimal=8 --contract hermes-3=0.6 \
        --contract full=0.6 "$@" --out "$file"
}

rows_in "$folder/test.jsonl" --seed 1 --count 400 --split test
rows_in "$folder/everyday.jsonl" --generator everyday --disguised 0.75 --masked "${MASKED:-0}" --seed 51 --count "$rows" --tools 4 \
    --kind single=38 --kind parallel=8 --kind parallel_two=10 --kind mixed=4 --kind follow_up=6 --kind missing=18 \
    --kind near_miss=7 --kind uncovered=2 --kind chat=5 --kind failed=1 --kind thanks=1
rows_in "$folder/formal.jsonl" --seed 53 --count $((rows / 4)) --tools 3 --without "$folder/everyday.jsonl" \
    --kind single=34 --kind missing=20 --kind parallel_same=9 --kind parallel_two=10 --kind about_tools=5 \
    --kind uncovered=6 --kind follow_up=2 --kind error --kind two_rounds=2 --kind retried=0.5
"$workbench" check "$folder/everyday.jsonl" "$folder/formal.jsonl" "$folder/test.jsonl"

out=$folder/embedded_adapter
resume='' start=''
[ -z "${START:-}" ] || start="--start $START"
[ ! -d "$out/checkpoints" ] || resume=--resume
bounded=
if [ -n "${MINUTES:-}" ]; then
    left=$((started + MINUTES * 60 - $(date +%s)))
    [ $left -gt 0 ] || { echo "MINUTES=$MINUTES: no time is left for the training" >&2; exit 1; }
    bounded="timeout --foreground --preserve-status --signal=INT $left"
fi
# shellcheck disable=SC2086  # Options without spaces, or none.
$bounded "$workbench" train "$folder/everyday.jsonl" "$folder/formal.jsonl" --base "$base" --out "$out" --epochs 1 \
    --lora-rank "${LORA_RANK:-$rank}" --batch "${BATCH:-$batch}" --learning-rate "${RATE:-$rate}" \
    --precision "${PRECISION:-$precision}" --max-steps "${STEPS:-0}" --seed 51 --stored-as q8_0 \
    --validate-steps "${VALIDATE:-$validation}" --validate-share "${SHARE:-1}" --max-length "${LENGTH:-2048}" \
    --save-steps $save_steps $start $resume

[ -z "${STEPS:-}${MINUTES:-}" ] || exit 0
case $base in
embedded | *.gguf)
    "$workbench" heldout --model "$base" --generator everyday --split validation --share 0.4 \
        --adapter "$out/adapter.gguf" --choose-threshold
    for generator in everyday formal; do
        "$workbench" heldout --model "$base" --generator $generator --no-base --adapter "$out/adapter.gguf" \
            --out "$folder/heldout-$generator.jsonl"
    done
    ;;
*) echo "To measure the adapter with \`workbench heldout\`, convert $base to GGUF." ;;
esac
echo "To ship the adapter, copy adapter.gguf, receipt.json and README.md from $out to workbench/engines/embedded_adapter/"
