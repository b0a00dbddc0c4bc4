"""Compare the installed packages with `constraints.txt` and with the hashes in `constraints.sha256`.

The hash of a package is that of the list of its files with their SHA-256, as its wheel has them in `RECORD`. It needs
no index, so it is the same wherever the wheel came from. Wheels differ between systems, so each line names the tag of
the wheel; packages without a line for their tag are listed and not compared.

    python scripts/supply.py            # compare
    python scripts/supply.py --write    # add the installed packages to constraints.sha256
"""

import base64
import csv
import hashlib
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).parent.parent
HASHES = ROOT / "constraints.sha256"
_UNHASHED = ("INSTALLER", "REQUESTED", "RECORD", "direct_url.json")
"""Files that the installer writes."""
_BUILT_LOCALLY = "llama-cpp-python"
"""Compiled on each machine, so its files differ. Only its version and the files' own hashes are compared."""


def pinned(text: str) -> dict[str, str]:
    """Return the versions in constraints by the normalized names of the packages."""
    lines = (line.partition("#")[0].strip().partition("==") for line in text.splitlines())
    return {normalized(name): version for name, _, version in lines if version}


def normalized(name: str) -> str:
    """Return the name of a package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def wheel_files(found: Distribution) -> Iterator[tuple[str, str]]:
    """Yield the path and the SHA-256 of each file of the wheel. Scripts are written by the installer."""
    for path, stated, _ in csv.reader((found.read_text("RECORD") or "").splitlines()):
        is_written = path.startswith("..") or path.endswith(".pyc") or path.rpartition("/")[2] in _UNHASHED
        if stated and not is_written:
            yield path, stated


def changed_files(found: Distribution) -> list[str]:
    """Return the files whose content is no longer that of the wheel."""
    changed: list[str] = []
    for path, stated in wheel_files(found):
        algorithm, _, digest = stated.partition("=")
        file = Path(str(found.locate_file(path)))
        data = file.read_bytes() if file.is_file() else b""
        actual = base64.urlsafe_b64encode(hashlib.new(algorithm, data).digest()).rstrip(b"=").decode()
        if actual != digest:
            changed.append(path)
    return changed


def line_of(found: Distribution) -> str:
    """Return the line of a package: name, version, tag of the wheel and hash."""
    tags = sorted(re.findall(r"^Tag: (\S+)", found.read_text("WHEEL") or "", re.MULTILINE))
    files = "\n".join(f"{path} {stated}" for path, stated in sorted(wheel_files(found)))
    digest = hashlib.sha256(files.encode()).hexdigest()
    return f"{normalized(found.name)}=={found.version} {tags[0] if tags else 'none'} {digest}"


def problems_of(found: Distribution, versions: dict[str, str], listed: dict[str, str]) -> Iterator[str]:
    """Yield what differs from the constraints and the list of hashes."""
    name, (key, _, digest) = normalized(found.name), line_of(found).rpartition(" ")
    if found.version.partition("+")[0] != versions[name].partition("+")[0]:
        yield f"{name} {found.version}: constraints.txt has {versions[name]}"
    elif listed.get(key, digest) != digest:
        yield f"{key}: other files than in constraints.sha256"
    for path in changed_files(found):
        yield f"{name}: {path} was changed after the installation"


def main() -> int:
    """Compare or write, and return the exit code."""
    versions = pinned((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    lines = HASHES.read_text(encoding="utf-8").splitlines() if HASHES.exists() else []
    listed = {key: digest for key, _, digest in (line.rpartition(" ") for line in lines)}
    installed = [found for found in distributions() if found.name and normalized(found.name) in versions]
    if "--write" in sys.argv[1:]:
        listed |= {key: digest for key, _, digest in (line_of(found).rpartition(" ") for found in installed)}
        listed = {key: digest for key, digest in listed.items() if not key.startswith(f"{_BUILT_LOCALLY}==")}
        current = [f"{key} {listed[key]}" for key in sorted(listed) if _is_current(key, versions)]
        HASHES.write_text("\n".join(current) + "\n", encoding="utf-8")
        return 0
    problems = [problem for found in installed for problem in problems_of(found, versions, listed)]
    unlisted = [found.name for found in installed if line_of(found).rpartition(" ")[0] not in listed]
    lines = problems or [f"{len(installed) - len(unlisted)} packages are as listed."]
    if unlisted:
        lines = [*lines, f"Not listed for this system: {', '.join(sorted(unlisted))}"]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if problems else 0


def _is_current(key: str, versions: dict[str, str]) -> bool:
    name, _, rest = key.partition("==")
    return name in versions and rest.partition(" ")[0].partition("+")[0] == versions[name].partition("+")[0]


if __name__ == "__main__":
    sys.exit(main())
