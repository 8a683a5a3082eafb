"""The files of the graph page, as the server sends them and as the package holds them."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from api.page import files
from tests.contract.conftest import OpenDoor, door, open_door

__all__ = ["door", "open_door"]  # fixtures

pytestmark = pytest.mark.ledger("U09")
ROOT = Path(__file__).resolve().parents[2]
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


async def test_browsers_get_the_page_and_other_clients_what_they_got(door: httpx.AsyncClient) -> None:
    page = await door.get("/", headers=HTML)
    assert page.status_code == 200 and page.headers["content-type"] == "text/html; charset=utf-8"
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy and "data:" not in policy and "http" not in policy
    for accepted in ("application/json", "*/*"):
        other = await door.get("/", headers={"Accept": accepted})
        assert other.status_code == 404 and other.json()["type"] == "urn:neurigraph:problem:not-found"


async def test_files_are_asked_for_again_and_those_of_others_kept(door: httpx.AsyncClient) -> None:
    assert len(files.NAMES) > 8
    for name in files.NAMES:
        sent = await door.get(f"/page/{name}")
        assert sent.status_code == 200 and sent.content == (files.FOLDER / name).read_bytes(), name
        assert (
            sent.headers["content-type"] == files.TYPES[Path(name).suffix]
            and sent.headers["content-encoding"] == "gzip"
        )
        assert ("immutable" in sent.headers["cache-control"]) == name.startswith("vendor/"), name
        known = await door.get(f"/page/{name}", headers={"If-None-Match": sent.headers["etag"]})
        assert (known.status_code, known.content) == (304, b"")
        plain = await door.get(f"/page/{name}", headers={"Accept-Encoding": "identity"})
        assert plain.content == sent.content and "content-encoding" not in plain.headers
    for name in ("", "files.py", "../files.py", "..%2Ffiles.py", "%2Fetc%2Fpasswd", "vendor"):
        assert (await door.get(f"/page/{name}")).status_code == 404, name


async def test_they_need_no_token_and_nothing_else_becomes_open(open_door: OpenDoor) -> None:
    token = "a-Token-of-the-Operator-7391"
    client = open_door(peer="203.0.113.9", api_token=SecretStr(token))
    assert (await client.get("/", headers=HTML)).status_code == 200
    assert (await client.get("/page/main.js")).status_code == 200
    for path in ("/page/", "/page/unknown.js", "/v1/users/me", "/v1/users"):
        assert (await client.get(path, headers=HTML)).status_code == 401, path


def test_no_file_holds_inline_code_or_another_address() -> None:
    page = (files.FOLDER / "index.html").read_text(encoding="utf-8")
    assert "style=" not in page and "<style" not in page and " on" + "click" not in page and page.count("<script") == 1
    for name in files.NAMES:
        text = (files.FOLDER / name).read_text(encoding="utf-8")
        if not name.startswith("vendor/"):
            assert not any(
                word in text for word in ("innerHTML", "insertAdjacent", "document.write", "eval(", "localStorage")
            )
            assert "http://" not in text.replace("http://www.w3.org/", "") and "https://" not in text, name
            assert len(text.splitlines()) <= 320, name


def test_the_wheel_holds_the_page_and_the_licence_of_its_library(tmp_path: Path) -> None:
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    made = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    with zipfile.ZipFile(tmp_path / made.stdout.strip().splitlines()[-1]) as wheel:
        held = set(wheel.namelist())
    assert {f"api/page/static/{name}" for name in files.NAMES} <= held
    licence = (files.FOLDER / "vendor" / "cytoscape-LICENSE.txt").read_text(encoding="utf-8")
    assert "Permission is hereby granted, free of charge" in licence
