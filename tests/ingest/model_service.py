"""A local server that speaks the protocol of embeddings, with its failures: down, refusing, hanging."""

from __future__ import annotations

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

from tests.model_server import LOOK

DIMENSION = 32


def vector_of(text: str) -> list[float]:
    """A meaning that follows from the words: the same words in another text give a close vector."""
    total = np.zeros(DIMENSION)
    for word in text.lower().replace("?", " ").replace(".", " ").split():
        seed = int.from_bytes(hashlib.sha256(MEANT.get(word, word).encode()).digest()[:4], "big")
        total += np.random.default_rng(seed).standard_normal(DIMENSION)
    return [float(value) for value in total]


MEANT = {"physician": "doctor"}
"""Words that mean the same without sharing a letter."""


class ModelService:
    """Answers embeddings; while `broken` is a status, every request is refused with it; 0 closes the connection."""

    def __init__(self) -> None:
        self.broken: int | None = None
        self.hang = threading.Event()
        self.hang.set()
        self.retry_after = "0"
        self.requests = 0
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.requests += 1
                service.hang.wait(60)
                if service.broken == 0:
                    self.connection.close()
                    return
                status = service.broken or 200
                answer = service.answer(body) if status == 200 else b"{}"
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                if status in (429, 503):
                    self.send_header("Retry-After", service.retry_after)
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=[LOOK], daemon=True).start()

    def answer(self, body: dict) -> bytes:
        rows = [
            {"object": "embedding", "index": index, "embedding": vector_of(text)}
            for index, text in enumerate(body["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return json.dumps({"object": "list", "model": body["model"], "data": rows, "usage": usage}).encode()

    def close(self) -> None:
        self.hang.set()
        self.server.shutdown()
