"""The operations of the REST API as methods; made by `python -m tests.contract.client` from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from api.client.requests import OMIT, Page, as_bytes, as_file, as_page, as_value
from api.client.sending import followed, operation
from api.models import Liveness, ProposedNodeBody, Readiness, ReviewedEntry, StreamedTurnBody, TextBody, WriteLimits
from api.questions import FiltersBody, ScopeBody
from engine.domain.assignment import Assignment, Moved
from engine.domain.commit import CommitOutcome, CommitSummary
from engine.domain.community import Community, CommunityView, EntityMeaning, Insight
from engine.domain.context import Context, ContextAnswer
from engine.domain.delta import Changed, Delta, DifferencePage, SubjectState
from engine.domain.document import DocumentChunk, DocumentVersion, StoredDocument
from engine.domain.embedding import BuildReport, EmbeddingVersion, VersionProgress
from engine.domain.entity import (
    Alias,
    Entity,
    EntityFact,
    EntitySummary,
    FactGroup,
    Merge,
    Pair,
    Profile,
    Relation,
    RelationBetween,
    Why,
)
from engine.domain.fact import Attribute, Fact, FactChain, FactDoubt
from engine.domain.file_state import FileStatus, RawResource, StateEntry
from engine.domain.forgetting import Forgetting, ForgettingPreview, ReceiptCheck
from engine.domain.grant import AccessEntry, GivenGrant, Grant, GrantPreview, Integration, RevokedGrant, Viewer
from engine.domain.ingest import Failure, IngestedSource, IngestSession
from engine.domain.intention import Intention
from engine.domain.job import JobState, Run
from engine.domain.node import (
    Anchor,
    ChildNode,
    CreatedEdge,
    Credential,
    MetadataPage,
    ProvisionedNode,
    RecordDay,
    RegisteredEdge,
    Shell,
    TreeNode,
    User,
)
from engine.domain.occasion import Event
from engine.domain.principal import IssuedToken, Token
from engine.domain.proposal import Applied, MovedTo, Proposal
from engine.domain.relation import MentionedTogether
from engine.domain.replay import Replay, ReplayComparison
from engine.domain.report import IngestReport
from engine.domain.retention import Hold, RetentionPreviews, RetentionRule
from engine.domain.retraction import Retraction, RetractionPreview
from engine.domain.search import SearchAnswer
from engine.domain.stream import Appended, EndedStream, StreamState
from engine.domain.written import ConversationBody


class Operations:
    """The operations of the REST API. They raise ApiError for a refusal, NotReached without an answer."""

    @operation("GET", "/v1/health/live", as_value(Liveness), repeats=False)
    def is_alive(self) -> Liveness:
        """Whether the process is alive; queries no store."""

    @operation("GET", "/v1/health/ready", as_value(Readiness), repeats=False)
    def is_ready(self) -> Readiness:
        """Whether the engine is open, its search is prepared, and every store answers; else 503 with the same members.

        Returns within three seconds, even if a store hangs."""

    @operation("POST", "/v1/users", as_value(User))
    def create_user(self, *, handle: str, display_name: str = OMIT) -> User:
        """The user with this handle, created with a root node if it does not exist; repeating it changes nothing."""

    @operation("GET", "/v1/users", as_page(User))
    def list_users(self, *, after: str = OMIT, limit: int = OMIT, cursor: str | None = OMIT) -> Page[User]:
        """Users by handle, one page; archived ones are marked."""

    @operation("GET", "/v1/users/by-handle/{handle}", as_value(User))
    def find_user(self, handle: str) -> User:
        """The user with this handle; a user finds only itself."""

    @operation("GET", "/v1/users/me", as_value(Credential))
    def get_credential(self) -> Credential:
        """Of what kind the credential of this request is, and whose if it is a user's."""

    @operation("GET", "/v1/users/{user_id}", as_value(User))
    def get_user(self, user_id: UUID | str) -> User:
        """The user with this id; a user finds only itself."""

    @operation("POST", "/v1/tokens", as_value(IssuedToken), repeats=False)
    def create_token(
        self,
        *,
        principal_kind: Literal["user", "persona", "third_party", "administrator"],
        name: str,
        principal_id: UUID | str | None = OMIT,
        expires_at: datetime | str | None = OMIT,
    ) -> IssuedToken:
        """Creates a token; its secret is returned only in this answer."""

    @operation("GET", "/v1/tokens", as_page(Token))
    def list_tokens(
        self, *, after: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Token]:
        """Tokens without their secrets, newest first, one page; expired and revoked ones, too."""

    @operation("POST", "/v1/tokens/{token_id}/rotate", as_value(IssuedToken), repeats=False)
    def rotate_token(self, token_id: UUID | str, *, grace_s: int = OMIT) -> IssuedToken:
        """Creates a token with a new secret for the same principal; the old one expires now, or after the grace time."""

    @operation("DELETE", "/v1/tokens/{token_id}", as_value(Token))
    def revoke_token(self, token_id: UUID | str) -> Token:
        """Revokes a token at once; repeating it changes nothing."""

    @operation("POST", "/v1/integrations", as_value(Integration))
    def create_integration(self, *, name: str) -> Integration:
        """The integration of this name, created if it does not exist; repeating it changes nothing."""

    @operation("GET", "/v1/integrations", as_page(Integration))
    def list_integrations(
        self, *, after: str = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Integration]:
        """Integrations by name, one page."""

    @operation("GET", "/v1/embedding-versions", as_page(EmbeddingVersion))
    def list_embedding_versions(self, *, limit: int = OMIT, cursor: str | None = OMIT) -> Page[EmbeddingVersion]:
        """All versions, oldest first."""

    @operation("POST", "/v1/embedding-versions", as_value(EmbeddingVersion), repeats=False)
    def start_canary(
        self,
        *,
        model: str,
        provider: Literal["onnx", "openai"] = OMIT,
        compression: Literal["float32", "halfvec"] | None = OMIT,
    ) -> EmbeddingVersion:
        """Creates a canary of a model, without vectors yet; repeating it returns the same one."""

    @operation("GET", "/v1/embedding-versions/{name}", as_value(VersionProgress))
    def get_embedding_version(self, name: str) -> VersionProgress:
        """The progress of a version; it counts every text, so do not poll it every second."""

    @operation("DELETE", "/v1/embedding-versions/{name}", as_value(EmbeddingVersion))
    def drop_embeddings(self, name: str) -> EmbeddingVersion:
        """Deletes the vectors of a version that is not active."""

    @operation("POST", "/v1/embedding-versions/{name}/build", as_value(BuildReport), repeats=False)
    def build_embeddings(self, name: str, *, most: int = OMIT, duty: float = OMIT) -> BuildReport:
        """Makes some of a version's missing vectors and returns how many remain; repeat it until none does."""

    @operation("POST", "/v1/embedding-versions/{name}/compare", as_value(dict[str, Any]), repeats=False)
    def compare_embeddings(self, name: str, *, samples: int = OMIT) -> dict[str, Any]:
        """Compares the version with the active one on stored texts; the result is kept with it."""

    @operation("POST", "/v1/embedding-versions/{name}/promote", as_value(VersionProgress), repeats=False)
    def promote_embeddings(self, name: str, *, force: bool = OMIT) -> VersionProgress:
        """Makes the canary the active version, in one step."""

    @operation("POST", "/v1/embedding-versions/{name}/rollback", as_value(VersionProgress), repeats=False)
    def roll_back_embeddings(self, name: str) -> VersionProgress:
        """Rolls back the active version, which is named, to the previous one, in one step."""

    @operation("POST", "/v1/users/{user_id}/nodes", as_value(ProvisionedNode))
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

    @operation("GET", "/v1/users/{user_id}/nodes/{node_id}", as_value(Shell))
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

    @operation("PATCH", "/v1/users/{user_id}/nodes/{node_id}", as_value(Changed))
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

    @operation("GET", "/v1/users/{user_id}/nodes/{node_id}/children", as_page(ChildNode))
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

    @operation("GET", "/v1/users/{user_id}/nodes/{node_id}/metadata", as_value(MetadataPage))
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

    @operation("POST", "/v1/users/{user_id}/nodes/{node_id}/touch", as_value(object))
    def touch(self, user_id: UUID | str, node_id: UUID | str, *, ids: Sequence[UUID | str] = OMIT) -> object:
        """Marks the node, and these of its items and records, as used: access times and counts follow in some seconds."""

    @operation("GET", "/v1/users/{user_id}/tree", as_page(TreeNode))
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

    @operation("GET", "/v1/users/{user_id}/timeline", as_page(RecordDay))
    def get_timeline(self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT) -> Page[RecordDay]:
        """On which days the records of the graph happened, node by node, undated ones first, one page; for its user."""

    @operation("GET", "/v1/users/{user_id}/anchors", as_page(Anchor))
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

    @operation("GET", "/v1/users/{user_id}/edges", as_page(RegisteredEdge))
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

    @operation("POST", "/v1/users/{user_id}/edges", as_value(CreatedEdge))
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

    @operation("GET", "/v1/users/{user_id}/entities", as_page(EntitySummary))
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

    @operation("GET", "/v1/users/{user_id}/entities/{entity_id}", as_value(Entity))
    def get_entity(
        self,
        user_id: UUID | str,
        entity_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
    ) -> Entity:
        """One entity: names, nodes, latest mentions. Of a merged one, that which it is part of."""

    @operation("POST", "/v1/users/{user_id}/entities/{entity_id}/correct", as_value(Entity))
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

    @operation("GET", "/v1/users/{user_id}/entities/{entity_id}/aliases", as_page(Alias))
    def list_aliases(
        self, user_id: UUID | str, entity_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Alias]:
        """Names and addresses that lead to an entity, one page; for the user alone."""

    @operation("POST", "/v1/users/{user_id}/entities/{entity_id}/aliases", as_value(Alias))
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

    @operation("POST", "/v1/users/{user_id}/entities/{entity_id}/aliases/verify", as_value(Alias))
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

    @operation("POST", "/v1/users/{user_id}/entities/{entity_id}/aliases/remove", as_value(Alias))
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

    @operation("GET", "/v1/users/{user_id}/entities/{entity_id}/relations", as_page(Relation))
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

    @operation("GET", "/v1/users/{user_id}/entities/{entity_id}/facts", as_page(EntityFact))
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

    @operation("GET", "/v1/users/{user_id}/entities/{entity_id}/profile", as_value(Profile))
    def get_entity_profile(self, user_id: UUID | str, entity_id: UUID | str) -> Profile:
        """What is known of an entity now, in at most 300 tokens, composed of what the caller may read."""

    @operation("GET", "/v1/users/{user_id}/profile", as_page(FactGroup))
    def get_user_profile(
        self,
        user_id: UUID | str,
        *,
        by: Literal["type", "category"] = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[FactGroup]:
        """The live facts of the user's memory in groups, with the ten strongest of each, one page; for the user alone."""

    @operation("GET", "/v1/users/{user_id}/relations", as_page(RelationBetween))
    def list_relations_between(
        self,
        user_id: UUID | str,
        *,
        entity_id: Sequence[UUID | str],
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[RelationBetween]:
        """The strongest 1,000 relations between these entities that hold, one page. An entity that may not be read has
        none."""

    @operation("GET", "/v1/users/{user_id}/entities-together", as_page(MentionedTogether))
    def list_mentioned_together(
        self, user_id: UUID | str, *, entity_id: Sequence[UUID | str], limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[MentionedTogether]:
        """The 1,000 pairs of these entities that most records mention together, one page; for the user alone."""

    @operation("GET", "/v1/users/{user_id}/relations/{relation_id}/why", as_value(Why))
    def why_relation(
        self,
        user_id: UUID | str,
        relation_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
    ) -> Why:
        """The records that state a relation, and where."""

    @operation("POST", "/v1/users/{user_id}/relations/{relation_id}/archive", as_value(Relation))
    def archive_relation(
        self, user_id: UUID | str, relation_id: UUID | str, *, reason: str = OMIT, idempotency_key: str | None = OMIT
    ) -> Relation:
        """Sets a relation aside that the user finds wrong, whatever states it from then on."""

    @operation("POST", "/v1/users/{user_id}/relations/{relation_id}/restore", as_value(Relation))
    def restore_relation(
        self, user_id: UUID | str, relation_id: UUID | str, *, reason: str = OMIT, idempotency_key: str | None = OMIT
    ) -> Relation:
        """Lets an archived relation count again. Repeating it changes nothing."""

    @operation("PUT", "/v1/users/{user_id}/relations/{relation_id}/properties", as_value(Relation))
    def describe_relation(
        self,
        user_id: UUID | str,
        relation_id: UUID | str,
        *,
        properties: Mapping[str, Any],
        idempotency_key: str | None = OMIT,
    ) -> Relation:
        """Gives a relation properties of the user's own, in place of those that it has."""

    @operation("GET", "/v1/users/{user_id}/entity-pairs", as_page(Pair))
    def review_entities(self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT) -> Page[Pair]:
        """Pairs of entities that may be one, the likeliest first; merge them, or tell them apart."""

    @operation("POST", "/v1/users/{user_id}/entity-pairs/{pair_id}/apart", as_value(Pair))
    def tell_entities_apart(
        self, user_id: UUID | str, pair_id: UUID | str, *, idempotency_key: str | None = OMIT
    ) -> Pair:
        """Decides that the entities of a pair are two."""

    @operation("POST", "/v1/users/{user_id}/entities/{entity_id}/merges", as_value(Merge))
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

    @operation("GET", "/v1/users/{user_id}/entity-merges", as_page(Merge))
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

    @operation("POST", "/v1/users/{user_id}/entity-merges/{merge_id}/undo", as_value(Merge))
    def undo_entity_merge(
        self, user_id: UUID | str, merge_id: UUID | str, *, idempotency_key: str | None = OMIT
    ) -> Merge:
        """Ends a merge; its entities are read apart again. Repeating it changes nothing."""

    @operation("GET", "/v1/users/{user_id}/intentions", as_page(Intention))
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

    @operation("PUT", "/v1/users/{user_id}/intentions/{intention_id}/state", as_value(Intention))
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

    @operation("GET", "/v1/users/{user_id}/communities", as_page(Community))
    def list_communities(
        self,
        user_id: UUID | str,
        *,
        of: Literal["entities", "facts"] = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Community]:
        """The largest 500 communities or clusters, as they hold now, one page; for the user alone."""

    @operation("GET", "/v1/users/{user_id}/communities/{community_id}", as_value(CommunityView))
    def get_community(self, user_id: UUID | str, community_id: UUID | str) -> CommunityView:
        """A community or a cluster with its members and the relations between them."""

    @operation("GET", "/v1/users/{user_id}/insights", as_page(Insight))
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

    @operation("GET", "/v1/users/{user_id}/entities/{entity_id}/meaning", as_value(EntityMeaning))
    def get_entity_meaning(self, user_id: UUID | str, entity_id: UUID | str) -> EntityMeaning:
        """What the texts that mention an entity mean: words that set them apart, drift; for the user alone."""

    @operation("GET", "/v1/users/{user_id}/node-proposal", as_value(Proposal))
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

    @operation("POST", "/v1/users/{user_id}/node-proposal", as_value(Applied))
    def make_proposed_nodes(
        self,
        user_id: UUID | str,
        *,
        nodes: Sequence[ProposedNodeBody | Mapping[str, Any]],
        idempotency_key: str | None = OMIT,
    ) -> Applied:
        """Creates the nodes of a proposal, edited or not, and moves records from the root that belong to one of them."""

    @operation("POST", "/v1/users/{user_id}/node-proposal/{proposal_id}/undo", as_page(MovedTo), repeats=False)
    def undo_proposed_nodes(self, user_id: UUID | str, proposal_id: UUID | str) -> Page[MovedTo]:
        """Moves the proposal's records back to the root, except those moved again since; its nodes stay."""

    @operation("PATCH", "/v1/users/{user_id}/nodes/{node_id}/records/{record_id}", as_value(Changed))
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

    @operation("GET", "/v1/users/{user_id}/nodes/{node_id}/records/{record_id}", as_value(SubjectState))
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

    @operation("PATCH", "/v1/users/{user_id}/nodes/{node_id}/items/{item_id}", as_value(Changed))
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

    @operation("GET", "/v1/users/{user_id}/nodes/{node_id}/items/{item_id}", as_value(SubjectState))
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

    @operation("PATCH", "/v1/users/{user_id}/edges/{edge_id}", as_value(Changed))
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

    @operation("GET", "/v1/users/{user_id}/edges/{edge_id}", as_value(SubjectState))
    def get_edge(
        self,
        user_id: UUID | str,
        edge_id: UUID | str,
        *,
        as_of: datetime | str | None = OMIT,
        known_at: datetime | str | None = OMIT,
    ) -> SubjectState:
        """A cross-node edge as it was at a time; `fields` is null if it did not hold then."""

    @operation("GET", "/v1/users/{user_id}/nodes/{node_id}/history", as_page(Delta))
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

    @operation("GET", "/v1/users/{user_id}/nodes/{node_id}/records/{record_id}/history", as_page(Delta))
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

    @operation("GET", "/v1/users/{user_id}/nodes/{node_id}/items/{item_id}/history", as_page(Delta))
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

    @operation("GET", "/v1/users/{user_id}/edges/{edge_id}/history", as_page(Delta))
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

    @operation("GET", "/v1/users/{user_id}/difference", as_value(DifferencePage))
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

    @operation("POST", "/v1/users/{user_id}/grants", as_value(GivenGrant))
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

    @operation("GET", "/v1/users/{user_id}/grants", as_page(Grant))
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

    @operation("DELETE", "/v1/users/{user_id}/grants/{grant_id}", as_value(RevokedGrant))
    def revoke_grant(self, user_id: UUID | str, grant_id: UUID | str) -> RevokedGrant:
        """Revokes a grant: it gives no access once this request returns. Repeating it changes nothing."""

    @operation("GET", "/v1/users/{user_id}/nodes/{node_id}/grant-preview", as_value(GrantPreview))
    def preview_grant(
        self, user_id: UUID | str, node_id: UUID | str, *, depth: int = OMIT, below: float = OMIT
    ) -> GrantPreview:
        """The content a grant on a node would open, and records placed there with little confidence; changes nothing."""

    @operation("GET", "/v1/users/{user_id}/nodes/{node_id}/audience", as_page(Viewer))
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

    @operation("GET", "/v1/users/{user_id}/access-log", as_page(AccessEntry))
    def get_access_log(
        self, user_id: UUID | str, *, before: int | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[AccessEntry]:
        """Grants, revocations and refused requests of the graph, newest first, one page."""

    @operation("POST", "/v1/users/{user_id}/records", as_value(IngestReport))
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
        again: bool = OMIT,
        expires_at: datetime | str | None = OMIT,
        limits: WriteLimits | Mapping[str, Any] | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> IngestReport:
        """Stores what is not stored yet, atomically in all stores, and returns the records with their nodes.

        After a 503 no partial write is visible; a write that was accepted before the store stopped completes by
        itself, so retry with the same ids or the same idempotency key."""

    @operation("GET", "/v1/users/{user_id}/assignments", as_page(Assignment))
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

    @operation("POST", "/v1/users/{user_id}/nodes/{node_id}/records/{record_id}/move", as_value(Moved))
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

    @operation("POST", "/v1/users/{user_id}/conversations/{conversation_id}/turns", as_value(Appended))
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
        again: bool = OMIT,
        expires_at: datetime | str | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> Appended:
        """Appends turns to a conversation, which its first turns open; they are durable when the request returns.

        Turns sent again with the same number (`first`) or ids change nothing; a gap, or a different turn at the same
        place, is 409. They are not found by a search until a piece of the conversation is stored."""

    @operation("POST", "/v1/users/{user_id}/conversations/{conversation_id}/end", as_value(EndedStream))
    def end_conversation(
        self, user_id: UUID | str, conversation_id: str, *, idempotency_key: str | None = OMIT
    ) -> EndedStream:
        """Stores the rest of a conversation, however short. If the request is interrupted, a job finishes it."""

    @operation("GET", "/v1/users/{user_id}/conversations/{conversation_id}", as_value(StreamState))
    def get_conversation(self, user_id: UUID | str, conversation_id: str) -> StreamState:
        """The status of a streamed conversation: its turns and tokens, how many are stored and how many wait."""

    @operation("GET", "/v1/users/{user_id}/conversations", as_page(StreamState))
    def list_conversations(
        self, user_id: UUID | str, *, after: str = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[StreamState]:
        """Streamed conversations that have not ended, by id, one page."""

    @operation("POST", "/v1/users/{user_id}/occasions", as_value(IngestReport))
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
        again: bool = OMIT,
        expires_at: datetime | str | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> IngestReport:
        """Stores a meeting, a call, a session of work or a milestone as one record."""

    @operation("POST", "/v1/users/{user_id}/ingests", as_value(IngestReport))
    def ingest(
        self,
        user_id: UUID | str,
        *,
        conversations: Sequence[ConversationBody | Mapping[str, Any]] = OMIT,
        texts: Sequence[TextBody | Mapping[str, Any]] = OMIT,
        again: bool = OMIT,
        expires_at: datetime | str | None = OMIT,
        limits: WriteLimits | Mapping[str, Any] | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> IngestReport:
        """Stores many conversations and texts in one session. A source that fails is reported and does not stop the
        others.

        With an idempotency key the running session can be found and followed, and a repeated request resumes it."""

    @operation("GET", "/v1/users/{user_id}/ingests", as_page(IngestSession))
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

    @operation("GET", "/v1/users/{user_id}/ingests/{session_id}", as_value(IngestSession))
    def get_ingest(self, user_id: UUID | str, session_id: UUID | str) -> IngestSession:
        """One session: counts of received, stored, skipped and failed sources, and of items that wait for their vectors."""

    @operation("GET", "/v1/users/{user_id}/ingests/{session_id}/sources", as_page(IngestedSource))
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

    @followed("GET", "/v1/users/{user_id}/ingests/{session_id}/events", as_value(IngestSession))
    def follow_ingest(self, user_id: UUID | str, session_id: UUID | str, *, wait: float = OMIT) -> IngestSession:
        """The session as a server-sent event, and again after each of its commits; the stream ends with the session."""

    @operation("GET", "/v1/users/{user_id}/failures", as_page(Failure))
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

    @operation("POST", "/v1/users/{user_id}/failures/{failure_id}/replay", as_value(Failure), repeats=False)
    def replay_failure(self, user_id: UUID | str, failure_id: UUID | str) -> Failure:
        """Reads the source again from its file and stores it; 409 if it has no file and must be sent again."""

    @operation(
        "POST", "/v1/users/{user_id}/failures/{failure_id}/dismiss", as_value(Failure), query="note", repeats=False
    )
    def dismiss_failure(self, user_id: UUID | str, failure_id: UUID | str, *, note: str = OMIT) -> Failure:
        """Dismisses a failure. Repeating it changes nothing; 409 if it was replayed."""

    @operation("GET", "/v1/failures", as_page(Failure))
    def list_job_failures(
        self,
        *,
        state: Literal["open", "replayed", "dismissed"] | None = OMIT,
        before: UUID | str | None = OMIT,
        limit: int = OMIT,
        cursor: str | None = OMIT,
    ) -> Page[Failure]:
        """Jobs that failed at every attempt, newest first, one page. A later success settles the entry."""

    @operation("POST", "/v1/failures/{failure_id}/replay", as_value(Failure), repeats=False)
    def replay_job_failure(self, failure_id: UUID | str) -> Failure:
        """Requests a run of the job; the entry is settled when a run succeeds."""

    @operation("POST", "/v1/failures/{failure_id}/dismiss", as_value(Failure), query="note", repeats=False)
    def dismiss_job_failure(self, failure_id: UUID | str, *, note: str = OMIT) -> Failure:
        """Dismisses an entry. Repeating it changes nothing; 409 if it was replayed."""

    @operation("GET", "/v1/users/{user_id}/documents", as_page(StoredDocument))
    def list_documents(
        self, user_id: UUID | str, *, after: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[StoredDocument]:
        """Current documents by id, one page. A persona sees those that it stored."""

    @operation("GET", "/v1/users/{user_id}/documents/{document_id}/versions", as_page(DocumentVersion))
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

    @operation("GET", "/v1/users/{user_id}/documents/{document_id}/versions/{version}/content", as_bytes)
    def get_document_version(self, user_id: UUID | str, document_id: UUID | str, version: int) -> bytes:
        """The file of a version as it was stored, under its own name. Its hash is verified before it is sent."""

    @operation("GET", "/v1/users/{user_id}/documents/{document_id}/versions/{version}/chunks", as_page(DocumentChunk))
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

    @operation("GET", "/v1/users/{user_id}/resources", as_page(RawResource))
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

    @operation("GET", "/v1/users/{user_id}/resources/{resource_id}/content", as_bytes)
    def get_resource(self, user_id: UUID | str, resource_id: UUID | str) -> bytes:
        """The bytes of a raw input under its own name. The hash is verified before the first byte is sent."""

    @operation("POST", "/v1/users/{user_id}/facts", as_value(FactChain))
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
        again: bool = OMIT,
        expires_at: datetime | str | None = OMIT,
        idempotency_key: str | None = OMIT,
    ) -> FactChain:
        """Stores a fact that the user states. Returns its chain, the newest first: what it replaced is there, too. If it
        only says again what is known, that is confirmed."""

    @operation("GET", "/v1/users/{user_id}/facts", as_page(Fact))
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
    ) -> Page[Fact]:
        """Facts that the user stated or a model found, by id, one page; for the user alone."""

    @operation("GET", "/v1/users/{user_id}/facts/attributes", as_page(Attribute))
    def list_attributes(self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT) -> Page[Attribute]:
        """The attributes of which live facts speak, as where someone lives, one page; for the user alone."""

    @operation("GET", "/v1/users/{user_id}/facts/doubts", as_page(FactDoubt))
    def list_fact_doubts(self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT) -> Page[FactDoubt]:
        """Pairs of live facts of which the newer may replace the older, or says the opposite, and nobody decided; the
        newest pairs first, one page; for the user alone."""

    @operation("POST", "/v1/users/{user_id}/facts/{fact_id}/decide", as_value(FactChain))
    def decide_fact(
        self,
        user_id: UUID | str,
        fact_id: UUID | str,
        *,
        decision: Literal["replaced", "both"] | None,
        idempotency_key: str | None = OMIT,
    ) -> FactChain:
        """Decides about a fact in doubt: it was replaced by the newest fact that may replace it, or both hold; null
        takes back what was decided. Returns its chain."""

    @operation("GET", "/v1/users/{user_id}/facts/{fact_id}", as_value(FactChain))
    def get_fact(self, user_id: UUID | str, fact_id: UUID | str) -> FactChain:
        """A fact with its chain, the newest first."""

    @operation("GET", "/v1/users/{user_id}/retractions", as_page(Retraction))
    def list_retractions(
        self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Retraction]:
        """Retractions, newest first, one page."""

    @operation("POST", "/v1/users/{user_id}/retractions", as_value(Retraction))
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

    @operation("GET", "/v1/users/{user_id}/retractions/preview", as_value(RetractionPreview))
    def preview_retraction(
        self,
        user_id: UUID | str,
        *,
        kind: Literal["record", "document", "source", "fact"],
        subject: str,
        limit: int = OMIT,
    ) -> RetractionPreview:
        """What a retraction would do: what ends, what holds again, what gets weaker. Nothing is written."""

    @operation("POST", "/v1/users/{user_id}/retractions/{retraction_id}/undo", as_value(Retraction))
    def undo_retraction(
        self, user_id: UUID | str, retraction_id: UUID | str, *, idempotency_key: str | None = OMIT
    ) -> Retraction:
        """Brings back what was withdrawn; what came since stays. Repeating it changes nothing."""

    @operation("GET", "/v1/users/{user_id}/forgettings", as_page(Forgetting))
    def list_forgettings(
        self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Forgetting]:
        """What was forgotten and what is being forgotten, newest first, one page. Of what is done, not what it was."""

    @operation("POST", "/v1/users/{user_id}/forgettings", as_value(Forgetting), repeats=False)
    def forget(
        self,
        user_id: UUID | str,
        *,
        kind: Literal["record", "document", "source", "item", "node"],
        subject: str,
        reason: str = OMIT,
    ) -> Forgetting:
        """Erases it in all stores, for good; a node with all below it. The same request goes on with one that was
        interrupted, and says how far it is; the receipt is there once it is done, some minutes later."""

    @operation("GET", "/v1/users/{user_id}/forgettings/preview", as_value(ForgettingPreview))
    def preview_forgetting(
        self,
        user_id: UUID | str,
        *,
        kind: Literal["record", "document", "source", "item", "node"],
        subject: str,
        limit: int = OMIT,
    ) -> ForgettingPreview:
        """What a forgetting would erase, and what would end or hold again with it. Nothing is written."""

    @operation("GET", "/v1/users/{user_id}/forgettings/{forgetting_id}", as_value(Forgetting))
    def get_forgetting(self, user_id: UUID | str, forgetting_id: UUID | str) -> Forgetting:
        """How far a forgetting is."""

    @operation("GET", "/v1/users/{user_id}/forgettings/{forgetting_id}/receipt", as_value(dict[str, Any]))
    def get_forgetting_receipt(self, user_id: UUID | str, forgetting_id: UUID | str) -> dict[str, Any]:
        """The signed receipt of a forgetting that is over; 404 before."""

    @operation("POST", "/v1/users/{user_id}/forgettings/verify", as_value(ReceiptCheck), repeats=False)
    def verify_forgetting_receipt(
        self, user_id: UUID | str, *, receipt: Mapping[str, Any], key: str, signature: str
    ) -> ReceiptCheck:
        """Whether a receipt is signed as it is, and what is found by it in all stores now: all of them are looked
        through."""

    @operation("POST", "/v1/forgotten-users/verify", as_value(ReceiptCheck), repeats=False)
    def verify_forgotten_user_receipt(self, *, receipt: Mapping[str, Any], key: str, signature: str) -> ReceiptCheck:
        """The same for the receipt of the forgetting of a user."""

    @operation("POST", "/v1/forgotten-users", as_value(Forgetting), repeats=False)
    def forget_user(self, *, user_id: UUID | str, reason: str = OMIT) -> Forgetting:
        """Erases a user with everything, for good; the user is unknown from now on. The same request goes on with one
        that was interrupted."""

    @operation("GET", "/v1/forgotten-users/preview", as_value(ForgettingPreview))
    def preview_forgotten_user(self, *, user_id: UUID | str) -> ForgettingPreview:
        """How much would be erased. Nothing is written."""

    @operation("GET", "/v1/forgotten-users/{forgetting_id}", as_value(Forgetting))
    def get_forgotten_user(self, forgetting_id: UUID | str) -> Forgetting:
        """How far the forgetting of a user is."""

    @operation("GET", "/v1/forgotten-users/{forgetting_id}/receipt", as_value(dict[str, Any]))
    def get_forgotten_user_receipt(self, forgetting_id: UUID | str) -> dict[str, Any]:
        """The signed receipt of the forgetting of a user; 404 before it is over."""

    @operation("POST", "/v1/users/{user_id}/replays", as_value(Replay), repeats=False)
    def begin_replay(self, user_id: UUID | str) -> Replay:
        """Starts a replay, or resumes the open one; a background job builds it. No model is called."""

    @operation("GET", "/v1/users/{user_id}/replays", as_page(Replay))
    def list_replays(
        self, user_id: UUID | str, *, before: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Replay]:
        """Replays, newest first, one page."""

    @operation("GET", "/v1/users/{user_id}/replays/{replay_id}", as_value(Replay))
    def get_replay(self, user_id: UUID | str, replay_id: UUID | str) -> Replay:
        """One replay: how many records are rebuilt, and how they differ."""

    @operation("GET", "/v1/users/{user_id}/replays/{replay_id}/comparison", as_value(ReplayComparison))
    def compare_replay(self, user_id: UUID | str, replay_id: UUID | str) -> ReplayComparison:
        """The changes that a swap would make."""

    @operation("POST", "/v1/users/{user_id}/replays/{replay_id}/swap", as_value(Replay), repeats=False)
    def swap_replay(self, user_id: UUID | str, replay_id: UUID | str) -> Replay:
        """Replaces all records that differ, in one step. Repeating it changes nothing; 409 while it is being built."""

    @operation("POST", "/v1/users/{user_id}/replays/{replay_id}/discard", as_value(Replay), repeats=False)
    def discard_replay(self, user_id: UUID | str, replay_id: UUID | str) -> Replay:
        """Discards the rebuilt records. Repeating it changes nothing; 409 if it was swapped."""

    @operation("GET", "/v1/users/{user_id}/retention", as_page(RetentionRule))
    def list_retention_rules(
        self, user_id: UUID | str, *, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[RetentionRule]:
        """Rules, those for all users among them, the oldest first, one page."""

    @operation("POST", "/v1/users/{user_id}/retention", as_value(RetentionRule), repeats=False)
    def set_retention_rule(
        self,
        user_id: UUID | str,
        *,
        older_than_days: float,
        kind: Literal["conversation", "text", "file", "fact", "event"] | None = OMIT,
        source: str | None = OMIT,
        source_prefix: str | None = OMIT,
        tag: str | None = OMIT,
        scope: Literal["user", "thread", "workflow"] | None = OMIT,
        scope_id: str | None = OMIT,
        node_id: UUID | str | None = OMIT,
        everything: bool = OMIT,
        note: str = OMIT,
    ) -> RetentionRule:
        """Sets a rule; a job forgets what it takes, each hour. One that takes all records that there are is refused
        unless it says `everything`."""

    @operation("GET", "/v1/users/{user_id}/retention/preview", as_value(RetentionPreviews))
    def preview_retention(
        self,
        user_id: UUID | str,
        *,
        limit: int = OMIT,
        older_than_days: float | None = OMIT,
        kind: Literal["conversation", "text", "file", "fact", "event"] | None = OMIT,
        source: str | None = OMIT,
        source_prefix: str | None = OMIT,
        tag: str | None = OMIT,
        scope: Literal["user", "thread", "workflow"] | None = OMIT,
        scope_id: str | None = OMIT,
        node_id: UUID | str | None = OMIT,
    ) -> RetentionPreviews:
        """What a rule would take now; without `older_than_days`, what each rule that is set takes and what has expired.
        Nothing is written."""

    @operation("DELETE", "/v1/users/{user_id}/retention/{rule_id}", as_value(RetentionRule))
    def remove_retention_rule(self, user_id: UUID | str, rule_id: UUID | str) -> RetentionRule:
        """Removes a rule. What it has forgotten does not come back."""

    @operation("GET", "/v1/retention", as_page(RetentionRule))
    def list_workspace_retention_rules(self, *, limit: int = OMIT, cursor: str | None = OMIT) -> Page[RetentionRule]:
        """Rules for all users, the oldest first, one page."""

    @operation("POST", "/v1/retention", as_value(RetentionRule), repeats=False)
    def set_workspace_retention_rule(
        self,
        *,
        older_than_days: float,
        kind: Literal["conversation", "text", "file", "fact", "event"] | None = OMIT,
        source: str | None = OMIT,
        source_prefix: str | None = OMIT,
        tag: str | None = OMIT,
        scope: Literal["user", "thread", "workflow"] | None = OMIT,
        scope_id: str | None = OMIT,
        node_id: UUID | str | None = OMIT,
        everything: bool = OMIT,
        note: str = OMIT,
    ) -> RetentionRule:
        """Sets a rule for every user of the workspace, also for those who come later."""

    @operation("DELETE", "/v1/retention/{rule_id}", as_value(RetentionRule))
    def remove_workspace_retention_rule(self, rule_id: UUID | str) -> RetentionRule:
        """Removes a rule for all users."""

    @operation("GET", "/v1/holds", as_page(Hold))
    def list_holds(
        self, *, user_id: UUID | str | None = OMIT, released: bool = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Hold]:
        """Legal holds, newest first, one page. One that is released does not say any more what it named."""

    @operation("POST", "/v1/holds", as_value(Hold), repeats=False)
    def set_hold(
        self,
        *,
        user_id: UUID | str,
        kind: Literal["user", "node", "source", "record"],
        reason: str,
        subject: str = OMIT,
    ) -> Hold:
        """Holds something: no rule and no forgetting erases it until the hold is released. Repeating it changes nothing."""

    @operation("POST", "/v1/holds/{hold_id}/release", as_value(Hold), repeats=False)
    def release_hold(self, hold_id: UUID | str, *, reason: str) -> Hold:
        """Releases a hold. Repeating it changes nothing."""

    @operation("POST", "/v1/users/{user_id}/events", as_value(Event))
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

    @operation("GET", "/v1/users/{user_id}/events", as_page(Event))
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

    @operation("POST", "/v1/users/{user_id}/search", as_value(SearchAnswer), query="cursor")
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
    ) -> SearchAnswer:
        """Finds the anchors of the query and searches there, in a small memory everywhere; opens no file.

        The `score` of a hit orders the hits of this answer; it can be negative and says nothing beside other answers."""

    @operation("POST", "/v1/users/{user_id}/search/decayed", as_value(SearchAnswer))
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

    @operation("POST", "/v1/users/{user_id}/context", as_value(Context))
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

    @operation("POST", "/v1/users/{user_id}/answer", as_value(ContextAnswer))
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

    @operation("GET", "/v1/users/{user_id}/nodes/{node_id}/files/{file_id}", as_file(FileStatus))
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

        If the file lies at several nodes, readers other than the owner get only the passages of this node; if a turn
        or a passage was changed or ended by hand, everybody gets what holds now: as a text with `Neurigraph-Part:
        true`."""

    @operation("GET", "/v1/users/{user_id}/nodes/{node_id}/files/{file_id}/state", as_value(FileStatus))
    def get_file_state(self, user_id: UUID | str, node_id: UUID | str, file_id: UUID | str) -> FileStatus:
        """The state of a file: asleep, awake, or being restored. This does not wake it."""

    @operation(
        "POST",
        "/v1/users/{user_id}/nodes/{node_id}/files/{file_id}/wake",
        as_value(FileStatus),
        query="wait",
        repeats=False,
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

    @operation("POST", "/v1/users/{user_id}/nodes/{node_id}/files/{file_id}/sleep", as_value(FileStatus), repeats=False)
    def sleep_file(self, user_id: UUID | str, node_id: UUID | str, file_id: UUID | str) -> FileStatus:
        """Puts a file to sleep; needs write access to its node. 409 while it is restored. Repeating it changes nothing."""

    @followed("GET", "/v1/users/{user_id}/nodes/{node_id}/files/{file_id}/events", as_value(FileStatus))
    def follow_file(
        self, user_id: UUID | str, node_id: UUID | str, file_id: UUID | str, *, wait: float = OMIT
    ) -> FileStatus:
        """The state as a server-sent event, and each change until the file is restored. This does not wake it."""

    @operation("GET", "/v1/users/{user_id}/file-log", as_page(StateEntry))
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

    @operation("POST", "/v1/users/{user_id}/file-log/{entry_id}/review", as_value(ReviewedEntry), repeats=False)
    def review_file_log(self, user_id: UUID | str, entry_id: int, *, note: str = OMIT) -> ReviewedEntry:
        """Marks a failed entry as reviewed by the owner, in an entry of its own. Repeating it changes nothing."""

    @operation("GET", "/v1/jobs", as_page(JobState))
    def list_jobs(self, *, limit: int = OMIT, cursor: str | None = OMIT) -> Page[JobState]:
        """All jobs: schedule, next run, numbers of runs and failures, and the last run."""

    @operation("GET", "/v1/jobs/{name}", as_value(JobState))
    def get_job(self, name: str) -> JobState:
        """One job."""

    @operation("GET", "/v1/jobs/{name}/runs", as_page(Run))
    def list_runs(
        self, name: str, *, before: int | None = OMIT, quiet: bool = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[Run]:
        """Started runs of a job, newest first, one page."""

    @operation("GET", "/v1/jobs/{name}/runs/{run_id}", as_value(Run))
    def get_run(self, name: str, run_id: int) -> Run:
        """One run: waiting, running or ended, with its report."""

    @operation("POST", "/v1/jobs/{name}/run", as_value(Run), query="wait", repeats=False)
    def run_job(self, name: str, *, wait: float | None = OMIT, prefer: str | None = OMIT) -> Run:
        """Requests a run now. A waiting run serves this request, too; a running one is followed by another."""

    @operation("GET", "/v1/users/{user_id}/commits", as_page(CommitSummary))
    def list_commits(
        self, user_id: UUID | str, *, after: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[CommitSummary]:
        """Commits of this graph that were accepted, but failed and were set aside, oldest first, one page."""

    @operation("POST", "/v1/users/{user_id}/commits/{commit_id}/retry", as_value(CommitOutcome), repeats=False)
    def retry_commit(self, user_id: UUID | str, commit_id: UUID | str) -> CommitOutcome:
        """Retries the commit now; if it fails again, its state is `pending` and recovery goes on retrying."""

    @operation(
        "POST",
        "/v1/users/{user_id}/commits/{commit_id}/discard",
        as_value(CommitOutcome),
        query="reason",
        repeats=False,
    )
    def discard_commit(self, user_id: UUID | str, commit_id: UUID | str, *, reason: str = OMIT) -> CommitOutcome:
        """Undoes it: a node's name is free again, records can be sent again, a grant is revoked. 409 for a revocation."""

    @operation("GET", "/v1/commits", as_page(CommitSummary))
    def list_all_commits(
        self, *, after: UUID | str | None = OMIT, limit: int = OMIT, cursor: str | None = OMIT
    ) -> Page[CommitSummary]:
        """Commits of all users of the workspace that were set aside. Only the operator sees what they write."""

    @operation("POST", "/v1/commits/{commit_id}/retry", as_value(CommitOutcome), repeats=False)
    def retry_any_commit(self, commit_id: UUID | str) -> CommitOutcome:
        """Retries a commit of any user now."""

    @operation("POST", "/v1/commits/{commit_id}/discard", as_value(CommitOutcome), query="reason", repeats=False)
    def discard_any_commit(self, commit_id: UUID | str, *, reason: str = OMIT) -> CommitOutcome:
        """Undoes a commit of any user. 409 for a revocation."""
