"""Every environment variable of the workbench: name, default and meaning."""

from dataclasses import dataclass
from typing import Final

from workbench.settings.value import KV_TYPES


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One row of the settings' table."""

    name: str
    default: str
    """What holds where it is not set, as a person would write it; empty where it is worked out."""
    meaning: str
    """One line for the table."""


VARIABLES: Final = (
    Variable(
        name="WORKBENCH_MODEL",
        default="embedded",
        meaning="The model to begin with, by its [name](models.md); `workbench models default` chooses another",
    ),
    Variable(name="WORKBENCH_CONTRACT", default="minimal", meaning="The contract to begin with"),
    Variable(
        name="WORKBENCH_TOOLS",
        default="nonsense",
        meaning="Toolsets, tools or files to begin with, parted by commas",
    ),
    Variable(
        name="WORKBENCH_HOST",
        default="127.0.0.1",
        meaning="Address that the page listens on; 0.0.0.0 on a Space",
    ),
    Variable(name="WORKBENCH_PORT", default="7860", meaning="Port that the page listens on"),
    Variable(
        name="WORKBENCH_DATA",
        default="",
        meaning="Folder for what is kept; `./data` in a checkout, else the user's data folder",
    ),
    Variable(
        name="WORKBENCH_DATABASE_URL",
        default="",
        meaning="SQLAlchemy URL of the store; a SQLite file in the data folder",
    ),
    Variable(
        name="WORKBENCH_BUCKET_DIR",
        default="",
        meaning="Folder that outlives the machine, such as a mounted bucket; SQLite is copied to it, restored from it",
    ),
    Variable(
        name="WORKBENCH_SNAPSHOT_MINUTES",
        default="5",
        meaning="Minutes from one copy in the bucket folder to the next, where something changed",
    ),
    Variable(
        name="WORKBENCH_DATASET_REPO",
        default="",
        meaning="Dataset repository of the hub, such as `me/labels`, that finished labels are added to",
    ),
    Variable(
        name="WORKBENCH_HOME",
        default="",
        meaning="Folder that may hold `prompts/` and `tools_catalog/`; the current folder",
    ),
    Variable(
        name="WORKBENCH_CONTEXT",
        default="4096",
        meaning="Context of a local model, in tokens, never more than it was trained with; 0 takes just that",
    ),
    Variable(name="WORKBENCH_THREADS", default="0", meaning="Threads of a local model; 0 takes one a core"),
    Variable(
        name="WORKBENCH_GPU_LAYERS",
        default="-1",
        meaning="Layers of a local model on the GPU; -1 all, where the build can",
    ),
    Variable(
        name="WORKBENCH_FLASH_ATTENTION",
        default="auto",
        meaning="Flash attention of a local model: `on`, `off`, or `auto`, on a GPU that can",
    ),
    Variable(
        name="WORKBENCH_KV_TYPE",
        default="f16",
        meaning=f"Keys and values of a local model's context, one of {', '.join(KV_TYPES)}; "
        "a quantised one needs flash attention",
    ),
    Variable(
        name="WORKBENCH_LORA",
        default="",
        meaning="GGUF adapters laid over a local model, `PATH` or `PATH=SCALE`, parted by commas",
    ),
    Variable(
        name="WORKBENCH_EMBEDDED_ADAPTER",
        default="on",
        meaning="`on` lays the shipped adapter, which teaches calls, over the embedded model where WORKBENCH_LORA "
        "names none; `off` leaves it bare",
    ),
    Variable(
        name="WORKBENCH_PREFIX_CACHE",
        default="1024",
        meaning="Megabytes for evaluated prompts of a local model that may be gone on from; 0 keeps none",
    ),
    Variable(name="WORKBENCH_MAX_ROUNDS", default="8", meaning="Completions that a turn may take"),
    Variable(
        name="WORKBENCH_OPENAI_BASE_URL",
        default="",
        meaning="Where `openai:NAME` is asked, such as `http://127.0.0.1:8000/v1`",
    ),
    Variable(name="WORKBENCH_OPENAI_API_KEY", default="", meaning="Key of that server, where it wants one"),
    Variable(
        name="WORKBENCH_OPENAI_KIND",
        default="openai",
        meaning="What that server is: openai, vllm, sglang, llama-server, ollama or lm-studio",
    ),
    Variable(
        name="WORKBENCH_OPENAI_MODE",
        default="chat",
        meaning="`chat` asks with messages and tools, `raw` with our prompt byte for byte",
    ),
    Variable(
        name="WORKBENCH_REMOTE_TIMEOUT",
        default="120",
        meaning="Seconds without a piece of the completion after which an answer counts as broken off; "
        "comments and empty pieces of the stream do not count",
    ),
    Variable(
        name="WORKBENCH_AUTH",
        default="",
        meaning="Accounts that may log in, `name:hash` each, parted by blanks or commas; `workbench auth hash`",
    ),
    Variable(
        name="WORKBENCH_ADMINS",
        default="",
        meaning="Names of the [admins](permissions.md), separated by commas",
    ),
    Variable(
        name="WORKBENCH_TOOLS_FILE",
        default="",
        meaning="YAML file of MCP servers and always allowed commands; `tools.yaml` in the data folder",
    ),
    Variable(
        name="WORKBENCH_TOOL_TIMEOUT",
        default="300",
        meaning="Seconds after which a tool that gives nothing has failed",
    ),
    Variable(
        name="WORKBENCH_ALLOW_TERMINAL",
        default="0",
        meaning="1 lets `WORKBENCH_TERMINAL` be a real one; never on a Space",
    ),
    Variable(
        name="WORKBENCH_TERMINAL",
        default="mock",
        meaning="Where the tool `terminal` runs commands: `mock`, `local`, `local:FOLDER`, `docker:IMAGE` or "
        "`ssh:HOST`; with accounts, for admins only",
    ),
    Variable(
        name="WORKBENCH_JUDGE",
        default="",
        meaning="A model, as `WORKBENCH_MODEL` takes it, that may allow commands of a known kind before you are asked",
    ),
    Variable(
        name="WORKBENCH_APPROVAL_TIMEOUT",
        default="120",
        meaning="Seconds after which a question about a risky command is answered with no",
    ),
    Variable(
        name="WORKBENCH_ALLOWED_HOSTS",
        default="",
        meaning="Host names under which the page is reached, separated by commas, such as `workbench.example.org`; "
        "`localhost`, the address in `WORKBENCH_HOST` and a Space's own host are always allowed, `*` allows any name",
    ),
    Variable(
        name="WORKBENCH_FRAME_ANCESTORS",
        default="",
        meaning="Origins whose pages may show this page in a frame, separated by commas, such as "
        "`https://portal.example.org`; on a Space also `https://huggingface.co`",
    ),
    Variable(
        name="WORKBENCH_NO_LOGIN",
        default="0",
        meaning="1 serves the page to other machines although there are no accounts, as `serve --no-login` does",
    ),
    Variable(
        name="WORKBENCH_LOGIN_HOURS",
        default="12",
        meaning="Hours after which an unused login ends; every login ends after 7 days",
    ),
    Variable(
        name="WORKBENCH_MAX_UPLOAD_MB",
        default="100",
        meaning="Largest file that can be uploaded, in megabytes; 20 on a Space",
    ),
    Variable(
        name="WORKBENCH_MAX_OPEN_PAGES",
        default="500",
        meaning="Browser tabs and API calls whose state is kept in memory at the same time",
    ),
)
"""Every variable that is read, in the order of the documentation."""
