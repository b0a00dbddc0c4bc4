"""What owners and reviewers do with samples for review in the Label tab: rows of each tool, lots and gold rows."""

from dataclasses import replace
from functools import partial

from workbench.app.services import Services
from workbench.chat.json_value import JsonObject
from workbench.errors import BadInput
from workbench.label.page.present.commands import MOST_DIGITS
from workbench.label.records.project import QueueFilter
from workbench.label.records.sampling import smallest_plan
from workbench.ui.present.words import count

MOST_GOLD = 500
"""The maximum number of rows that become gold rows at once."""


def manage_review(services: Services, fields: JsonObject, chosen: QueueFilter, project: str) -> str:
    """Assign a sample, draw or record a lot, or change the gold rows, and return what was done.

    Args:
        fields: The command. `what` is `sample`, `lot`, `record`, `gold` or `no-gold`.
        chosen: The filter of the queue.

    Raises:
        WorkbenchError: A number cannot be read, or this person may not do it.
    """
    who, name = services.owner.name, str(fields.get("lot") or "").strip()
    chosen = replace(chosen, state=None, verdict=None, assignee=None)
    seed = _whole(fields, "seed", 0)
    match fields.get("what"):
        case "sample":
            assign = partial(
                services.label_samples.assign_strata, chosen, project=project, seed=seed, who=who
            )
            given = (
                *assign(by="tool", count=_whole(fields, "per_tool", 0)),
                *assign(by="finding", count=_whole(fields, "per_finding", 0)),
            )
            return f"{count(len({item.session_id for item in given}), 'row')} assigned."
        case "lot":
            rows = services.label_samples.count_rows(chosen)
            if not rows:
                raise BadInput("lot", "no rows match the filter", "choose another one")
            plan = smallest_plan(rows, good=_share(fields, "good"), bad=_share(fields, "bad"))
            shown = str(fields.get("shown") or "")
            services.label_samples.add_lot(
                name, chosen, plan, project=project, seed=seed, shown=shown, who=who
            )
            return f"Lot “{name}”: {plan.describe()}"
        case "record":
            state = services.label_samples.decide_lot(name, project=project, who=who)
            return f"Lot “{name}”: {state.describe()}."
        case what:
            sessions = services.label_samples.session_ids(chosen)
            if len(sessions) > MOST_GOLD:
                raise BadInput(
                    "gold rows", f"{len(sessions)} rows match the filter", f"choose {MOST_GOLD} or fewer"
                )
            is_gold = what == "gold"
            gold = services.label_samples.set_gold(sessions, project=project, is_gold=is_gold, who=who)
            return f"The project has {count(len(gold), 'gold row')}."


def _whole(fields: JsonObject, name: str, default: int) -> int:
    text = str(fields.get(name) or default).strip()
    if not text.isdecimal() or len(text) > MOST_DIGITS:
        raise BadInput(name.replace("_", " "), f"{text[:40]!r} is not a number", "use 0 or more")
    return int(text)


def _share(fields: JsonObject, name: str) -> float:
    """Return a percentage of the form as a share."""
    try:
        return round(float(str(fields.get(name))) / 100, 6)
    except ValueError:
        raise BadInput(f"{name} lot", f"{fields.get(name)!r} is not a percentage", "use 0 to 100") from None
