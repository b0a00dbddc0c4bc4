"""Fixtures of the commands and of llama.cpp's grammar sampler."""

from tests.cli.conftest import run_cli
from tests.toolspec.test_grammar import vocabulary

__all__ = ["run_cli", "vocabulary"]
