"""Search the hub for GGUF models, and list, download and remove them in the local cache."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.engines.hub.download import Download, pull_parts
from workbench.engines.hub.hub_models import (
    PREFIX,
    CachedModel,
    HubFile,
    HubName,
    HubRepository,
    KnownModel,
    PullProgress,
    fit_of,
    memory_bytes,
    model_parts,
    parse_hub_name,
    parts_of,
    quantisation,
    sizes_of,
)
from workbench.engines.known_models import KNOWN_MODELS
from workbench.errors import BadInput, RemoteFailed

if TYPE_CHECKING:
    from huggingface_hub import CachedFileInfo

PLACE: Final = "the hub"
KNOCK_TIMEOUT_S: Final = 10.0
"""How long the hub may take to answer at all."""


class GgufHub:
    """Find, download and delete GGUF models."""

    def __init__(
        self,
        *,
        wait: Callable[[float], None],
        endpoint: str | None = None,
        cache: Path | None = None,
        memory: int | None = None,
    ) -> None:
        """Nothing is asked yet.

        Args:
            wait: Lets seconds pass between tries.
            endpoint: Where the hub is; None takes huggingface_hub's (`HF_ENDPOINT`).
            cache: Folder of the cache; None takes huggingface_hub's (`HF_HOME`).
            memory: Bytes that models may use; None looks.
        """
        self._wait = wait
        self._endpoint = endpoint
        self._cache = cache
        self._memory = memory_bytes() if memory is None else memory

    def find(self, words: str, *, with_token: bool, limit: int = 20) -> Sequence[HubRepository]:
        """Repositories with GGUF files whose name has the words, most downloaded first.

        Args:
            words: Part of the name.
            with_token: Search with this machine's token, which also finds private repositories. False for anyone
                whom the owner of the token does not trust.
            limit: Number of repositories at most.
        """
        from huggingface_hub import HfApi

        with _told():
            self._knock()
            found = HfApi(endpoint=self._endpoint).list_models(
                filter="gguf",
                search=words,
                sort="downloads",
                limit=limit,
                token=_token(with_token=with_token),
            )
            return [
                HubRepository(
                    id=one.id,
                    downloads=one.downloads or 0,
                    likes=one.likes or 0,
                    is_gated=bool(one.gated),
                )
                for one in found
            ]

    def files(self, repository: str, *, with_token: bool) -> Sequence[HubFile]:
        """The models of a repository, smallest first.

        Args:
            repository: `OWNER/NAME`.
            with_token: As for `find`.

        Raises:
            BadInput: There is no such repository.
        """
        from huggingface_hub import HfApi
        from huggingface_hub.hf_api import RepoFile

        with _told(repository):
            self._knock()
            tree = HfApi(endpoint=self._endpoint).list_repo_tree(
                repository, recursive=True, token=_token(with_token=with_token)
            )
            sizes = {entry.path: entry.size for entry in tree if isinstance(entry, RepoFile)}
        found = [self._file(repository, parts, sizes_of(parts, sizes)) for parts in model_parts(sizes)]
        return sorted(found, key=lambda one: (one.size_bytes, one.name))

    def pull(self, name: str, *, is_cancelled: Callable[[], bool]) -> Iterator[PullProgress]:
        """Fetches `hf:OWNER/NAME/FILE`, and goes on where an earlier download stopped.

        Ends early where it is cancelled; what has come stays, for the next time.

        Raises:
            BadInput: There is no such file, or no room for it.
        """
        wanted = parse_hub_name(name)
        path = self.path(name)
        if path is not None:
            size = sum(self._size(wanted, part) for part in parts_of(wanted.file))
            yield PullProgress(done_bytes=size, total_bytes=size, path=str(path))
            return
        with _told(wanted.repository, wanted.file):
            self._knock()
            yield from pull_parts(
                Download(
                    repository=wanted.repository,
                    parts=parts_of(wanted.file),
                    endpoint=self._endpoint,
                    cache=self._folder(),
                ),
                is_cancelled=is_cancelled,
                wait=self._wait,
            )

    def path(self, name: str) -> Path | None:
        """Where the first part of a model is, once all parts are in the cache; None until then. Asks nobody.

        Raises:
            BadInput: The name is of another form.
        """
        wanted = parse_hub_name(name)
        paths = [self._cached_path(wanted.repository, part) for part in parts_of(wanted.file)]
        return paths[0] if all(paths) else None

    def cached(self) -> Sequence[CachedModel]:
        """What is on this machine, by name; asks nobody."""
        return sorted(self._cached_models(), key=lambda one: one.name)

    def delete(self, name: str) -> int:
        """Deletes a cached model; the bytes that became free.

        Raises:
            BadInput: It is not in the cache.
        """
        from huggingface_hub import scan_cache_dir

        wanted = parse_hub_name(name)
        parts = set(parts_of(wanted.file))
        files = [file for file in self._cached_files(wanted.repository) if _in_repository(file) in parts]
        if not files:
            raise BadInput(
                f"model {name!r}", "it is not in the cache", "`workbench models list` shows what is"
            )
        strategy = scan_cache_dir(self._folder()).delete_files(*files)
        freed = strategy.expected_freed_size
        strategy.execute()
        return freed

    def known(self) -> Sequence[KnownModel]:
        """The recommended models."""
        return KNOWN_MODELS

    def _knock(self) -> None:
        """Fails at once where the hub cannot be reached: its client would try for half a minute."""
        from huggingface_hub import constants, get_session

        get_session().head(self._endpoint or constants.ENDPOINT, timeout=KNOCK_TIMEOUT_S)

    def _file(self, repository: str, parts: tuple[str, ...], size: int) -> HubFile:
        return HubFile(
            repository=repository,
            parts=parts,
            size_bytes=size,
            quantisation=quantisation(parts[0]),
            fit=fit_of(size, memory=self._memory),
            is_cached=all(self._cached_path(repository, part) for part in parts),
        )

    def _cached_models(self) -> Iterator[CachedModel]:
        from huggingface_hub import CacheNotFound, scan_cache_dir

        try:
            repositories = scan_cache_dir(self._folder()).repos
        except CacheNotFound:
            return
        for repository in repositories:
            sizes = {
                _in_repository(file): file.size_on_disk
                for revision in repository.revisions
                for file in revision.files
                if repository.repo_type == "model"
            }
            for parts in model_parts(sizes):
                size = sum(sizes[part] for part in parts)
                yield CachedModel(
                    name=f"{PREFIX}{repository.repo_id}/{parts[0]}",
                    size_bytes=size,
                    quantisation=quantisation(parts[0]),
                    fit=fit_of(size, memory=self._memory),
                )

    def _cached_files(self, repository: str) -> "Iterable[CachedFileInfo]":
        from huggingface_hub import CacheNotFound, scan_cache_dir

        try:
            repositories = scan_cache_dir(self._folder()).repos
        except CacheNotFound:
            return ()
        return [
            file
            for one in repositories
            if one.repo_id == repository and one.repo_type == "model"
            for revision in one.revisions
            for file in revision.files
        ]

    def _cached_path(self, repository: str, file: str) -> Path | None:
        from huggingface_hub import try_to_load_from_cache

        found = try_to_load_from_cache(repository, file, cache_dir=self._folder())
        return Path(found) if isinstance(found, str) else None

    def _size(self, name: HubName, part: str) -> int:
        path = self._cached_path(name.repository, part)
        return path.stat().st_size if path else 0

    def _folder(self) -> Path:
        from huggingface_hub import constants

        return self._cache or Path(constants.HF_HUB_CACHE)


def _token(*, with_token: bool) -> bool | None:
    """What huggingface_hub takes: None uses the token that it finds (`HF_TOKEN`, a stored login), False none."""
    return None if with_token else False


def _in_repository(file: "CachedFileInfo") -> str:
    """Path of a cached file in its repository: behind `snapshots/COMMIT/`."""
    parts = file.file_path.parts
    place = len(parts) - 1 - parts[::-1].index("snapshots")
    return "/".join(parts[place + 2 :])


@contextmanager
def _told(repository: str = "", file: str = "") -> Generator[None]:
    """What goes wrong at the hub, in words."""
    import httpx2
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
    )

    trouble: Exception
    try:
        yield
        return
    except OfflineModeIsEnabled:
        trouble = RemoteFailed(PLACE, "HF_HUB_OFFLINE is set: only what is in the cache can be used")
    except GatedRepoError:
        remedy = "accept its licence on its page, then set HF_TOKEN or run `hf auth login`"
        trouble = RemoteFailed(PLACE, f"{repository!r} is gated", remedy)
    except (RepositoryNotFoundError, HFValidationError):
        remedy = "`workbench models find WORDS` finds others; a private one needs HF_TOKEN"
        trouble = BadInput(f"repository {repository!r}", "there is no such repository on the hub", remedy)
    except EntryNotFoundError:
        remedy = f"`workbench models show {repository}` lists its files"
        trouble = BadInput(f"file {file!r}", f"it is not in {repository!r}", remedy)
    except HfHubHTTPError as error:
        trouble = RemoteFailed(
            PLACE, f"it refused with status {error.response.status_code}", "try again later"
        )
    except httpx2.HTTPError as error:
        remedy = "is there a network? what is in the cache works without one"
        trouble = RemoteFailed(PLACE, f"it cannot be reached: {str(error) or type(error).__name__}", remedy)
    raise trouble
