"""The graph page at `/`: static files of this package. All that it shows it reads over REST, as any client does.

`/` answers with the page where a client takes HTML, and as before where it does not.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from api.context import matches

FOLDER = Path(__file__).parent / "static"
TYPES: Mapping[str, str] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
NAMES = tuple(sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.*") if path.suffix in TYPES))
PATHS = frozenset({"/", *(f"/page/{name}" for name in NAMES)})
"""Paths without authentication: they hold no memory."""


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    packed: bytes
    tag: str


@cache
def _file(name: str) -> _File:
    content = (FOLDER / name).read_bytes()
    return _File(content, gzip.compress(content, mtime=0), f'"{sha256(content).hexdigest()[:32]}"')


def page(request: Request) -> Response:
    """The page for a browser; for other clients nothing is at `/`."""
    if "text/html" not in request.headers.get("accept", ""):
        raise HTTPException(404)
    answer = _answer(request, "index.html")
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Vary"] = "Accept, Accept-Encoding"
    return answer


def static(request: Request) -> Response:
    """A file of the page. Raises 404 for any other name."""
    name = request.path_params["name"]
    if name not in NAMES:
        raise HTTPException(404)
    return _answer(request, name)


def _answer(request: Request, name: str) -> Response:
    file = _file(name)
    # Names of vendored files hold their version; all others are asked for again, mostly with the answer 304.
    lasting = "public, max-age=31536000, immutable" if name.startswith("vendor/") else "no-cache"
    headers = {"ETag": file.tag, "Cache-Control": lasting, "Vary": "Accept-Encoding"}
    if (known := request.headers.get("if-none-match")) and matches(known, file.tag):
        return Response(status_code=304, headers=headers)
    headers["Content-Type"] = TYPES[Path(name).suffix]
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, headers=headers | {"Content-Encoding": "gzip"})
    return Response(file.content, headers=headers)


ROUTES = (
    Route("/", page, methods=["GET"], include_in_schema=False),
    Route("/page/{name:path}", static, methods=["GET"], include_in_schema=False),
)
