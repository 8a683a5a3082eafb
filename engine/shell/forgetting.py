"""forget, forgettings, receipt: what is erased for good, and the receipts."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from rich.text import Text

from engine.domain.forgetting import Forgetting, ForgettingKind, ForgettingPreview, ForgettingSubject
from engine.domain.read_limits import MOST
from engine.errors import InvalidInput, NotFound
from engine.progress import counted
from engine.shell.options import Handle, Reason
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list, timestamp

if TYPE_CHECKING:
    from engine.operations.workspace import Workspace

commands = Commands()
forgettings = Commands("forgettings", "What was forgotten for good, and the receipts.")
receipts = Commands("receipt", "Receipts: whether they are signed as they are, and whether all is still gone.")
NAMES = ("number", "forgetting", "what", "id", "state", "asked", "over", "why")
WAIT_S = 2.0
SHOWN = 20
OfUser = Annotated[bool, typer.Option("--of-user", help="It is the forgetting of a user.")]
Id = Annotated[UUID, typer.Argument(metavar="FORGETTING", help="Its id, from `forgettings list`.")]


@commands.async_command("forget", as_json=True)
async def forget(
    here: Session,
    kind: Annotated[
        ForgettingKind, typer.Argument(metavar="KIND", help="record, document, source, item, node or user.")
    ],
    subject: Annotated[
        str,
        typer.Argument(metavar="ID", help="Its id; of a source the one that was given for it, of a user the handle."),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be erased, and change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it is done, some minutes, for the receipt.")] = False,
    user: Handle = None,
    reason: Reason = "",
) -> None:
    """Erase a source, a document, a record, a fact, a node or a user in all stores. There is no way back; `retract` has one."""
    if kind == "user":
        async with here.workspace() as workspace:
            await _forget_user(here, workspace, subject, reason, dry_run=dry_run, yes=yes, wait=wait)
        return
    async with here.memory(user) as memory:
        named = ForgettingSubject(kind, subject)
        if dry_run or not yes:
            _may_ask(here, dry_run=dry_run)
            _show(here, await memory.forgettings.preview(named, limit=MOST))
            if dry_run:
                return
            await _agree()
        done = await memory.forgettings.forget(named, reason)
        while wait and not done.over:
            await asyncio.sleep(WAIT_S)
            done = await memory.forgettings.get(done.forgetting_id)
            if _due(done):
                with suppress(NotFound):  # a worker has ended it meanwhile
                    done = await memory.forgettings.forget(named, reason)
    here.answer(done, _told(done))


async def _forget_user(
    here: Session, workspace: Workspace, handle: str, reason: str, *, dry_run: bool, yes: bool, wait: bool
) -> None:
    user = await workspace.users.find(handle)
    if dry_run or not yes:
        _may_ask(here, dry_run=dry_run)
        _show(here, await workspace.users.forgetting_preview(user.user_id))
        if dry_run:
            return
        await _agree()
    done = await workspace.users.forget(user.user_id, reason)
    while wait and not done.over:
        await asyncio.sleep(WAIT_S)
        done = await workspace.users.forgetting(done.forgetting_id)
        if _due(done):
            with suppress(NotFound):  # a worker has ended it meanwhile
                done = await workspace.users.forget(user.user_id, reason)
    here.answer(done, _told(done))


@forgettings.async_command("list", as_json=True)
async def listing(here: Session, user: Handle = None) -> None:
    """List the newest 500 forgettings; of what is done, not what it was."""
    async with here.memory(user) as memory:
        found = await memory.forgettings.list(limit=MOST)
    rows = [
        (
            one.number,
            one.forgetting_id,
            one.kind,
            one.subject,
            one.state,
            timestamp(one.asked_at),
            timestamp(one.ended_at) if one.ended_at else "",
            one.reason,
        )
        for one in found
    ]
    print_list(here, {"forgettings": found}, NAMES, rows, "Nothing was forgotten.")


@forgettings.async_command("show", as_json=True)
async def show(here: Session, forgetting: Id, user: Handle = None, of_user: OfUser = False) -> None:
    """Show how far a forgetting is."""
    if of_user:
        async with here.workspace() as workspace:
            found = await workspace.users.forgetting(forgetting)
    else:
        async with here.memory(user) as memory:
            found = await memory.forgettings.get(forgetting)
    here.answer(found, _told(found))


@forgettings.async_command("receipt")
async def receipt(
    here: Session,
    forgetting: Id,
    user: Handle = None,
    of_user: OfUser = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it there.")] = None,
) -> None:
    """Print the signed receipt of a forgetting that is done; `receipt verify` checks it."""
    if of_user:
        async with here.workspace() as workspace:
            found = await workspace.users.receipt(forgetting)
    else:
        async with here.memory(user) as memory:
            found = await memory.forgettings.receipt(forgetting)
    text = json.dumps(found, indent=2, sort_keys=True)
    if output is None:
        here.out.out(text)
    else:
        output.write_text(f"{text}\n", encoding="utf-8")


@receipts.async_command("verify", as_json=True)
async def verify(
    here: Session,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The receipt, as `forgettings receipt` wrote it.")],
    user: Handle = None,
    of_user: OfUser = False,
) -> None:
    """Check a receipt, and look through all stores for what it says is gone. Exit code 1 where something is found."""
    signed = as_receipt(file)
    if of_user:
        async with here.workspace() as workspace:
            check = await workspace.users.verify(signed)
    else:
        async with here.memory(user) as memory:
            check = await memory.forgettings.verify(signed)
    told = f"Signed as it is, on {timestamp(check.ended_at)}. {check.ids} ids and {check.words} words were looked for: "
    lines = [f"  {one.store} {one.place} {one.column}: {one.count}" for one in check.found]
    here.answer(check, told + ("\n".join(["found", *lines]) if lines else "nothing was found."))
    if check.found:
        raise typer.Exit(1)


@receipts.async_command("key", as_json=True)
async def key(here: Session) -> None:
    """Print the public key by which receipts of this home are checked."""
    made = import_module("engine.forgetting.receipts").ReceiptKey  # late: it loads the ciphers
    public = await asyncio.to_thread(
        made(here.settings.receipt_key or here.settings.home / "receipt-key.pem").public_key
    )
    if here.as_json:
        here.answer({"public_key": public}, "")
    else:
        here.out.out(public.strip())


def as_receipt(file: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises InvalidInput."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InvalidInput(f"{file} cannot be read as JSON.") from None
    if not isinstance(found, dict):
        raise InvalidInput(f"{file} is no receipt.")
    return found


def _due(one: Forgetting) -> bool:
    return not one.over and (one.settles_at is None or one.settles_at <= datetime.now(UTC))


def _may_ask(here: Session, *, dry_run: bool) -> None:
    """Raises InvalidInput where there is no person to answer."""
    if not dry_run and (here.as_json or not sys.stdin.isatty()):
        raise InvalidInput("There is no way back: say --yes, or look with --dry-run.")


async def _agree() -> None:
    """Asks whether to erase it. Raises InvalidInput for a no."""
    if not await asyncio.to_thread(typer.confirm, "Erase it? There is no way back."):
        raise InvalidInput("Nothing was erased.")


def _told(one: Forgetting) -> str:
    if one.state == "done":
        return f"Forgotten. Its receipt: neurigraph forgettings receipt {one.forgetting_id}"
    if one.state == "settling" and one.settles_at:
        return (
            f"Erased in all stores. Writers that began before are waited for until {timestamp(one.settles_at)}; then a worker, "
            f"or `neurigraph job run forgettings`, erases what these wrote and signs the receipt {one.forgetting_id}."
        )
    again = "`neurigraph job run forgettings`" if one.kind == "user" else "The same command"
    return f"The forgetting {one.forgetting_id} is {one.state} ({one.step or 'over'}). {again} goes on with it."


def _show(here: Session, found: ForgettingPreview) -> None:
    if here.as_json:
        here.answer(found, "")
        return
    here.out.print(Text("Nothing is changed yet. A forgetting would erase", style="bold"))
    numbers = {
        "node": found.nodes, "source": found.sources, "record": found.records, "item": found.items, "fact": found.facts,
        "file": found.files,
    }  # fmt: skip
    here.out.print(Text("  " + ", ".join(counted(number, name) for name, number in numbers.items() if number)))
    if found.withdrawn is not None:
        shown = found.withdrawn
        here.out.print(
            Text(
                f"  and let {counted(shown.facts_reviving, 'fact')} hold again, leave {counted(shown.facts_staying, 'fact')} "
                f"that another record says, weaken {counted(shown.relations_weakened, 'relation')}"
            )
        )
        for record in shown.records[:SHOWN]:
            here.out.print(Text(f"  {record.record_id}  {record.title}"))
