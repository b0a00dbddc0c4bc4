# shellcheck shell=bash
# Sourced by prove.sh and train.sh: sets `workbench`, the command of an environment with the workbench and llama.cpp.
#
# It is in the folder COMMANDS, otherwise in the virtual environment of the checkout. On a machine that only gets the
# checkout and what pack.sh packed, the wheels are installed beside the packages of its own Python. If the source of
# llama-cpp-python was packed and no wheel of it, it is built first.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
packed=$here/artifacts/gpu/packed
site=/tmp/workbench-gpu
cd "$here"

COMMANDS=${COMMANDS:-$here/.venv/bin}
if [ ! -x "$COMMANDS/python" ] && compgen -G "$packed/*/part" >/dev/null; then
    if [ ! -f "$site/done" ]; then
        mkdir -p "$site/packed" "$site/bin"
        mapfile -t parts < <(printf '%s\n' "$packed"/*/part | sort -V)
        cat "${parts[@]}" | tar -x -C "$site/packed" ||
            { echo "The parts in $packed are not complete; pack.sh says how many there are." >&2; exit 1; }
        wheels=("$site"/packed/wheels/*.whl)
        if [ -f "$site/packed/source.tar.xz" ] && ! compgen -G "$site/packed/wheels/llama_cpp_python-*" >/dev/null; then
            SOURCE=$site/packed/source.tar.xz scripts/gpu/build_llama.sh "$site/llama" >"$site/build.log" 2>&1 ||
                { tail -n 20 "$site/build.log" >&2; exit 1; }
            tail -n 2 "$site/build.log"
            wheels+=("$site"/llama/wheels/*.whl)
        fi
        python3 -m pip install --quiet --no-index --no-deps --no-compile --no-cache-dir --upgrade --target "$site/packages" \
            "${wheels[@]}"
        python=$(command -v python3)
        printf '#!/bin/sh\nexec %s "$@"\n' "$python" >"$site/bin/python"
        printf '#!/bin/sh\nexec %s -m workbench "$@"\n' "$python" >"$site/bin/workbench"
        chmod +x "$site"/bin/*
        touch "$site/done"
    fi
    export PYTHONPATH=$site/packages
    # cuBLAS and the CUDA runtime, where PyTorch's packages have them.
    libraries=$(python3 -c 'import site; print(":".join(f"{folder}/nvidia/cu13/lib" for folder in site.getsitepackages()))')
    export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    COMMANDS=$site/bin
fi
# shellcheck disable=SC2034
workbench=$COMMANDS/workbench
export PYTHONPATH=$here${PYTHONPATH:+:$PYTHONPATH} PYTHONUNBUFFERED=1
