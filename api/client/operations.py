"""The operations of the REST API as methods; made by `python -m tests.contract.client` from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from api.client.requests import OMIT, Call, Page, as_bytes, as_file, as_page, as_value, once, path
from api.client.sending import followed, operation
from api.models import Liveness, ProposedNodeBody, Readiness, ReviewedEntry, StreamedTurnBody, TextBody, WriteLimits
from api.questions import FiltersBody, ScopeBody
from engine.domain.assignment import Assignment, Moved
from engine.domain.attribute import Attribute
from engine.domain.commit import CommitOutcome, CommitSummary
from engine.domain.community import Community, CommunityView, EntityMeaning, Insight
from engine.domain.context import Context, ContextAnswer
from engine.domain.delta import Changed, Delta, SubjectState
from engine.domain.difference import DifferencePage
from engine.domain.document import DocumentChunk, DocumentVersion, StoredDocument
from engine.domain.embedding import BuildReport, EmbeddingVersion, VersionProgress
from engine.domain.entity import Entity, EntityFact, EntitySummary, Merge, Pair, Relation, RelationBetween, Why
from engine.domain.entity_decision import Alias
from engine.domain.event import Event
from engine.domain.fact import Fact, FactChain, FactDoubt
from engine.domain.file_state import FileStatus, StateEntry
from engine.domain.grant import AccessEntry, GivenGrant, Grant, GrantPreview, Integration, RevokedGrant, Viewer
from engine.domain.ingest import Failure, IngestedSource, IngestSession
from engine.domain.intention import Intention
from engine.domain.job import JobState, Run
from engine.domain.metadata import MetadataPage, RegisteredEdge
from engine.domain.node import (
    Anchor,
    ChildNode,
    CreatedEdge,
    Credential,
    ProvisionedNode,
    RecordDay,
    Shell,
    TreeNode,
    User,
)
from engine.domain.profile import FactGroup, Profile
from engine.domain.proposal import Applied, MovedTo, Proposal
from engine.domain.relation import MentionedTogether
from engine.domain.replay import Replay, ReplayComparison
from engine.domain.report import IngestReport
from engine.domain.resource import RawResource
from engine.domain.retraction import Retraction, RetractionPreview
from engine.domain.search import SearchAnswer
from engine.domain.stream import Appended, EndedStream, StreamState
from engine.domain.token import IssuedToken, Token
from engine.domain.written import ConversationBody


class Operations:
    """The operations of the REST API. They raise ApiError for a refusal, NotReached without an answer."""

    @operation
    def is_alive(self) -> Call[Liveness]:
        """Whether the process is alive; queries no store."""
        return Call("GET", "/v1/health/live", as_value(Liveness), repeats=False)

    @operation
    def is_ready(self) -> Call[Readiness]:
        """Whether the engine is open, its search is prepared, and every store answers; else 503 with the same members.

        Returns within three seconds, even if a store hangs."""
        return Call("GET", "/v1/health/ready", as_value(Readiness), repeats=False)

    @operation
    def create_user(self, *, handle: str, display_name: str = OMIT) -> Call[User]:
        """The user with this handle, created with a root node if it does not exist; repeating it changes nothing."""
        return Call("POST", "/v1/users", as_value(User), body={"handle": handle, "display_name": display_name})

    @operation
    def list_users(self, *, after: str = OMIT, limit: int = OMIT, cursor: str | None = OMIT) -> Call[Page[User]]:
        """Users by handle, one page; archived ones are marked."""
        return Call("GET", "/v1/users", as_page(User), query={"after": after, "limit": limit, "cursor": cursor})

    @operation
    def find_user(self, handle: str) -> Call[User]:
        """The user with this handle; a user finds only itself."""
        return Call("GET", path("/v1/users/by-handle/{}", handle), as_value(User))

    @operation
    def get_credential(self) -> Call[Credential]:
        """Of what kind the credential of this request is, and whose if it is a user's."""
        return Call("GET", "/v1/users/me", as_value(Credential))

    @operation
    def get_user(self, user_id: UUID | str) -> Call[User]:
        """The user with this id; a user finds only itself."""
        return Call("GET", path("/v1/users/{}", user_id), as_value(User))

    @operation
    def create_token(
        self,
        *,
        principal_kind: Literal["user", "persona", "third_party", "administrator"],
        name: str,
        principal_id: UUID | str | None = OMIT,
        expires_at: datetime | str | None = OMIT,
    ) -> Call[IssuedToken]:
        """Creates a token; its secret is returned only in this answer."""
        return Call(
            "POST",
            "/v1/tokens",
            as_value(IssuedToken),
            body={
                "principal_kind": principal_kind,
                "principal_id": principal_id,
                "name": name,
                "expires_at": expires_at,
            },
            repeats=False,
        )

    @operation
    def list_tokens(
        self, *, after: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[Token]]:
        """Tokens without their secrets, newest first, one page; expired and revoked ones, too."""
        return Call("GET", "/v1/tokens", as_page(Token), query={"after": after, "limit": limit, "cursor": cursor})

    @operation
    def rotate_token(self, token_id: UUID | str, *, grace_s: int = OMIT) -> Call[IssuedToken]:
        """Creates a token with a new secret for the same principal; the old one expires now, or after the grace time."""
        return Call(
            "POST",
            path("/v1/tokens/{}/rotate", token_id),
            as_value(IssuedToken),
            body={"grace_s": grace_s},
            repeats=False,
        )

    @operation
    def revoke_token(self, token_id: UUID | str) -> Call[Token]:
        """Revokes a token at once; repeating it changes nothing."""
        return Call("DELETE", path("/v1/tokens/{}", token_id), as_value(Token))

    @operation
    def create_integration(self, *, name: str) -> Call[Integration]:
        """The integration of this name, created if it does not exist; repeating it changes nothing."""
        return Call("POST", "/v1/integrations", as_value(Integration), body={"name": name})

    @operation
    def list_integrations(
        self, *, after: str = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[Integration]]:
        """Integrations by name, one page."""
        return Call(
            "GET", "/v1/integrations", as_page(Integration), query={"after": after, "limit": limit, "cursor": cursor}
        )

    @operation
    def list_embedding_versions(self, *, limit: int = OMIT, cursor: str | None = OMIT) -> Call[Page[EmbeddingVersion]]:
        """All versions, oldest first."""
        return Call(
            "GET", "/v1/embedding-versions", as_page(EmbeddingVersion), query={"limit": limit, "cursor": cursor}
        )

    @operation
    def start_canary(
        self,
        *,
        model: str,
        provider: Literal["onnx", "openai"] = OMIT,
        compression: Literal["float32", "halfvec"] | None = OMIT,
    ) -> Call[EmbeddingVersion]:
        """Creates a canary of a model, without vectors yet; repeating it returns the same one."""
        return Call(
            "POST",
            "/v1/embedding-versions",
            as_value(EmbeddingVersion),
            body={"provider": provider, "model": model, "compression": compression},
            repeats=False,
        )

    @operation
    def get_embedding_version(self, name: str) -> Call[VersionProgress]:
        """The progress of a version; it counts every text, so do not poll it every second."""
        return Call("GET", path("/v1/embedding-versions/{}", name), as_value(VersionProgress))

    @operation
    def drop_embeddings(self, name: str) -> Call[EmbeddingVersion]:
        """Deletes the vectors of a version that is not active."""
        return Call("DELETE", path("/v1/embedding-versions/{}", name), as_value(EmbeddingVersion))

    @operation
    def build_embeddings(self, name: str, *, most: int = OMIT, duty: float = OMIT) -> Call[BuildReport]:
        """Makes some of a version's missing vectors and returns how many remain; repeat it until none does."""
        return Call(
            "POST",
            path("/v1/embedding-versions/{}/build", name),
            as_value(BuildReport),
            body={"most": most, "duty": duty},
            repeats=False,
        )

    @operation
    def compare_embeddings(self, name: str, *, samples: int = OMIT) -> Call[dict[str, Any]]:
        """Compares the version with the active one on stored texts; the result is kept with it."""
        return Call(
            "POST",
            path("/v1/embedding-versions/{}/compare", name),
            as_value(dict[str, Any]),
            body={"samples": samples},
            repeats=False,
        )

    @operation
    def promote_embeddings(self, name: str, *, force: bool = OMIT) -> Call[VersionProgress]:
        """Makes the canary the active version, in one step."""
        return Call(
            "POST",
            path("/v1/embedding-versions/{}/promote", name),
            as_value(VersionProgress),
            body={"force": force},
            repeats=False,
        )

    @operation
    def roll_back_embeddings(self, name: str) -> Call[VersionProgress]:
        """Rolls back the active version, which is named, to the previous one, in one step."""
        return Call(
            "POST", path("/v1/embedding-versions/{}/rollback", name), as_value(VersionProgress), body={}, repeats=False
        )

    @operation
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
    ) -> Call[ProvisionedNode]:
        """Creates a child node in all stores, atomically. Layer 5 is the deepest."""
        return Call(
            "POST",
            path("/v1/users/{}/nodes", user_id),
            as_value(ProvisionedNode),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={
                "name": name,
                "parent_id": parent_id,
                "node_type": node_type,
                "summary": summary,
                "keywords": keywords,
                "aliases": aliases,
            },
        )

    @operation
    def get_shell(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        if_none_match: str | None = OMIT,
    ) -> Call[Shell]:
        """The current shell: identity, path, children with their states, edges, the newest manifest entries."""
        return Call(
            "GET",
            path("/v1/users/{}/nodes/{}", user_id, node_id),
            as_value(Shell),
            query={"as_of": as_of, "known_at": known_at},
            headers={"If-None-Match": if_none_match},
        )

    @operation
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
    ) -> Call[Changed]:
        """Renames, describes or moves a node. Its schema, files and ids stay the same; only its path changes."""
        return Call(
            "PATCH",
            path("/v1/users/{}/nodes/{}", user_id, node_id),
            as_value(Changed),
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
        )

    @operation
    def list_children(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[ChildNode]]:
        """The children of a node, by name, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/nodes/{}/children", user_id, node_id),
            as_page(ChildNode),
            query={"as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
        )

    @operation
    def get_metadata(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[MetadataPage]:
        """Records of a node, newest first, one page; no file is opened."""
        return Call(
            "GET",
            path("/v1/users/{}/nodes/{}/metadata", user_id, node_id),
            as_value(MetadataPage),
            query={"as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
        )

    @operation
    def touch(self, user_id: UUID | str, node_id: UUID | str, *, ids: Sequence[UUID | str] = OMIT) -> Call[object]:
        """Marks the node, and these of its items and records, as used: access times and counts follow in some seconds."""
        return Call("POST", path("/v1/users/{}/nodes/{}/touch", user_id, node_id), as_value(object), body={"ids": ids})

    @operation
    def get_tree(
        self,
        user_id: UUID | str,
        *,
        depth: int = OMIT,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[TreeNode]]:
        """The first 10,000 nodes of the graph, parents first, one page; for its user."""
        return Call(
            "GET",
            path("/v1/users/{}/tree", user_id),
            as_page(TreeNode),
            query={"depth": depth, "as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
        )

    @operation
    def get_timeline(
        self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[RecordDay]]:
        """On which days the records of the graph happened, node by node, undated ones first, one page; for its user."""
        return Call(
            "GET", path("/v1/users/{}/timeline", user_id), as_page(RecordDay), query={"limit": limit, "cursor": cursor}
        )

    @operation
    def find_anchors(
        self,
        user_id: UUID | str,
        *,
        name: str,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[Anchor]]:
        """All nodes with this name or alias and their paths, one page; archived ones are marked, they are not searched."""
        return Call(
            "GET",
            path("/v1/users/{}/anchors", user_id),
            as_page(Anchor),
            query={"name": name, "as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
        )

    @operation
    def list_edges(
        self,
        user_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[RegisteredEdge]]:
        """All cross-node edges, by the names of their ends, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/edges", user_id),
            as_page(RegisteredEdge),
            query={"as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
        )

    @operation
    def relate_nodes(
        self,
        user_id: UUID | str,
        *,
        source_id: UUID | str,
        target_id: UUID | str,
        edge_type: str,
        properties: Mapping[str, Any] = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Call[CreatedEdge]:
        """Creates a cross-node edge; the same type between the same nodes is one edge."""
        return Call(
            "POST",
            path("/v1/users/{}/edges", user_id),
            as_value(CreatedEdge),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"source_id": source_id, "target_id": target_id, "edge_type": edge_type, "properties": properties},
        )

    @operation
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
    ) -> Call[Page[EntitySummary]]:
        """Entities, those with most mentions first, one page; without `all` or `name` none that a single passage
        mentions."""
        return Call(
            "GET",
            path("/v1/users/{}/entities", user_id),
            as_page(EntitySummary),
            query={
                "as_of": as_of,
                "known_at": known_at,
                "limit": limit,
                "cursor": cursor,
                "kind": kind,
                "name": name,
                "all": all,
            },
        )

    @operation
    def get_entity(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
    ) -> Call[Entity]:
        """One entity: names, nodes, latest mentions. Of a merged one, that which it is part of."""
        return Call(
            "GET",
            path("/v1/users/{}/entities/{}", user_id, entity_id),
            as_value(Entity),
            query={"as_of": as_of, "known_at": known_at},
        )

    @operation
    def correct_entity(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        name: str | None = OMIT,
        kind: str | None = OMIT,
        reason: str = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Call[Entity]:
        """Corrects the display name of an entity, its kind, or both, for good; the old name stays one of its names."""
        return Call(
            "POST",
            path("/v1/users/{}/entities/{}/correct", user_id, entity_id),
            as_value(Entity),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"name": name, "kind": kind, "reason": reason},
        )

    @operation
    def list_aliases(
        self, user_id: UUID | str, entity_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[Alias]]:
        """Names and addresses that lead to an entity, one page; for the user alone."""
        return Call(
            "GET",
            path("/v1/users/{}/entities/{}/aliases", user_id, entity_id),
            as_page(Alias),
            query={"limit": limit, "cursor": cursor},
        )

    @operation
    def add_alias(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        type: Literal["name", "email", "phone", "handle", "url", "id"],
        value: str,
        idempotency_key: str | None = OMIT,
    ) -> Call[Alias]:
        """Gives an entity an alias, verified: where a text has it, that entity is meant."""
        return Call(
            "POST",
            path("/v1/users/{}/entities/{}/aliases", user_id, entity_id),
            as_value(Alias),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"type": type, "value": value},
        )

    @operation
    def verify_alias(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        type: Literal["name", "email", "phone", "handle", "url", "id"],
        value: str,
        idempotency_key: str | None = OMIT,
    ) -> Call[Alias]:
        """Vouches for an alias that the entity has."""
        return Call(
            "POST",
            path("/v1/users/{}/entities/{}/aliases/verify", user_id, entity_id),
            as_value(Alias),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"type": type, "value": value},
        )

    @operation
    def remove_alias(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        type: Literal["name", "email", "phone", "handle", "url", "id"],
        value: str,
        idempotency_key: str | None = OMIT,
    ) -> Call[Alias]:
        """Takes an alias from an entity: it is free for another one."""
        return Call(
            "POST",
            path("/v1/users/{}/entities/{}/aliases/remove", user_id, entity_id),
            as_value(Alias),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"type": type, "value": value},
        )

    @operation
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
    ) -> Call[Page[Relation]]:
        """The strongest 1,000 relations of an entity, in both directions, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/entities/{}/relations", user_id, entity_id),
            as_page(Relation),
            query={"ended": ended, "as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
        )

    @operation
    def list_entity_facts(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        ended: bool = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[EntityFact]]:
        """The strongest 1,000 live facts about an entity, those that it is the subject of first, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/entities/{}/facts", user_id, entity_id),
            as_page(EntityFact),
            query={"ended": ended, "limit": limit, "cursor": cursor},
        )

    @operation
    def get_entity_profile(self, user_id: UUID | str, entity_id: UUID | str) -> Call[Profile]:
        """What is known of an entity now, in at most 300 tokens, composed of what the caller may read."""
        return Call("GET", path("/v1/users/{}/entities/{}/profile", user_id, entity_id), as_value(Profile))

    @operation
    def get_user_profile(
        self,
        user_id: UUID | str,
        *,
        by: Literal["type", "category"] = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[FactGroup]]:
        """The live facts of the user's memory in groups, with the ten strongest of each, one page; for the user alone."""
        return Call(
            "GET",
            path("/v1/users/{}/profile", user_id),
            as_page(FactGroup),
            query={"by": by, "limit": limit, "cursor": cursor},
        )

    @operation
    def list_relations_between(
        self,
        user_id: UUID | str,
        *,
        entity_id: Sequence[UUID | str],
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[RelationBetween]]:
        """The strongest 1,000 relations between these entities that hold, one page. An entity that may not be read has
        none."""
        return Call(
            "GET",
            path("/v1/users/{}/relations", user_id),
            as_page(RelationBetween),
            query={"entity_id": entity_id, "as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
        )

    @operation
    def list_mentioned_together(
        self, user_id: UUID | str, *, entity_id: Sequence[UUID | str], limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[MentionedTogether]]:
        """The 1,000 pairs of these entities that most records mention together, one page; for the user alone."""
        return Call(
            "GET",
            path("/v1/users/{}/entities-together", user_id),
            as_page(MentionedTogether),
            query={"entity_id": entity_id, "limit": limit, "cursor": cursor},
        )

    @operation
    def why_relation(
        self,
        user_id: UUID | str,
        relation_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
    ) -> Call[Why]:
        """The records that state a relation, and where."""
        return Call(
            "GET",
            path("/v1/users/{}/relations/{}/why", user_id, relation_id),
            as_value(Why),
            query={"as_of": as_of, "known_at": known_at},
        )

    @operation
    def archive_relation(
        self, user_id: UUID | str, relation_id: UUID | str, *, reason: str = OMIT, idempotency_key: str | None = OMIT
    ) -> Call[Relation]:
        """Sets a relation aside that the user finds wrong, whatever states it from then on."""
        return Call(
            "POST",
            path("/v1/users/{}/relations/{}/archive", user_id, relation_id),
            as_value(Relation),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"reason": reason},
        )

    @operation
    def restore_relation(
        self, user_id: UUID | str, relation_id: UUID | str, *, reason: str = OMIT, idempotency_key: str | None = OMIT
    ) -> Call[Relation]:
        """Lets an archived relation count again. Repeating it changes nothing."""
        return Call(
            "POST",
            path("/v1/users/{}/relations/{}/restore", user_id, relation_id),
            as_value(Relation),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"reason": reason},
        )

    @operation
    def describe_relation(
        self,
        user_id: UUID | str,
        relation_id: UUID | str,
        *,
        properties: Mapping[str, Any],
        idempotency_key: str | None = OMIT,
    ) -> Call[Relation]:
        """Gives a relation properties of the user's own, in place of those that it has."""
        return Call(
            "PUT",
            path("/v1/users/{}/relations/{}/properties", user_id, relation_id),
            as_value(Relation),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"properties": properties},
        )

    @operation
    def review_entities(self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT) -> Call[Page[Pair]]:
        """Pairs of entities that may be one, the likeliest first; merge them, or tell them apart."""
        return Call(
            "GET", path("/v1/users/{}/entity-pairs", user_id), as_page(Pair), query={"limit": limit, "cursor": cursor}
        )

    @operation
    def tell_entities_apart(
        self, user_id: UUID | str, pair_id: UUID | str, *, idempotency_key: str | None = OMIT
    ) -> Call[Pair]:
        """Decides that the entities of a pair are two."""
        return Call(
            "POST",
            path("/v1/users/{}/entity-pairs/{}/apart", user_id, pair_id),
            as_value(Pair),
            headers={"Idempotency-Key": once(idempotency_key)},
        )

    @operation
    def merge_entities(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        merged_id: UUID | str,
        reason: str = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Call[Merge]:
        """Takes another entity as part of this one: both are read as one from now on."""
        return Call(
            "POST",
            path("/v1/users/{}/entities/{}/merges", user_id, entity_id),
            as_value(Merge),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"merged_id": merged_id, "reason": reason},
        )

    @operation
    def list_entity_merges(
        self,
        user_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[Merge]]:
        """The merges that hold, newest first."""
        return Call(
            "GET",
            path("/v1/users/{}/entity-merges", user_id),
            as_page(Merge),
            query={"as_of": as_of, "known_at": known_at, "limit": limit, "cursor": cursor},
        )

    @operation
    def undo_entity_merge(
        self, user_id: UUID | str, merge_id: UUID | str, *, idempotency_key: str | None = OMIT
    ) -> Call[Merge]:
        """Ends a merge; its entities are read apart again. Repeating it changes nothing."""
        return Call(
            "POST",
            path("/v1/users/{}/entity-merges/{}/undo", user_id, merge_id),
            as_value(Merge),
            headers={"Idempotency-Key": once(idempotency_key)},
        )

    @operation
    def list_intentions(
        self,
        user_id: UUID | str,
        *,
        state: Literal["open", "done", "dropped"] | None = OMIT,
        entity_id: UUID | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[Intention]]:
        """Intentions that records state, those that are due first, then the newest, one page; for the user alone."""
        return Call(
            "GET",
            path("/v1/users/{}/intentions", user_id),
            as_page(Intention),
            query={"state": state, "entity_id": entity_id, "limit": limit, "cursor": cursor},
        )

    @operation
    def decide_intention(
        self,
        user_id: UUID | str,
        intention_id: UUID | str,
        *,
        state: Literal["open", "done", "dropped"],
        reason: str = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Call[Intention]:
        """Says that an intention is done or dropped, or open again."""
        return Call(
            "PUT",
            path("/v1/users/{}/intentions/{}/state", user_id, intention_id),
            as_value(Intention),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"state": state, "reason": reason},
        )

    @operation
    def list_communities(
        self,
        user_id: UUID | str,
        *,
        of: Literal["entities", "facts"] = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[Community]]:
        """The largest 500 communities or clusters, as they hold now, one page; for the user alone."""
        return Call(
            "GET",
            path("/v1/users/{}/communities", user_id),
            as_page(Community),
            query={"of": of, "limit": limit, "cursor": cursor},
        )

    @operation
    def get_community(self, user_id: UUID | str, community_id: UUID | str) -> Call[CommunityView]:
        """A community or a cluster with its members and the relations between them."""
        return Call("GET", path("/v1/users/{}/communities/{}", user_id, community_id), as_value(CommunityView))

    @operation
    def list_insights(
        self,
        user_id: UUID | str,
        *,
        kind: Literal["insight", "pattern", "contradiction", "trend", "community"] | None = OMIT,
        ended: bool = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[Insight]]:
        """The newest 500 insights, one page; for the user alone."""
        return Call(
            "GET",
            path("/v1/users/{}/insights", user_id),
            as_page(Insight),
            query={"kind": kind, "ended": ended, "limit": limit, "cursor": cursor},
        )

    @operation
    def get_entity_meaning(self, user_id: UUID | str, entity_id: UUID | str) -> Call[EntityMeaning]:
        """What the texts that mention an entity mean: words that set them apart, drift; for the user alone."""
        return Call("GET", path("/v1/users/{}/entities/{}/meaning", user_id, entity_id), as_value(EntityMeaning))

    @operation
    def propose_nodes(
        self,
        user_id: UUID | str,
        *,
        milliseconds: int | None = OMIT,
        tokens: int | None = OMIT,
        model_calls: int | None = OMIT,
    ) -> Call[Proposal]:
        """Proposes nodes for the people and matters in the turns at the root. Creates nothing. `left_out`: what a limit
        left out."""
        return Call(
            "GET",
            path("/v1/users/{}/node-proposal", user_id),
            as_value(Proposal),
            query={"milliseconds": milliseconds, "tokens": tokens, "model_calls": model_calls},
        )

    @operation
    def make_proposed_nodes(
        self,
        user_id: UUID | str,
        *,
        nodes: Sequence[ProposedNodeBody | Mapping[str, Any]],
        idempotency_key: str | None = OMIT,
    ) -> Call[Applied]:
        """Creates the nodes of a proposal, edited or not, and moves records from the root that belong to one of them."""
        return Call(
            "POST",
            path("/v1/users/{}/node-proposal", user_id),
            as_value(Applied),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"nodes": nodes},
        )

    @operation
    def undo_proposed_nodes(self, user_id: UUID | str, proposal_id: UUID | str) -> Call[Page[MovedTo]]:
        """Moves the proposal's records back to the root, except those moved again since; its nodes stay."""
        return Call(
            "POST", path("/v1/users/{}/node-proposal/{}/undo", user_id, proposal_id), as_page(MovedTo), repeats=False
        )

    @operation
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
    ) -> Call[Changed]:
        """Changes a record by a delta, valid from now or from a given time; nothing is overwritten."""
        return Call(
            "PATCH",
            path("/v1/users/{}/nodes/{}/records/{}", user_id, node_id, record_id),
            as_value(Changed),
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
        )

    @operation
    def get_record(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        record_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
    ) -> Call[SubjectState]:
        """A record as it was at a time; `fields` is null if it did not exist then."""
        return Call(
            "GET",
            path("/v1/users/{}/nodes/{}/records/{}", user_id, node_id, record_id),
            as_value(SubjectState),
            query={"as_of": as_of, "known_at": known_at},
        )

    @operation
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
    ) -> Call[Changed]:
        """Changes an item by a delta; searches of the past still find its old content."""
        return Call(
            "PATCH",
            path("/v1/users/{}/nodes/{}/items/{}", user_id, node_id, item_id),
            as_value(Changed),
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
        )

    @operation
    def get_item(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        item_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
    ) -> Call[SubjectState]:
        """An item as it was at a time; `fields` is null if it did not exist then."""
        return Call(
            "GET",
            path("/v1/users/{}/nodes/{}/items/{}", user_id, node_id, item_id),
            as_value(SubjectState),
            query={"as_of": as_of, "known_at": known_at},
        )

    @operation
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
    ) -> Call[Changed]:
        """Changes a cross-node edge, ends it, or restores it."""
        return Call(
            "PATCH",
            path("/v1/users/{}/edges/{}", user_id, edge_id),
            as_value(Changed),
            headers={"If-Match": if_match, "Idempotency-Key": once(idempotency_key)},
            body={
                "effective_at": effective_at,
                "correction": correction,
                "reason": reason,
                "properties": properties,
                "ended": ended,
            },
        )

    @operation
    def get_edge(
        self,
        user_id: UUID | str,
        edge_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
    ) -> Call[SubjectState]:
        """A cross-node edge as it was at a time; `fields` is null if it did not hold then."""
        return Call(
            "GET",
            path("/v1/users/{}/edges/{}", user_id, edge_id),
            as_value(SubjectState),
            query={"as_of": as_of, "known_at": known_at},
        )

    @operation
    def get_node_history(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[Delta]]:
        """Changes of a node by revision, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/nodes/{}/history", user_id, node_id),
            as_page(Delta),
            query={"after": after, "limit": limit, "cursor": cursor},
        )

    @operation
    def get_record_history(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        record_id: UUID | str,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[Delta]]:
        """Changes of a record by revision, one page; needs the right to change it."""
        return Call(
            "GET",
            path("/v1/users/{}/nodes/{}/records/{}/history", user_id, node_id, record_id),
            as_page(Delta),
            query={"after": after, "limit": limit, "cursor": cursor},
        )

    @operation
    def get_item_history(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        item_id: UUID | str,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[Delta]]:
        """Changes of an item by revision, one page; needs the right to change it."""
        return Call(
            "GET",
            path("/v1/users/{}/nodes/{}/items/{}/history", user_id, node_id, item_id),
            as_page(Delta),
            query={"after": after, "limit": limit, "cursor": cursor},
        )

    @operation
    def get_edge_history(
        self,
        user_id: UUID | str,
        edge_id: UUID | str,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[Delta]]:
        """Changes of a cross-node edge by revision, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/edges/{}/history", user_id, edge_id),
            as_page(Delta),
            query={"after": after, "limit": limit, "cursor": cursor},
        )

    @operation
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
    ) -> Call[DifferencePage]:
        """Differences between the states at two times, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/difference", user_id),
            as_value(DifferencePage),
            query={
                "from": from_,
                "to": to,
                "node_id": node_id,
                "subject_id": subject_id,
                "after": after,
                "limit": limit,
                "cursor": cursor,
            },
        )

    @operation
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
    ) -> Call[GivenGrant]:
        """Grants a persona or an integration access to one node, and to `depth` layers below it."""
        return Call(
            "POST",
            path("/v1/users/{}/grants", user_id),
            as_value(GivenGrant),
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
        )

    @operation
    def list_grants(
        self,
        user_id: UUID | str,
        *,
        node_id: UUID | str | None = OMIT,
        ended: bool = OMIT,
        after: UUID | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[Grant]]:
        """Grants of the graph by id, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/grants", user_id),
            as_page(Grant),
            query={"node_id": node_id, "ended": ended, "after": after, "limit": limit, "cursor": cursor},
        )

    @operation
    def revoke_grant(self, user_id: UUID | str, grant_id: UUID | str) -> Call[RevokedGrant]:
        """Revokes a grant: it gives no access once this request returns. Repeating it changes nothing."""
        return Call("DELETE", path("/v1/users/{}/grants/{}", user_id, grant_id), as_value(RevokedGrant))

    @operation
    def preview_grant(
        self, user_id: UUID | str, node_id: UUID | str, *, depth: int = OMIT, below: float = OMIT
    ) -> Call[GrantPreview]:
        """The content a grant on a node would open, and records placed there with little confidence; changes nothing."""
        return Call(
            "GET",
            path("/v1/users/{}/nodes/{}/grant-preview", user_id, node_id),
            as_value(GrantPreview),
            query={"depth": depth, "below": below},
        )

    @operation
    def get_audience(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        *,
        at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[Viewer]]:
        """Who could see a node at a time, and why."""
        return Call(
            "GET",
            path("/v1/users/{}/nodes/{}/audience", user_id, node_id),
            as_page(Viewer),
            query={"at": at, "limit": limit, "cursor": cursor},
        )

    @operation
    def get_access_log(
        self, user_id: UUID | str, *, before: int | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[AccessEntry]]:
        """Grants, revocations and refused requests of the graph, newest first, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/access-log", user_id),
            as_page(AccessEntry),
            query={"before": before, "limit": limit, "cursor": cursor},
        )

    @operation
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
    ) -> Call[IngestReport]:
        """Stores what is not stored yet, atomically in all stores, and returns the records with their nodes.

        After a 503 no partial write is visible; a write that was accepted before the store stopped completes by
        itself, so retry with the same ids or the same idempotency key."""
        return Call(
            "POST",
            path("/v1/users/{}/records", user_id),
            as_value(IngestReport),
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
        )

    @operation
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
    ) -> Call[Page[Assignment]]:
        """Why records lie where they lie, newest first, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/assignments", user_id),
            as_page(Assignment),
            query={
                "record_id": record_id,
                "node_id": node_id,
                "below": below,
                "decided_by": decided_by,
                "before": before,
                "limit": limit,
                "cursor": cursor,
            },
        )

    @operation
    def move_record(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        record_id: UUID | str,
        *,
        to_node_id: UUID | str,
        reason: str = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Call[Moved]:
        """Moves a record with its items, file and history to another node of the graph, atomically.

        The move is a decision by hand: the newest of the record's assignments."""
        return Call(
            "POST",
            path("/v1/users/{}/nodes/{}/records/{}/move", user_id, node_id, record_id),
            as_value(Moved),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"to_node_id": to_node_id, "reason": reason},
        )

    @operation
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
    ) -> Call[Appended]:
        """Appends turns to a conversation, which its first turns open; they are durable when the request returns.

        Turns sent again with the same number (`first`) or ids change nothing; a gap, or a different turn at the same
        place, is 409. They are not found by a search until a piece of the conversation is stored."""
        return Call(
            "POST",
            path("/v1/users/{}/conversations/{}/turns", user_id, conversation_id),
            as_value(Appended),
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
        )

    @operation
    def end_conversation(
        self, user_id: UUID | str, conversation_id: str, *, idempotency_key: str | None = OMIT
    ) -> Call[EndedStream]:
        """Stores the rest of a conversation, however short. If the request is interrupted, a job finishes it."""
        return Call(
            "POST",
            path("/v1/users/{}/conversations/{}/end", user_id, conversation_id),
            as_value(EndedStream),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={},
        )

    @operation
    def get_conversation(self, user_id: UUID | str, conversation_id: str) -> Call[StreamState]:
        """The status of a streamed conversation: its turns and tokens, how many are stored and how many wait."""
        return Call("GET", path("/v1/users/{}/conversations/{}", user_id, conversation_id), as_value(StreamState))

    @operation
    def list_conversations(
        self, user_id: UUID | str, *, after: str = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[StreamState]]:
        """Streamed conversations that have not ended, by id, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/conversations", user_id),
            as_page(StreamState),
            query={"after": after, "limit": limit, "cursor": cursor},
        )

    @operation
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
    ) -> Call[IngestReport]:
        """Stores a meeting, a call, a session of work or a milestone as one record."""
        return Call(
            "POST",
            path("/v1/users/{}/occasions", user_id),
            as_value(IngestReport),
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
        )

    @operation
    def ingest(
        self,
        user_id: UUID | str,
        *,
        conversations: Sequence[ConversationBody | Mapping[str, Any]] = OMIT,
        texts: Sequence[TextBody | Mapping[str, Any]] = OMIT,
        limits: WriteLimits | Mapping[str, Any] | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Call[IngestReport]:
        """Stores many conversations and texts in one session. A source that fails is reported and does not stop the
        others.

        With an idempotency key the running session can be found and followed, and a repeated request resumes it."""
        return Call(
            "POST",
            path("/v1/users/{}/ingests", user_id),
            as_value(IngestReport),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"conversations": conversations, "texts": texts, "limits": limits},
        )

    @operation
    def list_ingests(
        self,
        user_id: UUID | str,
        *,
        key: str | None = OMIT,
        before: UUID | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[IngestSession]]:
        """The sessions of all writes, newest first, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/ingests", user_id),
            as_page(IngestSession),
            query={"key": key, "before": before, "limit": limit, "cursor": cursor},
        )

    @operation
    def get_ingest(self, user_id: UUID | str, session_id: UUID | str) -> Call[IngestSession]:
        """One session: counts of received, stored, skipped and failed sources, and of items that wait for their vectors."""
        return Call("GET", path("/v1/users/{}/ingests/{}", user_id, session_id), as_value(IngestSession))

    @operation
    def list_ingested_sources(
        self,
        user_id: UUID | str,
        session_id: UUID | str,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[IngestedSource]]:
        """The result of each source: its hash and record ids, or why it failed. Sources stored before are only counted."""
        return Call(
            "GET",
            path("/v1/users/{}/ingests/{}/sources", user_id, session_id),
            as_page(IngestedSource),
            query={"after": after, "limit": limit, "cursor": cursor},
        )

    @followed
    def follow_ingest(self, user_id: UUID | str, session_id: UUID | str, *, wait: float = OMIT) -> Call[IngestSession]:
        """The session as a server-sent event, and again after each of its commits; the stream ends with the session."""
        return Call(
            "GET",
            path("/v1/users/{}/ingests/{}/events", user_id, session_id),
            as_value(IngestSession),
            query={"wait": wait},
        )

    @operation
    def list_failures(
        self,
        user_id: UUID | str,
        *,
        state: Literal["open", "replayed", "dismissed"] | None = OMIT,
        before: UUID | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[Failure]]:
        """Permanent failures of this graph, newest first, one page. They name sources, never their content."""
        return Call(
            "GET",
            path("/v1/users/{}/failures", user_id),
            as_page(Failure),
            query={"state": state, "before": before, "limit": limit, "cursor": cursor},
        )

    @operation
    def replay_failure(self, user_id: UUID | str, failure_id: UUID | str) -> Call[Failure]:
        """Reads the source again from its file and stores it; 409 if it has no file and must be sent again."""
        return Call(
            "POST", path("/v1/users/{}/failures/{}/replay", user_id, failure_id), as_value(Failure), repeats=False
        )

    @operation
    def dismiss_failure(self, user_id: UUID | str, failure_id: UUID | str, *, note: str = OMIT) -> Call[Failure]:
        """Dismisses a failure. Repeating it changes nothing; 409 if it was replayed."""
        return Call(
            "POST",
            path("/v1/users/{}/failures/{}/dismiss", user_id, failure_id),
            as_value(Failure),
            query={"note": note},
            repeats=False,
        )

    @operation
    def list_job_failures(
        self,
        *,
        state: Literal["open", "replayed", "dismissed"] | None = OMIT,
        before: UUID | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[Failure]]:
        """Jobs that failed at every attempt, newest first, one page. A later success settles the entry."""
        return Call(
            "GET",
            "/v1/failures",
            as_page(Failure),
            query={"state": state, "before": before, "limit": limit, "cursor": cursor},
        )

    @operation
    def replay_job_failure(self, failure_id: UUID | str) -> Call[Failure]:
        """Requests a run of the job; the entry is settled when a run succeeds."""
        return Call("POST", path("/v1/failures/{}/replay", failure_id), as_value(Failure), repeats=False)

    @operation
    def dismiss_job_failure(self, failure_id: UUID | str, *, note: str = OMIT) -> Call[Failure]:
        """Dismisses an entry. Repeating it changes nothing; 409 if it was replayed."""
        return Call(
            "POST", path("/v1/failures/{}/dismiss", failure_id), as_value(Failure), query={"note": note}, repeats=False
        )

    @operation
    def list_documents(
        self, user_id: UUID | str, *, after: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[StoredDocument]]:
        """Current documents by id, one page. A persona sees those that it stored."""
        return Call(
            "GET",
            path("/v1/users/{}/documents", user_id),
            as_page(StoredDocument),
            query={"after": after, "limit": limit, "cursor": cursor},
        )

    @operation
    def list_document_versions(
        self,
        user_id: UUID | str,
        document_id: UUID | str,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[DocumentVersion]]:
        """Versions of a document, the oldest first, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/documents/{}/versions", user_id, document_id),
            as_page(DocumentVersion),
            query={"after": after, "limit": limit, "cursor": cursor},
        )

    @operation
    def get_document_version(self, user_id: UUID | str, document_id: UUID | str, version: int) -> Call[bytes]:
        """The file of a version as it was stored, under its own name. Its hash is verified before it is sent."""
        return Call(
            "GET", path("/v1/users/{}/documents/{}/versions/{}/content", user_id, document_id, version), as_bytes
        )

    @operation
    def list_document_chunks(
        self,
        user_id: UUID | str,
        document_id: UUID | str,
        version: int,
        *,
        after: int = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[DocumentChunk]]:
        """Passages of a version in their order, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/documents/{}/versions/{}/chunks", user_id, document_id, version),
            as_page(DocumentChunk),
            query={"after": after, "limit": limit, "cursor": cursor},
        )

    @operation
    def list_resources(
        self,
        user_id: UUID | str,
        *,
        content_type: Literal["conversation", "event", "document", "webhook"] | None = OMIT,
        source_id: str | None = OMIT,
        before: str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[Page[RawResource]]:
        """Raw inputs, newest first, one page. They are append-only."""
        return Call(
            "GET",
            path("/v1/users/{}/resources", user_id),
            as_page(RawResource),
            query={
                "content_type": content_type,
                "source_id": source_id,
                "before": before,
                "limit": limit,
                "cursor": cursor,
            },
        )

    @operation
    def get_resource(self, user_id: UUID | str, resource_id: UUID | str) -> Call[bytes]:
        """The bytes of a raw input under its own name. The hash is verified before the first byte is sent."""
        return Call("GET", path("/v1/users/{}/resources/{}/content", user_id, resource_id), as_bytes)

    @operation
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
    ) -> Call[FactChain]:
        """Stores a fact that the user states. Returns its chain, the newest first: what it replaced is there, too. If it
        only says again what is known, that is confirmed."""
        return Call(
            "POST",
            path("/v1/users/{}/facts", user_id),
            as_value(FactChain),
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
        )

    @operation
    def list_facts(
        self,
        user_id: UUID | str,
        *,
        limit: int = OMIT,
        cursor: str | None = OMIT,
        about: str | None = OMIT,
        node_id: UUID | str | None = OMIT,
        status: Literal["live", "superseded", "invalidated", "withdrawn"] | Literal["any"] = OMIT,
        contradicting: bool = OMIT,
        doubtful: bool = OMIT,
    ) -> Call[Page[Fact]]:
        """Facts that the user stated or a model found, by id, one page; for the user alone."""
        return Call(
            "GET",
            path("/v1/users/{}/facts", user_id),
            as_page(Fact),
            query={
                "limit": limit,
                "cursor": cursor,
                "about": about,
                "node_id": node_id,
                "status": status,
                "contradicting": contradicting,
                "doubtful": doubtful,
            },
        )

    @operation
    def list_attributes(
        self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[Attribute]]:
        """The attributes of which live facts speak, as where someone lives, one page; for the user alone."""
        return Call(
            "GET",
            path("/v1/users/{}/facts/attributes", user_id),
            as_page(Attribute),
            query={"limit": limit, "cursor": cursor},
        )

    @operation
    def list_fact_doubts(
        self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[FactDoubt]]:
        """Pairs of live facts of which the newer may replace the older, or says the opposite, and nobody decided; the
        newest pairs first, one page; for the user alone."""
        return Call(
            "GET",
            path("/v1/users/{}/facts/doubts", user_id),
            as_page(FactDoubt),
            query={"limit": limit, "cursor": cursor},
        )

    @operation
    def decide_fact(
        self,
        user_id: UUID | str,
        fact_id: UUID | str,
        *,
        decision: Literal["replaced", "both"] | None,
        idempotency_key: str | None = OMIT,
    ) -> Call[FactChain]:
        """Decides about a fact in doubt: it was replaced by the newest fact that may replace it, or both hold; null
        takes back what was decided. Returns its chain."""
        return Call(
            "POST",
            path("/v1/users/{}/facts/{}/decide", user_id, fact_id),
            as_value(FactChain),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"decision": decision},
        )

    @operation
    def get_fact(self, user_id: UUID | str, fact_id: UUID | str) -> Call[FactChain]:
        """A fact with its chain, the newest first."""
        return Call("GET", path("/v1/users/{}/facts/{}", user_id, fact_id), as_value(FactChain))

    @operation
    def list_retractions(
        self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[Retraction]]:
        """Retractions, newest first, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/retractions", user_id),
            as_page(Retraction),
            query={"limit": limit, "cursor": cursor},
        )

    @operation
    def retract(
        self,
        user_id: UUID | str,
        *,
        kind: Literal["record", "document", "source", "fact"],
        subject: str,
        reason: str = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Call[Retraction]:
        """Withdraws a source with all that it alone supports. The same request goes on with one that was interrupted."""
        return Call(
            "POST",
            path("/v1/users/{}/retractions", user_id),
            as_value(Retraction),
            headers={"Idempotency-Key": once(idempotency_key)},
            body={"kind": kind, "subject": subject, "reason": reason},
        )

    @operation
    def preview_retraction(
        self,
        user_id: UUID | str,
        *,
        kind: Literal["record", "document", "source", "fact"],
        subject: str,
        limit: int = OMIT,
    ) -> Call[RetractionPreview]:
        """What a retraction would do: what ends, what holds again, what gets weaker. Nothing is written."""
        return Call(
            "GET",
            path("/v1/users/{}/retractions/preview", user_id),
            as_value(RetractionPreview),
            query={"kind": kind, "subject": subject, "limit": limit},
        )

    @operation
    def undo_retraction(
        self, user_id: UUID | str, retraction_id: UUID | str, *, idempotency_key: str | None = OMIT
    ) -> Call[Retraction]:
        """Brings back what was withdrawn; what came since stays. Repeating it changes nothing."""
        return Call(
            "POST",
            path("/v1/users/{}/retractions/{}/undo", user_id, retraction_id),
            as_value(Retraction),
            headers={"Idempotency-Key": once(idempotency_key)},
        )

    @operation
    def begin_replay(self, user_id: UUID | str) -> Call[Replay]:
        """Starts a replay, or resumes the open one; a background job builds it. No model is called."""
        return Call("POST", path("/v1/users/{}/replays", user_id), as_value(Replay), body={}, repeats=False)

    @operation
    def list_replays(
        self, user_id: UUID | str, *, before: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[Replay]]:
        """Replays, newest first, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/replays", user_id),
            as_page(Replay),
            query={"before": before, "limit": limit, "cursor": cursor},
        )

    @operation
    def get_replay(self, user_id: UUID | str, replay_id: UUID | str) -> Call[Replay]:
        """One replay: how many records are rebuilt, and how they differ."""
        return Call("GET", path("/v1/users/{}/replays/{}", user_id, replay_id), as_value(Replay))

    @operation
    def compare_replay(self, user_id: UUID | str, replay_id: UUID | str) -> Call[ReplayComparison]:
        """The changes that a swap would make."""
        return Call("GET", path("/v1/users/{}/replays/{}/comparison", user_id, replay_id), as_value(ReplayComparison))

    @operation
    def swap_replay(self, user_id: UUID | str, replay_id: UUID | str) -> Call[Replay]:
        """Replaces all records that differ, in one step. Repeating it changes nothing; 409 while it is being built."""
        return Call(
            "POST", path("/v1/users/{}/replays/{}/swap", user_id, replay_id), as_value(Replay), body={}, repeats=False
        )

    @operation
    def discard_replay(self, user_id: UUID | str, replay_id: UUID | str) -> Call[Replay]:
        """Discards the rebuilt records. Repeating it changes nothing; 409 if it was swapped."""
        return Call(
            "POST",
            path("/v1/users/{}/replays/{}/discard", user_id, replay_id),
            as_value(Replay),
            body={},
            repeats=False,
        )

    @operation
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
    ) -> Call[Event]:
        """Writes an event. It is never changed."""
        return Call(
            "POST",
            path("/v1/users/{}/events", user_id),
            as_value(Event),
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
        )

    @operation
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
    ) -> Call[Page[Event]]:
        """Events by the time at which they happened, newest first, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/events", user_id),
            as_page(Event),
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
        )

    @operation
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
        relations: bool = OMIT,
        explain: bool = OMIT,
        recall: bool = OMIT,
        cursor: str | None = OMIT,
    ) -> Call[SearchAnswer]:
        """Finds the anchors of the query and searches there, in a small memory everywhere; opens no file.

        The `score` of a hit orders the hits of this answer; it can be negative and says nothing beside other answers."""
        return Call(
            "POST",
            path("/v1/users/{}/search", user_id),
            as_value(SearchAnswer),
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
                "relations": relations,
                "explain": explain,
                "recall": recall,
            },
        )

    @operation
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
    ) -> Call[SearchAnswer]:
        """The best items by meaning × confidence × decay by age, of all that may be read; no anchors."""
        return Call(
            "POST",
            path("/v1/users/{}/search/decayed", user_id),
            as_value(SearchAnswer),
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
        )

    @operation
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
    ) -> Call[Context]:
        """What the memory holds that matters to a question, as text for a prompt within so many tokens, with sources."""
        return Call(
            "POST",
            path("/v1/users/{}/context", user_id),
            as_value(Context),
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
        )

    @operation
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
    ) -> Call[ContextAnswer]:
        """The configured language model's answer from that context alone, with citations, or a refusal."""
        return Call(
            "POST",
            path("/v1/users/{}/answer", user_id),
            as_value(ContextAnswer),
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
        )

    @operation
    def open_file(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        file_id: UUID | str,
        *,
        wait: float | None = OMIT,
        prefer: str | None = OMIT,
    ) -> Call[bytes | FileStatus]:
        """The original bytes of one file. Its hash is verified before the first byte is sent.

        If the file lies at several nodes, readers other than the owner get only the passages of this node; if a turn
        or a passage was changed or ended by hand, everybody gets what holds now: as a text with `Neurigraph-Part:
        true`."""
        return Call(
            "GET",
            path("/v1/users/{}/nodes/{}/files/{}", user_id, node_id, file_id),
            as_file(FileStatus),
            query={"wait": wait},
            headers={"prefer": prefer},
        )

    @operation
    def get_file_state(self, user_id: UUID | str, node_id: UUID | str, file_id: UUID | str) -> Call[FileStatus]:
        """The state of a file: asleep, awake, or being restored. This does not wake it."""
        return Call(
            "GET", path("/v1/users/{}/nodes/{}/files/{}/state", user_id, node_id, file_id), as_value(FileStatus)
        )

    @operation
    def wake_file(
        self,
        user_id: UUID | str,
        node_id: UUID | str,
        file_id: UUID | str,
        *,
        wait: float | None = OMIT,
        prefer: str | None = OMIT,
    ) -> Call[FileStatus]:
        """Wakes a file and keeps it awake until it is put to sleep or unused for long. Repeating it changes nothing."""
        return Call(
            "POST",
            path("/v1/users/{}/nodes/{}/files/{}/wake", user_id, node_id, file_id),
            as_value(FileStatus),
            query={"wait": wait},
            headers={"prefer": prefer},
            repeats=False,
        )

    @operation
    def sleep_file(self, user_id: UUID | str, node_id: UUID | str, file_id: UUID | str) -> Call[FileStatus]:
        """Puts a file to sleep; needs write access to its node. 409 while it is restored. Repeating it changes nothing."""
        return Call(
            "POST",
            path("/v1/users/{}/nodes/{}/files/{}/sleep", user_id, node_id, file_id),
            as_value(FileStatus),
            repeats=False,
        )

    @followed
    def follow_file(
        self, user_id: UUID | str, node_id: UUID | str, file_id: UUID | str, *, wait: float = OMIT
    ) -> Call[FileStatus]:
        """The state as a server-sent event, and each change until the file is restored. This does not wake it."""
        return Call(
            "GET",
            path("/v1/users/{}/nodes/{}/files/{}/events", user_id, node_id, file_id),
            as_value(FileStatus),
            query={"wait": wait},
        )

    @operation
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
    ) -> Call[Page[StateEntry]]:
        """Transitions of the files of a graph, newest first, one page. The log is append-only."""
        return Call(
            "GET",
            path("/v1/users/{}/file-log", user_id),
            as_page(StateEntry),
            query={
                "node_id": node_id,
                "file_id": file_id,
                "to_review": to_review,
                "before": before,
                "limit": limit,
                "cursor": cursor,
            },
        )

    @operation
    def review_file_log(self, user_id: UUID | str, entry_id: int, *, note: str = OMIT) -> Call[ReviewedEntry]:
        """Marks a failed entry as reviewed by the owner, in an entry of its own. Repeating it changes nothing."""
        return Call(
            "POST",
            path("/v1/users/{}/file-log/{}/review", user_id, entry_id),
            as_value(ReviewedEntry),
            body={"note": note},
            repeats=False,
        )

    @operation
    def list_jobs(self, *, limit: int = OMIT, cursor: str | None = OMIT) -> Call[Page[JobState]]:
        """All jobs: schedule, next run, numbers of runs and failures, and the last run."""
        return Call("GET", "/v1/jobs", as_page(JobState), query={"limit": limit, "cursor": cursor})

    @operation
    def get_job(self, name: str) -> Call[JobState]:
        """One job."""
        return Call("GET", path("/v1/jobs/{}", name), as_value(JobState))

    @operation
    def list_runs(
        self, name: str, *, before: int | None = OMIT, quiet: bool = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[Run]]:
        """Started runs of a job, newest first, one page."""
        return Call(
            "GET",
            path("/v1/jobs/{}/runs", name),
            as_page(Run),
            query={"before": before, "quiet": quiet, "limit": limit, "cursor": cursor},
        )

    @operation
    def get_run(self, name: str, run_id: int) -> Call[Run]:
        """One run: waiting, running or ended, with its report."""
        return Call("GET", path("/v1/jobs/{}/runs/{}", name, run_id), as_value(Run))

    @operation
    def run_job(self, name: str, *, wait: float | None = OMIT, prefer: str | None = OMIT) -> Call[Run]:
        """Requests a run now. A waiting run serves this request, too; a running one is followed by another."""
        return Call(
            "POST",
            path("/v1/jobs/{}/run", name),
            as_value(Run),
            query={"wait": wait},
            headers={"prefer": prefer},
            body={},
            repeats=False,
        )

    @operation
    def list_commits(
        self, user_id: UUID | str, *, after: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[CommitSummary]]:
        """Commits of this graph that were accepted, but failed and were set aside, oldest first, one page."""
        return Call(
            "GET",
            path("/v1/users/{}/commits", user_id),
            as_page(CommitSummary),
            query={"after": after, "limit": limit, "cursor": cursor},
        )

    @operation
    def retry_commit(self, user_id: UUID | str, commit_id: UUID | str) -> Call[CommitOutcome]:
        """Retries the commit now; if it fails again, its state is `pending` and recovery goes on retrying."""
        return Call(
            "POST", path("/v1/users/{}/commits/{}/retry", user_id, commit_id), as_value(CommitOutcome), repeats=False
        )

    @operation
    def discard_commit(self, user_id: UUID | str, commit_id: UUID | str, *, reason: str = OMIT) -> Call[CommitOutcome]:
        """Undoes it: a node's name is free again, records can be sent again, a grant is revoked. 409 for a revocation."""
        return Call(
            "POST",
            path("/v1/users/{}/commits/{}/discard", user_id, commit_id),
            as_value(CommitOutcome),
            query={"reason": reason},
            repeats=False,
        )

    @operation
    def list_all_commits(
        self, *, after: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Call[Page[CommitSummary]]:
        """Commits of all users of the workspace that were set aside. Only the operator sees what they write."""
        return Call(
            "GET", "/v1/commits", as_page(CommitSummary), query={"after": after, "limit": limit, "cursor": cursor}
        )

    @operation
    def retry_any_commit(self, commit_id: UUID | str) -> Call[CommitOutcome]:
        """Retries a commit of any user now."""
        return Call("POST", path("/v1/commits/{}/retry", commit_id), as_value(CommitOutcome), repeats=False)

    @operation
    def discard_any_commit(self, commit_id: UUID | str, *, reason: str = OMIT) -> Call[CommitOutcome]:
        """Undoes a commit of any user. 409 for a revocation."""
        return Call(
            "POST",
            path("/v1/commits/{}/discard", commit_id),
            as_value(CommitOutcome),
            query={"reason": reason},
            repeats=False,
        )
