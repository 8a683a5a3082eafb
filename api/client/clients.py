"""The two clients: the operations of the REST API, sent by threads or in asyncio."""

from __future__ import annotations

from api.client.bulk import AsyncBulk, Bulk
from api.client.operations import Operations
from api.client.sending import AsyncSender, Sender


class Client(Operations, Bulk, Sender):
    """The REST API for threads: each method waits for its answer."""


class AsyncClient(Operations, AsyncBulk, AsyncSender):
    """The REST API for asyncio: each method is awaited."""
