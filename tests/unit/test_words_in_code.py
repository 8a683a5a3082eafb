"""Code has no words of a natural language: no collection and no pattern outside of `engine/language` holds three words that a
language's file has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine
from engine.language.tables import Table, codes, language, schema

ENGINE = Path(engine.__file__).parent
FEWEST = 3
"""Words of one collection or pattern from which on it is a list of a language's words."""
NOT_READ = ("lab", "language", "shell")
"""Folders: measurements, the words themselves, and what the command line shows."""
NAMES_OF_COMPUTING = ("private", "spelling", "name_signs")
"""Tables whose words are those of programs, too: key, token, author, engine."""
NAMED_BY_KEYS = ("attributes", "nouns", "roles", "concepts")
"""Tables whose keys and values name attributes, by which code asks for them: home, job, price."""
OF_LANGUAGE_ALONE = (
    *("articles", "pronouns", "kin", "numbers", "dates.month", "dates.weekday", "signs.article", "signs.pronoun"),
    *("signs.negation", "clauses.and", "clauses.but", "negation.denial", "name_signs.titles", "name_signs.calendar"),
)
"""Tables and keys whose words name nothing in code, though a key may be called so: mother, the, not."""
ALLOWED = {  # by module: lines with collections or patterns, and what these are
    "domain/context.py": (1, "values of an option: auto, always, never"),
    "domain/delta.py": (1, "what may happen to a row: created, ended"),
    "domain/names.py": (1, "names of characters in Unicode"),
    "domain/occasion.py": (1, "kinds of occasions of the API: meeting, call"),
    "domain/search.py": (1, "values of an option: auto, always, never"),
    "entities/resolution/contexts.py": (1, "codes of languages"),
    "entities/resolution/name_likeness.py": (1, "endings and letters of names, in no language"),
    "entities/resolution/romanized.py": (2, "syllables of Korean"),
    "exploring/perspective.py": (1, "fields of a file of Neo4j Bloom"),
    "forgetting/matching.py": (1, "kinds of things that have ids: record, fact"),
    "knowledge/dictionary.py": (1, "a text of the documentation"),
    "lifecycle/definition_check.py": (1, "kinds of what is stored"),
    "naming/words.py": (1, "what formats of conversations call a speaker: user, assistant"),
    "privacy/shapes.py": (5, "codes of countries, beginnings of keys, and what programs write in place of one"),
    "providers/language.py": (2, "marks of a model's reasoning: <think>"),
    "records/rows.py": (1, "columns of a table"),
    "statements/rules.py": (1, "how many values an attribute has: always, usually, never"),
    "statements/tokens.py": (1, "endings behind an apostrophe: 's, 're, 'll"),
    "stores/analyses.py": (1, "what a statement gives: day, number, time"),
    "stores/graph_definitions.py": (1, "Cypher"),
}
_WORD = re.compile(r"[^\W\d_]{2,}")
_NO_WORD = re.compile(r"\(\?P?<\w+>|\\[a-zA-Z]")
"""Names of groups and classes of characters in patterns."""
_IS_PATTERN = re.compile(r"\\[bswdWAZ]|\(\?|\[\^|\w\|\w")


def _texts(table: Table) -> Iterator[str]:
    for value in table.values():
        yield from _texts(value) if isinstance(value, dict) else [value] if isinstance(value, str) else []


def _words(*tables: str) -> frozenset[str]:
    """The words of tables in all languages, in small letters; `signs.article`: of one key of a table."""
    found: set[str] = set()
    for code in codes():
        for name, _, key in (one.partition(".") for one in tables):
            every = {one: said for one, said in language(code)[name].items() if key in ("", one) and one != "no_topic"}
            named = every if schema()[name]["keys"] == "*" else {}
            for text in (*named, *_texts(every)):
                found |= set(_WORD.findall(_NO_WORD.sub(" ", text).casefold()))
    return frozenset(found)


def _names() -> frozenset[str]:
    """The names by which code asks for words: tables, keys, forms of attributes, attributes themselves, and parts of these."""
    names = {key for name, one in schema().items() for key in (name, *f"{one['keys']} {one.get('forms', '')}".split())}
    for table in (language(code)[name] for code in codes() for name in NAMED_BY_KEYS):
        names |= {one for one in (*table, *table.values()) if isinstance(one, str)}
    return frozenset(names | {part for name in names for part in name.split("_")})


WORDS = _words(*(name for name in schema() if name not in NAMES_OF_COMPUTING), *OF_LANGUAGE_ALONE)
IN_COLLECTIONS = (WORDS - _names()) | _words(*OF_LANGUAGE_ALONE)
"""Words that count in a collection: code names keys of tables there, as "because" and "negation"; in a pattern all words count."""


def _collected(node: ast.AST) -> set[str]:
    """The words of languages in a collection, in a text that is split, or in a pattern."""
    match node:
        case ast.Set(elts=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return _listed(_constants(parts))
        case ast.Dict(keys=keys, values=values):
            return _listed(_constants([*keys, *values]))
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
            return _listed(text.split())
        case ast.Constant(value=str(text)):
            return _of_pattern(text)
        case ast.JoinedStr(values=parts):
            return _of_pattern(" ".join(_constants(parts)))
    return set()


def _constants(parts: list[ast.expr | None] | list[ast.expr]) -> list[str]:
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def _listed(texts: list[str]) -> set[str]:
    return {text.casefold() for text in texts} & IN_COLLECTIONS


def _of_pattern(text: str) -> set[str]:
    return set(_WORD.findall(_NO_WORD.sub(" ", text).casefold())) & WORDS if _IS_PATTERN.search(text) else set()


def words_in(code: str) -> dict[int, set[str]]:
    """By line the words of languages in collections and patterns that have at least three of them."""
    tree = ast.parse(code)
    documentation = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found: dict[int, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and node not in documentation:
            words = _collected(node)
            if len(words) >= FEWEST:
                found.setdefault(node.lineno, set()).update(words)
    return found


def _modules() -> Iterator[tuple[str, str]]:
    for path in sorted(ENGINE.rglob("*.py")):
        module = path.relative_to(ENGINE).as_posix()
        if module.partition("/")[0] not in NOT_READ:
            yield module, path.read_text("utf-8")


def test_no_module_holds_words_of_a_language() -> None:
    found = {module: words for module, code in _modules() if (words := words_in(code))}
    allowed = {module: lines for module, (lines, _) in ALLOWED.items()}
    left = {module: words for module, words in found.items() if len(words) > allowed.get(module, 0)}
    assert left == {}, "words of a language belong into engine/language/data, under a key of tables.toml"
    assert allowed == {module: len(words) for module, words in found.items()}, "what is allowed is there"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('_NOT = re.compile(r"\\b(?:nicht|kein|nie)\\b")', {"nicht", "kein", "nie"}),
        ('MONTHS = "january february march april".split()', {"january", "february", "march", "april"}),
        ('TITLES = frozenset(("mr", "mrs", "herr"))', {"mr", "mrs", "herr"}),
        ('KIN = {"sister": 1, "mother": 2, "oncle": 3}', {"sister", "mother", "oncle"}),
        ('_AT = re.compile(rf"\\b(?:desde|depuis|seit) {DATE}")', {"desde", "depuis", "seit"}),
        ('_JOINED = re.compile(r"\\b(and|or|the)\\b")', {"and", "or", "the"}),
        ('ARTICLES = {"the", "a", "an", "my"}', {"the", "an", "my"}),
        ('raise InvalidInput("The month and the day of a date have to be told.")', set()),
        ('TWO = ("mr", "mrs")', set()),
        ('"""January, February, March are months."""', set()),
        ('KEYS = ("because", "negation", "month", "article")', set()),
    ],
)
def test_words_are_found_in_collections_and_patterns(code: str, words: set[str]) -> None:
    assert set().union(*words_in(code).values()) == words
