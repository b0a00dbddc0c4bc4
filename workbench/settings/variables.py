"""Every environment variable of the workbench: name, default and meaning."""

from dataclasses import dataclass
from typing import Final

from workbench.settings.value import KV_TYPES


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """An environment variable: one row of the table in `docs/reference/settings.md`."""

    name: str
    default: str
    """Value if the variable is not set. Empty if it depends on other settings."""
    meaning: str
    """One line of Markdown for the table."""


VARIABLES: Final = (
    Variable(
        name="WORKBENCH_MODEL",
        default="embedded",
        meaning="Default model, by its [name](models.md); `workbench models default` changes it",
    ),
    Variable(name="WORKBENCH_CONTRACT", default="minimal", meaning="Default contract"),
    Variable(
        name="WORKBENCH_TOOLS",
        default="nonsense",
        meaning="Default tools: toolsets, tools or files, separated by commas",
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
        meaning="Folder for the database and all other data; by default `./data` in a checkout, otherwise the "
        "user's data folder",
    ),
    Variable(
        name="WORKBENCH_DATABASE_URL",
        default="",
        meaning="SQLAlchemy URL of the store; by default a SQLite file in the data folder",
    ),
    Variable(
        name="WORKBENCH_BUCKET_DIR",
        default="",
        meaning="Persistent folder, such as a mounted bucket; the SQLite database is copied to it and restored from it",
    ),
    Variable(
        name="WORKBENCH_SNAPSHOT_MINUTES",
        default="5",
        meaning="Minutes between copies to the bucket folder; nothing is copied if nothing changed",
    ),
    Variable(
        name="WORKBENCH_DATASET_REPO",
        default="",
        meaning="Dataset repository on the Hugging Face Hub that finished labels are uploaded to, such as `me/labels`",
    ),
    Variable(
        name="WORKBENCH_HOME",
        default="",
        meaning="Folder that may hold `prompts/` and `tools_catalog/`; by default the current folder",
    ),
    Variable(
        name="WORKBENCH_LOCAL_CODE",
        default="ask",
        meaning="Whether Python files in `tools_catalog/` of the home folder run: `ask` asks once for each folder, "
        "`off` never runs them, and absolute paths, separated by commas, name folders that are trusted unasked",
    ),
    Variable(
        name="WORKBENCH_CONTEXT",
        default="4096",
        meaning="Context size of a local model, in tokens, up to the size that it was trained with; 0 uses that size",
    ),
    Variable(name="WORKBENCH_THREADS", default="0", meaning="Threads of a local model; 0 uses one per core"),
    Variable(
        name="WORKBENCH_GPU_LAYERS",
        default="-1",
        meaning="Layers of a local model on the GPU; -1 puts all of them there if the build supports it",
    ),
    Variable(
        name="WORKBENCH_FLASH_ATTENTION",
        default="auto",
        meaning="Flash attention of a local model: `on`, `off`, or `auto`, which uses it on a GPU that supports it",
    ),
    Variable(
        name="WORKBENCH_KV_TYPE",
        default="f16",
        meaning=f"Type of the keys and values of a local model's context, one of {', '.join(KV_TYPES)}; "
        "quantized types need flash attention",
    ),
    Variable(
        name="WORKBENCH_LORA",
        default="",
        meaning="GGUF adapters to apply to a local model, `PATH` or `PATH=SCALE`, separated by commas",
    ),
    Variable(
        name="WORKBENCH_EMBEDDED_ADAPTER",
        default="on",
        meaning="`on` applies the shipped adapter, trained for tool calls, to the embedded model unless "
        "`WORKBENCH_LORA` names adapters; `off` uses the model without it",
    ),
    Variable(
        name="WORKBENCH_CALL_THRESHOLD",
        default="",
        meaning="Probability from 0 to 1 from which a local model calls a tool if the [call threshold](generation.md) "
        "of the sampling settings is 0; 0 leaves it to sampling; by default the value in the receipt of its adapter",
    ),
    Variable(
        name="WORKBENCH_PREFIX_CACHE",
        default="1024",
        meaning="Megabytes for the prefix cache of a local model, which holds evaluated prompts; 0 turns it off",
    ),
    Variable(
        name="WORKBENCH_MODEL_MEMORY",
        default="0",
        meaning="Megabytes for all loaded local models together; models stay loaded while they fit, and the least "
        "recently used one makes room; 0 uses three quarters of this machine's memory",
    ),
    Variable(name="WORKBENCH_MAX_ROUNDS", default="8", meaning="Maximum number of completions in a turn"),
    Variable(
        name="WORKBENCH_OPENAI_BASE_URL",
        default="",
        meaning="Base URL of the server for models named `openai:NAME`, such as `http://127.0.0.1:8000/v1`",
    ),
    Variable(name="WORKBENCH_OPENAI_API_KEY", default="", meaning="API key of that server, if it needs one"),
    Variable(
        name="WORKBENCH_OPENAI_KIND",
        default="openai",
        meaning="Software of that server: openai, vllm, sglang, llama-server, ollama or lm-studio",
    ),
    Variable(
        name="WORKBENCH_OPENAI_MODE",
        default="chat",
        meaning="`chat` sends messages and tools; `raw` sends our prompt byte for byte",
    ),
    Variable(
        name="WORKBENCH_REMOTE_TIMEOUT",
        default="120",
        meaning="Seconds without a new piece of the completion after which an answer counts as broken off; "
        "comments and empty pieces of the stream do not count",
    ),
    Variable(
        name="WORKBENCH_AUTH",
        default="",
        meaning="Accounts that may log in, each as `name:hash`, separated by blanks or commas; `workbench auth hash` "
        "makes them",
    ),
    Variable(
        name="WORKBENCH_ADMINS",
        default="",
        meaning="Names of the [admins](permissions.md), separated by commas",
    ),
    Variable(
        name="WORKBENCH_TOOLS_FILE",
        default="",
        meaning="YAML file of MCP servers and always allowed commands; by default `tools.yaml` in the data folder",
    ),
    Variable(
        name="WORKBENCH_TOOL_TIMEOUT",
        default="300",
        meaning="Seconds after which a tool that has not answered fails",
    ),
    Variable(
        name="WORKBENCH_ALLOW_TERMINAL",
        default="0",
        meaning="1 allows `WORKBENCH_TERMINAL` to name a real terminal; a Space allows only `mock`",
    ),
    Variable(
        name="WORKBENCH_TERMINAL",
        default="mock",
        meaning="Where the tool `terminal` runs commands: `mock`, `local`, `local:FOLDER`, "
        "`docker:IMAGE`, `singularity:IMAGE`, `ssh:HOST`, `modal:IMAGE` or `daytona:IMAGE`; with accounts, for admins "
        "only",
    ),
    Variable(
        name="WORKBENCH_JUDGE",
        default="",
        meaning="Model, in the form of `WORKBENCH_MODEL`, that may approve commands of a known kind before you are "
        "asked",
    ),
    Variable(
        name="WORKBENCH_APPROVAL_TIMEOUT",
        default="120",
        meaning="Seconds after which an unanswered question about a risky command counts as a no",
    ),
    Variable(
        name="WORKBENCH_ALLOWED_HOSTS",
        default="",
        meaning="Host names that requests to the page may use, separated by commas, such as `workbench.example.org`; "
        "`localhost`, the address in `WORKBENCH_HOST` and a Space's own host are always allowed, `*` allows any name",
    ),
    Variable(
        name="WORKBENCH_TRUSTED_PROXIES",
        default="",
        meaning="Addresses and networks (CIDR) of the proxies in front of the server, separated by commas, such as "
        "`127.0.0.1, 10.0.0.0/8`; only their `X-Forwarded-For` counts; by default nobody's, on a Space that of private "
        "networks",
    ),
    Variable(
        name="WORKBENCH_MAX_CONNECTIONS",
        default="256",
        meaning="Open connections of one address, except for trusted proxies; further ones are refused",
    ),
    Variable(
        name="WORKBENCH_FRAME_ANCESTORS",
        default="",
        meaning="Origins that may show the page in a frame, separated by commas, such as "
        "`https://portal.example.org`; on a Space also `https://huggingface.co`",
    ),
    Variable(
        name="WORKBENCH_NO_LOGIN",
        default="0",
        meaning="1 serves the page to other machines although there are no accounts, like `serve --no-login`",
    ),
    Variable(
        name="WORKBENCH_LOGIN_HOURS",
        default="12",
        meaning="Hours after which an unused login expires; every login expires after 7 days",
    ),
    Variable(
        name="WORKBENCH_MAX_UPLOAD_MB",
        default="100",
        meaning="Largest file that can be uploaded, in megabytes; 20 on a Space",
    ),
    Variable(
        name="WORKBENCH_GATEWAY_PORT",
        default="7861",
        meaning="Port that the [gateway](gateway.md) listens on; with `serve --gateway` it has the page's port",
    ),
    Variable(
        name="WORKBENCH_GATEWAY_KEYS",
        default="",
        meaning="API keys of the gateway, each as `name:hash`, separated by blanks or commas; `workbench auth key` "
        "makes them; without keys only this machine can use the gateway",
    ),
    Variable(
        name="WORKBENCH_GATEWAY_REQUESTS",
        default="128",
        meaning="Requests to the gateway that run or wait at the same time; more get status 429",
    ),
    Variable(
        name="WORKBENCH_GATEWAY_BODY_MB",
        default="20",
        meaning="Largest body of a request to the gateway, in megabytes",
    ),
    Variable(
        name="WORKBENCH_GATEWAY_PROMPT_CHARS",
        default="2000000",
        meaning="Longest prompt of a request to the gateway, in characters: all messages and tools together",
    ),
    Variable(
        name="WORKBENCH_GATEWAY_RETRIES",
        default="0",
        meaning="How often the gateway asks a server again after a temporary failure, in addition to the client",
    ),
    Variable(
        name="WORKBENCH_GATEWAY_LEVEL",
        default="tolerant",
        meaning="How much the gateway's reader may repair: `strict`, `tolerant` or `lenient`",
    ),
    Variable(
        name="WORKBENCH_GATEWAY_CALLS",
        default="offered",
        meaning="When the gateway takes calls out of the text: `offered` (if the request offers tools), "
        "`always` or `never`",
    ),
    Variable(
        name="WORKBENCH_MAX_OPEN_PAGES",
        default="500",
        meaning="Browser tabs and API calls whose state is kept in memory at the same time",
    ),
)
"""All variables, in the order of the documentation."""
