"""Import a few modules of a large package from its source archive, with stand-ins for everything that they import.

A server's tool parser is a page of Python that imports half of the server: torch, its configuration, its kernels. Only
the modules that are named here run. Every other module of the package, and every package that is not installed, is a
stand-in whose attributes can be called, subclassed and used as types. Pydantic accepts any value for such a type.

It changes `sys.modules` for good, so use it in a process of its own.
"""

import re
import sys
from collections.abc import Iterable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from pydantic_core import core_schema


class _Kind(type):
    """The type of a stand-in: an attribute of it is another one."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return stand_in(name)

    def __getitem__(cls, _key):
        return cls

    def __iter__(cls):
        return iter(())


class StandIn(metaclass=_Kind):
    """Accepts every argument, has every attribute, can be called and is false. As a decorator, it changes nothing."""

    def __init__(self, *arguments, **options):
        pass

    def __call__(self, *arguments, **options):
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else StandIn()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn()

    def __bool__(self):
        return False

    @classmethod
    def __get_pydantic_core_schema__(cls, _source, _handler):
        return core_schema.any_schema()


def stand_in(name: str) -> type[StandIn]:
    """Return a new class of this name."""
    return _Kind(name, (StandIn,), {})


class _StandInModule(ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = stand_in(name)
        setattr(self, name, value)
        return value


class _Archive(MetaPathFinder, Loader):
    """Finds the named modules of one package in a folder, and stand-ins for its other ones."""

    def __init__(self, folder: Path, package: str, real: Iterable[str]) -> None:
        self._folder = folder
        self._package = package
        self._real = frozenset(real)

    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] != self._package:
            return None
        file = self._folder.joinpath(*fullname.split("."))
        source = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        if fullname in self._real and source.is_file():
            places = [str(file)] if file.is_dir() else None
            return spec_from_file_location(fullname, source, submodule_search_locations=places)
        # A stand-in must not hide that an archive has no such module: the plugin looks for several.
        exists = source.is_file() or file.is_dir()
        return ModuleSpec(fullname, self, is_package=True) if exists else None

    def create_module(self, spec):
        return _StandInModule(spec.name) if spec.loader is self else None

    def exec_module(self, module):
        pass


class _Missing(MetaPathFinder, Loader):
    """Finds stand-ins for packages that are not installed."""

    def __init__(self, packages: Iterable[str]) -> None:
        self._packages = frozenset(packages)

    def find_spec(self, fullname, path=None, target=None):
        return (
            ModuleSpec(fullname, self, is_package=True)
            if fullname.partition(".")[0] in self._packages
            else None
        )

    def create_module(self, spec):
        return _StandInModule(spec.name)

    def exec_module(self, module):
        pass


def install(folder: Path, package: str, *, real: Iterable[str], missing: Iterable[str]) -> None:
    """Make the modules `real` of `package` importable from `folder`, and stand-ins for the rest.

    Args:
        missing: Packages that get a stand-in if they are not installed.
    """
    sys.meta_path.insert(0, _Archive(folder, package, real))
    sys.meta_path.append(_Missing(name for name in missing if find_spec(name) is None))
    if find_spec("regex") is None:
        sys.modules["regex"] = re
