// The entities with most mentions, and their relations.
import { get, query } from "./api.js";
import { $, counted, el, say } from "./dom.js";
import * as graph from "./graph.js";
import { forces } from "./layout.js";
import { legend } from "./legend.js";
import * as lists from "./lists.js";
import * as time from "./time.js";
import { LINES_TOGETHER, MOST_ENTITIES, MOST_RELATIONS, MOST_TOGETHER, view } from "./view.js";

// The list is shown as soon as it is there; relations follow before the picture.
export async function showEntities() {
  const as_of = time.asOf();
  const mine = ++view.load;
  const entities = await get(`${view.home}/entities${query({ as_of, limit: 200 })}`);
  if (mine !== view.load || view.tab !== "entities") return;
  view.entities = entities;
  listEntities();
  legend();
  const drawn = entities.slice(0, MOST_ENTITIES).map((one) => one.entity_id);
  // Who is spoken of together is known of now only.
  const [relations, together] = drawn.length ? await Promise.all([
    get(`${view.home}/relations${query({ as_of, entity_id: drawn, limit: MOST_RELATIONS })}`),
    as_of ? [] : get(`${view.home}/entities-together${query({ entity_id: drawn, limit: MOST_TOGETHER })}`),
  ]) : [[], []];
  if (mine !== view.load || view.tab !== "entities") return;
  view.relations = relations;
  view.together = strongest(together, relations);
  $("waiting").hidden = true;
  await drawEntities();
}

// Of each entity its strongest pairs without a relation: a relation says more, and all pairs are too many to be read.
function strongest(together, relations) {
  const pair = (one, other) => [one, other].sort().join();
  const related = new Set(relations.map((one) => pair(one.source_id, one.target_id)));
  const lines = new Map();
  return together.filter(({ first_id, other_id }) => {
    if (related.has(pair(first_id, other_id))) return false;
    const [first, other] = [first_id, other_id].map((id) => lines.get(id) ?? 0);
    if (first >= LINES_TOGETHER && other >= LINES_TOGETHER) return false;
    lines.set(first_id, first + 1).set(other_id, other + 1);
    return true;
  });
}

async function drawEntities() {
  const drawn = view.entities.slice(0, MOST_ENTITIES);
  const joined = [...view.relations.map((one) => [one.source_id, one.target_id]), ...view.together.map((one) => [one.first_id, one.other_id])];
  const places = forces(drawn, joined);
  window.neurigraph.cy = await graph.draw(graph.entityElements(drawn, view.relations, view.together, places), view.open.entity);
  dressEntities();
  say($("graph").getAttribute("aria-label"));
}

function touchedEntities() {
  const named = view.entities.filter((one) => one.names.some((name) => view.entityNames.has(name.toLowerCase())));
  return new Map(named.map((one) => [one.entity_id, 1]));
}

export function dressEntities() {
  graph.highlight({ anchors: new Set(), ways: new Set(), hits: touchedEntities() });
  graph.select(view.selected);
  listEntities();
  describe();
}

// The picture in words.
function describe() {
  const drawn = counted(Math.min(view.entities.length, MOST_ENTITIES), "entity");
  const over = touchedEntities().size;
  const touches = over > 0 && `the question leads over ${over} of the list`;
  const parts = [`Graph of ${drawn} with most mentions and ${counted(view.relations.length, "relation")}`,
    view.together.length && `${counted(view.together.length, "pair")} spoken of together`, time.told(), touches];
  $("graph").setAttribute("aria-label", parts.filter(Boolean).join("; "));
}

function listEntities() {
  const hits = touchedEntities();
  const more = view.entities.length > MOST_ENTITIES && el("p", { class: "quiet small" }, `The picture shows the ${MOST_ENTITIES} with most mentions.`);
  lists.showEntities(view.entities, { selected: view.selected, pick: view.open.entity, role: (id) => (hits.has(id) ? "touched" : "") }, more);
}
