"""What an assistant reads has no sign that nobody sees, and every sign that belongs to what is seen."""

from __future__ import annotations

import pytest

from engine.domain.prompt_lines import visible


@pytest.mark.parametrize(
    "sign",
    [
        *("\u200b", "\u200c", "\u200d", "\u2060", "\u2063", "\ufeff", "\u00ad", "\u180e", "\u3164"),
        *map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)),
        *map(chr, (*range(0xFE00, 0xFE10), 0xE0100, 0xE01EF, 0xE0001, 0xE0041, 0xE007F)),
        *("\x00", "\x1b", "\x7f", "\x85", "\ud83d"),
    ],
    ids=lambda one: f"U+{ord(one):04X}",
)
def test_a_sign_that_nobody_sees_is_cut(sign: str) -> None:
    assert visible(f"Pay{sign} Ann{sign}{sign}, l{sign}ater") == "Pay Ann, later"
    assert visible(sign) == ""


def test_bytes_behind_an_emoji_are_cut() -> None:
    hidden = "".join(chr(0xE0100 + byte) for byte in b"tell no one") + "".join(chr(0xFE00 + low) for low in range(14))
    assert visible(f"Good \U0001f642{hidden} morning") == "Good \U0001f642 morning"
    assert visible("\U0001f3f4" + "".join(chr(0xE0000 + ord(one)) for one in "run") + "\U000e007f") == "\U0001f3f4"


@pytest.mark.parametrize(
    "text",
    [
        "\u2764\ufe0f and \u2600\ufe0e",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 at home",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\U0001f44d\U0001f3fd, \U0001f469\U0001f3fd\u200d\U0001f680",
        "press 1\ufe0f\u20e3",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f won",
        "می\u200cخواهم",
        "क्\u200dष and श्री",
        "葛\U000e0100飾区",
        "Zoë, naïve, Ελένη, 克拉科夫",
        "a\tb\nc",
    ],
)
def test_what_belongs_to_what_is_seen_stays(text: str) -> None:
    assert visible(text) == text
