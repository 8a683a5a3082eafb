"""What the client of the REST API imports: values and an HTTP library."""

from __future__ import annotations

import subprocess
import sys

LOADED = "import api.client, sys; print(*sys.modules)"
NOT_NEEDED = {"fastapi", "starlette", "uvicorn", "neo4j", "psycopg", "minio", "numpy", "openai", "onnxruntime", "typer"}


def test_the_client_loads_neither_server_nor_drivers() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, timeout=60, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & NOT_NEEDED
    own = {name for name in loaded if name.startswith(("engine.", "api."))}
    assert {name for name in own if not name.startswith(("engine.domain", "api.client"))} == {
        "api.models", "api.questions", "engine.errors"
    }  # fmt: skip
