"""The graph page in a headless Chromium, before the real door on the session's stores."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from uuid import uuid4

import pytest
import uvicorn
from playwright.async_api import Browser, Page, async_playwright
from pydantic import SecretStr

from engine.connectors import read_history
from engine.demo.script import FACTS, HISTORY
from engine.domain.node import User
from engine.domain.principal import NewToken
from engine.neurigraph import Engine
from engine.progress import Silent
from tests.door import new_door

CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
OPERATORS = "a-Token-of-the-Operator-7391"
WATCH = """window.violations = []; window.longest = 0;
document.addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective + " " + event.sourceFile));
new PerformanceObserver((list) => list.getEntries().forEach((one) => (longest = Math.max(longest, one.duration))))
  .observe({type: "longtask", buffered: true});"""


@dataclass
class Tab:
    """A tab, with what its console said."""

    page: Page
    errors: list[str] = field(default_factory=list)

    async def ready(self) -> None:
        await self.page.wait_for_selector("body[data-state=ready]", timeout=60_000)  # the first reads are planned

    async def sign_in(self, token: str, handle: str = "") -> None:
        await self.page.fill("#token", token)
        await self.page.fill("#handle", handle)
        await self.page.press("#token", "Enter")

    async def violations(self) -> list[str]:
        return await self.page.evaluate("violations")


OpenTab = Callable[..., Awaitable[Tab]]


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    if CHROMIUM is None:
        pytest.skip(
            "No Chromium is installed: neither chromium, chromium-browser nor google-chrome is on the path; or set CHROMIUM."
        )
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield running
        await running.close()


@asynccontextmanager
async def serving(engine: Engine, **settings: object) -> AsyncIterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    app = new_door(engine.settings.model_copy(update={"rate_limit_per_minute": 0, **settings}), engine=engine)
    server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_level="warning"))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    await task


@pytest.fixture(scope="session")
async def open_address(engine: Engine) -> AsyncIterator[str]:
    """A door that asks this machine for no token."""
    async with serving(engine) as address:
        yield address


@pytest.fixture(scope="session")
async def guarded_address(engine: Engine) -> AsyncIterator[str]:
    async with serving(engine, api_token=SecretStr(OPERATORS)) as address:
        yield address


@pytest.fixture
async def tab(browser: Browser) -> AsyncIterator[OpenTab]:
    """Opens tabs, each with storage of its own."""
    contexts = []

    async def opened(address: str, **options: object) -> Tab:
        context = await browser.new_context(**{"viewport": {"width": 1440, "height": 900}} | options)
        contexts.append(context)
        await context.add_init_script(WATCH)
        one = Tab(await context.new_page())
        one.page.set_default_timeout(20_000)
        one.page.on("console", lambda message: one.errors.append(message.text) if message.type == "error" else None)
        one.page.on("pageerror", lambda error: one.errors.append(str(error)))
        await one.page.goto(f"{address}/")
        return one

    yield opened
    for context in contexts:
        await context.close()


@dataclass(frozen=True)
class Known:
    """A user with a token."""

    user: User
    token: str


async def known(engine: Engine, name: str) -> Known:
    # handles that stand first in the list of users
    user = await engine.workspace.users.create(f"00{uuid4().hex[:12]}", name)
    return Known(user, (await engine.workspace.tokens.create(NewToken("user", user.user_id, "page"))).secret)


@pytest.fixture(scope="module")
async def bob(engine: Engine) -> Known:
    """The bundled history, with the two facts of the demo."""
    one = await known(engine, "Bob Harlan")
    [history] = await read_history(HISTORY, max_text_bytes=1 << 20, progress=Silent())
    await engine.ingest(replace(history, handle=one.user.handle))
    memory = engine.memory(one.user.user_id)
    for fact in FACTS:
        await memory.facts.write(fact)
    return one


@pytest.fixture
async def bobs(tab: OpenTab, guarded_address: str, bob: Known) -> Tab:
    """A tab that shows his memory."""
    one = await tab(guarded_address)
    await one.sign_in(bob.token)
    await one.ready()
    return one
