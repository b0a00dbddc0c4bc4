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
    find_quantisation,
    fit_of,
    memory_bytes,
    model_parts,
    parse_hub_name,
    parts_of,
    sizes_of,
)
from workbench.engines.hub.known_models import KNOWN_MODELS
from workbench.errors import BadInput, RemoteFailed

if TYPE_CHECKING:
    from huggingface_hub import CachedFileInfo

PLACE: Final = "the hub"
REACHABLE_TIMEOUT_S: Final = 10.0
"""How long to wait for the hub's first answer."""


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
        """Send nothing yet.

        Args:
            wait: Sleeps for a number of seconds, between attempts.
            endpoint: Address of the hub. None uses that of huggingface_hub (`HF_ENDPOINT`).
            cache: Folder of the cache. None uses that of huggingface_hub (`HF_HOME`).
            memory: Bytes of memory that models may use. None determines them.
        """
        self._wait = wait
        self._endpoint = endpoint
        self._cache = cache
        self._memory = memory_bytes() if memory is None else memory

    def find(self, words: str, *, with_token: bool, limit: int = 20) -> Sequence[HubRepository]:
        """Search repositories with GGUF files, most downloaded first.

        Args:
            words: Words to find in the name.
            with_token: True to use this machine's access token, which also finds private repositories. Use False for
                people whom the owner of the token does not trust.
            limit: Maximum number of repositories.
        """
        from huggingface_hub import HfApi

        with _hub_errors():
            self._check_reachable()
            models = HfApi(endpoint=self._endpoint).list_models(
                filter="gguf",
                search=words,
                sort="downloads",
                limit=limit,
                token=_token(with_token=with_token),
            )
            return [
                HubRepository(
                    id=model.id,
                    downloads=model.downloads or 0,
                    likes=model.likes or 0,
                    is_gated=bool(model.gated),
                )
                for model in models
            ]

    def files(self, repository: str, *, with_token: bool) -> Sequence[HubFile]:
        """Return the models of a repository, smallest first.

        Args:
            repository: `OWNER/NAME`.
            with_token: As in `find`.

        Raises:
            BadInput: There is no such repository.
        """
        from huggingface_hub import HfApi
        from huggingface_hub.hf_api import RepoFile

        with _hub_errors(repository):
            self._check_reachable()
            tree = HfApi(endpoint=self._endpoint).list_repo_tree(
                repository, recursive=True, token=_token(with_token=with_token)
            )
            sizes = {entry.path: entry.size for entry in tree if isinstance(entry, RepoFile)}
        files = [self._file(repository, parts, sizes_of(parts, sizes)) for parts in model_parts(sizes)]
        return sorted(files, key=lambda file: (file.size_bytes, file.name))

    def pull(self, name: str, *, is_cancelled: Callable[[], bool]) -> Iterator[PullProgress]:
        """Download `hf:OWNER/NAME/FILE`, or resume an earlier download, and yield the progress.

        If it is cancelled, the partial download stays for the next time.

        Raises:
            BadInput: There is no such file, or not enough disk space.
        """
        hub_name = parse_hub_name(name)
        path = self.path(name)
        if path is not None:
            size = sum(self._size(hub_name, part) for part in parts_of(hub_name.file))
            yield PullProgress(done_bytes=size, total_bytes=size, path=str(path))
            return
        with _hub_errors(hub_name.repository, hub_name.file):
            self._check_reachable()
            yield from pull_parts(
                Download(
                    repository=hub_name.repository,
                    parts=parts_of(hub_name.file),
                    endpoint=self._endpoint,
                    cache=self._folder(),
                ),
                is_cancelled=is_cancelled,
                wait=self._wait,
            )

    def path(self, name: str) -> Path | None:
        """Return the path of a model's first part if all parts are in the cache, otherwise None. Works offline.

        Raises:
            BadInput: The name has another form.
        """
        hub_name = parse_hub_name(name)
        paths = [self._cached_path(hub_name.repository, part) for part in parts_of(hub_name.file)]
        return paths[0] if all(paths) else None

    def cached(self) -> Sequence[CachedModel]:
        """Return the models in the cache, by name. Works offline."""
        return sorted(self._cached_models(), key=lambda model: model.name)

    def delete(self, name: str) -> int:
        """Delete a model from the cache. Return the number of bytes freed.

        Raises:
            BadInput: It is not in the cache.
        """
        from huggingface_hub import scan_cache_dir

        hub_name = parse_hub_name(name)
        parts = set(parts_of(hub_name.file))
        files = [file for file in self._cached_files(hub_name.repository) if _in_repository(file) in parts]
        if not files:
            raise BadInput(
                f"model {name!r}", "it is not in the cache", "`workbench models list` shows the cached models"
            )
        strategy = scan_cache_dir(self._folder()).delete_files(*files)
        freed = strategy.expected_freed_size
        strategy.execute()
        return freed

    def known(self) -> Sequence[KnownModel]:
        """Return the recommended models."""
        return KNOWN_MODELS

    def _check_reachable(self) -> None:
        """Fail at once if the hub cannot be reached. Its client would try for half a minute."""
        from huggingface_hub import constants, get_session

        get_session().head(self._endpoint or constants.ENDPOINT, timeout=REACHABLE_TIMEOUT_S)

    def _file(self, repository: str, parts: tuple[str, ...], size: int) -> HubFile:
        return HubFile(
            repository=repository,
            parts=parts,
            size_bytes=size,
            quantisation=find_quantisation(parts[0]),
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
                    quantisation=find_quantisation(parts[0]),
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
            for cached in repositories
            if cached.repo_id == repository and cached.repo_type == "model"
            for revision in cached.revisions
            for file in revision.files
        ]

    def _cached_path(self, repository: str, file: str) -> Path | None:
        from huggingface_hub import try_to_load_from_cache

        path = try_to_load_from_cache(repository, file, cache_dir=self._folder())
        return Path(path) if isinstance(path, str) else None

    def _size(self, name: HubName, part: str) -> int:
        path = self._cached_path(name.repository, part)
        return path.stat().st_size if path else 0

    def _folder(self) -> Path:
        from huggingface_hub import constants

        return self._cache or Path(constants.HF_HUB_CACHE)


def _token(*, with_token: bool) -> bool | None:
    """Return the value for huggingface_hub: None uses `HF_TOKEN` or a stored login, False uses no token."""
    return None if with_token else False


def _in_repository(file: "CachedFileInfo") -> str:
    """Return the path of a cached file in its repository: the part after `snapshots/COMMIT/`."""
    parts = file.file_path.parts
    place = len(parts) - 1 - parts[::-1].index("snapshots")
    return "/".join(parts[place + 2 :])


@contextmanager
def _hub_errors(repository: str = "", file: str = "") -> Generator[None]:
    """Turn errors of the hub into errors with a message for people."""
    import httpx2
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
    )

    problem: Exception
    try:
        yield
        return
    except OfflineModeIsEnabled:
        problem = RemoteFailed(PLACE, "HF_HUB_OFFLINE is set, so only models in the cache can be used")
    except GatedRepoError:
        remedy = "accept its licence on the hub, then set HF_TOKEN or run `hf auth login`"
        problem = RemoteFailed(PLACE, f"{repository!r} is gated", remedy)
    except (RepositoryNotFoundError, HFValidationError):
        remedy = "search with `workbench models find WORDS`; private repositories need HF_TOKEN"
        problem = BadInput(f"repository {repository!r}", "there is no such repository on the hub", remedy)
    except EntryNotFoundError:
        remedy = f"`workbench models show {repository}` lists its files"
        problem = BadInput(f"file {file!r}", f"it is not in {repository!r}", remedy)
    except HfHubHTTPError as error:
        problem = RemoteFailed(
            PLACE, f"it refused the request with status {error.response.status_code}", "try again later"
        )
    except httpx2.HTTPError as error:
        remedy = "check the network; models in the cache work offline"
        problem = RemoteFailed(PLACE, f"it cannot be reached: {str(error) or type(error).__name__}", remedy)
    raise problem
