"""Calls of the object store, killed at every place: `python object_victim.py HOT_URL COLD_URL OPERATION`.

A child does the operation and kills itself before its n-th touch of the world (a file's name, a send to the network, a
block of the content asked for), for n = 1, 2, … until it lives. Prints for each n what readers then find, as JSON.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote, urlsplit

from engine.errors import NotFound
from engine.stores import tier
from engine.stores.objects import ObjectStore, object_store

OLD = b"old" * 1000
TOUCHES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "http.client.send", "victim.read"}


class Content(io.BytesIO):
    """Bytes whose every reading is a place to die."""

    def read(self, size: int | None = -1) -> bytes:
        sys.audit("victim.read")
        return super().read(size)


def new(size: int) -> bytes:
    return b"new!" * (size // 4)


OPERATIONS: dict[str, tuple[bool, int, Callable[[ObjectStore, str, bytes], Awaitable[None]]]] = {
    "put": (False, 3000, lambda store, key, content: store.put(key, Content(content))),
    "put large": (False, 20 << 20, lambda store, key, content: store.put(key, Content(content))),
    "put cold": (False, 3000, lambda store, key, content: store.put(key, Content(content), cold=True)),
    "put hot": (True, 3000, lambda store, key, content: store.put(key, Content(content))),
    "move to cold": (False, 0, lambda store, key, _: store.move(key, cold=True)),
    "set aside": (False, 0, lambda store, key, _: store.rename(key, f"aside/{key}")),
    "set aside cold": (True, 0, lambda store, key, _: store.rename(key, f"aside/{key}")),
    "move to hot": (True, 0, lambda store, key, _: store.move(key, cold=False)),
    "delete": (False, 0, lambda store, key, _: store.delete(key)),
    "delete cold": (True, 0, lambda store, key, _: store.delete(key)),
}
"""Where the old object lies (cold or not), the size of the new one, what is done."""


def die_at(number: int, places: list[str]) -> None:
    """Kills this process at its n-th touch of a store."""
    left = number

    def touched(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        ours = event in TOUCHES or (event == "open" and any(str(arguments[0]).startswith(place) for place in places))
        if ours:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(touched)


async def prepare(store: ObjectStore, key: str, cold: bool) -> None:
    await store.check()
    await store.put(key, io.BytesIO(OLD), cold=cold)


async def look(store: ObjectStore, key: str, fresh: bytes) -> dict[str, object]:
    """What a reader finds, and whether finding and listing agree with it. Removes it."""
    aside = f"aside/{key}"
    listed = [entry.key async for entry in store.listing("")]
    if aside in listed and key in listed:  # whole under both keys; the next attempt takes one of them away
        await store.delete(aside)
    elif aside in listed:
        read = b"".join([block async for block in store.read(aside)])
        await store.delete(aside)
        return {"state": "aside" if read == OLD else "damaged", "agree": True}
    known = {hashlib.sha256(OLD).digest(): "old", hashlib.sha256(fresh).digest(): "new"}
    listed = [(entry.key, entry.size) async for entry in store.listing("")]
    try:
        read = b"".join([block async for block in store.read(key)])
    except NotFound:
        return {"state": "gone", "agree": listed == []}
    state = known.get(hashlib.sha256(read).digest(), f"{len(read)} other bytes")
    agree = listed == [(key, len(read))] and (await store.find(key)).size == len(read)
    await store.delete(key)
    return {"state": state, "agree": agree}


def main(hot: str, cold: str, operation: str) -> None:
    begins_cold, size, call = OPERATIONS[operation]
    fresh = new(size)
    places = [unquote(urlsplit(url).path) for url in (hot, cold) if url.startswith("file:")]

    def store() -> ObjectStore:
        return object_store(hot, timeout=5, cold_url=cold)

    killed, number = True, 0
    while killed:
        number += 1
        key = f"{number}/x"  # a new one, so that each child does the same
        asyncio.run(prepare(store(), key, begins_cold))
        child = os.fork()
        if child == 0:
            tier.THREADS = ThreadPoolExecutor(2)  # those of the parent are not in a forked child
            die_at(number, places)
            asyncio.run(call(store(), key, fresh))
            os._exit(0)
        killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
        print(json.dumps({"number": number, "killed": killed} | asyncio.run(look(store(), key, fresh))), flush=True)
    ever = datetime.now(UTC) + timedelta(hours=1)
    print(json.dumps([asyncio.run(store().discard_unfinished(ever)) for _ in range(2)]))


if __name__ == "__main__":
    main(*sys.argv[1:])
