#!/bin/sh
# Puts PyTorch into the virtual environment of the Python that is named: install_torch.sh PYTHON
# For a CPU, some 200 MB, from PyTorch's own index where it can be reached, else whatever PyPI has: on Linux
# that is a build for CUDA of several GB. TORCH_INDEX names another index of theirs: .../whl/cu130, .../whl/rocm6.4.
set -eu
python=$1
here=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^torch==//p' "$here/constraints.txt")
index=${TORCH_INDEX:-https://download.pytorch.org/whl/cpu}

installed=$("$python" -c 'import importlib.metadata as m; print(m.version("torch").split("+")[0])' 2>/dev/null || true)
[ "$installed" = "$version" ] && exit 0

echo "torch $version: some 200 MB for a CPU, 0.9 GB on disk with all that trains; asking $index"
if "$python" -m pip install --quiet --no-deps --only-binary torch --index-url "$index" \
    --timeout 4 --retries 0 "torch==$version" >/dev/null 2>&1; then
    echo "torch $version: installed from there"
    exit 0
fi
echo "torch $version: not to be had there; asking the index that pip is set up with"
"$python" -m pip install --quiet --disable-pip-version-check --constraint "$here/constraints.txt" "torch==$version"
