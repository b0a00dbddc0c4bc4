#!/usr/bin/env bash
# Train the embedded model's adapter on the rewards of suites: train_on_suites.sh WORKBENCH FOLDER
#
# train.sh calls it with METHOD=grpo. It stops after MINUTES, as Ctrl+C does; the same command continues it.
#
#   SUITES     names or files of suites, separated by spaces
#   BASE, START, LORA_RANK, PRECISION, RATE, STEPS, MINUTES    as in embedded_adapter.sh
#   BATCH      episodes per step
#   SAMPLES    episodes of a case that are compared with each other
#   TOKENS     maximum number of tokens of an episode after its prompt
set -euo pipefail
workbench=$1
out=$2/on_suites
options=()
[ -z "${START:-}" ] || options+=(--start "$START")
[ ! -d "$out/checkpoints" ] || options+=(--resume)
[ "${DEVICE:-auto}" != cpu ] || export CUDA_VISIBLE_DEVICES=
# shellcheck disable=SC2086  # Names of suites, separated by spaces.
timeout --foreground --preserve-status --signal=INT $((MINUTES * 60)) "$workbench" train ${SUITES:-everyday weather shop travel desk} \
    --method grpo --base "${BASE:-embedded}" --out "$out" --max-steps "${STEPS:-2000}" --seed 61 --stored-as q8_0 \
    --lora-rank "${LORA_RANK:-32}" --precision "${PRECISION:-bf16}" --learning-rate "${RATE:-2e-5}" --save-steps 20 \
    --batch "${BATCH:-64}" --samples "${SAMPLES:-8}" --completion-tokens "${TOKENS:-512}" --reward '{"result": 1, "arguments": 0.5, "format": 0.2, "no_needless_call": 0.2}' "${options[@]}"
