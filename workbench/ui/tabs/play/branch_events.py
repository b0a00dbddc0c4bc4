"""What the tree of branches asks, and how far answers agree."""

from dataclasses import dataclass

import gradio as gr

from workbench.app.branches import BranchTree, branches_of
from workbench.app.services import Services
from workbench.errors import WorkbenchError
from workbench.records.corpus.material import SessionMaterial
from workbench.records.owner import Permission
from workbench.ui.incoming.fields import id_of
from workbench.ui.owners import services_of
from workbench.ui.permitted import needs
from workbench.ui.present.branches import BranchesView, agreement_words, show_branches
from workbench.ui.present.notices import NoticeView, advice
from workbench.ui.present.session import tools_of
from workbench.ui.tabs.play.screen import SAME, Update
from workbench.ui.visitor import Visitor


@dataclass(frozen=True, slots=True)
class BranchEvents:
    """Handlers of the tree."""

    services: Services
    """The edges."""

    @needs(Permission.WORK)
    def on_ask(self, visitor: Visitor, request: gr.Request, event: gr.EventData) -> BranchesView | Update:
        """The branches of the open session."""
        services = services_of(self.services, visitor, request)
        try:
            made = _made(services, visitor, id_of(event))
            if made is None:
                return SAME
            deleted = services.sessions.deleted_messages(visitor.session_id or "")
        except WorkbenchError:
            return SAME
        return show_branches(made, id_of(event), deleted)


def told_agreement(services: Services, visitor: Visitor) -> NoticeView:
    """How far the answers that part last on the visitor's path agree.

    Raises:
        StoreError: They cannot be read.
    """
    made = _made(services, visitor, visitor.leaf_id or "")
    agreement = made.agreement if made else None
    return advice(agreement_words(agreement) if agreement else "")


def _made(services: Services, visitor: Visitor, shown_id: str) -> BranchTree | None:
    if visitor.session_id is None or visitor.share_key is not None:
        return None
    material = services.corpus.material(visitor.session_id)
    if not isinstance(material, SessionMaterial) or shown_id not in material.by_id:
        return None
    tree = services.sessions.tree(visitor.session_id)
    return branches_of(tree, material, tools_of(material.setup), shown_id=shown_id)
