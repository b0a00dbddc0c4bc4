"""Rows for the tests of the trainer."""

from workbench.library.home_files import ContractFiles, find_folder
from workbench.settings import read_settings
from workbench.training.synth.conversations import ContractShare, SynthOptions, synth_rows
from workbench.training.synth.words import WordSplit
from workbench.trajectory.formats.known import format_named


def contracts(*names):
    library = ContractFiles(find_folder("prompts", read_settings().home))
    return tuple(
        ContractShare(library.load_contract(name), 1.0) for name in names or library.contract_names()
    )


def drawn_rows(count, *, seed=0, split=WordSplit.TRAIN, names=(), **options):
    return list(synth_rows(seed, count, SynthOptions(split=split, contracts=contracts(*names), **options)))


def read(row):
    return format_named("sharegpt").read(row)
