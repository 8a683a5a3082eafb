"""All settings in one place: read once from the environment (`NEURIGRAPH_…`) or a .env file, then passed on.

Nothing else in the engine reads the environment. Three URLs choose managed stores; without them the embedded
servers are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


class Settings(BaseSettings):
    """What can be configured, with the defaults that fit one person's machine."""

    model_config = SettingsConfigDict(env_prefix="NEURIGRAPH_", env_file=".env", extra="ignore", frozen=True)

    home: Path = Field(default_factory=lambda: Path.home() / ".neurigraph")
    """Data of the embedded servers and the object folder."""
    cache: Path = Field(default_factory=lambda: Path.home() / ".cache" / "neurigraph")
    """Fetched jars and encoders, shared between homes."""

    neo4j_url: str | None = None
    """`bolt://` or `neo4j+s://` URL of a managed Neo4j; None means embedded."""
    neo4j_user: str = "neo4j"
    neo4j_password: SecretStr | None = None
    neo4j_database: str = "neo4j"
    neo4j_ca: Path | None = None
    """PEM file of the authority that must have signed the managed Neo4j's certificate; its connections are encrypted."""
    postgres_url: SecretStr | None = None
    """URL of a role that may create schemas, and neither roles nor databases; None means embedded."""
    postgres_admin_url: SecretStr | None = None
    """URL of an administrator's role, for `neurigraph prepare` alone; the engine does not use it."""
    postgres_request_url: SecretStr | None = None
    """URL of the unprivileged role; None derives it from `postgres_url`."""
    postgres_ca: Path | None = None
    """The same for the managed Postgres: `sslmode=verify-full` with this authority, for both roles."""
    objects_url: SecretStr | None = None
    """`file:///folder` or `s3://key:secret@host:port/bucket?secure=true`; None means a folder in `home`."""
    objects_cold_url: SecretStr | None = None
    """The same for a second, cold tier: another bucket or folder for what is seldom read; None means there is none."""
    objects_ca: Path | None = None
    """The same for the S3 service; the system's authorities are then not trusted."""

    encrypt: bool = False
    """Whether files are encrypted from now on, by a key for each user; see docs/encryption.md."""
    encryption_keys: SecretStr | None = None
    """The operator's keys, 32 bytes in base64 each, with commas between: the first wraps the keys of users, each unwraps."""
    encryption_key_file: Path | None = None
    """A file with the operator's keys, one a line, in place of that."""
    user_keys: Path | None = None
    """The folder of the wrapped keys of users, which is no part of a backup; None means `user-keys` in `home`."""

    receipt_key: Path | None = None
    """The file of the key that signs receipts of forgettings, no part of a backup; None means `receipt-key.pem` in `home`."""
    receipts: Path | None = None
    """The folder of the receipts of forgettings, from which a restore learns what was forgotten since, best on another disk; None
    means `receipts` in `home`."""

    workspace: str = "default"
    encoder: str = "e5-small"
    """Offline encoder: e5-small, minilm or bge-small."""
    encoder_threads: int = Field(default=2, ge=1, le=64)
    jars_url: str | None = None
    """Base URL of the repository that the locked jars come from; None uses Maven's settings, then its default."""
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(default=None, validation_alias="OPENAI_BASE_URL")
    embedding_model: str | None = None
    """Name of an OpenAI embedding model; used instead of the offline encoder when a key is set too."""
    anthropic_api_key: SecretStr | None = Field(default=None, validation_alias="ANTHROPIC_API_KEY")
    anthropic_base_url: str | None = Field(default=None, validation_alias="ANTHROPIC_BASE_URL")
    language_model: str | None = None
    """`openai:NAME` (also any service that speaks its protocol, at OPENAI_BASE_URL) or `anthropic:NAME`; None calls none."""
    language_model_timeout_s: float = Field(default=60, gt=0)
    """Seconds that one attempt of a model call may take; it is repeated at most `language_model_retries` times."""
    language_model_retries: int = Field(default=3, ge=0, le=10)
    language_model_concurrency: int = Field(default=4, ge=1, le=64)
    """Calls of the model at the same time."""
    language_model_prices: Annotated[tuple[float, ...], NoDecode] = ()
    """What a million input tokens and a million output tokens cost, as `0.15,0.6`; empty: no cost is reported."""
    language_model_characters: int = Field(default=60_000, ge=1000)
    """Characters of one model call; a longer record is read in several, window by window."""

    reading_attempts: int = Field(default=12, ge=1, le=50)
    """How often a record that the model could not read when it was stored is tried, in all."""
    reading_retry_s: float = Field(default=60, gt=0)
    """Seconds after the first of these attempts; doubled for each further one, up to six hours."""

    ranking: Path | None = None
    """A ranking weights file instead of the shipped one."""
    domain: Path | None = None
    """A file of kinds of entities and types of relations instead of the shipped one."""
    intentions: bool = False
    """Whether what somebody says that they want or plan to do is kept as an intention (experimental); see docs/knowledge.md."""
    summary_words: int = Field(default=200, ge=20, le=2000)
    fact_similarity: float = Field(default=0.88, ge=0, le=1)
    """How near the meanings of two facts about one subject must be for one to replace the other."""
    index_items: int = Field(default=5000, ge=100)
    """A node with so many items gets indexes for searches; one with less than half of them has none."""
    fact_stale_days: int = Field(default=365, ge=1, le=36500)
    """Days after which a fact that nothing has confirmed is marked as stale."""
    max_text_bytes: int = Field(default=64 * 1024 * 1024, ge=1024)
    """The largest single text or file that is taken in."""
    auto_create_confidence: float = Field(default=0.8, gt=0, le=1)
    """How sure it must be that no node covers a topic before one is created for it; 1 is never reached: none is created."""
    batch_turns: int = Field(default=256, ge=1, le=512)
    stream_watch_from: int = Field(default=480_000, ge=1)
    """Tokens of a streamed conversation that wait before it is cut at the end of an exchange; see docs/streams.md."""
    stream_soft: int = Field(default=500_000, ge=1)
    """The same before it is cut at the end of the next response."""
    stream_hard: int = Field(default=620_000, ge=1, le=2**31 - 1)
    """The most that one piece of it has, unless a single turn is larger."""
    stream_silence_minutes: float = Field(default=30, gt=0)
    """How long a streamed conversation may be silent before it is ended."""
    recompress_after_minutes: float = Field(default=10, gt=0)
    """How long a file stays restored after the last retrieval."""
    dormant_after_days: float = Field(default=30, gt=0)
    """How long a file that was woken by hand stays restored without being read."""
    rehydrate_wait_s: float = Field(default=30, ge=0, le=300)
    """How long a reader waits for a file that is being restored, unless the request says otherwise."""
    rehydrate_lease_s: float = Field(default=15, ge=1)
    """How long a restoration may be silent before another process takes it over."""
    orphan_grace_minutes: float = Field(default=60, ge=0)
    commit_attempts: int = Field(default=10, ge=1, le=1000)
    """How often a commit that the graph refuses is tried by recovery before it is set aside for a person to decide."""
    quarantine_days: float = Field(default=30, ge=1)
    """How long files that no manifest knows are kept aside: as long as backups of Postgres are kept, or longer."""
    adopt_stores: bool = False
    """For one start: adopts stores that carry no mark, or another installation's; see docs/backup.md."""

    preload: bool = True
    """Whether `neurigraph up` leaves a server that has the engine open, some 250 MB, and commands call their operations there,
    which take a fifth of the time so."""

    worker: bool = True
    """Whether `neurigraph serve`, and an engine opened with `worker=True`, carries out background jobs."""
    worker_concurrency: int = Field(default=2, ge=1, le=16)
    """Jobs that one worker carries out at the same time."""
    worker_patience_s: float = Field(default=5, ge=0)
    """Seconds that a job under way gets when its worker is stopped; then it is cancelled and retried."""
    job_schedules: Annotated[Mapping[str, str], NoDecode] = Field(default_factory=dict)
    """Cron in UTC, or off, by the name of the job: `orphan-sweep=0 2 * * *; drift-check=off`; `*=off` is all others."""
    job_attempts: int = Field(default=5, ge=1, le=100)
    """How often a run that failed, or lost its worker, is tried in all."""
    job_retry_s: float = Field(default=5, gt=0)
    """Seconds before the second attempt; doubled for each further one, up to ten minutes."""
    job_time_limit_s: float = Field(default=1800, gt=0)
    job_stalled_s: float = Field(default=60, ge=30)
    """Seconds without a heartbeat after which a worker counts as dead; it sends one every 10 s."""
    job_history_days: float = Field(default=30, gt=0)
    idempotency_days: float = Field(default=30, gt=0)
    """How long an answer is kept for a repeated request."""
    outbox_days: float = Field(default=30, gt=0)
    """How long the outbox keeps finished changes of records, and the vectors in those of nodes."""
    access_log_days: float = Field(default=365, ge=30)
    """How long lines of the access log are kept; the database deletes none that is younger than 30 days."""
    session_days: float = Field(default=90, gt=0)
    """How long sessions of ingests can be read after their end; those that the failure log names stay."""

    forget_settle_s: float = Field(default=600, ge=0)
    """Seconds that writers which began before are waited for until what is forgotten is erased once more; longer than a call."""

    decay_days: float = Field(default=30, ge=0.001, le=100_000)
    """Age in days at which an item counts half in a search with decay."""
    touch_interval_s: float = Field(default=5, gt=0)
    """Seconds between two writes of the access times and counts of what searches returned."""

    postgres_pool: int = Field(default=15, ge=7, le=128)
    """All connections to Postgres that one process may hold: for requests, for the service, and three for the job queue."""
    neo4j_pool: int = Field(default=16, ge=2, le=256)
    statement_timeout_s: float = Field(default=30, gt=0)
    connect_timeout_s: float = Field(default=5, gt=0)
    objects_timeout_s: float = Field(default=30, gt=0)
    """Timeout of a call to the object store in seconds, its retries included; longer for many bytes."""

    host: str = "127.0.0.1"
    port: int = Field(default=8420, ge=0, le=65535)
    api_token: SecretStr | None = None
    """The operator's bearer token, which acts for every user; None is allowed on loopback only. At least 24 characters."""
    local_accounts: Literal["own", "any"] = "own"
    """Who may use the API without a token: the server's own account on this machine (asked of Linux), or any account."""
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = ()
    """Networks of proxies whose `X-Forwarded-For` is trusted, as `10.0.0.0/8, 127.0.0.1`, with commas between."""
    oidc_issuer: str | None = None
    """URL of an OpenID Connect issuer whose signed tokens authenticate users; None accepts none."""
    oidc_audience: str | None = None
    """The audience that its tokens must name; needed with an issuer."""
    oidc_claim: str = Field(default="sub", min_length=1)
    """The claim that holds the user's handle."""
    oidc_skew_s: float = Field(default=60, ge=0, le=600)
    """Seconds that the issuer's clock may differ from ours."""
    rate_limit_per_minute: int = Field(default=1200, ge=0)
    """Requests of one principal, and a twentieth of it for failed attempts of one address; 0 sets no limit."""
    cors_origins: Annotated[tuple[str, ...], NoDecode] = ()
    """Allowed origins of web pages (CORS), as `https://app.example.org`, with commas between; none by default."""

    writes_at_once: int = Field(default=32, ge=1)
    """Requests with a body that one principal may have under way; for the operator, in the graph of one user."""
    bytes_at_once: int = Field(default=64 * 1024 * 1024, ge=1024)
    """Bytes of all their bodies together; one text of the largest size always fits."""
    max_import_bytes: int = Field(default=16 * 1024**3, ge=1024)
    """The largest import; its lines are held one by one, each at most as long as the largest text."""
    headers_timeout_s: float = Field(default=10, gt=0)
    """Seconds in which the line and headers of a request must arrive; the connection is closed otherwise."""
    body_timeout_s: float = Field(default=30, gt=0)
    """Seconds that a body may be waited for in all, and one more for every 64 KiB that arrived."""
    keep_alive_s: float = Field(default=75, gt=0)
    """Seconds that a connection stays open between two requests; longer than clients keep one (5 s is usual), or a request
    that is sent while the server closes is lost."""
    max_connections: int = Field(default=1000, ge=4)
    """Beyond it, the connection that waits longest for a request is closed; one address has a quarter of it at most."""

    log_format: Literal["text", "json"] = "text"
    """`json`: the server, the worker and MCP log one JSON object a line on stderr, without any content."""
    metrics_open: bool = False
    """Whether requests from this machine may read `/metrics` without a token where an operator's token is set."""
    otlp_endpoint: str | None = Field(default=None, validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT")
    """URL of an OpenTelemetry collector (OTLP over HTTP) that spans are sent to; None sends none."""
    otlp_traces_endpoint: str | None = Field(default=None, validation_alias="OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    """The same with the whole path for spans; it comes before the other one."""

    redact: Annotated[tuple[str, ...], NoDecode] = ()
    """Kinds of personal data that are replaced before anything is written, with commas between: secret, url_credentials,
    email, iban, card, ssn, ip, phone, or all; none by default. See docs/access.md."""

    @property
    def traces_endpoint(self) -> str | None:
        """Where spans are sent; None where no collector is set."""
        if self.otlp_traces_endpoint or not self.otlp_endpoint:
            return self.otlp_traces_endpoint or None
        return f"{self.otlp_endpoint.rstrip('/')}/v1/traces"

    def with_home(self, home: Path) -> Settings:
        """The same for another home, which holds its files: a bucket belongs to the installation of this one."""
        return self.model_copy(update={"home": home, "objects_url": None, "objects_cold_url": None})

    @field_validator("*", mode="before")
    @classmethod
    def _of_utf8(cls, value: object, field: ValidationInfo) -> object:
        """Bytes of the environment that are no UTF-8 are halves of surrogate pairs; the name of a folder may have them."""
        folder = cls.model_fields[field.field_name or ""].annotation is Path
        if (
            isinstance(value, str)
            and not folder
            and not value.isascii()
            and any("\ud800" <= sign <= "\udfff" for sign in value)
        ):
            raise ValueError("It is not valid UTF-8.")
        return value

    @field_validator("cors_origins", "redact", "trusted_proxies", mode="before")
    @classmethod
    def _separated(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("language_model_prices", mode="before")
    @classmethod
    def _prices(cls, value: object) -> object:
        if isinstance(value, str):
            value = tuple(float(part) for part in value.split(",") if part.strip())
        if isinstance(value, tuple) and (len(value) not in (0, 2) or any(not 0 <= price < inf for price in value)):
            raise ValueError("Two prices, of a million input tokens and of a million output tokens, as 0.15,0.6.")
        return value

    @field_validator("job_schedules", mode="before")
    @classmethod
    def _by_name(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        entries = [entry.partition("=") for entry in value.split(";") if entry.strip()]
        return {name.strip(): schedule.strip() for name, _, schedule in entries}
