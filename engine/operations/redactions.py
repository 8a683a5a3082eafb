"""How the arguments of operations are redacted, by kind of argument."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from engine.domain.delta import Change
from engine.domain.forgetting import ForgettingSubject
from engine.domain.grant import NewGrant
from engine.domain.node import NewNode
from engine.domain.occasion import NewEvent
from engine.domain.retention import HoldSubject, NewRetentionRule
from engine.domain.retraction import RetractionSubject
from engine.privacy.redact import Redactor, check_names, redacted_change, redacted_edge, redacted_fact, redacted_node

if TYPE_CHECKING:
    from engine.domain.proposal import Proposal

Counts = Counter[str] | None
Named = TypeVar("Named", RetractionSubject, ForgettingSubject, HoldSubject)

without_text = None
"""An argument that holds no text of a person: a name of a model or a job, a choice."""
redacted_later = None
"""A source: the pipeline redacts it while it is cleaned."""


def note(value: str, redactor: Redactor, counts: Counts) -> str:
    """A reason or another note."""
    return redactor.text(value, counts)


def names(value: Sequence[str], redactor: Redactor, _: Counts) -> Sequence[str]:
    """Names of nodes. Raises InvalidName where one holds personal data."""
    check_names(value, redactor)
    return value


def name(value: str, redactor: Redactor, _: Counts) -> str:
    """A name, as of a type of edges. Raises InvalidName."""
    check_names([value], redactor)
    return value


def name_if_any(value: str | None, redactor: Redactor, _: Counts) -> str | None:
    """A name, where there is one. Raises InvalidName."""
    check_names([] if value is None else [value], redactor)
    return value


def properties(value: Mapping[str, str] | None, redactor: Redactor, _: Counts) -> dict[str, str]:
    """The properties of an edge. Raises InvalidName."""
    return redacted_edge("", value or {}, redactor)


def node(value: NewNode, redactor: Redactor, counts: Counts) -> NewNode:
    """A new node. Raises InvalidName."""
    return redacted_node(value, redactor, counts)


def nodes(value: Sequence[NewNode], redactor: Redactor, counts: Counts) -> Sequence[NewNode]:
    """New nodes. Raises InvalidName."""
    return [redacted_node(one, redactor, counts) for one in value]


def proposal(value: Proposal, redactor: Redactor, counts: Counts) -> Proposal:
    """The nodes of a proposal. Raises InvalidName."""
    for one in value.nodes:
        check_names(one.path, redactor)
    return value


def change(value: Change, redactor: Redactor, _: Counts) -> Change:
    """A change. Raises InvalidName."""
    return redacted_change(value, redactor)


def event(value: NewEvent, redactor: Redactor, counts: Counts) -> NewEvent:
    """An event."""
    emotion = redactor.text(value.emotion, counts) if value.emotion else value.emotion
    return value.worded(redactor.text(value.kind, counts), redactor.text(value.content, counts), emotion)


fact = redacted_fact
"""A fact that the user states."""


def grant(value: NewGrant, redactor: Redactor, counts: Counts) -> NewGrant:
    """A grant: its purpose."""
    return replace(value, purpose=redactor.text(value.purpose, counts))


def identifier(value: str | None, redactor: Redactor, _: Counts) -> str | None:
    """An id of a source or a request, as it is stored."""
    return None if value is None else redactor.identifier(value)


def subject(value: Named, redactor: Redactor, _: Counts) -> Named:
    """What is withdrawn or forgotten: the id of a source, as it is stored."""
    return replace(value, id=redactor.identifier(value.id)) if value.kind == "source" else value


def retention_rule(value: NewRetentionRule, redactor: Redactor, counts: Counts) -> NewRetentionRule:
    """A rule of retention: the ids of sources as they are stored, and the note."""
    source, prefix = identifier(value.source, redactor, None), identifier(value.source_prefix, redactor, None)
    return replace(value, source=source, source_prefix=prefix, note=redactor.text(value.note, counts))
