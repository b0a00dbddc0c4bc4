"""Put the commands of `workbench labels` together."""

from typing import Final

from workbench.label.commands.projects import (
    agreement,
    delete_project,
    projects,
    restore_project,
    save_project,
)
from workbench.label.commands.queueing import assign, progress, queue, review, unassign
from workbench.label.commands.reading import accept, add, export_labels, log, move, stale
from workbench.label.commands.samples import gold, judge, lot, sample

GROUP: Final = {
    "queue": queue,
    "add": add,
    "move": move,
    "stale": stale,
    "accept": accept,
    "export": export_labels,
    "project": save_project,
    "projects": projects,
    "delete-project": delete_project,
    "restore-project": restore_project,
    "assign": assign,
    "unassign": unassign,
    "progress": progress,
    "agreement": agreement,
    "review": review,
    "sample": sample,
    "lot": lot,
    "gold": gold,
    "judge": judge,
    "log": log,
}
"""The commands of `workbench labels`."""
