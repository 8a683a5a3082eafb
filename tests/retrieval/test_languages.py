"""Forms of a word find each other in the language of the text, in the stores as they run."""

from __future__ import annotations

from uuid import UUID

import pytest
from psycopg import sql

from engine.domain.delta import Change
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, ProvisionedNode, User
from engine.domain.search import SearchRequest
from engine.domain.terms import sparse_of, stored_words, term_id, weights, words
from engine.memory import Memory
from engine.neurigraph import Engine

SAID = {
    "de": ("Wir haben uns gestern die Häuser am Fluss angesehen.", "Welches Haus war das?"),
    "es": ("Mi hermana está vendiendo los muebles que tenía en la casa.", "¿Quién quiere vender?"),
    "pt": ("Os médicos disseram que não é nada de grave.", "O que é que o médico disse?"),
    "ru": ("Мы смотрели новые квартиры для нее.", "Где моя квартира?"),
    "en": ("We walked along the shore and saw the lighthouses.", "Where is the lighthouse?"),
    "ja": ("東京タワーの近くに住んでいます。", "東京はどこ"),
}


@pytest.fixture
async def node(memory: Memory, user: User) -> UUID:
    """Turns in several languages and scripts in one conversation, beside turns without a word of a language."""
    node = await memory.nodes.provision(NewNode(user.user_id, "Talk"))
    turns = [Turn("Bob", said) for said, _ in SAID.values()] + [Turn("Iris", "🙂"), Turn("Iris", "ich und wir")]
    await memory.records.remember(Conversation("talk", tuple(turns)), node_id=node.node_id)
    return node.node_id


async def by_words(memory: Memory, node: UUID, question: str) -> list[str]:
    """What is found by words, the best first."""
    answer = await memory.search(SearchRequest(question, 20, nodes=(node,), explain=True))
    found = [hit for hit in answer.hits if hit.explanation and "words" in hit.explanation.found_by]
    return [hit.content for hit in sorted(found, key=lambda hit: -hit.signals.get("words", 0.0))]


@pytest.mark.ledger("L06")
@pytest.mark.parametrize("language", SAID)
async def test_another_form_of_a_word_finds_the_turn(memory: Memory, node: UUID, language: str) -> None:
    said, question = SAID[language]
    assert (await by_words(memory, node, question))[:1] == [said]


class Older:
    """A node with turns as they were stored before there were stems."""

    def __init__(self, engine: Engine, node: ProvisionedNode) -> None:
        self.engine, self.node = engine, node

    async def takes_the_stems_away(self, *texts: str) -> None:
        table = sql.Identifier(self.node.schema_name, "memory_items")
        async with self.engine.postgres.as_service() as connection:
            for text in texts:
                terms = sparse_of(weights(words(text), "turn"))
                await connection.execute(
                    sql.SQL("UPDATE {} SET terms = %s WHERE content = %s").format(table), [terms, text]
                )
                fewer = [self.node.node_id, [term_id(one) for one in set(stored_words(text)) - set(words(text))]]
                await connection.execute(
                    "UPDATE engine.term_counts SET documents = documents - 1 WHERE node_id = %s AND term = ANY (%s)"
                    " AND unit = 'turn'",
                    fewer,
                )

    async def counts(self) -> dict[int, int]:
        async with self.engine.postgres.as_service() as connection:
            cursor = await connection.execute(
                "SELECT term, documents FROM engine.term_counts WHERE node_id = %s AND unit = 'turn' AND documents > 0",
                [self.node.node_id],
            )
            return {row["term"]: row["documents"] for row in await cursor.fetchall()}


HOUSES = Turn("Bob", "Wir haben die Häuser gesehen."), Turn("Bob", "Wir haben Häuser.")


@pytest.fixture
async def older(engine: Engine, memory: Memory, user: User) -> Older:
    node = await memory.nodes.provision(NewNode(user.user_id, "Fluss"))
    await memory.records.remember(Conversation("fluss", HOUSES), node_id=node.node_id)
    return Older(engine, node)


async def test_a_job_adds_the_stems_that_older_items_lack(older: Older, memory: Memory) -> None:
    node, before = older.node.node_id, await older.counts()
    await older.takes_the_stems_away(*(turn.text for turn in HOUSES))
    assert await by_words(memory, node, "Welches Haus?") == []
    assert len(await by_words(memory, node, "Welche Häuser?")) == 2, "they are found by their words meanwhile"
    async with older.engine.postgres.as_service() as connection:
        await connection.execute("SELECT engine.note_due('stems', ARRAY[%s::uuid])", [node])
    assert (await older.engine.derivations.run("stems"))["stems"] == 2
    assert len(await by_words(memory, node, "Welches Haus?")) == 2
    assert await older.counts() == before
    assert (await older.engine.derivations.run("stems"))["stems"] == 0


async def test_a_new_wording_takes_out_of_the_counts_what_the_item_was_stored_with(
    older: Older, memory: Memory
) -> None:
    await older.takes_the_stems_away(HOUSES[0].text)
    answer = await memory.search(SearchRequest("Häuser", nodes=(older.node.node_id,)))
    [item] = [hit.item_id for hit in answer.hits if hit.content == HOUSES[0].text]
    await memory.history.change(Change("item", item, {"content": "Das ist breit."}, older.node.node_id))
    assert (await older.counts())[term_id("haus")] == 1, "the second turn still has the stem"


SHORT = {
    "zh": (("我早上常喝乌龙茶。", "下周要带猫去打疫苗。", "弟弟在成都开面馆。", "昨天的电影很无聊。", "阳台上的花都谢了。"), {"疫苗": 1, "成都": 2, "电影": 3}),
    "ja": (("朝はいつも紅茶です。", "来週、眼科の予約があります。", "弟は神戸で働いています。", "昨日の映画は退屈でした。"), {"眼科": 1, "神戸": 2, "映画": 3}),
    "th": (("ตอนเช้าฉันดื่มน้ำส้ม", "สัปดาห์หน้าต้องไปหาหมอตา", "น้องชายทำงานที่ภูเก็ต", "หนังเมื่อวานน่าเบื่อ"), {"หมอตา": 1, "ภูเก็ต": 2}),
}  # fmt: skip


@pytest.mark.ledger("L06")
@pytest.mark.parametrize("language", SHORT)
async def test_a_short_word_of_a_script_without_spaces_finds_its_sentence_first(
    memory: Memory, user: User, language: str
) -> None:
    said, asked = SHORT[language]
    chat = await memory.nodes.provision(NewNode(user.user_id, "Chat"))
    notes = await memory.nodes.provision(NewNode(user.user_id, "Notes"))
    await memory.records.remember(Conversation("talk", tuple(Turn("Li", one) for one in said)), node_id=chat.node_id)
    for place, one in enumerate(said):
        await memory.records.remember_text(f"Note {place}", one, node_id=notes.node_id)
    for word, place in asked.items():
        for nodes in ((chat.node_id,), (notes.node_id,)):
            answer = await memory.search(SearchRequest(word, nodes=nodes))
            assert answer.hits[0].content.strip() == said[place], word
        both = await memory.search(SearchRequest(word))
        assert {hit.content.strip() for hit in both.hits[:2]} == {said[place]}, "the turn and the note"


@pytest.mark.ledger("L06")
async def test_a_text_of_signs_or_pictures_alone_is_no_hit(memory: Memory, user: User) -> None:
    node = await memory.nodes.provision(NewNode(user.user_id, "Notes"))
    notes = (
        "The stapler is out of staples.",
        "Rye flour and salt.",
        "The lift was inspected.",
        "Ring Olaf.",
        "茶",
        ".",
        "– – –",
        "?!",
        "\U0001f44d",
        "\U0001f602\U0001f602",
        "\u2764\ufe0f",
        "\U0001f1eb\U0001f1f7 \u2192 \U0001f1ee\U0001f1f9",
    )
    for place, one in enumerate(notes):
        await memory.records.remember_text(f"{place}", one, node_id=node.node_id)
    answer = await memory.search(SearchRequest("stapler", 20, nodes=(node.node_id,)))
    assert answer.hits[0].content == notes[0]
    assert {hit.content for hit in answer.hits} <= set(notes[:5])
