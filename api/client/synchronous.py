"""The operations of the REST API as methods; made by `python -m tests.contract.client` from the OpenAPI document."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, ParamSpec, Self, TypeVar
from uuid import UUID

import httpx

from api.client.errors import NotReached
from api.client.requests import OMIT, Call, Page, accepted, event_of, once, page_of, path, pause, value_of
from api.client.sending import DEFAULT_URL, TIMEOUT_S, checked, not_reached, options_of
from api.models import ConversationBody, ReviewedEntry, TextBody, WriteLimits
from api.questions import FiltersBody, ScopeBody
from api.routes.health import Liveness, Readiness
from api.routes.proposals import ProposedNodeBody
from api.streams import StreamedTurnBody
from engine.domain.assignment import Assignment, Moved
from engine.domain.attribute import Attribute
from engine.domain.commit import CommitOutcome, CommitSummary
from engine.domain.community import Community, CommunityView, EntityMeaning, Insight
from engine.domain.context import Context, ContextAnswer
from engine.domain.delta import Changed, Delta, SubjectState
from engine.domain.difference import DifferencePage
from engine.domain.document import DocumentChunk, DocumentVersion, StoredDocument
from engine.domain.embedding import BuildReport, EmbeddingVersion, VersionProgress
from engine.domain.entity import Entity, EntityFact, EntitySummary, Merge, Pair, Relation, Why
from engine.domain.entity_decision import Alias
from engine.domain.event import Event
from engine.domain.fact import Fact, FactChain
from engine.domain.file_state import FileStatus, StateEntry
from engine.domain.grant import AccessEntry, GivenGrant, Grant, GrantPreview, Integration, RevokedGrant, Viewer
from engine.domain.ingest import Failure, IngestedSource, IngestSession
from engine.domain.intention import Intention
from engine.domain.job import JobState, Run
from engine.domain.metadata import MetadataPage, RegisteredEdge
from engine.domain.node import ChildNode, CreatedEdge, ProvisionedNode, Shell, TreeNode, User
from engine.domain.profile import FactGroup, Profile
from engine.domain.proposal import Applied, MovedTo, Proposal
from engine.domain.record import IngestReport
from engine.domain.replay import Replay, ReplayComparison
from engine.domain.resource import RawResource
from engine.domain.retraction import Retraction, RetractionPreview
from engine.domain.search import Anchor, SearchAnswer
from engine.domain.stream import Appended, EndedStream, StreamState
from engine.domain.token import IssuedToken, Token

P = ParamSpec("P")
T = TypeVar("T")


class Sender:
    """Sends requests, one after the other or from several threads. Close it, or use it in a `with` statement."""

    def __init__(self, url: str = DEFAULT_URL, token: str | None = None, *, timeout: float = TIMEOUT_S) -> None:
        """`timeout`: seconds to connect, and between two parts of an answer. Raises ValueError for a wrong address or token."""
        self._http = httpx.Client(base_url=checked(url), **options_of(token, timeout))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def each(self, method: Callable[P, Page[T]], *args: P.args, **given: P.kwargs) -> Iterator[T]:
        """All entries of a list, page after page: `client.each(client.list_entities, user_id)`."""
        while True:
            page = method(*args, **given)
            for one in page:
                yield one
            if page.cursor is None:
                return
            given["cursor"] = page.cursor

    def _send(self, call: Call) -> httpx.Response:
        attempt = 1
        while True:
            outcome: httpx.Response | httpx.RequestError
            try:
                outcome = self._http.request(**call.sent())
            except httpx.RequestError as error:
                outcome = error
            wait = pause(call, attempt, outcome)
            if wait is None:
                if isinstance(outcome, httpx.RequestError):
                    raise not_reached(call, outcome) from outcome
                return outcome
            time.sleep(wait)
            attempt += 1

    def _value(self, call: Call, shape: type[T]) -> T:
        return value_of(self._send(call), shape)

    def _page(self, call: Call, shape: type[T]) -> Page[T]:
        return page_of(self._send(call), shape)

    def _file(self, call: Call, waiting: type[T]) -> bytes | T:
        response = self._send(call)
        return value_of(response, waiting) if response.status_code == 202 else value_of(response, bytes)

    def _events(self, call: Call, shape: type[T]) -> Iterator[T]:
        try:
            with self._http.stream(**call.sent()) as response:
                if not response.is_success:
                    response.read()
                accepted(response)
                if not response.headers.get("Content-Type", "").startswith("text/event-stream"):
                    raise NotReached(f"The answer of {call.path} holds no events.")
                lines: list[str] = []
                for line in response.iter_lines():
                    if line:
                        lines.append(line)
                    elif (value := event_of(lines, shape)) is not None:
                        yield value
                    lines = lines if line else []
        except httpx.RequestError as error:
            raise not_reached(call, error) from error


class Client(Sender):
    """The REST API, for threads. Raises ApiError for a refusal, NotReached without an answer."""

    def is_alive(self) -> Liveness:
        """Whether the process is alive; queries no store."""
        return self._value(Call("GET", "/v1/health/live", repeats=False), Liveness)

    def is_ready(self) -> Readiness:
        """Whether the engine is open, its search is prepared, and every store answers; else 503 with the same members.

        Returns within three seconds, even if a store hangs."""
        return self._value(Call("GET", "/v1/health/ready", repeats=False), Readiness)

    def create_user(self, *, handle: str, display_name: str = OMIT) -> User:
        """The user with this handle, created with a root node if it does not exist; repeating it changes nothing."""
        return self._value(Call("POST", "/v1/users", body={"handle": handle, "display_name": display_name}), User)

    def list_users(self, *, after: str = OMIT, limit: int = OMIT, cursor: str | None = OMIT) -> Page[User]:
        """Users by handle, one page; archived ones are marked."""
        return self._page(Call("GET", "/v1/users", query={"after": after, "limit": limit, "cursor": cursor}), User)

    def find_user(self, handle: str) -> User:
        """The user with this handle; a user finds only itself."""
        return self._value(Call("GET", path("/v1/users/by-handle/{}", handle)), User)

    def get_user(self, user_id: UUID | str) -> User:
        """The user with this id; a user finds only itself."""
        return self._value(Call("GET", path("/v1/users/{}", user_id)), User)

    def create_token(
        self,
        *,
        principal_kind: Literal["user", "persona", "third_party", "administrator"],
        name: str,
        principal_id: UUID | str | None = OMIT,
        expires_at: datetime | str | None = OMIT,
    ) -> IssuedToken:
        """Creates a token; its secret is returned only in this answer."""
        return self._value(
            Call(
                "POST",
                "/v1/tokens",
                body={
                    "principal_kind": principal_kind,
                    "principal_id": principal_id,
                    "name": name,
                    "expires_at": expires_at,
                },
                repeats=False,
            ),
            IssuedToken,
        )

    def list_tokens(
        self, *, after: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Token]:
        """Tokens without their secrets, newest first, one page; expired and revoked ones, too."""
        return self._page(Call("GET", "/v1/tokens", query={"after": after, "limit": limit, "cursor": cursor}), Token)

    def rotate_token(self, token_id: UUID | str, *, grace_s: int = OMIT) -> IssuedToken:
        """Creates a token with a new secret for the same principal; the old one expires now, or after the grace time."""
        return self._value(
            Call("POST", path("/v1/tokens/{}/rotate", token_id), body={"grace_s": grace_s}, repeats=False), IssuedToken
        )

    def revoke_token(self, token_id: UUID | str) -> Token:
        """Revokes a token at once; repeating it changes nothing."""
        return self._value(Call("DELETE", path("/v1/tokens/{}", token_id)), Token)

    def create_integration(self, *, name: str) -> Integration:
        """The integration of this name, created if it does not exist; repeating it changes nothing."""
        return self._value(Call("POST", "/v1/integrations", body={"name": name}), Integration)

    def list_integrations(
        self, *, after: str = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Integration]:
        """Integrations by name, one page."""
        return self._page(
            Call("GET", "/v1/integrations", query={"after": after, "limit": limit, "cursor": cursor}), Integration
        )

    def list_embedding_versions(self, *, limit: int = OMIT, cursor: str | None = OMIT) -> Page[EmbeddingVersion]:
        """All versions, oldest first."""
        return self._page(
            Call("GET", "/v1/embedding-versions", query={"limit": limit, "cursor": cursor}), EmbeddingVersion
        )

    def start_canary(
        self,
        *,
        model: str,
        provider: Literal["onnx", "openai"] = OMIT,
        compression: Literal["float32", "halfvec"] | None = OMIT,
    ) -> EmbeddingVersion:
        """Creates a canary of a model, without vectors yet; repeating it returns the same one."""
        return self._value(
            Call(
                "POST",
                "/v1/embedding-versions",
                body={"provider": provider, "model": model, "compression": compression},
                repeats=False,
            ),
            EmbeddingVersion,
        )

    def get_embedding_version(self, name: str) -> VersionProgress:
        """The progress of a version; it counts every text, so do not poll it every second."""
        return self._value(Call("GET", path("/v1/embedding-versions/{}", name)), VersionProgress)

    def drop_embeddings(self, name: str) -> EmbeddingVersion:
        """Deletes the vectors of a version that is not active."""
        return self._value(Call("DELETE", path("/v1/embedding-versions/{}", name)), EmbeddingVersion)

    def build_embeddings(self, name: str, *, most: int = OMIT, duty: float = OMIT) -> BuildReport:
        """Makes some of a version's missing vectors and returns how many remain; repeat it until none does."""
        return self._value(
            Call(
                "POST", path("/v1/embedding-versions/{}/build", name), body={"most": most, "duty": duty}, repeats=False
            ),
            BuildReport,
        )

    def compare_embeddings(self, name: str, *, samples: int = OMIT) -> dict[str, Any]:
        """Compares the version with the active one on stored texts; the result is kept with it."""
        return self._value(
            Call("POST", path("/v1/embedding-versions/{}/compare", name), body={"samples": samples}, repeats=False),
            dict[str, Any],
        )

    def promote_embeddings(self, name: str, *, force: bool = OMIT) -> VersionProgress:
        """Makes the canary the active version, in one step."""
        return self._value(
            Call("POST", path("/v1/embedding-versions/{}/promote", name), body={"force": force}, repeats=False),
            VersionProgress,
        )

    def roll_back_embeddings(self, name: str) -> VersionProgress:
        """Rolls back the active version, which is named, to the previous one, in one step."""
        return self._value(
            Call("POST", path("/v1/embedding-versions/{}/rollback", name), body={}, repeats=False), VersionProgress
        )

    def provision_node(
        self,
        user_id: UUID | str,
        *,
        name: str,
        parent_id: UUID | str | None = OMIT,
        node_type: Literal["concept", "persona"] = OMIT,
        summary: str = OMIT,
        keywords: Sequence[str] = OMIT,
        aliases: Sequence[str] = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> ProvisionedNode:
        """Creates a child node in all stores, atomically. Layer 5 is the deepest."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/nodes", user_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={
                    "name": name,
                    "parent_id": parent_id,
                    "node_type": node_type,
                    "summary": summary,
                    "keywords": keywords,
                    "aliases": aliases,
                },
            ),
            ProvisionedNode,
        )

    def get_shell(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        if_none_match: str | None = OMIT,
    ) -> Shell:
        """The current shell: identity, path, children with their states, edges, the newest manifest entries."""
        return self._value(
            Call(
                "GET",
                path("/v1/users/{}/nodes/{}", user_id, node_id),
                query={"as_of": as_of, "known_at": known_at},
                headers={"If-None-Match": if_none_match},
            ),
            Shell,
        )

    def change_node(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        *,
        effective_at: datetime | str | None = OMIT,
        correction: bool = OMIT,
        reason: str = OMIT,
        name: str = OMIT,
        summary: str = OMIT,
        keywords: Sequence[str] = OMIT,
        aliases: Sequence[str] = OMIT,
        parent_id: UUID | str = OMIT,
        archived: bool = OMIT,
        if_match: str | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Changed:
        """Renames, describes or moves a node. Its schema, files and ids stay the same; only its path changes."""
        return self._value(
            Call(
                "PATCH",
                path("/v1/users/{}/nodes/{}", user_id, node_id),
                headers={"If-Match": if_match, "Idempotency-Key": once(idempotency_key)},
                body={
                    "effective_at": effective_at,
                    "correction": correction,
                    "reason": reason,
                    "name": name,
                    "summary": summary,
                    "keywords": keywords,
                    "aliases": aliases,
                    "parent_id": parent_id,
                    "archived": archived,
                },
            ),
            Changed,
        )

    def list_children(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[ChildNode]:
        """The children of a node, by name, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/nodes/{}/children", user_id, node_id),
                query={"as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
            ),
            ChildNode,
        )

    def get_metadata(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> MetadataPage:
        """Records of a node, newest first, one page; no file is opened."""
        return self._value(
            Call(
                "GET",
                path("/v1/users/{}/nodes/{}/metadata", user_id, node_id),
                query={"as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
            ),
            MetadataPage,
        )

    def touch(self, user_id: UUID | str, node_id: UUID | str, *, ids: Sequence[UUID | str] = OMIT) -> None:
        """Marks the node, and these of its items and records, as used: access times and counts follow in some seconds."""
        self._value(Call("POST", path("/v1/users/{}/nodes/{}/touch", user_id, node_id), body={"ids": ids}), object)

    def get_tree(
        self,
        user_id: UUID | str,
        *,
        depth: int = OMIT,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[TreeNode]:
        """The first 10,000 nodes of the graph, parents first, one page; for its user."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/tree", user_id),
                query={"depth": depth, "as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
            ),
            TreeNode,
        )

    def find_anchors(
        self,
        user_id: UUID | str,
        *,
        name: str,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Anchor]:
        """All nodes with this name or alias and their paths, one page; archived ones are marked, they are not searched."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/anchors", user_id),
                query={"name": name, "as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
            ),
            Anchor,
        )

    def list_edges(
        self,
        user_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[RegisteredEdge]:
        """All cross-node edges, by the names of their ends, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/edges", user_id),
                query={"as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
            ),
            RegisteredEdge,
        )

    def relate_nodes(
        self,
        user_id: UUID | str,
        *,
        source_id: UUID | str,
        target_id: UUID | str,
        edge_type: str,
        properties: Mapping[str, Any] = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> CreatedEdge:
        """Creates a cross-node edge; the same type between the same nodes is one edge."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/edges", user_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"source_id": source_id, "target_id": target_id, "edge_type": edge_type, "properties": properties},
            ),
            CreatedEdge,
        )

    def list_entities(
        self,
        user_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
        kind: Sequence[str] | None = OMIT,
        name: str = OMIT,
        all: bool = OMIT,
    ) -> Page[EntitySummary]:
        """Entities, those with most mentions first, one page; without `all` or `name` none that a single passage
        mentions."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/entities", user_id),
                query={
                    "as_of": as_of,
                    "known_at": known_at,
                    "limit": limit,
                    "cursor": cursor,
                    "kind": kind,
                    "name": name,
                    "all": all,
                },
            ),
            EntitySummary,
        )

    def get_entity(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
    ) -> Entity:
        """One entity: names, nodes, latest mentions. Of a merged one, that which it is part of."""
        return self._value(
            Call(
                "GET",
                path("/v1/users/{}/entities/{}", user_id, entity_id),
                query={"as_of": as_of, "known_at": known_at},
            ),
            Entity,
        )

    def correct_entity(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        name: str | None = OMIT,
        kind: str | None = OMIT,
        reason: str = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Entity:
        """Corrects the display name of an entity, its kind, or both, for good; the old name stays one of its names."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/entities/{}/correct", user_id, entity_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"name": name, "kind": kind, "reason": reason},
            ),
            Entity,
        )

    def list_aliases(
        self, user_id: UUID | str, entity_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Alias]:
        """Names and addresses that lead to an entity, one page; for the user alone."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/entities/{}/aliases", user_id, entity_id),
                query={"limit": limit, "cursor": cursor},
            ),
            Alias,
        )

    def add_alias(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        type: Literal["name", "email", "phone", "handle", "url", "id"],
        value: str,
        idempotency_key: str | None = OMIT,
    ) -> Alias:
        """Gives an entity an alias, verified: where a text has it, that entity is meant."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/entities/{}/aliases", user_id, entity_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"type": type, "value": value},
            ),
            Alias,
        )

    def verify_alias(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        type: Literal["name", "email", "phone", "handle", "url", "id"],
        value: str,
        idempotency_key: str | None = OMIT,
    ) -> Alias:
        """Vouches for an alias that the entity has."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/entities/{}/aliases/verify", user_id, entity_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"type": type, "value": value},
            ),
            Alias,
        )

    def remove_alias(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        type: Literal["name", "email", "phone", "handle", "url", "id"],
        value: str,
        idempotency_key: str | None = OMIT,
    ) -> Alias:
        """Takes an alias from an entity: it is free for another one."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/entities/{}/aliases/remove", user_id, entity_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"type": type, "value": value},
            ),
            Alias,
        )

    def list_relations(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        ended: bool = OMIT,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Relation]:
        """The strongest 1,000 relations of an entity, in both directions, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/entities/{}/relations", user_id, entity_id),
                query={"ended": ended, "as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
            ),
            Relation,
        )

    def list_entity_facts(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        ended: bool = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[EntityFact]:
        """The strongest 1,000 live facts about an entity, those that it is the subject of first, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/entities/{}/facts", user_id, entity_id),
                query={"ended": ended, "limit": limit, "cursor": cursor},
            ),
            EntityFact,
        )

    def get_entity_profile(self, user_id: UUID | str, entity_id: UUID | str) -> Profile:
        """What is known of an entity now, in at most 300 tokens, composed of what the caller may read."""
        return self._value(Call("GET", path("/v1/users/{}/entities/{}/profile", user_id, entity_id)), Profile)

    def get_user_profile(
        self,
        user_id: UUID | str,
        *,
        by: Literal["type", "category"] = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[FactGroup]:
        """The live facts of the user's memory in groups, with the ten strongest of each, one page; for the user alone."""
        return self._page(
            Call("GET", path("/v1/users/{}/profile", user_id), query={"by": by, "limit": limit, "cursor": cursor}),
            FactGroup,
        )

    def why_relation(
        self,
        user_id: UUID | str,
        relation_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
    ) -> Why:
        """The records that state a relation, and where."""
        return self._value(
            Call(
                "GET",
                path("/v1/users/{}/relations/{}/why", user_id, relation_id),
                query={"as_of": as_of, "known_at": known_at},
            ),
            Why,
        )

    def archive_relation(
        self, user_id: UUID | str, relation_id: UUID | str, *, reason: str = OMIT, idempotency_key: str | None = OMIT
    ) -> Relation:
        """Sets a relation aside that the user finds wrong, whatever states it from then on."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/relations/{}/archive", user_id, relation_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"reason": reason},
            ),
            Relation,
        )

    def restore_relation(
        self, user_id: UUID | str, relation_id: UUID | str, *, reason: str = OMIT, idempotency_key: str | None = OMIT
    ) -> Relation:
        """Lets an archived relation count again. Repeating it changes nothing."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/relations/{}/restore", user_id, relation_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"reason": reason},
            ),
            Relation,
        )

    def describe_relation(
        self,
        user_id: UUID | str,
        relation_id: UUID | str,
        *,
        properties: Mapping[str, Any],
        idempotency_key: str | None = OMIT,
    ) -> Relation:
        """Gives a relation properties of the user's own, in place of those that it has."""
        return self._value(
            Call(
                "PUT",
                path("/v1/users/{}/relations/{}/properties", user_id, relation_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"properties": properties},
            ),
            Relation,
        )

    def review_entities(self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT) -> Page[Pair]:
        """Pairs of entities that may be one, the likeliest first; merge them, or tell them apart."""
        return self._page(
            Call("GET", path("/v1/users/{}/entity-pairs", user_id), query={"limit": limit, "cursor": cursor}), Pair
        )

    def tell_entities_apart(
        self, user_id: UUID | str, pair_id: UUID | str, *, idempotency_key: str | None = OMIT
    ) -> Pair:
        """Decides that the entities of a pair are two."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/entity-pairs/{}/apart", user_id, pair_id),
                headers={"Idempotency-Key": once(idempotency_key)},
            ),
            Pair,
        )

    def merge_entities(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        merged_id: UUID | str,
        reason: str = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Merge:
        """Takes another entity as part of this one: both are read as one from now on."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/entities/{}/merges", user_id, entity_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"merged_id": merged_id, "reason": reason},
            ),
            Merge,
        )

    def list_entity_merges(
        self,
        user_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Merge]:
        """The merges that hold, newest first."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/entity-merges", user_id),
                query={"as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
            ),
            Merge,
        )

    def undo_entity_merge(
        self, user_id: UUID | str, merge_id: UUID | str, *, idempotency_key: str | None = OMIT
    ) -> Merge:
        """Ends a merge; its entities are read apart again. Repeating it changes nothing."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/entity-merges/{}/undo", user_id, merge_id),
                headers={"Idempotency-Key": once(idempotency_key)},
            ),
            Merge,
        )

    def list_intentions(
        self,
        user_id: UUID | str,
        *,
        state: Literal["open", "done", "dropped"] | None = OMIT,
        entity_id: UUID | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Intention]:
        """Intentions that records state, those that are due first, then the newest, one page; for the user alone."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/intentions", user_id),
                query={"state": state, "entity_id": entity_id, "limit": limit, "cursor": cursor},
            ),
            Intention,
        )

    def decide_intention(
        self,
        user_id: UUID | str,
        intention_id: UUID | str,
        *,
        state: Literal["open", "done", "dropped"],
        reason: str = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Intention:
        """Says that an intention is done or dropped, or open again."""
        return self._value(
            Call(
                "PUT",
                path("/v1/users/{}/intentions/{}/state", user_id, intention_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"state": state, "reason": reason},
            ),
            Intention,
        )

    def list_communities(
        self,
        user_id: UUID | str,
        *,
        of: Literal["entities", "facts"] = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Community]:
        """The largest 500 communities or clusters, as they hold now, one page; for the user alone."""
        return self._page(
            Call("GET", path("/v1/users/{}/communities", user_id), query={"of": of, "limit": limit, "cursor": cursor}),
            Community,
        )

    def get_community(self, user_id: UUID | str, community_id: UUID | str) -> CommunityView:
        """A community or a cluster with its members and the relations between them."""
        return self._value(Call("GET", path("/v1/users/{}/communities/{}", user_id, community_id)), CommunityView)

    def list_insights(
        self,
        user_id: UUID | str,
        *,
        kind: Literal["insight", "pattern", "contradiction", "trend", "community"] | None = OMIT,
        ended: bool = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Insight]:
        """The newest 500 insights, one page; for the user alone."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/insights", user_id),
                query={"kind": kind, "ended": ended, "limit": limit, "cursor": cursor},
            ),
            Insight,
        )

    def get_entity_meaning(self, user_id: UUID | str, entity_id: UUID | str) -> EntityMeaning:
        """What the texts that mention an entity mean: words that set them apart, drift; for the user alone."""
        return self._value(Call("GET", path("/v1/users/{}/entities/{}/meaning", user_id, entity_id)), EntityMeaning)

    def propose_nodes(
        self,
        user_id: UUID | str,
        *,
        milliseconds: int | None = OMIT,
        tokens: int | None = OMIT,
        model_calls: int | None = OMIT,
    ) -> Proposal:
        """Proposes nodes for the people and matters in the turns at the root. Creates nothing. `left_out`: what a limit
        left out."""
        return self._value(
            Call(
                "GET",
                path("/v1/users/{}/node-proposal", user_id),
                query={"milliseconds": milliseconds, "tokens": tokens, "model_calls": model_calls},
            ),
            Proposal,
        )

    def make_proposed_nodes(
        self,
        user_id: UUID | str,
        *,
        nodes: Sequence[ProposedNodeBody | Mapping[str, Any]],
        idempotency_key: str | None = OMIT,
    ) -> Applied:
        """Creates the nodes of a proposal, edited or not, and moves records from the root that belong to one of them."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/node-proposal", user_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"nodes": nodes},
            ),
            Applied,
        )

    def undo_proposed_nodes(self, user_id: UUID | str, proposal_id: UUID | str) -> Page[MovedTo]:
        """Moves the proposal's records back to the root, except those moved again since; its nodes stay."""
        return self._page(
            Call("POST", path("/v1/users/{}/node-proposal/{}/undo", user_id, proposal_id), repeats=False), MovedTo
        )

    def change_record(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        record_id: UUID | str,
        *,
        effective_at: datetime | str | None = OMIT,
        correction: bool = OMIT,
        reason: str = OMIT,
        title: str = OMIT,
        summary: str = OMIT,
        kw_entities: Sequence[str] = OMIT,
        kw_topics: Sequence[str] = OMIT,
        kw_dates: Sequence[str] = OMIT,
        kw_relationships: Sequence[str] = OMIT,
        occurred_at: datetime | str | None = OMIT,
        ended: bool = OMIT,
        if_match: str | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Changed:
        """Changes a record by a delta, valid from now or from a given time; nothing is overwritten."""
        return self._value(
            Call(
                "PATCH",
                path("/v1/users/{}/nodes/{}/records/{}", user_id, node_id, record_id),
                headers={"If-Match": if_match, "Idempotency-Key": once(idempotency_key)},
                body={
                    "effective_at": effective_at,
                    "correction": correction,
                    "reason": reason,
                    "title": title,
                    "summary": summary,
                    "kw_entities": kw_entities,
                    "kw_topics": kw_topics,
                    "kw_dates": kw_dates,
                    "kw_relationships": kw_relationships,
                    "occurred_at": occurred_at,
                    "ended": ended,
                },
            ),
            Changed,
        )

    def get_record(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        record_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
    ) -> SubjectState:
        """A record as it was at a time; `fields` is null if it did not exist then."""
        return self._value(
            Call(
                "GET",
                path("/v1/users/{}/nodes/{}/records/{}", user_id, node_id, record_id),
                query={"as_of": as_of, "known_at": known_at},
            ),
            SubjectState,
        )

    def change_item(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        item_id: UUID | str,
        *,
        effective_at: datetime | str | None = OMIT,
        correction: bool = OMIT,
        reason: str = OMIT,
        content: str = OMIT,
        category: str = OMIT,
        tags: Sequence[str] = OMIT,
        subjects: Sequence[str] = OMIT,
        confidence: float = OMIT,
        importance: float = OMIT,
        occurred_at: datetime | str | None = OMIT,
        ended: bool = OMIT,
        if_match: str | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Changed:
        """Changes an item by a delta; searches of the past still find its old content."""
        return self._value(
            Call(
                "PATCH",
                path("/v1/users/{}/nodes/{}/items/{}", user_id, node_id, item_id),
                headers={"If-Match": if_match, "Idempotency-Key": once(idempotency_key)},
                body={
                    "effective_at": effective_at,
                    "correction": correction,
                    "reason": reason,
                    "content": content,
                    "category": category,
                    "tags": tags,
                    "subjects": subjects,
                    "confidence": confidence,
                    "importance": importance,
                    "occurred_at": occurred_at,
                    "ended": ended,
                },
            ),
            Changed,
        )

    def get_item(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        item_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
    ) -> SubjectState:
        """An item as it was at a time; `fields` is null if it did not exist then."""
        return self._value(
            Call(
                "GET",
                path("/v1/users/{}/nodes/{}/items/{}", user_id, node_id, item_id),
                query={"as_of": as_of, "known_at": known_at},
            ),
            SubjectState,
        )

    def change_edge(
        self,
        user_id: UUID | str,
        edge_id: UUID | str,
        *,
        effective_at: datetime | str | None = OMIT,
        correction: bool = OMIT,
        reason: str = OMIT,
        properties: Mapping[str, Any] = OMIT,
        ended: bool = OMIT,
        if_match: str | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Changed:
        """Changes a cross-node edge, ends it, or restores it."""
        return self._value(
            Call(
                "PATCH",
                path("/v1/users/{}/edges/{}", user_id, edge_id),
                headers={"If-Match": if_match, "Idempotency-Key": once(idempotency_key)},
                body={
                    "effective_at": effective_at,
                    "correction": correction,
                    "reason": reason,
                    "properties": properties,
                    "ended": ended,
                },
            ),
            Changed,
        )

    def get_edge(
        self,
        user_id: UUID | str,
        edge_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
    ) -> SubjectState:
        """A cross-node edge as it was at a time; `fields` is null if it did not hold then."""
        return self._value(
            Call("GET", path("/v1/users/{}/edges/{}", user_id, edge_id), query={"as_of": as_of, "known_at": known_at}),
            SubjectState,
        )

    def get_node_history(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Delta]:
        """Changes of a node by revision, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/nodes/{}/history", user_id, node_id),
                query={"after": after, "limit": limit, "cursor": cursor},
            ),
            Delta,
        )

    def get_record_history(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        record_id: UUID | str,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Delta]:
        """Changes of a record by revision, one page; needs the right to change it."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/nodes/{}/records/{}/history", user_id, node_id, record_id),
                query={"after": after, "limit": limit, "cursor": cursor},
            ),
            Delta,
        )

    def get_item_history(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        item_id: UUID | str,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Delta]:
        """Changes of an item by revision, one page; needs the right to change it."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/nodes/{}/items/{}/history", user_id, node_id, item_id),
                query={"after": after, "limit": limit, "cursor": cursor},
            ),
            Delta,
        )

    def get_edge_history(
        self,
        user_id: UUID | str,
        edge_id: UUID | str,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Delta]:
        """Changes of a cross-node edge by revision, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/edges/{}/history", user_id, edge_id),
                query={"after": after, "limit": limit, "cursor": cursor},
            ),
            Delta,
        )

    def get_difference(
        self,
        user_id: UUID | str,
        *,
        from_: datetime | str,
        to: datetime | str,
        node_id: UUID | str | None = OMIT,
        subject_id: UUID | str | None = OMIT,
        after: str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> DifferencePage:
        """Differences between the states at two times, one page."""
        return self._value(
            Call(
                "GET",
                path("/v1/users/{}/difference", user_id),
                query={
                    "from": from_,
                    "to": to,
                    "node_id": node_id,
                    "subject_id": subject_id,
                    "after": after,
                    "limit": limit,
                    "cursor": cursor,
                },
            ),
            DifferencePage,
        )

    def give_grant(
        self,
        user_id: UUID | str,
        *,
        node_id: UUID | str,
        subject_kind: Literal["persona", "third_party"],
        subject_id: UUID | str,
        mode: Literal["read", "read_write"] = OMIT,
        depth: int = OMIT,
        fields: Sequence[Literal["records", "items", "files"]] = OMIT,
        purpose: str = OMIT,
        expires_at: datetime | str | None = OMIT,
        past: bool = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> GivenGrant:
        """Grants a persona or an integration access to one node, and to `depth` layers below it."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/grants", user_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={
                    "node_id": node_id,
                    "subject_kind": subject_kind,
                    "subject_id": subject_id,
                    "mode": mode,
                    "depth": depth,
                    "fields": fields,
                    "purpose": purpose,
                    "expires_at": expires_at,
                    "past": past,
                },
            ),
            GivenGrant,
        )

    def list_grants(
        self,
        user_id: UUID | str,
        *,
        node_id: UUID | str | None = OMIT,
        ended: bool = OMIT,
        after: UUID | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Grant]:
        """Grants of the graph by id, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/grants", user_id),
                query={"node_id": node_id, "ended": ended, "after": after, "limit": limit, "cursor": cursor},
            ),
            Grant,
        )

    def revoke_grant(self, user_id: UUID | str, grant_id: UUID | str) -> RevokedGrant:
        """Revokes a grant: it gives no access once this request returns. Repeating it changes nothing."""
        return self._value(Call("DELETE", path("/v1/users/{}/grants/{}", user_id, grant_id)), RevokedGrant)

    def preview_grant(
        self, user_id: UUID | str, node_id: UUID | str, *, depth: int = OMIT, below: float = OMIT
    ) -> GrantPreview:
        """The content a grant on a node would open, and records placed there with little confidence; changes nothing."""
        return self._value(
            Call(
                "GET",
                path("/v1/users/{}/nodes/{}/grant-preview", user_id, node_id),
                query={"depth": depth, "below": below},
            ),
            GrantPreview,
        )

    def get_audience(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        *,
        at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Viewer]:
        """Who could see a node at a time, and why."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/nodes/{}/audience", user_id, node_id),
                query={"at": at, "limit": limit, "cursor": cursor},
            ),
            Viewer,
        )

    def get_access_log(
        self, user_id: UUID | str, *, before: int | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[AccessEntry]:
        """Grants, revocations and refused requests of the graph, newest first, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/access-log", user_id),
                query={"before": before, "limit": limit, "cursor": cursor},
            ),
            AccessEntry,
        )

    def write_record(
        self,
        user_id: UUID | str,
        *,
        conversation: ConversationBody | Mapping[str, Any] | None = OMIT,
        text: str | None = OMIT,
        title: str = OMIT,
        source_id: str | None = OMIT,
        content_type: Literal["other", "event", "file_upload", "webhook"] = OMIT,
        node_id: UUID | str | None = OMIT,
        privacy: Literal["org", "private"] = OMIT,
        scope: Literal["user", "thread", "workflow"] = OMIT,
        scope_id: str | None = OMIT,
        source: Literal["manual", "extracted", "ingested"] = OMIT,
        limits: WriteLimits | Mapping[str, Any] | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> IngestReport:
        """Stores what is not stored yet, atomically in all stores, and returns the records with their nodes.

        After a 503 no partial write is visible; a write that was accepted before the store stopped completes by
        itself, so retry with the same ids or the same idempotency key."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/records", user_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={
                    "conversation": conversation,
                    "text": text,
                    "title": title,
                    "source_id": source_id,
                    "content_type": content_type,
                    "node_id": node_id,
                    "privacy": privacy,
                    "scope": scope,
                    "scope_id": scope_id,
                    "source": source,
                    "limits": limits,
                },
            ),
            IngestReport,
        )

    def list_assignments(
        self,
        user_id: UUID | str,
        *,
        record_id: UUID | str | None = OMIT,
        node_id: UUID | str | None = OMIT,
        below: float | None = OMIT,
        decided_by: Literal["engine", "model", "hand"] | None = OMIT,
        before: int | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Assignment]:
        """Why records lie where they lie, newest first, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/assignments", user_id),
                query={
                    "record_id": record_id,
                    "node_id": node_id,
                    "below": below,
                    "decided_by": decided_by,
                    "before": before,
                    "limit": limit,
                    "cursor": cursor,
                },
            ),
            Assignment,
        )

    def move_record(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        record_id: UUID | str,
        *,
        to_node_id: UUID | str,
        reason: str = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Moved:
        """Moves a record with its items, file and history to another node of the graph, atomically.

        The move is a decision by hand: the newest of the record's assignments."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/nodes/{}/records/{}/move", user_id, node_id, record_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"to_node_id": to_node_id, "reason": reason},
            ),
            Moved,
        )

    def append_turns(
        self,
        user_id: UUID | str,
        conversation_id: str,
        *,
        turns: Sequence[StreamedTurnBody | Mapping[str, Any]],
        node_id: UUID | str | None = OMIT,
        scope: Literal["user", "thread", "workflow"] = OMIT,
        scope_id: str | None = OMIT,
        source: Literal["manual", "extracted", "ingested"] = OMIT,
        first: int | None = OMIT,
        title: str = OMIT,
        started_at: datetime | str | None = OMIT,
        privacy: Literal["org", "private"] | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Appended:
        """Appends turns to a conversation, which its first turns open; they are durable when the request returns.

        Turns sent again with the same number (`first`) or ids change nothing; a gap, or a different turn at the same
        place, is 409. They are not found by a search until a piece of the conversation is stored."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/conversations/{}/turns", user_id, conversation_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={
                    "node_id": node_id,
                    "scope": scope,
                    "scope_id": scope_id,
                    "source": source,
                    "turns": turns,
                    "first": first,
                    "title": title,
                    "started_at": started_at,
                    "privacy": privacy,
                },
            ),
            Appended,
        )

    def end_conversation(
        self, user_id: UUID | str, conversation_id: str, *, idempotency_key: str | None = OMIT
    ) -> EndedStream:
        """Stores the rest of a conversation, however short. If the request is interrupted, a job finishes it."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/conversations/{}/end", user_id, conversation_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={},
            ),
            EndedStream,
        )

    def get_conversation(self, user_id: UUID | str, conversation_id: str) -> StreamState:
        """The status of a streamed conversation: its turns and tokens, how many are stored and how many wait."""
        return self._value(Call("GET", path("/v1/users/{}/conversations/{}", user_id, conversation_id)), StreamState)

    def list_conversations(
        self, user_id: UUID | str, *, after: str = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[StreamState]:
        """Streamed conversations that have not ended, by id, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/conversations", user_id),
                query={"after": after, "limit": limit, "cursor": cursor},
            ),
            StreamState,
        )

    def store_occasion(
        self,
        user_id: UUID | str,
        *,
        kind: Literal["meeting", "call", "work_session", "milestone", "other"],
        text: str,
        node_id: UUID | str | None = OMIT,
        scope: Literal["user", "thread", "workflow"] = OMIT,
        scope_id: str | None = OMIT,
        source: Literal["manual", "extracted", "ingested"] = OMIT,
        title: str = OMIT,
        started_at: datetime | str | None = OMIT,
        ended_at: datetime | str | None = OMIT,
        participants: Sequence[str] = OMIT,
        source_id: str | None = OMIT,
        privacy: Literal["org", "private"] = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> IngestReport:
        """Stores a meeting, a call, a session of work or a milestone as one record."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/occasions", user_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={
                    "node_id": node_id,
                    "scope": scope,
                    "scope_id": scope_id,
                    "source": source,
                    "kind": kind,
                    "title": title,
                    "text": text,
                    "started_at": started_at,
                    "ended_at": ended_at,
                    "participants": participants,
                    "source_id": source_id,
                    "privacy": privacy,
                },
            ),
            IngestReport,
        )

    def ingest(
        self,
        user_id: UUID | str,
        *,
        conversations: Sequence[ConversationBody | Mapping[str, Any]] = OMIT,
        texts: Sequence[TextBody | Mapping[str, Any]] = OMIT,
        limits: WriteLimits | Mapping[str, Any] | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> IngestReport:
        """Stores many conversations and texts in one session. A source that fails is reported and does not stop the
        others.

        With an idempotency key the running session can be found and followed, and a repeated request resumes it."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/ingests", user_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"conversations": conversations, "texts": texts, "limits": limits},
            ),
            IngestReport,
        )

    def list_ingests(
        self,
        user_id: UUID | str,
        *,
        key: str | None = OMIT,
        before: UUID | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[IngestSession]:
        """The sessions of all writes, newest first, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/ingests", user_id),
                query={"key": key, "before": before, "limit": limit, "cursor": cursor},
            ),
            IngestSession,
        )

    def get_ingest(self, user_id: UUID | str, session_id: UUID | str) -> IngestSession:
        """One session: counts of received, stored, skipped and failed sources, and of items that wait for their vectors."""
        return self._value(Call("GET", path("/v1/users/{}/ingests/{}", user_id, session_id)), IngestSession)

    def list_ingested_sources(
        self,
        user_id: UUID | str,
        session_id: UUID | str,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[IngestedSource]:
        """The result of each source: its hash and record ids, or why it failed. Sources stored before are only counted."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/ingests/{}/sources", user_id, session_id),
                query={"after": after, "limit": limit, "cursor": cursor},
            ),
            IngestedSource,
        )

    def follow_ingest(
        self, user_id: UUID | str, session_id: UUID | str, *, wait: float = OMIT
    ) -> Iterator[IngestSession]:
        """The session as a server-sent event, and again after each of its commits; the stream ends with the session."""
        return self._events(
            Call("GET", path("/v1/users/{}/ingests/{}/events", user_id, session_id), query={"wait": wait}),
            IngestSession,
        )

    def list_failures(
        self,
        user_id: UUID | str,
        *,
        state: Literal["open", "replayed", "dismissed"] | None = OMIT,
        before: UUID | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Failure]:
        """Permanent failures of this graph, newest first, one page. They name sources, never their content."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/failures", user_id),
                query={"state": state, "before": before, "limit": limit, "cursor": cursor},
            ),
            Failure,
        )

    def replay_failure(self, user_id: UUID | str, failure_id: UUID | str) -> Failure:
        """Reads the source again from its file and stores it; 409 if it has no file and must be sent again."""
        return self._value(
            Call("POST", path("/v1/users/{}/failures/{}/replay", user_id, failure_id), repeats=False), Failure
        )

    def dismiss_failure(self, user_id: UUID | str, failure_id: UUID | str, *, note: str = OMIT) -> Failure:
        """Dismisses a failure. Repeating it changes nothing; 409 if it was replayed."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/failures/{}/dismiss", user_id, failure_id),
                query={"note": note},
                repeats=False,
            ),
            Failure,
        )

    def list_job_failures(
        self,
        *,
        state: Literal["open", "replayed", "dismissed"] | None = OMIT,
        before: UUID | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Failure]:
        """Jobs that failed at every attempt, newest first, one page. A later success settles the entry."""
        return self._page(
            Call("GET", "/v1/failures", query={"state": state, "before": before, "limit": limit, "cursor": cursor}),
            Failure,
        )

    def replay_job_failure(self, failure_id: UUID | str) -> Failure:
        """Requests a run of the job; the entry is settled when a run succeeds."""
        return self._value(Call("POST", path("/v1/failures/{}/replay", failure_id), repeats=False), Failure)

    def dismiss_job_failure(self, failure_id: UUID | str, *, note: str = OMIT) -> Failure:
        """Dismisses an entry. Repeating it changes nothing; 409 if it was replayed."""
        return self._value(
            Call("POST", path("/v1/failures/{}/dismiss", failure_id), query={"note": note}, repeats=False), Failure
        )

    def list_documents(
        self, user_id: UUID | str, *, after: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[StoredDocument]:
        """Current documents by id, one page. A persona sees those that it stored."""
        return self._page(
            Call(
                "GET", path("/v1/users/{}/documents", user_id), query={"after": after, "limit": limit, "cursor": cursor}
            ),
            StoredDocument,
        )

    def list_document_versions(
        self,
        user_id: UUID | str,
        document_id: UUID | str,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[DocumentVersion]:
        """Versions of a document, the oldest first, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/documents/{}/versions", user_id, document_id),
                query={"after": after, "limit": limit, "cursor": cursor},
            ),
            DocumentVersion,
        )

    def get_document_version(self, user_id: UUID | str, document_id: UUID | str, version: int) -> bytes:
        """The file of a version as it was stored, under its own name. Its hash is verified before it is sent."""
        return self._value(
            Call("GET", path("/v1/users/{}/documents/{}/versions/{}/content", user_id, document_id, version)), bytes
        )

    def list_document_chunks(
        self,
        user_id: UUID | str,
        document_id: UUID | str,
        version: int,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[DocumentChunk]:
        """Passages of a version in their order, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/documents/{}/versions/{}/chunks", user_id, document_id, version),
                query={"after": after, "limit": limit, "cursor": cursor},
            ),
            DocumentChunk,
        )

    def list_resources(
        self,
        user_id: UUID | str,
        *,
        content_type: Literal["conversation", "event", "document", "webhook"] | None = OMIT,
        source_id: str | None = OMIT,
        before: str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[RawResource]:
        """Raw inputs, newest first, one page. They are append-only."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/resources", user_id),
                query={
                    "content_type": content_type,
                    "source_id": source_id,
                    "before": before,
                    "limit": limit,
                    "cursor": cursor,
                },
            ),
            RawResource,
        )

    def get_resource(self, user_id: UUID | str, resource_id: UUID | str) -> bytes:
        """The bytes of a raw input under its own name. The hash is verified before the first byte is sent."""
        return self._value(Call("GET", path("/v1/users/{}/resources/{}/content", user_id, resource_id)), bytes)

    def write_fact(
        self,
        user_id: UUID | str,
        *,
        text: str,
        about: Sequence[str] = OMIT,
        fact_type: Literal["fact", "preference", "event", "profile", "system"] = OMIT,
        category: str = OMIT,
        at: datetime | str | None = OMIT,
        confidence: float = OMIT,
        importance: float = OMIT,
        node_id: UUID | str | None = OMIT,
        privacy: Literal["org", "private"] = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> FactChain:
        """Stores a fact that the user states. Returns its chain, the newest first: what it replaced is there, too. If it
        only says again what is known, that is confirmed."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/facts", user_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={
                    "text": text,
                    "about": about,
                    "fact_type": fact_type,
                    "category": category,
                    "at": at,
                    "confidence": confidence,
                    "importance": importance,
                    "node_id": node_id,
                    "privacy": privacy,
                },
            ),
            FactChain,
        )

    def list_facts(
        self,
        user_id: UUID | str,
        *,
        about: str | None = OMIT,
        node_id: UUID | str | None = OMIT,
        status: Literal["live", "superseded", "invalidated", "withdrawn"] | Literal["any"] = OMIT,
        contradicting: bool = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Fact]:
        """Facts that the user stated or a model found, by id, one page; for the user alone."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/facts", user_id),
                query={
                    "about": about,
                    "node_id": node_id,
                    "status": status,
                    "contradicting": contradicting,
                    "limit": limit,
                    "cursor": cursor,
                },
            ),
            Fact,
        )

    def list_attributes(self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT) -> Page[Attribute]:
        """The attributes of which live facts speak, as where someone lives, one page; for the user alone."""
        return self._page(
            Call("GET", path("/v1/users/{}/facts/attributes", user_id), query={"limit": limit, "cursor": cursor}),
            Attribute,
        )

    def get_fact(self, user_id: UUID | str, fact_id: UUID | str) -> FactChain:
        """A fact with its chain, the newest first."""
        return self._value(Call("GET", path("/v1/users/{}/facts/{}", user_id, fact_id)), FactChain)

    def list_retractions(
        self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Retraction]:
        """Retractions, newest first, one page."""
        return self._page(
            Call("GET", path("/v1/users/{}/retractions", user_id), query={"limit": limit, "cursor": cursor}), Retraction
        )

    def retract(
        self,
        user_id: UUID | str,
        *,
        kind: Literal["record", "document", "source", "fact"],
        subject: str,
        reason: str = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Retraction:
        """Withdraws a source with all that it alone supports. The same request goes on with one that was interrupted."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/retractions", user_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={"kind": kind, "subject": subject, "reason": reason},
            ),
            Retraction,
        )

    def preview_retraction(
        self,
        user_id: UUID | str,
        *,
        kind: Literal["record", "document", "source", "fact"],
        subject: str,
        limit: int = OMIT,
    ) -> RetractionPreview:
        """What a retraction would do: what ends, what holds again, what gets weaker. Nothing is written."""
        return self._value(
            Call(
                "GET",
                path("/v1/users/{}/retractions/preview", user_id),
                query={"kind": kind, "subject": subject, "limit": limit},
            ),
            RetractionPreview,
        )

    def undo_retraction(
        self, user_id: UUID | str, retraction_id: UUID | str, *, idempotency_key: str | None = OMIT
    ) -> Retraction:
        """Brings back what was withdrawn; what came since stays. Repeating it changes nothing."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/retractions/{}/undo", user_id, retraction_id),
                headers={"Idempotency-Key": once(idempotency_key)},
            ),
            Retraction,
        )

    def begin_replay(self, user_id: UUID | str) -> Replay:
        """Starts a replay, or resumes the open one; a background job builds it. No model is called."""
        return self._value(Call("POST", path("/v1/users/{}/replays", user_id), body={}, repeats=False), Replay)

    def list_replays(
        self, user_id: UUID | str, *, before: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Replay]:
        """Replays, newest first, one page."""
        return self._page(
            Call(
                "GET", path("/v1/users/{}/replays", user_id), query={"before": before, "limit": limit, "cursor": cursor}
            ),
            Replay,
        )

    def get_replay(self, user_id: UUID | str, replay_id: UUID | str) -> Replay:
        """One replay: how many records are rebuilt, and how they differ."""
        return self._value(Call("GET", path("/v1/users/{}/replays/{}", user_id, replay_id)), Replay)

    def compare_replay(self, user_id: UUID | str, replay_id: UUID | str) -> ReplayComparison:
        """The changes that a swap would make."""
        return self._value(
            Call("GET", path("/v1/users/{}/replays/{}/comparison", user_id, replay_id)), ReplayComparison
        )

    def swap_replay(self, user_id: UUID | str, replay_id: UUID | str) -> Replay:
        """Replaces all records that differ, in one step. Repeating it changes nothing; 409 while it is being built."""
        return self._value(
            Call("POST", path("/v1/users/{}/replays/{}/swap", user_id, replay_id), body={}, repeats=False), Replay
        )

    def discard_replay(self, user_id: UUID | str, replay_id: UUID | str) -> Replay:
        """Discards the rebuilt records. Repeating it changes nothing; 409 if it was swapped."""
        return self._value(
            Call("POST", path("/v1/users/{}/replays/{}/discard", user_id, replay_id), body={}, repeats=False), Replay
        )

    def write_event(
        self,
        user_id: UUID | str,
        *,
        kind: str,
        content: str = OMIT,
        emotion: str | None = OMIT,
        intensity: float | None = OMIT,
        energy: float | None = OMIT,
        occurred_at: datetime | str | None = OMIT,
        node_id: UUID | str | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Event:
        """Writes an event. It is never changed."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/events", user_id),
                headers={"Idempotency-Key": once(idempotency_key)},
                body={
                    "kind": kind,
                    "content": content,
                    "emotion": emotion,
                    "intensity": intensity,
                    "energy": energy,
                    "occurred_at": occurred_at,
                    "node_id": node_id,
                },
            ),
            Event,
        )

    def list_events(
        self,
        user_id: UUID | str,
        *,
        kind: str | None = OMIT,
        node_id: UUID | str | None = OMIT,
        from_: datetime | str | None = OMIT,
        to: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        before: str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Event]:
        """Events by the time at which they happened, newest first, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/events", user_id),
                query={
                    "kind": kind,
                    "node_id": node_id,
                    "from": from_,
                    "to": to,
                    "known_at": known_at,
                    "before": before,
                    "limit": limit,
                    "cursor": cursor,
                },
            ),
            Event,
        )

    def search(
        self,
        user_id: UUID | str,
        *,
        query: str,
        nodes: Sequence[UUID | str] | None = OMIT,
        scopes: Sequence[ScopeBody | Mapping[str, Any]] = OMIT,
        sources: Sequence[Literal["manual", "extracted", "ingested"]] | None = OMIT,
        kinds: Sequence[Literal["turn", "chunk", "fact", "observation", "summary"]] | None = OMIT,
        filters: FiltersBody | Mapping[str, Any] | None = OMIT,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        widen: Literal["auto", "always", "never"] = OMIT,
        max_ms: int | None = OMIT,
        model_calls: int | None = OMIT,
        partial: bool = OMIT,
        limit: int = OMIT,
        max_tokens: int | None = OMIT,
        explain: bool = OMIT,
        recall: bool = OMIT,
        cursor: str | None = OMIT,
    ) -> SearchAnswer:
        """Finds the anchors of the query and searches only there; opens no file."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/search", user_id),
                query={"cursor": cursor},
                body={
                    "nodes": nodes,
                    "scopes": scopes,
                    "sources": sources,
                    "kinds": kinds,
                    "filters": filters,
                    "as_of": as_of,
                    "known_at": known_at,
                    "widen": widen,
                    "max_ms": max_ms,
                    "model_calls": model_calls,
                    "partial": partial,
                    "query": query,
                    "limit": limit,
                    "max_tokens": max_tokens,
                    "explain": explain,
                    "recall": recall,
                },
            ),
            SearchAnswer,
        )

    def search_decayed(
        self,
        user_id: UUID | str,
        *,
        query: str,
        nodes: Sequence[UUID | str] | None = OMIT,
        scopes: Sequence[ScopeBody | Mapping[str, Any]] = OMIT,
        sources: Sequence[Literal["manual", "extracted", "ingested"]] | None = OMIT,
        kinds: Sequence[Literal["turn", "chunk", "fact", "observation", "summary"]] | None = OMIT,
        filters: FiltersBody | Mapping[str, Any] | None = OMIT,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        days: float | None = OMIT,
        least_confidence: float = OMIT,
    ) -> SearchAnswer:
        """The best items by meaning × confidence × decay by age, of all that may be read; no anchors."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/search/decayed", user_id),
                body={
                    "nodes": nodes,
                    "scopes": scopes,
                    "sources": sources,
                    "kinds": kinds,
                    "filters": filters,
                    "as_of": as_of,
                    "known_at": known_at,
                    "query": query,
                    "limit": limit,
                    "days": days,
                    "least_confidence": least_confidence,
                },
            ),
            SearchAnswer,
        )

    def context(
        self,
        user_id: UUID | str,
        *,
        question: str,
        nodes: Sequence[UUID | str] | None = OMIT,
        scopes: Sequence[ScopeBody | Mapping[str, Any]] = OMIT,
        sources: Sequence[Literal["manual", "extracted", "ingested"]] | None = OMIT,
        kinds: Sequence[Literal["turn", "chunk", "fact", "observation", "summary"]] | None = OMIT,
        filters: FiltersBody | Mapping[str, Any] | None = OMIT,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        widen: Literal["auto", "always", "never"] = OMIT,
        max_ms: int | None = OMIT,
        model_calls: int | None = OMIT,
        partial: bool = OMIT,
        tokens: int = OMIT,
        limit: int = OMIT,
    ) -> Context:
        """What the memory holds that matters to a question, as text for a prompt within so many tokens, with sources."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/context", user_id),
                body={
                    "nodes": nodes,
                    "scopes": scopes,
                    "sources": sources,
                    "kinds": kinds,
                    "filters": filters,
                    "as_of": as_of,
                    "known_at": known_at,
                    "widen": widen,
                    "max_ms": max_ms,
                    "model_calls": model_calls,
                    "partial": partial,
                    "question": question,
                    "tokens": tokens,
                    "limit": limit,
                },
            ),
            Context,
        )

    def answer(
        self,
        user_id: UUID | str,
        *,
        question: str,
        nodes: Sequence[UUID | str] | None = OMIT,
        scopes: Sequence[ScopeBody | Mapping[str, Any]] = OMIT,
        sources: Sequence[Literal["manual", "extracted", "ingested"]] | None = OMIT,
        kinds: Sequence[Literal["turn", "chunk", "fact", "observation", "summary"]] | None = OMIT,
        filters: FiltersBody | Mapping[str, Any] | None = OMIT,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        widen: Literal["auto", "always", "never"] = OMIT,
        max_ms: int | None = OMIT,
        model_calls: int | None = OMIT,
        partial: bool = OMIT,
        tokens: int = OMIT,
        limit: int = OMIT,
    ) -> ContextAnswer:
        """The configured language model's answer from that context alone, with citations, or a refusal."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/answer", user_id),
                body={
                    "nodes": nodes,
                    "scopes": scopes,
                    "sources": sources,
                    "kinds": kinds,
                    "filters": filters,
                    "as_of": as_of,
                    "known_at": known_at,
                    "widen": widen,
                    "max_ms": max_ms,
                    "model_calls": model_calls,
                    "partial": partial,
                    "question": question,
                    "tokens": tokens,
                    "limit": limit,
                },
            ),
            ContextAnswer,
        )

    def open_file(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        file_id: UUID | str,
        *,
        wait: float | None = OMIT,
        prefer: str | None = OMIT,
    ) -> bytes | FileStatus:
        """The original bytes of one file. Its hash is verified before the first byte is sent.

        If the file lies at several nodes, readers other than the owner get only the passages of this node, as a text
        with `Neurigraph-Part: true`."""
        return self._file(
            Call(
                "GET",
                path("/v1/users/{}/nodes/{}/files/{}", user_id, node_id, file_id),
                query={"wait": wait},
                headers={"prefer": prefer},
            ),
            FileStatus,
        )

    def get_file_state(self, user_id: UUID | str, node_id: UUID | str, file_id: UUID | str) -> FileStatus:
        """The state of a file: asleep, awake, or being restored. This does not wake it."""
        return self._value(
            Call("GET", path("/v1/users/{}/nodes/{}/files/{}/state", user_id, node_id, file_id)), FileStatus
        )

    def wake_file(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        file_id: UUID | str,
        *,
        wait: float | None = OMIT,
        prefer: str | None = OMIT,
    ) -> FileStatus:
        """Wakes a file and keeps it awake until it is put to sleep or unused for long. Repeating it changes nothing."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/nodes/{}/files/{}/wake", user_id, node_id, file_id),
                query={"wait": wait},
                headers={"prefer": prefer},
                repeats=False,
            ),
            FileStatus,
        )

    def sleep_file(self, user_id: UUID | str, node_id: UUID | str, file_id: UUID | str) -> FileStatus:
        """Puts a file to sleep; needs write access to its node. 409 while it is restored. Repeating it changes nothing."""
        return self._value(
            Call("POST", path("/v1/users/{}/nodes/{}/files/{}/sleep", user_id, node_id, file_id), repeats=False),
            FileStatus,
        )

    def follow_file(
        self, user_id: UUID | str, node_id: UUID | str, file_id: UUID | str, *, wait: float = OMIT
    ) -> Iterator[FileStatus]:
        """The state as a server-sent event, and each change until the file is restored. This does not wake it."""
        return self._events(
            Call("GET", path("/v1/users/{}/nodes/{}/files/{}/events", user_id, node_id, file_id), query={"wait": wait}),
            FileStatus,
        )

    def get_file_log(
        self,
        user_id: UUID | str,
        *,
        node_id: UUID | str | None = OMIT,
        file_id: UUID | str | None = OMIT,
        to_review: bool = OMIT,
        before: int | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[StateEntry]:
        """Transitions of the files of a graph, newest first, one page. The log is append-only."""
        return self._page(
            Call(
                "GET",
                path("/v1/users/{}/file-log", user_id),
                query={
                    "node_id": node_id,
                    "file_id": file_id,
                    "to_review": to_review,
                    "before": before,
                    "limit": limit,
                    "cursor": cursor,
                },
            ),
            StateEntry,
        )

    def review_file_log(self, user_id: UUID | str, entry_id: int, *, note: str = OMIT) -> ReviewedEntry:
        """Marks a failed entry as reviewed by the owner, in an entry of its own. Repeating it changes nothing."""
        return self._value(
            Call(
                "POST", path("/v1/users/{}/file-log/{}/review", user_id, entry_id), body={"note": note}, repeats=False
            ),
            ReviewedEntry,
        )

    def list_jobs(self, *, limit: int = OMIT, cursor: str | None = OMIT) -> Page[JobState]:
        """All jobs: schedule, next run, numbers of runs and failures, and the last run."""
        return self._page(Call("GET", "/v1/jobs", query={"limit": limit, "cursor": cursor}), JobState)

    def get_job(self, name: str) -> JobState:
        """One job."""
        return self._value(Call("GET", path("/v1/jobs/{}", name)), JobState)

    def list_runs(
        self, name: str, *, before: int | None = OMIT, quiet: bool = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Run]:
        """Started runs of a job, newest first, one page."""
        return self._page(
            Call(
                "GET",
                path("/v1/jobs/{}/runs", name),
                query={"before": before, "quiet": quiet, "limit": limit, "cursor": cursor},
            ),
            Run,
        )

    def get_run(self, name: str, run_id: int) -> Run:
        """One run: waiting, running or ended, with its report."""
        return self._value(Call("GET", path("/v1/jobs/{}/runs/{}", name, run_id)), Run)

    def run_job(self, name: str, *, wait: float | None = OMIT, prefer: str | None = OMIT) -> Run:
        """Requests a run now. A waiting run serves this request, too; a running one is followed by another."""
        return self._value(
            Call(
                "POST",
                path("/v1/jobs/{}/run", name),
                query={"wait": wait},
                headers={"prefer": prefer},
                body={},
                repeats=False,
            ),
            Run,
        )

    def list_commits(
        self, user_id: UUID | str, *, after: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[CommitSummary]:
        """Commits of this graph that were accepted, but failed and were set aside, oldest first, one page."""
        return self._page(
            Call(
                "GET", path("/v1/users/{}/commits", user_id), query={"after": after, "limit": limit, "cursor": cursor}
            ),
            CommitSummary,
        )

    def retry_commit(self, user_id: UUID | str, commit_id: UUID | str) -> CommitOutcome:
        """Retries the commit now; if it fails again, its state is `pending` and recovery goes on retrying."""
        return self._value(
            Call("POST", path("/v1/users/{}/commits/{}/retry", user_id, commit_id), repeats=False), CommitOutcome
        )

    def discard_commit(self, user_id: UUID | str, commit_id: UUID | str, *, reason: str = OMIT) -> CommitOutcome:
        """Undoes it: a node's name is free again, records can be sent again, a grant is revoked. 409 for a revocation."""
        return self._value(
            Call(
                "POST",
                path("/v1/users/{}/commits/{}/discard", user_id, commit_id),
                query={"reason": reason},
                repeats=False,
            ),
            CommitOutcome,
        )

    def list_all_commits(
        self, *, after: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[CommitSummary]:
        """Commits of all users of the workspace that were set aside. Only the operator sees what they write."""
        return self._page(
            Call("GET", "/v1/commits", query={"after": after, "limit": limit, "cursor": cursor}), CommitSummary
        )

    def retry_any_commit(self, commit_id: UUID | str) -> CommitOutcome:
        """Retries a commit of any user now."""
        return self._value(Call("POST", path("/v1/commits/{}/retry", commit_id), repeats=False), CommitOutcome)

    def discard_any_commit(self, commit_id: UUID | str, *, reason: str = OMIT) -> CommitOutcome:
        """Undoes a commit of any user. 409 for a revocation."""
        return self._value(
            Call("POST", path("/v1/commits/{}/discard", commit_id), query={"reason": reason}, repeats=False),
            CommitOutcome,
        )
