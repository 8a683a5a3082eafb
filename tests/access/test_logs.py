"""Nothing that somebody stored or asked stands in the log, and no secret: only what happened, with ids."""

from __future__ import annotations

import logging
from uuid import uuid4

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.search import SearchRequest
from engine.errors import NeurigraphError
from engine.memory import Memory
from engine.neurigraph import Engine

MARK = "xylophone"


@pytest.mark.ledger("U08")
async def test_content_is_never_logged(
    engine: Engine, user: User, memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    logging.getLogger("engine").setLevel(logging.DEBUG)
    node = await memory.nodes.provision(NewNode(user.user_id, f"The {MARK}", keywords=(MARK,)))
    await memory.records.remember(Conversation(MARK, (Turn("Bob", f"My {MARK} is green."),)), node_id=node.node_id)
    assert (await memory.search(SearchRequest(f"Where is my {MARK}?"))).hits
    for attempt in (
        memory.records.remember_text(MARK, f"{MARK}\x00"), memory.nodes.provision(NewNode(uuid4(), MARK)),
        memory.records.remember(Conversation(f"{MARK} 2", (Turn("Bob", f"My {MARK} is blue \ud800."),))),
    ):  # fmt: skip
        with pytest.raises(NeurigraphError):
            await attempt
    await memory.records.remember(Conversation(MARK, (Turn("Bob", "Another beginning."),)))
    assert MARK not in caplog.text.lower()
    assert str(engine.postgres.service.conninfo) not in caplog.text
