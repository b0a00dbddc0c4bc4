"""`prompts/contracts/*.md`: one contract a file."""

from collections.abc import Sequence
from pathlib import Path

from workbench.contract.contract import Contract, parse_contract
from workbench.errors import BadInput


class ContractFiles:
    """The contracts of one folder, read when asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "contracts"

    def contract_names(self) -> Sequence[str]:
        """Sorted."""
        return sorted(path.stem for path in self._folder.glob("*.md"))

    def load_contract_text(self, name: str) -> str:
        """The file's text, front matter and all.

        Raises:
            BadInput: There is no contract of that name.
        """
        names = self.contract_names()
        if name not in names:
            raise BadInput(f"contract {name!r}", "no such contract", f"there are {', '.join(names)}")
        try:
            # newline="": what stands in the file is what the model is told.
            with (self._folder / f"{name}.md").open(encoding="utf-8", newline="") as file:
                return file.read()
        except UnicodeDecodeError as error:
            raise BadInput(f"contract {name!r}", f"not UTF-8 at byte {error.start}") from error

    def load_contract(self, name: str) -> Contract:
        """The contract of that name.

        Raises:
            BadInput: There is none, or its file cannot be read.
        """
        return parse_contract(self.load_contract_text(name), name=name)
