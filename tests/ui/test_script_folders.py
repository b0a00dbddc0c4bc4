"""What the folders of scripts may import from each other, and what the two libraries among them offer."""

import re
from collections import defaultdict

from workbench.ui.script_files import script_paths

BELOW = {"shared": set[str](), "actions": {"shared"}, "drafts": {"shared"}}
LIBRARIES = {
    "actions": {"createLog", "createSender", "isSameAction"},
    "drafts": {
        # documents and their drafts
        "discard", "hasDraft", "idOf", "idNow", "keep", "kept", "nameOf", "onShow", "show", "splitId", "textAt", "textOf", "write",
        # all drafts, and when they change
        "drafts", "isReady", "onChange", "setAccount",
        # edits that the server makes
        "ask", "editOf",
    },
}  # fmt: skip
IMPORT = re.compile(r'^import \{([^}]*)\} from "\.\./(\w+)/', re.MULTILINE)


def imports() -> dict[tuple[str, str], set[str]]:
    """What each folder imports from each other."""
    found = defaultdict[tuple[str, str], set[str]](set)
    for path in script_paths().values():
        for names, folder in IMPORT.findall(path.read_text(encoding="utf-8")):
            found[path.parent.name, folder] |= {name.split()[0] for name in names.split(",") if name.strip()}
    return found


def test_a_folder_imports_from_itself_and_from_those_below_it() -> None:
    for folder, other in imports():
        assert other in BELOW.get(folder, set(BELOW)), (folder, other)


def test_the_libraries_are_used_through_these_functions_only() -> None:
    used = defaultdict[str, set[str]](set)
    for (_, other), names in imports().items():
        used[other] |= names
    assert {library: used[library] for library in LIBRARIES} == LIBRARIES
