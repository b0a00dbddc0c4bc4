"""The search of `workbench improve`: the package `gepa`, with our moves as proposals and our runner as evaluation.

*Source:* L. A. Agrawal et al., "GEPA: Reflective Prompt Evolution Can Outperform Reinforcement Learning", 2025,
https://arxiv.org/abs/2507.19457; https://github.com/gepa-ai/gepa, version 0.1.4.
"""

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple, Protocol

from workbench.contract.contract import Contract
from workbench.errors import BadInput
from workbench.settings.extras import install_command
from workbench.suite.improve.candidate import Candidate
from workbench.suite.improve.moves import Move, description_moves, text_moves
from workbench.suite.result import CaseResult
from workbench.suite.search_plan import Search
from workbench.toolspec.spec import OfferedTools

_CONTRACT: Final = "contract"
_DESCRIPTIONS: Final = "descriptions"
_BREVITY: Final = 0.001
"""Weight of the length in the objective: it decides only between candidates with the same score."""
_MINIBATCH: Final = 4
"""Cases on which a proposal is compared with its parent before it is run on the choosing part."""
_IDLE_STEPS: Final = 30
"""The search ends after this many steps without a change that was not tried before."""


class Workshop(Protocol):
    """Runs candidates, records proposals, and asks the proposing model. Answers of a resumed search are stored."""

    def evaluate(self, candidate: Candidate, keys: Sequence[str]) -> Sequence[CaseResult]:
        """Return the results of the cases with these keys, all repetitions.

        Raises:
            SearchEnded: The budget is spent, or a person stopped the search.
        """
        ...

    def propose(self, parent: str, move: Move) -> bool:
        """Record a change of the arm with this label. Return False if it is not usable or was proposed before."""
        ...

    def reflect(self, candidate: Candidate, failed: Sequence[CaseResult]) -> str | None:
        """Return a contract text that a model proposes, or None if it gave none."""
        ...


class SearchEnded(Exception):
    """The budget is spent, or a person stopped the search. Its text says which."""


class _Batch(NamedTuple):
    """What gepa reads of an evaluation; see `gepa.core.adapter.EvaluationBatch`."""

    outputs: list[str]
    scores: list[float]
    trajectories: list[CaseResult] | None
    objective_scores: list[dict[str, float]]
    num_metric_calls: int


def gepa_search(start: Contract, search: Search, tools: OfferedTools, workshop: Workshop) -> str:
    """Search until the budget is spent or nothing new is left to try, and return why it ended.

    Everything depends only on the arguments and the results. So a search that was stopped is resumed by searching
    again with a workshop that remembers the results: it takes the same steps up to where it stopped.

    Raises:
        BadInput: The package `gepa` is not installed.
    """
    try:
        from gepa.api import optimize  # pyright: ignore[reportUnknownVariableType]
    except ImportError as error:
        remedy = f"install it: {install_command('improve')}"
        raise BadInput("improve", "the package gepa is not installed", remedy) from error
    adapter = _Adapter(start, search, tools, workshop)
    try:
        optimize(
            seed_candidate=_document(Candidate(contract=start)),
            trainset=list(search.parts.search),
            valset=list(search.parts.choose),
            adapter=adapter,  # pyright: ignore[reportArgumentType]
            # Per case alone, the front would be full of candidates that are good at a few cases.
            frontier_type="hybrid",
            acceptance_criterion=_BetterOrShorter(),  # pyright: ignore[reportArgumentType]
            skip_perfect_score=False,
            module_selector="all",
            reflection_minibatch_size=min(_MINIBATCH, len(search.parts.search)),
            stop_callbacks=adapter.is_exhausted,  # pyright: ignore[reportArgumentType]
            logger=_Silent(),
            seed=search.settings.seed,
        )
    except SearchEnded as ended:
        return str(ended)
    return "no change is left to try"


class _BetterOrShorter:
    """A `gepa.strategies.acceptance.AcceptanceCriterion`: a higher score, or the same one with a shorter contract."""

    def should_accept(self, proposal: Any, state: Any) -> bool:
        """Whether a proposal joins the candidates."""
        before, after = sum(proposal.subsample_scores_before), sum(proposal.subsample_scores_after)
        parent = state.program_candidates[proposal.parent_program_ids[0]]
        return after > before or (after == before and _length(proposal.candidate) < _length(parent))


def _length(document: Mapping[str, str]) -> int:
    return sum(map(len, document.values()))


class _Silent:
    def log(self, message: str) -> None:
        """Drop gepa's messages: the steps of the search are stored."""


def _document(candidate: Candidate) -> dict[str, str]:
    descriptions = json.dumps(dict(candidate.descriptions), sort_keys=True)
    return {_CONTRACT: candidate.contract.text, _DESCRIPTIONS: descriptions}


class _Adapter:
    """A `gepa.core.adapter.GEPAAdapter`. Its data are the keys of cases."""

    def __init__(self, start: Contract, search: Search, tools: OfferedTools, workshop: Workshop) -> None:
        self._start = start
        self._search = search
        self._tools = tools
        self._workshop = workshop
        self._idle = 0
        self._proposals = 0

    def evaluate(
        self,
        batch: list[str],
        candidate: dict[str, str],
        capture_traces: bool = False,  # noqa: FBT001, FBT002 - gepa's signature
    ) -> _Batch:
        """Run the cases and return the score of each: the mean share of its expectations that hold."""
        value = self._value(candidate)
        results = self._workshop.evaluate(value, batch)
        by_case: dict[str, list[CaseResult]] = {key: [] for key in batch}
        for result in results:
            by_case[result.case_key].append(result)
        length = len(value.contract.text) / max(1, len(self._start.text))
        scores = [sum(result.share for result in found) / max(1, len(found)) for found in by_case.values()]
        return _Batch(
            outputs=batch,
            scores=scores,
            trajectories=list(results) if capture_traces else None,
            objective_scores=[{"score and length": score - _BREVITY * length} for score in scores],
            num_metric_calls=len(results),
        )

    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: _Batch, components_to_update: list[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Return the results that did not pass; `propose_new_texts` asks for their records."""
        failed = [{"result": result} for result in eval_batch.trajectories or () if not result.is_passed]
        return dict.fromkeys(components_to_update, failed)

    def propose_new_texts(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """Return a changed candidate, or nothing if no change is left that was not tried."""
        parent = self._value(candidate)
        failed = [record["result"] for record in reflective_dataset[components_to_update[0]]]
        self._proposals += 1
        # A model's proposals alternate with changes that need no model.
        if self._search.settings.reflect and failed and self._proposals % 2:
            text = self._workshop.reflect(parent, failed)
            move = (
                Move(f"rewritten by {self._search.settings.reflect}", parent.with_text(text))
                if text
                else None
            )
            if move and self._workshop.propose(parent.fingerprint, move):
                return self._taken(move)
        moves = list(text_moves(parent, self._search.pool))
        if self._search.settings.has_descriptions:
            moves += description_moves(parent, self._tools)
        Random(f"{self._search.settings.seed} {parent.fingerprint} {self._proposals}").shuffle(moves)
        for move in moves:
            if self._workshop.propose(parent.fingerprint, move):
                return self._taken(move)
        self._idle += 1
        return {}

    def is_exhausted(self, gepa_state: object) -> bool:
        """Whether the last steps found nothing new to try."""
        return self._idle >= _IDLE_STEPS

    def _taken(self, move: Move) -> dict[str, str]:
        self._idle = 0
        return _document(move.candidate)

    def _value(self, candidate: Mapping[str, str]) -> Candidate:
        start = Candidate(contract=self._start, descriptions=json.loads(candidate[_DESCRIPTIONS]))
        return start.with_text(candidate[_CONTRACT])
