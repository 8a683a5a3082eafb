// A search: what the question touched, and why each hit was found.
import { button, $, counted, el, say, shownDay } from "./dom.js";

const REASONS = {
  name: "named in the question", alias: "an alias in the question", text: "its words are in the question",
  meaning: "close in meaning", edge: "linked to a named node",
};
const FOUND = { words: "its words", meaning: "its meaning", entities: "entities that it shares" };

// Anchors, nodes of hits, and the ways from the root to both.
export function touched(answer, nodes) {
  const byId = new Map(nodes.map((node) => [node.node_id, node]));
  const anchors = new Set(answer.anchors.map((one) => one.node_id));
  const hits = new Map();
  for (const hit of answer.hits) hits.set(hit.node_id, (hits.get(hit.node_id) || 0) + 1);
  const ways = new Set();
  for (const id of [...anchors, ...hits.keys()]) {
    for (let node = byId.get(id); node; node = byId.get(node.parent_id)) {
      ways.add(node.node_id);
      if (node.parent_id) ways.add(`way ${node.node_id}`);
    }
  }
  return { anchors, hits, ways };
}

export function showResults(answer, open, close) {
  const searched = answer.explanation?.searched === "all" ? "all nodes" : counted(answer.nodes_searched, "node");
  const summary = `${counted(answer.hits.length, "hit")} for “${answer.query}”, from ${counted(answer.items_searched, "item")} of ${searched}.`;
  const parts = [
    el("div", { class: "head" }, el("h2", {}, "What it touched"), button("Close", close, "", { "aria-label": "Close the results" })),
    el("p", { class: "quiet small" }, summary),
    ...answer.notes.map((note) => el("p", { class: "quiet small" }, note)),
  ];
  if (answer.relations.length) {
    parts.push(el("h3", {}, "Relations: what the question asks for"), el("ul", {}, answer.relations.map((one) => relation(one, open))));
  }
  if (answer.anchors.length) {
    parts.push(el("h3", {}, "Anchors: where the question leads"), el("ul", {}, answer.anchors.map((one) => anchor(one, open))));
  }
  const entities = reachedEntities(answer);
  if (entities.length) {
    parts.push(
      el("h3", {}, "Entities on the way"),
      el("div", { class: "facts-line" }, entities.map(([name, id]) => button(name, () => open.entity(id, name), "tag"))),
    );
  }
  parts.push(el("h3", {}, "Hits"), el("ol", {}, answer.hits.map((one) => hit(one, open))));
  if (!answer.hits.length) parts.push(el("p", {}, "Nothing was found."));
  $("results").replaceChildren(...parts);
  $("results").hidden = false;
  $("panel").scrollTop = 0;
  say(summary);
}

function relation(one, open) {
  const { reads, other_id, other_name, since, until } = one.relation;
  const times = [since && `since ${since}`, until && `until ${until}`].filter(Boolean).map((part) => `, ${part}`).join("");
  return el(
    "li",
    { class: "card" },
    el("p", {}, button(one.entity_name, () => open.entity(one.entity_id, one.entity_name)), ` ${reads} `,
      button(other_name, () => open.entity(other_id, other_name)), times),
    one.text && el("p", {}, `“${one.text}”`),
    el("p", { class: "quiet" }, `${shownDay(one.at)} · `, button(one.title || "untitled", () => open.record(one.node_id, one.record_id))),
  );
}

function anchor(one, open) {
  return el(
    "li",
    { class: "row" },
    el("span", {}, button(one.path.slice(1).join(" › ") || one.name, () => open.node(one.node_id)), " ",
      el("span", { class: "quiet small" }, one.reasons.map((reason) => REASONS[reason] || reason).join(", "))),
    el("span", { class: "quiet small", role: "img", "aria-label": `strength ${one.score.toFixed(2)}` }, one.score.toFixed(2)),
  );
}

function reachedEntities(answer) {
  const found = new Map();
  for (const { reached } of answer.hits) if (reached?.entity) found.set(reached.entity, reached.entity_id);
  return [...found];
}

function hit(one, open) {
  const said = [one.speaker, one.occurred_at && shownDay(one.occurred_at)].filter(Boolean).join(", ");
  const by = (one.explanation?.found_by || []).map((list) => FOUND[list]);
  const why = one.why.includes("): ") ? one.why.slice(one.why.indexOf("): ") + 3) : one.why;
  return el(
    "li",
    { class: "card" },
    el("p", {}, one.content),
    el("p", { class: "quiet" }, said ? `${said} · ` : "", button(one.record_title || "untitled", () => open.record(one.node_id, one.record_id)), " in ",
      button(one.path.slice(1).join(" › ") || one.path[0], () => open.node(one.node_id))),
    el("p", { class: "why" }, el("span", { class: "unseen" }, "Why: "), by.length ? `Found by ${by.join(" and ")}. ` : "", reached(one), why),
    signals(one.explanation),
  );
}

function reached({ reached: over }) {
  if (!over) return "";
  const from = over.from_title ? ` from “${over.from_title}”` : "";
  return over.entity ? `Reached over ${over.entity}${from}. ` : over.from_title ? `Reached${from}. ` : "";
}

function signals(explanation) {
  if (!explanation) return null;
  const shares = Object.entries(explanation.signals).filter(([, one]) => one.share).sort(([, a], [, b]) => Math.abs(b.share) - Math.abs(a.share));
  return el(
    "details",
    { class: "small more" },
    el("summary", {}, "Score"),
    el("ul", {}, shares.map(([name, one]) => el("li", { class: "row" }, el("span", {}, name.replaceAll("_", " ")), el("span", { class: "quiet" }, one.share.toFixed(2))))),
  );
}
