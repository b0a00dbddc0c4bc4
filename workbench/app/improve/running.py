"""Run a search: each candidate is an arm of one stored run, and a stopped search takes the same steps again."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from queue import SimpleQueue
from threading import Event, Thread

from workbench.app.improve.bench import Bench
from workbench.app.improve.gepa_search import SearchEnded, gepa_search
from workbench.app.runs.running import CaseRunner, execute_run, is_interrupted
from workbench.app.services import Services
from workbench.contract.contract import parse_contract
from workbench.records.runs import RunState, StoredRun
from workbench.records.versions import name_in
from workbench.rollout.stopping import LinkedStop
from workbench.settings import Secret
from workbench.suite.improve.candidate import Candidate
from workbench.suite.improve.greedy import Tried, choose_examples, shrink
from workbench.suite.improve.moves import Move
from workbench.suite.runner import CaseExecutor, IsCancelled, RunEnded, RunEvent
from workbench.suite.search_plan import Search, SearchMode


def execute_any(
    services: Services,
    stored: StoredRun,
    *,
    is_cancelled: IsCancelled,
    token: Secret | None = None,
    is_handed_over: bool = False,
    takes_over: bool = False,
    executor: CaseExecutor | None = None,
) -> Iterator[RunEvent]:
    """Take a run, and return an iterator that goes on with it: its cases, or its search from where it stopped.

    Args:
        token: A visitor's own access token for hosted models.
        is_handed_over: See `execute_run`, as for the rest.
        takes_over: Whether to take the run from the server that ran it.
        executor: Runs the cases. None runs them in this process.

    Raises:
        BadInput: The run exceeds the owner's limits, another process runs it, or `gepa` is not installed.
        EngineError: The model failed in every case of a batch.
        StoreError: A result could not be stored. Earlier results remain stored.
    """
    if stored.plan.search is None:
        return execute_run(
            services,
            stored,
            is_cancelled=is_cancelled,
            token=token,
            is_handed_over=is_handed_over,
            takes_over=takes_over,
            executor=executor,
        )
    services.runs.begin_run(stored.id, takes_over=takes_over)
    return _executed(services, stored, is_cancelled, token, executor, is_handed_over=is_handed_over)


def _executed(
    services: Services,
    stored: StoredRun,
    is_cancelled: IsCancelled,
    token: Secret | None,
    executor: CaseExecutor | None,
    *,
    is_handed_over: bool,
) -> Iterator[RunEvent]:
    state: RunState | None = RunState.INTERRUPTED
    try:
        services.runs.forget_errors(stored.id)
        with services.at_work() as at_work:
            own = CaseRunner(services=at_work, run_id=stored.id, plan=stored.plan, token=token)
            closed = Event()
            stop = LinkedStop(is_cancelled, closed.is_set)
            events = SimpleQueue[RunEvent | None]()
            bench = Bench(at_work, stored, executor or own, stop, events.put)
            yield from _in_thread(lambda: search_with(bench), events, closed)
            if not bench.is_stopped:
                state = RunState.DONE
            elif not is_interrupted(is_cancelled):
                state = RunState.STOPPED
            elif is_handed_over:
                state = None
            # A search that has ended is complete, whatever is left of its budget.
            total = bench.progress.total if bench.is_stopped else bench.progress.done
            yield RunEnded(is_cancelled=bench.is_stopped, progress=replace(bench.progress, total=total))
    finally:
        if state is not None:
            services.runs.end_run(stored.id, state)


def _in_thread(
    work: Callable[[], None], events: "SimpleQueue[RunEvent | None]", closed: Event
) -> Iterator[RunEvent]:
    """Yield the events that `work` puts into the queue from another thread, and raise what it raises."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again in the thread of the caller
            errors.append(error)
        finally:
            events.put(None)

    thread = Thread(target=run, name="search", daemon=True)
    thread.start()
    try:
        while (event := events.get()) is not None:
            yield event
    finally:
        closed.set()
        thread.join()
    if errors:
        raise errors[0]


def search_with(bench: Bench) -> None:
    """Search with a bench, then test the chosen candidate on the kept part."""
    search = bench.search
    start = parse_contract(bench.plan.arms[0].contract_text, name=name_in(bench.plan.arms[0].contract_name))
    first = Candidate(contract=start)
    chosen: Candidate | None = None
    try:
        bench.begin(first)
        if search.settings.mode is SearchMode.IMPROVE:
            why = gepa_search(start, search, bench.tools, bench)
        else:
            chosen, why = _greedy(bench, search, first)
    except SearchEnded as ended:
        why = str(ended)
    if not bench.is_stopped:
        bench.finish(chosen, why)


def _greedy(bench: Bench, search: Search, first: Candidate) -> tuple[Candidate, str]:
    """Shrink the contract or choose examples. Scores are those of the searched and the choosing part together."""
    keys = (*search.parts.search, *search.parts.choose)

    def run(move: Move) -> Tried:
        return Tried(move.candidate, bench.evaluate(move.candidate, keys))

    def try_move(parent: Candidate, move: Move) -> Tried | None:
        return run(move) if bench.propose(parent.fingerprint, move) else None

    best = first
    try:
        start = run(Move("", first))
        settings = search.settings
        if settings.mode is SearchMode.SHRINK:
            steps = shrink(start, try_move, margin=settings.margin)
        else:
            steps = choose_examples(start, try_move, search.pool, limit=settings.examples)
        for tried in steps:
            best = tried.candidate
    except SearchEnded as ended:
        return best, str(ended)
    return best, "no change is left to try"
