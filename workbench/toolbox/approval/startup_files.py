"""Names of files and folders that programs outside of the sandbox run or obey when a person only opens a folder."""

from typing import Final

STARTUP_NAMES: Final = (
    ".gitattributes", ".gitmodules", ".githooks", ".husky", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml",
    ".envrc", ".direnv", ".autoenv", ".mise.toml", "mise.toml", ".tool-versions",
    ".vscode", ".idea", ".zed", ".devcontainer", ".exrc", ".nvimrc", ".nvim.lua", ".vimrc", ".dir-locals.el",
    ".claude", ".cursor", ".mcp.json",
    ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnp.cjs", ".cargo", ".mvn", ".bazelrc", ".gdbinit", ".lldbinit", ".inputrc",
    ".venv", "venv",
)  # fmt: skip
"""In the sandbox, those at the top of a shared folder are read-only. Naming one in a command that writes it asks."""
