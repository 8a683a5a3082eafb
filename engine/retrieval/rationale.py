"""Why a hit is where it is, in a few words: the anchor that led to its node, and the strongest signals."""

from __future__ import annotations

from collections.abc import Mapping

from engine.domain.search import Anchor

SHOWN = 3

_REASONS = {
    "name": "named in the question",
    "alias": "known by a name in the question",
    "text": "words of the question in its summary",
    "meaning": "close in meaning",
    "edge": "linked to a named node",
}
_SIGNALS = {
    "words": "same words", "words_previous": "words of the turn before", "words_previous2": "words two turns before",
    "words_next": "words of the turn after", "meaning": "meaning", "meaning_previous": "meaning of the turn before",
    "meaning_next": "meaning of the turn after", "record_words": "words of the conversation",
    "speaker_named": "its speaker is named", "is_question": "asks itself",
    "previous_has_question": "follows a question", "first_of_session": "opens a conversation",
    "first_person": "speaks of its speaker", "log_words": "length", "time_expressions": "speaks of a time",
    "date_match": "date", "anchor": "anchor",
}  # fmt: skip


def rationale(anchor: Anchor | None, path: tuple[str, ...], signals: Mapping[str, float]) -> str:
    """One line: path, anchor and reason where there is one, the three signals that raised the hit most."""
    place = " > ".join(path)
    if anchor is not None:
        reasons = " and ".join(_REASONS[reason] for reason in anchor.reasons)
        within = "" if anchor.path == path else f" through {' > '.join(anchor.path)}"
        place += f"{within} ({reasons})"
    raised = sorted(((part, name) for name, part in signals.items() if part > 0), reverse=True)[:SHOWN]
    shown = ", ".join(f"{_SIGNALS[name]} {part:+.2f}" for part, name in raised)
    return f"{place}: {shown}" if shown else place
