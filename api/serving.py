"""The web server of `neurigraph serve`: uvicorn, with an end for requests that never arrive and a limit of connections.

uvicorn itself waits without limit for the headers of a request, and believes `X-Forwarded-For` from this machine; the
door reads that header itself (`api.peer`).
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from api.peer import Peers, is_loopback
from api.problems import http_kind, problem
from engine.settings import Settings

SHARE_OF_ONE = 4
"""One address has at most this part of all connections; this machine and trusted proxies speak for many."""


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
            timeout_keep_alive=max(1, round(settings.keep_alive_s)),
        )
        self.settings, self.peers = settings, Peers(settings.trusted_proxies)


class _Connection(H11Protocol):
    """A connection that is closed when it has waited too long for the headers of a request, idle or half-sent.

    Bytes that drip in do not prolong it; while a request is under way it does not run.
    """

    def __init__(self, config: uvicorn.Config, *others: Any, **named: Any) -> None:
        super().__init__(config, *others, **named)
        assert isinstance(config, _Config)
        self._settings, self._peers = config.settings, config.peers
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Makes room for the connection where there are too many; closes it where its address has too many."""
        super().connection_made(transport)
        self._await_request()
        host = self.client[0] if self.client else ""
        others = [one for one in self.connections if isinstance(one, _Connection)]
        of_same = sum(one.client is not None and one.client[0] == host for one in others)
        if not self._speaks_for_many(host) and of_same > self._settings.max_connections // SHARE_OF_ONE:
            self._end()
        elif len(others) > self._settings.max_connections:
            waiting = [one for one in others if one._deadline is not None]
            min(waiting, key=lambda one: one._deadline.when() if one._deadline else 0.0)._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._request_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Takes in what came; a request that begins ends the waiting."""
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._request_came()

    def on_response_complete(self) -> None:
        """Waits for the next request, which may have come already."""
        before = self.cycle
        super().on_response_complete()
        if self.cycle is before:
            self._await_request()

    def _await_request(self) -> None:
        self._request_came()
        self._deadline = self.loop.call_later(self._settings.headers_timeout_s, self._too_late)

    def _request_came(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_late(self) -> None:
        """408 for headers that came half; what sent nothing is closed without a word."""
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
