"""The context of a question, for a model.

    search ∥ names of the question ∥ who the user is → entities, relations, facts → texts and neighbours → what fits

One search, and at most nineteen statements more: fifteen on the graph (`about`), four on Postgres. One time limit for all.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Sequence
from functools import cache
from time import perf_counter
from typing import TypeVar
from uuid import UUID

from engine.domain.clock import NOW, Clock
from engine.domain.context import Context, ContextItem, ContextRequest
from engine.domain.principal import Principal
from engine.domain.search import AskedRelation, SearchAnswer
from engine.domain.terms import words
from engine.errors import StoreUnavailable
from engine.facts.about import doubts_among
from engine.language.tables import alternatives
from engine.providers.active import ActiveModel
from engine.retrieval.budgets import FIRST, PARTIAL, LimitedSearch, partial_notes
from engine.retrieval.context.about import About, FactPlace, Knowledge, asked_line, placed
from engine.retrieval.context.drafts import Found, beside, drafted
from engine.retrieval.context.text import Fitted, fitted
from engine.retrieval.query import Question, parse
from engine.retrieval.weights import SearchLimits
from engine.stores.limits import ending_within
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text
from engine.turns import both, computed


def asks_past(question: Question) -> bool:
    """Whether it asks for earlier states: by its words, or by a date of the past."""
    dated = bool(question.dates) and question.asked_time == "past"
    return dated or _past().search(question.text) is not None


@cache
def _past() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{alternatives('questions', 'history')})\b", re.IGNORECASE)


Answer = TypeVar("Answer")
NOTHING = SearchAnswer("", (), (), widened=False, nodes_searched=0, items_searched=0)
NOTHING_KNOWN = About()


class Contexts:
    """Puts together what a memory holds that matters to a question, as far as the principal may read it."""

    def __init__(
        self,
        search: LimitedSearch,
        knowledge: Knowledge,
        postgres: Postgres,
        active: ActiveModel,
        limits: SearchLimits,
        clock: Clock,
    ) -> None:
        self._search, self._knowledge, self._postgres = search, knowledge, postgres
        self._active, self._limits, self._clock = active, limits, clock

    async def context(self, principal: Principal, request: ContextRequest) -> Context:
        """The context. Raises what a search raises; with `partial` what does not answer is left out and named."""
        began = perf_counter()
        count = self._active.current.embedder.count_tokens
        seconds = request.limits.seconds(self._postgres.limit)
        with ending_within(seconds):
            gathering = _Gathering(self._knowledge, principal, request)
            question = parse(request.question, self._clock.now(), self._limits)
            searched, _ = await both(
                self._search.search(principal, request.search, request.limits),
                gathering.first(question, seconds),
            )
            searched_at = perf_counter()
            if searched.nodes_searched:
                await gathering.second(searched.relations, past=asks_past(question))
            items = await gathering.or_less(self._items(principal, request, searched, gathering), {})
            facts = [one.item_id for one in items.values() if one.kind == "fact"]
            found = Found(
                searched.hits,
                gathering.about,
                gathering.of_user,
                items,
                tuple(map(asked_line, searched.relations)),
                await gathering.or_less(doubts_among(self._postgres, principal, request.moment, facts), ()),
                frozenset(words(question.text)),
                question.state_in,
            )

        def composed() -> Fitted:
            return fitted(drafted(found, count), request.question, request.tokens, count)

        fit = await computed(composed)
        ended_at = perf_counter()
        times = {"search": searched_at - began, "rest": ended_at - searched_at, "total": ended_at - began}
        return Context(
            question=searched.query,
            text=fit.text,
            tokens=fit.tokens,
            pieces=fit.pieces,
            left_out=fit.left_out,
            partial=(*partial_notes(searched.notes), *gathering.missing),
            notes=tuple(note for note in searched.notes if not note.startswith(PARTIAL)) + _notes(request),
            key=fit.key,
            nodes_searched=searched.nodes_searched,
            items_searched=searched.items_searched,
            timings_ms={step: round(seconds * 1000, 3) for step, seconds in times.items()},
        )

    async def warm(self, principal: Principal) -> None:
        """Has the stores plan the statements of a context, for a principal that need not exist."""
        await self._knowledge.warm(principal)
        hit = FactPlace(principal.user_id, principal.user_id)
        asked = ContextRequest("warm")
        known = _Gathering(self._knowledge, principal, asked, About(facts=(hit,)))
        await self._items(principal, asked, NOTHING, known)

    async def _items(
        self, principal: Principal, request: ContextRequest, searched: SearchAnswer, gathering: _Gathering
    ) -> dict[UUID, ContextItem]:
        """The hits, what stands beside them, and the facts, as they were at the moment."""
        facts = [*gathering.of_user, *gathering.about.facts]
        damaged = {one.node_id for one in searched.left_out}
        nodes = {hit.node_id for hit in searched.hits} | {one.node_id for one in facts}
        if request.nodes is None:
            nodes |= {anchor.node_id for anchor in searched.anchors}
        items = {hit.item_id for hit in searched.hits} | {one.fact_id for one in facts}
        items |= {place for hit in searched.hits for place in beside(hit)}
        if not items:
            return {}
        asked = placed(request, self._clock.now()) | {
            "nodes": list(nodes - damaged),
            "items": list(items),
            "ended": list(gathering.about.ended),
        }
        rows = await self._postgres.fetch(principal, sql_text("context/items"), asked, row=ContextItem)
        return {row.item_id: row for row in rows}


class _Gathering:
    """What the knowledge graph gives, and, where a part is enough, what it does not."""

    def __init__(
        self, knowledge: Knowledge, principal: Principal, request: ContextRequest, about: About = NOTHING_KNOWN
    ) -> None:
        self._knowledge, self._principal, self._request = knowledge, principal, request
        self._partial = request.partial
        self._named: Sequence[UUID] = ()
        self.of_user: Sequence[FactPlace] = ()
        self.about = about
        self.missing: list[str] = []

    async def first(self, question: Question, seconds: float) -> None:
        """Which entities the question names, the user among them for "I", and who the user is; nothing where filters say what it
        is made of."""
        if self._request.filtered:
            return
        principal, moment = self._principal, self._request.moment
        with ending_within(seconds * FIRST if self._partial else seconds):
            (named, asker), self.of_user = await both(
                both(
                    self.or_less(self._knowledge.named(principal, question.name_keys, moment), []),
                    self.or_less(self._knowledge.asker(principal, self._request), []) if question.of_self else nobody(),
                ),
                self.or_less(self._knowledge.of_user(principal, self._request), ()),
            )
            self._named = list(dict.fromkeys([*named, *asker]))

    async def second(self, asked: Sequence[AskedRelation], *, past: bool) -> None:
        """What is known of these entities, without the relations that the answer of the search has."""
        if self._named:
            told = {one.relation.relation_id for one in asked}
            known = self._knowledge.about(self._principal, self._named, self._request, past=past, without=told)
            self.about = await self.or_less(known, NOTHING_KNOWN)

    async def or_less(self, work: Awaitable[Answer], less: Answer) -> Answer:
        """The result of this, or less where a part is enough and a store does not answer."""
        try:
            return await work
        except StoreUnavailable as error:
            if not self._partial:
                raise
            note = f"{error.detail.partition(';')[0]}: without profiles, facts or neighbours that it holds."
            if note not in self.missing:
                self.missing.append(note)
            return less


async def nobody() -> list[UUID]:
    """No entity."""
    return []


def _notes(request: ContextRequest) -> tuple[str, ...]:
    if request.moment == NOW:
        return ()
    return ("At a moment of the past the context does not say who the user is: that is known as of now only.",)
