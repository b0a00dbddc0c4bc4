"""Let a model label the rows of a project as one more annotator, beside the people.

The model is asked about each call and each answer that a person would judge: for a verdict, and for an answer to each
question of the project. It answers with a JSON object, which a grammar enforces if the engine has one. What is not a
valid answer is counted and not stored.

Its labels are stored as those of a model. They count in no agreement, dispute, lot or export of people; its agreement
with each person and its accuracy on gold rows are shown beside theirs. It has no task, so it takes nobody's place.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from workbench.app.services import Services
from workbench.chat.json_value import JsonObject, JsonValue, as_object
from workbench.chat.message import Conversation, Message, Role
from workbench.errors import BadInput, StoreError
from workbench.hermes.marks import TURN_CLOSE
from workbench.hermes.render import render
from workbench.hermes.spelling.tools import template_json
from workbench.hermes.written_out import read_message
from workbench.label.app.labelling import LabellingRole, LabellingView, LabelStop, open_for_labelling
from workbench.label.records.project import Project, QueueFilter
from workbench.records.label import (
    CALL_VERDICTS,
    MESSAGE_VERDICTS,
    PAIR_VERDICTS,
    LabelContent,
    NewLabel,
    Verdict,
)
from workbench.rollout.ports import Constraint, Engine, FinishReason, GenerationRequest
from workbench.rollout.sampling import Sampling

_PAGE: Final = 200
_LONGEST: Final = 4000
"""Longest message that the model gets in full, in characters."""
_MAX_TOKENS: Final = 300
_TASK: Final = (
    "You judge what an assistant wrote in a conversation with a user and tools.\n\n{guidelines}"
    "Tools: {tools}\n\nConversation:\n{conversation}\n\nJudge {what}\n\n"
    "Answer with one JSON object and nothing else: {schema}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRow:
    """What a model did with a row."""

    session_id: str
    labelled: int
    """Number of calls and answers with a stored label."""
    unclear: int
    """Number of calls and answers for which the model gave no valid answer."""


def judge_rows(
    services: Services, engine: Engine, *, project: str, name: str, is_cancelled: Callable[[], bool]
) -> Iterator[JudgedRow]:
    """Let a model label all assigned rows of one of your projects that it has not labelled yet, and yield each.

    Args:
        name: Name of the model as an annotator.

    Raises:
        BadInput: The project belongs to somebody else, or the name is empty.
        EngineError: The model cannot be asked.
        StoreError: The project does not exist, or a label could not be stored.
    """
    found = services.label_projects.find_project(project)
    if found is None:
        raise StoreError(f"there is no labelling project {project!r}; `workbench labels projects` lists them")
    if found.owner or not project or not name.strip():
        raise BadInput(
            "labels judge", "only the owner of a named project can let a model label it", "name one"
        )
    for session_id in _assigned(services, project):
        if is_cancelled():
            return
        view = open_for_labelling(services, session_id, LabellingRole(project=project, annotator=name))
        if view is not None:
            yield _judge(services, engine, view, found, name)


def _assigned(services: Services, project: str) -> Sequence[str]:
    sessions: dict[str, None] = {}
    offset = 0
    while items := services.label_queues.queue(
        QueueFilter(), project=project, limit=_PAGE, offset=offset
    ).items:
        sessions |= dict.fromkeys(item.session_id for item in items)
        offset += len(items)
    return tuple(sessions)


def _judge(services: Services, engine: Engine, view: LabellingView, project: Project, name: str) -> JudgedRow:
    own = services.labels.list_labels(session_id=view.session.id, project=project.name, limit=10_000)
    done = {label.target for label in own if label.is_model and label.annotator == name}
    labelled = unclear = 0
    for stop in view.stops:
        if stop.target in done:
            continue
        content = _content(_ask(engine, _request(engine, view, stop, project)), stop, project)
        if content is None:
            unclear += 1
            continue
        services.labels.save(
            NewLabel(target=stop.target, content=content, annotator=name, project=project.name, is_model=True)
        )
        labelled += 1
    return JudgedRow(session_id=view.session.id, labelled=labelled, unclear=unclear)


def _verdicts(stop: LabelStop) -> Sequence[Verdict]:
    if stop.target.call_index is not None:
        allowed = CALL_VERDICTS
    else:
        is_pair = stop.accepting is Verdict.FIRST_BETTER
        allowed = PAIR_VERDICTS if is_pair else MESSAGE_VERDICTS - PAIR_VERDICTS
    return [verdict for verdict in Verdict if verdict in allowed]


def _schema(stop: LabelStop, project: Project) -> JsonObject:
    answers: dict[str, JsonValue] = {
        question.name: {"enum": list(question.choices)} if question.choices else {"type": "string"}
        for question in project.questions
    }
    properties: dict[str, JsonValue] = {
        "reason": {"type": "string", "maxLength": 200},
        "verdict": {"enum": [verdict.value for verdict in _verdicts(stop)]},
        **(
            {"answers": {"type": "object", "properties": answers, "required": list(answers)}}
            if answers
            else {}
        ),
    }
    return {"type": "object", "properties": properties, "required": list(properties)}


def _request(engine: Engine, view: LabellingView, stop: LabelStop, project: Project) -> GenerationRequest:
    schema = _schema(stop, project)
    places = [stored.id for stored in view.path]
    place = places.index(stop.target.message_id)
    turns = [_turn(index, stored.message) for index, stored in enumerate(view.path[: place + 1])]
    what = f"message {place + 1}, the last one."
    if stop.target.call_index is not None:
        calls = read_message(view.path[place].message, tools=view.tools).calls
        what = f"call {stop.target.call_index + 1} of message {place + 1}, to {calls[stop.target.call_index].name!r}."
    if stop.accepting is Verdict.FIRST_BETTER:
        others = (_turn(place + index, other.message) for index, other in enumerate(view.other_answer))
        what = "the answer above as the first, and this one as the second:\n" + "\n\n".join(others)
    questions = "".join(f"\n{question.name}: {question.text}" for question in project.questions)
    task = _TASK.format(
        guidelines=f"Guidelines:\n{project.guidelines}\n\n" if project.guidelines else "",
        tools=template_json([spec.document for spec in view.tools.specs]),
        conversation="\n\n".join(turns),
        what=what + (f"\nQuestions:{questions}" if questions else ""),
        schema=template_json(schema),
    )
    conversation = Conversation(messages=(Message(role=Role.USER, text=task),))
    prompt = render(conversation, family="hermes-3", has_contract=True, neutralise=True)
    return GenerationRequest(
        prompt=prompt.text,
        sampling=Sampling(temperature=0.0, max_tokens=_MAX_TOKENS),
        stop=(TURN_CLOSE,),
        constraint=Constraint(schema=schema, closing=TURN_CLOSE) if engine.capabilities.has_grammar else None,
        conversation=conversation,
    )


def _turn(place: int, message: Message) -> str:
    calls = "".join(
        f"\n{template_json({'name': call.name, 'arguments': call.arguments})}" for call in message.calls
    )
    text = message.text if len(message.text) <= _LONGEST else f"{message.text[:_LONGEST]} […]"
    return f"[{place + 1} {message.role}]\n{text}{calls}"


def _ask(engine: Engine, request: GenerationRequest) -> str:
    """Return what the engine wrote; empty if it was cut off."""
    pieces: list[str] = []
    for delta in engine.generate(request, is_cancelled=lambda: False):
        pieces.append(delta.text)
        if delta.finish_reason is FinishReason.LENGTH:
            return ""
    return "".join(pieces)


def _content(text: str, stop: LabelStop, project: Project) -> LabelContent | None:
    """Return the label of an answer. None if it is not a valid answer."""
    try:
        value = cast(JsonValue, json.loads(text[text.index("{") : text.rindex("}") + 1]))
    except (ValueError, RecursionError):
        return None
    fields = as_object(value)
    verdict = next((each for each in _verdicts(stop) if each.value == fields.get("verdict")), None)
    answers: Mapping[str, JsonValue] = as_object(fields.get("answers"))
    valid = {
        question.name: str(answers[question.name])
        for question in project.questions
        if question.name in answers and (not question.choices or answers[question.name] in question.choices)
    }
    if verdict is None or len(valid) < len(project.questions):
        return None
    reason = fields.get("reason")
    return LabelContent(verdict=verdict, answers=valid, comment=reason if isinstance(reason, str) else "")
