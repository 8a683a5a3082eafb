"""Whom a statement is about, by the words that it begins with."""

from __future__ import annotations

import pytest

from engine.naming.mentions import leading_subject


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Anna-Lena lives at 1 Elm Road.", "Anna-Lena"),
        ("Zed lives in Rome.", "Zed"),
        ("Max likes tea.", "Max"),
        ("Tine no longer plays the oboe.", "Tine"),
        ("Tine still also works at Orbix.", "Tine"),
        ("Tine doesn't like tea.", "Tine"),
        ("Tine n'habite plus à Metz.", "Tine"),
        ("Tine ne travaille plus chez Orbix.", "Tine"),
        ("Iker ya no vive en Soria.", "Iker"),
        ("Iria já não mora em Faro.", "Iria"),
        ("Nobody still lives here.", ""),
        ("It no longer works.", ""),
        ("Jean-Luc is tall.", "Jean-Luc"),
        ("O'Neil lives in Cork.", "O'Neil"),
        ("Élodie habite à Lyon.", "Élodie"),
        ("Ellen Harlan moved to Bonn.", "Ellen Harlan"),
        ("My car is old.", "user"),
        ("I live in Oslo.", "user"),
        ("Our boiler is new.", "user"),
        ("Unser Kessel ist neu.", "user"),
        ("The trip to Malta is planned for May.", "trip to malta"),
        ("The gate code is 4411.", "gate code"),
        ("Das Treffen ist am 3. Mai.", "treffen"),
        ("La reunión es el lunes.", "reunión"),
        ("A reunião é na segunda.", "reunião"),
        ("L'immeuble est vieux.", "immeuble"),
        ("Das Turnier wurde abgesagt.", "turnier"),
        ("Das Turnier findet am 3. Mai statt.", "turnier"),
        ("Der Ausflug nach Ulm fällt aus.", "ausflug nach ulm"),
        ("La regata se suspendió.", "regata"),
        ("La regata fue cancelada.", "regata"),
        ("Le tournoi n'aura pas lieu.", "tournoi"),
        ("O torneio não vai acontecer.", "torneio"),
        ("The regatta won't take place.", "regatta"),
        ("The regatta fell through.", "regatta"),
        ("Gestern wurde gefeiert.", ""),
        ("Demain commence le cours.", ""),
        ("Morgen beginnt der Kurs.", ""),
        ("La vecina se mudó.", ""),
        ("A dog fell through the ice.", ""),
        ("A dog is in the yard.", ""),
        ("A friend is a doctor.", ""),
        ("Ein Freund ist Arzt.", ""),
        ("Uma amiga é médica.", ""),
        ("O trem está atrasado.", "trem"),
        ("There is a cat.", ""),
        ("It is late.", ""),
        ("What Ann said is true.", ""),
        ("Boats need paint.", ""),
        ("Everyone likes tea.", ""),
        ("Nobody lives here.", ""),
        ("She lives in Rome.", ""),
        ("Who lives here?", ""),
        ("Monday is free.", ""),
        ("zed lives in Rome.", ""),
        ("nadia plays the cello", "nadia"),
        ("", ""),
    ],
)
def test_a_statement_is_about_the_name_it_begins_with(text: str, subject: str) -> None:
    assert leading_subject(text) == subject
