// The panel of what is selected: a node, a record, an entity.
import { all, get, query, request } from "./api.js";
import { button, $, counted, el, say, shownDay, showProblem } from "./dom.js";
import { kindShade, kindShape, mark, nodeMark, NODE_TYPES, shade, stateOf, STATES } from "./looks.js";

let home = "";
let open = {};
let wanted = 0;

export function begin(path, given) {
  home = path;
  open = given;
  wanted++;
  show();
}

function show(...parts) {
  $("details").replaceChildren(...parts.flat().filter(Boolean));
}

// Shows what `load` returns, unless something else was selected meanwhile.
async function load(make) {
  const mine = ++wanted;
  $("details").setAttribute("aria-busy", "true");
  try {
    const parts = await make();
    if (mine === wanted) show(parts);
  } catch (error) {
    if (mine === wanted) {
      show(el("p", { class: "quiet" }, error.message));
      showProblem(error);
    }
  }
  if (mine === wanted) $("details").removeAttribute("aria-busy");
}

// What is seen first: how much there is, and who is in it.
export function overview(user, nodes, timeline) {
  return load(async () => {
    const [entities, groups] = await Promise.all([get(`${home}/entities${query({ limit: 14 })}`), get(`${home}/profile`)]);
    const days = timeline.filter((one) => one.day);
    const records = timeline.reduce((sum, one) => sum + one.records, 0);
    const numbers = [counted(nodes.length, "node"), counted(records, "record"), days.length && `${shownDay(days[0].day)} – ${shownDay(days[days.length - 1].day)}`];
    const facts = groups.flatMap((group) => group.strongest).slice(0, 5);
    return [
      heading(user.display_name || user.handle),
      el("p", { class: "facts-line" }, numbers.filter(Boolean).map((text) => el("span", { class: "tag" }, text))),
      el("p", { class: "quiet" }, "Ask a question to see what it touches. Select a node or an entity to read what it holds. Move the time to see what was known then."),
      ...(entities.length ? section("Most mentioned", el("p", { class: "facts-line" }, entities.map((one) =>
        button(one.name, () => open.entity(one.entity_id), "tag", { "aria-label": `${one.name}, ${counted(one.mentions, "mention")}` })))) : []),
      ...(facts.length ? section("Facts", list(facts, (one) => el("li", { class: "card" }, el("p", {}, one.text)))) : []),
    ];
  });
}

const heading = (text, symbol) => el("h2", {}, symbol, symbol ? " " : "", text);
const list = (entries, make, kind = "ul") => el(kind, {}, entries.map(make));
const section = (title, ...parts) => [el("h3", {}, title), ...parts];

// nodes --------------------------------------------------------------------------------------------------------

export function node(id, as_of, branch) {
  return load(async () => {
    const [shell, records] = await Promise.all([
      get(`${home}/nodes/${id}${query({ as_of })}`),
      get(`${home}/nodes/${id}/metadata${query({ as_of, limit: 20 })}`),
    ]);
    say(`${shell.name}: ${counted(shell.records, "record")}, ${counted(shell.children.length, "child node")}`);
    return [
      el("p", { class: "crumbs" }, shell.path.slice(0, -1).join(" › ")),
      heading(shell.name, nodeMark(shell, shade(branch))),
      el("p", { class: "facts-line" }, [NODE_TYPES[shell.node_type], `layer ${shell.layer}`, stateOf(shell), counted(shell.records, "record"), counted(shell.items, "item")]
        .map((text) => el("span", { class: "tag" }, text))),
      shell.summary && el("p", {}, shell.summary),
      ...(shell.aliases.length ? section("Also called", el("p", {}, shell.aliases.join(", "))) : []),
      ...(shell.keywords.length ? section("Keywords", el("p", { class: "quiet" }, shell.keywords.join(", "))) : []),
      ...(shell.edges.length ? section("Linked nodes", list(shell.edges, edge)) : []),
      ...(shell.children.length ? section("Below it", list(shell.children, child)) : []),
      ...section(as_of ? `Records until ${shownDay(as_of)}` : "Records", pages(records.records, records.cursor, (one) => record(id, one), "No record at this time.",
        async (cursor) => {
          const next = await get(`${home}/nodes/${id}/metadata${query({ as_of, limit: 20, cursor })}`);
          return [next.records, next.cursor];
        })),
    ];
  });
}

const edge = (one) =>
  el("li", { class: "row" }, button(one.other_path.slice(1).join(" › ") || one.other_name, () => open.node(one.other_id)),
    el("span", { class: "quiet small" }, `${one.outgoing ? "→" : "←"} ${one.edge_type.replaceAll("_", " ").toLowerCase()}`));

const child = (one) =>
  el("li", { class: "row" }, button(one.name, () => open.node(one.node_id)), el("span", { class: "quiet small" }, counted(one.records, "record")));

// A list that grows by a page at a time.
function pages(entries, cursor, make, nothing, next) {
  const grown = el("div", {}, entries.map(make), entries.length ? null : el("p", { class: "quiet" }, nothing));
  const more = button("More", async () => {
    try {
      const [found, following] = await next(cursor);
      more.before(...found.map(make));
      cursor = following;
      if (!cursor) more.remove();
    } catch (error) {
      showProblem(error);
    }
  }, "more");
  if (cursor) grown.append(more);
  return grown;
}

function record(nodeId, one) {
  const about = [one.occurred_at ? shownDay(one.occurred_at) : "undated", one.content_type.replace("_", " "), one.compression_state && STATES[one.compression_state]];
  return el(
    "div",
    { class: "card" },
    el("h4", {}, one.title || "untitled"),
    el("p", { class: "quiet" }, about.filter(Boolean).join(" · ")),
    one.summary && el("p", { class: "clamped" }, one.summary),
    el("div", { class: "actions" }, button("Open", () => open.record(nodeId, one.record_id), "", { "aria-label": `Open the record ${one.title}` })),
  );
}

// records ------------------------------------------------------------------------------------------------------

export function showRecord(nodeId, recordId, as_of) {
  return load(async () => {
    const [shell, state] = await Promise.all([
      get(`${home}/nodes/${nodeId}${query({ as_of })}`),
      get(`${home}/nodes/${nodeId}/records/${recordId}${query({ as_of })}`),
    ]);
    const line = shell.manifest.find((one) => one.record_id === recordId) || (await found(nodeId, recordId, as_of));
    const fields = state.fields;
    if (!fields) return [heading("This record did not exist at that time."), back(shell)];
    say(`Record ${fields.title}`);
    return [
      el("p", { class: "crumbs" }, "Record in ", back(shell)),
      heading(fields.title || "untitled"),
      el("p", { class: "facts-line" }, [fields.occurred_at ? shownDay(fields.occurred_at) : "undated", line?.content_type?.replace("_", " ")].filter(Boolean)
        .map((text) => el("span", { class: "tag" }, text))),
      fields.summary && el("p", {}, fields.summary),
      ...[["Names", "kw_entities"], ["Topics", "kw_topics"], ["Dates", "kw_dates"]].flatMap(([title, name]) =>
        fields[name]?.length ? section(title, el("p", { class: "quiet" }, fields[name].join(", "))) : []),
      ...(line?.file_id ? section("Text", text(nodeId, line)) : []),
    ];
  });
}

async function found(nodeId, recordId, as_of) {
  let cursor = null;
  do {
    const page = await get(`${home}/nodes/${nodeId}/metadata${query({ as_of, limit: 200, cursor })}`);
    const one = page.records.find((record) => record.record_id === recordId);
    if (one) return one;
    cursor = page.cursor;
  } while (cursor);
  return null;
}

const back = (shell) => button(shell.path.slice(1).join(" › ") || shell.name, () => open.node(shell.node_id));

const LONGEST = 200000;

function text(nodeId, line) {
  const place = el("div", {});
  const read = button("Read the text", async () => {
    read.disabled = true;
    try {
      const answer = await request(`${home}/nodes/${nodeId}/files/${line.file_id}?wait=20`, { headers: { "Neurigraph-Part": "true", Accept: "*/*" } });
      if (answer.status === 202) throw new Error("The file is still being restored. Try again.");
      if (!/^text\/|json/.test(answer.headers.get("Content-Type") || "")) throw new Error(`${line.file_name} is not a text.`);
      const content = await answer.text();
      read.remove();
      place.append(el("pre", { tabindex: 0, role: "region", "aria-label": "Text of the record" }, content.slice(0, LONGEST)));
      if (content.length > LONGEST) place.append(el("p", { class: "quiet" }, "The rest is not shown."));
      say("The text is shown.");
    } catch (error) {
      read.disabled = false;
      showProblem(error);
    }
  }, "");
  place.append(el("p", { class: "quiet small" }, line.file_name || ""), el("div", { class: "actions" }, read));
  return place;
}

// entities -----------------------------------------------------------------------------------------------------

export function entity(id, as_of) {
  return load(async () => {
    const path = `${home}/entities/${id}`;
    const [one, profile, facts, relations] = await Promise.all([
      get(path + query({ as_of })),
      get(`${path}/profile`),
      all(`${path}/facts`, { ended: true }, { most: 500 }),
      all(`${path}/relations`, { as_of, ended: true }, { most: 500 }),
    ]);
    say(`${one.name}, ${one.kind}: ${counted(one.mentions, "mention")}, ${counted(relations.length, "relation")}`);
    const names = one.names.filter((name) => name !== one.name);
    return [
      heading(one.name, mark(kindShape(one.kind), kindShade(one.kind))),
      el("p", { class: "facts-line" }, [one.kind, counted(one.mentions, "mention"), `${shownDay(one.first_mentioned_at)} – ${shownDay(one.last_mentioned_at)}`]
        .map((text) => el("span", { class: "tag" }, text))),
      ...(names.length ? section("Also called", el("p", {}, names.join(", "))) : []),
      ...section(as_of ? "Profile, as of now" : "Profile", el("div", { class: "lines small" }, profile.text.split("\n").filter(Boolean).map((line) => el("p", { class: /^\d{4}-/.test(line) ? "quiet" : "" }, line)))),
      ...(facts.length ? section(as_of ? "Facts, as of now" : "Facts", list(facts, fact)) : []),
      ...(relations.length ? section("Relations", list(relations, relation)) : []),
      ...section("Mentioned at", list(one.anchors, (anchor) => el("li", { class: "row" },
        button(anchor.path.slice(1).join(" › ") || anchor.path[0], () => open.node(anchor.node_id)), el("span", { class: "quiet small" }, String(anchor.mentions))))),
      ...section("Last mentioned in", list(one.latest.slice(0, 8), (mention) => el("li", { class: "row" },
        button(mention.title || "untitled", () => open.record(mention.node_id, mention.record_id)), el("span", { class: "quiet small" }, shownDay(mention.at))))),
    ];
  });
}

const span = (from, to) => (from || to ? `${from ? shownDay(from) : "always"} – ${to ? shownDay(to) : "now"}` : "");

// A button that shows and hides what it loads once.
function unfolding(title, label, make) {
  const place = el("div", { hidden: true });
  const unfold = button(title, async () => {
    const opens = place.hidden;
    try {
      if (opens && !place.childNodes.length) place.append(...(await make()));
      place.hidden = !opens;
      unfold.setAttribute("aria-expanded", String(opens));
    } catch (error) {
      showProblem(error);
    }
  }, "", { "aria-expanded": "false", "aria-label": label });
  return [unfold, place];
}

function fact(one) {
  const held = [one.status === "live" ? (one.stale ? "may be out of date" : "holds") : one.status, span(one.valid_from, one.valid_to),
    one.confirmations ? `confirmed ${counted(one.confirmations, "time")}` : ""].filter(Boolean).join(" · ");
  const [unfold, place] = one.fact_id ? unfolding("Chain", `Chain of: ${one.text}`, () => chain(one.fact_id)) : [null, null];
  return el("li", { class: "card" }, el("p", { class: one.status === "live" ? "" : "over" }, one.text), el("p", { class: "quiet" }, held),
    el("div", { class: "actions" }, unfold, one.record_id && button("Source", () => open.record(one.node_id, one.record_id), "", { "aria-label": `Source of: ${one.text}` })), place);
}

async function chain(id) {
  const { facts } = await get(`${home}/facts/${id}`);
  return [
    el("ol", { class: "chain", "aria-label": "Chain of the fact, newest first" }, facts.map((one) =>
      el("li", { class: one.status }, el("p", {}, one.text),
        el("p", { class: "quiet small" }, [one.status === "live" ? "live, holds now" : one.status, span(one.valid_from, one.valid_to), `confidence ${one.confidence.toFixed(2)}`].filter(Boolean).join(" · "))))),
  ];
}

function relation(one) {
  const when = [one.since && `since ${one.since}`, one.until && `until ${one.until}`, one.archived && "set aside"].filter(Boolean).join(", ");
  const [unfold, place] = unfolding("Evidence", `Evidence that it ${one.reads} ${one.other_name}`, () => why(one.relation_id));
  return el("li", { class: "card" },
    el("p", { class: one.until || one.archived ? "over" : "" }, `${one.reads} `, button(one.other_name, () => open.entity(one.other_id))),
    el("p", { class: "quiet" }, [when, `stated by ${counted(one.strength, "record")}`, `confidence ${one.confidence.toFixed(2)}`].filter(Boolean).join(" · ")),
    el("div", { class: "actions" }, unfold), place);
}

async function why(id) {
  const { evidence } = await get(`${home}/relations/${id}/why`);
  return [list(evidence, (one) => el("li", { class: "row evidence" }, button(one.title || "untitled", () => open.record(one.node_id, one.record_id)),
    el("span", { class: "quiet small" }, `${shownDay(one.at)}${one.ended ? ", ended" : ""}`),
    one.text && el("q", { class: "small" }, one.text)))];
}
