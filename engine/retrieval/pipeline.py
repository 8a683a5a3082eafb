"""The read path. A question becomes anchors, anchors become a scope, the scope gives candidates, candidates are ranked.

    parse → embed → anchors → scoped search ∥ relations that are asked for → fusion → contents of what is shown → rationale

One embedding, one Cypher round trip, two SQL round trips; no language model and no file is touched. Where the anchors hold
nothing, or nothing near, a third one searches everything; relations are read beside the search, where words of the question ask
for any. Opening a file that a hit names is the second phase, in another module.
Beside its hits an answer says where was searched, what a reader should know, and what its next page leaves out.

A search within limits, of time, of tokens, and, where the caller takes a part of it, without the graph:

    search → (the graph does not answer: all readable nodes, without anchors) → the hits that fit the tokens

What was cut, and what is only a part, is said in the notes of the answer; a note of a part begins with "Partial:".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

from engine.domain.clock import Clock, Moment, SystemClock
from engine.domain.entity import entity_number
from engine.domain.ingest import UNLIMITED, Limits
from engine.domain.node import LeftOut
from engine.domain.principal import Principal
from engine.domain.read_limits import UNLIMITED_READ, ReadLimits
from engine.domain.scope import check_scopes
from engine.domain.search import (
    NOTHING_GIVEN,
    AskedRelation,
    Given,
    Hit,
    SearchAnswer,
    SearchedNodes,
    SearchRequest,
    WidenedBy,
    cursor_after,
    given_before,
)
from engine.errors import NeurigraphError, ProviderUnavailable, StoreUnavailable
from engine.hierarchy.tables import Damage
from engine.progress import counted as number_of
from engine.providers.active import ActiveModel, Model
from engine.providers.calls import QUESTION, LimitReached, spending
from engine.retrieval.anchors import Anchors, Navigation, navigate
from engine.retrieval.asked_relations import AskedRelations
from engine.retrieval.fusion import Ranked, among, fuse, merged
from engine.retrieval.hits import Shown, explained, explained_hits, hits_of, marked, recall_of
from engine.retrieval.query import MOST_NODES_ASKED, Narrowing, Question, check_request, parse
from engine.retrieval.scoped_search import (
    EVERYTHING,
    SEEN_AFTER,
    QueryVector,
    Scanned,
    ScannedNodes,
    Scope,
    ScopedSearch,
    widening,
)
from engine.retrieval.weights import Weights
from engine.stores.limits import ending_within
from engine.stores.neo4j import STORE as GRAPH
from engine.stores.neo4j import Neo4j
from engine.stores.postgres import Postgres
from engine.stores.statements import sql_text
from engine.telemetry.stages import Pipeline, Stopwatch, counted
from engine.turns import both, computed

PARTIAL = "Partial:"
"""How the note of a partial answer begins."""
FIRST = 0.6
"""Share of the time that the first attempt has, where a second one without the graph may follow."""
EMBEDDING = 0.5
"""Share of the time of an attempt that the vector of the question may take; then it is searched by words."""


def following_of(ranked: Sequence[Ranked], shown: Shown, hits: Sequence[Hit]) -> list[UUID]:
    """What the next page leaves out of this one: the rows that were looked at, also those that vanished since, and the
    items whose states these are. Empty where no other candidate is left."""
    passed, damaged = set(shown.chosen), {one.node_id for one in shown.left_out}
    if all(one.candidate.item_id in passed or one.candidate.node_id in damaged for one in ranked):
        return []
    return list(dict.fromkeys((*(hit.item_id for hit in hits), *shown.chosen)))


def places_of(named: Sequence[UUID] | None, navigation: Navigation) -> SearchedNodes:
    """Where was searched. `named`: the nodes that the request names."""
    if named is not None:
        return "asked"
    return "all" if navigation.scope is None else "anchors"


def notes_of(request: SearchRequest, cut: int, hits: Sequence[Hit], scanned: Scanned, shown: Shown) -> Iterator[str]:
    """What a reader of the answer should know of it. `cut`: the question was cut to so many characters; 0: it was not."""
    if cut:
        yield f"The question was cut to {cut:,} characters."
    undated = sum(hit.occurred_at is None for hit in hits)
    if request.moment.as_of is not None and undated:
        yield f"{undated} of the hits have no date: they count as true at every time."
    if by_index := len(scanned.nodes_by_index):
        yield f"{by_index} large {_were(by_index)} searched by indexes: near items may be missing."
    if damaged := len(shown.left_out):
        yield f"{damaged} damaged {_were(damaged)} left out."


def _were(nodes: int) -> str:
    return "node was" if nodes == 1 else "nodes were"


stage = Pipeline("search")


class Search:
    """Answers questions from what the principal may read."""

    def __init__(
        self,
        postgres: Postgres,
        neo4j: Neo4j,
        active: ActiveModel,
        weights: Weights,
        clock: Clock | None = None,
        relations: AskedRelations | None = None,
    ) -> None:
        """`relations` None: answers have none."""
        self._relations = relations
        self._kinds = () if relations is None else tuple(relations.domain.labels)
        self._active, self._weights, self._clock = active, weights, clock or SystemClock()
        self._postgres, self._limit = postgres, postgres.limit
        self._anchors = Anchors(neo4j, weights.anchors)
        self.damage = Damage(postgres)
        self._scoped = ScopedSearch(postgres, weights, self.damage)
        self._narrowing = Narrowing(postgres, neo4j)

    @stage.run
    async def search(
        self, principal: Principal, request: SearchRequest, nodes: tuple[UUID, ...] | None = None
    ) -> SearchAnswer:
        """The best items for a question, with the anchors that led to them. `nodes`: where to look, instead of where
        the request says or the graph leads.

        A question longer than the ranking file's limit is cut, and the answer notes it; when the embedding service
        does not answer, the search uses words only. An answer uses one embedding version; where another one was
        promoted meanwhile, the search is repeated. Raises InvalidInput (an empty question, a limit outside 1 to 200),
        WrongDimension, StoreUnavailable; one timeout covers all stores.
        """
        check_request(request)
        check_scopes(principal, request.scopes)
        asked = _Asked(request, given_before(request), nodes)
        with ending_within(self._limit):
            answer = await self._of_active(principal, asked)
        counted(hits=len(answer.hits), nodes=answer.nodes_searched, items=answer.items_searched)
        return answer

    async def _of_active(self, principal: Principal, asked: _Asked) -> SearchAnswer:
        own = self._active.current
        answer, active = await self._answer(principal, asked, own)
        if active == own.name:
            return answer
        lost = None
        try:
            own = await self._active.follow()
        except NeurigraphError as error:
            lost = f"The embeddings {active} cannot be made here ({error.detail}): searched by words only."
        return (await self._answer(principal, asked, own, lost))[0]

    async def search_with(self, principal: Principal, request: SearchRequest, model: Model) -> SearchAnswer:
        """The same with the model of any version that has vectors; for comparisons."""
        check_request(request)
        return (await self._answer(principal, _Asked(request), model))[0]

    async def _answer(
        self, principal: Principal, asked: _Asked, model: Model, lost: str | None = None
    ) -> tuple[SearchAnswer, str]:
        """The answer with a model's vectors, and the version that was active then; `lost`: why it used words only."""
        request, given = asked.request, asked.given
        watch = stage.stopwatch()
        with watch("parse"):
            question = self._parsed(request)
        with watch("embed"):
            vector, notes = (QueryVector(None, model.version), [lost]) if lost else await self._embed(model, question)
        now = self._clock.now()
        moment = request.moment if given.known_at is None else replace(request.moment, known_at=given.known_at)
        with watch("anchors"):
            narrowed = await self._narrowing.narrowed(principal, request, moment, now)
            nodes = asked.nodes or narrowed.nodes
            navigation = await self._navigate(principal, nodes, request.widen, moment, question, vector)
        where = (request.scopes, request.sources, narrowed.filters)
        led = nodes is None and navigation.scope is not None and request.widen == "auto"
        scope = Scope(navigation.scope, request.kinds, moment, now, *where, asked.explain, widens=led)

        async def rank(within: Scope, watch: Stopwatch) -> tuple[Scanned, list[Ranked]]:
            with watch("search"):
                scanned = await self._scoped.scan(principal, within, question.terms, navigation.numbers, vector)
            with watch("rank"):
                asker = await self._asker(principal, question, moment, scanned)
                ranked = await asyncio.to_thread(self._ranked, scanned, question, vector, navigation, asker)
            return scanned, [one for one in ranked if not given.holds(one.candidate.item_id)]

        asking = self._asked(principal, question, navigation, request, nodes)
        no_anchor = navigation.scope is None and request.widen == "auto"
        found, relations = await both(self._found(partial(rank, watch=watch), scope, no_anchor=no_anchor), asking)
        scope, scanned, ranked = found.scope, found.scanned, found.ranked
        if found.widened_by in EVERYTHING:
            navigation = replace(navigation, scope=None)
        choose = partial(merged, namesakes=navigation.namesakes, limit=request.limit)
        with watch("contents"):
            shown = await self._shown(principal, scope, vector, ranked, choose, scanned.left_out)
            hits = await self._hits(principal, asked, shown, navigation, found.widened_by)
        explanation = explained(found, shown, len(hits), places_of(nodes, navigation)) if asked.explain else None
        if explanation and request.recall and scanned.nodes_by_index:
            with watch("recall"):
                _, exact = await rank(scope.exactly, stage.stopwatch())
            explanation = replace(explanation, recall=recall_of(choose(exact), shown))
        notes += notes_of(request, question.cut and self._weights.limits.query_characters, hits, scanned, shown)
        known_at, following = moment.known_at or now, following_of(ranked, shown, hits)
        answer = SearchAnswer(
            query=question.text,
            hits=hits,
            anchors=navigation.anchors,
            widened=navigation.scope is None,
            nodes_searched=scanned.nodes_searched,
            items_searched=scanned.items_searched,
            timings_ms=watch.done(),
            notes=tuple(notes),
            embeddings="" if vector.values is None else model.name,
            left_out=shown.left_out,
            known_at=known_at,
            next_cursor=cursor_after(request, known_at, following) if following else None,
            explanation=explanation,
            relations=relations,
        )
        return answer, scanned.active

    async def _found(self, rank: _Rank, scope: Scope, *, no_anchor: bool) -> ScannedNodes:
        """What the scan of a scope brings, or of all nodes where that of the anchors' is too little."""
        scanned, ranked = await rank(scope)
        thresholds = self._weights.widening if scope.widens else None
        widened_by = widening(scanned.widened_by, scanned.candidates, by_anchors=no_anchor, weights=thresholds)
        if widened_by in SEEN_AFTER:
            scope = replace(scope, nodes=None, widens=False)
            scanned, ranked = await rank(scope)
        return ScannedNodes(scope, scanned, ranked, widened_by)

    async def _hits(
        self, principal: Principal, asked: _Asked, shown: Shown, navigation: Navigation, widened_by: WidenedBy | None
    ) -> tuple[Hit, ...]:
        """What is shown, facts in doubt with their marks, without what earlier pages gave."""
        telling = partial(hits_of, shown, navigation, self._kinds, owns=principal.owns, widened_by=widened_by)
        hits = await asyncio.to_thread(telling)
        if asked.explain:
            hits = explained_hits(hits, shown, self._weights)
        hits = await marked(self._postgres, principal, asked.request.moment, hits)
        return tuple(
            hit for hit in hits if not asked.given.holds(hit.item_id)
        )  # states of items that have changed meanwhile

    async def _asked(
        self,
        principal: Principal,
        question: Question,
        navigation: Navigation,
        request: SearchRequest,
        nodes: Sequence[UUID] | None,
    ) -> tuple[AskedRelation, ...]:
        if self._relations is None or nodes is not None:  # the graph, which is not asked then, may be down
            return ()
        return await self._relations.asked(principal, question, navigation, request)

    def _parsed(self, request: SearchRequest) -> Question:
        question = parse(request.query, request.moment.as_of or self._clock.now(), self._weights.limits)
        if request.moment.as_of is None:
            return question
        return replace(question, asked_time="past")  # what is true then is not what is newest

    def _ranked(
        self, scanned: Scanned, question: Question, vector: QueryVector, navigation: Navigation, asker: frozenset[int]
    ) -> list[Ranked]:
        named = set(navigation.numbers)
        beside = among(scanned.candidates, vector.tokens, named, scanned.passages_searched, self._weights)
        return fuse(scanned.candidates, question, navigation.strengths, self._weights, beside, asker)

    async def _shown(
        self,
        principal: Principal,
        scope: Scope,
        vector: QueryVector,
        ranked: Sequence[Ranked],
        choose: Callable[[Sequence[Ranked]], Sequence[Ranked]],
        left_out: tuple[LeftOut, ...],
    ) -> Shown:
        """The chosen candidates with their contents, without items that vanished since, and without damaged nodes: those that the
        scan left out, and further ones."""

        async def ask(left_out: tuple[LeftOut, ...]) -> Shown:
            without = {one.node_id for one in left_out}
            chosen = choose([one for one in ranked if one.candidate.node_id not in without])
            if not chosen:
                return Shown((), {}, left_out)
            starts = [one.link.start for one in chosen if one.link is not None and one.link.start is not None]
            asked = [one.candidate for one in chosen] + [start for start in starts if start.node_id not in without]
            contents = await self._scoped.contents(principal, scope, [(one.node_id, one.item_id) for one in asked])
            found = [one for one in chosen if (one.candidate.node_id, one.candidate.item_id) in contents]
            return Shown(tuple(found), contents, left_out, tuple(one.candidate.item_id for one in chosen))

        return (await self._scoped.without_damaged(principal, scope, vector, ask, left_out))[0]

    async def _embed(self, model: Model, question: Question) -> tuple[QueryVector, list[str]]:
        try:
            made = await self._active.patience.asked(lambda: model.embed_query(question.text), QUESTION)
        except ProviderUnavailable as error:
            cause = error.detail if isinstance(error, LimitReached) else "The embedding service did not answer."
            return QueryVector(None, model.version), [f"{cause.rstrip('.')}: searched by words only."]
        return QueryVector(made.vector, model.version, made.tokens), []

    async def _navigate(
        self,
        principal: Principal,
        nodes: tuple[UUID, ...] | None,
        widen: str,
        moment: Moment,
        question: Question,
        vector: QueryVector,
    ) -> Navigation:
        """Which nodes to search: those that the request names, or those that the anchors lead to."""
        if nodes is not None:
            return Navigation((), nodes, {})
        times = moment.graph_parameters(self._clock.now())
        found, entities = await self._anchors.find(principal, question, vector, times)
        return navigate(found, self._weights.anchors, widen, entities)

    async def _asker(
        self, principal: Principal, question: Question, moment: Moment, scanned: Scanned
    ) -> frozenset[int]:
        """The numbers of the user in the rows of items, for "I": read where a fact was found that may be about the user."""
        facts = any(one.family == "fact" for one in scanned.candidates)
        if self._relations is None or not (facts and principal.owns and question.of_self):
            return frozenset()
        return frozenset(
            entity_number(key) for one in await self._relations.entities.of_user(principal, moment) for key in one.keys
        )


_Rank = Callable[[Scope], Awaitable[tuple[Scanned, list[Ranked]]]]
"""Scans a scope and ranks what it holds."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request, what its earlier pages gave, and where to look, if not where it says or leads."""

    request: SearchRequest
    given: Given = NOTHING_GIVEN
    nodes: tuple[UUID, ...] | None = None

    @property
    def explain(self) -> bool:
        return self.request.explain or self.request.recall


class LimitedSearch:
    """Searches within `ReadLimits`."""

    def __init__(self, search: Search, postgres: Postgres, active: ActiveModel) -> None:
        self._search, self._postgres, self._active = search, postgres, active

    async def search(
        self, principal: Principal, request: SearchRequest, limits: ReadLimits = UNLIMITED_READ
    ) -> SearchAnswer:
        """The answer of a search within these limits. Raises what a search raises; StoreTimeout when the time is over."""
        seconds = limits.seconds(self._postgres.limit)
        with ending_within(seconds):
            if limits.partial:
                answer = await self._whole_or_part(principal, request, limits, seconds)
            else:
                answer = await self._attempt(principal, request, limits, seconds)
        if limits.max_tokens is None:
            return answer
        count = self._active.current.embedder.count_tokens
        return await computed(_within, request, answer, limits.max_tokens, count)

    async def _attempt(
        self,
        principal: Principal,
        request: SearchRequest,
        limits: ReadLimits,
        seconds: float,
        nodes: tuple[UUID, ...] | None = None,
    ) -> SearchAnswer:
        waiting = UNLIMITED if limits.max_ms is None else Limits(milliseconds=round(seconds * 1000 * EMBEDDING))
        with ending_within(seconds), spending(waiting):
            return await self._search.search(principal, request, nodes)

    async def _whole_or_part(
        self, principal: Principal, request: SearchRequest, limits: ReadLimits, seconds: float
    ) -> SearchAnswer:
        led = request.nodes is None and not request.filters.below
        try:
            answer = await self._attempt(principal, request, limits, seconds * FIRST if led else seconds)
        except StoreUnavailable as error:
            if not led or error.store != GRAPH:
                raise
            answer = await self._without_graph(principal, request, limits, seconds)
            answer = noted(answer, f"{PARTIAL} {error.detail.partition(';')[0]}: all readable nodes, without anchors.")
        if not answer.embeddings and answer.nodes_searched:
            answer = noted(answer, f"{PARTIAL} by words only.")
        return answer

    async def _without_graph(
        self, principal: Principal, request: SearchRequest, limits: ReadLimits, seconds: float
    ) -> SearchAnswer:
        asked = {"user_id": principal.user_id, "most": MOST_NODES_ASKED}
        nodes = tuple(await self._postgres.fetch(principal, sql_text("context/nodes"), asked, row=UUID))
        if not nodes:
            return SearchAnswer(request.query, (), (), widened=True, nodes_searched=0, items_searched=0)
        answer = await self._attempt(principal, request, limits, seconds * (1 - FIRST), nodes)
        return replace(answer, widened=True)


def noted(answer: SearchAnswer, *notes: str) -> SearchAnswer:
    """The answer with further notes."""
    return replace(answer, notes=(*answer.notes, *notes))


def partial_notes(notes: Sequence[str]) -> tuple[str, ...]:
    """What notes say of an answer that is only a part; empty where it is whole."""
    return tuple(note.removeprefix(PARTIAL).strip() for note in notes if note.startswith(PARTIAL))


def _within(request: SearchRequest, answer: SearchAnswer, most: int, count: Callable[[str], int]) -> SearchAnswer:
    """The best hits whose contents have at most so many tokens together."""
    taken: list[Hit] = []
    tokens = 0
    for hit in answer.hits:
        tokens += count(hit.content)
        if tokens > most:
            break
        taken.append(hit)
    left = len(answer.hits) - len(taken)
    if not left:
        return answer
    note = f"{number_of(left, 'hit')} left out: the contents of all have more than {most:,} tokens."
    passed = [hit.item_id for hit in taken or answer.hits[:1]]  # one that alone is too long is not tried again
    following = cursor_after(request, answer.known_at, passed) if answer.known_at else None
    explanation = answer.explanation
    if explanation is not None:
        explanation = replace(explanation, not_shown=replace(explanation.not_shown, tokens=left))
    return noted(replace(answer, hits=tuple(taken), next_cursor=following, explanation=explanation), note)
