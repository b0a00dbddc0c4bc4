#!/usr/bin/env bash
# Build a wheel of llama-cpp-python for NVIDIA GPUs: build_llama.sh [FOLDER]
#
# The wheel, of the version in constraints.txt and for one GPU architecture, is in FOLDER/wheels at the end; FOLDER is
# artifacts/gpu if it is not given. The same command continues a build that was stopped. It needs nvcc of CUDA 13, gcc,
# g++ and Python with pip. The build log goes to standard output.
#
#   ARCHITECTURE  compute capability of the GPU without its point: 90 for H100 and H200, 89 for L4, 120 for RTX 50
#   JOBS          number of compilers that run at once; the number of processors if it is not set
#   SOURCE        archive from `pack.sh source`, if PyPI cannot be reached
#   NVCC          the compiler, if it is not on the PATH
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$here/artifacts/gpu}
version=$(sed -n 's/^llama-cpp-python==//p' "$here/constraints.txt")
mkdir -p "$folder/stubs"
folder=$(cd "$folder" && pwd)
source=$folder/llama_cpp_python-$version

# A link or a script on the PATH may start the compiler, which says itself where its toolkit is.
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
toolkit=$("$nvcc" --dryrun x.cu 2>&1 | sed -n 's/^#\$ TOP=//p') || true
[ -n "$toolkit" ] || { echo "nvcc was not found: install the CUDA toolkit, or set NVCC" >&2; exit 1; }
export CUDACXX=$toolkit/bin/nvcc

if [ ! -d "$source" ]; then
    if [ -n "${SOURCE:-}" ]; then
        tar -xf "$SOURCE" -C "$folder"
    else
        python3 -m pip download --quiet --no-deps --no-binary llama-cpp-python --dest "$folder" "llama-cpp-python==$version"
        tar -xzf "$source.tar.gz" -C "$folder"
    fi
fi

# The tools of the build: those that are installed, otherwise in an environment of their own.
python=python3
if ! python3 -c 'import scikit_build_core' 2>/dev/null || ! command -v cmake >/dev/null || ! command -v ninja >/dev/null; then
    python=$folder/tools/bin/python
    if [ ! -x "$folder/tools/bin/ninja" ]; then
        python3 -m venv "$folder/tools"
        "$python" -m pip install --quiet 'cmake<4' ninja 'scikit-build-core[pyproject]'
    fi
    export PATH=$folder/tools/bin:$PATH
fi

# cuBLAS: of the toolkit, of PyTorch's packages, or from PyPI.
# It is searched in folders that need not exist.
find_cublas() { (find -H "$@" -name "libcublas.so*" 2>/dev/null || true) | sort | sed -n 1p; }
cublas=$(find_cublas "$toolkit/" "$folder/cublas" $(python3 -c 'import site; print(*site.getsitepackages())'))
if [ -z "$cublas" ]; then
    python3 -m pip install --quiet --no-deps --target "$folder/cublas" 'nvidia-cublas>=13,<13.2'
    cublas=$(find_cublas "$folder/cublas")
fi
include=$(cd "$(dirname "$cublas")/../include" && pwd)
# The driver is only on machines with a GPU. Its functions are looked up where the wheel runs.
gcc -shared -Wl,-soname,libcuda.so.1 -x c /dev/null -o "$folder/stubs/libcuda.so"

options=(
    -DGGML_CUDA=ON "-DCMAKE_CUDA_ARCHITECTURES=${ARCHITECTURE:-90}-real" -DGGML_NATIVE=OFF -DGGML_CCACHE=OFF
    -DGGML_CUDA_NCCL=OFF "-DCUDA_cuda_driver_LIBRARY=$folder/stubs/libcuda.so" "-DCUDA_cublas_LIBRARY=$cublas"
    "-DCMAKE_CUDA_FLAGS=-I$include"
    # As in install_llama.sh: parts that text models do not need.
    -DLLAVA_BUILD=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF
)
started=$(date +%s)
CMAKE_ARGS=${options[*]} CMAKE_GENERATOR=Ninja CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)} \
    "$python" -m pip wheel -v --no-deps --no-build-isolation -Cbuild-dir="$folder/build" -w "$folder/wheels" "$source"
echo "built in $((($(date +%s) - started) / 60)) minutes:"
du -h "$folder"/wheels/*.whl
