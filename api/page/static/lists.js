// The lists beside the picture: the tree of nodes and the entities, by keyboard and for screen readers.
import { $, counted, el } from "./dom.js";
import { kindShade, kindShape, mark, nodeMark, NODE_TYPES, shade, stateOf } from "./looks.js";

const MANY = 150;
const open = new Set();
let nodes = [];
let shown = [];
let state = null;
let typed = "";
let typedAt = 0;

export function showTree(given, wanted) {
  nodes = given;
  state = wanted;
  if (!nodes.some((node) => open.has(node.node_id))) {
    open.clear();
    for (const node of nodes) if (node.layer < (nodes.length > MANY ? 1 : 9)) open.add(node.node_id);
  }
  render();
}

function render(focus = focused()) {
  const children = new Map();
  for (const node of nodes) children.set(node.parent_id, [...(children.get(node.parent_id) || []), node]);
  shown = [];
  const add = (node, place, all) => {
    const below = children.get(node.node_id) || [];
    shown.push({ node, below: below.length, place, all });
    if (open.has(node.node_id)) below.forEach((child, number) => add(child, number + 1, below.length));
  };
  if (nodes.length) add(nodes[0], 1, 1);
  const tree = el("ul", { role: "tree", "aria-label": "Nodes", on: { keydown: keys, click: clicked } }, shown.map(item));
  $("list").replaceChildren(tree);
  rove(focus || state.selected || nodes[0]?.node_id, Boolean(focus));
}

function item({ node, below, place, all }) {
  const records = state.records(node);
  const role = state.role(node.node_id);
  const opened = open.has(node.node_id);
  return el(
    "li",
    {
      role: "treeitem", id: `item-${node.node_id}`, tabindex: -1, class: `level-${node.layer + 1}${records ? "" : " then"}`,
      "aria-level": node.layer + 1, "aria-posinset": place, "aria-setsize": all, "aria-selected": String(node.node_id === state.selected),
      "aria-expanded": below ? String(opened) : null,
      "aria-label": spoken(node.name, role, counted(records, "record"), NODE_TYPES[node.node_type], stateOf(node)),
    },
    el("span", { class: "twig", "aria-hidden": "true" }, below ? (opened ? "▾" : "▸") : ""),
    nodeMark(node, shade(state.branch(node.node_id))),
    el("span", { class: "name" }, node.name), " ",
    ...(role ? touch(role) : [el("span", { class: "count" }, records ? records.toLocaleString("en") : "")]),
  );
}

// The name of an item begins with the words that are seen, in their order: voice control finds it by these.
const spoken = (name, role, ...more) => [[name, role || more.shift()].join(" "), ...more].join(", ");

// An anchor is shown as a ring, hits by their number.
const touch = (role) => role.split(", ").map((one) => el("span", { class: "touched" }, one === "anchor" ? el("span", { "aria-hidden": "true" }, "◎") : one));

const items = () => [...$("list").querySelectorAll("[role=treeitem], [role=option]")];

function rove(id, focus) {
  const all = items();
  const to = all.find((one) => one.id === `item-${id}`) || all[0];
  for (const one of all) one.tabIndex = one === to ? 0 : -1;
  if (focus) to?.focus();
}

function clicked(event) {
  const to = event.target.closest("[role=treeitem], [role=option]");
  if (!to) return;
  const id = to.id.slice(5);
  if (event.target.closest(".twig") && to.hasAttribute("aria-expanded")) toggle(id);
  else state.pick(id);
}

function toggle(id) {
  open.has(id) ? open.delete(id) : open.add(id);
  render(id);
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const at = shown.findIndex(({ node }) => `item-${node.node_id}` === document.activeElement.id);
  if (at < 0) return;
  const { node, below } = shown[at];
  const go = (one) => one && rove(one.node.node_id, true);
  const moves = {
    ArrowDown: () => go(shown[at + 1]),
    ArrowUp: () => go(shown[at - 1]),
    Home: () => go(shown[0]),
    End: () => go(shown[shown.length - 1]),
    ArrowRight: () => below && (open.has(node.node_id) ? go(shown[at + 1]) : toggle(node.node_id)),
    ArrowLeft: () =>
      below && open.has(node.node_id) ? toggle(node.node_id) : go(shown.find((one) => one.node.node_id === node.parent_id)),
    Enter: () => state.pick(node.node_id),
    " ": () => state.pick(node.node_id),
    "*": () => {
      for (const one of nodes) if (one.parent_id === node.parent_id) open.add(one.node_id);
      render(node.node_id);
    },
  };
  if (moves[event.key]) moves[event.key]();
  else if (event.key.length === 1) go(named(event.key, at));
  else return;
  event.preventDefault();
}

// What was typed within a second is the beginning of a name.
function named(key, at) {
  typed = performance.now() - typedAt < 1000 ? typed + key.toLowerCase() : key.toLowerCase();
  typedAt = performance.now();
  const from = typed.length > 1 ? at : at + 1;
  return [...shown.slice(from), ...shown.slice(0, from)].find(({ node }) => node.name.toLowerCase().startsWith(typed));
}

// What is drawn anew keeps the focus.
function focused() {
  return $("list").contains(document.activeElement) ? document.activeElement.id.slice(5) : null;
}

// The way to a node is opened, so that it stands in the list.
export function reveal(id) {
  const byId = new Map(nodes.map((node) => [node.node_id, node]));
  for (let node = byId.get(byId.get(id)?.parent_id); node; node = byId.get(node.parent_id)) open.add(node.node_id);
  render();
  $(`item-${id}`)?.scrollIntoView({ block: "nearest" });
}

export function showEntities(entities, wanted, more) {
  state = wanted;
  const focus = focused();
  const list = el(
    "ul",
    { role: "listbox", "aria-label": "Entities", on: { click: clicked, keydown: entityKeys } },
    entities.map((one) =>
      el(
        "li",
        {
          role: "option", id: `item-${one.entity_id}`, tabindex: -1, "aria-selected": String(one.entity_id === state.selected),
          "aria-label": spoken(one.name, state.role(one.entity_id), counted(one.mentions, "mention"), one.kind),
        },
        mark(kindShape(one.kind), kindShade(one.kind)),
        el("span", { class: "name" }, one.name), " ",
        state.role(one.entity_id) && [el("span", { class: "touched" }, state.role(one.entity_id)), " "],
        el("span", { class: "count" }, one.mentions.toLocaleString("en")),
      ),
    ),
  );
  const none = el("p", { class: "quiet small" }, "No entity is known at this time.");
  $("list").replaceChildren(entities.length ? list : none, more || "");
  rove(focus || state.selected, Boolean(focus));
}

function entityKeys(event) {
  const all = items();
  const at = all.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (to !== undefined && all[to]) rove(all[to].id.slice(5), true);
  else if ((event.key === "Enter" || event.key === " ") && at >= 0) state.pick(all[at].id.slice(5));
  else return;
  event.preventDefault();
}
