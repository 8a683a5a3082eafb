"""A service of language models on this machine, over real HTTP: chat completions as OpenAI speaks them, messages as
Anthropic does. It misbehaves on demand, one entry of `script` a request; without one it answers what `reply` gives.

    with model_server() as server:
        server.reply = lambda asked: {"summary": "…"}
        server.script = [Misbehaviour(429, retry_after="1"), HANG]
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic
from typing import Any


@dataclass(frozen=True)
class Asked:
    """One request: what the model was told, the text, the form that was asked for, and when it came."""

    path: str
    model: str
    system: str
    text: str
    constrained: bool
    at: float = field(default_factory=monotonic)
    traceparent: str = ""

    @property
    def places(self) -> bool:
        """Whether it asks where content goes."""
        return self.system.startswith("You file")

    @property
    def judges(self) -> bool:
        """Whether it asks what facts do to others."""
        return self.system.startswith("Each entry holds two statements")

    @property
    def names(self) -> bool:
        """Whether it asks whom names mean."""
        return self.system.startswith("Each entry holds a name")


@dataclass(frozen=True)
class Misbehaviour:
    """An answer that is not what was asked for."""

    status: int = 200
    body: bytes | None = None
    content: str | None = None
    retry_after: str | None = None
    hangs: bool = False
    cut: bool = False
    at_limit: bool = False


HANG = Misbehaviour(hangs=True)
CUT = Misbehaviour(cut=True)
BUSY = Misbehaviour(429)
BROKEN = Misbehaviour(500)
REFUSED = Misbehaviour(400)
ERROR_INSIDE = Misbehaviour(body=b'{"error": {"message": "overloaded", "code": 529}}')
NOT_JSON = Misbehaviour(content="I am sorry, I cannot do that.")
WRONG_FORM = Misbehaviour(content='{"answer": 42}')

Reply = Callable[[Asked], Any]
LOOK = 0.01
"""Seconds between two looks of a server's thread at whether it is to end."""


class ModelServer:
    """Counts what it is asked; `input_tokens` and `output_tokens` stand in every answer. Where content goes and what facts do to
    others is asked for, and answered, apart: unless told otherwise it leaves that to the rules."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.place: Reply = lambda asked: {"parts": []}
        self.judge: Reply = lambda asked: {"verdicts": []}
        self.judgements: list[Asked] = []
        self.tell_apart: Reply = lambda asked: {"verdicts": []}
        self.doubts: list[Asked] = []
        self.place_script: list[Misbehaviour] = []
        self.placements: list[Asked] = []
        self.script: list[Misbehaviour] = []
        self.requests: list[Asked] = []
        self.at_once, self.most_at_once = 0, 0
        self.input_tokens, self.output_tokens = 100, 20
        self.pause = 0.0
        self.released = threading.Event()
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.root = f"http://127.0.0.1:{self.server.server_port}"

    @property
    def openai(self) -> str:
        return f"{self.root}/v1"

    @property
    def anthropic(self) -> str:
        return self.root

    def _handler(service) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with service.lock:
                    service.at_once += 1
                    service.most_at_once = max(service.most_at_once, service.at_once)
                    trace = self.headers.get("traceparent") or ""
                    asked = replace(asked_of(self.path, body), traceparent=trace)
                    service.asked(asked).append(asked)
                    script = (
                        service.place_script if asked.places else [] if asked.judges or asked.names else service.script
                    )
                    scripted = script.pop(0) if script else None
                try:
                    if service.pause:
                        service.released.wait(service.pause)
                    self.give(asked, scripted)
                finally:
                    with service.lock:
                        service.at_once -= 1

            def give(self, asked: Asked, scripted: Misbehaviour | None) -> None:
                if scripted is not None and scripted.hangs:
                    service.released.wait(60)
                    return
                self.send_response(scripted.status if scripted else 200)
                answer = service.answer(asked, scripted)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                if scripted is not None and scripted.retry_after is not None:
                    self.send_header("Retry-After", scripted.retry_after)
                self.end_headers()
                self.wfile.write(answer[: len(answer) // 2] if scripted and scripted.cut else answer)
                if scripted is not None and scripted.cut:
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def asked(self, one: Asked) -> list[Asked]:
        """Where such requests are counted."""
        if one.names:
            return self.doubts
        return self.placements if one.places else self.judgements if one.judges else self.requests

    def answer(self, asked: Asked, scripted: Misbehaviour | None) -> bytes:
        if scripted is not None and scripted.body is not None:
            return scripted.body
        if scripted is not None and scripted.status != 200:
            return json.dumps({"error": {"type": "error", "message": "no"}}).encode()
        content = scripted.content if scripted is not None and scripted.content is not None else None
        if content is None:
            answers = self.tell_apart if asked.names else self.judge if asked.judges else self.reply
            reply = (self.place if asked.places else answers)(asked)
            content = reply if isinstance(reply, str) else json.dumps(reply)
        shape = messages if asked.path.endswith("/messages") else completion
        at_limit = bool(scripted and scripted.at_limit)
        return json.dumps(shape(asked.model, content, self.input_tokens, self.output_tokens, at_limit)).encode()


def asked_of(path: str, body: dict[str, Any]) -> Asked:
    instructions = [message["content"] for message in body["messages"] if message["role"] == "system"]
    text = next(message["content"] for message in body["messages"] if message["role"] == "user")
    constrained = bool(body.get("response_format") or body.get("output_config"))
    return Asked(path, body["model"], body.get("system") or "".join(instructions), text, constrained)


def completion(model: str, content: str, given: int, taken: int, at_limit: bool) -> dict[str, Any]:
    ended = "length" if at_limit else "stop"
    choice = {"index": 0, "finish_reason": ended, "message": {"role": "assistant", "content": content}}
    usage = {"prompt_tokens": given, "completion_tokens": taken, "total_tokens": given + taken}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": model, "choices": [choice], "usage": usage}


def messages(model: str, content: str, given: int, taken: int, at_limit: bool) -> dict[str, Any]:
    return {
        "id": "m", "type": "message", "role": "assistant", "model": model, "stop_reason": "max_tokens" if at_limit else "end_turn",
        "content": [{"type": "text", "text": content}], "usage": {"input_tokens": given, "output_tokens": taken},
    }  # fmt: skip


@contextmanager
def model_server(reply: Reply = lambda _: {}) -> Iterator[ModelServer]:
    """The service, answering until the block is left."""
    service = ModelServer(reply)
    thread = threading.Thread(target=service.server.serve_forever, args=[LOOK], daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.released.set()
        service.server.shutdown()
        service.server.server_close()
