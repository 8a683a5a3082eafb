"""dictionary: prints the data dictionary of the live stores."""

from __future__ import annotations

from engine.exploring.dictionary import differences, page
from engine.knowledge.configuration import load_domain
from engine.shell.session import Commands, Session

commands = Commands()


@commands.async_command("dictionary")
async def dictionary(here: Session) -> None:
    """Print what the stores hold and what each part is for, as Markdown; on stderr what the graph has besides."""
    kinds = load_domain(here.settings.domain).labels.values()
    async with here.engine() as (opened, _):
        text = await page(opened.postgres, opened.neo4j)
        found = await differences(opened.neo4j, kinds)
    here.out.out(text, end="")
    for one in found:
        here.notes.print(one, soft_wrap=True)
