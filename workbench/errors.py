"""All exceptions that the workbench raises on purpose.

    WorkbenchError
    ├── BadInput              a contract, tool spec, row, setting or argument is invalid
    │   └── OffBranch         the message is not on the branch that is shown
    ├── EngineError           a model cannot be loaded, or does not answer
    │   ├── ModelMissing      the model file or package is missing
    │   ├── ModelBroken       llama.cpp crashes or hangs on the model file
    │   ├── PromptTooLong     the prompt does not fit into the context of the model
    │   ├── ConstraintFailed  the schema of a tool cannot be turned into a grammar
    │   ├── RemoteFailed      a server cannot be reached, or refuses the request
    │   └── WorkerEnded       a worker of Ray ended before its work was done
    └── StoreError            the database cannot be opened, read or written
        ├── NoSession         there is no such session, or it may not be read
        ├── ForeignSession    the session belongs to somebody else
        ├── NoMessage         the session has no such message
        └── WriteConflict     somebody else saved a newer revision; nothing was overwritten

A message says what is wrong, where, and what to do in a terminal. The page has titles and buttons instead of ids and
commands. `workbench.ui.present.notices` writes its own texts for `NoSession`, `ForeignSession`, `NoMessage` and
`OffBranch`.

A mistake of a *model* is never an exception: it is a `Finding` (see `workbench.chat.finding`).
"""

from collections.abc import Callable, Mapping


class WorkbenchError(Exception):
    """Base class. Catch it at the edge of the program to show the error as one line. Any of them can be pickled."""

    def __reduce__(self) -> tuple[Callable[..., "WorkbenchError"], tuple[object, ...]]:
        # Exceptions are unpickled by calling the class with `args`. Here `args` is the message, not the arguments of
        # `__init__`, so for example BadInput would be called without `problem`.
        return _restored, (type(self), self.args, dict(vars(self)))


def _restored(
    kind: type[WorkbenchError], args: tuple[object, ...], fields: Mapping[str, object]
) -> WorkbenchError:
    error = kind.__new__(kind, *args)
    vars(error).update(fields)
    return error


class BadInput(WorkbenchError):
    """Something that a person wrote cannot be used.

    Args:
        where: The input and the place in it, such as `"contract 'minimal', line 3"`.
        problem: What is wrong there.
        remedy: What to do about it. Empty if the problem makes it clear.
    """

    def __init__(self, where: str, problem: str, remedy: str = "") -> None:
        self.where = where
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{where}: {problem}" + (f" ({remedy})" if remedy else ""))


class OffBranch(BadInput):
    """A message is not on the branch that is shown: another tab may have changed it."""

    def __init__(self, message_id: str) -> None:
        self.message_id = message_id
        super().__init__(
            f"message {message_id!r}", "it is not on this branch", "choose a message that is shown"
        )


class EngineError(WorkbenchError):
    """A model cannot be loaded, or does not answer."""


class ModelMissing(EngineError):
    """The model is not on this machine.

    Args:
        model: The requested name or path.
        remedy: The command or setting that fixes it. Empty if there is none.
        path: Where its file would be.
    """

    def __init__(self, model: str, remedy: str, *, path: object = None) -> None:
        self.model = model
        self.remedy = remedy
        is_path = path is not None and model.endswith(str(path))
        place = " (there is no such file)" if is_path else f" at {path}" if path is not None else ""
        super().__init__(f"model {model!r} not found{place}" + (f": {remedy}" if remedy else ""))


class ModelBroken(EngineError):
    """llama.cpp crashes or hangs when it opens the model file. This was tried in a separate process.

    Args:
        model: Name of the file.
    """

    def __init__(self, model: str, problem: str) -> None:
        self.model = model
        self.problem = problem
        super().__init__(
            f"model file {model!r} cannot be used: {problem} (download it again, or choose another model)"
        )


class PromptTooLong(EngineError):
    """The prompt does not fit into the context. All lengths are in tokens.

    Args:
        prompt_tokens: Length of the prompt.
        context_tokens: Context length that the model was loaded with.
        reserved_tokens: Space reserved for the completion.
    """

    def __init__(self, *, prompt_tokens: int, context_tokens: int, reserved_tokens: int) -> None:
        self.prompt_tokens = prompt_tokens
        self.context_tokens = context_tokens
        self.reserved_tokens = reserved_tokens
        over = self.excess_tokens
        super().__init__(
            f"the prompt is {over} token{'' if over == 1 else 's'} too long: it has {prompt_tokens}, the context "
            f"has {context_tokens} with {reserved_tokens} reserved for the completion (shorten the prompt or "
            "increase WORKBENCH_CONTEXT)"
        )

    @property
    def excess_tokens(self) -> int:
        """Number of tokens that must be removed from the prompt."""
        return self.prompt_tokens + self.reserved_tokens - self.context_tokens


class ConstraintFailed(EngineError):
    """The schemas of the tools cannot be turned into a grammar.

    Args:
        reason: The message of the grammar compiler.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"the schemas of the tools cannot be turned into a grammar: {reason} (set the tool choice to 'auto')"
        )


class RemoteFailed(EngineError):
    """A server cannot be reached, refuses the request, or sends an invalid answer.

    Args:
        server: Name of the server for messages, without keys and passwords.
        remedy: What to do about it. Empty if the problem makes it clear.
        status: HTTP status of the refusal. None if there was no answer, or one that cannot be used.
        retry_after_s: Time after which the server accepts another attempt. None if it did not say.
    """

    def __init__(
        self,
        server: str,
        problem: str,
        remedy: str = "",
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        self.server = server
        self.status = status
        self.retry_after_s = retry_after_s
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{server}: {self.reason}")

    @property
    def reason(self) -> str:
        """The problem and its remedy, without the server."""
        return self.problem + (f" ({self.remedy})" if self.remedy else "")


class WorkerEnded(EngineError):
    """A worker of Ray ended before its work was done."""

    def __init__(self) -> None:
        super().__init__(
            "a worker of Ray ended before its work was done (was there too little memory, or was its machine stopped?)"
        )


class StoreError(WorkbenchError):
    """The database cannot be opened, read or written."""


class NoSession(StoreError):
    """There is no such session, or its reader may not know that there is one."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        super().__init__(f"there is no session {session_id!r}; `workbench sessions list` lists them")


class ForeignSession(StoreError):
    """The session belongs to somebody else, so it can be read but not changed.

    Args:
        title: Its title. Empty if it has none.
    """

    def __init__(self, session_id: str, title: str) -> None:
        self.session_id = session_id
        self.title = title
        super().__init__(f"session {session_id!r} belongs to somebody else; copy it to continue it")


class NoMessage(StoreError):
    """The session has no such message."""

    def __init__(self, session_id: str, message_id: str) -> None:
        self.session_id = session_id
        self.message_id = message_id
        super().__init__(
            f"session {session_id!r} has no message {message_id!r}; `workbench sessions show SESSION` lists them"
        )


class WriteConflict(StoreError):
    """Somebody else saved a newer revision. Nothing was overwritten.

    Args:
        what: What was saved, such as a label, for the message.
        theirs: The stored content, as text for a person.
        yours: The content that was refused, as text for a person.
        revision: The stored revision. Pass it to overwrite that content on purpose.
    """

    def __init__(self, what: str, *, theirs: str, yours: str, revision: int) -> None:
        self.what = what
        self.theirs = theirs
        self.yours = yours
        self.revision = revision
        super().__init__(
            f"{what}: somebody else saved a change. Theirs (revision {revision}): {theirs}. Yours: {yours}"
        )
