"""Lives at random: what users store, change and withdraw through all doors, with planted words in every field, of which each knows
whose it is; and what of it is forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import httpx

from api.mcp.memories import add_memory
from engine.domain.delta import Change
from engine.domain.fact import WrittenFact
from engine.domain.forgetting import ForgettingSubject
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, History, HistoryFile, Text, Turn
from engine.domain.node import NewNode, User
from engine.domain.occasion import NewEvent, Occasion
from engine.domain.principal import NewToken, Principal
from engine.domain.retraction import RetractionSubject
from engine.domain.scope import MemoryScope
from engine.domain.stream import StreamedTurn
from engine.domain.written import Line
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.statements import cypher
from tests.forgetting.places import new_word

START = datetime(2024, 5, 8, 18, tzinfo=UTC)
TALKS = (
    ("My sister {a} lives in {b} since March.", "{a} likes tea."),
    ("Dave lives in {a}.", "Dave works at {b}."),
    ("{a} is married to Anna Harlan.", "Anna Harlan met {b} in Hull."),
    ("I want to sell the boat of {a} by 12 June 2024.", "{b} asked for it."),
    ("{a} {b} plays chess.", "Then {a} came by with Otto."),
    ("Elena lives in {a} now.", "I prefer {b} to coffee."),
    ("{a} and {other} sold the shed.", "{b} drives a van."),
)
TEXTS = (
    "# Rent of {a}\n\nTumble pays 900 to {b}.\n\n# Keys\n\nThey lie at {a}.",
    "{a} is mined near {b}. Dave was there.",
    "The press was founded by {a} in 1931. {b} works there.",
    "{a} met {other} at the lake. {b} has a cup.",
)
FACTS = (
    "I live in {a}.",
    "Dave lives in {a}.",
    "{a} works at {b}.",
    "My locker belongs to {a}.",
    "Dave works at {a}.",
    "I no longer like {a}.",
)


@dataclass(eq=False)
class Source:
    """What is stored under one id. `key`: as the stores have it, `name`: as its user gave it; `kinds`: by which subjects it may be
    forgotten."""

    key: str = ""
    name: str = ""
    node: UUID | None = None
    kinds: tuple[str, ...] = ("source", "document", "record")
    fact: UUID | None = None
    forgotten: bool = False
    resend: Callable[[Memory], Awaitable[object]] | None = None
    ids: set[str] = field(default_factory=set)
    records: list[UUID] = field(default_factory=list)


class Life:
    """One user's life, which a seeded generator decides."""

    def __init__(self, engine: Engine, door: httpx.AsyncClient, user: User, rng: Random, folder: Path) -> None:
        self.engine, self.door, self.user, self.rng, self.folder = engine, door, user, rng, folder
        self.memory = engine.memory(user.user_id)
        self.sources: list[Source] = []
        self.own = Source(kinds=())
        """What goes with the user alone."""
        self.owners: dict[str, list[Source]] = {user.display_name.lower(): [self.own]}
        self.shared: set[str] = set()
        """Words whose entity others have to do with: how often they are found may become less."""
        self.log: list[str] = []
        self._days = 0

    # words ------------------------------------------------------------------------------------------------

    def word(self, *sources: Source) -> str:
        word = new_word()
        self.owners[word.lower()] = list(sources)
        return word

    def _filled(self, text: str, source: Source, words: Mapping[str, str]) -> str:
        other = "Otto"
        if "{other}" in text and (some := [one for one in self.owners if self._named(one)]):
            other = self.rng.choice(sorted(some, key=list(self.owners).index))
            self.owners[other].append(source)
            self.shared.add(other)
            other = other.capitalize()
        filled = text.format(**words, other=other)
        self.says(f"    {source.key} at {source.node}: {filled}")
        return filled

    def _named(self, word: str) -> bool:
        return bool(self.owners[word]) and all(one in self.sources and not one.forgotten for one in self.owners[word])

    def _new(self, kind: str, **more: Any) -> tuple[Source, dict[str, str]]:
        source = Source(**more)
        name = self.word(source)
        source.key, source.name = f"{kind}:{name}", name
        source.node = source.node or self.rng.choice(self.nodes)
        words = {one: self.word(source) for one in "ab"}
        self.sources.append(source)
        return source, words

    def some(self, *, record: bool = False) -> Source | None:
        """One that is there."""
        found = [one for one in self.sources if not one.forgotten and (not record or "record" in one.kinds)]
        return self.rng.choice(found) if found else None

    def gone(self) -> set[str]:
        """Words of which nothing may be left."""
        return {word for word, of in self.owners.items() if all(one.forgotten for one in of)}

    def kept(self) -> set[str]:
        """Words that must be there."""
        return {word for word, of in self.owners.items() if not any(one.forgotten for one in of)}

    # writes -----------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        root = self.user.user_id
        self.nodes: list[UUID] = [root]
        name, keyword = (self.word(self.own) for _ in range(2))
        self.shared |= {name.lower(), keyword.lower()}  # paths and answers name nodes
        node = await self.memory.nodes.provision(NewNode(root, f"{name} Farm", keywords=(keyword, "boat")))
        self.nodes.append(node.node_id)

    def says(self, text: str) -> None:
        """For the message of a round that fails."""
        self.log.append(text)

    async def live(self, writes: int) -> None:
        """So many things at random, the first of them stored."""
        names, weights = [*WRITES], [weight for weight, _ in WRITES.values()]
        for number in range(writes):
            [name] = self.rng.choices(names, weights) if number > 2 else self.rng.choices(names[:STORED])
            self.log.append(name)
            await WRITES[name][1](self)

    async def conversation(self) -> None:
        source, words = self._new("conversation")
        speaker = self.word(source) if self.rng.random() < 0.2 else "Bob"
        title = self.word(source) if self.rng.random() < 0.5 else ""
        self._days += 1
        at = START + timedelta(days=self._days)
        texts = [self._filled(text, source, words) for text in self.rng.choice(TALKS)]
        privacy: Any = "private" if self.rng.random() < 0.2 else "org"
        ref = self.word(source)
        turns = tuple(Turn(speaker, text, at, f"{ref}-{number}") for number, text in enumerate(texts))
        talk = Conversation(source.name, turns, title, at, privacy=privacy)
        memory = self.memory
        if self.rng.random() < 0.2:
            memory = memory.within(MemoryScope("thread", self.word(source)))
        source.resend = lambda memory: memory.records.remember(talk, node_id=source.node)
        if self.rng.random() < 0.3 and memory is self.memory:
            said = [{"speaker": one.speaker, "text": one.text} for one in turns]
            body = {"conversation": {"id": source.name, "turns": said, "title": title}, "node_id": str(source.node)}
            await self._posted("records", body)
        else:
            await memory.records.remember(talk, node_id=source.node)

    async def text(self) -> None:
        source, words = self._new("text")
        title, text = f"Note of {self.word(source)}", self._filled(self.rng.choice(TEXTS), source, words)
        door = self.rng.choice(("python", "rest", "mcp"))
        source.resend = lambda memory: memory.records.remember_text(
            title, text, source_id=source.name, node_id=source.node
        )
        if door == "mcp":
            await add_memory(self.memory, text=text, title=title, id=source.name, node_id=source.node)
        elif door == "rest":
            body = {"title": title, "text": text, "source_id": source.name, "node_id": str(source.node)}
            await self._posted("records", body, self.word(source))
        else:
            await self.memory.once(self.word(source)).records.remember_text(
                title, text, source_id=source.name, node_id=source.node
            )

    async def fact(self) -> None:
        source, words = self._new("fact", kinds=("source", "item", "record"))
        source.key, source.name = f"fact:key:{source.name}", f"key:{source.name}"
        key, category = source.name.removeprefix("key:"), self.word(source)
        about = (self.word(source),) if self.rng.random() < 0.3 else ()
        fact = WrittenFact(self._filled(self.rng.choice(FACTS), source, words), about, category=category)
        source.resend = lambda memory: memory.once(key).facts.write(fact, node_id=source.node)
        stated = await self.memory.once(key).facts.write(fact, node_id=source.node)
        source.fact = next((one for one in stated if one.text == fact.text), stated[0]).fact_id

    async def stream(self) -> None:
        source, words = self._new("conversation", kinds=("source",))
        for number, text in enumerate(self.rng.choice(TALKS)):
            turn = StreamedTurn("Bob", self._filled(text, source, words), ref=f"{self.word(source)}-{number}")
            await self.memory.conversations.append(
                source.name, turn, title=self.title(source) if not number else "", node_id=source.node
            )
        source.resend = lambda memory: memory.conversations.append(
            source.name, StreamedTurn("Bob", f"{words['a']} again.")
        )
        if self.rng.random() < 0.7:
            await self.memory.conversations.end(source.name)

    def title(self, source: Source) -> str:
        return f"Talk of {self.word(source)}"

    async def occasion(self) -> None:
        source, words = self._new("text", kinds=("source", "record"))
        text = self._filled(self.rng.choice(TEXTS[1:]), source, words)
        held = Occasion("meeting", self.title(source), text, START, None, (self.word(source),), source.name)
        source.resend = lambda memory: memory.records.remember_occasion(held, node_id=source.node)
        await self.memory.records.remember_occasion(held, node_id=source.node)

    async def file(self) -> None:
        source, words = self._new("file", kinds=("source",))
        path = self.folder / f"{self.word(source)}.md"
        path.write_text(self._filled(self.rng.choice(TEXTS), source, words) + "\n\n" + "The boat is loud. " * 20)
        file = HistoryFile(source.name, path, "text/markdown", self.title(source))
        source.resend = lambda memory: memory.ingests.history(History("h", "H", (), (file,)))
        await self.memory.ingests.history(History("h", "H", (), (file,)))

    async def many(self) -> None:
        kept, words = self._new("text")
        source, others = self._new("conversation")
        texts = [Text(kept.name, self.title(kept), self._filled(self.rng.choice(TEXTS), kept, words))]
        turns = tuple(Turn("Bob", self._filled(text, source, others)) for text in self.rng.choice(TALKS))
        talk = Conversation(source.name, turns)
        kept.resend = lambda memory: memory.ingests.many((), texts)
        source.resend = lambda memory: memory.ingests.many((talk,), ())
        kept.kinds = source.kinds = ("source",)
        await self.memory.ingests.many((talk,), texts)

    async def lines(self) -> None:
        source, words = self._new("text", kinds=("source",))
        text = self._filled(self.rng.choice(TEXTS), source, words)
        body = {"text": text, "source_id": source.name, "title": self.title(source)}
        line = Line(1, json.dumps(body).encode())
        source.resend = lambda memory: memory.ingests.lines([line])
        await self.memory.ingests.lines([line])

    async def version(self) -> None:
        """A text becomes another one under the same id."""
        of = [
            one for one in self.sources if one.key.startswith("text:") and "document" in one.kinds and not one.forgotten
        ]
        if not of:
            return await self.text()
        source = self.rng.choice(of)
        words = {one: self.word(source) for one in "ab"}
        text = self._filled(self.rng.choice(TEXTS), source, words)
        title = self.title(source)
        await self.memory.records.remember_text(title, text, source_id=source.name, node_id=source.node)
        return None

    async def corrected(self) -> None:
        """A record or an item gets another text, with a reason."""
        if (source := self.some(record=True)) is None or not (records := await self.records_of(source)):
            return
        reason, correction = self.word(source), self.rng.random() < 0.5
        fields = {"title": self.title(source), "summary": f"{self.word(source)} was there."}
        change = Change("record", records[0], fields, source.node, correction=correction, reason=reason)
        await self.memory.history.change(change)

    async def reworded(self) -> None:
        facts = [one for one in self.sources if one.fact and not one.forgotten]
        if not facts:
            return await self.fact()
        source = self.rng.choice(facts)
        fields = {"content": f"Dave drives to {self.word(source)}."}
        change = Change("item", source.fact, fields, source.node, reason=self.word(source))  # type: ignore[arg-type]
        await self.memory.history.change(change)
        return None

    async def withdrawn(self) -> None:
        """Withdrawn, sometimes brought back."""
        if source := self.some():
            subject = RetractionSubject("source", source.name)
            done = await self.memory.retractions.retract(subject, f"{self.word(source)} said so")
            if self.rng.random() < 0.5:
                await self.memory.retractions.undo(done.retraction_id)

    async def moved(self) -> None:
        source = self.some(record=True)
        if source is None or source.fact or source.node is None or not (records := await self.records_of(source)):
            return
        target = next(one for one in self.nodes if one != source.node)
        reason = f"{self.word(source)} is no fish"
        await self.memory.records.move(records[0], source.node, target, reason=reason)
        source.node = target

    async def merged(self) -> None:
        """Two entities of different sources become one."""
        found = [one for one in await self.memory.entities.list(limit=100) if one.name.lower() in self.owners]
        found.sort(key=lambda one: list(self.owners).index(one.name.lower()))
        if len(found) < 2:
            return
        one, other = self.rng.sample(found, 2)
        of = [self.owners[each.name.lower()] for each in (one, other)]
        reason = self.word(*of[0], *of[1])
        self.shared |= {one.name.lower(), other.name.lower(), reason.lower()}
        merge = await self.memory.entities.merge(one.entity_id, other.entity_id, f"{reason} is both")
        if self.rng.random() < 0.3:
            await self.memory.entities.undo_merge(merge.merge_id)

    async def named(self) -> None:
        """An entity gets an address."""
        found = [one for one in await self.memory.entities.list(limit=100) if one.name.lower() in self.owners]
        found.sort(key=lambda one: list(self.owners).index(one.name.lower()))
        if found:
            entity = self.rng.choice(found)
            address = f"{self.word(*self.owners[entity.name.lower()])}@example.org"
            self.shared |= {entity.name.lower(), address.partition("@")[0].lower()}
            await self.memory.entities.add_alias(entity.entity_id, "email", address)

    async def opened(self) -> None:
        """A file is unpacked."""
        node = self.rng.choice(self.nodes)
        page = await self.memory.nodes.metadata(node, limit=5)
        for record in page.records[:1]:
            if record.file_id:
                await self.memory.files.read(node, record.file_id)

    async def replayed(self) -> None:
        replay = await self.memory.replays.build((await self.memory.replays.begin()).replay_id)
        if (end := self.rng.choice(("swap", "discard", ""))) and replay.state == "built":
            await getattr(self.memory.replays, end)(replay.replay_id)

    async def of_user(self) -> None:
        """What goes with the user: events, rights, tokens, an edge."""
        root, node = self.nodes[0], self.nodes[-1]
        await self.memory.events.write(NewEvent("call", f"{self.word(self.own)} called.", emotion=self.word(self.own)))
        await self.engine.workspace.tokens.create(NewToken("user", root, f"{self.word(self.own)} phone"))
        await self.memory.edges.make(node, root, self.word(self.own).lower(), {"why": self.word(self.own)})

    async def by_persona(self) -> None:
        root = self.user.user_id
        name = self.word(self.own)
        self.shared.add(name.lower())
        persona = (await self.memory.nodes.provision(NewNode(root, name, "persona"))).node_id
        purpose = f"{self.word(self.own)} helps"
        await self.memory.grants.give(NewGrant(persona, "persona", persona, "read_write", purpose=purpose))
        source, words = self._new("conversation", kinds=("record",), node=persona)
        butler = self.engine.memory_as(Principal("persona", persona, root))
        turns = tuple(Turn("Bob", self._filled(text, source, words)) for text in self.rng.choice(TALKS))
        report = await butler.records.remember(Conversation(source.name, turns), node_id=persona)
        source.records = [one.record_id for one in report.records]

    # what is there ------------------------------------------------------------------------------------------

    async def records_of(self, source: Source) -> list[UUID]:
        if source.records:
            return source.records
        asked = {"user_id": str(self.user.user_id), "sources": [source.key]}
        rows = await self.engine.neo4j.read(cypher("forget/records_of_source"), **asked)
        return sorted(UUID(row[0] if isinstance(row, tuple) else row["record_id"]) for row in rows)

    async def subject(self, kind: str, source: Source) -> ForgettingSubject:
        """How it is forgotten; also what else goes with it."""
        if kind == "source":
            return ForgettingSubject("source", source.name)
        if kind == "item":
            return ForgettingSubject("item", str(source.fact))
        records = await self.records_of(source)
        return ForgettingSubject(kind, str(records[0]))  # type: ignore[arg-type]

    async def _posted(self, place: str, body: Mapping[str, Any], key: str | None = None) -> None:
        headers = {"Idempotency-Key": key} if key else {}
        path = f"/v1/users/{self.user.user_id}/{place}"
        answer = await self.door.post(path, json=body, headers=headers)
        assert answer.status_code == 201, answer.text


Write = Callable[[Life], Awaitable[None]]
WRITES: Mapping[str, tuple[int, Write]] = {
    "conversation": (8, Life.conversation),
    "text": (6, Life.text),
    "fact": (8, Life.fact),
    "stream": (3, Life.stream),
    "occasion": (2, Life.occasion),
    "file": (2, Life.file),
    "many": (2, Life.many),
    "lines": (2, Life.lines),
    "version": (4, Life.version),
    "corrected": (3, Life.corrected),
    "reworded": (2, Life.reworded),
    "withdrawn": (3, Life.withdrawn),
    "moved": (2, Life.moved),
    "merged": (3, Life.merged),
    "named": (2, Life.named),
    "opened": (1, Life.opened),
    "replayed": (1, Life.replayed),
    "of user": (2, Life.of_user),
    "by persona": (1, Life.by_persona),
}
"""What a life is made of, with how often it comes."""
STORED = 8
"""The first of them store something."""
