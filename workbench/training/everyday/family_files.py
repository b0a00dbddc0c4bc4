"""Read families of everyday tools from YAML files."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench import __version__
from workbench.chat.json_value import JsonValue
from workbench.errors import BadInput
from workbench.toolspec.form_faults import form_faults
from workbench.training.everyday.family import EverydayResult, Family, FamilySplit, NoCallExample
from workbench.training.everyday.moments import MOMENT_KINDS
from workbench.training.everyday.plain_kinds import PLAIN_KINDS
from workbench.training.everyday.sentences import Sentence, SentenceProblem, parse_sentence
from workbench.training.everyday.spoken import (
    DEFAULT,
    Slot,
    SlotProblem,
    Spoken,
    answer_list,
    list_slot,
    pool_slot,
)
from workbench.training.everyday.tools import EverydayTool, ToolForm, ToolProblem, build_tool
from workbench.training.synth.words import Dice, WordList, WordSplit

_DATA_PACKAGE: Final = "hermes_workbench_training_data"
_FOLDERS: Final = ("workbench.training.everyday.families", _DATA_PACKAGE)
Scalar = str | int | float | bool


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class SaidForm(_Form):
    """A request that implies values."""

    say: str
    implies: dict[str, Scalar] = Field(default_factory=dict[str, Scalar], alias="with")


class ResultForm(_Form):
    """A result, or an error, and answers that report it."""

    result: Any = None
    error: str = ""
    say: list[str] = Field(min_length=1)
    when: dict[str, Scalar] = Field(default_factory=dict[str, Scalar])


class NoCallForm(_Form):
    """A message that needs no call, and the answer to it."""

    say: str
    answer: str


class FamilyForm(_Form):
    """A family as it is written."""

    split: FamilySplit
    domain: str
    apart: frozenset[str] = frozenset()
    about: str
    slots: dict[str, Any]
    tools: list[ToolForm | list[ToolForm]]
    requests: list[str | SaidForm]
    parallel: list[str | SaidForm] = Field(default_factory=list[str | SaidForm])
    follow_ups: list[str | SaidForm] = Field(default_factory=list[str | SaidForm])
    asks: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])
    gives: dict[str, list[str]] = Field(default_factory=dict[str, list[str]])
    results: list[ResultForm]
    near_misses: list[NoCallForm]
    chats: list[NoCallForm]


class PoolEntryForm(BaseModel):
    """A value of a slot. All other keys are further forms of the value."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    say: str | list[str]
    default: Any = Field(default=None, alias=DEFAULT)


if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    _FastLoader = yaml.SafeLoader
else:
    _FastLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _FamilyLoader(_FastLoader):
    """Reads `on`, `no` and `9:30` as texts, as YAML 1.2 does, and rejects a repeated key."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:  # noqa: FBT001, FBT002
        keys: set[str] = set()
        for key_node, _ in node.value:
            if key_node.value in keys:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key_node.value!r} occurs twice", problem_mark=key_node.start_mark
                )
            keys.add(key_node.value)
        return super().construct_mapping(node, deep)  # pyright: ignore[reportUnknownMemberType]


_FamilyLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _signs in (
    ("bool", r"true|false", "tf"),
    ("int", r"-?(?:0|[1-9]\d*)", "-0123456789"),
    ("float", r"-?(?:0|[1-9]\d*)\.\d+", "-0123456789"),
    ("null", r"null|", ["n", ""]),
):
    _FamilyLoader.add_implicit_resolver(  # pyright: ignore[reportUnknownMemberType]
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), list(_signs)
    )


def read_families(text: str, file: str) -> tuple[list[Family], list[str]]:
    """Read the families of a file.

    Returns:
        The families without problems, and the problems as texts for people.

    Raises:
        BadInput: PyYAML has no libyaml.
    """
    if not yaml.__with_libyaml__:
        # YAML's own parser takes the question mark of `name?` for a sign of its own.
        raise BadInput("families", "this PyYAML was built without libyaml", "install a wheel of PyYAML")
    try:
        written = yaml.load(text, Loader=_FamilyLoader)
    except yaml.YAMLError as error:
        return [], [f"{file}: {' '.join(str(error).split())}"]
    if not isinstance(written, dict):
        return [], [f"{file}: write an object with a family for each name"]
    families: list[Family] = []
    problems: list[str] = []
    for name, value in cast(dict[str, Any], written).items():
        try:
            form = FamilyForm.model_validate(value)
        except ValidationError as error:
            faults = form_faults(error, FamilyForm)
            problems += [
                f"{file}: {name}: {'.'.join(map(str, fault.place))}: {fault.problem}" for fault in faults
            ]
            continue
        reader = _FamilyReader(form)
        family = reader.read(name, file)
        problems += [f"{file}: {name}: {problem}" for problem in reader.problems]
        if not reader.problems:
            families.append(family)
    return families, problems


_LIST_OF: Final = "list of "


class _FamilyReader:
    """Builds a family from its form, and collects all problems."""

    def __init__(self, form: FamilyForm) -> None:
        self._form = form
        self._words = WordList(WordSplit.TRAIN if form.split is FamilySplit.TRAIN else WordSplit.TEST)
        self.problems: list[str] = []

    def read(self, name: str, file: str) -> Family:
        form = self._form
        slots = self._slots()
        variants = [variant if isinstance(variant, list) else [variant] for variant in form.tools]
        tools = [tuple(self._tools(variant, slots)) for variant in variants]
        return Family(
            name=name,
            file=file,
            split=form.split,
            domain=form.domain,
            apart=form.apart,
            about=form.about,
            slots=slots,
            variants=tuple(tools),
            requests=self._sentences(form.requests),
            parallel=self._sentences(form.parallel),
            follow_ups=self._sentences(form.follow_ups),
            asks={slot: self._sentences(texts) for slot, texts in form.asks.items()},
            gives={slot: self._sentences(texts) for slot, texts in form.gives.items()},
            results=tuple(map(self._result, form.results)),
            near_misses=tuple(
                example for entry in form.near_misses for example in self._no_call_examples(entry)
            ),
            chats=tuple(example for entry in form.chats for example in self._no_call_examples(entry)),
        )

    def _slots(self) -> dict[str, Slot]:
        slots: dict[str, Slot] = {}
        # Slots that are made of others come last.
        for name, written in sorted(self._form.slots.items(), key=lambda entry: _is_made_of_others(entry[1])):
            try:
                slots[name] = _slot(written, slots, self._words)
            except SlotProblem as problem:
                self.problems.append(f"slot {name}: {problem}")
        return slots

    def _tools(self, forms: list[ToolForm], slots: Mapping[str, Slot]) -> Iterator[EverydayTool]:
        for form in forms:
            try:
                yield build_tool(form, slots)
            except (ToolProblem, SlotProblem) as problem:
                self.problems.append(str(problem))

    def _sentences(self, entries: list[str | SaidForm] | list[str]) -> tuple[Sentence, ...]:
        return tuple(sentence for entry in entries for sentence in self._sentence(entry))

    def _sentence(self, entry: str | SaidForm) -> list[Sentence]:
        """Parse a sentence into a list of one, or of none if it has a problem."""
        try:
            if isinstance(entry, str):
                return [parse_sentence(entry)]
            return [parse_sentence(entry.say, entry.implies)]
        except SentenceProblem as problem:
            self.problems.append(str(problem))
            return []

    def _result(self, form: ResultForm) -> EverydayResult:
        result = {"error": form.error} if form.error else form.result
        if result is None:
            self.problems.append("a result has neither `result` nor `error`")
        return EverydayResult(
            result=result, is_error=bool(form.error), answers=self._sentences(form.say), when=form.when
        )

    def _no_call_examples(self, form: NoCallForm) -> list[NoCallExample]:
        says, answers = self._sentence(form.say), self._sentence(form.answer)
        return [NoCallExample(say=say, answer=answer) for say, answer in zip(says, answers, strict=False)]


def _is_made_of_others(written: Any) -> bool:
    return isinstance(written, dict) or (isinstance(written, str) and written.startswith(_LIST_OF))


def _slot(written: Any, slots: Mapping[str, Slot], words: WordList) -> Slot:
    if isinstance(written, list):
        return _pool(cast(list[Any], written))
    if isinstance(written, dict):
        return _entries(cast(dict[str, Any], written), slots)
    text = str(written)
    if text.startswith(_LIST_OF):
        name, _, counts = text.removeprefix(_LIST_OF).rpartition(" ")
        least, most = _counts(counts)
        if name not in slots:
            raise SlotProblem(f"unknown slot {name!r} in {text!r}")
        return list_slot(slots[name], least, most)
    kinds = {**PLAIN_KINDS, **MOMENT_KINDS}
    for name, make in kinds.items():
        if text == name or text.startswith(f"{name} "):
            return make(text.removeprefix(name).strip(), words)
    raise SlotProblem(
        f"unknown kind {text!r}; use a list of values, or one of: {', '.join(kinds)}, list of …"
    )


def _counts(text: str) -> tuple[int, int]:
    least, _, most = text.partition("-")
    most = most or least
    if not least.isdigit() or not most.isdigit() or not 1 <= int(least) <= int(most):
        raise SlotProblem(f"{text!r} is not a number of items; write it as in `2-4`")
    return int(least), int(most)


def _pool(written: list[Any]) -> Slot:
    entries: list[Spoken] = []
    ways: list[tuple[str, ...]] = []
    for value in written:
        if not isinstance(value, dict):
            text = ("true" if value else "false") if isinstance(value, bool) else str(value)
            entries.append(Spoken(request_text=text, answer_text=text, forms={DEFAULT: value}))
            ways.append((text,))
            continue
        try:
            form = PoolEntryForm.model_validate(value)
        except ValidationError as error:
            raise SlotProblem(form_faults(error, PoolEntryForm)[0].problem) from error
        wordings = tuple([form.say] if isinstance(form.say, str) else form.say)
        if not wordings or not all(wordings):
            raise SlotProblem("`say` is empty")
        is_given = form.default is not None
        forms: dict[str, JsonValue] = {
            DEFAULT: form.default if is_given else wordings[0],
            **(form.model_extra or {}),
        }
        entries.append(Spoken(request_text=wordings[0], answer_text=wordings[0], forms=forms))
        ways.append(wordings)
    if not entries:
        raise SlotProblem("it has no values")
    names = set(entries[0].forms)
    for entry in entries:
        if differing := names ^ set(entry.forms):
            raise SlotProblem(
                f"form {sorted(differing)[0]!r} is missing for some values, such as {entry.answer_text!r} or "
                f"{entries[0].answer_text!r}; give every value the same forms"
            )
    return pool_slot(tuple(entries), tuple(ways))


def _entries(written: dict[str, Any], slots: Mapping[str, Slot]) -> Slot:
    """Return a slot whose values are lists of entries, such as dishes with their numbers."""
    if set(written) != {"entries", "say", "count"}:
        raise SlotProblem("write a list of values, a kind, or an object with `entries`, `say` and `count`")
    members = cast(dict[str, str], written["entries"])
    for name, slot in members.items():
        if slot not in slots:
            raise SlotProblem(f"entries.{name}: unknown slot {slot!r}")
    entry_slots = {name: slots[slot] for name, slot in members.items()}
    try:
        sentence = parse_sentence(str(written["say"]))
    except SentenceProblem as problem:
        raise SlotProblem(str(problem)) from problem
    if unknown := sentence.slots - entry_slots.keys():
        raise SlotProblem(f"`say` names {sorted(unknown)[0]!r}, which is not in `entries`")
    least, most = _counts(str(written["count"]))
    main = next(iter(entry_slots))

    def draw(dice: Dice, today: Any) -> Spoken:
        drawn: dict[str, dict[str, Spoken]] = {}
        count = dice.between(least, most)
        for _ in range(20):
            if len(drawn) < count:
                entry = {name: slot.draw(dice, today) for name, slot in entry_slots.items()}
                drawn.setdefault(entry[main].answer_text, entry)
        run = sentence.drawn(dice, sentence.slots)
        texts = ["".join(_piece(piece, entry) for piece in run) for entry in drawn.values()]
        return Spoken(
            request_text=answer_list(texts),
            answer_text=answer_list(texts),
            forms={DEFAULT: []},
            entries=tuple(drawn.values()),
        )

    def _piece(piece: Any, entry: Mapping[str, Spoken]) -> str:
        return piece if isinstance(piece, str) else entry[piece.slot].request_text

    return Slot(schemas={DEFAULT: {"type": "array"}}, draw=draw, entry_slots=entry_slots)


def families_folder() -> "Traversable":
    """Return the folder of the shipped families, one YAML file for each theme.

    It is part of a checkout. The wheel of the workbench is without it: another wheel has the same folder.

    Raises:
        BadInput: This other wheel is not installed.
    """
    for name in _FOLDERS:
        if find_spec(name):
            return files(name)
    package = f"{_DATA_PACKAGE.replace('_', '-')}=={__version__}"
    raise BadInput("everyday tools", "their families are not installed", f"pip install {package}")


@cache
def load_families() -> tuple[Family, ...]:
    """Return the shipped families, by file name and in the order written.

    Raises:
        BadInput: The families are not installed, or a file has a problem.
    """
    families: list[Family] = []
    for entry in sorted(families_folder().iterdir(), key=lambda entry: entry.name):
        if not entry.name.endswith(".yaml"):
            continue
        read, problems = read_families(entry.read_text("utf-8"), entry.name)
        if problems:
            raise BadInput(entry.name, problems[0], "run `python scripts/check_families.py` for all problems")
        families += read
    return tuple(families)


@cache
def families_of(split: FamilySplit) -> tuple[Family, ...]:
    """Return the shipped families of a split."""
    return tuple(family for family in load_families() if family.split is split)
