"""The files of languages: the same tables in each, errors that say what is wrong, and that another language is another file."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.language import tables
from engine.language.tables import FOLDER, LanguageFileError, codes, language, listed, month_numbers, schema

DOCS = Path(__file__).resolve().parents[2] / "docs" / "knowledge.md"
PATTERNS = {
    "questions": schema()["questions"]["keys"].split(),
    "articles": schema()["articles"]["keys"].split(),
    "negation": schema()["negation"]["keys"].split(),
    "verbs": schema()["verbs"]["keys"].split(),
    "prepositions": schema()["prepositions"]["keys"].split(),
    "pronouns": "my of_others possessive speaker speaker_object owner she he first_person".split(),
    **{name: schema()[name]["keys"].split() for name in ("homes", "intentions", "ties", "periods")},
    "relations": ["copula", "before", "behind", "former", "article", "of", "has", "called"],
}
ITALIAN = {
    "spelling": 'letters = "àèéìòù"\nnoun_first = true',
    "signs": 'article = "il, la, un, una"\nauxiliary = "è, ha"\nover = "non ~ più"',
    "dates": 'month = "gennaio, febbraio, marzo, aprile, maggio, giugno, luglio, agosto, settembre, ottobre, novembre, dicembre"',
    "numbers": "uno = 1\ndue = 2",
    "attributes.home": 'holds = "vive/abita ~ a"\nbegins = "si è trasferita ~ a"',
    "questions": "self = 'io|mio|mia'\npast = 'era'\nstate = 'era\\s+(?:il mio|la mia)'\nmonth_before = 'in|a'\nmonth_year = '\\s+'",
    "pronouns": "my = 'mio|mia'\nown = \"mio, mia\"\nowner = '[Mm]i[oa]'",
    "relatives": 'family = "sorella, fratello"',
    "time": (
        "units = \"giorno, settimana, fine settimana, mese, anno\"\nnear_units = 'settimana|mese|anno'\nlast = \"scorso\"\nthis = \"questo\"\n"
        "next = \"prossimo\"\nbefore_weekday = 'scorso'\nbefore_month = 'a|in'\npart = 'inizio|fine'\nordinal = 'o'\nof = 'di'\nago = 'fa'\n"
        "ahead = 'tra'"
    ),
    "counts": '"due" = 2',
    "near_days": '"ieri" = -1',
    "negation": "before_name = 'non'\ndenial = 'macché'",
    "relations": 'copula = "è"\nof = "di"\ncalled = "si chiama"',
    "clauses": 'and = "e"\nis = "è"\nnot = "non, mai"\nends = "e, che"',
    "periods": "since = 'dal'",
    "kinds": 'is = "è"\none = "una, un"\nat = "vicino a"',
    "openings": "does = 'abita'\nis = 'è'",
    "private": "phone = 'recapito'",
    "groups": 'family = "Famiglia"\nwork = "Lavoro"\nfriends = "Amici"\nothers = "Persone"',
}  # fmt: skip
READING = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from engine.language import tables

tables.FOLDER = Path(sys.argv[1])
from engine.naming.words import relations_with_my
from engine.facts.verdicts import relation, statement
from engine.language.questions import asks_for_self
from engine.language.questions import months_of_states
from engine.language.questions import asked_time
from engine.language.dates import dates_in

now = datetime(2024, 5, 15, tzinfo=UTC)
older, newer = statement("Anna abita a Roma.", "anna"), statement("Anna si è trasferita a Torino.", "anna")
print(tables.codes()[-1], older.language, relation(older, newer, None, 0.9))
print(dates_in("Ieri, e il 3 maggio 2023, e due settimana fa", now))
print(asks_for_self("Dove lavora mia sorella?", ("it",)), months_of_states("Qual era la mia dose in ottobre 2023?"))
print([word for _, _, word in relations_with_my("Ho visto mia sorella.")], asked_time("Dove era la mia casa a Roma?"))
from engine.domain.entity import TextPiece
from engine.ingest.assignment.evidence import denies, negated
from engine.naming.configuration import SHIPPED, load_domain
from engine.naming.kinds import kind_of
from engine.naming.names import names_in
from engine.naming.mentions import leading_subject
from engine.privacy.redact import redact
from engine.relations.rules import Relating

domain = Path(sys.argv[1]).with_name("domain.toml")
domain.write_text(SHIPPED.read_text("utf-8").replace('en = "lives in', 'it = "abita a", en = "lives in', 1), "utf-8")
piece = TextPiece("Anna abita a Torino dal 2021. Anna non abita a Genova.")
drawn = Relating(load_domain(domain)).drafts([piece], names_in([piece], {}))
print([(one.source.name, one.type, one.target.name, one.since) for one in drawn])
print(denies("Macché!"), negated("non la gatta", 4), leading_subject("Zed abita vicino."))
print(kind_of("Era vicino a Borgolungo.", 13, 23), redact("Il recapito 55512 vale.").text)
"""


@pytest.mark.parametrize("code", codes())
def test_every_language_has_the_same_tables(code: str) -> None:
    assert language(code).keys() == schema().keys()
    assert len(listed(code, "dates", "week")) == 7 and len(listed(code, "dates", "month")) >= 12
    assert set(month_numbers(code).values()) == set(range(1, 13)) == {*language(code)["numbers"].values(), 12} - {0}
    for table, keys in PATTERNS.items():
        for key in keys:
            assert re.compile(language(code)[table].get(key, "")).groupindex == {}, f"{table}.{key}"


def test_a_short_name_of_a_month_is_that_of_the_month_that_begins_with_it() -> None:
    assert {code: month_numbers(code)[name] for code, name in (("fr", "juil"), ("de", "mär"), ("en", "sept"))} == {
        "fr": 7,
        "de": 3,
        "en": 9,
    }


@pytest.mark.parametrize(
    ("changed", "by", "says"),
    [
        ("[kin]", "[kinn]", "tables that tables.toml does not name: kinn|lacks the tables kin"),
        ("[near_days]", "[soon.more]", "lacks the tables near_days"),
        ("[counts]", "[counts]\nfew = [1]", "counts.few is of another kind"),
        (
            "[relatives]",
            "[relatives]\nfamilly = 'x'",
            r"\[relatives\] has keys that tables.toml does not name: familly",
        ),
        ("[attributes.home]", "[attributes.home]\nheld = 'x'", r"\[attributes.home\] has keys .*: held"),
        ("[numbers]", "[numbers", "de.toml is no TOML"),
    ],
)
def test_a_file_with_a_mistake_says_where_it_is(
    changed: str, by: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "data")
    text = (folder / "de.toml").read_text("utf-8")
    (folder / "de.toml").write_text(text.replace(changed, by, 1), "utf-8")
    monkeypatch.setattr(tables, "FOLDER", folder)
    with pytest.raises(LanguageFileError, match=says):
        language.__wrapped__("de")


def test_another_language_is_another_file(tmp_path: Path) -> None:
    folder = shutil.copytree(FOLDER, tmp_path / "data")
    written = {one.partition(".")[0] for one in ITALIAN}
    empty = "".join(f"[{name}]\n" for name in schema() if name not in written)
    said = "".join(f"[{name}]\n{text}\n" for name, text in ITALIAN.items())
    (folder / "it.toml").write_text(said + empty, "utf-8")
    done = subprocess.run([sys.executable, "-c", READING, str(folder)], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "it it changes",
        "('2024-05-14', '2023-05-03', '2024-04-29', '2024-04-30', '2024-05-01', '2024-05-02', '2024-05-03', '2024-05-04',"
        " '2024-05-05')",
        "True ('2023-10',)",
        "['sorella'] past",
        "[('Anna', 'LIVES_IN', 'Torino', '2021')]",
        "True True Zed",
        "place Il recapito [phone] vale.",
    ]


def test_the_documentation_shows_what_each_language_has() -> None:
    head = ["table", *codes()]
    rows = [[name, *(str(len(language(code)[name])) for code in codes())] for name in schema()]
    lines = [head, ["---", *("--:" for _ in codes())], *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    assert table in DOCS.read_text("utf-8"), f"docs/knowledge.md is to have\n{table}"
