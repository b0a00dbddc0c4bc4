"""The databases of `tests/store`."""

from tests.store.conftest import file, kind, migrated_file, migrated_url, pytest_generate_tests, store, url

__all__ = ["file", "kind", "migrated_file", "migrated_url", "pytest_generate_tests", "store", "url"]
