"""The ports of versions: those that are kept, and the files that they come from and go to."""

from collections.abc import Sequence
from typing import Protocol

from workbench.records.versions import FileState, KeptText, NewVersion, Version, VersionKind, VersionLine


class Versions(Protocol):
    """The versions that one owner may read: their own, and the shared library's.

    Every method commits before it returns, and may raise StoreError. What is written is the owner's own.
    """

    def lines(self, kind: VersionKind | None = None) -> Sequence[VersionLine]:
        """Every name that has versions, sorted by kind and name; None takes all kinds."""
        ...

    def history(self, kind: VersionKind, name: str, *, limit: int = 50, offset: int = 0) -> Sequence[Version]:
        """The versions of a name, the newest first."""
        ...

    def find(self, kind: VersionKind, name: str, which: str = "") -> Version | None:
        """The version that a person means; None where there is none.

        Args:
            kind: What it is a version of.
            name: Whose history it is in.
            which: A number (`3`, `v3`), a tag, or the beginning of its id or of its text's hash; empty
                takes the newest. The owner's own are looked at before the shared ones.
        """
        ...

    def version(self, version_id: str) -> Version | None:
        """The version of that id; None where there is none."""
        ...

    def save(self, new: NewVersion) -> Version:
        """A new version; where its text is its parent's, the parent."""
        ...

    def restore(self, version_id: str, *, message: str = "") -> Version:
        """A new version with the text of an old one; where the newest has that text, the newest."""
        ...

    def tag(self, version_id: str, tag: str) -> Version:
        """Points a name at a version; it points at no other of the same history any more."""
        ...

    def untag(self, kind: VersionKind, name: str, tag: str) -> bool:
        """Takes a name away; False where there was none."""
        ...

    def find_text(self, kind: VersionKind, text_hash: str) -> KeptText | None:
        """The text of that hash, or whose hash begins so; None where there is none, or several."""
        ...

    def keep_text(self, kind: VersionKind, text: str) -> KeptText:
        """Keeps a text under its hash without making a version of it; keeping it again changes nothing."""
        ...

    def take_file(
        self, kind: VersionKind, name: str, text: str, *, is_deliberate: bool = False
    ) -> tuple[FileState, Version]:
        """The text of a file, which becomes the newest version where nothing is in its way.

        Args:
            kind: What the file holds.
            name: Of the file, without its ending.
            text: Of the file.
            is_deliberate: True takes a changed file also where the newest version is not what it was made from.

        Returns:
            How the two stand to each other now, and the newest version.
        """
        ...

    def comes_from(self, version_id: str, text_hash: str) -> bool:
        """Whether the version, or one that it was made from, has the text of that hash."""
        ...

    def note_file(self, version_id: str) -> None:
        """The version's file has its text now."""
        ...


class VersionFiles(Protocol):
    """The files of `prompts/` and `tools_catalog/`, byte for byte."""

    def names(self, kind: VersionKind) -> Sequence[str]:
        """Names that have a file, sorted."""
        ...

    def find(self, kind: VersionKind, name: str) -> str | None:
        """The file's text; None where there is no file.

        Raises:
            BadInput: It is not UTF-8, or cannot be read.
        """
        ...

    def save(self, kind: VersionKind, name: str, text: str, *, before: str | None) -> None:
        """Writes the file, whole or not at all.

        Raises:
            BadInput: The file no longer has the text `before` (None: is there now), or cannot be written.
        """
        ...

    def find_rows(self, name: str) -> str:
        """The text of a CSV file that lies beside the suites' files.

        Raises:
            BadInput: There is no such file there, or it cannot be read.
        """
        ...

    def describe(self, kind: VersionKind, name: str) -> str:
        """Where that file is, or would be."""
        ...
