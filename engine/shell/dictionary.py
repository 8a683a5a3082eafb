"""dictionary: prints the data dictionary of the live stores."""

from __future__ import annotations

from engine.shell.session import Commands, Session

commands = Commands()


@commands.async_command("dictionary")
async def dictionary(here: Session) -> None:
    """Print what the stores hold and what each part is for, as Markdown; on stderr what the graph has besides."""
    async with here.operations() as (opened, _):
        text = await opened.analysts.dictionary()
        undescribed = await opened.analysts.undescribed()
    here.out.out(text, end="")
    for one in undescribed:
        here.notes.print(one, soft_wrap=True)
