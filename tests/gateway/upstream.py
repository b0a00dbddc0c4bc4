"""A gateway in front of a model server, and the pieces of the server's answers."""

from tests.engines.remote.scripted_server import DONE, delta, stream, usage
from tests.gateway.serving import ANSWER, gateway_over
from workbench.gateway.targets import UpstreamModels


def opened(name, index=0, arguments=""):
    return delta(tool_calls=[{"index": index, "id": f"chatcmpl-tool-{index}", "type": "function",
                              "function": {"name": name, "arguments": arguments}}])  # fmt: skip


def more(arguments, index=0):
    return delta(tool_calls=[{"index": index, "function": {"arguments": arguments}}])


def text(content, size=5):
    return [delta(content=content[start : start + size]) for start in range(0, len(content), size)]


def answered(*pieces, finish="stop"):
    return stream(delta(role="assistant", content=""), *pieces, delta(finish), usage(10, 5, 4), DONE)


def in_front_of(folder, server, **variables):
    variables = {"WORKBENCH_OPENAI_BASE_URL": server.url, **variables}
    return gateway_over(folder, ANSWER, variables=variables, upstream=UpstreamModels(lambda: ["hermes"]))
