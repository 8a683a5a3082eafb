"""A real S3 server (`versitygw`) for tests: found on the path, or built once with Go where there is Go."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import pytest

from tests.certificates import Signed
from tests.clean_environment import CACHE
from tests.ports import free_port

MODULE = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"
KEY, SECRET = "tester", "tester secret/+"
CREDENTIALS = "tester:tester%20secret%2F%2B"


@cache
def program() -> str | None:
    """The server's program; None where it is neither found nor can be built."""
    folder = CACHE / "tools"
    found = shutil.which("versitygw") or shutil.which("versitygw", path=folder)
    if found or shutil.which("go") is None:
        return found
    # Without optimizations: to compile it takes 70 s of CPU in place of 117, and tests ask it for little.
    environment = os.environ | {
        "GOBIN": str(folder),
        "CGO_ENABLED": "0",
        "GOFLAGS": "'-gcflags=all=-N -l' '-ldflags=-s -w'",
    }
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["go", "install", MODULE], env=environment, capture_output=True, timeout=900, check=False)
    return shutil.which("versitygw", path=folder)


@contextmanager
def s3_server(folder: Path, signed: Signed | None = None, *, versions: Path | None = None) -> Iterator[str]:
    """Serves the folder; gives `host:port`. With a certificate it speaks TLS only. `versions`: a folder for earlier versions, of
    buckets that are set to keep them. Skips where there is no server."""
    command = program()
    if command is None:
        pytest.skip("no S3 server: versitygw is not on the path, and there is no Go to build it")
    folder.mkdir(exist_ok=True)
    if versions:
        versions.mkdir(exist_ok=True)
    port = free_port()
    secrets = {"ROOT_ACCESS_KEY": KEY, "ROOT_SECRET_KEY": SECRET}
    certificate = ["--cert", str(signed.certificate), "--key", str(signed.key)] if signed else []
    kept = ["--versioning-dir", str(versions)] if versions else []
    process = subprocess.Popen(
        [command, "--port", f"127.0.0.1:{port}", "--quiet", *certificate, "posix", *kept, str(folder)],
        env=os.environ | secrets, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _until_listening(port)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


def _until_listening(port: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=2):
            return
        time.sleep(0.05)
    raise AssertionError("the S3 server did not start")
