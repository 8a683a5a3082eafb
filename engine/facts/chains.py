"""Chains of facts: a new fact is compared with the live ones of its subject and takes its place in a chain. Pure.

    head       the live fact at the end of a chain; facts before it are ended, each superseded by one
    later      said after another fact; in one record by its place there; of two without a date what was stored later
    attribute  of what the fact gives the value (a date, a number, a name, or other words), and until when a plan holds

The times between which the facts of a chain hold do not overlap. A fact that was said earlier than the head is put before it.
One that comes late, after the head was said again, stands outside of the chain: it held until then.
Where neither is newer, or the older one may not be ended here, both stand as a pair that contradicts. What may replace a
fact, or says the opposite, stands beside it as a pair in doubt; what was said last of the two is the newer.
What is said where a reader of the older fact may not read would end, for that reader, a fact for no reason that is shown: both
stay, as a pair in doubt ("lives in Duluth" at a node with a grant, "lives in Berlin" at one without).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal
from uuid import UUID

from engine.domain.delta import BEGINNING
from engine.domain.fact import Doubt, DoubtKind, FactAttribute, FactRelation, FactRow, ValueKind, Verdict
from engine.facts.verdicts import attribute_said, believed, relation, statement
from engine.language.dates import dates_in
from engine.language.tables import alternatives
from engine.statements.statement import holds_until

Likeness = Callable[[UUID, UUID], float | None]
"""How near the meanings of two facts are; None where it is not known."""
FactVerdicts = Mapping[tuple[UUID, UUID], FactRelation]
"""What a model says that the later fact of a pair (earlier, later) does to the earlier one."""
NONE: FactVerdicts = {}
Order = Literal["later", "earlier", "same"]
_MONTH = re.compile(alternatives("values", "month_day"), re.IGNORECASE)
_NUMBER = re.compile(
    rf"^(?:{alternatives('values', 'about')}|\W)*(?:\d|(?:{alternatives('values', 'number')})\b)", re.IGNORECASE
)
_NAME = re.compile(rf"^(?:(?:{alternatives('values', 'article')})\s+)?[^\W\d_a-z]")
LONGEST_KEY = 200


@dataclass(frozen=True, slots=True)
class Known:
    """A fact of a chain. `text` is empty for one that was ended and did not hold when a new one begins; `position`: its place in
    its record; `apart`: nodes which somebody may not read who may read this fact."""

    row: FactRow
    text: str = ""
    writable: bool = True
    position: int = 0
    apart: frozenset[UUID] = frozenset()


@dataclass(slots=True)
class ChainChanges:
    """What new facts do: rows to write, items that end (`None`: they never held), when items begin that came undated."""

    rows: dict[UUID, FactRow] = field(default_factory=dict)
    ends: dict[UUID, datetime | None] = field(default_factory=dict)
    starts: dict[UUID, datetime] = field(default_factory=dict)
    verdicts: dict[UUID, Verdict] = field(default_factory=dict)

    @property
    def confirming(self) -> frozenset[UUID]:
        """New facts that only say again what is known."""
        return frozenset(fact for fact, verdict in self.verdicts.items() if verdict == "NOOP")


class Chains:
    """The chains of some subjects, into which facts are entered one after the other. `subject`: its key, for each hash."""

    def __init__(
        self,
        known: Iterable[Known],
        subjects: Mapping[int, str],
        likeness: Likeness,
        threshold: float,
        now: datetime,
        verdicts: FactVerdicts = NONE,
    ) -> None:
        self.known = {one.row.fact_id: one for one in known}
        self._subjects, self._likeness, self._threshold, self._now = subjects, likeness, threshold, now
        self._verdicts = verdicts
        self.changes = ChainChanges()

    def enter(self, new: Known) -> Verdict:
        """Finds the place of a fact that is not known yet. Its row says nothing of chains so far."""
        near = [(one, self._relation(one, new)) for one in self._heads(new)]
        touched = [(one, found) for one, found in near if found in ("changes", "ends")]
        same = [one for one, found in near if found == "same"]
        same += [
            then for one, _ in near if (then := self._ended_then(one, new)) and self._relation(then, new) == "same"
        ]
        for one in same:
            if (one.row.node_id, one.row.readers) == (new.row.node_id, new.row.readers):
                return self._confirm(one, new)
        verdict: Verdict = "ADD"
        for one, found in touched:
            if new.row.status != "live":  # put before the head of a chain: what is known now is said by others
                break
            order = said_after(new, one)
            if order == "same" or one.row.readers != new.row.readers or not self._writable(one):
                new = self._doubted(one, new, "contradicts")
            elif self._hidden(one, new, order):
                new = self._doubted(one, new, "maybe")
            elif order == "later" and _confirmed_since(one.row, new.row):
                new, verdict = self._held_between(one, new), "UPDATE"
            elif order == "later":
                new = self._ended(one, new, found, linked=verdict == "ADD")
                verdict = (
                    "DELETE" if found == "ends" and verdict == "ADD" else "UPDATE" if verdict == "ADD" else verdict
                )
            elif verdict == "ADD" and _begin(new.row) < _begin(one.row):
                new, verdict = self._before(one, new), "UPDATE"
            else:
                new = self._doubted(one, new, "contradicts")
        new = self._in_doubt(near, new)
        self._set(new)
        self.changes.verdicts[new.row.fact_id] = verdict
        return verdict

    def _heads(self, new: Known) -> list[Known]:
        """Live facts of its subject, the nearest first."""
        live = [one for one in self.known.values() if one.row.status == "live" and one.row.same_subject(new.row)]

        def nearness(one: Known) -> tuple[bool, float, UUID]:
            return one.row.node_id != new.row.node_id, -(self._near(one, new) or 0), one.row.fact_id

        return sorted((one for one in live if one.text), key=nearness)

    def _ended_then(self, head: Known, new: Known) -> Known | None:
        """The ended fact of a chain that held when a new one begins, which was said before the head."""
        at = _begin(new.row)
        line = [one for one in self._line(head)[1:] if one.text and one.row.same_subject(new.row)]
        held = (one for one in line if one.row.status in ("superseded", "invalidated"))
        ended = (one for one in held if one.row.valid_to and _begin(one.row) <= at < one.row.valid_to)
        return next(ended, None) if said_after(new, head) == "earlier" else None

    def _relation(self, one: Known, new: Known) -> FactRelation:
        subject = self._subjects[new.row.subject]
        older, newer = (new, one) if said_after(new, one) == "earlier" else (one, new)
        before, after = (statement(fact.text, subject, fact.row.said_at) for fact in (older, newer))
        told = self._verdicts.get((older.row.fact_id, newer.row.fact_id))
        if told is not None:
            return believed(told, before, after)
        return relation(before, after, self._near(one, new), self._threshold)

    def _near(self, one: Known, new: Known) -> float | None:
        return self._likeness(new.row.fact_id, one.row.fact_id)

    # what becomes of them --------------------------------------------------------------------------------

    def _confirm(self, one: Known, new: Known) -> Verdict:
        at = new.row.said_at  # without one, as an old lease that is stored today, it does not say that it holds today
        times = {} if at is None else {"last_confirmed_at": max(one.row.last_confirmed_at or at, at), "stale": False}
        self._put(one, confirmations=one.row.confirmations + 1, doubts=self._said_again(one, new), **times)
        row = replace(new.row, status="confirmation", confirms=one.row.fact_id, chain_id=one.row.chain_id)
        self._set(replace(new, row=replace(row, invalidated_at=None)))
        self.changes.verdicts[new.row.fact_id] = "NOOP"
        return "NOOP"

    def _in_doubt(self, near: Iterable[tuple[Known, FactRelation]], new: Known) -> Known:
        for one, found in near:
            if found == "maybe" or found == "contradicts":
                new = self._doubted(one, new, found)
        return new

    def _doubted(self, one: Known, new: Known, kind: DoubtKind) -> Known:
        """Both stay: a pair in doubt at the newer one. The known one may not be written where others may read it alone."""
        one = self.known[one.row.fact_id]
        if one.row.status != "live" or new.row.status != "live":
            return new
        if said_after(new, one) == "earlier" and one.writable:
            self._put(one, doubts=(*one.row.doubts, Doubt(new.row.fact_id, kind, self._now)))
            return new
        doubt = Doubt(one.row.fact_id, kind, self._now)
        return replace(new, row=replace(new.row, doubts=(*new.row.doubts, doubt)))

    def _said_again(self, one: Known, new: Known) -> tuple[Doubt, ...]:
        """The pairs of a fact that is said again: of two in doubt, what was said last is the newer ("lives in Oslo",
        "moved to Bergen", "lives in Oslo")."""
        doubts = one.row.doubts
        for other in [known for known in self.known.values() if known.row.status == "live" and known.writable]:
            turned = {
                d for d in other.row.doubts if d.older == one.row.fact_id and d.kind == "maybe" and not d.decision
            }
            if turned and said_after(new, other) == "later" and not _confirmed_since(other.row, new.row):
                self._put(other, doubts=tuple(doubt for doubt in other.row.doubts if doubt not in turned))
                doubts = (*doubts, Doubt(other.row.fact_id, "maybe", self._now))
        return doubts

    def _ended(self, one: Known, new: Known, found: FactRelation, *, linked: bool) -> Known:
        """The older fact ends where the new one begins; what came before it does not reach further either."""
        row = new.row
        if row.valid_from is None and one.row.valid_from is not None:  # undated: it holds from now on
            row = replace(row, valid_from=self._now)
            self.changes.starts[row.fact_id] = self._now
        at = _begin(row)
        for before in self._line(one):
            if before.row.status != "withdrawn" and (before.row.valid_to is None or before.row.valid_to > at):
                self._close(before, at)
        head = self.known[one.row.fact_id]
        status: Literal["invalidated", "superseded"] = "invalidated" if found == "ends" else "superseded"
        self._put(head, status=status, invalidated_at=self._now, ended_by=row.fact_id)
        if linked:
            row = replace(row, supersedes=self._last(one).row.fact_id, chain_id=one.row.chain_id)
        return replace(new, row=row)

    def _held_between(self, one: Known, new: Known) -> Known:
        """A fact that came late, and was followed by what says the older one again: it held until then."""
        at = one.row.last_confirmed_at
        self.changes.ends[new.row.fact_id] = at
        row = replace(new.row, status="superseded", valid_to=at, invalidated_at=self._now, ended_by=one.row.fact_id)
        return replace(new, row=row)

    def _last(self, head: Known) -> Known:
        """The last fact of a chain: the head, or one after it that was withdrawn and keeps its place."""
        followed = {one.row.supersedes: one for one in self.known.values() if one.row.supersedes}
        while following := followed.get(head.row.fact_id):
            head = following
        return head

    def _before(self, head: Known, new: Known) -> Known:
        """Puts a fact that was said earlier between the first that begins after it and the one before that."""
        at, bound, after = _begin(new.row), _begin(head.row), head
        earlier: Known | None = None
        for one in self._line(head)[1:]:
            if one.row.status == "withdrawn":
                continue
            if _begin(one.row) <= at:
                earlier = one
                break
            bound, after = min(bound, _begin(one.row)), one
        if earlier and (earlier.row.valid_to is None or earlier.row.valid_to > at):
            self._close(earlier, at)
        previous = self.known[after.row.fact_id].row.supersedes  # one that was withdrawn keeps its place
        self._put(self.known[after.row.fact_id], supersedes=new.row.fact_id)
        self.changes.ends[new.row.fact_id] = bound
        row = replace(new.row, status="superseded", supersedes=previous, chain_id=head.row.chain_id, valid_to=bound)
        return replace(new, row=replace(row, invalidated_at=self._now, ended_by=after.row.fact_id))

    def _line(self, head: Known) -> list[Known]:
        """The chain back from a fact."""
        line, one = [head], head
        while one.row.supersedes and (before := self.known.get(one.row.supersedes)):
            line.append(before)
            one = before
        return line

    def _writable(self, head: Known) -> bool:
        line = self._line(head)
        return line[-1].row.supersedes is None and all(one.writable for one in line)

    def _hidden(self, head: Known, new: Known, order: Order) -> bool:
        """Whether one of the facts that would end is read by somebody who may not read what ends it."""
        line = self._line(head)
        ending = [(one, new) for one in line]
        if order == "earlier" or _confirmed_since(head.row, new.row):  # then the new one ends, too
            ending += [(new, one) for one in line]
        return any(newer.row.node_id in older.apart for older, newer in ending)

    def _close(self, one: Known, at: datetime) -> None:
        begin = _begin(one.row)
        held = at > begin
        self._put(one, valid_to=at if held else begin)
        self.changes.ends[one.row.fact_id] = at if held else None

    def _put(self, one: Known, **fields: object) -> None:
        self._set(replace(one, row=replace(one.row, **fields)))  # type: ignore[arg-type]

    def _set(self, one: Known) -> None:
        self.known[one.row.fact_id] = one
        self.changes.rows[one.row.fact_id] = one.row


def _begin(row: FactRow) -> datetime:
    return row.valid_from or BEGINNING


def _confirmed_since(row: FactRow, new: FactRow) -> bool:
    """Whether a fact was said again after a newer one was, which had begun by then."""
    at = row.last_confirmed_at
    return at is not None and new.said_at is not None and new.said_at < at and _begin(new) <= at


def said_after(new: Known, one: Known) -> Order:
    """When the new fact was said, compared with another. What has no date was said before it was stored, nobody knows when: a
    lease that comes in after "moved to Graz" may be older, "moved to Graz" that is said after the lease came in is newer."""
    a, b = (fact.row.said_at or fact.row.last_confirmed_at for fact in (new, one))
    if a is not None and b is not None and a != b:
        return "later" if a > b else "earlier"
    if new.row.record_id == one.row.record_id:
        return "same" if new.position == one.position else "later" if new.position > one.position else "earlier"
    return "later" if b is None and (a is None or a >= one.row.known_from) else "same"


def planned(chains: Chains, facts: Sequence[Known]) -> ChainChanges:
    """Enters facts in the order in which they were said."""
    for one in in_order(facts):
        chains.enter(one)
    return chains.changes


def in_order(facts: Iterable[Known]) -> list[Known]:
    """Facts in the order in which they were said; what is undated comes last."""
    last = datetime.max.replace(tzinfo=BEGINNING.tzinfo)
    return sorted(facts, key=lambda fact: (fact.row.said_at or last, fact.row.record_id, fact.position))


def attribute_of(
    fact_id: UUID, text: str, subject: str, said_at: datetime | None, text_from: datetime | None
) -> FactAttribute:
    """The attribute of a fact about that subject, empty where it speaks of none that is known, and until when its plan holds."""
    said = attribute_said(text, subject)
    read = FactAttribute(fact_id, holds_until=holds_until(text, subject, said_at), text_from=text_from)
    if said is None:
        return read
    kind = _kind(said.value, said_at)
    return replace(
        read,
        attribute=said.key[:LONGEST_KEY],
        label=said.label[:LONGEST_KEY],
        kind=kind,
        single=said.single,
    )


def _kind(value: str, said_at: datetime | None) -> ValueKind:
    if _MONTH.search(value) or dates_in(value, said_at):
        return "date"
    if _NUMBER.match(value) and not re.search(r"\d\s+[^\W\d_a-z]", value):
        return "number"
    return "name" if _NAME.match(value) else "text"
