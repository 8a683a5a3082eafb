"""Prompts: what the memory holds about a question, and how to store what a conversation brought."""

from __future__ import annotations

import mcp_types as types

from engine.domain.prompt_lines import visible
from engine.errors import InvalidInput
from engine.memory import Memory

PROMPTS = [
    types.Prompt(
        name="recall",
        title="Answer from memory",
        description="A question, with what the memory holds about it.",
        arguments=[types.PromptArgument(name="question", description="What is asked.", required=True)],
    ),
    types.Prompt(
        name="remember",
        title="Store this conversation",
        description="Asks the assistant to store what will matter later.",
        arguments=[],
    ),
]
REMEMBER = """Go through our conversation. Store with add_memory what will matter later: facts about me and people I know,
decisions, plans, preferences. One memory for each matter, in whole sentences with names and dates. Search first: where a memory
says otherwise, change it with update_memory. Then list what you stored."""


async def made(memory: Memory, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    """The messages of a prompt. Raises InvalidInput, NotFound."""
    if params.name == "remember":
        return _result(" ".join(REMEMBER.split()))
    if params.name != "recall":
        raise InvalidInput(f"There is no prompt {params.name[:100]!r}.")
    question = (params.arguments or {}).get("question", "").strip()
    if not question:
        raise InvalidInput("The prompt recall needs a question.")
    context = await memory.context(question)
    held = context.text or "The memory holds nothing about it."
    return _result(f"{held}\n\nAnswer from these memories alone, and say so where they hold no answer: {question}")


def _result(text: str) -> types.GetPromptResult:
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=visible(text)))
    return types.GetPromptResult(messages=[message])
