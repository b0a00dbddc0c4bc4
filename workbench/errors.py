"""Every exception that the workbench raises on purpose.

    WorkbenchError
    ├── BadInput              a contract, a tool spec, a row, a setting or an argument that we cannot use
    ├── EngineError           a model could not be asked, or stopped answering
    │   ├── ModelMissing      the named model file or package is not there
    │   ├── ModelBroken       llama.cpp crashed or hung on the named model file, in a process of its own
    │   ├── PromptTooLong     the prompt does not fit into the model's context
    │   ├── ConstraintFailed  a tool's schema could not be turned into a grammar
    │   └── RemoteFailed      a server could not be reached, or refused
    └── StoreError            the database cannot be opened, read or written
        └── WriteConflict     somebody else wrote the same thing meanwhile; nothing was overwritten

A message says what is wrong, where, and what to do. What a *model* got wrong is never an exception:
it is a `Finding` (see `workbench.chat.finding`).
"""


class WorkbenchError(Exception):
    """The root: catch this at an edge to turn any of ours into a line for a person."""


class BadInput(WorkbenchError):
    """Something that a person wrote cannot be used.

    Args:
        where: The thing and the place in it, such as `"contract 'minimal', line 3"`.
        problem: What is wrong there.
        remedy: What to do about it; empty when the problem says it.
    """

    def __init__(self, where: str, problem: str, remedy: str = "") -> None:
        self.where = where
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{where}: {problem}" + (f" ({remedy})" if remedy else ""))


class EngineError(WorkbenchError):
    """A model could not be asked, or stopped answering."""


class ModelMissing(EngineError):
    """The named model is not on this machine.

    Args:
        model: The name or path that was asked for.
        remedy: The command or setting that mends it.
    """

    def __init__(self, model: str, remedy: str) -> None:
        self.model = model
        self.remedy = remedy
        super().__init__(f"model {model!r} is not there: {remedy}")


class ModelBroken(EngineError):
    """llama.cpp could not open a model file without crashing, tried in a process of its own.

    Args:
        model: Name of the file.
    """

    def __init__(self, model: str, problem: str) -> None:
        self.model = model
        self.problem = problem
        super().__init__(
            f"model file {model!r} cannot be used: {problem} (fetch it again, or choose another)"
        )


class PromptTooLong(EngineError):
    """The prompt does not fit into the context.

    Args:
        prompt_tokens: Length of the prompt.
        context_tokens: What the model was loaded with.
        reserved_tokens: Room that must stay free for the completion.
    """

    def __init__(self, *, prompt_tokens: int, context_tokens: int, reserved_tokens: int) -> None:
        self.prompt_tokens = prompt_tokens
        self.context_tokens = context_tokens
        self.reserved_tokens = reserved_tokens
        over = self.excess_tokens
        super().__init__(
            f"the prompt is {over} token{'' if over == 1 else 's'} too long: {prompt_tokens} of "
            f"{context_tokens}, {reserved_tokens} kept for the answer; shorten it or raise WORKBENCH_CONTEXT"
        )

    @property
    def excess_tokens(self) -> int:
        """By how many tokens the prompt must shrink."""
        return self.prompt_tokens + self.reserved_tokens - self.context_tokens


class ConstraintFailed(EngineError):
    """The offered tools could not be turned into a grammar.

    Args:
        reason: What the grammar compiler said.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"the tools' schemas could not be made into a grammar: {reason}; set tool choice to 'auto'"
        )


class RemoteFailed(EngineError):
    """A server could not be reached, refused, or answered with something that is no answer.

    Args:
        server: Which, as a person names it; no key and no password in it.
        remedy: What to do about it; empty when the problem says it.
    """

    def __init__(self, server: str, problem: str, remedy: str = "") -> None:
        self.server = server
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{server}: {problem}" + (f" ({remedy})" if remedy else ""))


class StoreError(WorkbenchError):
    """The database cannot be opened, read or written."""


class WriteConflict(StoreError):
    """Somebody else wrote the same thing meanwhile; nothing was overwritten.

    Args:
        what: The thing.
        theirs: What stands there now, as a person reads it.
        yours: What was to be written, likewise.
        revision: Of what stands there now, to save over it on purpose.
    """

    def __init__(self, what: str, *, theirs: str, yours: str, revision: int) -> None:
        self.what = what
        self.theirs = theirs
        self.yours = yours
        self.revision = revision
        super().__init__(
            f"{what}: somebody saved it meanwhile; theirs (revision {revision}): {theirs}; yours: {yours}"
        )
