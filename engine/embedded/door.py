"""The supervisor's door: one JSON object a line over a loopback connection, opened by the token of the state file.

The connection of an attached process is its lease: the system closes it when the process ends, however it ends.

    caller      {"token": …, "ask": "attach" | "keep" | "stop" | "status", "browser": bool, "restart": bool, "holder": its name}
    supervisor  {"progress": [method, arguments]}  any number of times, then one of
                {"stack": {…}} · {"status": {…}} · {"stopped": true} · {"refused": sentence}
                · {"stopped": true} later on a lease: the servers are to stay down
                · {"error": class, "detail": sentence, "final": whether the supervisor ends too}
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

Message = dict[str, Any]
LONGEST_LINE = 1 << 20
LOCK_HELD = 3
"""Exit code of a supervisor whose home already has one."""


async def send(writer: asyncio.StreamWriter, message: Message) -> None:
    """Send one message. Raises ConnectionError when the other side has closed."""
    writer.write(json.dumps(message).encode() + b"\n")
    await writer.drain()


async def receive(reader: asyncio.StreamReader) -> Message | None:
    """The next message; None when the other side has closed or the message is invalid."""
    try:
        line = await reader.readline()
        content = json.loads(line) if line else None
    except (ValueError, ConnectionError):
        return None
    return content if isinstance(content, dict) else None


async def messages(reader: asyncio.StreamReader) -> AsyncIterator[Message]:
    """All messages until the other side closes."""
    while (message := await receive(reader)) is not None:
        yield message
