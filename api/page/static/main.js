// The page: who is here, what is loaded, and how its parts work together.
import { all, get, Problem, query, use } from "./api.js";
import * as details from "./details.js";
import { $, counted, el, hideProblem, say, showProblem } from "./dom.js";
import { dressEntities, showEntities } from "./entities.js";
import * as graph from "./graph.js";
import { radial } from "./layout.js";
import { legend } from "./legend.js";
import * as lists from "./lists.js";
import { isDark } from "./looks.js";
import { showResults, touched } from "./search.js";
import * as time from "./time.js";
import { NONE, view } from "./view.js";

window.neurigraph = {}; // for the console: the picture

// who ----------------------------------------------------------------------------------------------------------

async function enter(handle) {
  const { kind, user } = await get("/v1/users/me");
  if (user) return openUser(user, [user]);
  if (kind !== "operator") throw new Problem(403, "This page shows the graph of one user: it needs a token of a user, or the operator's.");
  if (handle) {
    const found = await get(`/v1/users/by-handle/${encodeURIComponent(handle)}`);
    return openUser(found, [found]);
  }
  const users = await all("/v1/users", {}, { most: 500 });
  if (!users.length) throw new Problem(404, "There is no user yet. Make one: neurigraph user create HANDLE");
  return openUser(users[0], users);
}

async function openUser(user, users) {
  const select = $("user");
  select.replaceChildren(...users.map((one) => el("option", { value: one.user_id }, one.display_name || one.handle)));
  select.value = user.user_id;
  select.hidden = users.length < 2;
  view.home = `/v1/users/${user.user_id}`;
  Object.assign(view, { selected: null, answer: null, asked: "", touch: NONE, entityNames: new Set(), entities: [], relations: [], together: [] });
  $("results").hidden = true;
  view.timeline = await all(`${view.home}/timeline`, {}, { most: 20000 });
  document.title = `${user.display_name || user.handle} – Neurigraph`;
  time.show(view.timeline, timeMoved);
  details.begin(view.home, view.open);
  view.again = null;
  await loadNodes();
  $("entry").hidden = true;
  $("memory").hidden = false;
  for (const id of ["question", "ask"]) $(id).disabled = false;
  hideProblem();
  await showTab(view.tab, false);
  await details.overview(user, view.nodes, view.timeline);
  say(`${user.display_name || user.handle}: ${counted(view.nodes.length, "node")}`);
  document.body.dataset.state = "ready";
}

function leave() {
  use(null);
  window.location.reload();
}

// nodes --------------------------------------------------------------------------------------------------------

async function loadNodes() {
  const as_of = time.asOf();
  const mine = ++view.load;
  const [nodes, edges] = await Promise.all([all(`${view.home}/tree`, { as_of }), all(`${view.home}/edges`, { as_of }, { most: 1000 })]);
  if (mine !== view.load) return false;
  const same = nodes.length === view.nodes.length && edges.length === view.edges.length
    && nodes.every((node, place) => ["node_id", "parent_id", "name", "state", "archived"].every((key) => node[key] === view.nodes[place][key]));
  Object.assign(view, { nodes, edges });
  view.branches = new Map();
  let branch = 0;
  for (const node of nodes) {
    view.branches.set(node.node_id, node.layer === 0 ? 7 : node.layer === 1 ? branch++ % 7 : view.branches.get(node.parent_id) ?? 7);
  }
  return !same;
}

function recordsThen() {
  const until = time.day();
  const counts = new Map();
  for (const { node_id, day, records } of view.timeline) {
    if (!until || !day || day <= until) counts.set(node_id, (counts.get(node_id) || 0) + records);
  }
  return counts;
}

async function drawNodes() {
  const places = radial(view.nodes, $("graph").clientWidth / Math.max($("graph").clientHeight, 1));
  window.neurigraph.cy = await graph.draw(graph.nodeElements(view.nodes, view.edges, places, view.branches), pickNode);
}

// The picture in words.
function describe() {
  const { anchors, hits } = view.touch;
  const touches = view.answer && `the question has ${counted(anchors.size, "anchor")}, ${counted(hits.size, "node")} ${hits.size === 1 ? "holds" : "hold"} hits`;
  const parts = [`Graph of ${counted(view.nodes.length, "node")} and ${counted(view.edges.length, "edge")}`, time.told(), touches];
  $("graph").setAttribute("aria-label", parts.filter(Boolean).join("; "));
}

function dressNodes() {
  const counts = recordsThen();
  const below = new Map();
  for (const node of [...view.nodes].reverse()) {
    const all_ = (below.get(node.node_id) || 0) + (counts.get(node.node_id) || 0);
    below.set(node.node_id, all_);
    if (node.parent_id) below.set(node.parent_id, (below.get(node.parent_id) || 0) + all_);
  }
  const past = time.day() !== null;
  graph.resize(view.nodes.map((node) => [
    node.node_id, [graph.nodeSize(node, past ? counts.get(node.node_id) || 0 : node.records), past && !below.get(node.node_id)],
  ]));
  graph.highlight(view.touch);
  graph.select(view.selected);
  describe();
  lists.showTree(view.nodes, {
    selected: view.selected, pick: pickNode, branch: (id) => view.branches.get(id),
    records: (node) => (past ? counts.get(node.node_id) || 0 : node.records),
    role: (id) => [view.touch.hits.has(id) && counted(view.touch.hits.get(id), "hit"), view.touch.anchors.has(id) && "anchor"].filter(Boolean).join(", "),
  });
}

// what is shown --------------------------------------------------------------------------------------------------

async function showTab(tab, reload = true) {
  view.tab = tab;
  for (const name of ["nodes", "entities"]) {
    $(`tab-${name}`).setAttribute("aria-selected", String(name === tab));
    $(`tab-${name}`).tabIndex = name === tab ? 0 : -1;
  }
  $("list").setAttribute("aria-labelledby", `tab-${tab}`);
  $("waiting").hidden = true;
  if (tab === "nodes") {
    if (reload) await loadNodes();
    if (view.tab !== tab) return;
    await drawNodes();
    dressNodes();
    legend();
  } else {
    $("waiting").hidden = false;
    $("list").replaceChildren(el("p", { class: "quiet small" }, "Loading…"));
    graph.clear();
    await showEntities();
  }
}

async function pickNode(id) {
  const inside = inPanel();
  if (view.tab !== "nodes") await guarded(() => showTab("nodes"));
  view.selected = id;
  dressNodes();
  lists.reveal(id);
  view.again = () => details.node(id, time.asOf(), view.branches.get(id) ?? 7);
  await view.again();
  showDetails(inside);
}

// Below the results of a search they would not be seen. The focus stays in the list; from elsewhere it follows to what was asked for.
function showDetails(inside) {
  if (!$("results").hidden) $("details").scrollIntoView();
  if (inside) $("details").focus();
}

const inPanel = () => $("panel").contains(document.activeElement);

async function pickRecord(nodeId, recordId) {
  view.again = () => details.showRecord(nodeId, recordId, time.asOf());
  await view.again();
  $("details").focus();
}

async function pickEntity(id, name) {
  const inside = inPanel();
  if (!id && name) [{ entity_id: id } = {}] = await guarded(() => get(`${view.home}/entities${query({ name, all: true, limit: 1 })}`)) || [];
  if (!id) return;
  view.selected = id;
  if (view.tab === "entities") dressEntities();
  view.again = () => details.entity(id, time.asOf());
  await view.again();
  showDetails(inside);
}

async function timeMoved(settled, text) {
  if (view.tab === "nodes" && !settled && view.nodes.length < 300) dressNodes();
  if (!settled) return;
  await guarded(async () => {
    if (view.tab === "nodes") {
      if (await loadNodes()) await drawNodes();
      dressNodes();
    } else {
      await showEntities();
    }
    if (view.asked) await ask();
    await view.again?.();
    say(text);
  });
}

async function ask() {
  const body = { query: view.asked, limit: 12, explain: true, relations: true };
  if (time.asOf()) body.as_of = time.asOf();
  const mine = ++view.searches;
  const answer = await get(`${view.home}/search`, { body });
  if (mine !== view.searches || !view.asked) return;
  view.answer = answer;
  view.touch = touched(view.answer, view.nodes);
  view.entityNames = new Set(view.answer.hits.map((hit) => hit.reached?.entity?.toLowerCase()).filter(Boolean));
  legend();
  showResults(view.answer, view.open, forget);
  if (view.tab === "nodes") dressNodes();
  else dressEntities();
}

function forget() {
  Object.assign(view, { asked: "", answer: null, touch: NONE, entityNames: new Set() });
  $("results").hidden = true;
  $("question").value = "";
  $("question").focus();
  legend();
  if (view.tab === "nodes") dressNodes();
  else dressEntities();
}

async function guarded(work) {
  try {
    hideProblem();
    return await work();
  } catch (error) {
    if (error.status === 401) askForToken(false);
    showProblem(error);
    return null;
  }
}

function askForToken(first) {
  $("memory").hidden = true;
  $("entry").hidden = false;
  for (const id of ["question", "ask"]) $(id).disabled = true;
  $("token").focus();
  if (first) hideProblem();
}

// theme ----------------------------------------------------------------------------------------------------------

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  $("theme").textContent = dark ? "Light" : "Dark";
  $("theme").setAttribute("aria-label", dark ? "Use the light theme" : "Use the dark theme");
  graph.restyle();
  if (view.home && !$("memory").hidden) {
    if (view.tab === "nodes") dressNodes();
    else dressEntities();
    legend();
    view.again?.();
  }
}

function listen() {
  const preferred = matchMedia("(prefers-color-scheme: dark)");
  preferred.addEventListener("change", () => setTheme(preferred.matches));
  setTheme(preferred.matches);
  $("theme").addEventListener("click", () => setTheme(!isDark()));
  $("sign-out").addEventListener("click", leave);
  $("user").addEventListener("change", () => guarded(async () => {
    const chosen = [...$("user").options].map((one) => ({ user_id: one.value, display_name: one.textContent }));
    await openUser(chosen[$("user").selectedIndex], chosen);
  }));
  $("sign-in").addEventListener("submit", (event) => {
    event.preventDefault();
    use($("token").value.trim());
    guarded(async () => {
      await enter($("handle").value.trim());
      $("token").value = "";
      $("sign-out").hidden = false;
      $("item-" + view.nodes[0].node_id)?.focus();
    });
  });
  $("search").addEventListener("submit", (event) => {
    event.preventDefault();
    view.asked = $("question").value.trim();
    if (view.asked) guarded(ask);
    else forget();
  });
  for (const name of ["nodes", "entities"]) {
    $(`tab-${name}`).addEventListener("click", () => guarded(() => showTab(name)));
    $(`tab-${name}`).addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const other = name === "nodes" ? "entities" : "nodes";
      $(`tab-${other}`).focus();
      guarded(() => showTab(other));
    });
  }
  for (const one of document.querySelectorAll("[data-zoom]")) one.addEventListener("click", () => graph.look(one.dataset.zoom));
  $("graph").addEventListener("keydown", graph.keys);
  $("panel").addEventListener("keydown", backToList);
  time.listen();
}

// From the panel back to the list, to what is selected there.
function backToList(event) {
  if (event.key !== "Escape") return;
  ($(`item-${view.selected}`) || document.querySelector("#list [tabindex='0']"))?.focus();
}

Object.assign(view.open, { node: pickNode, record: pickRecord, entity: pickEntity });
listen();
try {
  await enter("");
} catch (error) {
  askForToken(true);
  if (error.status !== 401 && error.status !== 403) showProblem(error);
  else if (error.message && error.status === 403) showProblem(error);
}
