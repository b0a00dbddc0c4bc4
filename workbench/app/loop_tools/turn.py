"""The toolbox of one turn: the catalog's, and the tools that the loop answers itself."""

from collections.abc import Callable

from workbench.app.loop_tools import delegate, todo
from workbench.app.loop_tools.memory import Memory
from workbench.app.loop_tools.session_search import SessionSearch
from workbench.app.loop_tools.toolbox import LoopToolbox
from workbench.app.services import Services
from workbench.chat.message import Conversation
from workbench.records.setup import Setup
from workbench.rollout.ports import Engine
from workbench.toolbox.task import ToolTask


def turn_toolbox(
    services: Services,
    task: ToolTask,
    setup: Setup,
    conversation: Conversation,
    *,
    engine: Engine,
    is_cancelled: Callable[[], bool],
) -> LoopToolbox:
    """Runs the calls of one turn.

    Args:
        services: The edges.
        task: For whom.
        setup: What the turn is played with.
        conversation: What was said up to now.
        engine: Who writes in a delegated task too.
        is_cancelled: True once a person has stopped the turn.
    """
    own = {
        todo.NAME: todo.Todo(conversation.messages),
        "memory": Memory(services.memories, services.owner),
        "session_search": SessionSearch(services.search, task.session_id),
    }
    catalog = services.tools.toolbox(task)
    nested = delegate.Delegate(
        setup=setup,
        date=services.today(),
        engine=engine,
        toolbox=LoopToolbox(catalog, own),
        clock=services.calendar,
        is_cancelled=is_cancelled,
    )
    return LoopToolbox(catalog, {**own, delegate.NAME: nested})
