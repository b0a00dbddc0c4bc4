"""The `Settings` value. Each of its fields that is a variable declares its name, default, parser and meaning."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final, Literal

from workbench.settings.parsing import (
    Network,
    Secret,
    parse_accounts,
    parse_adapters,
    parse_between,
    parse_flag,
    parse_fraction,
    parse_hosts,
    parse_keys,
    parse_name_set,
    parse_names,
    parse_networks,
    parse_one_of,
    parse_optional_path,
    parse_origins,
    parse_path,
    parse_secret,
    parse_switch,
    parse_text,
    parse_trusted,
)
from workbench.settings.variable import VARIABLE, Variable, Variables, setting

FlashAttention = Literal["auto", "on", "off"]
GATEWAY_LEVELS: Final = ("strict", "tolerant", "lenient")
GATEWAY_CALLS: Final = ("offered", "always", "never")
KV_TYPES: Final = ("f32", "f16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")
"""Types for the keys and values of a local model's context, the most exact first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings."""

    model: str = setting(
        "WORKBENCH_MODEL",
        "embedded",
        parse_text,
        "Default model, by its [name](models.md); `workbench models default` changes it",
    )
    contract: str = setting("WORKBENCH_CONTRACT", "minimal", parse_text, "Default contract")
    tools: tuple[str, ...] = setting(
        "WORKBENCH_TOOLS",
        "nonsense",
        parse_names,
        "Default tools: toolsets, tools or files, separated by commas",
    )
    host: str = setting(
        "WORKBENCH_HOST", "127.0.0.1", parse_text, "Address that the page listens on; 0.0.0.0 on a Space"
    )
    port: int = setting("WORKBENCH_PORT", "7860", parse_between(1, 65535), "Port that the page listens on")
    data: Path = setting(
        "WORKBENCH_DATA",
        "",
        parse_path,
        "Folder for the database and all other data; by default `./data` in a checkout, otherwise the user's "
        "data folder",
    )
    database_url: str = setting(
        "WORKBENCH_DATABASE_URL",
        "",
        parse_text,
        "SQLAlchemy URL of the store; by default a SQLite file in the data folder",
    )
    bucket: Path | None = setting(
        "WORKBENCH_BUCKET_DIR",
        "",
        parse_optional_path,
        "Persistent folder, such as a mounted bucket; the SQLite database is copied to it and restored from "
        "it",
    )
    snapshot_minutes: int = setting(
        "WORKBENCH_SNAPSHOT_MINUTES",
        "5",
        parse_between(1, 1440),
        "Minutes between copies to the bucket folder; nothing is copied if nothing changed",
    )
    dataset: str = setting(
        "WORKBENCH_DATASET_REPO",
        "",
        parse_text,
        "Dataset repository on the Hugging Face Hub that finished labels are uploaded to, such as `me/labels`",
    )
    """Empty if finished labels are not uploaded."""
    home: Path = setting(
        "WORKBENCH_HOME",
        "",
        parse_path,
        "Folder that may hold `prompts/` and `tools_catalog/`; by default the current folder",
    )
    trusted_folders: tuple[Path, ...] = setting(
        "WORKBENCH_LOCAL_CODE",
        "ask",
        parse_trusted,
        "Whether Python files in `tools_catalog/` of the home folder run: `ask` asks once for each folder, "
        "`off` never runs them, and absolute paths, separated by commas, name folders that are trusted "
        "unasked",
    )
    context_tokens: int = setting(
        "WORKBENCH_CONTEXT",
        "4096",
        parse_between(0, 1_048_576),
        "Context size of a local model, in tokens, up to the size that it was trained with; 0 uses that size",
    )
    threads: int = setting(
        "WORKBENCH_THREADS", "0", parse_between(0, 1024), "Threads of a local model; 0 uses one per core"
    )
    gpu_layers: int = setting(
        "WORKBENCH_GPU_LAYERS",
        "-1",
        parse_between(-1, 10_000),
        "Layers of a local model on the GPU; -1 puts all of them there if the build supports it",
    )
    flash_attention: FlashAttention = setting(
        "WORKBENCH_FLASH_ATTENTION",
        "auto",
        parse_one_of("auto", "on", "off"),
        "Flash attention of a local model: `on`, `off`, or `auto`, which uses it on a GPU that supports it",
    )
    kv_type: str = setting(
        "WORKBENCH_KV_TYPE",
        "f16",
        parse_one_of(*KV_TYPES),
        f"Type of the keys and values of a local model's context, one of {', '.join(KV_TYPES)}; "
        "quantized types need flash attention",
    )
    side_by_side: int = setting(
        "WORKBENCH_SIDE_BY_SIDE",
        "0",
        parse_between(0, 64),
        "Turns of a local model that run side by side, each with a context of `WORKBENCH_CONTEXT` tokens; 0 runs "
        "up to 8 on a GPU, and otherwise one after the other",
    )
    lora: tuple[tuple[Path, float], ...] = setting(
        "WORKBENCH_LORA",
        "",
        parse_adapters,
        "GGUF adapters to apply to a local model, `PATH` or `PATH=SCALE`, separated by commas",
    )
    """Files of adapters, each with its scale."""
    has_embedded_adapter: bool = setting(
        "WORKBENCH_EMBEDDED_ADAPTER",
        "on",
        parse_switch("on", "off"),
        "`on` applies the shipped adapter, trained for tool calls, to the embedded model unless "
        "`WORKBENCH_LORA` names adapters; `off` uses the model without it",
    )
    """Whether the shipped adapter is applied to the embedded model if `lora` is empty."""
    call_threshold: float | None = setting(
        "WORKBENCH_CALL_THRESHOLD",
        "",
        parse_fraction,
        "Probability from 0 to 1 from which a local model calls a tool if the [call threshold](generation.md)"
        " of the sampling settings is 0; 0 leaves it to sampling; by default the value in the receipt of its "
        "adapter",
    )
    """None uses the one in the receipt of the model's adapter."""
    prefix_cache_mb: int = setting(
        "WORKBENCH_PREFIX_CACHE",
        "1024",
        parse_between(0, 1_048_576),
        "Megabytes for the prefix cache of a local model, which holds evaluated prompts; 0 turns it off",
    )
    model_memory_mb: int = setting(
        "WORKBENCH_MODEL_MEMORY",
        "0",
        parse_between(0, 16_777_216),
        "Megabytes for all loaded local models together; models stay loaded while they fit, and the least "
        "recently used one makes room; 0 uses three quarters of this machine's memory",
    )
    max_rounds: int = setting(
        "WORKBENCH_MAX_ROUNDS", "8", parse_between(1, 100), "Maximum number of completions in a turn"
    )
    openai_base_url: str = setting(
        "WORKBENCH_OPENAI_BASE_URL",
        "",
        parse_text,
        "Base URL of the server for models named `openai:NAME`, such as `http://127.0.0.1:8000/v1`",
    )
    openai_api_key: Secret | None = setting(
        "WORKBENCH_OPENAI_API_KEY", "", parse_secret, "API key of that server, if it needs one"
    )
    openai_kind: str = setting(
        "WORKBENCH_OPENAI_KIND",
        "openai",
        parse_text,
        "Software of that server: openai, vllm, sglang, llama-server, ollama or lm-studio",
    )
    openai_mode: str = setting(
        "WORKBENCH_OPENAI_MODE",
        "chat",
        parse_text,
        "`chat` sends messages and tools; `raw` sends our prompt byte for byte",
    )
    remote_timeout_s: int = setting(
        "WORKBENCH_REMOTE_TIMEOUT",
        "120",
        parse_between(1, 86_400),
        "Seconds without a new piece of the completion after which an answer counts as broken off; comments "
        "and empty pieces of the stream do not count",
    )
    accounts: Mapping[str, str] = setting(
        "WORKBENCH_AUTH",
        "",
        parse_accounts,
        "Accounts that may log in, each as `name:hash`, separated by blanks or commas; `workbench auth hash` "
        "makes them",
        shows=False,
    )
    """Password hashes by account name. Empty if nobody has to log in."""
    admins: frozenset[str] = setting(
        "WORKBENCH_ADMINS", "", parse_name_set, "Names of the [admins](permissions.md), separated by commas"
    )
    """On a Space, Hugging Face user names."""
    tools_file: Path = setting(
        "WORKBENCH_TOOLS_FILE",
        "",
        parse_path,
        "YAML file of MCP servers and always allowed commands; by default `tools.yaml` in the data folder",
    )
    """It need not exist."""
    tool_timeout_s: float = setting(
        "WORKBENCH_TOOL_TIMEOUT",
        "300",
        parse_between(1, 86_400),
        "Seconds after which a tool that has not answered fails",
    )
    allows_terminal: bool = setting(
        "WORKBENCH_ALLOW_TERMINAL",
        "0",
        parse_flag,
        "1 allows `WORKBENCH_TERMINAL` to name a real terminal; a Space allows only `mock`",
    )
    terminal: str = setting(
        "WORKBENCH_TERMINAL",
        "mock",
        parse_text,
        "Where the tool `terminal` runs commands: `mock`, `local`, `local:FOLDER`, `docker:IMAGE`, "
        "`singularity:IMAGE`, `ssh:HOST`, `modal:IMAGE` or `daytona:IMAGE`; with accounts, for admins only",
    )
    judge: str = setting(
        "WORKBENCH_JUDGE",
        "",
        parse_text,
        "Model, in the form of `WORKBENCH_MODEL`, that may approve commands of a known kind before you are "
        "asked",
    )
    """Empty if the person is asked right away."""
    approval_timeout_s: float = setting(
        "WORKBENCH_APPROVAL_TIMEOUT",
        "120",
        parse_between(1, 86_400),
        "Seconds after which an unanswered question about a risky command counts as a no",
    )
    allowed_hosts: tuple[str, ...] = setting(
        "WORKBENCH_ALLOWED_HOSTS",
        "",
        parse_hosts,
        "Host names that requests to the page may use, separated by commas, such as `workbench.example.org`; "
        "`localhost`, the address in `WORKBENCH_HOST` and a Space's own host are always allowed, `*` allows "
        "any name",
    )
    trusted_proxies: tuple[Network, ...] = setting(
        "WORKBENCH_TRUSTED_PROXIES",
        "",
        parse_networks,
        "Addresses and networks (CIDR) of the proxies in front of the server, separated by commas, such as "
        "`127.0.0.1, 10.0.0.0/8`; only their `X-Forwarded-For` counts; by default nobody's, on a Space that "
        "of private networks",
    )
    max_connections: int = setting(
        "WORKBENCH_MAX_CONNECTIONS",
        "256",
        parse_between(1, 1_000_000),
        "Open connections of one address, except for trusted proxies; further ones are refused",
    )
    frame_ancestors: tuple[str, ...] = setting(
        "WORKBENCH_FRAME_ANCESTORS",
        "",
        parse_origins,
        "Origins that may show the page in a frame, separated by commas, such as "
        "`https://portal.example.org`; on a Space also `https://huggingface.co`",
    )
    may_skip_login: bool = setting(
        "WORKBENCH_NO_LOGIN",
        "0",
        parse_switch("1", "0"),
        "1 serves the page to other machines although there are no accounts, like `serve --no-login`",
    )
    login_hours: int = setting(
        "WORKBENCH_LOGIN_HOURS",
        "12",
        parse_between(1, 168),
        "Hours after which an unused login expires; every login expires after 7 days",
    )
    max_upload_mb: int = setting(
        "WORKBENCH_MAX_UPLOAD_MB",
        "100",
        parse_between(1, 100_000),
        "Largest file that can be uploaded, in megabytes; 20 on a Space",
    )
    """In megabytes of 1,000,000 bytes."""
    gateway_port: int = setting(
        "WORKBENCH_GATEWAY_PORT",
        "7861",
        parse_between(1, 65535),
        "Port that the [gateway](gateway.md) listens on; with `serve --gateway` it has the page's port",
    )
    gateway_keys: Mapping[str, str] = setting(
        "WORKBENCH_GATEWAY_KEYS",
        "",
        parse_keys,
        "API keys of the gateway, each as `name:hash`, separated by blanks or commas; `workbench auth key` "
        "makes them; without keys only this machine can use the gateway",
        shows=False,
    )
    """Hashes of the API keys by their names. Empty if the gateway needs no key."""
    gateway_requests: int = setting(
        "WORKBENCH_GATEWAY_REQUESTS",
        "128",
        parse_between(1, 10_000),
        "Requests to the gateway that run or wait at the same time; more get status 429",
    )
    gateway_body_mb: int = setting(
        "WORKBENCH_GATEWAY_BODY_MB",
        "20",
        parse_between(1, 10_000),
        "Largest body of a request to the gateway, in megabytes",
    )
    """In megabytes of 1,000,000 bytes."""
    gateway_prompt_chars: int = setting(
        "WORKBENCH_GATEWAY_PROMPT_CHARS",
        "2000000",
        parse_between(1, 1_000_000_000),
        "Longest prompt of a request to the gateway, in characters: all messages and tools together",
    )
    gateway_retries: int = setting(
        "WORKBENCH_GATEWAY_RETRIES",
        "0",
        parse_between(0, 10),
        "How often the gateway asks a server again after a temporary failure, in addition to the client",
    )
    gateway_level: str = setting(
        "WORKBENCH_GATEWAY_LEVEL",
        "tolerant",
        parse_one_of(*GATEWAY_LEVELS),
        "How much the gateway's reader may repair: `strict`, `tolerant` or `lenient`",
    )
    gateway_calls: str = setting(
        "WORKBENCH_GATEWAY_CALLS",
        "offered",
        parse_one_of(*GATEWAY_CALLS),
        "When the gateway takes calls out of the text: `offered` (if the request offers tools), `always` or "
        "`never`",
    )
    max_open_pages: int = setting(
        "WORKBENCH_MAX_OPEN_PAGES",
        "500",
        parse_between(10, 100_000),
        "Browser tabs and API calls whose state is kept in memory at the same time",
    )
    runs_local_code: bool
    """False if the Python files in `tools_catalog/` of the home never run."""
    trust_file: Path
    """File with the folders that the user trusts. It is never in the current folder."""
    environment: Variables = field(repr=False, compare=False)
    """All environment variables of the process, for tools that require some."""
    is_on_space: bool
    """True on a Hugging Face Space: anybody may visit, each visitor has their own data, and all tools are mocks."""
    has_hugging_face_login: bool
    """True on a Space where visitors can sign in with Hugging Face."""


DECLARED: Final[Mapping[str, Variable]] = {
    declared.name: declared.metadata[VARIABLE] for declared in fields(Settings) if declared.metadata
}
"""The variables by the names of their fields."""
VARIABLES: Final = tuple(DECLARED.values())
"""All variables, in the order of the documentation."""
