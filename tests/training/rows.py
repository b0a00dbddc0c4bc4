"""Rows for the tests of the trainer."""

from workbench.library.home_files import ContractFiles, find_folder
from workbench.settings import read_settings
from workbench.training.synth.conversations import Terms, Under, synth_rows
from workbench.training.synth.words import Split
from workbench.trajectory.formats.known import format_named


def contracts(*names):
    library = ContractFiles(find_folder("prompts", read_settings().home))
    return tuple(Under(library.load_contract(name), 1.0) for name in names or library.contract_names())


def drawn_rows(count, *, seed=0, split=Split.TRAIN, names=(), **terms):
    return list(synth_rows(seed, count, Terms(split=split, contracts=contracts(*names), **terms)))


def read(row):
    return format_named("sharegpt").read(row)
