"""What ends a fact in everyday words (a thing is sold, upgraded, repainted, a work finished), and what sounds alike and ends nothing."""

from __future__ import annotations

import pytest

from engine.facts.verdicts import relation, statement

ENDS = [
    ("Lena is writing her thesis.", "Lena finished her thesis."),
    ("Lena liest den Roman.", "Lena hat den Roman fertig gelesen."),
    ("Lena está escribiendo su tesis.", "Lena terminó su tesis."),
    ("Lena écrit sa thèse.", "Lena a terminé sa thèse."),
    ("Lena drives a Volvo.", "Lena sold the Volvo and bought a Skoda."),
    ("Lena has a motorbike.", "Lena sold the motorbike in spring."),
    ("Lena tiene una moto.", "Lena vendió la moto en otoño."),
    ("Lena is subscribed to Streamly.", "Lena cancelled her Streamly subscription."),
    ("The server runs Postgres 16.", "We upgraded the server to Postgres 17."),
    ("The front door is blue.", "We painted the front door red."),
    ("The heating is off.", "The heating is on again."),
    ("Das Ticket kostet 49 Euro.", "Ab sofort kostet das Ticket 58 Euro."),
    ("Das Passwort lautet ahorn7.", "Seit gestern lautet das Passwort birke9."),
    ("Lena works at Brandt.", "Lena told me she left Brandt."),
    ("Lena arbeitet bei Brandt.", "Lena hat mir erzählt, dass sie nicht mehr bei Brandt arbeitet."),
    ("Lena vive en Soria.", "Lena me contó que se ha mudado a Cuenca."),
    ("Lena habite à Lens.", "Lena m'a dit qu'elle a déménagé à Metz."),
    ("A Lena vive em Faro.", "A Lena disse-me que se mudou para Beja."),
    ("Tenemos cuatro ovejas.", "Ahora tenemos dos ovejas."),
    ("Trabajo en Nimbus.", "Ya no trabajo ahí."),
    ("Je travaille chez Nimbus.", "Je n'y travaille plus."),
    ("Trabalho na Nimbus.", "Já não trabalho lá."),
    ("Trabajo en una panadería.", "Ya no trabajo allí."),
    ("Soy secretario del club.", "Hugo me ha sustituido como secretario del club."),
    ("Lena tiene cinco cabras.", "A Lena le quedan dos cabras."),
    ("Lena a cinq chèvres.", "Il ne reste que deux chèvres à Lena."),
    ("A Lena tem cinco cabras.", "À Lena só restam duas cabras."),
    ("Lena a un chat.", "Lena n'a plus de chat."),
    ("Lena está de baja hasta mayo.", "Lena se ha reincorporado al trabajo."),
    ("Las fiestas duran hasta mayo.", "Las fiestas han terminado."),
    ("La tienda abre a las 10:00.", "Ahora la tienda abre a las 10:30."),
    ("Mi banco es Cajarural.", "Me he cambiado al banco Bancosol."),
    ("Vamos a hacer una fiesta en junio.", "Al final no haremos la fiesta."),
    ("Lena vive en Soria.", "Lena dice que se ha mudado a Cuenca."),
]
STAYS = [
    ("Mara lebt in Kiel.", "Mara lebt nicht mehr mit Jost in Kiel."),
    ("Mara lebt in Kiel.", "Mara lebt nicht mehr in Kiel allein."),
    ("Mara lives in Leeds.", "Mara no longer lives in Leeds with her cousin."),
    ("Mara works at Orbix.", "Mara no longer works at Orbix part time."),
    ("Mara habite à Nantes.", "Mara n'habite plus seule à Nantes."),
    ("Mara travaille chez Orbix.", "Mara ne travaille plus chez Orbix avec Jost."),
    ("Iker vive en Bilbao.", "Iker ya no vive solo en Bilbao."),
    ("Iker trabaja en Orbix.", "Iker ya no trabaja en Orbix con su tío."),
    ("Iria mora em Braga.", "Iria já não mora em Braga com a tia."),
    ("Lena is writing her thesis.", "Lena finished her thesis proposal."),
    ("Lena is writing her thesis.", "Lena almost finished her thesis."),
    ("Lena is writing her thesis.", "Lena has not finished her thesis."),
    ("Lena baut ein Haus.", "Lenas Bruder hat das Haus fertiggestellt."),
    ("Lena lit le livre.", "Lena a rendu le livre."),
    ("Lena drives a Volvo.", "Lena sold the Volvo keys and bought a Skoda."),
    ("Lena has a dog.", "Lena sold the boat and kept the dog."),
    ("Lena is subscribed to Streamly.", "Lena's father cancelled his Streamly subscription."),
    ("The office is in Berlin.", "The office is in Munich."),
    ("Unser Büro ist in Berlin.", "Unser Büro ist in München."),
    ("The bus leaves at 8:15.", "The bus leaves at 8:45."),
    ("Das Ticket kostet 49 Euro.", "Am Samstag kostet das Ticket 58 Euro."),
    ("Das Passwort ist ahorn7.", "Jetzt ist das Passwort meiner Schwester birke9."),
    ("The front door is blue.", "We painted the back door red."),
    ("Lena works at Brandt.", "Lena told me Tom left Brandt."),
    ("Lena wohnt in Celle.", "Lenas Mutter hat mir erzählt, dass sie nach Bonn gezogen ist."),
    ("Lena vive en Soria.", "Lena me contó que su hermano se ha mudado a Cuenca."),
    ("Lena is the caretaker of the hall.", "Lena is no longer the only caretaker of the hall."),
    ("Lena ist die Kassenwartin des Vereins.", "Lena ist nicht mehr die einzige Kassenwartin des Vereins."),
    ("Lena es la tesorera del club.", "Lena ya no es la única tesorera del club."),
    ("Lena est la trésorière du club.", "Lena n'est plus la seule trésorière du club."),
    ("A Lena é a tesoureira do clube.", "A Lena já não é a única tesoureira do clube."),
    ("Lena vive en Soria.", "Me contó que Lena se ha mudado a Cuenca."),
    ("Lena works at Brandt.", "Told me that Lena left Brandt."),
    ("Lena es enfermera.", "Lena ya no es enfermera jefe."),
    ("Lena est infirmière.", "Lena n'est plus simple infirmière."),
    ("Lena chante dans la chorale.", "Lena ne chante pas que dans la chorale."),
    ("Lena vive en Soria.", "Lena ya no vive sola en Soria."),
    ("Lena works at Orbis.", "Lena no longer works alone at Orbis."),
    ("Trabajo en Nimbus.", "No trabajo allí todavía."),
    ("Trabajo en Nimbus.", "Ya no trabajo allí los lunes."),
    ("Je travaille le bois.", "Je n'y travaille plus."),
    ("Soy portero.", "Hugo me sustituyó el martes como portero."),
    ("Soy portero.", "Hugo me ha sustituido como portero en el partido."),
    ("Lena tiene tres hijos.", "A Lena le quedan dos hijos en casa."),
    ("Las clases duran hasta junio.", "Las clases han terminado por hoy."),
    ("La tienda abre a las 10:00.", "Ahora la tienda abre los lunes a las 10:30."),
    ("O meu banco é o Cajarural.", "Passei pelo banco Bancosol."),
]


def _ends(older: str, newer: str) -> bool:
    about = "lena" if "Lena" in older else "user"
    return relation(statement(older, about), statement(newer, about), 0.9, 0.88) in ("changes", "ends")


@pytest.mark.ledger("I10")
@pytest.mark.parametrize(("older", "newer"), ENDS)
def test_everyday_words_end_a_fact(older: str, newer: str) -> None:
    assert _ends(older, newer)


@pytest.mark.ledger("I10")
@pytest.mark.parametrize(("older", "newer"), STAYS)
def test_what_sounds_alike_ends_nothing(older: str, newer: str) -> None:
    assert not _ends(older, newer)


def test_a_measured_number_behind_a_month_is_no_day() -> None:
    assert statement("Das Ticket kostet seit Mai 58 Euro.", "user").times == {"mai"}
    assert statement("The ticket costs since May 58 euros.", "user").times == {"may"}
    assert statement("The ticket has been valid since May 8.", "user").times == {"may 8"}
