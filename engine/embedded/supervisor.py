"""The one process that runs both servers of a home: `python -m engine.embedded.supervisor HOME CACHE`.

It starts the servers, listens for callers, restarts crashed servers, and ends when there is no lease any more. The
lock file of the home prevents a second one. Callers use `engine.embedded`, not this module.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import secrets
import shutil
import signal
import sys
import time
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from pathlib import Path

from engine.embedded.care import ROOM_LOOK, Care
from engine.embedded.door import LOCK_HELD, LONGEST_LINE, Message, Relay, receive, send
from engine.embedded.downloads import BROWSER, NEO4J, read_lock
from engine.embedded.java import find_java
from engine.embedded.layout import Cache, FileLock, Home
from engine.embedded.neo4j_server import USER, Neo4jServer
from engine.embedded.postgres_server import PostgresServer, find_postgres
from engine.embedded.processes import account_for, end_strays, identity_of
from engine.embedded.reach import Running, Stack, State
from engine.embedded.readiness import LOOPBACK, choose_ports
from engine.errors import StackError

GRACE = 5.0
"""Seconds without any lease before the stack ends."""
FIRST_GRACE = 30.0
"""Seconds that the starting process has to take its lease."""
SERVERS_LOOK = 15.0
"""Seconds between two checks whether the servers still work."""
NEEDED_AT_FIRST, NEEDED_LATER = 256 * 2**20, 32 * 2**20
"""Bytes that must be free on the disk of the home."""


class Supervisor:
    """Both servers, their door and the leases on them."""

    def __init__(self, home: Home, cache: Cache) -> None:
        self._home, self._cache = home, cache
        self._relay = Relay()
        self._cares: list[Care] = []
        self._state: State | None = None
        self._neo4j: Neo4jServer | None = None
        self._browser_url: str | None = None
        self._stack: asyncio.Future[Stack] = asyncio.get_running_loop().create_future()
        self._holders: dict[asyncio.StreamWriter, str] = {}
        self._kept = False
        self._grace = FIRST_GRACE
        self._end = asyncio.Event()
        self._ended = asyncio.Event()
        self._browser_turn = asyncio.Lock()

    async def run(self) -> None:
        """Run from the start to the end of the stack."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end.set)
        door = await asyncio.start_server(self._serve, LOOPBACK, 0, limit=LONGEST_LINE)
        self._publish(door.sockets[0].getsockname()[1])
        work = asyncio.gather(self._supervise(), self._count_leases())
        ending = asyncio.create_task(self._end.wait())
        try:
            await asyncio.wait((work, ending), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._home.state.unlink(missing_ok=True)
            work.cancel()
            ending.cancel()
            try:
                with contextlib.suppress(asyncio.CancelledError, StackError):
                    await work
            finally:
                await asyncio.gather(*(care.end() for care in self._cares))
                self._ended.set()
                door.close()
                await asyncio.sleep(0.1)

    async def _supervise(self) -> None:
        try:
            self._stack.set_result(await self._bring_up())
            await asyncio.gather(self._heal(), *(care.watch() for care in self._cares))
        except StackError as error:
            print(error, file=sys.stderr)
            if self._stack.done():
                raise
            self._home.state.unlink(missing_ok=True)
            self._stack.set_exception(error)
            self._stack.exception()  # else asyncio logs it again as never retrieved, where no caller has come yet
            # Waiting callers get the error before the connections close.
            await asyncio.sleep(0.2)
            raise

    async def _bring_up(self) -> Stack:
        home = self._home
        self._check_room()
        await end_strays((home.neo4j, home.postgres / "data"), 30)
        ports, passwords = choose_ports(home), home.secrets()
        java = find_java(self._cache, read_lock(NEO4J).paths(self._cache.jars))
        self._neo4j = Neo4jServer(java, home.neo4j, home.log("neo4j"), ports.bolt, None, passwords.neo4j)
        account = account_for(home.postgres / "data")
        files = await asyncio.to_thread(find_postgres, account)
        postgres = PostgresServer(files, account, home.postgres, home.log("postgres"), ports.postgres, passwords)
        self._cares = [
            Care("neo4j", self._neo4j, ports.bolt, self._changed, self._room),
            Care("postgres", postgres, ports.postgres, self._changed, self._room),
        ]
        await _together(*(care.bring_up(self._relay) for care in self._cares))
        return Stack(
            neo4j_url=self._neo4j.url,
            neo4j_user=USER,
            neo4j_password=passwords.neo4j,
            postgres_url=postgres.owner_url,
            postgres_admin_url=postgres.admin_url,
            home=home.folder,
        )

    def _check_room(self) -> None:
        needed = NEEDED_LATER if (self._home.postgres / "prepared").exists() else NEEDED_AT_FIRST
        free = shutil.disk_usage(self._home.folder).free
        if free < needed:
            room = f"{free // 2**20} MB are free, {needed // 2**20} are needed"
            raise StackError(f"There is no room left for {self._home.folder}: {room}.")

    def _room(self) -> bool:
        return shutil.disk_usage(self._home.folder).free >= NEEDED_LATER

    async def _heal(self) -> None:
        """Restart a server that runs but does not work any more, above all after a full disk: when there is space again, and
        every 15 s, since a disk may be full between two checks, and a server may be too slow to answer one of them."""
        short, asked = False, time.monotonic()
        while True:
            await asyncio.sleep(ROOM_LOOK)
            room = self._room()
            if room and (short or time.monotonic() - asked >= SERVERS_LOOK):
                await asyncio.gather(*(care.heal() for care in self._cares))
                asked = time.monotonic()
            short = not room

    def _publish(self, port: int) -> None:
        identity = identity_of(os.getpid())
        if identity is None:
            raise StackError("The supervisor cannot read its own start time.")
        self._state = State(Running("supervisor", identity, port), secrets.token_urlsafe(24))
        self._state.save(self._home)

    def _changed(self) -> None:
        if self._state and not self._end.is_set():
            servers = tuple(care.running for care in self._cares if care.running)
            self._state = replace(self._state, servers=servers)
            self._state.save(self._home)

    async def _count_leases(self) -> None:
        """End the stack when it had no lease for the grace time."""
        idle_since = time.monotonic()
        while True:
            await asyncio.sleep(0.25)
            if self._holders or self._kept:
                idle_since = time.monotonic()
                self._grace = GRACE
            elif time.monotonic() - idle_since > self._grace:
                self._end.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(10):
                message = await receive(reader)
            if message and self._state and secrets.compare_digest(str(message.get("token")), self._state.token):
                await self._answer(message, reader, writer)
        except (ConnectionError, TimeoutError):
            pass
        finally:
            writer.close()

    async def _answer(self, message: Message, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        match message.get("ask"):
            case "status":
                status = {"holders": list(self._holders.values()), "kept": self._kept, "browser_url": self._browser_url}
                await send(writer, {"status": status})
            case "stop":
                self._end.set()
                for holder in list(self._holders):
                    with contextlib.suppress(ConnectionError):
                        await send(holder, {"stopped": True})
                await self._ended.wait()
                await send(writer, {"stopped": True})
            case "attach" | "keep" if self._end.is_set():
                await send(writer, {"refused": "The stack is ending."})
            case "attach" | "keep":
                self._holders[writer] = str(message.get("holder", "a process"))
                try:
                    await self._lease(message, writer)
                    await reader.read()
                finally:
                    self._holders.pop(writer)

    async def _lease(self, message: Message, writer: asyncio.StreamWriter) -> None:
        relaying = asyncio.create_task(self._relay.listen(writer))
        try:
            stack = await asyncio.shield(self._stack)
            if message.get("browser"):
                others = [name for holder, name in self._holders.items() if holder is not writer]
                stack = await self._with_browser(() if message.get("restart") else others)
        except StackError as error:
            final = self._stack.exception() is not None
            await send(writer, {"error": type(error).__name__, "detail": str(error), "final": final})
            return
        finally:
            relaying.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                await relaying
        if message["ask"] == "keep":
            self._kept = True
        await send(writer, {"stack": stack.as_json()})

    async def _with_browser(self, users: Sequence[str]) -> Stack:
        """Start Neo4j again with Neo4j Browser, on the same port, unless it has it already; not under `users`."""
        async with self._browser_turn:
            stack = self._stack.result()
            if self._browser_url is None and self._neo4j is not None:
                if users:
                    raise StackError(
                        f"Neo4j Browser needs a restart of Neo4j, which is in use by {', '.join(users)}: "
                        "end that first, or use --restart."
                    )
                jars, browser = (read_lock(lock).paths(self._cache.jars) for lock in (NEO4J, BROWSER))
                port = choose_ports(self._home, keep=("bolt", "postgres")).http
                self._neo4j = replace(self._neo4j, java=find_java(self._cache, jars, browser), http=port)
                await self._cares[0].replace(self._neo4j)
                self._browser_url = f"http://{LOOPBACK}:{port}/browser/"
            return replace(stack, browser_url=self._browser_url)


async def _together(*work: Coroutine[None, None, None]) -> None:
    """All at once; the first failure ends the others and is what the caller sees."""
    try:
        async with asyncio.TaskGroup() as group:
            for part in work:
                group.create_task(part)
    except* StackError as failures:
        raise failures.exceptions[0] from None


def detach() -> None:
    """Continue as a process of its own, in the background; the caller's process ends here."""
    if os.fork():
        os._exit(0)
    os.setsid()


def main() -> int:
    """Become the supervisor of a home; the process that was started returns as soon as that is decided."""
    parser = argparse.ArgumentParser(description="Supervises the embedded servers of one home.")
    parser.add_argument("home", type=Path)
    parser.add_argument("cache", type=Path)
    arguments = parser.parse_args()
    home = Home(arguments.home)
    home.create()
    lock = FileLock(home.lock)
    if not lock.take():
        return LOCK_HELD
    detach()
    with home.log("supervisor").open("ab") as log:
        for stream in (1, 2):
            os.dup2(log.fileno(), stream)
    # The end of the process releases the lock: by then nothing of this supervisor is left.
    asyncio.run(_supervise(home, Cache(arguments.cache)))
    return 0


async def _supervise(home: Home, cache: Cache) -> None:
    await Supervisor(home, cache).run()


if __name__ == "__main__":
    sys.exit(main())
