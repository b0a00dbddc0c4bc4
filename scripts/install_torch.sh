#!/bin/sh
# Install PyTorch into the virtual environment of a Python: install_torch.sh PYTHON
# It uses the build for a CPU (about 200 MB) from PyTorch's own index if possible, and otherwise the one from PyPI, which
# on Linux is a build for CUDA of several GB. TORCH_INDEX sets another index: .../whl/cu130, .../whl/rocm6.4.
set -eu
python=$1
here=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^torch==//p' "$here/constraints.txt")
index=${TORCH_INDEX:-https://download.pytorch.org/whl/cpu}

installed=$("$python" -c 'import importlib.metadata as m; print(m.version("torch").split("+")[0])' 2>/dev/null || true)
[ "$installed" = "$version" ] && exit 0

echo "torch $version: looking for it at $index (about 200 MB for a CPU; 0.9 GB on disk with everything for training)"
if "$python" -m pip install --quiet --no-deps --only-binary torch --index-url "$index" \
    --timeout 4 --retries 0 "torch==$version" >/dev/null 2>&1; then
    echo "torch $version: installed"
    exit 0
fi
echo "torch $version: not available there; using pip's default index"
"$python" -m pip install --quiet --disable-pip-version-check --constraint "$here/constraints.txt" "torch==$version"
