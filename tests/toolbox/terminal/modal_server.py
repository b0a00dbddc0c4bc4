"""The part of Modal's gRPC protocol that the terminal uses, on the loopback interface, for the real package `modal`.

The messages and services are those of `modal_proto`, which is installed with `modal`. Calls that are not implemented
here fail, as they would at an old server.
"""

import asyncio
import threading
from base64 import urlsafe_b64encode
from itertools import count
from pathlib import Path

from grpclib import GRPCError, Status
from grpclib.server import Server
from modal_proto import api_pb2 as api
from modal_proto import task_command_router_pb2 as router
from modal_proto.api_grpc import ModalClientBase
from modal_proto.task_command_router_grpc import TaskCommandRouterBase

from tests.toolbox.terminal.cloud_machine import CloudMachine

TOKEN = "e30." + urlsafe_b64encode(b'{"exp": 9999999999}').decode().rstrip("=") + ".e30"
"""A token that does not expire, as the package reads when it does."""
STDERR = router.TASK_EXEC_STDIO_FILE_DESCRIPTOR_STDERR


def service(base, handlers):
    """Return an instance of an abstract service with these handlers, each a coroutine of a request."""

    def method(name):
        async def call(self, stream):
            request = await stream.recv_message()
            if name not in handlers:
                raise GRPCError(Status.UNIMPLEMENTED, f"{name} is not part of this test")
            if name == "TaskExecStdioRead" or name == "ImageJoinStreaming":
                async for message in handlers[name](request):
                    await stream.send_message(message)
            else:
                await stream.send_message(await handlers[name](request))

        return call

    return type(base.__name__, (base,), {name: method(name) for name in base.__abstractmethods__})()


class ModalServer:
    """Sandboxes that are machines of this test. `url` is where they are reached."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._numbers = count(1)
        self.machines = {}
        """By id of the sandbox, which is also the id of its task."""
        self.networks = set()
        """Kinds of network that the sandboxes were given."""
        self._processes = {}
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._ready.wait(10)

    def close(self):
        for machine in self.machines.values():
            machine.end()
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _serve(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._run())
        self._loop.close()

    async def _run(self):
        self._stop = asyncio.Event()
        handlers = {name: getattr(self, name) for name in dir(type(self)) if name[0].isupper()}
        server = Server([service(ModalClientBase, handlers), service(TaskCommandRouterBase, handlers)])
        await server.start("127.0.0.1", 0)
        port = server._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._ready.set()
        await self._stop.wait()
        server.close()
        await server.wait_closed()
        # The SDK keeps its connections open. They end in the next rounds of the loop.
        for transport in list(self._loop._transports.values()):
            transport.abort()
        await asyncio.sleep(0.1)

    async def ClientHello(self, request):
        return api.ClientHelloResponse(image_builder_version="2025.06")

    async def AuthTokenGet(self, request):
        return api.AuthTokenGetResponse(token=TOKEN)

    async def EnvironmentGetOrCreate(self, request):
        return api.EnvironmentGetOrCreateResponse(
            environment_id="en-1",
            metadata=api.EnvironmentMetadata(
                name="main", settings=api.EnvironmentSettings(image_builder_version="2025.06")
            ),
        )

    async def AppGetOrCreate(self, request):
        return api.AppGetOrCreateResponse(app_id="ap-1")

    async def ImageGetOrCreate(self, request):
        success = api.GenericResult(status=api.GenericResult.GENERIC_STATUS_SUCCESS)
        return api.ImageGetOrCreateResponse(image_id="im-1", result=success)

    async def ImageJoinStreaming(self, request):
        success = api.GenericResult(status=api.GenericResult.GENERIC_STATUS_SUCCESS)
        yield api.ImageJoinStreamingResponse(result=success, eof=True)

    async def SandboxCreateV2(self, request):
        if any(machine.name == request.definition.name for machine in self._running()):
            raise GRPCError(Status.ALREADY_EXISTS, "a sandbox of this name runs")
        sandbox_id = f"sb-{next(self._numbers)}"
        self.machines[sandbox_id] = CloudMachine(request.definition.name, self._folder / sandbox_id)
        kind = request.definition.network_access.network_access_type
        self.networks.add(api.NetworkAccess.NetworkAccessType.Name(kind))
        return api.SandboxCreateV2Response(sandbox_id=sandbox_id, task_id=sandbox_id)

    async def SandboxGetFromNameV2(self, request):
        for sandbox_id, machine in self.machines.items():
            if machine.is_running and machine.name == request.sandbox_name:
                return api.SandboxGetFromNameResponse(sandbox_id=sandbox_id)
        raise GRPCError(Status.NOT_FOUND, "no such sandbox")

    async def SandboxGetFromName(self, request):
        raise GRPCError(Status.NOT_FOUND, "there are no sandboxes of the first version")

    async def SandboxGetCommandRouterAccess(self, request):
        return api.SandboxGetCommandRouterAccessResponse(url=self.url, jwt=TOKEN)

    async def SandboxGetTaskIdV2(self, request):
        return api.SandboxGetTaskIdResponse(task_id=request.sandbox_id)

    async def SandboxWaitV2(self, request):
        if self.machines[request.sandbox_id].is_running:
            return api.SandboxWaitResponse()
        return api.SandboxWaitResponse(
            result=api.GenericResult(status=api.GenericResult.GENERIC_STATUS_TERMINATED, exitcode=137)
        )

    async def SandboxTerminateV2(self, request):
        self.machines[request.sandbox_id].end()
        return api.SandboxTerminateResponse()

    async def TaskExecStart(self, request):
        machine = self.machines[request.task_id]
        if not machine.is_running:
            raise GRPCError(Status.NOT_FOUND, "the sandbox has ended")
        shell, option, text = request.command_args
        assert (shell, option) == ("sh", "-c")
        has_terminal = request.HasField("pty_info")
        self._processes[request.exec_id] = machine.start(
            text, has_terminal=has_terminal, has_input=not has_terminal
        )
        return router.TaskExecStartResponse()

    async def TaskExecStdioRead(self, request):
        process = self._processes[request.exec_id]
        output = process.output["stderr" if request.file_descriptor == STDERR else "stdout"]
        place = request.offset
        while True:
            has_ended = process.exit_code is not None
            if data := bytes(output[place:]):
                place += len(data)
                yield router.TaskExecStdioReadResponse(data=data)
            elif has_ended:
                return
            else:
                await asyncio.sleep(0.02)

    async def TaskExecStdinWrite(self, request):
        stdin = self._processes[request.exec_id].process.stdin
        try:
            await self._loop.run_in_executor(None, stdin.write, request.data)
            await self._loop.run_in_executor(None, stdin.close if request.eof else stdin.flush)
        except OSError:
            raise GRPCError(Status.FAILED_PRECONDITION, "the process does not read") from None
        return router.TaskExecStdinWriteResponse()

    async def TaskExecWait(self, request):
        process = self._processes[request.exec_id]
        while process.exit_code is None:
            await asyncio.sleep(0.02)
        return router.TaskExecWaitResponse(code=process.exit_code)

    def _running(self):
        return [machine for machine in self.machines.values() if machine.is_running]
