"""retention, hold: what is forgotten by itself once it is old enough; what cannot be erased."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated
from uuid import UUID

import typer
from rich.text import Text

from engine.domain.read_limits import MOST
from engine.domain.retention import (
    Hold,
    HoldKind,
    HoldSubject,
    NewRetentionRule,
    RecordKind,
    RetentionPreview,
    RetentionRule,
)
from engine.domain.scope import MemoryScope, ScopeKind, parsed_scope
from engine.errors import InvalidInput
from engine.progress import counted
from engine.shell.options import Handle, span
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list, timestamp
from engine.shell.tokens import node_at

retention = Commands("retention", "What is forgotten by itself once it is old enough.")
holds = Commands("hold", "Legal holds: what cannot be erased before they are released.")
RULES = ("number", "rule", "older than", "takes", "for", "set", "why")
HOLDS = ("number", "hold", "what", "id", "of user", "set", "by", "why", "released")
SHOWN = 20
KINDS: dict[str, ScopeKind] = {"thread": "thread", "workflow": "workflow"}
AllUsers = Annotated[bool, typer.Option("--all-users", help="Rules for every user, by an administrator.")]
Rule = Annotated[UUID, typer.Argument(metavar="RULE", help="Its id, from `retention list`.")]
HoldId = Annotated[UUID, typer.Argument(metavar="HOLD", help="Its id, from `hold list`.")]
Why = Annotated[str, typer.Option("--reason", help="Why, in one line; it is obligatory.")]


@retention.async_command("set", as_json=True)
async def set_rule(
    here: Session,
    older_than: Annotated[str, typer.Option("--older-than", metavar="SPAN", help="Age, as 90d, 12h or 4w.")],
    kind: Annotated[RecordKind | None, typer.Option("--kind", help="Only records of this kind.")] = None,
    source: Annotated[str | None, typer.Option("--source", metavar="ID", help="Only the source of this id.")] = None,
    prefix: Annotated[
        str | None, typer.Option("--source-prefix", metavar="TEXT", help="Only sources whose ids begin so.")
    ] = None,
    tag: Annotated[str | None, typer.Option("--tag", help="Only records of which an item has this tag.")] = None,
    scope: Annotated[
        str | None, typer.Option("--scope", help="Only this scope: user, thread, workflow, thread:ID, workflow:ID.")
    ] = None,
    node: Annotated[str | None, typer.Option("--node", metavar="NODE", help="Only this node and below.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="It may take all records that there are.")] = False,
    note: Annotated[str, typer.Option("--note", help="Why, in one line.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what it would take now, and set nothing.")] = False,
    all_users: AllUsers = False,
    user: Handle = None,
) -> None:
    """Set a rule: a job forgets, each hour, what is older and fits all that is named."""
    kind_of, scope_id = _scope(scope)
    named = (span(older_than) / timedelta(days=1), kind, source, prefix, tag, kind_of, scope_id)
    if all_users:
        if node is not None or dry_run:
            raise InvalidInput("A rule for all users names no node; `retention preview` of a user shows what it takes.")
        async with here.workspace() as workspace:
            made = await workspace.retention.set(NewRetentionRule(*named, everything=everything, note=note))
        return here.answer(made, f"Set: {_takes(made)}. Rule {made.rule_id}.")
    async with here.memory(user) as memory:
        place = await node_at(memory, node) if node is not None else None
        new = NewRetentionRule(*named, place, everything or dry_run, note)
        if dry_run:
            return _show(here, await memory.retention.preview(new, limit=SHOWN))
        made = await memory.retention.set(new)
    here.answer(made, f"Set: {_takes(made)}. Rule {made.rule_id}.")


@retention.async_command("list", as_json=True)
async def listing(here: Session, all_users: AllUsers = False, user: Handle = None) -> None:
    """List rules, those for all users among them."""
    found: tuple[RetentionRule, ...]
    if all_users:
        async with here.workspace() as workspace:
            found = await workspace.retention.list(limit=MOST)
    else:
        async with here.memory(user) as memory:
            found = await memory.retention.list(limit=MOST)
    rows = [
        (
            one.number,
            one.rule_id,
            _age(one.older_than_days),
            _takes(one),
            "the user" if one.user_id else "all users",
            timestamp(one.set_at),
            one.note,
        )
        for one in found
    ]
    print_list(here, {"rules": found}, RULES, rows, "There are no rules: nothing is forgotten by itself.")


@retention.async_command("remove", as_json=True)
async def remove(here: Session, rule: Rule, all_users: AllUsers = False, user: Handle = None) -> None:
    """Remove a rule. What it has forgotten does not come back."""
    if all_users:
        async with here.workspace() as workspace:
            gone = await workspace.retention.remove(rule)
    else:
        async with here.memory(user) as memory:
            gone = await memory.retention.remove(rule)
    here.answer(gone, f"Removed: {_takes(gone)}.")


@retention.async_command("preview", as_json=True)
async def preview(here: Session, user: Handle = None) -> None:
    """Show what the rules take now, and what has expired. Nothing is changed."""
    async with here.memory(user) as memory:
        _show(here, await memory.retention.preview(limit=SHOWN))


@holds.async_command("set", as_json=True)
async def set_hold(
    here: Session,
    kind: Annotated[HoldKind, typer.Argument(metavar="KIND", help="user, node, source or record.")],
    reason: Why,
    subject: Annotated[
        str,
        typer.Argument(metavar="[ID]", help="Id of the source or record; path or id of the node; of a user nothing."),
    ] = "",
    user: Handle = None,
) -> None:
    """Hold something: no rule and no forgetting erases it before the hold is released."""
    async with here.memory(user) as memory:
        user_id = memory.principal.user_id
        if kind == "node":
            subject = str(await node_at(memory, subject))
    async with here.workspace() as workspace:
        made = await workspace.holds.set(user_id, HoldSubject(kind, subject), reason)
    here.answer(made, f"Held. Hold {made.hold_id}.")


@holds.async_command("list", as_json=True)
async def list_holds(
    here: Session,
    released: Annotated[bool, typer.Option("--released", help="Also those that are over.")] = False,
) -> None:
    """List the newest 500 holds; of those that are released, not what they named."""
    async with here.workspace() as workspace:
        found = await workspace.holds.list(released=released, limit=MOST)
    print_list(here, {"holds": found}, HOLDS, [_row(one) for one in found], "Nothing is held.")


@holds.async_command("release", as_json=True)
async def release(here: Session, hold: HoldId, reason: Why) -> None:
    """Release a hold: what it named can be erased again."""
    async with here.workspace() as workspace:
        done = await workspace.holds.release(hold, reason)
    here.answer(done, f"Released on {timestamp(done.released_at)}." if done.released_at else "Released.")


def _scope(text: str | None) -> tuple[ScopeKind | None, str | None]:
    """A kind of scope, or one thread or workflow. Raises InvalidInput."""
    if text is None or text in KINDS:
        return KINDS.get(text or ""), None
    scope: MemoryScope = parsed_scope(text)
    return scope.kind, scope.scope_id


def _row(one: Hold) -> tuple[object, ...]:
    over = f"{timestamp(one.released_at)} {one.release_reason}" if one.released_at else ""
    set_at = timestamp(one.set_at)
    return (one.number, one.hold_id, one.kind, one.subject, one.user_id, set_at, one.set_by, one.reason, over)


def _age(days: float) -> str:
    return f"{days:g} days" if days >= 1 else f"{days * 24:g} hours"


def _takes(rule: RetentionRule) -> str:
    """What a rule takes, in words."""
    narrow = {
        "kind": rule.kind, "source": rule.source, "source begins": rule.source_prefix, "tag": rule.tag,
        "scope": rule.scope and ":".join(filter(None, (rule.scope, rule.scope_id))), "node": rule.node_id,
    }  # fmt: skip
    named = [f"{name} {value}" for name, value in narrow.items() if value is not None]
    return f"{', '.join(named) or 'everything'} older than {_age(rule.older_than_days)}"


def _show(here: Session, found: tuple[RetentionPreview, ...]) -> None:
    if here.as_json:
        here.answer({"previews": found}, "")
        return
    if not found:
        here.out.print(Text("There are no rules, and nothing has expired."))
    for one in found:
        what = "What has expired" if one.expired else _takes(one.rule) if one.rule else "This rule"
        held = f", {counted(one.held, 'more')} held" if one.held else ""
        head = f"{what}: {counted(one.records, 'record')} of {one.in_all}{held}"
        here.out.print(Text(head, style="bold"))
        for record in one.examples:
            kept = " held" if record.held else ""
            here.out.print(Text(f"  {record.record_id}  {timestamp(record.stored_at)}  {record.title}{kept}"))
