"""serve, mcp, worker: processes that run until a signal ends them."""

from __future__ import annotations

import asyncio
import signal
import socket
from contextlib import nullcontext, suppress
from importlib import import_module
from typing import Annotated

import typer
import uvicorn
from uvicorn.importer import import_from_string

import engine
from engine.errors import SettingsError
from engine.shell import interruption
from engine.shell.options import Handle
from engine.shell.session import Commands, Session
from engine.telemetry.process import observed

APP, SERVER, CHECK = "api.app:create_app", "api.serving:server", "api.peer:check_settings"
MCP = "api.mcp.stdio:serve"
"""Named, not imported: the shell is a layer below the REST API."""

commands = Commands()


@commands.async_command("serve")
async def serve(
    here: Session,
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")] = None,
) -> None:
    """Serve REST until Ctrl-C, and run background jobs; the graph page is at /, OpenAPI at /docs."""
    changes = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    settings = here.with_settings(**changes).settings
    import_from_string(CHECK)(settings)  # before anything is started
    # uvicorn ends at a signal and then raises it again; handled here, it cannot end the process before
    # the stores are closed.
    interrupted = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, lambda: None)
    loop.add_signal_handler(signal.SIGINT, interrupted.set)
    with _listening(settings.host, settings.port) as listener, observed(settings), here.progress() as progress:
        opening = engine.Opening(settings, progress, lambda words: here.notes.print(words, soft_wrap=True))
        app = import_from_string(APP)(settings, opening=opening)
        server: uvicorn.Server = import_from_string(SERVER)(settings, app)
        opened = asyncio.create_task(opening.run())
        opened.add_done_callback(lambda _: setattr(server, "should_exit", True))
        said = asyncio.create_task(_say_when_ready(here, opening, listener))
        try:
            await server.serve(sockets=[listener])
        finally:
            said.cancel()
            opened.cancel()
            with suppress(asyncio.CancelledError):
                await opened
    if interrupted.is_set():
        raise typer.Exit(interruption.INTERRUPTED)


async def _say_when_ready(here: Session, opening: engine.Opening, listener: socket.socket) -> None:
    await opening.ready.wait()
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    here.line(
        f"REST at http://{shown}:{port}, the graph at http://{shown}:{port}/, the reference at http://{shown}:{port}/docs"
    )


def _listening(host: str, port: int) -> socket.socket:
    """A bound socket; raises SettingsError, before anything is started, if the port is in use."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SettingsError(f"Cannot listen on {host} port {port}: {reason}.") from error


@commands.async_command("mcp")
async def mcp(here: Session, user: Handle = None) -> None:
    """Serve memory tools to an assistant (MCP) over stdin and stdout, acting as one user; ends with stdin."""
    with observed(here.settings):
        await import_from_string(MCP)(lambda: here.memory(user, warming=True))


@commands.async_command("worker")
async def worker(
    here: Session,
    metrics_port: Annotated[
        int | None,
        typer.Option(
            "--metrics-port", min=0, max=65535, help="Serve metrics on this port of 127.0.0.1; 0: a free one."
        ),
    ] = None,
) -> None:
    """Run background jobs until SIGTERM or Ctrl-C."""
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    # loaded when it is needed: most commands count nothing
    serving = import_module("engine.telemetry.metrics").served if metrics_port is not None else nullcontext
    with serving(metrics_port) as address, observed(here.settings):
        async with here.engine() as (opened, _), opened.working():
            here.out.print("Working; `neurigraph job list` shows at what.")
            if address:
                here.line(f"Metrics at {address}")
            await ended.wait()
    here.out.print("Ended.")
