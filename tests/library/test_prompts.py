"""Contracts on disk, and the folders in which they are found."""

from pathlib import Path

import pytest

from workbench.errors import BadInput
from workbench.library.home_files import ContractFiles, find_folder

CHECKOUT = Path(__file__).parents[2]


def test_the_shipped_contracts_are_found_and_read():
    library = ContractFiles(CHECKOUT / "prompts")
    assert library.contract_names() == ["desk", "full", "hermes-3", "minimal", "shop", "travel"]
    assert library.load_contract("minimal").family == "hermes-lines"


def test_a_contract_is_read_byte_for_byte(tmp_path):
    (tmp_path / "contracts").mkdir()
    text = "---\r\nname: x\r\nfamily: hermes-lines\r\n---\r\n É \r\n"
    (tmp_path / "contracts" / "x.md").write_bytes(text.encode())
    assert ContractFiles(tmp_path).load_contract_text("x") == text


def test_a_missing_or_undecodable_contract_is_reported(tmp_path):
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "x.md").write_bytes(b"\xff\xfe")
    library = ContractFiles(tmp_path)
    with pytest.raises(BadInput, match=r"contract 'y': no such contract \(use one of x\)"):
        library.load_contract("y")
    with pytest.raises(BadInput, match="contract 'x': not UTF-8 at byte 0"):
        library.load_contract("x")


def test_the_home_folder_takes_precedence_over_the_checkout(tmp_path):
    assert find_folder("prompts", tmp_path) == CHECKOUT / "prompts"
    (tmp_path / "prompts").mkdir()
    assert find_folder("prompts", tmp_path) == tmp_path / "prompts"
    with pytest.raises(BadInput, match="folder nothing/: not found"):
        find_folder("nothing", tmp_path)
