"""A labelling project of several accounts."""

from tests.label.store.labelling import new, start_talk
from workbench.label.records.project import Member, Project, Question
from workbench.records.label import Verdict
from workbench.records.label_words import ProjectRole, QueueState
from workbench.records.owner import Owner, UserRole, account_key
from workbench.store.store import OwnedStore, Store

PROJECT = Project(
    name="round-1",
    guidelines="Be fair.",
    questions=(Question(name="polite", text="Is it polite?", choices=("yes", "no")),),
    overlap=2,
    members=(
        Member("ben", ProjectRole.ANNOTATOR),
        Member("cleo", ProjectRole.ANNOTATOR),
        Member("dora", ProjectRole.REVIEWER),
    ),
)
SHARED = "ann/round-1"


class Team:
    """Ann owns a project with a session that is assigned to Ben and Cleo; Dora reviews; Eve is not a member."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.ann, self.ben, self.cleo, self.dora, self.eve = map(
            self.of, ("ann", "ben", "cleo", "dora", "eve")
        )
        self.talk = start_talk(self.ann)
        self.ann.label_projects.save_project(PROJECT)
        self.ann.label_assignments.assign([self.talk.id], [], project="round-1")

    def of(self, name: str, role: UserRole = UserRole.MEMBER) -> OwnedStore:
        return self.store.of(Owner(key=account_key(name), name=name, role=role))

    def judge(self, name: str, verdict: Verdict, *, answer: str = "yes", is_done: bool = True) -> None:
        label = new(self.talk.target(3), verdict, annotator=name, project=SHARED, answers={"polite": answer})
        self.of(name).labels.save(label)
        if is_done:
            self.submit(name)

    def submit(self, name: str) -> None:
        self.of(name).labels.move(self.talk.id, QueueState.DONE, project=SHARED, assignee=name, who=name)

    def seen_by(self, name: str, *, is_deciding: bool = False) -> list[tuple[str, Verdict | None]]:
        opened = self.of(name).labelling.open(
            self.talk.id, project=SHARED, annotator=name, is_deciding=is_deciding
        )
        assert opened
        listed = self.of(name).labels.list_labels(project=SHARED)
        assert set(map(str, opened.labels)) <= set(map(str, listed))
        return [(label.annotator, label.content.verdict) for label in opened.labels]
