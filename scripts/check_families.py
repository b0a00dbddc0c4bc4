"""Check the families of everyday tools: check_families.py [FILE...] [--show NAME] [--kind KIND].

Without files, all shipped families are checked. With `--show`, print a few exchanges of a family as well.
"""

import argparse
import sys
from pathlib import Path

from family_checks.check import check_families
from family_checks.check_draws import sample_texts

from workbench.training.everyday.family import Family
from workbench.training.everyday.family_files import families_folder, read_families


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="YAML files with families (default: all)")
    parser.add_argument("--show", metavar="NAME", help="family to print exchanges of")
    parser.add_argument("--kind", help="only exchanges of this kind")
    parser.add_argument("--count", type=int, default=3, help="exchanges of each kind (default: 3)")
    options = parser.parse_args()
    families: list[Family] = []
    problems: list[str] = []
    for path in options.files or sorted(Path(str(families_folder())).glob("*.yaml")):
        read, found = read_families(path.read_text("utf-8"), path.name)
        families += read
        problems += found
    problems += check_families(families)
    out = sys.stdout.write
    for problem in problems:
        out(f"{problem}\n")
    if options.show:
        for text in sample_texts(families, options.show, kind=options.kind, count=options.count):
            out(f"{text}\n\n")
    sentences = sum(len(family.requests) for family in families)
    out(f"{len(families)} families, {sentences} requests, {len(problems)} problems\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
