"""Facts that stand in chains: what was known of a subject before, what is known now, and what does not agree; and attributes, of
which facts give the value, as where somebody lives, or a favourite colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from math import isfinite
from typing import Literal, get_args
from uuid import UUID

from engine.domain.clock import check_time
from engine.domain.scope import Privacy, ScopeKind
from engine.errors import InvalidInput

ValueKind = Literal["date", "number", "name", "text"]

FactStatus = Literal["live", "superseded", "invalidated", "withdrawn", "confirmation"]
"""`superseded`: a newer fact gives another value; `invalidated`: a newer one says that it no longer holds; `withdrawn`: its
record no longer states it; `confirmation`: said the same as another fact, and is no item of its own."""
ShownStatus = Literal["live", "superseded", "invalidated", "withdrawn"]
"""What may be listed: a confirmation is no item of its own, it is counted at the fact that it confirms."""
FactRelation = Literal["none", "same", "changes", "ends", "maybe", "contradicts"]
"""What a newer statement does to an older one about the same subject. `maybe`: it may replace it; `contradicts`: it says the
opposite: both stay, as a pair in doubt, until the user decides."""
DoubtKind = Literal["maybe", "contradicts"]
FactDecision = Literal["replaced", "both"]
"""What the user decides of a pair in doubt: the older one ended where the newer begins, or both hold."""
Verdict = Literal["ADD", "UPDATE", "NOOP", "DELETE"]
DAY_PASSED = "its day has passed"
"""Said of a plan whose day is over."""
DoubtPlace = tuple[datetime, UUID, UUID]
FactType = Literal["fact", "preference", "event", "profile", "system"]

LONGEST_FACT, LONGEST_SUBJECT, MOST_SUBJECTS = 2000, 200, 24


@dataclass(frozen=True, slots=True)
class FactAttribute:
    """The attribute of which a fact speaks, as the table of attributes holds it; all empty where it speaks of none.
    `holds_until`: until when the plan holds that it states; `text_from`: since when the text stands from which this was read."""

    fact_id: UUID
    attribute: str = ""
    label: str = ""
    kind: ValueKind | Literal[""] = ""
    single: bool = False
    holds_until: datetime | None = None
    text_from: datetime | None = None


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute in the registry: what most facts call it, what its value mostly is, whether it has one value at a time
    (`single`), how many live facts of how many subjects give one, and when it was said first and last.
    `key`: its place in the list."""

    key: str
    name: str
    kind: ValueKind
    single: bool
    facts: int
    subjects: int
    first_seen_at: datetime
    last_seen_at: datetime


@dataclass(frozen=True, slots=True)
class Doubt:
    """A pair in doubt, at the newer fact of it: with which older one, since when, and what the user decided."""

    older: UUID
    kind: DoubtKind
    since: datetime
    decision: FactDecision | None = None
    decided_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact in its chain, as the table of facts holds it. `valid_from` None: from the beginning. `subject`: a hash of its name;
    `entity`: of the key of the entity that it is about, where that is known. `revision`: raised by each change, 0 for one that
    was not written yet. `doubts`: the pairs in which it is the newer one. `holds_until`: until when the plan can hold that its
    text states (`engine.facts.chains`)."""

    fact_id: UUID
    user_id: UUID
    node_id: UUID
    record_id: UUID
    chain_id: UUID
    subject: int
    known_from: datetime
    privacy: Privacy = "org"
    scope: ScopeKind = "user"
    scope_id: str | None = None
    status: FactStatus = "live"
    supersedes: UUID | None = None
    ended_by: UUID | None = None
    confirms: UUID | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    said_at: datetime | None = None
    invalidated_at: datetime | None = None
    last_confirmed_at: datetime | None = None
    confirmations: int = 0
    stale: bool = False
    fact_type: str = ""
    category: str = ""
    revision: int = 0
    entity: int | None = None
    doubts: tuple[Doubt, ...] = ()
    holds_until: datetime | None = None

    def same_subject(self, other: FactRow) -> bool:
        """Whether both are about the same: one entity, or, where one of them has none, a subject of one name."""
        if self.entity is None or other.entity is None:
            return self.subject == other.subject
        return self.entity == other.entity

    @property
    def readers(self) -> tuple[str, str, str | None]:
        """Who may read it, and within which scope: facts of one chain agree in it."""
        return self.privacy, self.scope, self.scope_id


@dataclass(frozen=True, slots=True)
class EndingFact:
    """The item of a fact that ends, where it lies, and from when on it does not hold; None: it never held."""

    node_id: UUID
    schema: str
    item_id: UUID
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact with its text, as it is shown.

    `contradicts`: live facts that say the opposite, or something else of the same time; `may_replace`, `maybe_replaced_by`: live
    ones with which it is in doubt; `confirmed_by`: records that said the same; `access_count`, `last_accessed_at`: how often a
    search gave it, and when last; `passed`: when the day was over for which it was planned: whether it happened is not known."""

    fact_id: UUID
    node_id: UUID
    record_id: UUID
    chain_id: UUID
    text: str
    category: str
    subjects: list[str]
    status: ShownStatus
    supersedes: UUID | None
    ended_by: UUID | None
    contradicts: list[UUID]
    may_replace: list[UUID]
    maybe_replaced_by: list[UUID]
    valid_from: datetime | None
    valid_to: datetime | None
    known_from: datetime
    invalidated_at: datetime | None
    last_confirmed_at: datetime | None
    confirmations: int
    confirmed_by: list[UUID]
    stale: bool
    confidence: float
    importance: float
    access_count: int
    last_accessed_at: datetime | None
    passed: datetime | None = None


@dataclass(frozen=True, slots=True)
class FactChain:
    """A fact with those before and after it, the newest first."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class DoubtedFact:
    """One of two facts in doubt."""

    fact_id: UUID
    node_id: UUID
    text: str
    valid_from: datetime | None


@dataclass(frozen=True, slots=True)
class FactDoubt:
    """Two live facts of which nobody decided: the newer one may replace the older (`maybe`), or says the opposite
    (`contradicts`)."""

    kind: DoubtKind
    since: datetime
    newer: DoubtedFact
    older: DoubtedFact

    @property
    def place(self) -> DoubtPlace:
        """Where it stands in the list of pairs."""
        return self.since, self.newer.fact_id, self.older.fact_id


@dataclass(frozen=True, slots=True)
class DoubtMark:
    """A fact with which a shown fact is in doubt, and its text: a newer one that may have replaced it (`maybe`), or one that says
    the opposite (`contradicts`)."""

    kind: DoubtKind
    fact_id: UUID
    text: str

    @property
    def told(self) -> str:
        """The mark in words."""
        return f"{'maybe replaced by' if self.kind == 'maybe' else 'contradicted by'}: {self.text}"


@dataclass(frozen=True, slots=True)
class WrittenFact:
    """A fact that the user states.

    `about`: whom or what it is about, the first one decides which facts it is compared with; empty: the name or thing that
    the text begins with. `at`: from when on it holds, None is now. `confidence`, `importance`: from 0 to 1. Raises
    InvalidInput."""

    text: str
    about: tuple[str, ...] = ()
    fact_type: FactType = "fact"
    category: str = ""
    at: datetime | None = None
    confidence: float = 1.0
    importance: float = 0.5

    def __post_init__(self) -> None:
        for what, text in (("text", self.text), ("category", self.category), *(("subject", one) for one in self.about)):
            most = LONGEST_FACT if what == "text" else LONGEST_SUBJECT
            if len(text) > most or (what != "category" and not text.strip()):
                raise InvalidInput(f"The {what} of a fact has 1 to {most:,} characters.")
            if "\x00" in text or (not text.isascii() and text.encode("utf-8", "ignore").decode() != text):
                raise InvalidInput(f"The {what} of a fact is not valid Unicode, or holds a NUL character.")
        if not any(map(str.isalnum, self.text)):
            raise InvalidInput("The text of a fact has a word or a number.")
        if len(self.about) > MOST_SUBJECTS:
            raise InvalidInput(f"A fact is about at most {MOST_SUBJECTS} names.")
        if self.fact_type not in get_args(FactType):
            raise InvalidInput(f"The type of a fact is one of {', '.join(get_args(FactType))}.")
        if self.at is not None and self.at.tzinfo is None:
            raise InvalidInput("A point in time needs its offset from UTC.")
        check_time(self.at, "The time of a fact")
        for what, share in (("confidence", self.confidence), ("importance", self.importance)):
            if not (isfinite(share) and 0 <= share <= 1):
                raise InvalidInput(f"The {what} is a number from 0 to 1.")


@dataclass(frozen=True, slots=True)
class FactFilter:
    """Which facts to list. `about`: a subject's name; `status` None: every one; `contradicting`: only those that do not agree
    with another one; `doubtful`: also those that may be replaced, or replace one; `after`: the last fact of the page before."""

    about: str | None = None
    node_id: UUID | None = None
    status: ShownStatus | None = "live"
    contradicting: bool = False
    doubtful: bool = False
    after: UUID | None = None
    limit: int = 100


def subject_hash(user_id: UUID, subject: str) -> int:
    """What the table of facts knows of a subject."""
    digest = blake2b(user_id.bytes + subject.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
