"""The period in which a question asks for a state: "What was my dose in October?" asks for what held then, whenever said.

"What did I do in October?" asks for what happened, and names no such period. Pure; in English, German, Spanish, Portuguese,
French and Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

Period = tuple[datetime, datetime]
"""Its beginning, and the first moment after it."""
_YEAR = r"(?P<year>(?:19|20)\d\d)"


@dataclass(frozen=True, slots=True)
class _Words:
    """How a language asks for a state, and names a month: `month` is a word, or a number."""

    state: re.Pattern[str]
    months: re.Pattern[str]
    numbers: Mapping[str, int]


def _words(state: str, months: str, before: str, year: str) -> _Words:
    names = months.split()
    said = re.compile(rf"\b(?:{before}) (?P<month>{'|'.join(names)})\b(?:{year}{_YEAR})?", re.IGNORECASE)
    return _Words(
        re.compile(rf"\b(?:{state})\b", re.IGNORECASE), said, {name: place % 12 + 1 for place, name in enumerate(names)}
    )


_CHINESE = {word: number for number, word in enumerate("一 二 三 四 五 六 七 八 九 十 十一 十二".split(), 1)}
_ENGLISH = re.compile(
    r"\b(?:was|were)\s+(?:my|our|your|his|her|their|\w+['’]s)\b"
    r"|\bdid\s+(?:\w+\s+){1,2}?(?:live|work|own|earn|weigh|drive|use|pay|rent|study|belong|prefer)\b"
    r"|\b(?:dose|dosage|tablets?|medication|medicine|milligrams?|micrograms?|pills?)\s+did\s+\w+\s+(?:take|have|need|get)\b",
    re.IGNORECASE,
)
_OTHERS = (
    _words(
        r"(?:war|waren|betrug|lautete|hieß)\s+(?:\w+\s+)?(?:meine?|deine?|seine?|ihre?|unsere?|euer|eure)|(?:wohnte|lebte|arbeitete|verdiente|zahlte|wog"
        r"|nahm|fuhr|studierte|besaß)\w*\s+\w+|welche\s+dosis",
        "januar februar märz april mai juni juli august september oktober november dezember",
        r"im|seit|im\s+(?:letzten|vergangenen)|letzten|vergangenen", r"\s+",
    ),
    _words(
        r"(?:era|eran|fue)\s+(?:mi|mis|tu|su|nuestr[oa])|(?:vivía|trabajaba|ganaba|pagaba|pesaba|tomaba|conducía|estudiaba|tenía)\w*|qué\s+dosis",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        r"en|desde|en\s+el\s+mes\s+de|el\s+pasado", r"\s+(?:de\s+|del\s+)?",
    ),
    _words(
        r"(?:era|eram|foi)\s+(?:[oa]\s+)?(?:meu|minha|seu|sua|nosso|nossa|teu|tua)|(?:morava|vivia|trabalhava|ganhava|pagava|pesava|tomava|conduzia"
        r"|estudava|tinha)\w*|que\s+dose",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        r"em|desde|no\s+mês\s+de", r"\s+(?:de\s+)?",
    ),
    _words(
        r"(?:était|étaient)\s+(?:mon|ma|mes|ton|ta|son|sa|notre|votre|leur)|(?:habitai|vivai|travaillai|gagnai|payai|pesai|prenai|conduisai|étudiai)\w+"
        r"|quelle\s+dose",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        r"en|depuis|au\s+mois\s+de|au\s+mois\s+d['’]", r"\s+",
    ),
    _Words(
        re.compile(r"剂量|劑量|用量|住在|住哪|住在哪|工作|上班|房租|租金|工资|工資|薪水|体重|體重|地址|是多少|是什么|是什麼|是谁|是誰"),
        re.compile(r"(?:(?P<year>(?:19|20)\d\d)年)?(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月(?![份]?\d*[日号號]|\d)"),
        _CHINESE | {str(number): number for number in range(1, 13)},
    ),
)  # fmt: skip


def months_of_states(question: str) -> tuple[str, ...]:
    """The months for which a question in another language than English asks for a state: ISO prefixes, `*-10` without a
    year."""
    return tuple(dict.fromkeys(_months(question)))


def _months(question: str) -> Iterator[str]:
    for words in _OTHERS:
        if words.state.search(question):
            for match in words.months.finditer(question):
                yield f"{match['year'] or '*'}-{words.numbers[match['month'].lower()]:02d}"


def state_asked(question: str, dates: Sequence[str], now: datetime) -> Period | None:
    """`dates`: those that the question names, as ISO prefixes, `*-10` for the October that began last."""
    told = [*(dates if _ENGLISH.search(question) else ()), *months_of_states(question)]
    periods = [period for one in told if (period := _period(one, now)) is not None]
    return (min(start for start, _ in periods), max(end for _, end in periods)) if periods else None


def _period(prefix: str, now: datetime) -> Period | None:
    year, _, rest = prefix.partition("-")
    month, day = ([int(part) for part in rest.split("-")] + [0, 0])[:2] if rest else (0, 0)
    try:
        number = now.year if year == "*" else int(year)
        start = datetime(number, month or 1, day or 1, tzinfo=UTC)
        if year == "*" and start > now:
            start = start.replace(year=number - 1)
        if day:
            return start, start + timedelta(days=1)
        if month:
            return start, (start + timedelta(days=31)).replace(day=1)
        return start, start.replace(year=start.year + 1)
    except (ValueError, OverflowError):  # a day that the calendar does not have, the last year that there is
        return None
