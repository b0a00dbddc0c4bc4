#!/bin/sh
# Install llama-cpp-python into the virtual environment of a Python: install_llama.sh PYTHON
# It uses the prebuilt wheel from the maintainer's index if possible, and otherwise builds from source.
# LLAMA_INDEX sets another index of the maintainer: .../whl/cu124, .../whl/metal, .../whl/vulkan.
set -eu
python=$1
here=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^llama-cpp-python==//p' "$here/constraints.txt")
index=${LLAMA_INDEX:-https://abetlen.github.io/llama-cpp-python/whl/cpu}

installed=$("$python" -c 'import importlib.metadata as m; print(m.version("llama-cpp-python"))' 2>/dev/null || true)
[ "$installed" = "$version" ] && exit 0

echo "llama-cpp-python $version: looking for a prebuilt wheel at $index"
if "$python" -m pip install --quiet --no-deps --only-binary llama-cpp-python --index-url "$index" \
    --timeout 4 --retries 0 "llama-cpp-python==$version" >/dev/null 2>&1; then
    echo "llama-cpp-python $version: installed from the prebuilt wheel"
    exit 0
fi

for tool in gcc cmake; do
    command -v "$tool" >/dev/null || { echo "There is no prebuilt wheel, and $tool is missing to build one: apt-get install gcc g++ cmake" >&2; exit 1; }
done
echo "llama-cpp-python $version: no prebuilt wheel; building from source."
echo "  This takes about ten minutes on two cores. It is done once, because pip caches the wheel."
log=$(mktemp)
# Parts that text models do not need are left out: images and sound (llava), programs, tests.
# GGML_NATIVE=OFF: do not optimize for this processor only. pip caches the wheel, another machine may share the cache,
# and some virtual machines report instructions (AMX) that crash when they are used.
CMAKE_ARGS="-DGGML_NATIVE=OFF -DLLAVA_BUILD=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF ${CMAKE_ARGS:-}" \
CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(getconf _NPROCESSORS_ONLN)} \
    "$python" -m pip install --no-deps "llama-cpp-python==$version" >"$log" 2>&1 &
builder=$!
trap 'kill "$builder" 2>/dev/null || true' INT TERM
seconds=0
while kill -0 "$builder" 2>/dev/null; do
    sleep 1
    seconds=$((seconds + 1))
    [ $((seconds % 20)) -ne 0 ] || echo "  still building: $((seconds / 60)) min $((seconds % 60)) s"
done
if ! wait "$builder"; then
    tail -n 30 "$log" >&2
    echo "The build failed. The complete log is in $log" >&2
    exit 1
fi
rm -f "$log"
echo "llama-cpp-python $version: built and installed in $((seconds / 60)) min $((seconds % 60)) s"
