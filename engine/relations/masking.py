"""Sentences with a mark in place of every mention, so that patterns of words see names as one character.

"I" and "my", and "he", "she" and "his" where it is sure who is meant, are marks too. Offsets lead back to the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engine.domain.entity import UNKNOWN_KIND, Mention, TextPiece
from engine.language.tables import NOTHING, alternatives, codes, each, listed, one_of

MARK = "\ue000"
OWNERS: Mapping[str, str] = {code: chr(ord(MARK) + number) for number, code in enumerate(codes(), 1)}
"""The character behind a mark that says "of this one" in a language: "my" is a mark and one of these."""
OWNED = f"[{min(OWNERS.values())}-{max(OWNERS.values())}]"


def _by_language(key: str) -> str:
    """A pattern with a group for each language that has words of a key in `clauses`."""
    return (
        "|".join(f"(?P<{code}>{'|'.join(listed(code, 'clauses', key))})" for code, _ in each("clauses", key)) or NOTHING
    )


MOST_SENTENCE = 2_000
"""A longer sentence is a table or a list: it is not read."""
_PRIVATE = re.compile(f"[{MARK}-{max(OWNERS.values())}]")
_END = re.compile(
    r"(?<![.!?])[.!?]+[\"”»)'’]*(?=\s+[\"“«„(\[`¿¡]*[^\W\d_a-zß-öø-ÿ]|\s*$)|(?<![.!?])[.!?]+[\"”»)'’]*(?=\s*\n)|\n+"
)
_SHORT = re.compile(rf"(?:\b(?:{one_of('clauses', 'abbreviated')}|[A-ZÀ-Þ])|^)$")
_SELF = re.compile(
    rf"\b(?:(?P<i>{alternatives('pronouns', 'speaker')})|(?P<me>{alternatives('pronouns', 'speaker_object')})|"
    + "|".join(f"(?P<{code}>{said})" for code, said in each("pronouns", "owner"))
    + r")\b"
)
_THEIRS = re.compile(rf"\b(?:{_by_language('theirs')})\b")
_HE, _IT = one_of("clauses", "sentence_he"), alternatives("clauses", "sentence_it")
_FIRST = re.compile(rf"(?P<someone>{_HE})\b|(?P<something>{_IT})\b|(?:{_by_language('sentence_its')})\b")
_HE_FIRST = re.compile(rf"(?:{_HE})\b")
_TOLD_OF = re.compile(rf"(?:\b(?:{one_of('clauses', 'is')}|{one_of('clauses', 'was')})|['’]s) $")
_OPENING = re.compile(rf"\A[\"“«„`' ]*{MARK}")


@dataclass(slots=True)
class Sentence:
    """A masked sentence. `starts` and `ends` are the places of its characters in the text, `marks` who stands where."""

    begin: int
    text: str = ""
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    marks: dict[int, Mention] = field(default_factory=dict)
    meant: set[int] = field(default_factory=set)
    """Marks that stand for a pronoun of the third person."""

    @property
    def asks(self) -> bool:
        return "?" in self.text[-4:]

    def add(self, written: str, start: int, end: int | None = None) -> None:
        """Adds characters as they are, or in place of those up to `end`."""
        self.text += written
        length = len(written)
        self.starts += range(start, start + length) if end is None else [start] * length
        self.ends += range(start + 1, start + 1 + length) if end is None else [end] * length

    def mark(self, mention: Mention, start: int, end: int, owner: str = "") -> None:
        self.marks[len(self.text)] = mention
        self.add(MARK + owner, start, end)


def sentences(piece: TextPiece, mentions: Sequence[Mention]) -> Iterator[Sentence]:
    """The sentences that hold a mention, masked."""
    placed = _placed(piece.text, mentions)
    speaker = _speaker(piece, mentions)
    before: Mention | None = None
    called: dict[str, str] = {}
    first = 0
    for begin, end in _cut(piece.text, placed):
        while first < len(placed) and placed[first].start < begin:
            first += 1
        last = first
        while last < len(placed) and placed[last].end <= end:
            last += 1
        here = placed[first:last]
        if end - begin > MOST_SENTENCE or not (here or before):
            before = None
            continue
        sentence = _masked(piece.text, (begin, end), here, speaker, before, called)
        before = _subject(sentence, speaker, before)
        if sentence.marks:
            yield sentence
        if "\n" in piece.text[end : end + 2]:
            before = None


def _placed(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions that stand in the text, in order, none over another; words of kinship before a name are left to patterns."""
    usable = [m for m in mentions if m.form != "speaker" and 0 <= m.start < m.end <= len(text)]
    usable.sort(key=lambda m: (m.start, m.form == "kinship", -m.end))
    names, ends = ({getattr(m, side) for m in usable if m.form == "name"} for side in ("start", "end"))
    kept: list[Mention] = []
    for mention in usable:
        gap = re.compile(r",? ").match(text, mention.end)
        if mention.form == "kinship":
            told = _TOLD_OF.search(text, max(0, mention.start - 12), mention.start)
            aside = text[mention.start - 2 : mention.start] == ", " and mention.start - 2 in ends
            if mention.start in names or (gap is not None and gap.end() in names) or told or aside:
                continue
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def _speaker(piece: TextPiece, mentions: Sequence[Mention]) -> Mention | None:
    if not piece.spoken:
        return None
    found = (mention for mention in mentions if mention.form == "speaker")
    return next(found, Mention(piece.speaker, 0, 0, "person", "speaker"))


def _cut(text: str, placed: Sequence[Mention]) -> Iterator[tuple[int, int]]:
    begin, number = 0, 0
    for match in _END.finditer(text):
        while number < len(placed) and placed[number].end < match.end():
            number += 1
        inside = number < len(placed) and placed[number].start < match.start() and match.end() <= placed[number].end
        if inside or (match[0][0] == "." and _SHORT.search(text[max(begin, match.start() - 8) : match.start()])):
            continue
        if begin < match.end():
            yield begin, match.end()
        begin = match.end()
    if begin < len(text):
        yield begin, len(text)


def _masked(
    text: str,
    place: tuple[int, int],
    here: Sequence[Mention],
    speaker: Mention | None,
    before: Mention | None,
    called: dict[str, str],
) -> Sentence:
    """`called`: "he" or "she" for those who were meant by it so far: the other word means someone else."""
    begin, end = place
    while begin < end and text[begin].isspace():
        begin += 1
    sentence = Sentence(begin)
    at = begin
    opening = _FIRST.match(text, begin, end)
    if opening and opening["someone"] and before and called.setdefault(before.name, opening[0]) != opening[0]:
        before = None
    if opening and before is not None and not (here and here[0].start < opening.end()) and _may_be(before, opening):
        sentence.meant.add(0)
        sentence.mark(before, begin, opening.end(), OWNERS.get(opening.lastgroup or "", ""))
        at = opening.end()
    for mention in here:
        if mention.start < at:
            continue
        _words(sentence, text, at, mention.start, speaker, before)
        sentence.mark(mention, mention.start, mention.end)
        at = mention.end
    _words(sentence, text, at, end, speaker, before)
    return sentence


def _words(sentence: Sentence, text: str, at: int, end: int, speaker: Mention | None, before: Mention | None) -> None:
    """Adds what stands between two mentions."""
    theirs = list(_THEIRS.finditer(text, at, end))
    found = [*theirs, *(_SELF.finditer(text, at, end) if speaker is not None else ())]
    for match in sorted(found, key=lambda match: match.start()):
        owner, of_other = OWNERS.get(match.lastgroup or "", ""), match in theirs
        sentence.add(_PRIVATE.sub(" ", text[at : match.start()]), at)
        who = _whose(sentence, before) if of_other else speaker
        if who is None:
            sentence.add(match[0], match.start())
        else:
            if of_other:
                sentence.meant.add(len(sentence.text))
            sentence.mark(who, match.start(), match.end(), owner)
        at = match.end()
        if owner and who is not None and text[at : at + 1] == " ":
            at += 1
        elif match[0] in "Jj" and who is not None:
            sentence.add(" ", at, at + 1)
            at += 1
    sentence.add(_PRIVATE.sub(" ", text[at:end]), at)


def _person(mention: Mention) -> bool:
    return mention.kind in ("person", UNKNOWN_KIND) and mention.form != "speaker"


def _whose(sentence: Sentence, before: Mention | None) -> Mention | None:
    """Whom "his" and "her" mean: the one just named before "and" or "with", or the only one named so far."""
    near = re.search(rf"({MARK})['\"”]*(?: and| with|,| &) $", sentence.text[-12:])
    if near:
        who = sentence.marks[len(sentence.text) - len(sentence.text[-12:]) + near.start(1)]
        return who if _person(who) else None
    named = {who.name: who for who in sentence.marks.values() if who.form == "speaker" or _person(who)}
    if len(named) == 1:
        only = next(iter(named.values()))
        return only if _person(only) else None
    return before if not named and before is not None and _person(before) else None


def _may_be(mention: Mention, opening: re.Match[str]) -> bool:
    return _person(mention) if opening["someone"] else mention.kind != "person"


def _subject(sentence: Sentence, speaker: Mention | None, before: Mention | None) -> Mention | None:
    """Whom "he", "she" or "it" at the start of the next sentence means; None where it is not sure."""
    if speaker is None:
        opening = _OPENING.match(sentence.text)
        return sentence.marks.get(opening.end() - 1) if opening else None
    if 0 in sentence.meant:
        return sentence.marks[0]
    if _HE_FIRST.match(sentence.text):
        return None if sentence.marks else before
    people = {who.name: who for who in sentence.marks.values() if _person(who)}
    return next(iter(people.values())) if len(people) == 1 else None
