"""The page as a screen reader has it, from Chromium's accessibility tree, and as it is used by keyboard alone."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.page.conftest import Known, OpenTab, Tab
from tests.page.test_page import QUESTION, item, titled

pytestmark = pytest.mark.ledger("U09")

CONTROLS = {
    "button", "link", "searchbox", "textbox", "combobox", "slider", "tab", "treeitem", "option", "DisclosureTriangle",
}  # fmt: skip
UNSPOKEN = {"generic", "none", "paragraph", "StaticText"}
NAMED = {"img", "image", "region", "tree", "listbox", "tablist", "tabpanel", "search", "dialog"}
MISMATCHES = r"""() => {
  const words = (text) => text.toLowerCase().replace(/[^\p{L}\p{N} ]/gu, " ").split(/\s+/).filter(Boolean);
  const seen = (one) => one.nodeType === Node.TEXT_NODE ? one.data
    : one.nodeType !== Node.ELEMENT_NODE || one.ariaHidden === "true" || one.matches(".unseen, svg") ? ""
    : [...one.childNodes].map(seen).join(" ");
  return [...document.querySelectorAll("button, [role=treeitem], [role=option], [role=tab], summary")]
    .filter((one) => one.offsetParent && one.ariaLabel && !(` ${words(one.ariaLabel).join(" ")} `.includes(` ${words(seen(one)).join(" ")} `)))
    .filter((one) => words(seen(one)).length).map((one) => [one.ariaLabel, seen(one)]);
}"""
"""Controls whose name does not contain the words that are seen on them, in their order."""
FOCUS = """() => {
  const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect();
  const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  return [one.ariaLabel || one.textContent.trim() || one.id, one !== document.body && inside && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2];
}"""


async def spoken(page: Page) -> list[dict[str, Any]]:
    """What a screen reader is given: role, name and properties of each node."""
    session = await page.context.new_cdp_session(page)
    nodes = (await session.send("Accessibility.getFullAXTree"))["nodes"]
    await session.detach()
    return [
        {one["name"]: one["value"].get("value") for one in node.get("properties", ())}
        | {"role": node["role"]["value"], "name": node.get("name", {}).get("value", "").strip()}
        for node in nodes
        if not node["ignored"]
    ]


async def checked(page: Page) -> list[dict[str, Any]]:
    """The tree, after what holds of it at any time."""
    nodes = await spoken(page)
    focusable = [one for one in nodes if one.get("focusable") and one["role"] != "RootWebArea"]
    assert len(focusable) > 5 and [one for one in focusable if one["role"] in UNSPOKEN or not one["name"]] == []
    assert [one for one in nodes if one["role"] in CONTROLS | NAMED and not one["name"]] == []
    levels = [one["level"] for one in nodes if one["role"] == "heading"]
    assert levels[0] == 1 and levels.count(1) == 1
    assert [pair for pair in pairwise(levels) if pair[1] > pair[0] + 1] == []
    assert all(one["name"] for one in nodes if one["role"] == "heading")
    assert await page.evaluate(MISMATCHES) == []
    return nodes


def named(nodes: list[dict[str, Any]], role: str) -> list[str]:
    return [one["name"] for one in nodes if one["role"] == role]


async def picture(page: Page) -> str:
    """The text of the picture; it is the only one, the others are symbols beside words."""
    [text] = [name for name in named(await checked(page), "image") if name.startswith("Graph")]
    return text


async def test_each_state_of_the_page_is_spoken(bobs: Tab) -> None:
    page, said = bobs.page, bobs.page.locator("#said")
    live = page.locator("[aria-live]:not([aria-live=off]), [role=alert], [role=status]")
    assert [await one.get_attribute("id") for one in await live.all()] == ["problem", "said"]
    await expect(said).to_have_text("Bob Harlan: 25 nodes")
    nodes = await checked(page)
    assert len(named(nodes, "treeitem")) == 25 and re.match(r"Graph of 25 nodes and \d+ edges?$", await picture(page))
    assert {"Lists", "Graph", "Details"} <= set(named(nodes, "region")) and {"Zoom", "Time"} <= set(
        named(nodes, "group")
    )

    await (await item(page, "Fishing")).click()
    await expect(said).to_have_text("Fishing: 6 records, 1 child node")
    nodes = await checked(page)
    assert "Fishing" in named(nodes, "heading") and [
        one["name"].split(",")[0] for one in nodes if one["role"] == "treeitem" and one.get("selected")
    ] == ["Fishing 6 records"]

    await page.fill("#question", QUESTION)
    await page.press("#question", "Enter")
    await expect(said).to_contain_text(f"hits for “{QUESTION}”")
    nodes = await checked(page)
    assert "Results" in named(nodes, "region") and "What it touched" in named(nodes, "heading")
    assert re.search(r"; the question has \d+ anchors?, \d+ nodes? holds? hits$", await picture(page))
    assert [name for name in named(nodes, "treeitem") if re.match(r"\w+ \d hits?, anchor, \d+ records?, ", name)]
    assert "anchor" in " ".join(named(nodes, "treeitem"))
    await page.get_by_role("button", name="Close the results").click()
    await expect(page.locator("#question")).to_be_focused()

    await page.get_by_role("tab", name="Entities").click()
    await expect(said).to_have_text(re.compile(r"Graph of 32 entities with most mentions and \d+ relations"))
    nodes = await checked(page)
    drawn = await page.evaluate("neurigraph.cy.nodes().map((node) => node.data('name'))")
    options = named(nodes, "option")
    assert len(drawn) == 32 and all(any(one.startswith(f"{name} ") for one in options) for name in drawn)
    await (await item(page, "Ellen")).click()
    await expect(said).to_contain_text("Ellen, person:")
    assert "Ellen" in named(await checked(page), "heading")

    await page.focus("#day")
    await page.keyboard.press("Home")
    await expect(said).to_contain_text("As of Jun 1, 2023: 1 of ")
    nodes = await checked(page)
    assert named(nodes, "slider") == ["As of"]
    day = page.locator("#day")  # Chromium's tree has the number alone
    await expect(day).to_have_attribute("aria-valuetext", re.compile(r"Jun 1, 2023, 1 of \d+ records"))
    assert await picture(page) == "Graph of 1 entity with most mentions and 0 relations; as of Jun 1, 2023"


async def test_the_form_for_a_token_is_spoken(tab: OpenTab, guarded_address: str) -> None:
    page = (await tab(guarded_address)).page
    await expect(page.locator("#token")).to_be_focused()
    nodes = [one for one in await spoken(page) if one["role"] in CONTROLS and not one.get("disabled")]
    assert [one["name"] for one in nodes] == [
        "Use the dark theme", "Token", "User (only with the operator's token; empty: the first one)", "Open",
    ]  # fmt: skip


async def stops(page: Page, *, back: bool = False) -> AsyncIterator[str]:
    """Tab, Tab, …: what has the focus, which must be seen."""
    for _ in range(120):
        await page.keyboard.press("Shift+Tab" if back else "Tab")
        name, visible = await page.evaluate(FOCUS)
        assert visible, f"the focus is not seen: {name}"
        yield name
    raise AssertionError("not reached")


async def tab_to(page: Page, start: str, *, back: bool = False) -> None:
    """Moves the focus to what has a name that begins so."""
    async for name in stops(page, back=back):
        if name.startswith(start):
            return


async def test_everything_is_done_by_keyboard_alone(tab: OpenTab, guarded_address: str, bob: Known) -> None:
    """Token, search, an entity, its facts and evidence, a record, its node, the time, and back to the list."""
    one = await tab(guarded_address)
    page, keys, said = one.page, one.page.keyboard, one.page.locator("#said")
    await expect(page.locator("#token")).to_be_focused()
    await keys.type(bob.token)
    await keys.press("Enter")
    await one.ready()
    await expect(await item(page, "Bob Harlan")).to_be_focused()

    await tab_to(page, "question", back=True)
    await keys.type(QUESTION)
    await keys.press("Enter")
    await expect(said).to_contain_text("hits for")

    await an_entity_with_its_evidence(page)
    await back_to_the_list(page)
    await tab_to(page, "Close the results")
    await keys.press("Enter")
    await expect(page.locator("#question")).to_be_focused()
    assert all("401" in error for error in one.errors)


async def an_entity_with_its_evidence(page: Page) -> None:
    """From the search to a record that states a relation."""
    keys, said = page.keyboard, page.locator("#said")
    await tab_to(page, "Nodes")
    await keys.press("ArrowRight")
    await expect(page.get_by_role("tab", name="Entities")).to_be_focused()
    await expect(said).to_contain_text("Graph of 32 entities")
    await keys.press("Tab")
    for _ in range(await page.locator("#list [role=option]").count()):
        if re.match(r"Ellen (touched|\d)", (await page.evaluate(FOCUS))[0]):
            break
        await keys.press("ArrowDown")
    await keys.press("Enter")
    await expect(said).to_contain_text("Ellen, person:")
    assert (await page.evaluate(FOCUS))[0].startswith("Ellen "), "the focus stays in the list"

    await tab_to(page, "Chain of: Ellen lives at 8 Osprey Lane.")
    await keys.press("Enter")
    await expect(page.get_by_role("list", name="Chain of the fact, newest first")).to_contain_text("27 Birch Street.")
    await tab_to(page, "Evidence that it is married to Dave Kowalski")
    await keys.press("Enter")
    await expect(page.locator("#details")).to_contain_text("Planning opening day")
    await keys.press("Tab")
    title = (await page.evaluate(FOCUS))[0]
    await keys.press("Enter")
    await expect(said).to_have_text(f"Record {title}")
    await titled(page, title)
    await expect(page.locator("#details")).to_be_focused()
    assert (await page.evaluate(FOCUS))[1], "the focus is seen where it was moved"


async def back_to_the_list(page: Page) -> None:
    """From a record to its node, to the list, and to another time."""
    keys, said = page.keyboard, page.locator("#said")
    await keys.press("Tab")
    above = (await page.evaluate(FOCUS))[0].rpartition(" › ")[2]
    await keys.press("Enter")
    await titled(page, above)
    await expect(page.locator("#details")).to_be_focused()
    await keys.press("Escape")
    selected = page.locator("#list [role=treeitem][aria-selected=true]")
    await expect(selected).to_be_focused()
    await expect(selected.locator(".name")).to_have_text(above)

    await tab_to(page, "day")
    await keys.press("Home")
    await expect(said).to_contain_text("As of Jun 1, 2023")
    await keys.press("End")
    await expect(said).to_contain_text("As of now")
