"""Titles from first words, and what an input says after changes by hand."""

from __future__ import annotations

from uuid import uuid4

import pytest

from engine.domain.names import UNNAMED, file_name, shown_name
from engine.domain.shown import ShownPassage, beginning, begins, changed, held_text, rendered, titled


def said(position: int, first: str, content: str | None, kind: str = "turn", section: str = "") -> ShownPassage:
    return ShownPassage(uuid4(), kind, position, "Ann" if kind == "turn" else "", section, None, first, content)


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("44fd28e250cf44c19ee6cc194216aa33", "We sail on Monday."),
        ("chat-ac38d722-e7e2-499d-bbb9-f1f92bf90eff", "We sail on Monday."),
        ("standup-2026-11-03", "standup-2026-11-03"),
        ("c1", "c1"),
    ],
)
def test_a_made_up_id_is_no_title(source: str, title: str) -> None:
    assert titled(source, "We sail  on\nMonday.") == title
    assert titled(source, " ") == source


def test_a_title_is_cut_between_words() -> None:
    long = "word " * 40
    assert len(beginning(long)) <= 80 and beginning(long).endswith("word")
    assert beginning("x" * 300) == "x" * 80


def test_a_title_that_began_the_text_is_known() -> None:
    parts = [
        said(0, "The gate opens with 5512 at dawn.", None, "chunk", "Gate"),
        said(1, "More.", "More.", "chunk", "Gate"),
    ]
    for title in ("The gate opens with 5512 at dawn.", "The gate opens with 55", "# Gate\n\nThe gate opens"):
        assert begins(title, parts), title
    for title in ("Harbor House", "The gate is shut", "", "The gate opens with 5512 at dawn. More. And more."):
        assert not begins(title, parts), title


def test_what_holds_is_rendered_alone() -> None:
    parts = [said(0, "The code is 1111.", "The code is 2222."), said(1, "Noted.", None), said(2, "Bye.", "Bye.")]
    text = rendered(parts)
    assert changed(parts) and "Ann: The code is 2222." in text and "1111" not in text and "Noted" not in text
    assert held_text(parts) == "The code is 2222.\nBye." and not changed(parts[2:])


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../../../etc/passwd", "passwd"),
        ("C:\\docs\\plan.md", "plan.md"),
        ("a\r\nX-Bad: 1.txt", "a X-Bad 1.txt"),
        ("..", "text.txt"),
        ("\u202egnp.exe", "gnp.exe"),
        ("notes\x00.txt", "notes .txt"),
        ("Übersicht März.md", "Übersicht März.md"),
        ("x" * 300 + ".md", "x" * 197 + ".md"),
    ],
)
def test_file_names_are_cleaned(given: str, kept: str) -> None:
    assert file_name(given) == kept


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("../../etc/passwd", "etc passwd.txt"),
        ("a\r\nX-Bad: 1", "a X-Bad 1.txt"),
        ("\u202egnp.exe", "gnp.exe.txt"),
        ("a\u200bb\u2066c", "abc.txt"),
        ("\u200b..", "text.txt"),
    ],
)
def test_the_name_that_a_title_gives_is_cleaned_as_well(title: str, shown: str) -> None:
    assert shown_name(UNNAMED, title) == shown
