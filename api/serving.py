"""The web server of `neurigraph serve`: uvicorn, with a timeout for request headers and a limit of connections.

uvicorn has no timeout for the headers of a request, and trusts `X-Forwarded-For` from this machine; the API reads that
header itself (`api.peer`).
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.config import LOGGING_CONFIG
from uvicorn.protocols.http.h11_impl import H11Protocol

from api.peer import Peers, is_loopback
from api.problems import http_kind, problem
from engine.settings import Settings

SHARE_OF_ONE = 4
"""The share of all connections that one address may have; this machine and trusted proxies are exempt."""


def server(settings: Settings, app: ASGIApp) -> uvicorn.Server:
    """A server for the application, not started."""
    return uvicorn.Server(_Config(settings, app))


class _Config(uvicorn.Config):
    def __init__(self, settings: Settings, app: ASGIApp) -> None:
        super().__init__(
            app,
            http=_Connection,
            proxy_headers=False,
            server_header=False,
            access_log=False,
            log_level="info",
            log_config=None if settings.log_format == "json" else LOGGING_CONFIG,
            timeout_keep_alive=max(1, round(settings.keep_alive_s)),
        )
        self.settings, self.peers = settings, Peers(settings.trusted_proxies)


class _Connection(H11Protocol):
    """A connection with a timeout for the headers of a request, and one for the time between two requests.

    Bytes that arrive slowly do not extend the timeout; it does not run while a request is under way.
    """

    def __init__(self, config: uvicorn.Config, *others: Any, **named: Any) -> None:
        super().__init__(config, *others, **named)
        assert isinstance(config, _Config)
        self._settings, self._peers = config.settings, config.peers
        self._deadline: asyncio.TimerHandle | None = None
        self._between = False
        """Whether a request was answered and no byte of the next one has come."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Closes another connection if there are too many, or this one if its address has too many."""
        super().connection_made(transport)
        # asyncio sets it only where the listening socket names its protocol; without it a body waits 40 ms behind its head.
        if (connected := transport.get_extra_info("socket")).family in (socket.AF_INET, socket.AF_INET6):
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._await_request(self._settings.headers_timeout_s)
        host = self.client[0] if self.client else ""
        others = [one for one in self.connections if isinstance(one, _Connection)]
        of_same = sum(one.client is not None and one.client[0] == host for one in others)
        if not self._speaks_for_many(host) and of_same > self._settings.max_connections // SHARE_OF_ONE:
            self._end()
        elif len(others) > self._settings.max_connections:
            waiting = [one for one in others if one._deadline is not None]
            min(waiting, key=lambda one: one._deadline.when() if one._deadline else 0.0)._end()

    def connection_lost(self, exc: Exception | None) -> None:
        self._request_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receives data; the start of a request stops the timeout."""
        before = self.cycle
        if self._between:
            self._await_request(self._settings.headers_timeout_s)
        super().data_received(data)
        if self.cycle is not before:
            self._request_came()

    def on_response_complete(self) -> None:
        """Starts the timeout for the next request, unless it has already arrived."""
        before = self.cycle
        super().on_response_complete()
        if self.cycle is before:
            # What has come already is half of the next request, or the rest of a body that nobody reads.
            idle = self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]
            self._await_request(self._settings.keep_alive_s if idle else self._settings.headers_timeout_s)
            self._between = idle

    def _await_request(self, seconds: float) -> None:
        self._request_came()
        self._deadline = self.loop.call_later(seconds, self._too_late)

    def _request_came(self) -> None:
        self._between = False
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_late(self) -> None:
        """Sends 408 for incomplete headers and closes; closes an idle connection without an answer."""
        if self.conn.our_state is h11.IDLE and self.conn.trailing_data[0] and not self.transport.is_closing():
            answer = problem(http_kind(408), "", "The headers of the request did not arrive in time.")
            headers = [*answer.raw_headers, (b"connection", b"close")]
            self.transport.write(self.conn.send(h11.Response(status_code=408, headers=headers)) or b"")
            self.transport.write(self.conn.send(h11.Data(data=bytes(answer.body))) or b"")
            self.transport.write(self.conn.send(h11.EndOfMessage()) or b"")
        self._end()

    def _end(self) -> None:
        self._request_came()
        self.transport.close()

    def _speaks_for_many(self, host: str) -> bool:
        return is_loopback(host) or self._peers.trusts(host)
