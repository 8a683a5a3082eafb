"""One user's memory: its operations by subject, bound to the principal who calls them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import datetime
from typing import Any

from engine.domain.context import Context, ContextAnswer, ContextRequest
from engine.domain.ingest import Terms, check_expiry
from engine.domain.principal import Principal
from engine.domain.read_limits import UNLIMITED_READ, ReadLimits
from engine.domain.scope import USERS, MemoryScope, Origin, SourceKind, check_scopes
from engine.domain.search import DecayRequest, SearchAnswer, SearchRequest
from engine.errors import InvalidInput
from engine.operations.caller import Caller, Repeatable
from engine.operations.conversations import Conversations
from engine.operations.entities import Communities, Entities, Insights, Intentions, Profiles
from engine.operations.events import Events
from engine.operations.facts import Facts
from engine.operations.failures import Commits, Failures
from engine.operations.files import Documents, Files, Resources
from engine.operations.forgettings import Forgettings
from engine.operations.history import History, Retractions
from engine.operations.ingests import Exports, Ingests, Replays
from engine.operations.nodes import Edges, Grants, Nodes
from engine.operations.proposals import Proposals
from engine.operations.records import Records
from engine.operations.retention import RecordRetention
from engine.operations.searching import Searching


class Memory:
    """The memory of one user, as its principal may see it. Errors are those of `engine.errors`; missing and forbidden look the
    same."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.records, self.conversations, self.ingests = Records(caller), Conversations(caller), Ingests(caller)
        self.nodes, self.edges, self.proposals = Nodes(caller), Edges(caller), Proposals(caller)
        self.entities, self.profiles = Entities(caller), Profiles(caller)
        self.intentions = Intentions(caller)
        self.communities, self.insights = Communities(caller), Insights(caller)
        self.documents, self.files, self.resources = Documents(caller), Files(caller), Resources(caller)
        self.events, self.history, self.replays = Events(caller), History(caller), Replays(caller)
        self.grants, self.failures, self.commits = Grants(caller), Failures(caller), Commits(caller)
        self.facts, self.retractions, self.exports = Facts(caller), Retractions(caller), Exports(caller)
        self.forgettings, self.retention = Forgettings(caller), RecordRetention(caller)

    @property
    def principal(self) -> Principal:
        """Who calls."""
        return self._caller.principal

    def search(self, request: SearchRequest, limits: ReadLimits = UNLIMITED_READ) -> Coroutine[Any, Any, SearchAnswer]:
        """Navigates to the anchors, searches there, in a small memory everywhere. See `engine.operations.searching`."""
        return Searching(self._caller).search(request, limits)

    def search_decayed(self, request: DecayRequest) -> Coroutine[Any, Any, SearchAnswer]:
        """The best by meaning, confidence and age together, of all that may be read. See there."""
        return Searching(self._caller).search_decayed(request)

    def context(self, question: ContextRequest | str, tokens: int = 2000) -> Coroutine[Any, Any, Context]:
        """What matters to a question, as text for a prompt with at most so many tokens; a request says more. See there."""
        return Searching(self._caller).context(_asked(question, tokens))

    def answer(self, question: ContextRequest | str, tokens: int = 2000) -> Coroutine[Any, Any, ContextAnswer]:
        """The language model's answer from that context, with citations. See there."""
        return Searching(self._caller).answer(_asked(question, tokens))

    def within(self, scope: MemoryScope = USERS, *, source: SourceKind = "ingested") -> Memory:
        """The same memory inside a thread or workflow: what it stores belongs there, what it searches is all of the user's
        and this. `source` says how what it stores came in. Raises InvalidInput; only the user works within a scope."""
        check_scopes(self.principal, [scope])
        return Memory(replace(self._caller, origin=Origin(scope, source)))

    def on_terms(self, terms: Terms) -> Memory:
        """The same memory with terms for what it stores: the key of its session, limits of a write. Raises InvalidInput where
        what it stores would expire in the past, or another principal than the user says when."""
        if terms.expires_at is not None and not self.principal.owns:
            raise InvalidInput("Only the user of the graph says when something expires.")
        check_expiry(terms.expires_at, self._caller.parts.clock.now())
        return Memory(replace(self._caller, terms=terms))

    def anew(self, again: bool = True) -> Memory:
        """The same memory, that also stores what was forgotten: else Forgotten is raised where such a thing is sent again. Raises
        InvalidInput for what is neither True nor False."""
        if not isinstance(again, bool):
            raise InvalidInput("`again` is True or False: what is unclear stores nothing anew.")
        return self.on_terms(replace(self._caller.terms, again=again))

    def until(self, expires_at: datetime | None) -> Memory:
        """The same memory, that forgets at a time what it stores: records, facts, versions of documents, turns of conversations;
        None: never. A new version of what is stored may say another time. Raises InvalidInput for a time that is past, or without
        an offset from UTC, and for others than the user of the graph."""
        return self.on_terms(replace(self._caller.terms, expires_at=expires_at))

    def once(self, key: str | None, replayed: Callable[[], None] = lambda: None) -> Memory:
        """The same memory for one write with an idempotency key: a repeat gets the first answer, and `replayed` is called."""
        return Memory(replace(self._caller, repeatable=Repeatable(key, replayed) if key else None))


def _asked(question: ContextRequest | str, tokens: int) -> ContextRequest:
    return question if isinstance(question, ContextRequest) else ContextRequest(question, tokens)
