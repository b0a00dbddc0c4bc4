"""The bench of a search: runs candidates within the budget, remembers results, and stores every proposal."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from workbench.app.improve.gepa_search import SearchEnded
from workbench.app.improve.reflection import propose_text
from workbench.app.services import Services
from workbench.chat.figures import known_sum
from workbench.contract.contract import render_contract
from workbench.errors import EngineError
from workbench.records.runs import StoredRun
from workbench.suite.improve.candidate import Candidate, problem_of
from workbench.suite.improve.moves import Move
from workbench.suite.improve.outcome import best_of, is_complete, tokens_of
from workbench.suite.plan import Arm, Job, RunPlan
from workbench.suite.result import CaseResult, CaseStatus
from workbench.suite.runner import CaseExecutor, CaseFinished, IsCancelled, RunEvent, RunProgress, run
from workbench.suite.search_plan import Search, SearchStep
from workbench.suite.variants import ablate
from workbench.toolspec.spec import OfferedTools
from workbench.toolspec.tools_text import parse_tools

_SHOWN_FAILURES: Final = 3


class Bench:
    """Runs the candidates of one search. A `workbench.app.improve.gepa_search.Workshop`.

    A resumed search takes all its steps again. What was run or asked before is answered from the stored run, so it
    reaches the place where it stopped within moments, and goes on as if it had not been stopped.
    """

    def __init__(
        self,
        services: Services,
        stored: StoredRun,
        executor: CaseExecutor,
        is_cancelled: IsCancelled,
        emit: Callable[[RunEvent], None],
    ) -> None:
        if stored.plan.search is None:
            raise ValueError(f"run {stored.id} is not a search")
        self.plan: RunPlan = stored.plan
        """The plan, with the arms so far."""
        self.search: Search = stored.plan.search
        """The search, with the steps so far."""
        self.tools: Final = _all_tools(stored.plan)
        """The tools of all cases."""
        self.is_stopped = False
        """Whether a person stopped the search, so that it can be resumed."""
        self._services = services
        self._run_id = stored.id
        self._executor = executor
        self._is_cancelled = is_cancelled
        self._emit = emit
        self._known = {result.key: result for result in services.runs.results(stored.id)}
        self._used: dict[str, CaseResult] = {}
        """The results that this pass over the steps has asked for. They count towards the budget."""
        self._candidates: dict[str, Candidate] = {}
        self._first = self.plan.arms[0]
        self._proposed: set[str] = set()
        self._reserved = 2 * len(self._jobs(self._first, self.search.parts.kept))
        self.progress = RunProgress(total=self.search.settings.runs)
        """The progress, in case runs of at most the budget."""

    def begin(self, start: Candidate) -> None:
        """Record the start of the search.

        Raises:
            SearchEnded: The budget is too small for the start and the final test.
        """
        self._candidates[self._first.label] = start
        self._proposed.add(start.fingerprint)
        self._record(SearchStep(label=self._first.label, parent="", change="the start"))

    def evaluate(self, candidate: Candidate, keys: Sequence[str]) -> Sequence[CaseResult]:
        """Return the results of cases, and run those that have none yet."""
        return self._results(self._arm(candidate), keys)

    def propose(self, parent: str, move: Move) -> bool:
        """Record a proposal. Return False if it is not usable or was proposed before."""
        mark = move.candidate.fingerprint
        if mark in self._proposed:
            return False
        self._proposed.add(mark)
        problem = problem_of(move.candidate, self._start.contract, self.tools)
        label = self._label(mark)
        self._record(SearchStep(label=label, parent=self._label(parent), change=move.change, problem=problem))
        if not problem:
            self._candidates[label] = move.candidate
        return not problem

    def reflect(self, candidate: Candidate, failed: Sequence[CaseResult]) -> str | None:
        """Ask the proposing model for a contract text."""
        shown = failed[:_SHOWN_FAILURES]
        asked = "\n".join((candidate.fingerprint, *(result.key for result in shown)))
        key = sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        if key not in self.search.reflections:
            self._refuse_if_stopped()
            answer = propose_text(
                self._services, self.plan, self.search, candidate, shown, self._is_cancelled
            )
            self._refuse_if_stopped()
            self._save(replace(self.search, reflections={**self.search.reflections, key: answer}))
        return self.search.reflections[key] or None

    def finish(self, chosen: Candidate | None, why: str) -> None:
        """Choose a candidate, measure what each of its paragraphs is worth, and open the kept part once.

        Args:
            chosen: None chooses the best one by the choosing part.
            why: Why the search ended.
        """
        try:
            label = self._best() if chosen is None else self._arm(chosen).label
            kept = self.search.parts.kept
            for arm in dict.fromkeys((self._first.label, label)):
                self._results(self._arm(self._candidates[arm]), kept, is_reserved=True)
            self._reserved = 0
            looks = self.search.looks or 1 + _earlier_looks(self._services, self._run_id, kept)
            self._save(replace(self.search, chosen=label, looks=looks, ended=why))
            self._measure_paragraphs(self._candidates[label], label)
        except SearchEnded as ended:
            self._save(replace(self.search, ended=self.search.ended or str(ended)))

    def _measure_paragraphs(self, candidate: Candidate, label: str) -> None:
        """Run the candidate without each of its paragraphs on the choosing part, as far as the budget reaches."""
        for ablated in ablate(candidate.contract):
            without = replace(candidate, contract=ablated.contract)
            if problem_of(without, self._start.contract, self.tools):
                continue
            arm = replace(
                self._new_arm(without, f"{label} − {ablated.left_out}"),
                left_out=ablated.left_out,
                left_out_of=label,
            )
            self._add(arm)
            self._results(arm, self.search.parts.choose)

    @property
    def _start(self) -> Candidate:
        return self._candidates[self._first.label]

    def _label(self, mark: str) -> str:
        return self._first.label if mark == self._start.fingerprint else f"{self._first.label} #{mark}"

    def _arm(self, candidate: Candidate) -> Arm:
        label = self._label(candidate.fingerprint)
        self._candidates[label] = candidate
        found = next((arm for arm in self.plan.arms if arm.label == label), None)
        return found or self._add(self._new_arm(candidate, label))

    def _new_arm(self, candidate: Candidate, label: str) -> Arm:
        text = render_contract(candidate.contract)
        return replace(
            self._first, label=label, contract_text=text, descriptions=dict(candidate.descriptions)
        )

    def _add(self, arm: Arm) -> Arm:
        if all(arm.label != known.label for known in self.plan.arms):
            self.plan = replace(self.plan, arms=(*self.plan.arms, arm))
            self._save(self.search)
        return arm

    def _record(self, step: SearchStep) -> None:
        """Add a step. It is stored with the next arm."""
        if all(step.label != known.label for known in self.search.steps):
            self.search = replace(self.search, steps=(*self.search.steps, step))

    def _save(self, search: Search) -> None:
        self.search = search
        self.plan = replace(self.plan, search=search)
        self._services.runs.change_plan(self._run_id, self.plan)

    def _jobs(self, arm: Arm, keys: Sequence[str]) -> list[Job]:
        asked = frozenset(keys)
        cases = tuple(case for case in self.plan.cases if case.key in asked)
        return list(replace(self.plan, cases=cases, arms=(arm,), search=None).jobs())

    def _results(self, arm: Arm, keys: Sequence[str], *, is_reserved: bool = False) -> Sequence[CaseResult]:
        jobs = self._jobs(arm, keys)
        missing = [job for job in jobs if job.key not in self._known]
        if not is_reserved:
            self._check_budget([job for job in jobs if job.key not in self._used])
        if missing:
            self._run(missing)
        found = [self._known[job.key] for job in jobs if job.key in self._known]
        self._used.update((result.key, result) for result in found)
        if len(found) < len(jobs):
            self._refuse_if_stopped()
        if missing and all(result.status is CaseStatus.ERROR for result in found):
            raise EngineError(found[0].error if found else "no case could be run")
        return found

    def _run(self, jobs: Sequence[Job]) -> None:
        self._refuse_if_stopped()
        events = run(
            jobs,
            self._executor,
            clock=self._services.calendar,
            timeout_s=self.plan.timeout_s,
            is_cancelled=self._is_cancelled,
        )
        for event in events:
            if isinstance(event, CaseFinished):
                self._services.runs.save_result(self._run_id, event.result)
                self._known[event.result.key] = event.result
                self.progress = _progress(self.search.settings.runs, self._known)
                self._emit(CaseFinished(result=event.result, progress=self.progress))

    def _refuse_if_stopped(self) -> None:
        if self._is_cancelled():
            self.is_stopped = True
            raise SearchEnded("stopped")

    def _check_budget(self, jobs: Sequence[Job]) -> None:
        """Raise if running these jobs would exceed the budget. Their cost is estimated from the mean so far."""
        settings, used = self.search.settings, self._used.values()
        needed_runs = len(used) + len(jobs) + self._reserved
        share = needed_runs / max(1, len(used))
        counts = [known_sum((r.measures.prompt_tokens, r.measures.completion_tokens)) for r in used]
        tokens = sum(count for count in counts if count is not None)
        if settings.tokens is not None and counts and not any(counts):
            raise SearchEnded("the model's server reports no tokens, so their budget cannot be kept")
        cost = sum(result.measures.cost or 0 for result in used)
        minutes = sum(result.measures.seconds for result in used) / 60
        budgets = (
            (needed_runs, settings.runs, "case runs"),
            (tokens * share, settings.tokens, "tokens"),
            (cost * share, settings.cost, "US dollars"),
            (minutes * share, settings.minutes, "minutes"),
        )
        for needed, limit, unit in budgets:
            if jobs and limit is not None and needed > limit:
                raise SearchEnded(f"the budget of {unit} is spent")

    def _best(self) -> str:
        by_arm: Mapping[str, list[CaseResult]] = defaultdict(list)
        for result in self._used.values():
            by_arm[result.arm].append(result)
        choose = self.search.parts.choose
        complete = {label: found for label, found in by_arm.items() if is_complete(found, choose)}
        tokens = {
            label: tokens_of(found, self.search, len(self._candidates[label].contract.text) / 4)
            for label, found in complete.items()
        }
        return best_of(self.search, complete, tokens)


def _all_tools(plan: RunPlan) -> OfferedTools:
    specs = {spec.name: spec for text in plan.tools.values() for spec in parse_tools(text).specs}
    return OfferedTools(specs=tuple(specs.values()))


def _progress(total: int, known: Mapping[str, CaseResult]) -> RunProgress:
    results = known.values()
    return RunProgress(
        total=total,
        done=len(known),
        passed=sum(result.is_passed for result in results),
        errors=sum(result.status is CaseStatus.ERROR for result in results),
    )


def _earlier_looks(services: Services, run_id: str, kept: Sequence[str]) -> int:
    """Return how many other searches of the owner have opened a part that shares a case with this one."""
    looks = 0
    for listed in services.runs.list_runs(limit=500):
        found = services.runs.find_run(listed.id) if listed.id != run_id else None
        search = found.plan.search if found else None
        looks += search is not None and search.looks > 0 and bool(set(search.parts.kept) & set(kept))
    return looks
